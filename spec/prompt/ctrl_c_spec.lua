-- Ctrl-C at the prompt, through a pseudo-terminal: loops, loops around pcall, kernels; nothing is lost.
local pty = require "spec.support.pty"

describe("Ctrl-C at the prompt", function()
  local p

  -- Types a chunk, waits for what it prints first, and gives it time to be in the midst of what follows.
  local function busy(i, chunk)
    p:type(("print('busy ' .. %d + 100) %s\r"):format(i, chunk))
    p:expect("busy " .. i + 100)
    p:settle(50)
  end

  local function answers(chunk, text)
    p:type(chunk .. "\r")
    p:expect(text .. "\n> ")
  end

  before_each(function()
    p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 100, rows = 200,
      env = { TERM = "xterm", CUDALUA_HISTORY = "", CUDALUA_DRIVER = "soft" } })
    p:expect "\n> "
    p:type "local a, n = cuda.gpuarray.arange(1000):eval(), 41\r"
    answers("n", "41")
  end)
  after_each(function()
    answers("a:sum():item() + n", "499541")
    p:type "\4"
    assert.same({ "exit", 0 }, { p:wait() })
    p:close()
  end)

  it("stops loops, as often as it is pressed", function()
    for i = 1, 3 do
      busy(i, "while true do end")
      p:type "\3"
      answers(i .. " * 1001", i * 1001)
    end
    local _, times = p.screen:text():gsub("stdin:1: interrupted\n", "")
    assert.equal(3, times)
  end)

  it("stops loops around pcall at the second press", function()
    busy(1, "while true do pcall(function() while true do end end) end")
    p:type "\3"
    p:settle(200)
    p:type "\3"
    p:expect "interrupted\n> "
    answers("table.concat({ 1, 2 }, '-')", '"1-2"')
  end)

  it("stops a kernel of the software device and says where", function()
    p:type "local k = cuda.kernel('__global__ void spin(int *p) { while (true) atomicAdd(p, 1); }', 'spin')\r"
    answers("n * 2", "82")
    busy(1, "k(cuda.gpuarray.zeros(1, 'int32'), { block = 32 }) cuda.Context.synchronize()")
    p:type "\3"
    p:expect "interrupted: kernel spin, kernel.cu:1"
    p:expect "\n> "
  end)

  it("stops a kernel that a value waits for which is to be printed", function()
    p:type "local k = cuda.kernel('__global__ void spin(int *p) { while (true) atomicAdd(p, 1); }', 'spin')\r"
    answers("n * 2", "82")
    p:type "local b = cuda.gpuarray.zeros(1, 'int32') k(b, { block = 32 })\r"
    answers("n * 3", "123")
    p:type "b\r"
    p:settle(500)
    p:type "\3"
    p:expect "interrupted: kernel spin, kernel.cu:1"
    p:expect "\n> "
    assert.falsy(p.output:find("__tostring", 1, true))
  end)
end)

describe("Ctrl-C on a terminal without an editor", function()
  it("drops what is being typed, on the first line, on a later one and on an empty one", function()
    local p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 100, rows = 24,
      env = { TERM = "dumb", CUDALUA_HISTORY = "", CUDALUA_DRIVER = "soft" } })
    finally(function() p:close() end)
    p:expect "\n> "
    local function pressed(typed)
      p:type(typed)
      p:settle(100)
      p:type "\3"
      p:expect(function(at) return at.screen:text_to_cursor():find("\n> $") end)
      p:settle(50)
    end
    pressed "x = half"
    pressed ""
    p:type "x = 20\r"
    pressed "function f()\rreturn"
    p:type "x + 22\r"
    p:expect "42\n> "
    p:type "\27[A\r"
    p:expect "unexpected symbol near 'char(27)'\n> "
    p:type "while true do end\r"
    p:settle(100)
    p:type "\3"
    p:expect "stdin:1: interrupted\n> "
    p:type "x\r"
    p:expect "20\n> "
    p:type "\4"
    assert.same({ "exit", 0 }, { p:wait() })
  end)
end)

describe("Ctrl-C in the first chunk of a prompt", function()
  it("says so as later on, before the library was used", function()
    local p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 100, rows = 24,
      env = { TERM = "xterm", CUDALUA_HISTORY = "", CUDALUA_DRIVER = "soft" } })
    finally(function() p:close() end)
    p:expect "\n> "
    p:type "print 'busy' while true do end\r"
    p:expect "busy\n"
    p:settle(50)
    p:type "\3"
    p:expect "stdin:1: interrupted\n> "
    p:type "\4"
    assert.same({ "exit", 0 }, { p:wait() })
  end)
