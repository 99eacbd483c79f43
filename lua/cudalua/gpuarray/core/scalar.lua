-- Plain values as operands: a kernel gets them as parameters, in the type that the operation computes in.

local ffi = require "ffi"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

-- What is not a number travels in a table, so that it is told from an array by a field.
local function box(value) return { _scalar = value } end

local function number(v)
  if type(v) == "number" then return v end
  if type(v) == "boolean" then return v and 1 or 0 end
  return tonumber(v)
end

local huge = math.huge

-- dtype -> function that makes a value one of that type, as an argument.
local make = {}

function make.bool(v) return box(number(v) ~= 0) end

for _, name in ipairs { "int8", "int16", "int32", "uint8", "uint16", "uint32" } do make[name] = number end

-- 64-bit integers beyond 2^53 are cdata, and passed as their bytes.
for _, name in ipairs { "int64", "uint64" } do
  local one = ffi.typeof(name .. "_t[1]")
  make[name] = function(v)
    if type(v) ~= "cdata" then return number(v) end
    local n = element.scalar(v)
    if type(n) == "number" then return n end
    return box(core.scalar(name, ffi.string(one(v), 8), true))
  end
end

for _, name in ipairs { "float16", "bfloat16" } do
  local pack, unpack = dtypes["pack_" .. name], dtypes["unpack_" .. name]
  make[name] = function(v) return unpack(pack(number(v))) end
end

local FLOAT = 0x1.fffffep127 + 0x1p102 -- from here on a float is infinite

function make.float32(v)
  v = number(v)
  if v >= FLOAT then return huge end
  if v <= -FLOAT then return -huge end
  return v
end

make.float64 = number

for name, c in pairs_of { complex64 = "complex float[1]", complex128 = "complex[1]" } do
  local one = ffi.typeof(c)
  local size = ffi.sizeof(one)
  make[name] = function(v)
    if type(v) ~= "cdata" then v = number(v) end
    return box(ffi.string(one(v), size))
  end
end

local by_dtype = {}
for _, dt in ipairs(dtypes.list) do by_dtype[dt] = make[dt.name] end

---@param value any  boolean, number, or integer or complex cdata that the dtype can hold
---@param dtype cudalua.dtype.DType
---@return any  a number, or a table
function M.operand(value, dtype) return by_dtype[dtype](value) end

return M
