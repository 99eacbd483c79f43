-- a[{...}] and a:slice(...): numbers, ranges and newaxis give views; arrays among them fetch elements, or say where
-- elements are put.
--   index/resolve  from an index to a selection      index/move       fetching and putting what is selected
--   index/mask     where a mask is true              index/kernels    the kernels of kernels/array/index.cu
--   index/loop     coordinates in generated code     index/take, where, choose  functions on arrays that select

local computing = require "cudalua.gpuarray.core.evaluate"
local dtypes = require "cudalua.dtype"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local mask = require "cudalua.gpuarray.index.mask"
local move = require "cudalua.gpuarray.index.move"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local resolve = require "cudalua.gpuarray.index.resolve"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"
local write = require "cudalua.gpuarray.core.write"

local evaluate, until_done, AGAIN = computing.evaluate, run.until_done, run.AGAIN
local refuse, is_array = layout.refuse, object.is_array

---@class cudalua.gpuarray.Array
local Array = object.Array

local M = {}

-- The items of a[{...}].
local function items_of(what, key)
  if resolve.is_any_array(key) then return { key }, 1 end
  return layout.items(what, key)
end

local function has_arrays(n, items)
  for k = 1, n do
    if resolve.is_any_array(items[k]) then return true end
  end
  return false
end

-- ---- reading --------------------------------------------------------------------------------------------------------

-- Is it a whole array without gaps, by one mask?
local function is_masked(part)
  local only = part.items[1]
  return #part.items == 1 and only.axes == part.array._ndim and only.array._dtype == dtypes.bool and part.leaf.dense
end

local function fetch_masked(since, part)
  local leaf = evaluate(part.array)
  return mask.chosen(part.items[1].array, part.what, leaf, since)
end

local function fetch(since, part) return move.gather(resolve.selection(part), nil, since) end

local function get(what, x, n, items)
  if not has_arrays(n, items) then return view.slice(what, x, n, items) end
  local part = resolve.part(what, x, n, items)
  return (until_done(is_masked(part) and fetch_masked or fetch, part))
end

function object.get_index(self, key)
  local what = "gpuarray[{}]"
  local items, n = items_of(what, key)
  return get(what, self, n, items)
end

---Returns a part of the array. Each item belongs to an axis, from the first; axes without an item are taken whole.
---Without arrays among the items the result is a view. Otherwise it is a new array, as in NumPy's advanced indexing,
---and the program waits until the kernel has checked the positions.
---@param ... any  the items. i removes its axis; {i} keeps it with extent 1. {lo, hi} and {lo, hi, step} are ranges
---  that include both ends; {lo, lo - 1} is empty, and a negative step runs backwards. {} is the whole axis;
---  gpuarray.newaxis adds an axis. An array of integers, on the device or the host, selects the elements at these
---  positions. An array of booleans, with the shape of one or more axes, selects the elements where it is true. The
---  arrays of an index broadcast to one shape. Its axes take the place of the arrays if these are adjacent (with
---  numbers among them), else they come first.
---@return cudalua.gpuarray.Array
---@raise LogicError for positions out of range, too many items, and shapes or types that do not fit
function Array:slice(...)
  object.check_self(self, "gpuarray:slice")
  return get("gpuarray:slice", self, select("#", ...), { ... })
end

-- ---- writing --------------------------------------------------------------------------------------------------------

---What is written to an array, as one on the device, which need not have its dtype. An attempt (run.lua) does not make
---it: that writes a value to an array.
---@param what string
---@param x cudalua.gpuarray.Array  the array that is written to
---@param values any                array here or on the host, nested tables, a value
---@return cudalua.gpuarray.Array
function M.given(what, x, values)
  if type(values) ~= "table" then
    local value, one = make.stored_value(what, values, x._dtype), storage.empty(x._dtype, {}, 1)
    write.write(one, require("cudalua.gpuarray.core.scalar").operand(value, x._dtype))
    return one
  end
  return is_array(values) and values or transfer.to_gpu(make.stored_array(what, values, x._dtype))
