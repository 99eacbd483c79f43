-- Values as text: tables with their contents, strings in quotes, functions with their place. Nothing of a value is
-- called but its __tostring, in a protected call.

-- Taken now: a program may put anything in their place.
local byte, find, format, gsub, match, rep, sub = string.byte, string.find, string.format,
  string.gsub, string.match, string.rep, string.sub
local concat, sort, min = table.concat, table.sort, math.min
local getmetatable, ipairs, pcall, rawget, tonumber = debug.getmetatable, ipairs, pcall, rawget, tonumber
local tostring, type = tostring, type
local ffi = require "ffi"
local sizeof, typeof, typeinfo = ffi.sizeof, ffi.typeof, ffi.typeinfo
local band, rshift = require("bit").band, require("bit").rshift

local function_text = require("cudalua.text.function").text
local keywords = require "cudalua.text.keywords"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

-- What is shown, at most.
local LEVELS, ITEMS, BYTES, WIDTH = 3, 100, 8192, 78
local INNER = 200     -- bytes of a string in a table
local SORTED = 10000  -- fields that are sorted, of a table with more

-- ---- strings --------------------------------------------------------------------------------------------------------

local escapes = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }

-- Length of the UTF-8 character that begins at i, or nil. The ranges are those of RFC 3629.
local function utf8_length(s, i)
  local a, b = byte(s, i, i + 1)
  if not b or b < 0x80 or b > 0xbf then return nil end
  if a >= 0xc2 and a <= 0xdf then return 2 end
  if a >= 0xe0 and a <= 0xef then
    if a == 0xe0 and b < 0xa0 or a == 0xed and b > 0x9f then return nil end
    return find(s, "^[\128-\191]", i + 2) and 3 or nil
  end
  if a < 0xf0 or a > 0xf4 or a == 0xf0 and b < 0x90 or a == 0xf4 and b > 0x8f then return nil end
  return find(s, "^[\128-\191][\128-\191]", i + 2) and 4 or nil
end

local function escaped(s)
  local out, n, i = {}, 0, 1
  while i <= #s do
    local _, last = find(s, '^[^%c"\\\127-\255]+', i)
    last = last or byte(s, i) > 127 and utf8_length(s, i) and i + utf8_length(s, i) - 1
    n = n + 1
    if last then
      out[n] = sub(s, i, last)
      i = last + 1
    else
      local c = sub(s, i, i)
      out[n] = escapes[c] or format(find(s, "^%d", i + 1) and "\\%03d" or "\\%d", byte(c))
      i = i + 1
    end
  end
  return concat(out)
end

