-- The matrices of bench/sparse.lua: bands, rows whose lengths follow a power law, and dense blocks.
return function(cuda, tiny)
  local gpuarray, random, sparse = cuda.gpuarray, cuda.random, cuda.sparse
  random.seed(5)

  local function values(n, dtype)
    if dtype == "complex64" then return gpuarray.complex(random.uniform(n), random.uniform(n)):eval() end
    return (random.uniform(n) - 0.5):astype(dtype):eval()
  end

  -- Values that are drawn, at the places of a pattern.
  local function filled(m, dtype)
    local x = m:astype(dtype)
    x.data:set(values(m.nnz, dtype):astype(dtype))
    return x
  end

  local function bands(offsets, n)
    local list = {}
    for i in ipairs(offsets) do list[i] = 1 end
    return function(dtype)
      return filled(sparse.diags(list, offsets, { shape = { n, n }, dtype = "float32" }), dtype)
    end
  end

  -- Row lengths from 1 to many: the row is n u^4, so that the first rows have most elements.
  local function power_law(n, count)
    return function(dtype)
      local rows = (random.uniform(count, 0, 1, "float64"):pow(4) * n):floor():astype("int64"):minimum(n - 1)
      local columns = random.integers(count, 0, n - 1)
      return filled(sparse.coo { data = gpuarray.ones(count, "float32"), rows = rows, columns = columns,
        shape = { n, n }, base = 0 }:to "csr", dtype)
    end
  end

  -- `per` dense blocks of side x side in each row of blocks.
  local function blocks(n, side, per)
    return function(dtype)
      local count = n * per * side
      local i = gpuarray.arange(0, count, 1, "int64")
      local row, k = i:floordiv(per * side), i:mod(per * side)
      local block_row = row:floordiv(side)
      local which = k:floordiv(side)
      local column = ((block_row * 7919 + which * 104729):mod(n / side)) * side + k:mod(side)
      return filled(sparse.coo { data = gpuarray.ones(count, "float32"), rows = row, columns = column,
        shape = { n, n }, base = 0 }:to "csr", dtype)
    end
  end

  local side = tiny and 24 or 2048
  local n = tiny and 512 or 2 ^ 20
  local few = tiny and { "float32" } or { "float32", "float64" }
  local M = {
    { name = "5-point grid", packed = true, make = bands({ 0, 1, -1, side, -side }, side * side),
      dtypes = { "float32", "float64", "float16", "complex64" } },
    { name = "27 bands", make = bands(tiny and { 0, 1, 2, -1, -2 } or (function()
      local list = {}
      for k = -13, 13 do list[#list + 1] = k * 37 end
      return list
    end)(), n), dtypes = few },
    { name = "power law", make = power_law(n, tiny and 3000 or 2 ^ 24), dtypes = few },
    { name = "16 x 16 blocks", make = blocks(n, 16, 2), dtypes = few },
  }

  ---Parts of a matrix of `count` elements in random order.
  function M.random_parts(count, size)
    return { data = random.uniform(count):eval(), rows = random.integers(count, 1, size):eval(),
      columns = random.integers(count, 1, size):eval(), shape = { size, size } }
  end
  return M
end
