-- Finds ranks that wait for each other, as in two send().
--
-- A rank that has waited for a while sends a note to the rank that it waits for: which message it awaits. That one
-- looks at notes when it waits itself. If it has sent the message, it drops the note. Otherwise it adds its own call,
-- and passes the note on to the rank that it waits for. When a note comes back to its first sender, which still is in
-- the same wait, none of the ranks will go on: each has waited since it passed the note on, as the next one had not
-- sent its message and has waited since. Messages are counted for that, by group, tag and receiver.

local call = require("cudalua.distributed.mpi_library").call
local ffi = require "ffi"

local C = ffi.C

local M = {}

M.TAG = 8
local MOST = 4096 -- bytes of a note

-- Counts of messages: of tag and place in the group.
local function count(counts, tag, k)
  local key = tag * 65536 + k
  counts[key] = (counts[key] or 0) + 1
  return counts[key]
end

---A message has been sent.
---@param h cudalua.distributed.MpiHandle
---@param tag integer
---@param k integer  the receiver's place
function M.sent(h, tag, k) count(h.counts.sent, tag, k) end

---A message that this rank receives next.
---@class cudalua.distributed.Awaited
---@field group string
---@field tag integer
---@field number integer

---@param h cudalua.distributed.MpiHandle
---@param tag integer
---@param k integer  the sender's place
---@return cudalua.distributed.Awaited
function M.awaited(h, tag, k) return { group = h.name, tag = tag, number = count(h.counts.awaited, tag, k) } end

-- Has this rank sent the message that a rank awaits? Of a group that it has no more, it says nothing.
local function has_sent(world, awaited, rank)
  local h = world.groups[awaited.group]
  for place, member in ipairs(h and h.ranks or {}) do
    if member == rank then return (h.counts.sent[awaited.tag * 65536 + place - 1] or 0) >= awaited.number end
  end
  return true
end

-- Notes stay until MPI has sent them.
local function send(world, rank, text)
  local kept = {}
  for _, note in ipairs(world.notes) do
    call(world, "Test", note.request, world.flag, world.mpi.ignored)
    if world.flag[0] ~= 0 then C.cudalua_os_free(note.bytes) else kept[#kept + 1] = note end
  end
  local note = { bytes = ffi.cast("char *", C.cudalua_os_malloc(#text + 1)), request = world.mpi.handle_t() }
  ffi.copy(note.bytes, text)
  call(world, "Isend", note.bytes, #text + 1, world.mpi.byte, rank, M.TAG, world.comm, note.request)
  kept[#kept + 1] = note
  world.notes = kept
end

local function pass_on(world, w, first, path)
  local a = w.awaited
  path = ("%s%srank %d in %s"):format(path, path == "" and "" or ", ", world.rank, world.doing)
  send(world, w.owner, ("%d %d %s %d %d\n%s"):format(first.rank, first.wait, a.group, a.tag, a.number,
    path:sub(1, MOST - 200)))
end

-- What to do, if all of them send.
local function remedy(path)
  local ranks, sends = select(2, path:gsub("rank %d+ in ", "")), select(2, path:gsub("rank %d+ in send ", ""))
  return ranks == sends and "; let one of them call recv first, or use all_to_all" or ""
end

---This rank has waited for a while.
---@param world cudalua.distributed.MpiWorld
---@param w {owner: integer, awaited: cudalua.distributed.Awaited}
function M.ask(world, w)
  world.waits = world.waits + 1
  w.number = world.waits
  pass_on(world, w, { rank = world.rank, wait = w.number }, "")
end

---Looks at the notes that have come.
---@param world cudalua.distributed.MpiWorld
---@param w {owner: integer, awaited: cudalua.distributed.Awaited, number: integer?}
---@return string?  the ranks that wait for each other, with their calls, and what to do
function M.look(world, w)
  local mpi, text = world.mpi, nil
  while true do
    world.flag[0] = 0
    call(world, "Iprobe", mpi.abi.any_source, M.TAG, world.comm, world.flag, world.status)
    if world.flag[0] == 0 then return nil end
    text = text or ffi.new("char[?]", MOST)
    local from = world.status.source
    call(world, "Recv", text, MOST, mpi.byte, from, M.TAG, world.comm, world.status)
    local rank, wait, group, tag, number, path = ffi.string(text):match "^(%d+) (%d+) (%S+) (%d+) (%d+)\n(.*)$"
    local first = { rank = tonumber(rank), wait = tonumber(wait) }
    if not has_sent(world, { group = group, tag = tonumber(tag), number = tonumber(number) }, from) then
      if first.rank ~= world.rank then
        pass_on(world, w, first, path)
      elseif first.wait == w.number then
        return path .. remedy(path)
      end
    end
  end
end

return M
