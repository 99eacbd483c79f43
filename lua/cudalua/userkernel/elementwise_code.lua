-- The CUDA C of an ElementwiseKernel: the user's statement in a loop, from kernels/array/statement.cu. Lines of the
-- user keep their numbers, so that the compiler's errors are about his text.

local template = require "cudalua.gpuarray.kernel.template"
local tile_code = require "cudalua.userkernel.tile_code"
local pairs_of = require "cudalua.base.pairs_of"
local types = require "cudalua.types.c_names"

local concat = table.concat

local M = {}

---Threads of a block.
M.BLOCK = 256

-- Elements of a thread: 16 bytes of the largest array, and as many copies of the statement, unless that is long.
local LONG = 500
local function elements_of(k)
  local largest = 1
  for _, arg in ipairs(k.args) do
    if arg.is_vector and k.usage.at_i[arg.name] then largest = math.max(largest, arg.dtype.itemsize) end
  end
  return #k.operation > LONG and 4 or math.max(16 / largest - 16 / largest % 4, 4)
end

local function add(list, text, ...) list[#list + 1] = select("#", ...) > 0 and text:format(...) or text end

-- ---- types ----------------------------------------------------------------------------------------------------------

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
  if #plain > 0 then add(out, types.c_declarations(plain, preamble)) end
  if class then add(out, types._complex_class()) end
  for _, text in ipairs(texts) do
    if class and text:find "^complex%s*<" then
      add(out, "using cudalua::complex;\n")
      break
    end
  end
  return concat(out)
end

---The parts of a kernel's text that are the same in all its forms.
---@param args cudalua.tools.Arg[]
---@param preamble string
---@return {types: string[], head: string}
function M.common(args, preamble)
  local texts = {}
  for i, arg in ipairs(args) do texts[i] = element_type(arg) end
  return { types = texts, head = declarations(args, texts, preamble) }
end

-- ---- kernels --------------------------------------------------------------------------------------------------------

local HERE = "#line here" -- becomes the number of the next line
M.HERE = HERE

-- A text of the user's, and back to the lines of the source.
local function quoted(name, part, text)
  if not text:find "%S" then return "" end
  return ('#line 1 "%s: %s"\n%s\n;\n%s'):format(name, part, text, HERE)
end

local function with_lines(source, name)
  local n, out = 0, {}
  for line in source:gmatch "([^\n]*)\n" do
    n = n + 1
    out[n] = line == HERE and ('#line %d "%s.cu"'):format(n + 1, name) or line
  end
  return concat(out, "\n") .. "\n"
end

-- A parameter of the kernel that is not the user's.
local function parameter(list, type, name, ...) list[#list + 1] = { type = type, name = name:format(...) } end

-- How far an array's element lies from its first one, in bytes: the sum of its steps along all axes.
local function place(j, rank, own, integer)
  local terms = {}
  for axis = 1, rank do
    parameter(own, integer, "cl_t%d_%d", j, axis)
    add(terms, "(%s)cl_c%d * cl_t%d_%d", integer, axis, j, axis)
  end
  return concat(terms, " + ")
end

-- The place of an element on each axis, from its number.
local function coordinates(lines, own, rank, wide, index)
  local rest = "cl_j"
  add(lines, "    const %s cl_j = (%s)i;", index, index)
  for axis = 2, rank do
    parameter(own, index, "cl_e%d", axis)
    if not wide then
      parameter(own, index, "cl_m%d", axis)
      parameter(own, index, "cl_h%d", axis)
    end
  end
  for axis = rank, 2, -1 do
    if wide then
      add(lines, "    const %s cl_q%d = %s / cl_e%d;", index, axis, rest, axis)
    else
      add(lines, "    const unsigned cl_q%d = (__umulhi(%s, cl_m%d) + %s) >> cl_h%d;", axis, rest, axis, rest, axis)
    end
    add(lines, "    const %s cl_c%d = %s - cl_q%d * cl_e%d;", index, axis, rest, axis, axis)
    rest = ("cl_q%d"):format(axis)
  end
  add(lines, "    const %s cl_c1 = %s;", index, rest)
end

---One form of a kernel.
---@class cudalua.elementwise.Form
---@field strided boolean      the elements of arrays taken at [i] are found by their places on `rank` axes
---@field rank integer
---@field wide boolean         with 64 bits
---@field ranged boolean       i takes the values start, start + step ... of which there are `count`
---@field apart boolean        nothing that is written is also reached through another argument
---@field same table<string, string>  arguments that are the same elements as another one, which is the one that is used
---@field tile? cudalua.gpuarray.Tile  work in tiles
---@field const table<string, boolean>  arguments that the statement only reads

-- The arguments of a kernel whose threads find each element by its number: fields of the template, and parameters.
local function numbered(k, form, own)
  local params, places, aliases, j = {}, {}, {}, 0
  local integer, index = form.wide and "long long" or "int", form.wide and "unsigned long long" or "unsigned"
  if form.ranged then
    for _, name in ipairs { "cl_start", "cl_step", "cl_count" } do parameter(own, "long long", name) end
  end
  if form.strided then coordinates(places, own, form.rank, form.wide, index) end
  for i, arg in ipairs(k.args) do
    local const = arg.is_vector and form.const[arg.name] or not arg.is_vector and arg.is_const
    local text = (const and "const " or "") .. k.common.types[i]
    local same = arg.is_vector and form.same[arg.name]
    if not arg.is_vector then
      add(params, "%s %s", text, arg.name)
    elseif same then
      add(params, "%s *", text)
      if form.strided then
        j = j + 1
        place(j, form.rank, own, integer)
        add(aliases, "    const cl_at<%s> %s = {%s.p};", text, arg.name, same)
      else
        add(aliases, "  %s *const %s = %s;", text, arg.name, same)
      end
    elseif form.strided and k.usage.at_i[arg.name] then
      j = j + 1
      add(params, "%s *%scl_p_%s", text, form.apart and "__restrict__ " or "", arg.name)
      add(places, "    const cl_at<%s> %s = cl_element(cl_p_%s, %s);", text, arg.name, arg.name,
        place(j, form.rank, own, integer))
    else
      add(params, "%s *%s%s", text, form.apart and "__restrict__ " or "", arg.name)
    end
  end
  return { places = concat(places, "\n"), aliases = concat(aliases, "\n"), count = form.ranged and "cl_count" or "n",
    position = form.ranged and "cl_start + cl_i * cl_step" or "cl_i" }, params
end

---@param k table              the kernel: name, args, common, usage, operation, loop_prep, after_loop, preamble
---@param form cudalua.elementwise.Form
---@return {source: string, elements: integer, types: any[]}  types: of the parameters, for get_function()
function M.kernel(k, form)
  local types_of, own = {}, {}
  parameter(own, "long long", "n")
  local fields, params = (form.tile and tile_code.fields or numbered)(k, form, own)
  for i, arg in ipairs(k.args) do types_of[i] = arg.is_vector and "void *" or arg end
  for _, p in ipairs(own) do
    add(params, "const %s %s", p.type, p.name)
    types_of[#types_of + 1] = p.type
  end
  -- A statement that leaves the loop over a thread's elements leaves a function instead; but what comes after the loop
  -- would notice.
  local single = k.usage.single and k.after_loop:find "%S"
  fields.operation = quoted(k.name, "operation", k.operation)
  if k.usage.single and not single then
    fields.operation = "    [&]() -> void {\n      do {\n" .. fields.operation .. "\n      } while (0);\n    }();"
  end
  fields.name, fields.params, fields.elements = k.name, concat(params, ", "), single and 1 or elements_of(k)
  fields.loop_prep, fields.after_loop = quoted(k.name, "loop_prep", k.loop_prep),
    quoted(k.name, "after_loop", k.after_loop)
  fields.element = template.parts("statement").element
  local kernel = template.fill("statement", form.tile and "tiled" or form.strided and "strided" or "flat", fields)
  local preamble = k.preamble
  if preamble:find "%S" then preamble = ('#line 1 "%s: preamble"\n%s\n%s\n'):format(k.name, preamble, HERE) end
  return { source = with_lines(k.common.head .. preamble .. kernel, k.name), elements = fields.elements,
    types = types_of }
end

---What takes back the macros of the user's, for what follows his text: they may have any name. Those that types are
---called by stay.
---@param k table           preamble, options
---@param texts string[]    types, as what follows says them
---@return string
function M.undefine(k, texts)
  local list, known = {}, {}
  for _, text in ipairs(texts) do
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

---The texts of the user by the names that the compiler knows them by, so that errors can show lines of them.
---@param k table
---@return table<string, string>
function M.headers(k)
  local headers = {}
  for _, part in ipairs { "preamble", "loop_prep", "operation", "after_loop" } do
    headers[k.name .. ": " .. part] = k[part]
  end
  if k.preamble:find("pycuda-complex.hpp", 1, true) then
    headers["pycuda-complex.hpp"] = "// the class is there already\n"
  end
  return headers
end

-- For other kernels of a user's text: scan_code.lua, reduction_code.lua.
M.with_lines, M.declarations = with_lines, declarations

return M
