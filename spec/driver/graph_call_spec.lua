local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local random = require "cudalua.random"

describe("cuda.graph", function()
  local notices, on_notice
  before_each(function()
    gpu.context()
    notices, on_notice = {}, cuda.on_notice
    cuda.on_notice = function(text) notices[#notices + 1] = text end
  end)
  after_each(function() cuda.on_notice = on_notice end)

  local function counts(g)
    local info = g:info()
    return { info.captures, info.replays, info.graphs }
  end
  local function floats(n, f)
    local list = {}
    for i = 1, n do list[i] = f(i - 1) end
    return gpuarray.to_gpu(ndarray.array(list, { dtype = "float32" }))
  end

  it("makes a cuda.GraphCall, which gives what the function gives, in the same arrays from the first call", function()
    local calls = 0
    local function f(x, y, k)
      calls = calls + 1
      local z = x * k + y
      return z, z:sum(), k
    end
    local g = cuda.graph(f)
    assert.matches("^cudalua%.GraphCall %(0 graphs, 0 replays%)", tostring(g))
    local first, first_sum
    for round = 1, 5 do
      local x = floats(100, function(i) return i * round end)
      local y = floats(100, function(i) return i + round end)
      local z, sum, k = g(x, y, 3)
      local eager, eager_sum = f(x, y, 3)
      calls = calls - 1
      first, first_sum = first or z, first_sum or sum
      assert.is_true(rawequal(first, z) and rawequal(first_sum, sum))
      assert.same(eager:tolist(), z:tolist())
      assert.equal(eager_sum:item(), sum:item())
      assert.equal(3, k)
    end
    assert.equal(2, calls) -- it ran, and was captured
    assert.is_true(g:info().nodes >= 2)
    assert.same({ 1, 4, 1 }, counts(g))
    assert.matches("^cudalua.GraphCall %(1 graphs, 4 replays%)$", tostring(g))
  end)

  it("random compositions of operations agree with eager runs", function()
    local state = 5
    local function below(n)
      state = (state * 1103515245 + 12345) % 2 ^ 31
      return math.floor(state / 65536) % n
    end
    for _ = 1, 10 do
      local steps = {}
      for i = 1, 3 + below(6) do steps[i] = below(5) end
      local function f(x, y)
        for _, what in ipairs(steps) do
          if what == 0 then x = x + y
          elseif what == 1 then x = x * 0.5
          elseif what == 2 then y = y - x
          elseif what == 3 then x = gpuarray.where(x:gt(y), x, y)
          else y = y:cumsum() * 0.125 end
        end
        return x, y, (x + y):max()
      end
      local g = cuda.graph(f)
      for round = 1, 3 do
        local n = 8 + round % 2 * 5
        local x, y = floats(n, function(i) return (i * 7 + round) % 5 end), floats(n, function(i) return i % 3 - 1 end)
        local a, b, c = g(x, y)
        local d, e, h = f(x, y)
        assert.same(d:tolist(), a:tolist())
        assert.same(e:tolist(), b:tolist())
        assert.equal(h:item(), c:item())
      end
      assert.equal(2, g:info().captures)
    end
  end)

  it("captures again for other shapes, dtypes, strides, values and numbers of arguments", function()
    local g = cuda.graph(function(x, k) return x * (k or 2) end)
    local function captured(n, ...)
      local result = g(...)
      assert.equal(n, g:info().captures)
      return result
    end
    local x = gpuarray.arange(6, { dtype = "float32" })
    assert.equal("[ 0  2  4  6  8 10]", tostring(captured(1, x):astype "int32"))
    captured(1, x + 1)
    captured(2, x, 3)
    captured(2, x, 3)
    captured(3, gpuarray.arange(7, { dtype = "float32" }))
    captured(4, gpuarray.arange(6, { dtype = "float64" }))
    captured(5, x:reshape { 2, 3 })
    captured(6, x:reshape({ 2, 3 }):transpose())
    captured(6, (x + 5):reshape({ 2, 3 }):transpose())
    captured(6, x)
    captured(7, x, 0 / 0)
    captured(7, x, 0 / 0) -- one NaN is like another
    captured(8, x, nil)
    assert.equal(8, g:info().graphs)
  end)

  it("keeps the 16 kinds used last and says so once", function()
    local g = cuda.graph(function(x, k) return x + k end)
    local x = gpuarray.zeros(2)
    for k = 1, 16 do g(x, k) end
    assert.same({}, notices)
    g(x, 1)
    g(x, 17)
    assert.equal(1, #notices)
    assert.matches("more than 16", notices[1])
    assert.same({ 17, 1, 16 }, counts(g))
    g(x, 1) -- used since
    assert.equal(17, g:info().captures)
    g(x, 2) -- was used longest ago
    assert.equal(18, g:info().captures)
    assert.equal(1, #notices)
  end)

  it("what the function does to arrays outside happens once a call", function()
    local w = gpuarray.zeros(4)
    local count = 0
    local step = cuda.graph(function(gradient)
      count = count + 1
      w:isub(gradient * 0.5)
      return (w * w):sum()
    end)
    for i = 1, 6 do
      local loss = step(gpuarray.ones(4))
      assert.equal(-0.5 * i, w:tolist()[3])
      assert.equal(4 * (0.5 * i) ^ 2, loss:item())
    end
    assert.equal(2, count)
  end)

  it("the function writes to copies of its arguments, with static = true to the arguments", function()
    local function f(x) x:iadd(1) return x end
    local x = gpuarray.zeros(3)
    local copying, static = cuda.graph(f), cuda.graph(f, { static = true })
    for _ = 1, 3 do assert.equal(1, copying(x):tolist()[1]) end
    assert.equal(0, x:tolist()[1])
    for i = 1, 4 do
      assert.is_true(rawequal(x, static(x)))
      assert.equal(i, x:tolist()[1])
    end
    assert.equal(1, static:info().captures)
    local y = gpuarray.zeros(3)
    static(y)
    assert.equal(2, static:info().captures)
    static(y)
    assert.equal(2, y:tolist()[1])
    assert.equal(4, x:tolist()[1])
  end)

  it("kernels of one's own, streams, and pending arguments", function()
    local scale = cuda.kernel [[
      __global__ void scale(float *x, float k, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= k;
      }
    ]]
    local g = cuda.graph(function(x)
      local y = x + 1
      scale(y, 10, 5, { block = 32 })
      return y
    end)
    local s = cuda.Stream "non_blocking"
    for round = 1, 4 do
      local x = gpuarray.arange(5, { dtype = "float32" }) * round
      local y
      if round % 2 == 0 then
        s:use(function() y = g(x) end)
        s:synchronize()
      else
        y = g(x)
      end
      assert.equal((4 * round + 1) * 10, y:tolist()[5])
    end
    assert.equal(1, g:info().captures)
  end)

  it("scopes do not release what a graph has", function()
    local g = cuda.graph(function(x) return x * 2, x:sum() end)
    local results = {}
    for i = 1, 3 do
      gpuarray.scope(function()
        local y, sum = g(gpuarray.ones(4) * i)
        results[i] = { y:tolist()[1], sum:item() }
      end)
    end
    assert.same({ { 2, 4 }, { 4, 8 }, { 6, 12 } }, results)
  end)

  it("random numbers in the function raise a notice", function()
    local generator = random.Generator(3)
    local g = cuda.graph(function(x) return x + generator:uniform(4) end)
    local x = gpuarray.zeros(4)
    g(x)
    assert.equal(1, #notices)
    assert.matches("draws random numbers", notices[1])
    local a = g(x):tolist()
    assert.same(a, g(x):tolist()) -- as it says
    assert.equal(1, #notices)
  end)

  it("errors in the function leave it usable", function()
    local fail = "first"
    local g = cuda.graph(function(x)
      if fail == "first" then error "in the run" end
      local y = x * 2
      if fail == "wait" then y:tolist() end
      return y
    end)
    local x = gpuarray.ones(2)
    local ok, err = pcall(g, x)
    assert.is_false(ok)
    assert.matches("in the run", err)
    fail = "wait"
    gpu.raises("LogicError", "which is called a second time to capture it", g, x)
    assert.same({ 0, 0, 0 }, counts(g))
    assert.equal(cuda.legacy_stream, cuda.current_stream())
    fail = nil
    assert.equal(2, g(x):tolist()[1])
    assert.equal(2, g(x):tolist()[1])
    assert.same({ 1, 1, 1 }, counts(g))
    local other
    other = cuda.graph(function(y) return other(y) end)
    gpu.raises("LogicError", "calls its own graph, which is still being", other, x)
    local n = 0
    local changing = cuda.graph(function(y)
      n = n + 1
      return n % 2 == 1 and y or y:sum()
    end)
    gpu.raises("LogicError", "result 1 was", changing, x)
    local yielding = cuda.graph(function(y) coroutine.yield(y) end)
    gpu.raises("LogicError", "yielded", yielding, x)
  end)

  it("a finalizer that calls it in the middle gets values of its own", function()
    local g = cuda.graph(function(x) return x * 3 end)
    local x, y = gpuarray.ones(3), gpuarray.ones(3) * 7
    g(x)
    local seen, checked = {}, 0
    for i = 1, 30 do
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function() seen[#seen + 1] = (g(y) + 0):tolist()[1] end
      proxy = nil -- luacheck: ignore
      collectgarbage "step"
      local result = g(x * i)
      local before = #seen
      local value = (result + 0):tolist()[1]
      if #seen == before then -- a call between this one and the reading overwrites the result, as any call does
        assert.equal(3 * i, value)
        checked = checked + 1
      end
    end
    collectgarbage()
    for _, v in ipairs(seen) do assert.equal(21, v) end
    assert.is_true(#seen > 0 and checked > 0)
  end)

  it("cuda.graph, cuda.GraphCall:info and cuda.GraphCall:close refuse what is wrong", function()
    gpu.raises("LogicError", "expected a function", cuda.graph, 5)
    gpu.raises("LogicError", "unknown option", cuda.graph, print, { colour = 1 })
    gpu.raises("LogicError", "static must be", cuda.graph, print, { static = 1 })
    local g = cuda.graph(function(x) return x + 1 end)
    local y = g(gpuarray.zeros(2))
    g(gpuarray.zeros(2))
    g:close()
    gpu.raises("LogicError", "was closed", g, gpuarray.zeros(2))
    assert.equal(1, y:tolist()[2])
    g:close()
    gpu.raises("LogicError", "expected a function that cuda.graph() returned", g.info)
    gpu.raises("LogicError", "expected a function that cuda.graph() returned", g.close, {})
  end)

  it("inside of a capture it says what to do", function()
    local g = cuda.graph(function(x) return x + 1 end)
    local x = gpuarray.zeros(2)
    g(x)
    gpu.raises("LogicError", "captured", function()
      cuda.Stream():capture(function() g(x) end)
    end)
    assert.equal(1, g(x):tolist()[1])
  end)

  it("contexts tell kinds apart", function()
    local g = cuda.graph(function(x) return x + 1 end)
    assert.equal(1, g(gpuarray.zeros(2)):tolist()[1])
    local ctx = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      assert.equal(1, g(gpuarray.zeros(2)):tolist()[1])
      assert.equal(1, g(gpuarray.zeros(2)):tolist()[1])
    end)
    ctx:detach()
    assert(ok, err)
    assert.equal(2, g:info().captures)
    assert.equal(3, g(gpuarray.zeros(2) + 2):tolist()[1])
    assert.equal(2, g:info().captures)
  end)
end)
