-- Host arrays as files, NumPy's .npy and .npz, or as strings of the same bytes. Elements go straight between the file
-- and the array's memory. What a file says of itself is checked before anything is done with it.

local ffi = require "ffi"
local arrays = require "cudalua.ndarray.array"
local core = require "cudalua.core"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local npy = require "cudalua.ndarray.npy"
local pairs_of = require "cudalua.base.pairs_of"

local refuse = layout.refuse
local MAX_STRING = 2 ^ 31 - 2 ^ 20 -- bytes

ffi.cdef [[
  size_t cudalua_host_fread(void *p, size_t size, size_t n, void *file) __asm__("fread");
  size_t cudalua_host_fwrite(const void *p, size_t size, size_t n, void *file) __asm__("fwrite");
]]

local M = {}

-- ---- sources: size, and read(offset, p, n), which copies n bytes or raises ------------------------------------

local function from_string(what, bytes)
  if type(bytes) ~= "string" then refuse(what, "expected a string, got " .. errors.text(bytes)) end
  local p = ffi.cast("const uint8_t *", bytes)
  return { size = #bytes, name = "the string", read = function(offset, to, n)
    if offset + n > #bytes then refuse(what, "the string is truncated") end
    ffi.copy(to, p + offset, n)
  end }
end

local function check_path(what, path)
  if type(path) ~= "string" then refuse(what, "expected a path, got " .. errors.text(path)) end
  if path:find("%z") then refuse(what, "the path contains a zero byte") end
end

local function cannot(what, why) errors.raise("RuntimeError", what .. ": " .. why) end

local function from_file(what, path)
  check_path(what, path)
  local kind = core.stat(path)
  if kind and kind ~= "file" then refuse(what, path .. " is not a regular file") end
  local file, why = io.open(path, "rb")
  if not file then cannot(what, why) end
  local size = file:seek "end" or 0
  local source = { size = size, name = path, close = function() file:close() end }
  function source.read(offset, to, n)
    if offset + n > size or not file:seek("set", offset) or ffi.C.cudalua_host_fread(to, 1, n, file) < n then
      refuse(what, path .. " is truncated")
    end
  end
  return source
end

-- ---- .npy -------------------------------------------------------------------------------------------------------

-- The first bytes of a source, as npy.read_header asks for them.
local function beginning_of(what, source, read)
  return function(n)
    if n > source.size then refuse(what, source.name .. " is truncated or is not a .npy file") end
    local data = ffi.new("uint8_t[?]", n)
    read(data, n)
    return data
  end
end

local function check_size(what, source, header)
  if header.offset + header.nbytes > source.size then
    refuse(what, ("%s is truncated: %s elements of shape %s need %.0f bytes, but only %.0f are " ..
      "left"):format(source.name,
      header.dtype.name, layout.text(header.shape), header.nbytes, source.size - header.offset))
  end
end

local function read_npy(what, source, backing)
  local beginning = beginning_of(what, source, function(data, n) source.read(0, data, n) end)
  local header = npy.read_header(what, source.name, beginning)
  check_size(what, source, header)
  local a = arrays.allocated(what, header.shape, header.dtype, header.order, backing)
  source.read(header.offset, a._p, header.nbytes)
  npy.settle(header, a._p, header.nbytes)
  return a
end

local function check_member(what, member, crc)
  if crc ~= member.crc then refuse(what, "the member is damaged: its checksum does not match") end
end

local function read_stored(what, source, member, backing)
  local crc32 = require "cudalua.ndarray.crc32"
  local crc, raw = 0, source.read
  -- The elements come as they are in the file to be summed, and are settled then.
  local header = npy.read_header(what, source.name, beginning_of(what, source, function(data, n) raw(0, data, n) end))
  check_size(what, source, header)
  local a = arrays.allocated(what, header.shape, header.dtype, header.order, backing)
  local data = ffi.new("uint8_t[?]", 2 ^ 16)
  local function sum(from, to)
    for offset = from, to - 1, 2 ^ 16 do
      local n = math.min(to - offset, 2 ^ 16)
      raw(offset, data, n)
      crc = crc32(data, n, crc)
    end
  end
  sum(0, header.offset)
  raw(header.offset, a._p, header.nbytes)
  crc = crc32(a._p, header.nbytes, crc)
  sum(header.offset + header.nbytes, source.size)
  check_member(what, member, crc)
  npy.settle(header, a._p, header.nbytes)
  return a
end

