-- What long kernels cost: compiling them, with NVRTC to PTX and with ptxas to machine code, and registers. For Q1 and
-- Q12 of docs/programs.md. It needs no GPU, but CUDA's ptxas, which knows the registers.
--   ./dev run bench/programs/limits.lua [sm_90]
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local main = dofile "bench/programs/main.lua"

local now = dofile "bench/common/clock.lua"

cuda.init()
cuda.Device(0):retain_primary_context():push()
local arch = arg[1] or "sm_90"
local ptxas = (os.getenv "CUDA_HOME" or "/usr/local/cuda") .. "/bin/ptxas"

local function ones(count, dtype)
  local list = {}
  for k = 1, count do list[k] = gpuarray.ones(64, dtype):eval() end
  return list
end

-- The median of five times, in milliseconds.
local function median(f)
  local times, result = {}, nil
  for k = 1, 5 do
    local start = now()
    result = f(k)
    times[k] = now() - start
  end
  table.sort(times)
  return times[3], result
end

local function row(title, f, arguments)
  local source, path = gpuarray.fuse(f):source(unpack(arguments)), os.tmpname()
  local front, ptx = median(function(k) -- another text each time: NVRTC and the library keep what they know
    return cuda.compile(("%s// %d %.0f\n"):format(source, k, now()), { arch = arch:gsub("sm", "compute"),
      options = { "--fmad=false" }, no_extern_c = true, cache_dir = false })
  end)
  local file = assert(io.open(path, "w"))
  file:write(ptx)
  file:close()
  local back, text = median(function()
    local pipe = assert(io.popen(("%s -arch=%s -v %s -o /dev/null 2>&1"):format(ptxas, arch, path)))
    local text = pipe:read "*a"
    pipe:close()
    return text
  end)
  os.remove(path)
  local registers, spilled = text:match "Used (%d+) registers", text:match "(%d+) bytes spill stores"
  print(("| %s | %.0f | %.0f | %s | %s |"):format(title, front, back, registers or "?", spilled or "?"))
end

print "| kernel | NVRTC ms | ptxas ms, with its start | registers | spilled bytes |"
print "| --- | --- | --- | --- | --- |"
for _, n in ipairs { 16, 32, 64, 96, 128, 256, 512 } do
  row(("chain of %d operations"):format(n), function(x, y)
    for _ = 1, n / 2 do x = x * 0.99 + y end
    return x
  end, ones(2))
end
for _, n in ipairs { 1, 6, 12, 16, 25, 50 } do
  row(("Mandelbrot, %d steps"):format(n), function(z, count, c)
    for _ = 1, n do
      local inside = z:abs():le(2)
      z, count = gpuarray.where(inside, z * z + c, z), count + inside
    end
    return z, count
  end, { ones(1, "complex64")[1], ones(1, "int32")[1], ones(1, "complex64")[1] })
end
for _, name in ipairs { "exp", "sin", "pow", "erf" } do
  for _, n in ipairs { 1, 4, 16 } do
    row(("%d times %s"):format(n, name), function(x, y)
      for _ = 1, n do
        x = name == "pow" and x:pow(y) or name ~= "pow" and x[name](x) + y
      end
      return x
    end, ones(2))
  end
end
for _, n in ipairs { 1, 2, 4, 8, 16, 32 } do
  row(("%d results of two arrays"):format(n), function(x, y)
    local results = {}
    for k = 1, n do results[k] = x * k + y end
    return unpack(results)
  end, ones(2))
end
for _, n in ipairs { 8, 16, 32, 48, 60 } do
  row(("%d arrays, one result"):format(n), function(...)
    local sum = 0
    for _, x in ipairs { ... } do sum = sum + x * 0.5 end
    return sum
  end, ones(n))
end
row("Black-Scholes", function(...)
  local call, put = main.load("black_scholes").program(...)
  return call, put
end, { ones(1)[1], ones(1)[1], ones(1)[1], 0.02, 0.3 })
