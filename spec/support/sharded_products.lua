-- What each rank checks of products and running sums of distributed arrays.
local cuda = require "cudalua"
local gpuarray, dist = cuda.gpuarray, cuda.distributed
local world = dist.init()
local base = dofile "spec/support/sharded_checks.lua"
local same, equal, numbers, raises = base.same, base.equal, base.numbers, base.raises

local M = { checks = {} }
local checks = M.checks

-- On an H200, rows of a product of 700 terms had other last bits in a block of one row than in the whole (2026-11-30).
-- What decides there is not known yet.
local function alike(what, expected, got)
  if cuda.driver_info().soft then return same(what, expected, got) end
  equal(what, true, gpuarray.allclose(got:gather(), expected, { rtol = 1e-5, atol = 1e-3 }))
end

function checks.matmul()
  cuda.linalg.backend "own" -- other libraries choose algorithms by the shape of a block
  -- Sums of one chunk and of several, which depend on all rows and columns; blocks of one row and of none.
  for _, extents in ipairs { { 7, 5, 3 }, { 3, 700, 2 }, { 130, 33, 70 }, { 1, 9, 5 }, { 5, 9, 1 }, { 5, 0, 4 },
    { 2048, 1024, 2 } } do
    local m, k, n = unpack(extents)
    local a, b = numbers { m, k }, numbers { k, n }
    local expected = a:matmul(b)
    local rows = dist.shard(a, 1):matmul(dist.replicate(b))
    alike("rows", expected, rows)
    equal("the axis", 1, rows.axis)
    local columns = dist.replicate(a):matmul(dist.shard(b, 2))
    alike("columns", expected, columns)
    equal("the axis", 2, columns.axis)
    same("replicated", expected, dist.replicate(a):matmul(dist.replicate(b)))
    local sum = dist.shard(a, 2):matmul(dist.shard(b, 1))
    equal("the axis", nil, sum.axis)
    equal("about", true, gpuarray.allclose(sum:gather(), expected, { rtol = 1e-4, atol = 1e-2 }))
    if world.size == 1 then same("by one rank", expected, sum) end
  end
  local a, v = numbers { 9, 5 }, numbers { 5 }
  same("a vector", a:matmul(v), dist.shard(a, 1):matmul(dist.replicate(v)))
  for _, dtype in ipairs { "float16", "int8" } do
    local x, y = numbers({ 9, 5 }, dtype), numbers({ 5, 4 }, dtype)
    same(dtype, x:matmul(y), dist.shard(x, 1):matmul(dist.replicate(y)))
    if dtype == "int8" then same("sums", x:matmul(y), dist.shard(x, 2):matmul(dist.shard(y, 1))) end
    equal("the dtype", x:matmul(y).dtype, dist.shard(x, 2):matmul(dist.shard(y, 1)).dtype)
  end
  local s, t = dist.shard(numbers { 4, 4 }, 1), dist.shard(numbers { 4, 4 }, 1)
  raises("call b:redistribute()", s.matmul, s, t)
  raises("call b:redistribute(1)", s.matmul, s:transpose(), t:transpose())
  raises("call a:redistribute(2)", s.matmul, s:redistribute(), t)
  raises("do not fit", s.matmul, s, dist.replicate(numbers { 3, 4 }))
  raises("a matrix and a matrix or vector", s.matmul, s, dist.zeros { 2, 2, 2 })
  raises("replicate(b)", s.matmul, s, numbers { 4, 4 })
  raises("unknown option", s.matmul, s, t, { axis = 1 })
  cuda.linalg.backend "auto"
end

function checks.cumsum()
  for _, n in ipairs { 0, 1, 3, 1003, 9000 } do
    local a = numbers { n }
    same("cumsum", a:cumsum(), dist.shard(a, 1):cumsum())
  end
  for _, dtype in ipairs { "float16", "int8", "complex64" } do
    local a = numbers({ 103 }, dtype)
    same(dtype, a:cumsum(), dist.shard(a, 1):cumsum())
  end
  local order = require "cudalua.distributed.order"
  local n, few = 70001, order.FEW
  local c = numbers { n }
  same("a vector that is gathered", c:cumsum(), dist.shard(c, 1):cumsum())
  order.FEW = 65536
  local a, i = numbers { n }, numbers({ n }, "int32")
  same("many integers", i:cumsum(), dist.shard(i, 1):cumsum())
  same("as int8", i:cumsum { dtype = "int8" }, dist.shard(i, 1):cumsum { dtype = "int8" })
  local alone = world:split { color = world.rank }
  local s = dist.shard(a, 1):cumsum()
  same("many floats by one rank", dist.shard(a, 1, { group = alone }):cumsum():gather(), s)
  equal("about", true, gpuarray.allclose(s:gather(), a:cumsum(), { atol = 0.05 }))
  local z = gpuarray.full({ n }, -0.0)
  same("zeros keep their sign", z:cumsum(), dist.shard(z, 1):cumsum())
  alone:close()
  order.FEW = few
  local b = numbers { 13, 6 }
  for axis = 1, 2 do
    for along = 1, 2 do same("lines", b:cumsum(along), dist.shard(b, axis):cumsum(along)) end
  end
  same("replicated", b:cumsum(2), dist.replicate(b):cumsum { axis = 2 })
  raises("axis", dist.shard(b, 1).cumsum, dist.shard(b, 1))
  raises("not defined for float32 as bool", dist.zeros(3).cumsum, dist.zeros(3), { dtype = "bool" })
end

return M
