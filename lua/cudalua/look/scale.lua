-- Axes of plots: from values to places between 0 and 1, and ticks at round numbers.

local numbers = require "cudalua.look.numbers"

local floor, ceil, log10, abs = math.floor, math.ceil, math.log10, math.abs

local M = {}

---An axis.
---@class cudalua.look.Scale
---@field low number
---@field high number
---@field log boolean
---@field place fun(x: number): number  0 at low, 1 at high; not a finite number if x has no place

---@param low number
---@param high number  above low
---@param log boolean  both are positive then
---@return cudalua.look.Scale
function M.new(low, high, log)
  local a, b = log and log10(low) or low, log and log10(high) or high
  local span = b - a
  local function place(x)
    if log then x = x > 0 and log10(x) or 0 / 0 end
    return (x - a) / span
  end
  return { low = low, high = high, log = log, place = place }
end

---Limits with some room around values.
---@param low number   the least value
---@param high number  the greatest
---@param log boolean
---@param room number  part of the span on each side
---@return number low
---@return number high
function M.widened(low, high, log, room)
  if log then
    if low == high then return low / 2, high * 2 end
    local more = (high / low) ^ room
    return low / more, high * more
  end
  if low == high then
    local more = low == 0 and 1 or abs(low) * 0.1
    return low - more, high + more
  end
  local more = (high - low) * room
  return low - more, high + more
end

-- The 1, 2 or 5 times a power of ten that is x or a little more.
local function round_step(x)
  local power = 10 ^ floor(log10(x))
  for _, k in ipairs { 1, 2, 5 } do
    if k * power >= x * (1 - 1e-9) then return k * power end
  end
  return 10 * power
end

local function linear(low, high, most)
  local step = round_step((high - low) / most)
  local list, first = {}, ceil(low / step - 1e-9)
  for i = first, first + most + 1 do
    local x = i * step
    if x > high + 1e-9 * step then break end
    list[#list + 1] = x
  end
  local largest = math.max(abs(low), abs(high))
  local digits = floor(log10(math.max(largest, step))) - floor(log10(step) + 1e-9) + 1
  local places = math.max(0, -floor(log10(step) + 1e-9))
  local plain = largest < 1e6 and places <= 4
  for k, x in ipairs(list) do
    list[k] = { x = x, text = plain and ("%%.%df"):format(places):format(x + 0):gsub("^%-(0%.?0*)$", "%1") or
      numbers.short(x, math.min(digits, 15)) }
  end
  return list
end

local function logarithmic(low, high, most)
  local first, last = ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9)
  local decades, list = last - first + 1, {}
  local every = math.max(1, ceil(decades / most))
  local marks = decades * 3 <= most and { 1, 2, 5 } or { 1 }
  for e = every == 1 and first - 1 or ceil(first / every) * every, last, every do
    for _, k in ipairs(marks) do
      local x = k * 10 ^ e
      if x >= low * (1 - 1e-9) and x <= high * (1 + 1e-9) then list[#list + 1] = { x = x, text = numbers.short(x) } end
    end
  end
  return #list >= 2 and list or linear(low, high, most)
end

---Ticks at round numbers: multiples of 1, 2 or 5 times a power of ten; of a logarithmic axis powers of ten.
---@param scale cudalua.look.Scale
---@param most integer  about how many
---@return {x: number, text: string}[]
function M.ticks(scale, most)
  most = math.max(2, most)
  return (scale.log and logarithmic or linear)(scale.low, scale.high, most)
end

return M
