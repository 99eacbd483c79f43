local chunks = require "cudalua.prompt.chunk"
local repl = require "cudalua.repl"

-- What a prompt writes that reads these lines.
local function typed(text, env)
  local next_line, out = (text .. "\n"):gmatch "(.-)\n", {}
  repl.run { env = env or setmetatable({}, { __index = _G }), input = function() return next_line() end,
    output = function(written) out[#out + 1] = written end }
  return (table.concat(out):gsub("\n$", ""))
end

-- What it writes that reads the whole text at once, as when it is pasted. The metatable is that of Ctrl-C's errors.
local function pasted(text, env, interrupt)
  local prompt_module, out, given = require "cudalua.prompt.repl", {}, false
  local prompt = prompt_module.new { env = env or setmetatable({}, { __index = _G }),
    output = function(written) out[#out + 1] = written end }
  prompt.interrupt = interrupt
  prompt_module.serve(prompt, function() end, function()
    if given then return nil end
    given = true
    return text, true
  end)
  return (table.concat(out):gsub("\n$", ""))
end

describe("the value of a chunk's last expression", function()
  local function is(expected, text) assert.equal(expected, pasted(text), text) end

  it("is printed behind statements", function()
    is("7", "a = 7\na")
    is("8", "local m = 4\nlocal n = m\nm + n")
    is("7", "a = 7\n=a")
    is("3\t4", "local x = 3; x, 4")
    is("5", "local t = {\n  5 }\nt[1] -- the end")
    is("1", "local a = 1 -- one; two\na")
    is("11", "local function f(x)\n  return x + 1\nend\nlocal y = 10\nf(y) * 1")
    is("0", "local n = 1\nselect('#', ...) * n")
    is("9", "local o = { v = 9, get = function(o) return o end }\no\n  :get()\n  .v")
    is("6", "a = 7\na\n- 1")
    is("3", "goto out\nx = 4\n::out::\n3")
    is("2", "do local x = 2 y = x end\ny + 0")
  end)

  it("is not printed if a semicolon follows it", function()
    is("", "a = 7\na;")
    is("", "a = 7; a;")
    is("", "local a = 1; a; -- quiet")
  end)

  it("needs no more lines, and an incomplete one does", function()
    assert.equal("7\n1", typed "a = 7; a\n1")
    assert.equal("{ 5 }", typed "a = {}\na[1] = 5; a")
    for _, text in ipairs { "a = 7; a", "local m = 1\nm", "1 + 1\n2 + 2", "a = 7\n=a" } do
      assert.is_true(chunks.complete(text), text)
    end
    for _, text in ipairs { "x = {", "for i = 1, 2 do", "a = 7; f(", "a = 7\n=f(", "1 + 1\n2 + (", "a = 7; b = {",
      "function f()\n  a = 7; a", "if x then\n  a", "1 + 1\nfor i = 1, 2 do\n  a", "x = [[\na", "--[[\na = 7; a",
      "t = {\n  a = 7; a" } do
      assert.is_false(chunks.complete(text), text)
    end
    for _, text in ipairs { "f(1,\n  2; 3", "a = 7; b c", "1 + 1\n2 + )" } do
      assert.is_true(chunks.complete(text), text)
    end
  end)

  it("keeps the locals, and those at the end", function()
    assert.equal("7\n8", typed "local a = 7; a\na + 1")
    assert.equal("1\n2\n3", typed "local keep = 1; keep\nlocal b = 2; b\nkeep + b")
    assert.equal("4\n5", typed "4; local x = 5; 4\nx")
    is("2", "1 + 1\nlocal x = 3")
  end)

  it("is what the text means where brackets, strings and comments have lines of their own", function()
    is("a\nb; c", "local s = [[a\nb; c]]\ns")
    is('"x; y"', "local s = 'x; y'; s")
    is("1", "local a = 1 --[[ ; a\n a ]]\na")
    is("4", "local t = { 1; 2;\n 4 }\nt[3]")
    is("stdin:2: ambiguous syntax (function call x new statement) near '('\n  2 | (1)", "type\n(1)")
    is("stdin:2: ambiguous syntax (function call x new statement) near '('\n  2 | (1) + 1", "a = type\n(1) + 1")
  end)
end)

describe("commands and chunks of several parts:", function()
  it(":time prints the value, and :source takes one expression", function()
    assert.matches("^3\nhost ", typed ":time local b = 3; b")
    assert.equal(":source takes an expression: a kernel, an array not computed yet, a function\nnil",
      typed ":source 1; ran = 2; ran\nran")
  end)

  it("a value that cannot be printed does not stop the parts behind it, and Ctrl-C meanwhile does", function()
    local pressed = setmetatable({}, { __tostring = function() return "interrupted" end })
    local env = { mine = "mine", pressed = pressed, error = error, setmetatable = setmetatable }
    local text = "x = setmetatable({}, { __tostring = function() error(%s) end })\nx\nran = true\n1 + 1"
    assert.matches("\n?2$", pasted(text:format "mine", env))
    assert.is_true(env.ran)
    env.ran = nil
    assert.equal("interrupted", pasted(text:format "pressed", env, getmetatable(pressed)))
    assert.is_nil(env.ran)
  end)
end)

describe("lines that are expressions and statements", function()
  local function is(expected, text) assert.equal(expected, pasted(text), text) end

  it("are run as if each were typed", function()
    is("2\n4", "1 + 1\n2 + 2")
    is("2\n3\n6", "1 + 1\nlocal x = _ + 1\nx\nx * 2")
    is('2\n"number"\n3', "1 + 1\ntype(1)\n3")
    is("2\n3", "1 + 1\n\n-- three\n=3")
    is("4", "1 + 1; 2 + 2")
    is("1\n2\n10\n3", "1\n2\nlocal v\nfor i = 10, 10 do\n  v = i\nend\nv\n3")
    is("1\t2\n3", "1, 2\n3")
  end)

  it("run in order, and stop at an error", function()
    local log = {}
    local env = { note = function(x) log[#log + 1] = x return x end, error = error }
    assert.equal("1\n2\nstdin:3: mine", pasted("note(1) + 0\nnote(2)\nerror 'mine'\nnote(3)", env))
    assert.same({ 1, 2 }, log)
  end)

  it("do not run if one of them does not compile", function()
    local count = 0
    local env = { count = function() count = count + 1 return count end }
    for text, message in pairs {
      ["count() + 1\n2 + )"] = "stdin:2: unexpected symbol near ')'\n  2 | 2 + )",
      ["count() + 1\ncount()\nx y"] = "stdin:3: '=' expected near 'y'\n  3 | x y",
      ["x = count()\n\nx y\n2"] = "stdin:3: '=' expected near 'y'\n  3 | x y",
      ["count() + 1\ngoto out"] = "stdin:2: undefined label 'out'\n  2 | goto out",
    } do
      assert.equal(message, pasted(text, env), text)
    end
    assert.truthy(pasted("return count()\n2 + 2", env):find "^stdin:2: ")
    assert.truthy(pasted("count() + 1\nreturn count()\n2 + 2", env):find "^stdin:")
    assert.equal(0, count)
  end)

  it("have the numbers of their lines in messages", function()
    is("stdin:3: attempt to index global 'nothing' (a nil value)", "\na = 7\nnothing.x + a")
    is("2\nstdin:4: attempt to index global 'nothing' (a nil value)", "1 + 1\n-- two\n\nnothing.x + 1\n5")
  end)
end)

describe("a chunk that is Lua", function()
  it("is compiled as it is: 500 random chunks", function()
    local seed = 23
    local function random(n)
      seed = (seed * 1103515245 + 12345) % 2147483648
      return math.floor(seed / 65536) % n + 1
    end
    local function pick(list) return list[random(#list)] end
    local function value()
      return pick { "1", "a", "b.c", "f(a)", "'x; y'", "[[l\nm]]", "{ 1; a,\n b }", "#b", "-a", "(a)", "...", "a\n+ 1",
        "function(...)\n return ...; end", "b:m 'x'" }
    end
    local function statement(depth)
      local k = random(depth > 2 and 6 or 11)
      if k == 1 then return "a = " .. value() end
      if k == 2 then return "local " .. pick { "a", "b", "c" } .. " = " .. value() end
      if k == 3 then return "f(" .. value() .. ")" end
      if k == 4 then return "b:m(" .. value() .. ")" end
      if k == 5 then return "local c" end
      if k == 6 then return "a, b.c = " .. value() .. ", " .. value() end
      local inner = statement(depth + 1)
      if k == 7 then return "do " .. inner .. pick { " end", "\nend", "; end" } end
      if k == 8 then return "if a then\n" .. inner .. "\nelse " .. inner .. " end" end
      if k == 9 then return "for i = 1, 2 do\n" .. inner .. "\nend" end
      if k == 10 then return "repeat " .. inner .. "\nuntil " .. "true" end
      return "local function g(...)\n" .. inner .. "\nend"
    end
    local sequence = require "cudalua.prompt.sequence"
    local parts, split = sequence.parts, 0
    finally(function() sequence.parts = parts end)
    sequence.parts = function(...)
      split = split + 1
      return parts(...)
    end
    local valid = 0
    while valid < 500 do
      local list = {}
      for i = 1, random(6) do list[i] = statement(0) .. pick { "\n", ";", "\n\n", " -- a; b\n", "; --[[ ;\n]]" } end
      local text = table.concat(list)
      if loadstring(text) then
        valid = valid + 1
        local chunk = assert(chunks.read(text, {}))
        assert.is_false(chunk.several, text)
        assert.is_true(chunks.complete(text), text)
      end
    end
    assert.equal(0, split)
    chunks.read("a = 7\na", {})
    assert.equal(1, split) -- the spec sees what it counts
  end)
end)
