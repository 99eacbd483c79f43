-- Blocks of pools are larger than what they serve; the software device checks the bounds of what was asked for.
local gpu = require "spec.support.gpu"

-- In front of each script: a device that is there again after each error, and read(memory, type, i), whose result is
-- nil or the error's detail. The place of the line that `made` an array is that of the script.
local support = [[
  local cuda = require "cudalua"
  local softgpu = require "cudalua.softgpu"
  local gpuarray = require "cudalua.gpuarray"
  local ctypes = { float32 = "float", float64 = "double", uint8 = "unsigned char" }
  cuda.init()
  local context
  local function restart()
    softgpu.set_device_count(1)
    context = cuda.Device(0):make_context()
  end
  local function detail_of(f)
    local ok, err = pcall(function()
      f()
      cuda.Context.synchronize()
    end)
    if ok then return nil end
    assert(cuda.is_error(err, "LaunchError") and err.code == 700, tostring(err))
    return err.detail
  end
  local function reader(ctype)
    return cuda.SourceModule(("__global__ void read(%s *o, const %s *x, int i) { o[0] = x[i]; }"):format(ctype, ctype),
      { name = "read.cu" }):get_function "read"
  end
  local function expect(detail, ...)
    assert(detail, "no error")
    for _, text in ipairs { ... } do assert(detail:find(text, 1, true), text .. " is not in " .. detail) end
  end
  restart()
]]

local function fine(script)
  local text = gpu.child(support .. script .. "\nprint 'fine'", gpu.driver)
  assert.equal("fine\n", text)
end

