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

local THREADS, ITEMS = 128, 7
local TILE = THREADS * ITEMS

-- The order of the sums of kernels/sparse/merge.cu in float64, step by step.
---@param indptr integer[]   from 0
---@param indices integer[]  from 0
---@param data number[]
---@param x number[]
function M.merge(indptr, indices, data, x)
  local lines, count, y = #indptr - 1, #data, {}
  local steps, blocks = {}, math.ceil((#indptr - 1 + #data) / TILE)
  local line, element = 0, 0
  for s = 1, lines + count do -- true: the end of a line
    if line < lines and indptr[line + 2] <= element then
      steps[s], line = { line = line }, line + 1
    else
      steps[s], element = { product = data[element + 1] * x[indices[element + 1] + 1] }, element + 1
    end
  end
  local heads, carries, first_line, last_line = {}, {}, {}, {}
  line = 0
  for b = 1, blocks do
    first_line[b] = line
    local tails, ended = {}, {}
    local firsts = {}
    for t = 1, THREADS do
      local sum = 0
      ended[t] = false
      for k = 1, ITEMS do
        local step = steps[(b - 1) * TILE + (t - 1) * ITEMS + k]
        if step and step.product then
          sum = sum + step.product
        elseif step then
          if not ended[t] then firsts[t] = { step.line, sum } else y[step.line + 1] = sum end
          ended[t], sum, line = true, 0, step.line + 1
        end
      end
      tails[t] = sum
    end
    local warp_sums, warp_ended, inclusive, over = {}, {}, {}, {}
    for w = 0, THREADS / 32 - 1 do
      local v, f = {}, {}
      for l = 1, 32 do v[l], f[l] = tails[w * 32 + l], ended[w * 32 + l] end
      for _, n in ipairs { 1, 2, 4, 8, 16 } do
        local v2, f2 = {}, {}
        for l = 1, 32 do
          v2[l], f2[l] = v[l], f[l]
          if l > n then
            if not f[l] then v2[l] = v[l - n] + v[l] end
            f2[l] = f[l] or f[l - n]
          end
        end
        v, f = v2, f2
      end
      warp_sums[w], warp_ended[w] = v[32], f[32]
      for l = 1, 32 do inclusive[w * 32 + l], over[w * 32 + l] = v[l], f[l] end
    end
    for t = 1, THREADS do
      local w, carry = math.floor((t - 1) / 32), 0
      for k = 0, w - 1 do carry = warp_ended[k] and warp_sums[k] or carry + warp_sums[k] end
      if t == THREADS then carries[b] = over[t] and inclusive[t] or carry + inclusive[t] end
      if (t - 1) % 32 > 0 then carry = over[t - 1] and inclusive[t - 1] or carry + inclusive[t - 1] end
      if firsts[t] then
        local at = firsts[t][1]
        y[at + 1] = carry + firsts[t][2]
        if at == first_line[b] then heads[b] = y[at + 1] end
      end
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
  return y
end

return M
