-- Scales numbers to [0, 1] by a reduction of both extremes, and adds them up by scans. In PyCUDA:
--   minmax = ReductionKernel(mmc_dtype, neutral="minmax_neutral()", reduce_expr="agg_mmc(a, b)",
--       map_expr="mmc_from_scalar(x[i])", arguments="int *x", preamble=mmc_c_decl + "...")
--   result = minmax(a_gpu).get()
--   knl = InclusiveScanKernel(np.int32, "a+b")
--   knl(a_gpu)
local cuda = require "cudalua"
local gpuarray, tools = cuda.gpuarray, cuda.tools
local ReductionKernel = cuda.reduction.ReductionKernel
local InclusiveScanKernel, ExclusiveScanKernel = cuda.scan.InclusiveScanKernel, cuda.scan.ExclusiveScanKernel

local mmc_dtype = cuda.dtype.struct { { "cur_min", "int32" }, { "cur_max", "int32" } }
tools.get_or_register_dtype("minmax_collector", mmc_dtype)

local minmax = ReductionKernel(mmc_dtype, {
  neutral = "minmax_neutral()", reduce_expr = "agg_mmc(a, b)", map_expr = "mmc_from_scalar(x[i])",
  arguments = "int *x", preamble = [[
    __device__ minmax_collector minmax_neutral() { return { INT_MAX, INT_MIN }; }
    __device__ minmax_collector mmc_from_scalar(int x) { return { x, x }; }
    __device__ minmax_collector agg_mmc(minmax_collector a, minmax_collector b)
    { return { min(a.cur_min, b.cur_min), max(a.cur_max, b.cur_max) }; }
  ]] })

local a_gpu = (gpuarray.arange(1000, "int32") * 7919) % 1009 - 500
local result = minmax(a_gpu):get()
print("least and greatest", result.cur_min, result.cur_max)
print("the same by arrays", gpuarray.min(a_gpu):get(), gpuarray.max(a_gpu):get())
local scaled = (a_gpu - result.cur_min) / (result.cur_max - result.cur_min)
print("scaled", scaled:min():get(), scaled:max():get(), scaled.dtype)

local sums = a_gpu:copy()
InclusiveScanKernel("int32", "a+b")(sums)
print("last sum", sums[-1], gpuarray.sum(a_gpu):get())
local places = ExclusiveScanKernel("int32", "a+b", "0")(gpuarray.to_gpu({ 3, 1, 4, 1, 5 }, "int32"))
print("places", places)
