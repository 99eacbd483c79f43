-- Values as bytes, for files that keep compiled kernels: strings, numbers, booleans and tables of them. Nothing in such
-- bytes can run. Bytes that are damaged raise no error: decode() returns nil.

local pairs_of = require "cudalua.base.pairs_of"

local M = {}

local DEEPEST = 100 -- tables in tables; payloads have five

-- A value as text: s<bytes>:..., n<number>; , b0 or b1, t<pairs>:key value key value ...
local function encode(value, out)
  local kind = type(value)
  if kind == "string" then
    out[#out + 1] = ("s%d:"):format(#value)
    out[#out + 1] = value
  elseif kind == "number" then
    out[#out + 1] = ("n%.17g;"):format(value)
  elseif kind == "boolean" then
    out[#out + 1] = value and "b1" or "b0"
  elseif kind == "table" then
    local keys = {}
    for key in pairs_of(value) do keys[#keys + 1] = key end
    -- In order, so that writers of the same entry write the same bytes.
    table.sort(keys, function(a, b)
      if type(a) ~= type(b) then return type(a) < type(b) end
      return a < b
    end)
    out[#out + 1] = ("t%d:"):format(#keys)
    for _, key in ipairs(keys) do
      encode(key, out)
      encode(value[key], out)
    end
  else
    error("a " .. kind .. " cannot be stored")
  end
  return out
end

---@param value any  of strings, numbers, booleans and tables of them
---@return string
function M.encode(value) return table.concat(encode(value, {})) end

local decode

-- Each reads one value behind its letter: text, place, depth -> value, place behind it. They raise for damaged text.
local readers = {
  [115] = function(text, at) -- s
    local colon = text:find(":", at, true)
    local last = colon + tonumber(text:sub(at, colon - 1))
    if last > #text then error "cut off" end
    return text:sub(colon + 1, last), last + 1
  end,
  [110] = function(text, at) -- n
    local stop = text:find(";", at, true)
    return tonumber(text:sub(at, stop - 1)), stop + 1
  end,
  [98] = function(text, at) return text:byte(at) == 49, at + 1 end, -- b
  [116] = function(text, at, depth) -- t
    if depth > DEEPEST then error "too deep" end
    local colon = text:find(":", at, true)
    local all, next_at = {}, colon + 1
    for _ = 1, tonumber(text:sub(at, colon - 1)) do
      local key, after_key = decode(text, next_at, depth + 1)
      all[key], next_at = decode(text, after_key, depth + 1)
    end
    return all, next_at
  end,
}

function decode(text, at, depth) return readers[text:byte(at)](text, at + 1, depth) end

---@param bytes string
---@return any? value  nil: the bytes are none that encode() made
function M.decode(bytes)
  local ok, value, past = pcall(decode, bytes, 1, 1)
  if ok and past == #bytes + 1 then return value end
end

return M
