-- Kernels that make one value of the elements of arrays, from the user's expressions: PyCUDA's ReductionKernel, for
-- arrays of any layout that broadcast to one shape.
--   reduction/code   the CUDA C around the expressions    gpuarray/reduce_run, reduce_code   what it has of gpuarray's
--
-- The arrays that map_expr takes at [i] and nowhere else are its elements; others are its own to index, and passed
-- whole, as in an ElementwiseKernel. Values are combined in the order that kernels/array/reduce.cu fixes.

local code = require "cudalua.reduction.code"
local compiler = require "cudalua.compiler"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.element"
local errors = require "cudalua.errors"
local evaluate = require("cudalua.gpuarray.evaluate").evaluate
local find_function = require("cudalua.function").find
local graph = require "cudalua.gpuarray.graph"
local host = require "cudalua.ffi"
local layout = require "cudalua.layout"
local make = require "cudalua.gpuarray.make"
local object = require "cudalua.gpuarray.object"
local plan = require "cudalua.gpuarray.plan"
local prepared = require("cudalua.gpuarray.scalar").operand
local reduce_run = require "cudalua.gpuarray.reduce_run"
local storage = require "cudalua.gpuarray.storage"
local tools = require "cudalua.tools.arguments"
local usage = require "cudalua.elementwise.usage"
local view = require "cudalua.gpuarray.view"
local write = require "cudalua.gpuarray.write"

local concat = table.concat

---@class cudalua.reduction
local M = {}

---A reduction that was written in CUDA C: `k(x, y)` gives the value, an array of no axes.
---@class cudalua.reduction.ReductionKernel
---@field name string      of the kernel in the compiled module
---@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
local Kernel = {}

-- What getmetatable says of one.
local TAG = "cudalua.reduction.ReductionKernel"

local function refuse(k, text, ...)
  errors.raise("LogicError", k.name .. ": " .. text:format(...), { kernel = k.name })
end

-- ---- making one -----------------------------------------------------------------------------------------------------

local WHERE = "ReductionKernel"
local known_options = { preamble = "string", options = "table", keep = "boolean", name = "string" }
local option_names = {}
for name in pairs(known_options) do option_names[name] = true end

local function wrong_text(what, why) errors.raise("LogicError", ("%s: %s %s"):format(WHERE, what, why)) end

local function check_text(what, x)
  if type(x) ~= "string" or not x:find "%S" then
    wrong_text(what, "must be a string of CUDA C, got " .. errors.text(x))
  end
  if x:find("\0", 1, true) then wrong_text(what, "has a zero byte in it") end
  return x
end

-- A neutral value as CUDA C; a number may stand for it.
local function neutral_text(what, x)
  if type(x) == "boolean" then return tostring(x) end
  if type(x) ~= "number" then return check_text(what, x) end
  if x ~= x then return "__int_as_float(0x7fffffff)" end
  if x == 1 / 0 then return "__int_as_float(0x7f800000)" end
  if x == -1 / 0 then return "__int_as_float(0xff800000)" end
  return ("%.17g"):format(x)
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
    outputs[j] = { dtype = dt, label = label, neutral = neutral_text(label "neutral", own(ns)),
      reduce = check_text(label "reduce_expr", own(rs)), map = own(ms) }
  end
  return outputs
end

local reserved = { i = "the number of the element", n = "the number of elements" }

local function list_of_arguments(k)
  local list = {}
  for i, arg in ipairs(k.args) do list[i] = arg:declarator() end
  return concat(list, ", ")
end

