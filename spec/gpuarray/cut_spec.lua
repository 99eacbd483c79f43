-- Cuts in the order of writing: long programs and loops are few kernels, of few kinds, and nothing is stored that the
-- rules do not allow.
local gpu = require "spec.support.gpu"
local companions = require "cudalua.gpuarray.core.companions"
local cut = require "cudalua.gpuarray.core.cut"
local graph = require "cudalua.gpuarray.core.graph"
local knob = require "spec.support.knob"
local plan = require "cudalua.gpuarray.core.plan"
local runs = require "cudalua.gpuarray.core.run"
local same_cuts = require "cudalua.gpuarray.core.same_cuts"
local storage = require "cudalua.gpuarray.core.storage"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

-- Runs f; returns how many kernels it launched, and how many different ones.
local function count(f)
  local kernel, launched, seen, different = runs.kernel, 0, {}, 0
  local restore = knob(runs, "kernel", function(launch)
    launched = launched + 1
    if not seen[launch.kernel] then seen[launch.kernel], different = true, different + 1 end
    return kernel(launch)
  end)
  local ok, err = pcall(f)
  restore()
  if not ok then error(err, 0) end
  return launched, different
end

-- Nothing is compiled or launched: for programs of which only the plan counts.
local function dry(f)
  local load = runs.load
  runs.load = function() end
  local ok, launched, different = pcall(count, f)
  runs.load = load
  if not ok then error(launched, 0) end
  return launched, different
end

local function chain(x, y, n)
  for k = 1, n do x = k % 2 == 1 and x * (0.5 + k / 1000) or x + y end
  return x
end

-- A turn of a loop that carries three arrays, in so many operations.
local bodies = {
  ["one after the other"] = function(a, b, c, n)
    local third = math.floor(n / 3)
    a = chain(a, b, third)
    b = chain(b, a, third)
    return a, b, chain(c, b, n - 2 * third)
  end,
  ["all of the values before"] = function(a, b, c, n)
    local third = math.floor(n / 3)
    return chain(a, b, third), chain(b, c, third), chain(c, a, n - 2 * third)
  end,
  ["one early, the others late"] = function(a, b, c, n)
    a = a + 1
    local t = chain(c, a, n - 3)
    return a, b + t, t * 0.5
  end,
}

