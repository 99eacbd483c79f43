-- gpuarray.explain: the plan of an evaluation as text. It is what the evaluation then does, and changes nothing.
local gpu = require "spec.support.gpu"
local core = require "cudalua.core"
local cut = require "cudalua.gpuarray.core.cut"
local dry_run = require "cudalua.gpuarray.core.dry_run"
local graph = require "cudalua.gpuarray.core.graph"
local errors = require "cudalua.base.errors"
local habits = require "cudalua.gpuarray.core.habits"
local knob = require "spec.support.knob"
local planning = require "cudalua.gpuarray.core.planning"
local results = require "cudalua.gpuarray.core.results"
local same_cuts = require "cudalua.gpuarray.core.same_cuts"
local storage = require "cudalua.gpuarray.core.storage"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray
local explain = gpuarray.explain

-- The kernels of a plan, by name, and the bytes that they move.
local function planned(list)
  local names, bytes = {}, 0
  for _, k in ipairs(dry_run.plan(list, true).kernels) do
    names[k.name] = (names[k.name] or 0) + 1
    local seen = {}
    for _, leaves in ipairs { k.reads, k.writes } do
      for _, leaf in ipairs(leaves) do
        if not seen[leaf] and not leaf.mask then bytes = bytes + storage.bytes_of(leaf) end
        seen[leaf] = true
      end
    end
  end
  return names, bytes
end

-- The same of kernels that run.
local function launched(f)
  local names, bytes, said = {}, 0, 0
  local say, count = core.profile_bytes, core.launch_count()
  local function add_launched() -- what is said counts for the next launch
    if core.launch_count() > count then bytes, said, count = bytes + said, 0, core.launch_count() end
  end
  core.profile_bytes = function(n)
    add_launched()
    said = n
    return say(n)
  end
  local ok, profile = pcall(cuda.profile, f, { print = false })
  core.profile_bytes = say
  assert(ok, profile)
  add_launched()
  for _, row in ipairs(profile.rows) do
    if row.kind == "kernel" then names[row.name] = (names[row.name] or 0) + row.calls end
  end
  return names, bytes
end

-- The plan is what the evaluation does. Returns the text.
local function check(...)
  local list = { ... }
  local text = explain(...)
  local names, bytes = planned(list)
  local ran, moved = launched(function() gpuarray.eval(unpack(list)) end)
  assert.same(ran, names)
  assert.equal(moved, bytes)
  return text
end

local function has(text, ...)
  for _, part in ipairs { ... } do
    assert.is_truthy(text:find(part, 1, true), ("%s\nis not in\n%s"):format(part, text))
  end
end

