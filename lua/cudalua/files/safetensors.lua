-- Safetensors files: the length of a header (8 bytes, little-endian), the header as JSON, and the tensors' bytes, one
-- behind the other without a gap. Everything is checked before anything is made.

local ffi = require "ffi"
local arrays = require "cudalua.ndarray.array"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local json = require "cudalua.files.json"
local layout = require "cudalua.base.layout"
local mapping = require "cudalua.files.mapping"
local pace = require "cudalua.base.pace"
local pairs_of = require "cudalua.base.pairs_of"
local whole = require "cudalua.files.whole"

local refuse = layout.refuse

---@class cudalua.io
local M = {}

local MOST_HEADER = 100e6 -- bytes, as other readers have it
local METADATA = "__metadata__"
local PIECE = 2 ^ 22      -- bytes that are written at once

local codes = { bool = "BOOL", int8 = "I8", uint8 = "U8", int16 = "I16", uint16 = "U16", int32 = "I32", uint32 = "U32",
  int64 = "I64", uint64 = "U64", float16 = "F16", bfloat16 = "BF16", float32 = "F32", float64 = "F64",
  complex64 = "C64" }
local by_code = {}
for name, code in pairs_of(codes) do by_code[code] = dtypes[name] end

-- ---- the header -----------------------------------------------------------------------------------------------------

local fields = { dtype = true, shape = true, data_offsets = true }

-- A list of non-negative integers.
local function integers(s, name, key, list, most)
  if type(list) ~= "table" or list.kind ~= "array" then
    s.refuse(("tensor %s: %s is not a list"):format(errors.text(name), key))
  end
  if list.count > most then
    s.refuse(("tensor %s: %s has %d numbers, at most %d are allowed"):format(errors.text(name), key, list.count, most))
  end
  local out = {}
  for k = 1, list.count do
    local x = layout.whole(list[k])
    if not x or x < 0 then
      s.refuse(("tensor %s: %s[%d] must be a non-negative integer of at most 2^53"):format(errors.text(name), key, k))
    end
    out[k] = x
  end
  return out
end

-- One tensor's record.
local function tensor_of(s, name, entry)
  local label = "tensor " .. errors.text(name)
  if type(entry) ~= "table" or entry.kind ~= "object" then s.refuse(label .. ": its entry is not an object") end
  for _, key in ipairs(entry.keys) do
    if not fields[key] then s.refuse(("%s: unknown field %s"):format(label, errors.text(key))) end
  end
  local values = entry.values
  local code = values.dtype
  if type(code) ~= "string" then s.refuse(label .. ": dtype is not a string") end
  local dtype = by_code[code]
  if not dtype then s.refuse(("%s: the dtype %s is not supported"):format(label, errors.text(code))) end
  local shape = integers(s, name, "shape", values.shape, layout.MAX_AXES)
  local offsets = integers(s, name, "data_offsets", values.data_offsets, 2)
  local first, stop = offsets[1], offsets[2]
  if not stop then s.refuse(label .. ": data_offsets must have two numbers") end
  if stop < first or stop > s.data_bytes then
    s.refuse(("%s: data_offsets are %.0f and %.0f, the file has %.0f bytes of data"):format(label, first, stop,
      s.data_bytes))
  end
  local size = layout.size(s.where .. ": " .. label, shape, dtype.itemsize)
  if size * dtype.itemsize ~= stop - first then
    s.refuse(("%s: %s of the shape %s has %.0f bytes, data_offsets %.0f and %.0f give it %.0f"):format(label,
      dtype.name, layout.text(shape), size * dtype.itemsize, first, stop, stop - first))
  end
  return { name = name, dtype = dtype, shape = shape, size = size, first = first, stop = stop }
end

