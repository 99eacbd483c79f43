-- Calls between ranks, with 1, 2, 3 and 4 of them: spec/support/rank_checks.lua checks values, here is what came of it.
local ranks = require "spec.support.ranks"
local gpu = require "spec.support.gpu"

local PUBLIC = { Group = "cuda.distributed.Group", Handle = "cuda.distributed.Handle" }

local outputs = {}

-- What so many ranks printed, each number of ranks once.
local function output_of(n)
  if not outputs[n] then
    local program = "sh bin/cudalua run -n %d spec/support/rank_checks.lua %d"
    local settings = gpu.driver .. " CUDALUA_DIST_BACKEND=shm CUDALUA_DIST_TIMEOUT=60 "
    local out, status = ranks.command(settings .. program:format(n, n))
    outputs[n] = { text = out, status = status, by_rank = ranks.by_rank(out) }
  end
  return outputs[n]
end

local function passes(check)
  for n = 1, 4 do
    local o = output_of(n)
    for rank = 0, n - 1 do
      local found = false
      for _, line in ipairs(o.by_rank[rank] or {}) do found = found or line == "passed " .. check end
      assert(found, ("rank %d of %d did not pass:\n%s"):format(rank, n, o.text))
    end
    assert.equal(0, o.status)
  end
end

describe("ranks", function()
  for name, check in pairs {
    ["init returns the world, and the same one again"] = "world",
    ["Group has its ranks and its device"] = "world",
    ["Group:barrier, many times"] = "barrier",
    ["Group:all_reduce of all dtypes and operations, new and in place"] = "all_reduce",
    ["Group:all_reduce combines in the order of the tree, with the same bits on all ranks"] = "order",
    ["Group:all_reduce keeps NaN, signs of zeros, infinities, and wraps"] = "extremes",
    ["Group:all_reduce rounds 16-bit floats once"] = "short_floats",
    ["Group:all_reduce of complex numbers"] = "complex",
    ["Group:reduce gives the result to root alone"] = "reduce",
    ["Group:broadcast, with and without arrays on the other ranks"] = "broadcast",
    ["Group:all_gather"] = "all_gather",
    ["Group:gather"] = "gather",
    ["Group:scatter"] = "scatter",
    ["Group:reduce_scatter"] = "reduce_scatter",
    ["Group:all_to_all"] = "all_to_all",
    ["Group:send and Group:recv in a ring"] = "send_recv",
    ["Handle of all calls: Handle:wait and Handle:is_done"] = "handles",
    ["Group:broadcast_object of all kinds of values"] = "broadcast_object",
    ["Group:split by colors and keys; calls of several groups in turn"] = "split",
    ["Group:group of a list of ranks"] = "group",
    ["Group:close gives the group's place back"] = "close",
    ["arrays of several rounds"] = "large",
    ["arrays that are views, transposed or pending"] = "layouts",
    ["arrays of structs"] = "structs",
  } do
    it((name:gsub("%f[%w]%u%l+%f[%W]", PUBLIC):gsub("^init", "cuda.distributed.%0")), function()
      passes(check)
    end)
  end

  it("cuda.distributed.init chooses a device for each rank, also after autoinit, and keeps a context", function()
    local code = [[
      local cuda = require "cudalua"
      if arg[1] == "auto" then require "cudalua.autoinit" end
      local context = arg[1] == "own" and cuda.Device(0):make_context()
      local world = cuda.distributed.init()
      local expected = context and 0 or arg[1] == "set" and 0 or world.local_rank % cuda.Device.count()
      print(world.device:ordinal() == expected, not context or cuda.Context.get_current() == context)
      world:barrier()
    ]]
    for _, how in ipairs { "plain", "auto", "own", "set" } do
      local out, status = ranks.run(3, code, { arguments = how, environment = "CUDALUA_SOFT_DEVICES=2" ..
        (how == "set" and " CUDA_DEVICE=0" or "") })
      assert.equal(0, status, out)
      assert.equal(3, select(2, out:gsub("true\ttrue\n", "")), how .. out)
    end
  end)

  it("init in a process that was started alone: the only rank", function()
    local out, ok = gpu.child([[
      local cuda = require "cudalua"
      local world = cuda.distributed.init { timeout = 5 }
      local a = cuda.gpuarray.arange(3)
      print(world.rank, world.size, world:all_reduce(a), world:all_gather(a), world:broadcast_object { 7 }[1])
      world:barrier()
      print(world:split { color = 1 }:all_reduce(a, { op = "max", out = a }) == a, cuda.distributed.init() == world)
    ]], gpu.driver)
    assert.equal("0\t1\t[0 1 2]\t[[0 1 2]]\t7\ntrue\ttrue\n", out)
    assert.is_true(ok)
  end)

  it("a program with a single rank is told how to start more, and where options belong", function()
    local out, ok = gpu.child([[
      local cuda = require "cudalua"
      local world, a = cuda.distributed.init(), cuda.gpuarray.arange(3)
      local function refused(f, ...) print((select(2, pcall(f, ...)).message)) end
      refused(world.send, world, a, { to = 1 })
      local own = world:split { color = 0 }
      refused(own.recv, own, a, { from = 1 })
      refused(world.split, world, 0)
      refused(cuda.distributed.init, "nccl")
      refused(world.all_reduce, world, a, true)
    ]], gpu.driver)
    assert.equal([[
send: to must be another rank, but this program has only one rank; start it with: cudalua run -n 2 script.lua
recv: from must be another rank, but this is the only rank of the group
split: expected a table of options, got 0; write {color = 0}
init: expected a table of options, got 'nccl'; write {backend = "nccl"}
all_reduce: expected a table of options, got true; write {async = true}
]], out)
    assert.is_true(ok)
  end)
end)
