-- NVIDIA's wheels for Python's package index that hold NVRTC and CUDA's headers: which ones a driver can use, and what
-- their files are called.

local M = {}

-- Of CUDA 13, all in nvidia/cu13. crt and cccl have headers that the others include; nvjitlink is for link-time
-- optimisation.
local CUDA13 = { "nvidia-cuda-nvrtc", "nvidia-cuda-runtime", "nvidia-cuda-crt", "nvidia-cuda-cccl",
  "nvidia-cuda-profiler-api", "nvidia-nvjitlink" }
local CUDA12 = { "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-cccl-cu12",
  "nvidia-nvjitlink-cu12" }

local NEWEST_OF_12, OLDEST_OF_12 = 9, 4 -- minor versions

---@class cudalua.setup.Choice
---@field version string    "13.0"
---@field megabytes integer  about so many are downloaded
---@field names string[]    of the wheels, NVRTC's first
---@field specs string[]    as pip takes them: "nvidia-cuda-nvrtc==13.0.*"

---The wheels for a driver: PTX of a newer NVRTC could be too new for it.
---@param driver? integer  its version of CUDA, 12040 for 12.4; nil: none, or the software device
---@return cudalua.setup.Choice
function M.choose(driver)
  local names, version, megabytes = CUDA13, "13.0", 140
  if driver and driver < 13000 and driver >= 12000 then
    local minor = math.floor(driver % 1000 / 10)
    names, megabytes = CUDA12, 70
    version = "12." .. math.max(OLDEST_OF_12, math.min(NEWEST_OF_12, minor))
  end
  local choice = { names = names, version = version, megabytes = megabytes, specs = {} }
  for i, name in ipairs(names) do choice.specs[i] = ("%s==%s.*"):format(name, version) end
  return choice
end

---What a file of a wheel is, by its name.
---@class cudalua.setup.Wheel
---@field path string
---@field file string      the name of the file
---@field name string      "nvidia-cuda-nvrtc"
---@field version string   "13.0.88"
---@field machine string   "x86_64", "any"

---@param path string
---@return cudalua.setup.Wheel?  nil: its name is not that of one of NVIDIA's wheels
function M.read_name(path)
  local file = path:match "[^/]*$"
  local name, version, tags = file:match "^(nvidia_[%w_]+)%-(%d[%w.]*)%-[%w.]+%-[%w.]+%-([%w_.]+)%.whl$"
  if not name then return nil end
  local machine = tags:match "linux[%d_]*_(x86_64)" or tags:match "linux[%d_]*_(aarch64)" or tags
  return { path = path, file = file, name = name:gsub("_", "-"), version = version, machine = machine }
end

---What a wheel's file is called, for a message.
---@param name string     "nvidia-cuda-nvrtc"
---@param version string  "13.0"
---@param machine string  "x86_64"
---@return string
function M.pattern(name, version, machine)
  return ("%s-%s.*manylinux*%s.whl"):format(name:gsub("-", "_"), version, machine)
end

return M
