-- What a plot shows: the numbers of each series, from lists, host arrays and arrays on the device. Histograms and long
-- lines of arrays on the device are reduced there.

local ffi = require "ffi"
local arrays = require "cudalua.ndarray.array"
local boxes = require "cudalua.look.boxes"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local pairs_of = require "cudalua.base.pairs_of"
local reduced = require "cudalua.look.reduced"

local refuse = layout.refuse
local WHAT = "plot"

local M = {}

local LONG = 2 ^ 16  -- elements; of a longer line only extremes are copied
local MOST_BINS = 64 -- by default

---Numbers in host memory.
---@class cudalua.look.Numbers
---@field n integer
---@field [integer] number  from 0: `p`
---@field p ffi.cdata*      double[n]

local function new(n) return { n = n, p = ffi.new("double[?]", math.max(n, 1)) } end

---Is it an array, on the host or the device?
---@param x any
---@return boolean
function M.is_array(x) return boxes.on_device(x) or arrays.is_array(x) end

local function is_list(x) return type(x) == "table" and getmetatable(x) == nil end

local function check_real(name, a)
  local kind = a.dtype.kind
  if kind == "complex" or kind == "struct" then
    refuse(WHAT, ("%s must be real numbers, got %s"):format(name, a.dtype.name))
  end
end

local function of_array(name, a, any_shape)
  check_real(name, a)
  if #a.shape ~= 1 and not any_shape then
    refuse(WHAT, ("%s must have one axis, got the shape %s"):format(name, layout.text(a.shape)))
  end
  local host = boxes.on_device(a) and a:get() or a
  arrays.check_self(host, WHAT)
  local doubles = host:astype("float64", "C")
  local out = new(host.size)
  ffi.copy(out.p, doubles._p, 8 * out.n)
  return out, doubles -- whose memory has to be there until now
end

