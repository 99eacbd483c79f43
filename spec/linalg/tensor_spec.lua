-- Products on tensor cores. The software device computes what the instructions do, term by term: the bits are those of
-- plain Lua, as in matmul_spec. A GPU's floats are near; its int8 products are the same bits.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local own_kernels = require "spec.support.own_kernels"
local products = require "spec.support.products"
local turn = require "spec.support.turn"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local core = require "cudalua.core"
local plan = require "cudalua.gpuarray.product.plan"
local runs = require "cudalua.gpuarray.core.run"
local cuda, gpuarray, linalg = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.linalg

setup(own_kernels.choose)
teardown(own_kernels.restore)

local all = os.getenv "CUDALUA_ALL" ~= nil
local TYPES = { "int8", "float16", "bfloat16", "float32" }
local RESULTS = { int8 = "int32", float16 = "float16", bfloat16 = "bfloat16", float32 = "float32" }
-- What sums and results may be off by, as parts of the sum of the terms' absolute values. The expected result is
-- rounded too, and may be rounded the other way: a whole unit in the last place.
local SUM, ROUNDING = 2 ^ -16, { float16 = 2 ^ -10, bfloat16 = 2 ^ -7, float32 = 2 ^ -23 }

local function random(shape, t, seed) return products.random(shape, t, products.numbers(seed or 1)) end

-- TF32: 13 bits fewer, half of the last one away from 0.
local function as_tf32(x)
  return ((x:copy "C":view "uint32" + 4096):bitwise_and(0xffffe000)):astype "uint32":view "float32":eval()
end

local function factors(a, b, t)
  if t == "float32" then return as_tf32(a), as_tf32(b) end
  return a, b
end

-- What a product has to be: a host array, or on a GPU, for floats, a function that looks at a result.
local function wanted(a, b, t, result, ends)
  local x, y = factors(a, b, t)
  local want = products.product(x, y, result or RESULTS[t], ends)
  if gpu.soft or t == "int8" then return want end
  local size = x:astype "float64":abs():matmul(y:astype "float64":abs())
  return want, size * ((ends and math.abs(ends.alpha) or 1) * (SUM + ROUNDING[t]))
end

local function check(x, want, near, name)
  assert.equal(want.dtype, x.dtype)
  assert.same({ unpack(want.shape) }, { unpack(x.shape) })
  if not near then
    assert.is_true(products.bytes(want) == products.bytes(x), "other bits: " .. name)
  else
    local off = (gpuarray.to_gpu(want):astype "float64" - x:astype "float64"):abs() - near
    assert.is_true(off:max():item() <= 0, "too far off: " .. name)
  end
end

-- The same elements, lying otherwise: not one after the other, not on multiples of 4 bytes, backwards.
local function part_of(x)
  local wide = gpuarray.zeros({ 2 * x.shape[1], x.shape[2] + 5 }, x.dtype)
  local part = wide[{ { 1, -1, 2 }, { 2, x.shape[2] + 1 } }]
  part:set(x)
  return part
end

local undone = {} -- what a test changes

