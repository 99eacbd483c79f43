-- Arrays of random elements, and arrays as lists, texts and bytes.
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local text = require("spec.support.reductions").text

local M = {}

---A value that the type holds, small enough that products stay finite for a while, and few of them 0.
---@param t cudalua.DType
---@param odds? integer  four of so many floating-point values are NaN, negative zero, zero and infinity; nil: none are
function M.random_value(t, odds)
  if t.kind == "bool" then return math.random() < 0.8 end
  if t.kind == "int" then return math.random(-100, 100) end
  if t.kind == "uint" then return math.random(0, 200) end
  if t.kind == "complex" then return t.ctype(math.random() * 2 - 1, math.random() * 2 - 1) end
  local special = odds and math.random(odds)
  if special == 1 then return 0 / 0 elseif special == 2 then return -0.0 elseif special == 3 then return 0 end
  if special == 4 then return 1 / 0 end
  return math.random() * 3 - 1.5
end

---An array of such values on the device.
function M.random(shape, t, odds)
  t = dtype(t)
  local h = ndarray.empty(shape, t)
  local flat = h:reshape(-1)
  for i = 1, h.size do flat[i] = M.random_value(t, odds) end
  return gpuarray.to_gpu(h)
end

---The elements of an array on the device, in C order.
function M.flat(a)
  local h = a:get({ array = true }):copy()
  return h:reshape { h.size }:tolist()
end

---Their texts, which tell all bits.
function M.texts(a)
  local out = {}
  for i, x in ipairs(M.flat(a)) do out[i] = text(x) end
  return out
end

---Their bytes.
function M.bytes(a)
  local h = a:get({ array = true }):copy()
  return ffi.string(h:data(), h.nbytes)
end

return M
