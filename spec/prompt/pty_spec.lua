local pty = require "spec.support.pty"
local screen = require "spec.support.screen"

describe("the specs' pseudo-terminal", function()
  it("runs a program, shows what it writes, sends what is typed, tells how it ended", function()
    local p = pty.spawn({ "sh", "-c", "tty; stty size; read line; echo got $line; exit 3" }, { columns = 50, rows = 7 })
    p:expect "7 50"
    assert.equal(p.path, p.screen:line(1))
    assert.is_false(p:is_raw())
    p:type "some words\r"
    p:expect "got some words"
    assert.same({ "exit", 3 }, { p:wait() })
    p:close()
  end)

  it("is resized, with a signal, and ends programs", function()
    local p = pty.spawn({ "sh", "-c", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done" })
    p:expect "ready"
    p:resize(60, 9)
    p:expect "9 60"
    assert.same({ "signal", 9 }, { p:close() })
  end)
end)

describe("the specs' screen", function()
  local function shown(bytes, columns, rows)
    local s = screen.new(columns or 10, rows or 4)
    s:feed(bytes)
    return s
  end

  it("wraps, scrolls and waits at the last column", function()
    assert.equal("0123456789\nab", shown("0123456789ab"):text())
    assert.equal("0123456789\nab", shown("0123456789\r\nab"):text())
    assert.equal("1\n2\n3\n4\n5", shown("1\r\n2\r\n3\r\n4\r\n5"):all_text())
    assert.equal("2\n3\n4\n5", shown("1\r\n2\r\n3\r\n4\r\n5"):text())
  end)

  it("moves the cursor and clears", function()
    assert.equal("aXc", shown("abc\27[2DX"):text())
    assert.equal("a", shown("abcdef\r\27[C\27[K"):text())
    assert.equal("ab", shown("abc\r\ndef\r\nghi\27[2A\27[3G\27[J"):text())
  end)

  it("has wide and combining characters", function()
    local s = shown("a\228\184\173e\204\129b") -- a, a wide one, e with an accent, b
    assert.same({ "a", "\228\184\173", "", "e\204\129", "b" }, { unpack(s.cells[1], 1, 5) })
    s = shown("012345678\228\184\173") -- does not fit into the last column
    assert.equal("012345678\n\228\184\173", s:text())
  end)

  it("takes sequences in pieces and refuses unknown ones", function()
    local s = screen.new(10, 2)
    for byte in ("ab\27[2D\228\184\173"):gmatch "." do s:feed(byte) end
    assert.equal("\228\184\173", s:text())
    assert.has_error(function() s:feed "\27(0" end)
    assert.has_error(function() s:feed "\27[5X" end)
    assert.has_error(function() s:feed "\1" end)
  end)
end)
