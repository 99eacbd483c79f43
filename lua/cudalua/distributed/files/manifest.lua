-- The list of a checkpoint's files with their sizes and the checksums of each MiB. It is written last: a checkpoint
-- with a good manifest is complete.

local core = require "cudalua.core"
local crc32 = require "cudalua.ndarray.crc32"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local posix = require "cudalua.distributed.files.posix"

local M = {}

M.NAME = "manifest"
M.BLOCK = 2 ^ 20 -- bytes
local FIRST, MOST = "cudalua checkpoint 1", 2 ^ 30

local bytes_t = ffi.typeof "const uint8_t *"

---@class cudalua.distributed.Manifest
---@field ranks integer  that wrote it
---@field files table<string, {bytes: integer, sums: string[]}>

---How many blocks a file has.
---@param bytes integer
---@return integer
function M.blocks(bytes) return math.ceil(bytes / M.BLOCK) end

local function sum_of(text) return ("%08x"):format(crc32(ffi.cast(bytes_t, text), #text)) end

---@param m cudalua.distributed.Manifest
---@param names string[]  in their order
---@return string
function M.text(m, names)
  local lines = { FIRST, "ranks " .. m.ranks }
  for _, name in ipairs(names) do
    local file = m.files[name]
    lines[#lines + 1] = ("file %s %.0f %s"):format(name, file.bytes, table.concat(file.sums, " "))
  end
  local text = table.concat(lines, "\n") .. "\n"
  return text .. "end " .. sum_of(text) .. "\n"
end

---Reads the manifest of a folder.
---@param what string
---@param folder string
---@return cudalua.distributed.Manifest
---@raise RuntimeError if it is missing or damaged
function M.read(what, folder)
  local path = folder .. "/" .. M.NAME
  local text = core.read_file(path, MOST)
  if not text then errors.raise("RuntimeError", ("%s: cannot read %s"):format(what, path)) end
  local body, sum = text:match "^(.*)end (%x+)\n$"
  if not body or sum ~= sum_of(body) or body:sub(1, #FIRST + 1) ~= FIRST .. "\n" then
    errors.raise("RuntimeError", ("%s: %s is damaged or has another version"):format(what, path))
  end
  local m = { ranks = tonumber(body:match "\nranks (%d+)\n"), files = {} }
  for name, bytes, sums in body:gmatch "file (%S+) (%d+) ?([^\n]*)\n" do
    local file = { bytes = tonumber(bytes), sums = {} }
    for x in sums:gmatch "%x+" do file.sums[#file.sums + 1] = x end
    m.files[name] = file
  end
  return m
end

---The checksum of a block of an open file.
---@param file cudalua.distributed.OpenFile
---@param bytes integer  of the file
---@param k integer      from 0
---@param buffer ffi.cdata*  uint8_t[BLOCK]
---@return number
---@return integer n  bytes of the block, which are in the buffer
function M.sum(file, bytes, k, buffer)
  local n = math.min(M.BLOCK, bytes - k * M.BLOCK)
  posix.read(file, k * M.BLOCK, buffer, n)
  return crc32(buffer, n), n
end

---Reads a file of a checkpoint, and checks each block that is read.
---@param file cudalua.distributed.OpenFile
---@param about {bytes: integer, sums: string[]}
---@return cudalua.distributed.Read
function M.reader(file, about)
  local buffer, current = ffi.new("uint8_t[?]", M.BLOCK), nil
  local function load(k)
    if k == current then return end
    current = nil
    local sum = M.sum(file, about.bytes, k, buffer)
    if ("%08x"):format(sum) ~= about.sums[k + 1] then
      errors.raise("RuntimeError", ("%s: %s is damaged: the checksum of its bytes from %.0f on is wrong"):format(
        file.what, file.path, k * M.BLOCK))
    end
    current = k
  end
  return function(offset, p, n)
    if offset + n > about.bytes then
      errors.raise("RuntimeError", ("%s: %s is truncated"):format(file.what, file.path))
    end
    while n > 0 do
      local k = math.floor(offset / M.BLOCK)
      local piece = math.min(n, (k + 1) * M.BLOCK - offset)
      load(k)
      ffi.copy(p, buffer + (offset - k * M.BLOCK), piece)
      offset, p, n = offset + piece, p + piece, n - piece
    end
  end
end

return M