local function read_deflated(what, source, member, backing)
  local crc32, inflate = require "cudalua.ndarray.crc32", require "cudalua.ndarray.inflate"
  local packed, packed_memory = arrays.allocate(what, source.size)
  source.read(0, packed, source.size)
  local whole = { size = member.size, name = source.name }
  local function unpack_into(p, n, beginning)
    if inflate(what, packed, source.size, p, n, beginning) < n then refuse(what, "the member is too short") end
    return packed_memory -- which has to be there until now
  end
  local beginning = beginning_of(what, whole, function(data, n) unpack_into(data, n, true) end)
  local header = npy.read_header(what, source.name, beginning)
  check_size(what, whole, header)
  -- All of it is unpacked into one piece of memory, so that the elements are aligned in there.
  local gap = -header.offset % 64
  local p, memory = arrays.allocate(what, gap + member.size)
  p = p + gap
  unpack_into(p, member.size)
  check_member(what, member, crc32(p, member.size))
  p = p + header.offset
  npy.settle(header, p, header.nbytes)
  local itemsize = header.dtype.itemsize
  local a = arrays.new(header.dtype, p, header.shape, layout.dense_strides(header.shape, itemsize, header.order),
    header.nbytes / itemsize, memory)
  if not backing then return a end
  local b = arrays.allocated(what, a.shape, header.dtype, header.order, backing)
  ffi.copy(b._p, a._p, header.nbytes)
  return b
end

-- ---- .npz -------------------------------------------------------------------------------------------------------

---The arrays of an .npz file, each read when you access it. `z.name` is z:get "name"; it is nil if the file does not
---contain the array, and a method if it is the name of a method.
---@class cudalua.ndarray.Npz
local Npz = {}

local NPZ = "cudalua.ndarray.Npz"
local mt = { __metatable = NPZ, __name = NPZ }

local states = setmetatable({}, { __mode = "k" }) -- of each: its source and members

local function check_npz(what, self)
  local state = states[self]
  if not state then
    refuse(what, "expected a .npz file (call the method with a colon), got " .. element.describe(self))
  end
  if state.closed then refuse(what, "the file was closed") end
  return state
end

