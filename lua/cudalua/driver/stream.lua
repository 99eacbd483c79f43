-- Streams: cuda.Stream, which is the table of a stream's methods as well, and what belongs to the current stream.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"

---@class cudalua
local M = {}

---A queue of work on the device. Work in a stream runs in order; different streams run concurrently. If you drop a
---stream with pending work, that work is still done, and dropping does not wait for it.
---@class cudalua.Stream
---@overload fun(options?: integer|string|(integer|string)[]|{flags: any, priority: integer}): cudalua.Stream  flags of
---  cuda.stream_flags ("non_blocking": does not wait for the legacy stream), or a table of options
local Stream = core.classes.Stream
M.Stream = Stream

local options_of_stream = { flags = true, priority = true }

setmetatable(Stream, {
  __call = function(_, options)
    if type(options) ~= "table" or #options > 0 then return core.stream(options) end
    options = errors.options("Stream", options, options_of_stream)
    return core.stream(options.flags, host.plain_number(options.priority))
  end,
})

local use = Stream.use

local function finish(entered, ok, ...)
  hooks.leave_stream(entered, ok, ...)
  if not ok then error((...), 0) end
  return ...
end

-- Array expressions that were written down inside are computed inside.
local function inside(fn, ...)
  return finish(hooks.enter_stream(), pcall(fn, ...))
end

function Stream:use(fn, ...)
  if not errors.is_callable(fn) then return use(self, fn, ...) end
  hooks.start_waiting() -- in the streams that they were written in
  return use(self, inside, fn, ...)
end

-- Events and waits are about the work of before, which reductions that were written belong to. The functions in C are
-- called by their names, which messages show. `return (...)` behind the call gives another argument in compiled traces
-- of LuaJIT 2.1.0-beta3: see launch_spec.lua, "outlive their Lua object".
local synchronize, wait_for_event, on_complete = Stream.synchronize, Stream.wait_for_event, Stream.on_complete

function Stream.synchronize(...)
  local self = ...
  hooks.start_waiting()
  synchronize(...)
  return self
end

function Stream.wait_for_event(...)
  local self = ...
  hooks.start_waiting()
  wait_for_event(...)
  return self
end

function Stream.on_complete(...)
  local self = ...
  hooks.start_waiting()
  on_complete(...)
  return self
end

local capture = Stream.capture

-- What was written down before and is computed inside would be part of the graph, and have no value before a launch.
function Stream:capture(fn, options)
  hooks.compute_pending()
  return capture(self, fn, options)
end

local begin_capture = Stream.begin_capture

function Stream:begin_capture(options)
  if type(options) == "string" or type(options) == "number" then options = { mode = options } end
  hooks.compute_pending()
  return begin_capture(self, options)
end

---cuCtxGetStreamPriorityRange of the current context. A lower number means a higher priority. Priorities outside the
---range are clamped to it.
---@return integer least     0 on all GPUs so far
---@return integer greatest  for example -5
---@raise LogicError (201) without a current context
function Stream.priority_range() return core.stream_priority_range() end

local legacy, per_thread = core.default_streams()

---CU_STREAM_LEGACY: the default stream. It waits for all streams except "non_blocking" ones, and they wait for it.
---@type cudalua.Stream
M.legacy_stream = legacy

---CU_STREAM_PER_THREAD: each thread's own default stream. It waits for the legacy stream, and the legacy stream waits
---for it.
---@type cudalua.Stream
M.per_thread_stream = per_thread

---Returns the stream of operations without a stream argument: that of the innermost Stream:use(), Stream:capture() or
---Stream:begin_capture(), otherwise the legacy stream.
---@return cudalua.Stream
function M.current_stream() return core.current_stream() end

---cuStreamGetCtx, cuStreamGetFlags: returns a Stream for a CUstream that other code in this process owns. close()
---releases it without destroying the CUstream. The other code has to keep it alive. An invalid handle may crash the
---driver.
---@param handle integer|ffi.cdata*  the CUstream as a number; 0 and 1 are the legacy stream, 2 the per-thread one
---@return cudalua.Stream
---@raise LogicError for a value that cannot be a handle
function M.wrap_stream(handle) return core.wrap_stream(host.plain_number(handle)) end

---Calls the functions passed to Stream:on_complete() whose work is done, and releases buffers of completed copies. Does
---not wait.
---@return integer  the number of functions called
---@raise their errors; the remaining functions are called by the next poll() or synchronize(). LaunchError, once, if
---  functions are not called because a kernel before them failed
function M.poll() return core.poll() end

---Returns a file descriptor for an event loop. It is readable while functions passed to Stream:on_complete(), or to
---host nodes of graphs, are ready; the loop then calls cuda.poll(). Each Lua state has its own descriptor. The loop
---must not read, write or close it; it is closed with the state, and programs that the loop starts do not inherit it.
---Behind a failed kernel the driver calls no function, and the descriptor does not become readable. So set a time limit
---for the wait, and then call Stream:is_done(), which raises the error. If another call has raised it, the descriptor
---is readable and poll() raises.
---@return integer fd  the same in each call
---@raise RuntimeError after a fork, or if the process has run out of descriptors
function M.completion_fd() return core.completion_fd() end

return M
