-- Sparse matrices from positions and values, from dense arrays and diagonals; their fields, other formats, bad input.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local host = require "spec.support.sparse_host"
local ndarray = require "cudalua.ndarray"
local sparse = require "cudalua.sparse"

local raises = gpu.raises

local function list(x) return x:get():tolist() end

local function same_dense(expected, shape, m)
  assert.same(shape, { unpack(m.shape) })
  local d = m:todense()
  assert.same(shape, { unpack(d.shape) })
  if d.size > 0 then assert.same(expected, list(d)) end
end

local function with(e, more)
  local out = {}
  for k, v in pairs(e) do out[k] = v end
  for k, v in pairs(more) do out[k] = v end
  return out
end

describe("A sparse matrix", function()
  setup(gpu.context)

  it("says that elements are neither indexed nor set", function()
    local m = sparse.eye(3)
    for _, key in ipairs { 1, 7, { 1, 1 } } do
      gpu.raises("LogicError", "elements cannot be indexed", function() return m[key] end)
      gpu.raises("LogicError", "elements cannot be set", function() m[key] = 5 end)
    end
    assert.is_nil(m._nothing)
  end)
end)

describe("sparse.csr", function()
  setup(function() gpu.context() end)

  it("makes matrices from coordinates in any order, and adds duplicates", function()
    for _, kind in ipairs(host.kinds()) do
      local e = kind[2]
      local m = sparse.csr(with(e, { dtype = "float64" }))
      same_dense(host.dense(e), e.shape, m)
      assert.equal(e.shape[1] + 1, m.indptr.size)
      assert.equal(m.nnz, m.data.size)
      -- What the matrix says of itself makes the same one.
      same_dense(host.dense(e), e.shape, sparse.csr { data = m.data, indices = m.indices, indptr = m.indptr,
        shape = m.shape })
    end
  end)

  it("adds duplicates in the order in which they are given", function()
    local a, b, c = 2 ^ 24, 1, -2 ^ 24
    local function value(...)
      return sparse.csr { data = { ... }, rows = { 1, 1, 1 }, columns = { 1, 1, 1 }, shape = { 1, 1 },
        dtype = "float32" }.data:item(1)
    end
    assert.equal(0, value(a, b, c))
    assert.equal(1, value(a, c, b))
    -- 16-bit floats are added as float32 and rounded once.
    local m = sparse.csr { data = { 2048, 1, 1 }, rows = { 1, 1, 1 }, columns = { 1, 1, 1 }, shape = { 1, 1 },
      dtype = "float16" }
    assert.equal(2050, m.data:item(1))
  end)

  it("sorts columns that are out of order in their row, and takes positions from 0", function()
    local m = sparse.csr { data = { 1, 2, 3, 4 }, indices = { 2, 0, 1, 0 }, indptr = { 0, 2, 2, 4 }, shape = { 3, 3 },
      base = 0 }
    assert.same({ { 2, 0, 1 }, { 0, 0, 0 }, { 4, 3, 0 } }, list(m:todense()))
    assert.same({ 0, 2, 0, 1 }, list(m.indices))
    assert.same({ 0, 2, 2, 4 }, list(m.indptr))
    assert.equal(0, m.base)
    assert.equal("sparse.csr matrix of 3 x 3, float32, 4 elements stored", tostring(m))
  end)

  it("keeps its positions whatever a program writes to arrays", function()
    local indices = gpuarray.to_gpu({ 1, 2 }, "int32")
    local m = sparse.csr { data = { 5, 6 }, indices = indices, indptr = { 1, 2, 3 }, shape = { 2, 2 } }
    indices:fill(99)
    m.indices:fill(99)
    m.indptr:fill(99)
    assert.same({ { 5, 0 }, { 0, 6 } }, list(m:todense()))
    m.data:fill(7)
    assert.same({ { 7, 0 }, { 0, 7 } }, list(m:todense()))
  end)

  it("takes dense arrays, host arrays, other matrices, and nothing", function()
    local d = { { 1, 0, 2 }, { 0, 0, 0 }, { 0, 3, 0 } }
    local g = gpuarray.to_gpu(d)
    for _, x in ipairs { d, ndarray.array(d), g, g:transpose():copy "C":transpose() } do
      same_dense(d, { 3, 3 }, sparse.csr(x))
    end
    local m = sparse.csr(sparse.csc(d), { dtype = "float64" })
    assert.equal("csr", m.format)
    assert.equal("float64", m.dtype.name)
    same_dense(d, { 3, 3 }, m)
    assert.equal(0, sparse.csr { shape = { 3, 4 } }.nnz)
    assert.equal(m, sparse.csr(m))
  end)

  it("raises for bad input, and says where it is", function()
    local ok = { data = { 1, 2, 3 }, indices = { 1, 3, 2 }, indptr = { 1, 3, 4 }, shape = { 2, 3 } }
    local function bad(text, more) raises("LogicError", text, sparse.csr, with(ok, more)) end
    assert.equal(3, sparse.csr(ok).nnz)
    bad("sparse.csr: indices[2] is 4; the matrix has 3 columns, counted from 1", { indices = { 1, 4, 2 } })
    bad("indices[1] is 0; the matrix has 3 columns, counted from 1", { indices = { 0, 4, 2 } })
    bad("indices[3] is -1", { indices = { 1, 2, -1 } })
    bad("indices[2] is 3; the matrix has 3 columns, counted from 0", { base = 0, indptr = { 0, 2, 3 } })
    bad("indptr[1] must be 1, as positions count from 1; it is 0; pass base = 0 if they count from 0",
      { indptr = { 0, 2, 3 } })
    bad("indptr[2] is 5; with 3 elements in data it can be at most 4", { indptr = { 1, 5, 4 } })
    bad("indptr must ascend; indptr[3] is 2, and indptr[2] is 3", { indptr = { 1, 3, 2 } })
    bad("indptr[3] is 3; with 3 elements in data it must be 4", { indptr = { 1, 2, 3 } })
    bad("indptr must have 3 elements, one more than the matrix has rows; it has 2", { indptr = { 1, 4 } })
    bad("data has 3 elements, and indices has 2", { indices = { 1, 2 } })
    bad("indices must be integers along one axis, got float32", { indices = gpuarray.to_gpu({ 1, 2, 3 }, "float32") })
    bad("data must have one axis", { data = { { 1, 2, 3 } } })
    bad("no values of uint8", { dtype = "uint8" })
    bad("base must be 0 or 1, got 2", { base = 2 })
    bad("shape must be two integers", { shape = { 2, 3, 4 } })
    bad("not both", { rows = { 1, 1, 2 } })
    bad("unknown option 'colums'", { colums = { 1 } })
    raises("LogicError", "shape is missing", sparse.csr, { data = { 1 }, rows = { 1 }, columns = { 1 } })
    raises("LogicError", "indptr is missing", sparse.csr, { data = { 1 }, indices = { 1 }, shape = { 1, 1 } })
    raises("LogicError", "must have two axes", sparse.csr, { 1, 2, 3 })
    raises("LogicError", "for int64 positions", sparse.csr, { shape = { 2 ^ 40, 2 ^ 40 } })
    raises("LogicError", "csr matrix has no rows", function() return sparse.csr(ok).rows end)
    raises("LogicError", "m.data:set(values)", function() sparse.csr(ok).data = 1 end)
    raises("LogicError", "a sparse matrix", function() return sparse.csr(ok).matmull end)
  end)

  it("finds the first of many bad positions on the device", function()
    local n = 3000
    local rows, columns = gpuarray.full(n, 1, "int64"), gpuarray.arange(1, n + 1)
    rows[{ { 1700, 2900 } }] = 9
    raises("LogicError", "sparse.coo: rows[1700] is 9; the matrix has 8 rows, counted from 1", sparse.coo,
      { data = gpuarray.ones(n), rows = rows, columns = columns, shape = { 8, n } })
  end)
end)