local function open_npz(what, source)
  local list = require("cudalua.ndarray.zip").members(what, source)
  local self = setmetatable({}, mt)
  local state = { source = source, names = {}, members = {} }
  for _, member in ipairs(list) do
    local name = member.name:gsub("%.npy$", "")
    if not state.members[name] then state.names[#state.names + 1] = name end
    state.members[name] = member
  end
  states[self] = state
  return self
end

---Returns the names of the arrays, in the order of the file.
---@return string[]
---@raise LogicError if the file was closed
function Npz:names()
  local names = {}
  for i, name in ipairs(check_npz("Npz:names", self).names) do names[i] = name end
  return names
end

---Reads an array.
---@param name string  the name of the array
---@param options? {pinned: boolean, managed: boolean}  as for ndarray.empty
---@return cudalua.ndarray.Array  a new array each time
---@raise LogicError if the file does not contain the array, is damaged or was closed; MemoryError
function Npz:get(name, options)
  local what = "Npz:get"
  local state = check_npz(what, self)
  local _, backing = arrays.placement(what, options, { pinned = true, managed = true })
  local member = state.members[name]
  if not member then
    refuse(what, ("unknown array %s; the arrays of %s: %s"):format(errors.text(name), state.source.name,
      #state.names == 0 and "none" or table.concat(state.names, ", "):sub(1, 200)))
  end
  what = what .. "(" .. errors.text(name) .. ")"
  local source = require("cudalua.ndarray.zip").open(what, state.source, member)
  source.name = "the member"
  local read = member.method == 8 and read_deflated or read_stored
  return read(what, source, member, backing)
end

---Closes the file. Arrays that were read stay valid.
function Npz:close()
  local state = states[self]
  if not state then check_npz("Npz:close", self) end
  if not state.closed and state.source.close then state.source.close() end
  state.closed, state.source = true, nil
end

function mt.__index(self, key)
  if Npz[key] then return Npz[key] end
  if states[self].members[key] then return self:get(key) end
end

function mt.__newindex(_, key) refuse("Npz", ("cannot set %s: use ndarray.savez"):format(errors.text(key))) end

function mt.__tostring(self)
  local state = states[self]
  return NPZ .. (state.closed and " (closed)" or ": " .. table.concat(state.names, ", "))
end

function mt.__concat(a, b) return tostring(a) .. tostring(b) end

M.Npz = require("cudalua.base.surplus").install("Npz:", Npz)

-- ---- loading ------------------------------------------------------------------------------------------------------

local function load(what, source, options)
  local _, backing = arrays.placement(what, options, { pinned = true, managed = true })
  local start = ffi.new "uint8_t[4]"
  if source.size >= 4 then source.read(0, start, 4) end
  local magic = ffi.string(start, 4)
  if magic == "PK\3\4" or magic == "PK\5\6" then return open_npz(what, source) end
  if magic ~= npy.MAGIC:sub(1, 4) then refuse(what, source.name .. " is neither a .npy nor a .npz file") end
  return read_npy(what, source, backing)
end

function M.load(path, options)
  local source = from_file("ndarray.load", path)
  local ok, result = pcall(load, "ndarray.load", source, options)
  if not ok or arrays.is_array(result) then source.close() end
  if not ok then error(result, 0) end
  return result
end

function M.loads(bytes, options) return load("ndarray.loads", from_string("ndarray.loads", bytes), options) end

-- ---- saving -------------------------------------------------------------------------------------------------------

-- What is written of an array: the header, then where the elements are and how many bytes; and the array that has them.
local function pieces_of(a, version)
  local order = a.order
  if not order then a, order = a:copy(), "C" end
  return npy.header(a._dtype, order == "F", a._shape, version), a._p, a._size * a._dtype.itemsize, a
end

local function version_of(what, options)
  local given = errors.options(what, options, { version = true }).version
  if given == nil then return 1 end
  local version = layout.whole(given)
  if version ~= 1 and version ~= 2 and version ~= 3 then
    refuse(what, "version must be 1, 2 or 3, got " .. element.describe(given))
  end
  return version
end

local function array_of(what, x)
  if arrays.is_array(x) then
    arrays.check_self(x, what)
    if x._dtype.kind == "struct" then
      refuse(what, ("arrays of structs (%s) cannot be saved; save their fields"):format(x._dtype.name))
    end
    return x
  end
  return arrays.from_values(what, x, nil, require("cudalua.dtype").default_float())
end

-- Calls write(sink), where sink(p, n) takes the next n bytes, and returns them all.
local function to_string(what, write)
  local out, size = {}, 0
  write(function(p, n)
    size = size + n
    if size > MAX_STRING then refuse(what, "the result is too long for a string; save it to a file") end
    out[#out + 1] = ffi.string(p, n)
  end)
  return table.concat(out)
end

-- The same into a file.
local function to_file(what, path, write)
  check_path(what, path)
  local file, why = io.open(path, "wb")
  if not file then cannot(what, errors.why_not_written(path, why)) end
  local ok, err = pcall(write, function(p, n)
    if ffi.C.cudalua_host_fwrite(p, 1, n, file) < n then
      cannot(what, path .. " cannot be written: the disk may be full")
    end
  end)
  local closed, reason = file:close()
  if not ok then error(err, 0) end
  if not closed then cannot(what, tostring(reason)) end
end

local function npy_writer(what, a, options)
  local version = version_of(what, options)
  local header, p, n, owner = pieces_of(array_of(what, a), version)
  return function(sink)
    sink(header, #header)
    sink(p, n)
    return owner -- which has to be there until now
  end
end

local function npz_writer(what, list, options)
  local version = version_of(what, options)
  if type(list) ~= "table" or getmetatable(list) ~= nil then
    refuse(what, "expected a table of arrays by name, got " .. errors.text(list))
  end
  local names, members = {}, {}
  for name, value in pairs_of(list) do
    if type(name) ~= "string" or name == "" or name:find "%z" then
      refuse(what, ("an array's name must be a string, got %s"):format(errors.text(name)))
    end
    names[#names + 1] = name
    members[name] = array_of(("%s: %s"):format(what, errors.text(name)), value)
  end
  table.sort(names)
  local files = {}
  for i, name in ipairs(names) do files[i] = name .. ".npy" end
  return function(sink)
    local owner
    require("cudalua.ndarray.zip").write(what, sink, files, function(i)
      local header, p, n
      header, p, n, owner = pieces_of(members[names[i]], version)
      return header, p, n
    end)
    return owner
  end
end

function M.save(path, a, options) to_file("ndarray.save", path, npy_writer("ndarray.save", a, options)) end
function M.dumps(a, options) return to_string("ndarray.dumps", npy_writer("ndarray.dumps", a, options)) end
function M.savez(path, list, options) to_file("ndarray.savez", path, npz_writer("ndarray.savez", list, options)) end
function M.dumpsz(list, options) return to_string("ndarray.dumpsz", npz_writer("ndarray.dumpsz", list, options)) end

return M
