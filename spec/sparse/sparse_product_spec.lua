-- Products and sums of sparse matrices: against dense ones on the host, the merge path's bits against the same steps in
-- plain Lua.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = require "cudalua.gpuarray"
local host = require "spec.support.sparse_host"
local knob = require "spec.support.knob"
local matrix = require "cudalua.sparse.matrix"
local own_kernels = require "spec.support.own_kernels"
local product = require "cudalua.sparse.product"
local sparse = require "cudalua.sparse"
local structures = require "cudalua.sparse.structure"

setup(own_kernels.choose) -- whose order of sums this is
teardown(own_kernels.restore)

local raises = gpu.raises

local function list(x) return x:get():tolist() end

local function with(e, t)
  return { data = e.data, rows = e.rows, columns = e.columns, shape = e.shape, dtype = t }
end

local function numbers(seed, n)
  local next_number, x = host.source(seed), {}
  for i = 1, n do x[i] = next_number(9) - 4 end
  return x
end

local function vector(x, t) return #x == 0 and gpuarray.zeros(0, t) or gpuarray.to_gpu(x, t) end

local function check(expected, y, n)
  assert.same({ n }, { unpack(y.shape) })
  if n > 0 then assert.same(expected, list(y)) end
end

local function transposed(d, shape)
  local t = {}
  for j = 1, shape[2] do
    t[j] = {}
    for i = 1, shape[1] do t[j][i] = d[i][j] end
  end
  return t
end

