-- cuda.debug: recorded launches are repeated on the software device, which names the line. Programs that lose their
-- device run in processes of their own.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"
local ffi = require "ffi"

local debugging = cuda.debug

-- In a child: its output. The kernel `shift` stores one element behind p; line 5 of its source.
local function child(code, environment)
  return gpu.child([[
local cuda = require "cudalua"
local shift = cuda.kernel [=[
__global__ void shift(const float *x, float *p, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i + 1] = x[i];
}
]=]
]] .. code, gpu.driver .. " " .. (environment or ""))
end

describe("cuda.debug.record and cuda.debug.replay", function()
  before_each(gpu.context)
  after_each(function() debugging.record(false) end)

  it("cuda.debug.record tells whether launches were recorded", function()
    assert.is_false(debugging.record(true))
    assert.is_true(debugging.record(true, { bytes = 0 }))
    assert.is_true(debugging.record(false))
    assert.is_false(debugging.record(false))
  end)

  it("refuse nonsense", function()
    gpu.raises("LogicError", "on must be true or false", debugging.record, 1)
    gpu.raises("LogicError", "unknown option 'byte'", debugging.record, true, { byte = 1 })
    gpu.raises("LogicError", "bytes must be a non-negative integer", debugging.record, true, { bytes = -1 })
    gpu.raises("LogicError", "bytes must be a non-negative integer", debugging.record, true, { bytes = "1" })
    gpu.raises("LogicError", "expected a path", debugging.replay, 1)
    gpu.raises("LogicError", "expected a path", debugging.save)
    gpu.raises("LogicError", "is not a recording", debugging.replay, "/nowhere/to/be/found")
    gpu.raises("LogicError", "is not a recording", debugging.replay, "README.md")
  end)

  it("say that nothing is recorded", function()
    local out = child [[
      print(select(2, pcall(cuda.debug.replay)).message)
      print(select(2, pcall(cuda.debug.save, "/tmp/x")).message)]]
    assert.equal("debug.replay: no launch is recorded\ndebug.save: no launch is recorded\n", out)
  end)

  it("keep arguments, shape and whole allocations of a launch", function()
    local k = cuda.kernel [[
      struct Pair { int n; float *p; };
      __global__ void take(Pair pair, const float *end, double d, int *q) { if (pair.n < 0) *q = (int)d; }]]
    debugging.record(true)
    local memory, other = cuda.to_device(gpu.floats(1, 2, 3)), cuda.to_device(ffi.new("int[2]", 4, 5))
    local pair = ffi.new "struct { int n; uint64_t p; }"
    pair.n, pair.p = 7, memory:ptr() + 4
    k(pair, cuda.pointer(memory:ptr() + 12), 2.5, other, { grid = { 2, 3 }, block = { 4, 2, 2 }, shared = 64 })
    local line = debug.getinfo(1, "l").currentline - 1
    local r = core.recorded()
    assert.equal("take", r.kernel:match "take")
    assert.truthy(r.where:find("replay_spec.lua:" .. line, 1, true))
    assert.same({ { 2, 3, 1 }, { 4, 2, 2 }, 64, false }, { r.grid, r.block, r.shared, r.cooperative })
    assert.equal(core.launch_count(), r.launch)
    local first, second = memory:ptr(), other:ptr()
    assert.same({ { address = first, bytes = 12, kept = true }, { address = second, bytes = 8, kept = true } },
      r.pieces)
    -- Words of the structure and of plain pointers; the end of an allocation belongs to it.
    assert.same({ { offset = 8, piece = 1 }, { offset = 32, piece = 2 }, { offset = 16, piece = 1 } }, r.pointers)
    local values = ffi.new "struct { int n; uint64_t p, e; double d; uint64_t q; }"
    ffi.copy(values, r.arguments, 40)
    assert.same({ 7, 2.5 }, { values.n, values.d })
    cuda.Context.synchronize()
  end)

  it("take an address that is one array's end and another's start for the start", function()
    local k = cuda.kernel "__global__ void f(int *a, int *b, int *c) { *b = *a; }"
    local memory = cuda.mem_alloc(512)
    debugging.record(true)
    k(memory, cuda.pointer(memory:ptr() + 256), cuda.pointer(memory:ptr() + 512), { block = 1 })
    local pointers = core.recorded().pointers
    assert.same({ { offset = 0, piece = 1 }, { offset = 8, piece = 1 } }, { pointers[1], pointers[2] })
    assert.is_true(#pointers == 3 and pointers[3].offset == 16)
  end)

  it("leave out what is beyond the limit, and say so", function()
    local k = cuda.kernel [[__global__ void sum(const int *a, const int *b, int *out) { *out = a[0] + b[99]; }]]
    local a, b = cuda.gpuarray.full(100, 1, "int32"), cuda.gpuarray.full(100, 2, "int32")
    local out = cuda.gpuarray.zeros(1, "int32")
    debugging.record(true, { bytes = 600 })
    k(a, b, out, { block = 1 })
    local kept = {}
    for i, piece in ipairs(core.recorded().pieces) do kept[i] = piece.kept end
    assert.same({ true, false, true }, kept)
    local replay = debugging.replay()
    assert.is_false(replay.fault)
    local note = "argument 2, const int *b (400 bytes) exceeded the limit of record(); zeros were used"
    assert.truthy(replay.text:find(note, 1, true))
    assert.equal(3, out:get()[1]) -- the program's own memory is as its kernel left it
  end)

  it("copy the memory before the kernel changes it", function()
    local out = child [[
      local k = cuda.kernel [=[
        #include <stdio.h>
        __global__ void next(int *a, int n) { printf("%d %d,", a[0], n); a[0] = n; }]=]
      local a = cuda.gpuarray.full(1, 5, "int32")
      cuda.debug.record(true)
      k(a, 8, { block = 1 })
      cuda.Context.synchronize()
      cuda.debug.record(false)
      k(a, 9, { block = 1 }) -- not recorded
      local replay = cuda.debug.replay()
      print(a:get()[1], replay.fault, replay.output)]]
    assert.equal("5 8,8 9,9\tfalse\t5 8,\n", out)
  end)

  it("record kernels of arrays and of ElementwiseKernel", function()
    local x = cuda.gpuarray.arange(1000, "float32")
    debugging.record(true)
    local y = (x * 2 + 1):eval()
    assert.truthy(core.recorded().kernel:find "^array_")
    assert.is_false(debugging.replay().fault)
    local f = require("cudalua.elementwise").ElementwiseKernel("float *x, float a", "x[i] *= a", "scale_all")
    f(y, 2)
    assert.equal("scale_all", core.recorded().kernel)
    local replay = debugging.replay()
    assert.same({ false, "scale_all" }, { replay.fault, replay.kernel })
    assert.equal(2 * (2 * 999 + 1), y:get()[1000])
  end)

  it("find what a GPU lets pass: a race, with both lines", function()
    local k = cuda.kernel [[
__global__ void reverse(int *a)
{
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = s[63 - threadIdx.x];
}]]
    debugging.record(true)
    k(cuda.gpuarray.zeros(64, "int32"), { block = 64 })
    local replay = debugging.replay()
    assert.same({ true, "race", "kernel.cu", 5, { 0, 0, 0 } },
      { replay.fault, replay.kind, replay.file, replay.line, replay.block })
    assert.truthy(replay.text:find(">    5 |   a[threadIdx.x] = s[63 - threadIdx.x];", 1, true))
  end)

  it("leave launches into a capture out", function()
    local k = cuda.kernel [[__global__ void one(int *a) { *a = 1; }]]
    local a, stream = cuda.mem_alloc(4), cuda.Stream()
    debugging.record(true)
    k(a, { block = 1 })
    local before, after
    stream:capture(function()
      before = core.recorded().launch
      k(a, { block = 1, stream = stream })
      after = core.recorded().launch
    end)
    assert.equal(before, after)
  end)

  it("cuda.debug.replay names the line of a store behind an array, after the device is lost", function()
    local out, ok = child [[
      local x, p = cuda.gpuarray.arange(64, "float32"), cuda.gpuarray.zeros(64)
      cuda.debug.record(true)
      local y = (x + 1):eval()
      shift(y, p, 64, { block = 64 })
      local waited, err = pcall(cuda.Context.synchronize) -- a GPU lets one element pass
      assert(waited ~= cuda.driver_info().soft and (waited or err.sticky))
      local r = cuda.debug.replay()
      print(r.fault, r.kind, r.kernel, r.file, r.line, table.concat(r.block, " "), table.concat(r.thread, " "))
      print(r)]]
    assert.is_true(ok, out)
    assert.truthy(out:find("true\tout_of_bounds\tshift\tkernel.cu\t5\t0 0 0\t63 0 0\n", 1, true), out)
    assert.truthy(out:find(">    5 |     p[i + 1] = x[i];\n", 1, true), out)
    assert.truthy(out:find "illegal store of 4 bytes at [^\n]* right after the end of [^\n]*; argument 2, float %*p%)")
  end)

  it("tell the kernel at fault from those that come later", function()
    local out = child [[
      local wild = cuda.kernel "__global__ void wild(int *p) { *p = 1; }"
      local a = cuda.mem_alloc(4)
      cuda.debug.record(true)
      wild(cuda.pointer(16), { block = 1 })
      for _ = 1, 3 do
        local ok, err = pcall(shift, a, a, 0, { block = 1 })
        assert(not ok and err.sticky)
      end
      print(cuda.debug.replay().kernel, cuda.debug.replay().fault)]]
    assert.equal("wild\ttrue\n", out:match "wild\ttrue\n")
  end)

  it("cuda.debug.save writes a recording that replays in another process", function()
    local path = os.tmpname()
    local out, ok = child(([[
      local p = cuda.gpuarray.zeros(64)
      cuda.debug.record(true)
      shift(p, p, 64, { block = 64 })
      cuda.debug.save %q]]):format(path))
    assert.is_true(ok, out)
    local replay = debugging.replay(path)
    assert.same({ true, "shift", 5 }, { replay.fault, replay.kernel, replay.line })
    local file = assert(io.open(path, "rb"))
    local bytes = file:read "*a"
    file:close()
    file = assert(io.open(path, "wb"))
    file:write(bytes:sub(1, -100))
    file:close()
    gpu.raises("LogicError", "is truncated", debugging.replay, path)
    os.remove(path)
    gpu.raises("RuntimeError", "cannot be written", function()
      debugging.record(true)
      cuda.kernel("__global__ void f() {}")({ block = 1 })
      debugging.save "/nowhere/to/be/found"
    end)
  end)
end)
