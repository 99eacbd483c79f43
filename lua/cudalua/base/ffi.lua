-- The only place that sees cdata. C cannot tell an FFI array from a pointer (lua_topointer gives the
-- payload of the one and a box of the other), so host buffers are brought to one form here:
-- a Lua string, or a `const void *[1]` that holds the address, and a number of bytes.

local ffi = require "ffi"
local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

local readable_t, writable_t = ffi.typeof("const void *[1]"), ffi.typeof("void *[1]")

local function is_pointer(x)
  local name = tostring(ffi.typeof(x)) -- "ctype<float *>", "ctype<int *const >", "ctype<float (*)[4]>"
  return name:find("%*[%a_ ]*>$") ~= nil or name:find("%(%*[%a_ ]*%)") ~= nil
end
M.is_pointer = is_pointer

-- A type of the FFI, which is a cdata too. Values that are not numbers are told without their tostring(), which may be
-- the user's own.
local function is_ctype(x) return tonumber(x) ~= nil and tostring(x):find "^ctype<" ~= nil end
M.is_ctype = is_ctype

local function refuse(what, text) errors.raise("LogicError", what .. ": " .. text) end

local function index(t, key) return t[key] end

local function check_nbytes(what, n, have)
  if type(n) ~= "number" or n < 0 or n ~= math.floor(n) or n > 2 ^ 53 then
    refuse(what, "nbytes must be an integer, got " .. errors.text(n))
  end
  if have and n > have then refuse(what, ("nbytes is %d, but the host buffer has only %d"):format(n, have)) end
  return n
end

-- Address of an array, struct, reference or pointer; nil for numbers and other scalars, and for const memory
-- that is to be written.
local function address(x, writable)
  local slot = (writable and writable_t or readable_t)()
  local ok = pcall(function() slot[0] = x end)
  if not ok then return nil end
  return slot
end

local by_kernels = { In = true, Out = true, InOut = true }

