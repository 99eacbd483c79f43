-- Cumulative sums and their kin: every dtype, layout and kernel against a reference in plain Lua
-- (spec/support/scans.lua), to the bit.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local sample = require "spec.support.arrays"
local batch = require "spec.support.batch"
local dtype = require "cudalua.dtype"
local turn = require "spec.support.turn"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local plan = require "cudalua.gpuarray.core.plan"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local scan_code = require "cudalua.gpuarray.reduce.scan_code"
local scan_run = require "cudalua.gpuarray.reduce.scan_run"
local scans = require "spec.support.scans"
local text = require("spec.support.reductions").text
local cuda = gpu.cuda

local soft = gpu.soft and require "cudalua.softgpu"

-- All rows of scans.lua. One that has no reference fails here.
local NAMES, REDUCTIONS = {}, {}
for i, row in ipairs(require "cudalua.gpuarray.reduce.scans") do
  NAMES[i], REDUCTIONS[row[1]] = row[1], row[2]
  assert(scans.steps[row[1]], row[1] .. " has no reference in spec/support/scans.lua")
end

-- On a GPU, and with CUDALUA_ALL, all dtypes; elsewhere one of each size of accumulator.
local DTYPES = dtype.list
if soft and not os.getenv "CUDALUA_ALL" then
  DTYPES = turn.share { dtype.int8, dtype.float16, dtype.complex64 }
end

local bytes, flat, kernels, texts = sample.bytes, sample.flat, gpu.kernels, sample.texts

local function random_array(shape, t, plain) return sample.random(shape, t, not plain and 400 or nil) end

local function defined(name, t) return t.kind ~= "complex" or not name:find "m[ai][xn]$" end

-- What a scan along an axis (nil: of all elements) gives, in C order.
local function expected(name, list, shape, axis, t, sizes)
  local convert, combine, finish = scans.steps[name](t)
  local kind = reductions.kind(reductions[REDUCTIONS[name]], t)
  local run, rows = scan_code.sizes(kind.result.itemsize, kind.acc.itemsize)
  if sizes then run, rows = sizes[1], sizes[2] end
  local n, inner = #list, 1
  if axis then
    n = shape[axis]
    for k = axis + 1, #shape do inner = inner * shape[k] end
  end
  local out = {}
  for line = 0, #list / n - 1 do
    local first = math.floor(line / inner) * inner * n + line % inner
    local values = {}
    for i = 1, n do values[i] = convert(list[first + (i - 1) * inner + 1]) end
    for i, x in ipairs(scans.inclusive(values, combine, run, 8 * rows)) do
      out[first + (i - 1) * inner + 1] = finish(x)
    end
  end
  return out
end

-- How many elements differ; numbers as such where that tells all about them.
local function differences(want, got)
  local n = #want == #got and 0 or 1
  for i = 1, #want do
    local x, y = want[i], got[i]
    local alike = type(x) == "number" and x == y and x ~= 0
    if not alike and text(x) ~= text(y) then n = n + 1 end
  end
  return n
end

local function check(a, axis, names, label)
  local list, shape, t = flat(a), a.shape, a.dtype
  for _, name in ipairs(names) do
    if defined(name, t) then
      local got = a[name](a, axis)
      assert.same(axis and shape or { a.size }, got.shape)
      local what = ("%s %s %s %s"):format(label or "", name, t.name, tostring(axis))
      assert.equal(0, differences(expected(name, list, shape, axis, t), flat(got)), what)
    end
  end
end

-- A scan as if a run had so many elements and a warp so many rows: tiles are small, and there are many levels of them.
local function with_sizes(run, rows, f)
  local usual = knob(scan_code, "sizes", function() return run, rows end)
  local ok, err = pcall(f)
  usual()
  if not ok then error(err, 0) end
end

-- With kernels of its own, which are made for these sizes.
local function sums_along(x, axis)
  local kind = {}
  for key, value in pairs(reductions.kind(reductions.sum, dtype "float32")) do kind[key] = value end
  return scan_run.compute { kind = kind, x = x, axis = axis }
end

