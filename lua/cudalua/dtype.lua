-- Element types of arrays: what they are called, how they lie in memory, and what two of them become together.
-- There is one object per type; dtype("float32") finds it. Structs are made by structs.lua, CUDA's vectors by vec.lua.

local core = require "cudalua.core"
local ffi = require "ffi"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local float16 = require "cudalua.base.float16"
local host = require "cudalua.base.ffi"
local names = require "cudalua.base.names"

---`dtype(x)` is `dtype.of(x)`.
---@class cudalua.dtype
---@overload fun(x: any): cudalua.dtype.DType
---@field bool cudalua.dtype.DType  true and false, one byte each
---@field int8 cudalua.dtype.DType        1 byte
---@field int16 cudalua.dtype.DType       2 bytes
---@field int32 cudalua.dtype.DType       4 bytes
---@field int64 cudalua.dtype.DType       8 bytes; values beyond 2^53 are int64_t cdata
---@field uint8 cudalua.dtype.DType       1 byte
---@field uint16 cudalua.dtype.DType      2 bytes
---@field uint32 cudalua.dtype.DType      4 bytes
---@field uint64 cudalua.dtype.DType      8 bytes; values beyond 2^53 are uint64_t cdata
---@field float16 cudalua.dtype.DType  IEEE half precision; its ctype is uint16_t with the bits
---@field bfloat16 cudalua.dtype.DType  the upper half of a float32; its ctype is uint16_t with the bits
---@field float32 cudalua.dtype.DType     single precision, C's float
---@field float64 cudalua.dtype.DType     double precision
---@field complex64 cudalua.dtype.DType   two float32; values are FFI's complex numbers, with .re and .im
---@field complex128 cudalua.dtype.DType  two float64; values are FFI's complex numbers, with .re and .im
---@field list cudalua.dtype.DType[]  all of these, in this order
local M = { list = {} }

---An element type. Each type has one object, so you can compare types with ==. Read-only.
---@class cudalua.dtype.DType
---@field name string        "float32"
---@field kind string        "bool", "int", "uint", "float", "complex" or "struct"
---@field itemsize integer  the size of an element in bytes
---@field alignment integer  the alignment in bytes
---@field ctype ffi.ctype*  the FFI type of an element
---@field code string        NumPy's code: "<f4"; "<V2" for bfloat16, "|V12" for a struct of 12 bytes
---@field fields cudalua.dtype.Field[]?  for structs: the fields, in a new list

-- What getmetatable says of a dtype.
local TAG = "cudalua.dtype"

-- Name, kind, bytes, C type, NumPy's code, further names. A NumPy code is found without its byte order, too.
local rows = {
  { "bool", "bool", 1, "bool", "|b1", "_Bool,?" },
  { "int8", "int", 1, "int8_t", "|i1", "char,signed char,b" },
  { "int16", "int", 2, "int16_t", "<i2", "short,h" },
  { "int32", "int", 4, "int32_t", "<i4", "int,i" },
  { "int64", "int", 8, "int64_t", "<i8", "long,long long,ptrdiff_t,intptr_t,q" },
  { "uint8", "uint", 1, "uint8_t", "|u1", "unsigned char,B" },
  { "uint16", "uint", 2, "uint16_t", "<u2", "unsigned short,H" },
  { "uint32", "uint", 4, "uint32_t", "<u4", "unsigned int,unsigned,I" },
  { "uint64", "uint", 8, "uint64_t", "<u8", "unsigned long,unsigned long long,size_t,uintptr_t,Q" },
  { "float16", "float", 2, "uint16_t", "<f2", "half,__half,e" },
  { "bfloat16", "float", 2, "uint16_t", "<V2", "bf16,__nv_bfloat16" },
  { "float32", "float", 4, "float", "<f4", "float,f" },
  { "float64", "float", 8, "double", "<f8", "double,d" },
  { "complex64", "complex", 8, "complex float", "<c8", "float complex,F" },
  { "complex128", "complex", 16, "complex double", "<c16", "complex,double complex,D" },
}

local known = {} -- every name -> dtype

local function refuse(text) errors.raise("LogicError", text) end

local optional = { fields = true } -- structs have them

---For the __index of what a dtype has: raises for an unknown name. For structs.lua.
---@param fields table  with its name
---@param key any
function M._unknown(fields, key)
  return names.unknown({ text = "the dtype " .. tostring(rawget(fields, "name")), optional = optional,
    tables = { fields } }, key)
end
local no_more_fields = { __index = M._unknown }