describe("gpuarray.explain", function()
  local x, y

  setup(gpu.context)
  before_each(function()
    -- Plans depend on what a program has repeated. Specs before this one may have run the same expressions.
    habits.forget()
    same_cuts.forget()
    x, y = gpuarray.linspace(0, 1, 1000):eval(), gpuarray.ones(1000):eval()
  end)

  it("names the kernel, what it reads and writes, and what it moves", function()
    local s, line = x * y + 2, debug.getinfo(1, "l").currentline
    local text = check(s * s, s)
    has(text, "kernel 1: array_mul_add_mul<<<1, 256>>>, 1000 elements, 3 operations", "reads  #1 float32 (1000,)",
      "writes #3 add, float32 (1000,)", "argument 2", "#4 mul, float32 (1000,)", "argument 1",
      "1 kernel: 8000 B read, 8000 B written")
    if gpu.soft then has(text, ("add, float32 (1000,), %s:%d"):format(debug.getinfo(1, "S").short_src, line)) end
  end)

  it("says that an array has a value, and which one was released", function()
    local gone = x * 2
    gone:eval():release()
    has(explain(x, y + 1), "argument 1, float32 (1000,): is computed already", "argument 2")
    has(explain(x), "0 kernels: 0 B read, 0 B written")
    has(explain(gone), "error of argument 1: ", "the memory of this array was released", "0 kernels")
    assert.is_nil(explain(gone):find("is computed already", 1, true))
    has(explain(x:sum(), x:cumsum():eval()), "argument 1, float32 (): is computed already",
      "argument 2, float32 (1000,)")
  end)

  it("plans calls of functions that gpuarray.fuse made", function()
    local a = gpuarray.arange(6):reshape(2, 3):astype("float32"):eval()
    local calls = 0
    local f = gpuarray.fuse(function(u, k)
      calls = calls + 1
      local t = u * k
      return t + 1, t:exp(), u, t:sum(1) and nil
    end)
    local one = gpuarray.fuse(function(u, k)
      local t = u * k
      return t + 1, t:exp(), u
    end)
    -- One kernel, with what has to be computed before.
    local text
    assert.equal(0, gpu.kernels(function() text = explain(one, a, 2) end))
    has(text, "kernel 1: array_mul_add_exp<<<1, 256>>>, 6 elements, 3 operations", "reads  #1 float32 (2, 3)",
      "writes #2 float32 (2, 3)", "#3 float32 (2, 3)", "1 kernel: 24 B read, 48 B written")
    local before = a * 3
    has(explain(one, before, 2), "kernel 1: array_mul<<<1, 256>>>", "2 kernels: 48 B read, 72 B written")
    assert.is_truthy(before._sig)
    for _ = 1, 2 do
      local p, q, r = one(before, 2)
      assert.same({ { 1, 7, 13 }, { 19, 25, 31 } }, p:tolist())
      assert.equal(1, q:item(1, 1))
      assert.equal(before, r)
      assert.equal(1, gpu.kernels(function() one(before, 2) end))
      has(explain(one, before, 2), "1 kernel: 24 B read, 48 B written")
    end
    -- One that reduces, which is called.
    f(a, 2)
    calls = 0
    local m = gpuarray.fuse(function(u) return u:mean(), u:var(), u:max() end)
    assert.equal(0, gpu.kernels(function() text = explain(m, a) end))
    has(text, "kernel 1: array_", "1 kernel: 24 B read, 12 B written")
    assert.equal(1, gpu.kernels(function() m(a) end))
    has(explain(m, a), "1 kernel: 24 B read, 12 B written")
    explain(f, a, 2)
    assert.equal(1, calls)
    -- Nothing that the function made is there afterwards, and the next call computes it.
    local kept
    local asks = gpuarray.fuse(function(u)
      kept = u:sum()
      return kept + kept:item()
    end)
    has(explain(asks, a), "error: ", "the function needs the value of an array, but nothing is computed")
    gpu.raises("LogicError", "released", kept.item, kept)
    assert.equal(30, asks(a):item())
    assert.equal(15, kept:item())
    has(explain(asks, a), "error: ")
    assert.equal("my own", select(2, pcall(explain, gpuarray.fuse(function() error("my own", 0) end), a)))
    gpu.raises("LogicError", "expected a gpuarray, got 3", explain, 3)
  end)

  it("has the error that the evaluation raises", function()
    local z = gpuarray.ones(10):eval()
    local dead = z * 2
    z:release()
    local text = explain(y * 2, dead, y * 3)
    local err = gpu.raises("LogicError", "was released", gpuarray.eval, y * 2, dead, y * 3)
    has(text, "error of argument 2: ", err.message:match "gpuarray: .*", "1 kernel:")
    gpu.raises("LogicError", "was released", dead.eval, dead)
  end)

  it("says why results are in other kernels", function()
    local u = gpuarray.ones({ 40, 30 }):eval()
    local v = gpuarray.ones({ 30, 40 }):eval().T
    has(check(x + 1, u + 1), "separate from kernel 1: another shape")
    has(check(u * 2, v * 2), "separate #4: its axes lie in another order in memory than those of #2")
    local many = {}
    for k = 1, 20 do many[k] = x * k end
    local text = check(unpack(many))
    has(text, "separate #18, #19, #20, #21: a kernel has at most 16 results", "2 kernels")
    local wide, arrays = {}, {}
    for k = 1, 50 do arrays[k] = gpuarray.full(1000, k):eval() end
    for k = 1, 2 do
      local sum = arrays[25 * k - 24]
      for i = 25 * k - 23, 25 * k do sum = sum + arrays[i] end
      wide[k] = sum
    end
    has(check(unpack(wide)), "a kernel has at most 48 arrays that it reads")
    finally(knob(results, "OPERATIONS", 20))
    local long = {}
    for k = 1, 2 do
      long[k] = x
      for i = 1, 15 do long[k] = long[k] * 0.5 + i * k end
    end
    has(check(unpack(long)), "a kernel has at most 20 operations")
  end)

  it("says what is computed twice, and what that costs so far", function()
    local few = x * 2
    check(few + 1)
    local text = check(few * y)
    has(text, "  recomputes mul, float32 (1000,)", ": costs 4125 B so far, storing and reading it 8000 B")
    has(check(few - y), "stores #3: needed again; recomputing it costs 8250 B so far, storing and reading it 8000 B")
  end)

  it("says which value is stored, with the bytes of both choices", function()
    local arrays = {}
    for k = 1, 4 do arrays[k] = gpuarray.full(1000, k):eval() end
    local many = arrays[1] * arrays[2] + arrays[3] * arrays[4]
    check(many + 1)
    local text = check(many + 2)
    has(text, "stores #7: needed again; recomputing it costs 16.4 kB so far, storing and reading it 8000 B",
      "16 kB read, 16 kB written")
    has(check(many * 2), "array_mul<<<", "1 kernel: 4000 B read")
  end)

  it("says where an expression is cut, what is carried and which limit it is", function()
    local a, b = x, y
    for _ = 1, 60 do a, b = a * 0.5 + b, b - a:exp() end
    local text = check(a, b)
    has(text, "cut before mul, float32 (1000,)",
      ": 238 operations to compute; more than 96 are cut after 32 to 128; carries #1, #2",
      ": 110 operations to compute; more than 96 are cut after 32 to 128; carries #7, #8",
      "stores #1, #2: read after the cut", "4 kernels")
    finally(knob(cut, "LEAVES", 10))
    local sum = x
    for k = 1, 30 do sum = sum + gpuarray.full(1000, k):eval() end
    has(check(sum), "more than 10 arrays; carries #1")
  end)

  it("names unread values that a cut stores", function()
    local a, kept = x, {}
    for k = 1, 120 do
      a = a * 0.5 + y
      if k % 40 == 0 then kept[#kept + 1] = a:exp() end
    end
    local text = check(a)
    assert.truthy(text:find "stores #%d+: not read yet, but perhaps after the cut", text)
    assert.is_false(kept[1]._sig)
  end)

  it("says which expressions index maps compute in place, and which are stored for them", function()
    local u = gpuarray.ones({ 30, 20 }):eval()
    local text = check((u * 2):roll(1, 1) + u:roll(1, 2))
    has(text, "in 2 places", "1 kernel")
    has(text, "inlines mul, float32 (30, 20)", ": computing it in 1 place moves 4.25 bytes an element, " ..
      "storing it first 12.25")
    local w = gpuarray.ones({ 30, 20 }):eval()
    local sum = u * w + u:exp() - w:sqrt()
    local rows = sum:roll(1, 1) + sum:roll(-1, 1)
    text = check(rows:roll(1, 2) + rows:roll(-1, 2))
    has(text, "stores #3: read through index maps; computing it in 2 places moves 34.75 bytes an element, " ..
      "storing it first 29.38", "2 kernels")
  end)

  it("names random leaves and the kernel that has to draw them", function()
    local g = cuda.random.Generator(1)
    has(check(g:normal(1000) * 2), "random numbers, which the kernel makes")
    local u = gpuarray.ones({ 40, 25 }):eval().T
    local text = check(g:normal { 25, 40 } * u)
    has(text, "stores #1: random numbers, which a kernel of their own draws in C order", "2 kernels")
  end)

  it("tells pending reductions that the arguments need from others", function()
    gpuarray.eval()
    local u = gpuarray.ones({ 6, 5 }):eval()
    local waits = "reductions and scans start before other arrays are computed"
    local mean = u:mean(1)
    has(explain(u + 1), "stores #2: pending, but the arguments do not need it; " .. waits)
    has(explain(mean * 2), "stores #2: " .. waits)
    assert.is_nil(explain(gpuarray.fuse(function(a) return a + 1 end), u):find("do not need", 1, true))
    gpuarray.eval()
    local sums = u:cumsum(1)
    assert.is_nil(explain(u * 3, sums):find("do not need", 1, true))
    has(explain(u * 4), "stores #2: pending, but the arguments do not need it")
    assert.is_truthy(sums._sig)
  end)

  it("names the longest rows and columns that one kernel takes", function()
    gpuarray.eval()
    local keep = { keepdims = true }
    local long = gpuarray.ones({ 2, 20000 }):eval()
    local quotient = long / long:sum(2, keep)
    has(explain(quotient), "stores #2: reductions and scans start before other arrays are computed; rows of 20000 " ..
      "elements do not fit into one kernel, which takes up to 16384 here", "2 kernels")
    quotient:eval()
    local high = gpuarray.ones({ 3000, 8 }):eval()
    quotient = high / high:sum(1, keep)
    has(explain(quotient), "columns of 3000 elements do not fit into one kernel, which takes up to 2048 here")
    quotient:eval()
    quotient = high:sin() / high:sin():sum(1, keep)
    local shorter = tonumber(explain(quotient):match "which takes up to (%d+) here")
    quotient:eval()
    assert.is_true(shorter < 2048)
    -- They are the limits.
    local function kernels_of(u, axis, f)
      u = u:eval()
      return gpu.kernels(function() (f(u) / f(u):sum(axis, keep)):eval() end)
    end
    local function same(u) return u end
    local function sine(u) return u:sin() end
    assert.equal(1, kernels_of(gpuarray.ones { 2, 16384 }, 2, same))
    assert.equal(1, kernels_of(gpuarray.ones { 2048, 8 }, 1, same))
    assert.equal(1, kernels_of(gpuarray.ones { shorter, 8 }, 1, sine))
    assert.equal(2, kernels_of(gpuarray.ones { 2 * shorter, 8 }, 1, sine))
  end)

  it("says which operand was computed early for a view, and what keeps a reduction pending", function()
    gpuarray.eval()
    local u = gpuarray.ones({ 6, 5 }):eval()
    local early = ("  early  #2: computed when a view of it was made, %s:%d"):format(debug.getinfo(1, "S").short_src,
      debug.getinfo(1, "l").currentline + 2)
    local made = {
      function() return u - u:mean(1)[{ gpuarray.newaxis, {} }] end, -- the line that is named
      function() return u - u:sum(2):reshape(6, 1) end,
      function() return u - (u * 2)[{ { 1, 6 } }] end,
    }
    for k = 1, gpu.soft and 3 or 0 do
      local text = check(made[k]())
      has(text, (early:gsub("%d+$", function(line) return ("%d"):format(line + k - 1) end)))
      assert.equal(k < 3, text:find("; keepdims = true keeps a reduction pending", 1, true) ~= nil)
    end
    -- Only views are said.
    local double = u * 2
    assert.is_false((pcall(double.squeeze, double, 1))) -- reads the strides
    assert.is_nil(check(double + 1):find("early", 1, true))
    double = (u * 2):eval()
    assert.is_nil(check(double[{ { 1, 3 } }] + 1):find("early", 1, true))
  end)

  it("names results that are computed along with the requested one", function()
    local rising, falling, other = x + y * 2, x - y, x:sqrt()
    has(check(rising), "stores #4, #5: not read yet; shares arrays or values with the requested one",
      "1 kernel: 8000 B read, 12 kB written")
    assert.is_false(falling._sig or other._sig)
    assert.equal(0, gpu.kernels(function() falling:eval() end))
  end)

  it("has no lines if they are not traced", function()
    local info = core.driver_info
    finally(function()
      core.driver_info = info
      graph.trace_lines()
    end)
    local first = x * y
    local traced = explain(first)
    first:eval()
    core.driver_info = function() return { soft = false } end
    graph.trace_lines()
    local text = explain(x * y)
    has(text, "  reads  #1 float32 (1000,)       4000 B", "  writes #3 mul, float32 (1000,)  4000 B")
    assert.is_nil(text:find("explain_spec", 1, true))
    assert.equal(gpu.soft or false, traced:find("explain_spec", 1, true) ~= nil)
  end)

  it("says that a leaf is a view", function()
    has(check(x[{ { 2, 500 } }] + 1), "#1 float32 (499,), a view")
  end)

  it("plans all pending arrays without arguments", function()
    gpuarray.eval()
    has(explain(), "0 kernels: 0 B read, 0 B written")
    local a, b = x * 2, y * 3
    has(explain(), "2 results" and "array_mul_mul<<<", "1 kernel: 8000 B read, 8000 B written")
    assert.is_nil(explain():find("argument", 1, true))
    gpuarray.eval(a, b)
  end)

  it("works during a capture, which it adds nothing to", function()
    local stream = cuda.Stream()
    local z
    local g = stream:capture(function()
      z = x + y
      has(explain(z), "1 kernel: 8000 B read, 4000 B written")
      z:eval()
    end)
    assert.equal(1, #g:nodes())
  end)

  it("runs, compiles and allocates nothing", function()
    local a, b = x, y
    for _ = 1, 50 do a, b = (a * 0.25 + b):tanh(), b - a end
    collectgarbage()
    local loads = 0
    finally(knob(require "cudalua.gpuarray.core.run", "load", function() loads = loads + 1 end))
    local pooled, launches = cuda.mem_stats().pooled.bytes, core.launch_count()
    local text = explain(a, b)
    has(text, "kernel 3")
    assert.equal(text, explain(a, b))
    assert.equal(pooled, cuda.mem_stats().pooled.bytes)
    assert.equal(launches, core.launch_count())
    assert.equal(0, loads)
    assert.is_truthy(a._sig)
  end)

  it("leaves everything as it was, also after an error", function()
    local a = x
    for _ = 1, 150 do a = a * 0.5 + y end
    local low, used, evaluated = a._low, a._a._used, storage.evaluated
    explain(a)
    assert.same({ low, used, evaluated }, { a._low, a._a._used, storage.evaluated })
    finally(knob(results, "together", function() error("by hand", 0) end))
    assert.equal("by hand", select(2, pcall(explain, a)))
    assert.is_false(planning.notes)
    assert.is_false(require("cudalua.gpuarray.core.run").planned)
    assert.same({ low, used, evaluated }, { a._low, a._a._used, storage.evaluated })
    assert.is_true(collectgarbage "isrunning")
  end)

  it("restores everything if it is interrupted anywhere", function()
    local a = x
    for _ = 1, 150 do a = a * 0.5 + y end
    local want = explain(a)
    local low, used, evaluated = a._low, a._a._used, storage.evaluated
    local text = {}
    for line in io.lines "lua/cudalua/gpuarray/core/dry_run.lua" do text[#text + 1] = line end
    -- Calls it, and raises an interruption before the k-th line of dry_run.lua. Returns how many lines ran.
    local function interrupted(k)
      local n = 0
      debug.sethook(function()
        local info = debug.getinfo(2, "Sl")
        if not info.source:find("gpuarray/core/dry_run", 1, true) then return end
        if text[info.currentline]:find("pcall(", 1, true) then return end -- what follows on that line undoes it all
        n = n + 1
        if n == k then
          debug.sethook()
          errors.raise("InterruptError", "interrupted")
        end
      end, "l")
      local ok, err = pcall(explain, a)
      debug.sethook()
      if k <= n then assert.is_true(not ok and cuda.is_error(err, "InterruptError")) end
      return n
    end
    local compiles = jit.status()
    jit.off()
    local lines = interrupted(math.huge)
    local k, step = 1, math.max(math.floor(lines / (gpu.sanitized and 20 or 100)), 1)
    while k <= lines do
      interrupted(k)
      local place = ("line %d of %d"):format(k, lines)
      assert.is_false(planning.notes, place)
      assert.same({ low, used, evaluated }, { a._low, a._a._used, storage.evaluated }, place)
      assert.is_true(collectgarbage "isrunning", place)
      k = k + ((k < 60 or k > lines - 60) and 1 or step)
    end
    if compiles then jit.on() end
    assert.equal(want, explain(a))
  end)

  it("runs no finalizer, which would write to arrays that are only planned", function()
    local target = gpuarray.zeros(10):eval()
    local ran = false
    local p = newproxy(true)
    getmetatable(p).__gc = function()
      ran = true
      target:fill(7)
    end
    p = nil -- luacheck: ignore 311
    local inside
    local buffer = storage.buffer
    finally(knob(planning, "save", function()
      for k = 1, 2e5 do local _ = { k } end
      inside = ran
      return function() end
    end))
    collectgarbage "stop"
    collectgarbage "restart"
    explain(x + y)
    assert.is_false(inside)
    collectgarbage()
    collectgarbage()
    assert.is_true(ran)
    assert.equal(7, target[1])
    assert.equal(buffer, storage.buffer)
  end)

  it("leaves a collector that was stopped alone", function()
    collectgarbage "stop"
    explain(x + y)
    local running = collectgarbage "isrunning"
    collectgarbage "restart"
    assert.is_false(running)
  end)

  it("refuses what is not an array", function()
    gpu.refuses_nonsense(explain)
    gpu.raises("LogicError", "gpuarray.explain", explain, x, 3)
  end)

  it("counts large bytes in units", function()
    local big = gpuarray.zeros(2 ^ 20, "float32"):eval()
    has(explain(big + 1), "4.19 MB", "1 kernel: 4.19 MB read, 4.19 MB written")
    big:release()
  end)
end)
