-- The end of programs that read arrays at shifted places: views of one array that begin at different elements, rolls,
-- borders, and parts that are written. Where a thread's elements are all inside, a position is the element's own and a
-- constant, and no map is computed. A thread has elements of one column, so views that are shifted along columns share
-- what it loads. See docs/stencils.md.

local mapped_end = require "cudalua.gpuarray.core.mapped_end"
local plan = require "cudalua.gpuarray.core.plan"
local rows = require "cudalua.gpuarray.kernel.thread_rows"
local sub = require("cudalua.base.tables").sub

local abs, ceil, floor, max, min = math.abs, math.ceil, math.floor, math.max, math.min
local same = require("cudalua.base.layout").same
local step = plan.step

local M = {}

---For tests: false turns these kernels off.
M.enabled = true

---Elements of a result, at least.
M.LEAST = 2 ^ 18

---The part of all elements that is inside, at least.
M.INSIDE = 0.9

---Rows of a thread, at most.
M.ROWS = 4

---Elements that blocks have room for, as a multiple of the elements of the result, at most.
M.WASTE = 1.2

-- Shifts of views that share what is loaded, at most; loads that sharing saves for an element, at least; registers, and
-- unrolled operations.
local NEAR, SAVED, WORDS, VALUES = 8, 0.5, 96, 640
local BLOCK, WARP = rows.BLOCK, 32

-- No links, by number of axes.
local none = setmetatable({}, { __index = function(list, rank)
  list[rank] = {}
  for k = 1, rank do list[rank][k] = {} end
  return list[rank]
end })

---An array that the program reads, or a mask.
---@class cudalua.gpuarray.ShiftedOperand
---@field leaf table
---@field mask boolean
---@field strides integer[]
---@field links? cudalua.gpuarray.Link[][]
---@field from integer     how far the first element is from the one at the output's place, in elements
---@field leader integer   the first operand whose elements it shares; itself, if there is none
---@field down integer     rows from the leader's elements
---@field right integer    columns

