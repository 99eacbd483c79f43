-- Arrays whose elements follow from their places: ranges, and what is made of ones along a diagonal.

local calls = require "cudalua.gpuarray.core.calls"
local core = require "cudalua.core"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local prelude = require "cudalua.base.prelude"
local ranges = require "cudalua.types.ranges"
local runs = require "cudalua.gpuarray.core.run"
local scalar = require("cudalua.gpuarray.core.scalar").operand
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

-- ---- kernels --------------------------------------------------------------------------------------------------------

local PER_BLOCK = 1024 -- elements, see kernels/array/construct.cu

local kernels = {} -- name -> kernel

-- The kernel of that name. `params`: parameters after the output, in C; `lines`: a C statement each, which end with
-- the value in a variable v of the type `from`, of the number at position k of the range.
local function kernel(name, dtype, from, params, lines)
  local k = kernels[name]
  if k then return k end
  local pieces = {}
  for _, t in ipairs { from, dtype } do
    for _, piece in ipairs(ctype.pieces(t)) do pieces[piece] = true end
  end
  lines[#lines + 1] = ("const %s x = %s;"):format(ctype.register(dtype), ctype.convert(from, dtype, "v"))
  lines[#lines + 1] = ("out[i] = %s;"):format(ctype.store(dtype, "x"))
  table.insert(lines, 1, "const unsigned long long k = begin + i;")
  local text = table.concat(lines, "\n")
  prelude.needed(text, pieces)
  local code = template.fill("construct", "range", { name = name, memory = ctype.memory(dtype),
    params = ", const unsigned long long begin, " .. params, element = text:gsub("[^\n]+", "      %0") })
  k = { pieces = pieces, device = "", kernel = code, name = name, loaded = {} }
  kernels[name] = k
  return k
end

local function attempt(since, k, x, begin, arguments)
  local leaf = storage.leaf_of(x)
  local list = { x._size, leaf.buf, leaf.off, begin }
  for i, value in ipairs(arguments) do list[4 + i] = value end
  return runs.kernel { kernel = k, blocks = math.ceil(x._size / PER_BLOCK), arguments = list, since = since,
    leaves = {}, writes = { leaf } } or runs.AGAIN
end

-- Fills a fresh array; `arguments` are those of `params`.
local function run(k, x, begin, arguments)
  if x._size > 0 then runs.until_done(attempt, k, x, begin, arguments) end
  return x
end

-- The first and the last number of a range, which is all that a dtype has to hold.
local function check_ends(what, r, value)
  for _, i in ipairs { 0, r.n - 1 } do
    if i >= 0 then
      local _, why = r.dtype._check(value(i))
      if why then refuse(what, "[%.0f]: %s", i + 1, why) end
    end
  end
end

local function check_plain(what, dtype)
  if dtype.kind == "struct" then refuse(what, "%s is a struct, not a number", dtype.name) end
end

-- ---- ranges ---------------------------------------------------------------------------------------------------------

-- An integer as an argument of a kernel.
local function bits(n)
  local x = scalar(n, dtypes.int64)
  return type(x) == "table" and x._scalar or x
end

local range_options = { allocator = true, stream = true }

-- The position of the first number, from 0, and how many there are. `part`: {first, past}, or nil for all of n.
local function part_of(n, part)
  if not part then return 0, n end
  local first = math.min(part[1], n)
  return first, math.min(part[2], n) - first
end

local function arange_array(what, r, part, allocator)
  local dtype = r.dtype
  check_plain(what, dtype)
  if dtype.kind ~= "float" and dtype.kind ~= "complex" then
    if r.n > 1 then check_ends(what, { n = 2, dtype = dtype }, r.at) end -- a fractional step shows itself here
    check_ends(what, r, r.at)
    local begin, count = part_of(r.n, part)
    local x = make.fresh(what, { count }, dtype, "C", allocator)
    return run(kernel("arange_" .. dtype.name, dtype, dtypes.int64, "const long long first, const long long delta",
      { "const long long v = first + (long long)k * delta;" }), x, begin, { bits(r.first), bits(r.delta) })
  end
  local begin, count = part_of(r.n, part)
  local x = make.fresh(what, { count }, dtype, "C", allocator)
  local from = (dtype == dtypes.float64 or dtype == dtypes.complex128) and dtypes.float64 or dtypes.float32
  local t = ctype.register(from)
  return run(kernel("arange_" .. dtype.name, dtype, from, ("const %s first, const %s second, const %s delta"):format(t,
    t, t), { ("const %s v = k < 2 ? k ? second : first : first + (%s)k * delta;"):format(t, t) }), x, begin,
    { r.first, r.second, r.delta })
end

---Returns the numbers from start up to stop, which is excluded, as NumPy's arange does: arange(stop), arange(start,
---stop) or arange(start, stop, step), optionally followed by a dtype and options.
---@param start number|ffi.cdata*  the first number; default: 0; pass integers beyond 2^53 as int64_t or uint64_t
---@param stop number|ffi.cdata*   the end, which is excluded
---@param step? number|ffi.cdata*  the difference between two numbers; default: 1
---@param dtype? any    as for dtype.of; default: int64 for integers, uint64 if they need it, else dtype.default_float()
---@param options? {dtype: any, allocator: function, stream: cudalua.Stream}  as for empty
---@return cudalua.gpuarray.Array
---@raise LogicError for a step of 0, for numbers that are not finite, and for those that the dtype cannot hold;
---  MemoryError
---@overload fun(stop: number|ffi.cdata*, dtype?: any, options?: table): cudalua.gpuarray.Array
function M.arange(start, stop, step, dtype, options)
  local what = "gpuarray.arange"
  local r
  r, options = ranges.arange(what, start, stop, step, dtype, options)
  return arange_array(what, r, nil, errors.options(what, options, range_options).allocator)
end

-- linspace, and the options that were not for it.
local function linspace(what, known, start, stop, num, dtype, options)
  local numbers
  numbers, dtype, options = ranges.numbers_first(what, { "start", "stop", "num" }, 2, start, stop, num, dtype, options)
  local o = errors.options(what, options, known)
  local r = ranges.linspace(what, o.endpoint, numbers, dtype)
  return r, o
end

local function linspace_array(what, r, part, allocator)
  check_plain(what, r.dtype)
  if r.whole then check_ends(what, r, function(i) return math.floor(r.at(i)) end) end
  local begin, count = part_of(r.n, part)
  local x = make.fresh(what, { count }, r.dtype, "C", allocator)
  local lines = { "double v = k > 0 && (long long)k == last ? stop : (double)k * step + start;" }
  -- Integers are rounded down; NumPy computes them so, too.
  if r.whole then lines[2] = "v = floor(v);" end
  return run(kernel("linspace_" .. r.dtype.name, r.dtype, dtypes.float64,
    "const double start, const double stop, const double step, const long long last", lines), x, begin,
    { r.start, r.stop, r.step, r.last })
end

local linspace_options = { endpoint = true, allocator = true, stream = true }

---Returns `num` evenly spaced numbers, as NumPy's linspace does: computed in float64, the last one exactly `stop`.
---@param start number  the first number
---@param stop number   the last number; excluded if endpoint is false
---@param num? integer  the number of elements; default: 50
---@param dtype? any    as for dtype.of; default: dtype.default_float(); for integers, numbers are rounded down
---@param options? {dtype: any, endpoint: boolean, allocator: function, stream: cudalua.Stream}  endpoint: include
---  `stop`; default true; allocator: as for empty
---@return cudalua.gpuarray.Array
---@raise LogicError for numbers that are not finite, and for those that the dtype cannot hold; MemoryError
function M.linspace(start, stop, num, dtype, options)
  local what = "gpuarray.linspace"
  local r, o = linspace(what, linspace_options, start, stop, num, dtype, options)
  return linspace_array(what, r, nil, o.allocator)
end

---The numbers of a range (types/ranges.lua) at some positions, for distributed arrays. part: the first position, from
---0, and the one past the last.
make.range_parts = {
  arange = function(part, r) return arange_array("arange", r, part) end,
  linspace = function(part, r) return linspace_array("linspace", r, part) end,
}

local logspace_options = { endpoint = true, base = true, stream = true, allocator = true }

---Returns `num` numbers from base ^ start to base ^ stop with evenly spaced exponents, as NumPy's logspace does.
---@param start number  the first exponent
---@param stop number   the last exponent, as for linspace
---@param num? integer  the number of elements; default: 50
---@param dtype? any    as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, endpoint: boolean, base: number, stream: cudalua.Stream, allocator: function}  endpoint:
---  as for linspace; base: default 10
---@return cudalua.gpuarray.Array
---@raise LogicError for numbers that are not finite; MemoryError
function M.logspace(start, stop, num, dtype, options)
  local what = "gpuarray.logspace"
  local r, o = linspace(what, logspace_options, start, stop, num, dtype, options)
  local base = o.base == nil and 10 or o.base
  if type(base) ~= "number" then refuse(what, "base must be a number, got " .. element.describe(base)) end
  check_plain(what, r.dtype)
  dtype, r.dtype, r.whole = r.dtype, dtypes.float64, false
  return graph.convert(graph.binary(ops.pow, base, linspace_array(what, r)), dtype)
