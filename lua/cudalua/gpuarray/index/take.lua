-- take, put and their kin: elements at positions.

local arguments = require "cudalua.gpuarray.index.arguments"
local calls = require "cudalua.gpuarray.core.calls"
local construct = require "cudalua.gpuarray.make.construct"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local index = require "cudalua.gpuarray.index.slice"
local layout = require "cudalua.base.layout"
local move = require "cudalua.gpuarray.index.move"
local object = require "cudalua.gpuarray.core.object"
local resolve = require "cudalua.gpuarray.index.resolve"
local run = require "cudalua.gpuarray.core.run"
local view = require "cudalua.gpuarray.core.view"

local refuse, until_done, AGAIN = layout.refuse, run.until_done, run.AGAIN
local check_array, positions_of = arguments.check_array, arguments.positions_of
local mode_of, delivered = arguments.mode_of, arguments.delivered
local flattened, values_for, list_of = arguments.flattened, arguments.values_for, arguments.list_of

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

-- Elements of each line along an axis, at positions of its own.
local function fetch_along(since, what, a, axis, list)
  return move.gather(resolve.along(what, a, axis, list, "indices"), nil, since)
end

local function fetch_flat(since, what, a, list, mode)
  return move.gather(resolve.flat(what, a, list, "indices"), mode, since)
end

local function fetch_axis(since, what, a, axis, list, mode)
  return move.gather(resolve.axis(what, a, axis, list, "indices"), mode, since)
end

local take_options = { axis = true, mode = true, out = true, stream = true, allocator = true }

