-- Finds ranks that wait for each other, as in two send().
--
-- A rank that has waited for a while sends a note to the rank that it waits for: which message it awaits. That one
-- looks at notes when it waits itself. If it has sent the message, it drops the note. Otherwise it adds its own call,
-- and passes the note on to the rank that it waits for. When a note comes back to its first sender, which still is in
-- the same wait, none of the ranks will go on: each has waited since it passed the note on, as the next one had not
-- sent its message and has waited since. Messages are counted for that, by group, tag and receiver.
--
-- A rank that passes a note on also tells its sender which call it waits in. Otherwise a rank in send or recv would
-- only tell the rank at the other end.

local call = require("cudalua.distributed.transport.mpi_library").call
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

local function text_of(awaited) return ("%s %d %d"):format(awaited.group, awaited.tag, awaited.number) end

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
  path = ("%s%srank %d in %s"):format(path, path == "" and "" or "\n", world.rank, world.doing)
  send(world, w.owner, ("%d %d %s\n%s"):format(first.rank, first.wait, text_of(a), path:sub(1, MOST - 200)))
end

---This rank has waited for a while.
---@param world cudalua.distributed.MpiWorld
---@param w {owner: integer, awaited: cudalua.distributed.Awaited}
function M.ask(world, w)
  world.waits = world.waits + 1
  w.number = world.waits
  pass_on(world, w, { rank = world.rank, wait = w.number }, "")
end

-- Tells a rank, which awaits a message, what this one does instead.
local function answer(world, rank, awaited)
  send(world, rank, ("in %s\n%s"):format(text_of(awaited), world.doing:sub(1, MOST - 200)))
end

-- An answer of a rank, unless this one awaits something else by now.
local function note_answer(world, w, from, text)
  local awaited, doing = text:match "^in (%S+ %d+ %d+)\n(.*)$"
  if awaited and from == w.owner and awaited == text_of(w.awaited) then world.calls[from] = doing end
  return awaited ~= nil
end

-- A note of a rank; returns the ranks of its path and their calls, if it proves that they wait for each other.
local function note_question(world, w, from, text)
  local rank, wait, group, tag, number, path = text:match "^(%d+) (%d+) (%S+) (%d+) (%d+)\n(.*)$"
  local first = { rank = tonumber(rank), wait = tonumber(wait) }
  local awaited = { group = group, tag = tonumber(tag), number = tonumber(number) }
  if has_sent(world, awaited, from) then return nil end
  answer(world, from, awaited)
  if first.rank ~= world.rank then return pass_on(world, w, first, path) end
  if first.wait ~= w.number then return nil end
  local waits = {}
  for line in path:gmatch "[^\n]+" do waits[#waits + 1] = line end
  return waits
end

---Looks at the notes that have come.
---@param world cudalua.distributed.MpiWorld
---@param w {owner: integer, awaited: cudalua.distributed.Awaited, number: integer?}
---@return string[]?  the ranks that wait for each other, with their calls
function M.look(world, w)
  local mpi, text = world.mpi, nil
  while true do
    world.flag[0] = 0
    call(world, "Iprobe", mpi.abi.any_source, M.TAG, world.comm, world.flag, world.status)
    if world.flag[0] == 0 then return nil end
    text = text or ffi.new("char[?]", MOST)
    local from = world.status.source
    call(world, "Recv", text, MOST, mpi.byte, from, M.TAG, world.comm, world.status)
    local note = ffi.string(text)
    local waits = not note_answer(world, w, from, note) and note_question(world, w, from, note)
    if waits then return waits end
  end
end

return M
