-- The parts of complex numbers, also of real ones, whose imaginary part is 0; and complex numbers from their parts.

return {
  { "real", 1, "part", code = { real = "$1", complex = "$1.x" }, exact = true },
  { "imag", 1, "part", code = { real = "cl_zero($1)", complex = "$1.y" }, exact = true },
  { "complex", 2, "parts", code = { float32 = "make_float2($1, $2)", float64 = "make_double2($1, $2)" }, exact = true },
  { "conj", 1, "same", code = { real = "$1", complex = "cl_conj($1)" }, exact = true },
  { "angle", 1, "float_part", code = { float = "atan2@(0.0@, $1)", complex = "cl_angle($1)" } },
}
