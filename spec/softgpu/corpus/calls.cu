// Calls: direct, in loops, recursive, through pointers and virtual; parameters and results of every kind; lambdas,
// templates, constants and variables of the module, managed ones, launch bounds.
#include "common.cuh"

struct Small { u8 a; short b; };
struct Large { double d; u32 list[5]; Small s; u64 x; };
__device__ __noinline__ Large make(u32 seed, Small s)
{
  Large r;
  r.d = seed * 0.5;
  for (int k = 0; k < 5; k++) r.list[k] = seed * (k + 1);
  r.s = s;
  r.s.b += 3;
  r.x = (u64)seed * seed;
  return r;
}
__device__ __noinline__ u64 total(const Large *p, Large by_value, int n)
{
  u64 sum = 0;
  for (int k = 0; k < 5; k++) sum = sum * 31 + p->list[k] + by_value.list[n % 5];
  return sum + p->s.a + by_value.s.b + by_value.x + (u64)p->d;
}
__device__ __noinline__ float4 vectors(float2 a, float4 b, char2 c, longlong2 d)
{
  return make_float4(a.x + b.w, a.y - b.x, c.x * c.y, (float)(d.x & 1023) + (float)(d.y & 7));
}
__device__ __noinline__ bool flags(bool a, char b, unsigned short c, float d) { return a ? b < c : d > 0; }

KERNEL(parameters) // 64 x 2
{
  LANE;
  Small s = { (u8)l.w(0), (short)l.w(1) };
  Large a = make(l.w(2), s), b = make(l.w(3) & 0xffff, a.s);
  CHECK(a.s.b == (short)(s.b + 3) && b.s.b == (short)(s.b + 6) && a.list[4] == l.w(2) * 5);
  V(total(&a, b, i));
  float4 v = vectors(make_float2(1, l.f(4)), make_float4(l.f(5), 2, 3, 4), make_char2(5, i & 7),
      make_longlong2(l.x(6), l.x(8)));
  CHECK(v.x == 5 && v.z == 5 * (i & 7));
  V(__float_as_uint(v.y)), V(__float_as_uint(v.w));
  V(flags(l.w(1) & 1, (char)l.w(2), (u16)l.w(3), l.f(4)));
}

