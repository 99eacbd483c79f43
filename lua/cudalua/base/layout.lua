-- Shapes, strides and indices of arrays, apart from any memory: plain lists of numbers, strides in bytes.
-- The grammar of indices is here: axes and positions from 1, negative ones from the end, ranges inclusive.

local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local pairs_of = require "cudalua.base.pairs_of"

local abs, floor = math.abs, math.floor
local LIMIT = 2 ^ 53 -- bytes; up to here numbers are exact

local M = {}

---The most axes that an array has.
M.MAX_AXES = 64

---Stands in an index for a new axis of extent 1.
M.newaxis = setmetatable({}, { __tostring = function() return "newaxis" end, __metatable = "cudalua.newaxis",
  __newindex = function() errors.raise("LogicError", "newaxis: it is read-only") end })

local function refuse(what, text, ...)
  errors.raise("LogicError", what .. ": " .. (select("#", ...) > 0 and text:format(...) or text))
end
M.refuse = refuse

local flags = { __tostring = function(self)
  local list = {}
  for _, name in ipairs { "c_contiguous", "f_contiguous", "forc" } do
    local value = rawget(self, name)
    if value ~= nil then list[#list + 1] = ("%s = %s"):format(name, tostring(value)) end
  end
  return "{ " .. table.concat(list, ", ") .. " }"
end }

---The flags of an array, which print as text.
---@param t table<string, boolean>
---@return table<string, boolean> t
function M.flags(t) return setmetatable(t, flags) end

---An option that is true or false.
---@param what string     function, for an error
---@param options table
---@param name string
---@return boolean  false by default
---@raise LogicError for other values
function M.flag(what, options, name)
  local x = options[name]
  if x ~= nil and type(x) ~= "boolean" then
    refuse(what, "%s must be true or false, got %s", name, element.describe(x))
  end
  return x or false
end

---An integer that a Lua number holds exactly, also from 5LL; nil for anything else.
---@param x any
---@return integer?
function M.whole(x)
  if type(x) == "cdata" then x = host.plain_number(x) end
  if type(x) == "number" and x == floor(x) and x >= -LIMIT and x <= LIMIT then return x + 0 end -- no -0
end
local whole = M.whole

---A shape as people read it: (3, 4).
---@param shape integer[]
---@return string
function M.text(shape)
  local parts = {}
  for i, extent in ipairs(shape) do parts[i] = ("%.0f"):format(extent) end
  return "(" .. table.concat(parts, ", ") .. (#parts == 1 and ",)" or ")")
end

---@param a integer[]
---@param b integer[]
---@return boolean
function M.same(a, b)
  if #a ~= #b then return false end
  for k = 1, #a do
    if a[k] ~= b[k] then return false end
  end
  return true
end

local list_mt = {}

function list_mt.__tostring(list) return M.text(list) end

function list_mt.__eq(a, b) return M.same(a, b) end

function list_mt.__concat(a, b) return tostring(a) .. tostring(b) end

---A shape or strides as programs get them: a list that prints as (3, 4) and equals another one with the same numbers.
---In all else it is a plain list.
---@param list integer[]  given away
---@return integer[]
function M.shown(list) return setmetatable(list, list_mt) end

local integers_from = { [-1] = "a non-negative integer or -1", [0] = "a non-negative integer",
  [1] = "a positive integer" }

---For messages: gpuarray:zeros(3), where the module came as the first argument.
---@param what string  "gpuarray.zeros"
---@param x any        the first argument
---@return string
function M.dot(what, x)
  local module = what:match "^(%a+)%."
  if not module or x == nil or x ~= package.loaded["cudalua." .. module] then return "" end
  return ("; call it with a dot: %s(...)"):format(what)
end

---A list of integers, copied.
---@param what string   for messages
---@param name string   what the list is: "ends"
---@param list any      a table, or one number for a list of one
---@param lowest integer
---@param most? integer  entries: of lists with one for each axis; default: any number
---@return integer[]
function M.integers(what, name, list, lowest, most)
  if type(list) ~= "table" then
    local n = whole(list)
    if not n then
      local dtype = name == "axes" and hooks.dtype_of(list)
      refuse(what, "%s must be an integer or a list of integers, got %s%s", name, element.describe(list),
        dtype and ("; pass a dtype as an option: { dtype = %q }"):format(dtype.name) or "")
    end
    list = { n }
    if n >= lowest then return list end
  elseif type(getmetatable(list)) == "string" then
    refuse(what, "%s must be an integer or a list of integers, got %s", name, element.describe(list))
  end
  local n = #list
  if most and n > most then refuse(what, "%s has %d entries; an array has at most %d axes", name, n, most) end
  for key in pairs_of(list) do
    if type(key) ~= "number" or key < 1 or key > n or key ~= floor(key) then
      refuse(what, "%s must be a list, but it has the field %s%s", name, errors.text(key), M.dot(what, list))
    end
  end
  local out = {}
  for i = 1, n do
    local x = whole(list[i])
    if not x or x < lowest then
      refuse(what, "%s[%d] must be %s, got %s", name, i, integers_from[lowest] or "an integer",
        element.describe(list[i]))
    end
    out[i] = x
  end
  return out
end

---A list of integers with an entry for each axis, copied: a shape, strides, axes.
---@param what string   for messages
---@param name string   what the list is: "shape"
---@param list any      a table, or one number for a list of one
---@param lowest integer
---@return integer[]
function M.numbers(what, name, list, lowest) return M.integers(what, name, list, lowest, M.MAX_AXES) end

---How many elements a checked shape has.
---@param what string
---@param shape integer[]
---@param itemsize integer
---@return integer size
---@raise LogicError if its bytes are beyond 2^53
function M.size(what, shape, itemsize)
  local size, bytes = 1, itemsize
  for _, extent in ipairs(shape) do
    size = size * extent
    bytes = bytes * math.max(extent, 1) -- so that the strides of an empty array are exact, too
  end
  if bytes > LIMIT then refuse(what, "the shape %s has too many elements", M.text(shape)) end
  return size
end

---Strides of an array without gaps.
---@param shape integer[]
---@param itemsize integer
---@param order "C"|"F"  C: the last axis is dense; F: the first one
---@return integer[]
function M.dense_strides(shape, itemsize, order)
  local strides, step, n = {}, itemsize, #shape
  for k = 1, n do
    local axis = order == "F" and k or n + 1 - k
    strides[axis] = step
    step = step * math.max(shape[axis], 1)
  end
  return strides
end

---Axes in the order in which they lie in memory, the one with the largest steps first.
---@param strides integer[]
---@return integer[]
function M.memory_order(strides)
  local axes, ordered = {}, true
  for k = 1, #strides do
    axes[k] = k
    ordered = ordered and (k == 1 or abs(strides[k]) <= abs(strides[k - 1]))
  end
  if ordered then return axes end -- as usual
  table.sort(axes, function(a, b)
    local sa, sb = abs(strides[a]), abs(strides[b])
    if sa == sb then return a < b end
    return sa > sb
  end)
  return axes
end

---Strides of an array without gaps whose axes lie in the order of another one's, as NumPy's order "K".
---@param shape integer[]
---@param strides integer[]  of the other one
---@param itemsize integer
---@return integer[]
function M.kept_strides(shape, strides, itemsize)
  local axes, out, step = M.memory_order(strides), {}, itemsize
  for k = #axes, 1, -1 do
    out[axes[k]] = step
    step = step * math.max(shape[axes[k]], 1)
  end
  return out
end

---Do two elements of an array share bytes? True also for some unusual strides with which none do.
---@param shape integer[]
---@param strides integer[]
---@param itemsize integer
---@return boolean
function M.repeats(shape, strides, itemsize)
  local axes, reach = M.memory_order(strides), itemsize
  for k = 1, #shape do
    if shape[k] == 0 then return false end
    if shape[k] > 1 and strides[k] == 0 then return true end
  end
  for k = #axes, 1, -1 do
    local axis = axes[k]
    if shape[axis] > 1 then
      local step = abs(strides[axis])
      if step < reach then return true end
      reach = reach + step * (shape[axis] - 1)
    end
  end
  return false
end

---Does an array have no gaps, in one order or the other? Strides of axes with one element do not matter, and an
---empty array is dense in both.
---@param shape integer[]
---@param strides integer[]
---@param itemsize integer
---@return boolean c
---@return boolean f
function M.density(shape, strides, itemsize)
  local n = #shape
  local c, f, c_step, f_step = true, true, itemsize, itemsize
  for k = 1, n do
    if shape[k] == 0 then return true, true end
  end
  for k = 1, n do
    local last = n + 1 - k
    if shape[last] > 1 and strides[last] ~= c_step then c = false end
    if shape[k] > 1 and strides[k] ~= f_step then f = false end
    c_step, f_step = c_step * shape[last], f_step * shape[k]
  end
  return c, f
end

-- ---- indices ------------------------------------------------------------------------------------------------

---A position on an axis, from 1; raises if it is out of range.
---@param what string
---@param axis integer  for messages
---@param i any
---@param n integer     extent
---@return integer
function M.position(what, axis, i, n)
  local x = whole(i)
  if not x then refuse(what, "index %d must be an integer, got %s", axis, element.describe(i)) end
  local at = x < 0 and n + 1 + x or x
  if at < 1 or at > n then
    refuse(what, "index %.0f of axis %d is out of range; the axis has %.0f element%s%s", x, axis, n,
      n == 1 and "" or "s", x == 0 and "; indices start at 1" or "")
  end
  return at
end

-- {}, {i}, {lo, hi}, {lo, hi, step}: the first position, how many, and the step.
local function range(what, axis, item, n)
  local count = #item
  for key in pairs_of(item) do
    if count > 3 or type(key) ~= "number" or key < 1 or key > count or key ~= floor(key) then
      refuse(what, "index %d: a range is {}, {i}, {lo, hi} or {lo, hi, step}", axis)
    end
  end
  if count == 0 then return 1, n, 1 end
  if count == 1 then return M.position(what, axis, item[1], n), 1, 1 end

  local lo, hi, step = whole(item[1]), whole(item[2]), count == 2 and 1 or whole(item[3])
  if not (lo and hi and step) then refuse(what, "index %d: the entries of a range must be integers", axis) end
  if step == 0 then refuse(what, "index %d: the step of a range cannot be 0", axis) end
  local first, last = lo < 0 and n + 1 + lo or lo, hi < 0 and n + 1 + hi or hi
  -- Nothing at all: the end lies one before the beginning; both may then lie just outside.
  local way = step > 0 and 1 or -1
  if last == first - way and first >= 0 and first <= n + 1 and last >= 0 and last <= n + 1 then return 1, 0, 1 end
  if first < 1 or first > n or last < 1 or last > n then
    refuse(what, "index %d: the range {%.0f, %.0f} is not within the axis, which has %.0f element%s%s", axis, lo, hi,
      n, n == 1 and "" or "s", (lo == 0 or hi == 0) and "; positions count from 1" or "")
  end
  if (last - first) * way < 0 then
    refuse(what, "index %d: the range {%.0f, %.0f} runs %s, but its step is %.0f; write {%.0f, %.0f, %.0f}", axis, lo,
      hi, way > 0 and "backwards" or "forwards", step, lo, hi, -step)
  end
  return first, floor((last - first) / step) + 1, step
end
M.range = range

-- a[{1, 7}] of one axis: a range was meant.
local function meant_range(shape, n, items)
  if #shape ~= 1 or n > 3 then return "" end
  for k = 1, n do
    if not M.whole(items[k]) then return "" end
  end
  return ("; a range is a list inside the index: a[{ {%s} }]"):format(table.concat(items, ", ", 1, n))
end

-- Python's a[:, 0] as a[{ ":", 1 }] or a[{ nil, 1 }], and a[:, None, :] as a[{ {}, nil, {} }].
local function refuse_item(what, axis, item)
  refuse(what, "index %d must be an integer, got %s; {} selects all of an axis, and {first, last} a part%s",
    axis, element.describe(item),
    item == nil and ("; %s.newaxis inserts an axis"):format(what:match "^ndarray" or "gpuarray") or "")
end

---The items of an index in braces, a[{...}], which are those of a:slice(...).
---@param what string
---@param key table
---@return any[] items
---@return integer n
---@raise LogicError for fields that a list does not have
function M.items(what, key)
  if key == M.newaxis then return { key }, 1 end
  local n = #key
  for k in pairs_of(key) do
    if type(k) ~= "number" or k < 1 or k > n or k ~= floor(k) then
      refuse(what, "an index must be a list, but it has the field %s", errors.text(k))
    end
  end
  return key, n
end

---Applies an index: a number drops its axis, a table is a range, newaxis adds an axis; axes that are left out are
---taken whole.
---@param what string
---@param shape integer[]
---@param strides integer[]
---@param n integer   how many items
---@param items any[]
---@return integer offset  bytes to the first element
---@return integer[] shape
---@return integer[] strides
function M.slice(what, shape, strides, n, items)
  local offset, axis, out_shape, out_strides = 0, 0, {}, {}
  for k = 1, n do
    local item = items[k]
    if item == M.newaxis then
      out_shape[#out_shape + 1], out_strides[#out_strides + 1] = 1, 0
    else
      axis = axis + 1
      local extent, stride = shape[axis], strides[axis]
      if not extent then
        refuse(what, "too many indices: the array has %d ax%s%s", #shape, #shape == 1 and "is" or "es",
          meant_range(shape, n, items))
      end
      if type(item) == "table" then
        local first, count, step = range(what, axis, item, extent)
        -- Where one element or none is taken the step has no meaning.
        if count > 0 then offset = offset + (first - 1) * stride end
        out_shape[#out_shape + 1] = count
        out_strides[#out_strides + 1] = count > 1 and stride * step or stride
      else
        if item == nil or type(item) == "string" then refuse_item(what, axis, item) end
        offset = offset + (M.position(what, axis, item, extent) - 1) * stride
      end
    end
  end
  for rest = axis + 1, #shape do
    out_shape[#out_shape + 1], out_strides[#out_strides + 1] = shape[rest], strides[rest]
  end
  if #out_shape > M.MAX_AXES then refuse(what, "an array has at most %d axes", M.MAX_AXES) end
  return offset, out_shape, out_strides
end

---An axis, from 1; negative ones count from the last.
---@param what string
---@param axis any
---@param n integer  how many axes there are
---@param of? string  what has them, for messages; default: the array
---@return integer
function M.axis(what, axis, n, of)
  local x = whole(axis)
  if not x then refuse(what, "an axis must be an integer, got %s", element.describe(axis)) end
  local at = x < 0 and n + 1 + x or x
  if at < 1 or at > n then
    refuse(what, "axis %.0f: %s has %d ax%s%s", x, of or "the array", n, n == 1 and "is" or "es",
      x == 0 and ", counted from 1" or "")
  end
  return at
end

---A permutation of axes, 1-based; without one, the reverse.
---@param what string
---@param n integer    how many axes
---@param axes? any
---@return integer[]
function M.permutation(what, n, axes)
  local order, seen = {}, {}
  if axes == nil then
    for k = 1, n do order[k] = n + 1 - k end
    return order
  end
  local list = M.numbers(what, "axes", axes, -LIMIT)
  if #list ~= n then refuse(what, "the array has %d axes, got %d", n, #list) end
  for k, axis in ipairs(list) do
    local at = M.axis(what, axis, n)
    if seen[at] then refuse(what, "axis %.0f appears twice", axis) end
    seen[at], order[k] = true, at
  end
  return order
end

---Some axes of an array, as a set.
---@param what string
---@param n integer  how many axes there are
---@param axes any   one, or a list of them
---@param of? string  what has them, for messages; default: the array
---@return table<integer, boolean>
function M.axes(what, n, axes, of)
  local set = {}
  for _, axis in ipairs(M.numbers(what, "axes", axes, -LIMIT)) do
    local at = M.axis(what, axis, n, of)
    if set[at] then refuse(what, "axis %.0f appears twice", axis) end
    set[at] = true
  end
  return set
end

---Leaves out axes of one element.
---@param what string
---@param shape integer[]
---@param strides integer[]
---@param axes? any  one, or a list of them; none: all that have one element
---@return integer[] shape
---@return integer[] strides
---@raise LogicError if one has not one element
function M.squeeze(what, shape, strides, axes)
  local set, out_shape, out_strides = axes ~= nil and M.axes(what, #shape, axes) or nil, {}, {}
  for k = 1, #shape do
    local leave = set and set[k] or not set and shape[k] == 1
    if not leave then
      out_shape[#out_shape + 1], out_strides[#out_strides + 1] = shape[k], strides[k]
    elseif shape[k] ~= 1 then
      refuse(what, "axis %d of the shape %s has %.0f elements; only an axis of length 1 can be removed", k,
        M.text(shape), shape[k])
    end
  end
  return out_shape, out_strides
end

---Puts in axes of one element.
---@param what string
---@param shape integer[]
---@param strides integer[]
---@param axes any  where they are in the new shape: one, or a list of them
---@return integer[] shape
---@return integer[] strides
function M.expand_dims(what, shape, strides, axes)
  local list = M.numbers(what, "axes", axes, -LIMIT)
  local n = #shape + #list
  if n > M.MAX_AXES then refuse(what, "an array has at most %d axes", M.MAX_AXES) end
  local set, out_shape, out_strides, old = M.axes(what, n, list, "the result"), {}, {}, 0
  for k = 1, n do
    if set[k] then
      out_shape[k], out_strides[k] = 1, 0
    else
      old = old + 1
      out_shape[k], out_strides[k] = shape[old], strides[old]
    end
  end
  return out_shape, out_strides
end

---Runs axes backwards.
---@param what string
---@param shape integer[]
---@param strides integer[]
---@param axes? any  one, or a list of them; none: all
---@return integer offset  bytes to the first element
---@return integer[] strides
function M.flip(what, shape, strides, axes)
  local set, offset, out = axes ~= nil and M.axes(what, #shape, axes) or nil, 0, {}
  for k = 1, #shape do
    local back = not set or set[k]
    out[k] = back and -strides[k] + 0 or strides[k] -- no -0
    if back then offset = offset + math.max(shape[k] - 1, 0) * strides[k] end
  end
  for k = 1, #shape do
    if shape[k] == 0 then offset = 0 end
  end
  return offset, out
end

-- ---- reshaping ----------------------------------------------------------------------------------------------

---A new shape for `size` elements; one extent may be -1, which stands for what is left.
---@param what string
---@param list any
---@param size integer
---@param itemsize integer
---@return integer[]
function M.reshape(what, list, size, itemsize)
  local shape = M.numbers(what, "shape", list, -1)
  local open, rest = nil, 1
  for k, extent in ipairs(shape) do
    if extent ~= -1 then
      rest = rest * extent
    elseif open then
      refuse(what, "only one extent can be -1")
    else
      open = k
    end
  end
  if open then
    if rest == 0 or size % rest ~= 0 then
      refuse(what, "cannot reshape %.0f elements to the shape %s", size, M.text(shape))
    end
    shape[open] = size / rest
  end
  local new = M.size(what, shape, itemsize)
  if new ~= size then
    refuse(what, "cannot reshape %.0f elements to the shape %s, which has %.0f", size, M.text(shape), new)
  end
  return shape
end

local function reversed(list)
  local out, n = {}, #list
  for k = 1, n do out[k] = list[n + 1 - k] end
  return out
end

---Strides with which the same memory has another shape, or nil if it has to be copied.
---@param shape integer[]
---@param strides integer[]
---@param new integer[]      a shape of as many elements
---@param itemsize integer
---@param order "C"|"F"      in which elements are counted
---@return integer[]?
function M.reshape_strides(shape, strides, new, itemsize, order)
  if order == "F" then
    local out = M.reshape_strides(reversed(shape), reversed(strides), reversed(new), itemsize, "C")
    return out and reversed(out)
  end
  local old, step = {}, {} -- without axes of one element, which can have any stride
  for k, extent in ipairs(shape) do
    if extent == 0 then return M.dense_strides(new, itemsize, "C") end
    if extent > 1 then old[#old + 1], step[#step + 1] = extent, strides[k] end
  end
  -- From the last axes to the first: the fewest old and new axes that have as many elements go together.
  local out, i, j = {}, #old, #new
  while j >= 1 do
    if new[j] == 1 then
      out[j] = itemsize
      j = j - 1
    else
      local have, want = old[i], new[j]
      out[j] = step[i]
      while have ~= want do
        if have < want then
          if step[i - 1] ~= step[i] * old[i] then return nil end
          i = i - 1
          have = have * old[i]
        else
          out[j - 1] = out[j] * new[j]
          j = j - 1
          want = want * new[j]
        end
      end
      i, j = i - 1, j - 1
    end
  end
  return out
end

-- ---- broadcasting -------------------------------------------------------------------------------------------

---The shape that two arrays have together: axes are matched from the last one, an extent of 1 goes with any other,
---and an axis that is missing counts as one of extent 1.
---@param what string
---@param a integer[]
---@param b integer[]
---@return integer[]  a new list
---@raise LogicError if two extents differ and neither is 1
function M.broadcast(what, a, b)
  local na, nb = #a, #b
  local n, out = math.max(na, nb), {}
  for k = 1, n do
    local x, y = a[na - n + k] or 1, b[nb - n + k] or 1
    if x ~= y and x ~= 1 and y ~= 1 then
      refuse(what, "shapes %s and %s cannot be broadcast together", M.text(a), M.text(b))
    end
    out[k] = x == 1 and y or x
  end
  return out
end

---Strides with which an array shows itself in a shape that it broadcasts to: 0 on every axis along which it is
---repeated. The shape is not checked: layout.broadcast gave it, or layout.broadcasts said that it will do.
---@param shape integer[]
---@param strides integer[]
---@param new integer[]
---@return integer[]  a new list
function M.broadcast_strides(shape, strides, new)
  local out, missing = {}, #new - #shape
  for k = 1, #new do
    local own = shape[k - missing]
    out[k] = own and (own == new[k] or own ~= 1) and strides[k - missing] or 0
  end
  return out
end

---Does an array of one shape, repeated, fill another one?
---@param shape integer[]
---@param new integer[]
---@return boolean
function M.broadcasts(shape, new)
  local missing = #new - #shape
  if missing < 0 then return false end
  for k = 1, #shape do
    if shape[k] ~= new[k + missing] and shape[k] ~= 1 then return false end
  end
  return true
end

-- ---- walking ------------------------------------------------------------------------------------------------

---Calls fn(i, a, b) for each row, in C order: `i` is the number of its first element, `a` and `b` the bytes to it in
---two arrays of one shape. Axes that lie alike in both are joined first, so that rows are long. Ends early where
---fn returns something, which is returned.
---@param shape integer[]
---@param sa integer[]   strides of the one
---@param sb integer[]   strides of the other
---@param fn fun(i: integer, a: integer, b: integer, n: integer, step_a: integer, step_b: integer): any
---@return any
function M.each_row(shape, sa, sb, fn)
  local extents, as, bs = {}, {}, {}
  for k, extent in ipairs(shape) do
    local m = #extents
    if extent == 0 then return end
    if m > 0 and as[m] == extent * sa[k] and bs[m] == extent * sb[k] then
      extents[m], as[m], bs[m] = extents[m] * extent, sa[k], sb[k]
    elseif extent > 1 then
      extents[m + 1], as[m + 1], bs[m + 1] = extent, sa[k], sb[k]
    end
  end
  local inner = #extents
  local n, step_a, step_b = extents[inner] or 1, as[inner] or 0, bs[inner] or 0
  local counter, i, a, b = {}, 0, 0, 0
  for k = 1, inner - 1 do counter[k] = 0 end
  while true do
    local result = fn(i, a, b, n, step_a, step_b)
    if result ~= nil then return result end
    i = i + n
    local k = inner - 1
    while k >= 1 do
      counter[k], a, b = counter[k] + 1, a + as[k], b + bs[k]
      if counter[k] < extents[k] then break end
      a, b, counter[k] = a - extents[k] * as[k], b - extents[k] * bs[k], 0
      k = k - 1
    end
    if k < 1 then return end
  end
end

---The index of an element by its number in C order.
---@param shape integer[]
---@param i integer  from 0
---@return integer[] index  from 1
function M.unravel(shape, i)
  local index = {}
  for k = #shape, 1, -1 do
    index[k] = i % shape[k] + 1
    i = floor(i / shape[k])
  end
  return index
end

---The bytes that an array touches, relative to its first element.
---@param shape integer[]
---@param strides integer[]
---@param itemsize integer
---@return integer low
---@return integer high  one past the end
function M.extent(shape, strides, itemsize)
  local low, high = 0, itemsize
  for k, extent in ipairs(shape) do
    if extent == 0 then return 0, 0 end
    local reach = (extent - 1) * strides[k]
    if reach < 0 then low = low + reach else high = high + reach end
  end
  return low, high
end

return M
