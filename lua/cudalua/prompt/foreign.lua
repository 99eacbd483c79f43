-- What to write for the syntax of Python, CUDA C++ and Markdown: hints for chunks that do not compile.

-- Taken now, as in all of the prompt: what is typed may put anything in their place.
local concat, find, gmatch, gsub, sub = table.concat, string.find, string.gmatch, string.gsub, string.sub
local ipairs = ipairs

local lexer = require "cudalua.prompt.lexer"

local M = {}

local LIST = "a list is written { 1, 2, 3 }, and an array is made of it by cuda.gpuarray.to_gpu { 1, 2, 3 }"

local FUNCTION = "a function is written function(x) return 2 * x end"
local CONDITION = "Lua's conditions are written if x then ... elseif y then ... else ... end"
local LOOP = "a loop is written for i = 1, 10 do ... end, or for i, x in ipairs(t) do ... end"
local LAUNCH = "a kernel is launched by k(a, { grid = 1, block = 32 })"
local CUDA_C = "CUDA C is a string that is compiled: k = cuda.kernel [[ __global__ void k(float *x) { ... } ]]"
local DECLARATION = "a variable is declared by local x = 3"
local DO = "%f[%w_]do%f[^%w_]"

-- Patterns of a line without strings and comments, and what Lua has instead. The first one counts. `unless`: a
-- pattern of lines that are Lua after all. `whole`: no Lua goes on behind such a line, though its grammar allows it.
local rows = {
  { "^%s*```", "the fences of Markdown are not part of a program; paste the lines between them" },
  { "^%s*import%s", 'Lua loads modules with require: cuda = require "cudalua"' },
  { "^%s*from%s.*%simport%s", 'Lua loads modules with require: cuda = require "cudalua"' },
  { "^%s*def%s", "Lua's functions are written function f(x) ... end" },
  { "^%s*lambda%s.*:", FUNCTION, whole = true }, { "[=(,]%s*lambda%s.*:", FUNCTION, whole = true },
  { "^%s*if%s.*:%s*$", "Lua's conditions are written if x then ... end", whole = true },
  { "^%s*else%s*:", CONDITION, whole = true }, { "^%s*elif%s", CONDITION },
  { "^%s*for%s.*%sin%s.*:%f[%s%z]", LOOP,
    unless = DO, whole = true },
  { "^%s*while%s.*:%f[%s%z]", "a loop is written while x do ... end", unless = DO, whole = true },
  { "^%s*try%s*:", "errors are caught by pcall: ok, err = pcall(f)", whole = true },
  { "^%s*except%f[%s:].*:", "errors are caught by pcall: ok, err = pcall(f)", whole = true },
  { "^%s*raise%s", 'errors are raised by error("text")' },
  { "^%s*print%s+[%a_]", "a function is called with parentheses: print(a)" },
  { "^%s*del%s+[%a_]", "write x = nil to remove a variable, and a:release() to free the memory of an array" },
  { "^%s*#%s*include%f[%W]", CUDA_C, whole = true }, { "^%s*__global__%s", CUDA_C },
  { "^%s*for%s*%(", LOOP }, { "^%s*if%s*%(.*%)%s*{", CONDITION, whole = true }, { "^%s*auto%s", DECLARATION },
  { "^%s*let%s", DECLARATION }, { "^%s*var%s", DECLARATION }, { "^%s*const%s", DECLARATION },
  { "^%s*int%s", DECLARATION }, { "^%s*float%s", DECLARATION }, { "^%s*double%s", DECLARATION },
  { "%sis%s+[Nn]o[nt]", "write x == nil or x ~= nil" },
  { "<<<", LAUNCH }, { "[%w_]%s*%[[^%]]*,[^%]]*%]%s*%(", LAUNCH }, { "%(%s*%(%s*%w+%s*,%s*[%w%s,]*%)", LAUNCH },
  { "%*%*", "a power is written a ^ b" },
  { "!=", "write a ~= b for numbers, and a:ne(b) for arrays" },
  { "!", "write not x for conditions, and a:logical_not() for arrays" },
  { "&&", "write x and y for conditions, and a:logical_and(b) for arrays" },
  { "||", "write x or y for conditions, and a:logical_or(b) for arrays" },
  { "[%w_)%]]%s*&%s*[%w_(]", "write a:bitwise_and(b) for integers, and a:logical_and(b) for masks" },
  { "[%w_)%]]%s*|%s*[%w_(]", "write a:bitwise_or(b) for integers, and a:logical_or(b) for masks" },
  { "~%s*[%a_(]", "write a:bitwise_not() for integers, and a:logical_not() for masks" },
  { "%+%+", "Lua has no operator ++: write x = x + 1, or a:iadd(1) to write to an array" },
  { ":=", "an assignment is written x = 3" },
  { "%->", "write a:sum() for the call of a method" },
  { '[{,]%s*"[^"]*"%s*:', "the fields of a table are written { a = 1, b = 2 }" },
  { "^%s*[%w_.]+%s*=%s*.*%sif%s.*%selse%s",
    "write if x then ... else ... end, or gpuarray.where(mask, a, b) for arrays" },
  { "=%s*%[", LIST }, { "%(%s*%[", LIST }, { "^%s*%[", LIST },
  { "[+%-*/]=", "Lua has no operators such as +=: write x = x + 1, or a:iadd(1) to write to an array" },
  { "^%s*/[/*]", "a comment begins with --" },
  { "//", "write a:floordiv(b) for arrays, and math.floor(x / y) for numbers" },
  { "@", "the product of matrices is a:matmul(b)" },
  { "[%w_%])]%s*%[[^%[%]{}]*:[^%[%]{}]*%]", "a range of positions is a list: a[{ { 2, 3 } }], where positions start " ..
    "at 1" },
  { "[%w_%])]%s*%[[^%[%]{}]*,[^%[%]{}]*%]", "the positions of several axes are a list: a[{ 2, 3 }]" },
  { "%([^={}]*[%a_][%w_]*%s*=[^=]", "arguments with a name are a table: a:sum { axis = 1 }, or k(a, { block = 32 })" },
}

---A text without what its strings and comments contain.
---@param text string
---@return string
function M.code(text)
  local out, at = {}, 1
  for _, token in ipairs(lexer.tokens(text)) do
    out[#out + 1] = gsub(sub(text, at, token.first - 1), "%S", "") -- comments
    out[#out + 1] = token.kind == "string" and '"' .. gsub(token.word, "[^\n]", "") .. '"' or token.word
    at = token.last + 1
  end
  return concat(out)
end

---A line of a text without what strings and comments contain; of a line behind the text, the last one with code.
---@param text string
---@param number integer
---@return string
function M.code_line(text, number)
  local n, last = 0, ""
  for line in gmatch(M.code(text) .. "\n", "([^\n]*)\n") do
    n = n + 1
    if n == number and find(line, "%S") then return line end
    if find(line, "%S") then last = line end
  end
  return number > n and last or ""
end

local function fits(row, line) return find(line, row[1]) and not (row.unless and find(line, row.unless)) end

---What to write in place of the syntax of another language in a line.
---@param text string     the chunk
---@param number integer  of the line
---@return string?
function M.hint(text, number)
  local line = M.code_line(text, number)
  for _, row in ipairs(rows) do
    if fits(row, line) then return row[2] end
  end
end

---Is it a line of another language that no further line completes as Lua?
---@param text string
---@return boolean
function M.is_whole(text)
  if find(text, "\n", 1, true) then return false end
  local line = M.code(text)
  for _, row in ipairs(rows) do
    if row.whole and fits(row, line) then return true end
  end
  return false
end

return M
