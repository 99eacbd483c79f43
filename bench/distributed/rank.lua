-- One rank of `./dev bench distributed`: calls beside NCCL's own, in turn, on the same arrays.
local cuda = require "cudalua"
local ffi = require "ffi"
local libraries = require "cudalua.vendor.library"

ffi.cdef [[
double bench_now(void);
int bench_open(const char *driver, const char *nccl);
int bench_id(char *id);
int bench_join(const char *id, int size, int rank);
double bench_call(int kind, unsigned long long in, unsigned long long out, size_t part, int times, double *host);
int bench_close(void);
]]
local C = ffi.load(arg[1])
local rounds = tonumber(arg[2] or 9)
local world = cuda.distributed.init { backend = "nccl" }
local soft = cuda.driver_info().soft
local largest = soft and 2 ^ 20 or 2 ^ 30

local box = ffi.new "char[128]"
assert(C.bench_open(cuda.driver_info().path, libraries.open("nccl").path) == 0, "the C side cannot open NCCL")
if world.rank == 0 then assert(C.bench_id(box) == 0) end
local id = world:broadcast_object(world.rank == 0 and ffi.string(box, 128) or nil)
assert(C.bench_join(id, world.size, world.rank) == 0, "the C side cannot connect")

local function median(list)
  table.sort(list)
  return list[math.floor(#list / 2) + 1]
end

local host = ffi.new "double[1]"

-- Microseconds of a call: on the host, and with the device.
local function in_c(kind, from, to, part, times)
  local whole = C.bench_call(kind, from.gpudata:ptr(), to.gpudata:ptr(), part, times, host)
  assert(whole >= 0, "a call failed in C")
  return host[0] / times, whole / times
end

local methods = { [0] = "all_reduce", "all_gather", "all_to_all" }

-- to: nil for a new array as the result of each call.
local function in_lua(kind, from, to, times)
  local call, options = world[methods[kind]], to and { out = to } or nil
  local start = C.bench_now()
  for _ = 1, times do call(world, from, options) end
  local on_host = C.bench_now() - start
  cuda.Context.synchronize()
  return on_host / times, (C.bench_now() - start) / times
end

local function text_of(bytes)
  if bytes >= 2 ^ 30 then return ("%.0f GiB"):format(bytes / 2 ^ 30) end
  return bytes >= 2 ^ 20 and ("%.0f MiB"):format(bytes / 2 ^ 20) or ("%.0f KiB"):format(bytes / 2 ^ 10)
end

-- Arrays of a call: what is given, and the result. C has its own, as the addresses of cudalua's would be known then.
local function arrays(kind, shape)
  local from = cuda.gpuarray.ones(kind == 1 and { shape[2] } or shape):eval()
  return from, cuda.gpuarray.zeros(shape):eval()
end

-- bytes: of the larger of both arrays.
local function measure(kind, bytes)
  local n, size = bytes / 4, world.size
  local shape, part = kind == 0 and { n } or { size, n / size }, kind == 0 and n or n / size
  local from, to = arrays(kind, shape)
  local c_from, c_to = arrays(kind, shape)
  local times = math.max(3, math.min(soft and 20 or 500, math.floor(2 ^ 33 / bytes)))
  local c_host, c_whole, l_host, l_whole, new_whole = {}, {}, {}, {}, {}
  in_c(kind, c_from, c_to, part, times)
  in_lua(kind, from, to, soft and times or math.max(times, 200))
  in_lua(kind, from, nil, times)
  for r = 1, rounds do
    world:barrier()
    c_host[r], c_whole[r] = in_c(kind, c_from, c_to, part, times)
    world:barrier()
    l_host[r], l_whole[r] = in_lua(kind, from, to, times)
    world:barrier()
    local _, whole = in_lua(kind, from, nil, times)
    new_whole[r] = whole
  end
  local ch, cw, lh, lw, new = median(c_host), median(c_whole), median(l_host), median(l_whole), median(new_whole)
  if world.rank ~= 0 then return end
  local line = "%-11s %8s  NCCL %9.2f us (host %6.2f)  cudalua %9.2f us (host %6.2f), new result %9.2f us  "
  print((line .. "ratio %.3f, %+.2f us"):format(methods[kind], text_of(bytes), cw, ch, lw, lh, new, cw / lw, lw - cw))
end

if world.rank == 0 then
  print(("%d x %s, NCCL %s"):format(world.size, world.device:name(), libraries.open("nccl").version))
end
for kind = 0, 2 do
  local bytes = 1024
  while bytes <= largest do
    measure(kind, bytes)
    bytes = bytes * 16
    if bytes > largest and bytes < largest * 16 then bytes = largest end
  end
end
world:barrier()
C.bench_close()
