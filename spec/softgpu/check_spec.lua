local gpu = require "spec.support.gpu"
local turn = require "spec.support.turn"
local planted = require "spec.support.planted"

local ALL = "races,uninitialised,barriers,shuffles,arrays"

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

---Text for people says what the object for programs says.
local function text_agrees(report, says)
  local inlined = report.inlined_line and (", inlined at %s:%d"):format(report.inlined_file, report.inlined_line) or ""
  local head = ("kernel %s, %s:%d%s (PTX line %d), block (%d,%d,%d), thread (%d,%d,%d): "):format(report.kernel,
    report.file, report.line, inlined, report.ptx_line, report.block[1], report.block[2], report.block[3],
    report.thread[1], report.thread[2], report.thread[3])
  assert.equal(head, report.text:sub(1, #head), says)
  if not report.address then return end
  local what = ("%s of %d bytes at %s address %s"):format(report.access, report.bytes, report.space, report.address)
  assert.truthy(report.text:find(what, 1, true), says)
  local memory = report.allocation
  if not memory then return end
  assert.equal(tonumber(report.address), tonumber(memory.address) + memory.offset, says)
  local words = ("(%d bytes at %s"):format(memory.bytes, memory.address)
  if memory.made then words = words .. ", made at " .. memory.made .. ")" end
  if tonumber(report.address) >= 4096 and not report.text:find "host pointer" then
    assert.truthy(report.text:find(words, 1, true), says)
    assert.truthy(memory.made or memory.name, says)
  end
end

---The report of each case names what it should.
local function family_is_found(family)
  local found, text = results(family)
  for _, case in ipairs(planted.families[family]) do
    local name, here, other, outer = case[1], planted.lines(case)
    local got = assert(found[name], name .. " has no result in\n" .. text)
    assert.equal(tostring(case[3]), got[1], name)
    local report = decode(got[2])
    local says = name .. ": " .. got[2]
    assert.equal(case[2], report.kind, says)
    assert.equal(case[3], report.code, says)
    assert.equal("k", report.kernel, says)
    if not (case.any_end and report.line == other) then assert.equal(here, report.line, says) end
    assert.equal("planted.cu", report.file, says)
    assert.equal(outer, report.inlined_line, says)
    if report.kind == "array" then
      assert.truthy(report.variable:find "^[%w_$]+$" and report.variable_address:find "^0x%x+$", says)
      assert.truthy(report.text:find(report.variable, 1, true), says)
    end
    if not case.any_end then
      assert.same({ case[4][1], case[4][2] or 0, case[4][3] or 0 }, report.thread, says)
      assert.same(case.block_at or (name:find "block before" and { 1, 0, 0 }) or { 0, 0, 0 }, report.block, says)
    end
    local said = false
    for pattern in case[5]:gmatch "[^|]+" do said = said or report.text:find(pattern) ~= nil end
    assert(said, case[5] .. " is not in " .. says)
    text_agrees(report, says)
    if other and family == "races" and not case.other_inside then
      local line = report.other.inlined_line or report.other.line
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

  it("say nothing of copies that were under way when their block, or their kernel, ended", function()
    on_software()
    for _, gang in ipairs { 32, 1024 } do
      local text, ok = child([[
        local cuda = require "cudalua"
        require "cudalua.autoinit"
        local mod = cuda.SourceModule([=[
          #include <cuda_pipeline.h>
          extern "C" __global__ void ahead(const int *a) {
            __shared__ int s[256];
            __pipeline_memcpy_async(s + threadIdx.x, a + threadIdx.x, 4);
            if (threadIdx.x % 2) __pipeline_commit();
          }
          extern "C" __global__ void plain(int *a) {
            __shared__ int s[256];
            s[threadIdx.x] = a[threadIdx.x];
            __syncthreads();
            a[threadIdx.x] = s[255 - threadIdx.x];
          }
          extern "C" __global__ void reads(int *o, const int *a) {
            extern __shared__ int d[];
            o[threadIdx.x] = d[threadIdx.x];
            __pipeline_memcpy_async(d + threadIdx.x, a + threadIdx.x, 4);
            __pipeline_commit();
            __pipeline_wait_prior(0);
            o[threadIdx.x] += d[threadIdx.x];
          }]=], { no_extern_c = true })
        local a, o = cuda.mem_alloc(1024), cuda.mem_alloc(1024)
        cuda.memset_d32(a, 7, 256)
        local ahead, plain, reads = mod:get_function "ahead", mod:get_function "plain", mod:get_function "reads"
        for round = 1, 3 do
          ahead(a, {block = 256, grid = 5})
          plain(a, {block = 256})
          ahead(a, {block = 128})
          ahead(a, {block = 256})
          reads(o, a, {block = 256, shared = 1024})
          cuda.Context.synchronize()
        end
        print "fine"]], "races", "CUDALUA_SOFT_GANG=" .. gang)
      assert(ok, text)
      assert.equal("fine\n", text)
    end
  end)

  it("find barriers and shuffles that not all come to", function()
    on_software()
    family_is_found "barriers"
  end)

  it("say nothing of values from lanes that do not take part, if they are thrown away", function()
    on_software()
    for _, options in ipairs { "{}", '{ options = { "-G" } }' } do
      local text, ok = child(([[
        local cuda, ffi = require "cudalua", require "ffi"
        require "cudalua.autoinit"
        local mod = cuda.SourceModule([=[
          __global__ void reduce(int *o, int n) { // lanes 8 to 15 add up what nobody needs
            int v = threadIdx.x + 1;
            if (threadIdx.x >= 16) return;
            for (int d = 8; d; d /= 2) v += __shfl_down_sync(0xffff, v, d);
            if (threadIdx.x == 0) o[0] = v;
          }
          __global__ void guarded(int *o, int n) {
            int lane = threadIdx.x, sum = lane;
            if (lane >= n) return;
            for (int d = 1; d < n; d *= 2) {
              int v = __shfl_down_sync((1u << n) - 1, sum, d);
              if (lane + d < n) sum += v;
            }
            o[lane] = sum;
          }
          __global__ void best(int *o, int n) { // `and` of a comparison that does not count
            int lane = threadIdx.x, most = lane * 7 %% n;
            if (lane >= n) return;
            for (int d = 8; d; d /= 2) {
              int v = __shfl_down_sync((1u << n) - 1, most, d);
              bool greater = lane + d < n & v > most;
              most = greater ? v : most;
            }
            if (lane == 0) o[0] = most;
          }
          __global__ void wide(double *o, int n) {
            if (threadIdx.x >= 16) return;
            double v = __shfl_xor_sync(0xffff, (double)threadIdx.x, n);
            o[threadIdx.x] = threadIdx.x + n < 16 && n < 16 ? v : -1;
          }]=], %s)
        local o = cuda.mem_alloc(256)
        cuda.memset_d32(o, 0, 64)
        local function run(name, n, type)
          mod:get_function(name)(o, ffi.new("int", n), { block = 32, grid = 3 })
          local a = ffi.new(type or "int[16]")
          cuda.memcpy_dtoh(a, o)
          return a
        end
        print(run("reduce", 16)[0], run("guarded", 13)[0], run("best", 13)[0], run("wide", 16, "double[16]")[3])]])
        :format(options), "shuffles")
      assert(ok, text)
      -- 1 + ... + 16; 0 + ... + 12; the greatest of 7 i mod 13
      assert.equal("136\t78\t12\t-1\n", text)
    end
  end)

  it("find eighty mistakes and more, each in a kernel of its own", function()
    local n = 0
    for _, family in pairs(planted.families) do n = n + #family end
    assert.is_true(n >= 80, tostring(n))
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

  it("say nothing of kernels that are right: CUB, cooperative groups, locks, scans, calls", function()
    on_software()
    local text, ok = child([[
      local bare = require "spec.support.bare"
      for _, name in ipairs { "softgpu/kernels", "softgpu/primitives", "softgpu/device_code", "softgpu/calls",
        "softgpu/cooperative", "driver/prepare" } do
        print(name, bare.run("spec/" .. name .. "_spec.lua"))
      end
      os.exit(0, true)]], ALL)
    assert(ok, text)
    local n = 0
    for passed in text:gmatch "[%a_/]+\t(%d+)" do n = n + tonumber(passed) end
    assert.is_true(n >= 110, text)
  end)

  it("say nothing of the differential corpus, and change no result of it", function()
    on_software()
    local text, ok = child([[
      local cuda, soft, ffi = require "cudalua", require "cudalua.softgpu", require "ffi"
      local runner, turn = require "spec.softgpu.differential.runner", require "spec.support.turn"
      require "cudalua.autoinit"
      local all, seen, last = soft.check(), {}, nil
      for _, module in ipairs(runner.corpus.modules()) do
        local ptx, kernels = runner.compile(module), {}
        for _, kernel in ipairs(module.kernels) do
          if kernel.name == "warp_partial" then last = { ptx, { kernel } } else kernels[#kernels + 1] = kernel end
        end
        kernels = turn.share(kernels, 4)
        for _, checks in ipairs { all, {} } do
          soft.check(checks)
          runner.run(ptx, kernels, function(kernel, words, why)
            local text = words and ffi.string(words, 4 * kernel.words)
            if why then print("REPORT", kernel.name, why.detail or why) end
            if seen[kernel.name] and seen[kernel.name] ~= text then print("REPORT", kernel.name, "another result") end
            seen[kernel.name] = text
          end)
        end
      end
      local n = 0
      for _ in pairs(seen) do n = n + 1 end
      print("kernels", n)
      -- It reads lanes that do not take part, and throws away what it gets.
      soft.check(all)
      runner.run(last[1], last[2], function(_, words) print("with", words ~= nil) end)
      print(soft.report() == "")]], ALL)
    assert(ok, text)
    assert.is_nil(text:find("REPORT", 1, true), text)
    assert.is_true(tonumber(text:match "kernels\t(%d+)") >= (turn.partial and 100 or 500), text)
    assert.truthy(text:find("with\ttrue\ntrue\n", 1, true), text)
  end)

  it("say nothing of the examples", function()
    on_software()
    for _, name in ipairs { "01_multiply", "02_doublify", "04_streams 0.75", "06_two_contexts", "07_structs",
      "08_templates", "09_matmul 33", "10_cub 0.02" } do
      local file, argument = name:match "^(%S+) ?(.*)$"
      local pipe = io.popen(("CUDALUA_DRIVER=soft CUDALUA_SOFT_CHECK=all luajit examples/%s.lua %s 2>&1"):format(file,
        argument))
      local out = pipe:read "*a"
      pipe:close()
      assert.truthy(out:find "as expected", out)
      assert.is_nil(out:find("softgpu:", 1, true), out)
    end
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

  it("name memory that was given back in the stream's order, as long as the kernel may use it", function()
    on_software()
    local function run(launch)
      local said = child(([[
        local cuda, soft, ffi = require "cudalua", require "cudalua.softgpu", require "ffi"
        require "cudalua.autoinit"
        local other = cuda.mem_alloc(64)
        local f = cuda.SourceModule "__global__ void f(const float *p) { if (p[threadIdx.x] == 7) __trap(); }"
          :get_function "f"
        %s
        pcall(cuda.Context.synchronize)
        print(soft.report())
        print(soft.report "json")]]):format(launch), "off")
      return said, decode(assert(said:match "\n({.-})\n", said))
    end
    local text, report = run 'f(cuda.In(ffi.new "float[10]"), { block = 11 })'
    assert.truthy(text:find("right after the end of allocation %d+ %(40 bytes at 0x%x+, made at %S+:6%)"), text)
    assert.same({ 40, 40, "live" }, { report.allocation.bytes, report.allocation.offset, report.allocation.state })
    assert.equal(1, report.allocation.argument)
    text = run [[
        local a = cuda.mem_alloc_async(40)
        f(a, { block = 11 })
        a:free()]]
    assert.truthy(text:find("the end of allocation %d+ %(40 bytes at 0x%x+, made at %S+:6, freed after the "
      .. "launch at %S+:8%)"), text)
  end)

  it("name shared arrays as the source does: the one of the address, or the one that lies there", function()
    on_software()
    local function run(name, at, checks)
      local text = child(([[
        local cuda, soft = require "cudalua", require "cudalua.softgpu"
        require "cudalua.autoinit"
        local mod = cuda.SourceModule([=[
          template <typename T> struct Tile { static __device__ void fill(T *o, int at) {
            __shared__ T rows[8][4], tail[3];
            rows[0][at] = 1;
            tail[at] = 2;
            __syncthreads();
            o[0] = rows[1][0] + tail[0];
          } };
          namespace deep { __shared__ short E7[5]; }
          extern "C" __global__ void tile(float *o, int at) { Tile<float>::fill(o, at); }
          extern "C" __global__ void in_deep(short *o, int at) { deep::E7[at] = 1; o[0] = deep::E7[at + 1]; }
          extern "C" __global__ void race(int *o, int at) {
            { volatile __shared__ int twice[4]; twice[threadIdx.x] = 1; o[threadIdx.x] = twice[threadIdx.x]; }
            { __shared__ int twice[2]; twice[at] = o[threadIdx.x] + threadIdx.x; __syncthreads(); o[0] = twice[1]; }
          }]=], { name = "tile.cu", no_extern_c = true })
        local o = cuda.mem_alloc(64)
        local k = mod:get_function "%s"
        pcall(function()
          k(o, %d, { block = 2 })
          cuda.Context.synchronize()
        end)
        print(soft.report())
        print(soft.report "json")]]):format(name, at), checks or "off")
      return text, decode(assert(text:match "\n({.-})\n", text))
    end
    local function says(pattern, variable, name, at, checks)
      local text, report = run(name, at, checks)
      assert.truthy(text:find(pattern), text)
      assert.same(variable,
        { report.variable, report.variable_address, report.variable_offset, report.variable_bytes })
    end
    says("; 32 bytes after the end of shared array rows %(128 bytes at 0x0%); the block has",
      { "rows", "0x0", 160, 128 }, "tile", 40)
    says("; 4 bytes before shared array rows %(128", { "rows", "0x0", -4, 128 }, "tile", -1)
    says("; right after the end of shared array tail %(12 bytes at 0x80%)", { "tail", "0x80", 12, 12 }, "tile", 3)
    says("; 10 bytes after the end of shared array E7 %(10 bytes", { "E7", "0x0", 20, 10 }, "in_deep", 10)
    says("race: .* by thread %(0,0,0%) .*; 4 bytes into shared array twice %(8 bytes", { "twice", "0x10", 4, 8 },
      "race", 1, "races")
  end)

  it("softgpu.check sets them and tells which are set; softgpu.report tells the last report", function()
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
    assert.truthy(text:find("1 barriers races\n2 leaks races\n3 uninitialised\n4 arrays barriers leaks races shuffles "
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

  it("find what kernels have allocated and nobody has freed, when the context goes", function()
    on_software()
    local code = [[
      local cuda, soft = require "cudalua", require "cudalua.softgpu"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local k = cuda.SourceModule("__global__ void k(int **a) {\n  a[threadIdx.x] = new int[25];\n"
        .. "  if (threadIdx.x) delete[] a[threadIdx.x];\n}", {name = "heap.cu"}):get_function "k"
      local mem = cuda.mem_alloc(64)
      k(mem, {block = 3})
      cuda.Context.synchronize()
      print(soft.stats().live_heap, soft.stats().heap_bytes)
      ctx:detach()
      print(soft.stats().live_heap)]]
    local where = "heap.cu:2 %(PTX line %d+%) by block %(0,0,0%), thread %(0,0,0%)"
    local text = child(code, "leaks")
    assert.equal(1, select(2, text:gsub("softgpu: leak: ", "")), text)
    assert.truthy(text:find("softgpu: leak: 100 bytes of memory from malloc in a kernel at 0x%x+ were never freed, "
      .. "made at " .. where .. "\n"), text)
    assert.truthy(text:find "1\t100\n" and text:find "\n0\n", text)
    local leak = decode(assert(child(code, "leaks", "CUDALUA_SOFT_REPORT=json"):match "({.-})\n"))
    assert.same({ "leak", "heap", 100 }, { leak.kind, leak.object, leak.bytes })
    assert.truthy(leak.made:find("^" .. where .. "$"), leak.made)
  end)

  it("list all that is left when the process ends, and where it was made", function()
    on_software()
    -- It ends without closing its Lua state: the sanitizers, where they are, would find that, too.
    local function ends(code, checks, report)
      return child(code, checks, ("CUDALUA_SOFT_REPORT=%s ASAN_OPTIONS=detect_leaks=0"):format(report or "off"))
    end
    local code = [[
      local cuda, soft = require "cudalua", require "cudalua.softgpu"
      cuda.init()
      if soft.check().leaks == false then soft.check {leaks = true} end
      kept = {cuda.Device(0):make_context(),
        cuda.Stream(),
        cuda.Event(),
        cuda.SourceModule "__device__ int x[4]; __global__ void k(int **a) { a[0] = (int *)malloc(50); }",
        cuda.mem_alloc(100),
        cuda.mem_alloc_async(200),
        cuda.pagelocked_empty(300, "uint8"),
        cuda.managed_empty(400, "uint8"),
        cuda.Array(cuda.ArrayDescriptor {width = 4, height = 4, format = "float", num_channels = 1})}
      kept[4]:get_function "k"(kept[5], {block = 1})
      cuda.Context.synchronize()
      gone = cuda.mem_alloc(7)
      gone:free()
      io.stdout:flush()
      require("ffi").cdef "void exit(int);"
      require("ffi").C.exit(0)]]
    local expected = {
      { 4, "the context 0x%x+ was never destroyed" }, { 5, "the stream 0x%x+ was never destroyed" },
      { 6, "the event 0x%x+ was never destroyed" }, { 7, "the module 0x%x+ was never unloaded" },
      { 8, "100 bytes of device memory at 0x%x+ were never freed" },
      { 9, "200 bytes of memory of a pool at 0x%x+ were never freed" },
      { 10, "300 bytes of page%-locked host memory at 0x%x+ were never freed" },
      { 11, "400 bytes of managed memory at 0x%x+ were never freed" }, { 12, "the array 0x%x+ was never destroyed" },
    }
    for _, checks in ipairs { "leaks", "off" } do -- the second sets it while it runs
      local text = ends(code, checks)
      for _, one in ipairs(expected) do
        local line = ("softgpu: leak: %s, made at %%S+:%d\n"):format(one[2], one[1])
        assert.truthy(text:find(line), line .. " is not in " .. text)
      end
      assert.truthy(text:find("50 bytes of memory from malloc in a kernel at 0x%x+ were never freed, made at "
        .. "kernel.cu:1 %(PTX line %d+%) by block %(0,0,0%), thread %(0,0,0%)\n"), text)
      assert.is_nil(text:find "[^%d]7 bytes", text)
      local n = select(2, text:gsub("softgpu: leak: ", ""))
      assert.truthy(text:find(("softgpu: %d leaks, 1050 bytes of memory\n$"):format(n)), text)
    end
    assert.is_nil(ends(code:gsub("soft.check {leaks = true}", "local _"), "off"):find("leak", 1, true))
    local objects = {}
    for line in ends(code, "leaks", "json"):gmatch "({.-})\n" do
      local leak = decode(line)
      assert.equal("leak", leak.kind)
      objects[leak.object] = leak
    end
    assert.equal(100, objects.memory.bytes)
    assert.equal(0, objects.memory.device)
    assert.truthy(objects.memory.made:find ":8$")
    assert.truthy(objects.memory.address:find "^0x%x+$" and objects.stream.handle:find "^0x%x+$")
    assert.truthy(objects.stream.made:find ":5$")
    assert.truthy(objects.heap.made:find "^kernel.cu:1 ")
    for _, name in ipairs { "context", "event", "module", "pool_memory", "host", "managed" } do
      assert.truthy(objects[name] and objects[name].made:find ":%d+$", name)
    end
  end)

  it("find nothing left of a program that ends as Lua programs do, and do not ask after a fault", function()
    on_software()
    local code = [[
      local cuda = require "cudalua"
      require "cudalua.autoinit"
      kept = {cuda.Stream(), cuda.Event(), cuda.mem_alloc(100), cuda.pagelocked_empty(300, "uint8")}
      k = cuda.SourceModule "__global__ void k(int *a) { a[0] = 1; }":get_function "k"
      k(%s, {block = 1})
      print(pcall(cuda.Context.synchronize))]]
    assert.equal("true\n", child(code:format "kept[3]", "leaks"))
    local text = child(code:format "nil", "leaks")
    assert.truthy(text:find "^false" and not text:find "leak", text)
  end)
end)
