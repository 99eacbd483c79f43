-- Kernels that make one value of the elements of arrays, from expressions that you write: PyCUDA's ReductionKernel, for
-- arrays of any layout that broadcast to one shape.
--   userkernel/reduction_code   the CUDA C around the expressions    load   its forms, compiled and loaded
--   gpuarray/reduce/run, code   the plan and the kernels, which are those of arrays
--
-- The arrays that map_expr takes at [i] and nowhere else are its elements; others are its own to index, and passed
-- whole, as in an ElementwiseKernel. Values are combined in the order that kernels/array/reduce.cu fixes.

local arguments = require "cudalua.userkernel.arguments"
local code = require "cudalua.userkernel.reduction_code"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local forms = require "cudalua.userkernel.load"
local gathered = require "cudalua.gpuarray.reduce.axes"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local names = require "cudalua.base.names"
local object = require "cudalua.gpuarray.core.object"
local plan = require "cudalua.gpuarray.core.plan"
local reduce_run = require "cudalua.gpuarray.reduce.run"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local usage = require "cudalua.userkernel.usage"
local write = require "cudalua.gpuarray.core.write"

local concat, refuse = table.concat, arguments.refuse

---@class cudalua.reduction
local M = {}

---A reduction with CUDA C expressions: `k(x, y)` returns the value as a 0-d array.
---@class cudalua.reduction.ReductionKernel
---@overload fun(...: any): cudalua.gpuarray.Array  returns a 0-d array; takes the arguments as declared
---@field name string  the kernel's name in the compiled module
---@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
local Kernel = names.class({}, "ReductionKernel", { keep_dir = true })

-- What getmetatable says of one.
local TAG = "cudalua.reduction.ReductionKernel"

-- ---- making one -----------------------------------------------------------------------------------------------------

local WHERE = "ReductionKernel"
local known_options = { preamble = "string", options = "table", keep = "boolean" }
local order = { "dtype_out", "neutral", "reduce_expr", "map_expr", "arguments", "name" }

local function wrong_text(what, why) errors.raise("LogicError", ("%s: %s %s"):format(WHERE, what, why)) end

local function check_text(what, x)
  if type(x) ~= "string" or not x:find "%S" then
    wrong_text(what, "must be a string of CUDA C, got " .. errors.text(x))
  end
  if x:find("\0", 1, true) then wrong_text(what, "contains a zero byte") end
  return x
end

-- One thing for each result: of a list as many, of anything else one.
local function listed(what, x, n)
  if n == nil then return x end
  if type(x) ~= "table" or getmetatable(x) or #x ~= n then
    wrong_text(what, ("must be a list of %d, one for each result, got %s"):format(n, errors.text(x)))
  end
  return x
end

local MOST_BYTES = 160 -- of a value: a block has 256 of them in shared memory

local function outputs_of(dtype_out, neutral, reduce_expr, map_expr)
  local n
  if type(dtype_out) == "table" and not getmetatable(dtype_out) and #dtype_out > 0 then n = #dtype_out end
  if n and n > 16 then wrong_text("dtype_out", "names more than 16 results") end
  local dts, ns = listed("dtype_out", dtype_out, n), listed("neutral", neutral, n)
  local rs, ms = listed("reduce_expr", reduce_expr, n), listed("map_expr", map_expr, n)
  local outputs, bytes = {}, 0
  for j = 1, n or 1 do
    local function label(part) return n and ("%s %d"):format(part, j) or part end
    local function own(list) if n then return list[j] end return list end
    local dt, why = dtypes._find(own(dts))
    if not dt then errors.raise("LogicError", ("%s: %s: %s"):format(WHERE, label "dtype_out", why)) end
    bytes = bytes + dt.itemsize
    if bytes > MOST_BYTES then
      wrong_text("dtype_out", ("has %d bytes; a reduction combines values of up to %d"):format(bytes, MOST_BYTES))
    end
    outputs[j] = { dtype = dt, label = label, neutral = arguments.neutral(WHERE, label "neutral", own(ns), dt),
      reduce = check_text(label "reduce_expr", own(rs)), map = own(ms) }
  end
  return outputs
end

local reserved = { i = "the number of the element", n = "the number of elements" }

