-- What the functions of this folder are given: arrays, positions, masks, modes, lists.

local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local kernels = require "cudalua.gpuarray.index.kernels"
local layout = require "cudalua.base.layout"
local move = require "cudalua.gpuarray.index.move"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local resolve = require "cudalua.gpuarray.index.resolve"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"
local pairs_of = require "cudalua.base.pairs_of"

local refuse, is_array = layout.refuse, object.is_array

local M = {}

-- Of all of these: what, for messages, the function that is called; name, what it calls the argument.

---A gpuarray.
function M.check_array(what, name, x) return object.check_array(what, x, name) end

---An array, on the device or in host memory, where it may come from a list or a value.
function M.array_of(what, name, x, dtype)
  if is_array(x) or ndarray.is_array(x) then return x end
  if type(x) ~= "table" and element.scalar(x) == nil then
    refuse(what, ("%s must be an array, a list or a number, got %s"):format(name, element.describe(x)))
  end
  return errors.within(what, ndarray.array, x, dtype)
end

---The same, on the device.
function M.any_array(what, name, x, dtype)
  if is_array(x) then return x end
  return transfer.to_gpu(M.array_of(what, name, x, dtype))
end

---Values that stand beside an array of some dtype, as an array: numbers and lists become that type, or, if it does not
---hold them, float64.
function M.values_of(what, name, values, dtype)
  if is_array(values) or ndarray.is_array(values) then return M.any_array(what, name, values) end
  local is_float = dtype.kind == "float" or dtype.kind == "complex"
  if not is_float and (type(values) == "table" or element.scalar(values) ~= nil) then
    local fits, host = pcall(ndarray.array, values, dtype)
    if fits then return transfer.to_gpu(host) end
    dtype = dtypes.float64
  end
  return M.any_array(what, name, values, dtype)
end

---Positions as an array of integers.
function M.positions_of(what, x)
  local a = resolve.positions(what, "indices", M.any_array(what, "indices", x, dtypes.int64))
  if a._dtype == dtypes.bool then refuse(what, "indices are positions; compress() and a[mask] take a mask") end
  return a
end

---What is a mask: true where something is not 0. mask.of() makes it one.
function M.any_mask(what, name, x) return M.any_array(what, name, x, dtypes.bool) end

local modes = { raise = true, wrap = true, clip = true }

---How to treat a position out of range.
function M.mode_of(what, mode)
  if mode == nil then return "raise" end
  if not modes[mode] then
    refuse(what, "mode must be 'raise', 'wrap' or 'clip', got " .. errors.text(mode))
  end
  return mode
end

---A result, in `out` if there is one.
function M.delivered(what, x, out)
  if out == nil then return x end
  return functions.deliver(what, x, out)
end

---An array with one axis.
function M.flattened(x)
  if x._ndim == 1 then return x end
  return view.reshape(x, { x._size }, "C")
end

local function attempt(since, leaf, size, n, out)
  return run.kernel { kernel = kernels.fixed("cycle", "cycle", kernels.item(leaf.dtype.itemsize)),
    blocks = math.ceil(n / run.BLOCK), arguments = { n, out.buf, 0, leaf.buf, leaf.off, size }, since = since,
    leaves = { leaf }, writes = { out } } or run.AGAIN
end

local function cycle(leaf, size, n)
  local out = storage.empty(leaf.dtype, { n }, n)
  run.until_done(attempt, leaf, size, n, out._leaf)
  return out
end

-- The elements of an array over and over, until there are n.
local function cycled(x, n)
  if x._size == n or x._size == 1 then return M.flattened(x) end
  local leaf = evaluate.evaluate(x)
  if not leaf.dense then leaf = view.copy(x, "C")._leaf end
  return move.inside(leaf, cycle, leaf, x._size, n)
end

---Values for n places of an array, repeated as often as it takes; nil for no places. values: of index.given().
function M.values_for(what, a, values, n)
  local x = graph.stored(values, a._dtype, what)
  if n == 0 then return nil end
  if x._size == 0 then refuse(what, ("got no values for %.0f places"):format(n)) end
  return cycled(x, n)
end

---A list, and how long it is.
function M.list_of(what, name, list)
  if type(list) ~= "table" or type(getmetatable(list)) == "string" then
    refuse(what, ("%s must be a list of arrays, got %s"):format(name, is_array(list) and "an array"
      or element.describe(list)))
  end
  local n = #list
  for key in pairs_of(list) do
    if type(key) ~= "number" or key < 1 or key > n or key % 1 ~= 0 then
      refuse(what, ("%s must be a list, but it has the field %s"):format(name, errors.text(key)))
    end
  end
  return list, n
end

return M
