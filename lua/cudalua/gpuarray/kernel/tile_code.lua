-- The CUDA C of kernels that work in tiles (tile.lua), for the template of that name in kernels/array/elementwise.cu.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local template = require "cudalua.gpuarray.kernel.template"
local tile = require "cudalua.gpuarray.kernel.tile"

local concat, ceil = table.concat, math.ceil

local M = {}

local THREADS = codegen.BLOCK

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

---A tile's numbers, and the parts of its kernel that follow from the operands: each is a list of lines.
---@class cudalua.gpuarray.TileText
---@field packs table          of codegen.lua
---@field pack integer         elements that are read and written together
---@field across integer       elements along the output's last axis
---@field along integer        and along the other one
---@field columns integer      packs along the output's last axis
---@field words integer        packs along the other one
---@field pitch integer        packs in a row of a tile in shared memory
---@field reads integer        packs that a thread reads of a tile
---@field squares integer      squares of packs that it computes
---@field params string[]      of the kernel
---@field bases string[]       where a tile begins in each operand
---@field shared string[]      tiles in shared memory
---@field declared string[]    what a thread reads before it computes
---@field loads string[]       reads tiles
---@field stores string[]      puts them into shared memory
---@field copies string[]      both at once
---@field values string[]      takes a square's values of the tiles
---@field direct string[]      reads what lies as the output does
---@field direct_values string[]  the same, at the edges
---@field names string[]       of the elements, by leaf
---@field edge_names table<integer, string>  at the edges, where they have others

---@return cudalua.gpuarray.TileText
local function text_of(ending)
  local pack = ending.pack
  local words, columns = ending.along / pack, ending.across / pack
  return { packs = codegen.parts.packs_of(pack), pack = pack, across = ending.across, along = ending.along,
    columns = columns, words = words, pitch = tile.pitch(ending), reads = ceil(ending.across * words / THREADS),
    squares = ceil(columns * words / THREADS), params = {}, bases = {}, shared = {}, declared = {}, loads = {},
    stores = {}, copies = {}, values = {}, direct = {}, direct_values = {}, names = {}, edge_names = {} }
end

-- The place of the element of a square in row v of its packs.
local function in_square(t, at) return t.pack == 1 and at or (at:gsub("%)b%f[^%w_]", ")(b + v)")) end

-- An operand that comes through shared memory.
local function add_tile(t, i, dtype, at)
  local c, pack, element = t.packs:type(dtype), t.pack, t.packs:at(dtype, "p" .. i, at)
  add(t.shared, "  __shared__ %s tile%d[%d];", c, i, t.across * t.pitch)
  add(t.declared, "    %s y%d[%d];", c, i, t.reads)
  add(t.loads, "        y%d[k] = %s;", i, element)
  add(t.stores, "        tile%d[at] = y%d[k];", i, i)
  add(t.copies, "        tile%d[at] = %s;", i, element)
  if pack == 1 then
    add(t.values, "        const %s z%d = tile%d[x * %d + y];", c, i, i, t.pitch)
    t.names[i] = "z" .. i
  else
    add(t.values, "        %s z%d[%d];", c, i, pack)
    add(t.values, "#pragma unroll\n        for (int w = 0; w < %d; w++)", pack)
    add(t.values, "          z%d[w] = tile%d[(w * %d + x) * %d + y];", i, i, t.columns, t.pitch)
    t.names[i] = t.packs:element(("z%d[w]"):format(i), "v")
  end
end

-- One that is read as it lies; `same`: all elements of a pack are the same one.
local function add_direct(t, i, dtype, at, same)
  local single = t.pack == 1 or same
  local c, pointer = single and ctype.memory(dtype) or t.packs:type(dtype), "p" .. i
  local number = t.pack == 1 and "k" or ("k * %d + v"):format(t.pack)
  at = in_square(t, at)
  local element = single and pointer .. "[" .. at .. "]" or t.packs:at(dtype, pointer, at)
  add(t.declared, "    %s x%d[%d];", c, i, t.squares * t.pack)
  add(t.direct, "          x%d[%s] = %s;", i, number, element)
  add(t.direct_values, "          const %s x%d = %s;", c, i, element)
  t.edge_names[i] = ("x%d%s"):format(i, single and "" or ".e[w]")
  t.names[i] = ("x%d[%s]%s"):format(i, number, single and "" or ".e[w]")
end

