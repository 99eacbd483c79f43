-- What each rank checks of take() of distributed arrays.
local cuda = require "cudalua"
local gpuarray, ndarray, dist = cuda.gpuarray, cuda.ndarray, cuda.distributed
local world = dist.init()
local rank, size = world.rank, world.size
local base = dofile "spec/support/sharded_checks.lua"
local pairwise = require "cudalua.distributed.array.pairwise"
local same, equal, numbers, raises = base.same, base.equal, base.numbers, base.raises

local M = { checks = {} }
local checks = M.checks

-- n positions from 1 to `extent` and from the end, in no order, many of them several times.
local function positions(n, extent, dtype)
  local i = gpuarray.arange(n, "int64")
  local p = (i * 7919 + n) % extent
  if dtype and dtype:find "uint" then return (p + 1):astype(dtype):eval() end
  return ((i % 3):eq(0):where(-1 - p, p + 1)):astype(dtype or "int64"):eval()
end

-- Compares takes along all axes of an array that is divided along any axis, by what all ranks pass.
local function compare(what, a, list, options)
  for axis = 1, a.ndim do
    for from = 1, a.ndim + 1 do
      local s = from <= a.ndim and dist.shard(a, from) or dist.replicate(a)
      local o = { axis = axis, mode = options and options.mode }
      local t = s:take(list, o)
      same(("%s: axis %d of one along axis %d"):format(what, axis, from), a:take(list, o), t)
    end
  end
end

function checks.given()
  for _, shape in ipairs(base.all and { { 7 }, { 300 }, { 10, 3 }, { 2, 29, 3 }, { 1, 5 } } or { { 7 }, { 10, 3 } }) do
    local a = numbers(shape)
    local extent = math.min(unpack(shape))
    for _, n in ipairs { 0, 1, 50 } do compare(n .. " positions", a, positions(n, extent)) end
    compare("of two axes", a, positions(12, extent):reshape(4, 3))
    compare("of the host", a, positions(5, extent):get { array = true })
    compare("a list", a, { 1, -1, 1 })
    compare("nested lists", a, { { 1, -1 }, { 1, 1 } })
    compare("a number", a, -1)
    compare("an empty list", a, {})
  end
  local a = numbers { 9, 4 }
  local s = dist.shard(a, 1)
  equal("divided along the first axis of the positions", 1, s:take({ { 1, 2 }, { 3, 4 } }, { axis = 1 }).axis)
  equal("one position is on all ranks", nil, s:take(3, { axis = 1 }).axis)
  equal("it stays divided", 1, s:take({ 1, 2 }, { axis = 2 }).axis)
  equal("behind more axes", 3, dist.shard(a, 2):take({ { 1, 2 }, { 3, 4 } }, { axis = 1 }).axis)
  equal("behind fewer axes", 1, dist.shard(a, 2):take(1, { axis = 1 }).axis)
  same("a negative axis", a:take({ 2, 4 }, { axis = -2 }), s:take({ 2, 4 }, { axis = -2 }))
  same("a vector needs no axis", a:reshape(36):take { 5, -1 }, dist.shard(a:reshape(36), 1):take { 5, -1 })
  same("of an expression", (a * 2 + 1):take({ 9, 1 }, { axis = 1 }), (s * 2 + 1):take({ 9, 1 }, { axis = 1 }))
  same("of a view", a.T[{ {}, {} }]:take({ 9, 1 }, { axis = 2 }), s.T:take({ 9, 1 }, { axis = 2 }))
  local all = numbers { 5, 0 }
  same("no elements", all:take({ 3, 1 }, { axis = 1 }), dist.shard(all, 1):take({ 3, 1 }, { axis = 1 }))
  same("none of none", all:take({}, { axis = 2 }), dist.shard(all, 2):take({}, { axis = 2 }))
end

