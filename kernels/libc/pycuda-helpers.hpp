// What PyCUDA's header of this name has: complex numbers, what a texture stores doubles and complex numbers as, and
// functions that read and write them by texture and surface references. Those need the references themselves
// (compat/texture.cuh), which a source gets that has texture<...> or surface<...> in it.
#pragma once
#include <pycuda-complex.hpp>
typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

#ifdef CUDALUA_TEXTURE_REFERENCES

namespace cudalua_texture {

// Texels to numbers: the low word comes first.
__device__ inline float from_texel(float v) { return v; }
__device__ inline double from_texel(int2 v) { return __hiloint2double(v.y, v.x); }
__device__ inline pycuda::complex<float> from_texel(uint2 v) {
  return pycuda::complex<float>(__uint_as_float(v.x), __uint_as_float(v.y));
}
__device__ inline pycuda::complex<double> from_texel(int4 v) {
  return pycuda::complex<double>(__hiloint2double(v.y, v.x), __hiloint2double(v.w, v.z));
}

// Numbers to texels.
__device__ inline float to_texel(float v) { return v; }
__device__ inline int2 to_texel(double v) { return make_int2(__double2loint(v), __double2hiint(v)); }
__device__ inline uint2 to_texel(pycuda::complex<float> v) {
  return make_uint2(__float_as_uint(v.real()), __float_as_uint(v.imag()));
}
__device__ inline int4 to_texel(pycuda::complex<double> v) {
  return make_int4(__double2loint(v.real()), __double2hiint(v.real()), __double2loint(v.imag()),
                   __double2hiint(v.imag()));
}

template <class T> struct Texel { typedef decltype(to_texel(T())) type; };

} // namespace cudalua_texture

#define CUDALUA_ARGUMENTS(...) __VA_ARGS__
#define CUDALUA_FP_READ(NAME, DIM, PARAMETERS, ARGUMENTS) \
  template <class T, cudaTextureReadMode M> \
  __device__ inline decltype(cudalua_texture::from_texel(T())) \
  fp_##NAME(texture<T, DIM, M> t, CUDALUA_ARGUMENTS PARAMETERS) { \
    return cudalua_texture::from_texel(NAME(t, CUDALUA_ARGUMENTS ARGUMENTS)); \
  }
#define CUDALUA_FP_SURFACE(NAME, DIM, PARAMETERS, ARGUMENTS) \
  template <class T> \
  __device__ inline void fp_##NAME##read(T *to, surface<void, DIM> s, CUDALUA_ARGUMENTS PARAMETERS, \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeZero) { \
    typedef typename cudalua_texture::Texel<T>::type Texel; \
    x *= sizeof(Texel); \
    *to = cudalua_texture::from_texel(NAME##read<Texel>(s, CUDALUA_ARGUMENTS ARGUMENTS, mode)); \
  } \
  template <class T> \
  __device__ inline void fp_##NAME##write(T value, surface<void, DIM> s, CUDALUA_ARGUMENTS PARAMETERS, \
                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeZero) { \
    x *= sizeof(typename cudalua_texture::Texel<T>::type); \
    NAME##write(cudalua_texture::to_texel(value), s, CUDALUA_ARGUMENTS ARGUMENTS, mode); \
  }

CUDALUA_FP_READ(tex1Dfetch, 1, (int x), (x))
CUDALUA_FP_READ(tex1D, 1, (float x), (x))
CUDALUA_FP_READ(tex2D, 2, (float x, float y), (x, y))
CUDALUA_FP_READ(tex3D, 3, (float x, float y, float z), (x, y, z))
CUDALUA_FP_READ(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
CUDALUA_FP_READ(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))

// x counts elements, not bytes.
CUDALUA_FP_SURFACE(surf1D, cudaSurfaceType1D, (int x), (x))
CUDALUA_FP_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), (x, y))
CUDALUA_FP_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), (x, y, z))
CUDALUA_FP_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), (x, layer))
CUDALUA_FP_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), (x, y, layer))

#undef CUDALUA_ARGUMENTS
#undef CUDALUA_FP_READ
#undef CUDALUA_FP_SURFACE

#endif