---A dtype. For structs.lua.
---@param fields table  what it has; for arrays also _load, _store, _check (see element.lua), _pointer: its FFI pointer
---@param call? function  what calling it does
---@return cudalua.dtype.DType
function M._new(fields, call)
  local name = fields.name
  if not getmetatable(fields) then setmetatable(fields, no_more_fields) end
  -- The field is there for those who print or compare tables by their contents.
  return setmetatable({ _name = name }, {
    __index = fields,
    __newindex = function(_, key)
      refuse(("dtype %s: cannot set %s: it is read-only"):format(name, errors.text(key)))
    end,
    __call = call,
    __tostring = function() return name end,
    __concat = function(a, b) return tostring(a) .. tostring(b) end,
    __metatable = TAG,
  })
end

-- np.int32(3)
local function called(dt, x)
  local number = type(x) == "number" and errors.text(x) or "n"
  refuse(("dtype %s: a dtype cannot be called, got %s; write %s for a kernel's argument, or gpuarray.scalar(%s, %q) " ..
    "for an array"):format(dt.name, errors.text(x), number, number, dt.name))
end

for _, r in ipairs(rows) do
  local row = { name = r[1], kind = r[2], itemsize = r[3], c_type = r[4] }
  local load, store, check = element.access(row)
  local ctype = ffi.typeof(row.c_type)
  local dt = M._new({ name = row.name, kind = row.kind, itemsize = row.itemsize, alignment = ffi.alignof(ctype),
    ctype = ctype, code = r[5], _load = load, _store = store, _check = check,
    _pointer = ffi.typeof(row.c_type .. " *") }, called)
  M.list[#M.list + 1] = dt
  M[r[1]] = dt
  for _, name in ipairs { r[1], r[5], r[5]:sub(2), "=" .. r[5]:sub(2), "<" .. r[5]:sub(2) } do known[name] = dt end
  if row.kind ~= "float" or row.itemsize > 2 then known[row.c_type] = dt end -- the bits of a half are also a uint16_t
  for name in r[6]:gmatch "[^,]+" do known[name] = dt end
end

---Returns true if x is a dtype.
---@param x any  any value
---@return boolean
function M.is_dtype(x) return type(x) == "table" and getmetatable(x) == TAG end

-- The structs, by the name that FFI gives them: "struct 97".
local structs = {}

---Lets a struct's FFI type be found.
---@param dt cudalua.dtype.DType
function M._add(dt) structs[tostring(dt.ctype):match "^ctype<(.*)>$"] = dt end

---The dtype of an FFI type by the name that FFI gives it: "unsigned int", const or not. For arrays.
---@param name string
---@return cudalua.dtype.DType?
function M._of_c(name)
  name = name:gsub("^const ", "")
  return known[name] or structs[name]
end

---The dtype of a scalar by one of its names. For what looks names up elsewhere, too.
---@param name string
---@return cudalua.dtype.DType?
function M._of_name(name) return known[name] end

-- "2, 3" of a shape, a list or a number; nil for anything else.
local function extents_of(shape)
  if type(shape) == "number" then return ("%.14g"):format(shape) end
  if type(shape) ~= "table" or getmetatable(shape) then return nil end
  for k = 1, #shape do
    if type(shape[k]) ~= "number" then return nil end
  end
  return table.concat(shape, ", ")
end

-- What was meant by a value that is not a dtype: zeros(2, 3), zeros({2, 3}, 7), zeros(2, cuda.float32).
local function meant(x, shape)
  if type(x) == "number" then
    local list = type(shape) == "table" and #shape > 1 and extents_of(shape)
    if list then
      return ('; the dtype is a name such as "float32"; full({%s}, %.14g) fills an array with a number'):format(list, x)
    end
    local first = type(shape) == "table" and #shape == 1 and shape[1] or shape
    return type(first) == "number" and ("; pass the shape as one list, {%s, %s}"):format(first, x) or ""
  end
  local cuda = package.loaded.cudalua
  for _, dt in ipairs(type(x) == "function" and type(cuda) == "table" and M.list or {}) do
    if rawget(cuda, dt.name) == x then
      return ("; cuda.%s() creates a kernel argument; the dtype is cuda.dtype.%s"):format(dt.name, dt.name)
    end
  end
  return ""
end

---The dtype, or nil and the reason.
---@param x any  as for of
---@param shape? any  for messages: the argument before it
---@return cudalua.dtype.DType?
---@return string? why
function M._find(x, shape)
  if type(x) == "string" then
    local dt = known[x] or require("cudalua.types.c_names")._of_name(x)
    if dt then return dt end
    if x:find "^>" then return nil, ("'%s' is big-endian; this machine and its devices are not"):format(x) end
    local list = {}
    for i, scalar in ipairs(M.list) do list[i] = scalar.name end
    return nil, ("unknown dtype '%s'; valid dtypes: %s"):format(x:sub(1, 40), table.concat(list, ", "))
  end
  if M.is_dtype(x) then return x end
  if type(x) == "cdata" and host.is_ctype(x) then
    local dt = M._of_c(tostring(x):match "^ctype<(.*)>$")
    if dt then return dt end
    return nil, tostring(x) .. " is not an element type"
  end
  return nil, "dtype must be a name, a dtype or an FFI ctype, got " .. element.describe(x) .. meant(x, shape)
end
function hooks.dtype_of(x) return M._find(x) end

---Returns the dtype with this name or C type.
---@param x any  a dtype; a name ("float32"), a C or CUDA name ("unsigned int", "half"; "float" is C's, 32 bits), one of
---  CUDA's vectors ("float4") or a struct that tools.get_or_register_dtype() made known; NumPy's code ("<f4", "f4",
---  "f"); or an FFI ctype
---@return cudalua.dtype.DType
---@raise LogicError if no dtype has this name or type
function M.of(x) return M._of("dtype.of", x) end

-- The same for `where`, which an error names.
function M._of(where, x, shape)
  local dt, why = M._find(x, shape)
  return dt or refuse(where .. ": " .. why)
end

-- Refuses a number in place of full()'s dtype: full({2, 3}, "int32", 7), full({2, 3}, 7, 7), full(2, 3, 7).
function M._value_first(where, shape, value, dtype)
  local is_list, extents = type(shape) == "table", extents_of(shape)
  if type(dtype) ~= "number" or not extents then return end
  if type(value) == "string" and M._find(value) then
    refuse(("%s: the value comes before the dtype; write full({%s}, %.14g, %q)"):format(where, extents, dtype, value))
  end
  local text = type(value) == "number" and (is_list and ("write full({%s}, %.14g, %q)"):format(extents, value,
    "float32") or ("pass the shape as one list: full({%s, %.14g}, %.14g)"):format(extents, value, dtype))
  refuse(("%s: dtype must be a name, a dtype or an FFI ctype, got %s%s"):format(where, element.describe(dtype),
    text and "; " .. text or ""))
end

-- Options may stand where a dtype is expected: zeros(3, {order = "F"}). Returns the dtype and the options.
function M._or_options(x, options)
  if type(x) == "table" and options == nil and getmetatable(x) == nil and core.next(x) ~= nil and x[1] == nil then
    return nil, x
  end
  return x, options
end

---Returns a struct with the layout of C. Its elements are FFI structs with these fields. Call the dtype to create them:
---`particle(1, 2)` by position, `particle { x = 1 }` by name; other fields are zero. In an FFI struct a float16 or
---bfloat16 is its bits and a pointer is an address; a:field() and a:tolist() of arrays return numbers. The same
---description returns the same object.
---@param fields any[]  { name, type } or { name, type, extents } for each field; type: as for dtype.of, including other
---  structs, or a pointer ("float *": an address on the device, a uint64); extents of a fixed array: a number or a list
---@param options? {name: string, align: boolean|integer}  name: the name in C; without one you have to register the
---  struct before kernels can be generated from it; align: true (default) for C's own padding, false for none (packed),
---  or a power of two as the minimum alignment of the struct (__align__(16))
---@return cudalua.dtype.DType
---@raise LogicError that names the invalid field
function M.struct(fields, options) return require("cudalua.types.structs").make("dtype.struct", fields, options) end

setmetatable(M, { __call = function(_, x) return M.of(x) end })

local default_float = M.float32

-- Functions that are called when it is set to another type, for those who keep what they found out with it.
M._on_default_float = {}

---Returns the default float type, and optionally sets it. It is float32 until you set it, for the whole Lua state.
---@param dt? any  the new default: float16, bfloat16, float32 or float64, as for dtype.of
---@return cudalua.dtype.DType
---@raise LogicError for any other type
function M.default_float(dt)
  if dt ~= nil then
    dt = M.of(dt)
    if dt.kind ~= "float" then refuse(("dtype.default_float: %s is not a float type"):format(dt.name)) end
    default_float = dt
    for _, changed in ipairs(M._on_default_float) do changed() end
  end
  return default_float
end

local ranks = { bool = 0, int = 1, uint = 1, float = 2, complex = 3 }
local complex_of = { [M.float64] = M.complex128 } -- of every other float: complex64

local function larger(a, b) return b.itemsize > a.itemsize and b or a end

---Returns the dtype of an operation on two arrays. In the order bool < integer < float < complex, the higher kind
---decides (int64 and float16 give float16), but no float loses precision to a complex type (float64 and complex64 give
---complex128). Within a kind, the larger type is used. If neither holds the other, the result is the smallest type that
---holds both (int8 and uint8 give int16, float16 and bfloat16 give float32). A signed type with uint64 gives the
---default float.
---@param a any  as for dtype.of
---@param b any  as for dtype.of
---@return cudalua.dtype.DType
---@raise LogicError if an argument is not a dtype
function M.promote(a, b)
  a, b = M.of(a), M.of(b)
  if a == b then return a end
  if a.kind == "struct" or b.kind == "struct" then
    refuse(("dtype.promote: %s and %s have no common type"):format(a.name, b.name))
  end
  if ranks[a.kind] < ranks[b.kind] then a, b = b, a end -- a is of the higher kind now
  if a.kind == "complex" and b.kind == "float" then return larger(a, complex_of[b] or M.complex64) end
  if ranks[a.kind] > ranks[b.kind] then return a end
  if a.kind == b.kind then
    if a.itemsize == b.itemsize then return M.float32 end -- float16 and bfloat16
    return larger(a, b)
  end
  if a.kind == "uint" then a, b = b, a end -- a is signed now
  if a.itemsize > b.itemsize then return a end
  if b.itemsize == 8 then return default_float end
  return M["int" .. 16 * b.itemsize]
end

---Returns the dtype of an operation on an array and a plain value. A value is weak: it has a kind, but no size. An
---integer does not change integer types, and a number does not change float and complex types. A fraction converts
---integers to the default float. With bool, an integer gives int64.
---@param a any  the dtype of the array, as for dtype.of
---@param value any  boolean, number, or int64_t, uint64_t or complex cdata
---@return cudalua.dtype.DType
---@raise LogicError if an integer type cannot hold the integer, or the value is none of these
function M.promote_value(a, value)
  local result, why = M._beside(M.of(a), value)
  return result or refuse("dtype.promote_value: " .. why)
end

-- The same; nil and why where it cannot be.
function M._beside(a, value)
  if a.kind == "struct" then return nil, ("%s is a struct, not a number"):format(a.name) end
  local x = element.scalar(value)
  if x == nil then return nil, "expected a number, got " .. element.describe(value) end
  local rank = ranks[a.kind]
  if type(x) == "boolean" then return a end
  if element.is_complex(x) then
    return rank == 3 and a or complex_of[rank == 2 and a or default_float] or M.complex64
  end
  if rank >= 2 then return a end
  if type(x) == "number" and (x ~= math.floor(x) or math.abs(x) == math.huge) then return default_float end
  if rank == 0 then a = M.int64 end
  local _, why = a._check(x)
  if why then return nil, why end
  return a
end

-- Why elements of one type are not written to an array of another one: their kind would be lost, a fraction or an
-- imaginary part. Nil where they are; integers wrap then, and floats are rounded.
function M._unstorable(from, to)
  if from.kind == "struct" or to.kind == "struct" or ranks[from.kind] <= ranks[to.kind] then return nil end
  return ("%s cannot be stored in %s; convert it with astype %q"):format(from.name, to.name, to.name)
end

local function number(what, x)
  if type(x) == "number" then return x end
  refuse(("dtype.%s: expected a number, got %s"):format(what, element.describe(x)))
end

local function bits16(what, x)
  if type(x) == "number" and x >= 0 and x <= 0xffff and x == math.floor(x) then return x end
  refuse(("dtype.%s: expected 16 bits, 0 to 65535, got %s"):format(what, element.describe(x)))
end

---Returns the bits of the float16 nearest to a number, with ties to even; 0x7e00 for NaN.
---@param x number  the number
---@return integer bits  0 to 65535
---@raise LogicError if it is not a number
function M.pack_float16(x) return float16.pack_float16(number("pack_float16", x)) end

---Returns the value of a float16.
---@param bits integer  from 0 to 65535
---@return number
---@raise LogicError if it is not a 16-bit integer
function M.unpack_float16(bits) return float16.unpack_float16(bits16("unpack_float16", bits)) end

---Returns the bits of the bfloat16 nearest to a number, with ties to even; 0x7fc0 for NaN.
---@param x number  the number
---@return integer bits  0 to 65535
---@raise LogicError if it is not a number
function M.pack_bfloat16(x) return float16.pack_bfloat16(number("pack_bfloat16", x)) end

---Returns the value of a bfloat16.
---@param bits integer  from 0 to 65535
---@return number
---@raise LogicError if it is not a 16-bit integer
function M.unpack_bfloat16(bits) return float16.unpack_bfloat16(bits16("unpack_bfloat16", bits)) end

-- In a file of their own, which is read when one of them is called.
for _, name in ipairs { "finfo", "iinfo", "can_cast", "result_type" } do
  M[name] = function(...)
    local functions = require "cudalua.types.typeinfo"
    M[name] = functions[name]
    return functions[name](...)
  end
end

names.strict(M, { text = "dtype", kind = "module" })

return M
