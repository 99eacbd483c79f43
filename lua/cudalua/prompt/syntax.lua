-- What the prompt knows of Lua's grammar: LuaJIT says whether a text compiles, and tokens say where values end.

local gsub, loadstring, sub = string.gsub, loadstring, string.sub

local M = {}

M.NAME = "=stdin" -- of chunks, in messages

---Compiles a text. An escape begins compiled code, which no line is: it is what an arrow key sends.
---@param text string
---@return function?
---@return string? err
function M.compile(text) return loadstring(gsub(text, "^\27", " \27"), M.NAME, "t") end

local END = "near '<eof>'"

---Is it the end of the text that is wrong? With a newline added a quote that is still open is an error of its line.
---@param text string
---@return boolean
function M.ends_too_early(text)
  local chunk, err = M.compile(text .. "\n")
  return not chunk and sub(err, -#END) == END
end

---What begins something that has an end of its own, and what ends it.
M.opens = { ["function"] = true, ["if"] = true, ["do"] = true, ["repeat"] = true, ["("] = true, ["{"] = true,
  ["["] = true }
M.closes = { ["end"] = true, ["until"] = true, [")"] = true, ["}"] = true, ["]"] = true }

local ends_value = { ["nil"] = true, ["true"] = true, ["false"] = true, ["..."] = true, ["end"] = true, [")"] = true,
  ["}"] = true, ["]"] = true }

local continues_value = { ["("] = true, ["{"] = true, ["["] = true, ["."] = true, [":"] = true, [","] = true,
  ["and"] = true, ["or"] = true }
for operator in ("+ - * / % ^ .. == ~= < <= > >="):gmatch "%S+" do continues_value[operator] = true end

---May an expression end here?
---@param token cudalua.prompt.Token
function M.is_end_of_value(token)
  local kind = token.kind
  return kind == "name" or kind == "number" or kind == "string" or ends_value[token.word]
end

---May one go on here?
---@param token cudalua.prompt.Token
---@return boolean?
function M.is_more_of_value(token) return token.kind == "string" or continues_value[token.word] end

---The last token of what opens at i: of `function` its `end`.
---@param tokens cudalua.prompt.Token[]
---@param i integer
---@return integer
function M.closing(tokens, i)
  local depth = 0
  for k = i, #tokens do
    local token = tokens[k]
    if token.kind ~= "string" then
      if M.opens[token.word] then depth = depth + 1 elseif M.closes[token.word] then depth = depth - 1 end
    end
    if depth == 0 then return k end
  end
  return #tokens
end

return M
