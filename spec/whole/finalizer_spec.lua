-- What finalizers of the user's may do while the library is at work: use arrays in any way.
local gpu = require "spec.support.gpu"
local reentry = require "spec.support.reentry"
local turn = require "spec.support.turn"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

local MOST = gpu.sanitized and 5 or 25 -- places that are tried of each pair

local function text(x)
  if type(x) ~= "table" then return tostring(x) end
  local list = {}
  for k = 1, #x do list[k] = text(x[k]) end
  return "{" .. table.concat(list, " ") .. "}"
end

describe("a finalizer that uses arrays", function()
  local a, m, i, c, stream

  setup(function()
    gpu.context()
    math.randomseed(os.time())
    a = gpuarray.full(10, 5, "float32"):eval()
    m = gpuarray.arange(12, "float32"):reshape(3, 4):eval()
    i = gpuarray.arange(1, 9, "int32"):eval()
    c = gpuarray.full(4, 2, "complex64"):eval()
    stream = cuda.Stream()
  end)

  -- Each way to read, with the literal value that it has.
  local reads = {
    index = { function() return (a + 1)[1] end, "6" },
    stored = { function() return (a + 1):eval()[2] end, "6" },
    item = { function() return (a + 1)[{ { 1 } }]:item() end, "6" },
    complex = { function() return tostring((c * 2):item(1)) end, "4+0i" },
    get = { function() return (a + 1):get()[10] end, "6" },
    tolist = { function() return (m.T * 2)[1]:tolist() end, "{0 8 16}" },
    print = { function() return tostring(i * 2) end, "[ 2  4  6  8 10 12 14 16]" },
    condition = { function() return m:gt(10):any():item() and m:ge(0):all():item() end, "true" },
    sum = { function() return (a * a + a):sum():item() end, "300" },
    sums = { function() return (m.T + 1):sum(2):tolist() end, "{15 18 21 24}" },
    mean = { function() return m:mean(2):tolist() end, "{1.5 5.5 9.5}" },
    argmax = { function() return (m * -1):argmax():item() end, "1" },
    dot = { function() return a:dot(a + 1):item() end, "300" },
    cumsum = { function() return (i + 0):cumsum():tolist() end, "{1 3 6 10 15 21 28 36}" },
    sort = { function() return (i * -1):sort():tolist() end, "{-8 -7 -6 -5 -4 -3 -2 -1}" },
    where = { function() return gpuarray.where(i:gt(4), i, -i):tolist() end, "{-1 -2 -3 -4 5 6 7 8}" },
    mask = { function() return (m + 0)[m:gt(8)]:tolist() end, "{9 10 11}" },
    part = { function()
      local b = m:copy()
      b[{ { 1, 2 }, { 2, 3 } }] = 7
      return b[2]:tolist()
    end, "{4 7 7 7}" },
    old = { function()
      local b = i:copy()
      local before = b * 2
      b:fill(9)
      return { before:tolist(), b[1] }
    end, "{{2 4 6 8 10 12 14 16} 9}" },
    scope = { function()
      return gpuarray.scope(function()
        local p = i + 1
        p:eval()
        return p * 2
      end):tolist()
    end, "{4 6 8 10 12 14 16 18}" },
    random = { function() return cuda.random.Generator(5):integers({ 3 }, 1, 100):tolist() end },
    fill = { function() return gpuarray.full(3, 2 ^ 40 + 1, "int64"):tolist() end, "{1099511627777 1099511627777 " ..
      "1099511627777}" },
  }
  reads.together = { function()
    local s = i * 2
    local p, q = s + 1, s - 1
    gpuarray.eval(q, p, s)
    return { p[1], q[8], s[3] }
  end, "{3 15 6}" }
  reads.loop = { function()
    local p, q = i, i
    for _ = 1, 150 do
      p = p + 1
      q = p - q
    end
    return { p[1], q[8] }
  end }
  local fused
  reads.fuse = { function()
    fused = fused or gpuarray.fuse(function(x, y) return x * y + 1 end)
    return fused(i, i):tolist()
  end, "{2 5 10 17 26 37 50 65}" }

  local scratch, count = nil, 0
  local finalizers = {
    read = function() assert(gpuarray.ones(4):sum():item() == 4) end,
    together = function()
      local p, q = a + 2, a * 2
      gpuarray.eval(p, q)
      assert(p[1] == 7 and q[1] == 10)
    end,
    loop = function()
      local p = a
      for _ = 1, 400 do p = p + 1 end
      assert(p[3] == 405)
    end,
    stored = function() assert((m.T * 3 + 1):tolist()[4][1] == 10) end,
    same = function()
      assert((a + 1)[1] == 6)
      assert((a * a + a):sum():item() == 300)
    end,
    eval = function() gpuarray.eval() end,
    write = function()
      count = count + 1
      scratch = scratch or gpuarray.zeros(10)
      scratch:fill(count)
      assert(scratch[3] == count)
    end,
    draw = function() cuda.random.Generator(7):uniform(3):eval() end,
    fill = function() gpuarray.full(3, 77, "int64"):eval() end,
    scope = function() assert(gpuarray.scope(function() return gpuarray.ones(3) + 1 end)[2] == 2) end,
    fuse = function() assert(fused == nil or fused(i, i)[2] == 5) end,
    collect = function() collectgarbage() end,
  }

  local names = {}
  for name in pairs(finalizers) do names[#names + 1] = name end
  table.sort(names)

  for name, read in pairs(reads) do
    it("leaves each read its result: " .. name, function()
      local f, want = read[1], read[2]
      if want then assert.equal(want, text(f())) end
      for _, who in ipairs(turn.share(names, 2)) do
        local wrong, places = reentry.sweep(function() return stream:use(f) end, finalizers[who], MOST, text)
        assert(not wrong, ("%s in %s: %s"):format(who, name, wrong))
        assert.is_true(places > 0)
      end
    end)
  end

  it("leaves an expression the values that it was written with, whatever it does to that and its operands", function()
    local source, x, kept
    local function with(f)
      return function()
        local operand = gpuarray.arange(6, "float32"):eval()
        kept, x = nil, operand + 1
        source = operand
        local result = f(operand)
        if kept then assert.same({ 2, 4, 6, 8, 10, 12 }, kept:tolist()) end
        source, x = nil, nil
        return result
      end
    end
    local uses = {
      with(function() return x:tolist() end),
      with(function() return { x:sum():item(), x:tolist() } end),
      with(function() return { x:eval()[2], (x * x):tolist() } end),
      with(function(operand)
        operand:fill(9)
        return x:tolist()
      end),
      with(function(operand)
        operand[{ { 1, 2 } }] = 9
        return x:tolist()
      end),
      with(function(operand)
        operand:set(x * 2)
        return x:tolist()
      end),
    }
    local acts = {
      function() if x then x:eval() end end,
      function() if x then x:item(1) end end,
      function() if x then kept = x * 2 end end,
      function() if source then source:fill(50) end end,
      function() if source then source[{ { 2, 3 } }] = 60 end end,
      function()
        if source then
          x:eval()
          source:fill(70)
        end
      end,
    }
    for k, use in ipairs(uses) do
      for who, act in ipairs(acts) do
        local wrong = reentry.sweep(use, act, 2 * MOST, text)
        assert(not wrong, ("%d in %d: %s"):format(who, k, wrong))
      end
    end
    assert.is_true(true)
  end)

  it("comes back where what it calls was compiled for other values", function()
    -- Options that are numbers, and one that is a boolean: see lua/cudalua/base/pairs_of.lua.
    local program = [[
      local cuda = require "cudalua"
      require "cudalua.autoinit"
      local a = cuda.gpuarray.arange(20, "float32")
      for _ = 1, 300 do a:sum { axis = 1 } end
      local came_back = false
      getmetatable(newproxy(true)).__gc = function()
        a:sum { keepdims = true }
        came_back = true
      end
      collectgarbage()
      collectgarbage()
      io.write(tostring(came_back))
    ]]
    assert.equal("true", (gpu.child(program, "timeout 100")))
  end)

  it("is not met by loops that LuaJIT compiles wrongly", function()
    local core, pairs_of = require "cudalua.core", require "cudalua.base.pairs_of"
    local keys, t = {}, { "a", "b", x = 1, [2.5] = 2 }
    for key, value in pairs_of(t) do keys[key] = value end
    assert.same(t, keys)
    assert.equal(core.next, (pairs_of(t)))
    assert.not_equal(next, core.next)
    assert.equal(1, core.next { "a" })
    assert.is_nil(core.next {})
    assert.is_nil(core.next({ "a" }, 1))
    assert.error_matches(function() core.next({}, "no key") end, "next")
    assert.error_matches(function() core.next(nil) end, "table expected")
  end)

  it("runs at any time, with the compiler on", function()
    local program = [[
      local cuda = require "cudalua"
      require "cudalua.autoinit"
      local gpuarray = cuda.gpuarray
      local done = 0
      local function use()
        local a = gpuarray.arange(20, "float32")
        local b = gpuarray.scope(function() return a * 2 + 1, { a:sum { keepdims = true } } end)
        assert(b:sum():item() == 400)
        a[{ { 1, 2 } }] = 5
        assert(a[{ { 1, 4 } }]:tolist()[2] == 5)
        gpuarray.eval()
        collectgarbage "step"
        done = done + 1
      end
      for _ = 1, 100 do use() end
      for k = 1, 300 do
        getmetatable(newproxy(true)).__gc = function() if not pcall(use) then done = -1e9 end end
        if k % 3 == 0 then collectgarbage("step", 200) end
        use()
      end
      collectgarbage()
      io.write(done >= 500 and "came back" or done)
    ]]
    assert.equal("came back", (gpu.child(program, "timeout 100")))
  end)
end)
