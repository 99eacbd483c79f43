-- Rolls, borders, repetitions and joined arrays inside the kernels that read them: how many kernels there are, and what
-- keeps each of them the copy that it stands for. maps_random_spec.lua compares programs of them with loops.
local gpu = require "spec.support.gpu"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local core = require "cudalua.core"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local knob = require "spec.support.knob"
local layout = require "cudalua.base.layout"
local moved = require "spec.support.moved"
local ndarray = require "cudalua.ndarray"
local plan = require "cudalua.gpuarray.core.plan"
local reentry = require "spec.support.reentry"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

local function launches(f)
  f()
  return gpu.kernels(f)
end

local function bytes(x)
  local p, n = x:get():copy():buffer()
  return ffi.string(p, n)
end

describe("Maps of arrays", function()
  local x, m

  setup(gpu.context)
  before_each(function()
    x = gpuarray.arange(5, "float32"):eval()
    m = gpuarray.arange(12, "int32"):reshape(3, 4):eval()
  end)

  -- ---- kernels ------------------------------------------------------------------------------------------------------

  it("run in the kernel that reads them, and alone in one", function()
    for name, f in pairs {
      roll = function() return m:roll({ 1, -1 }, { 1, 2 }) end,
      flat = function() return x:roll(2) end,
      pad = function() return m:pad { { 1, 2 }, { 0, 3 } } end,
      reflect = function() return m:pad(2, "reflect") end,
      tile = function() return m:tile(2, 3) end,
      repeat_ = function() return m:repeat_(3, 2) end,
      concatenate = function() return gpuarray.concatenate({ m, m * 2, m }, 2) end,
      stack = function() return gpuarray.stack({ m, m + 1 }, 2) end,
    } do
      assert.equal(0, gpu.kernels(f), name)
      assert.equal(1, launches(function() f():eval() end), name)
      assert.equal(1, launches(function() (f() * 2 + 1):eval() end), name)
    end
  end)

  it("compose: of two rolls, of a border around a roll, and of an expression below", function()
    local function one(expected, f)
      local y
      assert.equal(1, launches(function() y = f():eval() end))
      assert.same(expected, y:tolist())
    end
    one({ 3, 4, 0, 1, 2 }, function() return x:roll(1):roll(1) end)
    one({ 0, 1, 2, 3, 4 }, function() return x:roll(3):roll(-3) end)
    one({ 9, 4, 0, 1, 2, 3, 9 }, function() return x:roll(1):pad(1, "constant", { constant_values = 9 }) end)
    one({ 9, 9, 0, 1, 2, 3, 4 }, function() return x:pad(1, "constant", { constant_values = 9 }):roll(1) end)
    one({ 1, 1, 2, 2, 3, 3, 4, 4, 5, 5 }, function() return (x + 1):repeat_(2, 1) end)
    one({ 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4 }, function()
      return x:repeat_(2, 1):repeat_(2, 1)
    end)
    one({ 1, 0, 0, 0, 1, 2, 3, 4, 4, 4, 3 }, function()
      return x:pad(1, "edge"):pad(2, "reflect"):maximum(0)
    end)
    one({ 10, 21, 32, 43, 4 }, function() return x + 10 * x:roll(-1) end)
  end)

  it("are one kernel for all shifts, widths and shapes of a kind", function()
    local compiled = {}
    local load = runs.load
    finally(knob(runs, "load", function(k, ...)
      compiled[codegen.source(k)] = true
      return load(k, ...)
    end))
    local function count(f)
      compiled = {}
      f()
      local n = 0
      for _ in pairs(compiled) do n = n + 1 end
      return n
    end
    assert.equal(1, count(function()
      for shift = 1, 6 do
        for n = 9, 11, 2 do -- extents that no pack divides
          (gpuarray.zeros({ 4, n }, "float64"):roll({ shift % 3 + 1, shift }, { 1, 2 }) * 3):eval()
        end
      end
    end))
    assert.equal(1, count(function()
      for width = 1, 5 do gpuarray.zeros({ 3, 8 }, "uint32"):pad({ { width, 1 }, { 2, width } }, "wrap"):eval() end
    end))
  end)

  it("compute an operand in place only where that moves fewer bytes than storing it", function()
    local a, b, c, d = x + 1, x + 2, x + 3, x + 4
    gpuarray.eval(a, b, c, d)
    -- x * 2 below three maps: 3 arrays read, where storing it would take 2 more.
    assert.equal(1, launches(function()
      local y = x * 2;
      (y:roll(1) + y:roll(2) + y:roll(3)):eval()
    end))
    -- A sum of four: 4 a place; to store it costs 5, and 1 a place.
    assert.equal(1, launches(function() ((a + b + c + d):roll(1) + 1):eval() end))
    local s
    assert.equal(2, launches(function()
      s = a + b + c + d;
      (s:roll(1) + s:roll(2) + s:roll(3)):eval()
    end))
    assert.is_false(s._sig) -- it was stored
    -- Read by one map, and without one: 8 where it costs 7.
    assert.equal(2, launches(function()
      s = a + b + c + d;
      (s:roll(1) + s):eval()
    end))
    assert.same({ 10, 14, 18, 22, 26 }, s:tolist())
    -- Long stencils of stencils are stored on the way, and do not grow without bounds.
    local u, expected = x, { 0, 1, 2, 3, 4 }
    for _ = 1, 12 do
      u = u:roll(1) + u:roll(-1) - u
      local next = {}
      for i = 1, 5 do next[i] = expected[(i + 3) % 5 + 1] + expected[i % 5 + 1] - expected[i] end
      expected = next
    end
    assert.same(expected, u:tolist())
  end)

  it("make a step of a stencil one kernel, however many there are", function()
    local n, steps, start = 6, 12, {}
    for i = 1, n do
      start[i] = {}
      for j = 1, n do start[i][j] = (i * 7 + j * 3) % 5 end
    end
    local plate, u = gpuarray.to_gpu(start, "int32"), nil
    local count = launches(function()
      u = plate
      for _ = 1, steps do u = u:roll(1, 1) + u:roll(-1, 1) + u:roll(1, 2) + u:roll(-1, 2) - 3 * u end
      u:eval()
    end)
    assert.is_true(count <= steps, count)
    for _ = 1, steps do
      local next = {}
      for i = 1, n do
        next[i] = {}
        for j = 1, n do
          local up, down = start[(i - 2) % n + 1], start[i % n + 1]
          next[i][j] = up[j] + down[j] + start[i][(j - 2) % n + 1] + start[i][j % n + 1] - 3 * start[i][j]
        end
      end
      start = next
    end
    for i = 1, n do
      for j = 1, n do start[i][j] = (start[i][j] + 2 ^ 31) % 2 ^ 32 - 2 ^ 31 end
    end
    assert.same(start, u:tolist())
  end)

  it("do not make walks longer and longer", function()
    local reads, levels = 0, 12
    local enter = plan.enter
    finally(knob(plan, "enter", function(...)
      reads = reads + 1
      return enter(...)
    end))
    local u, host = x, moved.new({ 5 }, function(index) return index[1] end)
    for _ = 1, levels do
      u = u:pad({ 1, 0 }, "edge") + u:pad({ 0, 1 }, "wrap")
      host = moved.apply(function(a, b) return a + b end, moved.pad(host, { { 1, 0 } }, "edge"),
        moved.pad(host, { { 0, 1 } }, "wrap"))
    end
    assert.same({ unpack(host) }, u:tolist())
    assert.is_true(reads > levels and reads < levels * 400, reads)
  end)

  it("have parts that gpuarray.eval() leaves to them", function()
    collectgarbage()
    gpuarray.eval()
    local border, both = m:pad(1), gpuarray.concatenate { x, x, x }
    assert.same({ border, both }, storage.all_pending())
    assert.equal(2, gpu.kernels(function() gpuarray.eval() end))
    assert.same({ 0, 8, 9, 10, 11, 0 }, border:tolist()[4])
    assert.same({ 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4 }, both:tolist())
  end)

  it("are stored for reductions, scans and products as one array", function()
    assert.equal(2, launches(function() (x:roll(1) * x:roll(2)):sum():eval() end))
    assert.equal(4 * 3 + 0 * 4 + 1 * 0 + 2 * 1 + 3 * 2, (x:roll(1) * x:roll(2)):sum():item())
    assert.same({ 4, 4, 5, 7, 10 }, x:roll(1):cumsum():tolist())
    assert.equal(30, x:roll(1):dot(x:roll(1)):item())
  end)

  it("read what an expression below uses twice once", function()
    local y = (x * x + x):roll(1)
    assert.equal(1, select(2, gpuarray.source(y):gsub("const float %*p%d", "")))
    assert.same({ 20, 0, 2, 6, 12 }, y:tolist())
  end)

  it("are values like others where they come up again", function()
    local first, second, still = x:roll(1), x:roll(1), x:roll(0)
    local y = first * 100 + (second - x * 2) + second * 1000
    assert.same({ 4404, -2, 1097, 2196, 3295 }, y:tolist())
    local z = x - 2 * still
    gpuarray.eval(z, still)
    assert.same({ 0, 1, 2, 3, 4 }, still:tolist())
    assert.same({ 0, -1, -2, -3, -4 }, z:tolist())
    z = x * 3 - still + still * 10
    assert.same({ 0, 12, 24, 36, 48 }, z:tolist())
  end)

  it("are results beside others in one kernel", function()
    local p, q
    assert.equal(1, launches(function()
      p, q = x:roll(1) + x, x:roll(-1) * 2
      gpuarray.eval(p, q)
    end))
    assert.same({ 4, 1, 3, 5, 7 }, p:tolist())
    assert.same({ 2, 4, 6, 8, 0 }, q:tolist())
    -- What one of them reads at several places is stored first, as where it is alone.
    local a, b, c = x + 1, x + 2, x + 3
    gpuarray.eval(a, b, c)
    assert.equal(2, launches(function()
      local s = a + b + c + x
      p, q = s:roll(1) + s, x * 2
      gpuarray.eval(p, q)
    end))
    assert.same({ 28, 16, 24, 32, 40 }, p:tolist())
    assert.same({ 0, 2, 4, 6, 8 }, q:tolist())
  end)

  it("lie as copies do, and so does what is made of them", function()
    local t = gpuarray.arange(12, "int32"):reshape(4, 3):eval().T
    for _, f in ipairs {
      function(y) return y:roll(1, 1) end,
      function(y) return y + y:roll(1, 1) end,
      function(y) return y:pad(1) end,
      function(y) return (y * 2):roll(1, 2) + 1 end,
      function(y) return gpuarray.concatenate { y, y } end,
    } do
      local made = f(t)
      assert.same(layout.dense_strides(made.shape, 4, "C"), made.strides)
      assert.same(f(t:copy "C"):tolist(), made:tolist())
    end
    assert.same({ 4, 12 }, (t + 1).strides)
  end)

  it("read what lies across in tiles, by a copy", function()
    local wide = gpuarray.arange(64 * 40, "float32"):reshape(64, 40):eval()
    local y
    assert.equal(2, launches(function() y = (wide.T:roll(1, 2) + 1):eval() end))
    assert.equal(wide:item(64, 3) + 1, y:item(3, 1))
    local flat = gpuarray.zeros { 40, 64 }:eval()
    assert.equal(2, launches(function() y = (flat:roll(1, 2) + wide.T):eval() end))
    assert.equal(wide:item(7, 3), y:item(3, 7))
  end)

  -- ---- values -------------------------------------------------------------------------------------------------------

  it("keep the bits of every dtype", function()
    local list = {}
    for _, t in ipairs(dtype.list) do list[#list + 1] = t end
    list[#list + 1] = dtype.struct { { "a", "int8" }, { "b", "float64" } }
    list[#list + 1] = dtype.struct { { "a", "uint8" }, { "b", "uint8" }, { "c", "uint8" } }
    for _, t in ipairs(list) do
      local host = ndarray.from_function(12 * t.itemsize, function(i)
        return t.kind == "bool" and i % 2 or i * 37 % 256
      end, "uint8")
      host = ndarray.from_buffer(host, { 3, 4 }, t)
      local a = gpuarray.to_gpu(host)
      local function holds(expected, y)
        assert.same(expected.shape, y.shape)
        local p, n = expected:copy():buffer()
        assert.equal(ffi.string(p, n), bytes(y), t.name)
      end
      holds(host:slice({ 3 }, {}), a:roll(1, 1)[{ { 1 } }])
      holds(host:slice({ 1, 2 }, {}), a:roll(1, 1)[{ { 2, 3 } }])
      holds(host:slice({}, { 4, 1, -1 }), a:flip(2):roll(3, 2):roll(-3, 2))
      holds(host, a:pad { { 2, 1 }, { 1, 3 } }[{ { 3, 5 }, { 2, 5 } }])
      holds(host, a:pad(3, "reflect")[{ { 4, 6 }, { 4, 7 } }])
      holds(host, a:tile(2, 2)[{ { 4, 6 }, { 5, 8 } }])
      holds(host, a:repeat_(2, 2)[{ {}, { 1, 8, 2 } }])
      holds(host, gpuarray.concatenate({ a[{ {}, { 1, 1 } }], a[{ {}, { 2, 4 } }] }, 2))
      holds(host, gpuarray.stack { a[1], a[2], a[3] })
      holds(ndarray.zeros(6, t), a:pad(1)[1])
      holds(host:slice({ 2 }, {}), gpuarray.concatenate { a, a[{ { 2 } }] }[{ { 4 } }])
    end
  end)

  it("keep the bits of numbers that are none, and read words only where they lie", function()
    local bits = gpuarray.to_gpu({ 0x7d01, 0xfc01, 0x7fff, 0x0001 }, "uint16")
    for _, t in ipairs { "float16", "bfloat16" } do
      local a = bits:view(t)
      assert.same({ 0, 0x7d01, 0xfc01, 0x7fff, 0x0001, 0 }, a:pad(1):eval():view "uint16":tolist())
      assert.same({ 0x7d01, 0xfc01, 0x7fff, 0x0001, 0x7d01, 0xfc01, 0x7fff, 0x0001 },
        gpuarray.concatenate { a, a }:eval():view "uint16":tolist())
      assert.same({ 0x0001, 0x7d01, 0xfc01, 0x7fff }, a:roll(1):eval():view "uint16":tolist())
    end
    local bytes_of = gpuarray.arange(36, "int32"):astype "uint8":reshape(4, 9):eval()
    local odd = bytes_of[{ {}, { 2, 9 } }]
    assert.same({ 28, 29, 30, 31, 32, 33, 34, 35 }, odd:roll(1, 1):tolist()[1])
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8 }, odd:roll(1, 1):tolist()[2])
  end)

  it("are the same where numbers have 64 bits", function()
    local function all()
      local list = { m:roll(5, 1) + m:roll(-7, 2), m:pad(3, "reflect"), m:pad(2, "symmetric"), m:pad(5, "wrap"),
        m:pad(1), m:tile(2, 2), m:repeat_(3, 1), gpuarray.concatenate { m, m + 1 }, m.T:roll(1, 1) }
      for k, y in ipairs(list) do list[k] = y:tolist() end
      return list
    end
    local usual = all()
    finally(knob(plan, "always_wide", true))
    assert.same(usual, all())
    assert.is_truthy(gpuarray.source(m:roll(1, 1)):find("unsigned long long c1", 1, true))
  end)

  it("take arrays without elements, and shifts beyond the extent", function()
    local none = gpuarray.zeros({ 0, 3 }, "int32")
    assert.same({ 0, 3 }, none:roll(1, 1).shape)
    assert.same({ 0, 6 }, none:tile(2).shape)
    assert.same({ 2, 3 }, none:pad { { 1, 1 }, { 0, 0 } }.shape)
    assert.same({ { 7, 7, 7 } }, none:pad({ { 1, 0 }, { 0, 0 } }, "constant", { constant_values = 7 }):tolist())
    assert.same({ 3, 4 }, gpuarray.concatenate { m, gpuarray.zeros({ 0, 4 }, "int32") }.shape)
    assert.same(m:tolist(), gpuarray.concatenate { gpuarray.zeros({ 0, 4 }, "int32"), m }:tolist())
    assert.same({ 0, 4 }, m:tile(0, 1).shape)
    assert.same({ 3, 0 }, m:repeat_(0, 2).shape)
    assert.same({ 3, 4, 0, 1, 2 }, x:roll(-13):tolist())
    assert.same({ 3, 4, 0, 1, 2 }, x:roll(2 ^ 40 + 1):tolist())
    assert.same({ 5 }, gpuarray.full(1, 5):roll(3):tolist())
    assert.same({ 5, 5, 5, 5 }, gpuarray.full(1, 5):pad({ 1, 2 }, "reflect"):tolist())
  end)

  it("broadcast, and are broadcast", function()
    local row = gpuarray.to_gpu({ 1, 2, 3, 4 }, "int32")
    assert.same({ { 4, 2, 4, 6 }, { 8, 6, 8, 10 }, { 12, 10, 12, 14 } }, (m + row:roll(1)):tolist())
    assert.same({ { 8, 9, 10, 11 }, { 8, 9, 10, 11 } }, m[{ { 3 } }]:repeat_(2, 1):tolist())
    assert.same({ { 4, 1, 2, 3 }, { 4, 1, 2, 3 }, { 4, 1, 2, 3 } },
      (m * 0 + row):roll(1, 2):tolist())
    local column = gpuarray.to_gpu({ { 1 }, { 2 }, { 3 } }, "int32")
    assert.same({ { 3, 4, 5, 6 }, { 5, 6, 7, 8 }, { 10, 11, 12, 13 } }, (m + column:roll(1, 1) * (m * 0 + 1)):tolist())
  end)

  it("take random numbers as they are drawn", function()
    local function draw() return cuda.random.Generator(7):uniform { 4, 5 } end
    local drawn = draw():tolist()
    local rolled = draw():roll(1, 1):tolist()
    for i = 1, 4 do assert.same(drawn[(i + 2) % 4 + 1], rolled[i]) end
    local sum = (draw() + gpuarray.ones { 4, 5 }:roll(1, 1)):tolist()
    assert.is_true(math.abs(sum[2][3] - drawn[2][3] - 1) < 1e-6)
  end)

  -- ---- the values of their time -------------------------------------------------------------------------------------

  it("keep their values when the operand is released, or its memory is", function()
    local s, t = x:roll(1), (x * 2):roll(1)
    local joined, border = gpuarray.concatenate { x, x }, x:pad(1, "edge")
    local two = x:roll(1):roll(1) + 0
    two:eval()
    x:release()
    assert.same({ 4, 0, 1, 2, 3 }, s:tolist())
    assert.same({ 8, 0, 2, 4, 6 }, t:tolist())
    assert.same({ 0, 1, 2, 3, 4, 0, 1, 2, 3, 4 }, joined:tolist())
    assert.same({ 0, 0, 1, 2, 3, 4, 4 }, border:tolist())
    -- An expression below a map was computed with the copy: it has a value, too.
    local a = gpuarray.ones(3):eval()
    local y = a * 2
    local r = y:roll(1)
    local above = r + 1
    a:release()
    assert.same({ 2, 2, 2 }, y:tolist())
    assert.same({ 3, 3, 3 }, above:tolist())
    -- A pending operand that is forgotten.
    local b = gpuarray.arange(3, "int32"):eval()
    local z = b + 1
    local over = z:pad(1)
    z:release()
    assert.same({ 0, 1, 2, 3, 0 }, over:tolist())
    gpu.raises("LogicError", "released", function() return z:tolist() end)
  end)

  it("of released arrays are errors where they are written", function()
    local y = x * 2
    x:release()
    for _, f in ipairs { function() return x:roll(1) end, function() return x:pad(1) end,
      function() return x:tile(2) end, function() return x:repeat_(2) end,
      function() return gpuarray.concatenate { x, x } end, function() return y:roll(1) end,
      function() return gpuarray.stack { y } end } do
      gpu.raises("LogicError", "released", f)
    end
  end)

  it("live on when the scope of their operand ends", function()
    local outside, inner, value
    local thread = coroutine.create(function()
      gpuarray.scope(function()
        inner = gpuarray.arange(4, "int32"):eval()
        value = inner + 1
        coroutine.yield()
      end)
    end)
    assert(coroutine.resume(thread))
    outside = { inner:roll(1), value:roll(1), gpuarray.concatenate { inner, value } }
    assert(coroutine.resume(thread))
    assert.same({ 3, 0, 1, 2 }, outside[1]:tolist())
    assert.same({ 4, 1, 2, 3 }, outside[2]:tolist())
    assert.same({ 0, 1, 2, 3, 1, 2, 3, 4 }, outside[3]:tolist())
    gpu.raises("LogicError", "released", function() return inner:tolist() end)
    -- Those of the scope itself are freed with it, and those that it returns are computed.
    local lost
    local kept = gpuarray.scope(function()
      local y = gpuarray.arange(3, "int32"):eval()
      lost = y:roll(1)
      return y:roll(-1)
    end)
    assert.same({ 1, 2, 0 }, kept:tolist())
    gpu.raises("LogicError", "released", function() return lost:tolist() end)
  end)

  it("read old values where they are written over", function()
    x:set(x:roll(1))
    assert.same({ 4, 0, 1, 2, 3 }, x:tolist())
    x:iadd(x:roll(1))
    assert.same({ 7, 4, 1, 3, 5 }, x:tolist())
    gpuarray.add(x:roll(1) * 2, x, { out = x })
    assert.same({ 17, 18, 9, 5, 11 }, x:tolist())
    x[{ { 1, 3 } }] = x[{ { 1, 3 } }]:roll(1)
    assert.same({ 9, 17, 18, 5, 11 }, x:tolist())
    x[{ { 1, 4 } }] = (x[{ { 1, 4 } }] * 1):roll(1)
    assert.same({ 5, 9, 17, 18, 11 }, x:tolist())
    gpuarray.concatenate({ x[{ { 3, 5 } }], x[{ { 1, 2 } }] }, 1, { out = x })
    assert.same({ 17, 18, 11, 5, 9 }, x:tolist())
    m.T:set(m.T:roll(1, 1))
    assert.same({ { 3, 0, 1, 2 }, { 7, 4, 5, 6 }, { 11, 8, 9, 10 } }, m:tolist())
    -- The clash is seen whoever else reads the array.
    local y = gpuarray.arange(5, "int32"):eval()
    assert.same({ 3, 4, 0, 1, 2 }, cuda.fft.fftshift(y, { out = y }):tolist())
    local long = gpuarray.arange(5000, "int32"):eval()
    local restore = knob(storage, "has_readers", function() return false end)
    local ok, failure = pcall(function()
      long:set(long:roll(1))
      long:set(long + long:roll(1))
    end)
    restore()
    assert(ok, failure)
    assert.same({ 9997, 4999, 1, 3 }, long[{ { 1, 4 } }]:tolist())
    assert.equal(4999 * 5000, long:sum():item())
    -- A graph has the address: the values go to the same memory.
    y = gpuarray.arange(3, "int32"):eval()
    local address = y.ptr
    y:set(y:roll(1))
    assert.same({ 2, 0, 1 }, y:tolist())
    assert.equal(address, y.ptr)
  end)

  it("have the values of their time when parts are written between", function()
    local s, t = x:roll(1), gpuarray.concatenate { x, x * 2 }
    local y = x * 3
    local r = y:roll(1)
    x[{ { 1, 2 } }] = 50
    x[3] = 60
    x:fill(9)
    y:eval()
    y:fill(1)
    assert.same({ 4, 0, 1, 2, 3 }, s:tolist())
    assert.same({ 0, 1, 2, 3, 4, 0, 2, 4, 6, 8 }, t:tolist())
    assert.same({ 12, 0, 3, 6, 9 }, r:tolist())
    -- Parts of a choice that were evaluated under another name.
    local z = gpuarray.arange(2, "int32"):eval() + 1
    local c = gpuarray.stack { z, z }
    z:eval()
    z:fill(8)
    assert.same({ { 1, 2 }, { 1, 2 } }, c:tolist())
  end)

  it("of memory that others know are computed when they are written", function()
    local mem = cuda.mem_alloc(20)
    local a = gpuarray.wrap(mem, 5, "float32")
    a:set(x)
    local list
    assert.is_true(gpu.kernels(function()
      list = { a:roll(1), (a + 1):roll(1), gpuarray.concatenate { a, x }, a:pad(1) }
    end) >= 4)
    cuda.memset_d32(mem, 0, 5)
    assert.same({ 4, 0, 1, 2, 3 }, list[1]:tolist())
    assert.same({ 5, 1, 2, 3, 4 }, list[2]:tolist())
    assert.same({ 0, 1, 2, 3, 4, 0, 1, 2, 3, 4 }, list[3]:tolist())
    assert.same({ 0, 0, 1, 2, 3, 4, 0 }, list[4]:tolist())
    -- An address that is given away later.
    local s = x:roll(1)
    local address = x.ptr
    cuda.memset_d32(cuda.pointer(address), 0, 5)
    assert.same({ 4, 0, 1, 2, 3 }, s:tolist())
    -- Memory of the program's own function, which the program frees.
    local own
    local b = gpuarray.zeros(3, { allocator = function(n)
      own = cuda.mem_alloc(n)
      return own
    end })
    local r = b:roll(1)
    own:free()
    assert.same({ 0, 0, 0 }, r:tolist())
  end)

  it("are nodes of the graph that is being captured", function()
    local stream, y = cuda.Stream(), nil
    local graph = stream:capture(function() y = x:roll(1) end)
    local exec = graph:instantiate()
    x:set(x + 10)
    exec:launch(stream)
    stream:synchronize()
    assert.same({ 14, 10, 11, 12, 13 }, y:tolist())
    local step = cuda.graph(function(u) return u:roll(1) + u:roll(-1) end)
    for _ = 1, 3 do assert.same({ 5, 2, 4, 6, 3 }, step(gpuarray.arange(5, "float32")):tolist()) end
  end)

  it("of one array have one time, whenever a finalizer writes to it", function()
    local first, second, pending = { 0, 1, 2, 0, 1, 2 }, { 7, 7, 7, 7, 7, 7 }, {}
    local function call(k)
      local a = gpuarray.arange(3, "int32"):eval()
      pending[1] = a + 1 -- so that the write goes to new memory
      return reentry.call(function() return gpuarray.concatenate { a, a } end, function() a:fill(7) end, k)
    end
    local seen = {}
    for k = 1, select(2, call(math.huge)), gpu.sanitized and 17 or 1 do
      local got = call(k):tolist()
      assert.same(got[1] == 7 and second or first, got)
      seen[got[1]] = true
    end
    assert.is_true(seen[7])
    assert.is_true(pending[1]._sig ~= nil)
  end)

  it("count the bytes of an array once in a profile", function()
    local a = gpuarray.zeros({ 64, 64 }, "float32"):eval()
    local said = {}
    finally(knob(core, "profile_bytes", function(n) said[#said + 1] = n end))
    cuda.profile(function() (a:roll(1, 1) + a:roll(1, 2) + a):eval() end, { print = false })
    assert.same({ 2 * 64 * 64 * 4 }, said)
  end)

  it("do not hold back memory that is much larger than they are", function()
    local function live() return cuda.mem_stats().pooled.bytes end
    collectgarbage()
    collectgarbage()
    local before, kept = live(), {}
    for i = 1, 20 do
      local big = gpuarray.zeros { 64, 1024 }:eval()
      kept[i] = big[1]:roll(1)
      kept[20 + i] = (big[2] + 1):roll(1)
    end
    collectgarbage()
    collectgarbage()
    assert.is_true(live() - before <= 20 * 4 * 1024 * 4, live() - before)
    assert.equal(1, kept[25]:item(3))
  end)

  it("of arrays of another context are errors, and functions that are traced take values", function()
    local other = cuda.Device(0):make_context()
    local foreign = gpuarray.ones(5)
    other.pop()
    for _, f in ipairs { function() return foreign:roll(1) end, function() return (foreign + 1):pad(1) end,
      function() return gpuarray.concatenate { x, foreign } end } do
      gpu.raises("LogicError", "two contexts", f)
    end
    -- They are computed in their own context, wherever they are asked for.
    local here = x:roll(1)
    other:push()
    here:eval()
    other.pop()
    assert.same({ 4, 0, 1, 2, 3 }, here:tolist())
    other:detach()
    gpu.raises("LogicError", "needs the value of an argument", gpuarray.fuse(function(a) return a:roll(1) end), x)
    local f = gpuarray.fuse(function(a) return a + x:roll(1) end)
    assert.same({ 4, 1, 3, 5, 7 }, f(gpuarray.arange(5, "float32")):tolist())
  end)

  it("show their kernel", function()
    local text = gpuarray.source(x:roll(1) + x)
    assert.is_truthy(text:find("map_roll", 1, true))
    assert.is_truthy(text:find("array_mapped_add", 1, true))
    local wide = gpuarray.source((m:pad(1) * 2):roll(1, 1))
    assert.is_truthy(wide:find("map_edge", 1, true))
  end)
end)
