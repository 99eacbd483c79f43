-- Ends of programs that are kept (core/ends.lua): the kernels and bits of planning anew, for arrays that lie alike, and
-- planning anew for all others.
local gpu = require "spec.support.gpu"
local gpuarray = gpu.cuda.gpuarray
local bits = require "spec.support.bits"
local dtype = require "cudalua.dtype"
local ends = require "cudalua.gpuarray.core.ends"
local knob = require "spec.support.knob"
local map = require "cudalua.gpuarray.core.map"
local maps = require "cudalua.gpuarray.kernel.maps"
local plan = require "cudalua.gpuarray.core.plan"
local shifted = require "cudalua.gpuarray.core.shifted"
local trail = require "cudalua.gpuarray.core.trail"

-- Does f find an end at once? What it plans anew is found afterwards, as some evaluations try twice. And what f
-- returns.
local function found(f)
  local first, follow = nil, ends.follow
  local restore = knob(ends, "follow", function(...)
    local count = follow(...)
    if first == nil then first = count ~= nil end
    return count
  end)
  local ok, result = pcall(f)
  restore()
  if not ok then error(result, 0) end
  return first, result
end

-- The bits of what f returns with every end planned anew, and with trails forgotten.
local function anew(f)
  ends.forget()
  trail.forget()
  local result = bits.of(f())
  ends.forget()
  return result
end

