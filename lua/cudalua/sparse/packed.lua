-- The packed format: rows in packets whose columns are few, so that a block reads its part of x once, into shared
-- memory, and finds it by numbers of 16 bits. It multiplies vectors; for anything else it is a csr matrix.
--
-- Packets are grown on the host: from a row to the rows of its columns, breadth first, where the matrix is square; else
-- in the order of rows. Rows that are too long for a packet are multiplied by the merge path.

local code = require "cudalua.sparse.code"
local construct = require "cudalua.gpuarray.make.construct"
local dtypes = require "cudalua.dtype"
local ffi = require "ffi"
local matrix = require "cudalua.sparse.matrix"
local ndarray = require "cudalua.ndarray"
local pace = require "cudalua.base.pace"
local structures = require "cudalua.sparse.structure"
local transfer = require "cudalua.gpuarray.core.transfer"

local ROWS, COLUMNS, LONG = 256, 2048, 1024 -- of a packet; elements of a row, at most
local WARP = 32

local M = {}

local int32_array = ffi.typeof "int32_t[?]"

-- Positions on the host, as a pointer to numbers; and what owns them.
local function on_host(x)
  local h = x:get()
  local pointer = x._dtype.itemsize == 4 and ffi.typeof "int32_t *" or ffi.typeof "int64_t *"
  return ffi.cast(pointer, h:data()), h
end

