-- Graphs by hand: cuda.Graph(), the nodes that are added to it, and what can be changed in what is made of it. A node
-- that runs a kernel, copies or fills is the captured call of that: so arguments are converted and checked as those of
-- every launch are, and the graph keeps what the call uses. The rest is in capture.c and graph_nodes.c of
-- src/cudalua/streams.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local launch = require "cudalua.driver.launch"
local memcpy = require "cudalua.driver.memcpy"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua.Graph
---@overload fun(): cudalua.Graph
local Graph = core.classes.Graph

---@class cudalua.GraphExec
local GraphExec = core.classes.GraphExec

getmetatable(Graph).__call = function(_, ...)
  if select("#", ...) > 0 then errors.raise("LogicError", "Graph: takes no arguments; add nodes to it") end
  return core.graph()
end

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

local function check_self(where, self, kind)
  if core.kind(self) ~= kind then
    refuse(where, "expected a %s (call the method with a colon), got %s", kind, core.kind(self) or type(self))
  end
  self:handle() -- raises if it was closed, before anything is done
end

-- ---- the stream that calls are captured in ----------------------------------------------------------------------

local streams = setmetatable({}, { __mode = "k" }) -- by context, while nobody uses it

local function stream_here()
  local ctx = core.classes.Context.get_current()
  local stream = ctx and streams[ctx]
  if ctx then streams[ctx] = nil end
  if stream and not pcall(stream.handle, stream) then stream = nil end -- it went with another life of the context
  return stream or core.stream(), ctx
end

-- What was written down before is computed before: it would be a part of the node.
local function captured(f, ...)
  hooks.compute_pending()
  local stream, ctx = stream_here()
  local function finish(ok, ...)
    if ctx then streams[ctx] = stream end
    if not ok then error((...), 0) end
    return ...
  end
  return finish(pcall(f, stream, ...))
end

-- ---- what a node is to do: from a record to a function of a stream -----------------------------------------------

local function check_after(where, after)
  if after == nil or core.kind(after) == "GraphNode" then return end
  local list = type(after) == "table" and not core.kind(after) and not getmetatable(after) and after or { after }
  for _, node in ipairs(list) do
    if core.kind(node) ~= "GraphNode" then
      refuse(where, "after: expected a node or a list of nodes, got %s", errors.text(node))
    end
  end
end

-- The record without `after`, which is read on its own, and with its first element as `first`.
local function read(where, record, first)
  if type(record) ~= "table" or core.kind(record) or type(getmetatable(record)) == "string" then
    refuse(where, "expected a table that describes the node, got %s", errors.text(record))
  end
  local values = {}
  for key, value in pairs_of(record) do values[key] = value end
  local after = values.after
  values.after = nil
  check_after(where, after)
  if first and values[1] ~= nil then
    if values[first] ~= nil then refuse(where, "%s is passed twice: as the first value and by its name", first) end
    values[first] = values[1]
  end
  values[1] = nil
  return values, after
end

local function check_known(where, values, known)
  for key in pairs_of(values) do
    if not known[key] then require("cudalua.base.option_names").refuse(where, key, known) end
  end
end

local kernel_fields = { fn = true, args = true, after = true, grid = true, block = true, shared = true,
  cooperative = true, cluster = true, priority = true, pdl = true, carveout = true, texrefs = true }
local not_for_nodes = { stream = "the launch of the graph chooses the stream", time_kernel = "nothing runs yet" }

local MOST_ARGUMENTS = 4096 -- as many bytes as parameters can have

