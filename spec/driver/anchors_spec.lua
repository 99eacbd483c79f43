-- What asynchronous work still uses stays: until a copy is done, until its graph goes, across contexts.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local ffi = require "ffi"

local function bytes(n, value)
  local a = ffi.new("uint8_t[?]", n)
  ffi.fill(a, n, value)
  return a
end

local function on_device(memory, n)
  local a = ffi.new("uint8_t[?]", n)
  cuda.memcpy_dtoh(a, memory)
  return a[0], a[n - 1]
end

describe("anchors", function()
  before_each(gpu.context)

  it("cuda.Stream:capture keeps what a buffer's object gave, and what {ptr =} held then", function()
    local n, s, memory = 4096, cuda.Stream(), cuda.mem_alloc(4096)
    local gone = {}
    local function temporary(value)
      local a = bytes(n, value)
      return ffi.gc(ffi.cast("uint8_t *", a), function()
        gone[value] = true
        ffi.fill(a, n, 0xee)
      end)
    end
    local object = setmetatable({}, { __index = { buffer = function() return temporary(7), n end } })
    local holder = { ptr = temporary(8), nbytes = n }
    for value, buffer in pairs { [7] = object, [8] = holder } do
      local graph = s:capture(function() cuda.memcpy_htod_async(memory, buffer) end)
      if buffer == holder then holder.ptr = nil end
      local exec = graph:instantiate()
      graph = nil -- luacheck: ignore 311
      cuda.collect()
      exec:launch(s)
      s:synchronize()
      local first, last = on_device(memory, n)
      assert.equal(value, first)
      assert.equal(value, last)
      assert.is_nil(gone[value])
      exec:close()
    end
  end)

  it("cuda.Event:record refuses an event that is a mark in a capture under way", function()
    local s, other, e, memory = cuda.Stream "non_blocking", cuda.Stream "non_blocking", cuda.Event(), cuda.mem_alloc(16)
    local graph = s:capture(function()
      cuda.memset_d8_async(memory, 1, 16)
      e:record()
      gpu.raises("LogicError", "use another event", e.record, e, other)
      cuda.memset_d8_async(memory, 2, 16)
      e:record() -- in the same one it may move on
    end)
    assert.equal(2, #graph:nodes())
    e:record(other)
    e:synchronize()
    assert.is_true(e:query())
  end)

  it("cuda.Context:detach waits for copies in other contexts from and to its page-locked memory", function()
    local n = 1048576
    local here = cuda.Context.get_current()
    local memory, s = cuda.mem_alloc(n), cuda.Stream()
    local other = cuda.Device(0):make_context()
    local pinned = cuda.pagelocked_empty(n, "uint8")
    other.pop()
    assert.equal(here, cuda.Context.get_current())
    ffi.fill(pinned:data(), n, 9)
    cuda.memset_d8_async(memory, 1, n, s)
    cuda.memcpy_htod_async(memory, pinned, s)
    other:detach()
    s:synchronize()
    local first, last = on_device(memory, n)
    assert.equal(9, first)
    assert.equal(9, last)
    gpu.raises("LogicError", "detached", cuda.memcpy_htod_async, memory, pinned, s)
  end)

  it("cuda.PooledHostAllocation of another context is waited for: it cannot remember a stream of here", function()
    local n = 65536
    local here = cuda.Context.get_current()
    local memory, s = cuda.mem_alloc(n), cuda.Stream()
    local other = cuda.Device(0):make_context()
    local pool = cuda.PageLockedMemoryPool()
    local array = pool:allocate(n, "uint8")
    local block = array.base
    ffi.fill(array:data(), n, 4)
    other.pop()
    assert.equal(here, cuda.Context.get_current())
    cuda.memcpy_dtod_async(memory, block, n, s)
    assert.is_true(s:is_done())
    cuda.memcpy_dtod_async(block, memory, n, s)
    block:free()
    other:detach()
    local first, last = on_device(memory, n)
    assert.equal(4, first)
    assert.equal(4, last)
  end)
end)
