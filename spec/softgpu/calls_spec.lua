-- Functions that kernels really call: recursion, calls through pointers and tables, virtual functions, structures as
-- parameters and results; in the compiler's optimised output and in that for a debugger.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"

local source = [[
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void fibonacci(int *o) { o[threadIdx.x] = fib(threadIdx.x % 17); }

__device__ __noinline__ int ack(int m, int n)
{
  if (m == 0) return n + 1;
  if (n == 0) return ack(m - 1, 1);
  return ack(m - 1, ack(m, n - 1));
}
extern "C" __global__ void ackermann(int *o) { o[threadIdx.x] = ack(threadIdx.x % 3, threadIdx.x / 3 % 5); }

__device__ __noinline__ bool odd(int n);
__device__ __noinline__ bool even(int n) { return n == 0 || odd(n - 1); }
__device__ __noinline__ bool odd(int n) { return n != 0 && even(n - 1); }
extern "C" __global__ void parity(int *o) { o[threadIdx.x] = even(threadIdx.x % 23) * 2 + odd(threadIdx.x % 29); }

struct Shape {
  float w;
  __device__ Shape(float width) : w(width) {}
  virtual __device__ float area(float k) const = 0;
  virtual __device__ int kind() const { return 100; }
};
struct Square : Shape {
  __device__ Square(float width) : Shape(width) {}
  __device__ float area(float k) const override { return w * w * k; }
};
struct Ring : Shape {
  float hole;
  __device__ Ring(float width) : Shape(width), hole(3) {}
  __device__ float area(float k) const override { return k * w * w - hole; }
  __device__ int kind() const override { return 200; }
};
extern "C" __global__ void shapes(float *o, int pick)
{
  Square s(threadIdx.x);
  Ring r(threadIdx.x);
  Shape *both[2] = { &s, &r };
  const Shape *x = both[(threadIdx.x * pick) & 1];
  o[threadIdx.x] = x->area(2) + x->kind();
}

typedef int (*binary)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ binary table[3] = { add, subtract, multiply };
extern "C" __global__ void by_table(int *o, int k) { o[threadIdx.x] = table[(threadIdx.x + k) % 3](threadIdx.x, k); }
extern "C" __global__ void by_argument(int *o, unsigned long long f, int k)
{
  o[threadIdx.x] = ((binary)f)(threadIdx.x, k);
}

__device__ __noinline__ int apply(binary f, int n, int depth)
{
  int r = f(n, depth);
  return depth ? r + apply(depth & 1 ? add : multiply, n + 1, depth - 1) : r;
}
extern "C" __global__ void nested(int *o) { o[threadIdx.x] = apply(subtract, threadIdx.x, threadIdx.x % 6); }

struct Node;
typedef int (*visit)(const Node *);
struct Node { visit f; const Node *left, *right; int value; };
__device__ int leaf(const Node *n) { return n->value; }
__device__ int sum(const Node *n) { return n->left->f(n->left) + n->right->f(n->right); }
__device__ int product(const Node *n) { return n->left->f(n->left) * n->right->f(n->right); }
extern "C" __global__ void tree(int *o)
{
  int t = threadIdx.x;
  Node a = { leaf, 0, 0, t }, b = { leaf, 0, 0, 3 }, c = { t & 1 ? sum : product, &a, &b, 0 }, d = { sum, &c, &a, 0 };
  Node e = { t % 3 ? product : sum, &d, &c, 0 };
  const Node *root = t % 5 ? &e : &d;
  o[t] = root->f(root);
}

__device__ __noinline__ void sort(int *a, int low, int high)
{
  if (low >= high) return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) { int x = a[i]; a[i++] = a[j]; a[j--] = x; }
  }
  sort(a, low, j);
  sort(a, i, high);
}
extern "C" __global__ void quicksort(int *a, int n) { sort(a + threadIdx.x * n, 0, n - 1); }

