-- The one place that launches kernels of arrays. It loads the kernel, checks that no finalizer wrote to arrays since
-- the caller looked at them, launches, and marks what a graph that is being captured uses from then on.
--
-- Whoever launches has looked at arrays before: where they lie, and which expressions are computed. Any allocation may
-- run a finalizer of the user's, and that may write to arrays. So the caller remembers storage.writes before it looks,
-- and makes an attempt. If the count is another one at the launch, nothing is launched, and the caller looks anew.

local compiler = require "cudalua.compiler"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local core = require "cudalua.core"
local hooks = require "cudalua.base.hooks"
local kernel_functions = require "cudalua.driver.function"
local load = require("cudalua.compiler.load").load
local storage = require "cudalua.gpuarray.core.storage"

local find_function, remember_maker = kernel_functions.find, kernel_functions.remember_maker
local array_run, array_compute, context_id = core.array_run, core.array_compute, core.context_id
local library_begin, library_end = core.library_begin, core.library_end

local M = {}

---What an attempt returns that has to be made again. Everything else, nil included, is a result.
M.AGAIN = {}
local AGAIN = M.AGAIN

---A launch takes as long as a GPU needs to move about so many bytes.
M.LAUNCH = 8 * 2 ^ 20

---Threads of a block, unless a launch says how many.
M.BLOCK = codegen.BLOCK

-- ---- kernels --------------------------------------------------------------------------------------------------------

M.fast_math = false

---Takes launches instead of the device while an evaluation is only planned (dry_run.lua); otherwise false.
M.planned = false ---@type (fun(launch: table): boolean)|false

---A generated kernel in the current context. One with `exact` is the same under gpuarray.fast_math: its bits are
---documented.
---@param k table
---@param id integer  core.context_id()
---@return cudalua.Function?  nil: not to be run (never here; specs put another function in its place)
function M.load(k, id)
  local fast = M.fast_math and not k.exact
  local key = fast and "fast" .. id or id
  local fn = k.loaded[key]
  if not fn then
    local options = fast and { "--use_fast_math" } or { "--fmad=false" }
    local result = compiler.build("gpuarray", codegen.source(k), { options = options, no_extern_c = true })
    local mod
    mod, result = load(result, true)
    fn = find_function(mod, k.name, nil, result.params[k.name])
    remember_maker(fn, function() return codegen.source(k), { options = options, no_extern_c = true } end)
    k.loaded[key] = fn
  end
  return fn
end

---A generated kernel as a function of the current context, so that a launch need not load it.
---@param k table
---@return cudalua.Function?  nil: not to be run
local function function_of(k)
  local context = context_id()
  local fn = k.loaded[context]
  if not fn or M.fast_math then fn = M.load(k, context) end
  return fn
end
M.function_of = function_of

-- ---- what graphs use ------------------------------------------------------------------------------------------------

---A graph that is being captured writes to this memory whenever it is launched.
---@param leaf table
function M.captured(leaf) leaf.store.exported, leaf.store.pinned = true, true end

-- A graph that is being captured uses these addresses whenever it is launched. Memory that is no array has no storage.
local function mark(leaves, n, writes, m)
  for i = 1, n do
    local store = leaves[i].store
    if store then store.pinned = true end
  end
  for i = 1, m do
    local store = writes[i].store
    if store then store.exported, store.pinned = true, true end
  end
end

local function note_written(writes, m)
  for i = 1, m do
    if writes[i].buf then storage.note_written(writes[i].buf) end
  end
end

-- Frees memory that nobody needs behind the launch. A graph keeps what it uses.
local function free(scratch)
  for i = 1, #scratch do scratch[i]:free() end
end

-- The same where nothing was launched. A capture may have seen the memory being filled.
local function abandon(scratch)
  if scratch[1] and not core.array_ready(scratch[1]) then free(scratch) end
end

-- Lists of arguments may be kept for the next call; memory must not live on there.
local function forget(list)
  for i = 1, #list do
    if type(list[i]) == "userdata" then list[i] = false end
  end
end

-- ---- profiles -------------------------------------------------------------------------------------------------------

-- Bytes of a leaf's elements, each once.
local function bytes_of(leaf)
  local shape, strides, n = leaf.shape, leaf.strides, leaf.dtype and leaf.dtype.itemsize
  if not shape or not n then return end
  if leaf.places then return 0 end -- it has no memory
  for i = 1, #shape do n = n * (strides and strides[i] == 0 and 1 or shape[i]) end
  return n
end

-- A kernel may read an array at several places (map.lua).
local function is_repeated(leaves, i)
  for k = 1, i - 1 do
    if leaves[k] == leaves[i] then return true end
  end
end

