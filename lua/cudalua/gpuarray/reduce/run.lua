-- Running a reduction: which of the kernels of kernels/array/reduce.cu is taken, and its call.
--
-- How an output's elements are combined depends on their number alone (reduce.cu); what is decided here, from how the
-- arrays lie in memory and how many outputs there are, is only which thread does it.

local cell = require "cudalua.gpuarray.core.mailbox"
local core = require "cudalua.core"
local ends = require "cudalua.gpuarray.core.ends"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local gathered = require "cudalua.gpuarray.reduce.axes"
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local outer = require "cudalua.gpuarray.reduce.outer"
local plan = require "cudalua.gpuarray.core.plan"
local run = require "cudalua.gpuarray.core.run"
local reduce_code = require "cudalua.gpuarray.reduce.code"
local storage = require "cudalua.gpuarray.core.storage"
local tables = require "cudalua.base.tables"
local waiting = require "cudalua.gpuarray.core.waiting"
local pairs_of = require "cudalua.base.pairs_of"

local abs, ceil, min, max = math.abs, math.ceil, math.min, math.max
local exponent, operand_of, reach = gathered.exponent, gathered.operand_of, gathered.reach

local sub, weak = tables.sub, tables.weak

local M = {}

local BLOCK, WARP = 256, 32   -- threads, in all the kernels of reduce.cu
local LOG_BLOCK, LOG_WARP = 8, 5
local MOST_UNITS = 256        -- that a block has of an output: one value of each in shared memory
local CHUNK, LONG = 7, 10     -- 2^ so many elements of a column are what a thread has at most, in two forms
local LEAST = 4               -- and at least
local SHORT = 4096            -- wide loads of a row, less of which are too few for a block
local FEW_BLOCKS = 128        -- smaller ones are quicker than so few
local HEAVY = 8               -- operations of an expression that is long
local NARROW_COLUMNS = 8      -- outputs side by side, at most, that have kernels of their own,
local LONG_COLUMNS = 1024     -- with more elements than these

---Blocks that keep any GPU busy: an output is shared by blocks while there are fewer. The results do not depend on it.
M.blocks = 2048

-- ---- the plan -------------------------------------------------------------------------------------------------------

---What is to become of an array. It has shape and strides, and reductions of whole arrays share one.
---@class cudalua.gpuarray.Reduced
---@field axes table<integer, boolean>  those of the array that go
---@field shape integer[]    of the result, given away
---@field strides integer[]  of the result along the array's axes, in elements; 0 along those that go
---@field outputs integer    results; each is of equally many elements
---@field count? integer     of how many elements a result is, if those of the array are combinations of several
---@field pieces? cudalua.gpuarray.Pieces

---The last axis that goes is taken as two: one of pieces, which stays, and one of the elements of a piece.
---@class cudalua.gpuarray.Pieces
---@field shape integer[]  of the array, with the axis of the elements of a piece behind the others
---@field axes table<integer, boolean>  those of the shape that go
---@field axis integer     the axis that is divided
---@field extent integer   elements of a piece

-- What decides about the order of the axes: the first array that is not broadcast.
local function main_operand(w, operands)
  local n = 1
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then
      n = n + 1
      if layout.same(w.leaves[i].shape, w.shape) then return operands[n], w.leaves[i] end
    end
  end
  return operands[2] or operands[1], nil
end

-- Can `width` neighbours along the last axis of `along` be loaded at once, wherever they are? These are the steps of
-- one operand, those along the other axes being in `across`.
local function is_packed(leaf, width, along, across)
  local rank = #along
  if along[rank] ~= 1 then return false end
  if not leaf.places and (leaf.store.skew + leaf.off) % min(16, width * leaf.dtype.itemsize) ~= 0 then return false end
  for k = 1, rank - 1 do
    if along[k] % width ~= 0 then return false end
  end
  for k = 1, #across do
    if across[k] % width ~= 0 then return false end
  end
  return true
end

-- Tokens: how neighbours of an operand lie: in one wide load, in the same place, one after the other, or otherwise.
local lying = {}
for _, how in ipairs { "packed", 0, 1, "any" } do lying[how] = { kind = "step", along = how } end

