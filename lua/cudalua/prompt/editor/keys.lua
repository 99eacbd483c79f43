-- Bytes of a terminal to keys.
--
-- A key is { name =, text = }. Names are "text" (a character), "paste" (what a bracketed paste holds), "enter", "up",
-- "delete" ..., with "ctrl-", "alt-", "shift-" before them in this order: "ctrl-a", "alt-enter", "ctrl-left". `text` is
-- what the key would insert. Sequences may be split between reads: what is not complete waits for feed() or flush().

local byte, sub, find, match, char = string.byte, string.sub, string.find, string.match, string.char
local gsub, lower = string.gsub, string.lower
local concat, floor, tonumber, setmetatable = table.concat, math.floor, tonumber, setmetatable

local Keys = {}
Keys.__index = Keys

local M = {}

local final_names = { A = "up", B = "down", C = "right", D = "left", E = "begin", F = "end", H = "home", M = "enter",
  P = "f1", Q = "f2", R = "f3", S = "f4", Z = "shift-tab", a = "shift-up", b = "shift-down", c = "shift-right",
  d = "shift-left" }
local tilde_names = { [1] = "home", [2] = "insert", [3] = "delete", [4] = "end", [5] = "page-up", [6] = "page-down",
  [7] = "home", [8] = "end" }
local rxvt_names = { a = "ctrl-up", b = "ctrl-down", c = "ctrl-right", d = "ctrl-left" }
local control_names = { [0] = "ctrl-@", [9] = "tab", [10] = "enter", [13] = "enter", [27] = "escape",
  [28] = "ctrl-\\", [29] = "ctrl-]", [30] = "ctrl-^", [31] = "ctrl-_", [127] = "backspace" }
for code = 1, 26 do
  control_names[code] = control_names[code] or "ctrl-" .. char(code + 96)
end

local longest_sequence = 64

local function modifiers(bits)
  bits = bits - 1
  return (floor(bits / 4) % 2 == 1 and "ctrl-" or "") .. (floor(bits / 2) % 2 == 1 and "alt-" or "") ..
    (bits % 2 == 1 and "shift-" or "")
end

-- A code point with modifiers, as xterm's modifyOtherKeys and kitty's protocol send it.
local function coded(code, bits)
  local prefix = modifiers(bits)
  local name = control_names[code]
  if name and find(name, "^ctrl%-") then return nil end
  if name then return { name = prefix .. name } end
  if code > 127 or code < 32 then return { name = "unknown" } end
  local text = char(code)
  if prefix == "" or prefix == "shift-" then return { name = "text", text = text } end
  return { name = gsub(prefix, "shift%-", "") .. lower(text) }
end

