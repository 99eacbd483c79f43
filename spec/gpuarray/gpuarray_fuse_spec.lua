-- Functions that run as one kernel, and the sources of kernels.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local knob = require "spec.support.knob"
local ndarray = require "cudalua.ndarray"
local runs = require "cudalua.gpuarray.core.run"

local fuse = gpuarray.fuse

local function bits(a)
  local host = a:get({ array = true }):copy()
  return ffi.string(host:data(), host.nbytes)
end

local function check_launches(expected, f, ...)
  local args, n = { ... }, select("#", ...)
  assert.equal(expected, gpu.kernels(function() f(unpack(args, 1, n)) end))
end

describe("gpuarray.fuse", function()
  setup(gpu.context)

  local a, b

  before_each(function()
    a, b = gpuarray.to_gpu { 1, 2, 3, 4, 5 }, gpuarray.to_gpu { 10, 20, 30, 40, 50 }
  end)

  it("computes all results of one shape in one kernel", function()
    local f = fuse(function(x, y, s)
      local d = x - y
      return d * d + s, x + y, x:gt(2), d
    end)
    f(a, b, 3)
    local r1, r2, r3, r4
    check_launches(1, function() r1, r2, r3, r4 = f(a, b, 3) end)
    assert.same({ 84, 327, 732, 1299, 2028 }, r1:tolist())
    assert.same({ 11, 22, 33, 44, 55 }, r2:tolist())
    assert.same({ false, false, true, true, true }, r3:tolist())
    assert.same({ -9, -18, -27, -36, -45 }, r4:tolist())
    assert.same({ 15, 24, 33, 42, 51 }, (select(2, f(a[{ { -1, 1, -1 } }], b, 0))):tolist())
  end)

  it("calls the function once for arguments of a kind", function()
    local calls = 0
    local f = fuse(function(x, s)
      calls = calls + 1
      return x * s
    end)
    for k = 1, 5 do
      assert.equal(2 * k, f(gpuarray.to_gpu { k, k }, 2)[1])
    end
    assert.equal(1, calls)
    assert.equal(3, f(gpuarray.to_gpu { 1, 1 }, 3)[1]) -- another value
    assert.equal(2, calls)
    f(gpuarray.to_gpu { 1, 1, 1 }, 3) -- another shape
    f(gpuarray.to_gpu({ 1, 1 }, "int32"), 3)
    f(gpuarray.to_gpu { 1, 2, 3, 4 }[{ { 1, -1, 2 } }], 3)
    f(gpuarray.to_gpu { 1, 2, 3 }[{ { 2, 3 } }], 3) -- not aligned
    assert.equal(6, calls)
    f(a[{ { 2, 3 } }], 3)
    f(gpuarray.to_gpu { 1, 1 }, 2)
    assert.equal(6, calls)
    for k = 1, 100 do assert.equal(k, f(a, k)[1]) end
    assert.equal(-1 / 0, (1 / fuse(function(x, s) return x * 0 + s end)(a - a, -0.0) * 0 == 0) and 0 or -1 / 0)
  end)

  it("tells the same array in two places from two arrays", function()
    local f = fuse(function(x, y) return x * y end)
    assert.same({ 1, 4, 9, 16, 25 }, f(a, a):tolist())
    assert.same({ 10, 40, 90, 160, 250 }, f(a, b):tolist())
    assert.same({ 10, 40, 90, 160, 250 }, f(b, a):tolist())
    assert.same({ 100, 400, 900, 1600, 2500 }, f(b, b):tolist())
  end)

  it("goes beyond the limits of expressions", function()
    local arrays = {}
    for k = 1, 50 do arrays[k] = gpuarray.to_gpu { k, k + 1, k + 2 } end
    local function sum(...)
      local s = 0
      for k = 1, select("#", ...) do s = s + (select(k, ...)) * k end
      for _ = 1, 150 do s = s * 1.01 - 0.5 end
      return s, s * 2
    end
    local f = fuse(sum)
    f(unpack(arrays))
    local r1, r2
    check_launches(1, function() r1, r2 = f(unpack(arrays)) end)
    local e1, e2 = sum(unpack(arrays))
    assert.equal(bits(e1), bits(r1))
    assert.equal(bits(e2), bits(r2))
    -- More than one kernel takes: as without fuse().
    for k = 51, 90 do arrays[k] = gpuarray.to_gpu { k, k, k } end
    r1, r2 = f(unpack(arrays))
    e1, e2 = sum(unpack(arrays))
    assert.equal(bits(e1), bits(r1))
    assert.equal(bits(e2), bits(r2))
    gpu.raises("LogicError", "the function needs several kernels", f.source, f, unpack(arrays))
    local long = fuse(function(x)
      for _ = 1, 3000 do x = x + 1 end
      return x
    end)
    assert.equal(3001, long(a)[1])
  end)

  it("returns arguments, views of them, values and arrays of its own", function()
    local own = gpuarray.to_gpu { 7, 7 }
    local f = fuse(function(x) return x, x.T, x[1], 5, nil, "text", own, gpuarray.to_gpu { 1, 2 }, x.shape[2] end)
    local m = gpuarray.to_gpu { { 1, 2, 3 }, { 4, 5, 6 } }
    for _ = 1, 2 do
      local x, t, row, five, none, text, mine, made, n = f(m)
      assert.equal(m, x)
      assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, t:tolist())
      assert.same({ 1, 2, 3 }, row:tolist())
      row:fill(9) -- a view
      assert.equal(9, m[{ 1, 1 }]:item())
      m[1] = { 1, 2, 3 }
      assert.equal(5, five)
      assert.is_nil(none)
      assert.equal("text", text)
      assert.equal(own, mine)
      assert.same({ 1, 2 }, made:tolist())
      made:fill(0) -- nobody else's
      assert.equal(3, n)
    end
  end)

  it("computes results of several shapes", function()
    local f = fuse(function(x, y) return x + y, x * 2, y * 3, x - y end)
    local x, y = gpuarray.to_gpu { { 1 }, { 2 } }, gpuarray.to_gpu { 10, 20, 30 }
    local r1, r2, r3, r4 = f(x, y)
    assert.same({ { 11, 21, 31 }, { 12, 22, 32 } }, r1:tolist())
    assert.same({ { 2 }, { 4 } }, r2:tolist())
    assert.same({ 30, 60, 90 }, r3:tolist())
    assert.same({ { -9, -19, -29 }, { -8, -18, -28 } }, r4:tolist())
    check_launches(3, f, x, y)
    local e1, e2 = f(gpuarray.empty { 0, 1 }, y)
    assert.same({ 0, 3 }, e1.shape)
    assert.same({ 0, 1 }, e2.shape)
  end)

  it("takes stencils with views", function()
    local function step(u)
      local c = u[{ { 2, -2 }, { 2, -2 } }]
      local lap = u[{ { 1, -3 }, { 2, -2 } }] + u[{ { 3, -1 }, { 2, -2 } }] + u[{ { 2, -2 }, { 1, -3 } }] +
        u[{ { 2, -2 }, { 3, -1 } }] - 4 * c
      return c + 0.25 * lap, lap
    end
    local f = fuse(step)
    local host = ndarray.empty { 20, 30 }
    for i = 1, 20 do
      for j = 1, 30 do host:set(i, j, (i * 37 + j * 11) % 29) end
    end
    local u = gpuarray.to_gpu(host)
    for _ = 1, 2 do
      local r1, r2 = f(u)
      local e1, e2 = step(u)
      assert.equal(bits(e1), bits(r1))
      assert.equal(bits(e2), bits(r2))
      u = u * 2 + 1
    end
    check_launches(1, f, u:eval())
  end)

  it("reads arrays that are not its arguments when it runs", function()
    local w, late = a * 100, nil
    local f = fuse(function(x) return x + w, late and x * late end)
    assert.same({ 101, 202, 303, 404, 505 }, f(a):tolist())
    w:fill(1)
    assert.same({ 2, 3, 4, 5, 6 }, f(a):tolist())
    w:set(a)
    local reader = w + 0
    w:set(b)
    assert.same({ 11, 22, 33, 44, 55 }, f(a):tolist())
    assert.same({ 1, 2, 3, 4, 5 }, reader:tolist())
    w:release()
    gpu.raises("LogicError", "released", f, a)
  end)

  it("computes pending arguments, and calls of other fused functions with it", function()
    local square = fuse(function(x) return x * x end)
    local f = fuse(function(x) return square(x) + square(x + 1) end)
    f(a)
    local r
    check_launches(2, function() r = f(a + 1) end)
    assert.same({ 13, 25, 41, 61, 85 }, r:tolist())
    assert.same({ 4, 9 }, square(gpuarray.to_gpu { 2, 3 }):tolist())
  end)

  it("runs as it is if it reduces or scans what it computes", function()
    local calls = 0
    local f = fuse(function(x, k)
      calls = calls + 1
      local y = x * k
      return y / y:sum(), y:cumsum(), y:max(1)
    end)
    for k = 2, 3 do
      local p, q, r = f(a, k)
      assert.is_falsy(p._sig or q._sig or r._sig)
      assert.same((a * k / (a * k):sum()):tolist(), p:tolist())
      assert.same((a * k):cumsum():tolist(), q:tolist())
      assert.same((a * k):max(1):tolist(), r:tolist())
    end
    assert.equal(4, calls) -- a first look for each k
    f(a, 3)
    assert.equal(5, calls)
    gpu.raises("LogicError", "needs several kernels", f.source, f, a, 3)
    -- Those that start when they are called, too.
    local out = gpuarray.scalar(1)
    assert.equal(out, fuse(function(x) return x:sum { out = out } end)(a))
    assert.equal(a:sum():item(), out:item())
    local line = a:reshape(-1)
    assert.same({ line:dot(line):item(), line:nansum():item(), line:std():item(), line:nancumsum():tolist() },
      { fuse(function(x) return x:dot(x) end)(line):item(), fuse(function(x) return x:nansum() end)(line):item(),
        fuse(function(x) return x:std() end)(line):item(), fuse(function(x) return x:nancumsum() end)(line):tolist() })
    -- Whatever the function does with errors.
    local caught = fuse(function(x)
      local ok, s = pcall(x.sum, x)
      return ok and s or x
    end)
    assert.equal(a:sum():item(), caught(a):item())
    -- In a function that is fused, and a function that is not looked at again.
    local outer = fuse(function(x) return f(x, 2) + 1 end)
    assert.same(((a * 2) / (a * 2):sum() + 1):tolist(), outer(a):tolist())
    local plain = fuse(function(x) return x * 2 + 1 end)
    check_launches(1, function() plain(a) end)
    check_launches(1, function() plain(a) end)
  end)

  it("has no values to ask for", function()
    local why = "arguments have no values while the function is"
    gpu.raises("LogicError", why, fuse(function(x) return x[1] end), a)
    gpu.raises("LogicError", why, fuse(function(x) return tostring(x + 1) end), a)
    gpu.raises("LogicError", why, fuse(function(x) return (x * 2)[{ { 1, 2 } }] end), a)
    gpu.raises("LogicError", why, fuse(function(x) return x:fill(1) end), a)
    gpu.raises("LogicError", "result 1 is a table", fuse(function(x) return { x } end), a)
    local err = select(2, pcall(fuse(function() error("my own", 0) end), a))
    assert.equal("my own", err)
    local kept
    fuse(function(x)
      kept = x + 1
      return x
    end)(a)
    gpu.error_of("LogicError", function() return (kept * 2):tolist() end)
    local argument
    fuse(function(x)
      argument = x
      return x
    end)(a)
    gpu.error_of("LogicError", function() return (argument * 2):tolist() end)
    collectgarbage()
    collectgarbage()
    gpuarray.eval()
    assert.same({ 2, 3, 4, 5, 6 }, (a + 1):tolist()) -- nothing is left of it
    local s = a
    for _ = 1, 1000 do s = s + 1 end -- limits are there again
    assert.is_true(s._born - s._low < 500)
  end)

  it("runs the function itself while gpuarray.eager() is on", function()
    local calls = 0
    local f = fuse(function(x)
      calls = calls + 1
      return x + 1
    end)
    gpuarray.eager(true)
    f(a)
    f(a)
    gpuarray.eager(false)
    assert.equal(2, calls)
  end)

  it("refuses nonsense", function()
    gpu.refuses_nonsense(fuse, { ["function"] = true })
    local f = fuse(function(x) return x end)
    assert.equal("cudalua.gpuarray.Fused", tostring(f))
    assert.equal(5, f(5))
    assert.is_nil(f())
    gpu.raises("LogicError", "read-only", function() f.x = 1 end)
    a:release()
    gpu.raises("LogicError", "released", f, a)
  end)

  -- Random functions with several results.
  local state = 7
  local function random(n)
    state = (state * 1103515245 + 12345) % 2 ^ 31
    return math.floor(state / 2 ^ 16) % n + 1
  end
  local names = { "int8", "uint8", "int32", "float16", "float32", "bool", "float64", "int16" }
  local unary = { "neg", "abs", "square", "sign" }
  local two = { "add", "sub", "mul", "minimum", "maximum", "lt", "eq", "div" }

  local function random_array(name, shape)
    local host = ndarray.empty(shape, name)
    local size = host.size
    local flat = ndarray.empty(size, name)
    for k = 1, size do flat[k] = name == "bool" and random(2) == 1 or name ~= "bool" and random(100) end
    local x = gpuarray.to_gpu(flat:reshape(shape))
    if #shape == 2 and random(3) == 1 then x = gpuarray.to_gpu(flat:reshape({ shape[2], shape[1] })).T end
    return x
  end

  local function random_function(count)
    local steps = {}
    for k = 1, count do
      steps[k] = { random(3) == 1 and 1 or 2, random(#unary), random(#two), random(2 ^ 15), random(2 ^ 15), random(4) }
    end
    return function(...)
      local pool = { ... }
      for _, s in ipairs(steps) do
        local x, y = pool[s[4] % #pool + 1], pool[s[5] % #pool + 1]
        if s[6] == 1 then y = 3 end
        local ok, r
        if s[1] == 1 then
          ok, r = pcall(function() return gpuarray[unary[s[2]]](x) end)
        else
          ok, r = pcall(function() return gpuarray[two[s[3]]](x, y) end)
        end
        if ok then pool[#pool + 1] = r end
      end
      return unpack(pool, select("#", ...) + 1)
    end
  end

  it("equals the function bit for bit", function()
    local shapes = { { 6 }, { 3, 4 }, { 1, 4 }, { 3, 1 }, {} }
    for _ = 1, 12 do
      local f = random_function(4 + random(10))
      local args = {}
      for k = 1, 3 do args[k] = random_array(names[random(#names)], shapes[random(2) == 1 and 2 or random(2) + 2]) end
      local fused = fuse(f)
      for _ = 1, 2 do
        local got = { fused(unpack(args)) }
        gpuarray.eager(true)
        local expected = { f(unpack(args)) }
        gpuarray.eager(false)
        assert.equal(#expected, #got)
        for k = 1, #got do
          assert.equal(expected[k].dtype, got[k].dtype)
          assert.same(expected[k].shape, got[k].shape)
          assert.equal(bits(expected[k]), bits(got[k]))
        end
        args[1] = random_array(args[1].dtype.name, args[1].shape)
      end
    end
  end)

  it("runs in the context of its arrays", function()
    local f = fuse(function(x, y) return x + y, x * y end)
    f(a, b)
    local other = cuda.Device(0):make_context()
    assert.same({ 11, 22, 33, 44, 55 }, f(a, b):tolist())
    local c = gpuarray.to_gpu { 1, 1, 1, 1, 1 }
    assert.same({ 2, 2, 2, 2, 2 }, f(c, c):tolist())
    gpu.raises("LogicError", "two contexts", f, a, c)
    c:release()
    other:detach()
    assert.same({ 10, 40, 90, 160, 250 }, (select(2, f(a, b))):tolist())
  end)

  it("is part of a graph", function()
    local f = fuse(function(x, y) return x + y, x - y end)
    local s = cuda.Stream()
    local r1, r2
    local graph = s:capture(function() r1, r2 = f(a, b) end)
    local exec = graph:instantiate()
    a:fill(1)
    exec:launch(s)
    s:synchronize()
    assert.same({ 11, 21, 31, 41, 51 }, r1:tolist())
    assert.same({ -9, -19, -29, -39, -49 }, r2:tolist())
    s:close()
  end)
end)

describe("gpuarray.Fused, gpuarray.Fused:source", function()
  setup(gpu.context)

  it("is the kernel with all results", function()
    local f = fuse(function(x, y) return x + y, x * y end)
    local a = gpuarray.to_gpu { 1, 2, 3 }
    local text = f:source(a, a * 2)
    assert.truthy(text:find([[
static __device__ __forceinline__ void compute(const float a1, const float a2, float &r1, float &r2) {
  const float v1 = a1 + a2;
  const float v2 = a1 * a2;
  r1 = v1;
  r2 = v2;
}]], 1, true), text)
    assert.equal(1, select(2, text:gsub("__global__", "")))
    gpu.refuses_nonsense(gpuarray.Fused.source)
  end)
end)

describe("gpuarray.source", function()
  setup(gpu.context)

  it("is the CUDA C of an expression, which is not run", function()
    local a = gpuarray.to_gpu { 1, 2, 3 }
    local x = a * a + 0.5
    -- luacheck: push no max string line length
    assert.equal([[
struct __align__(16) pack_float32 { float e[4]; };
static __device__ __forceinline__ float compute(const float a1, const float s1) {
  const float v1 = a1 * a1;
  const float v2 = v1 + s1;
  return v2;
}

// Elements lie one after another and begin at multiples of 16 bytes.
extern "C" __global__ void __launch_bounds__(256) array_mul_add(const unsigned long long n, float *out, const float *p1, const float s1) {
  const unsigned long long first = blockIdx.x * (256ull * 4) + threadIdx.x * 4;
  if (first + 4 <= n) {
    pack_float32 x1[1];
#pragma unroll
    for (int k = 0; k < 1; k++) {
      x1[k] = *(const pack_float32 *)(p1 + first + k * 1024);
    }
#pragma unroll
    for (int k = 0; k < 1; k++) {
      pack_float32 r;
#pragma unroll
      for (int w = 0; w < 4; w++) r.e[w] = compute(x1[k].e[w], s1);
      *(pack_float32 *)(out + first + k * 1024) = r;
    }
  } else {
#pragma unroll 1
    for (int k = 0; k < 1; k++)
#pragma unroll 1
      for (int w = 0; w < 4; w++) {
        const unsigned long long j = first + k * 1024 + w;
        if (j < n) out[j] = compute(p1[j], s1);
      }
  }
}
]], gpuarray.source(x):match "^(.-)%s*$" .. "\n")
    -- luacheck: pop
    assert.is_truthy(x._sig)
    assert.same({ 1.5, 4.5, 9.5 }, x:tolist())
    gpu.raises("LogicError", "the array is already", gpuarray.source, x)
  end)

  it("is that of the last kernel if a long expression is cut", function()
    require("cudalua.gpuarray.core.habits").forget() -- other specs may have read such expressions one after the other
    local x, y = gpuarray.full(100, 2):eval(), gpuarray.full(100, 3):eval()
    local s = x
    for _ = 1, 100 do s = y - s * 0.5 end -- other specs have no such loop, so its kernels are not loaded yet
    local text = gpuarray.source(s)
    assert.equal(100, select(2, text:gsub("const float v%d+ =", ""))) -- 100 operations are in front of the cut
    assert.is_truthy(s._sig)
    local compiled = {}
    local load = runs.load
    finally(knob(runs, "load", function(k, ...)
      compiled[#compiled + 1] = require("cudalua.gpuarray.kernel.codegen").source(k)
      return load(k, ...)
    end))
    assert.is_true(math.abs(s[1] - 2) < 1e-6)
    assert.equal(text, compiled[#compiled])
  end)

  it("compiles, and takes what other kernels computed as it will be", function()
    local m = gpuarray.to_gpu { { 1, 2 }, { 3, 4 } }
    local s = m.T * 2
    local first = s + 1
    first:eval()
    local second = s * 3 -- s was computed on the way, and it takes few bytes to do that again
    local text = gpuarray.source(second)
    assert.truthy(text:find("_mul_mul(", 1, true))
    assert.truthy(cuda.compile(text, { arch = "compute_80", no_extern_c = true }))
    assert.same({ { 6, 18 }, { 12, 24 } }, second:tolist())
    gpu.refuses_nonsense(gpuarray.source)
  end)
end)
