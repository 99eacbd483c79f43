-- Calls by NCCL, on the software device with NCCL's stand-in (spec/support/nccl_shim.c): values, order, failures.
local gpu = require "spec.support.gpu"
local nccl = require "spec.support.nccl_programs"
local mpi = require "spec.support.mpi"
local ranks = require "spec.support.ranks"
local turn = require "spec.support.turn"
local it = turn.tests(it) -- luacheck: ignore 431

if not gpu.soft then
  it("needs the software device", function() pending "nccl_gpu_spec has NCCL itself" end)
  return
end

describe("calls by NCCL's stand-in", function()
  for check, what in pairs(nccl.checks) do
    it(what, function()
      nccl.passes(1, true, check)
      nccl.passes(2, false, check)
      nccl.passes(3, true, check)
    end)
  end

  it("multiply distributed matrices on all grids of ranks", function()
    for _, n in ipairs { 2, 4 } do
      nccl.all_fine(n, 'dofile("spec/support/sharded_products.lua").checks.matmul_on_grids()', { checks = false })
    end
  end)

  -- The lines of the stand-in's log, on each rank.
  local function logged(n, code, o)
    local path = os.tmpname()
    o = o or {}
    o.environment = (o.environment or "") .. " NCCL_SHIM_LOG=" .. path .. "."
    nccl.all_fine(n, code, o)
    local logs = {}
    for rank = 0, n - 1 do
      local file = assert(io.open(path .. "." .. rank))
      logs[rank] = file:read "*a"
      file:close()
      os.remove(path .. "." .. rank)
    end
    os.remove(path)
    return logs
  end

  it("give NCCL types, counts and operations", function()
    local logs = logged(2, [[
      local a = gpuarray.ones(6)
      for _, op in ipairs { "sum", "prod", "min", "max", "mean" } do world:all_reduce(a, { op = op }) end
      world:all_reduce(a:astype "int64")
      world:all_reduce(a:gt(0), { op = "min" })
      world:all_reduce(gpuarray.complex(a, a))
      world:reduce(a, { root = 1 })
      world:all_gather(a)
      world:all_gather(gpuarray.ones(5, "int8"))
      world:broadcast(a, { root = 1 })
      world:reduce_scatter(gpuarray.ones { 2, 3 })
      world:gather(a)
      world:barrier()
    ]])
    local text = [[
NVLS 0
all_reduce 6 type 7 op 0 root -1
all_reduce 6 type 7 op 1 root -1
all_reduce 6 type 7 op 3 root -1
all_reduce 6 type 7 op 2 root -1
all_reduce 6 type 7 op 4 root -1
all_reduce 6 type 4 op 0 root -1
all_reduce 6 type 1 op 3 root -1
all_reduce 12 type 7 op 0 root -1
reduce 6 type 7 op 0 root 1
all_gather 3 type 5
all_gather 5 type 1
broadcast 3 type 5 root 1
reduce_scatter 3 type 7 op 0 root -1
recv 3 type 5 peer 0
recv 3 type 5 peer 1
send 3 type 5 peer 0
finalize 0
destroy
]]
    assert.equal(text, logs[0])
    assert.equal((text:gsub("NVLS 0\n", ""):gsub("recv[^\n]*\n", "")), logs[1])
  end)

  it("move the parts of an exchange between many ranks as one group", function()
    local logs = logged(3, [[
      local dist = cuda.distributed
      local s = dist.shard(gpuarray.arange(12):reshape(6, 2), 1)
      local h = s:halo(1, { fill = -1 })
      assert(gpuarray.array_equal(h, gpuarray.arange(4 * rank - 2, 4 * rank + 6):reshape(4, 2)) or rank ~= 1)
      local turned = s.T:matmul(dist.shard(gpuarray.eye(6), 2))
      assert(gpuarray.array_equal(turned:gather(), gpuarray.arange(12):reshape(6, 2).T))
    ]], { checks = false })
    -- Both ranks send before they receive, so without a group they would wait for each other.
    assert.truthy(logs[1]:find("^send 16 type 1 peer 0\nsend 16 type 1 peer 2\nrecv 16 type 1 peer 0\n"
      .. "recv 16 type 1 peer 2\n"), logs[1])
    assert.truthy(logs[0]:find "\nsend 16 type 1 peer 1\nrecv 16 type 1 peer 1\n", logs[0])
  end)

  it("exchange what distributed arrays need", function()
    for _, n in ipairs { 2, 3 } do
      for _, check in ipairs { "checks.halo", "checks.redistribute", "sorts.vectors", "sorts.dtypes", "take.given",
        "take.distributed" } do
        local file, name = check:match "(%w+)%.(%w+)"
        nccl.all_fine(n, ('dofile("spec/support/sharded_%s.lua").checks.%s()'):format(file, name), { checks = n == 3 })
      end
    end
  end)

  it("are in the order of the current stream, and wait for nothing", function()
    nccl.all_fine(2, [[
      local a = gpuarray.zeros(1000)
      local stream = cuda.Stream()
      stream:use(function()
        for k = 1, 20 do
          a = a + 1
          a = world:all_reduce(a)
        end
      end)
      stream:synchronize()
      same(2 ^ 21 - 2, a[7], "the value")
      -- The other rank comes late; the call returns all the same.
      if rank == 1 then ffi.cdef "int usleep(unsigned)" ffi.C.usleep(300000) end
      local t = cuda.Event():record()
      local b = world:all_reduce(gpuarray.ones(3))
      if rank == 0 then same(false, cuda.Event():record():query(), "done without the other rank") end
      same(2, b[1], "the sum")
    ]], { checks = false })
  end)

  it("go on in another stream while the default one computes", function()
    nccl.all_fine(2, nccl.beside, { checks = false })
  end)

  it("with async = true go on while the program computes; only what needs their arrays waits", function()
    for _, checks in ipairs { false, true } do nccl.all_fine(2, nccl.handles, { checks = checks }) end
  end)

  it("with async = true are beside the current stream, and what uses their arrays comes behind them", function()
    nccl.all_fine(1, nccl.order, { checks = false, environment = "CUDALUA_SOFT_STREAMS=deferred" })
  end)

  it("work under mpirun, where MPI carries the texts", function()
    mpi.need(pending)
    mpi.each(function(flavor)
      local environment = nccl.environment(flavor == "mpich")
      local out, status = mpi.check(flavor, 2, "nccl", environment)
      assert.equal(0, status, out)
      local count = 0
      for _ in pairs(nccl.checks) do count = count + 1 end
      assert.is_true(select(2, out:gsub("passed %l", "")) >= 2 * count, out)
      out, status = mpi.run(flavor, 2, [[
        local cuda, ffi = require "cudalua", require "ffi"
        ffi.cdef "int usleep(unsigned us);"
        local world = cuda.distributed.init { timeout = 1 }
        world:barrier()
        if world.rank == 1 then ffi.C.usleep(3e6) end
        local a = world:all_reduce(cuda.gpuarray.ones(3))
        local ok, err = pcall(a.get, a)
        print(ok, err.class, err.rank, err.message)
        error(err, 0)
      ]], { environment = environment:gsub("CHECK=1", "CHECK=0") })
      assert.is_true(status ~= 0, out)
      local text = "false\tRuntimeError\t0\tall_reduce: rank 0 waited for other ranks in all_reduce for 1 s"
      assert.is_truthy(out:find(text, 1, true), out)
    end)
  end)

  it("are kept by a graph, which makes them whenever it is launched", function()
    nccl.all_fine(2, nccl.graph, { checks = false })
  end)

  it("on distributed arrays are compared when they are made for the first time", function()
    local program = [[
      local x, count, exchange = cuda.distributed.arange(12, "float32"), 0, world._control.exchange
      world._control.exchange = function(...)
        count = count + 1
        return exchange(...)
      end
      for _ = 1, 5 do x:halo(1) end
      same(%d, count, "comparisons of five equal calls")
      raises("LogicError", "the ranks must make the same call", x.halo, x, 2 + rank)
      raises("LogicError", "rank 1: halo float32 (12,) along axis 1, width 3", x.halo, x, 2 + rank)
      x:halo(3)
      x:redistribute():sum()
      same(%d, count, "comparisons of other calls")
    ]]
    nccl.all_fine(2, program:format(1, 6), { checks = false })
    nccl.all_fine(2, program:format(5, 12), { checks = true })
  end)

  it("end with the status of the program", function()
    for _, code in ipairs { "os.exit(3)", "os.exit(3, true)", "error 'boom'" } do
      local out, status = nccl.run(2, "same(2, world:all_reduce(gpuarray.ones(3))[1], 'the sum') " .. code)
      assert.equal(code:find "exit" and 3 or 1, status, out)
    end
    local logs = logged(2, [[
      world:all_reduce(gpuarray.ones(3))
      print "fine"
      os.exit(0)
    ]], { checks = false })
    assert.is_truthy(logs[0]:find "finalize 0\ndestroy\n$", logs[0])
  end)
end)

