-- cov and corrcoef: how variables vary together. Both are a product of matrices, with means removed.

local arguments = require "cudalua.gpuarray.index.arguments"
local call = require "cudalua.gpuarray.reduce.call"
local compute = require "cudalua.gpuarray.product.compute"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local float_types = require "cudalua.gpuarray.derived.float_types"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local join = require "cudalua.gpuarray.make.join"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local storage = require "cudalua.gpuarray.core.storage"
local temporary = require "cudalua.gpuarray.derived.temporary"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse
local f = functions.functions
local OBSERVATIONS = { [2] = true } -- the axis

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)

-- ---- arguments ------------------------------------------------------------------------------------------------------

-- Variables in rows. As NumPy: a vector is one variable in any case, and a y of one row, too.
local function rows_of(x, turned)
  if x._ndim < 2 then return view.reshape(x, { 1, x._size }, "C") end
  return turned and view.transpose("gpuarray.cov", x) or x
end

local function check_axes(what, name, x)
  if x._ndim > 2 then
    refuse(what, "%s has the shape %s; expected at most two axes, variables and observations", name,
      layout.text(x._shape))
  end
end

---What is to be computed.
---@class cudalua.gpuarray.Covariance
---@field what string
---@field m cudalua.gpuarray.Array
---@field y? cudalua.gpuarray.Array
---@field rowvar boolean
---@field computed cudalua.dtype.DType
---@field result cudalua.dtype.DType
---@field ddof integer
---@field fweights? cudalua.gpuarray.Array
---@field aweights? cudalua.gpuarray.Array

local function read(what, m, o)
  object.check_array(what, m)
  local y = o.y ~= nil and arguments.values_of(what, "y", o.y, m._dtype) or nil
  check_axes(what, "m", m)
  if y then check_axes(what, "y", y) end
  local asked = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
  local computed, result = float_types.of(what, { m, y }, asked)
  local rowvar = o.rowvar == nil or layout.flag(what, o, "rowvar")
  return { what = what, m = m, y = y, rowvar = rowvar, computed = computed, result = result, ddof = 1 }
end

-- Variables and observations: the shape of all rows.
local function extents(s)
  local function of(x, turned)
    if x._ndim < 2 then return 1, x._size end
    return x._shape[turned and 2 or 1], x._shape[turned and 1 or 2]
  end
  local rows, columns = of(s.m, not s.rowvar)
  if rows == 0 or not s.y then return rows, columns end
  s.turned_y = not s.rowvar and not (s.y._ndim == 2 and s.y._shape[1] == 1)
  local more, others = of(s.y, s.turned_y)
  if others ~= columns then
    refuse(s.what, "shapes %s and %s do not fit: m has %.0f observation%s of each variable, y has %.0f",
      layout.text(s.m._shape), layout.text(s.y._shape), columns, columns == 1 and "" or "s", others)
  end
  return rows + more, columns
end

-- Weights on the host: none is negative, and those that are counts are whole.
local function check_values(what, name, x, whole)
  local host = ndarray.is_array(x) and x or ndarray.array(x)
  for i = 1, host.size do
    local v = element.scalar(host[i])
    if v < 0 or v ~= v or whole and v % 1 ~= 0 then
      refuse(what, "%s must have %s that are not negative, got %s at [%d]", name, whole and "integers" or "numbers",
        element.describe(v), i)
    end
  end
end

-- A weight for each observation.
local function weights_of(what, name, x, observations, whole)
  local w = arguments.any_array(what, name, x)
  local kind = w._dtype.kind
  if kind == "complex" or kind == "struct" or whole and kind == "float" and object.is_array(x) then
    refuse(what, "%s must be %s, got an array of %s", name, whole and "integers" or "real", w._dtype.name)
  end
  if not object.is_array(x) and kind ~= "bool" and w._ndim == 1 then check_values(what, name, x, whole) end
  if w._ndim ~= 1 or w._size ~= observations then
    refuse(what, "%s has the shape %s; expected one for each of the %.0f observations", name, layout.text(w._shape),
      observations)
  end
  return w
end

-- ---- the product ----------------------------------------------------------------------------------------------------

---The weights of the observations, in the type of real numbers that is computed in.
---@class cudalua.gpuarray.Weighting
---@field all cudalua.gpuarray.Array        of both kinds
---@field analytic? cudalua.gpuarray.Array  aweights
---@field total cudalua.gpuarray.Array      the sum of all, 0-d

local function weighting(t, s)
  local real = float_types.real(s.computed)
  local f_weights = s.fweights and t:as_type(s.fweights, real)
  local a_weights = s.aweights and t:as_type(s.aweights, real)
  local all = f_weights and a_weights and t:binary(ops.mul, f_weights, a_weights) or f_weights or a_weights
  if not all then return nil end
  return { all = all, analytic = a_weights, total = call.reduce(s.what, reductions.sum, all, { true }, false) }
end

-- The sums of products, divided by the degrees of freedom; of fewer than none nothing is left.
local function divided(t, s, sum, w)
  if not w then
    local left = s.observations - s.ddof
    return t:binary(ops.mul, sum, left > 0 and 1 / left or math.huge)
  end
  local left, lost = w.total, s.ddof
  if s.ddof ~= 0 then
    if w.analytic then
      local squares = call.reduce(s.what, reductions.sum, t:binary(ops.mul, w.all, w.analytic), { true }, false)
      lost = t:binary(ops.mul, t:binary(ops.div, squares, w.total), s.ddof)
    end
    left = t:binary(ops.sub, left, lost)
  end
  return t:binary(ops.mul, sum, t:binary(ops.div, 1, t:binary(ops.maximum, left, 0)))
