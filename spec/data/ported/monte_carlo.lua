-- Estimates pi and an integral with generators of random numbers. In PyCUDA:
--   rng = XORWOWRandomNumberGenerator(seed_getter=seed_getter_uniform)
--   x, y = rng.gen_uniform(n, numpy.float32), rng.gen_uniform(n, numpy.float32)
--   inside = ReductionKernel(numpy.int32, neutral="0", reduce_expr="a+b",
--       map_expr="x[i]*x[i] + y[i]*y[i] <= 1", arguments="float *x, float *y")
--   print(4 * inside(x, y).get() / n)
local cuda = require "cudalua"
local gpuarray, curandom = cuda.gpuarray, cuda.curandom
local ReductionKernel = cuda.reduction.ReductionKernel

local n = 40000
local rng = curandom.XORWOWRandomNumberGenerator(function(count) return gpuarray.full(count, 7, "int32") end)
local x, y = rng:gen_uniform(n, "float32"), rng:gen_uniform(n, "float32")
local inside = ReductionKernel("int32", "0", "a+b", "x[i]*x[i] + y[i]*y[i] <= 1", "float *x, float *y")
print("pi", 4 * inside(x, y):get() / n)

local even = curandom.Sobol32RandomNumberGenerator(nil, 0, { dimensions = 2 })
local points = even:gen_uniform(4096, "float32")
local px, py = points[{ {}, 1 }], points[{ {}, 2 }]
print("even pi", 4 * inside(px, py):get() / 4096)

local normal = rng:gen_normal(n, "float32")
print("mean and deviation", normal:mean():get(), normal:std():get())
local counts = rng:gen_poisson(n, "uint32", 4)
print("mean of counts", counts:mean():get())
