-- Functions on whole arrays against NumPy's results: sets, differences, averages, positions and the like, for all
-- dtypes, of arrays that lie in memory in different ways, and of expressions. data/golden/make_functions.py made
-- data/golden/functions.lua; NumPy itself is not needed.
local gpu = require "spec.support.gpu"
local dtype = require "cudalua.dtype"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local text = require("spec.support.reductions").text
local turn = require "spec.support.turn"

local golden = dofile "spec/data/golden/functions.lua"

local function decode(row)
  local bytes = row[3]:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)
  if #bytes == 0 then return ndarray.empty(row[2], row[1]) end
  return ndarray.from_buffer(bytes, row[2], row[1])
end

-- The same elements in other memory.
local layouts = {
  function(a) return a end,
  function(a) -- a part of something larger, backwards
    local shape, whole, part = a.shape, {}, {}
    for k, n in ipairs(shape) do
      whole[k] = 2 * n + 1
      part[k] = n > 0 and { 2 * n, 2, -2 } or { 2, 1 }
    end
    if #shape == 0 then return a end
    local x = gpuarray.zeros(whole, a.dtype)[part]
    return x:set(a)
  end,
  function(a) return a.T:copy().T end,
  function(a) return gpuarray.where(gpuarray.ones(a.shape, "bool"), a, a) end, -- pending
}

-- Functions that compute with rounded numbers: units in the last place that they may be off.
local bounds = { interp = 4, average = 2, nanquantile = 1, nanpercentile = 1 }

local function close(want, got, limit)
  if text(want) == text(got) then return true end
  if type(want) == "cdata" then return close(want.re, got.re, limit) and close(want.im, got.im, limit) end
  return limit and math.abs(want - got) <= limit * 2 ^ -52 * math.max(math.abs(want), 1)
end

