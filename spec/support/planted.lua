-- Kernels with one bug each, for the checks of the software device. In a source, HERE marks the line that the
-- report has to name, OTHER the other end of a race; with -DFIXED the bug is gone, where `fixed` says so.
--
-- A case: name, source; kind and code of the report; thread (and block) that it names; says: a pattern of its
-- text; args: "ints:64" and the like are device memory, of zeros, "raw:64" such that nobody has written; block,
-- grid, options of the launch; options: of the compiler; setup(cuda, fn, args): what goes before it.
local M = {}

local families = {}
M.families = families

families.bounds = {
  { "a store behind the end", "out_of_bounds", 700, { 64 }, "256 bytes into|right after the end",
    [[__global__ void k(int *a) {
        int i = threadIdx.x;
#ifdef FIXED
        if (i < 64)
#endif
        a[i] = i; // HERE
      }]], args = { "ints:64" }, block = 65, fixed = true },
  { "a load behind the end", "out_of_bounds", 700, { 31 }, "right after the end of",
    [[__global__ void k(int *o, const int *a) {
#ifdef FIXED
        o[threadIdx.x] = a[threadIdx.x];
#else
        o[threadIdx.x] = a[threadIdx.x + 1]; // HERE
#endif
      }]], args = { "ints:32", "ints:32" }, block = 32, fixed = true },
  { "a load before the beginning", "out_of_bounds", 700, { 0 }, "4 bytes before allocation",
    [[__global__ void k(int *o, const int *a) {
        int i = threadIdx.x;
        o[i] = a[i - 1]; // HERE
      }]], args = { "ints:32", "ints:32" }, block = 32 },
  { "one row too many of a matrix", "out_of_bounds", 700, { 0, 8 }, "allocation",
    [[__global__ void k(float *m) {
        int x = threadIdx.x, y = threadIdx.y;
        m[y * 16 + x] = 1; // HERE
      }]], args = { "ints:128" }, block = { 16, 9 } },
  { "a store behind shared memory", "out_of_bounds", 700, { 64 },
    "; right after the end of shared array s %(256 bytes at 0x0%); the block has 256 bytes of shared memory",
    [[__global__ void k(int *o, int n) {
        __shared__ int s[64];
        s[threadIdx.x + n] = 1; // HERE
        __syncthreads();
        o[threadIdx.x] = s[threadIdx.x % 64];
      }]], args = { "ints:65", 0 }, block = 65 },
  { "a load behind dynamic shared memory", "out_of_bounds", 700, { 16 },
    "; right after the end of shared array s %(from 0x0 on%); the block has 64 bytes of shared memory",
    [[extern __shared__ int s[];
      __global__ void k(int *o) {
        if (threadIdx.x < 16) s[threadIdx.x] = 1;
        __syncthreads();
        o[threadIdx.x] = s[threadIdx.x]; // HERE
      }]], args = { "ints:32" }, block = 32, shared = 64 },
  { "a store behind an array in local memory", "out_of_bounds", 700, { 4 }, "the thread's local memory has 32 bytes",
    [[__global__ void k(int *o, int n) {
        volatile int a[8];
        for (int i = 0; i < 8; i++) a[i] = i;
        a[n + threadIdx.x] = 1; // HERE
        o[threadIdx.x] = a[n & 7];
      }]], args = { "ints:32", 4 }, block = 6 },
  { "a load behind constant memory", "out_of_bounds", 700, { 4 }, "variable c",
    [[__constant__ int c[4];
      __global__ void k(int *o) {
        o[threadIdx.x] = c[threadIdx.x]; // HERE
      }]], args = { "ints:32" }, block = 5 },
  { "a store to constant memory", "out_of_bounds", 700, { 0 }, "constant memory cannot be written: variable c",
    [[__constant__ int c[4];
      __global__ void k(int *o, int *p) {
        p[1] = o[0] + c[0]; // HERE
      }]], args = { "ints:32", "global:c" }, block = 1 },
  { "an atomic operation behind the end", "out_of_bounds", 700, { 2 }, "atomic access",
    [[__global__ void k(int *a) {
        atomicAdd(a + threadIdx.x, 1); // HERE
      }]], args = { "ints:2" }, block = 3 },
  { "a double where a float is", "misaligned", 716, { 0 }, "not a multiple of 8",
    [[__global__ void k(float *a) {
        *(double *)(a + 1) = 1; // HERE
      }]], args = { "ints:8" }, block = 1 },
  { "four floats at once that are not aligned", "misaligned", 716, { 0 }, "not a multiple of 16",
    [[__global__ void k(float *o, const float *a) {
        float4 v = *(const float4 *)(a + 2); // HERE
        o[0] = v.x + v.w;
      }]], args = { "ints:8", "ints:8" }, block = 1 },
  { "a misaligned word of shared memory", "misaligned", 716, { 1 },
    "not a multiple of 4; 5 bytes into shared array s %(256 bytes at 0x0%); the",
    [[__global__ void k(int *o) {
        __shared__ char s[256];
        *(int *)(s + threadIdx.x * 5) = 7; // HERE
        __syncthreads();
        o[threadIdx.x] = s[threadIdx.x * 5];
      }]], args = { "ints:32" }, block = 32 },
  { "a store before the beginning", "out_of_bounds", 700, { 0 }, "4 bytes before allocation",
    [[__global__ void k(int *a) {
        a[(int)threadIdx.x - 1] = 1; // HERE
      }]], args = { "ints:32" }, block = 32 },
  { "a vector across the end", "out_of_bounds", 700, { 7 }, "56 bytes into .*, across its end",
    [[__global__ void k(int2 *a) {
        a[threadIdx.x] = make_int2(1, 2); // HERE
      }]], args = { "ints:15" }, block = 8 },
  { "two ints at once that are not aligned", "misaligned", 716, { 0 }, "store of 8 bytes .* not a multiple of 8",
    [[__global__ void k(int *a) {
        *(int2 *)(a + 1) = make_int2(1, 2); // HERE
      }]], args = { "ints:8" }, block = 1 },
  { "a misaligned atomic operation", "misaligned", 716, { 0 }, "atomic access of 8 bytes .* not a multiple of 8",
    [[__global__ void k(int *a) {
        atomicAdd((unsigned long long *)(a + 1), 1ull); // HERE
      }]], args = { "ints:8" }, block = 1 },
  { "a negative index of shared memory", "out_of_bounds", 700, { 0 },
    "address 0xf+c; 4 bytes before shared array s %(128 bytes at 0x0%); the block has 128 bytes",
    [[__global__ void k(int *o) {
        __shared__ int s[32];
        s[(int)threadIdx.x - 1] = 1; // HERE
        __syncthreads();
        o[threadIdx.x] = s[threadIdx.x];
      }]], args = { "ints:32" }, block = 32 },
  { "an index that has overflown", "out_of_bounds", 700, { 1 }, "allocation|device",
    [[__global__ void k(int *a, int rows) {
        int at = threadIdx.x * rows * rows; // -2147479015 in thread 1
        a[at] = 1; // HERE
      }]], args = { "ints:64", 46341 }, block = 2 },
  { "an index beyond 32 bits", "out_of_bounds", 700, { 1 }, "allocation|device",
    [[__global__ void k(char *a, long long row) {
        a[threadIdx.x * row] = 1; // HERE
      }]], args = { "ints:64", 2 ^ 40 }, block = 2 },
  { "one element behind a shared array, in the next one", "array", 719, { 31 },
    "address 0x%x+, beyond the variable that the address is made from, shared array a %(128 bytes at 0x%x+%); the",
    [[__global__ void k(int *o) {
        __shared__ int a[32], b[32];
        int i = threadIdx.x;
        a[i] = i;
        b[i] = -i;
        __syncthreads();
#ifdef FIXED
        o[i] = a[(i + 1) % 32] + b[i];
#else
        o[i] = a[i + 1] + b[i]; // HERE
#endif
      }]], args = { "ints:32" }, block = 32, fixed = true },
  { "one element before a shared array, in another one", "array", 719, { 0 }, "store of 4 bytes .* beyond the variable",
    [[__global__ void k(int *o, const int *n) {
        __shared__ int a[32];
        __shared__ int b[32];
        int i = threadIdx.x;
        a[i] = 0;
        __syncthreads();
        int at = i + n[i];
        b[at] = i; // HERE
        __syncthreads();
        o[i] = a[i] + b[0];
      }]], args = { "ints:32", "minus:32" }, block = 32 },
  { "before dynamic shared memory", "array", 719, { 0 }, "beyond the variable .* %(from 0x80 on%)",
    [[extern __shared__ int d[];
      __global__ void k(int *o, const int *n) {
        __shared__ int a[32];
        int i = threadIdx.x;
        a[i] = 0;
        __syncthreads();
        int at = i + n[i];
        d[at] = i; // HERE
        __syncthreads();
        o[i] = a[i];
      }]], args = { "ints:32", "minus:32" }, block = 32, shared = 128 },
  { "a mistake in a function that was expanded in place", "out_of_bounds", 700, { 3 },
    "planted.cu:%d+, inlined at planted.cu:%d+",
    [[__device__ void put(int *a, int i) {
        a[i] = 1; // HERE
      }
      __global__ void k(int *a) {
        put(a, threadIdx.x); // OUTER
      }]], args = { "ints:3" }, block = 4 },
  { "a mistake in a function that is called", "out_of_bounds", 700, { 3 }, "right after the end",
    [[__device__ __noinline__ void put(int *a, int i) {
        a[i] = 1; // HERE
      }
      __global__ void k(int *a) { put(a, threadIdx.x); }]], args = { "ints:3" }, block = 4 },
  { "a mistake in one block of many", "out_of_bounds", 700, { 1, 2 }, "right after the end",
    block_at = { 2, 1, 0 },
    [[__global__ void k(int *a) {
        int block = blockIdx.x + 3 * blockIdx.y, thread = threadIdx.x + 2 * threadIdx.y;
        a[block * 6 + thread] = 1; // HERE
      }]], args = { "ints:35" }, block = { 2, 3 }, grid = { 3, 2 } },
}

