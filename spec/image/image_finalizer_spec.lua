-- A finalizer that runs anywhere in a filter: it filters other pictures and writes to arrays.
local gpu = require "spec.support.gpu"
local arrays = require "spec.support.arrays"
local gpuarray = require "cudalua.gpuarray"
local image = require "cudalua.image"
local reentry = require "spec.support.reentry"
local reference = require "spec.support.image_reference"

local MOST = gpu.sanitized and 6 or 60 -- places that are tried of each kind

describe("a finalizer that filters and writes", function()
  setup(function()
    gpu.context()
    math.randomseed(os.time())
  end)

  local a
  local calls = {
    ["image.convolve2d with a fill, of a pending array and a kernel from the host"] = function()
      return image.convolve2d(a * 2, { { 1, 2 }, { 3, 5 } }, { fill = 7 })
    end,
    ["image.separable"] = function() return image.separable(a.T, { 1, 2, 1 }, { 1, -1 }, { boundary = "wrap" }) end,
    ["image.resize by area"] = function() return image.resize(a, { 5, 7 }, { filter = "area" }) end,
    ["image.resize into an array"] = function()
      return image.resize(a, { 11, 8 }, { out = gpuarray.zeros { 11, 8 }, filter = "cubic" })
    end,
    ["image.rotate with a fill"] = function() return image.rotate(a + 1, 30, { fill = 3, filter = "nearest" }) end,
  }

  for name, f in pairs(calls) do
    it("leaves the result as it is: " .. name, function()
      a = reference.pixels({ 9, 12 }, "float32", 5)
      local other = gpuarray.zeros({ 11, 8 })
      local function inner()
        other:iadd(1)
        image.separable(other, { 1, 2 }, { 3, 4 }, { fill = 1 })
        image.resize(other, { 3, 3 }, { filter = "area" })
        image.rotate(other, 10, { fill = 2, out = other })
      end
      local wrong, places = reentry.sweep(f, inner, MOST, arrays.bytes)
      assert.is_nil(wrong and wrong:gsub("%c", "?"))
      assert.is_true(places > MOST / 3)
    end)
  end
end)
