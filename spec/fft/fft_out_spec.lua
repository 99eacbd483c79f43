-- Results with `out`: own kernels, and cuFFT's stand-in, write them to the array at once, where nothing is in the way.
local gpu = require "spec.support.gpu"
local arrays = require "spec.support.arrays"
local fft = require "cudalua.fft"
local gpuarray = require "cudalua.gpuarray"
local reentry = require "spec.support.reentry"
local reference = require "spec.support.fft_reference"
local shim = require "spec.support.fft_shim"

local cuda, linalg = gpu.cuda, gpu.cuda.linalg
local soft = gpu.soft and require "cudalua.softgpu"

-- The driver's calls that launch, fill and copy while f runs, by name.
local function work_of(f)
  if not soft then return { gpu.kernels(f) } end
  soft.log "on"
  soft.log "clear"
  local ok, err = pcall(f)
  local counts = {}
  for _, call in ipairs(soft.calls()) do
    local name = call.symbol
    if name:find "Launch" or name:find "Memset" or name:find "Memcpy" then counts[name] = (counts[name] or 0) + 1 end
  end
  soft.log "off"
  assert(ok, err)
  return counts
end

-- The stand-in computes on the host.
for _, library in ipairs(gpu.soft and { "own", "vendor" } or { "own" }) do
  describe("fft.fft and others with out, by " .. library, function()
    local backend
    setup(function()
      gpu.context()
      backend = linalg.backend()
      if library == "vendor" then shim.name(shim.path) end
      linalg.backend(library)
    end)
    teardown(function()
      linalg.backend(backend)
      if library == "vendor" then shim.name(nil) end
    end)

    local a, x = nil, nil
    before_each(function()
      a, x = reference.input({ 6, 8 }, 1, "complex64"):eval(), reference.input({ 6, 8 }, 2, "float32"):eval()
    end)

    -- A function, what it is given, and the type of its result.
    local cases = {
      ["fft.fft"] = function(o) return fft.fft(a, o) end,
      ["fft.ifft of the first axis"] = function(o) o.axis = 1 return fft.ifft(a, o) end,
      ["fft.fft by Bluestein's algorithm"] = function(o) o.n = 11 return fft.fft(a, o) end,
      ["fft.fft of several passes"] = function(o) o.n = 4096 return fft.fft(a, o) end,
      ["fft.fftn"] = function(o) return fft.fftn(a, o) end,
      ["fft.ifft2"] = function(o) return fft.ifft2(a, o) end,
      ["fft.rfft"] = function(o) return fft.rfft(x, o) end,
      ["fft.rfft of an odd length"] = function(o) o.n = 7 return fft.rfft(x, o) end,
      ["fft.rfft of the first axis"] = function(o) o.axis = 1 return fft.rfft(x, o) end,
      ["fft.irfft"] = function(o) return fft.irfft(a, o) end,
      ["fft.irfft of an odd length"] = function(o) o.n = 9 return fft.irfft(a, o) end,
      ["fft.irfft of the first axis"] = function(o) o.axis = 1 return fft.irfft(a, o) end,
    }

    if library == "vendor" then cases["fft.fft of several passes"] = nil end -- the stand-in has no such length

    for name, f in pairs(cases) do
      it("makes no call more than without: " .. name, function()
        local want = f {}
        local out = gpuarray.zeros(want.shape, want.dtype):eval()
        f { out = out } -- what is kept for the length
        local address = out.ptr
        local without = work_of(function() f {} end)
        local with = work_of(function() assert.equal(out, f { out = out }) end)
        assert.is_truthy(next(without))
        assert.same(without, with)
        assert.equal(address, out.ptr)
        assert.equal(arrays.bytes(want), arrays.bytes(out))
      end)

      it("takes views, operands and arrays that somebody reads: " .. name, function()
        local want = f {}
        local shape, t = want.shape, want.dtype
        local wide = gpuarray.zeros({ shape[1], 2 * shape[2] + 1 }, t)
        f { out = wide[{ {}, { 2, -1, 2 } }] }
        assert.is_true(gpuarray.array_equal(want, wide[{ {}, { 2, -1, 2 } }]))
        assert.is_true(wide[{ {}, { 1, -1, 2 } }]:eq(0):all():item())
        local long = gpuarray.zeros(want.size + 3, t) -- a part, which begins at places of other alignment
        for first = 2, 4 do
          local part = long[{ { first, first + want.size - 1 } }]:reshape(shape)
          f { out = part }
          assert.is_true(gpuarray.array_equal(want, part))
          long:fill(0)
        end
        local out = gpuarray.full(shape, 5, t)
        local before, part = out + 1, out[1]
        f { out = out }
        assert.is_true(before:eq(6):all():item())
        assert.is_true(gpuarray.array_equal(want, out))
        assert.is_true(gpuarray.array_equal(want[1], part))
        local pending = gpuarray.full(shape, 5, t) * 2
        assert.is_true(gpuarray.array_equal(want, f { out = pending }))
        gpu.raises("LogicError", "out", f, { out = gpuarray.zeros({ 3 }, t) })
      end)
    end

    it("may be the operand, or a part of it", function()
      for _, f in ipairs { fft.fft, fft.ifft2 } do
        local want, same = f(a), a:copy()
        f(same, { out = same })
        assert.is_true(gpuarray.array_equal(want, same))
        local whole = gpuarray.concatenate({ a, a }, 1):eval()
        f(whole[{ { 1, 6 } }], { out = whole[{ { 4, 9 } }] })
        assert.is_true(gpuarray.array_equal(want, whole[{ { 4, 9 } }]))
        assert.is_true(gpuarray.array_equal(a[{ { 1, 3 } }], whole[{ { 1, 3 } }]))
      end
    end)

    it("is written in a graph, which reads and writes the same arrays each time", function()
      local out = gpuarray.zeros({ 6, 8 }, "complex64"):eval()
      fft.fft(a, { out = out })
      local s = cuda.Stream()
      local graph = s:capture(function() s:use(function() fft.fft(a, { out = out }) end) end)
      local exec = graph:instantiate()
      a:set(a * 2)
      exec:launch(s)
      s:synchronize()
      assert.is_true(gpuarray.array_equal(fft.fft(a), out))
    end)

    it("is right whatever a finalizer does meanwhile", function()
      local function f()
        local out = gpuarray.zeros({ 6, 8 }, "complex64")
        local early = out + 1
        fft.fft(a, { out = out })
        return gpuarray.stack { out, early }
      end
      local other = gpuarray.zeros({ 6, 8 }, "complex64")
      local wrong, places = reentry.sweep(f, function()
        other:iadd(1)
        fft.fft(other, { out = other })
      end, gpu.sanitized and 6 or 40, arrays.bytes)
      assert.is_nil(wrong and wrong:gsub("%c", "?"))
      assert.is_true(places > 5)
    end)
  end)
end
