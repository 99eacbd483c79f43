-- From the program of an expression (plan.lua) to CUDA C: a function that computes one element, and a kernel from a
-- template in kernels/array that calls it for all of them.

local add = require("cudalua.base.tables").add
local address = require "cudalua.gpuarray.kernel.address"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local prelude = require "cudalua.base.prelude"
local rows = require "cudalua.gpuarray.kernel.thread_rows"
local template = require "cudalua.gpuarray.kernel.template"

local concat, max, min = table.concat, math.max, math.min

local M = {}

---Threads of a block.
M.BLOCK = rows.BLOCK
local BLOCK = M.BLOCK

local function use(pieces, list)
  for _, name in ipairs(list) do pieces[name] = true end
end

---A program, taken apart.
---@class cudalua.gpuarray.Program
---@field leaves {dtype: cudalua.dtype.DType, class: string}[]
---@field scalars cudalua.dtype.DType[]
---@field ops string[]         names, in their order
---@field dtype cudalua.dtype.DType  of the result
---@field compute string       CUDA C of compute(), which gives one element as it lies in memory
---@field reductions table[]   of a program with reductions in it: see LinedProgram
---@field pieces table<string, boolean>  what it needs of prelude.lua, by name
---@field ending table[]       the tokens of the end
---@field stores {dtype: cudalua.dtype.DType, name: string}[]  what a program with several results stores; compute()
---  has them as references behind its parameters then, and returns nothing

-- What a program is made of while its tokens are read, one after another. A value is {dtype, name}. Values that tokens
-- make are numbered; a token that is a number stands for one of them.
---@class cudalua.gpuarray.ProgramReader
---@field program cudalua.gpuarray.Program
---@field values table[]   all that there were
---@field stack table[]    those that were not used yet
---@field lines cudalua.gpuarray.ProgramLine[]  of compute()
---@field params string[]  of compute(): arrays, and scalars, in the order of their tokens
---@field base table<string, string>  which variable one is, or is the negative of
---@field negative table<string, boolean>  is it the negative?
---@field known table<string, {name: string, sign: boolean}>  by operation and bases of operands: the variable that has
---  the result, and whether the operands' signs make it negative
---@field spare table<integer, string>  lines that may turn out to be needless, with their variables
local Reader = {}
Reader.__index = Reader

---A line of compute(): a variable and its value.
---@class cudalua.gpuarray.ProgramLine
---@field type string    C type
---@field name string    of the variable
---@field text string    an expression in C
---@field op? string     the operation's name; none: elements are loaded, or converted

function Reader:needs(dtype) use(self.program.pieces, ctype.pieces(dtype)) end

