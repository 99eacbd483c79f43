-- finfo, iinfo, can_cast, result_type: limits against the types' own bits, promotion against its table.
local gpu = require "spec.support.gpu"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"

-- As numpy.finfo of 2.4.6 and ml_dtypes.finfo have them, from the bits: the greatest number, the least normal and the
-- least positive one, the number after 1 and the one before it.
local bits = {
  float16 = { "uint16_t", 0x7bff, 0x0400, 0x0001, 0x3c01, 0x3bff, 10, 3 },
  bfloat16 = { "uint16_t", 0x7f7f, 0x0080, 0x0001, 0x3f81, 0x3f7f, 7, 2 },
  float32 = { "uint32_t", 0x7f7fffff, 0x00800000, 0x00000001, 0x3f800001, 0x3f7fffff, 23, 6 },
  float64 = { "uint64_t", 0x7fefffffffffffffULL, 0x0010000000000000ULL, 1ULL, 0x3ff0000000000001ULL,
    0x3fefffffffffffffULL, 52, 15 },
}

for _, module in ipairs { { "dtype", dtype }, { "gpuarray", gpuarray } } do
  local prefix, m = unpack(module)

  describe("Limits and promotion:", function()
    setup(gpu.context)

    it(prefix .. ".finfo has what the bits of a type say", function()
      for name, row in pairs(bits) do
        local info, dt = m.finfo(name), dtype.of(name)
        local function value(pattern)
          local box = ffi.new(row[1] .. "[1]", pattern)
          return dt._load(ffi.cast("uint8_t *", box), 0)
        end
        assert.equal(dt, info.dtype)
        assert.equal(8 * dt.itemsize, info.bits)
        assert.equal(value(row[2]), info.max)
        assert.equal(-value(row[2]), info.min)
        assert.equal(value(row[3]), info.smallest_normal)
        assert.equal(value(row[3]), info.tiny)
        assert.equal(value(row[4]), info.smallest_subnormal)
        assert.equal(value(row[5]) - 1, info.eps)
        assert.equal(1 - value(row[6]), info.epsneg)
        assert.equal(row[7], info.nmant)
        assert.equal(row[8], info.precision)
        assert.equal(10 ^ -row[8], info.resolution)
      end
      assert.equal(dtype.float32, m.finfo("complex64").dtype)
      assert.equal(dtype.float64, m.finfo("complex128").dtype)
      assert.equal(2 ^ -52, m.finfo(gpuarray.zeros(2, "float64")).eps)
      assert.equal(2 ^ -10, m.finfo(ndarray.zeros(2, "float16")).eps)
      gpu.raises("LogicError", "dtype.finfo: int8 is not a float type; iinfo() is for integers", m.finfo, "int8")
      gpu.refuses_nonsense(m.finfo)
    end)

    it(prefix .. ".iinfo has the least and the greatest integer", function()
      for _, name in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" } do
        local info, dt = m.iinfo(name), dtype.of(name)
        assert.equal(dt, info.dtype)
        assert.equal(8 * dt.itemsize, info.bits)
        assert.equal(info.max, dt._check(info.max))
        local x = gpuarray.to_gpu(ffi.new(tostring(dt.ctype):match "<(.*)>" .. "[2]", info.min, info.max))
        assert.equal(dt, x.dtype)
        assert.is_true((x + 1)[2] == info.min and (x - 1)[1] == info.max, name) -- it wraps from one to the other
      end
      assert.equal("9223372036854775807LL", tostring(m.iinfo("int64").max))
      assert.equal("18446744073709551615ULL", tostring(m.iinfo(gpuarray.zeros(1, "uint64")).max))
      gpu.raises("LogicError", "dtype.iinfo: float32 is not an integer type; finfo() is for floats", m.iinfo, "float32")
      gpu.raises("LogicError", "dtype.iinfo: bool is not an integer type", m.iinfo, "bool")
      gpu.refuses_nonsense(m.iinfo)
    end)

    it(prefix .. ".can_cast says what promotion does", function()
      for _, a in ipairs(dtype.list) do
        for _, b in ipairs(dtype.list) do assert.equal(dtype.promote(a, b) == b, m.can_cast(a, b)) end
      end
      assert.is_true(m.can_cast("int64", "float32")) -- the higher kind decides; NumPy says no
      assert.is_true(m.can_cast("float64", "complex128"))
      assert.is_false(m.can_cast("float64", "complex64"))
      assert.is_false(m.can_cast("float32", "int64"))
      assert.is_false(m.can_cast("int8", "uint8"))
      assert.is_true(m.can_cast(gpuarray.zeros(1, "uint8"), "int16"))
      local struct = dtype.struct { { "x", "float32" } }
      assert.is_true(m.can_cast(struct, struct))
      assert.is_false(m.can_cast(struct, "float32"))
      gpu.refuses_nonsense(m.can_cast)
      gpu.error_of("LogicError", m.can_cast, "int8", "int7")
    end)

    it(prefix .. ".result_type is the dtype of an operation on all, in any order", function()
      local function name(...) return m.result_type(...).name end
      for _, a in ipairs(dtype.list) do
        assert.equal(a, m.result_type(a))
        for _, b in ipairs(dtype.list) do
          assert.equal(dtype.promote(a, b), m.result_type(a, b))
          for _, c in ipairs { dtype.int8, dtype.uint64, dtype.float16, dtype.bool, dtype.complex64 } do
            local x = m.result_type(a, b, c)
            for _, y in ipairs { m.result_type(a, c, b), m.result_type(c, b, a), m.result_type(b, c, a) } do
              assert.equal(x, y)
            end
          end
        end
      end
      assert.equal("float16", name("int64", "uint64", "float16"))
      assert.equal("int32", name("int8", "uint16", gpuarray.zeros(2, "bool")))
      -- Numbers are weak.
      local small = gpuarray.zeros(2, "int8")
      assert.same({ "int8", "float32", "complex64", "int8" }, { name(small, 3), name(0.5, small),
        name(small, ffi.new("complex", 0, 1)), name(true, small) })
      assert.same({ "int64", "float32", "bool", "complex64" }, { name(1), name(1.5), name(true),
        name(1, ffi.new("complex", 1, 0)) })
      assert.equal((small + 0.5).dtype, m.result_type(small, 0.5))
      dtype.default_float "float64"
      assert.same({ "float64", "complex128" }, { name("int64", "uint64"), name(2, ffi.new("complex", 1, 1)) })
      dtype.default_float "float32"
      gpu.raises("LogicError", "dtype.result_type: 300 is out of the range of int8", m.result_type, small, 300)
      gpu.raises("LogicError", "expected arrays, dtypes or numbers", m.result_type)
      gpu.raises("LogicError", "is a struct", m.result_type, dtype.struct { { "x", "float32" } })
      gpu.error_of("LogicError", m.result_type, "float33")
      gpu.error_of("LogicError", m.result_type, {})
    end)
  end)
end
