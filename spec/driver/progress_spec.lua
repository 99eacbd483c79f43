-- Lines of progress, on a pseudo-terminal: of loops, compilations and kernels of the software device.
local gpu = require "spec.support.gpu"
local pty = require "spec.support.pty"
local cuda = gpu.cuda

-- Runs a program on a terminal; `command` by the `cudalua` command, else by luajit. The terminal, at its end.
local function run(code, options)
  options = options or {}
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write("local cuda = require 'cudalua'\n", code)
  file:close()
  local env = { TERM = "xterm", CUDALUA_DRIVER = gpu.driver:match "CUDALUA_DRIVER=(%S+)", CUDALUA_PROGRESS = false }
  for key, value in pairs(options.env or {}) do env[key] = value end
  local argv = options.command and { "sh", "bin/cudalua", name } or { "luajit", name }
  if options.shell then argv = { "sh", "-c", options.shell:format(name) } end
  local p = pty.spawn(argv, { columns = options.columns or 80, rows = 24, env = env })
  finally(function()
    p:close()
    os.remove(name)
  end)
  p.how, p.code = p:wait(120)
  return p
end

-- Times and rates differ from run to run.
local function text_of(p)
  return (p.screen:text():gsub("%d+:%d%d", "T"):gsub("[%d.]+[kMG]?/s", "R/s"):gsub("[%d.]+ s each", "R/s"))
end

-- Lines that were drawn.
local function count(p, text)
  local _, n = p.output:gsub("\r[^\r\n]*" .. text, "")
  return n
end

local pause = [[
  local ffi = require "ffi"
  ffi.cdef "int usleep(unsigned);"
  local function pause(seconds) ffi.C.usleep(seconds * 1e6) end
]]

