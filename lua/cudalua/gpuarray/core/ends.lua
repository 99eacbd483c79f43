-- The end of a program says how its arrays lie: steps along axes, tiles, and elements that threads share. It is
-- planned for the arrays of one walk, and is the same for other arrays that lie alike. So the last ends of each program
-- are kept with the program's state (plan.lua), which is what they depend on besides.

local layout = require "cudalua.base.layout"
local maps = require "cudalua.gpuarray.kernel.maps"

local same = layout.same

local M = {}

-- ---- how arrays lie -------------------------------------------------------------------------------------------------

local function skew_of(l) return not l.places and (l.store.skew + l.off) % 16 end
M.skew_of = skew_of

---How the arrays of a walk lie in memory, which decides about the plan of its program.
---@class cudalua.gpuarray.Lying
---@field shapes integer[][]
---@field strides integer[][]
---@field skews (integer|false)[]

---@param w cudalua.gpuarray.Walk
---@return cudalua.gpuarray.Lying
function M.lying(w)
  local lying = { shapes = {}, strides = {}, skews = {} }
  for i = 1, w.nleaves do
    local l = w.leaves[i]
    lying.shapes[i], lying.strides[i] = l.shape, l.strides
    lying.skews[i] = not l.mask and skew_of(l)
  end
  return lying
end

---Do the arrays of another walk of the same program lie alike?
---@param lying cudalua.gpuarray.Lying
---@param w cudalua.gpuarray.Walk
---@return boolean
function M.lie_alike(lying, w)
  local leaves, shapes, strides, skews = w.leaves, lying.shapes, lying.strides, lying.skews
  for i = 1, w.nleaves do
    local l = leaves[i]
    if not l.mask and (not same(strides[i], l.strides) or not same(shapes[i], l.shape) or skews[i] ~= skew_of(l)) then
      return false
    end
  end
  return true
end

---How many plans are kept with a state. A short program, such as one array, begins many.
M.MOST = 4

---Keeps a plan with a program's state; the oldest one makes room.
---@param state table
---@param field string
---@param plan table
function M.put(state, field, plan)
  local list = state[field] or { turn = 0 }
  state[field] = list
  list.turn = list.turn % M.MOST + 1
  list[list.turn] = plan
end

-- ---- ends -----------------------------------------------------------------------------------------------------------

---The end of an element-wise program.
---@class cudalua.gpuarray.End
---@field era table            when it was kept: see forget()
---@field shape integer[]      of the program
---@field out_strides integer[]  of what is written
---@field out_skew integer
---@field lying cudalua.gpuarray.Lying
---@field near integer[]       by array: the first one in the same memory, as kernels may read both with one load
---@field apart integer[]      the bytes between them
---@field strides table|false  along the program's axes, of arrays below index maps (mapped.lua),
---@field links table|false    and the links of these
---@field state table          the program's last state
---@field numbers number[]     that the kernel is called with
---@field count integer        of them
---@field blocks integer|false

local era = {}

---Forgets all ends: specs change what they depend on.
function M.forget() era = {} end

-- Which arrays are in the same memory.
local function near_of(w)
  local near, apart = {}, {}
  for i = 1, w.nleaves do
    local l, first = w.leaves[i], i
    for k = i - 1, 1, -1 do
      if w.leaves[k].buf == l.buf and not l.mask then first = k end
    end
    near[i], apart[i] = first, l.off - w.leaves[first].off
  end
  return near, apart
end

-- Arrays that shared memory still do. Others may share some now: the kernel reads it twice.
local function are_near(e, w)
  local leaves, near, apart = w.leaves, e.near, e.apart
  for i = 1, w.nleaves do
    local l, first = leaves[i], leaves[near[i] ]
    if l.buf ~= first.buf or l.off - first.off ~= apart[i] then return false end
  end
  return true
end

local function same_links(a, b)
  for k = 1, #a do
    if not maps.same(a[k], b[k]) then return false end
  end
  return true
end

-- Are index maps the same? A walk that followed a trail has the lists of that trail.
local function mapped_alike(e, w)
  if e.strides == w.strides and e.links == w.links then return true end
  if not e.strides or not w.strides then return false end
  for i = 1, w.nleaves do
    local a, b = e.strides[i], w.strides[i]
    if a ~= b and not (a and b and same(a, b) and same_links(e.links[i], w.links[i])) then return false end
  end
  e.strides, e.links = w.strides, w.links -- a trail's, which come again
  return true
end

local function is_that(e, w, out)
  return e.era == era and e.out_skew == skew_of(out) and same(e.shape, w.shape) and
    same(e.out_strides, out.strides) and mapped_alike(e, w) and M.lie_alike(e.lying, w) and are_near(e, w)
end

---Ends a program as a walk before did, if arrays lie alike.
---@param w cudalua.gpuarray.Walk
---@param out table  leaf that is written to, of the program's shape
---@return integer? count  of w.numbers; nil: nothing was done
function M.follow(w, out)
  local list = w.state.ends
  for i = 1, list and #list or 0 do
    local e = list[i]
    if is_that(e, w, out) then
      local numbers, from = w.numbers, e.numbers
      for k = 1, e.count do numbers[k] = from[k] end
      w.state, w.blocks = e.state, e.blocks
      return e.count
    end
  end
end

---Keeps the end of a program.
---@param before table   the program's state before it
---@param w cudalua.gpuarray.Walk  behind it
---@param out table      leaf that is written to
---@param count integer  of w.numbers
function M.keep(before, w, out, count)
  local near, apart = near_of(w)
  local strides, links = w.below and w.strides, w.below and w.links
  M.put(before, "ends", { era = era, shape = w.shape, out_strides = out.strides, out_skew = skew_of(out),
    lying = M.lying(w), near = near, apart = apart, strides = strides, links = links, state = w.state,
    numbers = { unpack(w.numbers, 1, count) }, count = count, blocks = w.blocks })
end

return M
