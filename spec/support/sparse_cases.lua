-- Random products of sparse matrices, computed by own kernels and by a vendor's library, and compared. Values are
-- whole numbers whose sums are exact in every type, so results have to be equal. Failures are texts that say the case,
-- so that one run tells everything.
local cuda = require "cudalua"
local sparse = cuda.sparse
local host = require "spec.support.sparse_host"
local vendor = require "spec.support.vendor_cases"

local M = {}

local formats = { "csr", "csc", "coo", "transposed" }

-- An array of whole numbers from -2 to 2.
local function whole(rng, shape, dtype)
  local function part() return rng:integers(shape, -2, 3, "int32"):astype "float32" end
  local re = part()
  if dtype:find "complex" then return (re + part() * vendor.i "complex64"):astype(dtype) end
  return re:astype(dtype)
end

---A random matrix.
---@param pick fun(n: integer): integer  a random number from 1 to n
---@param rng cudalua.random.Generator
---@param dtype string
---@param rows integer
---@param columns integer
---@param most integer  elements
---@return cudalua.sparse.Matrix
---@return string format
function M.matrix(pick, rng, dtype, rows, columns, most)
  local format = formats[pick(#formats)]
  local turned = format == "transposed"
  local n = pick(most)
  local e = host.elements(pick(2 ^ 20), turned and columns or rows, turned and rows or columns, n)
  local m = sparse[turned and "csr" or format] { data = whole(rng, { n }, dtype), rows = e.rows, columns = e.columns,
    shape = e.shape }
  return turned and m.T or m, format
end

local forms = {
  dense = function(rng, shape, t) return whole(rng, shape, t):eval() end,
  pending = function(rng, shape, t) return whole(rng, shape, t) + 1 end,
  turned = function(rng, shape, t)
    return whole(rng, { shape[2], shape[1] }, t):eval().T
  end,
  behind = function(rng, shape, t) -- from an element on that is not aligned
    local n = shape[1] * shape[2]
    return whole(rng, { n + 1 }, t):eval()[{ { 2, n + 1 } }]:reshape(shape)
  end,
}
local form_names = { "dense", "pending", "turned", "behind" }

local function same(own, other)
  if own.dtype ~= other.dtype or table.concat(own.shape, " ") ~= table.concat(other.shape, " ") then return false end
  return own.size == 0 or own:eq(other):all():item()
end

local function about(m, format) return ("%s (%s)"):format(tostring(m), format) end

---A random product with a dense matrix of two or more columns.
---@param pick fun(n: integer): integer
---@param rng cudalua.random.Generator
---@param dtypes string[]    pairs of these are multiplied
---@param extents integer[]  to choose from
---@return string text
---@return fun(): any f      gives the product
---@return fun(own: any, other: any): boolean same
function M.dense(pick, rng, dtypes, extents)
  local rows, columns = extents[pick(#extents)], extents[pick(#extents)]
  local t = dtypes[pick(#dtypes)]
  local u = pick(3) == 1 and dtypes[pick(#dtypes)] or t
  local m, format = M.matrix(pick, rng, t, rows, columns, 3 * (rows + columns))
  local shape = { columns, ({ 2, 3, 4, 5, 8, 31, 33 })[pick(7)] }
  local form = form_names[pick(#form_names)]
  local x = forms[form](rng, shape, u)
  return ("%s by %s {%s} %s"):format(about(m, format), u, table.concat(shape, ", "), form),
    function() return m:matmul(x):eval() end, same
end

local function same_matrix(own, other)
  if own.format ~= other.format or own.nnz ~= other.nnz or own.dtype ~= other.dtype then return false end
  local csc = own.format == "csc"
  local a, b = csc and own.T or own, csc and other.T or other
  return same(a.indptr, b.indptr) and same(a.indices, b.indices) and same(a.data, b.data)
end

---A random product of two sparse matrices.
---@param pick fun(n: integer): integer
---@param rng cudalua.random.Generator
---@param dtypes string[]
---@param extents integer[]
---@return string text
---@return fun(): any f
---@return fun(own: any, other: any): boolean same
function M.sparse(pick, rng, dtypes, extents)
  local rows, middle, columns = extents[pick(#extents)], extents[pick(#extents)], extents[pick(#extents)]
  local t = dtypes[pick(#dtypes)]
  local u = pick(3) == 1 and dtypes[pick(#dtypes)] or t
  local a, first = M.matrix(pick, rng, t, rows, middle, 2 * (rows + middle))
  local b, second = M.matrix(pick, rng, u, middle, columns, 2 * (middle + columns))
  return ("%s by %s"):format(about(a, first), about(b, second)), function() return a:matmul(b) end, same_matrix
end

---Compares so many random products, and raises one error that lists all failures.
---@param seed integer
---@param make function      M.dense or M.sparse
---@param dtypes string[]
---@param count integer
---@param extents integer[]
---@param backend string
function M.sweep(seed, make, dtypes, count, extents, backend)
  local rng, state, failures = cuda.random.Generator(seed), seed, {}
  local function pick(n) -- Park and Miller's generator: the same cases everywhere
    state = state * 16807 % 2147483647
    return state % n + 1
  end
  for k = 1, count do
    local text, f, equal = make(pick, rng, dtypes, extents)
    local own = vendor.with("own", f)
    local ok, other = pcall(vendor.with, backend, f)
    if not ok or not equal(own, other) then
      failures[#failures + 1] = ("case %d of seed %d, %s: %s"):format(k, seed, text,
        ok and ("own\n%s\n%s\n%s"):format(own, backend, other) or "raised " .. tostring(other))
    end
  end
  if #failures > 0 then
    error(("%d of %d cases failed:\n%s"):format(#failures, count, table.concat(failures, "\n", 1,
      math.min(#failures, 12))), 0)
  end
end

return M