describe("sparse.Matrix:matmul of a vector", function()
  setup(function() gpu.context() end)

  it("is the product, also of the transposed matrix", function()
    for k, kind in ipairs(host.kinds()) do
      local e = kind[2]
      local d, rows, columns = host.dense(e), e.shape[1], e.shape[2]
      local x, z = numbers(k, columns), numbers(k + 50, rows)
      for _, format in ipairs { "csr", "csc", "coo" } do
        local m = sparse[format](with(e, "float64"))
        check(host.times(d, x), m:matmul(vector(x, "float64")), rows)
        check(host.times(transposed(d, e.shape), z), m.T:matmul(vector(z, "float64")), columns)
      end
    end
  end)

  it("has types as dot has them", function()
    local e = host.elements(21, 60, 40, 900)
    local d, x = host.dense(e), numbers(3, 40)
    local expected = host.times(d, x)
    for _, row in ipairs { { "float16", "float16", "float16" }, { "bfloat16", "float32", "float32" },
      { "float32", "float32", "float32" }, { "float32", "float64", "float64" }, { "int32", "int32", "int64" },
      { "int64", "int8", "int64" }, { "int32", "float32", "float32" }, { "float16", "bfloat16", "float32" } } do
      local y = sparse.csr(with(e, row[1])):matmul(gpuarray.to_gpu(x, row[2]))
      assert.equal(row[3], y.dtype.name)
      assert.same(expected, list(y))
    end
    assert.equal("float32", sparse.csr(with(e, "float32")):matmul(gpuarray.ones(40, "bool")).dtype.name)
  end)

  it("multiplies complex numbers", function()
    for _, t in ipairs { "complex64", "complex128" } do
      local re, im = host.elements(22, 30, 30, 500), host.elements(22, 30, 30, 500, function(f) return f(7) - 3 end)
      im.rows, im.columns = re.rows, re.columns
      local part = t == "complex64" and "float32" or "float64"
      local data = gpuarray.complex(gpuarray.to_gpu(re.data, part), gpuarray.to_gpu(im.data, part))
      local m = sparse.csr { data = data, rows = re.rows, columns = re.columns, shape = { 30, 30 } }
      local a, b = numbers(1, 30), numbers(2, 30)
      local x = gpuarray.complex(gpuarray.to_gpu(a, part), gpuarray.to_gpu(b, part))
      local y = m:matmul(x)
      assert.equal(t, y.dtype.name)
      local dre, dim = host.dense(re), host.dense(im)
      local rr, ii, ri, ir = host.times(dre, a), host.times(dim, b), host.times(dre, b), host.times(dim, a)
      local real, imag = list(y:real()), list(y:imag())
      for i = 1, 30 do
        assert.equal(rr[i] - ii[i], real[i])
        assert.equal(ri[i] + ir[i], imag[i])
      end
    end
  end)

  it("has the bits of the merge path's order", function()
    -- Numbers of few bits: also of added duplicates, products are exact.
    local function fraction(f) return (f(2 ^ 23) * 2 + 1) / 2 ^ 24 - 1 / 2 end
    local cases = {
      host.elements(31, 300, 200, 2000, fraction),
      host.elements(32, 9, 4000, 3500, fraction, function(f) return f(9) == 0 and f(9) + 1 or 4 end),
      host.elements(33, 3000, 50, 1000, fraction),
      host.elements(35, 60, 3000, 2900, fraction, function(f) return f(3) > 0 and f(60) + 1 or 7 * f(8) + 1 end),
      host.elements(36, 100, 3000, 2500, fraction),
      host.elements(37, 30, 3000, 2500, fraction),
      host.elements(34, 3, 200000, 45000, fraction, function() return 2 end), -- more than 32 blocks
    }
    if gpu.sanitized then cases[7] = nil end
    local seen = {}
    for k, e in ipairs(cases) do
      local m = sparse.csr(with(e, "float64"))
      local f, x = host.source(99), {}
      for i = 1, e.shape[2] do x[i] = fraction(f) end
      local expected, teams = host.merge(list(m.indptr - 1), list(m.indices - 1), list(m.data), x)
      for name, n in pairs(teams) do seen[name] = (seen[name] or 0) + n end
      local y = list(m:matmul(gpuarray.to_gpu(x, "float64")))
      for i, v in ipairs(expected) do
        if y[i] ~= v then assert.equal(v, y[i], ("case %d, row %d"):format(k, i)) end
      end
      -- The transposed structure has another one's values in its order.
      assert.same(y, list(m:to("csc"):matmul(gpuarray.to_gpu(x, "float64"))))
    end
    for _, name in ipairs { "long", 1, 2, 4, 8, 16, 32 } do assert.is_true((seen[name] or 0) > 0, tostring(name)) end
  end)

  it("takes views, lists and out, runs in a stream, and raises for misfits", function()
    local m = sparse.csr { { 1, 2 }, { 0, 3 } }
    assert.same({ 5, 6 }, list(m:matmul { 1, 2 }))
    local wide = gpuarray.to_gpu({ { 1, 9 }, { 2, 9 } }, "float32")
    assert.same({ 5, 6 }, list(m:matmul(wide[{ {}, 1 }])))
    local out = gpuarray.zeros(2, "float32")
    assert.equal(out, m:matmul({ 1, 2 }, { out = out, stream = cuda.Stream() }))
    assert.same({ 5, 6 }, list(out))
    raises("LogicError", "a matrix of 2 x 2 cannot be multiplied by an array of the shape (3,)", m.matmul, m,
      { 1, 2, 3 })
    raises("LogicError", "must begin with 2", m.matmul, m, gpuarray.zeros { 3, 2 })
    raises("LogicError", "x must be an array", m.matmul, m, "x")
    raises("LogicError", "unknown option", m.matmul, m, { 1, 2 }, { beta = 1 })
  end)

  it("reads values of any alignment", function()
    local e = host.elements(38, 300, 90, 2500)
    local m, x = sparse.csr(with(e, "float32")), vector(numbers(1, 90), "float32")
    local wide = gpuarray.zeros(m.nnz + 4, "float32")
    for k = 1, 4 do
      local part = wide[{ { k, k + m.nnz - 1 } }]
      part:set(m.data)
      assert.same(list(m:matmul(x)), list(matrix.with_data(m, part):matmul(x)))
    end
  end)

  it("sees values that were written", function()
    local m = sparse.csc { { 1, 2 }, { 0, 3 } }
    assert.same({ 3, 3 }, list(m:matmul { 1, 1 }))
    m.data:set { 10, 20, 30 }
    assert.same({ 30, 30 }, list(m:matmul { 1, 1 }))
  end)

  it("runs in a graph once the matrix was used before", function()
    local m = sparse.csr { { 1, 2 }, { 0, 3 } }
    local x = gpuarray.to_gpu({ 1, 1 }, "float32")
    local s = cuda.Stream()
    raises("LogicError", "once before the capture", s.capture, s, function() m:matmul(x) end)
    m:matmul(x):eval()
    local y = gpuarray.zeros(2, "float32")
    local graph = s:capture(function() m:matmul(x, { out = y }) end)
    local exec = graph:instantiate()
    x:set { 2, 5 }
    exec:launch(s)
    s:synchronize()
    assert.same({ 12, 15 }, list(y))
  end)
end)

