-- The CUDA C of kernels that work in tiles (tile.lua), for the template of that name in kernels/array/elementwise.cu.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local template = require "cudalua.gpuarray.kernel.template"
local tile = require "cudalua.gpuarray.kernel.tile"

local concat, ceil = table.concat, math.ceil

local M = {}

-- Where the elements of an operand are: adds the parameters, and the place of a tile's first coordinates on the axes
-- that it has one of; returns the place of the element at (a, b).
local function place(params, bases, ending, axes, operand, token)
  local rank, integer, label, terms, at = axes.rank, axes.integer, ("t%d"):format(operand), {}, {}
  local fast = token.tiled and ending.axis or rank
  for axis = 1, rank do
    local step = axis == fast and token.step or nil
    if not step then add(params, "const %s %s_%d", integer, label, axis) end
    if step ~= 0 then
      local in_tile = axis == rank or axis == ending.axis
      add(in_tile and at or terms, address.term(axes, axis, label, step))
    end
  end
  if #terms > 0 then
    add(bases, "  const %s f%d = %s;", integer, operand, concat(terms, " + "))
    table.insert(at, 1, ("f%d"):format(operand))
  end
  return "(" .. (#at > 0 and concat(at, " + ") or "0") .. ")"
end

---@param p cudalua.gpuarray.Program
---@return table fields  of the template
---@return table packs   of codegen.lua
function M.fields(p)
  local ending = p.ending[1]
  local pack = ending.pack
  local packs = codegen.parts.packs_of(pack)
  local words, columns = ending.along / pack, ending.across / pack
  local pitch = tile.pitch(ending)
  local reads, squares = ceil(ending.across * words / 256), ceil(columns * words / 256)

  local extra, coordinates, bases, places = {}, {}, {}, {}
  local axes = address.tile(extra, coordinates, address.axes(ending.rank, ending.wide), ending)
  places[1] = place(extra, bases, ending, axes, 1, p.ending[2])

  local function row_of(at) return pack == 1 and at or (at:gsub("%)b%f[^%w_]", ")(b + v)")) end
  local shared, declared, loads, stores, values, direct = {}, {}, {}, {}, {}, {}
  local copies, direct_values = {}, {}
  local names, edge_names, operand = {}, {}, 1
  for i, leaf in ipairs(p.leaves) do
    local first, token = 1, p.ending[2]
    if leaf.class == "strided" then
      operand = operand + 1
      first, token = codegen.parts.step_of(p, operand)
      if first == operand then places[first] = place(extra, bases, ending, axes, first, token) end
    end
    local at, pointer = places[first], ("p%d"):format(i)
    if leaf.class == "one" then
      names[i] = ""
    elseif token.tiled then
      local t = packs:type(leaf.dtype)
      add(shared, "  __shared__ %s tile%d[%d];", t, i, ending.across * pitch)
      add(declared, "    %s y%d[%d];", t, i, reads)
      add(loads, "        y%d[k] = %s;", i, packs:at(leaf.dtype, pointer, at))
      add(stores, "        tile%d[at] = y%d[k];", i, i)
      add(copies, "        tile%d[at] = %s;", i, packs:at(leaf.dtype, pointer, at))
      if pack == 1 then
        add(values, "        const %s z%d = tile%d[x * %d + y];", t, i, i, pitch)
        names[i] = "z" .. i
      else
        add(values, "        %s z%d[%d];", t, i, pack)
        add(values, "#pragma unroll\n        for (int w = 0; w < %d; w++)", pack)
        add(values, "          z%d[w] = tile%d[(w * %d + x) * %d + y];", i, i, columns, pitch)
        names[i] = packs:element(("z%d[w]"):format(i), "v")
      end
    else
      local single = pack == 1 or token.step == 0
      local t = single and ctype.memory(leaf.dtype) or packs:type(leaf.dtype)
      local number = pack == 1 and "k" or ("k * %d + v"):format(pack)
      at = row_of(at)
      add(declared, "    %s x%d[%d];", t, i, squares * pack)
      local element = single and pointer .. "[" .. at .. "]" or packs:at(leaf.dtype, pointer, at)
      add(direct, "          x%d[%s] = %s;", i, number, element)
      add(direct_values, "          const %s x%d = %s;", t, i, element)
      edge_names[i] = ("x%d%s"):format(i, single and "" or ".e[w]")
      names[i] = ("x%d[%s]%s"):format(i, number, single and "" or ".e[w]")
    end
  end

  local results, stored = packs:results(codegen.parts.results_of(p), "          ", row_of(places[1]))
  local function loop(letter, indent)
    if pack == 1 then return "" end
    return ("#pragma unroll\n%sfor (int %s = 0; %s < %d; %s++)"):format(indent, letter, letter, pack, letter)
  end
  local body = { pack = pack, index = axes.index, words = words, columns = columns, pitch = pitch, reads = reads,
    squares = squares, times = pack == 1 and "" or " * " .. pack,
    row = pack == 1 and "y" or ("(y %% %d * %d + y / %d)"):format(pack, columns, pack),
    each_row = loop("v", "        "), each = loop("w", "          "), declared = concat(declared, "\n"),
    tile_loads = concat(loads, "\n"), tile_stores = concat(stores, "\n"),
    direct_loads = concat(direct, "\n"),
    tile_values = concat(values, "\n"), results = results, stores = stored, tile_copies = concat(copies, "\n"),
    direct_values = concat(direct_values, "\n"), across = ending.across, along = ending.along }
  local function evaluate(edge)
    body.evaluate = codegen.parts.evaluation(p, function(i) return edge and edge_names[i] or names[i] end,
      function(r) return packs:element(r.name, "w") end)
  end
  -- The k-th of a thread's packs, in rows of `width`: a power of 2, so that all of them but the first are a number
  -- further that the compiler knows.
  local function numbers(width)
    return ("const unsigned x = threadIdx.x %% %d + k * 256 %% %d, y = threadIdx.x / %d + k * 256 / %d;"):format(width,
      width, width, width)
  end
  body.square, body.read = numbers(columns), numbers(words)
  -- Tiles of less than 256 threads' work, and those over an edge.
  local function condition(elements, inside)
    local bound = elements % 256 > 0 and ("threadIdx.x + k * 256 < %d"):format(elements)
    if bound and inside then bound = bound .. " && " .. inside end
    bound = bound or inside
    return bound and ("if (%s) "):format(bound) or ""
  end
  local function fill(part, inside)
    body.if_read, body.if_square = condition(ending.across * words, inside), condition(columns * words, inside)
    body.if_stored = condition(ending.across * words)
    body.direct = #direct > 0 and template.fill("elementwise", "tile_direct", body):gsub("\n+$", "") or ""
    return (template.fill("elementwise", part, body):gsub("\n+$", ""))
  end
  evaluate(false)
  local text
  if ending.thin then
    text = fill("tile", "a < across && b < along")
  else
    body.whole = fill("tile", nil)
    evaluate(true)
    text = fill("tile_edges", "a < across && b < along")
  end
  return { elements = 0, across = ending.across, along = ending.along, params = codegen.parts.params_of(p, extra),
    shared = concat(shared, "\n"), coordinates = concat(coordinates, "\n"), bases = concat(bases, "\n"), body = text },
    packs
end

return M
