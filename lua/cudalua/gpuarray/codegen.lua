-- From the program of an expression (plan.lua) to CUDA C: a function that computes one element, and a kernel from a
-- template in kernels/array that calls it for all of them.

local address = require "cudalua.gpuarray.address"
local ctype = require "cudalua.gpuarray.ctype"
local prelude = require "cudalua.gpuarray.prelude"
local template = require "cudalua.gpuarray.template"

local concat, max = table.concat, math.max

local M = {}

---Threads of a block.
M.BLOCK = 256

local function add(list, text, ...)
  list[#list + 1] = select("#", ...) > 0 and text:format(...) or text
end

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
---@field pieces table<string, boolean>  what it needs of prelude.lua, by name
---@field ending table[]       the tokens of the end
---@field stores {dtype: cudalua.dtype.DType, name: string}[]  what a program with several results stores; compute()
---  has them as references behind its parameters then, and returns nothing

---@param tokens table[]
---@return cudalua.gpuarray.Program
function M.program(tokens)
  local p = { leaves = {}, scalars = {}, ops = {}, ending = {}, stores = {} }
  local values, stack, lines, pieces = {}, {}, {}, {}
  local function push(dtype, name)
    values[#values + 1] = { dtype = dtype, name = name }
    stack[#stack + 1] = values[#values]
  end
  local params = {}
  local function pop(dtype)
    local v = table.remove(stack)
    if v.dtype == dtype then return v.name end
    use(pieces, ctype.pieces(v.dtype))
    use(pieces, ctype.pieces(dtype))
    local name = ("c%d"):format(#lines + 1)
    add(lines, "  const %s %s = %s;", ctype.register(dtype), name, ctype.convert(v.dtype, dtype, v.name))
    return name
  end
  for i, t in ipairs(tokens) do
    if type(t) == "number" then
      stack[#stack + 1] = values[t]
    elseif t.op then
      local z = t.z and pop(t.z)
      local y = t.y and pop(t.y)
      local names = { ["1"] = pop(t.x), ["2"] = y, ["3"] = z }
      local name = ("v%d"):format(#lines + 1)
      use(pieces, ctype.pieces(t.result))
      use(pieces, t.op.pieces(t.op.values == 2 and t.y or t.x))
      local text, exact = t.op.code(t.op.values == 2 and t.y or t.x, t.result)
      text = text:gsub("%$(%d)", names)
      add(lines, "  const %s %s = %s;", ctype.register(t.result), name, exact and text or ctype.round(t.result, text))
      add(p.ops, t.op.name)
      push(t.result, name)
    elseif t.kind == "leaf" then
      p.leaves[#p.leaves + 1] = t
      local name = ("a%d"):format(#p.leaves)
      add(params, "const %s %s", ctype.memory(t.dtype), name)
      use(pieces, ctype.pieces(t.dtype))
      local loaded = ctype.load(t.dtype, name)
      if loaded ~= name then
        add(lines, "  const %s %sv = %s;", ctype.register(t.dtype), name, loaded)
        name = name .. "v"
      end
      push(t.dtype, name)
    elseif t.kind == "scalar" then
      p.scalars[#p.scalars + 1] = t.dtype
      local name = ("s%d"):format(#p.scalars)
      add(params, "const %s %s", ctype.register(t.dtype), name)
      push(t.dtype, name)
    elseif t.kind == "store" then
      p.stores[#p.stores + 1] = table.remove(stack)
    else
      p.ending = { unpack(tokens, i) }
      break
    end
  end
  local result = stack[#stack] or p.stores[1]
  p.dtype = result.dtype
  use(pieces, ctype.pieces(p.dtype)) -- for storing it
  -- Arrays first, then scalars, in the order of their numbers.
  table.sort(params, function(a, b)
    local ka, na = a:match "([as])(%d+)$"
    local kb, nb = b:match "([as])(%d+)$"
    if ka ~= kb then return ka < kb end
    return tonumber(na) < tonumber(nb)
  end)
  local returned = #p.stores > 0 and "void" or ctype.memory(p.dtype)
  if #p.stores == 0 then add(lines, "  return %s;", ctype.store(p.dtype, result.name)) end
  for k, v in ipairs(p.stores) do
    use(pieces, ctype.pieces(v.dtype))
    add(params, "%s &r%d", ctype.memory(v.dtype), k)
    add(lines, "  r%d = %s;", k, ctype.store(v.dtype, v.name))
  end
  p.compute = ("static __device__ __forceinline__ %s compute(%s) {\n%s\n}\n"):format(returned, concat(params, ", "),
    concat(lines, "\n"))
  p.pieces = pieces
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

local function params_of(p, extra)
  local list = {}
  if #p.stores == 0 then list[1] = ("%s *out"):format(ctype.memory(p.dtype)) end
  for i, v in ipairs(p.stores) do add(list, "%s *out%d", ctype.memory(v.dtype), i) end
  for i, leaf in ipairs(p.leaves) do add(list, "const %s *p%d", ctype.memory(leaf.dtype), i) end
  for i, dt in ipairs(p.scalars) do add(list, "const %s s%d", ctype.register(dt), i) end
  for _, text in ipairs(extra) do add(list, text) end
  return ", " .. concat(list, ", ")
end

-- compute()'s arguments: `element(i, class)` says how an element of the i-th array is written.
local function arguments_of(p, element)
  local list = {}
  for i, leaf in ipairs(p.leaves) do
    list[i] = leaf.class == "one" and ("u%d"):format(i) or element(i, leaf.class)
  end
  for i = 1, #p.scalars do add(list, "s%d", i) end
  return concat(list, ", ")
end

-- What compute() of a program with several results gets behind them.
local function results_of(p, element)
  local list = {}
  for i = 1, #p.stores do list[i] = (#p.leaves + #p.scalars + i > 1 and ", " or "") .. element:format(i) end
  return concat(list)
end

local function uniform_of(p)
  local lines = {}
  for i, leaf in ipairs(p.leaves) do
    if leaf.class == "one" then add(lines, "  const %s u%d = *p%d;", ctype.memory(leaf.dtype), i, i) end
  end
  return concat(lines, "\n")
end

-- More arrays than plain expressions read: a thread has no registers for many elements of each.
local MANY = 32

local function dense(p)
  local largest = p.dtype.itemsize
  for _, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then largest = max(largest, leaf.dtype.itemsize) end
  end
  for _, v in ipairs(p.stores) do largest = max(largest, v.dtype.itemsize) end
  local elements = #p.leaves > MANY and 2 or max(16 / largest, 2)
  local packs, declared, loads = {}, {}, {}
  local function pack(dt)
    if not declared[dt] then
      declared[dt] = true
      add(packs, "struct __align__(%d) pack_%s { %s e[%d]; };\n", math.min(16, elements * dt.itemsize), dt.name,
        ctype.memory(dt), elements)
    end
    return "pack_" .. dt.name
  end
  local out = pack(p.dtype)
  local results, stores = {}, {}
  for i, v in ipairs(p.stores) do
    add(results, "    %s r%d;", pack(v.dtype), i)
    add(stores, "    *(%s *)(out%d + i) = r%d;", pack(v.dtype), i, i)
  end
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      local name = pack(leaf.dtype)
      add(loads, "    const %s x%d = *(const %s *)(p%d + i);", name, i, name, i)
    end
  end
  return { elements = elements, pack_out = out, loads = concat(loads, "\n"), params = params_of(p, {}),
    results = concat(results, "\n"), stores = concat(stores, "\n"), vector_results = results_of(p, "r%d.e[k]"),
    element_results = results_of(p, "out%d[j]"),
    vector_arguments = arguments_of(p, function(i) return ("x%d.e[k]"):format(i) end),
    element_arguments = arguments_of(p, function(i) return ("p%d[j]"):format(i) end) }, concat(packs)
end

local function odd(p)
  local loads = {}
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      add(loads, "  %s x%d[4];", ctype.memory(leaf.dtype), i)
      add(loads, "#pragma unroll\n  for (int k = 0; k < 4; k++)")
      add(loads, "    if (i + k * 256 < n) x%d[k] = p%d[i + k * 256];", i, i)
    end
  end
  return { elements = 4, loads = concat(loads, "\n"), params = params_of(p, {}),
    element_results = results_of(p, "out%d[i + k * 256]"),
    vector_arguments = arguments_of(p, function(i) return ("x%d[k]"):format(i) end) }, ""
end

local function strided(p)
  local ending = p.ending[1]
  local rank, wide = ending.rank, ending.wide
  local index, integer = wide and "unsigned long long" or "unsigned", wide and "long long" or "int"
  local extra, loads, body = {}, {}, {}
  address.extents(extra, "", rank, index, wide)
  add(loads, "  %s at_out[4];", integer)
  add(body, "    const %s j = i + k * 256;", index)
  add(body, "    if (j < n) {")
  address.coordinates(body, "      ", "j", "", rank, index, wide)
  local operand = 2
  add(body, "      at_out[k] = %s;", address.place(extra, "t_out", rank, p.ending[2].step, integer))
  for i, leaf in ipairs(p.leaves) do
    if leaf.class ~= "one" then
      add(loads, "  %s x%d[4];", ctype.memory(leaf.dtype), i)
      if leaf.class == "strided" then
        operand = operand + 1
        add(body, "      x%d[k] = p%d[%s];", i, i,
          address.place(extra, "t" .. i, rank, p.ending[operand].step, integer))
      else
        add(body, "      x%d[k] = p%d[j];", i, i)
      end
    end
  end
  add(loads, "#pragma unroll\n  for (int k = 0; k < 4; k++) {\n%s\n    }\n  }", concat(body, "\n"))
  return { elements = 4, index = index, loads = concat(loads, "\n"), params = params_of(p, extra),
    element_results = results_of(p, "out%d[at_out[k]]"),
    vector_arguments = arguments_of(p, function(i) return ("x%d[k]"):format(i) end) }, ""
end

local shapes = { dense = dense, odd = odd, strided = strided }

---The kernel that stores a program's value for each element.
---@param p cudalua.gpuarray.Program
---@return {pieces: table<string, boolean>, device: string, kernel: string, name: string, elements: integer}  pieces
---  of the prelude, and what comes after it
function M.elementwise(p)
  local class = p.ending[1].class
  -- Where one array is not aligned, wide loads are out of the question.
  for _, leaf in ipairs(p.leaves) do
    if class == "dense" and leaf.class == "odd" then class = "odd" end
  end
  local fields, packs = shapes[class](p)
  fields.name = M.name(p, "array")
  fields.uniform = uniform_of(p)
  local kernel = template.fill(#p.stores > 0 and "several" or "elementwise", class, fields)
  return { pieces = p.pieces, device = packs .. p.compute .. "\n", kernel = kernel, name = fields.name,
    elements = fields.elements }
end

---The whole source of a kernel.
---@param k {pieces: table<string, boolean>, device: string, kernel: string}
---@return string
function M.source(k) return prelude.text(k.pieces) .. k.device .. k.kernel end

return M