describe("sparse.csc", function()
  it("has the elements by columns", function()
    local m = sparse.csc { data = { 1, 2, 3 }, indices = { 2, 1, 2 }, indptr = { 1, 2, 2, 4 }, shape = { 2, 3 } }
    assert.same({ { 0, 0, 2 }, { 1, 0, 3 } }, list(m:todense()))
    assert.equal("csc", m.format)
    raises("LogicError", "indices[1] is 3; the matrix has 2 rows", sparse.csc,
      { data = { 1 }, indices = { 3 }, indptr = { 1, 2 }, shape = { 2, 1 } })
    raises("LogicError", "than the matrix has columns", sparse.csc,
      { data = { 1 }, indices = { 1 }, indptr = { 1, 2 }, shape = { 2, 3 } })
    for _, kind in ipairs(host.kinds()) do
      same_dense(host.dense(kind[2]), kind[2].shape, sparse.csc(with(kind[2], { dtype = "int32" })))
    end
  end)
end)

describe("sparse.coo", function()
  it("has a row and a column for each element, in the order of rows", function()
    local m = sparse.coo { data = { 1, 2, 3 }, rows = { 3, 1, 3 }, columns = { 2, 2, 1 }, shape = { 3, 2 } }
    assert.same({ 1, 3, 3 }, list(m.rows))
    assert.same({ 2, 1, 2 }, list(m.columns))
    assert.same({ 2, 3, 1 }, list(m.data))
    raises("LogicError", "columns[2] is 3; the matrix has 2 columns", sparse.coo,
      { data = { 1, 2 }, rows = { 1, 1 }, columns = { 1, 3 }, shape = { 3, 2 } })
    raises("LogicError", "rows and columns are missing", sparse.coo,
      { data = { 1 }, indices = { 1 }, indptr = { 1, 2 }, shape = { 1, 1 } })
    raises("LogicError", "data has 2 elements, and rows has 1", sparse.coo,
      { data = { 1, 2 }, rows = { 1 }, columns = { 1, 2 }, shape = { 3, 2 } })
  end)
end)

