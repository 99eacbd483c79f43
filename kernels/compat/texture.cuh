// Texture and surface references, which CUDA 12 took out of the language: texture<float, 2> t; compiles as before, and
// tex2D(t, x, y) fetches. A reference is a variable whose first word is the handle of a texture object; the host writes
// it there (TextureReference, code/texref.c). What follows tells the host what the source says of it.
#pragma once
#define CUDALUA_TEXTURE_REFERENCES

namespace cudalua_texture {

// What a reference is to the host: lua/cudalua/driver/texref.lua reads these 24 bytes.
enum : unsigned { MAGIC_TEXTURE = 0x74786c63u, MAGIC_SURFACE = 0x66736c63u };

// The channels of an element: kind (0 none, 1 signed, 2 unsigned, 3 float), bits and number.
template <class T> struct Element { enum : unsigned { code = 0 }; };

// What a read of normalized integers gives.
template <class T> struct Normalized {};

#define CUDALUA_ELEMENT(TYPE, KIND, BITS, COUNT) \
  template <> struct Element<TYPE> { enum : unsigned { code = KIND << 16 | BITS << 8 | COUNT }; };
#define CUDALUA_NORMALIZED(TYPE, FLOAT) \
  template <> struct Normalized<TYPE> { using type = FLOAT; };
#define CUDALUA_ELEMENTS(TYPE, KIND, BITS) \
  CUDALUA_ELEMENT(TYPE##1, KIND, BITS, 1) \
  CUDALUA_ELEMENT(TYPE##2, KIND, BITS, 2) \
  CUDALUA_ELEMENT(TYPE##4, KIND, BITS, 4)
#define CUDALUA_SMALL(TYPE, KIND, BITS) \
  CUDALUA_ELEMENTS(TYPE, KIND, BITS) \
  CUDALUA_NORMALIZED(TYPE##1, float1) \
  CUDALUA_NORMALIZED(TYPE##2, float2) \
  CUDALUA_NORMALIZED(TYPE##4, float4)
#define CUDALUA_SCALAR(TYPE, KIND, BITS) \
  CUDALUA_ELEMENT(TYPE, KIND, BITS, 1) \
  CUDALUA_NORMALIZED(TYPE, float)

CUDALUA_SCALAR(char, 1, 8)
CUDALUA_SCALAR(signed char, 1, 8)
CUDALUA_SCALAR(unsigned char, 2, 8)
CUDALUA_SCALAR(short, 1, 16)
CUDALUA_SCALAR(unsigned short, 2, 16)
CUDALUA_ELEMENT(int, 1, 32, 1)
CUDALUA_ELEMENT(unsigned int, 2, 32, 1)
CUDALUA_ELEMENT(float, 3, 32, 1)
CUDALUA_SMALL(char, 1, 8)
CUDALUA_SMALL(uchar, 2, 8)
CUDALUA_SMALL(short, 1, 16)
CUDALUA_SMALL(ushort, 2, 16)
CUDALUA_ELEMENTS(int, 1, 32)
CUDALUA_ELEMENTS(uint, 2, 32)
CUDALUA_ELEMENTS(float, 3, 32)

// What tex2Dgather gives: four of a channel's values.
template <unsigned kind> struct Gathered { using type = float4; };
template <> struct Gathered<1> { using type = int4; };
template <> struct Gathered<2> { using type = uint4; };
template <class T, cudaTextureReadMode M> struct Gather : Gathered<(Element<T>::code >> 16)> {};
template <class T> struct Gather<T, cudaReadModeNormalizedFloat> : Gathered<3> {};

template <class T, cudaTextureReadMode M> struct Read { using type = T; };
template <class T> struct Read<T, cudaReadModeNormalizedFloat> { using type = typename Normalized<T>::type; };

#undef CUDALUA_ELEMENT
#undef CUDALUA_NORMALIZED
#undef CUDALUA_ELEMENTS
#undef CUDALUA_SMALL
#undef CUDALUA_SCALAR

} // namespace cudalua_texture

template <class T, int dim = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
  cudaTextureObject_t object;
  unsigned magic, dimensions, element, how; // how: read mode, and from bit 8 on normalized, filter and address
  constexpr texture(int normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                    cudaTextureAddressMode address = cudaAddressModeClamp)
      : object(0), magic(cudalua_texture::MAGIC_TEXTURE), dimensions(dim),
        element(cudalua_texture::Element<T>::code),
        how((unsigned)mode | (unsigned)(normalized != 0) << 8 | (unsigned)filter << 9 | (unsigned)address << 10) {}
};

template <class T, int dim = cudaSurfaceType1D>
struct surface {
  cudaSurfaceObject_t object;
  unsigned magic, dimensions, element, how;
  constexpr surface() : object(0), magic(cudalua_texture::MAGIC_SURFACE), dimensions(dim), element(0), how(0) {}
};

// Each function that takes a reference calls the one that takes a texture object.
#define CUDALUA_ARGUMENTS(...) __VA_ARGS__
#define CUDALUA_FETCH(NAME, DIM, PARAMETERS, ARGUMENTS) \
  template <class T, cudaTextureReadMode M> \
  __device__ __forceinline__ typename cudalua_texture::Read<T, M>::type \
  NAME(texture<T, DIM, M> t, CUDALUA_ARGUMENTS PARAMETERS) { \
    return NAME<typename cudalua_texture::Read<T, M>::type>(t.object, CUDALUA_ARGUMENTS ARGUMENTS); \
  }
#define CUDALUA_SAMPLE(NAME, DIM, PARAMETERS, ARGUMENTS, GRADIENT) \
  CUDALUA_FETCH(NAME, DIM, (CUDALUA_ARGUMENTS PARAMETERS), (CUDALUA_ARGUMENTS ARGUMENTS)) \
  CUDALUA_FETCH(NAME##Lod, DIM, (CUDALUA_ARGUMENTS PARAMETERS, float level), (CUDALUA_ARGUMENTS ARGUMENTS, level)) \
  CUDALUA_FETCH(NAME##Grad, DIM, (CUDALUA_ARGUMENTS PARAMETERS, GRADIENT dx, GRADIENT dy), \
                (CUDALUA_ARGUMENTS ARGUMENTS, dx, dy))

CUDALUA_FETCH(tex1Dfetch, cudaTextureType1D, (int x), (x))
CUDALUA_SAMPLE(tex1D, cudaTextureType1D, (float x), (x), float)
CUDALUA_SAMPLE(tex2D, cudaTextureType2D, (float x, float y), (x, y), float2)
CUDALUA_SAMPLE(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z), float4)
CUDALUA_SAMPLE(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer), float)
CUDALUA_SAMPLE(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer), float2)
CUDALUA_SAMPLE(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z), float4)
CUDALUA_SAMPLE(texCubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer),
               (x, y, z, layer), float4)

// One channel of the four texels that a linear filter would mix.
template <class T, cudaTextureReadMode M>
__device__ __forceinline__ typename cudalua_texture::Gather<T, M>::type
tex2Dgather(texture<T, cudaTextureType2D, M> t, float x, float y, int comp = 0) {
  return tex2Dgather<typename cudalua_texture::Gather<T, M>::type>(t.object, x, y, comp);
}

// The form with the number of bytes of the value is CUDA 3's.
#define CUDALUA_SURFACE(NAME, DIM, PARAMETERS, ARGUMENTS) \
  template <class T> \
  __device__ __forceinline__ T NAME##read(surface<void, DIM> s, CUDALUA_ARGUMENTS PARAMETERS, \
                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    return NAME##read<T>(s.object, CUDALUA_ARGUMENTS ARGUMENTS, mode); \
  } \
  template <class T> \
  __device__ __forceinline__ void NAME##read(T *to, surface<void, DIM> s, CUDALUA_ARGUMENTS PARAMETERS, \
                                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    *to = NAME##read<T>(s.object, CUDALUA_ARGUMENTS ARGUMENTS, mode); \
  } \
  template <class T> \
  __device__ __forceinline__ void NAME##read(T *to, surface<void, DIM> s, CUDALUA_ARGUMENTS PARAMETERS, int, \
                                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    *to = NAME##read<T>(s.object, CUDALUA_ARGUMENTS ARGUMENTS, mode); \
  } \
  template <class T> \
  __device__ __forceinline__ void NAME##write(T value, surface<void, DIM> s, CUDALUA_ARGUMENTS PARAMETERS, \
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    NAME##write(value, s.object, CUDALUA_ARGUMENTS ARGUMENTS, mode); \
  } \
  template <class T> \
  __device__ __forceinline__ void NAME##write(T value, surface<void, DIM> s, CUDALUA_ARGUMENTS PARAMETERS, int, \
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    NAME##write(value, s.object, CUDALUA_ARGUMENTS ARGUMENTS, mode); \
  }

CUDALUA_SURFACE(surf1D, cudaSurfaceType1D, (int x), (x))
CUDALUA_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), (x, y))
CUDALUA_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), (x, y, z))
CUDALUA_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), (x, layer))
CUDALUA_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), (x, y, layer))
CUDALUA_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), (x, y, face))
CUDALUA_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int layerface), (x, y, layerface))

#undef CUDALUA_ARGUMENTS
#undef CUDALUA_FETCH
#undef CUDALUA_SAMPLE
#undef CUDALUA_SURFACE
