-- The index that help() reads: every name of the contract, and the classes and fields that their annotations name.
-- lua/cudalua/help/entries.lua describes its format.
local annotations = require "tools.annotations"
local contract = require "tools.check_contract"
local help_options = require "tools.help_options"
local map = require "tools.map"

local M = {}

-- Pages of the manual, by the contract's prefix, and of the module itself by the spec that proves a name.
local PAGES = { cuda = "tutorial", compiler = "compiling", softgpu = "softgpu", io = "looking", random = "random",
  repl = "prompt", tools = "from-pycuda", luassert = "embedding", autoinit = "from-pycuda",
  autoprimaryctx = "from-pycuda" }
local OF_SPECS = { compiler_spec = "compiling", compiler_options_spec = "compiling", cache_spec = "compiling",
  dynamic_spec = "compiling", linker_spec = "compiling", lto_spec = "compiling", module_spec = "compiling",
  pycuda_spec = "compiling", show_spec = "looking", plot_spec = "looking", embedding_spec = "embedding",
  interrupt_spec = "embedding", init_spec = "embedding", pressure_spec = "arrays", pool_spec = "arrays",
  mem_async_spec = "arrays", errors_spec = "traps", names_spec = "traps", texture_spec = "textures",
  surface_spec = "textures", mipmap_spec = "textures", texref_spec = "textures",
  profile_spec = "profiling", progress_spec = "prompt", exported_spec = "shipping", replay_spec = "softgpu" }

local function page_of(row)
  local page = row.prefix == "cuda" and OF_SPECS[row.spec] or PAGES[row.prefix] or "arrays"
  return "docs/" .. page .. ".md"
end

-- Modules that are no fields of `cuda`.
local APART = { repl = true, luassert = true, autoinit = true, autoprimaryctx = true }

-- As programs write it: `cuda` is the module.
local function shown(text)
  return (text:gsub("%f[%w_]cudalua%f[^%w_]()(%.?)(%l*)", function(_, dot, name)
    return (APART[name] and "cudalua" or "cuda") .. dot .. name
  end))
end

-- Names that come before others of the same word: arrays of the device, then the module, then those of the host.
local RANKS = { gpuarray = 1, cuda = 2 }

local function sorted(set, before)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list, before)
  return list
end

-- The fields of classes, in the order of their lines.
local function fields_by_class(entries)
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

-- ---- which names ----------------------------------------------------------------------------------------------------

---A name of the index.
---@class help_index.Name
---@field full string   in the annotations
---@field entry annotations.Entry
---@field page string
---@field rank integer

local function names_of(entries, rows)
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

-- ---- an entry -------------------------------------------------------------------------------------------------------

-- The function that a method is, too: with the same text and one parameter more.
local function twin_of(found, name)
  local short = name.full:match "^cudalua%.gpuarray%.Array:([%w_]+)$" or name.full:match "^cudalua%.math%.([%w_]+)$"
  local other = short and found["cudalua.gpuarray." .. short]
  if not other or other.entry.kind ~= "function" then return nil end
  local a, b = name.entry, other.entry
  if a == b then return other end
  local same = table.concat(a.text, "\n") == table.concat(b.text, "\n") and #a.params + 1 == #b.params
  return same and other or nil
end

local function heading(found, name)
  local entry, full = name.entry, shown(name.full)
  if entry.kind ~= "function" then
    local is_module = entry.kind == "class" and name.full:find "^cudalua%.?%l*$"
    return ("= %s %s"):format(full, is_module and "module" or entry.kind)
  end
  local twin = twin_of(found, name)
  local arguments = {}
  for i, argument in ipairs(entry.arguments) do
    local is_object = argument == "self" or twin and twin.entry == entry and i == 1 and full:find ":"
    if not is_object then arguments[#arguments + 1] = argument end
  end
  return ("= %s(%s)%s"):format(full, table.concat(arguments, ", "), twin and " = " .. shown(twin.full) or "")
end

local function fold(out, tag, text)
  out[#out + 1] = ("@%s %s"):format(tag, (shown(text):gsub("%s*$", "")))
end

local function options_line(options)
  local list = {}
  for i, option in ipairs(sorted(options)) do
    local strings = options[option]
    list[i] = strings == true and option or option .. "=" .. strings
  end
  return table.concat(list, " ")
end

local function describe(out, found, name, fields, options_of)
  local entry = name.entry
  local head = heading(found, name)
  out[#out + 1] = head
  if head:find(" = ", 1, true) then return end
  local lines = entry.text
  if entry.place then -- a field, which begins with its type
    local type, text = lines[1]:match "^(.-)%s%s+(.*)$"
    fold(out, "type", type or lines[1])
    lines = { text }
  end
  for _, line in ipairs(lines) do
    if line:find "^[=#@]" then error(name.full .. ": a sentence begins with a sign of the index: " .. line, 0) end
    out[#out + 1] = shown(line)
  end
  for _, call in ipairs(entry.overloads) do fold(out, "call", call) end
  for _, param in ipairs(entry.params) do
    fold(out, "param", ("%s%s %s"):format(param.name, param.optional and "?" or "", param.type))
  end
  for _, text in ipairs(entry.returns) do fold(out, "return", text) end
  for _, text in ipairs(entry.raises) do fold(out, "raise", text) end
  if head:find " class$" then
    for _, field in ipairs(fields[name.full] or {}) do
      fold(out, "field", ("%s%s %s"):format(field.name, field.optional and "?" or "", field.type))
    end
  end
  local options = options_line(options_of(name.full))
  if options ~= "" then fold(out, "options", options) end
end

---The lines of lua/cudalua/help/index.lua.
---@return string[]
function M.lines()
  local entries = annotations.load()
  local rows = contract.rows(dofile "docs/contract.lua")
  local fields = fields_by_class(entries)
  local found = names_of(entries, rows)
  local options_of = help_options.reader(entries, fields)
  local out = { "-- Written by ./dev generate from the annotations: what help() says of each name (help/entries.lua).",
    "return [==[" }
  local page
  for _, full in ipairs(sorted(found, function(a, b)
    a, b = found[a], found[b]
    if a.page ~= b.page then return a.page < b.page end
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.full < b.full
  end)) do
    local name = found[full]
    if name.page ~= page then
      page = name.page
      out[#out + 1] = "# " .. page
    end
    describe(out, found, name, fields, options_of)
  end
  out[#out + 1] = "]==]"
  return out
end

return M