-- ESC [ parameters final.
local function control_sequence(parameters, final)
  if find(parameters, "^[<=>?]") then return nil end -- a terminal's report
  local first, second, third = match(parameters, "^(%d*)[%d:]*;?(%d*)[%d:]*;?(%d*)")
  local n, bits = tonumber(first) or 1, tonumber(second) or 1
  if bits < 1 or bits > 256 then bits = 1 end
  if final == "~" then
    if n == 27 then return coded(tonumber(third) or 0, bits) end
    local name = tilde_names[n]
    return name and { name = modifiers(bits) .. name }
  end
  if final == "u" then return coded(n, bits) end
  if final == "^" then
    local name = tilde_names[n] -- rxvt
    return name and { name = "ctrl-" .. name }
  end
  local name = final_names[final]
  return name and { name = modifiers(bits) .. name }
end

local paste_end = "\27[201~"

-- What a paste holds, as text: terminals send the Enter key for a newline.
local function pasted(parts) return { name = "paste", text = (gsub(gsub(concat(parts), "\r\n", "\n"), "\r", "\n")) } end

-- The end of a paste may be split: everything but its possible beginning is taken.
local function take_paste(self, data, i)
  local first, last = find(data, paste_end, i, true)
  if first then
    self.paste[#self.paste + 1] = sub(data, i, first - 1)
    local key = pasted(self.paste)
    self.paste = nil
    return key, last + 1
  end
  local keep = 0
  for n = #paste_end - 1, 1, -1 do
    if #data - n + 1 >= i and sub(data, -n) == sub(paste_end, 1, n) then
      keep = n
      break
    end
  end
  self.paste[#self.paste + 1] = sub(data, i, #data - keep)
  return nil, #data - keep + 1
end

local function alt(key)
  if key.name == "text" then return { name = "alt-" .. lower(key.text), text = key.text } end
  if key.name == "paste" or key.name == "unknown" then return key end
  return { name = gsub("alt-" .. key.name, "^alt%-ctrl%-", "ctrl-alt-") }
end

local one

-- A sequence that begins with ESC at i. nil if it is not complete.
local function escape(self, data, i, all)
  local kind = sub(data, i + 1, i + 1)
  if kind == "" then
    if all then return { name = "escape" }, i + 1 end
    return nil
  elseif kind == "[" then
    if sub(data, i + 2, i + 2) == "[" then -- function keys of the Linux console
      if #data < i + 3 and not all then return nil end
      return { name = "unknown" }, i + 4
    end
    local _, last, parameters, final = find(data, "^([0-9:;<=>?]*)[ -/]*([@-~])", i + 2)
    if not last then
      local _, stop = find(data, "^[0-9:;<=>?]*[ -/]*", i + 2)
      if stop < #data or stop - i > longest_sequence then return { name = "unknown" }, stop + 1 end
      if not all then return nil end
      if stop == i + 1 then return { name = "alt-[" }, i + 2 end
      return { name = "unknown" }, stop + 1
    end
    if final == "~" and parameters == "200" then
      self.paste = {}
      return take_paste(self, data, last + 1)
    end
    return control_sequence(parameters, final) or { name = "unknown" }, last + 1
  elseif kind == "O" then
    local _, last, bits, final = find(data, "^(%d?)([A-Za-z])", i + 2)
    if not last then
      if #data <= i + 2 and not all then return nil end
      return { name = "alt-o", text = "O" }, i + 2
    end
    local name = bits == "" and rxvt_names[final] or final_names[final]
    return name and { name = modifiers(tonumber(bits) or 1) .. name } or { name = "unknown" }, last + 1
  elseif kind == "\27" then
    local _, rest = find(data, "^[%[O]", i + 2)
    if rest or #data == i + 1 and not all then -- Alt with a key that sends a sequence
      local key, after = escape(self, data, i + 1, all)
      if key then return alt(key), after end
      return nil
    end
    return { name = "escape" }, i + 1
  end
  local key, after = one(self, data, i + 1, all)
  if key then return alt(key), after end
end

-- The key at i, and where the next begins. Nothing if more bytes are needed; after a paste began, only where to go on.
function one(self, data, i, all)
  local b = byte(data, i)
  if b == 27 then return escape(self, data, i, all) end
  if b < 32 or b == 127 then
    if b == 8 then return { name = "ctrl-h", text = "\8" }, i + 1 end
    return { name = control_names[b], text = char(b) }, i + 1
  end
  if b < 0x80 then return { name = "text", text = char(b) }, i + 1 end
  local n = b >= 0xf0 and b < 0xf5 and 4 or b >= 0xe0 and b < 0xf0 and 3 or b >= 0xc2 and b < 0xe0 and 2 or 1
  local _, last = find(data, "^[\128-\191]*", i + 1)
  if last < i + n - 1 then
    if last == #data and not all then return nil end -- the rest of a character has still to come
    return { name = "text", text = char(b) }, i + 1
  end
  return { name = "text", text = sub(data, i, i + n - 1) }, i + n
end

---Takes bytes and appends the keys that they complete to a list.
---@param bytes string
---@param list table[]
---@param all? boolean  true: nothing more comes soon, so that an ESC is the Escape key
function Keys:feed(bytes, list, all)
  local data, i = self.rest .. bytes, 1
  while i <= #data do
    local key, after
    if self.paste then
      key, after = take_paste(self, data, i)
    else
      key, after = one(self, data, i, all)
    end
    if not after then break end
    list[#list + 1] = key
    i = after
    if self.paste and not key and i <= #data then break end -- waits for the rest of the paste's end
  end
  self.rest = sub(data, i)
end

---Whether bytes wait for others that complete them.
function Keys:is_waiting() return self.rest ~= "" and not self.paste end

---Whether a paste has begun and has not ended.
function Keys:is_pasting() return self.paste ~= nil end

---Forgets a paste that has begun.
function Keys:drop_paste() self.paste, self.rest = nil, "" end

---A decoder.
function M.new() return setmetatable({ rest = "" }, Keys) end

---The keys of a text, for specs and for text that needs no terminal.
---@param bytes string
---@return table[]
function M.of(bytes)
  local list = {}
  M.new():feed(bytes, list, true)
  return list
end

return M
