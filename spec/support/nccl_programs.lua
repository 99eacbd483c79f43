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
---@param o? {checks: boolean, environment: string, arguments: string, grace: number}
---@return string out
---@return integer status
function M.run(n, code, o)
  o = o or {}
  return ranks.run(n, ranks.prelude .. code, { environment = M.environment(o.checks ~= false, o.environment),
    arguments = o.arguments, grace = o.grace })
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
    environment = o.environment, grace = 30 })
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

---Calls with async = true, which rank 1 makes late: what goes on meanwhile, and what waits.
M.handles = [[
  ffi.cdef "int usleep(unsigned us);"
  local is_gpu = not cuda.driver_info().soft -- the software device does nothing else while a call waits for rank 1
  local n = 100000
  -- Ranks that compare their calls wait for each other on the host, before a call goes to the device.
  local looks_ahead = rank == 0 and os.getenv "CUDALUA_DIST_CHECK" ~= "1"
  local function late()
    world:barrier()
    if rank == 1 then ffi.C.usleep(300000) end
  end

  -- Kernels go on, and a write to the operand waits. `looks`: at what is done. The first time, kernels are loaded,
  -- which may wait for the device.
  local a, b
  local function beside(looks)
    a, b = gpuarray.full({ n }, rank + 1):eval(), gpuarray.ones(n):eval()
    late()
    local handle = world:all_reduce(a, { async = true })
    b = (b + 1):eval()
    if looks then
      same(false, handle:is_done(), "the call waits for rank 1")
      if is_gpu then
        same(2, b[n], "a kernel meanwhile")
        same(false, handle:is_done(), "the call still waits for rank 1")
      end
    end
    a:fill(99)
    local written = cuda.Event():record()
    if looks then same(false, written:query(), "a write to the operand is done before the call") end
    local sum = handle:wait()
    same(3, sum[n], "the sum of what was there at the call")
    same(99, a[1], "what was written later")
    same(true, handle:is_done(), "it is done")
  end
  beside(false)
  beside(looks_ahead)
  gpuarray.eval(b * 1, world:all_gather(b, { async = true }):wait()) -- loads what is used below

  late() -- wait() lets the stream wait, and not the host
  local handle = world:all_gather(a, { async = true })
  handle:wait()
  local behind = cuda.Event():record()
  if looks_ahead then same(false, behind:query(), "the stream does not wait") end
  behind:synchronize()
  same(true, handle:is_done(), "done with the event")

  -- What reads a result waits for its call alone, also if there are later ones.
  local first, other = world:all_reduce(b, { async = true }), gpuarray.ones(n):eval()
  late()
  local second = world:all_reduce(other, { out = other, async = true })
  same(4, (first:wait() * 1)[n], "the first one")
  if looks_ahead and is_gpu then same(false, second:is_done(), "the second one") end
  same(2, other[n], "in place, without wait()")

  -- What has to be computed for the call is computed in the current stream, in order.
  local stream = cuda.Stream "non_blocking"
  late()
  stream:use(function()
    local c = gpuarray.arange(n, "float32")
    for _ = 1, 10 do c = c + 1 end
    handle = world:all_reduce(c * 2, { async = true })
    same(4 * (10 + n - 1), handle:wait()[n], "a pending operand")
  end)

  -- Calls of several groups and streams are made in the order of the program.
  local pair = world:split { color = 0 }
  for k = 1, 10 do
    local x = gpuarray.full({ n }, k):eval()
    local y = pair:all_reduce(x, { async = true })
    local z = world:all_reduce(x * 2)
    local w = pair:all_reduce(z, { out = z, async = true })
    same(2 * k, y:wait()[1], "a group's")
    same(8 * k, w:wait()[n], "the world's and a group's")
  end

  -- Without wait(), and without the handle.
  local kept = gpuarray.ones(n):eval()
  for _ = 1, 5 do world:all_reduce(kept, { out = kept, async = true }) end
  collectgarbage()
  collectgarbage()
  same(32, kept[n], "in place, five times")
  handle = pair:all_reduce(kept, { async = true })
  pair:close()
  pair = nil
  collectgarbage()
  same(64, handle:wait()[1], "a call of a group that was closed since")

  -- Results in host memory, and memory that does not remember its streams.
  late()
  local host = ndarray.zeros({ n }, "float32")
  handle = world:all_reduce(kept, { out = host, async = true })
  if looks_ahead then same(false, handle:is_done(), "the host does not wait") end
  same(host, handle:wait(), "the result")
  same(64, host[n], "in host memory")
  local plain = gpuarray.full({ n }, rank + 1, "float32", { allocator = cuda.mem_alloc })
  late()
  handle = world:all_reduce(plain, { async = true })
  plain:fill(7)
  same(3, handle:wait()[n], "plain memory")
  same(7, plain[n], "plain memory later")

  -- Captures.
  local text = "all_reduce: async is not possible while the current stream is being captured"
  handle = world:all_reduce(kept, { async = true })
  cuda.Stream():capture(function()
    raises("LogicError", text, world.all_reduce, world, kept, { async = true })
    raises("LogicError", "wait: the current stream is being captured; call wait() before", handle.wait, handle)
  end)
  same(64, handle:wait()[1], "after the capture")
]]

