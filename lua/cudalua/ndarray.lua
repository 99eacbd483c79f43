-- Arrays in host memory: shape, dtype and strides over FFI memory, which the array or the program owns.
-- What the driver layer takes and returns. Needs no driver and no device; does no arithmetic.
--   ndarray/array   the array       ndarray/list     nested tables       ndarray/copy    copies, conversions, fills
--   ndarray/shape   its views       ndarray/make     ranges, functions   ndarray/file    .npy and .npz
--   ndarray/text    as text         ndarray/struct   of structs          ndarray/equal, ndarray/compare   comparisons
--   layout          shapes, strides, indices

local ffi = require "ffi"
local arrays = require "cudalua.ndarray.array"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local list = require "cudalua.ndarray.list"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
local surplus = require "cudalua.base.surplus"
require "cudalua.ndarray.equal"
require "cudalua.ndarray.shape"
require "cudalua.ndarray.struct"

local cast, refuse = ffi.cast, layout.refuse
local allocated, order_of, placement, size_of = arrays.allocated, arrays.order_of, arrays.placement, arrays.size_of
local bytes_t = ffi.typeof "uint8_t *"

---Arrays in host memory.
---@class cudalua.ndarray
---@field newaxis any  used in an index, adds an axis of extent 1
---@field Array cudalua.ndarray.Array  the class of arrays, with their methods
---@field Npz cudalua.ndarray.Npz  the class of .npz files, with their methods
local M = { newaxis = layout.newaxis, Array = arrays.Array }

---Returns true if x is an array in host memory.
---@param x any  any value
---@return boolean
function M.is_array(x) return arrays.is_array(x) end

local function dtype_or_default(what, dtype, shape)
  return dtype == nil and dtypes.default_float() or dtypes._of(what, dtype, shape)
end

local function made(what, shape, dtype, options)
  dtype, options = dtypes._or_options(dtype, options)
  dtype = dtype_or_default(what, dtype, shape)
  local order, backing = placement(what, options)
  return allocated(what, layout.numbers(what, "shape", shape, 0), dtype, order, backing)
end

---Returns an array with uninitialized elements.
---@param shape integer|integer[]  the extents: a list, a number for a 1-D array, or {} for a 0-d array
---@param dtype? any               as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  order: C (default): the last axis is
---  contiguous; F: the first axis is; pinned: allocate page-locked memory, as cuda.pagelocked_empty does; managed:
---  allocate managed memory, as cuda.managed_empty does
---@return cudalua.ndarray.Array
---@raise LogicError for an invalid shape, dtype or option, and for pinned or managed without a current context;
---  MemoryError if memory is exhausted
function M.empty(shape, dtype, options) return made("ndarray.empty", shape, dtype, options) end

---Returns an array of zeros (of false for bool).
---@param shape integer|integer[]  as for empty
---@param dtype? any               as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
---@return cudalua.ndarray.Array
---@raise LogicError, MemoryError as empty
function M.zeros(shape, dtype, options) return made("ndarray.zeros", shape, dtype, options) end

---An array of ones (of true).
---@param shape integer|integer[]  as for empty
---@param dtype? any               as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
---@return cudalua.ndarray.Array
---@raise LogicError, MemoryError as empty
function M.ones(shape, dtype, options) return made("ndarray.ones", shape, dtype, options):fill(1) end

local function filled(what, a, value)
  local x, why = a._check(value)
  if why then refuse(what, why) end
  return a:fill(x)
end

---An array of one value.
---@param shape integer|integer[]  as for empty
---@param value any                boolean, number, 64-bit integer or complex cdata
---@param dtype? any  as for dtype.of; default: the default float for numbers, else the value's own dtype
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty
---@return cudalua.ndarray.Array
---@raise LogicError if the dtype cannot hold the value, and as empty
function M.full(shape, value, dtype, options)
  dtype, options = dtypes._or_options(dtype, options)
  dtypes._value_first("ndarray.full", shape, value, dtype)
  if dtype == nil then dtype = list.dtype_of({ value }, 1, dtypes.default_float()) end
  return filled("ndarray.full", made("ndarray.full", shape, dtype, options), value)
end

-- An array of the shape, dtype and, unless given, order of another one. Its elements lie without gaps.
local function made_like(what, other, dtype, options)
  dtype, options = dtypes._or_options(dtype, options)
  if not arrays.is_array(other) then
    refuse(what, "expected a host array, got " .. element.describe(other))
  end
  local order, backing, o = placement(what, options)
  if o.order == nil and other.order == "F" then order = "F" end
  return allocated(what, other.shape, dtype == nil and other._dtype or dtypes._of(what, dtype), order, backing)