end)

describe("Ctrl-C while a chunk reads from the terminal", function()
  local p

  before_each(function()
    p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 100, rows = 60,
      env = { TERM = "xterm", CUDALUA_HISTORY = "", CUDALUA_DRIVER = "soft" } })
    p:expect("\n> ", 60)
  end)
  after_each(function()
    p:type "local got = io.read()\rthe line\rgot\r"
    p:expect('"the line"\n> ', 60)
    p:type "\4"
    assert.same({ "exit", 0 }, { p:wait(60) })
    p:close()
  end)

  -- Runs a chunk and waits until the process sleeps in a read.
  local function waiting(i, chunk, before)
    p:type(("%s print('waiting ' .. %d + 100) %s\r"):format(before or "", i, chunk))
    p:expect("waiting " .. i + 100 .. "\n", 60)
    p:expect(function()
      local file = assert(io.open(("/proc/%d/stat"):format(p.pid)))
      local state = file:read("*a"):match "%) (%a)"
      file:close()
      return state == "S"
    end, 60)
    p:type "\3"
    p:expect(function()
      return select(2, p.screen:text_to_cursor():gsub("%^Cstdin:1: interrupted\n> ", "")) == i
    end, 60)
  end

  it("comes back to the prompt, from each way to read", function()
    waiting(1, "local x = io.read()")
    waiting(2, "local x = io.read('*n')")
    waiting(3, "local x = io.stdin:read(10)")
    waiting(4, "while true do pcall(io.read) end")
    waiting(5, "for line in io.lines() do print(line) end")
  end)

  -- NVRTC sets the handler of SIGINT anew, so that reads go on.
  it("does so also after a compilation", function()
    local compile = "local m = cuda.compile('__global__ void k(int *a) { *a = 1; }', { cache_dir = false })"
    waiting(1, "local x = io.read()", compile)
    waiting(2, "local x = io.read()")
  end)
end)

describe("Compiled code that no press of Ctrl-C stops", function()
  local p, name, flag

  -- Waits in a loop of a loaded file until the file `flag` exists.
  before_each(function()
    name, flag = os.tmpname(), os.tmpname()
    os.remove(flag)
    local file = assert(io.open(name, "w"))
    file:write [[
      local ffi = require "ffi"
      ffi.cdef "int access(const char *, int), usleep(unsigned);"
      return function(path) while ffi.C.access(path, 0) ~= 0 do ffi.C.usleep(200) end end
    ]]
    file:close()
    p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 160, rows = 50,
      env = { TERM = "xterm", CUDALUA_HISTORY = "", CUDALUA_DRIVER = "soft" } })
    p:expect "\n> "
    p:type(("local wait, kept = dofile '%s', 41\r"):format(name))
    p:type "kept + 1\r"
    p:expect "42\n> "
    p:type(("print 'waiting' wait '%s'\r"):format(flag))
    p:expect "waiting\n"
    p:settle(300)
    p:type "\3"
    local pressed = pty.now()
    p:expect("compiled Lua code or a C function is running and cannot be interrupted; press Ctrl-C again to end the " ..
      "process\n")
    assert.is_true(pty.now() - pressed > 0.8)
    p:type "\3"
    p:expect "end the process? Unsaved work is lost. [y/N] "
  end)
  after_each(function()
    p:close()
    os.remove(name)
    os.remove(flag)
  end)

  it("ends with the process if the answer is y", function()
    p:type "y\r"
    assert.same({ "exit", 130 }, { p:wait() })
  end)

  it("asks again at each later press", function()
    p:type "n\r"
    p:settle(200)
    for _ = 1, 2 do
      p:type "\3"
      p:expect(function(at) return at.screen:text_to_cursor():find("%[y/N%] $") end)
      p:type "no\r"
      p:settle(200)
    end
    p:type "\3"
    p:expect(function(at) return at.screen:text_to_cursor():find("%[y/N%] $") end)
    p:type "y\r"
    assert.same({ "exit", 130 }, { p:wait() })
  end)

  it("goes on after another answer, and loses nothing", function()
    p:type "n\r"
    assert.is_nil(p:wait(0.5))
    assert(io.open(flag, "w")):close()
    p:expect "interrupted\n"
    p:type "kept + 2\r"
    p:expect "43\n> "
    p:type "\4"
    assert.same({ "exit", 0 }, { p:wait() })
  end)
end)
