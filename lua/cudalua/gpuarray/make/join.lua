-- Arrays put together from others, or from parts of one; and taken apart. What is put together is written part by part
-- into a fresh array, a pending part straight from its expression.

local calls = require "cudalua.gpuarray.core.calls"
local columns = require "cudalua.gpuarray.make.side_by_side"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local functions = require "cudalua.gpuarray.core.functions"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local map = require "cudalua.gpuarray.core.map"
local maps = require "cudalua.gpuarray.kernel.maps"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local scalar = require("cudalua.gpuarray.core.scalar").operand
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"

local refuse, check_self, size_of = layout.refuse, object.check_self, require("cudalua.gpuarray.core.graph").size_of

---@class cudalua.gpuarray.Array
local Array = object.Array

---@class cudalua.gpuarray
local M = {}

-- A part of a leaf: along some axes {first from 0, count, step}, else all.
local function part(leaf, ranges)
  local offset, shape, strides = leaf.off, {}, {}
  for k = 1, #leaf.shape do
    local r = ranges[k]
    shape[k], strides[k] = leaf.shape[k], leaf.strides[k]
    if r then
      offset = offset + r[1] * strides[k]
      shape[k], strides[k] = r[2], strides[k] * (r[3] or 1)
    end
  end
  return storage.new_leaf(leaf.store, offset, leaf.dtype, shape, strides), size_of(shape)
end

-- Copies a part of a leaf to another part, which it does not overlap.
local function copy_part(from, from_ranges, to, to_ranges)
  local out, size = part(to, to_ranges)
  if size > 0 then evaluate.store((part(from, from_ranges)), out, size) end
end

-- An array of this shape whose elements are those of x at the places that the map says: an expression, but for structs.
local function moved(what, x, shape, ...)
  if size_of(shape) == 0 then return make.fresh(what, shape, x._dtype, "C") end
  local making = map.begin(what:match "[%w_]+$", x._dtype, shape)
  if x._dtype.kind == "struct" then return map.structs(making, x, map.of(...)) end
  return map.finish(making, map.map(making, x, map.of(...), false))
end

-- ---- together -------------------------------------------------------------------------------------------------------

-- The list of arrays that a function got, at least one.
local function check_list(what, list)
  if object.is_array(list) then
    refuse(what, "expected a list of arrays, got one array; write %s { a, b }", what)
  elseif type(list) ~= "table" or type(getmetatable(list)) == "string" then
    refuse(what, "expected a list of arrays, got " .. element.describe(list))
  end
  local out = {}
  for i = 1, #list do out[i] = make.device_array(what, rawget(list, i)) end
  if #out == 0 then refuse(what, "expected at least one array") end
  return out
end

local function describe(x) return x._dtype.name .. layout.text(x._shape) end

local join_options = { dtype = true, out = true, stream = true, allocator = true }

-- Of the arrays' dtypes, or as asked for; where it goes, if that is there.
local function target(what, list, options)
  local o = errors.options(what, options, join_options)
  local dtype = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
  if not dtype then
    for _, x in ipairs(list) do dtype = dtype and dtypes.promote(dtype, x._dtype) or x._dtype end
  end
  return dtype, o.out
end

local function check_out(what, shape, dtype, out)
  if not object.is_array(out) then refuse(what, "out must be a gpuarray, got " .. element.describe(out)) end
  if not layout.same(out._shape, shape) then
    refuse(what, "%s", functions.misfit(dtype, shape, out))
  end
  local why = dtypes._unstorable(dtype, out._dtype)
  if why then refuse(what, why) end
end

-- A fresh array, or a view of `out`; the result is finish(x).
local function begin(what, shape, dtype, out)
  if out == nil then return make.fresh(what, shape, dtype, "C"), function(x) return x end end
  check_out(what, shape, dtype, out)
  return make.fresh(what, shape, out._dtype, "C"), function(x) return out:set(x) end
end

-- Up to this many arrays are joined by an expression. More arrays, and arrays of structs, are copied one by one.
local MOST = 4