end

---Returns an array with the shape and order of another one and with uninitialized elements.
---@param other cudalua.ndarray.Array  the array whose shape and order are used
---@param dtype? any  as for dtype.of; default: the dtype of other
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  order: default F if other is in F
---  order alone, else C; the rest as for empty
---@return cudalua.ndarray.Array
---@raise LogicError if other is not a host array, and as empty
function M.empty_like(other, dtype, options) return made_like("ndarray.empty_like", other, dtype, options) end

---Returns an array of zeros (of false for bool) with the shape and order of another one.
---@param other cudalua.ndarray.Array  as for empty_like
---@param dtype? any  as for dtype.of; default: the dtype of other
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty_like
---@return cudalua.ndarray.Array
---@raise LogicError, MemoryError as empty_like
function M.zeros_like(other, dtype, options) return made_like("ndarray.zeros_like", other, dtype, options) end

---Returns an array of ones (of true for bool) with the shape and order of another one.
---@param other cudalua.ndarray.Array  as for empty_like
---@param dtype? any  as for dtype.of; default: the dtype of other
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty_like
---@return cudalua.ndarray.Array
---@raise LogicError, MemoryError as empty_like
function M.ones_like(other, dtype, options) return made_like("ndarray.ones_like", other, dtype, options):fill(1) end

---Returns an array filled with one value, with the shape and order of another one.
---@param other cudalua.ndarray.Array  as for empty_like
---@param value any  a boolean, number, 64-bit integer or complex cdata
---@param dtype? any  as for dtype.of; default: the dtype of other
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  as for empty_like
---@return cudalua.ndarray.Array
---@raise LogicError if the dtype cannot hold the value, and as empty_like
function M.full_like(other, value, dtype, options)
  return filled("ndarray.full_like", made_like("ndarray.full_like", other, dtype, options), value)
end

---Returns a new array with the elements of nested tables, a single value, or another array. It is always a copy.
---@param values any  nested lists of one length on each level; a boolean, number or cdata scalar (0-d); or an array
---@param dtype? any  as for dtype.of; default: an array's own dtype; for booleans, 64-bit integer and complex cdata
---  their own dtype; for numbers, integral or not, dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", pinned: boolean, managed: boolean}  order: default C, for an array its
---  own order; the rest as for empty
---@return cudalua.ndarray.Array
---@raise LogicError that names the position if lists are ragged or a value does not fit, and as empty
function M.array(values, dtype, options)
  local what = "ndarray.array"
  dtype, options = dtypes._or_options(dtype, options)
  local order, backing, o = placement(what, options)
  dtype = dtype ~= nil and dtypes._of(what, dtype) or nil
  if not arrays.is_array(values) then
    return arrays.settled(what, arrays.from_values(what, values, dtype, dtypes.default_float()), order, backing)
  end
  dtype = dtype or values.dtype
  if not backing then return values:astype(dtype, o.order) end
  local a = made_like(what, values, dtype, options)
  return a:assign(values.dtype == dtype and values or values:astype(dtype))
end

---Wraps memory that other code owns in an array, without a copy. It is meant for parts of this library: what a pointer
---refers to cannot be checked.
---@param pointer ffi.cdata*  the first element; for an FFI array the size is checked
---@param shape integer|integer[]  as for empty
---@param dtype? any               as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", strides: integer[], base: any, alive: fun(token: any): boolean, token:
---  any}  strides: bytes from one element to the next on each axis, instead of order; base: the owner, which is kept
---  alive; alive: a function that is called with the token before every access; it returns whether the memory is still
---  valid, and if not, why; token: the argument of alive
---@return cudalua.ndarray.Array
---@raise LogicError for an invalid pointer, shape, dtype or strides
function M.wrap(pointer, shape, dtype, options)
  local what = "ndarray.wrap"
  dtype, options = dtypes._or_options(dtype, options)
  dtype = dtype_or_default(what, dtype)
  local order, o = order_of(what, options, { order = true, strides = true, base = true, alive = true,
    token = true })
  local ok, p = pcall(cast, bytes_t, pointer)
  if type(pointer) ~= "cdata" or tostring(pointer):find "^ctype<" or element.scalar(pointer) ~= nil or not ok or
    not ffi.sizeof(pointer) then
    refuse(what, "expected an FFI pointer, got " .. element.describe(pointer))
  end
  if o.alive ~= nil and type(o.alive) ~= "function" then refuse(what, "alive must be a function") end
  shape = layout.numbers(what, "shape", shape, 0)
  local size = layout.size(what, shape, dtype.itemsize)
  if p == nil and size > 0 then refuse(what, "NULL pointer") end
  local strides
  if o.strides ~= nil then
    strides = layout.numbers(what, "strides", o.strides, -2 ^ 53)
    if #strides ~= #shape then refuse(what, ("%d strides for %d axes"):format(#strides, #shape)) end
  else
    strides = layout.dense_strides(shape, dtype.itemsize, order)
  end
  local low, high = layout.extent(shape, strides, dtype.itemsize)
  if not host.is_pointer(pointer) and (low < 0 or high > ffi.sizeof(pointer)) then
    refuse(what, ("the array spans bytes %.0f to %.0f, but the memory has %.0f"):format(low, high,
      ffi.sizeof(pointer)))
  end
  return arrays.over(dtype, p, shape, strides, size,
    { base = o.base, memory = pointer, alive = o.alive, token = o.token })
