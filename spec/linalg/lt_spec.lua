-- Products by cuBLASLt: what it is given, in which form, and what comes of its answers. The library is
-- spec/support/vendor_shim.c, which computes on the host and therefore needs the software device.
local cases = require "spec.support.vendor_cases"
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local lt = require "cudalua.gpuarray.product.lt"
local plan = require "cudalua.gpuarray.product.plan"
local reentry = require "spec.support.reentry"
local shim = require "spec.support.shim"
local cuda, gpuarray, linalg = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.linalg

local MOST = gpu.sanitized and 4 or os.getenv "CUDALUA_ALL" and 60 or 14
local EXTENTS = { 1, 2, 3, 4, 5, 8, 16, 17 }

local function matrix(m, n, dtype)
  return (gpuarray.arange(m * n, "float32"):reshape(m, n) % 7 - 3):astype(dtype or "float32"):eval()
end

local function lacks()
  gpu.context()
  return not gpu.soft and (pending "the shim computes on the host" or true)
end

-- Calls f() under "auto" as if the driver were a GPU's, of one without tensor cores for own kernels.
local function as_on_gpu(f)
  local restore = knob(plan, "major", 7)
  local before = core.driver_info
  core.driver_info = function()
    local info = before()
    info.soft = false
    return info
  end
  local ok, err = pcall(f)
  core.driver_info = before
  restore()
  if not ok then error(err, 0) end
end

-- The calls for f() under "vendor".
local function calls(f)
  return shim.log(function() shim.with("vendor", f) end)
end

