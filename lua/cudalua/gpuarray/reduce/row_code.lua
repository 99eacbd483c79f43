-- From the program of a row kernel (row.lua) to CUDA C. Each value has a phase: that of arrays and numbers is 1, and a
-- reduction's result has the phase behind that of what is reduced. A kernel has a loop over the elements of a row for
-- each phase. What a later phase needs of an element is in registers, or is computed again if that takes little.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local costs = require "cudalua.gpuarray.reduce.costs"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local reduce_code = require "cudalua.gpuarray.reduce.code"
local template = require "cudalua.gpuarray.kernel.template"
local pairs_of = require "cudalua.base.pairs_of"

local concat, max = table.concat, math.max

local M = {}

-- ---- phases ---------------------------------------------------------------------------------------------------------

---A value that costs more than this is kept for later phases, and not computed again.
M.KEEP = 8

---A program with the phase of each of its values.
---@class cudalua.gpuarray.Phases
---@field program cudalua.gpuarray.LinedProgram
---@field count integer           number of phases
---@field types table<string, string>  of variables that lines compute
---@field known table<string, cudalua.gpuarray.PhaseValue>  by variable
---@field parts table[]           reductions whose values are combined: {reduction, phase, value}
---@field part_of integer[]       of each reduction of the program
---@field words number            of 4 bytes, that an element takes in registers from one phase to the next, at most
---@field early number            the same if all arrays are loaded in the first phase; 0: they are anyway
---@field cost integer             of an element's operations
---@field reread boolean          an array is used in two phases
---@field moments boolean         a variance in one pass is among the reductions
---@field elements? string[]     how an element of an array is written

---A variable.
---@class cudalua.gpuarray.PhaseValue
---@field phase integer
---@field whole boolean    it has a value for each element of the row
---@field line? cudalua.gpuarray.ProgramLine
---@field leaf? integer
---@field last integer     the last phase that uses it
---@field kept boolean     in registers for later phases
---@field home? integer    the phase that computes it first

local function words_in(text) return text:gmatch "[%a_][%w_]*" end