-- How many neighbours fit into a wide load of the operand with the largest elements; random numbers are made four at
-- a time.
local function widest(w)
  local largest, least = 1, 1
  for i = 1, w.nleaves do
    local l = w.leaves[i]
    if l.places then least = 4 elseif w.classes[i] == "strided" then largest = max(largest, l.dtype.itemsize) end
  end
  return max(largest == 1 and least > 1 and 4 or 16 / largest, least)
end

-- The tokens of operands for this width; nil if no operand is packed.
local function tokens_of(w, width, extents, along, across, to)
  local rank, found, operand = #extents, false, 1
  local joint = rank == 1 or extents[rank] % width == 0
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then
      operand = operand + 1
      local step = along[operand][rank]
      local how = step == 0 and 0 or "any"
      if joint and is_packed(w.leaves[i], width, along[operand], across[operand]) then
        how, found = "packed", true
      elseif step == 1 then
        how = 1
        found = found or joint and w.leaves[i].places
      end
      to[operand] = how
    end
  end
  return found or nil, joint
end

-- ---- the schedule ---------------------------------------------------------------------------------------------------

---How a reduction is done.
---@class cudalua.gpuarray.ReductionPlan : cudalua.gpuarray.Split
---@field form "rows"|"units"|"units_split"|"columns"|"columns_split"|"outer"  of the kernel
---@field blocks integer
---@field parts integer     of an output that blocks have
---@field counters integer  of blocks that are done, which the blocks of an output share
---@field first integer     two numbers for the kernel: they depend on its form
---@field second integer
---@field count integer     numbers for the kernel: extents and strides
---@field width integer     neighbours that a thread loads together
---@field turns integer     times that it does so, at most
---@field log_x integer     2^log_x outputs lie side by side in a unit
---@field joint boolean     such neighbours are on one row of the innermost axis
---@field rest boolean      the last unit may have fewer elements
---@field placed boolean    elements come in the order of memory, each with its place
---@field lying table<integer, "packed"|0|1|"any">  how neighbours of an operand lie

local function rows(p, width)
  p.form, p.width = "rows", width
  local log_lanes = exponent(ceil(p.n / width))
  p.blocks = ceil(p.outputs / (BLOCK / 2 ^ log_lanes) / reduce_code.rows(width))
  p.first, p.second = log_lanes, 0
  return p
end

-- The turns of a unit if each lane gets whole chunks: 1, 2 or 4 chunks, more of them for more elements.
local function turns_of_chunks(p, lanes, groups, moments)
  local rounds = moments.rounds
  while rounds > 1 and groups * ceil(p.n / (lanes * moments.chunk * rounds * 8)) < M.blocks do rounds = rounds / 2 end
  return moments.chunk / p.width * rounds
end

-- Elements of an output are neighbours.
local function in_rows(w, p, heavy, moments)
  local outputs, n, extents, gone, kept = p.outputs, p.n, p.gone_extents, p.gone, p.kept
  local wide = widest(w)
  if heavy then wide = min(wide, 4) end
  if moments then wide = min(wide, moments.chunk) end
  local width = wide
  if width > 1 and n < width then width = 2 ^ exponent(n) end
  local packed, joint = tokens_of(w, width, extents, gone, kept, p.lying)
  p.joint = joint
  if packed and n <= WARP * width then return rows(p, width) end
  if not packed then
    width = n <= 8 and 2 ^ exponent(n) or 4
    if n > WARP * width then width = 1 end
    p.joint = select(2, tokens_of(w, width, extents, gone, kept, p.lying))
    if n <= WARP * width then return rows(p, width) end
  end
  p.width, p.turns = width, width == 1 and 16 or 8
  if moments then p.turns = turns_of_chunks(p, WARP, outputs, moments) end
  while not moments and p.turns > 1 and WARP * width * p.turns / 2 >= n do p.turns = p.turns / 2 end
  local unit = WARP * width * p.turns
  local units = ceil(n / unit)
  p.rest = units > 8
  local log_units = exponent(units)
  if log_units <= LOG_WARP then
    local each = max(8 / 2 ^ log_units, 1)
    while each * n < SHORT * wide and 2 * each <= outputs / M.blocks and each * 2 ^ log_units <= WARP do
      each = 2 * each
    end
    p.form, p.blocks, p.first, p.second = "units", ceil(outputs / each), each, log_units
    return p
  end
  log_units = 3
  if not moments and p.turns == 8 and outputs * ceil(units / 2 ^ log_units) <= FEW_BLOCKS then
    p.turns, units = 4, ceil(n / (unit / 2))
  end
  while 2 ^ log_units < min(units, MOST_UNITS) and outputs * ceil(units / 2 ^ (log_units + 1)) >= M.blocks do
    log_units = log_units + 1
  end
  p.parts = ceil(units / 2 ^ log_units)
  p.form, p.blocks, p.counters, p.first, p.second = "units_split", outputs * p.parts, outputs, 1, log_units
  return p
