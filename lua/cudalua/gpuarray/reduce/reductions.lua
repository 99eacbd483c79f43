-- The reductions as data: the dtypes of each, how it combines two values, and how it finishes the result.
--
-- Each is a function of gpuarray and a method. Above a row stands its documentation, as a comment of three dashes; the
-- parameters, results and errors follow from the rule. ./dev generate makes annotations and lists of names of that.
--
-- A row is {name, rule, combine, ...}:
--   rule     from the elements' dtype, and the one that the caller asks for, to those of the computation (below)
--   combine  from the type that is computed in to the CUDA C that makes one value of two: by the dtype's name, its
--            kind, or "integer", "real", "any". In it $1 and $2 are variables; @ is f for types that compute in float.
--            Any order of combinations has to do; it is fixed where the result shows it.
--   neutral  the same for the value that changes no other one, also no zero's sign and no NaN
--   finish   the same for the result, of $1, combined, and $n, how many elements there were, a double; and its dtype
--   of_bool  the row that does the same for bool
--   empty    the result for no elements at all; without it, there is none
--   position true: the result is where the value is, counted from 1; combine says whether $2 is the better one of
--            two values, and of equally good ones the first one is taken; none = true: it is 0 if that is a NaN
--
-- A rule gives the result's dtype, and then those that an element is converted to, one after the other; the last one
-- is computed in. It gives nothing where the reduction is not defined.

local dtype = require "cudalua.dtype"
local pairs_of = require "cudalua.base.pairs_of"
local sub = require("cudalua.base.tables").sub

local M = {}

local int32, uint32, int64, uint64 = dtype.int32, dtype.uint32, dtype.int64, dtype.uint64
local float32, float64, bool = dtype.float32, dtype.float64, dtype.bool

-- ---- rules ----------------------------------------------------------------------------------------------------------

-- Short floats are added up as float32, integers in 64 bits.
local function wide(t)
  if t.kind == "float" then return t.itemsize == 2 and float32 or t end
  if t.kind == "complex" then return t end
  return t.kind == "uint" and uint64 or int64
end

local rules = {}

function rules.sum(t, asked)
  if asked == nil then
    local w = wide(t)
    return (t.kind == "float" or t.kind == "complex") and t or w, w
  end
  if asked == bool or asked.kind == "struct" then return nil end
  return asked, asked, wide(asked)
end

-- Integers that a sum of 64 bits holds are added up exactly.
function rules.mean(t, asked)
  if asked ~= nil and asked.kind ~= "float" and asked.kind ~= "complex" then return nil end
  if t.kind == "float" or t.kind == "complex" then
    asked = asked or t
    return asked, asked, wide(asked)
  end
  return asked or dtype.default_float(), t.itemsize == 8 and float64 or int64
end

-- As large as a register at least, so that threads can hand it to each other.
function rules.select(t)
  if t.kind == "complex" then return nil end
  if t.itemsize >= 4 then return t, t end
  return t, t, t.kind == "float" and float32 or t.kind == "uint" and uint32 or int32
end

function rules.position(t)
  if t.kind == "complex" then return nil end
  return int64, select(2, rules.select(t))
end

function rules.truth() return bool, bool, int32 end

function rules.count() return int64, bool, int64 end

-- ---- expressions ----------------------------------------------------------------------------------------------------

local add = { integer = "$1 + $2", float = "$1 + $2", complex = "cl_add($1, $2)" }
-- Signed integers wrap as unsigned ones do.
add.int64 = "(long long)((unsigned long long)$1 + (unsigned long long)$2)"

-- 0 would turn -0 into 0.
local zero = { integer = "0", float = "-0.0@", complex64 = "make_float2(-0.0f, -0.0f)",
  complex128 = "make_double2(-0.0, -0.0)" }

local lowest = { int32 = "(-2147483647 - 1)", uint32 = "0u", int64 = "(-9223372036854775807ll - 1)", uint64 = "0ull",
  float32 = "__int_as_float(0xff800000)", float64 = "__longlong_as_double(0xfff0000000000000ll)" }
