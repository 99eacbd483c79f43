-- cuBLASLt on a GPU against own kernels. Skipped without a GPU, and without the library. Each test goes through all of
-- its cases, and its failure lists those that failed.
local cases = require "spec.support.vendor_cases"
local gpu = require "spec.support.gpu"
local libraries = require "cudalua.vendor.library"
local cuda, gpuarray, linalg = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.linalg

-- Is there no GPU, or no library? Then the test is skipped.
local function lacks()
  gpu.context()
  if gpu.soft then return pending "needs a GPU" or true end
  local found, why = libraries.open "cublaslt"
  if not found then return pending("needs cuBLASLt: " .. why) or true end
  return false
end

local EXTENTS = { 1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 64, 65, 100, 127, 128, 129, 256, 300, 515 }

describe("cuBLASLt on a GPU", function()
  local before
  before_each(function() before = linalg.backend() end)
  after_each(function()
    linalg.backend(before)
    linalg.precision "full"
  end)

  it("is found, opened and chosen, with linalg.backend and linalg.libraries", function()
    if lacks() then return end
    local row = linalg.libraries()[1]
    assert.equal("cuBLASLt", row.name)
    assert.is_truthy(row.version:find "^%d+%.%d+%.%d+$", row.version)
    assert.is_truthy(row.path:find "cublasLt", row.path)
    assert.equal("vendor", linalg.backend "vendor")
    local a = gpuarray.ones { 64, 64 }:eval()
    assert.equal(0, gpu.kernels(function() a:matmul(a) end), "own kernels were launched")
    assert.equal(64, a:matmul(a)[{ 3, 5 }]:item())
  end)

  for k, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "complex64", "complex128" } do
    it("multiplies " .. dtype .. " as own kernels do, however operands lie in memory", function()
      if lacks() then return end
      cases.sweep(1000 + k, dtype, 80, EXTENTS, "vendor")
    end)
  end

  it("multiplies int8 exactly where it has an algorithm, which it has for multiples of 4", function()
    if lacks() then return end
    local missing = 0
    cases.sweep(2001, "int8", 80, EXTENTS, "auto")
    cases.sweep(2002, "int8", 60, { 4, 8, 16, 32, 64, 128, 256 }, "vendor", nil, function(failure)
      local lacking = failure:find("an algorithm", 1, true)
      if lacking then missing = missing + 1 end
      return lacking
    end)
    assert.is_true(missing < 30, ("no algorithm for %d of 60 products"):format(missing))
  end)

  it("computes linalg.linear with its epilogues", function()
    if lacks() then return end
    for k, dtype in ipairs { "float32", "float16", "bfloat16", "float64" } do
      local ok, err = pcall(cases.sweep, 3000 + k, dtype, 60, EXTENTS, "vendor", nil, nil, cases.linear)
      assert(ok, dtype .. ": " .. tostring(err))
    end
  end)

  it("rounds operands to TF32 with linalg.precision tensor, and only then", function()
    if lacks() then return end
    local rng = cuda.random.Generator(5)
    local a, b = rng:normal({ 256, 256 }, 0, 1, "float32"):eval(), rng:normal({ 256, 256 }, 0, 1, "float32"):eval()
    local exact = a:astype "float64":matmul(b:astype "float64")
    local function worst()
      return (cases.with("vendor", function() return a:matmul(b) end):astype "float64" - exact):abs():max():item()
    end
    local full = worst()
    linalg.precision "tensor"
    local tensor = worst()
    assert.is_true(full < 1e-4, ("full: %g"):format(full))
    assert.is_true(tensor > 10 * full and tensor < 0.2, ("tensor: %g, full: %g"):format(tensor, full))
    cases.sweep(4001, "float32", 40, EXTENTS, "vendor", 2 ^ -10 / 16)
  end)

  it("is kept by a graph, which reads the operands anew when it is launched", function()
    if lacks() then return end
    local s, rng = cuda.Stream(), cuda.random.Generator(6)
    local a, b = rng:normal({ 96, 80 }, 0, 1, "float32"):eval(), rng:normal({ 80, 64 }, 0, 1, "float32"):eval()
    local out = gpuarray.zeros { 96, 64 }:eval()
    local function call() gpuarray.matmul(a, b, { out = out }) end
    linalg.backend "vendor"
    s:use(call)
    s:synchronize()
    local exec = s:capture(call):instantiate()
    for round = 1, 3 do
      a:set(rng:normal({ 96, 80 }, 0, 1, "float32"))
      cuda.Context.synchronize()
      exec:launch(s)
      s:synchronize()
      local want = cases.with("own", function() return a:matmul(b) end)
      local apart = (want - out):abs():max():item()
      assert.is_true(apart < 1e-3, ("launch %d: apart by %g"):format(round, apart))
    end
  end)

  it("goes in the order of streams", function()
    if lacks() then return end
    local s, t = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    linalg.backend "vendor"
    for round = 1, 20 do
      local a = s:use(function() return (gpuarray.ones { 512, 512 } * round):eval() end)
      local c = t:use(function() return a:matmul(a) end)
      s:use(function() a:fill(0) end)
      local d = s:use(function() return (c + 1):eval() end)
      s:synchronize()
      local got = d[{ 511, 3 }]:item()
      assert.is_true(got == 512 * round * round + 1, ("round %d: %s"):format(round, tostring(got)))
    end
  end)

  it("has room for more shapes than it keeps plans of", function()
    if lacks() then return end
    linalg.backend "vendor"
    local b = gpuarray.ones { 16, 8 }:eval()
    for m = 1, 300 do
      local got = gpuarray.ones { m, 16 }:matmul(b)[{ m, 8 }]:item()
      assert.is_true(got == 16, ("m = %d: %s"):format(m, tostring(got)))
    end
  end)

  it("works in a second context, and when the first is current again", function()
    if lacks() then return end
    linalg.backend "vendor"
    local a = gpuarray.ones { 32, 32 }:eval()
    assert.equal(32, a:matmul(a)[{ 1, 1 }]:item())
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      local b = gpuarray.full({ 32, 32 }, 2):eval()
      assert.equal(128, b:matmul(b)[{ 1, 1 }]:item())
      assert.equal(32, a:matmul(a)[{ 2, 2 }]:item())
      b:release()
    end)
    other:detach()
    assert(ok, tostring(err))
    assert.equal(32, a:matmul(a)[{ 3, 3 }]:item())
  end)

  it("multiplies large matrices as own kernels do", function()
    if lacks() then return end
    local rng, failures = cuda.random.Generator(7), {}
    for _, dtype in ipairs { "float16", "float32", "float64" } do
      local a, b = rng:normal({ 2048, 1500 }, 0, 1, "float32"):astype(dtype):eval(),
        rng:normal({ 1500, 1024 }, 0, 1, "float32"):astype(dtype):eval()
      local case = { text = dtype, terms = 1500, dtype = dtype, result = dtype, f = function() return a:matmul(b) end,
        size = function() return cases.sizes(a):matmul(cases.sizes(b)) end }
      failures[#failures + 1] = cases.compare(case, "vendor")
    end
    assert.equal("", table.concat(failures, "\n"))
  end)
end)
