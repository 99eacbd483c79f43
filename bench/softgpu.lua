-- How far the software device is from plain C on one core: builds bench/softgpu/ and runs it.
--   ./dev bench softgpu
-- A C program that uses the driver API alone loads PTX that NVRTC makes here; its results are compared with the loops'.
local compiler = require "cudalua.compiler"

local build = os.getenv "CUDALUA_BUILD" or "build"
local home = os.getenv "CUDA_HOME" or "/usr/local/cuda"
local cc = os.getenv "CC" or "cc"

local function run(command) assert(os.execute(command) == 0, "this failed: " .. command) end

local file = assert(io.open "bench/softgpu/kernels.cu")
local source = file:read "*a"
file:close()
local ptx = compiler.compile(source, { arch = "compute_80", no_extern_c = true, name = "kernels.cu" })
local out = assert(io.open(build .. "/bench_softgpu.ptx", "wb"))
out:write(ptx)
out:close()

-- The C side is scalar code at -O2, as most people's loops are.
local no_vectors = io.popen(cc .. " --version"):read "*l":find "clang" and " -fno-vectorize" or ""
local sources = "bench/softgpu/bench.c bench/softgpu/loops.c"
run(("%s -O2%s -D_GNU_SOURCE= -isystem %s/include %s -o %s/bench_softgpu -lm -ldl"):format(cc, no_vectors, home,
  sources, build))
run(("%s/bench_softgpu %s/src/softgpu/libcudalua-softgpu.so %s/bench_softgpu.ptx"):format(build, build, build))
