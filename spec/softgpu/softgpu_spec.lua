local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local softgpu = require "cudalua.softgpu"

describe("the software device's switches", function()
  if not gpu.soft then
    it("softgpu.control softgpu.log softgpu.calls softgpu.fail softgpu.fail_clear softgpu.stats softgpu.leaks " ..
      "softgpu.set_device_count raise on another driver, softgpu.active is false", function()
      assert.is_false(softgpu.active())
      for _, f in ipairs { softgpu.calls, softgpu.stats, softgpu.leaks, softgpu.fail_clear } do
        gpu.raises("LogicError", "not in use", f)
      end
      gpu.raises("LogicError", "not in use", softgpu.control, "version")
      gpu.raises("LogicError", "not in use", softgpu.log, "on")
      gpu.raises("LogicError", "not in use", softgpu.fail, "cuMemAlloc_v2")
      gpu.raises("LogicError", "not in use", softgpu.set_device_count, 2)
    end)
    return
  end
  before_each(gpu.context)
  after_each(function()
    softgpu.log "off"
    softgpu.fail_clear()
  end)

  it("softgpu.active, softgpu.control", function()
    assert.is_true(softgpu.active())
    assert.is_true(#softgpu.control "version" > 0)
    gpu.raises("LogicError", "software device", softgpu.control, "no such command")
    gpu.refuses_nonsense(softgpu.control)
  end)

  it("refuses a kernel with more than 48 KiB of static shared memory", function()
    local source = "__global__ void k(float *a) { __shared__ float s[%d]; s[threadIdx.x] = a[threadIdx.x]; " ..
      "__syncthreads(); a[threadIdx.x] = s[31 - threadIdx.x]; }"
    local err = gpu.error_of("CompileError", cuda.kernel, source:format(100000))
    assert.equal(218, err.code)
    local text = "error   : Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)"
    assert.truthy(err.log:find(text, 1, true), err.log)
    gpu.error_of("CompileError", cuda.kernel, source:format(12289))
    local a = cuda.gpuarray.arange(32, "float32")
    cuda.kernel(source:format(12288))(a, { block = 32 })
    assert.equal(31, a:item(1))
  end)

  it("accepts newer minor versions of PTX, and names the remedy for a newer major version", function()
    local code = ".version %s\n.target sm_80\n.address_size 64\n.visible .entry k() {%s ret; }\n"
    cuda.module_from_buffer(code:format("9.1", "")):get_function "k" { block = 1 }
    local mod = cuda.module_from_buffer(code:format("9.1", "\nfrobnicate;"))
    local err = gpu.error_of("LogicError", mod.get_function, mod, "k")
    local text = "line 5: unsupported instruction `frobnicate`; the module has PTX version 9.1"
    assert.truthy(tostring(err):find(text, 1, true), tostring(err))
    err = gpu.error_of("CompileError", cuda.module_from_buffer, code:format("9.1", " .frobnicate x;"))
    assert.truthy(tostring(err):find("the module has PTX version 9.1", 1, true), tostring(err))
    err = gpu.error_of("CompileError", cuda.module_from_buffer, code:format("10.0", ""))
    assert.equal("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", err.name)
    assert.truthy(tostring(err):find("PTX version 10.0 is newer than this driver's, which is 9.0", 1, true))
    assert.truthy(err.hint:find("NVRTC of CUDA 13.0 or older, which `cudalua setup` installs", 1, true), err.hint)
  end)

  it("softgpu.log and softgpu.calls show the driver calls in order", function()
    softgpu.log "clear"
    softgpu.log "on"
    local a = cuda.mem_alloc(64)
    cuda.memcpy_htod(a, "x")
    a:free()
    softgpu.log "off"
    local symbols = {}
    for _, call in ipairs(softgpu.calls()) do symbols[#symbols + 1] = call.symbol end
    local text = table.concat(symbols, " ")
    assert.truthy(text:find "cuMemAlloc_v2.*cuMemcpyHtoD_v2.*cuCtxPushCurrent_v2.*cuMemFree_v2.*cuCtxPopCurrent_v2")
    for _, call in ipairs(softgpu.calls()) do assert.equal(0, call.result) end
    gpu.refuses_nonsense(softgpu.log)
  end)

  it("softgpu.fail makes the nth call fail once, softgpu.fail_clear takes it back", function()
    softgpu.fail("cuMemAlloc_v2", 2, "INVALID_VALUE")
    cuda.mem_alloc(16)
    local err = gpu.error_of("LogicError", cuda.mem_alloc, 16)
    assert.equal(1, err.code)
    assert.has_no_error(function() cuda.mem_alloc(16) end)
    softgpu.fail("cuMemAlloc_v2", 1, 999)
    softgpu.fail_clear()
    assert.has_no_error(function() cuda.mem_alloc(16) end)
    gpu.refuses_nonsense(softgpu.fail, { string = true })
  end)

  it("a parameter list that cannot be read is an error, not a shorter list", function()
    local mod = cuda.SourceModule "__global__ void k(int *p, int a, int b) { *p = a + b; }"
    softgpu.fail("cuFuncGetParamInfo", 2, "OUT_OF_MEMORY")
    gpu.error_of("MemoryError", mod.get_function, mod, "k")
    local p = ffi.new "int[1]"
    mod:get_function "k"(cuda.Out(p), 3, 4, { block = 1 })
    assert.equal(7, p[0])
  end)

  it("every driver call of a small program can fail without harm", function()
    local code = [[
      local cuda, ffi = require "cudalua", require "ffi"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local mod = cuda.SourceModule "__global__ void k(int *p, int n) { p[threadIdx.x] = n; }"
      local out = ffi.new "int[4]"
      mod:get_function "k"(cuda.Out(out), 5, { block = 4 })
      mod:get_global "nothing"
    ]]
    for _, symbol in ipairs { "cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuCtxCreate_v4", "cuCtxGetCurrent",
      "cuDeviceGetAttribute", "cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetParamInfo", "cuMemAlloc_v2",
      "cuFuncGetAttribute", "cuLaunchKernel", "cuMemcpyDtoH_v2", "cuMemFree_v2", "cuModuleGetGlobal_v2" } do
      local out = gpu.child("local ok, err = pcall(function()\n" .. code .. [[
        end)
        assert(not ok)
        if not require("cudalua").is_error(err) then print(err) end
        os.exit(0, true)
      ]], "CUDALUA_DRIVER=soft CUDALUA_SOFT_FAIL=" .. symbol .. ":1:UNKNOWN")
      assert.equal("", out, symbol)
    end
  end)

  it("softgpu.stats and softgpu.leaks count what is alive", function()
    cuda.collect()
    local before = softgpu.stats()
    local a = cuda.mem_alloc(1000)
    local now = softgpu.stats()
    assert.equal(before.live_allocs + 1, now.live_allocs)
    assert.is_true(now.live_bytes >= before.live_bytes + 1000)
    assert.is_true(#softgpu.leaks() > 0)
    a:free()
    assert.equal(before.live_allocs, softgpu.stats().live_allocs)
    assert.equal(before.stale, softgpu.stats().stale) -- uses of what was freed
  end)

  it("softgpu.stats: kernels keep memory for their next launches, within 32 MiB for all of them", function()
    local before, most, mods = softgpu.stats().spare_bytes, 0, {}
    for i = 1, 40 do
      -- 1 KiB of local memory for each of 1024 threads
      mods[i] = cuda.SourceModule(([[__global__ void k(int *out, int n)
        {
          volatile int a[256];
          for (int i = 0; i < 256; i++) a[i] = n + i;
          out[threadIdx.x] = a[threadIdx.x %% 256] + %d;
        }]]):format(i))
    end
    local out = cuda.mem_alloc(4096)
    local got = require("ffi").new "int[1024]"
    for round = 1, 2 do -- in the second, the kernels that came first have lost theirs
      for i = 1, 40 do
        mods[i]:get_function "k"(out, round, { block = 1024 })
        cuda.memcpy_dtoh(got, out)
        assert.equal(round + 255 + i, got[1023])
        most = math.max(most, softgpu.stats().spare_bytes)
      end
    end
    assert.is_true(most > 16 * 2 ^ 20 and most <= 32 * 2 ^ 20, "at most " .. most .. " bytes")
    for i = 1, 40 do mods[i] = nil end
    collectgarbage()
    collectgarbage()
    cuda.collect()
    assert.is_true(softgpu.stats().spare_bytes <= before)
  end)

  it("softgpu.set_device_count", function()
    local out = gpu.child([[
      local cuda, softgpu = require "cudalua", require "cudalua.softgpu"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local a = cuda.mem_alloc(16)
      softgpu.set_device_count(3)
      assert(cuda.Device.count() == 3)
      assert(not pcall(a.ptr, a) and not pcall(ctx.push, ctx))
      local c2 = cuda.Device(2):make_context()
      assert(c2:get_device() == cuda.Device(2))
      cuda.mem_alloc(16)
      print "fine"
    ]], "CUDALUA_DRIVER=soft")
    assert.equal("fine\n", out)
    gpu.refuses_nonsense(softgpu.set_device_count)
  end)

  it("a fault names kernel, source line, block, thread and the allocation", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local mod = cuda.SourceModule "__global__ void off_by_one(int *p)\n{\n  p[threadIdx.x] = 1;\n}\n"
      mod:get_function "off_by_one"(cuda.mem_alloc(4 * 31), { block = 32, grid = 1 })
      local _, err = pcall(ctx.synchronize, ctx)
      print(err.detail)
    ]], "CUDALUA_DRIVER=soft")
    for _, text in ipairs { "off_by_one", "kernel.cu", ":3", "31", "124" } do
      assert.truthy(out:find(text, 1, true), text .. " is not in: " .. out)
    end
  end)

  it("an instruction it does not have is a CompileError that names the form", function()
    local err = gpu.error_of("CompileError", cuda.module_from_buffer, [[
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<3>;
  frobnicate.sync.b32 %r1, %r2;
  ret;
}
]])
    assert.truthy((err.log or err.detail):find("frobnicate.sync.b32", 1, true))
  end)

  it("a form that only this device does not have fails its kernel, not the module", function()
    local mod = cuda.module_from_buffer [[
.version 8.0
.target sm_80
.address_size 64
.func helper()
{
  .reg .b32 %r<9>;
  wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [0], 16;
  ret;
}
.visible .entry needs_it()
{
  call helper;
  ret;
}
.visible .entry other()
{
  ret;
}
]]
    local err = gpu.error_of("LogicError", function() mod:get_function "needs_it" end)
    assert.equal(801, err.code)
    assert.truthy(err.detail:find("needs_it", 1, true) and err.detail:find("line 7", 1, true)
      and err.detail:find("wmma.load.a", 1, true))
    mod:get_function "other" { block = 32 }
    cuda.Context.synchronize()
  end)

  it("an endless loop of indexed branches meets the time limit", function()
    local out = gpu.child([=[
      local cuda = require "cudalua"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local mod = cuda.module_from_buffer [[
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<2>;
  mov.u32 %r1, 0;
again:
  table: .branchtargets again, done;
  brx.idx %r1, table;
done:
  ret;
}
]]
      mod:get_function "k" { block = 32 }
      local _, err = pcall(ctx.synchronize, ctx)
      print(err.code)
    ]=], "CUDALUA_DRIVER=soft CUDALUA_SOFT_TIMEOUT=1")
    assert.equal("702\n", out)
  end)

  it("the device leaves NVRTC room where the process may not have many addresses", function()
    if gpu.sanitized then return end -- the sanitizers want more addresses than this
    for _, limit in ipairs { 4, 2 } do -- GiB
      local out = gpu.child([=[
        local cuda, ffi = require "cudalua", require "ffi"
        local a = ffi.new("int[32]", 1)
        local mod = cuda.SourceModule([[
          #include <cub/block/block_reduce.cuh>
          extern "C" __global__ void total(int *a)
          {
            typedef cub::BlockReduce<int, 32> Reduce;
            __shared__ typename Reduce::TempStorage storage;
            int sum = Reduce(storage).Sum(a[threadIdx.x]);
            if (threadIdx.x == 0) a[0] = sum;
          }]], { no_extern_c = true, cache_dir = false })
        mod:get_function "total"(cuda.InOut(a), { block = 32 })
        print(a[0], cuda.Device(0):total_memory() / 2 ^ 20)]=], ("ulimit -v %d; "):format(limit * 2 ^ 20)
        .. "CUDALUA_DRIVER=soft")
      local sum, memory = out:match "^(%d+)\t(%d+)\n$"
      assert.equal("32", sum, out)
      assert.is_true(tonumber(memory) >= limit * 64 and tonumber(memory) <= limit * 512, out)
    end
  end)

  it("memory is what the program wrote", function()
    local a, back = cuda.mem_alloc(8), ffi.new "uint8_t[8]"
    cuda.memcpy_htod(a + 2, "xy")
    cuda.memcpy_dtoh(back, a)
    assert.equal("xy", ffi.string(back + 2, 2))
  end)
end)