---Takes a host buffer apart.
---@param what string        its name in messages: "src"
---@param buf any            string, FFI array or struct, {ptr = cdata pointer, nbytes = n}, object with :buffer()
---@param nbytes? integer    how much of it; needed for a bare pointer
---@param writable? boolean  true: strings are refused
---@return string|ffi.cdata* slot  a string, or a box with the address
---@return integer nbytes
---@return any anchor        what must stay alive while the buffer is in use
function M.host_buffer(what, buf, nbytes, writable)
  local t = type(buf)
  if t == "string" then
    if writable then refuse(what, "a Lua string cannot be written to; use an FFI array") end
    return buf, check_nbytes(what, nbytes or #buf, #buf), buf
  end
  if t == "cdata" then
    local have
    if is_ctype(buf) then
      refuse(what, ("expected a host buffer, got the type %s; create a buffer with ffi.new()"):format(
        tostring(buf)))
    elseif is_pointer(buf) then
      if not nbytes then refuse(what, "a bare pointer has no size; pass nbytes") end
    else
      have = ffi.sizeof(buf)
    end
    local slot = address(buf, writable)
    if not slot then
      if address(buf) then refuse(what, "cannot write to const memory") end
      refuse(what, ("a %s has no address; use a one-element array"):format(tostring(ffi.typeof(buf))))
    end
    local n = check_nbytes(what, nbytes or have, have)
    if n > 0 and slot[0] == nil then refuse(what, "NULL pointer") end
    return slot, n, buf
  end
  if t == "table" or t == "userdata" then
    local ok, method = pcall(index, buf, "buffer")
    if ok and type(method) == "function" then
      local ptr, n, owner = buf:buffer()
      local slot, bytes = M.host_buffer(what, { ptr = ptr, nbytes = n }, nil, writable)
      return slot, check_nbytes(what, nbytes or bytes, bytes), core.kind(owner) and owner or { buf, ptr }
    end
    local has_ptr, ptr = pcall(index, buf, "ptr")
    if t == "table" and has_ptr and type(ptr) == "cdata" then
      local slot = address(ptr, writable)
      local n = check_nbytes(what, select(2, pcall(index, buf, "nbytes")))
      if not slot and address(ptr) then refuse(what, "cannot write to const memory") end
      if not slot or (n > 0 and slot[0] == nil) then refuse(what, "ptr is not an address") end
      return slot, check_nbytes(what, nbytes or n, n), { buf, ptr }
    end
  end
  local tag = t == "table" and getmetatable(buf)
  local copy = t == "userdata" and (core.kind(buf) or ""):find "^%a*Device%a+$" and what:match "^memcpy_([%w_]+)"
  refuse(what, "expected a host buffer (host array, FFI array or struct" .. (writable and "" or ", string") ..
    ", {ptr =, nbytes =}), got " .. errors.text(buf) ..
    (copy and ("; write memcpy_%s(%s); memcpy_dtod copies from device to device"):format(copy,
      copy:find "^htod" and "device, host" or "host, device") or "") ..
    (tag == "cudalua.gpuarray" and (by_kernels[what] and "; kernels take the array itself: pass a" or
    "; copy it to the host with a:get()") or
    t == "table" and type(tag) ~= "string" and (writable and "; results go to a host array: local h = " ..
    "ndarray.array(list)" or "; convert a list with ndarray.array(list)") or ""))
end

-- cdata scalar types that have a dtype of their own.
local scalars = {
  { "bool", "bool" }, { "int8_t", "int8" }, { "uint8_t", "uint8" }, { "int16_t", "int16" }, { "uint16_t", "uint16" },
  { "int32_t", "int32" }, { "uint32_t", "uint32" }, { "int64_t", "int64" }, { "uint64_t", "uint64" },
  { "float", "float32" }, { "double", "float64" }, { "char", "int8" },
}
for _, s in ipairs(scalars) do
  s.ctype, s.box = ffi.typeof(s[1]), ffi.typeof(s[1] .. "[1]")
end

local complex = {}
for _, name in ipairs { "complex float", "complex double" } do
  complex[ffi.typeof(name)] = ffi.typeof(name .. "[1]")
end

-- The row of a scalar value. A ctype is a cdata too, but no value.
local function scalar_of(x)
  if is_ctype(x) then return nil end
  for _, s in ipairs(scalars) do
    if ffi.istype(s.ctype, x) then return s end
  end
end

---What a ctype is.
---@param x any
---@return string? text   as C writes it; nil if x is not a ctype
---@return integer? size  bytes; nil if that is not fixed
---@return integer? align
function M.ctype(x)
  if type(x) ~= "cdata" or not is_ctype(x) then return nil end
  local text = tostring(x):match "^ctype<(.*)>$"
  if is_pointer(x) then return "void *", 8, 8 end
  if text:find "^enum " then text = "int" end
  local ok, size = pcall(ffi.sizeof, x)
  if not ok or not size or size == 0 then return text end
  return text, size, ffi.alignof(x)
end

---The bytes of a host buffer.
---@param what string  its name in messages
---@param buf any      as for host_buffer
---@return string
function M.as_string(what, buf)
  local slot, n = M.host_buffer(what, buf)
  return type(slot) == "string" and slot:sub(1, n) or ffi.string(slot[0], n)
end

---What the elements of an FFI array are.
---@param x ffi.cdata*
---@return string? element  as FFI writes the type: "double"; nil where x is not an array
---@return string? text     of the whole: "double[3]", "double[?]"
---@return integer? bytes
function M.element_type(x)
  if is_ctype(x) or is_pointer(x) then return nil end
  local element = tostring(ffi.typeof(x)):match "^ctype<(.-)%s*%[[%d%?%[%]]*%]>$"
  if not element then return nil end
  return element, (tostring(ffi.typeof(x)):match "^ctype<(.*)>$":gsub(" %[", "[")), ffi.sizeof(x)
end

---The bytes of a cdata value, and its dtype if it is a scalar.
---@param x ffi.cdata*
---@return string? bytes  nil for pointers
---@return string? dtype
function M.value_bytes(x)
  local s = scalar_of(x)
  if s then return ffi.string(s.box(x), ffi.sizeof(s.ctype)), s[2] end
  if is_ctype(x) or is_pointer(x) then return nil end
  for ctype, box in pairs_of(complex) do
    if ffi.istype(ctype, x) then return ffi.string(box(x), ffi.sizeof(ctype)) end
  end
  local ctype = ffi.typeof(x)
  if tostring(ctype):find "^ctype<enum " then return ffi.string(ffi.typeof("$[1]", ctype)(x), 4), "int32" end
  local slot = address(x)
  if not slot then return nil end
  return ffi.string(slot[0], ffi.sizeof(x))
end

---A cdata integer (5LL) as a Lua number if that is exact; anything else unchanged.
---@param x any
---@return any
function M.plain_number(x)
  local scalar = type(x) == "cdata" and scalar_of(x)
  if not scalar or scalar[2] == "bool" then return x end
  local n = tonumber(x)
  if n and n >= -2 ^ 53 and n <= 2 ^ 53 and n == math.floor(n) then return n end
  return x
end

---What stands for device memory, as C takes it: an object of this library, or an address as a number. Objects of the
---user's with get_pointer() stand for what that gives.
---@param x any
---@return any
function M.device(x)
  local t = type(x)
  if t == "number" or t == "nil" then return x end
  if t == "cdata" then return M.plain_number(x) end
  if (t == "table" or t == "userdata") and not core.kind(x) then
    local ok, method = pcall(index, x, "get_pointer")
    if ok and type(method) == "function" then return M.plain_number(x:get_pointer()) end
  end
  return x
end

return M
