-- This process's part in MPI: joining, waiting for requests, failures of the whole world.
--
-- A rank that gives up tells all others by a message with the tag ALARM, for which waiting ranks look. Requests that
-- were given up stay with MPI until the process ends. So their memory comes from malloc() and is not freed.

local circle = require "cudalua.distributed.transport.mpi_circle"
local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local library = require "cudalua.distributed.transport.mpi_library"

ffi.cdef [[
  void *cudalua_os_malloc(size_t bytes) __asm__("malloc");
  void cudalua_os_free(void *memory) __asm__("free");
  int cudalua_os_setenv(const char *name, const char *value, int overwrite) __asm__("setenv");
  int cudalua_os_unsetenv(const char *name) __asm__("unsetenv");
  int cudalua_os_gethostname(char *name, size_t bytes) __asm__("gethostname");
  typedef struct { int64_t seconds, nanoseconds; } cudalua_os_timespec;
  int cudalua_os_clock_gettime(int clock, cudalua_os_timespec *time) __asm__("clock_gettime");
  int cudalua_os_nanosleep(const cudalua_os_timespec *time, cudalua_os_timespec *rest) __asm__("nanosleep");
  int cudalua_os_sched_yield(void) __asm__("sched_yield");
]]

local C = ffi.C

local M = {}

-- Tags of messages. HEADER to ANSWER begin calls (mpi.lua).
M.TAG = { HEADER = 1, TEXT = 2, OFFER = 3, ANSWER = 4, DATA = 5, ALARM = 6, LEFT = 7 }
local TAG = M.TAG

M.TEXT = 4096 -- bytes of a message, with the zero at its end

---The world of this process.
---@class cudalua.distributed.MpiWorld
---@field mpi cudalua.distributed.Mpi
---@field comm ffi.cdata*|integer  of all ranks, for this library alone
---@field rank integer
---@field size integer
---@field limit number             seconds that a wait may take
---@field failed? {rank: integer, text: string}
---@field doing string             the current call, "all_reduce (script.lua:7)"
---@field groups table<string, cudalua.distributed.MpiHandle>  by their names, weak
---@field notes table[]            of mpi_circle.lua, which MPI may still read
---@field waits integer            waits for which notes were sent
---@field calls table<integer, string>  by rank, its last call that this rank has heard of
---@field inside ffi.cdata*        1 in its place: a function of MPI runs
---@field closed table<string, cudalua.distributed.MpiHandle>  groups that this rank no longer uses, by their names

-- ---- failures -------------------------------------------------------------------------------------------------------

local function check(world, where, name, code)
  if code == 0 then return end
  local text, length = ffi.new "char[8193]", ffi.new "int[1]"
  library.call(world, "Error_string", code, text, length)
  errors.raise("RuntimeError", ("%s: MPI_%s failed: %s"):format(where, name, ffi.string(text)))
end

---Calls a function of MPI.
---@param world cudalua.distributed.MpiWorld
---@param where string
---@param name string  without "MPI_"
---@param ... any
---@raise RuntimeError with MPI's text
function M.call(world, where, name, ...)
  check(world, where, name, library.call(world, name, ...))
end

