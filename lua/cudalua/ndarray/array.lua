-- The host array itself: memory, elements, views, copies. cudalua.ndarray makes them.

local ffi = require "ffi"
local core = require "cudalua.core"
local copy = require "cudalua.ndarray.copy"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local list = require "cudalua.ndarray.list"
local names = require "cudalua.base.names"
local pace = require "cudalua.base.pace"

local floor, cast, lshift, tobit, refuse = math.floor, ffi.cast, bit.lshift, bit.tobit, layout.refuse
local bytes_t = ffi.typeof "uint8_t *"
local AT_ONCE = 65536 -- elements between two looks at Ctrl-C

-- What getmetatable says of an array.
local TAG = "cudalua.ndarray"

---An array in host memory. Positions count from 1; negative ones count from the end. `a[i]` reads and `a[i] = v` writes
---an element of a 1-D array; with more axes it is the part at position i of the first axis. `a[{...}]` is
---`a:slice(...)`, or the element if every axis has a number; assigning to it assigns all elements of the part. Lua does
---not support `#a`; use `a:len()`.
---@class cudalua.ndarray.Array
---@operator add(cudalua.ndarray.Array|number|ffi.cdata*): cudalua.ndarray.Array
---@operator sub(cudalua.ndarray.Array|number|ffi.cdata*): cudalua.ndarray.Array
---@operator mul(cudalua.ndarray.Array|number|ffi.cdata*): cudalua.ndarray.Array
---@operator div(cudalua.ndarray.Array|number|ffi.cdata*): cudalua.ndarray.Array
---@operator mod(cudalua.ndarray.Array|number|ffi.cdata*): cudalua.ndarray.Array
---@operator pow(cudalua.ndarray.Array|number|ffi.cdata*): cudalua.ndarray.Array
---@operator unm: cudalua.ndarray.Array
---@field shape integer[]  the extents; a new list, which prints as (2, 3) and equals the shape of other arrays with
---  these extents. The shape of an array cannot change
---@field strides integer[]  bytes from one element to the next on each axis; a new list, as shape
---@field dtype cudalua.dtype.DType  the element type
---@field size integer  the number of elements
---@field nbytes integer  the size of all elements in bytes: size * dtype.itemsize
---@field ndim integer  the number of axes
---@field order string?  "C" or "F" if the elements are contiguous in that order ("C" if in both); else nil
---@field flags table  c_contiguous, f_contiguous: booleans
---@field base any  for a view, the array that owns the memory; for foreign memory, its owner
---@field T cudalua.ndarray.Array  a view with the axes reversed
local Array = {}

local M = { Array = Array }

-- An array is an empty table, so that a[i] is a call of __index at once, without a search for i among its fields; what
-- it is, is in its metatable, of which each array has its own. The fields, which __index shows, too: _dtype; _p, byte
-- pointer to the first element; _shape, _strides, _size, _ndim; _n and _s, extent and stride of the first axis; _shift,
-- where i * _s is a shift of an int, or false; _load, _store, _check of the dtype; _memory, what keeps the memory;
-- _root, of a view the array that has the memory, or false; _base, the owner of memory that is not ours, or false;
-- _alive, which is called with _token and says whether that is still there, or false.
local state_of = debug.getmetatable
local methods = {} -- what metatables have

local shifts = { [1] = 0, [2] = 1, [4] = 2, [8] = 3, [16] = 4 }

-- An array, and its metatable: who makes a view, or an array of memory that is not ours, fills in whose memory it is.
local function make(dtype, p, shape, strides, size, memory)
  local n, s = shape[1] or 0, strides[1] or 0
  local state = {
    _dtype = dtype, _p = p, _shape = shape, _strides = strides, _size = size, _ndim = #shape, _n = n, _s = s,
    _shift = n * s < 2 ^ 31 and shifts[s] or false, _load = dtype._load, _store = dtype._store, _check = dtype._check,
    _memory = memory, _root = false, _base = false, _alive = false, _token = false, __metatable = TAG, __name = TAG,
    __index = methods.index, __newindex = methods.newindex, __tostring = methods.tostring, __concat = methods.concat,
    __len = methods.len, -- where Lua 5.2's rules are built in
    __add = methods.add, __sub = methods.sub, __mul = methods.mul, __div = methods.div, __mod = methods.mod,
    __pow = methods.pow, __unm = methods.neg,
  }
  return setmetatable({}, state), state
