-- Reductions that users write: results against plain Lua, in every form of the kernel and layout of the arrays.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local sample = require "spec.support.arrays"
local dtype = require "cudalua.dtype"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local reduce_run = require "cudalua.gpuarray.reduce.run"
local reference = require "spec.support.reductions"
local cuda, text = gpu.cuda, reference.text
local ReductionKernel = cuda.reduction.ReductionKernel

local function random(n, t)
  local h = ndarray.empty(n, t)
  for i = 1, h.size do h:reshape(-1)[i] = t == "int32" and math.random(-1000, 1000) or math.random() * 2 - 1 end
  return gpuarray.to_gpu(h)
end

local flat = sample.flat

local function sum_of(list) return reference.sum(list, dtype.float32) end

describe("reduction.ReductionKernel", function()
  setup(gpu.context)

  local sum, dot
  before_each(function()
    sum = sum or ReductionKernel("float32", "0", "a + b", nil, "const float *x", "own_sum")
    dot = dot or ReductionKernel("float32", 0, "a + b", "x[i] * y[i]", "const float *x, const float *y",
      { options = { "--fmad=false" } })
  end)

  it("adds up in the order that gpuarray's sums have, few and many elements", function()
    for _, n in ipairs { 1, 2, 3, 7, 31, 129, 1000, 1024, 1025, 40000, 300001 } do
      local x = random(n)
      assert.equal(text(sum_of(flat(x))), text(sum(x):item()), n)
    end
    assert.equal(0, sum(gpuarray.empty(0)):item())
    assert.same({}, sum(random(5)).shape)
    assert.is_truthy(tostring(sum):find("own_sum(const float *x)", 1, true))
    assert.equal("own_sum", sum.name)
  end)

  it("takes arrays of any layout, and broadcasts", function()
    local a, b = random { 30, 41 }, random { 41 }
    local product = (a * b):eval()
    assert.equal(text(product:sum():item()), text(dot(a, b):item()))
    assert.equal(text(product.T:sum():item()), text(dot(a.T, b:reshape(41, 1)):item()))
    assert.equal(text(a[{ { -1, 1, -2 }, { 3, 20, 4 } }]:sum():item()), text(sum(a[{ { -1, 1, -2 }, { 3, 20, 4 } }])
      :item()))
    assert.equal(text((a * 2 + 1):sum():item()), text(sum(a * 2 + 1):item()))
    assert.equal(text((a * a[{ 1, 1 }]):sum():item()), text(dot(a, a[{ { 1 }, { 1 } }]):item()))
    gpu.raises("LogicError", "broadcast with the shape", dot, a, random(5))
  end)

  it("has the number of the element, ranges and a number of elements", function()
    local places = ReductionKernel("int64", "0", "a + b", "x[i] * i + n", "const int *x")
    local x = random({ 10, 10 }, "int32")
    local list = flat(x)
    local function want(first, last, step)
      local s = 0
      for i = first, last, step do s = s + list[i] * (i - 1) + 100 end
      return s
    end
    assert.equal(want(1, 100, 1), places(x):item())
    assert.equal(want(11, 50, 1), places(x, { range = { 11, 50 } }):item())
    assert.equal(want(3, 100, 7), places(x, { slice = { 3, -1, 7 } }):item())
    assert.equal(want(90, 10, -5), places(x, { range = { 90, 10, -5 } }):item())
    assert.equal(0, places(x, { range = { 5, 4 } }):item())
    local memory = cuda.mem_alloc(400)
    cuda.memcpy_dtod(memory, x.ptr, 400)
    assert.equal(want(1, 100, 1), places(memory, { n = 100 }):item())
    gpu.raises("LogicError", "add option n", places, memory)
    gpu.raises("LogicError", "have 100 elements", places, x, { n = 101 })
    gpu.raises("LogicError", "only one", places, x, { range = { 1, 2 }, slice = { 1, 2 } })
    gpu.raises("LogicError", "must be {first, last}", places, x, { range = 5 })
  end)

  it("indexes arrays that do not stand at [i] alone", function()
    local picked = ReductionKernel("float32", "0", "a + b", "table[x[i]] * scale", "const int *x, const float *table, "
      .. "float scale")
    local table_of = gpuarray.to_gpu { { 1, 10 }, { 100, 1000 } }
    assert.equal(2202, picked(gpuarray.to_gpu({ 0, 2, 3, 0 }, "int32"), table_of, 2):item() - 2)
    assert.equal(2022, picked(gpuarray.to_gpu({ 0, 1, 3, 0, 0 }, "int32"), table_of.T, 1):item() - 81 + 1000)
    local neighbours = ReductionKernel("float32", "0", "a + b", "i > 0 ? fabsf(x[i] - x[i - 1]) : 0", "const float *x")
    assert.equal(5, neighbours(gpuarray.to_gpu { 1, 3, 0 }):item())
    assert.equal(5, neighbours(gpuarray.to_gpu { 9, 1, 9, 3, 9, 0 }[{ { 2, 6, 2 } }]):item())
  end)

  it("gives structs, and several results of one pass", function()
    local pair = dtype.struct({ { "low", "float32" }, { "high", "float32" } }, { name = "low_high" })
    local ends = ReductionKernel(pair, "low_high{ 3e38f, -3e38f }", "joined(a, b)", "low_high{ x[i], x[i] }",
      "const float *x", "ends", { preamble = [[
struct low_high { float low, high; };
__device__ low_high joined(const low_high &a, const low_high &b) {
  return low_high{ fminf(a.low, b.low), fmaxf(a.high, b.high) };
}]] })
    local several = ReductionKernel({ "float32", "float32", "int32" }, { math.huge, -math.huge, "0" },
      { "fminf(a, b)", "fmaxf(a, b)", "a + b" }, { "x[i]", "x[i]", "x[i] > 0" }, "const float *x")
    for _, n in ipairs { 5, 2000, 50000 } do
      local x = random(n)
      local got = ends(x):tolist()
      assert.equal(x:min():item(), got.low)
      assert.equal(x:max():item(), got.high)
      local low, high, positive = several(x)
      assert.equal(x:min():item(), low:item())
      assert.equal(x:max():item(), high:item())
      assert.equal(x:gt(0):sum():item(), positive:item())
      assert.equal(dtype.int32, positive.dtype)
    end
    local points = gpuarray.to_gpu(ndarray.empty({ 3, 4 }, pair))
    gpu.raises("LogicError", "argument 1", several, points)
  end)

  it("works on short, long, complex and boolean values", function()
    local x = random(3000, "int32")
    local parity = ReductionKernel("uint8", "0", "a ^ b", "x[i] & 1", "const int *x")
    local odd = 0
    for _, v in ipairs(flat(x)) do odd = (odd + v % 2) % 2 end
    assert.equal(odd, parity(x):item())
    local longest = ReductionKernel("int64", "-1", "a > b ? a : b", "x[i] * 5000000000ll", "const int *x")
    assert.equal(text(0LL + x:max():item() * 5000000000), text(0LL + longest(x):item()))
    local z = dtype.complex64.ctype
    local c = gpuarray.to_gpu(ndarray.array({ z(1, 2), z(3, -4), z(0, 1) }, "complex64"))
    local product = ReductionKernel("complex64", "complex64(1)", "a * b", "c[i]", "const complex64 *c")
    assert.equal(text(c:prod():item()), text(product(c):item()))
    local halves = ReductionKernel("float16", "__half(0.0f)", "a + b", "x[i]", "const half *x")
    assert.equal(6, halves(gpuarray.to_gpu({ 1, 2, 3 }, "float16")):item())
    assert.equal(5000, halves(gpuarray.full(10000, 0.5, "float16")):item())
    local all = ReductionKernel("bool", true, "a && b", "x[i] > -2000", "const int *x")
    assert.is_true(all(x):item())
  end)

  it("keeps the order of a and b: expressions need not commute", function()
    -- Strings of digits: (value, 10^length).
    local digits = dtype.struct({ { "value", "uint64" }, { "scale", "uint64" } }, { name = "digits" })
    local joined = ReductionKernel(digits, "digits{ 0, 1 }", "digits{ a.value * b.scale + b.value, a.scale * b.scale }",
      "digits{ (unsigned long long)x[i], 10 }", "const int *x",
      { preamble = "struct digits { unsigned long long value, scale; };" })
    for _, n in ipairs { 3, 19 } do
      local list = {}
      for i = 1, n do list[i] = i % 10 end
      assert.equal(table.concat(list), text(joined(gpuarray.to_gpu(list, "int32")):tolist().value))
    end
    -- Wrapping, with many elements: the same as a loop's.
    local n, list, value = 5000, {}, 0ULL
    for i = 1, n do
      list[i] = i * i % 10
      value = value * 10 + list[i]
    end
    assert.equal(text(value), text(joined(gpuarray.to_gpu(list, "int32")):tolist().value))
  end)

  it("writes to out, also a view, in a stream, with an allocator", function()
    local x = random(70000)
    local want = text(sum(x):item())
    local out = gpuarray.to_gpu { 1, 2, 3 }
    local before = out + 1
    assert.equal(nil, rawequal(out, sum(x, { out = out[{ { 2 } }] })) or nil)
    assert.equal(want, text(out[2]))
    assert.same({ 1, 3 }, { out[1], out[3] })
    assert.same({ 2, 3, 4 }, before:tolist())
    local zero = gpuarray.zeros {}
    assert.equal(zero, sum(x, { out = zero }))
    assert.equal(want, text(zero:item()))
    local s = cuda.Stream()
    local got = sum(x, { stream = s })
    s:synchronize()
    assert.equal(want, text(got:item()))
    s:close()
    local asked = {}
    sum(x, { allocator = function(bytes)
      asked[#asked + 1] = bytes
      return cuda.mem_alloc(bytes)
    end })
    assert.same({ 4 }, asked)
    gpu.raises("LogicError", "one element of float32", sum, x, { out = gpuarray.zeros(2) })
    gpu.raises("LogicError", "one element of float32", sum, x, { out = gpuarray.zeros({}, "int32") })
    gpu.raises("LogicError", "option out must be a gpuarray", sum, x, { out = 5 })
    gpu.raises("LogicError", "stream must be a Stream", sum, x, { stream = 5 })
    gpu.raises("LogicError", "expected a function", sum, x, { allocator = 5 })
    gpu.raises("LogicError", "unknown option", sum, x, { axis = 1 })
  end)

  it("gives one result whatever the grid, and in captures", function()
    local x = random(200000)
    local want = text(sum_of(flat(x)))
    for _, n in ipairs { 1, 7, 132, 5000 } do
      local usual = knob(reduce_run, "blocks", n)
      local got = text(sum(x):item())
      usual()
      assert.equal(want, got)
    end
    local s, out = cuda.Stream(), gpuarray.zeros {}
    local graph = s:capture(function() sum(x, { out = out }) end)
    local exec = graph:instantiate()
    for _ = 1, 2 do
      exec:launch(s)
      s:synchronize()
      assert.equal(want, text(out:item()))
      out:fill(0)
      cuda.Context.synchronize()
    end
    exec:close()
    graph:close()
    s:close()
  end)

  it("takes its arguments by name, from any of them on", function()
    local x = gpuarray.to_gpu { 1, 2, 3 }
    local by_name = ReductionKernel { dtype_out = "float32", neutral = "0", reduce_expr = "a + b",
      map_expr = "x[i] * x[i]", arguments = "const float *x", name = "squares", preamble = "#define N 5" }
    assert.equal("squares", by_name.name)
    assert.equal(14, by_name(x):item())
    local options = { neutral = 0, reduce_expr = "a + b", arguments = "const float *x" }
    assert.equal(6, ReductionKernel("float32", options)(x):item())
    assert.same({ neutral = 0, reduce_expr = "a + b", arguments = "const float *x" }, options)
    local several = ReductionKernel({ "float32", "float32" }, { neutral = { 0, 1 }, reduce_expr = { "a + b", "a * b" },
      map_expr = { "x[i]", "x[i]" }, arguments = { "const float *x" } })
    local sum_of_it, product = several(gpuarray.to_gpu { 2, 3, 4 })
    assert.same({ 9, 24 }, { sum_of_it:item(), product:item() })
    gpu.raises("LogicError", "ReductionKernel: neutral is passed twice", ReductionKernel, "float32", "0",
      { neutral = "0" })
    gpu.raises("LogicError", "argument 3 comes after the table of options", ReductionKernel, "float32",
      { neutral = "0" }, "a + b")
    gpu.raises("LogicError", "it takes 6 arguments and a table of options, got true as argument 7", ReductionKernel,
      "float32", "0", "a + b", nil, "const float *x", "name", true)
    gpu.raises("LogicError", "ReductionKernel: arguments: expected declarations", ReductionKernel, "float32", 0, "a+b")
    gpu.raises("LogicError", "ReductionKernel: arguments: argument 1", ReductionKernel, "float32", 0, "a+b", nil, "x")
  end)

  it("takes numbers as neutral values, which integers have to hold", function()
    local x = gpuarray.to_gpu({ 5LL, -7LL }, "int64")
    local function neutral(t, value, expr)
      return ReductionKernel(t, value, expr, "x[i]", "const long long *x")(gpuarray.empty(0, "int64")):item()
    end
    local lowest = -9223372036854775807LL - 1
    assert.equal(lowest, neutral("int64", lowest, "max(a, b)"))
    assert.equal(5, ReductionKernel("int64", lowest, "max(a, b)", nil, "const long long *x")(x):item())
    assert.equal(18446744073709551615ULL, neutral("uint64", 18446744073709551615ULL, "a + b"))
    assert.equal("-0", text(neutral("float32", -0.0, "a + b")))
    assert.equal(1 / 0, neutral("float64", 1 / 0, "a + b"))
    for _, wrong in ipairs { 1 / 0, 0.5, 2 ^ 31, 0 / 0 } do
      gpu.raises("LogicError", "ReductionKernel: neutral: ", ReductionKernel, "int32", wrong, "a+b", nil, "int *x")
    end
    gpu.raises("LogicError", "neutral 2: -1", ReductionKernel, { "int8", "uint8" }, { -1, -1 }, { "a", "a" },
      { "1", "1" }, "const int *x")
  end)

  it("lets macros and functions of the user's have any name", function()
    local x = gpuarray.to_gpu { 1, 2, 3 }
    local names = { "N", "T", "x", "r", "acc_t", "combine", "lanes", "out", "total" }
    local macros, functions = {}, {}
    for i, name in ipairs(names) do
      macros[i] = ("#define %s 5\n"):format(name)
      functions[i] = ("__device__ float %s(float q) { return q; }\n"):format(name)
    end
    local function of(options)
      return ReductionKernel({ "float32", "float32" }, { 0, 0 }, { "a + b", "a + b" }, { "xs[i]", "N + xs[i] - xs[i]" },
        "const float *xs", options)
    end
    local _, fives = of({ preamble = table.concat(macros), options = { "-DROW=3", "-D", "Value=4" } })(x)
    assert.equal(15, fives:item())
    local own = ReductionKernel("float32", 0, "combine(a) + b", "T(xs[i])", "const float *xs",
      { preamble = table.concat(functions) })
    assert.equal(6, own(x):item())
  end)

  it("keeps its results apart, and does not read beyond memory", function()
    local two = ReductionKernel({ "float32", "float32" }, { 0, 0 }, { "a + b", "a + b" }, { "x[i]", "2 * x[i]" },
      "const float *x")
    local x, out = gpuarray.to_gpu { 1, 2 }, gpuarray.zeros(2)
    two(x, { out = { out[{ { 1 } }], out[{ { 2 } }] } })
    assert.same({ 3, 6 }, out:tolist())
    gpu.raises("LogicError", "option out: arrays 1 and 2 overlap", two, x, { out = { out[{ { 1 } }],
      out[{ { 1 } }] } })
    local memory = cuda.mem_alloc(16)
    cuda.memset_d32(memory, 0, 4)
    assert.equal(0, sum(memory, { n = 4 }):item())
    gpu.raises("LogicError", "the memory has 16 bytes, too few for 5 elements of float32", sum, memory, { n = 5 })
    memory:free()
  end)

  it("reduction.ReductionKernel:source is CUDA C; errors are about the user's lines", function()
    assert.is_truthy(sum:source():find("own_sum", 1, true))
    assert.is_truthy(dot:source():find("x[i] * y[i]", 1, true))
    gpu.raises("LogicError", "expected a ReductionKernel", sum.source, 5)
    local bad = ReductionKernel("float32", "0", "a +\n nonsense", "x[i]", "const float *x", "bad")
    gpu.raises("CompileError", "bad: reduce_expr(2)", bad, random(4))
    gpu.raises("LogicError", "map_expr writes to it", ReductionKernel, "float32", "0", "a+b", "x[i] = 1", "float *x")
    gpu.raises("LogicError", "none of the arguments", ReductionKernel, "float32", "0", "a+b", "x", "float x")
    gpu.raises("LogicError", "the name is reserved", ReductionKernel, "float32", "0", "a+b", "i[i]", "float *i")
    gpu.raises("LogicError", "reduce_expr must be a string", ReductionKernel, "float32", "0", nil, "x[i]", "float *x")
    gpu.raises("LogicError", "dtype_out", ReductionKernel, "nothing", "0", "a+b", "x[i]", "float *x")
    gpu.raises("LogicError", "must be a list of 2", ReductionKernel, { "int32", "int32" }, "0", "a+b", nil, "int *x")
    local large = dtype.struct({ { "x", "float32", 100 } }, { name = "large" })
    gpu.raises("LogicError", "up to 160", ReductionKernel, large, "large{}", "a", "large{}", "float *x")
    gpu.raises("LogicError", "not a valid kernel", ReductionKernel, "float32", "0", "a+b", "x[i]", "float *x", "a b")
    gpu.raises("LogicError", "unknown option", ReductionKernel, "float32", "0", "a+b", nil, "float *x", { axis = 1 })
    gpu.raises("LogicError", "it takes 1 argument", sum)
    gpu.raises("LogicError", 'convert it with astype "float32"', sum, gpuarray.arange(3))
    gpu.raises("LogicError", "expected an array on the device", sum, ndarray.ones(3))
    assert.has_error(function() sum.name = "x" end)
  end)
end)
