-- Arrays as arguments of kernels that others wrote: where a parameter is a pointer the array's address, where it is a
-- number the value of a 0-d array. The parameter's type says what the kernel may do: behind a pointer to const it
-- reads, behind any other one it may write, so that whatever still has to read the array is computed before.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local graph = require "cudalua.gpuarray.core.graph"
local pointees = require "cudalua.driver.pointee"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local write = require "cudalua.gpuarray.core.write"

local context_id, ready = core.context_id, core.array_ready
local fits, params_of, pointee = pointees.fits, pointees.params_of, pointees.of

local M = {}

-- ---- types ------------------------------------------------------------------------------------------------------

local numeric = { bool = true, int8 = true, uint8 = true, int16 = true, uint16 = true, int32 = true, uint32 = true,
  int64 = true, uint64 = true, float16 = true, bfloat16 = true, float32 = true, float64 = true }

local function refuse(fn, i, p, why)
  local text = p and p.text
  errors.raise("LogicError", ("%s: argument %d%s: %s"):format(fn:name(), i, text and " (" .. text .. ")" or "", why),
    { kernel = fn:name(), arg = i, param = text })
end

-- Is it passed by its value? Raises where it cannot be passed at all.
local function by_value(fn, i, p, x)
  if not p or p.type == "pointer" or p.type == "unknown" then return false end
  if x._ndim == 0 then return numeric[p.type] or p.type == "bytes" or p.type:find "^integer" ~= nil and p.size < 8 end
  if p.size == 8 and not p.type:find "^float" then return false end -- an address may travel in there
  refuse(fn, i, p, ("expected a number, got the array %s; only 0-d arrays can be passed as " ..
    "numbers"):format(graph.describe(x)))
end

local function check_elements(fn, i, p, x)
  local to = pointee(p.text)
  if not fits(to, x._dtype) then
    local dt = to.dtype
    refuse(fn, i, p, ("the array is %s, but the kernel takes %s here%s"):format(graph.describe(x), pointees.name(to),
      dt and dt.kind ~= "struct" and ("; convert it with astype %q"):format(dt.name) or ""))
  end
  return to.const
end

local function check_alignment(fn, i, p, x, at)
  local dt = pointee(p.text).dtype
  if dt and at % dt.alignment ~= 0 then
    refuse(fn, i, p, ("the array %s begins at byte %d of its memory, but %s needs a multiple of %d"):format(
      graph.describe(x), at, dt.name, dt.alignment))
  end
end

-- Leading dimensions and gaps are the kernel's own business. But it counts upwards from the address that it gets: where
-- elements are repeated, or lie before it, it would reach beyond the array.
local function check_strides(fn, i, p, x, leaf)
  for k = 1, x._ndim do
    local stride = leaf.strides[k]
    if stride <= 0 and x._shape[k] > 1 then
      refuse(fn, i, p, ("the array %s is a view %s, but the kernel receives only an address; copy it with " ..
        "copy()"):format(
        graph.describe(x), stride == 0 and "with repeated elements" or "with elements in reverse order"))
    end
  end
end

-- ---- taking arrays out of a call ----------------------------------------------------------------------------------

local function address(fn, i, p, x, const, stream, context)
  local leaf = storage.leaf_of(x)
  local store, buf = leaf.store, leaf.buf
  if store.context ~= context then refuse(fn, i, p, "the array belongs to another context") end
  if not buf or x._size == 0 then return core.pointer(0) end
  if not leaf.dense then check_strides(fn, i, p, x, leaf) end
  if p and p.type == "pointer" then check_alignment(fn, i, p, x, store.skew + leaf.off) end
  if ready(buf, stream) then -- a graph uses this address whenever it is launched
    if const then store.pinned = true else run.captured(leaf) end
  end
  return leaf.off == 0 and buf or buf + leaf.off
end

-- Computing may run finalizers, which may write to arrays: what was settled before is so no more.
local function attempt(since, fn, args, places, params, arrays, const, stream)
  for k = 1, #places do
    local x = arrays[k]
    if x then
      if x._sig then evaluate(x) end
      if not const[k] then write.settle(storage.leaf_of(x).store) end
    end
  end
  local context = context_id()
  for k = 1, #places do
    local i = places[k]
    if arrays[k] then args[i] = address(fn, i, params[i], arrays[k], const[k], stream, context) end
  end
  if since ~= storage.writes then return run.AGAIN end
end

---Puts what C takes instead of the arrays among a call's arguments.
---@param fn cudalua.Function
---@param args any[]           changed
---@param places integer[]     where the arrays are
---@param stream? cudalua.Stream  of the call; nil: the current one
function M.take(fn, args, places, stream)
  local params, arrays, const, written = params_of(fn), {}, {}, 0
  for k = 1, #places do
    local i = places[k]
    local x, p = args[i], params[i]
    if by_value(fn, i, p, x) then
      args[i], arrays[k] = x:item(), false
    else
      arrays[k], const[k] = x, p ~= nil and p.type == "pointer" and check_elements(fn, i, p, x)
    end
  end
  run.until_done(attempt, fn, args, places, params, arrays, const, stream)
  for k = 1, #places do
    if arrays[k] and not const[k] then written = written + 1 end
  end
  storage.writes = storage.writes + written
end

return M
