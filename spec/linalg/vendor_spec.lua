-- Which one computes: the switch, the search for NVIDIA's libraries, their handles and their errors. cuBLASLt is
-- spec/support/vendor_shim.c here.
local choice = require "cudalua.vendor.choice"
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local handles = require "cudalua.vendor.handles"
local libraries = require "cudalua.vendor.library"
local shim = require "spec.support.shim"
local status = require "cudalua.vendor.status"
local cuda, linalg = gpu.cuda, gpu.cuda.linalg

local function reset()
  shim.name(nil)
  linalg.backend "auto"
  linalg.precision "full"
end

-- What a process with these variables prints.
local function child(code, environment)
  local text, ok = gpu.child([[
    local cuda = require "cudalua"
    local linalg = cuda.linalg
  ]] .. code, (gpu.driver or "") .. " " .. (environment or ""))
  assert.is_true(ok, text)
  return text
end

describe("linalg.backend", function()
  before_each(gpu.context)
  after_each(reset)

  it("is auto, becomes what it is given, and gives that", function()
    assert.equal("auto", linalg.backend())
    assert.equal("own", linalg.backend "own")
    assert.equal("own", linalg.backend())
    assert.equal("auto", linalg.backend "auto")
  end)

  it("refuses other names, and stays what it was", function()
    gpu.raises("LogicError", 'linalg.backend: the name must be "auto", "own" or "vendor", got \'cublas\'',
      linalg.backend, "cublas")
    gpu.refuses_nonsense(linalg.backend, { ["nil"] = true })
    gpu.raises("LogicError", "linalg.backend", linalg.backend, "own", "auto")
    assert.equal("auto", linalg.backend())
  end)

  it("vendor raises in the call that needs a library which cannot be used, and takes one that the variable names",
  function()
    local a = cuda.gpuarray.ones { 4, 4 }
    shim.name "off"
    assert.equal("vendor", linalg.backend "vendor")
    local err = gpu.raises("RuntimeError", 'gpuarray:matmul: linalg.backend is "vendor", and cuBLASLt cannot be used: ',
      a.matmul, a, a)
    assert.is_truthy(err.hint:find('linalg.backend "auto"', 1, true))
    assert.is_truthy(err.hint:find("nvidia-cublas", 1, true))
    shim.name "/nowhere/libcublasLt.so.12"
    gpu.raises("RuntimeError", "/nowhere/libcublasLt.so.12", a.matmul, a, a)
    assert.equal("vendor", linalg.backend())
    shim.name(shim.path)
    assert.is_true(choice.vendor("f", "cublaslt", true))
  end)

  it("vendor needs no other library than the one of the call", function()
    if not gpu.soft then return pending "the shim of cuFFT computes on the host" end
    local fft = require "spec.support.fft_shim"
    shim.name "off"
    fft.name(fft.path)
    finally(function() fft.name(nil) end)
    linalg.backend "vendor"
    assert.equal(28, cuda.fft.fft(cuda.gpuarray.arange(8, "complex64"))[1].re)
    gpu.raises("RuntimeError", "cuBLASLt cannot be used", function()
      local a = cuda.gpuarray.ones { 4, 4 }
      a:matmul(a)
    end)
  end)

  it("own opens nothing, and auto is own on the software device, without a notice", function()
    local text = child([[
      cuda.on_notice = function(text) print(text) end
      cuda.init()
      cuda.Device(0):retain_primary_context():push()
      linalg.backend "own"
      local a = cuda.gpuarray.ones { 4, 4 }
      assert(a:matmul(a)[{ 1, 1 }]:item() == 4)
      if cuda.driver_info().soft then linalg.backend "auto" end
      assert(a:matmul(a)[{ 1, 1 }]:item() == 4)
      for line in io.lines "/proc/self/maps" do
        if line:find "cublasLt" then print(line) end
      end
    ]])
    assert.equal("", text)
  end)

  it("decides for each call: what the library cannot do, what own kernels are better at", function()
    shim.name(shim.path)
    linalg.backend "own"
    assert.is_false(choice.vendor("f", "cublaslt", true))
    linalg.backend "vendor"
    assert.is_true(choice.vendor("f", "cublaslt", true))
    assert.is_true(choice.vendor("f", "cublaslt", true, true))
    gpu.raises("LogicError", 'f: linalg.backend is "vendor", and cuBLASLt does not have int32 products', choice.vendor,
      "f", "cublaslt", "int32 products")
    linalg.backend "auto"
    assert.is_false(choice.vendor("f", "cublaslt", "int32 products"))
    assert.is_false(choice.vendor("f", "cublaslt", true, true))
    assert.equal(not gpu.soft, choice.vendor("f", "cublaslt", true))
  end)

  it("vendor raises in the call where another library is missing", function()
    shim.name(shim.path)
    linalg.backend "vendor"
    if gpu.soft then
      gpu.raises("RuntimeError", "f: linalg.backend is \"vendor\", and cuFFT cannot be used: the driver is the "
        .. "software device", choice.vendor, "f", "cufft", true)
    else
      assert.is_boolean(pcall(choice.vendor, "f", "cufft", true))
    end
  end)
end)

