-- What the solvers share: checks of types and shapes, matrices as parts of memory, and launches on private memory.

local core = require "cudalua.core"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local ffi = require "ffi"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local kernels = require "cudalua.gpuarray.index.kernels"
local layout = require "cudalua.base.layout"
local move = require "cudalua.gpuarray.index.move"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.gpuarray.product.operands"
local own = require "cudalua.gpuarray.product.own"
local prelude = require "cudalua.base.prelude"
local resolve = require "cudalua.gpuarray.index.resolve"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse
local ceil, min = math.ceil, math.min

local M = {}

M.BLOCK = 32 -- columns of a panel
local GRID = 2 ^ 31 - 1 -- blocks

-- ---- types and shapes -----------------------------------------------------------------------------------------------

---The type in which some arrays are computed with.
---@param what string
---@param ... cudalua.gpuarray.Array
---@return cudalua.dtype.DType
function M.field(what, ...)
  local common
  for _, a in ipairs { ... } do
    local dt = a._dtype
    if dt.kind == "struct" then refuse(what, "%s is a struct, not a number", dt.name) end
    if dt.kind == "float" and dt.itemsize == 2 then
      refuse(what, "%s is not precise enough; convert the array with astype('float32')", dt.name)
    end
    if dt.kind ~= "float" and dt.kind ~= "complex" then dt = dtypes.default_float() end
    common = common and dtypes.promote(common, dt) or dt
  end
  return common
end

---The real type that belongs to a type of this kind.
---@param dt cudalua.dtype.DType
---@return cudalua.dtype.DType
function M.real(dt)
  if dt.kind ~= "complex" then return dt end
  return dt.itemsize == 8 and dtypes.float32 or dtypes.float64
end

---Matrices of so many rows and columns fit into shared memory.
---@param dt cudalua.dtype.DType
---@return integer
function M.side(dt) return dt.itemsize == 4 and 64 or dt.itemsize == 8 and 48 or 32 end

---Refuses what has no matrices on its last two axes.
---@param what string
---@param a any
---@param name? string
function M.check(what, a, name)
  object.check_array(what, a, name)
  if a._ndim < 2 then
    refuse(what, "%s has the shape %s; expected a matrix, or a batch of them", name or "the array",
      layout.text(a._shape))
  end
end

---Refuses what has no square matrices.
---@param what string
---@param a any
---@param name? string
function M.check_square(what, a, name)
  object.check_array(what, a, name)
  if a._ndim < 2 or a._shape[a._ndim] ~= a._shape[a._ndim - 1] then
    refuse(what, "%s has the shape %s; expected square matrices", name or "the array", layout.text(a._shape))
  end
end

---The axes before the last two (or `own` axes).
---@param a cudalua.gpuarray.Array
---@param own_axes? integer
---@return integer[]
function M.lead(a, own_axes)
  local out = {}
  for axis = 1, a._ndim - (own_axes or 2) do out[axis] = a._shape[axis] end
  return out
end

