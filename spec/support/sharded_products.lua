-- What each rank checks of products and running sums of distributed arrays.
local cuda = require "cudalua"
local gpuarray, dist = cuda.gpuarray, cuda.distributed
local world = dist.init()
local base = dofile "spec/support/sharded_checks.lua"
local calls = require "cudalua.distributed.calls"
local pairwise = require "cudalua.distributed.array.pairwise"
local same, equal, numbers, raises = base.same, base.equal, base.numbers, base.raises

local M = { checks = {} }
local checks = M.checks

local function divided(x, axis)
  if axis then return dist.shard(x, axis) end
  return dist.replicate(x)
end

local AXES = { false, 1, 2 }

-- Calls f(a, b, axis) for all combinations of divided matrices whose sums one rank adds up; axis: of the result.
local function combinations(x, y, f)
  local axes = { ["false 1"] = 2, ["false 2"] = 2, ["1 false"] = 1, ["1 1"] = 1, ["1 2"] = 1, ["2 false"] = 1,
    ["2 2"] = 2 }
  for _, of_x in ipairs(AXES) do
    for _, of_y in ipairs(AXES) do
      local name = ("%s %s"):format(tostring(of_x), tostring(of_y))
      if name ~= "2 1" then f(divided(x, of_x), divided(y, of_y), axes[name], name) end
    end
  end
end

local function each_combination(x, y, options)
  local expected = x:matmul(y, options)
  combinations(x, y, function(a, b, axis, name)
    local c = a:matmul(b, options)
    equal("the axis of " .. name, axis, c.axis)
    same(name, expected, c)
  end)
  return expected
end

function checks.matmul()
  cuda.linalg.backend "own" -- other libraries choose algorithms by the shape of a block
  -- Sums of one chunk and of several, which depend on all rows and columns; blocks of one row and of none.
  for _, extents in ipairs { { 7, 5, 3 }, { 3, 700, 2 }, { 130, 33, 70 }, { 1, 9, 5 }, { 5, 9, 1 }, { 5, 0, 4 },
    { 0, 3, 2 }, { 2048, 1024, 2 } } do
    local m, k, n = unpack(extents)
    local a, b = numbers { m, k }, numbers { k, n }
    local expected = each_combination(a, b)
    local sum = dist.shard(a, 2):matmul(dist.shard(b, 1))
    equal("the axis", nil, sum.axis)
    equal("about", true, gpuarray.allclose(sum:gather(), expected, { rtol = 1e-4, atol = 1e-2 }))
    if world.size == 1 then same("by one rank", expected, sum) end
  end
  for _, dtype in ipairs { "float16", "int8", "complex64" } do
    local x, y = numbers({ 9, 5 }, dtype), numbers({ 5, 4 }, dtype)
    local expected = each_combination(x, y)
    local sum = dist.shard(x, 2):matmul(dist.shard(y, 1))
    if dtype == "int8" then same("sums", expected, sum) end
    equal("the dtype", expected.dtype, sum.dtype)
  end
  each_combination(numbers({ 9, 5 }, "float16"), numbers { 5, 4 })
  each_combination(numbers({ 9, 5 }, "float16"), numbers({ 5, 4 }, "float16"), { dtype = "float32" })
  cuda.linalg.backend "auto"
end

function checks.matmul_of_a_vector()
  cuda.linalg.backend "own"
  for _, extents in ipairs { { 9, 5 }, { 2, 9000 }, { 1, 3 }, { 4, 0 } } do
    local a, v = numbers(extents), numbers { extents[2] }
    local expected = a:matmul(v)
    for _, of_v in ipairs { false, 1 } do
      for _, of_a in ipairs(AXES) do
        local c = divided(a, of_a):matmul(divided(v, of_v))
        if of_a == 2 then
          equal("the axis", nil, c.axis)
          equal("about", true, gpuarray.allclose(c:gather(), expected, { rtol = 1e-4, atol = 1e-2 }))
        else
          equal("the axis", (of_a or of_v) and 1 or nil, c.axis)
          same("a vector", expected, c)
        end
      end
    end
  end
  cuda.linalg.backend "auto"
end

function checks.matmul_of_other_arrays()
  cuda.linalg.backend "own"
  local a, b = numbers { 8, 8 }, numbers { 8, 8 }
  for axis = 1, 2 do
    local s, t = dist.shard(a, axis), dist.shard(b, axis)
    same("with itself", a:matmul(a), s:matmul(s))
    same("transposed", a:transpose():matmul(b:transpose()), s:transpose():matmul(t:transpose()))
    same("pending", (a + 1):matmul(b * 2), (s + 1):matmul(t * 2))
    same("which stay as they are", a, s)
  end
  local half = world:split { color = world.rank % 2 }
  local s, t = dist.shard(a, 1, { group = half }), dist.shard(b, 2, { group = half })
  same("of a group", a:matmul(b), s:matmul(t):gather())
  raises("different groups", s.matmul, s, dist.shard(b, 2))
  half:close()
  raises("the group of the array was closed", s.matmul, s, t)
  cuda.linalg.backend "auto"
end