end

---A new array over memory of its own.
---@param dtype cudalua.dtype.DType
---@param p ffi.cdata*         uint8_t *
---@param shape integer[]      lists that are given away
---@param strides integer[]
---@param size integer
---@param memory any           cdata that keeps the memory
---@return cudalua.ndarray.Array
function M.new(dtype, p, shape, strides, size, memory) return (make(dtype, p, shape, strides, size, memory)) end
local new = M.new

---The owner of the memory of an array, if it is not the array itself.
---@class cudalua.ndarray.Owner
---@field base any     the owner, or nil
---@field memory any   what else keeps the memory, or nil
---@field alive? fun(token: any): boolean, string?  is the memory still there, and if not, why. One function for many
---  arrays: compiled code would keep what the function of one array keeps
---@field token any    given to alive

---A new array over memory that has another owner.
---@param dtype cudalua.dtype.DType
---@param p ffi.cdata*         uint8_t *
---@param shape integer[]      lists that are given away
---@param strides integer[]
---@param size integer
---@param owner cudalua.ndarray.Owner
---@return cudalua.ndarray.Array
function M.over(dtype, p, shape, strides, size, owner)
  local a, state = make(dtype, p, shape, strides, size, owner.memory or false)
  state._base, state._alive, state._token = owner.base or false, owner.alive or false, owner.token
  return a
end

---A view of an array's memory.
---@param self cudalua.ndarray.Array
---@param offset integer     bytes to the first element
---@param shape integer[]    lists that are given away
---@param strides integer[]
---@param size integer
---@param dtype? cudalua.dtype.DType  default: the array's
---@return cudalua.ndarray.Array
function M.view(self, offset, shape, strides, size, dtype)
  local of = state_of(self)
  local a, state = make(dtype or of._dtype, of._p + offset, shape, strides, size, false)
  state._root, state._alive, state._token = of._root or self, of._alive, of._token
  return a
end
local view = M.view

---@param shape integer[]
---@return integer
function M.size_of(shape)
  local size = 1
  for k = 1, #shape do size = size * shape[k] end
  return size
end
local size_of = M.size_of

---@param x any
---@return boolean
function M.is_array(x)
  local state = type(x) == "table" and state_of(x)
  return state and rawget(state, "__index") == methods.index or false
end
local is_array = M.is_array

local function not_array(what, x)
  refuse(what, "expected an ndarray (call the method with a colon), got " .. element.describe(x))
end

local function check_alive(state, what)
  local ok, why = state._alive(state._token)
  if not ok then refuse(what, why or "the memory of this array was freed") end
end

---Raises a LogicError unless it is an array whose memory is there.
---@param self any
---@param what string  for the message
---@return table state  the array's metatable
function M.check_self(self, what)
  if not is_array(self) then not_array(what, self) end
  local state = state_of(self)
  if state._alive then check_alive(state, what) end
  return state
end
local check_self = M.check_self

-- ---- memory -------------------------------------------------------------------------------------------------

ffi.cdef [[
  void *cudalua_host_calloc(size_t n, size_t size) __asm__("calloc");
  void cudalua_host_free(void *p) __asm__("free");
]]
local block_t = ffi.typeof "struct { uint8_t bytes[16]; } __attribute__((aligned(16)))[?]"
local FFI_LIMIT, ADDRESS_SPACE = 2 ^ 31 - 64, 2 ^ 47

