-- Zip archives, as far as .npz files go: the list of members and their bytes, and writing members that are stored. Also
-- archives beyond 4 GiB (zip64).

local ffi = require "ffi"
local crc32 = require "cudalua.ndarray.crc32"
local layout = require "cudalua.base.layout"

local refuse = layout.refuse
local bytes_t = ffi.typeof "const uint8_t *"

local M = {}

local END, END64, LOCATOR, CENTRAL, LOCAL = 0x06054b50, 0x06064b50, 0x07064b50, 0x02014b50, 0x04034b50
local FULL16, FULL32 = 2 ^ 16 - 1, 2 ^ 32 - 1 -- "it is in the fields of zip64"
local MAX_DIRECTORY = 2 ^ 28 -- bytes: some million members

-- ---- reading ------------------------------------------------------------------------------------------------

local function u16(p, at) return p[at] + 2 ^ 8 * p[at + 1] end
local function u32(p, at) return u16(p, at) + 2 ^ 16 * u16(p, at + 2) end
local function u64(p, at) return u32(p, at) + 2 ^ 32 * u32(p, at + 4) end -- rounded above 2^53: beyond any file

-- n bytes of a source.
local function piece(source, offset, n)
  local data = ffi.new("uint8_t[?]", math.max(n, 1))
  source.read(offset, data, n)
  return data
end

-- Where the list of members is, how long it is, and how many there are.
local function find_directory(what, source)
  local n = math.min(source.size, 22 + FULL16) -- a comment may follow
  local p = piece(source, source.size - n, n)
  local at = n - 22
  while at >= 0 and not (u32(p, at) == END and at + 22 + u16(p, at + 20) == n) do at = at - 1 end
  if at < 0 then refuse(what, "this is not a .npz file, or it is truncated: it has no list of members at its end") end
  local place = source.size - n + at
  local count, size, offset = u16(p, at + 10), u32(p, at + 12), u32(p, at + 16)
  local disks = u16(p, at + 4) + u16(p, at + 6)
  if at >= 20 and u32(p, at - 20) == LOCATOR then
    local place64 = u64(p, at - 12)
    if place64 + 56 > place then refuse(what, "the zip archive is damaged: its list of members is missing") end
    p = piece(source, place64, 56)
    if u32(p, 0) ~= END64 then refuse(what, "the zip archive is damaged: its list of members is missing") end
    place, disks = place64, u32(p, 16) + u32(p, 20)
    count, size, offset = u64(p, 32), u64(p, 40), u64(p, 48)
  end
  if disks > 0 then refuse(what, "the zip archive has several parts") end
  -- Something may stand before the archive, which its offsets do not count.
  local before = place - size - offset
  if before < 0 or size > MAX_DIRECTORY or count * 46 > size then
    refuse(what, "the zip archive is damaged: its list of members is missing")
  end
  return before, offset + before, size, count
end

-- Sizes and offset of a member that are in the fields of zip64, in this order.
local function read_extra(what, member, p, at, stop)
  while at + 4 <= stop do
    local id, next_at = u16(p, at), at + 4 + u16(p, at + 2)
    if next_at > stop then break end
    if id == 1 then
      at = at + 4
      for _, name in ipairs { "size", "packed", "offset" } do
        if member[name] == FULL32 then
          if at + 8 > next_at then refuse(what, "the zip archive is damaged: a size is missing") end
          member[name], at = u64(p, at), at + 8
        end
      end
      return
    end
    at = next_at
  end
end

---@class cudalua.zip.Source
---@field size integer
---@field read fun(offset: integer, p: ffi.cdata*, n: integer)  copies n bytes, or raises

---@class cudalua.zip.Member
---@field name string
---@field method integer  0: stored, 8: deflated
---@field flags integer
---@field crc integer
---@field size integer    bytes, unpacked
---@field packed integer  bytes in the archive
---@field offset integer  to what stands before them

