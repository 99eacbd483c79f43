-- Operations as functions of gpuarray and as methods of arrays: what each is called, takes and gives. Their values, for
-- all dtypes and corners, are in gpuarray_ops_spec; those of cudalua.math once more in math_spec.
local gpu = require "spec.support.gpu"
local annotations = require "tools.annotations"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local references = require "spec.support.op_references"
local ops = require "cudalua.gpuarray.kernel.ops"
local cuda, Array = gpu.cuda, gpuarray.Array

-- Is an operand taken as integers: where an operation has no floats, or for an order or an exponent?
local function takes_integers(op, k) return not op:has(dtype.float32) or op.weak[k] == dtype.int32 end

local function rows(name) return name == "where" or name == "mul_add" or name:find "^frexp_" or name:find "^modf_" end

describe("Operations:", function()
  setup(gpu.context)

  -- Operands of an operation, of one axis with n elements.
  local function operands(op, n)
    local list = {}
    for k = 1, op.arity do
      local values = {}
      for i = 1, n do values[i] = ({ i, n + 1 - i, 2 })[k] end
      list[k] = gpuarray.to_gpu(values, takes_integers(op, k) and "int32" or "float32")
    end
    return list
  end

  for _, op in ipairs(ops.list) do
    local name = op.name
    if not rows(name) then
      it(("gpuarray.%s is gpuarray.Array:%s; both write the same, and to {out = array}"):format(name, name), function()
        local f, n = gpuarray[name], op.arity
        assert.equal(f, Array[name])
        local list, operand = operands(op, 3), {}
        local x = f(unpack(list))
        assert.equal(gpuarray.source(x), gpuarray.source(list[1][name](unpack(list))))
        assert.is_truthy(gpuarray.source(x):find(name, 1, true))
        assert.same({ 3 }, x.shape)
        -- Options come after the operands, and nothing else does.
        local out = gpuarray.empty(3, x.dtype)
        list[n + 1] = { out = out }
        assert.equal(out, f(unpack(list)))
        assert.equal(tostring(x), tostring(out))
        list[n + 1] = { put = out }
        gpu.raises("LogicError", name .. ": unknown option 'put'; did you mean 'out'? valid options: allocator, ", f,
          unpack(list))
        list[n + 1] = out
        gpu.raises("LogicError", name .. ": expected a table of options, got an array", f, unpack(list))
        list[n + 1] = { out = gpuarray.empty(4, x.dtype) }
        gpu.raises("LogicError", name .. ": the result has the shape (3,)", f, unpack(list))
        list[n + 1] = nil
        for _, case in ipairs(references.exact[name] or {}) do
          for _, t in ipairs { "float32", "float64" } do
            for k = 1, n do operand[k] = gpuarray.full(1, case[k], t) end
            assert.equal(case[n + 1], f(unpack(operand, 1, n)):item(), name)
          end
        end
        -- Operands: arrays, and with one of these, numbers.
        for k = 1, n do
          local given = { unpack(list) }
          for _, wrong in ipairs { "text", {}, print, io.stdout, coroutine.create(print), ffi.new "int[2]" } do
            given[k] = wrong
            gpu.raises("LogicError", name .. ": expected an array", f, unpack(given, 1, n))
          end
          given[k] = cuda.ndarray.zeros(3)
          gpu.raises("LogicError", name .. ": one operand is a host array", f, unpack(given, 1, n))
          given[k] = gpuarray.zeros({ 2, 2 }, list[k].dtype)
          if n > 1 then gpu.raises("LogicError", name .. ": the shapes of", f, unpack(given, 1, n)) end
          given[k] = nil
          local optional = name == "clip" and k > 1 -- a bound
          if not optional then gpu.raises("LogicError", name .. ": expected an array", f, unpack(given, 1, n)) end
        end
        gpu.raises("LogicError", name .. ": expected an array, got " .. (n == 1 and "1;" or "numbers only"), f,
          unpack({ 1, 2, 3 }, 1, n))
        gpu.raises("LogicError", name .. ": not defined for", f, unpack({ gpuarray.zeros(3, cuda.vec.float2),
          gpuarray.zeros(3, cuda.vec.float2), gpuarray.zeros(3, cuda.vec.float2) }, 1, n))
      end)
    end
  end

  it("gpuarray.frexp, gpuarray.modf; gpuarray.Array:frexp, gpuarray.Array:modf: two results each", function()
    local a = gpuarray.to_gpu { 8, -0.375, 2.75 }
    local mantissa, exponent = gpuarray.frexp(a)
    assert.same({ { 0.5, -0.75, 0.6875 }, { 4, -1, 2 } }, { mantissa:tolist(), exponent:tolist() })
    local fraction, whole = a:modf()
    assert.same({ { 0, -0.375, 0.75 }, { 8, -0, 2 } }, { fraction:tolist(), whole:tolist() })
    assert.equal(Array.frexp, gpuarray.frexp)
    assert.equal(Array.modf, gpuarray.modf)
    assert.equal(gpuarray.frexp, cuda.math.frexp)
    gpu.raises("LogicError", "frexp", gpuarray.frexp, 1)
    gpu.raises("LogicError", "modf", gpuarray.modf, "1")
    assert.same({ 8, -0.375, 2.75 }, gpuarray.ldexp(mantissa, exponent):tolist())
  end)

  it("gpuarray.mul_add, gpuarray.Array:mul_add: PyCUDA's a * x + b * y", function()
    local a, b = gpuarray.to_gpu { 1, 2 }, gpuarray.to_gpu { 10, 20 }
    assert.same({ 32, 64 }, a:mul_add(2, b, 3):tolist())
    assert.same({ 110, 240 }, gpuarray.mul_add(a, b, b, b * 0 + 10):tolist())
    local out = gpuarray.empty(2)
    assert.equal(out, gpuarray.mul_add(a, 1, b, 1, { out = out }))
    assert.same({ 11, 22 }, out:tolist())
    for k = 1, 4 do
      for _, wrong in ipairs { "x", {}, print } do
        local given = { a, 1, b, 1 }
        given[k] = wrong
        gpu.raises("LogicError", "mul_add: expected a", gpuarray.mul_add, unpack(given))
      end
    end
    gpu.raises("LogicError", "mul_add: expected an array, got 3", gpuarray.mul_add, a, 1, 3, 1)
    gpu.raises("LogicError", "mul_add: expected a table of options", gpuarray.mul_add, a, 1, b, 1, b)
  end)

  it("gpuarray.conjugate, gpuarray.Array:conjugate are conj", function()
    assert.equal(gpuarray.conj, gpuarray.conjugate)
    assert.equal(Array.conj, Array.conjugate)
  end)

  it("gpuarray.if_positive of a number", function()
    local a, b = gpuarray.to_gpu { 1, 2 }, gpuarray.to_gpu { 3, 4 }
    for _, x in ipairs { 1, 0.5, true, 1LL, math.huge } do
      assert.same({ 1, 2 }, gpuarray.if_positive(x, a, b):tolist())
    end
    for _, x in ipairs { 0, -1, -0.5, -1LL, 0 / 0, -math.huge } do
      assert.same({ 3, 4 }, gpuarray.if_positive(x, a, b):tolist())
    end
    assert.same({ 3, 4 }, gpuarray.if_positive(false, a, b):tolist())
    gpu.raises("LogicError", "if_positive", gpuarray.if_positive, ffi.new("complex", 1, 0), a, b)
  end)

  local in_place = { iadd = { "add", { 5, 9 } }, isub = { "sub", { 3, 5 } }, imul = { "mul", { 4, 14 } },
    idiv = { "div", { 4, 3.5 } }, imod = { "mod", { 0, 1 } }, ipow = { "pow", { 4, 49 } },
    ifloordiv = { "floordiv", { 4, 3 } } }
  for name, row in pairs(in_place) do
    it(("gpuarray.Array:%s writes a:%s(b) to a"):format(name, row[1]), function()
      local b = gpuarray.to_gpu { 1, 2 }
      local a = gpuarray.to_gpu { 4, 7, 0 }
      local part, before = a[{ { 1, 2 } }], a + 0
      assert.equal(part, part[name](part, b))
      assert.same({ row[2][1], row[2][2], 0 }, a:tolist())
      assert.same({ 4, 7, 0 }, before:tolist())
      local now = a:tolist()
      for _, wrong in ipairs { "x", {}, print, b, ffi.new("complex", 1, 2) } do
        gpu.error_of("LogicError", a[name], a, wrong)
      end
      gpu.error_of("LogicError", a[name], a)
      gpu.raises("LogicError", "gpuarray:" .. name, a[name], 5, a)
      assert.same(now, a:tolist())
      if name ~= "idiv" then
        local i = gpuarray.to_gpu({ 4, 7 }, "int8")
        gpu.raises("LogicError", name .. ": float32 cannot be stored in int8", i[name], i, 1.5)
        gpu.raises("LogicError", row[1] .. ": int8(2,) and 1000: 1000 is out of the range of int8", i[name], i, 1000)
      end
    end)
  end

  it("gpuarray.Array:pow of bool and a whole number is int64, whatever the number", function()
    local b = gpuarray.to_gpu({ true, false }, "bool")
    for n, expected in pairs { [0] = { 1, 1 }, [1] = { 1, 0 }, [2] = { 1, 0 }, [3] = { 1, 0 }, [4] = { 1, 0 } } do
      for _, x in ipairs { b ^ n, b:pow(n), gpuarray.pow(b, n) } do
        assert.equal("int64", x.dtype.name)
        assert.same(expected, x:tolist())
      end
    end
    assert.equal("float32", (b ^ 0.5).dtype.name)
    gpu.raises("LogicError", "int64 cannot be stored in bool", b.ipow, b, 1)
  end)

  -- What NumPy 2 answers.
  it("gpuarray.lt and the other comparisons with a number that the integers do not hold go by its value", function()
    local function is(expected, x)
      assert.equal("bool", x.dtype.name)
      assert.same(expected, x:tolist())
    end
    local yes, no = { true, true, true }, { false, false, false }
    local u = gpuarray.arange(3, "uint8")
    is(yes, u:lt(256))
    is(no, u:eq(-1))
    is(yes, u:ne(256))
    is(yes, u:ge(-1))
    is(no, gpuarray.lt(256, u))
    is(no, u:gt(1e20))
    is(yes, u:le(2 ^ 60))
    is(no, u:lt(-1e300))
    local i = gpuarray.to_gpu({ -9223372036854775807LL - 1, 0, 9223372036854775807LL }, "int64")
    is(yes, i:lt(2 ^ 63))
    is(yes, i:lt(2 ^ 70))
    is({ false, true, true }, i:gt(-2 ^ 63))
    is(yes, i:ge(-2 ^ 63))
    is(yes, i:gt(-2 ^ 64))
    is(no, i:eq(2 ^ 62))
    is(yes, i:lt(18446744073709551615ULL))
    local v = gpuarray.to_gpu({ 18446744073709551615ULL, 0ULL, 5 }, "uint64")
    is(yes, v:gt(-1))
    is(no, v:lt(-9223372036854775807LL))
    is({ true, false, false }, v:ge(2 ^ 63))
    is(yes, v:lt(2 ^ 64))
    is(yes, gpuarray.le(-1, v))
    is({ true, true }, gpuarray.to_gpu({ true, false }, "bool"):lt(2 ^ 60))
    gpu.raises("LogicError", "float2 is a struct", u.lt, gpuarray.zeros(2, gpuarray.vec.float2), 1)
  end)

  it("gpuarray.clip with a bound that no element reaches leaves the others as they are", function()
    local u = gpuarray.arange(3, "uint8")
    for _, row in ipairs { { 0, 1000, 0, 1, 2 }, { -5, 1, 0, 1, 1 }, { 0, 1e10, 0, 1, 2 }, { -1e30, 1e30, 0, 1, 2 },
      { 1, 18446744073709551615ULL, 1, 1, 2 }, { -5LL, 1, 0, 1, 1 } } do
      local x = u:clip(row[1], row[2])
      assert.equal("uint8", x.dtype.name)
      assert.same({ row[3], row[4], row[5] }, x:tolist())
    end
    local least, most = -9223372036854775807LL - 1, 9223372036854775807LL
    local i = gpuarray.to_gpu({ least, 0, most }, "int64")
    assert.is_true(i:clip(-2 ^ 70, 2 ^ 70):eq(i):all():item())
    gpu.raises("LogicError", "clip: uint8(3,) and 300 and 400: 300 is out of the range of uint8", u.clip, u, 300, 400)
    gpu.raises("LogicError", "-9 is out of the range of uint8", u.clip, u, -9, -5)
  end)

  it("of structs are refused by their names", function()
    local particle = dtype.struct({ { "x", "float32" }, { "n", "int32" } }, { name = "particle" })
    local s = gpuarray.zeros(3, particle)
    gpu.raises("LogicError", "add: particle(3,) and 1: particle is a struct, not a number", function() return s + 1 end)
    gpu.raises("LogicError", "mul: not defined for particle and particle", function() return s * s end)
    gpu.raises("LogicError", "gpuarray:sum: not defined for particle", s.sum, s)
    gpu.raises("LogicError", "sin: not defined for particle", s.sin, s)
    gpu.raises("LogicError", "astype: particle cannot be converted to float32", s.astype, s, "float32")
  end)

  it("of an operand that has its own type take no other number", function()
    local a = gpuarray.ones(2)
    gpu.raises("LogicError", "ldexp: float32(2,) and 1.5: 1.5 is not an integer", gpuarray.ldexp, a, 1.5)
    gpu.raises("LogicError", "jn: 4294967296 and float32(2,): 4294967296 is out of the range of int32", gpuarray.jn,
      2 ^ 32, a)
    assert.same({ 8, 8 }, a:ldexp(3):tolist())
  end)

  it("gpuarray.clip leaves the side without a bound open", function()
    local a = gpuarray.to_gpu { -2, 0.5, 3, 0 / 0 }
    local function texts(x) return table.concat({ tostring(x) }) end
    assert.equal("[-2.   0.5  1.   nan]", texts(a:clip(nil, 1)))
    assert.equal("[0.  0.5 3.  nan]", texts(gpuarray.clip(a, 0)))
    assert.equal("[-2.   0.5  3.   nan]", texts(a:clip()))
    assert.equal("int8", gpuarray.to_gpu({ 5, -5 }, "int8"):clip(nil, 2).dtype.name)
    assert.same({ 2, -5 }, gpuarray.to_gpu({ 5, -5 }, "int8"):clip(nil, 2):tolist())
    assert.same({ 5, -5 }, gpuarray.to_gpu({ 5, -5 }, "int8"):clip(nil, 1000):tolist())
    assert.same({ 5, 0 }, gpuarray.to_gpu({ 5, -5 }, "int64"):clip(0):tolist())
    assert.equal("float32", gpuarray.zeros(1, "int8"):clip(nil, 1.5).dtype.name)
    assert.equal("int16", gpuarray.zeros(1, "int8"):clip(gpuarray.zeros(1, "uint8")).dtype.name)
    assert.same({ true, false }, gpuarray.to_gpu({ true, false }, "bool"):clip(nil, true):tolist())
    assert.same({ { 1, 1 }, { 2, 2 } }, gpuarray.ones { 2, 2 }:clip(gpuarray.to_gpu { { 1 }, { 2 } }):tolist())
    local out = gpuarray.zeros(4)
    assert.equal(out, a:clip(nil, 1, { out = out }))
    assert.equal("[-2.   0.5  1.   nan]", texts(out))
    assert.same({ 0 }, gpuarray.zeros(0):clip(nil, 1).shape)
    gpu.raises("LogicError", "clip: expected an array", gpuarray.clip, 1)
    gpu.raises("LogicError", "clip: expected an array", gpuarray.clip, 1, nil, 2)
    gpu.raises("LogicError", "clip: not defined for complex64", gpuarray.clip, gpuarray.zeros(2, "complex64"), 0)
  end)

  it("gpuarray.round takes a number of decimals, as NumPy's", function()
    -- numpy.round of 2.4.6; 16-bit floats go by float32.
    local x = gpuarray.to_gpu({ 1.25, -2.345, 15, 25, -0.001, 1 / 0, 0.15, 2.5 }, "float64")
    assert.same({ 1.25, -2.35, 15, 25, -0, 1 / 0, 0.15, 2.5 }, x:round(2):tolist())
    assert.same({ 1.2, -2.3, 15, 25, -0, 1 / 0, 0.2, 2.5 }, x:round(1):tolist())
    assert.same({ 0, -0, 20, 20, -0, 1 / 0, 0, 0 }, x:round(-1):tolist())
    assert.same({ 1, -2, 15, 25, -0, 1 / 0, 0, 2 }, x:round(0):tolist())
    assert.same({ 0, 0, 0, 0, 0, 1 / 0, 0, 0 }, x:round(-400):tolist())
    assert.same(x:tolist(), x:round(400):tolist())
    assert.equal("[1.0e+00 1.5e+38]", tostring(gpuarray.to_gpu({ 1.004, 1.5e38 }):round(2)))
    assert.same({ 20, 20, 40, -20, -20, -126, 126, 0 },
      gpuarray.to_gpu({ 15, 25, 35, -15, -25, 127, -128, 4 }, "int8"):round(-1):tolist())
    assert.same({ 200, 200, -200, 0, 100, -100 },
      gpuarray.to_gpu({ 150, 250, -150, 49, 51, -51 }, "int16"):round(-2):tolist())
    assert.same({ 0, 0 }, gpuarray.to_gpu({ 100, 255 }, "uint8"):round(-3):tolist())
    local wide = gpuarray.to_gpu(ffi.new("int64_t[3]", { 9223372036854775807LL, -5, 1234567890123456789LL })):round(-2)
    assert.equal("[9223372036854775800                   0 1234567890123456800]", tostring(wide))
    assert.equal("[1.2+2.5i inf-3.2i]", tostring(gpuarray.to_gpu(ffi.new("complex[2]", { { 1.25, 2.54 },
      { 1 / 0, -3.21 } })):round(1)))
    assert.same({ false, false }, gpuarray.to_gpu({ true, false }, "bool"):round(-1):tolist())
    for _, t in ipairs(dtype.list) do
      assert.equal(t, gpuarray.zeros(3, t):round(1).dtype)
      assert.equal(t, gpuarray.zeros({ 2, 0 }, t).T:round(-1).dtype)
    end
    local out = gpuarray.zeros(1)
    assert.equal(out, gpuarray.to_gpu({ 1.26 }):round(1, { out = out }))
    assert.equal("[1.3]", tostring(out))
    gpu.raises("LogicError", "round: decimals must be an integer, got 1.5", gpuarray.round, x, 1.5)
    gpu.raises("LogicError", "round: 19 digits before the decimal point are more than int64 has", gpuarray.round,
      gpuarray.zeros(1, "int64"), -19)
    gpu.raises("LogicError", "round: expected an array", gpuarray.round, 1, 2)
  end)

  it("have an annotation under both names, and of the methods cudalua.math's", function()
    local entries = annotations.load()
    for _, name in ipairs { "sin", "hypot", "clip", "add", "lt", "logical_not", "bitwise_xor", "if_positive" } do
      local entry = assert(entries["cudalua.gpuarray." .. name], name)
      assert.equal(entry, entries["cudalua.gpuarray.Array:" .. name])
      assert.is_true(#entry.params >= 2, name)
    end
    assert.equal(entries["cudalua.math.sin"], entries["cudalua.gpuarray.sin"])
    assert.is_nil(entries["cudalua.gpuarray.sine"])
  end)

  it("are all promised: the contract's check misses no public function or method", function()
    local check_contract = require "tools.check_contract"
    gpuarray.unpromised, Array.unpromised, gpuarray._private = print, print, print
    local problems = check_contract.check()
    gpuarray.unpromised, Array.unpromised, gpuarray._private = nil, nil, nil
    local found = {}
    for _, text in ipairs(problems) do
      if text:find "unpromised" or text:find "_private" then found[#found + 1] = text end
    end
    table.sort(found)
    assert.same({ "gpuarray.Array:unpromised: a public function that has no row",
      "gpuarray.unpromised: a public function that has no row" }, found)
  end)
end)

describe("Names of PyCUDA:", function()
  setup(gpu.context)

  it("gpuarray.vec has CUDA's vectors", function()
    assert.equal(cuda.vec, gpuarray.vec)
    local a = gpuarray.to_gpu({ gpuarray.vec.make_float2(1, 2) }, gpuarray.vec.float2)
    assert.equal(2, a[1].y)
  end)

  it("gpuarray.splay gives a grid for so many elements", function()
    local dev = cuda.Context.get_device()
    local most = dev:get_attribute "multiprocessor_count" * dev:get_attribute "max_threads_per_multiprocessor" / 256
    assert.same({ 1, 32 }, { gpuarray.splay(0) })
    assert.same({ 1, 32 }, { gpuarray.splay(5) })
    assert.same({ 1, 64 }, { gpuarray.splay(33) })
    assert.same({ math.min(4, math.floor(most)), 256 }, { gpuarray.splay(1000, dev) })
    assert.same({ math.floor(most), 256 }, { gpuarray.splay(2 ^ 40, dev) })
    for _, wrong in ipairs { -1, 1.5, 0 / 0, 2 ^ 80, "x", {}, print } do
      gpu.raises("LogicError", "gpuarray.splay: expected a number of elements", gpuarray.splay, wrong)
    end
    gpu.raises("LogicError", "gpuarray.splay: expected a number of elements", gpuarray.splay)
    gpu.raises("LogicError", "gpuarray.splay: expected a Device, got 0", gpuarray.splay, 1, 0)
    -- What it is for.
    local count = cuda.SourceModule [[
      __global__ void count(int *a, int n)
      {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i]++;
      }
    ]]:get_function "count"
    local a = gpuarray.zeros(5000, "int32")
    local grid, block = gpuarray.splay(a.size)
    count(a, a.size, { grid = grid, block = block })
    assert.is_true(a:eq(1):all():item())
  end)

  it("a.gpudata is memory for the driver layer, a.mem_size the number of elements", function()
    local a = gpuarray.to_gpu { 1, 2, 3 }
    assert.equal(3, a.mem_size)
    local part = a[{ { 2, 3 } }]
    assert.equal(part.ptr, part.gpudata:ptr())
    local host = ffi.new "float[2]"
    cuda.memcpy_dtoh(host, part.gpudata)
    assert.equal(3, host[1])
    local later = a * 10
    assert.same({ 10, 20, 30 }, later:tolist()) -- computed at once: others may write there
    cuda.memset_d32(a.gpudata, 0, 3)
    assert.same({ 10, 20, 30 }, later:tolist())
    assert.same({ 0, 0, 0 }, a:tolist())
    assert.is_nil(gpuarray.zeros(0).gpudata)
  end)
end)

describe("gpuarray.Array:cuda_array_interface", function()
  setup(gpu.context)

  it("describes the array", function()
    local a = gpuarray.to_gpu { { 1, 2, 3 }, { 4, 5, 6 } }
    local t = a:cuda_array_interface()
    assert.same({ 2, 3 }, t.shape)
    assert.equal("<f4", t.typestr)
    assert.equal(3, t.version)
    assert.equal(1, t.stream) -- the legacy default stream
    assert.equal(a.ptr, t.data.ptr)
    assert.is_false(t.data.readonly)
    assert.is_nil(t.strides)
    assert.is_nil(t.descr)
    assert.same({ 4, 12 }, a.T:cuda_array_interface().strides)
    assert.same({ 3, 2 }, a.T:cuda_array_interface().shape)
    local column = a[{ {}, 2 }]:cuda_array_interface()
    assert.same({ 12 }, column.strides)
    assert.equal(a.ptr + 4, column.data.ptr)
    local none = gpuarray.zeros { 0, 2 }:cuda_array_interface()
    assert.same({ 0, 2 }, none.shape)
    assert.equal(0, none.data.ptr)
    assert.same({}, gpuarray.scalar(5):cuda_array_interface().shape)
    for name, code in pairs { bool = "|b1", uint8 = "|u1", int64 = "<i8", float16 = "<f2", bfloat16 = "<V2",
      complex64 = "<c8" } do
      assert.equal(code, gpuarray.zeros(2, name):cuda_array_interface().typestr)
    end
    local s = cuda.Stream "non_blocking"
    s:use(function() assert.equal(s:handle(), a:cuda_array_interface().stream) end)
    s:close()
    cuda.per_thread_stream:use(function() assert.equal(2, a:cuda_array_interface().stream) end)
    gpu.raises("LogicError", "gpuarray:cuda_array_interface: expected a gpuarray", a.cuda_array_interface, {})
  end)

  it("lists the fields of structs, gaps included", function()
    local inner = dtype.struct({ { "u", "int16" }, { "v", "float64" } }, { name = "cai_inner" })
    local outer = dtype.struct({ { "x", "int8" }, { "n", "int32", { 2, 2 } }, { "in", inner } }, { name = "cai_outer" })
    local t = gpuarray.zeros(2, outer):cuda_array_interface()
    assert.equal("|V40", t.typestr)
    assert.same({ { "x", "|i1" }, { "", "|V3" }, { "n", "<i4", { 2, 2 } }, { "", "|V4" },
      { "in", { { "u", "<i2" }, { "", "|V6" }, { "v", "<f8" } } } }, t.descr)
  end)

  it("computes the array first, and what still has to read it; what others write is seen from then on", function()
    local a = gpuarray.to_gpu { 1, 2, 3 }
    local x = a + 1
    local before = x * 10
    local t = x:cuda_array_interface()
    assert.equal(x, t.owner)
    cuda.memset_d32(cuda.pointer(t.data.ptr), 0, 3)
    assert.same({ 20, 30, 40 }, before:tolist())
    assert.same({ 0, 0, 0 }, x:tolist())
    local after = x + 1
    cuda.memset_d32(cuda.pointer(t.data.ptr), 0x40000000, 3)
    assert.same({ 1, 1, 1 }, after:tolist())
    assert.same({ 2, 2, 2 }, x:tolist())
    x:set(x + 1) -- where it is, not in another buffer
    assert.equal(t.data.ptr, x.ptr)
    assert.same({ 3, 3, 3 }, gpuarray.wrap(t.data.ptr, t.shape):tolist())
  end)

  it("keeps the memory as long as the table lives", function()
    local t
    gpu.apart(function() t = gpuarray.to_gpu({ 5, 6, 7 }):cuda_array_interface() end)
    cuda.collect()
    for _ = 1, 20 do gpuarray.zeros(3):eval() end
    assert.same({ 5, 6, 7 }, gpuarray.wrap(t.data.ptr, 3):tolist())
    assert.same({ 5, 6, 7 }, t.owner:tolist())
  end)

  it("is refused in another context, and for memory that was released", function()
    local a = gpuarray.to_gpu { 1 }
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(a.cuda_array_interface, a)
    other:detach()
    gpu.context()
    assert.is_false(ok)
    assert.is_truthy(tostring(err):find("gpuarray:cuda_array_interface: the array does not belong", 1, true))
    a:release()
    gpu.raises("LogicError", "released", a.cuda_array_interface, a)
  end)
end)

describe("gpuarray.fast_math", function()
  setup(gpu.context)
  teardown(function() gpuarray.fast_math(false) end)

  it("lets kernels be coarser: other kernels, whose results stay close", function()
    assert.is_false(gpuarray.fast_math())
    local N = 4096
    local x = gpuarray.linspace(-3, 3, N)
    local y = gpuarray.linspace(1, 7, N)
    local function values() -- of each, how far it may be off: of its size, and at all
      return { { x:sin(), 0, 2e-6 }, { x:cos(), 0, 2e-6 }, { x:exp(), 2e-6, 0 }, { y:log(), 1e-6, 2e-6 },
        { x / y, 1e-6, 0 }, { y:sqrt(), 1e-6, 0 }, { y:rsqrt(), 1e-6, 0 }, { x * y + x, 1e-6, 1e-6 },
        { y ^ 2.5, 1e-5, 0 } }
    end
    local exact = values()
    for _, v in ipairs(exact) do v[1]:eval() end
    assert.is_true(gpuarray.fast_math(true))
    local different = 0
    for i, v in ipairs(values()) do
      local f = v[1]:astype "float64"
      f:eval()
      gpuarray.fast_math(false)
      local e = exact[i][1]:astype "float64"
      local off = (f - e):abs()
      assert.is_true((off - e:abs() * v[2]):max():item() <= v[3], i .. " is off by " .. off:max():item())
      if off:max():item() > 0 then different = different + 1 end
      gpuarray.fast_math(true)
    end
    assert.is_true(different >= 4, different .. " are different")
    gpuarray.fast_math(false)
    -- Back to the same bits.
    for i, v in ipairs(values()) do assert.is_true(v[1]:eq(exact[i][1]):all():item()) end
  end)

  it("is for what is written down from then on", function()
    local x = gpuarray.linspace(-3, 3, 100)
    local plain = (x:sin() / 3):eval()
    local before = x:sin() / 3
    gpuarray.fast_math(true)
    local fast = x:sin() / 3
    gpuarray.fast_math(false)
    assert.is_true(before:eq(plain):all():item())
    assert.is_false(fast:eq(plain):all():item())
  end)

  it("goes for reductions and fused functions, not for kernels of your own", function()
    local x = gpuarray.linspace(-3, 3, 1000)
    local f = gpuarray.fuse(function(a) return a:sin() / 3 end)
    local plain, sum = f(x), (x:sin():abs() / 3):sum({ dtype = "float64" }):item()
    gpuarray.fast_math(true)
    local fast, fast_sum = f(x), (x:sin():abs() / 3):sum({ dtype = "float64" }):item()
    local own = gpuarray.empty(1000)
    cuda.elementwise.ElementwiseKernel("float *x, float *y", "y[i] = sinf(x[i]) / 3")(x, own)
    gpuarray.fast_math(false)
    assert.is_false(fast:eq(plain):all():item())
    assert.is_true((fast - plain):abs():max():item() < 2e-6)
    assert.are_not.equal(sum, fast_sum)
    assert.is_true(math.abs(sum - fast_sum) < 1e-3)
    assert.is_true((own - plain):abs():max():item() < 2e-7)
  end)

  it("takes true and false only, and so does gpuarray.eager", function()
    for _, wrong in ipairs { 0, "true", {}, print, 0 / 0 } do
      gpu.raises("LogicError", "gpuarray.fast_math: expected true or false", gpuarray.fast_math, wrong)
      gpu.raises("LogicError", "gpuarray.eager: expected true or false", gpuarray.eager, wrong)
    end
    assert.is_false(gpuarray.fast_math())
    assert.is_false(gpuarray.eager())
  end)
end)
