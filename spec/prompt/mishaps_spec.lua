-- What stumbles at a first session: README's fault as it stands there, pasted sessions, and strings of CUDA C.
local pty = require "spec.support.pty"

describe("A first session", function()
  local p

  before_each(function()
    p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 120, rows = 300,
      env = { TERM = "xterm-256color", CUDALUA_HISTORY = "", CUDALUA_DRIVER = "soft" } })
    p:expect "\n> "
  end)

  after_each(function()
    if p then p:close() end
    p = nil
  end)

  -- Sends text and returns what is printed until the next empty prompt.
  local function send(text, needed)
    local before = #p.screen:text_to_cursor()
    p:type(text)
    p:expect(function()
      local out = p.screen:text_to_cursor():sub(before + 1)
      return out:find(needed, 1, true) and out:find "\n> $"
    end, 60)
    return p.screen:text_to_cursor():sub(before + 1)
  end

  local function pasted(text) return "\27[200~" .. text:gsub("\n", "\r") .. "\27[201~\r" end

  local function readme()
    local file = assert(io.open "README.md")
    local text = file:read "*a"
    file:close()
    return assert(text:match "## No GPU%?.-```lua alone\n(.-)```")
  end

  local LOST = "This process can no longer use the device (illegal address), and its device memory is lost.\n" ..
    "The kernel launched last is shift, in chunk "

  it("goes on after README's fault, pasted or typed", function()
    for _, text in ipairs { pasted(readme()), (readme():gsub("\n", "\r")) } do
      local out = send(text, "Type :restart")
      assert.truthy(out:find("kernel shift, kernel.cu:4", 1, true), out)
      assert.truthy(out:find(LOST, 1, true), out)
      assert.truthy(send("6 * 7\r", "42"))
      assert.truthy(send(":restart\r", "restarted"))
    end
  end)

  it("goes on after a device fault that pcall catches, and keeps what pcall returned", function()
    send(pasted((readme():gsub("print%(select.*$", ""))), "> ")
    local out = send("ok, err = pcall(cuda.Context.synchronize)\r", "Type :restart")
    assert.truthy(out:find(LOST, 1, true), out)
    assert.truthy(send("ok, err.code\r", "700"):find "\nfalse +700\n")
  end)

  it("says so in one line if the prompt itself fails, and goes on", function()
    send("require('cudalua.prompt.commands').list.who.run = function() error('first\\nsecond') end\r", "> ")
    local out = send(":who\r", "goes on")
    assert.truthy(out:find("\nthe prompt could not report what happened, and goes on: [^\n]*first second\n> $"), out)
    assert.truthy(send("6 * 7\r", "42"))
  end)

  it("runs the command of a pasted session behind a call", function()
    local out = send(pasted "> tostring(1)\n1\n> :who\n0 arrays", "arrays in variables")
    assert.truthy(out:find('"1"\n> :who\n0 arrays in variables', 1, true), out)
  end)

  it("shows the line of a syntax error in a chunk of several lines", function()
    local out = send(pasted "x = 1\ny = = 2\nz = 3", "unexpected symbol")
    assert.truthy(out:find("stdin:2: unexpected symbol near '='\n  2 | y = = 2\n", 1, true), out)
  end)

  local KERNEL = [=[
k = cuda.kernel [[
__global__ void pick(float *y, const float *x, const int *idx)
{
  int i = threadIdx.x;
  y[i] = x[idx[i]];
}]]
]=]
  local REMEDY = "[=[ and ]=] around "

  it("tells that ]] in CUDA C ends a Lua string, whether the whole is pasted or typed", function()
    local out = send(pasted(KERNEL), "hint: ")
    local hint = "hint: the ]] in line 5 ends the Lua string that began with [[ in line 1; write "
    assert.truthy(out:find(hint .. REMEDY .. "it", 1, true), out)
    p:type "\3"
    out = send("k = cuda.kernel [[__global__ void pick(float *y, const int *i) { y[0] = y[i[0]]\r", "hint: ")
    assert.truthy(out:find("hint: the source ends inside an index: ]] ends a Lua string that began with [[; write " ..
      REMEDY .. "the source", 1, true), out)
  end)
end)
