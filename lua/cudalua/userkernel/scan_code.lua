-- The CUDA C of a scan kernel: the user's expressions as functions, around a kernel of kernels/array/scan.cu. Lines of
-- the user keep their numbers, so that the compiler's errors are about his text.

local add = require("cudalua.base.tables").add
local scan_code = require "cudalua.gpuarray.reduce.scan_code"
local texts = require "cudalua.userkernel.text"

local concat = table.concat

local M = {}

-- ---- names ----------------------------------------------------------------------------------------------------------

-- What scan.cu declares for a whole source. In sources with a user's text it begins with cl_, so that his macros and
-- functions may have these names.
local ours = {}
for name in ([[RUN K ROW ROWS TILE WORDS Words Leaves from_lane lanes present within_run load_part finish_run
  load_row arrange finish_row ROOM BYTES spaced cell_t publish wait cell_before ends_group hand_on
  look_back LINES fetch_ahead combine acc_t index_t raw_t bases_t]]):gmatch "%S+" do
  ours[name] = "cl_" .. name
end

local function renamed(text) return (text:gsub("%f[%w_][%a_][%w_]*", ours)) end

-- ---- the user's part -----------------------------------------------------------------------------------------------

local OWN = "static __device__ __forceinline__ "

---A function with a text of the user's.
---@class cudalua.scan.Part
---@field result string  C type, or void: the text is statements, and else an expression
---@field name string
---@field params string
---@field part string    what the user calls the text
---@field text string

---@param list string[]
---@param k table
---@param p cudalua.scan.Part
local function add_function(list, k, p)
  add(list, "%s%s %s(%s) {%s\n%s\n}", OWN, p.result, p.name, p.params, p.result == "void" and "" or "\n  return",
    texts.statements(k.name, p.part, p.text))
end

-- The functions that a kernel calls, and how it does.
local function user_functions(k, form)
  local list, params, names = {}, {}, {}
  for i, arg in ipairs(k.args) do
    params[i] = ("%s%s %s%s"):format(arg.is_const and "const " or "", k.common.types[i], arg.is_vector and "*" or "",
      arg.name)
    names[i] = ("cl_arg%d"):format(i)
  end
  local inside = concat(params, ", ")
  local passed = concat(names, ", ")
  add(list, "typedef %s cl_value_t;", k.value_type)
  add(list, "%scl_value_t cl_scan(cl_value_t a, cl_value_t b) {", OWN)
  add(list, "  const bool across_seg_boundary = false;\n  (void)across_seg_boundary;\n  return")
  add(list, "%s\n}", texts.statements(k.name, "scan_expr", k.scan_expr))
  if k.neutral then
    add_function(list, k, { result = "cl_value_t", name = "cl_neutral", params = "", part = "neutral",
      text = k.neutral })
  end
  if not form.plain then
    local place = "const long long i, const long long n, const long long N, "
    add_function(list, k, { result = "cl_value_t", name = "cl_input", params = place .. inside, part = "input_expr",
      text = k.input_expr })
    if k.start_expr then
      add_function(list, k, { result = "bool", name = "cl_start", params = place .. inside,
        part = "is_segment_start_expr", text = k.start_expr })
    end
    add_function(list, k, { result = "void", name = "cl_output", params = ("%scl_value_t item, %s%s"):format(place,
      k.previous and "cl_value_t prev_item, " or "", inside), part = "output_statement", text = k.output_statement })
  end
  return concat(list, "\n") .. "\n", passed
end

-- ---- values and elements -------------------------------------------------------------------------------------------

local function values(form)
  if not form.segmented then
    return OWN .. "acc_t combine(const acc_t &a, const acc_t &b) { return cl_scan(a, b); }\n",
      "typedef cl_value_t acc_t;\n"
  end
  return OWN .. [[acc_t combine(const acc_t &a, const acc_t &b) {
  acc_t r;
  if (b.start) r.item = b.item;
  else r.item = cl_scan(a.item, b.item);
  r.start = a.start || b.start;
  return r;
}
]], "struct acc_t {\n  cl_value_t item;\n  bool start;\n};\n"
end

