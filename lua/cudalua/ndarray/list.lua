-- Plain Lua values as the elements of an array: nested tables in one list with their shape, and the dtype that
-- values have by themselves.

local core = require "cudalua.core"
local ffi = require "ffi"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local pace = require "cudalua.base.pace"
local pairs_of = require "cudalua.base.pairs_of"

local floor, refuse = math.floor, layout.refuse
local AT_ONCE = 65536 -- elements between two looks at Ctrl-C

local M = {}

-- The dtype whose elements are like this cdata: float for a `float`.
local function dtype_of_cdata(x) return dtypes._of_c(tostring(ffi.typeof(x)):match "^ctype<(.-)[ &]*>$") end

---The default dtype of plain values. Numbers have a kind but no type: they follow the booleans and cdata
---among them, and are `float` if there is no other.
---@param values any[]
---@param n integer
---@param float cudalua.dtype.DType
---@return cudalua.dtype.DType
function M.dtype_of(values, n, float)
  local dtype, whole, fraction
  for i = 1, n do
    if i % AT_ONCE == 0 then pace(AT_ONCE) end
    local v, own = values[i], nil
    if type(v) == "number" then
      if v == floor(v) and v - v == 0 then whole = true else fraction = true end
    elseif type(v) == "boolean" then
      own = dtypes.bool
    elseif type(v) == "cdata" then
      own = dtype_of_cdata(v)
      if own and own.kind ~= "struct" and element.scalar(v) == nil then own = nil end
    end
    if own then dtype = dtype and dtypes.promote(dtype, own) or own end
  end
  if not dtype then return float end
  if fraction or whole and dtype.kind == "bool" then return dtypes.promote(dtype, float) end
  return dtype
end

-- Objects of this library lock their metatables with a name; other tables with one may be lists.
local function is_table(x) return type(x) == "table" and type(getmetatable(x)) ~= "string" end

-- Is a table one struct? By names, {x = 1}, or by position: {1, 2}, but not {{...}, {...}}, nor {struct, struct}.
local function is_struct(x, struct)
  local first = rawget(x, 1)
  if first == nil then return core.next(x) ~= nil end
  return type(first) ~= "table" and not (type(first) == "cdata" and ffi.istype(struct.ctype, first))
end

-- Why a table is not a list.
local function misfit(t)
  local last = 0
  for key in pairs_of(t) do
    if not layout.whole(key) or key < 1 then
      return ("it has the key %s; write only values, {1, 2, 3}, and pass options in a separate table"):format(
        errors.text(key))
    end
    last = math.max(last, key)
  end
  local hole = 1
  while rawget(t, hole) ~= nil do hole = hole + 1 end
  return ("element %.0f is nil, element %.0f is not; write a value for each, such as 0 / 0 for NaN"):format(hole, last)
end

---The elements of nested tables in C order, and their shape. A value that is not a table is the element of a 0-d array.
---@param what string  for messages
---@param list any
---@param dtype? cudalua.dtype.DType  of the elements: those of structs may be tables
---@return any[] values
---@return integer[] shape
---@return integer n   how many values
---@raise LogicError naming the place if the tables are ragged
function M.flatten(what, list, dtype)
  local struct = dtype and dtype.kind == "struct" and dtype
  local function is_list(x) return is_table(x) and not (struct and is_struct(x, struct)) end
  if type(list) ~= "table" or struct and is_table(list) and is_struct(list, struct) then return { list }, {}, 1 end
  if not is_list(list) then refuse(what, "expected nested lists, got " .. element.describe(list)) end
  local shape, x = {}, list
  while is_list(x) do
    shape[#shape + 1] = #x
    if #shape > layout.MAX_AXES then
      refuse(what, ("the tables are nested more than %d levels deep"):format(layout.MAX_AXES))
    end
    x = rawget(x, 1)
  end
  local values, n, path = {}, 0, {}
  local function complain(depth, text)
    for k = 1, depth do path[k] = ("[%d]"):format(path[k]) end
    refuse(what, (depth > 0 and table.concat(path, "", 1, depth) or "the list") .. " " .. text)
  end
  local function walk(t, depth)
    if not is_list(t) then
      complain(depth, ("is %s; a list of %d was expected"):format(element.describe(t), shape[depth + 1]))
    end
    local extent, keys = shape[depth + 1], 0
    for _ in pairs_of(t) do
      keys = keys + 1
      if keys % AT_ONCE == 0 then pace(AT_ONCE) end
    end
    if keys ~= #t then complain(depth, "is not a list: " .. misfit(t)) end
    if #t ~= extent then complain(depth, ("has %d elements, but others have %d"):format(#t, extent)) end
    depth = depth + 1
    for i = 1, extent do
      local v = rawget(t, i)
      path[depth] = i
      if depth < #shape then
        walk(v, depth)
      else
        if type(v) == "table" and not struct then complain(depth, "is a table; an element was expected") end
        n = n + 1
        values[n] = v
        if n % AT_ONCE == 0 then pace(AT_ONCE) end
      end
    end
  end
  walk(list, 0)
  return values, shape, n
end

return M
