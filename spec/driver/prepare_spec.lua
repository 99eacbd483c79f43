local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local softgpu = require "cudalua.softgpu"

ffi.cdef [[
typedef struct { int id; float weight; double at[2]; } cudalua_spec_prepared;
]]

-- echo copies its parameters, as the device has them, to out.
local source = [[
#include <cuda_fp16.h>
struct Body { int id; float weight; double at[2]; };
struct Pair { float re, im; };
template<class T> __device__ void put(unsigned char *out, int at, T value)
{
  const unsigned char *from = (const unsigned char *)&value;
  for (int i = 0; i < (int)sizeof value; i++) out[at + i] = from[i];
}
extern "C" __global__ void echo(unsigned char *out, int i, float f, double d, unsigned char b, short s, long long q)
{
  put(out, 0, i); put(out, 4, f); put(out, 8, d); put(out, 16, b); put(out, 18, s); put(out, 24, q);
}
extern "C" __global__ void every(double *out, bool a, signed char b, unsigned char c, short d, unsigned short e, int f,
  unsigned g, long long h, unsigned long long i, __half j, float k, double l, size_t m)
{
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = (double)h;
  out[8] = (double)i; out[9] = __half2float(j); out[10] = k; out[11] = l; out[12] = (double)m;
}
extern "C" __global__ void complex(float *out, Pair a, double2 b)
{
  out[0] = a.re; out[1] = a.im; out[2] = (float)b.x; out[3] = (float)b.y;
}
extern "C" __global__ void body(double *out, Body b, int n) { out[0] = b.id; out[1] = b.at[1]; out[2] = n; }
extern "C" __global__ void add(float *z, const float *x, const float *y, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
extern "C" __global__ void where(int *out)
{
  int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[b * blockDim.x * blockDim.y * blockDim.z + t] = b * 1000 + t;
}
extern __shared__ int dynamic[];
extern "C" __global__ void shared_sum(int *out, int n)
{
  for (int i = threadIdx.x; i < n; i += blockDim.x) dynamic[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) { int s = 0; for (int i = 0; i < n; i++) s += dynamic[i]; *out = s; }
}
extern "C" __global__ void swap(int *a, int *b, int *log, int n) { log[n] = *a; *b = *a + 1; }
extern "C" __global__ void nothing() {}
]]

describe("prepared calls", function()
  local mod
  setup(function()
    gpu.context()
    mod = cuda.SourceModule(source, { no_extern_c = true })
  end)
  before_each(gpu.context)

  local function read(mem, ctype, n)
    local out = ffi.new(ctype .. "[?]", n)
    cuda.memcpy_dtoh(out, mem)
    local list = {}
    for i = 1, n do list[i] = tonumber(out[i - 1]) end
    return list
  end

  local function zeroed(bytes)
    local mem = cuda.mem_alloc(bytes)
    cuda.memset_d8(mem, 0, bytes)
    cuda.Context.synchronize() -- other streams may go on with it
    return mem
  end

  -- A kernel of which only the sizes of its parameters are known: cubins and foreign code.
  local image
  local function unsigned_kernel(name)
    image = image or cuda.compile(source, { no_extern_c = true })
    local fresh = cuda.module_from_buffer(image)
    return fresh:get_function(name), fresh
  end

  describe("cuda.Function:prepare", function()
    it("takes the characters of Python's struct module", function()
      local out = zeroed(8 * 13)
      local every = mod:get_function "every"
      assert.equal(every, every:prepare("P?bBhHiIqQefdN", { block = 1 }))
      gpu.raises("LogicError", "call the method with a colon: f:prepare(types)", every.prepare, "P")
      every:prepared_call(1, out, true, -128, 255, -32768, 65535, -2 ^ 31, 2 ^ 32 - 1, -2 ^ 53, 2 ^ 53, 0.5, 1.25, 1.1,
        7)
      assert.same({ 1, -128, 255, -32768, 65535, -2 ^ 31, 2 ^ 32 - 1, -2 ^ 53, 2 ^ 53, 0.5, 1.25, 1.1, 7 },
        read(out, "double", 13))
      every:prepare "@P?cBhHiIlLe f d n" -- native order is what there is; l and L are 64 bits
    end)

    it("repeats by numbers, and takes complex numbers and bytes", function()
      local out = zeroed(16)
      local complex = mod:get_function "complex":prepare("PFD", { block = 1 })
      complex:prepared_call(1, out, ffi.new("complex float", 1.5, -2), ffi.new("complex", 3, 4))
      assert.same({ 1.5, -2, 3, 4 }, read(out, "float", 4))
      complex:prepare("P8s16s", { block = 1 })
      complex:prepared_call(1, out, ffi.string(gpu.floats(7, 8), 8), ("\0"):rep(16))
      assert.same({ 7, 8, 0, 0 }, read(out, "float", 4))
      mod:get_function "add":prepare("3Pi", { block = 4 })
      gpu.raises("LogicError", "takes 4 arguments", mod:get_function "add".prepare, mod:get_function "add", "2Pi")
    end)

    it("takes lists of C types, dtypes, FFI ctypes and sizes", function()
      local out = zeroed(24)
      local b = ffi.new("cudalua_spec_prepared", { 7, 1.5, { 2.5, -3.5 } })
      local body = mod:get_function "body"
      for _, types in ipairs {
        { "double *", ffi.typeof "cudalua_spec_prepared", "int" },
        { "P", { bytes = 24, align = 8 }, "i" },
        { ffi.typeof "double *", { bytes = 24 }, cuda.dtype.int32 },
        { "pointer", "24s", "int32" } } do
        if types[2] == "24s" then types[2] = { bytes = 24 } end
        body:prepare(types, { block = 1 })
        b.id = b.id + 1
        body:prepared_call(1, out, b, b.id)
        assert.same({ b.id, -3.5, b.id }, read(out, "double", 3))
      end
    end)

    it("gives a kernel without known types its signature", function()
      local echo = unsigned_kernel "echo"
      local out = zeroed(32)
      echo:prepare("PifdBhq", { block = 1 })
      echo:prepared_call(1, out, -5, 0.5, 0.25, 200, -300, 2 ^ 40)
      assert.same({ -5 }, read(out, "int", 1))
      assert.same({ 0.25 }, read(out + 8, "double", 1))
      cuda.memset_d8(out, 0, 32)
      echo(out, 6, 0.5, 0.75, 1, 2, 3, { block = 1 }) -- plain numbers now are right here, too
      assert.same({ 6 }, read(out, "int", 1))
      assert.same({ 0.75 }, read(out + 8, "double", 1))
      gpu.raises("LogicError", "out of the range", echo.prepared_call, echo, 1, out, 2 ^ 31, 0.5, 0.25, 200, -300, 2)
    end)

    it("refuses types that the parameters cannot have, and changes nothing then", function()
      local add = mod:get_function "add"
      add:prepare("PPPi", { block = 4 })
      local function refused(types, text, arg)
        local err = gpu.raises("LogicError", text, add.prepare, add, types)
        if arg then
          assert.equal("add", err.kernel)
          assert.equal(arg, err.arg)
        end
      end
      refused("PPPd", "prepared as double, which has 8 bytes, but the parameter has 4", 4)
      refused("PPPf", "prepared as float, but the parameter is int32", 4)
      refused("PPfi", "which has 4 bytes, but the parameter has 8", 3)
      refused("PdPi", "prepared as double, but the parameter is pointer", 2)
      refused("PPP", "takes 4 arguments")
      refused("PPPii", "got 5")
      refused({ "float*", "float*", "float*", { bytes = 24 } }, "the parameter has 4", 4)
      add:prepare("PPPI", { block = 4 }) -- the other sign is PyCUDA's custom
      local z = zeroed(16)
      add:prepared_call(1, z, z, z, 4)
      gpu.raises("LogicError", "out of the range", add.prepared_call, add, 1, z, z, z, 2 ^ 32 - 1) -- but it is an int
    end)

    it("refuses bad formats, lists and options", function()
      local nothing = mod:get_function "nothing"
      for format, text in pairs { ["<"] = "byte order", [">i"] = "byte order", ["="] = "byte order",
        ["!"] = "byte order", x = "padding", p = "Pascal", z = "unknown type", ["3"] = "ends the format",
        ["0i"] = "out of range", ["99999i"] = "out of range", ["i@"] = "unknown type" } do
        gpu.raises("LogicError", text, nothing.prepare, nothing, format)
      end
      for _, types in ipairs { 5, true, print, ffi.new "int[1]", { 5 }, { "unknown type" }, { {} }, { nil, "i" },
        { a = 1 }, { { bytes = -1 } }, { print } } do
        gpu.error_of("LogicError", nothing.prepare, nothing, types)
      end
      gpu.error_of("LogicError", nothing.prepare, nothing, nil)
      for _, block in ipairs { 0, -1, 1.5, 0 / 0, "32", {}, { 0 }, { 1, 2, 3, 4 }, { 1, nil, 2 }, true } do
        gpu.raises("LogicError", "option block", nothing.prepare, nothing, "", { block = block })
      end
      gpu.raises("LogicError", "option shared", nothing.prepare, nothing, "", { shared = -1 })
      gpu.raises("LogicError", "unknown option", nothing.prepare, nothing, "", { blok = 1 })
      gpu.raises("LogicError", "texrefs", nothing.prepare, nothing, "", { texrefs = { 1 } })
      gpu.raises("LogicError", "table of options", nothing.prepare, nothing, "", 32)
      assert.equal(nothing, nothing:prepare("", { block = 1, shared = 0, texrefs = {} }))
      gpu.refuses_nonsense(nothing.prepare)
    end)
  end)

  describe("cuda.Function:prepared_call", function()
    it("takes grids and blocks of up to three extents, as numbers or lists", function()
      local fn = mod:get_function "where"
      local out = zeroed(4 * 144)
      local function check(n, threads, ...)
        cuda.memset_d8(out, 0xff, 4 * 144)
        fn:prepared_call(...)
        local got = read(out, "int", n)
        for i = 0, n - 1 do assert(got[i + 1] == math.floor(i / threads) * 1000 + i % threads, i) end
      end
      fn:prepare("P", { block = { 2, 3, 4 } })
      check(24, 24, 1, out)
      check(24 * 6, 24, { 1, 2, 3 }, out)
      check(24 * 6, 24, { 6 }, out)
      check(8, 4, 2, { 4 }, out) -- a block of the call's own
      check(24, 24, 1, out) -- and the prepared one again
      fn:set_block_shape(4, 1, 1)
      check(12, 4, { 3, 1 }, out)
    end)

    it("needs the block where prepare() was given none", function()
      local fn = cuda.SourceModule("__global__ void k(int *out) { out[threadIdx.x] = 5; }"):get_function "k":prepare "P"
      local out = zeroed(16)
      fn:prepared_call(1, 2, out)
      assert.same({ 5, 5, 0, 0 }, read(out, "int", 4))
      fn:prepared_call({ 1, 1 }, { 3, 1, 1 }, out)
      assert.same({ 5, 5, 5, 0 }, read(out, "int", 4))
      gpu.raises("LogicError", "block", fn.prepared_call, fn, 1, out)
      gpu.raises("LogicError", "the block is missing", fn.prepared_call, fn, 1)
      gpu.raises("LogicError", "got 0", fn.prepared_call, fn, 1, 1)
    end)

    it("has PyCUDA's shared_size behind the arguments", function()
      local out = zeroed(4)
      local fn = mod:get_function "shared_sum":prepare("Pi", { block = 64, shared = 400 })
      fn:prepared_call(1, out, 100)
      assert.same({ 4950 }, read(out, "int", 1))
      fn:prepared_call(1, out, 1000, { shared_size = 4000 })
      assert.same({ 499500 }, read(out, "int", 1))
      fn:prepared_call(1, { 32 }, out, 16000, { shared = 64000 }) -- above 48 KiB
      assert.same({ 16000 * 15999 / 2 }, read(out, "int", 1))
      gpu.raises("LogicError", "unknown option", fn.prepared_call, fn, 1, out, 100, { size = 4 })
      gpu.raises("LogicError", "arguments", fn.prepared_call, fn, 1, out, 100, cuda.ndarray.zeros(3))
      gpu.raises("LogicError", "option shared_size", fn.prepared_call, fn, 1, out, 100, { shared_size = -4 })
      gpu.raises("LaunchError", "shared memory", fn.prepared_call, fn, 1, out, 100, { shared_size = 2 ^ 20 })
      fn:prepared_call(1, out, 100)
      assert.same({ 4950 }, read(out, "int", 1))
    end)

    it("converts and checks each value in each call", function()
      local add, z = mod:get_function "add":prepare("PPPi", { block = 4 }), zeroed(16)
      local x = cuda.to_device(gpu.floats(1, 2, 3, 4))
      for n = 0, 4 do
        cuda.memset_d8(z, 0, 16)
        add:prepared_call(1, z, x, x, n)
        for i, v in ipairs(read(z, "float", 4)) do assert.equal(i <= n and 2 * i or 0, v) end
      end
      for _, bad in ipairs { 1.5, 0 / 0, 1 / 0, 2 ^ 31, -2 ^ 31 - 1, "4", {}, print, z, ffi.new "float[1]", 4ULL } do
        local err = gpu.raises("LogicError", "add: argument 4 (int n)", add.prepared_call, add, 1, z, x, x, bad)
        assert.same({ "add", 4, "int n" }, { err.kernel, err.arg, err.param })
      end
      for _, bad in ipairs { 5, "text", true, print, ffi.new "float[4]", io.stdout, cuda.int32(1), newproxy() } do
        gpu.raises("LogicError", "add: argument 2", add.prepared_call, add, 1, z, bad, x, 4)
      end
      gpu.raises("LogicError", "got 3", add.prepared_call, add, 1, z, x, x)
      gpu.raises("LogicError", "got 5", add.prepared_call, add, 1, z, x, x, 4, 4)
      gpu.raises("LogicError", "option grid", add.prepared_call, add)
      add:prepared_call(1, z, x, x, 4)
      assert.same({ 2, 4, 6, 8 }, read(z, "float", 4))
    end)

    it("sees that memory was freed or collected, and that another has its place", function()
      local add, z = mod:get_function "add":prepare("PPPi", { block = 1 }), zeroed(4)
      local x = cuda.to_device(gpu.floats(1))
      local view = x + 0
      for _ = 1, 3 do add:prepared_call(1, z, x, view, 1) end
      x:free()
      for arg, args in pairs { [2] = { x, z }, [3] = { z, view } } do
        local err = gpu.raises("LogicError", "was freed", add.prepared_call, add, 1, z, args[1], args[2], 1)
        assert.equal(arg, err.arg)
      end
      -- Userdata that are collected leave their places to others.
      for round = 1, 200 do
        local fresh = cuda.to_device(gpu.floats(round))
        add:prepared_call(1, z, fresh, fresh, 1)
        add:prepared_call(1, z, fresh, fresh, 1)
        assert.same({ 2 * round }, read(z, "float", 1))
        fresh = nil -- luacheck: ignore
        if round % 20 == 0 then collectgarbage() end
      end
    end)

    it("does so too where arguments have to be read by Lua's API", function()
      local core = require "cudalua.core"
      local add, z = mod:get_function "add":prepare("PPPi", { block = { 4 } }), zeroed(16)
      local x = cuda.to_device(gpu.floats(1, 2, 3, 4))
      local was = core.use_slots(false)
      local ok, err = pcall(function()
        for n = 4, 1, -1 do add:prepared_call({ 1, 1 }, z, x, x, n) end
        add(z, x, z, 2, { block = 4, grid = { 1 } })
        assert.same({ 3, 6, 6, 8 }, read(z, "float", 4))
        gpu.raises("LogicError", "argument 4 (int n): 1.5", add.prepared_call, add, 1, z, x, x, 1.5)
        gpu.raises("LogicError", "option grid", add.prepared_call, add, { 1, 0 }, z, x, x, 1)
        x:free()
        gpu.raises("LogicError", "was freed", add.prepared_call, add, 1, z, x, x, 1)
      end)
      core.use_slots(was)
      assert(ok, tostring(err))
      assert.equal(was, core.use_slots())
      assert.is_true(was) -- with the LuaJIT that there is, they can be had
    end)

    it("with two buffers that change places", function()
      local fn = mod:get_function "swap":prepare("PPPi", { block = 1 })
      local a, b, log = zeroed(4), zeroed(4), zeroed(40)
      for i = 0, 9 do
        fn:prepared_call(1, a, b, log, i)
        a, b = b, a
      end
      assert.same({ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, read(log, "int", 10))
    end)

    it("null pointers come and go", function()
      local fn = cuda.SourceModule("__global__ void k(int *o, const int *p, int i) { o[i] = p ? *p : -1; }")
        :get_function "k":prepare("PPi", { block = 1 })
      local out, p = zeroed(24), cuda.to_device(ffi.new("int[1]", 7))
      for i = 0, 5 do fn:prepared_call(1, out, i % 3 ~= 1 and p or nil, i) end
      assert.same({ 7, -1, 7, 7, -1, 7 }, read(out, "int", 6))
    end)

    it("takes In, Out, InOut, cdata and objects with get_pointer as fn(...) does", function()
      local add, z = mod:get_function "add":prepare("PPPi", { block = 2 }), ffi.new "float[2]"
      local x = cuda.to_device(gpu.floats(1, 2))
      add:prepared_call(1, cuda.Out(z), x, cuda.In(gpu.floats(10, 20)), ffi.new("int", 2))
      assert.same({ 11, 22 }, { z[0], z[1] })
      add:prepared_call(1, { 1 }, cuda.InOut(z), setmetatable({ get_pointer = function() return x end }, {}), x, 1)
      assert.same({ 2, 22 }, { z[0], z[1] })
      gpu.raises("LogicError", "argument 4", add.prepared_call, add, 1, cuda.Out(z), x, x, 1.5)
    end)

    it("says what is missing", function()
      local fresh, keep = unsigned_kernel "nothing"
      gpu.raises("LogicError", "nothing: not prepared", fresh.prepared_call, fresh, 1)
      fresh:prepare("", { block = 1 })
      fresh:prepared_call(1)
      keep:close()
      gpu.raises("LogicError", "Function can no longer be used", fresh.prepared_call, fresh, 1)
      gpu.refuses_nonsense(fresh.prepared_call)
      local again = unsigned_kernel "nothing"
      gpu.refuses_nonsense(function(v) again:prepared_call(v) end)
    end)

    it("goes into the current stream, and into captures", function()
      local fn = mod:get_function "swap":prepare("PPPi", { block = 1 })
      local s, a, log = cuda.Stream "non_blocking", zeroed(4), zeroed(16)
      s:use(function()
        for i = 0, 2 do fn:prepared_call(1, a, a, log, i) end
      end)
      s:synchronize()
      assert.same({ 0, 1, 2 }, read(log, "int", 3))
      local graph = s:capture(function() fn:prepared_call(1, a, a, log, 3) end)
      assert.same({ 3 }, read(a, "int", 1))
      local exec = graph:instantiate()
      exec:launch(s)
      s:synchronize()
      assert.same({ 0, 1, 2, 3 }, read(log, "int", 4))
    end)

    it("tells pools of memory who works on their blocks", function()
      local fn = mod:get_function "swap":prepare("PPPi", { block = 1 })
      local s = cuda.Stream "non_blocking"
      local a, log = cuda.mem_alloc_async(4), zeroed(16)
      cuda.memset_d32(a, 40, 1)
      cuda.Context.synchronize()
      for i = 0, 2 do fn:prepared_async_call(1, s, a, a, log, i) end
      a:free() -- in its home stream, after the work in s
      s:synchronize()
      assert.same({ 40, 41, 42 }, read(log, "int", 3))
    end)

    it("launches by one call of the driver and leaves no garbage", function()
      local a, grid = cuda.mem_alloc(64), { 1, 1 }
      local add = mod:get_function "add":prepare("PPPi", { block = 1 })
      local function launches(n) for _ = 1, n do add:prepared_call(grid, a, a, a, 0) end end
      launches(200)
      if gpu.soft then
        softgpu.log "on"
        softgpu.log "clear"
        launches(3)
        softgpu.log "off"
        for i, call in ipairs(softgpu.calls()) do assert.same({ i, "cuLaunchKernel" }, { i, call.symbol }) end
        assert.equal(3, #softgpu.calls())
      end
      local n = gpu.soft and 2000 or 100000
      collectgarbage() collectgarbage()
      collectgarbage "stop"
      local before = collectgarbage "count"
      for _ = 1, n / 1000 do
        launches(1000)
        cuda.Context.synchronize()
      end
      local grown = collectgarbage "count" - before
      collectgarbage "restart"
      assert.is_true(grown < 16, grown .. " KiB for " .. n .. " launches")
    end)
  end)

  it("cuda.Function:prepared_async_call takes a stream behind grid and block", function()
    local add, z = mod:get_function "add":prepare("PPPi", { block = 4 }), zeroed(16)
    local x, s = cuda.to_device(gpu.floats(1, 2, 3, 4)), cuda.Stream "non_blocking"
    add:prepared_async_call(1, s, z, x, x, 4)
    s:synchronize()
    assert.same({ 2, 4, 6, 8 }, read(z, "float", 4))
    add:prepared_async_call({ 4 }, { 1 }, s, z, z, x, 4)
    s:synchronize()
    assert.same({ 3, 6, 9, 12 }, read(z, "float", 4))
    add:prepared_async_call(1, nil, z, x, x, 4) -- the current one
    assert.same({ 2, 4, 6, 8 }, read(z, "float", 4))
    local out = ffi.new "float[4]"
    add:prepared_async_call(1, s, cuda.Out(out), x, x, 4)
    s:synchronize()
    assert.equal(8, out[3])
    gpu.raises("LogicError", "stream", add.prepared_async_call, add, 1, z, x, x, 4)
    gpu.raises("LogicError", "the stream is missing", add.prepared_async_call, add, 1)
    gpu.raises("LogicError", "got 2", add.prepared_async_call, add, 1, s, z, x)
    s:close()
    gpu.raises("LogicError", "closed", add.prepared_async_call, add, 1, s, z, x, x, 4)
    gpu.refuses_nonsense(function(v) add:prepared_async_call(1, v, z, x, x, 4) end, { ["nil"] = true })
    gpu.refuses_nonsense(add.prepared_async_call)
  end)

  it("cuda.Function:prepared_timed_call gives a function that waits and returns seconds", function()
    local add, z = mod:get_function "add":prepare("PPPi", { block = 4 }), zeroed(16)
    local x = cuda.to_device(gpu.floats(1, 2, 3, 4))
    local time = add:prepared_timed_call({ 1, 1 }, z, x, x, 4)
    local seconds = time()
    assert.is_true(seconds >= 0 and seconds < 10)
    assert.equal(seconds, time())
    assert.same({ 2, 4, 6, 8 }, read(z, "float", 4))
    gpu.raises("LogicError", "got 1", add.prepared_timed_call, add, 1, z)
    gpu.refuses_nonsense(add.prepared_timed_call)
  end)

  describe("the parameter space", function()
    local BYTES = 32 + 8
    local echo, out
    before_each(function()
      echo = unsigned_kernel "echo" -- each time afresh: what is set stays set
      echo:prepare "PifdBhq"
      echo:set_block_shape(1, 1, 1)
      out = zeroed(BYTES)
    end)

    -- What the kernel got, beside what a C compiler makes of the same values.
    local function check(i, f, d, b, s, q)
      local got = ffi.new "uint8_t[32]"
      cuda.memcpy_dtoh(got, out)
      local function same(at, ctype, value)
        local want = ffi.new(ctype .. "[1]", value)
        assert.equal(ffi.string(want, ffi.sizeof(want)), ffi.string(got + at, ffi.sizeof(want)))
      end
      same(0, "int32_t", i)
      same(4, "float", f)
      same(8, "double", d)
      same(16, "uint8_t", b)
      same(18, "int16_t", s)
      same(24, "int64_t", q)
    end

    it("cuda.Function:param_set and cuda.Function:launch", function()
      echo:param_set(out, -7, 1.5, -0.1, 255, -2, 2 ^ 53)
      echo:launch()
      check(-7, 1.5, -0.1, 255, -2, 2 ^ 53)
      cuda.memset_d8(out, 0, BYTES)
      echo:launch() -- it is kept
      check(-7, 1.5, -0.1, 255, -2, 2 ^ 53)
      local err = gpu.raises("LogicError", "argument 5", echo.param_set, echo, out, 1, 1, 1, 256, 1, 1)
      assert.equal("echo", err.kernel)
      gpu.raises("LogicError", "got 1", echo.param_set, echo, out)
      cuda.memset_d8(out, 0, BYTES)
      echo:launch() -- and what was refused changed nothing
      check(-7, 1.5, -0.1, 255, -2, 2 ^ 53)
      gpu.refuses_nonsense(echo.param_set)
      gpu.refuses_nonsense(echo.launch)
    end)

    it("cuda.Function:param_seti, cuda.Function:param_setf, cuda.Function:param_setv and "
      .. "cuda.Function:param_set_size write bytes", function()
      local offsets = {}
      for i, p in ipairs(require "cudalua.core".function_params(echo)) do offsets[i] = p.offset end
      echo:param_setv(offsets[1], ffi.new("uint64_t[1]", out:ptr()))
      echo:param_seti(offsets[2], -5)
      echo:param_setf(offsets[3], 0.1)
      echo:param_setv(offsets[4], ffi.new("double[1]", 1 / 3))
      echo:param_setv(offsets[5], "\200")
      echo:param_setv(offsets[6], ffi.new("int16_t[1]", -9))
      echo:param_setv(offsets[7], ffi.string(ffi.new("int64_t[1]", 2LL ^ 40), 8))
      gpu.raises("LogicError", "argument 1", echo.launch, echo) -- no size yet
      for _, short in ipairs { 0, 8, 39 } do
        echo:param_set_size(short)
        local err = gpu.raises("LogicError", "echo: argument", echo.launch, echo)
        assert.equal("echo", err.kernel)
        assert.is_true(err.arg >= 1)
      end
      gpu.raises("LogicError", "argument 7 (long long): it ends at byte 40, but param_set_size() got 39",
        echo.launch_grid, echo, 1, 1)
      echo:param_set_size(40)
      echo:launch()
      check(-5, 0.1, 1 / 3, 200, -9, 2 ^ 40)
      echo:param_set_size(48) -- as sizeof may have it
      echo:param_seti(offsets[2], 2 ^ 32 - 1)
      echo:launch()
      check(-1, 0.1, 1 / 3, 200, -9, 2 ^ 40)
      echo:param_set_size(64)
      gpu.raises("LogicError", "the parameters have 40", echo.launch, echo)
    end)

    it("refuses what does not fit", function()
      for _, method in ipairs { "param_seti", "param_setf" } do
        local set = echo[method]
        for _, offset in ipairs { -1, 0.5, 37, 40, 2 ^ 53, 2 ^ 60, 0 / 0, "0", true } do
          gpu.error_of("LogicError", set, echo, offset, 1)
        end
        for _, value in ipairs { "1", true, print, {}, out, 1ULL } do
          gpu.raises("LogicError", "echo: " .. method .. ": expected a number", set, echo, 8, value)
        end
        gpu.error_of("LogicError", set, echo, 8)
        gpu.refuses_nonsense(set)
      end
      gpu.raises("LogicError", "not an integer", echo.param_seti, echo, 8, 1.5)
      gpu.raises("LogicError", "not an integer", echo.param_seti, echo, 8, 0 / 0)
      gpu.raises("LogicError", "not an integer", echo.param_seti, echo, 8, 1 / 0)
      gpu.raises("LogicError", "out of the range", echo.param_seti, echo, 8, 2 ^ 32)
      gpu.raises("LogicError", "out of the range", echo.param_seti, echo, 8, -2 ^ 31 - 1)
      gpu.raises("LogicError", "overflows", echo.param_setf, echo, 12, 1e39)
      gpu.raises("LogicError", "41 bytes at offset 0, but the parameters end at byte 40", echo.param_setv, echo, 0,
        ("x"):rep(41))
      gpu.raises("LogicError", "host buffer", echo.param_setv, echo, 0, 5)
      gpu.refuses_nonsense(echo.param_setv)
      gpu.refuses_nonsense(function(v) echo:param_set_size(v) end)
      gpu.refuses_nonsense(echo.param_set_size)
      local nothing = unsigned_kernel "nothing"
      gpu.error_of("LogicError", nothing.param_seti, nothing, 0, 1)
    end)

    it("cuda.Function:set_block_shape, cuda.Function:set_shared_size, cuda.Function:launch_grid and "
      .. "cuda.Function:launch_grid_async", function()
      local fn = unsigned_kernel "where"
      local mem, s = zeroed(4 * 144), cuda.Stream()
      gpu.raises("LogicError", "set_block_shape", fn.launch, fn)
      local function check_grid(n, threads)
        local got = read(mem, "int", n)
        for i = 0, n - 1 do assert(got[i + 1] == math.floor(i / threads) * 1000 + i % threads, i) end
        cuda.memset_d8(mem, 0xff, 4 * 144)
      end
      fn:set_block_shape(2, 3, 4)
      gpu.raises("LogicError", "no parameters are set", fn.launch, fn)
      fn:param_set(mem)
      fn:launch()
      check_grid(24, 24)
      fn:launch_grid(3, 2)
      check_grid(24 * 6, 24)
      fn:set_block_shape(4)
      fn:launch_grid_async(2, 3, s)
      s:synchronize()
      check_grid(4 * 6, 4)
      fn:launch_grid_async(2, 1)
      check_grid(4 * 2, 4)
      for _, bad in ipairs { 0, -1, 1.5, 0 / 0, 2 ^ 32, "1", {}, true } do
        gpu.error_of("LogicError", fn.set_block_shape, fn, bad, 1, 1)
        gpu.error_of("LogicError", fn.set_block_shape, fn, 1, 1, bad)
        gpu.raises("LogicError", "option grid", fn.launch_grid, fn, bad, 1)
        gpu.raises("LogicError", "option grid", fn.launch_grid, fn, 1, bad)
      end
      gpu.error_of("LogicError", fn.launch_grid, fn, 1)
      gpu.raises("LaunchError", "65536, but this device's limit is 65535", fn.launch_grid, fn, 1, 65536)
      gpu.raises("LogicError", "stream", fn.launch_grid_async, fn, 1, 1, 5)
      s:close()
      gpu.raises("LogicError", "closed", fn.launch_grid_async, fn, 1, 1, s)
      fn:launch()
      check_grid(4, 4)

      local sum, total = unsigned_kernel "shared_sum", zeroed(4)
      sum:prepare "Pi"
      sum:set_block_shape(32, 1, 1)
      sum:set_shared_size(4000)
      sum:param_set(total, 1000)
      sum:launch()
      assert.same({ 499500 }, read(total, "int", 1))
      sum:set_shared_size(2 ^ 20)
      gpu.raises("LaunchError", "shared memory", sum.launch, sum)
      for _, bad in ipairs { -1, 0.5, 0 / 0, 2 ^ 32, "1", {} } do
        gpu.error_of("LogicError", sum.set_shared_size, sum, bad)
      end
      for _, f in ipairs { sum.set_shared_size, sum.set_block_shape, sum.launch_grid, sum.launch_grid_async } do
        gpu.refuses_nonsense(f)
      end
    end)

    it("keeps memory alive that is set, and says where it was freed", function()
      local got
      gpu.apart(function()
        local mem = zeroed(BYTES)
        echo:param_set(mem, 1, 2, 3, 4, 5, 6)
        gpu.kept.at = mem:ptr()
      end)
      cuda.collect()
      echo:launch()
      got = ffi.new "int[1]"
      cuda.memcpy_dtoh(got, cuda.pointer(gpu.kept.at))
      assert.equal(1, got[0])
      local mem = zeroed(BYTES)
      echo:param_set(mem, 1, 2, 3, 4, 5, 6)
      mem:free()
      local err = gpu.raises("LogicError", "echo: argument 1", echo.launch, echo)
      assert.truthy(err.message:find "was freed")
      echo:param_setv(0, ffi.new("uint64_t[1]", out:ptr()))
      echo:launch() -- the address was written over
      check(1, 2, 3, 4, 5, 6)
    end)

    -- Where echo's parameters lie.
    local function offsets_of(fn)
      local list = {}
      for i, p in ipairs(require "cudalua.core".function_params(fn)) do list[i] = p.offset end
      return list
    end

    it("writes over parameters that were set, and leaves the others", function()
      local offsets, view = offsets_of(echo), out + 0
      local other = zeroed(BYTES)
      echo:param_set(view, 1, 2, 3, 4, 5, 6)
      echo:param_seti(offsets[2], -9)
      echo:launch()
      check(-9, 2, 3, 4, 5, 6)
      echo:param_setv(offsets[5], "\7\0\1\2") -- the unsigned char, a gap and the short
      echo:launch()
      check(-9, 2, 3, 7, 0x0201, 6)
      echo:param_setv(offsets[4] + 7, "\192") -- the sign of the double
      echo:param_setv(offsets[7] + 4, "\1")
      for _ = 1, 2 do -- other calls do not change what is set, and launches of it do not change other calls
        echo:launch()
        check(-9, 2, -3, 7, 0x0201, 2 ^ 32 + 6)
        echo:prepared_call(1, other, 10, 11, 12, 13, 14, 15)
        echo:prepared_call(1, view, 20, 21, 22, 23, 24, 25)
        check(20, 21, 22, 23, 24, 25)
      end
      assert.same({ 10 }, read(other, "int", 1))
      out:free()
      local err = gpu.raises("LogicError", "echo: argument 1", echo.launch, echo)
      assert.truthy(err.message:find "was freed")
      echo:param_set(other, 1, 2, 3, 4, 5, 6)
      echo:launch()
      assert.same({ 1 }, read(other, "int", 1))
    end)

    it("is the kernel's, and not that of the object that stands for it", function()
      local fresh = select(2, unsigned_kernel "echo")
      gpu.apart(function()
        local fn = fresh:get_function "echo":prepare "PifdBhq"
        fn:set_block_shape(1)
        fn:param_set(out, 1, 2, 3, 4, 5, 6)
      end)
      for _ = 1, 3 do collectgarbage() end
      fresh:get_function "echo":launch()
      check(1, 2, 3, 4, 5, 6)
    end)

    it("goes with the module and its kernels", function()
      -- What earlier tests left in slots of the stack may be found in between, but is small. The second call of apart()
      -- takes the slots of the first one, where that left its coroutine.
      local size, little = 2 ^ 24, 2 ^ 20
      local function nothing() end
      cuda.collect()
      local before = cuda.mem_stats().live
      gpu.apart(function()
        local fn, fresh = unsigned_kernel "where"
        local function set()
          gpu.kept.fn, gpu.kept.mod = fn, fresh
          fn:param_set(cuda.mem_alloc(size))
        end
        gpu.apart(set)
      end)
      gpu.apart(nothing)
      cuda.collect()
      gpu.kept.mod = nil
      gpu.apart(nothing)
      cuda.collect()
      assert.near(before + size, cuda.mem_stats().live, little)
      gpu.kept.fn = nil
      gpu.apart(nothing)
      cuda.collect()
      assert.near(before, cuda.mem_stats().live, little)
    end)

    it("is whole where finalizers set parameters and launch between any two lines", function()
      local reentry = require "spec.support.reentry"
      local offsets, places = offsets_of(echo), 0
      -- Calls f with inner() at each of its lines, and then check(...) with one of the lists.
      local function sweep(f, inner, ...)
        local lists, k, inside = { ... }, 1, true
        while inside do
          echo:param_set(out, 1, 2, 3, 4, 5, 6)
          inside = select(3, reentry.call(f, inner, k))
          echo:launch()
          local good = not inside
          for _, list in ipairs(lists) do good = good or pcall(check, unpack(list)) end
          assert(good, inside)
          k, places = k + 1, places + (inside and 1 or 0)
        end
      end
      local function write() echo:param_seti(offsets[2], 50) end
      local function set() echo:param_set(out, 11, 12, 13, 14, 15, 16) end
      sweep(write, function() echo:param_setf(offsets[3], 0.5) end, { 50, 0.5, 3, 4, 5, 6 })
      sweep(write, set, { 50, 12, 13, 14, 15, 16 }, { 11, 12, 13, 14, 15, 16 })
      sweep(set, write, { 11, 12, 13, 14, 15, 16 }, { 50, 12, 13, 14, 15, 16 })
      assert.is_true(places > 20)
      -- A launch has what was set before the finalizer, or after it.
      local k, inside = 1, true
      while inside do
        echo:param_set(out, 1, 2, 3, 4, 5, 6)
        write()
        inside = select(3, reentry.call(function() echo:launch() end, set, k))
        assert(pcall(check, 50, 2, 3, 4, 5, 6) or pcall(check, 11, 12, 13, 14, 15, 16), inside)
        k = k + 1
      end
    end)

    it("In, Out and InOut copy at each launch", function()
      local add, z, x = unsigned_kernel "add", ffi.new "float[2]", gpu.floats(1, 2)
      add:prepare "PPPi"
      add:set_block_shape(2)
      add:param_set(cuda.Out(z), cuda.In(x), cuda.In(x), 2)
      add:launch()
      assert.same({ 2, 4 }, { z[0], z[1] })
      x[0] = 5
      add:launch_grid(1, 1)
      assert.equal(10, z[0])
      gpu.raises("LogicError", "with param_set()", add.param_seti, add, 24, 1)
      local mem = cuda.to_device(x)
      add:param_set(mem, mem, mem, ffi.new("int", 1))
      add:launch()
      assert.same({ 10, 2 }, read(mem, "float", 2))
    end)
  end)
end)
