-- Results that are computed along with the one that a program asks for: as many kernels as gpuarray.eval of all of them
-- needs, and in each way what every array is alone.
local gpu = require "spec.support.gpu"
local companions = require "cudalua.gpuarray.core.companions"
local cut = require "cudalua.gpuarray.core.cut"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local ffi = require "ffi"
local habits = require "cudalua.gpuarray.core.habits"
local knob = require "spec.support.knob"
local reentry = require "spec.support.reentry"
local results = require "cudalua.gpuarray.core.results"
local storage = require "cudalua.gpuarray.core.storage"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

local MOST = gpu.sanitized and 8 or 100 -- places that are tried of each kind

local function live() return cuda.mem_stats().pooled.bytes end

-- Launches of the last of three calls: kernels are compiled by then, and habits are known.
local function launches(f)
  f()
  f()
  collectgarbage()
  return gpu.kernels(f)
end

describe("A result that a program has not read", function()
  local x, y, z

  setup(gpu.context)
  before_each(function()
    gpuarray.eval() -- what earlier tests left
    collectgarbage() -- so that no collection ends by itself within a test
    habits.forget()
    x, y = gpuarray.to_gpu { 1, 2, 3, 4, 5 }, gpuarray.to_gpu { 10, 20, 30, 40, 50 }
    z = gpuarray.to_gpu { 5, 4, 3, 2, 1 }
  end)
  teardown(function() gpuarray.eager(false) end)

  -- Is `other` computed when `asked` is? Both are pending.
  local function along(asked, other)
    assert.is_truthy(asked._sig and other._sig)
    asked:eval()
    return other._sig == false
  end

  -- Asks for `asked`, and says which of the others are computed.
  local function computed(asked, ...)
    asked:eval()
    local text = ""
    for _, other in ipairs { ... } do text = text .. (other._sig and "-" or "+") end
    return text
  end

  local function chain(v, n)
    for k = 1, n do v = v * (1 + k / 64) end
    return v
  end

  it("is computed with the one that is asked for, however that is read", function()
    local ways = {
      function(a) a:eval() end,
      function(a) a:get() end,
      function(a) a:tolist() end,
      function(a) assert.equal(22, a[2]) end,
      function(a) assert.equal(22, a:item(2)) end,
      function(a) assert.is_string(tostring(a)) end,
      function(a) a:get(gpu.cuda.ndarray.empty(5, "float32")) end,
      function(a) gpuarray.eval(a) end,
    }
    for k, way in ipairs(ways) do
      local a, b = x + y, x * y
      assert.equal(1, gpu.kernels(function() way(a) end), k)
      assert.is_false(b._sig)
      assert.equal(0, gpu.kernels(function()
        assert.same({ 10, 40, 90, 160, 250 }, b:tolist())
        assert.same({ 11, 22, 33, 44, 55 }, a:tolist())
      end))
    end
    local s = gpuarray.to_gpu { { 1, 2 }, { 3, 4 } }:sum()
    local p, q = s * 2, s - 1 -- of one element
    assert.equal(1, gpu.kernels(function() assert.same({ 20, 9 }, { p:item(), q:item() }) end))
    local long = gpuarray.arange(4000, "float32"):eval()
    local c, d = long + 1, long * 2
    assert.is_string(tostring(c)) -- only its ends are shown
    assert.is_false(d._sig)
  end)

  it("is computed with an older and a younger one, and with one that is its operand", function()
    local a, b, c = x + y, x - y, x * y
    assert.is_true(along(b, a))
    assert.is_false(c._sig)
    local p = x + y
    local q = p * p
    assert.is_true(along(p, q))
    assert.same({ 121, 484, 1089, 1936, 3025 }, q:tolist())
    assert.same({ 11, 22, 33, 44, 55 }, p:tolist())
  end)

  it("is not computed with one of another shape, but with the next one of its own", function()
    local short = gpuarray.to_gpu { 1, 2 }
    local function program()
      local a, b, c, d = x + 1, short + 1, x * 2, short * 2
      for _, v in ipairs { a, b, c, d } do v:get() end
      assert.same({ 2, 4 }, d:tolist())
      assert.same({ 2, 4, 6, 8, 10 }, c:tolist())
    end
    assert.equal(2, launches(program))
    finally(knob(companions, "LEFT", 0))
    assert.is_true(launches(program) > 2)
  end)

  it("has another shape although it has as many elements", function()
    local s = x * y
    local a, b, c = s + x, s + gpuarray.ones { 1, 1 }, s * 2
    assert.equal("-+", computed(a, b, c))
    assert.same({ { 11, 41, 91, 161, 251 } }, b:tolist())
  end)

  it("is looked at by a few evaluations", function()
    local function looked_at(n)
      local left = y * 5
      for k = 1, n do assert.is_false(along(x + k, left)) end
      return along(y + 1, left)
    end
    assert.is_true(looked_at(companions.LOOKS))
    assert.is_false(looked_at(companions.LOOKS + 1))
  end)

  it("shares an array or an intermediate value of full size with it, or stays pending", function()
    assert.is_false(along(x + 1, y + 1))
    local one = gpuarray.to_gpu { 2 }
    assert.is_false(along(x * one, y * one)) -- one element is no saving
    local row, column = gpuarray.to_gpu { 1, 2 }, gpuarray.to_gpu { { 1 }, { 2 } }
    assert.is_false(along(row + column, row * column))
    local s = row + column
    assert.is_true(along(s + 1, s * 2))
  end)

  it("moves fewer bytes than the one that is asked for, its own arrays and operations included", function()
    local list = {}
    for k = 1, 6 do list[k] = gpuarray.full(5, k, "float32"):eval() end
    local function sum_of(first, n)
      local s = first
      for k = 1, n do s = s + list[k] end
      return s
    end
    assert.is_true(along(sum_of(x, 4), sum_of(x, 4) * 2))
    assert.is_false(along(x + 1, sum_of(x, 4))) -- reads 4 more arrays
    assert.is_true(along(sum_of(x, 6), sum_of(x, 4)))
    assert.is_true(along(x + 1, chain(x, 12)))
    assert.is_false(along(x + 1, chain(x, 80))) -- 80 operations take as long as 10 bytes
    assert.is_false(along(x + 1, (x * 2):astype "complex128")) -- writes 16 bytes an element
    assert.is_true(along(x + 1, (x * 2):astype "int8"))
  end)

  it("is stored only as far as the budget goes", function()
    local function taken(budget)
      gpuarray.eval()
      local restore = knob(companions, "BUDGET", budget)
      local a, b, c, d = x + y + z, x - y, x * y, x / y
      a:eval()
      restore()
      local n = 0
      for _, v in ipairs { b, c, d } do n = n + (v._sig and 0 or 1) end
      return n
    end
    assert.equal(64 * 2 ^ 20, companions.BUDGET)
    assert.equal(3, taken(companions.BUDGET))
    assert.equal(1, taken(39)) -- results of 20 bytes
    assert.equal(2, taken(40))
    assert.equal(0, taken(19))
  end)

  it("causes no kernel above a fixed number of operations; others are computed all the same", function()
    local base = x + 0.5
    for k = 1, 10 do base = base + gpuarray.full(5, k, "float32"):eval() end
    local asked, small, long = chain(base, 60), base * 2, base * chain(base * 3, 62)
    assert.is_true(11 + 60 + 64 > companions.OPERATIONS)
    assert.equal("+-", computed(asked, small, long))
    local fewer = chain(x + y, 60)
    local enough = chain(fewer, 10)
    assert.equal("+", computed(fewer, enough))
  end)

  it("causes no kernel of more than 48 arrays; others are computed all the same", function()
    local function sum_of(first, n)
      for k = 1, n do first = first + gpuarray.full(5, k, "float32"):eval() end
      return first
    end
    local asked, small = sum_of(x, 28), x * 2
    local many = sum_of(x, 22)
    assert.equal("+-", computed(asked, small, many))
  end)

  it("causes no kernel of more than 16 results", function()
    local list, wide = {}, (x + y):astype "float64" * z
    for k = 1, 20 do list[k] = (wide * k):astype "int8" end
    wide = wide * 2
    assert.equal(1, gpu.kernels(function() assert.equal("-----" .. ("+"):rep(15), computed(wide, unpack(list))) end))
  end)

  it("is searched among the last operations only", function()
    local a = x * y
    local last = z
    for _ = 1, companions.WINDOW + 10 do last = last + 1 end -- nothing in common
    assert.is_truthy(last._sig)
    assert.is_false(along(x + y, a))
    assert.same({ 10, 40, 90, 160, 250 }, a:tolist())
  end)

  it("is not kept alive, and an evaluation keeps nothing alive", function()
    local held = setmetatable({}, { __mode = "v" })
    local function program()
      local base = x * 3
      base:eval()
      held[1], held[2] = storage.leaf_of(base), base
      local a, b, c = base + 1, base * 2, y + 1
      held[3], held[4], held[5] = a, b, c
      a:eval()
    end
    for _ = 1, 3 do
      program()
      collectgarbage()
      collectgarbage()
      for k = 1, 5 do assert.is_nil(held[k], k) end
    end
  end)

  it("is computed after the reductions that wait, and with what reads them", function()
    local m = gpuarray.to_gpu { { 1, 2, 3 }, { 4, 5, 6 } }
    local sum, most = m:sum(2), m:max(2)
    local a, b = sum * 2 + most, sum - most
    assert.equal(2, gpu.kernels(function()
      assert.same({ 15, 36 }, a:tolist())
      assert.same({ 3, 9 }, b:tolist())
      assert.same({ 6, 15 }, sum:tolist())
    end))
    local other, row = m:sum(2), sum + 1
    assert.equal(1, gpu.kernels(function() assert.same({ 6, 15 }, other:tolist()) end))
    assert.is_truthy(row._sig)
    assert.same({ 7, 16 }, row:tolist())
  end)

  -- ---- who is no companion --------------------------------------------------------------------------------------

  it("is not computed by a finalizer; it would be if nobody asked whether it is the program that calls", function()
    local function taken()
      local a, b, ran = x + y, x * y, false
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function()
        ran = true
        a:eval()
      end
      proxy = nil -- luacheck: ignore 311
      collectgarbage()
      collectgarbage()
      assert.is_true(ran)
      assert.is_false(a._sig)
      return b._sig == false
    end
    assert.is_false(taken())
    finally(knob(companions, "is_program", function() return true end))
    assert.is_true(taken())
  end)

  it("is not computed by an evaluation within another one, as by the code of an allocator", function()
    local a, b, c, d = x + y, x * y, nil, nil
    local short = gpuarray.to_gpu { 1, 2 }
    local p, q = short + 1, short * 2
    local buffer, inside = storage.buffer, nil
    finally(knob(storage, "buffer", function(bytes)
      if inside == nil then
        inside = false
        c, d = z * 2, z * 3
        c:eval()
        inside = d._sig == false
      end
      return buffer(bytes)
    end))
    assert.is_true(along(a, b))
    assert.is_false(inside)
    assert.is_false(c._sig)
    assert.same({ 15, 12, 9, 6, 3 }, d:tolist())
    assert.is_true(along(p, q)) -- the outer evaluation's search is not disturbed
  end)

  it("is computed after a finalizer has evaluated something", function()
    local a, b = x + y, x * y
    local proxy, other = newproxy(true), x - z
    getmetatable(proxy).__gc = function() other:eval() end
    proxy = nil -- luacheck: ignore 311
    collectgarbage()
    collectgarbage()
    assert.is_false(other._sig)
    assert.is_true(along(a, b))
  end)

  it("is not computed while a graph is captured; replays would write to it", function()
    local function run()
      local stream, out, other = cuda.Stream(), nil, nil
      local v = x:copy()
      local exec = stream:capture(function()
        out, other = v + 1, v * 2
        out:eval()
        assert.is_truthy(other._sig == false or other._sig)
        other = other._sig and "pending" or "computed"
      end):instantiate()
      exec:launch(stream)
      stream:synchronize()
      assert.equal(2, out[1])
      return other
    end
    assert.equal("pending", run())
    finally(knob(cut, "may_have_companions", function() return true end))
    assert.equal("computed", run())
  end)

  it("is of the same context", function()
    local other = cuda.Device(0):make_context()
    local there = gpuarray.to_gpu({ 1, 2, 3, 4, 5 }, "float32")
    local foreign, own = there + 1, there * 2
    cuda.Context.pop()
    finally(function() other:detach() end)
    assert.is_true(storage.several)
    local a, b = x + 1, x * 2
    a:eval()
    assert.is_false(b._sig)
    assert.is_truthy(foreign._sig)
    assert.same({ 2, 3, 4, 5, 6 }, foreign:tolist()) -- in its own context, alone
    assert.is_truthy(own._sig)
    assert.same({ 2, 4, 6, 8, 10 }, own:tolist())
    local numbers = cuda.random.Generator(7):uniform(5) -- no memory, and so of no context
    local asked, small, elsewhere = numbers + x + y, x * 2, numbers * there
    assert.equal("+-", computed(asked, small, elsewhere))
  end)

  it("is of the innermost stream:use(); it would be taken if that were not asked", function()
    local function taken()
      local outside, result = x * 5, nil
      cuda.Stream():use(function()
        local inside = x + 1
        inside:eval()
        result = outside._sig == false
      end)
      return result
    end
    assert.is_false(taken())
    local restore = knob(storage, "recorded_from", function() return 0 end)
    assert.is_true(taken())
    restore()
    -- Neither if it was left by an evaluation before, nor if the program read it the last time.
    local left = y * 5
    assert.is_false(along(x + 1, left))
    cuda.Stream():use(function() assert.is_false(along(y + 1, left)) end)
    local function pair(stream)
      local s = x * y + x
      local function ask()
        local t = s * 2 - y
        t:eval()
        return s._sig == false
      end
      if not stream then return ask(), s:eval() end
      return stream:use(ask)
    end
    pair()
    assert.is_true(pair())
    assert.is_false(pair(cuda.Stream()))
    local a, b, done
    cuda.Stream():use(function()
      a, b = x + 1, x * 2
      a:eval()
      done = b._sig == false
    end)
    assert.is_true(done)
  end)

  it("does not need released memory, and errors are those of the array that is asked for", function()
    local gone = gpuarray.ones(5):eval()
    local a, dead, b = x + y + z, x + gone, x - y
    gone:release()
    assert.equal(1, gpu.kernels(function() assert.equal("-+", computed(a, dead, b)) end))
    local alone = gpu.raises("LogicError", "released", dead.get, dead)
    local c, more = x + 1, dead * x
    c:eval()
    local err = gpu.raises("LogicError", "released", more.get, more)
    assert.equal(alone.message, err.message)
    -- An error of the one that is asked for is raised at once, and what it has in common with others is not lost.
    local freed = gpuarray.ones(5):eval()
    local wrong, right = x + freed, x * 2
    freed:release()
    gpu.raises("LogicError", "released", wrong.eval, wrong)
    assert.same({ 2, 4, 6, 8, 10 }, right:tolist())
  end)

  it("has the random numbers that it has alone", function()
    local function drawn(one_by_one)
      local numbers = cuda.random.Generator(7)
      local base = numbers:uniform { 3, 5 }
      local rows = gpuarray.to_gpu { { 1 }, { 2 }, { 3 } }
      local dense = gpuarray.zeros { 3, 5 }
      local a, b, c = base + dense, dense + rows, base * rows
      local list = { a, b, c }
      if one_by_one then
        for k = 1, 3 do list[k]:eval() end
      end
      return { a:tolist(), b:tolist(), c:tolist() }
    end
    local restore = knob(companions, "WINDOW", 0)
    local alone = drawn()
    restore()
    assert.same(alone, drawn(true))
    local numbers, dense = cuda.random.Generator(7), gpuarray.zeros(5)
    local base = numbers:uniform(5)
    local a, b = base + dense, base * dense
    assert.is_true(along(a, b))
    -- The kernel cannot number the elements of a strided array.
    local rows, wide, column = gpuarray.zeros { 3, 5 }, gpuarray.ones { 3, 5 }, gpuarray.to_gpu { { 1 }, { 2 }, { 3 } }
    local numbered = numbers:uniform { 3, 5 } + rows + wide
    assert.equal("+-", computed(numbered, rows * 2, rows + column))
    assert.equal("++", computed(rows + wide * 3, rows * 4, rows - column))
  end)

  it("is left alone by writes", function()
    local out, v = gpuarray.zeros(5):eval(), x:copy():eval()
    local other = v * 2
    out:set(v + 1)
    assert.is_truthy(other._sig)
    v:fill(0)
    assert.is_truthy(other._sig)
    assert.same({ 2, 4, 6, 8, 10 }, other:tolist())
  end)

  it("is computed with nothing in eager mode and while a function is fused", function()
    local a, b = x + 1, x * 2
    gpuarray.eager(true)
    assert.is_false(a._sig or b._sig)
    gpuarray.eager(false)
    local f = gpuarray.fuse(function(v)
      local p, q = v + 1, y * 2
      local unused = y * 3
      assert.equal(20, q[1])
      assert.is_truthy(unused._sig)
      return p + q
    end)
    assert.same({ 22, 43, 64, 85, 106 }, f(x):tolist())
  end)

  -- ---- what it is then ------------------------------------------------------------------------------------------

  it("belongs to the scope that it was written in", function()
    local outside, inside, made = x + 1, nil, nil
    gpuarray.scope(function()
      inside = x * 2
      gpuarray.scope(function()
        made = x - y
        made:eval()
        assert.is_false(outside._sig or inside._sig)
      end)
      gpu.raises("LogicError", "released", made.get, made)
      assert.same({ 2, 4, 6, 8, 10 }, inside:tolist())
    end)
    gpu.raises("LogicError", "released", inside.get, inside)
    assert.same({ 2, 3, 4, 5, 6 }, outside:tolist())
  end)

  -- Expressions of arrays that lie in all ways; text: bits and strides.
  local function laid_out()
    local base = (gpuarray.arange(48, "float32") % 7):reshape(6, 8):eval()
    local part = base[{ { 1, -1, 2 }, { 1, -1, 2 } }]
    local t, row, column = base[{ { 1, 4 }, { 1, 3 } }].T:copy "F", base[{ { 1 }, { 2, 5 } }], base[{ { 2, 4 }, { 3 } }]
    local c = part:copy()
    return { function() return t + 1 end, function() return t * row - column end, function() return part * 2 - c end,
      function() return part + t end, function() return c - part[{ { -1, 1, -1 } }] end,
      function() return t:gt(c) end, function() return (c * row):astype "float64" end, function() return c / t end }
  end

  local function shown(a)
    local host = a:get { array = true }
    return ffi.string(host:copy("C"):data(), host.nbytes) .. table.concat({ unpack(a.strides, 1, a.ndim) }, ",")
  end

  it("has the bits and the strides that it has alone", function()
    local list, alone, joint = laid_out(), {}, 0
    for i, f in ipairs(list) do alone[i] = shown(f()) end
    for i = 1, #list do
      for j = 1, #list do
        local a, b = list[i](), list[j]()
        a:eval()
        joint = joint + (b._sig and 0 or 1)
        assert.equal(alone[i], shown(a))
        assert.equal(alone[j], shown(b))
      end
    end
    assert.is_true(joint >= 30, joint)
  end)

  it("never takes a kernel of its own: not for an index map, nor for a value of another size", function()
    local s = x + y + z + x * y
    local a, b = s + 1, s:roll(1) * s:roll(2) * s:roll(3) * s:roll(4)
    assert.equal(1, gpu.kernels(function() assert.is_false(along(a, b)) end))
    local row, full = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.ones({ 40, 3 }):eval()
    local shared = row:exp() * 2
    assert.equal(1, gpu.kernels(function() (shared + full):eval() end))
    local asked, other = full + full:sqrt(), shared - full
    assert.equal(1, gpu.kernels(function() asked:eval() end))
    assert.equal(2, gpu.kernels(function() other:eval() end))
  end)

  it("lies in the same order; others are computed all the same", function()
    local t = gpuarray.arange(12, "float32"):reshape(3, 4):copy "F"
    local c = t:copy "C"
    local asked = t + t * t:copy "F" - t:copy "F"
    assert.equal("+-", computed(asked, t * 2, c / t))
  end)

  it("is computed in one kernel with all others, or none is", function()
    local function refused(a, b, c)
      for _ = 1, 2 do collectgarbage() end -- what is freed meanwhile, is of earlier tests
      local before = live()
      for _, asked in ipairs { a, b, c } do
        results.beside(asked, { a, b, c })
        assert.is_truthy(a._sig and b._sig and c._sig)
        assert.is_true(live() <= before)
      end
    end
    local t = gpuarray.arange(12, "float32"):reshape(3, 4):copy "F"
    local c = t:copy "C"
    refused(t * 2, t * 3, c / t)
    refused(c / t, t * 2, c * 2)
    refused(x * 2, x * 3, chain(x, 170))
    local numbers, column = cuda.random.Generator(7):uniform { 3, 4 }, gpuarray.to_gpu { { 1 }, { 2 }, { 3 } }
    refused(numbers + c, c * 2, c + column)
    local a, b, d = x + 1, x * 2, x - 1
    local buffer, inside = storage.buffer, false
    finally(knob(storage, "buffer", function(bytes)
      if not inside then
        inside = true
        evaluate.evaluate(a)
      end
      return buffer(bytes)
    end))
    results.beside(a, { a, b, d })
    assert.is_false(a._sig)
    assert.is_truthy(b._sig and d._sig)
  end)

  it("never takes a kernel of its own: all in one, or the requested one alone", function()
    for i = 1, 8 do
      for j = 1, 8 do
        local list = laid_out()
        local alone = gpu.kernels(function() list[i]():eval() end)
        local a, b = list[i](), list[j]()
        assert.equal(alone, gpu.kernels(function() a:eval() end))
        assert.is_truthy(b._sig or b._sig == false)
      end
    end
  end)

  it("is not computed where memory is short, nor until the next collection", function()
    local buffer, taken = storage.buffer, 0
    local restore = knob(storage, "buffer", function(bytes)
      taken = taken + 1
      if taken == 2 then errors.raise("MemoryError", "no memory is left") end
      return buffer(bytes)
    end)
    local a, b = x + y, x * y
    local before = live()
    assert.same({ 11, 22, 33, 44, 55 }, a:eval():tolist())
    restore()
    assert.equal(2, taken)
    assert.is_truthy(b._sig)
    assert.is_true(live() - before <= 512)
    assert.is_false(along(x - y, b))
    collectgarbage()
    assert.is_true(along(x - z, b))
    assert.same({ 10, 40, 90, 160, 250 }, b:tolist())
  end)

  it("ends an evaluation that is interrupted, and the next one is as before", function()
    local a, b = x + y, x * y
    local restore = knob(storage, "buffer", function() errors.raise("InterruptError", "interrupted") end)
    local ok, err = pcall(a.eval, a)
    restore()
    assert.is_true(not ok and cuda.is_error(err, "InterruptError"))
    assert.is_truthy(a._sig and b._sig)
    assert.same({ 11, 22, 33, 44, 55 }, a:tolist())
    assert.same({ 10, 40, 90, 160, 250 }, b:tolist())
    assert.is_true(along(x - y, x - z))
  end)

  local finalizers = {
    ["writes to an operand"] = function(v) v.x:set(v.y * 100) end,
    ["writes to a part of an operand"] = function(v) v.x[{ { 1, 3 } }] = 7 end,
    ["computes the array"] = function(v) v.a:eval() end,
    ["computes a companion"] = function(v) v.b:eval() end,
    ["writes to a companion"] = function(v) v.z = v.b + 0 v.b:fill(5) v.b = v.z end,
    ["makes an operand of a companion"] = function(v) v.z = v.c * 2 end,
    ["collects"] = function() collectgarbage() end,
    ["drops a companion"] = function(v)
      v.d = nil
      collectgarbage()
    end,
  }

  local function sweep(inner, most)
    local wrong, k, step = 0, 1, nil
    repeat
      local v = { x = x:copy():eval(), y = y:copy():eval() }
      local s = v.x * 2 + v.y
      v.a, v.b, v.c, v.d = s + v.y, s * 3, s - 1, v.x * 4
      local asked = v.a
      local _, lines = reentry.call(function() asked:eval() end, function() inner(v) end,
        step and math.floor(k) or math.huge)
      step = step or math.max(lines / most, 1)
      local got = table.concat(v.a:tolist(), " ") .. " " .. table.concat(v.b:tolist(), " ") .. " " ..
        table.concat(v.c:tolist(), " ")
      if got ~= "22 44 66 88 110 36 72 108 144 180 11 23 35 47 59" then wrong = wrong + 1 end
      k = k + step
    until k > lines
    return wrong
  end

  for name, inner in pairs(finalizers) do
    it("has the values of its time if a finalizer " .. name, function()
      for _ = 1, 3 do sweep(inner, 2) end
      assert.equal(0, sweep(inner, MOST))
    end)
  end

  it("raises if a finalizer releases it, and the others are computed", function()
    for k = 1, gpu.sanitized and 200 or 600, gpu.sanitized and 50 or 13 do
      local a, b, c = x + y, x * 3, x - 1
      local released
      local ok, err = pcall(reentry.call, function() a:eval() end, function()
        released = true
        b:release()
      end, k)
      assert.is_true(ok, tostring(err))
      assert.same({ 11, 22, 33, 44, 55 }, a:tolist())
      assert.same({ 0, 1, 2, 3, 4 }, c:tolist())
      if released then gpu.raises("LogicError", "released", b.get, b) end
    end
  end)
end)

