-- Maps of positions along an axis, and their CUDA C. A map of an axis is a list of links: the first takes a position of
-- the result, each of the others what the one before gives, and the last gives a position of the operand. Links are
-- never changed. A program has their kinds in its text, and their numbers among its arguments.

local address = require "cudalua.gpuarray.kernel.address"
local add = require "cudalua.base.tables".add
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local rows = require "cudalua.gpuarray.kernel.thread_rows"
local template = require "cudalua.gpuarray.kernel.template"

local concat, max = table.concat, math.max

local M = {}

---A link of a map. The numbers that a kernel is called with are in its list part; after the `divisor`-th come the
---multiplier and the shift that divide by it.
---@class cudalua.gpuarray.Link
---@field kind "roll"|"wrap"|"part"|"edge"|"mirror"|"range"
---@field divisor? integer
---@field reach integer    what is added to a position at most
---@field extent integer   positions that it gives are below that; 0: those that it is given, divided
---@field [integer] number

-- ---- links ----------------------------------------------------------------------------------------------------------

---(i + offset) mod extent, for an operand of the result's extent.
---@param offset integer  from 0 to extent - 1
---@param extent integer
---@return cudalua.gpuarray.Link
function M.roll(offset, extent) return { kind = "roll", reach = offset, extent = extent, offset, extent } end

---(i + offset) mod extent, for results of any extent.
---@param offset integer  from 0 to extent - 1
---@param extent integer
---@return cudalua.gpuarray.Link
function M.wrap(offset, extent)
  return { kind = "wrap", divisor = 2, reach = offset, extent = extent, offset, extent }
end

---i divided by times: each element several times in a row.
---@param times integer
---@return cudalua.gpuarray.Link
function M.part(times) return { kind = "part", divisor = 1, reach = 0, extent = 0, times } end

---The nearest position: i - before, at least 0 and at most extent - 1.
---@param before integer
---@param extent integer
---@return cudalua.gpuarray.Link
function M.edge(before, extent) return { kind = "edge", reach = 0, extent = extent, before, extent - 1 } end

---i - before, reflected at both ends as often as necessary.
---@param before integer
---@param extent integer
---@param own integer  1: the elements at the ends occur twice; 0: once, for which the extent is at least 2
---@return cudalua.gpuarray.Link
function M.mirror(before, extent, own)
  local period = 2 * (extent - 1 + own)
  local offset = (period - before % period) % period
  return { kind = "mirror", divisor = 2, reach = offset, extent = max(extent, period), offset, period, extent,
    period - own }
end

---Not a position, but whether before <= i < before + extent. It is the last link of a mask.
---@param before integer
---@param extent integer
---@return cudalua.gpuarray.Link
function M.range(before, extent) return { kind = "range", reach = 0, extent = 2, before, extent } end