__device__ u32 fibonacci(u32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ u32 even(u32 n);
__device__ __noinline__ u32 odd(u32 n) { return n == 0 ? 0 : even(n - 1) + 1; }
__device__ __noinline__ u32 even(u32 n) { return n == 0 ? 100 : odd(n - 1) + 2; }
__device__ u32 gcd(u32 a, u32 b) { return b ? gcd(b, a % b) : a; }
__device__ void sort(int *a, int n)
{
  if (n < 2) return;
  int pivot = a[n / 2], x = 0, y = n - 1;
  while (x <= y) {
    while (a[x] < pivot) x++;
    while (a[y] > pivot) y--;
    if (x <= y) { int t = a[x]; a[x++] = a[y]; a[y--] = t; }
  }
  sort(a, y + 1);
  sort(a + x, n - x);
}

__device__ __noinline__ u32 stacked(const Lane &l, int n)
{
  u64 at, bytes = n * sizeof(u32);
  asm volatile("{ .reg .u64 p; alloca.u64 p, %1, 16; cvta.local.u64 %0, p; }" : "=l"(at) : "l"(bytes));
  u32 *a = (u32 *)at, sum = 0;
  for (int k = 0; k < n; k++) a[k] = l.w(k) + n;
  if (n > 2) sum = stacked(l, n / 2) + stacked(l, n - 2 > 4 ? 4 : n - 2);
  for (int k = 0; k < n; k++) sum = sum * 3 + a[k] - l.w(k);
  return sum;
}

KERNEL(recursion) // 64 x 1
{
  LANE;
  CHECK(fibonacci(7 + i % 3) == (i % 3 == 0 ? 13 : i % 3 == 1 ? 21 : 34));
  V(even(i % 9) + odd(i % 5));
  V(gcd(l.w(0), l.w(1) | 1));
  int a[12];
  for (int k = 0; k < 12; k++) a[k] = (int)l.w(k);
  sort(a, 12);
  for (int k = 1; k < 12; k++) CHECK(a[k - 1] <= a[k]);
  V(a[3]);
  u32 want = stacked(l, 5 + i % 4), again = stacked(l, 5 + i % 4);
  CHECK(want == again);
  V(want);
}

typedef u32 (*Unary)(u32);
__device__ __noinline__ u32 twice(u32 v) { return v * 2; }
__device__ __noinline__ u32 plus5(u32 v) { return v + 5; }
__device__ __noinline__ u32 square(u32 v) { return v * v; }
__device__ u32 deep(u32 v);
__device__ Unary table[4] = { twice, plus5, square, deep };
__constant__ Unary fixed[2] = { square, twice };
__device__ u32 deep(u32 v) { return v < 10 ? v : table[v % 3](v / 2) % 7; }
struct Shape {
  u32 id;
  __device__ Shape(u32 n) : id(n) {}
  __device__ virtual ~Shape() {}
  __device__ virtual u32 area(u32 v) const = 0;
  __device__ virtual u32 name() const { return id; }
};
struct Square : Shape {
  __device__ Square() : Shape(1) {}
  __device__ u32 area(u32 v) const override { return v * v; }
};
struct Tagged { u32 tag; __device__ virtual u32 kind() { return tag; } };
struct Circle : Shape, Tagged {
  u32 r;
  __device__ Circle(u32 x) : Shape(2), r(x) { tag = x + 1; }
  __device__ u32 area(u32 v) const override { return v * r * 3; }
  __device__ u32 name() const override { return Shape::name() * 10; }
  __device__ u32 kind() override { return tag * 2; }
};

KERNEL(pointers) // 64 x 2
{
  LANE;
  u32 v = l.w(0) & 0xffff;
  u32 got = table[i & 3](v);
  CHECK(got == ((i & 3) == 0 ? v * 2 : (i & 3) == 1 ? v + 5 : (i & 3) == 2 ? v * v : deep(v)));
  CHECK(fixed[v & 1](3) == (v & 1 ? 6 : 9));
  Square s;
  Circle c(v & 15);
  const Shape *p = v & 2 ? (const Shape *)&s : &c;
  CHECK(p->area(4) == (v & 2 ? 16 : 12 * (v & 15)) && p->name() == (v & 2 ? 1 : 20));
  Tagged *t = &c;
  CHECK(t->kind() == 2 * ((v & 15) + 1));
  u32 (Shape::*m)(u32) const = &Shape::area;
  CHECK((p->*m)(2) == p->area(2));
  V(got);
}

template <class T, int N> struct Window {
  T v[N];
  template <class F> __device__ T fold(F f) const { T r = v[0]; for (int k = 1; k < N; k++) r = f(r, v[k]);
  return r; }
};
template <class... T> __device__ u64 gather(T... v) { u64 r = 0; ((r = r * 33 + v), ...); return r; }
template <class F> __device__ __noinline__ u32 apply(F f, int n) { u32 r = 0; for (int k = 0; k < n; k++) r += f(k);
return r; }
template <u32 N> __device__ constexpr u32 factorial() { if constexpr (N < 2) return 1;
else return N * factorial<N - 1>(); }

KERNEL(templates) // 64 x 2
{
  LANE;
  Window<u32, 6> w;
  Window<double, 3> d;
  for (int k = 0; k < 6; k++) w.v[k] = l.w(k);
  for (int k = 0; k < 3; k++) d.v[k] = (double)(l.w(k) >> 8);
  u32 seed = l.w(7);
  V(w.fold([](u32 a, u32 b) { return a > b ? a : b; }));
  V(w.fold([=](u32 a, u32 b) { return (a ^ seed) + b; }));
  V(d.fold([](double a, double b) { return a + b; }));
  V(gather(1, l.w(0), (u8)l.w(1), l.x(2)));
  V(apply([&](int k) { return w.v[k] * seed; }, 6));
  CHECK(factorial<7>() == 5040);
}

__device__ u32 counter = 5;
__device__ struct { u8 a; double b; u16 c[3]; const char *text; } record = { 7, 2.5, { 1, 2, 3 }, "device" };
__constant__ u32 squares[8] = { 0, 1, 4, 9, 16, 25, 36, 49 };
__constant__ double reals[3] = { 0.5, -1.25, 1e30 };
__managed__ int shared_with_host[2] = { 41, 1 };
static __device__ u32 *link_to_counter = &counter;

KERNEL(variables) // 64 x 2
{
  LANE;
  CHECK(counter == 5 && *link_to_counter == 5);
  CHECK(record.a == 7 && record.b == 2.5 && record.c[i % 3] == i % 3 + 1 &&
      record.text[l.w(0) % 6] == "device"[l.w(0) % 6]);
  CHECK(squares[l.w(0) & 7] == (l.w(0) & 7) * (l.w(0) & 7) && reals[1] == -1.25 && reals[i % 3] != 0);
  CHECK(shared_with_host[0] + shared_with_host[1] == 42);
  V(squares[i & 7]);
}

extern "C" __global__ void __launch_bounds__(64, 2)
    bounded(const u32 *in, u32 *out, float *real, u32 *bad) // 64 x 2
{
  LANE;
  u32 a[40];
#pragma unroll 4
  for (int k = 0; k < 40; k++) a[k] = l.w(k) + k;
  u32 r = 0;
#pragma unroll 1
  for (int k = 0; k < 200; k++) r = r * 5 + a[(r + k) % 40];
  V(r);
}

KERNEL(builtins) // 64 x 2
{
  LANE;
  u32 v = l.w(0);
  __builtin_assume(i >= 0);
  if (__builtin_expect(v == 0x12345678, 0)) V(1);
  u32 *p = (u32 *)__builtin_assume_aligned(l.out, 4);
  CHECK(p == l.out);
  u8 text[16], other[16];
  memset(text, 3, sizeof text);
  memcpy(other, text, 16);
  other[v & 15] = 4;
  CHECK(text[v & 15] == 3 && other[v & 15] == 4);
  if (l.in == nullptr) __builtin_unreachable();
  if (l.in == nullptr) __trap();
}
