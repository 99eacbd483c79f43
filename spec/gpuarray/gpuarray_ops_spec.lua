-- The operations' rows: their CUDA C on corner values and random ones, against references computed here, and against
-- what NumPy computed (data/golden/numpy_ops.lua). Without arrays: spec/support/op_kernels.lua makes kernels of the
-- rows.
if jit then jit.off(true, true) end -- as in spec/support/op_references.lua

local gpu = require "spec.support.gpu"
local kernels = require "spec.support.op_kernels"
local references = require "spec.support.op_references"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local ops = require "cudalua.gpuarray.kernel.ops"
local prelude = require "cudalua.base.prelude"

local N = 1024
local bytes = ffi.typeof "uint8_t *"

local function at(dt, array, i) return dt._load(ffi.cast(bytes, array), i * dt.itemsize) end
local function put(dt, array, i, value) dt._store(ffi.cast(bytes, array), i * dt.itemsize, value) end

-- ---- numbers --------------------------------------------------------------------------------------------------------

local seed = 1
local function random()
  seed = (seed * 16807) % 2147483647
  return seed / 2147483647
end

local formats = { -- digits, least positive number, greatest number
  float16 = { 11, 2 ^ -24, 65504 }, bfloat16 = { 8, 2 ^ -133, (2 - 2 ^ -7) * 2 ^ 127 },
  float32 = { 24, 2 ^ -149, (2 - 2 ^ -23) * 2 ^ 127 }, float64 = { 53, 2 ^ -1074, (2 - 2 ^ -52) * 2 ^ 1023 },
}

local function ulp(name, x)
  local f = formats[name]
  local _, e = math.frexp(x)
  return math.max(2 ^ (e - f[1]), f[2])
end

local float_box = ffi.new "float[1]"
local function to_float(x)
  float_box[0] = x
  return x ~= x and x or float_box[0]
end

local function identity(x) return x end

-- What references want to know of a dtype.
local function traits(dt)
  local part = dt.kind == "complex" and dtype["float" .. 4 * dt.itemsize] or dt
  local box = kernels.array(part, 1)
  local f = formats[part.name]
  return {
    R = part.kind == "float" and part.itemsize < 8 and to_float or identity,
    P = function(x)
      put(part, box, 0, x)
      return at(part, box, 0)
    end,
    bits = 8 * dt.itemsize, wide = part.itemsize == 8, short = part.itemsize == 2,
    digits = f and f[1], least = f and f[2], most = f and f[3],
  }
end

local corners = {}
for name, f in pairs(formats) do
  local tiny = f[2] * 2 ^ (f[1] - 1)
  corners[name] = { 0, -0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -3, 7.25, -10, 0.1, 100, f[3], -f[3], tiny, -tiny, f[2],
    -f[2], 1 - 2 ^ -f[1], 1 + 2 ^ (1 - f[1]), math.huge, -math.huge, 0 / 0 }
end
for _, name in ipairs { "int8", "int16", "int32", "int64" } do
  local high = ffi.cast(name .. "_t", 2ULL ^ (8 * dtype[name].itemsize - 1) - 1)
  corners[name] = { 0, 1, 2, 3, 7, 8, 31, 33, 64, 100, -1, -2, -3, -7, -10, -100, high, -high - 1, high - 1, -high,
    high / 2 + 1, high / 3 }
  corners["u" .. name] = { 0, 1, 2, 3, 7, 8, 31, 33, 64, 100, 127, 128, high, high + 1ULL, high * 2ULL,
    high * 2ULL + 1, high / 3 }
end
corners.bool = { false, true }

local function random_value(dt)
  if dt.kind == "bool" then return random() < 0.5 end
  if dt.kind == "float" then
    local x = random() * 2 - 1
    if random() < 0.4 then return x * 10 end
    return x * 2 ^ ((random() * 2 - 1) * (dt == dtype.float16 and 14 or dt == dtype.float64 and 300 or 60))
  end
  local x = ffi.cast("uint64_t", 0)
  for _ = 1, 5 do x = x * 65536 + math.floor(random() * 65536) end
  if random() < 0.4 then x = x % 13 end
  return ffi.cast(dt.ctype, x)