end

-- ---- diagonals ------------------------------------------------------------------------------------------------------

-- The leaf of a diagonal of an array of two axes, and its length.
local function diagonal(x, k)
  local leaf, shape = x._leaf, x._shape
  local s1, s2 = leaf.strides[1], leaf.strides[2]
  local n = math.max(math.min(shape[1] + math.min(k, 0), shape[2] - math.max(k, 0)), 0)
  local offset = n > 0 and (k < 0 and -k * s1 or k * s2) or 0
  return storage.new_leaf(leaf.store, leaf.off + offset, x._dtype, { n }, { s1 + s2 }), n
end

local shape_options = { order = true, allocator = true, stream = true }

---Returns an array with ones on a diagonal and zeros elsewhere, as NumPy's eye does: eye(rows), eye(rows, columns) or
---eye(rows, columns, k), optionally followed by a dtype and options.
---@param rows integer  the number of rows
---@param columns? integer  the number of columns; default: rows
---@param k? integer        the diagonal: 0 (default) the main one, positive above it, negative below it
---@param dtype? any        as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", allocator: function, stream: cudalua.Stream}  as for empty
---@return cudalua.gpuarray.Array
---@raise LogicError for extents that are not non-negative integers; MemoryError
---@overload fun(rows: integer, dtype?: any, options?: table): cudalua.gpuarray.Array
function M.eye(rows, columns, k, dtype, options)
  local what = "gpuarray.eye"
  local shape
  shape, k, dtype, options = ranges.eye(what, rows, columns, k, dtype, options)
  check_plain(what, dtype)
  local o = errors.options(what, options, shape_options)
  local x = make.fill(what, make.fresh(what, shape, dtype, o.order, o.allocator), 0)
  local leaf, n = diagonal(x, k)
  if n > 0 then evaluate.store(scalar(dtype._check(1), dtype), leaf, n) end
  return x
