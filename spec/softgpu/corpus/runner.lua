-- Compiles the sources of this folder for a compute capability with NVRTC's options, and runs their kernels. A kernel
-- is known by its KERNEL(name) and the comment behind it: threads of a block, blocks, bytes of dynamic shared memory,
-- whether the launch is cooperative, from which compute capability on it can be compiled, and how far numbers may be
-- off.
local cuda = require "cudalua"
local ffi = require "ffi"

local M = {}

local folder = debug.getinfo(1, "S").source:match "^@(.*)/[^/]+$" or "spec/softgpu/corpus"
local words, numbers = 1024, 16

-- A source's `options` are for NVRTC always; `slow` ones take a second or so, for the headers they include.
M.sources = {
  { name = "integers", options = { "--device-int128" } },
  { name = "floats" },
  { name = "warps" },
  { name = "calls" },
  { name = "memory" },
  { name = "atomics", options = { "--device-int128" } },
  { name = "halves" },
  { name = "narrow" },
  { name = "groups", slow = true },
  { name = "library", slow = true },
  { name = "cub", slow = true },
  { name = "modern", slow = true },
}

-- Sets of options, beside the architecture. `fast`: numbers are less exact, and those below the least normal one are
-- zero.
M.styles = {
  { name = "default", options = {} },
  { name = "fast_math", options = { "--use_fast_math" }, fast = true },
  { name = "G", options = { "-G" } },
  { name = "lineinfo", options = { "-lineinfo" } },
  { name = "fmad=false", options = { "--fmad=false" } },
  { name = "rdc", options = { "--relocatable-device-code=true", "-lineinfo" } },
  { name = "ftz", options = { "--ftz=true", "--prec-div=false", "--prec-sqrt=false" }, fast = true },
  { name = "G, rdc", options = { "-G", "--relocatable-device-code=true" } },
}

---@param name string
local function read(name)
  local file = assert(io.open(folder .. "/" .. name, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

---The kernels of a source, in its order.
---@return {name: string, block: integer[], grid: integer, shared: integer, cooperative: boolean, from: integer,
---  within: number?}[]
function M.kernels(source)
  if source.kernels then return source.kernels end
  source.text = read(source.name .. ".cu")
  local list = {}
  for line in source.text:gmatch "[^\n]+" do
    local name, rest = line:match "^KERNEL%(([%w_]+)%) // (.*)$"
    if not name then name, rest = line:match "^%s+([%w_]+)%(const u32 %*in, .*%) // (.*)$" end
    if name then
      local x, y, grid = rest:match "^(%d+) ?(%d*) x (%d+)"
      list[#list + 1] = { name = name, block = { tonumber(x), tonumber(y) or 1 }, grid = tonumber(grid),
        shared = tonumber(rest:match "%+ (%d+)") or 0, cooperative = rest:find "cooperative" ~= nil,
        from = tonumber(rest:match "from (%d+)") or 0, within = tonumber(rest:match "within ([%d.]+)") }
    end
  end
  source.kernels = list
  return list
end

---@param arch integer|string  75 ..., "100a"
---@return string ptx
function M.compile(source, arch, style)
  M.kernels(source)
  local options = { "-w" }
  for _, list in ipairs { source.options or {}, style.options } do
    for _, option in ipairs(list) do options[#options + 1] = option end
  end
  return (cuda.compile(source.text, { arch = "compute_" .. arch, options = options, include_dirs = { folder },
    no_extern_c = true, default_device = false, name = source.name .. ".cu" }))
end

local input
local function inputs()
  if input then return input end
  input = ffi.new("uint32_t[?]", words)
  local edges, state = { 0, 1, 2, 31, 32, 127, 128, 255, 65535, 0x7fffffff, 0x80000000, 0xffffffff }, 12345
  for i = 0, words - 1 do
    state = (state * 1103515245 + 12345) % 2 ^ 31
    local high = math.floor(state / 65536)
    state = (state * 1103515245 + 12345) % 2 ^ 31
    input[i] = i % 11 == 3 and edges[i % #edges + 1] or high * 65536 + math.floor(state / 32768)
  end
  return input
end

---Runs the kernels that this compute capability has.
---@return table<string, {bad: integer, out: ffi.cdata*, real: ffi.cdata*, threads: integer}>
function M.run(source, ptx, arch)
  local module, results = cuda.module_from_buffer(ptx), {}
  arch = tonumber(tostring(arch):match "%d+")
  local memory = cuda.mem_alloc(words * 4)
  cuda.memcpy_htod(memory, inputs())
  for _, kernel in ipairs(M.kernels(source)) do
    if arch >= kernel.from then
      local threads = kernel.block[1] * kernel.block[2] * kernel.grid
      local out, real, bad = cuda.mem_alloc(threads * 4), cuda.mem_alloc(threads * 4 * numbers), cuda.mem_alloc(4)
      cuda.memset_d32(out, 0, threads)
      cuda.memset_d32(real, 0, threads * numbers)
      cuda.memset_d32(bad, 0, 1)
      local fn = module:get_function(kernel.name, { args = { "const unsigned *", "unsigned *", "float *",
        "unsigned *" } })
      fn(memory, out, real, bad, { block = kernel.block, grid = kernel.grid, shared = kernel.shared,
        cooperative = kernel.cooperative or nil })
      local r = { bad = ffi.new "uint32_t[1]", out = ffi.new("uint32_t[?]", threads),
        real = ffi.new("float[?]", threads * numbers), threads = threads }
      cuda.memcpy_dtoh(r.bad, bad)
      cuda.memcpy_dtoh(r.out, out)
      cuda.memcpy_dtoh(r.real, real)
      results[kernel.name] = r
      for _, m in ipairs { out, real, bad } do m:free() end
    end
  end
  memory:free()
  return results
end

---What is wrong with one compilation's results, compared with those of another.
---@return string[]
function M.compare(source, style, results, reference)
  local wrong = {}
  local function note(kernel, ...) wrong[#wrong + 1] = kernel.name .. ": " .. string.format(...) end
  for _, kernel in ipairs(M.kernels(source)) do
    local got, want = results[kernel.name], reference[kernel.name]
    if got and got.bad[0] ~= 0 then
      note(kernel, "the check in line %d of %s.cu fails", got.bad[0], source.name)
    elseif got and want then
      for i = 0, got.threads - 1 do
        if got.out[i] ~= want.out[i] then
          note(kernel, "thread %d: %08x instead of %08x", i, got.out[i], want.out[i])
          break
        end
      end
      local within = math.max(kernel.within or 2e-5, style.fast and 2e-3 or 0)
      for i = 0, got.threads * numbers - 1 do
        local a, b = got.real[i], want.real[i]
        local close = a == b or a ~= a and b ~= b or math.abs(a - b) <= within * math.max(1, math.abs(b))
        if not close then
          note(kernel, "thread %d, number %d: %.9g instead of %.9g", i % got.threads, math.floor(i / got.threads), a, b)
          break
        end
      end
    end
  end
  return wrong
end

return M
