-- Fetching elements from, and putting them to, places that arrays of positions name. What is moved is a selection; who
-- makes them is resolve.lua.
--
-- A selection knows where its arrays lie, and the positions may be computed from a mask. A finalizer of the user's may
-- write to all of them at any allocation, so that one array has moved and another one is overwritten. So whoever
-- selects among arrays of the program's makes the selection in an attempt (run.lua), after reading storage.writes, and
-- hands on that number: what is fetched or put is of one moment, or the attempt is made again.
--
-- A selection: { what, base, off, shape, size, steps, groups, unique }
--   what     for messages                       base    the leaf of the array; off: bytes to where the selection begins
--   shape    of the result                      size    its elements
--   steps    elements of the base along each axis of the result
--   groups   arrays of positions, each of which counts on some axes of the base, in C order:
--     leaf      the positions, from 1, integers     steps    elements of the leaf along each axis of the result
--     extents   of the base's axes                  strides  elements of the base along these
--     extent    all of them                         lead     the axis of the result on which the leaf's first one is,
--     where     for messages, "axis 2"                       less one; name: what the positions are called
--     sure      they are known to be good
--   unique   no two elements of the result are at one place

local ffi = require "ffi"
local core = require "cudalua.core"
local element = require "cudalua.base.element"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local host = require "cudalua.base.ffi"
local kernels = require "cudalua.gpuarray.index.kernels"
local layout = require "cudalua.base.layout"
local loops = require "cudalua.gpuarray.index.loop"
local plan = require "cudalua.gpuarray.core.plan"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local transfer = require "cudalua.gpuarray.core.transfer"
local pairs_of = require "cudalua.base.pairs_of"
local view = require "cudalua.gpuarray.core.view"
local write = require "cudalua.gpuarray.core.write"

local refuse = layout.refuse
local PER_BLOCK, AGAIN = 1024, run.AGAIN
local LEAST_CELLS = 1024 -- of the table in which the last one that is put to a place is found

local M = {}

---Calls f(...) with the context of an array's memory as the current one.
---@param leaf table
---@param f function
---@return any ...
function M.inside(leaf, f, ...)
  if not leaf.buf or leaf.store.context == core.context_id() then return f(...) end
  return core.memory_context(leaf.buf):with(f, ...)
end

-- ---- positions that there are not -----------------------------------------------------------------------------------

-- A word for each array of positions, which kernels write the number of the first bad one to; ~0 otherwise. Whoever
-- launches such a kernel takes a list of words, waits for the kernel, reads them, and gives the list back if nothing
-- was bad; it is the only one that uses the list meanwhile, even where a finalizer uses arrays.
local WORDS = 64
local spare = {} -- by context: lists of words that are all ~0

local function take_words(id)
  local f = spare[id]
  if f then
    spare[id] = f.next
    return f
  end
  f = { buf = storage.buffer(8 * WORDS), off = 0, store = { context = id }, next = nil }
  f.words = ffi.new("uint64_t[?]", WORDS)
  f.slot, f.bytes, f.anchor = host.host_buffer("index", f.words, 8 * WORDS, true)
  ffi.fill(f.words, 8 * WORDS, 255)
  transfer.upload(f, f.slot, 8 * WORDS, f.anchor)
  return f
end

local function give_back(f)
  local id = f.store.context
  f.next = spare[id]
  spare[id] = f
end

local CAPTURE = "inside a capture, positions cannot be checked; use take, put and similar functions with mode = " ..
  "'wrap' or 'clip'"

local MASK = '; a mask must be bool: convert it with astype "bool"'

local NONE = ffi.cast("uint64_t", -1LL)

