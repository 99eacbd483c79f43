-- How elements lie in the memory and in the registers of generated CUDA C: types, loads, stores, conversions.
--
-- A value of a 16-bit float is held as the float that equals it; rounding happens where a value is made. All the
-- expressions take the name of a variable, which they may use more than once.

local dtype = require "cudalua.dtype"

local M = {}

-- Elements in memory, values in registers. A bool in memory is read as "not 0", and written as 0 or 1.
local types = {
  bool = { "unsigned char", "bool" },
  int8 = { "signed char" },
  int16 = { "short" },
  int32 = { "int" },
  int64 = { "long long" },
  uint8 = { "unsigned char" },
  uint16 = { "unsigned short" },
  uint32 = { "unsigned int" },
  uint64 = { "unsigned long long" },
  float16 = { "unsigned short", "float" },
  bfloat16 = { "unsigned short", "float" },
  float32 = { "float" },
  float64 = { "double" },
  complex64 = { "float2" },
  complex128 = { "double2" },
}

-- The pieces of prelude.lua that loads, stores, rounding and conversions of a type need.
local pieces = { float16 = { "half" }, bfloat16 = { "bfloat16" } }
local none = {}

-- What a float is converted to before it becomes an integer of a type: an intrinsic that truncates and keeps to the
-- type's range, and for the short ones the range.
local truncation = {
  int8 = { "int", "-128", "127" }, int16 = { "int", "-32768", "32767" }, int32 = { "int" }, int64 = { "ll" },
  uint8 = { "uint", nil, "255u" }, uint16 = { "uint", nil, "65535u" }, uint32 = { "uint" }, uint64 = { "ull" },
}

local function is_short_float(dt) return dt.itemsize == 2 and dt.kind == "float" end

---The C type of an element in memory.
---@param dt cudalua.dtype.DType
---@return string
function M.memory(dt) return types[dt.name][1] end

---The C type of a value.
---@param dt cudalua.dtype.DType
---@return string
function M.register(dt)
  local row = types[dt.name]
  return row[2] or row[1]
end

---The names of the pieces of prelude.lua that the expressions of this module need for a type.
---@param dt cudalua.dtype.DType
---@return string[]  not to be changed
function M.pieces(dt) return pieces[dt.name] or none end

---From memory to a register.
---@param dt cudalua.dtype.DType
---@param element string  "a0[i]"
---@return string
function M.load(dt, element)
  if is_short_float(dt) then return ("cl_%s_load(%s)"):format(dt.name, element) end
  if dt.kind == "bool" then return element .. " != 0" end
  return element
end

---From a register to memory: exact.
---@param dt cudalua.dtype.DType
---@param value string  "v1"
---@return string
function M.store(dt, value)
  if is_short_float(dt) then return ("cl_%s_store(%s)"):format(dt.name, value) end
  return value
end

---An expression of C's as a value of a type: wrapped, or rounded.
---@param dt cudalua.dtype.DType
---@param expression string
---@return string
function M.round(dt, expression)
  if is_short_float(dt) then return ("cl_%s_round(%s)"):format(dt.name, expression) end
  if dt.kind == "int" or dt.kind == "uint" then return ("(%s)(%s)"):format(M.register(dt), expression) end
  return expression
end

local function to_integer(from, to, value)
  local name, low, high = unpack(truncation[to.name], 1, 3)
  local wide = from.itemsize == 8
  local result = ("__%s2%s_rz(%s)"):format(wide and "double" or "float", name, value)
  -- These intrinsics make 0 of a NaN if both types have 32 bits, and the lowest number elsewhere.
  if wide or to.itemsize == 8 then result = ("(%s != %s ? 0 : %s)"):format(value, value, result) end
  if high then result = ("min(%s, %s)"):format(result, high) end
  if low then result = ("max(%s, %s)"):format(result, low) end
  return high and M.round(to, result) or result
end

local function to_short_float(from, to, value)
  if is_short_float(from) and from ~= to or from.itemsize > 2 then
    return ("cl_%s_round(%s)"):format(to.name, value)
  end
  -- 8 bits of an integer are exact in either type, 16 in neither.
  if from.itemsize == 1 then return ("(float)%s"):format(value) end
  return ("cl_%s_round(%s)"):format(to.name, value)
end

---A value of one type as a value of another, rounded once. As NumPy's astype: integers wrap, floats lose their
---fraction, complex numbers their imaginary part; anything but 0 is true, also NaN. A float that lies outside an
---integer type becomes the nearest number of that type, as in a GPU's own conversions, and NaN becomes 0 (NumPy leaves
---both to the processor).
---@param from cudalua.dtype.DType
---@param to cudalua.dtype.DType
---@param value string  "v1"
---@return string
function M.convert(from, to, value)
  if from == to then return value end
  if to.kind == "bool" then
    if from.kind == "complex" then return ("(%s.x != 0 || %s.y != 0)"):format(value, value) end
    return ("(%s != 0)"):format(value)
  end
  if from.kind == "complex" then
    if to.kind == "complex" then return ("make_%s(%s.x, %s.y)"):format(M.register(to), value, value) end
    from, value = from.itemsize == 8 and dtype.float32 or dtype.float64, value .. ".x"
    if from == to then return value end
  end
  if to.kind == "complex" then return ("make_%s(%s, 0)"):format(M.register(to), value) end
  if is_short_float(to) then return to_short_float(from, to, value) end
  if to.kind == "float" then return ("(%s)%s"):format(M.register(to), value) end
  if from.kind == "float" then return to_integer(from, to, value) end
  return ("(%s)%s"):format(M.register(to), value)
end

return M
