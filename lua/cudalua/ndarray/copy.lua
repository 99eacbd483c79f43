-- Moving the elements of host arrays: copies, conversions and fills, row by row. Each type and each pair of types has
-- loops of its own, so that LuaJIT compiles them well.

local ffi = require "ffi"
local element = require "cudalua.base.element"
local layout = require "cudalua.base.layout"

local cast = ffi.cast

local M = {}

-- Rows of elements of one size, bit by bit.
local row_copies = setmetatable({}, { __index = function(self, size)
  self[size] = element.specialise([[
    local copy, size = ...
    return function(q, p, n, step_q, step_p)
      for i = 0, n - 1 do copy(q + i * step_q, p + i * step_p, size) end
    end]], ffi.copy, size)
  return self[size]
end })
for _, size in ipairs { 1, 2, 4, 8, 16 } do
  row_copies[size] = element.specialise([[
    local cast, pointer, words = ...
    return function(q, p, n, step_q, step_p)
      for i = 0, n - 1 do
        local to, from = cast(pointer, q + i * step_q), cast(pointer, p + i * step_p)
        to[0] = from[0]
        if words == 2 then to[1] = from[1] end
      end
    end]], cast, ffi.typeof(("uint%d_t *"):format(8 * math.min(size, 8))), size / math.min(size, 8))
end

local function copy(dst, src)
  local itemsize = src._dtype.itemsize
  local copy_row, q, p = row_copies[itemsize], dst._p, src._p
  layout.each_row(src._shape, dst._strides, src._strides, function(_, to, from, n, step_q, step_p)
    if step_q == itemsize and step_p == itemsize then
      ffi.copy(q + to, p + from, n * itemsize)
    else
      copy_row(q + to, p + from, n, step_q, step_p)
    end
  end)
end

local row_conversions = {} -- [source][destination]

local function row_conversion(src, dst)
  local of_src = row_conversions[src] or {}
  row_conversions[src] = of_src
  of_src[dst] = of_src[dst] or element.specialise([[
    local load, convert, store = ...
    return function(q, p, n, step_q, step_p)
      for i = 0, n - 1 do
        local x, why = convert(load(p, i * step_p))
        if why then return i, why end
        store(q, i * step_q, x)
      end
    end]], src._load, element.converter(src, dst), dst._store)
  return of_src[dst]
end

---Copies all elements, converted as Array:astype says. The arrays have one shape and share no memory.
---@param dst cudalua.ndarray.Array
---@param src cudalua.ndarray.Array
---@return integer? i    number of the element, from 0, that has no counterpart; nil if all have
---@return string? why
function M.convert(dst, src)
  local a, b = dst._dtype, src._dtype
  if a == b or a._layout and a._layout == b._layout then return copy(dst, src) end
  local convert_row, q, p = row_conversion(src._dtype, dst._dtype), dst._p, src._p
  local where, why
  layout.each_row(src._shape, dst._strides, src._strides, function(i, to, from, n, step_q, step_p)
    where, why = convert_row(q + to, p + from, n, step_q, step_p)
    if why then
      where = i + where
      return true
    end
  end)
  if why then return where, why end
end

local row_fills = {}

---Sets every element to a value that the dtype's check gave.
---@param a cudalua.ndarray.Array
---@param x any
function M.fill(a, x)
  local dtype, p = a._dtype, a._p
  row_fills[dtype] = row_fills[dtype] or element.specialise([[
    local store = ...
    return function(p, n, step, x)
      for i = 0, n - 1 do store(p, i * step, x) end
    end]], dtype._store)
  local fill_row = row_fills[dtype]
  layout.each_row(a._shape, a._strides, a._strides, function(_, offset, _, n, step)
    fill_row(p + offset, n, step, x)
  end)
end

local function address(p) return tonumber(cast("uintptr_t", p)) end

---May two arrays share memory? Their outermost bytes decide.
---@param a cudalua.ndarray.Array
---@param b cudalua.ndarray.Array
---@return boolean
function M.overlap(a, b)
  local a_low, a_high = layout.extent(a._shape, a._strides, a._dtype.itemsize)
  local b_low, b_high = layout.extent(b._shape, b._strides, b._dtype.itemsize)
  local pa, pb = address(a._p), address(b._p)
  return pa + a_low < pb + b_high and pb + b_low < pa + a_high
end

return M