local function new(_, ...)
  local v, options = arguments.named(WHERE, order, known_options, ...)
  local k = { outputs = outputs_of(v[1], v[2], v[3], v[4]), args = arguments.declared(WHERE, v[5]),
    name = v[6] == nil and "reduce_kernel" or v[6], options = options.options, keep = options.keep, forms = {},
    preamble = options.preamble or "" }
  arguments.check_name(WHERE, k.name)
  if k.preamble:find("\0", 1, true) then wrong_text("preamble", "contains a zero byte") end
  local arrays, maps = arguments.names(k, reserved, "expressions"), {}
  for j, output in ipairs(k.outputs) do
    if output.map == nil then output.map = arrays[1] .. "[i]" end
    maps[j] = check_text(output.label "map_expr", output.map)
  end
  local u = usage.of(arrays, concat(maps, ";\n"), "", k.preamble)
  for i, arg in ipairs(k.args) do
    if u.at_i[arg.name] and u.writes[arg.name] then
      refuse(k, "argument %d (%s): map_expr writes to it; a reduction only reads", i, arg:declarator())
    end
  end
  k.usage = u
  k.common = code.common(k)
  k.texts = { preamble = k.preamble }
  for _, output in ipairs(k.outputs) do
    k.texts[output.label "map_expr"] = output.map
    k.texts[output.label "reduce_expr"] = output.reduce
    k.texts[output.label "neutral"] = output.neutral
  end
  return arguments.object(k, WHERE, TAG, Kernel, function(...) return M._call(...) end)
end

---@class cudalua.reduction.Options
---@field preamble string?    CUDA C before the kernel: functions, types, #include
---@field options string[]?  options of the compiler, which by default fuses products and sums
---@field keep boolean?  true: keep the compiler's files in a folder, keep_dir
---@field neutral any  this and the following fields: arguments that you did not pass by position
---@field reduce_expr any  the expression that combines two values, as an argument of ReductionKernel
---@field map_expr any  the expression for each element, as an argument of ReductionKernel
---@field arguments any  the declarations, as an argument of ReductionKernel
---@field name string?  the kernel's name, as an argument of ReductionKernel

---A reduction of arrays: `ReductionKernel("float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")` is
---the dot product. map_expr is computed for each element; `i` is its number, from 0, in C order for any layout, and `n`
---is the number of elements. reduce_expr combines two values, `a` and `b`, and must be associative. neutral is the
---value that does not change another one. map_expr may be nil, which means the element of the first array. The order in
---which values are combined depends only on their number, so results are the same on every device.
---
---neutral is CUDA C, or a number that an integer dtype must be able to hold. dtype_out may be a struct with a type that
---is registered or declared in the preamble. It may also be a list, with as many neutrals, reduce_exprs and map_exprs:
---then one pass over the arrays returns several values. From any argument on, you can name the arguments in the table
---of options, as in PyCUDA: `ReductionKernel("float32", { neutral = "0", reduce_expr = "a+b", arguments = "const float
---*x" })`.
---
---Call it as k(arguments in their order, options). It returns a new 0-d array for each result. Arrays that are only
---used at [i] may have any layout, and broadcast to one shape. Arrays that map_expr indexes in other ways are passed
---whole. You can pass DeviceAllocations instead of contiguous arrays. options: out: an array of one element, or a list,
---that receives the result; range or slice, {first, last} or {first, last, step}: the elements to process (positions
---from 1, inclusive, negative ones from the end); n: the number of elements, if no array determines it; stream: default
---the current stream; allocator: a function that allocates the result and takes a number of bytes.
---@class cudalua.reduction.ReductionKernelClass
---@overload fun(dtype_out: any, neutral: any, reduce_expr: any, map_expr: any, arguments: string|any[],
--- name?: string, options?: cudalua.reduction.Options): cudalua.reduction.ReductionKernel
M.ReductionKernel = setmetatable({}, { __call = new, __index = Kernel })

-- ---- arguments of a call --------------------------------------------------------------------------------------------

local call_options = { range = true, slice = true, stream = true, n = true, out = true, allocator = true }

-- ---- the elements ---------------------------------------------------------------------------------------------------

-- Steps of a leaf along the axes of a shape, in elements; nil if they are not whole ones.
local function steps_of(leaf, shape)
  local steps = layout.broadcast_strides(leaf.shape, leaf.strides, shape)
  for axis = 1, #shape do
    steps[axis] = steps[axis] / leaf.dtype.itemsize
    if steps[axis] ~= math.floor(steps[axis]) then return nil end
  end
  return steps
end

-- Memory that is not an array, as elements without gaps.
local function bare(memory, dt)
  return { buf = memory, off = 0, dtype = dt, store = { skew = tonumber(memory:ptr() % 16) } }
end