end

local NARROW = { { 1, 16 }, { 2, 8 }, { 4, 4 } } -- by log_x: width and turns

-- A few outputs lie side by side, and many elements behind each.
local function in_narrow_columns(w, p, moments)
  local outputs, n, extents, gone, kept = p.outputs, p.n, p.gone_extents, p.gone, p.kept
  local side = p.kept_extents[p.kept_rank]
  p.log_x = exponent(side)
  p.width, p.turns = NARROW[p.log_x][1], NARROW[p.log_x][2]
  tokens_of(w, 16, extents, gone, kept, p.lying) -- of which none is packed: neighbours are further away
  p.joint, p.rest = #extents == 1 or extents[#extents] % p.width == 0, true
  local lanes, groups, log_units = 2 ^ (LOG_WARP - p.log_x), outputs / side, 3
  if moments then p.turns = turns_of_chunks(p, lanes, groups, moments) end
  local units = ceil(n / (lanes * p.width * p.turns))
  while 2 ^ log_units < min(units, MOST_UNITS / 2 ^ p.log_x) and groups * ceil(units / 2 ^ (log_units + 1)) >= M.blocks
  do
    log_units = log_units + 1
  end
  p.parts = ceil(units / 2 ^ log_units)
  p.form, p.blocks, p.counters, p.first, p.second = "units_split", groups * p.parts, groups, side, log_units
  return p
end

