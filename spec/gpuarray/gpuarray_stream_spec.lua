-- Arrays in streams and graphs: what one stream wrote is there for the next, and captures record expressions.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local soft = gpu.soft and require "cudalua.softgpu"

local N = 50000

describe("Arrays in streams", function()
  setup(gpu.context)

  local function ramp()
    local a = ndarray.empty(N)
    for i = 1, N do a[i] = i % 1000 end
    return a
  end

  local function check(a, f)
    local host = a:get()
    for i = 1, N, 997 do assert.equal(f(i % 1000), host[i]) end
    assert.equal(f(N % 1000), host[N])
  end

  it("wait for the work of the streams that wrote them", function()
    local s, t = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    for _ = 1, 10 do
      local a, b
      s:use(function() a = gpuarray.to_gpu(ramp()) * 2 end)
      s:use(function() a:eval() end)
      t:use(function()
        b = a + 1
        b:eval()
      end)
      s:use(function() a:fill(0) end)
      check(b * 1, function(v) return 2 * v + 1 end)
      check(a, function() return 0 end)
      t:use(function() check(a + b, function(v) return 2 * v + 1 end) end)
    end
    s:close()
    t:close()
  end)

  it("are given other memory while another stream still reads the old one", function()
    local s = cuda.Stream "non_blocking"
    local a = gpuarray.to_gpu(ramp())
    for _ = 1, 20 do
      local b
      s:use(function() b = (a * 3):eval() end)
      local c = (a + 1):eval()
      b = (b - c):eval()
      check(b, function(v) return 2 * v - 1 end)
    end
    s:close()
  end)
end)

-- All of it was in stream s: so many launches and fills.
local function ran_in(s, n, f)
  local seen = gpu.launches_by_stream(f)
  if seen then assert.same({ [tonumber(s:handle())] = n }, seen) end
end

describe("cuda.Stream:use computes what is written inside in its stream:", function()
  setup(gpu.context)

  it("what its function returns, and what it keeps", function()
    local s, a = cuda.Stream(), gpuarray.arange(6, "float32"):eval()
    local x, kept
    ran_in(s, 1, function() x = s:use(function() return a:exp() end) end)
    assert.is_true(math.abs(math.exp(5) - x[6]) < 1e-4)
    ran_in(s, 1, function() s:use(function() kept = a * 2 + 1 end) end) -- one kernel, not one for each operation
    assert.same({ 1, 3, 5, 7, 9, 11 }, kept:tolist())
    local y, z
    ran_in(s, 1, function()
      y, z = s:use(function()
        local b = a + 1
        return b, b * b
      end)
    end)
    assert.same({ { 1, 2, 3, 4, 5, 6 }, { 1, 4, 9, 16, 25, 36 } }, { y:tolist(), z:tolist() })
  end)

  it("once, and nothing that was computed on the way", function()
    local s, a, out = cuda.Stream(), gpuarray.arange(6, "float32"):eval(), gpuarray.zeros(6)
    ran_in(s, 1, function() s:use(function() out:set(a * 2) end) end)
    ran_in(s, 1, function() s:use(function() out:iadd(a) end) end)
    ran_in(s, 1, function() s:use(function() return (a * 2):sum() end) end)
    ran_in(s, 1, function() s:use(function() return (a * 2):eval() end) end)
    assert.same({ 0, 3, 6, 9, 12, 15 }, out:tolist())
  end)

  it("in the innermost stream; what was written before it stays as it was", function()
    local s, t, a = cuda.Stream(), cuda.Stream(), gpuarray.arange(6, "float32"):eval()
    local before, inner, outer = a * 7, nil, nil
    local seen = gpu.launches_by_stream(function()
      s:use(function()
        inner = t:use(function() return a + 1 end)
        outer = a + 2
      end)
    end)
    if seen then assert.same({ [tonumber(s:handle())] = 1, [tonumber(t:handle())] = 1 }, seen) end
    assert.same({ { 1, 2 }, 7 }, { inner[{ { 1, 2 } }]:tolist(), outer[6] })
    if soft then assert.equal(1, gpu.launches_by_stream(function() before:eval() end)[1]) end
    assert.equal(35, before[6])
  end)

  it("also where the function was the first to use arrays, and in contexts of other streams", function()
    local out, ok = gpu.child [[
      local cuda = require "cudalua"
      cuda.init()
      cuda.Device(0):retain_primary_context():push()
      local s = cuda.Stream()
      local x = s:use(function() return cuda.gpuarray.ones(3) * 2 + 1 end)
      print(x._sig, x)
    ]]
    assert.equal("false\t[3. 3. 3.]\n", out)
    assert.is_true(ok)
  end)

  it("not when the function raises, nor what cannot be computed, which is for its reader to know", function()
    local s, a = cuda.Stream(), gpuarray.arange(6, "float32"):eval()
    local x
    local seen = gpu.launches_by_stream(function()
      pcall(s.use, s, function()
        x = a + 1
        error "stop"
      end)
    end)
    if seen then assert.same({}, seen) end
    assert.equal(1, x[1])
    local gone = gpuarray.arange(3, "float32"):eval()
    local y = s:use(function()
      local sum = gone + 1
      gone:release()
      return sum
    end)
    gpu.raises("LogicError", "was released", y.get, y)
    assert.equal("inside", s:use(function() return "inside" end))
  end)

  it("in captures: a part of the graph", function()
    local s, out = cuda.Stream(), gpuarray.zeros(4)
    local a = gpuarray.arange(4, "float32"):eval()
    local x
    local exec = s:capture(function()
      x = s:use(function() return a + 1 end)
      out:set(x * 2)
    end):instantiate()
    a:fill(5)
    exec:launch(s)
    s:synchronize()
    assert.same({ 12, 12, 12, 12 }, out:tolist())
  end)
end)

