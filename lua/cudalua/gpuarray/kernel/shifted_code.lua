-- The CUDA C of kernels that read arrays at shifted places (core/shifted.lua): for the template of that name in
-- kernels/array/elementwise.cu. Threads whose elements are not all inside compute one after the other, with maps.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local maps = require "cudalua.gpuarray.kernel.maps"

local concat = table.concat

local M = {}

local BLOCK = codegen.BLOCK

-- The coordinates of a thread's first element: those of the block, and `y` and `x` for its row and column.
local function coordinates(params, ending)
  local rank, lines = ending.rank, {}
  local blocks = address.axes(rank, false, { label = "b" })
  address.extents(params, blocks)
  add(params, "const unsigned columns, const unsigned from_column, const unsigned to_column")
  address.coordinates(lines, "  ", "blockIdx.x", blocks)
  local axes = address.axes(rank, false)
  axes.names[rank] = "x"
  if ending.window then
    add(params, "const unsigned rows, const unsigned from_row, const unsigned to_row")
    add(lines, "  const unsigned x0 = c%d * %d + threadIdx.x %% %d;", rank, ending.threads, ending.threads)
    add(lines, "  const unsigned y0 = c%d * %d + threadIdx.x / %d * %d;", rank - 1,
      BLOCK / ending.threads * ending.items, ending.threads, ending.items)
    axes.names[rank - 1] = "y"
  else
    add(lines, "  const unsigned x0 = c%d * %d + threadIdx.x;", rank, BLOCK * ending.items)
  end
  return lines, axes
end

-- The steps of an operand from its array's first element to the thread's. `places`: by axis.
local function first_place(ending, axes, label, token, places)
  local terms, rank = {}, axes.rank
  for axis = 1, rank do
    local inner = axis == rank or ending.window and axis == rank - 1
    local value = inner and (axis == rank and "x0" or "y0") or places[axis]
    if not (axis == rank and token.step == 0) then
      terms[#terms + 1] = axis == rank and "(int)" .. value or ("(int)%s * %s_%d"):format(value, label, axis)
    end
  end
  return #terms > 0 and concat(terms, " + ") or "0"
end

-- The name of what a thread loads of a column.
local function column_name(leader, right) return ("g%d_%s"):format(leader, right < 0 and "m" .. -right or right) end

---@param p cudalua.gpuarray.Program
---@return table fields
---@return table packs
function M.fields(p)
  local parts, ending, params = codegen.parts, p.ending[1], {}
  local rank, window, items = ending.rank, ending.window, ending.items
  local lines, axes = coordinates(params, ending)
  local packs = parts.packs_of(1)
  address.strides(params, axes, "t_out", 1)
  local step = window and ("i * t_out_%d"):format(rank - 1) or ("i * %d"):format(BLOCK)
  for k, o in ipairs(ending.operands) do
    if not o.mask then add(params, "const int from%d", k) end
  end
  local t = { axes = axes, packs = packs, params = params, declared = {}, places = {}, loads = {}, used = {},
    chunks = 1 }
  add(t.places, "      const int at_out = %s;", address.sum(axes, "t_out", 1))
  local operand, k, singles, names, bases, labels, masks = 1, 0, {}, {}, {}, {}, {}
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      k = k + 1
      local whole, label, token = leaf.class == "dense" or leaf.class == "odd", "t_out", { step = 1, links = {} }
      if whole then
        add(t.declared, "      %s x%d[1];", ctype.memory(leaf.dtype), i)
        add(t.loads, "      x%d[0] = p%d[at_out];", i, i)
        singles[i] = ("x%d[0]"):format(i)
      else
        operand = operand + 1
        label, token = "t" .. operand, p.ending[operand]
        singles[i] = leaf.class == "mask" and maps.parts.mask(t, i, operand, token) or
          maps.parts.array(t, leaf, i, operand, token)
        singles[i] = singles[i]:gsub("%[k%]", "[0]"):gsub("%[w%]", "[0]")
      end
      -- Positions on the axes that a thread's elements do not move along.
      local places, outer = {}, { axes = axes, params = {}, used = t.used }
      for axis = 1, window and rank - 2 or rank - 1 do
        local own_label = ("%s_%d"):format(label, axis)
        places[axis] = maps.parts.mapped(outer, token.links[axis] or {}, axes.names[axis], own_label)
      end
      local o = ending.operands[k]
      if o.mask then
        for axis = 1, #places do
          if token.links[axis] and #token.links[axis] > 0 then masks[#masks + 1] = places[axis] end
        end
        names[i] = #masks > 0 and concat(masks, " && ") or "1"
        masks = {}
      else
        labels[k] = { leaf = i, label = label, step = token.step, dtype = leaf.dtype }
        if o.leader == k then
          add(bases, "    const %s *const b%d = p%d + (%s + from%d);", ctype.memory(leaf.dtype), k, i,
            first_place(ending, axes, label, token, places), k)
        end
        names[i] = { column = column_name(o.leader, o.right), down = o.down }
      end
    end
  end
  local fields = { items = items, elements = items, params = parts.params_of(p, params) }
  -- What a thread loads: by columns.
  local declared, loads, first = {}, {}, {}
  for _, c in ipairs(ending.columns) do
    local name, from = column_name(c.leader, c.right), labels[c.leader]
    local count = window and items + c.last - c.first or from.step == 0 and 1 or items
    local each = window and ("(e + %d) * %s_%d"):format(c.first, from.label, rank - 1) or ("e * %d"):format(BLOCK)
    first[name] = { c.first, not window and from.step == 0 }
    add(declared, "    %s %s[%d];", ctype.memory(from.dtype), name, count)
    add(loads, "#pragma unroll\n    for (int e = 0; e < %d; e++) %s[e] = b%d[%s + %d];", count, name, c.leader,
      count == 1 and "0" or each, c.right)
  end
  local results, stores = packs:results(parts.results_of(p), "      ", "at + " .. step)
  fields.bases, fields.declared, fields.loads = concat(bases, "\n"), concat(declared, "\n"), concat(loads, "\n")
  fields.results, fields.stores = results, stores
  fields.first_place = first_place(ending, axes, "t_out", { step = 1 }, axes.names)
  fields.evaluate = parts.evaluation(p, function(i)
    local name = names[i]
    if type(name) == "string" then return name end
    local from = first[name.column]
    if from[2] then return name.column .. "[0]" end
    return name.down == from[1] and name.column .. "[i]" or ("%s[i + %d]"):format(name.column, name.down - from[1])
  end, function(r) return r.name end)
  -- One element, with maps.
  results, stores = packs:results(parts.results_of(p), "      ", "at_out")
  fields.one_declared, fields.one_places = concat(t.declared, "\n"), concat(t.places, "\n")
  fields.one_loads = concat(t.loads, "\n"):gsub("%[k%]", "[0]")
  fields.one_results, fields.one_stores = results, stores
  fields.one_evaluate = parts.evaluation(p, function(i) return singles[i] end, function(r) return r.name end)
  fields.coordinates = concat(lines, "\n")
  fields.inside = window and
    ("y0 >= from_row && y0 + %d <= to_row && x0 >= from_column && x0 < to_column"):format(items) or
    ("x0 >= from_column && x0 + %d < to_column"):format((items - 1) * BLOCK)
  fields.element = window and "const unsigned x = x0, y = y0 + i;\n      if (y >= rows) break;" or
    ("const unsigned x = x0 + i * %d;\n      if (x >= columns) break;"):format(BLOCK)
  packs.helper = maps.parts.text_of(t.used, axes)
  return fields, packs
end

return M
