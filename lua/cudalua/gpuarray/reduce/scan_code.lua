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
  return 32 * run, 8 * rows
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
  local fields = { name = t.name, functions = t.functions, log_rows = math.log(8 * t.rows) / math.log(2),
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

-- Where elements are: the functions of the kernel, their types, and the parameters that they need.
local function functions(p, run)
  local ending = p.ending[1]
  local result = ending.scan.result
  local stay = address.axes(ending.kept, ending.wide, { label = "k", index = "index_t" })
  local go = address.axes(ending.gone, ending.wide, { label = "r", index = "index_t" })
  local striped = ending.vector == "striped"
  local params, raw, begins, loads, runs, arguments, lines = {}, {}, {}, {}, {}, {}, {}
  local packs, known, ahead = {}, {}, {}
  local bases = { ("  %s *out;"):format(ctype.memory(result)) }
  address.extents(params, stay)
  address.extents(params, go)
  add(begins, "    b.out = out + (%s);", address.place(params, stay, "ko"))
  local out = address.place(params, go, "ro", p.ending[2].step)
  local operand = 2
  for i, leaf in ipairs(p.leaves) do
    local c = ctype.memory(leaf.dtype)
    if leaf.class == "one" then
      add(lines, "  const %s u%d = *p%d;", c, i, i)
      add(arguments, "u%d", i)
    else
      operand = operand + 1
      add(raw, "  %s a%d;", c, i)
      add(bases, "  const %s *b%d;", c, i)
      add(begins, "    b.b%d = p%d + (%s);", i, i, address.place(params, stay, ("k%d"):format(i)))
      add(loads, "    x.a%d = b.b%d[%s];", i, i,
        address.place(params, go, ("r%d"):format(i), p.ending[operand].step))
      if p.ending[operand].step == 1 then add(ahead, "    fetch_ahead(b.b%d + first, n - first);", i) end
      if ending.vector and not striped then
        local name = pack(packs, known, leaf.dtype, run)
        add(runs, "    const %s x%d = *(const %s *)(b.b%d + r);", name, i, name, i)
        add(runs, "#pragma unroll\n    for (int i = 0; i < RUN; i++) raw[i].a%d = x%d.e[i];", i, i)
      end
      add(arguments, "x.a%d", i)
    end
  end
  for i = 1, #p.scalars do add(arguments, "s%d", i) end

  add(lines, "  const auto bases = [&](const unsigned long long k) {\n    bases_t b;")
  begins, loads = concat(begins, "\n"), concat(loads, "\n")
  address.coordinates(lines, "    ", "(index_t)k", stay, begins)
  add(lines, "%s\n    return b;\n  };", begins)
  if ending.form == "tiles" then
    add(lines, "  const auto ahead = [&](const unsigned long long line, const index_t first) {")
    add(lines, "    const bases_t b = bases(line);\n%s\n  };", concat(ahead, "\n"))
  end
  if striped then
    add(lines, "  const auto load = [&](const bases_t &b, const index_t r) -> raw_t {")
    if #raw > 0 then add(lines, "    struct {\n%s\n    } x;", concat(raw, "\n")) end
  else
    add(lines, "  const auto load = [&](const bases_t &b, const index_t r) {\n    raw_t x;")
  end
  address.coordinates(lines, "    ", "r", go, loads)
  add(lines, "%s\n    return %s;\n  };", loads, striped and ("compute(%s)"):format(concat(arguments, ", ")) or "x")
  if striped then
    if not ending.form:find "^columns" then
      add(lines, "  const auto value = [&](const raw_t &x) -> acc_t { return x; };")
      add(lines, "  const auto outcome = [&](const raw_t &, const acc_t &y, const acc_t &, bool) { return y; };")
    end
    add(lines, "  const auto put = [&](const bases_t &b, const index_t r, const acc_t &y) {")
    address.coordinates(lines, "    ", "r", go, out)
    add(lines, "    b.out[%s] = result(y);\n  };", out)
    return concat(lines, "\n"), ("struct bases_t {\n%s\n};\n"):format(concat(bases, "\n")), params
  end
  add(lines, "  const auto load_run = [&](const bases_t &b, const index_t r, raw_t (&raw)[RUN]) {")
  if not ending.vector then
    runs = { "#pragma unroll\n    for (int i = 0; i < RUN; i++) raw[i] = load(b, r + i);" }
  end
  add(lines, "%s\n  };", concat(runs, "\n"))
  add(lines, "  const auto value = [&](const raw_t &x) -> acc_t { return compute(%s); };", concat(arguments, ", "))
  add(lines, "  const auto put = [&](const bases_t &b, const index_t r, const raw_t &, const acc_t &y, const acc_t &, "
    .. "bool) {")
  address.coordinates(lines, "    ", "r", go, out)
  add(lines, "    b.out[%s] = result(y);\n  };", out)
  add(lines, "  const auto put_run = [&](const bases_t &b, const index_t r, const raw_t (&raw)[RUN], "
    .. "const acc_t (&y)[RUN], const acc_t &e, bool any) {")
  if ending.vector then
    local name = pack(packs, known, result, run)
    add(lines, "    %s v;\n#pragma unroll\n    for (int i = 0; i < RUN; i++) v.e[i] = result(y[i]);", name)
    add(lines, "    *(%s *)(b.out + r) = v;\n  };", name)
  else
    add(lines, "#pragma unroll\n    for (int i = 0; i < RUN; i++) put(b, r + i, raw[i], y[i], e, any);\n  };")
  end
  local types = ("struct raw_t {\n%s\n};\nstruct bases_t {\n%s\n};\n%s\n"):format(concat(raw, "\n"),
    concat(bases, "\n"), concat(packs, "\n"))
  return concat(lines, "\n"), types, params
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