---Tells the profile that is under way how many bytes the next kernel reads and writes.
---@param leaves table[]
---@param n integer      so many of them
---@param bytes integer  of new memory, besides
---@param writes? table[]
---@param m? integer
function M.say_bytes(leaves, n, bytes, writes, m)
  for i = 1, n + (m or 0) do
    local more = i <= n and is_repeated(leaves, i) and 0 or bytes_of(i <= n and leaves[i] or writes[i - n])
    if not more then return end
    bytes = bytes + more
  end
  core.profile_bytes(bytes)
end

-- ---- one kernel -----------------------------------------------------------------------------------------------------

---A launch. A walk over an expression (plan.lua) is one.
---@class cudalua.gpuarray.Launch
---@field kernel? table         a generated kernel, which is loaded if it is not yet: `loaded` has functions by context
---@field fn? cudalua.Function  in its place: a function of the current context
---@field blocks integer
---@field threads? integer      of a block; default BLOCK
---@field arguments any[]       one for each parameter, two for a pointer: memory, and bytes from its start; the memory
---  is taken out of the list
---@field since integer         storage.writes when the caller looked at what the kernel reads
---@field leaves table[]        what is read
---@field nleaves? integer      the first so many of them; default: all
---@field writes? table[]       leaves that are written: a graph writes to them whenever it is launched. Whoever makes
---  leaves behind the launch calls run.captured() with them
---@field nwrites? integer      default: all
---@field changes? boolean      some of these were there before, so storage.writes goes up
---@field scratch? userdata[]   freed behind the launch, unless a graph has it
---@field rows? {launched: boolean}|false  is told about the launch
---@field mailbox? userdata     where a single result is left for the host; default: nowhere

local none = {}

-- The check and the launch, with nothing between them that may run a finalizer: on one line, as
-- spec/gpuarray/gpuarray_run_spec.lua has one run between any two.
local function at(since, fn, blocks, list, threads, mailbox, group)
  if fn == nil then return since == storage.writes end
  if since == storage.writes then if group then group.launched = true end return true, array_run(fn, blocks, list, threads, mailbox) else return false end -- luacheck: ignore 631
end

---Launches a kernel, unless a finalizer wrote to arrays meanwhile.
---@param launch cudalua.gpuarray.Launch
---@return boolean launched    false: what the caller looked at may be otherwise now
---@return boolean? captured   is a graph being captured that has the kernel now?
---@return integer? ticket     of the mailbox
function M.kernel(launch)
  if M.planned then return M.planned(launch) end
  local fn = launch.fn or function_of(launch.kernel)
  -- Read before the launch: finalizers that run in it may use the same record.
  local leaves, writes, scratch = launch.leaves, launch.writes or none, launch.scratch
  local n, m = launch.nleaves or #leaves, launch.nwrites or #writes
  local since = launch.since
  if launch.changes then -- counted before: if the launch raises an error, something may be written nonetheless
    storage.writes, since = storage.writes + 1, since + 1
    if storage.note_written then note_written(writes, m) end
  end
  if hooks.profiling then M.say_bytes(leaves, n, 0, writes, m) end
  local launched, captured, ticket = at(since, fn, launch.blocks, launch.arguments, launch.threads, launch.mailbox,
    launch.rows)
  if not launched or not fn then forget(launch.arguments) end
  if not launched then
    if hooks.profiling then core.profile_bytes(0) end
    if scratch then abandon(scratch) end
    return false
  end
  if captured then mark(leaves, n, writes, m) elseif scratch then free(scratch) end
  return true, captured, ticket
end

---Launches a kernel that writes to one piece of new memory: a call of C takes the memory and launches.
---@param since integer     as of a Launch
---@param fn cudalua.Function
---@param blocks integer
---@param list any[]        arguments, among them any two instead of the new memory; left as it is
---@param pool cudalua.DeviceMemoryPool
---@param bytes integer     of the new memory
---@param place? integer    number of the parameter that is its address, from 0; default: 1
---@param mailbox? userdata|false
---@return userdata? memory  nil: nothing was done, as it is not as simple as that, or a finalizer wrote to arrays
---@return integer? ticket
function M.fresh(since, fn, blocks, list, pool, bytes, place, mailbox)
  if M.planned then return nil end
  if since == storage.writes then return array_compute(fn, blocks, list, pool, bytes, place, mailbox) end
end

-- ---- several kernels ------------------------------------------------------------------------------------------------

---Kernels and fills that belong together: later ones read what earlier ones wrote to memory of their own.
---@class cudalua.gpuarray.Sequence
---@field since integer        as of a Launch, and so are leaves, writes, and scratch
---@field changes? boolean      as of a Launch: only the last step writes to what was there before; default: writes are
---  new
---@field leaves table[]
---@field writes table[]
---@field scratch? userdata[]
---@field [integer] cudalua.gpuarray.Step

