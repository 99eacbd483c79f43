-- Random products and linear layers, computed by own kernels and by a vendor's library, and compared. Failures are
-- texts that say the case and where the two differ, so that one run tells everything.
local cuda = require "cudalua"
local gpuarray, linalg = cuda.gpuarray, require "cudalua.linalg"

local M = {}

-- Half of the distance from 1 to the next number of a type's parts.
local rounding = { float16 = 2 ^ -11, bfloat16 = 2 ^ -8, float32 = 2 ^ -24, float64 = 2 ^ -53, complex64 = 2 ^ -23,
  complex128 = 2 ^ -52, int32 = 0 }

---Calls f() with a backend.
function M.with(backend, f)
  local before = linalg.backend()
  linalg.backend(backend)
  local ok, result = pcall(f)
  linalg.backend(before)
  if not ok then error(result, 0) end
  return result
end

-- ---- operands -------------------------------------------------------------------------------------------------------

local function numbers(rng, shape, dtype)
  if dtype == "int8" then return rng:integers(shape, -128, 128, "int32"):astype "int8" end
  local wide = (dtype == "float64" or dtype == "complex128") and "float64" or "float32"
  local re = rng:normal(shape, 0, 1, wide)
  if dtype:find "complex" then return re + rng:normal(shape, 0, 1, wide) * M.i(dtype) end
  return re:astype(dtype)
end

---The imaginary unit as a 0-d array.
function M.i(dtype) return gpuarray.to_gpu({ -1 }, dtype):sqrt():reshape {} end

