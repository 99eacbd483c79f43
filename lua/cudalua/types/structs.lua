-- Structs as element types: fields laid out as C does it on the device. An element is an FFI struct; what goes into one
-- is checked field by field.
--
-- Elements that are read from an array are copies, and const: `a[1].x = 2` would change nothing but the copy, so it is
-- an error. NaNs in them are replaced by the usual one: LuaJIT takes some for values of other types.

local ffi = require "ffi"
local bit = require "bit"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local pairs_of = require "cudalua.base.pairs_of"
local typename = require "cudalua.types.typename"

local cast, istype = ffi.cast, ffi.istype
local bytes_t, int32_p = ffi.typeof "uint8_t *", ffi.typeof "int32_t *"
local refuse = layout.refuse

local M = {}

-- A type made of others, which stand for the $ in the text. The comment tells texts apart that differ in these alone:
-- busted, for one, keeps what ffi.typeof() returned by the text.
local function typeof(where, text, ...)
  local ids = {}
  for i = 1, select("#", ...) do ids[i] = tonumber((select(i, ...))) end
  local ok, ctype = pcall(ffi.typeof, ("%s /* %s */"):format(text, table.concat(ids, " ")), ...)
  if not ok then refuse(where, "LuaJIT's FFI rejects the type: %s", tostring(ctype)) end
  return ctype
end

local MAX_FIELDS, MAX_BYTES = 1024, 2 ^ 28

---A field of a struct.
---@class cudalua.dtype.Field
---@field name string  the name of the field
---@field dtype cudalua.dtype.DType  the dtype of one element; uint64 for a pointer
---@field offset integer  bytes from the start of the struct
---@field shape integer[]  the extents of a fixed array; {} for a single element
---@field pointer string?  for a pointer: its type in C

-- ---- layout --------------------------------------------------------------------------------------------------------

-- On the device, complex numbers are aligned like vectors of two.
local function alignment_of(dt) return dt.kind == "complex" and dt.itemsize or dt.alignment end

local function pointer_type(type)
  if #type > typename.MAX_TEXT then return nil end
  local text = type:match "^%s*(.-)%s*$"
  if not text:find "%*$" or not text:find "^[%a_][%w_%s%*:]*$" then return nil end
  return (text:gsub("%s+", " "):gsub(" ?(%*+) ?", " %1"))
end

-- A field as it was described: name, dtype, extents, how many elements, and the pointer's type.
local function read_field(where, i, entry)
  if type(entry) ~= "table" or getmetatable(entry) then
    refuse(where, "field %d: expected {name, type} or {name, type, extents}, got %s", i, errors.text(entry))
  end
  for key in pairs_of(entry) do
    if key ~= 1 and key ~= 2 and key ~= 3 then
      refuse(where, "field %d: expected {name, type} or {name, type, extents}, but it has the field " ..
        "%s", i, errors.text(key))
    end
  end
  local name, type_, extents = entry[1], entry[2], entry[3]
  local why = typename.not_an_identifier(name)
  if why then refuse(where, "field %d: %s cannot be its name: %s", i, errors.text(name), why) end
  where = ("%s: field %d (%s)"):format(where, i, name)
  local pointer = type(type_) == "string" and pointer_type(type_) or nil
  local dt = dtypes.uint64
  if not pointer then
    dt, why = dtypes._find(type_)
    if not dt then refuse(where, "%s", why) end
  end
  local count = 1
  if extents ~= nil then
    extents = layout.numbers(where, "extents", extents, 1)
    if #extents == 0 then refuse(where, "extents: expected a number, or a list of numbers") end
    for _, n in ipairs(extents) do count = count * n end
  end
  if count * dt.itemsize > MAX_BYTES then refuse(where, "it has more than 2^28 bytes") end
  return { name = name, dtype = dt, extents = extents, count = count, pointer = pointer }
end

