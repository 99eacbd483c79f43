-- One process with a rank for each device: cuda.devices. Each test is a process of its own, which has several software
-- devices, or the GPUs of the machine.
local gpu = require "spec.support.gpu"
local ranks = require "spec.support.ranks"
local turn = require "spec.support.turn"

local most = gpu.soft and 4 or math.min(4, gpu.cuda.Device.count())

local function run(n, code)
  local environment = gpu.driver .. (gpu.soft and " CUDALUA_SOFT_DEVICES=" .. math.max(n, 2) or "")
  return gpu.child(([[
    local cuda = require "cudalua"
    local gpuarray, ndarray = cuda.gpuarray, cuda.ndarray
    local N = %d
    local list = {}
    for k = 1, N do list[k] = k - 1 end
    local function devices(f) return cuda.devices(f, { devices = list }) end
    local function same(expected, got, what)
      if expected == got then return end
      error(("%%s: expected %%s, got %%s"):format(what, tostring(expected), tostring(got)), 2)
    end
    local function raises(class, text, f, ...)
      local ok, err = pcall(f, ...)
      if ok or not cuda.is_error(err, class) or not err.message:find(text, 1, true) then
        error(("expected a %%s with '%%s', got: %%s"):format(class, text, ok and "nothing" or tostring(err)), 2)
      end
      return err
    end
  ]]):format(n) .. code .. '\nprint "fine"', environment)
end

-- The program runs on n devices and checks itself.
local function on(n, name, code)
  it(name, function()
    if n > most then return pending "needs more GPUs" end
    local out, ok = run(n, code)
    assert.equal("fine\n", out)
    assert.is_true(ok)
  end)
end

