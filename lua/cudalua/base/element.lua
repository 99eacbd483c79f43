-- One element of an array: from memory to a Lua value, from a Lua value to memory, and from one type to another.
--
-- What a Lua value of each kind is: a boolean for bool; a number for integers and floats; int64_t or uint64_t cdata for
-- 64-bit integers beyond 2^53; complex cdata for complex types. Functions that may refuse return nil and why.

local ffi = require "ffi"
local bit = require "bit"
local errors = require "cudalua.base.errors"
local float16 = require "cudalua.base.float16"
local host = require "cudalua.base.ffi"

local cast, istype = ffi.cast, ffi.istype
local floor, ceil, huge = math.floor, math.ceil, math.huge
local int64_t, uint64_t = ffi.typeof "int64_t", ffi.typeof "uint64_t"
local complex64_t, complex128_t = ffi.typeof "complex float", ffi.typeof "complex"
local EXACT = 2 ^ 53 -- up to here a Lua number is every whole number
local INT64_MAX = 0x7fffffffffffffffULL

local M = {}

---Makes a function of its own from a source. Functions that LuaJIT compiles for one type each must not share
---their bytecode: the first type's trace would be in the way of all others.
---@param source string  a chunk that returns functions
---@param ... any        its arguments
---@return function ...
function M.specialise(source, ...) return assert(loadstring(source, "=cudalua.element"))(...) end
local specialise = M.specialise

-- ---- memory and Lua values ----------------------------------------------------------------------------------

-- Each source gives load(p, offset) and store(p, offset, value); p is a byte pointer, the value was checked.
-- A NaN is told by its bits before it is read as a number: to LuaJIT, some NaNs are values of other types.
local sources = {
  number = [[
    local cast, pointer = ...
    return function(p, offset) return cast(pointer, p + offset)[0] end,
      function(p, offset, x) cast(pointer, p + offset)[0] = x end]],
  bool = [[
    local cast, pointer = ...
    return function(p, offset) return cast(pointer, p + offset)[0] ~= 0 end,
      function(p, offset, x) cast(pointer, p + offset)[0] = x and 1 or 0 end]],
  wide = [[
    local cast, pointer, low, high = ...
    return function(p, offset)
        local x = cast(pointer, p + offset)[0]
        if x >= low and x <= high then return tonumber(x) end
        return x
      end,
      function(p, offset, x) cast(pointer, p + offset)[0] = x end]],
  float32 = [[
    local cast, pointer, bits, band, nan = ...
    return function(p, offset)
        if band(cast(bits, p + offset)[0], 0x7fffffff) > 0x7f800000 then return nan end
        return cast(pointer, p + offset)[0]
      end,
      function(p, offset, x) cast(pointer, p + offset)[0] = x end]],
  float64 = [[
    local cast, pointer, bits, band, nan = ...
    return function(p, offset)
        local high = band(cast(bits, p + offset)[1], 0x7fffffff)
        if high >= 0x7ff00000 and (high > 0x7ff00000 or cast(bits, p + offset)[0] ~= 0) then return nan end
        return cast(pointer, p + offset)[0]
      end,
      function(p, offset, x) cast(pointer, p + offset)[0] = x end]],
  float16 = [[
    local cast, pointer, pack, unpack = ...
    return function(p, offset) return unpack(cast(pointer, p + offset)[0]) end,
      function(p, offset, x) cast(pointer, p + offset)[0] = pack(x) end]],
  complex = [[
    local cast, pointer, complex, half, load_half, store_half = ...
    return function(p, offset) return complex(load_half(p, offset), load_half(p, offset + half)) end,
      function(p, offset, x)
        if type(x) == "number" then
          store_half(p, offset, x)
          store_half(p, offset + half, 0)
        else
          cast(pointer, p + offset)[0] = x
        end
      end]],
}

local function accessors(row)
  local function make(source, ctype, ...) return specialise(sources[source], cast, ffi.typeof(ctype .. " *"), ...) end
  local function float(name, ctype) return make(name, ctype, ffi.typeof "int32_t *", bit.band, 0 / 0) end
  if row.kind == "bool" then return make("bool", "uint8_t") end
  if row.name == "float16" then return make("float16", "uint16_t", float16.pack_float16, float16.unpack_float16) end
  if row.name == "bfloat16" then return make("float16", "uint16_t", float16.pack_bfloat16, float16.unpack_bfloat16) end
  if row.kind == "float" then return float(row.name, row.c_type) end
  if row.name == "complex64" then return make("complex", row.c_type, complex64_t, 4, float("float32", "float")) end
  if row.name == "complex128" then return make("complex", row.c_type, complex128_t, 8, float("float64", "double")) end
  if row.name == "int64" then return make("wide", "int64_t", -2LL ^ 53, 2LL ^ 53) end
  if row.name == "uint64" then return make("wide", "uint64_t", 0ULL, 2ULL ^ 53) end
  return make("number", row.c_type)
