-- A chunk as it is typed: whether it is complete, what it compiles to, and where its top-level locals are kept.

local concat, find, gsub, sub = table.concat, string.find, string.gsub, string.sub
local ipairs = ipairs

local foreign = require "cudalua.prompt.foreign"
local lexer = require "cudalua.prompt.lexer"
local sequence = require "cudalua.prompt.sequence"
local shell = require "cudalua.prompt.shell"
local syntax = require "cudalua.prompt.syntax"

local closing, compile, ends_too_early, is_end_of_value, is_more_of_value, opens = syntax.closing, syntax.compile,
  syntax.ends_too_early, syntax.is_end_of_value, syntax.is_more_of_value, syntax.opens

local M = {}

M.NAME = syntax.NAME

-- ---- is it complete? ------------------------------------------------------------------------------------------------

-- A chunk as an expression and as statements; nil if "=" makes it an expression only. LuaJIT passes over a first line
-- that begins with "#"; here only "#!" is one.
local function forms(text)
  local expression, equals = gsub(text, "^%s*=", "")
  if equals > 0 then return "return " .. expression end
  return "return " .. text, (gsub(gsub(text, "^#!", "--"), "^#", " #"))
end

-- The message for a text that does not compile, where a quote that is still open is an error of its line.
local function message_of(text)
  local _, err = compile(text .. "\n")
  return err
end

local values = { ["nil"] = true, ["true"] = true, ["false"] = true, ["not"] = true, ["..."] = true, ["{"] = true,
  ["-"] = true, ["#"] = true }

-- Does it begin with what no statement begins with? Then the error is that of an expression.
local function begins_value(text)
  local token = lexer.tokens(text)[1]
  return token and (token.kind == "number" or token.kind == "string" or values[token.word])
end

---The command that a text begins with, and the rest: ":time f()" gives "time" and "f()".
---@param text string
---@return string? word
---@return string? rest
function M.command(text)
  local _, _, word, rest = find(text .. "\n", "^:(%a+)%s+(.-)%s*$")
  return word, rest
end

---Can the chunk be compiled, or is it wrong whatever follows? If not, more lines have to come.
---@param text string
---@return boolean
function M.complete(text)
  local word, rest = M.command(text)
  if word then return word ~= "time" or M.complete(rest) end
  if foreign.is_whole(text) or shell.is_whole(text) then return true end
  local expression, statements = forms(text)
  if compile(expression) or statements and compile(statements) then return true end
  local parts, open = sequence.parts(statements or text)
  if parts then return true end
  return not (open or ends_too_early(expression) or statements and ends_too_early(statements))
end

-- ---- top-level locals -----------------------------------------------------------------------------------------------

-- The last token of a list of expressions that begins at i.
local function end_of_values(tokens, i)
  local k = i
  while k < #tokens do
    local token = tokens[k]
    if token.kind ~= "string" and opens[token.word] then
      k = closing(tokens, k)
      token = tokens[k]
    end
    local following = tokens[k + 1]
    if not following or is_end_of_value(token) and not is_more_of_value(following) then return k end
    k = k + 1
  end
  return k
end

---A `local` statement outside any block.
---@class cudalua.prompt.Declaration
---@field names string[]
---@field last integer  of its tokens

