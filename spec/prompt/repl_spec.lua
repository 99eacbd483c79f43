local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local repl = require "cudalua.repl"

-- What a prompt writes that is given these lines, without the prompts' own signs.
local function typed(lines, env)
  local i, out = 0, {}
  local list = {}
  for line in (lines .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line end
  repl.run {
    env = env or setmetatable({}, { __index = _G }),
    input = function()
      i = i + 1
      return list[i]
    end,
    output = function(text) out[#out + 1] = text end,
  }
  return (table.concat(out):gsub("\n$", ""))
end

describe("the prompt's locals:", function()
  local function is(expected, lines) assert.equal(expected, typed(lines)) end

  it("survive their line and are shared", function()
    is("6", "local x = 5\nx = x + 1\nx")
    is("101", "local x = 1\nlocal function get() return x end\nx = 101\nget()")
    is("1\t2", "local a, b = 1, 2\na, b")
    is("nil", "local a\na")
    is("3", "local a = 1 local b = a + 1 local c = a + b\nc")
  end)

  it("mean what they mean in a file", function()
    is("2", "local x = 1\nlocal x = x + 1\nx")
    is('"number"\tnil', "local type, q = type, q\ntype(1), q")
    is("120", "local function f(n) return n < 2 and 1 or n * f(n - 1) end\nf(5)")
    is("nil", "local f = function() return f end\nf()") -- the f inside is the global one
    is("1\t2", "local x = 1\nlocal function old() return x end\nlocal x = 2\nold(), x")
    is("2", "do local y = 1 end if true then local z = 1 end\n(y or z or 2)")
    is("nil", "for i = 1, 2 do local k = i end while false do local k = 1 end repeat local k = 2 until k\nk")
    is("4", "local t = { f = function() local n = 4 return n end }\nt.f()")
    is("5", "local s = [[local q = 1]] -- local w = 2\nlocal e = 5 --[[ local r ]] return e")
    is("7", "local x (function() x7 = 7 end)()\nx7")
    is("2", "local a = #{1,2}\nlocal b = -a local c = not b\na")
    is("3", "local goto = 3\ngoto")
    is("nil", "goto out local q = 1 ::out::\nq")
    is("3", "local n = 0 ::top:: local m = n n = n + 1 if n < 3 then goto top end\nn")
    is("0", "select('#', ...)")
    is("9", "local o = { v = 9 } function o:get() return self.v end local r = o:get()\nr")
    is("1", "local x = 1;local y = x;\ny")
    is("1", "local x = 1 return x")
  end)

  it("that a chunk had before it failed are kept, and closures see them", function()
    is("stdin:1: attempt to perform arithmetic on a nil value\n1\tnil\n2",
      "local a = 1 function up_a() a = a + 1 end local b = a + nil local c = 3\na, c\nup_a() return a")
  end)

  it("keep lines and messages as they are", function()
    is("stdin:1: unexpected symbol near '.'", "local t.x = 1")
    is("stdin:3: mine", "do local a = 1\nlocal b = 2\nerror 'mine' end")
    is("stdin:1: unfinished string near '\"abc'", 'local x = "abc')
    is("stdin:1: <goto out> jumps into the scope of local 'q'", "goto out local q = 1 ::out:: print()")
  end)

  it("may be many", function()
    local names = {}
    for i = 1, 150 do names[i] = "v" .. i end
    local list = table.concat(names, ",")
    is("7\t7", ("local %s = %s\nv1, v150"):format(list, ("7,"):rep(149) .. "7"))
    local used = table.concat(names, ",", 1, 59)
    is("7", ("local %s = %s\nselect(59, %s)"):format(used, ("7,"):rep(58) .. "7", used))
    local out = typed(("local %s\n{ %s }"):format(list, list))
    assert.truthy(out:find "more than 60 locals of earlier chunks")
  end)

  it("are no constants for the compiler", function()
    is("30000", "local n = 1\n" ..
      "local f = loadstring('local g, s = ..., 0 for i = 1, 1e4 do s = s + g() end return s')\n" ..
      "f(function() return n end);\nn = 3\nf(function() return n end)")
  end)

  it("are the same as in a file: 2,000 programs", function()
    local seed = 17
    local function random(n)
      seed = (seed * 1103515245 + 12345) % 2147483648
      return math.floor(seed / 65536) % n + 1
    end
    local names = { "a", "b", "c", "d" }
    local function name() return names[random(4)] end
    local function value()
      local k = random(7)
      if k == 1 then return tostring(random(9)) end
      if k == 2 then return "(" .. name() .. " or 0)" end
      if k == 3 then return ("(tonumber(%s) or 1) + (tonumber(%s) or 2)"):format(name(), name()) end
      if k == 4 then return ("(function() local %s = 3 return %s end)()"):format(name(), name()) end
      if k == 5 then return ("({ %s, n = 4 }).n"):format(name()) end
      if k == 6 then return "call(" .. name() .. ")" end
      return "\"local " .. name() .. "\" and " .. random(5)
    end
    local forms = {
      function() return ("local %s = %s"):format(name(), value()) end,
      function() return ("local %s, %s = %s, %s"):format(name(), name(), value(), value()) end,
      function() return ("%s = %s"):format(name(), value()) end,
      function() return ("local function %s() return %s end"):format(name(), name()) end,
      function() local n = name() return ("function inc_%s() %s = (tonumber(%s) or 0) + 1 end"):format(n, n, n) end,
      function() return ("if inc_%s then inc_%s() end"):format(name(), names[1]):gsub("inc_%a", "inc_a") end,
      function() return ("do local %s = %s %s = 5 end"):format(name(), value(), name()) end,
      function() return ("for %s = 1, 2 do local %s = %s note(%s) end"):format(name(), name(), value(), name()) end,
      function() return ("note(%s, %s)"):format(name(), value()) end,
      function() return ("local %s note(%s)"):format(name(), name()) end,
      function() return ("local %s = %s; note(%s) -- local %s = 1"):format(name(), value(), name(), name()) end,
    }
    local function world()
      local log = {}
      local env = { tonumber = tonumber }
      function env.call(f) return type(f) == "function" and 10 or f end
      function env.note(...)
        for i = 1, select("#", ...) do
          local x = select(i, ...)
          log[#log + 1] = type(x) == "function" and "f" or tostring(x)
        end
      end
      return env, log
    end
    for _ = 1, 2000 do
      local lines = {}
      for i = 1, random(8) + 2 do lines[i] = forms[random(#forms)]() .. ";" end
      lines[#lines + 1] = "note(a, b, c, d);"
      local program = table.concat(lines, "\n")
      local env, expected = world()
      setfenv(assert(loadstring(program)), env)()
      local other, log = world()
      local out = typed(program, other)
      assert.equal("", out, program)
      assert.same(expected, log, program)
    end
  end)
end)

describe("repl.run", function()
  it("evaluates expressions first, = too, and a semicolon silences", function()
    assert.equal('2\n42\t"text"\n3\nnil\n4', typed '1 + 1\nreturn 42, "text"\n=3\nnil\n5;\n2 + 2 -- four')
    assert.equal("", typed "x = 1\n   \n-- nothing\n;")
  end)

  local LOOP = "a loop is written for i = 1, 10 do ... end, or for i, x in ipairs(t) do ... end"
  local CUDA_C = "CUDA C is a string that is compiled: k = cuda.kernel [[ __global__ void k(float *x) { ... } ]]"

  it("says what Lua has in place of the syntax of Python and CUDA C++", function()
    local list = "a list is written { 1, 2, 3 }, and an array is made of it by cuda.gpuarray.to_gpu { 1, 2, 3 }"
    for text, hint in pairs {
      ["a:mean(axis=0)"] = "arguments with a name are a table: a:sum { axis = 1 }, or k(a, { block = 32 })",
      ["a[1:3]"] = "a range of positions is a list: a[{ { 2, 3 } }], where positions start at 1",
      ["a[2, 3]"] = "the positions of several axes are a list: a[{ 2, 3 }]",
      ["x += 1"] = "Lua has no operators such as +=: write x = x + 1, or a:iadd(1) to write to an array",
      ["a ** 2"] = "a power is written a ^ b",
      ["a != 3"] = "write a ~= b for numbers, and a:ne(b) for arrays",
      ["a // 2"] = "write a:floordiv(b) for arrays, and math.floor(x / y) for numbers",
      ["a @ b"] = "the product of matrices is a:matmul(b)",
      ["import numpy as np"] = 'Lua loads modules with require: cuda = require "cudalua"',
      ["from math import pi"] = 'Lua loads modules with require: cuda = require "cudalua"',
      ["k<<<1, 32>>>(a)"] = "a kernel is launched by k(a, { grid = 1, block = 32 })",
      ["if x > 3:"] = "Lua's conditions are written if x then ... end",
      ["x = [1, 2, 3]"] = list, ["f([1, 2])"] = list,
      ["x++"] = "Lua has no operator ++: write x = x + 1, or a:iadd(1) to write to an array",
      ["x := 3"] = "an assignment is written x = 3",
      ["def f(x): return x"] = "Lua's functions are written function f(x) ... end",
      ["from cudalua import *"] = 'Lua loads modules with require: cuda = require "cudalua"',
      ["print a"] = "a function is called with parentheses: print(a)",
      ["```lua\nx = 1\n```"] = "the fences of Markdown are not part of a program; paste the lines between them",
      ["/* text */"] = "a comment begins with --", ["a->sum()"] = "write a:sum() for the call of a method",
      ["int x = 3;"] = "a variable is declared by local x = 3", ["x = 3\n!x"] = "write not x for conditions, and " ..
        "a:logical_not() for arrays",
      ["x = y if z else w"] = "write if x then ... else ... end, or gpuarray.where(mask, a, b) for arrays",
      ['d = {"a": 1}'] = "the fields of a table are written { a = 1, b = 2 }",
      ["a & b"] = "write a:bitwise_and(b) for integers, and a:logical_and(b) for masks",
      ["x = ~a"] = "write a:bitwise_not() for integers, and a:logical_not() for masks",
      ["a && b"] = "write x and y for conditions, and a:logical_and(b) for arrays",
      ["k[1, 32](a)"] = "a kernel is launched by k(a, { grid = 1, block = 32 })",
      ["k((1,), (32,), (a,))"] = "a kernel is launched by k(a, { grid = 1, block = 32 })",
      ["for (int i = 0; i < 3; i++) {}"] = LOOP,
      ["__global__ void k() {}"] = CUDA_C,
      ["a is None"] = "write x == nil or x ~= nil",
    } do
      assert.equal(hint, typed(text):match "\nhint: ([^\n]*)", text)
    end
    for _, text in ipairs { 'x = "a // b" y', "x y -- a ** b", "x = [[\nimport x]] y", "x = )" } do
      assert.is_nil(typed(text):find("hint:", 1, true), text)
    end
  end)

  it("says that a line looks like output", function()
    local wrong = require "cudalua.prompt.wrong"
    local function hint_of(text)
      return wrong.text(text, (select(2, loadstring(text, "=stdin")))):match "\nhint: ([^\n]*)"
    end
    local hint = "line 2 looks like output; paste the statements without it"
    for _, line in ipairs { "(2, 3)", "(3,)\tfalse", "[1. 2. 3.]", "[1 2 3]", "[true false]", "0\t1", "7", "-1.5e+02",
      "true", "false\t3", "float32\tint32", "nan\t7.0\t3.5", "[2] [10. 10.]", "2\t[0 1 2]" } do
      assert.equal(hint, hint_of("print(a)\n" .. line .. "\nx = 1"), line)
    end
    assert.matches("^line 1 looks like output", hint_of "[1 2]\n[3 4]")
    for _, text in ipairs { "[1 2 3]", "x = {1\n2\n", "x = 1\n[1, 2]", "x = 1\nf(",
      "x = f\n(f)(2)", "x = 1\n\tx y" } do
      assert.is_nil((hint_of(text) or ""):find("looks like output", 1, true), text)
    end
  end)

  it("waits for nothing behind lines that no Lua continues", function()
    for text, hint in pairs {
      ["h = lambda x: x"] = "a function is written function(x) return 2 * x end",
      ["for i in range(3):"] = LOOP,
      ["for i in range(3): print(i)"] = LOOP,
      ["while x:"] = "a loop is written while x do ... end",
      ["#include <stdio.h>"] = CUDA_C,
      ["if (a == 1) { x = 3 }"] = "Lua's conditions are written if x then ... elseif y then ... else ... end",
      ["try:"] = "errors are caught by pcall: ok, err = pcall(f)",
      ["if x > 3:"] = "Lua's conditions are written if x then ... end",
    } do
      local out = typed(text .. "\n40 + 2")
      assert.equal(hint, out:match "\nhint: ([^\n]*)", text)
      assert.matches("\n42$", out)
    end
    assert.equal("6", typed 's = { len = function() return 6 end }\nfor _ in s.len, s, s do x = s:\nlen() break end\nx')
    assert.equal("3", typed "while true do break\nend\n3")
  end)

  it("says what to do in place of commands of a shell", function()
    local runs = 'this prompt runs Lua, not shell commands; os.execute "%s" runs one, and :quit leaves the prompt'
    for _, line in ipairs { "ls", "ls -l", "pip install numpy", "python script.py", "./dev test", "nvidia-smi",
      "git status", "pwd" } do
      assert.equal(runs:format(line) .. "\n42", typed(line .. "\n42"), line)
    end
    assert.equal(runs:format "ls -l", typed "!ls -l")
    local program = 'this prompt runs Lua, not shell commands; dofile "%s" runs a program, and :quit leaves the prompt'
    for _, line in ipairs { "luajit x.lua", "cudalua run x.lua", "lua x.lua" } do
      assert.equal(program:format "x.lua", typed(line), line)
    end
    for _, line in ipairs { "cd ..", "cd", "cd /tmp", "export A=1" } do
      assert.equal("this prompt runs Lua, not shell commands; :quit leaves the prompt\n42", typed(line .. "\n42"), line)
    end
    assert.equal(":time times a chunk: :time f(3)", typed "%timeit f(3)")
    assert.equal("3\n7\n5", typed 'ls = 3\nls\ncat = function(x) return x end\ncat (7)\nlocal cd = 6\ncd -1')
    assert.equal("4", typed "make, pwd = 3, 4\npwd")
  end)

  it("says what Lua has in place of values and functions of other languages", function()
    for name, here in pairs { None = "nil", True = "true", False = "false", NULL = "nil", nullptr = "nil" } do
      local hint = name .. " has no value; Lua writes " .. here
      assert.equal("nil\nhint: " .. hint, typed(name))
      assert.equal("hint: " .. hint, typed("x = f or " .. name))
    end
    for _, text in ipairs { "x = a[{ {}, None }]", "x = a[{ {}, None, {} }]", "x = a[{ { 1, 2 }, f(1), None }]" } do
      assert.equal("hint: None has no value; in an index, gpuarray.newaxis inserts an axis",
        typed("a = setmetatable({}, { __index = type })\nf = type\n" .. text), text)
    end
    assert.equal("hint: None has no value; Lua writes nil", typed "a = {}\nx = a[f or 1] or { None }")
    assert.equal("hint: None has no value; Lua writes nil", typed("a = setmetatable({}, { __index = type })\n" ..
      "x = a[{ { None } }]"))
    assert.equal("hint: newaxis has no value; gpuarray.newaxis inserts an axis",
      typed "a = setmetatable({}, { __index = type })\nx = a[{ {}, newaxis }]")
    assert.matches("\nhint: write #t for the length of a list, a.size .*", typed "len({})")
    assert.equal("hint: [[ begins a string; nested lists are written { { 1, 2 }, { 3, 4 } }",
      typed "x = [[1, 2], [3, 4]]")
    assert.matches("\nhint: a formatted string is written", typed 'f"{x}"')
    assert.matches("\nhint: write table.insert%(t, x%)$", typed "t = {}\nt.append(1)")
    assert.matches("^exit is not a function", typed "exit(0);")
    assert.matches("\nhint: a comment begins with %-%-$", typed "# a")
    assert.matches("\nhint: cuda.gpuarray has the functions of NumPy", typed "x = cuda\nnp.zeros(3)")
    assert.matches("\nhint: it is cuda.gpuarray.zeros$", typed "x = cuda\nzeros(3)")
    for _, text in ipairs { "None = 3\nNone", "local True = 1\nx = True", "t = { None = 1 }\nt.None", "'None'",
      "#nix", "nix()", "x = nix" } do
      assert.is_nil(typed(text):find("hint:", 1, true), text)
    end
  end)

  it("says how to read an array's fields and to call its methods", function()
    gpu.context()
    local function hint(text) return (typed("a = cuda.gpuarray.arange(3)\n" .. text):match "\n?hint: (.*)$") end
    assert.equal("a dtype is not a string: write a.dtype.name == 'int64'", hint "a.dtype == 'int64'")
    assert.equal('a dtype is not a string: write a.dtype.name ~= "int64"', hint 'if a.dtype ~= "int64" then x = 1 end')
    assert.equal("true\ntrue", typed('a = cuda.gpuarray.arange(3)\na.dtype.name == "int64"\n' ..
      "a.dtype == cuda.dtype.int64"))
    for _, text in ipairs { "a.shape[0]", "x = a.shape[0]" } do
      assert.equal("positions start at 1: a.shape[1] is the first extent", hint(text))
    end
    for text, name in pairs { ["#a"] = "a", ["x = #a + 1"] = "a", ["local b = a\nif #b == 3 then end"] = "b" } do
      assert.equal(("# is always 0 for an array: write %s:len() or %s.size"):format(name, name), hint(text))
    end
    assert.equal("ipairs finds nothing in an array: write ipairs(a:tolist())", hint "for i, x in ipairs(a) do end")
    assert.equal("an array is never equal to a number: write a:max():item() == 2", hint "a:max() == 2")
    assert.equal("real is a method of arrays: call a:real()", hint "a.real")
    assert.equal("sum is a method of arrays: call b:sum()", hint "local b = a\nb.sum")
    assert.equal("real is a method of arrays: call a:real()", hint "(a + 1).real")
    assert.equal("size is a field, written without parentheses", hint "a.size()")
    for _, text in ipairs { "cuda.gpuarray.real", "x = { dtype = 'f', shape = {} }\nx.dtype == 'f'", "x.shape[0]",
      "x = '.dtype == \"f\"'", "a.dtype.name == 'int64'", "a.size", "x = a.real", "a.shape[1]",
      "#a:tolist()", "#a.shape", "ipairs(a:tolist())", "a:max():item() == 2", "a:len() == 3", "t = {}\n#t" } do
      assert.is_nil(hint(text), text)
    end
  end)

  it("says that the shape of random numbers comes first", function()
    gpu.context()
    local text = "hint: the shape is the first argument of normal, and 0 makes an empty array: write " ..
      "normal({ 2, 3 }, ...)"
    assert.equal("[]\n" .. text, typed "cuda.random.normal(0, 1, 10)")
    assert.equal(text, typed "rng = cuda.random.Generator(1)\nx = rng:normal(0, 1)")
    for _, line in ipairs { "x = cuda.random.normal(0)", "n = 0\nx = cuda.random.normal(n, 0, 1)",
      "t = { normal = function() end }\nt.normal { 0, 1 }", "x = 'r.normal(0, 1)'" } do
      assert.is_nil(typed("r = cuda.random\n" .. line):find("hint:", 1, true), line)
    end
  end)

  it("says which method compares an array", function()
    gpu.context()
    local function hint(text) return (typed("local a = cuda.gpuarray.arange(3)\n" .. text):match "\nhint: (.*)$") end
    local by = "an array is compared element by element by a method: "
    assert.equal(by .. "a:gt(1)", hint "a > 1")
    assert.equal(by .. "a:le(-0.5)", hint "local x = a <= -0.5")
    assert.equal(by .. "a:gt(2)", hint "2 < a")
    assert.equal(by .. "b.c:ge(2)", hint "local b, d = { c = a }\nd = 1; d = b.c >= 2")
    assert.equal(by .. "a:gt(1), a:lt(1), a:eq(1)", hint "(a + 1) < (3 + 1)")
    assert.equal("== does not compare elements: write a:eq(3)", hint "a == 3")
    assert.equal("~= does not compare elements: write a:ne(1.5)", hint "a ~= 1.5")
    for _, text in ipairs { "a == nil", "a ~= a", "x = 3\nx == 3", "a == 3;", "1 < '2'", "nil > 1" } do
      assert.is_nil(hint(text), text)
    end
  end)

  it("goes on with incomplete chunks, and not with wrong ones", function()
    assert.equal("42", typed "20 +\n\n22")
    assert.equal("3", typed "function add(a,\n  b)\n  return a + b\nend\nadd(1, 2)")
    assert.equal("a\nb", typed "[[a\nb]]")
    assert.equal("6", typed "= 2 *\n3")
    assert.equal("stdin:1: unexpected symbol near ')'\n1", typed "20 + )\n1")
    assert.equal("stdin:1: '=' expected near 'y'\n1", typed "x y\n1")
    assert.equal("stdin:1: attempt to get length of global 'nothing' (a nil value)\n1", typed "#nothing\n1")
  end)

  it("keeps the last value as _, in its own environment", function()
    local env = { print = print }
    assert.equal("5\n6", typed("5\n_ + 1", env))
    assert.is_nil(env._)
    assert.equal("5\n1", typed("5\n_ = 1\n_", env))
    assert.is_nil(env.cuda)
  end)

  it("has cuda, and needs no set-up", function()
    gpu.context()
    assert.equal("[0 1 2]", typed("cuda.gpuarray.arange(3)", {}))
    assert.equal("7", typed("cuda = 7\ncuda", {}))
    assert.equal("8", typed("local cuda = 8\ncuda", {}))
  end)

  it("writes to the table it was given", function()
    local env = { y = 1 }
    assert.equal("1", typed("x = y\nx", env))
    assert.equal(1, env.x)
    assert.is_nil(rawget(_G, "x"))
  end)

  it("shows the program's frames of an error, and none of its own", function()
    assert.equal("stdin:1: mine", typed("error 'mine'", { error = error }))
    assert.equal("stdin:1: mine\nstack traceback:\n\tstdin:1: in function 'f'\n\tstdin:1: in main chunk",
      typed "function f() error 'mine' end\nf() return")
    local out = typed("local function f() error 'mine' end\nco = coroutine.wrap(function()\n  f()\nend)\nco() return")
    assert.truthy(out:find "stdin:1: mine\nstack traceback:\n\tstdin:1: in function 'f'\n\tstdin:2: in function " ..
      "<stdin:1>\n\tstdin:1: in main chunk$")
    assert.falsy(out:find("frames.lua", 1, true))
    out = typed "local function deep() deep() return 1 end\ndeep()\n1"
    assert.truthy(out:find "^[^\n]*stack overflow.*\n1$" or out:find "^error in error handling\n1$", out)
    assert.equal("error object: { code = 3 }\nstack traceback:\n\tstdin:1: in main chunk", typed "error { code = 3 }")
    assert.equal("error object: nil\nstack traceback:\n\tstdin:1: in main chunk", typed "error()")
  end)

  it("ends with its input and with :quit; commands stand in column 1", function()
    assert.equal("1", typed "1\n:quit\n2")
    assert.truthy(typed(" :quit\n2"):find "unexpected symbol near ':'\n2$")
    assert.equal("unknown command :nothing; :help lists the commands\n2", typed ":nothing\n2")
  end)

  it("says what is meant by what other prompts understand", function()
    local leave = " is not a function of Lua; leave the prompt with :quit or Ctrl-D\n2"
    assert.equal("exit" .. leave, typed "exit\n2")
    assert.equal("quit" .. leave, typed "quit()\n2")
    assert.equal("3\n2", typed "local exit = 3\nexit\n2")
    assert.truthy(typed("?cuda.compile"):find "^cuda%.compile%(source")
    assert.truthy(typed("cuda.compile?"):find "^cuda%.compile%(source")
    assert.truthy(typed("local a = cuda.gpuarray.zeros(3)\na?"):find "Array")
  end)

  it("counts the lines of an expression as they were typed", function()
    assert.equal("stdin:1: attempt to index global 'nothing' (a nil value)", typed "nothing[0] -- a comment")
    assert.equal("2", typed "1 + 1 -- a comment")
  end)

  it(":help lists the commands", function()
    local out = typed ":help"
    for _, word in ipairs { "help", "time", "gpu", "source", "who", "device", "quit" } do
      assert.truthy(out:find("\n:" .. word, 1, true) or out:find("^:" .. word), word)
    end
  end)

  it(":time, :gpu, :device, :source and :who", function()
    gpu.context()
    assert.truthy(typed(":time 1 + 1"):find "^2\nhost [%d.]+ [um]?s, device done after [%d.]+ [um]?s$")
    assert.truthy(typed(":time for i = 1, 2 do\nend"):find "^host ")
    assert.truthy(typed(":time error 'mine'"):find "^stdin:1: mine\nhost ")
    assert.equal("stdin:1: unexpected symbol near ')'", typed ":time )")
    assert.equal("3", typed ":time local x = 3\nx":match "(%d)$")
    local device = cuda.Context.get_current():get_device()
    local out = typed ":gpu"
    assert.truthy(out:find(device:name(), 1, true), out)
    assert.truthy(out:find "memory [%d.]+ MiB of [%d.]+ MiB free; objects of this program use [%d.]+ MiB")
    out = typed ":device"
    assert.truthy(("\n" .. out):find(("\n* device %d: "):format(device:ordinal()), 1, true), out)
    assert.truthy(typed(":device x"):find "needs a device number")
    assert.truthy(typed(":device 4711"):find "CUDA_ERROR_INVALID_DEVICE" or typed(":device 4711"):find "[Dd]evice")
    typed(":device " .. device:ordinal())
    cuda.Context.pop()
    gpu.context()
    out = typed("local a = cuda.gpuarray.arange(3)\n:source a * 2 + 1\n" ..
      ":source nothing.x\n:source 1\n:source )")
    assert.truthy(out:find "__global__.*attempt to index.*this has no CUDA C.*unexpected symbol near '%)'$", out)
    out = typed "local a = cuda.gpuarray.arange(3, {dtype='float32'})\na\n:source a"
    assert.truthy(out:find "has its value", out)
    out = typed "local a = cuda.gpuarray.zeros{2, 3}\na;\nb = a + 1;\n:who"
    assert.truthy(out:find "^a +float%d+ +%(2, 3%) +%d+ bytes.*\nb .*not computed yet\n2 arrays in variables", out)
  end)

  it(":source shows what a kernel was compiled from", function()
    gpu.context()
    local made = "local k = cuda.kernel('__global__ void ' .. 'fill(float *x, int n) { if (n) x[0] = 1; }')\n" ..
      "local m = cuda.SourceModule '__global__ void one() {}\\n__global__ void two() {}'\n"
    local fill = "__global__ void fill(float *x, int n) { if (n) x[0] = 1; }"
    assert.equal(fill, typed(made .. ":source k"))
    local both = "__global__ void one() {}\n__global__ void two() {}"
    assert.equal(both, typed(made .. ":source m"))
    assert.equal(both, typed(made .. ":source m.module"))
    assert.equal(both, typed(made .. ":source m:get_function 'two'"))
    assert.equal("__device__ int f() { return 1; }\n__global__ void g() {}",
      typed("local d = cuda.DynamicModule():add_source '__device__ int f() { return 1; }'\n" ..
        "d:add_source('__global__ void g() {}'):link();\n:source d:get_function 'g'"))
    assert.matches("y%[i%] = 2 %* x%[i%]",
      typed("local e = cuda.elementwise.ElementwiseKernel('float *x, float *y', 'y[i] = 2 * x[i]')\n:source e"))
    assert.matches("f:source%(x, y%)", typed "local f = cuda.gpuarray.fuse(function(x) return x + 1 end)\n:source f")
    local out = typed("local image = cuda.compile '" .. fill .. "'\nlocal l = cuda.module_from_buffer(image)\n" ..
      ":source l:get_function 'fill'\n:source l")
    local unknown = "its CUDA C is not known, as it was loaded as an image; "
    assert.matches("^void fill%(.*\n" .. unknown .. ".*\n" .. unknown, out)
  end)

  it("keeps the source of a kernel no longer than the kernel", function()
    gpu.context()
    local find = require("cudalua.driver.function").source_of
    local weak = setmetatable({}, { __mode = "v" })
    do
      local fn = cuda.kernel("__global__ void fill(float *x) { x[0] = " .. 1.5 .. "; }", "fill")
      assert.equal("__global__ void fill(float *x) { x[0] = 1.5; }", find(fn))
      weak[1] = fn
    end
    for _ = 1, 4 do collectgarbage() end
    assert.is_nil(weak[1])
  end)

  it("writes a banner, takes files, and refuses other arguments", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w+"))
    file:write "1 + 1\n"
    file:seek "set"
    local out = assert(io.open(path .. ".out", "w+"))
    repl.run { input = file, output = out, banner = "hello" }
    out:seek "set"
    assert.equal("hello\n> 2\n> ", out:read "*a")
    file:close()
    out:close()
    os.remove(path)
    os.remove(path .. ".out")
    gpu.raises("LogicError", "repl.run: input must be an open file or a function, got 7", repl.run, { input = 7 })
    gpu.raises("LogicError", "repl.run: input must be", repl.run, { input = file })
    gpu.raises("LogicError", "repl.run: env must be a table", repl.run, { env = 7 })
    gpu.raises("LogicError", "unknown option 'inputs'", repl.run, { inputs = 7 })
    gpu.raises("LogicError", "repl.run", repl.run, 7)
    assert.is_truthy(cuda)
  end)
end)

describe("What the prompt shows of a value", function()
  it("is the lines of a function that was typed, by :source", function()
    local chunk = "function ma(a, w)\n  return a * w\nend"
    assert.equal(chunk, typed(chunk .. "\n:source ma"))
    chunk = "local function f(x)\n  return x\nend"
    assert.equal(chunk, typed(chunk .. "\nlocal g = f\n:source g"))
    assert.equal("a = 1 f = function() return 2 end", typed "a = 1 f = function() return 2 end\n:source f")
    assert.truthy(typed ":source (function() end)":find("no variable of the prompt has held it", 1, true))
    assert.truthy(typed ":source cuda.show":find("^function M.show%("))
    assert.truthy(typed ":source":find("^:source takes an expression"))
    assert.truthy(typed "local a = cuda.gpuarray.arange(2)\n:source a:reshape(2, 1) + a":find "__global__ void")
    assert.truthy(typed ":source cuda.gpuarray.arange(2):eval()":find("^the array has its value"))
    assert.truthy(typed ":time":find("^:time takes a chunk"))
  end)

  it("is nothing, once, if it has just written itself", function()
    local env = setmetatable({ shown = {} }, { __index = _G })
    local mt = { __tostring = function() return "the table" end }
    function mt.__take_shown(x)
      local shown = x.shown
      x.shown = nil
      return shown
    end
    function env.report() return setmetatable({ shown = true }, mt) end
    assert.equal("the table\nthe table\t1", typed("report()\n_\n_, 1", env))
    assert.equal("the table\t2", typed("report(), 2", env))
  end)
end)
