-- What PyCUDA's generators have in common, the pseudo-random (states.lua) and the quasi-random ones (sobol.lua): the
-- methods that make arrays of numbers, and what stands between these and a class's own kernels.

local compute = require "cudalua.gpuarray.core.evaluate"
local core = require "cudalua.core"
local draw = require "cudalua.random.draw"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local names = require "cudalua.base.names"
local object = require "cudalua.gpuarray.core.object"

local is_array, refuse = object.is_array, layout.refuse

local M = {}

-- What a class says of itself. `g` is what is behind a generator, with its context's id in `context`.
---@class cudalua.random.FillClass
---@field name string      in messages
---@field expected string  what is expected if the generator is of another kind
---@field tag string       of its objects
---@field integers fun(g: table): string  the integers that it makes, in messages
---@field most integer     its greatest mean number of events, an exponent of 2
---@field words fun(g: table, dtype: table): string?  the kernel that makes integers of this type
---@field fill fun(g: table, what: string, kernel: string, shape: integer[], mean: any): cudalua.gpuarray.Array
---@field points? fun(g: table, shape: integer[])  if the shape is a single number

---What is behind a generator.
---@param class cudalua.random.FillClass
---@param self any
---@param what string  the function, for messages
---@return table
function M.inner(class, self, what)
  local mt = debug.getmetatable(self)
  if type(mt) ~= "table" or mt.__metatable ~= class.tag then
    refuse(what, "expected %s (rng:name(...), with a colon), got %s", class.expected, element.describe(self))
  end
  return mt._g
end

---A generator in front of `g`.
---@param class cudalua.random.FillClass
---@param methods table
---@param g table
---@param what string   its constructor
---@param count integer in its text
---@param field fun(name: string): any
---@return table
function M.object(class, methods, g, what, count, field)
  return setmetatable({}, { __metatable = class.tag, _g = g,
    __index = function(_, key)
      local value = methods[key]
      if value == nil then value = field(key) end
      if value ~= nil then return value end
      return names.unknown({ text = names.one(what:match "[%w_]+$"), tables = { methods } }, key)
    end,
    __newindex = function() errors.raise("LogicError", what .. ": it is read-only") end,
    __tostring = function() return ("%s(%d)"):format(what, count) end })
end

---Refuses what happens outside the generator's context.
---@param g table
---@param what string
function M.check_context(g, what)
  if core.context_id() ~= g.context then refuse(what, "the generator belongs to another context") end
end

---A mean as kernels take it: a number, or a copy of an array of means.
---@param mean any
---@return any
function M.mean_of(mean) return is_array(mean) and graph.convert(mean, dtypes.float64):copy "C" or mean end

