-- The array as programs see it: properties, elements, views, operators, text. Functions that make arrays are in
-- gpuarray.lua; families of methods have files of their own (functions.lua).

local companions = require "cudalua.gpuarray.core.companions"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local computing = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local names = require "cudalua.base.names"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"
local write = require "cudalua.gpuarray.core.write"

local type, getmetatable = type, getmetatable
local refuse, floor = layout.refuse, math.floor
local TAG, mt, derived = object.TAG, object.mt, object.derived
local evaluate, force, before = computing.evaluate, computing.force, companions.before
local unary, binary = graph.unary, graph.binary

---An array in device memory with any number of axes. Axes and positions count from 1; negative numbers count from the
---end. Operations such as `a + b` are recorded and computed when the value is needed, all operations of an expression
---in one kernel. `a[i]` reads an element of a 1-D array. `a[{...}]` selects a part of an array as a view; if the list
---has arrays of positions or masks, it returns a new array with these elements. Assigning to an index writes to the
---array. Lua does not support `a < b` and `#a` for arrays; use `a:lt(b)` and `a:len()`.
---@class cudalua.gpuarray.Array: cudalua.operations
---@operator add(cudalua.gpuarray.Array|number|ffi.cdata*): cudalua.gpuarray.Array
---@operator sub(cudalua.gpuarray.Array|number|ffi.cdata*): cudalua.gpuarray.Array
---@operator mul(cudalua.gpuarray.Array|number|ffi.cdata*): cudalua.gpuarray.Array
---@operator div(cudalua.gpuarray.Array|number|ffi.cdata*): cudalua.gpuarray.Array
---@operator mod(cudalua.gpuarray.Array|number|ffi.cdata*): cudalua.gpuarray.Array
---@operator pow(cudalua.gpuarray.Array|number|ffi.cdata*): cudalua.gpuarray.Array
---@operator unm: cudalua.gpuarray.Array
---@field shape integer[]    the extents; a new list, which prints as (2, 3) and equals the shape of other arrays with
---  these extents
---@field strides integer[]  bytes from one element to the next on each axis; a new list, as shape
---@field dtype cudalua.dtype.DType  the element type
---@field size integer       the number of elements
---@field nbytes integer     the size of all elements in bytes: size * dtype.itemsize
---@field itemsize integer   the size of an element in bytes: dtype.itemsize
---@field ndim integer       the number of axes
---@field flags {c_contiguous: boolean, f_contiguous: boolean, forc: boolean}  the memory layout: C order, Fortran
---  order, or either
---@field T cudalua.gpuarray.Array  a view with the axes reversed
---@field ptr integer        the address of the first element; reading it computes the array and all pending operations
---  on it
---@field gpudata userdata   the memory from the first element on, for functions that take memory; nil for an array
---  without elements
---@field mem_size integer   the number of elements, as PyCUDA calls it
local Array = object.Array

local function check_self(self, what)
  if getmetatable(self) ~= TAG then
    refuse(what, "expected a gpuarray (call the method with a colon), got " .. element.describe(self))
  end
end
object.check_self = check_self

