-- CUDA C of the kernels of pictures: types, loads and stores around the parts of kernels/image.

local ctype = require "cudalua.gpuarray.kernel.ctype"
local kernels = require "cudalua.gpuarray.index.kernels"
local pairs_of = require "cudalua.base.pairs_of"
local template = require "cudalua.gpuarray.kernel.template"

local M = {}

M.NARROW = 2 ^ 31 -- what is below it is counted in 32 bits

---What a kernel is made for.
---@class cudalua.image.Form
---@field source cudalua.dtype.DType  elements of the picture
---@field result cudalua.dtype.DType
---@field value cudalua.dtype.DType   what is computed with: float32, float64, complex64 or complex128
---@field index string                C type of numbers of elements: "int" or "long long"
---@field one boolean                 pixels have one channel
---@field parts string[]              of kernels/image, as "pixels edge": what comes behind the types
---@field fields? table               for the parts

---The C type that counts so far, in either direction.
---@param most number
---@return string
function M.index(most) return most < M.NARROW and "int" or "long long" end

---The C type of fractions of two extents.
---@param m integer
---@param n integer
---@return string
function M.wide(m, n) return 2 * (m + 1) * (n + 1) < 2 * M.NARROW and "unsigned" or "unsigned long long" end

-- The value as an integer of the picture's type is the nearest one, ties to even, and NaN is 0.
local function rounded(result)
  return (result.kind == "int" or result.kind == "uint") and "rintf(v)" or "v"
end

local function types(form)
  local source, result, value = form.source, form.result, form.value
  local real = (value.itemsize == 16 or value.name == "float64") and "double" or "float"
  return template.fill("image/pixels", "types", { source = ctype.memory(source), result = ctype.memory(result),
    value = ctype.register(value), real = real, index = form.index, one = form.one and 1 or 0,
    loaded = ctype.register(source), load = ctype.load(source, "x"), to_value = ctype.convert(source, value, "r"),
    rounded = rounded(result), store = ctype.store(result, ctype.convert(value, result, "r")) })
end

local function behind(form)
  local list = { template.fill("image/pixels", "block", {}) }
  for i, part in ipairs(form.parts) do
    local file, name = part:match "^(%S+) (%S+)$"
    list[i + 1] = template.fill("image/" .. file, name, form.fields or {})
  end
  return table.concat(list)
end

-- In a fixed order: fields that make another text.
local function described(fields)
  local list = {}
  for name, value in pairs_of(fields or {}) do list[#list + 1] = ("%s=%s"):format(name, tostring(value)) end
  table.sort(list)
  return table.concat(list, " ")
end

local function pieces_of(form)
  local list = { scalar = true }
  for _, dtype in ipairs { form.source, form.result } do
    for _, piece in ipairs(ctype.pieces(dtype)) do list[piece] = true end
  end
  return list
end

---A kernel that computes.
---@param name string
---@param form cudalua.image.Form
---@return table
function M.kernel(name, form)
  local key = ("image %s %s %s %s %s %s %s %s"):format(name, form.source.name, form.result.name, form.value.name,
    form.index, form.one, table.concat(form.parts, ","), described(form.fields))
  return kernels.get(key, function() return name, types(form) .. behind(form), pieces_of(form) end, true)
end

---A kernel that moves elements of some bytes.
---@param name string
---@param itemsize integer
---@param form {index: string, one: boolean, parts: string[], fields: table?}
---@return table
function M.mover(name, itemsize, form)
  local key = ("image %s %d %s %s %s"):format(name, itemsize, form.index, form.one, described(form.fields))
  return kernels.get(key, function()
    return name, kernels.item(itemsize) ..
      template.fill("image/pixels", "places", { index = form.index, one = form.one and 1 or 0 }) .. behind(form)
  end, true)
end

return M