describe("a backend that cannot be used", function()
  local function refused(n, environment, code)
    local program = "local ok, err = pcall(require('cudalua').distributed.init, %s) print(err.class, err.message)"
    return (ranks.run(n, program:format(code), { environment = environment }))
  end

  it("is an error that says why, and what to do", function()
    local out = refused(2, "", "{ backend = 'nccl' }")
    for rank = 0, 1 do
      local text = "[%d] RuntimeError\tinit: the backend 'nccl' cannot be used: rank 0: the driver is the software "
      assert.is_truthy(out:find(text:format(rank), 1, true), out)
    end
    out = refused(2, "CUDALUA_NCCL=/nowhere/libnccl.so CUDALUA_DIST_BACKEND=nccl", "{}")
    assert.is_truthy(out:find("NCCL was not found: /nowhere/libnccl.so", 1, true), out)
    out = refused(1, "", "{ backend = 'mpi4' }")
    assert.is_truthy(out:find("init: backend must be 'nccl', 'shm' or 'mpi', got 'mpi4'", 1, true), out)
    for _, nonsense in ipairs { "1", "{}", "false", "print", "'NCCL'", "''", "0/0" } do
      out = refused(1, "", ("{ backend = %s }"):format(nonsense))
      assert.is_truthy(out:find("LogicError\tinit: backend must be 'nccl', 'shm' or 'mpi', got ", 1, true), out)
    end
    out = refused(1, "CUDALUA_DIST_BACKEND=x", "{}")
    assert.is_truthy(out:find("init: CUDALUA_DIST_BACKEND must be 'nccl', 'shm' or 'mpi', got 'x'", 1, true), out)
    out = refused(1, nccl.environment(true, "NCCL_SHIM_VERSION=21300"), "{}")
    assert.is_truthy(out:find("version 2.14 or later is needed", 1, true), out)
    nccl.all_fine(1, [[
      raises("LogicError", "the backend of this process is 'nccl' already, got 'shm'", cuda.distributed.init,
        { backend = "shm" })
    ]])
  end)

  it("and ranks that ask for different ones raise on all of them", function()
    local out = ranks.run(2, [[
      local backend = os.getenv "CUDALUA_RANK" == "0" and "nccl" or "shm"
      local ok, err = pcall(function()
        return require("cudalua").distributed.init { backend = backend, timeout = 5 }:barrier()
      end)
      print(ok, err)
    ]], { environment = nccl.environment(true) })
    assert.equal(2, select(2, out:gsub("%] false\t", "")), out)
  end)
end)
