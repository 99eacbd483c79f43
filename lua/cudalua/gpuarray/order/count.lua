-- bincount, histogram, digitize: how many elements there are of each kind. count_run.lua counts.

local arguments = require "cudalua.gpuarray.index.arguments"
local choose = require "cudalua.gpuarray.index.choose"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local move = require "cudalua.gpuarray.index.move"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local run = require "cudalua.gpuarray.order.count_run"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"

local refuse, check_array = layout.refuse, arguments.check_array
local abs = math.abs

---@class cudalua.gpuarray
local M = {}

local MOST = 2 ^ 31 - 1 -- bins

-- ---- what is counted ------------------------------------------------------------------------------------------------

-- Weights as elements of float32 or float64 without gaps; nil for none.
local function weights_of(what, weights, a)
  if weights == nil then return nil end
  local w = arguments.any_array(what, "weights", weights, dtypes.float64)
  if not layout.same(w._shape, a._shape) then
    refuse(what, ("the array has the shape %s, but the weights have " ..
      "%s"):format(layout.text(a._shape), layout.text(w._shape)))
  end
  if w._dtype.kind == "complex" or w._dtype.kind == "struct" then
    refuse(what, "weights must be real numbers, got " .. w._dtype.name)
  end
  if w._dtype ~= dtypes.float32 and w._dtype ~= dtypes.float64 then w = graph.convert(w, dtypes.float64) end
  return w
end

local function counted(a, bins, weights)
  local leaf, n = run.packed(a), a._size
  if not weights then return run.count(leaf, n, bins) end
  local w = evaluate(weights)
  if not w.dense then w = view.copy(weights, "C")._leaf end
  return run.weigh(leaf, n, bins, w)
end

-- Calls f(...) in an array's context; it is evaluated.
local function inside(a, call, ...) return move.inside(evaluate(a), call, ...) end

-- ---- bincount -------------------------------------------------------------------------------------------------------

local bincount_options = { weights = true, minlength = true, stream = true, allocator = true }

-- The smallest and the largest element.
local function limits(a)
  return tonumber(a:min():item()), tonumber(a:max():item())
end

-- See M.bincount.
local function bincount(what, a, length, weights)
  weights = weights_of(what, weights, a)
  if a._size > 0 then
    local least, greatest = limits(a)
    if least < 1 then refuse(what, ("an element is %.0f; counting starts at 1"):format(least)) end
    if greatest > MOST then refuse(what, ("an element is %.0f, too large for the counts to fit in one " ..
      "array"):format(greatest)) end
    length = math.max(length, greatest)
  end
  return counted(a, run.numbered(length), weights)
end

---Counts the integers from 1 to the largest element: element v of the result is the count of the number v. So it
---counts positions and the results of argmin(), unique() and digitize(). Add 1 to numbers that begin with 0. The
---program waits until the largest element is known.
---@param a cudalua.gpuarray.Array  a 1-D array of integers from 1
---@param options? {weights: any, minlength: integer, stream: cudalua.Stream, allocator: function}  weights: an array
---  with a's shape, whose elements are summed instead of ones; minlength: the minimum number of elements of the result
---@return cudalua.gpuarray.Array  int64; with weights, float64
---@raise LogicError if an element is less than 1, and if types or shapes do not fit
function M.bincount(a, options)
  local what = "gpuarray.bincount"
  check_array(what, "a", a)
  local o = errors.options(what, options, bincount_options)
  if a._ndim ~= 1 then refuse(what, "the array must have one axis, but has the shape " .. layout.text(a._shape)) end
  if a._dtype.kind ~= "int" and a._dtype.kind ~= "uint" then
    refuse(what, "the array must contain integers, got " .. a._dtype.name)
  end
  local length = o.minlength == nil and 0 or layout.whole(o.minlength)
  if not length or length < 0 or length > MOST then
    refuse(what, "minlength must be a non-negative integer, got " .. element.describe(o.minlength))
  end
  return inside(a, bincount, what, a, length, o.weights)
end

-- ---- histogram ------------------------------------------------------------------------------------------------------

-- The type in which elements are compared with edges.
local function edge_type(a)
  local dt = a._dtype
  return dt.kind == "float" and dt.itemsize <= 4 and dtypes.float32 or dtypes.float64
end

