-- Several reductions of one operand along the same axes, in one kernel. How an output's elements are combined depends
-- on their number alone, so each result has the bits that it has alone. The kernel can store the operand, too, as it
-- computes each of its elements. Lanes that repeat an output (units_split) store the same once more.
--
-- A variance of many elements is a member, too (kernels/array/moments.cu). So is one of fewer elements if a block has
-- all elements of its outputs: the kernel sees them once more, beside their mean. Otherwise it is two reductions: the
-- mean, and the mean of the squared distances from it.

local evaluate = require "cudalua.gpuarray.core.evaluate"
local gathered = require "cudalua.gpuarray.reduce.axes"
local joint_code = require "cudalua.gpuarray.reduce.joint_code"
local plan = require "cudalua.gpuarray.core.plan"
local reduce_code = require "cudalua.gpuarray.reduce.code"
local reduce_run = require "cudalua.gpuarray.reduce.run"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local sub = require("cudalua.base.tables").sub
local pairs_of = require "cudalua.base.pairs_of"

local ceil, max, min = math.ceil, math.max, math.min
local AGAIN = run.AGAIN

local M = {}

---A kernel has at most so many results, and bytes that it combines at once.
M.MOST, M.BYTES = 4, 32
---The same bytes down columns of large arrays. With more of them, one kernel takes longer than several: Q6 of
---docs/programs.md.
M.COLUMN_BYTES = 16

---Bytes if a variance in one pass is among them: a thread has fewer columns then.
M.CHUNK_BYTES = 40

-- ---- kinds ----------------------------------------------------------------------------------------------------------

-- Bytes of a struct of them.
local function bytes_of(parts, wide)
  local bytes, most = 0, 1
  for i = 1, #parts do
    local n, alignment = reduce_code.size_of(parts[i], wide)
    bytes = ceil(bytes / alignment) * alignment + n
    most = max(most, alignment)
  end
  return ceil(bytes / most) * most
end

-- Reductions with equal texts combine the same values alike.
local function part_key(kind)
  local key = kind.part_key
  if not key then
    local names = {}
    for i, dt in ipairs(kind.values) do names[i] = dt.name end
    key = table.concat({ table.concat(names, " "), kind.acc.name, kind.combine, kind.neutral, tostring(kind.tree),
      tostring(kind.row.position) }, "|")
    kind.part_key = key
  end
  return key
end

-- What decides about the order of members, so that the order in a program does not.
local function key_of(kind)
  local key = kind.key
  if not key then
    key = ("%s %s %s"):format(kind.row.name, kind.result.name, part_key(kind.middle or kind))
    kind.key = key
  end
  return key
end