local function read_fields(where, fields)
  if type(fields) ~= "table" or getmetatable(fields) then
    refuse(where, "expected a list of fields, got %s", errors.text(fields))
  end
  local n, list, seen = 0, {}, {}
  for key in pairs_of(fields) do
    if type(key) ~= "number" then refuse(where, "expected a list of fields, but it has the field " ..
      "%s", errors.text(key)) end
    n = n + 1
  end
  if n == 0 then refuse(where, "a struct needs at least one field") end
  if n > MAX_FIELDS then refuse(where, "%d fields; a struct has at most %d", n, MAX_FIELDS) end
  for i = 1, n do
    list[i] = read_field(where, i, fields[i])
    if seen[list[i].name] then refuse(where, "two fields have the name '%s'", list[i].name) end
    seen[list[i].name] = true
  end
  return list
end

-- Sets the offsets; returns bytes and alignment of the whole.
local function lay_out(where, fields, align)
  local offset, alignment = 0, align or 1
  for _, f in ipairs(fields) do
    if align then
      local own = alignment_of(f.dtype)
      offset = math.ceil(offset / own) * own
      alignment = math.max(alignment, own)
    end
    f.offset = offset
    offset = offset + f.count * f.dtype.itemsize
  end
  local size = math.ceil(offset / alignment) * alignment
  if size > MAX_BYTES then refuse(where, "the struct has more than 2^28 bytes") end
  return size, alignment
end

local layouts, layout_count = {}, 0

-- The same number for the same fields at the same places, whatever the structs are called.
local function layout_number(fields, size, alignment)
  local parts = { ("%d/%d"):format(size, alignment) }
  for i, f in ipairs(fields) do
    parts[i + 1] = ("%s:%s[%s]@%d"):format(f.name, f.dtype._layout or f.dtype.name, table.concat(f.extents or {}, ","),
      f.offset)
  end
  local text = table.concat(parts, " ")
  if not layouts[text] then
    layout_count = layout_count + 1
    layouts[text] = layout_count
  end
  return layouts[text]
end

