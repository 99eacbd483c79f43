-- Device memory and events of other processes.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"
local beside = require "spec.support.partner"
local soft = gpu.soft and require "cudalua.softgpu"

local hex, from_hex = beside.hex, beside.from_hex

local function text_at(mem, n)
  local out = ffi.new("char[?]", n)
  cuda.memcpy_dtoh(out, mem)
  return ffi.string(out, n)
end

local prelude = beside.prelude .. [[
  local ctx = cuda.Device(0):make_context()
  local function text_at(mem, n)
    local out = ffi.new("char[?]", n)
    cuda.memcpy_dtoh(out, mem)
    return ffi.string(out, n)
  end
]]

-- A process beside this one, with a context on the same device.
local function partner(code) return beside.start(prelude .. code, gpu.driver) end

describe("memory of other processes", function()
  before_each(gpu.context)

  it("cuda.mem_get_ipc_handle: another process reads and writes what it gets", function()
    local mem = cuda.to_device "made by the parent"
    local handle = cuda.mem_get_ipc_handle(mem)
    assert.equal(64, #handle)
    assert.equal(handle, cuda.mem_get_ipc_handle(mem:ptr()))
    cuda.Context.synchronize()
    local out, ok = gpu.child(prelude .. ([[
      local theirs = cuda.IPCMemoryHandle(from_hex "%s")
      print(text_at(theirs, 18))
      print(#theirs >= 18)
      local fn = cuda.SourceModule "__global__ void shout(char *p) { p[threadIdx.x] -= 32; }":get_function "shout"
      fn(theirs, { block = 4 })
      cuda.memcpy_htod(theirs + 12, "child!")
      cuda.Context.synchronize()
      theirs:close()
    ]]):format(hex(handle)), gpu.driver)
    assert.equal("made by the parent\ntrue\n", out)
    assert.is_true(ok)
    assert.equal("MADE by the child!", text_at(mem, 18))
  end)

  it("cuda.IPCMemoryHandle opens what another process made, cuda.IPCMemoryHandle:ptr is where it is here, " ..
    "cuda.IPCMemoryHandle:close lets go of it", function()
    local p = partner [[
      local mem = cuda.to_device "made by the child."
      cuda.Context.synchronize()
      print(hex(cuda.mem_get_ipc_handle(mem)))
      io.stdout:flush()
      io.read()
      print(text_at(mem, 18))
    ]]
    local handle = from_hex(p.read())
    local mine = cuda.IPCMemoryHandle(handle, "lazy_enable_peer_access")
    assert.equal("IPCMemoryHandle", core.kind(mine))
    assert.equal("made by the child.", text_at(mine, 18))
    assert.equal("child.", text_at(mine + 12, 6))
    assert.equal("child.", text_at(mine:ptr() + 12, 6))
    local copy = cuda.mem_alloc(18)
    cuda.memcpy_dtod(copy, mine, 18)
    assert.equal("made by the child.", text_at(copy, 18))
    local again = cuda.IPCMemoryHandle(handle)
    assert.equal("made", text_at(again, 4))
    again:close()
    cuda.memset_d8(mine + 12, ("X"):byte(), 6)
    cuda.Context.synchronize()
    local view = mine + 12
    assert.is_nil(mine:close())
    if soft then
      soft.log "on"
      soft.log "clear"
    end
    for _, f in pairs(core.classes.IPCMemoryHandle) do gpu.raises("LogicError", "was closed at", f, mine) end
    gpu.raises("LogicError", "was closed at", cuda.memcpy_dtoh, ffi.new "char[4]", mine)
    gpu.raises("LogicError", "is gone", cuda.memset_d8, view, 0, 1)
    gpu.raises("LogicError", "was closed at", function() return mine + 1 end)
    if soft then
      assert.same({}, soft.calls())
      soft.log "off"
    end
    assert.equal("cudalua.IPCMemoryHandle (closed)", tostring(mine))
    p.write "done"
    assert.equal("made by the XXXXXX\n", p.stop())
  end)

  it("dropped handles are closed, and end with their context", function()
    local p = partner [[
      local mem = cuda.to_device "0123456789"
      cuda.Context.synchronize()
      print(hex(cuda.mem_get_ipc_handle(mem)))
      io.stdout:flush()
      io.read()
    ]]
    local line = p.read()
    local out, ok = gpu.child(prelude .. ([[
      local core = require "cudalua.core"
      local soft = cuda.driver_info().soft and require "cudalua.softgpu"
      local function imported() return soft and soft.stats().live_imported or 0 end
      local handle = from_hex "%s"
      for i = 1, 3 do
        local theirs = cuda.IPCMemoryHandle(handle)
        assert(text_at(theirs, 10) == "0123456789")
        theirs = nil
        cuda.collect()
        assert(imported() == 0)
      end
      local theirs = cuda.IPCMemoryHandle(handle)
      local s, dest = cuda.Stream "non_blocking", cuda.mem_alloc(10)
      cuda.memcpy_dtod_async(dest, theirs, 10, s)
      theirs = nil
      collectgarbage() collectgarbage()
      s:synchronize()
      assert(text_at(dest, 10) == "0123456789")
      theirs = cuda.IPCMemoryHandle(handle)
      ctx:detach()
      local good, err = pcall(theirs.close, theirs)
      assert(not good and err.message:find "its Context is gone", err)
      ctx = cuda.Device(0):make_context()
      theirs = nil
      cuda.collect()
      last = cuda.IPCMemoryHandle(handle) -- open when the state closes
      assert(core.failed_destroys() == 0 and (not soft or soft.stats().stale == 0))
      print "fine"
      os.exit(0, true)
    ]]):format(line), gpu.driver .. " CUDALUA_SOFT_LEAKS=on")
    assert.equal("fine\n", out)
    assert.is_true(ok)
    p.write "done"
    assert.equal("", p.stop())
  end)

  it("cuda.IPCMemoryHandle refuses what is no handle", function()
    gpu.refuses_nonsense(cuda.IPCMemoryHandle)
    for _, n in ipairs { 0, 1, 63, 65, 128 } do
      gpu.raises("LogicError", "64 bytes", cuda.IPCMemoryHandle, ("x"):rep(n))
    end
    for _, garbage in ipairs { ("\0"):rep(64), ("\255"):rep(64), ("garbage!"):rep(8) } do
      gpu.error_of("Error", cuda.IPCMemoryHandle, garbage)
    end
    local mem = cuda.mem_alloc(64)
    local handle = cuda.mem_get_ipc_handle(mem)
    local err = gpu.error_of("LogicError", cuda.IPCMemoryHandle, handle)
    assert.equal(201, err.code)
    assert.matches("in the process that made it", tostring(err))
    gpu.refuses_nonsense(function(v) cuda.IPCMemoryHandle(handle, v) end, { ["nil"] = true, table = true })
    gpu.raises("LogicError", "flags", cuda.IPCMemoryHandle, handle, 2)
    gpu.refuses_nonsense(cuda.IPCMemoryHandle.close)
    local s = cuda.Stream()
    s:capture(function() gpu.raises("LogicError", "being captured", cuda.IPCMemoryHandle, handle) end)
    if soft then
      local live = soft.stats().live_imported
      for _, code in ipairs { 1, 2, 201, 205, 999 } do
        soft.fail("cuIpcOpenMemHandle_v2", 1, code)
        assert.equal(code, gpu.error_of("Error", cuda.IPCMemoryHandle, handle).code)
      end
      assert.equal(live, soft.stats().live_imported)
    end
    assert.equal(64, #mem)
  end)

  it("a handle whose process or memory is gone cannot be opened", function()
    local out = gpu.child(prelude .. [[
      local mem = cuda.to_device "0123456789"
      print(hex(cuda.mem_get_ipc_handle(mem)))
      local freed = cuda.mem_alloc(64)
      print(hex(cuda.mem_get_ipc_handle(freed)))
    ]], gpu.driver)
    local count = 0
    for line in out:gmatch "%x+" do
      gpu.error_of("Error", cuda.IPCMemoryHandle, from_hex(line))
      count = count + 1
    end
    assert.equal(2, count)
    local p = partner [[
      local mem = cuda.to_device "0123456789"
      print(hex(cuda.mem_get_ipc_handle(mem)))
      mem:free()
      cuda.Context.synchronize()
      print "freed"
      io.stdout:flush()
      io.read()
    ]]
    local handle = from_hex(p.read())
    assert.equal("freed", p.read())
    gpu.error_of("Error", cuda.IPCMemoryHandle, handle)
    p.write "done"
    assert.equal("", p.stop())
    assert.equal("works", text_at(cuda.to_device "works", 5))
  end)

  it("cuda.mem_get_ipc_handle refuses what cannot be shared", function()
    local mem = cuda.mem_alloc(64)
    gpu.refuses_nonsense(cuda.mem_get_ipc_handle)
    gpu.raises("LogicError", "share its start", cuda.mem_get_ipc_handle, mem + 8)
    gpu.raises("LogicError", "share its start", cuda.mem_get_ipc_handle, mem:ptr() + 8)
    gpu.raises("LogicError", "memory of a pool", cuda.mem_get_ipc_handle, cuda.mem_alloc_async(64))
    gpu.raises("LogicError", "memory of a pool", cuda.mem_get_ipc_handle, cuda.DeviceMemoryPool():allocate(64))
    gpu.raises("LogicError", "a HostAllocation cannot", cuda.mem_get_ipc_handle, cuda.pagelocked_empty(4))
    gpu.raises("LogicError", "a ManagedAllocation cannot", cuda.mem_get_ipc_handle, cuda.managed_empty(4).base)
    gpu.raises("LogicError", "which the device cannot", cuda.mem_get_ipc_handle, cuda.ndarray.zeros(4))
    gpu.error_of("LogicError", cuda.mem_get_ipc_handle, 64)
    assert.equal(64, #cuda.mem_get_ipc_handle(mem + 0))
    mem:free()
    gpu.raises("LogicError", "was freed at", cuda.mem_get_ipc_handle, mem)
    if soft then
      soft.fail("cuIpcGetMemHandle", 1, 801)
      assert.equal(801, gpu.error_of("LogicError", cuda.mem_get_ipc_handle, cuda.mem_alloc(64)).code)
    end
  end)
end)

-- Both sides: memory of n numbers, an event for each side's turns, and a kernel that takes its time.
local turns = [[
  local n = 1000
  local soft = cuda.driver_info().soft
  local late = cuda.SourceModule [=[
    __global__ void late(int *x, int n, int turns, int factor, int add) {
      int v = threadIdx.x;
      for (int i = 0; i < turns; i++) v = v * 3 + 1;
      for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = v == 123456789 ? v : x[i] * factor + add;
    }
  ]=]:get_function "late"
  local s = cuda.Stream "non_blocking"
  local function put(mem, factor, add)
    late(mem, n, soft and 100 or 20000000, factor, add, { block = 256, stream = s })
  end
  local function interprocess() return cuda.Event { "interprocess", "disable_timing" } end
]]

describe("events of other processes", function()
  before_each(gpu.context)

  it("cuda.Event.from_ipc_handle: work of one process waits for work of another, there and back", function()
    local rounds = 6
    local p = partner(turns .. ([[
      local mem, mine = cuda.to_device(ffi.new("int[?]", n)), interprocess()
      ctx:synchronize()
      say(hex(cuda.mem_get_ipc_handle(mem)))
      say(hex(mine:ipc_handle()))
      local theirs = cuda.Event.from_ipc_handle(from_hex(io.read()))
      for round = 1, %d do
        if round > 1 then s:wait_for_event(theirs) end
        put(mem, 2, round) -- x = 2 x + round
        mine:record(s)
        say "put"
        assert(io.read() == "put")
      end
      s:wait_for_event(theirs)
      local out = ffi.new("int[?]", n)
      cuda.memcpy_dtoh_async(out, mem, s)
      s:synchronize()
      say(out[0], out[n - 1])
      io.read()
    ]]):format(rounds))
    local handle, event = p.read(), p.read()
    local out, ok = gpu.child(prelude .. "print 'warm'", gpu.driver) -- a third process changes nothing
    assert.same({ "warm\n", true }, { out, ok })
    local mem, theirs = cuda.IPCMemoryHandle(from_hex(handle)), cuda.Event.from_ipc_handle(from_hex(event))
    local mine = cuda.Event { "interprocess", "disable_timing" }
    p.write(hex(mine:ipc_handle()))
    local s = cuda.Stream "non_blocking"
    local late = cuda.SourceModule [[
      __global__ void late(int *x, int n, int turns) {
        int v = threadIdx.x;
        for (int i = 0; i < turns; i++) v = v * 3 + 1;
        for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = v == 123456789 ? v : 3 * x[i];
      }
    ]]:get_function "late"
    local expected = 0
    for round = 1, rounds do
      assert.equal("put", p.read())
      s:wait_for_event(theirs)
      late(mem, 1000, soft and 100 or 20000000, { block = 256, stream = s }) -- x = 3 x
      mine:record(s)
      p.write "put"
      expected = (2 * expected + round) * 3
    end
    assert.equal(("%d\t%d"):format(expected, expected), p.read())
    s:synchronize()
    assert.is_true(theirs:query())
    assert.equal(theirs, theirs:synchronize())
    mem:close()
    theirs:close()
    gpu.raises("LogicError", "was closed at", theirs.query, theirs)
    p.write "done"
    assert.equal("", p.stop())
  end)

  it("cuda.Event:ipc_handle is that of one event, whichever process records it last", function()
    local p = partner(turns .. [[
      local e = interprocess()
      say(hex(e:ipc_handle()))
      assert(io.read() == "recorded")
      e:synchronize()
      say(e:query())
      s:wait_for_event(e)
      s:synchronize()
      e:record(s)
      say "again"
      io.read()
    ]])
    local e = cuda.Event.from_ipc_handle(from_hex(p.read()))
    assert.is_true(e:query()) -- never recorded
    local s = cuda.Stream()
    e:record(s)
    p.write "recorded"
    assert.equal("true", p.read())
    assert.equal("again", p.read())
    e:synchronize()
    local own = cuda.Event()
    gpu.error_of("Error", e.time_since, e, own:record():synchronize()) -- it has no time
    e:record(s):synchronize()
    p.write "done"
    assert.equal("", p.stop())
  end)

  it("cuda.Event.from_ipc_handle refuses handles of this process, of memory, and of what is gone", function()
    local e = cuda.Event { "interprocess", "disable_timing" }
    gpu.error_of("LogicError", cuda.Event.from_ipc_handle, e:ipc_handle())
    local mem = cuda.mem_alloc(64)
    gpu.error_of("Error", cuda.Event.from_ipc_handle, cuda.mem_get_ipc_handle(mem))
    gpu.error_of("Error", cuda.IPCMemoryHandle, e:ipc_handle())
    local out = gpu.child(prelude .. [[
      local e = cuda.Event { "interprocess", "disable_timing" }
      print(hex(e:ipc_handle()))
    ]], gpu.driver)
    gpu.error_of("Error", cuda.Event.from_ipc_handle, from_hex(out:match "%x+"))
    local s = cuda.Stream()
    s:begin_capture()
    gpu.raises("LogicError", "being captured", s.synchronize, s)
    s:end_capture()
    assert.equal("works", text_at(cuda.to_device "works", 5))
  end)
end)

-- Each importer is a process of its own: what a GPU does to it is its own affair, but it does not crash.
describe("a process that ends while others have its memory and its events", function()
  local exporter = turns .. [[
    local mem, e = cuda.to_device(ffi.new("int[?]", n)), interprocess()
    put(mem, 0, 7)
    e:record(s)
    s:synchronize()
    say(hex(cuda.mem_get_ipc_handle(mem)))
    say(hex(e:ipc_handle()))
    io.read()
    %s
  ]]
  local importer = turns .. [[
    local theirs, event = cuda.IPCMemoryHandle(from_hex(io.read())), cuda.Event.from_ipc_handle(from_hex(io.read()))
    local out = ffi.new("int[?]", n)
    cuda.memcpy_dtoh(out, theirs, { nbytes = 4 * n })
    say(out[0], out[n - 1])
    assert(io.read() == "ended")
    local function try(works, f)
      local ok, err = pcall(f)
      if not ok and not cuda.is_error(err) then error(err, 0) end
      if soft and works and not ok then error(err, 0) end -- the software device keeps the memory
    end
    try(false, function() event:query() end)
    try(false, function() s:wait_for_event(event) end)
    try(true, function() cuda.memcpy_dtoh(out, theirs, { nbytes = 4 * n }) end)
    try(true, function() put(theirs, 1, 1) end)
    try(true, function() s:synchronize() end)
    try(false, function() event:synchronize() end)
    try(false, function() event:record(s) end)
    try(true, function() s:synchronize() end)
    try(true, function() cuda.memcpy_dtoh(out, theirs, { nbytes = 4 * n }) end)
    if soft then assert(out[0] == 8 and out[n - 1] == 8) end
    try(true, function() theirs:close() end)
    try(true, function() event:close() end)
    say "alive"
    os.exit(0, true)
  ]]
  before_each(gpu.context)

  for how, code in pairs { ["returns"] = "", ["closes its state"] = "os.exit(0, true)",
    ["is killed"] = 'ffi.cdef "int getpid(void); int kill(int, int);" ffi.C.kill(ffi.C.getpid(), 9)' } do
    it(how, function()
      local from = partner(exporter:format(code))
      local to = partner(importer)
      to.write(from.read())
      to.write(from.read())
      assert.equal("7\t7", to.read())
      from.write "end"
      assert.equal("", (from.stop():gsub("^Killed\n$", "")))
      to.write "ended"
      assert.equal("alive", (to.read() or "") .. to.stop())
    end)
  end
end)
