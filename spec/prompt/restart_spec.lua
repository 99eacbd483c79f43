-- What the prompt says after a fault that ends the device, and :restart, through a pseudo-terminal.
local pty = require "spec.support.pty"

describe("After a fault the prompt", function()
  local p

  local function start(arguments, environment)
    local env = { TERM = "xterm", CUDALUA_HISTORY = "", CUDALUA_DRIVER = "soft" }
    for name, value in pairs(environment or {}) do env[name] = value end
    p = pty.spawn({ "sh", "bin/cudalua", unpack(arguments or {}) }, { columns = 120, rows = 300, env = env })
    p:expect "\n> "
  end

  -- Types a line and returns what is printed until the next prompt.
  local function type(line)
    local before = #p.screen:text_to_cursor()
    p:type(line .. "\r")
    p:expect(function() return #p.screen:text_to_cursor() > before + #line and
      p.screen:text_to_cursor():sub(before + #line):find("\n> $") end, 30)
    return (p.screen:text_to_cursor():sub(before + 1):gsub("\n> $", ""):gsub("^[^\n]*\n?", ""))
  end

  local function finish()
    p:type "\4"
    assert.same({ "exit", 0 }, { p:wait() })
    p:close()
  end

  local SHIFT = 'k = cuda.kernel "__global__ void shift(float *p, int n) { p[threadIdx.x + 1] = n; }"'

  it("says once what is lost, keeps Lua's values, and answers shortly from then on", function()
    start()
    type("local " .. SHIFT)
    type "local a = cuda.gpuarray.zeros(64)"
    type "net = { layers = { { w = cuda.gpuarray.arange(6):reshape(2, 3) } }, host = a:get() } net.me = net"
    type "memory = cuda.mem_alloc(100)"
    type "freed = cuda.mem_alloc(100) freed:free()"
    type "local n = 41"
    assert.equal("", type "k(a, 1, { block = 64 })")
    local out = type "a"
    assert.truthy(out:find("illegal address (CUDA_ERROR_ILLEGAL_ADDRESS)", 1, true), out)
    assert.truthy(out:find("illegal store of 4 bytes", 1, true), out)
    assert.truthy(out:find([[
This process can no longer use the device (illegal address), and its device memory is lost.
Kernel shift failed; chunk 7 launched it.
Lost:
  a                float32           (64,)   256 bytes
  memory           DeviceAllocation          100 bytes
  net.layers[1].w  int64             (2, 3)  48 bytes
Your Lua values are unchanged, and so are these arrays in host memory:
  net.host  float32  (64,)  256 bytes
Type :restart for a new process; :restart all also reruns the chunks that did not fail.]], 1, true), out)
    assert.is_nil(out:find("record(true)", 1, true)) -- the error has named the line
    assert.equal("<lost: float32 (64,), 256 bytes>", type "a")
    assert.equal("<lost: int64 (2, 3), 48 bytes>", type "net.layers[1].w")
    assert.equal("<lost: int64 (2, 3), 48 bytes>", type "_")
    assert.equal("{ <lost: float32 (64,), 256 bytes>, 5 }", type "{ a, 5 }")
    assert.equal("42", type "n + 1")
    assert.equal("64", type "net.host:len()")
    local short = "stdin:1: this process can no longer use the device (illegal address); :restart starts a new one"
    assert.equal(short, type "cuda.gpuarray.zeros(3)")
    assert.equal(short, type "k(a, 1, { block = 64 })")
    assert.truthy(type(":gpu"):find "^this process can no longer use the device")
    assert.truthy(type(":who"):find "^a  float32  %(64,%)  256 bytes  lost\n1 array in variables")
    assert.truthy(type(":time 1 + 1"):find "^2\nhost ")
    assert.equal("0", type "(function() a, net, memory, k = nil collectgarbage() return collectgarbage() end)()")
    finish()
  end)

  it("finds the loss in a chunk that catches its error, and names the recorded launch", function()
    start()
    type(SHIFT)
    type "cuda.debug.record(true);"
    type "a = cuda.gpuarray.zeros(64)"
    local out = type "k(a, 1, { block = 64 }) ok = pcall(cuda.Context.synchronize)"
    assert.truthy(out:find("Kernel shift failed; it was launched at stdin:1 of chunk 4.\n", 1, true), out)
    assert.truthy(out:find("Type :replay to see which line of the kernel it was.", 1, true), out)
    assert.equal("false", type "ok")
    out = type ":replay"
    assert.truthy(out:find("^kernel shift, kernel.cu:1 .*illegal store of 4 bytes.*argument 1, float %*p%)"), out)
    assert.truthy(out:find(">    1 | __global__ void shift(float *p, int n)", 1, true), out)
    assert.equal([[
  1  k = cuda.kernel "__global__ void shift(float *p, int n) { p[threadIdx. ...
  2  cuda.debug.record(true);
  3  a = cuda.gpuarray.zeros(64)
  4  k(a, 1, { block = 64 }) ok = pcall(cuda.Context.synchronize)  -- failed
  5  ok]], type ":restart ?")
    finish()
  end)

  it("stops a replay by Ctrl-C", function()
    start()
    type "k = cuda.kernel('__global__ void spin(int *p) { while (true) atomicAdd(p, 1); }', 'spin')"
    type "cuda.debug.record(true);"
    type "k(cuda.mem_alloc(4), { block = 32 })"
    p:type ":replay\r"
    p:settle(1000)
    p:type "\3"
    p:expect "debug.replay: interrupted\n> "
    assert.equal("42", type "6 * 7")
    p:close() -- the kernel itself never runs
  end)

  it("restarts and runs all chunks but those that failed", function()
    start()
    type(SHIFT)
    type "local a = cuda.gpuarray.arange(64, 'float32')"
    type "function twice(x)\rreturn 2 * x\rend"
    type "k(a, 1, { block = 64 }) cuda.Context.synchronize()"
    local out = type ":restart all"
    assert.truthy(out:find("; restarted\n> k = cuda.kernel", 1, true), out)
    assert.truthy(out:find("\n> function twice(x)\n>> return 2 * x\n>> end", 1, true), out)
    assert.is_nil(out:find("k(a, 1", 1, true), out)
    assert.equal("126.0", type "twice(a):max()")
    finish()
  end)

  it("leaves out the chunk that launched the kernel, though it ended well, and remembers which failed", function()
    start()
    type(SHIFT)
    type "a = cuda.gpuarray.zeros(64)"
    type "k(a, 1, { block = 64 })"
    type "n = 5 other = cuda.gpuarray.ones(3) other:iadd(1):eval()"
    type "cuda.Context.synchronize()"
    type ":restart"
    assert.equal([[
  1  k = cuda.kernel "__global__ void shift(float *p, int n) { p[threadIdx. ...  -- not run
  2  a = cuda.gpuarray.zeros(64)  -- not run
  3  k(a, 1, { block = 64 })  -- not run, failed before
  4  n = 5 other = cuda.gpuarray.ones(3) other:iadd(1):eval()  -- not run
  5  cuda.Context.synchronize()  -- not run, failed before]], type ":restart ?")
    type ":restart all"
    assert.equal("{ 0, 5 }", type "{ a:max():item(), n }")
    finish()
  end)

  it("restarts with the chunks that are chosen, and offers the others later", function()
    start()
    type "local x = 1"
    type "local y = x + 1"
    type "print 'aside'"
    type "y = y * 10"
    local pid = p.pid
    local out = type ":restart 1-2,4"
    assert.truthy(out:find("> local x = 1\n> local y = x + 1\n> y = y * 10", 1, true), out)
    assert.equal("20", type "y")
    assert.equal("  1  local x = 1\n  2  local y = x + 1\n  3  print 'aside'  -- not run\n  4  y = y * 10\n  5  y",
      type ":restart ?")
    type ":restart"
    assert.equal("nil", type "x")
    out = type ":restart 3"
    assert.truthy(out:find("> print 'aside'\naside", 1, true), out)
    assert.equal(pid, p.pid)
    assert.is_nil((p:wait(0)))
    finish()
  end)

  it("stops at the first error of what it runs again", function()
    start()
    type "count = 1"
    type "error 'mine'"
    type "count = 2"
    local out = type ":restart 1-3"
    assert.truthy(out:find("stdin:1: mine\nstopped at chunk 2; 1 more did not run", 1, true), out)
    assert.equal("1", type "count")
    finish()
  end)

  it("refuses chunks that are not there", function()
    start()
    assert.truthy(type(":restart 1"):find("the session has no chunks", 1, true))
    assert.equal("the session has no chunks yet", type ":restart ?")
    type "x = 1"
    for _, text in ipairs { "0", "2", "1-2", "2-1", "1;2", "-1", "x", "1-" } do
      assert.truthy(type(":restart " .. text):find("names no chunks", 1, true), text)
    end
    assert.equal("1", type "x")
    finish()
  end)

  it("restarts with the same arguments, script and folder, and a terminal as it was", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write "told = (told or 0) + #arg .. arg[1]"
    file:close()
    start { "-l", "cudalua.softgpu", "-e", "said = 'here'", "-i", script, "a b" }
    local modes = p:modes()
    type "told, said = 'other', nil"
    type ":restart"
    assert.equal('"1a b"  "here"', type "told, said")
    assert.same(modes, p:modes())
    assert.equal("nil", type "os.getenv 'CUDALUA_RESTART'")
    finish()
    os.remove(script)
  end)

  it("hands no open file, signal mask or ignored signal on, and writes files out", function()
    local path = os.tmpname()
    start()
    type "ffi = require 'ffi'"
    type "ffi.cdef 'void *signal(int, void *); int sigprocmask(int, const void *, void *);'"
    type "ffi.C.signal(10, ffi.cast('void *', 1));"
    type "ffi.C.sigprocmask(0, ffi.new('uint64_t[16]', 2048), nil);" -- SIGUSR2
    type(("file = io.open(%q, 'w') file:write 'kept'"):format(path))
    local read = "io.open '/proc/self/status':read '*a'"
    assert.truthy(type(read .. ":match 'SigBlk:%s+(%x+)'"):find "800\"")
    type ":restart"
    -- What the prompt itself does with SIGPIPE and the like aside.
    assert.equal('"0000000000000000"', type(read .. ":match 'SigBlk:%s+(%x+)'"))
    assert.equal('"0000000000000000"', type(read .. ":match 'SigIgn:%s+(%x+)'"))
    local listing = "io.popen('ls -l /proc/' .. io.open '/proc/self/stat':read '*n' .. '/fd'):read '*a'"
    assert.equal("nil", type(listing .. (":match %q"):format(path:gsub("%p", "%%%0"))))
    finish()
    local file = assert(io.open(path))
    assert.equal("kept", file:read "*a")
    file:close()
    os.remove(path)
  end)

  it("restarts where input is piped, and leaves the rest of it to the new process", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write "local x = 6\n:restart 1\nprint(x * 7)\n"
    file:close()
    local pipe = io.popen(("cat %s | CUDALUA_DRIVER=soft sh bin/cudalua -i 2>&1"):format(path))
    local out = pipe:read "*a"
    pipe:close()
    os.remove(path)
    assert.truthy(out:find("> local x = 6\n> 42\n> \n$"), out)
  end)

  it("does not replace the process of another program", function()
    local lines, out = { "x = 1", ":restart all", "x" }, {}
    require("cudalua.repl").run {
      env = {}, input = function() return table.remove(lines, 1) end,
      output = function(text) out[#out + 1] = text end,
    }
    assert.same({ ":restart replaces the process, and this one belongs to the program that runs the prompt\n", "1\n" },
      out)
  end)
end)