local highest = { int32 = "2147483647", uint32 = "4294967295u", int64 = "9223372036854775807ll",
  uint64 = "18446744073709551615ull", float32 = "__int_as_float(0x7f800000)",
  float64 = "__longlong_as_double(0x7ff0000000000000ll)" }

-- NaN wins; -0 is less than 0. `first`: of equal values, is $1 taken for its sign?
local function extremum(name, symbol, first)
  return { integer = ("$1 %s $2 ? $1 : $2"):format(symbol),
    float32 = ("cl_%s_nan($1, $2)"):format(name),
    float64 = ("$1 != $1 || $1 %s $2 || $1 == $2 && __double2hiint($1) %s 0 ? $1 : $2"):format(symbol, first) }
end

-- Is $2 the better one, and nothing else but the first NaN?
local function better(symbol)
  return { integer = ("$2 %s $1"):format(symbol), float = ("$1 == $1 && ($2 != $2 || $2 %s $1)"):format(symbol) }
end

-- The same where a NaN is nothing at all: it is the neutral value.
local function number(name, symbol, first)
  return { integer = ("$1 %s $2 ? $1 : $2"):format(symbol), float32 = ("f%sf($1, $2)"):format(name),
    float64 = ("$2 != $2 || $1 %s $2 || $1 == $2 && __double2hiint($1) %s 0 ? $1 : $2"):format(symbol, first) }
end

local function better_number(symbol, not_better)
  return { integer = ("$2 %s $1"):format(symbol), float = ("$2 == $2 && !($1 %s $2)"):format(not_better) }
end

local function or_nan(values)
  local list = { float32 = "__int_as_float(0x7fffffff)", float64 = "__longlong_as_double(0x7fffffffffffffffll)" }
  for name, text in pairs_of(values) do list[name] = list[name] or text end
  return list
end

M.list = {
  ---The sum of the elements: integers are summed in 64 bits, float16 and bfloat16 as float32, rounded once. 0 for an
  ---array without elements.
  { "sum", "sum", add, neutral = zero, empty = 0 },
  ---The product of the elements, computed in the types of sum(). 1 for an array without elements.
  { "prod", "sum", {
    int64 = "(long long)((unsigned long long)$1 * (unsigned long long)$2)", uint64 = "$1 * $2", float = "$1 * $2",
    -- 1 times infinity has a NaN in it.
    complex = "$2.x == 1 && $2.y == 0 ? $1 : $1.x == 1 && $1.y == 0 ? $2 : cl_mul($1, $2)",
  }, neutral = { real = "1", complex64 = "make_float2(1, 0)", complex128 = "make_double2(1, 0)" }, empty = 1 },
  ---The mean of the elements; integers give the default float. NaN for an array without elements.
  { "mean", "mean", add, neutral = zero, empty = 0 / 0, finish = {
    int64 = "(double)$1 / $n", float32 = "$1 / (float)$n", float64 = "$1 / $n",
    complex64 = "make_float2($1.x / (float)$n, $1.y / (float)$n)", complex128 = "make_double2($1.x / $n, $1.y / $n)",
  }, finished = { int64 = float64 } },
  ---The smallest element; NaN if an element is NaN.
  { "min", "select", extremum("min", "<", "<"), neutral = highest, of_bool = "all" },
  ---The largest element; NaN if an element is NaN.
  { "max", "select", extremum("max", ">", ">="), neutral = lowest, of_bool = "any" },
  ---The position of the smallest element, from 1, or of the first NaN. Of several equal elements, the first one counts.
  ---Without an axis, positions count all elements in C order.
  { "argmin", "position", better "<", neutral = highest, position = true },
  ---The position of the largest element, from 1, or of the first NaN. Of several equal elements, the first one counts.
  ---Without an axis, positions count all elements in C order.
  { "argmax", "position", better ">", neutral = lowest, position = true },
  ---The smallest element that is not NaN; NaN if all are.
  { "nanmin", "select", number("min", "<", "<"), neutral = or_nan(highest), of_bool = "all" },
  ---The largest element that is not NaN; NaN if all are.
  { "nanmax", "select", number("max", ">", ">="), neutral = or_nan(lowest), of_bool = "any" },
  ---The position of the smallest element that is not NaN, from 1; of several, the first one. 0 if all are NaN.
  { "nanargmin", "position", better_number("<", "<="), neutral = or_nan(highest), position = true, none = true },
  ---The position of the largest element that is not NaN, from 1; of several, the first one. 0 if all are NaN.
  { "nanargmax", "position", better_number(">", ">="), neutral = or_nan(lowest), position = true, none = true },
  ---Tests whether any element is not 0; NaN counts as not 0. False for an array without elements.
  { "any", "truth", { any = "$1 | $2" }, neutral = { any = "0" }, empty = false },
  ---Tests whether all elements are not 0; NaN counts as not 0. True for an array without elements.
  { "all", "truth", { any = "$1 & $2" }, neutral = { any = "1" }, empty = true },
  ---The number of elements that are not 0, as int64.
  { "count_nonzero", "count", add, neutral = zero, empty = 0 },
}