end

-- Three arrays of a dtype: all pairs of corners (as many as there is room for), then random values.
local made = {}
local function operands(dt)
  if made[dt] then return made[dt] end
  local list, values = {}, corners[dt.name]
  list[1], list[2], list[3] = (kernels.array(dt, N)), (kernels.array(dt, N)), (kernels.array(dt, N))
  if dt.kind == "complex" then
    local part = dtype["float" .. 4 * dt.itemsize]
    local parts = { 0, -0, 1, -2.5, 7.25, formats[part.name][3], math.huge, 0 / 0 }
    for k = 1, 3 do
      for i = 0, N - 1 do
        local j = (i * (2 * k - 1) + 11 * (k - 1)) % 128
        local x, y = parts[j % 8 + 1], parts[math.floor(j / 8) + 1]
        if j >= 64 or i >= 512 then x, y = random() * 6 - 3, random() * 6 - 3 end
        put(part, list[k], 2 * i, x)
        put(part, list[k], 2 * i + 1, y)
      end
    end
  else
    for i = 0, N - 1 do
      local n = #values
      local pair = i < n * n
      put(dt, list[1], i, pair and values[math.floor(i / n) + 1] or random_value(dt))
      put(dt, list[2], i, pair and values[i % n + 1] or random_value(dt))
      put(dt, list[3], i, pair and values[(7 * i + math.floor(i / n)) % n + 1] or random_value(dt))
    end
  end
  made[dt] = list
  return list
end

