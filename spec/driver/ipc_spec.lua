-- Device memory of other processes.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"
local soft = gpu.soft and require "cudalua.softgpu"

local function hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
local function from_hex(s) return (s:gsub("..", function(h) return string.char(tonumber(h, 16)) end)) end

local function text_at(mem, n)
  local out = ffi.new("char[?]", n)
  cuda.memcpy_dtoh(out, mem)
  return ffi.string(out, n)
end

local prelude = [[
  local cuda, ffi = require "cudalua", require "ffi"
  cuda.init()
  local ctx = cuda.Device(0):make_context()
  local function hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
  local function from_hex(s) return (s:gsub("..", function(h) return string.char(tonumber(h, 16)) end)) end
  local function text_at(mem, n)
    local out = ffi.new("char[?]", n)
    cuda.memcpy_dtoh(out, mem)
    return ffi.string(out, n)
  end
]]

-- A process beside this one: lines go both ways until stop().
local function partner(code)
  local script, fifo = os.tmpname(), os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write(prelude, code)
  file:close()
  os.remove(fifo)
  os.execute("mkfifo " .. fifo)
  local luajit = arg and arg[-1] and arg[-1]:find "luajit" and arg[-1] or "luajit"
  local from = assert(io.popen(("%s %s %s 2>&1 <%s"):format(gpu.driver, luajit, script, fifo)))
  local to = assert(io.open(fifo, "w"))
  return {
    read = function() return from:read "*l" end,
    write = function(line)
      to:write(line, "\n")
      to:flush()
    end,
    stop = function()
      to:close()
      local rest = from:read "*a"
      from:close()
      os.remove(script)
      os.remove(fifo)
      return rest
    end,
  }
end

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
    gpu.raises("LogicError", "the device does not reach", cuda.mem_get_ipc_handle, cuda.ndarray.zeros(4))
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
