-- CUDA C as text: what of it is code, and the extern "C" that a source is wrapped in.
-- Inside, a continued line is one line: "\\\n" is "\1" here.

local M = {}

local function splice(source)
  return (source:gsub("\1", " "):gsub("\\\r?\n", "\1"))
end

-- Where the comment or literal that starts at i ends; nil where none does.
local function literal_end(s, i)
  local two, c = s:sub(i, i + 1), s:sub(i, i)
  if two == "//" then return (s:find("\n", i, true) or #s + 1) - 1 end
  if two == "/*" then return select(2, s:find("*/", i + 2, true)) or #s end
  if c == "'" and s:find("^%x'%x", i - 1) then return i end -- 1'000
  if c ~= '"' and c ~= "'" then return nil end
  if c == '"' and s:sub(math.max(i - 4, 1), i - 1):match "[%w_]*$":find "^u?8?[UL]?R$" then
    local delimiter = s:match('^"([^()\\%s]*)%(', i)
    if delimiter then return select(2, s:find(")" .. delimiter .. '"', i, true)) or #s end
  end
  local j = i + 1
  while j <= #s and not s:find("^[" .. c .. "\n]", j) do j = j + (s:sub(j, j) == "\\" and 2 or 1) end
  return s:sub(j, j) == "\n" and j - 1 or math.min(j, #s)
end

-- Comments and literals as blanks; a line end inside of one is "\2".
local function blank(s)
  local out, i = {}, 1
  while i <= #s do
    local stop = literal_end(s, i)
    if stop then
      out[#out + 1] = s:sub(i, stop):gsub("[^\n\1]", " "):gsub("\n", "\2")
      i = stop + 1
    else
      local plain = s:match("^[^/\"']+", i) or s:sub(i, i)
      out[#out + 1] = plain
      i = i + #plain
    end
  end
  return table.concat(out)
end

---The source with comments, literals and preprocessor lines as blanks.
---@param source string
---@return string
function M.code(source)
  local text = "\n" .. blank(splice(source))
  return (text:gsub("\n[ \t]*#[^\n]*", "\n"):gsub("[\1\2]", "\n"))
end

-- Follows braces through a line of code: true while only namespaces and extern "C" are open.
local function scopes()
  local before, open, bodies = "", {}, 0
  return function(line)
    for c in line:gmatch "[^\1]" do
      if c == "{" then
        local body = not (before:find "%f[%w_]namespace%f[^%w_]" or before:find "^%s*extern%s*$")
        open[#open + 1] = body
        bodies = bodies + (body and 1 or 0)
      elseif c == "}" and #open > 0 then
        bodies = bodies - (table.remove(open) and 1 or 0)
      end
      before = (c == "{" or c == "}" or c == ";") and "" or before .. c
    end
    before = before .. " "
    return bodies == 0
  end
end

---extern "C" around the user's text, with his own line numbers; but not around what he includes.
---@param source string
---@return string
function M.wrap(source)
  local text = splice(source)
  local blanked, at = blank(text) .. "\n", 1
  local out, line, fenced, outside, moved, inside = { 'extern "C" {\n#line 1' }, 1, false, true, false, false
  local follow = scopes()
  for original in (text .. "\n"):gmatch "(.-)\n" do
    local first = line
    local code, stop = blanked:sub(at, at + #original - 1), blanked:sub(at + #original, at + #original)
    at = at + #original + 1
    line = line + 1 + select(2, original:gsub("\1", ""))
    local directive = not inside and code:match "^[ \t]*#[ \t]*(%a*)"
    if directive == "include" and outside then
      out[#out + 1], fenced, moved = 'extern "C++" {\n#line ' .. first, true, true
    elseif directive == "line" then
      line = tonumber(code:match "line[ \t]+(%d+)") or line
    elseif not directive then
      outside = follow(code)
    end
    out[#out + 1] = original
    inside = stop == "\2"
    if fenced and not inside then
      out[#out + 1], fenced = "}\n#line " .. line, false
    elseif moved and directive and directive:find "^e[ln]" then -- the fence may be in what was left out
      out[#out + 1] = "#line " .. line
    end
  end
  return (table.concat(out, "\n"):gsub("\1", "\\\n")) .. "\n\n}\n"
end

return M
