-- Groups of ranks, as programs use them. The world is the group of all ranks.

local calls = require "cudalua.distributed.calls"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local layout = require "cudalua.base.layout"
local names = require "cudalua.base.names"
local objects = require "cudalua.distributed.object"
local surplus = require "cudalua.base.surplus"
local transport = require "cudalua.distributed.transport"

local refuse = layout.refuse

---A group of ranks. All of its ranks must make the same calls in the same order, with the same shapes and dtypes;
---otherwise all of them raise an error. Ranks count from 0. Arrays may be on the device or in host memory, and the
---result is on the same side. Without `out` it is a new array; with `out = a` a call works in place. With
---`async = true`, calls that move arrays return a Handle, whose wait() returns the result.
---@class cudalua.distributed.Group
---@field rank integer        this process's number in the group, from 0
---@field size integer        the number of ranks
---@field ranks integer[]     their numbers in the world, in the group's order
---@field local_rank integer  this process's number among those of this machine
---@field local_size integer  the number of processes on this machine
---@field device cudalua.Device  the device of this process
---@field transport string    what moves arrays: "shm", memory that the processes share, "mpi", "nccl", or "process"
---  between the ranks of cuda.devices()
local Group = names.class({}, "Group")

local TAG = "cudalua.distributed.Group"
local mt = { __index = Group, __metatable = TAG, __name = TAG,
  __tostring = function(self) return ("Group(rank %d of %d)"):format(self.rank, self.size) end }

local M = { Group = Group }

local function check_self(self, what)
  if type(self) ~= "table" or getmetatable(self) ~= TAG then
    refuse(what, "expected a group of ranks (call it as world:%s(...)), got %s", what, element.describe(self))
  end
  if self._closed then refuse(what, "this group was closed") end
end

---Is it a group of ranks?
---@param x any
---@return boolean
function M.is(x) return type(x) == "table" and getmetatable(x) == TAG end

---@param fields table  those of the class, _control, _data, _handle, _data_handle, _side, _checks
---@return cudalua.distributed.Group
function M.new(fields) return setmetatable(fields, mt) end

-- ---- calls ----------------------------------------------------------------------------------------------------------

---Waits until all ranks have called it.
---@raise LogicError if other ranks make another call; RuntimeError if a rank ends, fails or does not come in time
function Group:barrier()
  check_self(self, "barrier")
  calls.barrier(self)
end
Group.barrier = surplus.install("Group:", { barrier = Group.barrier }).barrier -- async = true is not for it

---Combines the arrays of all ranks element by element, and gives the result to all. All ranks get the same bits, and
---the order of the combination depends on the number of ranks alone. float16 and bfloat16 are combined in float32.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  of the same shape and dtype on all ranks
---@param options? {op: string, out: any, async: boolean}  op: "sum" (default), "prod", "min", "max" or "mean"; integers
---  wrap, "mean" takes floats and complex numbers; out: an array for the result, which may be `a`; async: return a
---  Handle
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|cudalua.distributed.Handle
---@raise LogicError if the calls of the ranks differ; if op is not defined for the dtype; if out has another shape or
---  dtype. RuntimeError if a rank ends, fails or does not come in time
function Group:all_reduce(a, options)
  check_self(self, "all_reduce")
  return calls.from_all(self, "all_reduce", a, options)
end

---As all_reduce, but gives the result to one rank.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  of the same shape and dtype on all ranks
---@param options? {op: string, root: integer, out: any, async: boolean}  root: the rank that gets the result, default
---  0; op, out, async: as for all_reduce, and out only on root
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|cudalua.distributed.Handle?  nil on the other ranks
---@raise LogicError as all_reduce, and if root is not a rank; RuntimeError as all_reduce
function Group:reduce(a, options)
  check_self(self, "reduce")
  return calls.from_all(self, "reduce", a, options)
end

---Gives the array of one rank to all.
---@param a? cudalua.gpuarray.Array|cudalua.ndarray.Array  root's array; the other ranks may pass nil, or an array of
---  the same shape and dtype that says where the result belongs: on the device or in host memory
---@param options? {root: integer, out: any, async: boolean}  root: the rank whose array it is, default 0; out: an array
---  for the result; async: as for all_reduce
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|cudalua.distributed.Handle
---@raise LogicError if the calls of the ranks differ, or if out has another shape or dtype; RuntimeError as all_reduce
function Group:broadcast(a, options)
  check_self(self, "broadcast")
  return calls.from_root(self, "broadcast", a, options)
end

---Gives the arrays of all ranks to all.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  of the same shape and dtype on all ranks
---@param options? {out: any, async: boolean}  out: an array for the result; async: as for all_reduce
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|cudalua.distributed.Handle  of shape (size, ...): position r + 1
---  of the first axis has the array of rank r
---@raise LogicError if the calls of the ranks differ, or if out has another shape or dtype; RuntimeError as all_reduce
function Group:all_gather(a, options)
  check_self(self, "all_gather")
  return calls.from_all(self, "all_gather", a, options)
