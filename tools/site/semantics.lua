-- Whose rules a function follows: NumPy's, PyCUDA's, the driver's. From docs/semantics.lua, from PyCUDA's names in
-- spec/data/pycuda_names.lua, and from the functions of CUDA that an annotation names.
local M = {}

-- The objects in the expressions of pycuda_names.lua.
local OBJECTS = {
  ["cuda"] = "cudalua", ["gpuarray"] = "cudalua.gpuarray", ["a"] = "cudalua.gpuarray.Array", ["gl"] = "cudalua.gl",
  ["dev"] = "cudalua.Device", ["ctx"] = "cudalua.Context", ["stream"] = "cudalua.Stream", ["event"] = "cudalua.Event",
  ["mod"] = "cudalua.SourceModule", ["mod.module"] = "cudalua.Module", ["fn"] = "cudalua.Function",
  ["mem"] = "cudalua.DeviceAllocation", ["registered.base"] = "cudalua.RegisteredHostMemory",
  ["pinned.base"] = "cudalua.HostAllocation", ["managed.base"] = "cudalua.ManagedAllocation",
  ["linker"] = "cudalua.Linker", ["copy2d"] = "cudalua.Memcpy2D", ["copy3d"] = "cudalua.Memcpy3D",
  ["copypeer"] = "cudalua.Memcpy3DPeer", ["array"] = "cudalua.Array", ["descriptor"] = "cudalua.ArrayDescriptor",
  ["descriptor3d"] = "cudalua.ArrayDescriptor3D", ["data"] = "cudalua.tools.DeviceData",
  ["occupancy"] = "cudalua.tools.OccupancyRecord", ["pool"] = "cudalua.DeviceMemoryPool",
  ["pooled"] = "cudalua.PooledDeviceAllocation", ["hostpool"] = "cudalua.PageLockedMemoryPool",
  ["cuda.DynamicModule()"] = "cudalua.DynamicModule", ["xorwow"] = "cudalua.random.StateGenerator",
  ["sobol32"] = "cudalua.random.SobolGenerator", ["arg"] = "cudalua.tools.Arg",
}
local ALIASES = { ["cudalua.curandom"] = "cudalua.random", ["cudalua.cumath"] = "cudalua.math" }

---The full name in the annotations of an expression like `stream.synchronize`; nil for one that calls something else.
---@param expression string
---@return string?
function M.name_of(expression)
  local object, name = expression:match "^(.*)[%.:]([%a_][%w_]*)$"
  if not object then return nil end
  local class = OBJECTS[object]
  if not class then
    local first, rest = object:match "^([%a_]+)%.([%w_%.]+)$"
    class = first and OBJECTS[first] and OBJECTS[first] .. "." .. rest
  end
  return class and (ALIASES[class] or class) .. "." .. name or nil
end

---A model of a function.
---@class site.Model
---@field name string  "numpy.sum", "cuStreamSynchronize"
---@field kind "CUDA"|"NumPy"|"SciPy"|"PyCUDA"|"PyTorch"|"CuPy"|"other"
---@field url? string  its documentation

local PAGES = {
  { "^numpy%.", "NumPy", "https://numpy.org/doc/stable/reference/generated/%s.html" },
  { "^scipy%.", "SciPy", "https://docs.scipy.org/doc/scipy/reference/generated/%s.html" },
  { "^torch%.", "PyTorch", "https://pytorch.org/docs/stable/generated/%s.html" },
  { "^pycuda%.", "PyCUDA", "https://documen.tician.de/pycuda/" },
  { "^cupy%.", "CuPy", "https://docs.cupy.dev/en/stable/reference/generated/%s.html" },
  { "^CUDA ", "CUDA", "https://docs.nvidia.com/cuda/cuda-math-api/" },
  { "^nvrtc", "CUDA", "https://docs.nvidia.com/cuda/nvrtc/" },
  { "^nvJitLink", "CUDA", "https://docs.nvidia.com/cuda/nvjitlink/" },
  { "^cupti", "CUDA", "https://docs.nvidia.com/cupti/" },
  { "^cublas", "CUDA", "https://docs.nvidia.com/cuda/cublas/" },
  { "^cu%u", "CUDA", "https://docs.nvidia.com/cuda/cuda-driver-api/" },
}

---@param name string
---@return site.Model
function M.model(name)
  for _, page in ipairs(PAGES) do
    if name:find(page[1]) then return { name = name, kind = page[2], url = (page[3]:gsub("%%s", name)) } end
  end
  return { name = name, kind = "other" }
end

-- Functions of CUDA that a text names.
local function cuda_names(text, add)
  for name in text:gmatch "%f[%w_]c?u?n?v?[%w_]+" do
    if name:find "^cu%u%l" or name:find "^nvrtc%u" or name:find "^nvJitLink%u" or name:find "^cupti%u" or
      name:find "^cublasLt%u" then
      add(name)
    end
  end
end

---The models of every public function, by full name.
---@param found table<string, public_names.Name>
---@return table<string, site.Model[]>
function M.load(found)
  local models, seen = {}, {}
  local function add(full, name)
    local key = full:gsub(":", ".")
    models[key], seen[key] = models[key] or {}, seen[key] or {}
    if seen[key][name] then return end
    seen[key][name] = true
    table.insert(models[key], M.model(name))
  end
  for full, name in pairs(found) do
    if name.entry.kind == "function" then
      cuda_names(table.concat(name.entry.text, " "), function(model) add(full, model) end)
    end
  end
  for _, row in ipairs(dofile "docs/semantics.lua") do
    for name in (row.names or ""):gmatch "%S+" do add(row.class .. "." .. name, (row.of:gsub("%%s", name))) end
    for name, model in pairs(row.renamed or {}) do add(row.class .. "." .. name, model) end
  end
  for _, section in ipairs(dofile("spec/data/pycuda_names.lua").rows) do
    local function pycuda(name, expression)
      local full = M.name_of(expression)
      if full then add(full, section.module .. "." .. name) end
    end
    for name in (section.names or ""):gmatch "%S+" do pycuda(name, section.at:format(name)) end
    for name, expression in pairs(section.others or {}) do pycuda(name, expression) end
  end
  return models
end

---The functions that follow no model, by full name with points alone.
---@return table<string, boolean>
function M.own()
  local own = {}
  for _, row in ipairs(dofile "docs/semantics.lua") do
    for name in (row.own or ""):gmatch "%S+" do own[row.class .. "." .. name] = true end
  end
  return own
end

return M