---A step: `kernel`, `blocks`, `threads` and `arguments`, as of a Launch; or `fill`, memory that is set to 0 from its
---start, and `words`, how many words of 4 bytes of it.
---@class cudalua.gpuarray.Step
---@field kernel? table
---@field blocks? integer
---@field threads? integer
---@field arguments? any[]
---@field fill? userdata
---@field words? integer

local function step(since, fn, s)
  if s.kernel then return at(since, fn, s.blocks, s.arguments, s.threads) end
  local captured = core.array_ready(s.fill)
  core.memset(32, s.fill, 0, s.words, true, core.current_stream())
  return true, captured
end

---Does the steps in their order. If a finalizer writes to arrays before or between them, the rest is not done, and the
---caller makes its lists again and starts over. What the steps before wrote is in new memory, which is written again.
---@param sequence cudalua.gpuarray.Sequence
---@return boolean done
---@return boolean captured
function M.sequence(sequence)
  if M.planned then return M.planned(sequence), false end
  local functions, captured, scratch = {}, false, sequence.scratch or none
  for i, s in ipairs(sequence) do functions[i] = s.kernel and function_of(s.kernel) or false end
  local since = sequence.since
  if sequence.changes then -- counted before, as for one kernel
    storage.writes, since = storage.writes + 1, since + 1
    if storage.note_written then note_written(sequence.writes, #sequence.writes) end
  end
  for i, s in ipairs(sequence) do
    local done, in_capture = step(since, functions[i], s)
    captured = in_capture or captured
    if not done then
      abandon(scratch)
      return false, captured
    end
  end
  if captured then mark(sequence.leaves, #sequence.leaves, sequence.writes, #sequence.writes) else free(scratch) end
  return true, captured
end

-- ---- calls of a vendor's library ------------------------------------------------------------------------------------

---A call of a vendor's library, which launches kernels of its own.
---@class cudalua.gpuarray.LibraryCall
---@field name string          the library's function, for messages
---@field since integer        as of a Launch, and so are leaves, writes, changes and scratch
---@field leaves table[]
---@field writes? table[]
---@field changes? boolean
---@field scratch? userdata[]
---@field keep? any            what the kernels use besides, such as a plan; a graph that captures the call keeps it
---@field call fun(stream: integer, since: integer): integer  makes the call in the stream with that handle and returns
---  the status, 0 for success. since: what storage.writes has to be; if `changes`, this call counts. All
---  that it passes was made before: it must not allocate, as that may run a finalizer

---The address of a leaf's first element as a number, which goes into a parameter of type uintptr_t without a cdata.
---@param leaf table
---@return integer address  0: the array has no elements
function M.address(leaf) return leaf.buf and leaf.buf:ptr() + leaf.off or 0 end

-- All memory of the call, each once or more often.
local function memories_of(c)
  local list, writes, scratch = {}, c.writes or none, c.scratch or none
  for i = 1, #c.leaves do list[i] = c.leaves[i].buf end
  for i = 1, #writes do list[#list + 1] = writes[i].buf end
  for i = 1, #scratch do list[#list + 1] = scratch[i] end
  return list
end

-- The check and the call, on one line as the launch's. Behind library_begin() comes library_end(), whatever happens.
local function in_library(since, name, memories, f)
  local stream, captured = library_begin(name, memories); if since == storage.writes then return true, captured, pcall(f, stream, since) else return false end -- luacheck: ignore 631
end

---Calls a vendor's library, unless a finalizer wrote to arrays meanwhile. Streams, captures and memory are looked after
---as for a launch.
---@param c cudalua.gpuarray.LibraryCall
---@return boolean called
---@return boolean? captured
---@return integer? status   what the library's function returned
function M.library(c)
  if M.planned then return M.planned(c), false, 0 end
  local memories, leaves, writes, scratch = memories_of(c), c.leaves, c.writes or none, c.scratch or none
  local since = c.since
  if c.changes then
    storage.writes, since = storage.writes + 1, since + 1
    if storage.note_written then note_written(writes, #writes) end
  end
  local called, captured, ok, status = in_library(since, c.name, memories, c.call)
  library_end(memories, called, c.keep)
  if not called then
    abandon(scratch)
    return false
  end
  if captured then mark(leaves, #leaves, writes, #writes) else free(scratch) end
  if not ok then error(status, 0) end
  return true, captured, status
end

-- ---- attempts -------------------------------------------------------------------------------------------------------

---Calls attempt(since, ...) until it returns something else than AGAIN. An attempt only looks at arrays, loads, makes
---lists and launches. Whatever is done once is done before: outputs, the user's allocators, copies of arguments.
---@param attempt fun(since: integer, ...): any, any
---@param ... any
---@return any first
---@return any second
function M.until_done(attempt, ...)
  while true do
    local first, second = attempt(storage.writes, ...)
    if first ~= AGAIN then return first, second end
  end
end

return M
