-- Unpacks NVIDIA's wheels, which are zip archives, into the root of a toolkit: nvidia/cu13/lib/libnvrtc.so.13 becomes
-- lib/libnvrtc.so.13. Needs no other program.

local core = require "cudalua.core"
local crc32 = require "cudalua.ndarray.crc32"
local disk = require "cudalua.ship.files"
local ffi = require "ffi"
local inflate = require "cudalua.ndarray.inflate"
local refuse = require("cudalua.base.layout").refuse
local wheels = require "cudalua.setup.wheels"
local zip = require "cudalua.ndarray.zip"

local M = {}

local AT_ONCE = 2 ^ 24 -- bytes, as a string

-- Where a member goes; nil: no program of ours needs it. Static libraries, and NVRTC's second build, are half of a
-- wheel.
local function place_of(name)
  local licence = name:match "^([^/]+)%.dist%-info/.*[Ll]icen[sc]e[^/]*%.txt$"
  if licence then return "licenses/" .. licence .. ".txt" end
  local folder, rest = name:match "^nvidia/[^/]+/(%l+)/(.+)$"
  if folder ~= "include" and folder ~= "lib" or rest:find "/$" or rest:find("..", 1, true) then return nil end
  if rest:find "%.alt%.so" or rest:find "_static%.a$" or rest:find "%.py$" then return nil end
  return folder .. "/" .. rest
end

local function fail(text, ...) error({ setup = text:format(...) }, 0) end

local function open(path)
  local file, why = io.open(path, "rb")
  if not file then fail("%s", why) end
  local size = file:seek "end"
  return file, { size = size, read = function(offset, to, n)
    file:seek("set", offset)
    local at = 0
    while at < n do
      local bytes = file:read(math.min(n - at, AT_ONCE))
      if not bytes then refuse(path, "the file is truncated") end
      ffi.copy(to + at, bytes, #bytes)
      at = at + #bytes
    end
  end }
end

-- Under another name until it is whole.
local function write(path, p, n)
  disk.make_parents(path)
  local part = path .. ".part"
  local file, why = io.open(part, "wb")
  local done = file
  for at = 0, n - 1, AT_ONCE do
    if not done then break end
    done, why = file:write(ffi.string(p + at, math.min(n - at, AT_ONCE)))
  end
  if file then
    local closed, why_not = file:close()
    done, why = done and closed, why or why_not
  end
  if done then done, why = os.rename(part, path) end
  if done then return end
  os.remove(part)
  fail("%s cannot be written (%d bytes): %s", path, n, why)
end

local function unpack_member(wheel, source, member, path)
  local what = ("%s: %s"):format(wheel.path, member.name)
  local packed_source = zip.open(what, source, member)
  local bytes = ffi.new("uint8_t[?]", math.max(packed_source.size, 1))
  packed_source.read(0, bytes, packed_source.size)
  if member.method == 8 then
    local packed = bytes
    bytes = ffi.new("uint8_t[?]", math.max(member.size, 1))
    if inflate(what, packed, packed_source.size, bytes, member.size) < member.size then
      refuse(what, "the member is too short")
    end
  end
  if crc32(bytes, member.size) ~= member.crc then
    refuse(what, "the member is damaged: its checksum does not match")
  end
  write(path, bytes, member.size)
end

---Unpacks a wheel. Libraries come last, so that a toolkit that lacks files is not taken for one.
---@param wheel cudalua.setup.Wheel
---@param root string  of the toolkit
---@return integer bytes  that were written
---@raise a table {setup = text} if it is damaged or cannot be written
function M.unpack(wheel, root)
  local file, source = open(wheel.path)
  local total = 0
  local ok, failure = pcall(function()
    local found = {}
    for _, member in ipairs((zip.members(wheel.path, source))) do
      local place = place_of(member.name)
      if place then found[#found + 1] = { member = member, place = place } end
    end
    if #found == 0 then
      fail("%s has no folder nvidia/*/include or nvidia/*/lib: it is not one of the wheels that are needed", wheel.path)
    end
    table.sort(found, function(a, b)
      local a_last, b_last = a.place:find "^lib/" ~= nil, b.place:find "^lib/" ~= nil
      if a_last ~= b_last then return b_last end
      return a.place < b.place
    end)
    for _, one in ipairs(found) do
      unpack_member(wheel, source, one.member, root .. "/" .. one.place)
      total = total + one.member.size
    end
  end)
  file:close()
  if not ok and type(failure) == "table" and failure.setup then error(failure, 0) end
  if not ok then fail("%s; bring the file over once more", tostring(failure)) end
  return total
end

-- ---- what was unpacked ----------------------------------------------------------------------------------------------

local LIST = "/wheels.txt"

---The wheels in a toolkit that this module made.
---@param root string
---@return cudalua.setup.Wheel[]
function M.listed(root)
  local list, text = {}, core.read_file(root .. LIST, 2 ^ 20) or ""
  for line in text:gmatch "[^\n]+" do
    list[#list + 1] = wheels.read_name(line)
  end
  return list
end

---Writes down which wheels are in a toolkit.
---@param root string
---@param list cudalua.setup.Wheel[]
function M.write_list(root, list)
  local lines = {}
  for i, wheel in ipairs(list) do lines[i] = wheel.file .. "\n" end
  table.sort(lines)
  local why = disk.write(root .. LIST, table.concat(lines))
  if why then fail("%s cannot be written: %s", root .. LIST, why) end
end

return M