-- Raises for the first bad position of the first array that has one. shape: what the kernel counted elements in;
-- `own`: it was that of the array of positions itself.
local function read_words(what, f, groups, shape, own)
  local count = #groups
  transfer.download(f, 0, f.slot, 8 * count, f.anchor)
  for g = 1, count do
    if f.words[g - 1] ~= NONE then
      local group = groups[g]
      local leaf = group.leaf
      local all, at, offset = layout.unravel(shape, tonumber(f.words[g - 1])), {}, 0
      for k = 1, #leaf.shape do
        local c = leaf.shape[k] == 1 and 1 or all[k + (own and 0 or group.lead)]
        at[k] = ("[%.0f]"):format(c + (group.before and group.before[k] or 0))
        offset = offset + (c - 1) * leaf.strides[k]
      end
      local value = transfer.element(leaf, offset)
      refuse(what, ("%s has %s%s; %s has %.0f element%s%s"):format(group.name, element.describe(value),
        #at > 0 and " at " .. table.concat(at) or "", group.where, group.extent, group.extent == 1 and "" or "s",
        value == 0 and ", counted from 1" .. (group.mask_like and MASK or "") or ""))
    end
  end
  give_back(f)
end

local function zeros(n)
  local out = {}
  for k = 1, n do out[k] = 0 end
  return out
end

local function look(since, sel, k, f, loop, groups)
  local leaf = groups[1].leaf
  local n = graph.size_of(leaf.shape)
  local list = { n, f.buf, 0 }
  kernels.arguments(sel.what, list, loop, groups)
  local launched, captured = run.kernel { kernel = k, blocks = math.ceil(n / PER_BLOCK), arguments = list,
    since = since, leaves = { leaf } }
  if captured then refuse(sel.what, CAPTURE) end
  return launched or AGAIN
end

