-- Arrays: what operations give, when they are computed, and what later writes change. The references are written out.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = require "cudalua.gpuarray"
local dtype = require "cudalua.dtype"
local ndarray = require "cudalua.ndarray"

-- The elements of an array as nested tables are these.
local function same(expected, a) return assert.same(expected, a:tolist()) end

local kernels = gpu.kernels

describe("Arrays on the device", function()
  setup(gpu.context)
  teardown(function() gpuarray.eager(false) end)

  it("gpuarray.to_gpu copies host data, and gpuarray.Array:get copies it back", function()
    local a = gpuarray.to_gpu { { 1, 2, 3 }, { 4, 5, 6 } }
    same({ { 1, 2, 3 }, { 4, 5, 6 } }, a)
    assert.same({ 2, 3 }, a.shape)
    assert.equal(dtype.float32, a.dtype)
    assert.equal(6, a.size)
    assert.equal(24, a.nbytes)
    assert.equal(2, a.ndim)
    local host = ndarray.array({ { 1, 2 }, { 3, 4 } }, "int16", { order = "F" })
    local b = gpuarray.to_gpu(host)
    assert.same({ 2, 4 }, b.strides)
    assert.is_true(ndarray.equal(host, b:get()))
    same({ { 1, 2 }, { 3, 4 } }, gpuarray.to_gpu(host, "float64"))
    same(5, gpuarray.to_gpu(5))
    gpu.error_of("LogicError", gpuarray.to_gpu, { { 1 }, { 2, 3 } })
  end)

  it("gpuarray.Array:item is a value, a[i] reads one", function()
    local a = gpuarray.to_gpu { 5, 6, 7 }
    assert.equal(6, a[2])
    assert.equal(7, a[-1])
    assert.equal(13, (a + a)[{ { 2 } }]:item() + 1)
    gpu.raises("LogicError", "has 3 elements", a.item, a)
    gpu.raises("LogicError", "the axis has 3 elements", function() return a[4] end)
    gpu.raises("LogicError", "a 0-d array cannot be indexed", function() return gpuarray.to_gpu(1)[1] end)
  end)

  it("operators work element by element, with numbers on either side", function()
    local a, b = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.to_gpu { 10, 20, 40 }
    same({ 11, 22, 43 }, a + b)
    same({ 9, 18, 37 }, b - a)
    same({ 10, 40, 120 }, a * b)
    same({ 0.5, 1, 1.5 }, a / 2)
    same({ 2, 1, 0.5 }, 20 / b)
    same({ 0, 1, 2 }, a - 1)
    same({ 9, 8, 7 }, 10 - a)
    same({ -1, -2, -3 }, -a)
    same({ 1, 2, 1 }, b % 3 + 0 * a)
    same({ 2, 1, 2 }, -b % 3)
    same({ 1, 4, 9 }, a ^ 2)
    same({ 2, 4, 8 }, 2 ^ a)
  end)

  it("shapes are broadcast", function()
    local m = gpuarray.to_gpu { { 1, 2, 3 }, { 4, 5, 6 } }
    same({ { 11, 22, 33 }, { 14, 25, 36 } }, m + gpuarray.to_gpu { 10, 20, 30 })
    same({ { 2, 3, 4 }, { 6, 7, 8 } }, m + gpuarray.to_gpu { { 1 }, { 2 } })
    same({ { 11, 21 }, { 12, 22 } }, gpuarray.to_gpu { { 1 }, { 2 } } + gpuarray.to_gpu { 10, 20 })
    same({ 3, 4 }, gpuarray.to_gpu(2) + gpuarray.to_gpu { 1, 2 })
    local err = gpu.error_of("LogicError", function() return m + gpuarray.to_gpu { 1, 2 } end)
    assert.matches("add: the shapes of float32(2, 3) and float32(2,) cannot be broadcast " ..
      "together", err.message, 1, true)
  end)

  it("types are promoted, numbers are weak", function()
    local i8, u8 = gpuarray.to_gpu({ 100 }, "int8"), gpuarray.to_gpu({ 200 }, "uint8")
    assert.equal(dtype.int16, (i8 + u8).dtype)
    same({ 300 }, i8 + u8)
    assert.equal(dtype.int8, (i8 + 100).dtype)
    same({ -56 }, i8 + 100)
    assert.equal(dtype.float32, (i8 + 0.5).dtype)
    assert.equal(dtype.float32, (i8 / i8).dtype)
    assert.equal(dtype.float16, (gpuarray.to_gpu({ 1 }, "float16") + 1.5).dtype)
    assert.equal(dtype.bool, i8:lt(5).dtype)
    gpu.raises("LogicError", "out of the range of int8", function() return i8 + 1000 end)
    local was = dtype.default_float()
    dtype.default_float "float64"
    local half = i8 + 0.5
    dtype.default_float(was)
    assert.equal(dtype.float64, half.dtype)
    same({ 100.5 }, half)
    assert.equal(dtype.float32, (i8 + 0.5).dtype)
  end)

  it("`a < b` of arrays raises and names a:lt(b)", function()
    local a = gpuarray.to_gpu { 1, 2 }
    gpu.raises("LogicError", "a:lt(b)", function() return a < a end)
    gpu.raises("LogicError", "a:lt(b)", function() return a <= a end)
    same({ true, false }, a:lt(2))
  end)

  it("operations take what is no array for an error", function()
    local a = gpuarray.to_gpu { 1 }
    gpu.raises("LogicError", "add: expected an array or a number, got a table", function() return a + {} end)
    gpu.raises("LogicError", "mul: one operand is a host array", function() return ndarray.ones(1) * a end)
    gpu.raises("LogicError", "expected an array", function() return gpuarray.sqrt(2) end)
    gpu.refuses_nonsense(function(x) return gpuarray.sqrt(x) end)
  end)

  it("zero-size arrays are computed, too", function()
    local a = gpuarray.empty { 0, 3 }
    assert.same({ 0, 3 }, (a + 1).shape)
    same({}, a * a)
    assert.same({}, a:set(4):tolist())
  end)

  it("gpuarray.Array:set writes numbers and arrays, and gpuarray.Array:fill numbers", function()
    local a = gpuarray.empty({ 2, 2 }, "int32")
    same({ { 7, 7 }, { 7, 7 } }, a:fill(7))
    same({ { 1, 2 }, { 1, 2 } }, a:set { 1, 2 })
    a[1] = 5
    a[{ {}, 2 }] = gpuarray.to_gpu({ 8, 9 }, "int64")
    same({ { 5, 8 }, { 1, 9 } }, a)
    a[{ {}, { 2, 1, -1 } }] = a
    same({ { 8, 5 }, { 9, 1 } }, a)
    gpu.raises("LogicError", "int32(2, 2)", a.set, a, { 1, 2, 3 })
    gpu.error_of("LogicError", a.fill, a, 0.5)
    gpu.refuses_nonsense(function(x) a:fill(x) end, { boolean = true, number = true })
    same({ { 8, 5 }, { 9, 1 } }, a)
  end)

  it("gpuarray.Array:iadd and the like write to the array itself", function()
    local a = gpuarray.to_gpu { 1, 2, 3 }
    local view = a[{ { 1, 2 } }]
    same({ 11, 12, 13 }, a:iadd(10))
    a:imul(2)
    a:isub(gpuarray.to_gpu { 1, 1, 1 })
    same({ 21, 23, 25 }, a)
    same({ 21, 23 }, view)
    same({ 10.5, 11.5, 12.5 }, a:idiv(2))
    same({ 0.5, 1.5, 2.5 }, a:imod(10) * 1)
    same({ 0.25, 2.25, 6.25 }, a:ipow(2))
    local whole = gpuarray.to_gpu({ 1 }, "int32")
    gpu.raises("LogicError", "cannot be stored in int32", whole.iadd, whole, 0.5)
    gpu.raises("LogicError", "the shape (2, 3)", a.iadd, a, gpuarray.to_gpu { { 1, 2, 3 }, { 1, 2, 3 } })
  end)

  it("gpuarray.Array:astype converts", function()
    same({ 1, -1, 0 }, gpuarray.to_gpu { 1.9, -1.9, 0.5 }:astype "int8")
    same({ true, false }, gpuarray.to_gpu { 0.5, 0 }:astype "bool")
  end)

  it("gpuarray.Array:copy and gpuarray.Array:len", function()
    local a = gpuarray.to_gpu { { 1, 2 }, { 3, 4 } }
    local b = a.T:copy()
    a:fill(0)
    same({ { 1, 3 }, { 2, 4 } }, b)
    assert.equal(2, a:len())
    gpu.raises("LogicError", "no length", gpuarray.to_gpu(1).len, gpuarray.to_gpu(1))
    assert.is_true(gpuarray.is_array(a))
    assert.is_false(gpuarray.is_array(ndarray.ones(1)))
  end)
end)

