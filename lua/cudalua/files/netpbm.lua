-- Netpbm's PGM (gray) and PPM (RGB) files, as text (P2, P3) and as bytes (P5, P6), of 8 or 16 bits.

local ffi = require "ffi"
local arrays = require "cudalua.ndarray.array"
local dtypes = require "cudalua.dtype"
local layout = require "cudalua.base.layout"

local refuse = layout.refuse

local M = {}

local kinds = { P2 = { channels = 1, text = true }, P3 = { channels = 3, text = true }, P5 = { channels = 1 },
  P6 = { channels = 3 } }
local others = { P1 = "a bitmap (PBM)", P4 = "a bitmap (PBM)", P7 = "a PAM file", PF = "a PFM file", Pf = "a PFM file" }

---Is it a file of the family?
---@param bytes string
---@return boolean
function M.is(bytes) return kinds[bytes:sub(1, 2)] ~= nil or others[bytes:sub(1, 2)] ~= nil end

-- The next number of a header or of a text picture, after white space and comments: value, next position.
local function number(s, at)
  local bytes = s.bytes
  while true do
    at = bytes:find("%S", at)
    if not at then s.refuse "the file is truncated" end
    if bytes:byte(at) ~= 35 then break end
    at = bytes:find("[\r\n]", at)
    if not at then s.refuse "the file is truncated" end
  end
  local _, stop = bytes:find("^%d+", at)
  if not stop then s.refuse(("a number was expected at byte %d"):format(at)) end
  if stop - at > 9 then s.refuse(("the number at byte %d is too large"):format(at)) end
  return tonumber(bytes:sub(at, stop)), stop + 1
end

local function read_text(s, at, n, out)
  local largest, full, bytes = s.largest, s.full, s.bytes
  if #bytes - at + 1 < 2 * n - 1 then s.refuse "the file is truncated" end
  for i = 0, n - 1 do
    local x
    x, at = number(s, at)
    if x > largest then s.refuse(("sample %d is %d, the largest is %d"):format(i + 1, x, largest)) end
    out[i] = math.floor(x * full / largest + 0.5)
  end
end

local function read_bytes(s, at, n, out)
  local largest, full, wide = s.largest, s.full, s.largest > 255
  local size = wide and 2 or 1
  if #s.bytes - at + 1 < n * size then
    s.refuse(("the file is truncated: %.0f of %.0f bytes are present"):format(math.max(#s.bytes - at + 1, 0), n * size))
  end
  local p = ffi.cast("const uint8_t *", s.bytes) + at - 1
  for i = 0, n - 1 do
    local x = wide and p[2 * i] * 256 + p[2 * i + 1] or p[i]
    if x > largest then s.refuse(("sample %d is %d, the largest is %d"):format(i + 1, x, largest)) end
    out[i] = largest == full and x or math.floor(x * full / largest + 0.5)
  end
end

---Reads a picture. Samples are scaled to the whole range of their type if the file's largest value is another one.
---@param what string  function, for messages
---@param name string  of the file, for messages
---@param bytes string
---@param most integer  pixels
---@return cudalua.ndarray.Array  uint8, or uint16 if the largest value is above 255: (h, w) or (h, w, 3)
---@raise LogicError for a damaged file and for other files of the family
function M.decode(what, name, bytes, most)
  local magic = bytes:sub(1, 2)
  local s = { bytes = bytes }
  function s.refuse(text) refuse(what, name .. ": " .. text) end
  local kind = kinds[magic]
  if not kind then s.refuse(("the file is %s, which is not supported"):format(others[magic])) end
  local width, height, at
  width, at = number(s, 3)
  height, at = number(s, at)
  s.largest, at = number(s, at)
  if width < 1 or height < 1 then s.refuse(("a size of %d x %d is not allowed"):format(width, height)) end
  if s.largest < 1 or s.largest > 65535 then s.refuse(("the largest value is %d, not 1 to 65535"):format(s.largest)) end
  if not bytes:find("^%s", at) then s.refuse "the file is truncated" end
  if width * height > most then
    s.refuse(("%d x %d pixels are more than max_pixels, %.0f"):format(width, height, most))
  end
  local n = width * height * kind.channels
  if #bytes - at < n then s.refuse(("the file is truncated: %d x %d pixels need more bytes"):format(width, height)) end
  local dtype = s.largest > 255 and dtypes.uint16 or dtypes.uint8
  s.full = s.largest > 255 and 65535 or 255
  local a = arrays.allocated(what, { height, width, kind.channels > 1 and kind.channels or nil }, dtype, "C")
  local read = kind.text and read_text or read_bytes
  read(s, at + 1, n, a:data())
  return a
end

---The bytes of a PGM or PPM file.
---@param a cudalua.ndarray.Array  uint8 or uint16, in C order, (h, w) or (h, w, 3), not empty
---@return string
function M.encode(a)
  local shape, wide = a.shape, a.dtype.itemsize == 2
  local header = ("P%d\n%d %d\n%d\n"):format(shape[3] == 3 and 6 or 5, shape[2], shape[1], wide and 65535 or 255)
  local p, n = ffi.cast("const uint8_t *", a:data()), a.nbytes
  local turned
  if wide then
    turned = ffi.new("uint8_t[?]", n)
    for i = 0, n - 1, 2 do turned[i], turned[i + 1] = p[i + 1], p[i] end
    p = turned
  end
  return header .. ffi.string(p, n), turned, a -- whose memory has to be there until now
end

return M
