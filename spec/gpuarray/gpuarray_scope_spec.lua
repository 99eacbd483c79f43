-- gpuarray.scope: what it frees, and what it leaves. And expressions that cannot be computed.
local gpu = require "spec.support.gpu"
local storage = require "cudalua.gpuarray.core.storage"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

local scope = gpuarray.scope

local function live() return cuda.mem_stats().pooled.bytes end

describe("gpuarray.scope", function()
  local a

  setup(function()
    gpu.context()
    math.randomseed(os.time())
    a = gpuarray.arange(4, "float32"):eval()
  end)

  it("leaves a result the values that it was written with", function()
    assert.same({ 1, 1, 1 }, scope(function()
      local p = gpuarray.zeros(3)
      local o = p + 1
      p:fill(7)
      return o
    end):tolist())
    assert.same({ 1, 1, 1, 2 }, scope(function()
      local p = gpuarray.zeros(4)
      local o = p + 1
      p[{ { 1, 3 } }] = 7
      p:fill(9)
      p:fill(1)
      return (gpuarray.concatenate { o[{ { 1, 3 } }], (p + 1)[{ { 4, 4 } }] })
    end):tolist())
  end)

  it("leaves what was written down outside, wherever it is computed", function()
    local y, z = a + 1, nil
    scope(function()
      assert.equal(2, y[2])
      z = y * 2 -- made in here
    end)
    assert.same({ 1, 2, 3, 4 }, y:tolist())
    gpu.raises("LogicError", "released", function() return z:tolist() end)
    local p = gpuarray.zeros(3)
    local reader, view = p + 1, p[{ { 2, 3 } }]
    scope(function() p:fill(5) end)
    assert.same({ 5, 5, 5 }, p:tolist())
    assert.same({ 5, 5 }, view:tolist())
    assert.same({ 1, 1, 1 }, reader:tolist())
    local q = a * 3
    scope(function()
      scope(function() q:eval() end)
      gpuarray.eval()
    end)
    assert.same({ 0, 3, 6, 9 }, q:tolist())
  end)

  it("keeps arrays in tables, views and pending results, through nested scopes", function()
    local list, inner
    local x, t, v, text = scope(function()
      local u, w = scope(function()
        inner = a + 5
        inner:eval()
        local p = a + 1
        p:eval()
        return p[{ { 2, 3 } }], p * 2
      end)
      list = { u, deep = { w, { a + 3 } } }
      list.self = list
      return u + 0, list, w[{ { 1, 2 } }], "text"
    end)
    assert.same({ 2, 3 }, x:tolist())
    assert.equal(list, t)
    assert.same({ 2, 3 }, list[1]:tolist())
    assert.same({ 2, 4, 6, 8 }, list.deep[1]:tolist())
    assert.same({ 3, 4, 5, 6 }, list.deep[2][1]:tolist())
    assert.same({ 2, 4 }, v:tolist())
    assert.equal("text", text)
    gpu.raises("LogicError", "released", inner.get, inner)
  end)

  it("ends where its function raises, or its result cannot be computed", function()
    local escaped
    for _ = 1, 2 do collectgarbage() end -- what is freed meanwhile, is of earlier tests
    local before = live()
    local ok, err = pcall(scope, function()
      escaped = (a + 1):eval()
      scope(function() error("my own", 0) end)
    end)
    assert.is_false(ok)
    assert.equal("my own", err)
    gpu.raises("LogicError", "released", escaped.get, escaped)
    gpu.raises("LogicError", "released", scope, function()
      local p = gpuarray.zeros(3)
      local o = p + 1
      p:release()
      return o
    end)
    assert.is_true(live() <= before)
    assert.is_false(storage.is_scoped())
  end)

  it("belongs to the coroutine that opened it", function()
    local made, yielded = {}, nil
    local generator = coroutine.wrap(function()
      local state = gpuarray.ones(3)
      while true do
        state = state + 1
        state:eval()
        coroutine.yield(state)
      end
    end)
    generator()
    scope(function() made[1] = generator() end)
    assert.same({ 3, 3, 3 }, made[1]:tolist())
    assert.same({ 4, 4, 4 }, generator():tolist())
    local inside = coroutine.create(function()
      return scope(function()
        local p = (a + 1):eval()
        coroutine.yield()
        yielded = p
        return p * 2
      end)
    end)
    assert(coroutine.resume(inside))
    local outside = (a + 10):eval() -- while the other coroutine's scope is open
    local _, result = coroutine.resume(inside)
    assert.same({ 2, 4, 6, 8 }, result:tolist())
    assert.same({ 10, 11, 12, 13 }, outside:tolist())
    gpu.raises("LogicError", "released", yielded.get, yielded)
  end)

  it("leaves memory to a graph that was captured in it", function()
    local stream, out = cuda.Stream(), gpuarray.zeros(4)
    local graph = stream:capture(function()
      scope(function() out:set((a + 1):eval() * 2) end)
    end)
    local others = {}
    for k = 1, 20 do others[k] = gpuarray.full(4, 100 + k):eval() end
    assert.equal(120, others[20][1])
    graph:instantiate():launch(stream)
    stream:synchronize()
    assert.same({ 2, 4, 6, 8 }, out:tolist())
  end)

  -- A random program: each step makes, writes or forgets one of a few arrays. Returns the last ones.
  local function program(seed, within)
    local state = seed
    local function random(n)
      state = (state * 1103515245 + 12345) % 2 ^ 31
      return math.floor(state / 65536) % n + 1
    end
    local x = { a + 0, a * 2, gpuarray.ones(4) }
    local steps
    local kinds = {
      function(i, j) x[i] = x[i] + x[j] end,
      function(i, j) x[i] = x[j] * 0.5 + random(5) end,
      function(i) x[i]:fill(random(9)) end,
      function(i, j) x[i]:set(x[j] - x[i]) end,
      function(i) x[i][{ { 2, 3 } }] = random(9) end,
      function(i) x[i]:eval() end,
      function(i, j) x[i] = x[j]:cumsum() end,
      function(i, j) x[i] = x[j] + x[j]:sum() end,
      function(i, j) x[i] = within(function() return x[j] * 2 + x[i] end) end,
      function(_, j) within(function() x[j]:iadd(1) end) end,
      function(i, j) x[i] = within(function() return { (x[j] - 1):eval()[{ { -1, 1, -1 } }] + 0 } end)[1] end,
      function(i)
        if steps > 20 then return end
        local before = x[i] + 1
        x[i]:fill(random(3))
        x[i] = before
      end,
    }
    for step = 1, 40 do
      steps = step
      kinds[random(#kinds)](random(#x), random(#x))
    end
    return unpack(x)
  end

  it("changes no value of random programs, and leaves the memory of their results alone", function()
    local function plain(f) return f() end
    for _ = 1, gpu.sanitized and 5 or 60 do
      local seed = math.random(2 ^ 30)
      local want = {}
      for k, x in ipairs { program(seed, plain) } do want[k] = x:tolist() end
      collectgarbage()
      collectgarbage()
      local before = live()
      collectgarbage "stop"
      local results = { scope(program, seed, scope) }
      local after = live()
      for k, x in ipairs(results) do assert.same(want[k], x:tolist(), "seed " .. seed) end
      local stores, bytes = {}, 0
      for _, x in ipairs(results) do stores[storage.leaf_of(x).store] = true end
      for store in pairs(stores) do bytes = bytes + store.bytes end
      collectgarbage "restart"
      assert(after - before <= 3 * 512, ("seed %d: %d bytes are left of results with %d"):format(seed, after - before,
        bytes))
    end
  end)
end)

describe("an expression that cannot be computed", function()
  local here, there, other

  setup(function()
    gpu.context()
    here = gpuarray.to_gpu({ 1, 2 }, "float32")
    other = cuda.Device(0):make_context()
    there = gpuarray.to_gpu({ 3, 4 }, "float32")
    cuda.Context.pop()
  end)
  teardown(function() other:detach() end)

  it("of arrays of two contexts is refused where it is written down", function()
    for _, f in ipairs {
      function() return here + there end,
      function() return (here * 2 + 1) - there / 2 end,
      function() return gpuarray.where(here:gt(1), here, there) end,
      function() return gpuarray.maximum(there, here) end,
    } do
      local err = gpu.raises("LogicError", "different contexts", f)
      assert.truthy(err.message:find("to_gpu", 1, true))
    end
    assert.same({ 3, 6 }, (here * 2 + here):tolist())
    assert.same({ 9, 12 }, (there * 2 + there):tolist())
    gpuarray.eval()
    assert.is_truthy(cuda.Stream():capture(function() end))
  end)

  -- For each reason: an expression of x that cannot be computed.
  local run = require "cudalua.gpuarray.core.run"
  local reasons = {
    ["memory that was freed"] = function(x)
      local gone = gpuarray.zeros(2)
      local y = x + gone
      gone:release()
      return y
    end,
    ["a kernel that is not compiled"] = function(x)
      local load = run.load
      return x:atan2(1.25) * 3 - 17, function()
        run.load = function() cuda.SourceModule "nonsense" end
        return function() run.load = load end
      end
    end,
    ["no memory"] = function(x) return gpuarray.broadcast_to(x, { 2 ^ 43, 2 }) + 1 end,
  }

  for why, make in pairs(reasons) do
    it("is in nobody's way: " .. why, function()
      local x = gpuarray.to_gpu({ 1, 2 }, "float32")
      local wrong, begin = make(x)
      local right = x * 2
      local finish = begin and begin()
      if begin then
        assert.is_false((pcall(wrong.eval, wrong)))
        gpuarray.eval()
        assert.is_truthy(cuda.Stream():capture(function() end))
        finish()
        assert.same({ 2, 4 }, right:tolist())
        return
      end
      gpuarray.eval()
      assert.is_truthy(cuda.Stream():capture(function() end))
      x[{ { 1, 1 } }] = 9 -- what still has to read x comes first
      x:fill(8)
      assert.same({ 8, 8 }, x:tolist())
      assert.same({ 2, 4 }, right:tolist())
      gpu.error_of(nil, wrong.eval, wrong)
      gpu.error_of(nil, function() return (wrong + 1)[1] end)
    end)
  end
end)
