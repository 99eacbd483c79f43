-- What each rank checks of sorted distributed arrays.
local cuda = require "cudalua"
local gpuarray, dist = cuda.gpuarray, cuda.distributed
local world = dist.init()
local base = dofile "spec/support/sharded_checks.lua"
local calls = require "cudalua.distributed.calls"
local pairwise = require "cudalua.distributed.array.pairwise"
local splitters = require "cudalua.distributed.array.splitters"
local same, equal, numbers, raises = base.same, base.equal, base.numbers, base.raises

local M = { checks = {} }
local checks = M.checks

-- Both orders of a vector; the positions show that equal elements keep their order.
local function compare(what, a)
  for _, descending in ipairs { false, true } do
    local how = { descending = descending }
    same(what, a:sort(how), dist.shard(a, 1):sort(how))
    same("positions, " .. what, a:argsort(how), dist.shard(a, 1):argsort(how))
  end
end

-- So few samples take many rounds, and windows that have more and fewer elements than samples.
local function with_samples(count, f)
  local usual = splitters.SAMPLES
  splitters.SAMPLES = count
  f()
  splitters.SAMPLES = usual
end

-- Vectors whose blocks need all exchanges and none, with all equal elements and many: pairs of a name and a vector, in
-- the same order on all ranks.
local function cases(n)
  local a = numbers { n }
  return { { "random", a }, { "sorted", a:sort() }, { "reversed", a:sort():flip():copy() }, { "constant", a * 0 + 1 },
    { "few", (a % 3):floor() }, { "one other", gpuarray.arange(n, "float32"):eq(n - 1):astype "float32" } }
end

function checks.vectors()
  for _, n in ipairs { 0, 1, 3, 10 } do compare("few elements", numbers { n }) end
  for _, case in ipairs(cases(1003)) do
    local what, a = unpack(case)
    compare(what, a)
    with_samples(2, function() compare(what, a) end)
  end
  local a = numbers { 301 }
  a[{ { 7, 11 } }]:fill(0 / 0)
  a[{ { 200, 260 } }]:fill(0)
  a[{ { 100, 160, 3 } }]:fill(-0.0)
  compare("NaN and zeros of both signs", a)
  compare("in reverse", a:sort():flip():copy())
  local empty = dist.zeros { 0 }
  equal("the dtype of positions", "int64", empty:argsort().dtype.name)
end

-- Integers all over the range, and such that float64 cannot tell apart.
local function long(n, dtype)
  local i = gpuarray.arange(n, dtype)
  return { i * 7905747460161236407LL, i * 7919 % n + 2LL ^ 62 }
end

function checks.dtypes()
  local n = 103
  for _, dtype in ipairs { "int8", "uint8", "int16", "uint32", "float16", "bfloat16", "float64", "bool" } do
    compare(dtype, numbers({ n }, dtype))
  end
  for _, dtype in ipairs { "int64", "uint64" } do
    for _, a in ipairs(long(n, dtype)) do
      equal("the dtype", dtype, a.dtype.name)
      compare(dtype, a)
    end
  end
  for _, dtype in ipairs { "complex64", "complex128" } do
    local a = numbers({ n }, dtype)
    a[{ { 1, 90, 7 } }]:set(gpuarray.complex(gpuarray.full({ 13 }, -0.0), gpuarray.arange(13) % 2):astype(dtype))
    a[{ { 2, 90, 9 } }]:set(gpuarray.complex(gpuarray.zeros { 10 }, gpuarray.arange(10) % 2):astype(dtype))
    a[{ { 5, 9 } }]:fill(0 / 0)
    compare(dtype, a)
  end
end

function checks.lines()
  local b = numbers { 13, 6 }
  for axis = 1, 2 do
    for along = 1, 2 do
      for _, method in ipairs { "sort", "argsort" } do
        local s = dist.shard(b, axis)
        s = s[method](s, along)
        same(method, b[method](b, along), s)
        equal("the axis", axis, s.axis)
      end
    end
  end
  same("replicated", b:sort(1), dist.replicate(b):sort(1))
  same("replicated", b:argsort { axis = 1, descending = true },
    dist.replicate(b):argsort { axis = 1, descending = true })
  for _, method in ipairs { "sort", "argsort" } do
    local s, z = dist.shard(b, 1), dist.zeros {}
    raises("axis 3", s[method], s, 3)
    raises("0-d array", z[method], z)
    raises("unknown option", s[method], s, { order = 1 })
    if world.size > 1 then
      raises("the ranks must make the same call", s[method], s, { axis = 1, descending = world.rank == 0 })
    end
  end
end

-- Counts what f gives to other ranks: elements by the name of the call between ranks, or "send" for exchanges, and the
-- calls.
local function counted(f)
  local elements, made = { send = 0 }, { send = 0 }
  local exchange, from_all = pairwise.exchange, calls.from_all
  calls.from_all = function(group, name, a, ...)
    elements[name], made[name] = (elements[name] or 0) + a.size, (made[name] or 0) + 1
    return from_all(group, name, a, ...)
  end
  pairwise.exchange = function(group, where, sends, receives)
    for _, transfer in ipairs(sends) do
      elements.send, made.send = elements.send + transfer.array.size, made.send + 1
    end
    exchange(group, where, sends, receives)
  end
  f()
  pairwise.exchange, calls.from_all = exchange, from_all
  return elements, made
end

function checks.moves()
  local n, samples = 6000, 4
  for _, case in ipairs(cases(n)) do
    local what, a = unpack(case)
    local x = dist.shard(a, 1):eval()
    local sorted
    with_samples(samples, function()
      local elements, count = counted(function() sorted = x:sort() end)
      local rounds = math.ceil(math.log(n) / math.log((samples + 1) / 2)) + 1
      equal(what .. ": no element is sent twice", true, elements.send <= x.block.size)
      equal(what .. ": ranks need one message at most", true, count.send < world.size)
      local gathers = count.all_gather or 0
      equal(what .. ": samples", true, world.size == 1 or gathers > 0)
      if gathers > rounds then equal(what .. ": rounds", rounds, gathers) end
      if gathers > 0 then
        equal(what .. ": few samples", true, elements.all_gather <= gathers * samples * (world.size - 1))
      end
      for name in pairs(count) do equal("a call", true, name == "send" or name == "all_gather") end
      if what == "sorted" or what == "constant" then equal(what .. ": what is in place stays", 0, elements.send) end
    end)
    same(what, a:sort(), sorted)
  end
end

return M
