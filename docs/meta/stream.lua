---@meta cudalua.stream_methods
-- Annotations of streams, events and graphs, which are written in C (src/cudalua/streams/: stream.c, event.c,
-- completion.c, capture.c, graph.c). Semantics follow the CUDA driver API, in the functions named, and PyCUDA's
-- driver module.

---@class cudalua.Stream
local Stream = {}

---cuStreamSynchronize: waits for all work in the stream. Then calls the functions passed to on_complete().
---@return cudalua.Stream self
---@raise errors of kernels; LogicError while the stream is being captured
function Stream:synchronize() end

---cuStreamQuery: returns true if all its work is done. Does not wait.
---@return boolean
---@raise errors of kernels; LogicError while the stream is being captured
function Stream:is_done() end

---cuStreamWaitEvent: makes later work of this stream wait on the device for the event, as it was last recorded. The
---event may be on another device. If the event was recorded in a stream that is being captured, this stream joins the
---capture; join it again before the capture ends.
---@param event cudalua.Event  the event to wait for
---@return cudalua.Stream self
---@raise LogicError for a mix of captured and not captured work
function Stream:wait_for_event(event) end

---Calls fn(...) with this as the current stream, so kernels, copies and other operations without a stream argument run
---in it. You can nest calls; the previous stream becomes current again, even if fn raises an error. fn cannot yield to
---a coroutine outside. Before use() returns, it computes the pending array expressions that fn created: those that fn
---returns, and those that no other expression uses.
---@param fn function  the function to call
---@param ... any  the arguments of fn
---@return any ...  the results of fn
---@raise errors of fn
function Stream:use(fn, ...) end

---cuStreamBeginCapture, cuStreamEndCapture: calls fn(self) with this as the current stream, and records its work
---instead of running it. To join the capture, another stream waits for an event recorded in this stream; at the end,
---this stream must wait for an event recorded in the other one. The graph keeps everything that it uses alive.
---Operations that cannot be recorded (waiting, allocating, plain copies, the legacy stream) raise an error before they
---break the capture.
---@param fn fun(stream: cudalua.Stream)  the function whose work is recorded
---@param options? {mode: string|integer, into: cudalua.Graph, after: cudalua.GraphNode|cudalua.GraphNode[]}  mode: a
---  value of cuda.stream_capture_mode: "thread_local" (default); "global": operations that cannot be recorded are
---  errors in other threads, too; "relaxed": allocating and loading are allowed; into: a graph to add the work to;
---  after: the nodes of that graph that the work runs after
---@return cudalua.Graph  a new graph, or the one of option into
---@raise errors of fn, after which nothing is left of the graph; LogicError (901, 904 ...) if the capture was broken or
---  a stream was not joined again
function Stream:capture(fn, options) end

---cuStreamBeginCapture: records later work of this stream instead of running it. It is the current stream until
---end_capture(). When an enclosing stream:use() ends, the previous stream becomes current again and the capture goes
---on. The rules of capture() apply: operations that cannot be recorded raise an error first, and after other errors the
---capture goes on. End a capture even if you do not need its graph.
---@param options? {mode: string|integer}|string|integer  the mode, or a table with it. mode: as for capture()
---@return cudalua.Stream self
---@raise LogicError for the legacy stream and a stream that is being captured
function Stream:begin_capture(options) end

---cuStreamEndCapture: ends the capture. The stream that was current before begin_capture() becomes current again.
---@return cudalua.Graph  the recorded work; the graph keeps what its work uses alive
---@raise LogicError if the stream is not being captured, if it is captured by Stream:capture(), or if the capture began
---  outside a Stream:use() that has not ended: these change nothing. LogicError (901, 904 ...) if the capture was
---  broken or a stream was not joined again: the capture is then over. LogicError (908) in another thread than the one
---  that began it, unless the mode is "relaxed": the capture goes on
function Stream:end_capture() end

---cuStreamIsCapturing: returns true if the stream is being captured, by any code. This includes a stream that joined
---the capture of another one.
---@return boolean
---@return string? status  "invalidated" if the capture was broken and has not ended yet
---@raise LogicError for a closed stream
function Stream:is_capturing() end

---cuLaunchHostFunc: calls fn() after all work that is in the stream now. The next call of cuda.poll(),
---Stream:synchronize() or Event:synchronize() after that work calls it, never the driver's own thread. Behind a kernel
---that failed it is never called: it is released when a call raises the fault, or when the context is destroyed. Then
---cuda.poll() raises the fault once.
---@param fn fun()  the function to call
---@return cudalua.Stream self
---@raise LogicError while the stream is being captured
function Stream:on_complete(fn) end

---Returns the flags that the stream was created with.
---@return integer  cuda.stream_flags: 0, or NON_BLOCKING
---@raise LogicError for a closed stream
function Stream:flags() end

---cuStreamGetPriority.
---@return integer  clamped to Stream.priority_range()
---@raise LogicError for a closed stream; for the legacy stream, while a blocking stream is being captured
function Stream:priority() end

---Returns the context that the stream was created in; for the default streams, the current context.
---@return cudalua.Context
---@raise LogicError (201) for a default stream without a current context
function Stream:context() end

---The driver's handle.
---@return number  the CUstream as a number, for other libraries and cuda.wrap_stream(); 1 and 2 are the default streams
function Stream:handle() end

