-- Arrays as text. Of an array too long to be shown whole only what is shown comes to the host.

local companions = require "cudalua.gpuarray.core.companions"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local render = require "cudalua.types.text"
local storage = require "cudalua.gpuarray.core.storage"
local transfer = require "cudalua.gpuarray.core.transfer"

local M = {}

-- Both ends of an axis, in an array of their own.
local function ends_of(x, axis, edge)
  local leaf, n = evaluate.evaluate(x), x._shape[axis]
  local shape = x.shape
  shape[axis] = 2 * edge
  local size = x._size / n * 2 * edge
  local out = storage.empty(x._dtype, shape, size)
  local to = out._leaf
  for i = 0, 1 do
    local part = { unpack(shape, 1, #shape) }
    part[axis] = edge
    local source = storage.new_leaf(leaf.store, leaf.off + i * (n - edge) * leaf.strides[axis], leaf.dtype, part,
      leaf.strides)
    evaluate.store(source, storage.new_leaf(to.store, to.off + i * edge * to.strides[axis], to.dtype, part, to.strides),
      size / 2)
  end
  return out
end

-- The elements that text.lua shows, and what a position is in there.
local function shown(x)
  local edge, own = render.EDGE, x._shape
  local axes = {}
  for k = 1, x._ndim do
    if own[k] > 2 * edge then axes[#axes + 1] = k end
  end
  table.sort(axes, function(a, b) return own[a] > own[b] end) -- the longest first: the least is copied
  for _, axis in ipairs(axes) do x = ends_of(x, axis, edge) end
  local short = x._shape
  return x, function(k, i) return short[k] < own[k] and i > edge and i - own[k] + 2 * edge or i end
end

---The text of an array.
---@param x cudalua.gpuarray.Array
---@return string
function M.text(x)
  if x._size <= render.THRESHOLD or x._dtype.kind == "struct" then
    return tostring(transfer.get("gpuarray", x))
  end
  if x._sig then companions.before(x) end
  local part, place = shown(x)
  local host = transfer.get("gpuarray", part)
  local index = {}
  return render.render(x._shape, x._dtype, function(at)
    for k = 1, #at do index[k] = place(k, at[k]) end
    return host:get(unpack(index, 1, #at))
  end)
end

return M
