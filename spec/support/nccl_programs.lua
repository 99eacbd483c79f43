-- Programs of several ranks whose arrays move by NCCL: the library itself on GPUs, its stand-in on the software device
-- (nccl_shim.c).
local built = require "spec.support.built"
local gpu = require "spec.support.gpu"
local ranks = require "spec.support.ranks"

local M = {}

---The environment of such programs. checks: the ranks compare their calls.
---@param checks boolean
---@param more? string
function M.environment(checks, more)
  local text = "CUDALUA_DIST_BACKEND=nccl CUDALUA_DIST_CHECK=" .. (checks and 1 or 0)
  if gpu.soft then
    text = ("%s CUDALUA_SOFT_STREAMS=background CUDALUA_NCCL=%s NCCL_SHIM_DRIVER=%s"):format(text,
      built "cudalua-nccl-shim", gpu.cuda.driver_info().path)
  end
  -- What is left when a program ends in the middle of something is no leak, and what the stand-in keeps is its own.
  if gpu.sanitized then text = ("%s ASAN_OPTIONS=%s:detect_leaks=0"):format(text, os.getenv "ASAN_OPTIONS" or "") end
  return text .. " " .. (more or "")
end

---Runs a program with so many ranks.
---@param n integer
---@param code string
---@param o? {checks: boolean, environment: string, arguments: string}
---@return string out
---@return integer status
function M.run(n, code, o)
  o = o or {}
  return ranks.run(n, ranks.prelude .. code, { environment = M.environment(o.checks ~= false, o.environment),
    arguments = o.arguments })
end

---The same; each rank has to reach its end.
function M.all_fine(n, code, o)
  local out, status = M.run(n, code .. '\nprint "fine"', o)
  assert(status == 0 and select(2, out:gsub("%] fine\n", "")) == n, ("status %d: %s"):format(status, out))
  return out
end

-- Rank 1 ends while rank 0 waits for it: what was complete before can be read, and everything since raises.
local death = [[
  ffi.cdef "int getpid(void); int kill(int pid, int number); int usleep(unsigned us);"
  local whole, changed = gpuarray.full({ 3 }, 7):eval(), gpuarray.full({ 3 }, 5):eval()
  local part = gpuarray.zeros(9):eval()
  local a = world:all_reduce(world:all_reduce(gpuarray.ones(200000)))
  same(size ^ 2, a[1], "the sum before it")
  world:barrier()
  if rank == 1 then ffi.C.usleep(300000) %s end
  local x = world:all_reduce(a)
  local y, s = (x + 1):eval(), x:sum():eval()
  changed:set(changed + 1)
  part[{ { 1, 2 } }]:fill(3)
  local stream, event = cuda.Stream(), nil
  stream:use(function() event = cuda.Event():record() end)
  local err = raises("RuntimeError", "all_reduce: rank 1 " .. arg[1], x.get, x)
  same(1, err.rank, "the rank")
  same(true, pcall(event.synchronize, event), "a wait after it")
  local lost = "the data of this array or memory is incomplete: rank 1 " .. arg[1]
  for _, array in ipairs { x, y, changed, part } do raises("RuntimeError", lost, array.get, array) end
  raises("RuntimeError", lost, s.item, s)
  raises("RuntimeError", lost, function() return (x * 2 + whole[1]):get() end)
  raises("RuntimeError", lost, function() return x[7] end)
  same(21, whole:sum():item(), "what was there before")
  local dead, live = x * a, a * 2 -- one launch, if both could be computed
  same(2 * size ^ 2, live:get()[5], "what is pending beside one that cannot be computed")
  raises("RuntimeError", lost, dead.get, dead)
  same(size ^ 2, (a * 1):max():item(), "the last complete call")
  same(6, gpuarray.cumsum(gpuarray.to_gpu { 1, 2, 3 })[3], "a scan")
  for _ = 1, 2 do raises("RuntimeError", "all_reduce: rank 1 " .. arg[1], world.all_reduce, world, whole) end
  raises("RuntimeError", "barrier: rank 1 " .. arg[1], world.barrier, world)
  x:release()
  x, y, s = nil, nil, nil
  collectgarbage()
  collectgarbage()
  same(8, (gpuarray.ones(3) + whole)[2], "memory that is given again")
  print "fine"
]]