describe("What a program reads one after the other", function()
  local x, y

  setup(gpu.context)
  before_each(function()
    gpuarray.eval()
    habits.forget()
    x, y = gpuarray.to_gpu { 1, 2, 3, 4, 5 }, gpuarray.to_gpu { 10, 20, 30, 40, 50 }
  end)

  it("is one kernel from the second time on if they are operands of each other", function()
    local orders = { { "m", "v", "p" }, { "p", "v", "m" }, { "v", "p", "m" } }
    for k, order in ipairs(orders) do
      local m, v, p = gpuarray.zeros(5):eval(), gpuarray.zeros(5):eval(), gpuarray.ones(5):eval()
      local counts = {}
      for step = 1, 4 do
        local gradient = (p * 2 + k / 10):eval()
        counts[step] = gpu.kernels(function()
          m = 0.9 * m + 0.1 * gradient
          v = 0.999 * v + 0.001 * gradient ^ 2
          p = p - 1e-3 * (m / (1 - 0.9 ^ step)) / ((v / (1 - 0.999 ^ step)):sqrt() + 1e-8)
          local s = { m = m, v = v, p = p }
          for _, name in ipairs(order) do s[name]:eval() end
        end)
      end
      assert.is_true(counts[1] > 1)
      assert.same({ 1, 1 }, { counts[3], counts[4] })
    end
  end)

  it("is learned by what is asked for, not by what is written", function()
    local function step(read)
      local s = x * y + x
      local t = s * 2 - y
      t:eval()
      if read then s:eval() end
      return s
    end
    for _ = 1, 3 do assert.is_truthy(step(false)._sig) end
    step(true)
    assert.equal(1, gpu.kernels(function() step(true) end))
    assert.is_false(step(false)._sig)
    assert.is_false(step(false)._sig)
    assert.is_truthy(step(false)._sig) -- nobody read it twice
    step(true)
    assert.equal(1, gpu.kernels(function() step(true) end))
  end)

  it("is forgotten if it was not read twice in a row, and results that nothing reads are, too", function()
    local function step(read)
      local a, b = x:exp() - y, x:exp() + y
      a:eval()
      local taken = b._sig == false
      if read then read(b) end
      return taken
    end
    local readers = { function(b) return b[1] end, function(b) return (b * 2):eval() end,
      function(b) return b:sum() end, function(b) return b[{ { 1, 2 } }] end, function(b) return b.T end,
      function(b) return b:release() end,
      function(b) return b:eval() end, function(b) return gpuarray.zeros(5):set(b) end }
    for k, read in ipairs(readers) do
      for _ = 1, 4 do assert.is_true(step(read), k) end
    end
    assert.is_true(step())
    assert.is_true(step())
    for _ = 1, 3 do assert.is_false(step()) end
    assert.is_false(step(readers[1])) -- asked for after the other one
    assert.is_true(step())
  end)

  it("is remembered for a bounded number of programs", function()
    local first = habits.habit_of(-1)
    assert.equal(first, habits.habit_of(-1))
    for k = 1, habits.MOST + 1 do habits.habit_of(-k) end
    assert.are_not.equal(first, habits.habit_of(-1))
    for d = 1, 10 * habits.EACH do habits.took(-1, x + 1, x + d) end
    assert.is_true(habits.habit_of(-1).n <= habits.EACH)
  end)
end)
