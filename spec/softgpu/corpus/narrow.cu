// Formats of eight, six and four bits: conversions of CUDA's headers, there and back.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include "common.cuh"

template <class T> __device__ void narrow(Lane &l, float scale)
{
  T a(l.f(0) * scale), b(l.f(1) * scale);
  V(a.__x), V(b.__x);
  float back = (float)a;
  V(__float_as_uint(back));
  CHECK(T(back).__x == a.__x);
}
template <class T> __device__ void pair(Lane &l, float scale)
{
  float2 v = make_float2(l.f(2) * scale, l.f(3) * scale);
  T a(v);
  V(a.__x);
  float2 back = (float2)a;
  V(__float_as_uint(back.x)), V(__float_as_uint(back.y));
  CHECK(T(back).__x == a.__x);
  __half2 h = __floats2half2_rn(v.x, v.y);
  V(T(h).__x);
}

KERNEL(eight) // 128 x 2
{
  LANE;
  narrow<__nv_fp8_e4m3>(l, 3), narrow<__nv_fp8_e5m2>(l, 300), narrow<__nv_fp8_e4m3>(l, 1e-4f),
      narrow<__nv_fp8_e5m2>(l, 1e-6f);
  pair<__nv_fp8x2_e4m3>(l, 2), pair<__nv_fp8x2_e5m2>(l, 0.3f);
  __nv_fp8x4_e4m3 q(make_float4(l.f(0), l.f(1), l.f(2), l.f(3)));
  V(q.__x);
  V(__nv_cvt_double_to_fp8(l.d(2) * 1e-7, __NV_SATFINITE, __NV_E4M3)), V(__nv_cvt_float_to_fp8(l.f(4), __NV_NOSAT,
      __NV_E5M2));
  V(__nv_cvt_bfloat16raw_to_fp8(__float2bfloat16(l.f(5)), __NV_SATFINITE, __NV_E4M3));
  __nv_fp8_e8m0 e(fabsf(l.f(6)) + 0.01f);
  V(e.__x), V(__float_as_uint((float)e));
  V(__nv_cvt_float2_to_e8m0x2(make_float2(l.f(7), fabsf(l.f(8))), __NV_SATFINITE, cudaRoundPosInf));
}

KERNEL(six) // 128 x 2
{
  LANE;
  narrow<__nv_fp6_e2m3>(l, 0.1f), narrow<__nv_fp6_e3m2>(l, 0.4f), narrow<__nv_fp6_e3m2>(l, 0.01f);
  pair<__nv_fp6x2_e2m3>(l, 0.1f), pair<__nv_fp6x2_e3m2>(l, 0.2f);
  __nv_fp6x4_e3m2 q(make_float4(l.f(0) * 0.1f, l.f(1), l.f(2) * 0.3f, l.f(3)));
  V(q.__x);
}

KERNEL(four) // 128 x 2
{
  LANE;
  narrow<__nv_fp4_e2m1>(l, 0.1f), narrow<__nv_fp4_e2m1>(l, 0.02f);
  pair<__nv_fp4x2_e2m1>(l, 0.1f);
  __nv_fp4x4_e2m1 q(make_float4(l.f(0) * 0.1f, l.f(1) * 0.05f, l.f(2) * 0.3f, l.f(3)));
  V(q.__x);
  float4 back = (float4)q;
  V(__float_as_uint(back.x + back.y * 2 + back.z * 3 + back.w * 5));
}