describe("Arrays in graphs", function()
  setup(gpu.context)

  it("cuda.Stream:capture records expressions, also new ones", function()
    local s = cuda.Stream()
    local a, b = gpuarray.to_gpu { 1, 2, 3 }, gpuarray.to_gpu { 4, 5, 6 }
    local before, c, d = a * 7, nil, nil
    local graph = s:capture(function()
      c = a * b + 0.125
      c:eval()
      d = (c - a):eval()
    end)
    assert.same({ 7, 14, 21 }, before:tolist())
    local exec = graph:instantiate()
    exec:launch(s)
    s:synchronize()
    assert.same({ 4.125, 10.125, 18.125 }, c:tolist())
    a:set { 2, 2, 2 } -- where the graph reads it
    exec:launch(s)
    s:synchronize()
    assert.same({ 8.125, 10.125, 12.125 }, c:tolist())
    assert.same({ 6.125, 8.125, 10.125 }, d:tolist())
    assert.same({ 16.25, 20.25, 24.25 }, (c * 2):tolist())
  end)

  it("an array that is written in a capture is written where it is", function()
    local s = cuda.Stream()
    local x, y = gpuarray.to_gpu { 1, 2 }, gpuarray.to_gpu { 1, 1, 1 }
    local exec = s:capture(function()
      x:set(x * 2 + 0 * x)
      y[{ { 1, 2 } }] = y[{ { 2, 3 } }] * 2
    end):instantiate()
    for _ = 1, 3 do exec:launch(s) end
    s:synchronize()
    assert.same({ 8, 16 }, x:tolist())
    assert.same({ 4, 2, 1 }, y:tolist())
  end)

  -- With the software device's deferred mode, whatever is not ordered comes out wrong.
  it("cuda.GraphExec:launch comes after what other streams did with its arrays, and before what they do next",
    function()
      local s, t, u = cuda.Stream "non_blocking", cuda.Stream "non_blocking", cuda.Stream "non_blocking"
      local a, out = gpuarray.ones(N), gpuarray.zeros(N)
      local exec = s:capture(function() out:set(a * 2) end):instantiate()
      local modes = soft and { "deferred", "eager", "random:1", "random:2", "random:3", "random:4" } or { "" }
      for _, mode in ipairs(modes) do
        if soft then soft.streams(mode) end
        for k = 1, 4 do
          local b
          t:use(function() a:set((a * 0 + k):exp():log():round()) end) -- the graph reads it
          exec:launch(s)
          u:use(function() b = (out + 0.5):eval() end)                 -- what the graph wrote
          t:use(function() a:fill(-1) end)                             -- and overwrites what it reads
          exec:launch(u)
          t:use(function()
            assert.equal(-2, out[N])
            assert.equal(2 * k + 0.5, b[N])
          end)
        end
      end
      if soft then soft.streams "deferred" end
      a:fill(8)
      t:use(function() a:iadd(1) end)
      cuda.Context.synchronize()
      s:use(function() for _ = 1, 20 do a:imul(1) end end)
      u:capture(function() exec:launch(s) end) -- where another stream is being captured, too
      u:use(function() assert.equal(18, out[N]) end)
      exec:close()
      for _, stream in ipairs { s, t, u } do stream:close() end
    end)

  it("reading a value in a capture raises and breaks nothing", function()
    local s = cuda.Stream()
    local a = gpuarray.to_gpu { 1, 2, 3 }
    local b
    gpu.raises("LogicError", "captured", s.capture, s, function() return (a + 1):get() end)
    gpu.raises("LogicError", "captured", s.capture, s, function() return a[1] end)
    local graph = s:capture(function()
      assert(not pcall(a.get, a))
      b = (a * 2):eval()
    end)
    graph:instantiate():launch(s)
    s:synchronize()
    assert.same({ 2, 4, 6 }, b:tolist())
  end)
end)