end

-- ---- what a value of the user's becomes -----------------------------------------------------------------------

---A value as messages show it.
---@param v any
---@return string
function M.describe(v)
  if v ~= v then return "NaN" end
  if type(v) == "number" then
    return (v == floor(v) and v > -1e17 and v < 1e17) and ("%.0f"):format(v) or ("%.14g"):format(v)
  end
  if type(v) == "string" then return "a string" end
  if type(v) == "cdata" and (istype(int64_t, v) or istype(uint64_t, v)) then return (tostring(v):gsub("U?LL$", "")) end
  if type(v) == "nil" or type(v) == "boolean" then return tostring(v) end
  if type(v) == "table" then return errors.text_of_table(v) end
  if type(v) == "cdata" and host.is_ctype(v) then return "the type " .. tostring(v) end
  return "a " .. (type(v) == "userdata" and errors.text(v) or type(v))
end
local describe = M.describe

local scalars = {
  ["ctype<bool>"] = true, ["ctype<char>"] = true, ["ctype<unsigned char>"] = true, ["ctype<short>"] = true,
  ["ctype<unsigned short>"] = true, ["ctype<int>"] = true, ["ctype<unsigned int>"] = true, ["ctype<float>"] = true,
  ["ctype<double>"] = true,
}

local complex = {} -- number of a type -> is it one?

-- ffi.istype() says the same of an array of two floats.
local function is_complex_cdata(v)
  if not istype(complex128_t, v) and not istype(complex64_t, v) then return false end
  local type_of = ffi.typeof(v)
  local number = tonumber(type_of)
  local is = complex[number]
  if is == nil then
    is = not tostring(type_of):find("[", 1, true)
    complex[number] = is
  end
  return is
end

---A value as one of a Lua boolean, a number, int64_t, uint64_t or complex cdata; nil for anything else.
---@param v any
---@return boolean|number|ffi.cdata*|nil
function M.scalar(v)
  local t = type(v)
  if t == "number" or t == "boolean" then return v end
  if t ~= "cdata" then return nil end
  if istype(int64_t, v) or istype(uint64_t, v) or is_complex_cdata(v) then return v end
  if host.is_ctype(v) then return nil end
  local name = tostring(ffi.typeof(v))
  if name == "ctype<int64_t>" then return int64_t(v) end -- a `long long` is not an int64_t to ffi.istype
  if name == "ctype<uint64_t>" then return uint64_t(v) end
  if name == "ctype<bool>" then return v ~= ffi.new "bool" end
  if scalars[name] then return tonumber(v) end
end
local scalar = M.scalar

---Is it complex cdata?
---@param v any
---@return boolean
function M.is_complex(v) return type(v) == "cdata" and is_complex_cdata(v) end
local is_complex = M.is_complex

local function is_uint64(v) return istype(uint64_t, v) end

local function check_bool(v)
  if type(v) == "boolean" then return v end
  local x = scalar(v)
  if x == 0 or x == false then return false end
  if x == 1 or x == true then return true end
  return nil, "expected true or false, got " .. describe(v)
end

local function check_integer(row)
  local wide, signed = row.itemsize == 8, row.kind == "int"
  local low = signed and -2 ^ (8 * row.itemsize - 1) or 0
  local high = 2 ^ (8 * row.itemsize - (signed and 1 or 0)) - 1
  local range = signed and ("-2^%d to 2^%d - 1"):format(8 * row.itemsize - 1, 8 * row.itemsize - 1) or "0 to 2^64 - 1"
  if wide then low, high = signed and -EXACT or 0, EXACT else range = ("%.0f to %.0f"):format(low, high) end

  local function refuse(v) return nil, ("%s is out of the range of %s, %s"):format(describe(v), row.name, range) end

  local function check_cdata(x)
    if wide then
      local fits
      if signed then fits = not is_uint64(x) or x <= INT64_MAX else fits = is_uint64(x) or x >= 0 end
      if fits then return x end
    elseif is_uint64(x) and x <= 2ULL ^ 53 or not is_uint64(x) and x >= -2LL ^ 53 and x <= 2LL ^ 53 then
      local n = tonumber(x)
      if n >= low and n <= high then return n end
    end
    return refuse(x)
  end

  local narrow = low >= -2 ^ 31 and high < 2 ^ 31

  return function(v)
    if type(v) ~= "number" then
      local x = scalar(v)
      if type(x) == "boolean" then return x and 1 or 0 end
      if x == nil or is_complex(x) then return nil, "expected an integer, got " .. describe(v) end
      if type(x) == "cdata" then return check_cdata(x) end
      v = x
    end
    if narrow then -- the quickest question
      local x = bit.tobit(v)
      if x == v and x >= low and x <= high then return x end
    end
    if v >= low and v <= high and v == floor(v) then return v end
    if v ~= floor(v) or v == huge or v == -huge then return nil, describe(v) .. " is not an integer" end
    if wide and v >= (signed and -2 ^ 63 or 0) and v < (signed and 2 ^ 63 or 2 ^ 64) then
      return nil, describe(v) .. " may have been rounded: a Lua number is exact up to 2^53; pass an " .. row.name ..
        "_t, such as 9007199254740993" .. (signed and "LL" or "ULL")
    end
    return refuse(v)
  end
