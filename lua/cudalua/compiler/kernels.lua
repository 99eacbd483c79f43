-- Which kernels a source defines, and how the compiler is asked what their parameters are: a variable template is
-- appended to the source, and the lowered names of its instances with the kernels' types spell those types
-- (cudalua.signature reads them). A kernel that is not compiled, or is inside of a namespace, would make the whole
-- program fail; so each name is also declared in a namespace of ours, where a qualified name is looked up only when
-- the program itself has nothing of that name.

local pairs_of = require "cudalua.base.pairs_of"
local signature = require "cudalua.types.signature"
local source_text = require "cudalua.types.source"

local M = {}

-- A name, or a statement's first word, stands this near to its kernel.
local REACH = 1024
local MAX_PARAMETERS = 2 ^ 16 -- bytes of text whose names are looked for

-- "const float *a, int n" -> {"a", "n"}: the last identifier of each part. A texture's or surface's has its type before
-- it, which is a whole number to the compiler.
local function parameter_names(text)
  local names, depth, part, at = {}, 0, 1, 1
  if #text > MAX_PARAMETERS then return names end
  local function finish(to)
    local one = text:sub(part, to)
    if one:find "%S" and one:match "^%s*(.-)%s*$" ~= "void" then
      local declared = one:gsub("=.*$", "")
      names[#names + 1] = declared:match "cuda%a+Object_t%s+[%a_][%w_]*%s*$"
        or declared:match "%(%s*[%*&]+%s*([%a_][%w_]*)%s*%)" -- int (*rows)[3]
        or declared:gsub("%[.-%]", ""):match "([%a_][%w_]*)%s*$" or "?"
    end
    part = to + 2
  end
  while true do
    local i, _, c = text:find("([,%(%)<>%[%]{}])", at)
    if not i then break end
    if c == "," then
      if depth == 0 then finish(i - 1) end
    else
      depth = depth + (c:find "[%(<%[{]" and 1 or -1)
    end
    at = i + 1
  end
  finish(#text)
  return names
end

-- Name and parameters of the kernel whose __global__ ends before `at`, and where to go on.
local function declaration(text, at)
  local name, params
  repeat -- __launch_bounds__(..) and its like stand before the name
    local open = text:sub(at, at + REACH):find "[%(;{]"
    open = open and open + at - 1
    if not open or text:sub(open, open) ~= "(" then return nil, nil, at end
    local close = select(2, text:find("^%b()", open))
    if not close then return nil, nil, #text + 1 end
    name, params = text:sub(at, open - 1):match "([%a_][%w_]*)%s*$", text:sub(open + 1, close - 1)
    at = close + 1
  until not (name and name:find "^__")
  return name, params, at
end

---Kernels that a source defines, templates left out (their types are known when they are instantiated).
---@param source string  CUDA C
---@return table<string, string[]>  kernel name -> names of its parameters
function M.find(source)
  local found = {}
  if not source:find("__global__", 1, true) then return found end
  local text = source_text.code(source)
  local at = 1
  local statement, stop, template = 1, 0, nil -- where the statement began, the last stop seen, is it a template?
  while true do
    local from, after = text:find("__global__", at, true)
    if not from then return found end
    while stop and stop < from do
      if stop > 0 then statement, template = stop + 1, nil end
      stop = text:find("[;{}]", stop + 1)
    end
    if template == nil then
      template = text:sub(statement, math.min(from - 1, statement + REACH)):find "%f[%w_]template%s*<" ~= nil
    end
    local name, params
    name, params, at = declaration(text, after + 1)
    if name and not template then found[name] = parameter_names(params) end
  end
end

local variable = "template<class F> __device__ char __cudalua_sig;"

---@param kernel string
---@return string  name expression whose lowered name holds the kernel's type
function M.type_expression(kernel) return "&__cudalua_sig<decltype(&::" .. kernel .. ")>" end

---Parameters of a kernel from what its expression's lowered name is.
---@param lowered string?
---@return cudalua.Param[]?  nil: it is not known, or the program has no such kernel
function M.parameters(lowered)
  if not lowered or lowered:find("__cudalua_none", 1, true) then return nil end
  return signature.of_expression(lowered)
end

---Symbols of the kernels in PTX that are not templates, by the names that a program gives them.
---@param ptx string
---@return table<string, string>  without those that are overloaded
function M.symbols(ptx)
  local symbols = {}
  for symbol in ptx:gmatch "%.entry%s+(_Z%d[%w_$]*)" do
    local length, rest = symbol:match "^_Z(%d+)(.*)$"
    local name = rest:sub(1, tonumber(length))
    if rest:sub(#name + 1, #name + 1) ~= "I" then symbols[name] = symbols[name] == nil and symbol end
  end
  for name, symbol in pairs_of(symbols) do
    if not symbol then symbols[name] = nil end
  end
  return symbols
end

---PTX without the variables that were only requested.
---@param ptx string
---@return string
function M.without_variables(ptx)
  return (ptx:gsub("\n[%.%l ]-%.global %.align 1 %.u8 _Z13__cudalua_sig[%w_$]+;", ""))
end

---What to append to a source to request the expressions.
---@param kernels string[]
---@param expressions string[]  the user's own: a name in there is not to become ambiguous
---@param pch boolean?          true: without #line, which keeps NVRTC from keeping headers compiled
---@return string
function M.declarations(kernels, expressions, pch)
  local used = {}
  for _, expression in ipairs(expressions) do
    for word in expression:gmatch "[%a_][%w_]*" do used[word] = true end
  end
  local names = {}
  for _, kernel in ipairs(kernels) do
    if not used[kernel] then names[#names + 1] = kernel end
  end
  local text = (pch and "\n" or '\n#line 1 "<cudalua>"\n') .. variable .. "\n"
  if #names == 0 then return text end
  return text .. "namespace __cudalua_none { struct T; __device__ void " .. table.concat(names, "(T *), ") ..
    "(T *); }\nusing namespace __cudalua_none;\n"
end

return M
