local gpu = require "spec.support.gpu"

-- Runs the command with a line of arguments and some standard input.
local function cudalua(arguments, input)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(input or "")
  file:close()
  local pipe = assert(io.popen(("%s sh bin/cudalua %s <%s 2>&1; echo status $?"):format(gpu.driver, arguments, path)))
  local out = pipe:read "*a"
  pipe:close()
  os.remove(path)
  local text, status = out:match "^(.*)status (%d+)\n$"
  return text, tonumber(status)
end

describe("the command", function()
  it("--version and --help", function()
    local out, status = cudalua "--version"
    assert.truthy(out:find "^cudalua %d+%.%d+%.%d+, LuaJIT 2%.1")
    assert.equal(0, status)
    for _, option in ipairs { "--help", "help" } do
      out, status = cudalua(option)
      assert.truthy(out:find("usage: cudalua", 1, true))
      assert.equal(0, status)
    end
  end)

  it("-e runs lines, with the library as cuda", function()
    local out, status = cudalua [[-e 'cuda.init()' -e 'print(cuda.Device.count() >= 1)']]
    assert.equal("true\n", out)
    assert.equal(0, status)
  end)

  it("runs a script with its arguments, and a script from standard input", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write "print(arg[0] ~= nil, arg[1], ..., rawget(_G, 'cuda'))"
    file:close()
    assert.equal("true\ta b\ta b\tnil\n", (cudalua(path .. " 'a b'")))
    os.remove(path)
    assert.equal("from stdin\n", (cudalua("-", "print 'from stdin'")))
  end)

  it("-e needs no set-up", function()
    assert.equal("[0 2 4]\n", (cudalua("-e 'print(cuda.gpuarray.arange(3) * 2)'")))
  end)

  it("errors end it with status 1 and a message", function()
    for _, arguments in ipairs { "-e 'error(\"mine\")'", "-e '+'", "/nowhere.lua", "-x", "-e",
      "-e 'cuda.init() cuda.mem_alloc(-4)'" } do
      local out, status = cudalua(arguments)
      assert.equal(1, status, arguments)
      assert.truthy(out:find "cudalua: ")
    end
  end)

  it("error objects show their text, and those without one say so", function()
    for arguments, expected in pairs {
      ["-e 'error { code = 3, \"text\" }'"] = 'cudalua: error object: { "text", code = 3 }\n',
      ["-e 'error()'"] = "cudalua: error object: nil\n",
      ["-e 'error(setmetatable({}, { __tostring = function() return \"mine\" end }))'"] = "cudalua: mine\n",
    } do
      local out, status = cudalua(arguments)
      assert.equal(expected, (out:gsub("stack traceback:\n\t%(command line%):1: in main chunk\n$", "")))
      assert.equal(1, status)
    end
    local out = cudalua "-e 'return cuda.gpuarry'"
    assert.truthy(out:find("(command line):1: cuda has no field 'gpuarry'; did you mean 'gpuarray'?\n", 1, true), out)
  end)

  it("info names driver, devices and NVRTC", function()
    local out, status = cudalua "info"
    assert.truthy(out:find "driver   .*CUDA %d+%.%d+")
    assert.truthy(out:find "device 0 .*compute capability %d+%.%d+")
    assert.truthy(out:find "NVRTC    .*libnvrtc")
    assert.equal(0, status)
  end)

  it("standard input that is no terminal is a script", function()
    local out, status = cudalua("", "local x = 1\nprint(x + 1, cuda)\nprint(... == nil)")
    assert.equal("2\tnil\ntrue\n", out)
    assert.equal(0, status)
    out, status = cudalua("", "print 'first'\nlocal function f() error 'mine' end\nf()")
    assert.equal("first\ncudalua: stdin:2: mine\nstack traceback:\n\tstdin:2: in function 'f'\n" ..
      "\tstdin:3: in main chunk\n", out)
    assert.equal(1, status)
    out, status = cudalua("", "x =")
    assert.equal("cudalua: stdin:1: unexpected symbol near '<eof>'\n", out)
    assert.equal(1, status)
    out, status = cudalua("", "os.exit(7)")
    assert.equal("", out)
    assert.equal(7, status)
  end)

  it("-l -O -j -b are LuaJIT's", function()
    assert.equal("function\n", (cudalua "-l jit.bc -e 'print(type(package.loaded[\"jit.bc\"].dump))'"))
    local out, status = cudalua "-l no.such.module -e 'print(1)'"
    assert.truthy(out:find "^cudalua: module 'no.such.module' not found")
    assert.equal(1, status)
    assert.equal("false\n", (cudalua "-joff -e 'print((jit.status()))'"))
    assert.equal("true\n", (cudalua "-j off -j on -e 'print((jit.status()))'"))
    assert.truthy(cudalua("-jv -e 'local s = 0 for i = 1, 1e3 do s = s + i end'"):find "TRACE")
    assert.truthy(cudalua("-j nothing"):find "^cudalua: unknown command of %-j")
    assert.falsy(cudalua("-O0 -e 'print(jit.status())'"):find("fold", 1, true))
    assert.truthy(cudalua("-O3,hotloop=7 -e 'print(jit.status())'"):find("fold", 1, true))
    assert.truthy(cudalua("-O3,hotlop=7"):find "^cudalua: ")
    assert.truthy(cudalua("-b -l -e 'print(1)'"):find "BYTECODE")
    assert.truthy(cudalua("-bl -e 'print(1)'"):find "BYTECODE")
  end)

  it("-E ignores what the environment says of Lua", function()
    local show = "'print(package.path:find(\"mine\", 1, true), package.cpath:find(\"mine\", 1, true), initial)'"
    local function with_environment(arguments)
      local pipe = io.popen("LUA_PATH='mine/?.lua;;' LUA_CPATH='mine/?.so;;' LUA_INIT='initial = 7' sh bin/cudalua " ..
        arguments .. " 2>&1")
      local out = pipe:read "*a"
      pipe:close()
      return out
    end
    assert.matches("^%d+\t%d+\t7\n$", with_environment("-e " .. show))
    for _, options in ipairs { "-E", "-joff -E", "-l table -E", "-e 'local x' -E", "-E -i </dev/null" } do
      assert.matches("nil\tnil\tnil\n", with_environment(options .. " -e " .. show))
    end
    assert.matches("^%d+\t%d+\t7\n", with_environment("-e " .. show .. " -- -E"))
  end)

  it("-- ends the options", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write "print(arg[-1], #arg, ...)"
    file:close()
    assert.equal("nil\t2\t-v\t--\n", (cudalua("-e '' -- " .. path .. " -v --")))
    os.remove(path)
    assert.equal("ran\n", (cudalua("--", "print 'ran'")))
    local out, status = cudalua "-- -v"
    assert.truthy(out:find "^cudalua: cannot open %-v")
    assert.equal(1, status)
    out, status = cudalua "biuld x.lua"
    assert.equal("cudalua: cannot open biuld: No such file or directory; did you mean the command 'build'?\n", out)
    assert.equal(1, status)
    assert.is_nil(cudalua "nothing.lua":find("did you mean", 1, true))
  end)

  it("the prompt outlives what is typed at it", function()
    local text = gpu.child([[
      local pipe = io.popen("luajit -e 'require(\"cudalua.repl\").run()' 2>&1 >" .. os.getenv "OUT", "w")
      pipe:write("setmetatable({}, {__tostring = function() return {} end})\n",
        "error(setmetatable({}, {__tostring = function() return {} end}))\n",
        "io, select, table, string, tostring = nil\n", "getmetatable('').__index = nil\n", "x y\n", "40 + 2\n")
      pipe:close()
    ]], "OUT=/dev/stdout")
    assert.matches("42\n> ?\n?$", text)
  end)

  it("the prompt comes after a script that failed, and a program that forgot the library is told of it", function()
    local name = os.tmpname()
    local file = assert(io.open(name, "w"))
    file:write "first = 6\nprint(cuda.gpuarray)\n"
    file:close()
    local out, status = cudalua("-i " .. name, "first * 7\n")
    os.remove(name)
    assert.equal(0, status)
    assert.truthy(out:find("cudalua: " .. name .. ":2: attempt to index global 'cuda' (a nil value)\n", 1, true), out)
    assert.truthy(out:find('a program begins with: local cuda = require "cudalua"\n', 1, true), out)
    assert.truthy(out:find("> 42\n", 1, true), out)
  end)

  it("the prompt prints values, takes chunks of several lines, survives errors", function()
    local out, status = cudalua("-i", [[
1 + 1
x = 21
return x * 2, "text"
for i = 1, 2 do
  io.write("<", i, ">")
end
error "mine"
error({})
+
cuda.init()
cuda.mem_alloc(0)
nil
"still here"
]])
    assert.equal(0, status)
    for _, text in ipairs { "> 2\n", '42\t"text"\n', ">> >> <1><2>", "mine\n", "unexpected symbol",
      "cannot allocate 0 bytes", "nil\n", '"still here"\n' } do
      assert.truthy(out:find(text, 1, true), text .. " is not in:\n" .. out)
    end
  end)
end)
