-- Decides whether to recompute or to store an intermediate value that another kernel has already computed. Recomputing
-- it reads the arrays that only this value needs, and repeats its operations. Storing it writes its bytes, which later
-- kernels read. Each time a value is recomputed, the cost is added up as a fraction of the cost of storing it. At 1,
-- the value is stored. So this moves at most twice the bytes that the best choice in hindsight would move.

local bytes_of = require("cudalua.gpuarray.core.storage").bytes_of

local M = {}

---This many operations on an element are assumed to take as long as moving one byte: see docs/programs.md, Q3.
M.OPERATIONS = 8

---The value of _used after the first kernel, when no cost has been added yet.
local ONCE = 1e-6

-- The leaf whose value has this number.
local function leaf_of(w, number, from, to)
  for k = from, to do
    local leaf = w.leaves[k]
    if leaf._mark == w.start + number then return leaf end
  end
end

-- Bytes of the arrays that the kernel reads only for this value. Arrays that it also reads elsewhere do not count. If
-- it also uses a part of the value that is an expression, none do.
local function bytes_alone(w, i)
  local first, last, from, to = w.again_from[i], w.again_to[i], w.again_leaf[i] + 1, w.again_leaves[i]
  local bytes, shared = 0, nil
  for k = from, to do bytes = bytes + bytes_of(w.leaves[k]) end
  for k = 1, w.nrepeats do
    local number = w.repeats[k]
    if number > first and number < last and w.repeats_at[k] >= last then
      local leaf = leaf_of(w, number, from, to)
      if not leaf then return 0 end
      shared = shared or {}
      if not shared[leaf] then
        shared[leaf] = true
        bytes = bytes - bytes_of(leaf)
      end
    end
  end
  return bytes
end

-- The cost of recomputing a value, as a fraction of the cost of storing and reading it.
local function share_of(w, i)
  local x = w.again[i]
  local own, size = x._size * x._dtype.itemsize, 1
  for k = 1, #w.shape do size = size * w.shape[k] end -- it is computed for each element of the result
  return own == 0 and 0 or (bytes_alone(w, i) + w.again_operations[i] * size / M.OPERATIONS) / (2 * own)
end

---The outermost intermediate value that should be stored now, if any.
---@param w cudalua.gpuarray.Walk
---@param is_stored? fun(r: any, x: cudalua.gpuarray.Array): boolean  does the kernel store the value anyway?
---@param r? any
---@return cudalua.gpuarray.Array?
function M.choose(w, is_stored, r)
  for i = 1, w.nagain do
    local x = w.again[i]
    if not (is_stored and is_stored(r, x)) then
      local share = share_of(w, i)
      w.again_share[i] = share
      if x._used + share >= 1 then return x end
    end
  end
end

---The bytes that recomputing a value has moved with this kernel, and those of storing and reading it.
---@param w cudalua.gpuarray.Walk
---@param x cudalua.gpuarray.Array
---@return number again
---@return number stored
function M.total(w, x)
  local share, stored = 0, 2 * x._size * x._dtype.itemsize
  for i = 1, w.nagain do
    if w.again[i] == x then share = share_of(w, i) end
  end
  return (x._used + share) * stored, stored
end

---Records which values a kernel has computed.
---@param w cudalua.gpuarray.Walk
function M.note(w)
  local inner = w.inner
  for i = 1, w.ninner do
    local x = inner[i]
    if x._used <= 0 then x._used = ONCE end
  end
  for i = 1, w.nagain do
    local x = w.again[i]
    x._used = x._used + w.again_share[i]
  end
end

---Records that an expression was computed, although the array itself did not get its value.
---@param x any
function M.computed(x)
  if type(x) == "table" and x._sig and x._used <= 0 then x._used = ONCE end
end

return M
