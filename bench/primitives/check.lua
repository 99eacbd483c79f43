-- What the results of bench/primitives.lua have to be: plain loops over copies in host memory, in double precision.
-- Each function raises an error where an array does not hold what it should.
local bit = require "bit"
local ffi = require "ffi"

local M = {}
local copies = {} -- by shape and dtype: fresh memory for each result would take longer than the copy

---@return ffi.cdata* elements  on the host, until the next array of this shape and dtype
local function host(x)
  local key = x.dtype.name .. " " .. table.concat(x.shape, " ")
  copies[key] = x:get(copies[key])
  return copies[key]:data()
end

-- Is it, NaN included, more than `most` away?
local function off(difference, most) return not (math.abs(difference) <= most) end -- luacheck: ignore 581

local function fail(format, ...) error(format:format(...), 0) end

local function near(what, found, expected, relative)
  if off(found - expected, relative * math.abs(expected)) then
    fail("%s is %.9g, not %.9g", what, found, expected)
  end
end

---One number.
function M.number(x, expected, relative) near("it", tonumber(x:item()), expected, relative or 0) end

---What loops say of `n` numbers.
function M.facts(x, n)
  local sum, low, high, place = 0, x[0], x[0], 1
  for i = 0, n - 1 do
    local v = x[i]
    sum = sum + v
    if v < low then low = v end
    if v > high then high, place = v, i + 1 end
  end
  return { sum = sum, low = low, high = high, place = place }
end

function M.dot(x, y, n)
  local sum = 0
  for i = 0, n - 1 do sum = sum + x[i] * y[i] end
  return sum
end

function M.distance(x, y, n)
  local sum = 0
  for i = 0, n - 1 do
    local d = x[i] - y[i]
    sum = sum + d * d
  end
  return sum
end

---Sums of rows and of columns.
function M.margins(x, rows, width)
  local of_rows, of_columns = ffi.new("double[?]", rows), ffi.new("double[?]", width)
  for r = 0, rows - 1 do
    local sum, row = 0, x + r * width
    for c = 0, width - 1 do
      local v = row[c]
      sum = sum + v
      of_columns[c] = of_columns[c] + v
    end
    of_rows[r] = sum
  end
  return of_rows, of_columns
end

function M.numbers(x, expected, n, relative)
  local found = host(x)
  for i = 0, n - 1 do
    if off(found[i] - expected[i], relative * expected[i]) then
      fail("number %d is %.9g, not %.9g", i + 1, found[i], expected[i])
    end
  end
end

---The sums of x up to each element; those before each one where `exclusive`; from zero again every `length` elements.
function M.sums(y, x, n, relative, exclusive, length)
  local found = host(y)
  length = length or n
  for first = 0, n - 1, length do
    local sum = 0
    for i = first, math.min(first + length, n) - 1 do
      local before = sum
      sum = sum + x[i]
      local expected = exclusive and before or sum
      if off(found[i] - expected, relative * expected) then
        fail("sum %d is %.9g, not %.9g", i + 1, found[i], expected)
      end
    end
  end
end

---Of int32 that wraps.
function M.whole_sums(y, x, n)
  local found, sum, tobit = host(y), 0, bit.tobit
  for i = 0, n - 1 do
    sum = tobit(sum + x[i])
    if found[i] ~= sum then fail("sum %d is %d, not %d", i + 1, found[i], sum) end
  end
end

---Sums down the columns.
function M.column_sums(y, x, rows, width, relative)
  local found, sums = host(y), ffi.new("double[?]", width)
  for r = 0, rows - 1 do
    for c = 0, width - 1 do
      local sum = sums[c] + x[r * width + c]
      sums[c] = sum
      local v = found[r * width + c]
      if off(v - sum, relative * sum) then fail("row %d, column %d: %.9g, not %.9g", r + 1, c + 1, v, sum) end
    end
  end
end

---The offsets of lines y = slope x + offset, one after the other.
function M.lines(y, x, n)
  local found, offset = host(y), 0
  for i = 0, n - 1 do
    offset = offset * x[2 * i] + x[2 * i + 1]
    if off(found[2 * i + 1] - offset, 1e-4 * offset) then
      fail("offset %d is %.9g, not %.9g", i + 1, found[2 * i + 1], offset)
    end
  end
