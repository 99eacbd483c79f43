-- Sorting and what is made from it, against plain Lua: each element type, layout and kernel, to the bit.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local run = require "cudalua.gpuarray.order.sort_run"
local turn = require "spec.support.turn"
local cuda = gpu.cuda

local soft = gpu.soft and require "cudalua.softgpu"
local nan, inf = 0 / 0, 1 / 0

-- ---- references -----------------------------------------------------------------------------------------------------

local function is_nan(x) return x ~= x end

-- Numbers that compare as elements do.
local function number(x)
  if type(x) == "boolean" then return x and 1 or 0 end
  return x
end

-- Does x come before y? NaN is the greatest.
local function less(x, y)
  if is_nan(x) then return false end
  return is_nan(y) or x < y
end

-- Where the elements of a list are in order.
local function order_of(list, descending)
  local keys, at = {}, {}
  for i, x in ipairs(list) do keys[i], at[i] = number(x), i end
  table.sort(at, function(i, j)
    local x, y = keys[i], keys[j]
    if descending then x, y = y, x end
    if less(x, y) then return true end
    if less(y, x) then return false end
    return i < j
  end)
  return at
end

-- Tells -0 from 0, and 64-bit integers apart.
local function text(x)
  if x == 0 and type(x) == "number" then return 1 / x < 0 and "-0" or "0" end
  return is_nan(x) and "nan" or tostring(x)
end