local function set(module, field, value) undone[#undone + 1] = knob(module, field, value) end

local function undo()
  linalg.precision "full"
  while #undone > 0 do table.remove(undone)() end
end

describe("linalg.precision tensor", function()
  setup(gpu.context)
  after_each(undo)

  it("computes products on tensor cores, in every layout and tile", function()
    linalg.precision "tensor"
    for _, t in ipairs(turn.share(TYPES)) do
      for i, shape in ipairs { { 70, 96, 131 }, { 5, 37, 18 }, { 2, 1, 2 }, { 130, 64, 128 } } do
        local m, k, n = unpack(shape)
        local a, b = random({ m, k }, t, 3), random({ k, n }, t, 4)
        local want, near = wanted(a, b, t)
        local others = { { a, b }, { a:copy "F", b:copy "F" }, { a, b:copy "F" }, { a:copy "F", b },
          { part_of(a), part_of(b) }, { part_of(a.T).T, part_of(b.T).T },
          { a:flip(2):copy():flip(2), b:flip(1):copy():flip(1) } }
        local bytes
        for tile = 1, #plan.tensor_tiles do
          local small = tile == 1
          local layouts = (all or small and i == 1) and #others or (small or i == 1) and 2 or 0
          set(plan, "forced_tensor", tile)
          for layout = 1, layouts do
            local x = others[layout][1]:matmul(others[layout][2])
            check(x, want, near, ("%s %d x %d x %d, tile %d, layout %d"):format(t, m, k, n, tile, layout))
            bytes = bytes or products.bytes(x)
            assert.is_true(bytes == products.bytes(x), "bits depend on the tile or the layout")
          end
        end
        plan.forced_tensor = false
        for _, count in ipairs { 1, 132 } do
          local restore = knob(plan, "multiprocessors", count)
          local x = a:matmul(b)
          restore()
          assert.is_true(bytes == products.bytes(x), "bits depend on the number of multiprocessors")
        end
      end
    end
  end)

  it("copies in units of 4, 8 and 16 bytes, and in elements", function()
    linalg.precision "tensor"
    for _, t in ipairs(all and TYPES or { "int8", "float16" }) do
      local a, b = random({ 66, 80 }, t, 5), random({ 80, 72 }, t, 6)
      local want, near = wanted(a, b, t)
      for step = 1, 16 do
        local wide_a, wide_b = gpuarray.zeros({ 66, 96 + step }, t), gpuarray.zeros({ 80, 96 + step }, t)
        local x = wide_a[{ {}, { 1 + step, 80 + step } }]
        local y = wide_b[{ {}, { 1 + step, 72 + step } }]
        x:set(a)
        y:set(b)
        if all or step <= 4 or step == 8 or step == 16 then
          check(x:matmul(y), want, near, t .. " from element " .. step)
        end
      end
    end
  end)

  it("adds up chunks, broadcasts batches, and ends as other products do", function()
    linalg.precision "tensor"
    for _, t in ipairs(TYPES) do
      local a, b = random({ 5, 1000 }, t, 7), random({ 1000, 6 }, t, 8)
      local want, near = wanted(a, b, t)
      check(a:matmul(b), want, near, t .. " in chunks")
      local c, whole = random({ 5, 6 }, RESULTS[t], 9), t == "int8"
      local ends = { alpha = whole and 3 or 0.75, beta = whole and 2 or -1.5, c = c }
      want, near = wanted(a, b, t, nil, ends)
      if near then near = near + c:astype "float64":abs() * ROUNDING[t] * 2 end
      check(c:addmm(a, b, { alpha = ends.alpha, beta = ends.beta }), want, near, t .. " with alpha and beta")
      local batch, one = random({ 3, 1, 7, 40 }, t, 10), random({ 2, 40, 9 }, t, 11)
      want, near = wanted(batch:broadcast_to({ 3, 2, 7, 40 }):copy "C", one:broadcast_to({ 3, 2, 40, 9 }):copy "C", t)
      check(batch:matmul(one), want, near, t .. " in batches")
      local out = gpuarray.zeros({ 12, 9 }, RESULTS[t])[{ { -1, 3, -2 }, { 2, 7 } }]
      want, near = wanted(a, b, t)
      assert.equal(out, a:matmul(b, { out = out }))
      check(out, want, near, t .. " into a part of a matrix")
    end
    local a, b = random({ 20, 40 }, "float16"), random({ 40, 30 }, "float16", 2)
    local want, near = wanted(a, b, "float16", "float32")
    check(a:matmul(b, { dtype = "float32" }), want, near, "unrounded")
    local i, j = random({ 20, 40 }, "int8"), random({ 40, 30 }, "int8", 2)
    check(i:matmul(j, { dtype = "int8" }), products.product(i, j, "int8"), nil, "int8 that gives int8")
  end)

  it("has the bits of plain Lua for random shapes", function()
    linalg.precision "tensor"
    local next_number = products.numbers(tonumber(os.getenv "CUDALUA_SEED") or 17)
    local function below(n) return math.floor(next_number() * n) end
    for _ = 1, all and 200 or 20 do
      local m, k, n, t = below(80), below(90), below(80), TYPES[1 + below(#TYPES)]
      local a, b = products.random({ m, k }, t, next_number), products.random({ k, n }, t, next_number)
      local name = ("%s %d x %d x %d"):format(t, m, k, n)
      if m * k * n > 0 then
        local want, near = wanted(a, b, t)
        check(a:matmul(b), want, near, name)
      else
        assert.equal(m * n, a:matmul(b):eq(0):sum():item(), name)
      end
    end
  end)

  it("gives int8 products the bits of full", function()
    local a, b = random({ 70, 300 }, "int8", 5), random({ 300, 90 }, "int8", 6)
    local c = gpuarray.full({ 40, 70000 }, -128, "int8") -- whose sums wrap on the way to nothing else
    local full, other = products.bytes(a:matmul(b)), products.bytes(c:matmul(c[{ { 1, 3 } }].T))
    linalg.precision "tensor"
    assert.is_true(full == products.bytes(a:matmul(b)))
    assert.is_true(other == products.bytes(c:matmul(c[{ { 1, 3 } }].T)))
  end)

  it("keeps NaN and infinity, and rounds float32 to TF32", function()
    linalg.precision "tensor"
    local a = gpuarray.ones({ 40, 40 }, "float32")
    a[{ 3, 5 }], a[{ 7, 9 }] = 0 / 0, 1 / 0
    local x = a:matmul(gpuarray.ones { 40, 40 }):tolist()
    assert.is_true(x[3][1] ~= x[3][1])
    assert.equal(1 / 0, x[7][40])
    assert.equal(40, x[8][2])
    local nan = gpuarray.full({ 4, 4 }, 2 ^ 31 - 1, "int32"):view "float32"
    assert.is_true(nan:matmul(gpuarray.ones({ 4, 4 }, "float32")):isnan():all():item())
    local eye = gpuarray.eye(2, { dtype = "float32" })
    local near_one = gpuarray.full({ 2, 2 }, 1 + 2 ^ -11, "float32") -- halfway, away from 0
    assert.same({ { 1 + 2 ^ -10, 1 + 2 ^ -10 }, { 1 + 2 ^ -10, 1 + 2 ^ -10 } }, near_one:matmul(eye):tolist())
    assert.same({ { -1, -1 }, { -1, -1 } }, (eye:matmul(gpuarray.full({ 2, 2 }, -1 - 2 ^ -12, "float32"))):tolist())
    linalg.precision "full"
    assert.same({ { 1 + 2 ^ -11, 1 + 2 ^ -11 }, { 1 + 2 ^ -11, 1 + 2 ^ -11 } }, near_one:matmul(eye):tolist())
  end)

  it("leaves vectors, other types and factorisations as they are", function()
    local a, x = random({ 30, 70 }, "float32"), random({ 70 }, "float32", 2)
    local d, z = random({ 9, 9 }, "float64"), random({ 9, 9 }, "complex64")
    local big = random({ 150, 150 }, "float32", 3)
    local function results()
      local _, l, u = linalg.lu(big)
      return { products.bytes(a:matmul(x)), products.bytes(x:matmul(a.T)), products.bytes(d:matmul(d)),
        products.bytes(z:matmul(z)), products.bytes(l), products.bytes(u) }
    end
    local full = results()
    linalg.precision "tensor"
    assert.same(full, results())
  end)

  it("is captured by graphs, with the kernel of the moment", function()
    local a, b = random({ 20, 40 }, "float32"), random({ 40, 20 }, "float32", 2)
    local out = gpuarray.zeros({ 20, 20 }, "float32")
    linalg.precision "tensor"
    local want = products.bytes(a:matmul(b))
    local step = cuda.graph(function() a:matmul(b, { out = out }) end)
    step() -- captures it
    linalg.precision "full"
    out:fill(0)
    step()
    assert.is_true(want == products.bytes(out))
    assert.is_false(want == products.bytes(a:matmul(b)))
  end)
end)

describe("plan.tensor", function()
  setup(gpu.context)
  after_each(undo)

  local function kind(t, m) return plan.tensor { m = m or 4, n = 4, k = 4, dtype = cuda.dtype(t) } end
  -- As if the driver were a GPU's.
  local function on_gpu(major)
    local before = core.driver_info
    set(core, "driver_info", function()
      local info = before()
      info.soft = false
      return info
    end)
    set(plan, "major", major)
  end

  it("takes tensor cores for int8 always, for floats under tensor, from compute capability 8.0 on", function()
    on_gpu(8)
    assert.equal("native", kind "int8")
    assert.is_nil(kind "float16")
    linalg.precision "tensor"
    for _, t in ipairs(TYPES) do assert.equal("native", kind(t)) end
    for _, t in ipairs { "uint8", "int16", "float64", "complex64" } do assert.is_nil(kind(t)) end
    assert.is_nil(kind("float16", 1))
    plan.major = 7
    for _, t in ipairs(TYPES) do assert.is_nil(kind(t)) end
  end)

  it("has kernels that NVIDIA's assembler takes", function()
    on_gpu(8)
    linalg.precision "tensor"
    local launched
    set(runs, "sequence", function(s)
      launched = s
      return true, false
    end)
    for i, t in ipairs(TYPES) do
      for tile = 1, #plan.tensor_tiles do
        set(plan, "forced_tensor", tile)
        local a, b = gpuarray.zeros({ 64, 64 }, t):eval(), gpuarray.zeros({ 64, 64 }, t):eval()
        for k, pair in ipairs(tile == 2 and { { a.T, b } } or { { a, b }, { a.T, b.T } }) do
          pair[1]:matmul(pair[2])
          local source = codegen.source(launched[1].kernel)
          assert.is_truthy(source:find("mma.sync.aligned", 1, true))
          for _, arch in ipairs(all and { "sm_80", "sm_89", "sm_90" } or { (i + k) % 2 == 0 and "sm_80" or "sm_90" }) do
            local image = cuda.compile(source, { arch = arch, target = "cubin", no_extern_c = true })
            assert.equal("\127ELF", image:sub(1, 4), t .. " " .. arch)
          end
        end
      end
    end
  end)
end)
