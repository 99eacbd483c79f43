-- Products of arrays, against plain Lua that adds up in the documented order: to the bit, for each dtype, tile, layout.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local own_kernels = require "spec.support.own_kernels"
local products = require "spec.support.products"
local turn = require "spec.support.turn"
local dtype = require "cudalua.dtype"
local gpuarray = require "cudalua.gpuarray"
local plan = require "cudalua.gpuarray.product.plan"
local cuda = gpu.cuda

setup(own_kernels.choose)
teardown(own_kernels.restore)

local all = os.getenv "CUDALUA_ALL" ~= nil

local RESULTS = { float16 = "float16", bfloat16 = "bfloat16", float32 = "float32", float64 = "float64",
  complex64 = "complex64", complex128 = "complex128", int8 = "int32", int16 = "int64", int32 = "int64",
  int64 = "int64", uint8 = "uint64", uint16 = "uint64", uint32 = "uint64", uint64 = "uint64", bool = "int64" }

local function random(shape, t, seed) return products.random(shape, t, products.numbers(seed or 1)) end

-- A product of contiguous operands of one batch is that of plain Lua.
local function check(a, b, x, result)
  local want = products.product(a, b, result or x.dtype)
  assert.equal(tostring(result or x.dtype), tostring(x.dtype))
  assert.same({ unpack(want.shape) }, { unpack(x.shape) })
  assert.is_true(products.bytes(want) == products.bytes(x), "other bits: " .. tostring(a.shape) .. tostring(b.shape))
end

