-- What is computed for each element by itself: operators and methods of distributed arrays. They are those of the
-- blocks, whose expressions wait as those of any array.

local blocks = require "cudalua.distributed.array.blocks"
local cut = require("cudalua.distributed.array.pieces").cut
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local pairs_of = require "cudalua.base.pairs_of"
local sharded = require "cudalua.distributed.array.sharded"

local refuse = layout.refuse

local M = {}

-- ---- operands -------------------------------------------------------------------------------------------------------

local function refuse_axes(what, a, b)
  local remedy = "call redistribute(axis) on one of them"
  if a._axis == b._axis then
    remedy = "axes are counted from the last one, so these are not the same; call redistribute() on the one with fewer "
      .. "axes, which every rank then has as a whole"
  elseif #a._shape == #b._shape then
    remedy = ("call redistribute(%d) on the second one"):format(a._axis)
  end
  refuse(what, "the arrays are divided along different axes: %s and %s; %s", sharded.describe(a), sharded.describe(b),
    remedy)
end

---How the result of several arrays is divided.
---@class cudalua.distributed.Joined
---@field group cudalua.distributed.Group
---@field shape integer[]
---@field axis? integer
---@field from_end? integer  the divided axis, counted from the last one, which is 0

---@param what string
---@param list cudalua.distributed.Array[]
---@return cudalua.distributed.Joined
---@raise LogicError if the arrays cannot be operands of one operation
function M.join(what, list)
  local group, shape, divided, from_end = list[1]._group, list[1]._shape, nil, nil
  for k, x in ipairs(list) do
    if x._group ~= group then refuse(what, "the arrays belong to different groups of ranks") end
    if k > 1 and not layout.same(shape, x._shape) then shape = layout.broadcast(what, shape, x._shape) end
    if x._axis then
      local own = #x._shape - x._axis
      if divided and own ~= from_end then refuse_axes(what, divided, x) end
      divided, from_end = divided or x, own
    end
  end
  sharded.check_group(what, group)
  local axis = divided and #shape - from_end or nil
  for _, x in ipairs(list) do
    if x._axis and x._shape[x._axis] ~= shape[axis] then
      refuse(what, "an axis of extent 1 that is divided cannot be broadcast: %s to %s; call redistribute() on that "
        .. "array", sharded.describe(x), layout.text(shape))
    end
  end
  return { group = group, shape = shape, axis = axis, from_end = from_end }
end

---The elements of an operand that belong to this rank's block of the result.
---@param x cudalua.distributed.Array
---@param to cudalua.distributed.Joined
---@return cudalua.gpuarray.Array
function M.operand(x, to)
  local block = x._block
  if x._axis or not to.axis then return block end
  local k = #x._shape - to.from_end
  if k < 1 or x._shape[k] == 1 then return block end
  return cut(block, k, blocks.of(to.shape[to.axis], to.group.size, to.group.rank))
end

-- ---- calls ----------------------------------------------------------------------------------------------------------

local function wrapped(to, n, ...)
  if n == 0 then return end
  local x = (...)
  if object.is_array(x) then x = sharded.new(to.group, x, to.shape, to.axis) end
  if n == 1 then return x end
  return x, wrapped(to, n - 1, select(2, ...))
end

local function results(to, out, ...)
  if out then return out end
  return wrapped(to, select("#", ...), ...)
end

local function no_plain_array(what, x)
  refuse(what, "%s cannot be combined with a distributed array, as it may differ between ranks; call "
    .. "cuda.distributed.replicate(a) or shard(a, axis)", element.describe(x))
end

-- Options with a distributed array as `out`: with its block in its place, and that array.
local function with_out(options)
  if type(options) ~= "table" or debug.getmetatable(options) or not sharded.is(rawget(options, "out")) then
    return options, nil
  end
  local own = {}
  for key, value in pairs_of(options) do own[key] = value end
  own.out = options.out._block
  return own, options.out
end

-- Calls a function of arrays with the blocks of distributed arrays.
local function apply(what, f, n, ...)
  local given, list, out = { ... }, {}, nil
  if n > 1 then given[n], out = with_out(given[n]) end
  for k = 1, n do
    local x = given[k]
    if sharded.is(x) then
      list[#list + 1] = x
    elseif object.is_array(x) or ndarray.is_array(x) then
      no_plain_array(what, x)
    end
  end
  if #list == 0 then refuse(what, "expected a distributed array, got %s", element.describe((...))) end
  local to = M.join(what, list)
  if out and (out._axis ~= to.axis or out._group ~= to.group) then
    refuse(what, "out is %s, but the result is divided along %s", sharded.describe(out),
      to.axis and "axis " .. to.axis or "no axis")
  end
  for k = 1, n do
    if sharded.is(given[k]) then given[k] = M.operand(given[k], to) end
  end
  return results(to, out, f(unpack(given, 1, n)))
end

for name, f in pairs_of(functions.functions) do
  sharded.elementwise[name] = function(...) return apply(name, f, select("#", ...), ...) end
end
sharded.elementwise.conjugate = sharded.elementwise.conj

for _, name in ipairs { "iadd", "isub", "imul", "idiv", "imod", "ipow", "ifloordiv" } do
  sharded.elementwise[name] = function(self, b)
    sharded.check_self(self, name)
    local list = { self }
    if sharded.is(b) then
      list[2] = b
    elseif object.is_array(b) or ndarray.is_array(b) then
      no_plain_array(name, b)
    end
    local to = M.join(name, list)
    if to.axis ~= self._axis then
      refuse(name, "%s cannot be stored in %s; call redistribute() on one of them", sharded.describe(b),
        sharded.describe(self))
    end
    self._block[name](self._block, list[2] and M.operand(b, to) or b)
    return self
  end
end

local mt, all = sharded.mt, functions.functions
for metamethod, name in pairs_of { __add = "add", __sub = "sub", __mul = "mul", __div = "div", __mod = "mod",
  __pow = "pow" } do
  local f = all[name]
  mt[metamethod] = function(a, b) return apply(name, f, 2, a, b) end
end
function mt.__unm(a) return apply("neg", all.neg, 1, a) end

local function no_order()
  errors.raise("LogicError", "distributed.Array: Lua's <, <=, > and >= cannot compare arrays; a:lt(b), a:le(b), "
    .. "a:gt(b) and a:ge(b) compare element by element")
end
mt.__lt, mt.__le = no_order, no_order

return M
