-- The operations' rows against what NumPy computed: corner cases of division, powers, shifts and complex functions, and
-- the dtypes of results. data/golden/numpy_ops.py made data/golden/numpy_ops.lua; NumPy itself is not needed.
local gpu = require "spec.support.gpu"
local kernels = require "spec.support.op_kernels"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local ops = require "cudalua.gpuarray.kernel.ops"

local golden = dofile "spec/data/golden/numpy_ops.lua"

local function at(dt, array, i) return dt._load(ffi.cast("uint8_t *", array), i * dt.itemsize) end

-- "float32:0000803f" -> dtype, array, number of elements
local function decode(text)
  local name, hex = text:match "^(%w+):(%x*)$"
  local dt = dtype.of(name)
  local bytes = hex:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)
  local n = #bytes / dt.itemsize
  local array = kernels.array(dt, n)
  ffi.copy(array, bytes, #bytes)
  return dt, array, n
end

-- Elements of a base array, each repeated, and rolled.
local function operand(base, n, each, roll)
  local array, size = kernels.array(base.dt, n), base.dt.itemsize
  for i = 0, n - 1 do
    local from = (math.floor(i / each) + roll) % base.n
    ffi.copy(ffi.cast("uint8_t *", array) + i * size, ffi.cast("uint8_t *", base.array) + from * size, size)
  end
  return array
end

-- Units in the last place that functions may be off; all other operations give the same bits.
local bounds = { pow = 4, hypot = 4, logaddexp = 4, degrees = 4, radians = 4, angle = 4, abs = 4, exp = 8, log = 8,
  log10 = 8, log2 = 8, sqrt = 8, sin = 8, cos = 8, tan = 8, sinh = 8, cosh = 8, tanh = 8, sign = 8 }
local complex_pow = 128 -- a logarithm, multiplied

local digits = { float16 = 11, float32 = 24, float64 = 53, complex64 = 24, complex128 = 53 }

local function same(a, b)
  if a ~= a or b ~= b then return a ~= a and b ~= b end
  return a == b and (a ~= 0 or type(a) ~= "number" or 1 / a == 1 / b)
end

local function near(want, got, name, limit)
  if same(want, got) then return true end
  if limit and math.abs(want) > 1.7976931348623e308 and got == want / 0 then return true end -- rounded up
  local distance = math.abs(want - got)
  return limit ~= nil and distance <= limit * 2 ^ -digits[name] * math.abs(want)
end

-- The sign of an infinity beside a NaN is not specified.
local function near_complex(want, got, name, limit)
  local function part(a, b, other)
    return near(a, b, name, limit) or other ~= other and math.abs(a) == math.huge and math.abs(b) == math.huge
  end
  return part(want.re, got.re, want.im) and part(want.im, got.im, want.re)
end

local function show(x)
  if type(x) == "cdata" and tostring(ffi.typeof(x)):find "complex" then
    return ("(%.17g, %.17g)"):format(x.re, x.im)
  end
  return type(x) == "number" and ("%.17g"):format(x) or tostring(x)
end

describe("gpuarray operations and NumPy", function()
  setup(function() gpu.context() end)

  local bases, cases = {}, {}
  for name, text in pairs(golden.inputs) do
    local dt, array, n = decode(text)
    bases[name] = { dt = dt, array = array, n = n }
  end
  for i, row in ipairs(golden.rows) do
    local given, n, arrays = {}, row[2], {}
    for k, field in ipairs(row[3]) do
      local base = bases[field[1]]
      given[k], arrays[k] = base.dt, operand(base, n, field[2], field[3])
    end
    cases[i] = { case = kernels.case(ops[row[1]], unpack(given)), arrays = arrays, n = n, want = row[4] }
  end

  it("agree on corner cases", function()
    local list, wrong, compared = {}, {}, 0
    for i, c in ipairs(cases) do list[i] = c.case end
    kernels.compile(list)
    for _, c in ipairs(cases) do
      local case, op = c.case, c.case.op
      local want_type, want = decode(c.want)
      local out, result = kernels.run(case, c.n, unpack(c.arrays)), c.case.result
      assert.equal(want_type.name, result.name, case.name)
      local limit = bounds[op.name]
      if case.x.kind == "int" or case.x.kind == "uint" then limit = nil end
      if case.x.kind == "float" and (op.name == "sign" or op.name == "abs") then limit = nil end
      if case.x.kind == "complex" and op.name == "pow" then limit = complex_pow end
      for i = 0, c.n - 1 do
        local a, b = at(want_type, want, i), at(result, out, i)
        local ok
        if result.kind == "complex" then
          ok = near_complex(a, b, result.name, limit)
        else
          ok = near(a, b, result.name, limit)
        end
        -- NumPy's clip takes either zero for the other; its float16 has its own way from one zero to the other.
        if a == 0 and b == 0 and (op.name == "clip" or op.name == "nextafter") then ok = true end
        compared = compared + 1
        if not ok then
          local values = {}
          for k, array in ipairs(c.arrays) do values[k] = show(at(case.given[k], array, i)) end
          wrong[#wrong + 1] = ("%s(%s) of %s: NumPy %s, here %s"):format(op.name, table.concat(values, ", "),
            case.x.name, show(a), show(b))
          break
        end
      end
    end
    assert.same({}, wrong)
    assert.is_true(compared > 20000, compared)
  end)

  it("agree on the dtypes of results, where the default float is float64", function()
    local names, before = {}, dtype.default_float()
    for name in golden.names:gmatch "%S+" do names[#names + 1] = name end
    dtype.default_float "float64"
    local wrong = {}
    for _, row in ipairs(golden.promotions) do
      local op, a, i = ops[row[1]], dtype.of(row[2]), 0
      for want in row[3]:gmatch "%S+" do
        i = i + 1
        local ok, result = pcall(op.infer, a, dtype.of(names[i]))
        local got = ok and result.name or "error"
        -- Comparisons of complex numbers, and their minimum, are not here.
        if want ~= "-" and got ~= want and not (op.name == "minimum" or op.name == "fmax") then
          wrong[#wrong + 1] = ("%s(%s, %s): NumPy %s, here %s"):format(op.name, a.name, names[i], want, got)
        end
      end
      assert.equal(#names, i)
    end
    dtype.default_float(before)
    assert.same({}, wrong)
  end)
end)