describe("sparse.Matrix:matmul of a matrix", function()
  it("adds up long rows in pieces of 512, and these in their order", function()
    local function wide(f) return (f(2 ^ 25) * 2 + 2 ^ 25 + 1) / 2 ^ 26 end -- products are exact, sums are not
    local lengths, row, left = { 512, 513, 3, 4000 }, 1, 512
    local e = host.elements(41, 4, 30000, 5028, wide, function()
      if left == 0 then row, left = row + 1, lengths[row + 1] end
      left = left - 1
      return row
    end)
    for k = 1, #e.columns do e.columns[k] = (k * 7) % 30000 + 1 end
    local m = sparse.csr(with(e, "float64"))
    local f, x = host.source(5), {}
    for i = 1, 30000 do x[i] = { wide(f), wide(f) } end
    local y = list(m:matmul(gpuarray.to_gpu(x, "float64")))
    local indptr, at, data, differ = list(m.indptr), list(m.indices), list(m.data), 0
    for i = 1, 4 do
      for column = 1, 2 do
        local sum, piece, straight = nil, 0, 0
        for k = tonumber(indptr[i]), tonumber(indptr[i + 1]) - 1 do
          local term = data[k] * x[tonumber(at[k])][column]
          piece, straight = piece + term, straight + term
          if (k - tonumber(indptr[i]) + 1) % 512 == 0 then sum, piece = sum and sum + piece or piece, 0 end
        end
        if (tonumber(indptr[i + 1]) - tonumber(indptr[i])) % 512 ~= 0 then sum = sum and sum + piece or piece end
        assert.equal(sum, y[i][column], ("row %d, column %d"):format(i, column))
        if sum ~= straight then differ = differ + 1 end
      end
    end
    assert.is_true(differ > 0)
    -- The transposed structure has another one's values in its order.
    assert.same(y, list(m:to("csc"):matmul(gpuarray.to_gpu(x, "float64"))))
  end)

  it("needs the pieces of long rows before a capture", function()
    local m, x = sparse.csr { { 1, 2 }, { 0, 3 } }, gpuarray.ones({ 2, 3 }, "float32"):eval()
    local s = cuda.Stream()
    raises("LogicError", "once before the capture", s.capture, s, function() m:matmul(x) end)
    m:matmul(x):eval()
    local y = gpuarray.zeros({ 2, 3 }, "float32"):eval()
    local exec = s:capture(function() m:matmul(x, { out = y }) end):instantiate()
    exec:launch(s)
    s:synchronize()
    assert.same({ { 3, 3, 3 }, { 3, 3, 3 } }, list(y))
  end)

  it("is the product with a dense one", function()
    for k, kind in ipairs(host.kinds()) do
      local e = kind[2]
      if kind[1] ~= "several blocks" then
        local d, rows, columns = host.dense(e), e.shape[1], e.shape[2]
        for _, n in ipairs { 1, 5, 40 } do
          local x, t = {}, {}
          for j = 1, n do t[j] = numbers(k + j, columns) end
          for i = 1, columns do
            x[i] = {}
            for j = 1, n do x[i][j] = t[j][i] end
          end
          local a = host.array(x, { columns, n }, "float32")
          for _, format in ipairs(n == 5 and { "csr", "csc" } or { "csr" }) do
            local y = sparse[format](with(e, "float32")):matmul(a)
            assert.same({ rows, n }, { unpack(y.shape) })
            for j = 1, rows > 0 and n or 0 do assert.same(host.times(d, t[j]), list(y[{ {}, j }])) end
          end
        end
      end
    end
    local m = sparse.csr({ { 1, 2 }, { 0, 3 } }, { dtype = "complex64" })
    local y = m:matmul(gpuarray.to_gpu({ { 1, 2 }, { 3, 4 } }, "float32"):transpose())
    assert.same({ { 5, 11 }, { 6, 12 } }, list(y:real()))
    -- A dense matrix from the left.
    local x = gpuarray.to_gpu { { 1, 2 }, { 3, 4 } }
    assert.same({ { 1, 8 }, { 3, 18 } }, list(m:astype("float32").T:matmul(x.T).T))
    raises("LogicError", "x:matmul(m) as m.T:matmul(x.T).T", x.matmul, x, m)
    raises("LogicError", "is a sparse matrix; convert it to an array with m:todense()", gpuarray.sum, m)
  end)

  it("is the product with a sparse one, in one piece and in many", function()
    for k, kind in ipairs(host.kinds()) do
      local e = kind[2]
      local d, rows, columns = host.dense(e), e.shape[1], e.shape[2]
      if columns < 100 and kind[1] ~= "several blocks" then
        local e2 = host.elements(k + 70, columns, 12, columns * 3)
        if columns == 0 then e2 = host.elements(1, 0, 12, 0) end
        local d2 = host.dense(e2)
        local expected = {}
        for i = 1, rows do expected[i] = host.times(transposed(d2, e2.shape), d[i]) end
        for _, f in ipairs { { "csr", "csr" }, { "csc", "csc" }, { "csc", "csr" } } do
          local a, b = sparse[f[1]](with(e, "float64")), sparse[f[2]](with(e2, "float64"))
          local restore = knob(product, "most", k % 2 == 0 and 50 or false)
          local c = a:matmul(b)
          restore()
          assert.equal(f[2] == "csc" and "csc" or "csr", c.format)
          assert.same({ rows, 12 }, { unpack(c.shape) })
          if rows > 0 then assert.same(expected, list(c:todense())) end
        end
      end
    end
    local m = sparse.eye(2, { dtype = "float16" })
    assert.equal("float16", m:matmul(m).dtype.name)
    raises("LogicError", "a matrix of 2 x 2 cannot be multiplied by an array of the shape (3, 3)", m.matmul, m,
      sparse.eye(3))
    raises("LogicError", "omit out", m.matmul, m, m, { out = gpuarray.zeros { 2, 2 } })
  end)
end)