end

---Gives the arrays of all ranks to one.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  of the same shape and dtype on all ranks
---@param options? {root: integer, out: any, async: boolean}  root: the rank that gets the result, default 0; out: an
---  array for the result, only on root; async: as for all_reduce
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|cudalua.distributed.Handle?  of shape (size, ...), as for
---  all_gather; nil on the other ranks
---@raise LogicError as all_gather, and if root is not a rank; RuntimeError as all_reduce
function Group:gather(a, options)
  check_self(self, "gather")
  return calls.from_all(self, "gather", a, options)
end

---Divides the array of one rank among all.
---@param a? cudalua.gpuarray.Array|cudalua.ndarray.Array  root's array of shape (size, ...); the other ranks may pass
---  nil
---@param options? {root: integer, out: any, async: boolean}  root: the rank whose array it is, default 0; out: an array
---  for the result; async: as for all_reduce
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|cudalua.distributed.Handle  rank r gets
---  position r + 1 of the first axis
---@raise LogicError if the first axis does not have `size` positions, and as broadcast; RuntimeError as all_reduce
function Group:scatter(a, options)
  check_self(self, "scatter")
  return calls.from_root(self, "scatter", a, options)
end

---Combines the arrays of all ranks, and divides the result among them.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  of shape (size, ...), the same on all ranks
---@param options? {op: string, out: any, async: boolean}  as for all_reduce
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|cudalua.distributed.Handle  rank r gets
---  position r + 1 of the first axis
---@raise LogicError if the first axis does not have `size` positions, and as all_reduce; RuntimeError as all_reduce
function Group:reduce_scatter(a, options)
  check_self(self, "reduce_scatter")
  return calls.from_all(self, "reduce_scatter", a, options)
end

---Gives a part of each rank's array to each other rank: rank r gets position r + 1 of the first axis of all arrays.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  of shape (size, ...), the same on all ranks
---@param options? {out: any, async: boolean}  out: an array for the result, which may be `a`; async: as for all_reduce
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|cudalua.distributed.Handle  of the same
---  shape: position r + 1 is what rank r gave
---@raise LogicError if the first axis does not have `size` positions, and as all_gather; RuntimeError as all_reduce
function Group:all_to_all(a, options)
  check_self(self, "all_to_all")
  return calls.from_all(self, "all_to_all", a, options)
end

---Sends an array to another rank, and waits until that has it.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  the array to send, of any shape and layout
---@param options {to: integer, async: boolean}  to: the rank that receives it; async: as for all_reduce
---@return cudalua.distributed.Handle?  only with async
---@raise LogicError if `to` is not another rank, or if that expects another shape or dtype; RuntimeError as all_reduce,
---  and if the two ranks wait for each other
function Group:send(a, options)
  check_self(self, "send")
  return calls.send(self, a, options)
end

---Receives an array from another rank.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  has the shape and the dtype of what is sent; it is not changed
---  unless it is `out`
---@param options {from: integer, out: any, async: boolean}  from: the rank that sends it; out: an array for the result;
---  async: as for all_reduce
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array|cudalua.distributed.Handle
---@raise LogicError if `from` is not another rank, or if that sends another shape or dtype; RuntimeError as send
function Group:recv(a, options)
  check_self(self, "recv")
  return calls.recv(self, a, options)
end

-- ---- Lua values -----------------------------------------------------------------------------------------------------

