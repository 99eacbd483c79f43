-- CUDA C as text: what of it is code, and the extern "C" that a source is wrapped in. One pass over the text each,
-- as sources may be generated and large. Inside, a continued line is one line: "\\\n" is "\1" here.

local M = {}

local byte, find, sub = string.byte, string.find, string.sub

local function splice(source)
  if not find(source, "\\\r?\n") and not find(source, "\1", 1, true) then return source end
  return (source:gsub("\1", " "):gsub("\\\r?\n", "\1"))
end

-- Where the raw string whose quote is at i ends; nil if none begins there.
local function raw_end(s, i)
  if not find(s:sub(math.max(i - 4, 1), i - 1):match "[%w_]*$", "^u?8?[UL]?R$") then return nil end
  local delimiter = s:sub(i, i + 17):match '^"([^()\\%s]*)%('
  return delimiter and (select(2, find(s, ")" .. delimiter .. '"', i, true)) or #s)
end

-- Where the comment or literal that starts at i ends; nil if none does.
local function literal_end(s, i)
  local c = byte(s, i)
  if c == 47 then -- a slash
    local second = byte(s, i + 1)
    if second == 47 then return (find(s, "\n", i, true) or #s + 1) - 1 end
    if second == 42 then return select(2, find(s, "*/", i + 2, true)) or #s end
    return nil
  end
  if c == 39 and find(s, "^%x'%x", i - 1) and sub(s, i - 2, i - 1) ~= "u8" then return i end -- 1'000
  local raw = c == 34 and raw_end(s, i)
  if raw then return raw end
  local stops = c == 34 and '["\\\n]' or "['\\\n]"
  local j = find(s, stops, i + 1)
  while j and byte(s, j) == 92 do j = find(s, stops, j + 2) end
  if not j then return #s end
  return byte(s, j) == 10 and j - 1 or j
end

-- Comments and literals as blanks; a line end inside of one is "\2".
local function blank(s)
  local out, n, i = {}, 0, 1
  while true do
    local j = find(s, "[/\"']", i)
    if not j then break end
    local stop = literal_end(s, j)
    n = n + 1
    if stop then
      out[n] = sub(s, i, j - 1)
      n = n + 1
      out[n] = sub(s, j, stop):gsub("[^\n\1]", " "):gsub("\n", "\2")
      i = stop + 1
    else
      out[n] = sub(s, i, j)
      i = j + 1
    end
  end
  out[n + 1] = sub(s, i)
  return table.concat(out)
end

---The source with comments, literals and preprocessor lines as blanks.
---@param source string
---@return string
function M.code(source)
  local text = "\n" .. blank(splice(source))
  return (text:gsub("\n[ \t]*#[^\n]*", "\n"):gsub("[\1\2]", "\n"))
end

-- What stands before a brace is looked at this far: nobody writes the word `namespace` further away.
local HEAD = 4096

-- Follows braces through code: true while only namespaces and extern "C" are open.
local function scopes()
  local before, open, bodies = "", {}, 0
  return function(code)
    local at = 1
    while true do
      local i = find(code, "[{};]", at)
      if not i then break end
      local c = byte(code, i)
      if c == 123 then
        local head = (before .. sub(code, at, math.min(i - 1, at + HEAD))):gsub("[\1\2]", " ")
        local body = not (find(head, "%f[%w_]namespace%f[^%w_]") or find(head, "^%s*extern%s*$"))
        open[#open + 1] = body
        bodies = bodies + (body and 1 or 0)
      elseif c == 125 and #open > 0 then
        bodies = bodies - (table.remove(open) and 1 or 0)
      end
      before, at = "", i + 1
    end
    if #before < HEAD then before = before .. sub(code, at, at + HEAD) .. " " end
    return bodies == 0
  end
end

local function lines_in(text) return select(2, text:gsub("[\n\1\2]", "")) end

-- Where the directives and comments end that a source begins with: outside of conditions and before any code, so that
-- they need no extern "C". In blanked text, the line end before what comes next.
local function prologue(blanked)
  local at, depth, safe = 1, 0, 1
  while true do
    local from, _, directive = find(blanked, "\n[ \t]*#[ \t]*(%a*)", at)
    if not from or directive == "line" or find(sub(blanked, at, from), "[^%s\1\2]") then return safe end
    at = find(blanked, "\n", from + 1, true)
    if find(directive, "^if") then
      depth = depth + 1
    elseif directive == "endif" then
      depth = depth - 1
    end
    if depth == 0 then safe = at end
  end
end

---extern "C" around the user's text, with his own line numbers; but not around what he includes. What he includes
---first stays as it is.
---@param source string
---@param in_line? boolean  true: the extern "C" stands in the line of the first declaration, as no #line may come so
---  early where headers are to be kept compiled
---@return string
function M.wrap(source, in_line)
  local open = in_line and 'extern "C" { ' or 'extern "C" {\n#line %d\n'
  if not source:find("include", 1, true) then return open:format(1) .. source .. "\n\n}\n" end
  local text = splice(source)
  local blanked = "\n" .. blank(text) .. "\n" -- a line's directive stands behind the end of the one before
  local out, n = {}, 0
  local function put(part)
    n = n + 1
    out[n] = part
  end
  local at = prologue(blanked) -- in blanked, the line end before what comes next
  local line = 1 + lines_in(sub(blanked, 2, at)) -- that line's number
  local kept = at -- in text, what has been put out ends before it
  put(sub(text, 1, at - 1))
  if at == #blanked then put "\n" end
  put(open:format(line))
  local follow, moved = scopes(), false
  while true do
    local from, _, directive = find(blanked, "\n[ \t]*#[ \t]*(%a*)", at)
    if not from then break end
    local outside = follow(sub(blanked, at, from))
    line = line + lines_in(sub(blanked, at + 1, from))
    local to = find(blanked, "\n", from + 1, true)
    local next_line = line + lines_in(sub(blanked, from + 1, to))
    if directive == "include" and outside then
      put(sub(text, kept, from - 1))
      put(('extern "C++" {\n#line %d\n%s\n}\n#line %d\n'):format(line, sub(text, from, to - 2), next_line))
      kept, moved = to, true
    elseif directive == "line" then
      next_line = tonumber(sub(blanked, from, to):match "line[ \t]+(%d+)") or next_line
    elseif moved and find(directive, "^e[ln]") then -- the fence may be in what was left out
      put(sub(text, kept, to - 2))
      put(("\n#line %d\n"):format(next_line))
      kept = to
    end
    at, line = to, next_line
  end
  put(sub(text, kept))
  put "\n\n}\n"
  return (table.concat(out):gsub("\1", "\\\n"))
end

return M
