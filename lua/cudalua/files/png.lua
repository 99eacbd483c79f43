-- Reads PNG files (the W3C's "PNG Specification, third edition"): all colour types and depths, interlaced ones, too.
-- Colours are taken as they are: chunks on gamma and colour spaces are passed over.

local ffi = require "ffi"
local bit = require "bit"
local arrays = require "cudalua.ndarray.array"
local crc32 = require "cudalua.ndarray.crc32"
local deflate = require "cudalua.files.deflate"
local dtypes = require "cudalua.dtype"
local inflate = require "cudalua.ndarray.inflate"
local layout = require "cudalua.base.layout"
local pace = require "cudalua.base.pace"

local band, rshift = bit.band, bit.rshift
local refuse = layout.refuse
local bytes_t, words_t = ffi.typeof "uint8_t *", ffi.typeof "uint16_t *"

local M = {}

M.SIGNATURE = "\137PNG\r\n\26\n"
local MOST_PACKED = 1032 -- times as many bytes come out of deflated data as are in it, at most

-- Colour types: samples of a pixel, and the depths that they may have.
local kinds = {
  [0] = { samples = 1, depths = { [1] = true, [2] = true, [4] = true, [8] = true, [16] = true } },
  [2] = { samples = 3, depths = { [8] = true, [16] = true } },
  [3] = { samples = 1, depths = { [1] = true, [2] = true, [4] = true, [8] = true }, palette = true },
  [4] = { samples = 2, depths = { [8] = true, [16] = true } },
  [6] = { samples = 4, depths = { [8] = true, [16] = true } },
}

-- The seven passes of an interlaced picture: first column and row, and the steps.
local PASSES = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 }, { 0, 2, 2, 4 }, { 1, 0, 2, 2 },
  { 0, 1, 1, 2 } }

local function u16(p, at) return p[at] * 2 ^ 8 + p[at + 1] end
local function u32(p, at) return u16(p, at) * 2 ^ 16 + u16(p, at + 2) end

-- ---- chunks ---------------------------------------------------------------------------------------------------------

local function read_header(s, p, n)
  if n ~= 13 then s.refuse "the header is damaged" end
  s.width, s.height, s.depth = u32(p, 0), u32(p, 4), p[8]
  local colour, kind = p[9], kinds[p[9]]
  if not kind then s.refuse(("colour type %d does not exist"):format(colour)) end
  if not kind.depths[s.depth] then
    s.refuse(("colour type %d with %d bits does not exist"):format(colour, s.depth))
  end
  if p[10] ~= 0 then s.refuse(("compression method %d is not supported"):format(p[10])) end
  if p[11] ~= 0 then s.refuse(("filter method %d is not supported"):format(p[11])) end
  if p[12] > 1 then s.refuse(("interlace method %d is not supported"):format(p[12])) end
  if s.width < 1 or s.height < 1 or s.width >= 2 ^ 31 or s.height >= 2 ^ 31 then
    s.refuse(("a size of %.0f x %.0f is not allowed"):format(s.width, s.height))
  end
  s.kind, s.colour, s.samples, s.interlaced = kind, colour, kind.samples, p[12] == 1
end

-- What each chunk that matters says; all others that may be passed over are.
local readers = {}

function readers.PLTE(s, p, n)
  if n % 3 ~= 0 or n < 3 or n > 768 or s.palette then s.refuse "the palette is damaged" end
  s.palette = { n = n / 3, colours = ffi.new("uint8_t[1024]"), alpha = false }
  for i = 0, n / 3 - 1 do
    for k = 0, 2 do s.palette.colours[4 * i + k] = p[3 * i + k] end
    s.palette.colours[4 * i + 3] = 255
  end
end

function readers.tRNS(s, p, n)
  if s.colour == 3 then
    if not s.palette or n > s.palette.n then s.refuse "the palette's transparency is damaged" end
    s.palette.alpha = true
    for i = 0, n - 1 do s.palette.colours[4 * i + 3] = p[i] end
  elseif s.colour == 0 or s.colour == 2 then
    if n ~= 2 * s.samples then s.refuse "the transparent colour is damaged" end
    s.clear = {}
    for k = 0, s.samples - 1 do s.clear[k] = u16(p, 2 * k) end
  end
end

