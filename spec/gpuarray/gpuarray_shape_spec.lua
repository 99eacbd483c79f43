-- Other shapes for the elements of arrays, arrays from several and parts of arrays: what NumPy gives (written by
-- spec/data/golden/make_gpuarray.py), from arrays that lie in several ways; what is a view shows the same memory.
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local ndarray = require "cudalua.ndarray"

local function same(expected, a) return assert.same(expected, a:tolist()) end

-- The elements in C order.
local function flat(a)
  local values = {}
  local host = ndarray.array(a:get { array = true }):reshape(-1)
  for i = 1, host.size do values[i] = host[i] end
  return values
end

-- Arrays whose elements count up from 0, lying in different ways.
local ways = {
  function(shape) return gpuarray.arange(gpuarray.empty(shape).size, "int32"):reshape(shape) end,
  function(shape) -- the first axis is dense
    local x = gpuarray.empty(shape, "int32", { order = "F" })
    return x:set(gpuarray.arange(x.size, "int32"):reshape(shape))
  end,
  function(shape) -- with gaps, backwards
    local wide, index = {}, {}
    for k, n in ipairs(shape) do
      wide[k] = 2 * n + 1
      index[k] = n > 0 and { 2 * n, 2, -2 } or { 1, 0 }
    end
    local x = gpuarray.full(wide, -1, "int32")
    x = #shape > 0 and x[index] or x
    return x:set(gpuarray.arange(x.size, "int32"):reshape(shape))
  end,
}

local function check(row, a)
  local shape, values, strides = row[1], row[2], row[3]
  assert.same(shape, a.shape)
  local own = flat(a)
  if type(values) == "number" then
    local sum = 0
    for i, v in ipairs(own) do sum = (sum + i * ((v == true and 1 or v or 0) + 1)) % 1000003 end
    assert.equal(values, sum)
  else
    assert.same(values, own)
  end
  return strides
end

