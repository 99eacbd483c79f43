-- CUDA's built-in vectors as element types: vec.float4 with the fields x, y, z, w and CUDA's alignment, and functions
-- that make their values. Each is made when it is first asked for.

local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
local structs = require "cudalua.types.structs"

-- What is compiled here bears this file's name, so that errors name the line of whoever calls it.
local HERE = debug.getinfo(1, "S").source

local FIELDS = { "x", "y", "z", "w" }

-- Base name -> dtype of a component.
local bases = {
  char = "int8", uchar = "uint8", short = "int16", ushort = "uint16", int = "int32", uint = "uint32", long = "int64",
  ulong = "uint64", longlong = "int64", ulonglong = "uint64", float = "float32", double = "float64",
}

-- Vectors of 1 and 3 are aligned like a component, those of 2 and 4 like the whole, up to 16 bytes. CUDA 13 has the
-- largest ones under further names that say their alignment.
local function alignment(count, size, suffix)
  if suffix ~= "" then return tonumber(suffix:match "%d+") end
  return count % 2 == 1 and size or math.min(count * size, 16)
end

local function make_dtype(name)
  local base, count, suffix = name:match "^(%a+)([1-4])(.*)$"
  local component = dtypes[bases[base] or false]
  if not component then return nil end
  count = tonumber(count)
  if suffix ~= "" and not (count == 4 and component.itemsize == 8 and (suffix == "_16a" or suffix == "_32a")) then
    return nil
  end
  local fields = {}
  for i = 1, count do fields[i] = { FIELDS[i], component } end
  return structs.builtin(name, fields, alignment(count, component.itemsize, suffix))
end

local constructor_source = [[
  local ctype, check, wrong = ...
  return function(PARAMS, ...)
    if select("#", ...) > 0 then wrong() end
    LINES
    return ctype(PARAMS)
  end]]

-- A function with as many parameters as there are components, which LuaJIT compiles without any table.
local function make_constructor(name, dt)
  local params = table.concat(FIELDS, ", ", 1, #dt._fields)
  local lines = {}
  for i = 1, #dt._fields do
    lines[i] = ("local why_%s; %s, why_%s = check(%s); if why_%s then wrong('%s', why_%s) end")
      :gsub("%%s", FIELDS[i])
  end
  local function wrong(component, why)
    errors.raise("LogicError", ("vec.make_%s: %s"):format(name, why and component .. ": " .. why or
      ("%d values were expected"):format(#dt._fields)))
  end
  local source = constructor_source:gsub("PARAMS", params):gsub("LINES", table.concat(lines, "\n    "))
  return assert(loadstring(source, HERE))(dt.ctype, dt._fields[1].dtype._check, wrong)
end

local M = {}

---The vector of that name, or nil. For name look-ups.
---@param name string
---@return cudalua.dtype.DType?
function M._of_name(name)
  local dt = rawget(M, name)
  if dt == nil then
    dt = make_dtype(name)
    if dt then rawset(M, name, dt) end
  end
  return dtypes.is_dtype(dt) and dt or nil
end

local function find(_, name)
  if type(name) ~= "string" then return nil end
  local made = name:match "^make_(.*)$"
  local dt = M._of_name(made or name)
  if not made or not dt then return dt end
  local f = make_constructor(made, dt)
  rawset(M, name, f)
  return f
end

local function all_names()
  local list = {}
  for base in pairs_of(bases) do
    for count = 1, 4 do list[#list + 1], list[#list + 2] = base .. count, "make_" .. base .. count end
  end
  return list
end

names.strict(M, { text = "vec", kind = "module", find = find, more = all_names })

return M
