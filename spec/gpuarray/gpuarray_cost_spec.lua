-- What operations on arrays cost the processor, as far as it can be told without a clock: calls of the driver, bytes of
-- garbage, memory that is used again. And that the short ways there give what the long ones do.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"
local gpuarray = require "cudalua.gpuarray"
local marks = require "cudalua.gpuarray.core.marks"
local soft = gpu.soft and require "cudalua.softgpu"

local N = 1000

-- The driver calls of f, where they can be told, as "symbol count" in the order of their names.
local function calls(f)
  f()
  if not soft then
    f()
    return nil
  end
  soft.log "clear"
  soft.log "on"
  f()
  soft.log "off"
  local counts, names, list = {}, {}, {}
  for _, c in ipairs(soft.calls()) do
    if c.symbol ~= "cuCtxGetCurrent" then counts[c.symbol] = (counts[c.symbol] or 0) + 1 end
  end
  for name in pairs(counts) do names[#names + 1] = name end
  table.sort(names)
  for k, name in ipairs(names) do list[k] = name .. " " .. counts[name] end
  return table.concat(list, ", ")
end

local function expect_calls(text, f)
  local got = calls(f)
  if got then assert.equal(text, got) end
end

-- Bytes of Lua objects that a call of f makes: the least of some times, as a busy GPU gives blocks back late.
local function garbage(f)
  jit.off() -- whose traces are memory too
  for _ = 1, 300 do f() end
  local least = math.huge
  for _ = 1, 5 do
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 100 do f() end
    least = math.min(least, collectgarbage "count" - before)
    collectgarbage "restart"
  end
  jit.on()
  return least * 1024 / 100
end

describe("The cost of arrays", function()
  local a, b, c
  setup(gpu.context)
  before_each(function()
    a, b, c = gpuarray.arange(N):astype("float32"):eval(), gpuarray.full(N, 2), gpuarray.zeros(N)
    for _ = 1, 3 do (a + b):eval() end -- the kernel is there, and a block
    cuda.collect()
  end)

  it("gpuarray:eval asks the driver for the launch and for nothing else", function()
    expect_calls("cuLaunchKernel 20", function() for _ = 1, 20 do (a + b):eval():release() end end)
    expect_calls("cuLaunchKernel 20", function() for _ = 1, 20 do c:set(a + b) end end)
  end)

  it("an element is one copy", function()
    for _ = 1, 10 do assert.equal(1, a[2]) end -- from the eighth on into page-locked memory
    local each = "cuMemcpyDtoHAsync_v2 10, cuStreamSynchronize 10"
    expect_calls(each, function() for i = 1, 10 do assert.equal(i - 1, a[i]) end end)
    expect_calls(each, function() for i = 1, 10 do assert.equal(i - 1, a:item(i)) end end)
  end)

  it("ElementwiseKernel and gpuarray.fuse ask for the launch and for nothing else", function()
    local k = cuda.elementwise.ElementwiseKernel("float a, float *x, float *y", "y[i] = a * x[i]", "scaled")
    expect_calls("cuLaunchKernel 10", function() for n = 1, 10 do k(n, a, c) end end)
    assert.equal(10 * 7, c[8])
    local f = gpuarray.fuse(function(x, y) return x + y, x * y end)
    expect_calls("cuLaunchKernel 10", function()
      for _ = 1, 10 do
        local p, q = f(a, b)
        p:release()
        q:release()
      end
    end)
  end)

  it("makes little garbage", function()
    local function at_most(bytes, f)
      local got = garbage(f)
      assert.is_true(got <= bytes, ("%.0f bytes, not %d"):format(got, bytes))
    end
    local lines = soft and 500 or 0 -- which wrote the operations are remembered there
    at_most(400 + lines, function() (a + b):eval() end)
    at_most(300, function() local _ = a + b end) -- a table of nine fields takes 448 bytes
    at_most(900 + lines, function() c:set(a + b) end)
    at_most(20, function() return a[5] end)
    local k = cuda.elementwise.ElementwiseKernel("float a, float *x, float *y", "y[i] = a * x[i]", "scaled")
    at_most(200, function() k(2, a, c) end)
  end)

  it("an array has eight fields, whatever becomes of it", function()
    local function fields(x)
      local n = 0
      for _ in next, x do n = n + 1 end
      return n
    end
    local x, y = a + b, a - b
    assert.equal(8, fields(x))
    x:eval() -- it has memory
    assert.equal(8, fields(x))
    local z = (x + y):eval() -- x has a leaf, and y is pending still
    gpuarray.eval(y, x * y)
    local all = { x, y, z, x[{ { 2, 5 } }], c:set(x), gpuarray.zeros(3) }
    for _, each in ipairs(all) do assert.equal(8, fields(each)) end
    x:release()
    z:release()
    for _, each in ipairs(all) do assert.equal(8, fields(each)) end
    assert.equal(9, fields(gpuarray.where(a:gt(1), a, b)))
  end)

  it("searches through expressions have numbers of their own, also within each other", function()
    local first, node = marks.begin(), {}
    local second = marks.begin()
    node._mark = second + 1
    assert.is_nil(marks.number_from(first, node))
    assert.equal(1, marks.number_from(second, node))
    assert.is_nil(marks.number_from(first, {}))
    marks.finish(second, 1)
    marks.finish(first, 5) -- keeps its numbers, as others came later
    local third = marks.begin()
    assert.equal(second + 1, third)
    assert.is_nil(marks.number_from(third, node))
    marks.finish(third, 0) -- gives all of them back
    assert.equal(third, marks.begin())
    marks.finish(third, 0)
  end)

  it("temporaries are in bounded memory", function()
    local x = gpuarray.full(2 ^ 18, 1)
    core.gc_cost(0.0001, 1) -- not what this machine happens to take
    cuda.gc_budget(2 ^ 20)
    for _ = 1, 20 do (x + 1):eval() end
    cuda.gc_budget "auto"
    cuda.collect()
    assert.equal(64 * 2 ^ 20, cuda.mem_stats().budget)
    local before = cuda.mem_stats()
    for _ = 1, 2000 do
      local y = x + 1 -- a MiB
      y:eval()
    end
    local now = cuda.mem_stats()
    local grown = now.pooled.bytes + now.held.bytes - before.pooled.bytes - before.held.bytes
    assert.is_true(grown <= 80 * 2 ^ 20, grown)
    core.gc_cost()
    cuda.collect()
    assert.equal(before.pooled.count, cuda.mem_stats().pooled.count)
  end)

  it("memory stays as it was over more than 1e5 operations", function()
    local function state()
      for _ = 1, 3 do cuda.collect() end
      local s = cuda.mem_stats()
      return collectgarbage "count" * 1024, s.pooled.count, s.pooled.bytes
    end
    local x, y, out = gpuarray.full(16, 1), gpuarray.full(16, 2), gpuarray.zeros(16)
    local k = cuda.elementwise.ElementwiseKernel("float a, float *x, float *y", "y[i] = a * x[i]", "scaled")
    local f = gpuarray.fuse(function(p, q) return p + q, p * q end)
    local function work(n)
      for i = 1, n do
        local z = (x * 2 + y):eval()
        out:set(z - x) -- reads what eval() made
        k(i % 7, z, out)
        local p, q = f(z, out)
        local w = p * q + z
        if i % 10 == 0 then w:release() end -- some are never computed
        if i % 100 == 0 then assert.equal(4 * (i % 7), out[3]) end
      end
    end
    work(500)
    local _, blocks, memory = state()
    work(gpu.sanitized and 1000 or 1e4)
    jit.off()
    work(3000) -- by now all lists are as long as they become
    local least = math.huge
    for _ = 1, 3 do -- a table that grew once does not grow again; what is leaked does
      local bytes = state()
      work(gpu.sanitized and 1000 or 1e4)
      local bytes_now, blocks_now, memory_now = state()
      assert.is_true(blocks_now <= blocks and memory_now <= memory, blocks_now - blocks)
      least = math.min(least, bytes_now - bytes)
      if least < 100000 then break end
    end
    jit.on()
    assert.is_true(least < 100000, least) -- 2 for each kernel
  end)

  describe("what was computed and not used yet", function()
    local function fresh() return (a + b):eval() end
    local function check(x) for i = 1, N, 111 do assert.equal(i + 1, x[i]) end end

    it("is read, viewed, written and used like any other array", function()
      check(fresh())
      assert.equal(5 + 1, fresh():item(5))
      assert.equal(6, fresh():get()[5])
      check((fresh() * 2 - fresh()):eval())
      assert.same({ 4 }, fresh().strides)
      assert.equal(6, fresh()[{ { 5, 9 } }][1])
      assert.equal(6, fresh():reshape(10, 100)[{ 1, 5 }]:item())
      local x = fresh()
      local before = x * 1 -- still means the old values
      x:fill(7)
      assert.equal(7, x[5])
      check(before)
      x = fresh()
      x[{ { 1, 3 } }] = 9
      assert.equal(9, x[3])
      assert.equal(5, x[4])
      x = fresh()
      x:set(x * 2)
      assert.equal(12, x[5])
      assert.is_true(fresh().ptr ~= 0)
      assert.equal(tostring(a + b), tostring(fresh()))
      assert.equal(a:sum():item() + 2 * N, fresh():sum():item())
    end)

    it("is released, and is an error from then on", function()
      local x = fresh()
      x:release()
      x:release()
      gpu.raises("LogicError", "released", function() return x[1] end)
      gpu.raises("LogicError", "released", x.eval, x)
      gpu.raises("LogicError", "released", function() return (x + 1):eval() end)
    end)

    it("gives its memory back when it is released, and whoever has an object for that is told", function()
      local leaf_of = require("cudalua.gpuarray.core.storage").leaf_of
      local before = cuda.mem_stats().pooled.count
      for _ = 1, 20 do fresh():release() end
      assert.equal(before, cuda.mem_stats().pooled.count)
      local x, y = fresh(), fresh()
      local memory, other = leaf_of(x).buf, leaf_of(y).buf
      local part = other + 16
      x:release()
      y:release()
      assert.equal(before, cuda.mem_stats().pooled.count)
      gpu.raises("LogicError", "was freed", memory.ptr, memory)
      gpu.raises("LogicError", "was freed", memory.free, memory)
      gpu.raises("LogicError", "was freed", other.ptr, other)
      gpu.raises("LogicError", "freed at", part.ptr, part)
      local z = fresh()
      check(z)
      gpu.raises("LogicError", "was freed", memory.ptr, memory)
    end)

    it("belongs to the scope that it was made in, and to no other", function()
      local outside, escaped = fresh(), nil
      local kept = gpuarray.scope(function()
        escaped = fresh()
        check(outside * 1)
        return fresh()
      end)
      check(kept)
      check(outside)
      gpu.raises("LogicError", "released", function() return escaped[1] end)
    end)

    it("is the operand that it was before", function()
      local x = a + b
      local y = x * 2
      x:eval()
      x:fill(0)
      assert.equal(12, y[5])
    end)

    it("is what a fused function returns", function()
      local f = gpuarray.fuse(function(p) return p + 2, p * 2 end)
      for _ = 1, 3 do
        local p, q = f(a)
        local sum = p + q
        p:fill(1)
        assert.equal(6 + 8, sum[5])
        assert.equal(1, p[5])
        assert.equal(8, q[{ { 5 } }]:item())
      end
    end)
  end)

  it("readers of a storage are found whenever they were written down", function()
    local x = gpuarray.full(N, 1)
    local early = x + 1
    for _ = 1, 3000 do local _ = x * 2 end -- the list of what waits is made shorter on the way
    local late = x + 2
    x:fill(5)
    local later = x + 3
    x[{ { 1, 10 } }] = 6
    assert.same({ 2, 3, 8, 6 }, { early[1], late[1], later[1], x[1] })
  end)

  it("expressions of any form are cut where they are too long for a kernel", function()
    local x, y = a, 0
    for i = 1, 200 do
      x = x * 1 + (i % 3 == 0 and b or c)
      y = y + (i % 3 == 0 and 2 or 0)
    end
    assert.equal(4 + y, x[5])
    local parts = {}
    for i = 1, 80 do parts[i] = gpuarray.full(N, i) end
    while #parts > 1 do -- a tree of 80 arrays
      local next_parts = {}
      for i = 1, #parts, 2 do next_parts[#next_parts + 1] = parts[i + 1] and parts[i] + parts[i + 1] or parts[i] end
      parts = next_parts
    end
    assert.equal(80 * 81 / 2, parts[1][N])
    local z = a
    for i = 1, 40 do z = gpuarray.where(z:ge(0), z + gpuarray.full(N, i), gpuarray.full(N, -i)) end
    assert.equal(4 + 40 * 41 / 2, z[5])
  end)

  describe("an ElementwiseKernel that is called again", function()
    local k
    before_each(function()
      k = cuda.elementwise.ElementwiseKernel("float a, float *x, float *y", "y[i] = a * x[i]", "scaled")
      k(2, a, c)
      k(3, a, c)
      assert.equal(12, c[5])
    end)

    it("takes other arrays, shapes, layouts and values", function()
      local d = gpuarray.zeros(N)
      k(4, a, d)
      assert.equal(16, d[5])
      assert.equal(12, c[5])
      local p, q = gpuarray.full({ 3, 5 }, 2), gpuarray.zeros({ 3, 5 })
      k(5, p, q)
      assert.equal(10, q[{ 3, 5 }]:item())
      k(6, p.T, q.T)
      assert.equal(12, q[{ 2, 4 }]:item())
      k(7, a[{ { N, 1, -1 } }], c)
      assert.equal(7 * (N - 1), c[1])
      k(2, a, c, { range = { 1, 3 } })
      assert.equal(2 * 2, c[3])
      assert.equal(7 * (N - 4), c[4])
      k(1, a, a) -- in place
      k(10, a, a)
      assert.equal(40, a[5])
      k(0.1, a, c)
      assert.is_true(math.abs(4 - c[5]) < 1e-6)
    end)

    it("refuses what it refuses the first time", function()
      gpu.raises("LogicError", "astype", k, 2, a:astype "float64", c)
      gpu.raises("LogicError", "it takes 3 arguments", k, 2, a)
      gpu.raises("LogicError", "expected a number", k, "2", a, c)
      gpu.raises("LogicError", "expected an array", k, 2, 3, c)
      local x = gpuarray.full(N, 1)
      x:release()
      gpu.raises("LogicError", "released", k, 2, x, c)
      k(2, a, c)
      assert.equal(8, c[5])
    end)

    it("computes what is not computed, and what still has to read the old values", function()
      k(2, a + 1, c)
      assert.equal(10, c[5])
      local old = c + 0
      k(3, a, c)
      assert.same({ 10, 12 }, { old[5], c[5] })
      local view = c[{ { 5, 6 } }]
      old = view * 1
      k(4, a, c)
      assert.same({ 12, 16 }, { old[1], view[1] })
    end)

    it("is captured, streamed and of its context", function()
      local s = cuda.Stream "non_blocking"
      local g = s:capture(function() k(5, a, c) end)
      c:fill(0)
      local x = gpuarray.full(N, 1)
      local exec = g:instantiate()
      exec:launch(s)
      s:synchronize()
      assert.equal(20, c[5])
      s:use(function() k(6, a, x) end)
      assert.equal(24, x[5])
      exec:close()
      g:close()
      s:close()
    end)
  end)

  it("finalizers that write to arrays and allocate come between the parts of an operation", function()
    local x, total, busy = gpuarray.full(N, 1), 0, false
    local function trap(n)
      local u = newproxy(true)
      getmetatable(u).__gc = function()
        -- An allocation in here may run the next one, whose write would come between x + 1 and set().
        if busy then return trap(n) end
        busy = true
        x:set(x + 1)
        total = total + 1
        local _ = (x * 2):eval()
        busy = false
        if n > 0 then trap(n - 1) end
      end
    end
    local i = 0
    while i < 3000 or total <= 50 and i < 100000 do -- how soon finalizers come depends on what else is on the heap
      i = i + 1
      if i % 30 == 0 then trap(2) end
      local before = total
      local y = x + 1
      y:eval()
      local value = y[1]
      assert.is_true(value >= before + 2 and value <= total + 2,
        ("%g, and %d to %d writes were made"):format(value, before, total))
    end
    assert.is_true(total > 50, total)
    assert.equal(total + 1, x[1])
  end)

  it("blocks are of the stream that asks for them", function()
    local s = cuda.Stream "non_blocking"
    for i = 1, 50 do
      local x = (a + i):eval()
      local y
      s:use(function() y = (x * 2):eval() end)
      local z = (a * 3):eval()
      assert.equal(2 * (4 + i), y[5])
      assert.equal(12, z[5])
      if i % 2 == 0 then x:release() end
    end
    s:close()
  end)

  it("small blocks are made many at a time, and go back to the driver together", function()
    local pool, list, places = core.device_pool(true), {}, {}
    expect_calls("cuMemAlloc_v2 6", function() -- which calls it twice; some are left the second time
      local first = #list
      for i = first + 1, first + 300 do
        local block = core.array_allocate(pool, 1 + i % 2 * 2000)
        local at = block:ptr()
        assert.is_nil(places[at])
        assert.equal(0, at % 256)
        places[at], list[i] = true, block
      end
    end)
    assert.equal(600, pool.active_blocks)
    for i = 1, 600 do
      local at = list[i]:ptr() -- none lies in another one
      for k = 256, i % 2 * 2000, 256 do assert.is_nil(places[at + k]) end
    end
    for i = 2, 600 do list[i]:free() end
    assert.equal(1, pool.active_blocks)
    pool:free_held()
    assert.equal(0, pool.held_blocks)
    local last = list[1]
    cuda.memset_d8(last, 7, 2001)
    last:free()
    assert.equal(1, pool.held_blocks)
    pool:stop_holding()
    assert.equal(0, pool.managed_bytes)
    assert.equal(0, pool.held_blocks)
  end)

  it("core.array_read gives what the bytes are", function()
    for _, t in ipairs { "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
      "bool", "float16" } do
      local x = gpuarray.to_gpu(require("cudalua.ndarray").array({ 0, 1, 1, 0, 1 }, t))
      local host = x:get()
      for i = 1, 5 do assert.equal(host[i], x[i]) end
    end
    local big = gpuarray.to_gpu(require("cudalua.ndarray").array({ 2 ^ 53, -2 ^ 53, 5 }, "int64"))
    assert.same({ 2 ^ 53, -2 ^ 53, 5 }, { big[1], big[2], big[3] })
    local wide = require("cudalua.ndarray").array({ 2LL ^ 60 + 1, -2LL ^ 60 - 1 }, "int64")
    local x = gpuarray.to_gpu(wide)
    assert.is_true(x[1] == wide[1] and x[2] == wide[2])
    local nan = gpuarray.full(3, 0 / 0)
    assert.is_true(nan[1] ~= nan[1])
    assert.is_nil(core.array_read(5, 0, 1))
    assert.is_nil(core.array_read(cuda.mem_alloc(16), -1, 1))
    assert.is_nil(core.array_read(cuda.mem_alloc(16), 13, 1))
    assert.is_nil(core.array_read(cuda.mem_alloc(16), 0, 99))
    assert.is_nil(core.array_read(cuda.mem_alloc(16), 0 / 0, 1))
  end)
end)
