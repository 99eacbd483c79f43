-- Types of parameters as a user writes them: "const float *a", "unsigned int", "int32", "float4", a struct that was
-- registered, an FFI ctype, a dtype, {bytes = 24, align = 8}.

local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"

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
  ushort = "uint16", uint = "uint32", ulong = "uint64", u_char = "uint8", u_short = "uint16", u_int = "uint32",
  u_long = "uint64",
  cudaTextureObject_t = "uint64", cudaSurfaceObject_t = "uint64", CUtexObject = "uint64", CUsurfObject = "uint64",
  CUdeviceptr = "uint64",
}
for name in pairs_of(sizes) do names[name] = name end

-- Structs that CUDA itself has: bytes, alignment.
local structs = {
  half2 = { 4, 4 }, __half2 = { 4, 4 }, __nv_bfloat162 = { 4, 4 }, nv_bfloat162 = { 4, 4 }, dim3 = { 12, 4 },
  complex64 = { 8, 8 }, cuComplex = { 8, 8 }, cuFloatComplex = { 8, 8 }, complex128 = { 16, 16 },
  cuDoubleComplex = { 16, 16 }, __int128 = { 16, 16 }, CUtensorMap = { 128, 64 },
}
for base, size in pairs_of { char = 1, uchar = 1, short = 2, ushort = 2, int = 4, uint = 4, long = 8, ulong = 8,
  longlong = 8, ulonglong = 8, float = 4, double = 8 } do
  structs[base .. 1], structs[base .. 2] = { size, size }, { 2 * size, 2 * size }
  structs[base .. 3], structs[base .. 4] = { 3 * size, size }, { 4 * size, math.min(4 * size, 16) }
  if size == 8 then structs[base .. "4_16a"], structs[base .. "4_32a"] = { 32, 16 }, { 32, 32 } end
end

-- Structs of CUDA's that have a dtype, by its name; vectors have their own.
local complex = {
  complex64 = "complex64", cuComplex = "complex64", cuFloatComplex = "complex64", complex128 = "complex128",
  cuDoubleComplex = "complex128",
}

local qualifiers = { const = true, volatile = true, restrict = true, __restrict__ = true, __restrict = true,
  __grid_constant__ = true, struct = true, enum = true, signed = false }

local reserved = { float = true, double = true, void = true }
local integer_words = { unsigned = true, signed = true, short = true, long = true, int = true, char = true }

-- "unsigned long int", in any order; nil if the words are not those of one type.
local function of_words(words)
  local n = {}
  for _, word in ipairs(words) do
    if not integer_words[word] then return nil end
    n[word] = (n[word] or 0) + 1
  end
  if #words == 0 or (n.unsigned and n.signed) then return nil end
  for word, times in pairs_of(n) do
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

-- What the user registered, and CUDA's vectors.
local function dtype_of_name(name) return require("cudalua.types.c_names")._of_name(name) end

local function described(name, text)
  local type = names[name]
  if type then return { type = type, text = text, size = sizes[type], align = sizes[type] } end
  local struct = structs[name]
  if struct then return { type = "bytes", text = text, size = struct[1], align = struct[2] } end
  local dt = dtype_of_name(name)
  if dt and dt.kind == "struct" then
    return { type = "bytes", text = text, size = dt.itemsize, align = dt.alignment }
  end
  if dt then return described(dt.name, text) end
end