---Zeroed memory, at a multiple of 16, and what keeps it.
---@param what string     for the message
---@param nbytes integer
---@return ffi.cdata* p   uint8_t *
---@return any memory
---@raise MemoryError
function M.allocate(what, nbytes)
  -- The collector counts FFI memory, but that is limited to 2 GiB a piece, and in some builds of LuaJIT in all. What
  -- is larger comes from the C library, where the collector does not see it: it is run before, which costs little
  -- beside filling so much memory.
  if nbytes < FFI_LIMIT then
    local ok, block = pcall(ffi.new, block_t, math.max(math.ceil(nbytes / 16), 1))
    if ok then return cast(bytes_t, block), block end
  end
  collectgarbage()
  local p = nbytes < ADDRESS_SPACE and ffi.C.cudalua_host_calloc(nbytes, 1) or nil
  if p == nil then
    errors.raise("MemoryError", ("%s: out of host memory: cannot allocate %.0f bytes"):format(what, nbytes))
  end
  p = ffi.gc(p, ffi.C.cudalua_host_free)
  return cast(bytes_t, p), p
end
local allocate = M.allocate

-- An `order`, checked.
local function check_order(what, order, default)
  if order == nil then return default end
  if order ~= "C" and order ~= "F" then
    refuse(what, "order must be 'C' or 'F', got " .. (type(order) == "string" and order or element.describe(order)))
  end
  return order
end

---The order that a table of options asks for, and the options.
---@param what string
---@param options any
---@param known? table<string, boolean>  the options there are; default: order
---@return "C"|"F"
---@return table
---@raise LogicError for an unknown option or order
function M.order_of(what, options, known)
  if options == nil then return "C", {} end
  options = errors.options(what, options, known or { order = true })
  return check_order(what, options.order, "C"), options
end

local placements = { order = true, pinned = true, managed = true }

---What a table of options asks for: the order, and which memory.
---@param what string
---@param options any
---@param known? table<string, boolean>  the options there are, with order, pinned and managed; default: only these
---@return "C"|"F"
---@return "pinned"|"managed"|nil backing
---@return table options
---@raise LogicError for an unknown option, or a bad value of these
function M.placement(what, options, known)
  local order
  order, options = M.order_of(what, options, known or placements)
  local pinned, managed = layout.flag(what, options, "pinned"), layout.flag(what, options, "managed")
  if pinned and managed then refuse(what, "an array cannot be both pinned and managed") end
  return order, pinned and "pinned" or managed and "managed" or nil, options
end

---An array of zeros in memory of its own.
---@param what string
---@param shape integer[]  checked; given away
---@param dtype cudalua.dtype.DType
---@param order "C"|"F"
---@param backing? "pinned"|"managed"  default: plain memory
---@return cudalua.ndarray.Array
---@raise LogicError if it has too many elements, MemoryError if memory is exhausted
function M.allocated(what, shape, dtype, order, backing)
  local size = layout.size(what, shape, dtype.itemsize)
  if backing then return hooks.host_zeros(what, backing, shape, dtype, order) end
  local p, memory = allocate(what, size * dtype.itemsize)
  return new(dtype, p, shape, layout.dense_strides(shape, dtype.itemsize, order), size, memory)
end
local allocated = M.allocated

local function copied(numbers)
  local out = {}
  for k = 1, #numbers do out[k] = numbers[k] end
  return out
end

---Where the element number i, from 0, is, for messages.
---@param shape integer[]
---@param i integer
---@return string
function M.place(shape, i)
  local parts = {}
  for k, at in ipairs(layout.unravel(shape, i)) do parts[k] = ("[%.0f]"):format(at) end
  return #parts > 0 and table.concat(parts) or "the value"
end
local place = M.place

---Raises the error of the element number i, from 0.
---@param what string
---@param shape integer[]
---@param i integer
---@param why string
function M.refuse_element(what, shape, i, why) refuse(what, place(shape, i) .. ": " .. why) end

---An array of plain values.
---@param what string
---@param values any   nested tables, or a value
---@param dtype cudalua.dtype.DType?  default: the values' own
---@param float cudalua.dtype.DType   the type of numbers without a dtype
---@return cudalua.ndarray.Array
function M.from_values(what, values, dtype, float)
  return (M.from_list(what, dtype, float, list.flatten(what, values, dtype)))
end
local from_values = M.from_values

