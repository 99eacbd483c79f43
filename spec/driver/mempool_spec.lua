-- Pools of the driver's beyond device memory: of the host, managed, and those of other processes.
local ffi = require "ffi"
local beside = require "spec.support.partner"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

local add = [[extern "C" __global__ void add(int *p, int n, int v) { if (threadIdx.x < n) p[threadIdx.x] += v; }]]

-- Adds 7 to what the host wrote, and reads it there.
local function shared_with_host(memory, stream)
  local p = ffi.cast("int *", memory:ptr())
  for i = 0, 31 do p[i] = i end
  cuda.SourceModule(add):get_function "add"(memory, 32, 7, { block = 32, stream = stream })
  stream:synchronize()
  for i = 0, 31 do assert.equal(i + 7, p[i]) end
end

describe("pools by location", function()
  before_each(gpu.context)

  it("cuda.MemoryPool of page-locked memory: host and device use it", function()
    for _, location in ipairs { "host", "host_numa" } do
      local pool, stream = cuda.MemoryPool { location = location }, cuda.Stream "non_blocking"
      assert.equal(cuda.Context.get_device(), pool:get_device())
      local memory = pool:alloc(128, stream)
      stream:synchronize()
      shared_with_host(memory, stream)
      assert.is_true(pool:get_attribute "used_mem_current" >= 128)
      memory:free()
      stream:synchronize()
      assert.equal(0, pool:get_attribute "used_mem_current")
      assert.equal(pool, pool:make_current())
      pool:close()
    end
    assert.is_true(cuda.MemoryPool({ location = "host_numa", numa_node = 0 }):handle() > 0)
  end)

  it("cuda.MemoryPool of managed memory", function()
    for _, location in ipairs { "device", "host", "none" } do
      local pool, stream = cuda.MemoryPool { managed = true, location = location }, cuda.Stream "non_blocking"
      local memory = pool:alloc(128, stream)
      stream:synchronize()
      shared_with_host(memory, stream)
      memory:free()
    end
  end)

  it("the device's current pool stays its own", function()
    cuda.MemoryPool({ location = "host" }):make_current()
    local default = cuda.default_mempool()
    default:make_current()
    local before = default:get_attribute "used_mem_current"
    local a = cuda.mem_alloc_async(1024)
    assert.is_true(default:get_attribute "used_mem_current" >= before + 1024)
    a:free()
  end)

  it("refuses what is no location, and options that do not fit", function()
    gpu.raises("LogicError", '"host_numa"', cuda.MemoryPool, { location = "gpu" })
    gpu.raises("LogicError", "managed = true", cuda.MemoryPool, { location = "none" })
    gpu.raises("LogicError", "numa_node needs location", cuda.MemoryPool, { numa_node = 0 })
    gpu.raises("LogicError", "a boolean", cuda.MemoryPool, { managed = 1 })
    gpu.error_of("LogicError", cuda.MemoryPool, { location = "host_numa", numa_node = 9999 })
    gpu.error_of("LogicError", cuda.MemoryPool, { location = "host", shareable = true })
    for _, name in ipairs { "location", "managed", "shareable", "numa_node" } do
      gpu.refuses_nonsense(function(v) cuda.MemoryPool { [name] = v } end,
        { ["nil"] = true, boolean = name == "managed" or name == "shareable" })
    end
  end)
end)

local importer = [[
  local cuda, ffi = require "cudalua", require "ffi"
  cuda.init()
  local ctx = cuda.Device(0):make_context()
  local function from_hex(s) return (s:gsub("..", function(h) return string.char(tonumber(h, 16)) end)) end
  local pool = cuda.import_mempool(DESCRIPTOR)
  local memory = pool:import_pointer(from_hex "DATA")
  local out = ffi.new "int[4]"
  cuda.memcpy_dtoh(out, memory)
  io.write(out[0], " ", out[3], " ", pcall(pool.alloc, pool, 16) and "allocates" or "allocates nothing", " ",
    pcall(pool.import_pointer, pool, ("\0"):rep(64)) and "takes" or "refuses", " zeros\n")
  cuda.memset_d32(memory, 99, 2)
  local ok, err = pcall(pool.import_pointer, pool, from_hex "DATA")
  io.write(ok and "" or err.class, " ", err.message, "\n")
  memory:free()
  print(pcall(memory.ptr, memory))
  memory = pool:import_pointer(from_hex "DATA")
  cuda.memcpy_dtoh(out, memory)
  print(out[1])
  memory:free()
]]