describe("cuda.devices", function()
  it("makes all calls between ranks, with 1 to 4 devices", function()
    local counts = {}
    for n = 1, most do counts[n] = n end
    for _, n in ipairs(turn.share(counts, gpu.sanitized and 4 or 2)) do
      local out, ok = run(n, ([[
        arg = { "%d", "process" }
        devices(assert(loadfile "spec/support/rank_checks.lua"))
      ]]):format(n))
      local passed = select(2, out:gsub("passed ", ""))
      assert(ok and passed == 23 * n, ("%d devices, %d checks passed\n%s"):format(n, passed, out))
    end
  end)

  on(2, "runs a function for each device, and returns what each returned", [[
    local results = devices(function(world)
      same(world, cuda.distributed.init(), "the world")
      same(world.rank, cuda.Context.get_device():ordinal(), "the device")
      same(world.rank, world.device:ordinal(), "its device")
      local sum = world:all_reduce(gpuarray.full(3, world.rank + 1))
      same(world.rank, cuda.Context.get_device():ordinal(), "the device afterwards")
      return world.rank > 0 and sum[1] or nil, "not this"
    end)
    same(nil, results[1], "rank 0")
    same(3, results[2], "rank 1")
    same("1 0", table.concat(cuda.devices(function(world)
      return world:broadcast_object(world.device:ordinal(), { root = 0 })
    end, { devices = { 1, 0 } }), " "):gsub("1 1", "1 0"), "another order")
  ]])

  on(2, "keeps the contexts of each rank, and of the caller", [[
    local own = cuda.Device(1):make_context()
    devices(function(world)
      local first = cuda.Context.get_current()
      local more = cuda.Device(1 - world.rank):retain_primary_context()
      more:with(function()
        world:barrier()
        same(more, cuda.Context.get_current(), "inside with")
        same(1 - world.rank, world:all_reduce(gpuarray.full(1, 1 - world.rank), { op = "max" })[1] - world.rank, "max")
      end)
      same(first, cuda.Context.get_current(), "after with")
      cuda.Device(world.rank):retain_primary_context():push() -- stays
      world:barrier()
    end)
    same(own, cuda.Context.get_current(), "afterwards")
    raises("LogicError", "popped a context", devices, function() cuda.Context.pop() cuda.Context.pop() end)
    same(own, cuda.Context.get_current(), "after a pop")
  ]])

  on(2, "raises the first error; the other ranks raise it in their calls", [[
    local texts = {}
    local function failing(kind)
      return function(world)
        if world.rank == 1 then
          if kind == "cuda" then gpuarray.ones(3):reshape(7) end
          error(kind, 0)
        end
        for k = 1, 2 do
          local ok, err = pcall(world.barrier, world)
          texts[k] = { err.class, err.rank, err.message }
        end
      end
    end
    local err = raises("LogicError", "reshape", devices, failing "cuda")
    same(1, err.rank, "the rank")
    for k = 1, 2 do
      same("RuntimeError", texts[k][1], "the class")
      same(1, texts[k][2], "the rank")
      same(true, texts[k][3]:find("barrier: rank 1 failed: gpuarray:reshape", 1, true) ~= nil, texts[k][3])
    end
    local ok, text = pcall(devices, failing "a string")
    same("rank 1: a string", text, "a string")
    local value = {}
    ok, text = pcall(devices, function(world) world:barrier() error(value) end)
    same(value, text, "a table")
    same(2, devices(function(world) return world:all_reduce(gpuarray.ones(1))[1] end)[1], "a later call")
  ]])

  on(2, "raises where ranks end or wait for each other", [[
    local err = raises("RuntimeError", "all_reduce: rank 0 has ended", devices, function(world)
      if world.rank == 1 then world:all_reduce(gpuarray.ones(1)) end
    end)
    same(0, err.rank, "the rank")
    raises("RuntimeError", "barrier: rank 1 has ended", devices, function(world)
      if world.rank == 0 then world:barrier() end
    end)
    local text = "send: these ranks wait for each other and would never continue: rank 0 in send, rank 1 in send; " ..
      "let one of them call recv first, or use all_to_all"
    raises("RuntimeError", text, devices, function(world)
      world:send(gpuarray.ones(1), { to = 1 - world.rank })
    end)
    raises("LogicError", "rank 0: all_reduce sum float32 (1,); rank 1: all_reduce sum float32 (2,)", devices,
      function(world) world:all_reduce(gpuarray.ones(world.rank + 1)) end)
    raises("LogicError", "rank 0 sends float32 (1,), but rank 1 expects float32 (2,)", devices, function(world)
      if world.rank == 0 then
        world:send(gpuarray.ones(1), { to = 1 })
      else
        world:recv(gpuarray.ones(2), { from = 0 })
      end
    end)
    raises("LogicError", "rank 1 refused the call: all_reduce: op must be", devices, function(world)
      if world.rank == 1 then pcall(world.all_reduce, world, gpuarray.ones(1), { op = "nothing" }) end
      if world.rank == 0 then world:all_reduce(gpuarray.ones(1)) end
    end)
  ]])

  on(3, "raises where three ranks wait in a circle of groups", [[
    raises("RuntimeError", "rank 2 in barrier", devices, function(world)
      local pairs = {}
      for k, list in ipairs { { 0, 1 }, { 1, 2 }, { 2, 0 } } do pairs[k] = world:group(list) or false end
      local order = ({ [0] = { 1, 3 }, { 2, 1 }, { 3, 2 } })[world.rank]
      for _, k in ipairs(order) do pairs[k]:barrier() end
    end)
  ]])

  on(2, "says where a rank cannot wait", [[
    raises("LogicError", "inside stream:use()", devices, function(world)
      if world.rank == 0 then cuda.Stream():use(function() world:barrier() end) else world:barrier() end
    end)
    raises("LogicError", "a coroutine of a rank", devices, function(world)
      local ok, err = coroutine.resume(coroutine.create(function() world:barrier() end))
      error(err, 0)
    end)
    local kept
    devices(function(world) kept = world end)
    raises("LogicError", "the ranks of cuda.devices() have ended", kept.barrier, kept)
    raises("LogicError", "already runs once for each device", devices, function() devices(print) end)
  ]])

  on(2, "refuses arrays of another device", [[
    cuda.Device(0):retain_primary_context():push()
    local a = gpuarray.ones(3):eval()
    local err = raises("LogicError", "the array is on the device of another rank", devices, function(world)
      world:all_reduce(a)
    end)
    same(1, err.rank, "the rank")
  ]])

  on(1, "refuses bad arguments", [[
    raises("LogicError", "devices: expected a function", cuda.devices)
    raises("LogicError", "unknown option", cuda.devices, print, { device = 0 })
    raises("LogicError", "devices must be a list", cuda.devices, print, { devices = 1 })
    raises("LogicError", "devices must be a list", cuda.devices, print, { devices = {} })
    raises("LogicError", "a device number from 0 to", cuda.devices, print, { devices = { 0, 99 } })
    raises("LogicError", "device 0 appears twice", cuda.devices, print, { devices = { 0, 0 } })
  ]])

  it("refuses to run in one of several processes", function()
    local out = ranks.run(2, ranks.prelude .. [[
      raises("LogicError", "this process is one of 2 ranks", cuda.devices, print)
      print "fine"
    ]])
    assert.equal(2, select(2, out:gsub("%] fine\n", "")), out)
  end)

  on(4, "multiplies distributed matrices on all grids of devices", [[
    devices(function()
      local checks = dofile("spec/support/sharded_products.lua").checks
      checks.matmul_on_grids()
      checks.matmul_of_a_vector()
    end)
  ]])

  on(3, "sorts distributed arrays", [[
    local host = cuda.random.Generator(1):normal(3001):get()
    local a = gpuarray.to_gpu(host)
    local sorted, positions = ndarray.dumps(a:sort():get()), ndarray.dumps(a:argsort():get())
    devices(function(world)
      local x = cuda.distributed.shard(gpuarray.to_gpu(host), 1)
      same(true, ndarray.dumps(x:sort():gather():get()) == sorted, "sort")
      same(true, ndarray.dumps(x:argsort():gather():get()) == positions, "argsort")
      return world
    end)
  ]])

  on(3, "takes positions of distributed arrays", [[
    devices(function()
      local checks = dofile("spec/support/sharded_take.lua").checks
      checks.distributed()
      checks.refused()
    end)
  ]])

  on(2, "leaves no memory behind", [[
    local function step(world)
      local a = gpuarray.ones(1000)
      for _ = 1, 20 do a = world:all_reduce(a, { op = "max" }) end
      world:split { color = world.rank }:barrier()
    end
    devices(step)
    cuda.collect()
    local before, live = collectgarbage "count", cuda.mem_stats().live
    local function cycles(n) for _ = 1, n do devices(step) end cuda.collect() return collectgarbage "count" end
    cycles(20) local before = cycles(20)
    same(true, math.abs(cycles(40) - before) < 32, "memory of Lua")
    cuda.collect()
    same(true, collectgarbage "count" < before + 64, "memory of Lua: " .. collectgarbage "count" - before)
    same(live, cuda.mem_stats().live, "memory of the devices")
  ]])
end)
