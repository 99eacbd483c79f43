-- A curve through noisy points, by least squares: a damped wave of a known frequency, y = c1 exp(-t) sin(6 t) +
-- c2 exp(-t) cos(6 t) + c3 t + c4. The coefficients come from singular values (lstsq), from the factors q and r, and
-- from the normal equations by Cholesky's method. All three agree, and are those that the data was made with, up to
-- what the noise allows.
--   luajit examples/28_least_squares.lua [points]
-- points: default 100000, on the software device 2000
local cuda = require "cudalua"
local gpuarray, linalg = cuda.gpuarray, cuda.linalg

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local N = math.floor(tonumber(arg and arg[1]) or (soft and 2000 or 100000))
local NOISE = 0.05

local want = { 2, -1, 0.5, 3 }
local t = gpuarray.arange(N, "float64") * (4 / N)
local decay = (-t):exp()
local design = gpuarray.stack({ decay * (t * 6):sin(), decay * (t * 6):cos(), t, gpuarray.ones(N, "float64") }, 2)
local noise = cuda.random.Generator(5):normal({ N }, { dtype = "float64" }) * NOISE
local y = design:matmul(gpuarray.to_gpu(want, "float64")) + noise

local c, residual, rank, s = linalg.lstsq(design, y)
assert(tonumber(rank:item()) == 4, "the columns are independent")

local q, r = linalg.qr(design)
local by_qr = linalg.solve_triangular(r, q.T:matmul(y))

local l = linalg.cholesky(design.T:matmul(design))
local by_cholesky = linalg.solve_triangular(l, linalg.solve_triangular(l, design.T:matmul(y), { lower = true }),
  { lower = true, trans = "T" })

assert((c - by_qr):abs():max():item() < 1e-10, "lstsq and qr agree")
assert((c - by_cholesky):abs():max():item() < 1e-9, "lstsq and cholesky agree")

-- The covariance of the coefficients is the inverse of design' design times the noise's variance.
local variance = residual:item() / (N - 4)
local spread = (linalg.inv(design.T:matmul(design)):diagonal() * variance):sqrt()
for i = 1, 4 do
  print(("c%d = %8.5f +- %.5f, made with %g"):format(i, c[i], spread[i], want[i]))
  assert(math.abs(c[i] - want[i]) < 5 * spread[i], "within five standard deviations")
end
assert(math.abs(math.sqrt(variance) / NOISE - 1) < 0.1, "the residual is the noise")
print(("%d points on %s, condition %.1f, noise %.4f; all as expected"):format(N, ctx:get_device():name(), s[1] / s[4],
  math.sqrt(variance)))
