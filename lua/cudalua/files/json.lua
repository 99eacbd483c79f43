-- JSON, strictly (RFC 8259): what headers of files are made of. An object is a record that keeps the order of its keys;
-- a key that comes twice, bytes that are not UTF-8 and deep nesting are errors.

local pace = require "cudalua.base.pace"

local M = {}

local DEEPEST = 32      -- levels of arrays and objects
local AT_ONCE = 65536   -- values between two looks at Ctrl-C

---Stands for null.
M.null = setmetatable({}, { __tostring = function() return "null" end })

---@class cudalua.json.Object
---@field kind "object"
---@field keys string[]
---@field values table<string, any>

---@class cudalua.json.Array
---@field kind "array"
---@field count integer
---@field [integer] any

-- ---- strings --------------------------------------------------------------------------------------------------------

-- The second byte's range behind some first ones: no overlong forms, no surrogates, nothing above U+10FFFF.
local low, high = { [0xE0] = 0xA0, [0xF0] = 0x90 }, { [0xED] = 0x9F, [0xF4] = 0x8F }

---Is it UTF-8?
---@param s string
---@return boolean
function M.is_utf8(s)
  local at = s:find "[\128-\255]"
  while at do
    local first, second = s:byte(at, at + 1)
    local more = first >= 0xF0 and 3 or first >= 0xE0 and 2 or 1
    if first < 0xC2 or first > 0xF4 then return false end
    if not second or second < (low[first] or 0x80) or second > (high[first] or 0xBF) then return false end
    if not s:find("^" .. ("[\128-\191]"):rep(more), at + 1) then return false end
    at = s:find("[\128-\255]", at + 1 + more)
  end
  return true
end

local function utf8(code)
  local char = string.char
  if code < 0x80 then return char(code) end
  local last = char(0x80 + code % 64)
  code = math.floor(code / 64)
  if code < 0x20 then return char(0xC0 + code) .. last end
  last = char(0x80 + code % 64) .. last
  code = math.floor(code / 64)
  if code < 0x10 then return char(0xE0 + code) .. last end
  return char(0xF0 + math.floor(code / 64)) .. char(0x80 + code % 64) .. last
end

local escapes = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

-- What \uXXXX at a position stands for, and the position behind it.
local function unicode(s, at)
  local text = s.text
  local digits = text:match("^\\u(%x%x%x%x)", at)
  if not digits then s.fail(at, "expected four hexadecimal digits after \\u") end
  local code = tonumber(digits, 16)
  at = at + 6
  if code < 0xD800 or code > 0xDFFF then return utf8(code), at end
  local second = tonumber(code < 0xDC00 and text:match("^\\u(%x%x%x%x)", at) or "", 16)
  if not second or second < 0xDC00 or second > 0xDFFF then s.fail(at - 6, "half of a surrogate pair") end
  return utf8(0x10000 + (code - 0xD800) * 0x400 + second - 0xDC00), at + 6
end

