-- The strides of results: those of operation by operation, whatever was computed before.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local knob = require "spec.support.knob"
local runs = require "cudalua.gpuarray.core.run"
local strides = require "cudalua.gpuarray.core.strides"

-- The same numbers on all machines.
local state = tonumber(os.getenv "CUDALUA_SEED") or 1
local function random(n)
  state = (state * 1103515245 + 12345) % 2 ^ 31
  return math.floor(state / 2 ^ 16) % n + 1
end

-- Arrays of the shape {3, 4} or {3, 1, 4} that lie in many ways, and others that broadcast to it.
local function leaves_of(shape)
  local list, n = {}, #shape
  local function add(x) list[#list + 1] = x end
  local double, reversed, every, back, odd = {}, {}, {}, {}, {}
  for k = 1, n do
    double[k], reversed[k], every[k], back[k], odd[k] = 2 * shape[k], shape[n + 1 - k], { 1, -1, 2 }, { -1, 1, -1 }, {}
  end
  odd[n] = { 2, -1 }
  local wide = { unpack(shape) }
  wide[n] = wide[n] + 1
  add(gpuarray.ones(shape))
  add(gpuarray.ones(reversed).T)
  add(gpuarray.ones(double)[every])
  add(gpuarray.ones(reversed).T[back])
  add(gpuarray.ones(wide)[odd])
  add(gpuarray.ones(shape, "float64"):copy "F")
  add(gpuarray.broadcast_to(gpuarray.ones(shape[n]), shape))
  for k = 1, n do
    local one = { unpack(shape) }
    one[k] = 1
    add(gpuarray.ones(one))
  end
  add(gpuarray.ones(shape[n]))
  return list
end

-- A program over these leaves: steps that make a variable of others. `compute` says which are computed at once.
local function program(leaves)
  local steps = {}
  for n = 1, 2 + random(6) do
    local count, r = #leaves + n - 1, random(5)
    local i, j = random(count), n > 1 and random(2) == 1 and count or random(count)
    if r == 1 then
      steps[n] = function(s) return -s[i] end
    elseif r == 2 then
      steps[n] = function(s) return gpuarray.where(s[i]:gt(0), s[j], s[i]) end
    else
      steps[n] = function(s) return s[i] + s[j] end
    end
  end
  return function(compute)
    local s = { unpack(leaves) }
    for n, step in ipairs(steps) do
      s[#leaves + n] = step(s)
      if compute[n] then s[#leaves + n]:eval() end
    end
    return { unpack(s, #leaves + 1) }
  end, #steps
end

local function text(x) return table.concat({ unpack(x.strides, 1, x.ndim) }, ",") end

-- How many programs have other strides where other variables were computed before.
local function differing(count)
  local found = 0
  for k = 1, count do
    local run, n = program(leaves_of(k % 2 == 0 and { 3, 4 } or { 3, 1, 4 }))
    local computed, some = {}, {}
    for i = 1, n do computed[i], some[i] = true, random(3) == 1 end
    local eager, last, mixed, scanned = run(computed), run({}), run(some), run({})
    local differs = false
    for i = n, 1, -1 do
      local axis = math.min(#scanned[i].shape, 2)
      differs = differs or text(eager[i]) ~= text(last[i]) or text(eager[i]) ~= text(mixed[i]) or
        axis > 0 and text(eager[i]:cumsum(axis)) ~= text(scanned[i]:cumsum(axis))
    end
    if differs then found = found + 1 end
  end
  return found
end

describe("The strides of a result", function()
  setup(gpu.context)

  it("do not depend on what was computed before", function()
    for _, computed in ipairs { true, false } do
      local z = gpuarray.ones { 1, 4 } + gpuarray.ones { 3, 1 }
      if computed then z:eval() end
      local y = z + gpuarray.ones({ 4, 3 }).T
      assert.same({ 16, 4 }, y.strides)
      y:reshape(12):fill(0) -- a view, or a copy
      assert.equal(0, y:sum():item())
    end
  end)

  it("keep the order of the first operand, and are those of C where one is in C order", function()
    local f, c = gpuarray.ones({ 4, 3 }).T, gpuarray.ones { 3, 4 }
    assert.same({ 4, 12 }, (f + 1).strides)
    assert.same({ 4, 12 }, (f + gpuarray.ones { 3, 1 }).strides)
    assert.same({ 4, 12 }, (f + gpuarray.ones({ 6, 8 })[{ { 1, -1, 2 }, { 1, -1, 2 } }]).strides)
    assert.same({ 16, 4 }, (f + c).strides)
    assert.same({ 16, 4 }, (c + f).strides)
    assert.same({ 1, 3 }, f:gt(0).strides)
    assert.same({ 16, 4 }, (f + c):cumsum(1).strides)
    assert.same({ 4, 12 }, (f + 1):cumsum(1).strides)
  end)

  it("are those of the result alone in gpuarray.fuse, too", function()
    local p, q = gpuarray.ones({ 2, 3 }).T, gpuarray.ones { 3, 2 }
    local both = gpuarray.fuse(function(x, y) return x + 1, x + y, x * 2 end)
    local a, b, c = both(p, q)
    assert.same({ { 4, 12 }, { 8, 4 }, { 4, 12 } }, { a.strides, b.strides, c.strides })
    assert.equal(2, gpu.kernels(function() both(p, q) end))
    assert.same({ { 2, 2 }, { 2, 2 }, { 2, 2 } }, a:tolist())
    assert.same({ { 2, 2 }, { 2, 2 }, { 2, 2 } }, c:tolist())
  end)

  it("are the same in random programs, of which some variables are computed before", function()
    finally(knob(runs, "load", function() end)) -- nothing is compiled or launched
    assert.equal(0, differing(tonumber(os.getenv "CUDALUA_GRAPHS") or 400))
  end)

  it("would differ if only the leaves of a kernel were looked at", function()
    local restore = knob(runs, "load", function() end)
    local restore_order = knob(strides, "order", function(x)
      if x._leaf == true then return not x.dense and strides.ordered(x.shape, x.strides) end
      local found
      local function look(o)
        if type(o) ~= "table" then return end
        o = o._first or o
        if o._leaf == true then
          if #o.shape ~= x._ndim or o.shape[1] * o.shape[#o.shape] ~= x._size then return end
          if o.dense then found = false end
          if found == nil then found = strides.ordered(o.shape, o.strides) end
          return
        end
        look(o._a)
        look(o._b)
        look(o._c)
      end
      look(x)
      return found or false
    end)
    finally(function() -- one: a second call of finally() replaces the first
      restore()
      restore_order()
    end)
    assert.is_true(differing(400) > 0)
  end)
end)
