-- The packed format: the same products as csr, in packets that are full, that have many columns, and with long rows.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local host = require "spec.support.sparse_host"
local sparse = require "cudalua.sparse"

local function list(x) return x:get():tolist() end

describe("sparse.packed", function()
  setup(function() gpu.context() end)

  it("multiplies vectors as csr does", function()
    local kinds = host.kinds()
    kinds[#kinds + 1] = { "a square one of several packets", host.elements(40, 900, 900, 3000) }
    kinds[#kinds + 1] = { "too many columns for a packet", host.elements(41, 300, 9000, 5000) }
    kinds[#kinds + 1] = { "rows too long for a packet", host.elements(42, 40, 5000, 9000, nil, function(next_number)
      return next_number(3) == 0 and next_number(40) + 1 or next_number(2) * 9 + 3
    end) }
    for k, kind in ipairs(kinds) do
      local e = kind[2]
      local parts = { data = e.data, rows = e.rows, columns = e.columns, shape = e.shape, dtype = "float64" }
      local m, p = sparse.csr(parts), sparse.packed(parts)
      assert.equal("packed", p.format)
      assert.equal(m.nnz, p.nnz)
      local next_number, x = host.source(k), gpuarray.zeros(e.shape[2], "float64")
      local values = {}
      for i = 1, e.shape[2] do values[i] = next_number(9) - 4 end
      if #values > 0 then x = gpuarray.to_gpu(values, "float64") end
      local y = p:matmul(x)
      assert.same({ e.shape[1] }, { unpack(y.shape) })
      if e.shape[1] > 0 then assert.same(list(m:matmul(x)), list(y), kind[1]) end
      -- And back.
      local c = p:to "csr"
      if m.nnz > 0 then
        assert.same(list(m.data), list(c.data))
        assert.same(list(m.indices), list(c.indices))
      end
    end
  end)

  it("reads no gaps, and sees values that were written", function()
    local p = sparse.packed { { 1, 2, 0 }, { 0, 0, 3 }, { 4, 0, 0 } }
    p.data:fill(2)
    assert.same({ 4, 2, 2 }, list(p:matmul { 1, 1, 1 }))
    assert.same({ { 2, 2, 0 }, { 0, 0, 2 }, { 2, 0, 0 } }, list(p:todense()))
  end)

  it("has types as other products, and is a csr matrix for everything else", function()
    local d = { { 1, 2, 0 }, { 0, 0, 3 }, { 4, 0, 0 } }
    for _, row in ipairs { { "float16", "float16" }, { "float32", "float32" }, { "int32", "int64" } } do
      local y = sparse.packed(d, { dtype = row[1] }):matmul(gpuarray.to_gpu({ 1, 2, 3 }, row[1]))
      assert.equal(row[2], y.dtype.name)
      assert.same({ 5, 9, 4 }, list(y))
    end
    local p, m = sparse.packed(d), sparse.csr(d)
    assert.same({ 5, 9, 4 }, list(p:matmul(gpuarray.complex(gpuarray.to_gpu { 1, 2, 3 }, 0)):real()))
    assert.same(list(m:matmul(gpuarray.eye(3))), list(p:matmul(gpuarray.eye(3))))
    assert.same(list((m + m):todense()), list((p + p):todense()))
    assert.same(list((m * 3):todense()), list((p * 3):todense()))
    assert.same(list((m * m):todense()), list((p * p):todense()))
    assert.same(list(m:matmul(m):todense()), list(p:matmul(p):todense()))
    assert.same(list((-m / 2):todense()), list((-p / 2):todense()))
    assert.same(list(m.T:todense()), list(p.T:todense()))
    assert.same(list(m:sum(1)), list(p:sum(1)))
    assert.same(list(m:diagonal()), list(p:diagonal()))
    assert.equal("csr", p:astype("float64").format)
    assert.equal(4, p:eliminate_zeros().nnz)
    assert.equal("packed", sparse.eye(3, { format = "packed" }).format)
    assert.equal(0, select(2, sparse.cg(sparse.eye(3, { format = "packed" }), { 1, 2, 3 })))
    gpu.raises("LogicError", "a packed matrix has no indices; convert it with m:to " ..
      "'csr'", function() return p.indices end)
    gpu.raises("LogicError", "sparse.packed: indices[1] is 3", sparse.packed,
      { data = { 1 }, indices = { 3 }, indptr = { 1, 2 }, shape = { 1, 2 } })
  end)
end)