---The members of an archive, in its order; of several with one name, the last.
---@param what string  for messages
---@param source cudalua.zip.Source
---@return cudalua.zip.Member[]
---@return table<string, cudalua.zip.Member>
---@raise LogicError if it is not a zip archive
function M.members(what, source)
  local before, offset, size, count = find_directory(what, source)
  local p = piece(source, offset, size)
  local list, by_name, at = {}, {}, 0
  for _ = 1, count do
    local damaged = at + 46 > size or u32(p, at) ~= CENTRAL
    local name_size, extra, comment
    if not damaged then
      name_size, extra, comment = u16(p, at + 28), u16(p, at + 30), u16(p, at + 32)
      damaged = at + 46 + name_size + extra + comment > size
    end
    if damaged then refuse(what, "the zip archive is damaged: its list of members ends too early") end
    local member = { name = ffi.string(p + at + 46, name_size), flags = u16(p, at + 8), method = u16(p, at + 10),
      crc = u32(p, at + 16), packed = u32(p, at + 20), size = u32(p, at + 24), offset = u32(p, at + 42) }
    local names_end = at + 46 + name_size
    read_extra(what, member, p, names_end, names_end + extra)
    member.offset = member.offset + before
    if not by_name[member.name] then list[#list + 1] = member.name end
    by_name[member.name] = member
    at = names_end + extra + comment
  end
  for i, name in ipairs(list) do list[i] = by_name[name] end
  return list, by_name
end

---The bytes of a member as they are in the archive.
---@param what string
---@param source cudalua.zip.Source
---@param member cudalua.zip.Member
---@return cudalua.zip.Source
---@raise LogicError if they are not in it, or are packed in a way that is not known
function M.open(what, source, member)
  if member.flags % 2 == 1 then refuse(what, "the member is encrypted") end
  if member.method ~= 0 and member.method ~= 8 then
    refuse(what, ("the member is compressed by method %d; only stored and deflated members can be " ..
      "read"):format(member.method))
  end
  if member.offset + 30 > source.size then refuse(what, "the zip archive is damaged: the member is missing") end
  local p = piece(source, member.offset, 30)
  local start = member.offset + 30 + u16(p, 26) + u16(p, 28)
  if u32(p, 0) ~= LOCAL or start + member.packed > source.size or
    member.method == 0 and member.packed ~= member.size then
    refuse(what, "the zip archive is damaged: the member is missing")
  end
  -- Deflate makes 1032 bytes of one at most.
  if member.method == 8 and member.size > 1032 * member.packed then
    refuse(what, "the zip archive is damaged: the member cannot have that many bytes")
  end
  return { size = member.packed, read = function(offset, to, n) source.read(start + offset, to, n) end }
end

-- ---- writing --------------------------------------------------------------------------------------------------

-- Little-endian fields: le("24", a, b) is two bytes of a and four of b.
local function le(sizes, ...)
  local out = {}
  for i = 1, #sizes do
    local x = select(i, ...)
    for _ = 1, tonumber(sizes:sub(i, i)) do
      out[#out + 1] = string.char(x % 256)
      x = math.floor(x / 256)
    end
  end
  return table.concat(out)
end

local DATE = 0x21        -- 1980-01-01: the same arrays give the same bytes
local VERSION = 45       -- that reads zip64
local UNIX = 3 * 256     -- the system that the permissions are of
local MODE = 384 * 2 ^ 16 -- 0600

-- UTF-8, where there is anything but ASCII.
local function flags_of(name) return name:find "[\128-\255]" and 0x800 or 0 end

---Writes a stored archive, as NumPy's savez does.
---@param what string
---@param sink fun(p: string|ffi.cdata*, n: integer)  takes the next n bytes
---@param names string[]     of the members
---@param pieces fun(i: integer): string, ffi.cdata*, integer  a member: its first bytes, then where so many more are
function M.write(what, sink, names, pieces)
  local written, directory = 0, {}
  local function put(p, n)
    sink(p, n or #p)
    written = written + (n or #p)
  end
  for i, name in ipairs(names) do
    if #name > FULL16 then refuse(what, ("a name of %d bytes is too long"):format(#name)) end
    local first, p, n = pieces(i)
    local size, offset = #first + n, written
    local crc = crc32(p, n, crc32(ffi.cast(bytes_t, first), #first))
    local fields = le("222224", VERSION, flags_of(name), 0, 0, DATE, crc)
    put(le("4", LOCAL) .. fields .. le("4422", FULL32, FULL32, #name, 20) .. name .. le("2288", 1, 16, size, size))
    put(first)
    put(p, n)
    local extra, shown = "", {}
    for k, x in ipairs { size, size, offset } do
      shown[k] = math.min(x, FULL32)
      if x >= FULL32 then extra = extra .. le("8", x) end
    end
    if extra ~= "" then extra = le("22", 1, #extra) .. extra end
    directory[i] = le("42", CENTRAL, UNIX + VERSION) .. fields .. le("4422222", shown[1], shown[2], #name, #extra, 0, 0,
      0) .. le("44", MODE, shown[3]) .. name .. extra
  end
  local offset, list = written, table.concat(directory)
  put(list)
  local count = #names
  if count >= FULL16 or offset >= FULL32 or #list >= FULL32 then
    local place = written
    put(le("482244", END64, 44, VERSION, VERSION, 0, 0) .. le("8888", count, count, #list, offset))
    put(le("4484", LOCATOR, 0, place, 1))
  end
  put(le("4222", END, 0, 0, math.min(count, FULL16)) .. le("24", math.min(count, FULL16), math.min(#list, FULL32)) ..
    le("42", math.min(offset, FULL32), 0))
end

return M