-- All grids of so many ranks, whatever moves.
function checks.matmul_on_grids()
  cuda.linalg.backend "own"
  local grid = require "cudalua.distributed.array.grid"
  for rows = 1, world.size do
    if world.size % rows == 0 then
      grid.forced = { rows, world.size / rows }
      for _, extents in ipairs { { 13, 6, 17 }, { 3, 2, 2 }, { 130, 70, 200 } } do
        local m, k, n = unpack(extents)
        each_combination(numbers { m, k }, numbers { k, n })
      end
    end
  end
  grid.forced = false
  cuda.linalg.backend "auto"
end

-- Calls f; returns how many elements this rank received.
local function received(f)
  local exchange, from_all, count = pairwise.exchange, calls.from_all, 0
  calls.from_all = function(...)
    local x = from_all(...)
    count = count + x.size
    return x
  end
  pairwise.exchange = function(group, where, sends, receives)
    exchange(group, where, sends, receives)
    for _, transfer in ipairs(receives) do count = count + transfer.array.size end
  end
  local ok, err = pcall(f)
  pairwise.exchange, calls.from_all = exchange, from_all
  if not ok then error(err, 0) end
  return count
end

function checks.matmul_moves_what_it_needs()
  local grid, P, n = require "cudalua.distributed.array.grid", world.size, 120
  local a, b = numbers { n, n }, numbers { n, n }
  -- Blocks for rows times columns, by ranks: R - 1 + C - 1 + (C - 1) / C.
  local squares = { [1] = 0, [2] = 1, [3] = 2, [4] = 2.5, [5] = 4, [6] = 3.5, [7] = 6, [8] = 4.5 }
  local least = { ["1 2"] = squares[P], ["1 false"] = 0, ["false 2"] = 0, ["false 1"] = (P - 1) / P,
    ["2 false"] = (P - 1) / P }
  combinations(a, b, function(s, t, _, name)
    local got = received(function() s:matmul(t) end)
    local bound = least[name] or P == 1 and 0 or squares[P] + 1
    if got > bound * n * n / P * 1.1 + 1 then
      error(("%s: rank %d received %d elements, expected %g blocks of %d"):format(name, world.rank, got, bound,
        n * n / P))
    end
  end)
  local s = dist.shard(a, 1)
  local has = grid.divided(n, n, 1, P)
  local regions = require "cudalua.distributed.array.regions"
  equal("nothing is copied", s.block, regions.moved("matmul", world, s.block, has, has))
  local function chosen(ranks, m, k, width, of_a, of_b, axis)
    local rows, columns = grid.choose({ m = m, k = k, n = width, a = m * k, b = k * width, c = m * width,
      a_axis = of_a or 1, b_axis = of_b or 2, axis = axis or 1 }, ranks)
    return ("%d x %d"):format(rows, columns)
  end
  for ranks, expected in pairs { [1] = "1 x 1", [2] = "2 x 1", [4] = "2 x 2", [5] = "5 x 1", [6] = "3 x 2",
    [8] = "4 x 2", [9] = "3 x 3", [64] = "8 x 8" } do
    equal("the grid", expected, chosen(ranks, 100, 100, 100))
  end
  equal("a small second operand", "8 x 1", chosen(8, 1000, 100, 10))
  equal("a small first operand", "1 x 8", chosen(8, 1, 1000, 1000))
  equal("rows of both", "2 x 2", chosen(4, 100, 100, 100, 1, 1, 1))
  equal("columns of both", "2 x 2", chosen(4, 100, 100, 100, 2, 2, 2))
  equal("a long result", "1 x 4", chosen(4, 100, 10, 1000, 2, 2, 2))
end

function checks.matmul_refuses()
  local s, t = dist.shard(numbers { 4, 4 }, 1), dist.shard(numbers { 4, 4 }, 2)
  raises("do not fit", s.matmul, s, dist.replicate(numbers { 3, 4 }))
  local v = dist.shard(numbers { 4 }, 1)
  raises("a:with_block(a.block:matmul(b.block))", s.matmul, s, dist.zeros { 2, 2, 2 })
  raises("call b.T:matmul(a)", s.matmul, v, s)
  equal("the remedy", "(4,)", tostring(s.T:matmul(v).shape))
  raises("call a:dot(b)", s.matmul, v, v)
  raises("write a * b", s.matmul, v:sum(), s)
  -- cuBLASLt would multiply a block of one matrix, and own kernels the whole batch; last bits may differ.
  local batch, backend = dist.shard(numbers { 5, 2, 2 }, 1), cuda.linalg.backend()
  cuda.linalg.backend "own"
  same("the remedy", batch:gather():matmul(batch:gather()), batch:with_block(batch.block:matmul(batch.block)))
  cuda.linalg.backend(backend)
  raises("replicate(b)", s.matmul, s, numbers { 4, 4 })
  raises("unknown option", s.matmul, s, t, { axis = 1 })
  raises("is a struct", s.matmul, s, dist.zeros({ 4, 4 }, cuda.dtype.struct { { "x", "float32" } }, { axis = 2 }))
  raises("cannot be stored", s.matmul, s, t, { dtype = "int8" })
  if world.size > 1 then
    local is_first = world.rank == 0
    raises("the ranks must make the same call", s.matmul, s, is_first and s or t)
    raises("as float64", s.matmul, s, t, { dtype = is_first and "float64" or nil })
    raises(is_first and "do not fit" or "rank 0 refused the call", s.matmul, s, is_first and dist.zeros { 3, 4 } or t)
  end
  same("after it", s:gather():matmul(t:gather()), s:matmul(t))
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
  local order = require "cudalua.distributed.array.order"
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
