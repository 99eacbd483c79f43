-- Devices: cuda.Device, which is the table of a device's methods as well.

local core = require "cudalua.core"
local host = require "cudalua.base.ffi"

---@class cudalua.Device
---@overload fun(device: integer|string): cudalua.Device  ordinal from 0, or PCI bus id: "0000:3b:00.0"
local Device = core.classes.Device

setmetatable(Device, { __call = function(_, device) return core.Device(host.plain_number(device)) end })

---cuDeviceGetCount: returns the number of devices.
---@return integer  number of devices
---@raise RuntimeError if the driver is missing
function Device.count() return core.device_count() end

---As cuda.Device(device).
---@param device integer|string  0 to Device.count() - 1, or a PCI bus id
---@return cudalua.Device
---@raise LogicError (101) if the device does not exist
function Device.get_device(device) return Device(device) end

return Device