end

---What is written to an array, as one of its dtype.
---@param what string
---@param x cudalua.gpuarray.Array  the array that is written to
---@param values any                as for given()
---@return cudalua.gpuarray.Array
function M.source(what, x, values) return graph.stored(M.given(what, x, values), x._dtype, what) end

---The same array without the first axes of extent 1, until it has so many axes.
---@param x cudalua.gpuarray.Array
---@param ndim integer
---@return cudalua.gpuarray.Array
local function shortened(x, ndim)
  local surplus = x._ndim - ndim
  if surplus <= 0 then return x end
  for k = 1, surplus do
    if x._shape[k] ~= 1 then return x end
  end
  local strides = view.strides(x)
  return view.of(x, 0, { unpack(x._shape, surplus + 1) }, { unpack(strides, surplus + 1) })
end

---Writes to a selection of an array what broadcasts to its shape.
---@param since integer  storage.writes before the selection was made, and what is written was looked at
---@param sel table
---@param x cudalua.gpuarray.Array
---@param values cudalua.gpuarray.Array
---@param mode? string
---@return boolean done  run.AGAIN: a finalizer wrote to arrays since then, and nothing was written
function M.put(since, sel, x, values, mode)
  local source = shortened(graph.stored(values, x._dtype, sel.what), #sel.shape)
  if not layout.broadcasts(source._shape, sel.shape) then
    refuse(sel.what, ("the selection has the shape %s and cannot be assigned an array of shape " ..
      "%s"):format(layout.text(sel.shape),
      layout.text(source._shape)))
  end
  return move.scatter(since, sel, x, source, mode)
end

-- A mask, and values that do not depend on how much of it is true before a place: computed for all elements in one
-- kernel, as where() does, without waiting to hear how many are true. False for anything else.
local function put_where(since, part, x, values)
  if part.arrays ~= 1 then return false end
  local masked, rest = nil, 0
  for k, owner in ipairs(part.owners) do
    if owner then masked, rest = owner.array, #part.owners - k end
  end
  if not masked or masked._dtype.kind ~= "bool" or masked._size == 0 then return false end
  if type(values) == "table" then
    if not resolve.is_any_array(values) then return false end
    local shape = is_array(values) and values._shape or values.shape
    local simple = graph.size_of(shape) == 1 and #shape <= 1
    if not simple and not (part.together and #shape <= rest) then return false end
  end
  local target = view.of(x, part.off - part.leaf.off, part.shape, part.strides)
  local source
  if type(values) == "table" then
    source = M.source(part.what, x, values)
    local behind = { unpack(part.shape, #part.shape - rest + 1) }
    if not layout.broadcasts(source._shape, behind) and source._size ~= 1 then
      refuse(part.what, ("the selection has the shape %s after the mask and cannot be assigned an array of shape " ..
        "%s"):format(
        layout.text(behind), layout.text(source._shape)))
    end
  else
    source = make.stored_value(part.what, values, x._dtype)
  end
  local shape, strides = { unpack(masked._shape) }, { unpack(view.strides(masked)) }
  for _ = 1, rest do shape[#shape + 1], strides[#strides + 1] = 1, 0 end
  local x_new = graph.ternary(ops.where, view.of(masked, 0, shape, strides), source, target)
  return write.write(target, x_new, true, nil, since) or AGAIN
end

local function put_selected(since, part, x, values) return M.put(since, resolve.selection(part), x, values) end

local function set(what, x, n, items, values)
  if not has_arrays(n, items) then
    view.slice(what, x, n, items):set(values)
    return
  end
  local part = resolve.part(what, x, n, items)
  if not until_done(put_where, part, x, values) then until_done(put_selected, part, x, M.given(what, x, values)) end
end

function object.set_index(self, key, value)
  local what = "gpuarray[{}]"
  local items, n = items_of(what, key)
  set(what, self, n, items, value)
end

return M