---Puts it behind the arguments of a kernel.
---@param list any[]
---@param mean any   of mean_of()
---@return table[] leaves  that the kernel reads for it
function M.add_mean(list, mean)
  if is_array(mean) then
    local means = compute.evaluate(mean)
    list[#list + 1], list[#list + 2] = means.buf, means.off
    return { means }
  elseif mean then
    list[#list + 1] = mean
  end
  return {}
end

-- ---- numbers of a distribution --------------------------------------------------------------------------------------

local function is_integer(dtype) return dtype.kind == "int" or dtype.kind == "uint" end

-- The type in which floats are made.
local function float_of(what, dtype)
  if dtype.kind ~= "float" then refuse(what, "%s is not a floating-point type", dtype.name) end
  return dtype.itemsize == 8 and "float64" or "float32"
end

local function number_of(what, name, x, default)
  if x == nil then return default end
  local v = element.scalar(x)
  if type(v) ~= "number" or v ~= v or v == math.huge or v == -math.huge then
    refuse(what, "%s must be a number, got %s", name, element.describe(x))
  end
  return v
end

---What is drawn, whatever the distribution.
---@class cudalua.random.Draw
---@field class cudalua.random.FillClass
---@field g table        what is behind the generator
---@field what string    the function, for messages
---@field shape integer[]
---@field dtype cudalua.dtype.DType

---By distribution: an array of its numbers.
---@type table<string, fun(wanted: cudalua.random.Draw, ...): cudalua.gpuarray.Array>
local numbers = {}

local function fill(wanted, kernel, mean)
  return wanted.class.fill(wanted.g, wanted.what, kernel, wanted.shape, mean)
end

function numbers.uniform(wanted)
  local class, g, dtype = wanted.class, wanted.g, wanted.dtype
  if dtype == dtypes.float32 or dtype == dtypes.float64 then
    return fill(wanted, "uniform_" .. dtype.name)
  end
  local kernel = is_integer(dtype) and class.words(g, dtype)
  if kernel then return graph.as_type(fill(wanted, kernel), dtype) end
  refuse(wanted.what, "uniform numbers must be float32, float64, or %s, not %s", class.integers(g), dtype.name)
end

function numbers.normal(wanted)
  return graph.as_type(fill(wanted, "normal_" .. float_of(wanted.what, wanted.dtype)), wanted.dtype)
end

function numbers.log_normal(wanted, mean, sigma)
  local what = wanted.what
  mean, sigma = number_of(what, "mean", mean, 0), number_of(what, "sigma", sigma, 1)
  if sigma < 0 then refuse(what, "sigma must be at least 0, got %g", sigma) end
  local t = float_of(what, wanted.dtype)
  return graph.as_type(graph.unary(draw.exp[t], fill(wanted, "normal_" .. t) * sigma + mean), wanted.dtype)
end

function numbers.poisson(wanted, mean)
  local what, shape, dtype, most = wanted.what, wanted.shape, wanted.dtype, wanted.class.most
  if not is_integer(dtype) then refuse(what, "%s is not an integer type", dtype.name) end
  if is_array(mean) then
    if not layout.same(mean._shape, shape) then
      refuse(what, "the means have the shape %s, not %s", layout.text(mean._shape), layout.text(shape))
    end
    return graph.as_type(fill(wanted, "poisson_of", mean), dtype)
  end
  local number = number_of(what, "mean", mean)
  if number == nil or number < 0 or number > 2 ^ most then
    refuse(what, "mean must be a number from 0 to 2^%d, got %s", most, element.describe(mean))
  end
  return graph.as_type(fill(wanted, "poisson", number), dtype)
end

-- ---- methods --------------------------------------------------------------------------------------------------------

local function any_type(dtype) return dtype == nil and dtypes.default_float() or dtypes.of(dtype) end

local function shape_of(class, g, what, shape, dtype)
  if shape == nil then refuse(what, "the shape is missing") end
  local alone = type(shape) ~= "table"
  shape = layout.numbers(what, "shape", shape, 0)
  if alone and class.points then class.points(g, shape) end
  layout.size(what, shape, math.max(dtype.itemsize, 8))
  return shape
end

local function check_array(what, a)
  if not is_array(a) then refuse(what, "expected a gpuarray, got " .. element.describe(a)) end
end

local function filled(class, self, name, a, stream, ...)
  local what = class.name .. ":fill_" .. name
  local g = M.inner(class, self, what)
  check_array(what, a)
  local first, second = ...
  make.stream(what, stream):use(function()
    local wanted = { class = class, g = g, what = what, shape = a._shape, dtype = a._dtype }
    functions.deliver(what, numbers[name](wanted, first, second), a)
  end)
  return a
end

local function generated(class, self, name, shape, dtype, stream, ...)
  local what = class.name .. ":gen_" .. name
  local g = M.inner(class, self, what)
  local first, second = ...
  return make.stream(what, stream):use(function()
    local x = numbers[name]({ class = class, g = g, what = what, shape = shape_of(class, g, what, shape, dtype),
      dtype = dtype }, first, second)
    compute.evaluate(x)
    return x
  end)
end

-- The methods that set the elements of arrays.
local function add_fill_methods(class, methods)
  ---Generates arrays of numbers as PyCUDA's generators do. For Sobol generators, the last axis of an array, or its last
  ---axes together, are the dimensions of points. Their normal and Poisson-distributed numbers are computed with inverse
  ---distribution functions, which keep the order.
  ---@class cudalua.random.FillGenerator
  local Methods = methods

  ---Fills an array with uniformly distributed numbers: floats in (0, 1], integers over their whole range.
  ---@param a cudalua.gpuarray.Array  an array of float32, float64, or 32-bit or 64-bit integers; 32-bit Sobol
  ---  generators do not support 64-bit integers
  ---@param stream? cudalua.Stream  default: the current stream
  ---@return cudalua.gpuarray.Array a
  ---@raise LogicError for other arrays, and at the end of a Sobol sequence
  function Methods:fill_uniform(a, stream) return filled(class, self, "uniform", a, stream) end

  ---Fills an array with normally distributed numbers with mean 0 and standard deviation 1.
  ---@param a cudalua.gpuarray.Array  an array of floats
  ---@param stream? cudalua.Stream  default: the current stream
  ---@return cudalua.gpuarray.Array a
  ---@raise LogicError as fill_uniform
  function Methods:fill_normal(a, stream) return filled(class, self, "normal", a, stream) end

  ---Fills an array with log-normally distributed numbers.
  ---@param a cudalua.gpuarray.Array  an array of floats
  ---@param mean? number  the mean of the logarithms, default 0
  ---@param sigma? number  the standard deviation of the logarithms, default 1
  ---@param stream? cudalua.Stream  default: the current stream
  ---@return cudalua.gpuarray.Array a
  ---@raise LogicError as fill_uniform
  function Methods:fill_log_normal(a, mean, sigma, stream)
    return filled(class, self, "log_normal", a, stream, mean, sigma)
  end

  ---Fills an array with Poisson-distributed numbers. Without a mean, each element is the mean of the number that
  ---replaces it.
  ---@param a cudalua.gpuarray.Array  an array of integers; without a mean, also of floats
  ---@param mean? any  a number, or an array with a's shape
  ---@param stream? cudalua.Stream  default: the current stream
  ---@return cudalua.gpuarray.Array a
  ---@raise LogicError as fill_uniform
  function Methods:fill_poisson(a, mean, stream)
    local what = class.name .. ":fill_poisson"
    local g = M.inner(class, self, what)
    check_array(what, a)
    make.stream(what, stream):use(function()
      local dtype = mean == nil and a._dtype.kind == "float" and dtypes.int64 or a._dtype
      local x = numbers.poisson({ class = class, g = g, what = what, shape = a._shape, dtype = dtype },
        mean == nil and a or mean)
      functions.deliver(what, graph.as_type(x, a._dtype), a)
    end)
    return a
  end
end

-- The methods that make new arrays.
local function add_gen_methods(class, methods)
  ---@class cudalua.random.FillGenerator
  local Methods = methods

  ---Uniformly distributed numbers: floats in (0, 1], integers over their whole range.
  ---@param shape integer|integer[]  as for gpuarray.empty; for Sobol generators (points, dimensions), or the number of
  ---  points
  ---@param dtype? any               as for fill_uniform; default: the default float
  ---@param stream? cudalua.Stream  default: the current stream
  ---@return cudalua.gpuarray.Array
  ---@raise LogicError for other types and invalid shapes, and at the end of a Sobol sequence
  function Methods:gen_uniform(shape, dtype, stream)
    return generated(class, self, "uniform", shape, any_type(dtype), stream)
  end

  ---Normally distributed numbers with mean 0 and standard deviation 1.
  ---@param shape integer|integer[]  as for gen_uniform
  ---@param dtype? any               a floating-point type; default: the default float
  ---@param stream? cudalua.Stream  default: the current stream
  ---@return cudalua.gpuarray.Array
  ---@raise LogicError as gen_uniform
  function Methods:gen_normal(shape, dtype, stream)
    return generated(class, self, "normal", shape, any_type(dtype), stream)
  end

  ---Log-normally distributed numbers.
  ---@param shape integer|integer[]  as for gen_uniform
  ---@param dtype? any               a floating-point type; default: the default float
  ---@param mean? number  the mean of the logarithms, default 0
  ---@param sigma? number  the standard deviation of the logarithms, default 1
  ---@param stream? cudalua.Stream  default: the current stream
  ---@return cudalua.gpuarray.Array
  ---@raise LogicError as gen_uniform
  function Methods:gen_log_normal(shape, dtype, mean, sigma, stream)
    return generated(class, self, "log_normal", shape, any_type(dtype), stream, mean, sigma)
  end

  ---Poisson-distributed numbers.
  ---@param shape integer|integer[]  as for gen_uniform
  ---@param dtype any                an integer type; nil: uint32
  ---@param mean any  a number, or an array of that shape
  ---@param stream? cudalua.Stream  default: the current stream
  ---@return cudalua.gpuarray.Array
  ---@raise LogicError as gen_uniform
  function Methods:gen_poisson(shape, dtype, mean, stream)
    return generated(class, self, "poisson", shape, dtype == nil and dtypes.uint32 or dtypes.of(dtype), stream, mean)
  end
end

---The methods of a class that make arrays of numbers.
---@param class cudalua.random.FillClass
---@return cudalua.random.FillGenerator
function M.methods(class)
  local methods = {}
  add_fill_methods(class, methods)
  add_gen_methods(class, methods)
  return methods
end

return M
