-- Lua values as bytes: nil, booleans, numbers, strings, 64-bit integers, host arrays, and tables of these. The bytes
-- come from another rank of the same program and are not checked.

local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local ndarray = require "cudalua.ndarray"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

local DEEPEST = 100 -- tables in tables

local double_t, int64_t, uint64_t = ffi.typeof "double[1]", ffi.typeof "int64_t[1]", ffi.typeof "uint64_t[1]"

local function bytes_of(ctype, value) return ffi.string(ctype(value), 8) end

local function value_of(ctype, text, at)
  local box = ctype()
  ffi.copy(box, text:sub(at, at + 7), 8)
  return box[0]
end

local function refuse(open, path, what)
  errors.raise("LogicError", ("%s: %s %s; it takes nil, booleans, numbers, strings, 64-bit integers, %sarrays and "
    .. "tables of these"):format(open.where, path, what, open.where == "broadcast_object" and "host " or ""))
end

---"value.model[3]"
---@param path string  "value.model"
---@param key any
---@return string
function M.below(path, key)
  if type(key) == "string" and key:find "^[%a_][%w_]*$" then return path .. "." .. key end
  return ("%s[%s]"):format(path, type(key) == "string" and ("%q"):format(key) or tostring(key))
end

local encode

local function encode_table(value, out, path, open)
  if getmetatable(value) ~= nil then
    local text = errors.text_of_table(value)
    refuse(open, path, text == "an array" and "is an array on the device: copy it with get(), or use broadcast()" or
      "is a table with a metatable")
  end
  if open[value] then refuse(open, path, "is a table that contains itself") end
  if open.depth == DEEPEST then refuse(open, path, ("is more than %d tables deep"):format(DEEPEST)) end
  open[value], open.depth = true, open.depth + 1
  out[#out + 1] = "t"
  for key, x in pairs_of(value) do
    local kind = type(key)
    local is_key = kind == "string" or kind == "number" or kind == "boolean"
    if not is_key then refuse(open, path, "has a key that is a " .. kind) end
    encode(key, out, path, open)
    encode(x, out, M.below(path, key), open)
  end
  out[#out + 1] = "e"
  open[value], open.depth = nil, open.depth - 1
end

function encode(value, out, path, open)
  local kind = type(value)
  if kind == "nil" then
    out[#out + 1] = "z"
  elseif kind == "boolean" then
    out[#out + 1] = value and "y" or "n"
  elseif kind == "number" then
    out[#out + 1] = "d" .. bytes_of(double_t, value)
  elseif kind == "string" then
    out[#out + 1] = ("s%d:"):format(#value)
    out[#out + 1] = value
  elseif ndarray.is_array(value) then
    local bytes = ndarray.dumps(value)
    out[#out + 1] = ("a%d:"):format(#bytes)
    out[#out + 1] = bytes
  elseif kind == "table" then
    encode_table(value, out, path, open)
  elseif kind == "cdata" and ffi.istype("int64_t", value) then
    out[#out + 1] = "i" .. bytes_of(int64_t, value)
  elseif kind == "cdata" and ffi.istype("uint64_t", value) then
    out[#out + 1] = "u" .. bytes_of(uint64_t, value)
  else
    refuse(open, path, "is " .. (kind == "cdata" and "cdata" or "a " .. kind))
  end
end

---@param value any
---@param where? string  for messages; default "broadcast_object"
---@param name? string   what messages call the value; default "value"
---@return string
---@raise LogicError that names what cannot be sent
function M.encode(value, where, name)
  local out = {}
  encode(value, out, name or "value", { depth = 0, where = where or "broadcast_object" })
  return table.concat(out)
end

local END = {}
local decode

local function long(text, at)
  local colon = text:find(":", at, true)
  local last = colon + tonumber(text:sub(at, colon - 1))
  return text:sub(colon + 1, last), last + 1
end

-- By letter: text, place -> value, place behind it.
local readers = {
  z = function(_, at) return nil, at end,
  y = function(_, at) return true, at end,
  n = function(_, at) return false, at end,
  e = function(_, at) return END, at end,
  d = function(text, at) return value_of(double_t, text, at), at + 8 end,
  i = function(text, at) return value_of(int64_t, text, at), at + 8 end,
  u = function(text, at) return value_of(uint64_t, text, at), at + 8 end,
  s = long,
  a = function(text, at)
    local bytes, past = long(text, at)
    return ndarray.loads(bytes), past
  end,
  t = function(text, at)
    local all = {}
    local key, past = decode(text, at)
    while key ~= END do
      all[key], past = decode(text, past)
      key, past = decode(text, past)
    end
    return all, past
  end,
}

function decode(text, at) return readers[text:sub(at, at)](text, at + 1) end

---@param bytes string  of encode()
---@return any
function M.decode(bytes) return (decode(bytes, 1)) end

return M
