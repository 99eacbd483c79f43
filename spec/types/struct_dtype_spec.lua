-- Structs as element types: their layout against the compiler's, their values, arrays of them, kernels that take them.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local ndarray = require "cudalua.ndarray"
local tools = require "cudalua.tools"
local vec = require "cudalua.vec"

local particle = dtype.struct({
  { "x", "float32" }, { "id", "int64" }, { "v", vec.float2, 2 }, { "h", "float16" }, { "ok", "bool" },
  { "c", "complex64" }, { "m", "float64", { 2, 3 } },
}, { name = "spec_particle" })

local function some_particle()
  return particle { x = 0.5, id = -7, v = { { 1, 2 }, { x = 3, y = 4 } }, h = 1 / 3, ok = true,
    c = ffi.new("complex", 1, -2), m = { { 1, 2, 3 }, { 4, 5, 6 } } }
end

-- Offsets of a struct's fields by name.
local function offsets(dt)
  local t = {}
  for _, f in ipairs(dt.fields) do t[f.name] = f.offset end
  return t
end

describe("dtype.struct", function()
  before_each(gpu.context)

  it("has the layout of C", function()
    assert.equal("spec_particle", particle.name)
    assert.equal("struct", particle.kind)
    assert.equal("|V96", particle.code)
    assert.same({ 96, 8 }, { particle.itemsize, particle.alignment })
    assert.same({ x = 0, id = 8, v = 16, h = 32, ok = 34, c = 40, m = 48 }, offsets(particle))
    assert.equal(particle.itemsize, ffi.sizeof(particle.ctype))
    local f = particle.fields
    assert.same({ "m", dtype.float64, { 2, 3 } }, { f[7].name, f[7].dtype, f[7].shape })
    assert.equal(vec.float2, f[3].dtype)
    f[1].name = "changed"
    assert.equal("x", particle.fields[1].name)
    gpu.raises("LogicError", "read-only", function() particle.itemsize = 1 end)

    local fields = { { "a", "int8" }, { "d", "double2" }, { "b", "int8" } }
    local natural, packed, wide = dtype.struct(fields), dtype.struct(fields, { align = false }),
      dtype.struct(fields, { align = 64 })
    assert.same({ 48, 16, 16, 32 }, { natural.itemsize, natural.alignment, offsets(natural).d, offsets(natural).b })
    assert.same({ 18, 1, 1, 17 }, { packed.itemsize, packed.alignment, offsets(packed).d, offsets(packed).b })
    assert.same({ 64, 64, 16, 32 }, { wide.itemsize, wide.alignment, offsets(wide).d, offsets(wide).b })
    assert.equal(natural, dtype.struct(fields, { align = 2 }))
  end)

  it("is the same object for the same description", function()
    local a = dtype.struct { { "x", "float" }, { "n", "int", 3 } }
    assert.equal(a, dtype.struct { { "x", "float32" }, { "n", dtype.int32, { 3 } } })
    assert.equal(a, dtype(a))
    assert.equal(a, dtype(a.ctype))
    assert.equal("{float32 x, int32 n[3]}", tostring(a))
    for _, other in ipairs {
      dtype.struct({ { "x", "float" }, { "n", "int", 3 } }, { name = "spec_other" }), dtype.struct { { "x", "float" } },
      dtype.struct { { "y", "float" }, { "n", "int", 3 } }, dtype.struct { { "x", "float" }, { "n", "int", { 3, 1 } } },
      dtype.struct { { "x", "float" }, { "n", "uint32", 3 } },
      dtype.struct({ { "x", "float" }, { "n", "int", 3 } }, { align = false }),
    } do
      assert.is_false(a == other)
    end
    -- FFI types are never given back: they must not be made again and again.
    local first = tonumber(ffi.typeof "struct { int spec_counts_types; }")
    for _ = 1, 100 do dtype.struct({ { "x", "float" }, { "inner", particle, 2 } }, { name = "spec_again" }) end
    assert.is_true(tonumber(ffi.typeof "struct { int spec_counts_types; }") - first < 50)
  end)

  it("refuses fields that C has not, and says which", function()
    local function refuses(text, fields, options) gpu.raises("LogicError", text, dtype.struct, fields, options) end
    refuses("dtype.struct: expected a list of fields, got nil", nil)
    refuses("dtype.struct: a struct needs at least one field", {})
    refuses("dtype.struct: expected a list of fields, but it has the field 'x'", { x = "float32" })
    refuses("dtype.struct: field 1: expected {name, type} or {name, type, extents}, got 'float'", { "float" })
    refuses("dtype.struct: field 2: 5 cannot be its name: it is not a string", { { "x", "float" }, { 5, "float" } })
    refuses("field 1: 'a b' cannot be its name: it contains characters other than letters, digits and " ..
      "_", { { "a b", "float" } })
    refuses("field 1: 'int' cannot be its name: it is a keyword of C++", { { "int", "float" } })
    refuses("field 1 (x): unknown dtype 'foo'; valid dtypes: bool", { { "x", "foo" } })
    refuses("field 1 (x): dtype must be a name, a dtype or an FFI ctype, got nil", { { "x" } })
    refuses("field 1 (x): extents[1] must be a positive integer, got 0", { { "x", "float", 0 } })
    refuses("field 1 (x): extents[2] must be a positive integer, got 1.5", { { "x", "float", { 2, 1.5 } } })
    refuses("field 1 (x): extents: expected a number, or a list of numbers", { { "x", "float", {} } })
    refuses("field 1 (x): it has more than 2^28 bytes", { { "x", "float", { 2 ^ 30, 2 ^ 30 } } })
    refuses("it has the field 4", { { "x", "float", 1, 2 } })
    refuses("two fields have the name 'x'", { { "x", "float" }, { "x", "int" } })
    refuses("align must be true, false, or a power of two up to 1024, got 3", { { "x", "float" } }, { align = 3 })
    refuses("'float4' is not a valid type name: it is reserved by CUDA", { { "x", "float" } }, { name = "float4" })
    refuses("'class' is not a valid type name: it is a keyword of", { { "x", "float" } }, { name = "class" })
    local many = {}
    for i = 1, 1025 do many[i] = { "f" .. i, "int8" } end
    refuses("1025 fields; a struct has at most 1024", many)
    many[1025] = nil
    assert.equal(1024, dtype.struct(many).itemsize)
    gpu.refuses_nonsense(dtype.struct)
    gpu.refuses_nonsense(function(x) return dtype.struct { { "x", x } } end)
    gpu.refuses_nonsense(function(x) return dtype.struct({ { "x", "float" } }, { name = x }) end,
      { ["nil"] = true, string = true })
  end)

  it("makes values by name and by position", function()
    local p = some_particle()
    assert.is_true(ffi.istype(particle.ctype, p))
    assert.same({ 0.5, 3, 4, 6 }, { p.x, p.v[1].x, p.v[1].y, p.m[1][2] })
    assert.equal(-7LL, p.id)
    assert.equal(dtype.pack_float16(1 / 3), p.h)
    assert.is_true(p.ok)
    assert.equal("{x = 0.5, id = -7, v = [{x = 1.0, y = 2.0} {x = 3.0, y = 4.0}], h = 0.3333, ok = true, c = 1-2i, " ..
      "m = [[1.0 2.0 3.0] [4.0 5.0 6.0]]}", tostring(p))
    local q = particle(p)
    assert.is_true(p == q)
    q.m[1][1] = 0
    assert.is_false(p == q)
    assert.is_true(particle() == particle {})
    assert.is_true(particle(0.5, 1, { vec.make_float2(1, 2), { 3, 4 } }, 2, false, 1, p.m) ==
      particle { id = 1, x = 0.5, v = { { 1, 2 }, { 3, 4 } }, h = 2, ok = 0, c = 1, m = p.m })
    assert.is_true(particle { m = ndarray.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float64") }.m[1][2] == 6)
    local function refuses(text, ...) gpu.raises("LogicError", "spec_particle: " .. text, particle, ...) end
    refuses("1 values for the 7 fields x, id, v, h, ok, c, m", 5)
    refuses("2 values for the 7 fields", { 1, 2 })
    refuses("unknown field 'y'; valid fields: x, id, v, h, ok, c, m", { y = 1 })
    refuses("id: 1.5 is not an integer", { id = 1.5 })
    refuses("v: expected a list of 2, got 3 elements", { v = { {}, {}, {} } })
    refuses("v: expected a list of 2, got 1", { v = 1 })
    refuses("v[2]: y: expected a number, got a string", { v = { {}, { y = "1" } } })
    refuses("v[1]: expected a float2 or a table of its fields, got a float4", { v = { vec.float4(), {} } })
    refuses("m[2]: expected a list of 3, got 2 elements", { m = { { 1, 2, 3 }, { 4, 5 } } })
    refuses("m[2][3]: expected a number, got a table", { m = { { 1, 2, 3 }, { 4, 5, {} } } })
    refuses("ok: expected true or false, got 2", { ok = 2 })
    gpu.refuses_nonsense(particle, { ["nil"] = true, table = true })
  end)

  it("holds addresses of the device", function()
    local dt = dtype.struct { { "p", " const  float* " }, { "q", "void **", 2 } }
    assert.equal("const float *", dt.fields[1].pointer)
    assert.same({ dtype.uint64, 24 }, { dt.fields[2].dtype, dt.itemsize })
    local m = cuda.mem_alloc(64)
    local v = dt { p = m, q = { m + 16, 0 } }
    assert.equal(m:ptr(), tonumber(v.p))
    v = dt { p = 4096, q = { m + 16, 0 } }
    assert.same({ 4096, m:ptr() + 16, 0 }, { tonumber(v.p), tonumber(v.q[0]), tonumber(v.q[1]) })
    m:free()
    gpu.raises("LogicError", "p: this DeviceAllocation was freed", dt, { p = m })
    gpu.raises("LogicError", "p: expected an integer, got a string", dt, { p = "x" })
    gpu.raises("LogicError", "p: expected an integer, got a table", dt, { p = {} })
  end)

  it("has no number's promotion", function()
    assert.equal(particle, dtype.promote(particle, particle))
    gpu.raises("LogicError", "dtype.promote: spec_particle and float32 have no common type", dtype.promote, particle,
      "float32")
    gpu.raises("LogicError", "have no common type", dtype.promote, "bool", vec.float4)
    gpu.raises("LogicError", "spec_particle is a struct, not a number", dtype.promote_value, particle, 1)
    gpu.raises("LogicError", "not a float type", dtype.default_float, particle)
    assert.is_nil(dtype.float32.fields)
  end)
end)

describe("host arrays of structs", function()
  before_each(gpu.context)

  it("take and give elements", function()
    local a = ndarray.zeros({ 2, 3 }, particle)
    assert.equal(6 * 96, a.nbytes)
    a:set(1, 2, some_particle())
    a[2][3] = { x = 5 }
    a[{ 2, 1 }] = { x = 6 }
    local p = a:get(1, 2)
    assert.is_true(p == some_particle())
    assert.equal(5, a[2][3].x)
    assert.equal(0, a:get(1, 1).x)
    -- What is read is a copy: writing to it would change nothing, and so it is refused.
    assert.is_false(pcall(function() a[2][3].x = 7 end))
    local q = particle(a[2][3])
    q.x = 7
    assert.equal(5, a[2][3].x)
    a[2][3] = q
    assert.equal(7, a[2][3].x)
    assert.equal(1 / 3 - 1 / 3 % 2 ^ -12, a:tolist()[1][2].h)
    assert.same({ x = 1, y = 2 }, a:tolist()[1][2].v[1])
    gpu.raises("LogicError", "x: expected a number", a.set, a, 1, 1, { x = {} })
    gpu.raises("LogicError", "expected a spec_particle or a table of its fields, got 1", a.set, a, 1, 1, 1)
    gpu.raises("LogicError", "got a float4", a.set, a, 1, 1, vec.float4())
    gpu.raises("LogicError", "got the FFI type of spec_particle", a.set, a, 1, 1, particle.ctype)
    gpu.refuses_nonsense(function(x) a:set(1, 1, x) end, { table = true })
    assert.equal(7, a[2][3].x)
  end)

  it("are made of tables, values and other arrays", function()
    local p = dtype.struct({ { "x", "float32" }, { "n", "int32" } }, { name = "spec_pair" })
    local rows = { { { x = 1 }, { 2, 3 } }, { p(4, 5), { n = 6 } } }
    local a = ndarray.array(rows, p)
    assert.same({ 2, 2 }, a.shape)
    assert.same({ { { x = 1, n = 0 }, { x = 2, n = 3 } }, { { x = 4, n = 5 }, { x = 0, n = 6 } } }, a:tolist())
    assert.equal("[[{x = 1., n = 0} {x = 2., n = 3}]\n [{x = 4., n = 5} {x = 0., n = 6}]]", tostring(a))
    assert.equal("{x = 4.0, n = 5}", tostring(ndarray.array(p(4, 5))))
    assert.equal(p, ndarray.array({ p(1, 2), p(3, 4) }).dtype)
    assert.same({ 0 }, ndarray.array({}, p).shape)
    assert.same({ x = 1, n = 2 }, ndarray.array({ x = 1, n = 2 }, p):tolist())
    assert.same({ x = 1, n = 2 }, ndarray.full({ 2 }, { 1, 2 }, p):tolist()[2])
    assert.same({ x = 9, n = 9 }, a:copy():assign({ 9, 9 }):tolist()[2][1])
    assert.same({ x = 7, n = 0 }, a:copy():fill({ x = 7 }):tolist()[2][2])
    assert.equal(p, ndarray.from_buffer(ffi.new(ffi.typeof("$[3]", p.ctype))).dtype)
    assert.equal(3, ndarray.from_buffer(ffi.new(ffi.typeof("$[3]", p.ctype))).size)
    assert.equal(4, a:data()[2].x)
    -- Copies are of all bytes, whatever the strides.
    assert.is_true(a.T:copy().T:equal(a))
    assert.is_true(a:slice({ 2, 1, -1 }, {}):copy():slice({ 2, 1, -1 }):equal(a))
    assert.is_true(a:reshape(4):reshape(2, 2):equal(a))
    assert.is_true(ndarray.equal(rows, a))
    gpu.raises("LogicError", "[2]: unknown field 'y'; valid fields: x, n", ndarray.array, { { x = 1 }, { y = 2 } }, p)
    gpu.raises("LogicError", "[1]: 3 values for the 2 fields x, n", ndarray.array, { { 1, 2, 3 } }, p)
    gpu.raises("LogicError", "no common type", ndarray.array, { p(1, 2), vec.float2() })
    gpu.raises("LogicError", "cannot convert elements of spec_pair to float32", a.astype, a, "float32")
    gpu.raises("LogicError", "cannot convert elements of float64 to spec_pair", ndarray.zeros(2, "float64").astype,
      ndarray.zeros(2, "float64"), p)
    gpu.raises("LogicError", "cannot convert elements of float2 to spec_pair", a.assign, a,
      ndarray.zeros({ 2, 2 }, "float2"))
    gpu.raises("LogicError", "expected a spec_pair or a table of its fields, got 1", ndarray.ones, 3, p)
    -- The same fields under another name are the same memory.
    local other = dtype.struct({ { "x", "float32" }, { "n", "int32" } }, { name = "spec_pair2" })
    assert.same(a:tolist(), a:astype(other):tolist())
    assert.equal(other, a:astype(other).dtype)
  end)

  it("show one field as a view: ndarray.Array:field", function()
    local a = ndarray.zeros({ 2, 3 }, particle)
    local x, m, y = a:field "x", a:field "m", a:field("v"):field "y"
    assert.same({ { 2, 3 }, dtype.float32, { 288, 96 } }, { x.shape, x.dtype, x.strides })
    assert.same({ { 2, 3, 2, 3 }, dtype.float64 }, { m.shape, m.dtype })
    assert.same({ 2, 3, 2 }, y.shape)
    x:assign { { 1, 2, 3 }, { 4, 5, 6 } }
    m[{ 2, 1 }] = { { 1, 2, 3 }, { 4, 5, 6 } }
    y:fill(8)
    a:field("h"):fill(0.5)
    assert.equal(4, a:get(2, 1).x)
    assert.equal(6, a:get(2, 1).m[1][2])
    assert.equal(8, a:get(1, 3).v[1].y)
    assert.equal(0.5, a:tolist()[2][3].h)
    assert.equal(a, x.base)
    assert.equal(0, a:get(1, 1).id)
    -- The view keeps the memory.
    local z = ndarray.full(1000, { x = 3 }, particle):field "x"
    collectgarbage()
    for _ = 1, 100 do ndarray.zeros(1000, particle) end
    assert.is_true(z:equal(ndarray.full(1000, 3, "float32")))
    gpu.raises("LogicError", "ndarray:field: unknown field 'foo'; valid fields: x, id", a.field, a, "foo")
    gpu.raises("LogicError", "ndarray:field: the elements are not structs but float32", x.field, x, "x")
    gpu.refuses_nonsense(function(name) return a:field(name) end)
  end)

  it("compare field by field", function()
    local a = ndarray.zeros({ 2, 2 }, particle)
    local b = a:copy()
    assert.is_true(a:equal(b))
    b:field("m")[{ 2, 1, 2, 3 }] = 1e-9
    assert.same({ false, "[2][1].m[2][3]: 0 and 1e-09" }, { a:equal(b) })
    assert.is_true(a:allclose(b))
    b:field("v"):field("y")[{ 1, 2, 1 }] = 9
    assert.same({ false, "[1][2].v[1].y: 0 and 9" }, { a:allclose(b) })
    assert.same({ false, "the types are spec_particle and float32" }, { a:equal(ndarray.zeros({ 2, 2 })) })
    -- Padding is no value.
    local bytes = ffi.cast("uint8_t *", a:data())
    local c = a:copy()
    bytes[4] = 1 -- between x and id
    assert.is_true(a:equal(c))
    assert.is_true(a:get(1, 1) == c:get(1, 1))
  end)

  it("read any bits", function()
    local bits = ffi.new("uint32_t[8]",
      { 0xffffffff, 0xfff00001, 0x7f800001, 5, 0xffffffff, 0xffffffff, 1, 0xfff00000 })
    local a = ndarray.wrap(bits, 2, "float4")
    assert.same({ "nan", "nan", "nan" }, { tostring(a[1].x), tostring(a[1].y), tostring(a[1].z) })
    assert.is_true(a[1].w > 0)
    local nested = dtype.struct { { "pair", "double2" }, { "z", "complex64", 2 } }
    local b = ndarray.wrap(bits, 1, nested)
    assert.equal("nan", tostring(tonumber(b[1].z[0].re)))
    local d = ndarray.wrap(bits + 4, 1, "double2")
    assert.same({ "nan", "nan" }, { tostring(d[1].x), tostring(d[1].y) })
    assert.equal(0xffffffff, bits[0]) -- the memory itself stays as it is
    assert.equal(0xffffffff, ffi.cast("uint32_t *", ffi.cast("uint8_t *", ndarray.array(a):data()))[0])
  end)
end)

describe("structs in kernels", function()
  before_each(gpu.context)

  it("are laid out as dtype.struct says, whatever is in them", function()
    math.randomseed(20)
    local scalars = { "bool", "int8", "uint16", "int32", "uint64", "float16", "bfloat16", "float32", "float64" }
    local vectors = { "char3", "uchar4", "short2", "int3", "uint4", "longlong3", "ulong2", "float1", "float2", "float4",
      "double2" }
    local made, decls, lines, n = {}, {}, {}, 0
    for k = 1, 60 do
      local fields = {}
      for i = 1, math.random(1, 7) do
        local pick = math.random(10)
        local type
        if pick <= 5 then
          type = scalars[math.random(#scalars)]
        elseif pick <= 8 then
          type = vectors[math.random(#vectors)]
        elseif pick == 9 then
          type = "float *"
        else
          type = made[math.random(math.max(#made, 1))] or "int32"
        end
        local extents = ({ nil, nil, nil, math.random(1, 5), { math.random(1, 3), math.random(1, 3) } })[math.random(5)]
        fields[i] = { "f" .. i, type, extents }
      end
      local align = ({ true, true, true, false, 8, 32 })[math.random(6)]
      local named = k % 4 ~= 0 -- those without a name are written out where they are used
      local dt = dtype.struct(fields, { name = named and "spec_random" .. k or nil, align = align })
      made[k] = dt
      if named then
        decls[#decls + 1] = dt
        lines[#lines + 1] = ("out[%d] = sizeof(%s); out[%d] = alignof(%s);"):format(n, dt.name, n + 1, dt.name)
        n = n + 2
        for _, f in ipairs(dt.fields) do
          lines[#lines + 1] = ("out[%d] = (int)(size_t)&((%s *)0)->%s;"):format(n, dt.name, f.name)
          n = n + 1
        end
      end
    end
    local out = ndarray.zeros(n, "int32")
    local source = tools.c_declarations(decls) .. "extern \"C\" __global__ void layouts(int *out) {\n" ..
      table.concat(lines, "\n") .. "\n}"
    local fn = cuda.SourceModule(source, { no_extern_c = true }):get_function "layouts"
    fn(cuda.Out(out), { block = 1 })
    local at = 0
    for _, dt in ipairs(decls) do
      local expected, got = { dt.itemsize, dt.alignment }, {}
      for _, f in ipairs(dt.fields) do expected[#expected + 1] = f.offset end
      for i = 1, #expected do got[i] = out[at + i] end
      at = at + #expected
      assert.same(expected, got, tostring(dt))
    end
  end)

  it("go in by value, in arrays, nested and packed", function()
    local inner = dtype.struct({ { "tag", "int8" }, { "d", "double2" } }, { name = "spec_inner" })
    local outer = dtype.struct({
      { "n", "int32" }, { "parts", inner, 2 }, { "k", "float32", { 2, 2 } }, { "out", "float *" },
    }, { name = "spec_outer" })
    local tight = dtype.struct({ { "c", "uint8" }, { "x", "float64" }, { "s", "int16", 3 } },
      { name = "spec_tight", align = false })
    local source = tools.c_declarations { outer, tight } .. [[
      extern "C" __global__ void work(spec_outer by_value, spec_outer *all, spec_tight t, spec_tight *ts, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        all[i].parts[1].d.y = all[i].parts[0].d.x + by_value.parts[1].d.y + by_value.parts[0].tag;
        all[i].k[1][0] = by_value.k[0][1] * i;
        by_value.out[i] = all[i].k[1][0] + by_value.n;
        ts[i].x = t.x * i;
        ts[i].s[2] = t.s[2] + t.c;
      }
    ]]
    local fn = cuda.SourceModule(source, { no_extern_c = true }):get_function "work"
    local n = 50
    local result = cuda.mem_alloc(4 * n)
    local all, ts = ndarray.zeros(n, outer), ndarray.zeros(n, tight)
    for i = 1, n do all[i] = { parts = { { d = { i, 0 } }, {} } } end
    local value = outer { n = 1000, parts = { { tag = -3 }, { d = { 0, 0.25 } } }, k = { { 0, 2 }, { 0, 0 } },
      out = result }
    fn(value, cuda.InOut(all), tight(200, 0.125, { 0, 0, 100 }), cuda.InOut(ts), n, { block = 32, grid = 2 })
    local floats = cuda.from_device(result, n, "float32")
    for i = 1, n do
      local e, t = all[i], ts[i]
      assert.equal(i + 0.25 - 3, e.parts[1].d.y)
      assert.equal(2 * (i - 1), e.k[1][0])
      assert.equal(1000 + 2 * (i - 1), floats[i])
      assert.equal(0.125 * (i - 1), t.x)
      assert.equal(300, t.s[2])
      assert.equal(0, t.c)
    end
    -- An element that was read from an array is a value, too, as is a registered name in a signature.
    tools.get_or_register_dtype("spec_tight", tight)
    fn = cuda.SourceModule(source, { no_extern_c = true }):get_function("work",
      { args = { outer, "spec_outer *", "spec_tight t", "void *", "int" } })
    fn(value, cuda.InOut(all), ts[2], cuda.InOut(ts), 3, { block = 32 })
    assert.equal(0.25, ts[3].x)
    assert.truthy(fn:signature():find("spec_tight t", 1, true), (fn:signature()))
    gpu.raises("LogicError", "the parameter has 15 bytes, but the value has 112", fn, value, cuda.InOut(all), value,
      cuda.InOut(ts), 3, { block = 32 })
  end)

  it("are copied to the device and back with all their bytes", function()
    local a = ndarray.zeros({ 3, 4 }, particle)
    for i = 1, 3 do
      for j = 1, 4 do a:set(i, j, { x = i, id = j, m = { { i, j, 0 }, { 0, 0, i * j } } }) end
    end
    local d = cuda.to_device(a)
    assert.is_true(cuda.from_device_like(d, a):equal(a))
    assert.is_true(cuda.from_device(d, { 12 }, particle):reshape(3, 4):equal(a))
    local p = cuda.pagelocked_empty({ 3, 4 }, particle)
    cuda.memcpy_dtoh(p, d)
    assert.is_true(p:equal(a))
  end)
end)
