-- Kernels that run one statement of CUDA C, which you write, for each element of some arrays: PyCUDA's
-- ElementwiseKernel, for arrays of any layout that broadcast to one shape.
--   userkernel/usage      how the statement uses its arguments    elementwise_code, tile_code   the CUDA C around it
--   userkernel/repeated   calls like one before, in a few steps   arguments   what becomes of the arguments
--   userkernel/load       its forms, compiled and loaded          text, types   the user's texts and types in sources
--
-- The arrays that the statement takes at [i] and nowhere else are its elements: they broadcast to one shape, and lie as
-- they will. An array that is used in any other way, as in table[index[i]], is the user's own to index: it is passed
-- whole, without gaps, whatever its shape. Where no array is taken at [i] alone, the first one says how many elements
-- there are, as in PyCUDA.

local again = require "cudalua.userkernel.repeated"
local arguments = require "cudalua.userkernel.arguments"
local code = require "cudalua.userkernel.elementwise_code"
local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local forms = require "cudalua.userkernel.load"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local names = require "cudalua.base.names"
local plan = require "cudalua.gpuarray.core.plan"
local run = require "cudalua.gpuarray.core.run"
local tile = require "cudalua.gpuarray.kernel.tile"
local tile_code = require "cudalua.userkernel.tile_code"
local types_of = require("cudalua.userkernel.types").of
local usage = require "cudalua.userkernel.usage"
local pairs_of = require "cudalua.base.pairs_of"

local ceil = math.ceil

---@class cudalua.elementwise
local M = {}

---A kernel that runs a statement for each element of its arrays: `k(2, x, 3, y, z)`.
---@class cudalua.elementwise.ElementwiseKernel
---@overload fun(...: any)  the arguments as declared
---@field name string  the kernel's name in the compiled module
---@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
local Kernel = names.class({}, "ElementwiseKernel", { keep_dir = true })

-- What getmetatable says of one.
local TAG = "cudalua.elementwise.ElementwiseKernel"

-- ---- making one -----------------------------------------------------------------------------------------------------

local known_options = { preamble = "string", loop_prep = "string", after_loop = "string", options = "table",
  keep = "boolean" }
local order = { "arguments", "operation", "name" }
local reserved = { i = "the number of the element", n = "the number of elements" }

local function new(_, ...)
  local where = "ElementwiseKernel"
  local v, options = arguments.named(where, order, known_options, ...)
  local k = { args = arguments.declared(where, v[1]),
    operation = arguments.check_text(where, "the operation", v[2]),
    name = v[3] == nil and "elwise_kernel" or v[3], options = options.options, keep = options.keep, forms = {},
    preamble = arguments.check_text(where, "preamble", options.preamble or ""),
    loop_prep = arguments.check_text(where, "loop_prep", options.loop_prep or ""),
    after_loop = arguments.check_text(where, "after_loop", options.after_loop or "") }
  arguments.check_name(where, k.name)
  local arrays = arguments.names(k, reserved, "statement")
  k.usage = usage.of(arrays, k.operation, k.loop_prep .. "\n" .. k.after_loop, k.preamble)
  -- What is not assigned to in so many words is taken to be only read, until the compiler says otherwise.
  k.const, k.guessed = {}, false
  for _, arg in ipairs(k.args) do
    k.const[arg.name] = arg.is_vector and (arg.is_const or not k.usage.writes[arg.name])
    if k.const[arg.name] and not arg.is_const then k.guessed = true end
  end
  k.common = types_of(k.args, k.preamble)
  k.texts = { preamble = k.preamble, loop_prep = k.loop_prep, operation = k.operation, after_loop = k.after_loop }
  return arguments.object(k, "ElementwiseKernel", TAG, Kernel, function(...) return M._call(...) end)
end

---@class cudalua.elementwise.Options
---@field preamble string?    CUDA C before the kernel: functions, types, #include
---@field loop_prep string?  statements that each thread runs before its first element
---@field after_loop string?  statements that each thread runs after its last element
---@field options string[]?  options of the compiler, which by default fuses products and sums
---@field keep boolean?  true: keep the compiler's files in a folder, keep_dir
---@field arguments any  this and the following fields: arguments that you did not pass by position
---@field operation string?  the statement, as an argument of ElementwiseKernel
---@field name string?  the kernel's name, as an argument of ElementwiseKernel

