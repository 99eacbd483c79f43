-- Kernels made of the operations' rows alone, without arrays: many in a module, each of which computes one operation
-- for n elements.
local gpu = require "spec.support.gpu"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local prelude = require "cudalua.base.prelude"

local cuda = gpu.cuda
local M = {}

local function add(set, names)
  for _, name in ipairs(names) do set[name] = true end
end

---An operation with operands of these dtypes: what is to be computed, and the source of it.
function M.case(op, ...)
  local given = { ... }
  local infer = { op.infer(...) }
  local case = { op = op, given = given, result = infer[1], taken = { unpack(infer, 2) }, pieces = {} }
  case.x = case.taken[op.values]
  local names, params, lines = { "k", op.name }, {}, {}
  for i, dt in ipairs(given) do
    names[#names + 1] = dt.name
    local to = case.taken[i]
    params[i] = ("const %s *a%d, "):format(ctype.memory(dt), i)
    lines[i] = ("  const %s u%d = %s;\n  const %s v%d = %s;"):format(ctype.register(dt), i,
      ctype.load(dt, ("a%d[i]"):format(i)), ctype.register(to), i, ctype.convert(dt, to, "u" .. i))
    add(case.pieces, ctype.pieces(dt))
    add(case.pieces, ctype.pieces(to))
  end
  local code, exact = op.code(case.x, case.result)
  code = code:gsub("%$(%d)", "v%1")
  if not exact then code = ctype.round(case.result, code) end
  add(case.pieces, op.pieces(case.x))
  add(case.pieces, ctype.pieces(case.result))
  case.name = table.concat(names, "_")
  case.text = ([[
__global__ void %s(%s%s *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
%s
  const %s r = %s;
  out[i] = %s;
}
]]):format(case.name, table.concat(params), ctype.memory(case.result), table.concat(lines, "\n"),
    ctype.register(case.result), code, ctype.store(case.result, "r"))
  return case
end

---The conversion of one dtype to another as a case.
function M.conversion(from, to)
  local op = { name = "astype", arity = 1, values = 1,
    infer = function() return to, to end,
    code = function() return "$1", true end,
    pieces = function() return {} end }
  local case = M.case(op, from)
  case.name = ("k_astype_%s_%s"):format(from.name, to.name)
  case.text = case.text:gsub("k_astype_[%w_]+", case.name)
  return case
end

---One module with the kernels of these cases, which get their functions.
function M.compile(cases)
  local pieces, list, seen = {}, {}, {}
  for _, case in ipairs(cases) do
    for name in pairs(case.pieces) do pieces[name] = true end
    if not seen[case.name] then list[#list + 1] = case.text end
    seen[case.name] = true
  end
  local module = cuda.SourceModule(prelude.text(pieces) .. 'extern "C" {\n' .. table.concat(list) .. "}\n",
    { options = { "--fmad=false" }, no_extern_c = true })
  for _, case in ipairs(cases) do case.fn = module:get_function(case.name) end
  return module
end

-- By name: busted's ffi.typeof remembers types by their text, and takes "$[?]" for one type.
local array_types = {}
for _, dt in ipairs(dtype.list) do array_types[dt] = ffi.typeof(tostring(dt.ctype):match "^ctype<(.*)>$" .. "[?]") end

---An array of n elements as their dtype has them in memory, and its bytes.
function M.array(dt, n) return array_types[dt](n), n * dt.itemsize end

local uploaded = setmetatable({}, { __mode = "k" }) -- host array -> device memory

---Computes a case for host arrays of the given dtypes; returns a host array of the result's.
function M.run(case, n, ...)
  local args = { ... }
  for i, host in ipairs(args) do
    local device = uploaded[host]
    if not device then
      device = cuda.mem_alloc(n * case.given[i].itemsize)
      cuda.memcpy_htod(device, host)
      uploaded[host] = device
    end
    args[i] = device
  end
  local out, bytes = M.array(case.result, n)
  local memory = cuda.mem_alloc(bytes)
  args[#args + 1], args[#args + 2] = memory, n
  args[#args + 1] = { block = 256, grid = math.ceil(n / 256) }
  case.fn(unpack(args))
  cuda.memcpy_dtoh(out, memory)
  memory:free()
  return out
end

return M
