-- An expression that comes again follows the trail of its walk (core/trail.lua): the same kernels and bits as a walk,
-- and nothing of it if anything is different.
local gpu = require "spec.support.gpu"
local gpuarray = gpu.cuda.gpuarray
local again = require "cudalua.gpuarray.core.again"
local dtype = require "cudalua.dtype"
local knob = require "spec.support.knob"
local map = require "cudalua.gpuarray.core.map"
local maps = require "cudalua.gpuarray.kernel.maps"
local reentry = require "spec.support.reentry"
local same_maps = require "cudalua.gpuarray.core.same_maps"
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
    for _ = 1, 6 do f():eval() end -- the first ones compute b along
    assert.is_true(followed(function() f():eval() end) > 0)
    assert.equal(0, (followed(function() f(true):eval() end)))
    assert.is_true(followed(function() f():eval() end) > 0)
  end)

  it("note an operand that a reduction computes on the way", function()
    for _ = 1, 3 do program(given()):eval() end
    for _ = 1, 3 do
      local z = program(given())
      z:sum():item()
      assert.is_true(z._sig and z._used > 0)
    end
    -- A reduction takes its operand by strides, so only arrays with gaps make it the same program.
    x, y = gpuarray.arange(8, "float32")[{ { 1, -1, 2 } }], gpuarray.arange(8, "float32")[{ { 2, -1, 2 } }]
    trail.forget()
    for _ = 1, 3 do program(given()):sum():item() end
    local z = program(given())
    z:eval()
    assert.is_true(z._used <= 0)
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

-- How many trails f follows, and what it returns as text.
local function twice(f)
  for _ = 1, 3 do f():eval() end
  return followed(function() return text(f():eval()) end)
end

describe("Trails below index maps", function()
  local x, y, row
  setup(gpu.context)
  before_each(function()
    trail.forget()
    x = gpuarray.arange(24, "float32"):reshape(4, 6):eval()
    y = (gpuarray.arange(24, "float32") * 3 % 7):reshape(4, 6):eval()
    row = gpuarray.arange(6, "float32"):eval()
  end)

  local function program(a, b, shift, axis, number, width)
    a, b, width = a or x, b or y, width or 2
    local rolled = a:roll(shift or 1, axis or 1)
    local padded = gpuarray.concatenate { b[{ { 1, width } }], row:reshape(1, 6):roll(2, 2), a[{ { 1, 3 - width } }] }
    return (rolled + a) * (number or 0.5) + padded + rolled * (number or 0.5) + 0
  end

  it("are followed from the third time on, also by short expressions", function()
    for _, f in ipairs {
      function() return program() end,
      function() return x:roll(1, 2) + x end,
      function() return x:pad(1, "edge") * 2 end,
      function() return gpuarray.where(x:roll(1, 1):gt(0), y, -0.0) end,
      function() return (x + y):roll({ 1, 2 }, { 1, 2 }) end,
    } do
      local want = walked(f)
      local n, got = twice(f)
      assert.equal(want, got)
      assert.is_true(n > 0)
    end
  end)

  it("leave a walk's record as the walk leaves it", function()
    local records = {}
    finally(knob(again, "note", function(w)
      local r = { w.state, w.values, w.nleaves, w.nscalars, w.ninner, w.nrepeats, w.nagain, w.strided, w.below ~= false,
        w.strides, w.links }
      for i = 1, w.ninner do r[#r + 1] = w.inner[i]._sig or "computed" end
      for i = 1, w.nscalars do r[#r + 1], r[#r + 2] = w.scalars[i], w.scalar_values[i] end
      for i = 1, w.nleaves do r[#r + 1] = w.classes[i] end
      for i = 1, w.nrepeats do r[#r + 1], r[#r + 2] = w.repeats[i], w.repeats_at[i] end
      records[#records + 1] = r
    end))
    local f = function() return program() end
    walked(f)
    records = {}
    local n = 0
    for _ = 1, 4 do n = followed(function() f():eval() end) end
    assert.is_true(n > 0)
    assert.equal(4, #records)
    assert.is_true(#records[1] > 20)
    assert.same(records[1], records[4])
  end)

  local function gaps() return gpuarray.arange(48, "float32"):reshape(4, 12)[{ {}, { 1, -1, 2 } }] end
  local function unaligned() return gpuarray.arange(25, "float32")[{ { 2, 25 } }]:reshape(4, 6) end

  -- Each of these is another program, or the same one with other values.
  local changes = {
    { "another number", true, function() return program(nil, nil, 1, 1, 0.25) end },
    { "other arrays", true, function() return program(x + 1, y * 2) end, true },
    { "another shift", false, function() return program(nil, nil, 2) end },
    { "another axis", false, function() return program(nil, nil, 1, 2) end },
    { "another part of the result", false, function() return program(nil, nil, 1, 1, 0.5, 1) end },
    { "an array with gaps", false, function() return program(gaps()) end },
    { "an array that is not aligned", false, function() return program(unaligned()) end },
    { "an array of another type", false, function() return program(x:astype "int32":eval()) end },
    { "zero", false, function() return program(nil, nil, 1, 1, 0) end },
  }
  for _, change in ipairs(changes) do
    it("are followed only if the program is the same: " .. change[1], function()
      local want = walked(change[3])
      for _ = 1, 3 do program():eval() end
      local n, got = followed(function()
        local z = change[3]()
        return text(z:eval())
      end)
      assert.equal(want, got)
      if not change[4] then assert.equal(change[2], n > 0) end
      for _ = 1, 3 do change[3]():eval() end -- its own trail
      assert.equal(want, text(change[3]()))
    end)
  end

  it("are followed only if the arrays have the same shapes", function()
    local function f(b) return (x:roll(1, 1) + b):roll(1, 2) * 2 end
    local one = y[{ { 1 } }]
    assert.same({ unpack(y.strides) }, { unpack(one.strides) })
    local want = walked(function() return f(one) end)
    assert.is_true((twice(function() return f(y) end)) > 0)
    assert.equal(want, text(f(one)))
  end)

  it("tell 0 from -0, and from an array", function()
    local function f(zero) return zero / (x:roll(1, 1) + 1) end
    local want = walked(function() return f(y) end)
    for _ = 1, 3 do f(0):eval() end
    local z = f(-0.0):tolist()
    assert.equal(-math.huge, 1 / z[1][1])
    assert.equal(want, text(f(y)))
  end)

  it("are for one shape of the result", function()
    local one = x:reshape(1, 4, 6)
    local function f(n)
      local into = gpuarray.zeros({ n, 4, 6 }, "float32"):eval()
      into:set(one:roll(1, 2) + one)
      return into
    end
    local want = walked(function() return f(3) end)
    for _ = 1, 3 do f(1) end
    assert.equal(want, text(f(3)))
  end)

  it("are followed only if masks are the same", function()
    local function f(first)
      local making = map.begin("f", dtype.float32, { 4, 6 })
      return map.choose(making, x:roll(1, 1), y, map.mask(2, { maps.range(first, 2) }), false)
    end
    local want = walked(function() return f(2) end)
    assert.is_true((twice(function() return f(1) end)) > 0)
    assert.equal(want, text(f(2)))
  end)

  it("are not recorded if a kernel cannot be the only one", function()
    local a, b = (gpuarray.arange(4096, "float32") % 11):reshape(64, 64):eval(), gpuarray.arange(4096, "float32")
    b = b:reshape(64, 64):eval()
    local function f() return a:roll(1, 1) + b.T end
    f():eval()
    for _ = 1, 4 do assert.equal(2, gpu.kernels(function() f():eval() end)) end
  end)

  it("are not recorded if a finalizer has changed the expression", function()
    local note, piece = trail.note, nil
    local function f(before)
      local known = before and y:roll(1, 1):eval()
      local p = y * 2
      local moved = before and y * 3 or x:roll(1, 1) -- as many operations are written in both cases
      piece = not before and moved or nil
      return (known or moved) + x + p
    end
    local want = walked(function() return f(true) end)
    local restore = knob(trail, "note", function(...)
      local other = piece
      piece = nil
      if other then other:eval() end
      return note(...)
    end)
    finally(restore)
    for _ = 1, 8 do f():eval() end
    restore()
    collectgarbage "stop" -- so that nothing is computed along
    local ok, got = pcall(function() return text(f(true)) end)
    collectgarbage "restart"
    assert.is_true(ok)
    assert.equal(want, got)
  end)

  it("are followed only if the result lies alike", function()
    local function f() return x:roll(1, 1) + x end
    local want = walked(f)
    local into = gpuarray.zeros({ 4, 12 }, "float32"):eval()
    for k = 1, 3 do
      local whole = gpuarray.zeros({ 4, 6 }, "float32"):eval()
      for _ = 1, 3 do whole:set(f()) end
      into[{ {}, { 1, -1, 2 } }] = f()
      assert.equal(want, text(into[{ {}, { 1, -1, 2 } }]:copy()))
      assert.equal(want, text(whole))
      assert.is_true(k < 3 or followed(function() into[{ {}, { 1, -1, 2 } }]:set(f()) end) > 0)
    end
  end)

  it("are not followed by kernels of several results", function()
    local function f(a)
      local z = a:roll(1, 1)
      for _ = 1, 20 do z = z * 0.5 + a end
      return z
    end
    local function g(a) return (a:roll(1, 1) + a:roll(2, 2)) * f(a) end
    local want, other = walked(function() return f(x) end), walked(function() return g(x) end)
    for _ = 1, 4 do f(x):eval() end
    assert.is_true(followed(function() f(x):eval() end) > 0)
    for _ = 1, 3 do
      local a, b = f(x), g(x)
      gpuarray.eval(a, b)
      assert.same({ want, other }, { text(a), text(b) })
    end
  end)

  it("leave plans that are explained as they are", function()
    local function f() return (x * 2 + y):roll(1, 1) + x end
    local before = tostring(gpuarray.explain(f()))
    local n = twice(f)
    assert.is_true(n > 0)
    assert.equal(before, tostring(gpuarray.explain(f())))
  end)

  it("keep no array alive that they were followed with", function()
    for _, f in ipairs {
      function(a) return a:roll(1, 1) + a end,
      function(a)
        local z = a
        for _ = 1, 20 do z = z * 0.5 + a end
        return z
      end,
    } do
      local kept = setmetatable({}, { __mode = "k" })
      local function once()
        local a = gpuarray.arange(24, "float32"):reshape(4, 6):eval()
        f(a):eval()
        kept[a._leaf] = true
      end
      for _ = 1, 5 do once() end
      assert.is_true(followed(once) > 0)
      collectgarbage()
      collectgarbage()
      assert.is_nil(next(kept))
    end
  end)

  it("and ends keep no array alive", function()
    local kept = setmetatable({}, { __mode = "k" })
    for _ = 1, 5 do
      local a = gpuarray.arange(24, "float32"):reshape(4, 6):eval()
      local z = program(a, a * 2 + 1):eval()
      a[{ { 2, 3 } }] = z[{ { 1, 2 } }] * 2
      kept[a], kept[z], kept[a._leaf], kept[z._leaf.buf] = true, true, true, true
    end
    gpuarray.eval()
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(kept))
  end)

  it("are followed by writes to parts", function()
    local function f()
      local now, before, all = row:copy(), row * 2, { { 2, -2 } }
      before:eval()
      for _ = 1, 6 do
        local inner = now[all]
        before[all] = 2 * inner - before[all] + 0.25 * (now[{ { 1, -3 } }] - 2 * inner + now[{ { 3, -1 } }])
        now, before = before, now
      end
      return now
    end
    local want = walked(f)
    f()
    local n, got = followed(function() return text(f()) end)
    assert.equal(want, got)
    assert.is_true(n >= 4)
  end)

  it("have the values of their time, whatever finalizers do between any two lines", function()
    local pieces = {}
    local function f()
      local first = (x * 0.5 + y):roll(1, 2)
      local z = first:roll(1, 1) + first
      local last = gpuarray.concatenate { z[{ { 1, 2 } }], z * 2 }
      pieces[1], pieces[2], pieces[3] = first, z, last
      return last
    end
    local want = walked(f)
    local function inner()
      for k = 1, 3 do
        if pieces[k] then pieces[k]:eval() end
      end
    end
    local wrong = reentry.sweep(function()
      for _ = 1, 3 do f():eval() end
      return f():eval()
    end, inner, 60, text)
    assert.is_nil(wrong)
    assert.equal(want, text(f()))
  end)
end)

describe("Maps", function()
  local function of(ndim, axes, links) return map.of(ndim, axes, links) end

  it("are the same if all their fields are", function()
    local a = of(2, { 1, 2 }, { maps.roll(1, 4), maps.part(2) })
    assert.is_true(same_maps.same(a, of(2, { 1, 2 }, { maps.roll(1, 4), maps.part(2) })))
    for _, b in ipairs {
      of(3, { 1, 2 }, { maps.roll(1, 4), maps.part(2) }),
      of(2, { 1, 2, 0 }, { maps.roll(1, 4), maps.part(2) }),
      of(2, { 2, 1 }, { maps.roll(1, 4), maps.part(2) }),
      of(2, { 1, 2 }, { maps.roll(2, 4), maps.part(2) }),
      of(2, { 1, 2 }, { maps.roll(1, 4), maps.part(3) }),
      of(2, { 1, 2 }, { maps.edge(1, 4), maps.part(2) }),
      of(2, { 1, 2 }, { maps.roll(1, 4) }),
    } do
      assert.is_false(same_maps.same(a, b))
      assert.is_false(same_maps.same(b, a))
    end
  end)

  it("have the same masks if all ranges are", function()
    local a = map.mask(2, { [2] = maps.range(1, 3) })
    assert.is_true(same_maps.same_masks(a, map.mask(2, { [2] = maps.range(1, 3) })))
    for _, b in ipairs {
      map.mask(3, { [2] = maps.range(1, 3) }),
      map.mask(2, { [2] = maps.range(2, 3) }),
      map.mask(2, { [2] = maps.range(1, 2) }),
      map.mask(2, { maps.range(1, 3) }),
      map.mask(2, { maps.range(1, 3), maps.range(1, 3) }),
      map.mask(2, {}),
    } do
      assert.is_false(same_maps.same_masks(a, b))
      assert.is_false(same_maps.same_masks(b, a))
    end
  end)
end)
