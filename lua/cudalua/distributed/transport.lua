-- Transports move data between ranks. A group has two: `control` carries short texts and knows which ranks are alive,
-- `data` moves arrays: in host memory, which is the same transport, or in device memory.

local core = require "cudalua.core"
local device_memory = require "cudalua.distributed.transport.device_memory"
local errors = require "cudalua.base.errors"
local host_memory = require "cudalua.distributed.transport.host_memory"
local storage = require "cudalua.gpuarray.core.storage"

local M = {}

---A way between ranks, as a record of functions. A handle is what open() and split() give: one of each group.
---@class cudalua.distributed.Transport
---@field name string
---@field memory "host"|"device"  what the memory in calls is
---@field takes fun(dtype: string, op: string): boolean  can it combine elements of this dtype?
---@field join? fun(start: cudalua.distributed.Start, timeout: number)  before open(): completes `start`
---@field open fun(start: cudalua.distributed.Start, timeout: number): any  the handle of all ranks
---@field split fun(handle: any, where: string, members?: cudalua.distributed.Members): any  called by all members of
---  the handle; the handle of the new group, or nil for ranks without `members`
---@field close fun(handle: any)  local: tells the other ranks nothing that they wait for
---@field exchange fun(handle: any, where: string, text: string): string[]  the text of each member, of up to 4000 bytes
---@field refuse fun(handle: any, where: string, text: string)  takes part in the members' next call by a text that is
---  no call's, and does not wait for them
---@field watched? fun(handle: any): userdata  of control: the SharedGroup by which C hears of failures
---@field connect? fun(control: table, handle: any, where: string, size: integer, rank: integer): any  of transports for
---  data alone: a handle for the members of a group of control, which all call it
---@field counted? fun(bytes: integer, size: integer, dtype: table, op?: string): integer?, integer?, integer?  of these
---  as well: the elements of a part, the number of their type, and that of the operation
---@field remedy? fun(dtype: string, op: string): string  for what `takes` refuses and another transport has
---@field run fun(handle: any, call: cudalua.distributed.Call): string[]?  nil: it is done. Otherwise the signatures
---  differ, nothing was written, and here they are; of send and recv, the sender's and the receiver's

---The members of a group to be.
---@class cudalua.distributed.Members
---@field ranks integer[]  in the world, in the group's order
---@field leader integer   where the first of them is in the former group, from 1
---@field leads boolean    this rank is the first of them

---One rank's side of a call.
---@class cudalua.distributed.Call
---@field kind string       "all_reduce", ...
---@field where string      for messages
---@field signature string  all ranks must have the same
---@field input any         host: as base/ffi.host_buffer() gives memory; nil: this rank gives nothing
---@field output any        the same for what it gets
---@field bytes integer     of one part: what one rank gives to one other
---@field root integer      the member that has or gets everything; of send and recv, the other one
---@field op? string        of reductions: "sum", "prod", "min", "max" or "mean"
---@field dtype? string     of reductions

---How the ranks of a world exchange texts.
---@param start cudalua.distributed.Start
---@return cudalua.distributed.Transport control
function M.control(start)
  return require(start.launcher and "cudalua.distributed.transport.mpi" or "cudalua.distributed.transport.shm")
end

---The side of calls for a transport.
---@param data cudalua.distributed.Transport
function M.side(data) return data.memory == "device" and device_memory or host_memory end

-- ---- which one moves arrays -----------------------------------------------------------------------------------------

local BACKENDS = { nccl = true, shm = true, mpi = true }

---The backend that the program asks for.
---@param x any  of init(); nil: as CUDALUA_DIST_BACKEND says
---@return "nccl"|"shm"|"mpi"|"auto"
---@raise LogicError for another name
function M.wanted(x)
  local name, what = x, "backend"
  if x == nil then name, what = os.getenv "CUDALUA_DIST_BACKEND", "CUDALUA_DIST_BACKEND" end
  if name == nil or x == nil and (name == "" or name == "auto") then return "auto" end
  if type(name) == "string" and BACKENDS[name] then return name end
  errors.raise("LogicError", ("init: %s must be 'nccl', 'shm' or 'mpi', got %s"):format(what, errors.text(name)))
