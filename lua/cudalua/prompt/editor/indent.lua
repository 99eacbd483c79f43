-- The blanks at the beginning of a new line of Lua.

local gsub, match, find, sub, rep = string.gsub, string.match, string.find, string.sub, string.rep
local max = math.max

local M = { step = 2 }

local opens = { ["function"] = 1, ["then"] = 1, ["do"] = 1, ["repeat"] = 1, ["else"] = 1, ["{"] = 1, ["("] = 1,
  ["["] = 1 }
local closes = { ["end"] = 1, ["until"] = 1, ["else"] = 1, ["elseif"] = 1, ["}"] = 1, [")"] = 1, ["]"] = 1 }

-- A line without what is in its strings, and without its comment.
local function code_of(line)
  line = gsub(line, "\\.", "")
  line = gsub(line, "\"[^\"]*\"", "\"\"")
  line = gsub(line, "'[^']*'", "''")
  return (gsub(line, "%-%-.*", ""))
end

-- How many levels a line opens for those below it. What closes at its beginning has its effect on the line itself.
local function balance(line)
  local code, i, levels, leading = code_of(line), 1, 0, true
  while true do
    local first, last = find(code, "[%a_][%w_]*", i)
    local sign = find(code, "[%[%](){}]", i)
    if not first and not sign then return levels end
    if sign and (not first or sign < first) then first, last = sign, sign end
    local token = sub(code, first, last)
    if closes[token] and not (leading and not find(sub(code, i, first - 1), "%S")) then levels = levels - 1 end
    leading = leading and closes[token] ~= nil
    if opens[token] then levels = levels + 1 end
    i = last + 1
  end
end

---The indentation of the line behind a text.
---@param text string  what comes before the new line
---@return string blanks
function M.after(text)
  local line = match(text, "([^\n]*)$")
  if not find(line, "%S") then return line end
  local blanks, levels = match(line, "^[ \t]*"), balance(line)
  if levels > 0 then return blanks .. rep(" ", M.step) end
  if levels < 0 then return sub(blanks, 1, max(0, #blanks - M.step)) end
  return blanks
end

---Whether a line begins with what closes a block, and belongs one level to the left.
---@param line string
function M.closes(line)
  local first = match(line, "^%s*([%a_][%w_]*)") or match(line, "^%s*([%]})])")
  return first ~= nil and closes[first] ~= nil
end

return M