-- Rows of the packets one after the other, each with its number of rows; and the rows that are too long.
local function grow(rows, columns, indptr, indices)
  local taken, asked, seen = int32_array(rows + 1), int32_array(rows + 1), int32_array(columns + 1)
  local order, sizes, long, queue = {}, {}, {}, {}
  local head, tail, count, distinct, packet, next_row = 1, 0, 0, 0, 1, 0
  local function close()
    sizes[packet], count, distinct, head, tail, packet = count, 0, 0, 1, 0, packet + 1
  end
  -- How many columns of a row the packet does not have.
  local function fresh(row)
    local n = 0
    for i = tonumber(indptr[row]), tonumber(indptr[row + 1]) - 1 do
      if seen[indices[i]] ~= packet then n = n + 1 end
    end
    return n
  end
  local function add(row)
    taken[row], count = 1, count + 1
    order[#order + 1] = row
    for i = tonumber(indptr[row]), tonumber(indptr[row + 1]) - 1 do
      local column = tonumber(indices[i])
      if seen[column] ~= packet then seen[column], distinct = packet, distinct + 1 end
      if rows == columns and taken[column] == 0 and asked[column] ~= packet then
        asked[column], tail = packet, tail + 1
        queue[tail] = column
      end
    end
  end
  for _ = 1, rows do
    local row
    while head <= tail and not row do
      row, head = queue[head], head + 1
      if taken[row] ~= 0 then row = nil end
    end
    if not row then
      while taken[next_row] ~= 0 do next_row = next_row + 1 end
      row = next_row
    end
    if indptr[row + 1] - indptr[row] > LONG then
      taken[row] = 1
      long[#long + 1] = row
    else
      if count == ROWS or distinct + fresh(row) > COLUMNS then close() end
      add(row)
    end
    pace(tonumber(indptr[row + 1] - indptr[row]) + 1)
  end
  if count > 0 then close() end
  return order, sizes, long
end

-- A list of numbers on the host that grows: `at` has `n` of them.
local function growing(c_type)
  return { at = ffi.new(c_type .. "[?]", 1024), n = 0, room = 1024, c_type = c_type }
end

local function reserve(list, n)
  if n > list.room then
    local room = math.max(n, 2 * list.room)
    local at = ffi.new(list.c_type .. "[?]", room)
    ffi.copy(at, list.at, list.n * ffi.sizeof(list.c_type))
    list.at, list.room = at, room
  end
  list.n = n
end

-- On the device; one element where there is none.
local function upload(list, dtype)
  local h = ndarray.zeros(math.max(list.n, 1), dtype)
  ffi.copy(h:data(), list.at, list.n * h.dtype.itemsize)
  return transfer.to_gpu(h)
end

-- The rows of a packet, those of like lengths side by side: the longest first, equal ones in their order.
local function by_length(order, first, size, indptr)
  local rows, place = {}, {}
  for k = 1, size do
    rows[k] = order[first + k]
    place[rows[k]] = k
  end
  table.sort(rows, function(a, b)
    local x, y = tonumber(indptr[a + 1] - indptr[a]), tonumber(indptr[b + 1] - indptr[b])
    if x ~= y then return x > y end
    return place[a] < place[b]
  end)
  return rows
end

-- The packets as lists that the kernel reads (kernels/sparse/packed.cu), and the slot of each element.
local function lay_out(s, c_type, order, sizes, indptr, indices)
  local p = { rows = growing(c_type), lengths = growing "int32_t", slices = growing(c_type),
    column_starts = growing(c_type), columns = growing(c_type), locals = growing "uint16_t", slot = growing(c_type) }
  local seen, number, first = int32_array(s.extent + 1), int32_array(s.extent + 1), 0
  reserve(p.slot, s.count)
  reserve(p.column_starts, #sizes + 1)
  for packet, size in ipairs(sizes) do
    local rows = by_length(order, first, size, indptr)
    local base, columns, start = (packet - 1) * ROWS, p.columns.n, p.columns.n
    first = first + size
    reserve(p.rows, base + ROWS)
    reserve(p.lengths, base + ROWS)
    for k = 0, ROWS - 1 do
      local row = rows[k + 1]
      local from = row and tonumber(indptr[row]) or 0
      local length = row and tonumber(indptr[row + 1]) - from or 0
      if k % WARP == 0 then -- the longest row of the warp
        local slices, slots = p.slices.n, p.locals.n
        reserve(p.slices, slices + 1)
        p.slices.at[slices] = slots
        reserve(p.locals, slots + length * WARP)
      end
      local at = tonumber(p.slices.at[p.slices.n - 1]) + k % WARP
      p.rows.at[base + k], p.lengths.at[base + k] = row or -1, length
      for i = 0, length - 1 do
        local column = tonumber(indices[from + i])
        if seen[column] ~= packet then
          seen[column], number[column] = packet, columns - start
          reserve(p.columns, columns + 1)
          p.columns.at[columns], columns = column, columns + 1
        end
        p.locals.at[at + i * WARP] = number[column]
        p.slot.at[from + i] = at + i * WARP
      end
      pace(length + 1)
    end
    p.column_starts.at[packet] = columns
  end
  return p
end

-- The rows that are too long, as a structure whose other rows are empty. Its values stand behind the packets' slots.
local function rest_of(s, c_type, long, p, indptr, indices)
  if #long == 0 then return false, p.locals.n end
  table.sort(long)
  local starts, list, order, k = growing(c_type), growing(c_type), growing(c_type), 1
  reserve(starts, s.lines + 1)
  for row = 0, s.lines - 1 do
    local n = list.n
    starts.at[row] = n
    if long[k] == row then
      local from = tonumber(indptr[row])
      local length = tonumber(indptr[row + 1]) - from
      reserve(list, n + length)
      reserve(order, n + length)
      for i = 0, length - 1 do
        list.at[n + i], order.at[n + i] = indices[from + i], p.locals.n + n + i
        p.slot.at[from + i] = p.locals.n + n + i
      end
      k = k + 1
    end
  end
  starts.at[s.lines] = list.n
  local rest = structures.new(s.place, s.lines, s.extent, upload(starts, s.place), upload(list, s.place))
  rest.order = upload(order, s.place)
  return rest, p.locals.n + list.n
end

---A packed matrix.
---@param s table  structure, by rows
---@param data cudalua.gpuarray.Array  values in its order
---@param base integer
---@return cudalua.sparse.Matrix
function M.of(s, data, base)
  local indptr, keep_indptr = on_host(s.indptr)
  local indices, keep_indices = indptr, nil
  if s.count > 0 then indices, keep_indices = on_host(s.indices) end
  local c_type = s.place.itemsize == 4 and "int32_t" or "int64_t"
  local order, sizes, long = grow(s.lines, s.extent, indptr, indices)
  local lists = lay_out(s, c_type, order, sizes, indptr, indices)
  local rest, all = rest_of(s, c_type, long, lists, indptr, indices)
  assert(keep_indptr and (keep_indices or s.count == 0)) -- until here
  local p = { packets = #sizes, rest = rest, lengths = upload(lists.lengths, dtypes.int32),
    locals = upload(lists.locals, dtypes.uint16) }
  for _, name in ipairs { "rows", "slices", "column_starts", "columns", "slot" } do
    p[name] = upload(lists[name], s.place)
  end
  local values = construct.zeros(all, data._dtype)
  code.launch({ { kernel = code.kernel("packed/scatter", "sparse_scatter", s.place, { data = data._dtype }),
    n = s.count, arguments = { s.count, p.slot, data, values } } }, { values })
  local m = matrix.new("packed", s, values, base)
  rawset(m, "_packed", p)
  return m
end

---y = m x, a vector.
---@param m cudalua.sparse.Matrix
---@param x cudalua.gpuarray.Array  without gaps
---@param t cudalua.dtype.DType
---@param merge fun(s: table, order: cudalua.gpuarray.Array, data: cudalua.gpuarray.Array): cudalua.gpuarray.Array
---  multiplies by the merge path
---@return cudalua.gpuarray.Array
function M.times_vector(m, x, t, merge)
  local p, s, data = m._packed, m._structure, m._data
  local y = p.rest and merge(p.rest, p.rest.order, data) or structures.list(t, s.lines)
  if p.packets > 0 then
    code.launch({ { kernel = code.kernel("packed/product", "sparse_packed", s.place, { data = data._dtype,
      other = x._dtype, result = t }), blocks = p.packets, threads = ROWS,
      arguments = { p.rows, p.lengths, p.slices, p.column_starts, p.columns, p.locals, data, x, y } } }, { y })
  end
  return y
end

---The values of a packed matrix in the order of its structure.
---@param m cudalua.sparse.Matrix
---@return cudalua.gpuarray.Array
function M.values(m)
  local s, data = m._structure, m._data
  local out = structures.list(data._dtype, s.count)
  code.launch({ { kernel = code.kernel("build/sums", "sparse_sums", s.place, { data = data._dtype }), n = s.count,
    arguments = { s.count, s.count, data, 0, m._packed.slot, 1, data, out } } }, { out })
  return out
end

return M
