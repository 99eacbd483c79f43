-- Captures from one call to another: Stream:begin_capture() and end_capture(). Graphs, and capture(fn): graph_spec.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"
local gpuarray = cuda.gpuarray

local soft = gpu.soft and require "cudalua.softgpu"

describe("captures that begin and end", function()
  local add, store, s
  before_each(function()
    gpu.context()
    if not add then
      local mod = cuda.SourceModule [[
        __global__ void add(int *a, int n, int value) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) a[i] += value;
        }
        __global__ void store(int *to, int value) { *to = value; }
      ]]
      add, store = mod:get_function "add", mod:get_function "store"
      local mem = cuda.mem_alloc(4)
      add(mem, 1, 0, { block = 1 })
      store(mem, 0, { block = 1 })
      cuda.Context.synchronize()
    end
    s = cuda.Stream "non_blocking"
    assert.equal(cuda.legacy_stream, cuda.current_stream())
  end)
  after_each(function() assert.equal(cuda.legacy_stream, cuda.current_stream()) end)

  local function int_of(mem)
    local host = ffi.new "int[1]"
    cuda.memcpy_dtoh(host, mem)
    return host[0]
  end
  local function zeroed() return cuda.to_device(ffi.new "int[1]") end
  local function run(graph, stream)
    graph:instantiate():launch(stream or s)
    return (stream or s):synchronize()
  end
  local function live(what)
    cuda.collect()
    return soft.stats()["live_" .. what]
  end

  it("cuda.Stream:begin_capture records until cuda.Stream:end_capture, cuda.Stream:is_capturing tells", function()
    local mem, from, to = zeroed(), ffi.new("int[1]", 40), ffi.new "int[1]"
    assert.is_false(s:is_capturing())
    assert.equal(s, s:begin_capture())
    assert.equal(s, cuda.current_stream())
    assert.is_true(s:is_capturing())
    assert.is_false(cuda.legacy_stream:is_capturing())
    cuda.memcpy_htod_async(mem, from)
    add(mem, 1, 2, { block = 1 })
    cuda.memcpy_dtoh_async(to, mem, s)
    local graph = s:end_capture()
    assert.is_false(s:is_capturing())
    assert.equal("Graph", core.kind(graph))
    assert.equal(3, #graph:nodes())
    assert.is_true(s:is_done())
    assert.equal(0, to[0])
    local exec = graph:instantiate()
    for round = 1, 3 do
      from[0] = 100 * round
      exec:launch(s)
      s:synchronize()
      assert.equal(100 * round + 2, to[0])
    end
  end)

  it("cuda.Stream:begin_capture takes a mode as capture() does, or its name", function()
    for _, options in ipairs { "relaxed", { mode = "relaxed" }, cuda.stream_capture_mode.RELAXED } do
      s:begin_capture(options)
      local fresh = cuda.mem_alloc(4)
      store(fresh, 7, { block = 1 })
      run(s:end_capture())
      assert.equal(7, int_of(fresh))
    end
    for _, options in ipairs { "global", { mode = "thread_local" }, {} } do
      s:begin_capture(options)
      gpu.raises("LogicError", "being captured (at ", cuda.mem_alloc, 16)
      assert.same({}, s:end_capture():nodes())
    end
    gpu.refuses_nonsense(function(v) s:begin_capture(v) end, { ["nil"] = true, table = true })
    gpu.raises("LogicError", "begin_capture: unknown option", s.begin_capture, s, { mod = "relaxed" })
    gpu.raises("LogicError", "mode", s.begin_capture, s, "strict")
    gpu.raises("LogicError", "mode", s.begin_capture, s, { mode = 3 })
    assert.is_false(s:is_capturing())
    gpu.raises("LogicError", "begin_capture: the legacy stream cannot be captured", cuda.legacy_stream.begin_capture,
      cuda.legacy_stream)
    for _, name in ipairs { "begin_capture", "end_capture", "is_capturing" } do
      gpu.refuses_nonsense(cuda.Stream[name])
      local closed = cuda.Stream()
      closed:close()
      gpu.raises("LogicError", "was closed at", closed[name], closed)
    end
    cuda.per_thread_stream:begin_capture()
    assert.same({}, cuda.per_thread_stream:end_capture():nodes())
  end)

  it("cuda.Stream:end_capture refuses what did not begin, and changes nothing", function()
    local other, mem = cuda.Stream "non_blocking", zeroed()
    gpu.raises("LogicError", "end_capture: this stream is not being captured", s.end_capture, s)
    gpu.raises("LogicError", "is not being captured", cuda.legacy_stream.end_capture, cuda.legacy_stream)
    local graph = s:capture(function()
      gpu.raises("LogicError", "ends this capture when its function returns", s.end_capture, s)
      store(mem, 1, { block = 1 })
    end)
    assert.equal(1, #graph:nodes())
    s:begin_capture()
    local err = gpu.raises("LogicError", "begin_capture: this stream is already being captured, since ",
      s.begin_capture, s)
    assert.truthy(err.message:find "capture_spec%.lua:%d+", err.message)
    gpu.raises("LogicError", "capture: this stream is already being captured", s.capture, s, print)
    gpu.raises("LogicError", "is not being captured", other.end_capture, other)
    other:wait_for_event(cuda.Event():record())
    assert.is_true(other:is_capturing())
    gpu.raises("LogicError", "has joined the capture of another stream", other.end_capture, other)
    store(mem, 5, { block = 1, stream = other })
    s:wait_for_event(cuda.Event():record(other))
    store(mem, 6, { block = 1 })
    gpu.raises("LogicError", "being captured", s.close, s)
    run(s:end_capture())
    assert.is_false(other:is_capturing())
    assert.equal(6, int_of(mem))
  end)

  it("cuda.Stream:begin_capture keeps its context from being detached", function()
    local context = cuda.Device(0):make_context()
    local stream = cuda.Stream()
    stream:begin_capture()
    gpu.raises("LogicError", "being captured", context.detach, context)
    assert.is_true(stream:is_capturing())
    assert.same({}, stream:end_capture():nodes())
    context:detach()
  end)

  it("cuda.Stream:begin_capture: what waits raises first, and the capture goes on", function()
    local mem, outside = zeroed(), cuda.Event():record():synchronize()
    local a = gpuarray.ones(4):eval()
    s:begin_capture()
    gpu.raises("LogicError", "being captured", a.get, a)
    gpu.raises("LogicError", "being captured", a.set, a, { 1, 2, 3, 4 })
    gpu.raises("LogicError", "being captured", function() return a[1] end)
    assert.matches("being captured", tostring(select(2, pcall(tostring, a))))
    assert.same({}, s:end_capture():nodes()) -- it has no copy that nobody waits for
    s:begin_capture()
    gpu.raises("LogicError", "being captured", function() return a:sum():item() end)
    s:end_capture()
    for _, stream in ipairs { s, cuda.Stream() } do
      stream:begin_capture()
      for name, f in pairs {
        synchronize = function() stream:synchronize() end, is_done = function() stream:is_done() end,
        context = cuda.Context.synchronize, htod = function() cuda.memcpy_htod(mem, ffi.new "int[1]") end,
        dtoh = function() int_of(mem) end, event = function() outside:synchronize() end,
        on_complete = function() stream:on_complete(print) end,
        mine = function() error("mine", 0) end,
      } do
        local ok, err = pcall(f)
        assert(not ok, name .. " was not refused")
        if name ~= "mine" then
          assert(cuda.is_error(err, "LogicError") and not err.code, name .. ": " .. tostring(err))
        end
        assert.is_true(stream:is_capturing())
      end
      store(mem, 9, { block = 1 })
      local graph = stream:end_capture()
      assert.same({ "kernel" }, graph:nodes())
      cuda.memset_d32(mem, 0, 1)
      cuda.Context.synchronize()
      run(graph, stream)
      assert.equal(9, int_of(mem))
    end
  end)

  it("cuda.Stream:begin_capture: arrays work inside, and the graph keeps their memory", function()
    local a, b = gpuarray.arange(1000, "float32"), gpuarray.full(1000, 3)
    local pending = a + 100 -- written down before: computed before
    cuda.gpuarray.eval(a, b)
    local c
    s:begin_capture()
    do
      local inner = a * b + 1
      c = (inner + pending):eval()
      a:iadd(1)
      b:eval()
    end
    local graph = s:end_capture()
    assert.is_true(#graph:nodes() >= 2, #graph:nodes())
    assert.equal(199, pending[100])
    local exec = graph:instantiate()
    graph = nil -- luacheck: ignore
    cuda.collect()
    for round = 0, 2 do
      exec:launch(s)
      local got, now = c:get(), a:get()
      for _, i in ipairs { 1, 2, 500, 1000 } do
        assert.equal((i - 1 + round) * 3 + 1 + (i - 1) + 100, got[i])
        assert.equal(i + round, now[i])
      end
    end
  end)

  it("cuda.Stream:end_capture: what the graph uses lives as long as it", function()
    local exec
    gpu.apart(function()
      local mem = zeroed()
      s:begin_capture()
      local k = add
      k(mem, 1, 4, { block = 1 })
      local host = ffi.new("int[1]", 6)
      cuda.memcpy_htod_async(mem + 0, host)
      local graph = s:end_capture()
      exec = graph:instantiate()
    end)
    for _ = 1, 3 do cuda.collect() end
    exec:launch(s):launch(s)
    assert.equal(s, s:synchronize())
    local freed = zeroed()
    s:begin_capture()
    add(freed, 1, 1, { block = 1 })
    local graph = s:end_capture()
    freed:free()
    gpu.raises("LogicError", "a DeviceAllocation that the graph uses was freed", graph.instantiate, graph)
  end)

  it("cuda.Stream:end_capture puts the current stream back, in whatever order captures end", function()
    local a, b, c = cuda.Stream "non_blocking", cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local orders = { { a, b, c }, { a, c, b }, { b, a, c }, { b, c, a }, { c, a, b }, { c, b, a } }
    for _, order in ipairs(orders) do
      local open = { a, b, c }
      for i, stream in ipairs(open) do
        stream:begin_capture()
        assert.equal(open[i], cuda.current_stream())
      end
      for _, stream in ipairs(order) do
        stream:end_capture()
        for i, x in ipairs(open) do
          if x == stream then table.remove(open, i) end
        end
        assert.equal(open[#open] or cuda.legacy_stream, cuda.current_stream())
      end
    end
    s:use(function()
      a:begin_capture()
      assert.equal(a, cuda.current_stream())
      b:use(function() assert.equal(b, cuda.current_stream()) end)
      a:end_capture()
      assert.equal(s, cuda.current_stream())
    end)
  end)

  it("cuda.Stream:begin_capture and cuda.Stream:end_capture inside and outside of other functions' streams", function()
    local mem, other = zeroed(), cuda.Stream "non_blocking"
    -- begun outside, ended inside: not possible, or the current stream would be wrong outside
    s:begin_capture()
    other:use(function()
      local err = gpu.raises("LogicError", "end it outside, too", s.end_capture, s)
      assert.truthy(err.message:find("capture_spec.lua:", 1, true))
      other:capture(function() gpu.raises("LogicError", "end it outside, too", s.end_capture, s) end)
      store(mem, 1, { block = 1, stream = s })
    end)
    assert.equal(s, cuda.current_stream())
    assert.equal(1, #s:end_capture():nodes())
    -- begun inside, ended outside
    for _, enter in ipairs { "use", "capture" } do
      other[enter](other, function()
        s:begin_capture()
        assert.equal(s, cuda.current_stream())
        store(mem, 2, { block = 1 })
      end)
      assert.equal(cuda.legacy_stream, cuda.current_stream())
      assert.is_true(s:is_capturing())
      store(mem, 3, { block = 1, stream = s })
      other:use(function() assert.equal(2, #s:end_capture():nodes()) end)
    end
    -- begun inside of an error
    local ok, err = pcall(other.use, other, function()
      s:begin_capture()
      error("mine", 0)
    end)
    assert.same({ false, "mine" }, { ok, err })
    assert.is_true(s:is_capturing())
    assert.same({}, s:end_capture():nodes())
    -- by another coroutine
    local co = coroutine.wrap(function()
      s:begin_capture()
      store(mem, 4, { block = 1 })
      coroutine.yield()
      store(mem, 5, { block = 1 })
    end)
    co()
    assert.equal(s, cuda.current_stream())
    co()
    assert.equal(2, #s:end_capture():nodes())
  end)

  it("cuda.Stream:end_capture of a capture that is broken or not joined: an error, and the stream is free", function()
    local mem, other = zeroed(), cuda.Stream "non_blocking"
    s:begin_capture()
    other:wait_for_event(cuda.Event():record())
    store(mem, 1, { block = 1, stream = other })
    local err = gpu.raises("LogicError", "Stream:end_capture: a stream that joined", s.end_capture, s)
    assert.equal(904, err.code)
    assert.is_false(s:is_capturing())
    assert.is_false(other:is_capturing())
    gpu.raises("LogicError", "is not being captured", s.end_capture, s)
    store(mem, 2, { block = 1, stream = s })
    s:synchronize()
    other:synchronize()
    assert.equal(2, int_of(mem))
    local out = gpu.child([[
      local ffi = require "ffi"
      ffi.cdef "int cuCtxSynchronize(void);"
      local cuda = require "cudalua"
      cuda.init()
      local driver = ffi.load(cuda.driver_info().path)
      local ctx = cuda.Device(0):make_context()
      local k = cuda.SourceModule("__global__ void k() {}"):get_function "k"
      k { block = 1 }
      ctx:synchronize()
      local s = cuda.Stream()
      s:begin_capture()
      k { block = 1 }
      print(driver.cuCtxSynchronize() ~= 0)
      print(s:is_capturing())
      print(select(2, pcall(k, { block = 1 })).code)
      local ok, err = pcall(s.end_capture, s)
      print(ok, err.class, err.code, err.message)
      print(s:is_capturing())
      s:begin_capture()
      k { block = 1 }
      print(#s:end_capture():nodes())
    ]], gpu.driver)
    assert.equal("true\ntrue\tinvalidated\n901\nfalse\tLogicError\t901\tStream:end_capture: a call since " ..
      "begin_capture() is not allowed in a capture and invalidated it: cuLaunchKernel\nfalse\n1\n", out)
  end)

  it("cuda.Stream:begin_capture on a stream that nobody has any more", function()
    local mem = zeroed()
    gpu.apart(function() cuda.Stream("non_blocking"):begin_capture() end)
    cuda.collect()
    cuda.collect()
    store(mem, 3, { block = 1 })
    assert.is_true(cuda.current_stream():is_capturing())
    local graph = cuda.current_stream():end_capture()
    assert.same({ "kernel" }, graph:nodes())
    run(graph)
    assert.equal(3, int_of(mem))
  end)

  it("cuda.Stream:begin_capture is not disturbed by the collector", function()
    local mem, failed = zeroed(), core.failed_destroys()
    local garbage = { {} }
    for i = 1, 10 do garbage[1][i] = { cuda.mem_alloc(64), cuda.Stream(), cuda.Event():record(),
      cuda.SourceModule "__global__ void k() {}" } end
    s:begin_capture()
    store(mem, 2, { block = 1 })
    assert.equal(10, #table.remove(garbage))
    cuda.collect()
    store(mem, 3, { block = 1 })
    local graph = s:end_capture()
    assert.equal(2, #graph:nodes())
    run(graph)
    assert.equal(3, int_of(mem))
    assert.equal(failed, core.failed_destroys())
  end)

  it("cuda.Stream:begin_capture and cuda.Stream:end_capture with finalizers that capture, too", function()
    local mem, ran, other = zeroed(), 0, cuda.Stream "non_blocking"
    local function litter()
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function()
        ran = ran + 1
        local t = cuda.Stream "non_blocking"
        t:begin_capture()
        pcall(s.begin_capture, s)
        other:capture(function() pcall(t.end_capture, t) end)
        t:end_capture()
        other:use(function() t:begin_capture() end)
        t:end_capture()
      end
    end
    local pause, step = collectgarbage("setpause", 0), collectgarbage("setstepmul", 1000)
    local done = 0
    for _ = 1, 300 do
      litter()
      local ok, err = pcall(s.begin_capture, s)
      if ok or err.message:find "captured already" then -- a finalizer was first
        ok = pcall(store, mem, 1, { block = 1, stream = s })
        litter()
        assert(#s:end_capture():nodes() == (ok and 1 or 0))
        done = done + 1
      end
      while cuda.current_stream():is_capturing() do cuda.current_stream():end_capture() end
      assert(cuda.current_stream() == cuda.legacy_stream)
    end
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", step)
    collectgarbage()
    while cuda.current_stream():is_capturing() do cuda.current_stream():end_capture() end
    assert(ran > 300 and done > 250, ran .. " " .. done)
  end)

  it("cuda.Stream:begin_capture whose state ends", function()
    local out, ok = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local k = cuda.SourceModule("__global__ void k() {}"):get_function "k"
      k { block = 1 }
      ctx:synchronize()
      KEEP = { cuda.Stream(), cuda.Stream(), cuda.mem_alloc(64), cuda.Event(), cuda.gpuarray.ones(3):eval() }
      KEEP[1]:begin_capture()
      k { block = 1 }
      KEEP[2]:begin_capture "relaxed"
      print(select(2, pcall(ctx.detach, ctx)).message:match "detach is not possible")
      k { block = 1 }
      coroutine.wrap(function() os.exit(0, true) end)()
    ]], gpu.driver .. " CUDALUA_SOFT_LEAKS=on")
    assert.equal("detach is not possible\n", out)
    assert.is_true(ok)
  end)

  it("cuda.Stream:begin_capture and cuda.Stream:end_capture with the driver failing", function()
    if not soft then return pending "needs failures made to order" end
    local mem = zeroed()
    for _, symbol in ipairs { "cuStreamBeginCapture_v2", "cuStreamGetCaptureInfo_v3", "cuStreamIsCapturing" } do
      soft.fail(symbol, 1, 999)
      gpu.error_of("Error", s.begin_capture, s)
      soft.fail_clear()
      assert.is_false(s:is_capturing())
      assert.equal(cuda.legacy_stream, cuda.current_stream())
    end
    local before = live "graphs"
    s:begin_capture()
    store(mem, 1, { block = 1 })
    soft.fail("cuStreamEndCapture", 1, 908) -- another thread: it goes on
    local err = gpu.error_of("LogicError", s.end_capture, s)
    assert.equal(908, err.code)
    assert.matches("in the thread that it began in", err.hint)
    assert.is_true(s:is_capturing())
    assert.equal(s, cuda.current_stream())
    assert.equal(1, #s:end_capture():nodes())
    assert.equal(before, live "graphs")
    s:begin_capture()
    soft.fail("cuStreamEndCapture", 1, 999)
    gpu.error_of("Error", s.end_capture, s)
    assert.equal(cuda.legacy_stream, cuda.current_stream())
    s = cuda.Stream "non_blocking"
    cuda.collect() -- for the driver the other one is still being captured
    s:begin_capture()
    store(mem, 5, { block = 1 })
    run(s:end_capture())
    assert.equal(5, int_of(mem))
  end)
end)
