-- What is written to an array that is there: one rule, whatever is written, and by which function. A higher kind is
-- refused, integers wrap, floats are rounded; a number that the type does not hold is refused.
local gpu = require "spec.support.gpu"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"

-- Each writes `value`, of one element, to all or to some of an array of three.
local ways = {
  { "a[{...}] = x", function(a, x) a[{ { 1, 2 } }] = x end },
  { "a[i] = x of two axes", function(a, x) a:reshape(3, 1)[1] = x end },
  { "a[positions] = x", function(a, x) a[gpuarray.to_gpu({ 1, 2 }, "int32")] = x end },
  { "a[mask] = x", function(a, x) a[gpuarray.to_gpu({ true, true, false }, "bool")] = x end },
  { "set", function(a, x) a:set(x) end },
  { "set_async", function(a, x) a:set_async(x) end },
  { "put", function(a, x) a:put({ 1, 2 }, x) end },
  { "place", function(a, x) gpuarray.place(a, { true, true, false }, x) end },
  { "putmask", function(a, x) gpuarray.putmask(a, { true, true, false }, x) end },
  { "put_along_axis", function(a, x) gpuarray.put_along_axis(a, { 1, 2 }, x) end },
}

-- These compute what is written from arrays.
local computed = {
  { "iadd", function(a, x) a:iadd(x) end },
  { "isub", function(a, x) a:isub(x) end },
  { "imul", function(a, x) a:imul(x) end },
  { "out of an operation", function(a, x) gpuarray.add(x, gpuarray.zeros(3, x.dtype), { out = a }) end },
  { "out of where", function(a, x) gpuarray.where(gpuarray.ones(3, "bool"), x, x, { out = a }) end },
  { "out of sum", function(a, x) gpuarray.zeros({ 3, 2 }, x.dtype):sum { axis = 2, out = a } end },
  { "out of cumsum", function(a, x) gpuarray.zeros(3, x.dtype):cumsum { out = a } end },
  { "out of take", function(a, x) x:take({ 1, 1, 1 }, { out = a }) end },
  { "out of sort", function(a, x) gpuarray.zeros(3, x.dtype):sort { out = a } end },
  { "out of concatenate", function(a, x) gpuarray.concatenate({ x, x, x }, 1, { out = a }) end },
  { "out of stack", function(a, x) gpuarray.stack({ x:reshape {}, x:reshape {}, x:reshape {} }, 1, { out = a }) end },
}

local refused = { { "float32", "int32" }, { "float64", "uint8" }, { "float16", "int64" }, { "complex64", "float32" },
  { "complex128", "int16" }, { "complex64", "float16" } }

describe("Writing to arrays", function()
  setup(gpu.context)

  for _, way in ipairs(ways) do
    it(("by %s refuses a higher kind, wraps integers and rounds floats"):format(way[1]), function()
      for _, pair in ipairs(refused) do
        local from, to = pair[1], pair[2]
        local a = gpuarray.full(3, 7, to)
        local kinds = { gpuarray.ones(1, from), gpuarray.ones(1, from) * 1, ndarray.ones(1, from),
          from == "float32" and ffi.new("float[1]", 1) or nil }
        for _, x in ipairs(kinds) do
          if type(x) ~= "cdata" or way[1]:find "^set" then
            gpu.raises("LogicError", ("%s cannot be stored in %s; convert it with astype %q"):format(from, to, to),
              way[2], a, type(x) == "cdata" and ffi.new("float[3]", 1) or x)
          end
        end
        assert.same({ 7, 7, 7 }, a:real():tolist())
      end
      -- The same as NumPy: int8(300) is 44, uint8(-1) is 255, float16(1 / 3) is 0x3555.
      for _, row in ipairs { { "int32", "int8", 300, 44 }, { "int64", "uint8", -1, 255 }, { "uint32", "int32",
        4294967295, -1 }, { "float64", "float16", 1 / 3, 0.333251953125 }, { "int64", "float32", 16777217, 16777216 },
        { "bool", "int16", true, 1 }, { "bool", "float32", true, 1 } } do
        for _, make in ipairs { gpuarray.full, ndarray.full } do
          local a = gpuarray.zeros(3, row[2])
          way[2](a, make(1, row[3], row[1]))
          assert.equal(row[4], a[1])
        end
      end
    end)

    it(("by %s takes a number that the type holds, and no other"):format(way[1]), function()
      for _, row in ipairs { { "uint8", 256 }, { "uint8", -1 }, { "int8", 1.5 }, { "int32", 2 ^ 31 },
        { "int64", 0 / 0 }, { "float32", ffi.new("complex", 1, 1) }, { "bool", 2 }, { "int16", 40000LL } } do
        local a = gpuarray.zeros(3, row[1])
        gpu.error_of("LogicError", way[2], a, row[2])
        assert.is_false(a:any():item())
      end
      local a = gpuarray.zeros(3, "uint8")
      way[2](a, 255)
      assert.equal(255, a[1])
    end)
  end

  for _, way in ipairs(computed) do
    it(("by %s refuses a higher kind and wraps integers"):format(way[1]), function()
      for _, pair in ipairs(refused) do
        local from, to = pair[1], pair[2]
        local a = gpuarray.full(3, 7, to)
        gpu.raises("LogicError", ("cannot be stored in %s; convert it with astype %q"):format(to, to), way[2], a,
          gpuarray.ones(1, from))
        assert.same({ 7, 7, 7 }, a:real():tolist())
      end
      assert.has_no_error(function() way[2](gpuarray.zeros(3, "int8"), gpuarray.full(1, 300, "int64")) end)
      assert.has_no_error(function() way[2](gpuarray.zeros(3, "float16"), gpuarray.full(1, 3, "float64")) end)
    end)
  end

  it("gpuarray.Array:iadd wraps what does not go into integers, as + does", function()
    local a = gpuarray.full(2, 100, "int8")
    a:iadd(gpuarray.to_gpu({ 100, 200 }, "int32"))
    assert.same({ -56, 44 }, a:tolist())
  end)

  it("gpuarray.Array:fill of a 0-d array, gpuarray.full of an array: the same rule", function()
    local a = gpuarray.zeros(3, "int32")
    gpu.raises("LogicError", "float32 cannot be stored in int32", a.fill, a, gpuarray.scalar(1.5))
    gpu.raises("LogicError", "complex128 cannot be stored in float32", gpuarray.full, 3,
      gpuarray.scalar(ffi.new("complex", 1, 2)), "float32")
    assert.same({ 2, 2, 2 }, a:fill(gpuarray.scalar(2, "int64")):tolist())
  end)

  it("of structs and numbers to each other is refused", function()
    local point = dtype.struct { { "x", "float32" }, { "y", "float32" } }
    local s, a = gpuarray.zeros(3, point), gpuarray.zeros(3)
    gpu.raises("LogicError", "cannot be converted", s.set, s, a)
    gpu.raises("LogicError", "cannot be converted", a.set, a, s)
    gpu.raises("LogicError", "cannot be converted", gpuarray.add, a, a, { out = s })
  end)
end)
