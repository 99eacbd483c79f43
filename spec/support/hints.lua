-- The hints of the sources, for the check of docs/errors.md: what is assigned to a field or variable `hint`, returned
-- by functions with that word in their names, in tables called hints, and what C sets as the field.
local M = {}

local LEAST = 12 -- characters of a piece that is looked for

local escapes = { n = "\n", t = "\t" }

-- The string literal that begins at `at`: its value and the place behind it.
local function literal(text, at)
  local quote, out, i = text:sub(at, at), {}, at + 1
  while i <= #text do
    local c = text:sub(i, i)
    if c == quote then return table.concat(out), i + 1 end
    if c == "\\" then
      i = i + 1
      c = escapes[text:sub(i, i)] or text:sub(i, i)
    end
    out[#out + 1], i = c, i + 1
  end
  error "a string is open"
end

-- Calls visit(text) for each literal of an expression from `at` on; literals that .. or blanks (in C) join are one. The
-- expression ends with `,`, `;` or a bracket that was not opened in it, or where a Lua statement begins.
local function each_literal(text, at, visit)
  local depth, joined, operand = 0, nil, false
  local function flush()
    if joined then visit(joined) end
    joined = nil
  end
  while at <= #text do
    local blank, line = text:match("^[ \t]*\n%s*", at), text:match("^%-%-[^\n]*", at) or text:match("^/%*.-%*/", at)
    local c, word = text:sub(at, at), text:match("^[%a_][%w_%.]*", at)
    if line then
      at = at + #line
    elseif blank then
      at = at + #blank
      local next_one = text:match("^[%a_]+", at)
      if depth == 0 and operand and not text:find("^%.%.", at) and next_one ~= "or" and next_one ~= "and"
        and not text:find('^[?:"]', at) then break end
    elseif c == '"' or c == "'" then
      local value, behind = literal(text, at)
      joined, at, operand = (joined or "") .. value, behind, true
    elseif word then
      if word == "end" or word == "function" or word == "then" then break end
      flush()
      operand, at = word ~= "or" and word ~= "and" and word ~= "not", at + #word
    elseif c:find "[%(%[{]" then
      depth, operand, at = depth + 1, false, at + 1
    elseif c:find "[%)%]}]" then
      depth, operand, at = depth - 1, true, at + 1
      if depth < 0 then break end
    elseif (c == "," or c == ";") and depth == 0 then
      break
    else
      if not text:find("^%s", at) and not text:find("^%.", at) then flush() end
      if not text:find("^%s", at) then operand = false end
      at = at + 1
    end
  end
  flush()
end

-- Places behind a pattern.
local function behind(text, pattern)
  local at = 1
  return function()
    local _, last = text:find(pattern, at)
    if not last then return nil end
    at = last + 1
    return at
  end
end

local function of_lua(text, visit, constant)
  for at in behind(text, "%f[%w_]hint%s*=%f[^=]") do
    each_literal(text, at, visit)
    local name = text:match("^%s*[%a_%.]-%f[%w_]([A-Z][A-Z]+)%f[^%w_]", at) or
      text:match('^%s*%("[^\n]-"%):format%(([A-Z]+),', at)
    if name then constant(name) end
  end
  for body in text:gmatch "\nlocal hints = (%b{})" do
    for at in behind(body, "%] = ") do each_literal(body, at, visit) end
    for at in behind(body, "return ") do
      each_literal(body, at, visit)
      local name = body:match("^(%l+) end", at)
      if name then constant(name) end
    end
  end
  for name, body in text:gmatch "\nlocal function ([%w_]+)(%b()[^\n]*\n.-\nend\n)" do
    if name:find "hint" or name == "missing_header" or name == "unknown_name" then
      for at in behind(body, "return ") do each_literal(body, at, visit) end
    end
  end
end

local function of_c(text, visit)
  for at in behind(text, '"hint"%)') do -- what is pushed before
    local before = text:sub(1, at):match '.*lua_push%l+(%(.-)lua_setfield'
    if before then
      each_literal(before, 2 + #(before:match "^%(L,%s*"  or "(") - 1, visit)
    end
  end
  for name, body in text:gmatch "\nstatic [%w_ ]+%*?([%w_]+)(%b() {.-\n}\n)" do
    if name:find "hint" then
      for at in behind(body, "return ") do each_literal(body, at, visit) end
    end
  end
  for at in behind(text, "bad_name%(%s*L, %b\"\", code,") do each_literal(text, at, visit) end
  for hint in text:gmatch '"%s*hint: ([^"]-)"' do visit((hint:gsub("\\n$", ""))) end
end

---The hints of a file.
---@param path string
---@param text string
---@param visit fun(text: string)      a literal, perhaps with %s
---@param constant fun(name: string)   a constant that a hint consists of
function M.of(path, text, visit, constant)
  if path:find "%.lua$" then return of_lua(text, visit, constant) end
  return of_c(text, visit)
end

---The strings that a file assigns to a constant.
---@param text string
---@param name string
---@return fun(): string?
function M.constants(text, name)
  return coroutine.wrap(function()
    for at in behind(text, "\nlocal " .. name .. " = %f[\"']") do each_literal(text, at, coroutine.yield) end
  end)
end

---The parts of a hint that stand on the page as they are.
---@param hint string
---@return string[]
function M.pieces(hint)
  local list = {}
  local text = hint:gsub("%%[%d%.]*[sd]", "\0"):gsub("\n", "\0"):gsub("%s+", " ")
  for piece in text:gmatch "%Z+" do
    piece = piece:match "^%W*(.-)[%s;:,%(]*$"
    if #piece >= LEAST then list[#list + 1] = piece end
  end
  return list
end

return M
