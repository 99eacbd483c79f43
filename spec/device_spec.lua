local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

describe("devices", function()
  it("cuda.Device.count", function() assert.is_true(cuda.Device.count() >= 1) end)

  it("cuda.Device and cuda.Device.get_device give one object per ordinal", function()
    local dev = cuda.Device(0)
    assert.equal(dev, cuda.Device(0))
    assert.equal(dev, cuda.Device.get_device(0))
    assert.equal("here", ({ [dev] = "here" })[cuda.Device(0)])
    assert.equal("cudalua.Device(0)", tostring(dev))
  end)

  it("cuda.Device refuses ordinals that do not exist", function()
    local err = gpu.error_of("LogicError", cuda.Device, cuda.Device.count())
    assert.equal(101, err.code)
    assert.equal("CUDA_ERROR_INVALID_DEVICE", err.name)
    gpu.refuses_nonsense(cuda.Device)
    gpu.refuses_nonsense(cuda.Device.get_device)
  end)

  it("cuda.Device:name, cuda.Device:ordinal, cuda.Device:total_memory", function()
    local dev = cuda.Device(0)
    assert.is_true(#dev:name() > 0)
    assert.equal(0, dev:ordinal())
    assert.is_true(dev:total_memory() > 2 ^ 20)
    assert.equal(0, dev:total_memory() % 1)
  end)

  it("cuda.Device:compute_capability agrees with cuda.Device:get_attribute", function()
    local dev = cuda.Device(0)
    local major, minor = dev:compute_capability()
    assert.equal(major, dev:get_attribute(75))
    assert.equal(minor, dev:get_attribute(76))
    assert.is_true(major >= 7)
    assert.equal(32, dev:get_attribute(10)) -- warp size
    gpu.error_of("LogicError", dev.get_attribute, dev, 9999)
    gpu.refuses_nonsense(function(v) return dev:get_attribute(v) end)
  end)

  it("methods refuse a self that is no Device", function()
    for _, method in ipairs { "name", "ordinal", "total_memory", "compute_capability", "get_attribute", "make_context",
      "retain_primary_context" } do
      gpu.refuses_nonsense(cuda.Device[method])
    end
  end)

  it("metatables are locked", function() assert.is_false(getmetatable(cuda.Device(0))) end)
end)
