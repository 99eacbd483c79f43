// Half precision and bfloat16, scalar and in pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "common.cuh"
#define H(v) V(__half_as_ushort(v))
#define B(v) V(__bfloat16_as_ushort(v))
#define H2(v) V(word(v))
#define B2(v) V(word(v))
template <class T> __device__ u32 word(T v)
{
  static_assert(sizeof v == 4);
  return *(u32 *)&v;
}

KERNEL(scalar_half) // 64 x 2, within 0.002
{
  LANE;
  __half a = __float2half(l.f(0)), b = __float2half(l.f(1)), c = __float2half(l.f(2) * 0.01f);
  H(__hadd_rn(a, b)), H(__hsub_rn(a, b)), H(__hmul_rn(a, c)), H(__hfma(a, c, b)), R(__hdiv(a, c)), H(__hneg(a)),
      H(__habs(b));
  H(__hadd_sat(a, c)), H(__hfma_sat(c, c, c)), H(__hmul_sat(a, c)), H(__hmin(a, b)), H(__hmax(b, c)),
      H(__hmax_nan(a, b));
  V(__heq(a, b) | __hlt(a, b) << 1 | __hge(b, c) << 2 | __hneu(a, c) << 3 | __hltu(a,
      c) << 4 | __hisnan(a) << 5 | __hisinf(b) << 6);
  V(__half2int_rn(a)), V(__half2uint_rz(__habs(b))), V(__half2short_rd(c)), V(__half2ll_ru(a)),
      V(__half2ushort_rn(__habs(c)));
  H(__int2half_rn(l.w(3) & 4095)), H(__uint2half_rz(l.w(4))), H(__ll2half_ru(l.x(5))), H(__short2half_rn(l.w(6)));
  H(__double2half(l.d(3) * 1e-6)), H(__float2half_rz(l.f(4))), H(__float2half_ru(l.f(5) * 1e-6f)), H(hfloor(a)),
      H(hceil(b)), H(hrint(c));
  H(htrunc(b)), V(__half_as_short(a)), V(__float_as_uint(__half2float(c)));
  R(hsqrt(__habs(a))), R(hexp(c)), R(hlog2(__hadd(__habs(b), __float2half(1)))), R(hsin(c)), R(hcos(c)),
      R(hrcp(__hadd(__habs(b), __float2half(1))));
  CHECK(__hfma(a, b, __float2half(0)) == __hmul_rn(a, b) || __hisnan(a) || __hisinf(__hmul_rn(a, b)));
  __half x = a, y = a, z = a; // each by itself: a product and a sum may be fused
  x += b, y *= c, z -= b;
  R(x), R(y), R(z);
}

KERNEL(pairs_half) // 64 x 2, within 0.002
{
  LANE;
  __half2 a = __floats2half2_rn(l.f(0), l.f(1)), b = __floats2half2_rn(l.f(2), l.f(0)),
      c = __half2half2(__float2half(0.125f));
  H2(__hadd2_rn(a, b)), H2(__hsub2_rn(a, b)), H2(__hmul2_rn(a, c)), H2(__hfma2(a, c, b)), R(__low2float(__h2div(a,
      c))), H2(__hneg2(a)), H2(__habs2(b));
  H2(__hadd2_sat(a, c)), H2(__hmul2_sat(b, c)), H2(__hmin2(a, b)), H2(__hmax2(a, b)), H2(__heq2(a, b)), H2(__hlt2(a,
      b)), H2(__hgeu2(a, c));
  V(__hbeq2(a, a)), V(__hblt2(a, b)), V(__heq2_mask(a, b)), V(__hgt2_mask(a, c)), H2(__hisnan2(a)),
      H2(__lowhigh2highlow(a)), H2(__lows2half2(a, b));
  H(__low2half(a)), H(__high2half(b)), H2(h2floor(a)), H2(h2rint(b)), H2(__shfl_xor_sync(~0u, a, 3)),
      H2(__ldg((const __half2 *)l.in + i));
  R(__low2float(h2exp2(__hmul2(a, c)))), R(__high2float(h2sqrt(__habs2(b))));
}

#if ARCH >= 800 || ARCH == 0
KERNEL(scalar_bfloat) // 64 x 2, from 80, within 0.016
{
  LANE;
  __nv_bfloat16 a = __float2bfloat16(l.f(0)), b = __float2bfloat16(l.f(1)), c = __float2bfloat16(l.f(2) * 0.01f);
  B(__hadd_rn(a, b)), B(__hsub_rn(a, b)), B(__hmul_rn(a, c)), B(__hfma(a, c, b)), R(__hdiv(a, c)), B(__hneg(a)),
      B(__habs(b));
  B(__hmin(a, b)), B(__hmax(b, c)), B(__hmax_nan(a, b)), B(__hadd_sat(a, c)), B(__hfma_sat(c, c, c));
  V(__heq(a, b) | __hlt(a, b) << 1 | __hge(b, c) << 2 | __hneu(a, c) << 3 | __hltu(a, c) << 4 | __hisnan(a) << 5);
  V(__bfloat162int_rn(a)), V(__bfloat162uint_rz(__habs(b))), V(__bfloat162short_rd(c)), V(__bfloat162ll_ru(a)),
      V(__bfloat162char_rz(c));
  V(__bfloat162uchar_rz(__habs(c)));
  B(__int2bfloat16_rn(l.w(3))), B(__uint2bfloat16_rz(l.w(4))), B(__ll2bfloat16_ru(l.x(5))),
      B(__short2bfloat16_rn(l.w(6))), B(__ushort2bfloat16_rd(l.w(7)));
  B(__double2bfloat16(l.d(3))), B(__float2bfloat16_rz(l.f(4))), B(__float2bfloat16_ru(l.f(5))), B(hfloor(a)),
      B(hceil(b)), B(hrint(c));
  R(hsqrt(__habs(a))), R(hexp(c)), R(hlog(__hadd(__habs(b), __float2bfloat16(1)))), R(hcos(c));
  CHECK(__bfloat162float(__float2bfloat16(1.5f)) == 1.5f);
  a = a + b * c;
  R(a);
}

KERNEL(pairs_bfloat) // 64 x 2, from 80, within 0.016
{
  LANE;
  __nv_bfloat162 a = __floats2bfloat162_rn(l.f(0), l.f(1)), b = __floats2bfloat162_rn(l.f(2), l.f(0)),
      c = __bfloat162bfloat162(__float2bfloat16(0.125f));
  B2(__hadd2_rn(a, b)), B2(__hsub2_rn(a, b)), B2(__hmul2_rn(a, c)), B2(__hfma2(a, c, b)), B2(__hneg2(a)),
      B2(__habs2(b)), B2(__hmin2(a, b));
  B2(__hmax2_nan(a, b)), B2(__heq2(a, b)), B2(__hlt2(a, b)), V(__hbge2(a, b)), V(__hne2_mask(a, b)),
      B2(__hfma2_relu(a, c, b)), R(__low2float(__h2div(a, c)));
  __half2 x = __floats2half2_rn(l.f(0), l.f(1)), y = __floats2half2_rn(l.f(2), 0.5f);
  H2(__hfma2_relu(x, y, x)), H2(__hmax2_nan(x, y)), H2(__hmin2_nan(x, y)), H(__hfma_relu(__low2half(x),
      __high2half(x), __low2half(y)));
  B2(h2trunc(a)), B2(__shfl_down_sync(~0u, b, 5)), V(__float_as_uint(__low2float(a)));
  R(__low2float(h2exp2(__hmul2(a, c)))), R(__high2float(h2rsqrt(__hadd2(__habs2(b), c))));
}
#endif