describe("sparse.Matrix", function()
  it("sparse.Matrix:sum adds all, columns or rows", function()
    local m = sparse.csr({ { 1, 2, 0 }, { 0, 3, 0 } }, { dtype = "float64" })
    for _, format in ipairs { "csr", "csc", "coo" } do
      local x = m:to(format)
      assert.equal(6, x:sum():item())
      assert.same({ 1, 5, 0 }, list(x:sum(1)))
      assert.same({ 3, 3 }, list(x:sum { axis = 2 }))
    end
    assert.equal("int64", m:astype("int32"):sum(1).dtype.name)
    assert.same({ 0, 0 }, list(sparse.csr({ shape = { 2, 3 } }):sum(2)))
    raises("LogicError", "axis", m.sum, m, 3)
  end)

  it("adds and subtracts", function()
    local a, b = { { 1, 2, 0 }, { 0, 3, 0 } }, { { 1, 0, 0 }, { 5, -3, 7 } }
    for _, f in ipairs { { "csr", "csr" }, { "csc", "csr" }, { "coo", "csc" } } do
      local x, y = sparse[f[1]](a), sparse[f[2]](b, { dtype = "float64" })
      local s = x + y
      assert.equal(f[1], s.format)
      assert.equal("float64", s.dtype.name)
      assert.same({ { 2, 2, 0 }, { 5, 0, 7 } }, list(s:todense()))
      assert.equal(5, s.nnz)
      assert.same({ { 0, 2, 0 }, { -5, 6, -7 } }, list((x - y):todense()))
      assert.same({ { -1, -2, 0 }, { 0, -3, 0 } }, list((-x):todense()))
    end
    local m = sparse.csr(a)
    raises("LogicError", "sparse matrix and 1 is not sparse; convert the matrix with " ..
      "m:todense()", function() return m + 1 end)
    raises("LogicError", "the shapes (2, 3) and (2, 2) differ", function() return m + sparse.eye(2) end)
    assert.same(a, list((m + sparse.csr { shape = { 2, 3 } }):todense()))
  end)

  it("multiplies by numbers, by arrays and by sparse matrices element by element", function()
    local a = { { 1, 2, 0 }, { 0, 3, 4 } }
    for _, format in ipairs { "csr", "csc", "coo" } do
      local m = sparse[format](a)
      assert.same({ { 2, 4, 0 }, { 0, 6, 8 } }, list((m * 2):todense()))
      assert.same({ { 2, 4, 0 }, { 0, 6, 8 } }, list((2 * m):todense()))
      assert.same({ { 0.5, 1, 0 }, { 0, 1.5, 2 } }, list((m / 2):todense()))
      assert.same({ { 1, 4, 0 }, { 0, 15, 24 } }, list((m * gpuarray.to_gpu { { 1, 2, 3 }, { 4, 5, 6 } }):todense()))
      assert.same({ { 1, 4, 0 }, { 0, 6, 12 } }, list((m * gpuarray.to_gpu { 1, 2, 3 }):todense()))
      assert.same({ { 1, 2, 0 }, { 0, 6, 8 } }, list((m * gpuarray.to_gpu { { 1 }, { 2 } }):todense()))
      local p = m * sparse.csc { { 0, 5, 6 }, { 7, 8, 0 } }
      assert.equal(2, p.nnz)
      assert.equal(format, p.format)
      assert.same({ { 0, 10, 0 }, { 0, 24, 0 } }, list(p:todense()))
      assert.equal(0, (m * sparse.csr { shape = { 2, 3 } }).nnz)
    end
    local m = sparse.csr(a)
    assert.equal("float32", (m:astype "int32" * 1.5).dtype.name)
    raises("LogicError", "m:matmul(x) is the matrix product", function() return m * gpuarray.zeros { 3, 2 } end)
    raises("LogicError", "can be divided only by a number", function() return m / m end)
    raises("LogicError", "expected a number", function() return m * "x" end)
    raises("LogicError", "got a sparse matrix", function() return gpuarray.ones { 2, 3 } * m end)
  end)

  it("has positions of 64 bits where they have to be", function()
    local restore = knob(structures, "SHORT", 0)
    finally(restore)
    local e = host.elements(61, 120, 90, 1500)
    local d, x, z = host.dense(e), numbers(1, 90), numbers(2, 120)
    for _, format in ipairs { "csr", "csc", "coo", "packed" } do
      local m = sparse[format](with(e, "float32"))
      assert.equal("int64", m._structure.place.name)
      assert.same(d, list(m:todense()))
      check(host.times(d, x), m:matmul(gpuarray.to_gpu(x, "float32")), 120)
      check(host.times(transposed(d, e.shape), z), m.T:matmul(gpuarray.to_gpu(z, "float32")), 90)
      assert.same(list(m:todense() + m:todense()), list((m + m):todense()))
      assert.same(list(m:todense():matmul(m:todense().T)), list(m:matmul(m.T):todense()))
      assert.same(list(m:todense() * m:todense()), list((m * m):todense()))
    end
  end)

  it("frees no memory that a program has", function()
    local data, rows, columns = gpuarray.ones(5), gpuarray.to_gpu({ 1, 1, 2, 2, 1 }, "int64"),
      gpuarray.to_gpu({ 2, 2, 1, 1, 2 }, "int64")
    local m = sparse.csr { data = data, rows = rows, columns = columns, shape = { 2, 2 } }
    assert.same({ { 0, 3 }, { 2, 0 } }, list(m:todense()))
    assert.same({ 1, 1, 1, 1, 1 }, list(data))
    assert.same({ 1, 1, 2, 2, 1 }, list(rows))
    assert.same({ 2, 2, 1, 1, 2 }, list(columns))
    local t = m:matmul(m)
    assert.same({ { 0, 3 }, { 2, 0 } }, list(m:todense()))
    assert.same({ { 6, 0 }, { 0, 6 } }, list(t:todense()))
  end)
end)

