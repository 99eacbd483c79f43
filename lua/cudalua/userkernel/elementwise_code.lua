-- The CUDA C of an ElementwiseKernel: the user's statement in a loop, from kernels/array/statement.cu. Lines of the
-- user keep their numbers, so that the compiler's errors are about his text.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local template = require "cudalua.gpuarray.kernel.template"
local texts = require "cudalua.userkernel.text"
local tile_code = require "cudalua.userkernel.tile_code"

local concat = table.concat

local M = {}

---Threads of a block.
M.BLOCK = tile_code.BLOCK

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

---One form of a kernel.
---@class cudalua.elementwise.Form
---@field strided boolean      the elements of arrays taken at [i] are found by their places on `rank` axes
---@field rank integer
---@field wide boolean         with 64 bits
---@field ranged boolean       i takes `count` values: start, start + step ...
---@field apart boolean        nothing that is written is also reached through another argument
---@field same table<string, string>  arguments that are the same elements as another one, which is the one that is used
---@field tile? cudalua.gpuarray.Tile  work in tiles
---@field const table<string, boolean>  arguments that the statement only reads

-- The arguments of a kernel whose threads find each element by its number: fields of the template, and parameters.
local function numbered(k, form, own)
  local params, places, aliases, j = {}, {}, {}, 0
  local axes = address.axes(form.rank, form.wide, { prefix = "cl_" })
  if form.ranged then
    for _, name in ipairs { "cl_start", "cl_step", "cl_count" } do add(own, "const long long %s", name) end
  end
  if form.strided then
    add(places, "    const %s cl_j = (%s)i;", axes.index, axes.index)
    address.extents(own, axes)
    address.coordinates(places, "    ", "cl_j", axes)
  end
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
        address.strides(own, axes, "cl_t" .. j)
        add(aliases, "    const cl_at<%s> %s = {%s.p};", text, arg.name, same)
      else
        add(aliases, "  %s *const %s = %s;", text, arg.name, same)
      end
    elseif form.strided and k.usage.at_i[arg.name] then
      j = j + 1
      add(params, "%s *%scl_p_%s", text, form.apart and "__restrict__ " or "", arg.name)
      add(places, "    const cl_at<%s> %s = cl_element(cl_p_%s, %s);", text, arg.name, arg.name,
        address.place(own, axes, "cl_t" .. j))
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
  add(own, "const long long n")
  local fields, params = (form.tile and tile_code.fields or numbered)(k, form, own)
  for i, arg in ipairs(k.args) do types_of[i] = arg.is_vector and "void *" or arg end
  for _, p in ipairs(own) do
    params[#params + 1], types_of[#types_of + 1] = p, p:match "^const (.*) [%w_]+$"
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
  local kernel = form.tile and tile_code.kernel(fields) or
    template.fill("statement", form.strided and "strided" or "flat", fields)
  return { source = texts.with_lines(k.common.head .. texts.preamble(k) .. kernel, k.name),
    elements = fields.elements, types = types_of }
end

return M
