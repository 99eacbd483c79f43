-- The end of programs that read mapped arrays (mapped.lua): the steps of all arrays along the program's axes, and the
-- arguments of the kernel. Axes with links are not joined with others.

local maps = require "cudalua.gpuarray.kernel.maps"
local plan = require "cudalua.gpuarray.core.plan"
local sub = require("cudalua.base.tables").sub
local tile = require "cudalua.gpuarray.kernel.tile"

local abs, max, min = math.abs, math.max, math.min
local step = plan.step

local M = {}

local nothing = {}

local ends, root, out_steps = {}, {}, plan.steps

local function end_token(rank, wide, pack, chunks)
  local key = ((rank * 2 + (wide and 1 or 0)) * 32 + pack) * 32 + chunks
  local token = ends[key]
  if not token then
    token = { kind = "end", class = "mapped", rank = rank, wide = wide, pack = pack, chunks = chunks }
    ends[key] = token
  end
  return token
end

-- How a mapped operand is read. Operands that are read alike share one token. `packed`: in packs along the last axis.
local function step_token(links, inner, packed)
  local t = sub(root, packed and "packed" or inner == 0 and 0 or inner == 1 and 1 or "any")
  for k = 1, #links do
    for i = 1, #links[k] do t = sub(t, links[k][i].kind) end
    t = sub(t, k < #links and "next" or "last")
  end
  local token = t.token
  if not token then
    token = { kind = "step", step = (inner == 0 or inner == 1) and inner or nil, packed = packed, links = {} }
    for k = 1, #links do
      token.links[k] = {}
      for i = 1, #links[k] do
        local link = links[k][i]
        token.links[k][i] = { kind = link.kind, count = #link, divisor = link.divisor }
      end
    end
    t.token = token
  end
  return token
end

local LIMIT = plan.LIMIT

local function reach_of(l)
  local reach = 0
  for k = 1, #l.shape do reach = reach + (l.shape[k] - 1) * abs(l.strides[k]) / l.dtype.itemsize end
  return reach
end

-- Is any position so far away that 32 bits do not count to it?
local function is_wide(extents, joined, along, leaves, size)
  if size >= LIMIT or plan.always_wide then return true end
  for i = 1, #joined do
    local reach = 0
    for k = 1, #extents do
      local extent = extents[k]
      local links = along[i][k]
      if #links > 0 then
        if maps.reach(links, extent) >= LIMIT then return true end
        extent = 1 -- positions are those of the array, whose own reach follows
      end
      reach = reach + (extent - 1) * abs(joined[i][k])
    end
    if reach + (leaves[i].mask and 0 or reach_of(leaves[i])) >= LIMIT then return true end
  end
  return false
end

-- How many elements can be written together, and read from arrays without links.
local function pack_of(extents, joined, along, leaves, whole, largest)
  local rank = #extents
  local pack, single = 16 / largest, false
  while pack > 1 and extents[rank] % pack ~= 0 do pack = pack / 2 end
  while pack > 1 and not tile.in_words(leaves[1], joined[1], rank, pack) do pack = pack / 2 end
  for _, l in ipairs(whole) do
    while pack > 1 and not tile.in_words(l, {}, 0, pack) do pack = pack / 2 end
  end
  for i = 2, #joined do
    if #along[i][rank] > 0 or joined[i][rank] ~= 0 and not tile.in_words(leaves[i], joined[i], rank, pack) then
      single = true
    end
  end
  return single and min(pack, max(1, maps.BYTES / largest)) or pack
end

-- The operands whose places differ from the output's: how they step along the axes of the program.
local function operands_of(w, out)
  local list = { operands = { plan.along(out, w.shape) }, leaves = { out }, links = { nothing }, whole = {},
    largest = max(out.dtype.itemsize, w.largest), sum = w.bytes > 0 and w.bytes or out.dtype.itemsize, read = 0 }
  for i = 1, w.nleaves do
    local class, l = w.classes[i], w.leaves[i]
    local n = #list.operands + 1
    if class == "strided" then
      list.operands[n], list.leaves[n], list.links[n] = plan.along(l, w.shape), l, nothing
    elseif class == "mapped" or class == "mask" then
      list.operands[n], list.leaves[n], list.links[n] = w.strides[i], l, w.links[i]
    elseif class ~= "one" then
      list.whole[#list.whole + 1] = l
    end
    if class ~= "one" and class ~= "mask" then
      list.largest, list.sum, list.read = max(list.largest, l.dtype.itemsize), list.sum + l.dtype.itemsize,
        list.read + 1
    end
  end
  return list
end

---Adds how an operand is read, and its numbers.
---@param w cudalua.gpuarray.Walk
---@param n integer  numbers there are already
---@param leaf table
---@param links cudalua.gpuarray.Link[][]
---@param strides integer[]
---@param packed? boolean  in packs along the last axis
---@param wide? boolean
---@return integer n
function M.put_operand(w, n, leaf, links, strides, packed, wide)
  local numbers, rank = w.numbers, #strides
  local last, linked = strides[rank], #links[rank] > 0
  local fast = (last == 1 or last == 0 and not linked) and last or nil
  step(w, step_token(links, fast, packed))
  if not leaf.mask then
    for k = 1, fast and rank - 1 or rank do
      n = n + 1
      numbers[n] = strides[k]
    end
  end
  for k = 1, rank do
    for _, link in ipairs(links[k]) do
      for j = 1, #link do
        if j == link.divisor then
          n = plan.add_extent(numbers, n, link[j], wide)
        else
          n = n + 1
          numbers[n] = link[j]
        end
      end
    end
  end
  return n
end

---Ends a program that reads mapped arrays.
---@param w cudalua.gpuarray.Walk
---@param out table     leaf
---@param size integer
---@return integer count  of w.numbers
function plan.mapped_end(w, out, size)
  local o = operands_of(w, out)
  local extents, joined, along = plan.collapse(w.shape, o.operands, plan.ordered(w.shape, o.operands[1]),
    o.links)
  local rank, numbers, n = #extents, w.numbers, 0
  local wide = is_wide(extents, joined, along, o.leaves, size)
  local shifted = not wide and plan.shifted_end(w, extents, joined, along, size)
  if shifted then return shifted end
  local pack = pack_of(extents, joined, along, o.leaves, o.whole, o.largest)
  step(w, end_token(rank, wide, pack, maps.chunks(pack, o.largest, o.sum, o.read)))
  for k = 2, rank do n = plan.add_extent(numbers, n, k == rank and extents[k] / pack or extents[k], wide) end
  local inner = out_steps[joined[1][rank]] or out_steps.any
  step(w, inner)
  for k = 1, inner.step and rank - 1 or rank do
    n = n + 1
    numbers[n] = joined[1][k]
  end
  for i = 2, #joined do
    local packed = #along[i][rank] == 0 and joined[i][rank] == 1 and tile.in_words(o.leaves[i], joined[i], rank, pack)
    n = M.put_operand(w, n, o.leaves[i], along[i], joined[i], packed, wide)
  end
  return n
end

return M