-- The string whose quote is at a position, and the position behind it.
local function read_string(s, at)
  local text, parts, from, begin = s.text, {}, at + 1, at
  while true do
    local stop = text:find('[%z\1-\31"\\]', from)
    if not stop then s.fail(begin, "the string does not end") end
    parts[#parts + 1] = text:sub(from, stop - 1)
    local c = text:sub(stop, stop)
    if c == '"' then
      local out = table.concat(parts)
      if not M.is_utf8(out) then s.fail(begin, "the string is not UTF-8") end
      return out, stop + 1
    end
    if c ~= "\\" then s.fail(stop, "a control character in a string") end
    local letter = text:sub(stop + 1, stop + 1)
    if letter == "u" then
      parts[#parts + 1], from = unicode(s, stop)
    else
      if not escapes[letter] then s.fail(stop, "an unknown escape") end
      parts[#parts + 1], from = escapes[letter], stop + 2
    end
  end
end

-- ---- values ---------------------------------------------------------------------------------------------------------

local read_value

local function skip(s, at) return s.text:find("[^ \t\r\n]", at) or #s.text + 1 end

local function read_number(s, at)
  local text = s.text
  local stop = select(2, text:find("^-?%d+", at))
  if not stop then s.fail(at, "expected a value") end
  if text:find("^-?0%d", at) then s.fail(at, "a number begins with 0") end
  stop = select(2, text:find("^%.%d+", stop + 1)) or stop
  stop = select(2, text:find("^[eE][+-]?%d+", stop + 1)) or stop
  local x = tonumber(text:sub(at, stop))
  if not x or x - x ~= 0 then s.fail(at, "the number is too large") end
  return x, stop + 1
end

-- What comes behind an element: the position of the next one, or nil and the position behind the end.
local function after(s, at, closing)
  at = skip(s, at)
  local c = s.text:sub(at, at)
  if c == closing then return nil, at + 1 end
  if c ~= "," then s.fail(at, ("expected ',' or '%s'"):format(closing)) end
  return skip(s, at + 1)
end

local function read_array(s, at, depth)
  local out = { kind = "array", count = 0 }
  at = skip(s, at + 1)
  if s.text:sub(at, at) == "]" then return out, at + 1 end
  while true do
    local stop
    out.count = out.count + 1
    out[out.count], at = read_value(s, at, depth)
    at, stop = after(s, at, "]")
    if not at then return out, stop end
  end
end

local function read_object(s, at, depth)
  local keys, values = {}, {}
  at = skip(s, at + 1)
  if s.text:sub(at, at) == "}" then return { kind = "object", keys = keys, values = values }, at + 1 end
  while true do
    if s.text:sub(at, at) ~= '"' then s.fail(at, "expected a key") end
    local key, behind = read_string(s, at)
    if values[key] ~= nil then s.fail(at, "the key appears twice") end
    at = skip(s, behind)
    if s.text:sub(at, at) ~= ":" then s.fail(at, "expected ':'") end
    keys[#keys + 1] = key
    values[key], at = read_value(s, skip(s, at + 1), depth)
    local stop
    at, stop = after(s, at, "}")
    if not at then return { kind = "object", keys = keys, values = values }, stop end
  end
end

local words = { t = { "true", true }, f = { "false", false }, n = { "null", M.null } }

function read_value(s, at, depth)
  s.count = s.count + 1
  if s.count % AT_ONCE == 0 then pace(AT_ONCE) end
  local c = s.text:sub(at, at)
  if c == '"' then return read_string(s, at) end
  if c == "{" or c == "[" then
    if depth == DEEPEST then s.fail(at, ("more than %d levels"):format(DEEPEST)) end
    return (c == "{" and read_object or read_array)(s, at, depth + 1)
  end
  local word = words[c]
  if word and s.text:sub(at, at + #word[1] - 1) == word[1] then return word[2], at + #word[1] end
  return read_number(s, at)
end

---Reads a text that is one value.
---@param text string
---@param refuse fun(why: string)  raises; why names the byte, counted from 1
---@return any value  cudalua.json.Object or Array, string, number, boolean, or M.null
function M.decode(text, refuse)
  local s = { text = text, count = 0 }
  function s.fail(at, why)
    if at > #text then refuse "the text ends too early" end
    refuse(("%s at byte %d"):format(why, at))
  end
  local value, at = read_value(s, skip(s, 1), 0)
  at = skip(s, at)
  if at <= #text then s.fail(at, "more text after the value") end
  return value
end

-- ---- writing --------------------------------------------------------------------------------------------------------

local short = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r",
  ["\t"] = "\\t" }

local function quoted(s)
  return '"' .. s:gsub('[%z\1-\31"\\]', function(c) return short[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function write(value, out)
  local kind = type(value) == "table" and value.kind
  if kind == "object" then
    for i, key in ipairs(value.keys) do
      out[#out + 1] = (i == 1 and "{" or ",") .. quoted(key) .. ":"
      write(value.values[key], out)
    end
    out[#out + 1] = #value.keys == 0 and "{}" or "}"
  elseif kind == "array" then
    out[#out + 1] = "["
    for i = 1, value.count do
      if i > 1 then out[#out + 1] = "," end
      write(value[i], out)
    end
    out[#out + 1] = "]"
  elseif type(value) == "number" then
    local whole = value % 1 == 0 and math.abs(value) <= 2 ^ 53
    out[#out + 1] = (whole and "%.0f" or "%.17g"):format(value)
  else
    out[#out + 1] = type(value) == "string" and quoted(value) or tostring(value)
  end
end

---Writes a value, without white space.
---@param value any  as decode gives it; strings are UTF-8, numbers finite
---@return string
function M.encode(value)
  local out = {}
  write(value, out)
  return table.concat(out)
end

---An object with these keys and values.
---@param pairs_list any[]  key, value, key, value ...
---@return cudalua.json.Object
function M.object(pairs_list)
  local keys, values = {}, {}
  for i = 1, #pairs_list, 2 do
    keys[#keys + 1] = pairs_list[i]
    values[pairs_list[i]] = pairs_list[i + 1]
  end
  return { kind = "object", keys = keys, values = values }
end

---An array of these elements.
---@param list any[]
---@return cudalua.json.Array
function M.array(list)
  local out = { kind = "array", count = #list }
  for i = 1, #list do out[i] = list[i] end
  return out
end

return M
