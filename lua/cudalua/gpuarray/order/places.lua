-- Elements of sorted lines at many places at once, or at places that differ from line to line: what quantiles are made
-- of. The number of kernels does not grow with the number of places.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local move = require "cudalua.gpuarray.index.move"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local resolve = require "cudalua.gpuarray.index.resolve"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"

local f = functions.functions

local M = {}

---From the places in question, which lie between elements counted from 0, to the elements before and behind them, and
---how far they are from the first of them to the second; nil for no way.
M.methods = {
  linear = function(x) return f.floor(x), f.ceil(x), x - f.floor(x) end,
  lower = function(x) return f.floor(x) end,
  higher = function(x) return f.ceil(x) end,
  nearest = function(x) return f.rint(x) end,
  midpoint = function(x) return f.floor(x), f.ceil(x), f.where(f.eq(x, f.floor(x)), 0 * x, 0.5) end,
}

-- An array with its last axis in the first place, as a view.
local function last_first(x)
  local order = { x._ndim }
  for k = 1, x._ndim - 1 do order[k + 1] = k end
  return view.transpose("gpuarray.quantile", x, order)
end

-- The elements of lines along the first axis. places: int64, from 1, of as many axes; broadcast to the lines but for
-- the first axis.
local function at(lines, places)
  return move.gather(resolve.along("gpuarray.quantile", lines, 1, places, "places"), "clip")
end

-- The same at places from 0 that are computed in float64.
local function at_computed(lines, places) return at(lines, graph.convert(places + 1, dtypes.int64)) end

---What lies between two elements.
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param t any  how far from a to b, from 0 to 1: number, or array of float64
---@return cudalua.gpuarray.Array
function M.between(a, b, t)
  local difference = b - a
  local x
  if object.is_array(t) then
    local dt = a._dtype
    x = f.where(f.lt(t, 0.5), a + difference * graph.as_type(t, dt), b - difference * graph.as_type(1 - t, dt))
  else
    x = t < 0.5 and a + difference * t or b - difference * (1 - t)
  end
  return f.where(f.eq(a, b), a, x) -- infinities have no difference
end

-- Numbers along the first of n axes. The copy does not wait, so that captures record it.
local function column(list, dtype, n)
  local host, shape = ndarray.empty(#list, dtype), { #list }
  for k, x in ipairs(list) do host[k] = x end
  for k = 2, n do shape[k] = 1 end
  return transfer.to_gpu(host:reshape(shape), core.current_stream())
end

---The elements of sorted lines at places that are known here.
---@param keys cudalua.gpuarray.Array  sorted along the last axis, floats if a position is between elements
---@param low number[]   the element before each place, from 0
---@param high number[]  the one behind it
---@param t number[]     how far the place is from the first to the second
---@return cudalua.gpuarray.Array  the places along the first axis, then the lines
function M.listed(keys, low, high, t)
  local lines, from, to, between = last_first(keys), {}, {}, false
  for k = 1, #low do
    from[k], to[k], between = low[k] + 1, high[k] + 1, between or t[k] > 0
  end
  local value = at(lines, column(from, dtypes.int64, keys._ndim))
  if not between then return value end
  return M.between(value, at(lines, column(to, dtypes.int64, keys._ndim)), column(t, dtypes.float64, keys._ndim))
end

---The elements at fractions of what counts of each sorted line.
---@param keys cudalua.gpuarray.Array     sorted along the last axis
---@param numbers cudalua.gpuarray.Array  how many elements of each line count: float64, of the shape of keys but for
---  one element on the last axis
---@param method function     one of the methods
---@param fractions number[]  from 0 to 1
---@return cudalua.gpuarray.Array  the fractions along the first axis, then the lines
function M.counted(keys, numbers, method, fractions)
  local lines = last_first(keys)
  local low, high, t = method((last_first(numbers) - 1) * column(fractions, dtypes.float64, keys._ndim))
  local value = at_computed(lines, low)
  return t and M.between(value, at_computed(lines, high), t) or value
end

---The elements in the middle of what counts of each sorted line: one, or two.
---@param keys cudalua.gpuarray.Array     as for counted
---@param numbers cudalua.gpuarray.Array  as for counted
---@return cudalua.gpuarray.Array  of each line; with a first axis of one element
function M.middle(keys, numbers)
  local lines, n = last_first(keys), last_first(numbers)
  local low, high = f.floor((n - 1) / 2), f.floor(n / 2)
  local first, second = at_computed(lines, low), at_computed(lines, high)
  return f.where(f.eq(low, high), first, (first + second) / 2)
end

return M
