-- What each rank checks of all calls, against loops in Lua over the data of all ranks, which each of them can make.
-- Prints a line for each check that passed. arg: the number of ranks, and under mpirun "mpi" and the bytes of a block.
local cuda, ffi = require "cudalua", require "ffi"
require "spec.support.quick"
local gpuarray, ndarray = cuda.gpuarray, cuda.ndarray
local world = cuda.distributed.init()
local rank, size = world.rank, world.size
local with_nccl = world.transport == "nccl" -- which has other rules: docs/distributed.md
local mpi = world.transport == "mpi" and require "cudalua.distributed.transport.mpi"
if arg[3] then mpi.block = tonumber(arg[3]) end

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64" }
local SHAPES = { {}, { 0 }, { 1 }, { 7 }, { 3, 5 }, { 2, 3, 4 } }

local function fail(...) error(("rank %d: "):format(rank) .. string.format(...), 2) end

local function count(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

-- A small number that every dtype holds, of an element of a rank: from 0 to 3, or 0 and 1.
local function value(r, i, dtype) return (r * 7 + i * 3 + math.floor(i / 5)) % (dtype == "bool" and 2 or 4) end

local function array_of(r, shape, dtype)
  local list = ndarray.empty({ count(shape) }, dtype)
  for i = 1, count(shape) do list[i] = dtype == "bool" and value(r, i, dtype) == 1 or dtype ~= "bool" and
    value(r, i, dtype) end
  return list:reshape(shape)
end

-- An array, host or device, as numbers in C order.
local function numbers(a)
  local h = ndarray.is_array(a) and a or a:get { array = true }
  h = h:copy "C":reshape(h.size)
  local list = {}
  for i = 1, h.size do
    local x = h[i]
    list[i] = x == true and 1 or x == false and 0 or tonumber(x)
  end
  return list
end

local function check(what, a, shape, dtype, expected)
  if table.concat(a.shape, " ") ~= table.concat(shape, " ") then
    fail("%s: the shape is %s", what, tostring(a.shape))
  end
  if a.dtype.name ~= dtype then fail("%s: the dtype is %s", what, a.dtype.name) end
  for i, got in ipairs(numbers(a)) do
    local x = expected(i)
    if got ~= x and (got == got or x == x) then fail("%s: element %d is %s, expected %s", what, i, got, x) end
  end
end

-- ---- reductions -----------------------------------------------------------------------------------------------------

local function combined(op, i, dtype)
  local x = value(0, i, dtype)
  for r = 1, size - 1 do
    local y = value(r, i, dtype)
    if op == "sum" or op == "mean" then x = x + y
    elseif op == "prod" then x = x * y
    elseif op == "min" then x = math.min(x, y)
    else x = math.max(x, y) end
  end
  if op ~= "mean" then return x end
  x = x / size
  return numbers(ndarray.array({ x }, dtype))[1] -- rounded
end

local function each_reduction(f)
  for _, dtype in ipairs(DTYPES) do
    for _, op in ipairs { "sum", "prod", "min", "max", "mean" } do
      local is_float = dtype:find "float"
      if with_nccl and (dtype == "int16" or dtype == "uint16") then
        local ok, err = pcall(world.all_reduce, world, gpuarray.ones(1, dtype), { op = op })
        local remedy = op == "mean" and "astype('float32')" or "NCCL does not have it; convert the array with " ..
          "astype('int32')"
        if ok or not err.message:find(remedy, 1, true) then fail("%s %s: %s", dtype, op, tostring(err)) end
      elseif (dtype ~= "bool" or op == "min" or op == "max") and (op ~= "mean" or is_float) then
        local shape = SHAPES[1 + (#dtype + #op) % #SHAPES]
        f(dtype, op, shape)
        if dtype == "float32" then
          for _, other in ipairs(SHAPES) do f(dtype, op, other) end
        end
      end
    end
  end
end

local checks = {}

function checks.all_reduce()
  each_reduction(function(dtype, op, shape)
    local host = array_of(rank, shape, dtype)
    local function expected(i) return combined(op, i, dtype) end
    check("host " .. dtype .. op, world:all_reduce(host, { op = op }), shape, dtype, expected)
    local a = gpuarray.to_gpu(host)
    check("device " .. dtype .. op, world:all_reduce(a, { op = op }), shape, dtype, expected)
    check("unchanged", a, shape, dtype, function(i) return value(rank, i, dtype) end)
    local before = a:copy()
    if world:all_reduce(a, { op = op, out = a }) ~= a then fail "out is not what is returned" end
    check("in place", a, shape, dtype, expected)
    check("a copy", before, shape, dtype, function(i) return value(rank, i, dtype) end)
  end)
end

function checks.reduce()
  each_reduction(function(dtype, op, shape)
    local root = (#dtype + #op) % size
    local a = gpuarray.to_gpu(array_of(rank, shape, dtype))
    local out = world:reduce(a, { op = op, root = root })
    if rank ~= root and out ~= nil then fail "a result that is not root's" end
    if rank == root then check("reduce", out, shape, dtype, function(i) return combined(op, i, dtype) end) end
  end)
end

function checks.reduce_scatter()
  each_reduction(function(dtype, op, shape)
    local n = count(shape)
    local a = array_of(rank, { size, unpack(shape) }, dtype)
    check("reduce_scatter", world:reduce_scatter(gpuarray.to_gpu(a), { op = op }), shape, dtype, function(i)
      return combined(op, rank * n + i, dtype)
    end)
  end)
end

-- ---- moves ----------------------------------------------------------------------------------------------------------

local function each_move(f)
  for k, dtype in ipairs(DTYPES) do
    f(dtype, SHAPES[1 + k % #SHAPES])
    if dtype == "float32" then
      for _, shape in ipairs(SHAPES) do f(dtype, shape) end
    end
  end
end

function checks.broadcast()
  each_move(function(dtype, shape)
    local root = #dtype % size
    local function expected(i) return value(root, i, dtype) end
    local mine = array_of(rank, shape, dtype)
    check("broadcast", world:broadcast(gpuarray.to_gpu(mine), { root = root }), shape, dtype, expected)
    check("host", world:broadcast(mine, { root = root }), shape, dtype, expected)
    check("nil", world:broadcast(rank == root and mine or nil, { root = root }), shape, dtype, expected)
    local out = gpuarray.empty(shape, dtype)
    world:broadcast(rank == root and mine or nil, { root = root, out = out })
    check("out", out, shape, dtype, expected)
  end)
end

local function gathered(shape, dtype)
  local n = count(shape)
  return function(i) return value(math.floor((i - 1) / n), (i - 1) % n + 1, dtype) end
end

function checks.all_gather()
  each_move(function(dtype, shape)
    local a = gpuarray.to_gpu(array_of(rank, shape, dtype))
    check("all_gather", world:all_gather(a), { size, unpack(shape) }, dtype, gathered(shape, dtype))
  end)
end

function checks.gather()
  each_move(function(dtype, shape)
    local root = #dtype % size
    local all = world:gather(array_of(rank, shape, dtype), { root = root })
    if rank ~= root and all ~= nil then fail "a result that is not root's" end
    if rank == root then check("gather", all, { size, unpack(shape) }, dtype, gathered(shape, dtype)) end
  end)
end

function checks.scatter()
  each_move(function(dtype, shape)
    local root, n = #dtype % size, count(shape)
    local a = rank == root and gpuarray.to_gpu(array_of(root, { size, unpack(shape) }, dtype)) or nil
    check("scatter", world:scatter(a, { root = root }), shape, dtype, function(i)
      return value(root, rank * n + i, dtype)
    end)
  end)
end

function checks.all_to_all()
  each_move(function(dtype, shape)
    local all, n = { size, unpack(shape) }, count(shape)
    local a = gpuarray.to_gpu(array_of(rank, all, dtype))
    local function expected(i) return value(math.floor((i - 1) / n), rank * n + (i - 1) % n + 1, dtype) end
    check("all_to_all", world:all_to_all(a), all, dtype, expected)
    world:all_to_all(a, { out = a })
    check("in place", a, all, dtype, expected)
  end)
end

-- In a ring, also more than fits into what is sent at once.
function checks.send_recv()
  local handle = world:all_reduce(gpuarray.ones(3), { async = true })
  for _, misuse in ipairs { function() return handle * 2 end, function() return gpuarray.ones(3) + handle end,
    function() world:all_reduce(handle) end, function() return handle:result() end } do
    local ok, err = pcall(misuse)
    if ok or not err.message:find("wait()", 1, true) then fail("a handle as an array: %s", tostring(err)) end
  end
  if size == 1 then return end
  local to, from = (rank + 1) % size, (rank - 1) % size
  for _, case in ipairs { { "int8", { 3, 5 } }, { "float64", { 0 } }, { "float32", { 50000 } }, { "complex64", {} } } do
    local dtype, shape = case[1], case[2]
    local source = dtype == "complex64" and "float32" or dtype
    local a = gpuarray.to_gpu(array_of(rank, shape, source)):astype(dtype)
    local b = gpuarray.empty(shape, dtype)
    if rank == 0 then
      world:send(a, { to = to })
      world:recv(b, { from = from, out = b })
    else
      world:recv(b, { from = from, out = b })
      world:send(a, { to = to })
    end
    check("ring", b:real(), shape, source, function(i) return value(from, i, source) end)
  end
end

-- ---- handles --------------------------------------------------------------------------------------------------------

-- Makes a call with async = true, and checks the handle; returns its result.
local function waited(name, a, options)
  options.async = true
  local handle = world[name](world, a, options)
  if tostring(handle) ~= ("Handle(%s)"):format(name) then fail("%s: the text is %s", name, tostring(handle)) end
  if not with_nccl and not handle:is_done() then fail("%s: it is not done", name) end
  local result = handle:wait()
  if handle:wait() ~= result then fail("%s: another result", name) end
  if result then numbers(result) end
  if result and not handle:is_done() then fail("%s: it is not done, and its result was read", name) end
  return result
end

-- The calls of an array, with and without handles; `on` gives the array on either side.
local function check_handles(on)
  local function same(name, a, options, n)
    local o = {}
    for key, x in pairs(options or {}) do o[key] = x end
    local expected, got = world[name](world, a, o), waited(name, a, o)
    if not expected then
      if got ~= nil then fail("%s: a result without async = true only", name) end
      return
    end
    if ndarray.is_array(got) ~= ndarray.is_array(expected) then fail("%s: the side", name) end
    local list = numbers(expected)
    if #list ~= n then fail("%s: %d elements", name, #list) end
    check(name, got, expected.shape, expected.dtype.name, function(i) return list[i] end)
  end
  local n = 6
  local one, root = on(array_of(rank, { 2, 3 }, "float32")), size - 1
  local all = on(array_of(rank, { size, 2, 3 }, "int32"))
  same("all_reduce", one, { op = "max" }, n)
  same("reduce", one, { root = root }, n)
  same("broadcast", one, { root = root }, n)
  same("broadcast", rank == root and one or nil, { root = root }, n)
  same("all_gather", one, nil, size * n)
  same("gather", one, { root = root }, size * n)
  same("scatter", all, { root = root }, n)
  same("reduce_scatter", all, { op = "min" }, n)
  same("all_to_all", all, nil, size * n)
  same("all_reduce", on(array_of(rank, { 0 }, "float32")), nil, 0)
  local sum = numbers(world:all_reduce(one))
  local out = on(ndarray.zeros({ 3, 2 }, "float32")).T
  if waited("all_reduce", one, { out = out }) ~= out then fail "out is not the result" end
  check("out", out, { 2, 3 }, "float32", function(i) return sum[i] end)
  local host = ndarray.zeros({ 2, 3 }, "float32")
  if waited("all_reduce", one, { out = host }) ~= host then fail "out is not the result" end
  check("host", host, { 2, 3 }, "float32", function(i) return sum[i] end)
  if waited("all_reduce", one, { out = one }) ~= one then fail "out is not the result" end
  check("in place", one, { 2, 3 }, "float32", function(i) return sum[i] end)
end

function checks.handles()
  check_handles(gpuarray.to_gpu)
  check_handles(function(a) return a end)
  local pending = waited("all_gather", gpuarray.full({ 2 }, rank, "int32") + 1, {})
  check("a pending array", pending, { size, 2 }, "int32", function(i) return math.ceil(i / 2) end)
  -- Only one of the ranks has a handle.
  local sum = rank == 0 and waited("all_reduce", gpuarray.ones(3), {}) or world:all_reduce(gpuarray.ones(3))
  check("mixed", sum, { 3 }, "float32", function() return size end)
  for _, bad in ipairs { 1, "yes", {} } do
    local ok, err = pcall(world.all_reduce, world, gpuarray.ones(3), { async = bad })
    if ok or not err.message:find("all_reduce: async must be true or false", 1, true) then fail("%s", tostring(err)) end
  end
  if size == 1 then return end
  local to, from = (rank + 1) % size, (rank - 1) % size
  local a, b = gpuarray.full({ 50000 }, rank), gpuarray.empty(50000)
  local function send()
    if waited("send", a, { to = to }) ~= nil then fail "send has a result" end
  end
  if rank == 0 then send() end
  if waited("recv", b, { from = from, out = b }) ~= b then fail "recv has another result" end
  if rank > 0 then send() end
  check("a ring", b, { 50000 }, "float32", function() return from end)
end

-- ---- what is large, pending, or lies otherwise ----------------------------------------------------------------------

function checks.large()
  local n = 200000 -- 1.6 MB: several rounds
  local a = gpuarray.arange(n, "float64") * (rank + 1)
  local factor = size * (size + 1) / 2
  check("large sum", world:all_reduce(a), { n }, "float64", function(i) return (i - 1) * factor end)
  local all = world:all_gather(a)
  check("large all_gather", all, { size, n }, "float64", function(i)
    return (i - 1) % n * (math.floor((i - 1) / n) + 1)
  end)
  check("large reduce_scatter", world:reduce_scatter(all), { n }, "float64", function(i)
    return (i - 1) * (rank + 1) * size
  end)
  local turned = world:all_to_all(all)
  check("large all_to_all", turned, { size, n }, "float64", function(i) return (i - 1) % n * (rank + 1) end)
  check("large scatter", world:scatter(all), { n }, "float64", function(i) return (i - 1) * (rank + 1) end)
  check("large broadcast", world:broadcast(rank == 0 and a or nil), { n }, "float64", function(i) return i - 1 end)
end

function checks.layouts()
  local a = gpuarray.arange(12, "float32"):reshape(3, 4)
  check("transposed", world:all_reduce(a.T), { 4, 3 }, "float32", function(i)
    return size * ((i - 1) % 3 * 4 + math.floor((i - 1) / 3))
  end)
  check("a view", world:all_reduce(a[{ {}, { 2, 3 } }]), { 3, 2 }, "float32", function(i)
    return size * (math.floor((i - 1) / 2) * 4 + (i - 1) % 2 + 1)
  end)
  local b = gpuarray.zeros { 3, 4 }
  world:all_reduce(a[{ {}, 1 }], { out = b[{ {}, 2 }] })
  check("out is a view", b, { 3, 4 }, "float32", function(i)
    return i % 4 == 2 and size * (i - 2) or 0
  end)
  local h = ndarray.zeros({ 4, 3 }, "float32")
  world:all_reduce(a + 1, { out = h.T })
  check("out is a transposed host array", h, { 4, 3 }, "float32", function(i)
    return size * ((i - 1) % 3 * 4 + math.floor((i - 1) / 3) + 1)
  end)
  local c = gpuarray.full({ 2 }, rank, "float32")
  local later = c + 1
  world:all_reduce(c, { out = c })
  check("pending before the call", later, { 2 }, "float32", function() return rank + 1 end)
end

-- ---- values ---------------------------------------------------------------------------------------------------------

-- float32 as Lua has it after rounding.
local function rounded(x)
  local box = ffi.new "float[1]"
  box[0] = x
  return box[0]
end

-- The tree over ranks, in the order of the documentation.
local function tree(list)
  while #list > 1 do
    local next_list = {}
    for k = 1, #list, 2 do
      next_list[#next_list + 1] = list[k + 1] and rounded(list[k] + list[k + 1]) or list[k]
    end
    list = next_list
  end
  return list[1]
end

function checks.order()
  if with_nccl then return end
  math.randomseed(7)
  local all = {}
  for r = 0, size - 1 do
    all[r] = {}
    for i = 1, 5000 do all[r][i] = rounded((math.random() - 0.5) * 10 ^ math.random(-6, 6)) end
  end
  local sum = world:all_reduce(gpuarray.to_gpu(all[rank]))
  check("the tree", sum, { 5000 }, "float32", function(i)
    local list = {}
    for r = 0, size - 1 do list[r + 1] = all[r][i] end
    return tree(list)
  end)
  local texts = world:all_gather(sum):get()
  for r = 1, size do
    for i = 1, 5000 do
      if texts[r][i] ~= texts[1][i] then fail("rank %d has other bits", r - 1) end
    end
  end
end

function checks.extremes()
  local nan, inf = 0 / 0, math.huge
  local list = rank == 0 and { nan, -0.0, inf, 1, 65504 } or { 3, 0.0, -inf, nan, 1 }
  for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
    local a = gpuarray.to_gpu(list, dtype)
    local low, high = numbers(world:all_reduce(a, { op = "min" })), numbers(world:all_reduce(a, { op = "max" }))
    if with_nccl and size > 1 then
      if low[3] ~= -inf or high[3] ~= inf then fail("%s: infinities", dtype) end
    elseif size > 1 then
      if low[1] == low[1] or high[1] == high[1] or low[4] == low[4] then fail("%s: NaN is lost", dtype) end
      if 1 / low[2] ~= -inf or 1 / high[2] ~= inf then fail("%s: the signs of zeros", dtype) end
      if low[3] ~= -inf or high[3] ~= inf then fail("%s: infinities", dtype) end
    end
  end
  local one = gpuarray.full({ 1 }, 2 ^ 31 - 1, "int32")
  check("integers wrap", world:all_reduce(one), { 1 }, "int32", function() return size * (2 ^ 31 - 1) % 2 ^ 32 -
    ((size * (2 ^ 31 - 1)) % 2 ^ 32 >= 2 ^ 31 and 2 ^ 32 or 0) end)
  if with_nccl then return end
  local short = gpuarray.full({ 1 }, 255, "uint16")
  local product = 255 ^ size % 65536
  check("products of short integers", world:all_reduce(short, { op = "prod" }), { 1 }, "uint16", function()
    return product
  end)
end

-- 16-bit floats: every value survives, sums are rounded once, to even.
function checks.short_floats()
  local every = ndarray.empty({ 65536 }, "uint16")
  for i = 1, 65536 do every[i] = i - 1 end
  for _, dtype in ipairs { "float16", "bfloat16" } do
    local a = gpuarray.to_gpu(every):view(dtype)
    local out, own = numbers(world:all_reduce(a, { op = "max" })), numbers(a)
    for i = 1, 65536 do
      if out[i] ~= own[i] and own[i] == own[i] then fail("%s: %g became %g", dtype, own[i], out[i]) end
    end
  end
  if with_nccl then return end -- it rounds at each step
  for _, case in ipairs { { "float16", 2048, 0.75 }, { "float16", 6e-8, 6e-8 }, { "float16", 65504, 15 },
    { "bfloat16", 256, 0.6 }, { "float16", 1, 0.00048828125 } } do
    local dtype, first, other = unpack(case)
    local x = ndarray.array({ rank == 0 and first or other }, dtype)
    local a, b = numbers(ndarray.array({ first }, dtype))[1], numbers(ndarray.array({ other }, dtype))[1]
    local exact = a + (size - 1) * b
    check("rounded once", world:all_reduce(x), { 1 }, dtype, function()
      return numbers(ndarray.array({ rounded(exact) }, dtype))[1]
    end)
  end
end

function checks.complex()
  for _, t in ipairs { { "float32", "complex64" }, { "float64", "complex128" } } do
    local re = gpuarray.to_gpu({ rank + 1, 2 }, t[1])
    local z = gpuarray.complex(re, gpuarray.to_gpu({ 1, -rank }, t[1]))
    local sum, mean = world:all_reduce(z), world:all_reduce(z, { op = "mean" })
    check("real", sum:real(), { 2 }, t[1], function(i) return i == 1 and size * (size + 1) / 2 or 2 * size end)
    check("imag", sum:imag(), { 2 }, t[1], function(i) return i == 1 and size or -size * (size - 1) / 2 end)
    check("mean", mean:imag(), { 2 }, t[1], function(i) return i == 1 and 1 or -(size - 1) / 2 end)
    if with_nccl then
      local ok, err = pcall(world.all_reduce, world, z, { op = "prod" })
      if ok or not err.message:find("all_gather() and prod()", 1, true) then fail("products: %s", tostring(err)) end
      return
    end
    local a, b = 1, 0 -- the product of (r + 1) + i
    for r = 0, size - 1 do a, b = a * (r + 1) - b, a + b * (r + 1) end
    local product = world:all_reduce(z, { op = "prod" })
    check("product", product:real(), { 2 }, t[1], function(i)
      if i == 1 then return a end
      local c, d = 1, 0
      for r = 0, size - 1 do c, d = c * 2 + d * r, -c * r + d * 2 end
      return c
    end)
    check("product, imag", product[{ { 1 } }]:imag(), { 1 }, t[1], function() return b end)
  end
end

function checks.structs()
  local point = cuda.dtype.struct({ { "x", "float32" }, { "n", "int64" } }, { name = "point" })
  local a = ndarray.empty({ 2 }, point)
  local xs, ns = a:field "x", a:field "n"
  xs[1], xs[2], ns[1], ns[2] = rank, rank + 0.5, rank * 10, -rank
  local all = world:all_gather(gpuarray.to_gpu(a)):get()
  for r = 0, size - 1 do
    if all:field("x")[r + 1][2] ~= r + 0.5 or all:field("n")[r + 1][1] ~= r * 10 then fail "structs" end
  end
  local got = world:broadcast(a, { root = size - 1 })
  if got:field("x")[1] ~= size - 1 then fail "a struct" end
end

function checks.broadcast_object()
  local sent = { 1, "two", { three = 3.5, [false] = true, nan = -math.huge }, big = 2 ^ 60, text = ("x\0y"):rep(300000),
    wide = 9007199254740993LL, unsigned = 18446744073709551615ULL, zero = -0.0, array = ndarray.array { { 1, 2 } } }
  for root = 0, size - 1 do
    local got = world:broadcast_object(rank == root and sent or "ignored", { root = root })
    if got[1] ~= 1 or got[2] ~= "two" or got[3].three ~= 3.5 or got[3][false] ~= true or got[3].nan ~= -math.huge or
      got.big ~= 2 ^ 60 or got.text ~= sent.text or got.wide ~= sent.wide or got.unsigned ~= sent.unsigned or
      1 / got.zero ~= -math.huge or tostring(got.array) ~= tostring(sent.array) then
      fail "an object"
    end
    if (got == sent) ~= (rank == root) then fail "root has its own" end
  end
  if world:broadcast_object() ~= nil or world:broadcast_object(false) ~= false then fail "nil and false" end
end

-- ---- groups ---------------------------------------------------------------------------------------------------------

function checks.split()
  local color = rank % 2
  local group = world:split { color = color, key = -rank }
  local members = {}
  for r = size - 1, 0, -1 do
    if r % 2 == color then members[#members + 1] = r end
  end
  if table.concat(group.ranks, " ") ~= table.concat(members, " ") then fail "members" end
  if group.ranks[group.rank + 1] ~= rank or group.size ~= #members then fail "the own rank" end
  local expected = 0
  for _, r in ipairs(members) do expected = expected + r end
  check("a sum in a group", group:all_reduce(gpuarray.full({ 3 }, rank, "int32")), { 3 }, "int32", function()
    return expected
  end)
  -- Calls of several groups in turn, which share this rank's buffers.
  local whole = world:split { color = 5 }
  for k = 1, 20 do
    check("turns", group:all_gather(ndarray.array({ rank * k }, "int64")), { #members, 1 }, "int64", function(i)
      return members[i] * k
    end)
    check("turns", whole:all_reduce(ndarray.array({ k }, "int64")), { 1 }, "int64", function() return size * k end)
    check("turns", world:all_reduce(ndarray.array({ rank }, "int64")), { 1 }, "int64", function()
      return size * (size - 1) / 2
    end)
  end
  local none = world:split { color = rank == 0 and 1 or false }
  if (none ~= nil) ~= (rank == 0) then fail "a rank in no group" end
  if none then
    if none.size ~= 1 or none:all_reduce(gpuarray.ones(2)):get()[1] ~= 1 then fail "a group of one" end
    none:close()
  end
  local inner = group:split { color = 0 }
  if inner.size ~= group.size then fail "a group of a group" end
  inner:barrier()
  world:barrier()
end

function checks.group()
  local list = {}
  for r = size - 1, 0, -2 do list[#list + 1] = r end
  local group = world:group(list)
  local inside = (size - 1 - rank) % 2 == 0
  if (group ~= nil) ~= inside then fail "who is in it" end
  if group then
    if group.ranks[1] ~= size - 1 then fail "the order" end
    check("broadcast in a group", group:broadcast(ndarray.array({ rank }, "int32")), { 1 }, "int32", function()
      return size - 1
    end)
  end
  world:barrier()
end

-- Rows of the shared memory come back: far more groups than fit, one after the other. With MPI each takes long, but
-- what is closed is freed by the next one.
function checks.close()
  for k = 1, with_nccl and 10 or mpi and 40 or 600 do
    local group = world:split { color = 0, key = k }
    if k % 100 == 0 and group:all_reduce(ndarray.array({ 1 }, "int32"))[1] ~= size then fail "a sum" end
    group:close()
    if pcall(group.barrier, group) then fail "a closed group" end
  end
  if mpi and size > 1 then
    local left = 0
    for _ in pairs(mpi.world.closed) do left = left + 1 end
    if left > 1 then fail("%d groups are not freed", left) end
  end
end

function checks.barrier()
  for _ = 1, 200 do world:barrier() end
  local ok, err = pcall(world.barrier, world, { async = true })
  if ok or not err.message:find("takes no arguments", 1, true) then fail("barrier: %s", tostring(err)) end
end

function checks.world()
  if cuda.distributed.init() ~= world then fail "another world" end
  if world.size ~= tonumber(arg[1]) or rank < 0 or rank >= size or world.local_rank ~= rank or
    world.local_size ~= size or #world.ranks ~= size then
    fail "numbers"
  end
  if tostring(world) ~= ("Group(rank %d of %d)"):format(rank, size) then fail "its text" end
  local transport = (size > 1 or arg[2] ~= "mpi") and arg[2] or "shm"
  if world.device ~= cuda.Context.get_device() or world.transport ~= transport then fail "device" end
end

local names = {}
for name in pairs(checks) do names[#names + 1] = name end
table.sort(names)
for k, name in ipairs(names) do
  checks[name]()
  if not mpi then print("passed " .. name) end
  names[k] = "passed " .. name .. "\n"
end
if mpi then io.write(table.concat(names)) end -- in one piece, since mpirun mixes lines of several ranks
