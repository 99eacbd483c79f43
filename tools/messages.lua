-- Every message of the library with sample values, for readers: spec/data/messages.txt, which ./dev generate writes.
-- The texts are the string literals of the sources that are arguments of a function that reports something, or that
-- read as prose; parts that a program fills in are replaced by samples. A text that begins in the middle of a sentence
-- is appended to another one.

local M = {}

local HEAD = {
  "Written by ./dev generate (tools/messages.lua): the messages of the library by file, with sample values. Change the",
  "sources instead. A line that begins in the middle of a sentence is appended to another message.",
}

-- Lists of words that are no messages.
local NOT = { ["src/softgpu/decode/legal.c"] = true, ["src/softgpu/decode/missing.c"] = true,
  ["lua/cudalua/help/index.lua"] = true, ["lua/cudalua/help/search.lua"] = true }

-- Functions whose string arguments are messages, even short ones.
local REPORTS = {}
for name in ([[raise refuse error bad notice wrong complain misfit fail failed refuses say says throw wrong_text
  cl_logic cl_launch_error cl_wrong_argument cl_bad_argument cl_error_new luaL_error luaL_argerror dec_fail ptx_fail
  ptx_fail_at sg_say sg_raise sg_report sg_jit_fail sg_jit_fail_at]]):gmatch "%S+" do REPORTS[name] = true end

-- Words that prose has and lists of names, device code and patterns seldom have.
local PROSE = {}
for word in ([[a an the is are was be of to not must has have cannot can with it by needs expected got use only
  as its that which do does]]):gmatch "%S+" do PROSE[word] = true end

local CODE = { "unsigned long", "^%s*,? ?const ", "{\n", ";\n", "%) {", "__", "//", "typedef", "auto ",
  "return ",
  "#include", "%[%^", "%%[%-%(:%]]", "%%%.[^%d]", "%.[%-%*][%(\"]", "%(%.%-%)", "^%^", "static_assert", ";$", "=> ",
  "volatile relaxed",  "int mkdir", "int chmod" }

