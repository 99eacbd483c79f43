-- Wheels of a few bytes, for specs of `cudalua setup`.
local ffi = require "ffi"
local zip = require "cudalua.ndarray.zip"

local M = {}

---Writes a zip archive.
---@param path string
---@param members string[][]  {name, bytes}
function M.write(path, members)
  local file = assert(io.open(path, "wb"))
  local names = {}
  for i, member in ipairs(members) do names[i] = member[1] end
  zip.write("wheel", function(p, n) file:write(type(p) == "string" and p or ffi.string(p, n)) end, names, function(i)
    return members[i][2], ffi.new "uint8_t[1]", 0
  end)
  file:close()
end

---Files of NVIDIA's wheels of CUDA 13.0 in a folder: NVRTC's and the headers'.
---@param folder string
function M.write_both(folder)
  M.write(folder .. "/nvidia_cuda_nvrtc-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl", {
    { "nvidia/cu13/lib/libnvrtc.so.13", "the compiler" },
    { "nvidia/cu13/lib/libnvrtc.alt.so.13", "its second build" },
    { "nvidia/cu13/lib/libnvrtc_static.a", "the same for linkers" },
    { "nvidia/cu13/include/nvrtc.h", "its header" },
    { "nvidia/cu13/lib/__init__.py", "" },
    { "nvidia_cuda_nvrtc-13.0.88.dist-info/licenses/License.txt", "the licence" },
    { "nvidia_cuda_nvrtc-13.0.88.dist-info/RECORD", "" },
  })
  M.write(folder .. "/nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl", {
    { "nvidia/cu13/include/cuda.h", "cuda.h" },
    { "nvidia/cu13/include/crt/host_config.h", "a header in a folder" },
    { "nvidia/cu13/include/", "" },
  })
end

return M
