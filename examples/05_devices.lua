-- What devices there are, with every attribute that the driver tells.
local cuda = require "cudalua"

cuda.init()
local driver = cuda.get_driver_version()
print(("driver for CUDA %d.%d, %d device(s)"):format(math.floor(driver / 1000), driver % 1000 / 10,
  cuda.Device.count()))

for ordinal = 0, cuda.Device.count() - 1 do
  local dev = cuda.Device(ordinal)
  local major, minor = dev:compute_capability()
  print()
  print(("device %d: %s, %s"):format(ordinal, dev:name(), dev:pci_bus_id()))
  print(("  compute capability %d.%d, %.1f GiB of memory"):format(major, minor, dev:total_memory() / 2 ^ 30))

  local names, width = {}, 0
  local attributes = dev:get_attributes { names = true }
  for name in pairs(attributes) do
    names[#names + 1] = name
    width = math.max(width, #name)
  end
  table.sort(names)
  for _, name in ipairs(names) do print(("  %-" .. width .. "s %d"):format(name, attributes[name])) end

  -- The same values under their own names.
  assert(dev.warp_size == attributes.warp_size and dev.warp_size == 32)
  assert(major == attributes.compute_capability_major and minor == attributes.compute_capability_minor)
  assert(#names > 100, "a driver tells more than that")
  print(("  %d attributes, all as expected"):format(#names))
end