end

-- A 64-bit integer as a number that rounds to a narrower float as the integer itself would: below the bits that
-- a number holds, all that matters is whether there is anything.
local function sticky(x)
  local n = tonumber(x)
  local tail = bit.band(x, 0x7ffLL)
  if tail == 0 or n >= -EXACT and n <= EXACT then return n end
  return tonumber(bit.bor(x - tail, 0x800LL))
end

local function to_number(row)
  local exact = row.name == "float64" or row.name == "complex128"
  return function(x)
    if type(x) == "number" then return x end
    if type(x) == "boolean" then return x and 1 or 0 end
    if exact then return tonumber(x) end
    return sticky(x)
  end
end

local function check_float(row)
  local number = to_number(row)
  return function(v)
    if type(v) == "number" then return v end
    local x = scalar(v)
    if x == nil or is_complex(x) then return nil, "expected a number, got " .. describe(v) end
    return number(x)
  end
end

local function check_complex(row)
  local number = to_number(row)
  return function(v)
    if type(v) == "number" then return v end
    local x = scalar(v)
    if x == nil then return nil, "expected a number or complex cdata, got " .. describe(v) end
    if is_complex(x) then return x end
    return number(x)
  end
end

local checks = { int = check_integer, uint = check_integer, float = check_float, complex = check_complex }

---How elements of a type are read, written and checked.
---@param row table  { name =, kind =, itemsize =, c_type = }
---@return fun(p: ffi.cdata*, offset: integer): any load           p: a byte pointer; offset: bytes
---@return fun(p: ffi.cdata*, offset: integer, value: any) store   value: what check gave
---@return fun(value: any): any, string? check                     nil and why if the type cannot hold it
function M.access(row)
  local load, store = accessors(row)
  return load, store, row.kind == "bool" and check_bool or checks[row.kind](row)
end

-- ---- from one type to another -----------------------------------------------------------------------------------

local function nonzero(x)
  if is_complex(x) then return x.re ~= 0 or x.im ~= 0 end
  return x ~= 0
end

-- Towards zero; what lies outside cannot be held. The limits are powers of two, exact as numbers.
local function truncated(dst)
  local signed, bits, ctype = dst.kind == "int", 8 * dst.itemsize, dst.ctype
  local below = signed and -2 ^ (bits - 1) - 1 or -1
  local above = 2 ^ (signed and bits - 1 or bits)
  if bits == 64 and signed then below = -2 ^ 63 - 1025 end -- the number before -2^63
  return function(x)
    if x > below and x < above then
      local whole = x < 0 and ceil(x) or floor(x)
      if bits < 64 then return whole end
      return cast(ctype, whole)
    end
    return nil, ("%s does not fit in %s"):format(describe(x), dst.name)
  end
end

-- Two's complement, whatever the value.
local function wrapped(dst)
  local ctype = dst.ctype
  if dst.itemsize == 8 then return function(x) return cast(ctype, cast(int64_t, x)) end end
  return function(x) return tonumber(cast(ctype, cast(int64_t, x))) end
end

---The conversion of values from one type to another, as in NumPy: integers wrap, floats lose their fraction,
---complex numbers their imaginary part; anything but zero is true.
---@param src cudalua.dtype.DType
---@param dst cudalua.dtype.DType
---@return fun(x: any): any, string?  nil and why if a float has no counterpart among the integers
function M.converter(src, dst)
  local from, to = src.kind, dst.kind
  if to == "bool" then
    return from == "bool" and function(x) return x end or nonzero
  end
  if from == "bool" then return function(x) return x and 1 or 0 end end
  if to == "complex" and from == "complex" then return function(x) return x end end
  if to == "int" or to == "uint" then
    if from == "int" or from == "uint" then return wrapped(dst) end
    local truncate = truncated(dst)
    if from == "float" then return truncate end
    return function(x) return truncate(x.re) end
  end
  if from == "complex" then return function(x) return x.re end end
  return to_number(dst)
end

return M