describe("linalg.precision", function()
  after_each(reset)

  it("is full, becomes tensor, and refuses other names", function()
    assert.equal("full", linalg.precision())
    assert.equal("tensor", linalg.precision "tensor")
    assert.equal("tensor", linalg.precision())
    assert.equal("full", linalg.precision "full")
    gpu.raises("LogicError", 'linalg.precision: the name must be "full" or "tensor", got \'half\'', linalg.precision,
      "half")
    gpu.refuses_nonsense(linalg.precision, { ["nil"] = true })
  end)
end)

describe("linalg.libraries", function()
  after_each(reset)

  it("lists four, each with its path and version, or with what was tried", function()
    shim.name(shim.path)
    local list = linalg.libraries()
    local names = {}
    for k, row in ipairs(list) do
      names[k] = row.name
      assert.is_truthy(row.path and row.version or row.why and #row.why > 0)
    end
    assert.same({ "cuBLASLt", "cuSOLVER", "cuSPARSE", "cuFFT" }, names)
    assert.is_truthy(list[1].path:find("vendor-shim", 1, true))
    assert.equal("12.3.4", list[1].version)
    gpu.raises("LogicError", "linalg.libraries", linalg.libraries, 1)
  end)

  it("says why a library is not there: off, no file, another library, every place", function()
    shim.name "off"
    assert.equal("CUDALUA_CUBLASLT is off", linalg.libraries()[1].why)
    shim.name "/nowhere/x.so"
    assert.is_truthy(linalg.libraries()[1].why:find("/nowhere/x.so", 1, true))
    shim.name "libm.so.6"
    assert.equal("libm.so.6: it has no cublasLtGetProperty", linalg.libraries()[1].why)
    local text = child([[
      for _, row in ipairs(linalg.libraries()) do print(row.why or "there") end
    ]], "CUDALUA_CUBLASLT=off CUDALUA_CUSOLVER=off CUDALUA_CUSPARSE=off CUDALUA_CUFFT=off")
    assert.equal("CUDALUA_CUBLASLT is off\nCUDALUA_CUSOLVER is off\nCUDALUA_CUSPARSE is off\nCUDALUA_CUFFT is off\n",
      text)
  end)

  it("finds a library that the process has loaded, before all others", function()
    local text = child(([[
      local ffi = require "ffi"
      ffi.cdef "void *dlopen(const char *, int); int setenv(const char *, const char *, int);"
      local library = require "cudalua.vendor.library"
      library.rows.cublaslt.sonames = { "libcudalua-vendor-shim.so" }
      assert(ffi.C.dlopen(%q, 1 + 0x1000) ~= nil)
      print(linalg.libraries()[1].path:match "[^/]+$")
    ]]):format(shim.path))
    assert.equal("libcudalua-vendor-shim.so\n", text)
  end)

  it("finds the libraries of a toolkit, best first, in the places of toolchain.libraries", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute(("mkdir -p %s/lib && ln -s %s %s/lib/libcublasLt.so.12"):format(folder, shim.path, folder)) == 0)
    local text = child([[
      local row = linalg.libraries()[1]
      print(row.path and row.path:match "[^/]+$", row.version)
    ]], ("CUDA_HOME=%s"):format(folder))
    os.execute("rm -r " .. folder)
    assert.is_truthy(text:find "libcublasLt.so" and text:find "%d+%.%d+%.%d+", text)
  end)

  it("skips a library of a newer CUDA than the driver's, and says so", function()
    local row, why = libraries.rows.cublaslt, nil
    local before = core.driver_info
    local opened = libraries.open
    core.driver_info = function() return { open = true, soft = false, version = 11080 } end
    shim.name(nil)
    local ok, err = pcall(function() why = select(2, opened "cublaslt") end)
    core.driver_info = before
    libraries.forget()
    assert(ok, err)
    assert.is_truthy(why:find("looked for " .. row.sonames[1], 1, true))
    assert.is_nil(why:match "[^\n]*: cannot open")
  end)
end)

