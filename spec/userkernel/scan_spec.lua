-- Scan kernels of a user's text: against plain Lua, in every form.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local plan = require "cudalua.gpuarray.core.plan"
local scan = require "cudalua.scan"
local scan_code = require "cudalua.gpuarray.reduce.scan_code"
local scans = require "spec.support.scans"
local text = require("spec.support.reductions").text
local cuda = gpu.cuda

local soft = gpu.soft and require "cudalua.softgpu"

local function list_of(n, f)
  local list = {}
  for i = 1, n do list[i] = f(i) end
  return list
end

local function texts(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = text(x) end
  return out
end

local function random_int() return math.random(-9, 9) end
local function add(a, b) return a + b end

-- Structs to the device and back: of each a table of its fields.
local function structs_to_gpu(t, list)
  local room, one = ffi.new("uint8_t[?]", #list * t.itemsize), t.ctype()
  for i, x in ipairs(list) do
    for key, value in pairs(x) do one[key] = value end
    ffi.copy(room + (i - 1) * t.itemsize, one, t.itemsize)
  end
  local memory = cuda.mem_alloc(#list * t.itemsize)
  cuda.memcpy_htod(memory, room)
  return gpuarray.wrap(memory, #list, t)
end

local function structs_from_gpu(a)
  local t, list = a.dtype, {}
  local room = ffi.new("uint8_t[?]", a.size * t.itemsize)
  cuda.memcpy_dtoh(room, a.ptr)
  for i = 1, a.size do
    list[i] = t.ctype()
    ffi.copy(list[i], room + (i - 1) * t.itemsize, t.itemsize)
  end
  return list
end

-- Around the borders of tiles of 4096, 2048 and 1024 elements, and of groups of 32 of the last.
local SIZES = { 1, 2, 5, 129, 1024, 1025, 2049, 4096, 4097, 32769, 70000 }

describe("Scan kernels", function()
  setup(gpu.context)
  teardown(function()
    if soft then soft.schedule { threads = "auto", order = "forward" } end
  end)

  it("combine what is up to an element: scan.InclusiveScanKernel", function()
    local k = scan.InclusiveScanKernel("int32", "a + b")
    for _, n in ipairs(SIZES) do
      local list = list_of(n, random_int)
      local x = gpuarray.to_gpu(list, "int32")
      local want = scans.plain(list, add)
      local y = k(x, "new")
      assert.same({ n }, y.shape)
      assert.equal("int32", y.dtype.name)
      assert.same(want, y:tolist())
      assert.same(list, x:tolist())
      assert.equal(x, k(x)) -- in its own place
      assert.same(want, x:tolist())
    end
  end)

  it("combine what is before an element: scan.ExclusiveScanKernel", function()
    local k = scan.ExclusiveScanKernel("int32", "max(a, b)", -1000)
    for _, n in ipairs(SIZES) do
      local list = list_of(n, random_int)
      local want = scans.plain(list, math.max)
      table.insert(want, 1, -1000)
      want[n + 1] = nil
      assert.same(want, k(gpuarray.to_gpu(list, "int32"), "new"):tolist())
      local x = gpuarray.to_gpu(list, "int32")
      assert.same(want, k(x, x):tolist())
    end
    assert.same({ -1 / 0, 2, 2 }, scan.ExclusiveScanKernel("float32", "fmaxf(a, b)", -1 / 0)(
      gpuarray.to_gpu { 2, 1, 5 }):tolist())
    assert.same({ 1 / 0, 2, 1 }, scan.ExclusiveScanKernel("float16", "a < b ? a : b", 1 / 0)(
      gpuarray.to_gpu({ 2, 1, 5 }, "float16")):tolist())
  end)

  it("take every type, in the order that arrays' sums have", function()
    for _, t in ipairs(dtype.list) do
      local sum = t.kind == "bool" and "a != b" or "a + b"
      local k = scan.InclusiveScanKernel(t, sum, { options = { "--fmad=false" } })
      local list = list_of(t.itemsize == 16 and 2100 or 3000, function()
        if t.kind == "bool" then return math.random() < 0.5 end
        if t.kind == "complex" then return t.ctype(math.random(), -math.random()) end
        if t.kind == "float" then return t.itemsize > 2 and math.random() or math.random(0, 1) / 64 end
        return math.random(0, 50)
      end)
      local x = gpuarray.to_gpu(list, t)
      local got = k(x, "new")
      assert.equal(t, got.dtype)
      if t.kind == "float" and t.itemsize > 2 or t.kind == "complex" then
        assert.same(texts(x:cumsum():tolist()), texts(got:tolist()), t.name)
      elseif t.kind == "bool" then
        assert.same(scans.plain(list, function(a, b) return a ~= b end), got:tolist())
      elseif t.kind == "float" then
        for _, i in ipairs { 1, 100, 250 } do
          assert.equal(scans.plain(x:tolist(), add)[i], got:tolist()[i], t.name)
        end
      else
        local c = ffi.new(t.name .. "_t[1]")
        assert.same(texts(scans.plain(list, function(a, b)
          c[0] = a + b
          return tonumber(c[0])
        end)), texts(list_of(#list, function(i) return tonumber(got:item(i)) end)), t.name)
      end
    end
  end)

  it("take structs: pairs of extremes, maps that are composed, matrices whose products do not commute", function()
    local n = 9000
    local extremes = dtype.struct({ { "low", "int32" }, { "high", "int32" } }, { name = "extremes_t" })
    local numbers = list_of(n, function() return math.random(-10 ^ 6, 10 ^ 6) end)
    local k = scan.InclusiveScanKernel(extremes, "extremes_t{ min(a.low, b.low), max(a.high, b.high) }")
    local got = structs_from_gpu(k(structs_to_gpu(extremes, list_of(n, function(i)
      return { low = numbers[i], high = numbers[i] }
    end))))
    local lows, highs = scans.plain(numbers, math.min), scans.plain(numbers, math.max)
    for i = 1, n do
      assert.is_true(got[i].low == lows[i] and got[i].high == highs[i], "element " .. i)
    end

    -- y = m x + c, one after the other; in the documented order, to the last bit.
    local affine = dtype.struct({ { "m", "float64" }, { "c", "float64" } }, { name = "affine_t" })
    local function compose(a, b) return { m = a.m * b.m, c = a.c * b.m + b.c } end
    local maps = list_of(n, function() return { m = 0.5 + math.random(), c = math.random() - 0.5 } end)
    k = scan.InclusiveScanKernel(affine, "then(a, b)", { options = { "--fmad=false" }, name_prefix = "maps",
      preamble = [[
      __device__ affine_t then(const affine_t &f, const affine_t &g) {
        affine_t r;
        r.m = f.m * g.m;
        r.c = f.c * g.m + g.c;
        return r;
      }]] })
    got = structs_from_gpu(k(structs_to_gpu(affine, maps)))
    local run, rows = scan_code.sizes(16, 16)
    for i, want in ipairs(scans.inclusive(maps, compose, run, 8 * rows)) do
      assert.is_true(got[i].m == want.m and got[i].c == want.c, "map " .. i)
    end

    -- 2 x 2 matrices modulo 2^32.
    local matrix = dtype.struct({ { "a", "uint32" }, { "b", "uint32" }, { "c", "uint32" }, { "d", "uint32" } },
      { name = "matrix_t" })
    local list = list_of(n, function()
      return { a = math.random(0, 9), b = math.random(0, 9), c = math.random(0, 9), d = math.random(0, 9) }
    end)
    for _, exclusive in ipairs { false, true } do
      local product = "matrix_t{ a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d, a.c * b.a + a.d * b.c, "
        .. "a.c * b.b + a.d * b.d }"
      k = exclusive and scan.ExclusiveScanKernel(matrix, product, "{ 1, 0, 0, 1 }") or
        scan.InclusiveScanKernel(matrix, product)
      got = structs_from_gpu(k(structs_to_gpu(matrix, list), "new"))
      local p = { a = 1, b = 0, c = 0, d = 1 }
      for i, m in ipairs(list) do
        local q = { a = (p.a * m.a + p.b * m.c) % 2 ^ 32, b = (p.a * m.b + p.b * m.d) % 2 ^ 32,
          c = (p.c * m.a + p.d * m.c) % 2 ^ 32, d = (p.c * m.b + p.d * m.d) % 2 ^ 32 }
        local want = exclusive and p or q
        assert.is_true(got[i].a == want.a and got[i].b == want.b and got[i].c == want.c and got[i].d == want.d,
          "matrix " .. i)
        p = q
      end
    end
  end)

  it("take elements of odd sizes, vectors, and large ones", function()
    local odd = dtype.struct({ { "x", "uint8" }, { "y", "uint8" }, { "z", "uint8" } }, { name = "odd_t" })
    local n = 5000
    local list = list_of(n, function(i) return { x = i % 7, y = i % 5, z = i % 3 } end)
    local got = structs_from_gpu(scan.InclusiveScanKernel(odd,
      "odd_t{ (unsigned char)(a.x + b.x), (unsigned char)(a.y ^ b.y), b.z }")(structs_to_gpu(odd, list)))
    local x, y = 0, 0
    for i, e in ipairs(list) do
      x, y = (x + e.x) % 256, require("bit").bxor(y, e.y)
      assert.is_true(got[i].x == x and got[i].y == y and got[i].z == e.z, "element " .. i)
    end

    local float4 = cuda.vec.float4
    got = structs_from_gpu(scan.InclusiveScanKernel(float4,
      "make_float4(a.x + b.x, fmaxf(a.y, b.y), a.z, b.w)")(structs_to_gpu(float4, list_of(3000, function(i)
        return { x = 1, y = i % 100, z = i, w = -i }
      end))))
    for i = 1, 3000 do
      assert.is_true(got[i].x == i and got[i].y == math.min(i, 99) and got[i].z == 1 and got[i].w == -i, "vector " .. i)
    end

    local large = dtype.struct({ { "x", "int32", 40 } }, { name = "large_t" })
    local list_of_large = list_of(700, function(i)
      local numbers = {}
      for j = 1, 40 do numbers[j] = i + j - 2 end
      return { x = ffi.new("int[40]", numbers) }
    end)
    got = structs_from_gpu(scan.InclusiveScanKernel(large, "sum(a, b)", { preamble = [[
      __device__ large_t sum(large_t a, const large_t &b) {
        for (int i = 0; i < 40; i++) a.x[i] += b.x[i];
        return a;
      }]] })(structs_to_gpu(large, list_of_large)))
    for i = 0, 699 do assert.equal(i * (i + 1) / 2 + 17 * (i + 1), got[i + 1].x[17]) end
    gpu.raises("LogicError", "260 bytes; at most 256", scan.InclusiveScanKernel,
      dtype.struct({ { "x", "int32", 65 } }, { name = "too_large_t" }), "a")
  end)

  it("begin anew where flags say so", function()
    local sum = scan.InclusiveScanKernel("int32", "a + b")
    local before = scan.ExclusiveScanKernel("int32", "a + b", 0)
    for _, n in ipairs { 1, 40, 1025, 4097, 50000 } do
      for _, chance in ipairs { 0.001, 0.2 } do
        local list = list_of(n, random_int)
        local flags = list_of(n, function() return math.random() < chance end)
        local all, left, total = {}, {}, 0
        for i = 1, n do
          if flags[i] then total = 0 end
          left[i], total = total, total + list[i]
          all[i] = total
        end
        local x, f = gpuarray.to_gpu(list, "int32"), gpuarray.to_gpu(flags, "bool")
        assert.same(all, sum(x, "new", { flags = f }):tolist())
        assert.same(left, before(x, { flags = f:astype "int16" * 3, out = gpuarray.empty(n, "int32") }):tolist())
        assert.same(all, sum(x, { flags = f }):tolist())
      end
    end
    local a = gpuarray.ones({ 2, 3 }, "int32")
    local b = gpuarray.to_gpu({ { true, false, false }, { false, true, false } }, "bool")
    assert.same({ { 1, 2, 3 }, { 4, 1, 2 } }, sum(a, { flags = b }):tolist())
    gpu.raises("LogicError", "must have as many elements", sum, a, { flags = b[1] })
    gpu.raises("LogicError", "flags must be an array on the device", sum, a, { flags = { true } })
    gpu.raises("LogicError", "no truth values", sum, a, { flags = gpuarray.ones({ 2, 3 }, "complex64") })
  end)

  it("read and write arrays of any layout, as many elements as are asked for", function()
    local k = scan.InclusiveScanKernel("float32", "a + b")
    local m = gpuarray.arange(12):astype "float32":reshape(3, 4):eval()
    assert.same(m:cumsum():reshape(3, 4):tolist(), k(m, "new"):tolist())
    assert.same(m.T:cumsum():reshape(4, 3):tolist(), k(m.T, "new"):tolist())
    local big = gpuarray.zeros { 3, 8 }
    local part = big[{ {}, { 1, 8, 2 } }]
    assert.equal(part, k(m, part))
    assert.same(m:cumsum():tolist(), part:ravel():tolist())
    assert.equal(0, big[{ {}, { 2, 8, 2 } }]:sum():item())
    part:set(m)
    k(part) -- in place, with gaps
    assert.same(m:cumsum():tolist(), part:ravel():tolist())
    -- Overlaps: what is read is what was there before.
    local line = gpuarray.ones(9000)
    local want = line[{ { 1, 8999 } }]:cumsum():tolist()
    k(line[{ { 1, 8999 } }], line[{ { 2, 9000 } }])
    assert.same(want, line[{ { 2, 9000 } }]:tolist())
    local seven = gpuarray.ones(7)
    assert.same({ 1, 2, 3, 1, 1, 1, 1 }, k(seven, { n = 3 }):tolist())
    assert.same({ 1, 3 }, k(seven, "new", { n = 2 }):tolist())
    assert.same({ 1, 3, 6, 7, 8, 9, 10 }, k(seven, { out = seven }):tolist())
    assert.same({ 0 }, k(gpuarray.zeros(0)).shape)
    -- An expression, which somebody else waits for, too.
    local a = gpuarray.arange(5):astype "float32"
    local later = a * 2
    assert.same({ 0, 2, 6, 12, 20 }, k(a * 2, "new"):tolist())
    k(a)
    assert.same({ 0, 2, 4, 6, 8 }, later:tolist())
    assert.same({ 0, 1, 3, 6, 10 }, a:tolist())
    local pool = cuda.DeviceMemoryPool()
    local allocated = 0
    local own = k(a, "new", { allocator = function(bytes)
      allocated = allocated + bytes
      return pool:allocate(bytes)
    end })
    assert.same({ 0, 1, 4, 10, 20 }, own:tolist())
    assert.equal(20, allocated)
    local s = cuda.Stream()
    local b = gpuarray.ones(5000)
    k(b, { stream = s })
    s:synchronize()
    assert.equal(5000, b[5000])
  end)

  it("have neutral values of every kind, and take arguments by name: scan.InclusiveScanKernel", function()
    local inclusive, exclusive = scan.InclusiveScanKernel, scan.ExclusiveScanKernel
    -- As in PyCUDA, an inclusive scan may be given a neutral value.
    assert.equal("foo", inclusive("int32", "a+b", nil, { name_prefix = "foo" }).name)
    assert.equal("foo", inclusive("int32", "a+b", "0", { name_prefix = "foo" }).name)
    assert.equal("scan", inclusive("int32", "a+b", 0).name)
    assert.equal("foo", inclusive("int32", { scan_expr = "a+b", neutral = 0, name_prefix = "foo" }).name)
    local ones = gpuarray.ones(3, "int32")
    assert.same({ 1, 2, 3 }, inclusive({ dtype = "int32", scan_expr = "a+b" })(ones, "new"):tolist())
    assert.same({ 5, 1, 2 }, exclusive("int32", "a+b", { neutral = 5 })(ones, "new"):tolist())
    local wide = gpuarray.ones(2, "int64")
    local big = exclusive("int64", "a+b", 2LL ^ 60)(wide, "new")
    assert.is_true(big:item(1) == 2LL ^ 60 and big:item(2) == 1)
    assert.equal(-math.huge, 1 / exclusive("float32", "a+b", -0.0)(gpuarray.ones(2), "new"):item(1))
    gpu.raises("LogicError", "neutral", exclusive, "int8", "a+b", 300)
    gpu.raises("LogicError", "neutral", inclusive, "int8", "a+b", 0.5)
    gpu.raises("LogicError", "neutral is missing", exclusive, "int8", "a+b", { name_prefix = "x" })
    gpu.raises("LogicError", "passed twice", exclusive, "int8", "a+b", 0, { neutral = 0 })
  end)

  it("give the same wherever the elements and the flags of segments begin", function()
    local inclusive, exclusive = scan.InclusiveScanKernel("float32", "a + b"),
      scan.ExclusiveScanKernel("float32", "a + b", 3)
    local room, marks = gpuarray.arange(9004):astype "float32" / 64, (gpuarray.arange(9004) % 77):eq(0)
    local x, flags = (room[{ { 2, 9002 } }] + 0):eval(), (marks[{ { 2, 9002 } }] * 1):eval()
    for _, k in ipairs { inclusive, exclusive } do
      local plain, segments = k(x, "new"):tolist(), k(x, "new", { flags = flags }):tolist()
      assert.is_true(segments[100] < plain[100] and segments[9001] < plain[9001])
      for _, from in ipairs { x, room[{ { 2, 9002 } }] } do
        assert.same(plain, k(from, "new"):tolist())
        assert.same(segments, k(from, "new", { flags = flags }):tolist())
        assert.same(segments, k(from, "new", { flags = marks[{ { 2, 9002 } }] }):tolist())
      end
    end
  end)

  it("count elements in 64 bits where there are many", function()
    finally(knob(plan, "LIMIT", 1)) -- as if there were 2^31 elements
    assert.same(scans.plain(list_of(5000, function(i) return i end), add),
      scan.InclusiveScanKernel("int32", "a + b")(gpuarray.arange(1, 5001, 1, "int32")):tolist())
  end)

  it("have names of the user's, and tell what is wrong with his text: scan.InclusiveScanKernel:source, "
    .. "scan.ExclusiveScanKernel:source", function()
    local k = scan.InclusiveScanKernel("int32", "MERGE(a, b)", { name_prefix = "totals", keep = false,
      options = { "-DSTEP=2" }, preamble = [[
#define K 3
#define RUN 4
#define LINES 5
#define N 6
#define lane 7
#define MERGE(x, y) combine(x, y, STEP)
static __device__ int lanes(int x) { return x; }
static __device__ int combine(int a, int b, int step) { return lanes(a) + lanes(b) + step; }]] })
    assert.same({ 1, 4, 7 }, k(gpuarray.ones(3, "int32")):tolist())
    assert.equal("totals", k.name)
    assert.is_truthy(tostring(k):find("totals(const int *input, int *output)", 1, true))
    assert.is_truthy(k:source():find("MERGE(a, b)", 1, true))
    assert.is_truthy(scan.ExclusiveScanKernel("int32", "a + b", 17):source():find("\n17ll\n", 1, true))
    gpu.raises("LogicError", "read-only", function() k.name = "x" end)
    local wrong = scan.InclusiveScanKernel("int32", "a +\n wrong")
    local err = gpu.error_of("CompileError", wrong, gpuarray.ones(3, "int32"))
    assert.is_truthy(tostring(err):find("scan: scan_expr(2)", 1, true))
    gpu.raises("LogicError", "scan_expr is empty", scan.InclusiveScanKernel, "int32", " ")
    gpu.raises("LogicError", "scan_expr must be a string", scan.InclusiveScanKernel, "int32", 5)
    gpu.raises("LogicError", "neutral is missing", scan.ExclusiveScanKernel, "int32", "a + b")
    gpu.raises("LogicError", "neutral must be a string", scan.ExclusiveScanKernel, "int32", "a + b", print)
    gpu.raises("LogicError", "InclusiveScanKernel", scan.InclusiveScanKernel, "nothing", "a + b")
    gpu.raises("LogicError", "unknown option", scan.InclusiveScanKernel, "int32", "a + b", { prefix = 1 })
    gpu.raises("LogicError", "option preamble must be a string", scan.InclusiveScanKernel, "int32", "a",
      { preamble = 1 })
    gpu.raises("LogicError", "a valid kernel", scan.InclusiveScanKernel, "int32", "a",
      { name_prefix = "1x" })
    k = scan.InclusiveScanKernel("int32", "a + b")
    gpu.raises("LogicError", "expected an array on the device", k, ndarray.ones(3, "int32"))
    gpu.raises("LogicError", "scan: argument 1 (const int *input): the array is float32", k, gpuarray.ones(3))
    gpu.raises("LogicError", "argument 2 (int *output): the array is float32", k, gpuarray.ones(3, "int32"),
      gpuarray.ones(3))
    gpu.raises("LogicError", "fewer elements", k, gpuarray.ones(3, "int32"), gpuarray.ones(2, "int32"))
    gpu.raises("LogicError", "must be an array or \"new\"", k, gpuarray.ones(3, "int32"), 5)
    gpu.raises("LogicError", "passed twice", k, gpuarray.ones(3, "int32"), "new", { out = "new" })
    gpu.raises("LogicError", "option n is 4", k, gpuarray.ones(3, "int32"), { n = 4 })
    gpu.raises("LogicError", "option n must be", k, gpuarray.ones(3, "int32"), { n = 1.5 })
    gpu.raises("LogicError", "option stream must be a Stream", k, gpuarray.ones(3, "int32"), { stream = 5 })
    gpu.raises("LogicError", "option allocator", k, gpuarray.ones(3, "int32"), { allocator = print })
    gpu.raises("LogicError", "overlap", k, gpuarray.ones(1, "int32"):broadcast_to { 3 })
    gpu.error_of("LogicError", k)
    gpu.error_of("LogicError", scan.InclusiveScanKernel.source, {})
  end)

  it("get on in every order of blocks, with any number of threads", function()
    if not soft then return end
    local k = scan.InclusiveScanKernel("float64", "a + b")
    local x = (gpuarray.arange(150000) % 1000):astype "float64" / 1024 + 0.1
    x:eval()
    local want = k(x, "new"):get()
    for _, way in ipairs { { threads = 2, order = "random:3", gang = 64 },
      { threads = 4, order = "reverse", gang = 32 }, { threads = 1, order = "random:4", gang = 512 } } do
      soft.schedule(way)
      assert.is_true(gpuarray.to_gpu(want):eq(k(x, "new")):all():item())
    end
  end)
end)

describe("Scan kernels with arguments", function()
  setup(gpu.context)

  it("take elements out: scan.GenericScanKernel, scan.GenericScanKernel:source", function()
    local k = scan.GenericScanKernel("int32", "const float *x, float *y, int *count, float limit",
      "x[i] > limit ? 1 : 0", "a + b", "0",
      "if (item > prev_item) y[prev_item] = x[i]; if (i + 1 == N) count[0] = item;", { name_prefix = "pick" })
    for _, n in ipairs { 1, 100, 4097, 60000 } do
      local list = list_of(n, function() return math.random(-50, 50) end)
      local want = {}
      for _, x in ipairs(list) do
        if x > 7 then want[#want + 1] = x end
      end
      local x, y, count = gpuarray.to_gpu(list, "float32"), gpuarray.zeros(n), gpuarray.zeros(1, "int32")
      assert.is_nil(k(x, y, count, 7))
      assert.equal(#want, count[1])
      assert.same(want, y[{ { 1, #want } }]:tolist())
    end
    assert.equal("pick", k.name)
    assert.is_truthy(tostring(k):find("GenericScanKernel: pick(const float *x", 1, true))
    assert.is_truthy(k:source():find("prev_item", 1, true))
  end)

  it("begin anew where an expression says so", function()
    local k = scan.GenericScanKernel("float64", "const double *x, const int *head, double *y, double *z", "2 * x[i]",
      "across_seg_boundary ? b : a + b", 0, "y[i] = item; z[i] = prev_item;",
      { is_segment_start_expr = "head[i] == 1 || i == n / 2" })
    for _, n in ipairs { 10, 1100, 30000 } do
      local list, heads = list_of(n, random_int), list_of(n, function() return math.random(60) end)
      local y, z = gpuarray.zeros(n, "float64"), gpuarray.zeros(n, "float64")
      k(gpuarray.to_gpu(list, "float64"), gpuarray.to_gpu(heads, "int32"), y, z)
      local total, all, left = 0, {}, {}
      for i = 1, n do
        if heads[i] == 1 or i - 1 == math.floor(n / 2) then total = 0 end
        left[i], total = total, total + 2 * list[i]
        all[i] = total
      end
      assert.same(all, y:tolist())
      assert.same(left, z:tolist())
    end
  end)

  it("pass arrays whole, whatever their layout", function()
    local k = scan.GenericScanKernel("int64", "const int *x, const int *at, long long *y", "x[at[i]]", "a + b", nil,
      "y[n - 1 - i] = item")
    local x = gpuarray.to_gpu({ 1, 2, 3, 4, 5, 6 }, "int32")
    local at = gpuarray.to_gpu({ 5, 4, 1 }, "int32")
    local y = gpuarray.zeros({ 2, 3 }, "int64")
    k(x, at, y[{ {}, 2 }], { n = 2 })
    assert.same({ { 0, 11, 0 }, { 0, 6, 0 } }, y:tolist())
    k(x[{ { -1, 1, -1 } }], at, y[1], { n = 3 })
    assert.same({ { 8, 3, 1 }, { 0, 6, 0 } }, y:tolist())
    local own = gpuarray.to_gpu({ 3, 1, 2 }, "int32")
    local before = own * 1
    scan.GenericScanKernel("int32", "const int *x, int *y", "x[i]", "a + b", nil, "y[N - 1 - i] = item")(own, own)
    assert.same({ 6, 4, 3 }, own:tolist())
    assert.same({ 3, 1, 2 }, before:tolist())
    local memory = cuda.mem_alloc(12)
    cuda.memcpy_htod(memory, ffi.new("int[3]", 1, 2, 3))
    scan.GenericScanKernel("int32", "int *x", "x[i]", "a * b", nil, "x[i] = item")(memory, { n = 3, stream = nil })
    assert.same({ 1, 2, 6 }, gpuarray.wrap(memory, 3, "int32"):tolist())
  end)

  it("take their arguments by name: scan.GenericScanKernel", function()
    local k = scan.GenericScanKernel("int32", { arguments = "const int *x, int *y", input_expr = "x[i]",
      scan_expr = "a + b", neutral = 7, output_statement = "y[i] = prev_item", name_prefix = "named" })
    assert.equal("named", k.name)
    local x, y = gpuarray.to_gpu({ 1, 2, 3 }, "int32"), gpuarray.zeros(3, "int32")
    k(x, y)
    assert.same({ 7, 1, 3 }, y:tolist())
    -- What is used at [i] is as long as what is scanned.
    gpu.raises("LogicError", "fewer elements", k, x, y, { n = 4 })
    gpu.raises("LogicError", "the memory has 8 bytes", k, x, cuda.mem_alloc(8))
    gpu.raises("LogicError", "GenericScanKernel: arguments", scan.GenericScanKernel, "int32", "what", "0", "a + b", 0,
      "y[0] = 1")
  end)

  it("tell what is wrong with a call or a text", function()
    local new = scan.GenericScanKernel
    gpu.raises("LogicError", "the name is reserved", new, "int32", "int *i", "0", "a + b", nil, "i[0] = item")
    gpu.raises("LogicError", "the name is reserved", new, "int32", "int *item", "0", "a + b", nil, "x")
    gpu.raises("LogicError", "none of the arguments", new, "int32", "int x", "0", "a + b", nil, "x")
    gpu.raises("LogicError", "uses prev_item", new, "int32", "int *x", "x[i]", "a + b", nil, "x[i] = prev_item")
    gpu.raises("LogicError", "last_item is not available", new, "int32", "int *x", "x[i]", "a + b", 0,
      "x[i] = last_item")
    gpu.raises("LogicError", "output_statement is empty", new, "int32", "int *x", "x[i]", "a + b", 0, "")
    gpu.raises("LogicError", "input_expr must be a string", new, "int32", "int *x", 5, "a + b", 0, "x[i] = item")
    gpu.raises("LogicError", "option is_segment_start_expr must be a string", new, "int32", "int *x", "x[i]", "a + b",
      0, "x[i] = item", { is_segment_start_expr = true })
    local k = new("int32", "int *x, int c", "x[i] + c", "a + b", 0, "x[i] = item")
    gpu.raises("LogicError", "scan: it takes 2 arguments (int *x, int c), got 1", k, gpuarray.ones(3, "int32"))
    gpu.raises("LogicError", "argument 2 (int c)", k, gpuarray.ones(3, "int32"), "five")
    gpu.raises("LogicError", "no argument sets the number", k, cuda.mem_alloc(12), 1)
    gpu.raises("LogicError", "unknown option", k, gpuarray.ones(3, "int32"), 1, { range = 1 })
    local err = gpu.error_of("CompileError", new("int32", "int *x", "x[i]", "a + b", 0, "\n x[i] = nothing"),
      gpuarray.ones(3, "int32"))
    assert.is_truthy(tostring(err):find("scan: output_statement(2)", 1, true))
    gpu.error_of("LogicError", new.source, {})
    assert.is_nil(k(gpuarray.zeros(0, "int32"), 1))
  end)
end)