families.pointers = {
  { "a null pointer", "out_of_bounds", 700, { 0 }, "a null pointer",
    [[__global__ void k(int *a) {
        a[0] = 1; // HERE
      }]], args = { false }, block = 1 },
  { "a field of a null pointer", "out_of_bounds", 700, { 0 }, "a null pointer with an offset",
    [[struct S { int a[4], b; };
      __global__ void k(S *s) {
        s->b = 1; // HERE
      }]], args = { false }, block = 1 },
  { "a pointer of the host", "out_of_bounds", 700, { 0 }, "this looks like a host pointer",
    [[__global__ void k(const int *const *a, int *o) {
        o[0] = *a[0]; // HERE
      }]], args = { "host", "ints:1" }, block = 1 },
  { "memory that was freed", "out_of_bounds", 700, { 0 }, "the memory was freed: 0 bytes into .*freed at %S+:%d+",
    [[__global__ void k(int *o, int **a) {
        *o = *a[0]; // HERE
      }]], args = { "ints:1", "freed" }, block = 1 },
  { "memory of a kernel that was freed", "out_of_bounds", 700, { 0 },
    "the memory was freed: 0 bytes into what was memory from malloc in a kernel .*made at %S+:2 .*freed at %S+:3",
    [[__global__ void k(int *o) {
        int *p = (int *)malloc(4);
        free(p);
        *p = 1; // HERE
        o[0] = 1;
      }]], args = { "ints:1" }, block = 1 },
  { "behind memory of a kernel", "out_of_bounds", 700, { 3 }, "right after the end .*malloc in a kernel %(40 bytes",
    [[__global__ void k(int *o, int n) {
        char *p = (char *)malloc(40);
        p[threadIdx.x == 3 ? n : 0] = 1; // HERE
        free(p);
      }]], args = { "ints:1", 40 }, block = 4 },
  { "freed though nobody has allocated it", "launch_failed", 719, { 0 },
    "which malloc in a kernel did not return: 0 bytes into allocation %d+ %(16 bytes at 0x%x+, made at %S+:%d+%)",
    [[__global__ void k(int *a) {
        free(a); // HERE
      }]], args = { "ints:4" }, block = 1 },
  { "freed from its middle", "launch_failed", 719, { 0 },
    "which malloc in a kernel did not return: 16 bytes into memory from malloc in a kernel %(64 bytes .* made at %S+:2",
    [[__global__ void k(int *o) {
        int *p = (int *)malloc(64);
        o[0] = p != 0;
        free(p + 4); // HERE
      }]], args = { "ints:1" }, block = 1 },
  { "memory of another device", "out_of_bounds", 700, { 0 },
    "memory of device 1, to which the kernel's context on device 0 has no peer access", devices = 2,
    [[__global__ void k(int **a) {
        *a[0] = 1; // HERE
      }]], args = { "elsewhere" }, block = 1 },
  { "memory of a context that is gone", "out_of_bounds", 700, { 0 }, "the memory was freed: 0 bytes into",
    [[__global__ void k(int **a) {
        *a[0] = 1; // HERE
      }]], args = { "gone" }, block = 1 },
  { "trap", "launch_failed", 719, { 5 }, "the kernel stopped itself",
    [[__global__ void k(int *o) {
        if (o[threadIdx.x] == 0 && threadIdx.x > 4)
          __trap(); // HERE
        o[threadIdx.x] = 1;
      }]], args = { "ints:8" }, block = 8 },
  { "freed twice", "launch_failed", 719, { 0 }, "which was already freed",
    [[__global__ void k(int *o) {
        void *p = malloc(8);
        o[0] = p != 0;
        free(p);
        free(p); // HERE
      }]], args = { "ints:1" }, block = 1 },
  { "a null function pointer", "invalid_pc", 718, { 0 }, "address of no function",
    [[typedef int F(int);
      __device__ int one(int x) { return x + 1; }
      __device__ F *table[2] = { one };
      __global__ void k(int *o) {
        o[0] = table[o[0] + 1](3); // HERE
      }]], args = { "ints:1" }, block = 1 },
  { "calls without end", "illegal_address", 700, { 0 }, "stack overflow",
    [[__device__ __noinline__ int deep(int n) { // HERE
        volatile int a[16];
        a[n & 15] = n;
        return n == 0 ? 0 : deep(n + 1) + a[n & 15];
      }
      __global__ void k(int *o) { o[0] = deep(o[0] + 1); }]], args = { "ints:1" }, block = 1 },
  { "calls without end, compiled for a debugger", "launch_failed", 719, { 0 }, "stack overflow", options = { "-G" },
    [[__device__ int deep(int n) { // HERE
        return n == 0 ? 0 : deep(n + 1) + 1;
      }
      __global__ void k(int *o) { o[0] = deep(o[0] + 1); }]], args = { "ints:1" }, block = 1 },
  { "an assertion", "assert", 710, { 2 }, "assertion `threadIdx.x < 2` failed",
    [[__global__ void k(int *o) {
        assert(threadIdx.x < 2); // HERE
        o[0] = 1;
      }]], args = { "ints:1" }, block = 3 },
}

