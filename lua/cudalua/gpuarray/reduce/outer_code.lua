-- From the program of a reduction in tiles (outer.lua) to CUDA C around kernels/array/outer.cu.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local outer = require "cudalua.gpuarray.reduce.outer"
local template = require "cudalua.gpuarray.kernel.template"

local concat, ceil, min = table.concat, math.ceil, math.min

local M = {}

local THREADS = 256

-- The kept axes as the kernel names their coordinates: `y` and `x` on those of the tile, the block's on others. Adds
-- the parameters and the lines.
local function kept_axes(t, ending)
  local rank = ending.kept
  local blocks, names, other = address.axes(rank, false, { label = "b" }), {}, 0
  address.extents(t.params, blocks)
  add(t.params, "const index_t rows_of")
  add(t.params, "const index_t columns_of")
  address.coordinates(t.coordinates, "  ", "blockIdx.x", blocks)
  add(t.coordinates, "  const index_t first_row = (index_t)c%d * %d, first_column = (index_t)c%d * %d;", rank - 1,
    THREADS / ending.across * ending.rows, rank, ending.across * ending.columns)
  for axis = 1, rank do
    if axis == ending.row then
      names[axis] = "y"
    elseif axis == ending.column then
      names[axis] = "x"
    else
      other = other + 1
      names[axis] = "c" .. other
    end
  end
  local kept = address.axes(rank, ending.wide, { index = "index_t" })
  kept.names = names
  return kept
end

-- What an operand goes on along the axes of the blocks, and along those of the tile.
local function places(t, kept, label, ending)
  local outside, inside = {}, {}
  address.strides(t.params, kept, label)
  for axis = 1, kept.rank do
    local list = (axis == ending.row or axis == ending.column) and inside or outside
    list[#list + 1] = address.term(kept, axis, label)
  end
  return #outside > 0 and concat(outside, " + ") or "0", concat(inside, " + ")
end

-- An operand: what of it is in shared memory, and how it gets there and into registers.
local function operand(t, p, i, kept, go)
  local ending, leaf, token = p.ending[1], p.leaves[i], p.ending[t.operands + 1]
  local class, c, itemsize = token.class, ctype.memory(leaf.dtype), leaf.dtype.itemsize
  local label, threads = "k" .. i, class == "row" and THREADS / ending.across or ending.across
  local each = class == "row" and ending.rows or ending.columns
  local extent = class == "point" and 1 or threads * each
  local total, fields = extent * ending.chunk, { number = i }
  local outside = places(t, kept, label, ending)
  add(t.coordinates, "  const %s *const b%d = p%d + (%s);", c, i, i, outside)
  fields.turns, fields.guard = ceil(total / THREADS), total % THREADS > 0 and ("if (i < %d) "):format(total) or ""
  fields.k = extent == 1 and "i" or token.along and "i % CHUNK" or ("i / %d"):format(extent)
  fields.entry = class == "point" and "" or token.along and "[i / CHUNK]" or ("[i %% %d]"):format(extent)
  local at, lines = address.place(t.params, go, "r" .. i), {}
  address.coordinates(lines, "        ", "r", go, at)
  if class == "point" then
    add(t.shared, "  __shared__ %s tile%d[CHUNK];", c, i)
    add(t.slices, "  %s a%d;", c, i)
    add(t.loads, "    s.a%d = tile%d[k];", i, i)
    add(t.arguments, "s.a%d", i)
  else
    local name = class == "row" and "y" or "x"
    add(lines, "        const index_t %s = min(first_%s + %s, %ss_of - 1);", name, class, fields.entry:sub(2, -2),
      class)
    at = ("%s + %s"):format(at, address.term(kept, ending[class], label))
    add(t.shared, "  __shared__ __align__(16) %s tile%d[CHUNK][%d];", c, i, outer.pitch(extent, itemsize))
    local together = class == "row" or ending.vector
    local aligned = together and ("__align__(%d) "):format(min(16, each * itemsize)) or ""
    add(t.types, "struct %spack_%d { %s e[%d]; };\n", aligned, i, c, each)
    add(t.slices, "  pack_%d a%d;", i, i)
    if together then
      add(t.loads, "    s.a%d = *(const pack_%d *)&tile%d[k][%s * %d];", i, i, i, class, each)
    else
      add(t.loads, "#pragma unroll\n    for (int j = 0; j < COLUMNS; j++)")
      add(t.loads, "      s.a%d.e[j] = tile%d[k][column + j * ACROSS];", i, i)
    end
    add(t.arguments, "s.a%d.e[%s]", i, class == "row" and "i" or "j")
  end
  fields.place, fields.at = concat(lines, "\n"), at
  add(t.fills, "%s", template.fill("outer", "fill", fields))
end

-- Where results go.
local function puts(t, ending, result, at)
  if not ending.vector then
    return template.fill("outer", "put_each", { at = at })
  end
  add(t.types, "struct __align__(%d) pack_out { %s e[%d]; };\n", min(16, ending.columns * result.itemsize),
    ctype.memory(result), ending.columns)
  return template.fill("outer", "put_vector", { at = at })
end

---A kernel: see reduce/code.lua.
---@param p cudalua.gpuarray.Program
---@param o cudalua.gpuarray.ReductionParts
---@return string types
---@return string device
---@return string kernel
function M.generate(p, o)
  local ending = p.ending[1]
  local t = { params = {}, coordinates = {}, shared = {}, types = {}, slices = {}, loads = {}, arguments = {},
    fills = {}, operands = 0 }
  local kept = kept_axes(t, ending)
  local go = address.axes(ending.gone, ending.wide, { label = "r", index = "index_t" })
  address.extents(t.params, go)
  local outside, inside = places(t, kept, "o", ending)
  for i, leaf in ipairs(p.leaves) do
    if leaf.class == "one" then
      add(t.coordinates, "  const %s u%d = *p%d;", ctype.memory(leaf.dtype), i, i)
      add(t.arguments, "u%d", i)
    else
      t.operands = t.operands + 1
      operand(t, p, i, kept, go)
    end
  end
  local params = { unpack(o.params) }
  for i, leaf in ipairs(p.leaves) do add(params, "const %s *p%d", ctype.memory(leaf.dtype), i) end
  for _, list in ipairs { o.more, t.params } do
    for _, text in ipairs(list) do params[#params + 1] = text end
  end
  local fields = { name = o.name, params = ", " .. concat(params, ", "), rows = ending.rows, columns = ending.columns,
    across = ending.across, chunk = ending.chunk, batch = ending.batch, rest = ending.rest, levels = ending.levels,
    resident = ending.resident and ", " .. ending.resident or "", coordinates = concat(t.coordinates, "\n"),
    shared = concat(t.shared, "\n"), fills = concat(t.fills, "\n"),
    puts = puts(t, ending, ending.reduction.result, outside .. " + " .. inside) }
  fields.loads, fields.value = concat(t.loads, "\n"), o.value(t.arguments)
  local device, body = template.fill("outer", "tile", fields), "free"
  if o.tree then
    body = ending.levels > 0 and "batches" or "one_batch"
    device = device .. template.fill("outer", "tree", fields)
    if ending.levels > 0 then device = device .. template.fill("outer", "levels", fields) end
  end
  fields.body = template.fill("outer", body, fields)
  local types = ("typedef %s index_t;\n%sstruct slices_t {\n%s\n};\n"):format(
    ending.wide and "unsigned long long" or "unsigned", concat(t.types), concat(t.slices, "\n"))
  return types, device, template.fill("outer", "outer", fields)
end

return M
