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

-- The steps of an operand from its array's first element to the thread's. `places`: positions on other axes.
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

-- Positions on the axes that a thread's elements do not move along. The parameters are there already.
local function outer_places(t, token, label)
  local places, own = {}, { axes = t.axes, params = {}, used = t.used }
  for axis = 1, t.ending.window and t.axes.rank - 2 or t.axes.rank - 1 do
    places[axis] = maps.parts.mapped(own, token.links[axis] or {}, t.axes.names[axis], ("%s_%d"):format(label, axis))
  end
  return places
end

-- What a mask is inside: masks of the axes that a thread's elements move along are true.
local function mask_inside(token, places)
  local terms = {}
  for axis = 1, #places do
    if #token.links[axis] > 0 then terms[#terms + 1] = places[axis] end
  end
  return #terms > 0 and concat(terms, " && ") or "1"
end

local WHOLE = { step = 1, links = {} } -- an array that lies as the output does

-- An operand: adds how it is read element by element, and where a thread begins if the thread is inside.
local function operand(t, p, i, k)
  local leaf, o, label, token = p.leaves[i], t.ending.operands[k], "t_out", WHOLE
  if leaf.class == "dense" or leaf.class == "odd" then
    add(t.declared, "      %s x%d[1];", ctype.memory(leaf.dtype), i)
    add(t.loads, "      x%d[0] = p%d[at_out];", i, i)
    t.single[i] = ("x%d[0]"):format(i)
  else
    t.strided = t.strided + 1
    label, token = "t" .. t.strided, p.ending[t.strided]
    local name = o.mask and maps.parts.mask(t, i, t.strided, token) or maps.parts.array(t, leaf, i, t.strided, token)
    t.single[i] = name:gsub("%[[kw]%]", "[0]")
  end
  local places = outer_places(t, token, label)
  if o.mask then
    t.inside[i] = mask_inside(token, places)
    return
  end
  t.inside[i], t.leaders[k] = o, { label = label, step = token.step, dtype = leaf.dtype }
  if o.leader == k then
    add(t.bases, "    const %s *const b%d = p%d + (%s + from%d);", ctype.memory(leaf.dtype), k, i,
      first_place(t.ending, t.axes, label, token, places), k)
  end
end

-- Loads of a thread that is inside, by columns. Returns the first row of each column; false: it has one element.
local function column_loads(ending, leaders, declared, loads)
  local first = {}
  for _, c in ipairs(ending.columns) do
    local name, from = column_name(c.leader, c.right), leaders[c.leader]
    local single = not ending.window and from.step == 0
    local count = single and 1 or ending.window and ending.items + c.last - c.first or ending.items
    local place = single and "0" or ending.window and ("(e + %d) * %s_%d"):format(c.first, from.label, ending.rank - 1)
      or ("e * %d"):format(BLOCK)
    first[name] = not single and c.first
    add(declared, "    %s %s[%d];", ctype.memory(from.dtype), name, count)
    add(loads, "#pragma unroll\n    for (int e = 0; e < %d; e++) %s[e] = b%d[%s + %d];", count, name, c.leader, place,
      c.right)
  end
  return first
end

-- How an operand's element is named inside.
local function inside_name(o, first)
  if type(o) == "string" then return o end
  local name = column_name(o.leader, o.right)
  local from = first[name]
  if not from then return name .. "[0]" end
  return o.down == from and name .. "[i]" or ("%s[i + %d]"):format(name, o.down - from)
end

---@param p cudalua.gpuarray.Program
---@return table fields
---@return table packs
function M.fields(p)
  local parts, ending, params = codegen.parts, p.ending[1], {}
  local window, items = ending.window, ending.items
  local lines, axes = coordinates(params, ending)
  local packs = parts.packs_of(1)
  address.strides(params, axes, "t_out", 1)
  for k, o in ipairs(ending.operands) do
    if not o.mask then add(params, "const int from%d", k) end
  end
  -- What is read element by element: see maps.lua.
  local t = { axes = axes, packs = packs, params = params, declared = {}, places = {}, loads = {}, used = {},
    chunks = 1, ending = ending, strided = 1, single = {}, inside = {}, leaders = {}, bases = {} }
  add(t.places, "      const int at_out = %s;", address.sum(axes, "t_out", 1))
  local k = 0
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      k = k + 1
      operand(t, p, i, k)
    end
  end
  local declared, loads = {}, {}
  local first = column_loads(ending, t.leaders, declared, loads)
  local function name_of(r) return r.name end
  local fields = { items = items, elements = items, params = parts.params_of(p, params),
    coordinates = concat(lines, "\n"), bases = concat(t.bases, "\n"), declared = concat(declared, "\n"),
    loads = concat(loads, "\n"), first_place = first_place(ending, axes, "t_out", WHOLE, axes.names),
    evaluate = parts.evaluation(p, function(i) return inside_name(t.inside[i], first) end, name_of),
    one_declared = concat(t.declared, "\n"), one_places = concat(t.places, "\n"),
    one_loads = concat(t.loads, "\n"):gsub("%[k%]", "[0]"),
    one_evaluate = parts.evaluation(p, function(i) return t.single[i] end, name_of) }
  local results = parts.results_of(p)
  fields.results, fields.stores = packs:results(results, "      ", "at + " ..
    (window and ("i * t_out_%d"):format(ending.rank - 1) or ("i * %d"):format(BLOCK)))
  fields.one_results, fields.one_stores = packs:results(results, "      ", "at_out")
  if window then
    fields.within = ("y0 >= from_row && y0 + %d <= to_row && x0 >= from_column && x0 < to_column"):format(items)
    fields.element = "const unsigned x = x0, y = y0 + i;\n      if (y >= rows) break;"
  else
    fields.within = ("x0 >= from_column && x0 + %d < to_column"):format((items - 1) * BLOCK)
    fields.element = ("const unsigned x = x0 + i * %d;\n      if (x >= columns) break;"):format(BLOCK)
  end
  packs.helper = maps.parts.text_of(t.used, axes)
  return fields, packs
end

return M