function checks.distributed()
  for _, shape in ipairs(base.all and { { 7 }, { 300 }, { 10, 3 }, { 2, 29, 3 } } or { { 300 }, { 2, 29, 3 } }) do
    local a = numbers(shape)
    for _, n in ipairs { 0, 1, 301 } do
      for axis, extent in ipairs(shape) do
        local list = positions(n, extent)
        for from = 1, #shape + 1 do
          local s = from <= #shape and dist.shard(a, from) or dist.replicate(a)
          local what = ("%d positions on axis %d of one along axis %d"):format(n, axis, from)
          local expected = a:take(list, { axis = axis })
          local t = s:take(dist.shard(list, 1), { axis = axis })
          equal(what, from ~= axis and s.axis or axis, t.axis or from > #shape and axis)
          same(what, expected, t)
          same(what .. ", on all ranks", expected, s:take(dist.replicate(list), { axis = axis }))
        end
      end
    end
  end
  local a, list = numbers { 9, 4 }, positions(15, 9):reshape(3, 5)
  for along = 1, 2 do
    local t = dist.shard(a, 1):take(dist.shard(list, along), { axis = 1 })
    equal("divided as the positions", along, t.axis)
    same("positions of two axes", a:take(list, { axis = 1 }), t)
  end
  local x = numbers { 1003 }
  local s = dist.shard(x, 1)
  same("sorted by its positions", x:sort(), s:take(s:argsort()))
  local order = gpuarray.arange(1003, 0, -1)
  same("in reverse", x:take(order), s:take(dist.arange(1003, 0, -1)))
end

function checks.modes()
  local a = numbers { 23, 3 }
  local far = { 1, 23, 24, 0, -1, -23, -24, 100, -100, 2 ^ 40, -2 ^ 40 }
  for _, mode in ipairs { "wrap", "clip" } do
    for _, dtype in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" } do
      local list = positions(40, 23, dtype)
      local some = {}
      for _, p in ipairs(far) do
        local bits = tonumber(dtype:match "%d+")
        local least, most = dtype:find "uint" and 0 or -2 ^ (bits - 1), dtype:find "uint" and 2 ^ bits or 2 ^ (bits - 1)
        if p >= least and p < most then some[#some + 1] = p end
      end
      some = gpuarray.to_gpu(some, dtype)
      if base.all or dtype == "int8" then compare(mode .. " " .. dtype, a[{ { 1, 3 } }], some, { mode = mode }) end
      same(mode, a:take(some, { axis = 1, mode = mode }), dist.shard(a, 1):take(some, { axis = 1, mode = mode }))
      same(mode, a:take(list, { axis = 1, mode = mode }),
        dist.shard(a, 1):take(dist.shard(list, 1), { axis = 1, mode = mode }))
      same("raise " .. dtype, a:take(list, { axis = 1 }), dist.shard(a, 1):take(dist.shard(list, 1), { axis = 1 }))
    end
    for _, host in ipairs { ndarray.array({ 0x7fffffffffffffffLL, -0x7fffffffffffffffLL - 1 }, "int64"),
      ndarray.array({ 0xffffffffffffffffULL, 0x8000000000000000ULL }, "uint64") } do
      local ends = gpuarray.to_gpu(host)
      same("the last " .. ends.dtype.name, a:take(ends, { axis = 1, mode = mode }),
        dist.shard(a, 1):take(ends, { axis = 1, mode = mode }))
    end
  end
  for _, dtype in ipairs { "bool", "int8", "float16", "float64", "complex128" } do
    local x = numbers({ 31 }, dtype)
    same(dtype, x:take(positions(40, 31)), dist.shard(x, 1):take(dist.shard(positions(40, 31), 1)))
  end
end

-- The message that one device has, but for the name of the function.
local function message_of(f, ...)
  local ok, err = pcall(f, ...)
  if ok then error("expected an error", 2) end
  return (err.message:gsub("^gpuarray%.", ""))
end

function checks.refused()
  local a = numbers { 9, 4 }
  local s, t = dist.shard(a, 1), dist.shard(a, 2)
  for _, bad in ipairs { { { 1, 10, 2 } }, { { 1, -10 } }, { { 0, 1 } }, { { 1, 2, 3, 4, 5, 6, 7, 8, 10 } }, { 11 },
    { { { 1, 2 }, { 3, 12 } } }, { { 0, 1, 1, 1, 1, 1, 1, 1, 1 } }, { "x" }, { { 1.5 } },
    { gpuarray.ones(9):gt(0) }, { gpuarray.ones(3) }, { { 1 }, { mode = "far" } }, { { 1 }, { axis = 3 } } } do
    local list, o = bad[1], { axis = 1 }
    for key, x in pairs(bad[2] or {}) do o[key] = x end
    local expected = message_of(a.take, a, list, o)
    for _, x in ipairs { s, t, dist.replicate(a) } do
      local ok, err = pcall(x.take, x, list, o)
      local got = ok and "nothing" or err.message
      -- Only the ranks that have the position find it.
      if got ~= expected and not got:find("refused the call: " .. expected, 1, true) then
        error(("expected '%s', got '%s'"):format(expected, got))
      end
    end
  end
  local none = numbers { 0, 4 }
  raises(message_of(none.take, none, { 1, 2 }, { axis = 1 }), function()
    return dist.shard(none, 1):take({ 1, 2 }, { axis = 1 })
  end)
  -- A position of one rank alone, at its place among all of them.
  local list = gpuarray.ones(40, "int64")
  list[{ { 35 } }]:fill(77)
  local expected = message_of(a.take, a, list, { axis = 1 })
  equal("the place", "take: indices has 77 at [35]; axis 1 of the shape (9, 4) has 9 elements", expected)
  for _, x in ipairs { s, t } do
    local ok, err = pcall(x.take, x, dist.shard(list, 1), { axis = 1 })
    equal("no result", false, ok)
    local own = rank == size - 1 and expected or ("take: rank %d refused the call: %s"):format(size - 1, expected)
    equal("the message", own, err.message)
    if rank < size - 1 then equal("the rank", size - 1, err.rank) end
  end
  raises("unknown option 'out'; valid options: axis, mode", s.take, s, { 1 }, { axis = 1, out = a })
  raises("axis is missing", s.take, s, { 1 })
  raises("a 0-d array has no axis", dist.zeros({}).take, dist.zeros {}, 1)
  raises("expected a distributed array", s.take, a, 1)
  raises("indices are positions", s.take, s, dist.ones({ 9 }, "bool"), { axis = 1 })
  raises("positions must be integers", s.take, s, dist.ones { 9 }, { axis = 1 })
  for _, x in ipairs { gpuarray.arange(3), ndarray.array { 1, 2 }, dist.arange(3) } do
    raises("index 2 is an array; call a:take(positions, { axis = 2 })", function() return s[{ {}, x }] end)
  end
  if size > 1 then
    raises("the ranks must pass the same elements", s.take, s, { rank + 1 }, { axis = 1 })
    raises("the ranks must pass the same elements", s.take, s, gpuarray.full({ 2 }, rank + 1, "int32"), { axis = 2 })
    raises("the ranks must make the same call", s.take, s, { 1 }, { axis = rank == 0 and 1 or 2 })
    raises("the ranks must make the same call", s.take, s, { 1 }, { axis = 1, mode = rank == 0 and "wrap" or "clip" })
    local half = world:split { color = rank % 2 }
    raises("different groups", s.take, s, dist.zeros({ 3 }, "int32", { group = half }), { axis = 1 })
    half:close()
  end
  same("after it", a, s)
end

-- What goes to other ranks: each position that a rank has not itself once, and its element.
function checks.moves()
  local a = numbers { 600, 5 }
  local s = dist.shard(a, 1):eval()
  local sent = 0
  local exchange = pairwise.exchange
  pairwise.exchange = function(group, where, sends, receives)
    equal("for messages", "take", where)
    for _, transfer in ipairs(sends) do
      sent = sent + (transfer.array.ndim == 2 and transfer.array.size or 0)
      if transfer.array.ndim == 1 then equal("positions", "int32", transfer.array.dtype.name) end
    end
    exchange(group, where, sends, receives)
  end
  local function count(list)
    sent = 0
    local t = s:take(list, { axis = 1 })
    local all = sent
    same("the elements", a:take(list.block and list:gather() or list, { axis = 1 }), t)
    return world:all_reduce(gpuarray.scalar(all)):item() / 5
  end
  equal("what is in place", 0, count(dist.arange(1, 601)))
  equal("one element that all want", size - 1, count(dist.full({ 600 }, 300, "int64")))
  local first = dist.shard(gpuarray.arange(600) % 2 + 1, 1)
  equal("two elements that all want", 2 * (size - 1), count(first))
  equal("along another axis", 0, (function()
    sent = 0
    same("it", a:take({ 5, 1 }, { axis = 2 }), s:take({ 5, 1 }, { axis = 2 }))
    return sent
  end)())
  pairwise.exchange = exchange
end

return M
