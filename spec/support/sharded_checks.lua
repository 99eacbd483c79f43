-- What each rank checks of distributed arrays: against the same computation of one array on its own device, bit for
-- bit. Prints a line for each check that passed. Arguments: the names of the checks.
local cuda = require "cudalua"
local gpuarray, ndarray, dist = cuda.gpuarray, cuda.ndarray, cuda.distributed
local world = dist.init()
local rank, size = world.rank, world.size

local M = { checks = {} }
local checks = M.checks

local function fail(...) error(("rank %d: "):format(rank) .. string.format(...), 3) end

-- Shape, dtype and all bits of an array.
local function bits(a) return ndarray.dumps((ndarray.is_array(a) and a or a:get { array = true }):copy "C") end

function M.same(what, expected, got)
  if dist.Array and getmetatable(got) == "cudalua.distributed.Array" then
    if got.dtype ~= expected.dtype then fail("%s: %s, expected %s", what, got.dtype.name, expected.dtype.name) end
    if tostring(got.shape) ~= tostring(expected.shape) then
      fail("%s: the shape is %s, expected %s", what, tostring(got.shape), tostring(expected.shape))
    end
    got = got:gather()
  end
  if bits(expected) ~= bits(got) then
    fail("%s: expected %s %s%s\ngot %s %s%s", what, expected.dtype.name, tostring(expected.shape), tostring(expected),
      got.dtype.name, tostring(got.shape), tostring(got))
  end
end
local same = M.same

local function equal(what, expected, got)
  if expected ~= got then fail("%s: expected %s, got %s", what, tostring(expected), tostring(got)) end
end
M.equal = equal

local function raises(text, f, ...)
  local ok, err = pcall(f, ...)
  if ok or not cuda.is_error(err, "LogicError") or not err.message:find(text, 1, true) then
    fail("expected an error with '%s', got: %s", text, ok and "nothing" or tostring(err))
  end
end
M.raises = raises

-- Numbers that no sum of floats is exact for; the same on all ranks.
local seed = 0
function M.numbers(shape, dtype)
  seed = seed + 1
  local x = cuda.random.Generator(seed):normal(shape, 0, 3, "float64")
  dtype = dtype or "float32"
  if dtype == "bool" then return x:gt(1):eval() end
  if dtype:find "complex" then
    return gpuarray.complex(x, cuda.random.Generator(seed + 1000):normal(shape)):astype(dtype):eval()
  end
  return (dtype:find "int" and (dtype:find "uint" and x * x * 3 or x * 20) or x):astype(dtype):eval()
end
local numbers = M.numbers

-- CUDALUA_ALL takes more shapes and dtypes, each of which means more kernels to compile.
M.all = os.getenv "CUDALUA_ALL" ~= nil

-- More and fewer positions than ranks, and none.
M.shapes = { { 1 }, { 300 }, { 10, 3 }, { 2, 129, 3 }, { 5, 0 } }
if M.all then
  for _, shape in ipairs { { 3 }, { 8 }, { 3, 10 }, { 1, 5 } } do table.insert(M.shapes, shape) end
end

local function each(f)
  for _, shape in ipairs(M.shapes) do
    for axis = 1, #shape do f(shape, axis) end
  end
end
M.each = each

-- ---- arrays ---------------------------------------------------------------------------------------------------------

