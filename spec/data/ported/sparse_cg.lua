-- Solves the Laplace equation on a grid by conjugate gradients. In PyCUDA:
--   spmv = PacketedSpMV(csr_mat, options.is_symmetric, csr_mat.dtype)
--   rhs = gpuarray.to_gpu(spmv.permute(rhs))
--   dp = DiagonalPreconditioner(spmv.permute(gpuarray.to_gpu(1 / csr_mat.diagonal())))
--   x, it_count, res_count = solve_pkt_with_cg(spmv, rhs, dp, tol=1e-7)
local cuda = require "cudalua"
local gpuarray, sparse = cuda.gpuarray, cuda.sparse

-- The five-point stencil on n x n points.
local n = 12
local rows, columns, data = {}, {}, {}
local function add(row, column, value)
  rows[#rows + 1], columns[#columns + 1], data[#data + 1] = row, column, value
end
for i = 1, n do
  for j = 1, n do
    local k = (i - 1) * n + j
    add(k, k, 4)
    if i > 1 then add(k, k - n, -1) end
    if i < n then add(k, k + n, -1) end
    if j > 1 then add(k, k - 1, -1) end
    if j < n then add(k, k + 1, -1) end
  end
end
local coo = sparse.coo { data = data, rows = rows, columns = columns, shape = { n * n, n * n } }
local spmv = sparse.packed(coo)
local rhs = gpuarray.ones(n * n)
local x, info = sparse.cg(spmv, rhs, { M = "jacobi", rtol = 1e-6 })

print("converged", info == 0)
print("elements", coo.nnz)
print("middle", x:reshape(n, n)[{ n / 2, n / 2 }])
print("residual", (spmv:matmul(x) - rhs):norm():get() / rhs:norm():get())