describe("handles.get", function()
  before_each(gpu.context)
  after_each(reset)

  it("makes one handle for each context, which goes when the context goes", function()
    shim.name(shim.path)
    local count = shim.handles()
    local first = handles.get "cublaslt"
    assert.equal(first, handles.get "cublaslt")
    local had = shim.handles()
    assert.is_true(had <= count + 1)
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      local second = handles.get "cublaslt"
      assert.is_true(second ~= first)
      assert.equal(second, handles.get "cublaslt")
      assert.equal(had + 1, shim.handles())
    end)
    other:detach()
    assert(ok, err)
    assert.equal(first, handles.get "cublaslt")
  end)

  it("makes none in a capture, and says what to do", function()
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      shim.name(shim.path)
      local s = cuda.Stream()
      s:capture(function()
        gpu.raises("LogicError", "cuBLASLt has no handle in this context yet, and a stream is being captured: call it "
          .. "once before the capture", handles.get, "cublaslt")
      end)
      handles.get "cublaslt"
      s:capture(function() assert.is_number(handles.get "cublaslt") end)
    end)
    other:detach()
    assert(ok, err)
  end)

  it("raises where the library is not there", function()
    local other = cuda.Device(0):make_context()
    shim.name "off"
    local ok, err = pcall(gpu.raises, "RuntimeError", "cuBLASLt cannot be opened: CUDALUA_CUBLASLT is off", handles.get,
      "cublaslt")
    other:detach()
    assert(ok, err)
  end)
end)

describe("status.check", function()
  it("names what failed, and the status as the header does", function()
    status.check("gpuarray.matmul", "cublaslt", "Matmul", 0)
    local err = gpu.raises("RuntimeError",
      "gpuarray.matmul: cublasLtMatmul failed: CUBLAS_STATUS_NOT_SUPPORTED (15), for 2 x 3", status.check,
      "gpuarray.matmul", "cublaslt", "Matmul", 15, "2 x 3")
    assert.is_truthy(err.hint:find('linalg.backend "own"', 1, true))
    gpu.raises("RuntimeError", "fft.fft: cufftExecC2C failed: CUFFT_EXEC_FAILED (6)", status.check, "fft.fft", "cufft",
      "ExecC2C", 6)
    gpu.raises("RuntimeError", "status 999", status.check, "f", "cusparse", "SpMV", 999)
    gpu.raises("MemoryError", "CUSOLVER_STATUS_ALLOC_FAILED (2)", status.check, "f", "cusolver", "DnXgetrf", 2)
  end)

  it("raises a fault of the device instead, which is why the library failed", function()
    local text = gpu.child([[
      local gpu = require "spec.support.gpu"
      local status = require "cudalua.vendor.status"
      gpu.context()
      local k = gpu.cuda.SourceModule("__global__ void f(int *p) { *p = 1; }"):get_function "f"
      k(gpu.cuda.pointer(16), { block = 1, grid = 1 })
      pcall(gpu.cuda.Context.synchronize)
      local ok, err = pcall(status.check, "f", "cublaslt", "Matmul", 13)
      print(ok, err.class, err.sticky)
    ]], gpu.driver)
    assert.is_truthy(text:find "false\t%a+\ttrue", text)
  end)
end)

describe("toolchain.libraries", function()
  it("gives each file once, and what was searched", function()
    local paths, looked = require("cudalua.compiler.toolchain").libraries({ "libnone.so.7" }, "none")
    assert.same({}, paths)
    assert.is_truthy(looked:find("looked for libnone.so.7 in\n  CUDA_HOME: ", 1, true))
    assert.is_truthy(looked:find("the dynamic linker", 1, true))
  end)
end)
