-- Fourier transforms beside cuFFT: lengths from 2^8 to 2^24 alone and in batches, lengths of small and of large primes,
-- real numbers, planes. Results are compared: with cuFFT's where it opens, and by the inverse.
--   ./dev bench fft [ROUNDS]
--   ./dev bench fft smoke    small arrays, nothing is timed: are the results right?
-- Rounds take turns. GB/s are of the least traffic, each element read once and written once. cuFFT is opened through
-- the FFI from CUDALUA_CUFFT, by its soname, from CUDA_HOME, or from python3's wheel. The table at the end is for
-- bench/RESULTS.md.
local ffi = require "ffi"

local start = dofile "bench/common/start.lua"(5)
local cuda, dev, device, tiny, rounds = start.cuda, start.dev, start.device, start.tiny, start.rounds
local report = dofile "bench/common/report.lua"
cuda.linalg.backend "own"
local gpuarray, random, fft = cuda.gpuarray, cuda.random, cuda.fft

-- ---- cuFFT ----------------------------------------------------------------------------------------------------------

ffi.cdef [[
int cufftPlanMany(int *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
                  int odist, int type, int batch);
int cufftExecC2C(int plan, void *in, void *out, int direction);
int cufftExecZ2Z(int plan, void *in, void *out, int direction);
int cufftExecR2C(int plan, void *in, void *out);
int cufftDestroy(int plan);
int cufftGetVersion(int *version);
]]
local R2C, C2C, Z2Z = 0x2a, 0x29, 0x69 -- cufftType

-- Where pip puts it.
local function wheel()
  local pipe = io.popen "python3 -c 'import nvidia.cufft as m; print(list(m.__path__)[0])' 2>/dev/null"
  local path = pipe and pipe:read "*l"
  if pipe then pipe:close() end
  return (path or "/nowhere") .. "/lib/"
end

