local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local tools = require "cudalua.tools"
local softgpu = require "cudalua.softgpu"

-- A program in a folder of its own as HOME, with that text in ~/.cuda_device (nil: no such file).
local function at_home(text, code, environment)
  local home = os.tmpname()
  os.remove(home)
  assert(os.execute("mkdir " .. home))
  if text then
    local file = assert(io.open(home .. "/.cuda_device", "w"))
    file:write(text)
    file:close()
  end
  local out = gpu.child(code, ("env -u CUDA_DEVICE HOME=%s %s"):format(home, environment or ""))
  os.execute("rm -r " .. home)
  return out
end

local three = "CUDALUA_DRIVER=soft CUDALUA_SOFT_DEVICES=3 CUDALUA_SOFT_VERSION=13000 "

describe("tools", function()
  local base
  before_each(function() base = gpu.context() end)

  local choose = [[
    local cuda, tools = require "cudalua", require "cudalua.tools"
    cuda.init()
    local function show(f, ...)
      local ok, result = pcall(f, ...)
      io.write(ok and result:ordinal() or result.message, "\n")
    end
    show(tools.get_default_device)
    show(tools.get_default_device, 2)
    show(function() return tools.make_default_context():get_device() end)
  ]]

  it("tools.get_default_device and tools.make_default_context ask CUDA_DEVICE, then ~/.cuda_device", function()
    assert.equal("0\n2\n0\n", at_home(nil, choose, three))
    assert.equal("1\n1\n1\n", at_home(nil, choose, three .. "CUDA_DEVICE=1"))
    assert.equal("1\n1\n1\n", at_home(" 1 \n", choose, three))
    assert.equal("2\n2\n2\n", at_home("1\n", choose, three .. "CUDA_DEVICE=2"))
    assert.equal("0\n2\n0\n", at_home("", choose, three))
    assert.equal("0\n2\n0\n", at_home("1", choose, three .. "CUDA_DEVICE="))
  end)

  it("tools.get_default_device and tools.make_default_context refuse settings that are no device", function()
    local line = "CUDA_DEVICE is 'gpu': it must be the number of a device\n"
    assert.equal(line:rep(3), at_home(nil, choose, three .. "CUDA_DEVICE=gpu"))
    assert.truthy(at_home("-1", choose, three):find("/.cuda_device is '-1': it must be the number", 1, true))
    assert.truthy(at_home(nil, choose, three .. "CUDA_DEVICE=7"):find "invalid device")
    gpu.refuses_nonsense(tools.get_default_device, { ["nil"] = true })
    assert.equal(cuda.Device(0), tools.get_default_device(0))
  end)

  it("tools.bitlog2 is the place of the highest bit", function()
    local got = {}
    for i, n in ipairs { 1, 2, 3, 17, 0xaffe, 0x3affe, 0xcc3affe, 2 ^ 53, 2 ^ 53 - 1 } do got[i] = tools.bitlog2(n) end
    assert.same({ 0, 1, 1, 4, 15, 17, 27, 53, 52 }, got)
    assert.equal(3, tools.bitlog2(15LL))
    gpu.raises("LogicError", "bitlog2: n must be a positive integer, got 0", tools.bitlog2, 0)
    gpu.refuses_nonsense(tools.bitlog2, { number = true })
  end)

  it("tools.make_default_context tries every device", function()
    assert.equal("1 true\n", at_home(nil, [[
      local cuda, tools, softgpu = require "cudalua", require "cudalua.tools", require "cudalua.softgpu"
      cuda.init()
      softgpu.fail("cuCtxCreate_v4", 1, "DEVICE_UNAVAILABLE")
      local ctx = tools.make_default_context()
      print(ctx:get_device():ordinal() .. " " .. tostring(ctx == cuda.Context.get_current()))
    ]], three))
    local out = at_home(nil, [[
      local cuda, tools, softgpu = require "cudalua", require "cudalua.tools", require "cudalua.softgpu"
      cuda.init()
      for nth = 1, 3 do softgpu.fail("cuCtxCreate_v4", nth, "DEVICE_UNAVAILABLE") end
      local ok, err = pcall(tools.make_default_context)
      print(err.class, err.message, cuda.Context.get_current())
    ]], three)
    assert.truthy(out:find "^RuntimeError\tmake_default_context: none of the 3 devices gave a context %(device 0: ")
    assert.truthy(out:find "device 2: .*%)\tnil\n$")
  end)

  it("tools.make_default_context takes a maker", function()
    local asked = {}
    assert.equal(base, tools.make_default_context(function(dev)
      asked[#asked + 1] = dev
      return base
    end))
    assert.equal(1, #asked)
    local ok, err = pcall(tools.make_default_context, function() error("mine", 0) end)
    assert.is_false(ok)
    assert.equal("mine", err) -- no device's answer
    gpu.refuses_nonsense(tools.make_default_context, { ["nil"] = true, ["function"] = true })
  end)

  it("tools.context_dependent_memoize calls once for each list of arguments and each context", function()
    local calls = 0
    local f = tools.context_dependent_memoize(function(...)
      calls = calls + 1
      return calls, nil, select("#", ...), nil
    end)
    local function count(...) return (f(...)) end
    local lists = { {}, { n = 1 }, { n = 2 }, { 1 }, { "1" }, { 1, 2 }, { 2, 1 }, { true }, { false }, { 0 / 0 },
      { base }, { 7LL }, { 2 ^ 60 } }
    local seen = {}
    for i, list in ipairs(lists) do seen[i] = count(unpack(list, 1, list.n or #list)) end
    assert.equal(#lists, calls)
    for i, list in ipairs(lists) do assert.equal(seen[i], count(unpack(list, 1, list.n or #list))) end
    assert.equal(seen[12], count(7))
    assert.equal(#lists, calls)
    assert.equal(4, select("#", f(1, 2)))
    assert.equal(2, (select(3, f(1, 2))))

    local ctx = cuda.Device(0):make_context()
    assert.equal(calls + 1, count(1))
    assert.equal(calls, count(1))
    cuda.Context.pop()
    assert.equal(seen[4], count(1))
    ctx:detach()

    local again = tools.context_dependent_memoize(function() error("not this time", 0) end)
    assert.same({ false, "not this time" }, { pcall(again) })
    assert.same({ false, "not this time" }, { pcall(again) })
    gpu.refuses_nonsense(tools.context_dependent_memoize, { ["function"] = true })
    gpu.context()
  end)

  it("tools.context_dependent_memoize needs a current context, and forgets contexts that are gone", function()
    local f = tools.context_dependent_memoize(function() return {} end)
    local gone = setmetatable({}, { __mode = "v" })
    do
      local ctx = cuda.Device(0):make_context()
      gone[1] = f()
      collectgarbage()
      assert.is_table(gone[1])
      assert.equal(gone[1], f())
      ctx:detach()
    end
    base:with(f)
    collectgarbage()
    collectgarbage()
    assert.is_nil(gone[1])
    cuda.Context.pop()
    assert.equal(201, gpu.raises("LogicError", "no context is current", f).code)
    base:push()
  end)

  it("tools.clear_context_caches forgets everything", function()
    local calls = 0
    local f = tools.context_dependent_memoize(function() calls = calls + 1 end)
    f()
    f()
    tools.clear_context_caches()
    f()
    f()
    assert.equal(2, calls)
    if softgpu.active() then -- what it remembered no longer holds its context
      cuda.collect() -- contexts of before, some of which may still wait in the queue of finalizers
      local before = softgpu.stats().live_contexts
      local g = tools.context_dependent_memoize(function() return cuda.mem_alloc(16) end)
      cuda.Device(0):make_context():with(g)
      cuda.Context.pop()
      cuda.collect()
      assert.equal(before + 1, softgpu.stats().live_contexts)
      tools.clear_context_caches()
      cuda.collect()
      assert.equal(before, softgpu.stats().live_contexts)
      gpu.context()
    end
  end)
end)
