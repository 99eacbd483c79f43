local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

-- Two software devices, on any machine.
local two = "CUDALUA_DRIVER=soft CUDALUA_SOFT_DEVICES=2"

describe("devices", function()
  it("cuda.Device.count", function() assert.is_true(cuda.Device.count() >= 1) end)

  it("cuda.Device and cuda.Device.get_device give one object per ordinal", function()
    local dev = cuda.Device(0)
    assert.equal(dev, cuda.Device(0))
    assert.equal(dev, cuda.Device.get_device(0))
    assert.equal(dev, cuda.Device(0LL))
    assert.equal("here", ({ [dev] = "here" })[cuda.Device(0)])
    assert.equal("cudalua.Device(0)", tostring(dev))
    local out = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local a, b = cuda.Device(0), cuda.Device(1)
      collectgarbage() collectgarbage()
      io.write(tostring(a ~= b), tostring(a == cuda.Device(0)), b:ordinal(), " ", cuda.Device.count())
    ]], two)
    assert.equal("truetrue1 2", out)
  end)

  it("are those of CUDA_VISIBLE_DEVICES, in its order: cuda.Device.count, cuda.Device:pci_bus_id", function()
    local function seen(list, more)
      return (gpu.child([[
        local cuda = require "cudalua"
        local ok, err = pcall(cuda.init)
        if not ok then return io.write(err.name) end
        local buses = {}
        for i = 0, cuda.Device.count() - 1 do
          local id = cuda.Device(i):pci_bus_id()
          assert(cuda.Device(id) == cuda.Device(i))
          assert(cuda.Device(i):get_attribute "pci_bus_id" == tonumber(id:sub(6, 7), 16))
          buses[#buses + 1] = id:sub(6, 7)
        end
        cuda.Device(0):retain_primary_context():push()
        assert(cuda.mem_get_info() > 2 ^ 30)
        io.write(table.concat(buses, " "))
      ]], ("CUDALUA_DRIVER=soft CUDALUA_SOFT_DEVICES=3 %s CUDA_VISIBLE_DEVICES='%s'"):format(more or "", list)))
    end
    assert.equal("10 11 12", seen("0,1,2", "CUDA_DEVICE_ORDER=PCI_BUS_ID"))
    assert.equal("12 10", seen "2,0")
    assert.equal("11", seen " 1 ")
    for list, buses in pairs { ["1,-1,0"] = "11", ["1,3,0"] = "11", ["2,x"] = "12", ["0,,1"] = "10" } do
      assert.equal(buses, seen(list), list)
    end
    for _, list in ipairs { "", "-1", "7", "nonsense", "0,0", "1,2,1", "GPU-", "GPU-6375", "99999999999" } do
      assert.equal("CUDA_ERROR_NO_DEVICE", seen(list), list)
    end
    assert.equal("12 10", seen "GPU-63756461-6c75-612d-736f-667467707503,GPU-63756461-6C75-612d-736f-667467707501")
  end)

  it("cuda.Device refuses ordinals that do not exist", function()
    local err = gpu.error_of("LogicError", cuda.Device, cuda.Device.count())
    assert.equal(101, err.code)
    assert.equal("CUDA_ERROR_INVALID_DEVICE", err.name)
    gpu.refuses_nonsense(cuda.Device)
    gpu.refuses_nonsense(cuda.Device.get_device)
  end)

  it("cuda.Device takes what cuda.Device:pci_bus_id gives", function()
    for ordinal = 0, cuda.Device.count() - 1 do
      local id = cuda.Device(ordinal):pci_bus_id()
      assert.truthy(id:find "^%x+:%x%x:%x%x%.%x$")
      assert.equal(cuda.Device(ordinal), cuda.Device(id))
      assert.equal(cuda.Device(ordinal), cuda.Device.get_device(id))
    end
    local bus = cuda.Device(0):get_attribute "pci_bus_id" -- the method wins over the attribute's name
    assert.equal(bus, tonumber(cuda.Device(0):pci_bus_id():match ":(%x%x):", 16))
    for _, id in ipairs { "", "x", "9999:99:99.9", "0000:00:00.0\0" } do gpu.error_of("LogicError", cuda.Device, id) end
  end)

  it("cuda.Device:name, cuda.Device:ordinal, cuda.Device:total_memory", function()
    local dev = cuda.Device(0)
    assert.is_true(#dev:name() > 0)
    assert.equal(0, dev:ordinal())
    assert.is_true(dev:total_memory() > 2 ^ 20)
    assert.equal(0, dev:total_memory() % 1)
  end)

  it("cuda.Device:uuid is the same each time and another for each device", function()
    local seen = {}
    for ordinal = 0, cuda.Device.count() - 1 do
      local id = cuda.Device(ordinal):uuid()
      assert.truthy(id:find "^%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$")
      assert.equal(id, cuda.Device(ordinal):uuid())
      assert.is_nil(seen[id])
      seen[id] = true
    end
    assert.equal("true", (gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      io.write(tostring(cuda.Device(0):uuid() ~= cuda.Device(1):uuid()))
    ]], two)))
  end)

  it("cuda.Device:compute_capability, cuda.Device:compute_cabability and cuda.Device:get_attribute agree", function()
    local dev = cuda.Device(0)
    local major, minor = dev:compute_capability()
    assert.same({ major, minor }, { dev:compute_cabability() })
    assert.equal(major, dev:get_attribute(75))
    assert.equal(minor, dev:get_attribute(76))
    assert.is_true(major >= 7)
    assert.equal(32, dev:get_attribute(10))
    assert.equal(32, dev:get_attribute "warp_size")
    assert.equal(32, dev:get_attribute "WARP_SIZE")
    assert.equal(32, dev:get_attribute(cuda.device_attribute.WARP_SIZE))
    gpu.error_of("LogicError", dev.get_attribute, dev, 9999)
    gpu.refuses_nonsense(function(v) return dev:get_attribute(v) end)
    local err = gpu.error_of("LogicError", dev.get_attribute, dev, "wrap_size")
    assert.truthy(err.message:find("(warp_size)", 1, true))
  end)

  it("attributes are fields, after the methods", function()
    local dev = cuda.Device(0)
    assert.equal(32, dev.warp_size)
    assert.equal(dev:get_attribute "clock_rate", dev.clock_rate)
    assert.equal(cuda.compute_mode.DEFAULT, dev.compute_mode)
    assert.equal(cuda.Device.pci_bus_id, dev.pci_bus_id)
    local err = gpu.error_of("LogicError", function() return dev.clock_rat end)
    assert.truthy(err.message:find("did you mean clock_rate", 1, true))
    err = gpu.error_of("LogicError", function() return dev.compute_capabilty end)
    assert.truthy(err.message:find("did you mean compute_capability", 1, true))
    gpu.raises("LogicError", "no method or attribute 'qqq'", function() return dev.qqq end)
    gpu.raises("LogicError", "no field number 1", function() return dev[1] end)
    gpu.error_of("LogicError", function() return dev["warp_size\0"] end)
    for _, key in ipairs(gpu.nonsense) do gpu.error_of("LogicError", function() return dev[key] end) end
  end)

  it("cuda.Device:get_attributes gives every attribute, by number or by name", function()
    local dev = cuda.Device(0)
    local by_number, by_name, n = dev:get_attributes(), dev:get_attributes { names = true }, 0
    for name, value in pairs(by_name) do
      n = n + 1
      assert.equal(name:lower(), name)
      assert.equal("number", type(value))
      assert.equal("number", type(by_number[cuda.device_attribute[name:upper()]]))
    end
    assert.is_true(n >= 120)
    for _ in pairs(by_number) do n = n - 1 end
    assert.equal(0, n)
    assert.equal(32, by_number[10])
    assert.equal(32, by_name.warp_size)
    assert.equal(by_name.max_shared_memory_per_block, dev.shared_memory_per_block)
    assert.is_nil(by_name.shared_memory_per_block) -- an older name of the same number
    assert.same(by_number, dev:get_attributes {})
    gpu.raises("LogicError", "unknown option", dev.get_attributes, dev, { name = true })
    gpu.raises("LogicError", "true or false", dev.get_attributes, dev, { names = 1 })
    gpu.refuses_nonsense(function(v) return dev:get_attributes(v) end, { ["nil"] = true, table = true })
  end)

  it("cuda.Device:get_attributes leaves out what the driver does not know", function()
    local out = gpu.child([[
      local cuda, softgpu = require "cudalua", require "cudalua.softgpu"
      cuda.init()
      local dev = cuda.Device(0)
      local all = dev:get_attributes()
      softgpu.control "attribute 10 hide"
      softgpu.control "attribute 13 hide"
      local some, missing = dev:get_attributes(), {}
      for id in pairs(all) do
        if some[id] == nil then missing[#missing + 1] = id end
      end
      table.sort(missing)
      io.write(table.concat(missing, " "))
      softgpu.fail("cuDeviceGetAttribute", 3, "ILLEGAL_STATE")
      local ok, err = pcall(dev.get_attributes, dev)
      io.write(" ", tostring(ok), " ", err.code)
    ]], "CUDALUA_DRIVER=soft")
    assert.equal("10 13 false 401", out)
  end)

  it("cuda.Device:can_access_peer and cuda.Device:p2p_attribute", function()
    local dev = cuda.Device(0)
    assert.is_false(dev:can_access_peer(dev))
    for _, method in ipairs { "can_access_peer", "p2p_attribute" } do
      gpu.refuses_nonsense(function(v) return dev[method](dev, v, "performance_rank") end)
    end
    gpu.error_of("LogicError", dev.p2p_attribute, dev, dev, "access_supported") -- the driver takes no pair of one
    gpu.refuses_nonsense(function(v) return dev:p2p_attribute(dev, v) end)
    if cuda.Device.count() > 1 then
      local other = cuda.Device(1)
      assert.equal(dev:can_access_peer(other), dev:p2p_attribute(other, "access_supported") == 1)
    end
    assert.equal("true true 1 true", (gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local a, b = cuda.Device(0), cuda.Device(1)
      io.write(tostring(a:can_access_peer(b)), " ", tostring(b:can_access_peer(a)), " ")
      io.write(a:p2p_attribute(b, "access_supported"), " ")
      io.write(tostring(a:p2p_attribute(b, 1) >= 0))
    ]], two)))
  end)

  it("methods refuse a self that is no Device", function()
    for _, method in ipairs { "name", "ordinal", "total_memory", "compute_capability", "get_attribute", "make_context",
      "retain_primary_context", "get_attributes", "pci_bus_id", "uuid", "can_access_peer", "p2p_attribute" } do
      gpu.refuses_nonsense(cuda.Device[method])
    end
  end)

  it("metatables are locked", function() assert.is_false(getmetatable(cuda.Device(0))) end)
end)