local function operands_of(w, joined, along)
  local list, operand = {}, 1
  for i = 1, w.nleaves do
    local class, l = w.classes[i], w.leaves[i]
    if class ~= "one" then
      local own = class == "dense" or class == "odd"
      if not own then operand = operand + 1 end
      list[#list + 1] = { leaf = l, mask = class == "mask", strides = joined[own and 1 or operand],
        links = not own and along and along[operand] or nil, from = 0, leader = #list + 1, down = 0, right = 0 }
    end
  end
  return list
end

-- What is added to a position on an axis, and between which positions that is so. Nil: no constant is.
local function shift_of(o, axis, extent)
  local links = o.links and o.links[axis]
  if not links or #links == 0 then return 0, 0, extent end
  local link = links[1]
  if #links > 1 then return nil end
  if link.kind == "range" then return 0, link[1], min(link[1] + link[2], extent) end
  if link.kind == "edge" then return -link[1], link[1], min(link[2] + 1 + link[1], extent) end
  if link.kind ~= "roll" then return nil end
  local offset, own = link[1], link[2]
  if 2 * offset > own then offset = offset - own end
  return offset, max(0, -offset), min(extent, own - offset)
end

-- The positions of an axis that are inside for all operands. Adds the shifts to them. Nil: there are none.
local function inside(list, axis, extent)
  local from, to = 0, extent
  for _, o in ipairs(list) do
    local shift, first, last = shift_of(o, axis, extent)
    if not shift then return nil end
    from, to = max(from, first), min(to, last)
    if not o.mask then o.from = o.from + shift * o.strides[axis] end
  end
  return to - from >= M.INSIDE * extent and { from, to } or nil
end

local function same_links(a, b, count)
  for axis = 1, count do
    local x, y = a.links and a.links[axis], b.links and b.links[axis]
    if (x and #x or 0) > 0 or (y and #y or 0) > 0 then return false end
  end
  return true
end

-- Finds operands that are one array at other rows and columns.
local function share(list, rank)
  for i, o in ipairs(list) do
    for k = 1, o.mask and 0 or i - 1 do
      local l = list[k]
      local width = l.strides[rank - 1]
      if l.leader == k and not l.mask and l.leaf.buf == o.leaf.buf and l.leaf.dtype == o.leaf.dtype and
        same(l.strides, o.strides) and same_links(l, o, rank - 2) then
        local apart = (o.leaf.off - l.leaf.off) / o.leaf.dtype.itemsize + o.from - l.from
        local down = floor(apart / width + 0.5)
        local right = apart - down * width
        if right % 1 == 0 and abs(right) <= NEAR and abs(down) <= NEAR then
          o.leader, o.down, o.right = k, down, right
          break
        end
      end
    end
  end
end

-- Columns of elements that a thread loads: of each operand's leader, by shift, with the first and the last row.
local function columns_of(list)
  local columns, known = {}, {}
  for _, o in ipairs(list) do
    if not o.mask then
      local own = sub(known, o.leader)
      local c = own[o.right]
      if not c then
        c = { leader = o.leader, right = o.right, first = o.down, last = o.down, leaf = o.leaf }
        own[o.right], columns[#columns + 1] = c, c
      end
      c.first, c.last = min(c.first, o.down), max(c.last, o.down)
    end
  end
  return columns
end

-- How many rows a thread has; nil: sharing saves too little, or takes too many registers.
local function rows_of(w, list, columns)
  local count, reads = M.ROWS, 0
  for _, o in ipairs(list) do reads = reads + (o.mask and 0 or 1) end
  local function fits()
    local words = 0
    for _, c in ipairs(columns) do
      words = words + (count + c.last - c.first) * max(c.leaf.dtype.itemsize / 4, 1)
    end
    return words <= WORDS and count * w.values <= VALUES
  end
  while count > 1 and not fits() do count = count / 2 end
  local loads = 0
  for _, c in ipairs(columns) do loads = loads + (count + c.last - c.first) / count end
  return reads - loads >= SAVED and count or nil
end

local endings = {}

local function end_token(t, rank, list)
  local texts = { rank, t.window and 1 or 0, t.items, t.threads }
  for _, o in ipairs(list) do
    texts[#texts + 1] = o.mask and "mask" or ("%d %d %d"):format(o.leader, o.down, o.right)
  end
  local key = table.concat(texts, ",")
  local token = endings[key]
  if not token then
    token = { kind = "end", class = "shifted", rank = rank, wide = false, window = t.window, items = t.items,
      threads = t.threads, operands = {} }
    for k, o in ipairs(list) do
      token.operands[k] = { leader = o.leader, down = o.down, right = o.right, mask = o.mask }
    end
    token.columns = columns_of(token.operands)
    endings[key] = token
  end
  return token
end

-- Rows of one column for each thread; nil: that does not suit.
local function in_window(w, list, extents)
  local rank = #extents
  if rank < 2 then return nil end
  share(list, rank)
  local count = rows_of(w, list, columns_of(list))
  if not count then return nil end
  local threads = BLOCK
  while threads >= WARP do
    local high = BLOCK / threads * count
    local room = ceil(extents[rank] / threads) * threads * ceil(extents[rank - 1] / high) * high
    if room <= M.WASTE * extents[rank] * extents[rank - 1] then
      return { window = true, items = count, threads = threads }
    end
    threads = threads / 2
  end
end

-- Elements of a row, BLOCK apart; nil: rows are too short.
local function in_chunks(w, list, extent)
  local read = 0
  for k, o in ipairs(list) do
    o.leader, o.down, o.right = k, 0, 0
    read = read + (o.mask and 0 or 1)
  end
  local count = 4
  local function fits()
    local length = count * BLOCK
    return count * read <= 32 and count * w.values <= VALUES and ceil(extent / length) * length <= M.WASTE * extent
  end
  while count > 1 and not fits() do count = count / 2 end
  return fits() and { window = false, items = count, threads = BLOCK } or nil
end

local function is_plain(list, rank, least)
  for _, o in ipairs(list) do
    local last = o.strides[rank]
    if not o.mask and (last ~= 0 and last ~= 1 or o.leaf.dtype.itemsize < least) then return false end
  end
  return true
end

-- Shifts along the axes that a thread's elements move along. Nil: too few elements are inside.
local function ranges_of(list, extents, window)
  local rank, ranges = #extents, {}
  for _, o in ipairs(list) do o.from = 0 end
  for k = 0, window and 1 or 0 do
    local range = inside(list, rank - k, extents[rank - k])
    if not range then return nil end
    ranges[k + 1] = range
  end
  return ranges
end

---@class cudalua.gpuarray.Shifted
---@field window boolean   a thread's elements are in one column; otherwise in one row
---@field items integer    elements of a thread
---@field threads integer  of a block, along a row
---@field ranges integer[][]  of positions that are inside: on the last axis, and on that of rows
---@field list cudalua.gpuarray.ShiftedOperand[]
---@field extents integer[]  of the blocks

-- How elements are shared out; nil: otherwise than here.
local function choose(w, extents, joined, along, size)
  local rank = #extents
  if not M.enabled or size < M.LEAST or joined[1][rank] ~= 1 then return nil end
  local list = operands_of(w, joined, along)
  if not is_plain(list, rank, 1) then return nil end
  local ranges = rank > 1 and ranges_of(list, extents, true)
  local t = ranges and in_window(w, list, extents)
  if not t then
    ranges = along and is_plain(list, rank, 4) and ranges_of(list, extents, false)
    t = ranges and in_chunks(w, list, extents[rank])
  end
  if not t then return nil end
  t.ranges, t.list, t.extents = ranges, list, {}
  for k = 1, rank do t.extents[k] = extents[k] end
  if t.window then
    t.extents[rank - 1] = ceil(extents[rank - 1] / (BLOCK / t.threads * t.items))
    t.extents[rank] = ceil(extents[rank] / t.threads)
  else
    t.extents[rank] = ceil(extents[rank] / (BLOCK * t.items))
  end
  t.blocks = 1
  for _, extent in ipairs(t.extents) do t.blocks = t.blocks * extent end
  return t.blocks < 2 ^ 31 and t or nil
end

---Ends a program, if its elements are shared out so.
---@param w cudalua.gpuarray.Walk
---@param extents integer[]   of the program's axes
---@param joined integer[][]  strides along them, of the output and the operands
---@param along? table        links of the operands
---@param size integer
---@return integer? count  of w.numbers; nil: nothing was done
function plan.shifted_end(w, extents, joined, along, size)
  local t = choose(w, extents, joined, along, size)
  if not t then return nil end
  local rank, numbers = #extents, w.numbers
  w.blocks = t.blocks
  step(w, end_token(t, rank, t.list))
  local n = plan.put_extents(numbers, 0, t.extents, rank, false)
  for k = 0, t.window and 1 or 0 do
    numbers[n + 1], numbers[n + 2], numbers[n + 3] = extents[rank - k], t.ranges[k + 1][1], t.ranges[k + 1][2]
    n = n + 3
  end
  for k = 1, rank - 1 do numbers[n + k] = joined[1][k] end
  n = n + rank - 1
  for _, o in ipairs(t.list) do
    if not o.mask then
      n = n + 1
      numbers[n] = o.from
    end
  end
  for _, o in ipairs(t.list) do
    if o.strides ~= joined[1] then n = mapped_end.put_operand(w, n, o.leaf, o.links or none[rank], o.strides) end
  end
  return n
end

return M
