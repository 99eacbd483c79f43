---@meta cudalua.stream_methods
-- Annotations of streams, events and graphs, which are written in C (src/cudalua/streams/: stream.c, event.c,
-- completion.c, capture.c, graph.c). Semantics follow the CUDA driver API, in the functions named, and PyCUDA's
-- driver module.

---@class cudalua.Stream
local Stream = {}

---cuStreamSynchronize: waits for all work in it. Functions given to on_complete() are called then.
---@return cudalua.Stream self
---@raise what kernels failed with; LogicError while it is being captured
function Stream:synchronize() end

---cuStreamQuery: has all its work been done? Never waits.
---@return boolean
---@raise what kernels failed with; LogicError while it is being captured
function Stream:is_done() end

---cuStreamWaitEvent: work put in from now on waits on the device until the event is passed, as it was last recorded.
---The event may be of another device. An event recorded in a stream that is being captured makes this stream join the
---capture; to be joined again before the capture ends.
---@param event cudalua.Event
---@return cudalua.Stream self
---@raise LogicError for a mix of captured and not captured work
function Stream:wait_for_event(event) end

---Calls fn(...) with this as the current stream: kernels, copies and all else that is given no stream go into it.
---Calls nest; the previous stream becomes current again, also if fn raises. fn cannot yield to a coroutine outside of
---it. Before use() returns, it computes the pending array expressions that fn created: those that fn returns, and those
---that no other expression uses.
---@param fn function
---@param ... any  arguments of fn
---@return any ...  what fn returns
---@raise what fn raises
function Stream:use(fn, ...) end

---cuStreamBeginCapture, cuStreamEndCapture: calls fn(self) with this as the current stream, and records what it puts
---in instead of running it. Other streams join by waiting for an event recorded in this one, and have to be joined by
---waiting for an event recorded in them. Everything used inside is kept alive by the graph. What cannot be recorded
---(waiting, allocating, plain copies, the legacy stream) raises before it breaks the capture.
---@param fn fun(stream: cudalua.Stream)
---@param options? {mode: string|integer, into: cudalua.Graph, after: cudalua.GraphNode|cudalua.GraphNode[]}
---  mode: of cuda.stream_capture_mode: "thread_local" (default); "global": such calls of other threads are errors too;
---  "relaxed": allocating and loading are allowed; into: a graph to add the work to, behind the nodes of it in after
---@return cudalua.Graph  a new one, or that of option into
---@raise what fn raises, with nothing left of the graph; LogicError (901, 904 ...) if the capture was broken or a
--- stream was not joined again
function Stream:capture(fn, options) end

---cuStreamBeginCapture: records what is put into this stream from now on, instead of running it. Until end_capture()
---it is the current stream. A stream:use() that is around the call puts the stream before back at its end; the capture
---goes on. Inside, all is as in capture(): what cannot be recorded raises first, and after an error of another kind the
---capture goes on. A capture that is not wanted is ended, too.
---@param options? {mode: string|integer}|string|integer  the mode, or a table with it, as for capture()
---@return cudalua.Stream self
---@raise LogicError for the legacy stream and a stream that is being captured
function Stream:begin_capture(options) end

---cuStreamEndCapture: the current stream is what it was before begin_capture().
---@return cudalua.Graph  of what was put in; it keeps what its work uses
---@raise LogicError if the stream is not being captured, or by Stream:capture(), or if the capture began outside of a
--- Stream:use() that is under way: these change nothing. LogicError (901, 904 ...) if the capture was broken or a
--- stream was not joined again: the capture is over then. LogicError (908) in another thread than the one that began
--- it, unless the mode is "relaxed": it goes on
function Stream:end_capture() end

---cuStreamIsCapturing: is it being captured, by whomever? A stream that joined the capture of another one is, too.
---@return boolean
---@return string? status  "invalidated" if the capture was broken and only its end is missing
---@raise LogicError for a closed stream
function Stream:is_capturing() end

---cuLaunchHostFunc: fn() is called after all work that is in the stream now, by the first of cuda.poll(),
---Stream:synchronize() and Event:synchronize() after that; never on the driver's own thread.
---@param fn fun()
---@return cudalua.Stream self
---@raise LogicError while the stream is being captured
function Stream:on_complete(fn) end

---What it was made with.
---@return integer  cuda.stream_flags: 0, or NON_BLOCKING
---@raise LogicError for a closed stream
function Stream:flags() end

---cuStreamGetPriority.
---@return integer  as clamped to Stream.priority_range()
---@raise LogicError for a closed stream; for the legacy stream, while a blocking stream is being captured
function Stream:priority() end

---The context it was made in; of the default streams, the current one.
---@return cudalua.Context
---@raise LogicError (201) for a default stream without a current context
function Stream:context() end

---The driver's handle.
---@return number  the CUstream as a number, for other libraries and cuda.wrap_stream(); 1 and 2: the default streams
function Stream:handle() end

---cuStreamDestroy: gives it back now. Its pending work still runs; the call does not wait for it.
---@raise LogicError if it was already closed, and for the default streams
function Stream:close() end

