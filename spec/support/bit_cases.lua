-- What has to give the same bits everywhere: reductions, scans, products, convolutions, sorting, counting, random
-- numbers, Fourier transforms and pictures, of inputs that are made on the host from whole numbers.
-- spec/gpuarray/same_bits_spec.lua runs them, spec/data/golden/bits.lua has what they give.
--
-- A case: { name, f, more: the software device leaves it out of a short run, alone: its kernels cannot be compiled with
-- others (spec/support/batch.lua) }. f gives arrays; it is called again and again, and makes inputs and kernels once.
local crc32 = require "cudalua.ndarray.crc32"
local dtype = require "cudalua.dtype"
local fft = require "cudalua.fft"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local image = require "cudalua.image"
local knob = require "spec.support.knob"
local linalg = require "cudalua.linalg"
local ndarray = require "cudalua.ndarray"
local random = require "cudalua.random"
local reduction = require "cudalua.reduction"
local scan = require "cudalua.scan"
local sparse = require "cudalua.sparse"

local M = {}

-- Element i of a sequence, from 0 up to below 1: a whole number of 2^-31 that doubles hold.
local function source(salt)
  local state = salt * 7919 % 2 ^ 31
  return function()
    state = (state * 1103515245 + 12345) % 2 ^ 31
    return state / 2 ^ 31
  end
end

-- Of elements; a table, for busted remembers what ffi.typeof gave for a text with a parameter.
local POINTERS = { float16 = "uint16_t *", bfloat16 = "uint16_t *", float32 = "float *", float64 = "double *",
  complex64 = "complex float *" }
for _, name in ipairs { "int8", "int32", "int64", "uint8" } do POINTERS[name] = name .. "_t *" end

-- An array, of f(u) for random numbers u and places i.
local function made(shape, t, salt, f)
  t = dtype(t)
  local h, next_number = ndarray.empty(shape, t), source(salt)
  local p = ffi.cast(POINTERS[t.name], h:data())
  local convert = rawget(dtype, "pack_" .. t.name)
  for i = 0, h.size - 1 do
    local x = f(next_number(), i, next_number)
    p[i] = convert and convert(x) or x
  end
  return gpuarray.to_gpu(h)
end

local function signed(u) return 2 * u - 1 end
local function with_gaps(u, i) return i % 13 == 5 and 0 / 0 or 2 * u - 1 end
local function few(u) return math.floor(u * 200) - 100 end

local MIN_MAX = [[
struct ends_t { float low, high; };
__device__ ends_t joined(const ends_t &a, const ends_t &b) {
  return ends_t{ fminf(a.low, b.low), fmaxf(a.high, b.high) };
}]]

