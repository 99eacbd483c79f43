-- cudalua.math: each function on an array, against the references of the operations' specs; in place of an array; of
-- integers; what is refused. All dtypes and corner values: gpuarray_ops_spec.
local gpu = require "spec.support.gpu"
local references = require "spec.support.op_references"
local gpuarray = require "cudalua.gpuarray"
local dtype = require "cudalua.dtype"
local math = require "cudalua.math"

local abs, frexp, max = _G.math.abs, _G.math.frexp, _G.math.max

-- Values that most functions take; the second operands; those of the functions that take others.
local first = { 0.125, -0.375, 0.5, 0.75, -0.25, 0.0625, 0.9375, -0.5 }
local second = { 0.5, 0.25, -1.5, 2, 0.75, -0.125, 3, 1 }
local third = { 1, 0.5, -0.25, 4, 0, 1.5, -2, 0.125 }
local orders = { 0, 1, 2, 3, 0, 1, 2, 3 }
local others = { acosh = { 1, 1.5, 2, 3, 10, 100, 1.0625, 7 }, jn = { 2, 3, 4.5, 6, 10, 2.5, 7, 12 },
  yn = { 2, 3, 4.5, 6, 10, 2.5, 7, 12 } }

local function ulp(x)
  local _, e = frexp(x)
  return 2 ^ (e - 24)
end

local function check(want, got, bound, absolute)
  if type(want) ~= "number" or want ~= want then
    assert.equal(want ~= want, got ~= got)
    if want == want then assert.equal(want, got) end
  else
    assert.is_true(abs(want - got) <= max(bound * ulp(want), absolute and absolute[1] or 0),
      ("expected %.9g, got %.9g"):format(want, got))
  end
end

local box = require("ffi").new "float[1]"
local function round(x)
  box[0] = x
  return box[0]
end

local traits = { R = round, P = round }

local function text(list)
  local parts = {}
  for i, x in ipairs(list) do parts[i] = x ~= x and "nan" or tostring(x) end
  return table.concat(parts, " ")
end

describe("math", function()
  setup(function() gpu.context() end)

  local names = {}
  for name in pairs(math) do
    if name ~= "frexp" and name ~= "modf" then names[#names + 1] = name end
  end
  table.sort(names)

  for _, name in ipairs(names) do
    it(("computes math.%s"):format(name), function()
      local row = assert(references.reals[name], name)
      local op = require("cudalua.gpuarray.kernel.ops")[name]
      local lists = { others[name] or first, second, third }
      for k = 1, op.arity do -- an order or an exponent, and the values that come with it
        if op.weak[k] == dtype.int32 then
          if k == 1 then lists[2] = lists[1] end
          lists[k] = orders
        end
      end
      local arrays = {}
      for i = 1, op.arity do
        arrays[i] = gpuarray.to_gpu(lists[i], lists[i] == orders and "int32" or "float32")
      end
      local result = math[name](unpack(arrays))
      assert.same({ 8 }, { result:len() })
      local got = result:tolist()
      for i = 1, 8 do
        local a, b, c = lists[1][i], lists[2][i], lists[3] and lists[3][i]
        check(row[1](a, b, c, traits), got[i], row[2] or 0, row[4])
      end
      -- In an array that is there.
      local out = gpuarray.zeros({ 8 }, result.dtype)
      arrays[op.arity + 1] = { out = out }
      assert.equal(out, math[name](unpack(arrays, 1, op.arity + 1)))
      assert.equal(text(got), text(out:tolist()))
      gpu.raises("LogicError", name, math[name])
    end)
  end

  it("math.frexp gives mantissa and exponent", function()
    local mantissa, exponent = math.frexp(gpuarray.to_gpu({ 8, -0.375, 0, 2 ^ -140, 1 / 0 }, "float32"))
    assert.same({ 0.5, -0.75, 0, 0.5, 1 / 0 }, mantissa:tolist())
    assert.same({ 4, -1, 0, -139, 0 }, exponent:tolist())
    assert.equal("int32", exponent.dtype.name)
    gpu.raises("LogicError", "frexp", math.frexp, gpuarray.zeros({ 2 }, "complex64"))
  end)

  it("math.modf gives fraction and whole number", function()
    local fraction, whole = math.modf(gpuarray.to_gpu({ 2.75, -2.75, -1 / 0, 4 }, "float64"))
    assert.same({ 0.75, -0.75, 0, 0 }, fraction:tolist())
    assert.same({ 2, -2, -1 / 0, 4 }, whole:tolist())
    assert.equal("float64", whole.dtype.name)
    gpu.raises("LogicError", "modf", math.modf, gpuarray.zeros({ 2 }, "complex128"))
  end)

  it("math.ldexp takes exponents that are floats as integers, towards 0", function()
    local exponents = { 3, 1.75, -1.75, -0.5, 1 / 0, -1 / 0 }
    for _, t in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local x = math.ldexp(gpuarray.full(6, 1.5, "float32"), gpuarray.to_gpu(exponents, t))
      assert.equal("float32", x.dtype.name)
      assert.same({ 12, 3, 0.75, 1.5, 1 / 0, 0 }, x:tolist())
    end
    local mantissa, exponent = math.frexp(gpuarray.to_gpu { 8, -0.375, 1e30 })
    assert.same(gpuarray.to_gpu({ 8, -0.375, 1e30 }):tolist(), math.ldexp(mantissa, exponent:astype "float32"):tolist())
  end)

  it("takes integers as the default float, and refuses what has no such function", function()
    assert.equal("float32", math.sin(gpuarray.to_gpu({ 1, 2 }, "int64")).dtype.name)
    assert.equal("float64", math.exp(gpuarray.to_gpu({ 1, 2 }, "float64")).dtype.name)
    assert.equal("complex64", math.exp(gpuarray.zeros({ 2 }, "complex64")).dtype.name)
    gpu.raises("LogicError", "erf: not defined for complex64", math.erf, gpuarray.zeros({ 2 }, "complex64"))
    gpu.raises("LogicError", "ldexp: not defined for float32 and complex64", math.ldexp, gpuarray.zeros { 2 },
      gpuarray.zeros({ 2 }, "complex64"))
    gpu.refuses_nonsense(math.sin)
    assert.equal(math.sin, gpuarray.sin)
    assert.equal(math, gpu.cuda.math)
  end)
end)