---A kernel that runs a statement of CUDA C for each element: `ElementwiseKernel("float a, float *x, float *y", "y[i] =
---a * x[i]", "scale")`. `i` is the number of the element, from 0, in C order for any layout, and `n` is the number of
---elements; both are long long. A bare type like "half" is the type that CUDA's headers declare for the dtype. Complex
---numbers are objects of cudalua::complex<float> or <double> (also: complex64, complex128, pycuda::complex), with
---operators and the functions of C++'s <complex>, unless you name another class.
---
---Call it as k(arguments in their order, options). Arrays that are only used at [i] may have any layout, and broadcast
---to one shape; written arrays must have that shape. Arrays that the statement indexes in other ways are passed whole.
---You can pass DeviceAllocations instead of contiguous arrays. If read and written memory overlaps, reads see the
---values from before the call. options: range or slice, {first, last} or {first, last, step}: the elements to process
---(positions from 1, inclusive, negative ones from the end); n: the number of elements, if no array determines it;
---stream: default the current stream.
---
---You can name the constructor's arguments in the table of options, as in PyCUDA: `{ arguments = "float *x",
---operation = "x[i] = 1", name = "ones" }`.
---@class cudalua.elementwise.ElementwiseKernelClass
---@overload fun(arguments: string|any[], operation: string, name?: string, options?: cudalua.elementwise.Options):
--- cudalua.elementwise.ElementwiseKernel
M.ElementwiseKernel = setmetatable({}, { __call = new, __index = Kernel })

-- ---- compiling --------------------------------------------------------------------------------------------------

---How elements are found: the form of the kernel, and what it is called with for that.
---@class cudalua.elementwise.Form
---@field strided boolean    by their coordinates, else by their numbers alone
---@field rank integer       axes that elements are numbered along
---@field wide boolean       elements are numbered with 64 bits
---@field ranged boolean?    a range of them is taken
---@field apart boolean?     no array overlaps one that is written
---@field same table<string, string>?  arrays, by name, that lie where another one does
---@field tile table?        a block does such a tile (gpuarray/kernel/tile.lua)
---@field extents integer[]? of the axes
---@field steps integer[][]? of each array along them, in bytes

---@param k table
---@param form cudalua.elementwise.Form
local function form_of(k, form)
  local key = ("%s %d %s %s %s"):format(form.strided, form.rank, form.wide, form.ranged, form.apart)
  for i, arg in ipairs(k.args) do
    if form.same[arg.name] then key = ("%s %d=%s"):format(key, i, form.same[arg.name]) end
  end
  local t = form.tile
  if t then
    key = ("%s tile %d %d %d"):format(key, t.axis, t.across, t.along)
    for j in pairs_of(t.tiled) do key = key .. " " .. j end
  end
  form.const = k.const
  return forms.form(k, key, code.kernel, form)
end

-- Forgets that arrays may be only read: it turned out that one is written. False if nothing was guessed.
local function without_guesses(k)
  if not k.guessed then return false end
  k.guessed, k.forms = false, {}
  for _, arg in ipairs(k.args) do k.const[arg.name] = arg.is_const end
  return true
end

local call_options = { range = true, slice = true, stream = true, n = true }

-- ---- where elements lie ---------------------------------------------------------------------------------------------

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
          if arguments.overlap(a, b) then
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

-- How the elements at [i] are found, along axes that the arrays have together.
---@return cudalua.elementwise.Form
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
  local form = { strided = true, rank = #extents, wide = wide, extents = extents, steps = joined }
  if any_order and apart then
    local t, numbers = tile_of(k, leaves, extents, joined, in_order.number)
    if t then
      local tiled = {}
      for at in pairs_of(t.tiled) do tiled[numbers[at]] = true end
      t.tiled, form.tile = tiled, t
    end
  end
  return form
end

-- ---- the call -------------------------------------------------------------------------------------------------------

-- What the kernel is called with, in the order of code.lua; `numbers` say which elements are taken.
local function arguments_of(k, values, leaves, numbers, form)
  local list, extents = {}, form.extents
  for i = 1, #k.args do
    local leaf = leaves[i]
    if not leaf then
      list[#list + 1] = values[i]
    else
      list[#list + 1], list[#list + 2] = leaf.buf or core.pointer(0), leaf.buf and leaf.off or 0
    end
  end
  for _, x in ipairs(numbers) do list[#list + 1] = x end
  local t = form.tile
  if t then
    plan.put_extents(list, #list, tile.counts(t, extents), form.rank, false)
    list[#list + 1] = extents[t.axis]
    list[#list + 1] = extents[form.rank]
  elseif form.strided then
    plan.put_extents(list, #list, extents, form.rank, form.wide)
  end
  if form.strided then
    for _, steps in ipairs(form.steps) do
      for axis = 1, form.rank do list[#list + 1] = steps[axis] end
    end
  end
  return list
end

-- The arrays that a kernel is given, and those among them that it writes to.
local function given_to(k, leaves)
  local read, written = {}, {}
  for i, arg in ipairs(k.args) do
    if leaves[i] then
      read[#read + 1] = leaves[i]
      if leaves[i].store and not k.const[arg.name] then written[#written + 1] = leaves[i] end
    end
  end
  return read, written
end

-- Finds everything that the launch needs, and launches. Finalizers and the compiler may change what was found.
local function attempt(since, k, values, options)
  local shape = arguments.common_shape(k, values)
  arguments.check_written(k, values, shape)
  local n = arguments.number_of_elements(k, values, shape, options)
  local start, step, count = arguments.range_of(k, options, n)
  local whole = not shape or n == graph.size_of(shape)
  shape = shape or { n }
  local leaves, back = arguments.leaves_of(k, values, shape)
  if n == 0 or count == 0 then return true end
  local ranged = start ~= nil or not whole -- then elements have to be taken in C order
  local apart, same = are_apart(k, leaves)
  local form = places(k, leaves, shape, n, ranged, apart)
  form.ranged, form.apart, form.same = start ~= nil, apart, same
  local found = form_of(k, form)
  local fn = forms.load(k, found, without_guesses)
  if not fn then return run.AGAIN end
  local list = arguments_of(k, values, leaves, start and { n, start, step, count } or { n }, form)
  local blocks = form.tile and form.tile.blocks or ceil((count or n) / (code.BLOCK * found.elements))
  local read, written = given_to(k, leaves)
  local launch = { fn = fn, blocks = blocks, arguments = list, since = since, leaves = read, writes = written,
    changes = #written > 0 }
  if not run.kernel(launch) then return run.AGAIN end
  for _, b in ipairs(back) do arguments.put_back(b.to, b.from) end
  if not form.strided and not ranged and apart and core.next(same) == nil then
    again.remember(k, values, leaves, fn, blocks, n)
  end
  return true
end

local function call(k, values, options) run.until_done(attempt, k, values, options) end

---Runs the statement. See ElementwiseKernel.
---@param k table
---@param ... any
function M._call(k, ...)
  if again.run(k, ...) then return end
  local values, options = arguments.split(k, call_options, ...)
  arguments.convert(k, values)
  arguments.inside(k, arguments.context_of(k, values), options.stream, call, values, options)
end

local function kernel_of(self, method)
  local mt = debug.getmetatable(self)
  if type(mt) ~= "table" or mt.__metatable ~= TAG then
    errors.raise("LogicError", ("ElementwiseKernel:%s: expected an ElementwiseKernel, got %s"):format(method,
      errors.text(self)))
  end
  return mt._kernel
end

---Returns the CUDA C source of the kernel, in the variant for contiguous arrays with the same layout.
---@return string
function Kernel:source()
  local k = kernel_of(self, "source")
  return form_of(k, { strided = false, rank = 1, wide = false, ranged = false, apart = true,
    same = {} }).source
end

names.strict(M, { text = "elementwise", kind = "module" })

return M
