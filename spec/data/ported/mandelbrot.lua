-- Escape times of the Mandelbrot set, by an ElementwiseKernel and by arrays. In PyCUDA:
--   complex_gpu = ElementwiseKernel("pycuda::complex<float> *q, int *output, int maxiter", """
--       { float nreal, real = 0; float imag = 0; output[i] = 0;
--         for (int curiter = 0; curiter < maxiter; curiter++) { ... } }""", "complex5")
--   for it in range(maxiter):
--       z = z * z + q
--       done = abs(z).get() > 2.0
--       q[done] = 0 + 0j; z[done] = 0 + 0j; output[done] = it
local cuda = require "cudalua"
local gpuarray = cuda.gpuarray
local ElementwiseKernel = cuda.elementwise.ElementwiseKernel

local w, h, maxiter = 48, 40, 30
local x, y = gpuarray.linspace(-2.13, 0.77, w), gpuarray.linspace(1.3, -1.3, h)
local q = gpuarray.complex(x + gpuarray.zeros { h, w }, y:reshape(h, 1) + gpuarray.zeros { h, w }):ravel()
local output = gpuarray.empty(q.shape, "int32")

local escape = ElementwiseKernel("pycuda::complex<float> *q, int *output, int maxiter", [[
  {
    float real = 0, imag = 0;
    output[i] = 0;
    for (int it = 0; it < maxiter; it++) {
      float next = real * real - imag * imag + q[i].real();
      imag = 2 * real * imag + q[i].imag();
      real = next;
      if (real * real + imag * imag > 4) { output[i] = it; break; }
    }
  }
]], "escape", { preamble = "#include <pycuda-complex.hpp>" })
escape(q, output, maxiter)

local z, c, by_arrays = gpuarray.zeros_like(q), q:copy(), gpuarray.zeros_like(output)
for it = 0, maxiter - 1 do
  z = (z * z + c):eval()
  local done = z:abs():gt(2):eval()
  c[done] = 0
  z[done] = 0
  by_arrays[done] = it
end

local inside = output:reshape(h, w)[{ h / 2, { 1, w } }]:eq(0)
print("points", output.size)
print("inside", output:eq(0):sum():get())
print("differ", output:ne(by_arrays):sum():get())
print("inside in the middle row", inside:sum():get())
print("histogram of early escapes", (gpuarray.bincount(output + 1)[{ { 2, 4 } }]))