-- One argument's elements: the leaf and its steps along the axes of the shape, or without one along all of them.
local function operand_of(k, i, x, shape, whole, n)
  local arg = k.args[i]
  if not object.is_array(x) then
    arguments.check_memory(k, i, x, n)
    return bare(x, arg.dtype), whole and layout.dense_strides(shape, 1, "C") or { 1 }
  end
  local leaf = storage.leaf_of(x)
  if whole then
    local steps = steps_of(leaf, shape)
    if steps then return leaf, steps end
    leaf = storage.leaf_of(arguments.copied(x))
    return leaf, steps_of(leaf, shape)
  end
  if not leaf.dense or graph.size_of(leaf.shape) < n then
    leaf = storage.leaf_of(arguments.copied(layout.same(shape, x._shape) and x or x:broadcast_to(shape)))
  end
  return leaf, { 1 }
end

---The elements that a call takes.
---@class cudalua.reduction.Elements
---@field shape integer[]?  that the arrays have together
---@field n integer         how many there are
---@field start integer     the number of the first one that is taken, from 0
---@field step integer      from one to the next one
---@field count integer     how many are taken

-- Where the elements are: the operands as a walk has them (core/plan.lua), the extents of axes, and the operands'
-- steps along those from the second place on. A part of the elements is one axis.
local function elements_of(k, values, taken)
  local w, operands = { nleaves = 0, leaves = {}, classes = {} }, {}
  local shape, start, step, count = taken.shape, taken.start, taken.step, taken.count
  local whole = start == 0 and step == 1 and shape and count == graph.size_of(shape)
  for i, arg in ipairs(k.args) do
    if arg.is_vector and k.usage.at_i[arg.name] then
      local at = w.nleaves + 1
      local leaf, steps = operand_of(k, i, values[i], shape, whole, taken.n)
      if not whole then
        leaf = { buf = leaf.buf, off = leaf.off + start * arg.dtype.itemsize, dtype = leaf.dtype, store = leaf.store }
        steps = { step }
      end
      w.nleaves, w.leaves[at], w.classes[at], operands[at + 1] = at, leaf, "strided", steps
    end
  end
  local own = whole and shape or { count }
  local zeros, axes = {}, {}
  for axis = 1, #own do zeros[axis], axes[axis] = 0, axis end
  operands[1] = zeros
  local extents, joined = plan.collapse(own, operands, axes)
  if count == 0 then extents = { 0 } end
  return w, extents, joined
end

-- ---- the call -------------------------------------------------------------------------------------------------------

local function form_of(k, p, tokens)
  local e = tokens[1]
  local key = ("%s %d %s %d %d %s %s"):format(e.form, e.gone, e.wide, e.width, e.turns, e.joint, e.rest)
  for i = 2, #tokens do key = key .. " " .. tokens[i].along end
  return forms.form(k, key, code.kernel, p, tokens)
end

