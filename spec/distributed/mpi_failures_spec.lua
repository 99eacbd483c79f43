-- Ranks of mpirun that fail, end, wait for each other or make other calls than the rest; and which library is opened.
local gpu = require "spec.support.gpu"
local mpi = require "spec.support.mpi"
local ranks = require "spec.support.ranks"
local turn = require "spec.support.turn"
local it = turn.tests(it) -- luacheck: ignore 431

-- Runs a program with so many ranks of both; each of them prints "fine" at its end.
local function all_fine(n, code)
  mpi.each(function(flavor)
    local out, status = mpi.run(flavor, n, ranks.prelude .. code .. '\nio.write "fine\\n"')
    assert.equal(n, select(2, out:gsub("fine\n", "")), flavor .. ": " .. out)
    assert.equal(0, status, out)
  end)
end

local function contains(text, out) assert.truthy(out:find(text, 1, true), out) end

describe("ranks of mpirun whose calls differ", function()
  it("raise on all ranks, name the ranks, and go on together", function()
    mpi.need(pending)
    all_fine(3, [[
      local a, b = gpuarray.ones(3), gpuarray.ones(4)
      local differ = "the ranks must make the same call"
      local err = raises("LogicError", "rank 2: all_reduce sum float32 (4,)", world.all_reduce, world,
        rank == 2 and b or a)
      same(true, err.message:find("ranks 0 and 1: all_reduce sum float32 (3,)", 1, true) ~= nil, err.message)
      raises("LogicError", "root 1", world.reduce, world, a, { root = rank == 0 and 1 or 0 })
      raises("LogicError", "rank 0: barrier", rank == 0 and world.barrier or world.all_gather, world,
        rank ~= 0 and a or nil)
      raises("LogicError", differ, world.broadcast_object, world, 1, { root = rank })
      raises("LogicError", differ, world.group, world, { rank })
      same(9, world:all_reduce(a):sum():item(), "the sum after it")
    ]])
  end)

  it("raise for send and recv, and go on", function()
    mpi.need(pending)
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

  it("raise what one rank refuses, also in long texts, and nothing is lost", function()
    mpi.need(pending)
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
      local long = ("x"):rep(900)
      refused("value." .. long .. " is a function", world.broadcast_object, { { [long] = print }, { root = 1 } },
        { 1, { root = 1 } })
      refused("color must be an integer", world.split, { {} }, { { color = 1 } })
      -- Twice on the same rank, while the others do something else; and by two ranks.
      if rank == 1 then
        pcall(world.all_reduce, world, 1)
        pcall(world.broadcast_object, world, { [long] = print }, { root = 1 })
      else
        local t = os.clock() while os.clock() - t < 0.05 do end
        raises("LogicError", "got 1;", world.all_reduce, world, a)
        raises("LogicError", long, world.all_reduce, world, a)
      end
      if rank < 2 then pcall(world.scatter, world, a, { root = rank + 3, out = long }) else
        raises("LogicError", "rank 0 refused the call: scatter: root must be a rank from 0 to 2, got 3", world.scatter,
          world, a)
      end
      same(3, world:all_reduce(a)[2], "the sum after it")
      local fields = {}
      for k = 1, 40 do fields[k] = { "field" .. k, "float32" } end
      local points = ndarray.zeros({ 2 }, cuda.dtype.struct(fields, { name = ("p"):rep(200) }))
      same(3, world:all_gather(points).shape[1], "the ranks of an array with a long signature")
    ]])
  end)
end)

describe("the end of ranks of mpirun", function()
  -- MPICH warns about unreceived messages.
  it("leaves no messages of a refused call, and of ranks that have waited", function()
    mpi.need(pending)
    local out, status = mpi.run("mpich", 3, ranks.prelude .. [[
      local a = gpuarray.ones(3)
      ffi.cdef "int usleep(unsigned us);"
      if rank == 2 then ffi.C.usleep(300000) end
      world:barrier()
      local value = rank == 1 and { [("x"):rep(900)] = print } or 1
      raises("LogicError", "is a function", world.broadcast_object, world, value, { root = 1 })
    ]])
    assert.equal("", out)
    assert.equal(0, status)
  end)
end)

