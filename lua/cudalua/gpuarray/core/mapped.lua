-- Walks below index maps (map.lua). mapped_end.lua ends the programs that read mapped arrays.
--
-- The kernel that uses a map also reads its operand: the walk continues below the map and applies it to all arrays
-- there. For each axis of the program, links (kernel/maps.lua) then give the position along an axis of the array, if
-- any.
--
-- An expression below a map is computed in the same kernel or stored first, whichever moves fewer bytes. P is the
-- number of times that each element is computed in this kernel: once for each map, more often below repetitions, and
-- once if it is also read without a map. m is the number of bytes that its arrays need for an element, plus an eighth
-- for each operation. S is the size of an element. In the same kernel, the cost is P m. Storing the expression first
-- costs m + S, and reading it P S. So the operand of a single roll is always computed in place, x * 2 for up to 65
-- rolls, and a sum of five arrays for only one.

local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local maps = require "cudalua.gpuarray.kernel.maps"
local object = require "cudalua.gpuarray.core.object"
local plan = require "cudalua.gpuarray.core.plan"
local tile = require "cudalua.gpuarray.kernel.tile"
local leaf_of = require("cudalua.gpuarray.core.storage").leaf_of
local number_from = require("cudalua.gpuarray.core.marks").number_from

require "cudalua.gpuarray.core.shifted"

local abs, max = math.abs, math.max
local step, same, size_of = plan.step, layout.same, graph.size_of

local M = {}

-- The bytes that an operation counts for.
local OPERATION = 1 / 8

---Would an expression that is computed in so many places move fewer bytes if it were stored?
---@param places number  how often each element is computed
---@param bytes number   of its arrays, for an element
---@param operations number
---@param size integer   bytes of an element
---@return boolean
function M.is_dear(places, bytes, operations, size)
  bytes = bytes + OPERATION * operations
  return places * bytes > bytes + size + places * size
end

-- If a program has more values than this, something is stored and the walk starts over.
local MOST_VALUES = 400

local tokens, mask_token = {}, { kind = "leaf", dtype = require("cudalua.dtype").bool, class = "mask" }
for _, dt in ipairs(require("cudalua.dtype").list) do
  tokens[dt] = { kind = "leaf", dtype = dt, class = "mapped" }
end

-- ---- the maps of a walk ---------------------------------------------------------------------------------------------

---How the axes of a program map to the axes of an operand, at one place of a walk.
---@class cudalua.gpuarray.Below
---@field of integer[]        axis of the operand, by axis of the program; 0: none
---@field links cudalua.gpuarray.Link[][]
---@field ndim integer        of the operand
---@field numbers table       what was computed below it, by array: the numbers of the values
---@field size integer        elements of the program's axes that it has positions for

local nothing = {}

local function same_below(a, b)
  if a.ndim ~= b.ndim then return false end
  for k = 1, #a.of do
    if a.of[k] ~= b.of[k] or not maps.same(a.links[k], b.links[k]) then return false end
  end
  return true
end

-- The same one, if there is one already.
local function settled(w, below)
  local list = w.below
  for i = 1, #list do
    if same_below(list[i], below) then return list[i] end
  end
  local size = 1
  for k = 1, #below.of do
    if below.of[k] > 0 then size = size * w.shape[k] end
  end
  below.numbers, below.size = {}, size
  list[#list + 1] = below
  return below
end

-- Applies the map of a node to the axes of the program, or to those below another map. Arrays do not step along
-- broadcast axes, which have one element.
local function go_below(w, x, map, above)
  local rank, skip, below = #w.shape, (above and above.ndim or #w.shape) - #x._shape, { of = {}, links = {},
    ndim = map.ndim }
  for k = 1, rank do
    local axis = (not above or above.of[k] > 0) and (above and above.of[k] or k) - skip or 0
    local of = axis >= 1 and map.of[axis] or 0
    below.of[k] = of
    below.links[k] = of == 0 and nothing or above and maps.join(above.links[k], map.links[axis]) or map.links[axis]
  end
  return settled(w, below)
