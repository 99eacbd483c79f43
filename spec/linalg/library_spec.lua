-- Calls of a vendor's library (run.library) and its handles (core.borrowed), with a library of the specs
-- (spec/support/probe_library.c).
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local probe = require "spec.support.probe"
local reentry = require "spec.support.reentry"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

local function list(n, first)
  local t = {}
  for k = 1, n do t[k] = first + k - 1 end
  return t
end

local function fresh(n, first) return gpuarray.to_gpu(list(n, first or 1), "float32") end

-- Runs Lua code in a process of its own that has to print "fine".
local function fine(code)
  local text, ok = gpu.child([[
    local gpu = require "spec.support.gpu"
    local probe = require "spec.support.probe"
    local core = require "cudalua.core"
    local cuda = gpu.cuda
    local count = probe.functions.count
    local function handle(form, n)
      local name = form == "pointer" and "destroy" or form == "int" and "destroy_int" or form == "void" and "release"
        or "refuse"
      return core.borrowed(n or 42, probe.address(name), form == "refuse" and "pointer" or form)
    end
  ]] .. code, gpu.driver)
  assert.equal("fine\n", text)
  assert.is_true(ok)
end

describe("run.library", function()
  before_each(gpu.context)

  it("calls a function in the current stream and gives what it returns", function()
    local y, captured, status = probe.copy(fresh(5))
    assert.same(list(5, 1), y:tolist())
    assert.is_false(captured)
    assert.equal(0, status)
    assert.equal(15, select(3, probe.copy(fresh(5), { status = 15 })))
  end)

  it("comes after what other streams do with its operands, and they come after it", function()
    local a, b = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    for k = 1, 20 do
      local x = a:use(function() return (gpuarray.arange(1000, "float32") * k + 1):eval() end)
      local y = b:use(function() return (probe.copy(x, { scratch = 4096 })) end)
      local z = a:use(function() return (y + 0):eval() end)
      a:use(function() x:fill(0) end) -- behind the library's read
      assert.equal(999 * k + 1, z[1000])
      assert.equal(k + 1, y[2])
    end
  end)

  it("keeps memory of a pool from others until the library is done with it", function()
    local a, b = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    for k = 1, 30 do
      local x = a:use(function() return (gpuarray.arange(3000, "float32") + k):eval() end)
      local y = b:use(function() return (probe.copy(x, { scratch = 8192 })) end)
      x:release()
      local other = a:use(function() return (gpuarray.zeros(3000) + 5):eval() end) -- in the memory of x, perhaps
      a:synchronize()
      assert.equal(k + 2999, y[3000])
      assert.equal(5, other[1])
    end
  end)

  it("goes into a graph, which has the operands and the scratch memory from then on", function()
    local s = cuda.Stream()
    local x, y, captured = fresh(6), nil, nil
    x:eval()
    local graph = s:capture(function() y, captured = probe.copy(x, { scratch = 256 }) end)
    assert.is_true(captured)
    assert.is_true(storage.leaf_of(x).store.pinned)
    assert.is_true(storage.leaf_of(y).store.exported)
    local exec = graph:instantiate()
    collectgarbage()
    x:set(fresh(6, 11))
    exec:launch(s)
    s:synchronize()
    assert.same(list(6, 11), y:tolist())
    x:set(fresh(6, 21))
    exec:launch(s)
    s:synchronize()
    assert.same(list(6, 21), y:tolist())
  end)

  it("gives what it keeps to a graph, and to nothing else", function()
    local count, x = probe.functions.count, fresh(6)
    local function call()
      local h = core.borrowed(42, probe.address "destroy", "pointer")
      probe.copy(x, { keep = h })
    end
    gpu.apart(call)
    cuda.collect()
    local before, s = count(), cuda.Stream()
    local exec = s:capture(function() gpu.apart(call) end):instantiate()
    cuda.collect()
    assert.equal(before, count())
    exec:close()
    cuda.collect()
    assert.equal(before + 1, count())
  end)

  it("raises what the call raises, and the next one works", function()
    local ok, err = pcall(probe.copy, fresh(4), { failure = "planted" })
    assert.is_false(ok)
    assert.equal("planted", err)
    assert.same(list(4, 3), (probe.copy(fresh(4, 3))):tolist())
    gpu.raises("LogicError", "no call of a library is under way", core.library_end, {}, true)
  end)

  it("refuses memory of another context, none at all, and what is not memory", function()
    local x = fresh(4)
    x:eval()
    local leaf = storage.leaf_of(x)
    local function call(leaves)
      return run.library { name = "f", since = storage.writes, leaves = leaves, call = function() return 0 end }
    end
    gpu.raises("LogicError", "f: none of the memory belongs to a context", call, {})
    gpu.raises("LogicError", "f: none of the memory belongs to a context", call, { { buf = false } })
    gpu.raises("LogicError", "expected device memory", call, { { buf = 3 } })
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(gpu.raises, "LogicError", "f: the memory belongs to a context that is not current", call,
      { leaf })
    local mine = fresh(4)
    mine:eval()
    local both, both_err = pcall(gpu.raises, "LogicError", "f: the memory belongs to several contexts", call,
      { storage.leaf_of(mine), leaf })
    mine:release()
    other:detach()
    assert(ok, err)
    assert(both, both_err)
    x:release()
    gpu.raises("LogicError", "freed", call, { leaf })
  end)

  it("is not made where arrays were written to since the caller looked", function()
    local x = fresh(4)
    x:eval()
    local scratch, called = (storage.buffer(64)), false
    assert.is_false(run.library { name = "f", since = storage.writes - 1, leaves = { storage.leaf_of(x) },
      scratch = { scratch }, call = function() called = true end })
    assert.is_false(called)
    gpu.raises("LogicError", "freed", function() return #scratch == 64 and scratch + 4 end)
  end)

  it("counts as a write where it changes what was there", function()
    local x = fresh(4)
    x:eval()
    local leaf = storage.leaf_of(x)
    local before = storage.writes
    assert.is_true(run.library { name = "f", since = before, leaves = {}, writes = { leaf }, changes = true,
      call = function() return 0 end })
    assert.equal(before + 1, storage.writes)
  end)

  it("sees the values before or after a finalizer's write, wherever that comes", function()
    local x, other = fresh(40), fresh(40, 101)
    x:eval()
    other:eval()
    local flips = 0
    local function write()
      flips = flips + 1
      x:set(flips % 2 == 0 and fresh(40) or other)
    end
    local function text(y)
      local t = y:tolist()
      for k = 2, 40 do assert.equal(t[1] + k - 1, t[k]) end
      return "" -- either is right, a mixture is not
    end
    local wrong, places = reentry.sweep(function() return (probe.copy(x, { scratch = 64 })) end, write, 60, text)
    assert.is_nil(wrong)
    assert.is_true(places > 15)
  end)

  it("takes a finalizer that frees the operand: the call works, or says that the memory is gone", function()
    local places, lines, k = 0, nil, 1
    repeat
      local x = fresh(40)
      x:eval()
      local ok, result, n, place = pcall(reentry.call, function() return (probe.copy(x, { scratch = 64 })) end,
        function() x:release() end, k)
      if ok then
        lines, places = n, place and places + 1 or places
        assert.equal(40, result[40])
      else
        places, lines = places + 1, lines or math.huge
        assert.is_truthy(tostring(result):find "freed" or tostring(result):find "released", tostring(result))
      end
      k = k + 3
    until ok and not place
    assert.is_true(places > 5)
    assert.same(list(4, 1), (probe.copy(fresh(4))):tolist())
  end)

  it("waits for the library with launch blocking, also when that is another stream", function()
    local s, before = cuda.Stream "non_blocking", core.launch_blocking(true)
    local y, done
    local ok, err = pcall(function()
      s:use(function() y = probe.copy(fresh(100)) end)
      done = s:is_done()
    end)
    core.launch_blocking(before)
    assert(ok, err)
    assert.is_true(done)
    assert.equal(100, y[100])
  end)

  it("is called inside of another call by a finalizer, each in its own stream", function()
    local s = cuda.Stream "non_blocking"
    local x, inner = fresh(50), nil
    x:eval()
    local y = storage.empty(x._dtype, x._shape, x._size)
    local leaf, out = storage.leaf_of(x), storage.leaf_of(y)
    local copy, from, to = probe.functions.copy, run.address(leaf), run.address(out)
    run.library { name = "outer", since = storage.writes, leaves = { leaf }, writes = { out }, call = function(stream)
      s:use(function() inner = probe.copy(x) end)
      return copy(to, from, 200, stream)
    end }
    assert.equal(50, y[50])
    assert.equal(50, inner[50])
  end)
end)

describe("core.borrowed", function()
  before_each(gpu.context)

  it("destroys a handle once, by close() or behind the last reference, in each of the three forms", function()
    fine [[
      gpu.context()
      for n, form in ipairs { "pointer", "int", "void" } do
        local before = count()
        local h = handle(form, 100 + n)
        assert(h:handle() == 100 + n and count() == before)
        h:close()
        assert(count() == before + 1 and probe.functions.last() == 100 + n)
        gpu.raises("LogicError", "closed", h.close, h)
        gpu.raises("LogicError", "closed", h.handle, h)
        h = nil
        cuda.collect()
        assert(count() == before + 1)
        gpu.apart(function() handle(form, 200 + n) end)
        cuda.collect()
        assert(count() == before + 2 and probe.functions.last() == 200 + n)
      end
      assert(core.failed_destroys() == 0)
      print "fine"
    ]]
  end)

  it("waits in the queue: no finalizer calls the library", function()
    fine [[
      gpu.context()
      local before = count()
      gpu.apart(function() handle "pointer" end)
      collectgarbage()
      collectgarbage()
      assert(count() == before, "called by the finalizer")
      core.drain()
      assert(count() == before + 1)
      print "fine"
    ]]
  end)

  it("is forgotten when its context is gone before", function()
    fine [[
      local ctx = cuda.Device(0):make_context()
      local h, kept = handle "pointer", handle "void"
      ctx:detach()
      gpu.raises("LogicError", "its Context is gone", h.handle, h)
      h = nil
      cuda.collect()
      assert(count() == 0, count())
      gpu.raises("LogicError", "its Context is gone", kept.close, kept)
      assert(count() == 0 and core.failed_destroys() == 0)
      print "fine"
    ]]
  end)

  it("has its context current when the function is called, whichever is current otherwise", function()
    fine [[
      local first = cuda.Device(0):make_context()
      local h = handle "pointer"
      local second = cuda.Device(0):make_context()
      h:close()
      assert(count() == 1 and cuda.Context.get_current() == second)
      second:detach()
      first:detach()
      print "fine"
    ]]
  end)

  it("is never destroyed in a fork", function()
    fine [[
      local ffi = require "ffi"
      ffi.cdef "int fork(void); int waitpid(int, int *, int); void _exit(int);"
      gpu.context()
      local h, g = handle "pointer", handle "void"
      local pid = ffi.C.fork()
      if pid == 0 then
        local ok, err = pcall(h.close, h)
        g = nil
        jit.flush()
        collectgarbage()
        collectgarbage()
        ffi.C._exit(not ok and tostring(err):find "after fork" and count() == 0 and 0 or 1)
      end
      local status = ffi.new "int[1]"
      ffi.C.waitpid(pid, status, 0)
      assert(status[0] == 0, status[0])
      h:close()
      assert(count() == 1 and g)
      print "fine"
    ]]
  end)

  it("is destroyed at the end of the state", function()
    fine [[
      gpu.context()
      KEEP = core.borrowed(42, probe.address "say", "pointer") -- which prints "fine"
    ]]
  end)

  it("says what status the library refused with, and counts that of a finalizer", function()
    fine [[
      gpu.context()
      local h = handle "refuse"
      gpu.raises("RuntimeError", "the library could not destroy this handle: status 7", h.close, h)
      h = nil
      cuda.collect()
      assert(count() == 1 and core.failed_destroys() == 0)
      gpu.apart(function() handle "refuse" end)
      cuda.collect()
      assert(count() == 2 and core.failed_destroys() == 1)
      print "fine"
    ]]
  end)

  it("refuses what is no handle, no address and no form", function()
    local destroy = probe.address "destroy"
    gpu.refuses_nonsense(function(x) return core.borrowed(x, destroy, "pointer") end)
    gpu.refuses_nonsense(function(x) return core.borrowed(1, x, "pointer") end)
    gpu.refuses_nonsense(function(x) return core.borrowed(1, destroy, x) end)
    gpu.raises("LogicError", "expected the address of a C function", core.borrowed, 1, 0, "pointer")
    gpu.raises("LogicError", "expected an int", core.borrowed, 2 ^ 31, destroy, "int")
  end)
end)
