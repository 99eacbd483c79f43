-- select and choose: for each element one of several arrays; searchsorted: between which elements of an array.

local arguments = require "cudalua.gpuarray.index.arguments"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local kernels = require "cudalua.gpuarray.index.kernels"
local layout = require "cudalua.base.layout"
local move = require "cudalua.gpuarray.index.move"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"
local transfer = require "cudalua.gpuarray.core.transfer"
local view = require "cudalua.gpuarray.core.view"

local refuse, is_array, AGAIN = layout.refuse, object.is_array, run.AGAIN
local check_array = arguments.check_array
local positions_of, mode_of = arguments.positions_of, arguments.mode_of
local delivered, list_of = arguments.delivered, arguments.list_of
local PLACED = require("cudalua.gpuarray.core.calls").PLACED

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

-- The dtype of arrays and numbers together; what the numbers are follows from the arrays, where there are any.
local function common_dtype(what, list, n, name)
  local dt
  for k = 1, n do
    local x = list[k]
    if is_array(x) then
      dt = dt and dtypes.promote(dt, x._dtype) or x._dtype
    elseif not graph.is_value(x) then
      refuse(what, ("%s must be a gpuarray or a number, got %s"):format(name(k), element.describe(x)))
    end
  end
  for k = 1, n do
    local x = list[k]
    if not is_array(x) then
      dt = dt and dtypes.promote_value(dt, x) or type(x) == "boolean" and dtypes.bool
        or dtypes.promote_value(dtypes.bool, x)
    end
  end
  return dt
end

-- Do the arrays among these broadcast to one shape?
local function check_shapes(what, ...)
  local both
  for i = 1, select("#", ...) do
    for _, x in ipairs((select(i, ...))) do
      if is_array(x) then
        both = { _shape = both and graph.broadcast({ name = what }, both, x) or x._shape, _dtype = x._dtype }
      end
    end
  end
end

-- A 0-d array of a value.
local function scalar_array(value, dt) return transfer.to_gpu(ndarray.array(value, dt)) end

---For each element, returns the choice of the first condition that is true, as NumPy's select. The result is one
---expression.
---@param conditions cudalua.gpuarray.Array[]  a list of arrays of bool
---@param choices any[]  a list of as many arrays or numbers; all of them broadcast
---@param default? any  an array or a number, for elements where no condition is true; default: 0
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError if the lists are empty or have different lengths, and if dtypes or shapes do not fit
function M.select(conditions, choices, default, options)
  local what = "gpuarray.select"
  errors.options(what, options, PLACED)
  local _, n = list_of(what, "conditions", conditions)
  local _, m = list_of(what, "choices", choices)
  if n ~= m then refuse(what, ("got %d conditions but %d choices"):format(n, m)) end
  if n == 0 then refuse(what, "got no conditions") end
  for k = 1, n do
    local c = check_array(what, ("conditions[%d]"):format(k), conditions[k])
    if c._dtype ~= dtypes.bool then
      refuse(what, ("conditions[%d] is an array of %s, not bool"):format(k, c._dtype.name))
    end
  end
  local all = { unpack(choices, 1, n) }
  all[n + 1] = default == nil and 0 or default
  local dt = common_dtype(what, all, n + 1, function(k) return k > n and "default" or ("choices[%d]"):format(k) end)
  check_shapes(what, conditions, all)
  local result = all[n + 1]
  for k = n, 1, -1 do
    local x = all[k]
    if not is_array(x) and not is_array(result) then result = scalar_array(result, dt) end
    result = functions.apply(ops.where, nil, conditions[k], x, result)
  end
  return graph.as_type(result, dt)
end

-- An attempt to write the expression down. It is of one moment if nothing was written to arrays meanwhile.
local function chosen(since, what, list, choices, n, dt, mode)
  if mode == "raise" then
    local leaf = evaluate.evaluate(list)
    move.inside(leaf, move.check, { what = what, groups = { { leaf = leaf, extent = n, name = "numbers",
      where = "the list of choices" } } }, mode)
  end
  local f = functions.functions
  -- As numbers from 1.
  if list._dtype == dtypes.uint64 then list = f.minimum(list, 2 ^ 53) end
  list = graph.convert(list, dtypes.int64)
  if mode == "clip" then
    list = f.minimum(f.maximum(list, 1), n)
  else
    list = f.where(f.lt(list, 0), list + (n + 1), list)
    if mode == "wrap" then list = (list - 1) % n + 1 end
  end
  local result
  for k = n, 1, -1 do
    local x = choices[k]
    x = is_array(x) and graph.as_type(x, dt) or scalar_array(x, dt)
    result = result and f.where(f.eq(list, k), x, result) or x
  end
  if n == 1 then result = f.where(f.eq(list, 1), result, result) end
  return since == storage.writes and result or AGAIN
