-- A text that is no Lua as a whole: statements, with expressions behind or between them.

local find, gsub, rep, sub = string.find, string.gsub, string.rep, string.sub
local select = select

local lexer = require "cudalua.prompt.lexer"
local syntax = require "cudalua.prompt.syntax"

local compile, ends_too_early = syntax.compile, syntax.ends_too_early

local M = {}

---Statements or an expression.
---@class cudalua.prompt.Part
---@field start integer        its first byte
---@field first integer        the first byte of the code: behind "="
---@field last integer         the last byte of the code: before a semicolon, if it is an expression
---@field behind integer       its last byte, semicolon or not
---@field expression boolean
---@field silent boolean       an expression with a semicolon

-- Behind these a bracket on the next line may be a call's, which Lua calls ambiguous.
local function may_be_called(token)
  local kind, word = token.kind, token.word
  return kind == "name" or kind == "string" or word == ")" or word == "]" or word == "}"
end

-- Does Lua read on over the end of the line that is between two tokens?
local function reads_on(token, following)
  if not syntax.is_end_of_value(token) or following.kind == "string" then return false end
  local word = following.word
  if word == "(" then return may_be_called(token) end
  return word ~= "{" and syntax.is_more_of_value(following)
end

-- The tokens that a part may begin with: the first one, and in no block or bracket those behind a semicolon or first in
-- their line. One number behind the last token is among them.
local function boundaries(text, tokens)
  local list, depth = { 1 }, 0
  for i = 1, #tokens do
    local token, following = tokens[i], tokens[i + 1]
    if token.kind ~= "string" then
      if syntax.opens[token.word] then depth = depth + 1 elseif syntax.closes[token.word] then depth = depth - 1 end
    end
    local ends_line = following and find(sub(text, token.last + 1, following.first - 1), "\n", 1, true)
    if not following or depth <= 0 and (token.word == ";" or ends_line and not reads_on(token, following)) then
      list[#list + 1] = i + 1
    end
  end
  return list
end

-- The end of a text, with the lines before it as empty ones, for the numbers in messages.
local function padded(text, first)
  local lines = select(2, gsub(sub(text, 1, first - 1), "\n", ""))
  return rep("\n", lines) .. " " .. sub(text, first)
end

-- The tokens i to j as an expression; nil if they are none.
local function expression(text, tokens, i, j)
  local from, to = i, j
  local silent = tokens[j].word == ";"
  if silent then to = to - 1 end
  if tokens[i].word == "=" then from = from + 1 end
  if from > to or not compile("return " .. sub(text, tokens[from].first, tokens[to].last)) then return nil end
  return { start = tokens[i].first, first = tokens[from].first, last = tokens[to].last, behind = tokens[j].last,
    expression = true, silent = silent }
end

local function statements(text, tokens, i, j)
  local first, last = tokens[i].first, tokens[j].last
  if not compile(" " .. sub(text, first, last)) then return nil end
  return { start = first, first = first, last = last, behind = last, expression = false, silent = false }
end

-- Statements and the longest expression behind them.
local function with_result(text, tokens, starts)
  for k = 2, #starts - 1 do
    local last = expression(text, tokens, starts[k], #tokens)
    local before = last and statements(text, tokens, 1, starts[k] - 1)
    if before then return { before, last } end
  end
end

-- May more tokens make a part of what begins at token i?
local function is_open(text, tokens, i, j)
  local first, last = tokens[i].first, tokens[j].last
  local code = sub(text, first, last)
  if tokens[i].word == "=" then return ends_too_early("return " .. sub(code, 2)) end
  return ends_too_early(" " .. code) or ends_too_early("return " .. code)
end

-- What ends first is a part, as when it is typed. If one does not compile, where it begins and whether it is open.
local function one_by_one(text, tokens, starts)
  local parts, k, from = {}, 2, 1
  while k <= #starts do
    local j = starts[k] - 1
    local part = expression(text, tokens, from, j) or statements(text, tokens, from, j)
    if part then
      parts[#parts + 1] = part
      from = starts[k]
    elseif not is_open(text, tokens, from, j) then
      return parts, tokens[from].first, false
    end
    k = k + 1
  end
  if from <= #tokens then return parts, tokens[from].first, true end
  return parts
end

---Splits a text that does not compile, neither as an expression nor as statements.
---@param text string
---@return cudalua.prompt.Part[]?  nil: it has a part that does not compile
---@return boolean? open   more lines may make it one
---@return string? rest  that part and all behind it, if an expression comes before; it keeps its lines' numbers
function M.parts(text)
  local tokens = lexer.tokens(text)
  if #tokens == 0 then return nil end
  local starts = boundaries(text, tokens)
  if #starts < 3 then return nil end
  local parts = with_result(text, tokens, starts)
  if parts then return parts end
  local wrong, open
  parts, wrong, open = one_by_one(text, tokens, starts)
  if not wrong then return parts end
  for i = 1, #parts do
    if parts[i].expression then return nil, open, padded(text, wrong) end
  end
  return nil, open
end

return M