end

-- "float", { 2, 3 } from "ctype<float [2][3]>", "ctype<float (&)[2][3]>" or "ctype<float *>".
local function c_element(x)
  local name = tostring(ffi.typeof(x)):match "^ctype<(.*)>$"
  local of, dims = name:match "^(.-)%s*%(?&?%)?%s*(%[[^%*]*%])$"
  if not of then return name:match "^(.-)%s*[%*&]$" or name end
  local extents = {}
  for n in dims:gmatch "%[([%d%?]*)%]" do extents[#extents + 1] = tonumber(n) or false end
  return of, extents
end

---Returns an array over a host buffer, which it keeps alive. Nothing is copied, except from a string.
---@param buf any  an FFI array, struct or pointer, a string, {ptr =, nbytes =}, or an object with :buffer()
---@param shape? integer|integer[]  default: the shape of an FFI array, otherwise all elements on one axis; required for
---  a pointer
---@param dtype? any  as for dtype.of; default: the element type of the FFI array or pointer
---@param options? {dtype: any, order: "C"|"F"}
---@return cudalua.ndarray.Array
---@raise LogicError if the buffer is const, too small, not a multiple of the element size, or its type is not known
function M.from_buffer(buf, shape, dtype, options)
  local what = "ndarray.from_buffer"
  dtype, options = dtypes._or_options(dtype, options)
  local order = order_of(what, options)
  if dtype == nil and (type(shape) == "string" or dtypes.is_dtype(shape)) then
    refuse(what, ("shape must be a list, got %s; the dtype comes third: from_buffer(buf, nil, %s)"):format(
      element.describe(shape), type(shape) == "string" and "'" .. shape:sub(1, 40) .. "'" or "dtype"))
  end
  local of, extents
  local is_cdata = type(buf) == "cdata"
  if is_cdata and host.is_ctype(buf) then host.host_buffer(what, buf) end -- which refuses it
  if is_cdata then of, extents = c_element(buf) end
  if arrays.is_array(buf) and dtype == nil then dtype = buf._dtype end
  local own = of and dtypes._of_c(of)
  if dtype == nil then
    dtype = own or refuse(what, "pass a dtype" .. (of and ": none corresponds to " .. of or ""))
  else
    dtype = dtypes._of(what, dtype)
    if dtype ~= own then extents = nil end
  end

  local is_pointer = is_cdata and host.is_pointer(buf)
  shape = shape ~= nil and layout.numbers(what, "shape", shape, 0) or nil
  if is_pointer and not shape then refuse(what, "a bare pointer has no size; pass a shape") end
  local wanted = shape and layout.size(what, shape, dtype.itemsize) * dtype.itemsize
  local slot, nbytes = host.host_buffer(what, buf, is_pointer and wanted or nil, type(buf) ~= "string")
  if wanted then
    if wanted > nbytes then
      refuse(what, ("the shape %s needs %.0f bytes of %s, but the buffer has %.0f%s"):format(layout.text(shape), wanted,
        dtype.name, nbytes, type(buf) == "string" and "; a string is the bytes of elements, not a value" or ""))
    end
  else
    if nbytes % dtype.itemsize ~= 0 then
      refuse(what, ("the buffer's %.0f bytes are not a multiple of the size of %s"):format(nbytes, dtype.name))
    end
    if extents and size_of({ unpack(extents, 2) }) > 0 then
      extents[1] = nbytes / dtype.itemsize / size_of { unpack(extents, 2) } -- a [?] has no number of its own
      shape = extents
    else
      shape = { nbytes / dtype.itemsize }
    end
  end

  if type(buf) == "string" then
    local a = allocated(what, shape, dtype, order)
    ffi.copy(a._p, buf, a._size * dtype.itemsize)
    return a
  end
  local strides, size = layout.dense_strides(shape, dtype.itemsize, order), size_of(shape)
  if arrays.is_array(buf) then return arrays.view(buf, 0, shape, strides, size, dtype) end
  return arrays.over(dtype, cast(bytes_t, slot[0]), shape, strides, size, { base = buf })
end

-- The first of two operands as an array; where the other is one, in its type if that holds fractions.
local function first_operand(what, a, b)
  if arrays.is_array(a) then return a end
  local kind = arrays.is_array(b) and b.dtype.kind
  local own = kind == "float" or kind == "complex" or kind == "struct"
  return arrays.from_values(what, a, own and b.dtype or nil, dtypes.float64)
end

---Returns true if two arrays have the same shape and equal elements. Elements of different dtypes are compared by
---value; NaN does not equal anything.
---@param a any  an array, nested tables or a value
---@param b any  an array, nested tables or a value
---@return boolean
---@return string? difference  the first difference, or the two shapes
function M.equal(a, b) return first_operand("ndarray.equal", a, b):equal(b) end

---Returns true if all elements are close, |a - b| <= atol + rtol * |b|, as NumPy's allclose. An infinity is close only
---to itself.
---@param a any  an array, nested tables or a value
---@param b any  an array, nested tables or a value, of the same shape or 0-d
---@param options? {rtol: number, atol: number, equal_nan: boolean}  rtol: the relative tolerance, default 1e-5; atol:
---  the absolute tolerance, default 1e-8; equal_nan: count two NaNs as close, default false
---@return boolean
---@return string? difference  the first difference
---@raise LogicError if the shapes differ
function M.allclose(a, b, options) return first_operand("ndarray.allclose", a, b):allclose(b, options) end

for name, f in pairs_of(require "cudalua.ndarray.make") do M[name] = f end

-- ---- files: only programs that have any load that part -------------------------------------------------------------

---Loads a file that NumPy's save, savez or savez_compressed wrote, or save and savez of this module.
---@param path string  the file
---@param options? {pinned: boolean, managed: boolean}  for an .npy file: as for empty
---@return cudalua.ndarray.Array|cudalua.ndarray.Npz  for an .npy file the array, in the order of the file; for an .npz
---  file an object that reads its arrays when you access them
---@raise RuntimeError if the file cannot be opened; LogicError if it is not an .npy or .npz file, is damaged or
---  truncated, or has elements of an unsupported type (code in a file is never executed); MemoryError
function M.load(path, options) return require("cudalua.ndarray.file").load(path, options) end

---As load, from a string with the bytes of such a file.
---@param bytes string  the bytes of an .npy or .npz file
---@param options? {pinned: boolean, managed: boolean}
---@return cudalua.ndarray.Array|cudalua.ndarray.Npz
---@raise LogicError, MemoryError as load
function M.loads(bytes, options) return require("cudalua.ndarray.file").loads(bytes, options) end

---Writes an array to an .npy file, which NumPy's load reads; bfloat16 is written as "<V2", raw bytes for NumPy. An
---array in F order is written in F order, a view with gaps in C order.
---@param path string  the file; ".npy" is not added
---@param a any  an array, nested tables, or a value
---@param options? {version: 1|2|3}  version: the version of the format, default: 1
---@raise LogicError if a is not an array; RuntimeError if the file cannot be written: it may then be incomplete
function M.save(path, a, options) require("cudalua.ndarray.file").save(path, a, options) end

---Returns the bytes of the .npy file that save would write.
---@param a any  an array, nested tables, or a value
---@param options? {version: 1|2|3}  version: as for save
---@return string
---@raise LogicError if a is not an array, or has 2 GiB or more
function M.dumps(a, options) return require("cudalua.ndarray.file").dumps(a, options) end

---Writes arrays to an .npz file without compression, in the order of their names.
---@param path string  the file; ".npz" is not added
---@param members table<string, any>  by name: arrays, nested tables, or values
---@param options? {version: 1|2|3}  version: as for save
---@raise LogicError if members is not a table of arrays; RuntimeError if the file cannot be written: it may then be
---  incomplete
function M.savez(path, members, options) require("cudalua.ndarray.file").savez(path, members, options) end

---Returns the bytes of the .npz file that savez would write.
---@param members table<string, any>  as for savez
---@param options? {version: 1|2|3}  version: as for save
---@return string
---@raise LogicError if members is not a table of arrays, or has 2 GiB or more
function M.dumpsz(members, options) return require("cudalua.ndarray.file").dumpsz(members, options) end

surplus.install("ndarray:", M.Array)
surplus.install("ndarray.", M)
names.strict(M, {
  text = "ndarray", kind = "ndarray",
  find = function(_, key) return key == "Npz" and require("cudalua.ndarray.file").Npz or nil end,
})

return M