---Returns the elements at the given positions, along an axis or in the whole array in C order, as NumPy's take. If
---positions are checked (mode "raise"), the program waits for the kernel.
---@param a cudalua.gpuarray.Array  the array, of any shape
---@param indices any  the positions: an array of integers on the device or the host, nested lists, or a number; from 1,
---  negative ones from the end. Their shape replaces the axis
---@param options? {axis: integer, mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  axis: default the whole array; mode: how to treat a position out of range: "raise" (default):
---  raise an error; "wrap": count on from the other end; "clip": use the first or the last position (for negative ones
---  the first)
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, or of a type or shape that does not fit
define("take", function(a, indices, options)
  local what = "gpuarray.take"
  check_array(what, "a", a)
  local o = errors.options(what, options, take_options)
  local mode, list = mode_of(what, o.mode), positions_of(what, indices)
  local x
  if o.axis == nil then
    x = until_done(fetch_flat, what, a, list, mode)
  else
    x = until_done(fetch_axis, what, a, layout.axis(what, o.axis, a._ndim), list, mode)
  end
  return delivered(what, x, o.out)
end)

-- Values are repeated if they are fewer than the positions; what is too much is not used.
local function put_flat(since, what, a, positions, values, mode)
  local list = flattened(positions)
  local source = values_for(what, a, values, list._size)
  if not source then return true end
  if source._size > list._size then
    source = view.of(source, 0, { list._size }, { source._dtype.itemsize })
  end
  return index.put(since, resolve.flat(what, a, list, "indices"), a, source, mode)
end

local put_options = { mode = true, stream = true }

---Writes to the elements at the given positions of the whole array in C order, as NumPy's put. If a position appears
---more than once, its last value stays.
---@param a cudalua.gpuarray.Array  the array to write to
---@param indices any  as for take
---@param values any  an array, nested lists or a number; repeated in C order if there are fewer values than positions
---@param options? {mode: "raise"|"wrap"|"clip", stream: cudalua.Stream}  mode: as for take
---@return cudalua.gpuarray.Array a
---@raise LogicError as take; in this case nothing is written
define("put", function(a, indices, values, options)
  local what = "gpuarray.put"
  check_array(what, "a", a)
  local mode = mode_of(what, errors.options(what, options, put_options).mode)
  until_done(put_flat, what, a, positions_of(what, indices), index.given(what, a, values), mode)
  return a
end)

local function axis_and_positions(what, a, indices, axis)
  check_array(what, "a", a)
  local list = positions_of(what, indices)
  return layout.axis(what, axis == nil and -1 or axis, a._ndim), list
end

---Returns elements of each line along an axis, at separate positions for each line, as NumPy's take_along_axis. Use it
---with the result of argsort or argmin.
---@param a cudalua.gpuarray.Array  the array, with at least one axis
---@param indices any  positions as for take, with as many axes as a; broadcast to a's shape except along the axis
---@param axis? integer  the axis; default: the last one
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError as take
function M.take_along_axis(a, indices, axis, options)
  local what = "gpuarray.take_along_axis"
  errors.options(what, options, calls.PLACED)
  local k, list = axis_and_positions(what, a, indices, axis)
  return (until_done(fetch_along, what, a, k, list))
end

local function put_along(since, what, a, axis, list, values)
  return index.put(since, resolve.along(what, a, axis, list, "indices"), a, values)
end

---Writes to elements of each line along an axis, at separate positions for each line, as NumPy's put_along_axis.
---@param a cudalua.gpuarray.Array  the array to write to
---@param indices any    as for take_along_axis
---@param values any  an array, nested lists or a number that broadcasts to the shape of indices
---@param axis? integer  the axis; default: the last one
---@param options? {stream: cudalua.Stream}
---@return cudalua.gpuarray.Array a
---@raise LogicError as take; in this case nothing is written
function M.put_along_axis(a, indices, values, axis, options)
  local what = "gpuarray.put_along_axis"
  errors.options(what, options, calls.STREAM)
  local k, list = axis_and_positions(what, a, indices, axis)
  until_done(put_along, what, a, k, list, index.given(what, a, values))
  return a
end

local function outputs(what, arrays, n, out)
  if out == nil then return nil end
  local _, m = list_of(what, "out", out)
  if m ~= n then refuse(what, ("got %d arrays but %d in out"):format(n, m)) end
  for k = 1, n do
    check_array(what, ("out[%d]"):format(k), out[k])
    if out[k]._dtype ~= arrays[k]._dtype then
      refuse(what, ("out[%d] is an array of %s, arrays[%d] of %s"):format(k, out[k]._dtype.name, k,
        arrays[k]._dtype.name))
    end
  end
  return out
end

local function arrays_of(what, arrays)
  local _, n = list_of(what, "arrays", arrays)
  for k = 1, n do check_array(what, ("arrays[%d]"):format(k), arrays[k]) end
  return n
end

-- Of each array the elements at its positions; `lists` has these, and may be one list for all.
local function fetch_all(since, what, arrays, n, lists, name)
  local result = {}
  for k = 1, n do
    local list = object.is_array(lists) and lists or lists[k]
    result[k] = move.gather(resolve.flat(what, arrays[k], list, name), nil, since)
    if result[k] == AGAIN then return AGAIN end
  end
  return result
end

local multi_take_options = { out = true, stream = true }

---PyCUDA's multi_take: returns the elements at the same positions of several arrays.
---@param arrays cudalua.gpuarray.Array[]  a list of arrays
---@param indices any  positions as for take, of the whole array in C order
---@param options? {out: cudalua.gpuarray.Array[]}  out: a list of arrays that receive the elements
---@return cudalua.gpuarray.Array[]
---@raise LogicError as take
function M.multi_take(arrays, indices, options)
  local what = "gpuarray.multi_take"
  local n = arrays_of(what, arrays)
  local out = outputs(what, arrays, n, errors.options(what, options, multi_take_options).out)
  local result = until_done(fetch_all, what, arrays, n, positions_of(what, indices), "indices")
  for k = 1, n do result[k] = delivered(what, result[k], out and out[k]) end
  return result
end

local function destinations(what, arrays, n, o)
  if o.out ~= nil then return outputs(what, arrays, n, o.out) end
  if o.dest_shape == nil then refuse(what, "pass dest_shape, the shape of the new arrays, or out") end
  local out = {}
  for k = 1, n do
    out[k] = construct.empty(o.dest_shape, arrays[k]._dtype):fill(0)
  end
  return out
end

local function check_positions(what, a, list)
  local sel = resolve.flat(what, a, flattened(list), "dest_indices")
  move.inside(sel.base, move.check, sel, "raise")
end

-- What was looked at before. A position that a finalizer made a bad one since then gets nothing.
local function put_checked(since, what, a, list, source)
  local sel = resolve.flat(what, a, flattened(list), "dest_indices")
  sel.groups[1].sure = true
  return move.scatter(since, sel, a, flattened(source))
end

-- Everything is looked at before anything is written.
local function put_all(what, sources, n, dest_indices, out)
  local list = positions_of(what, dest_indices)
  for k = 1, n do
    if sources[k]._size ~= list._size then
      refuse(what, ("arrays[%d] has %.0f elements for %.0f positions"):format(k, sources[k]._size, list._size))
    end
    if list._size > 0 then check_positions(what, out[k], list) end
  end
  for k = 1, n do until_done(put_checked, what, out[k], list, sources[k]) end
  return out
end

local multi_put_options = { dest_shape = true, out = true, stream = true }

---PyCUDA's multi_put: writes the elements of several arrays to the same positions of as many other arrays. If a
---position appears more than once, the last element stays.
---@param arrays cudalua.gpuarray.Array[]  a list of arrays with the elements to write
---@param dest_indices any  positions as for take, one for each element of an array
---@param options? {dest_shape: integer|integer[], out: cudalua.gpuarray.Array[]}  dest_shape: the shape of new arrays,
---  which are 0 where nothing is written; out: a list of arrays to write to, instead of new ones
---@return cudalua.gpuarray.Array[]
---@raise LogicError as put; in this case nothing is written
function M.multi_put(arrays, dest_indices, options)
  local what = "gpuarray.multi_put"
  local n = arrays_of(what, arrays)
  local out = destinations(what, arrays, n, errors.options(what, options, multi_put_options))
  return put_all(what, arrays, n, dest_indices, out)
end

local multi_take_put_options = { dest_shape = true, out = true, src_offsets = true, stream = true }

---PyCUDA's multi_take_put: out[k][dest_indices] = arrays[k][src_indices + src_offsets[k]].
---@param arrays cudalua.gpuarray.Array[]  a list of arrays
---@param dest_indices any  positions as for take
---@param src_indices any  positions as for take, one for each of dest_indices
---@param options? {dest_shape: integer|integer[], out: cudalua.gpuarray.Array[], src_offsets: integer[]}  dest_shape:
---  as for multi_put; out: as for multi_put; src_offsets: a number for each array, which is added to src_indices
---@return cudalua.gpuarray.Array[]
---@raise LogicError as take and put; in this case nothing is written
function M.multi_take_put(arrays, dest_indices, src_indices, options)
  local what = "gpuarray.multi_take_put"
  local n = arrays_of(what, arrays)
  local o = errors.options(what, options, multi_take_put_options)
  local list, lists, offsets = positions_of(what, src_indices), {}, nil
  if o.src_offsets ~= nil then
    offsets = layout.integers(what, "src_offsets", o.src_offsets, -2 ^ 53)
    if #offsets ~= n then refuse(what, ("got %d arrays but %d src_offsets"):format(n, #offsets)) end
    list = graph.as_type(list, dtypes.int64)
  end
  local out = destinations(what, arrays, n, o)
  for k = 1, n do lists[k] = offsets and offsets[k] ~= 0 and list + offsets[k] or list end
  local sources = until_done(fetch_all, what, arrays, n, lists, "src_indices")
  return put_all(what, sources, n, dest_indices, out)
end

return calls.install(M)