-- Looks at the positions alone. If other ranks have more of them (`all`), messages count from the first one of all.
local function check(sel, mode)
  for _, group in ipairs(sel.groups) do
    local leaf = group.leaf
    local n = graph.size_of(group.all or leaf.shape)
    if n > 0 and not group.sure then
      if group.extent == 0 then
        refuse(sel.what, ("%s names %.0f position%s; %s has no elements"):format(group.name, n, n == 1 and "" or "s",
          group.where))
      end
      if mode == "raise" and graph.size_of(leaf.shape) > 0 then
        local f = take_words(core.context_id())
        local plain = { leaf = leaf, extents = {}, strides = {}, extent = group.extent, name = group.name,
          where = group.where, lead = 0, mask_like = group.mask_like, before = group.before }
        local steps = plan.along(leaf, leaf.shape)
        local loop = loops.new(leaf.shape, graph.size_of(leaf.shape), { zeros(#steps), steps }, 0)
        local groups = { plain }
        local k = kernels.get(kernels.key("check", loop, groups, mode), function()
          return kernels.source("check", loop, groups, mode, { report = true })
        end)
        run.until_done(look, sel, k, f, loop, groups)
        read_words(sel.what, f, groups, leaf.shape, true)
      end
    end
  end
end
M.check = check

-- ---- fetching -------------------------------------------------------------------------------------------------------

-- How far from its places on the result's axes the positions may lead, in elements.
local function reach(groups)
  local far = 0
  for _, group in ipairs(groups) do
    for a = 1, #group.extents do far = far + math.max(group.extents[a] - 1, 0) * math.abs(group.strides[a]) end
    far = math.max(far, group.extent)
  end
  return far
end

local function operands_of(sel)
  local operands = { sel.steps }
  for g, group in ipairs(sel.groups) do operands[g + 1] = group.steps end
  return operands
end

local function all_sure(groups)
  for _, group in ipairs(groups) do
    if not group.sure then return false end
  end
  return true
end

local function leaves_of(sel, groups)
  local list = { sel.base }
  for g, group in ipairs(groups) do list[g + 1] = group.leaf end
  return list
end

local function is_empty(sel)
  if sel.size > 0 then return false end
  for _, group in ipairs(sel.groups) do
    if graph.size_of(group.leaf.shape) == 0 then return true end
  end
  return false
end

local function fetch(since, sel, k, loop, report, out)
  local f = report and take_words(core.context_id()) or { buf = out.buf } -- which is not written to
  local list = { sel.size, out.buf, 0, sel.base.buf, sel.off, f.buf, 0 }
  kernels.arguments(sel.what, list, loop, sel.groups)
  local launched, captured = run.kernel { kernel = k, blocks = math.ceil(sel.size / PER_BLOCK), arguments = list,
    since = since, leaves = leaves_of(sel, sel.groups), writes = { out } }
  if not launched then
    if report then give_back(f) end
    return AGAIN
  end
  if report then
    if captured then refuse(sel.what, CAPTURE) end
    read_words(sel.what, f, sel.groups, sel.shape)
  end
end

local function gather(sel, mode, since)
  local dtype = sel.base.dtype
  local out = storage.empty(dtype, sel.shape, sel.size)
  if sel.size == 0 then
    if not is_empty(sel) then check(sel, mode) end
    return out
  end
  for _, group in ipairs(sel.groups) do
    if group.extent == 0 then check(sel, mode) end
  end
  local report = mode == "raise" and not all_sure(sel.groups)
  local loop = loops.new(sel.shape, sel.size, operands_of(sel), reach(sel.groups))
  local k = kernels.get(kernels.key("gather", loop, sel.groups, mode, tostring(dtype.itemsize)), function()
    return kernels.source("gather", loop, sel.groups, mode, { itemsize = dtype.itemsize, report = true })
  end)
  if not since then
    run.until_done(fetch, sel, k, loop, report, out._leaf)
  elseif fetch(since, sel, k, loop, report, out._leaf) == AGAIN then
    return AGAIN
  end
  return out
end

---The selected elements as a new array. Where positions are checked, it waits for the kernel.
---@param sel table
---@param mode? "raise"|"wrap"|"clip"  default: raise
---@param since? integer  storage.writes before the selection was made; nil: these arrays are not shared
---@return cudalua.gpuarray.Array result  run.AGAIN: a finalizer wrote to arrays since then
function M.gather(sel, mode, since) return M.inside(sel.base, gather, sel, mode or "raise", since) end

-- ---- putting --------------------------------------------------------------------------------------------------------

local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

-- The axes of the result on which the place of an element depends through positions.
local function joint_axes(sel)
  local axes = {}
  for k = 1, #sel.shape do
    for _, group in ipairs(sel.groups) do
      if group.steps[k] ~= 0 then
        axes[#axes + 1] = k
        break
      end
    end
  end
  return axes
end

local function taken(list, axes)
  local out = {}
  for i, k in ipairs(axes) do out[i] = list[k] end
  return out
end

-- The lowest place that positions can name, the distance that all places have as a factor, and how many there are at
-- that distance.
local function range_of(groups, shape, steps)
  local low, high, step = 0, 0, 0
  local function add(extent, stride)
    local far = math.max(extent - 1, 0) * stride
    low, high = low + math.min(far, 0), high + math.max(far, 0)
    if far ~= 0 then step = gcd(math.abs(stride), step) end
  end
  for k = 1, #shape do add(shape[k], steps[k]) end
  for _, group in ipairs(groups) do
    for a = 1, #group.extents do add(group.extents[a], group.strides[a]) end
  end
  if step == 0 then step = 1 end
  return low, step, (high - low) / step + 1
end

-- Which elements may be written: of those with one place the last one. AGAIN: a finalizer wrote to arrays. Nil: all, as
-- no two have one place, or it makes no difference. Takes 25 to 41 bytes for each position meanwhile, less where there
-- are few places.
local function winners(since, sel, mode, source)
  local axes = joint_axes(sel)
  local differs = false
  for _, k in ipairs(axes) do differs = differs or source[k] ~= 0 end
  if sel.unique or not differs then return nil end
  local shape = taken(sel.shape, axes)
  local n = graph.size_of(shape)
  local groups, operands = {}, { taken(sel.steps, axes) }
  for g, group in ipairs(sel.groups) do
    operands[g + 1] = taken(group.steps, axes)
    groups[g] = group
  end

  local low, step, needed = range_of(groups, shape, operands[1])
  local cells = LEAST_CELLS
  while cells < 2 * n do cells = cells * 2 end
  local direct = needed <= cells
  if direct then cells = needed end

  local loop = loops.new(shape, n, operands, reach(groups))
  local k = kernels.get(kernels.key("places", loop, groups, mode), function()
    return kernels.source("places", loop, groups, mode, {})
  end)
  local places, table_buf, keep = storage.buffer(8 * n), storage.buffer(8 * cells), storage.buffer(n)
  local list = { n, places, 0, low, step }
  kernels.arguments(sel.what, list, loop, groups)
  local blocks = math.ceil(n / run.BLOCK)
  local done = run.sequence { since = since, leaves = leaves_of(sel, sel.groups), writes = {},
    scratch = { places, table_buf },
    { kernel = k, blocks = math.ceil(n / PER_BLOCK), arguments = list },
    { fill = table_buf, words = 2 * cells },
    { kernel = kernels.fixed("mark", "winners"), blocks = blocks,
      arguments = { n, places, 0, table_buf, 0, cells, direct and 1 or 0 } },
    { kernel = kernels.fixed("winners", "winners"), blocks = blocks,
      arguments = { n, places, 0, table_buf, 0, cells, direct and 1 or 0, keep, 0 } } }
  if not done then return AGAIN end

  local steps, along = zeros(#sel.shape), 1
  for i = #axes, 1, -1 do
    steps[axes[i]] = along
    along = along * shape[i]
  end
  return keep, steps
end

-- An array of positions, or what is to be written, must not lie in the memory that is written to.
local function apart(leaf, buf)
  if leaf.buf ~= buf then return leaf end
  return view.copy(storage.array_of(leaf), "C")._leaf
end

-- The arrays of positions, apart from the memory that is written to.
local function groups_apart(sel, buf)
  local list = {}
  for g, group in ipairs(sel.groups) do
    local own = {}
    for key, value in pairs_of(group) do own[key] = value end
    own.leaf = apart(group.leaf, buf)
    own.steps = plan.along(own.leaf, sel.shape, group.lead)
    list[g] = own
  end
  return list
end

local function put(since, sel, dst, source, mode)
  local from = evaluate.evaluate(source)
  check(sel, mode)
  local keep, keep_steps = winners(since, sel, mode, plan.along(from, sel.shape))
  if keep == AGAIN then return AGAIN end
  local to = write.prepare(dst)
  from = apart(from, to.buf)
  local groups, operands = groups_apart(sel, to.buf), { sel.steps }
  for g, group in ipairs(groups) do operands[g + 1] = group.steps end
  local n, itemsize = #operands, to.dtype.itemsize
  operands[n + 1], operands[n + 2] = plan.along(from, sel.shape), keep_steps
  local loop = loops.new(sel.shape, sel.size, operands, reach(groups))
  local k = kernels.get(kernels.key("scatter", loop, groups, mode, itemsize .. (keep and " last" or "")), function()
    return kernels.source("scatter", loop, groups, mode, { itemsize = itemsize,
      params = keep and ", const unsigned char *keep" or "",
      fields = { source = loops.place(loop, n + 1),
        keep = keep and (" && keep[%s]"):format(loops.place(loop, n + 2)) or "" } })
  end)
  local fn = run.function_of(k)
  local list = { sel.size, to.buf, sel.off, from.buf, from.off }
  if keep then list[6], list[7] = keep, 0 end
  kernels.arguments(sel.what, list, loop, groups)
  local leaves = leaves_of(sel, groups)
  leaves[#leaves + 1] = from
  local launch = { kernel = k, fn = fn, blocks = math.ceil(sel.size / PER_BLOCK), arguments = list, since = since,
    leaves = leaves, writes = { to }, changes = true, scratch = keep and { keep } }
  -- Whoever gets memory may change what is where, or write down what still has to read it.
  if storage.leaf_of(dst).buf ~= to.buf or #storage.readers(to.store) > 0 then return AGAIN end
  return run.kernel(launch) or AGAIN
end

local function scatter(since, sel, dst, source, mode)
  if sel.size > 0 then return put(since, sel, dst, source, mode) end
  if not is_empty(sel) then check(sel, mode) end
  return true
end

---Writes to the selected elements of an array; if several elements have one place, the last one is written. Nothing
---is written where a position is not there. Where positions are checked, it waits for that.
---@param since integer                 storage.writes before the selection was made
---@param sel table                     of dst
---@param dst cudalua.gpuarray.Array
---@param source cudalua.gpuarray.Array  of dst's dtype; broadcasts to the selection's shape
---@param mode? "raise"|"wrap"|"clip"   default: raise
---@return boolean done  run.AGAIN: a finalizer wrote to arrays since then, and nothing was put
function M.scatter(since, sel, dst, source, mode)
  return M.inside(sel.base, scatter, since, sel, dst, source, mode or "raise")
end

return M
