-- Single values of reductions, which their kernels leave in page-locked memory for the host: they are what memory has,
-- at any time.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cell = require "cudalua.gpuarray.core.mailbox"
local core = require "cudalua.core"
local gpuarray = require "cudalua.gpuarray"
local cuda = gpu.cuda
local soft = gpu.soft and require "cudalua.softgpu"

local N = 1000

describe("Values of reductions that are read at once", function()
  local a, id

  setup(function()
    gpu.context()
    a = gpuarray.arange(N):astype("float32"):eval()
    for _ = 1, 10 do a:sum():item() end -- from the eighth on there is a cell
    id = core.context_id()
  end)

  -- The value that the kernel left for the host; nil where there is none.
  local function told(x) return core.array_told(cell.watched[id], x._c or 0, cell.types[x._dtype]) end

  it("are left there by the kernel, of every type: gpuarray.Array:item", function()
    local function check(t, n, name)
      local x = gpuarray.arange(n):lt(50):astype(t):eval()
      local ticket
      for _ = 1, 2 do -- the first launch of a kernel takes the long way
        local s = x[name](x)
        cuda.Context.synchronize()
        local value = told(s)
        ticket = s._c
        if ticket then s._c = false end
        local there = s:item()
        if ticket then assert.equal(there, value, t .. " " .. name .. " " .. n) end
      end
      assert.equal(t ~= "float16", ticket and true, t)
    end
    for _, t in ipairs { "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
      "bool", "float16" } do
      check(t, 300, "max")
    end
    for _, n in ipairs { 3, 300000 } do -- one warp; several blocks
      check("float32", n, "sum")
      check("float64", n, "argmin")
      check("int8", n, "any")
    end
    for _ = 1, 2 do
      for _, v in ipairs { 0 / 0, 1 / 0, -1 / 0, -2 ^ 100, 2 ^ -149 } do
        local s = gpuarray.full(N, v):max()
        cuda.Context.synchronize()
        local x = s:item()
        assert.is_true(x == v or v ~= v and x ~= x)
      end
    end
  end)

  it("are read without the driver", function()
    local s = a:sum()
    cuda.Context.synchronize()
    if soft then
      soft.log "clear"
      soft.log "on"
    end
    for _ = 1, 3 do assert.equal(N * (N - 1) / 2, s:item()) end
    if soft then
      soft.log "off"
      assert.equal(0, #soft.calls())
    end
  end)

  it("are those of memory when something was written there", function()
    for _, change in ipairs {
      function(s) s:iadd(1) end, function(s) s:fill(7) end, function(s) s:set(gpuarray.full({}, 9)) end,
      function(s) s[{}] = 3 end, function(s) cuda.memcpy_htod(s.gpudata, gpu.floats(12.5)) end,
      function(s) s:reshape(1):imul(2) end,
      function(s) gpuarray.add(s, 1, { out = s }) end,
      function(s) a:max { out = s } end,
    } do
      local s = a:sum()
      cuda.Context.synchronize()
      change(s)
      assert.equal(s:get { array = true }:item(), s:item())
      assert.not_equal(N * (N - 1) / 2, s:item())
    end
  end)

  it("are those of the array that is asked, whatever was launched since", function()
    local sums = {}
    for i = 1, 70 do sums[i] = (a + i):sum() end -- more than the cell has places
    for i = 70, 1, -1 do assert.equal(N * (N - 1) / 2 + N * i, sums[i]:item()) end
    local s = a:sum()
    local t = a:max()
    local u = (a * 2):eval()
    assert.is_nil(told(t)) -- who asks for it waits for all that was launched
    assert.equal(N - 1, t:item())
    assert.equal(N * (N - 1) / 2, s:item())
    assert.equal(2, u[2])
    local stream = cuda.Stream "non_blocking"
    local v
    stream:use(function()
      v = a:sum()
      assert.equal(N * (N - 1) / 2, v:item())
    end)
    assert.equal(N * (N - 1) / 2, v:item())
    stream:close()
  end)

  it("and elements of arrays are copied there", function()
    for _, t in ipairs { "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
      "bool" } do
      local host = require("cudalua.ndarray").array({ 0, 1, 1, 0, t:find "^u" and 100 or t == "bool" and 1 or -100 }, t)
      local x = gpuarray.to_gpu(host)
      for i = 1, 5 do
        local s = (a + i):eval() -- is under way
        local offset = (i - 1) * x.itemsize
        assert.equal(host[i], core.array_read(x._leaf.buf, offset, cell.types[x.dtype], cell.cells[id], true))
        assert.equal(i + 2, s[3])
        assert.equal(host[i], core.array_read(x._leaf.buf, offset, cell.types[x.dtype], cell.cells[id], true))
      end
    end
    local odd = gpuarray.full(3, ffi.cast("float *", ffi.new("uint32_t[1]", 0x7fe5a5a5))[0])
    assert.is_true(odd[2] ~= odd[2]) -- looks like what is not there yet
  end)

  it("are no more when the memory is given back", function()
    local s = a:sum()
    cuda.Context.synchronize()
    s:release()
    gpu.raises("LogicError", "released", s.item, s)
  end)

  it("are not left by what is captured, nor read during a capture", function()
    local stream = cuda.Stream()
    local b = gpuarray.arange(N):astype("float32"):eval()
    local before, inside = b:sum(), nil
    cuda.Context.synchronize()
    assert.equal(N * (N - 1) / 2, told(before))
    local graph = stream:capture(function()
      gpu.error_of("LogicError", before.item, before)
      inside = b:sum()
      assert.is_nil(told(inside))
    end)
    local exec = graph:instantiate()
    b:fill(2)
    for _ = 1, 2 do
      exec:launch(stream)
      stream:synchronize()
      assert.equal(2 * N, inside:item())
    end
    exec:close()
    graph:close()
    stream:close()
  end)

  it("are not looked for where threads wait without looking", function()
    local other = cuda.Device(0):make_context "sched_blocking_sync"
    local here = core.context_id()
    local x = gpuarray.ones(5)
    for _ = 1, 10 do assert.equal(5, x:sum():item()) end
    assert.is_not_nil(cell.cells[here])
    assert.is_nil(cell.watched[here])
    other:pop()
    assert.equal(5, x:sum():item()) -- of another context than the current one
    other:detach()
  end)

  it("core.array_told refuses what is no cell, ticket or type", function()
    local s = a:sum()
    cuda.Context.synchronize()
    local own = cell.watched[id]
    assert.equal(N * (N - 1) / 2, core.array_told(own, s._c, 1))
    for _, t in ipairs { 0, 12, -1, 0 / 0, 1e9 } do assert.is_nil(core.array_told(own, s._c, t)) end
    for _, ticket in ipairs { 0, s._c - 1, s._c + 1, -1, 0 / 0, 2 ^ 60, "x" } do
      assert.is_nil(core.array_told(own, ticket, 1))
    end
    for _, other in ipairs { 5, "cell", a, core.host_alloc(64, 0), cuda.mem_alloc(4096) } do
      assert.is_nil(core.array_told(other, s._c, 1))
    end
  end)

  it("errors come where they came", function()
    if not soft then return pending("the driver of a GPU fails when it wants to") end
    local s = a:sum()
    soft.fail("cuStreamSynchronize", 1, 1)
    local err = gpu.error_of("LogicError", s.item, s)
    assert.equal(1, err.code)
    assert.equal(N * (N - 1) / 2, a:sum():item())
  end)
end)