families.uninitialised = {
  { "device memory that nobody has written", "uninitialised", 719, { 0 }, "0 bytes into allocation .*made at %S+:%d+",
    [[__global__ void k(int *o, const int *a) {
        o[threadIdx.x] = a[threadIdx.x] + 1; // HERE
      }]], args = { "ints:32", "raw:32" }, block = 32 },
  { "the half of it that nobody has written", "uninitialised", 719, { 16 }, "64 bytes into",
    [[__global__ void k(int *o, const int *a) {
        o[threadIdx.x] = a[threadIdx.x] + 1; // HERE
      }]], args = { "ints:32", "half:32" }, block = 32 },
  { "what a kernel left out", "uninitialised", 719, { 5 }, "20 bytes into",
    [[__global__ void fill(int *a) { if (threadIdx.x != 5) a[threadIdx.x] = 1; }
      __global__ void k(int *o, const int *a) {
        o[threadIdx.x] = 2 * a[threadIdx.x]; // HERE
      }]], args = { "ints:32", "raw:32" }, block = 32,
    setup = function(_, mod, args) mod:get_function "fill"(args[2], { block = 32 }) end },
  { "a copy of what nobody has written", "uninitialised", 719, { 0 }, "allocation",
    [[__global__ void k(int *o, const int *a) {
        o[threadIdx.x] = a[threadIdx.x] + 1; // HERE
      }]], args = { "ints:32", "copied:32" }, block = 32 },
  { "a copy of that over what was written", "uninitialised", 719, { 3 }, "12 bytes into allocation",
    [[__global__ void k(int *o, const int *a) {
        o[threadIdx.x] = a[threadIdx.x] + 1; // HERE
      }]], args = { "ints:32", "half:32" }, block = 16,
    setup = function(cuda, _, args) cuda.memcpy_dtod(args[2] + 12, cuda.mem_alloc(16), 16) end },
  { "a counter that nobody has set", "uninitialised", 719, { 0 }, "atomic access",
    [[__global__ void k(int *o, int *n) {
        o[0] = atomicAdd(n, 1); // HERE
      }]], args = { "ints:1", "raw:1" }, block = 1 },
  { "memory in the order of a stream", "uninitialised", 719, { 0 }, "never written",
    [[__global__ void k(int *o, const int *a) {
        o[0] = a[threadIdx.x] + 1; // HERE
      }]], args = { "ints:1", "async:32" }, block = 1 },
  { "memory of a kernel", "uninitialised", 719, { 0 }, "memory from malloc in a kernel",
    [[__global__ void k(int *o) {
        int *p = (int *)malloc(64);
        for (int i = 0; i < 15; i++) p[i] = i;
        int sum = 0;
        for (int i = 0; i < 16; i++)
          sum += p[(i + o[0]) & 15]; // HERE
        o[0] = sum;
        free(p);
      }]], args = { "ints:1" }, block = 1 },
  { "shared memory", "uninitialised", 719, { 0 }, "shared address",
    [[__global__ void k(int *o) {
        __shared__ int s[32];
#ifdef FIXED
        s[threadIdx.x] = 1;
#endif
        o[threadIdx.x] = s[threadIdx.x] + 1; // HERE
      }]], args = { "ints:32" }, block = 32, fixed = true },
  { "a border of shared memory", "uninitialised", 719, { 31 }, "shared address 0x84",
    [[__global__ void k(int *o, const int *a) {
        __shared__ int s[34];
        int i = threadIdx.x;
        s[i + 1] = a[i];
        if (i == 0) s[0] = 0;
#ifdef FIXED
        if (i == 0) s[33] = 0;
#endif
        __syncthreads();
        o[i] = s[i] + s[i + 1] + s[i + 2]; // HERE
      }]], args = { "ints:32", "ints:32" }, block = 32, fixed = true },
  { "shared memory of the block before", "uninitialised", 719, { 0 }, "block %(1,0,0%).*shared",
    [[__global__ void k(int *o) {
        __shared__ int s[32];
        if (blockIdx.x == 0) s[threadIdx.x] = 1;
        __syncthreads();
        o[threadIdx.x] = s[threadIdx.x] + 1; // HERE
      }]], args = { "ints:32" }, block = 32, grid = 2 },
  { "one float as a double", "uninitialised", 719, { 0 }, "load of 8 bytes",
    [[__global__ void k(double *o) {
        __shared__ __align__(8) float s[64];
        s[threadIdx.x * 2] = 1;
        __syncwarp();
        o[threadIdx.x] = ((double *)s)[threadIdx.x] + 1; // HERE
      }]], args = { "ints:64" }, block = 32 },
  { "an element of an array in local memory", "uninitialised", 719, { 0 }, "local",
    [[__global__ void k(int *o, int n) {
        int a[16];
        for (int i = 0; i < n; i++) a[i] = i * i;
        int sum = 0;
        for (int i = 0; i <= n; i++)
          sum += a[i]; // HERE
        o[0] = sum;
      }]], args = { "ints:1", 7 }, block = 1 },
  { "a field of a structure", "uninitialised", 719, { 0 }, "8 bytes into allocation",
    [[struct S { int a, b; float c; };
      __global__ void fill(S *s) { s[threadIdx.x].a = 1, s[threadIdx.x].b = 2; }
      __global__ void k(int *o, const S *s) {
        o[threadIdx.x] = s[threadIdx.x].a + s[threadIdx.x].b;
        o[threadIdx.x] += s[threadIdx.x].c > 0; // HERE
      }]], args = { "ints:8", "raw:24" }, block = 8,
    setup = function(_, mod, args) mod:get_function "fill"(args[2], { block = 8 }) end },
  { "the last of four elements", "uninitialised", 719, { 0 }, "load of 16 bytes|load of 4 bytes",
    [[__global__ void fill(int *a) { if (threadIdx.x % 4 < 3) a[threadIdx.x] = 1; }
      __global__ void k(int *o, const int4 *a) {
        int4 v = a[threadIdx.x]; // HERE
        o[threadIdx.x] = v.x + v.y + v.z + v.w;
      }]], args = { "ints:8", "raw:32" }, block = 8,
    setup = function(_, mod, args) mod:get_function "fill"(args[2], { block = 32 }) end },
  { "a barrier in memory that nobody has set up", "uninitialised", 719, { 0 }, "shared address",
    [[__global__ void k(int *o) {
        __shared__ unsigned long long barrier;
        unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
        unsigned long long state;
#ifdef FIXED
        if (threadIdx.x == 0)
          asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(at) : "memory");
        __syncthreads();
#endif
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory"); // HERE
        o[threadIdx.x] = state != 0;
      }]], args = { "ints:32" }, block = 32, fixed = true },
}

