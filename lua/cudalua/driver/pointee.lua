-- What is behind a kernel's pointers, and which elements go there: those of arrays, and of the host buffers of In, Out
-- and InOut.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local host = require "cudalua.base.ffi"
local typename = require "cudalua.types.typename"

local M = {}

local pointees = {} -- text of a parameter -> what is behind the pointer

---What is behind a pointer.
---@class cudalua.Pointee
---@field dtype? cudalua.dtype.DType  of the elements, where that is known
---@field spelled? string             their type as the kernel spells it
---@field const boolean               they are only read
---@field any_byte? boolean           char, which is a letter or a number of either sign

---@param text string  a parameter, as messages show it: "const float *a"
---@return cudalua.Pointee
function M.of(text)
  local p = pointees[text]
  if p then return p end
  p = { const = false }
  pointees[text] = p
  local front, back = text:match "^([^%*]*)%*(.*)$"
  if not front or back:find "[%*%[%(&]" or front:find "%(" then return p end
  p.const = front:find "%f[%w_]const%f[^%w_]" ~= nil
  local complex = front:match "complex<(%a+)>%s*$"
  p.dtype = typename.dtype_of(complex == "float" and "complex64" or complex == "double" and "complex128" or front)
  p.any_byte = front:match "^%s*(.-)%s*$":gsub("^const%s+", "") == "char"
  p.spelled = front:gsub("%f[%w_]const%f[^%w_]", ""):match "^%s*(.-)%s*$"
  return p
end

local byte_kinds = { bool = true, int = true, uint = true }

local function vector_of(dt, component)
  if dt.kind ~= "struct" or not dt._builtin then return false end
  local first = dt._fields[1].dtype
  return first == component or component.kind == "complex" and #dt._fields == 2 and
    first.kind == "float" and 2 * first.itemsize == component.itemsize
end

---May elements of this dtype go there?
---@param p cudalua.Pointee
---@param dt cudalua.dtype.DType
---@return boolean
function M.fits(p, dt)
  local wanted = p.dtype
  if not wanted or wanted == dt or wanted.kind == "struct" and not wanted._builtin then return true end
  if p.any_byte and dt.itemsize == 1 then return byte_kinds[dt.kind] end
  if dt.kind == "bool" then return wanted.kind == "uint" and wanted.itemsize == 1 end
  return vector_of(wanted, dt) or vector_of(dt, wanted)
end

---What messages call the elements.
---@param p cudalua.Pointee  whose dtype is known
---@return string
function M.name(p) return p.dtype._builtin and p.spelled or p.dtype.name end

local known = setmetatable({}, { __mode = "k" }) -- function -> its parameters, and who told them

---The parameters of a kernel.
---@param fn cudalua.Function
---@return cudalua.Param[]  empty where they are not known
function M.params_of(fn)
  local source = core.function_source(fn)
  local entry = known[fn]
  if entry and entry.source == source then return entry.params end
  local params = core.function_params(fn) or {}
  -- The types that a user names may be named again.
  if source ~= "args" then known[fn] = { source = source, params = params } end
  return params
end

-- ---- host buffers ---------------------------------------------------------------------------------------------------

-- The dtype of a host buffer's elements, and how messages call the buffer; nil where the type says nothing: pointers,
-- strings, structs, and arrays of bytes, which hold anything.
local function elements_of(buf)
  if type(buf) == "cdata" then
    local element, text, bytes = host.element_type(buf)
    local dt = element and dtypes._of_c(element)
    if dt and dt.kind ~= "struct" and dt.itemsize > 1 then
      return dt, (text:gsub("%[%?%]$", function() return ("[%d]"):format(bytes / dt.itemsize) end)), "buffer"
    end
  elseif type(buf) == "table" and getmetatable(buf) == "cudalua.ndarray" then
    local dt = buf.dtype
    if dt.kind ~= "struct" and dt.name ~= "uint8" then
      return dt, ("%s(%s)"):format(dt.name, table.concat(buf.shape, ", ") .. (#buf.shape == 1 and "," or "")), "array"
    end
  end
end

local halves = { float16 = true, bfloat16 = true } -- FFI has uint16_t for their bits
local integers = { int = true, uint = true } -- the bits are the same with and without a sign

local function takes(p, dt)
  local wanted = p.dtype
  if integers[wanted.kind] and (wanted.itemsize == 1 or integers[dt.kind] and wanted.itemsize == dt.itemsize) then
    return true
  end
  return M.fits(p, dt) or halves[wanted.name] and dt.name == "uint16"
end

---Why a host buffer does not go behind a kernel's pointer.
---@param fn cudalua.Function
---@param i integer    number of the argument
---@param buf any      as for In
---@param name string  what passes it: "In"
---@return string?     nil: it does, or that is not known
function M.why_not(fn, i, buf, name)
  local param = M.params_of(fn)[i]
  if not param or param.type ~= "pointer" then return nil end
  local p = M.of(param.text)
  if not p.dtype then return nil end
  local dt, text, noun = elements_of(buf)
  if not dt or takes(p, dt) then return nil end
  local wanted = M.name(p)
  return ("the %s of %s is %s, but the kernel takes %s here; pass %s of %s"):format(noun, name, text, wanted,
    noun == "array" and "an array" or "a buffer", wanted)
end

return M
