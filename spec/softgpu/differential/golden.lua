-- The file of a GPU's results: one line a kernel. Results that have to be the same bit for bit are there as a hash
-- of 64 bits, and one of 12 bits for each chunk of 128 lanes, which tells where a difference is; those within a
-- bound in full.
--
--   differential 1
--   device NVIDIA H200, compute capability 9.0, driver 13.0, NVRTC 13.0
--   inputs HASH
--   kernel NAME SOURCE PTX ROW ROW ...
--
-- SOURCE is a hash of all that determines the results, PTX one of what NVRTC made of it. A ROW is 16 hexadecimal
-- digits and two characters a chunk, or ~ and the words in base64.
local bit, ffi = require "bit", require "ffi"
local corpus = require "spec.softgpu.differential.corpus"
local inputs = require "spec.softgpu.differential.inputs"

local M = { path = "spec/data/differential/golden.txt", chunk = 128 }

local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"
local value_of = {}
for k = 1, 64 do value_of[digits:byte(k)] = k - 1 end

-- ---- hashes --------------------------------------------------------------------------------------------------

local bxor, rshift = bit.bxor, bit.rshift

local function mix(h, word) -- of 64 bits
  h = bxor(h, word) * 0x9e3779b97f4a7c15ULL
  return bxor(h, rshift(h, 29))
end

local function hash_words(words, at, count)
  local h = 0x243f6a8885a308d3ULL
  for i = at, at + count - 1 do h = mix(h, words[i] + 0ULL) end
  return mix(h, count + 0ULL)
end

---@param text string
---@return string  16 hexadecimal digits
function M.hash(text)
  local n = math.ceil(#text / 4)
  local words = ffi.new("uint32_t[?]", n + 1)
  ffi.copy(words, text, #text)
  words[n] = #text
  return bit.tohex(hash_words(words, 0, n + 1), 16)
end

function M.source_hash(kernel)
  return M.hash(table.concat({ kernel.headers, kernel.source, kernel.lanes, kernel.block, kernel.fill, kernel.arch,
    table.concat(kernel.options, " ") }, "\n"))
end

function M.inputs_hash() return M.hash(ffi.string(inputs.words(), inputs.bytes)) end

---Of the kernel's part of a module's PTX; what depends on the kernels beside it is left out.
function M.ptx_hash(ptx, kernel)
  local from = ptx:find(".entry " .. kernel.name .. "(", 1, true)
  local to = from and ptx:find("\n}", from, true)
  return M.hash((ptx:sub(from or 1, to or 0):gsub("%$L__BB%d+_", "$L_"):gsub("__local_depot%d+", "local")))
end

-- ---- rows ----------------------------------------------------------------------------------------------------

local function base64(words, at, count)
  local bytes = ffi.string(words + at, count * 4)
  local list = {}
  for k = 1, #bytes, 3 do
    local a, b, c = bytes:byte(k, k + 2)
    local v = a * 65536 + (b or 0) * 256 + (c or 0)
    for j = 3, c and 0 or b and 1 or 2, -1 do
      local d = math.floor(v / 64 ^ j) % 64 + 1
      list[#list + 1] = digits:sub(d, d)
    end
  end
  return table.concat(list)
end

---@return ffi.cdata*  uint32_t array
local function from_base64(text, count)
  local bytes, at, buffer, have = ffi.new("uint8_t[?]", count * 4 + 4), 0, 0, 0
  for k = 1, #text do
    buffer, have = (buffer * 64 + value_of[text:byte(k)]) % 2 ^ 24, have + 6
    if have >= 8 then
      have = have - 8
      bytes[at] = math.floor(buffer / 2 ^ have) % 256
      at = at + 1
    end
  end
  assert(at == count * 4, "a row of the golden data has another length")
  local words = ffi.new("uint32_t[?]", count)
  ffi.copy(words, bytes, count * 4)
  return words
end

---What is kept of a kernel's row.
function M.row_text(kernel, row, words)
  local at, count = row.at * kernel.lanes, row.words * kernel.lanes
  if row.bound then return "~" .. base64(words, at, count) end
  local whole, chunks = 0x13198a2e03707344ULL, {}
  local step = M.chunk * row.words
  for from = at, at + count - 1, step do
    local h = hash_words(words, from, math.min(step, at + count - from))
    whole = mix(whole, h)
    local low = tonumber(bit.band(h, 4095ULL))
    local a, b = math.floor(low / 64) + 1, low % 64 + 1
    chunks[#chunks + 1] = digits:sub(a, a) .. digits:sub(b, b)
  end
  return bit.tohex(whole, 16) .. table.concat(chunks)
end

---The words of a row that is kept in full.
function M.row_words(kernel, row, text) return from_base64(text:sub(2), row.words * kernel.lanes) end

---The lanes, first and last, of the first chunk that differs.
function M.first_chunk(kernel, want, got)
  for k = 17, #want, 2 do
    if want:sub(k, k + 1) ~= got:sub(k, k + 1) then
      local from = (k - 17) / 2 * M.chunk
      return from, math.min(from + M.chunk, kernel.lanes) - 1
    end
  end
  return 0, kernel.lanes - 1
end

-- ---- the file ------------------------------------------------------------------------------------------------

---@param path string
---@param device string
---@param results table<string, {words: ffi.cdata*}>  by kernel
---@param ptx_of fun(kernel: table): string
function M.write(path, device, results, ptx_of)
  local file = assert(io.open(path, "wb"))
  file:write("differential 1\ndevice ", device, "\ninputs ", M.inputs_hash(), "\n")
  for _, kernel in ipairs(corpus.kernels()) do
    local result = results[kernel.name]
    if result and result.words then
      local rows = {}
      for k, row in ipairs(kernel.rows) do rows[k] = M.row_text(kernel, row, result.words) end
      file:write("kernel ", kernel.name, " ", M.source_hash(kernel), " ", M.ptx_hash(ptx_of(kernel), kernel), " ",
        table.concat(rows, " "), "\n")
    end
  end
  file:close()
end

---@param path? string
---@return {device: string, inputs: string, kernels: table<string, {source: string, ptx: string, rows: string[]}>}?
function M.read(path)
  local file = io.open(path or M.path, "rb")
  if not file then return nil end
  local data = { kernels = {} }
  for line in file:lines() do
    local word, rest = line:match "^(%S+) (.*)$"
    if word == "kernel" then
      local name, source, ptx, rows = rest:match "^(%S+) (%S+) (%S+) (.*)$"
      local kernel = { source = source, ptx = ptx, rows = {} }
      for row in rows:gmatch "%S+" do kernel.rows[#kernel.rows + 1] = row end
      data.kernels[name] = kernel
    elseif word then
      data[word] = rest
    end
  end
  file:close()
  return data
end

return M