-- ---- looking up -----------------------------------------------------------------------------------------------------

local function find(t, x)
  local integer = x.kind == "int" or x.kind == "uint"
  local text = t[x.name] or t[x.kind] or integer and t.integer or x.kind ~= "complex" and t.real or t.any
  return text and (text:gsub("@", x.itemsize == 4 and "f" or ""))
end

local kinds = {} -- row -> element dtype -> result dtype -> kind

---A reduction of one dtype.
---@class cudalua.gpuarray.ReductionKind
---@field row table
---@field through cudalua.dtype.DType[]  what an element is converted to, one after the other
---@field acc cudalua.dtype.DType        the last of them
---@field values cudalua.dtype.DType[]   as `through`, for kernels that know `narrow`
---@field result cudalua.dtype.DType
---@field combine string
---@field neutral string
---@field finish? string
---@field finished cudalua.dtype.DType   of `finish`
---@field tree boolean                   the order of combinations is seen in the result: reduce.cu fixes it
---@field ordered boolean                the order of elements is seen in it
---@field moments? cudalua.gpuarray.Moments  it is a variance in one pass
---@field divides? boolean               `finish` divides by what the caller gives as the count
---@field narrow boolean                 a thread may add up its elements in 32 bits

-- Sums of short integers, of which a thread sees some hundreds, fit into 32 bits.
local function is_narrow(row, t, through)
  if row.combine ~= add or through[#through] ~= int64 and through[#through] ~= uint64 then return false end
  local from = through[#through - 1] or t
  return (from.kind == "bool" or from.kind == "int" or from.kind == "uint") and from.itemsize <= 2
end

local function make(row, t, result, ...)
  if not result then return nil end
  local through, last = {}, nil
  for _, x in ipairs { ... } do
    if x ~= last then through[#through + 1] = x end
    last = x
  end
  local narrow = is_narrow(row, t, through)
  local values = { unpack(through) }
  if narrow then values[#values] = int32 end
  local tree = (row.rule == rules.sum and (last.kind == "float" or last.kind == "complex")
    or row.rule == rules.mean and last ~= int64) and true or false
  return { row = row, through = through, values = values, acc = last, result = result,
    combine = find(row.combine, last), neutral = find(row.neutral, last),
    finish = row.finish and find(row.finish, last),
    finished = row.finished and row.finished[last.name] or last, kind = "end", class = "reduction",
    tree = tree, narrow = narrow, ordered = tree or row.position or false }
end

---@param row table
---@param t cudalua.dtype.DType       of the elements
---@param asked? cudalua.dtype.DType  for the result
---@return cudalua.gpuarray.ReductionKind?  the same object each time; nil: none
function M.kind(row, t, asked)
  -- The default float decides about some.
  if t == bool and row.of_bool then row = M[row.of_bool] end
  local known = sub(sub(sub(kinds, row), t), asked or dtype.default_float())
  local key = asked and "asked" or "own"
  local k = known[key]
  if k == nil then
    k = make(row, t, row.rule(t, asked)) or false
    known[key] = k
  end
  return k or nil
end

for _, r in ipairs(M.list) do
  r.name, r.rule, r.combine = r[1], assert(rules[r[2]]), r[3]
  r.dtype = r.rule == rules.sum or r.rule == rules.mean -- the caller may ask for one
  M[r.name] = r
end

return M
