local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

local soft = gpu.soft and require "cudalua.softgpu"

describe("graphs by hand", function()
  local mod, add, mix, spin, s
  before_each(function()
    gpu.context()
    if not mod then
      mod = cuda.SourceModule [[
        __global__ void add(int *a, int n, int value) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) a[i] += value;
        }
        __global__ void mix(int *to, const int *from, int k) { *to = (*to * 3 + *from * 7 + k) % 1000003; }
        __global__ void spin(long long cycles) {
          long long start = clock64();
          while (clock64() - start < cycles) {}
        }
      ]]
      add, mix, spin = mod:get_function "add", mod:get_function "mix", mod:get_function "spin"
      spin(1, { block = 1 })
      cuda.Context.synchronize()
    end
    s = cuda.Stream "non_blocking"
  end)

  local function zeroed(n) return cuda.to_device(ffi.new("int[?]", n or 1)) end
  local function int_of(mem, i)
    local host = ffi.new "int[1]"
    cuda.memcpy_dtoh(host, mem + 4 * (i or 0))
    return host[0]
  end
  local function busy(stream) spin(gpu.soft and 10 or 1e8, { block = 1, stream = stream }) end
  local function run(x)
    x:launch(s)
    s:synchronize()
    return x
  end
  local function kinds_of(list)
    local kinds = {}
    for i, node in ipairs(list) do kinds[i] = node.kind end
    table.sort(kinds)
    return kinds
  end
  local function live(what)
    cuda.collect()
    cuda.collect()
    return soft.stats()["live_" .. what]
  end

  it("cuda.Graph:add_memcpy, cuda.Graph:add_kernel, cuda.Graph:add_memset give what eager calls give", function()
    local n = 300
    local input, output = ffi.new("int[?]", n), ffi.new("int[?]", n)
    for i = 0, n - 1 do input[i] = i * i end
    local mem = cuda.mem_alloc(4 * n)
    local g = cuda.Graph()
    assert.equal("Graph", require("cudalua.core").kind(g))
    local up = g:add_memcpy{ dst = mem, src = input }
    local kernel = g:add_kernel{ add, args = { mem, n, 5 }, grid = 2, block = 256, after = up }
    local fill = g:add_memset{ dst = mem + 8, value = 7, count = 2, bits = 32, after = { kernel } }
    local down = g:add_memcpy{ dst = output, src = mem, bytes = 4 * n, after = fill }
    assert.same({ "kernel", "memcpy", "memcpy", "memset" }, kinds_of(g:node_list()))
    assert.same({ fill }, down.after)
    assert.same({}, up.after)
    assert.equal(g, kernel.graph)
    assert.equal(256, kernel.params.block)
    assert.matches("^cudalua.GraphNode: 0x", tostring(kernel))
    assert.is_true(kernel:handle() ~= 0)
    local x = g:instantiate()
    for round = 1, 3 do
      for i = 0, n - 1 do input[i] = i * i + round end
      run(x)
      for i = 0, n - 1 do
        local expected = (i == 2 or i == 3) and 7 or i * i + round + 5
        if output[i] ~= expected then error(("round %d, [%d] is %d"):format(round, i, output[i])) end
      end
    end
  end)

  it("cuda.Graph:node_list gives the same cuda.GraphNode each time, of captures too; cuda.GraphNode:handle", function()
    local mem = zeroed()
    local g = s:capture(function()
      add(mem, 1, 1, { block = { 32, 2 }, grid = 3 })
      cuda.memset_d32_async(mem, 9, 1)
    end)
    local list = g:node_list()
    assert.equal(2, #list)
    for i, node in ipairs(g:node_list()) do assert.equal(list[i], node) end
    local kernel = list[1].kind == "kernel" and list[1] or list[2]
    local fill = list[1].kind == "kernel" and list[2] or list[1]
    assert.same({ 32, 2, 1 }, kernel.params.block)
    assert.same({ 3, 1, 1 }, kernel.params.grid)
    assert.equal(9, fill.params.value)
    assert.same({ kernel }, fill.after)
    assert.same({}, cuda.Graph():node_list())
    gpu.raises("LogicError", "colour", function() return kernel.colour end)
  end)

  it("random graphs compute what the order of their edges says", function()
    local state = 11
    local function below(n)
      state = (state * 1103515245 + 12345) % 2 ^ 31
      return math.floor(state / 65536) % n
    end
    for round = 1, 12 do
      local cells, memory, values = 6, {}, {}
      for i = 1, cells do memory[i], values[i] = zeroed(), 0 end
      local g = cuda.Graph()
      local last_write, readers = {}, {} -- by cell
      for k = 1, 20 + below(20) do
        local to, from = 1 + below(cells), 1 + below(cells)
        if to == from then from = from % cells + 1 end
        local after, seen = {}, {}
        local function behind(node)
          if node and not seen[node] then
            seen[node] = true
            after[#after + 1] = node
          end
        end
        behind(last_write[to])
        behind(last_write[from])
        for _, node in ipairs(readers[to] or {}) do behind(node) end
        local node
        local what = below(4)
        if what == 0 then
          node = g:add_memset{ dst = memory[to], value = k, count = 1, bits = 32, after = after }
          values[to] = k
        elseif what == 1 then
          node = g:add_memcpy{ dst = memory[to], src = memory[from], bytes = 4, after = after }
          values[to] = values[from]
        else
          node = g:add_kernel{ mix, args = { memory[to], memory[from], k }, block = 1, after = after }
          values[to] = (values[to] * 3 + values[from] * 7 + k) % 1000003
        end
        last_write[to], readers[to] = node, {}
        readers[from] = readers[from] or {}
        table.insert(readers[from], node)
      end
      local x = g:instantiate()
      if soft then soft.streams("random:" .. round) end
      run(x)
      if soft then soft.streams "deferred" end
      for i = 1, cells do assert.equal(values[i], int_of(memory[i])) end
    end
  end)

  it("cuda.Graph:add_empty joins, and after takes a node or a list", function()
    local mem = zeroed(4)
    local g = cuda.Graph()
    local firsts = {}
    for i = 0, 3 do firsts[i + 1] = g:add_kernel{ add, args = { mem + 4 * i, 1, i + 1 }, block = 1 } end
    local join = g:add_empty{ after = firsts }
    assert.equal("empty", join.kind)
    assert.equal(4, #join.after)
    g:add_kernel{ add, args = { mem, 4, 10 }, block = 4, after = join }
    assert.equal("empty", g:add_empty().kind)
    run(g:instantiate())
    for i = 0, 3 do assert.equal(i + 11, int_of(mem, i)) end
  end)

  it("cuda.Graph:add_host calls a Lua function once for each run, by poll or synchronize", function()
    local calls, mem = {}, zeroed()
    local g = cuda.Graph()
    local first = g:add_host{ function() calls[#calls + 1] = "a" end }
    g:add_host{ fn = function() calls[#calls + 1] = "b" end, after = first }
    local x = g:instantiate()
    x:launch(s)
    if soft then assert.same({}, calls) end
    s:synchronize()
    assert.same({ "a", "b" }, calls)
    for _ = 1, 3 do x:launch(s) end
    x:close()
    g:close()
    s:synchronize()
    assert.equal("abababab", table.concat(calls))
    assert.equal(0, cuda.poll())
    g = cuda.Graph()
    g:add_host{ function() error "from a host node" end }
    g:add_kernel{ add, args = { mem, 1, 1 }, block = 1 }
    g:instantiate():launch(s)
    local ok, err = pcall(s.synchronize, s)
    assert.is_false(ok)
    assert.matches("from a host node", err)
    s:synchronize()
    assert.equal(1, int_of(mem))
  end)

  it("cuda.Graph:add_host takes C functions with their data", function()
    ffi.cdef "void srand(unsigned);" -- of one word, as a pointer is
    local g = cuda.Graph()
    local node = g:add_host{ fn = ffi.C.srand, data = ffi.cast("void *", 3) }
    assert.equal("host", node.kind)
    run(g:instantiate())
    gpu.raises("LogicError", "data is for C functions", g.add_host, g, { function() end, data = ffi.new "int[1]" })
    gpu.raises("LogicError", "expected a function", g.add_host, g, { ffi.cast("void (*)(void *)", 0) })
    gpu.raises("LogicError", "C function", g.add_host, g, { ffi.new "struct { int a; }" })
  end)

  it("functions of host nodes are let go with their graphs", function()
    local weak = setmetatable({}, { __mode = "k" })
    local function make()
      local token = {}
      local function count() token.n = (token.n or 0) + 1 end
      weak[token] = true
      local g = cuda.Graph()
      g:add_host{ count }
      local x = g:instantiate()
      x:launch(s)
      x:launch(s)
      return token
    end
    local token = make()
    cuda.collect()
    s:synchronize()
    assert.equal(2, token.n)
    token = nil -- luacheck: ignore
    cuda.collect()
    cuda.poll()
    cuda.collect()
    cuda.poll() -- gives back what the collector left
    cuda.collect()
    assert.is_nil(next(weak))
  end)

  it("cuda.Graph:add_event_record, cuda.Graph:add_event_wait, cuda.GraphExec:set_event order launches", function()
    local mem, recorded, awaited, other = zeroed(), cuda.Event(), cuda.Event(), cuda.Stream "non_blocking"
    local g = cuda.Graph()
    local wait = g:add_event_wait{ awaited }
    local kernel = g:add_kernel{ mix, args = { mem, mem, 1 }, block = 1, after = wait }
    local record = g:add_event_record{ event = recorded, after = kernel }
    assert.same({ "event_record", "kernel", "wait_event" }, kinds_of(g:node_list()))
    assert.equal(recorded, record.params.event)
    local x = g:instantiate()
    for round = 1, 3 do
      busy(other)
      cuda.memset_d32_async(mem, round, 1, other)
      awaited:record(other)
      x:launch(s)
      other:wait_for_event(recorded)
      add(mem, 1, 5, { block = 1, stream = other })
      other:synchronize()
      assert.equal(round * 10 + 1 + 5, int_of(mem))
    end
    local instead = cuda.Event()
    x:set_event(record, instead)
    run(x)
    assert.is_true(instead:query())
    instead:close()
    gpu.raises("LogicError", "an Event that the graph uses was freed or closed at", x.launch, x, s)
    gpu.raises("LogicError", "the Event that the node has was closed at", x.set_event, x, record, recorded)
    x = g:instantiate()
    x:set_event(wait, recorded)
    run(x)
    gpu.raises("LogicError", "not one of an event", x.set_event, x, kernel, recorded)
    gpu.raises("LogicError", "an Event", g.add_event_record, g, { 5 })
  end)

  it("cuda.Graph:add_child copies a graph; cuda.GraphExec:set_child changes what it does", function()
    local mem, other = zeroed(), zeroed()
    local function pair(target, a, b)
      local g = cuda.Graph()
      local first = g:add_kernel{ add, args = { target, 1, a }, block = 1 }
      g:add_kernel{ mix, args = { target, target, b }, block = 1, after = first }
      return g
    end
    local child = pair(mem, 1, 2)
    local g = cuda.Graph()
    local node = g:add_child{ child }
    assert.equal("graph", node.kind)
    g:add_kernel{ add, args = { mem, 1, 100 }, block = 1, after = node }
    child:add_kernel{ add, args = { mem, 1, 5000 }, block = 1 } -- too late
    child:close()
    local x = g:instantiate()
    run(x)
    assert.equal(1 * 10 + 2 + 100, int_of(mem))
    x:set_child(node, pair(other, 3, 4))
    run(x)
    assert.equal(3 * 10 + 4, int_of(other))
    assert.equal(212, int_of(mem))
    local longer = pair(other, 1, 1)
    longer:add_empty()
    gpu.raises("LogicError", "graph's shape or", x.set_child, x, node, longer)
    gpu.raises("LogicError", "node of itself", g.add_child, g, { g })
    gpu.raises("LogicError", "a Graph", g.add_child, g, { 7 })
    other:free()
    gpu.raises("LogicError", "a DeviceAllocation that the graph uses was freed", x.launch, x, s)
  end)

  it("cuda.GraphExec:set_kernel changes one executable graph, and lets old arguments go", function()
    local a, b = zeroed(), zeroed()
    local g = cuda.Graph()
    local node = g:add_kernel{ add, args = { a, 1, 1 }, block = 1 }
    local x, y = g:instantiate(), g:instantiate()
    assert.equal(x, x:set_kernel(node, { args = { b, 1, 10 } }))
    run(x)
    run(y)
    assert.equal(1, int_of(a))
    assert.equal(10, int_of(b))
    x:set_kernel(node, { args = { b, 1, 20 }, block = { 32, 1 }, grid = 2 })
    run(x)
    assert.equal(30, int_of(b))
    x:set_kernel(node, { grid = 1 }) -- the rest stays what it is in x
    run(x)
    assert.equal(50, int_of(b))
    x:set_kernel(node, { fn = mix, args = { b, b, 1 }, block = 1 })
    run(x)
    assert.equal(501, int_of(b))
    run(y)
    assert.equal(2, int_of(a))
    a:free()
    run(x)
    assert.equal(5011, int_of(b))
    gpu.raises("LogicError", "a DeviceAllocation that the graph uses was freed", y.launch, y, s)
    gpu.raises("LogicError", "a DeviceAllocation that the graph uses was freed", g.instantiate, g)
  end)

  it("launches under way keep what they were given", function()
    local weak = setmetatable({}, { __mode = "v" })
    local first, second = zeroed(), zeroed()
    local result = cuda.pagelocked_empty(2, "int32")
    local g = cuda.Graph()
    local source = { ffi.new("int[1]", 40) }
    weak[1] = source[1]
    local copy = g:add_memcpy{ dst = first, src = source[1] }
    local kernel = g:add_kernel{ add, args = { first, 1, 2 }, block = 1, after = copy }
    g:add_memcpy{ dst = result:data(), src = first, bytes = 4, after = kernel }
    local x = g:instantiate()
    busy(s)
    x:launch(s)
    x:set_memcpy(copy, { src = ffi.new("int[1]", 500) })
    x:set_kernel(kernel, { args = { second, 1, 7 } })
    s:synchronize()
    assert.equal(42, result:data()[0])
    run(x)
    assert.equal(500, result:data()[0])
    assert.equal(7, int_of(second))
    if soft then
      local before = live "allocs"
      local extra = zeroed()
      x:set_kernel(kernel, { args = { extra, 1, 1 } })
      extra = nil -- luacheck: ignore
      assert.equal(before + 1, live "allocs")
      x:set_kernel(kernel, { args = { second, 1, 1 } })
      assert.equal(before, live "allocs")
    end
  end)

  it("cuda.GraphExec:set_memcpy, cuda.GraphExec:set_memset, cuda.GraphExec:set_host", function()
    local a, b, out, calls = zeroed(4), zeroed(4), ffi.new "int[4]", {}
    local g = cuda.Graph()
    local fill = g:add_memset{ dst = a, value = 1, bits = 32 }
    local copy = g:add_memcpy{ dst = b, src = a, after = fill }
    local down = g:add_memcpy{ dst = out, src = b, after = copy }
    local call = g:add_host{ function() calls[#calls + 1] = 1 end, after = down }
    assert.equal(32, fill.params.bits)
    local x = g:instantiate()
    run(x)
    for i = 0, 3 do assert.equal(1, out[i]) end
    x:set_memset(fill, { value = 9, count = 2 })
    x:set_memcpy(copy, { src = a, bytes = 8 })
    x:set_host(call, { function() calls[#calls + 1] = 2 end })
    run(x)
    assert.same({ 9, 9, 1, 1 }, { out[0], out[1], out[2], out[3] })
    assert.same({ 1, 2 }, calls)
    local other = ffi.new "int[4]"
    x:set_memcpy(down, { dst = other })
    run(x)
    assert.equal(9, other[1])
    gpu.raises("LogicError", "cannot change the node this way", x.set_memcpy, x, copy, { dst = out, src = a })
    run(x)
    gpu.raises("LogicError", "has another kind", x.set_memcpy, x, fill, { dst = b, src = a, bytes = 4 })
    gpu.raises("LogicError", "has another kind", x.set_host, x, fill, { function() end })
    gpu.raises("LogicError", "colour", x.set_memset, x, fill, { colour = 1 })
  end)

  it("cuda.GraphExec:enable turns nodes off and on", function()
    local mem = zeroed()
    local g = cuda.Graph()
    local one = g:add_kernel{ add, args = { mem, 1, 1 }, block = 1 }
    local ten = g:add_kernel{ add, args = { mem, 1, 10 }, block = 1, after = one }
    local none = g:add_empty{ after = ten }
    local x, y = g:instantiate(), g:instantiate()
    assert.equal(x, x:enable(ten, false))
    run(x)
    assert.equal(1, int_of(mem))
    run(y)
    assert.equal(12, int_of(mem))
    run(x:enable(ten):enable(one, false))
    assert.equal(22, int_of(mem))
    gpu.raises("LogicError", "can be turned off", x.enable, x, none, false)
    gpu.raises("LogicError", "expected true or false", x.enable, x, one, 0)
  end)

  it("rectangles, Memcpy2D and arrays as ends", function()
    local gpuarray = require "cudalua.gpuarray"
    local mem = zeroed(16)
    local out = ffi.new "int[16]"
    local box = cuda.Memcpy2D()
    box:set_src_device(mem)
    box:set_dst_host(out)
    box.width_in_bytes, box.height, box.src_pitch, box.dst_pitch = 8, 4, 16, 16
    local g = cuda.Graph()
    local fill = g:add_memset{ dst = mem, value = 3, bits = 32, pitch = 16, width = 3, height = 2 }
    g:add_memcpy{ copy = box, after = fill }
    local a = gpuarray.arange(4, { dtype = "int32" }) + 1
    local last = g:add_kernel{ add, args = { a, 4, 100 }, block = 4 }
    local b = gpuarray.zeros(4, "int32")
    g:add_memcpy{ dst = b, src = a, after = last }
    run(g:instantiate())
    assert.same({ 3, 3, 0, 0, 3, 3, 0, 0, 0 },
      { out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[8], out[12] })
    assert.equal("[101 102 103 104]", tostring(b))
    run(g:instantiate())
    assert.equal("[201 202 203 204]", tostring(b))
    gpu.raises("LogicError", "omit them", g.add_memcpy, g, { copy = box, dst = mem })
    gpu.raises("LogicError", "a rectangle is", g.add_memset, g, { dst = mem, pitch = 16 })
  end)

  it("an executable graph outlives its graph, what is added later is not its business", function()
    local a, b = zeroed(), zeroed()
    local g = cuda.Graph()
    local node = g:add_kernel{ add, args = { a, 1, 1 }, block = 1 }
    local x = g:instantiate()
    local late = g:add_kernel{ add, args = { b, 1, 1 }, block = 1 }
    b:free()
    run(x)
    assert.equal(1, int_of(a))
    gpu.raises("LogicError", "", x.set_kernel, x, late, { args = { a, 1, 5 } })
    gpu.raises("LogicError", "", x.enable, x, late, false)
    run(x)
    g:close()
    run(x)
    assert.equal(3, int_of(a))
    gpu.raises("LogicError", "its Graph is gone", x.set_kernel, x, node, { args = { a, 1, 5 } })
    gpu.raises("LogicError", "its Graph is gone", function() return node.after end)
    gpu.raises("LogicError", "was closed", g.add_empty, g)
    run(x)
    assert.equal(4, int_of(a))
    local h = cuda.Graph()
    local foreign = h:add_empty()
    gpu.raises("LogicError", "not belong to the graph that this GraphExec was made from", x.enable, x, foreign)
    gpu.raises("LogicError", "the node belongs to another graph", cuda.Graph().add_empty, cuda.Graph(),
      { after = foreign })
  end)

  it("nodes of captures can be changed, and captures go into graphs: cuda.Stream:capture", function()
    local mem, other = zeroed(), zeroed()
    local g = s:capture(function() add(mem, 1, 1, { block = 1 }) end)
    local node = g:node_list()[1]
    local x = g:instantiate()
    gpu.raises("LogicError", "fn is missing", x.set_kernel, x, node, { args = { other, 1, 5 } })
    x:set_kernel(node, { add, args = { other, 1, 5 }, block = 1 })
    run(x)
    assert.equal(0, int_of(mem))
    assert.equal(5, int_of(other))
    -- more work behind the captured node
    assert.equal(g, s:capture(function()
      add(mem, 1, 10, { block = 1 })
      cuda.memcpy_dtod_async(other, mem, 4)
    end, { into = g, after = node }))
    assert.equal(3, #g:node_list())
    run(g:instantiate())
    assert.equal(11, int_of(mem))
    assert.equal(11, int_of(other))
    gpu.raises("LogicError", "boom", function()
      s:capture(function() cuda.Stream.priority_range(1) require("cudalua.core").raise("LogicError", "boom") end,
        { into = g })
    end)
    assert.equal(3, #g:node_list())
    gpu.raises("LogicError", "pass both", s.capture, s, function() end, { after = node })
    gpu.raises("LogicError", "unknown option", s.capture, s, function() end, { onto = g })
    gpu.raises("LogicError", "a Graph", s.capture, s, function() end, { into = 7 })
  end)

  it("cuda.GraphExec:update takes graphs made by hand", function()
    local a, b = zeroed(), zeroed()
    local function graph(target, value)
      local g = cuda.Graph()
      local first = g:add_kernel{ add, args = { target, 1, value }, block = 1 }
      g:add_kernel{ mix, args = { target, target, value }, block = 1, after = first }
      return g, first
    end
    local g, node = graph(a, 1)
    local x = g:instantiate()
    run(x)
    assert.equal(11, int_of(a))
    assert.is_true(x:update((graph(b, 2))))
    a:free()
    run(x)
    assert.equal(22, int_of(b))
    x:set_kernel(node, { add, args = { b, 1, 8 }, block = 1 })
    run(x)
    assert.equal(302, int_of(b))
    local longer = graph(b, 1)
    longer:add_empty()
    local ok, why = x:update(longer)
    assert.is_false(ok)
    assert.equal("topology_changed", why)
    run(x)
  end)

  it("bad input says what is wrong and leaves the graph as it was", function()
    local mem = zeroed()
    local g = cuda.Graph()
    local node = g:add_empty()
    local function bad(text, method, record) gpu.raises("LogicError", text, g[method], g, record) end
    bad("expected a table that describes the node", "add_kernel", 5)
    bad("expected a table that describes the node", "add_memcpy", nil)
    bad("fn: expected a kernel, got nil", "add_kernel", { args = {} })
    bad("passed twice", "add_kernel", { add, fn = add })
    bad("args: expected a list", "add_kernel", { add, args = 7, block = 1 })
    bad("takes 3 arguments", "add_kernel", { add, args = { mem }, block = 1 })
    bad("argument 3", "add_kernel", { add, args = { mem, 1, "x" }, block = 1 })
    bad("block", "add_kernel", { add, args = { mem, 1, 1 } })
    bad("unknown option 'colour'", "add_kernel", { add, args = { mem, 1, 1 }, block = 1, colour = 1 })
    bad("chooses the stream", "add_kernel", { add, args = { mem, 1, 1 }, block = 1, stream = s })
    bad("nothing runs yet", "add_kernel", { add, args = { mem, 1, 1 }, block = 1, time_kernel = true })
    bad("memory for one call", "add_kernel",
      { add, args = { cuda.InOut(ffi.new "int[1]"), 1, 1 }, block = 1 })
    gpu.raises("LaunchError", "block.x is 4096", g.add_kernel, g, { add, args = { mem, 1, 1 }, block = 4096 })
    bad("after: expected a node or a list of nodes, got 5", "add_kernel", { add, args = { mem, 1, 1 }, block = 1,
      after = 5 })
    bad("after: expected a node or a list of nodes, got 'x'", "add_empty", { after = { node, "x" } })
    bad("valid options: after, args", "add_kernel", { add, args = { mem, 1, 1 }, block = 1, depends = node })
    bad("the arguments are a list: { add, args", "add_kernel", { add, mem, 1, 1, block = 1 })
    bad("value must be an integer from 0 to 2^8 - 1", "add_memset", { dst = mem, value = 256 })
    bad("bytes is missing: dst has 8 bytes, but src has 16", "add_memcpy",
      { dst = cuda.ndarray.zeros(2, "int32"), src = cuda.gpuarray.zeros(4, "int32") })
    bad("twice in the list", "add_empty", { after = { node, node } })
    bad("dst is missing", "add_memcpy", { src = mem })
    bad("neither dst nor src is device memory", "add_memcpy", { dst = ffi.new "int[1]", src = ffi.new "int[1]" })
    bad("do not fit", "add_memcpy", { dst = mem, src = ffi.new "int[2]" })
    bad("do not make a node", "add_memcpy", { dst = mem, src = ffi.new "int[1]", bytes = 0 })
    bad("dst is missing", "add_memset", { value = 1 })
    bad("bits must be", "add_memset", { dst = mem, bits = 64 })
    bad("count is missing", "add_memset", { dst = mem:ptr() })
    bad("expected a function", "add_host", { 5 })
    bad("an Event", "add_event_wait", {})
    gpu.raises("LogicError", "with a colon", cuda.Graph.add_empty, { after = node })
    gpu.raises("LogicError", "takes no arguments", cuda.Graph, 1)
    assert.equal(1, #g:node_list())
    mem:free()
    bad("freed", "add_kernel", { add, args = { mem, 1, 1 }, block = 1 })
    assert.equal(1, #g:node_list())
    run(g:instantiate())
  end)

  it("contexts: a graph needs its own to be current", function()
    local g = cuda.Graph()
    local mem = zeroed()
    local ctx = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      gpu.raises("LogicError", "context is not current", g.add_empty, g)
      gpu.raises("LogicError", "context", g.add_memset, g, { dst = mem, value = 1 })
      local own = cuda.Graph()
      own:add_memset{ dst = cuda.mem_alloc(64), value = 1 }
      local stream = cuda.Stream()
      own:instantiate():launch(stream)
      stream:synchronize()
      gpu.raises("LogicError", "another context", own.add_child, own, { g })
    end)
    ctx:detach()
    assert(ok, err)
    g:add_memset{ dst = mem, value = 1, count = 4 }
    run(g:instantiate())
    assert.equal(0x01010101, int_of(mem))
  end)

  it("nodes can be added while a stream is being captured, and by finalizers", function()
    local mem, inner = zeroed(), cuda.Graph()
    local outer = s:capture(function()
      add(mem, 1, 1, { block = 1 })
      inner:add_kernel{ add, args = { mem, 1, 50 }, block = 1 }
      add(mem, 1, 2, { block = 1 })
    end)
    assert.equal(2, #outer:nodes())
    run(outer:instantiate())
    assert.equal(3, int_of(mem))
    run(inner:instantiate())
    assert.equal(53, int_of(mem))
    local g, count = cuda.Graph(), 0
    for _ = 1, 50 do
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function()
        count = count + 1
        g:add_empty()
      end
      proxy = nil -- luacheck: ignore
      g:add_kernel{ add, args = { mem, 1, 1 }, block = 1 }
      collectgarbage "step"
    end
    collectgarbage()
    collectgarbage()
    assert.equal(50, count)
    assert.equal(100, #g:node_list())
  end)

  it("a graph cannot be closed while work is captured into it", function()
    local mem, g = zeroed(), cuda.Graph()
    s:capture(function()
      add(mem, 1, 1, { block = 1 })
      gpu.raises("LogicError", "work is being captured into this graph", g.close, g)
    end, { into = g })
    run(g:instantiate())
    assert.equal(1, int_of(mem))
    g:close()
    gpu.raises("LogicError", "was closed", s.capture, s, function() end, { into = g })
  end)

  -- The collector runs at each chance that it has: the finalizer number k closes what is in use.
  it("finalizers may close the graph and what was made of it at any moment", function()
    local mem, event, child = zeroed(), cuda.Event(), cuda.Graph()
    local uses = {
      function(g) g:instantiate() end,
      function(g) g:add_conditional{ "switch", condition = g:condition(), bodies = 20 } end,
      function(g, x) x:update(g) end,
      function(_, x, nodes) x:set_kernel(nodes.kernel, { args = { mem, 1, 2 } }) end,
      function(_, x, nodes) x:set_memset(nodes.memset, { value = 3 }) end,
      function(_, x, nodes) x:set_host(nodes.host, { function() end }) end,
      function(_, x, nodes) x:set_event(nodes.event, event) end,
      function(_, x, nodes) x:set_child(nodes.child, child) end,
      function(g, _, nodes) g:add_empty{ after = { nodes.kernel, nodes.host } } end,
    }
    local function close_during(use, k)
      local g = cuda.Graph()
      local nodes = { kernel = g:add_kernel{ add, args = { mem, 1, 1 }, block = 1 },
        memset = g:add_memset{ dst = mem, count = 4 }, host = g:add_host{ function() end },
        event = g:add_event_record{ event }, child = g:add_child{ child } }
      local x, count = g:instantiate(), 0
      x:launch(s)
      local function plant()
        getmetatable(newproxy(true)).__gc = function()
          count = count + 1
          if count < k then return plant() end
          pcall(x.close, x)
          pcall(g.close, g)
        end
      end
      collectgarbage()
      plant()
      collectgarbage("setpause", 0)
      collectgarbage("setstepmul", 1e9)
      collectgarbage "restart"
      local ok, err = pcall(use, g, x, nodes)
      collectgarbage("setpause", 200)
      collectgarbage("setstepmul", 200)
      s:synchronize()
      if not ok then gpu.raises("LogicError", "can no longer be used", error, err, 0) end
      return not ok
    end
    local closed = 0
    for _, use in ipairs(uses) do
      for _, k in ipairs(gpu.sanitized and { 2, 5 } or { 1, 2, 3, 5, 8, 13, 21 }) do
        if close_during(use, k) then closed = closed + 1 end
      end
    end
    assert.is_true(closed >= #uses, closed .. " were closed in time")
  end)

  it("bad functions and lists of arguments are refused", function()
    local g, mem = cuda.Graph(), zeroed()
    local function bad(text, record) gpu.raises("LogicError", text, g.add_host, g, record) end
    bad("expected a C function", { ffi.new "int[4]" })
    bad("expected a C function", { 1LL })
    bad("expected a C function", { ffi.new "void (*[2])(void *)" })
    for _, n in ipairs { -1, 0.5, 2 ^ 40, "2" } do
      gpu.raises("LogicError", "args.n must be an integer", g.add_kernel, g,
        { add, args = { mem, 1, 1, n = n }, block = 1 })
    end
    gpu.raises("LogicError", "expected a list of arguments", g.add_kernel, g,
      { add, args = setmetatable({}, { __index = function() return mem end }), block = 1 })
    gpu.raises("LogicError", "expected a Memcpy2D", g.add_memcpy, g, { copy = { set_src_device = 1 } })
    assert.equal(0, #g:nodes())
  end)

  it("nothing is left behind", function()
    if not soft then pending "the software device counts what is alive" end
    local function counts()
      for _ = 1, 3 do
        cuda.collect()
        cuda.poll() -- gives back the functions that the collector let go
      end
      local stats = soft.stats()
      return { stats.live_graphs, stats.live_execs, stats.live_allocs, stats.live_events }
    end
    local function make()
      local mem = zeroed()
      local g = cuda.Graph()
      local node = g:add_kernel{ add, args = { mem, 1, 1 }, block = 1 }
      local child = cuda.Graph()
      child:add_child{ g, after = child:add_memset{ dst = mem, value = 0, count = 4 } }
      child:add_event_record{ cuda.Event(), after = child:node_list()[1] }
      child:add_host{ function() return g, mem, node end }
      child:add_host{ function() return child end } -- a cycle, which close() ends
      local x, y = g:instantiate(), child:instantiate()
      x:set_kernel(node, { args = { mem, 1, 2 } })
      run(x)
      run(y)
      pcall(x.set_kernel, x, node, { args = { mem, 1 } })
      child:close()
      y:close()
    end
    make()
    local before = counts()
    for _ = 1, 3 do make() end
    assert.same(before, counts())
  end)
end)
