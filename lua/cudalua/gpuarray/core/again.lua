-- Computing an inner value again, or storing it. A value that another kernel has computed on the way to something else
-- may be needed once more. Computing it again moves the bytes of the arrays that it alone needs, and takes its
-- operations; storing it moves its own bytes, and later uses read them. Each time that it is computed again, the share
-- of these costs is added up. When that reaches the whole, the value is stored. So at most twice the bytes are moved
-- that would be moved if the future were known.

local bytes_of = require("cudalua.gpuarray.core.storage").bytes_of

local M = {}

---So many operations on an element take as long as a byte of it: see docs/programs.md, Q3.
M.OPERATIONS = 8

---Stands for "computed once" in _used.
local ONCE = 1e-6

-- The array that has this number among the values.
local function leaf_of(w, number, from, to)
  for k = from, to do
    local leaf = w.leaves[k]
    if leaf._mark == w.serial and leaf._num == number then return leaf end
  end
end

-- Bytes of the arrays that the kernel reads for this value alone. If a part of it is needed outside of it, too, so are
-- the arrays of that part, whichever they are.
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

-- What computing it again costs, as a part of storing and reading it.
local function share_of(w, i)
  local x = w.again[i]
  local own, size = x._size * x._dtype.itemsize, 1
  for k = 1, #w.shape do size = size * w.shape[k] end -- it is computed for each element of the result
  return own == 0 and 0 or (bytes_alone(w, i) + w.again_operations[i] * size / M.OPERATIONS) / (2 * own)
end

---The outermost inner value that is to be stored now, if any.
---@param w cudalua.gpuarray.Walk
---@param is_stored? fun(r: any, x: cudalua.gpuarray.Array): boolean  the kernel stores it anyway
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

---Notes what a kernel computed.
---@param w cudalua.gpuarray.Walk
function M.note(w)
  local inner = w.inner
  for i = 1, w.ninner do
    local x = inner[i]
    if x._used == 0 then x._used = ONCE end
  end
  for i = 1, w.nagain do
    local x = w.again[i]
    x._used = x._used + w.again_share[i]
  end
end

---Notes that an expression was computed, but not stored as its own value.
---@param x any
function M.computed(x)
  if type(x) == "table" and x._sig and x._used == 0 then x._used = ONCE end
end

return M
