local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"

local soft = gpu.soft and require "cudalua.softgpu"

-- Numbers of the driver calls of that name since log "on".
local function calls(symbol)
  local n = 0
  for _, call in ipairs(soft.calls()) do
    if call.symbol == symbol then n = n + 1 end
  end
  return n
end

describe("streams", function()
  local context, spin, store
  before_each(function()
    context = gpu.context()
    if spin then return end
    local mod = cuda.SourceModule [[
      __global__ void spin(long long cycles) {
        long long start = clock64();
        while (clock64() - start < cycles) {}
      }
      __global__ void store(int *to, int value) { *to = value; }
    ]]
    spin, store = mod:get_function "spin", mod:get_function "store"
  end)

  -- Puts work into s that is not done when it returns: a GPU takes 50 ms, the software device waits to be asked.
  local function busy(s) spin(gpu.soft and 10 or 1e8, { block = 1, stream = s }) end

  local function int_of(mem)
    local host = ffi.new "int[1]"
    cuda.memcpy_dtoh(host, mem)
    return host[0]
  end

  it("cuda.Stream makes one, cuda.Stream:close ends it", function()
    local s = cuda.Stream()
    assert.matches("^cudalua.Stream: 0x", tostring(s))
    assert.is_nil(s:close())
    assert.equal("cudalua.Stream (closed)", tostring(s))
    for _, method in ipairs { "synchronize", "is_done", "flags", "priority", "context", "handle", "close" } do
      gpu.raises("LogicError", "was closed at", s[method], s)
    end
    gpu.raises("LogicError", "was closed at", s.use, s, print)
    gpu.raises("LogicError", "was closed at", s.capture, s, print)
    gpu.raises("LogicError", "was closed at", s.on_complete, s, print)
    gpu.raises("LogicError", "was closed at", s.wait_for_event, s, cuda.Event())
    gpu.raises("LogicError", "was closed at", spin, 1, { block = 1, stream = s })
  end)

  it("cuda.Stream:flags and cuda.Stream:priority give what it was made with", function()
    for _, flags in ipairs { 1, "non_blocking", "NON_BLOCKING", { "non_blocking" } } do
      assert.equal(1, cuda.Stream(flags):flags())
      assert.equal(1, cuda.Stream({ flags = flags }):flags())
    end
    assert.equal(0, cuda.Stream():flags())
    assert.equal(0, cuda.Stream({}):flags())
    assert.equal(0, cuda.Stream("default"):flags())
    local least, greatest = cuda.Stream.priority_range()
    assert.equal(greatest, cuda.Stream({ priority = greatest }):priority())
    assert.equal(least, cuda.Stream():priority())
    local s = cuda.Stream { flags = "non_blocking", priority = greatest }
    assert.same({ 1, greatest }, { s:flags(), s:priority() })
    assert.equal(greatest, cuda.Stream({ priority = greatest - 1000 }):priority()) -- clamped
    assert.equal(least, cuda.Stream({ priority = least + 1000 }):priority())
  end)

  it("cuda.Stream.priority_range gives the least first", function()
    local least, greatest = cuda.Stream.priority_range()
    assert.is_true(greatest <= least)
    if gpu.soft then assert.same({ 0, -5 }, { least, greatest }) end
  end)

  it("cuda.Stream refuses what it does not know", function()
    gpu.raises("LogicError", "flags", cuda.Stream, 2)
    gpu.raises("LogicError", "flags", cuda.Stream, "blocking")
    gpu.raises("LogicError", "unknown option 'prio'", cuda.Stream, { prio = 1 })
    gpu.raises("LogicError", "priority", cuda.Stream, { priority = 0.5 })
    gpu.raises("LogicError", "priority", cuda.Stream, { priority = 2 ^ 40 })
    gpu.raises("LogicError", "priority", cuda.Stream, { priority = "high" })
    gpu.refuses_nonsense(cuda.Stream, { ["nil"] = true, table = true })
    for _, method in ipairs { "synchronize", "is_done", "flags", "priority", "context", "handle", "close", "use",
      "capture", "on_complete", "wait_for_event" } do
      gpu.refuses_nonsense(cuda.Stream[method])
    end
  end)

  it("cuda.Stream:context and cuda.Stream:handle", function()
    local s = cuda.Stream()
    assert.equal(context, s:context())
    assert.equal(context, cuda.legacy_stream:context())
    assert.is_true(s:handle() > 2)
    local other = cuda.Device(0):make_context()
    assert.equal(context, s:context())
    assert.equal(other, cuda.per_thread_stream:context())
    other:detach()
  end)

  it("cuda.Stream:synchronize waits for its work and returns it", function()
    local s, mem = cuda.Stream "non_blocking", cuda.to_device(ffi.new("int[1]", -1))
    busy(s)
    store(mem, 7, { block = 1, stream = s })
    assert.equal(s, s:synchronize())
    assert.equal(7, int_of(mem))
  end)

  it("cuda.Stream:is_done says whether it has work", function()
    local s = cuda.Stream "non_blocking"
    assert.is_true(s:is_done())
    busy(s)
    assert.is_false(s:is_done())
    s:synchronize()
    assert.is_true(s:is_done())
    busy(s)
    while not s:is_done() do end -- it gets there by asking alone
  end)

  it("cuda.Stream:wait_for_event orders two streams", function()
    local a, b = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local mem, done = cuda.to_device(ffi.new("int[1]", -1)), cuda.Event()
    busy(a)
    store(mem, 1, { block = 1, stream = a })
    assert.equal(b, b:wait_for_event(done:record(a)))
    store(mem, 2, { block = 1, stream = b })
    b:synchronize()
    assert.is_true(a:is_done())
    assert.equal(2, int_of(mem))
    assert.equal(a, a:wait_for_event(cuda.Event())) -- never recorded: nothing to wait for
    gpu.refuses_nonsense(function(v) return a:wait_for_event(v) end)
    gpu.raises("LogicError", "expected an Event", a.wait_for_event, a, b)
    local closed = cuda.Event()
    closed:close()
    gpu.raises("LogicError", "was closed at", a.wait_for_event, a, closed)
  end)

  it("cuda.Stream:wait_for_event takes an event of another context", function()
    local a = cuda.Stream()
    local other = cuda.Device(0):make_context()
    local event = cuda.Event():record()
    assert.equal(a, a:wait_for_event(event))
    a:synchronize()
    assert.is_true(event:query())
    other:detach()
  end)

  it("a stream of another context is refused for kernels", function()
    local other = cuda.Device(0):make_context()
    local s = cuda.Stream()
    cuda.Context.pop()
    gpu.raises("LogicError", "another context", spin, 1, { block = 1, stream = s })
    s:use(function() gpu.raises("LogicError", "another context", spin, 1, { block = 1 }) end)
    assert.equal(s, s:synchronize()) -- waiting needs no current context
    assert.is_true(s:is_done())
    other:detach()
    gpu.raises("LogicError", "its Context is gone", s.synchronize, s)
  end)

  it("cuda.legacy_stream and cuda.per_thread_stream are the driver's default streams", function()
    assert.equal("cudalua.Stream: legacy", tostring(cuda.legacy_stream))
    assert.equal("cudalua.Stream: per-thread", tostring(cuda.per_thread_stream))
    assert.same({ 1, 2 }, { cuda.legacy_stream:handle(), cuda.per_thread_stream:handle() })
    local mem = cuda.to_device(ffi.new("int[1]", -1))
    for i, s in ipairs { cuda.legacy_stream, cuda.per_thread_stream } do
      store(mem, i, { block = 1, stream = s })
      assert.equal(s, s:synchronize())
      assert.is_true(s:is_done())
      assert.equal(i, int_of(mem))
      assert.is_number(s:flags())
      gpu.raises("LogicError", "cannot be closed", s.close, s)
    end
    assert.equal(0, cuda.legacy_stream:priority())
  end)

  it("cuda.legacy_stream is there without a driver, and has no context where that was taken off", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      print(cuda.legacy_stream, cuda.current_stream() == cuda.legacy_stream)
      assert(not cuda.driver_info().open and cuda.legacy_stream:synchronize() == cuda.legacy_stream)
      cuda.Context.pop()
      local _, err = pcall(cuda.legacy_stream.synchronize, cuda.legacy_stream)
      local _, asked = pcall(cuda.legacy_stream.is_done, cuda.legacy_stream)
      local _, none = pcall(cuda.Stream)
      print(err.code, asked.code, none.code)
    ]], gpu.driver)
    assert.equal("cudalua.Stream: legacy\ttrue\n201\t201\t201\n", out)
  end)

  it("cuda.current_stream is the legacy stream outside of cuda.Stream:use", function()
    local s = cuda.Stream()
    assert.equal(cuda.legacy_stream, cuda.current_stream())
    assert.equal(s, s:use(cuda.current_stream))
    assert.equal(cuda.legacy_stream, cuda.current_stream())
  end)

  it("cuda.Stream:use nests, passes values through and restores, also on an error", function()
    local a, b = cuda.Stream(), cuda.Stream()
    assert.same({ n = 3, 1, nil, "x" }, (function(...) return { n = select("#", ...), ... } end)(a:use(function(...)
      assert.equal(a, cuda.current_stream())
      b:use(function()
        assert.equal(b, cuda.current_stream())
        cuda.legacy_stream:use(function() assert.equal(cuda.legacy_stream, cuda.current_stream()) end)
        assert.equal(b, cuda.current_stream())
      end)
      local thrown = {}
      local ok, err = pcall(b.use, b, function() error(thrown) end)
      assert.is_false(ok)
      assert.equal(thrown, err)
      assert.equal(a, cuda.current_stream())
      return ...
    end, 1, nil, "x")))
    assert.equal(cuda.legacy_stream, cuda.current_stream())
    gpu.refuses_nonsense(function(v) return a:use(v) end, { ["function"] = true })
    assert.equal(5, a:use(setmetatable({}, { __call = function(_, x) return x end }), 5))
    assert.equal(cuda.legacy_stream, cuda.current_stream())
  end)

  it("cuda.Stream:use is where a kernel goes that is given no stream", function()
    local s, mem = cuda.Stream "non_blocking", cuda.to_device(ffi.new("int[1]", -1))
    s:use(function()
      busy()
      store(mem, 3, { block = 1 })
      assert.is_false(s:is_done())
      store(mem, 4, { block = 1, stream = cuda.legacy_stream })
    end)
    s:synchronize()
    local event = s:use(function() return cuda.Event():record() end)
    busy(s)
    event:record(s)
    assert.is_false(event:query())
    s:synchronize()
    assert.is_true(event:query())
    s:synchronize()
  end)

  it("cuda.Stream:use cannot be left by a coroutine", function()
    local s = cuda.Stream()
    local co = coroutine.create(function() s:use(coroutine.yield) end)
    local ok, err = coroutine.resume(co)
    assert.is_false(ok)
    assert.matches("yield", tostring(err))
    assert.equal(cuda.legacy_stream, cuda.current_stream())
    assert.equal("inner", s:use(function() return coroutine.wrap(function() coroutine.yield "inner" end)() end))
  end)

  it("the current stream that was closed is an error, not a crash", function()
    local s = cuda.Stream()
    s:use(function()
      s:close()
      gpu.raises("LogicError", "was closed inside", spin, 1, { block = 1 })
      assert.equal("cudalua.Stream (closed)", tostring(cuda.current_stream()))
    end)
    assert.equal(cuda.legacy_stream, cuda.current_stream())
  end)

  it("cuda.wrap_stream stands for a stream of other code and never destroys it", function()
    local mine = cuda.Stream "non_blocking"
    local s = cuda.wrap_stream(mine:handle())
    assert.same({ mine:handle(), 1, context }, { s:handle(), s:flags(), s:context() })
    local mem = cuda.to_device(ffi.new("int[1]", -1))
    store(mem, 9, { block = 1, stream = s })
    s:synchronize()
    assert.equal(9, int_of(mem))
    s:close()
    gpu.raises("LogicError", "was closed at", s.synchronize, s)
    assert.equal(mine:handle(), cuda.wrap_stream(ffi.new("uint64_t", mine:handle())):handle())
    cuda.collect()
    assert.equal(mine, mine:synchronize())
    assert.equal(cuda.legacy_stream, cuda.wrap_stream(0))
    assert.equal(cuda.legacy_stream, cuda.wrap_stream(1))
    assert.equal(cuda.per_thread_stream, cuda.wrap_stream(2))
    gpu.refuses_nonsense(cuda.wrap_stream)
    gpu.error_of("LogicError", cuda.wrap_stream, 8192)
  end)

  it("cuda.wrap_stream of a stream in another context belongs to that context", function()
    local other = cuda.Device(0):make_context()
    local mine = cuda.Stream()
    cuda.Context.pop()
    local s = cuda.wrap_stream(mine:handle())
    assert.equal(other, s:context())
    gpu.raises("LogicError", "another context", spin, 1, { block = 1, stream = s })
    other:detach()
    gpu.raises("LogicError", "its Context is gone", s.synchronize, s)
  end)

  it("cuda.Stream:on_complete calls back from cuda.poll and cuda.Stream:synchronize, never by itself", function()
    local s, order = cuda.Stream "non_blocking", {}
    busy(s)
    assert.equal(s, s:on_complete(function() order[#order + 1] = "a" end))
    assert.equal(s, s:on_complete(function() order[#order + 1] = "b" end))
    assert.same({}, order)
    s:synchronize()
    assert.same({ "a", "b" }, order)
    assert.equal(0, cuda.poll())
    s:on_complete(function() order[#order + 1] = "c" end)
    while cuda.poll() == 0 do s:is_done() end
    assert.same({ "a", "b", "c" }, order)
    s:on_complete(function() order[#order + 1] = "d" end)
    cuda.Event():record(s):synchronize()
    assert.same({ "a", "b", "c", "d" }, order)
    gpu.refuses_nonsense(function(v) return s:on_complete(v) end, { ["function"] = true })
  end)

  it("cuda.Stream:on_complete whose function raises keeps the others", function()
    local s, seen = cuda.Stream(), {}
    s:on_complete(function() error("mine", 0) end)
    s:on_complete(function() seen[1] = true end)
    local ok, err = pcall(s.synchronize, s)
    assert.same({ false, "mine" }, { ok, err })
    assert.same({}, seen)
    assert.equal(1, cuda.poll())
    assert.same({ true }, seen)
    -- one that waits for the stream itself
    s:on_complete(function() s:synchronize() seen[2] = true end)
    s:synchronize()
    assert.is_true(seen[2])
  end)

  it("cuda.completion_fd is readable from a function's time until cuda.poll has called all", function()
    ffi.cdef [[
      struct cudalua_fd_poll { int fd; short events, revents; };
      int cudalua_fd_poll(struct cudalua_fd_poll *fds, unsigned long n, int timeout) __asm__("poll");
    ]]
    local fd = cuda.completion_fd()
    assert.equal(fd, cuda.completion_fd())
    local function readable(milliseconds)
      local p = ffi.new("struct cudalua_fd_poll", { fd, 1, 0 })
      return ffi.C.cudalua_fd_poll(p, 1, milliseconds) == 1
    end
    assert.is_false(readable(0))
    local s, order = cuda.Stream(), {}
    s:on_complete(function() order[#order + 1] = "a" error("mine", 0) end)
    s:on_complete(function() order[#order + 1] = "b" end)
    while not s:is_done() do end
    assert.is_true(readable(10000))
    assert.same({ false, "mine" }, { pcall(cuda.poll) })
    assert.is_true(readable(10000)) -- the other function still waits
    assert.equal(1, cuda.poll())
    assert.is_false(readable(0))
    assert.same({ "a", "b" }, order)
    s:on_complete(function() end)
    s:synchronize()
    assert.is_false(readable(0))
  end)

  it("cuda.Stream:on_complete outlives its stream, its state and a failing call", function()
    local said = {}
    local s = cuda.Stream()
    busy(s)
    s:on_complete(function() said[1] = true end)
    s:close()
    cuda.Context.synchronize()
    assert.equal(1, cuda.poll())
    assert.is_true(said[1])
    if soft then
      s = cuda.Stream()
      soft.fail("cuLaunchHostFunc", 1, 2)
      gpu.error_of("MemoryError", s.on_complete, s, print)
    end
    local out, ok = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local s = cuda.Stream()
      s:on_complete(function() print "never" end)
      print "end"
      os.exit(0, true)
    ]], gpu.driver)
    assert.equal("end\n", out)
    assert.is_true(ok)
  end)

  -- What a program prints that has a kernel which fails, a stream, and a function behind the kernel, held by the stream
  -- alone.
  local function behind_fault(program)
    return (gpu.child([=[
      local cuda = require "cudalua"
      cuda.on_notice = nil
      cuda.init { driver = "soft" }
      local ctx = cuda.Device(0):make_context()
      local ffi = require "ffi"
      ffi.cdef [[
        struct fd_poll { int fd; short events, revents; };
        int fd_poll(void *, unsigned long, int) __asm__("poll");
      ]]
      local fd = cuda.completion_fd()
      require("cudalua.softgpu").streams "deferred"
      local function readable() return ffi.C.fd_poll(ffi.new("struct fd_poll", { fd, 1, 0 }), 1, 0) == 1 end
      local fail = cuda.kernel "__global__ void fail() { __trap(); }"
      local s, held = cuda.Stream(), setmetatable({}, { __mode = "v" })
      local function schedule()
        local function f() print "called" end
        held[1] = f
        s:on_complete(f)
      end
      local function alive()
        collectgarbage()
        collectgarbage()
        return held[1] ~= nil
      end
      fail { block = 1, stream = s }
      coroutine.wrap(schedule)()
      print(readable(), alive())
    ]=] .. program, "CUDALUA_DRIVER=soft 2>&1"))
  end

  it("cuda.Stream:on_complete drops its function behind a kernel that failed, and cuda.poll raises the fault once",
    function()
      local program = [[
        local ok, err = pcall(%s)
        print(ok, err.class, readable(), alive())
        local raised, again = pcall(cuda.poll)
        print(raised, again.class, again.sticky, again.code == err.code, again.detail == err.detail)
        print(readable(), pcall(cuda.poll))
        print(pcall(s.on_complete, s, print))
      ]]
      for _, call in ipairs { "s.synchronize, s", "cuda.Context.synchronize", "cuda.Stream.is_done, s" } do
        local out = behind_fault(program:format(call))
        assert.truthy(out:find("^false\ttrue\nfalse\tLaunchError\ttrue\tfalse\nfalse\tLaunchError\ttrue\ttrue\ttrue" ..
          "\nfalse\ttrue\t0\nfalse\t"), out)
        assert.is_nil(out:find("called", 1, true))
      end
    end)

  it("cuda.Stream:on_complete releases its function when the context goes, with a fault or without one", function()
    local out = behind_fault [[
      ctx:detach()
      print(readable(), alive())
      local ok, err = pcall(cuda.poll)
      print(ok, err.sticky, readable())
    ]]
    assert.truthy(out:find "\nfalse\ttrue\ntrue\tfalse\nfalse\ttrue\tfalse\n$", out)
    assert.is_nil(out:find("called", 1, true))
    out = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local held = setmetatable({}, { __mode = "k" })
      for _ = 1, 3 do
        coroutine.wrap(function()
          local ctx = cuda.Device(0):make_context()
          local s = cuda.Stream()
          local function f() held.called = true end
          held[f] = true
          s:on_complete(f)
          ctx:detach()
        end)()
        print(cuda.poll())
      end
      collectgarbage()
      collectgarbage()
      held.called = nil
      print(next(held))
    ]], gpu.driver)
    assert.truthy(out:find "^[01]\n[01]\n[01]\nnil\n$", out)
  end)

  it("a stream dropped with work pending keeps what that work uses, and nobody waits", function()
    cuda.collect()
    local mem, host = cuda.mem_alloc(4), ffi.new("int[1]", 42)
    local kept = setmetatable({ host }, { __mode = "v" })
    local function put()
      local s = cuda.Stream "non_blocking"
      busy(s)
      core.memcpy_htod_async(mem, ffi.new("const void *[1]", host), 4, s, host)
    end
    if soft then soft.log "clear" soft.log "on" end
    put()
    host = nil
    cuda.collect()
    assert.is_true(kept[1] ~= nil)
    if soft then
      assert.equal(0, calls "cuStreamDestroy_v2")
      assert.equal(0, calls "cuStreamSynchronize")
    end
    cuda.Context.synchronize()
    cuda.collect()
    assert.is_true(kept[1] == nil)
    if soft then
      soft.log "off"
      assert.equal(1, calls "cuStreamDestroy_v2")
    end
    assert.equal(42, int_of(mem))
  end)

  it("a stream closed with work pending keeps what that work uses", function()
    local mem, s = cuda.mem_alloc(4), cuda.Stream "non_blocking"
    local kept = setmetatable({}, { __mode = "v" })
    local function put()
      local host = ffi.new("int[1]", 43)
      kept[1] = host
      busy(s)
      core.memcpy_htod_async(mem, ffi.new("const void *[1]", host), 4, s, host)
    end
    put()
    s:close()
    collectgarbage()
    collectgarbage()
    assert.is_true(kept[1] ~= nil)
    cuda.Context.synchronize()
    assert.equal(43, int_of(mem))
    cuda.poll()
    collectgarbage()
    assert.is_true(kept[1] == nil)
  end)

  it("streams are given back to the driver", function()
    if not soft then return pending "needs the list of what is alive" end
    cuda.collect()
    local before = soft.stats().live_streams
    for _ = 1, 10 do cuda.Stream() end
    cuda.collect()
    assert.equal(before, soft.stats().live_streams)
    soft.fail("cuStreamCreate", 1, 2)
    gpu.error_of("MemoryError", cuda.Stream)
    soft.fail("cuStreamCreateWithPriority", 1, 2)
    gpu.error_of("MemoryError", cuda.Stream, { priority = 0 })
    soft.fail("cuStreamDestroy_v2", 1, 999)
    local s = cuda.Stream()
    gpu.error_of("Error", s.close, s)
    gpu.raises("LogicError", "was closed", s.synchronize, s)
  end)
end)
