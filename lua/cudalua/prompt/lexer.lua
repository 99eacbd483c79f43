-- The tokens of a Lua chunk. It reads what LuaJIT reads; of text that LuaJIT refuses it makes some tokens.

-- Taken now, as in all of the prompt: what is typed may put anything in their place.
local byte, find, sub = string.byte, string.find, string.sub

local keywords = require "cudalua.text.keywords"

local M = {}

---@alias cudalua.prompt.TokenKind "name"|"keyword"|"number"|"string"|"operator"

---@class cudalua.prompt.Token
---@field kind cudalua.prompt.TokenKind
---@field word string    as it is written
---@field first integer  where in the text
---@field last integer

-- Behind a long bracket that opens at `at`, or nil if there is none; one that is never closed goes to the end.
local function behind_long(text, at)
  local _, open, equals = find(text, "^%[(=*)%[", at)
  if not open then return nil end
  local _, close = find(text, "]" .. equals .. "]", open + 1, true)
  return (close or #text) + 1
end

local function behind_quoted(text, at)
  local quote = sub(text, at, at)
  local stop = "[\\" .. quote .. "]"
  at = find(text, stop, at + 1)
  while at and sub(text, at, at) ~= quote do at = find(text, stop, at + 2) end
  return (at or #text) + 1
end

-- As LuaJIT reads a number: letters, digits and points, and a sign behind the exponent's letter.
local function behind_number(text, at)
  local exponent = find(text, "^0[xX]", at) and "[pP]" or "[eE]"
  while true do
    at = find(text, "[^%w_%.\128-\255]", at) or #text + 1
    if not (find(text, "^[+-]", at) and find(text, exponent, at - 1) == at - 1) then return at end
    at = at + 1
  end
end

local function behind_comment(text, at)
  return behind_long(text, at + 2) or find(text, "\n", at, true) or #text + 1
end

local function behind_operator(text, at)
  if find(text, "^%.%.%.", at) then return at + 3 end
  if find(text, "^%.%.", at) or find(text, "^[=~<>]=", at) or find(text, "^::", at) then return at + 2 end
  return at + 1
end

local QUOTE, APOSTROPHE, BRACKET = 34, 39, 91

-- Kind and end of the token at `at`; nil for a comment, with its end.
local function token_at(text, at)
  if find(text, "^[%a_\128-\255]", at) then
    return "name", find(text, "[^%w_\128-\255]", at) or #text + 1
  end
  if find(text, "^%.?%d", at) then return "number", behind_number(text, at) end
  if find(text, "^%-%-", at) then return nil, behind_comment(text, at) end
  local c = byte(text, at)
  if c == QUOTE or c == APOSTROPHE then return "string", behind_quoted(text, at) end
  local long = c == BRACKET and behind_long(text, at)
  if long then return "string", long end
  return "operator", behind_operator(text, at)
end

---The tokens of a text, without its comments.
---@param text string
---@return cudalua.prompt.Token[]
function M.tokens(text)
  local list, n = {}, 0
  local at = find(text, "%S")
  while at do
    local kind, behind = token_at(text, at)
    if kind then
      local word = sub(text, at, behind - 1)
      if kind == "name" and keywords[word] then kind = "keyword" end
      n = n + 1
      list[n] = { kind = kind, word = word, first = at, last = behind - 1 }
    end
    at = find(text, "%S", behind)
  end
  return list
end

return M