---Links, followed by those of the map below: two rolls are one, and so are two parts.
---@param first cudalua.gpuarray.Link[]
---@param second cudalua.gpuarray.Link[]
---@return cudalua.gpuarray.Link[]
function M.join(first, second)
  if #first == 0 then return second end
  if #second == 0 then return first end
  local list, last, next = { unpack(first) }, first[#first], second[1]
  local from = 1
  if last.kind == "roll" and next.kind == "roll" then
    local offset = (last[1] + next[1]) % last[2]
    list[#list] = offset ~= 0 and M.roll(offset, last[2]) or nil
    from = 2
  elseif last.kind == "part" and next.kind == "part" then
    list[#list] = M.part(last[1] * next[1])
    from = 2
  end
  for k = from, #second do list[#list + 1] = second[k] end
  return list
end

---@param a cudalua.gpuarray.Link[]
---@param b cudalua.gpuarray.Link[]
---@return boolean
function M.same(a, b)
  if a == b then return true end
  if #a ~= #b then return false end
  for k = 1, #a do
    if a[k] ~= b[k] then
      if a[k].kind ~= b[k].kind then return false end
      for i = 1, #a[k] do
        if a[k][i] ~= b[k][i] then return false end
      end
    end
  end
  return true
end

---The largest number that comes up on the way.
---@param links cudalua.gpuarray.Link[]
---@param extent integer  of the result's axis
---@return number
function M.reach(links, extent)
  local most = extent
  for _, link in ipairs(links) do
    most = max(most, extent + link.reach, unpack(link))
    if link.extent > 0 then extent = link.extent end
  end
  return most
end

-- ---- CUDA C ---------------------------------------------------------------------------------------------------------

-- The functions of kernels/array/maps.cu that a kernel calls, and those that these call.
local functions = { "part", "wrap", "mirror", "roll", "edge" }

local function text_of(used, axes)
  local text, width = "", axes.wide and "wide_" or "narrow_"
  if used.mirror then used.wrap = true end
  if used.wrap and not axes.wide then used.part = true end
  for _, name in ipairs(functions) do
    if used[name] then
      local part = (name == "roll" or name == "edge") and name or width .. name
      text = text .. template.fill("maps", part, { index = axes.index })
    end
  end
  return text
end

-- A position, mapped; the numbers of the links become parameters.
local function mapped(t, links, value, label)
  local params, axes = t.params, t.axes
  for i, kind in ipairs(links) do
    t.used[kind.kind] = true
    local names = {}
    for k = 1, kind.count do
      names[#names + 1] = ("%s_%d_%d"):format(label, i, k)
      if k == kind.divisor and not axes.wide then
        for _, letter in ipairs { "m", "h" } do names[#names + 1] = ("%s_%d%s"):format(label, i, letter) end
      end
    end
    for _, name in ipairs(names) do add(params, "const %s %s", axes.index, name) end
    value = kind.kind == "range" and ("%s - %s < %s"):format(value, names[1], names[2]) or
      ("map_%s(%s, %s)"):format(kind.kind, value, concat(names, ", "))
  end
  return value
end

local unrolled = "#pragma unroll\n      for (int w = 0; w < %d; w++) "

-- The elements of a mapped array: lines that declare, find and load them. Returns how one of them is named.
local function array(t, leaf, i, operand, token)
  local axes, packs, rank, terms, label = t.axes, t.packs, t.axes.rank, {}, "t" .. operand
  local pointer, last = "p" .. i, axes.names[t.axes.rank]
  address.strides(t.params, axes, label, token.step)
  for axis = 1, rank - 1 do
    local position = mapped(t, token.links[axis], axes.names[axis], ("%s_%d"):format(label, axis))
    add(terms, "(%s)%s * %s_%d", axes.integer, position, label, axis)
  end
  add(t.places, "      const %s at%d = %s;", axes.integer, operand, #terms > 0 and concat(terms, " + ") or "0")
  local at, step = "at" .. operand, token.step and "" or (" * %s_%d"):format(label, rank)
  if token.step == 0 then
    add(t.declared, "  %s x%d[%d];", ctype.memory(leaf.dtype), i, t.chunks)
    add(t.loads, "      x%d[k] = %s[%s];", i, pointer, at)
    return ("x%d[k]"):format(i)
  end
  add(t.declared, "  %s x%d[%d];", packs:type(leaf.dtype), i, t.chunks)
  local element = packs:element(("x%d[k]"):format(i), "w")
  if token.packed then
    local place = packs.size > 1 and (" * %d"):format(packs.size) or ""
    add(t.loads, "      x%d[k] = %s;", i, packs:at(leaf.dtype, pointer, ("%s + (%s)%s%s"):format(at, axes.integer, last,
      place)))
    return element
  end
  local value = packs.size > 1 and ("%s * %d + w"):format(last, packs.size) or last
  local position = mapped(t, token.links[rank], value, ("%s_%d"):format(label, rank))
  add(t.loads, "%s%s = %s[%s + (%s)(%s)%s];", packs.size > 1 and unrolled:format(packs.size) or "      ", element,
    pointer, at, axes.integer, position, step)
  return element
end

-- Whether elements are in a range.
local function mask(t, i, operand, token)
  local axes, packs, rank, terms, label = t.axes, t.packs, t.axes.rank, {}, "t" .. operand
  for axis = 1, rank do
    local links = token.links[axis]
    if #links > 0 then
      local value = axes.names[axis]
      if axis == rank and packs.size > 1 then value = ("%s * %d + w"):format(value, packs.size) end
      terms[#terms + 1] = mapped(t, links, value, ("%s_%d"):format(label, axis))
    end
  end
  add(t.declared, "  unsigned char x%d[%d][%d];", i, t.chunks, packs.size)
  add(t.loads, "%sx%d[k][%s] = %s;", packs.size > 1 and unrolled:format(packs.size) or "      ", i,
    packs.size > 1 and "w" or "0", #terms > 0 and concat(terms, " && ") or "1")
  return ("x%d[k][w]"):format(i)
end

---For shifted_code.lua.
M.parts = { mapped = mapped, array = array, mask = mask, text_of = text_of }

---The fields of a kernel that reads mapped arrays (kernels/array/elementwise.cu).
---@param p cudalua.gpuarray.Program
---@return table fields
---@return table packs
function M.fields(p)
  local parts, ending = codegen.parts, p.ending[1]
  local axes = address.axes(ending.rank, ending.wide)
  local packs = parts.packs_of(ending.pack)
  local t = { axes = axes, packs = packs, params = {}, declared = {}, places = {}, loads = {}, used = {},
    chunks = ending.chunks }
  address.extents(t.params, axes)
  add(t.declared, "  %s at_out[%d];", axes.integer, t.chunks)
  add(t.places, "      at_out[k] = %s;", address.place(t.params, axes, "t_out", p.ending[2].step, packs.size))
  local operand, elements = 1, {}
  for i, leaf in ipairs(p.leaves) do
    if leaf.class == "dense" or leaf.class == "odd" then
      add(t.declared, "  %s x%d[%d];", packs:type(leaf.dtype), i, t.chunks)
      add(t.loads, "      x%d[k] = %s;", i, packs:at(leaf.dtype, "p" .. i, "at_out[k]"))
      elements[i] = packs:element(("x%d[k]"):format(i), "w")
    elseif leaf.class ~= "one" then
      operand = operand + 1
      local token = p.ending[1 + operand]
      elements[i] = leaf.class == "mask" and mask(t, i, operand, token) or array(t, leaf, i, operand, token)
    end
  end
  local found = {}
  address.coordinates(found, "      ", "j", axes, concat(t.places) .. concat(t.loads))
  local results, stores = packs:results(parts.results_of(p), "      ", "at_out[k]")
  packs.helper = text_of(t.used, axes)
  return { elements = t.chunks * packs.size, pack = packs.size, chunks = t.chunks, index = axes.index,
    params = parts.params_of(p, t.params), declared = concat(t.declared, "\n"),
    places = concat(found, "\n") .. "\n" .. concat(t.places, "\n"),
    loads = concat(t.loads, "\n"), results = results, stores = stores,
    evaluate = parts.evaluation(p, function(i) return elements[i] end,
      function(r) return packs:element(r.name, "w") end) }, packs
end

-- ---- how much a thread does -----------------------------------------------------------------------------------------

---Arrays that are read element by element are read in packs of at most so many bytes.
M.BYTES = 4

---How many packs a thread reads before it uses the first.
---@param pack integer
---@param largest integer
---@param sum integer
---@param read integer
---@return integer
function M.chunks(pack, largest, sum, read) return rows.chunks(pack, largest, sum, read, rows.BYTES) end

return M
