-- The kernels of kernels/array/mask.cu: their sources.

local add = require("cudalua.base.tables").add
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local kernels = require "cudalua.gpuarray.index.kernels"
local template = require "cudalua.gpuarray.kernel.template"

local concat, max = table.concat, math.max
local packs_of, evaluation, params_of = codegen.parts.packs_of, codegen.parts.evaluation, codegen.parts.params_of
local uniform_of = codegen.parts.uniform_of

local M = {}

local LOADS = 8 -- packs that a thread reads before it uses the first
---More elements than these are numbered with 64 bits.
M.WIDE = 2 ^ 31

---Elements that a lane reads one by one before it writes the first, by bytes of an element up to 4, 8 and more.
M.BATCH = { [4] = 8, [8] = 8, [16] = 4 }

---Elements of up to 8 bytes are read in packs of up to 16 bytes. Those of 2 bytes and more go through shared memory,
---which would slow down shorter ones. If false, elements are read one by one.
M.STAGED = true
local STAGE = 16 -- words of bits whose elements a warp has in shared memory
local PACKS = { [1] = 4, [2] = 4, [4] = 4, [8] = 2 } -- elements of a pack, by bytes of one

---If no word of a warp has more bits than these, each lane goes through its own.
M.FEW = 8

---The second pass begins with the last tiles.
M.BACKWARDS = true

local function part(name, fields) return template.fill("mask", name, fields or {}) end

-- Elements that a thread reads together, and how many arrays it reads.
local function pack_of(p)
  local largest, read = 1, 0
  for _, leaf in ipairs(p.leaves) do
    if leaf.class == "odd" then largest = 16 end
    if leaf.class ~= "one" then largest, read = max(largest, leaf.dtype.itemsize), read + 1 end
  end
  return 16 / largest, read
end

---The kernel that keeps a bit for each element of a mask.
---@param p cudalua.gpuarray.Program  whose arrays lie without gaps
---@return table  as codegen.elementwise()
function M.bits(p)
  local per, read = pack_of(p)
  local packs, at_once = packs_of(per), 1
  while at_once * per < 32 and at_once * max(read, 1) < LOADS do at_once = at_once * 2 end
  local declared, loads, memory = {}, {}, ctype.memory(p.dtype)
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      add(declared, "      %s x%d[AT_ONCE];", packs:type(leaf.dtype), i)
      add(loads, "        x%d[k] = %s;", i, packs:at(leaf.dtype, "p" .. i, "at"))
    end
  end
  local stored = per == 16 and #p.ops == 0 and read == 1
  local name = codegen.name(p, "array_mask")
  local fields = { name = name, per = per, at_once = at_once, memory = memory, params = params_of(p, {}, true),
    uniform = uniform_of(p), declared = concat(declared, "\n"), loads = concat(loads, "\n"),
    evaluate_one = evaluation(p, function(i) return ("p%d[j]"):format(i) end, function() return "is" end, "j") }
  fields.pack = stored and part "stored" or part("computed", { memory = memory,
    evaluate = evaluation(p, function(i) return packs:element(("x%d[k]"):format(i), "w") end,
      function() return "is" end, "j") })
  local before = { packs:text(), p.compute, "\n", part "sums", stored and part "not_zero" or "" }
  return { pieces = p.pieces, device = concat(before), kernel = part("bits", fields), name = name, loaded = {} }
end

---The kernel that adds up how many elements of the tiles are true.
---@return table
function M.offsets()
  return kernels.get("mask_offsets", function()
    return "mask_offsets", part "sums" .. template.fill("reduce", "tell", {}) .. part "offsets"
  end)
end

local function writing(name, item, fields)
  fields.name, fields.few = name, M.FEW
  fields.dense = part(fields.dense or "dense", fields)
  fields.tile = M.BACKWARDS and "gridDim.x - 1 - blockIdx.x" or "blockIdx.x"
  return name, item .. part "sums" .. part("write", fields)
end

local function index_of(n) return n > M.WIDE and "unsigned long long" or "unsigned" end

---The kernel that writes the elements for which a mask is true.
---@param bytes integer    of an element
---@param aligned boolean  they begin at a multiple of 16 bytes
---@param n integer        elements of the mask
---@return table           its last parameter is the number of elements
function M.select(bytes, aligned, n)
  local index, batch = index_of(n), M.BATCH[bytes <= 4 and 4 or bytes <= 8 and 8 or 16]
  local each = M.STAGED and aligned and PACKS[bytes] or 1
  local staged = each > 1 and bytes > 1
  if each > 1 then batch = staged and STAGE / each or 8 end
  return kernels.get(("mask_select %d %d %s %d %d %s"):format(bytes, each, index, batch, M.FEW, M.BACKWARDS), function()
    return writing("mask_select", kernels.item(bytes), { item = "Item", value = "the element", each = each,
      batch = batch, index = index, params = (", const Item *__restrict__ from, const %s n"):format(index),
      loads = part(each > 1 and "load_packs" or "load_items", { index = index }), few_loads = part "load_few",
      dense = staged and "staged", put = "    out[to] = x;", value_read = each > 1 and "x[k].e[e]" or "x[k]" })
  end)
end

-- Parameters, and lines that take the place of element i apart.
local function coordinates(ndim, by_axis, index)
  local params, lines = {}, {}
  local function put(axis, value)
    local to = by_axis and ("%d * total + to"):format(axis - 1) or ("to * %d + %d"):format(ndim, axis - 1)
    add(lines, "    out[%s] = %s + 1;", ndim == 1 and "to" or to, value)
  end
  add(lines, "    %s%s rest = i;", ndim == 1 and "const " or "", index)
  for axis = ndim, 2, -1 do
    add(params, ", const %s e%d", index, axis)
    put(axis, ("(long long)(rest %% e%d)"):format(axis))
    add(lines, "    rest /= e%d;", axis)
  end
  put(1, "(long long)rest")
  return concat(params), concat(lines, "\n")
end

---The kernel that writes positions.
---@param ndim integer     numbers of a position; 1: in C order
---@param by_axis boolean  all numbers of an axis come one after another. Its last parameters are the number of
---  positions, and the extents of the axes from the last to the second
---@param n integer
---@return table
function M.positions(ndim, by_axis, n)
  local index = index_of(n)
  return kernels.get(("mask_positions %d %s %s %d %s"):format(ndim, by_axis, index, M.FEW, M.BACKWARDS), function()
    local params, lines = coordinates(ndim, by_axis, index)
    return writing("mask_positions", "typedef bool Item;\n", { item = "long long", value = "the position", each = 1,
      batch = 8, index = index, loads = "", few_loads = "", params = ", const long long total" .. params, put = lines,
      value_read = "false" })
  end)
end

return M