local orders -- for the integer operands of ldexp, jn and yn
local function integer_operand(op)
  if not orders then
    orders = { ldexp = (kernels.array(dtype.int32, N)), order = (kernels.array(dtype.int32, N)) }
    local scales = { 0, 1, -1, 5, -5, 30, -30, 140, -1000, 2 ^ 31 - 1, -2 ^ 31 }
    for i = 0, N - 1 do
      orders.ldexp[i] = scales[i % #scales + 1]
      orders.order[i] = i % 6
    end
  end
  return op.name == "ldexp" and orders.ldexp or orders.order
end

-- ---- comparison -----------------------------------------------------------------------------------------------------

local same
function same(a, b)
  if type(a) == "cdata" and type(b) == "cdata" and tostring(ffi.typeof(a)):find "complex" then
    return same(a.re, b.re) and same(a.im, b.im)
  end
  if type(a) == "number" and type(b) == "number" then
    if a ~= a or b ~= b then return a ~= a and b ~= b end
    return a == b and (a ~= 0 or 1 / a == 1 / b)
  end
  return a == b
end

local function show(x)
  if type(x) == "number" then return ("%.17g"):format(x) end
  if type(x) == "cdata" and tostring(ffi.typeof(x)):find "complex" then
    return ("(%.17g, %.17g)"):format(x.re, x.im)
  end
  return tostring(x)
end

-- Is `got` within a number of units in the last place of `want`?
local function within(name, want, got, limit, absolute)
  if want == got or want ~= want and got ~= got then return true end
  local most = formats[name][3]
  if math.abs(got) == math.huge then return math.abs(want) > most * (1 - 1e-3) and (want > 0) == (got > 0) end
  if math.abs(want) == math.huge then return false end
  local distance = math.abs(want - got)
  return distance <= limit * ulp(name, want) or distance <= (absolute and absolute[name == "float64" and 2 or 1] or 0)
end

local function complaint(case, i, arrays, want, got)
  local list = {}
  for k, dt in ipairs(case.given) do list[k] = ("%s %s"):format(dt.name, show(at(dt, arrays[k], i))) end
  return ("%s(%s): expected %s, got %s"):format(case.op.name, table.concat(list, ", "), show(want), show(got))
end

local function reference(kind, name)
  return references[kind][name] or
    error(("%s has no reference in the table %s of spec/support/op_references.lua"):format(name, kind), 0)
end

-- What is wrong with the results of a case, if anything.
local checks = {}

function checks.float(case, arrays, out, t)
  local row, dt, result = reference("reals", case.op.name), case.x, case.result
  local f, bound, absolute = row[1], row[2], row[4]
  if dt == dtype.float64 then bound = row[3] elseif bound and dt.itemsize == 2 then bound = 1 end
  local box = kernels.array(result, 1)
  for i = 0, N - 1 do
    local a, b = at(case.given[1], arrays[1], i), case.given[2] and at(case.given[2], arrays[2], i)
    local c = case.given[3] and at(case.given[3], arrays[3], i)
    local want, got = f(a, b, c, t), at(result, out, i)
    if bound then
      if want ~= "any" and not within(dt.name, want, got, bound, absolute) then
        return complaint(case, i, arrays, want, got)
      end
    elseif want ~= "any" then
      put(result, box, 0, want)
      local exact = at(result, box, 0)
      if not same(exact, got) then return complaint(case, i, arrays, exact, got) end
    end
  end
end

local function integer_check(case, arrays, out, t)
  local f = reference("integers", case.op.name)
  local wide = case.x == dtype.uint64 and ffi.typeof "uint64_t" or ffi.typeof "int64_t"
  local result = case.result
  for i = 0, N - 1 do
    local list = {}
    for k = 1, case.op.arity do list[k] = ffi.cast(wide, arrays[k][i]) end
    local want, got = f(list[1], list[2], list[3], t), at(result, out, i)
    if result.kind ~= "bool" then want = ffi.cast(result.ctype, want) end
    if want ~= got then return complaint(case, i, arrays, want, got) end
  end
end
checks.int, checks.uint = integer_check, integer_check

function checks.bool(case, arrays, out)
  local f = reference("bools", case.op.name)
  for i = 0, N - 1 do
    local list = {}
    for k, dt in ipairs(case.given) do list[k] = at(dt, arrays[k], i) end
    local want, got = f(list[1], list[2], list[3]), at(case.result, out, i)
    if want ~= got then return complaint(case, i, arrays, want, got) end
  end
end

local function moderate(z)
  if z.re ~= z.re or z.im ~= z.im then return false end
  local length = math.max(math.abs(z.re), math.abs(z.im))
  return length > 0.01 and length < 20
end

function checks.complex(case, arrays, out, t)
  local exact, result = references.complexes[case.op.name], case.result
  local f = exact or reference("ordinary", case.op.name)
  local part = result.kind == "complex" and dtype["float" .. 4 * result.itemsize] or result
  local box, compared = kernels.array(result, 1), 0
  for i = 0, N - 1 do
    local list = {}
    for k, dt in ipairs(case.given) do list[k] = at(dt, arrays[k], i) end
    if exact then
      local got = at(result, out, i)
      put(result, box, 0, f(list[1], list[2], list[3], t))
      local want = at(result, box, 0)
      local equal = same(want, got)
      if result.kind == "complex" then equal = same(want.re, got.re) and same(want.im, got.im) end
      if not equal then return complaint(case, i, arrays, want, got) end
    elseif moderate(list[1]) and (not list[2] or moderate(list[2])) then
      local want, got = f(list[1], list[2]), at(result, out, i)
      local ok
      local branch_point = result.kind == "complex" and want.re - want.re + want.im - want.im ~= 0
      if branch_point then
        ok = true -- complex_functions_spec has the values
      elseif result.kind == "complex" then
        local limit = 64 * ulp(part.name, math.max(math.abs(want.re), math.abs(want.im)))
        ok = math.abs(want.re - got.re) <= limit and math.abs(want.im - got.im) <= limit
      else
        ok = within(part.name, want, got, 4)
      end
      compared = compared + (branch_point and 0 or 1)
      if not ok then return complaint(case, i, arrays, want, got) end
    end
  end
  if not exact and compared < 100 then return case.op.name .. ": hardly anything was compared" end
end

-- ---- the specs ------------------------------------------------------------------------------------------------------

-- The cases in which an operation takes its values in a dtype, and others in which they are converted first.
local function cases_of(dt)
  local list = {}
  for _, op in ipairs(ops.list) do
    local given = {}
    for i = 1, op.arity do given[i] = op.weak[i] == dtype.int32 and dtype.int32 or dt end
    local ok, _, a, b = pcall(op.infer, unpack(given))
    local x = op.values == 2 and b or a
    local logic = ok and op.name:find "^logical"
    if ok and (x == dt or logic) then
      local case = kernels.case(op, unpack(given))
      if logic then case.x = dt end
      list[#list + 1] = case
    end
  end
  return list
end

local covered = {}

describe("gpuarray operations", function()
  setup(function() gpu.context() end)
  teardown(function() made, orders = {}, nil end)

  for _, dt in ipairs(dtype.list) do
    it(("of %s compute what their references do"):format(dt.name), function()
      local cases, wrong = cases_of(dt), {}
      kernels.compile(cases)
      local arrays, t = operands(dt), traits(dt)
      for _, case in ipairs(cases) do
        local list = { arrays[1], arrays[2], arrays[3] }
        for i = 1, case.op.arity do
          if case.given[i] ~= dt then list[i] = integer_operand(case.op) end
        end
        for i = case.op.arity + 1, 3 do list[i] = nil end
        covered[case.op.name] = true
        wrong[#wrong + 1] = checks[dt.kind](case, list, kernels.run(case, N, unpack(list)), t)
      end
      assert.same({}, wrong)
      assert.is_true(#cases >= (dt.kind == "bool" and 30 or 40), #cases .. " operations")
    end)
  end

  it("were all tried", function()
    for _, op in ipairs(ops.list) do assert.is_true(covered[op.name], op.name) end
    for _, set in pairs(references) do
      for name in pairs(set) do assert.is_table(ops[name], name .. " has a reference and no row") end
    end
  end)

  it("of integers take the default float where a function has floats only", function()
    for _, name in ipairs { "sqrt", "sin", "div", "hypot", "logaddexp", "frexp_exponent", "ldexp", "angle" } do
      local op = ops[name]
      for _, a in ipairs { dtype.bool, dtype.int8, dtype.uint64 } do
        local b = op.arity == 2 and (name == "ldexp" and dtype.int16 or a) or nil
        for _, float in ipairs { "float16", "float64", "float32" } do
          dtype.default_float(float)
          local result, x, y = op.infer(a, b)
          assert.equal(name == "frexp_exponent" and "int32" or float, result.name)
          assert.equal(float, x.name)
          if y then assert.equal(name == "ldexp" and "int32" or float, y.name) end
        end
      end
    end
    local case = kernels.case(ops.sqrt, dtype.int32)
    kernels.compile { case }
    local a = operands(dtype.int32)[1]
    local out = kernels.run(case, N, a)
    for i = 0, N - 1 do assert.is_true(same(to_float(math.sqrt(to_float(a[i]))), at(dtype.float32, out, i)), a[i]) end
  end)

  it("compare signed with unsigned 64-bit integers by their values", function()
    local signed, unsigned = kernels.array(dtype.int64, 6), kernels.array(dtype.uint64, 6)
    for i, v in ipairs { -1, 5, 2LL ^ 62, -2LL ^ 63, 2LL ^ 53 + 1, 0 } do signed[i - 1] = v end
    for i, v in ipairs { -1, 5, 2ULL ^ 62 + 1, 2ULL ^ 63, 2ULL ^ 53, 1 } do unsigned[i - 1] = ffi.cast("int64_t", v) end
    local order = { -1, 0, -1, -1, 1, -1 }
    local results = { lt = { [-1] = true }, le = { [-1] = true, [0] = true }, gt = { true }, ge = { [0] = true, true },
      eq = { [0] = true }, ne = { [-1] = true, true } }
    local cases = {}
    for name in pairs(results) do
      for _, pair in ipairs { { dtype.int64, dtype.uint64 }, { dtype.uint64, dtype.int64 } } do
        cases[#cases + 1] = kernels.case(ops[name], pair[1], pair[2])
        assert.same({ dtype.bool, pair[1], pair[2] }, { ops[name].infer(pair[1], pair[2]) })
      end
    end
    kernels.compile(cases)
    for _, case in ipairs(cases) do
      local first = case.given[1] == dtype.int64
      local out = kernels.run(case, 6, first and signed or unsigned, first and unsigned or signed)
      for i = 1, 6 do
        local want = results[case.op.name][first and order[i] or -order[i]] or false
        assert.equal(want, at(dtype.bool, out, i - 1), case.name .. " " .. i)
      end
    end
  end)

  it("are not there for other types, and the error says so", function()
    local function refused(text, ...) gpu.raises("LogicError", text, ...) end
    refused("bitwise_and: not defined for float32 and int8", ops.bitwise_and.infer, dtype.float32, dtype.int8)
    refused("sub: not defined for bool and bool", ops.sub.infer, dtype.bool, dtype.bool)
    refused("neg: not defined for bool", ops.neg.infer, dtype.bool)
    refused("lt: not defined for complex64 and int8", ops.lt.infer, dtype.complex64, dtype.int8)
    refused("clip: not defined for complex64, float32 and int8", ops.clip.infer, dtype.complex64, dtype.float32,
      dtype.int8)
    refused("ldexp: not defined for float32 and complex64", ops.ldexp.infer, dtype.float32, dtype.complex64)
    refused("complex: not defined for complex64 and float32", ops.complex.infer, dtype.complex64, dtype.float32)
    refused("left_shift: not defined for int64 and uint64", ops.left_shift.infer, dtype.int64, dtype.uint64)
    refused("if_positive: not defined for complex64, int8 and int8", ops.if_positive.infer, dtype.complex64, dtype.int8,
      dtype.int8)
    local struct = dtype.struct { { "x", "float32" } }
    for _, op in ipairs(ops.list) do
      refused(op.name .. ": not defined for", op.infer, struct, op.arity > 1 and dtype.int8 or nil,
        op.arity > 2 and dtype.int8 or nil)
    end
    -- A refusal is not remembered as an answer.
    refused("neg: not defined for bool", ops.neg.infer, dtype.bool)
    assert.equal(dtype.int8, (ops.neg.infer(dtype.int8)))
  end)

  it("have ids without gaps, and choose between values whatever the condition's type", function()
    for i, op in ipairs(ops.list) do
      assert.equal(i, op.id)
      assert.equal(op, ops[op.name])
      assert.is_true(op.arity >= 1 and op.arity <= 3)
    end
    assert.same({ dtype.float32, dtype.bool, dtype.float32, dtype.float32 },
      { ops.where.infer(dtype.complex64, dtype.int8, dtype.float32) })
    assert.same({ dtype.int16, dtype.float64, dtype.int16, dtype.int16 },
      { ops.if_positive.infer(dtype.float64, dtype.int8, dtype.uint8) })
  end)
end)

-- ---- conversions ----------------------------------------------------------------------------------------------------

ffi.cdef "float strtof(const char *, char **); double strtod(const char *, char **);"

local function text(x) return type(x) == "number" and ("%.17g"):format(x) or (tostring(x):gsub("U?LL$", "")) end

-- An integer as a double that rounds to 8 bits as the integer does: what does not fit becomes one last bit.
local function sticky(x)
  if type(x) == "number" then return x end
  local low = x % 4096
  local n = tonumber(x - low)
  return low == 0 and n or n + 2048
end

-- What a value becomes.
local function converted(x, from, to)
  if from.kind == "complex" then
    if to.kind == "complex" then return x end
    if to.kind == "bool" then return x.re ~= 0 or x.im ~= 0 end
    x = x.re
  end
  if to.kind == "bool" then
    if from.kind == "bool" then return x end
    return x ~= 0
  end
  if from.kind == "bool" then x = x and 1 or 0 end
  if to.kind == "int" or to.kind == "uint" then
    if from.kind == "int" or from.kind == "uint" then return ffi.cast(to.ctype, ffi.cast("int64_t", x)) end
    if x ~= x then return 0 end
    local bits, signed = 8 * to.itemsize, to.kind == "int"
    local above = 2 ^ (signed and bits - 1 or bits)
    local lowest = signed and -above or 0
    x = x < 0 and math.ceil(x) or math.floor(x)
    if x >= above then return ffi.cast(to.ctype, signed and 2ULL ^ (bits - 1) - 1 or -1LL) end
    return ffi.cast(to.ctype, math.max(x, lowest))
  end
  if from.kind == "int" or from.kind == "uint" then
    if to.itemsize == 2 then return sticky(x) end
    if to == dtype.float32 or to == dtype.complex64 then return tonumber(ffi.C.strtof(text(x), nil)) end
    return ffi.C.strtod(text(x), nil)
  end
  return x
end

describe("gpuarray conversions", function()
  setup(function() gpu.context() end)

  for _, from in ipairs(dtype.list) do
    it(("of %s to all dtypes wrap, truncate or round once"):format(from.name), function()
      local cases, a, wrong = {}, operands(from)[2], {}
      for i, to in ipairs(dtype.list) do cases[i] = kernels.conversion(from, to) end
      kernels.compile(cases)
      for _, case in ipairs(cases) do
        local to, out, failed = case.result, kernels.run(case, N, a), false
        local box = kernels.array(to, 1)
        for i = 0, N - 1 do
          local x, got = at(from, a, i), at(to, out, i)
          put(to, box, 0, converted(x, from, to))
          local want = at(to, box, 0)
          local equal = same(want, got)
          if to.kind == "complex" then equal = same(want.re, got.re) and same(want.im, got.im) end
          if not equal and not failed then
            failed = true
            wrong[#wrong + 1] = ("%s %s to %s: expected %s, got %s"):format(from.name, show(x), to.name, show(want),
              show(got))
          end
        end
      end
      assert.same({}, wrong)
    end)
  end
end)

-- ---- pieces ---------------------------------------------------------------------------------------------------------

describe("gpuarray prelude", function()
  it("has each piece once, after those that it needs", function()
    local whole = {}
    for _, name in ipairs(prelude.names()) do whole[name] = true end
    local all = prelude.text(whole)
    for _, name in ipairs(prelude.names()) do
      local one = prelude.text { [name] = true }
      local first = one:match "[^\n]+":gsub("%p", "%%%0")
      assert.equal(1, select(2, all:gsub(first, "")), name)
      for called in one:gmatch "%f[%w_]cl_[%w_]+" do
        assert.is_truthy(one:find("[%w>*]%s" .. called .. "%(") or one:find("struct " .. called),
          name .. ": " .. called)
      end
    end
    assert.equal("", prelude.text {})
    assert.equal(prelude.text { complex = true, complex_exp = true }, prelude.text { complex_exp = true })
    gpu.context()
    gpu.cuda.SourceModule(all .. '\nextern "C" __global__ void k() {}\n', { no_extern_c = true }):get_function "k"
  end)

  it("knows the functions of each piece", function()
    for _, op in ipairs(ops.list) do
      for _, x in ipairs(dtype.list) do
        if op:has(x) then
          local pieces = {}
          for _, name in ipairs(op.pieces(x)) do pieces[name] = true end
          for _, name in ipairs(x.itemsize == 2 and { "half", "bfloat16" } or {}) do pieces[name] = true end
          local source = prelude.text(pieces)
          for called in op.code(x):gmatch "cl_[%w_]+" do
            assert.is_truthy(source:find("[%w>*] " .. called .. "%("), op.name .. ": " .. called)
          end
        end
      end
    end
  end)
end)
