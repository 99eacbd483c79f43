-- CUDA's vectors: their layout against the compiler's, their values, and kernels that take them.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local ndarray = require "cudalua.ndarray"
local vec = require "cudalua.vec"

local bases = {
  { "char", "int8" }, { "uchar", "uint8" }, { "short", "int16" }, { "ushort", "uint16" }, { "int", "int32" },
  { "uint", "uint32" }, { "long", "int64" }, { "ulong", "uint64" }, { "longlong", "int64" }, { "ulonglong", "uint64" },
  { "float", "float32" }, { "double", "float64" },
}
local letters = { "x", "y", "z", "w" }

-- name, dtype of a component, how many
local vectors = {}
for _, b in ipairs(bases) do
  for n = 1, 4 do vectors[#vectors + 1] = { b[1] .. n, dtype[b[2]], n } end
  if dtype[b[2]].itemsize == 8 then
    vectors[#vectors + 1] = { b[1] .. "4_16a", dtype[b[2]], 4 }
    vectors[#vectors + 1] = { b[1] .. "4_32a", dtype[b[2]], 4 }
  end
end

-- What NVRTC knows: the names that say their alignment came with CUDA 13.
local function compiled_names()
  local major = require("cudalua.compiler").nvrtc().major
  local names = {}
  for _, v in ipairs(vectors) do
    if major >= 13 or not v[1]:find "_" then names[#names + 1] = v[1] end
  end
  return names
end

local function all(suffix)
  local names = {}
  for i, v in ipairs(vectors) do names[i] = "vec." .. suffix .. v[1] end
  return table.concat(names, " ")
end

describe("vec", function()
  before_each(gpu.context)

  it("has a dtype for each: " .. all "", function()
    for _, v in ipairs(vectors) do
      local name, component, n = unpack(v)
      local dt = vec[name]
      assert.is_true(dtype.is_dtype(dt), name)
      assert.equal(name, dt.name)
      assert.equal(name, tostring(dt))
      assert.equal("struct", dt.kind)
      assert.equal(n * component.itemsize, dt.itemsize, name)
      assert.equal(ffi.sizeof(dt.ctype), dt.itemsize)
      assert.equal("|V" .. dt.itemsize, dt.code)
      assert.equal(n, #dt.fields)
      for i, f in ipairs(dt.fields) do
        assert.same({ letters[i], component.name, (i - 1) * component.itemsize, {} },
          { f.name, f.dtype.name, f.offset, f.shape })
      end
      assert.equal(dt, dtype(name))
      assert.equal(dt, dtype(dt.ctype))
      assert.equal(dt, vec[name])
      assert.equal(dt, cuda.vec[name])
    end
    assert.are_not.equal(vec.long3.ctype, vec.longlong3.ctype) -- which the order of making them does not change
    assert.equal(vec.long3, dtype(vec.long3.ctype))
    for _, name in ipairs { "float5", "float0", "float", "half2", "bool2", "float4_16a", "double2_32a", "make_",
      "make_float", "make_foo4", "", "float44", "4" } do
      gpu.raises("LogicError", ("vec has no field '%s'"):format(name), function() return vec[name] end)
    end
    assert.is_nil(vec[1])
  end)

  it("lies in memory as the compiler lays it out", function()
    local names, lines = compiled_names(), {}
    for i, name in ipairs(names) do
      lines[i] = ("out[%d] = sizeof(%s); out[%d] = alignof(%s);"):format(2 * i - 2, name, 2 * i - 1, name)
    end
    local out = ndarray.zeros(2 * #names, "int32")
    local module = cuda.SourceModule("__global__ void sizes(int *out) {\n" .. table.concat(lines, "\n") .. "\n}",
      { options = { "-diag-suppress=1444" } })
    module:get_function "sizes"(cuda.Out(out), { block = 1 })
    for i, name in ipairs(names) do
      assert.equal(out[2 * i - 1], vec[name].itemsize, name)
      assert.equal(out[2 * i], vec[name].alignment, name)
    end
  end)

  it("makes values: " .. all "make_", function()
    for _, v in ipairs(vectors) do
      local name, component, n = unpack(v)
      local make = vec["make_" .. name]
      assert.equal(make, vec["make_" .. name])
      local values = { 1, 2, 3, 4 }
      local x = make(unpack(values, 1, n))
      assert.is_true(ffi.istype(vec[name].ctype, x))
      for i = 1, n do
        assert.is_true(x[letters[i]] == i)
        local bad = { 1, 2, 3, 4 }
        bad[i] = "1"
        gpu.raises("LogicError", ("vec.make_%s: %s: expected a"):format(name, letters[i]), make, unpack(bad, 1, n))
        if component.kind ~= "float" then
          bad[i] = 2 ^ 70
          gpu.raises("LogicError", letters[i] .. ": 1.1805916207174e+21 is out of the range", make, unpack(bad, 1, n))
        end
      end
      gpu.raises("LogicError", ("vec.make_%s: %d values were expected"):format(name, n), make,
        unpack({ 1, 2, 3, 4, 5 }, 1, n + 1))
      gpu.raises("LogicError", ("%s: expected a"):format(letters[n]), make, unpack(values, 1, n - 1))
    end
    local err = gpu.error_of("LogicError", function()
      local v = vec.make_float2(1)
      return v
    end)
    assert.truthy(tostring(err):find "^spec/types/vec_spec.lua:%d+: ", tostring(err))
  end)

  it("values compare by their components, and print them", function()
    local a = vec.make_float4(1, 2.5, -3, 0.1)
    assert.equal("{x = 1.0, y = 2.5, z = -3.0, w = 0.1}", tostring(a))
    assert.equal("a {x = 1, y = 255}", "a " .. vec.make_uchar2(1, 255))
    assert.is_true(a == vec.make_float4(1, 2.5, -3, 0.1))
    assert.is_false(a == vec.make_float4(1, 2.5, -3, 0.2))
    assert.is_false(vec.make_float2(0 / 0, 1) == vec.make_float2(0 / 0, 1))
    assert.is_true(vec.make_float2(0, 1) == vec.make_float2(-0, 1))
    for _, other in ipairs { vec.make_float3(1, 2, 3), vec.make_double4(1, 2.5, -3, 0.1), 1, "x", {}, 1LL } do
      assert.is_false(a == other)
    end
    assert.is_false(a == nil)
    assert.is_true(vec.make_longlong2(2LL ^ 62, -1) == vec.make_longlong2(2LL ^ 62, -1))
  end)

  it("a dtype makes values, too", function()
    local dt = vec.float4
    assert.is_true(dt(1, 2, 3, 4) == vec.make_float4(1, 2, 3, 4))
    assert.is_true(dt { 1, 2, 3, 4 } == vec.make_float4(1, 2, 3, 4))
    assert.is_true(dt { y = 2 } == vec.make_float4(0, 2, 0, 0))
    assert.is_true(dt() == vec.make_float4(0, 0, 0, 0))
    assert.is_true(vec.float1(7) == vec.make_float1(7))
    local a = dt(1, 2, 3, 4)
    local b = dt(a)
    b.x = 9
    assert.equal(1, a.x)
    gpu.raises("LogicError", "float4: 2 values for the 4 fields x, y, z, w", dt, 1, 2)
    gpu.raises("LogicError", "float4: unknown field 'v'; valid fields: x, y, z, w", dt, { v = 1 })
    gpu.raises("LogicError", "float4: z: expected a number, got a string", dt, 1, 2, "3", 4)
  end)

  it("is an argument and an element of arrays on the device", function()
    local module = cuda.SourceModule [[
      __global__ void scale(float4 *a, float4 k, int n, double2 *d, double2 e, uchar4 *c, short3 s) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        a[i] = make_float4(a[i].x * k.x, a[i].y * k.y, a[i].z * k.z, a[i].w * k.w);
        d[i].y = d[i].x + e.y;
        c[i].w = c[i].x + c[i].y + s.z;
      }
    ]]
    local n = 100
    local a, d, c = ndarray.zeros(n, vec.float4), ndarray.zeros(n, vec.double2), ndarray.zeros(n, vec.uchar4)
    for i = 1, n do
      a[i] = vec.make_float4(i, i + 0.5, -i, 1 / i)
      d[i] = { i / 3, 0 }
      c[i] = { x = i, y = 100 }
    end
    local before = a:copy()
    local fn = module:get_function "scale"
    fn(cuda.InOut(a), vec.make_float4(2, 3, 4, 5), n, cuda.InOut(d), vec.make_double2(0, 0.25), cuda.InOut(c),
      vec.make_short3(0, 0, -7), { block = 32, grid = 4 })
    for i = 1, n do
      local x, y = before[i], a[i]
      assert.is_true(y == vec.make_float4(x.x * 2, x.y * 3, x.z * 4, y.w))
      assert.is_true(math.abs(y.w - x.w * 5) < 1e-6)
      assert.equal(i / 3 + 0.25, d[i].y)
      assert.equal((i + 93) % 256, c[i].w)
    end
    fn(cuda.InOut(a), a[1], n, cuda.InOut(d), d[1], cuda.InOut(c), vec.short3 { 1, 2, 3 }, { block = 128 })
    assert.equal(4, a[1].x) -- 2 * 2
    gpu.raises("LogicError", "argument 2 (float4 k): the parameter has 16 bytes, but the value has " ..
      "12", fn, cuda.InOut(a),
      vec.make_float3(1, 2, 3), n, cuda.InOut(d), d[1], cuda.InOut(c), vec.short3(), { block = 1 })
    gpu.raises("LogicError", "argument 1 (float4 *a): expected device memory, got a float4", fn, a[1], a[1], n,
      cuda.InOut(d), d[1], cuda.InOut(c), vec.short3(), { block = 1 })
  end)

  it("is known to signatures", function()
    local module = cuda.SourceModule "__global__ void f(float4 *a, double2 v, longlong3 w) { a->x = v.x + w.z; }"
    local fn = module:get_function("f", { args = { "float4 *", vec.double2, vec.longlong3.ctype } })
    local a = ndarray.zeros({}, vec.float4)
    fn(cuda.InOut(a), vec.make_double2(1.5, 0), vec.make_longlong3(0, 0, 40), { block = 1 })
    assert.equal(41.5, a:get().x)
    gpu.raises("LogicError", "args", module.get_function, module, "f",
      { args = { "float4 *", vec.double4, "longlong3" } })
    fn:prepare({ "P", vec.double2, "longlong3" }, { block = 1 })
    local d = cuda.to_device(a)
    fn:prepared_call(1, d, vec.make_double2(2.5, 0), vec.make_longlong3(0, 0, 40))
    assert.equal(42.5, cuda.from_device(d, {}, "float4"):get().x)
  end)
end)