describe("Pending arrays", function()
  setup(gpu.context)

  it("gpuarray.Array:eval computes an expression as one kernel", function()
    local a, b = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.to_gpu { 4, 5, 6 }
    local c
    assert.equal(0, kernels(function() c = a * b + a * 2 - gpuarray.sqrt(b) end))
    assert.equal(1, kernels(function() c:eval() end))
    assert.equal(0, kernels(function() c:eval() end))
  end)

  it("gpuarray.eager computes each operation at once, with the same bits", function()
    local a = gpuarray.to_gpu { 0.1, 0.2, 0.3 }
    local fused = a * a + a / 3
    assert.is_true(gpuarray.eager(true))
    local eager
    assert.equal(3, kernels(function() eager = a * a + a / 3 end))
    assert.is_false(gpuarray.eager(false))
    assert.is_false(gpuarray.eager())
    assert.same(eager:tolist(), fused:tolist())
  end)

  it("a node of few bytes is computed again by two kernels, and stored by the third", function()
    local a = gpuarray.to_gpu { 1, 2, 3 }
    local shared = a * 2
    assert.equal(5, kernels(function()
      for i = 1, 5 do
        same({ 2 + i, 4 + i, 6 + i }, shared + i)
        assert.equal(i < 3, shared._sig ~= false)
      end
    end))
    assert.equal(0, kernels(function() same({ 2, 4, 6 }, shared) end))
  end)

  it("a node of many arrays is stored by the second kernel that needs it", function()
    local a, b, c, d = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.ones(3):eval(), gpuarray.ones(3):eval(), gpuarray.to_gpu(5)
    local shared = a * b + c
    assert.equal(3, kernels(function()
      same({ 7, 8, 9 }, shared + d)
      assert.is_truthy(shared._sig)
      same({ -3, -2, -1 }, shared - d)
      assert.is_false(shared._sig)
      same({ 10, 15, 20 }, shared * d)
    end))
    assert.equal(0, kernels(function() same({ 2, 3, 4 }, shared) end))
  end)

  it("a node whose arrays a kernel reads anyway is computed again", function()
    local a, b = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.ones(3):eval()
    local shared = a * b + 1
    for i = 1, 5 do
      assert.equal(1, kernels(function() (shared * i - a / b):eval() end))
      assert.is_truthy(shared._sig)
    end
  end)

  it("an operand of what is needed again is stored when it has been computed twice", function()
    local a = gpuarray.to_gpu { 1, 2, 3 }
    local inner = a * 2
    local outer = inner + 1
    assert.equal(1, kernels(function() same({ 9, 15, 21 }, outer * 3) end))
    assert.equal(1, kernels(function() same({ 15, 25, 35 }, outer * 5) end))
    assert.equal(1, kernels(function() same({ 14, 28, 42 }, inner * 7) end))
    assert.equal(1, kernels(function() same({ 18, 36, 54 }, inner * 9) end))
    assert.is_false(inner._sig)
    assert.equal(1, kernels(function() same({ 3, 5, 7 }, outer) end))
  end)

  it("a node of another shape is stored by a kernel of its own", function()
    local row, column = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.ones({ 40, 1 }):eval()
    local shared = row:exp() * 2
    assert.equal(1, kernels(function() (shared + column):eval() end))
    assert.equal(2, kernels(function() (shared - column):eval() end)) -- 40 times the operations, or 3 elements
    assert.is_false(shared._sig)
  end)

  it("gpuarray.eval computes the given arrays, or all that are pending", function()
    gpuarray.eval() -- what earlier tests left
    local a = gpuarray.to_gpu { 1, 2, 3 }
    local x, y, z = a + 1, a * 2, a - 3
    assert.equal(1, kernels(function() gpuarray.eval(x) end))
    assert.equal(0, kernels(function() same({ 2, 3, 4 }, x) end))
    assert.equal(1, kernels(gpuarray.eval)) -- both in one
    assert.equal(0, kernels(gpuarray.eval))
    assert.equal(0, kernels(function()
      same({ 2, 4, 6 }, y)
      same({ -2, -1, 0 }, z)
    end))
    for _, wrong in ipairs { 5, "x", {}, coroutine.create(print) } do
      gpu.raises("LogicError", "gpuarray.eval: expected an array, got", gpuarray.eval, wrong)
    end
    gpu.raises("LogicError", "gpuarray.eval: expected an array, got nil", gpuarray.eval, a, nil)
  end)

  it("long chains are cut, and a chain of doublings stays linear", function()
    local x = gpuarray.to_gpu({ 1, 3 }, "float64")
    assert.is_true(kernels(function()
      for _ = 1, 200 do x = x + x end
      same({ 2 ^ 200, 3 * 2 ^ 200 }, x)
    end) <= 5)
    for _ = 1, 60 do x = x + x end
    gpuarray.eval()
    same({ 2 ^ 260, 3 * 2 ^ 260 }, x)
    local many = {}
    for i = 1, 100 do many[i] = gpuarray.to_gpu { i } end
    local sum = many[1]
    assert.is_true(kernels(function()
      for i = 2, 100 do sum = sum + many[i] end
      same({ 5050 }, sum)
    end) <= 5)
  end)

  it("what needs more parameters than a kernel has is computed in parts", function()
    local shape = {}
    for k = 1, 14 do shape[k] = 2 end
    local a = gpuarray.to_gpu(ndarray.from_function(2 ^ 14, function(i) return i % 251 end, "int32")):reshape(shape)
    local function sum()
      math.randomseed(3)
      local x, axes = nil, {}
      for k = 1, 14 do axes[k] = k end
      for _ = 1, 31 do
        for k = 14, 2, -1 do -- another order of the axes
          local j = math.random(k)
          axes[k], axes[j] = axes[j], axes[k]
        end
        local v = a:transpose(axes)
        x = x and x + v or v + 0
      end
      return x:eval()
    end
    local fused = sum()
    gpuarray.eager(true)
    local eager = sum()
    gpuarray.eager(false)
    assert.is_true(ndarray.equal(eager:get(), fused:get()))
  end)

  it("see the values that their inputs had when they were written", function()
    local a = gpuarray.to_gpu { 1, 2, 3, 4 }
    local double, part = a * 2, a[{ { 2, 3 } }] * 10
    a:fill(0)
    local after = a + 1
    a[{ { 1, 2 } }] = 7
    same({ 2, 4, 6, 8 }, double)
    same({ 20, 30 }, part)
    same({ 1, 1, 1, 1 }, after)
    same({ 7, 7, 0, 0 }, a)
  end)

  it("mean an operand's value at that time, also when it is computed and overwritten first", function()
    local a = gpuarray.to_gpu { 1, 2 }
    local b = a + 1
    local c = b * 10
    b:fill(0)
    same({ 20, 30 }, c)
    same({ 0, 0 }, b)
  end)

  it("a part may be written from another part that overlaps it", function()
    local n = 5000
    local function ramp() return gpuarray.to_gpu(ndarray.from_function(n, function(i) return i end, "int32")) end
    local a, b, c = ramp(), ramp(), ramp()
    a[{ { 2, -1 } }] = a[{ { 1, -2 } }]
    b[{ { 1, -2 } }] = b[{ { 2, -1 } }]
    c:set(c[{ { -1, 1, -1 } }])
    a, b, c = a:get(), b:get(), c:get()
    for i = 1, n do
      if a[i] ~= math.max(i - 1, 1) or b[i] ~= math.min(i + 1, n) or c[i] ~= n + 1 - i then error(i) end
    end
    assert.equal(1, a[2])
  end)

  it("views follow their storage to another buffer", function()
    local a = gpuarray.to_gpu { 1, 2, 3 }
    local view, reader = a[{ { 2, 3 } }], a + 0
    a:set(a[{ { 3, 1, -1 } }])
    same({ 3, 2, 1 }, a)
    same({ 2, 1 }, view)
    same({ 1, 2, 3 }, reader)
    view:fill(9)
    same({ 3, 9, 9 }, a)
  end)

  it("a step of a stencil takes two kernels, also after hundreds", function()
    local u = gpuarray.to_gpu { 0, 0, 0, 64, 0, 0, 0, 0 }
    local function step()
      local mid = u[{ { 2, -2 } }]
      local lap = u[{ { 1, -3 } }] - 2 * mid + u[{ { 3, -1 } }]
      u[{ { 2, -2 } }] = mid + 0.25 * lap
    end
    step()
    same({ 0, 0, 16, 32, 16, 0, 0, 0 }, u)
    for _ = 1, 300 do step() end
    assert.is_true(kernels(step) <= 2)
    local few = u[{ { 1, 2 } }] -- also where the parts are small
    for _ = 1, 10 do assert.is_true(kernels(function() few:set(few + 0.1 * (few - 2 * few)) end) <= 2) end
  end)

  it("memory is given back: gpuarray.Array:release", function()
    local a = gpuarray.to_gpu { 1, 2 }
    local view, waiting = a[{ { 1 } }], a + 1
    a:release()
    gpu.raises("LogicError", "released", a.get, a)
    gpu.raises("LogicError", "released", view.get, view)
    gpu.error_of("LogicError", waiting.get, waiting)
    a:release()
    local other = gpuarray.to_gpu { 1, 2 }
    local both = view and other + waiting -- can never be computed, and is in nobody's way
    other[{ { 1 } }] = 5
    gpuarray.eval()
    gpu.error_of("LogicError", both.get, both)
    same({ 5, 2 }, other)
    local b = gpuarray.to_gpu { 1 } + 1
    b:release()
    gpu.raises("LogicError", "released", b.get, b)
  end)

  it("gpuarray.scope frees all but what its function returns", function()
    local a = gpuarray.to_gpu { 1, 2 }
    local escaped, unborn
    local x, y, z = gpuarray.scope(function(k)
      escaped, unborn = a * 2, a * 3
      escaped:eval()
      return escaped + k, 5, a
    end, 10)
    same({ 12, 14 }, x)
    assert.equal(5, y)
    same({ 1, 2 }, z)
    gpu.raises("LogicError", "released", escaped.get, escaped)
    gpu.raises("LogicError", "released", unborn.get, unborn)
    gpu.raises("LogicError", "mem_alloc", gpuarray.scope, function()
      escaped = a + 1
      cuda.mem_alloc(-1)
    end)
  end)

  it("work is done in the context of the arrays; two contexts do not mix", function()
    local a = gpuarray.to_gpu { 1, 2 }
    local other = cuda.Device(0):make_context()
    local ok, why = pcall(function()
      local b = gpuarray.to_gpu { 3, 4 }
      same({ 2, 4 }, a * 2)
      same({ 6, 8 }, b * 2)
      a:iadd(1)
      same({ 2, 3 }, a)
      gpu.raises("LogicError", "different contexts", function() return (a + b):eval() end)
    end)
    other:detach()
    assert.is_true(ok, tostring(why))
    gpu.context()
    same({ 2, 3 }, a)
  end)
end)