describe("cuBLASLt's products", function()
  after_each(function() shim.name(nil) end)

  for k, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "complex64", "complex128", "int8" } do
    it("are those of own kernels, of " .. dtype, function()
      if lacks() then return end
      shim.with("auto", cases.sweep, 100 + k, dtype, MOST, EXTENTS, "vendor", nil, dtype == "int8" and function(failure)
        return failure:find("an algorithm", 1, true)
      end or nil)
    end)
  end

  it("are passed transposed, without copies, as the operands lie in memory", function()
    if lacks() then return end
    local a, b = matrix(3, 4), matrix(4, 5)
    local lines, kernels
    lines = calls(function() kernels = gpu.kernels(function() a:matmul(b) end) end)
    assert.equal(0, kernels)
    assert.equal(1, #lines)
    assert.is_truthy(lines[1]:find("compute 68 scale 0 trans 0 0 epilogue 1", 1, true))
    assert.is_truthy(lines[1]:find("a type 0 5x4 ld 5 batch 1 stride 0; b type 0 4x3 ld 4", 1, true))
    assert.is_truthy(lines[1]:find("d type 0 5x3 ld 5", 1, true))
    lines = calls(function() kernels = gpu.kernels(function() b.T:matmul(a.T) end) end)
    assert.equal(0, kernels)
    assert.is_truthy(lines[1]:find("trans 1 1", 1, true))
    local wide = matrix(3, 9)
    lines = calls(function() kernels = gpu.kernels(function() wide[{ {}, { 2, 5 } }]:matmul(b) end) end)
    assert.equal(0, kernels)
    assert.is_truthy(lines[1]:find("b type 0 4x3 ld 9", 1, true))
    lines = calls(function() kernels = gpu.kernels(function() wide[{ {}, { 1, 8, 2 } }]:matmul(b) end) end)
    assert.equal(1, kernels) -- the copy
    assert.is_truthy(lines[1]:find("b type 0 4x3 ld 4", 1, true))
  end)

  it("have one call for a batch, with stride 0 for an operand that is repeated, and few for one that cannot be joined",
    function()
      if lacks() then return end
      local a, b = gpuarray.ones { 6, 3, 4 }:eval(), gpuarray.ones { 6, 4, 5 }:eval()
      local lines = calls(function() return a:matmul(b) end)
      assert.equal(1, #lines)
      assert.is_truthy(lines[1]:find("a type 0 5x4 ld 5 batch 6 stride 20; b type 0 4x3 ld 4 batch 6 stride 12", 1,
        true))
      lines = calls(function() return a:matmul(b[1]) end)
      assert.is_truthy(lines[1]:find("a type 0 5x4 ld 5 batch 6 stride 0", 1, true))
      local turned = gpuarray.ones { 3, 2, 3, 4 }:eval():swapaxes(1, 2)
      lines = calls(function() return turned:matmul(gpuarray.ones { 2, 3, 4, 5 }) end)
      assert.equal(2, #lines)
      turned = gpuarray.ones { 2, 18, 3, 4 }:eval():swapaxes(1, 2)
      lines = calls(function() return turned:matmul(gpuarray.ones { 18, 2, 4, 5 }) end)
      assert.equal(1, #lines)
      assert.is_truthy(lines[1]:find("batch 36", 1, true))
    end)

  it("round operands to TF32 only with linalg.precision tensor", function()
    if lacks() then return end
    local a, wide = matrix(4, 4), matrix(4, 4, "float64")
    local function compute(x)
      return tonumber(calls(function()
        linalg.precision "tensor"
        return x:matmul(x)
      end)[1]:match "compute (%d+)")
    end
    assert.equal(77, compute(a))
    assert.equal(77, compute(a:astype "complex64"))
    assert.equal(70, compute(wide))
    assert.equal(68, compute(a:astype "float16"))
    assert.is_truthy(calls(function() return a:matmul(a) end)[1]:find("compute 68", 1, true))
  end)

  it("are own kernels' under auto where there is no algorithm, and an error under vendor", function()
    if lacks() then return end
    local a, b = matrix(3, 5, "int8"), matrix(5, 3, "int8")
    local want = a:matmul(b):tolist()
    gpu.raises("LogicError", "gpuarray:matmul: linalg.backend is \"vendor\", and cuBLASLt does not have an algorithm "
      .. "for a product of 3 x 5 by 5 x 3 of int8: it answers CUBLAS_STATUS_NOT_SUPPORTED (15)", calls,
      function() return a:matmul(b) end)
    assert.same(want, a:matmul(b):tolist())
    gpu.raises("LogicError", "cuBLASLt does not have factors of int8 products other than 1", calls, function()
      return gpuarray.addmm(matrix(4, 4, "int32"), matrix(4, 4, "int8"), matrix(4, 4, "int8"), { alpha = 2 })
    end)
    gpu.raises("LogicError", "cuBLASLt does not have products of int32 that give int64", calls,
      function() return a:astype "int32":matmul(b:astype "int32") end)
  end)

  it("are taken under auto where they are better, and own kernels where there is no algorithm", function()
    if lacks() then return end
    local a, b, c = matrix(3, 5, "int8"), matrix(5, 3, "int8"), matrix(40, 50)
    local want, batch = a:matmul(b):tolist(), gpuarray.ones { 2, 3, 3 }:eval()
    local function products()
      assert.same(want, a:matmul(b):tolist())
      assert.equal(3, batch:matmul(batch):max():item())
      assert.equal(9, a:astype("int32"):matmul(b:astype "int32").size)
    end
    products() -- whose kernels are compiled for the software device
    local lines = shim.log(function()
      shim.with("auto", as_on_gpu, function()
        products()
        c:matmul(c.T)
      end)
    end)
    assert.equal(1, #lines)
    assert.is_truthy(lines[1]:find("40x40", 1, true))
  end)

  it("that own kernels compute for want of the library are a notice, once", function()
    if lacks() then return end
    local notices, before, backend, a = {}, cuda.on_notice, linalg.backend(), matrix(3, 3)
    a:matmul(a) -- its own kernel is compiled for the software device
    cuda.on_notice = function(text) notices[#notices + 1] = text end
    shim.name "off"
    cuda.linalg.backend "auto"
    local ok, err = pcall(as_on_gpu, function()
      a:matmul(a)
      a:matmul(a)
    end)
    cuda.on_notice = before
    cuda.linalg.backend(backend)
    assert(ok, err)
    assert.equal(1, #notices)
    local text = "cuBLASLt was not found; the library's own kernels run instead: CUDALUA_CUBLASLT is off\n" ..
      "pip install nvidia-cublas-cu12"
    assert.equal(text, notices[1]:sub(1, #text))
  end)

  it("are not asked for where nothing is to be added", function()
    if lacks() then return end
    assert.same({}, calls(function()
      assert.same({ 0, 0 }, gpuarray.zeros { 2, 0 }:matmul(gpuarray.zeros { 0, 1 }):ravel():tolist())
      assert.equal(0, gpuarray.zeros { 0, 3 }:matmul(gpuarray.zeros { 3, 2 }).size)
    end))
    assert.is_true(lt.can { dtype = cuda.dtype.float32, result = cuda.dtype.float32, m = 1, n = 1, k = 1 })
    assert.equal("extents of 2^31 and more",
      lt.can { dtype = cuda.dtype.float32, result = cuda.dtype.float32, m = 2 ^ 31, n = 1, k = 1 })
  end)

  it("that fail raise what the library says, with the shapes, and the next one works", function()
    if lacks() then return end
    local a = matrix(4, 4)
    calls(function()
      shim.fail(13)
      local err = gpu.raises("RuntimeError", "gpuarray:matmul: cublasLtMatmul failed: CUBLAS_STATUS_EXECUTION_FAILED "
        .. "(13), for a product of 4 x 4 by 4 x 4 of float32", function() return a:matmul(a) end)
      assert.is_truthy(err.hint:find('linalg.backend "own"', 1, true))
      shim.fail(3)
      gpu.raises("MemoryError", "CUBLAS_STATUS_ALLOC_FAILED (3)", function() return a:matmul(a) end)
      assert.equal(16, a:matmul(a).size)
    end)
  end)

  it("go into a graph, which computes them anew at each launch", function()
    if lacks() then return end
    local s, a, b = cuda.Stream(), matrix(3, 4), matrix(4, 5)
    local out = gpuarray.zeros { 3, 5 }:eval()
    local exec
    shim.with("vendor", function()
      gpuarray.matmul(a, b, { out = out })
      exec = s:capture(function() gpuarray.matmul(a, b, { out = out }) end):instantiate()
    end)
    for k = 1, 2 do
      a:set(matrix(3, 4) * k)
      exec:launch(s)
      s:synchronize()
      assert.same(a:matmul(b):tolist(), out:tolist())
    end
  end)

  it("are of the values before or after a finalizer's write, wherever that comes", function()
    if lacks() then return end
    local a, b = matrix(3, 4), matrix(3, 4) * 2
    b:eval()
    local first, second, flips = a:copy():eval(), b, 0
    local function text(x) return table.concat(x:ravel():tolist(), " ") end
    local f = function() return a[{ {}, { 1, 4, 2 } }]:matmul(a[{ {}, { 1, 4, 2 } }].T) end -- two copies
    local wants = {}
    for _, x in ipairs { first, second } do
      a:set(x)
      wants[text(f())] = true
    end
    local function write()
      flips = flips + 1
      a:set(flips % 2 == 0 and first or second)
    end
    shim.with("vendor", function()
      local wrong, places = reentry.sweep(f, write, gpu.sanitized and 8 or 500, function(x)
        local got = text(x)
        assert.is_true(wants[got], got)
        return ""
      end)
      assert.is_nil(wrong)
      assert.is_true(places > (gpu.sanitized and 4 or 20))
    end)
  end)

  it("have all operands before or after a finalizer that writes to all of them, also where one was copied", function()
    if lacks() then return end
    local x, y, c, flips = matrix(5, 8), matrix(8, 5), matrix(5, 5), 0
    local first, second = { x:copy(), y:copy(), c:copy() }, { (x + 1):eval(), (y + 2):eval(), (c + 3):eval() }
    local function write()
      flips = flips + 1
      for i, to in ipairs { x, y, c } do to:set((flips % 2 == 0 and first or second)[i]) end
    end
    local function f() return c:addmm(x, y) end
    local wants = {}
    for _ = 1, 2 do
      write()
      wants[tostring(f())] = true
    end
    shim.with("vendor", function()
      local wrong = reentry.sweep(f, write, gpu.sanitized and 8 or 500, function(result)
        assert.is_true(wants[tostring(result)], tostring(result))
        return ""
      end)
      assert.is_nil(wrong)
    end)
  end)

  it("keep no more plans than a few hundred", function()
    if lacks() then return end
    shim.with("vendor", function()
      local b = matrix(2, 2)
      for m = 1, 270 do assert.equal(m, gpuarray.ones { m, 2 }:matmul(b).shape[1]) end
    end)
  end)
end)