describe("Shapes, as NumPy has them:", function()
  setup(gpu.context)

  -- Names of the calls, for titles: a:flip(1) is gpuarray.Array:flip.
  local groups, order = {}, {}
  for i, row in ipairs(dofile "spec/data/golden/shapes.lua") do
    local call = row[2]
    local name = call:match "^a[:%.]([%w_]+)"
    name = name and "gpuarray.Array:" .. name or "gpuarray." .. call:match "^g%.([%w_]+)"
    if not groups[name] then
      groups[name] = {}
      order[#order + 1] = name
    end
    table.insert(groups[name], { row = row, number = i })
  end

  for _, name in ipairs(order) do
    local form = name:match ":(.*)$"
    if form and rawget(gpuarray, form) then name = name .. " and gpuarray." .. form else form = nil end
    it(name, function()
      for _, case in ipairs(groups[name:match "^%S+"]) do
        local row = case.row
        local call = row[2]
        local arguments = form and case.number % 3 == 0 and call:match "^a:[%w_]+%((.*)%)$"
        if arguments then call = ("g.%s(a%s)"):format(form, #arguments > 0 and ", " .. arguments or "") end
        local run = assert(loadstring("local a, g = ... return " .. call))
        local by_memory = row[2]:find "'[AK]'" -- what it gives follows from how the array lies
        for _, way in ipairs { 1, not by_memory and case.number % 2 + 2 or nil } do
          local a = ways[way](row[1])
          local ok, problem = pcall(function()
            if row[3] == false then
              gpu.error_of("LogicError", run, a, gpuarray)
              return
            end
            local results = { run(a, gpuarray) }
            if not gpuarray.is_array(results[1]) then results = results[1] end
            assert.equal(#row - 2, #results)
            for k, result in ipairs(results) do
              local strides = check(row[k + 2], result)
              if way == 1 and result.size > 0 then
                assert.equal(strides ~= nil, a._store == result._store)
                for axis, step in ipairs(result.strides) do
                  if strides and result.shape[axis] > 1 then assert.equal(strides[axis], step) end
                end
              end
            end
          end)
          if not problem and not ok then problem = "failed" end
          if not ok then
            error(("%s of shape %s, way %d: %s"):format(call, table.concat(row[1], "x"), way, tostring(problem)), 0)
          end
        end
      end
    end)
  end
end)

describe("Views and copies:", function()
  setup(gpu.context)

  it("gpuarray.Array:reshape and its like see later writes, gpuarray.Array:flatten does not", function()
    local a = gpuarray.arange(6)
    local m, f, d = a:reshape(2, -1), a:flip(), a:flatten()
    a[1] = 100
    assert.equal(100, m[{ 1, 1 }]:item())
    assert.equal(100, f[6])
    assert.equal(0, d[1])
    m:fill(7)
    same({ 7, 7, 7, 7, 7, 7 }, a)
    same({ 7, 7, 7, 7, 7, 7 }, f)
  end)

  it("gpuarray.Array:reverse, gpuarray.reverse: a copy, last element first", function()
    local a = gpuarray.arange(5)
    local r = a:reverse()
    a:fill(9)
    same({ 4, 3, 2, 1, 0 }, r)
    same({ { 3, 2 }, { 1, 0 } }, gpuarray.arange(4):reshape(2, 2):reverse())
    same({ 3, 2, 1 }, gpuarray.reverse { 1, 2, 3 })
  end)

  it("gpuarray.Array:broadcast_to shows elements again and cannot be written to", function()
    local a = gpuarray.arange(3)
    local b = a:broadcast_to(2, 3)
    assert.same({ 0, 8 }, b.strides)
    for _, write in ipairs { function() b:fill(1) end, function() b:set { 1, 2, 3 } end, function() b:iadd(1) end,
      function() b:set(gpuarray.arange(3)) end, function() (gpuarray.broadcast_arrays(a, b)):fill(1) end } do
      gpu.raises("LogicError", "repeated elements and cannot be written", write)
    end
    gpu.raises("LogicError", "int64(2, 3) is a view with repeated elements", b.fill, b, 1)
    gpu.raises("LogicError", "repeated elements and cannot be written", b.iadd, b, 1)
    gpu.raises("LogicError", "the shape (3,) cannot be broadcast to (2,)", a.broadcast_to, a, 2)
    same({ 0, 1, 2 }, a)
    same({ { 1, 2, 3 }, { 1, 2, 3 } }, b + 1)
  end)

  it("gpuarray.Array:view sees the same bytes as another type", function()
    local a = gpuarray.to_gpu({ { 1, 2 }, { 3, 4 } }, "float32")
    same({ { 0x3f800000, 0x40000000 }, { 0x40400000, 0x40800000 } }, a:view "int32")
    local bytes = a:view "uint8"
    assert.same({ 2, 8 }, bytes.shape)
    assert.same({ 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40 }, bytes:tolist()[1])
    bytes:fill(0)
    same({ { 0, 0 }, { 0, 0 } }, a)
    assert.same({ 2, 1 }, a:view("complex64").shape)
    assert.equal(dtype.float32, a:view().dtype)
    assert.same({ 2, 2 }, a.T:view("int32").shape)
    gpu.raises("LogicError", "the last axis of float32(2, 2) has gaps", a.T.view, a.T, "int16")
    gpu.raises("LogicError", "has 12 bytes, not a multiple of the size of float64", function()
      return gpuarray.empty({ 4, 3 }):view "float64"
    end)
    gpu.raises("LogicError", "0-d array", function() return gpuarray.scalar(1):view "uint8" end)
    gpu.raises("LogicError", "got -1; a:reshape(shape) changes the shape", a.view, a, -1)
    gpu.raises("LogicError", "it takes dtype; a:reshape(shape) changes the shape", a.view, a, 2, 2)
    gpu.raises("LogicError", "are not aligned to the 8 bytes of float64", function()
      return gpuarray.empty(5)[{ { 2, 5 } }]:view "float64"
    end)
    gpu.raises("LogicError", "are not aligned to the 8 bytes of float64", function()
      return gpuarray.empty({ 3, 5 })[{ {}, { 1, 2 } }]:view "float64"
    end)
    assert.same({ 2 }, gpuarray.empty(5)[{ { 3, 4 } }]:view("uint32").shape)
    assert.same({ 0 }, gpuarray.empty(0):view("float64").shape)
  end)

  it("gpuarray.Array:item reads one element by its position", function()
    local a = gpuarray.arange(6):reshape(2, 3)
    assert.equal(5, a:item(2, 3))
    assert.equal(5, a:item(-1, -1))
    assert.equal(3, a:item(4))
    assert.equal(3, a.T:item(2))
    assert.equal(1, gpuarray.scalar(1, "int8"):item(1))
    gpu.raises("LogicError", "index 4 of axis 2 is out of range; the axis has 3 elements", a.item, a, 1, 4)
    gpu.raises("LogicError", "index 7 of axis 1 is out of range; the axis has 6 elements", a.item, a, 7)
    gpu.raises("LogicError", "3 indices for an array of 2 axes", a.item, a, 1, 1, 1)
    gpu.raises("LogicError", "has 6 elements, not one", a.item, a)
  end)

  it("gpuarray.Array:copy, gpuarray.copy in order C, F, A or K", function()
    local a = gpuarray.arange(24):reshape(2, 3, 4):transpose(3, 1, 2)
    assert.same({ 8, 96, 32 }, a.strides)
    assert.same({ 8, 96, 32 }, a:copy().strides)
    assert.same({ 48, 24, 8 }, a:copy("C").strides)
    local f = gpuarray.zeros({ 2, 3 }, "float32", { order = "F" })
    assert.same({ 4, 8 }, f:copy().strides)
    assert.same({ 4, 8 }, f.T.T:copy().strides)
    assert.same({ 8, 4 }, f[{ {}, { 3, 1, -2 } }].T:copy().strides) -- no gaps, nothing backwards
    assert.same({ 12, 4 }, gpuarray.copy(f, "C").strides)
    local point = dtype.struct { { "x", "float32" } }
    assert.same({ 4, 8 }, gpuarray.zeros({ 2, 3 }, point, { order = "F" }):astype(point).strides)
    assert.same({ 8, 32, 64 }, a:copy("F").strides)
    assert.same({ 8, 96, 32 }, a:copy("K").strides)
    assert.same({ 48, 24, 8 }, a:copy("A").strides)
    assert.same({ 8, 16 }, gpuarray.empty({ 2, 3 }, "int64", { order = "F" }):copy("A").strides)
    for _, order in ipairs { "C", "F", "A", "K" } do same(a:tolist(), a:copy(order)) end
    same({ 3, 2, 1 }, gpuarray.to_gpu({ 1, 2, 3 }):flip():copy "K")
    same({ { 1, 2 } }, gpuarray.copy { { 1, 2 } })
    gpu.raises("LogicError", "order must be", a.copy, a, "X")
  end)

  it("gpuarray.Array:astype is a copy, unless that is not wanted and not needed", function()
    local a = gpuarray.arange(3)
    local b, c = a:astype "int64", a:astype("int64", { copy = false })
    assert.equal(a, c)
    a:fill(5)
    same({ 0, 1, 2 }, b)
    assert.equal(dtype.int8, a:astype("int8", { copy = false }).dtype)
    gpu.raises("LogicError", "unknown option", a.astype, a, "int8", { copied = true })
  end)

  it("gpuarray.Array:copy, gpuarray.concatenate, gpuarray.Array:tile and others move structs", function()
    for _, fields in ipairs { { { "x", "float32" }, { "n", "int8" } }, { { "c", "int8", 3 } }, { { "v", "float64", 5 },
      { "n", "int16" } }, { { "a", "int16" }, { "b", "int16" } } } do
      local t = dtype.struct(fields)
      local bytes = ndarray.from_function(6 * t.itemsize, function(i) return i * 7 % 251 end, "uint8")
      local host = ndarray.from_buffer(bytes, { 2, 3 }, t)
      local a = gpuarray.to_gpu(host)
      local function holds(expected, x)
        assert.same(expected.shape, x.shape)
        local p, n = expected:copy():buffer()
        local q = x:get():copy():buffer()
        assert.equal(ffi.string(p, n), ffi.string(q, n))
      end
      holds(host, a:copy "F")
      holds(host:flip(), a:flip():copy())
      holds(host.T, a.T:copy())
      holds(host:slice({}, { 3, 1, -2 }), a[{ {}, { 3, 1, -2 } }])
      holds(host:slice(2), a[2])
      holds(host:reshape(1, 6), gpuarray.concatenate({ a:reshape(6)[{ { 1, 2 } }], a:reshape(6)[{ { 3, 6 } }] })
        :reshape(1, 6))
      holds(host:slice({ 2, 1, -1 }, {}), a:roll(1, 1))
      holds(host, a:tile(2, 1)[{ { 3, 4 } }])
      holds(host, a:pad(1)[{ { 2, 3 }, { 2, 4 } }])
      holds(ndarray.zeros(5, t), a:pad(1)[1])
      holds(host, a:astype(t))
      local b = gpuarray.zeros({ 2, 3 }, t)
      b.T:set(a.T)
      holds(host, b)
      b:fill(host:get(2, 2))
      holds(host:slice({ 2 }, { 2 }):broadcast_to(2, 3), b)
      assert.equal(ffi.sizeof(t.ctype), ffi.sizeof(a:item(2, 1)))
      gpu.raises("LogicError", "cannot be converted to float32", a.astype, a, "float32")
      gpu.raises("LogicError", "add: not defined for", function() return a + a end)
      gpu.raises("LogicError", "expected a", a.fill, a, 1)
    end
  end)

  it("wrong arguments name the operation, and leave the array as it was", function()
    local a = gpuarray.arange(6):reshape(2, 3)
    local cases = {
      { "gpuarray:reshape: cannot reshape 6 elements to the shape (4,)", a.reshape, 4 },
      { "gpuarray:squeeze: axis 1 of the shape (2, 3) has 2 elements", a.squeeze, 1 },
      { "gpuarray:transpose: the array has 2 axes, got 1", a.transpose, 1 },
      { "gpuarray:swapaxes: axis 3: the array has 2 axes", a.swapaxes, 1, 3 },
      { "gpuarray:moveaxis: 2 axes to move, but 1", a.moveaxis, { 1, 2 }, 1 },
      { "gpuarray:flip: axis 0: the array has 2 axes", a.flip, 0 },
      { "gpuarray:rot90: a plane has two axes, got 1", a.rot90, 1, 1 },
      { "gpuarray:rot90: axis 1 appears twice", a.rot90, 1, { 1, 1 } },
      { "gpuarray:diagonal: axis 1 appears twice", a.diagonal, 0, 1, -2 },
      { "gpuarray:split: axis 1 has 2 elements, which cannot be split into 4", a.split, 4 },
      { "gpuarray:split: ends must ascend from 0", a.split, { 3 } },
      { "gpuarray:split: ends must ascend from 0", a.split, { 2, 1 }, 2 },
      { "gpuarray:split: the number of parts must be a positive integer, got 0", a.split, 0 },
      { "gpuarray:tile: repetitions[1] must be a non-negative integer, got -1", a.tile, -1 },
      { "gpuarray:repeat_: got 1 counts for the 2 elements of axis 1", a.repeat_, { 1 }, 1 },
      { "gpuarray:repeat_: times[2] must be a non-negative integer, got -1", a.repeat_, { 1, -1 }, 1 },
      { "gpuarray:roll: 2 shifts for 3 axes", a.roll, { 1, 2 }, { 1, 2, 1 } },
      { "gpuarray:pad: width must be a number or {before, after}", a.pad, { 1, 2, 3 } },
      { "gpuarray:pad: 3 widths for 2 axes", a.pad, { { 1 }, { 1 }, { 1 } } },
      { "gpuarray:pad: mode must be", a.pad, 1, "mirror" },
      { "gpuarray:pad: 1.5 is not an integer", a.pad, 1, "constant", { constant_values = 1.5 } },
      { "gpuarray:pad: constant_values needs mode = 'constant'", a.pad, 1, "edge", { constant_values = 1 } },
      { "gpuarray:ravel: order must be", a.ravel, "Z" },
    }
    for _, case in ipairs(cases) do gpu.raises("LogicError", case[1], case[2], a, unpack(case, 3)) end
    same({ { 0, 1, 2 }, { 3, 4, 5 } }, a)
    gpu.raises("LogicError", "axis 1 has no elements to make a border from", function()
      return gpuarray.empty { 0 }:pad(1, "edge")
    end)
    gpu.raises("LogicError", "expected a gpuarray (call the method with a colon)", a.flip, 1)
    for name, method in pairs { tile = a.tile, reshape = a.reshape, broadcast_to = a.broadcast_to } do
      gpu.raises("LogicError", "gpuarray:" .. name, method, a, 2 ^ 52, 2 ^ 52)
    end
  end)
end)

describe("Arrays together:", function()
  setup(gpu.context)

  it("gpuarray.concatenate, gpuarray.stack promote types and compute parts where they go", function()
    local i, f = gpuarray.to_gpu({ 1, 2 }, "int8"), gpuarray.to_gpu { 0.5 }
    local x = gpuarray.concatenate { i, f }
    same({ 1, 2, 0.5 }, x)
    assert.equal(dtype.float32, x.dtype)
    assert.equal(dtype.int16, gpuarray.stack({ i, i:astype "uint8" }).dtype)
    assert.equal(dtype.float64, gpuarray.concatenate({ i, f }, 1, { dtype = "float64" }).dtype)
    local a = gpuarray.arange(4, "float32")
    local y
    assert.equal(0, gpu.kernels(function() y = gpuarray.concatenate { a + 1, a * 2 - 1 } end))
    assert.equal(1, gpu.kernels(function() y:eval() end))
    same({ 1, 2, 3, 4, -1, 1, 3, 5 }, y)
    -- A pending part that comes again is computed at most twice.
    local p = a + 1
    same({ { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4 } }, gpuarray.stack { p, p, p })
    same({ 1, 2, 3, 4 }, p)
    same({ { 1, 2 }, { 3, 4 } }, gpuarray.stack { { 1, 2 }, { 3, 4 } })
  end)

  it("gpuarray.concatenate, gpuarray.stack take many small arrays in few kernels", function()
    for _, t in ipairs { "bool", "int16", "float32", "int64", "complex128" } do
      local list, hosts = {}, {}
      for i = 1, 50 do
        local host = ndarray.from_function({ 3, i % 4, 2 }, function(a, b, c) return (a * 7 + b * i + c) % 2 == 1 end)
          :astype(t)
        hosts[i], list[i] = host, gpuarray.to_gpu(host)
      end
      list[20], list[21] = list[20]:copy "F", list[21]:flip():copy():flip()
      local x
      assert.is_true(gpu.kernels(function() x = gpuarray.concatenate(list, 2) end) <= 7)
      local at = 0
      for i = 1, 50 do
        local n = hosts[i].shape[2]
        if n > 0 then assert.is_true(ndarray.equal(hosts[i], x[{ {}, { at + 1, at + n } }]:get())) end
        at = at + n
      end
      assert.equal(at, x.shape[2])
    end
    local numbers = {}
    for i = 1, 40 do numbers[i] = gpuarray.arange(i, i + 5, "float32") end
    numbers[17] = numbers[17] + 0 -- pending
    for axis = 1, 2 do
      local x = gpuarray.stack(numbers, axis)
      if axis == 2 then x = x.T end
      for i = 1, 40 do assert.same({ i, i + 1, i + 2, i + 3, i + 4 }, x[i]:tolist()) end
    end
    -- Parts of other arrays, one over the limit among them.
    local big = gpuarray.arange(2 ^ 17):astype "uint16"
    local y = gpuarray.concatenate { big[{ { 2, 4 } }], big[{ { 11, 11 } }], big, big[{ { 5, 6 } }], big[{ { 1, 3 } }],
      big[{ { 9, 9 } }] }
    assert.same({ 1, 2, 3, 10, 0 }, y[{ { 1, 5 } }]:tolist())
    assert.same({ 65535, 4, 5, 0, 1, 2, 8 }, y[{ { -7, -1 } }]:tolist())
    assert.equal(2 ^ 17 + 10, y.size)
  end)

  it("gpuarray.concatenate into an array that is there, even one of the parts", function()
    local a = gpuarray.arange(4)
    local x, y = a[{ { 1, 2 } }], a[{ { 3, 4 } }]
    local pending = a + 0
    assert.equal(a, gpuarray.concatenate({ y, x }, 1, { out = a }))
    same({ 2, 3, 0, 1 }, a)
    same({ 0, 1, 2, 3 }, pending)
    local m = gpuarray.zeros({ 2, 4 })
    gpuarray.stack({ a, a }, 1, { out = m })
    same({ { 2, 3, 0, 1 }, { 2, 3, 0, 1 } }, m)
    gpu.raises("LogicError", "the result has the shape (8,), but the output array has (2, 4)",
      gpuarray.concatenate, { a, a }, 1, { out = m })
  end)

  it("gpuarray.concatenate, gpuarray.stack, gpuarray.hstack, gpuarray.vstack, gpuarray.dstack refuse what does not fit",
    function()
      local a, b = gpuarray.empty { 2, 3 }, gpuarray.empty({ 2, 4 }, "int8")
      gpu.raises("LogicError", "arrays 1 and 2, float32(2, 3) and int8(2, 4), cannot be joined along axis 1",
        gpuarray.concatenate, { a, b })
      gpu.raises("LogicError", "float32(3,), cannot be joined", gpuarray.concatenate, { a, gpuarray.empty(3) })
      gpu.raises("LogicError", "0-d arrays cannot be concatenated", gpuarray.concatenate, { 1, 2 })
      gpu.raises("LogicError", "have different shapes", gpuarray.stack, { a, b })
      gpu.raises("LogicError", "axis 4", gpuarray.stack, { a, a }, 4)
      gpu.raises("LogicError", "gpuarray.vstack: arrays 1 and 2", gpuarray.vstack, { a, b })
      gpu.raises("LogicError", "gpuarray.dstack: arrays 1 and 2", gpuarray.dstack, { a, b })
      gpu.raises("LogicError", "gpuarray.hstack: arrays 1 and 2", gpuarray.hstack, { a, gpuarray.empty { 3, 4 } })
      for _, name in ipairs { "concatenate", "stack", "hstack", "vstack", "dstack" } do
        gpu.raises("LogicError", "at least one array", gpuarray[name], {})
        gpu.raises("LogicError", "expected a list of arrays", gpuarray[name], a)
        gpu.refuses_nonsense(gpuarray[name], { table = true })
      end
    end)

  it("gpuarray.Array:split, gpuarray.Array:array_split, gpuarray.Array:roll take more numbers than an array has axes",
    function()
      local a, ends, shifts = gpuarray.arange(1000), {}, {}
      for i = 1, 99 do ends[i], shifts[i] = 10 * i, 1 end
      for _, parts in ipairs { a:split(ends), a:array_split(ends), a:split(100) } do
        assert.equal(100, #parts)
        assert.equal(650, parts[66][1])
        same({ 990, 991, 992, 993, 994, 995, 996, 997, 998, 999 }, parts[100])
      end
      assert.equal(901, a:roll(shifts, 1)[1])
      gpu.raises("LogicError", "shape has 99 entries; an array has at most 64 axes", gpuarray.zeros, ends)
    end)

  it("gpuarray.Array:split, gpuarray.Array:array_split give views", function()
    local a = gpuarray.arange(5)
    local parts = a:split { 2, 2 }
    assert.same({ { 2 }, { 0 }, { 3 } }, { parts[1].shape, parts[2].shape, parts[3].shape })
    parts[3]:fill(9)
    same({ 0, 1, 9, 9, 9 }, a)
    assert.equal(4, #a:array_split(4))
  end)
end)
