-- What the prompt prints for a syntax error: the message of the Lua compiler, the line in question, and a hint.

local find, format, gmatch, gsub, match, select, sub = string.find, string.format, string.gmatch, string.gsub,
  string.match, select, string.sub
local ipairs, tonumber = ipairs, tonumber

local lexer = require "cudalua.prompt.lexer"

local foreign = require "cudalua.prompt.foreign"

local M = {}

local MOST = 100 -- bytes of a line that are shown

local function line_of(text, at) return select(2, gsub(sub(text, 1, at), "\n", "")) + 1 end

local function is_device_code(word)
  return find(word, "__global__", 1, true) or find(word, "__device__", 1, true)
end

-- In `y[i] = x[idx[i]]` the brackets of the index end a string that began with [[.
local function cut_string(text, last)
  for _, token in ipairs(lexer.tokens(text)) do
    local code = token.kind == "string" and match(token.word, "^%[%[(.*)%]%]$")
    local from, to = line_of(text, token.first), line_of(text, token.last)
    if to > last then return nil end
    if code and is_device_code(code) then
      local tail = match(code, "[^\n]*$")
      local opened, closed = select(2, gsub(tail, "%[", "")), select(2, gsub(tail, "%]", ""))
      if opened > closed then
        return format("the ]] in line %d ends the Lua string that began with [[ in line %d; write [=[ and ]=] " ..
          "around it", to, from)
      end
    end
  end
end

-- Errors where a line begins that is no statement, and what printed lines look like: shapes, elements without commas,
-- values between tabs, and numbers.
local begins = { "ambiguous syntax", "unexpected symbol near", "'=' expected near", "'%]' expected near" }
local printed = { "^%s*%(%s*%d+,[%s%d,]*%)", "^%s*%[[%[%s]*[%w.+-]+[%s%]]", "^[^%s\"'=][^\t\"'=]*\t", "^[%s%d.e+-]+$",
  "^true$", "^false$" }

local function any(patterns, text)
  for _, pattern in ipairs(patterns) do
    if find(text, pattern) then return true end
  end
  return false
end

-- Output that was pasted with the statements before it.
local function output(message, line, number)
  return line and any(begins, message) and any(printed, line) and
    format("line %d looks like output; paste the statements without it", number)
end

---The text for a chunk that does not compile.
---@param text string     the chunk
---@param message string  the compiler's
---@return string
function M.text(text, message)
  local number = tonumber(match(message, "^stdin:(%d+):"))
  if not number then return message end
  local whole, wrong = message, nil
  if find(text, "\n", 1, true) then
    local n = 0
    for line in gmatch(text .. "\n", "([^\n]*)\n") do
      n = n + 1
      if n == number and find(line, "%S") then
        wrong = line
        local shown = #line > MOST and sub(line, 1, MOST) .. " ..." or line
        message = format("%s\n  %d | %s", message, n, (gsub(shown, "%c", " ")))
      end
    end
  end
  local hint = cut_string(text, number) or output(whole, wrong, number) or foreign.hint(text, number)
  return hint and message .. "\nhint: " .. hint or message
end

return M
