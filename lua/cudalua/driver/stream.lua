-- Streams: cuda.Stream, which is the table of a stream's methods as well, and what belongs to the current stream.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"

---@class cudalua
local M = {}

---A queue of work on the device. Work in one stream runs in order; streams run beside each other. Dropped with work
---pending, it ends that work first; this does not wait for it.
---@class cudalua.Stream
---@overload fun(options?: integer|string|(integer|string)[]|{flags: any, priority: integer}): cudalua.Stream  flags of
--- cuda.stream_flags ("non_blocking": does not wait for the legacy stream), or a table of options
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
  return use(self, inside, fn, ...)
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

---cuCtxGetStreamPriorityRange of the current context: the smaller number is the greater priority. Priorities outside
---of the range are taken for its nearer end.
---@return integer least     0 on all GPUs so far
---@return integer greatest  -5, say
---@raise LogicError (201) without a current context
function Stream.priority_range() return core.stream_priority_range() end

local legacy, per_thread = core.default_streams()

---CU_STREAM_LEGACY: the default stream. It waits for all streams but "non_blocking" ones, and they wait for it.
---@type cudalua.Stream
M.legacy_stream = legacy

---CU_STREAM_PER_THREAD: each thread's own default stream, which waits for the legacy stream and is waited for by it.
---@type cudalua.Stream
M.per_thread_stream = per_thread

---The stream of whatever is given none: that of the innermost Stream:use(), Stream:capture() or
---Stream:begin_capture(), else the legacy stream.
---@return cudalua.Stream
function M.current_stream() return core.current_stream() end

---cuStreamGetCtx, cuStreamGetFlags: the Stream that stands for a CUstream of other code in this process, which keeps
---owning it: close() lets go of it and destroys nothing. Other code has to keep it alive. An invalid handle may
---crash the driver.
---@param handle integer|ffi.cdata*  the CUstream as a number; 0 and 1 are the legacy stream, 2 the per-thread one
---@return cudalua.Stream
---@raise LogicError for what cannot be a handle
function M.wrap_stream(handle) return core.wrap_stream(host.plain_number(handle)) end

---Calls the functions given to Stream:on_complete() whose time has come, and lets go of buffers that copies have
---done with. Waits for nothing.
---@return integer  how many functions were called
---@raise what they raise; the others are called by the next poll() or synchronize()
function M.poll() return core.poll() end

---A file descriptor that is readable while functions given to Stream:on_complete(), or to host nodes of graphs, wait
---to be called: for an event loop, which calls cuda.poll() then. Each Lua state has its own. The loop must not read,
---write or close it; it is closed with the state. Programs that it starts do not get it. If a kernel fails, the driver
---may call no function behind it: give the wait a time limit, and call Stream:is_done() then, which raises the error.
---@return integer fd  the same in each call
---@raise RuntimeError after a fork, or if the process has no descriptor left
function M.completion_fd() return core.completion_fd() end

return M
