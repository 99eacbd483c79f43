-- The texts of a user in the source of a kernel. Their lines keep their own numbers, so that the compiler's errors are
-- about the user's text. k.texts has them by the names that the compiler calls them by.

local pairs_of = require "cudalua.base.pairs_of"

local M = {}

local HERE = "#line here" -- becomes the number of the next line

---A text, and the way back to the lines of the source.
---@param name string  the kernel's
---@param part string  what the text is called
---@param text string
---@return string
function M.quoted(name, part, text) return ('#line 1 "%s: %s"\n%s\n%s'):format(name, part, text, HERE) end

---The same with a semicolon behind the text.
---@param name string
---@param part string
---@param text string
---@return string
function M.statements(name, part, text) return M.quoted(name, part, text .. "\n;") end

---The preamble of a kernel.
---@param k table  name, preamble
---@return string
function M.preamble(k)
  return k.preamble:find "%S" and M.quoted(k.name, "preamble", k.preamble) .. "\n" or k.preamble
end

---Puts the numbers of lines into a source that is complete.
---@param source string  ends with a newline
---@param name string    the kernel's
---@return string
function M.with_lines(source, name)
  local n, out = 0, {}
  for line in source:gmatch "([^\n]*)\n" do
    n = n + 1
    out[n] = line == HERE and ('#line %d "%s.cu"'):format(n + 1, name) or line
  end
  return table.concat(out, "\n") .. "\n"
end

---#undef lines for the user's macros, before the library's own code: macros may have any name. The names of types keep
---their macros.
---@param k table           preamble, options
---@param types string[]    as the code that follows spells them
---@return string
function M.undefine(k, types)
  local list, known = {}, {}
  for _, text in ipairs(types) do
    for word in text:gmatch "[%a_][%w_]*" do known[word] = true end
  end
  local function put(name)
    if not known[name] then list[#list + 1] = "#undef " .. name .. "\n" end
    known[name] = true
  end
  for name in k.preamble:gmatch "#[ \t]*define[ \t]+([%a_][%w_]*)" do put(name) end
  local before
  for _, option in ipairs(k.options or {}) do
    local text = tostring(option)
    local name = before and text or text:match "^%-D(.+)" or text:match "^%-%-define%-macro=(.+)"
    if name and name:match "^[%a_]" then put(name:match "^[%a_][%w_]*") end
    before = option == "-D" or option == "--define-macro"
  end
  return table.concat(list)
end

---The user's texts as headers of the compilation, so that errors can show their lines.
---@param k table  name, preamble, texts
---@return table<string, string>
function M.headers(k)
  local headers = {}
  for part, text in pairs_of(k.texts) do headers[k.name .. ": " .. part] = text end
  if k.preamble:find("pycuda-complex.hpp", 1, true) then
    headers["pycuda-complex.hpp"] = "// the class is there already\n"
  end
  return headers
end

return M
