-- What scans give, computed on the host in plain Lua, in the documented order (kernels/array/scan.cu) and independent
-- of the library's own code.
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local rounding = require("spec.support.reductions").rounding

local M = {}

local function same(x) return x end

-- Sums or products: combine(a, b) of two numbers, and of two complex ones with what rounds their parts.
local function accumulated(combine, complex)
  return function(t)
    if t.kind == "complex" then
      local r = rounding(t)
      return same, function(a, b) return t.ctype(complex(a, b, r)) end, same
    end
    if t.kind == "float" then
      local r = rounding(t.itemsize == 2 and dtype.float32 or t)
      return same, function(a, b) return r(combine(a, b)) end, rounding(t)
    end
    local whole = ffi.typeof(t.kind == "uint" and "uint64_t" or "int64_t")
    return function(x) return whole(type(x) == "boolean" and (x and 1 or 0) or x) end, combine, same
  end
end

-- The greatest (sign 1) or least (-1) values; -0 is less than 0.
local function extreme(sign)
  local function before(a, b) return sign * a < sign * b or a == b and a == 0 and sign / a < sign / b end
  local function best(a, b)
    if a ~= a or b ~= b then return 0 / 0 end
    return before(a, b) and b or a
  end
  return function(t)
    if t.kind == "bool" then
      return function(x) return x and 1 or 0 end, best, function(x) return x == 1 end
    end
    return same, best, same
  end
end

---By scan, for a dtype: how elements become values of the computation, how two become one, and what the result is.
---@type table<string, fun(t: cudalua.dtype.DType): function, function, function>
M.steps = {
  cumsum = accumulated(function(a, b) return a + b end, function(a, b, r) return r(a.re + b.re), r(a.im + b.im) end),
  cumprod = accumulated(function(a, b) return a * b end, function(a, b, r)
    return r(r(a.re * b.re) - r(a.im * b.im)), r(r(a.re * b.im) + r(a.im * b.re))
  end),
  cummax = extreme(1),
  cummin = extreme(-1),
}

-- Is a number, or a part of a complex one, NaN?
local function is_nan(t, x)
  if t.kind == "complex" then return x.re ~= x.re or x.im ~= x.im end
  return t.kind == "float" and x ~= x
end

function M.steps.nancumsum(t)
  local convert, combine, finish = M.steps.cumsum(t)
  local zero = t.kind == "complex" and t.ctype(0, 0) or 0
  return function(x) return is_nan(t, x) and zero or convert(x) end, combine, finish
end

---What NumPy's manual or NumPy itself gives: elements, axis (nil: all), result.
---@type table<string, table[]>
M.examples = {
  cumsum = { { { { 1, 2, 3 }, { 4, 5, 6 } }, nil, { 1, 3, 6, 10, 15, 21 } },
    { { { 1, 2, 3 }, { 4, 5, 6 } }, 1, { { 1, 2, 3 }, { 5, 7, 9 } } } },
  nancumsum = { { { { 1, 2 }, { 3, 0 / 0 } }, nil, { 1, 3, 6, 6 } },
    { { { 1, 2 }, { 3, 0 / 0 } }, 1, { { 1, 2 }, { 4, 2 } } },
    { { { 1, 2 }, { 3, 0 / 0 } }, 2, { { 1, 3 }, { 3, 3 } } },
    { { 0 / 0, -1 / 0, 0 / 0 }, nil, { 0, -1 / 0, -1 / 0 } } },
  cumprod = { { { { 1, 2, 3 }, { 4, 5, 6 } }, 2, { { 1, 2, 6 }, { 4, 20, 120 } } } },
}

-- Values first, first + 1 ... of which there are `count`, pairwise: perfect trees of the largest power of two first.
local function tree(list, first, count, combine)
  if count == 1 then return list[first] end
  local left = 1
  while 2 * left < count do left = 2 * left end
  return combine(tree(list, first, left, combine), tree(list, first + left, count - left, combine))
end

-- What comes before node i (from 0) of a level: those of its group before it, and what comes before the group.
local function before(levels, level, i, combine)
  local nodes, place, group = levels[level], i % 32, math.floor(i / 32)
  local own = place > 0 and tree(nodes, i - place + 1, place, combine) or nil
  if group == 0 then return own end
  local outer = before(levels, level + 1, group, combine)
  return own and combine(outer, own) or outer
end

-- Groups of so many, each as one value; those that are not complete are left out.
local function joined(list, size, combine)
  local out = {}
  for i = 1, math.floor(#list / size) do out[i] = tree(list, (i - 1) * size + 1, size, combine) end
  return out
end

---The values of all elements up to each one.
---@param list any[]
---@param combine fun(a: any, b: any): any
---@param run integer   elements of a run
---@param rows integer  rows of a tile
---@return any[]
function M.inclusive(list, combine, run, rows)
  local n, within, runs = #list, {}, {}
  for i = 1, n do
    if (i - 1) % run == 0 then within[i] = list[i] else within[i] = combine(within[i - 1], list[i]) end
    if i % run == 0 then runs[#runs + 1] = within[i] end
  end
  local all_rows = joined(runs, 32, combine)
  local levels = { joined(all_rows, rows, combine) }
  while #levels[#levels] > 0 do levels[#levels + 1] = joined(levels[#levels], 32, combine) end
  local out, row_before, tile_before, at_row, at_tile = {}, nil, nil, -1, -1
  for i = 0, n - 1 do
    local r = math.floor(i / run)
    local row = math.floor(r / 32)
    local tile = math.floor(row / rows)
    if row ~= at_row then
      at_row = row
      row_before = row % rows > 0 and tree(all_rows, row - row % rows + 1, row % rows, combine) or nil
    end
    if tile ~= at_tile then at_tile, tile_before = tile, before(levels, 1, tile, combine) end
    local e = r % 32 > 0 and tree(runs, r - r % 32 + 1, r % 32, combine) or nil
    if row_before ~= nil then e = e ~= nil and combine(row_before, e) or row_before end
    if tile_before ~= nil then e = e ~= nil and combine(tile_before, e) or tile_before end
    out[i + 1] = e ~= nil and combine(e, within[i + 1]) or within[i + 1]
  end
  return out
end

---The same from left to right.
---@param list any[]
---@param combine fun(a: any, b: any): any
---@return any[]
function M.plain(list, combine)
  local out = { list[1] }
  for i = 2, #list do out[i] = combine(out[i - 1], list[i]) end
  return out
end

return M