end

-- All variables in rows, as the type that is computed in, without their means; and the same times the weights.
local function centred(t, s, w)
  local x = rows_of(s.m, not s.rowvar)
  if s.y then x = join.concatenate({ x, rows_of(s.y, s.turned_y) }, 1, { dtype = s.computed }) end
  x = t:as_type(x, s.computed)
  local means
  if w then
    local sum = call.reduce(s.what, reductions.sum, t:binary(ops.mul, x, w.all), OBSERVATIONS, true)
    means = t:binary(ops.div, sum, w.total)
  else
    means = call.reduce(s.what, reductions.mean, x, OBSERVATIONS, true)
  end
  local rows = t:binary(ops.sub, x, means)
  rows:eval()
  return rows, w and t:binary(ops.mul, rows, w.all) or rows
end

-- The covariances, in the type that is computed in, as an array of two axes.
local function covariances(t, s)
  local w = weighting(t, s)
  local rows, others = centred(t, s, w)
  if s.computed.kind == "complex" then others = t:unary(ops.conj, others) end
  return divided(t, s, compute.of(s.what, rows, view.transpose(s.what, others)), w)
end

-- What `finish` makes of the covariances, converted.
local function computed(s, finish)
  local rows, columns = extents(s)
  s.observations = columns
  for _, name in ipairs { "fweights", "aweights" } do
    if s[name] ~= nil then s[name] = weights_of(s.what, name, s[name], columns, name == "fweights") end
  end
  if rows == 0 then return storage.empty(s.result, { 0, 0 }, 0) end
  local list = { s.m, s.y }
  for _, name in ipairs { "fweights", "aweights" } do list[#list + 1] = s[name] end
  return errors.within(s.what, compute.of_one_moment, list, function()
    local t = temporary()
    local x = graph.as_type(finish(t, covariances(t, s)), s.result)
    x:eval()
    t:forget()
    if x._size == 1 then x = view.reshape(x, {}, "C") end
    return x
  end)
end

local function unchanged(_, c) return c end

-- ---- functions ------------------------------------------------------------------------------------------------------

local cov_options = { y = true, rowvar = true, bias = true, ddof = true, fweights = true, aweights = true, dtype = true,
  out = true, stream = true, allocator = true }

---The covariance matrix of variables, as NumPy's cov: element (i, j) is the covariance of variables i and j. Each row
---is a variable and holds its observations. Without degrees of freedom, for example with a single observation, the
---result is NaN. 16-bit floats are computed as float32. Unlike in NumPy, the result of float32 is float32; dtype
---changes that.
---@param m cudalua.gpuarray.Array  a 1-D array (a single variable) or a 2-D array
---@param options? {y: any, rowvar: boolean, bias: boolean, ddof: integer, fweights: any, aweights: any, dtype: any,
---  out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator: function}  y: an array with more variables. rowvar:
---  each row is a variable (default true); false: each column is one. bias: divide by the number n of observations
---  instead of n - 1; ddof: divide by n - ddof. fweights: how often each observation counts, integers; aweights: the
---  weight of each observation. Weights must not be negative, which is checked for host data only. dtype: the dtype of
---  the result
---@return cudalua.gpuarray.Array  one row and one column for each variable; 0-d for a single variable
---@raise LogicError for arrays with more axes, if y or the weights do not fit, if the dtype is not supported, or if out
---  has another shape
define("cov", function(what, m, options)
  local o = errors.options(what, options, cov_options)
  local s = read(what, m, o)
  s.ddof = layout.flag(what, o, "bias") and 0 or 1
  if o.ddof ~= nil then
    s.ddof = layout.whole(o.ddof)
    if not s.ddof then refuse(what, "ddof must be an integer, got %s", element.describe(o.ddof)) end
  end
  s.fweights, s.aweights = o.fweights, o.aweights
  return arguments.delivered(what, computed(s, unchanged), o.out)
end)

-- Each covariance divided by both deviations. Rounding must not lead beyond 1.
local function normalized(t, c)
  local function limited(x) return t:ternary(ops.clip, x, -1, 1) end
  c:eval()
  local deviations = f.sqrt(f.real(c:diagonal())):eval()
  local n = deviations._size
  local x = t:binary(ops.div, c, view.reshape(deviations, { n, 1 }, "C"))
  x = t:binary(ops.div, x, deviations)
  if x._dtype.kind ~= "complex" then return limited(x) end
  return t:binary(ops.complex, limited(t:unary(ops.real, x)), limited(t:unary(ops.imag, x)))
end

local corrcoef_options = { y = true, rowvar = true, dtype = true, out = true, stream = true, allocator = true }

---The correlation coefficients of variables, as NumPy's corrcoef: the covariances divided by the standard deviations of
---both variables. NaN for a constant variable.
---@param m cudalua.gpuarray.Array  as for cov
---@param options? {y: any, rowvar: boolean, dtype: any, out: cudalua.gpuarray.Array, stream: cudalua.Stream, allocator:
---  function}  y: as for cov. rowvar: as for cov. dtype: as for cov
---@return cudalua.gpuarray.Array  as for cov; real and imaginary parts are from -1 to 1
---@raise LogicError as gpuarray.cov
define("corrcoef", function(what, m, options)
  local o = errors.options(what, options, corrcoef_options)
  return arguments.delivered(what, computed(read(what, m, o), normalized), o.out)
end)

return require("cudalua.gpuarray.core.calls").install(M)
