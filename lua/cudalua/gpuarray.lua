-- Arrays in device memory, whose operators write expressions down that run as one kernel.
-- The rooms behind it, the lowest first: gpuarray/kernel (CUDA C), core (expressions, plans, launches), make, index,
-- reduce, order, product, derived. lazy.lua has the families that are read when one of their functions is called first.

require "cudalua.gpuarray.array"
require "cudalua.gpuarray.core.cut"
require "cudalua.gpuarray.core.inside"
require "cudalua.gpuarray.core.interface"
local calls = require "cudalua.gpuarray.core.calls"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local results = require "cudalua.gpuarray.core.results"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local names = require "cudalua.base.names"
local object = require "cudalua.gpuarray.core.object"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local pairs_of = require "cudalua.base.pairs_of"
local vec = require "cudalua.vec"

---Arrays in device memory.
---@class cudalua.gpuarray: cudalua.operations
---@field newaxis any  used in an index, adds an axis of extent 1
---@field Array cudalua.gpuarray.Array  the class of arrays, with their methods
---@field vec cudalua.vec  CUDA's vector types, as element types
local M = { newaxis = layout.newaxis, Array = object.Array, vec = vec }

---Returns true if x is an array in device memory.
---@param x any  any value
---@return boolean
function M.is_array(x) return object.is_array(x) end

---Returns true if x is an array in device memory. A short name of is_array, for testing a value before you call a
---method of an array.
---@param x any  any value
---@return boolean
function M.is(x) return object.is_array(x) end

---As dtype.finfo: the limits of a float type.
---@param x any  a dtype or an array
---@return cudalua.dtype.FloatInfo
---@raise LogicError for other types
function M.finfo(x) return dtypes.finfo(x) end

---As dtype.iinfo: the limits of an integer type.
---@param x any  a dtype or an array
---@return cudalua.dtype.IntegerInfo
---@raise LogicError for other types
function M.iinfo(x) return dtypes.iinfo(x) end

---As dtype.can_cast: returns true if promotion converts one type to another.
---@param from any  a dtype or an array
---@param to any  a dtype
---@return boolean
---@raise LogicError if an argument is not a dtype
function M.can_cast(from, to) return dtypes.can_cast(from, to) end

---As dtype.result_type: the dtype of an operation on all arguments together.
---@param ... any  arrays, dtypes or numbers
---@return cudalua.dtype.DType
---@raise LogicError without arguments, for struct types, and if an integer type cannot hold a number
function M.result_type(...) return dtypes.result_type(...) end

for _, part in ipairs { "make.construct", "make.shape" } do
  for name, f in pairs_of(require("cudalua.gpuarray." .. part)) do M[name] = f end
end
for name, f in pairs_of(functions.functions) do M[name] = M[name] or f end
require("cudalua.gpuarray.lazy").install(M)

M.scope = require("cudalua.gpuarray.core.scope").scope
local fuse = require "cudalua.gpuarray.fuse"
M.fuse, M.Fused = fuse.fuse, fuse.Fused
local explain = require "cudalua.gpuarray.explain"
M.explain, M.source = explain.explain, explain.source

graph.trace_lines()
hooks.compute_pending = function() M.eval() end
hooks.matrix_product = function(what, a, b, options) return errors.within(what, M.matmul, a, b, options) end
hooks.take_arrays = function(...) return require("cudalua.gpuarray.core.argument").take(...) end

local function check_switch(what, on)
  if type(on) ~= "boolean" then
    layout.refuse(what, "expected true or false, got " .. element.describe(on))
  end
end

---Turns eager mode on or off. In eager mode each operation is computed at once instead of whole expressions, which
---shows the operation that fails.
---@param on? boolean  the new setting; default: leave it unchanged
---@return boolean    the setting now
---@raise LogicError for anything else
function M.eager(on)
  if on ~= nil then
    check_switch("gpuarray.eager", on)
    graph.set_eager(on)
    if on then M.eval() end
  end
  return graph.is_eager()
end

---Computes the given arrays and returns them, or without arguments computes all pending expressions. One kernel
---computes arrays of one shape, and what they share once; each has the values and strides that it has alone. Without
---arguments, an expression that cannot be computed is skipped and raises its error when it is used. Of a function,
---calls it, computes the arrays that it returns, and returns its results. Inside, reductions of whole arrays wait, so
---that one kernel computes several of one array.
---@param ... any  the arrays to compute; default: all pending ones. Or a function and its arguments
---@return any ...  the arrays in the order of the arguments, or the results of the function
---@raise LogicError if an argument is not an array; errors of the function, and of the kernels that compute the given
---  arrays
function M.eval(...)
  if type((...)) == "function" then return results.of_call(...) end
  local n, list = select("#", ...), { ... }
  for i = 1, n do
    if not object.is_array(list[i]) then
      layout.refuse("gpuarray.eval", "expected an array, got " .. element.describe(list[i]) ..
        object.separately("gpuarray.eval", list[i]))
    end
  end
  if n == 0 then list = storage.all_pending() end
  results.together(list)
  for i = 1, n do list[i]:eval() end
  for i = n + 1, #list do evaluate.attempt(list[i]) end
  return ...
end

---Makes later operations faster and less exact, like nvcc's --use_fast_math. Products and sums may be fused into one
---rounding, denormals count as 0, and divisions, roots and functions use faster, coarser approximations. Pending
---operations are computed first, with the old setting. Kernels of your own are not affected: they have options.
---@param on? boolean  the new setting; default: leave it unchanged. Initially it is off
---@return boolean    the setting now
---@raise LogicError for anything else; errors of the kernels that compute pending operations
function M.fast_math(on)
  if on ~= nil then
    check_switch("gpuarray.fast_math", on)
    if on ~= run.fast_math then M.eval() end
    run.fast_math = on
  end
  return run.fast_math
end

local WARP, BLOCK = 32, 256 -- threads

---Returns a grid for n elements, as PyCUDA's splay does, for kernels with a grid-stride loop: as many blocks as the
---device runs at once, or fewer.
---@param n integer  the number of elements
---@param dev? cudalua.Device  default: the device of the current context
---@return integer grid   the number of blocks
---@return integer block  threads in each block
---@raise LogicError if n is not a non-negative integer
function M.splay(n, dev)
  local what = "gpuarray.splay"
  local elements = layout.whole(n)
  if not elements or elements < 0 then
    layout.refuse(what, "expected a number of elements, a non-negative integer, got " .. element.describe(n))
  end
  if dev == nil then
    dev = core.classes.Context.get_device()
  elseif core.kind(dev) ~= "Device" then
    layout.refuse(what, "expected a Device, got " .. element.describe(dev))
  end
  local block = math.min(BLOCK, math.max(1, math.ceil(elements / WARP)) * WARP)
  local threads = dev:get_attribute "multiprocessor_count" * dev:get_attribute "max_threads_per_multiprocessor"
  return math.max(1, math.min(math.ceil(elements / block), math.floor(threads / block))), block
end

calls.install_methods()
calls.install(M)
names.strict(M, { text = "gpuarray", kind = "gpuarray" })

return M