---cuStreamDestroy: destroys the stream now. Its pending work still runs; the call does not wait for it.
---@raise LogicError if it was already closed, and for the default streams
function Stream:close() end

---@class cudalua.Event
local Event = {}

---cuEventRecord: records the event after the work that is in the stream now. Replaces an earlier recording.
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.Event self
---@raise LogicError for a stream of another context, and while the event is recorded in another capture
function Event:record(stream) end

---cuEventSynchronize: waits for the recorded work. Returns at once if the event was never recorded.
---@return cudalua.Event self
---@raise errors of kernels
function Event:synchronize() end

---cuEventQuery: returns true if the recorded work is done. Does not wait. True if the event was never recorded.
---@return boolean
---@raise errors of kernels
function Event:query() end

---cuEventElapsedTime from a start event to this event.
---@param event cudalua.Event  the start
---@return number  milliseconds, with a resolution of about half a microsecond; negative if this event came first
---@raise RuntimeError (600) until the work of both is done; LogicError (400) if an event was never recorded or was
---  created with "disable_timing"
function Event:time_since(event) end

---cuEventElapsedTime from this event to an end event.
---@param event cudalua.Event  the end
---@return number  milliseconds, as for time_since()
---@raise as time_since()
function Event:time_till(event) end

---cuIpcGetEventHandle.
---@return string  64 bytes, for cuda.Event.from_ipc_handle() in another process
---@raise LogicError if it was not created with {"interprocess", "disable_timing"}
function Event:ipc_handle() end

---Returns its context, the only one whose streams can record the event.
---@return cudalua.Context  the context that the event was created in
function Event:context() end

---The driver's handle.
---@return number  the CUevent as a number, for other libraries
function Event:handle() end

---cuEventDestroy: destroys the event now, without waiting.
---@raise LogicError if it was already closed
function Event:close() end

---A graph of work with dependencies that runs as a whole. Record it with Stream:capture(), or add nodes to
---`cuda.Graph()`. It keeps what its work uses alive.
---@class cudalua.Graph
local Graph = {}

---cuGraphGetNodes: returns the nodes, the same objects each time.
---@return cudalua.GraphNode[]
---@raise LogicError for a closed graph
function Graph:node_list() end

---cuGraphGetNodes, cuGraphNodeGetType: returns the kinds of the nodes.
---@return string[]  "kernel", "memcpy", "memset", "host", "graph", "empty" ... for each node
---@raise LogicError for a closed graph
function Graph:nodes() end

---cuGraphDebugDotPrint: writes the graph to a file in the DOT language, for Graphviz.
---@param path string  the file
---@param flags? integer|string|(integer|string)[]  cuda.graph_debug_dot_flags: "verbose" ...
---@return cudalua.Graph self
---@raise LogicError or RuntimeError if the file cannot be written
function Graph:dot(path, flags) end

---cuGraphInstantiate: returns an executable graph.
---@return cudalua.GraphExec  it does not need this graph any more
---@raise LogicError if memory or an object that the work uses was freed
function Graph:instantiate() end

---The driver's handle.
---@return number  the CUgraph as a number, for other libraries
function Graph:handle() end

---cuGraphDestroy. Graphs created by instantiate() stay valid.
---@raise LogicError if it was already closed
function Graph:close() end

---A node of a graph. It keeps its graph alive. Pass it to calls that add other nodes or change this one.
---@class cudalua.GraphNode
---@field kind string  the kind of node: "kernel", "memcpy", "memset", "host", "graph", "empty", "wait_event",
---  "event_record", "conditional"
---@field graph cudalua.Graph  the graph that it belongs to
---@field after cudalua.GraphNode[]  the nodes that it runs after
---@field params table  the parameters that it was added with; for a captured node, those that the driver reports
---@field bodies cudalua.Graph[]?  the bodies of a conditional node
local GraphNode = {}

---The driver's handle.
---@return number  the CUgraphNode as a number, for other libraries
function GraphNode:handle() end

---An executable graph, which you can launch any number of times. It keeps what its work uses alive.
---@class cudalua.GraphExec
local GraphExec = {}

---cuGraphLaunch: launches the whole graph in a stream. Launches of one GraphExec run one after the other, even in
---different streams. You can close or drop it while it runs. The call returns at once, unless the graph has a copy to
---pageable memory: then it returns when the graph is done. A stream that is being captured cannot launch a graph.
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.GraphExec self
---@raise LogicError if memory or an object that the work uses was freed, the graph's context is not current, or the
---  stream is being captured
function GraphExec:launch(stream) end

---cuGraphUpload: prepares the first launch now, in the stream.
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.GraphExec self
---@raise LogicError as launch()
function GraphExec:upload(stream) end

---cuGraphExecUpdate: takes over the parameters (pointers, numbers, extents) of a graph with the same structure. Running
---launches keep the old ones.
---@param graph cudalua.Graph  a graph with the same structure and new parameters
---@return boolean ok
---@return string? reason  if not ok: "topology_changed", "node_type_changed", "parameters_changed" ...; in this case
---  nothing is changed
---@raise LogicError for a graph of another context
function GraphExec:update(graph) end

---The driver's handle.
---@return number  the CUgraphExec as a number, for other libraries
function GraphExec:handle() end

---cuGraphExecDestroy. If it is running, the graph still completes first; the call does not wait for it.
---@raise LogicError if it was already closed
function GraphExec:close() end

return Stream
