-- From the program of several reductions of one operand (joint.lua) to CUDA C. A kernel has a struct of what each of
-- them combines, and combines member by member, so each has the bits that it has alone. Reductions that combine the
-- same values in the same way, such as a sum and a mean, share a member.

local add = require("cudalua.base.tables").add
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local reduce_code = require "cudalua.gpuarray.reduce.code"
local pairs_of = require "cudalua.base.pairs_of"

local concat = table.concat
local OWN = reduce_code.OWN

local M = {}

-- A list as text: each(i, x) of its elements.
local function list_of(list, between, each)
  local texts = {}
  for i, x in ipairs(list) do texts[i] = each(i, x) end
  return concat(texts, between)
end

-- values_of(element): what each part combines, from an element of the operand.
local function conversions(lines, kind, dtype, pieces)
  add(lines, "%svalue_t values_of(const %s element) {", OWN, ctype.memory(dtype))
  add(lines, "  const %s v = %s;", ctype.register(dtype), ctype.load(dtype, "element"))
  local names = {}
  for i, part in ipairs(kind.parts) do
    local from, name = dtype, "v"
    for k, dt in ipairs(part.values) do
      if dt ~= from then
        for _, t in ipairs { from, dt } do
          for _, piece in ipairs(ctype.pieces(t)) do pieces[piece] = true end
        end
        local own = ("c%d_%d"):format(i, k)
        add(lines, "  const %s %s = %s;", ctype.register(dt), own, ctype.convert(from, dt, name))
        from, name = dt, own
      end
    end
    names[i] = name
  end
  add(lines, "  return value_t{%s};\n}", concat(names, ", "))
end

-- acc_t and what is done with it, of all parts.
local function combinations(kind, dtype, pieces)
  local lines, parts, tree, chunks = {}, kind.parts, kind.tree, kind.moments ~= nil
  for i, part in ipairs(parts) do
    add(lines, "namespace part_%d {", i)
    reduce_code.combination(lines, part, pieces, false, tree, chunks)
    add(lines, "}")
  end
  local function struct(name, type, field)
    add(lines, "struct %s {\n%s\n};", name, list_of(parts, "\n", function(i)
      return ("  part_%d::%s %s%d;"):format(i, type, field, i)
    end))
  end
  local function values(text)
    return list_of(parts, ", ", function(i) return (text:gsub("#", i)) end)
  end
  struct("value_t", "value_t", "v")
  struct("acc_t", "acc_t", "a")
  conversions(lines, kind, dtype, pieces)
  add(lines, "%sacc_t neutral() { return acc_t{%s}; }", OWN, values "part_#::neutral()")
  add(lines, "%sacc_t combine(const acc_t &x, const acc_t &y) { return acc_t{%s}; }", OWN,
    values "part_#::combine(x.a#, y.a#)")
  if chunks then
    add(lines, "typedef %s staged_t;\n%svalue_t unstaged(const staged_t x) { return values_of(x); }",
      ctype.memory(dtype), OWN)
    add(lines, "%sacc_t equal(const acc_t &x, const acc_t &y) { return acc_t{%s}; }", OWN,
      list_of(parts, ", ", function(i, part)
        return ("part_%d::%s(x.a%d, y.a%d)"):format(i, part.moments and "equal" or "combine", i, i)
      end))
    add(lines, "template <int N> %sacc_t of_values(const value_t (&x)[N], const index_t r, const int m) {", OWN)
    for i = 1, #parts do
      add(lines, "  part_%d::value_t v%d[N];\n#pragma unroll\n  for (int e = 0; e < N; e++) v%d[e] = x[e].v%d;", i, i,
        i, i)
    end
    add(lines, "  return acc_t{%s};\n}", values "part_#::of_values(v#, r, m)")
  elseif tree then
    add(lines, "%sacc_t start(const value_t &x, const index_t r) { return acc_t{%s}; }", OWN,
      values "part_#::start(x.v#, r)")
  else
    struct("part_t", "part_t", "p")
    add(lines, "%spart_t none() { return part_t{%s}; }", OWN, values "part_#::none()")
    add(lines, "%svoid add(part_t &part, const value_t &x, const int at) {\n%s\n}", OWN,
      list_of(parts, "\n", function(i) return ("  part_%d::add(part.p%d, x.v%d, at);"):format(i, i, i) end))
    add(lines, "%sacc_t end(const part_t &part, const index_t r) { return acc_t{%s}; }", OWN,
      values "part_#::end(part.p#, r)")
  end
  return lines
