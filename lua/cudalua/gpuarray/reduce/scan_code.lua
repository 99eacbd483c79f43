-- From the program of a scan (scan_run.lua) to CUDA C: what is the scan's own, around a kernel of
-- kernels/array/scan.cu.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local prelude = require "cudalua.base.prelude"
local template = require "cudalua.gpuarray.kernel.template"
local pairs_of = require "cudalua.base.pairs_of"

local concat, max, min = table.concat, math.max, math.min

local M = {}

---Lanes of a warp, and warps of a block.
M.WARP, M.WARPS = 32, 8
local WARP, WARPS = M.WARP, M.WARPS

---How many elements make a run, and how many rows a warp has: results depend on these (scan.cu), so that they follow
---from the types alone.
---@param stored integer  bytes of a result
---@param acc integer     bytes of a value while it is computed
---@return integer run
---@return integer rows
function M.sizes(stored, acc)
  local run, rows, most = 8, 4, acc <= 4 and 32 or 16
  while run > 1 and run * stored > most do run = run / 2 end
  while rows > 1 and rows * run * acc > 128 do rows = rows / 2 end
  return run, rows
end

---The number of elements in a row, and of rows in a tile.
---@param stored integer
---@param acc integer
---@return integer row
---@return integer rows
function M.extent(stored, acc)
  local run, rows = M.sizes(stored, acc)
  return WARP * run, WARPS * rows
end

-- ---- the kernel -----------------------------------------------------------------------------------------------------

---What the kernel is made of.
---@class cudalua.gpuarray.ScanText
---@field name string
---@field form "short"|"rows"|"tile"|"tiles"|"columns"|"columns_split"
---@field params string[]     after those of every kernel
---@field functions string    bases, load, load_run, value, put, put_run; of a striped one bases, load, value, outcome,
--- put; of one in tiles also ahead
---@field striped boolean?