describe("Ends of programs", function()
  local x, y
  setup(gpu.context)
  before_each(function()
    ends.forget()
    trail.forget()
    x = gpuarray.arange(30 * 40, "float32"):reshape(30, 40):eval()
    y = (gpuarray.arange(30 * 40, "float32") * 7 % 11):reshape(30, 40):eval()
  end)

  local function part(a, i, j, rows, columns)
    return a[{ { 1 + i, i + (rows or 20) }, { 1 + j, j + (columns or 20) } }]
  end

  it("are found again by arrays that lie alike", function()
    local function f() return part(x, 1, 1) + part(x, 2, 1) * part(y, 0, 3) end
    local want = anew(f)
    f():eval()
    local is_found, got = found(function() return f():eval() end)
    assert.is_true(is_found)
    assert.equal(want, bits.of(got))
    is_found, got = found(function()
      x, y = y, x
      return f():eval()
    end)
    x, y = y, x
    assert.is_true(is_found)
    assert.equal(anew(function()
      x, y = y, x
      local z = f():eval()
      x, y = y, x
      return z
    end), bits.of(got))
  end)

  -- After the first function, the second one: the same program on arrays that lie otherwise.
  local pairs_of_functions = {
    { "another shape", function() return part(x, 1, 1) + part(y, 1, 1) end,
      function() return part(x, 1, 1, 10) + part(y, 1, 1, 10) end },
    { "an operand of another shape", function() return part(x, 0, 0) + part(y, 0, 0) end,
      function() return part(x, 0, 0) + part(y, 3, 0, 1) end },
    { "other strides", function() return part(x, 0, 0) + part(y, 0, 0) end,
      function() return part(x, 0, 0) + y[{ { 1, 20 }, { 1, 39, 2 } }] end },
    { "an array that is not aligned", function() return part(x, 0, 0, 20, 40) + part(y, 0, 0, 20, 1) end,
      function()
        local flat = gpuarray.arange(1 + 20 * 40, "float32"):eval()
        return part(flat[{ { 2, -1 } }]:reshape(20, 40), 0, 0, 20, 40) + part(y, 0, 0, 20, 1)
      end },
    { "other rows of one array", function() return part(x, 0, 0) + part(x, 1, 0) * 2 + part(x, 2, 0) end,
      function() return part(x, 0, 0) + part(x, 1, 0) * 2 + part(x, 3, 0) end },
    { "two arrays in place of one", function() return part(x, 0, 0) + part(x, 1, 0) * 2 + part(x, 2, 0) end,
      function() return part(x, 0, 0) + part(y, 1, 0) * 2 + part(x, 2, 0) end },
    { "another shift", function() return x:roll(1, 1) + x:roll(-1, 1) end,
      function() return x:roll(2, 1) + x:roll(-1, 1) end },
    { "another axis", function() return x:roll(1, 1) + x:roll(-1, 1) + y end,
      function() return y:roll(1, 1) + y:roll(-2, 1) + x end },
  }
  for _, p in ipairs(pairs_of_functions) do
    for _, in_rows in ipairs { true, false } do
      it(("are not found for %s%s"):format(p[1], in_rows and ", if rows share loads" or ""), function()
        finally(knob(shifted, "LEAST", in_rows and 1 or 2 ^ 40))
        finally(knob(shifted, "WASTE", 100))
        local first, second = anew(p[2]), anew(p[3])
        for _ = 1, 3 do
          assert.equal(first, bits.of(p[2]()))
          assert.equal(second, bits.of(p[3]()))
        end
      end)
    end
  end

  -- The same expression, written to places that lie otherwise.
  it("are not found for results that lie otherwise", function()
    local function f() return part(x, 1, 1, 16, 16) + part(y, 1, 1, 16, 16) end
    local want = anew(f)
    local big = gpuarray.zeros({ 20, 64 }, "float32"):eval()
    local all = { 1, 16 }
    for _, columns in ipairs { { 1, 16 }, { 5, 20 }, { 6, 21 }, { 1, 31, 2 }, { 16, 1, -1 } } do
      for _ = 1, 2 do
        local to = big[{ all, columns }]
        to:fill(0)
        to:set(f())
        assert.equal(want, bits.of(to:copy()))
      end
    end
  end)

  it("are not found for results of another extent, even if their arrays lie alike", function()
    local row, big = gpuarray.arange(20, "float32"):eval(), gpuarray.zeros({ 2, 40, 30 }, "float32"):eval()
    for _ = 1, 2 do
      for _, n in ipairs { 3, 39, 17 } do
        big:fill(0)
        big[{ {}, { 1, n }, { 1, 20 } }]:set(row * 2)
        assert.same({ 2 * 20 * 19 * n, 38 }, { big:sum():item(), big[{ 2, n, 20 }]:item() })
      end
    end
  end)

  it("are not found for maps of another kind with the same numbers", function()
    local function f(kind)
      local making = map.begin("f", dtype.float32, { 30, 40 })
      return map.map(making, x, map.of(2, nil, { kind(1, 30) }), false)
    end
    local rolled, mirrored = function() return f(maps.roll) end, function()
      return f(function() return { kind = "edge", reach = 1, extent = 30, 1, 30 } end)
    end
    local first, second = anew(rolled), anew(mirrored)
    assert.not_equal(first, second)
    for _ = 1, 2 do
      assert.equal(first, bits.of(rolled()))
      assert.equal(second, bits.of(mirrored()))
    end
  end)

  it("are not found for maps to other axes", function()
    local square = x[{ {}, { 1, 30 } }]:copy()
    local function f(of)
      local making = map.begin("f", dtype.float32, { 30, 30 })
      return map.map(making, square, map.of(2, of, { maps.roll(1, 30) }), false)
    end
    local along, across = anew(function() return f { 1, 2 } end), anew(function() return f { 2, 1 } end)
    assert.not_equal(along, across)
    for _ = 1, 2 do
      assert.equal(along, bits.of(f { 1, 2 }))
      assert.equal(across, bits.of(f { 2, 1 }))
    end
  end)

  it("are several for a program", function()
    local function f(n) return part(x, 0, 0, n) + part(y, 0, 0, n) end
    for n = 1, ends.MOST do f(10 + n):eval() end
    for n = 1, ends.MOST do assert.is_true((found(function() f(10 + n):eval() end))) end
    for n = 1, ends.MOST do f(20 - n):eval() end
    assert.is_false((found(function() f(11):eval() end)))
  end)

  it("are planned anew if what they depend on was changed", function()
    local function f() return part(x, 0, 0) + part(y, 0, 0) end
    f():eval()
    assert.is_true((found(function() f():eval() end)))
    finally(knob(plan, "always_wide", true))
    assert.is_false((found(function() f():eval() end)))
  end)
end)
