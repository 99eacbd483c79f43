-- The names that the software device exports, against those of NVIDIA's library: a program that links with all of them
-- has to start.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local softgpu = require "cudalua.softgpu"

-- The exported names of a library as a set; nil if there is none.
local function exports_of(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  file:close()
  local pipe, set = assert(io.popen("nm -D --defined-only '" .. path .. "'")), {}
  for name in pipe:read "*a":gmatch "[%x]+ %a (cu%w[%w_]*)" do set[name] = true end
  pipe:close()
  return set
end

local function committed()
  local set, count = {}, 0
  for name in io.lines "spec/data/golden/libcuda-13.0.txt" do
    set[name] = true
    count = count + 1
  end
  return set, count
end

local function missing(of, from)
  local list = {}
  for name in pairs(of) do
    if not from[name] then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- The stub library of a toolkit that is CUDA 13.0, or nil.
local function stub()
  local home = os.getenv "CUDA_HOME"
  local header = home and io.open(home .. "/include/cuda.h")
  if not header then return nil end
  local is_13_0 = header:read "*a":find "#define%s+CUDA_VERSION%s+13000%s"
  header:close()
  return is_13_0 and exports_of(home .. "/lib64/stubs/libcuda.so") or nil
end

describe("the software device's library", function()
  it("exports each name of NVIDIA's", function()
    if not gpu.soft then return pending "looks at the software device's library" end
    local names, count = committed()
    assert.equal(671, count)
    local ours = exports_of(cuda.driver_info().path)
    assert.same({}, missing(names, ours))
    ours.cuSoftgpuControl, ours.cuSoftgpuBlock, ours.cuSoftgpuInterrupt = nil, nil, nil
    ours.cuSoftgpuProgress, ours.cuSoftgpuProfile = nil, nil
    assert.same({}, missing(ours, names))
    local theirs = stub()
    if not theirs then return end
    -- Some builds leave out OpenGL, EGL and VDPAU; the debugger's entries (cudbg*) are none of the driver API.
    for name in pairs(theirs) do
      if name:find "^cudbg" then theirs[name] = nil end
    end
    assert.same({}, missing(theirs, names))
  end)

  it("logs the calls of what it lacks, and of the names of old", function()
    if not gpu.soft then return pending "reads the call log" end
    gpu.context()
    ffi.cdef [[
      int cuTexRefCreate(void **reference);
      int cuEventDestroy(void *event);
    ]]
    local library = ffi.load(cuda.driver_info().path)
    local out = ffi.new("void *[1]", ffi.cast("void *", 7))
    softgpu.log "clear"
    softgpu.log "on"
    assert.equal(801, library.cuTexRefCreate(out))
    assert.equal(400, library.cuEventDestroy(nil))
    softgpu.log "off"
    assert.equal(7, tonumber(ffi.cast("intptr_t", out[0])))
    local seen = {}
    for _, call in ipairs(softgpu.calls()) do seen[#seen + 1] = call.symbol .. " " .. call.result end
    assert.same({ "cuTexRefCreate 801", "cuEventDestroy 400" }, seen)
  end)
end)
