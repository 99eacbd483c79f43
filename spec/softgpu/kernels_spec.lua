-- Real CUDA C against references in plain Lua: what kernels compute, on a GPU and on the software device. All
-- results are compared exactly except where a case names a tolerance.
local gpu = require "spec.support.gpu"
local cuda, ffi, bit = gpu.cuda, require "ffi", require "bit"
local floor, random, max, min, abs = math.floor, math.random, math.max, math.min, math.abs
local function array(type, n, f)
  local a = ffi.new(type .. "[?]", n)
  for i = 0, f and n - 1 or -1 do a[i] = f(i) end
  return a
end
local function part(a, from) return setmetatable({}, { __index = function(_, i) return a[from + i] end }) end

-- Every element i of got is want(i); with a tolerance, relative to numbers beyond 1.
local function expect(n, got, want, tolerance)
  for i = 0, n - 1 do
    local w, g = want(i), got[i]
    local same = w == g or (w ~= w and g ~= g) or (tolerance and abs(w - g) <= tolerance * max(1, abs(w)))
    if not same then error(("element %d: %s instead of %s"):format(i, tostring(g), tostring(w)), 2) end
  end
  assert.is_true(n > 0)
end

-- ---- expressions: result type: CUDA C => the same in Lua, with the functions of R +- tolerance -----------
local R = { bnot = bit.bnot, band = bit.band, bor = bit.bor, bxor = bit.bxor, shl = bit.lshift, shr = bit.rshift,
  sar = bit.arshift, floor = floor, min = min, max = max, abs = abs, m = math, tonumber = tonumber }
function R.wide(x) return ffi.cast("int64_t", x) end
function R.u64(x) return ffi.cast("uint64_t", x) end
function R.s32(x) return tonumber(ffi.cast("int32_t", R.wide(x))) end
function R.u32(x) return tonumber(ffi.cast("uint32_t", R.wide(x))) end
function R.f32(x) return tonumber(ffi.new("float", x)) end
function R.bool(...) -- conditions as bits, the first is 1
  local v = 0
  for k = select("#", ...), 1, -1 do v = 2 * v + (select(k, ...) and 1 or 0) end
  return v
end
function R.trunc(x) return x < 0 and math.ceil(x) or floor(x) end
function R.even(x) -- to the nearest integer
  local down = floor(x)
  local rest = x - down
  return (rest > 0.5 or rest == 0.5 and down % 2 == 1) and down + 1 or down
end
function R.clamp(x, low, high) return x ~= x and 0 or max(low, min(high, x)) end
local pun = ffi.new "union { float f; int32_t i; }"
function R.directed(exact, up) -- to float, of a double that holds the result unrounded
  local f = R.f32(exact)
  if f == exact or (f > exact) == up then return f end
  pun.f = f
  pun.i = pun.i + ((f > 0) == up and 1 or -1) -- the number beside it
  return tonumber(pun.f)
end
function R.half(x)
  if x ~= x or x == 0 then return x end
  local _, e = math.frexp(x)
  local unit = 2 ^ (max(e, -13) - 11)
  local r = R.even(abs(x) / unit) * unit
  return (x < 0 and -1 or 1) * (r >= 65520 and 1 / 0 or r)
end
local function half_to_number(h)
  local sign, e, m = h >= 0x8000 and -1 or 1, floor(h / 1024) % 32, h % 1024
  if e == 31 then return m > 0 and 0 / 0 or sign / 0 end
  return sign * (e == 0 and m * 2 ^ -24 or (m + 1024) * 2 ^ (e - 25))
end

