-- What reductions give, computed on the host from lists of elements in plain Lua: independent of the library's rows.
local dtype = require "cudalua.dtype"
local ffi = require "ffi"

local M = {}

local cell = ffi.new "float[1]"
local function float(x)
  cell[0] = x
  return cell[0]
end
M.float = float

local function double(x) return x end

-- Rounds to a type.
local function rounding(t)
  if t.name == "float16" then return function(x) return dtype.unpack_float16(dtype.pack_float16(x)) end end
  if t.name == "bfloat16" then return function(x) return dtype.unpack_bfloat16(dtype.pack_bfloat16(x)) end end
  if t.itemsize == 4 or t.name == "complex64" then return float end
  return double
end
M.rounding = rounding

local function pairwise(list, combine)
  local n = #list
  while n > 1 do
    local m = 0
    for i = 1, n, 2 do
      m = m + 1
      if i < n then list[m] = combine(list[i], list[i + 1]) else list[m] = list[i] end
    end
    n = m
  end
  return list[1]
end

-- The documented order: a binary tree over the elements' numbers.
function M.tree(list, combine)
  local copy = {}
  for i, x in ipairs(list) do copy[i] = x end
  return pairwise(copy, combine)
end

local function accumulator(t) return t.kind == "float" and t.itemsize == 2 and dtype.float32 or t end

local function integers(list, t, combine, start)
  local ctype = t.kind == "uint" and ffi.typeof "uint64_t" or ffi.typeof "int64_t"
  local x = ctype(start)
  for _, v in ipairs(list) do
    if type(v) == "boolean" then v = v and 1 or 0 end
    x = combine(x, ctype(v))
  end
  return x
end

local function add(r)
  return function(a, b) return r(a + b) end
end

local function complex_add(t, r)
  return function(a, b) return t.ctype(r(a.re + b.re), r(a.im + b.im)) end
end

function M.sum(list, t)
  if t.kind == "complex" then return M.tree(list, complex_add(t, rounding(t))) end
  if t.kind ~= "float" then return integers(list, t, function(a, b) return a + b end, 0) end
  return rounding(t)(M.tree(list, add(rounding(accumulator(t)))))
end

function M.prod(list, t)
  if t.kind == "complex" then
    local r = rounding(t)
    return M.tree(list, function(a, b)
      return t.ctype(r(r(a.re * b.re) - r(a.im * b.im)), r(r(a.re * b.im) + r(a.im * b.re)))
    end)
  end
  if t.kind ~= "float" then return integers(list, t, function(a, b) return a * b end, 1) end
  local r = rounding(accumulator(t))
  return rounding(t)(M.tree(list, function(a, b) return r(a * b) end))
end

function M.mean(list, t)
  local n = #list
  if t.kind == "complex" then
    local r, s = rounding(t), M.sum(list, t)
    return t.ctype(r(s.re / r(n)), r(s.im / r(n)))
  end
  if t.kind == "float" then
    local r = rounding(accumulator(t))
    return rounding(t)(r(M.tree(list, add(r)) / r(n)))
  end
  if t.itemsize < 8 then return rounding(dtype.default_float())(tonumber(M.sum(list, t)) / n) end
  local doubles = {}
  for i, x in ipairs(list) do doubles[i] = tonumber(x) end
  return rounding(dtype.default_float())(M.tree(doubles, add(double)) / n)
end

local function truth(x)
  if type(x) == "boolean" then return x end
  if type(x) == "cdata" and not tostring(x):find "LL$" then return x.re ~= 0 or x.im ~= 0 end
  return x ~= 0
end

local function number(x)
  if type(x) == "boolean" then return x and 1 or 0 end
  return x
end

-- The place of the best element, from 1; NaN is the best of all, and the first of equals.
local function position(list, better)
  local best
  for i, x in ipairs(list) do
    x = number(x)
    if x ~= x then return i end
    if not best or better(x, number(list[best])) then best = i end
  end
  return best
end

-- As values, -0 is less than 0.
local function below(a, b) return a < b or a == 0 and b == 0 and 1 / a < 1 / b end

function M.argmin(list) return position(list, function(a, b) return a < b end) end
function M.argmax(list) return position(list, function(a, b) return a > b end) end

local function extremum(list, t, better)
  return list[position(list, t.kind == "float" and better or function(a, b) return better(a, b) end)]
end

function M.min(list, t)
  return extremum(list, t, t.kind == "float" and below or function(a, b) return a < b end)
end

function M.max(list, t)
  return extremum(list, t, t.kind == "float" and function(a, b) return below(b, a) end
    or function(a, b) return a > b end)
end

-- The same of those that are numbers; of none NaN, and place 0.
local function numbers(list)
  local out, places = {}, {}
  for i, x in ipairs(list) do
    if x == x then out[#out + 1], places[#places + 1] = x, i end
  end
  return out, places
end

local function of_numbers(f)
  return function(list, t)
    local some = numbers(list)
    if some[1] == nil then return 0 / 0 end
    return f(some, t)
  end
end
M.nanmin, M.nanmax = of_numbers(M.min), of_numbers(M.max)

local function place_of_numbers(f)
  return function(list)
    local some, places = numbers(list)
    return places[f(some)] or 0
  end
end
M.nanargmin, M.nanargmax = place_of_numbers(M.argmin), place_of_numbers(M.argmax)

function M.any(list)
  for _, x in ipairs(list) do
    if truth(x) then return true end
  end
  return false
end

function M.all(list)
  for _, x in ipairs(list) do
    if not truth(x) then return false end
  end
  return true
end

function M.count_nonzero(list)
  local n = 0
  for _, x in ipairs(list) do n = n + (truth(x) and 1 or 0) end
  return n
end

-- A value as text that tells -0 from 0 and has one name for NaN.
function M.text(x)
  if type(x) == "number" then return x ~= x and "nan" or ("%.17g"):format(x) end
  if type(x) == "cdata" then
    local whole = tostring(x):match "^(%-?%d+)U?LL$"
    return whole or M.text(x.re) .. "," .. M.text(x.im)
  end
  return tostring(x)
end

return M