describe("sparse.from_dense", function()
  it("takes what is not 0, also NaN, and leaves -0 out", function()
    local x = gpuarray.to_gpu({ { 0, -1, 0 / 0 }, { -0.0, 0, 2 } }, "float64")
    for _, format in ipairs { "csr", "csc", "coo" } do
      local m = sparse.from_dense(x, { format = format })
      assert.equal(format, m.format)
      assert.equal(3, m.nnz)
    end
    raises("LogicError", "expected a dense array", sparse.from_dense, sparse.eye(2))
    raises("LogicError", "sparse.csr takes the parts", sparse.from_dense, { data = { 1 } })
    raises("LogicError", "format must be", sparse.from_dense, x, { format = "ell" })
  end)
end)

describe("sparse.diags", function()
  it("puts lists, arrays and numbers on diagonals", function()
    local m = sparse.diags({ { 1, 2 }, { 4, 5, 6 }, gpuarray.to_gpu { 7, 8 } }, { 1, 0, -1 })
    assert.same({ { 4, 1, 0 }, { 7, 5, 2 }, { 0, 8, 6 } }, list(m:todense()))
    assert.same({ 1, 2 }, list(sparse.diags({ { 1, 2 } }):diagonal()))
    m = sparse.diags({ 2, -1 }, { 0, 2 }, { shape = { 2, 4 }, dtype = "int32", format = "csc" })
    assert.same({ { 2, 0, -1, 0 }, { 0, 2, 0, -1 } }, list(m:todense()))
    assert.same({ 1, 2, 1, 2 }, list(m.indices))
    raises("LogicError", "need a shape", sparse.diags, { 1 })
    raises("LogicError", "appears twice", sparse.diags, { { 1 }, { 1 } }, { 0, 0 })
    raises("LogicError", "has 2 elements; at the offset 0", sparse.diags, { { 1, 2 } }, { 0 }, { shape = { 3, 3 } })
    raises("LogicError", "2 diagonals and 1 offset", sparse.diags, { { 1 }, { 1 } }, { 0 })
    raises("LogicError", "no diagonals", sparse.diags, {})
  end)
end)

