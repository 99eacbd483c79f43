-- cuFFT on a GPU against own kernels. Skipped without a GPU, and without the library. Each sweep goes through all of
-- its cases, and its failure lists those that failed.
local cases = require "spec.support.fft_cases"
local gpu = require "spec.support.gpu"
local libraries = require "cudalua.vendor.library"
local reference = require "spec.support.fft_reference"
local vendor = require "spec.support.vendor_cases"
local cuda, gpuarray, fft, linalg = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.fft, gpu.cuda.linalg

local input, check = reference.input, reference.check

-- Is there no GPU, or no library? Then the test is skipped.
local function lacks()
  gpu.context()
  if gpu.soft then return pending "needs a GPU" or true end
  for _, name in ipairs { "cublaslt", "cufft" } do
    local found, why = libraries.open(name)
    if not found then return pending(("needs %s: %s"):format(libraries.rows[name].name, why)) or true end
  end
  return false
end

local function near(x, y, bound)
  local apart = gpuarray.norm(x - y):item() / gpuarray.norm(y):item()
  assert.is_true(apart < bound, ("apart by %g of the norm, allowed %g"):format(apart, bound))
end

local SHORT = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 30, 31, 32, 33, 49, 64, 100, 101, 127, 128 }
local LONG = { 243, 256, 343, 360, 500, 509, 512, 1000, 1021, 1024, 2048, 2187, 3001, 4096 }