-- { fn, args = {...}, grid =, block = ... } -> fn(stream)
local function kernel_call(where, values)
  local fn, args, options = values.fn, values.args, {}
  if core.kind(fn) ~= "Function" then refuse(where, "fn: expected a kernel, got %s", errors.text(fn)) end
  if args == nil then args = {} end
  if type(args) ~= "table" or core.kind(args) or debug.getmetatable(args) then
    refuse(where, "args: expected a list of arguments, got %s", errors.text(args))
  end
  local n = args.n == nil and #args or host.plain_number(args.n)
  if type(n) ~= "number" or n < 0 or n > MOST_ARGUMENTS or n ~= math.floor(n) then
    refuse(where, "args.n must be an integer from 0 to %d, got %s", MOST_ARGUMENTS, errors.text(n))
  end
  for key, value in pairs_of(values) do
    if not_for_nodes[key] then refuse(where, "%s: %s", key, not_for_nodes[key]) end
    if type(key) == "number" then
      refuse(where, "the arguments are a list: { %s, args = { ... } }", values.fn:name())
    end
    if not kernel_fields[key] then require("cudalua.base.option_names").refuse(where, key, kernel_fields) end
    if key ~= "fn" and key ~= "args" then options[key] = value end
  end
  for i = 1, n do
    local x = args[i]
    if type(x) == "table" and not launch.is_array(x) and getmetatable(x) and
      pcall(function() return assert(x.get_device_alloc) end) then
      launch.refuse(values.fn, i, "In, Out and InOut provide memory for one call only, but a graph runs repeatedly; " ..
        "pass device memory and add copy nodes")
    end
  end
  return function(stream)
    options.stream = stream
    local list = { unpack(args, 1, n) }
    list[n + 1] = options
    fn(unpack(list, 1, n + 1))
  end
end

local device_kinds = { DeviceAllocation = true, PooledDeviceAllocation = true, DevicePointer = true,
  ManagedAllocation = true, IPCMemoryHandle = true }

local function is_device(x)
  local kind = core.kind(x)
  if kind then return device_kinds[kind] or false end
  if type(x) == "number" or launch.is_array(x) then return true end
  return (type(x) == "table" or type(x) == "userdata") and getmetatable(x) ~= "cudalua.ndarray" and
    pcall(function() return assert(x.get_pointer) end)
end

-- The device address, as copies take it; an array's memory no longer moves.
local function device(x)
  if launch.is_array(x) then return x.gpudata end
  return x
end

local function bytes_of(x)
  if launch.is_array(x) then return x.nbytes end
  if core.kind(x) and device_kinds[core.kind(x)] and #x > 0 then return #x end
end

local copies = { ["cudalua.Memcpy2D"] = true, ["cudalua.Memcpy3D"] = true, ["cudalua.Memcpy3DPeer"] = true }
local memcpy_fields = { dst = true, src = true, bytes = true, copy = true }

local function memcpy_call(where, values)
  check_known(where, values, memcpy_fields)
  local dst, src, n, copy = values.dst, values.src, host.plain_number(values.bytes), values.copy
  if copy ~= nil then
    if dst ~= nil or src ~= nil or n ~= nil then
      refuse(where, "copy already describes dst, src and bytes; omit them")
    end
    local meta = type(copy) == "table" and debug.getmetatable(copy)
    if not copies[meta and rawget(meta, "__name")] then
      refuse(where, "copy: expected a Memcpy2D or Memcpy3D, got %s", errors.text(copy))
    end
    return function(stream) copy(stream) end
  end
  if dst == nil or src == nil then
    refuse(where, "%s is missing: {dst =, src =, bytes =}", dst == nil and "dst" or "src")
  end
  local to, from = is_device(dst), is_device(src)
  if not to and not from then refuse(where, "neither dst nor src is device memory") end
  if to and from then
    n = n or bytes_of(src) or bytes_of(dst)
    if n == nil then refuse(where, "bytes is missing: neither dst nor src has a known size") end
    return function(stream) memcpy.memcpy_dtod_async(device(dst), device(src), n, stream) end
  end
  local other = to and src or dst
  local mine, its = bytes_of(to and dst or src), getmetatable(other) == "cudalua.ndarray" and other.nbytes
  if n == nil and mine and its and mine ~= its then
    refuse(where, "bytes is missing: dst has %d bytes, but src has %d", to and mine or its, to and its or mine)
  end
  local opts = n ~= nil and { nbytes = n } or nil
  if to then return function(stream) memcpy.memcpy_htod_async(device(dst), src, stream, opts) end end
  return function(stream) memcpy.memcpy_dtoh_async(dst, device(src), stream, opts) end
end

local memset_fields = { dst = true, value = true, count = true, bits = true, pitch = true, width = true, height = true }