end

-- What each rank says: {wanted, version of NCCL or "-", the device or why not}.
local function ask(control, handle, wanted, nccl, device)
  local version, about = nccl.find(device)
  local said = ("%s;%s;%s"):format(wanted, version or "-", about):sub(1, 3000)
  local answers = {}
  for k, text in ipairs(control.exchange(handle, "init", said)) do
    local name, known, rest = text:match "^(%a+);([^;]*);(.*)$"
    answers[k] = { wanted = name, version = known, about = rest }
  end
  return answers
end

-- Why these ranks cannot use NCCL; nil: they can.
local function obstacle(answers)
  local devices = {}
  for k, a in ipairs(answers) do
    local rank = k - 1
    if not a.wanted then return ("rank %d makes another call"):format(rank) end
    if a.version == "-" then return ("rank %d: %s"):format(rank, a.about) end
    local other = devices[a.about]
    if other and a.about ~= "soft" then
      return ("ranks %d and %d have the same GPU, %s; start as many processes as there are GPUs"):format(other, rank,
        a.about)
    end
    devices[a.about] = rank
  end
end

local function check_same(answers)
  for k, a in ipairs(answers) do
    if a.wanted ~= answers[1].wanted then
      errors.raise("LogicError", ("init: the ranks ask for different backends: rank 0 for %s, rank %d for %s"):format(
        tostring(answers[1].wanted), k - 1, tostring(a.wanted)))
    end
  end
end

---The transport for arrays. All ranks call it.
---@param control cudalua.distributed.Transport
---@param handle any
---@param start cudalua.distributed.Start
---@param device cudalua.Device
---@param wanted "nccl"|"shm"|"mpi"|"auto"
---@return cudalua.distributed.Transport data
---@return any handle
---@raise RuntimeError if NCCL is requested and cannot be used; LogicError if the ranks ask for different ones
function M.data(control, handle, start, device, wanted)
  local is_auto = wanted == "auto"
  if wanted == control.name or is_auto and (start.size == 1 or core.driver_info().soft) then return control, handle end
  if wanted == "shm" or wanted == "mpi" then
    local text = "init: the backend '%s' cannot be used, because %s has started this process; use '%s'"
    errors.raise("RuntimeError", text:format(wanted, start.launcher or "cudalua run", control.name))
  end
  local nccl = require "cudalua.distributed.transport.nccl"
  local answers = ask(control, handle, wanted, nccl, device)
  check_same(answers)
  local why = obstacle(answers)
  if not why then
    storage.note_written = core.memory_written
    nccl.rank = start.rank
    return nccl, nccl.connect(control, handle, "init", start.size, start.rank)
  end
  if is_auto then return control, handle end
  errors.raise("RuntimeError", ("init: the backend 'nccl' cannot be used: %s"):format(why),
    { hint = ("init{ backend = '%s' } moves arrays through host memory"):format(control.name) })
end

---A handle of the same transport for a group that control has opened.
---@param group cudalua.distributed.Group  that is divided
---@param handle any                       of the new group
---@param where string
---@param size integer
---@param rank integer
---@return any
function M.join(group, handle, where, size, rank)
  if group._data == group._control then return handle end
  return group._data.connect(group._control, handle, where, size, rank)
end

---Do the ranks compare their calls before they make them?
---@param data cudalua.distributed.Transport
---@return boolean
function M.checks(data) return data.memory == "host" or M.compares() end

---Do the ranks also compare the elements of replicated arrays?
---@return boolean
function M.compares() return os.getenv "CUDALUA_DIST_CHECK" == "1" end

return M