describe("A loop of arrays", function()
  local x, y, z

  setup(function()
    gpu.context()
    x, y, z = gpuarray.full(33, 0.25):eval(), gpuarray.full(33, 0.5):eval(), gpuarray.full(33, 0.75):eval()
  end)
  teardown(function() gpuarray.eager(false) end)

  for name, body in pairs(bodies) do
    it("of three arrays is few kernels of few kinds: " .. name, function()
      for _, n in ipairs { 5, 7, 10, 16, 20, 24, 33, 40, 45, 56, 60, 64, 75, 90, 100, 120, 128, 135, 150 } do
        local turns = 20
        local launched, different = dry(function()
          local a, b, c = x, y, z
          for _ = 1, turns do a, b, c = body(a, b, c, n) end
          gpuarray.eval(a, b, c)
        end)
        local text = ("%d operations: %d launches of %d kernels"):format(n, launched, different)
        assert.is_true(launched <= turns * n / 33 + 6, text)
        assert.is_true(different <= 10, text)
      end
    end)

    it("of three arrays has the same bits as operation by operation: " .. name, function()
      local results = {}
      for _, eager in ipairs { true, false } do
        gpuarray.eager(eager)
        local a, b, c = x, y, z
        for _ = 1, 12 do a, b, c = body(a, b, c, 45) end
        results[eager] = { a:tolist(), b:tolist(), c:tolist() }
      end
      assert.same(results[true], results[false])
    end)
  end

  it("would be more kernels if cuts were only at the limit", function()
    local function kinds()
      local _, different = dry(function()
        local a, b, c = x, y, z
        for _ = 1, 20 do a, b, c = bodies["one after the other"](a, b, c, 57) end
        gpuarray.eval(a, b, c)
      end)
      return different
    end
    local before = kinds()
    same_cuts.forget()
    finally(knob(cut, "is_known", function() return false end))
    assert.is_true(kinds() > before)
  end)

  it("of the frozen programs is few kernels of few kinds, also one result after the other", function()
    local main = dofile "bench/programs/main.lua"
    for name, most in pairs { mandelbrot = { 5, 1, 5, 1 }, leapfrog = { 3, 3, 4, 4 } } do
      local p = main.load(name)
      local given = main.arguments(p, p.small)
      for k, together in ipairs { true, false } do
        local launched, different = dry(function()
          local list = { p.program(unpack(given, 1, given.n)) }
          if together then gpuarray.eval(unpack(list)) end
          for i = 1, #list do list[i]:eval() end
        end)
        local text = ("%s: %d launches of %d kernels"):format(name, launched, different)
        assert.is_true(launched <= most[2 * k - 1] and different <= most[2 * k], text)
      end
    end
  end)

  it("of four slopes by Runge and Kutta is one kernel for a few steps", function()
    local function f(p, q) return q - p * 0.1, -p - q * 0.2 end
    local launched, different = dry(function()
      local p, q, h = x, y, 0.01
      for _ = 1, 30 do
        local p1, q1 = f(p, q)
        local p2, q2 = f(p + p1 * (h / 2), q + q1 * (h / 2))
        local p3, q3 = f(p + p2 * (h / 2), q + q2 * (h / 2))
        local p4, q4 = f(p + p3 * h, q + q3 * h)
        p, q = p + (p1 + 2 * p2 + 2 * p3 + p4) * (h / 6), q + (q1 + 2 * q2 + 2 * q3 + q4) * (h / 6)
      end
      gpuarray.eval(p, q)
    end)
    assert.is_true(launched <= 32 and different <= 4, ("%d launches of %d kernels"):format(launched, different))
  end)

  it("that reads a value in each turn compiles a few kernels, not one for each turn", function()
    for _, f in ipairs { function(v) return v * 0.99 + y end, function(v) return v:exp() * 0.1 end } do
      local seen, n, load = {}, 0, runs.load
      local restore = knob(runs, "load", function(k, ...)
        if not seen[k] then seen[k], n = true, n + 1 end
        return load(k, ...)
      end)
      local a = x
      local ok, err = pcall(function()
        for _ = 1, 40 do
          a = f(a)
          a:sum():item()
        end
      end)
      restore()
      assert(ok, err)
      assert.is_true(n <= 4, n .. " kernels")
    end
  end)

  it("keeps outputs of its turns, which are stored along with what it carries", function()
    local outs = {}
    local launched = dry(function()
      local a = x
      for k = 1, 60 do
        a = a * 0.99 + y
        outs[k] = a * 2
      end
      gpuarray.eval(unpack(outs))
    end)
    assert.is_true(launched <= 8, launched .. " launches")
  end)

  it("has a bound on the arrays that wait to be read", function()
    local held = setmetatable({}, { __mode = "v" })
    local sum = x
    for k = 1, 300 do
      local batch = gpuarray.full(33, k, "float32"):eval()
      held[k] = storage.leaf_of(batch)
      sum = sum + batch
    end
    collectgarbage()
    collectgarbage()
    local n = 0
    for _ in pairs(held) do n = n + 1 end
    assert.is_true(n <= 1.5 * graph.ARRAYS + 2, n .. " arrays")
    assert.equal(0.25 + 300 * 301 / 2, sum[7])
  end)
end)