-- The functions of the kernel: see scan.cu.
local function lambdas(k, form, passed)
  local item = form.segmented and ".item" or ""
  local lines = { "  const auto bases = [&](const unsigned long long) { return bases_t(); };" }
  if form.split then
    add(lines, "  const auto ahead = [&](const unsigned long long, const index_t first) {%s};",
      not form.plain and "" or form.segmented and " fetch_ahead(cl_arg1 + first, n - first), "
      .. "fetch_ahead(cl_arg3 + first, n - first); " or " fetch_ahead(cl_arg1 + first, n - first); ")
  end
  add(lines, "  const auto load = [&](const bases_t &, const index_t r) {\n    raw_t x;")
  if form.plain then
    add(lines, "    x.item = cl_arg1[r];")
    if form.segmented then add(lines, "    x.start = cl_arg3[r] != 0;") end
  else
    add(lines, "    x.item = cl_input((long long)r, (long long)n, (long long)n, %s);", passed)
    if form.segmented then
      add(lines, "    x.start = cl_start((long long)r, (long long)n, (long long)n, %s);", passed)
    end
  end
  add(lines, "    return x;\n  };")
  if form.vector == "striped" then
    add(lines, "  const auto value = [&](const raw_t &x) -> acc_t { return x.item; };")
    add(lines, "  const auto outcome = [&](const raw_t &, const acc_t &y, const acc_t &before, const bool any) -> "
      .. "acc_t { return %s; };", form.exclusive and "any ? before : cl_neutral()" or "y")
    add(lines, "  const auto put = [&](const bases_t &, const index_t r, const acc_t &y) { cl_arg2[r] = y; };")
    return concat(lines, "\n")
  end
  add(lines, "  const auto load_run = [&](const bases_t &b, const index_t r, raw_t (&raw)[RUN]) {")
  if form.vector then
    add(lines, "    const cl_pack_t v = *(const cl_pack_t *)(cl_arg1 + r);")
    if form.segmented then add(lines, "    const cl_marks_t marks = *(const cl_marks_t *)(cl_arg3 + r);") end
    add(lines, "#pragma unroll\n    for (int i = 0; i < RUN; i++) {\n      raw[i].item = v.e[i];")
    if form.segmented then add(lines, "      raw[i].start = marks.e[i] != 0;") end
    add(lines, "    }")
  else
    add(lines, "#pragma unroll\n    for (int i = 0; i < RUN; i++) raw[i] = load(b, r + i);")
  end
  add(lines, "  };\n  const auto value = [&](const raw_t &x) -> acc_t {")
  if form.segmented then
    add(lines, "    acc_t y;\n    y.item = x.item;\n    y.start = x.start;\n    return y;\n  };")
  else
    add(lines, "    return x.item;\n  };")
  end
  local previous = k.previous and (form.segmented and "any && !raw.start ? before.item : cl_neutral()" or
    "any ? before : cl_neutral()")
  local parameters = "const raw_t &raw, const acc_t &y, const acc_t &before, const bool any"
  if form.plain then
    local result = form.exclusive and previous or "y" .. item
    add(lines, "  const auto result = [&](%s) -> cl_value_t { return %s; };", parameters, result)
  end
  add(lines, "  const auto put = [&](const bases_t &, const index_t r, %s) {", parameters)
  if form.plain then
    add(lines, "    cl_arg2[r] = result(raw, y, before, any);\n  };")
  else
    add(lines, "    cl_output((long long)r, (long long)n, (long long)n, y%s, %s%s);\n  };", item,
      k.previous and previous .. ", " or "", passed)
  end
  add(lines, "  const auto put_run = [&](const bases_t &b, const index_t r, const raw_t (&raw)[RUN], "
    .. "const acc_t (&y)[RUN], const acc_t &before, const bool any) {")
  if form.vector then
    add(lines, "    cl_pack_t v;\n#pragma unroll\n    for (int i = 0; i < RUN; i++)")
    add(lines, "      v.e[i] = result(raw[i], y[i], i ? y[i ? i - 1 : 0] : before, i || any);")
    add(lines, "    *(cl_pack_t *)(cl_arg2 + r) = v;\n  };")
  else
    add(lines, "#pragma unroll\n    for (int i = 0; i < RUN; i++)")
    add(lines, "      put(b, r + i, raw[i], y[i], i ? y[i ? i - 1 : 0] : before, i || any);\n  };")
  end
  return concat(lines, "\n")