families.races = {
  { "all threads store to one place", "race", 719, { 63 }, "another value by thread",
    [[__global__ void k(int *o) {
        __shared__ int s;
        s = threadIdx.x; // HERE OTHER
        __syncthreads();
        o[threadIdx.x] = s;
      }]], args = { "ints:64" }, block = 64 },
  { "no barrier between store and load", "race", 719, { 0 }, "the load of 4 bytes at shared address 0xfc and the store",
    [[__global__ void k(int *o) {
        __shared__ int s[64];
        s[threadIdx.x] = threadIdx.x; // OTHER
#ifdef FIXED
        __syncthreads();
#endif
        o[threadIdx.x] = s[63 - threadIdx.x]; // HERE
      }]], args = { "ints:64" }, block = 64, fixed = true },
  { "no barrier between load and store", "race", 719, { 0 }, "store .* and the load of thread",
    [[__global__ void k(int *o, const int *a) {
        __shared__ int s[64];
        int i = threadIdx.x;
        s[i] = a[i];
        __syncthreads();
        int v = s[(i + 1) & 63]; // OTHER
#ifdef FIXED
        __syncthreads();
#endif
        s[i] = v + 1; // HERE
        __syncthreads();
        o[i] = s[i];
      }]], args = { "ints:64", "ints:64" }, block = 64, fixed = true },
  { "many loads, then a store without a barrier", "race", 719, { 0 },
    "store .* and loads by threads of warps 0, 1, 2, 3, 4, 5, 6, 7 are not ordered",
    [[__global__ void k(int *o) {
        __shared__ int s[256];
        int i = threadIdx.x, sum = 0;
        s[i] = i;
        __syncthreads();
        for (int n = 0; n < 100; n++) sum += s[(i + 5 * n) % 256];
#ifdef FIXED
        __syncthreads();
#endif
        s[i] = sum; // HERE
        __syncthreads();
        o[i] = s[255 - i];
      }]], args = { "ints:256" }, block = 256, fixed = true },
  { "rows of threads that store to the same row", "race", 719, { 0, 15 }, "another value by thread %(0,0,0%)",
    [[__global__ void k(int *o) {
        __shared__ int s[16];
#ifdef FIXED
        s[threadIdx.x] = threadIdx.x + 5;
#else
        s[threadIdx.x] = threadIdx.y; // HERE OTHER
#endif
        __syncthreads();
        o[threadIdx.x + 16 * threadIdx.y] = s[threadIdx.x];
      }]], args = { "ints:256" }, block = { 16, 16 }, fixed = true },
  { "a reduction without its barriers", "race", 719, { 0 }, "not ordered",
    [[__global__ void k(int *o, const int *a) {
        __shared__ int s[256];
        int i = threadIdx.x;
        s[i] = a[i];
        __syncthreads();
        for (int n = 128; n > 0; n /= 2) {
          if (i < n) s[i] += s[i + n]; // HERE OTHER
#ifdef FIXED
          __syncthreads();
#endif
        }
        if (i == 0) o[0] = s[0];
      }]], args = { "ints:1", "list:256" }, block = 256, fixed = true },
  { "a tile that is loaded over while it is read", "race", 719, { 0 }, "not ordered",
    [[__global__ void k(int *o, const int *a, int n) {
        __shared__ int s[64];
        int i = threadIdx.x, sum = 0;
        for (int t = 0; t < n; t++) {
          s[i] = a[t * 64 + i]; // HERE
          __syncthreads();
          sum += s[63 - i]; // OTHER
#ifdef FIXED
          __syncthreads();
#endif
        }
        o[i] = sum;
      }]], args = { "ints:64", "list:256", 4 }, block = 64, fixed = true },
  { "a warp without __syncwarp", "race", 719, { 0 }, "not ordered",
    [[__global__ void k(int *o) {
        __shared__ int s[32];
        s[threadIdx.x] = threadIdx.x; // OTHER
#ifdef FIXED
        __syncwarp();
#endif
        o[threadIdx.x] = s[threadIdx.x ^ 1]; // HERE
      }]], args = { "ints:32" }, block = 32, fixed = true },
  { "a barrier for one warp of two", "race", 719, { 32 }, "not ordered",
    [[__global__ void k(int *o) {
        __shared__ int s[64];
        int i = threadIdx.x;
        s[i] = i; // OTHER
#ifdef FIXED
        asm volatile("bar.sync 1, 64;" ::: "memory");
#else
        if (i < 32) asm volatile("bar.sync 1, 32;" ::: "memory");
        else asm volatile("bar.sync 2, 32;" ::: "memory");
#endif
        if (i >= 32) o[i] = s[i - 32]; // HERE
      }]], args = { "ints:64" }, block = 64, fixed = true },
  { "bytes of one word", "race", 719, { 35 }, "store of 1 bytes",
    [[__global__ void k(int *o) {
        __shared__ char s[64];
        s[threadIdx.x % 32] = threadIdx.x; // HERE OTHER
        __syncthreads();
        o[threadIdx.x] = s[threadIdx.x % 32];
      }]], args = { "ints:64" }, block = 64 },
  { "a counter that is set while others count", "race", 719, { 1 },
    "atomic access .* and the store of thread %(0,0,0%)",
    [[__global__ void k(int *o) {
        __shared__ int n;
        if (threadIdx.x == 0) n = 0; // OTHER
#ifdef FIXED
        __syncthreads();
#endif
        atomicAdd(&n, 1); // HERE
        __syncthreads();
        o[threadIdx.x] = n;
      }]], args = { "ints:64" }, block = 64, fixed = true },
  { "a histogram that is read too early", "race", 719, { 0 }, "the atomic access of thread",
    [[__global__ void k(int *o, const int *a) {
        __shared__ int h[64];
        int i = threadIdx.x;
        h[i] = 0;
        __syncthreads();
        atomicAdd(&h[a[i] + (i + 1) % 64], 1); // OTHER
#ifdef FIXED
        __syncthreads();
#endif
        o[i] = h[i]; // HERE
      }]], args = { "ints:64", "ints:64" }, block = 64, fixed = true },
  { "two stores without a barrier", "race", 719, { 0 }, "store .* and the store of thread %(32,0,0%)",
    [[__global__ void k(int *o) {
        __shared__ int s[64];
        int i = threadIdx.x;
        s[i] = i; // OTHER
#ifdef FIXED
        __syncthreads();
#endif
        s[(i + 32) % 64] = -1; // HERE
        __syncthreads();
        o[i] = s[i];
      }]], args = { "ints:64" }, block = 64, fixed = true },
  { "two warps with halves of one array", "race", 719, { 16 }, "the store of thread %(%d+,0,0%)",
    [[__global__ void k(int *o) {
        __shared__ int s[64];
        int i = threadIdx.x;
        s[i] = i; // OTHER
#ifdef FIXED
        __syncthreads();
#else
        __syncwarp();
#endif
        o[i] = s[(i + 16) % 64]; // HERE
      }]], args = { "ints:64" }, block = 64, fixed = true },
  { "a counter that is not atomic", "race", 719, { 63 }, "not ordered",
    [[__global__ void k(int *n) {
#ifdef FIXED
        atomicAdd(n, (int)threadIdx.x);
#else
        n[0] += threadIdx.x; // HERE OTHER
#endif
      }]], args = { "ints:1" }, block = 64, fixed = true, any_end = true },
  { "a counter that some increment without an atomic operation", "race", 719, { 32 }, "not ordered",
    [[__global__ void k(int *n) {
        if (threadIdx.x < 32)
          atomicAdd(n, 1); // OTHER
        else if (threadIdx.x == 32)
#ifdef FIXED
          atomicAdd(n, 7);
#else
          n[0] += 7; // HERE
#endif
      }]], args = { "ints:1" }, block = 64, fixed = true, any_end = true },
  { "vectors that overlap", "race", 719, { 1 }, "store of 4 bytes|store of 16 bytes",
    [[__global__ void k(int *o) {
        __shared__ __align__(16) int s[72];
        int i = threadIdx.x;
#ifdef FIXED
        *(int4 *)(s + 4 * (i % 16)) = make_int4(0, 0, 0, 0);
#else
        *(int4 *)(s + 4 * (i % 16)) = make_int4(i, i, i, i); // HERE OTHER
#endif
        __syncthreads();
        o[i] = s[i];
      }]], args = { "ints:32" }, block = 32, fixed = true, any_end = true },
  { "an asynchronous copy that its own thread does not wait for", "race", 719, { 0 },
    "asynchronous copy of thread %(0,0,0%) at .*, inlined at planted.cu:4 .* nothing waited for the copy",
    [[#include <cuda_pipeline.h>
      extern "C" __global__ void k(int *o, const int *a) {
        __shared__ int s[64];
        __pipeline_memcpy_async(&s[threadIdx.x], a + threadIdx.x, 4); // OTHER
        __pipeline_commit();
#ifdef FIXED
        __pipeline_wait_prior(0);
#endif
        o[threadIdx.x] = s[threadIdx.x]; // HERE
      }]], args = { "ints:64", "ints:64" }, block = 64, fixed = true, no_extern_c = true },
  { "an asynchronous copy that a barrier does not wait for", "race", 719, { 0 }, "nothing waited for the copy",
    [[#include <cuda_pipeline.h>
      extern "C" __global__ void k(int *o, const int4 *a) {
        __shared__ int4 s[64];
        __pipeline_memcpy_async(&s[threadIdx.x], a + threadIdx.x, 16); // OTHER
        __pipeline_commit();
#ifdef FIXED
        __pipeline_wait_prior(0);
#endif
        __syncthreads();
        o[threadIdx.x] = s[63 - threadIdx.x].x; // HERE
      }]], args = { "ints:64", "ints:256" }, block = 64, fixed = true, no_extern_c = true },
  { "a pipeline that waits for one stage too few", "race", 719, { 0 }, "nothing waited for the copy",
    [[#include <cuda_pipeline.h>
      extern "C" __global__ void k(int *o, const int *a) {
        __shared__ int s[2][64];
        int i = threadIdx.x, sum = 0;
        for (int n = 0; n < 2; n++) {
          __pipeline_memcpy_async(&s[n][i], a + 64 * n + i, 4); // OTHER
          __pipeline_commit();
        }
        for (int n = 0; n < 4; n++) {
#ifdef FIXED
          __pipeline_wait_prior(1);
#else
          __pipeline_wait_prior(2);
#endif
          __syncthreads();
          sum += s[n % 2][63 - i]; // HERE
          __syncthreads();
          if (n < 2) __pipeline_memcpy_async(&s[n % 2][i], a + 64 * n + i, 4);
          __pipeline_commit();
        }
        o[i] = sum;
      }]], args = { "ints:64", "ints:128" }, block = 64, fixed = true, no_extern_c = true },
  { "a pipeline that runs ahead of the block's end, and waits for one stage too few", "race", 719, { 0 },
    "nothing waited for the copy",
    [[#include <cuda_pipeline.h>
      extern "C" __global__ void k(int *o, const int *a) {
        __shared__ int s[2][64];
        int i = threadIdx.x, at = 64 * blockIdx.x;
        __pipeline_memcpy_async(&s[0][i], a + at + i, 4); // OTHER
        __pipeline_commit();
        __pipeline_memcpy_async(&s[1][i], a + at + i, 4); // the block ends before somebody waits for this one
        __pipeline_commit();
#ifdef FIXED
        __pipeline_wait_prior(1);
#else
        __pipeline_wait_prior(2);
#endif
        __syncthreads();
        o[at + i] = s[0][63 - i]; // HERE
      }]], args = { "ints:256", "ints:256" }, block = 64, grid = 4, fixed = true, no_extern_c = true },
  { "data that is read before its barrier in memory", "race", 719, { 0 }, "not ordered",
    [[__global__ void k(int *o) {
        __shared__ unsigned long long barrier;
        __shared__ int s[64];
        unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), i = threadIdx.x, over = 0;
        unsigned long long state;
        if (i == 0)
          asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(at) : "memory");
        __syncthreads();
        s[i] = i; // OTHER
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
#ifdef FIXED
        while (!over)
          asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                       : "=r"(over) : "r"(at), "l"(state) : "memory");
#endif
        o[i] = s[63 - i] + over + (state == 0); // HERE
      }]], args = { "ints:64" }, block = 64, fixed = true },
  { "an asynchronous copy without a wait", "race", 719, { 0 }, "not ordered",
    [[#include <cuda_pipeline.h>
      extern "C" __global__ void k(int *o, const int *a) {
        __shared__ int s[64];
        __pipeline_memcpy_async(&s[threadIdx.x], a + threadIdx.x, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
#ifdef FIXED
        __syncthreads();
#endif
        o[threadIdx.x] = s[63 - threadIdx.x]; // HERE
      }]], args = { "ints:64", "ints:64" }, block = 64, fixed = true, no_extern_c = true },
  { "blocks that store to one place", "race", 719, { 0 }, "of block %(0,0,0%)", block_at = { 1, 0, 0 },
    [[__global__ void k(int *o) {
        if (threadIdx.x == 0) o[0] = blockIdx.x + 1; // HERE OTHER
      }]], args = { "ints:1" }, block = 32, grid = 4 },
  { "what another block stores", "race", 719, { 0 }, "the store of thread %(31,0,0%) of block %(0,0,0%)",
    block_at = { 1, 0, 0 },
    [[__global__ void k(int *a, int *o) {
        int i = blockIdx.x * 32 + threadIdx.x;
        a[i] = i; // OTHER
        __syncthreads();
        o[i] = i ? a[i - 1] : 0; // HERE
      }]], args = { "ints:128", "ints:128" }, block = 32, grid = 4 },
  { "in place, with neighbours of other blocks", "race", 719, { 0 }, "not ordered",
    [[__global__ void k(int *a) {
        int i = blockIdx.x * 32 + threadIdx.x + 1;
        int v = a[i - 1] + a[i + 1]; // OTHER
        __syncthreads();
        a[i] = v; // HERE
      }]], args = { "ints:130" }, block = 32, grid = 4, any_end = true, block_at = { 1, 0, 0 } },
  { "global memory of one block without a barrier", "race", 719, { 0 }, "not ordered",
    [[__global__ void k(int *a, int *o) {
        int i = threadIdx.x;
        a[i] = i; // OTHER
#ifdef FIXED
        __syncthreads();
#endif
        o[i] = a[127 - i]; // HERE
      }]], args = { "ints:128", "ints:128" }, block = 128, fixed = true },
  { "a message without a fence", "race", 719, { 0 }, "of block %(0,0,0%)", block_at = { 1, 0, 0 },
    [[__global__ void k(int *data, int *flag, int *o) {
        if (blockIdx.x == 0) {
          data[0] = 42; // OTHER
#ifdef FIXED
          __threadfence();
#endif
          atomicExch(flag, 1);
        } else {
          while (atomicAdd(flag, 0) == 0) ;
#ifdef FIXED
          __threadfence();
#endif
          o[0] = data[0]; // HERE
        }
      }]], args = { "ints:1", "ints:1", "ints:1" }, block = 1, grid = 2, fixed = true },
  { "a message with a fence for the block alone", "race", 719, { 0 }, "of block %(0,0,0%)", block_at = { 1, 0, 0 },
    [[__global__ void k(int *data, volatile int *flag, int *o) {
        if (blockIdx.x == 0) {
          data[0] = 42; // OTHER
#ifdef FIXED
          __threadfence();
#else
          __threadfence_block();
#endif
          *flag = 1;
        } else {
          while (*flag == 0) ;
          __threadfence();
          o[0] = data[0]; // HERE
        }
      }]], args = { "ints:1", "ints:1", "ints:1" }, block = 1, grid = 2, fixed = true },
  { "the last block reads what the others did not publish", "race", 719, { 0 }, "not ordered",
    block_at = { 3, 0, 0 },
    [[__global__ void k(int *part, unsigned *count, int *o) {
        __shared__ bool last;
        if (threadIdx.x == 0) {
          part[blockIdx.x] = blockIdx.x; // OTHER
#ifdef FIXED
          __threadfence();
#endif
          last = atomicInc(count, gridDim.x) == gridDim.x - 1;
        }
        __syncthreads();
        if (last && threadIdx.x == 0) {
          int sum = 0;
          for (int i = 0; i < gridDim.x; i++) sum += part[i]; // HERE
          o[0] = sum;
        }
      }]], args = { "ints:4", "ints:1", "ints:1" }, block = 32, grid = 4, fixed = true },
  { "phases of a grid that does not wait", "race", 719, { 0 }, "not ordered", cooperative = true,
    [[#include <cooperative_groups.h>
      extern "C" __global__ void k(int *a, int *o) {
        int i = blockIdx.x * 32 + threadIdx.x, n = gridDim.x * 32;
        a[i] = i; // OTHER
#ifdef FIXED
        cooperative_groups::this_grid().sync();
#endif
        o[i] = a[n - 1 - i]; // HERE
      }]], args = { "ints:128", "ints:128" }, block = 32, grid = 4, fixed = true, no_extern_c = true,
    any_end = true },
  { "a lock that is given back without a fence", "race", 719, { 0 }, "not ordered", block_at = { 1, 0, 0 },
    [[__global__ void k(int *lock, int *sum) {
        while (atomicCAS(lock, 0, 1) != 0) ;
        __threadfence();
        sum[0] += blockIdx.x + 1; // HERE OTHER
#ifdef FIXED
        __threadfence();
#endif
        atomicExch(lock, 0);
      }]], args = { "ints:1", "ints:1" }, block = 1, grid = 4, fixed = true, any_end = true },
}

