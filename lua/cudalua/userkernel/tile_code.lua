-- The CUDA C around a user's statement where some arrays that it only reads lie otherwise than the one it writes:
-- blocks work in tiles (kernel/tile.lua), and those arrays come through shared memory, so that all of them are read
-- along their own lines. For the template of that name in kernels/array/statement.cu.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local template = require "cudalua.gpuarray.kernel.template"
local tile = require "cudalua.gpuarray.kernel.tile"

local concat, ceil = table.concat, math.ceil

local M = {}

---Threads of a block.
M.BLOCK = 256
local BLOCK = M.BLOCK

-- What moves an element, whatever it is.
local words = { [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned", [8] = "unsigned long long",
  [16] = "uint4" }

---Can an argument's elements be moved so?
---@param arg cudalua.tools.Arg
---@return boolean
function M.can_move(arg)
  return words[arg.dtype.itemsize] ~= nil and (arg.dtype.kind ~= "struct" or arg.dtype.alignment == arg.dtype.itemsize)
end

---@param k table     the kernel
---@param form table  of code.lua
---@param own table[] gets the parameters that are not the user's
---@return table fields    of the template
---@return string[] params of the user's arguments
function M.fields(k, form, own)
  local t, coordinates = form.tile, {}
  local axes = address.tile(own, coordinates, address.axes(form.rank, form.wide, { prefix = "cl_" }), t)
  local pitch, squares, j = tile.pitch(t), ceil(t.across * t.along / BLOCK), 0
  local params, shared, declared, direct, loads, stores, places, aliases = {}, {}, {}, {}, {}, {}, {}, {}
  for i, arg in ipairs(k.args) do
    local text = (form.const[arg.name] and "const " or "") .. k.common.types[i]
    if not arg.is_vector then
      add(params, "%s%s %s", arg.is_const and "const " or "", k.common.types[i], arg.name)
    else
      j = j + 1
      local at = address.place(own, axes, "cl_t" .. j)
      if form.same[arg.name] then
        add(params, "%s *", text)
        add(aliases, "      const cl_at<%s> %s = {%s.p};", text, arg.name, form.same[arg.name])
      else
        add(params, "%s *__restrict__ cl_p_%s", text, arg.name)
        local word, read = words[arg.dtype.itemsize], form.const[arg.name]
        if read then
          add(declared, "  %s cl_v_%s[%d];", word, arg.name, squares)
          add(t.tiled[j] and loads or direct, "      cl_v_%s[cl_k] = *(const %s *)((const char *)cl_p_%s + (%s));",
            arg.name, word, arg.name, at)
        end
        if t.tiled[j] then
          add(shared, "  __shared__ %s cl_tile_%s[%d];", word, arg.name, t.across * pitch)
          add(stores, "      cl_tile_%s[cl_y * %d + cl_x] = cl_v_%s[cl_k];", arg.name, pitch, arg.name)
          add(places, "      const cl_at<%s> %s = {(%s *)&cl_tile_%s[cl_x * %d + cl_y]};", text, arg.name, text,
            arg.name, pitch)
        elseif read then
          add(places, "      const cl_at<%s> %s = {(%s *)&cl_v_%s[cl_k]};", text, arg.name, text, arg.name)
        else
          add(places, "      const cl_at<%s> %s = cl_element(cl_p_%s, %s);", text, arg.name, arg.name, at)
        end
      end
    end
  end
  local partial = t.across * t.along % BLOCK > 0
  return { shared = concat(shared, "\n"), coordinates = concat(coordinates, "\n"), declared = concat(declared, "\n"),
    direct_loads = direct, tile_loads = loads, tile_stores = stores, places = places, aliases = aliases,
    squares = squares, across = t.across, along = t.along, index = axes.index,
    bound = partial and ("threadIdx.x + cl_k * %d < %d && "):format(BLOCK, t.across * t.along) or "" }, params
end

---The kernel.
---@param fields table  M.fields()'s, and what all forms have
---@return string
function M.kernel(fields)
  -- The squares of a tile: a thread's part in each of them, `width` elements of the axis that cl_x runs along in a row.
  local function squares(width, a, b, statements)
    if #statements == 0 then return "" end
    fields.width, fields.a, fields.b, fields.statements = width, a, b, concat(statements, "\n")
    return (template.fill("statement", "squares", fields):gsub("\n+$", ""))
  end
  local body = { "      const long long i = 0;  // which is an element's number only between brackets here" }
  for _, line in ipairs(fields.places) do body[#body + 1] = line end
  for _, line in ipairs(fields.aliases) do body[#body + 1] = line end
  if fields.operation ~= "" then body[#body + 1] = fields.operation end
  fields.direct = squares(fields.across, "cl_x", "cl_y", fields.direct_loads)
  fields.loads = squares(fields.along, "cl_y", "cl_x", fields.tile_loads)
  fields.stores = squares(fields.along, "cl_y", "cl_x", fields.tile_stores)
  fields.body = squares(fields.across, "cl_x", "cl_y", body)
  return template.fill("statement", "tiled", fields)
end

return M
