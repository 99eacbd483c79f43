-- Records what a GPU's texture unit reads at the places of spec/support/texture_probe.lua, in probe.txt beside this
-- file: spec/softgpu/texture_probe_spec.lua compares the software device with it. Takes seconds.
--
--   CUDALUA_DRIVER=cuda ./dev run spec/data/textures/make_probe.lua
local cuda = require "cudalua"
local probe = require "spec.support.texture_probe"

cuda.init()
local device = cuda.Device(0)
assert(not cuda.driver_info().soft, "the software device would be compared with itself: set CUDALUA_DRIVER=cuda")
local context = device:make_context()
probe.record(probe.golden, ("%s, driver %d, CUDA %d.%d.%d"):format(device:name(), cuda.get_driver_version(),
  cuda.get_version()))
context:detach()
print("wrote " .. probe.golden)