-- Words without qualifiers; nil if something is not a word.
local function words_of(text)
  local words, is_const = {}, false
  for word in text:gmatch "%S+" do
    if not word:find "^[%a_][%w_]*$" then return nil end
    is_const = is_const or word == "const"
    if not qualifiers[word] then words[#words + 1] = word end
  end
  return words, is_const
end

-- The type that the words name: "int32", "pointer", the name of a struct; nil if they name none.
local function named(words)
  if #words == 1 then
    local word = words[1] == "float" and "float32" or words[1] == "double" and "float64" or words[1]
    if names[word] then return names[word] end
    if structs[word] or dtype_of_name(word) then return word end
  end
  return of_words(words)
end

-- The type of the words, without the name that may follow it, which is returned too.
local function named_with_name(words)
  local type, last = named(words), words[#words]
  if type or #words < 2 or integer_words[last] or names[last] or structs[last] or reserved[last] then return type end
  words[#words] = nil
  return named(words), last
end

-- nil if the type is not known.
local function of_text(text)
  if text:find "[%*&%]]%s*[%w_%s]*$" then return { type = "pointer", text = text, size = 8, align = 8 } end
  local words = words_of(text)
  local type = words and named_with_name(words)
  return type and described(type, text)
end

-- ---- as element types ----------------------------------------------------------------------------------------------

local function dtype_of_type(type)
  if not type or type == "pointer" then return nil end
  return dtype_of_name(type) or require("cudalua.dtype")._of_name(complex[type] or type)
end

---The dtype of a type's name: "unsigned int", "float4", "particle".
---@param text string
---@return cudalua.dtype.DType?
function M.dtype_of(text)
  local words = words_of(text)
  return words and dtype_of_type(named(words))
end

-- Templates of libraries that have one name for each type here.
local function without_templates(text)
  return (text:gsub("%f[%w_:][%w_:]*complex%s*<%s*(%a+)%s*>", { float = "complex64", double = "complex128" }))
end

---Bytes of a declaration or of a name: what is longer is a mistake.
M.MAX_TEXT = 1024

---One argument of a generated kernel: a value, or a pointer to elements.
---@param text string  "const float *x"
---@return {dtype: cudalua.dtype.DType, name: string, is_vector: boolean, is_const: boolean}?
---@return string? why  nil: there is nothing to add
function M.declaration(text)
  if #text > M.MAX_TEXT then return nil, "it is too long for a declaration" end
  text = without_templates(text)
  if text:find "[%[%]]" then return nil, "an array is a pointer to its elements: float *x" end
  if text:find "&" then return nil, "kernels cannot take references; use a value or a pointer" end
  local stars = select(2, text:gsub("%*", ""))
  if stars > 1 then return nil, "a pointer to pointers has no elements" end
  local front, back = text:match "^([^%*]*)%*?(.*)$"
  local words, is_const = words_of(front)
  local tail = words_of(back)
  if not words or not tail then return nil, "expected a type and a name, such as 'const float *x'" end
  local type, name
  if stars == 1 then
    if #tail > 1 then return nil, "expected one name after the *" end
    type, name = named(words), tail[1]
  else
    type, name = named_with_name(words)
  end
  if #words == 0 then return nil, "expected a type and a name, such as 'const float *x'" end
  local dt = dtype_of_type(type)
  if not dt then
    local spelled = table.concat(words, " ")
    if words[1] == "void" then return nil, "void has no elements" end
    return nil, ("no dtype corresponds to %s; register one with tools.get_or_register_dtype(name, dtype)"):format(
      spelled)
  end
  if not name then return nil, "the argument has no name" end
  return { dtype = dt, name = name, is_vector = stars == 1, is_const = is_const }
end

local keywords = {}
for word in ([[alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast
  constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false float for
  friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
  public register reinterpret_cast restrict return short signed sizeof static static_assert static_cast struct switch
  template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
  while xor xor_eq]]):gmatch "%a[%w_]*" do
  keywords[word] = true
end

---Why something cannot be the name of an argument or a field in C; nil if it can.
---@param name any
---@return string? why
function M.not_an_identifier(name)
  if type(name) ~= "string" then return "it is not a string" end
  if #name > 255 then return "it is longer than 255 characters" end
  if not name:find "^[%a_][%w_]*$" then return "it contains characters other than letters, digits and _" end
  if keywords[name] then return "it is a keyword of C++" end
end

---Why something cannot be the name of a type that a user makes; nil if it can.
---@param name any
---@return string? why
function M.not_a_name(name)
  local why = M.not_an_identifier(name)
  if why then return why end
  if names[name] or structs[name] or qualifiers[name] ~= nil or reserved[name] then return "it is reserved by CUDA" end
end

-- ---- what a parameter is -------------------------------------------------------------------------------------------

local function is_whole(x, low) return type(x) == "number" and x >= low and x == math.floor(x) and x <= 32768 end

-- {bytes = 24, align = 8}
local function of_size(where, x)
  for key in pairs_of(x) do
    if key ~= "bytes" and key ~= "align" then
      errors.raise("LogicError", ("%s: a type table must be {bytes =, align =}, got the key %s"):format(where,
        errors.text(key)))
    end
  end
  local align = rawget(x, "align")
  if not is_whole(x.bytes, 1) or not (align == nil or (is_whole(align, 1) and math.frexp(align) == 0.5)) then
    errors.raise("LogicError", where .. ": bytes must be a positive integer, align a power of two")
  end
  return { type = "bytes", text = ("%d bytes"):format(x.bytes), size = x.bytes, align = align }
end

---One type. Raises a LogicError for anything else.
---@param where string  for the message: "get_function: args[2]"
---@param x any
---@return cudalua.Param
function M.of_type(where, x)
  local t = type(x)
  local mt = getmetatable(x)
  local found
  if t == "string" then
    found = of_text(x:match "^%s*(.-)%s*$")
  elseif mt == "cudalua.dtype" and x.kind == "struct" then
    return { type = "bytes", text = x.name, size = x.itemsize, align = x.alignment }
  elseif mt == "cudalua.dtype" then
    found = described(x.name, x.name)
  elseif mt == "cudalua.tools.Arg" then
    local p = x.is_vector and described("pointer", "") or M.of_type(where, x.dtype)
    p.text = x:declarator()
    return p
  elseif t == "cdata" then
    local text, size, align = require("cudalua.base.ffi").ctype(x)
    local dt = text and require("cudalua.dtype")._of_c(text)
    if dt and dt.kind == "struct" then return M.of_type(where, dt) end
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
  errors.raise("LogicError", ("%s: %s is not a valid parameter type"):format(where, errors.text(x)), {
    hint = "write a type as in C (\"const float *\", \"unsigned int\", \"float4\") or as a dtype (\"int32\"), or " ..
      "pass an FFI ctype; write other structs as {bytes = 24, align = 8}",
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
  for _ in pairs_of(list) do n = n + 1 end
  for i = 1, n do
    if list[i] == nil then errors.raise("LogicError", where .. ": expected a list of types without holes") end
    params[i] = M.of_type(("%s[%d]"):format(where, i), list[i])
  end
  return params
end

return M
