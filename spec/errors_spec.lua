local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local errors = require "cudalua.errors"

describe("errors", function()
  before_each(gpu.context)

  it("cuda.is_error tells this library's errors from anything else", function()
    local _, err = pcall(cuda.mem_alloc, 0)
    assert.is_true(cuda.is_error(err))
    assert.is_true(cuda.is_error(err, "LogicError"))
    assert.is_true(cuda.is_error(err, cuda.LogicError))
    assert.is_true(cuda.is_error(err, cuda.Error))
    assert.is_false(cuda.is_error(err, "MemoryError"))
    for _, value in ipairs { "text", 1, {}, setmetatable({}, {}), setmetatable({}, { class = "LogicError" }), print,
      cuda.LogicError } do
      assert.is_false(cuda.is_error(value))
    end
    assert.is_false(cuda.is_error(nil))
  end)

  it("is_error takes tables whose metatables refuse to be read", function()
    local strict = setmetatable({}, { __index = function() error "no such field" end })
    assert.is_false(cuda.is_error(setmetatable({}, strict)))
  end)

  it("cuda.Error:is knows subclasses", function()
    for _, name in ipairs { "LogicError", "MemoryError", "LaunchError", "RuntimeError", "CompileError" } do
      local _, err = pcall(errors.raise, name, "text", { extra = 5 })
      assert.is_true(err:is(name) and err:is(cuda[name]) and err:is "Error" and err:is(cuda.Error))
      assert.is_false(err:is(name == "LogicError" and "MemoryError" or "LogicError"))
      assert.equal(5, err.extra)
      assert.equal(name, err.class)
    end
  end)

  it("carry the caller's line and a traceback, and print as one sentence first", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local _, err = pcall(function() local a = cuda.mem_alloc(0) return a end)
    assert.truthy(err.where:find("errors_spec.lua:" .. line, 1, true))
    assert.truthy(err.traceback:find "stack traceback")
    assert.truthy(tostring(err):find "^[^\n]*errors_spec.lua:%d+: mem_alloc: cannot allocate 0 bytes")
    assert.equal("x: " .. tostring(err), "x: " .. err)
    assert.equal(tostring(err) .. "!", err .. "!")
  end)

  it("driver errors carry code, name and call without its version suffix", function()
    local err = gpu.error_of("LogicError", cuda.Device, 999)
    assert.equal(cuda.result.INVALID_DEVICE, err.code)
    assert.equal("CUDA_ERROR_INVALID_DEVICE", err.name)
    assert.equal("cuDeviceGet", err.call)
    assert.truthy(err.message:find("invalid device", 1, true))
    err = gpu.error_of("MemoryError", cuda.mem_alloc, 2 ^ 45)
    assert.equal("cuMemAlloc", err.call)
  end)

  it("cuda.result has the driver's codes", function()
    assert.equal(0, cuda.result.SUCCESS)
    assert.equal(2, cuda.result.OUT_OF_MEMORY)
    assert.equal(700, cuda.result.ILLEGAL_ADDRESS)
    assert.equal(999, cuda.result.UNKNOWN)
  end)

  it("a kernel that reads outside its memory: LaunchError, sticky, with the kernel's name", function()
    local out, ok = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local mod = cuda.SourceModule "__global__ void wild(int *p) { p[1ull << 34] = 1; }"
      local a = cuda.mem_alloc(16)
      mod:get_function "wild"(a, { block = 1 })
      local good, err = pcall(ctx.synchronize, ctx)
      assert(not good and cuda.is_error(err, "LaunchError"), tostring(err))
      assert(err.code == 700 and err.sticky and err.kernel == "wild", tostring(err))
      local again
      good, again = pcall(cuda.mem_alloc, 4)
      assert(not good and again.code == 700, tostring(again))
      a, mod, ctx = nil, nil, nil
      collectgarbage() collectgarbage()
      print(require("cudalua.core").failed_destroys())
    ]], gpu.driver)
    assert.equal("0\n", out)
    assert.is_true(ok)
  end)
end)