local function in_columns(w, p, most, moments)
  local outputs, n, extents, kept, gone = p.outputs, p.n, p.kept_extents, p.kept, p.gone
  local width = min(widest(w), most)
  while width > 1 and (extents[#extents] % width ~= 0 or not tokens_of(w, width, extents, kept, gone, p.lying)) do
    width = width / 2
  end
  if width == 1 then
    for operand in pairs_of(p.lying) do p.lying[operand] = "any" end
    for operand = 2, #kept do p.lying[operand] = "any" end
  end
  for operand, how in pairs_of(p.lying) do
    if how == 1 then p.lying[operand] = "any" end
  end
  p.width = width
  local columns, log_x = ceil(outputs / width), LOG_BLOCK
  if n > 2 ^ CHUNK or columns < 2 ^ 16 then log_x = min(exponent(columns), LOG_WARP) end
  local depth, groups = 2 ^ (LOG_BLOCK - log_x), ceil(columns / 2 ^ log_x)
  local least = moments and exponent(moments.chunk) or LEAST
  local log_chunk, longest = log_x == LOG_BLOCK and CHUNK or least, moments and moments.longest or LONG
  -- One block combines all parts of a group, so that there should not be many of them.
  while log_chunk < longest and depth * 2 ^ log_chunk < n and groups * ceil(n / (depth * 2 ^ (log_chunk + 1))) >=
    M.blocks * (moments and moments.share or 1 / (log_chunk < CHUNK and (groups < 16 and 4 or 2) or 1)) do
    log_chunk = log_chunk + 1
  end
  p.turns = moments and max(longest, log_chunk) or log_chunk > CHUNK and LONG or CHUNK
  local chunk = 2 ^ log_chunk
  p.parts, p.first, p.second = ceil(n / (depth * chunk)), log_x, chunk
  p.form, p.blocks, p.counters = "columns", groups, 0
  if p.parts > 1 then p.form, p.blocks, p.counters = "columns_split", groups * p.parts, groups end
  return p
end

local function new_plan(outputs, n)
  return { outputs = outputs, n = n, placed = false, form = false, blocks = 0, parts = 1, counters = 0, first = 0,
    second = 0, count = 0, width = 1, turns = 1, log_x = 0, joint = true, rest = false, lying = {} }
end

-- A plan for one output; how its elements lie has to be filled in.
local function plan_of_one(n, extents)
  local p = new_plan(1, n)
  p.gone_extents, p.gone_rank, p.kept_rank = extents, #extents, 0
  return p
end

-- The token that ends a program.
local function end_token(kind, p)
  return { kind = "end", reduction = kind, form = p.form, kept = p.kept_rank, gone = p.gone_rank, wide = p.wide,
    width = p.width, turns = p.turns, log_x = p.log_x, joint = p.joint, rest = p.rest, placed = p.placed }
end

---The plan for one output whose elements' order is fixed, and how operands lie; for kernels that others write.
---@param w {nleaves: integer, leaves: table[], classes: string[]}
---@param n integer
---@param extents integer[]   of the axes, as plan.collapse() gives them
---@param strides integer[][] of the operands from 2 on, in elements
---@return table plan
---@return table[] tokens     the program's end
function M.one_output(w, n, extents, strides)
  local kept = {}
  for i = 2, #strides do kept[i] = {} end
  local wide = n >= plan.LIMIT
  for i = 2, #strides do wide = wide or reach(extents, strides[i]) >= plan.LIMIT end
  local p = plan_of_one(n, extents)
  p.gone, p.kept, p.wide = strides, kept, wide
  in_rows(w, p, false)
  local tokens = { end_token(nil, p) }
  for i = 2, #strides do tokens[i] = lying[p.lying[i]] end
  return p, tokens
end

local endings = {} -- kind -> form, ranks and so on -> token

local function ending(kind, p)
  local known = sub(endings, kind)
  local key = p.form .. (((((p.kept_rank * 32 + p.gone_rank) * 32 + p.width) * 256 + p.turns) * 4 + p.log_x) * 8 +
    (p.joint and 4 or 0) + (p.rest and 2 or 0) + (p.wide and 1 or 0)) .. (p.placed and "p" or "")
  local token = known[key]
  if not token then
    token = end_token(kind, p)
    known[key] = token
  end
  return token
end

-- The end of a program of elements of type `from`, but for how its operands lie.
local function begin_end(w, from, kind, token)
  for _, dt in ipairs(kind.values) do
    if dt ~= from then plan.step(w, graph.conversion(dt)) end
    from = dt
  end
  plan.step(w, token)
end

-- How a thread finds the places that it writes elements of x to. Where they are neighbours, it writes them together.
local function stored_token(stored, p, i)
  local columns = p.form == "columns" or p.form == "columns_split"
  local along, across = p.gone[i], p.kept[i]
  if columns then along, across = across, along end
  if (columns or p.joint) and is_packed(stored, p.width, along, across) then return lying.packed end
  return lying[not columns and along[#along] == 1 and 1 or "any"]
end

local nothing, ONE = {}, { 1 }
local none_kept = setmetatable({}, { __index = function() return nothing end })

-- One output of arrays without gaps, as is common: their elements are numbered as the output's are. The last plan of a
-- program is kept, for arrays of the same size that begin at a multiple of 16 bytes.
local function close_whole(w, x, kind, stored)
  local n = x._size
  local leaves, classes, state, aligned = w.leaves, w.classes, w.state, true
  for i = 1, w.nleaves do
    local l = leaves[i]
    if classes[i] == "strided" then
      if not l.dense or l.shape ~= w.shape and not layout.same(l.shape, w.shape) then return nil end
      aligned = aligned and l.aligned
    end
  end
  local kept = aligned and state.whole
  if kept and kept.kind == kind and kept.n == n and kept.blocks == M.blocks and kept.limit == plan.LIMIT then
    w.state = kept.state
    return kept.plan
  end
  local steps, operand = { nothing }, 1
  for i = 1, w.nleaves do
    if classes[i] == "strided" then
      operand = operand + 1
      steps[operand] = ONE
    end
  end
  if stored then steps[operand + 1] = ONE end
  local p = plan_of_one(n, { n })
  p.gone, p.kept, p.wide = steps, none_kept, n >= plan.LIMIT
  in_rows(w, p, x._born - x._low > HEAVY, kind.moments)
  begin_end(w, x._dtype, kind, ending(kind, p))
  for i = 2, operand do plan.step(w, lying[p.lying[i]]) end
  if stored then plan.step(w, stored_token(stored, p, operand + 1)) end
  if aligned then
    state.whole = { kind = kind, n = n, blocks = M.blocks, limit = plan.LIMIT, plan = p, state = w.state }
  end
  return p
end

-- The steps of an element's number among those of its output.
local function places_of(shape, axes)
  local steps, step = {}, 1
  for k = #shape, 1, -1 do
    steps[k] = axes[k] and step or 0
    if axes[k] then step = step * shape[k] end
  end
  return steps
end

local same = layout.same

-- What the plan of a program depends on, besides the program.
local function circumstances(w, kind, to)
  return { kind = kind, shape = w.shape, axes = to.axes, out_strides = to.strides, lying = ends.lying(w),
    blocks = M.blocks, limit = plan.LIMIT, outer = outer.choice() }
end

-- Are they those of before?
local function are_those(c, w, kind, to)
  return c.kind == kind and c.blocks == M.blocks and c.limit == plan.LIMIT and c.outer == outer.choice() and
    same(c.shape, w.shape) and same(c.out_strides, to.strides) and gathered.same_axes(c.axes, to.axes, #w.shape) and
    ends.lie_alike(c.lying, w)
end

-- The axes and the operands' steps where one axis is taken as two.
local function in_pieces_of(pieces, operands)
  local shape = pieces.shape
  for i = 2, #operands do
    local strides = {}
    for k = 1, #shape - 1 do strides[k] = operands[i][k] end
    strides[#shape] = operands[i][pieces.axis]
    strides[pieces.axis] = operands[i][pieces.axis] * pieces.extent
    operands[i] = strides
  end
  return shape, pieces.axes
end

-- Chooses the kernel.
local function schedule(w, x, kind, p)
  if p.kept_rank > 0 and p.n > 1 and gathered.side_by_side(w, p) then
    if p.kept_extents[p.kept_rank] <= NARROW_COLUMNS and p.n > LONG_COLUMNS then
      in_narrow_columns(w, p, kind.moments)
    else
      in_columns(w, p, kind.most or kind.ordered and 4 or 8, kind.moments)
    end
  else
    in_rows(w, p, x._born - x._low > HEAVY, kind.moments)
  end
end

-- Adds how operands lie to a program, and the numbers of its kernel. `stored`: what the last one, number `at`, is.
local function put_numbers(w, p, at, stored)
  local columns, numbers = p.form == "columns" or p.form == "columns_split", w.numbers
  local count = gathered.put_extents(numbers, p)
  count = gathered.put(numbers, count, p.kept[1], p.kept_rank)
  for i = 2, #p.kept do
    local token = i == at and stored and stored_token(stored, p, i) or lying[p.lying[i] ]
    plan.step(w, token)
    count = gathered.put_operand(numbers, count, p, i, not columns and token.along ~= "any")
  end
  return count
end

-- Ends the program of a reduction of x. `placed`: elements come in the order of memory, each with its place. `stored`:
-- the kernel writes x to this leaf, too.
local function close(w, x, kind, to, placed, stored)
  local outputs, pieces = to.outputs, to.pieces
  local whole = outputs == 1 and not pieces and not placed and close_whole(w, x, kind, stored)
  if whole then return whole end
  -- The last plans of a program are kept, for arrays that lie alike.
  local before, plain = w.state, not pieces and not placed
  local known = plain and before.reductions
  for k = 1, known and #known or 0 do
    local last = known[k]
    if are_those(last, w, kind, to) then
      w.state = last.state
      for i = 1, last.plan.count do w.numbers[i] = last.numbers[i] end
      return last.plan
    end
  end
  local n, shape, axes, operands = x._size / outputs, w.shape, to.axes, { to.strides }
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then operands[#operands + 1] = plan.along(w.leaves[i], shape) end
  end
  local at = #operands + 1 -- of what is stored
  if placed then operands[at] = places_of(shape, axes) elseif stored then operands[at] = plan.along(stored, shape) end
  if pieces then shape, axes = in_pieces_of(pieces, operands) end
  local stay, go = {}, {}
  local order, ordered = plan.ordered(shape, (main_operand(w, operands))), kind.ordered and not placed
  for _, axis in ipairs(order) do
    if not axes[axis] then stay[#stay + 1] = axis elseif not ordered then go[#go + 1] = axis end
  end
  for axis = 1, ordered and #shape or 0 do
    if axes[axis] then go[#go + 1] = axis end
  end
  local p = gathered.split(new_plan(outputs, n), shape, operands, stay, go)
  local tiles = plain and not stored and outer.plan(w, p, kind)
  if tiles then
    p.form, p.blocks = "outer", tiles.blocks
    begin_end(w, x._dtype, kind, outer.ending(kind, p, tiles))
    p.count = outer.close(w, p, tiles)
  else
    schedule(w, x, kind, p)
    p.placed = placed
    if placed then p.lying[at] = "any" end
    begin_end(w, x._dtype, kind, ending(kind, p))
    p.count = put_numbers(w, p, at, stored)
  end
  if plain then
    local last = circumstances(w, kind, to)
    last.plan, last.state, last.numbers = p, w.state, { unpack(w.numbers, 1, p.count) }
    ends.put(before, "reductions", last)
  end
  return p
end

-- ---- what blocks share ----------------------------------------------------------------------------------------------

-- Blocks that share an output leave parts of it in memory, and count themselves; counters are at 0 again for the next
-- kernel. So a stream has its own, of both. By context and stream.
local shares = {}
local recent = setmetatable({}, { __mode = "v" }) -- by context: those of the stream that was asked for last
local _, per_thread = core.default_streams()
local KEPT = 2 ^ 20 -- bytes of parts; more of them are memory of the kernel's own
local COUNTERS, PARTS = 1024, 2 ^ 14 -- counters, and bytes of parts, that a stream has at least

local function zeros(count)
  local buf = storage.buffer(4 * count)
  core.array_ready(buf)
  core.memset(32, buf, 0, count, true, core.current_stream())
  return buf
end

---Memory for what blocks of the next kernel share; nil if there is no such thing.
---@param context integer  core.context_id()
---@param p cudalua.gpuarray.ReductionPlan
---@param bytes integer    of a value
---@param out userdata     memory that the kernel writes to
---@return userdata? parts
---@return userdata? counters
---@return boolean? own     the parts are to be freed when the kernel was launched, unless it was captured
local function shared(context, p, bytes, out)
  if p.counters == 0 then return nil end
  bytes = p.outputs * p.parts * bytes
  if run.planned then return storage.buffer(bytes), storage.buffer(4 * p.counters), true end
  local stream = core.current_stream()
  -- Each thread has its own default stream; and graphs may be launched in any stream.
  if stream == per_thread or core.array_ready(out) then return storage.buffer(bytes), zeros(p.counters), true end
  local known = weak(shares, context)
  local c = known[stream]
  if not c then
    c = { count = 0, bytes = 0 }
    known[stream] = c
  end
  recent[context] = c
  if c.count < p.counters then
    local count = max(p.counters, COUNTERS)
    c.counters, c.count = storage.lasting(zeros(count)), count
  end
  if bytes > KEPT then return storage.buffer(bytes), c.counters, true end
  if c.bytes < bytes then
    local size = max(bytes, PARTS)
    c.parts, c.bytes = storage.lasting(storage.buffer(size)), size
  end
  return c.parts, c.counters, false
end
M.shared = shared

-- ---- one kernel -----------------------------------------------------------------------------------------------------

-- What the kernel is called with; a pointer takes two places.
local function gather(w, p, out, count, partial, counting)
  local list, at = w.arguments, 5
  list[1], list[2], list[3], list[4], list[5] = p.outputs, p.n, count or p.n, p.first, p.second
  if partial then
    list[6], list[7], list[8], list[9], list[10] = p.parts, partial, 0, counting, 0
    at = 10
  end
  at = gathered.put_program(w, at, out, p.count)
  list[at + 1], list[at + 2] = 0, 0 -- about the cell, where one is used
end

local nowhere = { buf = false, off = 0 } -- what is not there yet
local run_fresh, context_id, pools, watched = run.fresh, core.context_id, storage.pools, cell.watched

local fits, AGAIN = gathered.fits, run.AGAIN

local compute

-- ---- elements in an order that memory is not in ------------------------------------------------------------------

-- Where the elements of an output are combined in one order and lie in memory in another one, as those of a transposed
-- array: the axis of neighbours in the first order, along which memory is far apart, and the least stride's. Nil: they
-- are the same, or it does not matter.
local function crossing(w, axes)
  local shape, main = w.shape, nil
  for i = 1, w.nleaves do
    local l = w.leaves[i]
    if w.classes[i] == "strided" and not l.places and layout.same(l.shape, shape) then
      main = l
      break
    end
  end
  if not main or main.dense then return nil end
  local last, least
  for k = 1, #shape do
    local step = abs(main.strides[k])
    if shape[k] > 1 then
      if axes[k] then last = k end
      if step > 0 and (not least or step < abs(main.strides[least])) then least = k end
    end
  end
  if not last or not least or last == least or not axes[least] then return nil end
  if abs(main.strides[last]) < 32 or shape[least] * main.dtype.itemsize < 32 then return nil end
  return last
end
M.crossing, M.close = crossing, close
M.parts = { widest = widest, tokens_of = tokens_of, lying = lying, stored_token = stored_token, new_plan = new_plan }

local PIECE = 1024 -- elements, at most

---The kinds of a reduction in steps: from elements to values as they are combined, from those to the result, and from
---those to such values again.
---@param kind cudalua.gpuarray.ReductionKind  of one value that has a dtype: no position, no moments
---@return cudalua.gpuarray.ReductionKind first
---@return cudalua.gpuarray.ReductionKind second
---@return cudalua.gpuarray.ReductionKind middle
local function stages(kind)
  if not kind.stages then
    local first, second, middle = {}, {}, {}
    for key, value in pairs_of(kind) do first[key], second[key] = value, value end
    first.result, first.finish, first.finished, first.divides = kind.acc, nil, kind.acc, nil
    second.through, second.values, second.narrow = { kind.acc }, { kind.acc }, false
    for key, value in pairs_of(second) do middle[key] = value end
    middle.result, middle.finish, middle.finished, middle.divides = kind.acc, nil, kind.acc, nil
    kind.stages = { first, second, middle }
  end
  return unpack(kind.stages)
end
M.stages = stages

-- First the neighbours in pieces of 2^k, which are subtrees of the whole: in whatever order memory is in. Then the
-- pieces, in their order.
local function in_pieces(kind, x, to, axis, make)
  local own, axes, outputs, n, extent = x._shape, to.axes, to.outputs, x._size / to.outputs, 1
  while extent < PIECE and own[axis] % (2 * extent) == 0 do extent = extent * 2 end
  local shape, strides, step = { unpack(own) }, {}, 1
  shape[axis], shape[#own + 1] = own[axis] / extent, extent
  for k = #own, 1, -1 do
    strides[k] = to.strides[k] * (n / extent)
    if axes[k] then
      strides[k] = step
      step = step * shape[k]
    end
  end
  strides[#own + 1] = 0
  local first, second = stages(kind)
  local pieces = compute(first, x, { axes = axes, shape = { outputs, n / extent }, strides = strides,
    outputs = outputs * (n / extent), pieces = { shape = shape, axes = { [#own + 1] = true }, axis = axis,
    extent = extent } })
  local result = compute(second, pieces, { axes = { false, true }, shape = to.shape, strides = { 1, 0 },
    outputs = outputs, count = to.count or n }, make)
  if not pieces._store.pinned then storage.release(pieces._store) end
  return result
end

-- A copy in C order first.
local function of_copy(kind, x, to, _, make)
  local copy = storage.empty(x._dtype, x._shape, x._size)
  evaluate.store(operand_of(x), copy._leaf, x._size)
  local result = compute(kind, copy, to, make)
  if not copy._store.pinned then storage.release(copy._store) end
  return result
end

-- ---- computing -----------------------------------------------------------------------------------------------------

-- The result in this memory, a new array.
local function result_in(buf, context, kind, to, ticket)
  return storage.array_in(buf, context, kind.result, to.shape, to.outputs, nil, ticket)
end

-- The leaf of a result that an array gets.
local function leaf_in(buf, context, kind, to)
  return storage.fresh_leaf(storage.bare_store(buf, to.outputs * kind.result.itemsize, context), kind.result, to.shape)
end

-- What is done most: the kernel is there, memory is at hand, and one call of C does it all. Nil: nothing was done, and
-- compute() does it in steps, of which each may have more to it.
local function at_once(kind, x, to, make)
  local writes, w = storage.writes, plan.begin(x._shape, false)
  w.numbered = true
  plan.walk(w, operand_of(x))
  local context = w.context or context_id()
  local pool, buf, ticket = pools[context], nil, nil
  if pool and not run.fast_math and not plan.computed_before(w) and
    (to.pieces or not kind.ordered or not crossing(w, to.axes)) then
    local p = close(w, x, kind, to, false)
    local k, c = w.state.kernel, recent[context]
    local fn = k and k.loaded[context]
    local split = p.counters > 0
    if fn and fits(w, p) and (not split or
      c and c.count >= p.counters and c.bytes >= p.outputs * p.parts * k.acc_bytes) then
      gather(w, p, nowhere, to.count, split and c.parts, split and c.counters)
      local bytes, place, told = p.outputs * kind.result.itemsize, split and 8 or 5, k.told and watched[context]
      if hooks.profiling then run.say_bytes(w.leaves, w.nleaves, bytes) end
      buf, ticket = run_fresh(writes, fn, p.blocks, w.arguments, pool, bytes, place, told)
      for i = 1, 2 * w.nleaves + (split and 12 or 7) do w.arguments[i] = false end -- memory must not live on here
    end
  end
  plan.finish(w, buf ~= nil)
  return buf and make(buf, context, kind, to, ticket)
end

-- An attempt to reduce x to the new memory `buf`.
local function attempt(since, kind, x, to, buf, context, make)
  local w, operand = plan.begin(x._shape, false), operand_of(x)
  w.numbered = true
  plan.walk(w, operand)
  if w.context and w.context ~= context then
    local inside = w.home
    plan.finish(w, false)
    return gathered.elsewhere(compute, inside, kind, x, to, make)
  end
  local again = plan.computed_before(w)
  local across = not again and not to.pieces and kind.ordered and crossing(w, to.axes)
  if across and not kind.row.position then
    plan.finish(w, false)
    buf:free()
    local f = kind.tree and not kind.moments and x._shape[across] % 2 == 0 and in_pieces or of_copy
    return f(kind, x, to, across, make)
  end
  local p = not again and close(w, x, kind, to, across and true or false)
  if p and not fits(w, p) and operand._sig then again = operand end
  if again then
    plan.finish(w, false)
    evaluate.evaluate(again)
    return AGAIN
  end
  local k = gathered.kernel_of(w.state, reduce_code.kernel)
  local partial, counting, own = shared(context, p, k.acc_bytes, buf)
  gather(w, p, { buf = buf, off = 0 }, to.count, partial, counting)
  w.kernel, w.blocks, w.since, w.scratch = k, p.blocks, since, own and { partial }
  w.mailbox = k.told and watched[context]
  local leaf = make == leaf_in and leaf_in(buf, context, kind, to)
  if leaf then w.writes[1], w.nwrites = leaf, 1 end
  local done, captured, ticket = run.kernel(w)
  plan.finish(w, done)
  if not done then return AGAIN end
  if leaf then return leaf end
  local result = make(buf, context, kind, to, ticket)
  if captured then run.captured(storage.leaf_of(result)) end
  return result
end

function compute(kind, x, to, make)
  if waiting.list then waiting.start() end
  make = make or result_in
  evaluate.fit(x._operand or x)
  local result = at_once(kind, x, to, make)
  if result then return result end
  local buf, context = storage.buffer(to.outputs * kind.result.itemsize)
  return (run.until_done(attempt, kind, x, to, buf, context, make))
end

---Reduces an array that has elements.
---@param kind cudalua.gpuarray.ReductionKind
---@param x cudalua.gpuarray.Array|cudalua.gpuarray.Operand
---@param to cudalua.gpuarray.Reduced
---@return cudalua.gpuarray.Array  a new one
function M.compute(kind, x, to) return compute(kind, x, to, result_in) end

---The same for a pending array.
---@param kind cudalua.gpuarray.ReductionKind
---@param x cudalua.gpuarray.Array|cudalua.gpuarray.Operand
---@param to cudalua.gpuarray.Reduced
---@return table leaf  of the result, which no array has yet
function M.leaf(kind, x, to) return compute(kind, x, to, leaf_in) end

return M