describe("A cut", function()
  local x, y

  setup(gpu.context)
  before_each(function() x, y = gpuarray.to_gpu { 1, 2, 3, 4 }, gpuarray.to_gpu { 4, 3, 2, 1 } end)
  teardown(function() gpuarray.eager(false) end)

  local function long(a, n)
    for _ = 1, n do a = a + 1 end
    return a
  end

  it("is where an operation reaches back too far, and a kernel has no more operations than its limit", function()
    local most, finish = 0, plan.finish
    finally(knob(plan, "finish", function(w, computed)
      if computed then most = math.max(most, w.ninner + 1) end
      return finish(w, computed)
    end))
    local a = x
    local written = gpu.kernels(function() a = long(a, graph.REACH) end)
    assert.equal(0, written)
    assert.is_true(gpu.kernels(function() a = long(a, 2) end) > 0)
    assert.same({ 387, 388, 389, 390 }, a:tolist())
    assert.is_true(most <= 2 * cut.LIMIT, most .. " operations")
    local b = long(x, 200)
    assert.equal(2, gpu.kernels(function() b:sum():item() end))
    assert.equal(1, gpu.kernels(function() long(x, cut.HALF):sum():item() end))
    assert.equal(2, gpu.kernels(function() long(x:exp(), cut.HALF - 1):sum():item() end))
    assert.equal(201 * 4 + 6, b:sum():item())
  end)

  it("reads an array once that is sliced anew in each turn, with the values of its time", function()
    local a = gpuarray.arange(20, nil, nil, "float32"):reshape(4, 5):eval()
    local function run(f)
      local b = a[{ {}, { 1, 4 } }] * 1
      for k = 1, 150 do b = f(b, k) end
      return b
    end
    local part = a[{ {}, { 2, 5 } }]
    local want = run(function(b) return b * 0.5 + part end):eval()
    local most, finish, got = 0, plan.finish, nil
    finally(knob(plan, "finish", function(w, computed)
      most = math.max(most, w.nleaves)
      return finish(w, computed)
    end))
    local _, different = count(function()
      got = run(function(b) return b * 0.5 + a[{ {}, { 2, 5 } }] end):eval()
    end)
    assert.is_true(different <= 3, different)
    assert.same(want:tolist(), got:tolist())
    assert.is_true(most <= 3, most)
    local before = a[{ {}, { 2, 5 } }] + 0
    a:fill(7)
    assert.is_true(a[{ {}, { 2, 5 } }]:eq(7):all():item())
    assert.same(part:tolist(), a[{ {}, { 2, 5 } }]:tolist())
    assert.same(gpuarray.arange(1, 5, nil, "float32"):tolist(), before[1]:tolist())
  end)

  it("is earlier where many arrays are read, for reductions and scans, too", function()
    local most, finish = 0, plan.finish
    finally(knob(plan, "finish", function(w, computed)
      if computed then most = math.max(most, w.nleaves) end
      return finish(w, computed)
    end))
    local parts = {}
    for k = 1, 60 do parts[k] = gpuarray.full({ 3, 4 }, k):eval()[{ { 3, 1, -1 }, {} }] end
    local function sum_of(list)
      while #list > 1 do -- a tree: no operation reaches back far
        local pairs_of_them = {}
        for k = 1, #list, 2 do
          pairs_of_them[#pairs_of_them + 1] = list[k + 1] and list[k] * 0.5 + list[k + 1] * 0.5 or list[k] * 0.5
        end
        list = pairs_of_them
      end
      return list[1]
    end
    local alone = sum_of(parts):eval()
    assert.same((alone * 1):sum(1):tolist(), sum_of(parts):sum(1):tolist())
    assert.same(alone:cumsum(2):tolist(), sum_of(parts):cumsum(2):tolist())
    assert.same(alone:tolist(), gpuarray.zeros({ 3, 4 }):set(sum_of(parts)):tolist())
    assert.is_true(most <= cut.LEAVES + 8, most .. " arrays")
  end)

  it("is not earlier for arrays that only other expressions read: all turns are one kernel", function()
    local _, different = dry(function()
      for _ = 1, 40 do
        local list, sum = {}, x
        for k = 1, 7 do list[k] = (y * k):eval() end
        for k = 1, 60 do sum = sum + list[math.ceil(k * 7 / 60)] end
        sum:eval()
      end
    end)
    assert.is_true(different <= 2, different .. " kernels") -- one is for y * k
  end)

  it("is at the same places for many arrays, whatever was read before", function()
    local function places()
      local list, cuts = {}, {}
      for k = 1, 100 do list[k] = (y * k):eval() end
      local sum = x + list[1]
      for k = 2, 100 do
        local low = sum._low
        sum = sum + list[k]
        if sum._low ~= low then cuts[#cuts + 1] = k end
      end
      return cuts
    end
    local first = places()
    assert.same({ graph.ARRAYS }, first) -- which x is one of
    for other = 1, graph.ARRAYS, 9 do
      for k = 1, other do (y * k):eval():exp():eval() end
      assert.same(first, places())
    end
  end)

  it("stores what other expressions read across it, too", function()
    local a, b = x, y
    for _ = 1, 120 do
      a = a * 0.5 + y
      b = b + a
    end
    assert.is_true(gpu.kernels(function() a:eval() end) > 0)
    assert.is_true(gpu.kernels(function() b:eval() end) <= 2) -- not from the beginning
  end)

  it("leaves an old expression alone that few operations are added to later", function()
    finally(knob(companions, "WINDOW", 0)) -- which would take it along
    local old = x * 2
    for _ = 1, 200 do (y + 1 - x):eval() end
    local new
    assert.equal(0, gpu.kernels(function() new = old + 1 end))
    assert.is_truthy(old._sig)
    assert.equal(1, gpu.kernels(function() new:eval() end))
    assert.same({ 3, 5, 7, 9 }, new:tolist())
  end)

  it("evaluates no stranger in a stream; it would if it did not ask where the stream began", function()
    local function takes_stranger()
      local carried = x + 1
      local unused = x * 5
      cuda.Stream():use(function() assert.is_truthy(long(carried, graph.REACH + 10)) end)
      return unused._sig == false
    end
    assert.is_false(takes_stranger())
    same_cuts.forget() -- or it is cut as before
    finally(knob(storage, "recorded_from", function() return 0 end))
    assert.is_true(takes_stranger())
  end)

  it("evaluates no stranger in a capture; it would if it did not ask whether there is one", function()
    local function takes_stranger()
      local unused, taken
      cuda.Stream():capture(function()
        local carried = x + 1
        unused = x * 5
        assert.is_truthy(long(carried, graph.REACH + 10))
        taken = unused._sig == false -- the end of a capture computes the others
      end)
      return taken
    end
    assert.is_false(takes_stranger())
    same_cuts.forget()
    finally(knob(cut, "may_have_companions", function() return true end))
    assert.is_true(takes_stranger())
  end)

  it("evaluates nothing of strangers: released operands, other contexts, outside of stream:use", function()
    local gone = gpuarray.ones(4):eval()
    local dead = gone * 2
    gone:release()
    local other = cuda.Device(0):make_context()
    local there = gpuarray.to_gpu({ 1, 2, 3, 4 }, "float32")
    local foreign = there + 1
    cuda.Context.pop()
    finally(function() other:detach() end)
    local unused, stream, result = x * 5, cuda.Stream(), nil
    stream:use(function()
      result = long(x, graph.REACH + 10)
      assert.is_truthy(unused._sig)
    end)
    result = long(result * 2, 2 * graph.REACH)
    assert.is_truthy(dead._sig)
    assert.is_truthy(foreign._sig)
    assert.equal(2 * (1 + graph.REACH + 10) + 2 * graph.REACH, result[1])
    assert.same({ 5, 10, 15, 20 }, unused:tolist())
    gpu.raises("LogicError", "released", dead.get, dead)
    assert.same({ 2, 3, 4, 5 }, foreign:tolist())
  end)

  it("stores nothing but what the expression reads while a graph is captured", function()
    local stream, out, unused = cuda.Stream(), gpuarray.zeros(4):eval(), nil
    local exec = stream:capture(function()
      unused = x * 7
      local a, b = x, x
      for _ = 1, graph.REACH do
        a = a + 1
        b = a - b
      end
      out:set(a)
      assert.is_truthy(unused._sig)
    end):instantiate()
    for k = 1, 2 do
      x:fill(k)
      cuda.Context.synchronize()
      exec:launch(stream)
      stream:synchronize()
      assert.equal(k + graph.REACH, out[4])
    end
  end)

  it("raises the error of what the expression reads, and of nothing else", function()
    local gone = gpuarray.ones(4):eval()
    local dead, alive = gone + x, x + 1
    gone:release()
    local text
    for _ = 1, graph.REACH + 10 do
      local ok, err = pcall(function() dead = dead + 1 end)
      text = text or not ok and err.message
      alive = alive + 1
    end
    assert.is_truthy(text:find("released", 1, true), text)
    assert.same({ 396, 397, 398, 399 }, alive:tolist())
  end)

  it("takes what it may where memory is short", function()
    local buffer, kernel, taken, failed = storage.buffer, runs.kernel, 0, 0
    finally(knob(runs, "kernel", function(launch)
      taken = 0
      return kernel(launch)
    end))
    finally(knob(storage, "buffer", function(bytes)
      taken = taken + 1
      if taken == 2 then -- of a kernel with several results
        failed = failed + 1
        require("cudalua.base.errors").raise("MemoryError", "no memory is left")
      end
      return buffer(bytes)
    end))
    local a, b = x, y
    for _ = 1, 250 do
      a = a + 1
      b = b + a * 0
    end
    assert.equal(251, a[1])
    assert.equal(4, b[1])
    assert.is_true(failed > 0)
  end)

  it("counts what nothing reads yet only as far as the budget goes", function()
    local function stored(budget)
      finally(knob(cut, "BUDGET", budget))
      same_cuts.forget()
      local outs, a = {}, x
      for k = 1, 40 do
        a = long(a, 4)
        outs[k] = a * 2
      end
      assert.is_truthy(long(a, graph.REACH))
      local n = 0
      for k = 1, 40 do n = n + (outs[k]._sig and 0 or 1) end
      for k = 1, 40 do assert.equal(2 + 8 * k, outs[k][1]) end
      return n
    end
    assert.is_true(stored(2 ^ 26) > 0)
    assert.equal(0, stored(0))
  end)
end)
