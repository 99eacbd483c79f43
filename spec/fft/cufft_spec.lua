-- Transforms by cuFFT: what it is given, in which layout, and what comes of its answers. The library is
-- spec/support/fft_shim.c, which computes on the host and therefore needs the software device.
local arrays = require "spec.support.arrays"
local cases = require "spec.support.fft_cases"
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local libraries = require "cudalua.vendor.library"
local plan = require "cudalua.fft.plan"
local reentry = require "spec.support.reentry"
local reference = require "spec.support.fft_reference"
local shim = require "spec.support.fft_shim"
local storage = require "cudalua.gpuarray.core.storage"
local cuda, gpuarray, fft = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.fft

local input, check = reference.input, reference.check
local MOST = gpu.sanitized and 6 or os.getenv "CUDALUA_ALL" and 150 or 40
local LENGTHS = { 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 30 }

local function lacks()
  gpu.context()
  return not gpu.soft and (pending "the stand-in computes on the host" or true)
end

-- The calls for f() under "vendor".
local function calls(f)
  return shim.log(function() shim.with("vendor", f) end)
end

local function with_vendor(f) return shim.with("vendor", f) end

-- Values that differ, without gaps.
local function signal(shape, dtype) return input(shape, 7, dtype or "complex64") end

describe("cuFFT's transforms", function()
  after_each(function()
    fft.plan_limit(16)
    shim.name(nil)
  end)

  for k, wide in ipairs { false, true } do
    it("are those of own kernels, of " .. (wide and "complex128" or "complex64"), function()
      if lacks() then return end
      shim.with("vendor", cases.sweep, 300 + k, wide, MOST, LENGTHS, "vendor")
    end)
  end

  it("have one call for the last axes, up to three, and read the part of them that is transformed", function()
    if lacks() then return end
    local a, kernels = signal { 2, 3, 4, 5 }, nil
    local lines = calls(function() kernels = gpu.kernels(function() fft.fft(a) end) end)
    assert.equal(0, kernels)
    assert.same({ "C2C n 5 in 5 stride 1 distance 5 out 5 stride 1 distance 5 batch 24 direction -1 work 1040" }, lines)
    lines = calls(function() kernels = gpu.kernels(function() fft.fft2(a) end) end)
    assert.equal(0, kernels)
    assert.same({ "C2C n 4 5 in 4 5 stride 1 distance 20 out 4 5 stride 1 distance 20 batch 6 direction -1 "
      .. "work 1032" }, lines)
    lines = calls(function() kernels = gpu.kernels(function() fft.fftn(a, { s = { 3, 3, 4 } }) end) end)
    assert.equal(0, kernels)
    assert.same({ "C2C n 3 3 4 in 3 4 5 stride 1 distance 60 out 3 3 4 stride 1 distance 36 batch 2 direction -1 "
      .. "work 1024" }, lines)
    lines = calls(function() fft.ifftn(a) end)
    assert.equal(2, #lines)
    assert.is_truthy(lines[1]:find("C2C n 3 4 5 in 3 4 5", 1, true))
    assert.is_truthy(lines[2]:find("C2C n 2 in 2 stride 60 distance 1 out 2 stride 60 distance 1 batch 60 direction 1",
      1, true))
  end)

  it("of an axis with others behind it have few calls, or go through a copy with that axis last", function()
    if lacks() then return end
    local function lines_of(shape, dtype, f)
      local a, kernels = signal(shape, dtype), nil
      local lines = calls(function() kernels = gpu.kernels(function() (f or fft.fft)(a, { axis = 2 }) end) end)
      return lines, kernels
    end
    local lines, kernels = lines_of { 2, 4, 3 }
    assert.equal(0, kernels)
    assert.equal(2, #lines)
    assert.equal("C2C n 4 in 4 stride 3 distance 1 out 4 stride 3 distance 1 batch 3 direction -1 work 0", lines[2])
    lines, kernels = lines_of { 5, 4, 3 }
    assert.equal(0, kernels)
    assert.equal(3, #lines)
    assert.equal("C2C n 4 in 4 stride 3 distance 12 out 4 stride 3 distance 12 batch 5 direction -1 work 0", lines[3])
    lines, kernels = lines_of { 17, 4, 18 }
    assert.equal(2, kernels) -- the copies
    assert.same({ "C2C n 4 in 4 stride 1 distance 4 out 4 stride 1 distance 4 batch 306 direction -1 work 0" }, lines)
    lines, kernels = lines_of({ 2, 4, 5 }, "float32", fft.rfft)
    assert.equal(2, kernels) -- as 3 times 5 elements of the result are odd
    assert.equal(1, #lines)
    lines, kernels = lines_of({ 2, 4, 6 }, "float32", fft.rfft)
    assert.equal(0, kernels)
    assert.equal(2, #lines)
  end)

  it("of real numbers are R2C and C2R, D2Z and Z2D; what C2R destroys is a copy", function()
    if lacks() then return end
    local x, z = signal({ 3, 10 }, "float32"), signal { 3, 6 }
    local kept, kernels = z:get(), nil
    local lines = calls(function() kernels = gpu.kernels(function() fft.rfft(x) end) end)
    assert.equal(0, kernels)
    assert.same({ "R2C n 10 in 10 stride 1 distance 10 out 6 stride 1 distance 6 batch 3 direction -1 work 1080" },
      lines)
    lines = calls(function() kernels = gpu.kernels(function() fft.irfft(z, { norm = "forward" }) end) end)
    assert.equal(1, kernels)
    assert.same({ "C2R n 10 in 6 stride 1 distance 6 out 10 stride 1 distance 10 batch 3 direction 1 work 1080" },
      lines)
    assert.is_true(cuda.ndarray.equal(kept, z:get()))
    assert.is_truthy(calls(function() fft.rfft(x:astype "float64") end)[1]:find("^D2Z"))
    assert.is_truthy(calls(function() fft.irfft(z:astype "complex128") end)[1]:find("^Z2D"))
  end)

  it("to real numbers ignore the imaginary parts of the elements 0 and n / 2, as NumPy", function()
    if lacks() then return end
    for _, n in ipairs { 10, 9 } do
      local z = signal({ 2, 6 }, "complex128")
      local own, other = fft.irfft(z, { n = n }), with_vendor(function() return fft.irfft(z, { n = n }) end)
      assert.is_true((own - other):abs():max():item() < 1e-15)
    end
  end)

  it("are multiplied behind it, by one kernel where they are", function()
    if lacks() then return end
    for norm, want in pairs { backward = { 0, 1 }, ortho = { 1, 1 }, forward = { 1, 0 } } do
      local a = signal { 4, 6 }
      fft.fft(a, { norm = norm })
      shim.with("vendor", function()
        assert.equal(want[1], gpu.kernels(function() fft.fft(a, { norm = norm }) end), norm)
        assert.equal(want[2], gpu.kernels(function() fft.ifft(a, { norm = norm }) end), norm)
        check("fft_12_" .. norm, fft.fft(input(12, 12), { norm = norm }), 12, true)
      end)
    end
  end)

  it("are not asked for where nothing is transformed", function()
    if lacks() then return end
    assert.same({}, calls(function()
      assert.equal(0, fft.fft(gpuarray.zeros({ 0, 4 }, "complex64")).size)
      assert.same({ 3, 3 }, fft.fft(gpuarray.full({ 2, 1 }, 3, "complex64")):real():ravel():tolist())
      fft.fftn(signal { 1, 1 })
      fft.irfft(signal { 2, 2 }, { n = 1 })
    end))
    assert.equal(1, #calls(function() fft.fftn(signal { 1, 4, 1 }) end))
  end)

  it("are taken under auto on a GPU; where cuFFT has no plan, own kernels' are, and under vendor that is an error",
    function()
      if lacks() then return end
      local a, before = signal { 2, 3001 * 2 }, core.driver_info
      local b = signal { 2, 8 }
      fft.fft(a)
      fft.fft(b)
      gpu.raises("LogicError", "fft.fft: linalg.backend is \"vendor\", and cuFFT does not have 2 C2C transforms of "
        .. "6002 elements: it answers CUFFT_INVALID_SIZE (8)", with_vendor, function() return fft.fft(a) end)
      local lines = shim.log(function()
        shim.with("auto", function()
          core.driver_info = function()
            local info = before()
            info.soft = false
            return info
          end
          local ok, err = pcall(function()
            fft.fft(a)
            fft.fft(b)
          end)
          core.driver_info = before
          assert(ok, err)
        end)
      end)
      assert.equal(1, #lines)
      assert.is_truthy(lines[1]:find("C2C n 8 ", 1, true))
      assert.same({}, shim.log(function() shim.with("own", function() fft.fft(b) end) end))
    end)

  it("that fail raise what the library says, with the lengths, and the next one works", function()
    if lacks() then return end
    local a = signal { 3, 8 }
    with_vendor(function()
      fft.fft(a)
      shim.fail(6)
      local err = gpu.raises("RuntimeError", "fft.fft: cufftExecC2C failed: CUFFT_EXEC_FAILED (6), for 3 C2C "
        .. "transforms of 8 elements", fft.fft, a)
      assert.is_truthy(err.hint:find('linalg.backend "own"', 1, true))
      shim.fail(2)
      shim.fail(2)
      gpu.raises("MemoryError", "cufftMakePlanMany64 failed: CUFFT_ALLOC_FAILED (2), for 3 C2C transforms of 7 "
        .. "elements", fft.fft, a, { n = 7 })
      assert.equal(24, fft.fft(a).size)
    end)
  end)
end)

describe("cuFFT's plans", function()
  before_each(function() fft.clear_plans() end)
  after_each(function()
    fft.plan_limit(16)
    shim.name(nil)
  end)

  it("are kept by shape and layout, as many as fft.plan_limit allows, and destroyed behind the last use", function()
    if lacks() then return end
    cuda.collect()
    local before = shim.count()
    with_vendor(function()
      fft.plan_limit(3)
      for n = 2, 6 do fft.fft(signal { 2, n }) end
      assert.equal(3, plan.count())
      cuda.collect()
      assert.equal(before + 3, shim.count())
      local made = shim.count()
      fft.fft(signal { 2, 6 })
      fft.fft(signal { 2, 6 } * 2)
      assert.equal(made, shim.count())
      fft.fft(signal { 3, 6 }) -- another batch
      assert.equal(made + 1, shim.count())
      fft.plan_limit(0)
      check("fft_12", fft.fft(input(12, 12)), 12)
      fft.clear_plans()
      assert.equal(0, plan.count())
      cuda.collect()
      assert.equal(before, shim.count())
      assert.equal(0, core.failed_destroys())
    end)
  end)

  it("are tried once more with all memory that is free, if there is none for them", function()
    if lacks() then return end
    local a, pool = signal { 2, 6 }, storage.pools[core.context_id()]
    with_vendor(function()
      for k = 1, 4 do gpuarray.zeros(100000 * k):eval():release() end
      collectgarbage()
      core.drain()
      local held = pool.held_blocks
      assert.is_true(held > 0)
      shim.fail(2)
      assert.equal(12, fft.fft(a).size)
      assert.is_true(pool.held_blocks < held, ("%d of %d blocks are held"):format(pool.held_blocks, held))
    end)
  end)

  it("exist before a graph is captured; the graph has them from then on, also where fft.clear_plans forgets them",
    function()
      if lacks() then return end
      local s, a, out = cuda.Stream(), signal { 3, 5 }, gpuarray.zeros({ 3, 5 }, "complex64"):eval()
      cuda.collect()
      local before = shim.count()
      local exec = with_vendor(function()
        local err = gpu.error_of("LogicError", function()
          s:capture(function() fft.fft(a, { out = out }) end)
        end)
        assert.is_truthy(err.message:find("fft.fft: inside a capture, cuFFT's plan of a transform must exist; call it "
          .. "once before", 1, true), err.message)
        fft.fft(a)
        return s:capture(function() fft.fft(a, { out = out }) end):instantiate()
      end)
      fft.clear_plans()
      cuda.collect()
      assert.equal(before + 1, shim.count())
      for k = 1, 2 do
        a:set(signal { 3, 5 } * k)
        exec:launch(s)
        s:synchronize()
        assert.is_true((fft.fft(a) - out):abs():max():item() < 1e-5)
      end
      exec:close()
      cuda.collect()
      assert.equal(before, shim.count())
    end)

  it("are made by the first call of cuda.graph", function()
    if lacks() then return end
    local f = cuda.graph(function(x) return fft.irfft(fft.rfft(x) * 2, { n = 9 }) end)
    with_vendor(function()
      for k = 1, 3 do
        local x = signal({ 2, 9 }, "float64") + k
        assert.is_true((f(x) - x * 2):abs():max():item() < 1e-13)
      end
    end)
  end)

  it("are used in the stream that a call names, one after the other", function()
    if lacks() then return end
    local a = signal { 2, 30 }
    local own = fft.fft(a)
    with_vendor(function()
      local streams, results = { cuda.Stream(), cuda.Stream "non_blocking" }, {}
      for k = 1, 6 do results[k] = fft.fft(a, { stream = streams[k % 2 + 1] }) end
      assert.equal(1, plan.count())
      for k = 1, 6 do assert.is_true((results[k] - own):abs():max():item() < 1e-5) end
    end)
  end)

  it("of a library that is no longer the one are forgotten", function()
    if lacks() then return end
    with_vendor(function() fft.fft(signal { 2, 6 }) end)
    assert.equal(0, plan.count())
    with_vendor(function()
      fft.fft(signal { 2, 6 })
      assert.equal(1, plan.count())
      libraries.forget()
      assert.equal(0, plan.count())
    end)
  end)

  it("belong to a context, and serve arrays of others by plans of theirs", function()
    if lacks() then return end
    local a = signal { 2, 6 }
    local own = fft.fft(a):get()
    with_vendor(function()
      fft.fft(a)
      local other = cuda.Device(0):make_context()
      local ok, err = pcall(function()
        local b = signal { 2, 6 }
        assert.equal(0, plan.count())
        assert.is_true((fft.fft(b) - gpuarray.to_gpu(own)):abs():max():item() < 1e-5)
        assert.equal(1, plan.count())
        fft.fft(a) -- by the first context's
        assert.equal(1, plan.count())
        b:release()
      end)
      other:detach()
      assert(ok, err)
      assert.is_true((fft.fft(a) - gpuarray.to_gpu(own)):abs():max():item() < 1e-5)
    end)
  end)
end)

describe("a finalizer that transforms, forgets plans and writes, inside of cuFFT's transforms", function()
  local a, x
  local functions = {
    ["fft.fft in several calls"] = function() return fft.fft(a, { axis = 2 }) end,
    ["fft.fftn with zeros behind it"] = function() return fft.fftn(a, { s = { 3, 5, 6 } }) end,
    ["fft.rfft"] = function() return fft.rfft(x, { axis = 2, n = 6 }) end,
    ["fft.irfft"] = function() return fft.irfft(a, { n = 5 }) end,
  }
  for name, f in pairs(functions) do
    it("leaves the result as it is: " .. name, function()
      if lacks() then return end
      a, x = input({ 2, 4, 3 }, 5), input({ 2, 4, 3 }, 6, "float64")
      local other = gpuarray.zeros({ 2, 4, 3 }, "complex128")
      with_vendor(function()
        local wrong, places = reentry.sweep(f, function()
          fft.clear_plans()
          other:iadd(1)
          fft.fft(other, { axis = 2 })
          fft.irfft(other, { n = 5 })
        end, gpu.sanitized and 6 or 60, arrays.bytes)
        assert.is_nil(wrong and wrong:gsub("%c", "?"))
        assert.is_true(places > (gpu.sanitized and 2 or 20))
      end)
    end)
  end

  it("gives the values before or after its write, wherever that comes", function()
    if lacks() then return end
    a = input({ 4, 6 }, 5)
    local values, wants, flips = { a:copy():eval(), (a * 2 + 1):eval() }, {}, 0
    local function write()
      flips = flips + 1
      a:set(values[flips % 2 + 1])
    end
    with_vendor(function()
      for _ = 1, 2 do
        write()
        wants[arrays.bytes(fft.ifft2(a))] = true
      end
      local wrong = reentry.sweep(function() return fft.ifft2(a) end, write, gpu.sanitized and 6 or 200, function(y)
        assert.is_true(wants[arrays.bytes(y)] or false, "values of two times")
        return ""
      end)
      assert.is_nil(wrong)
    end)
  end)
end)