end

-- ---- arrays ---------------------------------------------------------------------------------------------------------

-- Strides of a leaf along the axes of the program, and the links of those that it moves along.
local function strides_below(l, below)
  local out, links, skip = {}, {}, below.ndim - #l.shape
  for k = 1, #below.of do
    local axis = below.of[k] - skip
    local moves = below.of[k] > 0 and axis >= 1 and l.shape[axis] ~= 1
    out[k] = moves and l.strides[axis] / l.dtype.itemsize or 0
    links[k] = out[k] ~= 0 and below.links[k] or nothing
  end
  return out, links
end

local function mapped_leaf(w, l, below)
  if size_of(l.shape) == 1 then return plan.leaf(w, l) end
  plan.enter(w, l)
  local n = w.nleaves + 1
  w.nleaves, w.leaves[n], w.classes[n], w.strided = n, l, "mapped", true
  w.strides[n], w.links[n] = strides_below(l, below)
  return step(w, tokens[l.dtype] or plan.unsupported(l))
end

-- A mask has no memory.
local function mask(w, m, below)
  local rank, n, skip = #w.shape, w.nleaves + 1, (below and below.ndim or #w.shape) - m.ndim
  local links, strides = {}, {}
  for k = 1, rank do
    local axis = (below and below.of[k] or k) - skip
    local range = axis >= 1 and (not below or below.of[k] > 0) and m.ranges[axis]
    links[k], strides[k] = nothing, 0
    if range then
      local list = below and { unpack(below.links[k]) } or {}
      list[#list + 1] = range
      links[k] = list
    end
  end
  w.values = w.values + 1
  w.nleaves, w.leaves[n], w.classes[n], w.strided = n, m.leaf, "mask", true
  w.strides[n], w.links[n] = strides, links
  step(w, mask_token)
end

-- ---- the walk -------------------------------------------------------------------------------------------------------

local walk_below

-- Records an expression that is computed below a map. Outer expressions come first.
local function meet(w, x, below)
  local met = w.met[x]
  local new = not met
  if new then
    met = { array = x, places = 0, bytes = 0, operations = 0 }
    w.met[x], w.met[#w.met + 1] = met, met
  end
  met.places = met.places + max(1, below.size / max(x._size, 1))
  return new and met
end

-- Its cost, from the leaves and operations that the walk found in it.
local function account(w, met, leaves, values)
  met.operations = w.values - values - (w.nleaves - leaves)
  for i = leaves + 1, w.nleaves do
    local l = w.leaves[i]
    if w.classes[i] ~= "mask" then
      met.bytes = met.bytes + size_of(l.shape) * l.dtype.itemsize / max(met.array._size, 1)
    end
  end
end

-- The operands of a node of select(), below a map or not.
local function select_operands(w, sig, a, b, c, below)
  if below then
    walk_below(w, a, sig.x, below)
    walk_below(w, b, sig.y, below)
  else
    plan.walk(w, a, sig.x)
    plan.walk(w, b, sig.y)
  end
  mask(w, c, below)
  w.values = w.values + 1
  return step(w, sig)
end

local function scalar(w, x, dtype)
  plan.walk(w, x, dtype)
  return w.values
end

---A reduction that has not started, met by a walk: it is computed before the kernel.
---@param w cudalua.gpuarray.Walk
---@param x cudalua.gpuarray.Array
---@param sig table
---@return integer  the number of its value
function M.needs(w, x, sig)
  w.first, w.values = w.first or x, w.values + 1
  step(w, sig)
  return w.values
end

-- Returns the number of the value, which may be one that came up before.
function walk_below(w, x, dtype, below)
  if type(x) == "number" then return scalar(w, x, dtype) end
  x = object.leaf_of(x) or x
  local number = below.numbers[x]
  if number then
    step(w, number)
    return number
  end
  local sig, a, b, c = x._sig, x._a, x._b, x._c -- a finalizer may compute x on the way
  if object.is_leaf(x) then
    w.values = w.values + 1
    below.numbers[x] = w.values
    mapped_leaf(w, x, below)
    return w.values
  end
  if sig == false then return walk_below(w, leaf_of(x), dtype, below) end
  if not sig then return scalar(w, x, dtype) end
  if w.values > MOST_VALUES then
    w.first = w.first or w.met[1] and w.met[1].array or x
    w.values = w.values + 1
    step(w, sig)
    return w.values
  end
  if sig.reduces then return M.needs(w, x, sig) end
  if sig.maps and not sig.selects then
    return walk_below(w, a, sig.x, go_below(w, x, b, below))
  end
  local leaves, values, met = w.nleaves, w.values, meet(w, x, below)
  if x ~= w.root then
    w.ninner = w.ninner + 1
    w.inner[w.ninner] = x
  end
  if sig.selects then
    select_operands(w, sig, a, b, c, below)
  else
    walk_below(w, a, sig.x, below)
    if b then walk_below(w, b, sig.y, below) end
    if c then walk_below(w, c, sig.z, below) end
    w.values = w.values + 1
    step(w, sig)
  end
  below.numbers[x] = w.values
  if met then account(w, met, leaves, values) end
  return w.values
end

---A node of a map or of select(), met by a walk. Kernels that cannot read mapped arrays compute what they were to read
---first.
---@param w cudalua.gpuarray.Walk
---@param x cudalua.gpuarray.Array
---@param sig table
---@param a any
---@param b any
---@param c any
function plan.walk_map(w, x, sig, a, b, c)
  if sig.reduces and w.rows then return plan.walk_reduction(w, x, sig, a, b) end
  if sig.reduces then return M.needs(w, x, sig) end
  if not w.maps then
    w.first, w.values = w.first or w.inner[1] or x, w.values + 1
    return step(w, sig)
  end
  if not w.below then w.below, w.met, w.strides, w.links = {}, {}, {}, {} end
  local number
  if sig.selects then
    if x ~= w.root then
      w.ninner = w.ninner + 1
      w.inner[w.ninner] = x
    end
    select_operands(w, sig, a, b, c)
  elseif b.identity and same(x._shape, w.shape) then
    plan.walk(w, a, sig.x)
    number = number_from(w.start, object.leaf_of(a) or a)
  else
    number = walk_below(w, a, sig.x, go_below(w, x, b))
  end
  x._mark = w.start + (number or w.values)
  w.nodes = w.nodes or {}
  w.nodes[#w.nodes + 1] = x
end

-- Does the program read an array without a map whose rows lie across those of the result? Tiles are faster for that.
local function reads_across(w)
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" and M.is_across(w.leaves[i], w.shape) then return true end
  end
end

---Would a kernel that reads this array, and writes one in C order, read it by tiles?
---@param l table  a leaf that broadcasts to the shape
---@param shape integer[]
---@return boolean
function M.is_across(l, shape)
  local last = #shape
  if last < 2 or shape[last] == 1 or l.shape == shape and abs(l.strides[last]) < 2 * l.dtype.itemsize then
    return false
  end
  local strides = plan.along(l, shape)
  if abs(strides[#shape]) < 2 then return false end
  local bytes = l.dtype.itemsize
  return tile.choose(shape, { layout.dense_strides(shape, 1, "C"), strides }, { l, l }, {}, bytes) ~= nil
end

---The array that must be stored before this kernel, if any.
---@param w cudalua.gpuarray.Walk
---@return cudalua.gpuarray.Array?
function plan.find_first(w)
  if w.first then return w.first end
  for _, met in ipairs(w.met) do
    local x = met.array
    local places = met.places + (number_from(w.start, x) and 1 or 0)
    if M.is_dear(places, met.bytes, met.operations, x._dtype.itemsize) then return x end
  end
  if w.nodes and w.nodes[1] ~= w.root and reads_across(w) then return w.nodes[1] end
end

return M
