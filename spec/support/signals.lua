-- The golden values of statistics and signals (spec/data/golden/signals.lua), and how calls are compared with them.
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"

local golden = require "spec.data.golden.signals"
local turn = require "spec.support.turn"

local M = {}

local function decode(row)
  local bytes = row[3]:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)
  if #bytes == 0 then return ndarray.empty(row[2], row[1]) end
  return ndarray.from_buffer(bytes, row[2], row[1]):copy()
end

-- The same elements in other memory.
local layouts = {
  function(a) return a end,
  function(a) -- a part of something larger, backwards
    local whole, part = {}, {}
    for k, n in ipairs(a.shape) do
      whole[k] = 2 * n + 1
      part[k] = n > 0 and { 2 * n, 2, -2 } or { 2, 1 }
    end
    if a.ndim == 0 then return a end
    return gpuarray.zeros(whole, a.dtype)[part]:set(a)
  end,
  function(a) return gpuarray.where(gpuarray.ones(a.shape, "bool"), a, a) end, -- pending
}

-- The parts of all elements in C order, as doubles; integers exactly.
local function numbers(h)
  local out, flat = {}, h:reshape(-1)
  for k = 1, h.size do
    local v = flat[k]
    if type(v) == "cdata" and (ffi.istype("complex", v) or ffi.istype("complex float", v)) then
      out[#out + 1], out[#out + 2] = tonumber(v.re), tonumber(v.im)
    else
      out[#out + 1] = v
    end
  end
  return out
end
M.numbers = numbers

-- The first element that is off by more than so many units of the greatest one; 0: by anything.
local function difference(want, got, limit)
  local p, q, most = numbers(want), numbers(got), 0
  for k = 1, #p do
    if type(p[k]) == "number" and math.abs(p[k]) < math.huge then most = math.max(most, math.abs(p[k])) end
  end
  local eps = want.dtype.kind ~= "complex" and dtype.finfo(want.dtype.kind == "float" and want.dtype or "float64").eps
    or dtype.finfo(want.dtype).eps
  for k = 1, #p do
    local same = p[k] == q[k] or p[k] ~= p[k] and q[k] ~= q[k]
    if not same and not (limit > 0 and math.abs(p[k] - q[k]) <= limit * eps * most) then
      return ("number %d: NumPy %s, here %s"):format(k, tostring(p[k]), tostring(q[k]))
    end
  end
end

---Compares all golden calls of a function with what they give here, of arrays that lie in memory in several ways, and
---of pending ones.
---@param name string
---@param limit number  so many eps of the greatest element; 0: equal
---@return integer      how many calls; under the sanitizers a part of them is made
function M.check(name, limit)
  local count, wrong, rows = 0, {}, {}
  for _, row in ipairs(golden) do
    if row[1]:find("[.:]" .. name .. "%f[^%w_]") then
      count = count + 1
      rows[count] = { row, count % 3 == 0 or os.getenv "CUDALUA_ALL" }
    end
  end
  for _, taken in ipairs(turn.share(rows)) do
    local row = taken[1]
    local call = assert(loadstring("local g, a, b, c = ... return " .. row[1]))
    for way = 1, taken[2] and #layouts or 1 do
      local arrays = {}
      for i, input in ipairs(row[2]) do arrays[i] = layouts[way](gpuarray.to_gpu(decode(input))) end
      local got = { call(gpuarray, unpack(arrays)) }
      assert(#row[3] == #got, row[1])
      for i, output in ipairs(row[3]) do
        local want, x = decode(output), got[i]
        local text = want.dtype.name ~= x.dtype.name and "dtype " .. x.dtype.name .. ", not " .. want.dtype.name
          or tostring(want.shape) ~= tostring(x.shape) and "shape " .. tostring(x.shape)
          or difference(want, x:copy "C":get { array = true }, limit)
        if text then
          wrong[#wrong + 1] = ("%s, layout %d, of %s, result %d: %s"):format(row[1], way, row[2][1][1], i, text)
        end
      end
    end
  end
  if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
  return count
end

return M