function checks.shard()
  each(function(shape, axis)
    local a = numbers(shape)
    local s = dist.shard(a, axis)
    same("shard", a, s)
    same("of the host", a, dist.shard(a:get { array = true }, axis - #shape - 1))
    same("of the last rank", a, dist.shard(rank == size - 1 and a or nil, rank == size - 1 and axis or nil,
      { root = size - 1 }))
    equal("the group", world, s.group)
    equal("the axis", axis, s.axis)
    equal("positions", s.last - s.first + 1, s.block.shape[axis])
    a:fill(0)
    if s.size > 0 and s:gather():eq(0):all():item() then fail "the array has the memory of its source" end
  end)
  for _, dtype in ipairs { "bool", "int8", "float16", "complex128" } do
    local x = numbers({ 7, 2 }, dtype)
    same(dtype, x, dist.shard(x, 1))
  end
  local half = world:split { color = rank % 2 }
  local a = numbers { 9 }
  same("of a group", a, dist.shard(a, 1, { group = half }):gather())
  half:close()
  raises("the group of the array was closed", dist.shard, a, 1, { group = half })
end

function checks.replicate()
  local a = numbers { 4, 5 }
  local r = dist.replicate(rank == 0 and a or nil)
  same("replicate", a, r)
  equal("the axis", nil, r.axis)
  equal("the first", 1, r.first)
  equal("the last", 4, r.last)
  same("of the host", a, dist.replicate(a:get(), { root = size - 1 }))
  equal("item", 7, dist.replicate(gpuarray.scalar(7)):item())
  local x = r:gather()
  r.block:fill(0)
  same("gather gives a copy", a, x)
end

function checks.text()
  local s = dist.shard(gpuarray.arange(4 * size), 1)
  equal("the text", ("positions %d to %d of %d along axis 1:\n%s"):format(4 * rank + 1, 4 * rank + 4, 4 * size,
    tostring(gpuarray.arange(4 * rank, 4 * rank + 4))), tostring(s))
  equal("of none", "no positions of 0 along axis 1", tostring(dist.zeros(0)))
  equal("replicated", "[7 7]", tostring(dist.full(2, 7, "int32", { axis = false })))
  equal("shape", "(3, 4)", tostring(dist.zeros({ 3, 4 }).shape))
  equal("joined", "x[7 7]", "x" .. dist.full(2, 7, "int32", { axis = false }))
end

function checks.constructors()
  each(function(shape, axis)
    same("zeros", gpuarray.zeros(shape), dist.zeros(shape, nil, { axis = axis }))
    same("ones", gpuarray.ones(shape, "int8"), dist.ones(shape, "int8", { axis = axis }))
    same("full", gpuarray.full(shape, 2.5, "float16"), dist.full(shape, 2.5, "float16", { axis = axis }))
    same("full", gpuarray.full(shape, true), dist.full(shape, true, { axis = axis }))
    equal("the axis", axis, dist.zeros(shape, { axis = axis, dtype = "int8" }).axis)
  end)
  for _, n in ipairs { 0, 1, 2, 5, 1000 } do
    for _, dtype in ipairs(M.all and { "int8", "uint64", "int64", "float16", "bfloat16", "float32", "float64",
      "complex64" } or { "int8", "float16", "float32", "float64" }) do
      if dtype ~= "int8" or n < 100 then
        same("arange " .. dtype, gpuarray.arange(n, dtype), dist.arange(n, dtype))
        same("linspace " .. dtype, gpuarray.linspace(1, 90, n, dtype), dist.linspace(1, 90, n, dtype))
      end
    end
    same("arange", gpuarray.arange(0, n, 0.1), dist.arange(0, n, 0.1))
    same("arange", gpuarray.arange(n, 0, -1), dist.arange(n, 0, -1))
    same("linspace", gpuarray.linspace(0, 1, n, { endpoint = false }), dist.linspace(0, 1, n, { endpoint = false }))
  end
  equal("the first axis", 1, dist.zeros({ 2, 3 }).axis)
  equal("replicated", nil, dist.ones({ 2, 3 }, { axis = false }).axis)
  equal("0-d", nil, dist.ones({}).axis)
  equal("arange", nil, dist.arange(3, { axis = false }).axis)
  raises("axis 3", dist.zeros, { 2, 3 }, { axis = 3 })
  raises("value must be a number", dist.full, 3, {})
  raises("group must be a group", dist.zeros, 3, { group = 1 })
end

function checks.random()
  table.insert(M.shapes, { 1024 }) -- blocks that begin with a block of the generator
  each(function(shape, axis)
    for k, dtype in ipairs { "float32", "float16", "float64" } do
      for _, name in ipairs((k == 1 or M.all) and { "uniform", "normal", "exponential" } or { "uniform" }) do
        local one, all = cuda.random.Generator(3), cuda.random.Generator(3)
        one:skip_ahead(5)
        all:skip_ahead(5)
        local expected
        if name == "exponential" then
          expected = one:exponential(shape, 1, dtype)
        else
          expected = one[name](one, shape, nil, nil, dtype)
        end
        same(name, expected, dist.random(shape, dtype, { axis = axis, generator = all, distribution = name }))
        equal("the state", one:get_state(), all:get_state())
      end
    end
  end)
  table.remove(M.shapes)
  cuda.random.seed(rank)
  local x = dist.random({ 5, 3 }) -- that of rank 0
  local one = cuda.random.Generator(0)
  same("the module's generator", one:uniform { 5, 3 }, x)
  same("again", one:uniform { 7 }, dist.random(7, { axis = false }))
  if size > 1 then
    raises("the same seed and state on all ranks, but theirs differ; rank 0: philox", dist.random, 3,
      { generator = cuda.random.Generator(rank) })
  end
  raises("distribution must be", dist.random, 3, { distribution = "gamma" })
  raises("generator must be", dist.random, 3, { generator = {} })
  raises("random: dtype must be a name, a dtype or an FFI ctype, got 4; pass the shape as one list, {10, 4}",
    dist.random, 10, 4)
  raises("random: int32 is not a floating-point type", dist.random, 3, "int32")
end

-- ---- elements -------------------------------------------------------------------------------------------------------

function checks.elementwise()
  each(function(shape, axis)
    local a, b = numbers(shape), numbers(shape)
    local s, t = dist.shard(a, axis), dist.shard(b, axis)
    same("an expression", (2 * a + b) / (a * a + 1) - -b % 2, (2 * s + t) / (s * s + 1) - -t % 2)
    same("a power", a ^ 2, s ^ 2)
    same("exp", a:exp():sqrt(), s:exp():sqrt())
    same("where", a:gt(0):where(a, b), s:gt(0):where(s, t))
    same("clip", a:clip(-1, nil), s:clip(-1, nil))
    same("astype", a:astype "int32", s:astype "int32")
    local mantissa, exponent = s:frexp()
    same("frexp", (a:frexp()), mantissa)
    same("frexp", select(2, a:frexp()), exponent)
    same("out", a * b, s:mul(t, { out = t }))
    same("in place", a * b - a, t:isub(s))
    same("in place", (a * b - a) * 2, t:imul(2))
    same("transpose", a:transpose():copy "C", s:transpose())
    equal("transpose", #shape + 1 - axis, s:transpose().axis)
  end)
  local a, row, column = numbers { 9, 5 }, numbers { 5 }, numbers { 9, 1 }
  for axis = 1, 2 do
    local s = dist.shard(a, axis)
    same("a replicated row", a + row, s + dist.replicate(row))
    same("a replicated column", column * a, dist.replicate(column) * s)
    same("a whole replicated array", a - a * 2, s - dist.replicate(a * 2))
    same("with more axes", a + a:reshape(1, 9, 5) * 2, s + dist.replicate(a:reshape(1, 9, 5)) * 2)
    same("in place", a + row, dist.shard(a, axis):iadd(dist.replicate(row)))
  end
  same("a column along the same axis", a + column, dist.shard(a, 1) + dist.shard(column, 1))
  same("a row along the same axis", a + row, dist.shard(a, 2) + dist.shard(row, 1))
  same("two replicated ones", row + row, dist.replicate(row) + dist.replicate(row))
  if size > 1 then equal("it waits", true, dist.shard(a, 1).exp ~= nil) end
end

function checks.refusals()
  local a = numbers { 8, 8 }
  local s, t, r = dist.shard(a, 1), dist.shard(a, 2), dist.replicate(a)
  raises("along axis 1 and float32 (8, 8) along axis 2; call redistribute(1) on the second one", function()
    return s + t
  end)
  raises("call redistribute(2)", t.maximum, t, s)
  raises("axes are counted from the last one", function() return s * dist.shard(numbers { 8 }, 1) end)
  raises("cannot be broadcast", function() return s + dist.zeros { 3, 8 } end)
  raises("call redistribute()", function() return s + dist.zeros({ 1, 8 }, { axis = 1 }) end)
  raises("call cuda.distributed.replicate(a) or shard", function() return s + a end)
  raises("replicate(a)", s.add, s, a:get())
  raises("cannot be stored in", r.iadd, r, s)
  raises("out is float32 (8, 8) along axis 2", s.add, s, 1, { out = t })
  raises("read a.block", function() return s[1] end)
  raises("root = 0", dist.shard, nil, 1)
  raises(rank == 0 and "rank 0, which is root, must pass the array" or "rank 0 refused", dist.shard, nil, 1,
    { root = 0 })
  raises("a:redistribute(axis)", dist.shard, s, 1)
  raises("a:redistribute(), which gives all ranks the whole array", dist.replicate, s)
  raises("the axis comes before the options: shard(a, 1, { root = 0 })", dist.shard, a, { root = 0 })
  raises("convert it with gpuarray.to_gpu(values)", dist.shard, { 1, 2, 3 }, 1)
  raises("create one with world:group { 0, 1 }", dist.zeros, 3, { group = { 0, 1 } })
  raises("a.block:set(x)", function() s.block = a end)
  raises("write to a.block", function() s[1] = 1 end)
  raises("cannot set 'block'", function() s.block = a end)
  raises("a:lt(b)", function() return s < t end)
  raises("has 64 elements, not one; call x:gather() for all of them", s.item, s)
  raises("x:with_block(x.block:transpose { 1, 3, 2 })", s.transpose, s, { 2, 1 })
  raises("pass it as x:cumsum(1)", s.cumsum, s)
  raises("call redistribute() first", dist.ones { 1 }.item, dist.ones { 1 })
  raises("", function() return s.no_such_method end)
  raises("expected a distributed array", s.gather, a)
  raises("axis 3", s.redistribute, s, 3)
  raises("got a distributed array", function() return a + s end)
  raises("got a distributed array", gpuarray.maximum, a, s)
  raises("call redistribute(axis)", r.halo, r, 1)
  raises("width must be", s.halo, s, 9)
  raises("width must be", s.halo, s, -1)
  raises("leave out one", s.halo, s, 1, { periodic = true, fill = 0 })
  raises("positions on axis 1", s.with_block, s, gpuarray.ones { 7, 8 })
  raises("pass its block, a.block", world.all_reduce, world, s)
  if size > 1 then
    raises("the ranks must make the same call", s.redistribute, s, rank == 0 and 2 or nil)
    raises("the ranks must make the same call", (rank == 0 and s or r).gather, rank == 0 and s or r)
    raises("the ranks must make the same call", dist.shard, a, rank == 0 and 1 or 2)
    raises("width 1", s.halo, s, rank == 0 and 1 or 2)
    if rank == 1 then
      raises("axis 5", s.redistribute, s, 5)
      raises("expected an array", dist.shard, 1)
    else
      raises("rank 1 refused the call", s.redistribute, s, 2)
      raises("rank 1 refused the call", dist.shard, a)
    end
    local half = world:split { color = rank % 2 }
    raises("different groups", function() return s + dist.zeros({ 8, 8 }, { group = half }) end)
  end
  same("after it", a, s)
end

-- ---- views ----------------------------------------------------------------------------------------------------------

-- Indices of an array with three axes, which take all of the axis `axis`, and the axis that it becomes.
local function whole_axis(axis)
  local new, list = gpuarray.newaxis, {}
  for _, others in ipairs { { 2, 1 }, { { 2, -1 }, { -1, 1, -2 } }, { {}, -1 }, { { 1, 3, 2 }, {} } } do
    local items, at = {}, 1
    for k = 1, 3 do
      items[k] = k == axis and ({ {}, { 1, -1 }, { 1, axis + 4 } })[#list % 3 + 1] or table.remove(others, 1)
      if k < axis and type(items[k]) == "table" then at = at + 1 end
    end
    list[#list + 1] = { items, at }
  end
  list[#list + 1] = { { new, {}, new, {} }, axis == 1 and 2 or axis == 2 and 4 or 5 }
  return list
end

function checks.indices()
  for axis = 1, 3 do
    local a = numbers { 5, 6, 7 }
    local s = dist.shard(a, axis)
    for k, case in ipairs(whole_axis(axis)) do
      local what = ("index %d, axis %d"):format(k, axis)
      local t = s[case[1] ]
      equal(what, case[2], t.axis)
      same(what, a[case[1] ], t)
      same(what .. ", computed with", a[case[1] ] * 2 + 1, t * 2 + 1)
    end
    equal("T", 4 - axis, s.T.axis)
    same("T", a.T, s.T)
  end
  local a = numbers { 3, 4 }
  local s, r = dist.shard(a, 2), dist.replicate(a)
  same("a position", a[2], s[2])
  same("replicated", a[{ 2, { 3, 4 } }], r[{ 2, { 3, 4 } }])
  equal("an element", a[{ 2, 3 }]:item(), r[{ 2, 3 }]:item())
  s[1].block:fill(7)
  same("a view", gpuarray.full({ 4 }, 7), s[1])
  raises("index 2 must be {}, got 1: axis 2 is divided", function() return s[{ {}, 1 }] end)
  raises("index 2 must be {}", function() return s[{ 1, { 1, 2 } }] end)
  raises("index 2 must be {}", function() return s[{ {}, { -1, 1, -1 } }] end)
  raises("index 2 must be {}, got 3", function() return s[{ {}, 3 }] end)
  raises("index 4 of axis 1 is out of range", function() return s[4] end)
  raises("too many indices", function() return s[{ 1, {}, 1 }] end)
  raises("got an array; call a:take(positions, { axis = 1 })", function() return s[gpuarray.arange(3)] end)
  raises("it has the field 'x'", function() return s[{ x = 1 }] end)
end

function checks.copy()
  local a = numbers { 5, 3 }
  local s = dist.shard(a, 1)
  local c = s:copy()
  s.block:fill(0)
  same("copy", a, c)
  equal("its axis", 1, c.axis)
end

function checks.reshape()
  local a = numbers { 4, 6, 5 }
  local cases = {
    [1] = { { { 4, 30 }, 1 }, { { 4, 3, 2, -1 }, 1 }, { { 1, 4, 30 }, 2 } },
    [2] = { { { 2, 2, 6, 5 }, 3 }, { { 4, 6, 5, 1 }, 2 } },
    [3] = { { { 24, 5 }, 2 }, { { 6, 4, 5 }, 3 } },
  }
  for axis, list in ipairs(cases) do
    local s = dist.shard(a, axis)
    for _, case in ipairs(list) do
      local t = s:reshape(case[1])
      equal("the axis", case[2], t.axis)
      same("reshape", a:reshape(case[1]), t)
      same("with numbers", a:reshape(case[1]), s:reshape(unpack(case[1])))
    end
  end
  same("replicated", a:reshape(-1), dist.replicate(a):reshape(-1))
  same("empty", gpuarray.zeros { 0, 2, 3 }, dist.zeros { 0, 6 }:reshape(0, 2, 3))
  local s = dist.shard(a, 1)
  raises("the divided axis must stay an axis of its own", s.reshape, s, 120)
  raises("the divided axis must stay", s.reshape, s, { 2, 60 })
  raises("cannot reshape 120 elements", s.reshape, s, 7)
  raises("expected a distributed array", s.reshape, a, 7)
end

-- ---- moving ---------------------------------------------------------------------------------------------------------

function checks.redistribute()
  each(function(shape, axis)
    local a = numbers(shape)
    local s = dist.shard(a, axis)
    for to = 1, #shape do
      local t = s:redistribute(to)
      equal("the axis", to, t.axis)
      same("redistribute", a, t)
      same("its block", dist.shard(a, to).block, t.block)
      same("of a replicated array", a, dist.replicate(a):redistribute(to))
    end
    local whole = s:redistribute()
    same("to all", a, whole.block)
    whole.block:fill(0)
    same("a copy", a, s)
  end)
  local s = dist.shard(numbers { 8 }, 1)
  equal("nothing to do", s, s:redistribute(-1))
  local mask = numbers({ 5, 6 }, "bool")
  same("bool", mask, dist.shard(mask, 1):redistribute(2))
end

-- Rows of an array by their positions, beyond the ends of it: those of the other end, or a value, or none.
local function rows(a, axis, first, last, fill)
  local n, list = a.shape[axis], {}
  local function part(i, past)
    local items = {}
    for k = 1, axis - 1 do items[k] = {} end
    items[axis] = { i, past or i }
    return a[items]
  end
  for i = first, last do
    if i >= 1 and i <= n then
      list[#list + 1] = part(i)
    elseif fill == "periodic" then
      list[#list + 1] = part((i - 1) % n + 1)
    elseif fill then
      list[#list + 1] = part(1) * 0 + fill
    end
  end
  list[#list + 1] = part(1, 0) -- if nothing else is
  return gpuarray.concatenate(list, axis)
end

function checks.halo()
  for _, shape in ipairs { { 1 }, { 3 }, { 7 }, { 300 }, { 6, 4 }, { 3, 10 }, { 2, 5, 3 }, { 5, 0 } } do
    for axis = 1, #shape do
      local a = numbers(shape)
      local s = dist.shard(a, axis)
      for _, width in ipairs { 0, 1, 2, shape[axis] } do
        if width <= shape[axis] then
          local got = { s:halo(width), s:halo(width, { fill = 0.5 }), s:halo(width, { periodic = true }) }
          for k, fill in ipairs { false, 0.5, "periodic" } do
            same("halo " .. tostring(fill), rows(a, axis, s.first - width, s.last + width, fill), got[k])
            got[k]:fill(-1)
            got[k]:release()
          end
          same("a halo is a new array", a, s)
        end
      end
    end
  end
  -- Diffusion by a stencil over the blocks, some of which are empty.
  local s
  for _, n in ipairs { 1, 2, 3, 37 } do
    local a = numbers { n, 5 }
    s = dist.shard(a, 1)
    for _ = 1, 3 do
      local wide = gpuarray.pad(a, { { 1, 1 }, { 0, 0 } }, "constant")
      a = a + 0.1 * (wide[{ { 1, n } }] - 2 * a + wide[{ { 3, n + 2 } }])
      local h = s:halo(1, { fill = 0 })
      s = s:with_block(s.block + 0.1 * (h[{ { 1, -3 } }] - 2 * s.block + h[{ { 3, -1 } }]))
    end
    same("a stencil", a, s)
  end
  same("as a function", s:halo(2, { periodic = true }), dist.halo(s, 2, { periodic = true }))
end

return M