---The text of a kernel, behind acc_t, combine(), index_t, raw_t and bases_t.
---@param t cudalua.gpuarray.ScanText
---@return string device  functions
---@return string kernel
function M.text(t)
  local form, device = t.form, { template.fill("scan", "common", { run = t.run, rows = t.rows }) }
  local function part(name) return template.fill("scan", name, {}) end
  local fields = { name = t.name, functions = t.functions, log_rows = math.log(WARPS * t.rows) / math.log(2),
    params = #t.params > 0 and ", " .. concat(t.params, ", ") or "" }
  local split, columns = form == "tiles" or form == "columns_split", form:find "^columns"
  if split or not columns then add(device, part "lanes") end
  if split then add(device, part "look_back" .. part(columns and "look_back_parts" or "look_back_tiles")) end
  if form == "columns" or form == "rows" then add(device, part "leaves") end
  fields.cells = split and
    ", unsigned *counter, cell_t *cells, const unsigned long long line_cells, const unsigned stamp" or ""
  if t.striped then add(device, part "exchange") end
  if not columns then add(device, part(t.striped and "striped" or "direct")) end
  fields.loads, fields.puts = t.striped and "load" or "load, load_run", t.striped and "outcome, put" or "put, put_run"
  if columns then
    add(device, part "sides")
    fields.bounds = t.acc_bytes <= 4 and ", 3" or ""
    fields.four_runs, fields.four_results = part "four_runs", part "four_results"
  elseif form == "tile" or split then
    fields.place, fields.before = part(split and "place" or "place_one"), split and part "before" or ""
    fields.left = split and part "left" or ""
    fields.combine_before = split and "      if (tile > 0) e = lane || warp || k ? combine(left, e) : left;" or ""
    fields.any_before = split and " || tile > 0" or ""
    -- So many blocks on a multiprocessor at once hide that each of them waits for others; larger values need more
    -- registers than they leave.
    fields.bounds = t.acc_bytes <= 4 and ", 4" or ""
    form = "tile"
    fields.ahead = split and part "ahead" or ""
    if split then add(device, part "prefetch") end
  end
  return concat(device, "\n"), template.fill("scan", form, fields)
end

-- ---- of arrays ------------------------------------------------------------------------------------------------------

local OWN = "static __device__ __forceinline__ "

local function pieces_of(pieces, ...)
  for _, dt in ipairs { ... } do
    for _, name in ipairs(ctype.pieces(dt)) do pieces[name] = true end
  end
end

-- acc_t, and what is done with it.
local function combination(kind, pieces)
  local lines = { ("typedef %s acc_t;"):format(ctype.register(kind.acc)) }
  pieces_of(pieces, kind.acc, kind.result)
  prelude.needed(kind.combine, pieces)
  add(lines, "%sacc_t combine(const acc_t a, const acc_t b) { return %s; }", OWN,
    (kind.combine:gsub("%$(%d)", { ["1"] = "a", ["2"] = "b" })))
  add(lines, "%s%s result(const acc_t x) {", OWN, ctype.memory(kind.result))
  add(lines, "  const %s y = %s;", ctype.register(kind.result), ctype.convert(kind.acc, kind.result, "x"))
  add(lines, "  return %s;\n}", ctype.store(kind.result, "y"))
  return concat(lines, "\n") .. "\n"
end

-- A type of several neighbours, as memory has them.
local function pack(list, known, dt, run)
  local name = "pack_" .. dt.name
  if not known[name] then
    known[name] = true
    add(list, "struct __align__(%d) %s { %s e[%d]; };", min(16, run * dt.itemsize), name, ctype.memory(dt), run)
  end
  return name
end

---A program's operands, as the functions of a scan's kernel know them: parts of CUDA C, each a list of lines.
---@class cudalua.gpuarray.ScanOperands
---@field run integer         elements of a run
---@field result cudalua.dtype.DType
---@field ending table        the program's end
---@field stay cudalua.gpuarray.Axes  those of the lines
---@field go cudalua.gpuarray.Axes    those along a line
---@field striped boolean     a thread takes each element by itself
---@field params string[]     of the kernel: extents and strides
---@field out string          where a result is in its line
---@field uniform string[]    reads what is the same for all elements
---@field raw string[]        members of raw_t: an element of each operand
---@field bases string[]      members of bases_t: where a line begins in each of them
---@field begins string[]     fills a bases_t
---@field loads string[]      fills a raw_t
---@field runs string[]       fills a run of them, with wide loads
---@field ahead string[]      fetches what is read later
---@field arguments string[]  of compute()
---@field packs string[]      types of wide loads
---@field known table<string, boolean>  the names of these

local function add_operand(o, p, i, operand)
  local leaf, step = p.leaves[i], p.ending[operand].step
  local c = ctype.memory(leaf.dtype)
  add(o.raw, "  %s a%d;", c, i)
  add(o.bases, "  const %s *b%d;", c, i)
  add(o.begins, "    b.b%d = p%d + (%s);", i, i, address.place(o.params, o.stay, ("k%d"):format(i)))
  add(o.loads, "    x.a%d = b.b%d[%s];", i, i, address.place(o.params, o.go, ("r%d"):format(i), step))
  if step == 1 then add(o.ahead, "    fetch_ahead(b.b%d + first, n - first);", i) end
  if o.ending.vector and not o.striped then
    local name = pack(o.packs, o.known, leaf.dtype, o.run)
    add(o.runs, "    const %s x%d = *(const %s *)(b.b%d + r);", name, i, name, i)
    add(o.runs, "#pragma unroll\n    for (int i = 0; i < RUN; i++) raw[i].a%d = x%d.e[i];", i, i)
  end
  add(o.arguments, "x.a%d", i)
end

---@param p cudalua.gpuarray.Program
---@param run integer
---@return cudalua.gpuarray.ScanOperands
local function operands_of(p, run)
  local ending = p.ending[1]
  local o = { run = run, ending = ending, result = ending.scan.result, striped = ending.vector == "striped",
    stay = address.axes(ending.kept, ending.wide, { label = "k", index = "index_t" }),
    go = address.axes(ending.gone, ending.wide, { label = "r", index = "index_t" }),
    params = {}, uniform = {}, raw = {}, bases = {}, begins = {}, loads = {}, runs = {}, ahead = {}, arguments = {},
    packs = {}, known = {} }
  add(o.bases, "  %s *out;", ctype.memory(o.result))
  address.extents(o.params, o.stay)
  address.extents(o.params, o.go)
  add(o.begins, "    b.out = out + (%s);", address.place(o.params, o.stay, "ko"))
  o.out = address.place(o.params, o.go, "ro", p.ending[2].step)
  local operand = 2
  for i, leaf in ipairs(p.leaves) do
    if leaf.class == "one" then
      add(o.uniform, "  const %s u%d = *p%d;", ctype.memory(leaf.dtype), i, i)
      add(o.arguments, "u%d", i)
    else
      operand = operand + 1
      add_operand(o, p, i, operand)
    end
  end
  for i = 1, #p.scalars do add(o.arguments, "s%d", i) end
  return o
end

-- Where lines begin, and what of them is fetched early.
local function add_bases(lines, o)
  local begins = concat(o.begins, "\n")
  add(lines, "  const auto bases = [&](const unsigned long long k) {\n    bases_t b;")
  address.coordinates(lines, "    ", "(index_t)k", o.stay, begins)
  add(lines, "%s\n    return b;\n  };", begins)
  if o.ending.form == "tiles" then
    add(lines, "  const auto ahead = [&](const unsigned long long line, const index_t first) {")
    add(lines, "    const bases_t b = bases(line);\n%s\n  };", concat(o.ahead, "\n"))
  end
end

local function add_load(lines, o, begin, result)
  local loads = concat(o.loads, "\n")
  add(lines, begin)
  address.coordinates(lines, "    ", "r", o.go, loads)
  add(lines, "%s\n    return %s;\n  };", loads, result)
end

local function add_put(lines, o, begin)
  add(lines, begin)
  address.coordinates(lines, "    ", "r", o.go, o.out)
  add(lines, "    b.out[%s] = result(y);\n  };", o.out)
end

-- A thread takes each element by itself, and computes what it reads at once.
local function add_striped(lines, o)
  local begin = "  const auto load = [&](const bases_t &b, const index_t r) -> raw_t {"
  if #o.raw > 0 then begin = ("%s\n    struct {\n%s\n    } x;"):format(begin, concat(o.raw, "\n")) end
  add_load(lines, o, begin, ("compute(%s)"):format(concat(o.arguments, ", ")))
  if not o.ending.form:find "^columns" then
    add(lines, "  const auto value = [&](const raw_t &x) -> acc_t { return x; };")
    add(lines, "  const auto outcome = [&](const raw_t &, const acc_t &y, const acc_t &, bool) { return y; };")
  end
  add_put(lines, o, "  const auto put = [&](const bases_t &b, const index_t r, const acc_t &y) {")
end

-- A thread takes runs of neighbours, with wide loads if these are possible.
local function add_runs(lines, o)
  add_load(lines, o, "  const auto load = [&](const bases_t &b, const index_t r) {\n    raw_t x;", "x")
  add(lines, "  const auto load_run = [&](const bases_t &b, const index_t r, raw_t (&raw)[RUN]) {")
  add(lines, "%s\n  };", o.ending.vector and concat(o.runs, "\n") or
    "#pragma unroll\n    for (int i = 0; i < RUN; i++) raw[i] = load(b, r + i);")
  add(lines, "  const auto value = [&](const raw_t &x) -> acc_t { return compute(%s); };", concat(o.arguments, ", "))
  add_put(lines, o, "  const auto put = [&](const bases_t &b, const index_t r, const raw_t &, const acc_t &y, "
    .. "const acc_t &, bool) {")
  add(lines, "  const auto put_run = [&](const bases_t &b, const index_t r, const raw_t (&raw)[RUN], "
    .. "const acc_t (&y)[RUN], const acc_t &e, bool any) {")
  if o.ending.vector then
    local name = pack(o.packs, o.known, o.result, o.run)
    add(lines, "    %s v;\n#pragma unroll\n    for (int i = 0; i < RUN; i++) v.e[i] = result(y[i]);", name)
    add(lines, "    *(%s *)(b.out + r) = v;\n  };", name)
  else
    add(lines, "#pragma unroll\n    for (int i = 0; i < RUN; i++) put(b, r + i, raw[i], y[i], e, any);\n  };")
  end
end

-- The functions of the kernel, their types, and the parameters that they need.
local function functions(p, run)
  local o = operands_of(p, run)
  local lines, bases = o.uniform, concat(o.bases, "\n")
  add_bases(lines, o)
  if o.striped then
    add_striped(lines, o)
    return concat(lines, "\n"), ("struct bases_t {\n%s\n};\n"):format(bases), o.params
  end
  add_runs(lines, o)
  local types = ("struct raw_t {\n%s\n};\nstruct bases_t {\n%s\n};\n%s\n"):format(concat(o.raw, "\n"), bases,
    concat(o.packs, "\n"))
  return concat(lines, "\n"), types, o.params
end

---The kernel that scans a program's values.
---@param p cudalua.gpuarray.Program
---@return table  as codegen.elementwise(); acc_bytes: of a value that is handed on
function M.kernel(p)
  local ending = p.ending[1]
  local kind = ending.scan
  local pieces = {}
  for name in pairs_of(p.pieces) do pieces[name] = true end
  local own = combination(kind, pieces)
  local run, rows = M.sizes(kind.result.itemsize, kind.acc.itemsize)
  local lambdas, types, extra = functions(p, run)
  local params = { ("%s *out"):format(ctype.memory(kind.result)) }
  for i, leaf in ipairs(p.leaves) do add(params, "const %s *p%d", ctype.memory(leaf.dtype), i) end
  for i, dt in ipairs(p.scalars) do add(params, "const %s s%d", ctype.register(dt), i) end
  for _, text in ipairs(extra) do add(params, text) end
  local name = "array_cum" .. kind.row.name
  while p.ops[#p.ops] == "astype" do table.remove(p.ops) end -- to the type that is computed in
  if #p.ops > 0 then name = codegen.name(p, name) end
  local device, kernel = M.text { name = name, form = ending.form, params = params, functions = lambdas, run = run,
    rows = rows, acc_bytes = kind.acc.itemsize, striped = ending.vector == "striped" }
  local before = { p.compute, ("typedef %s index_t;\n"):format(ending.wide and "unsigned long long" or "unsigned"),
    types, own, ending.vector == "striped" and "typedef acc_t raw_t;\n" or "", device }
  return { pieces = pieces, device = concat(before, "\n"), kernel = kernel, name = name,
    acc_bytes = max(kind.acc.itemsize, 4) }
end

return M
