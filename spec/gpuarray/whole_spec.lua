-- Partial writes while pending arrays still read the array: one kernel writes the whole to a new buffer, and whoever
-- reads the old values keeps the old one.
local gpu = require "spec.support.gpu"
local core = require "cudalua.core"
local dtype = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local knob = require "spec.support.knob"
local reentry = require "spec.support.reentry"
local storage = require "cudalua.gpuarray.core.storage"
local whole = require "cudalua.gpuarray.core.whole"
local write = require "cudalua.gpuarray.core.write"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

local MOST = gpu.sanitized and 8 or 100 -- places of finalizers

local function nothing() return nil end

describe("A partial write", function()
  setup(gpu.context)

  local function string_of(n) return gpuarray.arange(n, "float32"):eval(), gpuarray.ones(n):eval() end

  local function step(now, before, held)
    local all = { { 2, -2 } }
    local inner = now[all]
    local twice = 2 * inner - before[all]
    if held then held[#held + 1] = twice end
    before[all] = twice + 0.25 * (now[{ { 1, -3 } }] - 2 * inner + now[{ { 3, -1 } }])
    return before, now
  end

  it("is one kernel if temporaries read the array, which have its old values afterwards", function()
    for _, n in ipairs { 64, 16 } do
      local now, before = string_of(n)
      step(step(now, before)) -- compiles
      now, before = string_of(n)
      local want, other = now:tolist(), before:tolist()
      local held, expected = {}, {}
      for _ = 1, 8 do
        local twice, after = {}, { other[1], [n] = other[n] }
        for i = 2, n - 1 do
          twice[i - 1] = 2 * want[i] - other[i]
          after[i] = twice[i - 1] + 0.25 * (want[i - 1] - 2 * want[i] + want[i + 1])
        end
        expected[#expected + 1], want, other = twice, after, want
        assert.equal(1, gpu.kernels(function() now, before = step(now, before, held) end))
      end
      assert.same({ want, other }, { now:tolist(), before:tolist() })
      for k = 1, 8 do assert.same(expected[k], held[k]:tolist()) end
    end
  end)

  it("leaves the old value to the source itself, in each way of writing", function()
    local ways = {
      function() return function() end end,
      function() return knob(whole, "cost", nothing) end,
    }
    for _, way in ipairs(ways) do
      local restore = way()
      local a = gpuarray.arange(6, "float32"):eval()
      local part = a[{ { 2, 4 } }]
      local t = part * 10
      a[{ { 2, 4 } }] = t
      local u = t + 1
      part:set(part + t)
      assert.equal(part._store.buf, part._leaf.buf) -- it keeps no buffer of before
      restore()
      assert.same({ 0, 20, 40, 60, 4, 5 }, a:tolist())
      assert.same({ { 10, 20, 30 }, { 11, 21, 31 } }, { t:tolist(), u:tolist() })
    end
  end)

  it("is another one for elements of another size at the same places", function()
    local function write_to(name, size, range)
      local a = gpuarray.arange(size, name):eval()
      local part = a[{ range }]
      local held = part * 2
      part:set(part + 100)
      return a:tolist(), held:tolist()
    end
    for _ = 1, 2 do
      assert.same({ 100, 101, 102, 103, 4, 5 }, (write_to("float64", 6, { 1, 4 })))
      local a, held = write_to("float32", 12, { 1, 7, 2 })
      assert.same({ 100, 1, 102, 3, 104, 5, 106, 7, 8, 9, 10, 11 }, a)
      assert.same({ 0, 4, 8, 12 }, held)
    end
  end)

  it("leaves the old values to those that were written with the array while it was pending", function()
    local a = gpuarray.arange(6, "float32") * 10
    local u = a + 1
    a:eval()
    a[{ { 2, 4 } }] = a[{ { 1, 3 } }] + 5
    assert.same({ 0, 5, 15, 25, 40, 50 }, a:tolist())
    assert.same({ 1, 11, 21, 31, 41, 51 }, u:tolist())
  end)

  it("leaves the old value to the source in memory that keeps its address, and in graphs", function()
    local a = gpuarray.arange(6, "float32"):eval()
    local stream = cuda.Stream()
    local kept
    local exec = stream:capture(function()
      kept = a[{ { 1, 3 } }] * 2
      a[{ { 1, 3 } }] = kept
    end):instantiate()
    local buf = a._store.buf
    for k = 1, 2 do
      exec:launch(stream)
      stream:synchronize()
      assert.same({ 0, 2 ^ k, 2 * 2 ^ k, 3, 4, 5 }, a:tolist())
      assert.same({ 0, 2 ^ k, 2 * 2 ^ k }, kept:tolist())
    end
    local t = a[{ { 4, 6 } }] * 2
    a[{ { 4, 6 } }] = t
    assert.equal(buf, a._store.buf)
    assert.same({ 6, 8, 10 }, t:tolist())
    local b = gpuarray.arange(6, "float32"):eval()
    local pointer = b.ptr
    local u = b[{ { 4, 6 } }] * 2
    b[{ { 4, 6 } }] = u + b[{ { 1, 3 } }]
    assert.same({ 0, 1, 2, 6, 9, 12 }, b:tolist())
    assert.equal(pointer, b.ptr)
    assert.same({ 6, 8, 10 }, u:tolist())
  end)

  it("is one kernel if it reads what it overwrites elsewhere, also through index maps", function()
    local function shift(a)
      a[{ { 2, -1 } }] = a[{ { 1, -2 } }] * 2
      a[{ { 1, -2 } }] = a[{ { 2, -1 } }]:roll(1) + a[{ { 1, -2 } }]
    end
    shift(gpuarray.arange(6, "float32"):eval())
    local a = gpuarray.arange(6, "float32"):eval()
    local view = a[{ { 3, 4 } }]
    assert.equal(2, gpu.kernels(function() shift(a) end))
    assert.same({ 8, 0, 4, 8, 12, 8 }, a:tolist())
    assert.same({ 4, 8 }, view:tolist())
    view:fill(5)
    assert.same({ 8, 0, 5, 5, 12, 8 }, a:tolist())
  end)

  it("of rows, columns, blocks and steps of all kinds is what it is on the host", function()
    local random = gpu.random or math.random
    local boxes = 0
    local box_of = whole.box_of
    finally(knob(whole, "box_of", function(...)
      local box = box_of(...)
      boxes = boxes + (box and 1 or 0)
      return box
    end))
    for round = 1, gpu.sanitized and 20 or 150 do
      local shape, index, size = {}, {}, 1
      for k = 1, random(3) do
        shape[k] = random(5)
        size = size * shape[k]
        local first = random(shape[k])
        local last = first + random(shape[k] - first + 1) - 1
        index[k] = random(4) == 1 and first or random(5) == 1 and { first, last, 2 } or { first, last }
      end
      local a = gpuarray.arange(size, "float32"):reshape(unpack(shape)):eval()
      local host = a:get({ array = true })
      if round % 5 == 0 and #shape == 2 then a = a:copy "F" end
      local held = a[index] * 2
      local want = (gpuarray.to_gpu(host)[index] * 2):tolist() -- of other memory: held stays pending
      local value = round % 3 == 0 and 7 or nil
      a[index] = value or held + 1
      local positions = { {} }
      for k = 1, #shape do
        local i, list = index[k], {}
        local first, last, by = type(i) == "number" and i or i[1], type(i) == "number" and i or i[2],
          type(i) == "table" and i[3] or 1
        for _, p in ipairs(positions) do
          for j = first, last, by do
            local q = { unpack(p) }
            q[k] = j
            list[#list + 1] = q
          end
        end
        positions = list
      end
      for _, p in ipairs(positions) do
        local x = host:get(unpack(p))
        p[#p + 1] = value or 2 * x + 1
        host:set(unpack(p))
      end
      assert.same(host:tolist(), a:tolist())
      assert.same(want, held:tolist())
    end
    assert.is_true(boxes > (gpu.sanitized and 5 or 50))
  end)

  it("of a view whose rows are not rows of the array is done in another way", function()
    local a = gpuarray.arange(12, "float32"):eval()
    local view = a[{ { 3, 10 } }]:reshape(2, 4)
    assert.is_nil(whole.box_of(view._leaf))
    assert.is_nil(whole.box_of(a[{ { 2, 12, 2 } }]:reshape(3, 2).T._leaf))
    local held = view * 2
    view:set(held + 1)
    assert.same({ 0, 1, 5, 7, 9, 11, 13, 15, 17, 19, 10, 11 }, a:tolist())
    assert.same({ { 4, 6, 8, 10 }, { 12, 14, 16, 18 } }, held:tolist())
  end)

  it("to an array of another context works there", function()
    local other = cuda.Device(0):make_context()
    local a = gpuarray.arange(6, "float32"):eval()
    local held = a[{ { 2, 4 } }] * 10
    cuda.Context.pop()
    finally(function() other:detach() end)
    local mine = gpuarray.ones(3):eval()
    a[{ { 2, 4 } }] = held + 1
    assert.same({ { 0, 11, 21, 31, 4, 5 }, { 10, 20, 30 } }, { a:tolist(), held:tolist() })
    held = a[{ { 2, 4 } }] * 10
    a[{ { 2, 4 } }] = 3
    gpu.raises("LogicError", "contexts", function() a[{ { 2, 4 } }] = mine * 2 end)
    assert.same({ { 0, 3, 3, 3, 4, 5 }, { 110, 210, 310 } }, { a:tolist(), held:tolist() })
  end)

  it("broadcasts, and writes numbers", function()
    local a = gpuarray.zeros({ 4, 5 }):eval()
    local held = a[{ { 2, 3 }, { 2, 4 } }] + 1
    a[{ { 2, 3 }, { 2, 4 } }] = gpuarray.to_gpu { 1, 2, 3 } * 2
    local second = a[2] + 1
    a[2] = 9
    local third = a[{ {}, 3 }] * 1
    a[{ {}, 3 }] = gpuarray.scalar(4, "float32") + 1
    assert.same({ { 0, 0, 5, 0, 0 }, { 9, 9, 5, 9, 9 }, { 0, 2, 5, 6, 0 }, { 0, 0, 5, 0, 0 } }, a:tolist())
    assert.same({ { { 1, 1, 1 }, { 1, 1, 1 } }, { 1, 3, 5, 7, 1 }, { 0, 9, 4, 0 } },
      { held:tolist(), second:tolist(), third:tolist() })
  end)

  it("keeps the bits of the other elements, whatever type they have", function()
    for _, name in ipairs { "float16", "bfloat16", "float32", "float64", "int8", "uint64", "bool", "complex64" } do
      local bytes = gpuarray.to_gpu({ 255, 255, 255, 127, 2, 125, 1, 255, 3, 5, 7, 252, 1, 126, 255, 255, 9, 8, 7, 6, 5,
        4, 3, 2, 1, 0, 255, 254, 1, 2, 3, 4 }, "uint8"):eval()
      local before = bytes:tolist()
      local itemsize = dtype[name].itemsize
      local a = bytes:view(name)
      local held = a + a
      a[{ { 2, 2 } }] = a[{ { 2, 2 } }]:copy()
      local after = bytes:tolist()
      for k = 1, itemsize do before[itemsize + k], after[itemsize + k] = 0, 0 end
      assert.same(before, after, name)
      held:eval()
    end
  end)

  it("of random numbers, structs and arrays across is done in another way", function()
    local g = cuda.random.Generator(3)
    local a = gpuarray.zeros(6):eval()
    local held = a[{ { 2, 5 } }] + 1
    local drawn = g:normal(4)
    a[{ { 2, 5 } }] = drawn * 2
    local want = (cuda.random.Generator(3):normal(4) * 2):tolist()
    assert.same({ 0, want[1], want[2], want[3], want[4], 0 }, a:tolist())
    assert.same({ 1, 1, 1, 1 }, held:tolist())
    local point = dtype.struct { { "x", "float32" }, { "y", "float32" } }
    local s, t = gpuarray.zeros(3, point), gpuarray.full(3, { x = 1, y = 2 }, point)
    s[{ { 2, 3 } }] = s[{ { 1, 2 } }]
    s[{ { 2, 3 } }] = t[{ { 1, 2 } }]
    assert.equal(1, s[3].x)
    local b, c = gpuarray.zeros({ 64, 70 }):eval(), gpuarray.ones({ 70, 64 }):eval()
    local u = b[{ { 2, -2 } }] * 1
    b[{ { 2, -2 } }] = c.T[{ { 2, -2 } }] * 2
    assert.equal(2 * 62 * 70, b:sum():item())
    assert.equal(0, u:sum():item())
  end)

  it("is done in place if the rest is large, or if nothing reads the array", function()
    local a = gpuarray.zeros(2 ^ 22 + 2 ^ 20):eval()
    local buf = a._store.buf
    a[{ { 2, 9 } }] = a[{ { 1, 8 } }] + 1
    local t = a[{ { 2, 9 } }] * 2
    a[{ { 2, 9 } }] = t + 1
    assert.equal(buf, a._store.buf)
    assert.same({ 2, 3 }, { t[1], a[2] })
    a:release()
    local b = gpuarray.zeros(100):eval()
    buf = b._store.buf
    b[{ { 2, 9 } }] = gpuarray.ones(8) * 2
    assert.equal(buf, b._store.buf)
  end)

  it("is done without new memory if there is none, and who holds the source is told", function()
    local a = gpuarray.arange(6, "float32"):eval()
    local t = a[{ { 2, 4 } }] * 10
    local buffer, asked = storage.buffer, 0
    local restore = knob(storage, "buffer", function()
      asked = asked + 1
      errors.raise("MemoryError", "no memory is left")
    end)
    local pools = {}
    for id, pool in pairs(storage.pools) do pools[id], storage.pools[id] = pool, nil end
    local ok, err = pcall(function() a[{ { 2, 4 } }] = t end)
    for id, pool in pairs(pools) do storage.pools[id] = pool end
    restore()
    assert(ok, err)
    assert.equal(buffer, storage.buffer)
    assert.is_true(asked >= 2)
    assert.same({ 0, 10, 20, 30, 4, 5 }, a:tolist())
    gpu.raises("MemoryError", "no memory is left", t.tolist, t)
  end)

  it("raises the error of the source, and leaves the array as it was", function()
    local a, b = gpuarray.arange(6, "float32"):eval(), gpuarray.ones(3):eval()
    local held = a[{ { 2, 4 } }] * 10
    local dead = held + b
    b:release()
    gpu.raises("LogicError", "was released", function() a[{ { 2, 4 } }] = dead end)
    assert.same({ 0, 1, 2, 3, 4, 5 }, a:tolist())
    assert.same({ 10, 20, 30 }, held:tolist())
  end)

  it("inside a scope gives replaced buffers to the collector, and the rest back at its end", function()
    collectgarbage()
    collectgarbage()
    local before, most = cuda.mem_stats().pooled.bytes, 0
    local a = gpuarray.zeros(1e5):eval()
    local inside = false
    gpuarray.scope(function()
      local b = gpuarray.zeros(1e5):eval()
      for k = 1, 60 do
        local u = b[{ { 2, -2 } }] + 1
        b[{ { 2, -2 } }] = u * 0.5
        local t = a[{ { 2, -2 } }] + 1
        a[{ { 2, -2 } }] = t * 0.5
        if k % 10 == 0 then
          collectgarbage()
          collectgarbage()
          most = math.max(most, cuda.mem_stats().pooled.bytes - before)
        end
      end
      inside = b[2]
    end)
    assert.is_true(most < 9 * 4e5, most)
    assert.equal(inside, a[2])
    local expected = 0
    for _ = 1, 60 do expected = (expected + 1) * 0.5 end
    assert.is_true(math.abs(a[2] - expected) < 1e-6)
    assert.equal(0, a[1])
    a:release()
    collectgarbage()
    collectgarbage()
    assert.is_true(cuda.mem_stats().pooled.bytes - before < 4e5)
  end)

  it("has all of a finalizer's writes and values, wherever it runs", function()
    local a, other, kept
    local function f()
      a, other = gpuarray.arange(6, "float32"):eval(), gpuarray.zeros(3):eval()
      local t = a[{ { 2, 4 } }] * 10
      kept = t
      local u = t - a[{ { 3, 5 } }]
      a[{ { 2, 4 } }] = u + other
      return { a, t, u, other }
    end
    local function text(list)
      local texts = {}
      for k = 1, 3 do texts[k] = table.concat(list[k]:tolist(), ",") end
      return table.concat(texts, " ")
    end
    local inner = {
      evaluates = function() if kept then kept:eval() end end,
      ["writes elsewhere"] = function() if other then other:fill(0) end end,
      collects = function() collectgarbage() end,
      ["evaluates all"] = function() gpuarray.eval() end,
    }
    for name, action in pairs(inner) do
      local wrong = reentry.sweep(f, action, MOST, text)
      assert.is_nil(wrong, name)
    end
  end)

  it("loses no write of a finalizer to the array, wherever it runs", function()
    local a, wrote
    local function f()
      a, wrote = gpuarray.arange(6, "float32"):eval(), false
      local t = a[{ { 2, 4 } }] * 10
      a[{ { 2, 4 } }] = t - a[{ { 3, 5 } }]
      return t
    end
    local function inner()
      if a and a._leaf then a[6], wrote = 77, a end
    end
    for _ = 1, 3 do f() end
    a = nil
    local _, lines = reentry.call(f, inner, math.huge)
    local tried = 0
    for k = 1, lines, math.max(lines / MOST, 1) do
      a = nil
      local t, _, place = reentry.call(f, inner, math.floor(k))
      assert.same({ 0, 8, 17, 26, 4, wrote == a and 77 or 5 }, a:tolist(), place)
      assert.same({ 10, 20, 30 }, t:tolist(), place)
      tried = tried + (wrote == a and 1 or 0)
    end
    assert.is_true(tried > MOST / 2)
  end)

  it("would change values that pending arrays still have to read if they did not count", function()
    local readers, cost = knob(storage, "readers", function() return {} end), knob(whole, "cost", nothing)
    finally(function()
      readers()
      cost()
    end)
    local a = gpuarray.arange(6, "float32"):eval()
    local t = a[{ { 2, 4 } }] * 10
    a[{ { 2, 4 } }] = t + 1
    assert.same({ 110, 210, 310 }, t:tolist())
  end)

  it("prepared for other code leaves old values, too", function()
    local a = gpuarray.arange(6, "float32"):eval()
    local t = a[{ { 2, 4 } }] * 10
    write.prepare(a[{ { 2, 4 } }])
    assert.is_false(t._sig)
    assert.equal(core.context_id(), a._store.context)
  end)
end)
