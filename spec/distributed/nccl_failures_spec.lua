-- Calls by NCCL's stand-in when ranks end, fail or do not come: every rank raises, none hangs, and what is incomplete
-- cannot be read.
local gpu = require "spec.support.gpu"
local nccl = require "spec.support.nccl_programs"
local turn = require "spec.support.turn"
local it = turn.tests(it) -- luacheck: ignore 431

if not gpu.soft then
  it("needs the software device", function() pending "nccl_gpu_spec has NCCL itself" end)
  return
end

describe("a rank that ends, with NCCL's stand-in", function()
  it("by a signal, before the call of the others", function()
    nccl.dies("ffi.C.kill(ffi.C.getpid(), 9)", "was killed by signal 9 (Killed)", 137)
  end)

  it("in the middle of a call, with a part of the data", function()
    nccl.dies("", "was killed by signal 9 (Killed)", 137, { environment = "NCCL_SHIM_LOSE=1:3" })
  end)

  it("by an error", function() nccl.dies("error('boom', 0)", "failed: boom", 1) end)

  it("by os.exit", function()
    nccl.dies("os.exit(7)", "ended with status 7", 7)
    nccl.dies("os.exit(0)", "has ended", 0)
  end)

  it("at the end of its program, with success, while the others make one more call", function()
    local out, status = nccl.run(2, [[
      local a = world:all_reduce(gpuarray.ones(3))
      if rank == 0 then a = world:all_reduce(a) a:get() end
    ]], { checks = false })
    assert.equal(1, status, out)
    assert.is_truthy(out:find "%[0%] cudalua: .*all_reduce: rank 1 has ended", out)
  end)

  it("in a function that exchanges parts: the others' wait names it", function()
    for name, code in pairs { halo = "s:halo(1)", sort = "s:sort().block", sum = "s:sum().block" } do
      local out, status = nccl.run(2, ([[
        ffi.cdef "int getpid(void); int kill(int pid, int number); int usleep(unsigned us);"
        local calls, pairwise = require "cudalua.distributed.calls", require "cudalua.distributed.array.pairwise"
        local s = cuda.distributed.shard(gpuarray.arange(99, 0, -1), 1)
        local function die() ffi.C.usleep(300000) ffi.C.kill(ffi.C.getpid(), 9) end
        if rank == 1 and "%s" == "sum" then calls.from_all = die elseif rank == 1 then pairwise.exchange = die end
        local x = %s
        raises("RuntimeError", "%s: rank 1 was killed by signal 9 (Killed)", x.get, x)
        print "fine"
      ]]):format(name, code, name), { checks = false })
      assert.is_truthy(out:find("[0] fine", 1, true), out)
      assert.equal(137, status, out)
    end
  end)

  it("while a graph makes the calls, and a query tells of it", function()
    local out, status = nccl.run(2, [[
      ffi.cdef "int getpid(void); int kill(int pid, int number); int usleep(unsigned us);"
      local a, whole = gpuarray.ones(1000):eval(), gpuarray.ones(3):eval()
      world:all_reduce(whole):get()
      local stream = cuda.Stream()
      local exec = stream:capture(function() world:all_reduce(a, { out = a }) end):instantiate()
      exec:launch(stream)
      stream:synchronize()
      world:barrier()
      if rank == 1 then ffi.C.usleep(300000) ffi.C.kill(ffi.C.getpid(), 9) end
      exec:launch(stream)
      local event = cuda.Event():record(stream)
      local text = "all_reduce: rank 1 was killed by signal 9 (Killed)"
      raises("RuntimeError", text, function() while not event:query() do ffi.C.usleep(10000) end end)
      raises("RuntimeError", "the data of this array or memory is incomplete", a.get, a)
      raises("RuntimeError", "the data of this array or memory is incomplete", exec.launch, exec, stream)
      same(1, whole[3], "what the graph does not use")
      print "fine"
    ]], { checks = false })
    assert.is_truthy(out:find("[0] fine", 1, true), out)
    assert.equal(137, status, out)
  end)

  it("while kernels of the program's own use what is not complete", function()
    local out = nccl.run(2, [[
      ffi.cdef "int getpid(void); int kill(int pid, int number); int usleep(unsigned us);"
      local add = cuda.SourceModule([=[
        __global__ void add(float *to, const float *from) { to[threadIdx.x] += from[threadIdx.x]; }
      ]=]):get_function "add"
      local memory, whole = cuda.mem_alloc(400), cuda.mem_alloc(400)
      cuda.memset_d32(memory, 0, 100)
      cuda.memset_d32(whole, 0, 100)
      world:all_reduce(gpuarray.ones(100)):get()
      world:barrier()
      if rank == 1 then ffi.C.usleep(300000) ffi.C.kill(ffi.C.getpid(), 9) end
      local x = world:all_reduce(gpuarray.ones(100))
      add(memory, x, { block = 100 })
      local to = ffi.new "float[100]"
      raises("RuntimeError", "all_reduce: rank 1 was killed", cuda.memcpy_dtoh, to, memory)
      raises("RuntimeError", "the data of this array or memory is incomplete", cuda.memcpy_dtoh, to, memory)
      cuda.memcpy_dtoh(to, whole)
      memory:free()
      print "fine"
    ]], { checks = false })
    assert.is_truthy(out:find("[0] fine", 1, true), out)
  end)

  it("while handles are under way, whose wait() raises each time", function()
    local out, status = nccl.run(2, [[
      ffi.cdef "int getpid(void); int kill(int pid, int number); int usleep(unsigned us);"
      local a, host = gpuarray.ones(100000):eval(), ndarray.zeros({ 100000 }, "float32")
      local complete = world:all_reduce(a, { async = true })
      complete:wait():get()
      world:barrier()
      if rank == 1 then ffi.C.usleep(300000) ffi.C.kill(ffi.C.getpid(), 9) end
      local handle = world:all_reduce(a, { async = true })
      local x = handle:wait() -- the failure is not known yet
      local without = world:reduce(a, { root = 1, async = true })
      local in_host = world:all_gather(a, { out = ndarray.zeros({ 2, 100000 }, "float32"), async = true })
      while not handle:is_done() do ffi.C.usleep(10000) end
      local text = ": rank 1 was killed by signal 9 (Killed)"
      for _ = 1, 2 do
        same(1, raises("RuntimeError", "all_reduce" .. text, handle.wait, handle).rank, "the rank")
        raises("RuntimeError", "reduce" .. text, without.wait, without)
        raises("RuntimeError", "all_gather" .. text, in_host.wait, in_host)
        same(true, handle:is_done() and without:is_done() and in_host:is_done(), "they have ended")
      end
      raises("RuntimeError", "all_reduce" .. text, world.all_reduce, world, a, { async = true })
      pcall(cuda.Context.synchronize)
      raises("RuntimeError", "the data of this array or memory is incomplete", x.get, x)
      same(true, complete:is_done(), "the complete call")
      same(2, complete:wait()[7], "its result")
      print "fine"
    ]], { checks = false })
    assert.is_truthy(out:find("[0] fine", 1, true), out)
    assert.equal(137, status, out)
  end)

  it("while a rank is in a call of several groups", function()
    local out, status = nccl.run(3, [[
      ffi.cdef "int getpid(void); int kill(int pid, int number);"
      local pair = world:split { color = rank == 2 and 1 or 0 }
      local a = gpuarray.ones(100000)
      for k = 1, 3 do
        a = pair:all_reduce(a)
        if k == 2 and rank == 2 then ffi.C.kill(ffi.C.getpid(), 9) end
        a = world:all_reduce(a, { op = "max" })
      end
      a:get()
    ]], { checks = false })
    assert.equal(137, status, out)
    for rank = 0, 1 do
      assert.is_truthy(out:find("%[" .. rank .. "%] cudalua: .*rank 2 was killed by signal 9"), out)
    end
  end)
end)