describe("a rank of mpirun that ends", function()
  local others = [[
    local a = gpuarray.ones(200000)
    world:barrier()
    if rank == 1 then %s end
    local ok, err = pcall(world.all_reduce, world, a)
    io.write(table.concat({ tostring(ok), err.class, tostring(err.rank), err.message }, " ") .. "\n")
  ]]

  it("by an error ends the job with its text and its status", function()
    mpi.need(pending)
    mpi.each(function(flavor)
      local out, status = mpi.run(flavor, 3, ranks.prelude .. others:format 'error "boom"')
      contains("program.lua:4: boom", out)
      assert.equal(1, status, out)
      out, status = mpi.run(flavor, 3, ranks.prelude .. others:format 'io.write "last words\\n" os.exit(7)')
      contains("last words", out)
      -- MPICH's mpirun mixes it with those of the processes that it kills.
      if flavor == "openmpi" then assert.equal(7, status, out) else contains(", 7)", out) end
      assert.is_true(status ~= 0 and status ~= 124, out)
    end)
  end)

  it("by a signal ends the job", function()
    mpi.need(pending)
    mpi.each(function(flavor)
      local killed = 'ffi.cdef "int getpid(void); int kill(int pid, int n);" ' .. others
      local out, status = mpi.run(flavor, 3, ranks.prelude .. killed:format "ffi.C.kill(ffi.C.getpid(), 9)")
      assert.is_true(status ~= 0 and status ~= 124, out)
    end)
  end)

  it("with status 0 while others call: they raise", function()
    mpi.need(pending)
    mpi.each(function(flavor)
      local out, status = mpi.run(flavor, 3, ranks.prelude .. others:format "os.exit(0)")
      local line = "false RuntimeError 1 all_reduce: rank 1 has ended, and does not make the call\n"
      assert.equal(2, select(2, out:gsub(line, "")), out)
      assert.is_true(status ~= 124, out)
    end)
  end)

  it("late, without a call: the others wait for it", function()
    mpi.need(pending)
    all_fine(2, [[
      world:barrier()
      ffi.cdef "int usleep(unsigned us);"
      if rank == 1 then ffi.C.usleep(700000) end
    ]])
  end)
end)