describe("pools of other processes", function()
  before_each(gpu.context)

  it("cuda.MemoryPool:export, cuda.MemoryPool:export_pointer, cuda.import_mempool, cuda.MemoryPool:import_pointer",
    function()
      pcall(ffi.cdef, "int dup(int); int close(int);")
      local pool = cuda.MemoryPool { shareable = true }
      local memory = pool:alloc(16)
      cuda.memcpy_htod(memory, ffi.new("int[4]", 5, 6, 7, 8))
      local descriptor = pool:export()
      assert.is_true(descriptor > 2)
      local inherited = ffi.C.dup(descriptor) -- the other one closes when a program starts
      local data = pool:export_pointer(memory)
      assert.equal(64, #data)
      local hex = data:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
      local code = importer:gsub("DESCRIPTOR", inherited):gsub("DATA", hex)
      local text, ok = gpu.child(code, gpu.driver)
      ffi.C.close(inherited)
      assert.truthy(text:find("5 8 allocates nothing refuses zeros\nLogicError import_pointer: the memory is " ..
        "already imported;", 1, true), text)
      assert.truthy(text:find "\nfalse\t[^\n]*was freed.*\n99\n$", text)
      assert.is_true(ok)
      local out = ffi.new "int[4]"
      cuda.memcpy_dtoh(out, memory)
      assert.equal(99, out[0])
      assert.equal(7, out[2])
      local own = cuda.import_mempool(descriptor) -- of this process
      assert.are_not.equal(pool, own)
      own:close()
      ffi.C.close(descriptor)
      gpu.raises("LogicError", "not belong to a memory pool", cuda.import_mempool, descriptor)
    end)

  it("that free memory which is still imported elsewhere leave both processes alive", function()
    pcall(ffi.cdef, "int dup(int); int close(int);")
    local softgpu = gpu.soft and require "cudalua.softgpu"
    local stale = softgpu and softgpu.stats().stale
    local pool = cuda.MemoryPool { shareable = true }
    local memory = pool:alloc(16)
    cuda.memcpy_htod(memory, ffi.new("int[4]", 5, 6, 7, 8))
    local descriptor = pool:export()
    local inherited = ffi.C.dup(descriptor)
    local p = beside.start(beside.prelude .. ([[
      local ctx = cuda.Device(0):make_context()
      local pool = cuda.import_mempool(%d)
      local data = from_hex(io.read())
      local memory, out = pool:import_pointer(data), ffi.new "int[4]"
      cuda.memcpy_dtoh(out, memory)
      say(out[3])
      assert(io.read() == "freed")
      for _, f in ipairs { function() cuda.memcpy_dtoh(out, memory) end, function() memory:free() end,
        function() pool:import_pointer(data) end, function() pool:close() end } do
        local ok, err = pcall(f)
        if not ok and not cuda.is_error(err) then error(err, 0) end
      end
      say "alive"
      os.exit(0, true)
    ]]):format(inherited), gpu.driver)
    ffi.C.close(inherited)
    ffi.C.close(descriptor)
    p.write(beside.hex(pool:export_pointer(memory)))
    assert.equal("8", p.read())
    memory:free()
    cuda.Context.synchronize()
    pool:close()
    p.write "freed"
    assert.equal("alive", (p.read() or "") .. p.stop())
    local again = cuda.MemoryPool { shareable = true }
    local fresh, out = again:alloc(16), ffi.new "int[4]"
    cuda.memset_d32(fresh, 3, 4)
    cuda.memcpy_dtoh(out, fresh)
    assert.equal(3, out[3])
    if softgpu then assert.equal(stale, softgpu.stats().stale) end
  end)

  it("refuse bad arguments and leave the thread's capture mode as it was", function()
    ffi.cdef "int cuThreadExchangeStreamCaptureMode(int *mode);"
    local driver = ffi.load(cuda.driver_info().path)
    local thread_local, mode = 1, ffi.new("int[1]", 1)
    assert.equal(0, driver.cuThreadExchangeStreamCaptureMode(mode))
    local before, pool, closed = mode[0], cuda.MemoryPool(), cuda.MemoryPool()
    closed:close()
    for _, call in ipairs { "export", "export_pointer", "make_current", "set_access", "get_attribute",
      "set_attribute" } do
      gpu.error_of("LogicError", pool[call], closed, 0)
      gpu.error_of("LogicError", pool[call], call == "make_current" and 0 or pool, {}, {})
    end
    mode[0] = before
    assert.equal(0, driver.cuThreadExchangeStreamCaptureMode(mode))
    assert.equal(thread_local, mode[0])
  end)

  it("refuse pools that are not shareable, and nonsense", function()
    local pool = cuda.MemoryPool()
    gpu.error_of("LogicError", pool.export, pool)
    gpu.error_of("LogicError", pool.export_pointer, pool, pool:alloc(16))
    gpu.error_of("LogicError", pool.export_pointer, pool, cuda.mem_alloc(16))
    gpu.raises("LogicError", "64 bytes", pool.import_pointer, pool, "short")
    gpu.error_of("LogicError", pool.import_pointer, pool, ("\0"):rep(64))
    gpu.refuses_nonsense(cuda.import_mempool)
    gpu.refuses_nonsense(cuda.MemoryPool.export)
    gpu.refuses_nonsense(cuda.MemoryPool.export_pointer)
    gpu.refuses_nonsense(cuda.MemoryPool.import_pointer)
    gpu.refuses_nonsense(function(v) pool:import_pointer(v) end)
    gpu.refuses_nonsense(function(v) pool:export_pointer(v) end)
  end)
end)
