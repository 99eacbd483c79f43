// What PyCUDA's header of this name still has since CUDA 12: complex numbers, and what a texture stores them as. Its
// functions fp_tex1Dfetch and their like took texture references, which CUDA no longer has.
#pragma once
#include <pycuda-complex.hpp>
typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;