end

---Returns a square array with ones on the main diagonal.
---@param n integer  the number of rows and columns
---@param dtype? any  as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", allocator: function, stream: cudalua.Stream}  as for empty
---@return cudalua.gpuarray.Array
---@raise LogicError, MemoryError as eye
function M.identity(n, dtype, options) return M.eye(n, nil, nil, dtype, options) end

local function whole(what, name, x, default)
  if x == nil then return default end
  return layout.whole(x) or refuse(what, "%s must be an integer, got %s", name, element.describe(x))
end

-- Is element (i, j) on the diagonal k or below it? bool, rows x columns.
local function lower(rows, columns, k)
  local i = view.reshape(M.arange(rows), { rows, 1 }, "C")
  return graph.binary(ops.ge, graph.binary(ops.add, i, k), M.arange(columns))
end

---Returns an array with ones on and below a diagonal and zeros above it.
---@param rows integer  the number of rows
---@param columns? integer  the number of columns; default: rows
---@param k? integer        the diagonal, as for eye
---@param dtype? any        as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for extents that are not non-negative integers; MemoryError
function M.tri(rows, columns, k, dtype, options)
  local what = "gpuarray.tri"
  local shape
  shape, k, dtype, options = ranges.eye(what, rows, columns, k, dtype, options)
  errors.options(what, options, calls.PLACED)
  check_plain(what, dtype)
  layout.size(what, shape, dtype.itemsize)
  return graph.convert(lower(shape[1], shape[2], k), dtype)
end

-- tril and triu: the elements where the mask is, zeros elsewhere.
local function triangle(what, a, k, upper, options)
  errors.options(what, options, calls.PLACED)
  if what:find(":", 1, true) then object.check_array(what, a) end -- a method is one of an array
  a = make.device_array(what, a)
  k = whole(what, "k", k, 0)
  if a._ndim == 0 then refuse(what, "a 0-d array has no triangles") end
  check_plain(what, a._dtype)
  local n = a._ndim
  local mask = lower(a._shape[math.max(n - 1, 1)], a._shape[n], upper and k - 1 or k)
  local zero = 0
  if a._dtype.kind == "bool" then zero = false end
  if upper then return graph.ternary(ops.where, mask, zero, a) end
  return graph.ternary(ops.where, mask, a, zero)