end

-- The elements, whatever their order is: the sum of what a mixture of each one's bits is. Bits: two words for 64 bits.
local function mixture(x, n, words)
  local sum, tobit, bxor, rshift = 0, bit.tobit, bit.bxor, bit.rshift
  local p = ffi.cast("const int32_t *", x)
  for i = 0, n - 1 do
    local v = p[words * i]
    if words == 2 then v = tobit(v + bit.rol(p[2 * i + 1], 7) * 5) end
    v = bxor(v, rshift(v, 15))
    v = tobit(v * 8191)
    v = bxor(v, rshift(v, 13))
    sum = tobit(sum + tobit(v * 8193))
  end
  return sum
end

---x in ascending order.
function M.sorted(y, x, n, words)
  local found = host(y)
  for i = 1, n - 1 do
    if found[i] < found[i - 1] then fail("element %d is less than the one before", i + 1) end
  end
  if mixture(found, n, words or 1) ~= mixture(x, n, words or 1) then fail "the elements are others" end
end

---The places, from 1, of the elements in ascending order, of equal ones in the order that they have.
function M.places(p, x, n)
  local found = host(p)
  local seen = ffi.new("uint8_t[?]", n)
  local before, last = -1, -1
  for i = 0, n - 1 do
    local at = tonumber(found[i]) - 1
    if not (at >= 0 and at < n) or seen[at] ~= 0 then fail("place %d is wrong", i + 1) end
    seen[at] = 1
    local v = x[at]
    if v < before or v == before and at < last then fail("place %d: not in order", i + 1) end
    before, last = v, at
  end
end

---The `k` greatest elements and where they are.
function M.greatest(values, places, x, n, k)
  local v, p = host(values), host(places)
  local above, least = 0, v[k - 1]
  for i = 0, k - 1 do
    if v[i] ~= x[tonumber(p[i]) - 1] or i > 0 and v[i] > v[i - 1] then fail("element %d is wrong", i + 1) end
  end
  for i = 0, n - 1 do above = above + (x[i] > least and 1 or 0) end
  if above >= k then fail "there are greater elements" end
end

---0, 1 and so on, up to `n - 1`.
function M.counted(x, n)
  local found = host(x)
  if x.size ~= n then fail("there are %d elements", x.size) end
  for i = 0, n - 1 do
    if found[i] ~= i then fail("element %d is %d", i + 1, found[i]) end
  end
end

---How often elements times `scale` are in 0 to 1, in 1 to 2 and so on.
function M.counts(y, x, n, bins, scale)
  local found, counts = host(y), ffi.new("int32_t[?]", bins)
  for i = 0, n - 1 do
    local k = math.floor(x[i] * scale)
    counts[k] = counts[k] + 1
  end
  for k = 0, bins - 1 do
    if found[k] ~= counts[k] then fail("bin %d has %d, not %d", k + 1, tonumber(found[k]), counts[k]) end
  end
end

---Random numbers: mean, variance and the fourth moment are within five standard errors of the distribution's.
---@param moments number[]  mean, and the central moments 2, 4 and 8: the last one for the standard errors
function M.random(x, n, moments, low, high)
  local p = host(x)
  local mean, m2, m4, m8 = unpack(moments)
  local s1, s2, s4, least, most = 0, 0, 0, p[0], p[0]
  for i = 0, n - 1 do
    local v = p[i]
    if v < least then least = v end
    if v > most then most = v end
    local d = v - mean
    local square = d * d
    s1, s2, s4 = s1 + d, s2 + square, s4 + square * square
  end
  if not (least >= low and most <= high) then fail("they go from %.9g to %.9g", least, most) end
  local function within(what, found, expected, variance)
    if off(found - expected, 5 * math.sqrt(variance / n) + 1e-6) then
      fail("%s is %.9g, not %.9g", what, found, expected)
    end
  end
  within("the mean", s1 / n, 0, m2)
  within("the variance", s2 / n, m2, m4 - m2 * m2)
  within("the fourth moment", s4 / n, m4, m8 - m4 * m4)
end

return M
