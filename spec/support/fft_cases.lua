-- Random transforms, computed by own kernels and by a vendor's library, and compared. Failures are texts that say the
-- case, so that one run tells everything.
local cuda = require "cudalua"
local gpuarray, fft = cuda.gpuarray, cuda.fft
local vendor = require "spec.support.vendor_cases"

local M = {}

local shapes = { { 0 }, { 0, 3 }, { 3, 0 }, { 2, 0, 5 }, { 20, 0, 17 }, { 2, 0, 40 }, { 1, 0, 1 }, { 2, 3, 0 },
  { 0, 2, 2, 3 }, { 17, 0, 1 } } -- 0: a length
local norms = { "backward", "ortho", "forward" }

local function numbers(rng, shape, dtype)
  local wide = (dtype == "complex128" or dtype == "float64") and "float64" or "float32"
  local re = rng:normal(shape, 0, 1, wide)
  if dtype:find "float" then return re end
  return re + rng:normal(shape, 0, 1, wide) * vendor.i(dtype)
end

local forms = {
  rows = function(rng, shape, t) return numbers(rng, shape, t):eval() end,
  wide = function(rng, shape, t) -- a part of a larger array, from an odd element on
    local larger, index = {}, {}
    for k, n in ipairs(shape) do larger[k], index[k] = n + 2, { 2, n + 1 } end
    return numbers(rng, larger, t):eval()[index]
  end,
  behind = function(rng, shape, t) -- without gaps, from an odd element on
    local n = 1
    for _, extent in ipairs(shape) do n = n * extent end
    return numbers(rng, { n + 1 }, t):eval()[{ { 2, n + 1 } }]:reshape(shape)
  end,
  turned = function(rng, shape, t) return numbers(rng, shape, t):eval():transpose() end,
  pending = function(rng, shape, t) return numbers(rng, shape, t) * 2 end,
}
local form_names = { "rows", "wide", "behind", "turned", "pending" }

local single = { fft = "complex", ifft = "complex", rfft = "float", irfft = "complex" }
local many = { fft2 = "complex", ifft2 = "complex", fftn = "complex", ifftn = "complex" }
local names = { "fft", "ifft", "rfft", "irfft", "fftn", "ifftn", "fft2", "ifft2" }

-- Some axes of so many, in any order.
local function some_axes(pick, ndim)
  local left, list = {}, {}
  for k = 1, ndim do left[k] = k end
  for k = 1, pick(ndim) do list[k] = table.remove(left, pick(#left)) end
  return list
end

---A random transform.
---@param pick fun(n: integer): integer  a random number from 1 to n
---@param rng cudalua.random.Generator
---@param wide boolean                   complex128, or complex64
---@param lengths integer[]              to choose from
---@return table case  text; f(): the transform; size: elements of one
function M.transform(pick, rng, wide, lengths)
  local function length() return lengths[pick(#lengths)] end
  local name, shape = names[pick(#names)], {}
  for k, n in ipairs(shapes[pick(#shapes)]) do shape[k] = n == 0 and length() or n end
  if name:find "2" and #shape < 2 then shape = { 3, shape[1] } end
  local kind = single[name] or many[name]
  local t = wide and (kind == "float" and "float64" or "complex128") or kind == "float" and "float32" or "complex64"
  if kind == "complex" and pick(6) == 1 then t = wide and "float64" or "float32" end
  local form = form_names[pick(#form_names)]
  local a, o = forms[form](rng, shape, t), { norm = norms[pick(3)] }
  if single[name] then
    o.axis = pick(a.ndim)
    if pick(2) == 1 or name == "irfft" and a.shape[o.axis] < 2 then o.n = length() end
  else
    if not name:find "2" and pick(3) > 1 then o.axes = some_axes(pick, a.ndim) end
    local count = o.axes and #o.axes or name:find "2" and 2 or a.ndim
    if pick(2) == 1 then
      o.s = {}
      for k = 1, count do o.s[k] = pick(3) == 1 and pick(4) or math.min(length(), 40) end
    end
  end
  local about = ("fft.%s of %s {%s} %s, axis %s, n %s, axes %s, s %s, %s"):format(name, tostring(a.dtype),
    table.concat(a.shape, ", "), form, tostring(o.axis), tostring(o.n), o.axes and table.concat(o.axes, " ") or "nil",
    o.s and table.concat(o.s, " ") or "nil", o.norm)
  return { text = about, f = function() return fft[name](a, o) end, wide = wide, a = a }
end

---Does a backend compute what own kernels do? Each may be wrong by eps (1 + log2 n) in the Euclidean norm.
---@param case table
---@param backend string
---@return string? failure
function M.compare(case, backend)
  local before = case.a:copy()
  local own = vendor.with("own", case.f)
  local ok, other = pcall(vendor.with, backend, function() return case.f():eval() end)
  if not ok then return ("%s: raised %s"):format(case.text, tostring(other)) end
  if own.dtype ~= other.dtype or table.concat(own.shape, " ") ~= table.concat(other.shape, " ") then
    return ("%s: %s {%s} in place of %s {%s}"):format(case.text, tostring(other.dtype),
      table.concat(other.shape, ", "), tostring(own.dtype), table.concat(own.shape, ", "))
  end
  if not before:eq(case.a):all():item() then return case.text .. ": it wrote to its operand" end
  local far, size = gpuarray.norm(own - other):item(), gpuarray.norm(own):item()
  local bound = (case.wide and 2 ^ -52 or 2 ^ -23) * 2 * (2 + math.log(own.size + 2, 2)) * size
  if far <= bound then return nil end
  return ("%s: apart by %.3g, allowed %.3g"):format(case.text, far, bound)
end

---Compares so many random transforms, and raises one error that lists all failures.
---@param seed integer
---@param wide boolean
---@param count integer
---@param lengths integer[]
---@param backend string
function M.sweep(seed, wide, count, lengths, backend)
  local rng, state, failures = cuda.random.Generator(seed), seed, {}
  local function pick(n) -- Park and Miller's generator: the same cases everywhere
    state = state * 16807 % 2147483647
    return state % n + 1
  end
  for k = 1, count do
    local failure = M.compare(M.transform(pick, rng, wide, lengths), backend)
    if failure then failures[#failures + 1] = ("case %d of seed %d, %s"):format(k, seed, failure) end
  end
  if #failures > 0 then
    error(("%d of %d cases failed:\n%s"):format(#failures, count, table.concat(failures, "\n", 1,
      math.min(#failures, 12))), 0)
  end
end

return M