-- Edges as a list of numbers, from a list or an array.
local function list_of_edges(what, bins)
  local host = object.is_array(bins) and bins:get { array = true } or bins
  if type(host) == "table" and getmetatable(host) == nil then
    host = errors.within(what, ndarray.array, host, dtypes.float64)
  end
  if #host.shape ~= 1 or host.shape[1] < 2 then
    refuse(what, "edges must be a list of at least two numbers, got the shape " .. layout.text(host.shape))
  end
  if host.dtype.kind == "complex" or host.dtype.kind == "struct" then refuse(what, "edges must be real numbers") end
  local list = {}
  for k = 1, host.shape[1] do
    list[k] = tonumber(host[k])
    if list[k] ~= list[k] then refuse(what, "an edge is NaN") end
    if k > 1 and list[k] < list[k - 1] then
      refuse(what, ("edges must not descend: %.14g comes after %.14g"):format(list[k], list[k - 1]))
    end
  end
  return list
end

local function range_of(what, a, range)
  local low, high
  if range ~= nil then
    if type(range) ~= "table" or #range ~= 2 then refuse(what, "range must be {low, high}") end
    low, high = element.scalar(range[1]), element.scalar(range[2])
    low, high = type(low) ~= "boolean" and tonumber(low), type(high) ~= "boolean" and tonumber(high)
    if not low or not high then refuse(what, "range must be {low, high}, two numbers") end
    if low ~= low or high ~= high or low > high then
      refuse(what, ("range: %.14g is not below %.14g"):format(low, high))
    end
  elseif a._size == 0 then
    return 0, 1
  else
    low, high = limits(a._dtype.kind == "bool" and graph.convert(a, dtypes.uint8) or a)
  end
  if not (abs(low) < math.huge and abs(high) < math.huge and high - low < math.huge) then
    refuse(what, ("the range from %s to %s is not finite"):format(low, high))
  end
  if low == high then return low - 0.5, high + 0.5 end
  return low, high
end

local function bins_of(what, a, bins, range)
  if bins == nil then bins = 10 end
  if type(bins) == "table" and not (object.is_array(bins) or getmetatable(bins) == nil
    or ndarray.is_array(bins)) then
    refuse(what, "bins must be a number or a list of edges, got " .. element.describe(bins))
  end
  if type(bins) == "table" then
    if range ~= nil then refuse(what, "range needs a number of bins, but got edges") end
    local edge = edge_type(a)
    if not (object.is_array(bins) and edge_type(bins) == dtypes.float32) then edge = dtypes.float64 end
    return run.between(list_of_edges(what, bins), edge)
  end
  local n = layout.whole(bins)
  if not n or n < 1 or n > MOST then
    refuse(what, "bins must be a positive integer, or a list of edges, got " .. element.describe(bins))
  end
  local low, high = range_of(what, a, range)
  local edge = edge_type(a)
  if math.max(abs(low), abs(high)) > run.FLOAT_MAX then edge = dtypes.float64 end
  return run.uniform(n, low, high, edge)
end

local function countable(what, a)
  check_array(what, "a", a)
  if a._dtype.kind == "complex" or a._dtype.kind == "struct" then
    refuse(what, "elements must be real numbers, got " .. a._dtype.name)
  end
end

local histogram_options = { range = true, weights = true, density = true, stream = true, allocator = true }

-- See M.histogram.
local function histogram(what, a, bins, o)
  local weights = weights_of(what, o.weights, a)
  local b = bins_of(what, a, bins, o.range)
  local counts = counted(a, b, weights)
  if o.density then
    local e = graph.as_type(run.edges(b), dtypes.float64)
    local widths = view.slice(what, e, 1, { { 2, b.n + 1 } }) - view.slice(what, e, 1, { { 1, b.n } })
    counts = graph.convert(counts, dtypes.float64)
    counts = counts / (counts:sum() * widths)
  end
  return counts, run.edges(b)
end

