-- Sparse matrices against SciPy's: spec/data/golden/sparse.lua, which make_sparse.py writes.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local sparse = require "cudalua.sparse"

local golden = dofile "spec/data/golden/sparse.lua"

-- A list of numbers, or of pairs for complex ones, as an array.
local function array(x, t, shape)
  local flat, parts = {}, {}
  local function walk(v, depth)
    if depth == 0 then flat[#flat + 1] = v else for _, w in ipairs(v) do walk(w, depth - 1) end end
  end
  walk(x, #shape)
  if not t:find "^complex" then return gpuarray.to_gpu(flat, t):reshape(shape) end
  local part = t == "complex64" and "float32" or "float64"
  for k = 1, 2 do
    local list = {}
    for i, v in ipairs(flat) do list[i] = v[k] end
    parts[k] = gpuarray.to_gpu(list, part)
  end
  return gpuarray.complex(parts[1], parts[2]):reshape(shape)
end

local function close(expected, t, shape, got, what)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  assert.same(shape, { unpack(got.shape) }, what)
  assert.equal(t, got.dtype.name, what)
  if size == 0 then return end
  local e = array(expected, t, shape)
  assert.is_true(gpuarray.allclose(got, e, { rtol = t == "float32" and 1e-5 or 1e-12, atol = 1e-5 }), what)
end

local function same(expected, got) assert.same(expected, got:get():tolist()) end

describe("sparse matrices give what SciPy gives:", function()
  setup(function() gpu.context() end)

  for name, c in pairs(golden.matrices) do
    it(name, function()
      local t, rows, columns = c.dtype, c.shape[1], c.shape[2]
      local function matrix(format, e)
        return sparse[format] { data = array(e.data, t, { #e.data }), rows = e.rows, columns = e.columns,
          shape = c.shape }
      end
      for _, format in ipairs { "csr", "csc", "coo" } do
        local a, b = matrix(format, c), matrix("csr", c.other)
        for _, f in ipairs { "csr", "csc" } do
          local m, e = a:to(f), c[f]
          same(e.indices, m.indices)
          same(e.indptr, m.indptr)
          close(e.data, t, { #e.data }, m.data, f)
        end
        close(c.ax, t, { rows }, a:matmul(array(c.x, t, { columns })), "A x")
        close(c.tz, t, { columns }, a.T:matmul(array(c.z, t, { rows })), "A' z")
        close(c.ad, t, { rows, 3 }, a:matmul(array(c.dense, t, { columns, 3 })), "A X")
        close(c.sum, t, c.shape, (a + b):todense(), "A + B")
        close(c.difference, t, c.shape, (a - b):todense(), "A - B")
        close(c.times, t, c.shape, (a * b):todense(), "A * B")
        close(c.product, t, { rows, rows }, a:matmul(b.T):todense(), "A B'")
        close(c.sums[1], t, {}, a:sum(), "sum")
        close(c.sums[2], t, { columns }, a:sum(1), "sum along rows")
        close(c.sums[3], t, { rows }, a:sum(2), "sum along columns")
        for i, k in ipairs { 0, 2, -1 } do close(c.diagonals[i], t, { #c.diagonals[i] }, a:diagonal(k), "diagonal") end
      end
    end)
  end

  for name, c in pairs(golden.systems) do
    it("a system, " .. name, function()
      local n, t = c.shape[1], c.dtype
      local A = sparse.csr { data = array(c.data, t, { #c.data }), rows = c.rows, columns = c.columns, shape = c.shape }
      local b, x = array(c.b, t, { n }), array(c.x, t, { n })
      for _, solver in ipairs { "cg", "bicgstab", "gmres" } do
        local y, info = sparse[solver](A, b, { rtol = 1e-11, check = solver ~= "gmres" and 5 or nil })
        assert.equal(0, info, solver)
        assert.is_true(gpuarray.allclose(y, x, { rtol = 1e-8, atol = 1e-9 }), solver)
      end
    end)
  end
end)
