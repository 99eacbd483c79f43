-- einsum: sums of products by letters. The text is read to letters for each operand's axes; letters that only one
-- operand has are summed, then pairs are contracted.

local calls = require "cudalua.gpuarray.core.calls"
local call = require "cudalua.gpuarray.reduce.call"
local compute = require "cudalua.gpuarray.product.compute"
local contract = require "cudalua.gpuarray.product.contract"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.gpuarray.product.operands"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local view = require "cudalua.gpuarray.core.view"

local refuse, place_of = layout.refuse, contract.place_of

---@class cudalua.gpuarray
local M = {}

local WHAT = "gpuarray.einsum"

-- ---- the text -------------------------------------------------------------------------------------------------------

local function fail(text, problem, ...) refuse(WHAT, "subscripts '%s': %s", text, problem:format(...)) end

-- The letters of one operand or the result: "ij", "i...j". The axes of an ellipsis are between `before` and `after`.
local function read_letters(text, part)
  local before, after = part, nil
  local at = part:find("...", 1, true)
  if at then before, after = part:sub(1, at - 1), part:sub(at + 3) end
  local bad = (before .. (after or "")):match "[^A-Za-z]"
  if bad then fail(text, "expected letters, commas, -> and at most one ... per operand, got '%s'", bad) end
  return before, after
end

