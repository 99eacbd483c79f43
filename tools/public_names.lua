-- The names that programs use: every name of the contract, and the classes and fields that their annotations name. The
-- index of help(), the annotations for editors and the reference are made of them.
local contract = require "tools.check_contract"
local map = require "tools.map"

local M = {}

-- Pages of the manual, by the contract's prefix, and of the module itself and of arrays by the spec that proves a name.
local PAGES = { cuda = "kernels", compiler = "compiling", softgpu = "softgpu", io = "looking", random = "random",
  repl = "prompt", tools = "from-pycuda", luassert = "embedding", autoinit = "from-pycuda",
  autoprimaryctx = "from-pycuda", linalg = "matrices", fft = "fourier", sparse = "sparse", image = "filters",
  gl = "opengl", ndarray = "host-arrays", ["cuda.debug"] = "debugging", ["cuda.distributed"] = "distributed" }
local OF_SPECS = { compiler_spec = "compiling", compiler_options_spec = "compiling", cache_spec = "compiling",
  dynamic_spec = "compiling", linker_spec = "compiling", lto_spec = "compiling", module_spec = "compiling",
  pycuda_spec = "compiling", show_spec = "looking", plot_spec = "looking", embedding_spec = "embedding",
  interrupt_spec = "embedding", init_spec = "embedding", pressure_spec = "arrays", pool_spec = "arrays",
  mem_async_spec = "arrays", errors_spec = "traps", names_spec = "traps", texture_spec = "textures",
  surface_spec = "textures", mipmap_spec = "textures", texref_spec = "textures",
  stream_spec = "streams", event_spec = "streams", graph_spec = "graphs", device_spec = "devices",
  devices_spec = "devices", context_spec = "devices", profile_spec = "profiling", progress_spec = "prompt",
  exported_spec = "shipping", replay_spec = "softgpu" }
local OF_ARRAYS = { gpuarray_sort_spec = "reductions", gpuarray_reduce_spec = "reductions",
  gpuarray_scan_spec = "reductions", gpuarray_count_spec = "reductions", matmul_spec = "matrices",
  contractions_spec = "matrices", convolve_spec = "signals", gradient_spec = "signals" }

-- Names of another page than their module's.
local OWN = { ["linalg.backend"] = "backends", ["linalg.libraries"] = "backends", ["linalg.linear"] = "backends",
  ["linalg.precision"] = "matrices", ["cuda.mem_get_info"] = "memory", ["cuda.mem_stats"] = "memory",
  ["cuda.collect"] = "memory", ["gpuarray.explain"] = "fusion",
  ["io.load_safetensors"] = "sharing", ["io.save_safetensors"] = "sharing" }

local function page_of(row)
  local own = OWN[row.name]
  if own then return "docs/" .. own .. ".md" end
  local by_spec = row.prefix == "cuda" and OF_SPECS or row.prefix == "gpuarray" and OF_ARRAYS or {}
  local page = by_spec[row.spec] or PAGES[row.prefix] or "arrays"
  return "docs/" .. page .. ".md"
end

-- Modules that are no fields of `cuda`.
local APART = { repl = true, luassert = true, autoinit = true, autoprimaryctx = true }

-- Words behind the name of the command `cudalua`.
local COMMANDS = { run = true, build = true, setup = true, info = true, env = true }

---As programs write it: `cuda` is the module, but the command is `cudalua`.
---@param text string
---@return string
function M.shown(text)
  text = text:gsub("%f[%w_]cudalua (%l+)", function(word) return COMMANDS[word] and "\1 " .. word end)
  text = text:gsub("`cudalua` command", "`\1` command")
  text = text:gsub("%f[%w_]cudalua%f[^%w_]()(%.?)(%l*)", function(_, dot, name)
    return (APART[name] and "cudalua" or "cuda") .. dot .. name
  end)
  return (text:gsub("\1", "cudalua"))
end

-- Names that come before others of the same word: arrays of the device, then the module, then those of the host.
local RANKS = { gpuarray = 1, cuda = 2 }

---The fields of classes, in the order of their lines.
---@param entries table<string, annotations.Entry>
---@return table<string, {name: string, type: string, optional: boolean, place: integer}[]>
function M.fields_by_class(entries)
  local fields = {}
  for name, entry in pairs(entries) do
    local class, field = name:match "^(.*)%.([%w_]+)$"
    if entry.kind == "field" and entries[class] and entries[class].kind == "class" and not field:find "^_" then
      fields[class] = fields[class] or {}
      table.insert(fields[class], { name = field, type = table.concat(entry.text, " "), optional = entry.optional,
        place = entry.place or 0 })
    end
  end
  for _, list in pairs(fields) do
    table.sort(list, function(a, b)
      if a.place ~= b.place then return a.place < b.place end
      return a.name < b.name
    end)
  end
  return fields
end

-- A module as an entry. Where its class says nothing, the file's first sentence does.
local function module_entry(entries, module)
  local entry = entries[module] or { kind = "class", text = {}, params = {}, overloads = {}, returns = {}, raises = {} }
  if #entry.text == 0 then
    local path = "lua/" .. module:gsub("%.", "/")
    local file = io.open(path .. ".lua")
    if file then file:close() end
    entry.text = { map.sentence(path .. (file and ".lua" or "/init.lua")) }
  end
  return entry
end

---A public name.
---@class public_names.Name
---@field full string   in the annotations
---@field entry annotations.Entry
---@field page string
---@field rank integer

---@param entries table<string, annotations.Entry>
---@param rows table[]  of the contract (check_contract.rows)
---@return table<string, public_names.Name>  by full name
function M.find(entries, rows)
  local found, list = {}, {}
  local function add(full, page, rank, entry)
    entry = entry or entries[full]
    if found[full] or not entry then return end
    found[full] = { full = full, entry = entry, page = page, rank = rank }
    list[#list + 1] = found[full]
  end
  for _, row in ipairs(rows) do
    if not row.later then
      local full, page, rank = contract.annotated_name(row), page_of(row), RANKS[row.prefix] or 3
      add(full, page, rank)
      add(row.module, page_of { prefix = row.prefix }, rank, module_entry(entries, row.module))
      local class = full:match "^(.*):"
      if class then add(class, page, rank) end
    end
  end
  for _, name in ipairs(list) do -- which grows: what the annotations name
    local entry = name.entry
    local texts = { table.concat(entry.overloads, " "), table.concat(entry.returns, " ") }
    for _, param in ipairs(entry.params) do texts[#texts + 1] = param.type end
    for class in table.concat(texts, " "):gmatch "cudalua%.[%w_%.]+" do
      class = class:gsub("%.$", "")
      if entries[class] and entries[class].kind == "class" then add(class, name.page, name.rank) end
    end
  end
  return found
end

M.APART = APART

return M
