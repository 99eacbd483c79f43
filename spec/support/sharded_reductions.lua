-- What each rank checks of reductions of distributed arrays: all bits are those of one device.
local cuda = require "cudalua"
local gpuarray, dist = cuda.gpuarray, cuda.distributed
local subtrees = require "cudalua.distributed.array.subtrees"
local world = dist.init()
local base = dofile "spec/support/sharded_checks.lua"
local same, equal, numbers, raises = base.same, base.equal, base.numbers, base.raises

local M = { checks = {} }
local checks = M.checks

local function same_for(name, a, axis, options)
  local s = dist.shard(a, axis)
  same(("%s of %s along axis %d"):format(name, tostring(a.shape), axis), a[name](a, options), s[name](s, options))
end

-- All axes, each axis, and two of three.
local function each_axes(ndim, f)
  f(nil)
  for k = 1, ndim do f(k) end
  if ndim == 3 then
    f { 1, 2 }
    f { 1, 3 }
    f { 2, 3 }
  end
end

local function sums_of(shapes)
  for _, shape in ipairs(shapes) do
    local a = numbers(shape)
    for axis = 1, #shape do
      each_axes(#shape, function(axes) same_for("sum", a, axis, axes) end)
    end
  end
end

function checks.sums()
  sums_of(base.shapes)
  sums_of { { 20011 }, { 301, 77 } }
  if base.all then sums_of { { 16384 }, { 3, 1001, 7 }, { 100003 }, { 77, 301 }, { 33000, 2 }, { 129, 1500 } } end
end

function checks.small_steps() -- subtrees in powers of 2, as for many outputs
  local many = subtrees.MANY
  subtrees.MANY = 0
  sums_of { { 20011 }, { 301, 7 } }
  subtrees.MANY = many
  local a = numbers { 70, 1500 }
  same_for("sum", a, 1, 1)
end

function checks.columns() -- divided along an axis behind others that are reduced: their subtrees move
  for _, shape in ipairs { { 33, 1024 }, { 33, 1026 }, { 5, 1536, 2 } } do
    local a = numbers(shape)
    same_for("sum", a, 2)
    same_for("mean", a, 2, { axis = { 1, 2 }, keepdims = true })
    same_for("norm", a, 2)
  end
end

function checks.order() -- another order of additions would have other bits, so the checks would see it
  local different = 0
  for _ = 1, 10 do
    local a = numbers { 20011 }
    local s = dist.shard(a, 1)
    same("the sum", a:sum(), s:sum())
    different = different + (world:all_reduce(s.block:sum()):item() == s:sum():item() and 0 or 1)
  end
  equal("a sum of sums has other bits", world.size == 3, world.size == 3 and different > 0)
end

function checks.dtypes()
  local some = { bool = "sum any", int8 = "sum mean all argmin", float16 = "sum max", float64 = "prod",
    complex64 = "sum prod mean" }
  local names = "sum prod mean any all count_nonzero min max argmin argmax"
  for _, dtype in ipairs { "bool", "int8", "uint16", "int64", "float16", "bfloat16", "float64", "complex64" } do
    local a = numbers({ 1003 }, dtype)
    for name in (base.all and names or some[dtype] or ""):gmatch "%S+" do
      if dtype ~= "complex64" or not name:find "m[ai][nx]" then same_for(name, a, 1) end
    end
  end
  local a = numbers { 1003, 3 }
  for axis = 1, 2 do
    same_for("prod", a * 0.4, axis)
    same_for("mean", a, axis, { axis = 1, keepdims = true })
    same_for("sum", a:astype "float16", axis, { axis = 1, dtype = "float32" })
    same_for("sum", a:astype "int32", axis, { axis = 1, dtype = "int8" })
    same_for("mean", a:astype "int32", axis, { dtype = "float64" })
  end
end

function checks.extremes()
  for _, shape in ipairs { { 300 }, { 2, 3 }, base.all and { 2, 9, 3 } or nil } do
    local a = numbers(shape):round():eval() -- equal elements
    for axis = 1, #shape do
      for _, name in ipairs { "min", "argmin", "argmax", "any", "count_nonzero" } do
        each_axes(#shape, function(axes) same_for(name, a, axis, axes) end)
      end
    end
  end
  local a = numbers { 13, 5 }
  a[{ 9, 2 }]:fill(0 / 0)
  a[{ 11, 2 }]:fill(0 / 0)
  local zeros = gpuarray.zeros { 13 } * gpuarray.where(gpuarray.arange(13):gt(6), -1, 1)
  for _, name in ipairs { "min", "max", "argmin", "argmax" } do
    same_for(name, a, 2)
    same_for(name, a, 1, { axis = 1, keepdims = true })
    same_for(name, zeros, 1)
    same_for(name, -zeros, 1)
  end
end

function checks.spreads()
  local some = { float32 = "var std norm", float16 = "var", int32 = "std", complex64 = "norm" }
  for _, dtype in ipairs { "float32", "float16", "int32", "float64", "complex64" } do
    local a = numbers({ 103, 6 }, dtype)
    for name in (base.all and "var std norm" or some[dtype] or ""):gmatch "%S+" do
      same_for(name, a, 1)
      if base.all or dtype == "float32" then same_for(name, a, 1, 1) end
      for axis = 1, base.all and 2 or 0 do each_axes(2, function(axes) same_for(name, a, axis, axes) end) end
    end
    if dtype == "float32" then same_for("var", a, 2, { axis = 2, ddof = 1, keepdims = true }) end
  end
  local alone = world:split { color = world.rank }
  local a = numbers { 20011 }
  for _, name in ipairs { "var", "std" } do
    local s, t = dist.shard(a, 1), dist.shard(a, 1, { group = alone })
    same(name .. " of many elements by one rank", t[name](t):gather(), s[name](s))
    local one = a[name](a):item()
    equal("about", true, math.abs(s[name](s):item() - one) <= 1e-6 * one)
  end
  same_for("norm", a, 1)
  alone:close()
end

function checks.dot()
  for _, n in ipairs { 1, 3, 1003, 20011 } do
    for _, dtype in ipairs { "float32", "float16", base.all and "int8" or nil, base.all and "complex64" or nil } do
      if n < 20000 or dtype == "float32" then
        local a, b = numbers({ n }, dtype), numbers({ n }, dtype)
        same("dot", a:dot(b), dist.shard(a, 1):dot(dist.shard(b, 1)))
      end
    end
  end
  local a, b = numbers { 9 }, numbers({ 9 }, "float64")
  same("of two dtypes", a:dot(b), dist.shard(a, 1):dot(dist.shard(b, 1)))
  same("replicated", a:dot(b), dist.replicate(a):dot(dist.replicate(b)))
  raises("call redistribute(1) on the second one", dist.shard(a, 1).dot, dist.shard(a, 1), dist.replicate(b))
  raises("two vectors of the same length", dist.shard(a, 1).dot, dist.shard(a, 1), dist.zeros(8))
  raises("expected a distributed array", dist.shard(a, 1).dot, dist.shard(a, 1), a)
end

function checks.expressions()
  local a = numbers { 301, 7 }
  for axis = 1, 2 do
    local s = dist.shard(a, axis)
    same("centred", (a - a:mean(1)) / a:std(1), (s - s:mean(1)) / s:std(1))
    same("a softmax", (a - a:max { axis = 2, keepdims = true }):exp(), (s - s:max { axis = 2, keepdims = true }):exp())
    same("of an expression", (a * 2 + 1):exp():sum(), (s * 2 + 1):exp():sum())
  end
  same("of two axes", a:transpose():copy "C":sum(), dist.shard(a, 1):transpose():sum())
end

function checks.refused()
  local s = dist.zeros { 4, 3 }
  raises("axis 3", s.sum, s, 3)
  raises("unknown option", s.max, s, { dtype = "int8" })
  raises("not defined for float32 as bool", s.sum, s, { dtype = "bool" })
  raises("ddof must be a number", s.var, s, { ddof = {} })
  local c = s:astype "complex64"
  raises("not defined for complex64", c.argmax, c)
  raises("no elements", dist.zeros(0).max, dist.zeros(0))
  if world.size > 1 then
    raises("the ranks must make the same call", s.sum, s, world.rank == 0 and 1 or 2)
    if world.rank == 0 then
      raises("axis 7", s.mean, s, 7)
    else
      raises("rank 0 refused the call", s.mean, s, 1)
    end
  end
  same("after it", gpuarray.zeros {}, s:sum())
end

return M