-- Goes through the chunks up to IEND; the image data of all of them as one string.
local function read_chunks(s, bytes)
  local p, n, at, data, ended = ffi.cast("const uint8_t *", bytes), #bytes, #M.SIGNATURE, {}, false
  while true do
    if at + 12 > n then s.refuse "the file is truncated: it has no end" end
    local length, name = u32(p, at), bytes:sub(at + 5, at + 8)
    if not name:find "^%a%a%a%a$" then s.refuse "a chunk's name is damaged" end
    if at + 12 + length > n then s.refuse(("the file is truncated: the chunk %s is incomplete"):format(name)) end
    local critical, known = name:find "^%u", readers[name] or name == "IHDR" or name == "IDAT" or name == "IEND"
    if critical and not known then s.refuse(("the chunk %s is not supported"):format(name)) end
    if known and crc32(p + at + 4, length + 4) ~= u32(p, at + 8 + length) then
      s.refuse(("the chunk %s is damaged: its checksum does not match"):format(name))
    end
    if (name == "IHDR") ~= (at == #M.SIGNATURE) then s.refuse "the header is not the first chunk, or there are two" end
    if name == "IEND" then break end
    if name == "IHDR" then
      read_header(s, p + at + 8, length)
    elseif name == "IDAT" then
      if ended then s.refuse "the image data is not in one piece" end
      data[#data + 1] = bytes:sub(at + 9, at + 8 + length)
    elseif known then
      if data[1] then s.refuse(("the chunk %s comes after the image data"):format(name)) end
      readers[name](s, p + at + 8, length)
    end
    ended = data[1] ~= nil and name ~= "IDAT"
    at = at + 12 + length
  end
  if not data[1] then s.refuse "the file has no image data" end
  if s.kind.palette and not s.palette then s.refuse "the file has no palette" end
  return table.concat(data)
end

-- ---- image data -----------------------------------------------------------------------------------------------------

-- The passes that have pixels: where they begin, their steps, columns, rows, and bytes of a row.
local function passes_of(s)
  local list, total = {}, 0
  for _, pass in ipairs(s.interlaced and PASSES or { { 0, 0, 1, 1 } }) do
    local w, h = math.ceil((s.width - pass[1]) / pass[3]), math.ceil((s.height - pass[2]) / pass[4])
    if w > 0 and h > 0 then
      local row = math.ceil(w * s.samples * s.depth / 8)
      list[#list + 1] = { x = pass[1], y = pass[2], dx = pass[3], dy = pass[4], w = w, h = h, row = row }
      total = total + h * (1 + row)
    end
  end
  return list, total
end

local function unpacked(s, data, total)
  if total > MOST_PACKED * (#data + 1) then
    s.refuse(("the image data is too short: %d bytes for %.0f x %.0f pixels"):format(#data, s.width, s.height))
  end
  local p = ffi.cast("const uint8_t *", data)
  if #data < 6 or band(p[0], 15) ~= 8 or p[0] > 0x78 or u16(p, 0) % 31 ~= 0 or band(p[1], 32) ~= 0 then
    s.refuse "the image data is damaged: it is not zlib data"
  end
  local to, memory = arrays.allocate(s.what, total)
  local out, used = inflate(s.what .. ": " .. s.name, p + 2, #data - 2, to, total)
  if out < total then s.refuse "the image data is too short" end
  if used + 6 > #data or deflate.adler32(to, total) ~= u32(p, used + 2) then
    s.refuse "the image data is damaged: its checksum does not match"
  end
  return to, memory
end

-- The filters of a row, undone in place: `up` is the row above, `unit` the bytes of a pixel.
local filters = {
  [0] = function() end,
  function(row, _, n, unit)
    for i = unit, n - 1 do row[i] = row[i] + row[i - unit] end
  end,
  function(row, up, n)
    for i = 0, n - 1 do row[i] = row[i] + up[i] end
  end,
  function(row, up, n, unit)
    for i = 0, math.min(unit, n) - 1 do row[i] = row[i] + rshift(up[i], 1) end
    for i = unit, n - 1 do row[i] = row[i] + rshift(row[i - unit] + up[i], 1) end
  end,
  function(row, up, n, unit)
    for i = 0, math.min(unit, n) - 1 do row[i] = row[i] + up[i] end
    for i = unit, n - 1 do
      local a, b, c = row[i - unit], up[i], up[i - unit]
      local pa, pb, pc = math.abs(b - c), math.abs(a - c), math.abs(a + b - 2 * c)
      row[i] = row[i] + ((pa <= pb and pa <= pc) and a or pb <= pc and b or c)
    end
  end,
}

local function unfilter(s, p, pass)
  local unit = math.max(1, s.samples * s.depth / 8)
  local zeros = ffi.new("uint8_t[?]", pass.row)
  local up = ffi.cast(bytes_t, zeros)
  for y = 0, pass.h - 1 do
    local row = p + y * (1 + pass.row) + 1
    local filter = filters[row[-1]]
    if not filter then s.refuse(("the image data is damaged: filter %d does not exist"):format(row[-1])) end
    filter(row, up, pass.row, unit)
    pace(pass.row)
    up = row
  end
  return zeros -- which has to be there until now
end

-- ---- pixels ---------------------------------------------------------------------------------------------------------

-- The samples of a row as numbers.
local function samples_of(s, row, n, to)
  if s.depth == 16 then
    for i = 0, n - 1 do to[i] = row[2 * i] * 256 + row[2 * i + 1] end
  elseif s.depth == 8 then
    for i = 0, n - 1 do to[i] = row[i] end
  else
    local each, mask = 8 / s.depth, 2 ^ s.depth - 1
    for i = 0, n - 1 do
      to[i] = band(rshift(row[math.floor(i / each)], (each - 1 - i % each) * s.depth), mask)
    end
  end
end

-- Puts the samples of a row into the pixels of the picture, from `out` on, `step` elements apart.
local function put_palette(s, samples, w, out, step)
  local palette, channels = s.palette, s.channels
  for x = 0, w - 1 do
    local i = samples[x]
    if i >= palette.n then s.refuse(("a pixel has colour %d, but the palette has %d"):format(i, palette.n)) end
    for k = 0, channels - 1 do out[x * step + k] = palette.colours[4 * i + k] end
  end
end

local function put_samples(s, samples, w, out, step)
  local count, scale = s.samples, s.depth < 8 and 255 / (2 ^ s.depth - 1) or 1
  for x = 0, w - 1 do
    for k = 0, count - 1 do out[x * step + k] = samples[x * count + k] * scale end
  end
  if not s.clear then return end
  local opaque = s.depth == 16 and 65535 or 255
  for x = 0, w - 1 do
    local same = true
    for k = 0, count - 1 do same = same and samples[x * count + k] == s.clear[k] end
    out[x * step + count] = same and 0 or opaque
  end
end

---Reads a picture.
---@param what string  function, for messages
---@param name string  of the file, for messages
---@param bytes string
---@param most integer  pixels
---@return cudalua.ndarray.Array  uint8, or uint16 for 16 bits: (h, w) gray, (h, w, 2) with alpha, (h, w, 3), (h, w, 4)
---@raise LogicError for a damaged file; before memory is taken if it says that it is larger than it can be
function M.decode(what, name, bytes, most)
  local s = { what = what, name = name }
  function s.refuse(text) refuse(what, name .. ": " .. text) end
  local data = read_chunks(s, bytes)
  if s.width * s.height > most then
    s.refuse(("%.0f x %.0f pixels are more than max_pixels, %.0f"):format(s.width, s.height, most))
  end
  local passes, total = passes_of(s)
  local p, memory = unpacked(s, data, total)
  local palette = s.kind.palette
  s.channels = palette and (s.palette.alpha and 4 or 3) or s.samples + (s.clear and 1 or 0)
  local shape = { s.height, s.width, s.channels > 1 and s.channels or nil }
  local a = arrays.allocated(what, shape, s.depth == 16 and dtypes.uint16 or dtypes.uint8, "C")
  local out, put = ffi.cast(s.depth == 16 and words_t or bytes_t, a:data()), palette and put_palette or put_samples
  local samples = ffi.new("uint16_t[?]", s.width * s.samples)
  for _, pass in ipairs(passes) do
    unfilter(s, p, pass)
    for y = 0, pass.h - 1 do
      pace(pass.row)
      samples_of(s, p + y * (1 + pass.row) + 1, pass.w * s.samples, samples)
      put(s, samples, pass.w, out + ((pass.y + y * pass.dy) * s.width + pass.x) * s.channels, pass.dx * s.channels)
    end
    p = p + pass.h * (1 + pass.row)
  end
  return a, memory
end

return M