-- The declaration whose `local` is token i.
local function declaration(tokens, i)
  local token = tokens[i + 1]
  if token.word == "function" then return { names = { tokens[i + 2].word }, last = closing(tokens, i + 1) } end
  local names = { token.word }
  local k = i + 1
  while tokens[k + 1] and tokens[k + 1].word == "," do
    k = k + 2
    names[#names + 1] = tokens[k].word
  end
  local assigned = tokens[k + 1] and tokens[k + 1].word == "="
  return { names = names, last = assigned and end_of_values(tokens, k + 2) or k }
end

---The `local` statements of a chunk that compiles, in their order, without those in blocks.
---@param tokens cudalua.prompt.Token[]
---@return cudalua.prompt.Declaration[]
function M.declarations(tokens)
  local list, i = {}, 1
  while i <= #tokens do
    local token = tokens[i]
    if token.kind == "keyword" and token.word == "local" then
      local found = declaration(tokens, i)
      list[#list + 1] = found
      i = found.last
    elseif token.kind ~= "string" and opens[token.word] then
      i = closing(tokens, i)
    end
    i = i + 1
  end
  return list
end

-- ---- what runs ------------------------------------------------------------------------------------------------------

local MOST = 50 -- upvalues of a keeper; LuaJIT takes 60

-- Statements that hand over the variables of these names. A keeper assigns them, for LuaJIT takes a variable that is
-- never assigned for a constant; it is never called.
local function keepers(keep, names)
  local out = {}
  for from = 1, #names, MOST do
    local list = concat(names, ",", from, from + MOST - 1 < #names and from + MOST - 1 or #names)
    out[#out + 1] = " " .. keep .. "(function() " .. list .. "=" .. list .. " end)"
  end
  return concat(out, ";")
end

-- The text with a keeper behind each declaration, on the same line.
local function with_keepers(text, tokens, keep)
  local out, from = {}, 1
  for _, found in ipairs(M.declarations(tokens)) do
    local last, following = tokens[found.last].last, tokens[found.last + 1]
    out[#out + 1] = sub(text, from, last)
    out[#out + 1] = keepers(keep, found.names)
    if not following or following.word ~= ";" then out[#out + 1] = ";" end
    from = last + 1
  end
  out[#out + 1] = sub(text, from)
  return concat(out)
end

---A chunk that compiles.
---@class cudalua.prompt.Chunk
---@field text string          Lua that makes the function to run, of the values in `outer`
---@field outer string[]       the function that takes keepers or the expression's values, and the
---  session's locals that the chunk may use
---@field names table<string, boolean>  that occur in the chunk, as variables or otherwise
---@field expression boolean   it has values to print
---@field several boolean      it has statements and expressions: the function gets true and the values that the chunk
---  returns, false and values to print on the way, or a keeper
---@field silent boolean       it ends with a semicolon

local function unused(text, name)
  while find(text, name, 1, true) do name = name .. "_" end
  return name
end

-- The message for a text that does not compile, as statements (nil: it cannot be any) or as an expression.
local function message(statements, expression)
  return message_of(statements and not begins_value(statements) and statements or expression)
end

-- A text of several parts, with its expressions as arguments of `keep`.
local function of_parts(text, parts, keep)
  local out = {}
  for i, part in ipairs(parts) do
    if part.expression then
      local way = i == #parts and "return " .. keep .. "(true," or keep .. (part.silent and "(true," or "(false,")
      out[#out + 1] = way .. sub(text, part.first, part.last) .. (i == #parts and ")" or ");")
    else
      out[#out + 1] = sub(text, part.first, part.last)
    end
    local following = parts[i + 1]
    if following then out[#out + 1] = gsub(sub(text, part.behind + 1, following.start - 1), "[^\n]+", " ") end
  end
  return gsub(sub(text, 1, parts[1].start - 1), "[^\n]+", "") .. concat(out)
end

-- The same as a chunk that compiles with its keepers; nil where the whole breaks a rule that no part does.
local function joined(text, parts, keep)
  local body = of_parts(text, parts, keep)
  return compile(body) and body
end

---Reads a chunk, as an expression first.
---@param text string  "=x" is an expression, too
---@param locals table<string, any>  has the names of the session's locals
---@return cudalua.prompt.Chunk?
---@return string? err  the compiler's message
function M.read(text, locals)
  local body, statements = forms(text)
  local expression, parts, keep = compile(body) ~= nil, nil, unused(text, "keep")
  if not expression then
    local rest, _
    if not (statements and compile(statements)) then
      parts, _, rest = sequence.parts(statements or text)
      local whole = parts and joined(statements or text, parts, keep)
      if not whole then return nil, message(rest or statements, rest and "return " .. rest or body) end
      statements = whole
    end
    body = statements
  end
  local tokens, names = lexer.tokens(body), {}
  local outer = { keep }
  for _, token in ipairs(tokens) do
    local name = token.kind == "name" and token.word
    if name and name ~= outer[1] and not names[name] then
      names[name] = true
      if locals[name] then outer[#outer + 1] = name end
    end
  end
  local silent = #tokens > 0 and tokens[#tokens].word == ";"
  if parts then silent = parts[#parts].silent end
  if expression then -- as arguments, for a tail call would lose the chunk's frame; without a comment at the end
    local last = silent and tokens[#tokens].first - 1 or tokens[#tokens].last
    body = "return " .. outer[1] .. "(" .. sub(body, #"return " + 1, last) .. ")"
  else
    body = with_keepers(body, tokens, outer[1])
  end
  return {
    text = "local " .. concat(outer, ",") .. " return function(...) " .. body .. "\nend",
    outer = outer, names = names, expression = expression,
    several = parts ~= nil, silent = silent,
  }
end

return M
