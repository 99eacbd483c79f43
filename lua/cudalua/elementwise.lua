-- Kernels made of one statement of the user's, which is done for each element of some arrays: PyCUDA's
-- ElementwiseKernel, for arrays of any layout that broadcast to one shape.
--   elementwise/usage   how the statement uses its arguments    elementwise/code   the CUDA C around it
--   elementwise/again   calls like one before, in a few steps
--
-- The arrays that the statement takes at [i] and nowhere else are its elements: they broadcast to one shape, and lie as
-- they will. An array that is used in any other way, as in table[index[i]], is the user's own to index: it is passed
-- whole, without gaps, whatever its shape. Where no array is taken at [i] alone, the first one says how many elements
-- there are, as in PyCUDA.

local again = require "cudalua.elementwise.again"
local code = require "cudalua.elementwise.code"
local compiler = require "cudalua.compiler"
local core = require "cudalua.core"
local element = require "cudalua.element"
local errors = require "cudalua.errors"
local evaluate = require("cudalua.gpuarray.evaluate").evaluate
local find_function = require("cudalua.function").find
local graph = require "cudalua.gpuarray.graph"
local host = require "cudalua.ffi"
local layout = require "cudalua.layout"
local object = require "cudalua.gpuarray.object"
local plan = require "cudalua.gpuarray.plan"
local prepared = require("cudalua.gpuarray.scalar").operand
local storage = require "cudalua.gpuarray.storage"
local tile = require "cudalua.gpuarray.tile"
local tile_code = require "cudalua.elementwise.tile_code"
local tools = require "cudalua.tools.arguments"
local usage = require "cudalua.elementwise.usage"
local view = require "cudalua.gpuarray.view"
local write = require "cudalua.gpuarray.write"

local ceil, concat = math.ceil, table.concat
local context_id, run = core.context_id, core.array_run

---@class cudalua.elementwise
local M = {}

---A statement that runs for each element of some arrays: `k(2, x, 3, y, z)`.
---@class cudalua.elementwise.ElementwiseKernel
---@field name string      of the kernel in the compiled module
---@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
local Kernel = {}

-- What getmetatable says of one.
local TAG = "cudalua.elementwise.ElementwiseKernel"

local function refuse(k, text, ...)
  errors.raise("LogicError", k.name .. ": " .. text:format(...), { kernel = k.name })
end

-- ---- making one -----------------------------------------------------------------------------------------------------

local known_options = { preamble = "string", loop_prep = "string", after_loop = "string", options = "table",
  keep = "boolean" }
local kernel_option_names = {}
for name in pairs(known_options) do kernel_option_names[name] = true end

local function check_text(where, what, x)
  if type(x) ~= "string" then
    errors.raise("LogicError", ("%s: %s must be a string of CUDA C, got %s"):format(where, what, errors.text(x)))
  end
  if x:find("\0", 1, true) then errors.raise("LogicError", ("%s: %s has a zero byte in it"):format(where, what)) end
  return x
end

local reserved = { i = "the number of the element", n = "the number of elements" }
local list_of_arguments

