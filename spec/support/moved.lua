-- Rolls, borders, repetitions and joined arrays on the host, as loops: what spec/gpuarray/maps_spec.lua compares with.
-- An array is {shape = {...}, [1] ...}, its elements in C order. It shares nothing with the library.
local M = {}

local function size_of(shape)
  local n = 1
  for k = 1, #shape do n = n * shape[k] end
  return n
end
M.size_of = size_of

-- Calls f(place, index) for each element of a shape; the index is one list, from 0.
local function each(shape, f)
  local index = {}
  for k = 1, #shape do index[k] = 0 end
  for place = 1, size_of(shape) do
    f(place, index)
    for k = #shape, 1, -1 do
      index[k] = index[k] + 1
      if index[k] < shape[k] then break end
      index[k] = 0
    end
  end
end

local function place_of(shape, index)
  local place = 0
  for k = 1, #shape do place = place * shape[k] + index[k] end
  return place + 1
end

---An array whose element at an index (from 0) is f(index).
---@param shape integer[]
---@param f fun(index: integer[]): any
function M.new(shape, f)
  local out = { shape = { unpack(shape) } }
  each(shape, function(place, index) out[place] = f(index) end)
  return out
end

---What f gives for elements of arrays that are broadcast together.
function M.apply(f, ...)
  local given, shape = { ... }, {}
  for _, x in ipairs(given) do
    if type(x) == "table" and #x.shape > #shape then shape = { unpack(x.shape) } end
  end
  for _, x in ipairs(given) do
    for k = 1, type(x) == "table" and #x.shape or 0 do
      local axis = #shape - #x.shape + k
      if shape[axis] == 1 then shape[axis] = x.shape[k] end
    end
  end
  return M.new(shape, function(index)
    local values = {}
    for i, x in ipairs(given) do
      if type(x) ~= "table" then
        values[i] = x
      else
        local own = {}
        for k = 1, #x.shape do own[k] = x.shape[k] == 1 and 0 or index[#shape - #x.shape + k] end
        values[i] = x[place_of(x.shape, own)]
      end
    end
    return f(unpack(values))
  end)
end

function M.copy(x) return M.new(x.shape, function(index) return x[place_of(x.shape, index)] end) end

---One position at a time, by steps of one.
function M.roll(x, shift, axis)
  for _ = 1, math.abs(shift) % math.max(x.shape[axis], 1) do
    local before, n = x, x.shape[axis]
    x = M.new(x.shape, function(index)
      local own = { unpack(index) }
      own[axis] = own[axis] + (shift > 0 and -1 or 1)
      if own[axis] < 0 then own[axis] = n - 1 elseif own[axis] == n then own[axis] = 0 end
      return before[place_of(before.shape, own)]
    end)
  end
  return x
end

-- Where a position beyond an axis of n elements is: from outside to inside, by one bounce after the other.
local inside = {}
function inside.edge(i, n) return i < 0 and 0 or i >= n and n - 1 or i end
function inside.wrap(i, n)
  while i < 0 do i = i + n end
  while i >= n do i = i - n end
  return i
end
function inside.symmetric(i, n)
  while i < 0 or i >= n do i = i < 0 and -1 - i or 2 * n - 1 - i end
  return i
end
function inside.reflect(i, n)
  if n == 1 then return 0 end
  while i < 0 or i >= n do i = i < 0 and -i or 2 * n - 2 - i end
  return i
end

---@param widths integer[][]  {before, after} for each axis
function M.pad(x, widths, mode, value)
  local shape = {}
  for k, w in ipairs(widths) do shape[k] = w[1] + x.shape[k] + w[2] end
  return M.new(shape, function(index)
    local own = {}
    for k, w in ipairs(widths) do
      own[k] = index[k] - w[1]
      if own[k] < 0 or own[k] >= x.shape[k] then
        if mode == "constant" then return value end
        own[k] = inside[mode](own[k], x.shape[k])
      end
    end
    return x[place_of(x.shape, own)]
  end)
end

---Several in a row, then several of these: by appending.
function M.tile(x, times)
  local shape = { unpack(x.shape) }
  while #shape < #times do table.insert(shape, 1, 1) end
  local out = { shape = shape, unpack(x) }
  for k = 1, #times do
    local parts = {}
    for i = 1, times[k] do parts[i] = out end
    local axis = #shape - #times + k
    if times[k] == 0 then
      local none = { unpack(out.shape) }
      none[axis] = 0
      out = { shape = none }
    else
      out = M.concatenate(parts, axis)
    end
  end
  return out
end

function M.repeat_(x, times, axis)
  local shape = { unpack(x.shape) }
  shape[axis] = shape[axis] * times
  return M.new(shape, function(index)
    local own = { unpack(index) }
    local count = 0
    for i = 0, x.shape[axis] - 1 do -- counts up to the position
      count = count + times
      if count > index[axis] then own[axis] = i break end
    end
    return x[place_of(x.shape, own)]
  end)
end

function M.concatenate(list, axis)
  local shape = { unpack(list[1].shape) }
  for i = 2, #list do shape[axis] = shape[axis] + list[i].shape[axis] end
  return M.new(shape, function(index)
    local own = { unpack(index) }
    for _, x in ipairs(list) do
      if own[axis] < x.shape[axis] then return x[place_of(x.shape, own)] end
      own[axis] = own[axis] - x.shape[axis]
    end
  end)
end

function M.stack(list, axis)
  local shape = { unpack(list[1].shape) }
  table.insert(shape, axis, #list)
  return M.new(shape, function(index)
    local own = { unpack(index) }
    local x = list[table.remove(own, axis) + 1]
    return x[place_of(x.shape, own)]
  end)
end

---Axes in the reverse order.
function M.transpose(x)
  local shape = {}
  for k = 1, #x.shape do shape[k] = x.shape[#x.shape + 1 - k] end
  return M.new(shape, function(index)
    local own = {}
    for k = 1, #shape do own[k] = index[#shape + 1 - k] end
    return x[place_of(x.shape, own)]
  end)
end

function M.flip(x, axis)
  return M.new(x.shape, function(index)
    local own = { unpack(index) }
    own[axis] = x.shape[axis] - 1 - own[axis]
    return x[place_of(x.shape, own)]
  end)
end

---The positions first to last (from 0) of an axis.
function M.slice(x, axis, first, last)
  local shape = { unpack(x.shape) }
  shape[axis] = last - first + 1
  return M.new(shape, function(index)
    local own = { unpack(index) }
    own[axis] = own[axis] + first
    return x[place_of(x.shape, own)]
  end)
end

---Sets the positions first to last of an axis to a value.
function M.fill(x, axis, first, last, value)
  each(x.shape, function(place, index)
    if index[axis] >= first and index[axis] <= last then x[place] = value end
  end)
end

return M