describe("sparse.eye", function()
  it("has ones on a diagonal", function()
    assert.same({ { 1, 0 }, { 0, 1 } }, list(sparse.eye(2):todense()))
    assert.same({ { 0, 0, 1 }, { 0, 0, 0 } }, list(sparse.eye(2, 3, 2):todense()))
    assert.same({ { 0, 0 }, { 1, 0 } }, list(sparse.eye(2, 2, -1, { dtype = "int64", format = "coo" }):todense()))
    assert.equal(0, sparse.eye(3, 3, 9).nnz)
    assert.equal("float64", sparse.eye(3, { dtype = "float64" }).dtype.name)
    raises("LogicError", "n must be a non-negative integer", sparse.eye, -1)
    raises("LogicError", "k must be an integer", sparse.eye, 2, 2, 0.5)
  end)
end)

describe("sparse.Matrix", function()
  it("sparse.Matrix:to changes the format, sparse.Matrix:todense makes a dense array", function()
    for _, kind in ipairs(host.kinds()) do
      local e = kind[2]
      for _, from in ipairs { "csr", "csc", "coo" } do
        local m = sparse[from](with(e, { dtype = "float64" }))
        assert.equal(m, m:to(from))
        for _, to in ipairs { "csr", "csc", "coo" } do
          assert.equal(to, m:to(to).format)
          same_dense(host.dense(e), e.shape, m:to(to))
        end
      end
    end
    raises("LogicError", "format must be 'csr', 'csc', 'coo' or 'packed', got 'bsr'", sparse.Matrix.to, sparse.eye(2),
      "bsr")
    local out = gpuarray.zeros({ 2, 2 }, "float32")
    assert.equal(out, sparse.eye(2):todense { out = out })
    assert.same({ { 1, 0 }, { 0, 1 } }, list(out))
    raises("LogicError", "the result has the shape (2, 2)", sparse.eye(2).todense, sparse.eye(2),
      { out = gpuarray.zeros(3) })
    raises("LogicError", "expected a sparse matrix", sparse.Matrix.todense, 3)
  end)

  it("sparse.Matrix:transpose shares the values of csr and csc", function()
    for _, kind in ipairs(host.kinds()) do
      local e = kind[2]
      local t = host.dense { data = e.data, rows = e.columns, columns = e.rows, shape = { e.shape[2], e.shape[1] } }
      for _, format in ipairs { "csr", "csc", "coo" } do
        local m = sparse[format](with(e, { dtype = "float32" }))
        same_dense(t, { e.shape[2], e.shape[1] }, m:transpose())
        same_dense(host.dense(e), e.shape, m.T.T)
        if format ~= "coo" then assert.equal(m.data, m:transpose().data) end
      end
    end
  end)

  it("sparse.Matrix:diagonal reads any diagonal", function()
    for _, format in ipairs { "csr", "csc", "coo" } do
      local m = sparse[format] { { 1, 2, 0 }, { 0, 3, 4 } }
      assert.same({ 1, 3 }, list(m:diagonal()))
      assert.same({ 2, 4 }, list(m:diagonal(1)))
      assert.same({ 0 }, list(m:diagonal(2)))
      assert.same({ 0 }, list(m:diagonal(-1)))
      assert.equal(0, m:diagonal(5).size)
      assert.same({ 0, 0 }, list(sparse[format]({ shape = { 2, 3 } }):diagonal()))
      raises("LogicError", "k must be an integer", m.diagonal, m, "x")
    end
  end)

  it("sparse.Matrix:astype converts the values, sparse.Matrix:eliminate_zeros drops zeros", function()
    local m = sparse.csc { { 1.5, 2 }, { 0, -3 } }
    local i = m:astype "int32"
    assert.equal("int32", i.dtype.name)
    assert.same({ { 1, 2 }, { 0, -3 } }, list(i:todense()))
    raises("LogicError", "no values of bool", m.astype, m, "bool")
    m.data:set { 0, 2, 0 }
    local z = m:eliminate_zeros()
    assert.equal(1, z.nnz)
    assert.equal(3, m.nnz)
    assert.equal("csc", z.format)
    assert.same({ { 0, 2 }, { 0, 0 } }, list(z:todense()))
  end)
end)
