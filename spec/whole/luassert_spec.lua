-- What a failed assertion shows of this library's values, with and without cudalua.luassert.
local gpu = require "spec.support.gpu"
local show = require "cudalua.luassert"
local luassert = require "luassert"
local cuda = gpu.cuda
local gpuarray, ndarray = cuda.gpuarray, cuda.ndarray

local function failure(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  return tostring(err)
end

local function has(text, part) assert(text:find(part, 1, true), ("not in it: %s\n%s"):format(part, text)) end

describe("luassert", function()
  setup(gpu.context)

  it("luassert.text is the dtype, the shape and the elements of an array", function()
    local a = gpuarray.arange(6):reshape(2, 3)
    assert.equal("(array int64(2, 3))\n[[0 1 2]\n [3 4 5]]", show.text(a))
    assert.equal("(array float32(3,))\n[1. 1. 1.]", show.text(gpuarray.zeros(3) + 1))
    assert.equal("(host array int8(2,))\n[1 2]", show.text(ndarray.array({ 1, 2 }, "int8")))
    assert.equal("(array float32())\n2.0", show.text(gpuarray.scalar(2)))
    assert.equal("(dtype) float32", show.text(cuda.dtype.float32))
    local _, err = pcall(cuda.Device, 99)
    assert.equal(("(%s) %s"):format(err.class, tostring(err)), show.text(err))
  end)

  it("luassert.text says why an array that was released has no elements", function()
    local a = gpuarray.ones(3):eval()
    a:release()
    local text = show.text(a)
    has(text, "(array float32(3,))\n")
    has(text, "released")
  end)

  it("luassert.text leaves all else to luassert", function()
    for _, x in ipairs { 1, "a", true, {}, print, cuda.mem_alloc(4), setmetatable({}, { __metatable = "mine" }) } do
      assert.is_nil(show.text(x))
    end
    assert.is_nil(show.text(nil))
  end)

  it("shows arrays in a failed assertion", function()
    local a = gpuarray.to_gpu({ 5, 0, 7 }, "int64")
    local text = failure(luassert.equal, 3, a)
    has(text, "(array int64(3,))\n[5 0 7]")
    has(text, "(number) 3")
    text = failure(luassert.same, { 5, 0, 7 }, ndarray.array { 5, 0, 8 })
    has(text, "(host array float32(3,))\n[5. 0. 8.]")
    text = failure(luassert.equal, cuda.dtype.int8, cuda.dtype.int16)
    has(text, "(dtype) int8")
    has(text, "(dtype) int16")
    text = failure(luassert.is_nil, select(2, pcall(gpuarray.zeros, { -1 })))
    has(text, "(LogicError)")
    has(text, "gpuarray.zeros: shape")
    has(failure(luassert.equal, 1, 2), "(number) 1")
  end)
end)