-- Adds all operands; returns the place of the output's element.
local function add_operands(t, p, axes)
  local ending = p.ending[1]
  local function place_of(operand, token) return place(t.params, t.bases, ending, axes, operand, token) end
  local places, operand = { place_of(1, p.ending[2]) }, 1
  for i, leaf in ipairs(p.leaves) do
    local first, token = 1, p.ending[2]
    if leaf.class == "strided" then
      operand = operand + 1
      first, token = codegen.parts.step_of(p, operand)
      if first == operand then places[first] = place_of(first, token) end
    end
    if leaf.class == "one" then
      t.names[i] = ""
    elseif token.tiled then
      add_tile(t, i, leaf.dtype, places[first])
    else
      add_direct(t, i, leaf.dtype, places[first], token.step == 0)
    end
  end
  return places[1]
end

-- The k-th of a thread's packs, in rows of `width`: a power of 2, so that all of them but the first are a number
-- further that the compiler knows.
local function pack_numbers(width)
  return ("const unsigned x = threadIdx.x %% %d + k * %d %% %d, y = threadIdx.x / %d + k * %d / %d;"):format(width,
    THREADS, width, width, THREADS, width)
end

local function unrolled(t, letter, indent)
  if t.pack == 1 then return "" end
  return ("#pragma unroll\n%sfor (int %s = 0; %s < %d; %s++)"):format(indent, letter, letter, t.pack, letter)
end

-- Of tiles of less than a block's threads' work, and of those over an edge.
local function condition(elements, inside)
  local bound = elements % THREADS > 0 and ("threadIdx.x + k * %d < %d"):format(THREADS, elements)
  if bound and inside then bound = bound .. " && " .. inside end
  bound = bound or inside
  return bound and ("if (%s) "):format(bound) or ""
end

-- The fields of the templates of bodies that all of them have.
local function body_of(t, p, index, out)
  local pack, columns = t.pack, t.columns
  local results, stores = t.packs:results(codegen.parts.results_of(p), "          ", in_square(t, out))
  return { pack = pack, index = index, words = t.words, columns = columns, pitch = t.pitch, reads = t.reads,
    squares = t.squares, across = t.across, along = t.along, times = pack == 1 and "" or " * " .. pack,
    row = pack == 1 and "y" or ("(y %% %d * %d + y / %d)"):format(pack, columns, pack),
    each_row = unrolled(t, "v", "        "), each = unrolled(t, "w", "          "),
    square = pack_numbers(columns), read = pack_numbers(t.words), declared = concat(t.declared, "\n"),
    tile_loads = concat(t.loads, "\n"), tile_stores = concat(t.stores, "\n"), tile_copies = concat(t.copies, "\n"),
    tile_values = concat(t.values, "\n"), direct_loads = concat(t.direct, "\n"),
    direct_values = concat(t.direct_values, "\n"), results = results, stores = stores }
end

local function evaluation(t, p, names)
  return codegen.parts.evaluation(p, function(i) return names[i] or t.names[i] end,
    function(r) return t.packs:element(r.name, "w") end)
end

local IN_ARRAY = "a < across && b < along"

-- The body: for thin tiles, which all are over an edge, or for whole ones and those at the edges.
local function body_text(t, p, thin, body)
  local function fill(part, inside)
    body.if_read = condition(t.across * t.words, inside)
    body.if_square = condition(t.columns * t.words, inside)
    body.if_stored = condition(t.across * t.words)
    body.direct = #t.direct > 0 and template.fill("elementwise", "tile_direct", body):gsub("\n+$", "") or ""
    return (template.fill("elementwise", part, body):gsub("\n+$", ""))
  end
  body.evaluate = evaluation(t, p, t.names)
  if thin then return fill("tile", IN_ARRAY) end
  body.whole = fill("tile", nil)
  body.evaluate = evaluation(t, p, t.edge_names)
  return fill("tile_edges", IN_ARRAY)
end

---@param p cudalua.gpuarray.Program
---@return table fields  of the template
---@return table packs   of codegen.lua
function M.fields(p)
  local ending, coordinates = p.ending[1], {}
  local t = text_of(ending)
  local axes = address.tile(t.params, coordinates, address.axes(ending.rank, ending.wide), ending)
  local body = body_of(t, p, axes.index, add_operands(t, p, axes))
  return { elements = 0, across = t.across, along = t.along, params = codegen.parts.params_of(p, t.params),
    shared = concat(t.shared, "\n"), coordinates = concat(coordinates, "\n"), bases = concat(t.bases, "\n"),
    body = body_text(t, p, ending.thin, body) }, t.packs
end

return M
