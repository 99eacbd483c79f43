-- Ranks that end, fail, wait for each other or make other calls than the rest: every rank raises, and none hangs.
local ranks = require "spec.support.ranks"
local gpu = require "spec.support.gpu"

-- Runs a program with so many ranks; each of them prints "fine" at its end.
local function all_fine(n, code)
  local out, status = ranks.run(n, ranks.prelude .. code .. '\nprint "fine"')
  assert.equal(0, status, out)
  assert.equal(n, select(2, out:gsub("%] fine\n", "")), out)
end

describe("ranks whose calls differ", function()
  it("raise on all ranks, name the ranks, and go on together", function()
    all_fine(3, [[
      local a, b = gpuarray.ones(3), gpuarray.ones(4)
      local differ = "the ranks must make the same call"
      raises("LogicError", differ, world.all_reduce, world, rank == 2 and b or a)
      local err = raises("LogicError", "rank 2: all_reduce sum float32 (4,)", world.all_reduce, world,
        rank == 2 and b or a)
      same(true, err.message:find("ranks 0 and 1: all_reduce sum float32 (3,)", 1, true) ~= nil, err.message)
      raises("LogicError", "int32 (3,)", world.all_reduce, world, rank == 1 and a:astype "int32" or a)
      raises("LogicError", "all_reduce max float32", world.all_reduce, world, a, { op = rank == 1 and "max" or "min" })
      raises("LogicError", "root 1", world.reduce, world, a, { root = rank == 0 and 1 or 0 })
      raises("LogicError", "rank 0: barrier", rank == 0 and world.barrier or world.all_gather, world,
        rank ~= 0 and a or nil)
      raises("LogicError", "broadcast", rank == 0 and world.broadcast or world.all_gather, world, a)
      raises("LogicError", differ, world.broadcast, world, a, { root = rank })
      raises("LogicError", differ, world.broadcast, world, rank == 1 and b or a)
      raises("LogicError", differ, world.broadcast_object, world, 1, { root = rank })
      raises("LogicError", differ, rank == 0 and world.broadcast_object or world.barrier, world)
      raises("LogicError", differ, world.group, world, { rank })
      raises("LogicError", differ, rank == 0 and world.split or world.all_to_all, world,
        rank == 0 and { color = 1 } or gpuarray.ones(3))
      same(9, world:all_reduce(a):sum():item(), "the sum after it")
    ]])
  end)

  it("raise for send and recv, and go on", function()
    all_fine(2, [[
      local a, b = gpuarray.ones(3), gpuarray.zeros(4)
      local text = "rank 0 sends float32 (3,), but rank 1 expects float32 (4,)"
      for _ = 1, 3 do
        if rank == 0 then
          raises("LogicError", text, world.send, world, a, { to = 1 })
        else
          raises("LogicError", text, world.recv, world, b, { from = 0, out = b })
        end
      end
      same(0, b:sum():item(), "what was not received")
      if rank == 0 then world:send(a, { to = 1 }) else same(3, world:recv(a * 0, { from = 0 }):sum():item(), "sum") end
    ]])
  end)
end)

