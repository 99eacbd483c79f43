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

---The text for a chunk that does not compile.
---@param text string     the chunk
---@param message string  the compiler's
---@return string
function M.text(text, message)
  local number = tonumber(match(message, "^stdin:(%d+):"))
  if not number then return message end
  if find(text, "\n", 1, true) then
    local n = 0
    for line in gmatch(text .. "\n", "([^\n]*)\n") do
      n = n + 1
      if n == number and find(line, "%S") then
        local shown = #line > MOST and sub(line, 1, MOST) .. " ..." or line
        message = format("%s\n  %d | %s", message, n, (gsub(shown, "%c", " ")))
      end
    end
  end
  local hint = cut_string(text, number) or foreign.hint(text, number)
  return hint and message .. "\nhint: " .. hint or message
end

return M