end

---Returns the elements on and below a diagonal of the last two axes, with zeros above it.
---@param a any  an array
---@param k? integer  the diagonal, as for eye
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array
define("tril", function(what, a, k, options) return triangle(what, a, k, false, options) end)

---Returns the elements on and above a diagonal of the last two axes, with zeros below it.
---@param a any  an array
---@param k? integer  the diagonal, as for eye
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError for a 0-d array
define("triu", function(what, a, k, options) return triangle(what, a, k, true, options) end)

---For a 1-D array, returns a square array with its elements on a diagonal and zeros elsewhere. For a 2-D array, returns
---its diagonal as a view.
---@param a any  a 1-D or 2-D array
---@param k? integer  the diagonal, as for eye
---@param options? {stream: cudalua.Stream, allocator: function}  allocator: return a copy of a diagonal, too
---@return cudalua.gpuarray.Array
---@raise LogicError for an array that does not have one or two axes
function M.diag(a, k, options)
  local what = "gpuarray.diag"
  errors.options(what, options, calls.PLACED)
  a = make.device_array(what, a)
  k = whole(what, "k", k, 0)
  if a._ndim == 2 then return a:diagonal(k) end
  if a._ndim ~= 1 then refuse(what, "expected an array of one or two axes, got %s", graph.describe(a)) end
  local n = a._size + math.abs(k)
  local x = make.fill(what, make.fresh(what, { n, n }, a._dtype, "C"), 0)
  local leaf, size = diagonal(x, k)
  make.place(a, leaf, size)
  return x
end

local grid_options = { indexing = true, sparse = true, copy = true, stream = true, allocator = true }

---Returns one array for each argument, with its elements repeated over the grid that all of them span, as NumPy's
---meshgrid does.
---@param ... any  1-D arrays (0-d arrays count as 1-D); a last argument {indexing = "xy"|"ij", sparse = boolean, copy =
---  boolean, stream = cudalua.Stream, allocator = function}: xy (default): the first array varies along the second
---  axis; sparse: give the axes of the other arrays an extent of 1; copy = false: return views with repeated elements,
---  which cannot be written to; allocator: return copies
---@return cudalua.gpuarray.Array ...  one for each array
---@raise LogicError for arrays with more axes
function M.meshgrid(...)
  local what = "gpuarray.meshgrid"
  local given, n = { ... }, select("#", ...)
  local o = {}
  if type(given[n]) == "table" and not object.is_array(given[n]) and
    type(getmetatable(given[n])) ~= "string" and rawget(given[n], 1) == nil and core.next(given[n]) ~= nil then
    o, n = errors.options(what, given[n], grid_options), n - 1
  end
  if o.indexing ~= nil and o.indexing ~= "xy" and o.indexing ~= "ij" then
    refuse(what, "indexing must be 'xy' or 'ij', got " .. errors.text(o.indexing))
  end
  local swap = o.indexing ~= "ij" and n > 1
  local axes, shape, out = {}, {}, {}
  if n > layout.MAX_AXES then refuse(what, "an array has at most %d axes", layout.MAX_AXES) end
  for i = 1, n do
    local x = make.device_array(what, given[i])
    if x._ndim > 1 then refuse(what, "array %d has %d axes, not one", i, x._ndim) end
    axes[i] = swap and i <= 2 and 3 - i or i
    shape[axes[i]] = x._size
    out[i] = x
  end
  layout.size(what, shape, 16)
  for i = 1, n do
    local own = {}
    for k = 1, n do own[k] = k == axes[i] and shape[k] or 1 end
    local x = view.reshape(out[i], own, "C")
    if not o.sparse then
      x = view.of(x, 0, { unpack(shape) }, layout.broadcast_strides(own, view.strides(x), shape))
    end
    out[i] = o.copy ~= false and view.copy(x, "C") or x
  end
  return unpack(out, 1, n)
end

M.meshgrid = calls.variadic("gpuarray.meshgrid", M.meshgrid)

return require "cudalua.gpuarray.core.named_errors"(M, "identity")