-- Leaves out lines that compute what an earlier one has computed, such as the same conversion for two reductions.
local function merge(self)
  local p, lines, found, alias = self.program, {}, {}, {}
  local function renamed(text) return (text:gsub("[%a_][%w_]*", alias)) end
  for _, line in ipairs(p.lines) do
    line.text = renamed(line.text)
    -- A copy of a variable of the same type is that variable.
    local copied = self.types[line.text] == line.type and line.text
    local before = copied or found[line.type .. " " .. line.text]
    if before then
      alias[line.name] = before
    else
      found[line.type .. " " .. line.text], self.types[line.name], lines[#lines + 1] = line.name, line.type, line
    end
  end
  p.lines = lines
  for _, r in ipairs(p.reductions) do r.value = renamed(r.value) end
  for _, s in ipairs(p.stores) do s.text = renamed(s.text) end
end

-- Notes the phases of all variables.
local function place(self)
  local p, known = self.program, self.known
  local function phase_of(text)
    local phase, whole = 1, false
    for word in words_in(text) do
      local v = known[word]
      local n = not v and tonumber(word:match "^y(%d+)$")
      if n then
        v = { phase = known[p.reductions[n].value].phase + 1, whole = false, last = 0, kept = false }
        known[word] = v
      end
      if v then phase, whole = max(phase, v.phase), whole or v.whole end
    end
    return phase, whole
  end
  for i, leaf in ipairs(p.leaves) do
    known["a" .. i] = { phase = 1, whole = leaf.class ~= "one", leaf = i, last = 0, kept = false }
  end
  for i = 1, #p.scalars do known["s" .. i] = { phase = 1, whole = false, last = 0, kept = false } end
  for _, line in ipairs(p.lines) do
    local phase, whole = phase_of(line.text)
    known[line.name] = { phase = phase, whole = whole, line = line, last = 0, kept = false }
  end
  for _, r in ipairs(p.reductions) do
    r.phase = phase_of(r.value)
    self.count = max(self.count, r.phase)
  end
  for _, s in ipairs(p.stores) do
    s.phase = phase_of(s.text)
    self.count = max(self.count, s.phase)
  end
end

-- Reductions of one value that combine alike are one.
local function share(self)
  local known = {}
  for i, r in ipairs(self.program.reductions) do
    local kind = r.kind
    local key = table.concat({ r.value, kind.acc.name, kind.combine, kind.neutral, tostring(kind.tree),
      tostring(kind.row.position) }, "|")
    if not known[key] then
      self.parts[#self.parts + 1] = r
      known[key] = #self.parts
    end
    self.part_of[i] = known[key]
  end
end

-- Calls each(name, value) for the variables that a text depends on in this phase, operands first. It does not look
-- behind what is kept, arrays, and values of whole rows.
local function visit(self, text, phase, seen, each)
  for word in words_in(text) do
    local v = self.known[word]
    if v and not seen[word] then
      seen[word] = true
      local computed = v.whole and v.line and not (v.kept and v.home < phase)
      if computed then visit(self, v.line.text, phase, seen, each) end
      each(word, v)
    end
  end
end

local function cost_of_line(line) return line and line.op and costs.of(line.op) or 0 end

local function cost_of(self, name, phase)
  local sum = 0
  visit(self, name, phase, {}, function(_, v)
    if v.whole then sum = sum + cost_of_line(v.line) end
  end)
  return sum
end

-- The expressions that a phase reduces or stores.
local function outputs(self, phase)
  local list = {}
  for _, part in ipairs(self.parts) do
    if part.phase == phase then list[#list + 1] = part.value end
  end
  for _, s in ipairs(self.program.stores) do
    if s.phase == phase then list[#list + 1] = s.text end
  end
  return list
end

-- Decides what is kept in registers: what an earlier phase has computed and a later one uses directly.
local function keep(self)
  for phase = 1, self.count do
    local function look(text)
      for word in words_in(text) do
        local v = self.known[word]
        if v and v.whole and v.line and v.home ~= phase and not v.kept then
          v.kept = v.home ~= nil and cost_of(self, word, phase) > M.KEEP
          v.home = v.home or phase
          if not v.kept then look(v.line.text) end
        end
      end
    end
    for _, text in ipairs(outputs(self, phase)) do look(text) end
  end
end

local sizes = { bool = 1, float2 = 2, double = 2, double2 = 4, ["long long"] = 2, ["unsigned long long"] = 2 }

-- Counts what is in registers from one phase to the next, and operations.
local function count(self)
  for phase = 1, self.count do
    local seen = {}
    for _, text in ipairs(outputs(self, phase)) do
      visit(self, text, phase, seen, function(_, v)
        v.first = v.first or phase
        v.last = max(v.last, phase)
        if v.whole and not (v.kept and v.home < phase) then self.cost = self.cost + cost_of_line(v.line) end
      end)
    end
  end
  local later = false
  for phase = 1, self.count - 1 do
    local words, early = 0, 0
    for _, v in pairs_of(self.known) do
      local from, whole = v.leaf and v.whole and v.first or v.kept and v.home, v.leaf and v.whole
      if from and v.last > phase then
        local own = v.leaf and self.program.leaves[v.leaf].dtype.itemsize / 4 or sizes[v.line.type] or 1
        if from <= phase then
          words = words + own
          self.reread = self.reread or v.leaf ~= nil
        end
        if whole or from <= phase then early = early + own end
        later = later or whole and from > 1
      end
    end
    self.words, self.early = max(self.words, words), max(self.early, early)
  end
  if not later then self.early = 0 end
end

---@param tokens table[]  of the program, without its end
---@return cudalua.gpuarray.Phases
function M.phases(tokens)
  local self = { program = codegen.lines(tokens), count = 1, known = {}, parts = {}, part_of = {}, types = {},
    words = 0, early = 0, cost = 0, reread = false, moments = false }
  merge(self)
  place(self)
  share(self)
  for _, part in ipairs(self.parts) do self.moments = self.moments or part.kind.moments ~= nil end
  keep(self)
  count(self)
  return self
end

-- ---- where elements are ---------------------------------------------------------------------------------------------

-- The functions that find and load elements, their types and parameters; and how elements of arrays are written.
-- `used`: the variables that are needed; the compiler would warn of functions that load others.
local function functions(p, ending, used)
  local stay = address.axes(ending[1].kept, ending[1].wide, { label = "k", index = "index_t" })
  local go = address.axes(ending[1].gone, ending[1].wide, { label = "r", index = "index_t" })
  local joined, width = ending[1].joint, ending[1].width
  local t = { types = {}, bases = {} }
  local params, lines, begins, elements = {}, {}, {}, {}
  address.extents(params, stay)
  address.extents(params, go)
  local out, operand = address.place(params, stay, "o"), 1
  for i, leaf in ipairs(p.leaves) do
    if leaf.class == "one" then
      if used["a" .. i] then add(lines, "  const %s a%d = *p%d;", ctype.memory(leaf.dtype), i, i) end
    else
      operand = operand + 1
      local along = ending[operand].along
      add(begins, "    b.b%d = p%d + (%s);", i, i, address.place(params, stay, ("k%d"):format(i)))
      local fixed = along == "packed" and 1 or along ~= "any" and along or nil
      local at = address.place(params, go, ("r%d"):format(i), fixed)
      t.loads, t.some, t.arguments = {}, {}, {}
      reduce_code.in_memory(t, { number = i, leaf = leaf, along = along, at = at, width = width, joint = joined,
        step = fixed and tostring(fixed) or ("r%d_%d"):format(i, go.rank) })
      local function own(list) return (concat(list, "\n"):gsub("x%.a" .. i .. "%f[%D]", "x")) end
      local list = used["a" .. i] and lines or {}
      add(list, "  const auto load_%d = [&](const index_t r, const int m) {\n    pack_%d x;", i, i)
      if joined then
        local loads = own(t.loads)
        add(list, "    if (m == %d) {", width)
        address.coordinates(list, "      ", "r", go, loads)
        add(list, "%s\n      return x;\n    }", loads)
      end
      local some = own(t.some)
      add(list, "#pragma unroll\n    for (int e = 0; e < %d; e++) {\n      if (e >= m) break;", width)
      address.coordinates(list, "      ", "(r + e)", go, some)
      add(list, "%s\n    }\n    return x;\n  };", some)
      elements[i] = joined and along == 0 and ("x%d[j].e[0]"):format(i) or ("x%d[j].e[e]"):format(i)
    end
  end
  for k, s in ipairs(p.stores) do
    local along, c = ending[operand + k].along, ctype.memory(s.dtype)
    add(t.types, "struct %sout_%d_t {\n  %s e[%d];\n};\n", along == "packed" and
      ("__align__(%d) "):format(math.min(16, width * s.dtype.itemsize)) or "", k, c, width)
    add(t.bases, "  %s *to%d;", c, k)
    add(begins, "    b.to%d = to%d + (%s);", k, k, address.place(params, stay, ("kt%d"):format(k)))
    local at = address.place(params, go, ("rt%d"):format(k), along ~= "any" and 1 or nil)
    add(lines, "  const auto store_%d = [&](const index_t r, const int m, const out_%d_t &x) {", k, k)
    if along == "packed" then
      add(lines, "    if (m == %d) {", width)
      address.coordinates(lines, "      ", "r", go, at)
      add(lines, "      *(out_%d_t *)(b.to%d + (%s)) = x;\n      return;\n    }", k, k, at)
    end
    add(lines, "#pragma unroll\n    for (int e = 0; e < %d; e++) {\n      if (e >= m) break;", width)
    address.coordinates(lines, "      ", "(r + e)", go, at)
    add(lines, "      b.to%d[%s] = x.e[e];\n    }\n  };", k, at)
  end
  local bases = { "  const auto bases = [&](const unsigned long long k) {\n    bases_t b;" }
  local texts = concat(begins, "\n")
  address.coordinates(bases, "    ", "(index_t)k", stay, texts .. out)
  add(bases, "%s\n    b.at = %s;\n    return b;\n  };", texts, out)
  local types = ("%sstruct bases_t {\n%s\n  long long at;\n};\n"):format(concat(t.types), concat(t.bases, "\n"))
  return concat(bases, "\n"), concat(lines, "\n"), types, params, elements
end

-- ---- the kernel -----------------------------------------------------------------------------------------------------

-- Adds the lines of these names, in the order of the program.
local function lines_of(self, names, lines, indent)
  for i, leaf in ipairs(self.program.leaves) do
    if names["a" .. i] then
      add(lines, "%sconst %s a%d = %s;", indent, ctype.memory(leaf.dtype), i, self.elements[i])
    end
  end
  for _, line in ipairs(self.program.lines) do
    local v = self.known[line.name]
    if names[line.name] == "kept" then
      add(lines, "%sconst %s %s = k_%s[j][e];", indent, line.type, line.name, line.name)
    elseif names[line.name] then
      add(lines, "%sconst %s %s = %s;", indent, line.type, line.name, line.text)
      if v.kept and v.home == names[line.name] then
        add(lines, "%sk_%s[j][e] = %s;", indent, line.name, line.name)
      end
    end
  end
end

-- Adds the lines of this phase that have one value for a row, which is computed once.
local function row_lines(self, phase, used, lines)
  for _, line in ipairs(self.program.lines) do
    local v = self.known[line.name]
    if not v.whole and v.phase == phase and used[line.name] then
      add(lines, "  const %s %s = %s;", line.type, line.name, line.text)
    end
  end
end

-- The loop of a phase, and the lines after it.
local function phase_text(self, phase, used)
  local p, names = self.program, {}
  local t = { declared = {}, loads = {}, packs = {}, lines = {}, otherwise = {}, pack_ends = {}, ends = {} }
  for _, text in ipairs(outputs(self, phase)) do
    visit(self, text, phase, {}, function(name, v)
      if v.whole then names[name] = v.kept and v.home < phase and "kept" or phase end
    end)
  end
  for i, leaf in ipairs(p.leaves) do
    local v = self.known["a" .. i]
    if v.first and leaf.class ~= "one" and (p.ending[1].early and 1 or v.first) == phase then
      add(t.declared, "  pack_%d x%d[PACKS];", i, i)
      add(t.loads, "    x%d[j] = load_%d(r, m);", i, i)
    end
  end
  for _, line in ipairs(p.lines) do
    local v = self.known[line.name]
    if v.kept and v.home == phase then
      add(t.declared, "  %s k_%s[PACKS][WIDTH];", line.type, line.name)
    end
  end
  lines_of(self, names, t.lines, "        ")
  for i, part in ipairs(self.parts) do
    if part.phase == phase then
      if part.kind.moments then
        add(t.declared, "  r%d::acc_t t%d[PACKS];", i, i)
        add(t.packs, "    r%d::value_t p%d[WIDTH];", i, i)
        add(t.lines, "        p%d[e] = %s;", i, part.value)
        add(t.pack_ends, "    t%d[j] = r%d::of_values(p%d, 0, m);", i, i, i)
        add(t.ends, "  const r%d::acc_t c%d_row = r%d::of_row(shared%d, r%d::of_warp(t%d));", i, i, i, i, i, i)
      elseif part.kind.tree then
        add(t.declared, "  r%d::acc_t t%d[PACKS];", i, i)
        add(t.packs, "    r%d::acc_t p%d[WIDTH];", i, i)
        add(t.lines, "        p%d[e] = r%d::start(%s, r + e);", i, i, part.value)
        add(t.otherwise, "        p%d[e] = r%d::neutral();", i, i)
        add(t.pack_ends, "    t%d[j] = r%d::pairwise(p%d);", i, i, i)
        add(t.ends, "  const r%d::acc_t c%d_row = r%d::of_row(shared%d, r%d::of_warp(t%d));", i, i, i, i, i, i)
      else
        add(t.declared, "  r%d::part_t f%d = r%d::none();", i, i, i)
        add(t.lines, "        r%d::add(f%d, %s, j * STEP + e);", i, i, part.value)
        add(t.ends, "  const r%d::acc_t c%d_row = r%d::of_row(shared%d, r%d::lanes(r%d::end(f%d, begin), 1, LANES));",
          i, i, i, i, i, i, i)
      end
    end
  end
  for k, s in ipairs(p.stores) do
    if s.phase == phase then
      add(t.packs, "    out_%d_t o%d;", k, k)
      add(t.lines, "        o%d.e[e] = %s;", k, s.text)
      add(t.pack_ends, "    if (there) store_%d(r, m, o%d);", k, k)
    end
  end
  for i, r in ipairs(p.reductions) do
    if r.phase == phase and (used["y" .. i] or not r.middle) then
      add(t.ends, "  const %s y%d = finish_%d(c%d_row, %s);", ctype.memory(r.kind.result), i, i, self.part_of[i],
        r.kind.divides and "d" .. i or "count")
    end
    if r.phase == phase and not r.middle then add(t.ends, "  if (there && first) out%d[b.at] = y%d;", i, i) end
  end
  row_lines(self, phase + 1, used, t.ends)
  local full = p.ending[1].full
  local uses = not full or #t.otherwise > 0 or concat(t.pack_ends):find "store_"
  local valid = full and "WIDTH" or "r >= n ? 0 : n - r < WIDTH ? (int)(n - r) : WIDTH"
  local loading = #t.loads > 0 and template.fill("row", "loads", { valid = valid, loads = concat(t.loads, "\n") })
  return template.fill("row", "phase", { number = phase, declared = concat(t.declared, "\n"), loading = loading or "",
    place = uses and "    const index_t r = begin + j * STEP;" or "", valid = valid,
    packs_of = concat(t.packs, "\n"), lines = concat(t.lines, "\n"), pack_ends = concat(t.pack_ends, "\n"),
    ends = concat(t.ends, "\n"),
    otherwise = #t.otherwise > 0 and (" else {\n%s\n      }"):format(concat(t.otherwise, "\n")) or "" })
end

-- The variables that results and reductions depend on.
local function used_of(self)
  local used = {}
  local function use(text)
    for word in words_in(text) do
      if self.known[word] and not used[word] then
        used[word] = true
        local line = self.known[word].line
        if line then use(line.text) end
        local n = tonumber(word:match "^y(%d+)$")
        if n then use(self.program.reductions[n].value) end
      end
    end
  end
  for _, s in ipairs(self.program.stores) do use(s.text) end
  for _, r in ipairs(self.program.reductions) do use(r.value) end
  return used
end

-- acc_t and what is done with it, in a namespace for each part.
local function namespaces(self, fields, pieces)
  local list, across = {}, self.program.ending[1].form == "across"
  for i, part in ipairs(self.parts) do
    local lines, tree = {}, part.kind.tree
    reduce_code.combination(lines, part.kind, pieces, false, tree)
    local text = concat(lines, "\n") .. "\n" .. template.fill("reduce", "common", fields)
    if tree and across then
      text = text .. template.fill("row", "of_thread", fields)
    elseif tree then
      text = text .. template.fill("reduce", "exchange", fields) .. template.fill("row", "row", fields)
    end
    text = text .. template.fill("row", across and "across_groups" or fields.warps > 1 and "across_warps" or
      "hand_round", fields)
    add(list, "namespace r%d {\n%s\n}", i, text)
  end
  for i, r in ipairs(self.program.reductions) do
    for _, dt in ipairs { r.kind.finished or r.kind.acc, r.kind.result } do
      for _, name in ipairs(ctype.pieces(dt)) do pieces[name] = true end
    end
    local text = {}
    reduce_code.finish(text, r.kind, "finish_" .. i, ("r%d::acc_t"):format(self.part_of[i]))
    list[#list + 1] = concat(text, "\n")
  end
  return concat(list, "\n")
end

---The kernel of a program.
---@param tokens table[]  with its end
---@return table  as reduce_code.kernel()
function M.kernel(tokens)
  local self = M.phases(tokens)
  local p, pieces = self.program, {}
  local ending = p.ending[1]
  local across = ending.form == "across"
  for name in pairs_of(p.pieces) do pieces[name] = true end
  local used = used_of(self)
  local bases, lambdas, types, extra, elements = functions(p, p.ending, used)
  self.elements = elements
  local params = {}
  for i, r in ipairs(p.reductions) do
    if not r.middle then add(params, "%s *out%d", ctype.memory(r.kind.result), i) end
  end
  for k, s in ipairs(p.stores) do add(params, "%s *to%d", ctype.memory(s.dtype), k) end
  for i, r in ipairs(p.reductions) do
    if r.kind.divides then add(params, "const double d%d", i) end
  end
  for i, leaf in ipairs(p.leaves) do add(params, "const %s *p%d", ctype.memory(leaf.dtype), i) end
  for i, dt in ipairs(p.scalars) do add(params, "const %s s%d", ctype.register(dt), i) end
  for _, text in ipairs(extra) do add(params, "%s", text) end
  local name = codegen.name(p, "array_rows")
  -- What is loaded early fits 64 registers, and four blocks take less time than the three that compilers choose.
  local bounds = ending.early and not across and "256, 4" or "256"
  local fields = { name = name, bounds = bounds, params = ", " .. concat(params, ", "), lanes = ending.lanes,
    warps = ending.warps, packs = ending.turns, width = ending.width, bases = bases, functions = lambdas,
    joined = reduce_code.joined(),
    first = #p.reductions == 0 and "" or across and "  const bool first = threadIdx.x < ROWS;" or
      "  const bool first = (threadIdx.x & LANES * WARPS - 1) == 0;" }
  local texts = {}
  for i in ipairs(self.parts) do
    add(texts, ending.warps > 1 and "  __shared__ r%d::words_t shared%d[%d];" or
      "  r%d::words_t *const shared%d = nullptr;", i, i, across and 256 or 8)
  end
  row_lines(self, 1, used, texts)
  for phase = 1, self.count do texts[#texts + 1] = phase_text(self, phase, used) end
  fields.phases = concat(texts, "\n")
  local device = ("%s%s%s\n"):format(reduce_code.index_t(ending.wide, 0), types, namespaces(self, fields, pieces))
  return { pieces = pieces, device = device, kernel = template.fill("row", ending.form, fields), name = name }
end

return M
