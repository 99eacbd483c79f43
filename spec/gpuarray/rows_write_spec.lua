-- What is made of reductions and the same rows again is written to an existing array by the kernel that computes it
-- (reduce/row.lua), where that is as safe as writing it in steps.
local gpu = require "spec.support.gpu"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray
local batch = require "spec.support.batch"
local bits = require "spec.support.bits"
local core = require "cudalua.core"
local knob = require "spec.support.knob"
local programs = require "spec.support.row_programs"
local reentry = require "spec.support.reentry"
local run = require "cudalua.gpuarray.core.run"
local row = require "cudalua.gpuarray.reduce.row"
local storage = require "cudalua.gpuarray.core.storage"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431

local keep = { keepdims = true }

-- The kernels that f launches, from a profile.
local function kernels(f)
  local names = {}
  for _, r in ipairs(cuda.profile(f, { print = false }).rows) do
    if r.kind == "kernel" then
      for _ = 1, r.calls do names[#names + 1] = r.name end
    end
  end
  return names
end

local function is_row(names) return #names == 1 and names[1]:find("^array_rows") ~= nil end

-- The same of what is launched, also where kernels are compiled in batches, under other names; and the last kernel.
local function launches(f)
  local names, kernel, last = {}, run.kernel, nil
  local restore = knob(run, "kernel", function(launch)
    last = launch.kernel
    names[#names + 1] = last and last.name or "?"
    return kernel(launch)
  end)
  local ok, count = pcall(gpu.kernels, f)
  restore()
  assert(ok, count)
  for _ = #names + 1, count do names[#names + 1] = "of another launch" end
  return names, last
end

-- The same f without row kernels.
local function in_steps(f)
  local restore = knob(row, "enabled", false)
  local ok, result = pcall(f)
  restore()
  if not ok then error(result, 0) end
  return result
end

describe("A row kernel's result that is written to an array", function()
  local generator
  setup(gpu.context)
  before_each(function()
    gpuarray.eval()
    generator = cuda.random.Generator(11)
  end)

  local function random(shape, dtype) return generator:normal(shape):astype(dtype or "float32"):eval() end

  -- An array that was there before.
  local function old(shape, dtype) return gpuarray.full(shape, 7, dtype or "float32"):eval() end

  local function div_into(x, out)
    local e = (x - x:max(2, keep)):exp()
    return gpuarray.div(e, e:sum(2, keep), { out = out })
  end

  -- ---- one kernel -----------------------------------------------------------------------------------------------

  it("takes one kernel, the one of a new array", function()
    local x, y, rest = random { 5, 130 }, old { 5, 130 }, old { 9, 130 }
    local text = gpuarray.explain(programs.softmax(x))
    assert.matches("1 kernel", text)
    local name = text:match "kernel 1: ([%w_]+)"
    local want = bits.of(programs.softmax(x):eval())
    local cases = {
      set = function() y:set(programs.softmax(x)) return y end,
      out = function() return div_into(x, y) end,
      ["a view's set"] = function() rest[{ { 3, 7 } }]:set(programs.softmax(x)) return rest[{ { 3, 7 } }] end,
      ["an index"] = function() rest[{ { 2, 6 } }] = programs.softmax(x) return rest[{ { 2, 6 } }] end,
    }
    for what, f in pairs(cases) do
      y:fill(0)
      rest:fill(0)
      local result
      assert.same({ name }, kernels(function() result = f() end), what)
      assert.equal(want, bits.of(result:copy()), what)
    end
    assert.same({ 0, 0 }, { rest[{ 1, 1 }]:item(), rest[{ 9, 130 }]:item() })
    assert.same({ 0, 0 }, { rest[{ 1, 130 }]:item(), rest[{ 8, 1 }]:item() })
  end)

  it("gives the reductions their values, and leaves the expression as it was", function()
    local x, y = random { 4, 33 }, old { 4, 33 }
    local m = x:max(2, keep)
    local e = (x - m):exp()
    local s = e:sum(2, keep)
    local q = e / s
    y:set(q)
    assert.same({ false, false }, { m._sig, s._sig })
    assert.is_truthy(q._sig)
    assert.equal(bits.of(y), bits.of(q))
    y:fill(0)
    assert.equal(bits.of(in_steps(function() return programs.softmax(x):eval() end)), bits.of(q))
  end)

  it("goes where rows are apart, and where they lie as a new array's would", function()
    local x, wide, high = random { 6, 40 }, old { 6, 90 }, old { 40, 6 }
    local want = programs.softmax(x):tolist()
    assert.is_true(is_row(kernels(function() wide[{ {}, { 4, 43 } }] = programs.softmax(x) end)))
    assert.same(want, wide[{ {}, { 4, 43 } }]:tolist())
    assert.same({ 7, 7 }, { wide[{ 2, 3 }]:item(), wide[{ 2, 44 }]:item() })
    -- The same matrix, and its target, as columns.
    local columns = x.T:copy("C").T
    assert.is_true(is_row(kernels(function() high.T:set(programs.softmax(columns)) end)))
    assert.same(want, high.T:tolist())
    -- Rows that lie across memory have tiles.
    high:fill(0)
    assert.is_false(is_row(kernels(function() high.T:set(programs.softmax(x)) end)))
    assert.same(want, high.T:tolist())
    for _, range in ipairs { { 45, 6, -1 }, { 2, 80, 2 } } do
      wide[{ {}, range }] = programs.softmax(x)
      assert.same(want, wide[{ {}, range }]:tolist())
    end
  end)

  -- ---- values -------------------------------------------------------------------------------------------------------

  local lengths = { 1, 2, 3, 5, 7, 31, 33, 64, 127, 130, 257, 1000, 1023, 4097 }
  local some = { "softmax", "log_softmax", "layer_norm", "by_norm", "chain", "range" }

  for _, dtype in ipairs { "float32", "float16", "float64" } do
    it("has the bits of steps, wherever rows begin: " .. dtype, function()
      local wrong, taken, tried
      batch.run(function()
        wrong, taken, tried = {}, 0, 0
        for _, n in ipairs(gpu.sanitized and { 5, 257 } or turn.share(lengths, 5)) do
          local rows = n > 600 and 3 or 9
          local x, gain, bias = random({ rows, n }, dtype), random({ n }, dtype), random({ n }, dtype)
          for _, name in ipairs(some) do
            local function f() return (programs[name](x, gain, bias)) end
            local want = bits.of(in_steps(function() return f():copy() end))
            -- A whole array, rows of one, and rows that begin at no multiple of 16 bytes.
            local whole, more, flat = old({ rows, n }, dtype), old({ rows + 3, n }, dtype), old({ rows * n + 5 }, dtype)
            local targets = { whole, more[{ { 3, rows + 2 } }], flat[{ { 2, rows * n + 1 } }]:reshape(rows, n) }
            for k, target in ipairs(targets) do
              local names = launches(function() target:set(f()) end)
              if bits.of(target:copy()) ~= want then wrong[#wrong + 1] = ("%s of %d, %d"):format(name, n, k) end
              taken, tried = taken + (is_row(names) and 1 or 0), tried + 1
            end
            if flat:item(1) ~= 7 or flat:item(rows * n + 2) ~= 7 then wrong[#wrong + 1] = name .. " wrote beside" end
          end
        end
      end)
      assert.same({}, wrong)
      assert.is_true(tried > 10 and taken == tried, ("%d of %d"):format(taken, tried))
    end)
  end

  it("is stored in packs only where rows begin at multiples of 16 bytes", function()
    local x, aligned, flat = random { 4, 64 }, old { 4, 64 }, old { 260 }
    local apart = flat[{ { 2, 257 } }]:reshape(4, 64)
    local _, packed = launches(function() aligned:set(programs.softmax(x)) end)
    local _, other = launches(function() apart:set(programs.softmax(x)) end)
    assert.is_true(packed ~= other)
    assert.equal(packed, select(2, launches(function() aligned:set(programs.softmax(x)) end)))
    assert.equal(other, select(2, launches(function() apart:set(programs.softmax(x)) end)))
    assert.equal(packed, select(2, launches(function() programs.softmax(x):eval() end)))
  end)

  it("is converted on the way", function()
    local x, y, z = random({ 5, 37 }, "float16"), old { 5, 37 }, old({ 5, 37 }, "float16")
    assert.is_true(is_row(kernels(function() y:set(programs.softmax(x)) end)))
    assert.equal(bits.of(programs.softmax(x):astype "float32"), bits.of(y))
    assert.is_true(is_row(kernels(function() z:set(programs.softmax(y):astype "float16") end)))
    assert.equal(bits.of(programs.softmax(y):astype "float16"), bits.of(z))
  end)

  it("is written in steps where it is broadcast", function()
    local x, y = random { 5, 37 }, old { 2, 5, 37 }
    local want = programs.softmax(x):tolist()
    y:set(programs.softmax(x))
    assert.same({ want, want }, y:tolist())
    assert.equal(2, #kernels(function() y:set(programs.softmax(x)) end))
  end)

  -- ---- what reads the array -----------------------------------------------------------------------------------------

  it("may be written over its own operand, in place", function()
    for _, n in ipairs { 1, 5, 40, 257, 1500 } do
      local x = random { 7, n }
      local want = bits.of(in_steps(function() return (x - x:max(2, keep)):eval() end))
      local address = x.ptr
      x = x:copy()
      local leaf = storage.leaf_of(x)
      assert.is_true(is_row(kernels(function() x:isub(x:max(2, keep)) end)))
      assert.equal(leaf.buf, storage.leaf_of(x).buf)
      assert.equal(want, bits.of(x))
      assert.is_truthy(address)
    end
  end)

  it("goes to new memory if others still have to read a whole array", function()
    local x = random { 7, 50 }
    local want, sums = bits.of(programs.softmax(x):eval()), bits.of(x:sum(2):eval())
    local double, later, view = x * 2, x:sum(2), x[{ { 2, 3 } }]
    assert.is_true(#kernels(function() x:set(programs.softmax(x)) end) <= 2) -- `later` is one
    assert.equal(want, bits.of(x))
    assert.equal(bits.of(x[{ { 2, 3 } }]), bits.of(view))
    assert.equal(sums, bits.of(later))
    assert.equal(sums, bits.of((double / 2):sum(2)))
    -- The expression itself is one of them.
    local z = random { 7, 50 }
    want = bits.of(in_steps(function() return (z - z:max(2, keep)):eval() end))
    local q
    assert.is_true(is_row(kernels(function()
      q = z - z:max(2, keep)
      z:set(q)
    end)))
    assert.same({ want, want }, { bits.of(z), bits.of(q) })
    local y, from = old { 7, 50 }, random { 7, 50 }
    local before = y * 3
    assert.is_true(is_row(kernels(function() y:set(programs.softmax(from)) end)))
    assert.equal(21, before[{ 7, 50 }]:item())
    assert.equal(bits.of(programs.softmax(from)), bits.of(y))
  end)

  it("comes behind what still has to read a part, or memory whose address is known", function()
    local x = random { 7, 50 }
    local want = programs.softmax(x):tolist()
    local y = old { 9, 50 }
    local before = y * 3
    y[{ { 2, 8 } }] = programs.softmax(x)
    assert.equal(21, before[{ 4, 4 }]:item())
    assert.same(want, y[{ { 2, 8 } }]:tolist())
    -- A reader that needs one of the reductions.
    local s = x:sum(2, keep)
    local z = old { 7, 50 }
    before = z + s
    local own = (before * 1)
    z:set(x / s)
    assert.equal(bits.of(x:sum(2, keep) + gpuarray.full({ 7, 50 }, 7, "float32")), bits.of(own))
    assert.equal(bits.of(x / x:sum(2, keep)), bits.of(z))
    -- The address is known.
    local known = old { 7, 50 }
    local address = known.ptr
    before = known * 3
    known:set(programs.softmax(x))
    assert.equal(address, known.ptr)
    assert.same(want, known:tolist())
    assert.equal(21, before[{ 4, 4 }]:item())
    assert.is_true(is_row(kernels(function() known:set(programs.softmax(x)) end)))
    assert.equal(address, known.ptr)
  end)

  it("does not overwrite what it reads elsewhere", function()
    local function compare(f, rows)
      local function array() return gpuarray.arange((rows or 12) * 50, "float32"):reshape(rows or 12, 50):eval() end
      local want = in_steps(function() return bits.of(f(array())) end)
      assert.equal(want, bits.of(f(array())))
    end
    local function standard(x) return (x - x:mean(2, keep)) / (x:max(2, keep) + 1) end
    compare(function(a) a[{ { 1, 8 } }] = standard(a[{ { 2, 9 } }]) return a end)
    compare(function(a) a[{ { 2, 9 } }] = standard(a[{ { 1, 8 } }]) return a end)
    compare(function(a) a[{ { 1, 8 } }] = standard(a[{ { 8, 1, -1 } }]) return a end)
    compare(function(a) a[{ {}, { 1, 40 } }] = standard(a[{ {}, { 2, 41 } }]) return a end)
    compare(function(a) a[{ { 1, 8 } }] = standard(a[{ { 1, 8 } }]) return a end)
    compare(function(a) a[{ { 1, 6 } }] = standard(a[{ { 7, 12 } }]) return a end)
    compare(function(a) a:set(standard(a) * a[{ { 3, 3 } }]) return a end)
    compare(function(a) a:idiv(a:sum(2, keep) + a[{ {}, { 1, 1 } }]) return a end)
    compare(function(a) a[{ { 1, 6 } }]:idiv(a[{ { 1, 6 } }]:sum(2, keep) + a[{ { 4, 9 }, { 2, 2 } }]) return a end)
    compare(function(a) a:set(gpuarray.full({ 12, 50 }, 2, "float32") / a:sum(2, keep)) return a end)
    -- The reductions are one kernel then.
    local whole = random { 12, 50 }
    assert.equal(2, #kernels(function() whole[{ { 1, 8 } }] = programs.softmax(whole[{ { 2, 9 } }]) end))
    -- Rows of other blocks, which reductions read themselves.
    local two = gpuarray.full({ 599, 50 }, 2, "float32"):eval()
    compare(function(a) a[{ { 2, 600 } }] = two / a[{ { 1, 599 } }]:sum(2, keep) return a end, 600)
    compare(function(a) a[{ { 1, 599 } }] = two / a[{ { 2, 600 } }]:sum(2, keep) return a end, 600)
    -- Memory that two arrays have by its address.
    compare(function(a)
      local b = gpuarray.wrap(a.ptr, { 599, 50 }, "float32", { base = a })
      gpuarray.add(two / two:sum(2, keep), b, { out = a[{ { 2, 600 } }] })
      return a
    end, 600)
  end)

  it("comes behind other reductions that wait", function()
    local function f()
      local x, y = random { 6, 70 }, random { 6, 70 }
      local m = x:max(2, keep)
      local columns, scan, linked = y:sum(1), y:cumsum(2), (x - m):sum(1)
      y:set((x - m) / x:sum(2, keep))
      return { y, columns, scan, linked }
    end
    local want = bits.all(in_steps(function() generator = cuda.random.Generator(3) return f() end))
    generator = cuda.random.Generator(3)
    assert.equal(want, bits.all(f()))
    -- One of them is made of the program's: the maximum is computed once.
    local x, y = random { 6, 70 }, old { 6, 70 }
    assert.equal(3, #kernels(function()
      local m = x:max(2, keep)
      local linked = (x - m):sum(1)
      y:set((x - m) / x:sum(2, keep))
      return linked
    end))
  end)

  -- ---- graphs, finalizers, memory -----------------------------------------------------------------------------------

  it("reaches graphs that have the array", function()
    local x, y, z = random { 5, 60 }, old { 5, 60 }, old { 5, 60 }
    local stream = cuda.Stream()
    local function use() gpuarray.mul(y, 2, { out = z }) end
    stream:use(use)
    stream:synchronize()
    local graph = stream:capture(use):instantiate()
    cuda.collect() -- expressions that read y
    assert.is_true(is_row(kernels(function() y:set(programs.softmax(x)) end)))
    cuda.Context.synchronize()
    graph:launch(stream)
    stream:synchronize()
    assert.equal(bits.of((programs.softmax(x) * 2):eval()), bits.of(z))
    -- In a capture.
    local both = stream:capture(function() y:set(programs.softmax(x)) end):instantiate()
    x:fill(1)
    cuda.Context.synchronize()
    both:launch(stream)
    stream:synchronize()
    assert.equal(bits.of(programs.softmax(x):eval()), bits.of(y))
  end)

  it("has the values of its time, whatever finalizers do between any two lines", function()
    local x, m, y, q, target
    local function begin()
      x = gpuarray.to_gpu({ { 1, 2, 3, 4 }, { 5, 6, 7, 9 } }, "float32")
      y = gpuarray.to_gpu({ { 3, 3, 3, 3 }, { 4, 4, 4, 4 }, { 5, 5, 5, 5 } }, "float32")
      m = x:max(2, keep)
    end
    local ways = {
      ["in place"] = function() x:isub(m) target = x end,
      whole = function() q = x - m x:set(q) target = x end,
      apart = function() y[{ { 2, 3 } }] = x - m target = y end,
    }
    local inner = {
      function() m:eval() end,
      function() (m * 2):eval() end,
      function() gpuarray.eval(x:sum(2), x * 2, y * 2) end,
      function() y:isub(y:max(2, keep)) y:iadd(1) end,
      function() collectgarbage() end,
    }
    for way, write in pairs(ways) do
      begin()
      write()
      local most, want = bits.of(m), bits.of(target)
      for i, f in ipairs(inner) do
        local k, inside = 1, true
        while inside do
          begin()
          inside = select(3, reentry.call(write, f, k))
          assert.equal(most, bits.of(m), ("%s, %d, %s"):format(way, i, tostring(inside)))
          if not (way == "apart" and i == 4) then
            assert.equal(want, bits.of(target), ("%s, %d, %s"):format(way, i, tostring(inside)))
          end
          k = k + (gpu.sanitized and 7 or turn.partial and 3 or 1)
        end
        assert.is_true(k > 100)
      end
    end
  end)

  it("is written in steps where memory is short, and raises the errors of steps", function()
    local x, y = random { 4, 30 }, old { 4, 30 }
    local want = bits.of(programs.softmax(x):eval())
    local q, buffer, n = programs.softmax(x), storage.buffer, 0
    local restore = knob(storage, "buffer", function(...)
      n = n + 1
      if n == 2 then require("cudalua.base.errors").raise("MemoryError", "no memory") end
      return buffer(...)
    end)
    local ok, err = pcall(y.set, y, q)
    restore()
    assert(ok, err)
    assert.is_true(n > 2)
    assert.equal(want, bits.of(y))
    q = x / x:sum(2, keep)
    x:release()
    gpu.raises("LogicError", "was released", y.set, y, q)
    assert.equal(want, bits.of(y))
  end)

  it("is refused if the array is in another context", function()
    local x = random { 4, 30 }
    local other = cuda.Device(0):make_context()
    local y = old { 4, 30 }
    cuda.Context.synchronize()
    other:pop()
    gpu.raises("LogicError", "two contexts", y.set, y, x / x:sum(2, keep))
    other:detach()
  end)

  it("is not held any longer, and neither are its reductions", function()
    local x, y, held = random { 4, 30 }, old { 4, 30 }, setmetatable({}, { __mode = "v" })
    local function write()
      local m = x:max(2, keep)
      held[1], held[2] = m, x - m
      y:set(held[2])
    end
    write()
    cuda.collect()
    assert.same({}, held)
  end)

  it("waits for nothing", function()
    local x, y, ready = random { 4, 30 }, old { 4, 30 }, core.array_ready
    local q, n = programs.softmax(x), 0
    local restore = knob(core, "array_ready", function(...)
      n = n + 1
      return ready(...)
    end)
    local ok, err = pcall(y.set, y, q)
    restore()
    assert(ok, err)
    assert.equal(0, n)
  end)
end)
