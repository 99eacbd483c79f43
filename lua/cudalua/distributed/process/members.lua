-- Ranks of one process: coroutines that take turns. A rank that waits for others yields. Of the ranks that meet in a
-- call, the last one to come does what it is for all of them, and never waits.

local Context = require "cudalua.driver.context"
local core = require "cudalua.core"
local errors = require "cudalua.base.errors"

local M = {}

---A rank of this process.
---@class cudalua.distributed.Member
---@field rank integer                   in the world, from 0
---@field room cudalua.distributed.Room
---@field co thread
---@field contexts cudalua.Context[]     what it has pushed, while it does not run
---@field world? cudalua.distributed.Group
---@field waits? cudalua.distributed.Wait  it cannot go on yet
---@field failure? any                   what the call that it waits in raises: an error, or a Stop
---@field ended? boolean
---@field results? table                 of its function

---What a rank waits for.
---@class cudalua.distributed.Wait
---@field where string
---@field needs fun(rank: integer): boolean  does it wait for this rank of the world?

---The ranks that take turns.
---@class cudalua.distributed.Room
---@field members cudalua.distributed.Member[]
---@field failure? cudalua.distributed.Stop  a rank failed: all further calls raise this

local running ---@type cudalua.distributed.Member?

---The rank whose function is running.
---@return cudalua.distributed.Member?
function M.current() return running end

-- ---- waiting --------------------------------------------------------------------------------------------------------

---Why a rank cannot go on.
---@class cudalua.distributed.Stop
---@field rank integer  the one that is to blame
---@field text string
---@field stop true

local function raise(where, stop)
  errors.raise("RuntimeError", ("%s: %s"):format(where, stop.text), { rank = stop.rank })
end

---The rank that makes a call, if it can.
---@param where string
---@return cudalua.distributed.Member
---@raise LogicError outside the ranks' functions and in coroutines of theirs; RuntimeError if a rank failed
function M.caller(where)
  local m = running
  if not m then
    errors.raise("LogicError", where .. ": the ranks of cuda.devices() have ended; make the call in their function")
  end
  if coroutine.running() ~= m.co then
    errors.raise("LogicError", where .. ": a coroutine of a rank cannot wait for other ranks; make the call in the "
      .. "function that cuda.devices() runs")
  end
  if m.room.failure then raise(where, m.room.failure) end
  return m
end

local function has_ended(rank)
  return { rank = rank, text = ("rank %d has ended, and does not make the call"):format(rank), stop = true }
end

---Waits until wake() is called for this rank.
---@param m cudalua.distributed.Member
---@param wait cudalua.distributed.Wait
---@raise RuntimeError if what it waits for cannot come any more; LogicError where a coroutine cannot yield
function M.wait(m, wait)
  for _, other in ipairs(m.room.members) do
    if other.ended and wait.needs(other.rank) then raise(wait.where, has_ended(other.rank)) end
  end
  m.waits = wait
  local ok = pcall(coroutine.yield)
  if not ok then
    m.waits = nil
    errors.raise("LogicError", wait.where .. ": cannot wait for other ranks inside stream:use(), a capture or another "
      .. "function that is called by C; make the call before or after it")
  end
  local failure = m.failure
  m.failure = nil
  if failure == nil then return end
  if type(failure) == "table" and failure.stop then raise(wait.where, failure) end
  error(failure, 0)
end

---Lets a rank go on, in its turn.
---@param m cudalua.distributed.Member
---@param failure? any  what its call raises
function M.wake(m, failure)
  m.waits, m.failure = nil, failure
end

-- Wakes the ranks that wait (for this one, if it is given), so that they raise.
local function stop(room, why, needed)
  for _, m in ipairs(room.members) do
    if m.waits and (not needed or m.waits.needs(needed)) then M.wake(m, why) end
  end
end

-- ---- turns ----------------------------------------------------------------------------------------------------------

-- Takes off what stands above this depth; returns it, the lowest first.
local function take_off(depth)
  local list = {}
  while core.context_depth() > depth do
    table.insert(list, 1, Context.get_current())
    Context.pop()
  end
  return list
end

local function text_of(err)
  if errors.is_error(err) then return err.message end
  return errors.text(err)
end

local function pack(ok, ...) return ok, { n = select("#", ...), ... } end

-- Runs a rank until it waits or ends, with its own contexts on the stack.
local function turn(m, ...)
  local depth, outer = core.context_depth(), Context.get_current()
  for _, context in ipairs(m.contexts) do context:push() end
  running = m
  local ok, results = pack(coroutine.resume(m.co, ...))
  running = nil
  m.contexts = take_off(depth)
  local popped = core.context_depth() < depth
  if popped and outer then outer:push() end
  if coroutine.status(m.co) ~= "dead" and not popped then return end
  m.ended, m.waits, m.contexts = true, nil, {}
  local room = m.room
  if ok and popped then
    local text = "devices: the function popped a context that it had not pushed"
    ok, results = pack(pcall(errors.raise, "LogicError", text))
  end
  if ok then
    m.results = results
    return stop(room, has_ended(m.rank), m.rank)
  end
  m.error = results[1]
  room.first = room.first or m
  if room.failure then return end
  room.failure = { rank = m.rank, text = ("rank %d failed: %s"):format(m.rank, text_of(m.error)), stop = true }
  stop(room, room.failure)
end

-- All ranks that have not ended wait.
local function stuck(room)
  local parts, first = {}, nil
  for _, m in ipairs(room.members) do
    if m.waits then
      parts[#parts + 1] = ("rank %d in %s"):format(m.rank, m.waits.where)
      first = first or m.rank
    end
  end
  room.failure = { rank = first, text = core.circle_text(parts), stop = true }
  stop(room, room.failure)
end

---Runs a function in turns for all members, until all have ended.
---@param room cudalua.distributed.Room
---@param f function  called with the member's world
---@return cudalua.distributed.Member? failed  the first one that raised an error
function M.run(room, f)
  for _, m in ipairs(room.members) do
    m.co = coroutine.create(function(...) return f(...) end) -- f may be a table that can be called
    turn(m, m.world)
  end
  repeat
    local live, moved = false, false
    for _, m in ipairs(room.members) do
      if not m.ended and not m.waits then
        moved = true
        turn(m)
      end
      live = live or not m.ended
    end
    if live and not moved then stuck(room) end
  until not live
  return room.first
end

return M
