-- Long series of arrays on the device as few numbers that look the same: a line by the extremes of its parts, points by
-- the cells of a raster that have one.

local dtypes = require "cudalua.dtype"
local pace = require "cudalua.base.pace"

local floor, ceil, log10 = math.floor, math.ceil, math.log10

local M = {}

local PARTS = 4096    -- of a line
local NARROW = 1 / 1024 -- of the axis: no part is wider, so that nobody sees where in it a value lies
local CELLS = 1024    -- of the raster, along each axis
local AT_ONCE = 65536 -- cells between two looks at Ctrl-C

---What the axes are, as far as options say so.
---@class cudalua.look.View
---@field log_x boolean
---@field log_y boolean
---@field xlim? number[]
---@field ylim? number[]

-- The numbers of an array on the device.
local function copied(a)
  local host = a:astype(dtypes.float64):get()
  return { n = host.size, p = host:data(), memory = host }
end

local function new(n)
  local host = require("cudalua.ndarray").zeros({ n }, dtypes.float64)
  return { n = n, p = host:data(), memory = host }
end

-- ---- lines ----------------------------------------------------------------------------------------------------------

-- Is each part narrow on the axis? Their ends are numbers; what has no place there is not.
local function are_narrow(first, last, view)
  local place = view.log_x and log10 or function(x) return x end
  local from, to = first.p[0], last.p[last.n - 1]
  if view.xlim then from, to = view.xlim[1], view.xlim[2] end
  local most = (place(to) - place(from)) * NARROW
  for i = 0, first.n - 1 do
    local width = place(last.p[i]) - place(first.p[i])
    if width ~= width or width > most then return false end
  end
  return true
end

-- Where parts of f elements begin and end on the axis.
local function ends(x, n, f, count)
  local first, last = new(count), new(count)
  for i = 0, count - 1 do first.p[i], last.p[i] = i * f + 1, math.min((i + 1) * f, n) end
  if not x then return first, last end
  local whole = floor(n / f)
  local begin, stop = copied(x:slice { 1, n, f }), copied(x:slice { f, whole * f, f })
  for i = 0, count - 1 do first.p[i], last.p[i] = begin.p[i], i < whole and stop.p[i] or 0 end
  if whole < count then last.p[whole] = copied(x:slice { n, n }).p[0] end
  return first, last
end

local function ascends(x)
  return x:slice({ 2, x.size }):ge(x:slice { 1, x.size - 1 }):all():item()
end

---The least and the greatest of many parts of a line.
---@param x? cudalua.gpuarray.Array  1-D; default: 1, 2, 3 ...
---@param y cudalua.gpuarray.Array   1-D, of as many real numbers
---@param view cudalua.look.View
---@return cudalua.look.Numbers? xs  nil: one would see it, or x does not ascend
---@return cudalua.look.Numbers? ys
function M.line(x, y, view)
  local n = y.size
  local f = floor(n / PARTS)
  local count, whole = ceil(n / f), floor(n / f)
  if x and not ascends(x) then return nil end
  local first, last = ends(x, n, f, count)
  if not are_narrow(first, last, view) then return nil end
  local xs, ys, float = new(2 * count), new(2 * count), y.dtype.kind == "float"
  local function put(part, from)
    local low = copied(float and part:nanmin { axis = 2 } or part:min { axis = 2 })
    local high = copied(float and part:nanmax { axis = 2 } or part:max { axis = 2 })
    for i = 0, low.n - 1 do
      local k = from + i
      local middle = (first.p[k] + last.p[k]) / 2
      xs.p[2 * k], xs.p[2 * k + 1], ys.p[2 * k], ys.p[2 * k + 1] = middle, middle, low.p[i], high.p[i]
    end
  end
  put(y:slice({ 1, whole * f }):reshape { whole, f }, 0)
  if whole < count then put(y:slice({ whole * f + 1, n }):reshape { 1, n - whole * f }, whole) end
  if x then xs.p[0], xs.p[xs.n - 1] = first.p[0], last.p[count - 1] end -- the axis ends where the values do
  return xs, ys
end

-- ---- points ---------------------------------------------------------------------------------------------------------

-- The cells of values along an axis: their numbers, NaN for what has no place; a function from a number to a value; the
-- least and the greatest value.
local function cells_of(a, log, limits)
  local gpuarray = require "cudalua.gpuarray"
  a = a:astype(dtypes.float64)
  if log then a = gpuarray.where(a:gt(0), a, 0 / 0):log10() end
  a = gpuarray.where(a:isfinite(), a, 0 / 0):eval()
  local least, greatest = a:nanmin():item(), a:nanmax():item()
  local low, high = least, greatest
  if limits then low, high = limits[1], limits[2] end
  if limits and log then low, high = log10(low), log10(high) end
  local step = high > low and (high - low) / (CELLS - 1) or 1
  local function value(x) return log and 10 ^ x or x end
  local function value_of(i) return value(i == CELLS - 1 and high or low + i * step) end
  local cells = ((a - low) / step + 0.5):floor()
  return gpuarray.where(cells:ge(0):logical_and(cells:lt(CELLS)), cells, 0 / 0), value_of, value(least), value(greatest)
end

---One point for each cell of a raster that has points. Values without a place on one axis belong to the other one: the
---least and the greatest stand at the end, each beside a NaN.
---@param x? cudalua.gpuarray.Array  as of line()
---@param y cudalua.gpuarray.Array
---@param view cudalua.look.View
---@return cudalua.look.Numbers xs
---@return cudalua.look.Numbers ys
function M.points(x, y, view)
  local gpuarray = require "cudalua.gpuarray"
  local columns, x_of, left, right = cells_of(x or gpuarray.arange(1, y.size + 1, 1, "float64"), view.log_x, view.xlim)
  local rows, y_of, bottom, top = cells_of(y, view.log_y, view.ylim)
  local code = rows * CELLS + columns + 1
  code = gpuarray.where(code:isfinite(), code, CELLS * CELLS + 1):astype "int32"
  local hit = gpuarray.zeros(CELLS * CELLS + 1, "uint8"):put(code, 1):get()
  local p, list = hit:data(), {}
  for i = 0, CELLS * CELLS - 1 do
    if p[i] ~= 0 then list[#list + 1] = i end
    if i % AT_ONCE == 0 then pace(AT_ONCE) end
  end
  local n = #list
  local xs, ys = new(n + 4), new(n + 4)
  for k, i in ipairs(list) do
    xs.p[k - 1], ys.p[k - 1] = x_of(i % CELLS), y_of(floor(i / CELLS))
  end
  for k, value in ipairs { left, right, 0 / 0, 0 / 0 } do xs.p[n + k - 1] = value end
  for k, value in ipairs { 0 / 0, 0 / 0, bottom, top } do ys.p[n + k - 1] = value end
  return xs, ys
end

return M
