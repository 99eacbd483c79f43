-- A finalizer that runs anywhere in a transform: it forgets plans, makes others and writes to arrays.
local gpu = require "spec.support.gpu"
local arrays = require "spec.support.arrays"
local fft = require "cudalua.fft"
local gpuarray = require "cudalua.gpuarray"
local reentry = require "spec.support.reentry"
local reference = require "spec.support.fft_reference"

local MOST = gpu.sanitized and 6 or 60 -- places that are tried of each kind

describe("a finalizer that transforms and writes", function()
  setup(function()
    gpu.context()
    math.randomseed(os.time())
  end)

  local a, x
  local calls = {
    ["fft.fft of one pass"] = function() return fft.fft(a, { n = 12 }) end,
    ["fft.fft by Bluestein's algorithm"] = function() return fft.fft(a, { axis = 1 }) end,
    ["fft.rfft"] = function() return fft.rfft(x, { axis = 1, n = 10 }) end,
    ["fft.irfft of an odd length"] = function() return fft.irfft(a, { n = 9 }) end,
    ["fft.fftn"] = function() return fft.fftn(a * 2) end,
    ["fft.ifftn into an array"] = function()
      local out = gpuarray.zeros({ 11, 8 }, "complex128")
      return fft.ifftn(a, { out = out })
    end,
    ["fft.fftshift"] = function() return fft.fftshift(x) end,
  }

  for name, f in pairs(calls) do
    it("leaves the result as it is: " .. name, function()
      a, x = reference.input({ 11, 8 }, 5), reference.input({ 11, 8 }, 6, "float64")
      local other = gpuarray.zeros({ 11, 8 }, "complex128")
      local function inner()
        fft.clear_plans()
        other:iadd(1)
        fft.fft(other, { axis = 1 })
        fft.fft(other, { n = 12 })
        fft.irfft(other, { n = 9 })
      end
      local wrong, places = reentry.sweep(f, inner, MOST, arrays.bytes)
      assert.is_nil(wrong and wrong:gsub("%c", "?"))
      assert.is_true(places > MOST / 3)
    end)
  end
end)
