-- Arrays as arguments of kernels that users write.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"

local source = [[
typedef struct { int a; } unknown;
__global__ void twice(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
__global__ void add_to(float *y, float d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += d;
}
__global__ void fourth(float4 *y) { y[threadIdx.x].w = 9; }
__global__ void swap(float2 *z) { float t = z->x; z->x = z->y; z->y = t; }
__global__ void letters(char *a, unsigned char *b) { a[0] = 'A'; b[0] = 1; }
__global__ void anything(void *p, unknown *q) { *(int *)p = 7; q->a = 8; }
__global__ void is_null(const float *p, int *answer) { *answer = p == nullptr; }
__global__ void number(long long i, double d, bool b, float2 z, double *out) {
  out[0] = i; out[1] = d; out[2] = b; out[3] = z.y;
}
__global__ void address(unsigned long long p, float v) { *(float *)p = v; }
]]

describe("A gpuarray as an argument of cuda.Function", function()
  local kernels = {}

  setup(function()
    gpu.context()
    local mod = cuda.SourceModule(source)
    for name in source:gmatch "__global__ void ([%w_]+)" do kernels[name] = mod:get_function(name) end
  end)

  local one = { block = 8 }

  it("stands for its address, offset included, in all forms of a launch", function()
    local x, y = gpuarray.to_gpu { 1, 2, 3, 4 }, gpuarray.zeros and gpuarray.zeros(4) or gpuarray.to_gpu { 0, 0, 0, 0 }
    kernels.twice(y, x, 4, one)
    assert.same({ 2, 4, 6, 8 }, y:tolist())
    kernels.twice { y, x[{ { 2, 4 } }], 3, block = 8 }
    assert.same({ 4, 6, 8, 8 }, y:tolist())
    kernels.twice(y[{ { 3, 4 } }], x, 2, one)
    assert.same({ 4, 6, 2, 4 }, y:tolist())
    local add = kernels.add_to
    add:prepare("Pfi", { block = 8 })
    add:prepared_call(1, y, 1, 4)
    assert.same({ 5, 7, 3, 5 }, y:tolist())
    local s = cuda.Stream()
    add:prepared_async_call(1, s, y, 1, 2)
    s:synchronize()
    assert.same({ 6, 8, 3, 5 }, y:tolist())
    s:close()
  end)

  it("goes with In and Out, and into parameters that are set before the launch", function()
    local x, out = gpuarray.to_gpu { 1, 2, 3, 4 }, ndarray.empty(4)
    kernels.twice(cuda.Out(out), x + 1, 4, one)
    assert.same({ 4, 6, 8, 10 }, out:tolist())
    local add = kernels.add_to
    add:param_set(x, 10, 4)
    x:fill(0) -- the launch is what counts
    add:set_block_shape(8, 1, 1)
    local before = x * 1
    add:launch()
    assert.same({ 10, 10, 10, 10 }, x:tolist())
    assert.same({ 0, 0, 0, 0 }, before:tolist())
  end)

  it("is passed as it is where it has gaps", function()
    local x, y = gpuarray.to_gpu { 1, 2, 3, 4 }, gpuarray.empty(2)
    kernels.twice(y, x[{ { 1, -1, 2 } }], 2, one)
    assert.same({ 2, 4 }, y:tolist()) -- from the address of the first element on
  end)

  it("is refused where its elements are repeated or lie backwards: a kernel would reach beyond them", function()
    local x, y = gpuarray.to_gpu { 1, 2 }, gpuarray.zeros(2)
    local err = gpu.raises("LogicError", "the array float32(2,) is a view with elements in reverse order, but the " ..
      "kernel receives only an address; copy it with copy()", kernels.twice, y, x:flip(), 2, one)
    assert.equal(2, err.arg)
    gpu.raises("LogicError", "a view with repeated elements", kernels.twice, x[{ { 1 } }]:broadcast_to(2), x, 2,
      one)
    assert.same({ 0, 0 }, y:tolist())
    kernels.twice(y, x:flip():copy(), 2, one)
    assert.same({ 4, 2 }, y:tolist())
    kernels.twice(y, x[{ { 2, 1 } }]:flip(), 0, one) -- no elements
    kernels.twice(y, x[{ { 2 } }]:flip(), 1, one)    -- one
    assert.same({ 4, 2 }, y:tolist())
  end)

  it("is computed first, and so is what still has to read what may be written", function()
    local x = gpuarray.to_gpu { 1, 2, 3 }
    local y = gpuarray.to_gpu { 5, 5, 5 }
    local reads_x, reads_y, reads_view = x + 1, y + 1, y[{ { 2, 3 } }] * 10
    kernels.twice(y, x * 2, 3, one)
    assert.same({ 4, 8, 12 }, y:tolist())
    assert.same({ 6, 6, 6 }, reads_y:tolist())
    assert.same({ 50, 50 }, reads_view:tolist())
    assert.same({ 2, 3, 4 }, reads_x:tolist())
    assert.same({ 5, 9, 13 }, (y + 1):tolist())
  end)

  it("evaluates no readers behind a pointer to const", function()
    local x, y = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.empty(3)
    local late, other = x + 1, gpuarray.to_gpu { 0, 0, 0 } * 2
    kernels.twice(y, x, 3, one)
    assert.is_truthy(late._sig)
    kernels.add_to(x, 1, 3, one)
    assert.is_false(late._sig)
    assert.is_truthy(other._sig)
    assert.same({ 2, 3, 4 }, late:tolist())
  end)

  it("is read after a kernel wrote it, by what is written down then", function()
    local y = gpuarray.to_gpu { 1, 1, 1 }
    for k = 1, 10 do
      kernels.add_to(y, 1, 3, one)
      assert.equal(3 * (k + 1), (y[1] + y[2] + y[3]))
    end
    assert.same({ 22, 22, 22 }, (y * 2):tolist())
  end)

  it("has to be of the parameter's type", function()
    local y = gpuarray.to_gpu { 1, 2 }
    local double, int = gpuarray.to_gpu({ 1, 2 }, "float64"), gpuarray.to_gpu({ 1, 2 }, "int32")
    local err = gpu.raises("LogicError", "twice: argument 2 (const float *x): the array is float64(2,), but the " ..
      "kernel takes float32", kernels.twice, y, double, 2, one)
    assert.equal("twice", err.kernel)
    assert.equal(2, err.arg)
    gpu.raises("LogicError", "the array is int32(2,), but the kernel takes float32", kernels.twice, int, y, 2, one)
    assert.same({ 1, 2 }, y:tolist())
  end)

  it("may be seen as vectors and as bytes", function()
    local y = gpuarray.to_gpu { 1, 2, 3, 4, 5, 6, 7, 8 }
    kernels.fourth(y, { block = 2 })
    assert.same({ 1, 2, 3, 9, 5, 6, 7, 9 }, y:tolist())
    gpu.raises("LogicError", "begins at byte 4 of its memory, but float4 needs a multiple of 16", kernels.fourth,
      y[{ { 2, 8 } }], { block = 1 })
    local c = gpuarray.to_gpu(ndarray.array({ 3 }, "complex64"))
    kernels.swap(c, one)
    assert.equal("0+3i", tostring(c:item()))
    local i8, u8, bool = gpuarray.to_gpu({ 0 }, "int8"), gpuarray.to_gpu({ 0 }, "uint8"), gpuarray.to_gpu { false }
    kernels.letters(i8, bool, one)
    kernels.letters(u8, u8[{ { 1 } }], one)
    assert.equal(65, i8:item())
    assert.is_true(bool:item())
    gpu.raises("LogicError", "the array is int8(1,), but the kernel takes uint8", kernels.letters, i8, i8, one)
    local any = gpuarray.to_gpu({ 1.5 }, "float64")
    local other = gpuarray.to_gpu({ 1, 2 }, "int16")
    kernels.anything(any, other, one)
    assert.same({ 8, 0 }, other:tolist())
  end)

  it("gives a null pointer where it has no elements, and a number where it has no axes", function()
    local answer = gpuarray.to_gpu({ 5 }, "int32")
    kernels.is_null(gpuarray.empty(0), answer, one)
    assert.equal(1, answer:item())
    kernels.is_null(gpuarray.empty(3), answer, one)
    assert.equal(0, answer:item())
    local out = gpuarray.empty(4, "float64")
    local z = gpuarray.to_gpu(ndarray.array({ 1 }, "complex64"))
    kernels.swap(z, one)
    kernels.number(gpuarray.to_gpu(3, "int32"), gpuarray.to_gpu(2.5) * 2, gpuarray.to_gpu(true), z[{ 1 }], out, one)
    assert.same({ 3, 5, 1, 1 }, out:tolist())
    gpu.raises("LogicError", "number: argument 2 (double d): expected a number, got the array float32(1,)",
      kernels.number, 1, gpuarray.to_gpu { 1 }, true, z[{ 1 }], out, one)
  end)

  it("is an address for an integer of 64 bits", function()
    local x = gpuarray.to_gpu { 1, 2, 3 }
    local before = x + 0
    kernels.address(x[{ { 2, 3 } }], 9, { block = 1 })
    assert.same({ 1, 9, 3 }, x:tolist())
    assert.same({ 1, 2, 3 }, before:tolist())
  end)

  it("is ordered between streams", function()
    local s = cuda.Stream "non_blocking"
    local n = 50000
    local x = gpuarray.to_gpu(ndarray.zeros(n))
    for k = 1, 20 do
      kernels.add_to(x, 1, n, { block = 256, grid = math.ceil(n / 256), stream = k % 2 == 0 and s or nil })
      x = x + 1
    end
    local host = x:get()
    assert.equal(40, host[1])
    assert.equal(40, host[n])
    s:close()
  end)

  it("is what a graph uses whenever it is launched", function()
    local s = cuda.Stream()
    local x, y = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.to_gpu { 0, 0, 0 }
    local graph = s:capture(function() kernels.twice(y, x, 3, one) end)
    local exec = graph:instantiate()
    x:set { 5, 6, 7 }
    exec:launch(s)
    s:synchronize()
    assert.same({ 10, 12, 14 }, y:tolist())
    local seen = y + 1 -- computed at once: the graph may write y at any time
    x:fill(1)
    exec:launch(s)
    s:synchronize()
    assert.same({ 2, 2, 2 }, y:tolist())
    assert.same({ 11, 13, 15 }, seen:tolist())
    s:close()
  end)

  it("is refused by kernels of another context", function()
    local x = gpuarray.to_gpu { 1, 2 }
    local other = cuda.Device(0):make_context()
    local y = gpuarray.to_gpu { 1, 2 }
    local twice = cuda.SourceModule(source):get_function "twice"
    gpu.raises("LogicError", "argument 2 (const float *x): the array belongs to another context", twice, y, x, 2, one)
    twice(y, y, 2, one)
    assert.same({ 2, 4 }, y:tolist())
    cuda.Context.pop()
    gpu.raises("LogicError", "belongs to another context", kernels.twice, x, y, 2, one)
    y:release()
    other:detach()
    assert.same({ 1, 2 }, x:tolist())
  end)

  it("is refused where it was released, or is no array", function()
    local x, y = gpuarray.to_gpu { 1, 2 }, gpuarray.empty(2)
    x:release()
    gpu.raises("LogicError", "was released", kernels.twice, y, x, 2, one)
    gpu.raises("LogicError", "a table cannot be passed to a kernel", kernels.twice, y, { 1, 2 }, 2, one)
    gpu.raises("LogicError", "pass x.block, the block of this rank", kernels.twice, y, gpu.cuda.distributed.zeros(2), 2,
      one)
    gpu.raises("LogicError", "argument 3 (int n)", kernels.twice, y, y, y, one)
    gpu.raises("LogicError", "twice: options are", kernels.twice, y, y, y)
  end)
end)