describe("calls by NCCL's stand-in that cannot be done", function()
  it("raise on all ranks if a rank does not come", function()
    local out, status = nccl.run(2, [[
      ffi.cdef "int usleep(unsigned us);"
      world:barrier()
      if rank == 1 then ffi.C.usleep(3000000) end
      local a = world:all_reduce(gpuarray.ones(3))
      raises("RuntimeError", "all_reduce: rank 0 waited for rank 1 in all_reduce for 1 s", a.get, a)
    ]], { checks = false, environment = "CUDALUA_DIST_TIMEOUT=1" })
    assert.is_truthy(out:find("[1] cudalua: program.lua:5: all_reduce: rank 0 waited for rank 1", 1, true), out)
    assert.equal(1, status, out)
  end)

  -- While one thread copies to the host, another one that records an event in the same stream waits as well. A watchdog
  -- that records events would wait for the call that it has to end.
  it("have their events from the program's thread, before it waits or launches a kernel", function()
    nccl.all_fine(2, [[
      ffi.cdef "int usleep(unsigned us);"
      local softgpu = require "cudalua.softgpu"
      local a, b = gpuarray.ones(3):eval(), gpuarray.zeros(3):eval()
      local function calls(n) for _ = 1, n do world:all_reduce(a, { out = a, op = "max" }) end end
      local function recorded(f)
        softgpu.log "on"
        softgpu.log "clear"
        f()
        local n = 0
        for _, call in ipairs(softgpu.calls()) do n = n + (call.symbol:find "^cuEventRecord" and 1 or 0) end
        softgpu.log "off"
        return n
      end
      local waited
      for _ = 1, 20 do -- a busy machine may take a millisecond between two calls, and then both have an event
        calls(2)
        same(0, recorded(function() ffi.C.usleep(300000) end), "while the watchdog has looked")
        waited = recorded(function() a:get() end)
        same(0, recorded(function() a:get() end), "before another wait")
        if waited > 0 then break end
      end
      same(1, waited, "before a wait")
      local launched
      for _ = 1, 20 do
        calls(2)
        launched = recorded(function() b:fill(1) end)
        if launched > 0 then break end
      end
      same(1, launched, "before a launch")
      same(0, recorded(function() ffi.C.usleep(200000) a:get() end), "which is enough")
    ]], { checks = false })
  end)

  it("raise on all ranks if NCCL reports an error later", function()
    local out, status = nccl.run(2, [[
      local a = gpuarray.ones(3)
      for k = 1, 1e6 do a = world:all_reduce(a, { op = "max" }) a:get() end -- until the watchdog looks
    ]], { checks = false, environment = "NCCL_SHIM_ERROR=1:4" })
    assert.equal(1, status, out)
    for rank = 0, 1 do
      assert.is_truthy(out:find("%[" .. rank .. "%] cudalua: .*all_reduce: .*remote process exited %(6%)"), out)
    end
  end)

  it("raise on all ranks if NCCL refuses a call", function()
    local out, status = nccl.run(2, "for k = 1, 5 do world:all_reduce(gpuarray.ones(3)):get() end",
      { checks = false, environment = "NCCL_SHIM_REFUSE=1:3" })
    assert.equal(1, status, out)
    local text = "NCCL refused all_reduce: internal error (3): the shim says so; NCCL_DEBUG=WARN tells more"
    for rank = 0, 1 do
      assert.is_truthy(out:find(("[%d] cudalua: program.lua:2: all_reduce: %s"):format(rank, text), 1, true), out)
    end
  end)

  it("raise if a rank ends before all are connected", function()
    local out, status = nccl.run(2, "", { environment = "NCCL_SHIM_DRIVER=/nowhere" })
    assert.equal(1, status, out)
    for rank = 0, 1 do
      local text = "%[" .. rank .. "%] cudalua: .*init: NCCL refused to connect the ranks: internal error"
      assert.is_truthy(out:find(text), out)
    end
  end)

  it("end by Ctrl-C, also while NCCL has a call under way", function()
    local out, status = nccl.run(2, [[
      ffi.cdef "int getpid(void); int kill(int pid, int number); int fork(void); int usleep(unsigned us);"
      ffi.cdef "void _exit(int status);"
      world:barrier()
      local self = ffi.C.getpid()
      if rank == 0 and ffi.C.fork() == 0 then
        ffi.C.usleep(300000)
        ffi.C.kill(self, 2)
        ffi.C._exit(0)
      end
      world:all_reduce(gpuarray.ones(3)):get()
    ]], { checks = false, environment = "NCCL_SHIM_BLOCK=0:1" })
    assert.is_true(status ~= 0, out)
    assert.is_truthy(out:find("[1] cudalua: program.lua:11: all_reduce: rank 0 was interrupted in all_reduce", 1, true),
      out)
  end)

  it("raise if a rank fails while NCCL does not return from a call", function()
    local out, status = nccl.run(2, [[
      ffi.cdef "int usleep(unsigned us);"
      world:all_reduce(gpuarray.ones(3)):get()
      if rank == 1 then ffi.C.usleep(200000) error("boom", 0) end
      world:all_reduce(gpuarray.ones(3)):get()
    ]], { checks = false, environment = "NCCL_SHIM_BLOCK=0:2" })
    assert.equal(1, status, out)
    assert.is_truthy(out:find("[0] cudalua: program.lua:5: all_reduce: rank 1 failed: boom", 1, true), out)
  end)

  it("raise if a rank has ended while NCCL does not return from a call", function()
    local out, status = nccl.run(2, [[
      world:all_reduce(gpuarray.ones(3)):get()
      if rank == 0 then world:all_reduce(gpuarray.ones(3)):get() end
    ]], { checks = false, environment = "NCCL_SHIM_BLOCK=0:2" })
    assert.equal(1, status, out)
    assert.is_truthy(out:find("[0] cudalua: program.lua:3: all_reduce: rank 1 has ended", 1, true), out)
  end)

  it("raise on all ranks if the calls differ and are compared", function()
    nccl.all_fine(2, [[
      local a, b = gpuarray.ones(3), gpuarray.ones(4)
      for _ = 1, 2 do
        raises("LogicError", "the ranks must make the same call", world.all_reduce, world, rank == 1 and b or a)
        raises("LogicError", rank == 0 and "rank 1 refused the call: all_reduce: a must be" or "a must be an array",
          world.all_reduce, world, rank == 0 and a or "x")
      end
      if rank == 0 then
        raises("LogicError", "rank 0 sends float32 (3,), but rank 1 expects float32 (4,)", world.send, world, a,
          { to = 1 })
      else
        raises("LogicError", "rank 0 sends float32 (3,)", world.recv, world, b, { from = 0 })
      end
      same(2, world:all_reduce(a)[1], "the sum after it")
    ]])
  end)
end)