families.barriers = {
  { "a barrier in both arms of a branch", "barrier", 719, { 16 }, "threads of one warp",
    [[__global__ void k(int *o) {
        if (threadIdx.x < 16) {
          o[threadIdx.x] = 1;
          __syncthreads(); // OTHER
        } else {
          o[threadIdx.x] = 2;
          __syncthreads(); // HERE
        }
      }]], args = { "ints:32" }, block = 32, any_end = true },
  { "warps at different barriers", "barrier", 719, { 32 }, "threads of one block",
    [[__global__ void k(int *o) {
        if (threadIdx.x < 32) {
          o[threadIdx.x] = 1;
          __syncthreads(); // OTHER
        } else {
          o[threadIdx.x] = 2;
          __syncthreads(); // HERE
        }
      }]], args = { "ints:64" }, block = 64, any_end = true },
  { "a barrier in a loop that threads leave at different times", "barrier", 719, { 0 }, "threads of one warp",
    [[__global__ void k(int *o) {
        __shared__ int s[32];
        int i = threadIdx.x, sum = 0;
        s[i] = i;
        for (int n = 0; n <= i % 3; n++) {
          __syncthreads(); // OTHER
          sum += s[(i + n) % 32];
        }
        __syncthreads(); // HERE
        o[i] = sum;
      }]], args = { "ints:32" }, block = 32, any_end = true },
  { "a mask with lanes that are elsewhere", "launch_failed", 719, { 0 }, "lanes of their warp that never come",
    [[__global__ void k(int *o) {
        if (threadIdx.x < 16)
          o[threadIdx.x] = __ballot_sync(0xffffffff, o[threadIdx.x] == 0); // HERE
        else
          asm volatile("bar.sync 0;" ::: "memory");
      }]], args = { "ints:32" }, block = 32 },
  { "threads that wait for each other at two barriers", "launch_failed", 719, { 0 }, "deadlock",
    [[__global__ void k(int *o) {
        if (threadIdx.x < 32)
          asm volatile("bar.sync 1, 64;" ::: "memory"); // HERE
        else
          asm volatile("bar.sync 2, 64;" ::: "memory");
        o[threadIdx.x] = 1;
      }]], args = { "ints:64" }, block = 64 },
  { "a shuffle with a mask that leaves the lane out", "illegal_instruction", 715, { 16 }, "not in the member mask",
    [[__global__ void k(int *o) {
        o[threadIdx.x] = __shfl_xor_sync(0xffff, threadIdx.x, 1); // HERE
      }]], args = { "ints:32" }, block = 32 },
  { "a shuffle from a lane that is elsewhere", "shuffle", 719, { 0 },
    "value of lane 16 .* does not take part in it; the value is stored to global memory at planted.cu:3",
    [[__global__ void k(int *o) {
        if (threadIdx.x < 16)
          o[threadIdx.x] = __shfl_xor_sync(0xffff, threadIdx.x, 16); // HERE
      }]], args = { "ints:32" }, block = 32 },
  { "a sum with a value from elsewhere", "shuffle", 719, { 15 },
    "value of lane 23 .*; the value is stored to global memory at planted.cu:10",
    [[__global__ void k(int *o, int n) {
        int lane = threadIdx.x;
        if (lane >= 16) return;
        int v = __shfl_down_sync(0xffff, lane, 8); // HERE
#ifdef FIXED
        int sum = lane + 8 < n ? lane + v : lane;
#else
        int sum = lane == 15 ? lane + v : lane;
#endif
        o[lane] = sum;
      }]], args = { "ints:32", 16 }, block = 32, fixed = true },
  { "a branch on a value from elsewhere", "shuffle", 719, { 8 }, "value of lane 16 .*; the value decides a branch",
    [[__global__ void k(int *o, int n) {
        int lane = threadIdx.x;
        if (lane >= 16) return;
        int v = __shfl_down_sync(0xffff, o[lane], 8); // HERE
#ifdef FIXED
        if (lane + 8 < 16)
#endif
        if (v == n) { o[lane] = 7; __syncwarp(0xff); asm volatile("membar.cta;" ::: "memory"); }
      }]], args = { "ints:32", 1 }, block = 32, fixed = true },
  { "an address from elsewhere", "shuffle", 719, { 8 }, "value of lane 16 .*; the value decides an address",
    [[__global__ void k(int *o) {
        int lane = threadIdx.x;
        if (lane >= 16) return;
        int v = __shfl_down_sync(0xffff, o[lane], 8); // HERE
#ifdef FIXED
        if (lane + 8 < 16)
#endif
        o[v + lane] = 1;
      }]], args = { "ints:64" }, block = 32, fixed = true },
  { "a value from elsewhere by way of shared memory", "shuffle", 719, { 15 },
    "value of lane 23 .*; the value is stored to global memory at planted.cu:9 .* by thread %(0,0,0%)",
    [[__global__ void k(int *o) {
        __shared__ int s[16];
        int lane = threadIdx.x;
        if (lane < 16) s[lane] = __shfl_down_sync(0xffff, lane, 8); // HERE
        __syncthreads();
#ifdef FIXED
        if (lane < 8) o[lane] = s[lane];
#else
        if (lane < 8) o[lane] = s[15 - lane];
#endif
      }]], args = { "ints:32" }, block = 32, fixed = true },
  { "a value from elsewhere by way of another shuffle", "shuffle", 719, { 8 },
    "value of lane 16 .*; the value is stored to global memory at planted.cu:%d+ .* by thread %(0,0,0%)",
    [[__global__ void k(int *o) {
        int lane = threadIdx.x;
        if (lane >= 16) return;
        int v = __shfl_down_sync(0xffff, lane, 8); // HERE
#ifdef FIXED
        v = __shfl_sync(0xffff, v, lane & 7);
#else
        v = __shfl_sync(0xffff, v, lane | 8);
#endif
        o[lane] = v;
      }]], args = { "ints:32" }, block = 32, fixed = true },
  { "a value from elsewhere that a recursive call saved", "shuffle", 719, { 8 },
    "value of lane 16 .*; the value is stored to global memory at planted.cu:%d+",
    [[__device__ __noinline__ int total(int n, int v, int lane) {
        if (n == 0) return 0;
        int below = total(n - 1, lane, lane);
#ifdef FIXED
        return lane < 8 ? below + v : below;
#else
        return below + v;
#endif
      }
      __global__ void k(int *o) {
        int lane = threadIdx.x;
        if (lane >= 16) return;
        int v = __shfl_down_sync(0xffff, lane, 8); // HERE
        o[lane] = total(3, v, lane);
      }]], args = { "ints:32" }, block = 32, fixed = true },
  { "a byte from elsewhere between others", "shuffle", 719, { 15 },
    "value of lane 23 .*; the value is stored to global memory at planted.cu:%d+ .* by thread %(0,0,0%)",
    [[__global__ void k(int *o) {
        __shared__ char s[16];
        int lane = threadIdx.x;
        if (lane >= 16) return;
        char v = __shfl_down_sync(0xffff, lane, 8); // HERE
        if (lane == 15) s[15] = v;
        __syncwarp(0xffff);
        if (lane < 15) s[lane] = lane; // in the same words, later
        __syncwarp(0xffff);
#ifdef FIXED
        o[lane] = s[lane < 15 ? lane : 0];
#else
        o[lane] = s[15 - lane];
#endif
      }]], args = { "ints:32" }, block = 32, fixed = true },
  { "a printed value from elsewhere", "shuffle", 719, { 8 }, "value of lane 16 .*; the value is printed",
    [[extern "C" __device__ int printf(const char *, ...);
      __global__ void k(int *o) {
        int lane = threadIdx.x;
        if (lane >= 16) return;
        int v = __shfl_down_sync(0xffff, lane, 8); // HERE
#ifdef FIXED
        if (lane < 8)
#endif
        printf("%d\n", v);
        o[lane] = lane;
      }]], args = { "ints:32" }, block = 32, fixed = true },
  { "a printed string with a byte from elsewhere", "shuffle", 719, { 8 }, "value of lane 16 .*; the value is printed",
    [[extern "C" __device__ int printf(const char *, ...);
      __global__ void k(int *o) {
        int lane = threadIdx.x;
        if (lane >= 16) return;
        char text[4] = {'a', (char)('b' + (__shfl_down_sync(0xffff, lane, 8) & 1)), 'c', 0}; // HERE
#ifdef FIXED
        if (lane >= 8) text[1] = 'x';
#endif
        printf("%s\n", text);
        o[lane] = lane;
      }]], args = { "ints:32" }, block = 32, fixed = true },
  { "an allocation of a size from elsewhere", "shuffle", 719, { 8 },
    "value of lane 16 .*; the value is an argument of a function of the device",
    [[__global__ void k(int *o) {
        int lane = threadIdx.x;
        if (lane >= 16) return;
        int v = __shfl_down_sync(0xffff, lane, 8) & 15; // HERE
#ifdef FIXED
        if (lane >= 8) v = 4;
#endif
        void *p = malloc(v + 1);
        o[lane] = p != 0;
        free(p);
      }]], args = { "ints:32" }, block = 32, fixed = true },
}

