-- The CUDA C of kernels that go along rows (rows.lua), and of those that read and write elements of less than 4 bytes
-- in words that begin anywhere: for the templates of kernels/array/elementwise.cu.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local template = require "cudalua.gpuarray.kernel.template"
local pairs_of = require "cudalua.base.pairs_of"

local concat = table.concat
local parts = codegen.parts

local M = {}

-- Pointers to where a row begins in each array; `offsets[i]` is how far that is, or nil, `single[i]`: all elements of
-- the row are the same one, which is read here.
local function add_bases(p, lines, offsets, single)
  for _, r in ipairs(parts.results_of(p)) do
    add(lines, "  %s *const %s = %s%s;", ctype.memory(r.dtype), r.out:gsub("out", "o"), r.out,
      offsets.out and " + " .. offsets.out or "")
  end
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      local t, from = ctype.memory(leaf.dtype), offsets[i] and " + " .. offsets[i] or ""
      if single[i] then
        add(lines, "  const %s x%d = p%d[%s];", t, i, i, offsets[i] or "0")
      else
        add(lines, "  const %s *const b%d = p%d%s;", t, i, i, from)
      end
    end
  end
end

-- The results of a program, as they are reached from the row's beginning.
local function in_row(p)
  local list = {}
  for k, r in ipairs(parts.results_of(p)) do
    list[k] = { dtype = r.dtype, name = r.name, out = r.out:gsub("out", "o") }
  end
  return list
end

-- All chunks of a thread, and as many as there are.
local function add_chunks(fields, declared, loads)
  fields.declared, fields.loads = concat(declared, "\n"), concat(loads, "\n")
  fields.last = (fields.chunks - 1) * fields.threads
  for key, guard in pairs_of { whole = "", partial = ("if (k * %d < left) "):format(fields.threads) } do
    fields.guard = guard
    fields[key] = template.fill("elementwise", "row_chunks", fields):gsub("\n+$", "")
  end
end

local function evaluation(p, packs, single)
  return parts.evaluation(p, function(i)
    return single[i] and "x" .. i or packs:element(("x%d[k]"):format(i), "w")
  end, function(r) return packs:element(r.name, "w") end)
end

-- A row in packs. Places are a pointer to a thread's first element, and numbers from there that the compiler knows.
local function packs_body(p, fields, packs, single, steps)
  local declared, loads = {}, {}
  local function at(pointer, step)
    if step == 1 then
      local times = packs.size > 1 and " * " .. packs.size or ""
      return ("(%s + j%s)"):format(pointer, times), ("k * %d"):format(fields.threads * packs.size)
    end
    return ("(%s + (%s)j * %s)"):format(pointer, fields.integer, step), ("k * %d * %s"):format(fields.threads, step)
  end
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" and not single[i] then
      add(declared, "    %s x%d[%d];", packs:type(leaf.dtype), i, fields.chunks)
      add(loads, "        x%d[k] = %s;", i, packs:at(leaf.dtype, at("b" .. i, steps[i])))
    end
  end
  local results, place = in_row(p), nil
  for _, r in ipairs(results) do r.out, place = at(r.out, steps.out) end
  fields.results, fields.stores = packs:results(results, "        ", place)
  fields.evaluate = evaluation(p, packs, single)
  add_chunks(fields, declared, loads)
  return template.fill("elementwise", "row_packs", fields)
end

-- A row in words.
local function words_body(p, fields, packs, single)
  local declared, loads, size = {}, {}, packs.size
  local at = ("first + k * %d"):format(fields.threads * size)
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" and not single[i] then
      local t = packs:type(leaf.dtype)
      add(declared, "    %s x%d[%d];", t, i, fields.chunks)
      if leaf.dtype.itemsize * size == 4 then
        add(loads, "        x%d[k] = word_at<%s>(b%d + %s);", i, t, i, at)
      else
        add(loads, "#pragma unroll\n        for (int w = 0; w < %d; w++) x%d[k].e[w] = b%d[%s + w];", size, i, i, at)
      end
    end
  end
  local results = in_row(p)
  fields.first = results[1].out
  fields.results, fields.stores = packs:results(results, "        ", at)
  fields.evaluate = evaluation(p, packs, single)
  fields.evaluate_one = parts.evaluation(p, function(i) return single[i] and "x" .. i or ("b%d[i]"):format(i) end,
    function(r) return r.out:gsub("out", "o") .. "[i]" end)
  add_chunks(fields, declared, loads)
  packs.helper = template.fill("elementwise", "word", {})
  return template.fill("elementwise", "row_words", fields)
end

---Elements one after another, in words.
---@param p cudalua.gpuarray.Program
---@param chunks integer
---@param size integer  elements of a word
---@return table fields  of the template
---@return table packs   of codegen.lua
function M.words(p, chunks, size)
  local packs, bases = parts.packs_of(size), {}
  add_bases(p, bases, {}, {})
  local fields = { pack = size, chunks = chunks, threads = codegen.BLOCK, index = "unsigned long long",
    elements = chunks * size, params = parts.params_of(p, {}), bases = concat(bases, "\n") }
  fields.body = words_body(p, fields, packs, {}):gsub("\n+$", "")
  return fields, packs
end

---Rows, in packs or in words.
---@param p cudalua.gpuarray.Program
---@return table fields
---@return table packs
function M.rows(p)
  local ending = p.ending[1]
  local rank, chunks, threads = ending.rank, ending.chunks, ending.threads
  local axes = address.axes(rank - 1, ending.wide) -- of the rows
  local index, integer = axes.index, axes.integer
  local packs = parts.packs_of(ending.pack)
  local extra, coordinates, bases, lines = {}, {}, {}, {}
  local offsets, single, steps = {}, {}, {}
  add(extra, "const unsigned parts, const unsigned parts_m, const unsigned parts_h")
  add(extra, "const %s rows, const %s inner", index, index)
  address.extents(extra, axes)
  -- How far a row of an operand is from its array's beginning, and how its elements step.
  local function place(operand, token)
    local label = "t" .. operand
    if rank > 1 then add(lines, "  const %s f%d = %s;", integer, operand, address.place(extra, axes, label)) end
    local step = token.step
    if not step then
      step = ("%s_%d"):format(label, rank)
      add(extra, "const %s %s", integer, step)
    end
    return rank > 1 and "f" .. operand or nil, step
  end
  local known = { { place(1, p.ending[2]) } }
  offsets.out, steps.out = known[1][1], known[1][2]
  local operand = 1
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      local first = 1
      if leaf.class == "strided" then
        operand = operand + 1
        local token
        first, token = parts.step_of(p, operand)
        if first == operand then known[first] = { place(first, token) } end
      end
      offsets[i], steps[i] = known[first][1], known[first][2]
      single[i] = steps[i] == 0
    end
  end
  if #lines > 0 then address.coordinates(coordinates, "  ", "row", axes) end
  add_bases(p, bases, offsets, single)
  local fields = { elements = 0, pack = packs.size, chunks = chunks, threads = threads, rows = codegen.BLOCK / threads,
    per_part = threads * chunks, index = index, integer = integer, coordinates = concat(coordinates, "\n") }
  local body = ending.class == "words" and words_body(p, fields, packs, single) or
    packs_body(p, fields, packs, single, steps)
  fields.body = body:gsub("\n+$", "")
  fields.bases = concat(lines, "\n") .. (#lines > 0 and "\n" or "") .. concat(bases, "\n")
  fields.params = parts.params_of(p, extra)
  return fields, packs
end

return M