describe("gpuarray functions and NumPy", function()
  setup(gpu.context)
  before_each(function() dtype.default_float "float64" end)
  after_each(function() dtype.default_float "float32" end)

  local groups, order = {}, {}
  for _, row in ipairs(golden) do
    local name = row[1]:match "g%.([%w_]+)%(" or row[1]:match ":([%w_]+)"
    if not groups[name] then
      groups[name] = {}
      order[#order + 1] = name
    end
    table.insert(groups[name], row)
  end

  for _, name in ipairs(order) do
    it(("agree on gpuarray.%s"):format(name), function()
      local wrong = {}
      for _, row in ipairs(turn.share(groups[name])) do
        local call = assert(loadstring("local g, unpack, a, b, c, d = ... return " .. row[1]))
        for way, layout in ipairs(layouts) do
          local arrays = {}
          for i, input in ipairs(row[2]) do arrays[i] = layout(gpuarray.to_gpu(decode(input))) end
          local got = { call(gpuarray, unpack, unpack(arrays)) }
          assert.equal(#row[3], #got, row[1])
          for i, output in ipairs(row[3]) do
            local want, x = decode(output), got[i]
            local label = ("%s, layout %d, of %s, result %d"):format(row[1], way, row[2][1] and row[2][1][1] or "", i)
            assert.equal(want.dtype.name, x.dtype.name, label)
            assert.same(want.shape, x.shape, label)
            local p, q = want:reshape(-1), x:reshape(-1):get()
            for k = 1, want.size do
              if not close(p[k], q[k], bounds[name]) then
                wrong[#wrong + 1] = ("%s, element %d: NumPy %s, here %s"):format(label, k, text(p[k]), text(q[k]))
                break
              end
            end
          end
        end
      end
      assert.same({}, wrong)
    end)
  end
end)

describe("gpuarray functions beyond NumPy's results:", function()
  setup(gpu.context)

  local function refused(message, f, ...) gpu.raises("LogicError", message, f, ...) end

  -- Each function is a method, too, and says "expected an array" of what is none.
  local function both(name, ...)
    local a = gpuarray.to_gpu { 3, 1, 2 }
    local f, method = gpuarray[name], gpuarray.Array[name]
    local function texts(...)
      local list = { ... }
      for i, x in ipairs(list) do list[i] = tostring(x) end
      return list
    end
    assert.same(texts(f(a, ...)), texts(method(a, ...)))
    gpu.refuses_nonsense(function(x) return f(x) end)
    refused("gpuarray." .. name .. ": ", f, ndarray.zeros(3), ...)
  end

  it("gpuarray.isclose and gpuarray.Array:isclose take all types, tolerances and out", function()
    both("isclose", 2)
    for _, t in ipairs(dtype.list) do
      local a = gpuarray.ones({ 2, 3 }, t)
      assert.same({ "bool", true }, { a:isclose(a).dtype.name, a:isclose(a):all():item() })
      assert.same({ 2, 0 }, gpuarray.zeros({ 2, 0 }, t):isclose(0).shape)
    end
    -- The tolerance is of b alone.
    local a, b = gpuarray.to_gpu { 10, 9 }, gpuarray.to_gpu { 9, 10 }
    assert.same({ false, true }, a:isclose(b, { rtol = 0.105, atol = 0 }):tolist())
    assert.same({ true, false }, a:isclose(b, { rtol = gpuarray.to_gpu { 0.2, 0 } }):tolist())
    -- float32 holds neither of these, and float16 no sum of the tolerances.
    assert.same({ false }, gpuarray.to_gpu({ 2 ^ 24 + 1 }, "int32"):isclose(2 ^ 24, { rtol = 0, atol = 0.5 }):tolist())
    assert.same({ true }, gpuarray.to_gpu({ 60000 }, "float16"):isclose(60000, { atol = 60000 }):tolist())
    local out = gpuarray.zeros(2, "bool")
    assert.equal(out, a:isclose(10, { out = out }))
    assert.same({ true, false }, out:tolist())
    refused("gpuarray.isclose: rtol must be a number or an array, got a string", gpuarray.isclose, a, b, { rtol = "1" })
    refused("gpuarray.isclose: expected an array, got numbers only", gpuarray.isclose, 1, 2)
    refused("cannot be broadcast together", gpuarray.isclose, a, gpuarray.zeros(3))
    refused("unknown option 'tol'", gpuarray.isclose, a, b, { tol = 1 })
  end)

  it("gpuarray.allclose, gpuarray.Array:allclose, gpuarray.array_equal and gpuarray.Array:array_equal are booleans",
    function()
      both("allclose", 2)
      local a = gpuarray.to_gpu { { 1, 2 }, { 3, 0 / 0 } }
      assert.same({ false, true }, { a:allclose(a), a:allclose(a, { equal_nan = true }) })
      assert.same({ false, true }, { a:array_equal(a), gpuarray.array_equal(a, a, { equal_nan = true }) })
      assert.is_true(a[1]:allclose(a[1] * (1 + 1e-6)))
      assert.is_false(a[1]:allclose(a[1] * 1.01))
      assert.is_true(a[{ {}, 1 }]:array_equal { 1, 3 })
      assert.is_true(gpuarray.array_equal({ { 1, 2 } }, a[{ { 1 }, {} }]:astype "int8"))
      assert.is_false(a:astype("int8")[1]:array_equal { 1, 2.5 })
      assert.is_false(a[1]:array_equal(a[1]:reshape(1, 2)))
      assert.is_true(gpuarray.zeros { 0, 2 }:array_equal(gpuarray.zeros({ 0, 2 }, "int8")))
      assert.is_true(gpuarray.scalar(2, "int64"):array_equal(2))
      assert.is_true(gpuarray.zeros(0):allclose(1))
      refused("gpuarray.array_equal: a must be a gpuarray", gpuarray.array_equal, { 1 }, { 1 })
      gpu.refuses_nonsense(function(x) return gpuarray.array_equal(x, x) end)
      refused("gpuarray.array_equal: equal_nan must be true or false", gpuarray.array_equal, a, a, { equal_nan = 1 })
      refused("gpuarray.allclose: ", gpuarray.allclose, 1, 1)
    end)

  it("gpuarray.nan_to_num and gpuarray.Array:nan_to_num have the limits of each type", function()
    both("nan_to_num", { nan = 1 })
    for _, name in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local info = dtype.finfo(name)
      local x = gpuarray.to_gpu({ 0 / 0, 1 / 0, -1 / 0, 2 }, name)
      assert.same({ 0, info.max, info.min, 2 }, x:nan_to_num():tolist())
      assert.equal(x, x:nan_to_num { nan = 7, out = x })
      assert.equal(7, x[1])
    end
    for _, t in ipairs(dtype.list) do
      assert.equal(t, gpuarray.ones(2, t):nan_to_num().dtype)
      assert.same({ 0, 3 }, gpuarray.zeros({ 3, 0 }, t).T:nan_to_num().shape)
    end
    refused("gpuarray.nan_to_num: nan must be a number, got a string", gpuarray.nan_to_num, gpuarray.ones(2),
      { nan = "0" })
  end)

  it("gpuarray.masked_fill and gpuarray.Array:masked_fill keep the array's type, as PyTorch's", function()
    local mask = gpuarray.to_gpu({ true, false, true }, "bool")
    both("masked_fill", mask, 9)
    for _, t in ipairs(dtype.list) do
      local a = gpuarray.zeros({ 2, 3 }, t)
      local x = a:masked_fill(mask, t.kind == "bool" and true or 1)
      assert.equal(t, x.dtype)
      assert.same({ 2, 0, 2 }, x:sum({ axis = 1, dtype = "float64" }):tolist())
      assert.equal(a, a:masked_fill(mask, gpuarray.scalar(true, "bool"), { out = a }))
      assert.is_true(a:array_equal(x))
    end
    assert.same({ -1 / 0, 0, -1 / 0 }, gpuarray.zeros(3):masked_fill({ true, false, true }, -1 / 0):tolist())
    assert.same({ { 5, 0 }, { 5, 5 } }, gpuarray.zeros { 2, 2 }:masked_fill(gpuarray.to_gpu({ { true, false },
      { true, true } }, "bool"), 5):tolist())
    local a = gpuarray.zeros(3, "int8")
    refused("gpuarray.masked_fill: 1.5 is not an integer", gpuarray.masked_fill, a, mask, 1.5)
    refused("300 is out of the range of int8", gpuarray.masked_fill, a, mask, 300)
    refused("value must be a number or a 0-d array", gpuarray.masked_fill, a, mask, a)
    refused("value must be a number or a 0-d array", gpuarray.masked_fill, a, mask, { 1 })
    -- What an array is filled with follows the rule of all writes.
    for _, value in ipairs { gpuarray.scalar(1), ndarray.array(1, "float32") } do
      refused('float32 cannot be stored in int8; convert it with astype "int8"', gpuarray.masked_fill, a, mask, value)
      refused('float32 cannot be stored in int8; convert it with astype "int8"', a.set, a, value)
    end
    for _, value in ipairs { gpuarray.scalar(300, "int16"), ndarray.array(300, "int16") } do
      assert.same({ 44, 0, 44 }, a:masked_fill(mask, value):tolist())
      assert.same({ 44, 44, 44 }, gpuarray.zeros(3, "int8"):set(value):tolist())
    end
    refused("expected an array or a number, got a function", gpuarray.masked_fill, a, mask, print)
    refused("the mask's shape (2, 3) cannot be broadcast to (3,)", gpuarray.masked_fill, a,
      gpuarray.ones({ 2, 3 }, "bool"), 1)
  end)

  it("gpuarray.diff and gpuarray.Array:diff", function()
    both "diff"
    local a = gpuarray.to_gpu({ { 1, 4, 9 }, { 16, 25, 36 } }, "bfloat16")
    assert.same({ "bfloat16", { { 3, 5 }, { 9, 11 } } }, { a:diff().dtype.name, a:diff():tolist() })
    local out = gpuarray.zeros { 1, 3 }
    assert.equal(out, a:diff { axis = 1, out = out })
    assert.same({ { 15, 21, 27 } }, out:tolist())
    assert.equal("int16", gpuarray.zeros(3, "int8"):diff { prepend = gpuarray.zeros(1, "uint8") }.dtype.name)
    refused("gpuarray.diff: n must be a non-negative integer, got -1", gpuarray.diff, a, -1)
    refused("gpuarray.diff: a 0-d array has no axis to take differences along", gpuarray.diff, gpuarray.scalar(1))
    refused("gpuarray.diff: n is passed twice", gpuarray.diff, a, 1, { n = 2 })
    refused("gpuarray.diff: expected a table of options, got 1", gpuarray.diff, a, 1, 1)
    refused("gpuarray.diff: ", gpuarray.diff, a, { axis = 3 })
    refused("gpuarray.diff: arrays 1 and 2", gpuarray.diff, a, { append = { 1, 2 } })
  end)

  it("gpuarray.interp takes numbers and lists, and gives the type of all", function()
    assert.equal(4, gpuarray.interp(0.5, { 0, 1 }, { 3, 5 }):item())
    for _, name in ipairs { "float16", "bfloat16", "float32" } do
      local x, xp = gpuarray.to_gpu({ 0.5, 1.5 }, name), gpuarray.arange(3):astype(name)
      local y = gpuarray.interp(x, xp, xp * 2)
      assert.same({ name, { 1, 3 } }, { y.dtype.name, y:tolist() })
    end
    assert.equal("float32", gpuarray.interp(gpuarray.arange(3), gpuarray.arange(3), gpuarray.arange(3)).dtype.name)
    local out = gpuarray.zeros(2, "float64")
    assert.equal(out, gpuarray.interp({ 0.25, 9 }, { 0, 1 }, { 0, 8 }, { right = -1, out = out }))
    assert.same({ 2, -1 }, out:tolist())
    assert.same({ 0, 2 }, gpuarray.interp(gpuarray.zeros { 0, 2 }, { 1 }, { 1 }).shape)
    local f = gpuarray.interp
    refused("gpuarray.interp: xp and fp must have one axis and the same", f, 1, { 1, 2 }, { 1 })
    refused("xp and fp must have one axis", f, 1, gpuarray.zeros(0), gpuarray.zeros(0))
    refused("gpuarray.interp: x and xp must be real", f, gpuarray.zeros(1, "complex64"), { 1 }, { 1 })
    refused("gpuarray.interp: period must not be 0", f, 1, { 1 }, { 1 }, { period = 0 })
    refused("gpuarray.interp: period must be a number", f, 1, { 1 }, { 1 }, { period = "1" })
    refused("gpuarray.interp: left: expected a number", f, 1, { 1 }, { 1 }, { left = "1" })
    gpu.refuses_nonsense(function(x) return f(x, x, x) end)
  end)

  it("gpuarray.isin, gpuarray.Array:isin, gpuarray.intersect1d, gpuarray.union1d, gpuarray.setdiff1d and " ..
    "gpuarray.setxor1d take lists beside an array", function()
    local a = gpuarray.to_gpu({ 3, 1, 3, 2 }, "int8")
    assert.same(a:isin { 1, 2 }:tolist(), gpuarray.isin(a, { 1, 2 }):tolist())
    assert.same({ false, true }, gpuarray.isin({ 5, 2 }, a):tolist())
    assert.is_true(gpuarray.scalar(3):isin(a):item())
    assert.same({}, gpuarray.scalar(3):isin(a).shape)
    local out = gpuarray.zeros(4, "bool")
    assert.equal(out, a:isin(3, { out = out }))
    assert.same({ true, false, true, false }, out:tolist())
    assert.same({ "int8", { 1, 2 } }, { gpuarray.intersect1d(a, { 1, 2, 9 }).dtype.name,
      gpuarray.intersect1d(a, { 1, 2, 9 }):tolist() })
    assert.same({ 1, 2, 3, 9 }, gpuarray.union1d({ 9 }, a):tolist())
    assert.same({ 2, 3 }, gpuarray.setdiff1d(a, 1):tolist())
    assert.same({ 1, 2, 300 }, gpuarray.setxor1d(a, { 3, 300 }):tolist())
    assert.equal("bfloat16", gpuarray.union1d(a, gpuarray.ones(1, "bfloat16")).dtype.name)
    -- Enough elements for each way of sorting; and bits that a float32 does not hold.
    local many = gpuarray.arange(300000) % 1000
    assert.equal(300 * 300, many:isin(gpuarray.arange(300)):count_nonzero():item())
    assert.equal(1000, gpuarray.union1d(many, many)._size)
    local wide = gpuarray.to_gpu(require "ffi".new("int64_t[2]", { 2 ^ 53 + 2, 5 }))
    assert.same({ false, true }, wide:isin(wide - 1 + gpuarray.to_gpu({ 0, 1 }, "int64")):tolist())
    local struct = gpuarray.zeros(2, gpu.cuda.vec.float2)
    for _, name in ipairs { "isin", "intersect1d", "union1d", "setdiff1d", "setxor1d" } do
      local f = gpuarray[name]
      refused("gpuarray." .. name .. ": elements of a struct type have no order", f, struct, struct)
      refused("gpuarray." .. name .. ": ", f, { 1 }, { 1 })
      refused("gpuarray." .. name .. ": ", f, a, print)
      gpu.refuses_nonsense(function(x) return f(x, x) end)
      if name ~= "union1d" then
        refused("gpuarray." .. name .. ": assume_unique must be true or false", f, a, a, { assume_unique = 1 })
        refused("gpuarray." .. name .. ": unknown option 'unique'", f, a, a, { unique = true })
      end
    end
  end)

  it("gpuarray.unravel_index and gpuarray.ravel_multi_index count from 1, and from the end", function()
    local row, column = gpuarray.unravel_index(gpuarray.to_gpu { { 1, 9 }, { 3, 2 } }:argmax(), { 2, 2 })
    assert.same({ 1, 2 }, { row:item(), column:item() })
    local i, j = gpuarray.unravel_index({ 1, -1, 4 }, { 2, 3 })
    assert.same({ { 1, 2, 2 }, { 1, 3, 1 } }, { i:tolist(), j:tolist() })
    assert.same({ 1, 6, 4 }, gpuarray.ravel_multi_index({ i, { 1, -1, 1 } }, { 2, 3 }):tolist())
    assert.equal("int64", i.dtype.name)
    local big = gpuarray.to_gpu({ 200 }, "uint8")
    assert.same({ 1, 72 }, { (select(1, gpuarray.unravel_index(big, { 5, 128 })))[1] - 1,
      (select(2, gpuarray.unravel_index(big, { 5, 128 })))[1] })
    assert.same({ 3, 2 }, gpuarray.ravel_multi_index({ { 3, 1 }, { 3, 5 } }, { 2, 3 }, { mode = "wrap" }):tolist())
    assert.same({ 2, 3 }, { gpuarray.unravel_index(gpuarray.ones({ 2, 3 }, "int32"), 4).shape[1],
      gpuarray.unravel_index(gpuarray.ones({ 2, 3 }, "int32"), 4).shape[2] })
    assert.equal(0, (gpuarray.unravel_index(gpuarray.zeros(0, "int64"), { 0, 2 })).size)
    local unravel, ravel = gpuarray.unravel_index, gpuarray.ravel_multi_index
    refused("gpuarray.unravel_index: indices has 7 at [1]; the shape (2, 3) has 6 elements", unravel, { 7 }, { 2, 3 })
    refused("counted from 1", unravel, { 0 }, { 2, 3 })
    refused("got 1 positions for the shape (0, 2), which has no elements", unravel, { 1 }, { 0, 2 })
    refused("gpuarray.unravel_index: indices is an array of float32", unravel, gpuarray.ones(1), { 2 })
    refused("gpuarray.unravel_index: order must be 'C' or 'F', got 'K'", unravel, { 1 }, { 2 }, { order = "K" })
    refused("gpuarray.ravel_multi_index: indices[2] has 4 at [1]; axis 2 of the shape (2, 3) has 3 elements", ravel,
      { { 1 }, { 4 } }, { 2, 3 })
    refused("1 arrays of positions for the 2 axes of the shape (2, 3)", ravel, { { 1 } }, { 2, 3 })
    refused("gpuarray.ravel_multi_index: mode must be", ravel, { { 1 } }, 3, { mode = "x" })
    gpu.refuses_nonsense(function(x) return unravel(x, 5) end, { number = true, boolean = true, table = true })
    gpu.refuses_nonsense(function(x) return ravel(x, 5) end)
  end)

  it("gpuarray.partition, gpuarray.Array:partition, gpuarray.argpartition and gpuarray.Array:argpartition", function()
    both("partition", 2)
    both("argpartition", 1)
    local a = gpuarray.to_gpu { { 5, 1, 4 }, { 0 / 0, 2, 3 } }
    for _, kth in ipairs { 1, 2, -1 } do
      local x, at = a:partition(kth), a:argpartition(kth)
      local k = kth < 0 and 3 or kth
      assert.equal(tostring(a:sort()[{ {}, k }]), tostring(x[{ {}, k }]))
      assert.equal(tostring(x), tostring(gpuarray.take_along_axis(a, at)))
    end
    assert.equal(a, a:partition({ 1, 3 }, { out = a }))
    assert.equal(5, a:item(1, 3))
    assert.same({ 1, 2, 1 }, a:argpartition(1, 1)[1]:tolist())
    refused("gpuarray.partition: kth has 4; axis 2 has 3 elements", gpuarray.partition, a, 4)
    refused("kth has 0; axis 2 has 3 elements, counted from 1", gpuarray.argpartition, a, { 1, 0 })
    refused("gpuarray.partition: kth must be an integer or a list of integers", gpuarray.partition, a)
    refused("unknown option 'descending'", gpuarray.partition, a, 1, { descending = true })
  end)

  it("gpuarray.average and gpuarray.Array:average", function()
    both("average", { weights = { 1, 2, 3 } })
    local a = gpuarray.to_gpu { { 1, 2, 3 }, { 4, 5, 6 } }
    for _, t in ipairs(dtype.list) do
      local x = a:astype(t):average { axis = 2, weights = gpuarray.to_gpu({ 1, 1, 1 }, "int8") }
      assert.equal((t.kind == "float" or t.kind == "complex") and t.name or "float32", x.dtype.name)
      local mean = a:astype(t):mean(2)
      assert.same({ text(mean[1]), text(mean[2]) }, { text(x[1]), text(x[2]) })
    end
    -- Sums that 16 bits do not hold.
    assert.equal(60000, gpuarray.full(9, 60000, "float16"):average { weights = gpuarray.ones(9, "float16") }:item())
    local out = gpuarray.zeros(2)
    local mean, sums = a:average { axis = 2, weights = { 1, 0, 3 }, returned = true, out = out }
    assert.equal(out, mean)
    assert.same({ { 2.5, 5.5 }, { 4, 4 } }, { mean:tolist(), sums:tolist() })
    assert.same({ 2, 5 }, a:average(2):tolist())
    assert.is_true(a:average { weights = gpuarray.zeros { 2, 3 } }:isnan():item())
    local f = gpuarray.average
    refused("gpuarray.average: the weights have the shape (2,); expected the array's shape, (2, 3)", f, a,
      { weights = { 1, 2 } })
    refused("or the shape of the reduced axes", f, a, { axis = 2, weights = { 1, 2 } })
    refused("gpuarray.average: returned must be true or false", f, a, { returned = 1 })
    refused("gpuarray.average: not defined for structs", f, gpuarray.zeros(2, gpu.cuda.vec.float2),
      { weights = { 1, 1 } })
    refused("gpuarray.average: weights must be an array", f, a, { weights = "w" })
  end)

  it("gpuarray.nanmedian, gpuarray.nanquantile, gpuarray.nanpercentile, gpuarray.Array:nanmedian, " ..
    "gpuarray.Array:nanquantile and gpuarray.Array:nanpercentile are those of sort_quantile without NaN", function()
    both "nanmedian"
    both("nanquantile", 0.5)
    both("nanpercentile", 50)
    for _, t in ipairs(turn.share { "float16", "bfloat16", "float32", "float64", "int8", "uint64", "bool" }) do
      local a = (gpuarray.arange(300):reshape(20, 15) * 7 % 19):astype(t)
      for _, axis in ipairs { 1, 2, { 1, 2 } } do
        assert.equal(tostring(a:median { axis = axis }), tostring(a:nanmedian { axis = axis }))
        for _, method in ipairs { "linear", "lower", "higher", "nearest", "midpoint" } do
          local o = { axis = axis, method = method }
          assert.equal(a:quantile({ 0, 0.13, 0.5, 1 }, o).dtype, a:nanquantile({ 0, 0.13, 0.5, 1 }, o).dtype)
          assert.is_true(a:quantile({ 0, 0.13, 0.5, 1 }, o):array_equal(a:nanquantile({ 0, 0.13, 0.5, 1 }, o)), t)
        end
      end
    end
    local a = gpuarray.to_gpu { { 1, 0 / 0 }, { 3, 4 } }
    local out = gpuarray.zeros(2)
    assert.equal(out, a:nanquantile(1, { axis = 2, out = out }))
    assert.same({ 1, 4 }, out:tolist())
    assert.same({ 0 }, gpuarray.zeros { 3, 0 }:nanmedian(1).shape)
    refused("gpuarray.nanmedian: complex numbers have no", gpuarray.nanmedian, gpuarray.zeros(2, "complex64"))
    refused("gpuarray.nanquantile: q must be from 0 to 1, got 2", gpuarray.nanquantile, a, 2)
    refused("gpuarray.nanpercentile: q must be from 0 to 100, got -1", gpuarray.nanpercentile, a, -1)
    refused("gpuarray.nanquantile: method must be", gpuarray.nanquantile, a, 1, { method = "x" })
  end)

  it("gpuarray.unstack and gpuarray.Array:unstack give views", function()
    local a = gpuarray.zeros({ 2, 3 }, "int32")
    local rows = a:unstack()
    assert.equal(2, #rows)
    rows[2]:fill(7)
    assert.same({ { 0, 0, 0 }, { 7, 7, 7 } }, a:tolist())
    assert.is_true(gpuarray.stack(gpuarray.unstack(a, 2), 2):array_equal(a))
    assert.same({}, gpuarray.zeros { 0, 3 }:unstack())
    assert.same({ 0 }, gpuarray.zeros { 2, 0 }:unstack()[1].shape)
    assert.same({}, gpuarray.arange(3):unstack()[3].shape)
    refused("gpuarray:unstack: a 0-d array cannot be split", a.unstack, gpuarray.scalar(1))
    refused("gpuarray:unstack: ", a.unstack, a, 3)
  end)

  it("have the same bits on any number of blocks", function()
    local a = gpuarray.arange(50000) * 7919 % 10007
    local b = gpuarray.arange(3000) * 3
    local x = (a:astype "float32" / 10007):where(a:gt(100), 0 / 0)
    local function all()
      return { a:isin(b), gpuarray.intersect1d(a, b), gpuarray.setxor1d(a, b), a:average { weights = a },
        gpuarray.interp(a, b, b:astype "float32":sqrt()), a:diff(3), x }
    end
    local first, second = all(), all()
    for i = 1, #first do assert.is_true(first[i]:array_equal(second[i], { equal_nan = true })) end
  end)
end)
