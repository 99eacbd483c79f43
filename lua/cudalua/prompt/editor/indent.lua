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

-- Does the text end within a long string or a long comment?
local function is_in_long(text)
  local i = 1
  while true do
    local at = find(text, "[%-%[\"']", i)
    if not at then return false end
    local comment, equals = match(text, "^(%-?%-?)%[(=*)%[", at)
    if equals and comment ~= "-" then
      local _, last = find(text, "]" .. equals .. "]", at + #comment + #equals + 2, true)
      if not last then return true end
      i = last + 1
    elseif sub(text, at, at + 1) == "--" then
      i = find(text, "\n", at, true)
      if not i then return false end
    elseif find(text, "^[\"']", at) then -- to the quote that is not escaped, or the line's end
      local quote = sub(text, at, at)
      i = at + 1
      while not find(text, "^[" .. quote .. "\n]", i) and i <= #text do
        i = i + (sub(text, i, i) == "\\" and 2 or 1)
      end
      i = i + 1
    else
      i = at + 1
    end
  end
end

---The indentation of the line behind a text. A long string has the blanks that are typed.
---@param text string  what comes before the new line
---@return string blanks
function M.after(text)
  if is_in_long(text) then return "" end
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