-- Where the results go.
local function results_of(k, options)
  local list = {}
  local given = options.out
  if given ~= nil and #k.outputs == 1 then given = { given } end
  if given ~= nil and (type(given) ~= "table" or getmetatable(given) or #given ~= #k.outputs) then
    refuse(k, "option out must be a list of %d arrays, got %s", #k.outputs, errors.text(options.out))
  end
  for j, output in ipairs(k.outputs) do
    local out = given and given[j]
    if given then
      if not object.is_array(out) then
        refuse(k, "option out must be a gpuarray, got %s", element.describe(out))
      end
      if out._size ~= 1 or out._dtype ~= output.dtype then
        refuse(k, "option out must be one element of %s, got the array %s", output.dtype.name, graph.describe(out))
      end
      evaluate(out)
    else
      out = make.fresh(k.name, {}, output.dtype, "C", options.allocator)
    end
    for m = 1, given and j - 1 or 0 do
      if arguments.overlap(storage.leaf_of(out), storage.leaf_of(list[m])) then
        refuse(k, "option out: arrays %d and %d overlap", m, j)
      end
    end
    list[j] = out
  end
  return list, given ~= nil
end

-- What the kernel is called with first, in the order of code.lua: the plan's numbers, and what blocks share.
local function numbers_of(p, partial, counting)
  if not partial then return { p.outputs, p.n, p.n, p.first, p.second } end
  return { p.outputs, p.n, p.n, p.first, p.second, p.parts, partial, 0, counting, 0 }
end

-- And then: where the results go, the arrays, the other arguments, and which elements are taken.
local function add_arguments(list, k, values, results, w, taken)
  local function put(a, b) list[#list + 1], list[#list + 2] = a, b end
  for _, out in ipairs(results) do
    local leaf = storage.leaf_of(out)
    put(leaf.buf, leaf.off)
  end
  for i = 1, w.nleaves do put(w.leaves[i].buf or core.pointer(0), w.leaves[i].buf and w.leaves[i].off or 0) end
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if not arg.is_vector then
      put(x)
    elseif not k.usage.at_i[arg.name] then
      if object.is_array(x) then
        local leaf = storage.leaf_of(x)
        put(leaf.buf or core.pointer(0), leaf.buf and leaf.off or 0)
      else
        put(x, 0)
      end
    end
  end
  put(taken.start, taken.step)
  put(taken.n)
end

-- The arguments as the kernel can take them. Copies are made for each attempt, so that all arguments are of one time.
local function readable(k, values)
  local list = {}
  for i, arg in ipairs(k.args) do
    local x = values[i]
    list[i] = x
    if arg.is_vector and object.is_array(x) then
      evaluate(x)
      if not k.usage.at_i[arg.name] and x._size > 0 and not storage.leaf_of(x).dense then
        list[i] = arguments.copied(x)
      end
    end
  end
  return list
end

-- What a graph reads.
local function read_by(k, values)
  local list = {}
  for i, arg in ipairs(k.args) do
    if arg.is_vector and object.is_array(values[i]) then list[#list + 1] = storage.leaf_of(values[i]) end
  end
  return list
end

-- Finds everything that the launch needs, and launches. Finalizers may change what was found.
local function attempt(since, k, own_values, results, given, taken)
  local values, writes = readable(k, own_values), {}
  for j, out in ipairs(results) do
    evaluate(out)
    if given then write.settle(out._store) end
    writes[j] = storage.leaf_of(out)
  end
  local w, extents, joined = elements_of(k, values, taken)
  local p, tokens = reduce_run.one_output(w, taken.count, extents, joined)
  local form = form_of(k, p, tokens)
  local fn = forms.load(k, form)
  local bytes = 0
  for _, output in ipairs(k.outputs) do
    bytes = bytes + math.ceil(output.dtype.itemsize / 16) * 16 -- with what lies between the members of a struct
  end
  local partial, counting, own = reduce_run.shared(core.context_id(), p, bytes, writes[1].buf)
  local list = numbers_of(p, partial, counting)
  add_arguments(list, k, values, results, w, taken)
  local at = plan.put_extents(list, #list, extents, #extents, tokens[1].wide)
  for i = 2, #tokens do
    at = gathered.put(list, at, joined[i], #extents - (tokens[i].along == "any" and 0 or 1))
  end
  return runs.kernel { fn = fn, blocks = p.blocks, arguments = list, since = since, leaves = read_by(k, values),
    writes = writes, changes = given, scratch = own and { partial } } or runs.AGAIN
end

-- The results are made once, as the user's allocator is called once.
local function call(k, values, options)
  local shape = arguments.common_shape(k, values)
  local n = arguments.number_of_elements(k, values, shape, options)
  local start, step, count = arguments.range_of(k, options, n)
  local results, given = results_of(k, options)
  runs.until_done(attempt, k, values, results, given, { shape = shape, n = n, start = start or 0, step = step or 1,
    count = count or n })
  return unpack(results)
end

---Runs the reduction. See ReductionKernel.
---@param k table
---@param ... any
---@return cudalua.gpuarray.Array ...
function M._call(k, ...)
  local values, options = arguments.split(k, call_options, ...)
  arguments.convert(k, values)
  return arguments.inside(k, arguments.context_of(k, values), options.stream, call, values, options)
end

---Returns the CUDA C source of the kernel, in the variant for long contiguous arrays with the same layout.
---@return string
function Kernel:source()
  local mt = debug.getmetatable(self)
  if type(mt) ~= "table" or mt.__metatable ~= TAG then
    errors.raise("LogicError", "ReductionKernel:source: expected a ReductionKernel, got " .. errors.text(self))
  end
  local k, w, strides = mt._kernel, { nleaves = 0, leaves = {}, classes = {} }, { { 0 } }
  for _, arg in ipairs(k.args) do
    if arg.is_vector and k.usage.at_i[arg.name] then
      local at = w.nleaves + 1
      w.nleaves, w.classes[at], strides[at + 1] = at, "strided", { 1 }
      w.leaves[at] = { off = 0, dtype = arg.dtype, store = { skew = 0 } }
    end
  end
  local p, tokens = reduce_run.one_output(w, 2 ^ 20, { 2 ^ 20 }, strides)
  return form_of(k, p, tokens).source
end

names.strict(M, { text = "reduction", kind = "module" })

return M
