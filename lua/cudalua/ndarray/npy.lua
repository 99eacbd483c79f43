-- The header of a .npy file: a Python literal that says type, order and shape. Reading it evaluates nothing.

local ffi = require "ffi"
local bit = require "bit"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local pairs_of = require "cudalua.base.pairs_of"

local refuse = layout.refuse

local M = {}

M.MAGIC = "\147NUMPY"
local MAX_HEADER = 2 ^ 16 -- bytes; what an array needs fits into 2 KiB
local ALIGNMENT = 64      -- of the elements in the file
local GROWTH = 21         -- characters that NumPy leaves free for the first extent

-- ---- types ------------------------------------------------------------------------------------------------------

local by_code = {}
for _, dt in ipairs(dtypes.list) do by_code[dt.code:sub(2)] = dt end
by_code["?"] = dtypes.bool

local unknown = { O = "pickled Python objects, which cannot be read", S = "bytes", a = "bytes", U = "text", M = "dates",
  m = "time spans", V = "raw bytes" }

-- The dtype of a `descr`, and of how many bytes each the parts are that have to be turned around, or nil.
local function type_of(what, descr)
  local endian, code = descr:match "^([<>=|]?)(.+)$"
  local dt = by_code[code]
  if not dt then
    local kind = unknown[(code or ""):sub(1, 1)]
    refuse(what, ("the file has elements of type %s%s; no dtype corresponds to it"):format(errors.text(descr),
      kind and ": " .. kind or ""))
  end
  local unit = dt.kind == "complex" and dt.itemsize / 2 or dt.itemsize
  return dt, endian == ">" and unit > 1 and unit or nil
end

-- Turns the bytes of each part around, in place.
local swaps = {
  [2] = function(p, n)
    local q = ffi.cast("uint16_t *", p)
    for i = 0, n / 2 - 1 do q[i] = bit.rshift(bit.bswap(q[i]), 16) end
  end,
  [4] = function(p, n)
    local q = ffi.cast("int32_t *", p)
    for i = 0, n / 4 - 1 do q[i] = bit.bswap(q[i]) end
  end,
  [8] = function(p, n)
    local q = ffi.cast("int32_t *", p)
    for i = 0, n / 4 - 1, 2 do q[i], q[i + 1] = bit.bswap(q[i + 1]), bit.bswap(q[i]) end
  end,
}

-- A true that is not a 1 would be something else to kernels.
local function one_or_zero(p, n)
  for i = 0, n - 1 do p[i] = p[i] ~= 0 and 1 or 0 end
end

---Brings the bytes of a file into the form that memory has.
---@param header cudalua.npy.Header
---@param p ffi.cdata*  uint8_t *
---@param n integer     bytes
function M.settle(header, p, n)
  if header.swap then swaps[header.swap](p, n) end
  if header.dtype.kind == "bool" then one_or_zero(p, n) end
end

-- ---- reading ----------------------------------------------------------------------------------------------------

-- The values that stand behind the fields, each from the position where it begins: value, next position.
local readers = {}

function readers.descr(what, text, at)
  local _, stop, _, descr = text:find("^(['\"])([^'\"\\]+)%1", at)
  if stop then return descr, stop + 1 end
  if text:find("^[%[%(]", at) then
    refuse(what, "the file has a structured type, of several fields, which cannot be read")
  end
  refuse(what, "the header has no type")
end

