-- Large arrays as few numbers: means over boxes of equal size. Arrays on the device are reduced there first, by whole
-- numbers of elements; the host does the rest, with fractions of elements.

local ffi = require "ffi"
local arrays = require "cudalua.ndarray.array"
local dtypes = require "cudalua.dtype"

local M = {}

local FEW = 2 ^ 16 -- elements that are copied as they are

---Is it an array on the device?
---@param a any
---@return boolean
function M.on_device(a) return type(a) == "table" and getmetatable(a) == "cudalua.gpuarray" end

-- Types whose means are exact enough in float32.
local narrow = { bool = true, int8 = true, uint8 = true, int16 = true, uint16 = true, float16 = true, bfloat16 = true,
  float32 = true }

-- ---- on the device --------------------------------------------------------------------------------------------------

-- Means over f elements each along an axis, the last one over the rest.
local function means(a, axis, f)
  if f == 1 then return a end
  local gpuarray = require "cudalua.gpuarray"
  local shape = a.shape
  local n = shape[axis]
  local count, rest = math.floor(n / f), n % f
  local all = {}
  for k = 1, #shape do all[k] = {} end
  local function part(from, to)
    all[axis] = { from, to }
    return a:slice(unpack(all, 1, #shape))
  end
  local split = {}
  for k = 1, #shape do
    if k == axis then
      split[#split + 1], split[#split + 2] = count, f
    else
      split[#split + 1] = shape[k]
    end
  end
  local whole = part(1, count * f):reshape(split):mean { axis = axis + 1 }
  if rest == 0 then return whole end
  return gpuarray.concatenate({ whole, part(count * f + 1, n):mean { axis = axis, keepdims = true } }, axis)
end

-- The first element of each cell from 0, and the end of the last.
local function edges(n, f)
  local cells = math.ceil(n / f)
  local at = ffi.new("double[?]", cells + 1)
  for i = 0, cells do at[i] = math.min(i * f, n) end
  return at, cells
end

local function reduced(a, rows, columns)
  local shape = a.shape
  local fy, fx = math.max(1, math.floor(shape[1] / rows)), math.max(1, math.floor(shape[2] / columns))
  if a.size <= FEW then fy, fx = 1, 1 end
  if fy * fx == 1 then return a:get(), 1, 1 end
  a:eval()
  if a.dtype.kind == "complex" then a = a:abs() end
  a = a:astype(narrow[a.dtype.name] and dtypes.float32 or dtypes.float64)
  return means(means(a, 1, fy), 2, fx):get(), fy, fx
end

-- ---- on the host ----------------------------------------------------------------------------------------------------

local function magnitude(x) return math.sqrt(tonumber(x.re) ^ 2 + tonumber(x.im) ^ 2) end

-- A function that reads an element as a number; a complex one by its magnitude.
local function reader(dtype)
  local load = dtype._load
  if dtype.kind == "bool" then return function(p, offset) return load(p, offset) and 1 or 0 end end
  if dtype.kind == "complex" then return function(p, offset) return magnitude(load(p, offset)) end end
  if dtype.itemsize == 8 and dtype.kind ~= "float" then
    return function(p, offset) return tonumber(load(p, offset)) end
  end
  return load
end

-- Which target each cell belongs to, how much of it, and how much to the next one. Cells are not larger than targets.
local function shares(at, cells, total, targets)
  local first, own, over = ffi.new("int32_t[?]", cells), ffi.new("double[?]", cells), ffi.new("double[?]", cells)
  local size, tiny = total / targets, 1e-9 * total
  for i = 0, cells - 1 do
    local t = math.min(math.floor((at[i] + tiny) / size), targets - 1)
    local boundary = (t + 1) * size
    local whole = at[i + 1] - at[i]
    if t == targets - 1 or at[i + 1] <= boundary + tiny then
      first[i], own[i], over[i] = t, whole, 0
    else
      first[i], own[i], over[i] = t, boundary - at[i], at[i + 1] - boundary
    end
  end
  return first, own, over
end

---Means over boxes of the first two axes. A box that has a NaN in it is NaN.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  (h, w) or (h, w, channels), not empty
---@param rows integer     boxes on the first axis; at most h
---@param columns integer  at most w
---@return ffi.cdata*  double[rows * columns * channels], in C order
function M.means(a, rows, columns)
  local shape = a.shape
  local h, w, channels = shape[1], shape[2], shape[3] or 1
  local fy, fx = 1, 1
  if M.on_device(a) then a, fy, fx = reduced(a, rows, columns) end
  local state = arrays.check_self(a, "show")
  local read, p, strides = reader(a.dtype), state._p, a.strides
  local sy, sx, sc = strides[1], strides[2], strides[3] or 0
  local ys, cells_y = edges(h, fy)
  local xs, cells_x = edges(w, fx)
  local row_of, row_own, row_over = shares(ys, cells_y, h, rows)
  local column_of, column_own, column_over = shares(xs, cells_x, w, columns)
  local n = columns * channels
  local out, line = ffi.new("double[?]", rows * n), ffi.new("double[?]", n)
  local scale = rows * columns / (h * w)
  for y = 0, cells_y - 1 do
    ffi.fill(line, 8 * n)
    for x = 0, cells_x - 1 do
      local to, own, over = column_of[x] * channels, column_own[x], column_over[x]
      for c = 0, channels - 1 do
        local value = read(p, y * sy + x * sx + c * sc)
        line[to + c] = line[to + c] + value * own
        if over > 0 then line[to + channels + c] = line[to + channels + c] + value * over end
      end
    end
    local to, own, over = row_of[y] * n, row_own[y] * scale, row_over[y] * scale
    for i = 0, n - 1 do out[to + i] = out[to + i] + line[i] * own end
    if over > 0 then
      for i = 0, n - 1 do out[to + n + i] = out[to + n + i] + line[i] * over end
    end
  end
  return out, a -- whose memory has to be there until now
end

return M