local function memset_call(where, values)
  check_known(where, values, memset_fields)
  local dst, value, bits = values.dst, host.plain_number(values.value), host.plain_number(values.bits)
  if dst == nil then refuse(where, "dst is missing: {dst =, value =, count =}") end
  if value == nil then value = 0 end
  if bits == nil then bits = 8 end
  if bits ~= 8 and bits ~= 16 and bits ~= 32 then
    refuse(where, "bits must be 8, 16 or 32, got %s", errors.text(bits))
  end
  if type(value) ~= "number" or value ~= math.floor(value) or value < 0 or value >= 2 ^ bits then
    refuse(where, "value must be an integer from 0 to 2^%d - 1, the bits of an element, got %s", bits,
      errors.text(values.value))
  end
  if values.height ~= nil or values.width ~= nil or values.pitch ~= nil then
    local pitch, width, height = host.plain_number(values.pitch), host.plain_number(values.width),
      host.plain_number(values.height)
    if pitch == nil or width == nil or height == nil or values.count ~= nil then
      refuse(where, "a rectangle is {dst =, value =, pitch =, width =, height =}, without count")
    end
    return function(stream)
      core.memset_2d(bits, host.device(device(dst)), pitch, value, width, height, true, stream)
    end
  end
  local n = host.plain_number(values.count)
  if n == nil then n = bytes_of(dst) and bytes_of(dst) * 8 / bits end
  if n == nil then refuse(where, "count is missing: dst has no known size") end
  return function(stream) core.memset(bits, host.device(device(dst)), value, n, true, stream) end
end

local host_fields = { fn = true, data = true }

-- A function, a pointer to one, or what an address comes as that was looked up: a void pointer.
local function is_c_function(x)
  local type_name = tostring(ffi.typeof(x))
  return type_name:find "%(%*%)%(%)>$" or type_name:find "[^%)]%(%)>$" or type_name:find "^ctype<c?o?n?s?t? ?void %*>$"
end

-- What C takes: a Lua function, or the address of a C function with that of its data and who owns that.
local function host_call(where, values)
  check_known(where, values, host_fields)
  local fn, data = values.fn, values.data
  if type(fn) ~= "cdata" then
    if data ~= nil then refuse(where, "data is for C functions; a Lua function can use upvalues") end
    errors.check_callable(where .. ": fn", fn)
    return fn
  end
  local ok, address = pcall(function() return tonumber(ffi.cast("intptr_t", fn)) end)
  if not ok or address == 0 or not is_c_function(fn) then
    refuse(where, "fn: expected a C function, void (*)(void *), got %s", errors.text(fn))
  end
  local at = 0
  if data ~= nil then
    ok, at = pcall(function() return tonumber(ffi.cast("intptr_t", ffi.cast("void *", data))) end)
    if not ok then refuse(where, "data: expected a pointer or an FFI array, got %s", errors.text(data)) end
  end
  return address, at, { fn, data }
end

---The argument of Graph:add_kernel; other keys are launch options. You can pass the kernel as the first value, without
---a name.
---@class cudalua.KernelNode
---@field fn cudalua.Function?  the kernel; or pass it as the first element of the list
---@field args any[]?  the kernel's arguments; args.n: their number, if some are nil
---@field grid integer|integer[]?  blocks in the grid: up to 3 extents; default 1
---@field block integer|integer[]?  threads in each block: up to 3 extents; required for a new node
---@field shared integer?  dynamic shared memory of each block in bytes; default 0
---@field after cudalua.GraphNode|cudalua.GraphNode[]|nil  the nodes that this node runs after

---The argument of Graph:add_memcpy.
---@class cudalua.MemcpyNode
---@field dst any  the destination: device memory or a host buffer
---@field src any  the source: device memory or a host buffer
---@field bytes integer?  the number of bytes; default: the whole host buffer, or all of the memory if its size is known
---@field copy cudalua.Memcpy2D|cudalua.Memcpy3D|nil  a rectangular copy, instead of the other three fields
---@field after cudalua.GraphNode|cudalua.GraphNode[]|nil  the nodes that this node runs after

