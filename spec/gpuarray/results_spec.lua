-- gpuarray.eval of several arrays: one kernel for those of one shape, and each result is what it is alone.
local gpu = require "spec.support.gpu"
local companions = require "cudalua.gpuarray.core.companions"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local knob = require "spec.support.knob"
local reentry = require "spec.support.reentry"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local strides = require "cudalua.gpuarray.core.strides"
local whole = require "cudalua.gpuarray.core.whole"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

local MOST = gpu.sanitized and 8 or 100 -- places that are tried of each kind

local function live() return cuda.mem_stats().pooled.bytes end

local function launches(f)
  f()
  return gpu.kernels(f)
end

describe("gpuarray.eval of several arrays", function()
  local x, y

  setup(gpu.context)
  before_each(function()
    x, y = gpuarray.to_gpu { 1, 2, 3, 4, 5 }, gpuarray.to_gpu { 10, 20, 30, 40, 50 }
  end)
  teardown(function() gpuarray.eager(false) end)

  it("is one kernel, in which shared values are computed once", function()
    local a, b, c
    assert.equal(1, launches(function()
      local s = (x + y) * x
      a, b, c = s + 1, s * 3, s:gt(100)
      gpuarray.eval(a, b, c)
    end))
    assert.same({ 12, 45, 100, 177, 276 }, a:tolist())
    assert.same({ 33, 132, 297, 528, 825 }, b:tolist())
    assert.same({ false, false, false, true, true }, c:tolist())
    local text
    local load = runs.load
    finally(knob(runs, "load", function(k, ...)
      text = require("cudalua.gpuarray.kernel.codegen").source(k)
      return load(k, ...)
    end))
    local s = (x - y):abs() * x:sqrt()
    gpuarray.eval(s - 1, s / 3)
    assert.equal(1, select(2, text:gsub("fabsf%(", "")))
  end)

  it("gpuarray.eval returns its arguments in their order", function()
    local a, b = x + 1, y * 2
    local function check(n, ...)
      assert.equal(n, select("#", ...))
      return ...
    end
    local p, q, r = check(3, gpuarray.eval(b, a, b))
    assert.is_true(rawequal(p, b) and rawequal(q, a) and rawequal(r, b))
    assert.is_true(rawequal(x, check(1, gpuarray.eval(x))))
    check(0, gpuarray.eval())
  end)

  it("stores a result that another one is made of, in either order", function()
    for _, first in ipairs { true, false } do
      local z, f
      assert.equal(1, launches(function()
        z = x * 2 + 1
        f = z * z - y
        if first then gpuarray.eval(z, f) else gpuarray.eval(f, z, z) end
      end))
      assert.same({ 3, 5, 7, 9, 11 }, z:tolist())
      assert.same({ -1, 5, 19, 41, 71 }, f:tolist())
      assert.same({ 4, 6, 8, 10, 12 }, (z + 1):tolist())
    end
  end)

  it("is one kernel for each shape, whatever the order of the arguments", function()
    local short = gpuarray.to_gpu { 1, 2, 3 }
    local a, b, c, d, e
    assert.equal(2, launches(function()
      a, b, c, d, e = x + 1, short + 1, x * 2, short * 2, x
      gpuarray.eval(a, b, c, d, e)
    end))
    assert.same({ 2, 3, 4, 5, 6 }, a:tolist())
    assert.same({ 2, 3, 4 }, b:tolist())
    assert.same({ 2, 4, 6, 8, 10 }, c:tolist())
    assert.same({ 2, 4, 6 }, d:tolist())
    local none = gpuarray.zeros(0)
    local p, q = none + 1, none * 2
    assert.equal(0, gpu.kernels(function() gpuarray.eval(p, q) end))
    assert.same({}, p:tolist())
    assert.is_falsy(p._sig or q._sig)
  end)

  -- Arrays that lie in all ways, and results of them: what they are alone.
  local function laid_out()
    local base = (gpuarray.arange(48, "float32") % 7):reshape(6, 8):eval()
    local part = base[{ { 1, -1, 2 }, { 1, -1, 2 } }]
    local t, row, column = base[{ { 1, 4 }, { 1, 3 } }].T:copy "F", base[{ { 1 }, { 2, 5 } }], base[{ { 2, 4 }, { 3 } }]
    local c = part:copy()
    return { function() return t + 1 end, function() return t * row - column end, function() return row + column end,
      function() return part * 2 end, function() return part + t end, function() return c - part[{ { -1, 1, -1 } }] end,
      function() return t:gt(column) end, function() return (c * row):astype "float64" end }
  end

  local function shown(a)
    local list = a:ravel():tolist()
    for k = 1, #list do list[k] = tostring(list[k]) end
    return table.concat(list, " ") .. " in " .. table.concat({ unpack(a.strides, 1, a.ndim) }, ",")
  end

  -- How many results of pairs are not what they are alone.
  local function differing()
    local list, alone, found = laid_out(), {}, 0
    for i, f in ipairs(list) do alone[i] = shown(f()) end
    for i = 1, #list do
      for j = 1, #list do
        local a, b = list[i](), list[j]()
        gpuarray.eval(a, b)
        if shown(a) ~= alone[i] then found = found + 1 end
        if shown(b) ~= alone[j] then found = found + 1 end
      end
    end
    return found
  end

  it("is one kernel of 16-bit floats and bytes that begin anywhere", function()
    local line = gpuarray.arange(0, 258):astype("float16"):eval()
    local rows = gpuarray.arange(0, 3 * 257):reshape(3, 257):astype("float16"):eval()
    for _, part in ipairs { line[{ { 2, 200 } }], rows[{ {}, { 2, 200 } }] } do
      local a, b, c = part + 1, part * 2, part:gt(3)
      assert.equal(1, gpu.kernels(function() gpuarray.eval(a, b, c) end))
      assert.same({ (part + 1):tolist(), (part * 2):tolist(), part:gt(3):tolist() },
        { a:tolist(), b:tolist(), c:tolist() })
    end
  end)

  it("gives each result the values and strides that it has alone", function()
    assert.equal(0, differing())
    finally(knob(strides, "same_order", function() return true end))
    assert.is_true(differing() > 0)
  end)

  it("takes random numbers along, and they are those of the array alone", function()
    local function drawn(together)
      local numbers = cuda.random.Generator(7)
      local a = numbers:uniform(5) + x
      local b = numbers:normal(5) * y
      local c = x * 2
      if together then gpuarray.eval(a, b, c) end
      return { a:tolist(), b:tolist(), c:tolist() }
    end
    assert.same(drawn(false), drawn(true))
    local function shifted(together)
      local numbers = cuda.random.Generator(7)
      local wide = numbers:uniform { 3, 5 }
      local a, b = wide + x, wide * gpuarray.to_gpu { { 1 }, { 2 }, { 3 } }
      if together then gpuarray.eval(a, b) end
      return { a:tolist(), b:tolist() }
    end
    assert.same(shifted(false), shifted(true))
  end)

  it("is several kernels for many results, long ones and many arrays", function()
    local list = {}
    for i = 1, 40 do list[i] = x * i end
    assert.equal(3, gpu.kernels(function() gpuarray.eval(unpack(list)) end))
    for i = 1, 40 do assert.equal(2 * i, list[i][2]) end
    for i = 1, 4 do
      list[i] = x
      for _ = 1, 50 do list[i] = list[i] + i end
    end
    assert.equal(2, gpu.kernels(function() gpuarray.eval(unpack(list, 1, 4)) end))
    for i = 1, 4 do assert.equal(1 + 50 * i, list[i][1]) end
    local leaves = {}
    for i = 1, 60 do leaves[i] = gpuarray.full(5, i, "float32"):eval() end
    for i = 1, 30 do list[i] = leaves[2 * i] + leaves[2 * i - 1] end
    assert.is_true(gpu.kernels(function() gpuarray.eval(unpack(list, 1, 30)) end) <= 2)
    for i = 1, 30 do assert.equal(4 * i - 1, list[i][5]) end
  end)

  it("raises the errors of the arguments in their order, and computes what stands before", function()
    local gone = gpuarray.zeros(5)
    local a, wrong, b = x + 1, y * 2 + gone, x - 1
    local other_wrong = gone[{ { 1, 3 } }] - 1
    gone:release()
    local alone = gpu.raises("LogicError", "released", wrong.eval, wrong)
    local first = gpu.raises("LogicError", "released", gpuarray.eval, a, wrong, b, other_wrong)
    assert.equal(alone.message, first.message)
    assert.same(alone.expression, first.expression)
    assert.is_false(a._sig)
    assert.same({ 0, 1, 2, 3, 4 }, b:tolist())
    local second = gpu.raises("LogicError", "released", gpuarray.eval, other_wrong, wrong)
    if gpu.soft then assert.is_truthy(tostring(second.expression[1]):find "sub at") end -- lines are traced there
    local freed = gpuarray.zeros(3)
    freed:release()
    gpu.raises("LogicError", "the memory of this array was released", gpuarray.eval, x * 2, x * 3, freed)
    gpu.raises("LogicError", "expected an array", gpuarray.eval, x * 2, 3)
    assert.same({ 2, 3, 4, 5, 6 }, a:tolist())
  end)

  it("computes one after the other where memory is short", function()
    local buffer, taken = storage.buffer, 0
    finally(knob(storage, "buffer", function(bytes)
      taken = taken + 1
      if taken == 2 then errors.raise("MemoryError", "no memory is left") end
      return buffer(bytes)
    end))
    local before = live()
    local a, b = x + 1, x * 2
    gpuarray.eval(a, b)
    assert.same({ 2, 3, 4, 5, 6 }, a:tolist())
    assert.same({ 2, 4, 6, 8, 10 }, b:tolist())
    assert.is_true(live() - before <= 2 * 512)
  end)

  it("ends where it is interrupted", function()
    local a, b = x + 1, x * 2
    local restore = knob(storage, "buffer", function() errors.raise("InterruptError", "interrupted") end)
    local ok, err = pcall(gpuarray.eval, a, b)
    restore()
    assert.is_true(not ok and cuda.is_error(err, "InterruptError"))
    assert.is_truthy(a._sig and b._sig)
    gpuarray.eval(a, b)
    assert.same({ 2, 4, 6, 8, 10 }, b:tolist())
  end)

  it("leaves each result to the scope that it was written in", function()
    local function run()
      local outside, inside, made = x + 1, nil, nil
      gpuarray.scope(function()
        inside = x * 2
        gpuarray.scope(function()
          made = x - 1
          gpuarray.eval(outside, inside, made)
        end)
        gpu.raises("LogicError", "released", made.get, made)
        assert.same({ 2, 4, 6, 8, 10 }, inside:tolist())
      end)
      gpu.raises("LogicError", "released", inside.get, inside)
      return outside:tolist()
    end
    assert.same({ 2, 3, 4, 5, 6 }, run())
    finally(knob(evaluate, "take", function(a, leaf)
      a._sig, a._a, a._b, a._low = false, leaf, leaf, math.huge
    end))
    assert.is_false((pcall(run)))
  end)

  it("is one kernel for what a scope returns, a stream leaves, and a write has to compute before", function()
    assert.equal(1, launches(function()
      gpuarray.scope(function()
        local s = x:exp()
        return s + 1, { s - 1, { s * 2 } }
      end)
    end))
    local stream = cuda.Stream()
    local a, b
    assert.equal(1, launches(function()
      stream:use(function() a, b = x + 1, x * 2 end)
    end))
    assert.is_falsy(a._sig or b._sig)
    finally(knob(whole, "cost", function() return nil end)) -- so that readers are computed before
    local part = gpuarray.arange(5, "float32"):eval()
    local c, d = part + 1, part * 2
    assert.equal(2, gpu.kernels(function() part[{ { 1, 2 } }] = x[{ { 1, 2 } }] end))
    assert.same({ 1, 2, 3, 4, 5 }, c:tolist())
    assert.same({ 0, 2, 4, 6, 8 }, d:tolist())
    gpuarray.eval() -- what earlier tests left
    local e, f = x + 3, x * 4
    assert.equal(1, gpu.kernels(function() gpuarray.eval() end))
    assert.is_falsy(e._sig or f._sig)
  end)

  it("is part of a graph, which computes all results each time", function()
    local stream = cuda.Stream()
    local a, b
    local exec = stream:capture(function()
      local s = x * 10
      a, b = s + 1, s - 1
      gpuarray.eval(a, b)
    end):instantiate()
    for k = 1, 2 do
      x:fill(k)
      cuda.Context.synchronize()
      exec:launch(stream)
      stream:synchronize()
      assert.same({ 10 * k + 1, 10 * k - 1 }, { a[1], b[5] })
    end
    assert.is_true(a._store.exported and b._store.pinned)
  end)

  it("computes arrays of two contexts, each in its own", function()
    local other = cuda.Device(0):make_context()
    local there = gpuarray.to_gpu({ 1, 2, 3, 4, 5 }, "float32")
    cuda.Context.pop()
    finally(function() other:detach() end)
    local a, b, c, d = x + 1, there + 2, x + 3, there + 4
    assert.equal(2, gpu.kernels(function() gpuarray.eval(a, b, c, d) end))
    assert.same({ 2, 3, 4, 5, 6 }, a:tolist())
    assert.same({ 3, 4, 5, 6, 7 }, b:tolist())
    assert.same({ 5, 6, 7, 8, 9 }, d:tolist())
    assert.equal(b._store.context, there._store.context)
  end)

  it("is one after the other in eager mode and while a function is fused", function()
    gpuarray.eager(true)
    gpuarray.eval(x + 1, x * 2)
    gpuarray.eager(false)
    local f = gpuarray.fuse(function(v)
      local p, q = v + 1, y * 2
      gpuarray.eval(q, y * 3)
      return p + q
    end)
    assert.same({ 22, 43, 64, 85, 106 }, f(x):tolist())
    gpu.raises("LogicError", "needs the value", gpuarray.fuse(function(v)
      local p, q = v + 1, v * 2
      gpuarray.eval(p, q)
      return p
    end), x)
  end)

  -- What a finalizer does at any line of the call.
  local finalizers = {
    ["writes to an operand"] = function(v) v.x:set(v.y * 100) end,
    ["writes to a part of an operand"] = function(v) v.x[{ { 1, 3 } }] = 7 end,
    ["writes to an operand of one result"] = function(v) v.y:fill(0) end,
    ["computes a result"] = function(v) v.b:eval() end,
    ["computes the results together"] = function(v) gpuarray.eval(v.c, v.a) end,
    ["writes to a result"] = function(v) v.z = v.b + 0 v.b:fill(5) v.b = v.z end,
    ["makes an operand of a result"] = function(v) v.z = v.c * 2 end,
    ["collects"] = function() collectgarbage() end,
  }

  -- How often a result was another one than before.
  local function sweep(inner, most)
    local wrong, k, step, total = 0, 1, nil, nil
    repeat
      local v = { x = x:copy():eval(), y = y:copy():eval() }
      local s = v.x * 2
      v.a, v.b, v.c = s + v.y, s * 3, s - 1
      local asked = { v.a, v.b, v.c }
      local _, lines = reentry.call(function() gpuarray.eval(unpack(asked)) end, function() inner(v) end,
        step and math.floor(k) or math.huge)
      total = total or lines
      step = step or math.max(lines / most, 1)
      local got = table.concat({ unpack(v.a:tolist()) }, " ") .. " " .. table.concat(v.b:tolist(), " ") .. " " ..
        table.concat(v.c:tolist(), " ")
      if got ~= "12 24 36 48 60 6 12 18 24 30 1 3 5 7 9" then wrong = wrong + 1 end
      k = k + step
    until k > total
    return wrong
  end

  for name, inner in pairs(finalizers) do
    it("has the values of its time if a finalizer " .. name, function()
      for _ = 1, 3 do sweep(inner, 2) end
      assert.equal(0, sweep(inner, MOST))
    end)
  end

  it("computes alone what is left if a finalizer computes another result while memory is taken", function()
    local buffer, a, b, inside = storage.buffer, x + 1, x * 2, false
    local restore = knob(companions, "is_program", function() return not inside end)
    local restore_buffer = knob(storage, "buffer", function(bytes)
      if not inside then
        inside = true
        b:eval()
      end
      return buffer(bytes)
    end)
    finally(function()
      restore()
      restore_buffer()
    end)
    local before = live()
    assert.equal(2, gpu.kernels(function() gpuarray.eval(a, b) end))
    assert.is_true(live() - before <= 2 * 512)
    assert.same({ 2, 3, 4, 5, 6 }, a:tolist())
    assert.same({ 2, 4, 6, 8, 10 }, b:tolist())
  end)

  it("raises for a result that a finalizer releases, and computes the others", function()
    local released, tried = true, 0
    while released do
      local a, b, c = x + y, x * 3, x - 1
      released = false
      local ok, err = pcall(reentry.call, function() gpuarray.eval(a, b, c) end, function()
        released = true
        b:release()
      end, 1 + tried * (gpu.sanitized and 40 or 7))
      tried = tried + 1
      assert.is_true(ok or tostring(err):find("released", 1, true) ~= nil, tostring(err))
      assert.same({ 11, 22, 33, 44, 55 }, a:tolist())
      assert.same({ 0, 1, 2, 3, 4 }, c:tolist())
      if released then gpu.raises("LogicError", "released", b.get, b) end
    end
    assert.is_true(tried > 5)
  end)
end)