---What runs before what, on one rank of the software device, which runs what is waited for alone. The watchdog's
---questions may run more, so what may go on is looked at several times.
M.order = [[
  local soft = require "cudalua.softgpu"
  local n, free, results = 1000, 0, 0
  local function calls() -- those that have run
    local list = {}
    for _, x in ipairs(soft.runs()) do list[#list + 1] = x.name == "host" and x.number or nil end
    return #list, list
  end
  soft.log "on"
  for _ = 1, 5 do
    local a, b, other = gpuarray.full({ n }, 1):eval(), gpuarray.ones(n):eval(), gpuarray.ones(n):eval()
    cuda.Context.synchronize()
    soft.log "clear"
    local handle = world:all_reduce(a, { async = true })
    b = (b + 1):eval()
    cuda.legacy_stream:synchronize()
    if calls() == 0 then free = free + 1 end
    local second = world:all_reduce(other, { out = other, async = true })
    same(1, handle:wait()[n], "the result")
    if calls() == 1 then results = results + 1 end
    same(1, other[n], "the second result, without wait()")
    same(2, calls(), "calls")
    handle = world:all_reduce(a, { async = true })
    a:fill(2)
    cuda.legacy_stream:synchronize()
    same(3, calls(), "a write to the operand waits for the call")
    same(1, handle:wait()[n], "the operand as it was")
    handle = world:all_reduce(b, { async = true })
    handle:wait()
    cuda.legacy_stream:synchronize()
    same(4, calls(), "the current stream waits in wait()")
    world:all_reduce(b, { async = true })
    world:all_reduce(a)
    cuda.legacy_stream:synchronize()
    local count, list = calls()
    same(6, count, "a call waits for those before it")
    local plain = gpuarray.full({ n }, 1, "float32", { allocator = cuda.mem_alloc })
    handle = world:all_reduce(plain, { async = true })
    plain:fill(2)
    same(1, handle:wait()[n], "memory that does not remember its streams")
    for k = 2, count do same(true, list[k - 1] < list[k], "the order of the program") end
  end
  same(true, free > 0, "a kernel never goes on beside a call")
  same(true, results > 0, "what reads a result always waits for later calls")
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

  -- A graph's calls come behind outstanding calls of other groups, also where they wait for nobody.
  ffi.cdef "int usleep(unsigned us);"
  local alone, b = world:split { color = rank }, gpuarray.ones(1000):eval()
  exec = stream:capture(function() alone:all_reduce(b, { out = b }) end):instantiate()
  exec:launch(stream)
  stream:synchronize()
  world:barrier()
  if rank == 1 then ffi.C.usleep(300000) end
  local handle = world:all_reduce(a, { async = true })
  exec:launch(stream)
  local behind = cuda.Event():record(stream)
  if rank == 0 then
    ffi.C.usleep(50000)
    same(false, behind:query(), "the graph waits for the call before")
  end
  same(32, handle:wait()[1], "the call before")
  stream:synchronize()
  same(1, b[1], "the graph's call")
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