local function open()
  local home = os.getenv "CUDA_HOME" or "/usr/local/cuda"
  local list = { os.getenv "CUDALUA_CUFFT" or "libcufft.so.12", "libcufft.so.12", "libcufft.so.11",
    home .. "/lib64/libcufft.so.12", home .. "/lib64/libcufft.so.11" }
  for _, name in ipairs { "libcufft.so.12", "libcufft.so.11" } do list[#list + 1] = wheel() .. name end
  for _, path in ipairs(list) do
    local ok, library = pcall(ffi.load, path)
    if ok then return library end
  end
end
local library = not tiny and open() or nil

local function checked(status, what)
  if status ~= 0 then error(("%s failed: %d"):format(what, status), 2) end
end

-- A plan of `batch` transforms, one behind the other.
local function plan_of(extents, kind, batch)
  local n, plan = ffi.new("int[?]", #extents, extents), ffi.new "int[1]"
  checked(library.cufftPlanMany(plan, #extents, n, nil, 1, 0, nil, 1, 0, kind, batch), "cufftPlanMany")
  return plan[0]
end

local function pointer(x) return ffi.cast("void *", ffi.cast("uintptr_t", x.ptr)) end

local version = "-"
if library then
  local number = ffi.new "int[1]"
  checked(library.cufftGetVersion(number), "cufftGetVersion")
  version = tostring(number[0])
end
print(("%s, driver %d, %s, cuFFT %s"):format(dev:name(), cuda.get_driver_version(), jit.version, version))
print(tiny and "small arrays: results are compared, nothing is timed" or ("%d rounds"):format(rounds))
report.head "cuFFT"

-- ---- rows -----------------------------------------------------------------------------------------------------------

local function far(a, b) -- from b, over b's length
  local d = (a - b):abs()
  return math.sqrt((d * d):sum { dtype = "float64" }:item() / (b:abs() ^ 2):sum { dtype = "float64" }:item())
end

local function near(text, a, b, tolerance)
  local distance = far(a, b)
  if distance ~= distance or distance > tolerance then
    error(("%s: the results are %g apart"):format(text, distance))
  end
end

local BYTES = tiny and 2 ^ 14 or 2 ^ 28 -- of the elements of a batch

---@param r {text: string, extents: integer[], batch: integer, dtype: string?, real: boolean?}
local function row(r)
  local dtype, batch = r.dtype or "complex64", r.batch
  local double = dtype == "complex128"
  local shape, n = { batch, unpack(r.extents) }, 1
  for _, extent in ipairs(r.extents) do n = n * extent end
  local generator, part = random.Generator(n), double and "float64" or "float32"
  local x = generator:normal(shape, 0, 1, part)
  if not r.real then x = x + generator:normal(shape, 0, 1, part) * ffi.new("complex double", 0, 1) end
  x = x:astype(r.real and part or dtype):eval()
  local axes = {}
  for k = 1, #r.extents do axes[k] = k + 1 end
  local function ours()
    if r.real then return fft.rfft(x) end
    if #axes == 1 then return fft.fft(x) end
    return fft.fftn(x, { axes = axes })
  end
  local function back(y)
    if r.real then return fft.irfft(y, { n = r.extents[1] }) end
    return fft.ifftn(y, { axes = axes })
  end
  local tolerance = (double and 2 ^ -52 or 2 ^ -23) * (1 + math.log(n) / math.log(2))
  local y = ours()
  near(r.text .. ", there and back", back(y), x, 2 * tolerance)

  local forms, plan, out = {}, nil, nil
  local launches = math.max(1, math.min(50, math.floor(2 ^ 29 / (n * batch * 8))))
  if library then
    plan, out = plan_of(r.extents, r.real and R2C or double and Z2Z or C2C, batch), gpuarray.empty(y.shape, dtype)
    local from, to = pointer(x), pointer(out)
    local function run()
      if r.real then return checked(library.cufftExecR2C(plan, from, to), "cufftExecR2C") end
      local execute = double and library.cufftExecZ2Z or library.cufftExecC2C
      return checked(execute(plan, from, to, -1), "cufftExec")
    end
    run()
    cuda.Context.synchronize()
    near(r.text .. ", beside cuFFT", y, out, 2 * tolerance)
    forms[#forms + 1] = { "base", function() return device(run, launches) end }
  end
  y:release()
  local result = { work = r.text, unit = "GB/s" }
  if not tiny then
    forms[#forms + 1] = { "ours", function()
      return device(function() ours():release() end, launches)
    end }
    local times = report.turns(rounds, forms)
    local bytes = x.nbytes + n * batch * (r.real and (double and 8 or 4) or (double and 16 or 8))
    result.ours = bytes / report.median(times.ours) * 1e-3
    if times.base then
      result.base = bytes / report.median(times.base) * 1e-3
      result.ratio = report.ratio(times.base, times.ours)
    end
  end
  report.row(result, false)
  if plan then library.cufftDestroy(plan) end
  if out then out:release() end
  x:release()
  fft.clear_plans()
  cuda.collect()
end

local function batched(text, n, options)
  options = options or {}
  local size = options.dtype == "complex128" and 16 or options.real and 4 or 8
  local batch = math.max(1, math.floor(BYTES / (n * size)))
  row { text = ("%s, %d times"):format(text, batch), extents = { n }, batch = batch, dtype = options.dtype,
    real = options.real }
end

for j = 8, tiny and 12 or 24, 2 do batched(("2^%d"):format(j), 2 ^ j) end
for j = 10, tiny and 13 or 24, tiny and 3 or 2 do
  row { text = ("2^%d, once"):format(j), extents = { 2 ^ j }, batch = 1 }
end
for _, n in ipairs(tiny and { 243, 1000 } or { 243, 1000, 2187, 2401, 3125, 10 ^ 6 }) do batched(tostring(n), n) end
for _, n in ipairs(tiny and { 97 } or { 97, 1009, 65537, 1000003 }) do batched(("prime %d"):format(n), n) end
for _, j in ipairs(tiny and { 8 } or { 8, 12, 20 }) do
  batched(("2^%d of float64"):format(j), 2 ^ j, { dtype = "complex128" })
end
for _, j in ipairs(tiny and { 8 } or { 8, 12, 20 }) do batched(("2^%d, real"):format(j), 2 ^ j, { real = true }) end
for _, side in ipairs(tiny and { 32 } or { 512, 4096 }) do
  local batch = math.max(1, BYTES / (8 * side * side))
  row { text = ("%d x %d, %d times"):format(side, side, batch), extents = { side, side }, batch = batch }
end

if not tiny then report.table "cuFFT" end
report.summary(("fft: %d s"):format(start.seconds()))
