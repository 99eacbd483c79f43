-- The CUDA C of a ReductionKernel: the user's expressions as functions, and around them the kernels that reduce arrays
-- (gpuarray/reduce/code.lua). Lines of the user keep their numbers, so that the compiler's errors are about his text.

local add = require("cudalua.base.tables").add
local reduce_code = require "cudalua.gpuarray.reduce.code"
local texts = require "cudalua.userkernel.text"
local tools = require "cudalua.types.kernel_arguments"
local types_of = require("cudalua.userkernel.types").of

local concat = table.concat

local M = {}

local OWN = "__device__ __forceinline__ "

-- What stands for an array in the user's expression: it gives the element at [i].
local ELEMENT = [[
template <class T> struct cl_at {
  const T &x;
  __device__ __forceinline__ const T &operator[](long long) const { return x; }
};
]]

---The types of a kernel's arguments and results, and what declares them.
---@param k table
---@return {types: string[], results: string[], head: string}
function M.common(k)
  local args = { unpack(k.args) }
  for j, output in ipairs(k.outputs) do args[#k.args + j] = tools.ScalarArg(output.dtype, "cl_out" .. j) end
  local c = types_of(args, k.preamble)
  local results = {}
  for j = 1, #k.outputs do results[j] = c.types[#k.args + j] end
  return { types = c.types, results = results, head = c.head }
end

-- What map_expr is given: the elements at [i], arrays as they are, numbers.
local function parameters(k)
  local list = { "const long long i", "const long long n" }
  for i, arg in ipairs(k.args) do
    local t = k.common.types[i]
    if not arg.is_vector then
      add(list, "const %s %s", t, arg.name)
    elseif k.usage.at_i[arg.name] then
      add(list, "const cl_at<%s> %s", t, arg.name)
    else
      add(list, "%s%s *%s", arg.is_const and "const " or "", t, arg.name)
    end
  end
  return concat(list, ", ")
end

-- The user's expressions as functions, outside of the kernel's own names.
local function expressions(k)
  local lines = {}
  for j, output in ipairs(k.outputs) do
    local t = k.common.results[j]
    add(lines, "%s%s cl_map%d(%s) {\n  return\n%s\n  ;\n}", OWN, t, j, parameters(k),
      texts.quoted(k.name, output.label "map_expr", output.map))
    add(lines, "%s%s cl_reduce%d(const %s a, const %s b) {\n  return\n%s\n  ;\n}", OWN, t, j, t, t,
      texts.quoted(k.name, output.label "reduce_expr", output.reduce))
    add(lines, "%s%s cl_neutral%d() {\n  return\n%s\n  ;\n}", OWN, t, j,
      texts.quoted(k.name, output.label "neutral", output.neutral))
  end
  return concat(lines, "\n") .. "\n"
end

-- One value after the other, for each result.
local function each(k, text, between)
  local list = {}
  for j = 1, #k.outputs do list[j] = text:gsub("#", j) end
  return concat(list, between or ", ")
end

-- acc_t and what is done with it; a struct where there are several results, which are stored one by one.
local function combination(k)
  local lines = {}
  if #k.outputs == 1 then
    add(lines, "typedef %s acc_t;", k.common.results[1])
    add(lines, "%sacc_t neutral() { return cl_neutral1(); }", OWN)
    add(lines, "%sacc_t combine(const acc_t &a, const acc_t &b) { return cl_reduce1(a, b); }", OWN)
  else
    add(lines, "struct acc_t {")
    for j, t in ipairs(k.common.results) do add(lines, "  %s x%d;", t, j) end
    add(lines, "};\nstruct place_t {")
    for j, t in ipairs(k.common.results) do add(lines, "  %s *p%d;", t, j) end
    add(lines, "  %svoid operator=(const acc_t &a) const { %s; }\n};", OWN, each(k, "*p# = a.x#", "; "))
    add(lines, "struct out_t {\n  place_t at;")
    add(lines, "  %sconst place_t &operator[](long long) const { return at; }\n};", OWN)
    add(lines, "%sacc_t neutral() { return acc_t{%s}; }", OWN, each(k, "cl_neutral#()"))
    add(lines, "%sacc_t combine(const acc_t &a, const acc_t &b) { return acc_t{%s}; }", OWN,
      each(k, "cl_reduce#(a.x#, b.x#)"))
  end
  add(lines, "typedef acc_t value_t;")
  add(lines, "%sconst acc_t &start(const value_t &x, const index_t) { return x; }", OWN)
  add(lines, "%sconst acc_t &finish(const acc_t &x, const double) { return x; }", OWN)
  return concat(lines, "\n") .. "\n"
end

-- The source of a form.
local function source_of(k, tokens)
  local leaves, params, more, given, lines = {}, {}, {}, { "cl_start + (long long)r * cl_step", "cl_n" }, {}
  local own = combination(k)
  for j, t in ipairs(k.common.results) do params[j] = ("%s *%s"):format(t, #k.outputs > 1 and "out" .. j or "out") end
  if #k.outputs > 1 then add(lines, "  const out_t out{{%s}};", each(k, "out#")) end
  for i, arg in ipairs(k.args) do
    local t = k.common.types[i]
    if arg.is_vector and k.usage.at_i[arg.name] then
      leaves[#leaves + 1] = { dtype = arg.dtype, c_type = t, class = "strided" }
      given[#given + 1] = { t, #leaves }
    else
      add(more, "%s%s %scl_%s", arg.is_const and "const " or "", t, arg.is_vector and "*" or "", arg.name)
      given[#given + 1] = "cl_" .. arg.name
    end
  end
  for _, name in ipairs { "start", "step", "n" } do add(more, "const long long cl_%s", name) end
  local function value(elements)
    local list = {}
    for i, x in ipairs(given) do
      list[i] = type(x) == "table" and ("cl_at<%s>{%s}"):format(x[1], elements[x[2]]) or x
    end
    local text = concat(list, ", ")
    if #k.outputs == 1 then return ("cl_map1(%s)"):format(text) end
    return ("acc_t{%s}"):format(each(k, "cl_map#(" .. text .. ")"))
  end
  local types, device, kernel = reduce_code.generate({ leaves = leaves, ending = tokens }, {
    name = k.name, own = own, tree = true, heavy = #k.outputs > 2, params = params, more = more, value = value,
    lines = #lines > 0 and concat(lines, "\n") or nil })
  local all = { unpack(k.common.types) }
  for _, t in ipairs(k.common.results) do all[#all + 1] = t end
  local source = k.common.head .. ELEMENT .. texts.preamble(k) .. expressions(k) .. texts.undefine(k, all) ..
    "namespace cl_reduction {\n" .. types .. own .. device .. kernel .. "\n}\n"
  return texts.with_lines(source, k.name)
end

-- The types of the kernel's parameters, for get_function().
local function parameter_types(k, p, tokens)
  local ending = tokens[1]
  local index, integer = ending.wide and "unsigned long long" or "unsigned", ending.wide and "long long" or "int"
  local list = { "unsigned long long", index, "double", "unsigned", "unsigned" }
  local function put(t, times)
    for _ = 1, times or 1 do list[#list + 1] = t end
  end
  if p.counters > 0 then
    put "unsigned"
    put("void *", 2)
  end
  put("void *", #k.outputs + #tokens - 1)
  for _, arg in ipairs(k.args) do
    if not (arg.is_vector and k.usage.at_i[arg.name]) then put(arg.is_vector and "void *" or arg) end
  end
  put("long long", 3)
  for _ = 2, ending.gone do
    put(index)
    if not ending.wide then put("unsigned", 2) end
  end
  for i = 2, #tokens do put(integer, ending.gone - (tokens[i].along == "any" and 0 or 1)) end
  return list
end

---One form of a kernel.
---@param k table          name, args, outputs, usage, common, preamble
---@param p table          the plan
---@param tokens table[]   the program's end, of reduce_run.one_output()
---@return {source: string, types: any[], namespaced: true}
function M.kernel(k, p, tokens)
  return { source = source_of(k, tokens), types = parameter_types(k, p, tokens), namespaced = true }
end

return M