local expressions = {
  int = [[
int: x + y * z => s32(wide(x) + wide(y) * z)
int: y == 0 || y == -1 ? 7 : x / y - x % y => (y == 0 or y == -1) and 7 or s32(wide(x) / y - wide(x) % y)
int: x / 7 + x % 10 - (x >> 3) / 1000 => s32(wide(x) / 7 + wide(x) % 10 - wide(floor(x / 8)) / 1000)
int: (x & y) ^ (~x & z) => bxor(band(x, y), band(bnot(x), z))
int: (x << (y & 31)) ^ (x >> (z & 31)) => bxor(shl(x, y), sar(x, z))
unsigned: (unsigned)x >> (y & 31) => u32(shr(x, y))
int: (signed char)x * 3 + (unsigned char)y - (short)z => sar(shl(x, 24), 24) * 3 + y % 256 - sar(shl(z, 16), 16)
int: __mulhi(x, y) => tonumber(sar(wide(x) * y, 32))
unsigned: __umulhi(x, y) => tonumber(shr(u64(u32(x)) * u64(u32(y)), 32))
int: __mul24(x, y) => s32(wide(sar(shl(x, 8), 8)) * sar(shl(y, 8), 8))
int: __funnelshift_l(x, y, 8) => bor(shl(y, 8), shr(x, 24))
int: min(x, y) ^ max(y, z) => bxor(min(x, y), max(y, z))
int: (x < y) + 2 * (y <= z) + 4 * ((unsigned)x > (unsigned)z) => bool(x < y, y <= z, u32(x) > u32(z))
float: x => f32(x)
double: (unsigned)x => u32(x)]],
  int64_t = [[
int64_t: x + y * z => x + y * z
int64_t: y == 0 || y == -1 ? 7 : x / y - x % y => (y == 0 or y == -1) and 7 or x / y - x % y
int64_t: (uint64_t)x / (z | 1ull) + (uint64_t)x % 1000003 => wide(u64(x) / bor(u64(z), 1) + u64(x) % 1000003)
int64_t: (x << (y & 63)) ^ (x >> (z & 63)) => bxor(shl(x, tonumber(band(y, 63))), sar(x, tonumber(band(z, 63))))
int64_t: x < y ? x : (uint64_t)y > (uint64_t)z ? z : ~y => x < y and x or u64(y) > u64(z) and z or bnot(y)
int64_t: ((unsigned __int128)(uint64_t)x << 9) / 1000 => wide(u64(x) / 1000 * 512 + u64(x) % 1000 * 512 / 1000)
int64_t: ((unsigned __int128)x << 64) / ((unsigned __int128)1 << (96 + (y & 1))) => wide(shr(u64(x), 32 + band(y, 1)))
double: x => tonumber(x)]],
  float = [[
float: x + y => f32(x + y)
float: x * y - z => f32(f32(x * y) - z)
float: x / y => f32(x / y)
float: sqrtf(fabsf(x)) => f32(m.sqrt(abs(x)))
float: __fadd_rz(x, y) => directed(x + y, x + y < 0)
float: __fadd_ru(x, y) => directed(x + y, true)
float: __fmul_rd(x, y) => directed(x * y, false)
float: floorf(x) + 2 * rintf(y) - truncf(z) => f32(f32(floor(x) + 2 * even(y)) - trunc(z))
float: fminf(x, y) + fmaxf(y, z) => f32(min(x, y) + max(y, z))
int: (x < y) + 2 * (y >= z) + 4 * !(x != z) => bool(x < y, y >= z, x == z)
int: __float2int_rn(x * 1e8f) => clamp(even(f32(x * f32(1e8))), -2 ^ 31, 2 ^ 31 - 1)
unsigned: __float2uint_rd(x) => clamp(floor(x), 0, 2 ^ 32 - 1)
int: (short)x + (unsigned char)(fabsf(y) + 0.5f) => trunc(x) + floor(f32(abs(y) + 0.5)) % 256
float: __saturatef(x * 0.25f) => clamp(x * 0.25, 0, 1)
float: __half2float(__float2half(x)) => half(x)
double: (double)x * y => x * y
float: sinf(x) + cosf(y) => m.sin(x) + m.cos(y) +- 1e-6
float: expf(-fabsf(x)) + logf(1 + fabsf(y)) => m.exp(-abs(x)) + m.log(1 + abs(y)) +- 1e-6
float: powf(fabsf(x) + 1, 1.5f) + atan2f(y, z) => (abs(x) + 1) ^ 1.5 + m.atan2(y, z) +- 2e-6
float: tanhf(x) + rsqrtf(y * y + 1) => m.tanh(x) + 1 / m.sqrt(y * y + 1) +- 1e-6]],
  double = [[
double: x * y + z / x => x * y + z / x
double: sqrt(fabs(x)) - floor(y) * rint(z) => m.sqrt(abs(x)) - floor(y) * even(z)
double: fmod(x, y) => m.fmod(x, y)
float: x => f32(x)
float: __double2float_ru(x) => directed(x, true)
int: __double2int_rz(x * 1e9) => clamp(trunc(x * 1e9), -2 ^ 31, 2 ^ 31 - 1)
int64_t: (int64_t)(x * 1e12) => wide(x * 1e12)
double: sin(x) * exp(-fabs(y)) + log(fabs(z) + 2) => m.sin(x) * m.exp(-abs(y)) + m.log(abs(z) + 2) +- 1e-14
double: pow(fabs(x), 0.3) + atan(y) + cosh(z * 0.1) => abs(x) ^ 0.3 + m.atan(y) + m.cosh(z * 0.1) +- 1e-13]],
}
local edges = { 0, 1, -1, 2, 31, 32, 33, 127, 128, 255, 32767, -32768, 65535, 2147483647, -2147483648 }
local function any_int() return random() < 0.4 and edges[random(#edges)] or random(-2 ^ 31, 2 ^ 31 - 1) end
local function any_byte() return random(0, 255) end
local function any_real() return random() < 0.3 and random(-64, 64) + 0.5 or (random() - 0.5) * 100 end
local operands = { int = any_int, float = any_real, double = any_real,
  int64_t = function() return R.wide(any_int()) * (random() < 0.5 and 1 or random(2 ^ 31)) end }

describe("kernels compute", function()
  before_each(function()
    gpu.context()
    math.randomseed(7)
  end)

  it("expressions, by all lanes and by some", function()
    local n, list = 700, {}
    local code = { "#include <cuda_fp16.h>\ntypedef long long int64_t; typedef unsigned long long uint64_t;\n" }
    for type, text in pairs(expressions) do
      for line in text:gmatch "[^\n]+" do
        local result, c, lua, tolerance = (line .. " +- 0"):match "^(%S+): (.-) => (.-) %+%- (%S+)"
        local want = setfenv(assert(loadstring("local x, y, z = ... return " .. lua)), R)
        list[#list + 1] = { type = type, result = result, text = c, want = want, tolerance = tonumber(tolerance) }
        code[#code + 1] = ("__global__ void k%d(%s *o, const %s *a, int n, bool some) {\n" ..
          "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n" ..
          "  if (some && i %% 5 < 2) o[i] = 9;\n" ..
          "  else { %s x = a[i], y = a[n + i], z = a[2 * n + i]; o[i] = %s; } }\n"):format(#list, result, type, type, c)
      end
    end
    local mod = cuda.SourceModule(table.concat(code), { options = { "--fmad=false", "--device-int128", "-w" } })
    for k, e in ipairs(list) do
      local a = array(e.type, 3 * n, operands[e.type])
      for some = 0, 1 do
        local out = array(e.result, n)
        mod:get_function("k" .. k)(cuda.Out(out), cuda.In(a), n, some == 1, { block = 192, grid = 4 })
        local ok, why = pcall(expect, n, out, function(i)
          if some == 1 and i % 5 < 2 then return 9 end
          return e.want(a[i], a[n + i], a[2 * n + i])
        end, e.tolerance)
        assert(ok, e.text .. ": " .. tostring(why))
      end
    end
  end)

  it("halves and pairs of them", function()
    local n = 2000
    local mod = cuda.SourceModule [[
#include <cuda_fp16.h>
__global__ void k(float *o, const unsigned short *h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  __half x = __ushort_as_half(h[i]), y = __ushort_as_half(h[n + i]);
  __half2 p = __hsub2(__halves2half2(x, y), __halves2half2(y, x));
  o[i] = __half2float(__hadd(x, y)), o[n + i] = __half2float(__hmul(x, y));
  o[2 * n + i] = __low2float(p) == -__high2float(p) ? __low2float(p) : __hisnan(p.x) ? 0 : -1;
  o[3 * n + i] = __hlt(x, y) + 2 * __hge(x, y) + 4 * (__half2int_rn(x) & 1);
}]]
    local h, o = array("uint16_t", 2 * n, function() return random(0, 65535) end), array("float", 4 * n)
    mod:get_function "k"(cuda.Out(o), cuda.In(h), n, { block = 256, grid = 8 })
    local function both(f) return function(i) return f(half_to_number(h[i]), half_to_number(h[n + i])) end end
    expect(n, o, both(function(x, y) return R.half(x + y) end))
    expect(n, part(o, n), both(function(x, y) return R.half(x * y) end))
    expect(n, part(o, 2 * n), both(function(x, y) return x - y ~= x - y and 0 or R.half(x - y) end))
    expect(n, part(o, 3 * n), both(function(x, y)
      return R.bool(x < y, x >= y, R.even(R.clamp(x, -2 ^ 31, 2 ^ 31 - 1)) % 2 == 1)
    end))
  end)
end)

-- ---- whole kernels, under several options -------------------------------------------------------------------
local source = [==[
__constant__ int table[256];
__device__ int offsets[4] = {1, 2, 3, 4};
extern __shared__ int dyn[];
#define T (blockIdx.x * blockDim.x + threadIdx.x)
#define TX threadIdx.x
#define TY threadIdx.y
#define SYNC __syncthreads()
__global__ void matmul(float *c, const float *a, const float *b, int n) {
  __shared__ float A[16][16], B[16][16]; int r = blockIdx.y * 16 + TY, q = blockIdx.x * 16 + TX; float s = 0;
  for (int t = 0; t < n; t += 16) {
    A[TY][TX] = r < n && t + TX < n ? a[r * n + t + TX] : 0, B[TY][TX] = q < n && t + TY < n ? b[(t + TY) * n + q] : 0;
    SYNC; for (int i = 0; i < 16; i++) s += A[TY][i] * B[i][TX]; SYNC; } if (r < n && q < n) c[r * n + q] = s; }
__global__ void sum(int *o, const int *a, int n) {
  int t = TX, s = 0; for (int i = T; i < n; i += gridDim.x * blockDim.x) s += a[i]; dyn[t] = s; SYNC;
  for (int k = 1; k < blockDim.x; k *= 2) { if (t % (2 * k) == 0 && t + k < blockDim.x) dyn[t] += dyn[t + k]; SYNC; }
  if (t == 0) atomicAdd(o, dyn[0]); }
__device__ int warp_scan(int v) {
  for (int k = 1; k < 32; k *= 2) { int u = __shfl_up_sync(~0u, v, k); if (TX % 32 >= k) v += u; } return v; }
__global__ void scan(int *o, const int *a, int n) {
  __shared__ int sums[32]; int t = TX, v = warp_scan(t < n ? a[t] : 0); if (t % 32 == 31) sums[t / 32] = v;
  SYNC; for (int w = 0; w < t / 32; w++) v += sums[w]; if (t < n) o[t] = v; }
__device__ __noinline__ int helper(int a, int b) {
  if (a > b) return a - b; int s = 0; for (int i = a; i < b; i++) s += i & 3; return s; }
__global__ void nest(int *o, int n) {
  int t = T, s = 0, l[8]; if (t >= n) return; for (int i = 0; i < 8; i++) l[i] = i * t;
  for (int i = 0; i < t % 9; i++) { if (i % 5 == 3) continue; for (int j = 0; j < 7; j++) {
      switch ((i + j + t) % 5) { case 0: s += 1; /* falls through */ case 1: s += l[(j + s) & 7]; break;
      case 2: if (j > 4) goto out; s += 3; break; case 3: continue; default: s += helper(t % 7, j); }
      l[j] = s & 1023; if (s > 5000) break; } }
out: o[t] = s; }
__global__ void early(int *o, int n) {
  __shared__ int s[1024]; int t = TX; if (t >= n) return; s[t] = t; SYNC; int v = s[n - 1 - t]; SYNC;
  if (t & 1) return; s[t] = v * 2; SYNC; o[t / 2] = s[t] + (t + 2 < n ? s[t + 2] : 0); }
struct Big { int v[12]; double d; };
__device__ __noinline__ Big change(Big b, int i) { b.v[i % 12] += i; b.d *= 2; return b; }
__global__ void vectors(float4 *o, const float4 *a, const double2 *d, uchar4 *u, int n, Big b) {
  int t = T; if (t >= n) return;
  float4 v = a[n - 1 - t]; double2 w = d[t]; uchar4 c = u[t]; b = change(change(b, t), t + 1);
  o[t] = make_float4(v.w + (float)w.x, v.x * (float)w.y, v.y + c.x + c.w, b.v[t % 12] + (float)b.d);
  c.x += c.y, u[t] = c; }
__global__ void memories(int *o) {
  __shared__ int s[64]; int t = TX, l[4] = {t, t, t, t}, *p;
  s[t] = 2 * t, o[64 + t] = table[t * 7 % 256] + offsets[t & 3]; SYNC;
  p = t % 3 == 0 ? l + (t & 3) : t % 3 == 1 ? s + (63 - t) : o + 64 + t; *p += 5; SYNC; o[t] = *p; }
__global__ void shape(int *o, int n) {
  int width = blockDim.x * 3 + blockDim.y, all = gridDim.x * width, l = TX % (blockDim.x / 2 + 1);
  int t = (blockIdx.x * blockDim.y + TY) * blockDim.x + TX; if (t < n) o[t] = width + all * l + n; }
__global__ void warps(unsigned *o) {
  int t = TX, l = t % 32, all; o[t] = __ballot_sync(~0u, t % 3 == 0), o[64 + t] = __match_any_sync(~0u, t % 5);
  o[128 + t] = __shfl_sync(~0u, t, 5, 8) + 100 * __shfl_xor_sync(~0u, t, 9);
  o[192 + t] = __shfl_down_sync(~0u, (double)t, 3, 16) + (__match_all_sync(~0u, t / 32, &all) == ~0u ? 1000 : 0);
  o[256 + t] = __syncthreads_count(t % 3 == 0) + (__syncthreads_or(t == 40) ? 1000 : 0) + 9 * __any_sync(~0u, t == 40);
  if (l < 16) { dyn[t] = t; __syncwarp(); o[320 + t] = dyn[t + 16]; }
  else { dyn[t] = 2 * t; __syncwarp(); o[320 + t] = dyn[t - 16]; } }
__global__ void atomics(int *o, unsigned *u, long long *w, double *d) {
  int t = T, q = o[6], p;
  atomicAdd(o, t); atomicMin(o + 1, -t); atomicMax(o + 2, t); atomicAnd(o + 3, ~(1 << (t & 15))); atomicXor(o + 4, t);
  atomicInc(u, 10); atomicDec(u + 1, 7); atomicMax(u + 2, (unsigned)-t); atomicOr(u + 3, 1u << (t % 13));
  atomicAdd((unsigned long long *)w, 1ull << 33); atomicMin(w + 1, -((long long)t << 33)); atomicAdd(d, 0.25);
  do p = q, q = atomicCAS(o + 6, p, p + (t & 1)); while (p != q); }
__global__ void lock(int *m, volatile int *c) {
  for (bool done = false; !done;) if (atomicCAS(m, 0, 1) == 0) {
      int v = *c; __threadfence(); *c = v + 1; __threadfence(); atomicExch(m, 0); done = true; } }
__global__ void rounds(volatile int *count, volatile int *data, int *o) {
  for (int r = 0, n = gridDim.x; r < 4; r++) { if (TX == 0) {
      data[r * n + blockIdx.x] = r * 1000 + blockIdx.x; __threadfence();
      atomicAdd((int *)count, 1); while (*count < (r + 1) * n); __threadfence(); }
    SYNC; for (int i = TX; i < n; i += blockDim.x) atomicAdd(o + blockIdx.x, data[r * n + i]); } }
__global__ void chained(int *o, const int *a, volatile int *flag, volatile int *total, int *ticket) {
  __shared__ int block, before; if (TX == 0) block = atomicAdd(ticket, 1);
  SYNC; int v = warp_scan(a[block * 32 + TX]); if (TX == 31) { if (block > 0) while (flag[block - 1] == 0);
    __threadfence(); before = block > 0 ? total[block - 1] : 0;
    total[block] = before + v; __threadfence(); flag[block] = 1; } SYNC; o[block * 32 + TX] = v + before; }
]==]
ffi.cdef "typedef struct { int v[12]; double d; } cudalua_spec_big;"

-- What `nest` computes for thread t.
local function nest(t)
  local s, l = 0, {}
  for i = 0, 7 do l[i] = i * t end
  for i = 0, t % 9 - 1 do
    for j = 0, i % 5 == 3 and -1 or 6 do
      local case = (i + j + t) % 5
      if case == 2 and j > 4 then return s end
      s = s + (case == 0 and 1 or case == 2 and 3 or case == 4 and max(0, t % 7 - j) or 0)
      if case <= 1 then s = s + l[(j + s) % 8] end
      for k = t % 7, case == 4 and j - 1 or -1 do s = s + k % 4 end
      if case ~= 3 then l[j] = s % 1024 end
      if case ~= 3 and s > 5000 then break end
    end
  end
  return s
end

local variants = { "-w", "-G", "--use_fast_math" }
-- Other generations of the compiler write other PTX.
if gpu.soft then variants[4], variants[5] = "compute_75", "compute_120" end

for _, variant in ipairs(variants) do
  describe("whole kernels, " .. variant, function()
    local mod
    local function call(name, ...) return mod:get_function(name)(...) end
    local function below(m) return function() return random(-m, m) end end
    before_each(function()
      gpu.context()
      math.randomseed(11)
      mod = mod or cuda.SourceModule(source, variant:find "^c" and { arch = variant } or { options = { variant } })
    end)

    it("tiles in shared memory, blocks of changing shape", function()
      local n = 37
      local x, y, o = array("float", n * n, below(9)), array("float", n * n, below(9)), array("float", n * n)
      call("matmul", cuda.Out(o), cuda.In(x), cuda.In(y), n, { block = { 16, 16 }, grid = { 3, 3 } })
      expect(n * n, o, function(i)
        local s = 0
        for k = 0, n - 1 do s = s + x[floor(i / n) * n + k] * y[k * n + i % n] end
        return s
      end)
      for _, s in ipairs { { 64, 1 }, { 32, 2 }, { 1, 64 }, { 33, 1 }, { 64, 1 }, { 7, 9 }, { 1024, 1 }, { 1, 1 } } do
        local size, width, out = s[1] * s[2] * 3, s[1] * 3 + s[2], array("int", 3072)
        call("shape", cuda.Out(out), size, { block = s, grid = 3 })
        expect(size, out, function(i) return width + 3 * width * (i % s[1] % (floor(s[1] / 2) + 1)) + size end)
      end
    end)

    it("sums and scans in blocks of any size, threads that go different ways", function()
      local n, total, upto = 5000, 0, {}
      local a = array("int", n, below(1000))
      for i = 0, n - 1 do total, upto[i] = total + a[i], total + a[i] end
      for _, block in ipairs { 1, 2, 31, 33, 64, 100, 1000, 1024, 16 } do
        local o = array("int", 1024)
        call("sum", cuda.InOut(o), cuda.In(a), n, { block = block, grid = 7, shared = block * 4 })
        assert.equal(total, o[0])
        call("scan", cuda.Out(o), cuda.In(a), block, { block = floor((block + 31) / 32) * 32 })
        expect(block, o, function(i) return upto[i] end)
        call("early", cuda.Out(o), block, { block = min(1024, block + 5) })
        local function mirror(t) return t < block and (block - 1 - t) * 2 or 0 end
        expect(floor((block + 1) / 2), o, function(i) return mirror(2 * i) + mirror(2 * i + 2) end)
      end
      local o = array("int", 1000)
      call("nest", cuda.Out(o), 1000, { block = 128, grid = 8 })
      expect(1000, o, nest)
    end)

    it("vectors, structs and every kind of memory", function()
      local n = 300
      local a, d, o = array("float", 4 * n, below(50)), array("double", 2 * n, below(50)), array("float", 4 * n)
      local u, big = array("uint8_t", 4 * n, any_byte), ffi.new("cudalua_spec_big", { { 1, 2 }, 0.5 })
      local before = ffi.string(u, 4 * n)
      local function byte(i) return before:byte(i + 1) end
      call("vectors", cuda.Out(o), cuda.In(a), cuda.In(d), cuda.InOut(u), n, big, { block = 100, grid = 3 })
      expect(4 * n, o, function(i)
        local t, k, j = floor(i / 4), i % 4, 4 * (n - 1 - floor(i / 4))
        if k == 3 then return big.v[t % 12] + t + 2 end
        if k == 2 then return a[j + 1] + byte(4 * t) + byte(4 * t + 3) end
        return k == 0 and a[j + 3] + d[2 * t] or a[j] * d[2 * t + 1]
      end)
      expect(4 * n, u, function(i) return i % 4 == 0 and (byte(i) + byte(i + 1)) % 256 or byte(i) end)
      cuda.memcpy_htod(mod:get_global "table", array("int", 256, function(i) return i * i end))
      local m, ways = array("int", 128), { function(t) return t + 5 end, function(t) return 2 * (63 - t) + 5 end,
        function(t) return (t * 7 % 256) ^ 2 + t % 4 + 6 end }
      call("memories", cuda.Out(m), { block = 64 })
      expect(64, m, function(t) return ways[t % 3 + 1](t) end)
    end)

    it("lanes of a warp", function()
      local o = array("unsigned", 384)
      call("warps", cuda.Out(o), { block = 64, shared = 256 })
      local function bits(t, f)
        local v, base = 0, t - t % 32
        for k = 0, 31 do v = v + (f(base + k) and 2 ^ k or 0) end
        return v
      end
      expect(64, o, function(t) return bits(t, function(k) return k % 3 == 0 end) end)
      expect(64, part(o, 64), function(t) return bits(t, function(k) return k % 5 == t % 5 end) end)
      expect(64, part(o, 128), function(t) return t - t % 8 + 5 + 100 * bit.bxor(t, 9) end)
      expect(64, part(o, 192), function(t) return 1000 + (t % 16 + 3 < 16 and t + 3 or t) end)
      expect(64, part(o, 256), function(t) return 22 + 1000 + (t >= 32 and 9 or 0) end)
      expect(64, part(o, 320), function(t) return t % 32 < 16 and 2 * (t + 16) or t - 16 end)
    end)

    it("atomics", function()
      local n, x, down = 500, 0, 0
      local o, u = array("int", 7, function(i) return i == 3 and -1 or 0 end), array("unsigned", 4)
      local w, d = array("int64_t", 2), array("double", 1)
      call("atomics", cuda.InOut(o), cuda.InOut(u), cuda.InOut(w), cuda.InOut(d), { block = 100, grid = 5 })
      for t = 0, n - 1 do x, down = bit.bxor(x, t), (down == 0 or down > 7) and 7 or down - 1 end
      expect(7, o, function(i) return ({ [0] = n * (n - 1) / 2, 1 - n, n - 1, -65536, x, 0, n / 2 })[i] end)
      expect(4, u, function(i) return ({ [0] = n % 11, down, 2 ^ 32 - 1, 8191 })[i] end)
      expect(2, w, function(i) return 2LL ^ 33 * (i == 0 and n or 1 - n) end)
      assert.equal(n / 4, d[0])
    end)

    it("locks, barriers of the grid, blocks that wait for each other", function()
      for _, s in ipairs { { 1, 1 }, { 32, 1 }, { 33, 3 }, { 64, 8 } } do -- a larger block after a smaller one
        local m, c = array("int", 1), array("int", 1)
        call("lock", cuda.InOut(m), cuda.InOut(c), { block = s[1], grid = s[2] })
        assert.equal(s[1] * s[2], c[0])
      end
      local n, blocks, upto, sum = 20, 100, {}, 0
      local o, zeros = array("int", n), function(k) return cuda.InOut(array("int", k)) end
      call("rounds", zeros(1), zeros(4 * n), cuda.InOut(o), { block = 64, grid = n })
      expect(n, o, function() return 6000 * n + 4 * n * (n - 1) / 2 end)
      local a, r = array("int", 32 * blocks, below(50)), array("int", 32 * blocks)
      for i = 0, 32 * blocks - 1 do sum, upto[i] = sum + a[i], sum + a[i] end
      call("chained", cuda.Out(r), cuda.In(a), zeros(blocks), zeros(blocks), zeros(1), { block = 32, grid = blocks })
      expect(32 * blocks, r, function(i) return upto[i] end)
    end)
  end)
end
