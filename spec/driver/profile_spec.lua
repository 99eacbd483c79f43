-- cuda.profile and cuda.range: the table's numbers, traces, errors, and what is not recorded.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

local N = 1000

describe("profiles", function()
  local mod, even, twice, x
  before_each(function()
    gpu.context()
    mod = mod or cuda.SourceModule [[
      __global__ void even(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = i % 2 ? i : 2 * x[i];
      }
      __global__ void twice(float *x) {
        __shared__ float s[256];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = 2 * s[255 - threadIdx.x];
      }
    ]]
    even, twice = mod:get_function "even", mod:get_function "twice"
    x = x or cuda.mem_alloc(4 * N)
  end)

  local function quiet(f, options)
    options = options or {}
    options.print = false
    return cuda.profile(f, options)
  end

  local function row(p, kind, name)
    local found
    for _, r in ipairs(p.rows) do
      if r.kind == kind and r.name == name then
        assert(not found, "two rows of " .. name)
        found = r
      end
    end
    return assert(found, ("no %s %s in\n%s"):format(kind, name, tostring(p)))
  end

  local function activity(p, kind, name)
    for _, a in ipairs(p.activities) do
      if a.kind == kind and a.name == name then return a end
    end
    error(("no %s %s"):format(kind, name))
  end

  it("cuda.profile counts kernels, copies and fills by name and line, with bytes and launch shapes", function()
    local host, part, other = ffi.new("float[?]", N), ffi.new "float[100]", cuda.mem_alloc(200)
    local p = quiet(function()
      for _ = 1, 3 do even(x, N, { block = { 32, 2 }, grid = { 16, 1 }, shared = 16 }) end
      cuda.memset_d32(x, 0, 100)
      cuda.memcpy_htod(x, part)
      cuda.memcpy_dtoh(host, x)
      cuda.memcpy_dtod(other, x, 200)
    end)
    local kernel = row(p, "kernel", "even")
    assert.equal(3, kernel.calls)
    assert.equal(3, kernel.timed)
    assert.truthy(kernel.line:find "profile_spec.lua:%d+$")
    assert.is_true(kernel.total > 0 and kernel.total <= p.wall)
    assert.is_true(kernel.least <= kernel.most and kernel.most <= kernel.total)
    assert.is_true(kernel.occupancy > 0 and kernel.occupancy <= 1)
    assert.is_true(kernel.registers > 0)
    local a = activity(p, "kernel", "even")
    assert.same({ { 16, 1, 1 }, { 32, 2, 1 }, 16 }, { a.grid, a.block, a.shared })
    assert.equal(400, row(p, "fill", "memset").bytes)
    assert.equal(400, row(p, "copy", "copy host to device").bytes)
    assert.equal(4 * N, row(p, "copy", "copy device to host").bytes)
    assert.equal(2 * 200, row(p, "copy", "copy device to device").bytes)
    local share, sum = 0, 0
    for _, r in ipairs(p.rows) do share, sum = share + r.share, sum + r.total end
    assert.near(1, share, 1e-9)
    assert.is_true(p.busy > 0 and p.busy <= sum * (1 + 1e-9))
    assert.equal(gpu.soft and "machine" or p.no_cupti and "events" or "cupti", p.clock)
    assert.equal(0, p.dropped + p.untimed)
    for i = 2, #p.rows do assert.is_true(p.rows[i - 1].total >= p.rows[i].total) end
    local text = tostring(p)
    assert.truthy(text:find("even", 1, true) and text:find("profile_spec.lua:", 1, true))
    assert.equal(text, p:text())
    local full, narrow = text:match "^[^\n]*", p:text(100)
    assert.truthy(narrow:find("\nleft out, as the terminal is narrow: .*; text%(%) of the returned profile has all\n"))
    for line in narrow:match("^(.-)\nleft out"):gmatch "[^\n]+" do assert.is_true(#line <= 100, line) end
    assert.is_true(#narrow:match "^[^\n]*" < #full)
    for _, head in ipairs { "name", "calls", "total", "line" } do assert.truthy(narrow:find(head, 1, true)) end
  end)

  it("cuda.profile takes the times of CUPTI, or of events, as it is asked", function()
    local function work()
      pcall(cuda.memset_d32, x, 0, 2 ^ 40)
      cuda.range("open", function() even(x, N, { block = 256, grid = 4 }) end)
    end
    local events, cupti = quiet(work, { clock = "events" }), quiet(work, { clock = "cupti" })
    assert.equal(gpu.soft and "machine" or "events", events.clock)
    assert.is_nil(events.no_cupti)
    assert.equal(gpu.soft and "machine" or cupti.no_cupti and "events" or "cupti", cupti.clock)
    for _, p in ipairs { events, cupti } do
      local r = row(p, "kernel", "even")
      assert.same({ 1, 1, 0 }, { r.calls, r.timed, p.untimed })
      assert.is_nil(activity(p, "range", "open").gpu_time)
    end
    if cupti.clock == "cupti" then
      assert.is_true(row(cupti, "kernel", "even").total <= row(events, "kernel", "even").total)
      local a = activity(cupti, "kernel", "even")
      assert.is_true(a.gpu_begin > a.begin)
    end
    gpu.raises("LogicError", [[profile: clock must be "cupti" or "events", got 'wall']], cuda.profile, work,
      { clock = "wall" })
  end)

  it("cuda.profile knows what kernels of arrays read and write", function()
    local ga = cuda.gpuarray
    local a, b = ga.zeros({ 100, 50 }, "float32"), ga.ones({ 50 }, "float32")
    cuda.Context.synchronize()
    local c
    local p = quiet(function() c = (a * 2 + b):copy() end)
    local bytes = 0
    for _, r in ipairs(p.activities) do
      if r.kind == "kernel" then bytes = bytes + (r.bytes or 0) end
    end
    -- a is read, the row b once, the result is written; a copy of it, if there is one, reads and writes it
    local once = 4 * (5000 + 50 + 5000)
    assert.is_true(bytes == once or bytes == once + 2 * 4 * 5000, "got " .. bytes)
    assert.equal(5000, c.size)
  end)

  it("cuda.profile counts instructions, lanes, branches and bytes on the software device", function()
    if not gpu.soft then return pending "counters are the software device's" end
    local p = quiet(function() even(x, N, { block = 256, grid = 4 }) end)
    local r = row(p, "kernel", "even")
    assert.equal(4 * N / 2, r.global_read)
    assert.equal(4 * N, r.global_written)
    assert.equal(0, r.shared_read + r.shared_written)
    assert.is_true(r.parted_branches > 0 and r.parted_branches <= r.branches)
    assert.is_true(r.thread_instructions < 32 * r.instructions)
    p = quiet(function() twice(x, { block = 256 }) end)
    r = row(p, "kernel", "twice")
    assert.same({ 1024, 1024, 1024, 1024 }, { r.global_read, r.global_written, r.shared_read, r.shared_written })
    assert.equal(32 * r.instructions, r.thread_instructions)
    assert.equal(0, r.parted_branches)
    assert.is_nil(row(quiet(function() twice(x, { block = 256 }) end, { counters = false }), "kernel", "twice")
      .instructions)
  end)

  it("cuda.profile records graphs, waits, compilations and several streams", function()
    local s, t = cuda.Stream "non_blocking", cuda.Stream "non_blocking"
    local p = quiet(function()
      even(x, N, { block = 256, grid = 4, stream = s })
      twice(x, { block = 256, stream = t })
      cuda.kernel("__global__ void made" .. os.time() .. "(int *x) { *x = 1; }", { cache_dir = false })
      local graph = s:capture(function() even(x, N, { block = 256, grid = 4, stream = s }) end)
      graph:instantiate():launch(s)
      s:synchronize()
    end)
    assert.are_not.equal(activity(p, "kernel", "even").stream, activity(p, "kernel", "twice").stream)
    local r = row(p, "graph", "graph")
    assert.equal(1, r.calls)
    assert.is_true(r.total > 0)
    local captured = 0
    for _, a in ipairs(p.activities) do captured = captured + (a.captured and 1 or 0) end
    assert.equal(1, captured)
    assert.is_true(activity(p, "compile", activity(p, "compile", "kernel.cu").name).host_time > 0)
    assert.is_true(p.compiled > 0 and p.waited >= 0)
    assert.equal("load a module", activity(p, "load", "load a module").name)
    assert.equal("wait for a stream", activity(p, "wait", "wait for a stream").name)
  end)

  it("cuda.profile sees each call of the driver that copies, fills or launches", function()
    local calls = [[CU\.cu(Memcpy|Memset|Launch|GraphLaunch)|CL_TRY\(L, cu(Memcpy|Memset|GraphLaunch)]]
    local pipe = io.popen(("cd src/cudalua && grep -nE '%s' */*.c"):format(calls))
    local outside = {}
    for line in pipe:lines() do
      local file = line:match "^[^:]+"
      -- launch.c and memcpy.c record around a function that chooses the call; record.c copies for debugging; a host
      -- function is no work of the device; cupti.c fills a few bytes as a test
      local elsewhere = file == "launch/launch.c" or file == "memory/memcpy.c" or file == "launch/record.c"
        or file == "streams/cupti.c"
      if not elsewhere and not line:find "cuLaunchHostFunc" then
        outside[#outside + 1] = line
      end
    end
    pipe:close()
    assert.same({}, outside)
  end)

  it("cuda.profile raises what the function raises, and ends", function()
    local ok, err = pcall(quiet, function()
      even(x, N, { block = 256, grid = 4 })
      error { mine = true }
    end)
    assert.is_false(ok)
    assert.is_true(err.mine)
    gpu.raises("LogicError", "profiles cannot be nested", quiet, function() quiet(function() end) end)
    assert.equal(0, #quiet(function() end).activities)
    gpu.raises("LogicError", "profile: f must be a function, got 1", cuda.profile, 1)
    gpu.raises("LogicError", "profile: trace must be a file name, got true", cuda.profile, print, { trace = true })
    gpu.raises("LogicError", "unknown option", cuda.profile, print, { traces = "x" })
    local s = cuda.Stream "non_blocking"
    gpu.raises("LogicError", "profile", function() s:capture(function() quiet(function() end) end) end)
  end)

  it("cuda.profile says so if the device was not used", function()
    local text = tostring(quiet(function() end))
    assert.truthy(text:find("no kernel, copy or fill was started", 1, true))
    assert.truthy(text:find("the device was not used", 1, true))
  end)

  it("cuda.profile records what finalizers launch, and reads many events", function()
    local collected = 0
    local p = quiet(function()
      for i = 1, 5000 do
        even(x, N, { block = 256, grid = 4 })
        if i % 100 == 0 then
          local proxy = newproxy(true)
          getmetatable(proxy).__gc = function()
            collected = collected + 1
            twice(x, { block = 256 })
          end
          proxy = nil -- luacheck: ignore
          collectgarbage()
        end
      end
    end)
    assert.equal(5000, row(p, "kernel", "even").timed)
    local n = 0
    for _, r in ipairs(p.rows) do n = n + (r.name == "twice" and r.timed or 0) end
    assert.equal(collected, n)
    assert.is_true(collected > 0)
  end)

  -- A reader of JSON that raises for what is none.
  local function json(text)
    local at, value = 1, nil
    local function space() at = text:find("[^ \n\r\t]", at) or #text + 1 end
    local function take(c)
      space()
      assert(text:sub(at, at) == c, ("expected %s at %d: %s"):format(c, at, text:sub(at, at + 30)))
      at = at + 1
    end
    local function string_()
      take '"'
      local out = {}
      while true do
        local c = text:sub(at, at)
        assert(c ~= "" and c:byte() >= 32 and c:byte() < 127, "a bad character in a string")
        at = at + 1
        if c == '"' then return table.concat(out) end
        if c == "\\" then
          c = text:sub(at, at)
          if c == "u" then
            c, at = string.char(tonumber(text:match("^%x%x%x%x", at + 1), 16)), at + 4
          else
            assert(c == '"' or c == "\\")
          end
          at = at + 1
        end
        out[#out + 1] = c
      end
    end
    function value()
      space()
      local c = text:sub(at, at)
      if c == '"' then return string_() end
      local out = {}
      if c == "{" or c == "[" then
        at = at + 1
        space()
        local stop = c == "{" and "}" or "]"
        while text:sub(at, at) ~= stop do
          local key = #out + 1
          if c == "{" then
            key = string_()
            take ":"
          end
          out[key] = value()
          space()
          if text:sub(at, at) == "," then at = at + 1 end
          space()
        end
        at = at + 1
        return out
      end
      local digits = assert(text:match("^-?%d+%.?%d*[eE]?[+-]?%d*", at), "no value at " .. at)
      at = at + #digits
      return tonumber(digits)
    end
    local result = value()
    space()
    assert(at == #text + 1, "something behind the value")
    return result
  end

  it("cuda.profile writes a trace with streams, the host, ranges and arrows between them", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    quiet(function()
      cuda.range('a "range"\n\255', function()
        even(x, N, { block = 256, grid = 4 })
        cuda.Context.synchronize()
      end)
    end, { trace = path })
    local file = assert(io.open(path, "rb"))
    local trace = json(file:read "*a")
    file:close()
    local seen, started, ended = {}, {}, {}
    for _, e in ipairs(trace.traceEvents) do
      if e.ph == "X" then
        assert.is_true(e.ts >= 0 and e.dur >= 0 or e.cat ~= "call")
        seen[e.cat .. " " .. e.name] = e
      elseif e.ph == "s" then
        started[e.id] = e
      elseif e.ph == "f" then
        ended[e.id] = e
      end
    end
    local kernel, range = seen["kernel even"], seen['range a "range"\n\255']
    assert.is_table(seen["call even"])
    assert.same({ 4, 1, 1 }, kernel.args.grid)
    assert.is_true(range.ts <= seen["call even"].ts and range.dur > 0)
    for id, e in pairs(started) do assert.is_true(ended[id] ~= nil and e.pid ~= ended[id].pid) end
    assert.is_table(next(started) and started or nil)
    gpu.raises("RuntimeError", "cannot write the trace to /nowhere/x.json", quiet, function() end,
      { trace = "/nowhere/x.json" })
  end)

  it("cuda.range stands in profiles, nests, ends with errors, and costs nothing else", function()
    assert.same({ 1, nil, 3 }, { cuda.range("r", function(...) return ... end, 1, nil, 3) })
    local p = quiet(function()
      local outer = cuda.range "outer"
      pcall(cuda.range, "inner", function()
        even(x, N, { block = 256, grid = 4 })
        error "x"
      end)
      twice(x, { block = 256 })
      outer:close()
      outer:close()
      even(x, N, { block = 256, grid = 4 })
      cuda.range "open"
    end)
    local outer, inner = activity(p, "range", "outer"), activity(p, "range", "inner")
    assert.equal(outer.number, inner.range)
    assert.equal(inner.number, activity(p, "kernel", "even").range)
    assert.equal(outer.number, activity(p, "kernel", "twice").range)
    assert.is_true(outer.host_time >= inner.host_time)
    assert.is_true(activity(p, "range", "open").open)
    local last
    for _, a in ipairs(p.activities) do last = a.kind == "kernel" and a or last end
    assert.is_nil(last.range)
    assert.equal("cudalua.Range: outer", tostring(cuda.range "outer"))
    gpu.raises("LogicError", "range: name must be a string, got 1", cuda.range, 1)
    gpu.raises("LogicError", "range: f must be a function, got 1", cuda.range, "x", 1)
  end)

  it("cuda.range goes to the tool that NVTX_INJECTION64_PATH names", function()
    local name = os.tmpname()
    finally(function()
      for _, suffix in ipairs { "", ".c", ".so", ".lua" } do os.remove(name .. suffix) end
    end)
    local function write(suffix, text)
      local file = assert(io.open(name .. suffix, "w"))
      file:write(text)
      file:close()
    end
    write(".c", [[
      #include <stdint.h>
      #include <stdio.h>
      static uint64_t start(const char *name) { printf("start %s\n", name); return 7; }
      static int end(uint64_t id) { printf("end %d\n", (int)id); return 0; }
      int InitializeInjectionNvtx2(const void *(*get)(uint32_t)) {
        const struct { size_t size; int (*table)(int, void (****)(void), unsigned *); } *c = get(1);
        const struct { size_t size; uint32_t version, reserved; void (*set)(uint32_t); } *v = get(3);
        void (***table)(void); unsigned size;
        setvbuf(stdout, NULL, _IONBF, 0);
        v->set(3);
        if (c->size < sizeof *c || get(99) || c->table(99, &table, &size)) return 0;
        if (!c->table(1, &table, &size) || size != 16 || table[0]) return 0;
        *table[5] = (void (*)(void))start;
        *table[7] = (void (*)(void))end;
        printf("version %u\n", v->version);
        return 1;
      }
    ]])
    write(".lua", [[
      local cuda = require "cudalua"
      cuda.range("one", function() end)
      local r = cuda.range "two"
      r:close()
    ]])
    assert.equal(0, os.execute(("LD_PRELOAD= cc -shared -fPIC -o %s.so %s.c"):format(name, name)))
    local pipe = io.popen(("NVTX_INJECTION64_PATH=%s.so luajit %s.lua 2>&1"):format(name, name))
    local said = pipe:read "*a"
    pipe:close()
    assert.equal("version 3\nstart one\nend 7\nstart two\nend 7\n", said)
    pipe = io.popen(("NVTX_INJECTION64_PATH=/nowhere.so luajit %s.lua 2>&1"):format(name))
    said = pipe:read "*a"
    pipe:close()
    assert.equal("", said)
  end)
end)

describe("CUDALUA_DEBUG", function()
  local function lines(level)
    local name = os.tmpname()
    finally(function() os.remove(name) end)
    local file = assert(io.open(name, "w"))
    file:write [[
      local cuda = require "cudalua"
      local f = cuda.kernel("__global__ void traced(int *x) { *x = 1; }", { cache_dir = false })
      local x, s = cuda.mem_alloc(4), nil
      f(x, { block = { 32, 2 }, grid = 3 })
      s = cuda.Stream "non_blocking"
      s:capture(function() f(x, { block = 1, stream = s }) end)
    ]]
    file:close()
    local pipe = io.popen(("CUDALUA_DEBUG=%s luajit %s 2>&1"):format(level, name))
    local text = pipe:read "*a"
    pipe:close()
    return text, name
  end

  it("1 says how long compilations took, 2 adds launches with times, 3 sources", function()
    local one = lines "1"
    assert.matches("compiler: kernel.cu: compiled after %d+ ms\n", one)
    assert.is_nil(one:find("launch:", 1, true))
    local two, name = lines "2"
    assert.matches("launch: traced, grid 3 x 1 x 1, block 32 x 2 x 1, shared 0, stream 0x0, " ..
      name:gsub("%p", "%%%0") .. ":4: [%d.]+ us\n", two)
    assert.matches(":6: captured\n", two)
    assert.is_nil(two:find("__global__", 1, true))
    local three = lines "3"
    assert.is_truthy(three:find("__global__ void traced", 1, true) and three:find("launch:", 1, true))
    assert.equal("", (lines "0"))
  end)
end)
