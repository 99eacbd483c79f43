// PyCUDA's complex numbers: pycuda::complex<float> and <double>, with the values of cudalua's arrays.
#pragma once
#include "../array/complex.cuh"
#include "../array/complex_divide.cuh"
#include "../array/complex_exp.cuh"
#include "../array/complex_hyperbolic.cuh"
#include "../array/complex_log.cuh"
#include "../array/complex_sqrt.cuh"
#include "../array/complex_power.cuh"
#include "../array/complex_class.cuh"
