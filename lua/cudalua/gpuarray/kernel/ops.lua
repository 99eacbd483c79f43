-- The element-wise operations as data: name, number of operands, rule for the result's dtype, and CUDA C.
-- `ops.add` is an operation. The rows are in ops/, a file a family.
--
-- Above a row stands its documentation, as a comment of three dashes: what programs read about gpuarray.add(). The
-- usual parameters, results and errors follow from the arity; a row whose are others says so in tags. ./dev generate
-- makes annotations and lists of names of that.
--
-- A row is {name, arity, rule, code, ...}:
--   rule   a function of ops/rules.lua, by name
--   code   from the dtype in which the values are taken to a C expression, or to a function that makes it: by the
--          dtype's name, or by one of the groups that it is in, in this order: "narrow" (integers of 8 and 16 bits),
--          its kind ("int"), "integer" (int and uint), "real" (all but complex), "any". In the expression $1 $2 $3 are
--          the operands' variables, @ is f for types that compute in float, $u is the unsigned type of an integer's
--          size (unsigned int for narrow ones).
--   exact  the types, by name or group, whose expressions need no rounding; true for all
--   values the operand that has the type of the values, if not the first
--   weak   by operand: the name of the dtype of a plain number that stands there, where it is not that of the others
--   no_bool  true where int8 does not stand in for bool
--   math     is it in cudalua.math, too? Where the row does not say, the family does
--   internal true: no function is just this operation; functions.lua or another file has what is made of it
--   sign     what negative operands mean for floats, exactly: "neg": the result is the negative, "odd": f(-x) = -f(x),
--            "product": a negative operand makes the result the negative (codegen.lua)
--   beyond   what becomes of an integer that the integers beside it do not hold (graph.lua): "compare": it has a
--          type of its own, "clip": it bounds nothing; else it is an error

local dtype = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local prelude = require "cudalua.base.prelude"
local rules = require "cudalua.gpuarray.kernel.ops.rules"
local pairs_of = require "cudalua.base.pairs_of"
local sub = require("cudalua.base.tables").sub

---@class cudalua.gpuarray.ops
local M = {}

---An operation. Read only.
---@class cudalua.gpuarray.Op
---@field id integer      1 and up
---@field name string
---@field arity integer   1 to 3
---@field values integer  the operand whose dtype is passed to code()
---@field math boolean   is it in cudalua.math?
---@field beyond? "compare"|"clip"  as in the rows
---@field sign? "neg"|"odd"|"product"  as in the rows
---@field weak table<integer, cudalua.dtype.DType>  what a plain number is as an operand, where not as promotion says
---@field infer fun(a: cudalua.dtype.DType, b?: cudalua.dtype.DType, c?: cudalua.dtype.DType): ...
---@field code fun(x: cudalua.dtype.DType, result?: cudalua.dtype.DType): string, boolean
---@field pieces fun(x: cudalua.dtype.DType): string[]

M.list = {} -- by id

local default_float = dtype.default_float

-- The names under which a row's tables are searched, by dtype.
local groups = {}
for _, x in ipairs(dtype.list) do
  local integer = x.kind == "int" or x.kind == "uint"
  local list = { x.name, x.kind, x.kind == "complex" and "complex" or "real", "any" }
  if integer then table.insert(list, 3, "integer") end
  if integer and x.itemsize < 4 then table.insert(list, 2, "narrow") end
  groups[x] = list
end

local function find(t, x)
  if type(t) ~= "table" then return t end
  for _, name in ipairs(groups[x]) do
    if t[name] ~= nil then return t[name] end
  end
end

local function expand(text, x)
  local float = x.itemsize <= 4 or x.name == "complex64"
  local unsigned = x.itemsize == 8 and "unsigned long long" or "unsigned int"
  return (text:gsub("@", float and "f" or ""):gsub("%$u", unsigned))
end