-- Its parts, and the part of each member.
local function parts_of(kinds)
  local parts, of, known = {}, {}, {}
  for i, kind in ipairs(kinds) do
    local part = kind.middle or kind
    local key = part_key(part)
    if not known[key] then
      parts[#parts + 1] = part
      known[key] = #parts
    end
    of[i] = known[key]
  end
  return parts, of
end

local joints = {}

-- The reduction that is all of these, in the order of their keys; the same object each time. `stored`: the type of the
-- operand, which is stored, too.
local function joint_of(kinds, stored)
  local known = joints
  for _, kind in ipairs(kinds) do known = sub(known, kind) end
  if stored then known = sub(known, stored) end
  local joint = known.joint
  if joint then return joint end
  local parts, of = parts_of(kinds)
  local names = {}
  joint = { members = kinds, stored = stored, parts = parts, part_of = of, values = {}, through = {}, tree = false,
    ordered = false, kind = "end", class = "reduction", most = 4,
    acc_bytes = function(wide) return bytes_of(parts, wide) end }
  for i, kind in ipairs(kinds) do
    names[i] = kind.row.name
    joint.tree, joint.ordered = joint.tree or kind.tree, joint.ordered or kind.ordered
    if kind.middle then joint.middle, joint.middle_of, joint.squares = kind.middle, of[i], kind.squares end
    if kind.moments then joint.moments, joint.most = kind.moments, min(joint.most, kind.most) end
  end
  joint.row = { name = table.concat(names, "_") }
  known.joint = joint
  return joint
end

-- ---- the kinds of variances -----------------------------------------------------------------------------------------

local spreads = {} -- type of the elements -> type that is computed in -> of the result -> "var" or "std"

---Variances of at most so many elements take two passes: the mean, and then the squares. Row kernels hold as many
---float32, and two passes over registers take less time than one. Variances of more elements take one, for which the
---lanes of a warp need whole chunks, so this is 512 at least.
M.TWO_PASSES = 16384

---How a kernel computes moments (kernels/array/moments.cu). Bits depend on `chunk` alone.
---@class cudalua.gpuarray.Moments
---@field chunk integer     elements of a chunk
---@field rounds integer    chunks of a row that a lane has one after the other, at most: 1, 2 or 4
---@field most integer      columns that a thread has: what it holds of each takes many registers
---@field levels integer    of the tree for a column that are in registers
---@field share integer      of the usual number of blocks: fewer have longer columns
---@field longest integer   2^ so many elements of a column are what a thread has at most
---@field resident integer  blocks of a multiprocessor, at least, that have registers for columns

---@type table<string, cudalua.gpuarray.Moments>  by the type that is computed in
M.moments = {
  float32 = { chunk = 16, rounds = 4, most = 2, longest = 9, levels = 2, share = 1 / 8, resident = 2 },
  float64 = { chunk = 8, rounds = 4, most = 1, longest = 9, levels = 2, share = 1 / 8, resident = 2 },
}

-- From a sum of squares to the result; $n is the divisor.
local function finish_of(name, t, squares)
  local c = t.itemsize == 4 and { "float", "f" } or { "double", "" }
  local quotient = ("%s / (%s)$n"):format(squares, c[1])
  return name == "std" and ("sqrt%s(%s)"):format(c[2], quotient) or quotient
end

local function in_one_pass(name, t, result, moments)
  return { row = { name = name }, through = { t }, values = { t }, acc = t, combine = "moments", neutral = "",
    moments = moments, most = moments.most, finish = finish_of(name, t, "$1.squares"), finished = t, result = result,
    tree = true, ordered = true, narrow = false, divides = true, kind = "end", class = "reduction" }
end

---The variance or the standard deviation as a kind of reduction.
---@class cudalua.gpuarray.SpreadKind
---@field middle cudalua.gpuarray.ReductionKind   the mean, in the type that is computed in
---@field squares cudalua.gpuarray.ReductionKind  the sum of the squares
---@field spread cudalua.gpuarray.ReductionKind   the same, and what becomes of it: `count` is what it is divided by

---@param name "var"|"std"
---@param from cudalua.dtype.DType    of the elements
---@param t cudalua.dtype.DType       float32 or float64, which is computed in
---@param result cudalua.dtype.DType  a float
---@param n integer                   elements of each result
---@return cudalua.gpuarray.SpreadKind|cudalua.gpuarray.ReductionKind  the same object each time
function M.spread(name, from, t, result, n)
  local moments = n > M.TWO_PASSES and M.moments[t.name]
  local known = sub(sub(sub(sub(spreads, from), t), result), moments)
  local kind = known[name]
  if kind then return kind end
  if moments then
    known[name] = in_one_pass(name, t, result, moments)
    return known[name]
  end
  local middle, squares, spread = {}, reductions.kind(reductions.sum, t), {}
  for key, value in pairs_of(reductions.kind(reductions.mean, t)) do middle[key] = value end
  if from ~= t then middle.values, middle.through = { t }, { t } end
  middle.part_key, middle.key = nil, nil
  for key, value in pairs_of(squares) do spread[key] = value end
  spread.row, spread.finish = { name = name }, finish_of(name, t, "$1")
  spread.finished, spread.result, spread.signature, spread.stages, spread.divides = t, result, nil, nil, true
  kind = { row = spread.row, middle = middle, squares = squares, spread = spread, result = result, finished = t,
    tree = true, ordered = true, acc = middle.acc }
  known[name] = kind
  return kind
end

---Is a reduction the mean that a variance is made with?
---@param spread cudalua.gpuarray.SpreadKind
---@param kind cudalua.gpuarray.ReductionKind
---@return boolean
function M.is_middle(spread, kind)
  return kind.row == reductions.mean and kind.result == spread.finished and part_key(kind) == part_key(spread.middle)
end

-- ---- groups ---------------------------------------------------------------------------------------------------------

---May a reduction join others? They have one operand and go along the same axes.
---@param kinds table[]  of the others
---@param kind table
---@return boolean
function M.fits(kinds, kind)
  if #kinds >= M.MOST then return false end
  local all = { unpack(kinds) }
  for _, other in ipairs(kinds) do
    if other.middle and kind.middle and (other.middle ~= kind.middle) and
      part_key(other.middle) ~= part_key(kind.middle) then
      return false
    end
  end
  all[#all + 1] = kind
  local most = 0
  for _, one in ipairs(all) do most = max(most, one.moments and M.CHUNK_BYTES or M.BYTES) end
  return bytes_of((parts_of(all)), true) <= most
end

---A result of a kernel.
---@class cudalua.gpuarray.JointMember
---@field kind table
---@field to cudalua.gpuarray.Reduced
---@field array? cudalua.gpuarray.Array  the pending array that it is the value of

-- The results' memory; false: a finalizer changed the current context.
local function take_memory(g)
  for i, member in ipairs(g) do
    local buf, context = storage.buffer(member.to.outputs * member.kind.result.itemsize)
    g.buffers[i] = buf
    if g.context and context ~= g.context then return false end
    g.context = context
  end
  local x, context = g.stored, g.context
  if x then g.memory, context = storage.buffer(x._size * x._dtype.itemsize) end
  return context == g.context
end

local function give_back(g)
  for i = 1, #g do
    local buf = g.buffers[i]
    g.buffers[i] = false
    if buf then storage.give_back(buf) end
  end
  local buf = g.memory
  g.memory = false
  if buf then storage.give_back(buf) end
end

local function leaves_of(g)
  local leaves = {}
  for i, member in ipairs(g) do
    local dtype = member.kind.result
    local store = storage.bare_store(g.buffers[i], member.to.outputs * dtype.itemsize, g.context)
    leaves[i] = storage.fresh_leaf(store, dtype, member.to.shape)
  end
  return leaves
end

-- What the kernel is called with; a pointer takes two places.
local function gather(w, p, g, partial, counting)
  local list, at = w.arguments, 5
  list[1], list[2], list[3], list[4], list[5] = p.outputs, p.n, p.n, p.first, p.second
  if partial then
    list[6], list[7], list[8], list[9], list[10] = p.parts, partial, 0, counting, 0
    at = 10
  end
  for i = 1, #g do
    list[at + 1], list[at + 2] = g.buffers[i], 0
    at = at + 2
  end
  if g.stored then
    list[at + 1], list[at + 2] = g.memory, 0
    at = at + 2
  end
  for _, member in ipairs(g) do
    if member.kind.middle or member.kind.divides then
      at = at + 1
      list[at] = member.to.divisor
    end
  end
  gathered.put_operands(w, at, p.count)
end

-- Where the operand is stored.
local function place_of(w, g, operand)
  local x = g.stored
  if not x then return nil end
  local shape, itemsize = x._shape, x._dtype.itemsize
  return storage.new_leaf(storage.bare_store(g.memory, x._size * itemsize, g.context), 0, x._dtype, shape,
    plan.kept_order(w, operand, itemsize) or storage.dense_strides(shape, itemsize))
end

local compute

---Has a finalizer computed one of the results meanwhile, or released it?
---@param g cudalua.gpuarray.JointMember[]
---@return boolean
function M.is_changed(g)
  for _, member in ipairs(g) do
    if member.array and not member.array._sig then return true end
  end
  return false
end

-- Would several kernels be faster? Down columns of large arrays, many results or storing the operand take more time
-- than reading the operand once more.
local function is_slow(p, g, kind)
  return (p.form == "columns" or p.form == "columns_split") and
    (g.stored or kind.acc_bytes(p.wide) > M.COLUMN_BYTES)
end

-- Can that be so, however the operand lies?
local function may_be_slow(g, x, kind)
  return x._size * x._dtype.itemsize > run.LAUNCH and
    (g.stored or #g > 1 and not kind.moments and kind.acc_bytes(true) > M.COLUMN_BYTES) and true or false
end

-- Is it so? This is asked before memory is allocated. Something that has to be computed first leaves it open.
local function is_known_slow(g, x, kind)
  local w, operand, to = plan.begin(x._shape, false), gathered.operand_of(x), g[1].to
  w.numbered = true
  plan.walk(w, operand)
  local slow = false
  if not plan.computed_before(w) and not (kind.ordered and reduce_run.crossing(w, to.axes)) then
    slow = is_slow(reduce_run.close(w, x, kind, to, false, place_of(w, g, operand)), g, kind)
  end
  plan.finish(w, false)
  return slow
end

-- An attempt to compute all results. False: this kernel cannot, or should not.
local function attempt(since, g, x, kind)
  if M.is_changed(g) then return false end
  local w, operand, to = plan.begin(x._shape, false), gathered.operand_of(x), g[1].to
  w.numbered = true
  plan.walk(w, operand)
  if w.context and w.context ~= g.context then
    local inside = w.home
    plan.finish(w, false)
    give_back(g)
    return gathered.elsewhere(compute, inside, g, x, kind)
  end
  local again = plan.computed_before(w)
  if not again and kind.ordered and reduce_run.crossing(w, to.axes) then
    plan.finish(w, false)
    return false
  end
  local stored = not again and place_of(w, g, operand)
  local p = not again and reduce_run.close(w, x, kind, to, false, stored)
  if p and not gathered.fits(w, p) and operand._sig then again = operand end
  if again then
    plan.finish(w, false)
    evaluate.evaluate(again)
    return AGAIN
  end
  if kind.middle and p.parts > 1 or g.large and is_slow(p, g, kind) then
    plan.finish(w, false)
    return false
  end
  local k = gathered.kernel_of(w.state, joint_code.kernel)
  local partial, counting, own = reduce_run.shared(g.context, p, k.acc_bytes, g.buffers[1])
  gather(w, p, g, partial, counting)
  local leaves = leaves_of(g)
  w.kernel, w.blocks, w.since, w.scratch = k, p.blocks, since, own and { partial }
  for i = 1, #leaves do w.writes[i] = leaves[i] end
  w.nwrites, g.launching = #leaves, true
  if stored then w.nwrites, w.writes[#leaves + 1], leaves.stored = #leaves + 1, stored, stored end
  local done = run.kernel(w)
  plan.finish(w, done)
  g.launching = done
  return done and leaves or AGAIN
end

function compute(g, x, kind)
  g.buffers, g.memory, g.context, g.launching = {}, false, false, false
  g.large = may_be_slow(g, x, kind)
  if g.large and is_known_slow(g, x, kind) then return false end
  local ok, leaves = pcall(take_memory, g)
  if ok and leaves then
    ok, leaves = pcall(run.until_done, attempt, g, x, kind)
  end
  if (not ok or not leaves) and not g.launching then give_back(g) end
  if not ok then error(leaves, 0) end
  return leaves
end

---Computes several reductions of one operand in one kernel.
---@param members cudalua.gpuarray.JointMember[]  is sorted
---@param x cudalua.gpuarray.Array|cudalua.gpuarray.Operand
---@param stored? cudalua.gpuarray.Array  the operand, if the kernel stores it, too
---@return table[]|false leaves  of the members, `stored` of the operand; false: one kernel cannot, and nothing was done
function M.compute(members, x, stored)
  table.sort(members, function(a, b) return key_of(a.kind) < key_of(b.kind) end)
  local kinds = {}
  for i, member in ipairs(members) do kinds[i] = member.kind end
  evaluate.fit(x._operand or x)
  members.stored = stored or false
  return compute(members, x, joint_of(kinds, stored and stored._dtype))
end

return M