local function check_arguments(k)
  local names = {}
  for i, arg in ipairs(k.args) do
    if reserved[arg.name] or arg.name:find "^cl_" then
      refuse(k, "argument %d (%s): the name is taken: %s", i, arg:declarator(),
        reserved[arg.name] or "what begins with cl_ belongs to the kernel around the expressions")
    end
    if arg.is_vector then names[#names + 1] = arg.name end
  end
  if #names == 0 then refuse(k, "none of the arguments (%s) is an array", list_of_arguments(k)) end
  return names
end

local function new(_, dtype_out, neutral, reduce_expr, map_expr, arguments, name, options)
  if type(name) == "table" and options == nil then name, options = nil, name end
  options = errors.options(WHERE, options, option_names)
  for key, kind in pairs(known_options) do
    if options[key] ~= nil and type(options[key]) ~= kind then
      errors.raise("LogicError", ("%s: option %s must be a %s, got %s"):format(WHERE, key, kind,
        errors.text(options[key])))
    end
  end
  if name == nil then name = options.name end
  local k = { outputs = outputs_of(dtype_out, neutral, reduce_expr, map_expr), args = tools.parse_arguments(arguments),
    name = name == nil and "reduce_kernel" or name, options = options.options, keep = options.keep, forms = {},
    preamble = options.preamble or "" }
  local why = require("cudalua.typename").not_an_identifier(k.name)
  if why then
    errors.raise("LogicError", ("%s: %s cannot be the name of a kernel: %s"):format(WHERE, errors.text(name), why))
  end
  if k.preamble:find("\0", 1, true) then wrong_text("preamble", "has a zero byte in it") end
  local names, maps = check_arguments(k), {}
  for j, output in ipairs(k.outputs) do
    if output.map == nil then output.map = names[1] .. "[i]" end
    maps[j] = check_text(output.label "map_expr", output.map)
  end
  local u = usage.of(names, concat(maps, ";\n"), "", k.preamble)
  for i, arg in ipairs(k.args) do
    if u.at_i[arg.name] and u.writes[arg.name] then
      refuse(k, "argument %d (%s): map_expr writes to it; a reduction only reads", i, arg:declarator())
    end
  end
  k.at_i = u.at_i
  k.common = code.common(k)
  return setmetatable({}, {
    __index = function(_, key)
      if key == "name" or key == "keep_dir" then return k[key] end
      return Kernel[key]
    end,
    __newindex = function(_, key) refuse(k, "cannot set %s: it is read only", errors.text(key)) end,
    __call = function(_, ...) return M._call(k, ...) end,
    __tostring = function() return ("cudalua.ReductionKernel: %s(%s)"):format(k.name, list_of_arguments(k)) end,
    __metatable = TAG,
    _kernel = k,
  })
end

---@class cudalua.reduction.Options
---@field preamble string?    CUDA C before the kernel: functions, types, #include
---@field options string[]?   for the compiler, which keeps its default of joining products and sums
---@field keep boolean?       true: the compiler's files stay in a folder, keep_dir
---@field name string?        of the kernel

---A reduction of arrays: `ReductionKernel("float32", "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")` is
---the dot product. map_expr is computed for each element, `i` being its number, from 0, in C order whatever the arrays'
---layouts, and `n` how many there are; reduce_expr makes one value of two, `a` and `b`, and has to be associative;
---neutral is the value that changes no other one. map_expr may be nil: the first array's element. Values are combined
---in an order that depends on their number alone, so that results are the same on every device.
---
---dtype_out may be a struct, whose type is registered or declared in the preamble; or a list, with as many neutrals,
---reduce_exprs and map_exprs: then one pass over the arrays gives several values.
---
---Calling it: k(arguments in their order, options) gives a new array of no axes, one for each result. Arrays that are
---used only at [i] may be of any layout, and broadcast to one shape; others are map_expr's own to index, and passed
---whole. DeviceAllocations may stand for arrays without gaps. options: out, an array of one element, or a list, that
---gets the result; range or slice, {first, last} or {first, last, step}, which elements (positions from 1, inclusive,
---negative ones from the end); n, the number of elements, where arrays do not tell; stream, in which it runs; default:
---the current one; allocator, a function that gives the result's memory for a number of bytes.
---@class cudalua.reduction.ReductionKernelClass
---@overload fun(dtype_out: any, neutral: any, reduce_expr: any, map_expr: any, arguments: string|any[],
--- name?: string, options?: cudalua.reduction.Options): cudalua.reduction.ReductionKernel
M.ReductionKernel = setmetatable({}, { __call = new, __index = Kernel })

-- ---- arguments of a call --------------------------------------------------------------------------------------------

local call_options = { range = true, slice = true, stream = true, n = true, out = true, allocator = true }

local function wrong(k, i, why, ...)
  refuse(k, "argument %d (%s): %s", i, k.args[i]:declarator(), select("#", ...) > 0 and why:format(...) or why)
end

-- Takes the options from behind the arguments.
local function split(k, ...)
  local n, wanted = select("#", ...), #k.args
  local values, options = { ... }, {}
  if n == wanted + 1 and (values[n] == nil or type(values[n]) == "table" and getmetatable(values[n]) == nil) then
    options = errors.options(k.name, values[n], call_options)
    n = n - 1
  end
  if n ~= wanted then
    refuse(k, "it takes %d argument%s (%s), got %d", wanted, wanted == 1 and "" or "s", list_of_arguments(k), n)
  end
  return values, options
end

local memory_kinds = { DeviceAllocation = true, DevicePointer = true, PooledDeviceAllocation = true,
  ManagedAllocation = true }

local function check_array(k, i, x)
  local dt = k.args[i].dtype
  if object.is_array(x) then
    local a = x._dtype
    local pair = a.kind == "complex" and dt.kind == "struct" and dt._builtin and dt.itemsize == a.itemsize and
      #dt._fields == 2
    if a ~= dt and not pair then wrong(k, i, "the array is %s; astype() converts", graph.describe(x)) end
  elseif not (type(x) == "userdata" and memory_kinds[core.kind(x)]) then
    wrong(k, i, "expected an array on the device, got %s%s", element.describe(x), type(x) == "table" and
      getmetatable(x) == "cudalua.ndarray" and "; gpuarray.to_gpu() copies it there" or "")
  end
end

-- A value as array_run takes it.
local function value_of(k, i, x)
  local dt = k.args[i].dtype
  if object.is_array(x) then
    if x._ndim > 0 then wrong(k, i, "expected a number, got the array %s", graph.describe(x)) end
    x = x:item()
  end
  if dt.kind == "struct" then
    local bytes = type(x) == "string" and x or type(x) == "cdata" and host.value_bytes(x)
    if not bytes or #bytes ~= dt.itemsize then
      wrong(k, i, "expected a value of %s (%d bytes), got %s", dt.name, dt.itemsize, errors.text(x))
    end
    return bytes
  end
  local v, why
  if type(x) == "number" or type(x) == "boolean" or type(x) == "cdata" then v, why = dt._check(element.scalar(x)) end
  if v == nil then wrong(k, i, why or ("expected a number, got " .. element.describe(x))) end
  local p = prepared(v, dt)
  return type(p) == "table" and p._scalar or p
end

-- ---- the elements ---------------------------------------------------------------------------------------------------

-- A copy without gaps; of structs, as the bytes that they are.
local function copied(x)
  local dt, shape = x._dtype, x._shape
  if dt.kind ~= "struct" then return view.copy(x, "C") end
  local leaf = storage.leaf_of(x)
  local bytes, strides = { unpack(leaf.shape) }, { unpack(leaf.strides) }
  bytes[#bytes + 1], strides[#strides + 1] = dt.itemsize, 1
  local copy = view.copy(view.of(x, 0, bytes, strides, dtypes.uint8), "C")
  return view.of(copy, 0, shape, layout.dense_strides(shape, dt.itemsize, "C"), dt)
end

-- The shape that the arrays at [i] have together.
local function common_shape(k, values)
  local shape
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if k.at_i[arg.name] and object.is_array(x) then
      local ok, joined = true, x._shape
      if shape and not layout.same(shape, joined) then ok, joined = pcall(layout.broadcast, k.name, shape, joined) end
      if not ok then
        wrong(k, i, "the array %s does not fit the shape %s of those before", graph.describe(x), layout.text(shape))
      end
      shape = joined
    end
  end
  return shape
end

local function number_of_elements(k, values, shape, options)
  local n = shape and graph.size_of(shape)
  for i, arg in ipairs(k.args) do -- none is taken at [i] alone: the first one tells, as in PyCUDA
    if not n and arg.is_vector and object.is_array(values[i]) then n = values[i]._size end
  end
  if options.n ~= nil then
    local given = layout.whole(options.n)
    if not given or given < 0 then
      refuse(k, "option n must be a number of elements, got %s", errors.text(options.n))
    end
    if shape and given > n then refuse(k, "option n is %.0f, but the arrays have %.0f elements", given, n) end
    return given
  end
  return n or refuse(k, "no argument tells how many elements there are: option n does, {n = ...}")
end

-- The first element, counted from 0, the step and the count.
local function range_of(k, options, n)
  local name = options.range ~= nil and "range" or options.slice ~= nil and "slice" or nil
  if not name then return 0, 1, n end
  if options.range ~= nil and options.slice ~= nil then refuse(k, "options range and slice are the same: give one") end
  local r = options[name]
  if type(r) ~= "table" or getmetatable(r) ~= nil then
    refuse(k, "option %s must be {first, last} or {first, last, step}, got %s", name, errors.text(r))
  end
  local first, count, step = layout.range(("%s: option %s"):format(k.name, name), 1, r, n)
  return first - 1, step, count
end

-- Steps of a leaf along the axes of a shape, in elements; nil where they are no whole ones.
local function steps_of(leaf, shape)
  local steps = layout.broadcast_strides(leaf.shape, leaf.strides, shape)
  for axis = 1, #shape do
    steps[axis] = steps[axis] / leaf.dtype.itemsize
    if steps[axis] ~= math.floor(steps[axis]) then return nil end
  end
  return steps
end

-- Memory that is no array, as elements without gaps.
local function bare(memory, dt)
  return { buf = memory, off = 0, dtype = dt, store = { skew = tonumber(memory:ptr() % 16) } }
end

-- One argument's elements: the leaf and its steps along the axes of the shape, or without one along all of them.
local function operand_of(arg, x, shape, whole, n)
  if not object.is_array(x) then
    return bare(x, arg.dtype), whole and layout.dense_strides(shape, 1, "C") or { 1 }
  end
  local leaf = storage.leaf_of(x)
  if whole then
    local steps = steps_of(leaf, shape)
    if steps then return leaf, steps end
    leaf = storage.leaf_of(copied(x))
    return leaf, steps_of(leaf, shape)
  end
  if not leaf.dense or graph.size_of(leaf.shape) < n then
    leaf = storage.leaf_of(copied(layout.same(shape, x._shape) and x or x:broadcast_to(shape)))
  end
  return leaf, { 1 }
end

-- Where the elements are: the operands as a walk has them (gpuarray/plan.lua), the extents of axes, and the operands'
-- steps along those from the second place on. A part of the elements is one axis.
local function elements_of(k, values, shape, start, step, count, n)
  local w, operands = { nleaves = 0, leaves = {}, classes = {} }, {}
  local whole = start == 0 and step == 1 and shape and count == graph.size_of(shape)
  for i, arg in ipairs(k.args) do
    if arg.is_vector and k.at_i[arg.name] then
      local at = w.nleaves + 1
      local leaf, steps = operand_of(arg, values[i], shape, whole, n)
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
  local form = k.forms[key]
  if not form then
    form = { source = code.kernel(k, tokens), types = code.types(k, p, tokens), loaded = {} }
    k.forms[key] = form
  end
  return form
end

-- The kernel in the current context.
local function load(k, form)
  local id = core.context_id()
  local fn = form.loaded[id]
  if fn then return fn end
  local result = compiler.build(k.name, form.source, { options = k.options, no_extern_c = true, name = k.name .. ".cu",
    headers = code.headers(k), keep = k.keep })
  k.keep_dir = result.keep_dir
  fn = find_function(core.module_load(result.image, nil, true), k.name, { args = form.types }, nil)
  form.loaded[id] = fn
  return fn
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
      write.settle(out._store)
    else
      out = make.fresh(k.name, {}, output.dtype, "C", options.allocator)
    end
    list[j] = out
  end
  return list, given ~= nil
end

-- What the kernel is called with, in the order of code.lua.
local function arguments_of(k, values, results, w, p, start, step, n, count, partial, counting)
  local list = { 1, count, count, p.first, p.second }
  local function put(a, b) list[#list + 1], list[#list + 2] = a, b end
  if partial then
    put(p.parts, partial)
    put(0, counting)
    put(0)
  end
  for _, out in ipairs(results) do
    local leaf = storage.leaf_of(out)
    put(leaf.buf, leaf.off)
  end
  for i = 1, w.nleaves do put(w.leaves[i].buf or core.pointer(0), w.leaves[i].buf and w.leaves[i].off or 0) end
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if not arg.is_vector then
      put(x)
    elseif not k.at_i[arg.name] then
      if object.is_array(x) then
        local leaf = storage.leaf_of(x)
        put(leaf.buf or core.pointer(0), leaf.buf and leaf.off or 0)
      else
        put(x, 0)
      end
    end
  end
  put(start, step)
  put(n)
  return list
end

-- Everything that the launch needs, or nil where finalizers changed what was found on the way.
local function attempt(k, values, options)
  local writes = storage.writes
  local shape = common_shape(k, values)
  local n = number_of_elements(k, values, shape, options)
  local start, step, count = range_of(k, options, n)
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if arg.is_vector and object.is_array(x) then
      evaluate(x)
      if not k.at_i[arg.name] and x._size > 0 and not storage.leaf_of(x).dense then values[i] = copied(x) end
    end
  end
  local results, given = results_of(k, options)
  local w, extents, joined = elements_of(k, values, shape, start, step, count, n)
  local p, tokens = reduce_run.one_output(w, count, extents, joined)
  local form = form_of(k, p, tokens)
  local fn = load(k, form)
  local bytes = 0
  for _, output in ipairs(k.outputs) do
    bytes = bytes + math.ceil(output.dtype.itemsize / 16) * 16 -- with what lies between the members of a struct
  end
  local partial, counting, own = reduce_run.shared(core.context_id(), p, 1, bytes, results[1]._leaf.buf)
  local list = arguments_of(k, values, results, w, p, start, step, n, count, partial, counting)
  local at = reduce_run.put_extents(list, #list, extents, #extents, tokens[1].wide)
  for i = 2, #tokens do
    at = reduce_run.put(list, at, joined[i], #extents - (tokens[i].along == "any" and 0 or 1))
  end
  if writes ~= storage.writes then return nil end
  local captured = core.array_run(fn, p.blocks, list)
  if own and not captured then partial:free() end
  for _, out in ipairs(results) do
    if given then storage.writes = storage.writes + 1 end
    if captured then make.captured(out._leaf) end
  end
  for i, arg in ipairs(k.args) do
    if captured and arg.is_vector and object.is_array(values[i]) then values[i]._store.pinned = true end
  end
  return results
end

local function call(k, values, options)
  local results
  repeat results = attempt(k, values, options) until results
  return unpack(results)
end

local function context_of(k, values)
  local store, at
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if arg.is_vector and object.is_array(x) then
      evaluate(x)
      local own = storage.leaf_of(x).store
      if store and own.context ~= store.context then
        wrong(k, i, "the array belongs to another context than argument %d does", at)
      end
      if not store or not store.buf then store, at = own, i end
    end
  end
  return store
end

---Runs the reduction. See ReductionKernel.
---@param k table
---@param ... any
---@return cudalua.gpuarray.Array ...
function M._call(k, ...)
  local values, options = split(k, ...)
  for i, arg in ipairs(k.args) do
    if arg.is_vector then check_array(k, i, values[i]) else values[i] = value_of(k, i, values[i]) end
  end
  local store = context_of(k, values)
  local stream = options.stream
  if stream ~= nil then
    if core.kind(stream) ~= "Stream" then refuse(k, "option stream must be a Stream, got %s", errors.text(stream)) end
    return stream:use(call, k, values, options)
  end
  if store and store.buf and store.context ~= core.context_id() then
    return core.memory_context(store.buf):with(call, k, values, options)
  end
  return call(k, values, options)
end

---The CUDA C of the kernel, in the form for long arrays that lie alike and without gaps.
---@return string
function Kernel:source()
  local mt = debug.getmetatable(self)
  if type(mt) ~= "table" or mt.__metatable ~= TAG then
    errors.raise("LogicError", "ReductionKernel:source: expected a ReductionKernel, got " .. errors.text(self))
  end
  local k, w, strides = mt._kernel, { nleaves = 0, leaves = {}, classes = {} }, { { 0 } }
  for _, arg in ipairs(k.args) do
    if arg.is_vector and k.at_i[arg.name] then
      local at = w.nleaves + 1
      w.nleaves, w.classes[at], strides[at + 1] = at, "strided", { 1 }
      w.leaves[at] = { off = 0, dtype = arg.dtype, store = { skew = 0 } }
    end
  end
  local p, tokens = reduce_run.one_output(w, 2 ^ 20, { 2 ^ 20 }, strides)
  return form_of(k, p, tokens).source
end

return M