---The argument of Graph:add_memset.
---@class cudalua.MemsetNode
---@field dst any  the device memory to fill
---@field value integer?  the value of each element; default 0
---@field count integer?  the number of elements; default: all
---@field bits integer?  bits of an element: 8 (the default), 16 or 32
---@field pitch integer?  for a rectangle, instead of count: bytes from one row to the next
---@field width integer?  for a rectangle: elements in each row
---@field height integer?  for a rectangle: the number of rows
---@field after cudalua.GraphNode|cudalua.GraphNode[]|nil  the nodes that this node runs after

---The argument of Graph:add_conditional. You can pass the kind as the first value, without a name.
---@class cudalua.ConditionalNode
---@field kind "if"|"while"|"switch"|nil  the kind; or pass it as the first element of the list
---@field condition cudalua.Scalar  the value returned by Graph:condition()
---@field bodies integer?  the number of bodies; default 1
---@field after cudalua.GraphNode|cudalua.GraphNode[]|nil  the nodes that this node runs after

-- ---- adding nodes ------------------------------------------------------------------------------------------------

local roots = setmetatable({}, { __mode = "k" }) -- the graph around, by body

local function not_in_body(where, self)
  if roots[self] then
    refuse(where, "the body of a conditional node holds kernels, copies, fills, empty nodes, child graphs and " ..
      "conditional nodes only")
  end
end

local function with_params(node, values)
  core.node_fields(node).params = values
  return node
end

local function add_call(where, self, make, record, first)
  check_self(where, self, "Graph")
  local values, after = read(where, record, first)
  local call = make(where, values)
  return with_params(captured(core.graph_capture_node, call, self, after, where), values)
end

---Adds a kernel: `g:add_kernel{ fn, args = { d, n }, grid = 4, block = 256, after = node }`. Other keys are launch
---options. Arguments are converted and checked as in a launch; the graph keeps the objects that they refer to alive.
---@param record cudalua.KernelNode  the kernel, its arguments and launch options
---@return cudalua.GraphNode
---@raise errors of a launch; LogicError for In, Out and InOut, whose memory lasts for one call
function Graph:add_kernel(record)
  return add_call("Graph:add_kernel", self, kernel_call, record, "fn")
end

---Adds a copy between device memory, or between device and host memory: `g:add_memcpy{ dst = d, src = h, bytes = n }`.
---Host memory is read or written each time the graph runs, and the graph keeps it alive.
---@param record cudalua.MemcpyNode  the memory to copy
---@return cudalua.GraphNode
---@raise LogicError as memcpy_htod_async and related functions
function Graph:add_memcpy(record) return add_call("Graph:add_memcpy", self, memcpy_call, record) end

---Adds a fill: `g:add_memset{ dst = d, value = 0, count = n }`, or of a rectangle with pitch, width and height.
---@param record cudalua.MemsetNode  the memory to fill, and the value
---@return cudalua.GraphNode
---@raise LogicError as memset_d8_async and related functions
function Graph:add_memset(record) return add_call("Graph:add_memset", self, memset_call, record) end

---Adds a host function: `g:add_host{ fn }`. A Lua function is called once for each run of the node, by the next
---`cuda.poll()` or synchronisation. The graph does not wait for it, so later nodes do not see its effects. A C
---function, `void (*)(void *)`, is called with its data by the driver in a thread of its own, and the graph waits; it
---must not call CUDA or Lua. A Lua function that refers to its own graph keeps the graph alive until close().
---@param record {fn: function|ffi.cdata*, data: ffi.cdata*?, after: cudalua.GraphNode|cudalua.GraphNode[]|nil}  fn: the
---  function; data: the argument of a C function; after: the nodes that this node runs after
---@return cudalua.GraphNode
---@raise LogicError for a value that cannot be called, and in the body of a conditional node
function Graph:add_host(record)
  local where = "Graph:add_host"
  check_self(where, self, "Graph")
  not_in_body(where, self)
  local values, after = read(where, record, "fn")
  return with_params(core.graph_add_host(self, after, host_call(where, values)), values)
end

local event_fields = { event = true }

local function add_event(where, self, record, records)
  check_self(where, self, "Graph")
  not_in_body(where, self)
  local values, after = read(where, record, "event")
  check_known(where, values, event_fields)
  return with_params(core.graph_add_event(self, after, values.event, records), values)
