-- From the program of a reduction (reduce.lua) to CUDA C: what is the reduction's own, around a kernel of
-- kernels/array/reduce.cu.

local codegen = require "cudalua.gpuarray.codegen"
local address = require "cudalua.gpuarray.address"
local ctype = require "cudalua.gpuarray.ctype"
local prelude = require "cudalua.gpuarray.prelude"
local template = require "cudalua.gpuarray.template"

local concat = table.concat

local M = {}

local function add(list, text, ...) list[#list + 1] = select("#", ...) > 0 and text:format(...) or text end

-- ---- the reduction ------------------------------------------------------------------------------------------------

local function substituted(text, one, two)
  return (text:gsub("%$(%w)", { ["1"] = one, ["2"] = two, n = "count" }))
end

local function pieces_of(pieces, ...)
  for _, dt in ipairs { ... } do
    for _, name in ipairs(ctype.pieces(dt)) do pieces[name] = true end
  end
end

-- acc_t and what is done with it.
local function combination(kind, pieces)
  local value = ctype.register(kind.acc)
  local lines = { ("typedef %s value_t;"):format(value) }
  local own = "static __device__ __forceinline__ "
  pieces_of(pieces, kind.acc, kind.finished, kind.result)
  if kind.row.position then
    add(lines, "struct acc_t {\n  value_t value;\n  index_t at;\n};")
    add(lines, "%sacc_t neutral() { return acc_t{%s, (index_t)-1}; }", own, kind.neutral)
    add(lines, "%sacc_t start(const value_t x, const index_t at) { return acc_t{x, at}; }", own)
    add(lines, "%sbool better(const value_t a, const value_t b) { return %s; }", own,
      substituted(kind.combine, "a", "b"))
    add(lines, "%sacc_t combine(const acc_t a, const acc_t b) {", own)
    add(lines, "  const bool second = better(a.value, b.value) || b.at < a.at && !better(b.value, a.value);")
    add(lines, "  return acc_t{second ? b.value : a.value, second ? b.at : a.at};\n}")
    add(lines, "%slong long finish(const acc_t x, const double) { return (long long)x.at + 1; }", own)
    return concat(lines, "\n") .. "\n"
  end
  prelude.needed(kind.combine, pieces)
  add(lines, "typedef value_t acc_t;")
  add(lines, "%sacc_t neutral() { return %s; }", own, kind.neutral)
  add(lines, "%sacc_t start(const value_t x, const index_t) { return x; }", own)
  add(lines, "%sacc_t combine(const acc_t a, const acc_t b) { return %s; }", own, substituted(kind.combine, "a", "b"))
  add(lines, "%s%s finish(const acc_t x, const double count) {", own, ctype.memory(kind.result))
  add(lines, "  const %s y = %s;", ctype.register(kind.finished),
    kind.finish and substituted(kind.finish, "x") or "x")
  add(lines, "  const %s z = %s;", ctype.register(kind.result), ctype.convert(kind.finished, kind.result, "y"))
  add(lines, "  return %s;\n}", ctype.store(kind.result, "z"))
  return concat(lines, "\n") .. "\n"
end

-- ---- where elements are ---------------------------------------------------------------------------------------------

-- The functions that a kernel has, and the parameters that they need.
local function functions(p)
  local ending = p.ending[1]
  local wide, integer = ending.wide, ending.wide and "long long" or "int"
  local kept, gone = ending.kept, ending.gone
  local params, raw, bases, lines = {}, {}, {}, {}
  local begins, loads, arguments = {}, {}, {}
  address.extents(params, "k", kept, "index_t", wide)
  address.extents(params, "r", gone, "index_t", wide)
  local out = address.place(params, "o", kept, nil, integer)
  local operand = 1
  for i, leaf in ipairs(p.leaves) do
    local c = ctype.memory(leaf.dtype)
    if leaf.class == "one" then
      add(lines, "  const %s u%d = *p%d;", c, i, i)
      add(arguments, "u%d", i)
    else
      operand = operand + 1
      add(raw, "  %s a%d;", c, i)
      add(bases, "  const %s *b%d;", c, i)
      add(begins, "    b.b%d = p%d + (%s);", i, i, address.place(params, ("k%d"):format(i), kept, nil, integer))
      add(loads, "    x.a%d = b.b%d[%s];", i, i,
        address.place(params, ("r%d"):format(i), gone, p.ending[operand].step, integer))
      add(arguments, "x.a%d", i)
    end
  end
  for i = 1, #p.scalars do add(arguments, "s%d", i) end

  add(lines, "  const auto bases = [&](const unsigned long long k) {\n    bases_t b;")
  begins, loads = concat(begins, "\n"), concat(loads, "\n")
  address.coordinates(lines, "    ", "(index_t)k", "k", kept, "index_t", wide, begins)
  add(lines, "%s", begins)
  add(lines, "    return b;\n  };\n  const auto out_at = [&](const unsigned long long k) -> long long {")
  address.coordinates(lines, "    ", "(index_t)k", "k", kept, "index_t", wide, out)
  add(lines, "    return %s;\n  };", out)
  add(lines, "  const auto load = [&](const bases_t &b, const index_t r) {\n    raw_t x;")
  address.coordinates(lines, "    ", "r", "r", gone, "index_t", wide, loads)
  add(lines, "%s", loads)
  add(lines, "    return x;\n  };\n  const auto value = [&](const raw_t &x) { return compute(%s); };",
    concat(arguments, ", "))
  local types = ("struct raw_t {\n%s\n};\nstruct bases_t {\n%s\n};\n"):format(concat(raw, "\n"), concat(bases, "\n"))
  return concat(lines, "\n"), types, params
end

-- How many elements a thread loads before it uses the first: as many as registers hold, fewer of what takes long to
-- compute.
local function batch(p, kind)
  local bytes = kind.row.position and 2 * kind.acc.itemsize or kind.acc.itemsize
  for _, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then bytes = bytes + math.max(leaf.dtype.itemsize, 4) end
  end
  local n = #p.ops > 8 and 4 or 16
  while n > 2 and n * bytes > 256 do n = n / 2 end
  return n, 6 - math.log(n) / math.log(2) -- of 32 elements, and one level more, for all of them together
end

---The kernel that reduces a program's values.
---@param p cudalua.gpuarray.Program
---@return table  as codegen.elementwise(); acc_bytes: of a value that is handed on
function M.kernel(p)
  local ending = p.ending[1]
  local kind, form = ending.reduction, ending.form
  local split = form:find "split" ~= nil
  local pieces = {}
  for name in pairs(p.pieces) do pieces[name] = true end
  local own = combination(kind, pieces)
  local lambdas, types, extra = functions(p)
  local params = { ("%s *out"):format(ctype.memory(kind.result)) }
  for i, leaf in ipairs(p.leaves) do add(params, "const %s *p%d", ctype.memory(leaf.dtype), i) end
  for i, dt in ipairs(p.scalars) do add(params, "const %s s%d", ctype.register(dt), i) end
  for _, text in ipairs(extra) do add(params, text) end

  local n, levels = batch(p, kind)
  local name = "array_" .. kind.row.name
  while p.ops[#p.ops] == "astype" do table.remove(p.ops) end -- to the type that is computed in
  if #p.ops > 0 then name = codegen.name(p, name) end
  local fields = { name = name, params = ", " .. concat(params, ", "), functions = lambdas }
  local part = form
  if form:find "^columns" then
    part = "columns"
    fields.signature = ("extern \"C\" __global__ void __launch_bounds__(256) %s(const unsigned long long outputs, "
      .. "const index_t n, const double count, const unsigned log_x, const unsigned log_y%s%s) {"):format(name,
      split and ", const unsigned parts, acc_t *partial, unsigned *counters" or "", fields.params)
    fields.per_group = split and " / parts" or ""
    fields.part = split and "blockIdx.x % parts" or "0"
    fields.ending = template.fill("reduce", split and "columns_split" or "columns_whole", {})
  end
  local device = {
    p.compute, ("typedef %s index_t;\n"):format(ending.wide and "unsigned long long" or "unsigned"), types, own,
    template.fill("reduce", "common", { batch = n, levels = levels }),
    part ~= "columns" and template.fill("reduce", "warp", {}) or "",
    part ~= "rows" and template.fill("reduce", "block", {}) or "",
    split and template.fill("reduce", "split", {}) or "",
  }
  return { pieces = pieces, device = concat(device, "\n"), kernel = template.fill("reduce", part, fields), name = name,
    acc_bytes = kind.row.position and 16 or kind.acc.itemsize }
end

return M
