-- Host arrays that are computed or made like others, in every kind of memory, and the views that change shapes.
local gpu = require "spec.support.gpu"
local ndarray = require "cudalua.ndarray"
local dtype = require "cudalua.dtype"
local layout = require "cudalua.base.layout"
local ffi = require "ffi"
local cuda = gpu.cuda

local function list(...) return { n = select("#", ...), ... } end

describe("ndarray.from_function", function()
  it("calls the function with positions from 1, in C order, once for each element", function()
    for _, shape in ipairs { {}, { 4 }, { 2, 3 }, { 2, 1, 3 }, { 2, 0, 2 }, { 1, 2, 1, 2, 1 }, { 0 } } do
      for _, t in ipairs { "int32", "float64", false } do
        for _, order in ipairs { "C", "F" } do
          local calls = {}
          local a = ndarray.from_function(shape, function(...)
            calls[#calls + 1] = list(...)
            return #calls
          end, t or nil, { order = order })
          assert.same(shape, a.shape)
          assert.equal(dtype(t or "float32"), a.dtype)
          assert.equal(a.size, #calls)
          local expected = ndarray.empty(shape, "int32")
          for i, call in ipairs(calls) do
            assert.equal(#shape, call.n)
            local arguments = { unpack(call, 1, call.n) }
            arguments[#shape + 1] = i
            expected:set(unpack(arguments))
            for k, at in ipairs(layout.unravel(shape, i - 1)) do assert.equal(at, call[k]) end
          end
          assert.is_true(a:equal(expected))
          if #shape > 1 and a.size > 3 then assert.equal(order, a.order) end
        end
      end
    end
  end)

  it("finds a dtype for the values, or checks them against one", function()
    assert.equal(dtype.bool, ndarray.from_function(3, function(i) return i > 1 end).dtype)
    assert.equal(dtype.int64, ndarray.from_function(3, function(i) return i + 0LL end).dtype)
    assert.equal(dtype.complex128, ndarray.from_function(3, function() return ffi.new("complex", 1, 2) end).dtype)
    local function three(i) return i == 3 and 300 or i end
    gpu.raises("LogicError", "[3]: 300 is out of the range of uint8", ndarray.from_function, 3, three, "uint8")
    gpu.raises("LogicError", "[1][1]: expected a number, got nil", ndarray.from_function, { 2, 2 }, function() end)
    gpu.raises("LogicError", "[1]: expected an integer, got nil", ndarray.from_function, 2, function() end, "int8")
    gpu.raises("LogicError", "expected a function", ndarray.from_function, 2, 5)
    gpu.raises("LogicError", "pass a dtype", ndarray.from_function, 2 ^ 40, three)
    gpu.raises("LogicError", "shape[1] must be a non-negative integer", ndarray.from_function, -1, three)
    gpu.raises("MemoryError", "out of host memory", ndarray.from_function, 2 ^ 50, three, "int8")
  end)

  it("hands on what the function raises", function()
    local ok, err = pcall(ndarray.from_function, 3, function() error("mine", 0) end)
    assert.is_false(ok)
    assert.equal("mine", err)
  end)

  it("goes on after the function has waited in a coroutine", function()
    local co = coroutine.wrap(function()
      return ndarray.from_function({ 2, 2 }, function(i, j) return coroutine.yield(10 * i + j) end)
    end)
    local asked = { co() }
    for k = 1, 3 do asked[#asked + 1] = co(k) end
    assert.same({ 11, 12, 21, 22 }, asked)
    assert.same({ { 1, 2 }, { 3, 4 } }, co(4):tolist())
  end)
end)

describe("ndarray.arange", function()
  local function check(want, t, ...)
    local a = ndarray.arange(...)
    assert.same(want, a:tolist())
    assert.equal(dtype(t), a.dtype)
  end

  it("excludes its end, takes one to three numbers, then a dtype", function()
    check({ 0, 1, 2 }, "int64", 3)
    check({ 2, 3, 4 }, "int64", 2, 5)
    check({ 2, 4 }, "int64", 2, 6, 2)
    check({ 5, 3, 1 }, "int64", 5, 0, -2)
    check({ 0, 0.5, 1, 1.5 }, "float32", 0, 2, 0.5)
    check({ 0.5, 1.5 }, "float32", 0.5, 2.5)
    check({ 0, 1, 2 }, "float32", 2.5)
    check({ 0, 1 }, "int8", 2, "int8")
    check({ 1, 2 }, "int8", 1, 3, "int8")
    check({ 1, 2 }, "float64", 1, 3, nil, dtype.float64)
    check({ 0, 1 }, "uint16", 2, nil, nil, ffi.typeof "uint16_t")
    check({ 0, 1 }, "int64", 2LL)
    check({}, "int64", 0)
    check({}, "int64", 5, 2)
    check({}, "int64", 2, 5, -1)
    check({ 0, 1, 2 }, "int64", 3, nil, nil, nil, {})
  end)

  it("computes each number from the first, not from the one before", function()
    local a = ndarray.arange(0, 1000, 0.1, "float64")
    assert.equal(10000, a.size)
    for i = 0, 9999 do assert.equal(i * 0.1, a[i + 1]) end
  end)

  it("refuses a step of 0, what is not finite, and what the dtype cannot hold", function()
    gpu.raises("LogicError", "the step cannot be 0", ndarray.arange, 1, 2, 0)
    gpu.raises("LogicError", "finite numbers, got NaN", ndarray.arange, 0 / 0)
    gpu.raises("LogicError", "finite numbers, got inf", ndarray.arange, 1 / 0)
    gpu.raises("LogicError", "[257]: 256 is out of the range of uint8", ndarray.arange, 300, "uint8")
    gpu.raises("LogicError", "[2]: 0.5 is not an integer", ndarray.arange, 0, 1, 0.5, "int8")
    gpu.raises("LogicError", "start must be a number, got nil", ndarray.arange)
    gpu.raises("LogicError", "start must be a number, got a string", ndarray.arange, "x")
    gpu.raises("LogicError", "stop must be a number, got a string", ndarray.arange, 1, "x", 1, "int8")
    gpu.raises("LogicError", "too many elements", ndarray.arange, 1e300)
    gpu.raises("MemoryError", "out of host memory", ndarray.arange, 2 ^ 48)
    gpu.raises("LogicError", "unknown option", ndarray.arange, 3, nil, nil, nil, { stride = 2 })
  end)
end)

describe("ndarray.linspace", function()
  it("goes from the first to the last number at equal distances", function()
    assert.same({ 0, 0.25, 0.5, 0.75, 1 }, ndarray.linspace(0, 1, 5):tolist())
    assert.same({ 0, 0.25, 0.5, 0.75 }, ndarray.linspace(0, 1, 4, nil, { endpoint = false }):tolist())
    assert.same({ 3, 2, 1 }, ndarray.linspace(3, 1, 3):tolist())
    assert.same({ 3 }, ndarray.linspace(3, 1, 1):tolist())
    assert.same({}, ndarray.linspace(3, 1, 0):tolist())
    assert.equal(50, ndarray.linspace(0, 1).size)
    assert.equal(dtype.float32, ndarray.linspace(0, 1).dtype)
    assert.same({ 0, 0, 1, 1, 2, 3 }, ndarray.linspace(0, 3, 6, "int32"):tolist()) -- 3 * 0.6 is below 1.8
    assert.same({ -1, -1, 0 }, ndarray.linspace(-1, 0, 3, "int32"):tolist())
    assert.same({ false, true }, ndarray.linspace(0, 1, 2, "bool"):tolist())
    local a = ndarray.linspace(0, 0.3, 8, "float64")
    assert.equal(0.3, a[8])
    for i = 1, 7 do assert.is_true(math.abs(a[i] - (i - 1) * 0.3 / 7) <= 1e-16) end
  end)

  it("refuses what is not a number of points", function()
    gpu.raises("LogicError", "num must be a non-negative integer, got -1", ndarray.linspace, 0, 1, -1)
    gpu.raises("LogicError", "num must be a non-negative integer, got 1.5", ndarray.linspace, 0, 1, 1.5)
    gpu.raises("LogicError", "finite numbers, got NaN", ndarray.linspace, 0, 0 / 0, 3)
    gpu.raises("LogicError", "stop must be a number", ndarray.linspace, 0)
    gpu.raises("LogicError", "endpoint must be true or false", ndarray.linspace, 0, 1, 3, nil, { endpoint = 1 })
    gpu.raises("MemoryError", "out of host memory", ndarray.linspace, 0, 1, 2 ^ 48)
  end)
end)

describe("ndarray.eye", function()
  it("has ones on a diagonal, of every dtype", function()
    for _, t in ipairs(dtype.list) do
      for _, order in ipairs { "C", "F" } do
        local a = ndarray.eye(3, 4, 1, t, { order = order })
        assert.is_true(a:equal(ndarray.array({ { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } }, t)))
        assert.equal(order, a.order)
      end
    end
    assert.same({ { 1, 0 }, { 0, 1 } }, ndarray.eye(2):tolist())
    assert.same({ { 0, 0 }, { 1, 0 } }, ndarray.eye(2, 2, -1):tolist())
    assert.same({ { true, false } }, ndarray.eye(1, 2, "bool"):tolist())
    assert.is_true(ndarray.eye(3, 3, 5):equal(ndarray.zeros { 3, 3 }))
    assert.is_true(ndarray.eye(3, 3, -5):equal(ndarray.zeros { 3, 3 }))
    assert.same({ 0, 0 }, ndarray.eye(0).shape)
  end)

  it("refuses what is no shape", function()
    gpu.raises("LogicError", "shape[1] must be a non-negative integer", ndarray.eye, -1)
    gpu.raises("LogicError", "shape[2] must be a non-negative integer", ndarray.eye, 1, 0.5)
    gpu.raises("LogicError", "k must be an integer", ndarray.eye, 1, 1, 0.5)
    gpu.raises("LogicError", "rows must be a number", ndarray.eye)
    gpu.raises("LogicError", "expected a float4", ndarray.eye, 2, 2, 0, require("cudalua.vec").float4)
    gpu.raises("LogicError", "too many elements", ndarray.eye, 2 ^ 48)
    gpu.raises("MemoryError", "out of host memory", ndarray.eye, 2 ^ 24)
  end)
end)

describe("arrays like others", function()
  it("ndarray.empty_like ndarray.zeros_like ndarray.ones_like ndarray.full_like: shape, dtype and order", function()
    for _, t in ipairs(dtype.list) do
      for _, order in ipairs { "C", "F" } do
        local other = ndarray.full({ 2, 3 }, 1, t, { order = order })
        for name, value in pairs { empty_like = false, zeros_like = 0, ones_like = 1, full_like = 1 } do
          local function make(...)
            if name == "full_like" then return ndarray.full_like(other, 1, ...) end
            return ndarray[name](other, ...)
          end
          local a = make()
          assert.same({ 2, 3 }, a.shape)
          assert.equal(t, a.dtype)
          assert.equal(order, a.order)
          if value then assert.is_true(a:equal(ndarray.full({ 2, 3 }, value, t))) end
          assert.is_true(a:data() ~= other:data())
          local b = make("int16", { order = "C" })
          assert.equal(dtype.int16, b.dtype)
          assert.equal("C", b.order)
        end
      end
    end
    local view = ndarray.zeros({ 4, 6 }):slice({ 1, 4, 2 }, { 6, 1, -3 })
    assert.equal("C", ndarray.ones_like(view).order)
    assert.same({ 2, 2 }, ndarray.ones_like(view).shape)
  end)

  it("refuse what is no host array, and values that do not fit", function()
    for _, name in ipairs { "empty_like", "zeros_like", "ones_like", "full_like" } do
      gpu.raises("LogicError", name .. ": expected a host array, got a table", ndarray[name], { 1, 2 }, 1)
      gpu.raises("LogicError", name .. ": expected a host array, got nil", ndarray[name], nil, 1)
    end
    gpu.raises("LogicError", "300 is out of the range", ndarray.full_like, ndarray.zeros(2, "uint8"), 300)
  end)
end)

describe("page-locked and managed host arrays", function()
  setup(function() gpu.context() end)

  local makers = {
    zeros = function(o) return ndarray.zeros({ 2, 3 }, "int32", o), { { 0, 0, 0 }, { 0, 0, 0 } } end,
    ones = function(o) return ndarray.ones({ 2, 3 }, "int32", o), { { 1, 1, 1 }, { 1, 1, 1 } } end,
    full = function(o) return ndarray.full({ 2, 3 }, 7, "int32", o), { { 7, 7, 7 }, { 7, 7, 7 } } end,
    array = function(o) return ndarray.array({ { 1, 2 }, { 3, 4 } }, "int32", o), { { 1, 2 }, { 3, 4 } } end,
    ["array of an array"] = function(o)
      return ndarray.array(ndarray.array { { 1, 2 }, { 3, 4 } }.T, "int32", o), { { 1, 3 }, { 2, 4 } }
    end,
    from_function = function(o)
      local function value(i, j) return 10 * i + j end
      return ndarray.from_function({ 2, 2 }, value, "int32", o), { { 11, 12 }, { 21, 22 } }
    end,
    arange = function(o) return ndarray.arange(3, nil, nil, "int32", o), { 0, 1, 2 } end,
    linspace = function(o) return ndarray.linspace(0, 2, 3, "int32", o), { 0, 1, 2 } end,
    eye = function(o) return ndarray.eye(2, 2, 0, "int32", o), { { 1, 0 }, { 0, 1 } } end,
    zeros_like = function(o) return ndarray.zeros_like(ndarray.ones(2), "int32", o), { 0, 0 } end,
    full_like = function(o) return ndarray.full_like(ndarray.ones(2), 5, "int32", o), { 5, 5 } end,
  }

  for _, kind in ipairs { "pinned", "managed" } do
    it(kind .. ": the device reaches them, and they have their values and order", function()
      for name, make in pairs(makers) do
        for _, order in ipairs { "C", "F" } do
          local a, values = make { [kind] = true, order = order }
          assert.same(values, a:tolist(), name)
          assert.equal(a.ndim < 2 and "C" or order, a.order, name)
          assert.truthy(tostring(a.base):find(kind == "pinned" and "HostAllocation" or "ManagedAllocation"), name)
          local copy = ndarray.zeros(a.shape, "int32", { order = order })
          local memory = cuda.mem_alloc(a.nbytes)
          cuda.memcpy_dtod(memory, a:get_pointer(), a.nbytes) -- unified addresses: the host's are the device's
          cuda.memcpy_dtoh(copy, memory)
          assert.is_true(copy:equal(a), name)
          memory:free()
        end
      end
      local a = ndarray.empty({ 0, 3 }, "int8", { [kind] = true })
      assert.equal(0, a.size)
      a.base:free()
      gpu.raises("LogicError", "", a.tolist, a)
    end)
  end

  it("are one or the other, and need a context that was not popped", function()
    gpu.raises("LogicError", "both pinned and managed", ndarray.zeros, 3, nil, { pinned = true, managed = true })
    gpu.raises("LogicError", "pinned must be true or false, got 1", ndarray.zeros, 3, nil, { pinned = 1 })
    gpu.raises("LogicError", "managed must be true or false", ndarray.ones, 3, nil, { managed = "yes" })
    assert.is_nil(ndarray.zeros(3, nil, { pinned = false, managed = false }).base)
    local text = gpu.child([[
      local cuda = require "cudalua"
      print(cuda.ndarray.zeros(3, nil, { pinned = true })) -- in the primary context
      local ctx = cuda.Device(0):make_context()
      cuda.Context.pop()
      cuda.Context.pop()
      local ok, err = pcall(cuda.ndarray.zeros, 3, nil, { pinned = true })
      print(ok, err.class)
    ]], gpu.driver)
    assert.equal("[0. 0. 0.]\nfalse\tLogicError\n", text)
  end)
end)

-- ---- shapes -----------------------------------------------------------------------------------------------------

describe("ndarray.Array:item", function()
  it("is the value of an array of one element, whatever its shape", function()
    assert.equal(5, ndarray.array(5):item())
    assert.equal(5, ndarray.array { { { 5 } } }:item())
    assert.is_true(ndarray.array { 1, 2, 3 }:slice { 2 }:item() == 2)
    assert.is_true(ndarray.array({ true }):item())
    assert.equal(0x7fffffffffffffffLL, ndarray.array { 0x7fffffffffffffffLL }:item())
    local item = ndarray.Array.item
    gpu.raises("LogicError", "an array of shape (2,) has 2 elements, not one", item, ndarray.zeros(2))
    gpu.raises("LogicError", "an array of shape (0,) has 0 elements", item, ndarray.zeros(0))
    gpu.raises("LogicError", "method with a colon)", ndarray.Array.item, 5)
  end)
end)

-- An array whose elements are their numbers in C order, not dense and not in order in memory.
local function scattered(shape)
  local n, step = -1, {}
  local wide = {}
  for k, extent in ipairs(shape) do
    wide[#shape + 1 - k] = 2 * extent + 1
    step[#shape + 1 - k] = { 2 * extent, 2, -2 }
    if extent == 0 then step[#shape + 1 - k] = { 1, 0 } end
  end
  local a = ndarray.full(wide, -1, "int32"):slice(unpack(step)).T
  assert.same(shape, a.shape)
  return a:assign(ndarray.from_function(shape, function()
    n = n + 1
    return n
  end, "int32"))
end

describe("ndarray.Array:squeeze and ndarray.Array:expand_dims", function()
  it("leave out and put in axes of one element, as views", function()
    local a = scattered { 1, 3, 1, 2 }
    assert.same({ 3, 2 }, a:squeeze().shape)
    assert.same({ 3, 1, 2 }, a:squeeze(1).shape)
    assert.same({ 1, 3, 2 }, a:squeeze(-2).shape)
    assert.same({ 3, 2 }, a:squeeze({ 3, 1 }).shape)
    assert.same({ 1, 3, 1, 2 }, a:squeeze({}).shape)
    assert.same({ 1, 1, 3, 1, 2 }, a:expand_dims(1).shape)
    assert.same({ 1, 3, 1, 2, 1 }, a:expand_dims(-1).shape)
    assert.same({ 1, 3, 1, 1, 2 }, a:expand_dims(3).shape)
    assert.same({ 1, 1, 3, 1, 2, 1 }, a:expand_dims({ 1, 6 }).shape)
    assert.same({ 1 }, ndarray.array(5):expand_dims(1).shape)
    assert.same({}, ndarray.array { { 5 } }:squeeze().shape)
    for _, b in ipairs { a:squeeze(), a:squeeze(-2), a:expand_dims { 2, -1 } } do
      assert.same(a:reshape(-1):tolist(), b:reshape(-1):tolist())
      assert.is_true(b.base == a.base)
      local where = {}
      for k = 1, b.ndim do where[k] = b.shape[k] end
      where[#where + 1] = 77
      b:set(unpack(where))
      assert.equal(77, a:get(1, 3, 1, 2))
      a:set(1, 3, 1, 2, 5)
    end
    assert.same({ 0 }, ndarray.zeros { 1, 0 }:squeeze().shape)
  end)

  it("refuse axes that are not there, are given twice, or have more than one element", function()
    local a = ndarray.zeros { 1, 3 }
    gpu.raises("LogicError", "axis 2 of the shape (1, 3) has 3 elements", a.squeeze, a, 2)
    gpu.raises("LogicError", "axis 3: the array has 2 axes", a.squeeze, a, 3)
    gpu.raises("LogicError", "axis 0: the array has 2 axes", a.squeeze, a, 0)
    gpu.raises("LogicError", "axis -2 appears twice", a.squeeze, a, { 1, -2 })
    gpu.raises("LogicError", "ndarray:expand_dims: axis 4: the result has 3 axes", a.expand_dims, a, 4)
    gpu.raises("LogicError", "axis -4: the result has 3 axes", a.expand_dims, a, -4)
    gpu.raises("LogicError", "appears twice", a.expand_dims, a, { 1, 1 })
    gpu.raises("LogicError", "axes must be an integer or a list", a.expand_dims, a, nil)
    local axes = {}
    for k = 1, 63 do axes[k] = k end
    gpu.raises("LogicError", "at most 64 axes", a.expand_dims, a, axes)
  end)
end)

describe("ndarray.Array:flip", function()
  it("runs axes backwards, as a view", function()
    for _, shape in ipairs { { 4 }, { 2, 3 }, { 2, 1, 3 }, { 0 }, { 2, 0 }, {} } do
      local a = scattered(shape)
      for _, axes in ipairs { false, 1, -1, { 1, -1 } } do
        local fits = #shape > 1 or #shape == 1 and type(axes) ~= "table" or not axes
        if fits then
          local b = axes and a:flip(axes) or a:flip()
          local back = {}
          for k = 1, #shape do back[k] = not axes end
          for _, axis in ipairs(type(axes) == "table" and axes or { axes or nil }) do
            back[axis < 0 and #shape + 1 + axis or axis] = true
          end
          local items = {}
          for k = 1, #shape do items[k] = back[k] and shape[k] > 0 and { shape[k], 1, -1 } or {} end
          assert.is_true(b:equal(a:slice(unpack(items))))
          assert.is_true(b.base == a.base)
          assert.is_true((axes and b:flip(axes) or b:flip()):equal(a))
        end
      end
    end
    local a = ndarray.arange(5)
    a:flip()[1] = 99
    assert.equal(99, a[5])
    gpu.raises("LogicError", "axis 2: the array has 1 axis", a.flip, a, 2)
    gpu.raises("LogicError", "axes", a.flip, a, "x")
  end)
end)

describe("ndarray.Array:broadcast_to", function()
  it("repeats axes of one element and puts new ones before the first, as a view", function()
    local a = scattered { 3, 1 }
    for _, shape in ipairs { { 3, 1 }, { 3, 4 }, { 2, 3, 4 }, { 1, 2, 3, 1 }, { 3, 0 }, { 0, 3, 2 } } do
      local b = a:broadcast_to(shape)
      assert.same(shape, b.shape)
      assert.is_true(b.base == a.base)
      local expected = ndarray.from_function(shape, function(...) return (select(#shape - 1, ...)) - 1 end)
      assert.is_true(b:equal(expected))
      assert.is_true(a:broadcast_to(unpack(shape)):equal(expected))
    end
    assert.same({ 5, 5, 5 }, ndarray.array(5):broadcast_to(3):tolist())
    assert.equal(5, ndarray.array(5):broadcast_to {}:item())
    local huge = ndarray.array({ 1, 2 }, "int8"):broadcast_to(2 ^ 40, 2)
    assert.equal(2, huge[2 ^ 40 - 1][2])
    assert.truthy(tostring(huge):find "^%[%[1 2%]\n %[1 2%]\n %[1 2%]\n %.%.%.\n")
    local b = ndarray.zeros({ 1, 2 })
    b:broadcast_to(3, 2)[2] = { 7, 8 }
    assert.same({ { 7, 8 } }, b:tolist())
  end)

  it("refuses what the array's shape does not broadcast to", function()
    local a = ndarray.zeros { 3, 2 }
    gpu.raises("LogicError", "the shape (3, 2) cannot be broadcast to (3,)", a.broadcast_to, a, 3)
    gpu.raises("LogicError", "the shape (3, 2) cannot be broadcast to (2, 3)", a.broadcast_to, a, 2, 3)
    gpu.raises("LogicError", "the shape (3, 2) cannot be broadcast to (3, 2, 1)", a.broadcast_to, a, { 3, 2, 1 })
    gpu.raises("LogicError", "shape[1] must be a non-negative integer", a.broadcast_to, a, -1, 2)
    gpu.raises("LogicError", "too many elements", a.broadcast_to, a, 2 ^ 52, 3, 2)
  end)
end)

describe("layout.broadcast", function()
  it("is the shape that two arrays have together", function()
    local function together(want, a, b)
      assert.same(want, layout.broadcast("x", a, b))
      assert.same(want, layout.broadcast("x", b, a))
      for _, shape in ipairs { a, b } do
        assert.is_true(layout.broadcasts(shape, want))
        local strides = layout.broadcast_strides(shape, layout.dense_strides(shape, 4, "C"), want)
        assert.equal(#want, #strides)
      end
    end
    together({}, {}, {})
    together({ 3 }, {}, { 3 })
    together({ 2, 3 }, { 2, 1 }, { 3 })
    together({ 2, 3, 4 }, { 3, 1 }, { 2, 1, 4 })
    together({ 0 }, { 1 }, { 0 })
    together({ 2, 0 }, { 2, 1 }, { 0 })
    assert.same({ 0, 4, 0 }, layout.broadcast_strides({ 3, 1 }, { 4, 4 }, { 2, 3, 5 }))
    assert.same({ 8, 4 }, layout.broadcast_strides({ 1, 2 }, { 8, 4 }, { 1, 2 }))
    gpu.raises("LogicError", "x: shapes (2, 3) and (4,) cannot be broadcast " ..
      "together", layout.broadcast, "x", { 2, 3 }, { 4 })
    gpu.raises("LogicError", "x: shapes (0,) and (2,) cannot be broadcast " ..
      "together", layout.broadcast, "x", { 0 }, { 2 })
    assert.is_false(layout.broadcasts({ 2 }, {}))
    assert.is_false(layout.broadcasts({ 2, 1 }, { 2 }))
    assert.is_false(layout.broadcasts({ 2 }, { 1 }))
  end)
end)