describe("cuda.progress", function()
  it("cuda.progress gives 1 to n, or a list's positions and items, and writes nothing where no terminal is", function()
    local name = os.tmpname()
    local file = assert(io.open(name, "w"))
    local seen = {}
    for i in cuda.progress(4, { file = file, text = "four" }) do seen[#seen + 1] = i end
    for i, x in cuda.progress({ "a", "b" }, { file = file }) do seen[#seen + 1] = i .. x end
    for i in cuda.progress(0, { file = file }) do seen[#seen + 1] = i end
    for i in cuda.progress({}, { file = file }) do seen[#seen + 1] = i end
    file:close()
    assert.same({ 1, 2, 3, 4, "1a", "2b" }, seen)
    assert.equal("", io.open(name):read "*a")
    os.remove(name)
  end)

  it("refuses what is no count, no list and no file", function()
    gpu.raises("LogicError", "progress: n must be a non-negative integer or a list, got", cuda.progress, -1)
    gpu.raises("LogicError", "progress: n must be a non-negative integer or a list, got", cuda.progress, 1.5)
    gpu.raises("LogicError", "progress: n must be a non-negative integer or a list, got", cuda.progress)
    gpu.raises("LogicError", "progress: text must be a string, got", cuda.progress, 1, { text = 5 })
    gpu.raises("LogicError", "progress: file must be an open file, got", cuda.progress, 1, { file = "x" })
    gpu.raises("LogicError", "unknown option 'txt'", cuda.progress, 1, { txt = "" })
  end)

  it("draws a line that ends complete, at most ten times a second", function()
    local p = run(pause .. [[
      for i in cuda.progress(50, { text = "steps" }) do pause(0.02) end
      print "done"
    ]])
    assert.same({ "exit", 0 }, { p.how, p.code })
    assert.equal(("steps: 100%% [%s] 50/50, T, R/s\ndone"):format(("#"):rep(40)), text_of(p))
    local n = count(p, "steps")
    assert.is_true(n >= 4 and n <= 20, n)
    assert.truthy(p.output:find("50%% %[####################                    %] 2[45]/50, 0:0%d, 0:0%d left, ") or
      p.output:find "4%d%% %[#+ +%] 2%d/50, 0:0%d, 0:0%d left, ")
  end)

  it("does not read the clock in each iteration of a tight loop", function()
    local p = run [[
      local s = 0
      for i in cuda.progress(2e7) do s = s + i end
      assert(s == 2e7 * (2e7 + 1) / 2)
    ]]
    assert.same({ "exit", 0 }, { p.how, p.code })
    assert.truthy(text_of(p):find("20000000/20000000", 1, true))
  end)

  it("leaves what is printed meanwhile, after break and after an error on lines of its own", function()
    local p = run(pause .. [[
      for i in cuda.progress(9) do
        pause(0.11)
        if i == 3 then print "from the loop" end
        if i == 5 then break end
      end
      print "after break"
      pcall(function() for i in cuda.progress(9) do pause(0.11) if i == 3 then error "no" end end end)
      io.stderr:write "end\n"
    ]])
    local lines = {}
    for line in text_of(p):gmatch "[^\n]+" do lines[#lines + 1] = line:match "^[^%[]+" .. (line:match "%d/9" or "") end
    assert.same({ " 22% 2/9", "from the loop", " 44% 4/9", "after break", " 22% 2/9", "end" }, lines)
  end)

  it("shows a loop within another in the same line, which is the outer one's afterwards", function()
    local p = run(pause .. [[
      for i in cuda.progress(3, { text = "epoch" }) do
        for k in cuda.progress(4, { text = "batch" }) do
          pause(0.06)
          if i == 2 then break end
        end
        for k in cuda.progress(2) do pause(0.11) end
      end
    ]], { columns = 60 })
    local bar = text_of(p):match "^epoch: 100%% %[(#+)%] 3/3, T, R/s$"
    assert.is_true(#bar > 20 and #bar < 36, #bar) -- as much as the width leaves
    assert.truthy(p.output:find "\repoch: 0/3 > batch:  ?%d+%%")
    assert.truthy(p.output:find "\repoch: 1/3 >  ?%d+%%") -- the broken loop is not around this one
    assert.falsy(p.output:find "batch: %d/4 >")
    assert.falsy(p.output:find "2/3 > epoch")
  end)

  it("fits a narrow terminal, also with a long text of wide characters and control characters", function()
    local p = run(pause .. [[
      for i in cuda.progress(2, { text =
        "\228\189\160\229\165\189\27[2J\n" .. ("x"):rep(100) }) do pause(0.15) end
      print "done"
    ]], { columns = 20 })
    assert.equal("\228\189\160\229\165\189 [2J xxxxxxxxxx\ndone", p.screen:text())
    p = run(pause .. "for i in cuda.progress(2) do pause(0.15) end print 'done'", { columns = 30 })
    assert.equal("100% 2/2, T, R/s\ndone", text_of(p))
  end)

  it("writes nothing to a dumb terminal, to none, or if CUDALUA_PROGRESS is 0", function()
    local code = "for i in cuda.progress(3) do end print 'done'"
    assert.equal("done\r\n", run(code, { env = { TERM = "dumb" } }).output)
    assert.equal("done\r\n", run(code, { env = { CUDALUA_PROGRESS = "0" } }).output)
    assert.equal("done\r\n", run(code, { shell = "luajit %s 2>&1 | cat" }).output)
    assert.equal("done\r\n", run(code, { shell = "luajit %s 2>/dev/null" }).output)
  end)

  it("writes to the file that it is given", function()
    local p = run("for i in cuda.progress(3, { file = io.stdout }) do end", { shell = "luajit %s 2>/dev/null" })
    assert.truthy(text_of(p):find "^100%% %[#+%] 3/3, T, R/s$")
  end)
end)

describe("cuda.show_progress", function()
  local compile = [[
    local function compile(n)
      local source = {}
      for i = 1, n do
        source[i] = ("__global__ void k%d(double *a) { for (int i = 0; i < 9; i++) *a = pow(sin(a[i]), tan(a[%d])); }")
          :format(i, i)
      end
      cuda.compile(table.concat(source, "\n"), { arch = "sm_80", cache_dir = false })
    end
    compile(1)
  ]]
  -- A compilation of two and a half seconds: as many kernels as this machine compiles in that time.
  local slow = compile .. [[
    local ffi = require "ffi"
    ffi.cdef "typedef struct { long s, ns; } ts_; int clock_gettime(int, ts_ *);"
    local t = ffi.new "ts_"
    local function now() ffi.C.clock_gettime(1, t) return tonumber(t.s) + tonumber(t.ns) * 1e-9 end
    local began = now()
    compile(20)
    compile(math.ceil(50 / (now() - began)))
    print "compiled"
  ]]

  it("cuda.show_progress asks and changes what the environment leaves open", function()
    finally(function() cuda.show_progress(false) end)
    assert.is_false(cuda.show_progress())
    assert.is_false(cuda.show_progress(true))
    assert.is_true(cuda.show_progress())
    assert.is_true(cuda.show_progress(false))
    gpu.raises("LogicError", "show_progress: on must be true or false, got number 1", cuda.show_progress, 1)
    local code = "io.write(tostring(cuda.show_progress(true)), ' ', tostring(cuda.show_progress()))"
    assert.equal("false true", run(code).output)
    assert.equal("true true", run(code, { command = true }).output)
    assert.equal("true true", run(code, { env = { CUDALUA_PROGRESS = "1" } }).output)
    assert.equal("false false", run(code, { env = { CUDALUA_PROGRESS = "0" }, command = true }).output)
  end)

  it("shows a compilation that takes over a second, and erases the line", function()
    local p = run(slow, { command = true })
    assert.equal("compiled", p.screen:text())
    assert.truthy(p.output:find "\rcompiling kernel%.cu, 0:01")
  end)

  it("shows which one it is of the compilations of an export, by the time of all", function()
    local p = run([[
      local folder = os.tmpname()
      os.remove(folder)
      for i = 1, 3 do -- the folder's name keeps them out of the cache
        cuda.compile(("__global__ void k%d(int *a) {} // %s"):format(i, folder), { name = "k" .. i .. ".cu" })
      end
      local core = require "cudalua.core"
      core.progress_part(1, 2) -- as if the first one had taken its time
      require("ffi").cdef "int usleep(unsigned);"
      require("ffi").C.usleep(1100000)
      cuda.cache.export(folder, { "sm_80" })
      os.execute("rm -r " .. folder)
      print "exported"
    ]], { command = true })
    assert.equal("exported", p.screen:text())
    for i = 1, 3 do -- the time goes on: a slow machine may show a later second
      assert.truthy(p.output:find("\rcompiling k" .. i .. "%.cu, " .. i .. " of 3, 0:0[1-9]"), p.output)
    end
  end)

  it("does not show quick ones, nor anything in a program of luajit's", function()
    local p = run(compile .. "print 'compiled'", { command = true })
    assert.equal("compiled\r\n", p.output)
    assert.equal("compiled\r\n", run(slow).output)
  end)

  -- Each of the 400 blocks ends ten milliseconds after the one before it, by the clock: four seconds on any machine.
  local kernel = [[
    local k = cuda.kernel [=[
      __device__ unsigned long long now() {
        unsigned long long t;
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
        return t;
      }
      __global__ void slow(unsigned long long *began) {
        atomicCAS(began, 0ull, now());
        while (now() < *(volatile unsigned long long *)began + blockIdx.x * 10000000ull) {}
      }]=]
    k(cuda.gpuarray.zeros(1, "uint64"), { block = 1, grid = 400 })
    cuda.Context.synchronize()
    print "over"
  ]]

  it("shows a kernel of the software device that takes long, what is done and left, and erases the line", function()
    if not gpu.soft then return pending "a kernel of the software device" end
    local p = run(kernel, { command = true })
    assert.equal("over", p.screen:text())
    local within = 0
    for done, blocks in p.output:gmatch "\rkernel slow: (%d+) of (%d+) blocks, 0:%d%d, about 0:%d%d left" do
      assert.equal(400, tonumber(blocks))
      if tonumber(done) > 0 and tonumber(done) < 400 then within = within + 1 end
    end
    assert.is_true(within > 0, p.output)
    assert.is_true(count(p, "kernel slow") <= 60)
  end)

  it("leaves no line of a kernel that is stopped", function()
    if not gpu.soft then return pending "stops a kernel" end
    local p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 100, rows = 50,
      env = { TERM = "xterm", CUDALUA_HISTORY = "", CUDALUA_DRIVER = "soft", CUDALUA_PROGRESS = false } })
    finally(function() p:close() end)
    p:expect "\n> "
    p:type "k = cuda.kernel('__global__ void spin(int *p) { while (true) atomicAdd(p, 1); }', 'spin')\r"
    p:type "a = cuda.gpuarray.zeros(1, 'int32') k(a, { block = 32 }) cuda.Context.synchronize()\r"
    p:expect("kernel spin, 0:02", 60)
    p:type "\3"
    p:expect "interrupted: kernel spin, kernel.cu:1"
    p:expect "\n> "
    assert.falsy(p.screen:text():find("kernel spin, 0:0", 1, true))
    p:type "for i in cuda.progress(9) do if i == 5 then break end end\r"
    p:expect "] 0/9, 0:00\n> "
    p:type "\4"
    assert.same({ "exit", 0 }, { p:wait() })
  end)
end)