---The cases.
---@param scale? integer  so many times as many elements; default: 1, which is what is recorded
---@return table[]
function M.list(scale)
  scale = scale or 1
  local cases, inputs, kernels = {}, {}, {}
  local exact = { options = { "--fmad=false" } } -- whose products are rounded, on every device

  local alone = false -- are the kernels such that their text stands in a source of its own?
  local function case(name, f, is_more)
    cases[#cases + 1] = { name = name, f = f, more = is_more or false, alone = alone }
  end
  local function more(name, f) case(name, f, true) end

  -- An input, by its name, shape and type.
  local function array(key, shape, t, f)
    local id = ("%s %s %s"):format(key, table.concat(shape, " "), t)
    if not inputs[id] then inputs[id] = made(shape, t, #key * 31 + key:byte(-1), f or signed) end
    return inputs[id]
  end
  local function line(t) return array("line " .. t, { 90001 * scale }, t) end
  local function tall() return array("tall", { 2500 * scale, 20 }, "float32") end
  local function flat() return array("flat", { 3, 9000 * scale }, "float32") end
  local function narrow() return array("narrow", { 20000 * scale, 3 }, "float32") end
  local function tied() return array("tied", { 300, 101 * scale }, "float32", function(u, i)
    return i % 4999 == 4000 and 0 / 0 or few(u)
  end) end
  local function whole(t) return array("whole " .. t, { 20001 * scale }, t, few) end
  local function complex()
    return array("complex", { 9001 * scale }, "complex64", function(u, _, v)
      return ffi.new("complex float", 2 * u - 1, v() - 0.5)
    end)
  end
  local function heads() -- of segments
    return array("heads", { 90001 * scale }, "uint8", function(u) return u < 0.001 and 1 or 0 end)
  end
  local function kernel(key, make)
    kernels[key] = kernels[key] or make()
    return kernels[key]
  end

  -- ---- reductions -----------------------------------------------------------------------------------------------

  case("sums of all float32", function() return line "float32":sum(), line "float32":sum { dtype = "float64" } end)
  case("sums of rows and columns", function()
    return flat():sum(1), flat():sum(2), tall():sum(1), tall():sum(2), tall():copy "F":sum(1), flat():copy "F":sum(2),
      narrow():sum(1)
  end)
  case("sums of float16", function() return line "float16":sum() end)
  more("sums of bfloat16", function() return line "bfloat16":sum(), line "bfloat16":mean() end)
  case("sums of float64", function() return line "float64":sum() end)
  case("sums of complex numbers", function() return complex():sum() end)
  more("means of complex numbers", function() return complex():mean(), complex():nansum(), complex():var() end)
  more("sums of integers", function()
    return whole "int8":sum(), whole "int32":mean(), whole "int64":sum { dtype = "float32" }, whole "int8":var()
  end)
  case("products and means", function()
    return (line "float32" * 2 ^ -12 + 1):prod(), tall():mean(1), tall():mean(2)
  end)
  case("variances", function() return line "float32":var { ddof = 1 }, tall():std(1) end)
  more("variances of rows", function() return flat():var(2), tall():std(2), line "float64":var() end)
  more("variances in one pass", function()
    return narrow():var(1), narrow():std(1), flat():std(2), flat().T:copy():var(1), line "float16":var(),
      line "float64":std(), whole "int8":var(), whole "int32":var { ddof = 1 }
  end)
  case("norms", function() return line "float32":norm() end)
  more("norms of other orders", function()
    return line "float32":norm { ord = 1 }, line "float32":norm { ord = math.huge }, flat():norm(2), complex():norm()
  end)
  case("logarithms of sums of exponentials", function() return line "float64":logsumexp() end)
  more("logarithms of sums of float32's exponentials", function() return flat():logsumexp(2), tall():logsumexp(1) end)
  case("what leaves NaN out", function()
    local a = array("gaps", { 400 * scale, 70 }, "float32", with_gaps)
    return a:nansum(), a:nanmean(1), a:nanargmax(2)
  end)
  more("what leaves NaN out, the others", function()
    local a = array("gaps", { 400 * scale, 70 }, "float32", with_gaps)
    return a:nanprod(2), a:nanmin(1), a:nanmax(2), a:nanargmin(), a:nanvar(), a:nanstd(1)
  end)
  case("positions where several are equal, and of NaN", function()
    return tied():argmax(), tied():argmin(1), tied():argmax(2), whole "int8":argmax(), tied().T:argmax(),
      narrow():argmax(1)
  end)
  case("extremes", function() return line "float32":max(), flat():min(2), tall():max(1), whole "int64":min() end)
  more("extremes of others", function()
    return line "float16":min(), whole "uint8":max(), tall():ptp(1), line "float64":max(), whole "int32":ptp()
  end)
  more("truth and counts", function()
    local a = whole "int8"
    return a:any(), a:all(), a:count_nonzero(), tied():count_nonzero(1), a:ne(0):any()
  end)
  case("dot products", function()
    return line "float32":dot(line "float32"[{ { -1, 1, -1 } }]), gpuarray.vdot(complex(), complex() * 0.5)
  end)
  more("dot products of others", function()
    return line "float16":dot(line "float16"), whole "int8":dot(whole "int8"), line "float64":dot(line "float64")
  end)
  case("what more blocks share than one of them combines", function()
    local a = array("many", { 2 ^ 22 + 4328 }, "float32")
    return a:sum(), a:argmin(), a[{ { 3, -1 } }]:max(), a:reshape(-1, 8):sum(1), a:reshape(-1, 4):argmax(1)
  end)
  case("sums over several axes, kept or not", function()
    local a = array("box", { 30, 40, 25 * scale }, "float32")
    return a:sum { axis = { 1, 3 } }, a:sum { axis = { 1, 2 }, keepdims = true }
  end)
  more("extremes over several axes", function()
    local a = array("box", { 30, 40, 25 * scale }, "float32")
    return a:max { axis = { 2, 3 }, keepdims = true }, a:mean { axis = { 1, 3 } }, a.T:sum { axis = { 1, 2 } }
  end)
  case("sums of views", function()
    local a = line "float32"
    return a[{ { 2, -1, 3 } }]:sum(), a[{ { -1, 1, -1 } }]:sum(), flat().T:sum(),
      tall()[{ { 1, -1, 2 }, { 3, 17 } }]:sum(1)
  end)
  more("sums of broadcast arrays", function()
    local row = flat()[{ { 2 } }]
    return row:broadcast_to { 5, row.shape[2] }:sum(), (row + gpuarray.to_gpu { { 1 }, { 2 } }):sum(2)
  end)
  case("sums of expressions", function()
    local a = line "float32"
    return ((a - 0.25) ^ 2):sum(), (a * a + a):astype "float16":sum()
  end)
  more("extremes of expressions", function()
    local a, b = flat(), flat()[{ 1 }]
    return (a * b + 1):max(2), (a / (b + 2)):sum(1), (a:abs():sqrt()):argmin()
  end)
  case("a ReductionKernel of a struct, and one of several results", function()
    local ends = kernel("ends", function()
      local ends_t = dtype.struct({ { "low", "float32" }, { "high", "float32" } }, { name = "ends_t" })
      return reduction.ReductionKernel(ends_t, "ends_t{ 3e38f, -3e38f }", "joined(a, b)",
        "ends_t{ x[i], x[i] }", "const float *x", "ends", { preamble = MIN_MAX })
    end)
    local several = kernel("several", function()
      local add = "a + b"
      return reduction.ReductionKernel({ "float32", "float64", "int32" }, { "0", "0", "0" }, { add, add, add },
        { "x[i]", "x[i] * (double)x[i]", "x[i] > 0" }, "const float *x", "several", exact)
    end)
    local sum, squares, count = several(line "float32")
    return ends(line "float32"):reshape(1):view "float32", sum, squares, count
  end)

  -- ---- scans ----------------------------------------------------------------------------------------------------

  case("cumulative sums of float32", function() return line "float32":cumsum() end)
  case("cumulative sums of rows and columns", function()
    return flat():cumsum(2), tall():cumsum(1), tall():cumsum(2)
  end)
  more("cumulative sums, short and strided", function()
    return flat():cumsum(1), tall().T:cumsum(1), line "float32"[{ { -1, 1, -3 } }]:cumsum(),
      array("plane", { 1100, 40 * scale }, "float32"):cumsum(1)
  end)
  case("cumulative sums of float16", function() return line "float16":cumsum() end)
  more("cumulative sums of other types", function()
    return line "float64":cumsum(), complex():cumsum(), line "bfloat16":cumsum(), whole "int8":cumsum(),
      line "float32":cumsum { dtype = "float64" }
  end)
  more("cumulative products and extremes", function()
    return (line "float32" * 2 ^ -12 + 1):cumprod(), flat():cummax(2), tall():cummin(1), whole "int64":cummax()
  end)
  case("cumulative sums of expressions", function() return (line "float32" * 3 - 1):cumsum() end)
  case("an InclusiveScanKernel, with and without segments", function()
    local k = kernel("inclusive", function() return scan.InclusiveScanKernel("float32", "a + b", exact) end)
    local flags = heads()
    return k(line "float32", "new"), k(line "float32", "new", { flags = flags })
  end)
  more("an ExclusiveScanKernel, with and without segments", function()
    local k = kernel("exclusive", function() return scan.ExclusiveScanKernel("float64", "a + b", 0, exact) end)
    local flags = heads()
    return k(line "float64", "new"), k(line "float64", "new", { flags = flags })
  end)
  more("a scan kernel of a struct", function()
    local line_t = dtype.struct({ { "slope", "float32" }, { "offset", "float32" } }, { name = "line_t" })
    local k = kernel("affine", function()
      return scan.InclusiveScanKernel(line_t, "{ a.slope * b.slope, a.offset * b.slope + b.offset }", exact)
    end)
    local lines = array("lines", { 18000 * scale }, "float32", function(u, i) return i % 2 == 0 and 0.5 + u or u end)
    return k(lines:view(line_t), "new"):view "float32"
  end)
  case("a GenericScanKernel of segments", function()
    local k = kernel("generic", function()
      return scan.GenericScanKernel("float32", "const float *x, float *y, float *z", "x[i] + 0.5f",
        "across_seg_boundary ? b : a + b", 0, "y[i] = item; z[i] = prev_item;",
        { is_segment_start_expr = "x[i] > 0.999f", options = exact.options })
    end)
    local x = line "float32"
    local y, z = gpuarray.zeros(x.shape), gpuarray.zeros(x.shape)
    k(x, y, z)
    return y, z
  end)

  alone = true
  -- ---- products -----------------------------------------------------------------------------------------------------

  -- By own kernels, on a GPU as well.
  local function own(f)
    return function()
      local before = linalg.backend()
      linalg.backend "own"
      local results = { pcall(f) }
      linalg.backend(before)
      if not results[1] then error(results[2], 0) end
      return unpack(results, 2)
    end
  end
  local function matrix(m, n, t) return array(("matrix %d %d %s"):format(m, n, t), { m * scale, n }, t) end
  case("products of matrices, of one chunk and of several", own(function()
    local a, b = matrix(70, 90, "float32"), matrix(90, 70, "float32")
    local long = matrix(40, 1300, "float32")
    return a:matmul(b[{ { 1, 90 } }]), b[{ { 1, 70 } }].T:matmul(a[{ { 1, 70 } }]), long:matmul(long.T)
  end))
  case("products of matrices and vectors", own(function()
    local a, x = matrix(7, 9000, "float32"), line "float32"[{ { 1, 9000 } }]
    return a:matmul(x), x:matmul(a.T), a.T:matmul(x[{ { 1, a.shape[1] } }])
  end))
  more("products of matrices of others", own(function()
    local h, d = matrix(30, 600, "float16"), matrix(30, 600, "float64")
    local z, batch = matrix(20, 600, "complex64"), array("batch", { 12, 35, 20 * scale }, "float32")
    local bytes = whole "int8"[{ { 1, 3000 } }]:reshape(50, 60)
    return h:matmul(h.T), d:matmul(d.T), z:matmul(z.T), batch:matmul(batch:transpose { 1, 3, 2 }),
      bytes:matmul(bytes.T), z:addmm(z[{ {}, { 1, 20 } }], z[{ { 1, 20 } }], { alpha = 0.5, beta = -2 })
  end))

  -- ---- statistics and signals ---------------------------------------------------------------------------------------

  case("convolutions", function()
    local a = line "float32"
    return a[{ { 1, 5000 } }]:convolve(a[{ { 1, 700, 2 } }]), a[{ { 1, 9 } }]:convolve(a[{ { 1, 3000 } }]),
      complex()[{ { 1, 900 } }]:correlate(complex()[{ { -1, 1, -13 } }], { mode = "same" })
  end)
  more("convolutions of others", function()
    local h, d, z = line "float16"[{ { 1, 3000 } }], line "float64"[{ { 1, 3000 } }], complex()
    local i = whole "int8"
    return h:convolve(h[{ { 1, 300 } }]), d:correlate(d[{ { 1, 277 } }]), i:convolve(i[{ { 1, 50 } }]),
      z[{ { 1, 100 } }]:correlate(z[{ { 1, 2000 } }], { mode = "full" })
  end)
  case("covariances", own(function()
    return flat():cov(), flat():corrcoef(), tall():cov { rowvar = false }
  end))
  more("covariances of others, slopes, areas and angles", own(function()
    local a, z = line "float32"[{ { 1, 5000 } }], complex()[{ { 1, 9000 } }]:reshape(3, 3000)
    return z:cov(), z:corrcoef(), flat():cov { aweights = flat()[1]:abs() }, a:gradient(), flat():trapezoid(),
      (a * 9):unwrap(), whole "int32":unwrap { period = 60 },
      a:gradient { spacing = a:abs():cumsum(), edge_order = 2 }
  end))

  -- ---- order and counts -----------------------------------------------------------------------------------------

  local function mixed(t)
    return array("mixed " .. t, { 21001 * scale }, t, function(u, i)
      if t ~= "float32" then return few(u) end
      return i % 4001 == 7 and 0 / 0 or i % 4001 == 8 and -0.0 or few(u) / 8
    end)
  end
  case("sorted float32, and where they were", function()
    return mixed "float32":sort(), mixed "float32":argsort { descending = true }
  end)
  case("sorted rows", function() return tied():sort(2), flat():argsort(1) end)
  more("sorted others", function()
    return mixed "int8":argsort(), mixed "int64":sort(), line "float64":argsort(), line "float16":sort(),
      tall():sort(1), complex():argsort()
  end)
  more("the greatest ones, quantiles", function()
    local values, places = line "float32":topk(20)
    return values, places, flat():median(2), line "float32":quantile { 0.1, 0.3, 0.99 }
  end)
  case("different ones, first places, groups and counts", function()
    return whole "int32":unique { index = true, inverse = true, counts = true }
  end)
  more("sets, averages and values between points", function()
    local a, b = whole "int32", whole "int32"[{ { 1, 999 } }] + 1
    local x = line "float32"
    return a:isin(b), gpuarray.intersect1d(a, b), gpuarray.setxor1d(a, b), x:average { weights = x * x },
      gpuarray.interp(x, { -1, 0.25, 1 }, { 3, 1, 2 }), x:diff(2), mixed "float32":nanquantile { 0.1, 0.5 }
  end)
  more("different floats", function()
    return array("quarters", { 20001 * scale }, "float32", function(u) return few(u) / 4 end):unique { counts = true }
  end)
  case("counts by bins", function()
    return gpuarray.histogram(line "float32", 64), (gpuarray.histogram(whole "int8", 20, { range = { -100, 100 } }))
  end)
  case("weights by bins", function()
    return (gpuarray.histogram(line "float32", 33, { range = { -1, 1 }, weights = line "float32"[{ { -1, 1, -1 } }] }))
  end)
  more("counts by many bins, and by numbers", function()
    local numbers = array("numbers", { 20001 * scale }, "int32", function(u) return 1 + math.floor(u * 100) end)
    local weights = line "float64"[{ { 1, numbers.size } }]
    return gpuarray.bincount(numbers), gpuarray.bincount(numbers, { weights = weights }),
      (gpuarray.histogram(line "float32", 10000)), (gpuarray.histogram(line "float64", { -1, -0.3, 0, 0.7 }))
  end)
  case("elements that a mask takes, and where they are", function()
    local a = line "float32"
    return a[a:gt(0.75)], gpuarray.nonzero(whole "int8":eq(3))
  end)

  -- ---- sparse matrices ------------------------------------------------------------------------------------------

  local function sparse_matrix(t, rows, columns, count, row)
    return kernel(("sparse %s %d %d"):format(t, rows, columns), function()
      local key = t .. columns
      row = row or function(u) return math.floor(u * rows) end
      local places = array("sparse rows " .. key, { count }, "int32", row)
      local values = t == "complex64" and complex()[{ { 1, count } }] or array("sparse values " .. key, { count }, t)
      return sparse.coo { data = values, rows = places, shape = { rows, columns }, base = 0,
        columns = array("sparse columns " .. key, { count }, "int32", function(u) return math.floor(u * columns) end) }
    end)
  end
  case("products of sparse matrices and vectors", function()
    local m, x = sparse_matrix("float32", 3000, 900, 9000), line "float32"
    local long = sparse_matrix("float32", 7, 60000, 50000, function(u) return math.floor(u ^ 9 * 7) end)
    local p = kernel("packed", function() return m:to "packed" end)
    return m:matmul(x[{ { 1, 900 } }]), m.T:matmul(x[{ { 1, 3000 } }]), long:matmul(x[{ { 1, 60000 } }]),
      p:matmul(x[{ { 1, 900 } }]), m.data
  end)
  more("products of sparse matrices of others", function()
    local h, z, x = sparse_matrix("float16", 500, 80, 4000), sparse_matrix("complex64", 500, 80, 4000), line "float64"
    local dense, s = x[{ { 1, 80 * 33 } }]:reshape(80, 33), h:matmul(h.T)
    return h:matmul(x[{ { 1, 80 } }]:astype "float16"), z:matmul(x[{ { 1, 80 } }]), h:matmul(dense), z:matmul(dense),
      s.data, s.indices, (h + h * 0.5).data, (h * dense[{ {}, 1 }]).data
  end)

  -- ---- random numbers -------------------------------------------------------------------------------------------

  alone = false
  local n = 9002 * scale
  case("means of random numbers that are never stored", function()
    local g = random.Generator(20240607)
    return g:uniform(n):mean(), (g:normal(n) * 0.5 + 1):mean(), (g:uniform(n) ^ 2 + g:uniform(n) ^ 2):lt(1):sum()
  end)
  more("means of random float64s", function()
    local g = random.Generator(5)
    return g:uniform(n, 0, 1, "float64"):mean(), (g:normal(n, 0, 1, "float64") ^ 2):sum(), g:exponential(n):var()
  end)
  case("random numbers", function()
    local g = random.Generator(77)
    return g:uniform(n):eval(), g:normal(n):eval(), g:integers(n, 1, 6, "int32"):eval()
  end)
  alone = true
  more("random numbers of other distributions", function()
    local g = random.Generator(78)
    return g:gamma(n, 2.5):eval(), g:poisson(n, 4, "int32"):eval(), g:binomial(n, 20, 0.3, "int32"):eval(),
      g:beta(n, 2, 3):eval(), g:normal(n, 0, 1, "float16"):eval()
  end)
  more("permutations and choices", function()
    local g = random.Generator(79)
    return g:permutation(n), g:choice(1000, 50, { replace = false }), g:choice(7, n)
  end)
  more("random numbers of generators with states", function()
    local xorwow, mrg = random.XORWOWRandomNumberGenerator(5), random.MRG32k3aRandomNumberGenerator(5)
    return xorwow:gen_uniform(n), mrg:gen_normal(n), random.Sobol32RandomNumberGenerator():gen_uniform(n)
  end)

  -- ---- Fourier transforms -----------------------------------------------------------------------------------------

  alone = true
  case("transforms of complex numbers", function()
    local a = complex()
    return fft.fft(a, { n = 9000 * scale }), fft.ifft(a[{ { 1, 1021 } }])
  end)
  case("transforms of real numbers", function() return fft.irfft(fft.rfft(flat()[{ {}, { 1, 1000 } }])) end)
  more("transforms of several axes, and of float64", function()
    return fft.fftn(tall()[{ { 1, 180 }, {} }]), fft.fft(line "float64"[{ { 1, 16384 } }]),
      fft.fft(line "float64"[{ { 1, 101 } }])
  end)

  -- ---- pictures --------------------------------------------------------------------------------------------------

  local function photo(t)
    return array("photo " .. t, { 61, 97 * scale, 3 }, t, function(u) return math.floor(u * 256) % 128 end)
  end
  case("filtered pictures", function()
    local colours = { channels = true, boundary = "reflect", mode = "same" }
    return image.convolve2d(photo "float32", array("filter", { 9, 5 }, "float32"), colours),
      image.convolve2d(photo "uint8", { { 0.1, 0.2 }, { 0.3, 0.7 } }, colours),
      image.separable(flat(), { 0.3, 0.4, 0.3 }, { 1, -0.9, 0.7 })
  end)
  more("pictures filtered by large kernels", function()
    return image.convolve2d(photo "float32", array("large filter", { 19, 33 }, "float32"), { channels = true }),
      image.convolve2d(photo "float64", array("large filter", { 19, 33 }, "float32")),
      image.convolve2d(photo "bfloat16", array("filter", { 9, 5 }, "float32")),
      image.convolve2d(photo "float32", array("row filter", { 1, 40 }, "float32"), { channels = true })
  end)
  case("pictures of other sizes, and rotated ones", function()
    local a = photo "float32"
    return image.resize(a, { 100, 41 }, { channels = true, filter = "cubic" }),
      image.resize(a, { 40, 41 }, { channels = true, filter = "area" }),
      image.resize(photo "uint8", { 40, 141 * scale }, { channels = true }),
      image.rotate(a, 30, { channels = true, filter = "cubic", fill = 0.5 }), image.rotate(tall(), -45)
  end)

  -- ---- solvers ---------------------------------------------------------------------------------------------------

  alone = true -- what they report is read
  local function square(side, t) return array("square " .. side .. t, { side, side }, t) end
  case("systems of equations", function()
    local _, l, u = linalg.lu(square(40, "float64"))
    return linalg.solve(square(70, "float32"), square(70, "float32").T), l, u, linalg.det(square(20, "float32"))
  end)
  case("Cholesky's and Householder's factors", function()
    local q, r = linalg.qr(square(70, "float32"))
    local a = array("bunch", { 3, 10, 6 }, "float64")
    local small_q = linalg.qr(a)
    return q, r, small_q, linalg.cholesky(square(70, "float32") * 0.01 + gpuarray.eye(70) * 5)
  end)
  case("singular values and eigenvalues", function()
    local values, vectors = linalg.eigh(square(20, "float32"))
    return linalg.svdvals(square(20, "float32")), values, vectors
  end)
  more("singular values and eigenvalues of larger matrices", function()
    return linalg.svdvals(square(70, "float32")), linalg.eigvalsh(square(70, "float32"))
  end)
  alone = false

  return cases
end

---The bytes of an array, in C order.
---@param a cudalua.gpuarray.Array
---@return string
function M.bytes(a)
  local h = a:get({ array = true }):copy()
  return ffi.string(h:data(), h.nbytes)
end

---The checksum of arrays: of their types, shapes and bytes.
---@param ... cudalua.gpuarray.Array
---@return string
function M.hash(...)
  local sum = 0
  for i = 1, select("#", ...) do
    local a = select(i, ...)
    local text = ("%s %s "):format(a.dtype.name, table.concat(a.shape, " ")) .. M.bytes(a)
    sum = crc32(ffi.cast("const uint8_t *", text), #text, sum)
  end
  return ("%08x"):format(sum)
end

local reduce_run = require "cudalua.gpuarray.reduce.run"
local scan_run = require "cudalua.gpuarray.reduce.scan_run"
local count_run = require "cudalua.gpuarray.order.count_run"
local product_plan = require "cudalua.gpuarray.product.plan"
-- What depends on the multiprocessors: the module, its field, and the value for so many of them.
local knobs = {
  { reduce_run, "blocks", function(count) return 16 * count end },
  { scan_run, "ENOUGH", function(count) return 2 * count end },
  { scan_run, "LOG_WIDTH", function(count) return count < 10 and 2 or 5 end },
  { count_run, "multiprocessors", function(count) return count end },
  { product_plan, "multiprocessors", function(count) return count end },
}
local restore = {}

---Has grids made for so many multiprocessors; nil: as always.
---@param count? integer
function M.grids_for(count)
  for i = 1, #restore do restore[i]() end
  for i, k in ipairs(knobs) do restore[i] = count and knob(k[1], k[2], k[3](count)) or nil end
end

return M
