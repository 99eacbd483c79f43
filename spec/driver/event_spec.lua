local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

local soft = gpu.soft and require "cudalua.softgpu"

describe("events", function()
  local context, spin
  before_each(function()
    context = gpu.context()
    spin = spin or cuda.SourceModule([[
      __global__ void spin(long long cycles) {
        long long start = clock64();
        while (clock64() - start < cycles) {}
      }
    ]]):get_function "spin"
  end)

  -- Puts work into s that is not done when it returns: a GPU takes 50 ms, the software device waits to be asked.
  local function busy(s) spin(gpu.soft and 1000 or 1e8, { block = 1, stream = s }) end

  it("cuda.Event makes one, cuda.Event:close ends it", function()
    local e = cuda.Event()
    assert.matches("^cudalua.Event: 0x", tostring(e))
    assert.is_true(e:handle() > 0)
    assert.is_nil(e:close())
    for _, method in ipairs { "record", "synchronize", "query", "handle", "context", "ipc_handle", "close" } do
      gpu.raises("LogicError", "was closed at", e[method], e)
    end
    for _, method in ipairs { "time_since", "time_till" } do
      gpu.raises("LogicError", "was closed at", e[method], e, cuda.Event())
      local other = cuda.Event()
      gpu.raises("LogicError", "was closed at", other[method], other, e)
    end
  end)

  it("cuda.Event takes flags by number, by name and as a list", function()
    for _, flags in ipairs { 0, 1, 2, 3, "blocking_sync", "DISABLE_TIMING", { "blocking_sync", "disable_timing" },
      { flags = "blocking_sync" }, {} } do
      assert.is_true(cuda.Event(flags):query())
    end
    if soft then
      soft.log "clear"
      soft.log "on"
      cuda.Event { "blocking_sync", "disable_timing" }
      soft.log "off"
      local text
      for _, call in ipairs(soft.calls()) do text = call.symbol == "cuEventCreate" and call.text or text end
      assert.matches("flags=3", text)
    end
    gpu.raises("LogicError", "INTERPROCESS needs DISABLE_TIMING", cuda.Event, "interprocess")
    gpu.raises("LogicError", "INTERPROCESS needs DISABLE_TIMING", cuda.Event, 4)
    gpu.raises("LogicError", "flags", cuda.Event, 8)
    gpu.raises("LogicError", "flags", cuda.Event, "blocking")
    gpu.raises("LogicError", "unknown option", cuda.Event, { flag = 1 })
    gpu.refuses_nonsense(cuda.Event, { ["nil"] = true, table = true })
    for _, method in ipairs { "record", "synchronize", "query", "handle", "context", "ipc_handle", "close",
      "time_since", "time_till" } do
      gpu.refuses_nonsense(cuda.Event[method])
    end
  end)

  it("cuda.Event:record, cuda.Event:query, cuda.Event:synchronize", function()
    local s, e = cuda.Stream "non_blocking", cuda.Event()
    assert.is_true(e:query()) -- never recorded
    assert.equal(e, e:synchronize())
    busy(s)
    assert.equal(e, e:record(s))
    assert.is_false(e:query())
    assert.equal(e, e:synchronize())
    assert.is_true(e:query())
    assert.is_true(s:is_done())
    busy(s)
    e:record(s)
    busy(s)
    while not e:query() do end
    assert.is_false(s:is_done()) -- what came after it is still there
    s:synchronize()
    gpu.refuses_nonsense(function(v) return e:record(v) end, { ["nil"] = true })
  end)

  it("cuda.Event:record without a stream goes to the legacy stream, which waits for the others", function()
    local s, e = cuda.Stream(), cuda.Event()
    busy(s)
    e:record()
    e:synchronize()
    assert.is_true(s:is_done())
    e:record(cuda.per_thread_stream):synchronize()
    assert.is_true(e:query())
  end)

  it("cuda.Event:record refuses a stream of another context before the driver sees it", function()
    local e = cuda.Event()
    local other = cuda.Device(0):make_context()
    local s = cuda.Stream()
    if soft then soft.log "clear" soft.log "on" end
    gpu.raises("LogicError", "another context", e.record, e, s)
    gpu.raises("LogicError", "belongs to another", e.record, e)
    gpu.raises("LogicError", "belongs to another", e.record, e, cuda.per_thread_stream)
    if soft then
      soft.log "off"
      for _, call in ipairs(soft.calls()) do assert.are_not.equal("cuEventRecord", call.symbol) end
    end
    cuda.Context.pop()
    gpu.raises("LogicError", "another context", e.record, e, s)
    assert.equal(e, e:record())
    other:detach()
    gpu.raises("LogicError", "its Context is gone", e.record, e, s)
    s = cuda.Stream()
    cuda.Device(0):make_context()
    assert.equal(e, e:record(s)) -- an explicit stream of its own context: whatever is current
    cuda.Context.get_current():detach()
    assert.equal(context, e:context())
  end)

  it("cuda.Event:context", function()
    assert.equal(context, cuda.Event():context())
  end)

  it("cuda.Event:handle is what other code takes", function()
    local e = cuda.Event()
    assert.is_true(e:handle() > 0)
    assert.equal(e:handle(), e:handle())
    assert.are_not.equal(e:handle(), cuda.Event():handle())
  end)

  it("cuda.Event:time_since and cuda.Event:time_till give milliseconds", function()
    local s, start, stop = cuda.Stream(), cuda.Event(), cuda.Event()
    start:record(s)
    busy(s)
    stop:record(s):synchronize()
    local ms = stop:time_since(start)
    assert.equal(ms, start:time_till(stop))
    assert.equal(-ms, stop:time_till(start))
    assert.equal(0, start:time_till(start))
    if gpu.soft then
      assert.is_true(ms > 0 and ms < 1000, ms)
    else
      assert.is_true(ms > 20 and ms < 500, ms) -- 1e8 cycles at 0.2 to 5 GHz
    end
  end)

  it("cuda.Event:time_since of what has no time", function()
    local start, stop = cuda.Event(), cuda.Event()
    local err = gpu.raises("LogicError", "both events must be recorded first", stop.time_since, stop, start)
    assert.equal(cuda.result.INVALID_HANDLE, err.code)
    start:record():synchronize()
    gpu.raises("LogicError", "both events must be recorded first", stop.time_since, stop, start)
    local quick = cuda.Event("disable_timing"):record():synchronize()
    err = gpu.raises("LogicError", "DISABLE_TIMING", quick.time_since, quick, start)
    assert.equal(400, err.code)
    gpu.raises("LogicError", "DISABLE_TIMING", start.time_till, start, quick)
    local s = cuda.Stream "non_blocking"
    busy(s)
    stop:record(s)
    err = gpu.raises("RuntimeError", "not reached both events yet", stop.time_since, stop, start)
    assert.equal(600, err.code)
    stop:synchronize()
    assert.is_true(stop:time_since(start) > 0)
    gpu.refuses_nonsense(function(v) return stop:time_since(v) end)
    gpu.refuses_nonsense(function(v) return stop:time_till(v) end)
  end)

  it("cuda.Event:time_since with a driver that has the older form of the call only", function()
    if not soft then return pending "needs a driver of another version" end
    local out = gpu.child([[
      local cuda, soft = require "cudalua", require "cudalua.softgpu"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      soft.log "on"
      local a, b = cuda.Event():record(), cuda.Event():record():synchronize()
      local ms = b:time_since(a)
      local seen = {}
      for _, call in ipairs(soft.calls()) do seen[call.symbol] = true end
      print(ms >= 0, seen.cuEventElapsedTime, seen.cuEventElapsedTime_v2)
    ]], gpu.driver .. " CUDALUA_SOFT_VERSION=12040")
    assert.equal("true\ttrue\tnil\n", out)
  end)

  it("cuda.Event:ipc_handle and cuda.Event.from_ipc_handle go to another process", function()
    local e = cuda.Event { "interprocess", "disable_timing" }
    local handle = e:ipc_handle()
    assert.equal(64, #handle)
    gpu.raises("LogicError", "interprocess", cuda.Event().ipc_handle, cuda.Event())
    gpu.refuses_nonsense(cuda.Event.from_ipc_handle)
    gpu.raises("LogicError", "64 bytes", cuda.Event.from_ipc_handle, handle .. "x")
    gpu.raises("LogicError", "64 bytes", cuda.Event.from_ipc_handle, "")
    local ok, err = pcall(cuda.Event.from_ipc_handle, ("\0"):rep(64))
    assert.is_false(ok)
    assert.is_true(cuda.is_error(err))
    e:record():synchronize()
    local hex = handle:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
    local out = gpu.child(([[
      local cuda = require "cudalua"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local handle = ("%s"):gsub("..", function(x) return string.char(tonumber(x, 16)) end)
      local e = cuda.Event.from_ipc_handle(handle)
      e:synchronize()
      local s = cuda.Stream()
      s:wait_for_event(e)
      s:synchronize()
      print(e:query())
      e:close()
    ]]):format(hex), gpu.driver)
    assert.equal("true\n", out)
    assert.is_true(e:query())
  end)

  it("events are given back to the driver", function()
    if not soft then return pending "needs the list of what is alive" end
    cuda.collect()
    local before = soft.stats().live_events
    for _ = 1, 10 do cuda.Event():record() end
    cuda.collect()
    assert.equal(before, soft.stats().live_events)
    soft.fail("cuEventCreate", 1, 2)
    gpu.error_of("MemoryError", cuda.Event)
    local e = cuda.Event()
    soft.fail("cuEventRecord", 1, 999)
    gpu.error_of("Error", e.record, e)
    soft.fail("cuEventSynchronize", 1, 999)
    gpu.error_of("Error", e.synchronize, e)
    soft.fail("cuEventQuery", 1, 999)
    gpu.error_of("Error", e.query, e)
    assert.is_true(e:query())
  end)
end)