-- Everything below runs in the process of its own where the cases are tried.

local function line_of(source, mark)
  local n = 0
  for line in (source .. "\n"):gmatch "([^\n]*)\n" do
    n = n + 1
    if line:find("//.*" .. mark) then return n end
  end
end

---The line of the case that its report has to name, the other end of a race, and where the first is inlined.
function M.lines(case) return line_of(case[6], "HERE"), line_of(case[6], "OTHER"), line_of(case[6], "OUTER") end

local function make(cuda, what, keep, mod)
  if type(what) ~= "string" then return what or nil end
  local ffi = require "ffi"
  local kind, n = what:match "^(%l+):?(%w*)$"
  local bytes = 4 * (tonumber(n) or 2)
  if kind == "global" then return (mod:get_global(n)) end
  if kind == "async" then return cuda.mem_alloc_async(bytes) end
  local mem = cuda.mem_alloc(bytes)
  if kind == "ints" then
    cuda.memset_d32(mem, 0, bytes / 4)
  elseif kind == "minus" then
    cuda.memset_d32(mem, 0xffffffff, bytes / 4)
  elseif kind == "list" then
    local list = ffi.new("int[?]", bytes / 4)
    for i = 0, bytes / 4 - 1 do list[i] = i end
    cuda.memcpy_htod(mem, list)
  elseif kind == "half" then
    cuda.memset_d32(mem, 0, bytes / 8)
  elseif kind == "copied" then
    cuda.memcpy_dtod(mem, cuda.mem_alloc(bytes), bytes)
  elseif kind == "host" or kind == "freed" or kind == "elsewhere" or kind == "gone" then
    local pointer = ffi.new("uint64_t[1]")
    if kind == "elsewhere" or kind == "gone" then
      local other = cuda.Device(kind == "gone" and 0 or 1):make_context()
      keep.other = cuda.mem_alloc(64)
      pointer[0] = keep.other:ptr()
      if kind == "gone" then other:detach() else cuda.Context.pop() end
    elseif kind == "host" then
      keep.host = ffi.new "int[4]"
      pointer[0] = ffi.cast("uint64_t", ffi.cast("uintptr_t", keep.host))
    else
      local gone = cuda.mem_alloc(64)
      pointer[0] = gone:ptr()
      gone:free()
    end
    cuda.memcpy_htod(mem, pointer)
  end
  return mem
