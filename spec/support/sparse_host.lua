-- Sparse matrices on the host, for specs: lists of elements, dense tables, and the merge path in plain Lua.
local gpuarray = require "cudalua.gpuarray"
local M = {}

---Numbers from 0 to below n, the same ones for the same seed.
function M.source(seed)
  local state = seed * 7919 % 2 ^ 31
  return function(n)
    state = (state * 1103515245 + 12345) % 2 ^ 31
    return math.floor(state / 2 ^ 31 * n)
  end
end

---Elements of a random matrix: data, rows, columns, shape. Values are whole, from -8 to 8, but for `value`.
---@param seed integer
---@param rows integer
---@param columns integer
---@param n integer
---@param value? fun(next: function): number
---@param row? fun(next: function): integer
function M.elements(seed, rows, columns, n, value, row)
  local next_number = M.source(seed)
  local e = { data = {}, rows = {}, columns = {}, shape = { rows, columns } }
  for i = 1, n do
    e.rows[i] = row and row(next_number) or next_number(rows) + 1
    e.columns[i] = next_number(columns) + 1
    e.data[i] = value and value(next_number) or next_number(17) - 8
  end
  return e
end

---Matrices of all kinds: name and elements.
function M.kinds()
  return {
    { "random", M.elements(1, 23, 31, 120) },
    { "many duplicates", M.elements(2, 5, 4, 300) },
    { "empty rows", M.elements(3, 60, 17, 40, nil, function(next_number) return 20 + next_number(3) end) },
    { "one long row", M.elements(4, 9, 4000, 2600, nil, function(next_number)
      return next_number(20) == 0 and next_number(9) + 1 or 5
    end) },
    { "no elements", M.elements(5, 7, 6, 0) },
    { "one row", M.elements(6, 1, 50, 30) },
    { "one column", M.elements(7, 50, 1, 30) },
    { "no rows", M.elements(8, 0, 5, 0) },
    { "no columns", M.elements(9, 5, 0, 0) },
    { "several blocks", M.elements(10, 700, 90, 2500) },
  }
end

---A dense table of rows.
function M.dense(e)
  local d = {}
  for i = 1, e.shape[1] do
    d[i] = {}
    for j = 1, e.shape[2] do d[i][j] = 0 end
  end
  for k, v in ipairs(e.data) do d[e.rows[k]][e.columns[k]] = d[e.rows[k]][e.columns[k]] + v end
  return d
end

---A dense table as an array on the device; also one without rows or columns.
function M.array(d, shape, dtype)
  if shape[1] == 0 or shape[2] == 0 then return gpuarray.zeros(shape, dtype) end
  return gpuarray.to_gpu(d, dtype)
end

---d x, of tables.
function M.times(d, x)
  local y = {}
  for i, row in ipairs(d) do
    y[i] = 0
    for j, v in ipairs(row) do y[i] = y[i] + v * x[j] end
  end
  return y
end

local THREADS, TILE, LONGEST = 128, 1020, 32

-- The sum of a segment: threads of a team add every so many elements, and teams are added by halving.
local function sum_of_segment(products, team)
  local sums = {}
  for t = 0, team - 1 do
    sums[t] = 0
    for k = t + 1, #products, team do sums[t] = sums[t] + products[k] end
  end
  while team > 1 do
    team = team / 2
    for t = 0, team - 1 do sums[t] = sums[t] + sums[t + team] end
  end
  return sums[0]
end

-- The order of the sums of kernels/sparse/merge.cu in float64, step by step. Products have to be exact, as the kernel
-- adds by fused multiply-adds.
---@param indptr integer[]   from 0
---@param indices integer[]  from 0
---@param data number[]
---@param x number[]
---@return number[] y
---@return table<string, integer> teams  how many segments were added by so many threads; long: more than LONGEST each
function M.merge(indptr, indices, data, x)
  local lines, count, y = #indptr - 1, #data, {}
  local blocks = math.ceil((lines + count) / TILE)
  local heads, carries, last_line, teams = {}, {}, {}, { long = 0 }
  local line, element = 0, 0
  for b = 1, blocks do
    local segments, first = { {} }, line
    for _ = 1, math.min(TILE, lines + count - (b - 1) * TILE) do
      local segment = segments[#segments]
      if line < lines and indptr[line + 2] <= element then -- the end of a line
        line, segments[#segments + 1] = line + 1, {}
      else
        segment[#segment + 1], element = data[element + 1] * x[indices[element + 1] + 1], element + 1
      end
    end
    local team = 1
    while team < 32 and 2 * team * #segments <= THREADS do team = 2 * team end
    for k, segment in ipairs(segments) do
      local long = team < 32 and #segment > LONGEST * team
      local sum = sum_of_segment(segment, long and 32 or team)
      if long then teams.long = teams.long + 1 end
      teams[team] = (teams[team] or 0) + 1
      if k < #segments then y[first + k] = sum else carries[b] = sum end
      if k == 1 then heads[b] = sum end
    end
    last_line[b] = line
  end
  local b = 1
  while b < blocks do
    local at, last = last_line[b], b
    while last + 1 < blocks and last_line[last + 1] == at do last = last + 1 end
    if at < lines then
      local sum
      if last - b + 1 <= 32 then
        sum = carries[b]
        for k = b + 1, last do sum = sum + carries[k] end
      else
        local sums = {}
        for t = 0, 255 do
          sums[t] = 0
          for k = b + t, last, 256 do sums[t] = sums[t] + carries[k] end
        end
        for _, n in ipairs { 128, 64, 32, 16, 8, 4, 2, 1 } do
          for t = 0, n - 1 do sums[t] = sums[t] + sums[t + n] end
        end
        sum = sums[0]
      end
      y[at + 1] = sum + heads[last + 1]
    end
    b = last + 1
  end
  return y, teams
end

return M
