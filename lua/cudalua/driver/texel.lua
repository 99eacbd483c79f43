-- Formats of texels: what a channel is, how many bytes a texel has, and which dtypes have such elements.

local constants = require "cudalua.base.constants"
local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

---What a format is to a texture.
---@class cudalua.TexelFormat
---@field name string            of cuda.array_format, in lower case
---@field kind "unsigned"|"signed"|"float"|"norm"|"block"  norm: integers that are read as floats from 0 or -1 to 1
---@field bits integer           of a channel; 0: of blocks or planes
---@field channels integer?      if the format fixes them

local plain = {
  UNSIGNED_INT8 = { "unsigned", 8 }, UNSIGNED_INT16 = { "unsigned", 16 }, UNSIGNED_INT32 = { "unsigned", 32 },
  SIGNED_INT8 = { "signed", 8 }, SIGNED_INT16 = { "signed", 16 }, SIGNED_INT32 = { "signed", 32 },
  HALF = { "float", 16 }, FLOAT = { "float", 32 },
}

local formats -- by number, made when first asked for

local function make()
  local list = {}
  for name, number in pairs_of(constants.lookup "array_format") do
    local row = plain[name]
    local bits, channels = name:match "^[US]NORM_INT(%d+)X(%d)$"
    if not list[number] then
      list[number] = { name = name:lower(), kind = row and row[1] or bits and "norm" or "block",
        bits = row and row[2] or tonumber(bits) or 0, channels = tonumber(channels) }
    end
    if name == "UNORM_INT_101010_2" then list[number].kind = "norm" end
  end
  return list
end

---@param number integer  of cuda.array_format
---@return cudalua.TexelFormat
function M.of(number)
  formats = formats or make()
  return formats[number] or { name = ("format 0x%x"):format(number), kind = "block", bits = 0 }
end

---The bytes of a texel; 0: it has blocks or planes.
---@param format integer
---@param channels integer
---@return integer
function M.bytes(format, channels)
  local f = M.of(format)
  if f.name == "unorm_int_101010_2" then return 4 end
  return f.bits / 8 * (f.channels or channels)
end

-- What a view's format is to a texture, by number.
---@param number integer  of cuda.resource_view_format
---@return cudalua.TexelFormat? format  nil: the resource's own
function M.of_view(number)
  for name, value in pairs_of(constants.lookup "resource_view_format") do
    local kind, channels, bits = name:match "^(%u+)_(%d)X(%d+)$"
    if value == number and kind then
      kind = kind == "UINT" and "unsigned" or kind == "SINT" and "signed" or "float"
      return { name = name:lower(), kind = kind, bits = tonumber(bits), channels = tonumber(channels) }
    end
    if value == number and name ~= "NONE" then return { name = name:lower(), kind = "block", bits = 0 } end
  end
end

---The format of a view that reads texels as they are.
---@param format integer  of cuda.array_format
---@param channels integer
---@return integer? number  of cuda.resource_view_format; nil: none reads these
function M.view_of(format, channels)
  local f = M.of(format)
  local kind = ({ unsigned = "UINT", signed = "SINT", float = "FLOAT" })[f.kind]
  return kind and constants.lookup("resource_view_format")[("%s_%dX%d"):format(kind, channels, f.bits)]
end

local by_dtype = { uint8 = "UNSIGNED_INT8", uint16 = "UNSIGNED_INT16", uint32 = "UNSIGNED_INT32", int8 = "SIGNED_INT8",
  int16 = "SIGNED_INT16", int32 = "SIGNED_INT32", float16 = "HALF", float32 = "FLOAT" }

-- The scalar that all fields of a vector have, and their number; nil: d is no vector without gaps.
local function vector(d)
  if d.kind ~= "struct" then return nil end
  local fields = d.fields
  local first = fields[1] and fields[1].dtype
  for _, f in ipairs(fields) do
    if f.dtype ~= first or #f.shape > 0 then return nil end
  end
  if not first or #fields * first.itemsize ~= d.itemsize then return nil end
  return first, #fields
end

---The format and the channels whose texels are elements of a dtype: complex numbers have two channels, vectors as many
---as components.
---@param dtype cudalua.dtype.DType
---@return integer? format  nil: no format has such texels
---@return integer? channels
function M.of_dtype(dtype)
  local scalar, channels = dtype, 1
  if dtype.name == "complex64" then return constants.lookup("array_format").FLOAT, 2 end
  if dtype.kind == "struct" then
    scalar, channels = vector(dtype)
    if not scalar or channels == 3 or channels > 4 then return nil end
  end
  local name = by_dtype[scalar.name]
  return name and constants.lookup("array_format")[name], channels
end

---The dtype of a channel.
---@param format integer  of cuda.array_format
---@return string? name  nil: no dtype has such values
function M.dtype_of(format)
  local name = M.of(format).name:upper()
  for dtype, its in pairs_of(by_dtype) do
    if its == name then return dtype end
  end
end

---@param where string
---@param value any     a number or a name of cuda.array_format
---@return integer
function M.read(where, value) return constants.enum(where, value, "array_format") end

---@param where string
---@param channels any
---@return integer
function M.read_channels(where, channels)
  if channels ~= 1 and channels ~= 2 and channels ~= 4 then
    errors.raise("LogicError", ("%s: num_channels must be 1, 2 or 4, got %s"):format(where, errors.text(channels)))
  end
  return channels
end

return M
