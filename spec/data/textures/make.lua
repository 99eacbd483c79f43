-- Records what a GPU reads through the textures of spec/support/texture_cases.lua, in gpu.bin beside this file:
-- spec/softgpu/images_spec.lua compares the software device with it. Takes seconds.
--
--   CUDALUA_DRIVER=cuda ./dev run spec/data/textures/make.lua
local cuda = require "cudalua"
local cases = require "spec.support.texture_cases"

cuda.init()
local device = cuda.Device(0)
assert(not cuda.driver_info().soft, "the software device would be compared with itself: set CUDALUA_DRIVER=cuda")
local context = device:make_context()
cases.record(("%s, driver %d, CUDA %d.%d.%d"):format(device:name(), cuda.get_driver_version(), cuda.get_version()))
context:detach()
print("wrote " .. cases.golden)