---@class cudalua.Event
local Event = {}

---cuEventRecord: puts the mark behind the work that is in the stream now. A mark before is forgotten.
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.Event self
---@raise LogicError for a stream of another context, and while the event is a mark in another capture
function Event:record(stream) end

---cuEventSynchronize: waits until it is passed. At once for one that was never recorded.
---@return cudalua.Event self
---@raise what kernels failed with
function Event:synchronize() end

---cuEventQuery: was it passed? Never waits. True for one that was never recorded.
---@return boolean
---@raise what kernels failed with
function Event:query() end

---cuEventElapsedTime from start to this event.
---@param event cudalua.Event  the start
---@return number  milliseconds, to about half a microsecond; negative if this event came first
---@raise RuntimeError (600) until both are passed; LogicError (400) if one was never recorded or made with
--- "disable_timing"
function Event:time_since(event) end

---cuEventElapsedTime from this event to stop.
---@param event cudalua.Event  the stop
---@return number  milliseconds, as time_since()
---@raise as time_since()
function Event:time_till(event) end

---cuIpcGetEventHandle.
---@return string  64 bytes, for cuda.Event.from_ipc_handle() in another process
---@raise LogicError unless it was made with {"interprocess", "disable_timing"}
function Event:ipc_handle() end

---The only one whose streams it can be recorded in.
---@return cudalua.Context  the context it was made in
function Event:context() end

---The driver's handle.
---@return number  the CUevent as a number, for other libraries
function Event:handle() end

---cuEventDestroy: gives it back now; this does not wait.
---@raise LogicError if it was already closed
function Event:close() end

---Work that runs as a whole, with the order it depends on: recorded by Stream:capture(), or put together from nodes
---that are added to `cuda.Graph()`. It keeps what the work uses.
---@class cudalua.Graph
local Graph = {}

---cuGraphGetNodes: the nodes themselves, the same objects each time.
---@return cudalua.GraphNode[]
---@raise LogicError for a closed graph
function Graph:node_list() end

---cuGraphGetNodes, cuGraphNodeGetType.
---@return string[]  "kernel", "memcpy", "memset", "host", "graph", "empty" ... for each node
---@raise LogicError for a closed graph
function Graph:nodes() end

---cuGraphDebugDotPrint: writes it as text in the DOT language, for Graphviz.
---@param path string
---@param flags? integer|string|(integer|string)[]  cuda.graph_debug_dot_flags: "verbose" ...
---@return cudalua.Graph self
---@raise LogicError or RuntimeError if the file cannot be written
function Graph:dot(path, flags) end

---cuGraphInstantiate: makes it ready to run.
---@return cudalua.GraphExec  does not need the graph any more
---@raise LogicError if something that the work uses was freed
function Graph:instantiate() end

---The driver's handle.
---@return number  the CUgraph as a number, for other libraries
function Graph:handle() end

---cuGraphDestroy. Those made by instantiate() live on.
---@raise LogicError if it was already closed
function Graph:close() end

---A node of a graph. It holds its graph, and names it in calls that add others or change what it does.
---@class cudalua.GraphNode
---@field kind string                   "kernel", "memcpy", "memset", "host", "graph", "empty", "wait_event",
---  "event_record", "conditional"
---@field graph cudalua.Graph
---@field after cudalua.GraphNode[]     what it comes after
---@field params table                  what it was added with; of a captured one what the driver tells
---@field bodies cudalua.Graph[]?       of a conditional node
local GraphNode = {}

---The driver's handle.
---@return number  the CUgraphNode as a number, for other libraries
function GraphNode:handle() end

---A graph that is ready to run, as often as wanted. It keeps what its work uses.
---@class cudalua.GraphExec
local GraphExec = {}

---cuGraphLaunch: puts the whole graph into a stream. Launches of one GraphExec run one after the other, in whatever
---streams. May be closed or dropped while it runs. Returns at once, unless the graph has a copy to pageable memory:
---then
---when it is done. Not possible in a stream that is being captured.
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.GraphExec self
---@raise LogicError if something that the work uses was freed, the graph's context is not the current one, or the
--- stream is being captured
function GraphExec:launch(stream) end

---cuGraphUpload: does now, in the stream, what the first launch would have to prepare.
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.GraphExec self
---@raise LogicError as launch()
function GraphExec:upload(stream) end

---cuGraphExecUpdate: takes over the parameters (pointers, numbers, extents) of a graph of the same form. Launches that
---are under way keep the old ones.
---@param graph cudalua.Graph
---@return boolean ok
---@return string? reason  if not ok: "topology_changed", "node_type_changed", "parameters_changed" ...; nothing is
--- changed then
---@raise LogicError for a graph of another context
function GraphExec:update(graph) end

---The driver's handle.
---@return number  the CUgraphExec as a number, for other libraries
function GraphExec:handle() end

---cuGraphExecDestroy. One that runs is ended first; this does not wait for it.
---@raise LogicError if it was already closed
function GraphExec:close() end

return Stream