end

---Adds a node that records an event each time it runs: `g:add_event_record{ event }`.
---@param record {event: cudalua.Event, after: cudalua.GraphNode|cudalua.GraphNode[]|nil}  event: the event; after: the
---  nodes that this node runs after
---@return cudalua.GraphNode
---@raise LogicError if it is not an event of the graph's context, and in the body of a conditional node
function Graph:add_event_record(record) return add_event("Graph:add_event_record", self, record, true) end

---Adds a node that waits for an event, as it was last recorded when the graph is launched: `g:add_event_wait{ event }`.
---@param record {event: cudalua.Event, after: cudalua.GraphNode|cudalua.GraphNode[]|nil}  event: the event; after: the
---  nodes that this node runs after
---@return cudalua.GraphNode
---@raise LogicError if it is not an event of the graph's context, and in the body of a conditional node
function Graph:add_event_wait(record) return add_event("Graph:add_event_wait", self, record, false) end

---Adds a node that does nothing, as a dependency of other nodes: `g:add_empty{ after = { a, b } }`.
---@param record? {after: cudalua.GraphNode|cudalua.GraphNode[]|nil}  after: the nodes that this node runs after
---@return cudalua.GraphNode
---@raise LogicError for nodes of other graphs
function Graph:add_empty(record)
  local where = "Graph:add_empty"
  check_self(where, self, "Graph")
  local values, after = read(where, record == nil and {} or record)
  check_known(where, values, {})
  return with_params(core.graph_add_empty(self, after), values)
end

local child_fields = { graph = true }

---Adds a copy of another graph as a node: `g:add_child{ other }`. Nodes that you add to the other graph later are not
---in the copy.
---@param record {graph: cudalua.Graph, after: cudalua.GraphNode|cudalua.GraphNode[]|nil}  graph: the other graph;
---  after: the nodes that this node runs after
---@return cudalua.GraphNode
---@raise LogicError for a graph of another context or with conditional nodes
function Graph:add_child(record)
  local where = "Graph:add_child"
  check_self(where, self, "Graph")
  local values, after = read(where, record, "graph")
  check_known(where, values, child_fields)
  return with_params(core.graph_add_child(self, after, values.graph), values)
end

-- ---- conditional nodes -------------------------------------------------------------------------------------------

-- What is known of a condition, by the Scalar that stands for it.
local conditions = setmetatable({}, { __mode = "k" })
local has_conditions = setmetatable({}, { __mode = "k" }) -- graphs
local unused = setmetatable({}, { __mode = "k" }) -- how many conditions have no node, by graph

local function root_of(graph) return roots[graph] or graph end

---Creates the value that a conditional node tests. Pass it to a kernel as an argument of type
---`cudaGraphConditionalHandle`; the kernel calls `cudaGraphSetConditional(handle, value)`.
---@param options? {default: integer}  default: the value at the start of each launch of the graph; without a default
---  the value is undetermined until a kernel sets it
---@return cudalua.Scalar  an argument for kernels of this graph and for add_conditional
---@raise LogicError if the default is not an integer from 0 to 2^32 - 1
function Graph:condition(options)
  local where = "Graph:condition"
  check_self(where, self, "Graph")
  options = errors.options(where, options, { default = true })
  local bytes = core.graph_condition(self, host.plain_number(options.default))
  local handle = core.scalar("uint64", bytes, true)
  local root = root_of(self)
  conditions[handle] = { bytes = bytes, root = root, used = false }
  unused[root] = (unused[root] or 0) + 1
  return handle
end

local kinds = { ["if"] = "1 or 2", ["while"] = "1", switch = "1 or more" }
local conditional_fields = { kind = true, condition = true, bodies = true }

