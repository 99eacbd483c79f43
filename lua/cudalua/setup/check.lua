-- Is this machine ready? Looks for NVRTC and CUDA's headers as the library does, and runs a kernel.

local core = require "cudalua.core"
local info = require "cudalua.setup.info"
local toolchain = require "cudalua.compiler.toolchain"

local M = {}

---The version of CUDA of the driver that programs use; nil: none.
---@return integer?
function M.driver()
  local found, version = pcall(core.get_driver_version)
  return found and version or nil
end

---What a program would lack; nil: nothing.
---@param driver? integer
---@return string?
function M.lacking(driver)
  local found = toolchain.find()
  if not found.nvrtc then
    -- The dynamic linker may know of one that nothing else tells of.
    if not toolchain.open() then return "NVRTC, CUDA's run-time compiler, was not found" end
  end
  local nvrtc, why = toolchain.open()
  if not nvrtc then return ("%s cannot be opened: %s"):format(found.nvrtc, why) end
  if driver and nvrtc.major > math.floor(driver / 1000) then
    return ("%s is NVRTC of CUDA %d.%d, newer than the driver, which is for CUDA %d.%d"):format(nvrtc.path, nvrtc.major,
      nvrtc.minor, math.floor(driver / 1000), math.floor(driver % 1000 / 10))
  end
  if not toolchain.find().include then
    return ("CUDA's headers were not found, neither beside %s nor elsewhere"):format(nvrtc.path)
  end
end

---What programs on a GPU should know; nil: nothing.
---@param nvrtc? {major: integer, minor: integer}
---@param driver integer
---@return string?
function M.advice(nvrtc, driver)
  if not nvrtc or nvrtc.major * 1000 + nvrtc.minor * 10 <= driver then return nil end
  return ([[
NVRTC of CUDA %d.%d is newer than the driver, which is for CUDA %d.%d. Machine code runs, but the driver refuses
         PTX (arch = "compute_80"). For PTX, install the wheels that `cudalua setup --list` names, or a driver for
         CUDA %d.%d]]):format(nvrtc.major, nvrtc.minor, math.floor(driver / 1000), math.floor(driver % 1000 / 10),
    nvrtc.major, nvrtc.minor)
end

local COUNT = 1000
local SOURCE = [[
#include <cuda_fp16.h>
__global__ void scale(float *y, float a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * y[i] + __half2float(__float2half(0.5f));
}
]]

-- The name of the device that computed it.
local function run_kernel()
  local cuda, ffi = require "cudalua", require "ffi"
  local y = ffi.new("float[?]", COUNT)
  for i = 0, COUNT - 1 do y[i] = i end
  cuda.kernel(SOURCE)(cuda.InOut(y), 2, COUNT, { block = 128, grid = math.ceil(COUNT / 128) })
  for i = 0, COUNT - 1 do
    if y[i] ~= 2 * i + 0.5 then error(("element %d is %g, not %g"):format(i, y[i], 2 * i + 0.5), 0) end
  end
  return cuda.Context.get_device():name()
end

---Prints what was found, and whether a kernel computes what it should.
---@return integer status  0: all is well
function M.run()
  local lacking = M.lacking(M.driver())
  local status = info.print()
  print("headers  " .. (toolchain.find().include or "not found"))
  if status ~= 0 then return 1 end
  local ran, device = pcall(run_kernel)
  if ran then
    print(("kernel   %d values computed on %s, as expected"):format(COUNT, device))
  else
    print("kernel   failed: " .. tostring(device))
  end
  if lacking then print("missing  " .. lacking .. "; `cudalua setup` installs the files of the right version") end
  local driver = require("cudalua").driver_info()
  local advice = not driver.soft and not lacking and M.advice(toolchain.open(), driver.version)
  if advice then print("note     " .. advice) end
  return ran and not lacking and 0 or 1
end

return M