local function copied(list) return { unpack(list, 1, #list) } end

local properties = {}
function properties.shape(self) return layout.shown(copied(self._shape)) end
function properties.strides(self) return layout.shown(copied(evaluate(self).strides)) end
function properties.dtype(self) return self._dtype end
function properties.size(self) return self._size end
properties.mem_size = properties.size
function properties.nbytes(self) return self._size * self._dtype.itemsize end
function properties.itemsize(self) return self._dtype.itemsize end
function properties.ndim(self) return self._ndim end
function properties.flags(self)
  local c, f = layout.density(self._shape, evaluate(self).strides, self._dtype.itemsize)
  return layout.flags { c_contiguous = c, f_contiguous = f, forc = c or f }
end
function properties.T(self) return view.transpose("gpuarray.T", self) end
function properties.ptr(self)
  local leaf = write.export(self)
  if not leaf.buf then return 0 end
  return (leaf.buf + leaf.off):ptr()
end
object.properties = properties

local members = names.of_objects(object.TAG, { text = "an array", kind = "array", tables = { Array, properties } })

-- ---- values ---------------------------------------------------------------------------------------------------------

local get_options = { array = true, to = true, stream = true }

---Copies the elements to the host and returns them as a host array. Returns the value of a 0-d array.
---@param options? any  {array: boolean, to: cudalua.ndarray.Array, stream: cudalua.Stream}, or `to`, or the stream.
---  array: return a host array for a 0-d array, too; to: a host array that receives the elements, with the same shape
---  and dtype, instead of a new one; stream: default the current stream, which the program waits for
---@return cudalua.ndarray.Array|boolean|number|ffi.cdata*  a host array; for a 0-d array without `to` and `array`, what
---  item() returns: a number, a boolean, an int64_t, uint64_t or complex
---@raise LogicError if `to` has another shape or dtype; errors of the kernels that compute the value
function Array:get(options)
  local what = "gpuarray:get"
  check_self(self, what)
  if ndarray.is_array(options) then return transfer.get(what, self, options) end
  if type(options) ~= "nil" and type(options) ~= "table" then
    refuse(what, "expected a host array or a table of options, got " .. element.describe(options))
  end
  local o = errors.options(what, options, get_options)
  if self._ndim == 0 and o.to == nil and not o.array then return Array.item(self) end
  return transfer.get(what, self, o.to)
end

---Starts copying the elements to the host in stream order and returns at once. The elements are valid when the stream
---has finished the copy.
---@param stream? cudalua.Stream    default: the current stream
---@param to? cudalua.ndarray.Array  a contiguous host array of the same shape and dtype that receives the elements, in
---  page-locked memory (for other memory the call waits); default: a new one
---@return cudalua.ndarray.Array
---@raise LogicError if `to` has another shape or dtype; errors of the kernels that compute the value
function Array:get_async(stream, to)
  local what = "gpuarray:get_async"
  check_self(self, what)
  stream = make.stream(what, stream)
  return stream:use(transfer.get, what, self, to, stream)
end

---Returns the value of an element, or of an array with one element.
---@param ... integer  one position for each axis; or a single position among all elements in C order; or none, for an
---  array with one element
---@return boolean|number|ffi.cdata*
---@raise LogicError if a position is out of range, or positions are missing and the array does not have exactly one
---  element
function Array:item(...)
  local what, n = "gpuarray:item", select("#", ...)
  check_self(self, what)
  local shape, at = self._shape, nil
  if n == 0 then
    if self._size ~= 1 then
      refuse(what, ("the array of shape %s has %.0f elements, not one"):format(layout.text(shape), self._size))
    end
    if self._sig then
      before(self)
      evaluate(self)
    end
    if self._c and type(self._a) == "userdata" then
      local value = transfer.told(self)
      if value ~= nil then return value end
    end
    return transfer.element(evaluate(self), 0)
  elseif n == 1 and self._ndim ~= 1 then
    at = layout.unravel(shape, layout.position(what, 1, (...), self._size) - 1)
  elseif n == self._ndim then
    at = { ... }
    for k = 1, n do at[k] = layout.position(what, k, at[k], shape[k]) end
  else
    refuse(what, ("%d indices for an array of %d axes"):format(n, self._ndim))
  end
  if self._sig then before(self) end
  local leaf, offset = evaluate(self), 0
  for k = 1, self._ndim do offset = offset + (at[k] - 1) * leaf.strides[k] end
  return transfer.element(leaf, offset)
end

---Returns the elements as nested tables; for a 0-d array, the value.
---@return any
function Array:tolist()
  check_self(self, "gpuarray:tolist")
  return transfer.get("gpuarray:tolist", self):tolist()
end

---Returns the length of the first axis.
---@return integer
---@raise LogicError for a 0-d array
function Array:len()
  check_self(self, "gpuarray:len")
  if self._ndim == 0 then refuse("gpuarray:len", "a 0-d array has no length") end
  return self._shape[1]
end

---Computes the array now, if it is pending.
---@return cudalua.gpuarray.Array self
function Array:eval()
  check_self(self, "gpuarray:eval")
  if self._sig then before(self) end
  force(self)
  return self
end

local function value_for(what, self, v)
  return require("cudalua.gpuarray.core.scalar").operand(make.stored_value(what, v, self._dtype), self._dtype)
end

local function set(what, self, values, stream)
  if getmetatable(values) ~= TAG then
    if type(values) == "number" or graph.is_value(values) then
      write.write(self, value_for(what, self, values))
      return self
    end
    if type(values) == "string" and self._ndim == 0 then
      refuse(what, ("expected a number, got the string %s"):format(errors.text(values)))
    end
    values = make.stored_array(what, values, self._dtype, make.is_buffer(values) and self.shape or nil)
    if transfer.set(self, values, stream) then return self end
    values = transfer.to_gpu(values, stream)
  end
  local shape = values._shape
  if shape ~= self._shape and not layout.same(graph.broadcast({ name = what }, self, values), self._shape) then
    refuse(what, ("%s cannot be assigned %s"):format(graph.describe(self), graph.describe(values)))
  end
  write.write(self, graph.stored(values, self._dtype, what))
  return self
end

local stream_options = { stream = true } -- see calls.lua

---Sets the elements to those of an array that broadcasts to this shape, or all to one number. Operations recorded with
---this array before still use the old values.
---@param values any  an array on the device; host data, as for to_gpu; or a number. Integers wrap and floats are
---  rounded to the dtype
---@param options? {stream: cudalua.Stream}|cudalua.Stream  stream: default the current stream. For host data the call
---  waits
---@return cudalua.gpuarray.Array self
---@raise LogicError if the shapes do not fit, if the values have a higher kind (convert float to integer and complex to
---  real with astype()), and if the dtype cannot hold a number
function Array:set(values, options)
  check_self(self, "gpuarray:set")
  errors.options("gpuarray:set", options, stream_options)
  return set("gpuarray:set", self, values)
end

---As set, in stream order. Returns at once if the data is on the device or in page-locked memory. Do not change the
---data before the stream has finished the copy.
---@param values any  the new elements, as for set
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.gpuarray.Array self
---@raise LogicError as set
function Array:set_async(values, stream)
  local what = "gpuarray:set_async"
  check_self(self, what)
  stream = make.stream(what, stream)
  return stream:use(set, what, self, values, stream)
end

---Sets every element to one number.
---@param value any  a number or a 0-d array
---@param options? {stream: cudalua.Stream}|cudalua.Stream  stream: default the current stream
---@return cudalua.gpuarray.Array self
---@raise LogicError if the dtype cannot hold the value
function Array:fill(value, options)
  check_self(self, "gpuarray:fill")
  errors.options("gpuarray:fill", options, stream_options)
  if getmetatable(value) == TAG and value._ndim == 0 then return set("gpuarray:fill", self, value) end
  if self._dtype.kind == "struct" then
    local x, why = self._dtype._check(value)
    if why then refuse("gpuarray:fill", why) end
    return set("gpuarray:fill", self, ndarray.full({}, x, self._dtype))
  end
  write.write(self, value_for("gpuarray:fill", self, value))
  return self
end

local astype_options = { copy = true, stream = true, allocator = true }

---Returns the elements converted to another dtype, as NumPy's astype does.
---@param dtype any  the new dtype, as for dtype.of
---@param options? {copy: boolean, stream: cudalua.Stream, allocator: function}  copy = false: return the array itself
---  if it already has this dtype; default true
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype is unknown
function Array:astype(dtype, options)
  check_self(self, "gpuarray:astype")
  dtype = dtypes._of("gpuarray:astype", dtype)
  if options ~= nil and errors.options("gpuarray:astype", options, astype_options).copy == false and
    dtype == self._dtype then
    return self
  end
  if dtype == self._dtype and dtype.kind == "struct" then return view.copy(self, "K") end
  return graph.convert(self, dtype)
end

local copy_options = { order = true, stream = true, allocator = true }

---Returns a contiguous copy in the array's own layout, as PyCUDA's copy and astype() do.
---@param options? any  {order: "C"|"F"|"A"|"K", stream: cudalua.Stream, allocator: function}, or the order, or the
---  stream. order: K (default) keeps the array's order of axes; C: the last axis changes fastest; F: the first axis
---  does; A: F if the array lies in F order alone, else C
---@return cudalua.gpuarray.Array
---@raise LogicError for another order
function Array:copy(options)
  local what = "gpuarray:copy"
  check_self(self, what)
  local order = options
  if type(options) == "table" then order = errors.options(what, options, copy_options).order end
  if order == nil then order = "K" end
  if order == "K" or order == "A" then
    local c, f = layout.density(self._shape, evaluate(self).strides, self._dtype.itemsize)
    if order == "A" or c or f then order = f and not c and "F" or "C" end
  elseif order ~= "C" and order ~= "F" then
    refuse(what, "order must be 'C', 'F', 'A' or 'K', got " .. errors.text(order))
  end
  return view.copy(self, order)
end

-- ---- operators ------------------------------------------------------------------------------------------------------

local add, sub, mul, div, neg = ops.add, ops.sub, ops.mul, ops.div, ops.neg
local mod, pow = ops.mod, ops.pow

function mt.__add(a, b) return binary(add, a, b) end
function mt.__sub(a, b) return binary(sub, a, b) end
function mt.__mul(a, b) return binary(mul, a, b) end
function mt.__div(a, b) return binary(div, a, b) end
function mt.__mod(a, b) return binary(mod, a, b) end
function mt.__unm(a) return unary(neg, a) end

-- Exponents with an operation of their own. Bool has none: beside any integer it is int64, and each of these
-- operations would give a type of its own.
local float_powers = { [2] = ops.square, [3] = ops.cube, [1] = ops.pos, [0.5] = ops.sqrt, [-1] = ops.reciprocal }
local integer_powers = { [2] = ops.square, [3] = ops.cube, [1] = ops.pos }
local powers = { float = float_powers, complex = float_powers, int = integer_powers, uint = integer_powers }

local function power(a, b)
  if getmetatable(a) == TAG then
    local list = powers[a._dtype.kind]
    local op = list and list[b]
    if op then return unary(op, a) end
  end
  return binary(pow, a, b)
end
object.power = power
mt.__pow = power

local function no_order()
  errors.raise("LogicError", "gpuarray: Lua's <, <=, > and >= cannot compare arrays; a:lt(b), a:le(b), a:gt(b) and "
    .. "a:ge(b) compare element by element")
end
mt.__lt, mt.__le = no_order, no_order

function mt.__call() -- a:T()
  errors.raise("LogicError", "gpuarray: an array cannot be called; fields such as a.T have no (), and a[i] is an " ..
    "element")
end

-- ---- indices --------------------------------------------------------------------------------------------------------

local function position(what, axis, i, n)
  if i >= 1 and i <= n and i == floor(i) then return i - 1 end
  return layout.position(what, axis, i, n) - 1
end

local function part(self, i)
  local shape, strides = self._shape, view.strides(self)
  local at = position("gpuarray[i]", 1, i, shape[1])
  return view.of(self, at * strides[1], { unpack(shape, 2) }, { unpack(strides, 2) })
end

local function check_first_axis(self)
  if self._ndim == 0 then refuse("gpuarray", "a 0-d array cannot be indexed; use item() and fill(value)") end
end

local function is_integer_cdata(key) return type(key) == "cdata" and element.scalar(key) ~= nil end

-- a[{...}] and a[array] are in index.lua.
function mt.__index(self, key)
  if type(key) == "number" then
    check_first_axis(self)
    if self._ndim > 1 then return part(self, key) end
    if self._sig then before(self) end
    local leaf = evaluate(self)
    return transfer.element(leaf, position("gpuarray[i]", 1, key, self._shape[1]) * leaf.strides[1])
  end
  local method = Array[key]
  if method then return method end
  local property = properties[key]
  if property then return property(self) end
  local field = derived[key]
  if field then return field(self) end
  if type(key) == "table" then return object.get_index(self, key) end
  if is_integer_cdata(key) then return self[layout.whole(key) or refuse("gpuarray[i]", "the index is too large")] end
  return names.unknown(members, key)
end

function mt.__newindex(self, key, value)
  if type(key) == "number" then
    check_first_axis(self)
    part(self, key):set(value)
  elseif type(key) == "table" then
    object.set_index(self, key, value)
  elseif is_integer_cdata(key) then
    self[layout.whole(key) or refuse("gpuarray[i]", "the index is too large")] = value
  else
    refuse("gpuarray", ("cannot set %s of an array"):format(errors.text(key)))
  end
end

mt.__len = Array.len -- where Lua 5.2's rules are built in

-- ---- text -----------------------------------------------------------------------------------------------------------

function mt.__tostring(self) return require("cudalua.gpuarray.core.show").text(self) end

function mt.__concat(a, b) return tostring(a) .. tostring(b) end

return Array