struct Big { double x[5]; int n; };
__device__ __noinline__ Big grow(Big b, int k)
{
  if (k == 0) return b;
  b.x[k % 5] += k;
  b.n++;
  Big r = grow(b, k - 1);
  r.x[0] += 1;
  return r;
}
extern "C" __global__ void structures(double *o)
{
  Big b = { { 1, 2, 3, 4, 5 }, 0 };
  b = grow(b, threadIdx.x % 7);
  for (int i = 0; i < 5; i++) o[threadIdx.x * 6 + i] = b.x[i];
  o[threadIdx.x * 6 + 5] = b.n;
}

__device__ __noinline__ int together(int v)
{
  return __shfl_xor_sync(0xffffffff, v, 1) + __popc(__ballot_sync(0xffffffff, v & 1));
}
extern "C" __global__ void warp_in_function(int *o)
{
  int v = threadIdx.x;
  for (int i = 0; i < 3; i++) v = together(v) + i;
  o[threadIdx.x] = v;
}
__device__ __noinline__ int halves(int *s, int n)
{
  if (n == 0) return s[0];
  __syncthreads();
  if (threadIdx.x < n) s[threadIdx.x] += s[threadIdx.x + n];
  __syncthreads();
  return halves(s, n / 2);
}
extern "C" __global__ void barrier_in_recursion(int *o)
{
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  o[threadIdx.x] = halves(s, 64);
}

__device__ __noinline__ int give_up(int *o, int n)
{
  if (n > 3) {
    o[threadIdx.x] = -1;
    asm volatile("exit;");
  }
  return n * 2;
}
extern "C" __global__ void exits(int *o)
{
  o[threadIdx.x] = 7;
  int v = give_up(o, threadIdx.x & 7);
  o[threadIdx.x] = v;
}

__device__ __noinline__ int down(int n) { volatile int x = n; return n ? down(n - 1) + x : 0; }
extern "C" __global__ void deep(int *o, int n) { o[threadIdx.x] = down(n + threadIdx.x); }
]]

local N = 96

