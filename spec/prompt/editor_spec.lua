local editing = require "spec.support.editing"
local keys = require "cudalua.prompt.editor.keys"
local characters = require "cudalua.prompt.editor.characters"

local UP, DOWN, RIGHT, LEFT = "\27[A", "\27[B", "\27[C", "\27[D"
local WIDE, ACCENT = "\228\184\173", "e\204\129" -- a character of two columns, an e with an accent that follows it

local function typed(bytes, options) return editing.new(options):type(bytes) end

local function names(bytes)
  local list = {}
  for _, key in ipairs(keys.of(bytes)) do list[#list + 1] = key.name == "text" and key.text or key.name end
  return list
end

describe("keys of a terminal", function()
  it("have one name in all the ways that terminals send them", function()
    for name, sequences in pairs {
      ["alt-_"] = { "\27_" },
      up = { "\27[A", "\27OA" }, home = { "\27[H", "\27OH", "\27[1~", "\27[7~" },
      ["end"] = { "\27[F", "\27OF", "\27[4~", "\27[8~" },
      delete = { "\27[3~" }, ["ctrl-left"] = { "\27[1;5D", "\27Od" }, ["alt-right"] = { "\27[1;3C", "\27\27[C" },
      ["ctrl-delete"] = { "\27[3;5~", "\27[3^" }, enter = { "\r", "\n", "\27OM", "\27[13u" },
      ["alt-enter"] = { "\27\r", "\27[13;3u", "\27[27;3;13~" }, ["ctrl-enter"] = { "\27[13;5u", "\27[27;5;13~" },
      ["shift-tab"] = { "\27[Z", "\27[9;2u" }, ["ctrl-a"] = { "\1", "\27[97;5u", "\27[27;5;97~" },
      ["alt-backspace"] = { "\27\127" }, ["ctrl-_"] = { "\31" }, ["alt-."] = { "\27." }, ["alt-b"] = { "\27b", "\27B" },
      escape = { "\27", "\27[27u" }, unknown = { "\27[999~", "\27[[A", "\27[?1;2c" },
    } do
      for _, sequence in ipairs(sequences) do assert.same({ name }, names(sequence), ("%q"):format(sequence)) end
    end
  end)

  it("come whole from pieces, and an ESC alone is Escape when nothing follows", function()
    local all = "a\27[1;5C" .. WIDE .. "\27[200~p\27[201\27[201~\27Ob"
    for size = 1, #all do
      local decoder, list = keys.new(), {}
      for i = 1, #all, size do decoder:feed(all:sub(i, i + size - 1), list) end
      local got = {}
      for i, key in ipairs(list) do got[i] = key.text or key.name end
      assert.same({ "a", "ctrl-right", WIDE, "p\27[201", "ctrl-down" }, got, size)
    end
    local decoder, list = keys.new(), {}
    decoder:feed("\27", list)
    assert.same({}, list)
    assert.is_true(decoder:is_waiting())
    decoder:feed("", list, true)
    assert.equal("escape", list[1].name)
    assert.is_false(decoder:is_waiting())
  end)

  it("never lose a byte that is text, whatever comes", function()
    math.randomseed(7)
    for _ = 1, 300 do
      local bytes = {}
      for i = 1, math.random(40) do bytes[i] = string.char(math.random(128, 255)) end
      local text, list = table.concat(bytes), {}
      local decoder = keys.new()
      for i = 1, #text, 3 do decoder:feed(text:sub(i, i + 2), list) end
      decoder:feed("", list, true)
      for i, key in ipairs(list) do list[i] = key.text end
      assert.equal(text, table.concat(list))
    end
  end)
end)

describe("editing", function()
  it("moves by characters, words and lines", function()
    assert.equal("ab|c", typed("abc" .. LEFT):text())
    assert.equal("|abc", typed("abc\1"):text())
    assert.equal("abc|", typed("abc\1\5"):text())
    assert.equal("a|bc", typed("abc\27[H\6"):text())
    assert.equal("foo.|bar", typed("foo.bar\27b"):text())
    assert.equal("|foo bar", typed("foo bar\27b\27[1;5D"):text())
    assert.equal("foo| bar", typed("foo bar\1\27f"):text())
    assert.equal("a|" .. WIDE .. ACCENT, typed("a" .. WIDE .. ACCENT .. "\2\2"):text())
    assert.equal("f(\n  a|bc\n  )", typed("f(\rabc\r)" .. UP .. "\1\27[C\27[C\27[C"):text())
  end)

  it("deletes and takes back what was killed", function()
    assert.equal("ab|", typed("abc\127"):text())
    assert.equal("|bc", typed("abc\1\4"):text())
    assert.equal("a|", typed("abc\1\6\11"):text())
    assert.equal("|c", typed("abc\2\21"):text())
    assert.equal("a |", typed("a b.c\23"):text())
    assert.equal("a b.|", typed("a b.c\27\127"):text())
    assert.equal("|.c", typed("ab.c\1\27d"):text())
    assert.equal("a b a b|", typed("a b\23\23\25 \25"):text()) -- two kills in a row are one
    assert.equal("one|", typed("one\21two\21\25\27y"):text())
    assert.equal("two|", typed("one\21two\21\25\27y\27y"):text())
    assert.equal("ba|", typed("ab\20"):text())
    assert.equal("ba|c", typed("abc\1\6\20"):text())
    assert.equal("|", typed(WIDE .. ACCENT .. "\127\127"):text())
  end)

  it("undoes", function()
    assert.equal("ab|", typed("ab cd\31"):text())
    assert.equal("ab|", typed("ab\21\31"):text())
    assert.equal("|", typed("ab cd\31\31"):text())
    assert.equal("ab cd|", typed("ab cd\1\11\31"):text():gsub("^|(.*)", "%1|"))
    assert.same({ "bell" }, typed("\31").events)
  end)

  it("redoes what was undone, until the next edit", function()
    assert.equal("ab cd|", typed("ab cd\31\31\27_\27_"):text())
    assert.equal("ab|", typed("ab cd\31\31\27_"):text())
    assert.equal("x|", typed("ab\21x\31\27_"):text())
    assert.equal("ab|", typed("ab\21\31\31\27_"):text())
    assert.same({ "bell" }, typed("ab\31x\27_").events)
    assert.same({ "bell" }, typed("ab\27_").events)
    assert.equal("ax\n\tyb|", typed("a\27[200~x\n\ty\27[201~b\31\31\31\27_\27_\27_"):text())
  end)

  it("shows what a closing bracket before the cursor belongs to, and one that is wrong", function()
    local function never() return false end
    local function marked(bytes) return typed(bytes, { complete_chunk = never }).screen:marked() end
    assert.same({ "( 7" }, marked "f(g(1)")
    assert.same({ "{ 7" }, marked "f{a[1], ')', -- }\r[==[}]==]}")
    assert.same({}, marked "f(1)x")
    assert.same({}, marked "f(1)\2")
    assert.same({}, marked "f ')")
    assert.same({ "( 7;31", "] 7;31" }, marked "f(1]")
    assert.same({ ") 7;31" }, marked "f(1))")
    assert.same({ "{ 7" }, marked("{" .. WIDE:rep(25) .. "}"))
    assert.same({}, marked "f(1)\r")
    local e = typed "f(1)"
    e.screen:feed(e.drawing:finish())
    assert.same({}, e.screen:marked())
  end)

  it("Enter runs what is complete and adds a line to what is not, indented", function()
    local e = typed "for i = 1, 2 do\r"
    assert.equal("for i = 1, 2 do\n  |", e:text())
    e:type "if x then\rf {\r1\r}\r"
    assert.equal("for i = 1, 2 do\n  if x then\n    f {\n      1\n    }\n    |", e:text())
    assert.same({}, e.events)
    e:type "end\rend\r"
    assert.equal("for i = 1, 2 do\n  if x then\n    f {\n      1\n    }\n  end\nend|", e:text())
    assert.same({ "accept" }, e.events)
    assert.equal("x = 1\n|", typed("x = 1\27\r"):text())
    assert.equal("x = 1\n|", typed("x = 1\27[13;5u"):text())
  end)

  it("adds no blanks within a long string or comment", function()
    assert.equal("f {\n  s = [[\ntwo\n  three\n|", typed("f {\rs = [[\rtwo\r  three\r"):text())
    assert.equal("f {\n  --[==[ a ]]\nb\n|", typed("f {\r--[==[ a ]]\rb\r"):text())
    assert.equal("f {\n  [[ a ]], '[[', -- [[\n  |", typed("f {\r[[ a ]], '[[', -- [[\r"):text())
    assert.equal("f {\n  '\\'[[', a[b[1]],\n  |", typed("f {\r'\\'[[', a[b[1]],\r"):text())
  end)

  it("a paste is text: its newlines, tabs and sequences do nothing", function()
    local e = typed "\27[200~x = 1\r\ty = 2\n\27[A\3\27[2J\27[201~"
    assert.same({}, e.events)
    assert.equal("x = 1\n\ty = 2\n\27[A\3\27[2J|", e:text())
    assert.equal("> x = 1\n>>         y = 2\n>> ^[[A^C^[[2J", e.screen:text())
  end)

  it("a pasted session is what was typed in it", function()
    local function pasted(text, before) return typed((before or "") .. "\27[200~" .. text .. "\27[201~"):text() end
    assert.equal("1 + 1\nf {\n  x = 1\n\n}\ny|",
      pasted "> 1 + 1\r2\r> f {\r>>   x = 1\r>>\r>> }\rnil\rstdin:1: an error\r>\r> y\r7\r")
    assert.equal("a\n  b|", pasted "\t> a\n\t>>   b\n\t2")
    assert.equal(">= 1|", pasted ">= 1")
    assert.equal("x > 1\n> 2|", pasted "x > 1\n> 2")
    assert.equal("x> 1\n> 2|", pasted("> 1\n> 2", "x"))
    -- behind empty lines and output, or without the mark of its first chunk
    assert.equal("1 + 1\nx|", pasted "\n \r\n> 1 + 1\r\n2\r\n> x")
    assert.equal("local q = 6\nq|", pasted "2\n[0 1 2]\n> local q = 6\n> q\n6")
    assert.equal("local q = 6\nq|", pasted "  2\n  > local q = 6\n  > q")
    assert.equal("1 + 1|", pasted "3\n> 1 + 1")
    assert.equal("local a = require 'b'\n1 + 1|", pasted "local a = require 'b'\n> 1 + 1\n2")
    assert.equal("local t = {\n  3 }\nt[1]|", pasted "local t = {\n>>   3 }\n> t[1]\n3")
    for _, text in ipairs { "print [[\n> y\n]]", "local x = a\n  > b", "1 + 1\n2 + 2" } do
      assert.equal(text .. "|", pasted(text))
    end
    assert.equal("> 1|", typed("> 1"):text())
  end)

  it("a pasted block of Markdown is what is between its fences", function()
    local function pasted(text, before) return typed((before or "") .. "\27[200~" .. text .. "\27[201~"):text() end
    assert.equal("x = 1\ny = 2|", pasted "```lua\rx = 1\ry = 2\r```\r")
    assert.equal("x = 1|", pasted "\n  ```lua alone\nx = 1")
    assert.equal("x = 1\nx|", pasted "```\n> x = 1\n> x\n1\n```")
    assert.equal("x = [[\n```\n]]|", pasted "x = [[\n```\n]]")
    assert.equal("f(```lua\nx|", pasted("```lua\nx", "f("))
  end)

  it("of several pasted blocks of Markdown, those that are Lua are kept", function()
    local function pasted(text, before) return typed((before or "") .. "\27[200~" .. text .. "\27[201~"):text() end
    assert.equal("print(1)\ny = 2|",
      pasted "```lua\rprint(1)\r```\r```text\r1\r```\r\rSome words.\r\r```lua\ry = 2\r```\r")
    assert.equal("print(1)|", pasted "```lua\nprint(1)\n```\n```text\n1\n```")
    assert.equal("x = 1\n\ny = 2|",
      pasted "# A title\n\nA 'text' (of a page):\n\n```lua\nx = 1\n\n```\nand\n\n  ```lua alone\ny = 2")
    assert.equal("x = 1\ny = 2|", pasted "```\nx = 1\n```\n```\ny = 2\n```\n```sh\nls\n```")
    assert.equal("x = 1\ny = 2|", pasted "```lua\nx = 1\n```\n```lua error\nerror()\n```\n```lua\ny = 2\n```")
    assert.equal("x = [[\n```\n]]|", pasted "```lua\nx = [[\n```\n]]\n```") -- a string
    assert.equal("error()|", pasted "```lua error\nerror()\n```")
    -- without a block of Lua, or within a program
    assert.equal("print '1'|", pasted "> print '1'\n```lua\n1\n```") -- output of a session
    for _, text in ipairs { "x = [[\n```lua\n]]", "Words.\n```text\n1\n```", "> print '1'\n1\n" } do
      assert.equal((text:gsub("^> (.*)\n1\n", "%1")) .. "|", pasted(text))
    end
  end)

  it("Ctrl-C, Ctrl-D and Ctrl-Z", function()
    assert.same({ "interrupt" }, typed("abc\3").events)
    assert.same({ "end" }, typed("\4").events)
    assert.same({ "bell" }, typed("abc\4").events)
    assert.same({ "suspend" }, typed("abc\26").events)
  end)

  it("walks through lines first and then through the history", function()
    local history = { "one", "for i = 1, 2 do\n  f(i)\nend", "x = 3" }
    assert.equal("x = 3|", typed(UP, { history = history }):text())
    assert.equal("one|", typed(UP .. UP .. UP .. UP .. UP, { history = history }):text())
    assert.equal("new|", typed("new\21" .. UP .. DOWN .. "\25", { history = history }):text())
    local e = typed(UP .. UP, { history = history })
    assert.equal("for i = 1, 2 do\n  f(i)\nend|", e:text())
    assert.equal("for i = 1, 2 do\n  f|(i)\nend", e:type(UP):text())
    assert.equal("one|", e:type(UP .. UP):text())
    assert.equal("for i = 1, 2 do\n  f(i)\nend|", e:type(DOWN):text())
    e:type(DOWN)
    assert.equal("x = 3|", e:text())
    e:type(DOWN)
    assert.equal("|", e:text())
    -- Up searches for what is before the cursor, and Down comes back to it.
    e = typed("fo" .. UP, { history = history })
    assert.equal("fo|r i = 1, 2 do\n  f(i)\nend", e:text())
    assert.equal("fo|", e:type(DOWN):text())
    -- An edited entry is as it was left while the text is edited.
    e = typed(UP .. "4\1" .. UP .. UP .. DOWN .. DOWN, { history = history })
    assert.equal("x = 34|", e:text())
    assert.equal("f(3|", typed("f(\27.", { history = history }):text())
    assert.equal("f(end|", typed("f(\27.\27.", { history = history }):text())
  end)

  it("searches the history", function()
    local history = { "alpha = 1", "beta = 2", "alpha = 3" }
    local e = typed("\18alp", { history = history })
    assert.equal("(reverse-i-search)`alp': alpha = 3", e.screen:text())
    assert.equal("|alpha = 3", e:text())
    e:type "\18"
    assert.equal("|alpha = 1", e:text())
    e:type "\19"
    assert.equal("|alpha = 3", e:text())
    e:type "q"
    assert.equal("(failed i-search)`alpq': alpha = 3", e.screen:text())
    e:type "\7"
    assert.equal("> ", e.screen:text_to_cursor())
    assert.same({ "accept" }, { typed("\18bet\r", { history = history }).events[1] })
    assert.equal("beta = 2|", typed("\18bet\5", { history = history }):text())
    assert.equal("ab|", typed("ab\18bet\3", { history = history }):text())
  end)

  it("completes: what is common first, then a list; at a line's beginning Tab indents", function()
    local function candidates(text, position)
      local from = text:sub(1, position):find "%w*$"
      local list = {}
      for _, name in ipairs { "print", "printer", "private", "zeros" } do
        if name:find(text:sub(from, position), 1, true) == 1 then list[#list + 1] = name end
      end
      return list, from
    end
    local e = typed("z\t", { candidates = candidates })
    assert.equal("zeros|", e:text())
    e = typed("p\t", { candidates = candidates })
    assert.equal("pri|", e:text())
    e:type "\t"
    assert.equal("> pri\nprint    printer  private", e.screen:text())
    e:type "\t" -- the list stays
    assert.equal("> pri\nprint    printer  private", e.screen:text())
    e:type "n"
    assert.equal("> prin", e.screen:text())
    assert.equal("  |", typed("\t", { candidates = candidates }):text())
    assert.same({ "bell" }, typed("q\t", { candidates = candidates }).events)
    assert.same({ "bell" }, typed("q\t", { candidates = function() error {} end }).events)
  end)
end)

describe("the editor's screen", function()
  it("wraps lines that are wider, and shows the part around the cursor of what is taller", function()
    local e = typed("abcdefghijklmno", { columns = 10, rows = 4 })
    assert.equal("> abcdefgh\nijklmno", e.screen:text())
    e = typed("f(\r1,\r2,\r3,\r4,\r5,", { columns = 10, rows = 4 })
    assert.equal(">>   2,\n>>   3,\n>>   4,\n>>   5,", e.screen:text())
    e:type(UP .. UP .. UP .. UP .. UP)
    assert.equal("> f(\n>>   1,\n>>   2,\n>>   3,", e.screen:text())
    e = typed("1234567" .. WIDE, { columns = 10 })
    assert.equal("> 1234567\n" .. WIDE, e.screen:text())
    e = typed("12345678", { columns = 10 }) -- the cursor has no place in the last column
    assert.same({ 2, 1 }, { e.screen.y, e.screen.x })
  end)

  it("shows bytes that are no UTF-8 and characters without a shape as numbers, and keeps them", function()
    local e = typed "a\255b\226\128\174c"
    assert.equal("a\255b\226\128\174c|", e:text())
    assert.equal("> a<ff>b<202e>c", e.screen:text())
    assert.equal("a\255b|", typed("a\255b\226\128\174c\127\127"):text())
  end)

  it("sends few bytes for a key", function()
    local e = typed(("x"):rep(30), { columns = 80, rows = 24 })
    e:type "y"
    assert.equal("y", e.sent)
    e:type(LEFT)
    assert.equal("\b", e.sent)
    e:type "\1"
    assert.is_true(#e.sent <= 5)
    e = typed("f(\r1,\r2,\r3", { columns = 80, rows = 24 })
    e:type "4"
    assert.equal("4", e.sent)
    e:type(UP)
    assert.is_true(#e.sent <= 8)
    assert.equal(0, e.screen.clears)
  end)

  it("takes a large paste quickly", function()
    local line = "local x = f(1, 2, 3) -- some text\n"
    local text = line:rep(math.floor(100 * 1024 / #line))
    local e = editing.new { columns = 80, rows = 24 }
    local start = os.clock()
    e:type("\27[200~" .. text .. "\27[201~")
    assert.is_true(os.clock() - start < 2)
    assert.equal(text, e.machine.buffer.text)
    start = os.clock()
    for _ = 1, 10 do e:type "x" end
    assert.is_true(os.clock() - start < 5)
  end)

  it("is in its place after a resize of a terminal that wraps lines anew", function()
    local e = editing.new { columns = 20, rows = 12, above = "above\r\n" }
    e:type("f(" .. WIDE:rep(12) .. "\27\rabcdef" .. WIDE:rep(9) .. "xy")
    for _, columns in ipairs { 30, 14, 25, 20, 13, 40, 20 } do
      e:rewrap(columns)
      assert.equal("above\n" .. e:redrawn():text(), e.screen:text(), columns)
    end
    local some = { "a", "b c", WIDE, WIDE, ACCENT, "\t", "\255", "\27\r", "\127", "\4", "\1", "\5", "\2", "\6", UP,
      DOWN, "\11", "\21", "\23", "\25", "\20", "\31", "long words " }
    math.randomseed(41)
    for round = 1, 300 do
      e = editing.new { columns = math.random(6, 20), rows = 60, above = "above\r\n" }
      for _ = 1, 5 do
        for _ = 1, 8 do e:type(some[math.random(#some)]) end
        e:rewrap(math.random(6, 20))
        assert.equal("above\n" .. e:redrawn():text(), e.screen:text(), round)
      end
    end
  end)

  it("is what a redraw would give after 10,000 random key sequences", function()
    local some = { "a", "b", " ", "(", ")", "{", "end", "do", "f(", WIDE, ACCENT, "\204\129", "\255", "\t", "\r",
      "\27\r", "\127", "\4", "\1", "\5", "\2", "\6", "\16", "\14",
      "\11", "\21", "\23", "\25", "\27y", "\20", "\31", "\27b",
      "\27f", "\27d", "\27\127", UP, DOWN, LEFT, RIGHT, "\27[3~", "\27.", "\27[H", "\27[F", "\18", "\19", "\7", "\27u",
      "\27[200~x\ty\r" .. WIDE .. "\27[31m\27[201~", ("long "):rep(9), "\27[Z", "\27[5~", "\27[6~", "\22\1" }
    local function candidates(text, position)
      local from = text:sub(1, position):find "%w*$"
      return { "alpha", "alphabet", "beta", WIDE }, from
    end
    local seed = tonumber(os.getenv "CUDALUA_SEED") or 17
    math.randomseed(seed)
    for round = 1, 500 do
      local e = editing.new { columns = math.random(4, 30), rows = math.random(2, 8), candidates = candidates,
        history = { "one", "for i = 1, 2 do\n  f(i)\nend", WIDE:rep(20), "a\255\9b" } }
      local done = {}
      for k = 1, 20 do
        done[k] = some[math.random(#some)]
        local ok, err = pcall(e.type, e, done[k])
        local where = ("seed %d, round %d: %d x %d, %q"):format(seed, round, e.columns, e.rows, table.concat(done))
        if not ok then error(where .. ": " .. tostring(err)) end
        local b = e.machine.buffer
        assert(b.position >= 0 and b.position <= #b.text, where)
        local want = e:redrawn()
        assert.same(want:marked(), e.screen:marked(), where)
        if want:text() ~= e.screen:text() or want.x ~= e.screen.x or want.y ~= e.screen.y then
          assert.equal(("%s\n%d %d"):format(want:text(), want.y, want.x),
            ("%s\n%d %d"):format(e.screen:text(), e.screen.y, e.screen.x), where)
        end
      end
    end
  end)
end)

describe("the editor's text", function()
  it("is what a simpler model gives: inserted minus deleted", function()
    math.randomseed(23)
    local pool = { "a", "b", " ", "(", WIDE, ACCENT, "\255" }
    for _ = 1, 300 do
      local e, model, at = editing.new(), {}, 0 -- a list of characters, and how many are before the cursor
      for _ = 1, 40 do
        local what = math.random(6)
        if what <= 3 then
          local c = pool[math.random(#pool)]
          table.insert(model, at + 1, c)
          at = at + 1
          e:type(c)
        elseif what == 4 then
          if at > 0 and not table.concat(model, "", 1, at):find "^ +$" then
            table.remove(model, at)
            at = at - 1
            e:type "\127"
          end
        elseif what == 5 then
          at = math.max(0, at - 1)
          e:type(LEFT)
        else
          at = math.min(#model, at + 1)
          e:type(RIGHT)
        end
      end
      assert.equal(table.concat(model, "", 1, at) .. "|" .. table.concat(model, "", at + 1), e:text())
    end
  end)

  it("goes back to nothing by undo, step by step through what was there", function()
    math.randomseed(29)
    local some = { "a", " ", "(", WIDE, "\127", "\21", "\25", "\23", "\20", LEFT, "\1", "\27[200~x\ry\27[201~",
      "\27u" }
    for _ = 1, 200 do
      local e, seen = editing.new(), { [""] = true }
      for _ = 1, 30 do
        e:type(some[math.random(#some)])
        seen[e.machine.buffer.text] = true
      end
      for _ = 1, 100 do
        e:type "\31"
        assert(seen[e.machine.buffer.text])
      end
      assert.equal("|", e:text())
    end
  end)

  it("has the columns that Unicode gives", function()
    for text, columns in pairs { a = 1, [WIDE] = 2, [ACCENT] = 1, ["\240\159\152\128"] = 2, ["\195\169"] = 1,
      ["\239\188\161"] = 2, ["\1"] = 2, ["a\9b"] = 9, ["\255"] = 4, ["\204\129"] = 1, ["\237\149\156"] = 2 } do
      assert.equal(columns, characters.columns(text), ("%q"):format(text))
    end
    for text in ("\192\128|\224\128\128|\237\160\128|\244\144\128\128|\240\128\128\128|\226\130"):gmatch "[^|]+" do
      assert.is_nil((characters.decode(text, 1))) -- overlong, a surrogate, beyond the last, cut off
    end
  end)
end)