---Adds a conditional node: `g:add_conditional{ "while", condition = c }`. Its bodies are graphs that you fill
---afterwards: `node.bodies[1]`. "if" has one body that runs if the value is not 0, and optionally a second one that
---runs if it is 0. "while" has one body that runs repeatedly as long as the value is not 0. For "switch", body number
---value + 1 runs, if it exists.
---@param record cudalua.ConditionalNode  the kind, the condition and the number of bodies
---@return cudalua.GraphNode  a node with the field bodies
---@raise LogicError for another graph's condition, or a condition that is already used by a node
function Graph:add_conditional(record)
  local where = "Graph:add_conditional"
  check_self(where, self, "Graph")
  local values, after = read(where, record, "kind")
  check_known(where, values, conditional_fields)
  local kind, n = values.kind, host.plain_number(values.bodies)
  if n == nil then n = 1 end
  if not kinds[kind] then refuse(where, "kind must be \"if\", \"while\" or \"switch\", got %s", errors.text(kind)) end
  local most = kind == "if" and 2 or kind == "while" and 1 or 2 ^ 16
  if type(n) ~= "number" or n < 1 or n > most or n ~= math.floor(n) then
    refuse(where, "%s has %s bodies, got %s", kind, kinds[kind], errors.text(n))
  end
  local condition = values.condition ~= nil and conditions[values.condition]
  if not condition then
    refuse(where, "condition: expected the result of g:condition(), got %s", errors.text(values.condition))
  end
  if condition.root ~= root_of(self) then refuse(where, "condition: it was made for another graph") end
  if condition.used then refuse(where, "condition: another node uses it; create one for each node with " ..
    "g:condition()") end
  local node, bodies = core.graph_add_conditional(self, after, condition.bytes, kind, n)
  condition.used = true
  unused[root_of(self)] = unused[root_of(self)] - 1
  has_conditions[root_of(self)] = true
  for _, body in ipairs(bodies) do roots[body] = root_of(self) end
  values.bodies = n
  core.node_fields(node).bodies = bodies
  return with_params(node, values)
end

local allowed_in_bodies = { kernel = true, empty = true, graph = true, memset = true, memcpy = true,
  conditional = true }

-- A capture may have put anything in a body.
local function check_bodies(graph)
  for _, node in ipairs(graph:node_list()) do
    for i, body in ipairs(node.bodies or {}) do
      for _, kind in ipairs(body:nodes()) do
        if not allowed_in_bodies[kind] then
          refuse("Graph:instantiate", "body %d of a conditional node has a node of kind \"%s\", which is not " ..
            "allowed in bodies", i, kind)
        end
      end
      check_bodies(body)
    end
  end
end

local instantiate = Graph.instantiate

-- Only conditions that have a node can be instantiated.
local function check_conditions(graph)
  local n = unused[graph] or 0
  if n > 0 then
    refuse("Graph:instantiate", "%d condition%s of the graph %s no conditional node: add_conditional{condition =} " ..
      "takes each", n, n == 1 and "" or "s", n == 1 and "has" or "have")
  end
end

function Graph:instantiate()
  if core.kind(self) == "Graph" then
    check_conditions(self)
    if has_conditions[self] then check_bodies(self) end
  end
  return instantiate(self)
end

-- ---- changes of an executable graph ------------------------------------------------------------------------------

-- What the node does now in x, with what the record changes.
local function merged(where, self, node, record, kind, first, known)
  check_self(where, self, "GraphExec")
  if core.kind(node) ~= "GraphNode" then refuse(where, "expected a node of the graph, got %s", errors.text(node)) end
  if node.kind ~= kind then refuse(where, "the node has another kind: \"%s\"", node.kind) end
  local values, after = read(where, record, first)
  if after ~= nil then refuse(where, "after: the edges of an executable graph cannot be changed") end
  for key in pairs_of(values) do
    if not known[key] then require("cudalua.base.option_names").refuse(where, key, known) end
  end
  return values, core.exec_settings(self)[node] or core.node_fields(node).params or {}
end

local function combine(values, now)
  local all = {}
  for key, value in pairs_of(now) do all[key] = value end
  for key, value in pairs_of(values) do all[key] = value end
  return all
end

local function set_call(where, self, node, record, kind, first, known, make)
  local values, now = merged(where, self, node, record, kind, first, known)
  values = combine(values, now)
  captured(core.exec_set_node, make(where, values), self, node, where, node.kind)
  core.exec_settings(self)[node] = values
  return self
end