end

local choose_options = { mode = true, out = true, stream = true, allocator = true }

---For each element, returns the element of the array with that number, as NumPy's choose. All arrays broadcast.
---@param numbers cudalua.gpuarray.Array  the numbers of the choices: integers from 1; negative ones count from the last
---@param choices any[]  the choices: arrays or numbers
---@param options? {mode: "raise"|"wrap"|"clip", out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  mode: as for take
---@return cudalua.gpuarray.Array
---@raise LogicError if a number does not have a choice
define("choose", function(numbers, choices, options)
  local what = "gpuarray.choose"
  check_array(what, "numbers", numbers)
  local o = errors.options(what, options, choose_options)
  local mode = mode_of(what, o.mode)
  local list = positions_of(what, numbers)
  local _, n = list_of(what, "choices", choices)
  if n == 0 then refuse(what, "got no choices") end
  local dt = common_dtype(what, choices, n, function(k) return ("choices[%d]"):format(k) end)
  check_shapes(what, { list }, choices)
  return delivered(what, run.until_done(chosen, what, list, choices, n, dt, mode), o.out)
end)

local search_options = { side = true, stream = true, allocator = true }

local function search(since, leaf, values, right)
  local dt = leaf.dtype
  local k = kernels.get("search " .. dt.name, function()
    local set = {}
    for _, piece in ipairs(ctype.pieces(dt)) do set[piece] = true end
    return "search", template.fill("index", "search", { memory = ctype.memory(dt), type = ctype.register(dt),
      load_value = ctype.load(dt, "raw"), load_sorted = ctype.load(dt, "at_middle") }), set
  end)
  local own = evaluate.evaluate(values)
  if not own.dense then own = view.copy(values, "C")._leaf end
  local n = values._size
  local x = storage.empty(dtypes.int64, values._shape, n)
  if n == 0 then return x end
  local out = x._leaf
  return run.kernel { kernel = k, blocks = math.ceil(n / run.BLOCK), since = since, leaves = { leaf, own },
    writes = { out }, arguments = { n, out.buf, 0, leaf.buf or out.buf, leaf.off, leaf.shape[1],
      leaf.strides[1] / dt.itemsize, own.buf, own.off, right and 1 or 0 } } and x or AGAIN
end

-- Both as one type; converted, they are those of the moment.
local function search_as(since, a, values, dt, right)
  a, values = graph.as_type(a, dt), graph.as_type(values, dt)
  local leaf = evaluate.evaluate(a)
  return move.inside(leaf, search, since, leaf, values, right)
end

-- The type in which elements are compared. It holds both, but for integers beyond 2^53 beside floats or beside those of
-- the other sign.
local function compared_in(what, x, y)
  local dt = dtypes.promote(x, y)
  if dt.kind == "complex" then refuse(what, "complex numbers have no order") end
  if dt.kind ~= "float" or x.kind == "float" and y.kind == "float" then return dt end
  local short = math.min(x.kind == "float" and 8 or x.itemsize, y.kind == "float" and 8 or y.itemsize) <= 2
  return short and dt.itemsize <= 4 and dtypes.float32 or dtypes.float64
end

---The insertion positions of values in a sorted array, as NumPy's searchsorted: the position of the first element that
---is not less, or with side "right", that is greater. If no element is, the position is one more than the number of
---elements. NaNs are sorted to the end.
---@param a cudalua.gpuarray.Array  a 1-D array in ascending order
---@param values any  the values to insert: an array, nested lists or a number; they may be outside the range of a's
---  integer type
---@param options? {side: "left"|"right", stream: cudalua.Stream, allocator: function}  side: "left" (default): before
---  equal elements; "right": behind them
---@return cudalua.gpuarray.Array  int64, with the shape of values
---@raise LogicError if a is not a 1-D array, and for complex types
define("searchsorted", function(a, values, options)
  local what = "gpuarray.searchsorted"
  check_array(what, "a", a)
  local side = errors.options(what, options, search_options).side
  if side ~= nil and side ~= "left" and side ~= "right" then
    refuse(what, "side must be 'left' or 'right', got " .. errors.text(side))
  end
  if a._ndim ~= 1 then refuse(what, "a must have one axis, but has the shape " .. layout.text(a._shape)) end
  if a._dtype.kind == "complex" then refuse(what, "complex numbers have no order") end
  values = arguments.values_of(what, "values", values, a._dtype)
  local dt = compared_in(what, a._dtype, values._dtype)
  return (run.until_done(search_as, a, values, dt, side == "right"))
end)

return require "cudalua.gpuarray.core.named_errors"(M, "choose searchsorted select")
