-- Reductions along axes and scans wait until they are needed, and several reductions of one array become one kernel.
-- Each keeps the bits and the values that it has if it is computed where it is written.
local gpu = require "spec.support.gpu"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local ffi = require "ffi"
local joint = require "cudalua.gpuarray.reduce.joint"
local knob = require "spec.support.knob"
local plan = require "cudalua.gpuarray.core.plan"
local reduce_run = require "cudalua.gpuarray.reduce.run"
local reentry = require "spec.support.reentry"
local run = require "cudalua.gpuarray.core.run"
local scan_run = require "cudalua.gpuarray.reduce.scan_run"
local storage = require "cudalua.gpuarray.core.storage"
local waiting = require "cudalua.gpuarray.core.waiting"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431

local function launches(f)
  f() -- kernels are there
  return gpu.kernels(f)
end

local function bits(x)
  local host = x:get({ array = true }):copy "C"
  return ffi.string(host:data(), host.nbytes)
end

describe("Reductions that wait", function()
  local x, y
  setup(gpu.context)
  before_each(function()
    gpuarray.eval()
    x = gpuarray.to_gpu({ { 1, 2, 3 }, { 4, 5, 9 } }, "float32")
    y = gpuarray.to_gpu({ 1, 2, 3 }, "float32")
  end)
  teardown(function() gpuarray.eager(false) end)

  -- ---- one kernel ---------------------------------------------------------------------------------------------------

  it("are one kernel for one array and the same axes", function()
    local function four() return x:mean(1), x:var(1), x:max(1), x:argmin(1) end
    assert.equal(1, launches(function() gpuarray.eval(four()) end))
    assert.equal(1, launches(function()
      for _, r in ipairs { four() } do r:get() end
    end))
    local a, b = x:sum(1), x:sum { axis = 1, keepdims = true }
    assert.equal(1, gpu.kernels(function() b:eval() end))
    assert.same({ 5, 7, 12 }, a:tolist())
    assert.same({ { 5, 7, 12 } }, b:tolist())
    assert.equal(2, launches(function() gpuarray.eval(x:sum(1), x:sum(2), x:min(1), x:min(2)) end))
    assert.equal(2, launches(function() gpuarray.eval(x:sum(1), y[{ gpuarray.newaxis, {} }]:sum(1)) end))
    -- Of an expression, which is computed on the way.
    local e = (x * 2 + y):exp()
    assert.equal(1, gpu.kernels(function() gpuarray.eval(e:sum(2), e:max(2)) end))
    assert.equal(1, launches(function() x:ptp(1):eval():release() end) - 1) -- and the difference
  end)

  it("share what sums and means of the same values have in common, and count what kernels hold", function()
    local function kind_of(r) return r._sig.reduces end
    local s, m, v, d = kind_of(x:sum(1)), kind_of(x:mean(1)), kind_of(x:var(1)), kind_of(x:std(1))
    assert.is_true(joint.fits({ s, m, v }, d))
    assert.is_false(joint.fits({ s, m, v, d }, s)) -- four results
    local z = gpuarray.zeros({ 2, 3 }, "complex128")
    local i = gpuarray.zeros({ 2, 3 }, "float64")
    assert.is_false(joint.fits({ kind_of(z:sum(1)), kind_of(z:prod(1)) }, kind_of(z:count_nonzero(1))))
    assert.is_true(joint.fits({ kind_of(i:argmax(1)) }, kind_of(i:argmin(1))))
    assert.is_false(joint.fits({ kind_of(i:argmax(1)), kind_of(i:argmin(1)) }, kind_of(i:sum(1))))
    assert.equal(3, launches(function()
      gpuarray.eval(i:argmax(1), i:argmin(1), i:sum(1), i:max(1), i:min(1), i:any(1), i:prod(1), i:mean(1))
    end))
  end)

  -- All kinds of kernels: rows, units, columns, and those whose blocks share outputs; wide loads and single ones.
  local shapes = { { 5, 37 }, { 53, 6 }, { 9, 1100 }, { 1100, 9 }, { 70001, 3 }, { 3, 70001 }, { 12, 8, 10 } }
  local lists = {
    { "mean", "var", "max", "argmax" }, { "sum", "mean", "std", "min" }, { "min", "max" },
    { "any", "all", "count_nonzero" }, { "argmin", "nanargmax", "prod" }, { "var", "nanmax", "std" },
  }

  -- Random numbers as an array: of rows, of columns, reversed, or an expression.
  local function operand(numbers, shape, dtype, how)
    local a = (numbers:normal(shape) * 7 + 2):astype(dtype):eval()
    if how == "columns" then return a:copy "F" end
    if how == "reversed" then return a[{ { -1, 1, -1 }, { -1, 1, -1 } }] end
    if how == "expression" then return a * a end
    return a
  end

  it("have the bits that they have alone", function()
    local numbers, n = cuda.random.Generator(20261128), 0
    for k, shape in ipairs(gpu.sanitized and { shapes[1], shapes[2] } or shapes) do
      local dtype = ({ "float32", "float16", "int32", "float64", "uint8", "float32", "bfloat16" })[k]
      for j, how in ipairs { "rows", "columns", "reversed", "expression" } do
        local a = operand(numbers, shape, dtype, how)
        local list = lists[(k + j) % #lists + 1]
        local axes = #shape > 2 and { 1, 3 } or (k + j) % 2 + 1
        local want, got = {}, {}
        for i, name in ipairs(list) do want[i] = bits(a[name](a, axes)) end
        for i, name in ipairs(list) do got[i] = a[name](a, axes) end
        gpuarray.eval(unpack(got))
        for i, name in ipairs(list) do
          assert.equal(want[i], bits(got[i]), ("%s of %s by %s"):format(name, dtype, how))
          n = n + 1
        end
      end
    end
    assert.is_true(n > 20)
  end)

  it("have the bits that a variance has in steps", function()
    for _, shape in ipairs { { 5, 37 }, { 53, 6 }, { 4, 3000 }, { 3000, 4 } } do
      local a = cuda.random.Generator(7):normal(shape) * 5 + 3
      a:eval()
      for axis = 1, 2 do
        local d = a - a:mean { axis = axis, keepdims = true }
        local sum = (d * d):sum(axis)
        local n = shape[axis]
        assert.equal(bits(sum / (n - 1.5)), bits(a:var { axis = axis, ddof = 1.5 }))
        assert.equal(bits((sum / n):sqrt()), bits(a:std(axis)))
        local mean, var, std = a:mean(axis), a:var(axis), a:std { axis = axis, ddof = 1 }
        gpuarray.eval(std, mean, var)
        assert.equal(bits(a:mean(axis)), bits(mean))
        assert.equal(bits(sum / n), bits(var))
        assert.equal(bits((sum / (n - 1)):sqrt()), bits(std))
      end
    end
    assert.equal(1, launches(function() gpuarray.arange(9, "float32"):reshape(3, 3):var(1):eval() end) - 1)
    assert.is_true((x:var { axis = 1, ddof = 3 }:isinf()):all():item())
  end)

  it("down columns of large arrays are several kernels if one takes longer", function()
    local a = gpuarray.arange(3000, "float32"):reshape(50, 60):eval()
    local function three(axis) return launches(function() gpuarray.eval(a:sum(axis), a:max(axis), a:min(axis)) end) end
    local function four(axis)
      return launches(function() gpuarray.eval(a:sum(axis), a:max(axis), a:min(axis), a:argmax(axis)) end)
    end
    local function stored(axis)
      return launches(function()
        local double = a * 2
        gpuarray.eval(double, double:sum(axis))
      end)
    end
    assert.same({ 1, 1, 1, 1, 1, 1 }, { three(1), three(2), four(1), four(2), stored(1), stored(2) })
    finally(knob(run, "LAUNCH", 100))
    assert.same({ 1, 1, 4, 1, 2, 1 }, { three(1), three(2), four(1), four(2), stored(1), stored(2) })
  end)

  it("have the bits that a variance has in steps, whatever the rows of a block", function()
    local blocks = reduce_run.blocks
    finally(function() reduce_run.blocks = blocks end)
    for _, n in ipairs { 130, 256, 600, 2000 } do
      local a = (cuda.random.Generator(7):normal { 131, n } * 5 + 3):eval()
      local d = a - a:mean { axis = 2, keepdims = true }
      local want = bits((d * d):sum(2) / n)
      for _, most in ipairs { 1, 4, 2048 } do -- blocks: the fewer, the more rows has each
        reduce_run.blocks = most
        assert.equal(want, bits(a:var(2)))
      end
    end
  end)

  it("are fewer kernels, too, where blocks share a variance of two passes", function()
    finally(knob(joint, "TWO_PASSES", math.huge))
    local a = gpuarray.arange(70001 * 3):reshape(70001, 3):astype("float32"):eval()
    assert.equal(2, launches(function() gpuarray.eval(a:mean(1), a:var(1)) end))
    assert.equal(3, launches(function() gpuarray.eval(a:mean(1), a:var(1), a:std(1), a:max(1)) end))
    assert.equal(2, launches(function() a:var(1):eval() end))
    -- The mean is another one than that of the variance.
    for _, dtype in ipairs { "float16", "int32" } do
      local b = (a / 5e3):astype(dtype):eval()
      local want, mean, var = bits(b:var(1)), b:mean(1), b:var(1)
      gpuarray.eval(mean, var)
      assert.equal(want, bits(var))
    end
    -- Where elements lie across the order in which they are combined, each is computed by kernels of its own.
    local c = cuda.random.Generator(1):normal { 12, 40, 50 }:eval():transpose()
    local axes = { 1, 2 }
    local alone = launches(function() c:mean(axes):eval() end) + launches(function() c:max(axes):eval() end)
    assert.is_true(alone > 2)
    local want, mean = bits(c:mean(axes)), nil
    assert.equal(alone, launches(function()
      mean = c:mean(axes)
      gpuarray.eval(mean, c:max(axes))
    end))
    assert.equal(want, bits(mean))
  end)

  it("count elements with 64 bits where they have to", function()
    finally(knob(plan, "LIMIT", 1)) -- as if there were 2^31 elements
    for _, shape in ipairs { { 5, 37 }, { 53, 6 } } do
      local a = cuda.random.Generator(5):normal(shape):eval()
      local want = { bits(a:mean(1)), bits(a:var(1)), bits(a:argmax(1)) }
      local m, v, p = a:mean(1), a:var(1), a:argmax(1)
      gpuarray.eval(m, v, p)
      assert.same(want, { bits(m), bits(v), bits(p) })
    end
  end)

  -- ---- when they start ----------------------------------------------------------------------------------------------

  it("start before the next evaluation, whatever it computes, and if 64 operations were written", function()
    local z = y + 1
    local s, t
    assert.equal(0, launches(function() s, t = x:sum(1), x:var(2) end))
    assert.is_truthy(s._sig and t._sig)
    assert.equal(3, gpu.kernels(function() z:eval() end))
    assert.is_falsy(s._sig or t._sig)
    for _, f in ipairs { function() y:set(y * 2) end, function() return y:sum() end,
      function() return y:cumsum():eval() end, function() return (y * 3):get() end } do
      s = x:sum(1)
      f()
      assert.is_falsy(s._sig)
    end
    s = x:sum(1)
    for _ = 1, waiting.AFTER do z = z + 1 end
    assert.is_truthy(s._sig)
    assert.equal(1, gpu.kernels(function() z = z + 1 end))
    assert.is_falsy(s._sig)
  end)

  it("of one result start when they are written", function()
    assert.equal(1, launches(function() return x:sum(), nil end))
    assert.equal(1, launches(function() return x[{ { 1, 1 } }]:sum { axis = { 1, 2 } } end))
    assert.equal(1, launches(function() return x:var() end))
    local rows = gpuarray.zeros { 4, 1 }
    assert.equal(0, launches(function() return rows:sum(2) end))
  end)

  it("keep a fixed number of bytes alive", function()
    finally(knob(waiting, "BYTES", 4000))
    finally(knob(waiting, "AFTER", math.huge))
    local list, sums = {}, {}
    for k = 1, 30 do list[k] = gpuarray.full({ 10, 10 }, k, "float32") end
    gpuarray.eval()
    local started = gpu.kernels(function()
      for k = 1, 30 do sums[k] = list[k]:sum(1) end
    end)
    assert.equal(20, started) -- the last ten wait
    for k = 1, 30 do assert.equal(10 * k, sums[k][1]) end
    -- One that exceeds them waits for other reductions that do not, and for nothing else.
    local large = gpuarray.ones { 50, 50 }
    assert.equal(1, launches(function() gpuarray.eval(large:mean(1), large:var(1)) end))
    large = gpuarray.ones { 2500, 4 } -- too long for a row kernel
    local s
    assert.equal(1, gpu.kernels(function()
      s = large:sum(1)
      local _ = large:max(1)
      _ = y + 1
    end))
    assert.is_falsy(s._sig)
    assert.equal(1, gpu.kernels(function()
      s = large:sum(1)
      local _ = gpuarray.ones { 40, 40 }:sum(1)
    end))
    assert.is_falsy(s._sig)
    gpuarray.eval()
    local small
    assert.equal(0, gpu.kernels(function()
      s = large:sum(1)
      small = list[1]:sum(1)
    end))
    assert.is_truthy(s._sig)
    assert.equal(2, gpu.kernels(function() y = y + 1 end))
    assert.same({ 2500, 10 }, { s[3], small[2] })
  end)

  it("hold at most the memory of their results and that number of bytes, if 10,000 are kept", function()
    local N = gpu.sanitized and 500 or 10000
    local function held()
      cuda.collect()
      return cuda.mem_stats().pooled.bytes
    end
    -- The most that N row sums hold besides their results, which take up to 512 bytes each.
    local function most()
      local sums, before, beyond = {}, held(), 0
      for k = 1, N do
        sums[k] = gpuarray.empty { 32, 32 }:sum(1) -- 4 KiB, and no evaluation
        if k % (N / 20) == 0 then beyond = math.max(beyond, held() - before - 512 * k) end
      end
      return #sums == N and beyond
    end
    finally(knob(waiting, "AFTER", math.huge))
    finally(knob(waiting, "BYTES", 2 ^ 18))
    assert.is_true(most() <= 2 ^ 18 + 8192)
    finally(knob(waiting, "BYTES", math.huge))
    assert.is_true(most() > 2 ^ 19)
  end)

  it("start before an array raises that memory is short, which they may keep", function()
    local r = x:sum(1)
    local asked = pcall(gpuarray.empty, { 2 ^ 44 }, "float32") -- more than there is
    assert.is_false(asked)
    assert.is_falsy(r._sig)
    local tried = 0
    local list, start = x:max(1), storage.make_room
    finally(knob(storage, "make_room", function()
      tried = tried + 1
      start()
    end))
    gpu.raises("MemoryError", "", gpuarray.empty, { 2 ^ 44 }, "float32")
    assert.equal(1, tried)
    assert.same({ 4, 5, 9 }, list:tolist())
    gpu.raises("MemoryError", "", gpuarray.empty, { 2 ^ 44 }, "float32")
    assert.equal(1, tried) -- nothing waits
  end)

  -- ---- values of their time -----------------------------------------------------------------------------------------

  it("have the values that operands had when they were written", function()
    local a, b = x:sum(1), x:mean { axis = 2, keepdims = true }
    x:fill(7)
    assert.same({ 5, 7, 12 }, a:tolist())
    assert.same({ { 2 }, { 6 } }, b:tolist())
    a = x:max(1)
    x[{ { 1 }, {} }] = 100
    assert.same({ 7, 7, 7 }, a:tolist())
    a = x:max(2)
    x[{ 2, 1 }] = 9
    assert.same({ 100, 7 }, a:tolist())
    x:iadd(1)
    a = x:min(1)
    x:set(x - x:min { axis = 1, keepdims = true })
    assert.same({ 10, 8, 8 }, a:tolist())
    assert.same({ { 91, 93, 93 }, { 0, 0, 0 } }, x:tolist())
    local t = x * 2
    a = t:sum(2)
    t:fill(1)
    x:fill(0)
    assert.same({ 554, 0 }, a:tolist())
    t = x + 1
    a = t:sum(2)
    t:eval()
    t:fill(5)
    assert.same({ 3, 3 }, a:tolist())
    -- A view of what was written.
    local v = x[{ { 1, 2 }, { 1, 2 } }]
    a = v:sum(1)
    x:fill(4)
    assert.same({ 0, 0 }, a:tolist())
    -- Memory whose address others know from here on.
    a = x:sum(1)
    local address = x.ptr
    cuda.memset_d32(cuda.pointer(address), 0, 6)
    assert.same({ 8, 8, 8 }, a:tolist())
    -- A kernel of the program's own.
    a = x:sum(1)
    cuda.elementwise.ElementwiseKernel("float *x", "x[i] = 3", "threes")(x)
    assert.same({ 0, 0, 0 }, a:tolist())
  end)

  it("are two arrays if they are equal", function()
    local p, q = x:sum(1), x:sum(1)
    p:fill(0)
    assert.same({ 5, 7, 12 }, q:tolist())
    assert.same({ 0, 0, 0 }, p:tolist())
  end)

  it("survive the release of what they read, and the end of its scope", function()
    local function check()
      local a = x:copy():eval()
      local s = a:sum(1)
      a:release()
      assert.same({ 5, 7, 12 }, s:tolist())
      local t = x * 2
      s = t:var(2)
      t:release()
      assert.equal(s[1], ((x * 2):var(2))[1])
      local outer
      gpuarray.scope(function()
        local b = x:copy():eval()
        coroutine.wrap(function() outer = b:max(1) end)() -- written in no scope
      end)
      assert.same({ 4, 5, 9 }, outer:tolist())
    end
    check()
    local inner
    gpuarray.scope(function() inner = x:sum(1) end)
    gpu.raises("LogicError", "released", inner.get, inner)
    local kept = gpuarray.scope(function() return (x + 1):sum(1) end)
    assert.same({ 7, 9, 14 }, kept:tolist())
    for _, field in ipairs { "before_release", "before_drop", "before_leave" } do
      local restore = knob(storage, field, function() end)
      assert.is_false((pcall(check)), field)
      restore()
    end
  end)

  it("start when they are written if other code can change or free the memory", function()
    local mem = cuda.mem_alloc(24)
    local a = gpuarray.wrap(mem, { 2, 3 }, "float32")
    a:set(x)
    local s, t = a:sum(1), (a + 1):sum(1)
    assert.is_falsy(s._sig)
    cuda.memset_d32(mem, 0, 6)
    assert.same({ 5, 7, 12 }, s:tolist())
    assert.same({ 7, 9, 14 }, t:tolist())
    local own
    local b = gpuarray.zeros({ 2, 3 }, { allocator = function(n)
      own = cuda.mem_alloc(n)
      return own
    end })
    local r = b:sum(1)
    own:free()
    assert.same({ 0, 0, 0 }, r:tolist())
    gpu.raises("LogicError", "released", function()
      local c = x:copy():eval()
      c:release()
      return c:sum(1)
    end)
    gpu.raises("LogicError", "released", function()
      local c = x:copy():eval()
      local d = c + 1
      c:release()
      return d:sum(1)
    end)
  end)

  it("are nodes of the graph that is being captured, if they are written there, and not if they were written before",
    function()
      local stream, before = cuda.Stream(), x:sum(1)
      local inside, spread
      local exec = stream:capture(function()
        assert.is_falsy(before._sig)
        inside, spread = x:sum(1), x:var(1)
      end):instantiate()
      for k = 1, 2 do
        x:fill(k)
        cuda.Context.synchronize()
        exec:launch(stream)
        stream:synchronize()
        assert.same({ 2 * k, 2 * k, 2 * k }, inside:tolist())
        assert.same({ 0, 0, 0 }, spread:tolist())
      end
      assert.same({ 5, 7, 12 }, before:tolist())
      local step = cuda.graph(function(u) return u:mean(1) + u:max(1) end)
      for k = 1, 3 do assert.same({ 2 * k, 2 * k, 2 * k }, step(gpuarray.full({ 2, 3 }, k, "float32")):tolist()) end
    end)

  -- ---- streams, events, contexts ------------------------------------------------------------------------------------

  it("run in the stream that they were written in", function()
    local stream, s, t = cuda.Stream(), x:sum(1), nil
    assert.equal(1, gpu.kernels(function()
      stream:use(function() assert.is_falsy(s._sig) end)
    end))
    local z = y + 1
    local seen = gpu.launches_by_stream(function()
      t = x:max(1)
      stream:use(function() z:eval() end)
    end)
    if seen then assert.equal(1, seen[stream:handle()]) end
    local u
    seen = gpu.launches_by_stream(function()
      stream:use(function() u = x:min(1) end)
    end)
    assert.is_falsy(u._sig)
    if seen then assert.equal(1, seen[stream:handle()]) end
    seen = gpu.launches_by_stream(function()
      stream:use(function()
        u = x:min(1)
        do local _ = u + 1 end -- an operand, so that it does not look needed
        collectgarbage()
      end)
    end)
    assert.is_falsy(u._sig)
    if seen then assert.equal(1, seen[stream:handle()]) end
    seen = gpu.launches_by_stream(function() u = x:min { axis = 1, stream = stream } end)
    assert.is_falsy(u._sig)
    if seen then assert.equal(1, seen[stream:handle()]) end
    assert.same({ 4, 5, 9 }, t:tolist())
  end)

  it("start before events and waits", function()
    local stream, event = cuda.Stream(), cuda.Event()
    for name, f in pairs {
      ["Event:record"] = function() return event:record() == event end,
      ["Stream:synchronize"] = function() return cuda.legacy_stream:synchronize() == cuda.legacy_stream end,
      ["Stream:wait_for_event"] = function() return stream:wait_for_event(event) == stream end,
      ["Stream:on_complete"] = function() return stream:on_complete(function() end) == stream end,
      ["Context.synchronize"] = function()
        cuda.Context.synchronize()
        cuda.Context.get_current():synchronize()
        return true
      end,
    } do
      local s = x:sum(1)
      assert.equal(1, gpu.kernels(function() assert.is_true(f(), name) end), name)
      assert.is_falsy(s._sig)
    end
    cuda.poll()
    gpu.raises("LogicError", "record", event.record, event, 3)
    gpu.raises("LogicError", "wait_for_event", stream.wait_for_event, stream, 3)
  end)

  it("belong to a profile with the line that wrote them", function()
    local s = x:sum(1)
    local line
    local p = cuda.profile(function()
      assert.is_falsy(s._sig)
      line = debug.getinfo(1, "l").currentline + 1
      s = x:var(1)
      local z = y + 1
      z:eval()
    end, { print = false })
    local found
    for _, a in ipairs(p.activities) do
      if a.kind == "kernel" and a.name:find "var" then found = a.line end
    end
    assert.equal(line, tonumber(found:match "(%d+)$"))
    p = cuda.profile(function() s = x:max(1) end, { print = false })
    assert.is_falsy(s._sig)
    assert.equal(1, #p.activities)
  end)

  it("of two contexts are computed in their own", function()
    local other = cuda.Device(0):make_context()
    local there = gpuarray.to_gpu({ { 1, 2 }, { 3, 5 } }, "float32")
    local s = there:sum(1)
    local m, v = there:mean(1), there:var(1)
    cuda.Context.pop()
    finally(function() other:detach() end)
    local t = x:sum(1)
    local late = there:sum(2) -- not of the current context
    assert.is_falsy(late._sig)
    assert.same({ 5, 7, 12 }, t:tolist())
    assert.same({ 4, 7 }, s:tolist())
    assert.same({ 2, 3.5 }, m:tolist())
    assert.same({ 1, 2.25 }, v:tolist())
    assert.equal(there._store.context, v._store.context)
    assert.same({ 3, 8 }, late:tolist())
  end)

  -- ---- modes, errors ------------------------------------------------------------------------------------------------

  it("are computed when they are written in eager mode, and in fused functions that do not reduce arguments", function()
    local s = x:sum(1)
    gpuarray.eager(true)
    assert.is_falsy(s._sig)
    s = x:var(1)
    assert.is_falsy(s._sig)
    gpuarray.eager(false)
    local r = x:max(1)
    assert.same({ 5, 7, 12 }, gpuarray.fuse(function(a) return a + r end)(y):tolist())
    local state
    gpuarray.fuse(function(a)
      local sum = x:sum(1)
      state = sum._sig
      return a + sum
    end)(y)
    assert.is_false(state)
  end)

  it("of one result wait in gpuarray.eval(function) and gpuarray.fuse", function()
    local function four(a) return a:mean(), a:var(), a:max(), a:argmin() end
    local fused = gpuarray.fuse(four)
    assert.equal(1, launches(function() return gpuarray.eval(four, x) end))
    assert.equal(1, launches(function() return fused(x) end))
    assert.equal(1, launches(function() return fused(x) end))
    assert.same({ 4, 9, 1 }, (function(m, _, most, at) return { m:item(), most:item(), at:item() } end)(fused(x)))
    assert.equal(1, launches(function() return gpuarray.eval(function() return (x - x:mean()) / x:std() end) end))
    assert.equal(1, launches(function()
      return gpuarray.fuse(function(a) return (a - a:mean()) / a:std() end)(x)
    end))
    assert.equal(1, launches(function() return gpuarray.eval(function() return x:ptp() end) end) - 1)
    -- The function's results, whatever they are, and its errors; afterwards all is as before.
    local a, b, c, d = gpuarray.eval(function(...) return x:sum():item(), ..., x + 1 end, 3, nil)
    assert.same({ 24, 3, 10 }, { a, b, c:item(2, 3) })
    assert.is_nil(d)
    assert.is_falsy(c._sig)
    assert.equal("mine", select(2, pcall(gpuarray.eval, function() error("mine", 0) end)))
    gpu.raises("LogicError", "axis 5", gpuarray.eval, function() return x:sum(5) end)
    assert.is_falsy(x:sum()._sig)
    local inner, outer
    gpuarray.eval(function()
      inner = gpuarray.eval(function() return x:max() end)
      outer = x:sum()
      assert.is_truthy(outer._sig)
      assert.is_falsy(inner._sig)
    end)
    assert.is_truthy(outer._sig)
    assert.same({ 24, 9 }, { outer:item(), inner:item() })
    gpuarray.eval(function()
      local s, v = x:sum(), x:var()
      x:fill(2)
      inner, outer = s, v
    end)
    assert.same({ 24, 2 }, { inner:item(), x:mean():item() })
    assert.is_true(math.abs(outer:item() - 20 / 3) < 1e-5)
    gpu.raises("LogicError", "expected an array, got 3", gpuarray.eval, 3)
    -- What is made of reductions of temporary arrays.
    local list = { gpuarray.eval(function()
      return y:dot(y + 1), y:nanmean(), y:norm(), y:ptp(), y:logsumexp(), gpuarray.vdot(y, y), gpuarray.inner(y, y)
    end) }
    local want = { y:dot(y + 1), y:nanmean(), y:norm(), y:ptp(), y:logsumexp(), gpuarray.vdot(y, y),
      gpuarray.inner(y, y) }
    for i = 1, 7 do assert.equal(want[i]:item(), list[i]:item()) end
    -- Coroutines that end in another order.
    local function yielding()
      return coroutine.wrap(function() gpuarray.eval(coroutine.yield) end)
    end
    local first, second = yielding(), yielding()
    first()
    second()
    first()
    assert.is_truthy(x:sum()._sig)
    second()
    assert.is_falsy(x:sum()._sig)
    -- Where memory and streams are asked for.
    local asked, stream = {}, cuda.Stream()
    local function allocator(bytes)
      asked[#asked + 1] = bytes
      return cuda.mem_alloc(bytes)
    end
    local s, t, u = gpuarray.eval(function()
      return x:sum { allocator = allocator }, x:max { stream = stream }, x:cumsum { axis = 1, allocator = allocator }
    end)
    assert.same({ 12, 2, { { 2, 2, 2 }, { 4, 4, 4 } } }, { s:item(), t:item(), u:tolist() })
    assert.same({ 4, 24 }, asked)
  end)

  it("of one result have the bits that they have alone", function()
    local numbers, n = cuda.random.Generator(20261201), 0
    for k, shape in ipairs(gpu.sanitized and { { 5, 37 } } or { { 37 }, { 5, 37 }, { 300, 1000 } }) do
      for _, how in ipairs { "rows", "columns", "reversed", "expression" } do
        if #shape > 1 or how ~= "reversed" then
          local a = operand(numbers, shape, k % 2 == 0 and "float32" or "float16", how)
          for _, list in ipairs { lists[1], lists[3] } do
            local want = {}
            for i, name in ipairs(list) do want[i] = bits(a[name](a)) end
            local got = { gpuarray.eval(function()
              local rest = {}
              for i, name in ipairs(list) do rest[i] = a[name](a) end
              assert.is_truthy(rest[1]._sig)
              return unpack(rest)
            end) }
            for i, name in ipairs(list) do
              assert.equal(want[i], bits(got[i]), ("%s %d by %s"):format(name, k, how))
              n = n + 1
            end
          end
        end
      end
    end
    assert.is_true(n > 20)
    local large = gpuarray.arange(70001):astype("float32"):eval()
    assert.equal(1, launches(function() return gpuarray.eval(function() return large:mean(), large:var() end) end))
    assert.equal(1, launches(function() return gpuarray.eval(function() return large:max(), large:min() end) end))
  end)

  it("are explained without being started, and have sources", function()
    local m, v = x:mean(1), x:var(1)
    local z = m / v
    local text
    assert.equal(0, gpu.kernels(function() text = gpuarray.explain(z) end))
    assert.is_truthy(m._sig and v._sig)
    assert.is_truthy(text:find("2 kernels", 1, true))
    assert.is_truthy(text:find("reductions and scans start before other arrays", 1, true))
    assert.is_truthy(gpuarray.source(v):find("namespace second", 1, true)) -- of a kernel in two phases
    local large = gpuarray.zeros { 70001, 3 }
    local s = large:sum(1) -- whose blocks share memory
    assert.is_truthy(gpuarray.explain(s):find("2 kernels", 1, true)) -- that of m and v, too
    assert.equal(3, gpu.kernels(function() z:eval() end))
    assert.equal(0, s[1])
    -- They are as before: one that exceeds the bytes starts with the next operation, and joins others until then.
    finally(knob(waiting, "BYTES", 4000))
    large:eval()
    assert.equal(1, launches(function()
      local a = large:max(1)
      gpuarray.explain(a)
      local b = large:min(1)
      local _ = y + 1
      assert.is_falsy(a._sig or b._sig)
    end))
  end)

  it("may be operands of anything", function()
    local m = x:mean { axis = 1, keepdims = true }
    assert.same({ { -1.5, -1.5, -3 }, { 1.5, 1.5, 3 } }, (x - m):tolist())
    assert.same({ 12, 5, 7 }, x:sum(1):roll(1):tolist())
    assert.same({ 24, 10, 14 }, (x:sum(1) * 2):roll(1):tolist())
    assert.same({ 5, 7, 12, 4, 5, 9 }, gpuarray.concatenate({ x:sum(1), x:max(1) }):tolist())
    assert.same({ 5, 12, 24 }, x:sum(1):cumsum():tolist())
    assert.equal(24, x:sum(1):sum():item())
    assert.same({ 6, 18 }, x:sum { axis = 2, keepdims = true }:sum(2):tolist())
    assert.same({ 12, 7 }, x:sum(1)[{ { 3, 2, -1 } }]:tolist())
    assert.same({ 5, 7, 12 }, x:sum(1):sort():tolist())
    local out = gpuarray.zeros(3)
    assert.equal(out, x:sum { axis = 1, out = out })
    assert.same({ 5, 7, 12 }, out:tolist())
    out:set(x:max(1))
    assert.same({ 4, 5, 9 }, out:tolist())
    local r = x:sum(1)
    local a, b = r + 1, r * 2
    assert.equal(2, gpu.kernels(function() gpuarray.eval(a, b, r) end))
    assert.same({ 6, 8, 13 }, a:tolist())
    assert.same({ 10, 14, 24 }, b:tolist())
    assert.equal("(3)", tostring(r.shape):match "%(3%)" or "(3)")
    local p = x:sum(1)
    assert.same({ 5, 7, 12 }, p:tolist())
  end)

  it("keep their own errors, and let others be computed", function()
    local leaf = reduce_run.leaf
    local restore = knob(reduce_run, "leaf", function(kind, ...)
      if kind.row.name == "prod" then errors.raise("MemoryError", "no memory is left for this one") end
      return leaf(kind, ...)
    end)
    local p, s, z = x:prod(1), x:sum(2), y + 1
    z:eval()
    assert.is_falsy(s._sig)
    assert.is_truthy(p._sig)
    local q = p + 1
    gpu.raises("MemoryError", "this one", q.eval, q)
    gpu.raises("MemoryError", "this one", p.get, p)
    local e = gpu.raises("MemoryError", "this one", p.eval, p)
    if gpu.soft then assert.is_truthy(e.expression[1]:find "^prod at .*waiting_spec") end
    restore()
    assert.same({ 4, 10, 27 }, p:tolist())
    assert.same({ 5, 11, 28 }, q:tolist())
    -- A kernel of several that fails: they are computed one by one.
    restore = knob(joint, "compute", function() errors.raise("MemoryError", "no memory is left") end)
    local a, b = x:sum(1), x:max(1)
    assert.equal(2, gpu.kernels(function() gpuarray.eval(a, b) end))
    restore()
    assert.same({ 4, 5, 9 }, b:tolist())
    -- An interruption ends the evaluation.
    restore = knob(reduce_run, "leaf", function() errors.raise("InterruptError", "interrupted") end)
    a = x:sum(1)
    local ok, err = pcall(z.set, z, y)
    restore()
    assert.is_true(not ok and cuda.is_error(err, "InterruptError"))
    assert.same({ 5, 7, 12 }, a:tolist())
  end)

  -- ---- what is stored on the way ------------------------------------------------------------------------------------

  it("store what they read if it is asked for, too", function()
    local function read(together)
      return function()
        local e = x * 2 + y
        local s = e:max(2)
        if together then gpuarray.eval(s, e) else e:eval() end
        assert.is_falsy(s._sig or e._sig)
        return e, s
      end
    end
    for _, together in ipairs { true, false } do
      assert.equal(1, launches(read(together)))
      local e, s = read(together)()
      assert.same({ { 3, 6, 9 }, { 9, 12, 21 } }, e:tolist())
      assert.same({ 9, 21 }, s:tolist())
    end
    assert.equal(1, launches(function()
      return gpuarray.eval(function()
        local e = x * 2
        return e:mean(), e, e:max()
      end)
    end))
    -- A kernel that computes other results of this shape as well reads the arrays anyway, and scans store nothing else.
    assert.equal(2, launches(function()
      local e = x * 2
      gpuarray.eval(e, e:max(1), x * 3)
    end))
    assert.equal(2, launches(function()
      local e = x * 2
      gpuarray.eval(e, e:cumsum(1))
    end))
    assert.equal(2, launches(function()
      local e = x * 2
      local s = e:max(1)
      s:eval()
      e:eval()
    end))
    local e = x * 2
    local s = e:max(1)
    local text
    assert.equal(0, gpu.kernels(function() text = gpuarray.explain(e, s) end))
    assert.is_truthy(text:find("1 kernel: 24 B read, 36 B written", 1, true))
    assert.is_truthy(e._sig and s._sig)
    assert.equal(1, gpu.kernels(function() gpuarray.eval(e, s) end))
    -- Each has its own owner.
    local inner
    local outer = gpuarray.scope(function()
      inner = x * 2
      local most = inner:max(1)
      gpuarray.eval(inner, most)
      return most
    end)
    assert.same({ 8, 10, 18 }, outer:tolist())
    gpu.raises("LogicError", "released", inner.get, inner)
  end)

  local views = {
    function(v) return v end, function(v) return v:copy "F" end, function(v) return v.T end,
    function(v) return v[{ { -1, 1, -1 }, { -1, 1, -1 } }] end, function(v) return v[{ {}, { 2, -1 } }] end,
    function(v) return v:astype "float16" end,
  }

  it("store the bits and strides that the operand has alone, in all kinds of kernels", function()
    local some = gpu.sanitized and { { 5, 37 }, { 53, 6 } } or shapes
    local n, fewer = 0, 0
    for k, shape in ipairs(some) do
      local from = (cuda.random.Generator(k):normal(shape) * 7):eval()
      for i, view in ipairs(#shape == 2 and views or { views[1], views[3] }) do
        local v = view(from)
        for axis = 1, v.ndim do
          local names = lists[(k + i + axis) % #lists + 1]
          local e = (v * 0.5):eval()
          local want = { bits(e) .. table.concat(e.strides, ",") }
          for j, name in ipairs(names) do want[j + 1] = bits(e[name](e, axis)) end
          local z, got = v * 0.5, {}
          for j, name in ipairs(names) do got[j] = z[name](z, axis) end
          local count = gpu.kernels(function() gpuarray.eval(z, unpack(got)) end)
          if count == 1 then fewer = fewer + 1 end
          got[0] = z
          for j = 0, #names do
            assert.equal(want[j + 1], bits(got[j]) .. (j == 0 and table.concat(z.strides, ",") or ""),
              ("%s of view %d of shape %d along %d"):format(names[j] or "operand", i, k, axis))
            n = n + 1
          end
        end
      end
    end
    assert.is_true(n > 40 and fewer > n / 10)
  end)

  it("store without races", function()
    if not gpu.soft then return pending "the check is the software device's" end
    local softgpu = require "cudalua.softgpu"
    local list = {}
    for k, shape in ipairs { { 5, 37 }, { 530, 6 }, { 70001, 3 }, { 3, 70001 }, { 300, 40 } } do
      list[k] = gpuarray.ones(shape):eval()
    end
    softgpu.check "races,barriers,shuffles,uninitialised"
    local ok, err = pcall(function()
      for _, a in ipairs(list) do
        for axis = 1, 2 do
          local e = a * 2
          gpuarray.eval(e, e:sum(axis), e:var(axis))
          e = a * 3
          gpuarray.eval(e, e:max(axis))
        end
      end
    end)
    softgpu.check "off"
    assert.is_true(ok, tostring(err))
  end)

  -- What a finalizer does at any line of the call.
  local finalizers = {
    ["writes to the operand"] = function(v) v.x:set(v.x * 100) end,
    ["writes to a part of the operand"] = function(v) v.x[{ { 1 }, {} }] = 7 end,
    ["gives the operand's memory away"] = function(v) cuda.memset_d32(cuda.pointer(v.x.ptr), 0, 15) end,
    ["computes a result"] = function(v) v[2]:eval() end,
    ["computes all results"] = function(v) gpuarray.eval(v[3], v[1]) end,
    ["makes an operand of a result"] = function(v) v.z = v[2] * 2 end,
    ["writes a reduction"] = function(v) v.z = v.x:sum(1) end,
    ["writes to a result"] = function(v) v.z = v[1] + 0 v[1]:fill(5) v[1] = v.z end,
    ["collects"] = function() collectgarbage() end,
  }

  -- How often a result was another one than before. `names`: the reductions.
  -- `stored`: of an expression, which is evaluated along with them.
  local function sweep(inner, most, shape, names, stored)
    local from = cuda.random.Generator(3):normal(shape):eval()
    local want, total
    local wrong, k = 0, 0
    repeat -- twice without, as the first call compiles
      local v = { x = from:copy():eval() }
      local n = #names
      local _, lines = reentry.call(function()
        local e = stored and v.x * 2 or v.x
        for i, name in ipairs(names) do v[i] = e[name](e, 1) end
        if stored then n, v[n + 1] = n + 1, e end
        gpuarray.eval(unpack(v, 1, n))
      end, function() if v[#names] then inner(v) end end, k > 1 and math.floor(k) or math.huge)
      if k <= 1 then total = lines end
      local got = ""
      for i = 1, n do got = got .. bits(v[i]) end
      want = want or got
      if got ~= want then wrong = wrong + 1 end
      k = k + math.max(k > 0 and total / most or 1, 1)
    until k > total
    return wrong
  end

  for name, inner in pairs(finalizers) do
    it("have the values of their time if a finalizer " .. name, function()
      local names = { "mean", "var", "max" }
      assert.equal(0, sweep(inner, gpu.sanitized and 5 or 60, { 5, 3 }, names))
      assert.equal(0, sweep(inner, gpu.sanitized and 5 or 40, { 5, 3 }, names, true))
      if not gpu.sanitized then assert.equal(0, sweep(inner, 15, { 3000, 3 }, names)) end
    end)
  end

  it("take no memory for a kernel that would take longer than several", function()
    finally(knob(run, "LAUNCH", 1))
    finally(knob(joint, "COLUMN_BYTES", 4))
    local a = gpuarray.arange(640 * 33, "float32"):reshape(640, 33):eval()
    local buffer = storage.buffer
    local function memories(f)
      f()
      local n = 0
      local restore = knob(storage, "buffer", function(...)
        n = n + 1
        return buffer(...)
      end)
      local ok, count = pcall(gpu.kernels, f)
      restore()
      assert(ok, count)
      return n, count
    end
    for _, f in ipairs {
      function()
        local z = a * 2
        gpuarray.eval(z, z:sum(1))
      end,
      function() gpuarray.eval(a:sum(1), a:max(1)) end,
    } do
      local n, count = memories(f)
      assert.equal(2, count)
      assert.is_true(n <= 2)
    end
  end)

  it("would have later values if results that a finalizer computed were not left alone", function()
    finally(knob(evaluate, "take", function(a, leaf)
      a._sig, a._a, a._b, a._low = false, leaf, leaf, math.huge
    end))
    finally(knob(joint, "is_changed", function() return false end))
    finally(knob(run, "kernel", (function()
      local kernel = run.kernel
      return function(launch)
        launch.since = storage.writes
        return kernel(launch)
      end
    end)()))
    assert.is_true(sweep(finalizers["gives the operand's memory away"], 400, { 5, 3 }, { "var" }) > 0)
  end)
end)

describe("Scans that wait", function()
  local x, y
  setup(gpu.context)
  before_each(function()
    gpuarray.eval()
    x = gpuarray.to_gpu({ { 1, 2, 3 }, { 4, 5, 9 } }, "float32")
    y = gpuarray.to_gpu({ 1, 2, 3 }, "float32")
  end)
  teardown(function() gpuarray.eager(false) end)

  it("start when they are needed, before the next evaluation, and if 64 operations were written", function()
    local s, t, u
    local held = {} -- by two calls
    assert.equal(0, launches(function()
      s, t, u = x:cumsum(1), x:cummax(), (x * 2):cumprod(2)
      held[#held + 1] = { s, t, u }
    end))
    assert.is_truthy(s._sig and t._sig and u._sig)
    local z = y + 1
    assert.equal(7, gpu.kernels(function() z:eval() end))
    assert.equal(2, #held)
    assert.is_falsy(s._sig or t._sig or u._sig)
    assert.same({ { 1, 2, 3 }, { 5, 7, 12 } }, s:tolist())
    assert.same({ 1, 2, 3, 4, 5, 9 }, t:tolist())
    assert.same({ { 2, 8, 48 }, { 8, 80, 1440 } }, u:tolist())
    s = x:cumsum(1)
    for _ = 1, waiting.AFTER do z = z + 1 end
    assert.is_truthy(s._sig)
    assert.equal(1, gpu.kernels(function() z = z + 1 end))
    assert.is_falsy(s._sig)
    -- Of a scan, and beside reductions of the same array: each scan is a kernel.
    assert.equal(3, launches(function() gpuarray.eval(x:sum(1), x:cumsum(1), x:max(1), x:cumsum(2)) end))
    assert.equal(3, launches(function()
      local a = x:cumsum(2)
      gpuarray.eval(a:cummax(1), x:sum(1), x:max(1), a)
    end))
    assert.equal(0, launches(function()
      local a = x:cumsum(2)
      a:cummax(1):release()
    end))
    -- NaN is replaced by expressions that nobody else has, and a result may have to be written.
    assert.equal(1, launches(function() return x:nancumsum(1) end))
    local out = gpuarray.zeros { 2, 3 }
    assert.equal(1, launches(function() x:cumsum { axis = 2, out = out } end))
    assert.same({ { 1, 3, 6 }, { 4, 9, 18 } }, out:tolist())
  end)

  it("have the bits, strides and owner that they have where they are written", function()
    local numbers = cuda.random.Generator(20261129)
    local shapes = gpu.sanitized and { { 5, 37 } } or { { 5, 37 }, { 53, 6 }, { 3, 9000 }, { 9000, 3 }, { 6, 7, 8 } }
    local n = 0
    for k, shape in ipairs(shapes) do
      local a = numbers:normal(shape):astype(k % 2 == 0 and "float16" or "float32"):eval()
      for _, v in ipairs { a, a:copy "F", a.T, a[{ { -1, 1, -1 } }], a * 2, a:copy("F") * 0.5, a.T + 1, a:roll(1) } do
        for axis = 0, v.ndim do
          local arrays = {}
          for i, eager in ipairs { true, false } do
            gpuarray.eager(eager)
            arrays[i] = gpuarray.scope(function() return v:cumsum(axis > 0 and axis or nil) end)
            local waits = arrays[i]
            if not eager then
              waits = v:cumsum(axis > 0 and axis or nil)
              assert.is_truthy(waits._sig)
            end
            gpuarray.eager(false)
            -- Views of expressions have the strides of the expression.
            local z = waits * 2
            n = n + 1
            arrays[i] = bits(waits) .. table.concat(waits.strides, ",") .. table.concat(z.strides, ",")
          end
          assert.equal(arrays[1], arrays[2])
        end
      end
    end
    assert.is_true(n > 30)
    local inner, kept
    gpuarray.scope(function() inner = x:cumsum(1) end)
    gpu.raises("LogicError", "released", inner.get, inner)
    kept = gpuarray.scope(function() return (x + 1):cumsum(1) end)
    assert.same({ { 2, 3, 4 }, { 7, 9, 14 } }, kept:tolist())
  end)

  it("have the values that operands had when they were written", function()
    local a, b = x:cumsum(1), (x * 2):cummax(2)
    x:fill(7)
    assert.same({ { 1, 2, 3 }, { 5, 7, 12 } }, a:tolist())
    assert.same({ { 2, 4, 6 }, { 8, 10, 18 } }, b:tolist())
    a = x:cumsum(2)
    x[{ 2, 1 }] = 9
    assert.same({ { 7, 14, 21 }, { 7, 14, 21 } }, a:tolist())
    x:set(x:cumsum(2))
    assert.same({ { 7, 14, 21 }, { 9, 16, 23 } }, x:tolist())
    x[{ { 1 }, {} }] = x:cumsum(1)[{ { 2 }, {} }]
    assert.same({ { 16, 30, 44 }, { 9, 16, 23 } }, x:tolist())
    local t = x * 2
    a = t:cumsum()
    t:fill(1)
    assert.same({ 32, 92, 180, 198, 230, 276 }, a:tolist())
    a = x:cumsum(1)
    cuda.memset_d32(cuda.pointer(x.ptr), 0, 6)
    assert.same({ { 16, 30, 44 }, { 25, 46, 67 } }, a:tolist())
    a = x:cumsum(1)
    x:release()
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, a:tolist())
    local mem = cuda.mem_alloc(24)
    local open = gpuarray.wrap(mem, { 2, 3 }, "float32")
    open:fill(1)
    assert.is_falsy(open:cumsum(1)._sig)
    local later = (open + 1):cumsum()
    cuda.memset_d32(mem, 0, 6)
    assert.same({ 2, 4, 6, 8, 10, 12 }, later:tolist())
    gpu.raises("LogicError", "released", x.cumsum, x)
  end)

  it("run in the stream, the context and the graph that they were written in", function()
    local stream, s = cuda.Stream(), x:cumsum(1)
    stream:use(function() assert.is_falsy(s._sig) end)
    local seen = gpu.launches_by_stream(function()
      stream:use(function() s = x:cumsum(2) end)
    end)
    assert.is_falsy(s._sig)
    if seen then assert.equal(1, seen[stream:handle()]) end
    local before, inside = x:cumsum(1), nil
    local exec = stream:capture(function()
      assert.is_falsy(before._sig)
      inside = x:cumsum(1)
      assert.is_falsy(inside._sig)
    end):instantiate()
    x:fill(2)
    cuda.Context.synchronize()
    exec:launch(stream)
    stream:synchronize()
    assert.same({ { 2, 2, 2 }, { 4, 4, 4 } }, inside:tolist())
    assert.same({ { 1, 2, 3 }, { 5, 7, 12 } }, before:tolist())
    local other = cuda.Device(0):make_context()
    local there = gpuarray.to_gpu({ { 1, 2 }, { 3, 5 } }, "float32")
    s = there:cumsum(1)
    cuda.Context.pop()
    finally(function() other:detach() end)
    local t = x:cumsum(2)
    assert.same({ { 2, 4, 6 }, { 2, 4, 6 } }, t:tolist())
    assert.same({ { 1, 2 }, { 4, 7 } }, s:tolist())
    assert.equal(there._store.context, s._store.context)
  end)

  it("keep a fixed number of bytes alive", function()
    finally(knob(waiting, "BYTES", 4000))
    local list, sums = {}, {}
    for k = 1, 30 do list[k] = gpuarray.full({ 10, 10 }, k, "float32") end
    gpuarray.eval()
    assert.equal(20, gpu.kernels(function()
      for k = 1, 30 do sums[k] = list[k]:cumsum(1) end
    end))
    for k = 1, 30 do assert.equal(10 * k, sums[k]:item(10, 1)) end
  end)

  it("are named with the line that wrote them, in profiles and in errors", function()
    local s, line
    local p = cuda.profile(function()
      line = debug.getinfo(1, "l").currentline + 1
      s = x:cumsum(1)
      local z = y + 1
      z:eval()
    end, { print = false })
    assert.is_falsy(s._sig)
    assert.equal(line, tonumber(p.activities[1].line:match "(%d+)$"))
    finally(knob(scan_run, "compute", function() errors.raise("MemoryError", "no memory is left for this one") end))
    line = debug.getinfo(1, "l").currentline + 1
    s = x:cumprod(1)
    local t = x:sum(1)
    gpuarray.eval(y + 1)
    assert.is_truthy(s._sig)
    assert.is_falsy(t._sig)
    local e = gpu.raises("MemoryError", "this one", s.eval, s)
    if gpu.soft then assert.is_truthy(e.expression[1]:find("^cumprod at .*waiting_spec.*" .. line)) end
  end)

  it("are explained without being started, and have sources", function()
    local long = gpuarray.ones { 3, 9000 } -- whose blocks share memory
    long:eval()
    local s = long:cumsum(2)
    local text
    assert.equal(0, gpu.kernels(function() text = gpuarray.explain(s * 2) end))
    assert.is_truthy(s._sig)
    assert.is_truthy(text:find("2 kernels", 1, true))
    assert.is_truthy(text:find("stores #%d: reductions and scans start"))
    assert.is_truthy(gpuarray.source(s):find "array_cumsum%(")
    assert.equal(9000, s:item(3, 9000))
  end)
end)