describe("ranks of mpirun that wait", function()
  it("for each other: an error at once, with the calls of all", function()
    mpi.need(pending)
    for _, case in ipairs { { 2, "world:send(a, { to = 1 - rank })" }, { 2,
      "if rank == 0 then world:recv(a, { from = 1 }) else world:barrier() end" }, { 2,
      "if rank == 0 then group:barrier() else world:barrier() end" }, { 3, "world:recv(a, { from = (rank + 1) % 3 })" },
      { 3, "if rank == 2 then world:barrier() else world:recv(a, { from = rank + 1 }) end" } } do
      local n, code = unpack(case)
      mpi.each(function(flavor)
        local out = mpi.run(flavor, n, ranks.prelude .. ([[
          local a = gpuarray.ones(3)
          local group = world:split { color = 1 }
          world:all_reduce(a)
          local ok, err = pcall(function() %s end)
          io.write(table.concat({ tostring(ok), err.class, err.message }, " ") .. "\n")
        ]]):format(code))
        local list = ("rank %d in %a+ %(program.lua:5%), "):rep(n):sub(1, -3)
        local text = "false RuntimeError %a+: these ranks wait for each other and would never continue: " .. list ..
          (code:find "send" and "; let one of them call recv first, or use all_to_all" or "")
        assert.equal(n, select(2, out:gsub(text .. "\n", "")), flavor .. " " .. code .. "\n" .. out)
      end)
    end
  end)

  it("long for one that computes: no error", function()
    mpi.need(pending)
    all_fine(2, [[
      local a = gpuarray.ones(3)
      ffi.cdef "int usleep(unsigned us);"
      for k = 1, 3 do
        if rank == k % 2 then ffi.C.usleep(400000) end -- as long as it would compute
        if rank == 0 then world:send(a, { to = 1 }) else world:recv(a, { from = 0 }) end
        world:all_reduce(a)
      end
    ]])
    -- Rank 0 waits for 1, which has waited for 2, which waits for 0.
    all_fine(3, [[
      local a = gpuarray.ones(3)
      ffi.cdef "int usleep(unsigned us);"
      local function compute(seconds) ffi.C.usleep(seconds * 1e6) end
      if rank == 0 then
        world:recv(a, { from = 1 })
        world:send(a, { to = 2 })
      elseif rank == 1 then
        world:recv(a, { from = 2 })
        compute(1)
        world:send(a, { to = 0 })
      else
        compute(0.5)
        world:send(a, { to = 1 })
        world:recv(a, { from = 0 })
      end
    ]])
  end)

  it("for one that does not come: an error after the time limit, with its last call", function()
    mpi.need(pending)
    mpi.each(function(flavor)
      local out = mpi.run(flavor, 2, ranks.prelude .. [[
        world:barrier()
        if rank == 0 then cuda.distributed.init { timeout = 0.3 } end
        if rank == 1 then
          local t = os.time()
          while os.time() - t < 3 do end
        end
        local ok, err = pcall(world.all_gather, world, gpuarray.ones(2))
        io.write(table.concat({ tostring(ok), err.class, tostring(err.rank), err.message }, " ") .. "\n")
        same(false, pcall(world.barrier, world), "a later call")
      ]])
      local text = "false RuntimeError 0 all_gather: rank 0 waited for rank 1 in all_gather (program.lua:8) for " ..
        "0.3 s; the last call of rank 1 is barrier (program.lua:2)\n"
      assert.equal(2, select(2, out:gsub(text:gsub("%p", "%%%0"), "")), out)
    end)
  end)

  it("for one that waits itself: the error names its call, which only its other half has heard of", function()
    mpi.need(pending)
    mpi.each(function(flavor)
      local mark = os.tmpname() -- is gone when rank 2 has raised
      local out = mpi.run(flavor, 3, ranks.prelude .. ([[
        world:barrier()
        if rank == 2 then cuda.distributed.init { timeout = 0.6 } end
        ffi.cdef "int usleep(unsigned us);"
        local a, mark = gpuarray.ones(2), "%s"
        local ok, err = pcall(function()
          if rank == 0 then world:send(a, { to = 1 }) end
          for _ = 1, rank == 1 and 300 or 0 do
            local file = io.open(mark)
            if not file then break end
            file:close()
            ffi.C.usleep(100000)
          end
          if rank == 1 then world:recv(a, { from = 0 }) end
          world:barrier()
        end)
        if rank == 2 then os.remove(mark) end
        io.write(table.concat({ tostring(ok), err.class, tostring(err.rank), err.message }, " ") .. "\n")
      ]]):format(mark))
      local text = "rank 2 waited for rank 0 in barrier (program.lua:15) for 0.6 s; the last call of rank 0 is send " ..
        "(program.lua:7)\n"
      assert.equal(3, select(2, out:gsub(text:gsub("%p", "%%%0"), "")), out)
    end)
  end)

  it("and are interrupted: the others hear of it", function()
    mpi.need(pending)
    mpi.each(function(flavor)
      for how, expected in pairs { interrupts = "false InterruptError", luajit = "false program.lua" } do
        local out = mpi.run(flavor, 2, ranks.prelude .. ([[
          local how = "%s"
          ffi.cdef "int fork(void); int getpid(void); int kill(int, int); int usleep(unsigned us); void _exit(int);"
          if how == "interrupts" then cuda.interrupts(true) end
          local self = ffi.C.getpid()
          if rank == 0 then
            if how == "luajit" and ffi.C.fork() == 0 then
              ffi.C.usleep(300000)
              ffi.C.kill(self, 2)
              ffi.C._exit(0)
            end
            if how == "interrupts" then require("cudalua.core").interrupt_at(3) end
          else
            local t = os.time()
            while os.time() - t < 2 do end
          end
          local ok, err = pcall(world.barrier, world) -- for which the other one may have come
          if ok then ok, err = pcall(world.barrier, world) end
          io.write(table.concat({ tostring(ok), cuda.is_error(err) and err.class or tostring(err),
            cuda.is_error(err) and err.message or "" }, " ") .. "\n")
        ]]):format(how))
        contains(how == "luajit" and "interrupted!" or expected, out)
        contains("false RuntimeError barrier: rank 0 was interrupted in barrier", out)
      end
    end)
  end)
end)

