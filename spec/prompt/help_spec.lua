-- help at the prompt: what it writes, where it is, and what else the index is good for there.
local gpu = require "spec.support.gpu"
local function_text = require "cudalua.text.function"
local pty = require "spec.support.pty"
local repl = require "cudalua.repl"

-- What a prompt writes that is given these lines.
local function typed(lines, env)
  local list, out = {}, {}
  for line in (lines .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line end
  repl.run {
    env = env or setmetatable({}, { __index = _G }),
    input = function() return table.remove(list, 1) end,
    output = function(text) out[#out + 1] = text end,
  }
  return (table.concat(out):gsub("\n$", ""))
end

local function first_line(lines, env) return typed(lines, env):match "[^\n]*" end

describe("help at the prompt", function()
  setup(gpu.context)

  it("takes names, words and values", function()
    assert.equal("cuda.gpuarray.sort(a, options?)", first_line 'help "sort"')
    assert.equal("cuda.gpuarray.Array:sum(options?)", first_line "help(cuda.gpuarray.zeros(3).sum)")
    assert.equal("cuda.gpuarray.Array", first_line "local a = cuda.gpuarray.zeros(3)\nhelp(a)")
    assert.equal("cuda.Stream", first_line "help(cuda.Stream())")
    assert.equal("cuda.gpuarray", first_line "help(cuda.gpuarray)")
    assert.equal("cuda.dtype.int8", first_line "help(cuda.dtype.int8)")
    assert.equal('The value is nil: no variable has this name. help "words" looks for a name of',
      first_line "help(nil)")
    assert.equal("There is no help for a number. help(x) is for functions, modules and objects of",
      first_line "help(1)")
    assert.truthy(typed 'help "load csv"':find("^cuda%.io%.loadtxt"))
    assert.matches("^cuda is the library, loaded when you first name it", typed "help()")
    assert.equal('help() says how to start, help(x) what x is, help "words" looks for words', typed "help")
  end)

  it("is in the prompt's environment alone, gives no value, and may be the program's own", function()
    local env = setmetatable({}, { __index = _G })
    assert.matches('^42\n.*\n"table"\t42$', typed('42\nlocal t = type(help)\nhelp "sort"\nt, _', env))
    assert.is_nil(rawget(env, "help"))
    assert.is_nil(rawget(_G, "help"))
    assert.equal("7", typed "help = 7\nhelp")
    assert.equal("7", typed "local help = 7\nhelp")
  end)

  it("takes words without quotes, where no Lua program means that", function()
    assert.equal(typed 'help "sort"', typed "help sort")
    assert.equal(typed 'help "copy to the host"', typed "help copy to the host")
    assert.equal("5", typed "help = function(x) return #x end\nhelp 'sorts'")
    assert.equal("stdin:1: '=' expected near 'you'", typed "helps you")
  end)

  it("is what :help NAME writes; :help alone lists the commands", function()
    assert.equal(typed 'help "sort"', typed ":help sort")
    assert.equal(typed 'help "copy to the host"', typed ":help copy to the host")
    assert.matches('^:help %[NAME%] +this list, or what help "NAME" says\n:time CHUNK', typed ":help")
    assert.matches('\nhelp%(%) says how to start, help%(x%) what x is, help "words" looks for words%.$', typed ":help")
  end)

  it("knows what functions of the library are called when they are printed", function()
    assert.equal("function cuda.gpuarray.sum(a, options)\tfunction cuda.mem_alloc(bytes)",
      typed "cuda.gpuarray.sum, cuda.mem_alloc")
    assert.equal("{ f = function cuda.kernel(source, name, opts) }", typed "{ f = cuda.kernel }")
    assert.equal("function(x) stdin:1", typed "function(x) end")
    assert.equal("function print", typed "print")
  end)

  it("loads the index for a function of the library alone", function()
    local pipe = io.popen([[luajit -e "
      local lines = { 'function() end, print, { f = type }', 'x', 'cuda.kernel' }
      local loaded = {}
      require('cudalua.repl').run { output = function() end, input = function()
        loaded[#loaded + 1] = tostring(package.loaded['cudalua.help.index'] ~= nil)
        return table.remove(lines, 1)
      end }
      print(table.concat(loaded, ' '))"]])
    assert.equal("false false false true", pipe:read "*l")
    pipe:close()
  end)

  it("is not asked for functions while no prompt was there", function()
    local before = function_text.of_library
    function_text.of_library = nil
    assert.matches("^function%(.*%) .*:%d+$", function_text.text(repl.run))
    function_text.of_library = before
  end)
end)

describe("help on a terminal", function()
  for term, name in pairs { xterm = "that can be edited on", dumb = "that is dumb" } do
    it(name .. " fits it", function()
      local p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 60, rows = 30, env = { TERM = term,
        CUDALUA_HISTORY = "" } })
      p:expect "> "
      p:type 'help "argsort"\r'
      p:expect "docs/reductions.md"
      for line in p.screen:all_text():gmatch "[^\n]+" do assert.is_true(#line <= 60, line) end
      assert.truthy(p.screen:all_text():find("\n  options?  as for sort\n", 1, true))
      assert.truthy(p.output:find("\nReturns the positions that sort the array, as NumPy's\r\n", 1, true))
      if term == "xterm" then
        p:type "cuda.gpuarray.linspace(0, 1, { dt\t"
        p:expect "{ dtype"
        p:type " = 'float32' }):cumsu\t"
        p:expect ":cumsum"
        p:type "\3"
      end
      p:type ":quit\r"
      assert.same({ "exit", 0 }, { p:wait() })
      p:close()
    end)
  end
end)
