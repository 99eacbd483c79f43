-- Selecting: elements and positions by masks that are expressions, and the first few of rows. Against loops over lists
-- on the host; how many kernels it takes, and what memory it keeps.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local mask = require "cudalua.gpuarray.index.mask"
local mask_code = require "cudalua.gpuarray.index.mask_code"
local reentry = require "spec.support.reentry"
local sort_run = require "cudalua.gpuarray.order.sort_run"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

setup(gpu.context)

-- The same numbers on all machines.
local state = 7
local function random(n)
  state = (state * 1103515245 + 12345) % 2 ^ 31
  return math.floor(state / 2 ^ 16) % n
end

local function array(n, dtype, f)
  local list = {}
  for i = 1, n do list[i] = f(i) end
  return gpuarray.to_gpu(list, dtype), list
end

local function text(list)
  local out = {}
  for i = 1, #list do out[i] = tostring(list[i]) end
  return table.concat(out, " ")
end

local function texts(x) return text(x:ravel():tolist()) end

describe("a mask that is an expression", function()
  -- The mask, and what it is for elements on the host. y has another type than x, and is not always aligned.
  local masks = {
    function(x) return x:gt(3), function(a) return a > 3 end end,
    function(x, y) return (x * 2):lt(y), function(a, b) return a * 2 < b end end,
    function(_, y) return y:ne(2), function(_, b) return b ~= 2 end end,
    function(x, y)
      return gpuarray.logical_and(x:ge(1), (y % 3):eq(0)), function(a, b) return a >= 1 and b % 3 == 0 end
    end,
    function(x) return x:lt(0), function() return false end end,
    function(x, y) return (x + y):ge(0), function() return true end end,
    function(x, y, one) return (x - one):gt(y), function(a, b) return a - 2 > b end end,
  }
  local types = { "int8", "int16", "float16", "int32", "float32", "int64", "float64" }

  it("selects elements and positions as a loop does, for all types and sizes", function()
    local one = gpuarray.to_gpu(2)
    for round = 1, gpu.sanitized and 20 or 60 do
      local n = ({ 1, 5, 31, 32, 33, 1023, 1024, 1025, 8191, 8192, 8193, 17000 })[random(12) + 1]
      local f, t, u = masks[random(#masks) + 1], types[random(#types) + 1], types[random(#types) + 1]
      local x, xs = array(n, t, function() return random(10) end)
      local all, ys = array(n + 1, u, function() return random(10) end)
      local aligned = round % 3 > 0
      local y = all[{ aligned and { 1, n } or { 2, n + 1 } }]
      local function given() return f(x, y, one) end
      local _, is = given()
      local kept, places = {}, {}
      for i = 1, n do
        if is(xs[i], ys[aligned and i or i + 1]) then kept[#kept + 1], places[#places + 1] = xs[i], i end
      end
      local about = ("%d elements of %s beside %s"):format(n, t, u)
      assert.equal(text(kept), texts(x[(given())]), about)
      assert.equal(text(places), texts(gpuarray.flatnonzero((given()))), about)
      assert.equal(text(kept), texts(gpuarray.extract(given(), x)), about)
      assert.equal(text(kept), texts(x:compress((given()))), about)
    end
  end)

  it("selects structs of any size", function()
    for bytes = 1, 9 do
      local n = 2100
      local dtype = require("cudalua.dtype").struct { { "a", "uint8", bytes } }
      local x = (gpuarray.arange(n * bytes, "int32") % 251):astype "uint8"
      local is = (gpuarray.arange(n, "int32") * 7 % 10):lt(6)
      local rows = gpuarray.flatnonzero(is)
      assert.equal(texts(x:reshape(n, bytes):take(rows, { axis = 1 })), texts(x:view(dtype)[is]:view "uint8"))
    end
  end)

  it("gives positions on several axes", function()
    for _, shape in ipairs { { 3, 5 }, { 2, 3, 700 }, { 1, 4, 1, 5 }, { 90, 100 } } do
      local n = 1
      for _, e in ipairs(shape) do n = n * e end
      local x, list = array(n, "float32", function() return random(4) end)
      x = x:reshape(shape)
      local want, rows = {}, {}
      for k = 1, #shape do want[k] = {} end
      for i = 1, n do
        if list[i] > 2 then
          local rest, at = i - 1, {}
          for k = #shape, 1, -1 do at[k], rest = rest % shape[k] + 1, math.floor(rest / shape[k]) end
          for k = 1, #shape do table.insert(want[k], at[k]) end
          rows[#rows + 1] = table.concat(at, " ")
        end
      end
      local got = { x:gt(2):nonzero() }
      for k = 1, #shape do assert.equal(text(want[k]), texts(got[k])) end
      assert.equal(table.concat(rows, " "), texts(gpuarray.argwhere(x:gt(2))))
    end
  end)

  it("takes as long counts as there are: places in 64 bits, and from the first tile on", function()
    local x, list = array(20000, "float32", function() return random(9) end)
    local want, shape = {}, { 100, 200 }
    for i = 1, #list do if list[i] > 4 then want[#want + 1] = i end end
    local rows = texts((x:reshape(shape):gt(4):nonzero()))
    local values = texts(x[x:gt(4)])
    local wide, backwards = knob(mask_code, "WIDE", 0), knob(mask_code, "BACKWARDS", false)
    finally(function() wide() backwards() end)
    assert.equal(text(want), texts(gpuarray.flatnonzero(x:gt(4))))
    assert.equal(rows, texts((x:reshape(shape):gt(4):nonzero())))
    assert.equal(values, texts(x[x:gt(4)]))
  end)

  it("is not stored: a kernel for the bits, one for the sums, one for what is selected", function()
    local x = array(3000, "float32", function() return random(10) end)
    local square = x:reshape(30, 100)
    local function kernels(most, f)
      f()
      assert.equal(most, gpu.kernels(f))
    end
    kernels(3, function() return x[x:gt(5)] end)
    kernels(3, function() return gpuarray.extract(square:gt(5), square) end)
    kernels(3, function() return gpuarray.flatnonzero(x) end)
    kernels(3, function() return square:nonzero() end)
    kernels(3, function() return gpuarray.argwhere(square % 2) end)
    kernels(2, function() return x[x:gt(50)] end)
    local stored = x:gt(5):eval()
    kernels(3, function() return x[stored] end)
    kernels(5, function() return gpuarray.extract(square.T:gt(5), square) end) -- of another order: stored, and copied
  end)

  it("is stored if it is selected by again, where that is cheaper", function()
    local x, y = array(3000, "float64", function() return random(10) end), gpuarray.arange(3000):eval()
    local function each()
      local m = x:gt(5)
      return { y[m], x[m], y[m] }
    end
    each()
    assert.equal(10, gpu.kernels(each)) -- and not 12 reads of x
    local list = each()
    assert.equal(texts(list[1]), texts(list[3]))
  end)

  it("waits with its operands as they were when it was written down", function()
    local x = array(100, "float32", function(i) return i end)
    local m = x:gt(90)
    x:fill(0)
    assert.equal("91 92 93 94 95 96 97 98 99 100", texts(gpuarray.flatnonzero(m)))
    local rows = gpuarray.arange(12):reshape(3, 4)
    assert.equal("7 8 9 10 11 12", texts(gpuarray.flatnonzero(rows:gt(rows:mean())))) -- with a reduction in it
    assert.equal("1 3", texts(gpuarray.flatnonzero((rows % 9):lt(1):any(2))))
    assert.equal("2 3 4", texts(gpuarray.flatnonzero(gpuarray.roll(rows:ravel():lt(3), 1)))) -- an index map
    local drawn = cuda.random.Generator(3):uniform { 500 }:gt(0.5)
    local places = gpuarray.flatnonzero(drawn)
    assert.equal(texts(gpuarray.flatnonzero(cuda.random.Generator(3):uniform { 500 }:eval():gt(0.5))), texts(places))
    assert.equal(drawn:sum():item(), places.size)
    assert.equal("3 4 7 8 11 12", texts(gpuarray.flatnonzero(rows:gt(rows:mean { axis = 2, keepdims = true }))))
  end)

  it("keeps memory for what is selected, and no more than a quarter besides", function()
    local n = 400000
    local x = gpuarray.arange(n, "float32"):eval()
    local function held(f)
      f()
      cuda.collect()
      local before = cuda.mem_stats().live
      local y = f()
      local bytes = cuda.mem_stats().live - before
      return bytes / y.nbytes
    end
    local jitted = jit.status()
    jit.off()
    collectgarbage "stop"
    local ok, failure = pcall(function()
      for _, share in ipairs { 0.02, 0.5, 0.99 } do
        assert.is_true(held(function() return x[x:lt(n * share)] end) <= 1.25)
        assert.is_true(held(function() return gpuarray.flatnonzero(x:lt(n * share)) end) <= 1.25)
        assert.is_true(held(function() return gpuarray.argwhere(x:reshape(400, 1000):lt(n * share)) end) <= 1.25)
        assert.is_true(held(function() return x:compress(x:lt(n * share)) end) <= 1.25)
      end
    end)
    collectgarbage "restart"
    if jitted then jit.on() end
    assert(ok, failure)
  end)

  it("is refused inside a capture, and where it does not fit", function()
    local x = array(100, "float32", function(i) return i end)
    gpu.raises("LogicError", "inside a capture, the number of elements that a mask selects is not known", function()
      cuda.Stream():capture(function() return x[x:gt(5)] end)
    end)
    gpu.raises("LogicError", "the mask has the shape (3,), but the array has (100,)", gpuarray.extract,
      x[{ { 1, 3 } }]:gt(5), x)
    gpu.raises("LogicError", "mask of the shape (99,)", function() return x[x[{ { 1, 99 } }]:gt(5)] end)
    gpu.raises("LogicError", "is an array of float32", function() return x[x * 2] end)
    local gone = x:copy():eval()
    local is = gone:gt(5)
    gone:release()
    local err = gpu.raises("LogicError", "the memory of an operand of shape (100,) was released", function()
      return x[is]
    end)
    if gpu.soft then assert.matches("the expression was written as gt at", err.hint) end
    assert.same({ 0 }, x[x:gt(100)].shape)
    assert.same({ 0 }, gpuarray.empty(0)[gpuarray.empty(0):gt(1)].shape)
    assert.same({ 100 }, x[x:gt(0)].shape)
  end)

  it("is what it was when it was written down, whatever a finalizer writes to it and to the elements", function()
    local x, m = gpuarray.arange(40):eval(), gpuarray.arange(40):eval()
    local cases = {
      function(is) return x[is] end,
      function(is) return gpuarray.extract(is, x) end,
      function(is) return (is:reshape(5, 8):nonzero()) end,
      function(is) return gpuarray.argwhere(is:reshape(5, 8)) end,
    }
    for number, f in ipairs(cases) do
      local function call(place, first)
        x:set(gpuarray.arange(40))
        m:set(gpuarray.arange(40))
        local is = m:gt(20)
        local function write()
          x:fill(-1)
          m:set(gpuarray.arange(40) * 2)
        end
        if first then write() end
        local y, lines, at = reentry.call(function() return f(is) end, write, first and math.huge or place)
        return texts(y), lines, at
      end
      local before, after = call(math.huge), call(math.huge, true)
      local _, lines = call(math.huge)
      local step = math.max(lines / (gpu.sanitized and 10 or 80), 1)
      local k = 1
      while k <= lines do
        local got, _, at = call(math.floor(k))
        assert(got == before or got == after, ("case %d, at %s: %s"):format(number, at, got))
        k = k + step
      end
    end
  end)

  it("is computed in the context of its arrays", function()
    local x = array(9000, "float32", function(i) return i end)
    local other = cuda.Device(0):make_context()
    local ok, y, p = pcall(function() return x[x:gt(8998)], gpuarray.flatnonzero(x:gt(8998)) end)
    other:pop()
    assert(ok, y)
    assert.equal("8999 9000", texts(y))
    assert.equal("8999 9000", texts(p))
    other:detach()
  end)
end)

describe("topk of rows", function()
  local kinds = {
    random = function() return random(30000) - 15000 end,
    equal = function() return 5 end,
    ascending = function(i) return i end,
    descending = function(i) return -i end,
    few = function() return random(4) end,
    periodic = function(i) return i % 256 * 64 + math.floor(i / 256) end,
    bytes = function(i) return i % 3 * 256 + random(2) end, -- differ in few bits
  }
  local names = {}
  for name in pairs(kinds) do names[#names + 1] = name end
  table.sort(names)

  -- The places of the first `count` of a row, in Lua.
  local function first(list, from, n, count, largest)
    local order = {}
    for i = 1, n do order[i] = i end
    table.sort(order, function(a, b)
      local x, y = list[from + a], list[from + b]
      if x ~= y then return largest == (x > y) end
      return a < b
    end)
    return { unpack(order, 1, count) }
  end

  local function check(name, dtype, n, count, largest)
    local rows = 2
    local x, list = array(rows * n, dtype, function(i) return kinds[name]((i - 1) % n) end)
    local values, places = x:reshape(rows, n):topk(count, { largest = largest })
    local want_places, want = {}, {}
    for r = 0, rows - 1 do
      for _, i in ipairs(first(list, r * n, n, count, largest)) do
        want_places[#want_places + 1], want[#want + 1] = i, list[r * n + i]
      end
    end
    local about = ("%d of %d %s %s"):format(count, n, name, dtype)
    assert.equal(text(want_places), texts(places), about)
    assert.equal(text(want), texts(values), about)
  end

  it("are the first of the row, whatever is in it", function()
    for _, name in ipairs(names) do
      for _, n in ipairs { 256, 300, 700, 1024, 1100, 4096 } do
        for k, count in ipairs { 1, 10, 64, 100, 256, math.floor(n / 4) } do
          if count <= n / 4 then check(name, "float32", n, count, (k + n) % 2 == 0) end
        end
      end
      check(name, "float32", 4097, 1000, true)
      check(name, "int32", 4096, 100, false)
    end
  end)

  it("are so for each type of elements, and in each way of finding them", function()
    local fields = { { sort_run, "TOP_WORDS", 4 }, { sort_run, "TOP_GROUPS", false }, { sort_run, "TOP_RANKED", 0 },
      { sort_run, "TOP_RANKED", 256 }, { sort_run, "TOP_THREADS", 256 } }
    for way = 0, #fields do
      local back = way > 0 and knob(unpack(fields[way]))
      for _, name in ipairs(names) do
        for k, dtype in ipairs(way == 0 and { "int16", "float64", "int64" } or { "int32", "float64" }) do
          local ok, failure = pcall(check, name, dtype, 2100, ({ 1, 60, 500 })[(k + way) % 3 + 1], k % 2 == 0)
          if not ok and back then back() end
          assert(ok, failure)
        end
      end
      if back then back() end
    end
  end)

  it("keep the bits of -0, and NaNs are greater than everything", function()
    local x = gpuarray.where((gpuarray.arange(3000, "int32") % 700):eq(5), 0 / 0, gpuarray.arange(3000) % 7 - 6)
    x = gpuarray.where(x:eq(-1), -0.0, gpuarray.where(x:eq(-2), 0.0, x)):reshape(2, 1500):eval()
    for _, largest in ipairs { true, false } do
      for _, count in ipairs { 1, 2, 5, 120, 370 } do
        local values, places = x:topk(count, { largest = largest })
        local items, options = { {}, { 1, count } }, { descending = largest }
        assert.equal(texts(x:argsort(options)[items]), texts(places))
        assert.equal(texts(x:sort(options)[items]:view "int32"), texts(values:view "int32"))
      end
    end
  end)

  it("take one kernel", function()
    local x = gpuarray.arange(4096):reshape(2, 2048):eval()
    for _, count in ipairs { 1, 100, 500 } do
      assert.equal(1, gpu.kernels(function() x:topk(count) end))
    end
  end)

  it("are of one moment, whatever a finalizer writes", function()
    local x = gpuarray.arange(2048):reshape(2, 1024):eval()
    local function f() return (x:topk(3)) end
    local function call(place, first_written)
      x:set(gpuarray.arange(2048):reshape(2, 1024))
      local function write() x:set(gpuarray.arange(2048):reshape(2, 1024) * 2) end
      if first_written then write() end
      local y, lines, at = reentry.call(f, write, first_written and math.huge or place)
      return texts(y), lines, at
    end
    local before, after = call(math.huge), call(math.huge, true)
    local _, lines = call(math.huge)
    for k = 1, lines, math.max(math.floor(lines / 30), 1) do
      local got, _, at = call(k)
      assert(got == before or got == after, ("at %s: %s"):format(at, got))
    end
  end)
end)

describe("masks, before they were expressions:", function()
  it("the switch for measuring gives the same", function()
    local x = array(9000, "float32", function() return random(10) end)
    local want = texts(x[x:gt(4)])
    finally(knob(mask, "FUSED", false))
    assert.equal(want, texts(x[x:gt(4)]))
    assert.equal(4, gpu.kernels(function() return x[x:gt(4)] end))
  end)
end)
