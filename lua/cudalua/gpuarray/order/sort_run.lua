-- Sorting rows of elements: the kernels of kernels/array/sort.cu, and their launches.
--
-- What is sorted are the bits of the elements, as unsigned numbers of their size; so there is one set of kernels for
-- each size. Short rows are sorted by one block each, or many by one; long ones by radix passes over all of them.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local kernels = require "cudalua.gpuarray.index.kernels"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min

local M = {}

-- By bytes of a key: its types, and how many elements a thread of the pass kernel takes, alone and with values.
local sizes = {
  [1] = { key = "unsigned char", signed = "signed char", items = 24, paired = 20, row_items = 16 },
  [2] = { key = "unsigned short", signed = "short", items = 24, paired = 20, row_items = 16 },
  [4] = { key = "unsigned", signed = "int", items = 24, paired = 20, row_items = 16 },
  [8] = { key = "unsigned long long", signed = "long long", items = 12, paired = 10, row_items = 8 },
}
M.sizes = sizes
M.THREADS = 256   -- of a block of the pass kernel
M.BLOCKS, M.PAIRED_BLOCKS = 4, 3 -- that a multiprocessor has room for at once, without and with values
M.ROW_BLOCKS = 4  -- the same for the kernel of rows
local ROW_THREADS = 256
local DIGITS = 256 -- values of a digit: 8 bits, one pass each
local PART = 4096  -- elements of a histogram's part are a multiple of this
local PARTS = 1024 -- of all rows together, about
M.SHORT_COUNT = 2 ^ 30 -- rows that are shorter are counted in 32 bits
M.SHORT_PLACE = 2 ^ 32 -- and in these, places have 32 bits while they are sorted

-- ---- kernels --------------------------------------------------------------------------------------------------------

local function keys_part(dtype)
  local s = sizes[dtype.itemsize]
  return template.fill("sort", "keys", { key = s.key, signed = s.signed, bits = 8 * dtype.itemsize,
    floats = dtype.kind == "float" and 1 or 0 })
end

local function tile_part(threads, items) return template.fill("sort", "tile", { threads = threads, items = items }) end

local function ranks_part(threads, items)
  return tile_part(threads, items) .. template.fill("sort", "ranks", {}) .. template.fill("sort", "sums", {})
end

local function get(name, dtype, key, make)
  return kernels.get(("%s %d %s %s"):format(name, dtype.itemsize, dtype.kind == "float" and "float" or "", key),
    function() return name, make() end)
end

local function row_kernel(dtype)
  return get("array_sort_rows", dtype, "", function()
    return keys_part(dtype) .. ranks_part(ROW_THREADS, sizes[dtype.itemsize].row_items) ..
      template.fill("sort", "rows", { blocks = M.ROW_BLOCKS })
  end)
end

local function counting_kernel(name, dtype, count)
  return get(name, dtype, count, function()
    return keys_part(dtype) .. template.fill("sort", "plan", {}) ..
      template.fill("sort", "histogram", { count = count })
  end)
end

local function pass_kernel(dtype, count, value, items)
  local threads, blocks = M.THREADS, value and M.PAIRED_BLOCKS or M.BLOCKS
  return get("array_sort_pass", dtype, ("%s %s %d %d %d"):format(count, value or "", threads, items, blocks), function()
    local fields = { count = count, value = value or "unsigned", with_values = value and 1 or 0, value_params = "",
      at = "", keep_place = "", values = "", blocks = blocks }
    if value then
      fields.value_params = template.fill("sort", "value_params", {})
      fields.at, fields.keep_place = "  unsigned at[ITEMS];", "    at[k] = place;"
      fields.values = template.fill("sort", "values", {})
    end
    return keys_part(dtype) .. ranks_part(threads, items) ..
      template.fill("sort", "plan", {}) .. template.fill("sort", "pass", fields)
  end)
end

local function step(k, blocks, list, threads)
  return { kernel = k, blocks = blocks, arguments = list, threads = threads }
end

-- ---- what elements are ----------------------------------------------------------------------------------------------

local SIGNED, DESCENDING = 2 ^ 16, 2 ^ 17
local infinities = { float16 = 0x7c00, bfloat16 = 0x7f80, float32 = 0x7f80, float64 = 0x7ff0 }

local function order_of(dtype, descending)
  local order = descending and DESCENDING or 0
  if dtype.kind == "int" then return order + SIGNED end
  if dtype.kind == "float" then return order + infinities[dtype.name] end
  return order
end

-- ---- rows -----------------------------------------------------------------------------------------------------------

-- What a launch or a sequence writes.
local function outputs_of(keys, others) return { keys or others, others } end