local kernel_settings = { fn = true, args = true, grid = true, block = true, shared = true }

---Changes a kernel node of this executable graph for later launches: `x:set_kernel(node, { args = { d, m } })`. Fields
---that you omit keep their values. Running launches are not affected.
---@param node cudalua.GraphNode  a node of the graph that this was created from
---@param record cudalua.KernelNode  the fields fn, args, grid, block and shared
---@return cudalua.GraphExec self
---@raise as add_kernel; LogicError for nodes of other graphs, for nodes added later, and if you do not pass all fields
---  for a captured node
function GraphExec:set_kernel(node, record)
  return set_call("GraphExec:set_kernel", self, node, record, "kernel", "fn", kernel_settings, function(where, values)
    if values.fn == nil then
      refuse(where, "fn is missing: nothing is known about a captured node; pass fn, args, grid and block")
    end
    return kernel_call(where, values)
  end)
end

---Changes the addresses of a copy, and the number of bytes of a contiguous copy: `x:set_memcpy(node, { src = other })`.
---@param node cudalua.GraphNode  a node of the graph that this was created from
---@param record cudalua.MemcpyNode  the fields to change
---@return cudalua.GraphExec self
---@raise as add_memcpy; LogicError if the driver does not support the change
function GraphExec:set_memcpy(node, record)
  return set_call("GraphExec:set_memcpy", self, node, record, "memcpy", nil, memcpy_fields, memcpy_call)
end

---Changes the memory and the value of a fill: `x:set_memset(node, { value = 7 })`.
---@param node cudalua.GraphNode  a node of the graph that this was created from
---@param record cudalua.MemsetNode  the fields to change
---@return cudalua.GraphExec self
---@raise as add_memset; LogicError if the driver does not support the change
function GraphExec:set_memset(node, record)
  return set_call("GraphExec:set_memset", self, node, record, "memset", nil, memset_fields, memset_call)
end

---Changes the function of a host node: `x:set_host(node, { fn })`.
---@param node cudalua.GraphNode  a node of the graph that this was created from
---@param record {fn: function|ffi.cdata*, data: ffi.cdata*?}  fn: the function; data: the argument of a C function
---@return cudalua.GraphExec self
---@raise as add_host
function GraphExec:set_host(node, record)
  local where = "GraphExec:set_host"
  local values = merged(where, self, node, record, "host", "fn", host_fields)
  core.exec_set_host(self, node, host_call(where, values))
  core.exec_settings(self)[node] = values
  return self
end

---Changes the event that a node records or waits for.
---@param node cudalua.GraphNode  a node of the graph that this was created from
---@param event cudalua.Event  the new event
---@return cudalua.GraphExec self
---@raise LogicError if it is not an event of the graph's context
function GraphExec:set_event(node, event)
  check_self("GraphExec:set_event", self, "GraphExec")
  core.exec_set_event(self, node, event)
  core.exec_settings(self)[node] = { event = event }
  return self
end

---Updates the nodes of a child graph with those of another graph with the same structure.
---@param node cudalua.GraphNode  a node of the graph that this was created from
---@param graph cudalua.Graph  a graph with the same structure
---@return cudalua.GraphExec self
---@raise LogicError if the structures differ, or as add_child
function GraphExec:set_child(node, graph)
  local where = "GraphExec:set_child"
  check_self(where, self, "GraphExec")
  if not core.exec_set_child(self, node, graph) then
    refuse(where, "the graph's shape or the kinds of its nodes differ from the graph that was added")
  end
  core.exec_settings(self)[node] = { graph = graph }
  return self
end

---Disables a kernel, copy or fill, or enables it again. A disabled node does nothing.
---@param node cudalua.GraphNode  a node of the graph that this was created from
---@param on? boolean  true: enable it; false: disable it; default true
---@return cudalua.GraphExec self
---@raise LogicError for nodes of other kinds
function GraphExec:enable(node, on)
  check_self("GraphExec:enable", self, "GraphExec")
  if on ~= nil and type(on) ~= "boolean" then
    refuse("GraphExec:enable", "expected true or false, got %s", errors.text(on))
  end
  core.exec_enable(self, node, on ~= false)
  return self
end