local function of_list(name, list)
  local out = new(#list)
  for key in pairs_of(list) do
    if type(key) ~= "number" or key < 1 or key > #list then
      refuse(WHAT, ("%s must be a list of numbers, but it has the field %s"):format(name, errors.text(key)))
    end
  end
  for i, x in ipairs(list) do
    local value = element.scalar(x)
    if type(value) == "cdata" and not element.is_complex(value) then value = tonumber(value) end
    if type(value) ~= "number" then
      refuse(WHAT, ("%s[%d] must be a number, got %s"):format(name, i, element.describe(x)))
    end
    out.p[i - 1] = value
  end
  return out
end

local function values(name, x, any_shape)
  if M.is_array(x) then return (of_array(name, x, any_shape)) end
  if is_list(x) then return of_list(name, x) end
  refuse(WHAT, ("%s must be an array or a list of numbers, got %s"):format(name, element.describe(x)))
end

local function places(n)
  local out = new(n)
  for i = 0, n - 1 do out.p[i] = i + 1 end
  return out
end

-- Are the numbers of a series arrays on the device, of so many values that few shall be copied?
local function is_long(data)
  local n = boxes.on_device(data[#data]) and data[#data].size or 0
  if n <= LONG then return false end
  for i, a in ipairs(data) do
    if not boxes.on_device(a) or #a.shape ~= 1 or a.size ~= n then return false end
    check_real(i < #data and "x" or "y", a)
  end
  return true
end

-- The same numbers, or so many that they look the same.
local function line(s, data, view)
  if is_long(data) and s.kind ~= "bars" then
    local x, y = #data == 2 and data[1] or nil, data[#data]
    s.x, s.y = reduced[s.kind == "scatter" and "points" or "line"](x and (x:eval() or x), y:eval() or y, view)
    if s.x then return end
  end
  s.y = values("y", data[#data])
  s.x = #data == 2 and values("x", data[1]) or places(s.y.n)
  if s.x.n ~= s.y.n then refuse(WHAT, ("x has %d values, but y has %d"):format(s.x.n, s.y.n)) end
end

local function bars(s, data)
  local names = #data == 2 and is_list(data[1]) and type(data[1][1]) == "string" and data[1]
  if names then
    for i, name in ipairs(names) do
      if type(name) ~= "string" then
        refuse(WHAT, ("x[%d] must be a string as those before it, got %s"):format(i, element.describe(name)))
      end
    end
    s.y = values("y", data[2])
    if #names ~= s.y.n then refuse(WHAT, ("x has %d names, but y has %d values"):format(#names, s.y.n)) end
    s.x, s.names = places(s.y.n), names
    return
  end
  line(s, { data[1], data[2] })
end

-- ---- histograms -----------------------------------------------------------------------------------------------------

-- The smallest and the largest finite value of one series; nil if there is none.
local function range_of(data)
  local low, high = math.huge, -math.huge
  if boxes.on_device(data) then
    if data.size == 0 then return nil end
    if data.dtype.kind == "float" then
      local gpuarray = require "cudalua.gpuarray"
      data = gpuarray.where(data:isfinite(), data, 0 / 0)
      low, high = data:nanmin():item(), data:nanmax():item()
    else
      low, high = tonumber(data:astype("float64"):min():item()), tonumber(data:astype("float64"):max():item())
    end
    if low ~= low then return nil end
    return low, high
  end
  for i = 0, data.n - 1 do
    local x = data.p[i]
    if x - x == 0 then low, high = math.min(low, x), math.max(high, x) end
  end
  if low <= high then return low, high end
end

local function uniform(n, low, high)
  local edges = new(n + 1)
  for i = 0, n do edges.p[i] = i == n and high or low + i * ((high - low) / n) end
  return edges
end

-- How many values lie between edges, as NumPy's histogram.
local function count(data, edges)
  local counts, n, p = new(edges.n - 1), edges.n - 1, edges.p
  for i = 0, data.n - 1 do
    local x = data.p[i]
    if x >= p[0] and x <= p[n] then
      local low, high = 0, n - 1 -- the bin is one of these
      while low < high do
        local middle = math.floor((low + high + 1) / 2)
        if x >= p[middle] then low = middle else high = middle - 1 end
      end
      counts.p[low] = counts.p[low] + 1
    end
  end
  return counts
end

local function count_on_device(data, edges)
  local list = arrays.allocated(WHAT, { edges.n }, require("cudalua.dtype").float64, "C")
  ffi.copy(list._p, edges.p, 8 * edges.n)
  local flat = data:astype(data.dtype.kind == "float" and data.dtype or "float64")
  return (of_array("counts", (require("cudalua.gpuarray").histogram(flat, list))))
end

local function check_edges(list)
  local edges = values("bins", list)
  if edges.n < 2 then refuse(WHAT, "bins needs two edges at least, got " .. edges.n) end
  for i = 0, edges.n - 1 do
    local x = edges.p[i]
    if x - x ~= 0 or i > 0 and x <= edges.p[i - 1] then
      refuse(WHAT, ("bins[%d] is %s: edges are finite and ascend"):format(i + 1, element.describe(x)))
    end
  end
  return edges
end

---The edges of all histograms of a plot, and their counts.
---@param list table[]  series whose `data` was given
---@param bins any      how many, or edges, or nil
function M.count(list, bins)
  local low, high, most = math.huge, -math.huge, 0
  for _, s in ipairs(list) do
    local a, b = range_of(s.data)
    if a then low, high = math.min(low, a), math.max(high, b) end
    most = math.max(most, boxes.on_device(s.data) and s.data.size or s.data.n)
  end
  if low > high then low, high = 0, 1 end
  if low == high then low, high = low - 0.5, high + 0.5 end
  local edges
  if bins ~= nil and (is_list(bins) or M.is_array(bins)) then
    edges = check_edges(bins)
  else
    local n = bins == nil and math.max(1, math.min(MOST_BINS, math.ceil(2 * most ^ (1 / 3)))) or layout.whole(bins)
    if not n or n < 1 or n > 1e6 then
      refuse(WHAT, "bins must be a positive integer or a list of edges, got " .. element.describe(bins))
    end
    edges = uniform(n, low, high)
  end
  for _, s in ipairs(list) do
    s.edges, s.y = edges, (boxes.on_device(s.data) and count_on_device or count)(s.data, edges)
  end
end

local function hist(s, data)
  if #data ~= 1 then
    refuse(WHAT, "a histogram takes one array or list; pass several as series: {{a}, {b}, kind = 'hist'}")
  end
  if boxes.on_device(data[1]) then
    check_real("the data", data[1])
    s.data = data[1]
  else
    s.data = values("the data", data[1], true)
  end
end

local makers = { line = line, scatter = line, bars = bars, hist = hist }

---The numbers of a series.
---@param data any[]   {y}, {x, y}
---@param kind string  checked
---@param label? string
---@param view? cudalua.look.View  the axes, for lines and points
---@return table  kind, label; x, y of lines, scatters and bars; names of bars; data of histograms
function M.new(data, kind, label, view)
  if #data < 1 or #data > 2 then
    refuse(WHAT, ("a series is {y} or {x, y}, got %d values"):format(#data))
  end
  local s = { kind = kind, label = label }
  makers[kind](s, data, view or { log_x = false, log_y = false })
  return s
end

return M