---A string in quotes, as Lua reads it. UTF-8 stays as it is.
---@param s string
---@param most? integer  bytes that are shown
---@return string
function M.quoted(s, most)
  if not most or #s <= most then return '"' .. escaped(s) .. '"' end
  while most > 0 and find(s, "^[\128-\191]", most + 1) do most = most - 1 end -- between two characters
  return format('"%s"... (%d bytes)', escaped(sub(s, 1, most)), #s)
end

-- ---- single values --------------------------------------------------------------------------------------------------

local function number(x) return format("%.14g", x) end

local failed -- called with the error of a __tostring, or nil

-- What the value's own __tostring gives.
local function own_text(x)
  local ok, text = pcall(tostring, x)
  if ok and type(text) == "string" then return text end
  if ok then return format("<%s whose __tostring fails>", type(x)) end
  local instead = failed and failed(text, x)
  if instead then return instead end
  local message = type(text) == "table" and rawget(text, "message") or text
  return format("<%s whose __tostring fails%s>", type(x), type(message) == "string" and ": " .. message or "")
end

local numeric = {}
for _, name in ipairs { "bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
  "unsigned int", "int64_t", "uint64_t", "long", "unsigned long", "float", "double" } do
  numeric[name] = true
end

-- Kinds of LuaJIT's C types (lj_ctype.h).
local STRUCT, POINTER, TYPEDEF, ATTRIBUTE, FIELD, BITFIELD = 1, 2, 7, 8, 9, 10
local REFERENCE = 0x800000 -- of a pointer

-- Appends the names of a C type's fields; false if it is no struct or union. Those of one without a name inside of it
-- are its own.
local function add_fields(id, names)
  local info = typeinfo(id)
  local kind = info and rshift(info.info, 28)
  if kind == TYPEDEF or kind == ATTRIBUTE or kind == POINTER and band(info.info, REFERENCE) ~= 0 then
    return add_fields(band(info.info, 0xffff), names)
  elseif kind ~= STRUCT then
    return false
  end
  local member = info.sib and typeinfo(info.sib)
  while member and #names <= ITEMS do
    kind = rshift(member.info, 28)
    if member.name and (kind == FIELD or kind == BITFIELD) then
      names[#names + 1] = member.name
    elseif kind == ATTRIBUTE then
      add_fields(band(member.info, 0xffff), names)
    end
    member = member.sib and typeinfo(member.sib)
  end
  return true
end

local cdata

-- A struct by its fields; nil for anything else.
local function struct(x, name)
  local names = {}
  if not typeinfo or not add_fields(tonumber(typeof(x)), names) then return nil end
  local list = {}
  for i = 1, min(#names, ITEMS) do
    local value = x[names[i]]
    list[i] = format("%s = %s", names[i],
      type(value) == "number" and number(value) or type(value) == "cdata" and cdata(value) or tostring(value))
  end
  if #names > ITEMS then list[ITEMS + 1] = "..." end
  -- LuaJIT has a number for what has no name.
  return format("%s { %s }", gsub(gsub(name, "%s*&$", ""), "%s%d+$", ""), concat(list, ", "))
end

-- Numbers, arrays of numbers and structs by their values, others by their address.
function cdata(x)
  local name = tostring(typeof(x))
  local element, length = match(gsub(name, "%(&%)", ""), "^ctype<(.-) %[([%d?]+)%]>$") -- of a reference, too
  local scalar = match(name, "^ctype<(.-)>$")
  if (numeric[element] or numeric[scalar]) and tostring(x) == name then return name end -- a type
  if numeric[element] then
    length = length == "?" and sizeof(x) / sizeof(element) or length + 0
    local list = {}
    for i = 1, min(length, ITEMS) do
      local value = x[i - 1]
      list[i] = type(value) == "number" and number(value) or tostring(value)
    end
    return format("%s[%d] { %s%s }", element, length, concat(list, ", "), length > ITEMS and ", ..." or "")
  end
  if numeric[scalar] and scalar ~= "int64_t" and scalar ~= "uint64_t" then
    local value = ffi.new(scalar .. "[1]", x)[0]
    return format("%s(%s)", scalar, type(value) == "number" and number(value) or tostring(value))
  end
  local text = own_text(x)
  return text ~= name and find(text, "^cdata<") and struct(x, scalar) or text
end

-- The text of anything but a table that is shown with its contents.
local function single(x, most)
  local kind = type(x)
  if kind == "string" then return M.quoted(x, most) end
  if kind == "number" then return number(x) end
  if kind == "function" then return function_text(x) end
  if kind == "cdata" then return cdata(x) end
  if kind == "nil" or kind == "boolean" then return kind == "nil" and "nil" or x and "true" or "false" end
  return own_text(x)
end

-- ---- tables ---------------------------------------------------------------------------------------------------------

local ranks = { number = 1, string = 2 }

local function before(a, b)
  local kind, other = type(a), type(b)
  if kind == other and (kind == "number" or kind == "string") then return a < b end
  local rank, rank_other = ranks[kind] or 3, ranks[other] or 3
  if rank ~= rank_other then return rank < rank_other end
  return own_text(a) < own_text(b)
end

-- How long the list is, the keys of the fields in their order, and how many there are.
local function keys_of(t)
  local length = 0
  while rawget(t, length + 1) ~= nil do length = length + 1 end
  local keys, fields = {}, 0
  for key in pairs_of(t) do
    if not (type(key) == "number" and key >= 1 and key <= length and key % 1 == 0) then
      fields = fields + 1
      if fields <= SORTED then keys[fields] = key end
    end
  end
  sort(keys, before)
  return length, keys, fields
end

local function key_text(key)
  if type(key) == "string" and find(key, "^[%a_][%w_]*$") and not keywords[key] then return key .. " = " end
  return "[" .. single(key, INNER) .. "] = "
end

---What is being written.
---@class cudalua.text.Work
---@field path table<table, integer>  the tables around, with their levels
---@field bytes integer   that may still be written
---@field items integer   that were left out
---@field deep integer    tables whose contents were left out

local text_of

-- The items of a table as texts.
local function items_of(work, t, level)
  local out, n = {}, 0
  local length, keys, fields = keys_of(t)
  for i = 1, min(length + fields, ITEMS) do
    if work.bytes <= 0 then break end
    local key = keys[i - length]
    work.bytes = work.bytes - 2 * level - 2 -- what stands around the item
    n = n + 1
    if i <= length then
      out[n] = text_of(work, rawget(t, i), level)
    else
      local name = key_text(key)
      work.bytes = work.bytes - #name
      out[n] = name .. text_of(work, rawget(t, key), level)
    end
  end
  if n < length + fields then
    work.items = work.items + length + fields - n
    out[n + 1] = "..."
  end
  return out, length
end

-- On one line if there is room, else in lines: what is short stands side by side, as far as the list goes.
local function laid_out(items, length, level, name)
  local all = concat(items, ", ")
  local indent = rep("  ", level)
  if #all + 2 * level + #name + 4 <= WIDTH and not find(all, "\n", 1, true) then return name .. "{ " .. all .. " }" end
  local lines, line = {}, ""
  for i, item in ipairs(items) do
    item = gsub(item, "\n", "\n" .. "  ") .. (i < #items and "," or "")
    local fits = i <= length and not find(item, "\n", 1, true) and not find(line, "\n", 1, true) and
      #line + #item + 1 <= WIDTH - #indent - 2
    if line ~= "" and not fits then
      lines[#lines + 1] = line
      line = item
    else
      line = line == "" and item or line .. " " .. item
    end
  end
  lines[#lines + 1] = line
  return name .. "{\n  " .. concat(lines, "\n  ") .. "\n}"
end

local function table_text(work, t, level, name)
  if work.path[t] then return format("<cycle: the table of level %d>", work.path[t]) end
  if level >= LEVELS then
    local following, of = pairs_of(t)
    if following(of) == nil then return name .. "{}" end
    work.deep = work.deep + 1
    return name .. "{...}"
  end
  work.path[t] = level + 1
  local items, length = items_of(work, t, level + 1)
  work.path[t] = nil
  if #items == 0 then return name .. "{}" end
  return laid_out(items, length, level, name)
end

function text_of(work, x, level)
  local text
  if type(x) == "table" then
    local mt = getmetatable(x)
    if not (type(mt) == "table" and rawget(mt, "__tostring") ~= nil) then
      local name = type(mt) == "table" and rawget(mt, "__name")
      name = type(name) == "string" and name .. " " or ""
      work.bytes = work.bytes - #name - 4
      return table_text(work, x, level, name)
    end
    text = own_text(x)
  else
    text = single(x, level > 0 and INNER or BYTES)
  end
  if level > 0 and #text > work.bytes then text = sub(text, 1, work.bytes > 0 and work.bytes or 0) .. "..." end
  work.bytes = work.bytes - #text
  return text
end

local function counted(n, what) return format("%d %s%s", n, what, n == 1 and "" or "s") end

---A value as text, of several lines if it is long. Shown of a table: its list, then its fields by name; three levels,
---100 items of each table, and 8 KiB in all. The last line says what is left out.
---@param x any
---@param on_error? fun(err: any, x: any): string?  called with the error of a __tostring; may give another text
---@return string
function M.text(x, on_error)
  local work = { path = {}, bytes = BYTES, items = 0, deep = 0 }
  failed = on_error
  local text = text_of(work, x, 0)
  failed = nil
  local left = {}
  if work.items > 0 then left[1] = counted(work.items, "item") end
  if work.deep > 0 then left[#left + 1] = "the contents of " .. counted(work.deep, "table") end
  if #left > 0 then text = text .. "\n-- left out: " .. concat(left, ", ") end
  return text
end

return M
