local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

describe("starting", function()
  it("cuda.init is done once and can be repeated", function()
    assert.has_no_error(function() cuda.init() cuda.init(0) cuda.init {} end)
    assert.is_true(cuda.driver_info().open)
  end)

  it("cuda.init refuses bad options", function()
    gpu.raises("LogicError", "flags must be 0", cuda.init, 1)
    gpu.raises("LogicError", "unknown option 'drivr'", cuda.init, { drivr = "soft" })
    gpu.raises("LogicError", "expected flags or a table", cuda.init, "soft")
    gpu.raises("LogicError", "driver must be a string", cuda.init, { driver = 1 })
    gpu.raises("LogicError", "must be auto, cuda, soft or a path", cuda.init, { driver = "gpu" })
  end)

  it("before cuda.init every call says what is missing", function()
    local out = gpu.child [[
      local cuda = require "cudalua"
      for _, f in ipairs { cuda.Device.count, cuda.get_driver_version, function() cuda.Device(0) end,
          function() cuda.mem_alloc(4) end, cuda.Context.pop, cuda.Context.synchronize, cuda.mem_get_info } do
        local ok, err = pcall(f)
        assert(not ok and err.code == 3 and err.hint == "call cuda.init() first", tostring(err))
      end
      assert(not cuda.driver_info().open)
      print "fine"
    ]]
    assert.equal("fine\n", out)
  end)

  it("a driver library that is not there is a RuntimeError with the path", function()
    local out = gpu.child [[
      local cuda = require "cudalua"
      local ok, err = pcall(cuda.init, { driver = "/nowhere/libcuda.so.1" })
      assert(not ok and cuda.is_error(err, "RuntimeError"), tostring(err))
      print(err.message)
    ]]
    assert.truthy(out:find("/nowhere/libcuda.so.1", 1, true))
  end)

  it("a library that is no driver is refused", function()
    local out = gpu.child [[
      local cuda = require "cudalua"
      local ok, err = pcall(cuda.init, { driver = package.searchpath("cudalua.core", package.cpath) })
      assert(not ok)
      print(err.message)
    ]]
    assert.truthy(out:find("no cuInit in it", 1, true))
  end)

  it("cuda.on_notice tells when the software device stands in, and only then", function()
    local code = [[
      local cuda = require "cudalua"
      local said
      function cuda.on_notice(text) said = text end
      cuda.init()
      print(cuda.driver_info().soft == (said ~= nil), cuda.Device.count() >= 1)
    ]]
    assert.equal("true\ttrue\n", (gpu.child(code, "CUDALUA_DRIVER=auto")))
    local quiet = code:gsub("== %(said ~= nil%)", "and said == nil")
    assert.equal("true\ttrue\n", (gpu.child(quiet, "CUDALUA_DRIVER=soft")))
  end)

  it("cuda.get_version and cuda.get_driver_version", function()
    local major, minor, patch = cuda.get_version()
    assert.is_true(major >= 13)
    assert.equal("number", type(minor))
    assert.equal("number", type(patch))
    assert.is_true(cuda.get_driver_version() >= 12040)
  end)

  it("cuda.driver_info names the library in use", function()
    local info = cuda.driver_info()
    assert.is_true(info.open)
    assert.equal("boolean", type(info.soft))
    assert.equal(cuda.get_driver_version(), info.version)
    assert.truthy(info.path:find ".so")
  end)

  it("finds the software device after a change of directory", function()
    local text, ok = gpu.child([[
      local ffi = require "ffi"
      ffi.cdef "int chdir(const char *);"
      local dir = package.cpath:match "([^;]*)/src/%?%.so"
      ffi.C.chdir(dir)
      package.cpath = "./src/?.so"
      local cuda = require "cudalua"
      ffi.C.chdir "/"
      cuda.init()
      io.write(tostring(cuda.driver_info().soft))
    ]], "CUDALUA_DRIVER=soft")
    assert.is_true(ok, text)
    assert.equal("true", text)
  end)

  it("cudalua.driver is the same module", function() assert.equal(cuda, require "cudalua.driver") end)

  it("require alone opens no driver and takes less than 5 ms", function()
    local out = gpu.child [[
      local clock = os.clock
      local t = clock()
      local cuda = require "cudalua"
      assert(not cuda.driver_info().open)
      local ms = (clock() - t) * 1e3
      print(ms < 5 and "fine" or ms)
    ]]
    assert.equal("fine\n", out)
  end)
end)