---A shape with more extents behind it.
---@param lead integer[]
---@param ... integer
---@return integer[]
function M.shape(lead, ...)
  local out = { unpack(lead) }
  for i = 1, select("#", ...) do out[#out + 1] = (select(i, ...)) end
  return out
end

---Calls f(...) with the context of an array as the current one.
---@param a cudalua.gpuarray.Array
---@param f function
---@return any ...
function M.inside(a, f, ...) return move.inside(evaluate.evaluate(a), f, ...) end

local function finished(what, out, f, ...)
  local x = f(what, ...)
  if out ~= nil then return functions.deliver(what, x, out) end
  return (x._sig or not x.flags.c_contiguous) and M.copy(what, x, x._dtype) or x
end

---The result of f(what, ...) in C order, called with the context of an array as the current one. With `out` it is
---written there: at once, without an array between, if f gives an expression that is not computed yet.
---@param what string
---@param a cudalua.gpuarray.Array
---@param out? any
---@param f function
---@return cudalua.gpuarray.Array
function M.result(what, a, out, f, ...) return M.inside(a, finished, what, out, f, ...) end

---Refuses arrays of two contexts.
---@param what string
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
function M.check_contexts(what, a, b) operands.check_contexts(what, evaluate.evaluate(a), evaluate.evaluate(b)) end

---A copy of an array in C order, which only the caller knows.
---@param what string
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@return cudalua.gpuarray.Array
function M.copy(what, a, dt) return view.copy(graph.as_type(a, dt, what), "C") end

---The values that an array has now, for what reads them several times: an expression, which a finalizer that writes to
---the array does not change.
---@param what string
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@return cudalua.gpuarray.Array
function M.seen(what, a, dt) return graph.convert(a, dt, what) end

local function both(since, what, a, b, dt)
  local x, y = M.seen(what, a, dt), M.seen(what, b, dt)
  if since ~= storage.writes then return runs.AGAIN end
  return x, y
end

---The same of two arrays, at one moment.
---@param what string
---@param a cudalua.gpuarray.Array
---@param b cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@return cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.both_seen(what, a, b, dt) return runs.until_done(both, what, a, b, dt) end

---The transposes, conjugated if they are complex.
---@param a cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.adjoint(a)
  a = a:swapaxes(-1, -2)
  return a._dtype.kind == "complex" and a:conj() or a
end

local function gather(since, x, axis, positions)
  return move.gather(resolve.along("linalg", x, axis, positions, "positions"), "wrap", since)
end

---The elements at positions along an axis, which are known to be there: neither waits nor is refused in a capture, as
---take_along_axis().
---@param x cudalua.gpuarray.Array
---@param positions cudalua.gpuarray.Array
---@param axis integer  from 1
---@return cudalua.gpuarray.Array
function M.along(x, positions, axis) return (runs.until_done(gather, x, axis, positions)) end

---New memory for an array.
---@param dt cudalua.dtype.DType
---@param shape integer[]
---@return cudalua.gpuarray.Array
function M.empty(dt, shape) return storage.empty(dt, shape, graph.size_of(shape)) end

-- ---- matrices as parts of memory ------------------------------------------------------------------------------------

---A batch of matrices in memory; steps are elements.
---@class cudalua.linalg.Matrix
---@field leaf table
---@field at integer       the first element's place
---@field m integer
---@field n integer
---@field row integer
---@field column integer
---@field batches integer
---@field batch integer    from a matrix to the next

---The matrices on the last two axes of an array in C order.
---@param x cudalua.gpuarray.Array
---@return cudalua.linalg.Matrix
function M.of(x)
  local m, n = x._shape[x._ndim - 1], x._shape[x._ndim]
  return { leaf = storage.leaf_of(x), at = 0, m = m, n = n, row = n, column = 1, batch = m * n,
    batches = graph.size_of(M.lead(x)) }
end

---A part, from a row and a column on, which count from 0.
---@param x cudalua.linalg.Matrix
---@param row integer
---@param column integer
---@param m integer
---@param n integer
---@return cudalua.linalg.Matrix
function M.part(x, row, column, m, n)
  return { leaf = x.leaf, at = x.at + row * x.row + column * x.column, m = m, n = n, row = x.row, column = x.column,
    batch = x.batch, batches = x.batches }
end

---@param x cudalua.linalg.Matrix
---@return cudalua.linalg.Matrix
function M.transposed(x)
  return { leaf = x.leaf, at = x.at, m = x.n, n = x.m, row = x.column, column = x.row, batch = x.batch,
    batches = x.batches }
end

---With the last row first; of a triangle, the last column first, too.
---@param x cudalua.linalg.Matrix
---@param columns? boolean
---@return cudalua.linalg.Matrix
function M.reversed(x, columns)
  local at = x.at + (x.m - 1) * x.row + (columns and (x.n - 1) * x.column or 0)
  return { leaf = x.leaf, at = at, m = x.m, n = x.n, row = -x.row, column = columns and -x.column or x.column,
    batch = x.batch, batches = x.batches }
end

local function leaf_of(x)
  local leaf, itemsize = x.leaf, x.leaf.dtype.itemsize
  return { buf = leaf.buf, off = leaf.off + x.at * itemsize, dtype = leaf.dtype, store = leaf.store,
    shape = { x.batches, x.m, x.n }, strides = { x.batch * itemsize, x.row * itemsize, x.column * itemsize } }
end

---Appends a matrix to a list of arguments: the pointer.
---@param list any[]
---@param x cudalua.linalg.Matrix
function M.pointer(list, x)
  list[#list + 1], list[#list + 2] = x.leaf.buf, x.leaf.off + x.at * x.leaf.dtype.itemsize
end

-- ---- steps ----------------------------------------------------------------------------------------------------------

local function types_part(dt)
  local real = M.real(dt)
  local value, made = ctype.register(dt), "x"
  if dt.kind == "complex" then made = ("make_%s(x, 0)"):format(value) end
  return ("typedef %s Value;\ntypedef %s Real;\n__device__ __forceinline__ Value made(const Real x) { return %s; }\n" ..
    "enum { SIDE = %d };\n#define EPSILON ((Real)%s)\n#define LEAST ((Real)%s)\n"):format(value, ctype.register(real),
    made, M.side(dt), real.itemsize == 4 and "1.1920929e-7" or "2.220446049250313e-16",
    real.itemsize == 4 and "1.17549435e-38" or "2.2250738585072014e-308")
end

---A kernel of kernels/linalg for a type.
---@param file string
---@param parts string[]
---@param name string
---@param dt cudalua.dtype.DType
---@return table
function M.kernel(file, parts, name, dt)
  return kernels.get(name .. " " .. dt.name, function()
    local texts = { types_part(dt) }
    for i, part in ipairs(parts) do texts[i + 1] = template.fill("linalg/" .. file, part, {}) end
    local source = table.concat(texts)
    return name, source, prelude.needed(source, { field = true })
  end, true)
end

---A list of launches on private memory. `leaves` are what they use.
---@return table
function M.steps() return { leaves = {} } end

---@param steps table
---@param x cudalua.gpuarray.Array
function M.use(steps, x) steps.leaves[#steps.leaves + 1] = storage.leaf_of(x) end

---Adds a launch.
---@param steps table
---@param kernel table
---@param blocks integer
---@param threads integer
---@param list any[]
function M.step(steps, kernel, blocks, threads, list)
  steps[#steps + 1] = { kernel = kernel, blocks = min(blocks, GRID), threads = threads, arguments = list }
end

---Adds out = alpha a b + beta out.
---@param steps table
---@param out cudalua.linalg.Matrix
---@param a cudalua.linalg.Matrix
---@param b cudalua.linalg.Matrix
---@param alpha number
---@param beta number
function M.multiply(steps, out, a, b, alpha, beta)
  if out.m == 0 or out.n == 0 or out.batches == 0 then return end
  local dt, to = out.leaf.dtype, leaf_of(out)
  local record = { what = "linalg", m = out.m, n = out.n, k = a.n, batch = { out.batches }, batches = out.batches,
    dtype = dt, accumulator = dt, result = dt, shape = { out.batches, out.m, out.n }, row = 2, column = 3,
    a = { leaf = leaf_of(a), row = a.row, column = a.column, batch = { a.batch } },
    b = { leaf = leaf_of(b), row = b.row, column = b.column, batch = { b.batch } } }
  own.step(steps, record, to, alpha, beta, beta ~= 0 and to or nil)
end

local function attempt(since, s, leaves)
  return runs.kernel { kernel = s.kernel, blocks = s.blocks, threads = s.threads, arguments = { unpack(s.arguments) },
    since = since, leaves = leaves, writes = leaves } and s or runs.AGAIN
end

---Makes the launches. Each is made as soon as no finalizer comes between: they use memory that no finalizer knows.
---@param steps table
function M.launch(steps)
  for _, s in ipairs(steps) do runs.until_done(attempt, s, steps.leaves) end
  local scratch = steps.scratch or {}
  if scratch[1] and not core.array_ready(scratch[1]) then
    for _, buf in ipairs(scratch) do buf:free() end
  end
end

---Threads of a block for a small matrix of so many elements.
---@param size integer
---@return integer
function M.threads(size) return size <= 64 and 32 or size <= 512 and 64 or 256 end

-- ---- what goes wrong ------------------------------------------------------------------------------------------------

-- The matrices were scaled before, so this is the only remaining cause.
local SCALE = "look for numbers of very different sizes in the matrix"

local SHOWN = 3 -- so many further matrices are in the message

-- The position of matrix number i, from 0, in a batch of this shape; nil if there is one matrix.
local function position(lead, i)
  if #lead == 0 then return nil end
  local at = {}
  for axis = #lead, 1, -1 do
    at[axis] = i % lead[axis] + 1
    i = math.floor(i / lead[axis])
  end
  return at
end

local function name_of(at) return at and ("matrix {%s}"):format(table.concat(at, ", ")) or "the matrix" end

-- The others of a list of failures, for a message: "; so are {3}, {5} and 7 more".
local function others(list)
  if #list < 2 then return "" end
  local names = {}
  for k = 2, math.min(#list, 1 + SHOWN) do names[k - 1] = ("{%s}"):format(table.concat(list[k].matrix, ", ")) end
  local more = #list - 1 - #names
  return ("; so are %s%s"):format(table.concat(names, ", "), more > 0 and (" and %d more"):format(more) or "")
end

-- The matrices that were reported, from the numbers on the host.
local function failures(host, lead, size, failure)
  local p, list = ffi.cast("const int32_t *", host:data()), {}
  for i = 0, size - 1 do
    if p[i] > 0 or failure.no_pivot and p[i] ~= 0 then
      list[#list + 1] = { matrix = position(lead, i), pivot = p[i] }
    end
  end
  return list
end

---What a report says about matrices.
---@class cudalua.linalg.Failure
---@field is string      "is singular", "is not positive definite"
---@field why string     with one %d: the reported number
---@field hint? string
---@field no_pivot? boolean  the number is not a pivot's, and a negative one counts, too

---What a report says about matrices for which an iteration does not end.
---@param why string  as in a Failure
---@return cudalua.linalg.Failure
function M.divergence(why) return { is = "does not converge", why = why, hint = SCALE, no_pivot = true } end

---Raises if a kernel reported matrices. The error has all of them.
---@param what string
---@param info cudalua.gpuarray.Array  int32, one for each matrix; below 0: its results are NaN, which is not an error
---@param lead integer[]               the batch's shape
---@param failure cudalua.linalg.Failure
function M.report(what, info, lead, failure)
  if info._size == 0 then return end
  if core.array_ready(storage.leaf_of(info).buf) then
    errors.raise("LogicError", ("%s: inside a capture, whether a matrix %s cannot be read; use {check = false}"):format(
      what, failure.is))
  end
  local list = failures(info:get { array = true }, lead, info._size, failure)
  local first = list[1]
  if not first then return end
  local message = ("%s: %s %s: %s%s"):format(what, name_of(first.matrix), failure.is, failure.why:format(first.pivot),
    others(list))
  if failure.no_pivot then
    for _, x in ipairs(list) do x.pivot = nil end
  end
  errors.raise("LinAlgError", message, { matrix = first.matrix, pivot = first.pivot, matrices = list,
    hint = failure.hint })
end

---Adds a launch that fills the reported matrices of out with NaN.
---@param steps table
---@param out cudalua.gpuarray.Array
---@param size integer  elements of a matrix
---@param info cudalua.gpuarray.Array
function M.spoil(steps, out, size, info)
  if out._size == 0 then return end
  local leaf, reported = storage.leaf_of(out), storage.leaf_of(info)
  M.step(steps, M.kernel("triangular", { "spoil" }, "linalg_spoil", leaf.dtype), ceil(out._size / 256), 256,
    { out._size, size, reported.buf, reported.off, info._size == 1 and 0 or 1, leaf.buf, leaf.off })
end

return M
