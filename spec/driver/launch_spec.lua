local gpu = require "spec.support.gpu"
local cuda, ffi, core = gpu.cuda, require "ffi", require "cudalua.core"

ffi.cdef [[
typedef struct { int id; float weight; double at[2]; } cudalua_spec_body;
]]

local source = [[
#include <cuda_fp16.h>
struct Body { int id; float weight; double at[2]; };
__global__ void add(float *z, const float *x, const float *y, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}
__global__ void every(double *out, signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f,
                      long long g, unsigned long long h, float i, double j, bool k, __half l)
{
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = (double)g; out[7] = (double)h;
  out[8] = i; out[9] = j; out[10] = k; out[11] = __half2float(l);
}
__global__ void body(double *out, struct Body b)
{
  out[0] = b.id; out[1] = b.weight; out[2] = b.at[0]; out[3] = b.at[1];
}
__global__ void is_null(int *out, const float *p) { *out = p == 0; }
__global__ void wide(long long *out, long long a, unsigned long long b) { out[0] = a; out[1] = (long long)b; }
__global__ void where(int *out)
{
  int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[b * blockDim.x * blockDim.y * blockDim.z + t] = b * 1000 + t;
}
extern __shared__ int dynamic[];
__global__ void shared_sum(int *out, int n)
{
  for (int i = threadIdx.x; i < n; i += blockDim.x) dynamic[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) { int s = 0; for (int i = 0; i < n; i++) s += dynamic[i]; *out = s; }
}
__global__ void nothing() {}
]]