function readers.fortran_order(what, text, at)
  for word, value in pairs_of { True = true, False = false } do
    if text:sub(at, at + #word - 1) == word then return value, at + #word end
  end
  refuse(what, "the header's fortran_order is neither True nor False")
end

function readers.shape(what, text, at)
  local _, stop, list = text:find("^%(([^%(%)]*)%)", at)
  if not stop then refuse(what, "the header's shape is not a tuple of numbers") end
  local shape, place = {}, 1
  while not list:find("^%s*$", place) do
    local _, after, digits, comma = list:find("^%s*(%-?%d+)L?%s*(,?)", place)
    if not after or comma == "" and (#shape == 0 or after < #list) then
      refuse(what, "the header's shape is not a tuple of numbers")
    end
    if digits:find "^%-" then refuse(what, ("the header's shape has the extent %s"):format(digits:sub(1, 20))) end
    if #shape == layout.MAX_AXES then refuse(what, ("the shape has more than %d axes"):format(layout.MAX_AXES)) end
    if #digits > 16 or tonumber(digits) > 2 ^ 53 then refuse(what, "the header's shape has too many elements") end
    shape[#shape + 1], place = tonumber(digits), after + 1
  end
  return shape, stop + 1
end

-- { descr =, fortran_order =, shape = } of a Python dict with just these.
local function parse(what, text)
  local fields, at = {}, text:match "^%s*{%s*()"
  if not at then refuse(what, "the header is not a dict") end
  while text:sub(at, at) ~= "}" do
    local name, after = text:match("^['\"]([%w_]*)['\"]%s*:%s*()", at)
    local reader = readers[name]
    if not reader then
      refuse(what,
        name and ("the header has an unknown field %s"):format(errors.text(name)) or "the header is not a dict")
    end
    if fields[name] ~= nil then refuse(what, ("the header has %s twice"):format(name)) end
    fields[name], at = reader(what, text, after)
    local comma, next_at = text:match("^%s*(,?)%s*()", at)
    at = next_at
    if comma == "" and text:sub(at, at) ~= "}" then refuse(what, "the header is not a dict") end
  end
  if text:find("[^%s%z]", at + 1) then refuse(what, "the header has text after its dict") end
  for name in pairs_of(readers) do
    if fields[name] == nil then refuse(what, "the header has no " .. name) end
  end
  return fields
end

---@class cudalua.npy.Header
---@field dtype cudalua.dtype.DType
---@field order "C"|"F"
---@field shape integer[]
---@field nbytes integer  of the elements
---@field swap integer?   they are big-endian: of parts of so many bytes
---@field offset integer  bytes to the first element

---Reads a header.
---@param what string  for messages
---@param name string  the file's, for messages
---@param beginning fun(n: integer): ffi.cdata*  the first n bytes, as const uint8_t *; raises if there are fewer
---@return cudalua.npy.Header
---@raise LogicError if the file is not a .npy file of a known version, or no dtype corresponds to its elements
function M.read_header(what, name, beginning)
  local p = beginning(10)
  local magic = ffi.string(p, 6)
  if magic ~= M.MAGIC then
    local remedy = magic:find "^PK" and "; read arrays of a .npz file with ndarray.load" or ""
    refuse(what, ("%s is not a .npy file%s"):format(name, remedy))
  end
  local version, length, offset = p[6], p[8] + 2 ^ 8 * p[9], 10
  if version > 1 then
    p = beginning(12)
    length, offset = length + 2 ^ 16 * p[10] + 2 ^ 24 * p[11], 12
  end
  if version < 1 or version > 3 or p[7] ~= 0 then
    refuse(what, ("version %d.%d of the .npy format is not supported"):format(version, p[7]))
  end
  if length > MAX_HEADER then refuse(what, ("the header has %.0f bytes, more than any array needs"):format(length)) end
  local fields = parse(what, ffi.string(beginning(offset + length) + offset, length))
  local dtype, swap = type_of(what, fields.descr)
  return { dtype = dtype, order = fields.fortran_order and "F" or "C", shape = fields.shape, swap = swap,
    nbytes = layout.size(what, fields.shape, dtype.itemsize) * dtype.itemsize, offset = offset + length }
end

-- ---- writing ----------------------------------------------------------------------------------------------------

---The bytes before the elements, as NumPy writes them.
---@param dtype cudalua.dtype.DType
---@param fortran boolean  in F order
---@param shape integer[]
---@param version 1|2|3
---@return string
function M.header(dtype, fortran, shape, version)
  local extents = {}
  for k, extent in ipairs(shape) do extents[k] = ("%.0f"):format(extent) end
  local dict = ("{'descr': '%s', 'fortran_order': %s, 'shape': (%s%s), }"):format(dtype.code,
    fortran and "True" or "False", table.concat(extents, ", "), #extents == 1 and "," or "")
  if #extents > 0 then dict = dict .. (" "):rep(GROWTH - #extents[fortran and #extents or 1]) end
  local before = version == 1 and 10 or 12
  dict = dict .. (" "):rep(ALIGNMENT - (before + #dict + 1) % ALIGNMENT) .. "\n"
  local length = string.char(#dict % 256, math.floor(#dict / 256)) .. (version == 1 and "" or "\0\0")
  return M.MAGIC .. string.char(version, 0) .. length .. dict
end

return M
