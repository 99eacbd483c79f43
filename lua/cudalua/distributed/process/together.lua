-- The transport between ranks of one process (members.lua): texts, and bytes of Lua values.

local core = require "cudalua.core"
local ffi = require "ffi"
local members = require "cudalua.distributed.process.members"

---@type cudalua.distributed.Transport
local M = { name = "process", memory = "host", takes = core.shared_takes }

---A member's side of a group.
---@class cudalua.distributed.Side
---@field me integer        its place, from 1
---@field step integer      how many calls it has made
---@field splits integer    how many groups were made of this one, as this member counts
---@field group cudalua.distributed.Meeting

---What the members of a group share.
---@class cudalua.distributed.Meeting
---@field ranks integer[]   in the world
---@field calls table<integer, table>  by step: what has come so far
---@field pairs table<string, table>   sends and recvs that wait for their other half, by "from>to"
---@field groups table<string, cudalua.distributed.Meeting>  made of this one, until all members have theirs

local function meeting(ranks) return { ranks = ranks, calls = {}, pairs = {}, groups = {} } end

local function side(group, me) return { me = me, step = 0, splits = 0, group = group } end

---The sides of all members of the world.
---@param size integer
---@return cudalua.distributed.Side[]
function M.world(size)
  local ranks, sides = {}, {}
  for r = 1, size do ranks[r] = r - 1 end
  local group = meeting(ranks)
  for r = 1, size do sides[r] = side(group, r) end
  return sides
end

-- ---- meeting --------------------------------------------------------------------------------------------------------

---A member's part in a call of all.
---@class cudalua.distributed.Part
---@field text string     signature or message: compared
---@field member? cudalua.distributed.Member
---@field data? any       of calls that move something
---@field move? fun(all: any[])  moves the data of all parts
---@field texts? string[] afterwards: of all, if they differ, or if nothing moves

local function texts_of(parts)
  local texts, same = {}, true
  for k, part in ipairs(parts) do
    texts[k] = part.text
    same = same and part.text == parts[1].text
  end
  return texts, same
end

local function datas(parts)
  local list = {}
  for k, part in ipairs(parts) do list[k] = part.data end
  return list
end

-- Does what all members have come for; the error of a failed move is that of all.
local function complete(parts)
  local texts, same = texts_of(parts)
  local move = same and parts[1].move
  local ok, err = true, nil
  if move then ok, err = pcall(move, datas(parts)) end
  for _, part in ipairs(parts) do
    if not move then part.texts = texts end
    if part.waits then members.wake(part.member, not ok and err or nil) end
  end
  if not ok then error(err, 0) end
end

-- The part with which this member comes to the group's next call; returns when all have come.
local function meet(handle, where, part)
  local group = handle.group
  part.member = members.caller(where)
  handle.step = handle.step + 1
  local step = handle.step
  local parts = group.calls[step] or { n = 0 }
  group.calls[step], parts[handle.me], parts.n = parts, part, parts.n + 1
  if parts.n == #group.ranks then
    group.calls[step] = nil
    complete(parts)
  elseif not part.refuses then
    local missing = {}
    for k, rank in ipairs(group.ranks) do missing[rank] = k end
    part.waits = true
    members.wait(part.member, { where = where, needs = function(rank)
      return missing[rank] ~= nil and not parts[missing[rank] ]
    end })
  end
  return part.texts
end

function M.exchange(handle, where, text) return meet(handle, where, { text = text }) end

function M.refuse(handle, where, text) meet(handle, where, { text = text, refuses = true }) end

---Takes part in a call that moves data by a function of the caller.
---@param handle cudalua.distributed.Side
---@param where string
---@param signature string
---@param data any
---@param move fun(all: any[])  called once, by the last member, with the data of all
---@return string[]? differing  signatures
function M.together(handle, where, signature, data, move)
  return meet(handle, where, { text = signature, data = data, move = move })
end

-- ---- from one rank to another ---------------------------------------------------------------------------------------

---A send or recv whose data is moved by a function of the caller. The half that comes first waits for the other one.
---@param handle cudalua.distributed.Side
---@param call {kind: string, where: string, signature: string, root: integer}
---@param copy fun(from: any, to: any)  the two calls
---@return string[]? differing  what is sent, and what is expected
function M.pair(handle, call, copy)
  local group = handle.group
  local me, other = handle.me, call.root + 1
  local sends = call.kind == "send"
  local key = sends and me .. ">" .. other or other .. ">" .. me
  local m = members.caller(call.where)
  local half = { call = call, member = m, sends = sends }
  local first = group.pairs[key]
  if not first or first.sends == sends then
    group.pairs[key] = half
    local rank = group.ranks[other]
    local ok, err = pcall(members.wait, m, { where = call.where, needs = function(r) return r == rank end })
    if group.pairs[key] == half then group.pairs[key] = nil end
    if not ok then error(err, 0) end
    return half.texts
  end
  group.pairs[key] = nil
  local from, to = sends and call or first.call, sends and first.call or call
  local texts = from.signature ~= to.signature and { from.signature, to.signature } or nil
  local ok, err = true, nil
  if not texts then ok, err = pcall(copy, from, to) end
  first.texts = texts
  members.wake(first.member, not ok and err or nil)
  if not ok then error(err, 0) end
  return texts
end

-- ---- host memory ----------------------------------------------------------------------------------------------------

local function broadcast(calls)
  local root = calls[calls[1].root + 1]
  for _, call in ipairs(calls) do
    if call.output and root.bytes > 0 then ffi.copy(call.output[0], root.input, root.bytes) end
  end
end

local function nothing() end

-- Arrays are moved by peer_memory.lua.
local movers = { barrier = nothing, broadcast = broadcast }

function M.run(handle, call) return M.together(handle, call.where, call.signature, call, movers[call.kind]) end

-- ---- groups ---------------------------------------------------------------------------------------------------------

function M.split(handle, where, of)
  local group = handle.group
  handle.splits = handle.splits + 1
  M.exchange(handle, where, "-")
  if not of then return nil end
  local key = handle.splits .. ":" .. table.concat(of.ranks, " ")
  local made = group.groups[key] or meeting(of.ranks)
  made.taken = (made.taken or 0) + 1
  group.groups[key] = made.taken < #of.ranks and made or nil
  local rank = group.ranks[handle.me]
  for k, r in ipairs(of.ranks) do
    if r == rank then return side(made, k) end
  end
end

function M.close() end

return M