---The world is failed from here on, for all ranks.
---@param world cudalua.distributed.MpiWorld
---@param text string
function M.fail(world, text)
  if world.failed then return end
  world.failed = { rank = world.rank, text = text }
  core.mpi_failed()
  text = text:sub(1, M.TEXT - 1)
  local message = ffi.cast("char *", C.cudalua_os_malloc(#text + 1))
  ffi.copy(message, text)
  for rank = 0, world.size - 1 do
    if rank ~= world.rank then
      library.call(world, "Isend", message, #text + 1, world.mpi.byte, rank, TAG.ALARM, world.comm,
        world.mpi.handle_t())
    end
  end
end

local function raise_failure(world, where)
  errors.raise("RuntimeError", where .. ": " .. world.failed.text, { rank = world.failed.rank })
end

---Raises if the world has failed.
---@param world cudalua.distributed.MpiWorld
---@param where string
function M.check(world, where)
  core.mpi_check_process(where)
  M.look(world)
  M.look(world) -- a library may fetch messages only after it has looked
  if world.failed then raise_failure(world, where) end
end

local function has_message(world, from, tag)
  world.flag[0] = 0
  library.call(world, "Iprobe", from, tag, world.comm, world.flag, world.status)
  return world.flag[0] ~= 0
end

---Receives an alarm, if one has come.
---@param world cudalua.distributed.MpiWorld
function M.look(world)
  local mpi = world.mpi
  if world.failed or not has_message(world, mpi.abi.any_source, TAG.ALARM) then return end
  local text, from = ffi.new("char[?]", M.TEXT), world.status.source
  library.call(world, "Recv", text, M.TEXT, mpi.byte, from, TAG.ALARM, world.comm, world.status)
  world.failed = { rank = from, text = ffi.string(text) }
  core.mpi_failed()
end

-- ---- waiting --------------------------------------------------------------------------------------------------------

-- Tests in a row; then with a pause in between; and then, if another rank has not come, with a longer one. Data moves
-- only during tests.
local SPINS, YIELDS = 100, 200
local NAP = ffi.new("cudalua_os_timespec", { 0, 100000 })
local MONOTONIC, MOST = 1, 0.1 -- a pause counts as MOST seconds at most, so a stopped process uses up no time
local LONG = 0.1 -- seconds, after which a rank asks whether the others wait for it
local GRACE = 0.2 -- from a rank's end until its last message must have come

local clock = ffi.new "cudalua_os_timespec"
local function now()
  C.cudalua_os_clock_gettime(MONOTONIC, clock)
  return tonumber(clock.seconds) + tonumber(clock.nanoseconds) * 1e-9
end

local function fail_late(world, w)
  local call = world.calls[w.owner]
  local owner = w.owner and ("rank %d waited for rank %d in %s for %g s; the last call of rank %d is %s"):format(
    world.rank, w.owner, world.doing, world.limit, w.owner, call or "none yet")
  M.fail(world, owner or ("rank %d waited in %s for %g s"):format(world.rank, world.doing, world.limit))
end

-- A while after a pause: has something ended the wait?
local function look_around(world, w)
  core.interrupt_check()
  M.look(world)
  if world.failed then raise_failure(world, w.where) end
  local t = now()
  w.waited = w.waited + math.min(t - w.before, MOST)
  w.before = t
  if w.owner and not w.left and has_message(world, w.owner, TAG.LEFT) then w.left = w.waited end
  if w.left and w.waited - w.left > GRACE then
    world.failed = { rank = w.owner, text = ("rank %d has ended, and does not make the call"):format(w.owner) }
    core.mpi_failed()
  elseif w.waited > world.limit then
    fail_late(world, w)
  elseif w.awaited and w.waited > LONG then
    if not w.number then circle.ask(world, w) end
    local waits = circle.look(world, w)
    if waits then M.fail(world, core.circle_text(waits)) end
  end
  if world.failed then raise_failure(world, w.where) end
end

local function is_done(world, w, request)
  M.call(world, w.where, "Test", request, world.flag, world.mpi.ignored)
  return world.flag[0] ~= 0
end

local function wait(world, w, request)
  local tests = 0
  while not is_done(world, w, request) do
    tests = tests + 1
    if w.owner and tests > YIELDS then
      C.cudalua_os_nanosleep(NAP, nil)
    elseif tests > SPINS then
      C.cudalua_os_sched_yield()
    end
    if tests > SPINS and tests % 16 == 0 then look_around(world, w) end
  end
end
-- Compiled loops do not run the hook by which luajit's own handler of Ctrl-C raises.
jit.off(wait)

---Waits for a request.
---@param world cudalua.distributed.MpiWorld
---@param where string
---@param request ffi.cdata*  the address of one
---@param owner? integer      the rank that it waits for; nil: all have come
---@param awaited? cudalua.distributed.Awaited  the message, if it is the owner's alone
---@raise RuntimeError if the world fails; InterruptError and the world fails
function M.wait(world, where, request, owner, awaited)
  if is_done(world, { where = where }, request) then return end
  local w = { where = where, owner = owner, awaited = awaited, waited = 0, before = now() }
  local ok, err = pcall(wait, world, w, request)
  if ok then return end
  M.fail(world, errors.is_error(err, "RuntimeError") and err.message:gsub("^[%w_]+: ", "") or
    ("rank %d was interrupted in %s"):format(world.rank, where))
  error(err, 0)
end

-- ---- joining --------------------------------------------------------------------------------------------------------

local function box(value) return ffi.new("void *[1]", ffi.cast("void *", ffi.cast("intptr_t", value))) end

-- Which ranks are on the same machine, by its name.
local function local_ranks(world)
  local NAME, mpi = 256, world.mpi
  local own = ffi.cast("char *", C.cudalua_os_malloc(NAME))
  local all = ffi.cast("char *", C.cudalua_os_malloc(NAME * world.size))
  local request = mpi.handle_t()
  ffi.fill(own, NAME)
  C.cudalua_os_gethostname(own, NAME - 1)
  M.call(world, "init", "Iallgather", own, NAME, mpi.byte, all, NAME, mpi.byte, world.comm, request)
  M.wait(world, "init", request)
  local rank, size, name = 0, 0, ffi.string(own)
  for k = 0, world.size - 1 do
    if ffi.string(all + k * NAME) == name then
      size = size + 1
      if k < world.rank then rank = rank + 1 end
    end
  end
  C.cudalua_os_free(own)
  C.cudalua_os_free(all)
  return rank, size
end

-- MPI_COMM_WORLD as an own communicator, whose errors are raised here.
local function own_communicator(world, where, of)
  local comm = world.mpi.handle_t()
  M.call(world, where, "Comm_dup", of, comm)
  M.call(world, where, "Comm_set_errhandler", comm[0], world.mpi.returns)
  return comm[0]
end

local function check_size(world, start)
  if world.size == start.size then return end
  errors.raise("RuntimeError", ("init: %s started %d processes, but in %s (%s) there are %d; set CUDALUA_MPI to the "
    .. "path of the MPI library that belongs to %s"):format(start.launcher, start.size, world.mpi.name,
    world.mpi.abi.name, world.size, start.launcher))
end

-- Programs that this one starts are no ranks. They use the same device.
local function change_environment(start)
  for _, name in ipairs(start.variables) do C.cudalua_os_unsetenv(name) end
  C.cudalua_os_setenv("CUDALUA_LOCAL_RANK", tostring(start.local_rank), 1)
end

---Starts MPI, and completes what the launcher's variables say.
---@param start cudalua.distributed.Start
---@param limit number  seconds that a wait may take
---@return cudalua.distributed.MpiWorld
---@raise RuntimeError if there is no MPI, or not the launcher's
function M.join(start, limit)
  local mpi = library.open(start)
  local call, int = mpi.call, ffi.typeof "int[1]"
  local before, size, rank = int(), int(), int()
  call.Initialized(before)
  local world = { mpi = mpi, limit = limit, doing = "init", calls = {}, closed = {}, notes = {}, waits = 0,
    flag = int(), status = mpi.status_t(), groups = setmetatable({}, { __mode = "v" }),
    inside = ffi.cast("int *", C.cudalua_os_malloc(4)) }
  world.inside[0] = 0
  if before[0] == 0 then M.call(world, "init", "Init_thread", nil, nil, mpi.abi.funneled, int()) end
  M.call(world, "init", "Comm_size", mpi.world, size)
  M.call(world, "init", "Comm_rank", mpi.world, rank)
  world.size, world.rank = size[0], rank[0]
  world.comm = own_communicator(world, "init", mpi.world)
  core.mpi_opened { rank = world.rank, size = world.size, tag = TAG.LEFT, last_tag = circle.TAG,
    finalizes = before[0] == 0, comm = box(world.comm), byte = box(mpi.byte), ignored = box(mpi.ignored),
    inside = box(world.inside), Abort = box(call.Abort), Finalize = box(call.Finalize),
    Finalized = box(call.Finalized), Isend = box(call.Isend), Irecv = box(call.Irecv), Test = box(call.Test),
    Iprobe = box(call.Iprobe), Recv = box(call.Recv) }
  check_size(world, start)
  start.rank = world.rank
  start.local_rank, start.local_size = local_ranks(world)
  change_environment(start)
  return world
end

return M
