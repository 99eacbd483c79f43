-- An element-wise kernel of complex numbers, as a test of rounding. In PyCUDA:
--   lin_comb = ElementwiseKernel(
--       "pycuda::complex<float> a, pycuda::complex<float> *x, pycuda::complex<float> *z", "z[i] = a * x[i] * x[i]",
--       "square", preamble="#include <pycuda-complex.hpp>")
--   a_gpu = gpuarray.to_gpu(re.astype(numpy.complex64) + 1j * im)
--   lin_comb(1 + 2j, a_gpu, c_gpu)
local cuda = require "cudalua"
local ffi = require "ffi"
local gpuarray = cuda.gpuarray
local ElementwiseKernel = cuda.elementwise.ElementwiseKernel

local re, im = gpuarray.arange(1, 5, 1, "float32"), gpuarray.arange(0, 4, 1, "float32")
local a_gpu = re + im * ffi.new("complex", 0, 1)
local c_gpu = gpuarray.empty_like(a_gpu)

local lin_comb = ElementwiseKernel("pycuda::complex<float> a, pycuda::complex<float> *x, pycuda::complex<float> *z",
  "z[i] = a * x[i] * x[i]", "square", { preamble = "#include <pycuda-complex.hpp>" })
lin_comb(ffi.new("complex", 1, 2), a_gpu, c_gpu)

local expected = a_gpu * a_gpu * ffi.new("complex", 1, 2)
print("type", a_gpu.dtype)
print("result", c_gpu)
print("largest difference", (c_gpu - expected):abs():max():get())
print("sum of real parts", c_gpu:real():sum():get())
print("modulus", cuda.cumath.sqrt(a_gpu:real() ^ 2 + a_gpu:imag() ^ 2)[4], a_gpu:abs()[4])