function Reader:define(type, name, text, op)
  self.lines[#self.lines + 1] = { type = type, name = name, text = text, op = op }
end

function Reader:push(dtype, name)
  local v = { dtype = dtype, name = name }
  self.values[#self.values + 1], self.stack[#self.stack + 1] = v, v
  return v
end

-- Elements of arrays are loaded where something is done with them: what is only copied keeps its bits.
function Reader:name_of(v)
  if v.load then
    self:define(ctype.register(v.dtype), v.name, v.load)
    v.load = nil
  end
  return v.name
end

-- A value as memory has it.
function Reader:stored(v)
  if v.element and v.dtype.kind ~= "bool" then return v.element end
  return ctype.store(v.dtype, self:name_of(v))
end

function Reader:pop(dtype)
  local v = table.remove(self.stack)
  self:name_of(v)
  if v.dtype == dtype then return v.name end
  self:needs(v.dtype)
  self:needs(dtype)
  local name = ("c%d"):format(#self.lines + 1)
  self:define(ctype.register(dtype), name, ctype.convert(v.dtype, dtype, v.name))
  return name
end

-- Negatives. f(-x) of an odd function is -f(x), and (-x) / y is -(x / y), exactly. So where the kernel computes one of
-- both already, the other one is its negative: erf(x) and erf(-x) are one error function. Only the sign of NaN may
-- differ, which no operation promises.

local function key_of(t, x, y) return ("%d %s %s %s"):format(t.op.id, t.x.name, x, y or "") end

-- A variable is another one, its base, or the negative of it.
function Reader:is(name, other, negative)
  self.base[name] = self.base[other] or other
  self.negative[name] = (self.negative[other] or false) ~= negative
end

-- The text of an operation with a rule of signs, if a variable has its value already, or the negative of it.
function Reader:reused(t, name, x, y)
  local base, negative = self.base, self.negative
  local sign = (negative[x] or false) ~= (y and negative[y] or false)
  local key = key_of(t, base[x] or x, y and (base[y] or y))
  local found = self.known[key]
  if not found then
    self.known[key] = { name = name, sign = sign }
    return nil
  end
  self:is(name, found.name, sign ~= found.sign)
  return (sign == found.sign and "" or "-") .. found.name
end

function Reader:operation(t)
  local z = t.z and self:pop(t.z)
  local y = t.y and self:pop(t.y)
  local names = { ["1"] = self:pop(t.x), ["2"] = y, ["3"] = z }
  local name, decisive = ("v%d"):format(#self.lines + 1), t.op.values == 2 and t.y or t.x
  self:needs(t.result)
  use(self.program.pieces, t.op.pieces(decisive))
  local rule = t.x.kind == "float" and t.x == t.result and t.op.sign
  local text, exact = rule and rule ~= "neg" and self:reused(t, name, names["1"], y), true
  if rule == "neg" then self:is(name, names["1"], true) end
  if text or rule == "neg" then self.spare[#self.lines + 1] = name end
  if not text then
    text, exact = t.op.code(decisive, t.result)
    text = text:gsub("%$(%d)", names)
  end
  self:define(ctype.register(t.result), name, exact and text or ctype.round(t.result, text), t.op.name)
  add(self.program.ops, t.op.name)
  self:push(t.result, name)
end

-- One of two values. It keeps the bits of elements that are only copied.
function Reader:choice(t)
  local condition = self:pop(t.z)
  local b, a = table.remove(self.stack), table.remove(self.stack)
  local texts, name = {}, ("e%d"):format(#self.lines + 1)
  for k, v in ipairs { a, b } do
    if v.dtype ~= t.result then
      self.stack[#self.stack + 1] = v
      texts[k] = ctype.store(t.result, self:pop(t.result))
    else
      texts[k] = self:stored(v)
    end
  end
  self:needs(t.result)
  self:define(ctype.memory(t.result), name, ("%s ? %s : %s"):format(condition, texts[1], texts[2]), t.op.name)
  add(self.program.ops, t.op.name)
  local loaded = ctype.load(t.result, name)
  local v = self:push(t.result, loaded ~= name and name .. "v" or name)
  v.element, v.load = name, loaded ~= name and loaded or nil
end

-- By the kind of a token.
local token_readers = {}

function token_readers.leaf(self, t)
  local leaves = self.program.leaves
  leaves[#leaves + 1] = t
  local name = ("a%d"):format(#leaves)
  add(self.params, "const %s %s", ctype.memory(t.dtype), name)
  self:needs(t.dtype)
  local loaded = ctype.load(t.dtype, name)
  local v = self:push(t.dtype, loaded ~= name and name .. "v" or name)
  v.element, v.load = name, loaded ~= name and loaded or nil
end

function token_readers.scalar(self, t)
  local scalars = self.program.scalars
  scalars[#scalars + 1] = t.dtype
  local name = ("s%d"):format(#scalars)
  add(self.params, "const %s %s", ctype.register(t.dtype), name)
  self:push(t.dtype, name)
end

function token_readers.store(self)
  local stores = self.program.stores
  stores[#stores + 1] = table.remove(self.stack)
end

-- A reduction whose result the program goes on with: see reduce/row_code.lua.
function token_readers.reduce(self, t)
  local list, kind = self.program.reductions, t.reduction
  local n = #list + 1
  list[n] = { kind = kind, value = self:pop(kind.values[#kind.values]), middle = t.middle }
  local name = ("y%d"):format(n)
  self:needs(kind.result)
  local loaded = ctype.load(kind.result, name)
  local v = self:push(kind.result, loaded ~= name and name .. "v" or name)
  v.element, v.load = name, loaded ~= name and loaded or nil
end

-- Reads tokens up to those of the end.
function Reader:read(tokens)
  for i, t in ipairs(tokens) do
    if type(t) == "number" then
      self.stack[#self.stack + 1] = self.values[t]
    elseif t.selects then
      self:choice(t)
    elseif t.op then
      self:operation(t)
    elseif token_readers[t.kind] then
      token_readers[t.kind](self, t)
    else
      self.program.ending = { unpack(tokens, i) }
      return
    end
  end
end

-- Arrays first, then scalars, in the order of their numbers.
local function in_order(params)
  table.sort(params, function(a, b)
    local ka, na = a:match "([as])(%d+)$"
    local kb, nb = b:match "([as])(%d+)$"
    if ka ~= kb then return ka < kb end
    return tonumber(na) < tonumber(nb)
  end)
  return params
end

-- Takes out the lines that nothing needs since results were reused: the compiler would warn of them.
-- `ends`: what comes behind them, and stays.
function Reader:drop_spare(ends)
  local lines, kept = self.lines, { unpack(ends) }
  for i = #lines, 1, -1 do
    local word, needed = self.spare[i], false
    if word then
      word = "%f[%w_]" .. word .. "%f[^%w_]"
      for _, line in ipairs(kept) do needed = needed or line.text:find(word) end
    end
    if needed or not word then table.insert(kept, 1, lines[i]) end
  end
  return kept
end

-- What was read, as the function compute().
function Reader:compute()
  local p, ends, params = self.program, {}, in_order(self.params)
  local result = self.stack[#self.stack] or p.stores[1]
  p.dtype = result.dtype
  self:needs(p.dtype) -- for storing it
  local returned = #p.stores > 0 and "void" or ctype.memory(p.dtype)
  if #p.stores == 0 then ends[1] = { text = self:stored(result), form = "  return %s;" } end
  for k, v in ipairs(p.stores) do
    self:needs(v.dtype)
    add(params, "%s &r%d", ctype.memory(v.dtype), k)
    ends[k] = { text = self:stored(v), form = ("  r%d = %%s;"):format(k) }
  end
  local texts = {}
  for k, line in ipairs(self:drop_spare(ends)) do
    local form, text = line.form, line.text
    texts[k] = form and form:format(text) or ("  const %s %s = %s;"):format(line.type, line.name, text)
  end
  return ("static __device__ __forceinline__ %s compute(%s) {\n%s\n}\n"):format(returned, concat(params, ", "),
    concat(texts, "\n"))
end

local function read_tokens(tokens)
  local p = { leaves = {}, scalars = {}, ops = {}, ending = {}, stores = {}, pieces = {}, reductions = {} }
  local reader = setmetatable({ program = p, values = {}, stack = {}, lines = {}, params = {}, base = {},
    negative = {}, known = {}, spare = {} }, Reader)
  reader:read(tokens)
  return p, reader
end

---@param tokens table[]
---@return cudalua.gpuarray.Program
function M.program(tokens)
  local p, reader = read_tokens(tokens)
  p.compute = reader:compute()
  return p
end

---A program with reductions in it, for kernels that are more than one function of an element.
---@class cudalua.gpuarray.LinedProgram : cudalua.gpuarray.Program
---@field lines cudalua.gpuarray.ProgramLine[]  of arrays' elements a1 ..., scalars s1 ..., results of reductions y1 ...
---@field reductions {kind: table, value: string}[]  the variables that are reduced
---@field stores {dtype: cudalua.dtype.DType, text: string}[]  what is stored

---@param tokens table[]
---@return cudalua.gpuarray.LinedProgram
function M.lines(tokens)
  local p, reader = read_tokens(tokens)
  for k, v in ipairs(p.stores) do
    reader:needs(v.dtype)
    p.stores[k] = { dtype = v.dtype, text = reader:stored(v) }
  end
  p.lines = reader.lines
  return p
end

-- ---- kernels --------------------------------------------------------------------------------------------------------

---What a kernel of this program is called: the names of its operations, as far as they are short.
---@param p cudalua.gpuarray.Program
---@param prefix string
---@return string
function M.name(p, prefix)
  local name, rest = prefix, 0
  for _, op in ipairs(p.ops) do
    if #name < 60 then name = name .. "_" .. op else rest = rest + 1 end
  end
  return rest > 0 and ("%s_and_%d"):format(name, rest) or #p.ops == 0 and prefix .. "_copy" or name
end

-- `reads`: the kernel has results of its own.
local function params_of(p, extra, reads)
  local list = {}
  if #p.stores == 0 and not reads then list[1] = ("%s *out"):format(ctype.memory(p.dtype)) end
  for i, v in ipairs(p.stores) do add(list, "%s *out%d", ctype.memory(v.dtype), i) end
  for i, leaf in ipairs(p.leaves) do add(list, "const %s *p%d", ctype.memory(leaf.dtype), i) end
  for i, dt in ipairs(p.scalars) do add(list, "const %s s%d", ctype.register(dt), i) end
  for _, text in ipairs(extra) do add(list, text) end
  return #list > 0 and ", " .. concat(list, ", ") or ""
end

local function uniform_of(p)
  local lines = {}
  for i, leaf in ipairs(p.leaves) do
    if leaf.class == "one" and not leaf.places then
      add(lines, "  const %s u%d = *p%d;", ctype.memory(leaf.dtype), i, i)
    end
  end
  return concat(lines, "\n")
end

-- What a program stores: the types, and the pointers to where it goes.
local function results_of(p)
  if #p.stores == 0 then return { { dtype = p.dtype, out = "out", name = "r" } } end
  local list = {}
  for i, v in ipairs(p.stores) do list[i] = { dtype = v.dtype, out = "out" .. i, name = "r" .. i } end
  return list
end

-- The statement that computes one element: `operand(i)` is an element of the i-th array, `result(r)` where it goes;
-- `place` is its place, which stands for the elements of arrays without memory (see plan.lua).
local function evaluation(p, operand, result, place)
  local list = {}
  for i, leaf in ipairs(p.leaves) do
    list[i] = leaf.places and place or leaf.class == "one" and ("u%d"):format(i) or operand(i)
  end
  for i = 1, #p.scalars do add(list, "s%d", i) end
  local results = results_of(p)
  if #p.stores == 0 then return ("%s = compute(%s);"):format(result(results[1]), concat(list, ", ")) end
  for _, r in ipairs(results) do list[#list + 1] = result(r) end
  return ("compute(%s);"):format(concat(list, ", "))
end

-- ---- packs ----------------------------------------------------------------------------------------------------------

-- Neighbours that are read and written together: a struct of so many elements, or just an element.
local Packs = {}
Packs.__index = Packs

local function packs_of(size) return setmetatable({ size = size, texts = {}, declared = {} }, Packs) end

-- The C type.
function Packs:type(dt)
  if self.size == 1 then return ctype.memory(dt) end
  if not self.declared[dt] then
    self.declared[dt] = true
    add(self.texts, "struct __align__(%d) pack_%s { %s e[%d]; };\n", min(16, self.size * dt.itemsize), dt.name,
      ctype.memory(dt), self.size)
  end
  return "pack_" .. dt.name
end

function Packs:text() return concat(self.texts) .. (self.helper or "") end

-- What is at p + place.
function Packs:at(dt, pointer, place)
  if self.size == 1 then return ("%s[%s]"):format(pointer, place) end
  return ("*(const %s *)(%s + %s)"):format(self:type(dt), pointer, place)
end

-- An element of a pack.
function Packs:element(name, number) return self.size == 1 and name or ("%s.e[%s]"):format(name, number) end

-- Declares the results of one pack, and stores them: lines with this indent.
function Packs:results(results, indent, place)
  local declared, stores = {}, {}
  for k, r in ipairs(results) do
    declared[k] = ("%s%s %s;"):format(indent, self:type(r.dtype), r.name)
    stores[k] = ("%s%s = %s;"):format(indent, self:at(r.dtype, r.out, place):gsub("^%*%(const ", "*("), r.name)
  end
  return concat(declared, "\n"), concat(stores, "\n")
end

-- ---- how much a thread does -----------------------------------------------------------------------------------------

-- Bytes of an element of the largest array, of one element of all of them together, and how many are read.
local function sizes_of(p)
  local largest, sum, read = 0, 0, 0
  for _, r in ipairs(results_of(p)) do
    largest, sum = max(largest, r.dtype.itemsize), sum + r.dtype.itemsize
  end
  for _, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" and not leaf.places then
      largest, sum, read = max(largest, leaf.dtype.itemsize), sum + leaf.dtype.itemsize, read + 1
    end
  end
  return largest, sum, read
end

-- How many packs a thread reads before it uses the first.
local function chunks_of(p, pack, bytes)
  local largest, sum, read = sizes_of(p)
  return rows.chunks(pack, largest, sum, read, bytes)
end

-- ---- kernels --------------------------------------------------------------------------------------------------------

-- More arrays than plain expressions read: a thread has no registers for many elements of each.
local MANY = 32

local function has_places(p)
  for _, leaf in ipairs(p.leaves) do
    if leaf.places then return true end
  end
  return false
end

---The place of an element in a pack that begins at a multiple of its size: so written that the compiler sees which
---elements random numbers are made for at once.
---@param at string
---@param size integer  of the pack
---@param w string
---@return string
function M.place_in_pack(at, size, w) return ("(%s) & ~%dull | %s"):format(at, size - 1, w) end

local function dense(p)
  local largest, drawn = sizes_of(p), has_places(p)
  -- Random numbers are made four at a time, and a thread makes more of them: what comes before the first takes long.
  local packs = packs_of(drawn and max(16 / largest, 4) or #p.leaves > MANY and min(16 / largest, 2) or 16 / largest)
  local n = chunks_of(p, packs.size, drawn and 2 * rows.DENSE_BYTES or rows.DENSE_BYTES)
  local declared, loads, at = {}, {}, ("first + k * %d"):format(BLOCK * packs.size)
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" and not leaf.places then
      add(declared, "    %s x%d[%d];", packs:type(leaf.dtype), i, n)
      add(loads, "      x%d[k] = %s;", i, packs:at(leaf.dtype, "p" .. i, at))
    end
  end
  local results, stores = packs:results(results_of(p), "      ", at)
  return { elements = n * packs.size, pack = packs.size, chunks = n, stride = BLOCK * packs.size,
    span = (n - 1) * BLOCK * packs.size + packs.size, params = params_of(p, {}), declared = concat(declared, "\n"),
    loads = concat(loads, "\n"), results = results, stores = stores,
    evaluate = evaluation(p, function(i) return packs:element(("x%d[k]"):format(i), "w") end,
      function(r) return packs:element(r.name, "w") end, M.place_in_pack(at, packs.size, "w")),
    evaluate_one = evaluation(p, function(i) return ("p%d[j]"):format(i) end,
      function(r) return r.out .. "[j]" end, "j") }, packs
end

local function odd(p)
  local packs = packs_of(1)
  local n = chunks_of(p, 1, rows.DENSE_BYTES)
  local declared, loads = {}, {}
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" and not leaf.places then
      add(declared, "  %s x%d[%d];", ctype.memory(leaf.dtype), i, n)
      add(loads, "      x%d[k] = p%d[j];", i, i)
    end
  end
  local results, stores = packs:results(results_of(p), "      ", "j")
  return { elements = n, chunks = n, params = params_of(p, {}), declared = concat(declared, "\n"),
    loads = concat(loads, "\n"), results = results, stores = stores,
    evaluate = evaluation(p, function(i) return ("x%d[k]"):format(i) end, function(r) return r.name end, "j") }, packs
end

-- The step of an operand, which may be as that of one before: the number of that one, and how it steps.
local function step_of(p, operand)
  local token = p.ending[1 + operand]
  while token.same do
    operand = token.same
    token = p.ending[1 + operand]
  end
  return operand, token
end

local function strided(p)
  local ending = p.ending[1]
  local axes = address.axes(ending.rank, ending.wide)
  local index, integer = axes.index, axes.integer
  local packs = packs_of(ending.pack)
  local n = ending.chunks
  local extra, declared, places, loads = {}, {}, {}, {}
  address.extents(extra, axes)
  add(declared, "  %s at_out[%d];", integer, n)
  address.coordinates(places, "      ", "j", axes)
  add(places, "      at_out[k] = %s;", address.place(extra, axes, "t_out", p.ending[2].step, packs.size))
  local operand, single = 1, {}
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      local at = "at_out[k]"
      if leaf.class == "strided" then
        operand = operand + 1
        local first, token = step_of(p, operand)
        if first == operand then
          add(places, "      const %s at%d = %s;", integer, operand,
            address.place(extra, axes, "t" .. i, token.step, packs.size))
        end
        if first > 1 then at = "at" .. first end
        single[i] = token.step == 0
      end
      local pointer = "p" .. i
      add(declared, "  %s x%d[%d];", single[i] and ctype.memory(leaf.dtype) or packs:type(leaf.dtype), i, n)
      add(loads, "      x%d[k] = %s;", i, single[i] and ("%s[%s]"):format(pointer, at) or
        packs:at(leaf.dtype, pointer, at))
    end
  end
  local results, stores = packs:results(results_of(p), "      ", "at_out[k]")
  return { elements = n * packs.size, pack = packs.size, chunks = n, index = index, params = params_of(p, extra),
    declared = concat(declared, "\n"), places = concat(places, "\n"), loads = concat(loads, "\n"), results = results,
    stores = stores, evaluate = evaluation(p, function(i)
      local name = ("x%d[k]"):format(i)
      return single[i] and name or packs:element(name, "w")
    end, function(r) return packs:element(r.name, "w") end) }, packs
end

local shapes = { dense = dense, odd = odd, strided = strided }
function shapes.tiled(p) return require("cudalua.gpuarray.kernel.tile_code").fields(p) end
function shapes.mapped(p) return require("cudalua.gpuarray.kernel.maps").fields(p) end
function shapes.shifted(p) return require("cudalua.gpuarray.kernel.shifted_code").fields(p) end
function shapes.rows(p) return require("cudalua.gpuarray.kernel.rows_code").rows(p) end
function shapes.words(p)
  local size = 4 / sizes_of(p)
  return require("cudalua.gpuarray.kernel.rows_code").words(p, min(chunks_of(p, size, rows.BYTES), 4), size)
end

---For tile_code.lua, rows_code.lua and index/mask_code.lua.
M.parts = { evaluation = evaluation, packs_of = packs_of, step_of = step_of, uniform_of = uniform_of,
  params_of = params_of, results_of = results_of }

---The kernel that stores a program's value for each element.
---@param p cudalua.gpuarray.Program
---@return {pieces: table<string, boolean>, device: string, kernel: string, name: string, elements: integer}  pieces
---  of the prelude, and what comes after it; elements of a thread, where all blocks do as many
function M.elementwise(p)
  local class = p.ending[1].class
  -- Where one array is not aligned, wide loads are out of the question.
  for _, leaf in ipairs(p.leaves) do
    if class == "dense" and leaf.class == "odd" then class = "odd" end
  end
  -- Words can begin anywhere; rows in words are rows.
  if class == "words" then class = "rows" end
  if class == "odd" and sizes_of(p) <= 2 and not has_places(p) then class = "words" end
  local fields, packs = shapes[class](p)
  local prefixes = { tiled = "array_tiled", mapped = "array_mapped", shifted = "array_shifted" }
  fields.name = M.name(p, prefixes[class] or "array")
  if class == "mapped" then class = "strided" end
  fields.uniform = uniform_of(p)
  local kernel = template.fill("elementwise", class, fields)
  return { pieces = p.pieces, device = packs:text() .. p.compute .. "\n", kernel = kernel, name = fields.name,
    elements = fields.elements }
end

---The whole source of a kernel.
---@param k {pieces: table<string, boolean>, device: string, kernel: string}
---@return string
function M.source(k) return prelude.text(k.pieces) .. k.device .. k.kernel end

return M