---An array of the values in a list, in C order.
---@param what string
---@param dtype cudalua.dtype.DType?  default: the values' own
---@param float cudalua.dtype.DType   the type of numbers without a dtype
---@param flat any[]
---@param shape integer[]  given away
---@param n integer        how many values
---@return cudalua.ndarray.Array
function M.from_list(what, dtype, float, flat, shape, n)
  dtype = dtype or list.dtype_of(flat, n, float)
  local a = allocated(what, shape, dtype, "C")
  local p, check, store, itemsize = a._p, a._check, a._store, dtype.itemsize
  for i = 1, n do
    if i % AT_ONCE == 0 then pace(AT_ONCE) end
    local x, why = check(flat[i])
    if why then M.refuse_element(what, shape, i - 1, why) end
    store(p, (i - 1) * itemsize, x)
  end
  return a
end

---The array itself, or a copy of it in another order or kind of memory.
---@param what string
---@param a cudalua.ndarray.Array
---@param order "C"|"F"
---@param backing "pinned"|"managed"|nil
---@return cudalua.ndarray.Array
function M.settled(what, a, order, backing)
  if not backing and (order == "C" or a._ndim < 2) then return a end
  local b = allocated(what, copied(a._shape), a._dtype, order, backing)
  copy.convert(b, a)
  return b
end

-- ---- what an array is -------------------------------------------------------------------------------------------

local function density(self) return layout.density(self._shape, self._strides, self._dtype.itemsize) end

local properties = {}
function properties.shape(self) return layout.shown(copied(self._shape)) end
function properties.strides(self) return layout.shown(copied(self._strides)) end
function properties.dtype(self) return self._dtype end
function properties.size(self) return self._size end
function properties.nbytes(self) return self._size * self._dtype.itemsize end
function properties.ndim(self) return self._ndim end
function properties.base(self) return self._root or self._base or nil end
function properties.order(self)
  local c, f = density(self)
  return c and "C" or f and "F" or nil
end
function properties.flags(self)
  local c, f = density(self)
  return layout.flags { c_contiguous = c, f_contiguous = f }
end
function properties.T(self) return self:transpose() end

---Returns the extent of the first axis.
---@return integer
---@raise LogicError for a 0-d array
function Array:len()
  check_self(self, "ndarray:len")
  if self._ndim == 0 then refuse("ndarray:len", "a 0-d array has no axis") end
  return self._n
end

---Returns the first element as a typed FFI pointer: `p[0]` is the first element, and the others follow with the strides
---of the array. float16 and bfloat16 are uint16_t with their bits. Nothing is checked, and the pointer does not keep
---the memory alive: keep the array while you use it. LuaJIT interprets some NaNs that are read through it as values of
---other types and may crash on them. If memory may hold any bits (for example from a device), read with get() or a[i],
---which handle such NaNs.
---@return ffi.cdata*
---@raise LogicError if the memory was freed
function Array:data()
  check_self(self, "ndarray:data")
  return cast(self._dtype._pointer, self._p)
end

---Returns the memory as bytes, in any order: the form in which copying functions use an array.
---@return ffi.cdata* pointer  uint8_t *
---@return integer nbytes
---@return any owner  for foreign memory, the object that keeps it alive, as in `base`
---@raise LogicError if the elements are not contiguous, or the memory was freed
function Array:buffer()
  check_self(self, "ndarray:buffer")
  local c, f = density(self)
  if not (c or f) then
    refuse("ndarray:buffer", ("this view of shape %s is not contiguous; copy it with copy()")
      :format(layout.text(self._shape)))
  end
  return self._p, self._size * self._dtype.itemsize, (self._root or self)._base or nil
end

---Returns the device address of the first element, if the device can access the memory because it is page-locked,
---registered or managed. These arrays are therefore accepted wherever device memory is.
---@return cudalua.DevicePointer
---@raise LogicError if the device cannot access the memory, or it was freed
function Array:get_pointer()
  check_self(self, "ndarray:get_pointer")
  return (core.host_to_device((self._root or self)._base, tonumber(cast("uintptr_t", self._p))))
end

-- ---- elements -----------------------------------------------------------------------------------------------------

-- Functions that go on with the pointer alone keep `self` in their frame, which a tail call would give up: it may be
-- all that keeps the memory. Hence the parentheses around what they return.

