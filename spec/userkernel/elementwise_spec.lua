-- Kernels made of a user's statement.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"

local elementwise = cuda.elementwise
local ElementwiseKernel = elementwise.ElementwiseKernel
local complex64 = ffi.typeof "complex float"

local function range(n, dtype)
  local a = ndarray.empty(n, dtype)
  for i = 1, n do a[i] = i end
  return a
end

describe("elementwise.ElementwiseKernel", function()
  setup(gpu.context)

  local linear = ElementwiseKernel("float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]",
    "linear_combination")

  -- ---- the examples of PyCUDA's documentation, line by line --------------------------------------------------

  it("runs PyCUDA's linear combination", function()
    local n = 400
    local a_gpu, b_gpu = gpuarray.to_gpu(range(n)), gpuarray.to_gpu(range(n)) * 0.5
    local lin_comb = ElementwiseKernel(
      "float a, float *x, float b, float *y, float *z",
      "z[i] = a*x[i] + b*y[i]",
      "linear_combination")
    local c_gpu = gpuarray.empty(a_gpu.shape, a_gpu.dtype)
    lin_comb(5, a_gpu, 6, b_gpu, c_gpu)
    local c = c_gpu:get()
    for i = 1, n do assert.equal(5 * i + 6 * (0.5 * i), c[i]) end
  end)

  it("runs PyCUDA's linear combination with a function of the user's", function()
    local lin_comb = ElementwiseKernel("float a, float *x, float b, float *y, float *z",
      "z[i] = my_f(a*x[i], b*y[i])", "linear_combination", { preamble = [[
      __device__ float my_f(float x, float y)
      {
        return x*y + 1;
      }
      ]] })
    local x, y = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.to_gpu { 4, 5, 6 }
    local z = gpuarray.empty(3)
    lin_comb(2, x, 3, y, z)
    assert.same({ 25, 61, 109 }, z:tolist())
  end)

  it("runs PyCUDA's product of complex numbers", function()
    local complex_mul = ElementwiseKernel(
      "pycuda::complex<float> *x, pycuda::complex<float> *y, pycuda::complex<float> *z",
      "z[i] = x[i] * y[i]",
      "complex_mul", { preamble = "#include <pycuda-complex.hpp>" })
    local x = gpuarray.to_gpu(ndarray.array({ complex64(1, 2), complex64(3, -4) }, "complex64"))
    local y = gpuarray.to_gpu(ndarray.array({ complex64(5, 6), complex64(0, 1) }, "complex64"))
    local z = gpuarray.empty(2, "complex64")
    complex_mul(x, y, z)
    assert.same({ "-7+16i", "4+3i" }, { tostring(z[1]), tostring(z[2]) })
  end)

  it("runs the inner loop of PyCUDA's Mandelbrot example", function()
    local count = ElementwiseKernel("pycuda::complex<float> *q, int *output, int maxiter", [[
      {
          float nreal, real = 0;
          float imag = 0;
          output[i] = 0;
          for(int curiter = 0; curiter < maxiter; curiter++) {
              float real2 = real*real;
              float imag2 = imag*imag;
              nreal = real2 - imag2 + q[i].real();
              imag = 2* real*imag + q[i].imag();
              real = nreal;
              if (real2 + imag2 > 4.0f){
                  output[i] = curiter;
                  break;
                  };
          };
      }
      ]], "complex5", { preamble = "#include <pycuda-complex.hpp>" })
    local points = {}
    for k = 1, 300 do points[k] = complex64(-2 + 0.01 * k, 0.5) end
    local q, output = gpuarray.to_gpu(ndarray.array(points, "complex64")), gpuarray.empty(300, "int32")
    count(q, output, 50)
    local inside, host = 0, output:get()
    for k = 1, 300 do
      local re, im, n = 0, 0, 0
      for turn = 0, 49 do
        local re2, im2 = re * re, im * im
        re, im = re2 - im2 + tonumber(points[k].re), 2 * re * im + tonumber(points[k].im)
        if re2 + im2 > 4 then
          n = turn
          break
        end
      end
      inside = inside + (n == 0 and 1 or 0)
      if n < 12 then assert.equal(n, host[k]) end
    end
    assert.is_true(inside > 20)
  end)

  -- ---- layouts --------------------------------------------------------------------------------------------------

  -- Arrays of the same numbers in other layouts.
  local function layouts(rows, columns)
    local host = ndarray.empty({ rows, columns })
    for i = 1, rows do
      for j = 1, columns do host:set(i, j, 100 * i + j) end
    end
    local wide = ndarray.zeros({ 2 * rows, columns + 3 })
    for i = 1, rows do
      for j = 1, columns do wide:set(2 * i, j + 2, 100 * i + j) end
    end
    local plain = gpuarray.to_gpu(host)
    local back = ndarray.empty({ rows, columns })
    for i = 1, rows do
      for j = 1, columns do back:set(rows + 1 - i, columns + 1 - j, 100 * i + j) end
    end
    return {
      plain = plain,
      fortran = gpuarray.to_gpu(host:copy "F"),
      holed = gpuarray.to_gpu(wide)[{ { 2, -1, 2 }, { 3, -2 } }],
      reversed = gpuarray.to_gpu(back)[{ { -1, 1, -1 }, { -1, 1, -1 } }],
      transposed = gpuarray.to_gpu(host:transpose():copy()).T,
    }
  end

  it("takes arrays of any layout", function()
    for _, size in ipairs { { 3, 5 }, { 37, 41 } } do
      local inputs, outputs = layouts(size[1], size[2]), layouts(size[1], size[2])
      local expected = (inputs.plain * 2 + inputs.plain * 3):get()
      for a, x in pairs(inputs) do
        for b, y in pairs(inputs) do
          for c, z in pairs(outputs) do
            z:fill(-1)
            linear(2, x, 3, y, z)
            assert.is_true(z:get():equal(expected), ("%s, %s -> %s"):format(a, b, c))
          end
        end
      end
    end
  end)

  it("broadcasts what is read", function()
    local row, column = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.to_gpu { { 10 }, { 20 } }
    local z = gpuarray.empty { 2, 3 }
    linear(1, row, 1, column, z)
    assert.same({ { 11, 12, 13 }, { 21, 22, 23 } }, z:tolist())
    linear(1, gpuarray.to_gpu(5), 1, column, z)
    assert.same({ { 15, 15, 15 }, { 25, 25, 25 } }, z:tolist())
    gpu.raises("LogicError", "argument 5 (float *z): the kernel writes to it, but the array float32(2, 1) is " ..
      "smaller than the common shape (2, 3)", linear, 1, row, 1, row, column)
    gpu.raises("LogicError", "argument 4 (float *y): the array float32(2,) cannot be broadcast with the shape (3,)",
      linear, 1, row,
      1, gpuarray.to_gpu { 1, 2 }, gpuarray.empty(3))
  end)

  it("counts i in C order where the statement uses it", function()
    local number = ElementwiseKernel("float *x", "x[i] = i", "number")
    local index = ElementwiseKernel("const float *x, float *y, long long *at", "y[i] = x[i]; at[i] = i", "number")
    for name, x in pairs(layouts(3, 4)) do
      local y, at = gpuarray.empty({ 3, 4 }, nil, { order = "F" }), gpuarray.empty({ 3, 4 }, "int64")
      index(x, y, at)
      assert.is_true(y:get():equal(x:get()), name)
      assert.same({ { 0, 1, 2, 3 }, { 4, 5, 6, 7 }, { 8, 9, 10, 11 } }, at:tolist())
      number(x)
      assert.same({ { 0, 1, 2, 3 }, { 4, 5, 6, 7 }, { 8, 9, 10, 11 } }, x:tolist())
    end
  end)

  it("leaves arrays to the user that he indexes himself", function()
    local take = ElementwiseKernel("const int *at, const float *table, float *out", "out[i] = table[at[i]]", "take")
    local at = gpuarray.to_gpu({ 3, 0, 2 }, "int32")
    local out = gpuarray.empty(3)
    take(at, gpuarray.to_gpu { 10, 11, 12, 13, 14 }, out)
    assert.same({ 13, 10, 12 }, out:tolist())
    take(at, gpuarray.to_gpu { 10, -1, 11, -1, 12, -1, 13 }[{ { 1, -1, 2 } }], out) -- passed without gaps
    assert.same({ 13, 10, 12 }, out:tolist())
    local reverse = ElementwiseKernel("float *x", "x[n - 1 - i] = i", "reverse")
    local square = gpuarray.to_gpu { { 9, 9 }, { 9, 9 } }
    reverse(square.T) -- written without gaps, and put back
    assert.same({ { 3, 1 }, { 2, 0 } }, square:tolist())
    local call = ElementwiseKernel("float *p, float d", "bump(p + i, d)", "call",
      { preamble = "void bump(float *p, float d) { *p += d; }" })
    call(square.T, 10)
    assert.same({ { 13, 11 }, { 12, 10 } }, square:tolist())
  end)

  it("is not misled by another i", function()
    local k = ElementwiseKernel("float *out, const float *w, const float *x",
      "float s = x[i]; for (int i = 0; i < 3; i++) s += w[i]; out[i] = s", "inner")
    local out = gpuarray.empty { 2, 2 }
    k(out, gpuarray.to_gpu { 1, -1, 2, -1, 3 }[{ { 1, -1, 2 } }], gpuarray.to_gpu { { 10, 20 }, { 30, 40 } }.T)
    assert.same({ { 16, 36 }, { 26, 46 } }, out:tolist())
  end)

  it("does many elements, and none", function()
    local n = 100003
    local x, z = gpuarray.to_gpu(range(n)), gpuarray.empty(n)
    linear(1, x, 1, x, z)
    local host = z:get()
    for i = 1, n, 101 do assert.equal(2 * i, host[i]) end
    assert.equal(2 * n, host[n])
    linear(1, gpuarray.empty { 0, 3 }, 1, gpuarray.empty { 0, 3 }, gpuarray.empty { 0, 3 })
    local two = gpuarray.empty { 2, n }
    linear(1, two, 0, x, two[{ {}, {} }])
    linear(0, two, 3, x, two)
    assert.equal(3 * n, two[{ 2, n }]:item())
  end)

  -- ---- what the kernel sees -----------------------------------------------------------------------------------

  it("sees the values from before the call where arrays overlap", function()
    local a = gpuarray.to_gpu { 1, 2, 3, 4, 5 }
    linear(1, a[{ { 1, 4 } }], 0, a[{ { 1, 4 } }], a[{ { 2, 5 } }])
    assert.same({ 1, 1, 2, 3, 4 }, a:tolist())
    linear(2, a, 1, a, a) -- in place
    assert.same({ 3, 3, 6, 9, 12 }, a:tolist())
    linear(1, a[{ { -1, 1, -1 } }], 0, a, a)
    assert.same({ 12, 9, 6, 3, 3 }, a:tolist())
    local differences = ElementwiseKernel("float *y, const float *x", "y[i] = i + 1 < n ? x[i + 1] - x[i] : 0")
    differences(a, a)
    assert.same({ -3, -3, -3, 0, 0 }, a:tolist())
    local square = gpuarray.to_gpu { { 1, 2 }, { 3, 4 } }
    linear(1, square.T, 0, square, square)
    assert.same({ { 1, 3 }, { 2, 4 } }, square:tolist())
  end)

  it("evaluates its arguments, and the readers of what is written", function()
    local a, z = gpuarray.to_gpu { 1, 2 }, gpuarray.to_gpu { 7, 7 }
    local before, other = z * 2, a * 3
    linear(1, a + 1, 10, a * a, z)
    assert.same({ 12, 43 }, z:tolist())
    assert.is_false(before._sig)
    assert.is_truthy(other._sig) -- x is not assigned to
    assert.same({ 14, 14 }, before:tolist())
  end)

  it("finds out what is written through references and macros", function()
    local bump = ElementwiseKernel("float *x, float *y", "bump(x[i], y[i])", "bump",
      { preamble = "void bump(float &a, float &b) { a += b; }" })
    local x = gpuarray.to_gpu { 1, 2 }
    local before = x * 1
    bump(x, gpuarray.to_gpu { 10, 20 })
    assert.same({ 11, 22 }, x:tolist())
    assert.same({ 1, 2 }, before:tolist())
    local macro = ElementwiseKernel("float *x", "SET(i)", "macro", { preamble = "#define SET(k) x[k] = k + 5" })
    before = x * 1
    macro(x)
    assert.same({ 5, 6 }, x:tolist())
    assert.same({ 11, 22 }, before:tolist())
    local cast = ElementwiseKernel("float *x", "((int *)x)[i] = 0; ++((float *)x)[i]", "cast")
    before = x * 1
    cast(x)
    assert.same({ 1, 1 }, x:tolist())
    assert.same({ 5, 6 }, before:tolist())
    local member = ElementwiseKernel("float2 *x, float *y", "float2 t = x[i]; y[i] = t.x; x[i].y = t.x + 1", "member")
    local v = gpuarray.to_gpu(ndarray.array({ complex64(3, 0) }, "complex64"))
    member(v, x[{ { 1 } }])
    assert.equal("3+4i", tostring(v[1]))
    assert.equal(3, x[1])
  end)

  it("runs loop_prep and after_loop around the elements of a thread", function()
    local sum = ElementwiseKernel("const int *x, int *total", "mine += x[i]", "sum_up",
      { loop_prep = "int mine = 0", after_loop = "atomicAdd(total, mine)" })
    local total = gpuarray.to_gpu({ 0 }, "int32")
    sum(gpuarray.to_gpu(range(5000, "int32")), total)
    assert.equal(5000 * 5001 / 2, total:item())
  end)

  it("does all elements where the statement returns or goes on early", function()
    local x = gpuarray.to_gpu(range(3000))
    ElementwiseKernel("float *x", "if (x[i] > 10) return; x[i] = -1", "early")(x)
    ElementwiseKernel("float *x", "if (x[i] < 0) continue; x[i] = 5 // the rest", "skip")(x)
    local host = x:get()
    for i = 1, 3000 do assert.equal(i > 10 and 5 or -1, host[i]) end
  end)

  -- ---- types ----------------------------------------------------------------------------------------------------

  it("takes every dtype, as a value too", function()
    for _, name in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
      "float64" } do
      local ctype = cuda.tools.dtype_to_ctype(name)
      local k = ElementwiseKernel(("%s *x, %s v, const %s *y"):format(ctype, ctype, ctype), "x[i] = y[i] + v",
        "add_" .. name)
      local x = gpuarray.empty(3, name)
      k(x, 100, gpuarray.to_gpu({ 1, 2, 27 }, name))
      assert.same({ 101, 102, 127 }, x:tolist())
      k(x[{ { 3, 1, -1 } }], gpuarray.to_gpu(7, "int32"), x)
      assert.same({ 134 % (name == "int8" and 256 or 1000) - (name == "int8" and 256 or 0), 109, 108 }, x:tolist())
    end
    local b = gpuarray.empty(2, "bool")
    ElementwiseKernel("bool *b, bool v, const float *x", "b[i] = v != (x[i] > 1)", "flags")(b, true,
      gpuarray.to_gpu { 1, 2 })
    assert.same({ true, false }, b:tolist())
  end)

  it("takes 16-bit floats as CUDA's own types", function()
    local k = ElementwiseKernel("half *x, const half *y, half a, bfloat16 *b",
      "x[i] = y[i] * a + __float2half(1.0f); b[i] = __float2bfloat16(__half2float(y[i]) + 0.5f)", "halves")
    local x, b = gpuarray.empty(3, "float16"), gpuarray.empty(3, "bfloat16")
    k(x, gpuarray.to_gpu({ 1, 2, 3 }, "float16"), 0.5, b)
    assert.same({ 1.5, 2, 2.5 }, x:tolist())
    assert.same({ 1.5, 2.5, 3.5 }, b:tolist())
  end)

  it("takes complex numbers with their operators and functions", function()
    local k = ElementwiseKernel("complex64 *z, const complex64 *x, complex64 a, float f", [[
      complex64 w = 2 * x[i] - a * f + 1.0f / x[i];
      w += conj(x[i]);
      w *= 2.0f;
      z[i] = real(w) == w.real() && w != x[i] ? exp(log(w)) + pow(x[i], 2) - x[i] * x[i] : complex64(0, 0)]],
      "functions")
    local x = gpuarray.to_gpu(ndarray.array({ complex64(1, 1), complex64(-2, 0.5) }, "complex64"))
    local z = gpuarray.empty(2, "complex64")
    k(z, x, complex64(0, 1), 3)
    -- w = 2 (2x - 3i + 1/x + conj(x))
    for at, p in ipairs { { 1, 1 }, { -2, 0.5 } } do
      local re, im = p[1], p[2]
      local s = re * re + im * im
      assert.is_true(math.abs(tonumber(z[at].re) - 2 * (3 * re + re / s)) < 1e-4)
      assert.is_true(math.abs(tonumber(z[at].im) - 2 * (im - 3 - im / s)) < 1e-4)
    end
    local plain = ElementwiseKernel("const cuFloatComplex *x, float2 *z", "z[i] = cuCmulf(x[i], x[i])", "other_class")
    plain(x, z)
    assert.equal("0+2i", tostring(z[1]))
  end)

  it("takes structs and vectors", function()
    local particle = cuda.dtype.struct({ { "x", "float32" }, { "n", "int32" }, { "c", "int8" } },
      { name = "particle_t" })
    local k = ElementwiseKernel({ cuda.tools.VectorArg(particle, "p"), "float *out",
      cuda.tools.ScalarArg(particle, "q") }, "out[i] = p[i].x * p[i].n + q.n; p[i].n += 1", "structs")
    local p = gpuarray.to_gpu(ndarray.array({ particle(1.5, 2, 0), particle(2, 4, 0) }, particle))
    local out = gpuarray.empty(2)
    k(p, out, particle(0, 100, 0))
    assert.same({ 103, 108 }, out:tolist())
    k(p[{ { 2, 1, -1 } }], out, particle(0, 100, 0))
    assert.same({ 110, 104.5 }, out:tolist())
    assert.equal(4, p:get()[1].n)
    local turn = ElementwiseKernel("float4 *v, const float *s", "v[i].w = s[i] * v[i].x", "turn")
    local v = gpuarray.to_gpu(ndarray.array({ cuda.vec.make_float4(1, 2, 3, 4), cuda.vec.make_float4(5, 6, 7, 8) },
      cuda.vec.float4))
    turn(v, gpuarray.to_gpu { 10, 20 })
    assert.equal(10, v:get()[1].w)
    assert.equal(100, v:get()[2].w)
  end)

  it("refuses values and arrays of other types", function()
    local k = ElementwiseKernel("signed char *x, signed char v, int w", "x[i] = v + w", "typed")
    local x = gpuarray.empty(2, "int8")
    gpu.raises("LogicError", "typed: argument 2 (signed char v): 300 is out of the range of int8", k, x, 300, 0)
    gpu.raises("LogicError", "typed: argument 3 (int w): 1.5 is not an integer", k, x, 0, 1.5)
    gpu.raises("LogicError", "argument 3 (int w)", k, x, 0, 0 / 0)
    gpu.raises("LogicError", "argument 3 (int w): expected a number, got the array int8(2,)", k, x, 0, x)
    gpu.raises("LogicError", 'argument 1 (signed char *x): the array is float32(2,); convert it with astype "int8"', k,
      gpuarray.empty(2), 0, 0)
    gpu.raises("LogicError", "copy it there with", k, ndarray.array({ 1 }, "int8"), 0, 0)
    gpu.raises("LogicError", "typed: it takes 3 arguments (signed char *x, signed char v, int w), got 2", k, x, 0)
    gpu.raises("LogicError", "unknown option 'grid'; valid options: n, range, slice, stream", k, x, 0, 0, { grid = 1 })
    gpu.refuses_nonsense(function(v) k(v, 0, 0) end, { ["nil"] = true })
    gpu.refuses_nonsense(function(v) k(x, v, 0) end, { boolean = true, number = true, ["nil"] = true })
    gpu.refuses_nonsense(function(v) k(x, 0, 0, { slice = v }) end, { ["nil"] = true, table = true })
    gpu.refuses_nonsense(function(v) k(x, 0, 0, { stream = v }) end, { ["nil"] = true })
    gpu.refuses_nonsense(function(v) k(x, 0, 0, { n = v }) end, { ["nil"] = true })
    local view = gpuarray.to_gpu({ 1 }, "int8")
    if view.broadcast_to then
      gpu.raises("LogicError", "elements of the array int8(3,) overlap", k, view:broadcast_to(3), 0, 0)
    end
    x:release()
    gpu.raises("LogicError", "was released", k, x, 0, 0)
  end)

  -- ---- options of a call ----------------------------------------------------------------------------------------

  it("does the elements that range or slice name", function()
    local fill = ElementwiseKernel("float *x, float v", "x[i] = v", "fill")
    local x = gpuarray.to_gpu { 0, 0, 0, 0, 0, 0 }
    fill(x, 1, { slice = { 2, -2 } })
    assert.same({ 0, 1, 1, 1, 1, 0 }, x:tolist())
    fill(x, 2, { range = { 1, 6, 2 } })
    assert.same({ 2, 1, 2, 1, 2, 0 }, x:tolist())
    fill(x, 3, { range = { 6, 5, -1 } })
    assert.same({ 2, 1, 2, 1, 3, 3 }, x:tolist())
    fill(x, 9, { slice = { 3, 2 } }) -- empty
    fill(x, 4, { n = 1 })
    assert.same({ 4, 1, 2, 1, 3, 3 }, x:tolist())
    local m = gpuarray.to_gpu { { 0, 0 }, { 0, 0 } }
    fill(m.T, 5, { slice = { 2, 3 } }) -- in the order of what is given
    assert.same({ { 0, 5 }, { 5, 0 } }, m:tolist())
    gpu.raises("LogicError", "fill: option slice: index 1: the range {2, 7}", fill, x, 1, { slice = { 2, 7 } })
    gpu.raises("LogicError", "mean the same", fill, x, 1, { slice = { 2, 3 }, range = { 2, 3 } })
    gpu.raises("LogicError", "option n is 7, but the arrays have 6 elements", fill, x, 1, { n = 7 })
    local where = ElementwiseKernel("long long *x", "x[i] = 10 * i + n", "where_am_i")
    local at = gpuarray.to_gpu({ 0, 0, 0, 0 }, "int64")
    where(at, { range = { 2, 4, 2 } })
    assert.same({ 0, 14, 0, 34 }, at:tolist())
  end)

  it("runs in the stream that it is given, after others' work", function()
    local s = cuda.Stream "non_blocking"
    local n = 50000
    local x, z = gpuarray.to_gpu(range(n)), gpuarray.empty(n)
    for _ = 1, 10 do
      linear(1, x, 0, x, z)
      linear(2, z, 1, x, z, { stream = s })
      linear(1, z, -1, x, z)
    end
    local host = z:get()
    assert.equal(2, host[1])
    assert.equal(2 * n, host[n])
    s:close()
  end)

  it("takes device memory that is no array", function()
    local fill = ElementwiseKernel("float *x, float v", "x[i] = v + i", "fill_memory")
    local memory = cuda.mem_alloc(16)
    fill(memory, 3, { n = 4 })
    local host = ndarray.empty(4)
    cuda.memcpy_dtoh(host, memory)
    assert.same({ 3, 4, 5, 6 }, host:tolist())
    gpu.raises("LogicError", "no argument sets the number of", fill, memory, 3)
    linear(1, memory, 1, gpuarray.to_gpu { { 1, 2 }, { 3, 4 } }.T, gpuarray.empty({ 2, 2 }))
    memory:free()
    gpu.error_of("LogicError", fill, memory, 3, { n = 4 })
  end)

  it("runs in the context of its arrays", function()
    local x, z = gpuarray.to_gpu { 1, 2 }, gpuarray.empty(2)
    local other = cuda.Device(0):make_context()
    linear(1, x, 1, x, z) -- of the context below
    assert.same({ 2, 4 }, z:tolist())
    local y = gpuarray.to_gpu { 5, 6 }
    linear(1, y, 1, y, y)
    assert.same({ 10, 12 }, y:tolist())
    gpu.raises("LogicError", "argument 4 (float *y): the array belongs to another context than argument 2 does", linear,
      1, x, 1, y, z)
    y:release()
    other:detach()
    linear(2, x, 0, x, z)
    assert.same({ 2, 4 }, z:tolist())
  end)

  it("is part of a graph", function()
    local s = cuda.Stream()
    local x, z = gpuarray.to_gpu { 1, 2 }, gpuarray.to_gpu { 0, 0 }
    local graph = s:capture(function() linear(1, x, 1, z, z) end)
    local exec = graph:instantiate()
    exec:launch(s)
    exec:launch(s)
    s:synchronize()
    assert.same({ 2, 4 }, z:tolist())
    s:close()
  end)

  -- ---- compiling ------------------------------------------------------------------------------------------------

  it("shows the user's lines where they do not compile", function()
    local x = gpuarray.to_gpu { 1 }
    local err = gpu.error_of("CompileError", ElementwiseKernel("float *x", "float y = 1;\nx[i] = foo(y)", "broken"), x)
    assert.truthy(err.message:find("broken: operation(2): identifier \"foo\" is undefined", 1, true))
    assert.truthy(err.excerpt:find("> *2 | x%[i%] = foo%(y%)"))
    err = gpu.error_of("CompileError", ElementwiseKernel("float *x", "x[i] = 1", "broken",
      { preamble = "\nint f() { return oops; }" }), x)
    assert.truthy(err.message:find("broken: preamble(2): identifier \"oops\"", 1, true))
    assert.same({ 1 }, x:tolist())
  end)

  it("compiles once for a form, and takes the compiler's options", function()
    local k = ElementwiseKernel("float *x", "x[i] = VALUE", "with_options", { options = { "-DVALUE=12" } })
    local x = gpuarray.to_gpu { 0, 0 }
    k(x)
    assert.same({ 12, 12 }, x:tolist())
    if gpu.soft then
      local softgpu = require "cudalua.softgpu"
      softgpu.log "on"
      softgpu.log "clear"
      for _ = 1, 3 do k(x) end
      softgpu.log "off"
      local names = {}
      for _, call in ipairs(softgpu.calls()) do
        names[#names + 1] = call.symbol:match "^cuLaunch.*" or call.symbol:match "Load"
      end
      softgpu.log "clear"
      assert.same({ "cuLaunchKernel", "cuLaunchKernel", "cuLaunchKernel" }, names)
    end
  end)

  it("refuses what is no kernel", function()
    gpu.raises("LogicError", "none of the arguments (float a) is an array", ElementwiseKernel, "float a", "")
    gpu.raises("LogicError", "argument 1 (float *n): the name is reserved: the number of elements", ElementwiseKernel,
      "float *n", "")
    gpu.raises("LogicError", "the name is reserved: the number of the element", ElementwiseKernel,
      "float *x, int i", "")
    gpu.raises("LogicError", "to the kernel around the statement", ElementwiseKernel, "float *cl_x", "")
    gpu.raises("LogicError", "argument 2", ElementwiseKernel, "float *x, unheard_of *y", "")
    gpu.raises("LogicError", "'two words' is not a valid kernel", ElementwiseKernel, "float *x", "",
      "two words")
    gpu.raises("LogicError", "unknown option 'block'", ElementwiseKernel, "float *x", "", "k", { block = 1 })
    local named = ElementwiseKernel { arguments = "float *x", operation = "x[i] = 3", name = "threes" }
    local threes = gpuarray.zeros(2)
    named(threes)
    assert.same({ "threes", 3, 3 }, { named.name, threes[1], threes[2] })
    gpu.raises("LogicError", "ElementwiseKernel: operation is passed twice", ElementwiseKernel, "float *x", "x[i] = 3",
      { operation = "x[i] = 4" })
    gpu.raises("LogicError", "ElementwiseKernel: arguments: expected declarations", ElementwiseKernel, 5, "x[i] = 3")
    gpu.refuses_nonsense(function(v) ElementwiseKernel(v, "") end)
    gpu.refuses_nonsense(function(v) ElementwiseKernel("float *x", v) end, { string = true })
    gpu.refuses_nonsense(function(v) ElementwiseKernel("float *x", "", v) end,
      { ["nil"] = true, string = true, table = true })
    gpu.refuses_nonsense(function(v) ElementwiseKernel("float *x", "", "k", { preamble = v }) end,
      { ["nil"] = true, string = true })
    gpu.raises("LogicError", "read-only", function() linear.name = "other" end)
    assert.equal("linear_combination", linear.name)
    assert.equal("cudalua.ElementwiseKernel: linear_combination(float a, float *x, float b, float *y, float *z)",
      tostring(linear))
  end)
end)

describe("elementwise.ElementwiseKernel:source", function()
  setup(gpu.context)

  it("is the CUDA C around the statement", function()
    local text = ElementwiseKernel("float *x, float v", "x[i] *= v", "scale"):source()
    assert.truthy(text:find('__global__ void __launch_bounds__(256) scale(float *__restrict__ x, float v, const ' ..
      'long long n)', 1, true))
    assert.truthy(text:find('#line 1 "scale: operation"\nx[i] *= v\n;', 1, true))
    gpu.refuses_nonsense(elementwise.ElementwiseKernel.source)
  end)
end)