describe("launching", function()
  local mod, add
  setup(function()
    gpu.context()
    mod = cuda.SourceModule(source)
    add = mod:get_function "add"
  end)
  before_each(gpu.context)

  local function doubles(n) return ffi.new("double[?]", n) end

  it("cuda.In, cuda.Out and cuda.InOut refuse buffers of other elements than the parameter's", function()
    local ndarray = require "cudalua.ndarray"
    local x, wide = gpu.floats(1, 2, 3), ffi.new("double[3]", 1, 2, 3)
    local one = { block = 4 }
    local err = gpu.raises("LogicError", "add: argument 1 (float *z): the buffer of Out is double[3], but the " ..
      "kernel takes float32 here; pass a buffer of float32", add, cuda.Out(wide), cuda.In(x), cuda.In(x), 3, one)
    assert.equal("add", err.kernel)
    assert.equal(1, err.arg)
    assert.equal("float *z", err.param)
    gpu.raises("LogicError", "add: argument 2 (const float *x): the buffer of In is int[2], but", add, cuda.Out(x),
      cuda.In(ffi.new("int[?]", 2)), cuda.In(x), 2, one)
    gpu.raises("LogicError", "add: argument 3 (const float *y): the array of InOut is int32(2,), but the kernel " ..
      "takes float32 here; pass an array of float32", add, cuda.Out(x), cuda.In(x),
      cuda.InOut(ndarray.array({ 1, 2 }, "int32")), 2, one)
    assert.equal(1, wide[0])
    -- Bytes, strings, bare memory and structs hold anything.
    local z = gpu.floats(0, 0, 0)
    add(cuda.Out { ptr = z, nbytes = 12 }, cuda.In(ffi.string(x, 12)),
      cuda.In { ptr = ffi.cast("int *", x), nbytes = 12 }, 3, one)
    assert.same({ 2, 4, 6 }, { z[0], z[1], z[2] })
    local bytes = ffi.new "uint8_t[12]"
    ffi.copy(bytes, x, 12)
    add(cuda.Out(z), cuda.In(bytes), cuda.In(ndarray.array({ 1, 2, 3 }, "float32")), 3, one)
    assert.same({ 2, 4, 6 }, { z[0], z[1], z[2] })
    -- And char, unsigned char and void take anything.
    local any = cuda.kernel [[__global__ void take_any(char *a, const unsigned char *b, void *c) { a[0] = 7; }]]
    any(cuda.InOut(wide), cuda.In(x), cuda.InOut(x), one)
    local half = cuda.SourceModule [[
      #include <cuda_fp16.h>
      __global__ void half_of(__half *a) { a[0] = __float2half(1); }
    ]]:get_function "half_of"
    local bits = ffi.new "uint16_t[1]"
    half(cuda.Out(bits), one)
    assert.equal(0x3c00, bits[0])
  end)

  it("cuda.In, cuda.Out and cuda.InOut copy around the call", function()
    local n = 1000
    local x, y, z = gpu.random_floats(n), gpu.random_floats(n), ffi.new("float[?]", n)
    add(cuda.Out(z), cuda.In(x), cuda.In(y), n, { block = 256, grid = 4 })
    for i = 0, n - 1 do assert(z[i] == tonumber(ffi.new("float", x[i] + y[i])), i) end
    local before = ffi.new("float[?]", n)
    ffi.copy(before, x, 4 * n)
    add(cuda.InOut(x), cuda.In(x), cuda.In(y), n, { block = 256, grid = 4 })
    for i = 0, n - 1 do assert(x[i] == z[i] and before[i] ~= nil, i) end
    assert.truthy(tostring(cuda.In(x)):find("cudalua.In(4000 bytes)", 1, true))
  end)

  it("In of a string and of part of a buffer; Out of a string is refused", function()
    local z = gpu.floats(9, 9, 9, 9)
    local x = gpu.floats(1, 2, 3, 4)
    add(cuda.Out(z, 8), cuda.In(ffi.string(x, 16)), cuda.In(x), 2, { block = 4 })
    assert.same({ 2, 4, 9, 9 }, { z[0], z[1], z[2], z[3] })
    gpu.raises("LogicError", "cannot be written to", cuda.Out, "text")
    gpu.raises("LogicError", "cannot be written to", cuda.InOut, "text")
    gpu.raises("LogicError", "nbytes is 20", cuda.In, x, 20)
    for _, f in ipairs { cuda.In, cuda.Out, cuda.InOut } do gpu.refuses_nonsense(f, { string = true, cdata = true }) end
  end)

  it("plain numbers become the parameter's type", function()
    local out = doubles(12)
    mod:get_function "every"(cuda.Out(out), -128, 255, -32768, 65535, -2147483648, 4294967295, -2 ^ 53, 2 ^ 53, 1.1,
      1.1, true, 0.1, { block = 1 })
    assert.same({ -128, 255, -32768, 65535, -2147483648, 4294967295, -2 ^ 53, 2 ^ 53 },
      { out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7] })
    assert.equal(tonumber(ffi.new("float", 1.1)), out[8])
    assert.equal(1.1, out[9])
    assert.equal(1, out[10])
    assert.equal(0.0999755859375, out[11]) -- 0.1 in binary16
  end)

  it("numbers that do not fit are refused, with kernel, parameter and value", function()
    local every = mod:get_function "every"
    local out = doubles(12)
    local good = { -1, 1, -1, 1, -1, 1, -1, 1, 1, 1, true, 1 }
    local function with(at, value)
      local args = { cuda.Out(out) }
      for i, v in ipairs(good) do args[i + 1] = v end
      args[at + 1] = value
      args[#args + 1] = { block = 1 }
      return gpu.error_of("LogicError", every, unpack(args))
    end
    for at, values in pairs {
      { 128, -129, 0.5, 0 / 0, 1 / 0, "1", {}, print },
      { 256, -1, 0.5 }, { 32768 }, { 65536, -1 }, { 2147483648, 1e300 }, { -1, 4294967296 },
      { 2 ^ 54, 0.5 }, { -1, 2 ^ 54 }, { 1e39, "1" }, { "1", {} }, { 2, "yes" }, { 65520 },
    } do
      for _, value in ipairs(values) do
        local err = with(at, value)
        assert.equal("every", err.kernel)
        assert.equal(at + 1, err.arg)
      end
    end
    local err = with(5, 1.5)
    assert.equal("every: argument 6 (int e): 1.5 is not an integer", err.message)
    assert.equal("int e", err.param)
    every(cuda.Out(out), -1, 1, -1, 1, -1, 1, -1, 1, 1 / 0, 0 / 0, false, -1 / 0, { block = 1 })
    assert.equal(1 / 0, out[8])
    assert.are_not.equal(out[9], out[9])
  end)

  it("booleans are 0 and 1 of any integer type, addresses go into 64-bit integers", function()
    local out = doubles(12)
    mod:get_function "every"(cuda.Out(out), true, true, false, true, true, true, true, true, 1, 1, true, 1,
      { block = 1 })
    assert.same({ 1, 1, 0, 1, 1, 1, 1, 1, 1 },
      { out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[10] })
    local a, wide = cuda.mem_alloc(16), ffi.new "int64_t[2]"
    mod:get_function "wide"(cuda.Out(wide), a, a + 8, { block = 1 })
    assert.same({ a:ptr(), a:ptr() + 8 }, { tonumber(wide[0]), tonumber(wide[1]) })
    gpu.raises("LogicError", "argument 4 (int n)", add, a, a, a, a, { block = 1 })
  end)

  it("complex numbers and vectors go by value", function()
    local fn = cuda.SourceModule [[
      __global__ void k(double *o, float2 a, double2 b, float4 c) {
        o[0] = a.x; o[1] = a.y; o[2] = b.x; o[3] = b.y; o[4] = c.w;
      }]]:get_function "k"
    local out = doubles(5)
    fn(cuda.Out(out), ffi.new("complex float", 1, 2), ffi.new("complex double", 3, 4),
      ffi.new("float[4]", { 5, 6, 7, 8 }), { block = 1 })
    assert.same({ 1, 2, 3, 4, 8 }, { out[0], out[1], out[2], out[3], out[4] })
    gpu.raises("LogicError", "the parameter has 8 bytes, but the value has 16", fn, cuda.Out(out),
      ffi.new("complex double", 3, 4), ffi.new("complex double", 3, 4), ffi.new "float[4]", { block = 1 })
  end)

  it("64-bit integers travel as cdata, FFI scalars keep their type", function()
    local out = ffi.new "int64_t[2]"
    mod:get_function "wide"(cuda.Out(out), -9223372036854775807LL, 18446744073709551615ULL, { block = 1 })
    assert.equal(-9223372036854775807LL, out[0])
    assert.equal(-1LL, out[1])
    local z, x = gpu.floats(0), gpu.floats(2)
    add(cuda.Out(z), cuda.In(x), cuda.In(x), ffi.new("int", 1), { block = 1 })
    assert.equal(4, z[0])
    gpu.raises("LogicError", "of 4 bytes", add, cuda.Out(z), cuda.In(x), cuda.In(x), 1LL, { block = 1 })
    gpu.raises("LogicError", "argument 4", add, cuda.Out(z), cuda.In(x), cuda.In(x), ffi.new("float", 1), { block = 1 })
  end)

  it("structs go by value, as FFI structs or as their bytes", function()
    local out = doubles(4)
    local b = ffi.new("cudalua_spec_body", { 7, 1.5, { 2.5, -3.5 } })
    local body = mod:get_function "body"
    body(cuda.Out(out), b, { block = 1 })
    assert.same({ 7, 1.5, 2.5, -3.5 }, { out[0], out[1], out[2], out[3] })
    b.id = 8
    body(cuda.Out(out), ffi.string(b, ffi.sizeof(b)), { block = 1 })
    assert.equal(8, out[0])
    gpu.raises("LogicError", "the parameter has 24 bytes, but the value has " ..
      "3", body, cuda.Out(out), "abc", { block = 1 })
    gpu.raises("LogicError", "argument 2", body, cuda.Out(out), 5, { block = 1 })
  end)

  it("pointers: allocations, views, nil, get_pointer; never numbers or host memory", function()
    local is_null, out = mod:get_function "is_null", ffi.new "int[1]"
    is_null(cuda.Out(out), nil, { block = 1 })
    assert.equal(1, out[0])
    local a = cuda.mem_alloc(16)
    for _, p in ipairs { a, a + 4, cuda.pointer(a:ptr()),
      setmetatable({ get_pointer = function() return a:ptr() end }, {}),
      setmetatable({ get_pointer = function() return a end }, {}) } do
      is_null(cuda.Out(out), p, { block = 1 })
      assert.equal(0, out[0])
    end
    gpu.raises("LogicError", "cuda.pointer(address)", is_null, cuda.Out(out), a:ptr(), { block = 1 })
    gpu.raises("LogicError", "In/Out/InOut", is_null, cuda.Out(out), ffi.new "float[4]", { block = 1 })
    gpu.raises("LogicError", "host pointer", is_null, cuda.Out(out), ffi.cast("float *", out), { block = 1 })
    gpu.raises("LogicError", "argument 2 (const float *p)", is_null, cuda.Out(out), "text", { block = 1 })
    gpu.raises("LogicError", "options comes last", is_null, cuda.Out(out), {}, { block = 1 })
    a:free()
    gpu.raises("LogicError", "was freed", is_null, cuda.Out(out), a, { block = 1 })
  end)

  it("memory of another context is refused", function()
    local other = cuda.Device(0):make_context()
    local a = cuda.mem_alloc(16)
    cuda.Context.pop()
    local out = cuda.mem_alloc(4)
    gpu.raises("LogicError", "another context", mod:get_function "is_null", out, a, { block = 1 })
    other:push()
    gpu.raises("LogicError", "is not current", mod:get_function "nothing", { block = 1 })
    other:detach()
  end)

  it("the number of arguments is checked, with the signature in the message", function()
    local err = gpu.error_of("LogicError", add, cuda.mem_alloc(4), { block = 1 })
    assert.equal("kernel add takes 4 arguments (float *z, const float *x, const float *y, int n), got 1", err.message)
    gpu.raises("LogicError", "takes 0 arguments (), got 1", mod:get_function "nothing", 1, { block = 1 })
    gpu.raises("LogicError", "nothing: options are missing", mod:get_function "nothing")
    gpu.raises("LogicError", "nothing: options are missing", mod:get_function "nothing", 5)
    gpu.raises("LogicError", "block is missing", mod:get_function "nothing", {})
  end)

  it("options: block and grid of up to three extents, as numbers or lists; all in one table", function()
    local where = mod:get_function "where"
    local function check(n, threads, options)
      local out = ffi.new("int[?]", n)
      where(cuda.Out(out), options)
      for i = 0, n - 1 do assert(out[i] == math.floor(i / threads) * 1000 + i % threads, i) end
    end
    check(32, 32, { block = 32 })
    check(24, 24, { block = { 2, 3, 4 } })
    check(24 * 6, 24, { block = { 4, 6 }, grid = { 1, 2, 3 } })
    check(12, 2, { block = 2, grid = 6 })
    local x, z = gpu.floats(1, 2), gpu.floats(0, 0)
    add { cuda.Out(z), cuda.In(x), cuda.In(x), 2, block = 2 }
    assert.same({ 2, 4 }, { z[0], z[1] })
    local buffer = cuda.to_device(x)
    add { buffer, buffer, buffer, 2, block = 2 }
    cuda.memcpy_dtoh(z, buffer)
    assert.same({ 2, 4 }, { z[0], z[1] })
  end)

  it("options that are wrong are refused", function()
    local nothing = mod:get_function "nothing"
    for _, block in ipairs { 0, -1, 1.5, 0 / 0, "32", {}, { 0 }, { 1, 2, 3, 4 }, { 1, "x" }, { 1, 0 }, true } do
      gpu.raises("LogicError", "option block", nothing, { block = block })
      gpu.raises("LogicError", "option grid", nothing, { block = 1, grid = block })
    end
    gpu.raises("LogicError", "option shared", nothing, { block = 1, shared = -1 })
    gpu.raises("LogicError", "option shared", nothing, { block = 1, shared = "1" })
    gpu.raises("LogicError", "unknown option", nothing, { block = 1, shred = 1 })
    gpu.raises("LogicError", "unknown option true", nothing, { block = 1, [true] = 1 })
    for theirs, ours in pairs { threads = "block", blocks = "grid", gridDim = "grid", shared_mem = "shared" } do
      local text = ("unknown option '%s'; did you mean '%s'?"):format(theirs, ours)
      gpu.raises("LogicError", text, nothing, { block = 1, [theirs] = 1 })
    end
    gpu.raises("LogicError", "{block = {256, 1, 1}, grid = {4, 1, 1}}", nothing, { 4 }, { 1 })
    gpu.raises("LogicError", "one table of options, got 1 argument and a table", nothing, { block = 1 }, { grid = 1 })
    gpu.raises("LogicError", "takes 0 arguments", nothing, 4, { block = 1 })
    gpu.raises("LogicError", "options have names: {block = {256, 1, 1}}", mod:get_function "where", nil, { 32, 1, 1 })
    for _, key in ipairs { "cooperative", "pdl", "time_kernel" } do
      for _, value in ipairs { 0, 1, "yes", {}, print } do
        gpu.raises("LogicError", ("option %s: expected true or false, got "):format(key), nothing,
          { block = 1, [key] = value })
      end
    end
    for _, value in ipairs { 0, -1, 1.5, "2", {}, { 0 }, { 1, nil, 2 }, true } do
      gpu.raises("LogicError", "option cluster: expected 1 to 3", nothing, { block = 1, cluster = value })
    end
    for _, value in ipairs { 0.5, "high", true, {}, 0 / 0, 2 ^ 40 } do
      gpu.raises("LogicError", "option priority: expected an integer", nothing, { block = 1, priority = value })
    end
    for _, value in ipairs { 101, -2, 0.5, true, {}, 0 / 0 } do
      gpu.raises("LogicError", "option carveout: expected an integer from -1 to 100", nothing,
        { block = 1, carveout = value })
    end
    gpu.raises("LogicError", 'option carveout: expected a percentage, "default"', nothing,
      { block = 1, carveout = "x" })
    local least, greatest = cuda.Stream.priority_range()
    for _, value in ipairs { least + 1, greatest - 1 } do
      gpu.raises("LaunchError", ("option priority: %d, but this device's range is %d (least) to " ..
        "%d"):format(value, least,
        greatest), nothing, { block = 1, priority = value })
    end
    gpu.raises("LaunchError", "block.z is 65, but this device's limit is 64", nothing, { block = { 1, 1, 65 } })
    gpu.raises("LaunchError", "option block: 32 x 64 x 1 has 2048 threads, but this kernel's limit is 1024", nothing,
      { block = { 32, 64 } })
    gpu.raises("LaunchError", "option block: block.x is 4294967295", nothing, { block = 2 ^ 32 - 1 })
    gpu.raises("LaunchError", "grid.z is 65536, but this device's limit is 65535", nothing,
      { block = 1, grid = { 1, 1, 65536 } })
    gpu.raises("LaunchError", "grid.x is 4294967295", nothing, { block = 1, grid = 2 ^ 32 - 1 })
    gpu.raises("LaunchError", "grid.y is 65536, but this device's limit is 65535", nothing,
      { block = 1, grid = { 1, 65536 } })
    gpu.raises("LaunchError", "bytes of shared memory", nothing, { block = 1, shared = 2 ^ 20 })
    assert.has_no_error(function() nothing { block = 1 } end)
  end)

  it("dynamic shared memory, also above 48 KiB", function()
    local out = ffi.new "int[1]"
    for _, n in ipairs { 100, 12288, 16000 } do
      mod:get_function "shared_sum"(cuda.Out(out), n, { block = 128, shared = 4 * n })
      assert.equal(n * (n - 1) / 2, out[0])
    end
  end)

  it("asks for more than 48 KiB once for each kernel, up to what static shared memory leaves", function()
    local fixed = cuda.SourceModule [[
      extern __shared__ int top[];
      __global__ void fixed(int *out, int n)
      {
        __shared__ int mine[256];
        mine[threadIdx.x] = threadIdx.x;
        if (threadIdx.x == 0) top[n - 1] = 1; // the last word that was requested
        __syncthreads();
        out[threadIdx.x] = mine[blockDim.x - 1 - threadIdx.x] + top[n - 1];
      }]]:get_function "fixed"
    local most = cuda.Context.get_device().max_shared_memory_per_block_optin - 1024
    local out = cuda.mem_alloc(1024)
    local soft = gpu.soft and require "cudalua.softgpu"
    if soft then soft.log "on" soft.log "clear" end
    for _, shared in ipairs { 47 * 1024, 48 * 1024, 49 * 1024, 64 * 1024, 100, most } do
      fixed(out, shared / 4, { block = 256, shared = shared })
    end
    if soft then
      local asked = {}
      for _, call in ipairs(soft.calls()) do
        if call.symbol == "cuFuncSetAttribute" then asked[#asked + 1] = call.text end
      end
      soft.log "off"
      assert.equal(1, #asked)
    end
    local back = ffi.new "int[256]"
    cuda.memcpy_dtoh(back, out)
    assert.equal(256, back[0])
    assert.equal(most, fixed.max_dynamic_shared_size_bytes)
    local err = gpu.raises("LaunchError", ("option shared: %d bytes of shared memory requested (%d dynamic + 1024 " ..
      "static), but this device's limit is %d"):format(most + 1025, most + 1, most + 1024), fixed, out, 4,
      { block = 256, shared = most + 1 })
    assert.equal("fixed", err.kernel)
    gpu.error_of("LaunchError", fixed, out, 4, { block = 256, shared = 2 ^ 32 - 1 })
    fixed:set_attribute("max_dynamic_shared_size_bytes", 1000) -- what the user says is asked for again when needed
    fixed(out, 300, { block = 256, shared = 1200 })
    assert.equal(most, fixed.max_dynamic_shared_size_bytes)
  end)

  describe("attributes of a launch", function()
    local extra, plain, bounded, soft
    local has_clusters
    setup(function()
      gpu.context()
      extra = cuda.SourceModule [[
        __global__ void plain(int *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = i + n; }
        __global__ void __launch_bounds__(64) bounded(int *out) { out[threadIdx.x] = 1; }
        __global__ void cluster_size(unsigned *out)
        {
          unsigned n = 1;
        #if __CUDA_ARCH__ >= 900
          asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(n));
        #endif
          out[blockIdx.x] = n;
        }]]
      plain, bounded = extra:get_function "plain", extra:get_function "bounded"
      has_clusters = cuda.Context.get_device().cluster_launch == 1
      soft = gpu.soft and require "cudalua.softgpu"
    end)

    -- The driver's calls for launches, of f(), where there is a log; how many attributes each was given.
    local function launches(f)
      if not soft then return f() end
      soft.log "on"
      soft.log "clear"
      local ok, err = pcall(f)
      local list = {}
      for _, call in ipairs(soft.calls()) do
        if call.symbol:find "^cuLaunchKernel" then
          list[#list + 1] = call.symbol .. " " .. (call.text:match "attributes=(%d+)" or "-")
        end
      end
      soft.log "off"
      if not ok then error(err, 0) end
      return table.concat(list, ", ")
    end

    local function check(expected, options)
      local out, back = cuda.mem_alloc(4 * 64), ffi.new "int[64]"
      options.block, options.grid = 32, 2
      local log = launches(function() plain(out, 7, options) end)
      if options.stream then options.stream:synchronize() end
      cuda.memcpy_dtoh(back, out)
      for i = 0, 63 do assert(back[i] == i + 7, i) end
      if soft then assert.equal(expected, log) end
    end

    it("cooperative, priority, pdl, carveout and cluster run the kernel as ever", function()
      local least, greatest = cuda.Stream.priority_range()
      check("cuLaunchKernel -", {})
      check("cuLaunchKernel -", { cooperative = false, pdl = false })
      check("cuLaunchKernelEx 1", { cooperative = true })
      check("cuLaunchKernelEx 1", { priority = greatest })
      check("cuLaunchKernelEx 1", { priority = least, stream = cuda.Stream() })
      check("cuLaunchKernelEx 1", { pdl = true, stream = cuda.Stream() })
      for _, carveout in ipairs { "max_shared", "max_l1", 0, 50, 100 } do
        check("cuLaunchKernelEx 1", { carveout = carveout })
      end
      for _, carveout in ipairs { "default", -1 } do check("cuLaunchKernel -", { carveout = carveout }) end
      check("cuLaunchKernelEx 1", { cluster = 1 })
      check("cuLaunchKernelEx 3", { cluster = { 1, 1, 1 }, carveout = 20, priority = least })
    end)

    it("go into graphs, come with In and Out, and can be timed", function()
      local z, s = ffi.new "int[32]", cuda.Stream "non_blocking"
      plain(cuda.Out(z), 1, { block = 32, cooperative = true, carveout = 100 })
      assert.equal(32, z[31])
      assert.is_true(plain(cuda.Out(z), 2, { block = 32, cooperative = true, time_kernel = true }) >= 0)
      assert.equal(33, z[31])
      local out, back = cuda.mem_alloc(128), ffi.new "int[32]"
      local options = { block = 32, priority = 0, cooperative = true }
      local exec = s:capture(function() plain(out, 5, options) end):instantiate()
      exec:launch(s)
      s:synchronize()
      cuda.memcpy_dtoh(back, out)
      assert.equal(36, back[31])
    end)

    it("a cooperative grid that is not on the device at once is refused with the number that is", function()
      local each = plain:max_active_blocks(256)
      local sms = cuda.Context.get_device().multiprocessor_count
      local out = cuda.mem_alloc(4 * 256 * (each * sms + 1))
      plain(out, 0, { block = 256, grid = each * sms, cooperative = true })
      plain(out, 0, { block = 256, grid = each * sms + 1 })
      local err = gpu.raises("LaunchError", ("with 256 threads and 0 bytes of dynamic shared memory each, only %d "
        .. "fit (%d on each of %d SMs)"):format(each * sms, each, sms), plain, out, 0,
        { block = 256, grid = each * sms + 1, cooperative = true })
      assert.equal("plain", err.kernel)
      gpu.error_of("LaunchError", plain, out, 0,
        { block = 256, grid = each * sms, cooperative = true, shared = 200000 })
      plain(out, 0, { block = 256, grid = each * sms, cooperative = true })
      cuda.Context.synchronize()
    end)

    it("clusters: where there are none; multiples, sizes and what the kernel was compiled for", function()
      local fn, out = extra:get_function "cluster_size", cuda.mem_alloc(4 * 64)
      if not has_clusters then
        local err = gpu.raises("LaunchError", "option cluster: 2 x 1 x 1 blocks, but this device has no thread block "
          .. "clusters", fn, out, { block = 32, grid = 4, cluster = 2 })
        assert.equal("cluster_size", err.kernel)
        return
      end
      local back = ffi.new "unsigned[16]"
      for _, n in ipairs { 1, 2, 4, 8 } do
        fn(out, { block = 32, grid = 16, cluster = n })
        cuda.memcpy_dtoh(back, out)
        assert.equal(n, back[15])
      end
      gpu.raises("LaunchError", "option grid: grid.x is 5, which is not a multiple of cluster.x, 2", fn, out,
        { block = 32, grid = 5, cluster = 2 })
      gpu.raises("LaunchError", "option grid: grid.y is 1, which is not a multiple of cluster.y, 2", fn, out,
        { block = 32, grid = 4, cluster = { 2, 2 } })
      gpu.raises("LaunchError", "option cluster: 16 x 1 x 1 has 16 blocks; more than 8 need", fn, out,
        { block = 32, grid = 16, cluster = 16 })
      fn:set_attribute("non_portable_cluster_size_allowed", 1)
      fn(out, { block = 32, grid = 16, cluster = 16 })
      cuda.memcpy_dtoh(back, out)
      assert.equal(16, back[0])
      gpu.raises("LaunchError", "option cluster: no cluster of 32 x 1 x 1 blocks", fn, out,
        { block = 32, grid = 32, cluster = 32 })
      gpu.error_of("LaunchError", fn, out, { block = 32, grid = 2 ^ 20, cluster = 2 ^ 20 })
      local fixed = cuda.SourceModule [[
        __global__ void __cluster_dims__(2, 1, 1) pairs(unsigned *out) { out[blockIdx.x] = 1; }]]:get_function "pairs"
      fixed(out, { block = 32, grid = 4 })
      fixed(out, { block = 32, grid = 4, cluster = 2 })
      gpu.raises("LaunchError", "option cluster: 4 x 1 x 1, but the kernel was compiled for clusters of 2 x 1 x 1",
        fixed, out, { block = 32, grid = 4, cluster = 4 })
      gpu.raises("LaunchError", "not a multiple of cluster.x, 2", fixed, out, { block = 32, grid = 3 })
      cuda.Context.synchronize()
    end)

    it("a kernel's own limit of threads is named, and where it comes from", function()
      assert.equal(64, bounded.max_threads_per_block)
      local out = cuda.mem_alloc(4 * 128)
      gpu.raises("LaunchError", ("option block: 65 x 1 x 1 has 65 threads, but this kernel's limit is 64 (the " ..
        "device's is 1024; this kernel has %d registers per thread, or launch " ..
        "bounds)"):format(bounded.num_regs), bounded, out,
        { block = 65 })
      bounded(out, { block = 64 })
      cuda.Context.synchronize()
    end)

    it("what is refused never reaches the driver, not even the copies of In and Out", function()
      local z = ffi.new("int[32]", { 1, 2, 3 })
      if soft then soft.log "on" soft.log "clear" end
      for class, list in pairs {
        LaunchError = { { block = 2000 }, { block = 32, grid = { 1, 2 ^ 17 } }, { block = 32, shared = 2 ^ 30 },
          { block = 32, grid = 2 ^ 20, cooperative = true }, { block = 32, priority = 99 } },
        LogicError = { {}, { block = 32, stream = 5 }, { block = 32, bolck = 1 },
          { block = 32, time_kernel = true, stream = cuda.legacy_stream } },
      } do
        for _, options in ipairs(list) do gpu.error_of(class, plain, cuda.InOut(z), 1, options) end
      end
      if soft then
        for _, call in ipairs(soft.calls()) do
          assert.is_nil(call.symbol:find "^cuLaunch")
          assert.is_nil(call.symbol:find "^cuMem")
        end
        soft.log "off"
      end
      assert.same({ 1, 2, 3, 0 }, { z[0], z[1], z[2], z[3] })
      plain(cuda.InOut(z), 1, { block = 32 })
      assert.equal(32, z[31])
    end)
  end)

  it("cuda.null stands for nil in lists of arguments", function()
    local out = ffi.new("int[1]", 7)
    local fn = cuda.SourceModule "__global__ void k(const int *p, int *o, float *q) { *o = !p && !q; }":get_function "k"
    fn { cuda.null, cuda.InOut(out), cuda.null, block = 1 }
    assert.equal(1, out[0])
    gpu.raises("LogicError", "argument 4", add, cuda.null, cuda.null, cuda.null, cuda.null, { block = 1 })
  end)

  it("time_kernel gives seconds", function()
    local s = mod:get_function "nothing" { block = 1, time_kernel = true }
    assert.is_true(s >= 0 and s < 10)
    assert.is_nil(mod:get_function "nothing" { block = 1 })
  end)

  it("cuda.Function:name, cuda.Function:get_attribute and attributes as fields", function()
    assert.equal("add", add:name())
    assert.equal("cudalua.Function: add", tostring(add))
    assert.equal(add:get_attribute "num_regs", add.num_regs)
    assert.equal(add.num_regs, add.registers)
    assert.is_true(add.max_threads_per_block >= 32)
    assert.equal(0, add.smem)
    assert.equal(add.max_threads_per_block, add:get_attribute(0))
    gpu.raises("LogicError", "no method or attribute 'nonsense'", function() return add.nonsense end)
    gpu.refuses_nonsense(function(v) return add:get_attribute(v) end)
    gpu.error_of("LogicError", add.get_attribute, add, 9999)
    gpu.refuses_nonsense(cuda.Function.name)
  end)

  it("a kernel without known types takes typed scalars, and says so for plain numbers", function()
    local image = cuda.compile(source)
    local plain = core.module_load(image):get_function "add" -- which keeps nothing of what the image says
    local x, z = gpu.floats(1, 2), gpu.floats(0, 0)
    local err = gpu.error_of("LogicError", plain, cuda.Out(z), cuda.In(x), cuda.In(x), 2, { block = 2 })
    assert.truthy(err.message:find("cuda.int32(2)", 1, true))
    plain(cuda.Out(z), cuda.In(x), cuda.In(x), cuda.int32(2), { block = 2 })
    assert.same({ 2, 4 }, { z[0], z[1] })
    plain(cuda.Out(z), cuda.In(x), cuda.In(x), ffi.new("int", 1), { block = 2 })
    gpu.raises("LogicError", "of 4 bytes", plain, cuda.Out(z), cuda.In(x), cuda.In(x), cuda.int64(2), { block = 2 })
  end)

  it("cuda.int8 cuda.uint8 cuda.int16 cuda.uint16 cuda.int32 cuda.uint32 cuda.int64 cuda.uint64 check their range",
    function()
    for name, bits in pairs { int8 = 8, uint8 = 8, int16 = 16, uint16 = 16, int32 = 32, uint32 = 32 } do
      local unsigned = name:sub(1, 1) == "u"
      local lo, hi = unsigned and 0 or -2 ^ (bits - 1), unsigned and 2 ^ bits - 1 or 2 ^ (bits - 1) - 1
      assert.truthy(tostring(cuda[name](lo)):find(name, 1, true))
      assert.has_no_error(function() cuda[name](hi) end)
      gpu.raises("LogicError", "out of the range", cuda[name], lo - 1)
      gpu.raises("LogicError", "out of the range", cuda[name], hi + 1)
      gpu.raises("LogicError", "not an integer", cuda[name], 0.5)
    end
    assert.has_no_error(function() cuda.int64(-9223372036854775807LL) cuda.uint64(18446744073709551615ULL) end)
    gpu.error_of("LogicError", cuda.int64, 2 ^ 60)
    for _, name in ipairs { "int8", "uint64", "float16", "float32", "float64" } do
      gpu.refuses_nonsense(cuda[name], { number = true, boolean = true })
    end
  end)

  it("cuda.float16 cuda.bfloat16 cuda.float32 cuda.float64 cuda.bool round once", function()
    local image = cuda.compile "__global__ void bits(unsigned short *o, unsigned short a) { *o = a; }"
    local bits = core.module_load(image):get_function "bits" -- only the size of `a` is known
    local o = ffi.new "uint16_t[1]"
    local function as(scalar)
      bits(cuda.Out(o), scalar, { block = 1 })
      return o[0]
    end
    for value, expected in pairs { [0] = 0, [1] = 0x3c00, [-2] = 0xc000, [65504] = 0x7bff, [2 ^ -24] = 1, [2 ^ -25] = 0,
      [2 ^ -25 * 1.001] = 1, [2049] = 0x6800, [2051] = 0x6802, [0.1] = 0x2e66, [2 ^ -14] = 0x0400, [1 / 0] = 0x7c00 } do
      assert.equal(expected, as(cuda.float16(value)), tostring(value))
    end
    for value, expected in pairs { [1] = 0x3f80, [-2] = 0xc000, [3.140625] = 0x4049, [0.1] = 0x3dcd, [2 ^ -133] = 1 } do
      assert.equal(expected, as(cuda.bfloat16(value)), tostring(value))
    end
    assert.equal(0x7e00, bit.band(as(cuda.float16(0 / 0)), 0x7fff))
    gpu.raises("LogicError", "overflows", cuda.float16, 65520)
    gpu.raises("LogicError", "overflows", cuda.float32, 1e39)
    assert.has_no_error(function() cuda.float64(1e300) cuda.bool(true) cuda.bool(0) end)
    gpu.raises("LogicError", "out of the range", cuda.bool, 2)
  end)

  it("a handler of the user's own: get_device_alloc, pre_call, post_call in order", function()
    local steps, mem = {}, cuda.mem_alloc(4)
    local handler = setmetatable({
      get_device_alloc = function() return mem end,
      pre_call = function() steps[#steps + 1] = "pre" end,
      post_call = function() steps[#steps + 1] = "post" end,
    }, {})
    mod:get_function "is_null"(handler, nil, { block = 1 })
    assert.same({ "pre", "post" }, steps)
    handler.pre_call = function() error("mine", 0) end
    local ok, err = pcall(mod:get_function "is_null", handler, nil, { block = 1 })
    assert.is_false(ok)
    assert.equal("mine", err)
  end)

  it("arguments in the options table may begin with nil, and are counted first", function()
    local out = ffi.new "int[1]"
    local body = cuda.SourceModule "__global__ void k(int *p, int *o) { *o = p == 0; }":get_function "k"
    body { nil, cuda.InOut(out), block = 1 }
    assert.equal(1, out[0])
    gpu.raises("LogicError", "option block", body, nil, cuda.InOut(out), { block = { 1, nil, 2 } })
    local many = { block = 1 }
    for i = 1, 1e5 do many[i] = 1 end
    gpu.raises("LogicError", "got 100000", body, many)
  end)

  it("objects with get_pointer need no metatable; float formats do not mix; ctypes are no values", function()
    local a, out = cuda.mem_alloc(16), ffi.new "int[1]"
    mod:get_function "is_null"(cuda.Out(out), { get_pointer = function() return a end }, { block = 1 })
    assert.equal(0, out[0])
    local h = cuda.SourceModule
      "#include <cuda_fp16.h>\n__global__ void h(float *o, __half a) { *o = __half2float(a); }"
    local f = gpu.floats(0)
    h:get_function "h"(cuda.Out(f), cuda.float16(1.5), { block = 1 })
    assert.equal(1.5, f[0])
    gpu.raises("LogicError", "argument 2", h:get_function "h", cuda.Out(f), cuda.bfloat16(1.5), { block = 1 })
    gpu.raises("LogicError", "argument 4", add, a, a, a, ffi.typeof "int", { block = 1 })
    gpu.error_of("LogicError", mod.get_function, mod, "add\0zz")
  end)

  it("takes any table or userdata with get_pointer, and refuses what gives itself", function()
    local fn = cuda.SourceModule("__global__ void k(int *a) { *a = 5; }"):get_function "k"
    local mem, back = cuda.mem_alloc(4), ffi.new "int[1]"
    local user = newproxy(true)
    getmetatable(user).__index = { get_pointer = function() return mem end }
    for _, x in ipairs { user, { get_pointer = function() return mem:ptr() end },
      setmetatable({}, { __index = { get_pointer = function() return mem + 0 end } }) } do
      back[0] = 0
      cuda.memcpy_htod(mem, back)
      fn(x, { block = 1 })
      cuda.memcpy_dtoh(back, mem)
      assert.equal(5, back[0])
    end
    local own = { get_pointer = function(self) return self end }
    gpu.raises("LogicError", "its object returned a table", fn, own, { block = 1 })
    own = { get_device_alloc = function(self) return self end }
    gpu.raises("LogicError", "its object returned a table", fn, own, { block = 1 })
  end)

  it("a failed call leaves the arrays as they were and the next launch right", function()
    local x, z = gpu.floats(1, 2), gpu.floats(7, 7)
    gpu.error_of("LogicError", add, cuda.InOut(z), cuda.In(x), cuda.In(x), "2", { block = 2 })
    assert.same({ 7, 7 }, { z[0], z[1] })
    add(cuda.InOut(z), cuda.In(x), cuda.In(x), 2, { block = 2 })
    assert.same({ 2, 4 }, { z[0], z[1] })
  end)

  it("no garbage per launch", function()
    local buffer, options = cuda.mem_alloc(64), { block = 1 }
    local function launches(n) for _ = 1, n do add(buffer, buffer, buffer, 1, options) end end
    launches(200)
    collectgarbage() collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    launches(1000)
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.is_true(grown < 16, grown .. " KiB for 1000 launches")
  end)

  describe("option stream", function()
    local in_streams = [[
      __global__ void add(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] += 1; }
      __global__ void spin(int *flag, int *out) { out[0] = flag[0]; }
    ]]
    local bump
    setup(function()
      gpu.context()
      bump = cuda.SourceModule(in_streams):get_function "add"
    end)
    before_each(gpu.context)

    it("orders the kernel in it", function()
      local s = cuda.Stream "non_blocking"
      local mem, out = cuda.mem_alloc(16), ffi.new "int[4]"
      cuda.memcpy_htod_async(mem, ffi.new("int[4]", { 1, 2, 3, 4 }), s)
      for _ = 1, 10 do bump(mem, 4, { block = 4, stream = s }) end
      cuda.memcpy_dtoh_async(out, mem, s)
      s:synchronize()
      assert.same({ 11, 12, 13, 14 }, { out[0], out[1], out[2], out[3] })
    end)

    it("takes the legacy and the per-thread stream, and the current one where none is given", function()
      local out = ffi.new "int[1]"
      for _, s in ipairs { cuda.legacy_stream, cuda.per_thread_stream } do
        local mem = cuda.to_device(ffi.new("int[1]", 5))
        cuda.Context.synchronize()
        bump(mem, 1, { block = 1, stream = s })
        s:synchronize()
        cuda.memcpy_dtoh(out, mem)
        assert.equal(6, out[0])
      end
      if not gpu.soft then return end
      local soft, s = require "cudalua.softgpu", cuda.Stream()
      local mem = cuda.mem_alloc(4)
      soft.log "on"
      soft.log "clear"
      s:use(function() bump(mem, 1, { block = 1 }) end)
      bump(mem, 1, { block = 1 })
      local streams = {}
      for _, call in ipairs(soft.calls()) do
        if call.symbol == "cuLaunchKernel" then streams[#streams + 1] = tonumber(call.text:match "stream=(0x%x+)") end
      end
      soft.log "off"
      assert.same({ s:handle(), 0 }, streams)
    end)

    it("orders the copies of In, Out and InOut in it", function()
      local s, a = cuda.Stream "non_blocking", ffi.new("int[4]", { 1, 2, 3, 4 })
      local soft = gpu.soft and require "cudalua.softgpu"
      if soft then
        soft.log "on"
        soft.log "clear"
      end
      bump(cuda.InOut(a), 4, { block = 4, stream = s })
      if soft then
        local names = {}
        for _, call in ipairs(soft.calls()) do
          if call.text:find("stream=0x", 1, true) and not call.text:find("stream=0x0 ", 1, true) then
            names[#names + 1] = call.symbol
          end
        end
        soft.log "off"
        local text = table.concat(names, " ")
        assert.truthy(text:find("cuMemAllocAsync.*cuMemcpyHtoDAsync_v2.*cuLaunchKernel.*cuMemcpyDtoHAsync_v2" ..
          ".*cuMemFreeAsync"))
        assert.is_nil(text:find "Synchronize")
      end
      s:synchronize()
      assert.same({ 2, 3, 4, 5 }, { a[0], a[1], a[2], a[3] })
      s:use(function() bump(cuda.InOut(a), 4, { block = 4 }) end) -- nothing was asked for: it is done
      assert.same({ 3, 4, 5, 6 }, { a[0], a[1], a[2], a[3] })
    end)

    it("hands the stream to handlers of one's own", function()
      local seen, mem, s = {}, cuda.mem_alloc(16), cuda.Stream()
      local handler = { get_device_alloc = function(_, stream) seen[1] = stream return mem end,
        pre_call = function(_, stream) seen[2] = stream end, post_call = function(_, stream) seen[3] = stream end }
      bump(handler, 4, { block = 4, stream = s })
      assert.same({ s, s, s }, seen)
      seen = {}
      bump(handler, 4, { block = 4 })
      assert.is_nil(next(seen))
    end)

    it("refuses what is no stream, closed ones, another context's, and time_kernel with it", function()
      local mem = cuda.mem_alloc(16)
      for _, value in ipairs { 5, "x", true, {}, mem, print } do
        gpu.raises("LogicError", "option stream: expected a Stream", bump, mem, 4, { block = 4, stream = value })
      end
      local closed = cuda.Stream()
      closed:close()
      gpu.raises("LogicError", "was closed at", bump, mem, 4, { block = 4, stream = closed })
      gpu.raises("LogicError", "time_kernel", bump, mem, 4, { block = 4, stream = cuda.Stream(), time_kernel = true })
      local other = cuda.Device(0):make_context()
      local s = cuda.Stream()
      cuda.Context.pop()
      gpu.raises("LogicError", "another context", bump, mem, 4, { block = 4, stream = s })
      other:detach()
      gpu.raises("LogicError", "its Context is gone", bump, mem, 4, { block = 4, stream = s })
    end)

    it("blocks of the pool that a foreign stream works on outlive their Lua object", function()
      local home, other = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
      local out = ffi.new "int[1]"
      local result = cuda.to_device(ffi.new "int[1]")
      local copy = cuda.SourceModule(in_streams):get_function "spin"
      cuda.Context.synchronize()
      for i = 1, 20 do
        local mem = cuda.mem_alloc_async(4, home)
        cuda.memset_d32_async(mem, i, 1, home)
        local e = cuda.Event():record(home)
        other:wait_for_event(e)
        copy(mem, result, { block = 1, stream = other })
        mem:free()
        local again = cuda.mem_alloc_async(4, home) -- likely the same block
        cuda.memset_d32_async(again, 99, 1, home)
        other:synchronize()
        cuda.memcpy_dtoh(out, result)
        assert.equal(i, out[0])
        again:free()
      end
    end)
  end)
end)
