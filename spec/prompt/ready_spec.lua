-- How long the command takes to be ready: processor time, which a loaded machine does not change much. A start that
-- loads the whole library or runs other programs is over the bound. One that waits for something is over that of the
-- clock, which is generous.
local ffi = require "ffi"
local pty = require "spec.support.pty"

ffi.cdef "int cudalua_ready_usage(int who, long *usage) __asm__(\"getrusage\");"

-- Processor time of all children that have ended, in milliseconds.
local function used()
  local usage = ffi.new "long[18]"
  assert(ffi.C.cudalua_ready_usage(-1, usage) == 0)
  return tonumber(usage[0] + usage[2]) * 1000 + tonumber(usage[1] + usage[3]) / 1000
end

local CLOCK = 50 -- times the bound

-- The least processor time of some runs of f, and a part of the least time by the clock if that is more.
local function least_of(f)
  local best, clock = math.huge, math.huge
  for _ = 1, 20 do
    local began, before = pty.now(), used()
    f()
    best, clock = math.min(best, used() - before), math.min(clock, (pty.now() - began) * 1000)
  end
  return math.max(best, clock / CLOCK)
end

local function least(command)
  return least_of(function() assert(os.execute(command .. " </dev/null >/dev/null") == 0) end)
end

-- The same on a terminal, until a text is there, where the program is given some keys before it asks for them.
local function least_shown(argv, text, keys)
  return least_of(function()
    local p = pty.spawn(argv, { env = { TERM = "xterm", CUDALUA_HISTORY = "" } })
    if keys then p:type(keys) end
    p:expect(text)
    p:close()
  end)
end

describe("the command's start", function()
  local slack = os.getenv "CUDALUA_SANITIZED" and 500 or 15 -- 8 to 11 are usual, by the machine

  it("takes little longer than luajit's own", function()
    local luajit = least "luajit -e ''"
    assert.is_true(least "bin/cudalua -e ''" - luajit < slack)
    assert.is_true(least "bin/cudalua -i" - luajit < slack)
  end)

  it("takes little longer on a terminal, until the prompt is there and until the first chunk has run", function()
    local luajit = least_shown({ "luajit", "-e", "io.write '> '" }, "> ")
    assert.is_true(least_shown({ "bin/cudalua" }, "\n> ") - luajit < slack)
    assert.is_true(least_shown({ "bin/cudalua" }, "\n42\n> ", "6 * 7\n") - luajit < 2 * slack)
  end)

  it("works through links, from other folders, and by its path", function()
    local folder = os.tmpname()
    os.remove(folder)
    local here = io.popen("pwd"):read "*l"
    assert(os.execute(("mkdir %s && cd %s && ln -s %s/bin/cudalua linked && ln -s %s/bin folder"):format(folder, folder,
      here, here)) == 0)
    for _, command in ipairs { "bin/cudalua", "./bin/cudalua", here .. "/bin/cudalua", "sh bin/cudalua",
      "cd bin && ./cudalua", "cd bin && sh cudalua", "cd docs && ../bin/cudalua", folder .. "/linked",
      folder .. "/folder/cudalua", "PATH=$PATH:" .. folder .. " linked", "CUDALUA_LUAJIT=luajit bin/cudalua" } do
      local pipe = io.popen(command .. " -e 'print(package.searchpath(\"cudalua.repl\", package.path))' 2>&1")
      local out = pipe:read "*a"
      pipe:close()
      assert.truthy(out:find("/lua/cudalua/repl.lua\n", 1, true), command .. ": " .. out)
    end
    os.execute("rm -r " .. folder)
  end)
end)

describe("the prompt on a terminal", function()
  local function prompt(env)
    env.CUDALUA_HISTORY = ""
    local p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 80, rows = 24, env = env })
    p:expect "> "
    return p
  end

  for term, name in pairs { xterm = "that can be edited on", dumb = "that is dumb" } do
    it(name, function()
      local p = prompt { TERM = term }
      p:type "local x = 20\r"
      p:type "x + 22\r"
      p:expect(function(at) return at.output:find("42\r\n", 1, true) end)
      p:type "function f()\rreturn 16 - 9\rend\rf()\r"
      p:expect(function(at) return at.output:find("7\r\n", 1, true) end)
      p:type ":quit\r"
      assert.same({ "exit", 0 }, { p:wait() })
      if term == "dumb" then assert.falsy(p.output:find("\27", 1, true)) end
      p:close()
    end)
  end

  it("outlives a first chunk that takes the standard library away", function()
    local p = prompt { TERM = "xterm" }
    p:type "require, package, string, table, io, debug, type, select, setmetatable, pcall, math = nil\r"
    p:type "getmetatable('').__index = nil\r{ 40 + 2, f = print }\r"
    p:expect "{ 42, f = function print }\n> "
    p:type "\27[A\27[A\3pri\t(7)\r:help\r"
    p:expect "> print(7)\n7\n"
    p:expect ":quit"
    p:type ":quit\r"
    assert.same({ "exit", 0 }, { p:wait() })
    p:close()
  end)

  it("takes a command in a paste for Lua", function()
    local p = prompt { TERM = "xterm" }
    p:type "\27[200~:quit\27[201~\r"
    p:expect "unexpected symbol near ':'"
    p:type ":quit\r"
    assert.same({ "exit", 0 }, { p:wait() })
    p:close()
  end)
end)