for _, variant in ipairs { { "optimised" }, { "for a debugger", { "-G" } }, { "relocatable", "linked" } } do
  describe("calls in code that is " .. variant[1] .. ":", function()
    local mod
    local function ints(name, n, ...)
      local o = ffi.new("int[?]", n)
      local args = { ... }
      args[#args + 1] = { block = n }
      mod:get_function(name)(cuda.Out(o), unpack(args))
      return o
    end
    local function all(n, got, want)
      for t = 0, n - 1 do
        local w = want(t)
        if got[t] ~= w then error(("thread %d: %s instead of %s"):format(t, tostring(got[t]), tostring(w))) end
      end
      assert.is_true(n > 0)
    end

    setup(function()
      gpu.context()
      cuda.Context.set_limit("stack_size", 8192)
      local linked = variant[2] == "linked"
      mod = linked and cuda.DynamicModule { no_extern_c = true }:add_source(source):link()
        or cuda.SourceModule(source, { no_extern_c = true, options = variant[2] })
    end)
    teardown(function() cuda.Context.set_limit("stack_size", 1024) end)
    before_each(gpu.context)

    it("Fibonacci, by lanes of different depth", function()
      local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
      all(N, ints("fibonacci", N), function(t) return fib(t % 17) end)
    end)

    it("Ackermann: a call's result is the argument of the next", function()
      local function ack(m, n)
        if m == 0 then return n + 1 end
        if n == 0 then return ack(m - 1, 1) end
        return ack(m - 1, ack(m, n - 1))
      end
      all(N, ints("ackermann", N), function(t) return ack(t % 3, math.floor(t / 3) % 5) end)
    end)

    it("two functions that call each other", function()
      all(N, ints("parity", N), function(t) return (t % 23 % 2 == 0 and 2 or 0) + t % 29 % 2 end)
    end)

    it("virtual functions, one for half of the lanes, one for the others", function()
      for pick = 0, 1 do
        local o = ffi.new("float[?]", N)
        mod:get_function "shapes"(cuda.Out(o), pick, { block = N })
        all(N, o, function(t) return t * pick % 2 == 0 and 2 * t * t + 100 or 2 * t * t - 3 + 200 end)
      end
    end)

    it("a table of functions, and a pointer that the host read from it", function()
      local want = { [0] = function(a, b) return a + b end, function(a, b) return a - b end,
        function(a, b) return a * b end }
      for k = 4, 6 do
        all(N, ints("by_table", N, k), function(t) return want[(t + k) % 3](t, k) end)
      end
      local addresses = ffi.new "uint64_t[3]"
      cuda.memcpy_dtoh(addresses, (mod:get_global "table"))
      for i = 0, 2 do
        all(N, ints("by_argument", N, addresses[i], 5), function(t) return want[i](t, 5) end)
      end
    end)

    it("recursion over calls through pointers", function()
      local function apply(f, n, depth)
        local r = f(n, depth)
        if depth == 0 then return r end
        return r + apply(depth % 2 == 1 and function(a, b) return a + b end or function(a, b) return a * b end, n + 1,
          depth - 1)
      end
      all(N, ints("nested", N), function(t) return apply(function(a, b) return a - b end, t, t % 6) end)
    end)

    it("a tree whose nodes know their functions", function()
      all(N, ints("tree", N), function(t)
        local c = t % 2 == 1 and t + 3 or t * 3
        local d = c + t
        return t % 5 == 0 and d or t % 3 ~= 0 and d * c or d + c
      end)
    end)

    it("quicksort", function()
      local n, lanes = 40, 32
      local a, sums = ffi.new("int[?]", n * lanes), {}
      for i = 0, n * lanes - 1 do
        a[i] = math.random(-500, 500)
        local lane = math.floor(i / n)
        sums[lane] = (sums[lane] or 0) + a[i]
      end
      mod:get_function "quicksort"(cuda.InOut(a), n, { block = lanes })
      for lane = 0, lanes - 1 do
        local sum = 0
        for i = lane * n, lane * n + n - 1 do
          sum = sum + a[i]
          assert(i == lane * n or a[i - 1] <= a[i], "not in order")
        end
        assert.equal(sums[lane], sum)
      end
    end)

    it("structures as parameters and results", function()
      local o = ffi.new("double[?]", 32 * 6)
      mod:get_function "structures"(cuda.Out(o), { block = 32 })
      for t = 0, 31 do
        local x, k = { [0] = 1, 2, 3, 4, 5 }, t % 7
        for i = k, 1, -1 do x[i % 5] = x[i % 5] + i end
        x[0] = x[0] + k
        for i = 0, 4 do assert(o[t * 6 + i] == x[i], t) end
        assert.equal(k, o[t * 6 + 5])
      end
    end)

    it("warp operations and barriers inside of functions", function()
      local v = {}
      for t = 0, 63 do v[t] = t end
      for i = 0, 2 do
        local new = {}
        for t = 0, 63 do
          local ones = 0
          for l = t - t % 32, t - t % 32 + 31 do ones = ones + v[l] % 2 end
          new[t] = v[t % 2 == 0 and t + 1 or t - 1] + ones + i
        end
        v = new
      end
      all(64, ints("warp_in_function", 64), function(t) return v[t] end)
      all(128, ints("barrier_in_recursion", 128), function() return 127 * 64 end)
    end)

    it("a thread that exits in a function", function()
      all(N, ints("exits", N), function(t) return t % 8 > 3 and -1 or t % 8 * 2 end)
    end)

    it("a stack of the size that was requested", function()
      local function want(n) return n * (n + 1) / 2 end
      all(32, ints("deep", 32, 40), function(t) return want(40 + t) end)
      cuda.Context.set_limit("stack_size", 65536)
      all(32, ints("deep", 32, 400), function(t) return want(400 + t) end)
      cuda.Context.set_limit("stack_size", 8192)
    end)
  end)
end
