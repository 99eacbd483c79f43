-- Programs of several processes, each with a device of its own: cuda.distributed.
--   distributed/start    who started this process            run       cudalua run
--   distributed/group    what programs see of a group        handle    calls with async = true
--   distributed/calls    the calls between ranks             operands, object   arrays and Lua values for them
--   distributed/transport/   what moves data between ranks: shm, mpi, nccl, and the memory that they move
--   distributed/process/     ranks of one process: cuda.devices
--   distributed/array/       distributed arrays, which are divided into blocks
--   distributed/files/       one .npy by all ranks, and the state of a program as a folder

local Context = require "cudalua.driver.context"
local core = require "cudalua.core"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local group = require "cudalua.distributed.group"
local handles = require "cudalua.distributed.handle"
local layout = require "cudalua.base.layout"
local members = require "cudalua.distributed.process.members"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
local sharded = require "cudalua.distributed.array.sharded"
local start = require "cudalua.distributed.start"
local surplus = require "cudalua.base.surplus"
local transport = require "cudalua.distributed.transport"

---Several processes that compute together. Start them with `cudalua run -n 4 script.lua`, or with mpirun or srun.
---@class cudalua.distributed
---@field Group cudalua.distributed.Group  the class of groups of ranks, with their methods
---@field Handle cudalua.distributed.Handle  the class of handles of calls with async = true, with their methods
---@field Array cudalua.distributed.Array  the class of distributed arrays, with their methods
local M = { Group = group.Group, Handle = handles.Handle, Array = sharded.Array }

local world

-- The device of this process: that of the current context, or by CUDALUA_LOCAL_RANK.
local function choose_device()
  core.want_context()
  return Context.get_device()
end

local function check_timeout(x)
  local seconds = element.scalar(x)
  if type(seconds) == "number" and seconds > 0 and seconds < math.huge then return seconds end
  layout.refuse("init", "timeout must be a positive number of seconds, got %s", element.describe(x))
end

local OPTIONS = { timeout = true, backend = true }

---Joins the ranks that `cudalua run`, mpirun or srun has started, and returns the group of all of them. A process that
---was started alone is the only rank of its world. Makes the primary context of the process's device current, unless a
---context is current: ranks of one machine take its devices in turn. Later calls return the same group.
---@param options? {timeout: number, backend: string}  timeout: seconds that a call may wait for another rank; default
---  CUDALUA_DIST_TIMEOUT, else 600. backend: "nccl" (between GPUs), "shm" or "mpi" (host memory) moves arrays. Default
---  CUDALUA_DIST_BACKEND, else NCCL if each of several ranks has a GPU of its own
---@return cudalua.distributed.Group
---@raise LogicError for invalid options, for different backends, and in a program that a rank has started. RuntimeError
---  if the driver, a device, the requested backend or the launcher's MPI library is missing
function M.init(options)
  local o = errors.options("init", options, OPTIONS)
  local timeout = o.timeout ~= nil and check_timeout(o.timeout) or nil
  local member = members.current()
  if member then return member.world end
  local wanted = transport.wanted(o.backend)
  if world then
    if o.backend ~= nil and wanted ~= world.transport then
      layout.refuse("init", "the backend of this process is '%s' already, got '%s'", world.transport, wanted)
    end
    if timeout then world._handle:set_limit(timeout) end
    return world
  end
  local s = start.read()
  start.joined = s.size
  timeout = timeout or start.timeout()
  local control = transport.control(s)
  if control.join then control.join(s, timeout) end
  local device = choose_device()
  local handle = control.open(s, timeout)
  local data, data_handle = transport.data(control, handle, s, device, wanted)
  local ranks = {}
  for r = 0, s.size - 1 do ranks[r + 1] = r end
  world = group.new { rank = s.rank, size = s.size, ranks = ranks, local_rank = s.local_rank, local_size = s.local_size,
    device = device, transport = data.name, _control = control, _data = data, _handle = handle,
    _data_handle = data_handle, _side = transport.side(data), _checks = transport.checks(data) }
  return world
end

sharded.world = M.init
local parts = {}
for part in ("array.construct files.file files.checkpoint"):gmatch "%S+" do
  for name, f in pairs_of(require("cudalua.distributed." .. part)) do
    if name:byte() ~= 95 then parts[name] = f end
  end
end
for name, f in pairs_of(surplus.install("distributed.", parts)) do M[name] = f end
for part in ("elementwise views move take reduce multiply order"):gmatch "%S+" do
  require("cudalua.distributed.array." .. part)
end
surplus.install("distributed.Array:", sharded.Array)

return names.strict(M, { text = "distributed", kind = "distributed" })