describe("functions that make calls of ranks", function()
  it("are named where the calls differ", function()
    all_fine(2, [[
      local dist, calls = cuda.distributed, require "cudalua.distributed.calls"
      local from_all = calls.from_all
      local m, v = dist.shard(gpuarray.ones { 100, 60 }, 1), dist.shard(gpuarray.ones(100), 1)
      local functions = { gather = m.gather, sum = m.sum, max = m.max, argmax = m.argmax, var = m.var,
        redistribute = function() m:redistribute(2) end, sort = function() v:sort() end,
        argsort = function() v:argsort() end, cumsum = function() v:cumsum() end, norm = m.norm,
        take = function() m:take(dist.arange(1, 7), { axis = 2 }) end,
        matmul = function() m:matmul(dist.ones(60)) end, dot = function() v:dot(v) end }
      local names = {}
      for name in pairs(functions) do names[#names + 1] = name end
      table.sort(names)
      for _, name in ipairs(names) do
        if rank == 1 then
          calls.from_all = function() world:barrier() end
          raises("LogicError", "barrier: the ranks must make the same call", functions[name], m)
          calls.from_all = from_all
        else
          local err = raises("LogicError", name .. ": the ranks must make the same call", functions[name], m)
          same(true, err.message:find("rank 0: " .. name .. " by all_", 1, true) ~= nil, err.message)
        end
      end
    ]])
  end)

  it("are named where a rank ends in the middle of them", function()
    for name, code in pairs { halo = "s:halo(1)", sort = "s:sort()", take = "s:take(dist.arange(99, 0, -1))",
      matmul = "m:matmul(m)", shard = "dist.shard(rank == 0 and m.block or nil, 1, { root = 0 })" } do
      local out, status = ranks.run(2, ranks.prelude .. ([[
        local dist, calls = cuda.distributed, require "cudalua.distributed.calls"
        local s, m = dist.shard(gpuarray.arange(99, 0, -1), 1), dist.ones { 40, 40 }
        if rank == 1 then calls.send, calls.recv = function() error("boom", 0) end, function() error("boom", 0) end end
        %s
      ]]):format(code))
      assert.equal(1, status, out)
      assert.truthy(out:find(("[0] cudalua: program.lua:5: %s: rank 1 failed: boom"):format(name), 1, true), out)
    end
  end)
end)

describe("replicated arrays that differ between ranks", function()
  local code = ranks.prelude .. [[
    local dist = cuda.distributed
    local s, m = dist.ones { 3, 2 }, dist.replicate(gpuarray.arange(6, "float32"):reshape(2, 3))
    local list, v = dist.full(2, 1, "int64", { axis = false }), dist.zeros({ 3 }, { axis = false })
    if rank == 2 then m.block[{ 2, { 3 } }]:fill(9) list.block:fill(2) v.block:fill(-0.0) end
    local function look(what, place, x, y, f, ...)
      local text = ("%s: a replicated array differs between ranks: at %s it is %s on rank 0 and %s on rank 2; write "
        .. "the same to a.block on all ranks, or call cuda.distributed.replicate(a.block)"):format(what, place, x, y)
      if arg[1] == "checks" then raises("LogicError", text, f, ...) else f(...) end
    end
    for _ = 1, 2 do
      look("gather", "[2][3]", 5, 9, m.gather, m)
      look("redistribute", "[2][3]", 5, 9, m.redistribute, m, 1)
      look("sum", "[2][3]", 5, 9, m.sum, m)
      look("sort", "[1]", 0, "-0", v.sort, v)
      look("matmul", "[2][3]", 5, 9, s.matmul, s, m)
      look("take", "[1]", 1, 2, s.take, s, list, { axis = 1 })
    end
    same(6, s:sum():item(), "others")
    print "fine"
  ]]
  it("are noticed with CUDALUA_DIST_CHECK=1 alone", function()
    for o, checks in pairs { [""] = "none", ["CUDALUA_DIST_CHECK=1"] = "checks" } do
      local out, status = ranks.run(3, code, { environment = o, arguments = checks })
      assert.equal(0, status, out)
      assert.equal(3, select(2, out:gsub("%] fine\n", "")), out)
    end
  end)
end)

describe("calls that one rank refuses", function()
  it("name the transport if they are captured, and what to do", function()
    all_fine(2, [[
      local a, host, s = gpuarray.ones(3):eval(), ndarray.ones(3), cuda.distributed.ones(8)
      local text = ": arrays move through host memory ('shm'), so the call cannot be captured; make it before or after "
        .. "the capture, or use a GPU for each rank and init { backend = 'nccl' }"
      cuda.Stream():capture(function()
        raises("LogicError", "all_reduce" .. text, world.all_reduce, world, a)
        raises("LogicError", "all_gather" .. text, world.all_gather, world, host, { out = gpuarray.ones { 2, 3 } })
        raises("LogicError", "broadcast" .. text, world.broadcast, world, rank == 0 and a or nil)
        if rank == 0 then
          raises("LogicError", "send" .. text, world.send, world, a, { to = 1 })
        else
          raises("LogicError", "recv" .. text, world.recv, world, a, { from = 0 })
        end
        raises("LogicError", "halo" .. text, s.halo, s, 1)
        raises("LogicError", "take: not possible while the current stream is being captured", s.take, s, { 1 })
        same(2, world:all_reduce(host)[3], "in host memory")
        world:barrier()
      end)
      same(2, world:all_reduce(a)[3], "after it")
    ]])
  end)

  it("raise on the others, too, at the same call, and nothing is lost", function()
    all_fine(3, [[
      local a = gpuarray.arange(3, "float32")
      local function refused(text, f, bad, good)
        if rank == 1 then
          raises("LogicError", text, f, world, unpack(bad, 1, 3))
        else
          local err = raises("LogicError", "rank 1 refused the call", f, world, unpack(good, 1, 3))
          same(true, err.message:find(text, 1, true) ~= nil, err.message)
          same(1, err.rank, "the rank")
        end
        same(3, world:all_reduce(a)[2], "the sum after it")
      end
      for _ = 1, 3 do refused("a must be an array, got a string", world.all_reduce, { "x" }, { a }) end
      refused("op must be", world.all_reduce, { a, { op = "product" } }, { a })
      refused("write op = 'prod'", world.all_reduce, { a, { op = "product" } }, { a })
      refused("out must be float32 (3,)", world.all_reduce, { a, { out = gpuarray.ones(4) } }, { a })
      refused("out must be float32 (3,)", world.broadcast, { a, { out = a:astype "int32" } }, { a })
      refused("unknown option", world.all_gather, { a, { op = "sum" } }, { a })
      refused("root must be a rank from 0 to 2", world.gather, { a, { root = 3 } }, { a })
      refused("one position for each of the 3 ranks", world.all_to_all, { gpuarray.ones(2) }, { gpuarray.ones(3) })
      refused("not defined for bool", world.all_reduce, { a:gt(0) }, { a:gt(0), { op = "max" } })
      refused("color must be an integer", world.split, { {} }, { { color = 1 } })
      refused("appears twice", world.group, { { 0, 0 } }, { { 0 } })
      local points = ndarray.empty({ 2 }, cuda.dtype.struct({ { "x", "float32" } }, { name = "point" }))
      refused("pass an array with the dtype and the shape of root's", world.broadcast, { nil }, { points })
      -- Twice on the same rank, while the others do something else.
      if rank == 1 then
        pcall(world.all_reduce, world, 1)
        pcall(world.all_reduce, world, 2)
      else
        local t = os.clock() while os.clock() - t < 0.05 do end
        raises("LogicError", "got 1;", world.all_reduce, world, a)
        raises("LogicError", "got 2;", world.all_reduce, world, a)
      end
      same(3, world:all_reduce(a)[2], "the sum after it")
    ]])
  end)

  it("take no values of the wrong kind", function()
    all_fine(1, [[
      local a, z = gpuarray.ones { 1, 2 }, gpuarray.complex(gpuarray.ones(1), 0)
      local nonsense = { 0 / 0, -1, 1.5, 2 ^ 60, 1 / 0, true, {}, function() end, coroutine.create(print), "x",
        ffi.new "int[2]", io.stdout, world, cuda }
      local function refuses(what, f, ...)
        local ok, err = pcall(f, ...)
        if ok or not cuda.is_error(err, "LogicError") then error(what .. ": " .. tostring(err), 2) end
      end
      local Group = cuda.distributed.Group
      for _, name in ipairs { "all_reduce", "reduce", "broadcast", "all_gather", "gather", "scatter", "reduce_scatter",
        "all_to_all" } do
        local method = Group[name]
        for k, x in ipairs(nonsense) do
          refuses(name .. k, method, world, x)
          refuses(name .. " self " .. k, method, x == world and 1 or x, a)
          local is_empty = type(x) == "table" and not next(x) and not getmetatable(x)
          if not is_empty then refuses(name .. " options " .. k, method, world, a, x) end
          refuses(name .. " out " .. k, method, world, a, { out = x })
        end
        refuses(name .. " nil", method, world, nil)
      end
      for k, x in ipairs(nonsense) do
        refuses("root " .. k, world.broadcast, world, a, { root = x })
        refuses("op " .. k, world.all_reduce, world, a, { op = x })
        refuses("to " .. k, world.send, world, a, { to = x })
        refuses("from " .. k, world.recv, world, a, { from = x })
        refuses("group " .. k, world.group, world, x)
        refuses("group of " .. k, world.group, world, { x })
        if x ~= -1 then
          refuses("color " .. k, world.split, world, { color = x })
          refuses("key " .. k, world.split, world, { color = 1, key = x })
        end
        refuses("timeout " .. k, cuda.distributed.init, { timeout = type(x) == "number" and -1 or x })
      end
      refuses("to itself", world.send, world, a, { to = 0 })
      raises("LogicError", "complex numbers have no order", world.all_reduce, world, z, { op = "max" })
      raises("LogicError", "astype('float32')", world.all_reduce, world, a:astype "int32", { op = "mean" })
      raises("LogicError", "lasts as long as the process", world.close, world)
      local group = world:split { color = 1 }
      group:close()
      raises("LogicError", "closed", group.barrier, group)
      raises("LogicError", "closed", group.close, group)
      local loop = {}
      loop.again = { loop }
      local deep = {}
      for _ = 1, 200 do deep = { deep } end
      for text, value in pairs { ["value.f is a function"] = { f = print }, ["contains itself"] = loop,
        ["tables deep"] = { deep }, ["value[2].a is an array on the device"] = { 1, { a = a } },
        ["has a key that is a table"] = { [{}] = 1 }, ["is a userdata"] = io.stdout, ["is cdata"] = ffi.new "int[2]",
        ["with a metatable"] = setmetatable({}, {}), ["value is a thread"] = coroutine.create(print) } do
        raises("LogicError", text, world.broadcast_object, world, value)
      end
      same(2, world:all_reduce(a):sum():item(), "the sum after it")
    ]])
  end)
end)

describe("a rank that ends", function()
  -- The other ranks of a program; they say what they raised.
  local function others(n, code, o)
    return ranks.run(n, ranks.prelude .. [[
      ffi.cdef "int getpid(void); int kill(int pid, int number);"
      local a = gpuarray.ones(200000)
      world:barrier()
      if rank == 1 then ]] .. code .. [[ end
      local ok, err = pcall(world.all_reduce, world, a)
      print(ok, err.class, err.rank, err.message)
      same(false, pcall(world.barrier, world), "a later call")
    ]], o)
  end
  local function expect(out, text)
    for _, rank in ipairs { 0, 2 } do
      assert.truthy(out:find(("[%d] false\tRuntimeError\t1\tall_reduce: rank 1 %s\n"):format(rank, text), 1, true), out)
    end
  end

  it("by an error: the others raise its text, and the status is its", function()
    local out, status = others(3, 'error "boom"')
    expect(out, "failed: program.lua:5: boom")
    assert.truthy(out:find("\ncudalua: rank 1 failed: program.lua:5: boom\n$"), out)
    assert.equal(1, status)
  end)

  it("by a signal", function()
    local out, status = others(3, "ffi.C.kill(ffi.C.getpid(), 9)")
    expect(out, "was killed by signal 9 (Killed)")
    assert.truthy(out:find "\ncudalua: rank 1 was killed by signal 9 %(Killed%)\n$", out)
    assert.equal(137, status)
  end)

  it("by os.exit, also with status 0", function()
    local exit = gpu.sanitized and "os.exit(%d, true)" or "os.exit(%d)" -- what is left counts as leaked there
    local out, status = others(3, exit:format(7))
    expect(out, "ended with status 7")
    assert.equal(7, status)
    out, status = others(3, exit:format(0))
    expect(out, "has ended, and does not make the call")
    assert.equal(0, status)
  end)

  it("with status 0, before a call that others wait in: the last line names it", function()
    local out, status = ranks.run(2, ranks.prelude .. [[
      if rank == 1 then os.exit(0, true) end
      world:barrier()
    ]])
    assert.equal(1, status, out)
    assert.truthy(out:find("barrier: rank 1 has ended, and does not make the call", 1, true), out)
    local last = "\ncudalua: rank 1 ended before a call that rank 0 waits in: barrier %(program.lua:3%)\n$"
    assert.truthy(out:find(last), out)
  end)

  it("in the middle of a call", function()
    local out, status = ranks.run(3, ranks.prelude .. [[
      ffi.cdef "int fork(void); int getpid(void); int kill(int pid, int number); int usleep(unsigned us);"
      ffi.cdef "void _exit(int status);"
      local a = gpuarray.zeros(4e6)
      world:barrier()
      local self = ffi.C.getpid()
      if rank == 1 and ffi.C.fork() == 0 then
        ffi.C.usleep(20000)
        ffi.C.kill(self, 9)
        ffi.C._exit(0)
      end
      while true do world:all_reduce(a, { out = a }) end
    ]])
    assert.equal(137, status, out)
    assert.truthy(out:find "%[0%] cudalua: .*all_reduce: rank 1 was killed by signal 9", out)
    assert.truthy(out:find "%[2%] cudalua: .*all_reduce: rank 1 was killed by signal 9", out)
  end)

  it("before it has joined", function()
    local out, status = ranks.run(2, [[
      if os.getenv "CUDALUA_RANK" == "1" then os.exit(3) end
      require("cudalua").distributed.init():barrier()
    ]], { grace = 60 })
    assert.truthy(out:find("[0] cudalua: program.lua:2: barrier: rank 1 ended with status 3", 1, true), out)
    assert.equal(3, status)
  end)

  it("with an error before init: the others raise its text, and the last line repeats it", function()
    local out, status = ranks.run(2, [[
      if os.getenv "CUDALUA_RANK" == "1" then
        os.execute "luajit -e 'arg = { [0] = [=[cli]=], [=[/nowhere/other.lua]=] } require [=[cudalua.prompt.cli]=]'"
        error "boom"
      end
      require("cudalua").distributed.init():barrier()
    ]], { grace = 60 })
    assert.equal(1, status, out)
    assert.truthy(out:find("cannot open /nowhere/other.lua", 1, true), out)
    assert.truthy(out:find("[0] cudalua: program.lua:5: barrier: rank 1 failed: program.lua:3: boom", 1, true), out)
    assert.truthy(out:find "\ncudalua: rank 1 failed: program.lua:3: boom\n$", out)
  end)

  it("and others that do not call: they are ended", function()
    local out, status = ranks.run(2, [[
      local world = require("cudalua").distributed.init()
      if world.rank == 0 then error "first" end
      while true do end
    ]])
    assert.truthy(out:find "cudalua: rank 0 failed: program.lua:2: first\n$", out)
    assert.equal(1, status)
  end)
end)

describe("ranks that wait", function()
  it("for each other: an error at once, with both calls", function()
    for _, case in ipairs { { "world:send(a, { to = 1 })", "world:send(a, { to = 0 })" },
      { "world:recv(a, { from = 1 })", "world:barrier()" }, { "group:barrier()", "world:barrier()" } } do
      local out, status = ranks.run(2, ranks.prelude .. ([[
        local a = gpuarray.ones(3)
        local group = world:split { color = 1 }
        local ok, err = pcall(function() if rank == 0 then %s else %s end end)
        print(ok, err.class, err.message)
      ]]):format(case[1], case[2]))
      assert.equal(0, status, out)
      for rank = 0, 1 do
        local text = "%%[%d%%] false\tRuntimeError\t%%a+: these ranks wait for each other and would never continue: " ..
          "rank %%d in %%a+ %%(program.lua:4%%), rank %%d in %%a+ %%(program.lua:4%%)" ..
          (case[2]:find "send" and "; let one of them call recv first, or use all_to_all" or "") .. "\n"
        assert.truthy(out:find(text:format(rank)), out)
      end
    end
  end)

  it("for one that does not come: an error after the time limit, with its last call", function()
    local out = ranks.run(2, ranks.prelude .. [[
      world:barrier()
      if rank == 0 then cuda.distributed.init { timeout = 0.3 } end
      if rank == 1 then
        local t = os.time()
        while os.time() - t < 3 do end
      end
      local ok, err = pcall(world.all_gather, world, gpuarray.ones(2))
      print(ok, err.class, err.message)
    ]])
    local text = "rank 0 waited for rank 1 in all_gather (program.lua:8) for 0.3 s; the last call of rank 1 is " ..
      "barrier (program.lua:2)"
    assert.truthy(out:find("[0] false\tRuntimeError\tall_gather: " .. text, 1, true), out)
    assert.truthy(out:find("[1] false\tRuntimeError\tall_gather: " .. text, 1, true), out)
  end)

  it("and are interrupted: the others hear of it", function()
    local out = ranks.run(2, ranks.prelude .. [[
      ffi.cdef "unsigned alarm(unsigned seconds); void (*signal(int number, void (*handler)(int)))(int);"
      cuda.interrupts(true)
      local waits = world:split { color = rank }
      if rank == 0 then
        require("cudalua.core").interrupt_at(3)
        local ok, err = pcall(world.barrier, world)
        print(ok, err.class)
      else
        local t = os.time()
        while os.time() - t < 2 do end
        local ok, err = pcall(world.barrier, world)
        print(ok, err.class, err.message)
      end
    ]])
    assert.truthy(out:find("[0] false\tInterruptError\n", 1, true), out)
    assert.truthy(out:find("[1] false\tRuntimeError\tbarrier: rank 0 was interrupted in barrier", 1, true), out)
  end)
end)

describe("processes that are no ranks", function()
  it("a fork of a rank takes no part", function()
    all_fine(2, [[
      ffi.cdef "int fork(void); void _exit(int); int waitpid(int pid, int *status, int options);"
      local status, pid = ffi.new "int[1]", ffi.C.fork()
      if pid == 0 then
        local ok, err = pcall(world.barrier, world)
        ffi.C._exit(not ok and tostring(err):find "fork" and 42 or 1)
      end
      ffi.C.waitpid(pid, status, 0)
      same(42 * 256, status[0], "its status")
      world:barrier()
    ]])
  end)

  it("a second Lua state of a rank is refused", function()
    all_fine(2, [[
      package.loaded["cudalua.distributed"] = nil
      raises("LogicError", "another Lua state of this process is rank " .. rank, require("cudalua.distributed").init)
      world:barrier()
    ]])
  end)

  it("a process that takes the place of a rank keeps the rank out", function()
    local out, status = ranks.run(1, [[
      local first = 'luajit -e "require(\\"cudalua\\").distributed.init()"'
      assert(os.execute(first) == 0)
      print(select(2, pcall(require("cudalua").distributed.init)).message)
    ]])
    assert.equal(0, status, out)
    assert.truthy(out:find "init: rank 0 is process %d+ already, and this is process %d+; call init%(%) before", out)
  end)

  it("a program that a rank starts is alone in its own world", function()
    all_fine(2, [[
      local pipe = io.popen("luajit -e 'print(require(\"cudalua\").distributed.init().size)'")
      same("1", pipe:read "*l", "the size of its world")
      pipe:close()
      world:barrier()
    ]])
  end)

  it("wrong variables of the environment are errors", function()
    local code = [[
      local ok, err = pcall(require("cudalua").distributed.init)
      print(ok, err.class, err.message)
    ]]
    for variables, text in pairs {
      ["CUDALUA_RANK=0"] = "CUDALUA_SIZE is not set",
      ["CUDALUA_RANK=x"] = "CUDALUA_RANK is 'x'",
      ["CUDALUA_RANK=0 CUDALUA_SIZE=2 CUDALUA_LOCAL_RANK=0 CUDALUA_LOCAL_SIZE=2 CUDALUA_SEGMENT=99"] =
        "Bad file descriptor",
      ["CUDALUA_RANK=0 CUDALUA_SIZE=2 CUDALUA_LOCAL_RANK=0 CUDALUA_LOCAL_SIZE=2 CUDALUA_SEGMENT=0"] =
        "not the memory of this version",
      ["CUDALUA_DIST_TIMEOUT=-1"] = "CUDALUA_DIST_TIMEOUT must be a positive number",
      ["CUDALUA_DIST_TIMEOUT=x"] = "got 'x'",
    } do
      local out, ok = gpu.child(code, gpu.driver .. " " .. variables)
      assert.is_true(ok, out)
      assert.truthy(out:find("^false\t%a+Error\tinit: ") and out:find(text, 1, true), variables .. ": " .. out)
    end
  end)
end)
