-- The CUDA C of an ElementwiseKernel: the user's statement in a loop, from kernels/array/statement.cu. Lines of the
-- user keep their numbers, so that the compiler's errors are about his text.

local add = require("cudalua.base.tables").add
local template = require "cudalua.gpuarray.kernel.template"
local texts = require "cudalua.userkernel.text"
local tile_code = require "cudalua.userkernel.tile_code"

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

-- ---- kernels --------------------------------------------------------------------------------------------------------

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

-- Some of the user's statements, which may be none.
local function statements(k, part)
  return k[part]:find "%S" and texts.statements(k.name, part, k[part]) or ""
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
  fields.operation = statements(k, "operation")
  if k.usage.single and not single then
    fields.operation = "    [&]() -> void {\n      do {\n" .. fields.operation .. "\n      } while (0);\n    }();"
  end
  fields.name, fields.params, fields.elements = k.name, concat(params, ", "), single and 1 or elements_of(k)
  fields.loop_prep, fields.after_loop = statements(k, "loop_prep"), statements(k, "after_loop")
  fields.element = template.parts("statement").element
  local kernel = template.fill("statement", form.tile and "tiled" or form.strided and "strided" or "flat", fields)
  return { source = texts.with_lines(k.common.head .. texts.preamble(k) .. kernel, k.name),
    elements = fields.elements, types = types_of }
end

return M