local function texts(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = text(x) end
  return table.concat(out, " ")
end

local function picked(list, at)
  local out = {}
  for i, k in ipairs(at) do out[i] = list[k] end
  return out
end

local function flat(a)
  local h = a:get({ array = true }):copy()
  return h:reshape { h.size }:tolist()
end

-- The lines of an array along an axis, as lists of places in C order; in the order of the other axes.
local function lines(shape, axis)
  local inner, outer, n = 1, 1, shape[axis]
  for k = axis + 1, #shape do inner = inner * shape[k] end
  for k = 1, axis - 1 do outer = outer * shape[k] end
  local list = {}
  for o = 0, outer - 1 do
    for i = 0, inner - 1 do
      local line = {}
      for k = 0, n - 1 do line[k + 1] = (o * n + k) * inner + i + 1 end
      list[#list + 1] = line
    end
  end
  return list
end

-- sort and argsort are what the reference says, along an axis.
local function check(a, axis, label)
  local list = flat(a)
  for _, descending in ipairs { false, true } do
    local values, places = {}, {}
    for _, line in ipairs(lines(a.shape, axis)) do
      local own = picked(list, line)
      local at = order_of(own, descending)
      for k, place in ipairs(line) do
        values[place], places[place] = own[at[k]], at[k]
      end
    end
    local options = { axis = axis, descending = descending }
    local sorted, positions = a:sort(options), a:argsort(options)
    local what = ("%s %s, axis %d%s"):format(label or "", a.dtype.name, axis, descending and ", descending" or "")
    assert.equal(a.dtype, sorted.dtype)
    assert.equal("int64", positions.dtype.name)
    assert.same(a.shape, sorted.shape)
    assert.same(a.shape, positions.shape)
    assert.equal(texts(places), texts(flat(positions)), what)
    assert.equal(texts(values), texts(flat(sorted)), what)
  end
end

-- ---- inputs ---------------------------------------------------------------------------------------------------------

local REAL = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
  "float32", "float64" }

local function random_value(t)
  if t.kind == "bool" then return math.random() < 0.5 end
  if t.kind == "float" then
    local special = math.random(40)
    if special == 1 then return nan elseif special == 2 then return inf elseif special == 3 then return -inf end
    if special == 4 then return -0.0 elseif special == 5 then return 0 end
    if special == 6 then return 2 ^ -24 * math.random(-3, 3) end -- denormal in float16
    if special == 7 then return 2 ^ -149 * math.random(-3, 3) end -- in float32
    return math.random(-1000, 1000) / 8
  end
  if t.itemsize == 8 then
    local x = math.random(0, 2 ^ 31 - 1) * 4294967296ULL + math.random(0, 2 ^ 31 - 1) * 2
    if t.kind == "uint" then return x end
    return ffi.cast("int64_t", math.random() < 0.5 and x or -x)
  end
  local bits = 8 * t.itemsize
  if t.kind == "uint" then return math.random(0, 2 ^ bits - 1) end
  return math.random(-2 ^ (bits - 1), 2 ^ (bits - 1) - 1)
end

local function host(shape, t, value)
  t = dtype(t)
  local h = ndarray.empty(shape, t)
  local all = h:reshape(-1)
  for i = 1, h.size do all[i] = value and value(i) or not value and random_value(t) end
  return h
end

local function random(shape, t) return gpuarray.to_gpu(host(shape, t)) end
local function made(shape, t, value) return gpuarray.to_gpu(host(shape, t, value)) end
local function list(values, t) return gpuarray.to_gpu(values, t) end

describe("Sorting", function()
  setup(gpu.context)
  teardown(function()
    if soft then
      soft.schedule { threads = "auto", order = "forward" }
      soft.check "off"
    end
  end)

  for _, name in ipairs(REAL) do
    it("gpuarray.Array:sort and gpuarray.Array:argsort of " .. name, function()
      local short = 256 * run.sizes[dtype(name).itemsize].row_items
      for _, n in ipairs { 1, 33, 1000, short, short + 1, 9000 } do check(random({ n }, name), 1, tostring(n)) end
    end)
  end

  it("gpuarray.sort and gpuarray.argsort at the borders of tiles", function()
    local size = run.sizes[4]
    for _, items in ipairs { size.items, size.paired } do
      local tile = run.THREADS * items
      for _, n in ipairs { tile - 1, tile, tile + 1, 3 * tile + 17 } do
        check(made({ n }, "float32", function() return math.random(-50, 50) end), 1, tostring(n))
      end
    end
    for n = 0, 70 do check(made({ n }, "int16", function() return math.random(-3, 3) end), 1, tostring(n)) end
    for _, n in ipairs { 255, 256, 257, 511, 513, 2047, 2048, 2049, 4095 } do check(random({ n }, "int32"), 1) end
  end)

  it("of sorted, reversed, equal and few values, where passes have nothing to do", function()
    local n = 12000
    local inputs = {
      function(i) return i end, function(i) return n - i end, function() return 7 end, function() return -7 end,
      function(i) return i % 3 end, function(i) return i % 300 - 150 end, function(i) return (i % 200) * 2 ^ 20 end,
      function(i) return i == n and 0 or 1 end, function(i) return i % 2 * 2 ^ 30 + i % 5 end,
    }
    for k, f in ipairs(inputs) do
      for _, t in ipairs { "int32", "float64" } do check(made({ n }, t, f), 1, "input " .. k) end
      check(made({ 30, 40 }, "float32", f), 2, "input " .. k)
    end
    check(made({ n }, "float32", function(i) return i % 3 == 0 and -0.0 or i % 3 == 1 and 0 or nan end), 1)
    check(made({ n }, "float32", function() return nan end), 1)
    check(made({ n }, "uint64", function(i) return 2 ^ 40 * (i % 2) end), 1)
  end)

  it("keeps 0 and -0 as they come, and puts every NaN last", function()
    local bits = list({ 0xffc00001, 0x7f800001, 0x80000000, 0, 0x80000000, 0xff800000, 0x7f800000, 1, 0x80000001 },
      "uint32"):view "float32"
    local sorted = bits:sort()
    assert.equal("-inf " .. text(-2 ^ -149) .. " -0 0 -0 " .. text(2 ^ -149) .. " inf nan nan", texts(flat(sorted)))
    assert.equal("6 9 3 4 5 8 7 1 2", texts(flat(bits:argsort())))
    assert.equal("1 2 7 8 3 4 5 9 6", texts(flat(bits:argsort { descending = true })))
  end)

  it("along every axis of every layout", function()
    local a, b = random({ 6, 10, 14 }, "float32"), random({ 10, 1 }, "int16")
    local views = {
      a, a.T, a[{ { 2, 6, 2 }, {}, { 3, 14, 3 } }], a[{ { -1, 1, -1 }, { -1, 1, -1 }, { -1, 1, -1 } }],
      a[{ {}, 4 }], a[{ {}, gpuarray.newaxis, { 2, 2 } }], a:copy "F", b:broadcast_to { 4, 10, 5 },
      a:transpose { 2, 3, 1 }, a[{ {}, {}, { 13, 2, -4 } }].T, a * 2 - 1, (a + b):abs(),
    }
    for i, v in ipairs(views) do
      for axis = 1, v.ndim do check(v, axis, "view " .. i) end
    end
    assert.equal(texts(flat(a:sort())), texts(flat(a:sort(-1))))
    assert.equal(texts(flat(a:sort(1))), texts(flat(gpuarray.sort(a, { axis = -3 }))))
    assert.equal(texts(flat(a:argsort(2))), texts(flat(gpuarray.argsort(a, 2))))
  end)

  it("many short rows and several long ones", function()
    for _, shape in ipairs { { 300, 17 }, { 5000, 1 }, { 1, 5000 }, { 2049, 2 }, { 3, 1365 }, { 2, 2049 }, { 3, 9000 },
      { 257, 16 } } do
      check(made(shape, "float32", function() return math.random(-400, 400) / 4 end), 2, table.concat(shape, "x"))
    end
    check(made({ 9000, 3 }, "int8", function() return math.random(-100, 100) end), 1)
    check(random({ 40, 60 }, "float64"), 1)
    check(random({ 3, 2500 }, "int64"), 2)
  end)

  it("of nothing", function()
    for _, shape in ipairs { { 0 }, { 3, 0 }, { 0, 3 }, { 2, 0, 4 } } do
      local a = gpuarray.empty(shape)
      for axis = 1, #shape do
        assert.same(shape, a:sort(axis).shape)
        assert.same(shape, a:argsort(axis).shape)
      end
    end
  end)

  it("with counters and places of 64 bits, as for what is longer than 2^30 and 2^32", function()
    local a = random({ 20000 }, "float32")
    local b = random({ 2, 9000 }, "uint8")
    local short_count = knob(run, "SHORT_COUNT", 1)
    check(a, 1, "wide counters")
    local short_place = knob(run, "SHORT_PLACE", 1)
    check(a, 1, "wide places")
    check(b, 2, "wide rows")
    short_count()
    short_place()
  end)

  it("of complex numbers goes by the real, then by the imaginary part", function()
    local re = { 2, 1, 1, nan, 1, nan, 0, -0.0, 3, 1 }
    local im = { 0, 5, -5, 1, nan, nan, 1, 0, nan, 5 }
    for _, name in ipairs { "complex64", "complex128" } do
      local t = dtype(name)
      local a = made({ #re }, name, function(i) return t.ctype(re[i], im[i]) end)
      assert.equal("8 7 3 2 10 1 5 9 4 6", texts(flat(a:argsort())))
      local sorted = a:sort()
      assert.equal("-0 0 1 1 1 2 1 3 nan nan", texts(flat(sorted:real())))
      assert.equal("0 1 -5 5 5 0 nan nan 1 nan", texts(flat(sorted:imag())))
      assert.equal("6 4 9 5 1 2 10 3 7 8", texts(flat(a:argsort { descending = true })))
      local u, counts = a:unique { counts = true }
      -- With a NaN in one of the parts it is a NaN, and these are one, as in NumPy.
      assert.equal("0 0 1 1 2 1", texts(flat(u:real())):gsub("%-0", "0"))
      assert.equal("0 1 -5 5 0 nan", texts(flat(u:imag())):gsub("%-0", "0"))
      assert.equal("1 1 1 2 1 4", texts(flat(counts)))
    end
    assert.equal("", texts(flat(gpuarray.empty(0, "complex64"):argsort())))
  end)

  it("writes where it is told to, and leaves what it sorts alone", function()
    local a = list { 3, 1, 2 }
    local later = a * 10
    local b = a:sort()
    assert.equal("3 1 2", texts(flat(a)))
    assert.equal("1 2 3", texts(flat(b)))
    assert.equal(a, a:sort { out = a })
    assert.equal("1 2 3", texts(flat(a)))
    assert.equal("30 10 20", texts(flat(later)))
    local out = gpuarray.empty(3, "float64")
    assert.equal(out, gpuarray.sort(a, { out = out, descending = true }))
    assert.equal("3 2 1", texts(flat(out)))
    gpu.raises("LogicError", "shape", a.sort, a, { out = gpuarray.empty(4) })
  end)

  it("says what is wrong", function()
    local a = gpuarray.ones { 2, 3 }
    gpu.raises("LogicError", "axis 3", a.sort, a, 3)
    gpu.raises("LogicError", "0-d", gpuarray.argsort, gpuarray.full({}, 1))
    gpu.raises("LogicError", "gpuarray", gpuarray.sort, { 1, 2 })
    gpu.raises("LogicError", "host memory", gpuarray.sort, ndarray.ones(3))
    gpu.raises("LogicError", "descending must be true or false", a.argsort, a, { descending = 1 })
    gpu.raises("LogicError", "no order", gpuarray.sort, gpuarray.zeros(2, dtype.struct { { "x", "int32" } }))
    gpu.raises("LogicError", "k must be", a.topk, a, 4)
    gpu.raises("LogicError", "k must be", a.topk, a, 1.5)
    gpu.raises("LogicError", "k must be", a.topk, a, nil)
    gpu.raises("LogicError", "counts must be true or false", a.unique, a, { counts = 3 })
    gpu.refuses_nonsense(function(x) return a:topk(x) end, { boolean = true })
  end)

  local second = { k = 2, kth = 2, q = 0.25 } -- arguments, by parameter
  for _, file in ipairs { "order.sort", "order.quantile", "order.nanquantile" } do
    for name, parameters in pairs(dofile("docs/names.lua").defined[file]) do
      it(("gpuarray.%s is gpuarray.Array:%s"):format(name, name), function()
        local a = gpuarray.to_gpu { 5, 1, 4, 2, 3, 1 }
        local argument = second[parameters:match "^a (%w+) options$"]
        local given = { a, argument }
        local want, got = { gpuarray[name](unpack(given)) }, { a[name](unpack(given)) }
        assert.is_true(#want > 0)
        for i = 1, #want do assert.same(want[i]:tolist(), got[i]:tolist()) end
        given[1] = 5
        gpu.raises("LogicError", "gpuarray." .. name .. ": ", gpuarray[name], unpack(given))
        given[argument and 3 or 2], given[argument and 4 or 3] = {}, 7
        gpu.raises("LogicError", "gpuarray:" .. name .. ": unexpected argument 7", a[name], unpack(given))
      end)
    end
  end

  it("gpuarray.topk finds the first few of many rows in one kernel, without sorting the others", function()
    local function same(a, count, largest, axis)
      local values, places
      assert.equal(a.dtype.name == "bool" and 2 or 1, gpu.kernels(function() -- bytes that are true become 1
        values, places = a:topk(count, { largest = largest, axis = axis })
      end))
      local items, options = {}, { descending = largest, axis = axis or -1 }
      for k = 1, a.ndim do items[k] = k == (axis or a.ndim) and { 1, count } or {} end
      local of = ("%d of %s"):format(count, a.dtype.name)
      assert.equal(texts(flat(a:argsort(options)[items])), texts(flat(places)), of)
      assert.equal(texts(flat(a:sort(options)[items])), texts(flat(values)), of)
      assert.equal(a.dtype, values.dtype)
    end
    local usual = { true, false }
    local cases = {}
    for k, name in ipairs(REAL) do cases[k] = { 1024 + 1031 * k, name } end
    for _, case in ipairs(turn.share(cases, 4)) do
      local a = random({ 3, case[1] }, case[2]):eval()
      for _, count in ipairs { 1, 60, 256 } do
        for _, largest in ipairs(usual) do same(a, count, largest) end
      end
    end
    local a = random({ 2, 3000 }, "float32")
    a = gpuarray.where(a:gt(1), nan, a)
    a = gpuarray.where(a:lt(-1), -0.0, a)
    a = gpuarray.where(a:lt(-2), inf, a):eval()
    for _, count in ipairs { 1, 7, 700 } do
      for _, largest in ipairs(usual) do same(a, count, largest) end
    end
    same(gpuarray.zeros({ 2, 2000 }, "int8"):eval(), 500, true) -- all of them equal the last one
    same(random({ 70, 66000 }, "uint16"):eval(), 5, false)
    assert.is_false(run.finds_top(1, 2 ^ 17, 5))
    assert.is_false(run.finds_top(9, 2000, 1025))
    assert.is_false(run.finds_top(9, 255, 5))
  end)

  it("gpuarray.topk and gpuarray.Array:topk are the first of the sorted", function()
    local a = random({ 40, 50 }, "float32")
    for axis = 1, 2 do
      for _, largest in ipairs { true, false } do
        local values, places = gpuarray.topk(a, 7, { axis = axis, largest = largest })
        local items = axis == 1 and { { 1, 7 } } or { {}, { 1, 7 } }
        local options = { axis = axis, descending = largest }
        assert.equal(texts(flat(a:sort(options)[items])), texts(flat(values)))
        assert.equal(texts(flat(a:argsort(options)[items])), texts(flat(places)))
      end
    end
    -- The first few of long rows, which are found without sorting the others.
    finally(knob(run, "finds_top", function() return false end))
    local usual = knob(run, "SELECT", 1000)
    for k, name in ipairs(REAL) do
      local b = random({ 1000 + 701 * k }, name)
      for _, count in ipairs { 1, 3, 60 } do
        for _, largest in ipairs { true, false } do
          local values, places = b:topk(count, { largest = largest })
          local items, options = { { 1, count } }, { descending = largest }
          assert.equal(texts(flat(b:argsort(options)[items])), texts(flat(places)), name)
          assert.equal(texts(flat(b:sort(options)[items])), texts(flat(values)), name)
          assert.equal(b.dtype, values.dtype)
        end
      end
    end
    local column = random({ 1, 5000, 1 }, "int64")
    assert.same({ 1, 2, 1 }, column:topk(2, 2).shape)
    assert.equal(texts(flat(column:ravel():sort { descending = true }[{ { 1, 2 } }])), texts(flat((column:topk(2, 2)))))
    local same = list({ 7 }, "int32"):repeat_(5000)
    assert.equal("1 2 3", texts(flat((select(2, same:topk(3)))))) -- all of them equal the last one
    usual()
    local v, p = list({ 5, 9, 9, 1 }, "int32"):topk(3)
    assert.equal("9 9 5 | 2 3 1", texts(flat(v)) .. " | " .. texts(flat(p)))
    v, p = list { 1, 2 }:topk(0)
    assert.same({ 0 }, v.shape)
    assert.same({ 0 }, p.shape)
  end)

  it("gpuarray.unique and gpuarray.Array:unique: values, first places, groups, counts", function()
    local searched = run.SEARCHED
    for _, case in ipairs { { "int32", 5000, 40 }, { "float32", 6000, 30 }, { "uint8", 3000, 256 }, { "bool", 50, 2 },
      { "float64", 300, 300 }, { "int64", 1, 1 }, { "float16", 2000, 90 } } do
      local t, n, kinds = dtype(case[1]), case[2], case[3]
      local a = made({ n }, t, function()
        local x = math.random(0, kinds - 1)
        if t.kind == "bool" then return x == 1 end
        if t.kind == "float" and x % 7 == 3 then return nan end
        return t.kind == "float" and x == 0 and -0.0 or x
      end)
      local values = flat(a)
      local want, first, group, count, of = {}, {}, {}, {}, {}
      for _, i in ipairs(order_of(values)) do
        local x, last = number(values[i]), number(want[#want])
        if #want == 0 or not (x == last or is_nan(x) and is_nan(last)) then
          want[#want + 1] = values[i]
          first[#want], count[#want] = i, 0
        end
        count[#want] = count[#want] + 1
        of[i] = #want
      end
      for i = 1, n do group[i] = of[i] end
      local u, index, inverse, counts = a:unique { index = true, inverse = true, counts = true }
      assert.equal(texts(want), texts(flat(u)), t.name)
      assert.equal(texts(first), texts(flat(index)), t.name)
      assert.equal(texts(group), texts(flat(inverse)), t.name)
      assert.equal(texts(count), texts(flat(counts)), t.name)
      assert.equal(texts(want), texts(flat((gpuarray.unique(a)))))
      local _, only = gpuarray.unique(a, { counts = true })
      assert.equal(texts(count), texts(flat(only)))
      -- Without first places: found among the values, where these are few, else spread from sorted places.
      for _, most in ipairs { searched, 0 } do
        local usual = knob(run, "SEARCHED", most)
        local _, of_each, counted = gpuarray.unique(a, { inverse = true, counts = true })
        usual()
        assert.equal(texts(group), texts(flat(of_each)), t.name)
        assert.equal(texts(count), texts(flat(counted)), t.name)
        assert.equal("int64", of_each.dtype.name)
      end
    end
    local m = list({ { 3, 1 }, { 1, 3 } }, "int8")
    local u, inverse = m.T:unique { inverse = true }
    assert.equal("1 3", texts(flat(u)))
    assert.same({ { 2, 1 }, { 1, 2 } }, inverse:tolist())
    local none, of_none, counts = gpuarray.empty({ 0, 2 }):unique { inverse = true, counts = true }
    assert.same({ { 0 }, { 0, 2 }, { 0 } }, { none.shape, of_none.shape, counts.shape })
  end)

  -- ---- quantiles ----------------------------------------------------------------------------------------------------

  local float = ffi.new "float[1]"
  local function rounded(x)
    float[0] = x
    return float[0]
  end

  -- By the definition: the place q (n - 1) among the sorted elements, and what is between two.
  local function quantile(values, q, method)
    local sorted = {}
    for i, x in ipairs(values) do
      if is_nan(x) then return nan end
      sorted[i] = number(x)
    end
    table.sort(sorted)
    local place = q * (#sorted - 1)
    local low, high = math.floor(place), math.ceil(place)
    local a, b, t = sorted[low + 1], sorted[high + 1], place - low
    if method == "lower" or a == b then return a end
    if method == "higher" then return b end
    if method == "nearest" then
      if t ~= 0.5 then return t < 0.5 and a or b end
      return low % 2 == 0 and a or b
    end
    return a + (b - a) * (method == "midpoint" and 0.5 or t)
  end

  it("gpuarray.quantile, gpuarray.percentile and their methods gpuarray.Array:quantile gpuarray.Array:percentile",
    function()
    local fractions = { 0, 0.1, 0.25, 0.5, 0.625, 0.9, 1 }
    for _, n in ipairs { 1, 2, 5, 9, 100 } do
      local a = made({ 3, n }, "float64", function() return math.random(-100, 100) / 7 end)
      local rows = a:tolist()
      for _, method in ipairs { "linear", "lower", "higher", "nearest", "midpoint" } do
        local all = gpuarray.quantile(a, fractions, { axis = 2, method = method }):tolist()
        for k, q in ipairs(fractions) do
          local one = a:percentile(q * 100, { axis = 2, method = method, keepdims = true })
          assert.same({ 3, 1 }, one.shape)
          for row = 1, 3 do
            local want = quantile(rows[row], q, method)
            local what = ("%s, q = %g of %d"):format(method, q, n)
            assert.is_true(math.abs(want - all[k][row]) <= 1e-13 * 100, what)
            assert.is_true(math.abs(want - one[{ row, 1 }]:item()) <= 1e-12 * 100, what)
          end
        end
      end
    end
    -- Known ones.
    local x = list({ { 10, 7, 4 }, { 3, 2, 1 } }, "float64")
    assert.equal(3.5, gpuarray.quantile(x, 0.5):item())
    assert.same({ 6.5, 4.5, 2.5 }, x:quantile(0.5, 1):tolist())
    assert.same({ 7, 2 }, gpuarray.percentile(x, 50, { axis = 2 }):tolist())
    assert.same({ 3 }, gpuarray.percentile(x, ndarray.array { 0, 50, 100 }).shape)
    assert.same({ 2, 1, 1 }, x:quantile({ 0, 1 }, { keepdims = true }).shape)
    assert.equal(3, list({ 1, 3, 9 }, "int32"):quantile(0.5, { method = "lower" }):item())
    assert.equal("int32", list({ 1, 3, 9 }, "int32"):quantile(0.5, { method = "nearest" }).dtype.name)
    assert.equal("float32", list({ 1, 3, 9 }, "int32"):quantile(0.5).dtype.name)
    assert.equal(rounded(1.4), list({ 1, 3, 9 }, "int32"):quantile(0.1):item())
    assert.equal(65504, list({ 65504, 65504 }, "float16"):quantile(0.5):item())
    assert.equal(inf, list({ inf, inf, 0 }):quantile(0.75):item())
  end)

  it("gpuarray.percentile of more places than Lua returns values", function()
    local places, want = {}, {}
    for i = 1, 20000 do
      places[i] = (i - 1) / 200
      want[i] = 7 * ((i - 1) / 20000)
    end
    local got = gpuarray.arange(8, "float64"):percentile(places):get()
    assert.same({ 20000 }, got.shape)
    for i = 1, 20000, 37 do assert.is_true(math.abs(want[i] - got[i]) < 1e-12) end
  end)

  it("quantiles of many places take as many kernels as those of two: gpuarray.quantile, gpuarray.percentile, " ..
    "gpuarray.nanquantile", function()
    local a = list({ { 3, 1, 2 }, { 6, nan, 4 } }, "float64")
    local whole = list { { 3, 1, 2 }, { 6, 5, 4 } }
    local many = {}
    for k = 1, 500 do many[k] = (k - 1) / 499 end
    for _, method in ipairs { "linear", "lower", "midpoint" } do
      local function kernels(x, name, places)
        return gpu.kernels(function() x[name](x, places, { axis = 2, method = method }):eval() end)
      end
      for _, name in ipairs { "quantile", "percentile", "nanquantile" } do
        for _, x in ipairs { a, whole, whole:astype "int32" } do
          kernels(x, name, { 0, 0.3 }) -- whose code is loaded
          assert.equal(kernels(x, name, { 0, 0.3 }), kernels(x, name, many), name)
        end
      end
    end
    -- numpy.quantile and numpy.nanquantile
    assert.same({ { 1, 4 }, { 1.5, 4.5 }, { 2.5, 5.5 }, { 3, 6 } }, whole:quantile({ 0, 0.25, 0.75, 1 }, 2):tolist())
    assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, whole:astype("int32"):quantile({ 0, 0.5, 1 }, { axis = 2,
      method = "nearest" }):tolist())
    assert.equal("1 nan 1.5 nan 3 nan", texts(flat(a:quantile({ 0, 0.25, 1 }, 2))))
    assert.same({ { 1, 4 }, { 1.5, 4.5 }, { 3, 6 } }, a:nanquantile({ 0, 0.25, 1 }, 2):tolist())
    assert.same({ { { 1 }, { 4 } }, { { 2 }, { 5 } } }, whole:quantile({ 0, 0.5 }, { axis = 2, keepdims = true })
      :tolist())
    assert.same({ 0, 2 }, whole:quantile({}, 2).shape)
    assert.same({ 2, 0 }, gpuarray.empty({ 0, 3 }):quantile({ 0.1, 0.2 }, 2).shape)
    assert.equal("nan nan nan nan", texts(flat(gpuarray.empty({ 2, 0 }):nanquantile({ 0.1, 0.2 }, 2))))
    local out = gpuarray.empty { 2, 2 }
    assert.equal(out, whole:quantile({ 0, 0.5 }, { axis = 2, out = out }))
    assert.same({ { 1, 4 }, { 2, 5 } }, out:tolist())
  end)

  it("quantiles of several places are recorded by captures: gpuarray.quantile, gpuarray.nanquantile", function()
    local s, a = cuda.Stream(), list({ 3, 1, 2 }, "float64")
    local x, y
    local exec = s:capture(function() x, y = a:quantile { 0, 0.25, 1 }, a:nanquantile { 0, 0.25, 1 } end):instantiate()
    collectgarbage()
    a:set { 30, 10, 20 }
    exec:launch(s)
    s:synchronize()
    assert.same({ 10, 15, 30 }, x:tolist())
    assert.same({ 10, 15, 30 }, y:tolist())
  end)

  it("gpuarray.median and gpuarray.Array:median", function()
    local a = list { { 5, 1, 3, 4 }, { 2, 2, nan, 8 } }
    assert.equal("3.5 nan", texts(flat(a:median(2))))
    assert.equal("3.5 1.5 nan 6", texts(flat(gpuarray.median(a, { axis = 1 }))))
    assert.is_true(is_nan(a:median():item()))
    assert.equal(3.5, a[1]:median():item())
    assert.same({ 1, 1 }, a:median { keepdims = true }.shape)
    assert.equal(64000, list({ 65504, 62496 }, "float16"):median():item())
    assert.equal(2.5, list({ 4, 1, 2, 3 }, "uint8"):median():item())
    assert.equal(0.5, list({ true, false }):median():item())
    assert.equal(7, gpuarray.full({}, 7):median():item())
    local out = gpuarray.empty(2)
    assert.equal(out, a:median { axis = 2, out = out })
    local b = random({ 4, 5, 6 }, "int16")
    local want, values = {}, flat(b)
    for i = 1, 4 do want[i] = quantile({ unpack(values, 30 * i - 29, 30 * i) }, 0.5, "linear") end
    assert.equal(texts(want), texts(flat(b:median { axis = { 2, 3 } })))
    assert.same({ 0 }, gpuarray.empty({ 0, 3 }):median(2).shape)
  end)

  it("quantiles say what is wrong", function()
    local a = gpuarray.ones(3)
    gpu.raises("LogicError", "q must be from 0 to 1", a.quantile, a, 1.5)
    gpu.raises("LogicError", "q must be from 0 to 1", a.quantile, a, nan)
    gpu.raises("LogicError", "q must be from 0 to 100", a.percentile, a, { 50, -1 })
    gpu.raises("LogicError", "method must be", a.quantile, a, 0.5, { method = "cubic" })
    gpu.raises("LogicError", "no element", gpuarray.median, gpuarray.empty(0))
    gpu.raises("LogicError", "complex", gpuarray.median, gpuarray.zeros(2, "complex64"))
    gpu.raises("LogicError", "axis 2", a.median, a, 2)
    gpu.refuses_nonsense(function(x) return a:quantile(x) end, { table = true })
  end)

  -- ---- the same everywhere -----------------------------------------------------------------------------------------

  local function hash()
    local a = made({ 60000 }, "float32", function(i) return i * 7919 % 10007 - 5000 end)
    local b = a[{ { 1, 59500 } }]:reshape(7, 8500)
    local u, inverse = (a % 100):unique { inverse = true }
    local out = {}
    for _, x in ipairs { a:sort(), a:argsort { descending = true }, b:sort(), b:argsort(1), u, inverse } do
      out[#out + 1] = (x:astype "int64" * (gpuarray.arange(x.size) % 1009 + 1):reshape(x.shape)):sum():item()
    end
    return texts(out)
  end

  it("does not depend on the order in which blocks run, and waits for none that has not begun", function()
    local first = hash()
    for _ = 1, 3 do assert.equal(first, hash()) end
    if not soft then return end
    for _, how in ipairs { { threads = 2, order = "random:9" }, { threads = 1, order = "reverse" }, { gang = 32 } } do
      soft.schedule(how)
      assert.equal(first, hash())
    end
    soft.schedule { threads = "auto", order = "forward", gang = 1024 }
  end)

  it("does not race", function()
    if not soft then return pending "the check is the software device's" end
    soft.check "races,barriers,shuffles,uninitialised"
    local ok, err = pcall(hash)
    soft.check "off"
    assert.is_true(ok, tostring(err))
  end)

  it("runs in any stream, and in captures", function()
    local s = cuda.Stream()
    local a = random({ 10000 }, "int32")
    local sorted = s:use(function() return a:sort() end)
    assert.equal(texts(picked(flat(a), order_of(flat(a)))), texts(flat(sorted)))
    local from, to, short = gpuarray.empty(10000, "int32"), gpuarray.empty(10000, "int32"), gpuarray.empty(10, "int64")
    from:fill(0)
    local graph = s:capture(function()
      from:sort { out = to }
      from[{ { 1, 10 } }]:argsort { out = short }
    end):instantiate()
    for _ = 1, 2 do
      a = random({ 10000 }, "int32")
      from:set(a)
      cuda.Context.get_current():synchronize()
      graph:launch(s)
      s:synchronize()
      assert.equal(texts(picked(flat(a), order_of(flat(a)))), texts(flat(to)))
      assert.equal(texts(order_of(flat(a[{ { 1, 10 } }]))), texts(flat(short)))
    end
    s:close()
  end)

  it("works in the array's context", function()
    local other = cuda.Device(0):make_context()
    gpu.apart(function()
      local a = random({ 9000 }, "float32")
      local b = random({ 10, 10 }, "uint16")
      other.pop()
      check(a, 1, "another context")
      check(b, 2, "another context")
      check(b, 1, "another context")
      assert.equal(2, (a:topk(2)).size)
      local _, inverse = gpuarray.unique(a + 0, { inverse = true })
      assert.equal(9000, inverse:get().size)
      b:median(1):get()
      a:quantile({ 0.1, 0.5 }):get()
    end)
    cuda.collect()
    other:detach()
  end)
end)
