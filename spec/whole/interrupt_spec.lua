-- Ctrl-C: what it stops, what it leaves, and that nothing is lost.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"

local prelude = [[
  jit.off()
  local cuda = require "cudalua"
  local core = require "cudalua.core"
  local ffi = require "ffi"
  cuda.init()
  local gpuarray = require "cudalua.gpuarray"
  local soft = cuda.driver_info().soft and require "cudalua.softgpu"
  ffi.cdef "int getpid(void), kill(int, int), usleep(unsigned);"
  local function after(seconds, n) -- sends SIGINT, n times
    os.execute(("(for i in %s; do sleep %s; kill -INT %d; done) >/dev/null 2>&1 &"):format(("1 "):rep(n or 1), seconds,
      ffi.C.getpid()))
  end
  -- What catches the errors is no code of the user's, as the prompt is none: nothing is raised there.
  local root = debug.getinfo(cuda.init, "S").source:gsub("init.lua$", "")
  local interrupted = assert(loadstring([=[
    local cuda, core = ...
    return function(f, ...)
      local ok, err = pcall(f, ...)
      core.interrupt_take()
      assert(not ok and cuda.is_error(err, "InterruptError"), tostring(err))
      return err
    end
  ]=], root .. "catch"))(cuda, core)
  local spin = [=[
    __global__ void spin(volatile int *stop, int *a)
    {
      int n = 0;
      while (!*stop) n++;
      a[threadIdx.x] += n < 0 ? 2 : 1;
    }
  ]=]
]]

local function fine(code, environment)
  local out, ok = gpu.child(prelude .. code .. " print 'fine'", gpu.driver .. " " .. (environment or ""))
  assert.equal("fine\n", out)
  assert.is_true(ok)
end

