-- Products of many matrices.
local gpu = require "spec.support.gpu"
local golden = require "spec.data.golden.linalg"
local own_kernels = require "spec.support.own_kernels"
local products = require "spec.support.products"
local gpuarray = require "cudalua.gpuarray"
local linalg = require "cudalua.linalg"
local ndarray = require "cudalua.ndarray"
local cuda = gpu.cuda

setup(own_kernels.choose)
teardown(own_kernels.restore)

local function random(shape, t, seed) return products.random(shape, t, products.numbers(seed or 1)) end
local function same(x, y) return products.bytes(x) == products.bytes(y) end

local function array(row)
  local t, shape, hex = unpack(row)
  local bytes = hex:gsub("..", function(two) return string.char(tonumber(two, 16)) end)
  return ndarray.from_buffer(bytes, shape, t):copy()
end

local function check(word)
  local count = 0
  for _, case in ipairs(golden) do
    if case[1]:find(word, 1, true) then
      local f = assert(loadstring("local linalg, a, b, c, d = ... return " .. case[1]))
      local list = {}
      for i, row in ipairs(case[2]) do list[i] = gpuarray.to_gpu(array(row)) end
      local x, want = f(linalg, unpack(list, 1, 4)), array(case[3])
      assert.equal(want.dtype.name, x.dtype.name, case[1])
      assert.is_true(ndarray.equal(want, x:copy "C":get { array = true }), case[1])
      count = count + 1
    end
  end
  assert.is_true(count > 0)
end

describe("linalg.multi_dot", function()
  setup(gpu.context)

  it("multiplies as NumPy does", function() check "multi_dot" end)

  it("takes the order with the fewest multiplications", function()
    local a, b, c = random({ 30, 2 }, "float32"), random({ 2, 40 }, "float32", 2), random({ 40, 3 }, "float32", 3)
    assert.is_true(same(a:matmul(b:matmul(c)), linalg.multi_dot { a, b, c }))
    assert.is_true(same(c.T:matmul(b.T):matmul(a.T), linalg.multi_dot { c.T, b.T, a.T }))
    local out = gpuarray.zeros({ 30, 3 })
    assert.equal(out, linalg.multi_dot({ a, b, c }, { out = out }))
    local s = cuda.Stream()
    assert.is_true(same(out, linalg.multi_dot({ a, b, c }, { stream = s })))
    assert.equal("float64", linalg.multi_dot({ a, b, c:astype "float64" }).dtype.name)
  end)

  it("says what does not fit", function()
    local a = gpuarray.zeros { 2, 3 }
    gpu.raises("LogicError", "linalg.multi_dot: shapes (2, 3) and (2, 3) of the arrays 1 and 2 do not fit",
      linalg.multi_dot, { a, a })
    gpu.raises("LogicError", "expected two or more arrays, got 1", linalg.multi_dot, { a })
    gpu.raises("LogicError", "array 2 has the shape (3,); expected a matrix", linalg.multi_dot,
      { a, gpuarray.zeros(3), a })
    gpu.raises("LogicError", "array 2 must be a gpuarray, got 5", linalg.multi_dot, { a, 5 })
    gpu.raises("LogicError", "arrays must be a list", linalg.multi_dot, a)
    gpu.raises("LogicError", "unknown option", linalg.multi_dot, { a, a.T }, { axis = 1 })
  end)
end)

describe("linalg.matrix_power", function()
  setup(gpu.context)

  it("multiplies as NumPy does", function() check "matrix_power" end)

  it("squares repeatedly, for each matrix of a batch", function()
    local a = random({ 2, 3, 3 }, "float32")
    local square = a:matmul(a)
    assert.is_true(same(a:matmul(square:matmul(square)), linalg.matrix_power(a, 5)))
    assert.is_true(same(a, linalg.matrix_power(a, 1)))
    local out = gpuarray.zeros { 2, 3, 3 }
    assert.equal(out, linalg.matrix_power(a, 2, { out = out }))
    assert.is_true(same(square, out))
    assert.equal("int64", linalg.matrix_power(a:astype "int32", 0).dtype.name)
  end)

  it("takes powers of the inverse", function()
    local a = gpuarray.to_gpu({ { 0, 2 }, { 1, 0 } }, "float64")
    assert.is_true(same(linalg.inv(a), linalg.matrix_power(a, -1)))
    assert.is_true(same(a * 0 + gpuarray.eye(2) * 0.25, linalg.matrix_power(a, -4)))
  end)

  it("says what does not fit", function()
    local a = gpuarray.eye(3)
    gpu.raises("LogicError", "linalg.matrix_power: the array has the shape (2, 3); expected square matrices",
      linalg.matrix_power, gpuarray.zeros { 2, 3 }, 2)
    gpu.raises("LinAlgError", "linalg.matrix_power: the matrix is singular: pivot 1 is 0", linalg.matrix_power, a * 0,
      -1)
    gpu.raises("LogicError", "n must be an integer, got 1.5", linalg.matrix_power, a, 1.5)
    gpu.raises("LogicError", "expected a gpuarray", linalg.matrix_power, 5, 2)
  end)
end)