---What is sorted, and where it goes: all arrays are leaves without gaps.
---@class cudalua.gpuarray.Sort
---@field leaf table       the keys
---@field rows integer
---@field n integer        elements of a row
---@field order integer    of order_of()
---@field keys? table      for the keys
---@field others? table    for what goes with them: their positions, or the values
---@field values? table    default: positions

-- A block for each row, or for several.
---@param since integer
---@param sort cudalua.gpuarray.Sort
local function sort_short(since, sort)
  local leaf, rows, n, keys, positions = sort.leaf, sort.rows, sort.n, sort.keys, sort.others
  local tile = ROW_THREADS * sizes[leaf.dtype.itemsize].row_items
  local per = max(min(DIGITS, floor(tile / n), rows), 1) -- the number of a row in its block is one more digit
  local out, at = keys or positions, positions or keys
  local list = { n, rows, per, sort.order, leaf.buf, leaf.off, out.buf, 0, keys ~= nil, at.buf, 0, positions ~= nil }
  return runs.kernel { kernel = row_kernel(leaf.dtype), blocks = ceil(rows / per), arguments = list, since = since,
    leaves = { leaf }, writes = outputs_of(keys, positions) } or runs.AGAIN
end

-- Radix passes.
---@param since integer
---@param sort cudalua.gpuarray.Sort
local function sort_long(since, sort)
  local leaf, rows, n, order, keys = sort.leaf, sort.rows, sort.n, sort.order, sort.keys
  local wanted, values = sort.others, sort.values
  local itemsize = leaf.dtype.itemsize
  local s, size = sizes[itemsize], rows * n
  local count, count_bytes = "unsigned", 4
  if n >= M.SHORT_COUNT then count, count_bytes = "unsigned long long", 8 end
  local value, value_bytes
  if wanted then
    value_bytes = values and values.dtype.itemsize or n >= M.SHORT_PLACE and 8 or 4
    value = value_bytes == 8 and "unsigned long long" or "unsigned"
  end
  local items = value and s.paired or s.items
  if value_bytes == 8 then items = min(items, 11) end
  local tiles, passes = ceil(n / (M.THREADS * items)), itemsize
  local blocks = rows * tiles

  -- One piece of memory that begins as 0: tickets, the histogram, and the tiles' words for each pass.
  local of_histogram, of_pass = rows * passes * DIGITS * count_bytes, blocks * DIGITS * count_bytes
  local bytes = 64 + of_histogram + passes * of_pass
  local state = storage.buffer(bytes)
  local spare = storage.buffer(size * itemsize)
  local out = keys and keys.buf or storage.buffer(size * itemsize)
  local spare_values = value and storage.buffer(size * value_bytes)
  local scratch = { state, spare, spare_values or nil }
  if not keys then scratch[#scratch + 1] = out end
  local HISTOGRAM, PLAN = 64, 32

  local parts = max(min(ceil(n / PART), floor(PARTS / rows)), 1)
  local part_size = ceil(ceil(n / parts) / PART) * PART
  parts = ceil(n / part_size)
  local steps = { since = since, leaves = { leaf, values }, writes = outputs_of(keys, wanted), scratch = scratch,
    { fill = state, words = bytes / 4 },
    step(counting_kernel("array_sort_histogram", leaf.dtype, count), rows * parts,
      { n, parts, part_size, order, leaf.buf, leaf.off, state, HISTOGRAM }),
    step(counting_kernel("array_sort_plan", leaf.dtype, count), 1, { n, rows, state, HISTOGRAM, state, PLAN }) }
  local k = pass_kernel(leaf.dtype, count, value, items)
  for pass = 0, passes - 1 do
    local list = { n, tiles, pass, order, state, PLAN, state, 0, state, HISTOGRAM, state,
      HISTOGRAM + of_histogram + pass * of_pass, leaf.buf, leaf.off, spare, 0, out, 0, keys ~= nil }
    if value then
      local from = values or { buf = spare_values, off = 0 }
      local m = #list
      list[m + 1], list[m + 2], list[m + 3], list[m + 4], list[m + 5], list[m + 6], list[m + 7], list[m + 8] =
        from.buf, from.off, spare_values, 0, wanted.buf, 0, not values, not values
    end
    steps[#steps + 1] = step(k, blocks, list, M.THREADS)
  end
  return runs.sequence(steps) or runs.AGAIN
end

---Sorts rows.
---@param leaf table              of elements without gaps, in C order; their context is current
---@param rows integer
---@param n integer               elements of a row
---@param descending boolean
---@param with_keys boolean
---@param with_positions boolean  int64, from 1
---@return table? keys       leaf of one axis
---@return table? positions
function M.sort(leaf, rows, n, descending, with_keys, with_positions)
  local dtype, size = leaf.dtype, rows * n
  local keys = with_keys and storage.empty(dtype, { size }, size)._leaf or nil
  local positions = with_positions and storage.empty(dtypes.int64, { size }, size)._leaf or nil
  if size == 0 then return keys, positions end
  local order = order_of(dtype, descending)
  local short = n <= ROW_THREADS * sizes[dtype.itemsize].row_items
  runs.until_done(short and sort_short or sort_long, { leaf = leaf, rows = rows, n = n, order = order, keys = keys,
    others = positions })
  return keys, positions
end

---Sorts values by keys of their own, equal ones in the order in which they are.
---@param leaf table    the keys, as for sort()
---@param values table  leaf of as many elements of 4 or 8 bytes, without gaps
---@param n integer
---@return table keys
---@return table values
function M.sort_pairs(leaf, values, n)
  local keys = storage.empty(leaf.dtype, { n }, n)._leaf
  local out = storage.empty(values.dtype, { n }, n)._leaf
  if n > 0 then
    runs.until_done(sort_long, { leaf = leaf, rows = 1, n = n, order = order_of(leaf.dtype, false), keys = keys,
      others = out, values = values })
  end
  return keys, out
end

M.SEARCHED = 2 ^ 17 -- so many values are searched for those that elements have; more would not stay in the caches
M.SELECT = 2 ^ 20 -- the first of a row of so many elements are found without sorting them all

local MULTIPROCESSORS = 132 -- of a large GPU, an H200
local BLOCKS_OF_COUNT = 6 * MULTIPROCESSORS -- which is what it has room for at once
local LEAST_OF_COUNT = 2048 -- elements that make a block more

local function select_kernel(name, dtype)
  local part = name:match "^array_(.*)"
  return get(name, dtype, "", function() return keys_part(dtype) .. template.fill("sort", part, {}) end)
end

local function select_first(since, leaf, n, order, count, mask)
  local dtype, FOUND, COUNTS = leaf.dtype, 0, 16 -- bytes in the state: what was found, 8-byte counters of digits
  local state = storage.buffer(COUNTS + 8 * DIGITS)
  if core.array_ready(state) then return nil end
  local steps = { since = since, leaves = { leaf }, writes = { mask._leaf }, scratch = { state },
    { fill = state, words = (COUNTS + 8 * DIGITS) / 4 } }
  local blocks = min(ceil(n / LEAST_OF_COUNT), BLOCKS_OF_COUNT)
  for pass = dtype.itemsize - 1, 0, -1 do
    steps[#steps + 1] = step(select_kernel("array_select_count", dtype), blocks,
      { n, pass, order, leaf.buf, leaf.off, state, FOUND, state, COUNTS })
    steps[#steps + 1] = step(select_kernel("array_select_digit", dtype), 1,
      { pass, count - 1, state, FOUND, state, COUNTS })
  end
  steps[#steps + 1] = step(select_kernel("array_select_mask", dtype), ceil(mask._size / 4 / runs.BLOCK),
    { n, order, leaf.buf, leaf.off, state, FOUND, mask._leaf.buf, 0 })
  return runs.sequence(steps) and mask or runs.AGAIN
end

---Which elements of a row come first in the order: as many as requested, and all that equal the last of them.
---@param leaf table  as for sort()
---@param n integer
---@param descending boolean
---@param count integer  1 to n
---@return cudalua.gpuarray.Array? mask  of bool, a few elements longer; nil inside a capture, which cannot count
---  what is in it
function M.first(leaf, n, descending, count)
  local words = ceil(n / 4)
  local mask = storage.empty(dtypes.bool, { 4 * words }, 4 * words)
  return (runs.until_done(select_first, leaf, n, order_of(leaf.dtype, descending), count, mask))
end

-- ---- the first few of each row --------------------------------------------------------------------------------------

local TOP_EACH = 4 -- elements of a thread at most that may be among the first

---Of so many elements at most, each block finds the first ones of a row without sorting all; other rows are sorted.
M.TOP = TOP_EACH * ROW_THREADS
---A bound by groups comes first. If false, the bound is the row's element itself, for measuring.
M.TOP_GROUPS = true
---So many elements are put in order by counting those before each, more by a bitonic sort.
M.TOP_RANKED = 32
---So many registers of 4 bytes a thread has for elements of a row at most; rows that need more are read again.
M.TOP_WORDS = 32
---The fewest threads of a block. It has more of them for rows that would not fit in their registers.
M.TOP_THREADS = 64
---So many blocks of 256 threads a multiprocessor has at once, by these registers; 0: of rows that are read again.
M.TOP_BLOCKS = { [0] = 6, [1] = 6, [2] = 6, [4] = 6, [8] = 6, [16] = 5, [32] = 4 }
---Shorter rows are sorted.
M.TOP_LEAST = 256
local TOP_LONG, TOP_MANY = 2 ^ 16, 64 -- elements of a row at most; for so many rows more,
local TOP_LONGEST = 2 ^ 31            -- but no more than these, which threads number with 32 bits

---Is finding the first few elements of rows worth it?
---@param rows integer
---@param n integer
---@param count integer
---@return boolean
function M.finds_top(rows, n, count)
  return n >= M.TOP_LEAST and n <= TOP_LONGEST and count > 0 and count <= math.min(M.TOP, n / 4) and
    (n <= TOP_LONG or rows >= TOP_MANY)
end

-- Registers of 4 bytes for an element; short ones take more than their bytes.
local function words_of(dtype) return dtype.itemsize == 4 and 1 or 2 end

-- The threads of a block: the fewest that keep the row in registers, and of whose entries so many are a half.
local function top_threads(dtype, n, count)
  local threads, most = M.TOP_THREADS, M.TOP_WORDS / words_of(dtype)
  while threads < ROW_THREADS and (n > threads * most or count > TOP_EACH / 2 * threads) do threads = threads * 2 end
  return threads
end

-- How many groups of its elements a thread has for the cheap bound; 0: too few for so many of the first.
local function groups_for(items, threads, count)
  if not M.TOP_GROUPS or items == 1 then return 0 end
  if count <= 0.7 * threads then return 1 end
  return items >= 8 and count <= 0.6 * 4 * threads and 4 or 0
end

local function top_kernel(dtype, n, count, threads)
  local each, items = ceil(n / threads), 1
  while items < each do items = items * 2 end
  local words, groups = items * words_of(dtype), groups_for(each, threads, count)
  local resident, whole = words <= M.TOP_WORDS, n == items * threads
  if not resident then items, words, whole = 1, 0, false end
  local blocks = M.TOP_BLOCKS[words] * ROW_THREADS / threads
  local key = ("%d %d %s %s %d %d %d"):format(threads, items, resident, whole, groups, M.TOP_RANKED, blocks)
  return get("array_topk_rows", dtype, key, function()
    local function part(name, fields) return template.fill("topk", name, fields or {}) end
    return keys_part(dtype) .. tile_part(threads, items) .. part "bound" ..
      (resident and "" or template.fill("sort", "sums", {}) .. part "digits") ..
      part("rows", { most = TOP_EACH * threads, resident = resident and 1 or 0, whole = whole and 1 or 0,
        blocks = blocks, groups = groups, some_groups = max(groups, 1), ranked = M.TOP_RANKED,
        entry = part(dtype.itemsize < 8 and "entry_short" or "entry_long"), order = part "order",
        bound_of_row = resident and "bound_of(keys, n, count)" or "bound_by_digits(visit, count)" })
  end)
end

local function top(since, leaf, rows, n, order, count, keys, positions)
  local threads = top_threads(leaf.dtype, n, count)
  local k = top_kernel(leaf.dtype, n, count, threads)
  return runs.kernel { kernel = k, blocks = rows, threads = threads, since = since, leaves = { leaf },
    writes = { keys, positions },
    arguments = { n, count, order, leaf.buf, leaf.off, keys.buf, 0, positions.buf, 0 } } or runs.AGAIN
end

---The first elements of each row in their order, and their positions.
---@param leaf table  as for sort()
---@param rows integer
---@param n integer
---@param descending boolean
---@param count integer  see finds_top()
---@return table keys       leaf of one axis
---@return table positions  int64, from 1
function M.top(leaf, rows, n, descending, count)
  local dtype, size = leaf.dtype, rows * count
  local keys, positions = storage.empty(dtype, { size }, size)._leaf, storage.empty(dtypes.int64, { size }, size)._leaf
  runs.until_done(top, leaf, rows, n, order_of(dtype, descending), count, keys, positions)
  return keys, positions
end

local function spread(since, positions, starts, n, groups, out)
  local k = kernels.get("sort_spread", function() return "array_sort_spread", template.fill("sort", "spread", {}) end)
  return runs.kernel { kernel = k, blocks = ceil(n / runs.BLOCK), since = since, leaves = { positions, starts },
    arguments = { n, out.buf, 0, positions.buf, positions.off, starts.buf, starts.off, groups },
    writes = { out } } or runs.AGAIN
end

---The number of the group that each element is in.
---@param positions table  leaf: where the sorted elements were
---@param starts table     leaf: the sorted elements that begin a group
---@param n integer
---@param groups integer
---@return cudalua.gpuarray.Array  int64, from 1
function M.spread(positions, starts, n, groups)
  local out = storage.empty(dtypes.int64, { n }, n)
  if n > 0 then runs.until_done(spread, positions, starts, n, groups, out._leaf) end
  return out
end

return M
