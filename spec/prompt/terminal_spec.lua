local pty = require "spec.support.pty"

local SIGHUP, SIGTERM, SIGCONT, SIGSTOP = 1, 15, 18, 19

local function start(options)
  options = options or {}
  options.env = options.env or { TERM = "xterm-256color" }
  local p = pty.spawn(options.argv or { "luajit", "spec/support/editor_loop.lua" }, options)
  p:expect(options.expect or "ready\n> ")
  return p
end

-- A condition: the program reads keys one by one.
local function raw(p) return p:is_raw() end
local function cooked(p) return not p:is_raw() end

-- A condition: an empty prompt waits. A Ctrl-D that comes before is the ordinary terminal's.
local function at_prompt(p) return p:is_raw() and p.screen.x == 3 and p.screen:line(p.screen.y) == ">" end

describe("the editor on a terminal", function()
  local p

  after_each(function()
    if p then p:close() end
    p = nil
  end)

  it("reads chunks; the terminal is raw only meanwhile", function()
    p = start()
    p:expect(raw)
    assert.is_true(p.screen.bracketed_paste)
    p:type "f(\r"
    p:expect ">>   "
    p:type "1)\r"
    p:expect 'got "f(\\\n  1)"\n> '
    p:type "stty\r"
    p:expect "opost isig icanon echo"
    p:expect(at_prompt)
    p:type "\4"
    p:expect "ended"
    assert.same({ "exit", 0 }, { p:wait() })
    assert.is_false(p:is_raw())
    assert.is_false(p.screen.bracketed_paste)
  end)

  it("leaves what is typed ahead to the chunk's io.read", function()
    p = start()
    p:type "read\rthe line\r"
    p:expect "read the line"
  end)

  it("takes the lines behind it, and a Ctrl-D that was typed ahead as the end", function()
    p = start()
    p:type "read\rthe line\rx\r"
    p:expect 'read the line\n> x\ngot "x"'
    p:type "sleep\r"
    p:expect "sleeps"
    assert.is_true(cooked(p))
    p:type "y = 1\r\4"
    p:expect 'got "y = 1"'
    p:expect "ended"
    assert.same({ "exit", 0 }, { p:wait() })
  end)

  it("begins on a fresh row behind output without a newline", function()
    p = start()
    p:type "partial\r"
    p:expect "no newline%\n> "
  end)

  it("takes a paste as one text, and runs it only at Enter", function()
    p = start()
    p:type "\27[200~x = 1\rfor i = 1, 2 do\r\tprint(i)\rend\r\27[201~"
    p:settle()
    assert.is_nil(p.screen:text():find("got", 1, true))
    p:type "\r"
    p:expect 'got "x = 1\\\nfor i = 1, 2 do\\\n'
  end)

  it("adds no blanks to lines that come at once, as those of a paste without its marks do", function()
    p = start()
    p:type "f(\r  {\r    1\r  })\r"
    p:expect('got "f(\\\n  {\\\n    1\\\n  })"\n> ', 60)
  end)

  it("runs the chunks of a pasted session one after the other, at Enter", function()
    p = start()
    p:type "\27[200~> f(\r>>   1)\rgot it\r> x\r> 2\r2\27[201~"
    p:expect(">> 2", 60)
    p:type "\r"
    p:expect('> f(\n>>   1)\ngot "f(\\\n  1)"\n> x\ngot "x"\n> 2\ngot "2"\n> ', 60)
  end)

  for name, interrupt in pairs {
    ["Ctrl-C"] = function(q) q:type "\3" end, SIGINT = function(q) q:kill(2) end,
  } do
    it("leaves a paste that does not end by " .. name, function()
      p = start()
      p:type "ab\27[200~x = 1\r:quit\r\27[20"
      p:settle(400)
      p:type "y"
      p:settle(400)
      interrupt(p)
      p:expect "> ab^C\n> "
      p:type "z\r"
      p:expect 'got "z"'
    end)
  end

  it("takes a paste of 100 KB", function()
    p = start()
    local text = ("local x = f(1, 2, 3)\r"):rep(5000)
    local before = pty.now()
    p:type("\27[200~" .. text .. "\27[201~")
    p:expect(function() return p.screen:line(24):find "^>> *$" end, 20)
    assert.is_true(pty.now() - before < 10)
  end)

  it("Ctrl-C and SIGINT clear the text and end nothing", function()
    p = start()
    p:type "abc\3"
    p:expect "> abc^C\n> "
    p:type "def"
    p:expect "> def"
    p:kill(2)
    p:expect "> def^C\n> "
    p:type "f(1)"
    p:settle()
    p:type "\3" -- the bracket that was marked is drawn anew, before the ^C
    p:expect "> f(1)^C\n> "
    p:type "x\r"
    p:expect 'got "x"'
  end)

  it("an ESC alone is Escape after a moment, and sequences may come in pieces", function()
    p = start()
    p:type "ab\27"
    p:settle(150)
    p:type "[" -- was no sequence
    p:expect "> ab["
    p:type "\127\27["
    p:type "D"
    p:type "X"
    p:expect "> aXb"
  end)

  for name, signal in pairs { SIGTERM = SIGTERM, SIGHUP = SIGHUP } do
    it("gives the terminal back before " .. name .. " ends the process", function()
      p = start()
      p:expect(raw)
      p:type "abc"
      p:expect "> abc"
      p:kill(signal)
      assert.same({ "signal", signal }, { p:wait() })
      assert.is_false(p:is_raw())
      assert.is_false(p.screen.bracketed_paste)
    end)
  end

  -- A shell with job control has the program as a job: Ctrl-Z stops it, fg goes on.
  it("Ctrl-Z stops with the terminal as it was, and what was typed is there again", function()
    p = start { argv = { "sh", "-c", "set -m; luajit spec/support/editor_loop.lua; echo stopped; stty -a | " ..
      "grep -o -- '-*icanon'; fg >/dev/null" } }
    p:expect(raw)
    p:type "some"
    p:expect "> some"
    p:type "\26"
    p:expect "stopped"
    p:expect "icanon"
    assert.is_nil(p.screen:text():find("-icanon", 1, true))
    p:expect(function(q) return q.screen:line(q.screen.y) == "> some" end)
    p:type " text\r"
    p:expect 'got "some text"'
  end)

  it("is raw and drawn again when others stopped it", function()
    p = start()
    p:type "abc"
    p:expect "> abc"
    p:kill(SIGSTOP)
    p:kill(SIGCONT)
    p:expect(function(q) return select(2, q.screen:text():gsub("> abc", "")) == 2 end)
    assert.is_true(p:is_raw())
  end)

  it("follows the terminal's size", function()
    p = start { columns = 40, rows = 8 }
    p:type "abcdefghijklmnopqrstuvwxyz"
    p:expect "xyz"
    p:resize(20, 8)
    p:expect "> abcdefghijklmnopqr\nstuvwxyz"
    p:resize(40, 8)
    p:expect "> abcdefghijklmnopqrstuvwxyz"
  end)

  it("is plain lines with the same prompts on a terminal that cannot move its cursor", function()
    p = start { env = { TERM = "dumb" } }
    assert.is_false(p:is_raw())
    p:type "f(\r"
    p:expect "> f(\n>> "
    p:type "1)\r"
    p:expect 'got "f(\\\n1)"'
    assert.is_nil(p.output:find("\27", 1, true))
    p:type "\4"
    p:expect "ended"
  end)

  it("ends when the terminal goes away", function()
    p = start()
    p:expect(raw)
    local how = p:hang_up()
    assert.not_nil(how)
  end)

  it("survives 200 random sequences of keys, and the terminal with it", function()
    p = start()
    math.randomseed(31)
    local some = { "a", "(", "\t", "\r", "\27\r", "\127", "\1", "\18", "\7", "\3", "\27[A", "\27[B", "\27[D", "\12",
      "\228\184\173", "\255", "\27[200~x\ry\27[201~", "\31", "\25", "\11" }
    for _ = 1, 200 do
      p:type(some[math.random(#some)])
      if math.random(10) == 1 then p:resize(math.random(8, 80), math.random(3, 24)) end
    end
    p:resize(80, 24)
    -- On a busy machine keys wait until a chunk has run. Those that come before its Ctrl-C are discarded.
    local tries = 0
    repeat
      p:type "\7\3\12"
      p:settle(200)
      tries = tries + 1
    until at_prompt(p) or tries == 100
    p:type "alive\r"
    p:expect 'got "alive"'
    p:expect(at_prompt)
    p:type "\4"
    assert.same({ "exit", 0 }, { p:wait() })
    p:expect(cooked)
  end)
end)

describe("the command on a terminal", function()
  it("runs a pasted session to its end, over errors and with its commands, or until Ctrl-C", function()
    local p = pty.spawn({ "sh", "bin/cudalua" }, { rows = 60, env = { TERM = "xterm", CUDALUA_HISTORY = "" } })
    finally(function() p:close() end)
    p:expect("\n> ", 60)
    p:type "\27[200~> x = 20\r> nothing.y\r...\r> :help x1\r> x + 1\r21\r\27[201~"
    p:expect(">> x + 1", 60)
    p:type "\r"
    p:expect("> x = 20\n> nothing.y\nstdin:1: attempt to index global 'nothing' (a nil value)\n> :help x1\n", 60)
    p:expect("> x + 1\n21\n> ", 60)
    p:type "\27[200~> print('run' .. 'ning') while true do end\r> x = 30\27[201~"
    p:expect(">> x = 30", 60)
    p:type "\r"
    p:expect("running\n", 60)
    p:type "\3"
    p:expect("interrupted\n> ", 60)
    p:type "x + 2\r"
    p:expect("> x + 2\n22\n> ", 60)
  end)

  it("edits, completes locals and fields, and keeps its history", function()
    local path = os.tmpname()
    local p = pty.spawn({ "sh", "bin/cudalua" }, { env = { TERM = "xterm", CUDALUA_HISTORY = path } })
    p:expect "\n> "
    p:type "local something = { inner = 42 }\r"
    p:expect "}\n> "
    p:type "someth\t.inn\t\r"
    p:expect "> something.inner\n42\n> "
    p:type "\27[200~:quit\27[201~\r" -- a paste is no command
    p:expect "unexpected symbol"
    p:type "loc\27[A\r"
    p:expect(function() return select(2, p.screen:text():gsub("local something = { inner = 42 }", "")) == 2 end)
    p:expect(at_prompt)
    p:type "\4"
    assert.same({ "exit", 0 }, { p:wait() })
    p:close()
    local file = io.open(path)
    local kept = file:read "*a"
    file:close()
    os.remove(path)
    assert.truthy(kept:find("local something = { inner = 42 }\nsomething.inner\n", 1, true), kept)
  end)
end)
