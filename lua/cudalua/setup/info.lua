-- What was found on this machine: driver, devices, NVRTC. What is missing comes with what to do about it.

local M = {}

---@return string
function M.version()
  local cuda = require "cudalua"
  local major, minor = cuda.get_version()
  return ("%s, %s, built for CUDA %d.%d"):format(cuda._VERSION, jit.version, major, minor)
end

local function dotted(v) return ("%d.%d"):format(math.floor(v / 1000), math.floor(v % 1000 / 10)) end

local function size(bytes) return ("%.1f GiB"):format(bytes / 2 ^ 30) end

---Prints it.
---@return integer status  0: a driver and NVRTC are there
function M.print()
  local cuda = require "cudalua"
  print(M.version())
  local found, err = pcall(cuda.init)
  if found then
    local driver = cuda.driver_info()
    print(("driver   %s, CUDA %s%s"):format(driver.path, dotted(driver.version),
      driver.soft and " (the software CUDA device)" or ""))
    for i = 0, cuda.Device.count() - 1 do
      local dev = cuda.Device(i)
      print(("device %d %s, compute capability %d.%d, %s"):format(i, dev:name(), (dev:compute_capability()),
        select(2, dev:compute_capability()), size(dev:total_memory())))
    end
  else
    print("driver   none: " .. tostring(err))
  end
  local nvrtc, why = require("cudalua.compiler").nvrtc()
  if nvrtc then
    print(("NVRTC    %s, %d.%d, compiles for %s"):format(nvrtc.path, nvrtc.major, nvrtc.minor,
      table.concat(nvrtc.archs, " ")))
  else
    print("NVRTC    not found; run `cudalua setup`, which brings it, or set CUDA_HOME to a CUDA toolkit\n" .. why)
  end
  return found and nvrtc and 0 or 1
end

return M
