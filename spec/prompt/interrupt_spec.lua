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
end)