end

local function run(cuda, case, fixed)
  local softgpu = require "cudalua.softgpu"
  softgpu.set_device_count(case.devices or 1)
  local keep = { context = cuda.Device(0):make_context() }
  local mod = cuda.SourceModule(case[6], { name = "planted.cu", no_extern_c = case.no_extern_c,
    options = fixed and { "-DFIXED" } or case.options })
  local args = {}
  for i, what in ipairs(case.args) do args[i] = make(cuda, what, keep, mod) end
  if case.setup then case.setup(cuda, mod, args) end
  local n = #case.args
  args[n + 1] = { block = case.block, grid = case.grid, shared = case.shared, cooperative = case.cooperative }
  local ok, err = pcall(function()
    mod:get_function "k"(unpack(args, 1, n + 1))
    cuda.Context.synchronize()
  end)
  local report = ok and "" or softgpu.report "json"
  if not ok and not (cuda.is_error(err, "LaunchError") and err.detail == softgpu.report()) then
    err = ("no LaunchError with the report for its detail: %s"):format(tostring(err)):gsub("%s", " ")
  end
  return ok, err, report, keep
end

---Runs a family and prints a line for each case: name, code, report as JSON; "fine" for one without its bug.
function M.run(family, fixed)
  local cuda = require "cudalua"
  io.stdout:setvbuf "line" -- the compiler's remarks come on stderr
  cuda.init()
  for _, case in ipairs(families[family]) do
    if not fixed or case.fixed then
      local ok, err, report = run(cuda, case, fixed)
      print(("%s\t%s\t%s"):format(case[1], ok and "fine" or type(err) == "table" and err.code or err, report))
    end
  end
end

return M