-- The letters of each operand, and those of the result, nil if the text leaves them out.
local function read(text, count)
  local plain = text:gsub("%s", "")
  local left, right = plain:match "^(.-)%->(.*)$"
  left = left or plain
  local parts = {}
  for part in (left .. ","):gmatch "([^,]*)," do parts[#parts + 1] = part end
  if #parts ~= count then
    fail(text, "%d operand%s named, %d %s given", #parts, #parts == 1 and " is" or "s are", count,
      count == 1 and "is" or "are")
  end
  return parts, right
end

-- An operand's letters, one for each axis; those of an ellipsis count from the last: "...1" is its last axis.
local function letters_of(text, k, part, x)
  local before, after = read_letters(text, part)
  local own = #before + #(after or "")
  if own > x._ndim or not after and own < x._ndim then
    fail(text, "'%s' has %d letter%s, but operand %d has the shape %s", part, own, own == 1 and "" or "s", k,
      layout.text(x._shape))
  end
  local list, rest = {}, x._ndim - own
  for letter in before:gmatch "." do list[#list + 1] = letter end
  for i = rest, 1, -1 do list[#list + 1] = "..." .. i end
  for letter in (after or ""):gmatch "." do list[#list + 1] = letter end
  return list, rest
end

-- ---- operands -------------------------------------------------------------------------------------------------------

-- A view in which a letter that comes several times is a diagonal.
local function diagonal(text, x, letters)
  local old, shape, strides, own = nil, {}, {}, {}
  for axis, letter in ipairs(letters) do
    local at = place_of(own, letter)
    old = old or view.strides(x)
    if not at then
      own[#own + 1] = letter
      shape[#own], strides[#own] = x._shape[axis], old[axis]
    else
      if shape[at] ~= x._shape[axis] then
        fail(text, "the axes '%s' of the shape %s differ", letter, layout.text(x._shape))
      end
      strides[at] = strides[at] + old[axis]
    end
  end
  if #own == #letters then return x, letters end
  return view.of(x, 0, shape, strides), own
end

local function is_ellipsis(letter) return letter:byte() == 46 end

-- All letters have one extent; those of an ellipsis broadcast.
local function check_extents(text, list)
  local extents = {}
  for _, x in ipairs(list) do
    for axis, letter in ipairs(x.letters) do
      local extent, known = x.array._shape[axis], extents[letter]
      if known and known ~= extent and not (is_ellipsis(letter) and (known == 1 or extent == 1)) then
        local name = is_ellipsis(letter) and "an axis of '...'" or ("'%s'"):format(letter)
        fail(text, "%s has %.0f and %.0f elements", name, known, extent)
      end
      extents[letter] = (not known or known == 1) and extent or known
    end
  end
  return extents
end

-- The letters of the result: as the text says, or those that come once, behind the axes of an ellipsis.
local function result_letters(text, right, list, most)
  local counts, out = {}, {}
  for _, x in ipairs(list) do
    for _, letter in ipairs(x.letters) do counts[letter] = (counts[letter] or 0) + (x.counts[letter] or 1) end
  end
  local function ellipsis()
    for i = most, 1, -1 do out[#out + 1] = "..." .. i end
  end
  if not right then
    ellipsis()
    local once = {}
    for _, x in ipairs(list) do
      for _, letter in ipairs(x.letters) do
        if not is_ellipsis(letter) and counts[letter] == 1 then once[#once + 1] = letter end
      end
    end
    table.sort(once)
    for _, letter in ipairs(once) do out[#out + 1] = letter end
    return out
  end
  local before, after = read_letters(text, right)
  if most > 0 and not after then fail(text, "an operand has '...', but the result does not") end
  local function add(letters)
    for letter in letters:gmatch "." do
      if not counts[letter] then fail(text, "the result's '%s' does not appear in any operand", letter) end
      if place_of(out, letter) then fail(text, "the result has '%s' twice", letter) end
      out[#out + 1] = letter
    end
  end
  add(before)
  if after then
    ellipsis()
    add(after)
  end
  return out
end

-- ---- contractions ---------------------------------------------------------------------------------------------------

local function set_of(list, set)
  for _, letter in ipairs(list) do set[letter] = true end
  return set
end

-- The letters that others than those two have, or the result.
local function kept_by(list, i, j, out)
  local kept = set_of(out, {})
  for k, x in ipairs(list) do
    if k ~= i and k ~= j then set_of(x.letters, kept) end
  end
  return kept
end

-- Sums over the letters that are in no other operand, and not in the result.
local function summed(list, i, out, result)
  local x, kept, axes, letters = list[i], kept_by(list, i, i, out), {}, {}
  for axis, letter in ipairs(x.letters) do
    if kept[letter] then letters[#letters + 1] = letter else axes[axis] = true end
  end
  if #letters == #x.letters then return end
  list[i] = { letters = letters, array = call.reduce(WHAT, reductions.sum, x.array, axes, false, result) }
end

-- How many elements the contraction of two operands has.
local function size_of(x, y, kept)
  local size = 1
  for axis, letter in ipairs(x.letters) do
    local other = place_of(y.letters, letter)
    if kept[letter] then
      size = size * math.max(x.array._shape[axis], other and y.array._shape[other] or 1)
    end
  end
  for axis, letter in ipairs(y.letters) do
    if not place_of(x.letters, letter) then size = size * y.array._shape[axis] end
  end
  return size
end

-- Contracts the pair whose result has the fewest elements; the first one of several.
local function contract_one(list, out, result)
  local best, first, second
  for i = 1, #list - 1 do
    for j = i + 1, #list do
      local size = size_of(list[i], list[j], kept_by(list, i, j, out))
      if not best or size < best then best, first, second = size, i, j end
    end
  end
  local x, y = list[first], list[second]
  local product = contract.pair(WHAT, x, y, kept_by(list, first, second, out), result)
  list[first] = product
  table.remove(list, second)
end

-- The array with its axes as the result has them.
local function arranged(x, out)
  local order = {}
  for k, letter in ipairs(out) do order[k] = place_of(x.letters, letter) end
  for k = 1, #order do
    if order[k] ~= k then return view.transpose(WHAT, x.array, order) end
  end
  return x.array
end

local known = { dtype = true, out = true, stream = true, allocator = true }

local function read_options(given, n)
  local last = given[n]
  if type(last) == "table" and not object.is_array(last) and type(getmetatable(last)) ~= "string" then
    return errors.options(WHAT, last, known), n - 1
  end
  return {}, last == nil and n - 1 or n
end

local function count_letters(letters)
  local counts = {}
  for _, letter in ipairs(letters) do counts[letter] = (counts[letter] or 0) + 1 end
  return counts
end

-- The result, of operands with their letters.
local function computed(text, arrays, letters, right, most, result, asked)
  local list = {}
  for k, x in ipairs(arrays) do
    local array, own = diagonal(text, x, letters[k])
    list[k] = { array = array, letters = own, counts = count_letters(letters[k]) }
  end
  check_extents(text, list)
  local out = result_letters(text, right, list, most)
  for i = 1, #list do summed(list, i, out, result) end
  while #list > 1 do
    contract_one(list, out, result)
    for i = 1, #list do summed(list, i, out, result) end
  end
  local x = arranged(list[1], out)
  if not list[1].counts then return x end
  return view.copy(asked and graph.as_type(x, asked, WHAT) or x, "C") -- nothing was summed: it is a part of the operand
end

---Sums of products in Einstein notation, as NumPy's einsum: "ij,jk->ik" is the matrix product. A letter that is not in
---the result is summed over. Without "->" the result has the letters that appear once, in alphabetical order. A letter
---that appears twice in an operand selects its diagonal. "..." stands for all other axes, which broadcast. Letters of a
---single operand are summed first; then the two operands whose product has the fewest elements are multiplied, until
---one is left.
---@param subscripts string  the letters of the axes: operands separated by commas, then optionally "->" and the result
---@param ... any  one array for each operand; a last argument {dtype = any, out = cudalua.gpuarray.Array, stream =
---  cudalua.Stream, allocator = function}: as for matmul
---@return cudalua.gpuarray.Array  a new array; sums and products have the types of matmul
---@raise LogicError if the subscripts do not fit the arrays, the dtype is not supported, or out has another shape
function M.einsum(subscripts, ...)
  if type(subscripts) ~= "string" then
    refuse(WHAT, "subscripts must be a string, 'ij,jk->ik', got %s", element.describe(subscripts))
  end
  local given = { ... }
  local o, n = read_options(given, select("#", ...))
  local arrays, letters, most = {}, {}, 0
  local parts, right = read(subscripts, n)
  local common
  for k = 1, n do
    local x = object.check_array(WHAT, given[k], "operand " .. k)
    if x._dtype.kind == "struct" then refuse(WHAT, "%s is a struct, not a number", x._dtype.name) end
    common = common and dtypes.promote(common, x._dtype) or x._dtype
    local own, rest = letters_of(subscripts, k, parts[k], x)
    arrays[k], letters[k], most = x, own, math.max(most, rest)
  end
  local asked = o.dtype ~= nil and dtypes._of(WHAT, o.dtype) or nil
  local _, _, result = operands.types(WHAT, common, common, asked)
  local x = compute.of_one_moment(arrays, computed, subscripts, arrays, letters, right, most, result, asked)
  return o.out ~= nil and functions.deliver(WHAT, x, o.out) or x
end

M.einsum = calls.variadic(WHAT, M.einsum)

return calls.install(M)