---Counts the elements between edges, as NumPy's histogram. A bin includes its lower edge, and the last bin includes
---both edges. Elements outside and NaNs are not counted. Without a range the program waits for the smallest and the
---largest element.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param bins? any  the number of bins of equal width, default 10; or the edges, an ascending list or array with one
---  more element
---@param options? {range: number[], weights: any, density: boolean, stream: cudalua.Stream, allocator: function}
---  range: {low, high}, the range of the bins; default: from the smallest to the largest element; weights: an array
---  with a's shape, whose elements are summed instead of ones; density: divide by the sum and the widths, so that the
---  integral is 1
---@return cudalua.gpuarray.Array counts  int64; with weights or density, float64
---@return cudalua.gpuarray.Array edges  float32 for floats with at most 32 bits; otherwise, and if you pass a list of
---  edges, float64
---@raise LogicError if the range is not finite, if the edges descend, and if types or shapes do not fit
function M.histogram(a, bins, options)
  local what = "gpuarray.histogram"
  countable(what, a)
  local o = errors.options(what, options, histogram_options)
  layout.flag(what, o, "density")
  return inside(a, histogram, what, a, bins, o)
end

local edges_options = { range = true, stream = true, allocator = true }

---Returns the edges that histogram() uses.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param bins? any  as for histogram
---@param options? {range: number[], stream: cudalua.Stream, allocator: function}  range: as for histogram
---@return cudalua.gpuarray.Array
---@raise LogicError as histogram
function M.histogram_bin_edges(a, bins, options)
  local what = "gpuarray.histogram_bin_edges"
  countable(what, a)
  local range = errors.options(what, options, edges_options).range
  return inside(a, function() return run.edges(bins_of(what, a, bins, range)) end)
end

-- ---- digitize -------------------------------------------------------------------------------------------------------

local digitize_options = { right = true, stream = true, allocator = true }

-- Edges in host memory: a list as float64, or as float32 where that is the same; nil for those on the device.
local function host_edges(what, edges)
  if object.is_array(edges) then return nil end
  if ndarray.is_array(edges) then return edges end
  if type(edges) ~= "table" then
    refuse(what, "edges must be an array or a list, got " .. element.describe(edges))
  end
  local host = errors.within(what, ndarray.array, edges, dtypes.float64)
  local short = host:astype(dtypes.float32)
  return host:equal(short) and short or host
end

-- Are all elements of a list in order?
local function host_ordered(host, compare)
  for k = 2, host.size do
    if not compare(host[k - 1], host[k]) then return false end
  end
  return true
end

local function device_ordered(what, e, compare)
  local n = e._size
  return n < 2 or compare(view.slice(what, e, 1, { { 1, n - 1 } }), view.slice(what, e, 1, { { 2, n } })):all():item()
end

-- See M.digitize.
local function digitize(what, a, edges, right)
  local host = host_edges(what, edges)
  local e = host and transfer.to_gpu(host) or edges
  if e._ndim ~= 1 then refuse(what, "edges must have one axis, but have the shape " .. layout.text(e._shape)) end
  local kind, n = e._dtype.kind, e._size
  if kind == "complex" or kind == "struct" then refuse(what, "edges must be real numbers") end
  if kind == "bool" then e, host = graph.convert(e, dtypes.uint8), nil end
  local up, down
  if host then
    up = host_ordered(host, function(x, y) return x <= y end)
    down = up or host_ordered(host, function(x, y) return x >= y end)
  else
    up = device_ordered(what, e, function(x, y) return x:le(y) end)
    down = up or device_ordered(what, e, function(x, y) return x:ge(y) end)
  end
  if not down then refuse(what, "the edges are not sorted") end
  local side = { side = right and "left" or "right" }
  if up then return choose.searchsorted(e, a, side) end
  -- Counted from the other end: the interval after the k-th edge of n is the n - k-th then.
  return n + 2 - choose.searchsorted(view.slice(what, e, 1, { { n, 1, -1 } }), a, side)
end

---Finds the interval of each element between edges: 1 below the first edge, 2 from the first to the second one, and so
---on, up to the number of edges plus 1 from the last edge on. bincount() counts the result. An element on an edge
---counts as above it. NaN is greater than every edge.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param edges any  an ascending or descending list or array
---@param options? {right: boolean, stream: cudalua.Stream, allocator: function}  right: an element on an edge counts as
---  below it
---@return cudalua.gpuarray.Array  int64, with a's shape
---@raise LogicError if the edges are not sorted
function M.digitize(a, edges, options)
  local what = "gpuarray.digitize"
  countable(what, a)
  local right = layout.flag(what, errors.options(what, options, digitize_options), "right")
  return inside(a, digitize, what, a, edges, right)
end

return require("cudalua.gpuarray.core.calls").install(M)
