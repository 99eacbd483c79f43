-- Cuts of an expression that comes again: they are made where they were before, with the same bits, and only if the
-- operations are the same. They store nothing that a cut may not store.
local gpu = require "spec.support.gpu"
local companions = require "cudalua.gpuarray.core.companions"
local cut = require "cudalua.gpuarray.core.cut"
local knob = require "spec.support.knob"
local same_cuts = require "cudalua.gpuarray.core.same_cuts"
local storage = require "cudalua.gpuarray.core.storage"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

-- How many times f looked for the place of a cut, and found the cuts of before.
local function looks(f)
  local known, found, make = cut.is_known, 0, same_cuts.make
  local looked = 0
  local restore_known = knob(cut, "is_known", function(...)
    looked = looked + 1
    return known(...)
  end)
  local restore_make = knob(same_cuts, "make", function(x)
    local done = make(x)
    if done then found = found + 1 end
    return done
  end)
  local ok, err = pcall(f)
  restore_known()
  restore_make()
  if not ok then error(err, 0) end
  return looked, found
end

describe("Cuts that come again", function()
  local x, y
  setup(gpu.context)
  before_each(function()
    same_cuts.forget()
    x, y = gpuarray.to_gpu({ 1, 2, 3, 4 }, "float32"), gpuarray.to_gpu({ 0.5, 1, 0.25, 2 }, "float32")
  end)

  local function chain(a, b, n, k)
    for i = 1, n do a = (i == k and a - 0.5 or a * 0.99) + b end
    return a
  end

  local function alone(f)
    gpuarray.eager(true)
    local ok, list = pcall(function() return f():tolist() end)
    gpuarray.eager(false)
    assert(ok, list)
    return list
  end

  it("are not taken from a record that is being made, if a finalizer computes the same operations meanwhile", function()
    local function f() return chain(x, y, 120) end
    local want = alone(f)
    f():eval()
    local begin, inside, got = same_cuts.begin, false, nil
    finally(knob(same_cuts, "begin", function(...)
      local record = begin(...)
      if record and not inside then
        inside = true
        got = f():tolist()
      end
      return record
    end))
    assert.same(want, f():tolist())
    assert.same(want, got)
    for _ = 1, 2 do assert.same(want, f():tolist()) end
  end)

  it("are made as before from the third time on, with the bits of each operation alone", function()
    local function f() return chain(x, y, 120) end
    local want = alone(f)
    for turn = 1, 5 do
      local got
      local looked, found = looks(function() got = f():tolist() end)
      assert.same(want, got)
      assert.equal(turn > 2 and 1 or 0, found)
      assert.equal(turn <= 2, looked > 0)
    end
  end)

  it("have other values in them: numbers and arrays may be others", function()
    for turn = 1, 5 do
      local a, b, s = x * turn, y:copy():eval(), turn / 8
      local function f()
        local c = a
        for _ = 1, 110 do c = c * s + b end
        return c
      end
      a:eval()
      assert.same(alone(f), f():tolist())
    end
    local found = select(2, looks(function() chain(x, y, 110):eval() end))
    assert.equal(1, found)
  end)

  it("are looked for if an operation, an operand or an array is another one", function()
    local function other_operand(n)
      local a, before = x, x
      for i = 1, n do a, before = a * 0.99 + (i == 20 and before or y), a end
      return a
    end
    local programs = {
      function() return chain(x, y, 120) end,
      function() return chain(x, y, 120, 7) end,
      function() return other_operand(120) end,
      function() return chain(x, x, 120) end, -- reads one array where others read two
    }
    for k, f in ipairs(programs) do
      for l, g in ipairs(programs) do
        same_cuts.forget()
        local want, got = alone(g), nil
        for _ = 1, 3 do f():eval() end
        local _, found = looks(function() got = g():tolist() end)
        assert.same(want, got)
        assert.equal(k == l and 1 or 0, found, ("%d after %d"):format(l, k))
      end
    end
  end)

  it("would compute what nothing needs if operations were not compared", function()
    finally(knob(companions, "WINDOW", 0))
    local held
    local function branch(right)
      local a = x * 2
      local b = a
      for _ = 1, 60 do a, b = a * 0.99 + y, b * 0.99 + y end
      held = { a, b } -- what is collected is not there to be compared
      local c = right and b or a
      for _ = 1, 60 do c = c * 0.99 + y end
      return c
    end
    local function found_after(f)
      same_cuts.forget()
      for _ = 1, 3 do branch(false):eval() end
      return select(2, looks(f))
    end
    local want = alone(function() return branch(true) end)
    local function right() assert.same(want, branch(true):tolist()) end
    assert.equal(0, found_after(right))
    assert.equal(1, found_after(function() branch(false):eval() end))
    finally(knob(same_cuts, "are_same", function() return true end))
    assert.equal(1, found_after(right))
    assert.is_truthy(held[1])
  end)

  it("are remembered of some that end alike, and of others where these do not come back", function()
    local function turn(from, to)
      local found = 0
      for k = from, to do
        local function f() return chain(x, y, 120, k) end
        local got
        found = found + select(2, looks(function() got = f():tolist() end))
        assert.same(alone(f), got)
      end
      return found
    end
    local few = same_cuts.EACH
    for _ = 1, 4 do turn(1, few) end
    assert.equal(few, turn(1, few))
    turn(few + 1, same_cuts.OTHERS)
    assert.equal(few, turn(1, few)) -- others did not come often enough
    for _ = 1, same_cuts.OTHERS + 2 do turn(60, 60) end
    assert.equal(1, turn(60, 60))
  end)

  it("are looked for again if the first operations were evaluated or collected", function()
    for turn = 1, 6 do
      local held = {}
      local function f()
        local a = chain(x, y, 10)
        held[1] = a
        return chain(a, y, 120)
      end
      local want, c = alone(f), f()
      if turn > 3 then held[1]:eval() end
      held[1] = nil
      collectgarbage()
      assert.same(want, c:tolist())
    end
  end)

  it("are made where what was written changes in between", function()
    local function f() return chain(x, y, 120) end
    for _ = 1, 3 do f():eval() end
    local want, c = alone(f), f()
    x:fill(7)
    assert.same(want, c:tolist())
    assert.same(alone(f), f():tolist())
  end)

  it("end where a finalizer writes or computes in between", function()
    local function f() return chain(x, y, 120) end
    for _ = 1, 3 do f():eval() end
    for _, disturb in ipairs { function() x:fill(3) end, function(c) c:eval() end } do
      local want, c = alone(f), f()
      local calls, evaluate = 0, require "cudalua.gpuarray.core.evaluate"
      local plain = evaluate.evaluate
      local restore = knob(evaluate, "evaluate", function(...)
        calls = calls + 1
        if calls == 2 then disturb(c) end
        return plain(...)
      end)
      local ok, got = pcall(function() return c:tolist() end)
      restore()
      assert(ok, got)
      assert.same(want, got)
      assert.is_true(calls >= 2)
    end
  end)

  -- Two carried arrays of which the evaluated one needs one; the cut stores both.
  local function two(a, b)
    for _ = 1, 60 do
      a = a * 0.99 + y
      b = b * 0.5 + a
    end
    return a, b
  end


  it("store what other expressions read, but in no capture and not before stream:use()", function()
    finally(knob(companions, "WINDOW", 0))
    local function run()
      local a, b = two(x, y)
      a:eval()
      return a, b
    end
    for _ = 1, 3 do run() end
    local _, found = looks(run)
    assert.equal(1, found)
    local pending
    cuda.Stream():capture(function()
      local _, b = run()
      pending = b._sig
    end)
    assert.is_truthy(pending)
    local a, b = two(x, y)
    cuda.Stream():use(function() a:eval() end)
    assert.is_truthy(b._sig)
  end)

  it("would store what is before stream:use() if they did not ask where it began", function()
    finally(knob(companions, "WINDOW", 0))
    local function found()
      local a, b = two(x, y)
      local n
      cuda.Stream():use(function() n = select(2, looks(function() a:eval() end)) end)
      assert.is_truthy(b._sig)
      return n
    end
    local function evaluated()
      local a, b = two(x, y)
      a:eval()
      return b
    end
    for _ = 1, 3 do assert.is_truthy(evaluated()) end
    assert.equal(0, found())
    same_cuts.forget()
    for _ = 1, 3 do assert.is_truthy(evaluated()) end
    finally(knob(storage, "recorded_from", function() return 0 end))
    assert.equal(1, found())
  end)
end)
