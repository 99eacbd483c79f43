-- From the program of a reduction (reduce/run.lua) to CUDA C: what is the reduction's own, around a kernel of
-- kernels/array/reduce.cu.

local add = require("cudalua.base.tables").add
local cell = require "cudalua.gpuarray.core.mailbox"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local address = require "cudalua.gpuarray.kernel.address"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local dtypes = require "cudalua.dtype"
local outer_code = require "cudalua.gpuarray.reduce.outer_code"
local prelude = require "cudalua.base.prelude"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local template = require "cudalua.gpuarray.kernel.template"
local pairs_of = require "cudalua.base.pairs_of"

local concat, max, min = table.concat, math.max, math.min

local M = {}

-- ---- the reduction ------------------------------------------------------------------------------------------------

local function substituted(text, one, two)
  return (text:gsub("%$(%w)", { ["1"] = one, ["2"] = two, n = "count" }))
end

local function pieces_of(pieces, ...)
  for _, dt in ipairs { ... } do
    for _, name in ipairs(ctype.pieces(dt)) do pieces[name] = true end
  end
end

local OWN = "__device__ __forceinline__ "
M.OWN = OWN

---What becomes of a combined value, as a function.
---@param lines string[]  gets it
---@param kind cudalua.gpuarray.ReductionKind
---@param name string  of the function
---@param acc string   C type of the combined value
function M.finish(lines, kind, name, acc)
  if kind.row.position then
    add(lines, "%slong long %s(const %s x, const double) { return %s(long long)x.at + 1; }", OWN, name, acc,
      kind.row.none and "x.value != x.value ? 0 : " or "")
    return
  end
  add(lines, "%s%s %s(const %s x, const double count) {", OWN, ctype.memory(kind.result), name, acc)
  add(lines, "  const %s y = %s;", ctype.register(kind.finished),
    kind.finish and substituted(kind.finish, "x") or "x")
  add(lines, "  const %s z = %s;", ctype.register(kind.result), ctype.convert(kind.finished, kind.result, "y"))
  add(lines, "  return %s;\n}", ctype.store(kind.result, "z"))
end

-- A value with its place. A thread sees its elements in their order, so that the first one that is better is it; where
-- it has none, its place lies behind all others. `tree`: other reductions fix the order of combinations.
local function positions(lines, kind, value, placed, tree)
  add(lines, "struct acc_t {\n  %s value;\n  index_t at;\n};", value)
  add(lines, "%sacc_t neutral() { return acc_t{%s, (index_t)-1}; }", OWN, kind.neutral)
  add(lines, "%sbool better(const %s a, const %s b) { return %s; }", OWN, value, value,
    substituted(kind.combine, "a", "b"))
  add(lines, "%sacc_t combine(const acc_t a, const acc_t b) {", OWN)
  add(lines, "  const bool second = better(a.value, b.value) || b.at < a.at && !better(b.value, a.value);")
  add(lines, "  return acc_t{second ? b.value : a.value, second ? b.at : a.at};\n}")
  if tree then
    add(lines, "typedef %s value_t;", value)
    add(lines, "%sacc_t start(const value_t x, const index_t r) { return acc_t{x, r}; }", OWN)
    return
  end
  if placed then
    add(lines, "typedef acc_t value_t;\ntypedef acc_t part_t;\n%spart_t none() { return neutral(); }", OWN)
    add(lines, "%svoid add(part_t &part, const value_t x, const int) { part = combine(part, x); }", OWN)
    add(lines, "%sacc_t end(const part_t &part, const index_t) { return part; }", OWN)
    return
  end
  add(lines, "typedef %s value_t;\nstruct part_t {\n  value_t value;\n  int at;\n};", value)
  add(lines, "%spart_t none() { return part_t{%s, 0}; }", OWN, kind.neutral)
  add(lines, "%svoid add(part_t &part, const value_t x, const int at) {", OWN)
  add(lines, "  const bool second = better(part.value, x);")
  add(lines, "  part.value = second ? x : part.value;\n  part.at = second ? at : part.at;\n}")
  add(lines, "%sacc_t end(const part_t &part, const index_t r) { return acc_t{part.value, r + part.at}; }", OWN)
