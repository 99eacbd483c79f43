-- Which arrays a program has read one after the other. Most programs repeat: if an array was read after another one, it
-- will be read again when the same operations are repeated. And results that nothing has read twice in a row are
-- probably dropped.
--
-- Arrays are known by their distance from the requested array, in the order of writing. That array is known by
-- its last operation. Mistakes cost time only: whatever is computed along, results are the same.

local graph = require "cudalua.gpuarray.core.graph"
local object = require "cudalua.gpuarray.core.object"
local pairs_of = require "cudalua.base.pairs_of"
local planning = require "cudalua.gpuarray.core.planning"

local min, written = math.min, graph.written

local M = {}

---So many operations may be between two arrays.
M.FAR = 512
---A result is no longer computed along after it was not read so many times in a row.
M.TWICE = 2
---So many expressions are remembered, and so many arrays for each.
M.MOST, M.EACH = 256, 16

---What is known of the arrays that are written beside another one. Lists have an entry for each of them.
---@class cudalua.gpuarray.Habit
---@field n integer
---@field distance integer[]  from the requested array
---@field patience integer[]  how often it may still be computed without being read; 0: it is not computed along
---@field read boolean[]      did the program read it the last time?
---@field taken table         weak: the array of the last time, if it was computed along

local known, count = {}, 0
local last_key, last_born, last_written = 0, 0, 0 -- the last array: its key, its _born, and what was written by then

local function distance(x, o)
  local born = type(o) == "table" and o._born
  return born and born > 0 and min(x._born - born, 1023) or 0
end

---A number for an expression, which is the same when a program repeats.
---@param x cudalua.gpuarray.Array  pending
---@return integer
local function key_of(x)
  local sig = x._sig
  return sig and ((sig.number or 0) % 2048) + 2048 * (min(written() - x._born, 1023) + 1024 * (distance(x, x._a) +
    1024 * distance(x, x._b))) or -1
end

local function copied(h)
  local taken = setmetatable({}, { __mode = "v" })
  for i = 1, h.n do taken[i] = h.taken[i] end
  return { n = h.n, distance = { unpack(h.distance, 1, h.n) }, patience = { unpack(h.patience, 1, h.n) },
    read = { unpack(h.read, 1, h.n) }, taken = taken }
end

-- What says whether an array was read (is_unread): a plan that reads it changes that.
local function traces_of(h, list)
  for i = 1, h.n do
    local y = h.taken[i]
    if y then
      local leaf = y._leaf
      list[#list + 1] = { y = y, used = y._used, leaf = leaf, mark = leaf and leaf._mark,
        counted = leaf and leaf._counted }
    end
  end
end

planning.keeps(function()
  local saved, traces, n, key, born, at = {}, {}, count, last_key, last_born, last_written
  for k, h in pairs_of(known) do
    saved[k] = copied(h)
    traces_of(h, traces)
  end
  return function()
    known, count, last_key, last_born, last_written = saved, n, key, born, at
    for _, t in ipairs(traces) do
      t.y._used = t.used
      if t.leaf then t.leaf._mark, t.leaf._counted = t.mark, t.counted end
    end
  end
end)

---Forgets everything.
function M.forget() known, count = {}, 0 end

---@param key integer
---@return cudalua.gpuarray.Habit
local function habit_of(key)
  local h = known[key]
  if h then return h end
  if count >= M.MOST then M.forget() end
  h = { n = 0, distance = {}, patience = {}, read = {}, taken = setmetatable({}, { __mode = "v" }) }
  known[key], count = h, count + 1
  return h
end
M.habit_of = habit_of

local function find(h, d)
  for i = 1, h.n do
    if h.distance[i] == d then return i end
  end
end

-- The entry of a distance, which is made if there is none.
local function entry_of(h, d)
  local found = find(h, d)
  if found then return found end
  if h.n >= M.EACH then h.n = 0 end
  local i = h.n + 1
  h.n, h.distance[i], h.patience[i], h.read[i], h.taken[i] = i, d, M.TWICE, false, nil
  return i
end

---An array is requested. If it was already written when the last array was requested, it is computed along with that
---one the next time.
---@param x cudalua.gpuarray.Array  pending
---@return integer key
---@return cudalua.gpuarray.Habit?
function M.requested(x)
  local key, born = key_of(x), x._born
  local d = born - last_born
  if born > last_written or d > M.FAR or d < -M.FAR then
    last_key, last_born, last_written = key, born, written()
  elseif d ~= 0 then
    local h = habit_of(last_key)
    local i = entry_of(h, d)
    h.patience[i], h.read[i] = M.TWICE, true
  end
  return key, known[key]
end

---Has nothing read an array since it was computed along?
---@param y cudalua.gpuarray.Array
---@return boolean
function M.is_unread(y)
  local leaf = y._leaf -- false: nobody has needed it
  return y._used == M.UNREAD and (not leaf or leaf._counted == -1 and leaf._mark == 0)
end

---The value of _used in arrays that were computed along and that no function has read since.
M.UNREAD = object.UNREAD

---Looks at what became of the arrays that were computed along the last time.
---@param h cudalua.gpuarray.Habit
function M.review(h)
  for i = 1, h.n do
    local y = h.taken[i]
    if y then
      local read = not M.is_unread(y)
      h.patience[i], h.read[i], h.taken[i] = read and M.TWICE or h.patience[i] - 1, read, nil
    end
  end
end

---Is an array computed along? Unread ones are, unless they were not read the last times.
---@param h cudalua.gpuarray.Habit
---@param d integer  distance
---@return boolean wanted
---@return boolean read  did the program read it the last time?
function M.is_wanted(h, d)
  local i = find(h, d)
  return not i or h.patience[i] > 0, i ~= nil and h.read[i]
end

---Remembers that an array was computed along.
---@param key integer
---@param x cudalua.gpuarray.Array  the requested one
---@param y cudalua.gpuarray.Array
function M.took(key, x, y)
  local d = y._born - x._born
  if d > M.FAR or d < -M.FAR then return end
  local h = habit_of(key)
  y._used = M.UNREAD
  h.taken[entry_of(h, d)] = y
end

return M