local function refuse(op, a, b, c)
  local names = {}
  for _, t in ipairs { a, b, c } do names[#names + 1] = t.name end
  local last = table.remove(names)
  local compares = a.kind == "complex" and (" lt le gt ge "):find(" " .. op.name .. " ", 1, true)
  errors.raise("LogicError", ("%s: not defined for %s%s%s"):format(op.name,
    #names > 0 and table.concat(names, ", ") .. " and " or "", last,
    compares and "; compare a:abs(), a:real() or a:imag()" or ""))
end

local Op = {}
Op.__index = Op

-- Is there code for a type?
function Op:has(x) return find(self.row.code, x) ~= nil end

-- ---- infer(): looked up in tables, as it is called for each node of an expression ----------------------------------

local tables = {} -- op -> what was inferred, by the operands' dtypes
local float -- the default float that it was inferred with

local function entry(op, a, b, c)
  if a.kind == "struct" or b and b.kind == "struct" or c and c.kind == "struct" then refuse(op, a, b, c) end
  local result, x, y, z = op.rule(op, a, b, c)
  local value = op.values == 2 and y or x
  if not result or not op:has(value) then refuse(op, a, b, c) end
  return { result, x, op.arity > 1 and y or nil, op.arity > 2 and z or nil }
end

local function reset()
  float = default_float()
  for op in pairs_of(tables) do tables[op] = {} end
end

local infer = {}

infer[1] = function(op)
  return function(a)
    if default_float() ~= float then reset() end
    local t = tables[op]
    local found = t[a]
    if not found then
      found = entry(op, a)
      t[a] = found
    end
    return found[1], found[2]
  end
end

infer[2] = function(op)
  return function(a, b)
    if default_float() ~= float then reset() end
    local t = tables[op]
    local found = t[a]
    found = found and found[b]
    if not found then
      found = entry(op, a, b)
      sub(t, a)[b] = found
    end
    return found[1], found[2], found[3]
  end
end

infer[3] = function(op)
  return function(a, b, c)
    if default_float() ~= float then reset() end
    local t = tables[op]
    local found = t[a]
    found = found and found[b]
    found = found and found[c]
    if not found then
      found = entry(op, a, b, c)
      sub(sub(t, a), b)[c] = found
    end
    return found[1], found[2], found[3], found[4]
  end
end

-- ---- the table --------------------------------------------------------------------------------------------------

-- code(): the C expression for a type of the values, and whether it is exact in the result's type as it is.
local function coder(op, row)
  local texts = {}
  return function(x)
    local text = texts[x]
    if not text then
      text = assert(find(row.code, x), op.name)
      text = expand(type(text) == "function" and text(x) or text, x)
      texts[x] = text
    end
    return text, find(row.exact, x) or false
  end
end

local function piecer(op)
  local lists = {}
  return function(x)
    local list = lists[x]
    if not list then
      list = {}
      for name in pairs_of(prelude.needed((op.code(x)))) do list[#list + 1] = name end
      table.sort(list)
      lists[x] = list
    end
    return list
  end
end

local function add(row, family)
  local rule = rules[row[3]] or error(("kernel/ops: %s has the rule %s, which rules.lua does not define")
    :format(row[1], tostring(row[3])), 0)
  local op = setmetatable({ id = #M.list + 1, name = row[1], arity = row[2], values = row.values or 1,
    weak = {}, beyond = row.beyond, sign = row.sign, rule = rule, row = row }, Op)
  op.math = (row.math == nil and family or row).math or false
  for i, name in pairs_of(row.weak or {}) do op.weak[i] = dtype[name] end
  assert(not M[op.name], op.name)
  tables[op] = {}
  op.infer = infer[op.arity](op)
  op.code = coder(op, row)
  op.pieces = piecer(op)
  M.list[op.id] = op
  M[op.name] = op
end

for _, family in ipairs { "arithmetic", "compare", "bits", "rounding", "math", "complex" } do
  local rows = require("cudalua.gpuarray.kernel.ops." .. family)
  for _, row in ipairs(rows) do add(row, rows) end
end

return M
