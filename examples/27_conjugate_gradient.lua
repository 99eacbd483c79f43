-- Poisson's equation on a square, by conjugate gradients: five numbers in each row of a sparse matrix, one row for each
-- point of a grid. The solution is known: a product of sine waves.
--   luajit examples/27_conjugate_gradient.lua [n]
-- n x n points inside of the square; default: 1024, on the software device 20
local cuda = require "cudalua"
local gpuarray, sparse = cuda.gpuarray, cuda.sparse

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local n = math.floor(tonumber(arg and arg[1]) or (soft and 20 or 1024))
assert(n >= 3, "the grid needs 3 points a side at least")

-- The sum of the second differences along both axes: neighbours along rows are 1 apart, along columns n. A point at the
-- end of a row has no neighbour in the next one.
local side = gpuarray.arange(1, n * n):mod(n):ne(0):astype "float64"
local size = { n * n, n * n }
local A = sparse.diags({ 4, -side, -side, -1, -1 }, { 0, 1, -1, n, -n }, { shape = size, dtype = "float64" })
A = A:eliminate_zeros() * (n + 1) ^ 2
assert(A.nnz == 5 * n * n - 4 * n, "every point has its neighbours, and no others")

-- u = sin(pi x) sin(2 pi y) is a mode of the differences, whose eigenvalue is known.
local at = gpuarray.arange(1, n + 1):astype "float64" / (n + 1)
local u = (at * math.pi):sin():reshape(n, 1) * (at * 2 * math.pi):sin()
local function value(k) return 4 * (n + 1) ^ 2 * math.sin(k * math.pi / 2 / (n + 1)) ^ 2 end
local b = (u * (value(1) + value(2))):reshape(-1)
-- A little of a rough wave besides, or the first step would be the last.
local rough = cuda.random.Generator(7):normal(n * n, 0, 1, "float64")
local solution = (u:reshape(-1) + 0.01 * rough):eval()
b = b + A:matmul(0.01 * rough)

local steps = 0
local start, stop = cuda.Event(), cuda.Event()
start:record()
local x, info = sparse.cg(A, b, { rtol = 1e-10, M = "jacobi", callback = function(_, k) steps = k end })
stop:record()
stop:synchronize()
assert(info == 0, "conjugate gradients did not end: " .. info)
local off = gpuarray.norm(x - solution):item() / gpuarray.norm(solution):item()
assert(off < 1e-6, ("the solution is off by %g"):format(off))

-- The same system, with the matrix as a function that takes differences of views.
local function differences(v)
  local grid = gpuarray.pad(v:reshape(n, n), 1)
  local middle = grid[{ { 2, -2 }, { 2, -2 } }]
  local around = grid[{ { 1, -3 }, { 2, -2 } }] + grid[{ { 3, -1 }, { 2, -2 } }] + grid[{ { 2, -2 }, { 1, -3 } }] +
    grid[{ { 2, -2 }, { 3, -1 } }]
  return ((4 * middle - around) * (n + 1) ^ 2):reshape(-1)
end
assert(gpuarray.allclose(differences(x), A:matmul(x), { rtol = 1e-9, atol = 1e-6 }), "the function is not the matrix")

print(("%d x %d points, %d elements, %d steps on %s: %.3f %s a step"):format(n, n, A.nnz, steps,
  ctx:get_device():name(), stop:time_since(start) / steps, soft and "simulated ms" or "ms"))
print(("the relative error is %.1e; all as expected"):format(off))
