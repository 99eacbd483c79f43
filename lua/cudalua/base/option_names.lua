-- Which option a value was meant for that was passed by itself, as in NumPy, PyTorch or PyCUDA: for messages.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

-- The options that a value of a type may be, in the order in which they are looked for.
local by_type = {
  boolean = { "keepdims", "descending", "endpoint", "largest", "copy", "inverse", "sparse", "equal_nan",
    "replace", "full_matrices", "upper", "lower", "async" },
  number = { "spacing", "dx", "discont", "axis", "ddof", "decimals", "ord", "k", "rtol", "rcond", "root", "to",
    "from", "color" },
  string = { "mode", "method", "order", "side", "indexing", "activation", "ord", "driver", "op", "backend" },
  table = { "y", "x", "spacing", "axis", "range", "weights" },
  ["function"] = { "allocator" },
  array = { "y", "x", "bias", "x0", "spacing", "out", "weights" },
  dtype = { "dtype" },
  stream = { "stream" },
}

local function kind_of(value)
  local t = type(value)
  if t == "string" or t == "cdata" then
    return hooks.dtype_of(value) and "dtype" or t == "cdata" and "number" or t
  end
  if t == "table" then
    local tag = getmetatable(value)
    return tag == "cudalua.gpuarray" and "array" or tag == "cudalua.dtype" and "dtype" or type(tag) ~= "string" and t
  end
  return core.kind(value) == "Stream" and "stream" or t
end

-- A value as a program has it.
local function written(value)
  local t = type(value)
  if t == "string" then return ("%q"):format(value) end
  if t == "number" or t == "boolean" then return tostring(value) end
  return "..."
end

---The option that a value was meant for, as a program writes it: "keepdims = true".
---@param known table<string, boolean>  the valid options
---@param value any
---@return string?  nil if none fits
function M.guess(known, value)
  local strings = type(value) == "string" and by_type.string or nil -- "F" is a dtype and an order
  for _, list in ipairs { by_type[kind_of(value)] or {}, strings } do
    for _, name in ipairs(list) do
      if known[name] then return name .. " = " .. written(value) end
    end
  end
end

---Options as a program writes them: "keepdims = true, dtype = ...".
---@param options table
---@return string
function M.fields(options)
  local list = {}
  for name, value in pairs_of(options) do list[#list + 1] = ("%s = %s"):format(tostring(name), written(value)) end
  table.sort(list)
  return table.concat(list, ", ")
end

---The names of options, for a message.
---@param known table<string, boolean>
---@return string
function M.list(known)
  local names = {}
  for name in pairs_of(known) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ", ")
end

-- Older names of options, and those of PyTorch, SciPy, Matplotlib and mpi4py. The first of several that is valid.
local foreign = { src = "root from", dst = "root to", source = "root from", dest = "root to",
  dim = "axis", dims = "axis", axes = "axis", keepdim = "keepdims", interpolation = "method",
  cmap = "map", colormap = "map", colourmap = "map", tol = "rtol", cols = "columns", UPLO = "upper", rtol = "rcond" }

-- Options of others that are a value of one here.
local renamed = { unbiased = "ddof = 1", correction = "ddof = 1" }

-- A list was passed instead of options, or the options contain a value without a name.
local function refuse_list(where, options, known, all)
  local names, values = false, 0
  for key in pairs_of(options) do
    names, values = names or type(key) == "string", values + (type(key) == "number" and 1 or 0)
  end
  local value = options[1]
  if names and value ~= nil then -- {out = x, "float64"}
    local guessed = M.guess(known, value)
    core.raise("LogicError", ("%s: the options have a value without a name, %s%s; valid options: %s"):format(where,
      errors.text(value), guessed and ("; write " .. guessed) or "", M.list(all)))
  end
  local guessed = values > 0 and M.guess(known, options)
  core.raise("LogicError", ("%s: expected a table of options, got a list of %d value%s%s; valid options: %s"):format(
    where, values, values == 1 and "" or "s", guessed and ("; write {%s}"):format(guessed) or "", M.list(all)))
end

---Raises the error for an unknown option.
---@param where string  function, for the message
---@param key any
---@param known table<string, boolean>
---@param options? table  what has it; default: no table of options alone
---@raise LogicError that says which one was meant, and which ones there are
function M.refuse(where, key, known, options)
  local all = {}
  for name in pairs_of(known) do all[name] = true end
  local named = package.loaded["cudalua.base.named"]
  for name in pairs_of(named and named.beside(where) or {}) do all[name] = true end
  if type(key) == "number" and options and not getmetatable(options) then refuse_list(where, options, known, all) end
  local text, near = M.list(all), type(key) == "string" and {} or nil
  if near and #key > 1 then
    local names = {}
    for name in pairs_of(all) do names[#names + 1] = name end
    table.sort(names)
    local value = renamed[key]
    if value and all[value:match "^%w+"] then
      core.raise("LogicError", ("%s: unknown option %s; write %s; valid options: %s"):format(where, errors.text(key),
        value, text))
    end
    near = nil
    for name in (foreign[key] or ""):gmatch "%S+" do near = near or all[name] and { name } end
    near = near or core.near(key, names)
  end
  core.raise("LogicError", ("%s: unknown option %s; %svalid options: %s"):format(where, errors.text(key),
    near and near[1] and ("did you mean '%s'? "):format(near[1]) or "", text))
end

---Options but for one.
---@param known table<string, boolean>
---@param name string
---@return table<string, boolean>
function M.without(known, name)
  local others = {}
  for key in pairs_of(known) do
    if key ~= name then others[key] = true end
  end
  return others
end

-- Given to a function in place of its options, it makes errors.options() tell which ones there are.
local WHICH = errors.WHICH

---The options of a function whose last parameter they are.
---@param f function
---@param n integer  how many parameters it has
---@param ... any    its arguments before these
---@return table<string, boolean>  empty where it did not come to read them
function M.of(f, n, ...)
  local arguments = { ... }
  arguments[n] = WHICH
  local ok, answer = pcall(f, unpack(arguments, 1, n))
  return not ok and type(answer) == "table" and rawget(answer, WHICH) or {}
end

return M