describe("gpuarray.matmul and gpuarray.Array:matmul", function()
  local it = turn.tests(it) -- luacheck: ignore 431
  setup(gpu.context)

  it("computes each dtype in its accumulator, in the documented order", function()
    for t, result in pairs(RESULTS) do
      local a, b = random({ 5, 37 }, t, 3), random({ 37, 18 }, t, 4)
      check(a, b, gpuarray.matmul(a, b), result)
      check(a, b[{ {}, { 2 } }], a:matmul(b[{ {}, { 2 } }]), result)
      check(a[{ { 3 } }], b, a[{ { 3 } }]:matmul(b), result)
    end
  end)

  it("has the same bits for all tiles, layouts and numbers of multiprocessors", function()
    for _, t in ipairs(all and { "float16", "float32", "float64", "complex64", "complex128", "int8", "int64" } or
      { "float32", "complex128" }) do
      local a, b = random({ 70, 35 }, t, 5), random({ 35, 131 }, t, 6)
      local want = products.bytes(products.product(a, b, RESULTS[t]))
      local a_rows, b_rows = a:copy "F", b:copy "F"
      local wide = gpuarray.zeros({ 140, 105 }, t)
      local part = wide[{ { 1, -1, 2 }, { 2, -1, 3 } }]
      part:set(a)
      for _, tile in ipairs { 1, 2, 4, 8 } do
        local restore = knob(plan, "forced", tile)
        local pairs_of = { { a, b }, { a_rows, b_rows }, { part, b }, { a:flip():flip(), b } }
        for k = 1, (all or tile == 1) and #pairs_of or 2 do
          local pair = pairs_of[k]
          assert.is_true(want == products.bytes(pair[1]:matmul(pair[2])), t .. " " .. tile)
        end
        local back = a:flip(1):matmul(b:flip(2))
        restore()
        assert.is_true(want == products.bytes(back:flip()), t .. " backwards " .. tile)
      end
      for _, count in ipairs { 1, 7, 132 } do
        local restore = knob(plan, "multiprocessors", count)
        local x = a:matmul(b)
        restore()
        assert.is_true(want == products.bytes(x), t .. " multiprocessors " .. count)
      end
    end
  end)

  it("reads whole tiles in packs of 16 bytes where the operands are aligned", function()
    for _, t in ipairs(all and { "float16", "float32", "float64", "complex64", "int8", "int64" } or
      { "float16", "float32", "int8" }) do
      local a, b = random({ 2, 130, 48 }, t, 5), random({ 48, 136 }, t, 6)
      local want = products.bytes(products.product(a, b:broadcast_to({ 2, 48, 136 }):copy "C", RESULTS[t]))
      local space_a, space_b = { 2, 132, 56 }, { 49, 144 }
      local function moved(space, x, ...)
        local part = gpuarray.zeros(space, t)[{ ... }]
        part:set(x)
        return part
      end
      local others = { { a, b }, { a:transpose({ 1, 3, 2 }):copy("C"):transpose { 1, 3, 2 }, b.T:copy("C").T },
        { moved(space_a, a, {}, { 2, 131 }, { 9, 56 }), b }, -- pack of 16 bytes, and of fewer
        { moved(space_a, a, {}, { 2, 131 }, { 3, 50 }), moved(space_b, b, { 2, 49 }, { 5, 140 }) },
        { a, moved(space_b, b, { 2, 49 }, { 2, 137 }) } }
      for _, tile in ipairs(all and { 4, 8 } or { t == "float16" and 4 or 8 }) do
        for k, pair in ipairs(others) do
          local restore = knob(plan, "forced", tile)
          local x = pair[1]:matmul(pair[2])
          restore()
          assert.is_true(want == products.bytes(x), ("%s, tile %d, layout %d"):format(t, tile, k))
        end
      end
    end
  end)

  it("adds up many terms in chunks", function()
    for _, shape in ipairs { { 3, 512, 2 }, { 2, 1000, 5 }, { 66, 520, 3 }, { 17, 511, 2 }, { 2, 70001, 3 } } do
      local m, k, n = unpack(shape)
      for _, t in ipairs { "float32", "float16" } do
        local a, b = random({ m, k }, t, 7), random({ k, n }, t, 8)
        check(a, b, a:matmul(b))
      end
    end
    local a, b = random({ 2, 3, 600 }, "complex64", 9), random({ 2, 600, 3 }, "complex64", 10)
    check(a, b, a:matmul(b))
    local c, d = random({ 3, 700 }, "int32", 9), random({ 700, 2 }, "int32", 10)
    check(c, d, c:matmul(d))
  end)

  it("multiplies matrices and vectors by lanes, in chunks of 4096 terms", function()
    for _, k in ipairs { 1, 31, 33, 300, 4096, 4097, 9000 } do
      local types = (k == 33 or k == 300) and { "float32", "complex64", "complex128", "float16" } or { "float32" }
      for _, t in ipairs(types) do
        local a, x = random({ k == 300 and 70 or 3, k }, t, k), random({ k, 1 }, t, k + 1)
        local want = a:matmul(x)
        check(a, x, want)
        local bytes = products.bytes(want)
        assert.is_true(bytes == products.bytes(a:copy "F":matmul(x)))
        assert.is_true(bytes == products.bytes(a:matmul(x:squeeze(2))))
        check(x.T, a.T:copy(), x.T:matmul(a.T))
        check(x.T, a.T:copy(), x.T:matmul(a.T:copy()))
        for _, count in ipairs { 1, 132 } do
          local restore = knob(plan, "multiprocessors", count)
          local again = a:matmul(x)
          restore()
          assert.is_true(bytes == products.bytes(again))
        end
      end
    end
  end)

  it("loses the axis of a vector, and is dot() of two", function()
    local a, b = random({ 4, 6 }, "float32"), random({ 6, 5 }, "float32", 2)
    local u, v = a[2], b[{ {}, 3 }]
    assert.same({ 5 }, { unpack(u:matmul(b).shape) })
    assert.same({ 4 }, { unpack(a:matmul(v).shape) })
    assert.same({}, { unpack(u:matmul(v).shape) })
    assert.equal(products.bytes(u:dot(v)), products.bytes(u:matmul(v)))
    assert.equal("int32", u:astype("int8"):matmul(v:astype "int8").dtype.name)
    assert.equal(products.bytes(a[{ { 2 } }]:matmul(b)), products.bytes(u:matmul(b)))
    local batch = random({ 3, 1, 4, 6 }, "float32", 3)
    assert.same({ 3, 1, 4 }, { unpack(batch:matmul(v).shape) })
    assert.same({ 3, 1, 5 }, { unpack(u:matmul(random({ 3, 1, 6, 5 }, "float32")).shape) })
  end)

  it("broadcasts batches, also of views", function()
    local a, b = random({ 2, 1, 3, 7 }, "float64"), random({ 4, 7, 5 }, "float64", 2)
    local wide_a = a:broadcast_to({ 2, 4, 3, 7 }):copy()
    local wide_b = b:broadcast_to({ 2, 4, 7, 5 }):copy()
    check(wide_a, wide_b, a:matmul(b))
    check(wide_a, wide_b, wide_a:transpose({ 2, 1, 3, 4 }):copy():transpose({ 2, 1, 3, 4 }):matmul(b))
    local m = random({ 7, 5 }, "float64", 5)
    check(wide_a, m:broadcast_to({ 2, 4, 7, 5 }):copy(), wide_a:matmul(m))
    local third = random({ 2, 3, 4, 3, 7 }, "float32", 6):transpose { 3, 1, 2, 4, 5 }
    local other = random({ 3, 7, 2 }, "float32", 7)
    check(third:copy(), other:broadcast_to({ 4, 2, 3, 7, 2 }):copy(), third:matmul(other))
  end)

  it("takes pending operands, and gives zeros for no terms", function()
    local a, b = random({ 4, 6 }, "float32"), random({ 6, 5 }, "float32", 2)
    check((a * 2 + 1):copy(), (b - 1):copy(), (a * 2 + 1):matmul(b - 1))
    check(a:astype "float64", b:astype "float64", a:matmul(b:astype "float64"), "float64")
    local none = gpuarray.zeros({ 3, 0 }):matmul(gpuarray.zeros { 0, 2 })
    assert.same({ { 0, 0 }, { 0, 0 }, { 0, 0 } }, none:get():tolist())
    assert.same({ 0, 2 }, { unpack(gpuarray.zeros({ 0, 4 }):matmul(gpuarray.zeros { 4, 2 }).shape) })
    assert.same({ 0 }, gpuarray.zeros({ 1, 0 }):matmul(gpuarray.zeros { 0 }):tolist())
    assert.same({ 0, 3, 2 }, { unpack(gpuarray.zeros({ 0, 3, 4 }):matmul(gpuarray.zeros { 4, 2 }).shape) })
  end)

  it("keeps -0, infinities and NaN as fmaf does", function()
    local inf, nan = 1 / 0, 0 / 0
    local a = gpuarray.to_gpu({ { -0.0, 1 }, { inf, 1 }, { nan, 1 }, { 1e-30, 0 } }, "float32")
    local b = gpuarray.to_gpu({ { 1, -1e-30 }, { -0.0, 1 } }, "float32")
    assert.equal(tostring(products.product(a, b, "float32")), tostring(a:matmul(b)))
  end)

  it("has a dtype, an out, a stream and an allocator", function()
    local a, b = random({ 4, 60 }, "float16"), random({ 60, 5 }, "float16", 2)
    check(a, b, a:matmul(b, { dtype = "float32" }), "float32")
    check(a:astype "float64", b:astype "float64", a:matmul(b, { dtype = "float64" }), "float64")
    local i, j = random({ 4, 60 }, "int8"), random({ 60, 5 }, "int8", 2)
    check(i, j, i:matmul(j, { dtype = "int8" }), "int8")
    check(i:astype "int16", j:astype "int16", i:matmul(j, { dtype = "int64" }), "int64")
    check(i:astype "float32", j:astype "float32", i:matmul(j, { dtype = "float32" }), "float32")
    local out = gpuarray.zeros({ 4, 5 }, "float32")
    assert.equal(out, gpuarray.matmul(a, b, { out = out }))
    assert.is_true(products.bytes(a:matmul(b):astype "float32") == products.bytes(out))
    local square = random({ 6, 6 }, "float32")
    local want = products.bytes(square:matmul(square))
    square:matmul(square, { out = square.T })
    assert.is_true(want == products.bytes(square.T))
    local s = cuda.Stream "non_blocking"
    local x = a:matmul(b, { stream = s })
    assert.is_true(products.bytes(a:matmul(b)) == products.bytes(x))
    s:close()
    local asked
    local y = a:matmul(b, { allocator = function(bytes)
      asked = bytes
      return cuda.mem_alloc(bytes)
    end })
    assert.equal(40, asked)
    assert.is_true(products.bytes(x) == products.bytes(y))
  end)

  it("writes to out at once where it shares no memory with an operand, and as all writes do", function()
    local a, b = random({ 20, 600 }, "float32"), random({ 600, 18 }, "float32", 2)
    local want = products.bytes(a:matmul(b))
    local wide = gpuarray.ones({ 40, 20 }, "float32")
    local part = wide[{ { -1, 2, -2 }, { 2, 19 } }]
    assert.equal(2, gpu.kernels(function() a:matmul(b, { out = part }) end)) -- of chunks, and their sum
    wide:fill(1)
    local later = wide + 1
    a:matmul(b, { out = part })
    assert.is_true(want == products.bytes(part))
    assert.equal(2 * 800, later:sum():item())
    assert.is_true(math.abs(wide:sum { dtype = "float64" }:item() - part:sum { dtype = "float64" }:item() - 440) < 1e-6)
    local square = random({ 9, 9 }, "float32", 4)
    local product, sum = products.bytes(square:matmul(square)), products.bytes(square:addmm(square, square))
    local copy = square:copy()
    assert.equal(copy, copy:matmul(square, { out = copy }))
    assert.is_true(product == products.bytes(copy))
    copy = square:copy()
    copy:addmm(square, square, { out = copy })
    assert.is_true(sum == products.bytes(copy))
    copy = square:copy()
    copy:addmm(square, square, { out = copy.T })
    assert.is_true(sum == products.bytes(copy.T))
    local row = gpuarray.zeros({ 18 }, "float32")
    gpu.raises("LogicError", "repeated elements and cannot be " ..
      "written", gpuarray.matmul, a, b, { out = row:broadcast_to(20, 18) })
    gpu.raises("LogicError", "out must be a gpuarray", gpuarray.matmul, a, b, { out = 5 })
    local none = gpuarray.zeros({ 3, 0 }):matmul(gpuarray.zeros { 0, 2 }, { out = gpuarray.ones { 3, 2 } })
    assert.equal(0, none:sum():item())
  end)

  it("is the same under fast_math, and inside a graph", function()
    local a, b = random({ 20, 600 }, "float32"), random({ 600, 20 }, "float32", 2)
    local want = products.bytes(a:matmul(b))
    gpuarray.fast_math(true)
    local x = a:matmul(b)
    gpuarray.fast_math(false)
    assert.is_true(want == products.bytes(x))
    local out = gpuarray.zeros({ 20, 20 }, "float32")
    local step = cuda.graph(function() a:matmul(b, { out = out }) end)
    step()
    assert.is_true(want == products.bytes(out))
    a:imul(2)
    step()
    assert.is_true(products.bytes(a:matmul(b)) == products.bytes(out))
  end)

  it("has the bits of plain Lua for random shapes", function()
    local next_number = products.numbers(tonumber(os.getenv "CUDALUA_SEED") or 11)
    local function below(n) return math.floor(next_number() * n) end
    local types = { "float32", "float64", "complex64", "float16", "int16" }
    for _ = 1, all and 300 or 25 do
      local m, k, n, t = below(24), below(50), below(24), types[1 + below(#types)]
      local a, b = products.random({ m, k }, t, next_number), products.random({ k, n }, t, next_number)
      check(a, b, a:matmul(b), RESULTS[t])
    end
  end)

  it("names both shapes where they do not fit", function()
    local a, b = gpuarray.zeros { 3, 4 }, gpuarray.zeros { 5, 2 }
    gpu.raises("LogicError", "gpuarray.matmul: shapes (3, 4) and (5, 2) do not match: the last axis of the first " ..
      "has 4 elements, the second to last of the second 5", gpuarray.matmul, a, b)
    gpu.raises("LogicError", "gpuarray:matmul: shapes (3, 4) and (3,)", a.matmul, a, gpuarray.zeros { 3 })
    gpu.raises("LogicError", "shapes (2,) and (3,)", a.matmul, gpuarray.zeros { 2 }, gpuarray.zeros { 3 })
    gpu.raises("LogicError", "(2,) and (3,) cannot be broadcast", a.matmul, gpuarray.zeros { 2, 3, 4 },
      gpuarray.zeros { 3, 4, 2 })
    gpu.raises("LogicError", "at least one axis", a.matmul, a, gpuarray.zeros {})
    gpu.raises("LogicError", "b must be a gpuarray", a.matmul, a, 2)
    gpu.raises("LogicError", "to_gpu", gpuarray.matmul, a:get { array = true }, a)
    gpu.raises("LogicError", "the result has the shape (3, 3)", gpuarray.matmul, a, a.T, { out = a })
    gpu.raises("LogicError", "complex64 cannot be stored in float32", gpuarray.matmul, a:astype "complex64", a.T,
      { dtype = "float32" })
    gpu.raises("LogicError", "not a bool", gpuarray.matmul, a:astype "int8", a.T:astype "int8", { dtype = "bool" })
    gpu.raises("LogicError", "unknown option", gpuarray.matmul, a, a.T, { axes = 2 })
    local point = dtype.struct({ { "x", "float32" } }, { name = "spec_matmul_point" })
    gpu.raises("LogicError", "struct", gpuarray.matmul, gpuarray.empty({ 2, 2 }, point), a)
  end)
end)

describe("gpuarray.dot", function()
  local it = turn.tests(it) -- luacheck: ignore 431
  setup(gpu.context)

  it("is matmul() if an operand is a matrix", function()
    local a, b = random({ 4, 6 }, "float32"), random({ 6, 5 }, "float32", 2)
    assert.is_true(products.bytes(a:matmul(b)) == products.bytes(gpuarray.dot(a, b)))
    assert.is_true(products.bytes(a:matmul(b[{ {}, 1 }])) == products.bytes(a:dot(b[{ {}, 1 }])))
    gpu.raises("LogicError", "gpuarray.dot: shapes (4, 6) and (4, 6) do not match", gpuarray.dot, a, a)
    gpu.raises("LogicError", "matmul() multiplies batches", gpuarray.dot, a, gpuarray.zeros { 2, 6, 2 })
    gpu.raises("LogicError", "tensordot", a.dot, gpuarray.zeros { 2, 4, 6 }, b)
  end)
end)

describe("gpuarray.addmm and gpuarray.Array:addmm", function()
  local it = turn.tests(it) -- luacheck: ignore 431
  setup(gpu.context)

  local function ended(a, b, c, alpha, beta, result)
    local want = products.product(a, b, result, { alpha = alpha, beta = beta, c = beta and c })
    local options = { alpha = alpha, beta = beta or 0 }
    local x = c:addmm(a, b, options)
    assert.equal(result, x.dtype.name)
    assert.is_true(products.bytes(want) == products.bytes(x), result)
  end

  it("scales, adds and rounds once", function()
    for t, result in pairs(RESULTS) do
      if not t:find "complex" and t ~= "bool" then
        local whole = t:find "int"
        for _, k in ipairs { 9, 600 } do
          local a, b = random({ 3, k }, t, 3), random({ k, 4 }, t, 4)
          local c = random({ 3, 4 }, result, 5)
          ended(a, b, c, 1, 1, result)
          ended(a, b, c, whole and 3 or 0.75, whole and 2 or -1.5, result)
          ended(a, b, c, whole and 3 or 0.75, nil, result)
        end
        ended(random({ 1, 70 }, t), random({ 70, 6 }, t), random({ 1, 6 }, result), 2, 3, result)
        ended(random({ 6, 70 }, t), random({ 70, 1 }, t), random({ 6, 1 }, result), 2, 3, result)
      end
    end
  end)

  it("takes complex factors", function()
    local ffi = require "ffi"
    local a, b = random({ 3, 9 }, "complex64"), random({ 9, 4 }, "complex64", 2)
    local c = random({ 3, 4 }, "complex64", 3)
    local want = products.product(a, b, "complex64", { alpha = { 0.5, -2 }, beta = { 0, 1.25 }, c = c })
    local x = c:addmm(a, b, { alpha = ffi.new("complex", 0.5, -2), beta = ffi.new("complex", 0, 1.25) })
    assert.is_true(products.bytes(want) == products.bytes(x))
  end)

  it("does not read the array if beta is 0", function()
    local a = gpuarray.full({ 2, 2 }, 0 / 0)
    local b = gpuarray.eye(2)
    assert.same({ { 2, 0 }, { 0, 2 } }, a:addmm(b, b, { alpha = 2, beta = 0 }):tolist())
  end)

  it("broadcasts the array, has its dtype if that is larger, and may write to it", function()
    local a, b = random({ 3, 9 }, "float16"), random({ 9, 4 }, "float16", 2)
    local row = random({ 4 }, "float32", 3)
    local x = row:addmm(a, b)
    local c = row:broadcast_to({ 3, 4 }):copy()
    local want = products.product(a, b, "float32", { alpha = 1, beta = 1, c = c })
    assert.is_true(products.bytes(want) == products.bytes(x))
    assert.equal(c, c:addmm(a, b, { out = c }))
    assert.is_true(products.bytes(want) == products.bytes(c))
    assert.is_true(products.bytes(want) == products.bytes(gpuarray.addmm(row, a, b)))
    local d = random({ 3, 4 }, "float64", 4)
    assert.equal("float64", d:addmm(a, b).dtype.name)
    assert.same({ { 5 } }, gpuarray.to_gpu({ { 5 } }, "int32"):addmm(gpuarray.zeros({ 1, 0 }, "int8"),
      gpuarray.zeros({ 0, 1 }, "int8")):tolist())
  end)

  it("refuses other factors and shapes", function()
    local a, c = gpuarray.zeros { 3, 3 }, gpuarray.zeros { 2 }
    gpu.raises("LogicError", "broadcast to the product's shape, (3, 3)", c.addmm, c, a, a)
    gpu.raises("LogicError", "alpha must be a number", a.addmm, a, a, a, { alpha = "2" })
    local i = gpuarray.zeros({ 3, 3 }, "int32")
    gpu.raises("LogicError", "beta", i.addmm, i, i, i, { beta = 1.5 })
    gpu.raises("LogicError", "gpuarray.addmm: shapes (3, 3) and (2,)", gpuarray.addmm, a, a, c)
  end)
end)

describe("own.step", function()
  local it = turn.tests(it) -- luacheck: ignore 431
  setup(gpu.context)

  it("writes to a part of a matrix and adds to it, whatever its strides", function()
    local operands = require "cudalua.gpuarray.product.operands"
    local own = require "cudalua.gpuarray.product.own"
    local runs = require "cudalua.gpuarray.core.run"
    local storage = require "cudalua.gpuarray.core.storage"
    for _, shape in ipairs { { 20, 9, 18 }, { 6, 600, 5 }, { 7, 40, 1 }, { 1, 40, 7 } } do
      local m, k, n = unpack(shape)
      local a, b = random({ m, k }, "float32"), random({ k, n }, "float32", 2)
      local big = random({ 2 * n + 3, m + 4 }, "float32", 3)
      local part = big[{ { 2, 2 * n, 2 }, { -3, -m - 2, -1 } }].T
      assert.same({ m, n }, { unpack(part.shape) })
      local want = products.product(a, b, "float32", { alpha = -1, beta = 1, c = part:copy "C" })
      local rest = big:sum():item() - part:sum():item()
      local steps = { since = storage.writes, leaves = { a:eval()._leaf, b:eval()._leaf }, writes = { part._leaf } }
      own.step(steps, operands.of("spec", a, b), part._leaf, -1, 1, part._leaf)
      assert.is_true((runs.sequence(steps)))
      assert.is_true(products.bytes(want) == products.bytes(part))
      assert.is_true(math.abs(big:sum():item() - part:sum():item() - rest) < 1e-3)
    end
  end)
end)
