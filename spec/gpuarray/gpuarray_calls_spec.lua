-- How functions of arrays are called: arguments that there are no parameters for are errors, and PyCUDA's `stream` and
-- `allocator` are honoured wherever they are options.
local calls = require "cudalua.gpuarray.core.calls"
local errors = require "cudalua.base.errors"
local gpu = require "spec.support.gpu"
local gpuarray = require "cudalua.gpuarray"
local option_names = require "cudalua.base.option_names"
local surplus = require "cudalua.base.surplus"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431
local cuda = gpu.cuda

-- All of them, with those that are read later.
for _, part in ipairs(require("cudalua.gpuarray.lazy").list) do
  local name = part[2]:match "%S+"
  pcall(gpuarray[name])
end

local function each(f)
  for prefix, list in pairs { ["gpuarray."] = gpuarray, ["gpuarray:"] = gpuarray.Array, ["math."] = cuda.math } do
    for name, value in pairs(list) do
      if type(value) == "function" then f(prefix .. name, value, debug.getinfo(surplus.behind(value), "u")) end
    end
  end
end

describe("Functions of arrays", function()
  setup(gpu.context)

  it("refuse arguments that they have no parameters for, each of them", function()
    local count = 0
    each(function(name, f, info)
      if info.isvararg then return end
      local given = {}
      given[info.nparams + 1] = "surplus"
      local ok, err = pcall(f, unpack(given, 1, info.nparams + 1))
      assert(not ok and tostring(err.message):find("unexpected argument 'surplus'", 1, true), name .. ": " ..
        tostring(err))
      given[info.nparams + 1], given[info.nparams + 2] = nil, "surplus"
      assert.is_false((pcall(f, unpack(given, 1, info.nparams + 2))))
      count = count + 1
    end)
    assert.is_true(count > 250)
  end)

  it("cost a collection little: some hundred of them are wrapped", function()
    local functions, wrapped = {}, {}
    for i = 1, 1000 do
      functions[i], wrapped[i] = function(_, options) return i, options end, false
    end
    wrapped[1] = calls.wrap("gpuarray.first", functions[1])
    collectgarbage()
    collectgarbage()
    local before = collectgarbage "count"
    for i = 2, 1000 do wrapped[i] = calls.wrap("gpuarray.other", functions[i]) end
    collectgarbage()
    collectgarbage()
    local bytes = (collectgarbage "count" - before) * 1024 / 999
    assert.is_true(bytes > 50 and bytes < 256, bytes .. " bytes a function")
    assert.equal(999, (wrapped[999](1)))
  end)

  it("name the option that was meant", function()
    local a, s = gpuarray.ones { 2, 3 }, cuda.Stream()
    local function is(text, f, ...) gpu.raises("LogicError", text, f, ...) end
    is("gpuarray:sum: unexpected argument true; pass it as an option: {axis = 1, keepdims = true}", a.sum, a, 1,
      true)
    is('gpuarray:mean: unexpected argument \'float64\'; pass it as an option: {axis = 1, dtype = "float64"}',
      a.mean, a, 1, "float64")
    is("gpuarray:quantile: unexpected argument true; pass it as an option: {axis = 1, keepdims = true}",
      a.quantile, a, 0.5, 1, true)
    is("gpuarray.sum: unexpected argument an array; pass it as an option: {axis = 1, out = ...}", gpuarray.sum, a,
      1, gpuarray.zeros(3))
    is("gpuarray:var: unexpected argument 2; pass it as an option: {axis = 1, ddof = 2}", a.var, a, 1, 2)
    is("gpuarray:sort: unexpected argument true; pass it as an option: {axis = 1, descending = true}", a.sort, a,
      1, true)
    is("gpuarray:cumsum: unexpected argument Stream; pass it as an option: {axis = 1, stream = ...}", a.cumsum, a,
      1, s)
    is("gpuarray:topk: unexpected argument false; pass it as an option: {axis = 1, largest = false}", a.topk, a, 1,
      1, false)
    is("gpuarray.zeros: unexpected argument 1; pass options as fields of one table: allocator, order, stream",
      gpuarray.zeros, 3, "int8", nil, 1)
    is("gpuarray:swapaxes: unexpected argument 3; it takes axis1, axis2", a.swapaxes, a, 1, 2, 3)
    is("gpuarray:swapaxes: unexpected argument Stream; compute in a stream with stream:use(function() ... end)",
      a.swapaxes, a, 1, 2, s)
    -- in the place of the options
    is("add: expected a table of options, got an array; write {out = ...}", gpuarray.add, a, a, a)
    is("gpuarray.take: expected a table of options, got 2; write {axis = 2}", gpuarray.take, a, { 1 }, 2)
    is("gpuarray:astype: expected a table of options, got false; write {copy = false}", a.astype, a, "int8", false)
    is("gpuarray.concatenate: expected a table of options, got 'int8'; write {dtype = \"int8\"}",
      gpuarray.concatenate, { a, a }, 1, "int8")
    assert.same({ 3, 3 }, a:sum(2, nil, nil):tolist()) -- nil is nothing
  end)

  -- A call of each function that has such an option; `o` are the options.
  local a, b, c, m
  local function arrays()
    a, b = gpuarray.linspace(0.1, 0.9, 6):reshape(2, 3):eval(), gpuarray.ones({ 2, 3 }):eval()
    c, m = gpuarray.arange(1, 7, nil, "int32"):eval(), gpuarray.to_gpu({ true, false, true }, "bool")
  end
  local integer = { bitwise_and = 2, bitwise_or = 2, bitwise_xor = 2, bitwise_not = 1, left_shift = 2, right_shift = 2,
    gcd = 2, lcm = 2 }
  -- Options with one more.
  local function with(o, name, value)
    if o == errors.WHICH then return o end
    local all = { [name] = value }
    for key, x in pairs(o) do all[key] = x end
    return all
  end
  local own = {
    ldexp = function(f, o) return f(a, c:reshape(2, 3), o) end, jn = function(f, o) return f(2, a, o) end,
    yn = function(f, o) return f(2, a, o) end, concatenate = function(f, o) return f({ a, b }, 1, o) end,
    stack = function(f, o) return f({ a, b }, 1, o) end, hstack = function(f, o) return f({ a, b }, o) end,
    vstack = function(f, o) return f({ a, b }, o) end, dstack = function(f, o) return f({ a, b }, o) end,
    take = function(f, o) return f(a, { 1, 2 }, o) end, put = function(f, o) return f(b, { 1, 2 }, 7, o) end,
    multi_take = function(f, o) return f({ a, b }, { 1, 2 }, o) end,
    multi_put = function(f, o) return f({ a, b }, c, with(o, "dest_shape", 6)) end,
    multi_take_put = function(f, o)
      return f({ a, b }, { 1, 2 }, { 3, 4 }, with(o, "dest_shape", 6))
    end,
    compress = function(f, o) return f({ true, false, true }, a, o) end,
    choose = function(f, o) return f(c, { 1, a[{ 1, 1 }], 3, 4, 5, 6 }, o) end,
    searchsorted = function(f, o) return f(c, a, o) end, dot = function(f, o) return f(c, c, o) end,
    where = function(f, o) return f(m, a, b, o) end, mul_add = function(f, o) return f(a, 2, b, 3, o) end,
    subset_sum = function(f, o) return f({ 1, 2 }, a, o) end, subset_min = function(f, o) return f({ 1 }, a, o) end,
    subset_max = function(f, o) return f({ 1, 2 }, a, o) end, subset_dot = function(f, o) return f({ 1 }, a, b, o) end,
    quantile = function(f, o) return f(a, 0.5, o) end, percentile = function(f, o) return f(a, { 5, 50 }, o) end,
    nanquantile = function(f, o) return f(a, 0.5, o) end, nanpercentile = function(f, o) return f(a, 50, o) end,
    topk = function(f, o) return f(a, 1, o) end, histogram = function(f, o) return f(a, 3, o) end,
    histogram_bin_edges = function(f, o) return f(a, 3, o) end, bincount = function(f, o) return f(c, o) end,
    digitize = function(f, o) return f(a, { 0.2, 0.5 }, o) end, pad = function(f, o) return f(a, 1, "edge", o) end,
    arange = function(f, o) return f(3, "float32", o) end,
    linspace = function(f, o) return f(0, 1, 5, "float32", o) end,
    logspace = function(f, o) return f(0, 1, 5, "float32", o) end, eye = function(f, o) return f(3, "float32", o) end,
    zeros = function(f, o) return f({ 3 }, "float32", o) end, ones = function(f, o) return f({ 3 }, "int16", o) end,
    full = function(f, o) return f(3, 7.3, "float32", o) end, full_like = function(f, o) return f(a, 7, nil, o) end,
    zeros_like = function(f, o) return f(a, nil, o) end, ones_like = function(f, o) return f(a, nil, o) end,
    to_gpu = function(f, o) return f(a, "float64", o) end, astype = function(f, o) return f(a, "float64", o) end,
    fill = function(f, o) return f(b, 3, o) end, set = function(f, o) return f(b, a, o) end,
    reverse = function(f, o) return f(c, o) end, round = function(f, o) return f(a, o) end,
    clip = function(f, o) return f(a, 0.2, 0.4, o) end, fma = function(f, o) return f(a, b, b, o) end,
    if_positive = function(f, o) return f(a, b, 1, o) end, logsumexp = function(f, o) return f(a, o) end,
    tri = function(f, o) return f(3, nil, nil, nil, o) end, identity = function(f, o) return f(3, nil, o) end,
    unique = function(f, o) return f(c, o) end, to_gpu_async = function(f, o) return f(a, nil, o) end,
    diff = function(f, o) return f(a, 1, o) end, masked_fill = function(f, o) return f(a, m, 7, o) end,
    interp = function(f, o) return f(a, { 0, 1 }, { 3, 5 }, o) end,
    nan_to_num = function(f, o) return f(a / 0, o) end, isin = function(f, o) return f(a, { 0.5, 0.9 }, o) end,
    unravel_index = function(f, o) return f(c, { 2, 3 }, o) end,
    ravel_multi_index = function(f, o) return f({ m:astype "int32" + 1, 2 }, { 2, 3 }, o) end,
    partition = function(f, o) return f(a, 2, o) end, argpartition = function(f, o) return f(a, 2, o) end,
    trace = function(f, o) return f(a, 0, o) end, matmul = function(f, o) return f(a, a.T, o) end,
    addmm = function(f, o) return f(c[1], a, a.T, o) end, tensordot = function(f, o) return f(a, b, o) end,
    inner = function(f, o) return f(a, a, o) end,
    cross = function(f, o) return f(a[{ {}, { 1 } }]:broadcast_to(2, 3), b[1][{ { 1, 3 } }], o) end,
    einsum = function(f, o) return f("ij,kj", a, b, o) end,
    convolve = function(f, o) return f(c, c, o) end, correlate = function(f, o) return f(c, c, o) end,
    select = function(f, o) return f({ m, m }, { a, b }, 7, o) end,
    extract = function(f, o) return f(a:gt(0.3), a, o) end,
    place = function(f, o) return f(b, a:gt(0.3), 7, o) end, putmask = function(f, o) return f(b, a:gt(0.3), 7, o) end,
    take_along_axis = function(f, o) return f(c, { 1, 3 }, 1, o) end,
    put_along_axis = function(f, o) return f(b, { { 2 } }, 7, 1, o) end,
    repeat_ = function(f, o) return f(a, 2, 1, o) end,
    roll = function(f, o) return f(a, 1, 1, o) end, tile = function(f, o) return f(a, 2, 1, o) end,
    tril = function(f, o) return f(a, 0, o) end, triu = function(f, o) return f(a, 0, o) end,
    diag = function(f, o) return f(c, 0, o) end,
    meshgrid = function(f, o) return f(c, c, with(o, "indexing", "ij")) end,
    setdiff1d = function(f, o) return f(c, { 1, 2 }, o) end, setxor1d = function(f, o) return f(c, { 1, 2 }, o) end,
  }
  -- Which copy host data alone, or compute nothing.
  local without = { ["gpuarray:get"] = true, ["gpuarray.empty"] = true, ["gpuarray.empty_like"] = true,
    ["gpuarray.from_function"] = true }
  local variadic = { ["gpuarray.meshgrid"] = { indexing = true, stream = true, allocator = true },
    ["gpuarray:tile"] = { stream = true, allocator = true },
    ["gpuarray.einsum"] = { dtype = true, out = true, stream = true, allocator = true } }

  local function called(name, f, info, o)
    local short = name:match "[%w_]+$"
    local call = own[short]
    if call then
      if name == "gpuarray:compress" then return f(a, { true, false, true }, o) end
      if name == "gpuarray:where" then return f(m, a, b, o) end
      return call(f, o)
    end
    local x = integer[short] and c or a
    if short == "norm" or short == "vdot" or short == "sort" then x = a end
    local given = { x, x, x }
    given[info.nparams] = o
    return f(unpack(given, 1, info.nparams))
  end

  -- The options of a function; none where it has no parameter for them.
  local function known_of(name, f, info)
    local last = info.nparams > 0 and not info.isvararg and debug.getlocal(surplus.behind(f), info.nparams)
    if last ~= "options" then return variadic[name] or {} end
    local answer = select(2, pcall(called, name, f, info, errors.WHICH))
    return type(answer) == "table" and rawget(answer, errors.WHICH) or {}
  end

  it("have the options stream and allocator, where they have any", function()
    arrays()
    local lacking = { stream = {}, allocator = {} }
    each(function(name, f, info)
      local known = known_of(name, f, info)
      -- Binding a texture computes nothing.
      if next(known) == nil or name:find "^math" or name:find "bind_to_texref" then return end
      for option, list in pairs(lacking) do
        if not known[option] then list[#list + 1] = name end
      end
    end)
    for _, list in pairs(lacking) do table.sort(list) end
    -- get() waits and gives host data, wrap() takes memory that is there, to_gpu_async() has the stream as an argument.
    assert.same({ "gpuarray.to_gpu_async", "gpuarray.wrap" }, lacking.stream)
    -- These make no array, or a list of them as PyCUDA's, or write to one that is there.
    assert.same({ "gpuarray.allclose", "gpuarray.array_equal", "gpuarray.multi_put", "gpuarray.multi_take",
      "gpuarray.multi_take_put", "gpuarray.place", "gpuarray.put", "gpuarray.put_along_axis", "gpuarray.putmask",
      "gpuarray.wrap", "gpuarray:allclose", "gpuarray:array_equal", "gpuarray:fill", "gpuarray:get", "gpuarray:put",
      "gpuarray:set" }, lacking.allocator)
  end)

  it("say how a pool is passed as the allocator", function()
    local text = "allocator: expected a function of a number of bytes, got "
    local pool = gpu.cuda.DeviceMemoryPool()
    gpu.raises("LogicError", "gpuarray.zeros: " .. text .. "DeviceMemoryPool; pass function(bytes) return " ..
      "pool:allocate(bytes) end", gpuarray.zeros, 3, { allocator = pool })
    gpu.raises("LogicError", "gpuarray:roll: " .. text .. "5", gpuarray.arange(3).roll, gpuarray.arange(3), 1, 1,
      { allocator = 5 })
    local x = gpuarray.zeros(3, { allocator = function(bytes) return pool:allocate(bytes) end })
    assert.equal(0, x:sum():item())
    assert.equal(1, pool.active_blocks)
  end)

  local function with_option(option, check)
    arrays()
    local count = 0
    each(function(name, f, info)
      if without[name] or not known_of(name, f, info)[option] then return end
      local ok, err = pcall(called, name, f, info, {})
      assert(ok, name .. ": " .. tostring(err))
      count = count + 1
      check(name, function(o) return called(name, f, info, o) end)
    end)
    return count
  end

  it("compute in the stream of their options", function()
    local s = cuda.Stream()
    local handle = tonumber(s:handle())
    local count = with_option("stream", function(name, call)
      call {} -- what is made once
      local plain = gpu.launches_by_stream(function()
        local list = {}
        for _, x in ipairs { call {} } do
          if gpuarray.is_array(x) then list[#list + 1] = x end
        end
        if #list > 0 then gpuarray.eval(unpack(list)) end -- results of one shape are one kernel
      end)
      local seen = gpu.launches_by_stream(function() call { stream = s } end)
      if seen then
        local n = 0
        for _, k in pairs(plain) do n = n + k end
        assert(n > 0, name)
        assert.equal(n, seen[handle], name)
      end
      gpu.error_of("LogicError", call, { stream = 1 })
    end)
    assert.is_true(count > 200)
  end)

  it("compute into memory of the allocator of their options", function()
    local given, keep = 0, {}
    local function allocator(bytes)
      given = given + 1
      keep[given] = cuda.mem_alloc(bytes)
      return keep[given]
    end
    local count = with_option("allocator", function(name, call)
      given = 0
      local x = call { allocator = allocator }
      assert(given >= 1 and given <= 2, name)
      local inside = false
      for k = 1, given do inside = inside or x.ptr == keep[k]:ptr() end
      assert(inside, name)
      local plain = call {}
      assert.equal(plain.dtype, x.dtype)
      assert.same(plain.shape, x.shape)
      if name ~= "gpuarray.empty" and x.dtype.kind ~= "complex" then
        assert(cuda.ndarray.allclose(x:get { array = true }, plain:get { array = true }, { equal_nan = true }), name)
      end
      gpu.error_of("LogicError", call, { allocator = function() return 5 end })
    end)
    assert.is_true(count > 150)
  end)

  it("are read after a non-blocking stream computed them into memory that mem_alloc gave", function()
    local s = cuda.Stream "non_blocking"
    local busy = cuda.SourceModule [[
      __global__ void spin(int *sink, int n) { for (int i = 0; i < n; i++) atomicAdd(sink, i & 1); }
    ]]:get_function "spin"
    local sink = cuda.mem_alloc(4)
    local x = gpuarray.to_gpu { 3, 1, 2, 5, 4 }
    local o = { stream = s, allocator = cuda.mem_alloc }
    local out = gpuarray.zeros(5, { allocator = cuda.mem_alloc })
    local made = {
      { { 1, 2, 3, 4, 5 }, function() return x:sort(o) end },
      { { 3, 4, 6, 11, 15 }, function() return x:cumsum(o) end },
      { { -3, -1, -2, -5, -4 }, function() return gpuarray.neg(x, o) end },
      { { 3 }, function() return x:median { axis = 1, keepdims = true, stream = s, allocator = cuda.mem_alloc } end },
      { { 7, 7, 7, 7, 7 }, function() return gpuarray.full(5, 7, o) end },
      { { 6, 2, 4, 10, 8 }, function() return gpuarray.add(x, x, { out = out, stream = s }) end },
    }
    for i, case in ipairs(made) do
      case[2]():get() -- what is compiled once
      s:synchronize()
      busy(sink, 300000, { grid = 1, block = 1, stream = s })
      local y = case[2]()
      local read = y:get():tolist()
      s:synchronize()
      assert.same(case[1], read, i)
    end
    -- A capture has an order of its own, and the program goes on.
    local y
    s:capture(function() y = gpuarray.neg(x, { out = out, stream = s }) end):instantiate():launch(s)
    s:synchronize()
    assert.same({ -3, -1, -2, -5, -4 }, y:tolist())
  end)

  local function streams_in(seen)
    local list = {}
    for stream in pairs(seen) do list[#list + 1] = stream end
    return list
  end

  it("take a stream in the place of their options: gpuarray.Array:fill, gpuarray.exp, gpuarray.Array:sum", function()
    arrays()
    local s = cuda.Stream()
    for _, call in ipairs { function() return b:fill(2, s) end, function() return gpuarray.exp(a, s) end,
      function() return cuda.math.exp(a, s) end, function() return a:sum(s) end,
      function() return gpuarray.arange(5, "float32", s) end, function() return c:reverse(s) end,
      function() return a:copy(s) end, function() return gpuarray.copy(a, { order = "F", stream = s }) end,
      function() return a:flatten(s) end, function() return a:tile(2, s) end, function() return a:eq(b):nonzero(s) end,
      function() return gpuarray.meshgrid(c, s) end, function() return gpuarray.union1d(c, { 1 }, s) end,
      function() return gpuarray.allclose(a, b, s) end } do
      call()
      local seen = gpu.launches_by_stream(call)
      if seen then assert.same({ tonumber(s:handle()) }, streams_in(seen)) end
    end
    assert.same({ 2, 2, 2 }, b[1]:tolist())
    gpu.raises("LogicError", "unknown option 'strem'", b.fill, b, 1, { strem = s })
    gpu.error_of("LogicError", b.fill, b, 1, "nonsense")
  end)

  it("leave the options that they are given as they are", function()
    arrays()
    local s = cuda.Stream()
    local o = { axis = 1, stream = s }
    assert.same({ 3 }, a:sum(o).shape)
    assert.same({ axis = 1, stream = s }, o)
    assert.same({ 3 }, a:max(setmetatable({}, { __index = { axis = 1, stream = s } })).shape)
    local out = gpuarray.zeros(3)
    assert.equal(out, a:sum { axis = 1, out = out, stream = s, allocator = error }) -- which is not asked
  end)

  it("have their options named, for messages", function()
    assert.same({ axis = true, dtype = true, keepdims = true, out = true, stream = true, allocator = true },
      option_names.of(gpuarray.sum, 2, gpuarray.ones(2)))
  end)
end)