-- The tensors lie one behind the other, from the first byte of data to the last.
local function check_places(s, list)
  local sorted = {}
  for i, t in ipairs(list) do sorted[i] = t end
  table.sort(sorted, function(a, b)
    if a.first ~= b.first then return a.first < b.first end
    return a.stop < b.stop
  end)
  local at, before = 0, nil
  for _, t in ipairs(sorted) do
    if t.first > at then
      s.refuse(("bytes %.0f to %.0f of the data belong to no tensor"):format(at, t.first - 1))
    elseif t.first < at then
      s.refuse(("the tensors %s and %s overlap"):format(errors.text(before.name), errors.text(t.name)))
    end
    at, before = t.stop, t
  end
  if at ~= s.data_bytes then
    s.refuse(("bytes %.0f to %.0f of the data belong to no tensor"):format(at, s.data_bytes - 1))
  end
end

local function metadata_of(s, object)
  local out = {}
  if object == nil then return out end
  if type(object) ~= "table" or object.kind ~= "object" then s.refuse(METADATA .. " is not an object") end
  for _, key in ipairs(object.keys) do
    local text = object.values[key]
    if type(text) ~= "string" then s.refuse(("%s: %s is not a string"):format(METADATA, errors.text(key))) end
    out[key] = text
  end
  return out
end

