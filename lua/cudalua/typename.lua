-- Types of parameters as a user writes them: "const float *a", "unsigned int", "int32", "float4", an FFI ctype, a
-- dtype, {bytes = 24, align = 8}.

local errors = require "cudalua.errors"

local M = {}

---@class cudalua.Param
---@field type string    as the C side calls it: "float32", "pointer", "bytes" for structs, "unknown" ...
---@field text string    how messages show it: "const float *a"
---@field size integer?  bytes
---@field align integer? bytes

local sizes = { bool = 1, int8 = 1, uint8 = 1, int16 = 2, uint16 = 2, int32 = 4, uint32 = 4, int64 = 8, uint64 = 8,
  float16 = 2, bfloat16 = 2, float32 = 4, float64 = 8, pointer = 8 }
M.sizes = sizes

local names = {
  _Bool = "bool", int8_t = "int8", uint8_t = "uint8", int16_t = "int16", uint16_t = "uint16", int32_t = "int32",
  uint32_t = "uint32", int64_t = "int64", uint64_t = "uint64", size_t = "uint64", ssize_t = "int64",
  ptrdiff_t = "int64", intptr_t = "int64", uintptr_t = "uint64", wchar_t = "int32", char16_t = "uint16",
  char32_t = "uint32", half = "float16", __half = "float16", __nv_bfloat16 = "bfloat16", nv_bfloat16 = "bfloat16",
  cudaTextureObject_t = "uint64", cudaSurfaceObject_t = "uint64", CUtexObject = "uint64", CUsurfObject = "uint64",
  CUdeviceptr = "uint64",
}
for name in pairs(sizes) do names[name] = name end

-- Structs that CUDA itself has: bytes, alignment.
local structs = {
  half2 = { 4, 4 }, __half2 = { 4, 4 }, __nv_bfloat162 = { 4, 4 }, nv_bfloat162 = { 4, 4 }, dim3 = { 12, 4 },
  complex64 = { 8, 8 }, cuComplex = { 8, 8 }, cuFloatComplex = { 8, 8 }, complex128 = { 16, 16 },
  cuDoubleComplex = { 16, 16 }, __int128 = { 16, 16 }, CUtensorMap = { 128, 64 },
}
for base, size in pairs { char = 1, uchar = 1, short = 2, ushort = 2, int = 4, uint = 4, long = 8, ulong = 8,
  longlong = 8, ulonglong = 8, float = 4, double = 8 } do
  structs[base .. 1], structs[base .. 2] = { size, size }, { 2 * size, 2 * size }
  structs[base .. 3], structs[base .. 4] = { 3 * size, size }, { 4 * size, math.min(4 * size, 16) }
end

local qualifiers = { const = true, volatile = true, restrict = true, __restrict__ = true, __restrict = true,
  __grid_constant__ = true, struct = true, enum = true, signed = false }

local reserved = { float = true, double = true, void = true }
local integer_words = { unsigned = true, signed = true, short = true, long = true, int = true, char = true }

-- "unsigned long int", in any order; nil where the words are not those of one type.
local function of_words(words)
  local n = {}
  for _, word in ipairs(words) do
    if not integer_words[word] then return nil end
    n[word] = (n[word] or 0) + 1
  end
  if #words == 0 or (n.unsigned and n.signed) then return nil end
  for word, times in pairs(n) do
    if times > (word == "long" and 2 or 1) then return nil end
  end
  local size
  if n.char then
    size = not (n.short or n.long or n.int) and 1
  elseif n.short then
    size = not n.long and 2
  else
    size = n.long and 8 or 4
  end
  return size and (n.unsigned and "uint" or "int") .. 8 * size
end

local function described(name, text)
  local type = names[name]
  if type then return { type = type, text = text, size = sizes[type], align = sizes[type] } end
  local struct = structs[name]
  if struct then return { type = "bytes", text = text, size = struct[1], align = struct[2] } end
end

-- nil where the type is not known.
local function of_text(text)
  if text:find "[%*&%]]%s*[%w_%s]*$" then return { type = "pointer", text = text, size = 8, align = 8 } end
  local words = {}
  for word in text:gmatch "%S+" do
    if not word:find "^[%a_][%w_]*$" then return nil end
    if not qualifiers[word] then words[#words + 1] = word end
  end
  local function resolve()
    if #words == 1 then
      local found = described(words[1] == "float" and "float32" or words[1] == "double" and "float64" or words[1], text)
      if found then return found end
    end
    local integer = of_words(words)
    return integer and described(integer, text)
  end
  local found, last = resolve(), words[#words]
  if found or #words < 2 or integer_words[last] or names[last] or structs[last] or reserved[last] then return found end
  words[#words] = nil -- the parameter's name
  return resolve()
end

local function is_whole(x, low) return type(x) == "number" and x >= low and x == math.floor(x) and x <= 32768 end

-- {bytes = 24, align = 8}
local function of_size(where, x)
  for key in pairs(x) do
    if key ~= "bytes" and key ~= "align" then
      errors.raise("LogicError", ("%s: a type given as a table is {bytes =, align =}, got the key %s"):format(where,
        errors.text(key)))
    end
  end
  local align = rawget(x, "align")
  if not is_whole(x.bytes, 1) or not (align == nil or (is_whole(align, 1) and math.frexp(align) == 0.5)) then
    errors.raise("LogicError", where .. ": bytes is a whole number from 1, align a power of two")
  end
  return { type = "bytes", text = ("%d bytes"):format(x.bytes), size = x.bytes, align = align }
end

---One type. Raises a LogicError for what is none.
---@param where string  for the message: "get_function: args[2]"
---@param x any
---@return cudalua.Param
function M.of_type(where, x)
  local t = type(x)
  local mt = getmetatable(x)
  local found
  if t == "string" then
    found = of_text(x:match "^%s*(.-)%s*$")
  elseif mt == "cudalua.dtype" then
    found = described(x.name, x.name)
  elseif t == "cdata" then
    local text, size, align = require("cudalua.ffi").ctype(x)
    if text then
      found = of_text(text)
      if size and not (found and found.size == size) then
        found = { type = "bytes", text = text, size = size, align = align }
      end
    end
  elseif t == "table" and mt == nil then
    return of_size(where, x)
  end
  if found then return found end
  errors.raise("LogicError", ("%s: %s is no type of a parameter"):format(where, errors.text(x)), {
    hint = "a type is written as in C (\"const float *\", \"unsigned int\", \"float4\"), as a dtype (\"int32\"), or " ..
      "is an FFI ctype; other structs are {bytes = 24, align = 8}",
  })
end

---The types of all parameters.
---@param where string  "get_function: args"
---@param list any
---@return cudalua.Param[]
function M.of_args(where, list)
  if type(list) ~= "table" or getmetatable(list) then
    errors.raise("LogicError", ("%s: expected a list of types, got %s"):format(where, errors.text(list)))
  end
  local params, n = {}, 0
  for _ in pairs(list) do n = n + 1 end
  for i = 1, n do
    if list[i] == nil then errors.raise("LogicError", where .. ": expected a list of types without holes") end
    params[i] = M.of_type(("%s[%d]"):format(where, i), list[i])
  end
  return params
end

return M