local function at(what, axis, i, n)
  if type(i) == "number" and i >= 1 and i <= n and i == floor(i) then return i - 1 end
  return layout.position(what, axis, i, n) - 1
end

local function wrong_count(ndim, what, n)
  refuse(what, ("an array with %d %s takes %d %s, got %d%s"):format(ndim, ndim == 1 and "axis" or "axes", ndim,
    ndim == 1 and "index" or "indices", n, what == "ndarray:set" and n == 0 and
    "; a[{}] = x writes all elements" or ""))
end

-- Bytes to the element with these indices, of which `n` count. The first axes are written out: LuaJIT does not
-- compile a walk through `...`.
local function offset_of(state, what, n, i, j, k, ...)
  if n ~= state._ndim then wrong_count(state._ndim, what, n) end
  if n == 0 then return 0 end
  local shape, strides = state._shape, state._strides
  local offset = at(what, 1, i, state._n) * state._s
  if n > 1 then offset = offset + at(what, 2, j, shape[2]) * strides[2] end
  if n > 2 then offset = offset + at(what, 3, k, shape[3]) * strides[3] end
  if n > 3 then
    local rest = { ... }
    for axis = 4, n do offset = offset + at(what, axis, rest[axis - 3], shape[axis]) * strides[axis] end
  end
  return offset
end

local function write(state, what, offset, value)
  local x, why = state._check(value)
  if why then refuse(what, why) end
  state._store(state._p, offset, x)
end

---Reads an element.
---@param ... integer  one position for each axis; none for a 0-d array
---@return boolean|number|ffi.cdata* value  int64_t or uint64_t cdata beyond 2^53, complex cdata for complex types; for
---  a struct a read-only copy, an FFI struct. Call its dtype for a copy that you can write to: particle(a[1])
---@raise LogicError for an index out of range, or if the memory was freed
function Array:get(...)
  local what = "ndarray:get"
  local state = check_self(self, what)
  return (state._load(state._p, offset_of(state, what, select("#", ...), ...)))
end

---Writes an element: a:set(i, j, value).
---@param ... any  one position for each axis, then the value: a boolean, number, 64-bit integer or complex cdata
---@raise LogicError for an index out of range, a value that the dtype cannot hold, or if the memory was freed
function Array:set(...)
  local what = "ndarray:set"
  local state = check_self(self, what)
  local n = select("#", ...)
  if n == 0 then refuse(what, "the value is missing") end
  write(state, what, offset_of(state, what, n - 1, ...), (select(n, ...)))
end

---Returns the value of an array with one element, of any shape.
---@return boolean|number|ffi.cdata* value  as returned by get()
---@raise LogicError if it does not have exactly one element, or the memory was freed
function Array:item()
  check_self(self, "ndarray:item")
  if self._size ~= 1 then
    refuse("ndarray:item", ("an array of shape %s has %.0f elements, not one"):format(layout.text(self._shape),
      self._size))
  end
  return (self._load(self._p, 0))
end

---Returns the elements as nested tables; for a 0-d array, the value. A struct is a table of its fields.
---@return any
function Array:tolist()
  check_self(self, "ndarray:tolist")
  local shape, strides, p, ndim = self._shape, self._strides, self._p, self._ndim
  local load = self._dtype._plain or self._load
  local function part_of(axis, offset)
    if axis > ndim then return load(p, offset) end
    local out, stride = {}, strides[axis]
    if axis == ndim then
      for i = 1, shape[axis] do
        out[i] = load(p, offset + (i - 1) * stride)
        if i % AT_ONCE == 0 then pace(AT_ONCE) end
      end
      pace(shape[axis] % AT_ONCE)
    else
      for i = 1, shape[axis] do out[i] = part_of(axis + 1, offset + (i - 1) * stride) end
    end
    return out
  end
  return (part_of(1, 0))
end

-- ---- views --------------------------------------------------------------------------------------------------------

local function items_of(what, key)
  if is_array(key) then refuse(what, "an array cannot be an index here") end
  return layout.items(what, key)
end

local function sliced(self, what, n, items)
  local offset, shape, strides = layout.slice(what, self._shape, self._strides, n, items)
  return view(self, offset, shape, strides, size_of(shape))