-- The records of the tensors, in the order of the header, and the metadata.
local function read_header(s, p, nbytes)
  if nbytes < 8 then s.refuse(("the file is truncated: it has %.0f bytes"):format(nbytes)) end
  local length = 0
  for i = 7, 0, -1 do length = length * 256 + p[i] end
  local first = ffi.string(p, 8) -- a length that would spell a word has no room
  if length > MOST_HEADER and not first:find "[^%w%p \t\r\n]" then
    s.refuse(("the file is text, not safetensors: it begins with %s"):format(("%q"):format(first):gsub("\\\n", "\\n")))
  end
  if first == "\147NUMPY\1\0" or first:sub(1, 4) == "PK\3\4" then
    s.refuse(("the file is not safetensors, but %s; read it with %s"):format(first:sub(1, 2) == "PK" and
      "a ZIP archive" or ".npy", "cuda.gpuarray.load(path)"))
  end
  if length > MOST_HEADER then s.refuse(("a header of %.0f bytes is too large; it may have 100 MB"):format(length)) end
  if length > nbytes - 8 then
    s.refuse(("the file is truncated: the header has %.0f bytes, the file %.0f"):format(length, nbytes))
  end
  s.begin, s.data_bytes = 8 + length, nbytes - 8 - length
  local text = ffi.string(p + 8, length)
  if text:sub(1, 1) ~= "{" then s.refuse "the header does not begin with '{'" end
  local header = json.decode(text, function(why) s.refuse("the header is not valid JSON: " .. why) end)
  local list = {}
  for _, name in ipairs(header.keys) do
    if name ~= METADATA then list[#list + 1] = tensor_of(s, name, header.values[name]) end
  end
  check_places(s, list)
  return list, metadata_of(s, header.values[METADATA])
end

-- ---- reading --------------------------------------------------------------------------------------------------------

-- Those that are wanted.
local function chosen(what, s, list, names)
  if names == nil then return list end
  if type(names) ~= "table" or type(getmetatable(names)) == "string" then
    refuse(what, "names must be a list of names, got " .. errors.text(names))
  end
  local known, out = {}, {}
  for _, t in ipairs(list) do known[t.name] = t end
  for i = 1, #names do
    local name = names[i]
    if type(name) ~= "string" then refuse(what, ("names[%d] must be a string, got %s"):format(i, errors.text(name))) end
    if not known[name] then s.refuse(("no tensor has the name %s"):format(errors.text(name))) end
    out[i] = known[name]
  end
  return out
end

-- What is not 0 is true, and a true is a 1 for kernels.
local function settle_bool(p, n)
  for i = 0, n - 1 do
    if p[i] > 1 then p[i] = 1 end
    if i % PIECE == PIECE - 1 then pace(PIECE) end
  end
end

-- A tensor as a host array over the mapping, or in memory of its own if the mapping has its elements at odd addresses.
local function host_array(what, s, t, p)
  local strides = layout.dense_strides(t.shape, t.dtype.itemsize, "C")
  if t.size == 0 then return arrays.allocated(what, t.shape, t.dtype, "C") end
  local from, nbytes = p + s.begin + t.first, t.stop - t.first
  if t.dtype == dtypes.bool then settle_bool(from, nbytes) end
  if (s.begin + t.first) % t.dtype.itemsize == 0 then
    return arrays.over(t.dtype, from, t.shape, strides, t.size, { memory = p })
  end
  local a = arrays.allocated(what, t.shape, t.dtype, "C")
  ffi.copy(a:data(), from, nbytes)
  return a, p -- which has to be there until now
end

local load_options = { names = true, device = true, stream = true, allocator = true }

---Reads a safetensors file. The file is mapped into memory; its header is checked before any array is created. While
---host arrays over the file are in use, other programs must not shorten the file.
---@param path string  the file
---@param options? {names: string[], device: boolean, stream: cudalua.Stream, allocator: fun(bytes: integer): any}
---  names: the tensors to read; default: all. device: false returns host arrays over the mapped file, whose elements
---  are read when they are used; writing to them does not change the file; default: true. stream: as for
---  gpuarray.to_gpu. allocator: as for gpuarray.to_gpu
---@return table<string, cudalua.gpuarray.Array|cudalua.ndarray.Array> tensors  the arrays by name
---@return table<string, string> metadata  the strings of `__metadata__`; {} if the file has none
---@raise RuntimeError if the file cannot be opened; LogicError that names the file if it is damaged, has an unsupported
---  dtype (F8 and smaller types), or does not contain a requested tensor; MemoryError
function M.load_safetensors(path, options)
  local what = "io.load_safetensors"
  local o = errors.options(what, options, load_options)
  local device = o.device == nil or layout.flag(what, o, "device")
  if not device and (o.stream ~= nil or o.allocator ~= nil) then
    refuse(what, "stream and allocator are for arrays on the device; leave device = false out")
  end
  local p, nbytes = mapping.open(what, path)
  local s = { where = what .. ": " .. path }
  function s.refuse(why) errors.raise("LogicError", s.where .. ": " .. why) end
  local list, metadata = read_header(s, p, nbytes)
  list = chosen(what, s, list, o.names)
  local to_gpu = device and require("cudalua.gpuarray").to_gpu
  local out = {}
  for _, t in ipairs(list) do
    local a = host_array(what, s, t, p)
    out[t.name] = device and to_gpu(a, nil, { stream = o.stream, allocator = o.allocator }) or a
  end
  return out, metadata
end

-- ---- writing --------------------------------------------------------------------------------------------------------

local function is_gpuarray(a) return type(a) == "table" and getmetatable(a) == "cudalua.gpuarray" end

local function check_text(what, label, text)
  if type(text) ~= "string" then refuse(what, ("%s must be a string, got %s"):format(label, errors.text(text))) end
  if not json.is_utf8(text) then refuse(what, ("%s is not UTF-8: %s"):format(label, errors.text(text))) end
end

local function is_plain(t) return type(t) == "table" and type(getmetatable(t)) ~= "string" end

-- The arrays in the file's order: those of the largest elements first, so that each is aligned, then by name.
local function ordered(what, tensors)
  if not is_plain(tensors) then
    refuse(what, "expected a table {name = array}, got " .. element.describe(tensors))
  end
  local list = {}
  for name, a in pairs_of(tensors) do
    check_text(what, "the name of a tensor", name)
    local label = "the tensor " .. errors.text(name)
    if name == METADATA then refuse(what, METADATA .. " is not a tensor's name; pass strings as {metadata = {...}}") end
    if not is_gpuarray(a) then
      if not arrays.is_array(a) then
        refuse(what, ("%s must be an array, got %s"):format(label, element.describe(a)))
      end
      arrays.check_self(a, what)
    end
    local code = codes[a.dtype.name]
    if not code then
      refuse(what, ("%s has elements of %s, which the format does not have; ndarray.savez() writes them"):format(label,
        a.dtype.name))
    end
    list[#list + 1] = { name = name, array = a, code = code, itemsize = a.dtype.itemsize }
  end
  table.sort(list, function(a, b)
    if a.itemsize ~= b.itemsize then return a.itemsize > b.itemsize end
    return a.name < b.name
  end)
  return list
end

local function metadata_object(what, metadata)
  if not is_plain(metadata) then
    refuse(what, "metadata must be a table of strings, got " .. element.describe(metadata))
  end
  local keys, list = {}, {}
  for key, text in pairs_of(metadata) do
    check_text(what, "a key of metadata", key)
    check_text(what, "metadata." .. key, text)
    keys[#keys + 1] = key
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    list[#list + 1] = key
    list[#list + 1] = metadata[key]
  end
  return json.object(list)
end

-- The header with its length, filled up with spaces to a multiple of 8 bytes.
local function header_of(what, list, metadata)
  local entries, at = {}, 0
  if metadata ~= nil then entries = { METADATA, metadata_object(what, metadata) } end
  for _, t in ipairs(list) do
    local stop = at + t.array.nbytes
    entries[#entries + 1] = t.name
    entries[#entries + 1] = json.object { "dtype", t.code, "shape", json.array(t.array.shape),
      "data_offsets", json.array { at, stop } }
    at = stop
  end
  local text = json.encode(json.object(entries))
  text = text .. (" "):rep(-#text % 8)
  if #text > MOST_HEADER then refuse(what, ("the header would have %d bytes; it may have 100 MB"):format(#text)) end
  local length, bytes = #text, {}
  for i = 1, 8 do
    bytes[i] = string.char(length % 256)
    length = math.floor(length / 256)
  end
  return table.concat(bytes) .. text
end

local function write_array(write, a)
  if is_gpuarray(a) then a = a:get { array = true } end
  if not a.flags.c_contiguous then a = a:copy "C" end
  local p, nbytes = ffi.cast("const uint8_t *", a:data()), a.nbytes
  for at = 0, nbytes - 1, PIECE do
    write(ffi.string(p + at, math.min(PIECE, nbytes - at)))
    pace(PIECE)
  end
  return a -- whose memory has to be there until now
end

---Writes a safetensors file atomically: a reader sees the old file or the new one, and nothing is left if writing
---fails. Arrays that are not in C order are copied.
---@param path string  the file
---@param tensors table<string, cudalua.gpuarray.Array|cudalua.ndarray.Array>  the arrays by name
---@param options? {metadata: table<string, string>}  metadata: strings for `__metadata__`
---@raise LogicError for names that are not UTF-8, for values that are not arrays, and for complex128 and structs;
---  RuntimeError if the file cannot be written; errors of the kernels that compute a value
function M.save_safetensors(path, tensors, options)
  local what = "io.save_safetensors"
  whole.check_path(what, path)
  local o = errors.options(what, options, { metadata = true })
  local list = ordered(what, tensors)
  local header = header_of(what, list, o.metadata)
  local temporary = ("%s.%s"):format(path, core.sha256(header .. tostring {}):sub(1, 12))
  local ok, err = pcall(whole.write, what, temporary, function(write)
    write(header)
    for _, t in ipairs(list) do write_array(write, t.array) end
  end)
  if not ok then
    os.remove(temporary)
    error(err, 0)
  end
  local moved, why = os.rename(temporary, path)
  if not moved then
    os.remove(temporary)
    errors.raise("RuntimeError", ("%s: %s cannot be written: %s"):format(what, path, why))
  end
end

return M