describe("cuda.interrupts", function()
  it("cuda.interrupts says and changes whether they are on, and cuda.interrupt raises in the next wait", function()
    finally(function() core.interrupts(false) end)
    assert.is_false(cuda.interrupts())
    cuda.interrupt() -- nobody listens
    assert.is_false(cuda.interrupts(true))
    assert.is_true(cuda.interrupts())
    assert.is_true(cuda.interrupts(true))
    gpu.context()
    local wait = cuda.Context.synchronize
    jit.off()
    local ok, err = pcall(function()
      cuda.interrupt()
      wait()
    end)
    jit.on()
    assert.is_false(ok)
    assert.is_true(cuda.is_error(err, "InterruptError") and cuda.is_error(err, cuda.Error))
    assert.is_nil(err.code)
    assert.truthy(err.where:find "interrupt_spec")
    wait()
    assert.is_true(cuda.interrupts(false))
    assert.is_false(cuda.interrupts())
    cuda.interrupt()
    wait()
    gpu.raises("LogicError", "interrupts: on must be true or false, got number 1", cuda.interrupts, 1)
  end)

  it("leaves the calls of waits as they are while it is off", function()
    if not gpu.soft then return pending "reads the software device's log" end
    local soft = require "cudalua.softgpu"
    local function calls()
      soft.log "clear"
      soft.log "on"
      cuda.Context.synchronize()
      cuda.legacy_stream:synchronize()
      soft.log "off"
      local names = {}
      for _, call in ipairs(soft.calls()) do names[#names + 1] = call.name end
      return table.concat(names, " ")
    end
    gpu.context()
    local before = calls()
    cuda.interrupts(true)
    cuda.interrupts(false)
    assert.equal(before, calls())
  end)

  it("is for one state of a process", function()
    fine [[
      ffi.cdef [=[
        typedef struct lua_State lua_State;
        lua_State *luaL_newstate(void);
        void luaL_openlibs(lua_State *), lua_close(lua_State *);
        int luaL_loadstring(lua_State *, const char *), lua_pcall(lua_State *, int, int, int);
        const char *lua_tolstring(lua_State *, int, size_t *);
      ]=]
      local function run(L, code)
        if ffi.C.luaL_loadstring(L, code) ~= 0 or ffi.C.lua_pcall(L, 0, 0, 0) ~= 0 then
          return ffi.string(ffi.C.lua_tolstring(L, -1, nil))
        end
      end
      local L = ffi.C.luaL_newstate()
      ffi.C.luaL_openlibs(L)
      cuda.interrupts(true)
      local on = "local ok, err = pcall(require('cudalua').interrupts, true) if not ok then error(err.message, 0) end"
      local why = run(L, on)
      assert(why:find("interrupts: another Lua state of this process has them on, since ", 1, true), why)
      assert(why:find("turn them off there first", 1, true), why)
      core.interrupt_at(1)
      assert(not run(L, "require('cudalua').Context.synchronize()")) -- it is not that state's
      interrupted(cuda.Context.synchronize)
      cuda.interrupts(false)
      assert(not run(L, on))
      ffi.C.lua_close(L)
      cuda.interrupts(true) -- the other one has ended
    ]]
  end)

  it("keeps a handler that the program has set, which calls cudalua_interrupt()", function()
    fine [[
      ffi.cdef "typedef void (*handler)(int); handler signal(int, handler); void cudalua_interrupt(void);"
      local lib = ffi.load(assert(package.searchpath("cudalua.core", package.cpath)))
      local ours = ffi.cast("handler", ffi.cast("void *", lib.cudalua_interrupt))
      ffi.C.signal(2, ours)
      cuda.interrupts(true)
      assert(ffi.C.signal(2, ours) == ours)
      after(0.1)
      interrupted(function() while true do end end)
      cuda.interrupts(false)
      assert(ffi.C.signal(2, ours) == ours)
    ]]
  end)
end)

describe("An InterruptError", function()
  it("stops loops, coroutines and loops around pcall", function()
    fine [[
      cuda.interrupts(true)
      local n = 0
      local function count() while true do n = n + 1 end end
      after(0.1)
      local err = interrupted(count)
      assert(err.message == "interrupted", err.message)
      after(0.1)
      interrupted(coroutine.wrap(count))
      after(0.1, 2)
      interrupted(function() while true do pcall(count) end end)
      for i = 1, 1e5 do n = n + i end -- no hook is left
      assert(debug.gethook() == nil)
      local hits = 0
      local function mine() hits = hits + 1 end
      debug.sethook(mine, "", 1000)
      after(0.1)
      interrupted(count)
      assert(debug.gethook() == mine)
      hits = 0
      for i = 1, 1e4 do n = n + i end
      assert(hits > 0)
    ]]
  end)

  it("is not raised within a finalizer's loop, but after it", function()
    fine [[
      cuda.interrupts(true)
      local ended = false
      local p = newproxy(true)
      getmetatable(p).__gc = function()
        cuda.interrupt()
        for _ = 1, 1e4 do end
        ended = true
      end
      p = nil
      interrupted(function()
        collectgarbage()
        while true do end
      end)
      assert(ended)
    ]]
  end)

  it("ends a wait for a kernel, and the data is right", function()
    fine [[
      cuda.interrupts(true)
      local fn = cuda.kernel(spin)
      local stop = cuda.pagelocked_zeros(1, "int32", { mem_flags = "devicemap" })
      local a, b = gpuarray.zeros(32, "int32"), gpuarray.arange(10):get()
      a:tolist()
      local stream = cuda.Stream()
      fn(stop, a, { block = 32, stream = stream })
      for _, wait in ipairs {
        function() stream:synchronize() end, function() cuda.Context.synchronize() end,
        function() cuda.Event():record(stream):synchronize() end,
        function() return a:tolist() end, function() cuda.mem_alloc(100):free() end } do
        if soft then fn(stop, a, { block = 32, stream = stream }) end
        after(0.1)
        local begin = os.time()
        local err = interrupted(wait)
        assert(os.time() - begin < 3)
        if soft then
          assert(err.message:find("^interrupted: kernel spin, .*block %(0,0,0%), thread %(0,0,0%): stopped"),
            err.message)
        else
          assert(err.message:find("the device is still running what was launched; the last kernel is spin", 1, true))
          assert(core.still_running() == "spin")
        end
      end
      stop[1] = 1
      stream:synchronize()
      assert(not core.still_running())
      for _, x in ipairs(a:tolist()) do assert(x == (soft and 0 or 1)) end
      fn(stop, a, { block = 32 }) -- the device works on
      for _, x in ipairs(a:tolist()) do assert(x == (soft and 1 or 2)) end
    ]]
  end)

  it("ends a kernel of the software device within 200 ms, and the launches behind it", function()
    if not gpu.soft then return pending "stops a kernel" end
    local code = [[
      ffi.cdef "typedef struct { long s, ns; } timespec_; int clock_gettime(int, timespec_ *);"
      local t = ffi.new "timespec_"
      local function now() ffi.C.clock_gettime(1, t) return tonumber(t.s) + tonumber(t.ns) * 1e-9 end
      cuda.interrupts(true)
      local endless = cuda.kernel "__global__ void endless(volatile int *a) { while (1) a[1] += 1; }"
      local one = cuda.kernel "__global__ void one(int *a) { a[0] += 1; }"
      for _, blocks in ipairs { 1, 500 } do
        local a = gpuarray.zeros(1000, "int32")
        local host = ffi.new "int[1000]"
        endless(a, { block = 64, grid = blocks })
        one(a, { block = 1 })
        one(a, { block = 1 })
        after(0.3)
        local begin = now()
        local err = interrupted(cuda.Context.synchronize)
        LIMIT
        assert(err.message:find("endless", 1, true) and err.message:find("stopped", 1, true), err.message)
        assert(err.message:find("2 launches queued behind it will not be run", 1, true), err.message)
        assert(a:tolist()[1] == 0) -- none of them was run
        one(a, { block = 1 })
        assert(a:tolist()[1] == 1)
      end
    ]]
    fine((code:gsub("LIMIT", gpu.sanitized and "" or "assert(now() - begin < 0.5, now() - begin)")))
  end)

  it("is not raised by other threads' or states' kernels, nor in a capture that goes on", function()
    fine [[
      cuda.interrupts(true)
      local one = cuda.kernel "__global__ void one(int *a) { a[0] += 1; }"
      local a, stream = gpuarray.zeros(1, "int32"), cuda.Stream()
      a:tolist()
      local graph = stream:capture(function()
        one(a, { block = 1, stream = stream })
        interrupted(function()
          cuda.interrupt()
          while true do end
        end)
        one(a, { block = 1, stream = stream })
      end)
      local exec = graph:instantiate()
      exec:launch(stream)
      stream:synchronize()
      assert(a:tolist()[1] == 2)
    ]]
  end)

  it("ends the library's long loops over host memory, which work as before afterwards", function()
    fine [[
      jit.on()
      local nd, io_ = cuda.ndarray, cuda.io
      local a = nd.arange(3e5, { dtype = "float64" })
      local same, list = a:copy(), a:tolist()
      local nested = { list, list }
      local picture = nd.from_function({ 200, 500, 3 }, function(i, j, k) return (i * j + k) % 251 end, "uint8")
      local text = os.tmpname()
      local png = text .. ".png"
      local rows = a:slice { 1, 30000 }:reshape { 3000, 10 }
      io_.savetxt(text, rows)
      io_.save_image(png, picture)
      local pgm = text .. ".pgm"
      local floats = nd.zeros({ 600, 1000 }, "float32")
      local stored = nd.dumpsz { a = a }
      local loops = {
        { "tolist", function() return #a:tolist() == 3e5 end },
        { "a list's values", function() return nd.array(list):equal(a) end },
        { "nested lists' values", function() return nd.array(nested, "float32").size == 6e5 end },
        { "comparisons", function() return a:equal(same) and a:allclose(same) end },
        { "elements from a function", function()
          return nd.from_function(3e5, function(i) return i - 1 end):equal(a)
        end },
        { "typed elements from a function", function()
          return nd.from_function(3e5, function(i) return i - 1 end, "float64"):equal(a)
        end },
        { "checksums", function() return nd.dumpsz { a = a } == stored end },
        { "reading an archive", function() return nd.loads(stored).a:equal(a) end },
        { "savetxt", function() return io_.savetxt(text, rows) == nil end },
        { "loadtxt", function() return io_.loadtxt(text):equal(rows) end },
        { "save_image", function() return io_.save_image(png, picture) == nil end },
        { "load_image", function() return io_.load_image(png):equal(picture) end },
        { "a picture of floats", function() return io_.save_image(pgm, floats) == nil end, 9 },
        { "a picture with limits", function() return io_.save_image(pgm, floats, { vmin = 0 }) == nil end, 9 },
      }
      cuda.interrupts(true)
      for _, loop in ipairs(loops) do
        local before = core.interrupt_at(0)
        assert(loop[2](), loop[1])
        local looks = core.interrupt_at(0) - before
        assert(looks >= (loop[3] or 2), loop[1] .. ": " .. looks)
        for at = 1, looks, math.ceil(looks / 5) do
          core.interrupt_at(at)
          assert(interrupted(loop[2]).message == "interrupted")
          core.interrupt_at(0)
        end
        assert(loop[2](), loop[1])
      end
      os.remove(text)
      os.remove(png)
      os.remove(pgm)
    ]]
  end)

  it("is a matter of the program's own threads: those of the library take no signal", function()
    if not gpu.soft then return pending "a driver's threads are its own business" end
    fine([[
      cuda.interrupts(true) -- starts the thread that speaks
      local k = cuda.kernel "__global__ void k(int *a) { for (int i = 0; i < 20000; i++) a[blockIdx.x] += i & 1; }"
      k(gpuarray.zeros(2000, "int32"), { block = 64, grid = 2000 }) -- starts helpers
      cuda.Context.synchronize()
      local source = {}
      for i = 1, 50 do
        source[i] = ("__global__ void k%d(double *a) { *a = pow(sin(a[1]), tan(a[%d])); }"):format(i, i)
      end
      core.interrupt_at(1)
      interrupted(cuda.compile, table.concat(source, "\n"), { cache_dir = false }) -- NVRTC's thread goes on
      core.interrupt_at(0)
      local own, others = tostring(ffi.C.getpid()), 0
      local pipe = io.popen("cd /proc/" .. own .. "/task && grep -H SigBlk */status")
      for task, mask in pipe:read("*a"):gmatch "(%d+)/status:SigBlk:%s*(%x+)" do
        local low = tonumber(mask:sub(-8), 16)
        if task ~= own then
          others = others + 1
          -- HUP, INT, QUIT, USR1, USR2, PIPE, ALRM, TERM, CHLD, WINCH
          for _, signal in ipairs { 1, 2, 3, 10, 12, 13, 14, 15, 17, 28 } do
            assert(bit.band(low, bit.lshift(1, signal - 1)) ~= 0, "signal " .. signal .. " in a thread of " .. mask)
          end
        end
      end
      pipe:close()
      assert(others >= 4, others) -- the one that speaks, NVRTC's, two helpers; NVRTC may have more of its own
    ]], "CUDALUA_SOFT_THREADS=3")
  end)

  it("leaves a compilation to finish by itself", function()
    fine [[
      cuda.interrupts(true)
      for i = 1, 5 do
        core.interrupt_at(1)
        interrupted(cuda.compile, ("__global__ void k(int *a) { a[0] = %d; }"):format(i))
        core.interrupt_at(0)
      end
      local k = cuda.kernel "__global__ void k(int *a) { a[0] = 77; }"
      local a = gpuarray.zeros(1, "int32")
      k(a, { block = 1 })
      assert(a:tolist()[1] == 77)
      core.interrupt_at(1)
      interrupted(cuda.compile, "__global__ void k(int *a) { a[0] = 78; }") -- still runs when the state closes
    ]]
  end)
end)

local moments = [[
  local P = dofile "spec/support/interrupted.lua"
  cuda.interrupts(true)
  local kernels = P.kernels()
  -- Blocks of memory that arrays keep for reuse remember their last stream, and an event in others.
  local function clean()
    for _ = 1, 3 do cuda.collect() end
    for _, pool in pairs(require("cudalua.gpuarray.core.storage").pools) do pool:free_held() end
    cuda.collect()
  end
  for _ = 1, 2 do P.run(kernels, 1) end -- the second one gets the mailbox of single elements
  clean()
  local base = soft and soft.stats()
  local function settle()
    core.interrupt_take()
    core.interrupt_at(0)
    if P.now then P.check(P.now) end
    P.now = nil
  end
  local function finish()
    P.run(kernels, 1)
    P.now = nil
    clean()
    if not soft then return end
    local now = soft.stats()
    for _, key in ipairs { "live_streams", "live_events", "live_graphs" } do
      assert(now[key] == base[key], ("%s: %d, now %d"):format(key, base[key], now[key]))
    end
    assert(now.live_bytes == base.live_bytes, now.live_bytes - base.live_bytes)
    assert(now.damaged == 0 and now.stale == base.stale)
  end
]]

describe("Interrupted at any moment, a program loses nothing:", function()
  it("at 1,000 moments that are the same in each run", function()
    local count = (gpu.sanitized or not gpu.soft) and 200 or 1000
    fine(moments .. ([[
      local COUNT, hits = %d, 0
      local before = core.interrupt_at(0)
      P.run(kernels, 40)
      local looks = core.interrupt_at(0) - before
      local counts = 0
      debug.sethook(function() counts = counts + 1 end, "", 100)
      P.run(kernels, 1)
      debug.sethook()
      assert(looks > 20 and counts > 50, looks .. " " .. counts)
      for i = 1, COUNT do
        local at = i * 7919
        if i %% 2 == 0 then
          core.interrupt_at(at %% looks + 1)
        else
          local left = at %% counts + 1
          debug.sethook(function()
            left = left - 1
            if left == 0 then cuda.interrupt() end
          end, "", 100)
        end
        local ok, err = pcall(P.run, kernels, i %% 80 == 0 and 40 or 1)
        debug.sethook()
        if not ok then
          assert(cuda.is_error(err, "InterruptError"), tostring(err) .. tostring(i))
          hits = hits + 1
        end
        settle()
      end
      assert(hits > COUNT / 2, hits)
      finish()
    ]]):format(count), "CUDALUA_SOFT_THREADS=1")
  end)

  it("by 200 real signals", function()
    fine(moments .. [[
      local lines = {}
      math.randomseed(17)
      for i = 1, 200 do
        lines[i] = ("kill -INT %d || exit; sleep 0.0%02d"):format(ffi.C.getpid(), math.random(1, 25))
      end
      local name = os.tmpname()
      local script = assert(io.open(name, "w"))
      script:write("sleep 0.2\n", table.concat(lines, "\n"), "\nrm ", name, "\n")
      script:close()
      local loop = assert(loadstring([=[
        local P, kernels, settle, cuda, core, running = ...
        local hits = 0
        local function goes_on() -- here, as in all code of the library, no signal raises
          local ok, is = pcall(running)
          return not ok or is
        end
        while goes_on() do
          local ok, err = pcall(P.run, kernels, 1)
          local program = P.now
          if not ok then
            assert(cuda.is_error(err, "InterruptError"), tostring(err))
            hits = hits + 1
          end
          repeat core.interrupt_take() until pcall(settle) -- a second press stops settle() itself
        end
        return hits
      ]=], root .. "loop"))
      os.execute("sh " .. name .. " >/dev/null 2>&1 &")
      local function running()
        local file = io.open(name)
        if file then file:close() end
        return file ~= nil
      end
      local hits = loop(P, kernels, settle, cuda, core, running)
      assert(hits >= 50, hits)
      finish()
    ]])
  end)
end)
