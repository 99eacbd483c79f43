local gpu = require "spec.support.gpu"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"

-- name, kind, bytes, alignment, C type, NumPy's code
local published = {
  { "bool", "bool", 1, 1, "bool", "|b1" }, { "int8", "int", 1, 1, "int8_t", "|i1" },
  { "int16", "int", 2, 2, "int16_t", "<i2" }, { "int32", "int", 4, 4, "int32_t", "<i4" },
  { "int64", "int", 8, 8, "int64_t", "<i8" }, { "uint8", "uint", 1, 1, "uint8_t", "|u1" },
  { "uint16", "uint", 2, 2, "uint16_t", "<u2" }, { "uint32", "uint", 4, 4, "uint32_t", "<u4" },
  { "uint64", "uint", 8, 8, "uint64_t", "<u8" }, { "float16", "float", 2, 2, "uint16_t", "<f2" },
  { "bfloat16", "float", 2, 2, "uint16_t", "<V2" }, { "float32", "float", 4, 4, "float", "<f4" },
  { "float64", "float", 8, 8, "double", "<f8" }, { "complex64", "complex", 8, 4, "complex float", "<c8" },
  { "complex128", "complex", 16, 8, "complex double", "<c16" },
}

describe("dtype.of", function()
  it("dtype.list names every type: dtype.bool dtype.int8 dtype.int16 dtype.int32 dtype.int64 dtype.uint8 " ..
    "dtype.uint16 dtype.uint32 dtype.uint64 dtype.float16 dtype.bfloat16 dtype.float32 dtype.float64 " ..
    "dtype.complex64 dtype.complex128", function()
    assert.equal(#published, #dtype.list)
    for i, row in ipairs(published) do
      local t = dtype[row[1]]
      assert.equal(t, dtype.list[i])
      assert.same(row, { t.name, t.kind, t.itemsize, t.alignment, row[5], t.code })
      assert.equal(ffi.typeof(row[5]), t.ctype)
      assert.equal(row[1], tostring(t))
      assert.equal("a " .. row[1], "a " .. t)
    end
  end)

  it("finds a type by its name, code, C type, FFI type and itself, always as the same object", function()
    for _, row in ipairs(published) do
      local t = dtype[row[1]]
      assert.equal(t, dtype.of(row[1]))
      assert.equal(t, dtype(row[1]))
      assert.equal(t, dtype(t))
      assert.equal(t, dtype(row[6]))
      assert.equal(t, dtype(row[6]:sub(2)))
      assert.equal(t, dtype("=" .. row[6]:sub(2)))
      if row[5] ~= "uint16_t" then
        assert.equal(t, dtype(row[5]))
        assert.equal(t, dtype(ffi.typeof(row[5])))
        assert.equal(t, dtype(ffi.typeof("const " .. row[5])))
      end
    end
    local others = { float = "float32", double = "float64", half = "float16", __half = "float16", int = "int32",
      ["unsigned int"] = "uint32", unsigned = "uint32", char = "int8", ["unsigned char"] = "uint8", short = "int16",
      long = "int64", ["long long"] = "int64", size_t = "uint64", ["unsigned long long"] = "uint64",
      __nv_bfloat16 = "bfloat16", bf16 = "bfloat16", complex = "complex128", ["double complex"] = "complex128",
      ["float complex"] = "complex64", uint16_t = "uint16", ["?"] = "bool", f = "float32", d = "float64",
      e = "float16", b = "int8", B = "uint8", q = "int64", Q = "uint64", F = "complex64", D = "complex128" }
    for name, t in pairs(others) do assert.equal(dtype[t], dtype(name)) end
    assert.equal(dtype.int64, dtype(ffi.typeof "long long"))
    assert.equal(dtype.uint64, dtype(ffi.typeof "size_t"))
  end)

  it("refuses what is no type", function()
    gpu.refuses_nonsense(dtype.of)
    gpu.raises("LogicError", "unknown dtype 'float128'", dtype, "float128")
    gpu.raises("LogicError", "big-endian", dtype, ">f4")
    gpu.raises("LogicError", "is not an element type", dtype, ffi.typeof "struct { int a; }")
    gpu.raises("LogicError", "is not an element type", dtype, ffi.typeof "int[3]")
    gpu.raises("LogicError", "got a cdata", dtype, ffi.new "float[1]")
  end)

  it("objects are read only and dtype.is_dtype knows them", function()
    for _, t in ipairs(dtype.list) do assert.is_true(dtype.is_dtype(t)) end
    for _, x in ipairs { "float32", 1, {}, ffi.typeof "float", dtype } do assert.is_false(dtype.is_dtype(x)) end
    assert.is_false(dtype.is_dtype(nil))
    gpu.raises("LogicError", "read-only", function() dtype.int8.itemsize = 100 end)
    gpu.raises("LogicError", "read-only", function() dtype.int8.other = 1 end)
    assert.equal(1, dtype.int8.itemsize)
    assert.is_false(pcall(setmetatable, dtype.int8, nil))
    assert.are_not.same(dtype.int8, dtype.uint8) -- deep comparison tells them apart, too
  end)
end)

-- Both formats once more, from their definition.
local formats = {
  { name = "float16", pack = dtype.pack_float16, unpack = dtype.unpack_float16, mantissa = 10, exponent = 5 },
  { name = "bfloat16", pack = dtype.pack_bfloat16, unpack = dtype.unpack_bfloat16, mantissa = 7, exponent = 8 },
}

local function value_of(f, bits)
  local sign = bits >= 32768 and -1 or 1
  local field = math.floor(bits % 32768 / 2 ^ f.mantissa)
  local fraction = bits % 2 ^ f.mantissa / 2 ^ f.mantissa
  local bias = 2 ^ (f.exponent - 1) - 1
  if field == 2 ^ f.exponent - 1 then return fraction == 0 and sign * math.huge or 0 / 0 end
  if field == 0 then return sign * math.ldexp(fraction, 1 - bias) end
  return sign * math.ldexp(1 + fraction, field - bias)
end

for _, f in ipairs(formats) do
  local infinity = (2 ^ f.exponent - 1) * 2 ^ f.mantissa
  local values = {} -- of the patterns from 0 to infinity, ascending; infinity as if the exponent went on
  for bits = 0, infinity - 1 do values[bits] = value_of(f, bits) end
  values[infinity] = 2 * values[infinity - 2 ^ f.mantissa]

  -- The nearest of them by search, the even one where two are as near.
  local function nearest(x)
    local size = math.abs(x)
    local sign = (x < 0 or 1 / x < 0) and 32768 or 0
    if size >= values[infinity] then return sign + infinity end
    local low, high = 0, infinity
    while high - low > 1 do
      local middle = math.floor((low + high) / 2)
      if values[middle] <= size then low = middle else high = middle end
    end
    local below, above = size - values[low], values[high] - size
    if below == above then return sign + (low % 2 == 0 and low or high) end
    return sign + (below < above and low or high)
  end

  describe(f.name .. " in 16 bits", function()
    local function all_patterns()
      local wrong, nans = 0, 0
      for bits = 0, 65535 do
        local want, got = value_of(f, bits), f.unpack(bits)
        if want ~= want then
          nans = nans + 1
          if got == got or f.pack(got) ~= infinity + 2 ^ (f.mantissa - 1) then wrong = wrong + 1 end
        elseif got ~= want or 1 / got ~= 1 / want or f.pack(got) ~= bits then
          wrong = wrong + 1
        end
      end
      return wrong, nans
    end

    it("dtype.unpack_" .. f.name .. " and dtype.pack_" .. f.name .. " agree on all 65536 patterns", function()
      local wrong, nans = all_patterns()
      assert.equal(0, wrong)
      assert.equal(2 * (2 ^ f.mantissa - 1), nans)
      jit.off(all_patterns, true)
      jit.off(f.pack, true)
      jit.off(f.unpack, true)
      wrong = all_patterns()
      jit.on(f.pack, true)
      jit.on(f.unpack, true)
      assert.equal(0, wrong)
    end)

    it("dtype.pack_" .. f.name .. " rounds once, to nearest, between all neighbours, ties to even", function()
      local wrong = 0
      for bits = 0, infinity - 1 do
        local middle = (values[bits] + values[bits + 1]) / 2 -- exact, as are the numbers right beside it
        local step = middle * 2 ^ -52
        local even = bits % 2 == 0 and bits or bits + 1
        if f.pack(middle) ~= even or f.pack(-middle) ~= 32768 + even then wrong = wrong + 1 end
        if f.pack(middle - step) ~= bits or f.pack(middle + step) ~= bits + 1 then wrong = wrong + 1 end
      end
      assert.equal(0, wrong)
    end)

    it("dtype.pack_" .. f.name .. " rounds random numbers of every size", function()
      local wrong = 0
      local word = ffi.new "union { double number; uint16_t half[4]; }"
      for _ = 1, 200000 do
        for k = 0, 2 do word.half[k] = math.random(0, 65535) end
        word.half[3] = math.random(0, 0x7fef) + 32768 * math.random(0, 1) -- no NaN: LuaJIT takes some for other types
        local x = word.number
        if math.random() < 0.5 then -- within the format's own range
          x = math.ldexp(math.random() - 0.5, math.random(-2 ^ (f.exponent - 1) - 14, 2 ^ (f.exponent - 1) + 2))
        end
        if f.pack(x) ~= nearest(x) then wrong = wrong + 1 end
      end
      assert.equal(0, wrong)
    end)

    it("zeros, infinities, NaN, and what is not a number", function()
      assert.equal(0, f.pack(0))
      assert.equal(32768, f.pack(-0.0))
      assert.equal(infinity, f.pack(math.huge))
      assert.equal(32768 + infinity, f.pack(-math.huge))
      assert.equal(infinity, f.pack(1e308))
      assert.equal(0, f.pack(4.9e-324))
      assert.equal(f.pack(0 / 0), f.pack(-(0 / 0)))
      for _, bad in ipairs { "1", {}, true, ffi.new "int[1]" } do gpu.error_of("LogicError", f.pack, bad) end
      gpu.error_of("LogicError", f.pack)
      for _, bad in ipairs { -1, 65536, 0.5, 0 / 0, 1 / 0, "1", {}, true } do
        gpu.raises("LogicError", "16 bits", f.unpack, bad)
      end
      gpu.error_of("LogicError", f.unpack)
    end)
  end)
end

describe("dtype.promote", function()
  -- Within the integers, NumPy's table; D is the default float.
  local integers = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
  local table_of_integers = {
    "int8  int16 int32 int64 int16 int32 int64 D",
    "int16 int16 int32 int64 int16 int32 int64 D",
    "int32 int32 int32 int64 int32 int32 int64 D",
    "int64 int64 int64 int64 int64 int64 int64 D",
    "int16 int16 int32 int64 uint8 uint16 uint32 uint64",
    "int32 int32 int32 int64 uint16 uint16 uint32 uint64",
    "int64 int64 int64 int64 uint32 uint32 uint32 uint64",
    "D D D D uint64 uint64 uint64 uint64",
  }
  local floats = { "float16", "bfloat16", "float32", "float64" }
  local table_of_floats = { "float16 float32 float32 float64", "float32 bfloat16 float32 float64",
    "float32 float32 float32 float64", "float64 float64 float64 float64" }

  it("keeps the table within integers and within floats", function()
    for _, default in ipairs { "float32", "float64" } do
      dtype.default_float(default)
      for i, a in ipairs(integers) do
        local j = 0
        for want in table_of_integers[i]:gmatch "%S+" do
          j = j + 1
          assert.equal(want == "D" and default or want, dtype.promote(a, integers[j]).name)
        end
        assert.equal(#integers, j)
      end
    end
    dtype.default_float "float32"
    for i, a in ipairs(floats) do
      local j = 0
      for want in table_of_floats[i]:gmatch "%S+" do
        j = j + 1
        assert.equal(want, dtype.promote(a, floats[j]).name)
      end
    end
  end)

  it("lets the higher kind decide, and keeps the precision of a float beside a complex type", function()
    for _, integer in ipairs(integers) do
      assert.equal(integer, dtype.promote("bool", integer).name)
      for _, float in ipairs(floats) do assert.equal(float, dtype.promote(integer, float).name) end
      for _, complex in ipairs { "complex64", "complex128" } do
        assert.equal(complex, dtype.promote(integer, complex).name)
      end
    end
    for _, float in ipairs(floats) do
      assert.equal(float, dtype.promote("bool", float).name)
      assert.equal(float == "float64" and "complex128" or "complex64", dtype.promote(float, "complex64").name)
      assert.equal("complex128", dtype.promote(float, "complex128").name)
    end
    assert.equal("complex128", dtype.promote("complex64", "complex128").name)
    assert.equal("bool", dtype.promote("bool", "bool").name)
  end)

  it("takes its operands in either order, and gives a type itself with itself", function()
    for _, a in ipairs(dtype.list) do
      assert.equal(a, dtype.promote(a, a))
      for _, b in ipairs(dtype.list) do
        assert.equal(dtype.promote(a, b), dtype.promote(b, a))
        assert.is_true(dtype.is_dtype(dtype.promote(a, b)))
      end
    end
    gpu.refuses_nonsense(function(x) return dtype.promote(x, "int8") end)
    gpu.refuses_nonsense(function(x) return dtype.promote("int8", x) end)
  end)
end)

describe("dtype.promote_value", function()
  local function promoted(a, value) return dtype.promote_value(a, value).name end

  it("whole numbers keep integers, numbers keep floats and complex types", function()
    for _, t in ipairs(dtype.list) do
      local integer = t.kind == "int" or t.kind == "uint"
      assert.equal(t.kind == "bool" and "int64" or t.name, promoted(t, 7))
      assert.equal((integer or t.kind == "bool") and "float32" or t.name, promoted(t, 0.5))
      assert.equal((integer or t.kind == "bool") and "float32" or t.name, promoted(t, 0 / 0))
      assert.equal((integer or t.kind == "bool") and "float32" or t.name, promoted(t, 1 / 0))
      assert.equal(t.name, promoted(t, true))
    end
    dtype.default_float "float64"
    assert.equal("float64", promoted("int8", 0.5))
    assert.equal("complex128", promoted("int8", ffi.new("complex", 1, 2)))
    dtype.default_float "float32"
    assert.equal("complex64", promoted("int8", ffi.new("complex", 1, 2)))
    assert.equal("complex64", promoted("float16", ffi.new("complex", 1, 2)))
    assert.equal("complex128", promoted("float64", ffi.new("complex", 1, 2)))
    assert.equal("complex64", promoted("complex64", ffi.new("complex", 1, 2)))
  end)

  it("a whole number out of the integer's range raises", function()
    for _, t in ipairs { "int8", "int16", "int32", "uint8", "uint16", "uint32" } do
      local bits, signed = 8 * dtype[t].itemsize, t:sub(1, 1) == "i"
      local low, high = signed and -2 ^ (bits - 1) or 0, 2 ^ (signed and bits - 1 or bits) - 1
      assert.equal(t, promoted(t, low))
      assert.equal(t, promoted(t, high))
      assert.equal(t, promoted(t, ffi.new("int64_t", high)))
      gpu.raises("LogicError", "out of the range of " .. t, dtype.promote_value, t, low - 1)
      gpu.raises("LogicError", "out of the range of " .. t, dtype.promote_value, t, high + 1)
      gpu.raises("LogicError", "out of the range of " .. t, dtype.promote_value, t, 1LL * (high + 1))
    end
    assert.equal("int64", promoted("int64", 0x7fffffffffffffffLL))
    assert.equal("uint64", promoted("uint64", 0xffffffffffffffffULL))
    gpu.error_of("LogicError", dtype.promote_value, "int64", 0xffffffffffffffffULL)
    gpu.error_of("LogicError", dtype.promote_value, "uint64", -1LL)
    gpu.raises("LogicError", "2^53", dtype.promote_value, "int64", 2 ^ 60)
    for _, bad in ipairs { "1", {}, print, ffi.new "int[1]", ffi.typeof "int" } do
      gpu.raises("LogicError", "expected a number", dtype.promote_value, "int8", bad)
    end
    gpu.error_of("LogicError", dtype.promote_value, "int8")
    gpu.error_of("LogicError", dtype.promote_value, "nothing", 1)
  end)
end)

describe("dtype.default_float", function()
  it("is float32 until it is set, to a float type alone", function()
    assert.equal(dtype.float32, dtype.default_float())
    assert.equal(dtype.float64, dtype.default_float "double")
    assert.equal(dtype.float64, dtype.default_float())
    gpu.raises("LogicError", "is not a float type", dtype.default_float, "int32")
    gpu.error_of("LogicError", dtype.default_float, 5)
    assert.equal(dtype.float64, dtype.default_float())
    assert.equal(dtype.float32, dtype.default_float "float32")
  end)
end)
