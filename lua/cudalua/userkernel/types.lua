-- The types of a kernel's arguments in its source: as the user wrote them where C knows the words, and the declarations
-- and headers that they need.

local add = require("cudalua.base.tables").add
local c_names = require "cudalua.types.c_names"
local pairs_of = require "cudalua.base.pairs_of"

local concat = table.concat

local M = {}

-- Words of types that need no header; others are declared by what c_declarations() puts before the source.
local own_words = {}
for word in ([[bool char short int long float double signed unsigned volatile size_t half __half half2 __half2
  nv_bfloat16 __nv_bfloat16 nv_bfloat162 __nv_bfloat162]]):gmatch "%S+" do
  own_words[word] = true
end

-- The type of a value or an element, without const: as the user wrote it where C knows it, so that his statement may
-- use the same words.
local function element_type(arg)
  local complex = arg.dtype.kind == "complex"
  local text = arg._text
  if not text then return complex and arg.dtype.name or arg.ctype end
  text = arg.is_vector and text:match "^[^%*]*" or text:sub(1, -#arg.name - 1)
  text = text:gsub("%f[%w_]const%f[^%w_]", " "):gsub("%s+", " "):match "^%s*(.-)%s*$"
  if complex or arg.dtype.kind == "struct" then return text end
  for word in text:gmatch "[%w_]+" do
    if not own_words[word] then return arg.ctype end
  end
  return text
end

-- What has to stand before a source that uses these types.
local function declarations(args, texts, preamble)
  local plain, headers, class = {}, {}, preamble:find("pycuda-complex.hpp", 1, true) ~= nil
  for i, arg in ipairs(args) do
    local text = texts[i]
    if arg.dtype.kind ~= "complex" then
      plain[#plain + 1] = arg
    elseif text:find("cuda::std::", 1, true) then
      headers["cuda/std/complex"] = true
    elseif text:find "^cu" and not text:find "^cudalua" then
      headers["cuComplex.h"] = true
    elseif not text:find("thrust::", 1, true) then
      class = true
    end
  end
  local out = {}
  for header in pairs_of(headers) do add(out, "#include <%s>\n", header) end
  table.sort(out)
  if #plain > 0 then add(out, c_names.c_declarations(plain, preamble)) end
  if class then add(out, c_names._complex_class()) end
  for _, text in ipairs(texts) do
    if class and text:find "^complex%s*<" then
      add(out, "using cudalua::complex;\n")
      break
    end
  end
  return concat(out)
end

---The types of a kernel's values and elements as its source spells them, and what declares them; these are the same in
---all forms of a kernel.
---@param args cudalua.tools.Arg[]
---@param preamble string
---@return {types: string[], head: string}
function M.of(args, preamble)
  local texts = {}
  for i, arg in ipairs(args) do texts[i] = element_type(arg) end
  return { types = texts, head = declarations(args, texts, preamble) }
end

return M
