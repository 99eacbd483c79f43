-- The parts of complex numbers, also of real ones, whose imaginary part is 0; and complex numbers from their parts.

return {
  math = true,

  ---The real part.
  { "real", 1, "part", code = { real = "$1", complex = "$1.x" }, exact = true },
  ---The imaginary part; 0 for real numbers.
  { "imag", 1, "part", code = { real = "cl_zero($1)", complex = "$1.y" }, exact = true },
  ---Complex numbers with these real and imaginary parts, as torch.complex does: complex64, or complex128 for float64.
  ---@param a cudalua.gpuarray.Array|number  the real parts
  ---@param b cudalua.gpuarray.Array|number  the imaginary parts
  ---@raise LogicError if one is complex, the shapes do not broadcast, or both are numbers
  { "complex", 2, "parts", code = { float32 = "make_float2($1, $2)", float64 = "make_double2($1, $2)" }, exact = true,
    math = false },
  ---The complex conjugate; real numbers are unchanged.
  { "conj", 1, "same", code = { real = "$1", complex = "cl_conj($1)" }, exact = true },
  ---The angle of a complex number, from -pi to pi; 0 or pi for a real number.
  { "angle", 1, "float_part", code = { float = "atan2@(0.0@, $1)", complex = "cl_angle($1)" } },
}