end

---Returns a part of the array as a view. Each item belongs to an axis, from the first; axes without an item are taken
---whole.
---@param ... any  the items. i removes its axis; {i} keeps it with extent 1. {lo, hi} and {lo, hi, step} are ranges
---  that include both ends; {lo, lo - 1} is empty, and a negative step runs backwards. {} is the whole axis;
---  ndarray.newaxis adds an axis
---@return cudalua.ndarray.Array
---@raise LogicError for positions out of range, or too many items
function Array:slice(...)
  check_self(self, "ndarray:slice")
  return sliced(self, "ndarray:slice", select("#", ...), { ... })
end

-- ---- copies -------------------------------------------------------------------------------------------------------

local function convert(what, dst, src)
  local a, b = src._dtype, dst._dtype
  if (a.kind == "struct" or b.kind == "struct") and a._layout ~= b._layout then
    refuse(what, ("cannot convert elements of %s to %s"):format(a.name, b.name))
  end
  local i, why = copy.convert(dst, src)
  if i then M.refuse_element(what, src._shape, i, why) end
end

---Returns a contiguous copy with its own memory.
---@param order? "C"|"F"  the order of the elements; default: C
---@return cudalua.ndarray.Array
function Array:copy(order)
  check_self(self, "ndarray:copy")
  order = check_order("ndarray:copy", order, "C")
  local a = allocated("ndarray:copy", copied(self._shape), self._dtype, order)
  copy.convert(a, self)
  return a
end

---Returns a copy converted to another dtype, as in NumPy. Integers wrap around, floats lose their fraction and complex
---numbers their imaginary part, and everything that is not zero is true. Floats are rounded to nearest, with ties to
---even.
---@param dtype any  the new dtype, as for dtype.of
---@param order? "C"|"F"  default: F for an array that is in F order alone, else C
---@return cudalua.ndarray.Array
---@raise LogicError that names the element, if a float (NaN, too large) cannot be converted to the integer type
function Array:astype(dtype, order)
  local what = "ndarray:astype"
  check_self(self, what)
  dtype = dtypes.of(dtype)
  order = check_order(what, order, self.order == "F" and "F" or "C")
  local a = allocated(what, copied(self._shape), dtype, order)
  convert(what, a, self)
  return a
end

local function filled(self, what, value)
  local x, why = self._check(value)
  if why then refuse(what, why) end
  copy.fill(self, x)
  return self
end

---Sets every element to one value.
---@param value any  a boolean, number, 64-bit integer or complex cdata
---@return cudalua.ndarray.Array self
---@raise LogicError if the dtype cannot hold the value
function Array:fill(value)
  check_self(self, "ndarray:fill")
  return filled(self, "ndarray:fill", value)
end

-- What assign() and assignments to parts do; `what` is for messages.
local function assigned(self, what, values)
  if type(values) ~= "table" then return filled(self, what, values) end
  if is_array(values) then
    check_self(values, what)
  else
    values = from_values(what, values, self._dtype, self._dtype)
  end
  if not layout.broadcasts(values._shape, self._shape) then
    refuse(what, ("an array of shape %s cannot be assigned one of shape %s"):format(layout.text(self._shape),
      layout.text(values._shape)))
  end
  local why = dtypes._unstorable(values._dtype, self._dtype)
  if why then refuse(what, why) end
  if copy.overlap(self, values) then values = values:copy() end
  if not layout.same(self._shape, values._shape) then
    values = view(values, 0, copied(self._shape), layout.broadcast_strides(values._shape, values._strides, self._shape),
      self._size)
  end
  convert(what, self, values)
  return self
end

---Sets the elements to those of another array or of nested tables, which broadcast as in broadcast_to(), or all to one
---value. The two arrays may share memory.
---@param values any  an array, whose integers wrap around and whose floats are rounded to the dtype; nested tables; or
---  a value
---@return cudalua.ndarray.Array self
---@raise LogicError if the shapes do not broadcast, for an array of a higher kind (convert float to integer and complex
---  to real with astype()), or if the dtype cannot hold a value of a table
function Array:assign(values)
  check_self(self, "ndarray:assign")
  return assigned(self, "ndarray:assign", values)