end

-- finish(): the results of all members. `space`: "first::" if there are two phases.
local function results(lines, kind, space, pieces)
  local members, of = kind.members, kind.part_of
  local divisors = {}
  for i, member in ipairs(members) do
    for _, t in ipairs { member.finished, member.result } do
      for _, piece in ipairs(ctype.pieces(t)) do pieces[piece] = true end
    end
    local acc = member.spread and "second::acc_t" or ("%spart_%d::acc_t"):format(space, of[i])
    reduce_code.finish(lines, member.spread or member, "finish_" .. i, acc)
    if member.spread or member.divides then divisors[#divisors + 1] = ("const double d%d"):format(i) end
  end
  add(lines, "struct result_t {\n%s\n};", list_of(members, "\n", function(i, member)
    return ("  %s y%d;"):format(ctype.memory(member.result), i)
  end))
  local more = #divisors > 0 and ", " .. concat(divisors, ", ") or ""
  add(lines, "%sresult_t finish(const %sacc_t &x%s, const double count%s) {\n  return result_t{%s};\n}", OWN, space,
    space == "" and "" or ", const second::acc_t &y", more, list_of(members, ", ", function(i, member)
      if member.spread then return ("finish_%d(y, d%d)"):format(i, i) end
      return ("finish_%d(x.a%d, %s)"):format(i, of[i], member.divides and "d" .. i or "count")
    end))
  return divisors
end

---The kernel of several reductions.
---@param p cudalua.gpuarray.Program
---@return table  as reduce_code.kernel()
function M.kernel(p)
  local ending, pieces = p.ending[1], {}
  local kind, dtype = ending.reduction, p.dtype
  for name in pairs_of(p.pieces) do pieces[name] = true end
  local spread = kind.middle
  local lines, more, params, after = combinations(kind, dtype, pieces), {}, {}, {}
  local divisors = results(spread and after or lines, kind, spread and "first::" or "", pieces)
  for i, member in ipairs(kind.members) do add(params, "%s *out%d", ctype.memory(member.result), i) end
  if kind.stored then add(params, "%s *stored", ctype.memory(kind.stored)) end
  for _, text in ipairs(divisors) do add(params, "%s", text) end
  for i, dt in ipairs(p.scalars) do add(more, "const %s s%d", ctype.register(dt), i) end
  local second
  if spread then
    local own, t, at = {}, ctype.register(spread.result), kind.middle_of
    reduce_code.combination(own, kind.squares, pieces, false, true)
    second = concat(own, "\n")
    add(after, "typedef %s middle_t;", t)
    local text = {}
    reduce_code.finish(text, spread, "middle_value", ("first::part_%d::acc_t"):format(at))
    add(after, "%s", concat(text, "\n"))
    add(after, "%smiddle_t middle_of(const first::acc_t &x, const double count) { return middle_value(x.a%d, count); }",
      OWN, at)
    add(after, "%smiddle_t square(const first::value_t &v, const middle_t middle) {\n  const middle_t d = v.v%d - " ..
      "middle;\n  return d * d;\n}", OWN, at)
  end
  local name = codegen.name(p, "array_" .. kind.row.name):gsub("_copy$", "")
  local staged = kind.moments and not ending.form:find "^columns"
  local function values(element)
    return staged and element or ("%svalues_of(%s)"):format(spread and "first::" or "", element)
  end
  local types, device, kernel = reduce_code.generate(p, { name = name, own = concat(lines, "\n"), second = second,
    tree = kind.tree, moments = kind.moments, staged = dtype.itemsize, heavy = #p.ops > 8, more = more, params = params,
    results = #kind.members, slow = true,
    divisors = divisors, stored = kind.stored,
    value = function(arguments)
      for i = 1, #p.scalars do add(arguments, "s%d", i) end
      local element = ("compute(%s)"):format(concat(arguments, ", "))
      return kind.stored and element or values(element)
    end, values = values })
  local list = spread and { p.compute, types, device, concat(after, "\n") } or
    { p.compute, types, concat(lines, "\n"), device }
  return { pieces = pieces, device = concat(list, "\n") .. "\n", kernel = kernel, name = name,
    acc_bytes = kind.acc_bytes(ending.wide) }
end

return M
