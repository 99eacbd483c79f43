-- The transport through MPI: between processes that mpirun, srun or another launcher of MPI has started.
--
-- Each call begins with a header from each rank to each other one, with the signature. So a rank knows whom it waits
-- for, one that refuses a call need not wait, and nothing is written unless all agree. Then data goes through blocks
-- of memory of a limited size, by MPI's collective calls. Reductions exchange bytes and combine them as in shared
-- memory, with the same bits.

local circle = require "cudalua.distributed.transport.mpi_circle"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local ffi = require "ffi"
local pairs_of = require "cudalua.base.pairs_of"
local worlds = require "cudalua.distributed.transport.mpi_world"

local C, TAG = ffi.C, worlds.TAG

---@type cudalua.distributed.Transport
local M = { name = "mpi", memory = "host", takes = core.shared_takes }

M.block = 2 ^ 26 -- bytes that a call of MPI moves at most, over all ranks; less than 2^30, since it counts by ints

---A group's communicator.
---@class cudalua.distributed.MpiHandle
---@field world cudalua.distributed.MpiWorld
---@field comm ffi.cdata*|integer
---@field name string      the same for all members, and no other group of this rank has it
---@field ranks integer[]  in the world, in the group's order
---@field me integer       this rank's place among them, from 0
---@field size integer
---@field splits integer   calls of split() so far
---@field owed integer     calls that this rank has refused, whose headers it has not received yet
---@field sent table[]     headers and texts that MPI may still read
---@field counts {sent: table<integer, integer>, awaited: table<integer, integer>}  of messages (mpi_circle.lua)

-- ---- headers --------------------------------------------------------------------------------------------------------

local header_t = ffi.typeof "struct { uint32_t length; char call[92]; char text[160]; }"
local headers_t = ffi.typeof("$ *", header_t)
local HEADER, INLINE = ffi.sizeof(header_t), 159

local function memory(bytes) return ffi.cast("char *", C.cudalua_os_malloc(bytes)) end

