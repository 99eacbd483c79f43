-- The bracket that a closing bracket belongs to. Those in strings and comments are none.

local lexer = require "cudalua.prompt.lexer"

local find, remove = string.find, table.remove

local M = {}

local closing_of = { ["("] = ")", ["["] = "]", ["{"] = "}" }
local closes = { [")"] = true, ["]"] = true, ["}"] = true }

local longest = 16384 -- bytes: the text is read anew at each key

---What belongs to a closing bracket before a position.
---@param text string
---@param position integer
---@return integer? partner  the byte of the bracket that it closes
---@return boolean? fits     false: that one needs another bracket, or there is none; nil: no bracket is here
function M.partner(text, position)
  if position > longest or not find(text, "^[%])}]", position) then return nil end
  local open, tokens = {}, lexer.tokens(text)
  for i = 1, #tokens do
    local token = tokens[i]
    if token.kind == "operator" then
      if closing_of[token.word] then
        open[#open + 1] = token
      elseif closes[token.word] then
        local partner = remove(open)
        if token.last == position then
          return partner and partner.first, partner ~= nil and closing_of[partner.word] == token.word
        end
      end
    end
    if token.last >= position then return nil end
  end
end

return M