describe("processes of mpirun that are no ranks", function()
  it("are forks, second Lua states, and programs that a rank starts", function()
    mpi.need(pending)
    all_fine(2, [[
      ffi.cdef "int fork(void); void _exit(int); int waitpid(int pid, int *status, int options);"
      local status, pid = ffi.new "int[1]", ffi.C.fork()
      if pid == 0 then
        local ok, err = pcall(world.barrier, world)
        if ok or not tostring(err):find "fork" then ffi.C._exit(1) end
        os.exit(0) -- which must not end MPI
      end
      ffi.C.waitpid(pid, status, 0)
      same(0, status[0], "its status")
      world:barrier()
      package.loaded["cudalua.distributed"] = nil
      raises("LogicError", "another Lua state of this process is rank " .. rank, require("cudalua.distributed").init)
      local pipe = io.popen("luajit -e 'print(require(\"cudalua\").distributed.init().size)'")
      same("1", pipe:read "*l", "the size of its world")
      pipe:close()
      world:barrier()
    ]])
  end)

  it("are the ranks of cudalua run, which are worlds of their own", function()
    mpi.need(pending)
    local path = os.tmpname()
    local file = io.open(path, "w")
    file:write [[
      local w = require("cudalua").distributed.init()
      local pipe = io.popen("luajit -e 'print(require(\"cudalua\").distributed.init().size)'")
      io.write(w.transport .. w.size .. w.ranks[2] .. pipe:read "*l" .. "\n")
      pipe:close()
    ]]
    file:close()
    mpi.each(function(flavor)
      local out, status = ranks.command(("%s %s -n 2 %s sh bin/cudalua run -n 3 %s"):format(gpu.driver,
        mpi.commands[flavor], mpi.inside, path))
      assert.equal(6, select(2, out:gsub("%] shm311\n", "")), out)
      assert.equal(0, status, out)
    end)
    os.remove(path)
  end)
end)

describe("the MPI library", function()
  local code = [[
    local ok, err = pcall(require("cudalua").distributed.init)
    io.write(tostring(ok) .. " " .. (ok and "" or err.class .. " " .. err.message) .. "\n")
    os.exit(0)
  ]]

  it("that is not the launcher's is an error that names CUDALUA_MPI", function()
    mpi.need(pending)
    local out = mpi.run("mpich", 2, code, { environment = "CUDALUA_MPI=libmpi.so.40" })
    contains("false RuntimeError init: mpirun started 2 processes, but in libmpi.so.40 (OpenMPI) there are 1; set " ..
      "CUDALUA_MPI to the path of the MPI library that belongs to mpirun", out)
  end)

  it("is found under srun, too", function()
    mpi.need(pending)
    local as_srun = [[sh -c 'SLURM_STEP_NUM_TASKS=$OMPI_COMM_WORLD_SIZE SLURM_LOCALID=$OMPI_COMM_WORLD_RANK]] ..
      [[ exec env -u OMPI_COMM_WORLD_SIZE "$0" "$@"']]
    local out, status = mpi.run("openmpi", 2, ranks.prelude .. [[
      same("mpi", world.transport, "what moves the data")
      same(3, world:all_reduce(gpuarray.full({ 1 }, rank + 1)):sum():item(), "a sum")
      same(nil, os.getenv "SLURM_STEP_NUM_TASKS", "the launcher's variable")
      -- A program declares functions for itself.
      ffi.cdef "typedef struct { int64_t s, n; } own_time; int clock_gettime(int, own_time *);"
      ffi.cdef "int MPI_Initialized(int *);"
      local yes = ffi.new "int[1]"
      same(0, ffi.C.clock_gettime(1, ffi.new "own_time") + ffi.C.MPI_Initialized(yes), "the status")
      same(1, yes[0], "MPI is there")
      io.write "fine\n"
    ]], { before = as_srun })
    assert.equal(2, select(2, out:gsub("fine\n", "")), out)
    assert.equal(0, status)
  end)

  it("that is missing or is none is an error", function()
    for library, text in pairs { ["/nowhere/libmpi.so"] = "cannot open the MPI library that CUDALUA_MPI names",
      ["libm.so.6"] = "libm.so.6 has a binary interface that cudalua does not know: no MPI library" } do
      local out = gpu.child(code, ("%s OMPI_COMM_WORLD_SIZE=2 CUDALUA_MPI=%s"):format(gpu.driver, library))
      contains("false RuntimeError init: ", out)
      contains(text, out)
    end
  end)
end)