end

-- The moments of chunks.
local function moments(lines, kind)
  add(lines, "typedef %s value_t;", ctype.register(kind.acc))
  add(lines, "%s", template.fill("moments", kind.acc.name, {}))
  add(lines, "%s", template.fill("moments", "chunks", { chunk = kind.moments.chunk,
    infinite = reductions.kind(reductions.min, kind.acc).neutral }))
end

---Bytes and alignment of what a reduction combines.
---@param kind cudalua.gpuarray.ReductionKind
---@param wide boolean  elements are numbered with 64 bits
---@return integer bytes
---@return integer alignment
function M.size_of(kind, wide)
  local n = kind.acc.itemsize
  if kind.moments then return n == 8 and 32 or wide and 24 or 16, 8 end
  if kind.row.position then return (wide or n == 8) and 16 or 8, (wide or n == 8) and 8 or 4 end
  return n, kind.acc.kind == "complex" and n == 8 and 8 or n
end

---acc_t and what is done with it, but for finish().
---@param lines string[]  get it
---@param kind cudalua.gpuarray.ReductionKind
---@param pieces table<string, boolean>
---@param placed boolean  elements come in any order, each with its place
---@param tree boolean    the order of combinations is fixed
---@param chunks? boolean  the kernel combines chunks: moments.cu
function M.combination(lines, kind, pieces, placed, tree, chunks)
  pieces_of(pieces, kind.acc, kind.finished, kind.result)
  if kind.moments then return moments(lines, kind) end
  if chunks then
    M.combination(lines, kind, pieces, placed, true)
    add(lines, "%s", template.fill("moments", "tree_values", {}))
    return
  end
  if kind.row.position then return positions(lines, kind, ctype.register(kind.acc), placed, tree) end
  prelude.needed(kind.combine, pieces)
  add(lines, "typedef %s value_t;", ctype.register(kind.values[#kind.values]))
  add(lines, "typedef %s acc_t;", ctype.register(kind.acc))
  add(lines, "%sacc_t neutral() { return %s; }", OWN, kind.neutral)
  add(lines, "%sacc_t combine(const acc_t a, const acc_t b) { return %s; }", OWN, substituted(kind.combine, "a", "b"))
  if tree then
    add(lines, "%sacc_t start(const value_t x, const index_t) { return x; }", OWN)
  elseif kind.narrow then
    add(lines, "typedef int part_t;\n%spart_t none() { return 0; }", OWN)
    add(lines, "%svoid add(part_t &part, const value_t x, const int) { part += x; }", OWN)
    add(lines, "%sacc_t end(const part_t part, const index_t) { return part; }", OWN)
  else
    add(lines, "typedef acc_t part_t;\n%spart_t none() { return neutral(); }", OWN)
    add(lines, "%svoid add(part_t &part, const value_t x, const int) { part = combine(part, x); }", OWN)
    add(lines, "%sacc_t end(const part_t part, const index_t) { return part; }", OWN)
  end
end

-- ---- where elements are ---------------------------------------------------------------------------------------------

-- Short elements are loaded as words, each of which is one register.
local words_of = { [4] = "unsigned", [8] = "uint2", [16] = "uint4" }

local function c_type(leaf) return leaf.c_type or ctype.memory(leaf.dtype) end

---How a thread finds the elements of an operand that it loads together.
---@class cudalua.gpuarray.ReductionOperand
---@field number integer  of the leaf
---@field leaf table
---@field along "packed"|0|1|"any"  how neighbours lie: see the tokens of reduce/run.lua
---@field at string       C: where the first one is
---@field step string     C: their distance
---@field width integer   how many they are
---@field joint boolean   one place tells all of them

-- An operand whose elements are in memory.
local function in_memory(t, o)
  local i, leaf, joint, along, at, step, width = o.number, o.leaf, o.joint, o.along, o.at, o.step, o.width
  local c, itemsize = c_type(leaf), leaf.dtype.itemsize
  local aligned = 16 % itemsize == 0 and ("__align__(%d) "):format(min(16, width * itemsize)) or ""
  local words = along == "packed" and itemsize < 4 and leaf.dtype.kind ~= "struct" and words_of[width * itemsize]
  add(t.types, words and "union %spack_%d {\n  %s e[%d];\n  unsigned word[%d];\n  %s words;\n};\n" or
    "struct %spack_%d {\n  %s e[%d];\n};\n", aligned, i, c, joint and along == 0 and 1 or width, width * itemsize / 4,
    words)
  add(t.bases, "  const %s *b%d;", c, i)
  if words then
    add(t.loads, "    x.a%d.words = *(const %s *)(b.b%d + (%s));", i, words, i, at)
  elseif along == "packed" then
    add(t.loads, "    x.a%d = *(const pack_%d *)(b.b%d + (%s));", i, i, i, at)
  elseif along == 0 then
    add(t.loads, "    x.a%d.e[0] = b.b%d[%s];", i, i, at)
  else
    for e = 0, width - 1 do add(t.loads, "    x.a%d.e[%d] = b.b%d[(%s) + %d * %s];", i, e, i, at, e, step) end
  end
  local e = joint and along == 0 and "0" or "e"
  add(t.some, "      x.a%d.e[%s] = b.b%d[%s];", i, e, i, at)
  add(t.arguments, "x.a%d.e[%s]", i, e)
end

M.in_memory = in_memory

-- An operand whose elements are their own places: see plan.lua.
local function in_places(t, o)
  local i, joint, at, width = o.number, o.joint, o.at, o.width
  add(t.types, "struct pack_%d {\n  unsigned long long e[%d];\n};\n", i, joint and 1 or width)
  add(t.bases, "  unsigned long long b%d;", i)
  add(t.loads, "    x.a%d.e[0] = b.b%d + (long long)(%s);", i, i, at)
  add(t.some, "      %sx.a%d.e[%s] = b.b%d + (long long)(%s);", joint and "if (e == 0) " or "", i, joint and "0" or "e",
    i, at)
  local first = ("x.a%d.e[0]"):format(i)
  add(t.arguments, "%s", o.along == "packed" and codegen.place_in_pack(first, width, "e") or
    joint and ("%s + (long long)e * %s"):format(first, o.step) or ("x.a%d.e[e]"):format(i))
end

-- value(), which also writes an element of an operand of this type to memory: alone, or with the neighbours that the
-- thread has, once it has the last one. Pack and bases have the place of the output's first element.
local function storing(lines, t, dtype, s)
  local c, e = ctype.memory(dtype), s.side and s.along ~= "packed" and (" + e * %s"):format(s.step) or ""
  add(lines, "  const auto value = [&](const packs_t &x, const int e, const index_t r) {")
  add(lines, "    const %s v = %s;", c, s.element)
  address.coordinates(lines, "    ", "r", s.axes, s.at)
  if s.along == "packed" and s.width > 1 then
    add(t.types, "struct __align__(%d) pack_s {\n  %s e[%d];\n};\n", min(16, s.width * dtype.itemsize), c, s.width)
    add(s.pack, "  mutable pack_s s;")
    add(lines, "    x.s.e[e] = v;\n    if (!x.all) x.to[%s%s] = v;", s.at, s.side and " + e" or "")
    add(lines, "    if (x.all && e == %d) *(pack_s *)(x.to + (%s)%s) = x.s;", s.width - 1, s.at,
      s.side and "" or " - " .. s.width - 1)
  else
    add(lines, "    x.to[%s%s] = v;", s.at, e)
  end
  add(lines, "    return %s;\n  };", s.value "v")
end

-- The functions that a kernel has, and the parameters that they need.
local function functions(p, o)
  local value, told, results, stored = o.value, o.told, o.results, o.stored
  local ending = p.ending[1]
  local kept, gone, width, side = ending.kept, ending.gone, ending.width, ending.form:find "^columns" ~= nil
  local stay = address.axes(kept, ending.wide, { label = "k", index = "index_t" })
  local go = address.axes(gone, ending.wide, { label = "r", index = "index_t" })
  local joint = side or ending.joint -- neighbours are on one row of the innermost axis: one place tells all of them
  local params, pack, lines, begins = {}, {}, {}, {}
  local t = { types = {}, bases = {}, loads = {}, some = {}, arguments = {} }
  local arguments = t.arguments
  address.extents(params, stay)
  address.extents(params, go)
  local out = address.place(params, stay, "o")
  local operand = 1
  for i, leaf in ipairs(p.leaves) do
    if leaf.class == "one" then
      add(lines, leaf.places and "  const %s u%d = 0;" or "  const %s u%d = *p%d;", ctype.memory(leaf.dtype), i, i)
      add(arguments, "u%d", i)
    else
      operand = operand + 1
      local along = p.ending[operand].along
      add(pack, "  pack_%d a%d;", i, i)
      local begin = address.place(params, stay, ("k%d"):format(i))
      add(begins, leaf.places and "    b.b%d = %s;" or "    b.b%d = p%d + (%s);", i, leaf.places and begin or i, begin)
      local fixed = not side and (along == "packed" and 1 or along ~= "any" and along) or nil
      local at = address.place(params, go, ("r%d"):format(i), fixed)
      local step = side and ("k%d_%d"):format(i, kept) or fixed and tostring(fixed) or ("r%d_%d"):format(i, gone)
      local add_operand = leaf.places and in_places or in_memory
      add_operand(t, { number = i, leaf = leaf, along = along, at = at, step = step, width = width, joint = joint })
    end
  end

  local own
  if stored then
    local along = p.ending[operand + 1].along
    add(t.bases, "  %s *to;", ctype.memory(stored))
    add(pack, "  %s *to;\n  bool all;", ctype.memory(stored))
    add(begins, "    b.to = stored + (%s);", address.place(params, stay, "ks"))
    local at = address.place(params, go, "rs", not side and along ~= "any" and 1 or nil)
    own = { side = side, along = along, width = width, axes = go, at = at, step = ("ks_%d"):format(kept), pack = pack,
      value = o.values }
  end
  add(lines, "  const auto bases = [&](const unsigned long long k) {\n    bases_t b;")
  begins = concat(begins, "\n")
  local loads, some = concat(t.loads, "\n"), concat(t.some, "\n")
  address.coordinates(lines, "    ", "(index_t)k", stay, begins)
  add(lines, "%s", begins)
  add(lines, "    return b;\n  };\n  const auto put = [&](const unsigned long long k, const auto &y) {")
  address.coordinates(lines, "    ", "(index_t)k", stay, out)
  if results then
    add(lines, "    const index_t at = %s;", out)
    for i = 1, results do add(lines, "    out%d[at] = y.y%d;", i, i) end
    add(lines, "  };")
  else
    add(lines, "    out[%s] = y;%s\n  };", out, told and "\n    tell(told, ticket, y);" or "")
  end
  add(lines, "  const auto load = [&](const bases_t &b, const index_t r) {\n    packs_t x;%s",
    stored and "\n    x.to = b.to, x.all = true;" or "")
  if joint then
    address.coordinates(lines, "    ", "r", go, loads)
    add(lines, "%s", loads)
  end
  local each = { ("#pragma unroll\n    for (int e = 0; e < %d; e++) {"):format(width) }
  address.coordinates(each, "      ", "(r + e)", go, some)
  add(each, "%s\n    }", some)
  each = concat(each, "\n")
  if not joint then add(lines, "%s", each) end
  add(lines, "    return x;\n  };")
  if not side then
    add(lines, "  const auto some = [&](const bases_t &b, const index_t r, const int m) {\n    packs_t x;%s",
      stored and "\n    x.to = b.to, x.all = false;" or "")
    add(lines, "%s", (each:gsub("e%+%+%) {", "e++) {\n      if (e >= m) break;", 1)))
    add(lines, "    return x;\n  };")
  end
  local element = value(arguments)
  if o.second or not stored then
    add(lines, "  const auto %s = [&](const packs_t &x, const int e, const index_t r) { return %s; };",
      o.second and "seen" or "value", stored and o.values(element) or element)
  end
  if stored then
    own.element = element
    storing(lines, t, stored, own)
  elseif o.second then
    add(lines, "  const auto &value = seen;")
  end
  local text = ("%sstruct packs_t {\n%s\n};\nstruct bases_t {\n%s\n};\n"):format(concat(t.types), concat(pack, "\n"),
    concat(t.bases, "\n"))
  return concat(lines, "\n"), text, params
end

-- How many packs, or rows of a column, a thread loads before it uses the first: as many as registers hold, fewer of
-- what takes long to compute.
local function batch(p, most, heavy, limit)
  local ending, bytes, few = p.ending[1], 0, 8
  local operand = 1
  for _, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      operand = operand + 1
      if leaf.places then
        few = 16 -- of which four are computed at once
      else
        bytes = bytes + max(leaf.dtype.itemsize * (p.ending[operand].along == 0 and 1 or ending.width), 4)
      end
    end
  end
  local n = most
  while n > 1 and n * bytes > limit or heavy and n * ending.width > few and n > 1 do n = n / 2 end
  return n
end

---Bytes that a thread loads before it uses the first.
M.BYTES = 128

---The parts of a kernel that are not the program's.
---@class cudalua.gpuarray.ReductionParts
---@field name string
---@field own string          acc_t and what is done with it: see reduce.cu
---@field tree boolean        the order of combinations is fixed
---@field moments? cudalua.gpuarray.Moments  elements are combined in chunks. In units, `value` gives a staged_t, and
---  unstaged() makes a value_t of it
---@field staged? integer     bytes of staged_t
---@field heavy boolean       elements take long to compute
---@field slow boolean        combining them takes long
---@field params string[]     before those of the arrays
---@field more string[]       and behind them
---@field value fun(arguments: string[]): string  what is computed of an element of each array
---@field word? string        how four elements of one byte are added at once: a part of reduce.cu
---@field told? boolean       the one result is left in a cell, too: see mailbox.lua
---@field lines? string       where the kernel begins
---@field results? integer     it has several results, out1[] ..., and finish() returns y1 ...
---@field divisors? string[]   parameters of finish() behind the count
---@field second? string       a second phase, which sees the elements once more: its acc_t and what is done with it
---@field stored? cudalua.dtype.DType  the kernel stores the elements of the operand, which have this type, too: `value`
---  gives them, and
---@field values? fun(element: string): string  what is combined of one

---A kernel: its device code, and itself.
---@param p {leaves: table[], ending: table[]}
---@param o cudalua.gpuarray.ReductionParts
---@return string types   of what is loaded; they stand before `own`
---@return string device  stands behind it
---@return string kernel
function M.generate(p, o)
  local ending = p.ending[1]
  if ending.form == "outer" then return outer_code.generate(p, o) end
  local form, width = ending.form, ending.width
  local columns, split = form:find "^columns" ~= nil, form:find "split" ~= nil
  local lambdas, types, extra = functions(p, o)
  local params = { unpack(o.params) }
  for i, leaf in ipairs(p.leaves) do
    if not leaf.counted then add(params, "const %s *p%d", c_type(leaf), i) end
  end
  for _, text in ipairs(o.more) do add(params, "%s", text) end
  for _, text in ipairs(extra) do add(params, "%s", text) end
  if o.told then add(params, "const unsigned long long told, const unsigned ticket") end
  local fields = { name = o.name, params = ", " .. concat(params, ", "), width = width, log_x = ending.log_x,
    functions = o.lines and o.lines .. "\n" .. lambdas or lambdas, turns = ending.turns }
  local part, mode = form, o.moments and "chunks" or o.tree and "tree" or "free"
  fields.joined = M.joined(o.moments ~= nil)
  fields.divisors = ""
  for _, text in ipairs(o.divisors or {}) do fields.divisors = fields.divisors .. ", " .. text:match "%w+$" end
  if columns then
    part = "columns"
    local m = o.moments
    fields.batch = m and m.chunk or batch(p, o.tree and 8 or 16, o.heavy, M.BYTES)
    fields.levels = ending.turns - math.log(fields.batch) / math.log(2) + 1
    local low = m and min(m.levels, fields.levels) or fields.levels
    fields.levels, fields.high = low, fields.levels - low
    fields.high_levels = fields.high > 0 and template.fill("reduce", "high_levels", fields) or ""
    fields.signature = ("extern \"C\" __global__ void __launch_bounds__(256, %d) %s(const unsigned long long outputs, "
      .. "const index_t n, const double count_of, const unsigned log_x, const unsigned chunk%s%s) {"):format(
      o.moments and o.moments.resident or 3, o.name,
      split and ", const unsigned parts, words_t *partial, unsigned *counters" or "", fields.params)
    fields.per_group = split and " / parts" or ""
    fields.part = split and "blockIdx.x % parts" or "0"
    fields.loop = template.fill("reduce", m and "columns_ahead" or "columns_loop", fields)
    fields.ending = template.fill("reduce", split and "columns_split" or "columns_whole", fields)
  elseif form == "rows" then
    fields.rows = M.rows(width)
  else
    local m = o.moments
    fields.batch = batch(p, m and m.chunk / width or ending.turns, o.heavy, o.slow and not m and M.BYTES / 2 or M.BYTES)
    fields.rest = ending.rest and 1 or fields.batch
    if m then
      fields.batch = max(fields.batch, m.chunk / (2 ^ (5 - ending.log_x) * width)) -- a chunk at least
      fields.chunk, fields.rest, fields.piece_bytes = m.chunk, 1, min(16, width * o.staged)
    end
    local one = ending.kept == 0 -- output, for which the block need not divide its number before it loads anything
    fields.group, fields.part = one and "0" or "blockIdx.x / parts", one and "blockIdx.x" or "blockIdx.x % parts"
    fields.word = not o.tree and o.word and template.fill("reduce", "word_" .. o.word, {}) or ""
  end
  local index = M.index_t(ending.wide, o.moments and ending.log_x)
  local device = M.pieces_of_kernel(form, mode, fields, o)
  if not o.second then return index .. types, device, template.fill("reduce", part, fields) end
  if columns then
    for name, value in pairs_of { first = "value", second = "squared" } do
      fields.phase, fields.values = name, value
      fields["pass_" .. name] = template.fill("spread", "columns_pass", fields)
    end
  end
  device = ("namespace first {\n%s\n%s\n}\nnamespace second {\n%s\n%s\n}\n"):format(o.own, device, o.second,
    M.pieces_of_kernel(form, "tree", fields, o))
  return index .. types, device, template.fill("spread", form, fields)
end

---How reduce.cu combines two values.
---@param equal boolean|nil  the reduction has equal(), for equally many elements
---@return string
function M.joined(equal) return equal and "FULL ? equal(a, b) : combine(a, b)" or "combine(a, b)" end

---The type of elements' numbers.
---@param wide boolean
---@param log_x integer|false|nil  of kernels that combine chunks
---@return string
function M.index_t(wide, log_x)
  return ("typedef %s index_t;\n%s"):format(wide and "unsigned long long" or "unsigned",
    log_x and ("enum { LOG_X = %d };\n"):format(log_x) or "")
end

-- The functions that a kernel of this form uses.
function M.pieces_of_kernel(form, mode, fields, o)
  local device, split = {}, form:find("split", 1, true)
  local function fill(piece) add(device, "%s", template.fill("reduce", piece, fields)) end
  fill "common"
  if o.told then fill "tell" end
  if form:find "^columns" then
    if mode ~= "free" then fields.elements = template.fill("reduce", mode .. "_elements", fields) end
    fill(mode == "free" and "free_column" or "tree_column")
  elseif form == "rows" then
    fill(mode .. "_pack")
  else
    if mode == "tree" then fill "tree_pack" elseif mode == "free" then fill "free_pack" end
    if mode ~= "free" then fill "exchange" end
    fill "unit"
    if mode == "free" then fill(o.word and "words" or "each") end
    fill(mode .. "_unit")
    fill "any_unit"
  end
  if form ~= "rows" then fill "block" end
  if split then fill "split" end
  return concat(device, "\n")
end

---How many outputs a thread of the form `rows` has, one after the other.
---@param width integer
---@return integer
function M.rows(width) return max(min(16 / width, 4), 1) end

local short_words = { int8 = "signed", uint8 = "unsigned", bool = "count" }

-- How elements of one byte are added four at a time, where nothing is computed of them; nil: they are not.
local function word_of(p, kind)
  local ending, leaf = p.ending[1], p.leaves[1]
  if #p.leaves ~= 1 or #p.scalars > 0 or leaf.dtype.itemsize > 1 or ending.width ~= 16 or
    not p.ending[2] or p.ending[2].along ~= "packed" then
    return nil
  end
  for _, op in ipairs(p.ops) do
    if op ~= "astype" then return nil end
  end
  local name = kind.row.name
  if name == "any" or name == "all" then return name end
  if name == "count_nonzero" then return "count" end
  return kind.narrow and #p.ops == 1 and short_words[leaf.dtype.name] or nil
end

---The kernel that reduces a program's values.
---@param p cudalua.gpuarray.Program
---@return table  as codegen.elementwise(); acc_bytes: of a value that is handed on
function M.kernel(p)
  local ending = p.ending[1]
  local kind, pieces = ending.reduction, {}
  for name in pairs_of(p.pieces) do pieces[name] = true end
  local lines, nleaves = {}, #p.leaves
  M.combination(lines, kind, pieces, ending.placed, kind.tree)
  M.finish(lines, kind, "finish", "acc_t")
  if kind.moments then
    add(lines, "typedef value_t staged_t;\n%svalue_t unstaged(const staged_t x) { return x; }", OWN)
  end
  local own = concat(lines, "\n") .. "\n"
  -- The place of an element is as that of one of an array that is nowhere.
  if ending.placed then
    p.leaves[nleaves + 1] = { dtype = dtypes.uint64, class = "strided", places = true, counted = true }
  end
  local name, more, word = (ending.form == "outer" and "array_outer_" or "array_") .. kind.row.name, {},
    ending.form ~= "outer" and word_of(p, kind) or nil
  local told = ending.kept == 0 and cell.types[kind.result] ~= nil
  local heavy = #p.ops > 8
  while p.ops[#p.ops] == "astype" do table.remove(p.ops) end -- to the type that is computed in
  if #p.ops > 0 then name = codegen.name(p, name) end
  for i, dt in ipairs(p.scalars) do add(more, "const %s s%d", ctype.register(dt), i) end
  local types, device, kernel = M.generate(p, { name = name, own = own, tree = kind.tree, heavy = heavy, more = more,
    word = word, told = told, slow = kind.row.position or kind.acc.itemsize == 8, moments = kind.moments,
    staged = kind.acc.itemsize,
    params = { ctype.memory(kind.result) .. " *out" },
    value = function(arguments)
      local place = ending.placed and table.remove(arguments, nleaves + 1)
      for i = 1, #p.scalars do add(arguments, "s%d", i) end
      local text = ("compute(%s)"):format(concat(arguments, ", "))
      return place and ("acc_t{%s, (index_t)(%s)}"):format(text, place) or text
    end })
  return { pieces = pieces, device = concat({ p.compute, types, own, device }, "\n"), kernel = kernel, name = name,
    told = told, acc_bytes = (M.size_of(kind, ending.wide)) }
end

return M
