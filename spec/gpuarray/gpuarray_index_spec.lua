-- Indices with arrays among them: against NumPy (data/golden/index.lua, made by data/golden/make_numpy_index.py), and
-- against loops over lists of Lua's on random shapes, strides and types.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local cuda = gpu.cuda
local dtypes = require "cudalua.dtype"
local g = require "cudalua.gpuarray"
local loops = require "cudalua.gpuarray.index.loop"
local ndarray = require "cudalua.ndarray"

setup(gpu.context)

local random = math.random

-- ---- arrays on the host, as lists ---------------------------------------------------------------------------------

local function size_of(shape)
  local n = 1
  for _, e in ipairs(shape) do n = n * e end
  return n
end

-- The elements of an array, in C order, and its shape as text.
local function list_of(x)
  local h = g.is_array(x) and x:get { array = true } or x
  local out = {}
  local function walk(axis, index)
    if axis > h.ndim then
      out[#out + 1] = h:get(unpack(index))
      return
    end
    for i = 1, h.shape[axis] do
      index[axis] = i
      walk(axis + 1, index)
    end
  end
  walk(1, {})
  return out
end

local function show(list)
  local parts = {}
  for i, v in ipairs(list) do parts[i] = tostring(v) end
  return table.concat(parts, " ")
end

local function same(expected, shape, x, about)
  assert.equal(show(shape), show(x.shape), about)
  assert.equal(show(expected), show(list_of(x)), about)
end

-- An array of these elements in C order.
local function array(shape, list, dtype)
  local h = ndarray.empty(shape, dtype or "int32")
  local function walk(axis, index, at)
    if axis > #shape then
      index[#index + 1] = list[at + 1]
      h:set(unpack(index))
      index[#index] = nil
      return
    end
    local inner = 1
    for k = axis + 1, #shape do inner = inner * shape[k] end
    for i = 1, shape[axis] do
      index[axis] = i
      walk(axis + 1, index, at + (i - 1) * inner)
    end
    index[axis] = nil
  end
  walk(1, {}, 0)
  return g.to_gpu(h)
end

local function counting(n, step)
  local out = {}
  for i = 1, n do out[i] = i * (step or 1) end
  return out
end

local function ints(values, dtype) return g.to_gpu(values, dtype or "int64") end
local function bools(values) return g.to_gpu(values, "bool") end
local function numbers(values, dtype) return g.to_gpu(values, dtype or "int32") end

-- An array with the same elements that lies in another way: backwards, with gaps, transposed, or from the middle of
-- something on.
local function scattered(x)
  local shape = x.shape
  local way = random(4)
  if way == 1 or #shape == 0 then return x end
  local big, part = {}, {}
  for k, e in ipairs(shape) do
    if way == 2 and e > 0 then
      big[k], part[k] = 2 * e + 1, { 2 * e, 1, -2 }
      if e == 1 then part[k] = { 2 } end
    else
      big[k], part[k] = e + 2, { 2, e + 1 }
    end
  end
  if way == 4 then
    local order, back = {}, {}
    for k = 1, #shape do order[k] = k % #shape + 1 end
    for k, axis in ipairs(order) do back[axis] = k end
    local turned = {}
    for k, axis in ipairs(order) do turned[k] = big[axis] end
    local y = g.empty(turned, x.dtype):fill(0):transpose(back):slice(unpack(part))
    return y:set(x)
  end
  return g.empty(big, x.dtype):fill(0):slice(unpack(part)):set(x)
end


-- ---- NumPy --------------------------------------------------------------------------------------------------------

local function golden()
  return assert(loadfile "spec/data/golden/index.lua")(g.newaxis,
    function(shape, list) return array(shape, list, "int64") end,
    function(shape, list)
      for i, v in ipairs(list) do list[i] = v ~= 0 end
      return array(shape, list, "bool")
    end)
end

describe("gpuarray.Array:slice and indices with arrays, as NumPy's:", function()
  it("gpuarray.Array:slice reads", function()
    local rows = golden()
    assert.is_true(#rows > 100)
    for i, row in ipairs(rows) do
      local a = scattered(array(row[1], counting(size_of(row[1]))))
      same(row[4], row[3], a[row[2]], "row " .. i)
      same(row[4], row[3], a:slice(unpack(row[2])), "row " .. i)
    end
  end)

  it("a[{...}] = values writes", function()
    local _, rows = golden()
    assert.is_true(#rows > 50)
    for i, row in ipairs(rows) do
      local a = scattered(array(row[1], counting(size_of(row[1]))))
      a[row[2]] = array(row[3], counting(size_of(row[3]), -1))
      same(row[4], row[1], a, "row " .. i)
    end
  end)
end)

-- ---- an independent reference ---------------------------------------------------------------------------------------

-- The elements of `list`, of this shape, at coordinates.
local function at(shape, list, coordinates)
  local i = 0
  for k, e in ipairs(shape) do i = i * e + coordinates[k] - 1 end
  return list[i + 1], i + 1
end

local function each(shape, f)
  local c = {}
  local function walk(axis)
    if axis > #shape then return f(c) end
    for i = 1, shape[axis] do
      c[axis] = i
      walk(axis + 1)
    end
  end
  walk(1)
end

-- Random values of a type that differ from each other where the type has so many.
local function values_of(dtype, n)
  local out = {}
  for i = 1, n do
    local x = random(0, 120)
    if dtype == "bool" then
      x = x % 2 == 0
    elseif dtype:find "complex" then
      x = require("ffi").new("complex", x, i)
    elseif not dtype:find "uint" then
      x = random() < 0.5 and 1 - x or x
    end
    out[i] = x
  end
  return out
end

local names = {}
for _, dt in ipairs(dtypes.list) do names[#names + 1] = dt.name end
local index_names = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }

local function random_shape(least, most, largest)
  local shape = {}
  for k = 1, random(least, most) do shape[k] = random(1, largest or 6) end
  return shape
end

local function random_positions(shape, extent, dtype)
  local list = {}
  for i = 1, size_of(shape) do
    list[i] = random(extent)
    if not dtype:find "uint" and random() < 0.4 then list[i] = list[i] - extent - 1 end
  end
  return list
end

local function from_start(i, extent) return i < 0 and extent + 1 + i or i end

describe("gathering and scattering", function()
  -- a[{ positions, {}, ... }] on a random axis, every type of elements and of positions.
  for round = 1, 30 do
    local dtype, index_dtype = names[round % #names + 1], index_names[round % #index_names + 1]
    it(("goes along an axis: %s by %s"):format(dtype, index_dtype), function()
      finally(knob(loops, "always_wide", round % 5 == 0))
      local shape = random_shape(1, 4)
      local axis = random(#shape)
      local list, positions_shape = values_of(dtype, size_of(shape)), random_shape(0, 2)
      local positions = random_positions(positions_shape, shape[axis], index_dtype)
      local a = scattered(array(shape, list, dtype))
      local p = scattered(array(positions_shape, positions, index_dtype))
      local index = {}
      for k = 1, axis - 1 do index[k] = {} end
      index[axis] = p

      local result = {}
      for k = 1, axis - 1 do result[#result + 1] = shape[k] end
      for _, e in ipairs(positions_shape) do result[#result + 1] = e end
      for k = axis + 1, #shape do result[#result + 1] = shape[k] end
      local function source(c) -- the coordinates in a
        local own, of_position = { unpack(c, 1, axis - 1) }, { unpack(c, axis, axis + #positions_shape - 1) }
        own[axis] = from_start(at(positions_shape, positions, of_position), shape[axis])
        for k = axis + 1, #shape do own[k] = c[k + #positions_shape - 1] end
        return own
      end
      local expected = {}
      each(result, function(c) expected[#expected + 1] = at(shape, list, source(c)) end)
      same(expected, result, a[index])
      same(expected, result, a:take(p, { axis = axis }))

      -- Written in C order, the last one stays.
      local values, i = values_of(dtype, size_of(result)), 0
      each(result, function(c)
        i = i + 1
        local _, k = at(shape, list, source(c))
        list[k] = values[i]
      end)
      a[index] = scattered(array(result, values, dtype))
      same(list, shape, a)
    end)
  end

  it("takes elements of a struct's size", function()
    local point = dtypes.struct { { "x", "int32" }, { "y", "int32" }, { "z", "int32" } }
    local h = ndarray.empty(5, point)
    for i = 1, 5 do h[i] = point(i, 10 * i, 100 * i) end
    local back = g.to_gpu(h):take({ 5, 1, 5 }):get()
    assert.equal("5 50 500 1 10 100", show { back[1].x, back[1].y, back[1].z, back[2].x, back[2].y, back[2].z })
  end)

  it("goes on through more than one block, with duplicates far apart", function()
    local n, m = 5000, 300
    for _, wide in ipairs { false, true } do
      finally(knob(loops, "always_wide", wide))
      local positions, values, list = {}, {}, {}
      for i = 1, n do positions[i], values[i] = random(m), i end
      for i = 1, m do list[i] = -i end
      local a = array({ m }, list)
      a[ints(positions)] = array({ n }, values)
      for i = 1, n do list[positions[i]] = i end
      same(list, { m }, a)
      local expected = {}
      for i = 1, n do expected[i] = list[positions[i]] end
      same(expected, { n }, a[ints(positions)])
    end
  end)

  it("finds the winners of few places in a large array", function()
    local a = g.empty({ 1000, 1000 }, "int16"):fill(0)
    local rows, columns, values, expected = {}, {}, {}, {}
    for i = 1, 700 do
      rows[i], columns[i], values[i] = random(20) * 49, random(10) * 99, i
      expected[rows[i] * 1000 + columns[i]] = i
    end
    a[{ ints(rows), ints(columns) }] = array({ 700 }, values, "int16")
    local total = 0
    for place, v in pairs(expected) do
      total = total + 1
      local row = math.floor(place / 1000)
      assert.equal(v, a[{ row, place - row * 1000 }]:item())
    end
    assert.equal(total, g.nonzero(a).size)
  end)

  it("broadcasts numbers and 0-d arrays", function()
    local a = array({ 3, 4 }, counting(12))
    a[{ {}, ints { 1, 3 } }] = 0
    a[{ ints { 2 }, ints { -1 } }] = g.to_gpu(77, "int32")
    same({ 0, 2, 0, 4, 0, 6, 0, 77, 0, 10, 0, 12 }, { 3, 4 }, a)
    a[{ ints { 1, 2 } }] = { { 5 }, { 6 } }
    same({ 5, 5, 5, 5, 6, 6, 6, 6, 0, 10, 0, 12 }, { 3, 4 }, a)
    a[ints { 3 }] = 3 * g.to_gpu({ 1, 2, 3, 4 }, "int8") -- converted
    same({ 5, 5, 5, 5, 6, 6, 6, 6, 3, 6, 9, 12 }, { 3, 4 }, a)
  end)

  it("takes positions from the host", function()
    local a = array({ 4 }, { 10, 20, 30, 40 })
    same({ 40, 10 }, { 2 }, a[ndarray.array({ 4, 1 }, "int32")])
    same({ 10, 30 }, { 2 }, a[ndarray.array({ true, false, true, false })])
    a[{ ndarray.array({ -1 }, "int64") }] = 5
    same({ 10, 20, 30, 5 }, { 4 }, a)
  end)

  it("takes one element by a 64-bit integer", function()
    local a = array({ 3 }, { 7, 8, 9 })
    assert.equal(8, a[2LL])
    a[3ULL] = 1
    same({ 7, 8, 1 }, { 3 }, a)
    gpu.raises("LogicError", "the axis has 3 elements", function() return a[4LL] end)
    gpu.raises("LogicError", "a number, got the string 'a'", function() a[2] = "a" end)
    gpu.raises("LogicError", "a number, got the string '12345678'", function() a[{ 2 }] = "12345678" end)
  end)

  it("reads and writes what was written down and not computed", function()
    local a, p = array({ 4 }, counting(4)), ints { 1, 2 }
    same({ 20, 30 }, { 2 }, (a * 10)[p + 1])
    local b = a * 2
    b[p] = a[{ { 3, 4 } }] + 1
    same({ 4, 5, 6, 8 }, { 4 }, b)
  end)
end)

describe("writing by an index with arrays", function()
  it("leaves what was written down before with the old values", function()
    local a = array({ 6 }, counting(6))
    local doubled, v = a * 2, a[{ { 2, 3 } }] + 0
    a[ints { 1, 2 }] = 0
    same({ 2, 4, 6, 8, 10, 12 }, { 6 }, doubled)
    same({ 2, 3 }, { 2 }, v)
    local tripled = a * 3
    a[a:gt(4)] = -1
    same({ 0, 0, 9, 12, 15, 18 }, { 6 }, tripled)
    same({ 0, 0, 3, 4, -1, -1 }, { 6 }, a)
  end)

  it("copies the whole array where there are many readers, and views follow", function()
    local a = array({ 6 }, counting(6))
    local tail, readers = a[{ { 4, 6 } }], {}
    for i = 1, 8 do readers[i] = a + i end
    a[ints { 6, 1 }] = { 60, 10 }
    same({ 4, 5, 60 }, { 3 }, tail)
    tail:fill(0)
    same({ 10, 2, 3, 0, 0, 0 }, { 6 }, a)
    for i = 1, 8 do same({ 1 + i, 2 + i, 3 + i, 4 + i, 5 + i, 6 + i }, { 6 }, readers[i]) end
  end)

  it("takes source and positions from the array itself", function()
    local a = array({ 5 }, { 5, 4, 3, 2, 1 }, "int64")
    a[a] = a
    same({ 1, 2, 3, 4, 5 }, { 5 }, a)
    a[{ { 1, 4 } }][ints { 2, 3, 4 }] = a[{ { 1, 3 } }] -- moved up by one
    same({ 1, 1, 2, 3, 5 }, { 5 }, a)
    local m = array({ 3, 3 }, counting(9))
    m[{ ints { 1, 2, 3 } }] = m.T
    same({ 1, 4, 7, 2, 5, 8, 3, 6, 9 }, { 3, 3 }, m)
    m[m:gt(4)] = m[{ {}, 1 }]:sum()
    same({ 1, 4, 6, 2, 6, 6, 3, 6, 6 }, { 3, 3 }, m)
  end)

  it("writes to views with gaps", function()
    local a = g.empty(12, "int32"):fill(0)
    local view = a[{ { 11, 1, -2 } }] -- 11 9 7 5 3 1
    view[ints { 1, 6, 1 }] = { 1, 2, 3 }
    view[view:eq(2)] = 5
    same({ 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0 }, { 12 }, a)
  end)

  -- As NumPy: an axis of a mask that has no elements goes with an axis of any extent.
  it("takes a mask without elements, which selects nothing, for an axis of any extent", function()
    local line, grid = g.arange(3), g.arange(12):reshape(3, 4)
    local function none(...) return g.zeros({ ... }, "bool") end
    local function shape(expected, x) assert.same(expected, x.shape) end
    shape({ 0 }, line[none(0)])
    shape({ 0, 4 }, grid[none(0)])
    shape({ 0 }, grid[none(0, 4)])
    shape({ 0 }, grid[none(0, 0)])
    shape({ 0 }, grid[none(3, 0)])
    shape({ 0 }, grid.T[none(0, 0)])
    shape({ 3, 0 }, grid[{ {}, none(0) }])
    shape({ 0 }, grid[{ none(0), 1 }])
    shape({ 0 }, grid[{ none(0), none(4) }])
    shape({ 0 }, line[ndarray.zeros(0, "bool")])
    shape({ 0 }, g.extract(none(0), grid))
    line[none(0)], grid[none(0)], grid[none(3, 0)], grid[{ {}, none(0) }] = 5, g.arange(4), 1, g.zeros(0, "int64")
    same({ 0, 1, 2 }, { 3 }, line)
    assert.equal(66, grid:sum():item())
    for _, mask in ipairs { none(0, 2), none(2, 0), none(1, 0), none(2), none(0, 4, 0) } do
      gpu.raises("LogicError", "the axes there have (3", function() return grid[mask] end)
    end
    gpu.raises("LogicError", "the selection has the shape (0,) and cannot be assigned an array of shape (3,)",
      function() line[none(0)] = g.arange(3) end)
    gpu.raises("LogicError", "the mask has the shape (0,)", g.place, line, none(0), { 1 })
  end)

  it("does nothing for masks and positions that select nothing", function()
    local a = array({ 3 }, counting(3))
    a[a:gt(5)] = 9
    a[a:gt(5)] = g.to_gpu({}, "int32")
    a[g.to_gpu({}, "int64")] = 9
    g.empty({ 0, 3 }, "int32")[{ {}, ints { 1 } }] = 4
    same({ 1, 2, 3 }, { 3 }, a)
  end)

  it("writes a number by a mask in one kernel, without asking how many are true", function()
    local softgpu = gpu.soft and require "cudalua.softgpu"
    local function calls(name) return softgpu and tonumber((softgpu.control("calls " .. name):match "%d+")) end
    local a, m = array({ 8 }, counting(8)), bools { true, false, true, false, true, false, true, false }
    a[m] = 0
    local copies, waits = calls "cuMemcpyDtoH_v2", calls "cuCtxSynchronize"
    assert.equal(1, gpu.kernels(function() a[m] = 7 end))
    assert.equal(copies, calls "cuMemcpyDtoH_v2")
    assert.equal(waits, calls "cuCtxSynchronize")
    same({ 7, 2, 7, 4, 7, 6, 7, 8 }, { 8 }, a)
  end)
end)

describe("a bad index", function()
  local a
  before_each(function() a = array({ 3, 4 }, counting(12)) end)

  it("is told with its place, and nothing is written", function()
    local bad = ints { { 1, 2 }, { 5, -6 } }
    local function message(text, f) gpu.raises("LogicError", text, f) end
    message("gpuarray[{}]: index 2 has 5 at [2][1]; axis 2 of the shape (3, 4) has 4 elements",
      function() return a[{ {}, bad }] end)
    message("index 2 has 5 at [2][1]", function() a[{ {}, bad }] = 0 end)
    message("index 1 has 0 at [1]; axis 1 of the shape (3, 4) has 3 elements, counted from 1",
      function() a[ints { 0 }] = { 1, 2, 3, 4 } end)
    message("index 2 has -5 at [3]", function() return a[{ ints { 1, 1, 1 }, ints { -4, 4, -5 } }] end)
    message("index 2 has 9; axis 2", function() return a[{ ints { 1, 1 }, ints(9) }] end)
    message("gpuarray.take: indices has 13; the array of the shape (3, 4) has 12 elements",
      function() return a:take(13) end)
    message("gpuarray.put: indices has -13 at [2]", function() a:put({ 1, -13 }, 0) end)
    message("indices has 18446744073709551615 at [1]",
      function() return a:take(g.to_gpu(ndarray.array({ 0xffffffffffffffffULL }, "uint64"))) end)
    message("indices has 4 at [1][3]", function() return g.take_along_axis(a, { { 1, 2, 4, 4 } }, 1) end)
    message("axis 1 of the shape (0, 4) has no elements", function()
      return g.empty({ 0, 4 }, "int32")[ints { 1 }]
    end)
    message("index 1 has 7 at [1]", function() return a[{ ints { 7 }, { 1, 0 } }] end) -- nothing is selected
    same(counting(12), { 3, 4 }, a)
    same({ 1, 5 }, { 2 }, a[{ ints { 1, 2 }, 1 }]) -- the next one is not disturbed
  end)

  it("has a type and a shape that do not fit", function()
    local function message(text, f) gpu.raises("LogicError", text, f) end
    message("index 1 is an array of float32; positions must be integers", function() return a[g.to_gpu { 1, 2 }] end)
    message("index 1 is a mask of the shape (4,), but the axes there have (3,)",
      function() return a[bools { true, true, true, true }] end)
    message("index 2 is a mask of the shape (2, 2), but the axes there have (4,)",
      function() return a[{ 1, bools { { true, true }, { true, true } } }] end)
    message("index arrays of the shapes (2,), (3,) cannot be broadcast together",
      function() return a[{ ints { 1, 2 }, ints { 1, 2, 3 } }] end)
    local many, deep = {}, {}
    for k = 1, 64 do many[k], deep[k] = ints { 1 }, 1 end
    message("64 index arrays; an index has at most 60", function() return a[{ 1, 1 }]:reshape(deep)[many] end)
    message("too many indices", function() return a[{ 1, ints { 1 }, 1 }] end)
    message("the axis has 3 elements", function() return a[{ 4, ints { 1 } }] end)
    message("index 2 must be an integer", function() return a[{ ints { 1 }, "x" }] end)
    for _, index in ipairs { { ":", 1 }, { nil, 1 } } do
      message("{} selects all of an axis, and {first, last} a part", function() return a[index] end)
      message("{} selects all of an axis, and {first, last} a part", function() a[index] = 0 end)
    end
    message("an index must be a", function() return a[{ x = ints { 1 } }] end)
    message("the selection has the shape (2, 4) and cannot be assigned an array of shape (3,)",
      function() a[ints { 1, 2 }] = g.to_gpu({ 1, 2, 3 }, "int32") end)
    message("the selection has the shape (7,) and cannot be assigned an array of shape (6,)",
      function() a[a:gt(5)] = g.to_gpu({ 1, 2, 3, 4, 5, 6 }, "int32") end)
    message("expected an array or a number, got a string", function() a[ints { 1 }] = "x" end)
    message("out of the range of int32", function() a[ints { 1 }] = 2 ^ 40 end)
    message("out of the range of int32", function() a[a:gt(1)] = 2 ^ 40 end)
    same(counting(12), { 3, 4 }, a)
  end)

  it("in a capture is not to be found out", function()
    local s, p = cuda.Stream(), ints { 1, 2 }
    local b = array({ 4 }, counting(4))
    b:take(p, { mode = "clip" })
    local text
    s:capture(function()
      local ok, err = pcall(function() return b[p] end)
      text = not ok and err.message
      b:take(p, { mode = "clip" })
    end)
    assert.truthy(tostring(text):find("capture", 1, true), text)
  end)
end)

-- ---- functions ------------------------------------------------------------------------------------------------------

describe("gpuarray.take", function()
  it("and gpuarray.Array:take take from the whole array in C order", function()
    local a = scattered(array({ 2, 3, 2 }, counting(12)))
    same({ 12, 1, 7, 6 }, { 2, 2 }, g.take(a, { { 12, 1 }, { -6, 6 } }))
    same({ 5 }, {}, a:take(5))
    same({}, { 0 }, a:take {})
    same({}, { 2, 0, 2 }, a:take({}, { axis = 2 }))
    same({ 5, 6, 11, 12 }, { 2, 2 }, a:take(-1, { axis = 2 }))
  end)

  it("has modes for positions that are not there", function()
    local a = array({ 4 }, { 10, 20, 30, 40 })
    for _, dtype in ipairs { "int64", "int8" } do
      local p = ints({ 0, 1, 4, 5, 9, -1, -4, -5 }, dtype)
      same({ 40, 10, 40, 10, 10, 40, 10, 40 }, { 8 }, a:take(p, { mode = "wrap" }))
      same({ 10, 10, 40, 40, 40, 10, 10, 10 }, { 8 }, a:take(p, { mode = "clip" }))
    end
    local big = g.to_gpu(ndarray.array({ 0xfffffffffffffffeULL, 6 }, "uint64"))
    same({ 20, 20 }, { 2 }, a:take(big, { mode = "wrap" })) -- 2^64 - 2 is 4 k + 2
    same({ 40, 40 }, { 2 }, a:take(big, { mode = "clip" }))
    a:put({ 6, -9 }, { 2, 4 }, { mode = "wrap" })
    same({ 10, 2, 30, 4 }, { 4 }, a)
    a:put({ 6, -9 }, { 6, 9 }, { mode = "clip" })
    same({ 9, 2, 30, 6 }, { 4 }, a)
    gpu.raises("LogicError", "mode must be 'raise', 'wrap' or 'clip'", a.take, a, 1, { mode = "round" })
    gpu.raises("LogicError", "has no elements", g.take, g.empty(0), 1, { mode = "clip" })
  end)

  it("writes to out, which an error leaves as it is", function()
    local a, out = array({ 4 }, { 10, 20, 30, 40 }), array({ 2 }, { 1, 2 })
    gpu.raises("LogicError", "indices has 7", a.take, a, { 1, 7 }, { out = out })
    same({ 1, 2 }, { 2 }, out)
    assert.equal(out, a:take({ 2, 4 }, { out = out }))
    same({ 20, 40 }, { 2 }, out)
    a:take({ 4, 3, 2, 1 }, { out = a })
    same({ 40, 30, 20, 10 }, { 4 }, a)
    gpu.raises("LogicError", "shape", a.take, a, { 1 }, { out = out })
  end)

  it("refuses what is no array, positions or options", function()
    local a = array({ 4 }, counting(4))
    gpu.raises("LogicError", "a must be a gpuarray", g.take, 5, 1)
    gpu.raises("LogicError", "copy it to the device", g.take, ndarray.array { 1 }, 1)
    gpu.raises("LogicError", "indices must be an array, a list or a number", g.take, a, "x")
    gpu.raises("LogicError", "not an integer", g.take, a, { 1.5 })
    gpu.raises("LogicError", "compress() and a[mask] take a mask", g.take, a, bools { true })
    gpu.raises("LogicError", "axis 2", g.take, a, 1, { axis = 2 })
    gpu.raises("LogicError", "unknown option", g.take, a, 1, { ax = 1 })
  end)
end)

describe("gpuarray.put", function()
  it("and gpuarray.Array:put write to the whole array in C order, values repeated", function()
    local a = scattered(array({ 2, 3 }, counting(6)))
    assert.equal(a, g.put(a, { { 6, 1 }, { 2, -2 } }, { -1, -2 }))
    same({ -2, -1, 3, 4, -2, -1 }, { 2, 3 }, a)
    a:put({ 3, 3, 3 }, { 7, 8, 9, 10 })
    a:put(4, 0):put({}, 5):put({}, {})
    same({ -2, -1, 9, 0, -2, -1 }, { 2, 3 }, a)
    gpu.raises("LogicError", "got no values for 1 places", a.put, a, 1, {})
    gpu.raises("LogicError", "indices has 7 at [2]", a.put, a, { 1, 7 }, 0)
    same({ -2, -1, 9, 0, -2, -1 }, { 2, 3 }, a)
  end)
end)

describe("masks:", function()
  -- Against a loop, on more than one block and with more than one chunk of block counts.
  for _, n in ipairs { 0, 1, 31, 33, 8192, 8193, 50000 } do
    it(("gpuarray.nonzero and gpuarray.flatnonzero find what is true among %d"):format(n), function()
      for _, share in ipairs { 0, 0.03, 1 } do
        local list, expected, h = {}, {}, ndarray.zeros(n, "bool")
        for i = 1, n do
          list[i] = random() < share
          if list[i] then
            expected[#expected + 1] = i
            h[i] = true
          end
        end
        local m = g.to_gpu(h)
        same(expected, { #expected }, g.nonzero(m))
        same(expected, { #expected }, g.flatnonzero(m))
        assert.equal(#expected, m[m].size)
      end
    end)
  end

  it("a mask of 9 million elements is found in all its blocks", function()
    local n = 1024 * 8192 + 12345 -- more tiles than one round of the sums of their counts
    local m = g.empty(n, "bool"):fill(false)
    local expected = { 1, 8192, 8193, 4194304, 8388608, 8388609, n }
    m[ints(expected)] = true
    same(expected, { 7 }, g.nonzero(m))
  end)

  it("gpuarray.Array:nonzero gives positions on each axis, of any type of elements", function()
    for _, dtype in ipairs(names) do
      local list = dtype == "bool" and { false, true, true, false, false, true } or { 0, 3, 1, 0, 0, 2 }
      local rows, columns = scattered(array({ 2, 3 }, list, dtype)):nonzero()
      same({ 1, 1, 2 }, { 3 }, rows, dtype)
      same({ 2, 3, 3 }, { 3 }, columns, dtype)
    end
    local a, b, c = g.nonzero(g.empty({ 2, 0, 3 }, "int8"))
    same({}, { 0 }, a)
    same({}, { 0 }, b)
    same({}, { 0 }, c)
    local nan = g.nonzero(g.to_gpu({ 0 / 0, -0.0, 1e-45 }, "float32"))
    same({ 1, 3 }, { 2 }, nan)
    gpu.raises("LogicError", "0-d", g.nonzero, g.to_gpu(1))
  end)

  it("gpuarray.argwhere gives positions, element by element", function()
    local a = array({ 2, 2, 3 }, { 1, 0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0 })
    same({ 1, 1, 1, 1, 2, 3, 2, 1, 1 }, { 3, 3 }, g.argwhere(a))
    same({}, { 0, 2 }, g.argwhere(g.empty({ 3, 2 }, "int8"):fill(0)))
    same({}, { 1, 0 }, g.argwhere(g.to_gpu(5)))
  end)

  it("gpuarray.where chooses, and with one array is nonzero; so does gpuarray.Array:where", function()
    local c = bools { { true, false }, { false, true } }
    same({ 1, 20, 10, 2 }, { 2, 2 }, g.where(c, numbers { 1, 2 }, numbers { 10, 20 }))
    same({ 1, 0, 0, 1 }, { 2, 2 }, g.where(c, 1, 0))
    local rows, columns = g.where(c)
    same({ 1, 2 }, { 2 }, rows)
    same({ 1, 2 }, { 2 }, columns)
    same({ 1, 0, 0, 1 }, { 2, 2 }, c:where(1, 0))
    same({ 1, 2 }, { 2 }, (select(2, c:where())))
    local out = numbers { { 9, 9 }, { 9, 9 } }
    assert.equal(out, g.where(c, 3, 4, { out = out }))
    same({ 3, 4, 4, 3 }, { 2, 2 }, out)
    gpu.raises("LogicError", "where", g.where, c, 1)
    gpu.raises("LogicError", "cannot be broadcast", g.where, c, numbers { 1, 2, 3 }, 0)
  end)

  it("gpuarray.compress and gpuarray.Array:compress keep the parts where a condition is true", function()
    local a = scattered(array({ 3, 4 }, counting(12)))
    same({ 1, 2, 3, 4, 9, 10, 11, 12 }, { 2, 4 }, g.compress({ true, false, true }, a, { axis = 1 }))
    same({ 2, 6, 10 }, { 3, 1 }, a:compress({ false, true }, { axis = -1 })) -- shorter than the axis
    same({ 1, 3, 12 }, { 3 }, a:compress(bools { true, false, true, false, false, false, false, false, false, false,
      false, true }))
    same({ 1 }, { 1 }, a:compress { 1, 0 })
    gpu.raises("LogicError", "condition has 4 at [1]; axis 1 of the shape (3, 4) has 3 elements", g.compress,
      { false, false, false, true }, a, { axis = 1 })
    gpu.raises("LogicError", "one axis", g.compress, { { true } }, a)
  end)

  it("take elements of any size, dense or not, as their positions do", function()
    local n = 20000
    local triple = require("cudalua.dtype").struct { { "a", "int32" }, { "b", "float32", 2 } }
    for _, dtype in ipairs { "bool", "int8", "float16", "float32", "int64", "complex128", triple } do
      local source = g.arange(n, "uint32") * 40503
      local a = dtype == triple and g.concatenate { source, source + 1, source + 2 }:view(triple)
        or dtype == "bool" and (source % 3):eq(1) or source:astype(dtype)
      for _, share in ipairs { 0.01, 0.5, 0.99 } do
        local m = (g.arange(n, "uint32") * 2654435761 % 1000):lt(share * 1000)
        local found, label = g.nonzero(m), tostring(dtype)
        local words = dtype == triple and "uint32" or dtype == "complex128" and "uint64" or nil
        local function check(x, y)
          if words then x, y = x:view(words), y:view(words) end
          assert.is_true(x:eq(y):all():item(), label)
        end
        check(a[m], a:take(found))
        check(g.extract(m, a), a:take(found))
        check(a[{ { -1, 1, -1 } }][m], a[{ { -1, 1, -1 } }]:take(found))
        check(a:compress(m[{ { 1, 9000 } }]), a:take(g.nonzero(m[{ { 1, 9000 } }])))
      end
    end
    same({ 1, 5, 6 }, { 3 }, array({ 2, 3 }, counting(6))[bools { { true, false, false }, { false, true, true } }])
    same({ 5 }, { 1 }, g.to_gpu(5)[g.to_gpu(true)])
    same({}, { 0 }, g.empty({ 0, 2 })[g.empty({ 0, 2 }, "bool")])
  end)

  it("gpuarray.extract takes the elements in C order", function()
    local a = array({ 2, 3 }, counting(6)).T
    same({ 4, 2, 6 }, { 3 }, g.extract((a % 2):eq(0), a))
    gpu.raises("LogicError", "the mask has the shape (2,), but the array has (3, 2)", g.extract, { true, false }, a)
  end)

  it("gpuarray.place writes values one after the other", function()
    local a = scattered(array({ 2, 3 }, counting(6)))
    assert.equal(a, g.place(a, a:gt(2), { 10, 20, 30 }))
    same({ 1, 2, 10, 20, 30, 10 }, { 2, 3 }, a)
    g.place(a, a:lt(0), {})
    g.place(a, a:eq(10), 5)
    same({ 1, 2, 5, 20, 30, 5 }, { 2, 3 }, a)
    gpu.raises("LogicError", "got no values for 6 places", g.place, a, a:gt(0), {})
  end)

  it("gpuarray.putmask writes the values at their own places", function()
    local a = scattered(array({ 2, 3 }, counting(6)))
    assert.equal(a, g.putmask(a, a:gt(2), { 10, 20 }))
    same({ 1, 2, 10, 20, 10, 20 }, { 2, 3 }, a)
    g.putmask(a, a:gt(10), a * 2)
    g.putmask(a, a:lt(2), 0)
    same({ 0, 2, 10, 40, 10, 40 }, { 2, 3 }, a)
  end)
end)

describe("gpuarray.select and gpuarray.choose", function()
  it("gpuarray.select takes the choice of the first condition that holds", function()
    local a = numbers { 1, 2, 3, 4, 5 }
    local r = g.select({ a:lt(2), a:lt(4) }, { a * 10, -a }, 99)
    same({ 10, -2, -3, 99, 99 }, { 5 }, r)
    assert.equal("int32", r.dtype.name)
    same({ 1.5, 2, 0, 0, 0 }, { 5 }, g.select({ a:eq(1), a:eq(2) }, { 1.5, 2 }))
    assert.equal("int64", g.select({ a:eq(1) }, { 3 }).dtype.name)
    gpu.raises("LogicError", "1 conditions but 2 choices", g.select, { a:eq(1) }, { 1, 2 })
    gpu.raises("LogicError", "conditions[1] is an array of int32, not bool", g.select, { a }, { 1 })
    gpu.raises("LogicError", "no conditions", g.select, {}, {})
    gpu.raises("LogicError", "choices[1] must be a gpuarray or a number", g.select, { a:eq(1) }, { "x" })
  end)

  it("gpuarray.choose and gpuarray.Array:choose take the choice of that number", function()
    local p = numbers { { 1, 2, 3 }, { -1, -2, -3 } }
    same({ 10, 2, 70, 70, 2, 10 }, { 2, 3 }, g.choose(p, { 10, numbers { 1, 2, 3 }, 70 }))
    for _, dtype in ipairs { "int8", "uint8", "uint64", "int64" } do
      local q = numbers({ 0, 1, 4, 5 }, dtype)
      same({ 30, 10, 10, 20 }, { 4 }, q:choose({ 10, 20, 30 }, { mode = "wrap" }), dtype)
      same({ 10, 10, 30, 30 }, { 4 }, q:choose({ 10, 20, 30 }, { mode = "clip" }), dtype)
    end
    gpu.raises("LogicError", "numbers has 4 at [2]; the list of choices has 3 elements", g.choose, numbers { 1, 4 },
      { 1, 2, 3 })
    gpu.raises("LogicError", "no choices", g.choose, p, {})
    gpu.raises("LogicError", "gpuarray.choose: the shapes", g.choose, p, { 1, numbers { 1, 2 }, 3 })
  end)
end)

describe("lines along an axis:", function()
  for round = 1, 8 do
    it("gpuarray.take_along_axis and gpuarray.put_along_axis, random " .. round, function()
      local shape = random_shape(1, 3)
      local axis = random(#shape)
      local own = { unpack(shape) }
      own[axis] = random(0, 4)
      local list = values_of("int16", size_of(shape))
      local positions = random_positions(own, shape[axis], "int32")
      local a, p = scattered(array(shape, list, "int16")), scattered(array(own, positions, "int32"))
      local expected, values, i = {}, values_of("int16", size_of(own)), 0
      local after = { unpack(list) }
      each(own, function(c)
        local there = { unpack(c) }
        there[axis] = from_start(at(own, positions, c), shape[axis])
        i = i + 1
        local value, k = at(shape, list, there)
        expected[i], after[k] = value, values[i]
      end)
      same(expected, own, g.take_along_axis(a, p, axis))
      assert.equal(a, g.put_along_axis(a, p, array(own, values, "int16"), axis - #shape - 1))
      same(after, shape, a)
    end)
  end

  it("gpuarray.take_along_axis broadcasts the other axes", function()
    local a = array({ 2, 3 }, counting(6))
    same({ 3, 1, 6, 4 }, { 2, 2 }, g.take_along_axis(a, { { 3, 1 } }))
    same({ 1, 2, 3 }, { 3, 1 }, g.take_along_axis(array({ 1, 3 }, counting(3)), { { 1 }, { 2 }, { 3 } }, 2))
    gpu.raises("LogicError", "indices has 1 axes, the array 2", g.take_along_axis, a, { 1 }, 1)
    gpu.raises("LogicError", "must match except along axis 2", g.take_along_axis, a, { { 1 }, { 1 }, { 1 } }, 2)
  end)

  it("gpuarray.put_along_axis writes numbers", function()
    local a = array({ 2, 3 }, counting(6))
    g.put_along_axis(a, { { 2 }, { 3 } }, 0, 2)
    same({ 1, 0, 3, 4, 5, 0 }, { 2, 3 }, a)
  end)
end)

describe("several arrays:", function()
  local a, b
  before_each(function() a, b = array({ 5 }, counting(5)), g.to_gpu({ 0.5, 1.5, 2.5, 3.5, 4.5 }, "float32") end)

  it("gpuarray.multi_take takes the same elements of each", function()
    local r = g.multi_take({ a, b }, { 5, 1 })
    same({ 5, 1 }, { 2 }, r[1])
    same({ 4.5, 0.5 }, { 2 }, r[2])
    local out = { numbers { 0, 0 }, g.to_gpu({ 0, 0 }, "float32") }
    g.multi_take({ a, b }, { 2, 2 }, { out = out })
    same({ 2, 2 }, { 2 }, out[1])
    same({ 1.5, 1.5 }, { 2 }, out[2])
    gpu.raises("LogicError", "indices has 6", g.multi_take, { a, b }, { 6 })
    gpu.raises("LogicError", "out[1] is an array of float32", g.multi_take, { a }, { 1 }, { out = { b } })
  end)

  it("gpuarray.multi_put writes to the same places of each", function()
    local r = g.multi_put({ a, b }, { 7, 6, 2, 1, 7 }, { dest_shape = 8 })
    same({ 4, 3, 0, 0, 0, 2, 5, 0 }, { 8 }, r[1])
    same({ 3.5, 2.5, 0, 0, 0, 1.5, 4.5, 0 }, { 8 }, r[2])
    assert.equal("float32", r[2].dtype.name)
    local out = { array({ 8 }, counting(8)) }
    gpu.raises("LogicError", "dest_indices has 9", g.multi_put, { a }, { 9, 1, 1, 1, 1 }, { out = out })
    same(counting(8), { 8 }, out[1])
    gpu.raises("LogicError", "has 5 elements for 2 positions", g.multi_put, { a }, { 1, 2 }, { out = out })
    gpu.raises("LogicError", "pass dest_shape", g.multi_put, { a }, { 1, 2, 3, 4, 5 })
  end)

  it("gpuarray.multi_take_put takes any number of arrays", function()
    local arrays, offsets, x = {}, {}, g.arange(333)
    for k = 1, 332 do arrays[k], offsets[k] = x, k - 1 end
    local r = g.multi_take_put(arrays, { 2, 1 }, { 1, 2 }, { dest_shape = 3, src_offsets = offsets })
    assert.equal(332, #r)
    same({ 332, 331, 0 }, { 3 }, r[332])
  end)

  it("gpuarray.multi_take_put does both, with offsets", function()
    local r = g.multi_take_put({ a, b }, { 3, 1 }, { 1, 2 }, { dest_shape = 3, src_offsets = { 0, 3 } })
    same({ 2, 0, 1 }, { 3 }, r[1])
    same({ 4.5, 0, 3.5 }, { 3 }, r[2])
    gpu.raises("LogicError", "src_indices has 6", g.multi_take_put, { a }, { 1, 2 }, { 6, 1 }, { dest_shape = 3 })
    gpu.raises("LogicError", "2 src_offsets", g.multi_take_put, { a }, { 1 }, { 1 },
      { dest_shape = 3, src_offsets = { 1, 2 } })
  end)
end)

describe("gpuarray.searchsorted", function()
  it("and gpuarray.Array:searchsorted find where values go", function()
    for _, dtype in ipairs(names) do
      if dtype ~= "bool" and not dtype:find "complex" then
        local list, values = {}, {}
        for i = 1, 37 do list[i] = random(1, 50) end
        for i = 1, 60 do values[i] = random(0, 51) end
        table.sort(list)
        local a = scattered(array({ 37 }, list, dtype))
        for _, side in ipairs { "left", "right" } do
          local expected = {}
          for i, v in ipairs(values) do
            local p = 1
            while p <= 37 and (list[p] < v or side == "right" and list[p] == v) do p = p + 1 end
            expected[i] = p
          end
          local r = g.searchsorted(a, array({ 60 }, values, dtype), { side = side })
          same(expected, { 60 }, r, dtype .. " " .. side)
          assert.equal("int64", r.dtype.name)
        end
      end
    end
  end)

  it("sorts NaN to the end, and takes numbers and no elements", function()
    local nan = 0 / 0
    local a = g.to_gpu({ 1, 2, nan, nan }, "float64")
    same({ 3, 2, 3 }, { 3 }, g.searchsorted(a, { nan, 2, 1 / 0 }))
    same({ 5 }, { 1 }, g.searchsorted(a, { nan }, { side = "right" }))
    same({ 2 }, {}, a:searchsorted(1.5))
    same({ 1, 1 }, { 2 }, g.searchsorted(g.empty(0), { 1, 2 }))
    same({}, { 0 }, g.searchsorted(a, {}))
    same({ 2 }, {}, numbers({ 1, 2 }):searchsorted(1.5))
    -- What neither type holds by itself is compared all the same.
    local exact = g.to_gpu({ 0.1, 0.2, 0.3 }, "float64")
    same({ 1, 2, 3 }, { 3 }, g.searchsorted(exact, { 0.1, 0.2, 0.3 }))
    same({ 1 }, {}, g.searchsorted(exact, 0.1))
    local whole = g.to_gpu({ 2 ^ 24, 2 ^ 24 + 1, 2 ^ 24 + 2 }, "int32")
    same({ 2, 3, 1, 4, 2 }, { 5 }, g.searchsorted(whole, { 2 ^ 24 + 1, 2 ^ 24 + 1.5, -2 ^ 40, 2 ^ 40, 2 ^ 24 + 0.5 }))
    same({ 2 }, {}, g.searchsorted(whole, 2 ^ 24 + 0.5))
    same({ 1, 3 }, { 2 }, g.searchsorted(whole, g.to_gpu { 2 ^ 24, 2 ^ 24 + 2 }))
    same({ 11 }, {}, g.searchsorted(g.arange(10, "uint8"), 300))
    same({ 1 }, {}, g.searchsorted(g.arange(10, "uint8"), -1))
    local far = g.to_gpu({ 2 ^ 40 + 2, 2 ^ 40 + 5 }, "int64")
    same({ 3, 6 }, { 2 }, g.searchsorted(g.arange(10, "uint64") + 2 ^ 40, far))
    same({ 2, 11 }, { 2 }, g.searchsorted(g.arange(100, "int16") + 2040, g.to_gpu({ 2041, 2050 }, "float16")))
    gpu.raises("LogicError", "complex numbers have no order", g.searchsorted, g.to_gpu({ 1 }, "complex64"), 1)
    gpu.raises("LogicError", "complex numbers have no order", g.searchsorted, a, g.to_gpu({ 1 }, "complex64"))
    gpu.raises("LogicError", "one axis", g.searchsorted, g.to_gpu { { 1 } }, 1)
    gpu.raises("LogicError", "side must be", g.searchsorted, a, 1, { side = "both" })
  end)
end)

describe("index kernels", function()
  it("run on the current stream, and in order with others", function()
    local a, p = array({ 1000 }, counting(1000)), {}
    for i = 1, 1000 do p[i] = 1001 - i end
    local positions = ints(p)
    local s, t = cuda.Stream(), cuda.Stream()
    local b = s:use(function() return a[positions] end)
    local c = t:use(function()
      b[positions] = a * 2
      return b[ints { 1, 1000 }]
    end)
    same({ 2000, 2 }, { 2 }, c)
  end)

  it("run in the context of the arrays", function()
    local a, p = array({ 4 }, counting(4)), ints { 4, 1 }
    local m = a:gt(1)
    m:eval()
    local other = cuda.Device(0):make_context()
    finally(function()
      cuda.Context.pop()
      other:detach()
    end)
    local b = a[p]
    a[p] = b * 10
    a[m] = -1
    same({ 4, 1 }, { 2 }, b)
    same({ 10, -1, -1, -1 }, { 4 }, a)
    same({ 2, 3, 4 }, { 3 }, g.nonzero(m))
    local q = ints { 1 }
    gpu.error_of("LogicError", function() return a[q] end)
  end)

  it("are recorded by captures where positions need not be checked", function()
    local a, p, v = array({ 4 }, counting(4)), ints { 2, 2, 9 }, array({ 3 }, { 10, 20, 30 })
    local b
    local s = cuda.Stream()
    a:take(p, { mode = "clip" })
    a:copy():put(p, v, { mode = "clip" }) -- compiles
    local graph = s:capture(function()
      b = a:take(p, { mode = "clip" })
      a:put(p, v, { mode = "clip" })
    end)
    local exec = graph:instantiate()
    v:set(v + 1)
    cuda.collect()
    for _ = 1, 2 do
      exec:launch(s)
      s:synchronize()
    end
    same({ 1, 21, 3, 31 }, { 4 }, a)
    same({ 21, 21, 31 }, { 3 }, b)
  end)

  it("are undisturbed by a finalizer that uses them", function()
    local a, p, bad = array({ 6 }, counting(6)), ints { 3, 1 }, ints { 9 }
    local seen = 0
    for round = 1, 30 do
      do
        local trap = newproxy(true)
        getmetatable(trap).__gc = function()
          pcall(function() return a[bad] end)
          seen = seen + a[p].size + a[a:gt(2)].size
        end
      end
      collectgarbage "step"
      local ok = pcall(function() return a[round % 2 == 0 and bad or p] end)
      assert.equal(round % 2 == 1, ok)
      a[p] = { round, -round }
      same({ -round, 2, round, 4, 5, 6 }, { 6 }, a)
    end
    collectgarbage()
    assert.is_true(seen > 0)
  end)

  it("leave no memory behind", function()
    local a, p = array({ 100 }, counting(100)), ints { 1, 5, 5, 9 }
    local function work()
      for _ = 1, 50 do
        a[p] = a[p] + 1
        a[a:gt(50)] = a[a:gt(50)]
        pcall(function() return a[p + 97] end)
      end
    end
    work()
    cuda.collect()
    local before = cuda.mem_stats()
    work()
    cuda.collect()
    local after = cuda.mem_stats()
    assert.equal(before.pooled.bytes, after.pooled.bytes)
    assert.equal(before.live, after.live)
  end)
end)