-- bytes: those of the value, on root.
local function give_bytes(group, where, value, root, bytes)
  local texts = calls.exchange(group, where, ("root %d%s"):format(root, bytes and (", %d bytes"):format(#bytes) or ""))
  local length = calls.length_from(where, root, texts)
  local buffer = not bytes and ffi.new("uint8_t[?]", math.max(length, 1)) or nil
  calls.move_bytes(group, { where = where, root = root, bytes = length, input = bytes, output = buffer })
  if bytes then return value end
  return objects.decode(ffi.string(buffer, length))
end

---As broadcast_object, for other functions.
---@param group cudalua.distributed.Group
---@param where string  for messages
---@param value any     root's; it can be sent
---@param root integer
---@return any
function M.give_object(group, where, value, root)
  return give_bytes(group, where, value, root, root == group.rank and objects.encode(value) or nil)
end

local OBJECT = { root = true }

---Gives a Lua value of one rank to all: nil, a boolean, a number, a string, a 64-bit integer, a host array, or a table
---of these.
---@param value any  root's value; the others' are ignored
---@param options? {root: integer}  root: the rank whose value it is, default 0
---@return any  root's own value on root, copies on the other ranks
---@raise LogicError if the value contains anything else, or if the calls of the ranks differ; RuntimeError as
---  all_reduce
function Group:broadcast_object(value, options)
  local what = "broadcast_object"
  check_self(self, what)
  local root, bytes = calls.prepared(self, what, function()
    local o = errors.options(what, options, OBJECT)
    local from = calls.check_rank(what, "root", o.root == nil and 0 or o.root, self)
    return from, from == self.rank and objects.encode(value) or nil
  end)
  return give_bytes(self, what, value, root, bytes)
end

-- ---- groups ---------------------------------------------------------------------------------------------------------

-- The group of the members at these places of this group, from 1; nil for ranks that are in none.
local function subgroup(self, what, places)
  local members, own
  if places then
    local ranks = {}
    for k, place in ipairs(places) do
      ranks[k] = self.ranks[place]
      if place == self.rank + 1 then own = k end
    end
    members = { ranks = ranks, leader = places[1], leads = own == 1 }
  end
  local handle = self._control.split(self._handle, what, members)
  if not handle then return nil end
  return M.new { rank = own - 1, size = #places, ranks = members.ranks, local_rank = self.local_rank,
    local_size = self.local_size, device = self.device, transport = self.transport, _control = self._control,
    _data = self._data, _handle = handle, _side = self._side, _checks = self._checks, _made = true,
    _data_handle = transport.join(self, handle, what, #places, own - 1) }
end

local SPLIT = { color = true, key = true }

-- The color and the key of a rank as text: "c5 k0", "none k0".
local function split_text(options)
  local o = errors.options("split", options, SPLIT)
  local color, key = o.color, o.key == nil and 0 or layout.whole(o.key)
  if color ~= false then color = layout.whole(color) end
  if color == nil then
    refuse("split", "color must be an integer, or false for no group, got %s", element.describe(o.color))
  end
  if not key then refuse("split", "key must be an integer, got %s", element.describe(o.key)) end
  return color and ("c%.0f k%.0f"):format(color, key) or ("none k%.0f"):format(key)
end

---Divides the group: ranks with the same color form a new group. All ranks of this group must call it.
---@param options {color: integer|false, key: integer}  color: false for no group; key: ranks of the new group are in
---  the order of their keys (default 0), and then of their ranks here
---@return cudalua.distributed.Group?  nil for color = false
---@raise LogicError if color or key is not an integer, or if 255 groups exist; RuntimeError as all_reduce
function Group:split(options)
  check_self(self, "split")
  local texts = calls.exchange(self, "split", (calls.prepared(self, "split", split_text, options)))
  local color = texts[self.rank + 1]:match "^c(%S+)"
  local places, keys = color and {} or nil, {}
  for k, text in ipairs(texts) do
    keys[k] = tonumber(text:match "k(%S+)$")
    if color and text:match "^c(%S+)" == color then places[#places + 1] = k end
  end
  if places then
    table.sort(places, function(a, b)
      if keys[a] ~= keys[b] then return keys[a] < keys[b] end
      return a < b
    end)
  end
  return subgroup(self, "split", places)
end

-- A list of ranks as text.
local function ranks_text(self, ranks)
  if type(ranks) ~= "table" or getmetatable(ranks) ~= nil or #ranks == 0 then
    refuse("group", "expected a list of ranks, such as { 0, 2 }, got %s", element.describe(ranks))
  end
  local seen, list = {}, {}
  for k, x in ipairs(ranks) do
    local rank = calls.check_rank("group", "each element of the list", x, self)
    if seen[rank] then refuse("group", "rank %d appears twice", rank) end
    seen[rank], list[k] = true, rank
  end
  return table.concat(list, " ")
end

---Creates a group of some ranks. All ranks of this group must call it with the same list.
---@param ranks integer[]  in the order that they have in the new group
---@return cudalua.distributed.Group?  nil on ranks that are not in the list
---@raise LogicError if the list contains other values or a rank twice, if the lists of the ranks differ, or if 255
---  groups exist; RuntimeError as all_reduce
function Group:group(ranks)
  check_self(self, "group")
  local own = calls.prepared(self, "group", ranks_text, self, ranks)
  calls.check_same("group", calls.exchange(self, "group", own))
  local places, inside = {}, false
  for x in own:gmatch "%d+" do
    places[#places + 1] = x + 1
    inside = inside or tonumber(x) == self.rank
  end
  return subgroup(self, "group", inside and places or nil)
end

---Leaves a group that split() or group() created. The collector does this, too. Ranks do not wait for each other here,
---except with NCCL: there all ranks of the group must call it, and what the collector leaves ends with the process.
---@raise LogicError for the world, which lasts as long as the process
function Group:close()
  check_self(self, "close")
  if not self._made then
    errors.raise("LogicError", "close: this is the group of all ranks, which lasts as long as the process")
  end
  self._closed = true
  if self._data ~= self._control then self._data.close(self._data_handle, self._control, self._handle) end
  self._control.close(self._handle)
end

return M