local function appended(batch, ...)
  local shape = { unpack(batch) }
  for _, n in ipairs { ... } do shape[#shape + 1] = n end
  return shape
end

-- How a matrix of r x c lies in memory. `batch` stands before it.
local forms = {
  rows = function(rng, batch, r, c, t) return numbers(rng, appended(batch, r, c), t):eval() end,
  columns = function(rng, batch, r, c, t) return numbers(rng, appended(batch, c, r), t):eval():swapaxes(-1, -2) end,
  wide = function(rng, batch, r, c, t)
    local x, index = numbers(rng, appended(batch, r, c + 5), t):eval(), {}
    for axis = 1, #batch + 1 do index[axis] = {} end
    index[#index + 1] = { 3, c + 2 }
    return x[index]
  end,
  wide_columns = function(rng, batch, r, c, t)
    local x, index = numbers(rng, appended(batch, c, r + 3), t):eval(), {}
    for axis = 1, #batch + 1 do index[axis] = {} end
    index[#index + 1] = { 2, r + 1 }
    return x[index]:swapaxes(-1, -2)
  end,
  apart = function(rng, batch, r, c, t)
    local x, index = numbers(rng, appended(batch, r, 2 * c), t):eval(), {}
    for axis = 1, #batch + 1 do index[axis] = {} end
    index[#index + 1] = { 1, 2 * c, 2 }
    return x[index]
  end,
  back = function(rng, batch, r, c, t) return gpuarray.flip(numbers(rng, appended(batch, r, c), t):eval(), -2) end,
  turned = function(rng, batch, r, c, t) -- the first two axes of the batch lie the other way round
    if #batch < 2 then return numbers(rng, appended(batch, r, c), t):eval() end
    local other = { batch[2], batch[1], unpack(batch, 3) }
    return numbers(rng, appended(other, r, c), t):eval():swapaxes(1, 2)
  end,
}
local form_names = { "rows", "columns", "wide", "wide_columns", "apart", "back", "turned" }

local batches = { { {}, {} }, { {}, {} }, { {}, {} }, { { 3 }, { 3 } }, { { 2, 3 }, { 2, 3 } }, { { 2, 1 }, { 1, 3 } },
  { {}, { 3 } }, { { 4 }, {} }, { { 1 }, { 3 } }, { { 18, 2 }, { 18, 2 } }, { { 3, 2, 2 }, { 2, 2 } } }

-- ---- cases ----------------------------------------------------------------------------------------------------------

local function text_of(x) return ("%s {%s}"):format(tostring(x.dtype), table.concat(x.shape, ", ")) end

---A random product.
---@param pick fun(n: integer): integer  a random number from 1 to n
---@param rng cudalua.random.Generator
---@param dtype string
---@param extents integer[]  to choose from
---@return table case  text; f(): the product; bound(): how far two may be apart
function M.product(pick, rng, dtype, extents)
  local m, n, k = extents[pick(#extents)], extents[pick(#extents)], extents[pick(#extents)]
  local pair, fa, fb = batches[pick(#batches)], form_names[pick(#form_names)], form_names[pick(#form_names)]
  local a, b = forms[fa](rng, pair[1], m, k, dtype), forms[fb](rng, pair[2], k, n, dtype)
  if pick(8) == 1 and #pair[1] == 0 then
    a = a[{ 1, {} }]
  elseif pick(8) == 1 and #pair[2] == 0 then
    b = b[{ {}, 1 }]
  end
  local factors = dtype ~= "int8" and pick(4) == 1
  local alpha, beta = factors and 2 or 1, factors and -0.5 or 0
  local c = factors and numbers(rng, { b.ndim > 1 and n or 1 }, dtype)
  local unrounded = (dtype == "float16" or dtype == "bfloat16") and not factors and pick(4) == 1 and "float32" or nil
  return {
    text = ("%s %s by %s %s%s%s"):format(fa, text_of(a), fb, text_of(b), factors and ", addmm" or "",
      unrounded and ", to float32" or ""),
    terms = k, dtype = dtype, result = unrounded or dtype == "int8" and "int32" or dtype,
    f = function()
      if a.ndim == 1 and b.ndim == 1 then return a:reshape(1, -1):matmul(b) end
      if factors then return gpuarray.addmm(c, a, b, { alpha = alpha, beta = beta }) end
      return gpuarray.matmul(a, b, { dtype = unrounded })
    end,
    size = function()
      local x, y = M.sizes(a), M.sizes(b)
      if a.ndim == 1 and b.ndim == 1 then x = x:reshape(1, -1) end
      local sum = x:matmul(y) * alpha
      return factors and sum + M.sizes(c) or sum
    end,
  }
end

---The sizes of elements, in float64.
function M.sizes(x)
  if x.dtype.kind == "complex" then return x:real():astype "float64":abs() + x:imag():astype "float64":abs() end
  return x:astype "float64":abs()
end

---A random linear layer.
---@param pick fun(n: integer): integer
---@param rng cudalua.random.Generator
---@param dtype string
---@param extents integer[]
---@return table case
function M.linear(pick, rng, dtype, extents)
  local m, n, k = extents[pick(#extents)], extents[pick(#extents)], extents[pick(#extents)]
  local fx, fw, batch = form_names[pick(#form_names)], form_names[pick(#form_names)], pick(3) == 1 and { 2, 3 } or {}
  local x, w = forms[fx](rng, batch, m, k, dtype), forms[fw](rng, {}, n, k, dtype)
  local bias = pick(3) > 1 and numbers(rng, { n }, dtype):eval() or nil
  local activation = ({ "relu", "gelu", false })[pick(3)] or nil
  return {
    text = ("linear: %s %s by %s %s%s, %s"):format(fx, text_of(x), fw, text_of(w), bias and ", bias" or "",
      activation or "no activation"),
    terms = k, dtype = dtype, result = dtype,
    f = function() return linalg.linear(x, w, { bias = bias, activation = activation }) end,
    size = function()
      local sum = M.sizes(x):matmul(M.sizes(w):transpose())
      if bias then sum = sum + M.sizes(bias) end
      return sum * 2 -- gelu's slope is up to 1.13
    end,
    slack = activation == "gelu" and 2 ^ -10 or 0, -- of the vendor's tanh
  }
end

-- ---- comparing ------------------------------------------------------------------------------------------------------

local function difference(x, y)
  if x.dtype.kind == "complex" then return M.sizes(x - y) end
  return (x:astype "float64" - y:astype "float64"):abs()
end

---How far two results of a case may be apart: each sum's rounding errors, and that of the result.
---@param case table
---@param sum? number  rounding of a term; default: the accumulator's
function M.bound(case, sum)
  local accumulator = (case.dtype == "float16" or case.dtype == "bfloat16") and 2 ^ -24 or rounding[case.dtype] or 0
  local size = M.with("own", case.size)
  return size * (2 * (sum or accumulator) * (case.terms + 8) + 2 * rounding[case.result] + (case.slack or 0))
end

---Does a backend compute what own kernels do?
---@param case table
---@param backend string
---@param sum? number  as of bound
---@return string? failure
function M.compare(case, backend, sum)
  local own = M.with("own", case.f)
  local ok, other = pcall(M.with, backend, function() return case.f():eval() end)
  if not ok then return ("%s: raised %s"):format(case.text, tostring(other)) end
  if tostring(own.dtype) ~= tostring(other.dtype) or table.concat(own.shape, " ") ~= table.concat(other.shape, " ") then
    return ("%s: %s in place of %s"):format(case.text, text_of(other), text_of(own))
  end
  if own.size == 0 then return nil end
  local apart, bound = difference(own, other), M.bound(case, sum):reshape(own.shape)
  local excess = (apart - bound):ravel()
  local bad = apart:le(bound):logical_not():ravel() -- NaN is bad, too
  local count = bad:astype("int64"):sum():item()
  if count == 0 then return nil end
  local at = bad:astype("int32"):argmax():item()
  local values = { own:ravel():astype(own.dtype)[at], other:ravel()[at] }
  local form = "%s: %.0f of %.0f differ; element %.0f is %s in place of %s, apart %.3g, allowed %.3g; most over by %.3g"
  return form:format(case.text, count, own.size, at, tostring(values[2]), tostring(values[1]), apart:ravel()[at],
    bound:ravel()[at], excess:max():item())
end

---Compares so many random products or, with `make`, other cases, and raises one error that lists all failures.
---@param seed integer
---@param dtype string
---@param count integer
---@param extents integer[]
---@param backend string
---@param sum? number
---@param except? fun(failure: string): boolean  failures that are none
---@param make? function  default: M.product
function M.sweep(seed, dtype, count, extents, backend, sum, except, make)
  local rng, state = cuda.random.Generator(seed), seed
  local function pick(n) -- Park and Miller's generator: the same cases everywhere
    state = state * 16807 % 2147483647
    return state % n + 1
  end
  local failures = {}
  for k = 1, count do
    local case = (make or M.product)(pick, rng, dtype, extents)
    local failure = M.compare(case, backend, sum)
    if failure and not (except and except(failure)) then
      failures[#failures + 1] = ("case %d of seed %d, %s"):format(k, seed, failure)
    end
  end
  if #failures > 0 then
    error(("%d of %d cases failed:\n%s"):format(#failures, count, table.concat(failures, "\n", 1,
      math.min(#failures, 12))), 0)
  end
end

return M
