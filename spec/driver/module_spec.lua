local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"

local source = [[
__constant__ float factor;
__device__ int table[4] = {10, 20, 30, 40};
__global__ void scale(float *a) { a[threadIdx.x] *= factor; }
__global__ void look(int *out) { out[threadIdx.x] = table[threadIdx.x]; }
]]

describe("modules", function()
  local image
  setup(function()
    gpu.context()
    image = cuda.compile(source)
  end)
  before_each(gpu.context)

  it("cuda.module_from_buffer refuses machine code that is not linked", function()
    local options = { arch = "sm_80", target = "cubin", options = { "-rdc=true" } }
    gpu.raises("LogicError", "relocatable code must be", cuda.module_from_buffer,
      (cuda.compile("__global__ void k() {}", options)))
  end)

  it("cuda.module_from_buffer loads what cuda.compile makes", function()
    local mod = cuda.module_from_buffer(image)
    assert.truthy(tostring(mod):find "^cudalua.Module: ")
    local look, out = mod:get_function "look", ffi.new "int[4]"
    look(cuda.Out(out), { block = 4 })
    assert.same({ 10, 20, 30, 40 }, { out[0], out[1], out[2], out[3] })
  end)

  it("cuda.module_from_file loads a file", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(image)
    file:close()
    local mod = cuda.module_from_file(path)
    assert.equal("scale", mod:get_function("scale"):name())
    os.remove(path)
    local err = gpu.error_of("RuntimeError", cuda.module_from_file, path)
    assert.equal(301, err.code)
    gpu.raises("LogicError", "expected a path", cuda.module_from_file, 7)
  end)

  it("cuda.Module:get_function gives the same object each time, and lists what there is", function()
    local mod = cuda.module_from_buffer(image)
    assert.equal(mod:get_function "scale", mod:get_function "scale")
    local err = gpu.error_of("LogicError", mod.get_function, mod, "scal")
    assert.equal(500, err.code)
    assert.truthy(err.message:find("no kernel named 'scal'", 1, true))
    assert.truthy(err.message:find("scale", 1, true) and err.message:find("look", 1, true))
    gpu.refuses_nonsense(function(v) return mod:get_function(v) end)
    gpu.refuses_nonsense(function(v) return cuda.Module.get_function(v, "scale") end)
  end)

  it("cuda.Module:get_global reaches variables, with their size", function()
    local mod = cuda.module_from_buffer(image)
    local factor, n = mod:get_global "factor"
    assert.equal(4, n)
    assert.equal(4, #factor)
    cuda.memcpy_htod(factor, gpu.floats(3))
    local a = gpu.floats(1, 2, 3)
    mod:get_function "scale"(cuda.InOut(a), { block = 3 })
    assert.same({ 3, 6, 9 }, { a[0], a[1], a[2] })
    local tab, size = mod:get_global "table"
    assert.equal(16, size)
    cuda.memcpy_htod(tab + 4, ffi.new("int[1]", 21))
    local out = ffi.new "int[4]"
    mod:get_function "look"(cuda.Out(out), { block = 4 })
    assert.equal(21, out[1])
    gpu.raises("LogicError", "no __device__ or __constant__ variable named 'nothing'", mod.get_global, mod, "nothing")
    gpu.raises("LogicError", "do not fit", cuda.memcpy_htod, factor, "12345")
    gpu.refuses_nonsense(function(v) return mod:get_global(v) end)
  end)

  it("cuda.Module:close ends its functions and pointers", function()
    local mod = cuda.module_from_buffer(image)
    local fn, pointer = mod:get_function "look", mod:get_global "table"
    mod:close()
    gpu.raises("LogicError", "was closed", mod.close, mod)
    gpu.raises("LogicError", "was closed", mod.get_function, mod, "look")
    gpu.raises("LogicError", "its Module is gone", fn.name, fn)
    gpu.raises("LogicError", "its Module is gone", pointer.ptr, pointer)
    assert.equal("cudalua.Function (closed)", tostring(fn))
  end)

  it("a function holds its module", function()
    local fn = cuda.module_from_buffer(image):get_function "look"
    collectgarbage() collectgarbage()
    local out = ffi.new "int[4]"
    fn(cuda.Out(out), { block = 4 })
    assert.equal(40, out[3])
  end)

  it("images that are none are refused", function()
    gpu.refuses_nonsense(cuda.module_from_buffer, { string = true })
    gpu.error_of("LogicError", cuda.module_from_buffer, "")
    gpu.error_of("LogicError", cuda.module_from_buffer, "\127ELF")
    gpu.error_of("LogicError", cuda.module_from_buffer, "\0\1\2\3")
    gpu.error_of("LogicError", cuda.module_from_buffer, ("\255"):rep(1000))
    local cubin = cuda.compile(source, { arch = "sm_90" })
    if cubin:sub(1, 4) == "\127ELF" then
      for _, n in ipairs { 64, 100, #cubin / 2, #cubin - 1 } do
        gpu.error_of("Error", cuda.module_from_buffer, cubin:sub(1, math.floor(n)))
      end
    end
  end)

  it("bad PTX is a CompileError with the log", function()
    local err = gpu.error_of("CompileError", cuda.module_from_buffer,
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { nonsense.b32 %r1; ret; }\n")
    assert.equal(218, err.code)
    assert.truthy(err.log:find "line 4; error   : ")
    assert.truthy(tostring(err):find("log:", 1, true))
  end)

  describe("options", function()
    local ptx
    setup(function() ptx = cuda.compile(source, { arch = "compute_80" }) end)

    it("cuda.module_from_buffer passes the JIT's options and hands back what it reported in mod.jit", function()
      local options = { max_registers = 32, wall_time = true, log_verbose = true }
      local mod = cuda.module_from_buffer(ptx, { options = options })
      assert.is_true(mod.jit.wall_time >= 0)
      assert.equal("string", type(mod.jit.info_log))
      assert.equal("", mod.jit.error_log)
      assert.is_nil(mod.jit.threads_per_block)
      local list = { { "threads_per_block", 100 }, { cuda.jit_option.LOG_VERBOSE, 1 } }
      mod = cuda.module_from_buffer(ptx, { options = list })
      assert.equal(128, mod.jit.threads_per_block) -- whole warps
      assert.is_nil(cuda.module_from_buffer(ptx).jit)
      assert.is_true(mod:get_function("scale").num_regs <= 255)
    end)

    it("the message handler hears of success and of failure", function()
      local heard = {}
      local handler = function(...) heard[#heard + 1] = { ... } end
      cuda.module_from_buffer(ptx, { message_handler = handler })
      assert.is_true(heard[1][1])
      local bad = ptx:gsub("ld%.param", "ld.paramour")
      local err = gpu.error_of("CompileError", cuda.module_from_buffer, bad, { message_handler = handler })
      assert.equal(218, err.code)
      assert.truthy(err.log:find "%S")
      assert.is_false(heard[2][1])
      assert.equal(err.log, heard[2][3])
    end)

    it("a target that is not the device's own is refused", function()
      local err = gpu.error_of("CompileError", cuda.module_from_buffer, ptx, { options = { target = "compute_120" } })
      assert.equal(300, err.code)
    end)

    it("refuses what is not an option, what is reserved for the library, and values that are none", function()
      gpu.raises("LogicError", "max_registers", cuda.module_from_buffer, ptx, { options = { max_register = 32 } })
      gpu.raises("LogicError", "reserved for the library", cuda.module_from_buffer, ptx,
        { options = { info_log_buffer = 1 } })
      gpu.raises("LogicError", "expected a number", cuda.module_from_buffer, ptx, { options = { max_registers = "x" } })
      gpu.raises("LogicError", "options must be a table", cuda.module_from_buffer, ptx, { options = 5 })
      gpu.raises("LogicError", "{option, value}", cuda.module_from_buffer, ptx, { options = { 5 } })
      gpu.raises("LogicError", "unknown option 'optoins'", cuda.module_from_buffer, ptx, { optoins = {} })
      for _, value in ipairs { 0 / 0, -2, 1.5, 2 ^ 40, 1 / 0 } do
        gpu.error_of("LogicError", cuda.module_from_buffer, ptx, { options = { max_registers = value } })
      end
      local many = {}
      for i = 1, 60 do many[i] = { "log_verbose", 1 } end
      gpu.raises("LogicError", "at most", cuda.module_from_buffer, ptx, { options = many })
    end)
  end)
end)