-- What a struct without a name is called.
local function description(fields)
  local parts = {}
  for i, f in ipairs(fields) do
    local dims = f.extents and "[" .. table.concat(f.extents, "][") .. "]" or ""
    parts[i] = ("%s %s%s"):format(f.pointer or f.dtype.name, f.name, dims):gsub("%* ", "*")
    if #parts > 1 and #table.concat(parts, ", ") > 60 then
      parts[i] = "..."
      break
    end
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- The first field carries the alignment of the whole: metatypes do not go with an attribute of the struct itself. The
-- number keeps structs apart that have the same fields, such as long3 and longlong3.
local function ffi_type(where, fields, packed, alignment, number)
  local parts, types = { packed and "struct __attribute__((packed)) {" or "struct {" }, {}
  for i, f in ipairs(fields) do
    local dims = f.extents and "[" .. table.concat(f.extents, "][") .. "]" or ""
    local own = i == 1 and alignment or alignment_of(f.dtype)
    parts[#parts + 1] = ("$ %s%s%s;"):format(f.name, dims,
      packed and "" or (" __attribute__((aligned(%d)))"):format(own))
    types[i] = f.dtype.ctype
  end
  parts[#parts + 1] = ("} /* %d */"):format(number)
  return typeof(where, table.concat(parts, " "), unpack(types))
end

-- ---- from memory ---------------------------------------------------------------------------------------------------

local clean_float = [[
  w = cast(int32_p, p + %s)
  if band(w[0], 0x7fffffff) > 0x7f800000 then w[0] = 0x7fc00000 end]]
local clean_double = [[
  w = cast(int32_p, p + %s)
  high = band(w[1], 0x7fffffff)
  if high >= 0x7ff00000 and (high > 0x7ff00000 or w[0] ~= 0) then w[0], w[1] = 0, 0x7ff80000 end]]

-- A function that replaces the NaNs in a struct, which a byte pointer leads to; nil if it has no floats.
local function cleaner(fields)
  local lines, nested = {}, {}
  for i, f in ipairs(fields) do
    local dt = f.dtype
    local step, count, code = dt.itemsize, f.count, nil
    if dt.kind == "complex" then step, count = step / 2, count * 2 end
    if dt.kind == "struct" then
      nested[i] = dt._clean
      code = dt._clean and ("  nested[%d](p + %%s)"):format(i)
    elseif (dt.kind == "float" or dt.kind == "complex") and step > 2 then
      code = step == 4 and clean_float or clean_double
    end
    if code and count == 1 then
      lines[#lines + 1] = code:format(f.offset)
    elseif code then
      lines[#lines + 1] = ("  for at = %d, %d, %d do\n%s\n  end"):format(f.offset, f.offset + (count - 1) * step, step,
        code:format "at")
    end
  end
  if #lines == 0 then return nil end
  return assert(loadstring("local cast, band, int32_p, nested = ...\nreturn function(p)\n  local w, high\n" ..
    table.concat(lines, "\n") .. "\nend", "=cudalua.structs"))(cast, bit.band, int32_p, nested)
end

local load_source = [[
  local new, cast, copy, bytes_t, size, clean = ...
  return function(p, offset)
    local v = new()
    local q = cast(bytes_t, v)
    copy(q, p + offset, size)
    if clean then clean(q) end
    return v
  end]]
local store_source = [[
  local cast, copy, bytes_t, size = ...
  return function(p, offset, x) copy(p + offset, cast(bytes_t, x), size) end]]

-- The elements of a field as Lua values: nested lists for a fixed array.
local function plain_field(f, p, offset)
  local load, size = f.dtype._plain or f.dtype._load, f.dtype.itemsize
  if not f.extents then return load(p, offset) end
  local function part(axis, from, bytes)
    if axis > #f.extents then return load(p, from) end
    local out = {}
    bytes = bytes / f.extents[axis]
    for i = 1, f.extents[axis] do out[i] = part(axis + 1, from + (i - 1) * bytes, bytes) end
    return out
  end
  return part(1, offset, f.count * size)
end

-- ---- into memory ---------------------------------------------------------------------------------------------------

local function list_length(t)
  local n = 0
  for key in pairs_of(t) do
    if type(key) ~= "number" then return nil end
    n = n + 1
  end
  for i = 1, n do
    if rawget(t, i) == nil then return nil end
  end
  return n
end

-- The address that a value stands for, or nil and why it stands for none.
local function address_of(value)
  if value == nil then return 0 end
  local ok, x = pcall(host.device, value)
  if not ok then return nil, errors.is_error(x) and x.message or "it returned no address" end
  if core.kind(x) then
    local has, address = pcall(function() return x:ptr() end)
    if not has then return nil, errors.is_error(address) and address.message or "it has no address" end
    return address
  end
  return x
end

local function write_one(f, p, offset, value)
  if f.pointer then
    local why
    value, why = address_of(value)
    if why then return why end
  end
  local x, why = f.dtype._check(value)
  if why then return why end
  f.dtype._store(p, offset, x)
end

local function write_array(f, p, value)
  if type(value) == "cdata" and istype(f.array, value) then
    ffi.copy(p + f.offset, cast(bytes_t, value), f.count * f.dtype.itemsize)
    return
  end
  if getmetatable(value) == "cudalua.ndarray" then value = value:tolist() end
  local function part(axis, offset, bytes, list)
    if axis > #f.extents then return write_one(f, p, offset, list) end
    local n = type(list) == "table" and type(getmetatable(list)) ~= "string" and list_length(list)
    if n ~= f.extents[axis] then
      return ("expected a list of %d, got %s"):format(f.extents[axis], n and ("%d elements"):format(n) or
        errors.text(list))
    end
    bytes = bytes / n
    for i = 1, n do
      local why = part(axis + 1, offset + (i - 1) * bytes, bytes, rawget(list, i))
      if why then return ("[%d]%s%s"):format(i, why:find "^%[" and "" or ": ", why) end
    end
  end
  return part(1, f.offset, f.count * f.dtype.itemsize, value)
end

local function write_field(f, p, value)
  local why
  if f.extents then why = write_array(f, p, value) else why = write_one(f, p, f.offset, value) end
  if why then return f.name .. (why:find "^%[" and "" or ": ") .. why end
end

local function names_of(fields)
  local names = {}
  for i, f in ipairs(fields) do names[i] = f.name end
  return #names > 12 and table.concat(names, ", ", 1, 12) .. ", ..." or table.concat(names, ", ")
end

-- Sets a struct, which a byte pointer leads to, to the values in a table: by name, or all by position.
local function write_table(dt, p, t)
  local n = list_length(t)
  if n == 0 then return end
  if n then
    if n ~= #dt._fields then return ("%d values for the %d fields %s"):format(n, #dt._fields, names_of(dt._fields)) end
    for i, f in ipairs(dt._fields) do
      local why = write_field(f, p, rawget(t, i))
      if why then return why end
    end
    return
  end
  for key, value in pairs_of(t) do
    local f = dt._by_name[key]
    if not f then return ("unknown field %s; valid fields: %s"):format(errors.text(key), names_of(dt._fields)) end
    local why = write_field(f, p, value)
    if why then return why end
  end
end

-- The dtype of a struct, or a reference to one, by its FFI type.
local function struct_of(x)
  if host.is_ctype(x) then return nil end
  local name = tostring(ffi.typeof(x)):match "^ctype<(.-)%s*&?>$"
  return name and dtypes._of_c(name)
end

-- ---- values --------------------------------------------------------------------------------------------------------

local function same_element(dt, x, y)
  if dt.kind == "complex" then return x.re == y.re and x.im == y.im end
  return x == y
end

-- Have two structs equal fields? NaN equals nothing; padding does not matter.
local function equal(fields, p, q)
  for _, f in ipairs(fields) do
    local size, nested, load = f.dtype.itemsize, f.dtype._fields, f.dtype._load
    for at = f.offset, f.offset + (f.count - 1) * size, size do
      if nested then
        if not equal(nested, p + at, q + at) then return false end
      elseif not same_element(f.dtype, load(p, at), load(q, at)) then
        return false
      end
    end
  end
  return true
end

local function add_metatype(dt)
  ffi.metatype(dt.ctype, {
    __eq = function(a, b)
      if type(a) ~= "cdata" or type(b) ~= "cdata" or not istype(dt.ctype, a) or not istype(dt.ctype, b) then
        return false
      end
      return (dt._same(cast(bytes_t, a), cast(bytes_t, b)))
    end,
    __tostring = function(v)
      local p = cast(bytes_t, v)
      return (require("cudalua.types.text").render({}, dt, function() return dt._plain(p, 0) end))
    end,
    __concat = function(a, b) return tostring(a) .. tostring(b) end,
  })
end

-- particle(1, 2), particle { x = 1 }, particle(other), particle()
local function construct(dt, ...)
  local n, v = select("#", ...), dt.ctype()
  local value, why = ..., nil
  if n == 0 then return v end
  if n == 1 and type(value) == "cdata" and istype(dt.ctype, value) then return dt.ctype(value) end
  if n == 1 and type(value) == "table" and type(getmetatable(value)) ~= "string" then
    why = write_table(dt, cast(bytes_t, v), value)
  elseif n ~= #dt._fields then
    why = ("%d values for the %d fields %s"):format(n, #dt._fields, names_of(dt._fields))
  else
    for i, f in ipairs(dt._fields) do
      why = why or write_field(f, cast(bytes_t, v), (select(i, ...)))
    end
  end
  if why then refuse(dt.name, "%s", why) end
  return v
end

local function checker(dt)
  return function(value)
    if type(value) == "cdata" then
      if istype(dt.ctype, value) and not host.is_ctype(value) then return value end
      local own = struct_of(value)
      if own and own._layout == dt._layout then return value end
    elseif type(value) == "table" and type(getmetatable(value)) ~= "string" then
      local v = dt.ctype()
      local why = write_table(dt, cast(bytes_t, v), value)
      if why then return nil, why end
      return v
    end
    return nil, ("expected a %s or a table of its fields, got %s"):format(dt.name, errors.text(value))
  end
end

-- ---- making one ----------------------------------------------------------------------------------------------------

local made, serial = {}, 0 -- what describes a struct -> its dtype

-- Reads a fresh list of the fields.
local function public_fields(fields)
  local list = {}
  for i, f in ipairs(fields) do
    list[i] = { name = f.name, dtype = f.dtype, offset = f.offset, shape = { unpack(f.extents or {}) },
      pointer = f.pointer }
  end
  return list
end

---What a struct is like, besides its fields.
---@class cudalua.dtype.StructForm
---@field name? string
---@field size integer       bytes
---@field alignment integer  bytes
---@field packed boolean     no gaps between fields
---@field builtin? boolean   CUDA C has it under this name

local function create(where, fields, form)
  local name, size, alignment, packed, builtin = form.name, form.size, form.alignment, form.packed, form.builtin
  serial = serial + 1
  local ctype = ffi_type(where, fields, packed, alignment, serial)
  local by_name = {}
  for _, f in ipairs(fields) do
    by_name[f.name] = f
    if f.extents then
      f.array = typeof(where, "$[" .. table.concat(f.extents, "][") .. "]", f.dtype.ctype)
    end
    if ffi.offsetof(ctype, f.name) ~= f.offset then error("a field is not where it should be: " .. f.name) end
  end
  if ffi.sizeof(ctype) ~= size then error(("a struct has %d bytes, expected %d"):format(ffi.sizeof(ctype), size)) end
  local clean, const, pointer = cleaner(fields), typeof(where, "const $", ctype), typeof(where, "$ *", ctype)
  local natural = 1
  for _, f in ipairs(fields) do natural = math.max(natural, alignment_of(f.dtype)) end
  local attributes = {
    name = name or description(fields), kind = "struct", itemsize = size, alignment = alignment, ctype = ctype,
    code = "|V" .. size, _pointer = pointer, _fields = fields, _by_name = by_name, _clean = clean,
    _layout = layout_number(fields, size, alignment), _c = name, _builtin = builtin, _serial = serial,
    _align = not packed and alignment,
    _attribute = packed and "__attribute__((packed))" or alignment > natural and
      ("__align__(%d)"):format(alignment) or nil,
    _load = loadstring(load_source, "=cudalua.structs")(const, cast, ffi.copy, bytes_t, size, clean),
    _store = loadstring(store_source, "=cudalua.structs")(cast, ffi.copy, bytes_t, size),
    _plain = function(p, offset)
      local out = {}
      for _, f in ipairs(fields) do out[f.name] = plain_field(f, p, offset + f.offset) end
      return out
    end,
    _same = function(p, q) return equal(fields, p, q) end,
  }
  setmetatable(attributes, { __index = function(_, key)
    if key == "fields" then return public_fields(fields) end
    return dtypes._unknown(attributes, key)
  end })
  local dt = dtypes._new(attributes, construct)
  attributes._check = checker(dt)
  add_metatype(dt)
  dtypes._add(dt)
  errors.name_ctype(ctype, attributes.name)
  return dt
end

-- The dtype of checked fields: the one that was made before, where there is one.
local function intern(where, fields, name, align, builtin)
  local size, alignment = lay_out(where, fields, align)
  local parts = { builtin and "builtin" or "", name or "", align and alignment or "packed" }
  for _, f in ipairs(fields) do
    parts[#parts + 1] = ("%s:%s[%s]%s"):format(f.name, f.dtype._serial or f.dtype.name,
      table.concat(f.extents or {}, ","), f.pointer or "")
  end
  local key = table.concat(parts, " ")
  made[key] = made[key] or create(where, fields, { name = name, size = size, alignment = alignment,
    packed = not align, builtin = builtin })
  return made[key]
end

local known_options = { name = true, align = true }

---Makes a struct, or finds the one with that description.
---@param where string  for messages
---@param fields any    as for dtype.struct
---@param options any
---@return cudalua.dtype.DType
function M.make(where, fields, options)
  options = errors.options(where, options, known_options)
  if options.name ~= nil then require("cudalua.types.c_names")._check_name(where, options.name) end
  local align = options.align
  if align == nil or align == true then align = 1 end
  if align and not (type(align) == "number" and align >= 1 and align <= 1024 and math.frexp(align) == 0.5) then
    refuse(where, "align must be true, false, or a power of two up to 1024, got %s", errors.text(options.align))
  end
  return intern(where, read_fields(where, fields), options.name, align)
end

---One of CUDA's own structs.
---@param name string
---@param fields any[]
---@param align integer
---@return cudalua.dtype.DType
function M.builtin(name, fields, align) return intern(name, read_fields(name, fields), name, align, true) end

---The same struct under another name.
---@param where string
---@param dt cudalua.dtype.DType
---@param name string
---@return cudalua.dtype.DType
function M.renamed(where, dt, name)
  if dt._c == name then return dt end
  local fields = {}
  for i, f in ipairs(dt._fields) do
    fields[i] = { name = f.name, dtype = f.dtype, extents = f.extents, count = f.count, pointer = f.pointer }
  end
  return intern(where, fields, name, dt._align)
end

return M