local function new(_, arguments, operation, name, options)
  local where = "ElementwiseKernel"
  if type(name) == "table" and options == nil then name, options = nil, name end
  options = errors.options(where, options, kernel_option_names)
  for key, kind in pairs(known_options) do
    if options[key] ~= nil and type(options[key]) ~= kind then
      errors.raise("LogicError", ("%s: option %s must be a %s, got %s"):format(where, key, kind,
        errors.text(options[key])))
    end
  end
  local k = { args = tools.parse_arguments(arguments), operation = check_text(where, "the operation", operation),
    name = name == nil and "elwise_kernel" or name, options = options.options, keep = options.keep, forms = {},
    preamble = check_text(where, "preamble", options.preamble or ""),
    loop_prep = check_text(where, "loop_prep", options.loop_prep or ""),
    after_loop = check_text(where, "after_loop", options.after_loop or "") }
  local why = require("cudalua.typename").not_an_identifier(k.name)
  if why then
    errors.raise("LogicError", ("%s: %s cannot be the name of a kernel: %s"):format(where, errors.text(name), why))
  end
  local names = {}
  for i, arg in ipairs(k.args) do
    if reserved[arg.name] or arg.name:find "^cl_" then
      refuse(k, "argument %d (%s): the name is taken: %s", i, arg:declarator(),
        reserved[arg.name] or "what begins with cl_ belongs to the kernel around the statement")
    end
    if arg.is_vector then names[#names + 1] = arg.name end
  end
  if #names == 0 then refuse(k, "none of the arguments (%s) is an array", list_of_arguments(k)) end
  k.usage = usage.of(names, k.operation, k.loop_prep .. "\n" .. k.after_loop, k.preamble)
  -- What is not assigned to in so many words is taken to be only read, until the compiler says otherwise.
  k.const, k.guessed = {}, false
  for _, arg in ipairs(k.args) do
    k.const[arg.name] = arg.is_vector and (arg.is_const or not k.usage.writes[arg.name])
    if k.const[arg.name] and not arg.is_const then k.guessed = true end
  end
  k.common = code.common(k.args, k.preamble)
  return setmetatable({}, {
    __index = function(_, key)
      if key == "name" or key == "keep_dir" then return k[key] end
      return Kernel[key]
    end,
    __newindex = function(_, key) refuse(k, "cannot set %s: it is read only", errors.text(key)) end,
    __call = function(_, ...) return M._call(k, ...) end,
    __tostring = function() return ("cudalua.ElementwiseKernel: %s(%s)"):format(k.name, list_of_arguments(k)) end,
    __metatable = TAG,
    _kernel = k,
  })
end

function list_of_arguments(k)
  local list = {}
  for i, arg in ipairs(k.args) do list[i] = arg:declarator() end
  return concat(list, ", ")
end

---@class cudalua.elementwise.Options
---@field preamble string?    CUDA C before the kernel: functions, types, #include
---@field loop_prep string?   statements that each thread does before its first element
---@field after_loop string?  and after its last one
---@field options string[]?   for the compiler, which keeps its default of joining products and sums
---@field keep boolean?       true: the compiler's files stay in a folder, keep_dir

---A kernel that does a statement of CUDA C for each element: `ElementwiseKernel("float a, float *x, float *y",
---"y[i] = a * x[i]", "scale")`. `i` is the number of the element, from 0, in C order whatever the arrays' layouts, and
---`n` how many there are, both long long. A bare type like "half" is what CUDA's headers declare for the dtype; complex
---numbers are objects of cudalua::complex<float> or <double> (also: complex64, complex128, pycuda::complex), with
---operators and the functions of C++'s <complex>, unless another class is named.
---
---Calling it: k(arguments in their order, options). Arrays that are used only at [i] may be of any layout, and
---broadcast to one shape, which those that are written have; others are the statement's own to index, and passed whole.
---DeviceAllocations may stand for arrays without gaps. What is read sees the values from before the call, where it
---overlaps in memory with what is written, too. options: range or slice, {first, last} or {first, last, step}, which
---elements (positions from 1, inclusive, negative ones from the end); n, the number of elements, where arrays do not
---tell; stream, in which it runs; default: the current one.
---@class cudalua.elementwise.ElementwiseKernelClass
---@overload fun(arguments: string|any[], operation: string, name?: string, options?: cudalua.elementwise.Options):
--- cudalua.elementwise.ElementwiseKernel
M.ElementwiseKernel = setmetatable({}, { __call = new, __index = Kernel })

-- ---- compiling --------------------------------------------------------------------------------------------------

local function form_of(k, form)
  local key = ("%s %d %s %s %s"):format(form.strided, form.rank, form.wide, form.ranged, form.apart)
  for i, arg in ipairs(k.args) do
    if form.same[arg.name] then key = ("%s %d=%s"):format(key, i, form.same[arg.name]) end
  end
  local t = form.tile
  if t then
    key = ("%s tile %d %d %d"):format(key, t.axis, t.across, t.along)
    for j in pairs(t.tiled) do key = key .. " " .. j end
  end
  local found = k.forms[key]
  if not found then
    form.const = k.const
    found = code.kernel(k, form)
    found.loaded = {}
    k.forms[key] = found
  end
  return found
end

-- The kernel in the current context; nil where it turned out that an array is written after all.
local function load(k, form)
  local id = context_id()
  local fn = form.loaded[id]
  if fn then return fn end
  local ok, result = pcall(compiler.build, k.name, form.source, { options = k.options, no_extern_c = true,
    name = k.name .. ".cu", headers = code.headers(k), keep = k.keep })
  if not ok then
    if not (k.guessed and errors.is_error(result, "CompileError")) then error(result, 0) end
    k.guessed, k.forms = false, {}
    for _, arg in ipairs(k.args) do k.const[arg.name] = arg.is_const end
    return nil
  end
  k.keep_dir = result.keep_dir
  local params = result.params[k.name] -- not there where the preamble has a function of the same name
  fn = find_function(core.module_load(result.image, nil, true), k.name, not params and { args = form.types } or nil,
    params)
  form.loaded[id] = fn
  return fn
end

-- ---- arguments of a call --------------------------------------------------------------------------------------------

local call_options = { range = true, slice = true, stream = true, n = true }

local function wrong(k, i, why, ...)
  refuse(k, "argument %d (%s): %s", i, k.args[i]:declarator(), select("#", ...) > 0 and why:format(...) or why)
end

local function is_options(x) return type(x) == "table" and getmetatable(x) == nil end

-- Takes the options from behind the arguments.
local function split(k, ...)
  local n, wanted = select("#", ...), #k.args
  local values, options = { ... }, {}
  if n == wanted + 1 and (values[n] == nil or is_options(values[n])) then
    options = errors.options(k.name, values[n], call_options)
    n = n - 1
  end
  if n ~= wanted then
    refuse(k, "it takes %d argument%s (%s), got %d", wanted, wanted == 1 and "" or "s", list_of_arguments(k), n)
  end
  return values, options
end

local function is_memory(x)
  local kind = type(x) == "userdata" and core.kind(x)
  return kind == "DeviceAllocation" or kind == "DevicePointer" or kind == "PooledDeviceAllocation" or
    kind == "ManagedAllocation"
end

local function check_array(k, i, x)
  local dt = k.args[i].dtype
  if object.is_array(x) then
    if x._dtype ~= dt then
      local a, b = x._dtype, dt
      local pair = a.kind == "complex" and b.kind == "struct" and b._builtin and b.itemsize == a.itemsize and
        #b._fields == 2
      if not pair then wrong(k, i, "the array is %s; astype() converts", graph.describe(x)) end
    end
  elseif not is_memory(x) then
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
  if type(p) == "table" then p = p._scalar end
  return p
end

-- ---- where elements lie ---------------------------------------------------------------------------------------------

-- Bytes of a buffer that a leaf touches.
local function bounds(leaf)
  local low, high = layout.extent(leaf.shape, leaf.strides, leaf.dtype.itemsize)
  return leaf.off + low, leaf.off + high
end

local function overlap(a, b)
  if not a.buf or a.buf ~= b.buf then return false end
  local al, ah = bounds(a)
  local bl, bh = bounds(b)
  return al < bh and bl < ah
end

-- Structs are copied as the bytes that they are.
local function bytes_of(x)
  local itemsize, leaf = x._dtype.itemsize, storage.leaf_of(x)
  local shape, strides = { unpack(leaf.shape) }, { unpack(leaf.strides) }
  shape[#shape + 1], strides[#strides + 1] = itemsize, 1
  return view.of(x, 0, shape, strides, require("cudalua.dtype").uint8)
end

-- A copy without gaps.
local function copied(x)
  local dt, shape = x._dtype, x._shape
  if dt.kind ~= "struct" then return view.copy(x, "C") end
  return view.of(view.copy(bytes_of(x), "C"), 0, shape, layout.dense_strides(shape, dt.itemsize, "C"), dt)
end

local function put_back(to, from)
  if to._dtype.kind == "struct" then to, from = bytes_of(to), bytes_of(from) end
  write.write(to, from)
end

-- Elements at [i]: the shape that they have together, and whether those that are written have it.
local function common_shape(k, values)
  local shape
  for i, arg in ipairs(k.args) do
    if k.usage.at_i[arg.name] and object.is_array(values[i]) then
      local own = values[i]._shape
      if shape and own ~= shape then
        if not layout.same(own, shape) then
          local ok, joined = pcall(layout.broadcast, k.name, shape, own)
          if not ok then
            wrong(k, i, "the array %s does not fit the shape %s of those before", graph.describe(values[i]),
              layout.text(shape))
          end
          shape = joined
        end
      else
        shape = own
      end
    end
  end
  return shape
end

local function check_written(k, values, shape)
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if arg.is_vector and not k.const[arg.name] and object.is_array(x) then
      if shape and k.usage.at_i[arg.name] and not layout.same(x._shape, shape) then
        wrong(k, i, "it is written, but the array %s is smaller than the shape %s of all together",
          graph.describe(x), layout.text(shape))
      end
      local leaf = evaluate(x)
      if x._size > 1 and layout.repeats(leaf.shape, leaf.strides, leaf.dtype.itemsize) then
        wrong(k, i, "it is written, but elements of the array %s lie in the same place", graph.describe(x))
      end
    end
  end
end

-- Memory that is no array, as elements without gaps.
local function bare(memory, arg, shape)
  return { buf = memory, off = 0, dtype = arg.dtype, shape = shape, bare = true,
    strides = layout.dense_strides(shape, arg.dtype.itemsize, "C") }
end

-- The arrays as they lie in memory; copies where the kernel needs them. `back`: copies that are written and belong
-- elsewhere.
local function leaves_of(k, values, shape)
  local leaves, back = {}, {}
  local arrays = {}
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if arg.is_vector and object.is_array(x) then
      evaluate(x)
      if not k.const[arg.name] then write.settle(x._store) end
      arrays[i] = x
    elseif arg.is_vector then
      leaves[i] = bare(x, arg, shape)
    end
  end
  for i, x in pairs(arrays) do
    local name, leaf = k.args[i].name, storage.leaf_of(x)
    local from
    if not k.usage.at_i[name] and x._size > 0 then
      if not leaf.dense then from = copied(x) end
      if from and not k.const[name] then back[#back + 1] = { from = from, to = x } end
    end
    if k.const[name] and not from then
      for j, y in pairs(arrays) do
        local other = storage.leaf_of(y)
        if i ~= j and not k.const[k.args[j].name] and not from and overlap(leaf, other) and
          not (k.usage.at_i[name] and k.usage.at_i[k.args[j].name] and leaf.off == other.off and
            leaf.dtype == other.dtype and layout.same(leaf.shape, other.shape) and
            layout.same(leaf.strides, other.strides)) then
          from = copied(x)
        end
      end
    end
    leaves[i] = from and storage.leaf_of(from) or leaf
  end
  return leaves, back
end

-- Are the elements at [i] of two arguments the same ones?
local function are_same(k, leaves, i, j)
  local a, b = leaves[i], leaves[j]
  return not a.bare and not b.bare and k.usage.at_i[k.args[i].name] and k.usage.at_i[k.args[j].name] and
    a.buf == b.buf and a.off == b.off and a.dtype == b.dtype and k.common.types[i] == k.common.types[j] and
    layout.same(a.shape, b.shape) and layout.same(a.strides, b.strides)
end

-- Can nothing that is written be reached through another argument? Of other memory nothing is known. Arguments that are
-- the same elements as one that is written become that one.
local function are_apart(k, leaves)
  local same = {}
  for i, arg in ipairs(k.args) do
    if arg.is_vector and not k.const[arg.name] and not same[arg.name] then
      for j, other in ipairs(k.args) do
        if i ~= j and other.is_vector and not same[other.name] then
          local a, b = leaves[i], leaves[j]
          if a.bare or b.bare then return false, {} end
          if overlap(a, b) then
            if not are_same(k, leaves, i, j) then return false, {} end
            same[other.name] = arg.name
          end
        end
      end
    end
  end
  return true, same
end

-- The tile that a block does, where an array that is only read lies otherwise than the one that says in which order
-- elements are taken (the first-th of the operands).
local function tile_of(k, leaves, extents, joined, first)
  if #extents < 2 or k.loop_prep:find "%S" or k.after_loop:find "%S" then return nil end
  local operands, places, numbers, largest, j, n = {}, {}, {}, 1, 0, 1
  for i, arg in ipairs(k.args) do
    if arg.is_vector then
      local size = arg.dtype.itemsize
      if not tile_code.can_move(arg) then return nil end
      largest, j = math.max(largest, size), j + 1
      if j ~= first then n = n + 1 end
      local at, strides = j == first and 1 or n, {}
      -- What is written is not read ahead, as if it were not there.
      local counts = j == first or k.const[arg.name]
      for axis, bytes in ipairs(joined[j]) do strides[axis] = counts and bytes / size or 0 end
      operands[at], places[at], numbers[at] = strides, leaves[i], j
    end
  end
  return tile.choose(extents, operands, places, {}, largest, true), numbers
end

-- How the elements at [i] are found: their steps in bytes along axes that they have together.
local function places(k, leaves, shape, size, ranged, apart)
  local operands, sizes, in_order = {}, {}, {}
  for i, arg in ipairs(k.args) do
    if arg.is_vector and k.usage.at_i[arg.name] then
      local strides = layout.broadcast_strides(leaves[i].shape, leaves[i].strides, shape)
      operands[#operands + 1], sizes[#sizes + 1] = strides, arg.dtype.itemsize
      if not in_order.strides or not k.const[arg.name] and in_order.const then
        in_order = { strides = strides, const = k.const[arg.name], number = #operands }
      end
    end
  end
  if #operands == 0 then return { strided = false, rank = 1, wide = false } end
  local axes = {}
  for axis = 1, #shape do axes[axis] = axis end
  local any_order = k.usage.any_order and not ranged
  if any_order then axes = plan.ordered(shape, in_order.strides) end
  local extents, joined = plan.collapse(shape, operands, axes)
  local flat = #extents == 1
  for j = 1, #operands do flat = flat and (joined[j][1] == sizes[j] or size == 1) end
  if flat then return { strided = false, rank = 1, wide = false } end
  local wide = size >= plan.LIMIT or plan.always_wide
  for j = 1, #operands do
    local reach = 0
    for axis = 1, #extents do reach = reach + (extents[axis] - 1) * math.abs(joined[j][axis]) end
    wide = wide or reach >= plan.LIMIT
  end
  local form = { strided = true, rank = #extents, wide = wide }
  if any_order and apart then
    local t, numbers = tile_of(k, leaves, extents, joined, in_order.number)
    if t then
      local tiled = {}
      for at in pairs(t.tiled) do tiled[numbers[at]] = true end
      t.tiled, form.tile = tiled, t
    end
  end
  return form, extents, joined
end

-- ---- the call -------------------------------------------------------------------------------------------------------

local function number_of_elements(k, values, shape, options)
  local n
  if shape then
    n = graph.size_of(shape)
  else
    for i, arg in ipairs(k.args) do -- none is taken at [i] alone: the first one tells, as in PyCUDA
      if arg.is_vector and object.is_array(values[i]) and not n then n = values[i]._size end
    end
  end
  if options.n ~= nil then
    local given = layout.whole(options.n)
    if not given or given < 0 then
      refuse(k, "option n must be a number of elements, got %s", errors.text(options.n))
    end
    if shape and given > n then refuse(k, "option n is %.0f, but the arrays have %.0f elements", given, n) end
    return given
  end
  if not n then refuse(k, "no argument tells how many elements there are: option n does, {n = ...}") end
  return n
end

local function range_of(k, options, n)
  local name = options.range ~= nil and "range" or options.slice ~= nil and "slice" or nil
  if not name then return nil end
  if options.range ~= nil and options.slice ~= nil then refuse(k, "options range and slice are the same: give one") end
  local r = options[name]
  if type(r) ~= "table" or getmetatable(r) ~= nil then
    refuse(k, "option %s must be {first, last} or {first, last, step}, got %s", name, errors.text(r))
  end
  local first, count, step = layout.range(("%s: option %s"):format(k.name, name), 1, r, n)
  return first - 1, step, count
end

-- What the kernel is called with, in the order of code.lua.
local function arguments_of(k, values, leaves, n, range, form, extents, joined)
  local list = {}
  for i = 1, #k.args do
    local leaf = leaves[i]
    if not leaf then
      list[#list + 1] = values[i]
    else
      list[#list + 1], list[#list + 2] = leaf.buf or core.pointer(0), leaf.buf and leaf.off or 0
    end
  end
  list[#list + 1] = n
  for _, x in ipairs(range) do list[#list + 1] = x end
  local t = form.tile
  if t then
    for axis, count in ipairs(tile.counts(t, extents)) do
      if axis > 1 then
        local multiplier, shift = plan.magic(count)
        for _, x in ipairs { count, multiplier, shift } do list[#list + 1] = x end
      end
    end
    list[#list + 1] = extents[t.axis]
    list[#list + 1] = extents[form.rank]
  elseif form.strided then
    for axis = 2, form.rank do
      list[#list + 1] = extents[axis]
      if not form.wide then list[#list + 1], list[#list + 2] = plan.magic(extents[axis]) end
    end
  end
  if form.strided then
    for j = 1, #joined do
      for axis = 1, form.rank do list[#list + 1] = joined[j][axis] end
    end
  end
  return list
end

-- Everything that the launch needs, or nil where finalizers or the compiler changed what was found on the way.
local function attempt(k, values, options)
  local writes = storage.writes
  local shape = common_shape(k, values)
  check_written(k, values, shape)
  local n = number_of_elements(k, values, shape, options)
  local start, step, count = range_of(k, options, n)
  local whole = not shape or n == graph.size_of(shape)
  shape = shape or { n }
  local leaves, back = leaves_of(k, values, shape)
  if n == 0 or count == 0 then return true end
  local ranged = start ~= nil or not whole -- then elements have to be taken in C order
  local apart, same = are_apart(k, leaves)
  local form, extents, joined = places(k, leaves, shape, n, ranged, apart)
  form.ranged, form.apart, form.same = start ~= nil, apart, same
  local found = form_of(k, form)
  local fn = load(k, found)
  if not fn then return false end
  local list = arguments_of(k, values, leaves, n, start and { start, step, count } or {}, form, extents, joined)
  if writes ~= storage.writes then return false end
  local blocks = form.tile and form.tile.blocks or ceil((count or n) / (code.BLOCK * found.elements))
  local captured = run(fn, blocks, list)
  for i, arg in ipairs(k.args) do
    local store = leaves[i] and leaves[i].store
    if store and captured then store.pinned = true end
    if store and not k.const[arg.name] then
      storage.writes = storage.writes + 1
      if captured then store.exported = true end
    end
  end
  for _, b in ipairs(back) do put_back(b.to, b.from) end
  if not form.strided and not ranged and apart and next(same) == nil then
    again.remember(k, values, leaves, fn, blocks, n)
  end
  return true
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

local function call(k, values, options)
  repeat until attempt(k, values, options)
end

---Runs the statement. See ElementwiseKernel.
---@param k table
---@param ... any
function M._call(k, ...)
  if again.run(k, ...) then return end
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
  if store and store.buf and store.context ~= context_id() then
    return core.memory_context(store.buf):with(call, k, values, options)
  end
  call(k, values, options)
end

local function kernel_of(self, method)
  local mt = debug.getmetatable(self)
  if type(mt) ~= "table" or mt.__metatable ~= TAG then
    errors.raise("LogicError", ("ElementwiseKernel:%s: expected an ElementwiseKernel, got %s"):format(method,
      errors.text(self)))
  end
  return mt._kernel
end

---The CUDA C of the kernel, in the form for arrays that lie alike and without gaps.
---@return string
function Kernel:source()
  local k = kernel_of(self, "source")
  return form_of(k, { strided = false, rank = 1, wide = false, ranged = false, apart = true,
    same = {} }).source
end

---What other kernels made of a user's text do with their arguments in the same way.
M._arguments = { check_text = check_text, check_array = check_array, value_of = value_of, leaves_of = leaves_of,
  check_written = check_written, context_of = context_of, overlap = overlap, copied = copied, put_back = put_back,
  list = list_of_arguments }

return M