-- Sends bytes that stay until MPI has read them; to: the place in the group.
local function send(h, where, message, to, tag)
  local requests, byte = h.world.mpi.handles_t(#to), h.world.mpi.byte
  for i, k in ipairs(to) do
    worlds.call(h.world, where, "Isend", message.bytes, message.size, byte, k, tag, h.comm, requests + i - 1)
    circle.sent(h, tag, k)
  end
  h.sent[#h.sent + 1] = { bytes = message.bytes, requests = requests, count = #to }
end

-- Frees what has been read.
local function tidy(h)
  local world, kept = h.world, {}
  for _, message in ipairs(h.sent) do
    local done = true
    for i = 0, message.count - 1 do
      worlds.call(world, "send", "Test", message.requests + i, world.flag, world.mpi.ignored)
      done = done and world.flag[0] ~= 0
    end
    if done then C.cudalua_os_free(message.bytes) else kept[#kept + 1] = message end
  end
  h.sent = kept
end

local function others(h)
  local list = {}
  for i = 1, h.size - 1 do list[i] = (h.me + i) % h.size end
  return list
end

local function send_header(h, where, text, to, tag)
  local header = ffi.cast(headers_t, memory(HEADER))
  header.length = #text
  ffi.copy(header.call, h.world.doing:sub(1, 91))
  ffi.copy(header.text, text:sub(1, INLINE))
  send(h, where, { bytes = ffi.cast("char *", header), size = HEADER }, to, tag)
  if #text <= INLINE then return end
  local copy = memory(#text + 1)
  ffi.copy(copy, text)
  send(h, where, { bytes = copy, size = #text }, to, TAG.TEXT)
end

-- The texts of these members, by their places from 1.
local function receive_headers(h, where, from, tag, texts)
  local world, requests = h.world, h.world.mpi.handles_t(#from)
  local buffer = memory(HEADER * #from)
  local headers = ffi.cast(headers_t, buffer)
  for i, k in ipairs(from) do
    worlds.call(world, where, "Irecv", headers + i - 1, HEADER, world.mpi.byte, k, tag, h.comm, requests + i - 1)
  end
  for i, k in ipairs(from) do
    local header, rank = headers[i - 1], h.ranks[k + 1]
    worlds.wait(world, where, requests + i - 1, rank, circle.awaited(h, tag, k))
    world.calls[rank] = ffi.string(header.call)
    if header.length <= INLINE then
      texts[k + 1] = ffi.string(header.text)
    else
      local text, request = memory(header.length), world.mpi.handle_t()
      worlds.call(world, where, "Irecv", text, header.length, world.mpi.byte, k, TAG.TEXT, h.comm, request)
      worlds.wait(world, where, request, rank)
      texts[k + 1] = ffi.string(text, header.length)
      C.cudalua_os_free(text)
    end
  end
  C.cudalua_os_free(buffer)
  return texts
end

-- Before each call: what was left of earlier ones.
local function begin(h, where)
  local world, here = h.world, core.here()
  worlds.check(world, where)
  world.doing = here and ("%s (%s)"):format(where, here) or where
  tidy(h)
  while h.owed > 0 do
    receive_headers(h, where, others(h), TAG.HEADER, {})
    h.owed = h.owed - 1
  end
end

function M.exchange(h, where, text)
  begin(h, where)
  local list = others(h)
  send_header(h, where, text, list, TAG.HEADER)
  return receive_headers(h, where, list, TAG.HEADER, { [h.me + 1] = text })
end

function M.refuse(h, where, text)
  begin(h, where)
  send_header(h, where, text, others(h), TAG.HEADER)
  h.owed = h.owed + 1
end

-- ---- data -----------------------------------------------------------------------------------------------------------

-- One rank's side of the part of a call that one block takes.
---@class cudalua.distributed.MpiPart
---@field offset integer  bytes before it, in each part of the call
---@field bytes integer

local function box(address) return ffi.new("void *[1]", address) end

-- The address of memory as host_buffer() gives it.
local function address_of(memory_or_text)
  if memory_or_text == nil then return nil end
  return ffi.cast("char *", type(memory_or_text) == "string" and ffi.cast("const char *", memory_or_text) or
    memory_or_text[0])
end

-- Two blocks for each call, which stay for the next one.
local function blocks(world, bytes)
  local have = world.blocks
  if not have or have.bytes < bytes then
    if have then
      C.cudalua_os_free(have.give)
      C.cudalua_os_free(have.get)
    end
    have = { bytes = bytes, give = memory(bytes), get = memory(bytes) }
    if have.give == nil or have.get == nil then error("not enough memory", 0) end
    world.blocks = have
  end
  return have.give, have.get
end

local function finish(h, where, request) worlds.wait(h.world, where, request) end

-- A collective call: all(h, where, "Iallgather", give, n, get, n), or with a root behind that.
local function all(h, where, name, ...)
  local mpi, request = h.world.mpi, h.world.mpi.handle_t()
  local give, gives, get, gets, root = ...
  if root then
    worlds.call(h.world, where, name, give, gives, mpi.byte, get, gets, mpi.byte, root, h.comm, request)
  else
    worlds.call(h.world, where, name, give, gives, mpi.byte, get, gets, mpi.byte, h.comm, request)
  end
  finish(h, where, request)
end

-- Copies this part of each member's share of the input to the block, and the other way.
local function pack(h, c, p, give)
  for k = 0, h.size - 1 do ffi.copy(give + k * p.bytes, c.from + k * c.bytes + p.offset, p.bytes) end
end
local function unpack_parts(h, c, p, get)
  for k = 0, h.size - 1 do ffi.copy(c.to + k * c.bytes + p.offset, get + k * p.bytes, p.bytes) end
end

local SMALL = 2 ^ 16 -- bytes of all ranks that each of them combines by itself: one call instead of two

-- Small reductions: each rank gets the elements of all ranks and combines them. Large ones: each rank combines a slice.
local function reduce(h, c, p, give, get)
  local wanted = c.kind == "all_reduce" or c.root == h.me
  local function combine(stride, bytes, to)
    core.combine(c.op, c.dtype, box(get), h.size, stride, bytes / c.element, box(to))
  end
  ffi.copy(give, c.from + p.offset, p.bytes)
  if p.bytes * h.size <= math.min(SMALL, M.block) then
    if c.kind == "all_reduce" then
      all(h, c.where, "Iallgather", give, p.bytes, get, p.bytes)
    else
      all(h, c.where, "Igather", give, p.bytes, get, p.bytes, c.root)
    end
    if wanted then combine(p.bytes, p.bytes, c.to + p.offset) end
    return
  end
  local slice = math.ceil(p.bytes / c.element / h.size) * c.element
  all(h, c.where, "Ialltoall", give, slice, get, slice)
  local own = math.min(slice, p.bytes - h.me * slice)
  if own > 0 then combine(slice, own, give) end
  if c.kind == "all_reduce" then
    all(h, c.where, "Iallgather", give, slice, get, slice)
  else
    all(h, c.where, "Igather", give, slice, get, slice, c.root)
  end
  if wanted then ffi.copy(c.to + p.offset, get, p.bytes) end
end

-- By kind of call: does one part, with two blocks.
local parts = {
  all_reduce = reduce,
  reduce = reduce,
  broadcast = function(h, c, p, give)
    local request = h.world.mpi.handle_t()
    if c.root == h.me then ffi.copy(give, c.from + p.offset, p.bytes) end
    worlds.call(h.world, c.where, "Ibcast", give, p.bytes, h.world.mpi.byte, c.root, h.comm, request)
    finish(h, c.where, request)
    if c.to then ffi.copy(c.to + p.offset, give, p.bytes) end
  end,
  all_gather = function(h, c, p, give, get)
    ffi.copy(give, c.from + p.offset, p.bytes)
    all(h, c.where, "Iallgather", give, p.bytes, get, p.bytes)
    unpack_parts(h, c, p, get)
  end,
  gather = function(h, c, p, give, get)
    ffi.copy(give, c.from + p.offset, p.bytes)
    all(h, c.where, "Igather", give, p.bytes, get, p.bytes, c.root)
    if c.root == h.me then unpack_parts(h, c, p, get) end
  end,
  scatter = function(h, c, p, give, get)
    if c.root == h.me then pack(h, c, p, give) end
    all(h, c.where, "Iscatter", give, p.bytes, get, p.bytes, c.root)
    ffi.copy(c.to + p.offset, get, p.bytes)
  end,
  all_to_all = function(h, c, p, give, get)
    pack(h, c, p, give)
    all(h, c.where, "Ialltoall", give, p.bytes, get, p.bytes)
    unpack_parts(h, c, p, get)
  end,
  reduce_scatter = function(h, c, p, give, get)
    pack(h, c, p, give)
    all(h, c.where, "Ialltoall", give, p.bytes, get, p.bytes)
    core.combine(c.op, c.dtype, box(get), h.size, p.bytes, p.bytes / c.element, box(c.to + p.offset))
  end,
}

local ELEMENT = 16 -- bytes of the largest element that can be combined

local function move(h, call)
  local part = parts[call.kind]
  local is_whole = call.kind == "broadcast" or call.kind == "all_reduce" or call.kind == "reduce"
  -- Parts end between elements.
  local most = math.max(ELEMENT, math.floor(M.block / (is_whole and 1 or h.size) / ELEMENT) * ELEMENT)
  most = math.min(most, call.bytes)
  local c = { kind = call.kind, where = call.where, bytes = call.bytes, root = call.root, op = call.op,
    dtype = call.dtype, from = address_of(call.input), to = address_of(call.output),
    element = call.dtype and dtypes.of(call.dtype).itemsize }
  -- A small reduction gets as many bytes from each rank.
  local small = c.element and math.min(most * h.size, SMALL) or 0
  local give, get = blocks(h.world, math.max(most * (is_whole and 1 or h.size), small) + ELEMENT * h.size)
  for offset = 0, call.bytes - 1, most do
    part(h, c, { offset = offset, bytes = math.min(most, call.bytes - offset) }, give, get)
  end
end

-- ---- from one rank to another ---------------------------------------------------------------------------------------

local function move_pair(h, call, name)
  local world, request, mpi = h.world, h.world.mpi.handle_t(), h.world.mpi
  local most = math.min(M.block, call.bytes)
  local block = blocks(world, most)
  local from, to, rank = address_of(call.input), address_of(call.output), h.ranks[call.root + 1]
  for offset = 0, call.bytes - 1, most do
    local bytes = math.min(most, call.bytes - offset)
    if from then ffi.copy(block, from + offset, bytes) end
    worlds.call(world, call.where, name, block, bytes, mpi.byte, call.root, TAG.DATA, h.comm, request)
    worlds.wait(world, call.where, request, rank)
    if to then ffi.copy(to + offset, block, bytes) end
  end
end

-- The sender says what it sends, and the receiver what it expects.
local function pair(h, call)
  local where, sends, peer = call.where, call.kind == "send", { call.root }
  local texts = { [h.me + 1] = call.signature }
  begin(h, where)
  if sends then
    send_header(h, where, call.signature, peer, TAG.OFFER)
    receive_headers(h, where, peer, TAG.ANSWER, texts)
  else
    receive_headers(h, where, peer, TAG.OFFER, texts)
    send_header(h, where, call.signature, peer, TAG.ANSWER)
  end
  local sent, expected = texts[sends and h.me + 1 or call.root + 1], texts[sends and call.root + 1 or h.me + 1]
  if sent ~= expected then return { sent, expected } end
  if call.bytes > 0 then move_pair(h, call, sends and "Isend" or "Irecv") end
end

function M.run(h, call)
  if call.kind == "send" or call.kind == "recv" then return pair(h, call) end
  local texts = M.exchange(h, call.where, call.signature)
  for _, text in ipairs(texts) do
    if text ~= texts[1] then return texts end
  end
  if call.bytes > 0 then move(h, call) end
end

-- ---- groups ---------------------------------------------------------------------------------------------------------

-- The collector closes groups at other times on each rank, but MPI frees a communicator on all of its ranks together.
-- So each rank keeps a list of the groups that it has closed. Each split() exchanges these lists, and the members of a
-- group free it as soon as it is on all of their lists.
local function note_closed(world, rest)
  if not rest.noted then world.closed[rest.name] = rest end
  rest.noted = true
end

local function handle(fields)
  local world = fields.world
  local h = { splits = 0, owed = 0, sent = {}, counts = { sent = {}, awaited = {} } }
  for key, value in pairs_of(fields) do h[key] = value end
  world.groups[h.name] = h
  local rest = { comm = h.comm, name = h.name, ranks = h.ranks, noted = false }
  h.rest, h.token = rest, newproxy(true)
  getmetatable(h.token).__gc = function() note_closed(world, rest) end -- has the rest alone: the handle is garbage
  function h.set_limit(_, seconds)
    world.limit = seconds
    core.mpi_limit(seconds)
  end
  return h
end

---Starts MPI; `start` gets this process's rank.
---@param start cudalua.distributed.Start
---@param timeout number
function M.join(start, timeout) M.world = worlds.join(start, timeout) end

function M.open(start, timeout)
  local ranks, world = {}, M.world
  for r = 0, start.size - 1 do ranks[r + 1] = r end
  local h = handle { world = world, comm = world.comm, name = "0", ranks = ranks, me = world.rank, size = world.size }
  h:set_limit(timeout)
  return h
end

local function closed_names(world)
  local names = {}
  for name in pairs_of(world.closed) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Frees groups that all of their members have closed, in the same order everywhere.
local function free_closed(h, where, texts)
  local world, places = h.world, {}
  for place, rank in ipairs(h.ranks) do places[rank] = place end
  for _, name in ipairs(closed_names(world)) do
    local group, agreed = world.closed[name], true
    for _, rank in ipairs(group.ranks) do
      local text = places[rank] and texts[places[rank]]
      agreed = agreed and text and text:find(" " .. name .. " ", 1, true) ~= nil
    end
    if agreed then
      local comm = world.mpi.handle_t(group.comm)
      world.closed[name] = nil
      worlds.call(world, where, "Comm_free", comm)
    end
  end
end

local NAMES = 3500 -- bytes of names in one message; the rest comes in a later one

local function closed_text(world)
  local list, bytes = {}, 0
  for k, name in ipairs(closed_names(world)) do
    bytes = bytes + #name + 1
    if bytes > NAMES then break end
    list[k] = name
  end
  return (" %s "):format(table.concat(list, " "))
end

function M.split(h, where, members)
  local world = h.world
  local texts = M.exchange(h, where, closed_text(world))
  free_closed(h, where, texts)
  h.splits = h.splits + 1
  local comm, me = world.mpi.handle_t(), 0
  for k, rank in ipairs(members and members.ranks or {}) do
    if rank == world.rank then me = k - 1 end
  end
  local color = members and members.leader or world.mpi.abi.undefined
  worlds.call(world, where, "Comm_split", h.comm, color, me, comm)
  if not members then return nil end
  worlds.call(world, where, "Comm_set_errhandler", comm[0], world.mpi.returns)
  return handle { world = world, comm = comm[0], name = ("%s.%d"):format(h.name, h.splits), ranks = members.ranks,
    me = me, size = #members.ranks }
end

-- What was sent in it may still be on its way; MPI keeps a communicator until then.
function M.close(h) note_closed(h.world, h.rest) end

return M