---The files that have messages, sorted.
---@return string[]
local function sources()
  local pipe = assert(io.popen [[find lua/cudalua lua/cudalua.lua src -name '*.lua' -o -name '*.c' -o -name '*.h' \
    -o -name '*.def' 2>/dev/null | LC_ALL=C sort]])
  local list = {}
  for path in pipe:lines() do
    if not NOT[path] then list[#list + 1] = path end
  end
  pipe:close()
  return list
end

local ESCAPES = { n = "\n", t = "\t", ["\n"] = "\n" }

local function unescaped(text)
  return (text:gsub("\\(.)", function(c) return ESCAPES[c] or c end))
end

-- A file as a list of tokens {kind, text}: "string", "name", "number" or "mark". Comments and long strings, which hold
-- device code, are left out.
local function tokens_of(text, is_lua)
  local list, at = {}, 1
  local function add(kind, value, stop) list[#list + 1], at = { kind, value }, stop + 1 end
  while true do
    at = text:find("%S", at)
    if not at then return list end
    local c, two = text:sub(at, at), text:sub(at, at + 1)
    local level = is_lua and text:match(two == "--" and "^%-%-%[(=*)%[" or "^%[(=*)%[", at)
    if level then
      at = (select(2, text:find("]" .. level .. "]", at, true)) or #text) + 1
      if two ~= "--" then list[#list + 1] = { "mark", "long" } end
    elseif is_lua and two == "--" or not is_lua and two == "//" then
      at = text:find("\n", at, true) or #text + 1
    elseif not is_lua and two == "/*" then
      at = (select(2, text:find("*/", at, true)) or #text) + 1
    elseif c == '"' or c == "'" then
      local stop = at + 1
      while text:sub(stop, stop) ~= c do stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1) end
      if is_lua or c == '"' then
        add("string", unescaped(text:sub(at + 1, stop - 1)), stop)
      else
        add("mark", "char", stop)
      end
    else
      local name = text:match("^[%a_][%w_]*", at)
      local number = text:match("^%d[%w%.]*", at)
      if name then
        add("name", name, at + #name - 1)
      elseif number then
        add("number", number, at + #number - 1)
      elseif two == ".." then
        add("mark", "..", at + (text:sub(at, at + 2) == "..." and 2 or 1))
      else
        add("mark", c, at)
      end
    end
  end
end

local OPEN, CLOSE = { ["("] = true, ["["] = true, ["{"] = true }, { [")"] = true, ["]"] = true, ["}"] = true }

-- The first token of the operand that ends at i, or the last of the one that begins there (step 1). Names, fields,
-- calls and parentheses belong to it.
local WORDS = { ["and"] = true, ["or"] = true, ["not"] = true, ["return"] = true, ["then"] = true, ["else"] = true,
  ["end"] = true, ["do"] = true, ["if"] = true, ["elseif"] = true, ["local"] = true }
local function operand_end(list, i, step)
  local opening, closing = step > 0 and OPEN or CLOSE, step > 0 and CLOSE or OPEN
  local depth, last = 0, i - step
  while list[i] do
    local kind, text = list[i][1], list[i][2]
    if opening[text] and kind == "mark" then
      depth = depth + 1
    elseif closing[text] and kind == "mark" then
      depth = depth - 1
      if depth < 0 then return last end
    elseif depth == 0 then
      local previous = list[i - step]
      local joined = kind == "mark" and (text == "." or text == ":")
        or last == i - step and (last == nil or i == last + step)
          and (previous == nil or previous[2] == "." or previous[2] == ":" or previous[2] == "..")
        or step < 0 and kind ~= "mark" and previous and OPEN[previous[2]]
      if not joined or WORDS[text] then return last end
    end
    last = i
    i = i + step
  end
  return last
end

-- What stands for a value between two texts. A piece that is glued to a word is one that is seldom there.
local function sample(before, what, behind)
  if what:find "[dui]$" then return "3" end
  if what:find "[xX]$" then return "7f" end
  if what:find "[gfeaE]$" then return what:find "%.0f" and "6" or "0.5" end
  if what:find "c$" then return "x" end
  if before:find "^%s*['\"]?$" then
    if behind:find "^:" then return "gpuarray.zeros" end
    if behind:find "^%(" then return "sum" end
    return behind:find "^ must" and "shape" or behind:find "^['\" ]" and "x" or ""
  end
  if before:find "got $" then return "'abc'" end
  if before:find "shapes? $" or before:find "%(2, 3%) and $" then return "(2, 3)" end
  local last = before:match "(%a+)[%s'`]*$" or ""
  if last == "dtype" or before:find "float32 and $" then return "float32" end
  if last == "kernel" or last == "function" then return "fill" end
  if last == "option" then return "stream" end
  if before:find "%f[%a]this $" or before:find "%f[%a]a $" then return "Stream" end
  if before:find "[%w%)]$" or before:find "%S['\"]$" then return "" end
  return before:find "[:;,] $" and "..." or "x"
end

-- A format with samples for its values.
local function filled(text)
  local out, at = "", 1
  while true do
    local start, stop = text:find("%%[%-+ #0]*%d*%.?[%d%*]*[hlzjtq]*[diuoxXfFeEgGaAcsp]", at)
    local percent = text:find("%%", at, true)
    if percent and (not start or percent < start) then
      out, at = out .. text:sub(at, percent), percent + 2
    elseif not start then
      return out .. text:sub(at)
    else
      out = out .. text:sub(at, start - 1)
      out, at = out .. sample(out, text:sub(start, stop), text:sub(stop + 1)), stop + 1
    end
  end
end

local function words_in(text)
  local n, prose = 0, false
  for token in text:gmatch "%S+" do
    local word = token:match "^['\"%(]*([%a'%-]+)['\"%),;:%.!?]*$"
    if word then
      n = n + 1
      prose = prose or PROSE[word] or false
    end
  end
  return n, prose
end

local function is_message(text, callee)
  for _, pattern in ipairs(CODE) do
    if text:find(pattern) then return false end
  end
  local n, prose = words_in((text:gsub("%%[%-%d%.]*%a", "")))
  return prose and n >= 3 or REPORTS[callee] and n >= 2
end

---The messages of one file, in its order, each once.
---@param text string      of a source
---@param is_lua boolean  else C
---@return string[]
function M.of(text, is_lua)
  local list, out, seen, callees = tokens_of(text, is_lua), {}, {}, {}
  local i, done = 1, 0
  while list[i] do
    local kind, value = list[i][1], list[i][2]
    if kind == "mark" and OPEN[value] then
      local before = value == "(" and list[i - 1]
      callees[#callees + 1] = before and before[1] == "name" and before[2] or
        (value == "(" and before and before[2] == ")" and "" or callees[#callees] or "")
    elseif kind == "mark" and CLOSE[value] then
      callees[#callees] = nil
    elseif kind == "string" and i > done then
      local first = i
      while is_lua and list[first - 1] and list[first - 1][2] == ".." and first - 1 > done do
        first = operand_end(list, first - 2, -1)
      end
      -- From its first operand to its last one.
      local whole, at, literals = "", math.max(first, done + 1), ""
      while true do
        local stop = at
        if list[at][1] == "string" then
          whole, literals = whole .. list[at][2], literals .. list[at][2]
        elseif list[at][2] ~= "long" then
          stop = operand_end(list, at, 1)
          if stop < at then stop = at end
          whole = whole .. "%s"
        end
        done = stop
        local after = list[stop + 1]
        if is_lua and after and after[2] == ".." and list[stop + 2] then
          at = stop + 2
        elseif not is_lua and after and (after[1] == "string" or after[1] == "name" and after[2]:find "^PRI") then
          at = stop + 1
          if after[1] == "name" then
            whole = whole .. (after[2]:find "x" and "x" or "d")
            at = at + 1
            if not list[at] or list[at][1] ~= "string" then break end
          end
        else
          break
        end
      end
      local before = list[first - 1]
      local callee = before and before[1] == "name" and before[2] or callees[#callees]
      if is_message(literals, callee) then
        local line = filled(whole):gsub("\n", "\\n"):gsub("%s+$", ""):gsub("^%s+", "")
        if not seen[line] then
          seen[line] = true
          out[#out + 1] = line
        end
      end
    end
    i = i + 1
  end
  return out
end

---All messages: {path, message} in the order of the files.
---@return {[1]: string, [2]: string}[]
function M.all()
  local list = {}
  for _, path in ipairs(sources()) do
    local file = assert(io.open(path, "rb"))
    local text = file:read "*a"
    file:close()
    for _, message in ipairs(M.of(text, path:find "%.lua$" ~= nil)) do list[#list + 1] = { path, message } end
  end
  return list
end

---The lines of spec/data/messages.txt.
---@return string[]
function M.lines()
  local out, path = { HEAD[1], HEAD[2] }, nil
  for _, one in ipairs(M.all()) do
    if one[1] ~= path then
      path = one[1]
      out[#out + 1] = ""
      out[#out + 1] = path
    end
    out[#out + 1] = "  " .. one[2]
  end
  return out
end

return M