---Rank 1 of two ends that way; expects what rank 0 says of it, and the status of the run.
---@param how string   Lua code
---@param text string  "was killed by signal 9 (Killed)"
---@param status integer
---@param o? table     of run()
function M.dies(how, text, status, o)
  o = o or {}
  local out, got = M.run(2, death:format(how), { checks = false, arguments = ("'%s'"):format(text),
    environment = o.environment })
  assert(out:find("[0] fine\n", 1, true), out)
  assert(got == status, ("status %s: %s"):format(got, out))
end

---Calls in a stream beside the default one, which computes meanwhile.
M.beside = [[
  local side = cuda.Stream "non_blocking"
  local a, b = gpuarray.full({ 100000 }, rank + 1):eval(), gpuarray.ones(100000):eval()
  for k = 1, 20 do
    side:use(function() world:all_reduce(a, { out = a, op = "max" }) end)
    b = (b + 1):eval()
    a = (a + b):eval() -- waits for the call
  end
  same(size + 20 * 21 / 2 + 20, a[99999], "the value")
  local sum
  side:use(function() sum = world:all_reduce(a) end)
  same(size * a[1], sum[100000], "a new array")
]]

---Calls in a graph, which is launched several times.
M.graph = [[
  local a = gpuarray.full({ 1000 }, 1):eval()
  world:all_reduce(gpuarray.ones(1000)):get()
  local stream = cuda.Stream()
  local graph = stream:capture(function() world:all_reduce(a, { out = a }) end)
  same(1, a[1], "nothing was computed")
  local exec = graph:instantiate()
  for _ = 1, 3 do exec:launch(stream) end
  stream:synchronize()
  same(8, a[1000], "three launches")
  world:all_reduce(a, { out = a })
  same(16, a[1], "a call after them")
]]

local outputs = {}

---Has each of n ranks passed this check of rank_checks.lua?
function M.passes(n, checks, name)
  local key = n .. tostring(checks)
  if not outputs[key] then
    local command = "%s CUDALUA_DIST_TIMEOUT=60 %s sh bin/cudalua run -n %d spec/support/rank_checks.lua %d nccl"
    local out, status = ranks.command(command:format(gpu.driver, M.environment(checks), n, n))
    outputs[key] = { text = out, status = status }
  end
  local o = outputs[key]
  for rank = 0, n - 1 do
    assert(o.text:find(("[%d] passed %s\n"):format(rank, name), 1, true), ("rank %d of %d did not pass %s:\n%s"):format(
      rank, n, name, o.text))
  end
  assert(o.status == 0, o.text)
end

---The checks, and what each proves.
M.checks = {
  world = "init returns a world whose transport is NCCL",
  barrier = "Group:barrier",
  all_reduce = "Group:all_reduce of all dtypes and operations that NCCL has, new and in place; others raise",
  extremes = "Group:all_reduce keeps infinities and wraps",
  short_floats = "Group:all_reduce of every 16-bit float",
  complex = "Group:all_reduce of complex numbers",
  reduce = "Group:reduce gives the result to root alone",
  broadcast = "Group:broadcast, with and without arrays on the other ranks",
  all_gather = "Group:all_gather",
  gather = "Group:gather",
  scatter = "Group:scatter",
  reduce_scatter = "Group:reduce_scatter",
  all_to_all = "Group:all_to_all, new and in place",
  send_recv = "Group:send and Group:recv in a ring",
  handles = "calls with async = true, and their handles",
  broadcast_object = "Group:broadcast_object",
  split = "Group:split: calls of several groups in turn",
  group = "Group:group of a list of ranks",
  close = "Group:close",
  large = "large arrays",
  layouts = "views, transposed and pending arrays",
  structs = "structs",
}

return M
