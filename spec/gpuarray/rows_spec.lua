-- Reductions that are used with the same rows again become one kernel with what is made of them (reduce/row.lua). The
-- bits are those of the kernels that compute one after the other.
local gpu = require "spec.support.gpu"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray
local batch = require "spec.support.batch"
local bits = require "spec.support.bits"
local knob = require "spec.support.knob"
local programs = require "spec.support.row_programs"
local reentry = require "spec.support.reentry"
local row = require "cudalua.gpuarray.reduce.row"
local run = require "cudalua.gpuarray.core.run"
local turn = require "spec.support.turn"
local waiting = require "cudalua.gpuarray.core.waiting"
local it = turn.halves(it) -- luacheck: ignore 431

local keep = { keepdims = true }

-- Calls f and returns a list of the names of the kernels that are launched meanwhile.
local function kernels(f)
  local names, kernel = {}, run.kernel
  local restore = knob(run, "kernel", function(launch)
    names[#names + 1] = launch.kernel and launch.kernel.name or "?"
    return kernel(launch)
  end)
  local ok, launches = pcall(gpu.kernels, f)
  restore()
  assert(ok, launches)
  for _ = #names + 1, launches do names[#names + 1] = "of another launch" end
  return names
end

local function is_row(names) return #names == 1 and names[1]:find("^array_rows") ~= nil end

-- The results of f with row kernels, and without; and whether one row kernel computed them all.
local function compare(f)
  local restore = knob(row, "enabled", false)
  local want = { f() }
  gpuarray.eval(unpack(want))
  want = bits.all(want)
  restore()
  local got
  local names = kernels(function()
    got = { f() }
    gpuarray.eval(unpack(got))
  end)
  return bits.all(got) == want, is_row(names), table.concat(names, " ")
end

local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

describe("Rows on chip", function()
  local generator
  setup(gpu.context)
  before_each(function()
    gpuarray.eval()
    generator = cuda.random.Generator(7)
  end)

  local function random(shape, dtype)
    local x = generator:normal(shape)
    if dtype and not dtype:find "float" then x = (x * 20):abs() end
    return (dtype and x:astype(dtype) or x):eval()
  end

  -- ---- bits ---------------------------------------------------------------------------------------------------------

  -- Lengths: of the type of the computation, of the narrowest elements, and of the others.
  local lengths = { float32 = { 1, 2, 3, 4, 7, 8, 31, 33, 64, 100, 128, 129, 257, 500, 512, 700, 1024, 1536, 3000, 4096,
    4097, 5000 }, uint8 = { 1, 5, 33, 128, 257, 700, 1536, 4097 } }
  local some = { 5, 33, 257, 1536, 4097 }
  local dtypes = { "float32", "float16", "bfloat16", "float64", "int32", "uint8", "int64", "bool", "complex64" }

  -- Compares all programs on arrays of these shapes with kernels one after the other. Names those that differ, and
  -- counts those that became a row kernel.
  local function compare_all(dtype, list, make)
    local wrong, taken, tried = {}, 0, 0
    batch.run(function()
      wrong, taken, tried = {}, 0, 0
      for _, n in ipairs(turn.share(list, #list > 8 and 8 or 4)) do
        local x = make(n)
        local gain, bias = random({ n }), random({ n })
        for _, name in ipairs(names) do
          local function f() return programs[name](x, gain, bias) end
          local ok, failure = pcall(function() gpuarray.eval(f()) end)
          if ok then
            local same, in_rows, kernel = compare(f)
            if not same then wrong[#wrong + 1] = ("%s of %d: %s"):format(name, n, kernel) end
            taken, tried = taken + (in_rows and 1 or 0), tried + 1
          else
            gpu.raises("LogicError", "", error, failure, 0)
          end
        end
      end
    end)
    assert.same({}, wrong)
    -- Complex numbers have no extremes and positions.
    local least = dtype:find "complex" and 0.4 or 0.8
    assert.is_true(tried > 2 and taken >= least * tried, ("%d of %d"):format(taken, tried))
  end

  for _, dtype in ipairs(dtypes) do
    it("have the bits of kernels one after the other: " .. dtype, function()
      compare_all(dtype, gpu.sanitized and { 5, 257 } or lengths[dtype] or some, function(n)
        return random({ n > 600 and 3 or 9, n }, dtype)
      end)
    end)
  end

  -- What is reduced lies across memory.
  local columns = { float32 = { 2, 3, 4, 5, 9, 16, 32, 33, 64, 100, 128, 200, 257, 500, 512, 700 },
    float16 = { 5, 33, 300 }, int64 = { 7, 64, 200 }, complex64 = { 6, 150 } }
  for _, dtype in ipairs { "float32", "float16", "int64", "complex64" } do
    local list = columns[dtype]
    it("have the bits of kernels one after the other, down columns: " .. dtype, function()
      compare_all(dtype, gpu.sanitized and { 5, 257 } or list, function(n)
        return random({ n, n % 2 == 0 and 40 or 9 }, dtype).T
      end)
    end)
  end

  it("as long as registers hold, and longer ones as before", function()
    for n, expected in pairs { [16384] = true, [16385] = false, [40000] = false } do
      local x = random { 2, n }
      local same, in_rows, list = compare(function() return programs.by_norm(x) end)
      assert.is_true(same)
      assert.equal(expected, in_rows, n .. ": " .. list)
    end
  end)

  it("of views, other orders of axes, and arrays that are broadcast", function()
    local base = random { 12, 300 }
    local wide = random { 4, 5, 70 }
    local cases = {
      { "offset", function()
        return programs.layer_norm(base[{ {}, { 2, 258 } }], base[{ 1, { 1, 257 } }], 1)
      end, true },
      { "reversed", function() return programs.softmax(base[{ {}, { 300, 1, -1 } }]) end, true },
      { "every third", function() return programs.softmax(base[{ {}, { 1, 300, 3 } }]) end, true },
      { "every other row", function() return programs.softmax(base[{ { 1, 12, 2 } }]) end, true },
      { "across", function() return programs.softmax(base.T) end, true },
      { "two axes", function() return wide - wide:max({ axis = { 2, 3 }, keepdims = true }) end, true },
      { "of three", function() return wide / wide:sum(3, keep) end, true },
      { "of a part", function()
        local part = wide[{ {}, { 2, 4 }, { 3, 60 } }]
        return part / part:sum { axis = { 2, 3 }, keepdims = true }
      end, true },
      { "columns", function() return base / base:sum(1) end, true },
      { "columns of a part", function()
        local part = base[{ { 3, 12, 2 }, { 2, 290 } }]
        return part - part:mean(1) + base[{ 1, { 1, 289 } }]
      end, true },
      { "the second axis of three", function() return wide / wide:sum(2, keep) end, true },
      { "the first two axes of three", function() return wide / wide:sum { axis = { 1, 2 } } end, true },
      { "the first and the last axis of three", function()
        return wide / wide:sum { axis = { 1, 3 }, keepdims = true }
      end, true },
      { "row vectors", function() return (base - base[{ {}, { 1, 1 } }]) / base:sum(2, keep) end, true },
      { "0-d", function() return base * gpuarray.scalar(2, "float32") - base:max(2, keep) end, true },
      { "no rows", function() local e = base[{ { 1, 0 } }] return e - e:sum(2, keep) end, false },
      { "one element", function() local e = base[{ {}, { 1, 1 } }] return e - e:sum(2, keep) * 2 end, true },
    }
    for _, case in ipairs(cases) do
      local same, in_rows, list = compare(case[2])
      assert(same, case[1] .. ": " .. list)
      assert.equal(case[3], in_rows, case[1] .. ": " .. list)
    end
  end)

  it("with NaN, infinities and -0", function()
    local inf, nan = math.huge, 0 / 0
    local x = gpuarray.to_gpu({ { 1, nan, 3 }, { inf, 1, 2 }, { -inf, -inf, -inf }, { -0.0, -0.0, 0 },
      { inf, -inf, 0 } }, "float32")
    for _, name in ipairs(names) do
      assert(compare(function() return programs[name](x, gpuarray.ones(3), gpuarray.ones(3)) end), name)
    end
  end)

  it("rounds results as memory has them before they are used again", function()
    local x = gpuarray.full({ 2, 500 }, 300, "float16")
    local same, in_rows = compare(function()
      return x / x:sum(2, keep), x:sum(2, { keepdims = true, dtype = "int8" }) + x
    end)
    assert.is_true(same and in_rows)
    assert.equal(0, (x / x:sum(2, keep)):tolist()[1][1]) -- 150,000 is infinite
  end)

  -- ---- what is one kernel -------------------------------------------------------------------------------------------

  it("store each reduction, and those that are read besides", function()
    local x = random { 5, 40 }
    local m, s, y
    local list = kernels(function()
      m, s = x:max(2, keep), x:sum(2)
      y = (x - m):exp()
      y:eval()
    end)
    assert.is_true(is_row(list), table.concat(list, " "))
    assert.is_falsy(m._sig)
    assert.is_falsy(s._sig)
    assert.same({ 5, 1 }, m.shape)
    assert.same({}, kernels(function() return m:tolist(), s:tolist() end))
  end)

  it("do not mistake a square matrix's rows for its columns", function()
    local x = random { 8, 8 }
    local same, in_rows = compare(function() return x / x:sum(2) end)
    assert.is_true(same)
    assert.is_false(in_rows)
    assert.is_true(select(2, compare(function() return x / x:sum(2, keep) end)))
  end)

  it("start other reductions before", function()
    local x = random { 6, 50 }
    local same, _, list = compare(function() local z = x - x:mean(1) return z / z:sum(2, keep) end)
    assert.is_true(same, list)
    same = compare(function() return (x - x:cumsum(2)) / x:sum(2, keep) end)
    assert.is_true(same)
    same = compare(function() return x:roll(1) / x:sum(2, keep) end)
    assert.is_true(same)
    same = compare(function() return generator:uniform { 6, 50 } * 0 + x / x:sum(2, keep) end)
    assert.is_true(same)
  end)

  it("at most eight reductions of small programs", function()
    local x = random { 3, 100 }
    local function normalised(times)
      return function()
        local y = x
        for _ = 1, times do y = y / y:sum(2, keep) end
        return y
      end
    end
    local same, in_rows = compare(normalised(8))
    assert.is_true(same and in_rows)
    same, in_rows = compare(normalised(9))
    assert.is_true(same)
    assert.is_false(in_rows)
    finally(knob(row, "COST", 20))
    local y = random { 3, 200 } -- another plan
    assert.is_false(select(2, compare(function() return (y - y:max(2, keep)):sin() end)))
  end)

  it("explain() says why they store", function()
    local x = random { 5, 40 }
    local text = tostring(gpuarray.explain(programs.softmax(x)))
    assert.matches("1 kernel", text)
    assert.matches("a reduction of the rows", text)
  end)

  -- ---- waiting ------------------------------------------------------------------------------------------------------

  it("large arrays wait for what is made of the same rows, and for nothing else", function()
    finally(knob(waiting, "BYTES", 100))
    local x, gain, bias, other = random { 9, 300 }, random { 300 }, random { 300 }, random { 300, 300 }
    for _, name in ipairs { "softmax", "layer_norm", "rms_norm", "cross_entropy", "by_norm", "by_logsumexp" } do
      local same, in_rows, list = compare(function() return programs[name](x, gain, bias) end)
      assert.is_true(same and in_rows, name .. ": " .. list)
    end
    local m = x:max(2, keep)
    local _ = x - m
    assert.is_truthy(m._sig)
    _ = other + 1 -- which is larger
    assert.is_falsy(m._sig)
    local of_columns = x:max(1)
    _ = x - of_columns
    assert.is_truthy(of_columns._sig)
    -- Too long for row kernels: what reads their own memory keeps no more of it alive.
    for axis, long in ipairs { random { 2500, 2 }, random { 2, 40000 } } do
      m = long:mean(axis, keep)
      _ = (long - m) / long:max(axis, keep)
      assert.is_truthy(m._sig)
      _ = m + random { 2, 2 }
      assert.is_falsy(m._sig)
      assert.equal(2, gpu.kernels(function() ((long - long:mean(axis, keep)) / long:max(axis, keep)):eval() end))
    end
    m = x:max(2, keep)
    for _ = 1, waiting.AFTER + 1 do _ = x - m end
    assert.is_falsy(m._sig)
  end)

  it("hold no more than as much memory again", function()
    finally(knob(waiting, "BYTES", 100))
    local m = random({ 64, 1 })
    local total
    local function held()
      cuda.collect()
      return cuda.mem_stats().pooled.bytes
    end
    local before, most = held(), 0
    for _ = 1, 12 do
      local big = gpuarray.empty({ 64, 512 })
      local sum = (big * m):sum(2, keep)
      total = total and total + sum or sum
      big = nil -- luacheck: ignore
      most = math.max(most, held() - before)
    end
    assert.is_true(most <= 4 * 64 * 512 * 4, tostring(most))
  end)

  it("writing in place needs no second array", function()
    for _, bytes in ipairs { waiting.BYTES, 100 } do
      finally(knob(waiting, "BYTES", bytes))
      for _, axis in ipairs { 1, 2 } do
        local x = random { 6, 50 }
        local want = bits.of((x - x:max(axis, keep)):eval())
        local address = x.ptr
        x:isub(x:max(axis, keep))
        assert.equal(want, bits.of(x))
        assert.equal(address, x.ptr)
      end
    end
  end)

  -- ---- finalizers and errors ----------------------------------------------------------------------------------------

  it("have the values of their time, whatever finalizers do between any two lines", function()
    local x, m, e, y
    local function begin()
      x = gpuarray.to_gpu({ { 1, 2, 3, 4 }, { 5, 6, 7, 9 } }, "float32")
      m = x:max(2, keep)
      e = (x - m):exp()
      y = e / e:sum(2, keep)
    end
    begin()
    local want = bits.of(y:eval())
    local inner = {
      function() x:fill(7) end,
      function() m:eval() end,
      function() e:eval() end,
      function() y:eval() end,
      function() gpuarray.eval(x:sum(2), x * 2) end,
      function() x[{ 1 }]:fill(3) end,
    }
    for _, f in ipairs(inner) do
      local k, inside, places = 1, true, 0
      while inside do
        begin()
        inside = select(3, reentry.call(function() y:eval() end, f, k))
        assert.equal(want, bits.of(y), inside)
        k, places = k + (gpu.sanitized and 7 or turn.partial and 3 or 1), places + 1
      end
      assert.is_true(places > 10)
    end
  end)

  it("raise the errors of one after the other, and compute in steps where memory is short", function()
    local x = random { 4, 30 }
    local y = x - x:max(2, keep)
    x:release()
    gpu.raises("LogicError", "was released", y.eval, y)
    local storage = require "cudalua.gpuarray.core.storage"
    x = random { 4, 30 }
    local want = bits.of(programs.softmax(x):eval())
    local z, buffer, n = programs.softmax(x), storage.buffer, 0
    finally(knob(storage, "buffer", function(...)
      n = n + 1
      if n == 2 then require("cudalua.base.errors").raise("MemoryError", "no memory") end
      return buffer(...)
    end))
    assert.equal(want, bits.of(z))
  end)
end)
