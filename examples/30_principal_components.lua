-- Principal components: measured curves are mixes of three shapes, and noise. The three directions of greatest
-- variance span the shapes. The program finds them in two ways, by the singular values of the centred data and by the
-- eigenvalues of its covariance, and compares both. Three numbers then reproduce each curve, except for the noise.
--   luajit examples/30_principal_components.lua [curves]
-- curves: default 100000, on the software device 400
local cuda = require "cudalua"
local gpuarray, linalg = cuda.gpuarray, cuda.linalg

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local N = math.floor(tonumber(arg and arg[1]) or (soft and 400 or 100000))
local POINTS, SHAPES, NOISE = 40, 3, 0.05
assert(N >= 100, "the shapes need 100 curves at least")

-- Three peaks at different places. Curve i has weights[i] of each.
local generator = cuda.random.Generator(3)
local t = gpuarray.linspace(0, 1, POINTS, "float64")
local function peak(at, wide) return (-((t - at) / wide) ^ 2):exp() end
local shapes = gpuarray.stack({ peak(0.2, 0.08), peak(0.5, 0.2), peak(0.75, 0.1) }, 1)
local weights = generator:normal({ N, SHAPES }, 0, 1, "float64") * gpuarray.to_gpu({ 3, 2, 1 }, "float64")
local clean = weights:matmul(shapes) + 1
local curves = (clean + NOISE * generator:normal({ N, POINTS }, 0, 1, "float64")):eval()

local start, stop = cuda.Event(), cuda.Event()
start:record()
local mean = curves:mean(1)
local centred = (curves - mean):eval()
local _, s, vh = linalg.svd(centred, { full_matrices = false }) -- u with all its columns is N x N
local variance = s ^ 2 / (N - 1)
stop:record()
stop:synchronize()

-- The same from the covariance, whose eigenvalues ascend.
local values, vectors = linalg.eigh(centred.T:matmul(centred) / (N - 1))
assert(gpuarray.allclose(gpuarray.flip(values), variance, { rtol = 1e-9, atol = 1e-12 }), "both find the variances")
local components = vh[{ { 1, SHAPES } }]
local both = components:matmul(vectors[{ {}, { -SHAPES, -1 } }]):abs()
assert(gpuarray.allclose(gpuarray.flip(both, 2), gpuarray.eye(SHAPES), { atol = 1e-6 }), "both find the directions")

-- What the components have of the shapes: a shape that they span does not change when it is projected.
local inside = shapes:matmul(components.T):matmul(components)
local lost = gpuarray.norm(inside - shapes):item() / gpuarray.norm(shapes):item()
assert(lost < 3 * NOISE / math.sqrt(N) * POINTS ^ 0.5, ("the components lack %.4f of the shapes"):format(lost))

local scores = centred:matmul(components.T)
local again = scores:matmul(components) + mean
local off = ((again - clean) ^ 2):mean():item() ^ 0.5
local total = variance:sum():item()
for k = 1, SHAPES + 1 do print(("component %d: %5.2f %% of the variance"):format(k, 100 * variance[k] / total)) end
assert(off < NOISE * math.sqrt((SHAPES + 1) / POINTS) * 1.1, ("the curves are off by %.4f"):format(off))

print(("%d curves of %d points on %s in %.3f %s: three numbers a curve, off by %.4f, noise %.2f; all as expected")
  :format(N, POINTS, ctx:get_device():name(), stop:time_since(start), soft and "simulated ms" or "ms", off, NOISE))