-- An expression of parts that follow each other along an axis. A part is {array, number of positions}; `place` makes
-- its map.
local function chosen(making, parts, axis, place)
  local at, list, several = 0, {}, 0
  for _, p in ipairs(parts) do several = several + (p[2] > 0 and 1 or 0) end
  for _, p in ipairs(parts) do
    if p[2] > 0 then
      list[#list + 1] = { at = at, count = p[2], x = map.map(making, p[1], place(at, p[2]), several > 1) }
      at = at + p[2]
    end
  end
  local x = list[#list].x
  for k = #list - 1, 1, -1 do
    local mask = map.mask(#making.shape, { [axis] = maps.range(list[k].at, list[k].count) })
    x = map.choose(making, list[k].x, x, mask, k > 1)
  end
  return x
end

-- All parts must have the values of the same moment. If a finalizer writes to an array meanwhile, start over.
local function joined(what, parts, axis, shape, dtype, place)
  while true do
    local since, making = storage.writes, map.begin(what:match "[%w_]+$", dtype, shape)
    local x = map.finish(making, chosen(making, parts, axis, place))
    if since == storage.writes then return x end
    if x._sig then storage.drop(x) end
  end
end

-- The same, delivered.
local function join_parts(what, parts, axis, shape, dtype, out, place)
  if out ~= nil then check_out(what, shape, dtype, out) end
  local x = joined(what, parts, axis, shape, out ~= nil and out._dtype or dtype, place)
  return out ~= nil and out:set(x) or x
end

-- Seen as rows that end with this axis and those behind it: how many there are.
local function rows_before(shape, axis) return size_of { unpack(shape, 1, axis - 1) } end

local function concatenated(what, list, axis, options)
  local first = list[1]
  if first._ndim == 0 then refuse(what, "0-d arrays cannot be concatenated; use stack()") end
  axis = layout.axis(what, axis == nil and 1 or axis, first._ndim)
  local shape = first.shape
  for i = 2, #list do
    local x = list[i]
    for k = 1, math.max(first._ndim, x._ndim) do
      if x._ndim ~= first._ndim or k ~= axis and x._shape[k] ~= shape[k] then
        refuse(what, "arrays 1 and %d, %s and %s, cannot be joined along axis %d", i, describe(first), describe(x),
          axis)
      end
    end
    shape[axis] = shape[axis] + x._shape[axis]
  end
  local dtype, out = target(what, list, options)
  if layout.size(what, shape, dtype.itemsize) > 0 and #list <= MOST and dtype.kind ~= "struct" then
    local parts = {}
    for i, x in ipairs(list) do parts[i] = { x, x._shape[axis] } end
    return join_parts(what, parts, axis, shape, dtype, out, function(at, count)
      return map.of(#shape, nil, count < shape[axis] and { [axis] = maps.edge(at, count) } or {})
    end)
  end
  local result, finish = begin(what, shape, dtype, out)
  local at, done = 0, columns.write(list, result._leaf, rows_before(shape, axis))
  for i, x in ipairs(list) do
    local n = x._shape[axis]
    if not done[i] then make.place(x, part(result._leaf, { [axis] = { at, n } })) end
    at = at + n
  end
  return finish(result)
end

---Joins arrays along an existing axis.
---@param arrays any      a list of arrays with equal shapes, except along the axis; dtypes are promoted
---@param axis? integer   the axis, from 1; negative numbers count from the last; default: 1
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  dtype: the
---  dtype of the result; out: an array that receives the result, instead of a new one
---@return cudalua.gpuarray.Array
---@raise LogicError for an empty list, and if the shapes do not fit together
function M.concatenate(arrays, axis, options)
  local what = "gpuarray.concatenate"
  return concatenated(what, check_list(what, arrays), axis, options)
end

local function stacked(what, list, axis, options)
  local first = list[1]
  for i = 2, #list do
    if not layout.same(list[i]._shape, first._shape) then
      refuse(what, "arrays 1 and %d, %s and %s, have different shapes", i, describe(first), describe(list[i]))
    end
  end
  if first._ndim == layout.MAX_AXES then refuse(what, "an array has at most %d axes", layout.MAX_AXES) end
  axis = layout.axis(what, axis == nil and 1 or axis, first._ndim + 1, "the result")
  local shape = first.shape
  table.insert(shape, axis, #list)
  local dtype, out = target(what, list, options)
  if layout.size(what, shape, dtype.itemsize) > 0 and #list <= MOST and dtype.kind ~= "struct" then
    local parts, of = {}, {}
    for k = 1, #shape do of[k] = k < axis and k or k > axis and k - 1 or 0 end
    for i, x in ipairs(list) do parts[i] = { x, 1 } end
    return join_parts(what, parts, axis, shape, dtype, out, function() return map.of(#shape - 1, of, {}) end)
  end
  local result, finish = begin(what, shape, dtype, out)
  local leaf = result._leaf
  local done = columns.write(list, leaf, rows_before(shape, axis))
  for i, x in ipairs(list) do
    local place, size = part(leaf, { [axis] = { i - 1, 1 } })
    table.remove(place.shape, axis)
    table.remove(place.strides, axis)
    if not done[i] then
      make.place(x, storage.new_leaf(place.store, place.off, place.dtype, place.shape, place.strides), size)
    end
  end
  return finish(result)
end

---Joins arrays along a new axis.
---@param arrays any      a list of arrays of one shape; dtypes are promoted
---@param axis? integer   the position of the new axis in the result; default: 1
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for
---  concatenate
---@return cudalua.gpuarray.Array
---@raise LogicError for an empty list, and if the shapes differ
function M.stack(arrays, axis, options)
  local what = "gpuarray.stack"
  return stacked(what, check_list(what, arrays), axis, options)
end

-- Each array in another shape.
local function reshaped(list, shape)
  for i, x in ipairs(list) do
    local new = shape(x._shape)
    if new then list[i] = view.reshape(x, new, "C") end
  end
  return list
end

---Joins arrays side by side: along the second axis, 1-D arrays along their only axis.
---@param arrays any  a list of arrays
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for
---  concatenate
---@return cudalua.gpuarray.Array
---@raise LogicError as concatenate
function M.hstack(arrays, options)
  local what = "gpuarray.hstack"
  local list = reshaped(check_list(what, arrays), function(s) return #s == 0 and { 1 } end)
  return concatenated(what, list, list[1]._ndim == 1 and 1 or 2, options)
end

---Joins arrays below each other: along the first axis, 1-D arrays as rows.
---@param arrays any  a list of arrays
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for
---  concatenate
---@return cudalua.gpuarray.Array
---@raise LogicError as concatenate
function M.vstack(arrays, options)
  local what = "gpuarray.vstack"
  return concatenated(what, reshaped(check_list(what, arrays), function(s) return #s < 2 and { 1, s[1] or 1 } end), 1,
    options)
end

---Joins arrays along the third axis, which is added to arrays with fewer axes.
---@param arrays any  a list of arrays
---@param options? {dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  as for
---  concatenate
---@return cudalua.gpuarray.Array
---@raise LogicError as concatenate
function M.dstack(arrays, options)
  local what = "gpuarray.dstack"
  return concatenated(what, reshaped(check_list(what, arrays), function(s)
    return #s == 2 and { s[1], s[2], 1 } or #s < 2 and { 1, s[1] or 1, 1 }
  end), 3, options)
end

-- ---- apart ----------------------------------------------------------------------------------------------------------

-- Views of the parts that end at these positions of an axis.
local function cut(what, x, axis, ends)
  local out, from, strides = {}, 0, view.strides(x)
  local n = x._shape[axis]
  for i = 1, #ends + 1 do
    local to = ends[i] or n
    if to < from or to > n then
      refuse(what, "ends must ascend from 0 to %.0f, the length of the axis; got %.0f", n, to)
    end
    local shape = x.shape
    shape[axis] = to - from
    out[i] = view.of(x, from < n and from * strides[axis] or 0, shape, { unpack(strides, 1, #strides) })
    from = to
  end
  return out
end

local function split(what, x, parts, axis, uneven)
  check_self(x, what)
  if x._ndim == 0 then refuse(what, "a 0-d array cannot be split") end
  axis = layout.axis(what, axis == nil and 1 or axis, x._ndim)
  if type(parts) == "table" then return cut(what, x, axis, layout.integers(what, "ends", parts, 0)) end
  local count, n, ends = layout.whole(parts), x._shape[axis], {}
  if not count or count < 1 or count > 2 ^ 24 then
    refuse(what, "the number of parts must be a positive integer, got " .. element.describe(parts))
  end
  if n % count ~= 0 and not uneven then
    refuse(what, "axis %d has %.0f elements, which cannot be split into %.0f equal parts; use array_split()", axis, n,
      count)
  end
  local each, more = math.floor(n / count), n % count
  for i = 1, count - 1 do ends[i] = i * each + math.min(i, more) end
  return cut(what, x, axis, ends)
end

---Splits an array along an axis and returns the parts as views.
---@param parts integer|integer[]  the number of parts of equal size; or the positions at which all parts but the last
---  end
---@param axis? integer            the axis; default: 1
---@return cudalua.gpuarray.Array[]
---@raise LogicError if the axis cannot be split so
function Array:split(parts, axis) return split("gpuarray:split", self, parts, axis, false) end

---As split; if the axis cannot be split equally, the first parts have one element more.
---@param parts integer|integer[]  as for split
---@param axis? integer            the axis; default: 1
---@return cudalua.gpuarray.Array[]
---@raise LogicError if positions are beyond the axis
function Array:array_split(parts, axis) return split("gpuarray:array_split", self, parts, axis, true) end

---Returns the parts along an axis as a list of views without that axis, as unstack of the array API standard does. The
---inverse of stack().
---@param axis? integer  the axis; default: 1
---@return cudalua.gpuarray.Array[]
---@raise LogicError for a 0-d array, and if an axis is out of range
function Array:unstack(axis)
  local what = "gpuarray:unstack"
  check_self(self, what)
  if self._ndim == 0 then refuse(what, "a 0-d array cannot be split") end
  axis = layout.axis(what, axis == nil and 1 or axis, self._ndim)
  local out, strides = {}, view.strides(self)
  for i = 1, self._shape[axis] do
    local shape, steps = self.shape, { unpack(strides, 1, #strides) }
    table.remove(shape, axis)
    table.remove(steps, axis)
    out[i] = view.of(self, (i - 1) * strides[axis], shape, steps)
  end
  return out
end

-- ---- again and again ------------------------------------------------------------------------------------------------

---Repeats the array as a tile along each axis.
---@param ... any  the number of repetitions along each axis, or one list of them. If there are fewer than axes, they
---  apply to the last axes. If there are more, the array gets new axes in front. A last argument {stream =
---  cudalua.Stream, allocator = function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a value that is not a non-negative integer
function Array:tile(...)
  local what = "gpuarray:tile"
  check_self(self, what)
  local n, given = select("#", ...), { ... }
  if n > 1 and type(given[n]) == "table" then
    errors.options(what, given[n], calls.PLACED)
    given[n], n = nil, n - 1
  end
  if n == 1 and type(given[1]) == "table" then given = given[1] end
  local times = layout.numbers(what, "repetitions", given, 0)
  n = math.max(#times, self._ndim)
  local own, shape, of, links, axes = self._shape, {}, {}, {}, n
  for k = 1, n do
    local reps = times[k - n + #times] or 1
    local at = k - n + self._ndim
    local extent = own[at] or 1
    shape[k], of[k] = reps * extent, math.max(at, 0)
    if reps ~= 1 then
      axes = axes + 1
      if extent > 1 then links[k] = maps.wrap(0, extent) end
    end
  end
  layout.size(what, shape, self._dtype.itemsize)
  if axes > layout.MAX_AXES then refuse(what, "too many axes are repeated") end
  return moved(what, self, shape, self._ndim, of, links)
end

-- One array with each element of an axis as often as a list says.
local function repeated_by(what, x, axis, counts)
  local n, total = x._shape[axis], 0
  if #counts ~= n then refuse(what, "got %d counts for the %.0f elements of axis %d", #counts, n, axis) end
  for _, c in ipairs(counts) do total = total + c end
  local shape = x.shape
  shape[axis] = total
  layout.size(what, shape, x._dtype.itemsize)
  local out, from = make.fresh(what, shape, x._dtype, "C"), evaluate.evaluate(x)
  local at = 0
  for i, c in ipairs(counts) do
    copy_part(from, { [axis] = { i - 1, 1 } }, out._leaf, { [axis] = { at, c } })
    at = at + c
  end
  return out
end

---Repeats each element several times in a row. The name ends with an underscore because `repeat` is a keyword of Lua.
---@param times integer|integer[]  the number of repetitions; a list has one for each position of the axis
---@param axis? integer            the axis; default: repeat the elements of the whole array along one axis
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a value that is not a non-negative integer, or a list of another length
function Array:repeat_(times, axis, options)
  local what = "gpuarray:repeat_"
  check_self(self, what)
  errors.options(what, options, calls.PLACED)
  local x = self
  if axis == nil then x, axis = self._ndim == 1 and self or self:ravel(), 1 end
  axis = layout.axis(what, axis, x._ndim)
  if type(times) == "table" then
    local list = {}
    for i = 1, #times do
      list[i] = layout.whole(rawget(times, i))
      if not list[i] or list[i] < 0 then
        refuse(what, "times[%d] must be a non-negative integer, got %s", i, element.describe(rawget(times, i)))
      end
    end
    return repeated_by(what, x, axis, list)
  end
  local count = layout.numbers(what, "times", times, 0)[1]
  local shape, n = x.shape, x._ndim
  if n == layout.MAX_AXES then refuse(what, "cannot add an axis for repetitions to an array of %d axes", n) end
  shape[axis] = shape[axis] * count
  layout.size(what, shape, x._dtype.itemsize)
  return moved(what, x, shape, n, nil, count > 1 and { [axis] = maps.part(count) } or {})
end

-- ---- shifted --------------------------------------------------------------------------------------------------------

---Shifts the elements along axes. Elements that leave at one end come back at the other.
---@param shift integer|integer[]  the number of positions; positive shifts towards the end
---@param axes? integer|integer[]  the axes; default: shift the elements of the whole array in C order
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError if an axis is out of range, or there is neither one shift nor one for each axis
function Array:roll(shift, axes, options)
  local what = "gpuarray:roll"
  check_self(self, what)
  errors.options(what, options, calls.PLACED)
  local shifts, x = layout.integers(what, "shift", shift, -2 ^ 53), self
  if axes == nil then
    x, axes = self._ndim == 1 and self or self:ravel(), { 1 }
  else
    axes = layout.integers(what, "axes", axes, -2 ^ 53)
  end
  if #shifts ~= #axes and (#shifts ~= 1 and #axes ~= 1 or #shifts * #axes == 0) then
    refuse(what, "%d shifts for %d axes", #shifts, #axes)
  end
  local offsets, links = {}, {}
  for i = 1, math.max(#shifts, #axes) do
    local axis = layout.axis(what, axes[#axes == 1 and 1 or i], x._ndim)
    local n = math.max(x._shape[axis], 1)
    offsets[axis] = ((offsets[axis] or 0) - shifts[#shifts == 1 and 1 or i] % n) % n
  end
  for axis = 1, x._ndim do
    local offset = offsets[axis]
    if offset and offset > 0 then links[axis] = maps.roll(offset, x._shape[axis]) end
  end
  local rolled = moved(what, x, x._shape, x._ndim, nil, links)
  return x._ndim == self._ndim and rolled or view.reshape(rolled, self.shape, "C")
end

-- ---- a border -------------------------------------------------------------------------------------------------------

-- {before, after} for each axis.
local function widths_of(what, width, n)
  local function pair(x, name)
    local list = layout.numbers(what, name, x, 0)
    if #list ~= 1 and #list ~= 2 then refuse(what, "%s must be a number or {before, after}", name) end
    return { list[1], list[2] or list[1] }
  end
  local out = {}
  if type(width) == "table" and type(rawget(width, 1)) == "table" then
    if #width ~= n and #width ~= 1 then refuse(what, "%d widths for %d axes", #width, n) end
    for k = 1, n do out[k] = pair(rawget(width, #width == 1 and 1 or k), ("width[%d]"):format(k)) end
  else
    local both = pair(width, "width")
    for k = 1, n do out[k] = both end
  end
  return out
end

-- The links that fill a border from existing elements, by the mode of pad(). An axis of one element cannot be
-- reflected.
local borders = { edge = maps.edge }
function borders.wrap(before, n) return maps.wrap((n - before % n) % n, n) end
function borders.symmetric(before, n) return maps.mirror(before, n, 1) end
function borders.reflect(before, n) return n == 1 and maps.edge(before, n) or maps.mirror(before, n, 0) end

local pad_options = { constant_values = true, stream = true, allocator = true }

---Returns the array with a border around it.
---@param width any     the number of elements to add: a number, {before, after} for all axes, or a list of these for
---  each axis
---@param mode? string  what the border holds: "constant" (default); "edge": the nearest element. "reflect" mirrors at
---  the outermost elements, "symmetric" behind them. "wrap": elements from the other end; "empty": uninitialized
---  elements
---@param options? {constant_values: any, stream: cudalua.Stream, allocator: function}  constant_values: the value of a
---  constant border, default 0
---@return cudalua.gpuarray.Array
---@raise LogicError for invalid widths or modes, and if an axis has no elements to fill the border with
function Array:pad(width, mode, options)
  local what = "gpuarray:pad"
  check_self(self, what)
  if mode == nil then mode = "constant" end
  local border = type(mode) == "string" and borders[mode]
  if mode ~= "constant" and mode ~= "empty" and not border then
    refuse(what, "mode must be 'constant', 'edge', 'reflect', 'symmetric', 'wrap' or 'empty', got " ..
      errors.text(mode))
  end
  local o = errors.options(what, options, pad_options)
  local value = o.constant_values
  if value == nil then value = 0 elseif mode ~= "constant" then
    refuse(what, "constant_values needs mode = 'constant'")
  end
  local n, dtype = self._ndim, self._dtype
  local widths, shape, links, ranges, middle = widths_of(what, width, n), self.shape, {}, {}, {}
  local fills = false
  for k = 1, n do
    local before, after, extent = widths[k][1], widths[k][2], shape[k]
    if border and extent == 0 and before + after > 0 then
      refuse(what, "axis %d has no elements to make a border from", k)
    end
    shape[k], middle[k] = before + extent + after, { before, extent }
    if before + after > 0 and extent > 0 then
      links[k] = (border or maps.edge)(before, extent)
      ranges[k] = not border and maps.range(before, extent) or nil
      fills = fills or not border
    end
  end
  local v
  if mode == "constant" then
    if dtype.kind == "struct" and o.constant_values == nil then value = dtype() end
    local why
    v, why = dtype._check(value)
    if why then refuse(what, why) end
    if dtype.kind == "struct" then
      v = storage.leaf_of(make.device_array(what, ndarray.full({}, v, dtype)))
    else
      v = scalar(v, dtype)
    end
  end
  layout.size(what, shape, dtype.itemsize)
  if mode == "empty" or self._size == 0 then
    local x = make.fresh(what, shape, dtype, "C")
    if mode == "constant" and x._size > 0 then evaluate.store(v, x._leaf, x._size) end
    make.place(self, part(x._leaf, middle))
    return x
  elseif not fills then
    return moved(what, self, shape, n, nil, links)
  end
  local making, mask, places = map.begin("pad", dtype, shape), map.mask(n, ranges), map.of(n, nil, links)
  if dtype.kind == "struct" then return map.structs(making, self, places, v, mask) end
  return map.finish(making, map.choose(making, map.map(making, self, places, true), v, mask, false))
end

Array.tile = calls.variadic("gpuarray:tile", Array.tile)

-- The methods as functions of the module, for arrays and for host data.
for _, name in ipairs { "split", "array_split", "unstack", "tile", "repeat_", "roll", "pad" } do
  M[name] = function(a, ...) return Array[name](make.device_array("gpuarray." .. name, a), ...) end
end

return calls.install(M)
