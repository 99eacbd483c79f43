-- What to write for the syntax of Python and CUDA C++: hints for chunks that do not compile, and for comparisons of
-- arrays, which Lua does not hand to them.

-- Taken now, as in all of the prompt: what is typed may put anything in their place.
local concat, find, format, gmatch, gsub, match, sub = table.concat, string.find, string.format, string.gmatch,
  string.gsub, string.match, string.sub
local ipairs, tonumber, type = ipairs, tonumber, type

local lexer = require "cudalua.prompt.lexer"

local M = {}

local LIST = "a list is written { 1, 2, 3 }, and an array is made of it by cuda.gpuarray.to_gpu { 1, 2, 3 }"

-- Patterns of a line without strings and comments, and what Lua has instead. The first one counts.
local rows = {
  { "^%s*import%s", 'Lua loads modules with require: cuda = require "cudalua"' },
  { "^%s*from%s.*%simport%s", 'Lua loads modules with require: cuda = require "cudalua"' },
  { "^%s*def%s", "Lua's functions are written function f(x) ... end" },
  { "^%s*if%s.*:%s*$", "Lua's conditions are written if x then ... end" },
  { "<<<", "a kernel is launched by k(a, { grid = 1, block = 32 })" },
  { "%*%*", "a power is written a ^ b" },
  { "!=", "write a ~= b for numbers, and a:ne(b) for arrays" },
  { "%+%+", "Lua has no operator ++: write x = x + 1, or a:iadd(1) to write to an array" },
  { ":=", "an assignment is written x = 3" },
  { "=%s*%[", LIST }, { "%(%s*%[", LIST }, { "^%s*%[", LIST },
  { "[+%-*/]=", "Lua has no operators such as +=: write x = x + 1, or a:iadd(1) to write to an array" },
  { "//", "write a:floordiv(b) for arrays, and math.floor(x / y) for numbers" },
  { "@", "the product of matrices is a:matmul(b)" },
  { "[%w_%])]%s*%[[^%[%]{}]*:[^%[%]{}]*%]", "a range of positions is a list: a[{ { 2, 3 } }], where positions start " ..
    "at 1" },
  { "[%w_%])]%s*%[[^%[%]{}]*,[^%[%]{}]*%]", "the positions of several axes are a list: a[{ 2, 3 }]" },
  { "%([^={}]*[%a_][%w_]*%s*=[^=]", "arguments with a name are a table: a:sum { axis = 1 }, or k(a, { block = 32 })" },
}

-- A line of the text without what strings and comments contain.
local function code_of(text, number)
  local out, at = {}, 1
  for _, token in ipairs(lexer.tokens(text)) do
    out[#out + 1] = gsub(sub(text, at, token.first - 1), "%S", "") -- comments
    out[#out + 1] = token.kind == "string" and '"' .. gsub(token.word, "[^\n]", "") .. '"' or token.word
    at = token.last + 1
  end
  local n = 0
  for line in gmatch(concat(out) .. "\n", "([^\n]*)\n") do
    n = n + 1
    if n == number then return line end
  end
  return ""
end

---What to write in place of the syntax of another language in a line.
---@param text string     the chunk
---@param number integer  of the line
---@return string?
function M.hint(text, number)
  local line = code_of(text, number)
  for _, row in ipairs(rows) do
    if find(line, row[1]) then return row[2] end
  end
end

local methods = { ["<"] = "lt", ["<="] = "le", [">"] = "gt", [">="] = "ge", ["=="] = "eq", ["~="] = "ne" }
local reversed = { ["<"] = ">", ["<="] = ">=", [">"] = "<", [">="] = "<=" }

---What to write in place of a comparison of an array and a number, which was an error.
---@param text string  the chunk
---@param err any
---@return string?
function M.order_hint(text, err)
  local pair = type(err) == "string" and match(err, "attempt to compare (%l+ with %l+)$")
  if pair ~= "number with table" and pair ~= "table with number" then return nil end
  local line = code_of(text, tonumber(match(err, "^stdin:(%d+):")))
  local name, sign, number = match(line, "([%a_][%w_.]*)%s*([<>]=?)%s*(%-?%.?%d[%w.]*)")
  if not name then
    number, sign, name = match(line, "(%-?%.?%d[%w.]*)%s*([<>]=?)%s*([%a_][%w_.]*)")
    sign = reversed[sign]
  end
  return "an array is compared element by element by a method: " ..
    (name and format("%s:%s(%s)", name, methods[sign], number) or "a:gt(1), a:lt(1), a:eq(1)")
end

---The same for == and ~=. They raise no error, because an array is never equal to a number.
---@param text string  the chunk
---@return string? name  of the variable that has to be an array
---@return string? hint
function M.equality_hint(text)
  local name, sign, number = match(text, "^%s*=?%s*([%a_][%w_]*)%s*([=~]=)%s*(%S+)%s*$")
  if not (name and tonumber(number)) then return nil end
  return name, format("%s does not compare elements: write %s:%s(%s)", sign, name, methods[sign], number)
end

return M