describe("the bounds of arrays on the software device", function()
  if not gpu.soft then
    pending "a GPU does not look"
    return
  end

  it("end at the last element, for any number of elements and each size of theirs", function()
    fine [[
      local sizes = { float32 = 4, float64 = 8, uint8 = 1 }
      for dtype, size in pairs(sizes) do
        for _, n in ipairs { 1, 10, 31, 32, 100, 365, 1000, 1024, 4000, 10000, 250001 } do
          local read = reader(ctypes[dtype])
          local x, o = gpuarray.zeros(n, dtype), gpuarray.empty(1, dtype)
          assert(detail_of(function() read(o, x, n - 1, { block = 1 }) end) == nil)
          expect(detail_of(function() read(o, x, n, { block = 1 }) end),
            ("illegal load of %d bytes"):format(size), "; right after the end of ",
            (" (%d bytes at "):format(n * size))
          restart()
        end
      end
    ]]
  end)

  it("are those of the array that a block serves now, whose line the report names", function()
    fine [[
      local read = reader "float"
      local o = gpuarray.empty(1, "float32")
      for _, sizes in ipairs { { 1000, 1005 }, { 1005, 1000 } } do
        local a = gpuarray.zeros(sizes[1])
        cuda.Context.synchronize()
        local address = tonumber(a.ptr)
        a:release()
        local b = gpuarray.zeros(sizes[2]); local line = debug.getinfo(1, "l").currentline
        assert(tonumber(b.ptr) == address, "another block")
        assert(detail_of(function() read(o, b, sizes[2] - 1, { block = 1 }) end) == nil)
        expect(detail_of(function() read(o, b, sizes[2], { block = 1 }) end),
          (" (%d bytes at "):format(4 * sizes[2]), (":%d)"):format(line))
        restart()
        read, o = reader "float", gpuarray.empty(1, "float32")
      end
    ]]
  end)

  it("of work that was queued before a release are those of then", function()
    fine [[
      local read = reader "float"
      for _, sizes in ipairs { { 1005, 1000 }, { 1000, 1005 } } do
        for over = 0, 1 do
          local o = gpuarray.zeros(1)
          local a = gpuarray.zeros(sizes[1])
          cuda.Context.synchronize()
          read(o, a, sizes[1] - 1 + over, { block = 1 })
          a:release(); local line = debug.getinfo(1, "l").currentline
          local b = gpuarray.zeros(sizes[2])
          local detail = detail_of(function() end)
          if over == 0 then
            assert(detail == nil, detail)
            expect(detail_of(function() read(o, b, sizes[2], { block = 1 }) end),
              (" (%d bytes at "):format(4 * sizes[2]))
          else
            expect(detail, (" (%d bytes at "):format(4 * sizes[1]), "freed after the launch at ", (":%d)"):format(line))
          end
          restart()
          read = reader "float"
        end
      end
    ]]
  end)

  it("do not take in what was released: the report names who released it", function()
    fine [[
      local read = reader "float"
      local o, x = gpuarray.zeros(1), gpuarray.zeros(1000)
      cuda.Context.synchronize()
      local address = tonumber(x.ptr)
      x:release(); local line = debug.getinfo(1, "l").currentline
      expect(detail_of(function() read(o, cuda.pointer(address), 0, { block = 1 }) end),
        "the memory was freed: 0 bytes into what was ", "(4000 bytes at ", (":%d"):format(line))
    ]]
  end)

  it("are exact for blocks of the user's pools, too", function()
    fine [[
      local read = reader "unsigned char"
      local pool = cuda.DeviceMemoryPool()
      local o, x = cuda.mem_alloc(1), pool:allocate(1001)
      cuda.memset_d8(x, 0, 1001)
      assert(detail_of(function() read(o, x, 1000, { block = 1 }) end) == nil)
      expect(detail_of(function() read(o, x, 1001, { block = 1 }) end), "(1001 bytes at ")
      restart()
      read = reader "unsigned char"
      local host = cuda.PageLockedMemoryPool():allocate(1001, "uint8")
      o = cuda.mem_alloc(1)
      expect(detail_of(function() read(o, host, 1001, { block = 1 }) end), "(1001 bytes at ")
    ]]
  end)

  it("are reported by the next error if a finalizer met the fault first", function()
    fine [[
      local source = "__global__ void over(float *y) { y[threadIdx.x] = 1; }"
      for _, drop in ipairs { function() -- memory
        local m = cuda.mem_alloc(400)
        cuda.kernel(source)(m, { block = 128 })
      end, function() cuda.kernel(source)(gpuarray.empty(100), { block = 128 }) end } do
        drop()
        cuda.collect()
        local ok, err = pcall(cuda.Context.synchronize)
        assert(not ok and err.code == 700, tostring(err))
        expect(err.detail, "kernel over", "thread (100,0,0)", "(400 bytes at ")
        ok, err = pcall(cuda.Context.synchronize)
        assert(not ok and err.code == 700, tostring(err))
        expect(err.detail, "kernel over", "(400 bytes at ") -- kept for later errors of the lost device
        restart()
      end
    ]]
  end)

  it("leave a pool's memory with the driver: it is freed and counted as before", function()
    fine [[
      local pool = cuda.DeviceMemoryPool()
      local before = softgpu.stats().live_allocs
      local a, b = pool:allocate(1000), pool:allocate(1000)
      a:free()
      assert(softgpu.stats().live_allocs == before + 2 and pool.held_blocks == 1)
      pool:free_held()
      assert(softgpu.stats().live_allocs == before + 1)
      b:free()
      pool:stop_holding()
      local stats = softgpu.stats()
      assert(stats.live_allocs == before and stats.stale == 0 and stats.damaged == 0)
    ]]
  end)

  it("an array that is too large names the size that was requested, once", function()
    fine [[
      local ok, err = pcall(gpuarray.empty, 1e12)
      assert(not ok and cuda.is_error(err, "MemoryError"))
      local _, count = tostring(err):gsub("4000000000000", "")
      assert(count == 1, tostring(err))
      assert(not tostring(err):find "%d%d%d%d%d%d%d%d%d%d%d%d%d" or
        tostring(err):gsub("4000000000000", ""):find "%d%d%d%d%d%d%d%d%d%d%d%d%d" == nil, tostring(err))
    ]]
  end)
end)