describe("Scans of", function()
  setup(gpu.context)
  teardown(function()
    if soft then soft.schedule { threads = "auto", order = "forward" } end
  end)

  it("every dtype, all elements and along either axis: gpuarray.Array:" .. table.concat(NAMES, " "), function()
    local arrays = {}
    for _, t in ipairs(DTYPES) do arrays[#arrays + 1] = random_array({ 9, 37 }, t) end
    local checking = false
    local function all()
      for _, a in ipairs(arrays) do
        for _, axis in ipairs { 0, 1, 2 } do
          axis = axis > 0 and axis or nil
          if checking then
            check(a, axis, NAMES)
          else
            for _, name in ipairs(NAMES) do
              if defined(name, a.dtype) then a[name](a, axis) end
            end
          end
        end
      end
      checking = true
    end
    assert.is_true(batch.run(all) > (turn.partial and 3 or 20))
  end)

  it("few and many elements, around every border, to the last bit", function()
    -- Runs of 8, rows of 256, tiles of 8192, groups of 262144.
    for _, n in ipairs { 1, 2, 7, 8, 9, 255, 256, 257, 2047, 4097, 8191, 8192, 8193, 24577, 262144, 262145,
      300001 } do
      check(random_array({ n }, "float32", true), nil, { "cumsum" }, "of " .. n)
    end
    for _, t in ipairs { "float64", "complex128", "float16" } do
      for _, n in ipairs { 63, 64, 65, 1025, 2049, 8191, 33000 } do
        check(random_array({ n }, t, true), nil, { "cumsum" }, "of " .. n)
      end
    end
  end)

  it("groups of groups of tiles", function()
    local n = 2 * 32 * 32 * 256 + 4711
    local a = random_array({ n }, "float32", true)
    local list = flat(a)
    with_sizes(1, 1, function()
      local got = flat(sums_along(a, 1))
      assert.equal(0, differences(expected("cumsum", list, { n }, 1, dtype.float32, { 1, 1 }), got))
    end)
  end)

  -- Each of these takes another way: short lines, warps for lines, blocks for tiles; in F order, lines side by side.
  local SHAPES = { { 1, 1 }, { 5, 1 }, { 1, 5 }, { 300, 3 }, { 3, 300 }, { 33, 128 }, { 129, 31 }, { 1030, 132 },
    { 70, 260 }, { 3, 9000 }, { 9000, 3 }, { 4200, 17 }, { 300, 150 } }
  for _, order in ipairs { "C", "F" } do
    it(("lines of many lengths, %s order, to the last bit"):format(order), function()
      for _, shape in ipairs(SHAPES) do
        local a = random_array(shape, "float32", true):copy(order)
        if order == "F" and shape[1] > 1 and shape[2] > 1 then assert.equal(4, a.strides[1]) end
        check(a, 1, { "cumsum" }, ("%dx%d"):format(shape[1], shape[2]))
        check(a, 2, { "cumsum" }, ("%dx%d"):format(shape[1], shape[2]))
        if a.size < 20000 then check(a, nil, { "cumsum" }, ("%dx%d"):format(shape[1], shape[2])) end
      end
    end)
  end

  it("many lines side by side, of several groups of tiles", function()
    local rows, columns = gpu.sanitized and 17000 or 40000, 130
    local x = ((gpuarray.arange(rows * columns) * 7919) % 1009):reshape(rows, columns):astype "float32" / 1024 - 0.4
    x:eval()
    with_sizes(1, 1, function() -- tiles of 256
      for _, whole in ipairs { false, true } do -- a block for each tile, and for whole lines
        local usual = knob(scan_run, "ENOUGH", whole and 1 or scan_run.ENOUGH)
        local ok, down = pcall(sums_along, x, 1)
        usual()
        if not ok then error(down, 0) end
        local line = flat(x[{ {}, 77 }])
        assert.equal(0, differences(expected("cumsum", line, { rows }, 1, dtype.float32, { 1, 1 }),
          flat(down[{ {}, 77 }])))
        local across = sums_along(x.T:copy "C", 2) -- the same lines, as tiles
        assert.is_true(down:eq(across.T):all():item())
      end
    end)
    for _, t in ipairs { "float16", "float64", "complex128" } do
      local y = x[{ {}, { 1, 3 } }]:astype(t):eval()
      assert.is_true(y:cumsum(1):eq(y.T:copy("C"):cumsum(2).T):all():item(), t)
    end
  end)

  it("the same numbers have the same bits wherever they begin, in lines of every length", function()
    local shapes = { { 20001 }, { 7, 9001 }, { 1100, 301 }, { 40, 77 }, { 900, 3 } }
    for t, list in pairs { float32 = shapes, int8 = { { 9001 } }, float16 = { { 9001 } } } do
      for _, shape in ipairs(list) do
        local a = random_array(shape, t, true)
        local room = gpuarray.zeros(a.size + 3, t)
        for first = 2, 4, 2 do
          local view = room[{ { first, first + a.size - 1 } }]:reshape(unpack(shape))
          view:set(a)
          for axis = 1, #shape do
            local want = bytes(a:cumsum(axis))
            assert.is_true(bytes(view:cumsum(axis)) == want, ("%s %d from %d"):format(t, shape[1], first))
            -- To a place that is not aligned, too.
            local out = gpuarray.zeros(a.size + 3, a:cumsum(axis).dtype)[{ { first, first + a.size - 1 } }]
              :reshape(unpack(shape))
            view:cumsum { axis = axis, out = out }
            assert.is_true(bytes(out) == want)
          end
        end
      end
    end
  end)

  it("views: strided, reversed, transposed, broadcast, not aligned, of several axes", function()
    local a = random_array({ 6, 10, 14 }, "float32", true)
    local b = random_array({ 10, 1 }, "float32", true)
    local views = {
      a, a.T, a[{ { 2, 6, 2 }, {}, { 3, 14, 3 } }], a[{ { -1, 1, -1 }, { -1, 1, -1 }, { -1, 1, -1 } }],
      a[{ {}, 4 }], a[{ {}, gpuarray.newaxis, { 2, 2 } }], a:copy "F", b:broadcast_to { 4, 10, 5 },
      a:transpose { 2, 3, 1 }, a[{ {}, {}, { 13, 2, -4 } }].T, a:reshape(-1)[{ { 2, 800 } }],
    }
    for i, v in ipairs(views) do
      check(v, nil, { "cumsum" }, "view " .. i)
      for axis = 1, v.ndim do check(v, axis, { "cumsum" }, "view " .. i) end
    end
    for _, t in ipairs { "int8", "complex64", "float16", "bool" } do
      local c = random_array({ 6, 10, 4 }, t)[{ { 6, 1, -2 }, {}, { 2, 4 } }].T
      check(c, 2, { "cumsum" }, "view")
      check(c, nil, { "cumsum" }, "view")
    end
  end)

  it("expressions are one kernel, and give the same as their value", function()
    local a, b = random_array({ 50, 60 }, "float32", true), random_array({ 60 }, "float32", true)
    local value = (a * b + 1):exp():eval()
    for _, axis in ipairs { 0, 1, 2 } do
      axis = axis > 0 and axis or nil
      assert.same(texts(value:cumsum(axis)), texts((a * b + 1):exp():cumsum(axis)))
    end
    if soft then
      assert.equal(1, kernels(function() (a * b - 2):cumsum():eval() end))
      assert.equal(1, kernels(function() gpuarray.cummax(b):eval() end))
      local x = a * b -- a second scan computes it again, a third one has it stored, and a fourth one finds it so
      assert.equal(1, kernels(function() x:cumsum():eval() end))
      assert.equal(1, kernels(function() x:cummin():eval() end))
      assert.equal(2, kernels(function() x:cumsum(1):eval() end))
      assert.equal(1, kernels(function() x:cummax(1):eval() end))
    end
    local eight = gpuarray.to_gpu({ 100, 100, 100 }, "int8")
    assert.same({ -56, -112, -168 }, (eight + eight):cumsum():astype "float64":tolist())
    assert.same({ 0.5, 3 }, ((gpuarray.to_gpu { 1, 2 } + gpuarray.to_gpu { 1, 2 }) - 1.5):cumsum():tolist())
  end)

  it("elements that are counted in 64 bits", function()
    finally(knob(plan, "LIMIT", 1)) -- as if there were 2^31 elements
    local a = random_array({ 6, 700, 5 }, "float32", true)
    for _, v in ipairs { a, a.T, a[{ { 2, 6, 2 }, { 700, 1, -3 } }], random_array({ 3, 7000 }, "float32", true) } do
      for axis = 1, v.ndim do check(v, axis, { "cumsum" }, "wide") end
      check(v, nil, { "cumsum" }, "wide")
    end
  end)

  it("more than 2^31 elements", function()
    if soft then return pending "takes 20 GiB of device memory" end
    local n = 2 ^ 31 + 5003
    local a = gpuarray.ones(n, "int8")
    local y = a:cumsum()
    assert.equal(n, y:item(n))
    assert.equal(4097, y:item(4097))
    local steps_of = y[{ { 2, -1 } }] - y[{ { 1, -2 } }]
    assert.equal(1, steps_of:min():item())
    assert.equal(1, steps_of:max():item())
    y:release()
    a:release()
  end)

  it("the same numbers give the same bits each time, in every order of blocks, with any number of threads", function()
    local cases = {}
    for _, shape in ipairs { { 150000 }, { 5, 9000 }, { 1100, 140 }, { 5000, 20 } } do
      for axis = 1, #shape do
        local a = random_array(shape, "float32", true)
        cases[#cases + 1] = { a, axis, bytes(a:cumsum(axis)) }
      end
    end
    local function again()
      for _, c in ipairs(cases) do assert.is_true(bytes(c[1]:cumsum(c[2])) == c[3]) end
    end
    for _ = 1, soft and 1 or 100 do again() end
    if not soft then return end
    -- Small tiles: groups of groups of them wait for each other, too.
    local line, sides = random_array({ 270000 }, "float32", true), random_array({ 70000, 3 }, "float32", true)
    local function small()
      local out
      with_sizes(1, 1, function()
        out = bytes(sums_along(line, 1)) ..
          bytes(sums_along(sides, 1))
      end)
      return out
    end
    local want = small()
    soft.schedule { threads = 1, order = "random:3", gang = 256 }
    assert.is_true(small() == want)
    for _, way in ipairs { { threads = 2, order = "random:1", gang = 64 },
      { threads = 4, order = "reverse", gang = 32 }, { threads = 1, order = "reverse", gang = 256 },
      { threads = 3, order = "random:2", gang = 1024 } } do
      soft.schedule(way)
      again()
    end
  end)
end)

describe("Scans", function()
  setup(gpu.context)

  for _, name in ipairs(NAMES) do
    it(("gpuarray.%s is gpuarray.Array:%s"):format(name, name), function()
      local a = random_array({ 4, 6 }, "float32", true)
      assert.same(texts(a[name](a, 2)), texts(gpuarray[name](a, { axis = -1 })))
      assert.same({ 24 }, a[name](a).shape)
      local out = gpuarray.zeros({ 4, 6 }, "float64")
      assert.equal(out, a[name](a, { axis = 1, out = out }))
      assert.same(texts(a[name](a, 1)), texts(out))
      gpu.raises("LogicError", "gpuarray." .. name .. ": expected a gpuarray", gpuarray[name])
      gpu.raises("LogicError", "gpuarray:" .. name .. ": expected a gpuarray", a[name], 5)
    end)
  end

  it("give what NumPy does", function()
    local checked = 0
    for name, examples in pairs(scans.examples) do
      for _, example in ipairs(examples) do
        local got = gpuarray[name](gpuarray.to_gpu(example[1], "float64"), example[2])
        assert.same(example[3], got:tolist(), name)
        checked = checked + 1
      end
    end
    assert.is_true(checked >= 3)
  end)

  it("do not race", function()
    if not soft then return pending "the check is the software device's" end
    local list = { random_array({ 50000 }, "float64", true), random_array({ 300, 5 }, "float32", true),
      random_array({ 2000, 40 }, "float32", true), random_array({ 1100, 140 }, "float16", true) }
    soft.check "races,barriers,shuffles,uninitialised"
    local ok, err = pcall(function()
      for _, a in ipairs(list) do
        a:cumsum():get()
        a:cumsum(1):get()
        a:cumsum(a.ndim):get()
      end
    end)
    soft.check "off"
    assert.is_true(ok, tostring(err))
  end)

  it("take axes as NumPy does, counted from 1", function()
    local a = gpuarray.to_gpu(ndarray.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "int32"))
    assert.same({ { 1, 2, 3 }, { 5, 7, 9 } }, gpuarray.cumsum(a, 1):tolist())
    assert.same({ { 1, 3, 6 }, { 4, 9, 15 } }, gpuarray.cumsum(a, { axis = -1 }):tolist())
    assert.same({ 1, 3, 6, 10, 15, 21 }, gpuarray.cumsum(a):tolist())
    assert.same({ 1, 2, 6, 24, 120, 720 }, gpuarray.cumprod(a, {}):tolist())
    assert.same({ { 1, 2, 3 }, { 1, 2, 3 } }, gpuarray.cummin(a, 1):tolist())
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, gpuarray.cummax(a, 1):tolist())
    assert.same({ 5 }, gpuarray.scalar(5, "int32"):cumsum():tolist())
    gpu.raises("LogicError", "axis 3: the array has 2 axes", a.cumsum, a, 3)
    gpu.raises("LogicError", "axis 0: the array has 2 axes, counted from 1", a.cumsum, a, 0)
    gpu.raises("LogicError", "gpuarray:cumsum: an axis must be an integer, got a table", a.cumsum, a, { 1 })
    gpu.raises("LogicError", "unknown option", a.cumsum, a, { keepdims = true })
    gpu.raises("LogicError", "unknown option 'dtype'", a.cummax, a, { dtype = "int8" })
    gpu.raises("LogicError", "gpuarray.cumsum: expected a gpuarray, got 5", gpuarray.cumsum, 5)
    gpu.raises("LogicError", "host memory", gpuarray.cummin, ndarray.ones(3))
    gpu.error_of("LogicError", gpuarray.cumsum, a, { axis = {} })
    gpu.error_of("LogicError", gpuarray.cumsum, a, 1.5)
    gpu.error_of("LogicError", gpuarray.cumsum, nil)
  end)

  it("have NumPy's dtypes, or the one that they are asked for", function()
    local a = gpuarray.to_gpu({ 100, 100, 100 }, "int8")
    for from, to in pairs { bool = "int64", int8 = "int64", uint16 = "uint64", int32 = "int64", uint64 = "uint64",
      float16 = "float16", bfloat16 = "bfloat16", float32 = "float32", float64 = "float64", complex64 = "complex64" } do
      local x = gpuarray.ones(3, from)
      assert.equal(to, x:cumsum().dtype.name)
      assert.equal(to, x:cumprod().dtype.name)
      if from ~= "complex64" then assert.equal(from, x:cummax().dtype.name) end
    end
    assert.same({ 100, -56, 44 }, a:cumsum({ dtype = "int8" }):tolist())
    assert.same({ 100, 200, 300 }, a:cumsum({ dtype = "float16" }):tolist())
    assert.same({ 100, 10000, 1000000 }, a:cumprod({ dtype = "float32" }):tolist())
    -- float16 is added up as float32, and each sum rounded once.
    local half = gpuarray.ones(4000, "float16"):cumsum()
    assert.same({ 2048, 2048, 2050, 2052 }, half[{ { 2048, 2051 } }]:tolist())
    assert.equal(4000, half:item(4000))
    gpu.raises("LogicError", "not defined for complex64", gpuarray.cummax, gpuarray.ones(3, "complex64"))
    gpu.raises("LogicError", "not defined for int8 as bool", a.cumsum, a, { dtype = "bool" })
  end)

  it("have NaN from the first one on, and keep what comes before", function()
    local nan, inf = 0 / 0, 1 / 0
    local a = gpuarray.to_gpu { 1, 3, nan, 5, inf }
    local function shown(x) return table.concat(texts(x), " ") end
    assert.equal("1 3 nan nan nan", shown(a:cummax()))
    assert.equal("1 1 nan nan nan", shown(a:cummin()))
    assert.equal("1 4 nan nan nan", shown(a:cumsum()))
    assert.equal("-0 0 0 2", shown(gpuarray.to_gpu({ -0.0, 0.0, -0.0, 2 }):cummax()))
    assert.equal("-0 -0 0", shown(gpuarray.to_gpu({ -0.0, -0.0, 0.0 }):cumsum()))
  end)

  it("of nothing are nothing", function()
    assert.same({ 0 }, gpuarray.zeros(0):cumsum().shape)
    assert.same({ 0 }, gpuarray.zeros { 3, 0 }:cumsum().shape)
    assert.same({ 3, 0 }, gpuarray.zeros { 3, 0 }:cumsum(1).shape)
    assert.same({ 3, 0 }, gpuarray.zeros { 3, 0 }:cummax(2).shape)
    assert.equal("int64", gpuarray.zeros(0, "int8"):cumsum().dtype.name)
  end)

  it("write to an array that is there", function()
    local a = gpuarray.to_gpu { { 1, 2 }, { 3, 4 } }
    local out = gpuarray.zeros { 2, 4 }
    local part = out[{ {}, { 1, 4, 2 } }]
    assert.equal(part, a:cumsum { axis = 1, out = part })
    assert.same({ { 1, 0, 2, 0 }, { 4, 0, 6, 0 } }, out:tolist())
    local later = a * 10
    a:cumsum { axis = 2, out = a }
    assert.same({ { 1, 3 }, { 3, 7 } }, a:tolist())
    assert.same({ { 10, 20 }, { 30, 40 } }, later:tolist())
    if soft then -- in one kernel, in place too; what overlaps goes through memory of its own
      local line = gpuarray.ones(9001)
      assert.equal(1, kernels(function() line:cumsum { out = line } end))
      assert.equal(9001, line[9001])
      local gapped = gpuarray.to_gpu({ 1, 0 / 0, 3, 4, 0 / 0, 6 }, "float32")
      assert.equal(1, kernels(function() gapped:nancumsum { out = gapped } end))
      assert.same({ 1, 1, 4, 8, 8, 14 }, gapped:tolist())
      local before = gapped * 2 -- which has to be computed first
      assert.equal(2, kernels(function() gapped:nancumsum { out = gapped } end))
      assert.same({ 2, 2, 8, 16, 16, 28 }, before:tolist())
      assert.same({ 1, 2, 6, 14, 22, 36 }, gapped:tolist())
      local turned = gpuarray.to_gpu({ 1, 0 / 0, 3 }, "float32")
      turned:flip():nancumsum { out = turned }
      assert.same({ 3, 3, 4 }, turned:tolist())
      local from, into = line[{ { 1, 9000 } }], line[{ { 2, 9001 } }]
      local sums = bytes(from:cumsum())
      assert.equal(2, kernels(function() from:cumsum { out = into } end))
      assert.equal(sums, bytes(into))
      local gaps = gpuarray.zeros(6)
      gpuarray.ones { 3, 1 }:cumsum { out = gaps[{ { 1, 6, 2 } }] }
      assert.same({ 1, 0, 2, 0, 3, 0 }, gaps:tolist())
      local readers = (a * 2)
      assert.equal(a, (a + 1):cumsum { axis = 1, out = a })
      assert.same({ { 2, 6 }, { 6, 14 } }, readers:tolist())
      assert.same({ { 2, 4 }, { 6, 12 } }, a:tolist())
    end
    gpu.raises("LogicError", "shape", a.cumsum, a, { out = a })
    gpu.raises("LogicError", "repeated", a.cumsum, a, { axis = 1, out = gpuarray.zeros(2):broadcast_to { 2, 2 } })
    gpu.raises("LogicError", "stored in int32", a.cumsum, a, { axis = 1, out = gpuarray.zeros({ 2, 2 }, "int32") })
  end)

  it("run in the current stream, and in graphs as often as these are launched", function()
    local a = random_array({ 20000 }, "float32", true)
    local want = bytes(a:cumsum())
    local s = cuda.Stream()
    local got
    s:use(function()
      for _ = 1, 3 do got = a:cumsum() end
    end)
    s:synchronize()
    assert.is_true(bytes(got) == want)
    local out = gpuarray.zeros(20000)
    local graph = s:capture(function() gpuarray.cumsum(a, { out = out }) end)
    local exec = graph:instantiate()
    for _ = 1, 3 do
      out:fill(0)
      cuda.Context.synchronize()
      exec:launch(s)
      s:synchronize()
      assert.is_true(bytes(out) == want)
    end
    assert.is_true(bytes(a:cumsum()) == want)
  end)

  it("of an array of another context run in that one; of a released array, an error", function()
    local here = random_array({ 20000 }, "float32", true)
    local want = bytes(here:cumsum())
    local other = cuda.Device(0):make_context()
    local there
    local ok, err = pcall(function() there = gpuarray.to_gpu(here:get()) end)
    cuda.Context.pop()
    assert.is_true(ok, tostring(err))
    assert.is_true(bytes(there:cumsum()) == want)
    assert.is_true(bytes((there * 1):cumsum()) == want)
    there, ok, err = nil, nil, nil -- luacheck: ignore 311
    cuda.collect()
    other:detach()
    here:release()
    gpu.error_of("LogicError", here.cumsum, here)
  end)

  it("leave nothing behind but the memory that streams keep", function()
    local a = random_array({ 50000 }, "float32", true)
    for _ = 1, 3 do a:cumsum():eval():release() end
    if not soft then return end
    cuda.collect()
    local before = soft.stats().live_bytes
    for _ = 1, 20 do a:cumsum():eval():release() end
    cuda.collect()
    assert.equal(before, soft.stats().live_bytes)
  end)
end)
