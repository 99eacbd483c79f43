-- An expression that comes again follows the trail of its walk (core/trail.lua): the same kernels and bits as a walk,
-- and nothing of it if anything is different.
local gpu = require "spec.support.gpu"
local gpuarray = gpu.cuda.gpuarray
local again = require "cudalua.gpuarray.core.again"
local knob = require "spec.support.knob"
local reentry = require "spec.support.reentry"
local trail = require "cudalua.gpuarray.core.trail"

-- How many expressions f follows trails of.
local function followed(f)
  local n, follow = 0, trail.follow
  local restore = knob(trail, "follow", function(...)
    local done = follow(...)
    if done then n = n + 1 end
    return done
  end)
  local ok, result = pcall(f)
  restore()
  if not ok then error(result, 0) end
  return n, result
end

local function text(x) return x.dtype.name .. table.concat(x:reshape(x.size):tolist(), " ") end

-- What f returns if every expression is walked over.
local function walked(f)
  local restore = knob(trail, "follow", function() return false end)
  local ok, result = pcall(function() return text(f()) end)
  restore()
  trail.forget()
  if not ok then error(result, 0) end
  return result
end

describe("Trails", function()
  local x, y, one
  setup(gpu.context)
  before_each(function()
    trail.forget()
    x, y = gpuarray.to_gpu({ 1, 2, 3, 4 }, "float32"), gpuarray.to_gpu({ 0.5, 1, 0.25, 2 }, "float32")
    one = gpuarray.to_gpu({ 0.75 }, "float32")
  end)

  -- 24 operations: numbers that are equal, and operands that are read again.
  local function program(a, b, c, p, q, r, p2, b2)
    local first = a * p + b
    local z = first
    for _ = 1, 9 do z = z * (p2 or p) + (b2 or b) end
    return gpuarray.where(z:gt(q), z - first, c) * r
  end

  local function given() return x, y, one, 0.5, 2.25, 3 end

  -- program() with one argument replaced.
  local function with(k, value)
    local list = { given() }
    list[k] = value
    return program(unpack(list))
  end

  it("are recorded the second time, and followed from the third time on", function()
    local want = walked(function() return program(given()) end)
    for k = 1, 4 do -- where arrays share no pool, there are two walks for each
      local n, got = followed(function() return text(program(given()):eval()) end)
      assert.is_true(n > 0 or k < 3)
      assert.equal(want, got)
    end
  end)

  it("leave a walk's record as the walk leaves it", function()
    local records = {}
    finally(knob(again, "note", function(w)
      local r = { w.state, w.values, w.nleaves, w.nscalars, w.ninner, w.nrepeats, w.nagain, w.strided }
      for i = 1, w.ninner do r[#r + 1] = w.inner[i]._mark - w.start end
      for i = 1, w.nscalars do r[#r + 1], r[#r + 2] = w.scalars[i], w.scalar_values[i] end
      for i = 1, w.nleaves do r[#r + 1] = w.classes[i] end
      for i = 1, w.nrepeats do r[#r + 1], r[#r + 2] = w.repeats[i], w.repeats_at[i] end
      records[#records + 1] = r
    end))
    walked(function() return program(given()) end)
    records = {}
    for _ = 1, 3 do program(given()):eval() end
    assert.equal(3, #records)
    assert.is_true(#records[1] > 40)
    assert.same(records[1], records[3])
  end)

  local matrix
  -- Each of these is another program, or the same one with other values.
  local changes = {
    { "another number", true, function() return with(4, 0.25) end },
    { "two numbers that were equal", false, function() return with(7, 0.25) end },
    { "two arrays that were the same", false, function() return with(8, x) end },
    { "a number that equals another one", true, function() return with(5, 0.5) end },
    { "zero", false, function() return with(4, 0) end },
    { "minus zero", false, function() return with(6, -0.0) end },
    { "NaN", false, function() return with(6, 0 / 0) end },
    { "another array", true, function() return with(1, gpuarray.full(4, 7, "float32"):eval()) end },
    { "the same array twice", true, function() return with(2, x) end },
    { "an array of another type", false, function() return with(1, x:astype "int32") end },
    { "an array with gaps", false, function() return with(1, gpuarray.arange(8, "float32")[{ { 1, -1, 2 } }]) end },
    { "an array that is not aligned", false, function()
      return with(1, gpuarray.arange(5, "float32")[{ { 2, 5 } }])
    end },
    { "an array of one element", false, function() return with(1, one) end },
    { "an array in place of one element", false, function() return with(3, y) end },
    { "more rows", false, function() return with(1, matrix) end },
    { "an array in place of a number", false, function() return with(4, y) end },
    { "an operation in place of an array", false, function() return with(2, y + 1) end },
    { "a rolled array", false, function() return with(2, y:roll(1)) end },
  }
  for _, change in ipairs(changes) do
    it("are followed only if the program is the same: " .. change[1], function()
      matrix = gpuarray.arange(12, "float32"):reshape(3, 4):eval()
      local want = walked(change[3])
        for _ = 1, 3 do program(given()):eval() end
      local n, got = followed(function() return text(change[3]()) end)
      assert.equal(want, got)
      assert.equal(change[2], n > 0)
      for _ = 1, 3 do change[3]():eval() end -- its own trail
      assert.equal(want, text(change[3]()))
    end)
  end

  it("are not followed if an operand of an operation is another one of those before", function()
    local function f(swap)
      local a, b = x * 2 + y, x * 3 + y
      local z = a
      for _ = 1, 8 do z = z * 0.5 + b end
      return swap and z * b or z * a
    end
    local want = walked(function() return f(true) end)
    for _ = 1, 3 do f():eval() end
    local n, got = followed(function() return text(f(true)) end)
    assert.equal(want, got)
    assert.equal(0, n)
  end)

  it("are not followed over a value that another kernel has computed", function()
    local function f(before)
      local a = x * 2 + y
      local b = a + 1
      if before then b:eval() end
      local z = a
      for _ = 1, 8 do z = z * 0.5 + y end
      return z
    end
    for _ = 1, 3 do f():eval() end
    assert.equal(0, (followed(function() f(true):eval() end)))
    assert.is_true(followed(function() f():eval() end) > 0)
  end)

  it("are followed by reductions, and by the kernels between cuts", function()
    local function f()
      local z = x
      for _ = 1, 100 do z = z * 0.99 + y end
      return z:sum()
    end
    local want = walked(f)
    for _ = 1, 6 do f():eval() end
    local n, got = followed(function() return text(f()) end)
    assert.equal(want, got)
    assert.is_true(n >= 2)
  end)

  it("are not followed if an array has another type that the operation takes as the same one", function()
    local function f(a)
      local z = gpuarray.where(a, x, y)
      for _ = 1, 9 do z = z * 0.5 + y end
      return z
    end
    for _, name in ipairs { "int8", "uint8", "int64", "float32" } do
      local b = gpuarray.to_gpu({ 0, 100, 1, 0 }, name)
      local want = walked(function() return f(b) end)
      for _ = 1, 3 do f(gpuarray.to_gpu({ 0, 0, 0, 100 }, "int16")):eval() end
      assert.equal(want, text(f(b)))
    end
  end)

  it("raise the errors of a walk", function()
    for _ = 1, 3 do program(given()):eval() end
    local z = program(given())
    y:release()
    gpu.raises("LogicError", "the memory of an operand of shape (4,) was released", z.eval, z)
  end)

  it("give way to others, and are given up where the program is always another one", function()
    -- Bit k of n decides about operation k, so all programs end alike and have the same length.
    local function f(n)
      local z = x
      for k = 0, 20 do z = math.floor(n / 2 ^ k) % 2 == 1 and z + y or z - y end
      return z * 2
    end
    for n = 1, 100 do f(n):eval() end
    local n = followed(function() for k = 90, 100 do f(k):eval() end end)
    assert.is_true(n <= 2)
    assert.is_true(followed(function() for _ = 1, 200 do f(7):eval() end end) > 50)
  end)

  it("have the values of their time, whatever finalizers do between any two lines", function()
    local want = walked(function() return program(given()) end)
    local pieces = {}
    local function f()
      local first = x * 0.5 + y
      local z = first
      for _ = 1, 9 do z = z * 0.5 + y end
      local last = gpuarray.where(z:gt(2.25), z - first, one) * 3
      pieces[1], pieces[2], pieces[3] = first, z, last
      return last
    end
    local function inner()
      for k = 1, 3 do
        if pieces[k] then pieces[k]:eval() end
      end
    end
    local wrong = reentry.sweep(function()
      for _ = 1, 3 do program(given()):eval() end
      return f():eval()
    end, inner, 60, text)
    assert.is_nil(wrong)
    assert.equal(want, text(f()))
  end)
end)