end

-- ---- as a Lua object ------------------------------------------------------------------------------------------------

-- The part at a position of the first axis.
local function part(self, state, what, i)
  local shape, strides, size = {}, {}, 1
  for k = 2, state._ndim do
    shape[k - 1], strides[k - 1], size = state._shape[k], state._strides[k], size * state._shape[k]
  end
  return view(self, at(what, 1, i, state._n) * state._s, shape, strides, size)
end

local function check_first_axis(state)
  if state._ndim == 0 then refuse("ndarray", "a 0-d array cannot be indexed; use get() and set(value)") end
end

local function is_integer_cdata(key) return type(key) == "cdata" and element.scalar(key) ~= nil end

local members = names.of_objects(TAG,
  { text = "a host array", kind = "host_array", tables = { Array, properties } })

function methods.index(self, key)
  local state = state_of(self)
  if type(key) == "number" then
    if state._alive then check_alive(state, "ndarray[i]") end
    if state._ndim == 1 then
      local shift = state._shift
      if not shift then return (state._load(state._p, at("ndarray[i]", 1, key, state._n) * state._s)) end
      return (state._load(state._p, lshift(at("ndarray[i]", 1, key, tobit(state._n)), shift)))
    end
    check_first_axis(state)
    return part(self, state, "ndarray[i]", key)
  end
  local field = Array[key]
  if field ~= nil then return field end
  field = state[key]
  if field ~= nil then return field end
  local property = properties[key]
  if property then return property(self) end
  if type(key) == "table" then
    check_self(self, "ndarray[{}]")
    local items, n = items_of("ndarray[{}]", key)
    local a = sliced(self, "ndarray[{}]", n, items)
    if a._ndim == 0 then return (a._load(a._p, 0)) end
    return a
  end
  if is_integer_cdata(key) then return self[layout.whole(key) or refuse("ndarray[i]", "the index is too large")] end
  return names.unknown(members, key)
end

function methods.newindex(self, key, value)
  if type(key) == "number" then
    local state = state_of(self)
    if state._alive then check_alive(state, "ndarray[i]") end
    if state._ndim == 1 then
      local x, why = state._check(value)
      if why then refuse("ndarray[i]", why) end
      local shift = state._shift
      local offset = shift and lshift(at("ndarray[i]", 1, key, tobit(state._n)), shift) or
        at("ndarray[i]", 1, key, state._n) * state._s
      state._store(state._p, offset, x)
      return
    end
    check_first_axis(state)
    assigned(part(self, state, "ndarray[i]", key), "ndarray[i]", value)
  elseif type(key) == "table" then
    check_self(self, "ndarray[{}]")
    local items, n = items_of("ndarray[{}]", key)
    assigned(sliced(self, "ndarray[{}]", n, items), "ndarray[{}]", value)
  elseif is_integer_cdata(key) then
    self[layout.whole(key) or refuse("ndarray[i]", "the index is too large")] = value
  else
    refuse("ndarray", ("cannot set %s of an array"):format(errors.text(key)))
  end
end

methods.len = Array.len

function methods.tostring(self)
  if self._alive and not self._alive(self._token) then return TAG .. " (freed)" end
  local load, p, strides = self._dtype._plain or self._load, self._p, self._strides
  return (require("cudalua.types.text").render(self._shape, self._dtype, function(index)
    local offset = 0
    for k = 1, #index do offset = offset + (index[k] - 1) * strides[k] end
    return load(p, offset)
  end))
end

-- Host arrays have no operators: a[1] + 1 was meant, or an array on the device.
for _, name in ipairs { "add", "sub", "mul", "div", "mod", "pow", "neg" } do
  methods[name] = function(a, b)
    local host = is_array(a) and a or b
    refuse(name, ("one operand is a host array; %scopy it to the device with gpuarray.to_gpu()"):format(
      host._size == 1 and "read its number with :item(), or " or ""))
  end
end

function methods.concat(a, b) return tostring(a) .. tostring(b) end

return M