end

---One form of a kernel.
---@class cudalua.scan.Form
---@field split boolean      there are several tiles
---@field wide boolean       elements are numbered with 64 bits
---@field plain boolean      from one array (the first argument) to another (the second), as they are
---@field exclusive boolean  plain: what comes before each element
---@field segmented boolean
---@field vector boolean|"striped"  plain: runs are read and written in one piece; neighbouring threads have neighbours

local function sizes(k, segmented)
  local acc = k.itemsize + (segmented and k.alignment or 0)
  local run, rows = scan_code.sizes(k.itemsize, acc)
  return run, rows, acc
end

---How a kernel from one array to another comes by runs: see Form.
---@param k table
---@param segmented boolean
---@param aligned boolean
---@return boolean|"striped"
function M.vector(k, segmented, aligned)
  local bytes = sizes(k, segmented) * k.itemsize
  if aligned and bytes > k.itemsize and (bytes == 2 or bytes == 4 or bytes == 8 or bytes == 16) then return true end
  return bytes > k.itemsize and not segmented and "striped"
end

---@param k table            the kernel: name, args, common, value_type, itemsize, scan_expr, neutral ...
---@param form cudalua.scan.Form
---@return {source: string, types: any[], acc_bytes: integer, tile: integer}
function M.kernel(k, form)
  local run, rows, acc = sizes(k, form.segmented)
  local functions, passed = user_functions(k, form)
  local combine, acc_type = values(form)
  local params, types = {}, { "unsigned long long", form.wide and "unsigned long long" or "unsigned int",
    "unsigned int" }
  if form.split then
    for _, t in ipairs { "void *", "void *", "unsigned long long", "unsigned int" } do types[#types + 1] = t end
  end
  for i, arg in ipairs(k.args) do
    add(params, "%s%s %scl_arg%d", arg.is_const and "const " or "", k.common.types[i], arg.is_vector and "*" or "", i)
    types[#types + 1] = arg.is_vector and "void *" or arg
  end
  if form.plain and form.segmented then
    add(params, "const unsigned char *cl_arg3")
    types[#types + 1] = "void *"
  end
  local device, kernel = scan_code.text { name = k.name, form = form.split and "tiles" or "tile", params = params,
    functions = lambdas(k, form, passed), run = run, rows = rows, acc_bytes = acc,
    striped = form.vector == "striped" }
  local own = { acc_type, ("typedef %s index_t;\n"):format(form.wide and "unsigned long long" or "unsigned"),
    "struct raw_t {\n  cl_value_t item;\n  bool start;\n};\nstruct bases_t {};\n", combine,
    ("struct __align__(%d) cl_pack_t { cl_value_t e[%d]; };\n"):format(form.vector == true and run * k.itemsize
      or 1, run) .. ("struct __align__(%d) cl_marks_t { unsigned char e[%d]; };\n"):format(run, run), device, kernel }
  if form.vector ~= true then own[5] = "" end
  -- The user's texts are all behind us: his macros must not change what follows.
  local undefined = texts.undefine(k, { k.value_type, unpack(k.common.types) })
  local source = k.common.head .. texts.preamble(k) .. functions .. undefined .. renamed(concat(own))
  return { source = texts.with_lines(source, k.name),
    types = types, acc_bytes = acc, tile = 32 * run * 8 * rows }
end

return M
