-- Reductions: every dtype, layout and kernel against references in plain Lua (spec/support/reductions.lua), to the bit.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local sample = require "spec.support.arrays"
local batch = require "spec.support.batch"
local dtype = require "cudalua.dtype"
local turn = require "spec.support.turn"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local plan = require "cudalua.gpuarray.core.plan"
local reference = require "spec.support.reductions"
local cuda, text = gpu.cuda, reference.text

local soft = gpu.soft and require "cudalua.softgpu"

-- All rows of reductions.lua. One that has no reference fails here.
local NAMES = {}
for i, row in ipairs(require("cudalua.gpuarray.reduce.reductions").list) do
  NAMES[i] = row.name
  assert(reference[row.name], row.name .. " has no reference in spec/support/reductions.lua")
end

-- Functions that are methods, too, and take an array and options.
local function simple_functions()
  local defined, list = dofile("docs/names.lua").defined, {}
  for _, file in ipairs { "reduce.reduce", "reduce.nan_and_norms" } do
    for name, parameters in pairs(defined[file]) do
      if parameters == "a options" then list[#list + 1] = name end
    end
  end
  table.sort(list)
  return list
end

-- On a GPU, and with CUDALUA_ALL, all dtypes; elsewhere one of each way to compute: every one is some twenty kernels.
local DTYPES = dtype.list
if soft and not os.getenv "CUDALUA_ALL" then
  DTYPES = turn.share { dtype.int8, dtype.uint64, dtype.float16, dtype.complex64 }
end

local flat, kernels, texts = sample.flat, gpu.kernels, sample.texts

local function random_array(shape, t, plain) return sample.random(shape, t, not plain and 60 or nil) end

-- What a reduction along some axes (a set) gives, in C order, as texts.
local function expected(name, list, shape, axes, t)
  local groups, order = {}, {}
  local index = {}
  for k = 1, #shape do index[k] = 0 end
  for i = 1, #list do
    local key = {}
    for k = 1, #shape do
      if not axes[k] then key[#key + 1] = index[k] end
    end
    key = table.concat(key, " ")
    if not groups[key] then
      groups[key] = {}
      order[#order + 1] = key
    end
    table.insert(groups[key], list[i])
    for k = #shape, 1, -1 do
      index[k] = index[k] + 1
      if index[k] < shape[k] then break end
      index[k] = 0
    end
  end
  local out = {}
  for i, key in ipairs(order) do out[i] = text(reference[name](groups[key], t)) end
  return out
end

local function set(axes)
  local s = {}
  for _, axis in ipairs(axes) do s[axis] = true end
  return s
end

local function defined(name, t)
  return t.kind ~= "complex" or not (name:find "min" or name:find "max")
end

local collecting = false

-- Runs checks; the kernels that they need are compiled together before. What is copied or computed is not yet there
-- when that is found out, so that the arrays are made outside.
local function batched(f)
  collecting = true
  batch.run(function()
    f()
    collecting = false
  end)
end

-- All reductions of an array along these axes are what the reference says.
local function check(a, axes, names, label)
  if collecting then
    for _, name in ipairs(names) do
      if defined(name, a.dtype) then a[name](a, { axis = axes }) end
    end
    return
  end
  local list, shape, t = flat(a), a.shape, a.dtype
  for _, name in ipairs(names) do
    if defined(name, t) then
      local got = a[name](a, { axis = axes })
      local what = ("%s %s%s"):format(label or "", name, t.name)
      assert.same(expected(name, list, shape, set(axes), t), texts(got), what)
    end
  end
end

describe("Reductions of", function()
  setup(gpu.context)
  teardown(function()
    gpuarray.eager(false)
    if soft then soft.schedule { threads = "auto", order = "forward" } end
  end)

  it("every dtype, all elements and along either axis: gpuarray.Array:" .. table.concat(NAMES, " "), function()
    local arrays = {}
    for _, t in ipairs(DTYPES) do arrays[#arrays + 1] = random_array({ 9, 37 }, t) end
    local function all()
      for _, a in ipairs(arrays) do
        for _, axes in ipairs { { 1, 2 }, { 1 }, { 2 } } do check(a, axes, NAMES) end
      end
      collecting = false
    end
    collecting = true
    assert.is_true(batch.run(all) > (turn.partial and 5 or 40))
  end)

  it("what NumPy's are: gpuarray.Array:var, gpuarray.Array:std, gpuarray.Array:ptp and all others", function()
    local wanted, cases = {}, {}
    for _, t in ipairs(DTYPES) do wanted[t.name] = true end
    for _, case in ipairs(require "spec.data.golden.reductions") do
      if wanted[case[2]] then cases[#cases + 1] = case end
    end
    local checking, checked = false, 0
    local function all()
      for _, case in ipairs(cases) do
        local t = dtype(case[2])
        local h = ndarray.empty(case[1], t)
        for i, x in ipairs(case[3]) do h:reshape(-1)[i] = t.kind == "complex" and t.ctype(x[1], x[2]) or x end
        local a = gpuarray.to_gpu(h)
        for k = 4, #case do
          local name, axis, result, want = unpack(case[k])
          local got = a[name](a, axis > 0 and axis or nil)
          if checking then
            checked = checked + 1
            local label = ("%s of %s, axis %d, of %s"):format(name, t.name, axis, table.concat(texts(a), " "))
            -- What NumPy computes in float64 for integers is the default float here.
            local inexact = name == "mean" or name == "var" or name == "std" or name == "prod"
            if not (inexact and result == "float64") then assert.equal(result, got.dtype.name, label) end
            local found = table.concat(texts(got), " ")
            if inexact and found ~= want then
              local tolerance = t.name == "float16" and 1e-3 or 1e-6
              local numbers = want:gmatch "[^ ,]+"
              for x in found:gmatch "[^ ,]+" do
                local y = tonumber(numbers())
                local bound = tolerance * math.max(math.abs(y), 1)
                assert.is_true(y ~= y and x == "nan" or math.abs(tonumber(x) - y) <= bound,
                  label .. ": " .. found .. " and not " .. want)
              end
            else
              assert.equal(want, found, label)
            end
          end
        end
      end
      checking = true
    end
    batch.run(all)
    assert.is_true(checked > (turn.partial and 10 or 100))
  end)

  -- Each of these takes another way through the kernels: lanes of a warp, whole units, several rows in a block, parts.
  local SHAPES = { { 1, 1 }, { 1, 5 }, { 300, 3 }, { 3, 300 }, { 31, 33 }, { 1000, 4 }, { 2, 1025 }, { 17, 2100 },
    { 2100, 17 }, { 3, 40000 }, { 40000, 3 }, { 3000, 40 }, { 1, 70001 } }

  for _, order in ipairs { "C", "F" } do
    it(("few and many elements, %s order, to the last bit"):format(order), function()
      local arrays = {}
      for k = 1, #SHAPES, order == "F" and #DTYPES < #dtype.list and 2 or 1 do
        arrays[#arrays + 1] = random_array(SHAPES[k], "float32", true):copy(order)
      end
      batched(function()
        for _, a in ipairs(arrays) do
          local label = ("%dx%d"):format(a.shape[1], a.shape[2])
          check(a, { 1 }, { "sum", "argmax" }, label)
          check(a, { 2 }, { "sum", "argmax" }, label)
          check(a, { 1, 2 }, { "sum", "mean", "max", "argmax" }, label)
        end
      end)
    end)
  end

  it("any number of elements from any place on, of elements of 1 to 16 bytes", function()
    local LENGTHS = { 1, 3, 8, 17, 33, 65, 129, 513, 2049, 8200 }
    local names = { int8 = { "sum", "argmin" }, bool = { "sum", "all" }, float16 = { "sum" }, float64 = { "min" },
      complex64 = { "sum" }, int32 = { "argmax" } }
    local arrays = {}
    for t in pairs(names) do arrays[t] = random_array({ 8203 }, t, true) end
    batched(function()
      for t, list in pairs(names) do
        for i, n in ipairs(LENGTHS) do
          local first = i % 3 + 1
          check(arrays[t][{ { first, first + n - 1 } }], { 1 }, list, ("%d from %d: "):format(n, first))
        end
      end
    end)
  end)

  it("views: strided, reversed, transposed, broadcast, of several axes", function()
    local a = random_array({ 6, 10, 14 }, "float32", true)
    local b = random_array({ 10, 1 }, "float32", true)
    local views = {
      a, a.T, a[{ { 2, 6, 2 }, {}, { 3, 14, 3 } }], a[{ { -1, 1, -1 }, { -1, 1, -1 }, { -1, 1, -1 } }],
      a[{ {}, 4 }], a[{ {}, gpuarray.newaxis, { 2, 2 } }], a:copy "F", b:broadcast_to { 4, 10, 5 },
      a:transpose { 2, 3, 1 }, a[{ {}, {}, { 13, 2, -4 } }].T,
    }
    local others = {}
    for i, t in ipairs { "int8", "complex64", "float16", "bool" } do
      others[i] = random_array({ 6, 10, 4 }, t)[{ { 6, 1, -2 }, {}, { 2, 4 } }].T
    end
    batched(function()
      for i, v in ipairs(views) do
        local n = v.ndim
        for _, axes in ipairs { { 1 }, { n }, { 1, n }, { 1, 2 } } do
          if axes[1] ~= axes[2] then check(v, axes, { "sum", "argmin" }, "view " .. i) end
        end
        check(v, { -1 % n + 1 }, { "min", "any" }, "view " .. i)
      end
      for _, c in ipairs(others) do
        check(c, { 2 }, { "sum", "all" }, "view")
        check(c, { 1, 3 }, { "sum", "any" }, "view")
      end
    end)
  end)

  it("expressions are one kernel, and give the same as their value", function()
    local a, b = random_array({ 50, 60 }, "float32", true), random_array({ 60 }, "float32", true)
    local value = (a * b + 1):exp():eval()
    local x = (a * b + 1):exp()
    for _, axes in ipairs { { 1 }, { 2 }, { 1, 2 } } do
      assert.same(texts(value:sum(axes)), texts((a * b + 1):exp():sum(axes)))
    end
    assert.equal(1, kernels(function() return (a * b - 2):sum() end))
    assert.equal(1, kernels(function() return b:dot(b) end))
    -- A second reduction computes it again, a third one has it stored, a fourth one finds it so.
    assert.equal(1, kernels(function() x:sum() end))
    assert.equal(1, kernels(function() x:max() end))
    assert.equal(2, kernels(function() x:min() end))
    assert.equal(1, kernels(function() x:sum(1):eval() end))
    local eight = gpuarray.to_gpu({ 100, 100, 100 }, "int8")
    assert.equal(3 * -56, (eight + eight):sum():item()) -- wraps before it is summed up
    assert.equal(300, eight:sum():item())
    assert.equal(18, (gpuarray.to_gpu { 1, 2, 3 } + gpuarray.to_gpu { { 1 }, { 2 } } - 0.5):sum():item())
  end)

  it("elements that are counted in 64 bits", function()
    finally(knob(plan, "LIMIT", 1)) -- as if there were 2^31 elements
    local a = random_array({ 6, 700, 5 }, "float32", true)
    for _, v in ipairs { a, a.T, a[{ { 2, 6, 2 }, { 700, 1, -3 } }], random_array({ 3, 70000 }, "float32", true) } do
      check(v, { 1 }, { "sum", "argmax" }, "wide")
      check(v, { 2 }, { "sum" }, "wide")
      check(v, { 1, v.ndim }, { "sum" }, "wide")
    end
  end)

  it("arrays of another context, in that context; of a released array, an error", function()
    local here = random_array({ 70000 }, "float32", true)
    local want = text(here:sum():item())
    local other = cuda.Device(0):make_context()
    local there
    local ok, err = pcall(function() there = gpuarray.to_gpu(here:get()) end)
    cuda.Context.pop()
    assert.is_true(ok, tostring(err))
    assert.equal(want, text(there:sum():item()))
    assert.equal(want, text((there * 1):sum():item()))
    gpu.raises("LogicError", "different contexts", gpuarray.dot, here, there)
    there, ok, err = nil, nil, nil -- luacheck: ignore 311
    cuda.collect()
    other:detach()
    here:release()
    gpu.error_of("LogicError", here.sum, here)
  end)

  it("of shared, long and many operands", function()
    local a = random_array({ 40 }, "float32", true)
    local shared = a * a
    assert.equal(text((shared + shared):eval():sum():item()), text((shared + shared):sum():item()))
    local list, x = {}, a
    for i = 1, 40 do
      list[i] = random_array({ 40 }, "float64", true)
      x = x + list[i]
    end
    local y = a:copy()
    for i = 1, 40 do y = (y + list[i]):eval() end
    assert.equal(text(y:sum():item()), text(x:sum():item()))
  end)
end)

describe("Reductions", function()
  setup(gpu.context)

  it("take axes as NumPy does, counted from 1", function()
    local a = gpuarray.to_gpu(ndarray.array({ { { 1, 2 }, { 3, 4 }, { 5, 6 } }, { { 7, 8 }, { 9, 10 }, { 11, 12 } } },
      "int32"))
    assert.same({ { 8, 10 }, { 12, 14 }, { 16, 18 } }, a:sum(1):tolist())
    assert.same({ { 3, 7, 11 }, { 15, 19, 23 } }, a:sum(-1):tolist())
    assert.same({ 21, 57 }, a:sum({ 2, 3 }):tolist())
    assert.same({ 21, 57 }, a:sum({ -1, 2 }):tolist())
    assert.same({ { { 21 } }, { { 57 } } }, a:sum({ axis = { 2, 3 }, keepdims = true }):tolist())
    assert.same({ 1, 1, 1 }, a:sum({ keepdims = true }).shape)
    assert.same({}, a:sum().shape)
    assert.equal(78, a:sum():item())
    assert.same(a:tolist(), a:sum({ axis = {} }):tolist())
    assert.equal(dtype.int64, a:sum({ axis = {} }).dtype)
    assert.same({ { 2, 2 }, { 2, 2 }, { 2, 2 } }, gpuarray.argmax(a, 1):tolist())
    assert.equal(12, gpuarray.argmax(a):item())
    assert.equal(5, gpuarray.to_gpu(5):max():item())
    local one = a:sum() -- 0-d: an operand like any other
    assert.same({ 79, 80 }, (gpuarray.to_gpu({ 1, 2 }, "int64") + one):tolist())
    assert.equal(78, one:get())
    gpu.raises("LogicError", "axis 4: the array has 3 axes", a.sum, a, 4)
    gpu.raises("LogicError", "axis 0: the array has 3 axes, counted from 1", a.sum, a, 0)
    gpu.raises("LogicError", "appears twice", a.sum, a, { 1, -3 })
    gpu.raises("LogicError", "keepdims", a.sum, a, { keepdims = 1 })
    gpu.raises("LogicError", "unknown option", a.sum, a, { axes = 1 })
    gpu.raises("LogicError", "unknown option 'dtype'", a.max, a, { dtype = "int8" })
    gpu.raises("LogicError", "gpuarray.sum: expected a gpuarray", gpuarray.sum, 5)
    gpu.raises("LogicError", "host memory", gpuarray.sum, ndarray.ones(3))
  end)

  it("have the dtype that they are asked for", function()
    local a = gpuarray.to_gpu({ 100, 100, 100 }, "int8")
    assert.equal(dtype.int64, a:sum().dtype)
    assert.equal(dtype.uint64, a:astype "uint16":sum().dtype)
    assert.equal(dtype.float32, a:mean().dtype)
    assert.equal(44, a:sum({ dtype = "int8" }):item())
    assert.equal(300, a:sum({ dtype = "float64" }):item())
    assert.equal(dtype.float64, a:mean({ dtype = "float64" }).dtype)
    local f = gpuarray.to_gpu({ 2048, 1, 1, 1, 1 }, "float16")
    assert.equal(2052, f:sum():item()) -- 2048 + 1 is 2048 in float16
    assert.equal(dtype.float16, f:sum().dtype)
    assert.equal(dtype.bool, f:any().dtype)
    assert.equal(1e10, (gpuarray.to_gpu { 1e5 } * 1):prod({ dtype = "float64" }):item() ^ 2)
    local fractions = gpuarray.to_gpu { 1.7, 2.7 }
    assert.equal(3, fractions:sum({ dtype = "int32" }):item()) -- each is converted first
    gpu.raises("LogicError", "not defined for float32 as bool", f.sum, fractions, { dtype = "bool" })
    gpu.raises("LogicError", "not defined for int8 as int32", a.mean, a, { dtype = "int32" })
    gpu.raises("LogicError", "not defined for complex64", a.max, gpuarray.to_gpu({ 1 }, "complex64"))
    local before = dtype.default_float()
    dtype.default_float "float64"
    assert.equal(dtype.float64, a:mean().dtype)
    dtype.default_float(before)
    assert.equal(dtype.float32, a:mean().dtype)
  end)

  it("write to out", function()
    local a = random_array({ 5, 6 }, "float32", true)
    local out = gpuarray.to_gpu { 1, 2, 3, 4, 5, 6 }
    local before = out + 1
    assert.equal(out, a:sum({ axis = 1, out = out }))
    assert.same(texts(a:sum(1)), texts(out))
    assert.same({ 2, 3, 4, 5, 6, 7 }, before:tolist())
    local both = random_array({ 6, 6 }, "float32", true)
    local want = texts(both:max(1))
    both:max({ axis = 1, out = both[2] }) -- reads what it writes
    assert.same(want, texts(both[2]))
    assert.same(text(a:sum():item()), text(a:sum({ out = gpuarray.to_gpu(0, "float64") }):item()))
    gpu.raises("LogicError", "shape", a.sum, a, { axis = 2, out = out })
    gpu.raises("LogicError", "cannot be stored in int32", a.sum, a, { axis = 1, out = gpuarray.empty(6, "int32") })
    gpu.raises("LogicError", "out must be a gpuarray", a.sum, a, { out = 5 })
    gpu.raises("LogicError", "gpuarray:sum: float32(6,) is a view with repeated elements", a.sum, a,
      { axis = 1, out = gpuarray.zeros(1):broadcast_to(6) })
  end)

  it("are values where numbers are: operands, and what an array is filled with", function()
    local a = gpuarray.to_gpu { { 1, 2 }, { 3, 6 } }
    assert.same({ { -2, -1 }, { 0, 3 } }, (a - a:mean()):tolist())
    assert.same({ 12, 12 }, gpuarray.zeros(2):fill(a:sum()):tolist())
    assert.same({ 6, 6 }, gpuarray.full(2, a:max()):tolist())
    local same = a
    a:isub(a:mean { axis = 2, keepdims = true })
    assert.same({ { -0.5, 0.5 }, { -1.5, 1.5 } }, same:tolist())
  end)

  it("of nothing: 0, 1, NaN, false, true, or an error", function()
    local a = gpuarray.empty({ 0, 3 }, "float32")
    assert.same({ 0, 0, 0 }, a:sum(1):tolist())
    assert.same({ 1, 1, 1 }, a:prod(1):tolist())
    assert.equal("nan", text(a:mean():item()))
    assert.is_false(a:any():item())
    assert.is_true(a:all():item())
    assert.equal(0, a:count_nonzero():item())
    assert.same({ 0 }, a:sum(2).shape)
    assert.same({ 0 }, a:max(2).shape)
    assert.same({ 0, 1 }, a:argmax({ axis = 2, keepdims = true }).shape)
    for _, name in ipairs { "min", "max", "argmin", "argmax", "ptp" } do
      gpu.raises("LogicError", "the array has no elements", a[name], a, 1)
      gpu.raises("LogicError", "the array has no elements", gpuarray[name], a)
    end
    assert.equal("0", text(gpuarray.empty(0, "complex64"):sum():item().re))
  end)

  it("keep NaN, infinities and the sign of zero; positions are those of the first", function()
    local nan, inf = 0 / 0, 1 / 0
    local function with(n, changes)
      local t = {}
      for i = 1, n do t[i] = 1 end
      for i, x in pairs(changes) do t[i] = x end
      return gpuarray.to_gpu(t)
    end
    for _, n in ipairs { 40, 5000, 40000 } do
      local a = with(n, { [n] = nan, [20] = -5, [25] = -5, [30] = 7, [31] = 7 })
      assert.equal("nan", text(a:max():item()))
      assert.equal("nan", text(a:min():item()))
      assert.equal(n, a:argmax():item())
      assert.equal(n, a:argmin():item())
      local b = with(n, { [n] = nan, [18] = nan, [5] = inf })
      assert.equal(18, b:argmax():item())
      assert.equal("nan", text(b:sum():item()))
      local c = with(n, { [20] = -5, [25] = -5, [30] = 7, [31] = 7 })
      assert.equal(20, c:argmin():item())
      assert.equal(30, c:argmax():item())
      assert.equal(1, with(n, {}):argmax():item())
      assert.equal("inf", text(with(n, { [7] = inf }):sum():item()))
      assert.equal("nan", text(with(n, { [7] = inf, [n] = -inf }):sum():item()))
    end
    local minus = gpuarray.to_gpu { -0.0, -0.0, -0.0 }
    assert.equal("-0", text(minus:sum():item()))
    assert.equal("-0", text(minus:max():item()))
    assert.equal("0", text(gpuarray.to_gpu { -0.0, 0, -0.0 }:max():item()))
    assert.equal("-0", text(gpuarray.to_gpu { 0, -0.0, 0 }:min():item()))
    assert.equal("-inf", text(gpuarray.to_gpu { -inf, -inf }:max():item()))
    assert.equal(1, gpuarray.to_gpu { -inf, -inf }:argmax():item())
    assert.equal(1, gpuarray.to_gpu { inf, inf }:argmin():item())
    assert.is_true(gpuarray.to_gpu { nan, 0 }:any():item())
    assert.equal("inf", text(gpuarray.to_gpu({ 60000, 60000 }, "float16"):sum():item()))
    assert.equal("inf", text(gpuarray.to_gpu { 3e38, 3e38 }:sum():item()))
    local z = dtype.complex64.ctype
    assert.equal("inf,nan", text(gpuarray.to_gpu(ndarray.array({ z(inf, 0), z(1, 0) }, "complex64")):prod():item())
      :gsub("inf,0", "inf,nan"))
  end)

  it("of integers wrap in 64 bits, and are exact beyond 2^53", function()
    local most = gpuarray.to_gpu(ndarray.array({ 0x7fffffffffffffffLL, 1LL }, "int64"))
    assert.equal("-9223372036854775808", text(most:sum():item()))
    assert.equal("9223372036854775807", text(most:max():item()))
    assert.equal("9223372036854775807", text(most:prod():item()))
    assert.equal(2, most:argmin():item())
    local u = gpuarray.to_gpu(ndarray.array({ 0xffffffffffffffffULL, 2ULL }, "uint64"))
    assert.equal("1", text(u:sum():item()))
    assert.equal("18446744073709551615", text(u:max():item()))
    local big = gpuarray.to_gpu(ndarray.array({ 2 ^ 31 - 1, 2 ^ 31 - 1, 2 ^ 31 - 1 }, "int32"))
    assert.equal(3 * (2 ^ 31 - 1), big:sum():item())
    assert.equal(reference.float(2 ^ 31 - 1), big:mean():item())
  end)

  it("are the same whatever order blocks run in, and as often as they run", function()
    local a = random_array({ 300000 }, "float32", true)
    local b = random_array({ 9000, 20 }, "float32", true)
    local function hash() return table.concat(texts(a:sum()), " ") .. " " .. table.concat(texts(b:sum(1)), " ") end
    local first = hash()
    assert.equal(first, hash())
    if not soft then return end
    for _, how in ipairs { { order = "reverse" }, { order = "random:3" }, { threads = 3, order = "forward" },
      { threads = 2, order = "random:9" } } do
      soft.schedule(how)
      assert.equal(first, hash())
      assert.equal(tostring(a:argmax():item()), tostring(reference.argmax(flat(a))))
    end
    soft.schedule { threads = "auto", order = "forward" }
  end)

  it("do not race", function()
    if not soft then return pending "the check is the software device's" end
    local a, b = random_array({ 100000 }, "float32", true), random_array({ 3000, 5 }, "float64", true)
    a:eval()
    soft.check "races,barriers,shuffles,uninitialised"
    local ok, err = pcall(function()
      for _ = 1, 2 do
        a:sum():item()
        a:argmax():item()
        b:sum(1):get()
        b:argmin(2):get()
      end
    end)
    soft.check "off"
    assert.is_true(ok, tostring(err))
  end)

  it("gpuarray.dot and gpuarray.Array:dot multiply in the type that they add in; gpuarray.vdot conjugates", function()
    local a, b = random_array({ 3000 }, "float32", true), random_array({ 6000 }, "float32", true)[{ { -1, 1, -2 } }]
    assert.equal(text((a * b):sum():item()), text(a:dot(b):item()))
    local h, eight = gpuarray.to_gpu({ 300, 300 }, "float16"), gpuarray.to_gpu({ 100, 100, 100 }, "int8")
    assert.equal("inf", text(h:dot(h):item()))
    assert.equal(30000, gpuarray.dot(eight, eight):item())
    assert.equal(dtype.int64, gpuarray.dot(eight, eight).dtype)
    assert.equal(dtype.float16, h:dot(eight[{ { 1, 2 } }]).dtype)
    assert.equal(0, gpuarray.empty(0):dot(gpuarray.empty(0)):item())
    local z = dtype.complex64.ctype
    local c = gpuarray.to_gpu(ndarray.array({ z(1, 2), z(3, -4) }, "complex64"))
    assert.equal("-10,-20", text(c:dot(c):item()))
    assert.equal("30,0", text(gpuarray.vdot(c, c):item()))
    local m = gpuarray.to_gpu { { 1, 2 }, { 3, 4 } }
    assert.equal(30, gpuarray.vdot(m, m):item())
    assert.equal(29, gpuarray.vdot(m, m.T):item())
    assert.equal(29, gpuarray.vdot(gpuarray.to_gpu { 1, 3, 2, 4 }, m):item())
    local out = gpuarray.to_gpu(0, "float64")
    assert.equal(out, gpuarray.vdot(m, m, { out = out }))
    assert.equal(30, out:item())
    assert.equal(30, m:vdot(m):item())
    assert.equal("30,0", text(c:vdot(c):item()))
    assert.equal(tostring(m:matmul(m)), tostring(m:dot(m)))
    gpu.raises("LogicError", "shapes (3,) and (2,)", eight.dot, eight, h)
    gpu.raises("LogicError", "different numbers", gpuarray.vdot, m, h)
    gpu.raises("LogicError", "expected a gpuarray", gpuarray.vdot, m, 5)
    gpu.raises("LogicError", "gpuarray:vdot: expected a gpuarray", m.vdot, m, 5)
  end)

  it("gpuarray.dot, gpuarray.Array:vdot and gpuarray.subset_dot have the dtype that they are asked for", function()
    local eight = gpuarray.to_gpu({ 100, 100, 100 }, "int8")
    assert.equal(48, eight:dot(eight, { dtype = "int8" }):item())
    assert.equal(dtype.int8, eight:dot(eight, { dtype = "int8" }).dtype)
    local tenth = gpuarray.to_gpu { 0.1, 0.1 }
    local x = gpuarray.dot(tenth, tenth, { dtype = "float64" })
    assert.equal(dtype.float64, x.dtype)
    local f = tenth[1] -- 0.1 as float32
    assert.equal(f * f + f * f, x:item())
    assert.equal(0, tenth:vdot(tenth, { dtype = "int32" }):item()) -- converted first
    assert.equal("float64", gpuarray.subset_dot({ 1 }, tenth, tenth, { dtype = "float64" }).dtype.name)
    assert.equal(dtype.float64, gpuarray.empty(0):dot(gpuarray.empty(0), { dtype = "float64" }).dtype)
    gpu.raises("LogicError", "gpuarray:dot: not defined for int8 and int8 as bool", eight.dot, eight, eight,
      { dtype = "bool" })
    gpu.raises("LogicError", "gpuarray.vdot: unknown option 'axis'; valid options: allocator, dtype, out, stream",
      gpuarray.vdot, eight, eight, { axis = 1 })
    local pair = gpuarray.zeros(3, cuda.vec.float2)
    gpu.raises("LogicError", "gpuarray:dot: not defined for", pair.dot, pair, pair)
    gpu.raises("LogicError", "gpuarray:var: not defined for", pair.var, pair)
  end)

  it("gpuarray.var and gpuarray.std take ddof; gpuarray.ptp has the dtype of its operand", function()
    local a = gpuarray.to_gpu { { 1, 2, 4 }, { 8, 8, 8 } }
    assert.is_true(math.abs(a:var({ axis = 2, ddof = 1 })[1] - 7 / 3) < 1e-6)
    assert.equal(0, gpuarray.std(a, 2)[2])
    assert.equal("nan", text(a:var({ axis = { 1, 2 }, ddof = 6 }):item() * 0 / 0))
    assert.equal("inf", text(gpuarray.var(a, { ddof = 6 }):item()))
    assert.same({ 3, 0 }, gpuarray.ptp(a, 2):tolist())
    assert.same({ 2, 1 }, a:ptp({ axis = 2, keepdims = true }).shape)
    assert.equal(dtype.int8, gpuarray.to_gpu({ 1, 5 }, "int8"):ptp().dtype)
    assert.equal(dtype.float32, gpuarray.to_gpu({ 1, 5 }, "int8"):var().dtype)
    assert.equal(dtype.float16, gpuarray.to_gpu({ 1, 5 }, "float16"):std().dtype)
    assert.equal(dtype.float32, gpuarray.to_gpu({ 1, 5 }, "complex64"):std().dtype)
    assert.equal(4, gpuarray.to_gpu({ 1, 5 }, "complex64"):var():item())
    -- Not as float32 all the way: it does not hold these.
    local long = gpuarray.to_gpu({ 2 ^ 24, 2 ^ 24 + 1 }, "int32")
    assert.same({ 0.25, 0.5, 0.25, 0 }, { long:var():item(), long:std():item(), long:nanvar():item(),
      long:var({ dtype = "float32" }):item() })
    assert.equal(16777217, gpuarray.full(3, 16777217, "int64"):nanmean({ dtype = "float64" }):item())
    assert.equal(5 * 2 ^ 60, gpuarray.to_gpu({ 3LL * 2LL ^ 60, 2LL ^ 62 }, "int64"):norm():item()) -- no inf
    -- Infinity has no distance, whatever the other part is.
    local z = dtype.complex64.ctype
    local far = gpuarray.to_gpu(ndarray.array({ z(1, 2), z(1 / 0, 0 / 0) }, "complex64"))
    assert.equal("nan nan", text(far:var():item()) .. " " .. text(far:std():item()))
    gpu.raises("LogicError", "ddof", a.var, a, { ddof = "1" })
    gpu.raises("LogicError", "unknown option", a.std, a, { weights = 1 })
  end)

  -- Of a list, what leaves NaN out.
  local function numbers_of(list)
    local out = {}
    for _, x in ipairs(list) do
      if x == x then out[#out + 1] = x end
    end
    return out
  end

  it("that begin with nan leave it out", function()
    local nan, inf = 0 / 0, 1 / 0
    for _, t in ipairs { "float32", "float16" } do
      local rows = { { 1, nan, 3, 2 }, { nan, nan, nan, nan }, { nan, -inf, 4, -1 }, { 0.5, 0.5, nan, 0.5 } }
      local a = gpuarray.to_gpu(ndarray.array(rows, t))
      local function row(name, options)
        options = options or {}
        options.axis = 2
        return table.concat(texts(a[name](a, options)), " ")
      end
      assert.equal("6 0 -inf 1.5", row "nansum")
      assert.equal("6 1 inf 0.125", row "nanprod")
      assert.equal("1 nan -inf 0.5", row "nanmin")
      assert.equal("3 nan 4 0.5", row "nanmax")
      assert.equal("1 0 2 1", row "nanargmin")
      assert.equal("3 0 3 1", row "nanargmax")
      assert.equal("2 nan -inf 0.5", row "nanmean")
      assert.equal("nan nan 0", row "nanvar":match " (.*)")
      assert.equal("1 nan nan 0", row("nanvar", { ddof = 1 }))
      assert.equal("1 nan nan 0", row("nanstd", { ddof = 1 }))
      for _, name in ipairs { "nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar" } do
        assert.equal(t, a[name](a).dtype.name)
      end
    end
    local b = random_array({ 40, 50 }, "float32")
    for _, name in ipairs { "min", "max", "argmin", "argmax" } do
      local list, got = flat(b), b["nan" .. name](b):item()
      local want = reference[name](numbers_of(list), dtype.float32)
      assert.equal(text(name:find "arg" and numbers_of(list)[want] or want), text(name:find "arg" and list[got] or got))
    end
    local c = random_array({ 30 }, "int16")
    for _, name in ipairs { "sum", "prod", "min", "max", "argmin", "argmax", "mean", "var", "std" } do
      assert.equal(text(c[name](c):item()), text(gpuarray["nan" .. name](c):item()))
      assert.equal(c[name](c).dtype, c["nan" .. name](c).dtype)
      assert.same({ 1 }, c["nan" .. name](c, { keepdims = true }).shape)
    end
    local z = dtype.complex64.ctype
    local d = gpuarray.to_gpu(ndarray.array({ z(1, 2), z(nan, 0), z(3, -4) }, "complex64"))
    assert.equal("4,-2", text(d:nansum():item()))
    assert.equal("2,-1", text(d:nanmean():item()))
    assert.equal("10", text(d:nanvar():item()))
    assert.equal("float32", d:nanstd().dtype.name)
    local out = gpuarray.zeros {}
    assert.equal(out, gpuarray.nansum(b, { out = out }))
    assert.equal(dtype.float64, b:nansum({ dtype = "float64" }).dtype)
    gpu.raises("LogicError", "gpuarray.nanmin: the array has no elements", gpuarray.nanmin, gpuarray.empty(0))
    gpu.raises("LogicError", "ddof", b.nanvar, b, { ddof = "1" })
    gpu.raises("LogicError", "not defined for complex64", d.nanmax, d)
  end)

  for _, name in ipairs(simple_functions()) do
    it(("gpuarray.%s is gpuarray.Array:%s"):format(name, name), function()
      local a = random_array({ 4, 6 }, "float32", true)
      assert.same(texts(a[name](a, 2)), texts(gpuarray[name](a, { axis = -1 })))
      assert.same({ 4, 1 }, a[name](a, { axis = 2, keepdims = true }).shape)
      local out = gpuarray.zeros({ 6 }, a[name](a, 1).dtype)
      assert.equal(out, a[name](a, { axis = 1, out = out }))
      assert.same(texts(a[name](a, 1)), texts(out))
      gpu.raises("LogicError", "gpuarray." .. name .. ": expected a gpuarray", gpuarray[name])
      gpu.raises("LogicError", "gpuarray:" .. name .. ": expected a gpuarray", a[name], 5)
      gpu.raises("LogicError", "unknown option", a[name], a, { axes = 1 })
      gpu.raises("LogicError", "gpuarray:" .. name, a[name], a, { out = 5 })
    end)
  end

  it("gpuarray.norm of any order, and gpuarray.logsumexp without overflow", function()
    local inf = math.huge
    local a = gpuarray.to_gpu { { 3, -4 }, { 0, 2 } }
    assert.same({ 5, 2 }, a:norm(2):tolist())
    assert.same({ 7, 2 }, a:norm({ axis = 2, ord = 1 }):tolist())
    assert.same({ 2, 1 }, a:norm({ axis = 2, ord = 0 }):tolist())
    assert.same({ 4, 2 }, a:norm({ axis = 2, ord = inf }):tolist())
    assert.same({ 3, 0 }, a:norm({ axis = 2, ord = -inf }):tolist())
    assert.is_true(math.abs(a[1]:norm({ ord = 3 }):item() - 91 ^ (1 / 3)) < 1e-5)
    local z = dtype.complex64.ctype
    local c = gpuarray.to_gpu(ndarray.array({ z(3, 4), z(0, 12) }, "complex64"))
    assert.equal(13, c:norm():item())
    assert.equal(17, c:norm({ ord = 1 }):item())
    assert.equal(dtype.float32, c:norm().dtype)
    assert.equal(5, gpuarray.to_gpu({ 3, 4 }, "int8"):norm():item())
    assert.equal(500, gpuarray.to_gpu({ 300, 400 }, "float16"):norm():item()) -- whose squares overflow
    assert.equal(dtype.float16, gpuarray.to_gpu({ 300, 400 }, "float16"):norm().dtype)
    assert.equal(0, gpuarray.empty(0):norm():item())
    gpu.raises("LogicError", "ord must be a number", a.norm, a, { ord = "fro" })
    local x = gpuarray.to_gpu({ { 1000, 1000 }, { -inf, -inf }, { -inf, 5 }, { inf, 0 }, { 0 / 0, 1 } }, "float64")
    assert.equal(text(1000 + math.log(2)), text(x:logsumexp(2)[1]))
    assert.equal("-inf 5 inf nan", table.concat(texts(x:logsumexp(2)[{ { 2, 5 } }]), " "))
    assert.equal("-inf", text(gpuarray.empty(0):logsumexp():item()))
    local r = random_array({ 2000 }, "float64", true)
    assert.is_true(math.abs(r:logsumexp():item() - math.log(r:exp():sum():item())) < 1e-12)
    assert.equal(dtype.float32, gpuarray.to_gpu({ 1, 2 }, "int32"):logsumexp().dtype)
    gpu.raises("LogicError", "not defined for complex64", c.logsumexp, c)
  end)

  it("gpuarray.subset_sum, gpuarray.subset_min, gpuarray.subset_max, gpuarray.subset_dot: of some elements", function()
    local a, b = gpuarray.to_gpu { 5, 1, 7, 3 }, gpuarray.to_gpu { 1, 2, 3, 4 }
    local subset = gpuarray.to_gpu({ 1, 3, 3 }, "int32")
    assert.equal(19, gpuarray.subset_sum(subset, a):item())
    assert.equal(5, gpuarray.subset_min(subset, a):item())
    assert.equal(7, gpuarray.subset_max({ 1, -2 }, a):item())
    assert.equal(47, gpuarray.subset_dot(subset, a, b):item())
    assert.equal(19, gpuarray.subset_sum(subset, a):get())
    gpu.raises("LogicError", "", gpuarray.subset_sum, { 5 }, a)
  end)

  it("do not compute what nobody reads: temporaries are forgotten", function()
    for _, name in ipairs { "int32", "float16", "complex64" } do
      local a = gpuarray.arange(9, name):eval()
      gpuarray.eval()
      for _, f in ipairs { "var", "std", "nanvar", "nanstd", "nanmean", "nansum", "norm", "logsumexp" } do
        if name ~= "complex64" or f ~= "logsumexp" then a[f](a) end
      end
      for _, ord in ipairs { 0, 1, 3, 1 / 0 } do a:norm { ord = ord } end
      a:dot(a)
      a:vdot(a)
      assert.equal(1, kernels(function() a[{ { 1, 2 } }] = 5 end), name)
    end
  end)

  it("do not compute what nobody reads: temporaries of dot() are forgotten", function()
    local a = gpuarray.to_gpu { 1, 2, 3 }
    gpuarray.eval() -- what earlier tests left
    assert.equal(14, a:dot(a):item())
    assert.equal(1, kernels(function() a[{ { 1, 2 } }] = 5 end)) -- and the product of before was not computed for it
    assert.equal(0, kernels(gpuarray.eval))
    assert.equal(59, a:dot(a):item())
  end)

  it("run in any stream, and in captures", function()
    local a = random_array({ 100000 }, "float32", true)
    local want = text(a:sum():item())
    local s = cuda.Stream()
    s:use(function() assert.equal(want, text(a:sum():item())) end)
    local out = gpuarray.to_gpu(0)
    local graph = s:capture(function() a:sum({ out = out }) end)
    local exec = graph:instantiate()
    for _ = 1, 3 do
      exec:launch(s)
      s:synchronize()
      assert.equal(want, text(out:item()))
      out:fill(0)
      cuda.Context.synchronize()
    end
    exec:close()
    graph:close()
    s:close()
  end)
end)
