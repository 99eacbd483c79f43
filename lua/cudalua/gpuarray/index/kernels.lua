-- The kernels of index.cu: their sources, one for each size of elements, rank and type of positions; and arguments.

local ctype = require "cudalua.gpuarray.kernel.ctype"
local errors = require "cudalua.base.errors"
local loops = require "cudalua.gpuarray.index.loop"
local template = require "cudalua.gpuarray.kernel.template"
local pairs_of = require "cudalua.base.pairs_of"

local concat = table.concat
local MAX_PARAMS = 4000 -- bytes; a kernel's parameters may take 4096

local M = {}

local kernels = {} -- by key

---A kernel, made when it is first requested.
---@param key string
---@param make fun(): string, string, table?  its name, its source, and the pieces of prelude.lua that it needs
---@param exact? boolean  gpuarray.fast_math does not change it
---@return table
function M.get(key, make, exact)
  local k = kernels[key]
  if not k then
    local name, source, pieces = make()
    k = { name = name, pieces = pieces or {}, device = "", kernel = source, loaded = {}, exact = exact or false }
    kernels[key] = k
  end
  return k
end

---A kernel that is not generated: a part of index.cu as it stands, or with other parts before it.
---@param name string
---@param part string
---@param ... string  texts to stand before it
---@return table
function M.fixed(name, part, ...)
  local before = { ... }
  return M.get(name .. concat(before), function()
    return name, concat(before) .. template.fill("index", part, {})
  end)
end

local units = { { 16, "ulonglong2" }, { 8, "unsigned long long" }, { 4, "unsigned" }, { 2, "unsigned short" } }

---The declaration of elements of some bytes.
---@param itemsize integer
---@return string
function M.item(itemsize)
  local unit, bytes = "unsigned char", 1
  for _, u in ipairs(units) do
    if itemsize % u[1] == 0 then
      bytes, unit = u[1], u[2]
      break
    end
  end
  return template.fill("index", "item", { unit = unit, count = itemsize / bytes })
end

-- ---- kernels with a loop and positions ------------------------------------------------------------------------------

-- A position as a long long. What is beyond those of uint64 is not a position, or goes round.
local function value_of(group, g, mode, place)
  local x = ("x%d[%s]"):format(g, place)
  if group.leaf.dtype.name ~= "uint64" then return x end
  if mode == "wrap" then return ("(long long)(%s %% n%d) + n%d"):format(x, g, g) end
  return ("(long long)min(%s, 0x7fffffffffffffffull)"):format(x)
end

-- From a position to its part of `at`: along each of the axes that it counts on, joined.
local function walk(lines, group, g, loop)
  local depth = #group.extents
  if depth == 0 then return end
  local rest = ("v%d"):format(g)
  for axis = depth, 2, -1 do
    local r = ("r%d_%d"):format(g, axis)
    lines[#lines + 1] = ("const %s %s = (%s)%s / w%d_%d;"):format(loop.index, r, loop.index, rest, g, axis)
    lines[#lines + 1] = ("at += (%s)((%s)%s - %s * w%d_%d) * t%d_%d;"):format(loop.integer, loop.index, rest, r, g,
      axis, g, axis)
    rest = r
  end
  lines[#lines + 1] = ("at += (%s)%s * t%d_1;"):format(loop.integer, rest, g)
end

---The key of a kernel with these positions.
---@param part string
---@param loop cudalua.gpuarray.Loop
---@param groups table[]
---@param mode string
---@param more? string
---@return string
function M.key(part, loop, groups, mode, more)
  local list = { part, loops.key(loop), mode, more or "" }
  for _, group in ipairs(groups) do list[#list + 1] = group.leaf.dtype.name .. #group.extents end
  return concat(list, " ")
end

---A part of index.cu for these positions. Of the loop's operands the first is the array that the positions are in, and
---then come the arrays of positions.
---@param part string
---@param loop cudalua.gpuarray.Loop
---@param groups table[]
---@param mode "raise"|"wrap"|"clip"
---@param options {itemsize: integer?, report: boolean?, fields: table?, params: string?}  report: to bad
---@return string name
---@return string source
function M.source(part, loop, groups, mode, options)
  local params, lines, declared, report = { options.params or "" }, {}, {}, {}
  for g, group in ipairs(groups) do
    params[#params + 1] = (", const %s *x%d, const long long n%d"):format(ctype.memory(group.leaf.dtype), g, g)
    for axis = 1, #group.extents do
      if axis > 1 then params[#params + 1] = (", const %s w%d_%d"):format(loop.index, g, axis) end
      params[#params + 1] = (", const %s t%d_%d"):format(loop.integer, g, axis)
    end
    lines[#lines + 1] = ("const long long v%d = position(%s, n%d);"):format(g,
      value_of(group, g, mode, loops.place(loop, g + 1)), g)
    if mode == "raise" then
      lines[#lines + 1] = ("if ((unsigned long long)v%d >= n%d) {"):format(g, g)
      if part ~= "check" then lines[#lines + 1] = "  there = false;" end
      if options.report then
        lines[#lines + 1] = ("  bad%d = min(bad%d, (unsigned long long)i);"):format(g, g)
        declared[g] = ("  unsigned long long bad%d = ~0ull;"):format(g)
        report[g] = ("  if (bad%d != ~0ull) atomicMin(bad + %d, bad%d);"):format(g, g - 1, g)
      end
      lines[#lines + 1] = "}"
    end
    walk(lines, group, g, loop)
  end
  params[#params + 1] = loops.params(loop)
  local name = "array_" .. part
  local fields = { name = name, index = loop.index, integer = loop.integer, params = concat(params),
    coordinates = loops.coordinates(loop), base = loops.place(loop, 1), declared = concat(declared, "\n"),
    positions = "      " .. concat(lines, "\n      "), report = concat(report, "\n") }
  for key, value in pairs_of(options.fields or {}) do fields[key] = value end
  return name, (options.itemsize and M.item(options.itemsize) or "") .. template.fill("index", mode, {}) ..
    template.fill("index", part, fields)
end

---Appends the arguments for positions and loop.
---@param what string
---@param list any[]
---@param loop cudalua.gpuarray.Loop
---@param groups table[]
function M.arguments(what, list, loop, groups)
  for _, group in ipairs(groups) do
    local n = #list
    list[n + 1], list[n + 2], list[n + 3] = group.leaf.buf, group.leaf.off, group.extent
    n = n + 3
    for axis = 1, #group.extents do
      if axis > 1 then
        list[n + 1] = group.extents[axis]
        n = n + 1
      end
      n = n + 1
      list[n] = group.strides[axis]
    end
  end
  loops.arguments(loop, list)
  if #list * 8 > MAX_PARAMS then
    errors.raise("LogicError", what .. ": too many axes for one kernel")
  end
end

return M