describe("cuFFT on a GPU", function()
  local before
  before_each(function() before = linalg.backend() end)
  after_each(function()
    linalg.backend(before)
    fft.plan_limit(16)
  end)

  it("is found, opened and chosen", function()
    if lacks() then return end
    local row = linalg.libraries()[4]
    assert.equal("cuFFT", row.name)
    assert.is_truthy(row.version:find "^%d+%.%d+%.%d+$", row.version)
    assert.is_truthy(row.path:find "cufft", row.path)
    linalg.backend "vendor"
    local a = input({ 3, 64 }, 1, "complex64")
    assert.equal(0, gpu.kernels(function() fft.fft(a) end), "own kernels were launched")
  end)

  it("computes what NumPy does, with each norm", function()
    if lacks() then return end
    linalg.backend "vendor"
    for _, n in ipairs { 12, 13 } do check("fft_" .. n, fft.fft(input(n, n)), n) end
    for _, norm in ipairs { "backward", "ortho", "forward" } do
      check("fft_12_" .. norm, fft.fft(input(12, 12), { norm = norm }), 12)
    end
  end)

  for k, wide in ipairs { false, true } do
    local name = wide and "complex128" or "complex64"
    it("transforms " .. name .. " and real numbers as own kernels do, along every axis and several", function()
      if lacks() then return end
      linalg.backend "vendor"
      cases.sweep(1000 + k, wide, 300, SHORT, "vendor")
    end)

    it("transforms long rows of " .. name .. " as own kernels do", function()
      if lacks() then return end
      linalg.backend "vendor"
      cases.sweep(2000 + k, wide, 60, LONG, "vendor")
    end)
  end

  it("transforms a length of many passes, and large images", function()
    if lacks() then return end
    local rng = cuda.random.Generator(3)
    for _, shape in ipairs { { 2 ^ 22 }, { 3, 1e6 }, { 2 ^ 20 + 7 }, { 4, 1024, 768 }, { 128, 128, 128 } } do
      local a = rng:normal(shape, 0, 1, "float32"):astype("complex64"):eval()
      local own = vendor.with("own", function() return fft.fftn(a) end)
      near(vendor.with("vendor", function() return fft.fftn(a) end), own, 2 ^ -23 * 60)
    end
  end)

  it("ignores the imaginary parts of the elements 0 and n / 2 of fft.irfft, and leaves the operand as it is", function()
    if lacks() then return end
    for _, n in ipairs { 10, 9, 64, 1000, 101 } do
      for _, dtype in ipairs { "complex64", "complex128" } do
        local z = input({ 5, math.floor(n / 2) + 1 }, n, dtype)
        local kept = z:get()
        local own = vendor.with("own", function() return fft.irfft(z, { n = n }) end)
        near(vendor.with("vendor", function() return fft.irfft(z, { n = n }) end), own,
          dtype == "complex64" and 1e-6 or 1e-14)
        assert.is_true(cuda.ndarray.equal(kept, z:get()))
      end
    end
  end)

  it("is kept by a graph with its plan, which reads the operand anew when it is launched", function()
    if lacks() then return end
    linalg.backend "vendor"
    local s, a, out = cuda.Stream(), input({ 3, 60 }, 1, "complex64"), gpuarray.zeros({ 3, 60 }, "complex64"):eval()
    local x = gpuarray.zeros({ 3, 60 }, "float32"):eval()
    local function both()
      fft.fft(a, { out = out })
      fft.irfft(a, { n = 60, out = x })
    end
    s:use(both)
    s:synchronize()
    local exec = s:capture(both):instantiate()
    fft.clear_plans()
    cuda.collect()
    for round = 1, 3 do
      a:set(input({ 3, 60 }, round + 1, "complex64"))
      cuda.Context.synchronize()
      exec:launch(s)
      s:synchronize()
      local want, real = vendor.with("own", function() return fft.fft(a) end),
        vendor.with("own", function() return fft.irfft(a, { n = 60 }) end)
      near(out, want, 1e-6)
      near(x, real, 1e-6)
    end
  end)

  it("needs its plan before a capture, and the capture is not broken by the error", function()
    if lacks() then return end
    linalg.backend "vendor"
    local s, a, err = cuda.Stream(), input({ 3, 77 }, 1, "complex64"), nil
    local out = gpuarray.zeros({ 3, 77 }, "complex64"):eval()
    local graph = s:capture(function()
      out:fill(1)
      err = select(2, pcall(fft.fft, a))
    end)
    assert.is_truthy(tostring(err):find("cuFFT's plan of a transform must exist", 1, true), tostring(err))
    graph:instantiate():launch(s)
    s:synchronize()
    assert.equal(231, out:real():sum():item())
  end)

  it("goes in the order of streams, also with one plan and its work area in two of them", function()
    if lacks() then return end
    local s, t = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    linalg.backend "vendor"
    local n = 2 ^ 18 + 3 -- not a power of two: it needs a work area
    for round = 1, 20 do
      local a = s:use(function() return gpuarray.full({ n }, round, "complex64"):eval() end)
      local b = t:use(function() return gpuarray.full({ n }, -round, "complex64"):eval() end)
      local c = s:use(function() return fft.fft(a) end)
      local d = t:use(function() return fft.fft(b) end)
      s:use(function() a:fill(0) end)
      local e = t:use(function() return (c + d):eval() end)
      s:synchronize()
      local first, rest = tonumber(c:real()[1]), e:abs():max():item()
      assert.is_true(math.abs(first - n * round) < n * round * 1e-5, ("round %d: %s"):format(round, tostring(first)))
      assert.is_true(rest < n * round * 1e-5, ("round %d: %s"):format(round, tostring(rest)))
    end
  end)

  it("works in a second context, and when the first is current again", function()
    if lacks() then return end
    linalg.backend "vendor"
    local a = gpuarray.ones({ 2, 48 }, "complex64"):eval()
    assert.equal(48, fft.fft(a):real()[{ 1, 1 }]:item())
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      local b = gpuarray.full({ 2, 48 }, 2, "complex64"):eval()
      assert.equal(96, fft.fft(b):real()[{ 1, 1 }]:item())
      assert.equal(48, fft.fft(a):real()[{ 2, 1 }]:item())
      b:release()
    end)
    other:detach()
    assert(ok, tostring(err))
    assert.equal(48, fft.fft(a):real()[{ 1, 1 }]:item())
  end)
end)
