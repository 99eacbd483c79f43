local gpu = require "spec.support.gpu"
local planted = require "spec.support.planted"

local ALL = "races,uninitialised,barriers,shuffles"

---Runs Lua code on the software device with these checks; returns what it printed and whether it ended well.
local function child(code, checks, environment)
  return gpu.child(code, ("CUDALUA_DRIVER=soft CUDALUA_SOFT_CHECK=%s %s"):format(checks,
    environment or "CUDALUA_SOFT_REPORT=off"))
end

---A reader of JSON, strict, for the few kinds of values that reports have.
local function decode(text)
  local at = 1
  local value
  local function expect(c)
    assert(text:sub(at, at) == c, ("%s expected at %d of %s"):format(c, at, text))
    at = at + 1
  end
  local function quoted()
    expect '"'
    local parts = {}
    while text:sub(at, at) ~= '"' do
      local plain = text:match('^[^"\\%c]+', at)
      if plain then
        parts[#parts + 1], at = plain, at + #plain
      else
        parts[#parts + 1] = assert(text:match('^\\(["\\/bfnrt])', at) or text:match("^\\u%x%x%x%x", at), text)
        at = at + (text:sub(at + 1, at + 1) == "u" and 6 or 2)
      end
    end
    at = at + 1
    return table.concat(parts)
  end
  local function list(close, one)
    at = at + 1
    if text:sub(at, at) ~= close then
      one()
      while text:sub(at, at) == "," do
        at = at + 1
        one()
      end
    end
    expect(close)
  end
  function value()
    local c, t = text:sub(at, at), {}
    if c == '"' then return quoted() end
    if c == "[" then
      list("]", function() t[#t + 1] = value() end)
      return t
    elseif c == "{" then
      list("}", function()
        local key = quoted()
        expect ":"
        assert(t[key] == nil, "twice: " .. key)
        t[key] = value()
      end)
      return t
    end
    local number = assert(text:match("^-?%d+", at), text:sub(at))
    at = at + #number
    return tonumber(number)
  end
  local v = value()
  assert(at == #text + 1, "more text: " .. text:sub(at))
  return v
end

local function on_software()
  if not gpu.soft then pending "a GPU does not look" end
end

---Reports of a family of bugs, by name: the code, "fine" where there was none, and the report as JSON.
local function results(family, fixed, checks)
  local text = child(("require('spec.support.planted').run(%q, %s)"):format(family, tostring(fixed or false)),
    checks or ALL)
  local found = {}
  for name, code, json in text:gmatch "([^\t\n]+)\t([^\t\n]*)\t([^\n]*)" do found[name] = { code, json } end
  return found, text
end

---The report of each case names what it should.
local function family_is_found(family)
  local found, text = results(family)
  for _, case in ipairs(planted.families[family]) do
    local name, here, other = case[1], planted.lines(case)
    local got = assert(found[name], name .. " has no result in\n" .. text)
    assert.equal(tostring(case[3]), got[1], name)
    local report = decode(got[2])
    local says = name .. ": " .. got[2]
    assert.equal(case[2], report.kind, says)
    assert.equal(case[3], report.code, says)
    assert.equal("k", report.kernel, says)
    if not (case.any_end and report.line == other) then assert.equal(here, report.line, says) end
    assert.equal("planted.cu", report.file, says)
    if not case.any_end then
      assert.same({ case[4][1], case[4][2] or 0, case[4][3] or 0 }, report.thread, says)
      assert.same(case.block_at or (name:find "block before" and { 1, 0, 0 }) or { 0, 0, 0 }, report.block, says)
    end
    local said = false
    for pattern in case[5]:gmatch "[^|]+" do said = said or report.text:find(pattern) ~= nil end
    assert(said, case[5] .. " is not in " .. says)
    if report.allocation then
      assert.is_true(report.allocation.bytes > 0, says)
      assert.equal(tonumber(report.address), tonumber(report.allocation.address) + report.allocation.offset, says)
    end
    if other and family == "races" and name ~= "an asynchronous copy that nobody waits for" then
      local line = report.other.line
      if line then assert.is_true(line == other or line == here, says) end
    end
  end
  return found
end

describe("checks of the software device", function()
  it("find one access too many, in each space of memory", function()
    on_software()
    family_is_found "bounds"
  end)

  it("find pointers that lead nowhere", function()
    on_software()
    family_is_found "pointers"
  end)

  it("find loads of what nobody has written", function()
    on_software()
    family_is_found "uninitialised"
  end)

  it("find races, and name both ends", function()
    on_software()
    local found = family_is_found "races"
    local report = decode(found["no barrier between store and load"][2])
    assert.same({ 63, 0, 0 }, report.other.thread)
    assert.equal("store", report.other.access)
    assert.equal("shared", report.space)
    assert.equal("0xfc", report.address)
  end)

  it("find barriers and shuffles that not all come to", function()
    on_software()
    family_is_found "barriers"
  end)

  it("are forty kernels and more", function()
    local n = 0
    for _, family in pairs(planted.families) do n = n + #family end
    assert.is_true(n >= 40, tostring(n))
  end)

  it("say nothing of the same kernels without their bug", function()
    on_software()
    local n = 0
    for family, cases in pairs(planted.families) do
      local found, text = results(family, true)
      for _, case in ipairs(cases) do
        if case.fixed then
          n = n + 1
          assert(found[case[1]], case[1] .. " has no result in\n" .. text)
          assert.equal("fine", found[case[1]][1], case[1] .. ": " .. found[case[1]][2])
        end
      end
    end
    assert.is_true(n >= 15)
  end)

  it("do not look where they were not asked to", function()
    on_software()
    for name, got in pairs(results("races", false, "uninitialised,barriers,shuffles")) do
      assert.equal("fine", got[1], name)
    end
    for name, got in pairs(results("uninitialised", false, "off")) do assert.equal("fine", got[1], name) end
  end)

  it("say nothing of kernels that are right: the corpus, CUB, cooperative groups, locks, scans, calls", function()
    on_software()
    local text, ok = child([[
      local bare = require "spec.support.bare"
      for _, name in ipairs { "kernels", "primitives", "device_code", "calls", "cooperative" } do
        print(name, bare.run("spec/" .. name .. "_spec.lua"))
      end
      os.exit(0, true)]], ALL)
    assert(ok, text)
    local n = 0
    for passed in text:gmatch "[%a_]+\t(%d+)" do n = n + tonumber(passed) end
    assert.is_true(n >= 90, text)
  end)

  it("are the detail of a LaunchError, which the next call that waits raises", function()
    on_software()
    local text = child([[
      local cuda, soft = require "cudalua", require "cudalua.softgpu"
      require "cudalua.autoinit"
      local k = cuda.SourceModule("__global__ void k(int *a) {\n  a[0] = a[threadIdx.x] + 1;\n}",
        {name = "reads.cu"}):get_function "k"
      local mem = cuda.mem_alloc(64)
      k(mem, {block = 16})
      local ok, err = pcall(cuda.Context.synchronize)
      print(ok, err.class, err.name, err.kernel, err.detail == soft.report(), err.detail)]], "uninitialised")
    assert.truthy(text:find("false\tLaunchError\tCUDA_ERROR_LAUNCH_FAILED\tk\ttrue\tkernel k, reads.cu:2 (PTX line", 1,
      true), text)
    assert.truthy(text:find "allocation 1 %(64 bytes at 0x%x+, made at %S+:5%)", text)
  end)

  it("softgpu.check sets them and tells which are set; softgpu.report tells the last report", function()
    on_software()
    local text = child([[
      local cuda, soft = require "cudalua", require "cudalua.softgpu"
      cuda.init()
      local function set()
        local t = {}
        for name, on in pairs(soft.check()) do if on then t[#t + 1] = name end end
        table.sort(t)
        return table.concat(t, " ")
      end
      print("1 " .. set())
      soft.check {races = true, leaks = true, barriers = false}
      print("2 " .. set())
      soft.check "uninitialized"
      print("3 " .. set())
      soft.check "all"
      print("4 " .. set())
      soft.check {}
      print("5 " .. set())
      for _, wrong in ipairs { 1, true, "rases", "", {rases = true}, {races = 1}, {true}, "races leaks" } do
        local ok, err = pcall(soft.check, wrong)
        assert(not ok and cuda.is_error(err, "LogicError") and err.message:find "check", tostring(err))
      end
      print("6 " .. set(), soft.report() == "", soft.report "json" == "")
      assert(not pcall(soft.report, "xml"))
      soft.check {races = true}
      local ctx = cuda.Device(0):make_context()
      local k = cuda.SourceModule "__global__ void k(int *a) { a[0] = threadIdx.x; }":get_function "k"
      local mem = cuda.mem_alloc(4)
      soft.check "off"
      k(mem, {block = 32})
      cuda.Context.synchronize()
      soft.check {races = true}
      k(mem, {block = 32})
      print(pcall(cuda.Context.synchronize))
      print(soft.report "json")
      print(soft.report "text" == soft.report())]], "races,barriers")
    assert.truthy(text:find("1 barriers races\n2 leaks races\n3 uninitialised\n4 barriers leaks races shuffles "
      .. "uninitialised\n5 \n6 \ttrue\ttrue\n", 1, true), text)
    local report = decode(assert(text:match "\n({.-})\n", text))
    assert.equal("race", report.kind)
    assert.equal("0x0", ("0x%x"):format(report.allocation.offset))
    assert.truthy(text:find "\ntrue\n$", text)
  end)

  it("write their reports as JSON, on stderr or into a file", function()
    on_software()
    local code = [[
      local cuda = require "cudalua"
      require "cudalua.autoinit"
      local k = cuda.SourceModule("__global__ void k(int *a) { a[0] = threadIdx.x; }", {name = "a b.cu"})
        :get_function "k"
      k(cuda.mem_alloc(4), {block = 32})
      pcall(cuda.Context.synchronize)]]
    local report = decode(assert(child(code, "races", "CUDALUA_SOFT_REPORT=json"):match "({.-})\n"))
    assert.equal("race", report.kind)
    assert.truthy(report.file:find("a b.cu", 1, true))
    local name = os.tmpname()
    assert.equal("", child(code, "races", "CUDALUA_SOFT_REPORT=" .. name))
    child(code, "races", "CUDALUA_SOFT_REPORT=" .. name)
    local lines = {}
    for line in io.lines(name) do lines[#lines + 1] = decode(line) end
    os.remove(name)
    assert.equal(2, #lines)
    assert.equal("race", lines[2].kind)
  end)

  it("tell what is left at the end: memory of the program's and of kernels' malloc, and where it was made", function()
    on_software()
    local text = child([[
      local cuda = require "cudalua"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local k = cuda.SourceModule("__global__ void k(int **a) {\n  a[threadIdx.x] = new int[25];\n"
        .. "  if (threadIdx.x) delete[] a[threadIdx.x];\n}", {name = "heap.cu"}):get_function "k"
      local mem = cuda.mem_alloc(64)
      k(mem, {block = 3})
      cuda.Context.synchronize()
      ctx:detach()]], "leaks")
    local leaks = select(2, text:gsub("softgpu: leak: ", ""))
    assert.equal(1, leaks, text)
    assert.truthy(text:find("100 bytes at 0x%x+ from malloc in a kernel were never freed: heap.cu:2 %(PTX line %d+%) "
      .. "by block %(0,0,0%), thread %(0,0,0%)"), text)
    text = child([[
      local cuda = require "cudalua"
      cuda.init()
      cuda.Device(0):make_context()
      kept = cuda.mem_alloc(100)
      print(table.concat(require("cudalua.softgpu").leaks(), "\n"))
      io.stdout:flush()
      require("ffi").cdef "void exit(int);"
      require("ffi").C.exit(0)]], "leaks", "CUDALUA_SOFT_REPORT=json"):gsub("^.-\n{", "{")
    local seen = ""
    for line in text:gmatch "({.-})\n" do
      local leak = decode(line)
      assert.equal("leak", leak.kind)
      seen = seen .. leak.text .. "\n"
    end
    assert.truthy(seen:find "memory 0x%x+ bytes=100 device=0 serial=%d+ made at %S+:4\n", text)
    assert.truthy(seen:find "context 0x%x+", text)
  end)
end)