describe("sparse.Matrix:matmul and sparse.Matrix:sum with out", function()
  setup(function() gpu.context() end)

  local m = sparse.csr { { 1, 0, 2, 0 }, { 0, 3, 0, 4 }, { 5, 0, 0, 6 } }

  it("are written at once where one kernel writes the result", function()
    local v, x = gpuarray.to_gpu { 1, 2, 3, 4 }, gpuarray.arange(8):reshape(4, 2):eval()
    for _, f in ipairs { function(o) return m:matmul(v, o) end, function(o) return m:matmul(x, o) end,
      function(o) o.axis = 2 return m:sum(o) end, function(o) o.axis = 1 return m:sum(o) end } do
      local want = f {}
      local out = gpuarray.zeros(want.shape):eval()
      f { out = out }
      local address = out.ptr
      local without = gpu.kernels(function() f {} end)
      assert.is_true(without > 0)
      assert.equal(without, gpu.kernels(function() assert.equal(out, f { out = out }) end))
      assert.equal(address, out.ptr)
      assert.is_true(gpuarray.array_equal(want, out))
      -- readers, views, other types and shapes
      local old, early = out:tolist(), out * 2
      out:fill(7)
      local later = out + 1
      f { out = out }
      assert.same((gpuarray.to_gpu(old) * 2):tolist(), early:tolist())
      assert.is_true(later:eq(8):all():item())
      assert.is_true(gpuarray.array_equal(want, out))
      local double = gpuarray.zeros(want.shape, "float64")
      f { out = double }
      assert.is_true(gpuarray.array_equal(want, double))
      local wide = gpuarray.zeros(2 * want.size)
      f { out = wide[{ { 1, -1, 2 } }]:reshape(want.shape) }
      gpu.raises("LogicError", "out", f, { out = gpuarray.zeros(7) })
    end
  end)

  it("may be the operand, or the values of the matrix", function()
    local square = sparse.csr { { 1, 2 }, { 3, 4 } }
    local v = gpuarray.to_gpu { 1, 1 }
    square:matmul(v, { out = v })
    assert.same({ 3, 7 }, v:tolist())
    local diagonal = sparse.eye(2)
    diagonal:matmul(gpuarray.to_gpu { 5, 6 }, { out = diagonal.data })
    assert.same({ { 5, 0 }, { 0, 6 } }, diagonal:todense():tolist())
  end)

  it("are right where several kernels write the result", function()
    local n = 3000
    local large = sparse.diags({ 2, -1, -1 }, { 0, 1, -1 }, { shape = { n, n } })
    local out = gpuarray.zeros(n)
    large:matmul(gpuarray.ones(n), { out = out })
    assert.is_true(gpuarray.array_equal(large:matmul(gpuarray.ones(n)), out))
    local line = sparse.csr(gpuarray.ones { 2, 1500 })
    out = gpuarray.zeros { 2, 3 }
    line:matmul(gpuarray.ones { 1500, 3 }, { out = out })
    assert.is_true(out:eq(1500):all():item())
  end)
end)
