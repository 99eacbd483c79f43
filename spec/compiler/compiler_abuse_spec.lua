-- What nobody should give the compiler: a clear error of the right class or success, never a crash, and the next
-- compilation works. The texts are in spec/support/abuse.lua.
local gpu = require "spec.support.gpu"
local abuse = require "spec.support.abuse"
local turn = require "spec.support.turn"
local cuda, ffi = gpu.cuda, require "ffi"

local MB = 2 ^ 20
local K = "__global__ void k(int *p) { *p = 1; }\n"
local ways = gpu.sanitized and { {} } or { {}, { no_extern_c = true } } -- to compile each piece of garbage
local T = "template<class T> __global__ void t(T *p) { *p = 1; }\n" .. K

local function run(kernel, ...)
  local p = ffi.new "int[1]"
  local args = { cuda.Out(p), ... }
  args[#args + 1] = { block = 1 }
  kernel(unpack(args))
  return p[0]
end

-- Compiles and loads, past the cache.
local function build(source, opts)
  local all = { cache_dir = false }
  for k, v in pairs(opts or {}) do all[k] = v end
  return cuda.SourceModule(source, all)
end

-- f(...) succeeds, or ends with an error of one of the classes, which says something and not too much.
local function settles(what, classes, f, ...)
  what = what:sub(1, 100)
  local ok, err = pcall(f, ...)
  if ok then return true end
  assert(cuda.is_error(err), ("%s: no error of the library: %s"):format(what, tostring(err):sub(1, 1000)))
  local right = false
  for class in classes:gmatch "%a+" do right = right or cuda.is_error(err, class) end
  assert(right, ("%s: a %s: %s"):format(what, err.__name, tostring(err):sub(1, 1000)))
  assert(#err.message > 10, what .. ": the message is empty")
  local text = tostring(err)
  assert(#text < 2 ^ 16, ("%s: %d bytes of message"):format(what, #text))
  return false, err
end

local function refused(what, class, f, ...)
  local ok, err = settles(what, class, f, ...)
  assert(not ok, what .. ": it was accepted")
  return err
end

describe("compiler abuse:", function()
  local notice, count = cuda.on_notice, 0
  before_each(function()
    gpu.context()
    cuda.on_notice = function() end -- warnings
  end)

  after_each(function() -- the next compilation works
    count = count + 1
    local mod = build(("__global__ void fine(int *p) { *p = %d; }"):format(count))
    assert.equal(count, run(mod:get_function "fine"))
    cuda.on_notice = notice
  end)

  describe("large sources", function()
    local function quick(source, opts)
      assert(#source >= MB or opts)
      local before = os.clock()
      local mod = build(source, opts)
      local seconds = os.clock() - before
      assert(seconds < 20, ("%.1f s"):format(seconds))
      return mod
    end

    it("of comments, blanks and line ends", function()
      assert.equal(1, run(quick(("// nothing here\n"):rep(MB / 16) .. K):get_function "k"))
      assert.equal(1, run(quick("/*" .. ("*"):rep(MB) .. "*/" .. K):get_function "k"))
      assert.equal(1, run(quick((" "):rep(MB) .. K .. ("\n"):rep(MB)):get_function "k"))
      assert.equal(1, run(quick(("#define A 1\n#undef A\n"):rep(MB / 21 + 1) .. K):get_function "k"))
      assert.equal(1, run(quick(("\\\n"):rep(MB / 2) .. K):get_function "k"))
    end)

    it("of declarations and functions", function()
      assert.equal(1, run(quick(("int declared(int);\n"):rep(MB / 19 + 1) .. K):get_function "k"))
      local functions = {}
      for i = 1, 2000 do -- the compiler's time grows with the square of their number
        functions[i] = ("__device__ int f%d(int a) { return a + %d; } // %s\n"):format(i, i, ("-"):rep(500))
      end
      functions[#functions + 1] = "__global__ void k(int *p) { *p = f2000(1); }"
      assert.equal(2001, run(quick(table.concat(functions)):get_function "k"))
    end)

    it("in one line: a string, a list, a name", function()
      local mod = quick(('__device__ const char text[] = "%s";\n__global__ void k(int *p) { *p = sizeof text; }')
        :format(("x"):rep(MB)))
      assert.equal(MB + 1, run(mod:get_function "k"))
      mod = quick(("__device__ const char list[] = { %s1 };\n__global__ void k(int *p) { *p = sizeof list; }")
        :format(("1, "):rep(MB / 3)))
      assert.equal(math.floor(MB / 3) + 1, run(mod:get_function "k"))
      mod = quick(("__global__ void k(int *p) { int %s = 5; *p = %s; }"):format(("n"):rep(MB), ("n"):rep(MB)))
      assert.equal(5, run(mod:get_function "k"))
    end)

    it("in one kernel", function()
      local lines = { "__global__ void k(int *p) {\n  int a = 0;\n" }
      for i = 1, 5000 do lines[#lines + 1] = ("  if (p[%d] == 0x5eed) a += %d;\n"):format(i % 4, i) end
      lines[#lines + 1] = ("// %s\n"):format(("-"):rep(MB))
      lines[#lines + 1] = "  p[0] = a;\n}\n"
      local p = ffi.new("int[4]", 0, 0x5eed, 0, 0)
      quick(table.concat(lines)):get_function "k"(cuda.InOut(p), { block = 1 })
      local sum = 0
      for i = 1, 5000, 4 do sum = sum + i end
      assert.equal(sum, p[0])
    end)

    it("in a header", function()
      local mod = quick('#include "large.h"\n__global__ void k(int *p) { *p = LAST; }',
        { headers = { ["large.h"] = ("int declared();\n"):rep(MB / 16) .. "#define LAST 7\n" } })
      assert.equal(7, run(mod:get_function "k"))
    end)

    it("that are wrong at their end", function()
      local err = refused("1 MB", "CompileError", build, ("int declared();\n"):rep(MB / 16) .. "wrong wrong;\n")
      assert.truthy(err.log:find("kernel.cu(65537)", 1, true), err.log)
      assert.truthy(tostring(err):find("> 65537 | wrong wrong;", 1, true), tostring(err))
      refused("1 MB of errors", "CompileError", build, ("wrong;\n"):rep(MB / 7))
      refused("1 MB in a line", "CompileError", build, ("wrong "):rep(MB / 6))
      refused("1 MB in a word", "CompileError", build, ("w"):rep(MB))
    end)
  end)

  it("garbage", function()
    local accepted = 0
    for what, bytes in pairs(abuse.garbage()) do
      for _, opts in ipairs(ways) do
        if settles(what, "CompileError", build, bytes, opts) then accepted = accepted + 1 end
        settles(what .. " and a kernel", "CompileError", build, bytes .. "\n" .. K, opts)
        settles("a kernel and " .. what, "CompileError", build, K .. bytes, opts)
      end
    end
    assert(accepted < 60, "it took " .. accepted)
    refused("a zero byte", "LogicError", build, K .. "\0")
    refused("UTF-16", "LogicError", build, "\255\254_\0_\0g\0")
    refused("zero bytes", "LogicError", build, ("\0"):rep(1000))
  end)

  it("forms of text that editors make", function()
    for _, source in ipairs {
      "\239\187\191" .. K, (K:gsub("\n", "\r\n")), "\239\187\191" .. K:gsub(" ", "\r\n"), (K:gsub("\n", "")),
      "\n\n\n" .. K, "#define ONE \\\r\n  1\r\n__global__ void k(int *p) { *p = ONE; }",
      "// caf\195\169 \226\130\172 \240\159\154\128\n" .. K, "// latin-1 \233\n" .. K, "\t\v\f" .. K,
    } do
      assert.equal(1, run(build(source):get_function "k"), source)
    end
    settles("old Mac line ends", "CompileError", build, "// one line\r" .. K)
    settles("two byte order marks", "CompileError", build, "\239\187\191\239\187\191" .. K)
  end)

  it("names with letters that are not ASCII", function()
    for _, name in ipairs { "gr\195\182\195\159e", "\206\177", "\230\149\176", "\240\159\154\128", "\\u00e4", "k$",
      "k\204\128" } do
      local ok, mod = pcall(build, ("__global__ void %s(int *p) { *p = 1; }"):format(name))
      if ok then
        assert.equal(1, run(mod:get_function(name)), name)
      else
        assert.is_true(cuda.is_error(mod, "CompileError"), tostring(mod))
      end
    end
  end)

  it("lines before and behind a kernel", function()
    for _, line in ipairs(turn.share(abuse.lines)) do
      for _, opts in ipairs(ways) do
        settles(line .. ", a kernel", "CompileError", build, line .. "\n" .. K, opts)
        settles("a kernel, " .. line, "CompileError", build, K .. line, opts)
        refused(line .. ", an include, an error", "CompileError", build,
          line .. "\n#include <cuda_fp16.h>\n" .. K .. "wrong wrong;\n", opts)
      end
    end
  end)

  describe("includes", function()
    local dir
    before_each(function()
      dir = os.tmpname()
      os.remove(dir)
      assert(os.execute("mkdir " .. dir) == 0)
    end)
    after_each(function() os.execute("rm -rf " .. dir) end)

    local function put(name, text)
      local file = assert(io.open(dir .. "/" .. name, "w"))
      file:write(text)
      file:close()
    end

    it("that go round in a loop", function()
      put("self.h", '#include "self.h"\n')
      put("a.h", '#include "b.h"\n')
      put("b.h", '#include "a.h"\n')
      put("twice.h", '#include "twice.h"\n#include "twice.h"\n')
      for _, name in ipairs { "self.h", "a.h", "twice.h" } do
        local source = ('#include "%s"\n%s'):format(name, K)
        local err = refused(name, "CompileError", cuda.SourceModule, source, { include_dirs = { dir } })
        assert.truthy(err.log:find(name, 1, true), err.log)
        refused(name, "CompileError", build, source, { include_dirs = { dir } })
        local headers = { ["self.h"] = '#include "self.h"\n', ["a.h"] = '#include "b.h"\n',
          ["b.h"] = '#include "a.h"\n', ["twice.h"] = '#include "twice.h"\n#include "twice.h"\n' }
        refused(name .. " in memory", "CompileError", cuda.SourceModule, source, { headers = headers })
      end
      refused("the source itself", "CompileError", build, '#include "kernel.cu"\n' .. K)
      refused("the source itself", "CompileError", build, "#include __FILE__\n" .. K)
      -- What guards itself may go round.
      put("once.h", '#pragma once\n#include "once.h"\n#include "twin.h"\n#define ONE 1\n')
      put("twin.h", '#ifndef TWIN\n#define TWIN\n#include "once.h"\n#include "twin.h"\n#endif\n')
      for _ = 1, 2 do
        local mod = cuda.SourceModule('#include "once.h"\n#include "once.h"\n__global__ void k(int *p) { *p = ONE; }',
          { include_dirs = { dir } })
        assert.equal(1, run(mod:get_function "k"))
      end
    end)

    it("that lead nowhere", function()
      os.execute(("cd %s; mkdir folder; ln -s loop loop; touch secret; chmod 0 secret; mkfifo fifo"):format(dir))
      for _, name in ipairs { "nope.h", "/nope/nope.h", "", " ", ".", "/", "folder", "loop", "/dev/zero", "/dev/stdin",
        "nope.h\\", ("x"):rep(5000), ("../"):rep(2000) .. "x" } do
        local source = ('#include "%s"\n%s'):format(name, K)
        local err = refused("#include " .. name, "CompileError", cuda.SourceModule, source, { include_dirs = { dir } })
        assert.truthy(err.log:find("kernel.cu(1)", 1, true), err.log)
        settles("#include <>", "CompileError", cuda.SourceModule, ("#include <%s>\n%s"):format(name, K),
          { include_dirs = { dir } })
      end
      settles("a file without permission", "CompileError", cuda.SourceModule, '#include "secret"\n' .. K,
        { include_dirs = { dir } })
      for _, where in ipairs { "/nowhere", "", "/dev/null", dir .. "/fifo", ("x"):rep(5000), "\255", "a\nb" } do
        settles("-I" .. where, "CompileError LogicError", build, K, { include_dirs = { where } })
      end
      -- The text around an error is looked for in the file that a #line names: not in one that has no end.
      for _, name in ipairs { "/dev/zero", dir .. "/fifo", dir } do
        refused("#line in " .. name, "CompileError", build, ('#line 1 "%s"\nwrong wrong;\n'):format(name))
      end
    end)

    it("of many headers", function()
      local lines = {}
      for i = 1, 500 do
        put("h" .. i .. ".h", ('#include "h%d.h"\n#define H%d %d\n'):format(i + 1, i, i))
        lines[i] = ('#include "m%d.h"'):format(i)
      end
      put("h501.h", "")
      settles("500 deep", "CompileError", cuda.SourceModule,
        '#include "h1.h"\n__global__ void k(int *p) { *p = H500; }', { include_dirs = { dir } })
      local headers = {}
      for i = 1, 2000 do headers[("m%d.h"):format(i)] = ("#define M%d %d\n"):format(i, i) end
      lines[#lines + 1] = "__global__ void k(int *p) { *p = M1 + M500; }"
      local mod = build(table.concat(lines, "\n"), { headers = headers })
      assert.equal(501, run(mod:get_function "k"))
    end)

    it("with names and texts of all sorts", function()
      for _, name in ipairs { "", " ", "a/b.h", "../x.h", "/etc/passwd", "x\ny.h", 'x".h', "a\\b.h", ("h"):rep(5000),
        "kernel.cu", "cuda_fp16.h", "stdio.h", "/", ".", "..", "\255\254", "<x>", "%s%n", "-I/x" } do
        settles("header " .. name, "CompileError LogicError", build, K, { headers = { [name] = "#define H 1\n" } })
        settles("header " .. name, "CompileError LogicError", build,
          ('#include "%s"\n%s'):format(name:gsub("[\n\"]", ""), K), { headers = { [name] = "#define H 1\n" } })
      end
      for _, headers in ipairs { "x", 5, true, print, { "x" }, { h = 5 }, { [true] = "x" }, { h = {} }, { [{}] = "" },
        { h = ffi.new "int[1]" }, { ["h\0x"] = "" }, { h = "int a;\0" } } do
        refused("headers", "LogicError", build, K, { headers = headers })
      end
      local guarded = setmetatable({}, { __index = error, __newindex = error })
      settles("a table with metamethods", "LogicError", build, K, { headers = guarded })
    end)
  end)

  it("deep nesting, in a program that has little stack itself", function()
    local code = ([[
      package.path = %q
      local cuda, abuse = require "cudalua", require "spec.support.abuse"
      local function compile(what, source)
        local ok, err = pcall(cuda.compile, source, { arch = "compute_80", cache_dir = false })
        if not ok and not cuda.is_error(err, "CompileError") then error(what .. ": " .. tostring(err)) end
        if not ok and #tostring(err) > 2 ^ 16 then error(what .. ": a text without end") end
        print(what, ok)
      end
      cuda.on_notice = function() end
      local n = %d
      for what, source in pairs(abuse.nested(20 * n)) do compile(what, source) end
      for what, source in pairs(abuse.nested_slow(3 * n / 10)) do compile(what, source) end
      coroutine.wrap(function() compile("in a coroutine", abuse.nested(20 * n).parentheses) end)()
      compile("a kernel that is right", "__global__ void k(int *p) { *p = 1; }")
      print "alive"
    ]]):format(package.path, gpu.sanitized and 100 or 1000)
    local out = gpu.child(code, "ulimit -s 512;")
    assert.truthy(out:find "parentheses\ttrue" and out:find "a kernel that is right\ttrue\nalive\n$", out)
  end)

  it("templates, constant expressions and macros without end", function()
    for what, source in pairs {
      ["a template of itself"] = "template<int N> struct S { enum { v = S<N + 1>::v }; };\nint v = S<0>::v;",
      ["a function of itself"] = "template<int N> int f() { return f<N + 1>(); }\nint v = f<0>();",
      ["a constant expression"] = "constexpr int f(int n) { return f(n + 1); }\nint a[f(0)];",
      ["a loop at compile time"] = "constexpr int f() { int n = 0; while (true) n++; return n; }\nint a[f()];",
      ["a type that grows"] = "template<class T> struct P { typedef typename P<P>::type type; };\nP<int>::type x;",
    } do
      refused(what, "CompileError", build, source, { no_extern_c = true })
    end
    for what, source in pairs {
      ["a macro of itself"] = "#define A A A\n" .. K .. "A",
      ["two macros of each other"] = "#define A B B\n#define B A A\n" .. K .. "A",
      ["a macro without its end"] = "#define F(x) x\n" .. K .. "F(",
      ["a macro with 10000 parameters"] = ("#define F(a%s)\n"):format((", b"):rep(10000)) .. K,
    } do
      refused(what, "CompileError", build, source)
    end
    local doubling = { "#define A0 +1\n" }
    for i = 1, 14 do doubling[i + 1] = ("#define A%d A%d A%d\n"):format(i, i - 1, i - 1) end
    doubling[#doubling + 1] = "__global__ void k(int *p) { *p = 0 A14; }"
    assert.equal(2 ^ 14, run(build(table.concat(doubling)):get_function "k"))
  end)

  it("1000 kernels in one module", function()
    local lines = {}
    for i = 1, 1000 do lines[i] = ("__global__ void kernel_%d(int *p, short n) { *p = n + %d; }"):format(i, i) end
    for _ = 1, 2 do -- compiled, then from the cache
      local mod = cuda.SourceModule(table.concat(lines, "\n"))
      assert.equal(8, run(mod:get_function "kernel_1", 7))
      assert.equal(1007, run(mod:get_function "kernel_1000", 7))
      gpu.raises("LogicError", "short n", mod:get_function "kernel_500", nil, 1e5, { block = 1 })
      local err = refused("kernel_1001", "LogicError", mod.get_function, mod, "kernel_1001")
      assert.truthy(err.message:find("kernel_1", 1, true))
      assert(#tostring(err) < 4000, "it lists them all")
    end
  end)

  it("1000 modules", function()
    local image = cuda.compile "__device__ int mine; __global__ void add(int *p, int n) { mine += n; *p = mine; }"
    local mods = {}
    for i = 1, 1000 do mods[i] = cuda.module_from_buffer(image) end
    for round = 1, 2 do
      for i = 1, 1000, 111 do assert.equal(i * round, run(mods[i]:get_function "add", cuda.int32(i))) end
    end
    mods = nil
    cuda.collect()
    for i = 1, 30 do
      assert.equal(i, run(build(("__global__ void k(int *p) { *p = %d; }"):format(i)):get_function "k"))
    end
    assert.is_nil(mods)
  end)

  it("names that do not exist", function()
    local mod = build(K)
    for _, name in ipairs { "nope", "", " ", "K", "k ", " k", "k\n", "_Z1kPi", "k(int*)", "%s%n", ("k"):rep(MB), "\255",
      "__cudalua_sig", "main", "cudaMalloc" } do
      local err = refused(name, "LogicError", mod.get_function, mod, name)
      assert.equal(nil, err.message:find("%z"))
      refused(name, "LogicError", mod.get_global, mod, name)
    end
    refused("a zero byte", "LogicError", mod.get_function, mod, "k\0")
    refused("a zero byte", "LogicError", mod.get_global, mod, "k\0")
    refused("a kernel is not a variable", "LogicError", mod.get_global, mod, "k")
    refused("no kernels at all", "LogicError", function() return build("int x;"):get_function "k" end)
    refused("nothing at all", "LogicError", function() return build(""):get_function "k" end)
    assert.equal(1, run(mod:get_function "k"))
  end)

  it("name expressions that are none", function()
    for i = 1, #abuse.name_expressions, gpu.sanitized and 4 or 1 do
      local name = abuse.name_expressions[i]
      refused(name, "CompileError LogicError", build, T, { no_extern_c = true, name_expressions = { name } })
      settles(name, "CompileError LogicError", build, T, { no_extern_c = true, name_expressions = { "t<int>", name } })
    end
    refused("a zero byte", "LogicError", build, T, { no_extern_c = true, name_expressions = { "t<int>\0" } })
    for _, list in ipairs { "t<int>", 5, true, { 5 }, { {} }, { "t<int>", false }, { [true] = "t<int>" } } do
      settles("name_expressions", "LogicError", build, T, { no_extern_c = true, name_expressions = list })
    end
    local names = {}
    for i = 1, 500 do names[i] = ("n<%d>"):format(i) end
    local mod = build("template<int N> __global__ void n(int *p) { *p = N; }",
      { no_extern_c = true, name_expressions = names })
    assert.equal(1, run(mod:get_function "n<1>"))
    assert.equal(500, run(mod:get_function "n<500>"))
    refused("one that was not asked for", "LogicError", mod.get_function, mod, "n<501>")
    for i = 1, 500 do names[i] = "t<int>" end
    mod = build(T, { no_extern_c = true, name_expressions = names })
    assert.equal(1, run(mod:get_function "t<int>"))
  end)

  it("options that are none", function()
    for _, options in ipairs(abuse.options) do
      settles(table.concat(options, " "), "CompileError LogicError RuntimeError", build, K, { options = options })
    end
    for _, options in ipairs { "-G", 5, true, print, { 5 }, { {} }, { false }, { "-G", print }, { "-DA\0B" } } do
      refused("options", "LogicError", build, K, { options = options })
    end
    local many = {}
    for i = 1, 5000 do many[i] = ("-DA%d=%d"):format(i, i) end
    local mod = build("__global__ void k(int *p) { *p = A1 + A5000; }", { options = many })
    assert.equal(5001, run(mod:get_function "k"))
    -- The message is about what the user gave, not about what stood behind it.
    for _, option in ipairs { "-D", "-U", "-include" } do
      local ok, err = pcall(build, K, { options = { option } })
      assert(ok or not tostring(err):find("/include", 1, true), tostring(err))
    end
    for _, options in ipairs { { "-dlto" }, { "--optix-ir" } } do
      local ok, err = pcall(build, K, { options = options })
      assert(ok or not tostring(err):find("got nil", 1, true), tostring(err))
    end
  end)

  it("other arguments that are none", function()
    for _, arch in ipairs { "", " ", "sm_", "sm_80 -G", "sm_80\n", "sm_1", "sm_99999999999", "compute_", "compute_80a",
      "native", "all", "sm_80,sm_90", "SM_80", "%s%n", ("9"):rep(10000) } do
      refused("arch " .. arch, "CompileError LogicError", cuda.compile, K, { arch = arch, cache_dir = false })
    end
    for _, arch in ipairs { true, print, { "sm_80", {} }, { 1, 2, 3, 4 }, -1, 0 / 0, 1 / 0 } do
      refused("arch", "LogicError CompileError", cuda.compile, K, { arch = arch, cache_dir = false })
    end
    for _, name in ipairs { "", " ", "a\nb.cu", 'a"b.cu', "a\\b.cu", "/", "/nope/x.cu", ("n"):rep(10000), "\255",
      "%s%n", "<x>", "." } do
      settles("name " .. name, "CompileError LogicError", build, K, { name = name })
      refused("name " .. name, "CompileError LogicError", build, K .. "wrong wrong;", { name = name })
    end
    refused("a zero byte", "LogicError", build, K, { name = "a\0b" })
    refused("an unknown option", "LogicError", build, K, { nonsense = 1 })
    refused("an option without a name", "LogicError", build, K, { "x" })
    refused("an option without a name", "LogicError", build, K, { [true] = 1 })
    gpu.refuses_nonsense(function(v) return cuda.SourceModule(K, { headers = v == "nonsense" and 1 or v }) end,
      { table = true, ["nil"] = true })
  end)

  describe("parameters", function()
    it("none at all", function()
      local kernel = build("__device__ int called; __global__ void k() { called = 7; }")
      kernel:get_function "k" { block = 1 }
      local p = ffi.new "int[1]"
      cuda.memcpy_dtoh(p, (kernel:get_global "called"))
      assert.equal(7, p[0])
      gpu.raises("LogicError", "takes 0 arguments", kernel:get_function "k", 1, { block = 1 })
    end)

    -- A struct of that many bytes besides the pointer, whose last byte is 9.
    local function of_bytes(n)
      local kernel = build(([[
        struct S { unsigned char b[%d]; };
        __global__ void k(int *p, S s) { *p = s.b[0] + s.b[%d]; }
      ]]):format(n, n - 1)):get_function "k"
      local s = ffi.new("uint8_t[?]", n)
      s[0], s[n - 1] = 100, 9
      assert.equal(109, run(kernel, s))
      assert.equal(109, run(kernel, ffi.string(s, n)))
      gpu.raises("LogicError", ("has %d bytes, but the value has %d"):format(n, n - 1), kernel, nil, ("x"):rep(n - 1),
        { block = 1 })
    end

    it("4 KiB of them, and as much as there may be", function()
      of_bytes(4096 - 8)
      of_bytes(4096 - 8 + 1)
      of_bytes(32764 - 8)
      local err = refused("too many bytes", "CompileError", of_bytes, 32768)
      assert.truthy(tostring(err.log):find("param", 1, true), tostring(err))
    end)

    it("1000 of them", function()
      local list, sum, args = {}, {}, {}
      for i = 1, 1000 do
        list[i], sum[i], args[i] = "int a" .. i, "a" .. i, i
      end
      local kernel = build(("__global__ void k(int *p, %s) { *p = %s; }"):format(table.concat(list, ", "),
        table.concat(sum, " + "))):get_function "k"
      assert.equal(500500, run(kernel, unpack(args)))
      args[777] = 0.5
      gpu.raises("LogicError", "argument 778 (int a777): 0.5", run, kernel, unpack(args))
      args[777], args[1000] = 777, nil
      gpu.raises("LogicError", "takes 1001 arguments", run, kernel, unpack(args))
    end)
  end)
end)
