-- Products of arrays against NumPy (spec/data/golden/linalg.lua), of numbers whose sums are exact; their orders of
-- sums, types, options and errors.
local gpu = require "spec.support.gpu"
local golden = require "spec.data.golden.linalg"
local own_kernels = require "spec.support.own_kernels"
local products = require "spec.support.products"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local linalg = require "cudalua.linalg"
local ndarray = require "cudalua.ndarray"
local cuda = gpu.cuda

setup(own_kernels.choose)
teardown(own_kernels.restore)

local function array(row)
  local t, shape, hex = unpack(row)
  local bytes = hex:gsub("..", function(two) return string.char(tonumber(two, 16)) end)
  if bytes == "" then return ndarray.empty(shape, t) end
  return ndarray.from_buffer(bytes, shape, t):copy()
end

local function random(shape, t, seed) return products.random(shape, t, products.numbers(seed or 1)) end

local function same(x, y) return products.bytes(x) == products.bytes(y) end

-- The functions that a call in the golden values is of.
local function cases_of(word)
  local list = {}
  for _, case in ipairs(golden) do
    if case[1]:find("%f[%w_]" .. word .. "%f[^%w_]") then list[#list + 1] = case end
  end
  assert(#list > 0, word)
  return list
end

local function check(word)
  for _, case in ipairs(cases_of(word)) do
    local call, inputs, result = unpack(case)
    local f = assert(loadstring("local g, linalg, a, b, c, d = ... return " .. call))
    local list = {}
    for i, row in ipairs(inputs) do list[i] = gpuarray.to_gpu(array(row)) end
    local x, want = f(gpuarray, linalg, unpack(list, 1, 4)), array(result)
    assert.equal(want.dtype.name, x.dtype.name, call)
    assert.same({ unpack(want.shape) }, { unpack(x.shape) }, call)
    assert.is_true(ndarray.equal(want, x:copy "C":get { array = true }), call .. "\n" .. tostring(want) .. "\n" ..
      tostring(x))
  end
end

describe("Products as NumPy has them:", function()
  setup(gpu.context)

  for _, word in ipairs { "matmul", "inner", "tensordot", "outer", "kron", "cross", "vecdot", "trace", "tril", "triu",
    "einsum" } do
    local both = word == "einsum" and "" or " and gpuarray.Array:" .. word
    it("gpuarray." .. word .. both, function() check(word) end)
  end

  it("functions and methods are the same", function()
    local a, b = random({ 3, 4 }, "float32"), random({ 3, 4 }, "float32", 2)
    for _, name in ipairs { "inner", "outer", "kron", "vecdot" } do
      assert.is_true(same(gpuarray[name](a, b), a[name](a, b)), name)
    end
    assert.is_true(same(gpuarray.tensordot(a, b.T, 1), a:matmul(b.T)))
    assert.is_true(same(gpuarray.trace(a, 1), a:trace(1)))
    assert.is_true(same(gpuarray.tril(a), a:tril()))
    assert.is_true(same(gpuarray.triu(a, 1), a:triu(1)))
  end)
end)

describe("gpuarray.tensordot, gpuarray.inner and gpuarray.einsum", function()
  setup(gpu.context)

  it("have the sums of matmul, in its order", function()
    for _, t in ipairs { "float16", "float32", "complex64" } do
      local a, b = random({ 5, 600 }, t), random({ 600, 3 }, t, 2)
      local want = a:matmul(b)
      assert.is_true(same(want, a:tensordot(b, 1)))
      assert.is_true(same(want, a:inner(b.T)))
      assert.is_true(same(want, gpuarray.einsum("ij,jk", a, b)))
      assert.is_true(same(want, gpuarray.einsum("ij,kj->ik", a, b.T:copy "C")))
      assert.is_true(same(a[1]:dot(b[{ {}, 1 }]), gpuarray.einsum("i,i", a[1], b[{ {}, 1 }])))
      assert.is_true(same(a[1]:dot(b[{ {}, 1 }]), a[1]:inner(b[{ {}, 1 }])))
    end
  end)

  it("have a dtype, out, stream and allocator", function()
    local a, b = random({ 2, 30 }, "float16"), random({ 30, 2 }, "float16", 2)
    local want = a:matmul(b, { dtype = "float32" })
    assert.is_true(same(want, a:tensordot(b, { axes = 1, dtype = "float32" })))
    assert.is_true(same(want, a:inner(b.T, { dtype = "float32" })))
    assert.is_true(same(want, gpuarray.einsum("ij,jk", a, b, { dtype = "float32" })))
    local out = gpuarray.zeros({ 2, 2 }, "float32")
    assert.equal(out, gpuarray.einsum("ij,jk", a, b, { out = out, dtype = "float32" }))
    assert.is_true(same(want, out))
    assert.same({ 60, 1 }, { unpack(a:outer(b[{ 1, { 1 } }], { out = gpuarray.zeros { 60, 1 } }).shape) })
    local s, asked = cuda.Stream "non_blocking", nil
    local x = gpuarray.einsum("ij,jk", a, b, { stream = s, allocator = function(bytes)
      asked = bytes
      return cuda.mem_alloc(bytes)
    end })
    assert.equal(8, asked)
    assert.is_true(same(a:matmul(b), x))
    s:close()
    assert.equal("int32", gpuarray.einsum("ij,jk,kl", a:astype "int8", b:astype "int8", a:astype "int8").dtype.name)
    assert.equal("float64", gpuarray.einsum("ij->ji", a, { dtype = "float64" }).dtype.name)
  end)

  it("einsum gives a new array, and contracts the cheapest pair first", function()
    local a = random({ 3, 3 }, "float32")
    local x = gpuarray.einsum("ij->ji", a)
    local before = products.bytes(x)
    a:fill(0)
    assert.equal(before, products.bytes(x))
    local p, q, r = random({ 2, 40 }, "float32"), random({ 40, 30 }, "float32", 2), random({ 30, 2 }, "float32", 3)
    assert.is_true(same(p:matmul(q):matmul(r), gpuarray.einsum("ij,jk,kl", p, q, r)))
    local narrow = random({ 40, 1 }, "float32", 4)
    local left = random({ 50, 40 }, "float32", 5)
    assert.is_true(same(left:matmul(left.T:matmul(left:matmul(narrow))), gpuarray.einsum("ij,jk,kl,lm", left, left.T,
      left, narrow)))
  end)

  it("say what does not fit", function()
    local a, v = gpuarray.zeros { 3, 4 }, gpuarray.zeros(5)
    local function says(text, ...) gpu.raises("LogicError", text, gpuarray.einsum, ...) end
    says("gpuarray.einsum: subscripts 'ij,jk': 'j' has 4 and 3 elements", "ij,jk", a, a)
    says("subscripts 'ij,j': 2 operands are named, 1 is given", "ij,j", a)
    says("'ijk' has 3 letters, but operand 1 has the shape (3, 4)", "ijk", a)
    says("'i' has 1 letter, but operand 1", "i", a)
    says("expected letters, commas, -> and at most one ... per operand, got '1'", "i1", a)
    says("got '.'", "..", a)
    says("the result's 'k' does not appear in any operand", "ij->ik", a)
    says("the result has 'i' twice", "ij->ii", a)
    says("an operand has '...', but the result does not", "i...->i", a)
    says("the axes 'i' of the shape (3, 4) differ", "ii", a)
    says("an axis of '...' has 4 and 5 elements", "...,...", a, v)
    says("subscripts must be a string", a, a)
    says("operand 1 must be a gpuarray, got 5", "i", 5)
    says("unknown option", "ij", a, { axis = 1 })
    says("complex64 cannot be stored in float32", "ij", a:astype "complex64", { dtype = "float32" })
    gpu.raises("LogicError", "gpuarray:tensordot: shapes (3, 4) and (3, 4) do not match: axis 2 of the first has 4 " ..
      "elements, axis 1 of the second 3", a.tensordot, a, a, 1)
    gpu.raises("LogicError", "axes is 2; the arrays have 2 and 1 axes", a.tensordot, a, v)
    gpu.raises("LogicError", "axes must be a number of axes, or two lists", a.tensordot, a, a, { axes = "ij" })
    gpu.raises("LogicError", "axes has 2 and 1 axes", a.tensordot, a, a, { axes = { { 1, 2 }, { 1 } } })
    gpu.raises("LogicError", "axis 1 appears twice", a.tensordot, a, a, { axes = { { 1, 1 }, { 1, 2 } } })
    gpu.raises("LogicError", "gpuarray:inner: shapes (3, 4) and (5,) do not match", a.inner, a, v)
  end)
end)

describe("gpuarray.outer, gpuarray.kron, gpuarray.cross, gpuarray.vecdot and gpuarray.trace", function()
  setup(gpu.context)

  it("outer is an expression", function()
    local a, b = random({ 4 }, "float32"), random({ 3 }, "float32", 2)
    assert.equal(1, gpu.kernels(function() a:outer(b):sum():item() end))
    assert.equal(0, gpu.kernels(function() return a:outer(b) end))
  end)

  it("vecdot conjugates, and rounds 16-bit floats once", function()
    local z = gpuarray.to_gpu({ ffi.new("complex", 1, 2) }, "complex64")
    assert.equal("5.0", tostring(z:vecdot(z):real()))
    local h = gpuarray.full({ 3000 }, 0.1, "float16")
    assert.is_true(same(h:dot(h), h:vecdot(h)))
    assert.equal("float32", h:vecdot(h, { dtype = "float32" }).dtype.name)
    assert.equal("int64", h:astype "int8":vecdot(h:astype "int8").dtype.name)
  end)

  it("refuse what does not fit", function()
    local a, point = gpuarray.zeros { 3, 4 }, gpuarray.zeros {}
    gpu.raises("LogicError", "gpuarray:cross: a has the shape (3, 4); expected three elements along axis 2", a.cross,
      a, a)
    gpu.raises("LogicError", "b has no axes", a.cross, a.T, point)
    gpu.raises("LogicError", "gpuarray.vecdot: shapes (3, 4) and (4, 3) do not match", gpuarray.vecdot, a, a.T)
    gpu.raises("LogicError", "0-d array", a.vecdot, a, point)
    gpu.raises("LogicError", "gpuarray:trace: ", a.trace, gpuarray.zeros(3))
    gpu.raises("LogicError", "cannot be broadcast together", a.vecdot, gpuarray.zeros { 2, 4 }, a)
    gpu.raises("LogicError", "b must be a gpuarray", a.outer, a, 3)
    gpu.raises("LogicError", "the result has the shape (12, 12)", a.outer, a, a, { out = a })
    gpu.raises("LogicError", "limit is " ..
      "32", gpuarray.kron, gpuarray.zeros { unpack(gpuarray.zeros({ 33 }):tolist()) }, a)
    local pair = dtype.struct({ { "x", "float32" } }, { name = "spec_contraction_pair" })
    local s = gpuarray.empty({ 3 }, pair)
    for _, name in ipairs { "outer", "kron", "vecdot", "inner" } do
      assert.is_false((pcall(gpuarray[name], s, s)), name)
    end
  end)
end)
