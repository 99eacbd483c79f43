-- backend = "nvcc": by a script in nvcc's place, that writes down how it was called, everywhere; by nvcc itself where
-- it works, and where not, the tests are that the user is told so.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local core = require "cudalua.core"

local source = "__global__ void k(int *p, int n) { *p = n + 1; }\n"

local folder -- of this spec

local function path(name) return folder .. "/" .. name end

local function write(name, text)
  local file = assert(io.open(path(name), "wb"))
  file:write(text)
  file:close()
  return path(name)
end

local function read(name)
  local file = io.open(path(name), "rb")
  if not file then return nil end
  local text = file:read "*a"
  file:close()
  return text
end

local function lines(text)
  local list = {}
  for line in text:gmatch "([^\n]*)\n" do list[#list + 1] = line end
  return list
end

-- A compiler that notes its arguments, one a line, and what else it was given; then does what `last` says.
local function fake(last)
  local script = write("fake nvcc", ([[#!/bin/sh
for a in "$@"; do printf '%%s\n' "$a"; source=$a; done >'%s/args'
while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
cp "$source" '%s/source'
{ echo "$TMPDIR"; echo "$CUDALUA_SPEC_VARIABLE"; ls -A "$TMPDIR"; } >'%s/environment'
cat >'%s/stdin'
%s
]]):format(folder, folder, folder, folder, last or ("cp '%s' \"$out\""):format(path "k.ptx")))
  os.execute(("chmod +x '%s'"):format(script))
  return script
end

local function built(opts, text)
  opts.backend, opts.cache_dir = "nvcc", opts.cache_dir or false
  return cuda.compile(text or source, opts)
end

local function index_of(list, value)
  for i, v in ipairs(list) do
    if v == value then return i end
  end
end

-- Folders of compilations that are still there.
local function left_over()
  local names = {}
  for _, name in ipairs(core.list_folder(folder)) do
    if name:find "^cudalua%-nvcc%-" then names[#names + 1] = name end
  end
  return names
end

describe("the backend nvcc", function()
  local on_notice, temporary = cuda.on_notice, os.getenv "TMPDIR"
  local heard -- the last notice

  setup(function()
    cuda.on_notice = function(text) heard = text end
    gpu.context()
    folder = core.make_folder "/tmp/cudalua spec-"
    write("k.ptx", (cuda.compile(source, { arch = "compute_80" })))
    ffi.cdef "int setenv(const char *, const char *, int); int unsetenv(const char *);"
    ffi.C.setenv("TMPDIR", folder, 1)
    ffi.C.setenv("CUDALUA_SPEC_VARIABLE", "kept", 1)
  end)
  teardown(function()
    cuda.on_notice = on_notice
    if temporary then ffi.C.setenv("TMPDIR", temporary, 1) else ffi.C.unsetenv "TMPDIR" end
    ffi.C.unsetenv "CUDALUA_SPEC_VARIABLE"
    core.remove_folder(folder)
  end)
  before_each(gpu.context)

  it("calls the compiler with the arguments that were given, and no shell sees them", function()
    local hostile = { "-DA=1 2", "-DB=\"quoted'\"", "-DC=$(touch owned)`touch owned`;touch owned", "-D*", "", "-DX=\n" }
    local image, log = built{ nvcc = fake(), arch = "sm_90", options = hostile, include_dirs = { "some where" } }
    assert.equal(read "k.ptx", image)
    assert.is_nil(log)
    local args = read "args"
    for _, option in ipairs(hostile) do assert.truthy(args:find("\n" .. option .. "\n", 1, true), option) end
    args = lines(args)
    assert.equal(gpu.soft and "--ptx" or "--cubin", args[1])
    assert.truthy(index_of(args, gpu.soft and "-arch=compute_90" or "-arch=sm_90"))
    assert.truthy(index_of(args, "-Isome where"))
    assert.truthy(args[#args]:find "^/tmp/.*/kernel%.cu$")
    assert.equal("-o", args[#args - 2])
    local environment = lines(read "environment")
    assert.truthy(environment[1]:find(folder .. "/cudalua-nvcc-", 1, true))
    assert.equal("kept", environment[2])
    assert.equal("", read "stdin")
    assert.same({}, left_over())
  end)

  it("architecture and kind of output are the device's, or the user's", function()
    local major, minor = cuda.Device(0):compute_capability()
    local compiler = fake()
    local function args(opts)
      opts.nvcc = compiler
      built(opts)
      return lines(read "args")
    end
    local list = args{}
    assert.truthy(index_of(list, ("-arch=%s_%d%d"):format(gpu.soft and "compute" or "sm", major, minor)))
    assert.equal(gpu.soft, index_of(list, "--ptx") ~= nil)
    assert.equal(not gpu.soft, index_of(list, "--cubin") ~= nil)
    assert.equal(gpu.soft, index_of(list, "-lineinfo") ~= nil) -- its reports name lines
    list = args{ arch = "compute_80" }
    assert.truthy(index_of(list, "--ptx"))
    assert.truthy(index_of(list, "-arch=compute_80"))
    list = args{ arch = "sm_90", target = "ptx" }
    assert.truthy(index_of(list, "--ptx"))
    assert.truthy(index_of(list, "-arch=sm_90"))
    list = args{ arch = { 9, 0 }, target = "cubin" }
    assert.truthy(index_of(list, "--cubin"))
    assert.truthy(index_of(list, "-arch=sm_90"))
    list = args{ arch = "compute_90", target = "ltoir" }
    assert.truthy(index_of(list, "--ltoir"))
    assert.truthy(index_of(list, "-dlto"))
    assert.truthy(index_of(list, "-arch=sm_90"))
    list = args{ arch = "compute_80", code = "sm_90", std = "c++14", debug = true }
    assert.truthy(index_of(list, gpu.soft and "-arch=compute_90" or "-arch=sm_90"))
    assert.truthy(index_of(list, "-std=c++14"))
    assert.truthy(index_of(list, "-G"))
    list = args{ options = { "-arch=sm_86" } }
    assert.is_nil(index_of(list, ("-arch=%s_%d%d"):format(gpu.soft and "compute" or "sm", major, minor)))
  end)

  it("the source has the user's line numbers and name; headers are files", function()
    built({ nvcc = fake "cp -r \"$TMPDIR/include\" \"$TMPDIR/../seen\"; echo >\"$out\"", name = "dir/my \"k\".cu",
      headers = { ["a.h"] = "// A", ["sub/b/c.h"] = "// C" } }, "int x;\n")
    local text = read "source"
    assert.equal('#line 1 "dir/my _k_.cu"\nextern "C" {\n#line 1\nint x;\n', text:sub(1, 52))
    assert.equal("// A", read "seen/a.h")
    assert.equal("// C", read "seen/sub/b/c.h")
    assert.truthy(lines(read "args")[1])
    assert.truthy(read "args":find("/my__k_.cu\n", 1, true))
    assert.truthy(read "args":find("\n-I" .. folder, 1, true))
    built({ nvcc = fake(), no_extern_c = true }, "int x;\n")
    assert.equal('#line 1 "kernel.cu"\nint x;\n', read "source")
    assert.same({}, left_over())
  end)

  it("cuda.SourceModule loads what it made", function()
    local mod = cuda.SourceModule(source, { backend = "nvcc", nvcc = fake(), cache_dir = false })
    local p = ffi.new "int[1]"
    mod:get_function "k"(cuda.InOut(p), cuda.int32(41), { block = 1 })
    assert.equal(42, p[0])
  end)

  it("a failure is a CompileError with both outputs, the command and the source", function()
    local compiler = fake "echo \"$source(1): error: no\" >&2; echo to stdout; exit 3"
    local err = gpu.error_of("CompileError", built, { nvcc = compiler, options = { "-x" } })
    assert.equal("kernel.cu does not compile: line 1: no", err.message)
    assert.equal("nvcc ended with exit code 3", err.msg)
    assert.equal("kernel.cu(1): error: no\n", err.stderr) -- not the path of our folder
    assert.equal("to stdout\n", err.stdout)
    assert.equal(err.stderr .. err.stdout, err.log)
    assert.equal(core.realpath(compiler), err.command_line[1])
    assert.truthy(index_of(err.command_line, "-x"))
    assert.equal(source, err.source)
    assert.truthy(tostring(err):find("> +1 | __global__ void k"))
    err = gpu.error_of("CompileError", built, { nvcc = fake "kill -9 $$" })
    assert.truthy(err.message:find("terminated by signal 9", 1, true))
    err = gpu.error_of("CompileError", built, { nvcc = fake "exit 0" })
    assert.truthy(err.message:find("left no output", 1, true))
    assert.same({}, left_over())
  end)

  it("where the source does not compile with what tells its signatures, it is compiled without", function()
    local compiler = fake(("if grep -q __cudalua_sig \"$source\"; then echo '<cudalua>(3): error' >&2; exit 1; fi\n" ..
      "cp '%s' \"$out\""):format(path "k.ptx"))
    assert.equal(read "k.ptx", built{ nvcc = compiler })
    assert.is_nil(read "source":find("__cudalua_sig", 1, true))
    local err = gpu.error_of("CompileError", built, { nvcc = fake(
      "grep -q __cudalua_sig \"$source\" && echo '<cudalua>(3): error'; echo 'user error'; exit 1") })
    assert.equal("user error\n", err.log)
  end)

  it("warnings are the second result, and a notice", function()
    local _, log = built{ nvcc = fake(("echo careful >&2; cp '%s' \"$out\""):format(path "k.ptx")) }
    assert.equal("careful\n", log)
    assert.equal("compiling kernel.cu: careful", heard)
  end)

  it("keep leaves what went in and what came out", function()
    local function kept(opts)
      opts.backend, opts.keep, opts.arch, opts.options = "nvcc", true, "compute_80", { "-DX" }
      return pcall(cuda.SourceModule, source, opts)
    end
    local ok, mod = kept{ nvcc = fake() }
    local failed, err = kept{ nvcc = fake "exit 1" }
    assert.is_true(ok, tostring(mod))
    assert.is_false(failed)
    assert.truthy(heard:find(err.keep_dir, 1, true))
    assert.equal(folder .. "/", mod.keep_dir:sub(1, #folder + 1))
    local function file(of, name) return read(of.keep_dir:sub(#folder + 2) .. "/" .. name) end
    assert.truthy(file(mod, "kernel.cu"):find(source, 1, true))
    assert.truthy(file(err, "kernel.cu"):find(source, 1, true))
    assert.equal(read "k.ptx", file(mod, "kernel.ptx"))
    assert.is_nil(file(err, "kernel.ptx"))
    assert.truthy(file(mod, "options.txt"):find("-arch=compute_80\n.*%-DX\n"))
    core.remove_folder(mod.keep_dir)
    core.remove_folder(err.keep_dir)
    assert.same({}, left_over())
  end)

  it("results are in the disk cache, by the compiler and all that it is given", function()
    local compiler = fake(("echo x >>'%s/runs'; cp '%s' \"$out\""):format(folder, path "k.ptx"))
    local cache_dir = core.make_folder(folder .. "/cache-")
    local function runs(opts, text)
      opts.nvcc, opts.cache_dir = compiler, cache_dir
      assert.equal(read "k.ptx", (built(opts, text)))
      return #(read "runs" or "") / 2
    end
    assert.equal(1, runs{})
    assert.equal(1, runs{})
    assert.equal(2, runs{ options = { "-DX" } })
    assert.equal(3, runs({}, source .. "\n"))
    assert.equal(4, runs{ headers = { ["a.h"] = "1" } })
    assert.equal(5, runs{ headers = { ["a.h"] = "2" } })
    assert.equal(5, runs{ headers = { ["a.h"] = "1" } })
    compiler = fake(("echo x >>'%s/runs'; cp '%s' \"$out\" #"):format(folder, path "k.ptx"))
    assert.equal(6, runs{})
    assert.equal(6, runs{})
  end)

  it("a compiler that is not there, or cannot be run", function()
    local err = gpu.raises("RuntimeError", "nvcc, CUDA's compiler, was not found", built, { nvcc = "/nowhere/nvcc" })
    assert.equal("/nowhere/nvcc", err.detail)
    assert.truthy(err.hint:find("CUDALUA_NVCC", 1, true))
    err = gpu.raises("RuntimeError", "was not found", built, { nvcc = "no-such-nvcc" })
    assert.truthy(err.detail:find("no no-such-nvcc in PATH", 1, true))
    gpu.raises("RuntimeError", "Permission denied", built, { nvcc = write("not a program", "") })
    assert.same({}, left_over())
  end)

  it("a program that takes the ends of its children away gets its result", function()
    local code = [[
      local cuda, ffi = require "cudalua", require "ffi"
      ffi.cdef "void (*signal(int sig, void (*f)(int)))(int);"
      ffi.C.signal(17, ffi.cast("void (*)(int)", 1)) -- SIGCHLD, SIG_IGN
      print(#cuda.compile("", { backend = "nvcc", nvcc = "COMPILER", arch = "sm_90", cache_dir = false }))
    ]]
    fake("echo >\"$out\"")
    local text, ok = gpu.child((code:gsub("COMPILER", path "fake nvcc")))
    assert.is_true(ok, text)
    assert.equal("1\n", text)
  end)

  it("bad input", function()
    local compiler = fake()
    local function refuses(text, opts) gpu.raises("LogicError", text, built, opts) end
    for _, name in ipairs{ "pch", "time", "minimal" } do
      refuses("option " .. name, { nvcc = compiler, [name] = true })
    end
    refuses("name_expressions", { nvcc = compiler, name_expressions = { "k" } })
    refuses("unknown option 'nvc'", { nvc = compiler })
    refuses("nvcc must be a string", { nvcc = 1 })
    refuses("option target must", { nvcc = compiler, target = "elf" })
    refuses("options[1]", { nvcc = compiler, options = { 1 } })
    refuses("zero byte", { nvcc = compiler, options = { "a\0b" } })
    refuses("include_dirs[1]", { nvcc = compiler, include_dirs = { {} } })
    refuses("zero byte", { nvcc = compiler, arch = "sm\0_90" })
    for _, name in ipairs{ "../a.h", "/a.h", "a/../../b.h" } do
      refuses("below a folder", { nvcc = compiler, headers = { [name] = "" } })
    end
    refuses("headers must be", { nvcc = compiler, headers = { "text" } })
    gpu.refuses_nonsense(function(v) cuda.compile(v, { backend = "nvcc", nvcc = compiler }) end, { string = true })
    gpu.refuses_nonsense(function(v) cuda.compile(source, { backend = "nvcc", nvcc = v }) end, { ["nil"] = true })
    assert.same({}, left_over())
  end)

  it("nvcc itself", function()
    local ok, err = pcall(built, { options = {} })
    if not ok and not err.message:find("does not compile", 1, true) then -- not installed
      assert.truthy(cuda.is_error(err, "RuntimeError") and err.message:find("was not found", 1, true), tostring(err))
      return
    elseif not ok then -- not all of it is: it says itself what it misses
      assert.truthy(err.log ~= "" or err.stdout ~= "")
      return
    end
    local mod = cuda.SourceModule([[
      #include <cuda_fp16.h>
      struct Pair { float a; double b; };
      __device__ int offset = 1;
      __global__ void k(int *p, const float *__restrict__ x, Pair pair, short n, unsigned long long m) {
        int unused;
        *p = (int)(x[0] + pair.a + pair.b) + n + (int)m + offset;
      }
      __global__ void other(double d, int *p) { *p = (int)d; }
    ]], { backend = "nvcc", cache_dir = false })
    assert.truthy(mod.log:find("kernel.cu(5): warning", 1, true), mod.log)
    local p, x = ffi.new "int[1]", ffi.new("float[1]", 10)
    -- Plain numbers: the types of the parameters are known.
    mod:get_function "k"(cuda.InOut(p), cuda.In(x), ffi.new("struct { float a; double b; }", 1, 2), 4, 8, { block = 1 })
    assert.equal(26, p[0])
    mod:get_function "other"(42.5, cuda.InOut(p), { block = 1 })
    assert.equal(42, p[0])
    err = gpu.raises("LogicError", "short n", function()
      mod:get_function "k"(cuda.InOut(p), cuda.In(x), ffi.new "struct { float a; double b; }", 4.5, 8, { block = 1 })
    end)
    assert.equal("k", err.kernel)
    -- Overloads and namespaces have no signature by name, and compile.
    local image = built({ no_extern_c = true }, [[
      __global__ void twice(int *) {} __global__ void twice(float *) {}
      namespace inner { __global__ void hidden(int *) {} }
    ]])
    assert.truthy(image:find("hidden", 1, true))
    err = gpu.error_of("CompileError", built, {}, "__global__ void k() {\n  nope;\n}\n")
    assert.truthy(err.log:find("^kernel.cu%(2%): error: identifier \"nope\" is undefined"), err.log)
    err = gpu.error_of("CompileError", built, {}, "template<class T> __global__ void k() {}")
    assert.truthy(err.hint:find("no_extern_c", 1, true))
    err = gpu.error_of("CompileError", built, { options = { "--no-such-option" } })
    assert.truthy(err.log:find("no-such-option", 1, true))
    local pieces = cuda.DynamicModule{ backend = "nvcc", cache_dir = false }
    pieces:add_source "extern __device__ int f(int); __global__ void k(int *p, int n) { *p = f(n); }"
    pieces:add_source "__device__ int f(int n) { return 2 * n; }"
    pieces:link():get_function "k"(cuda.InOut(p), 21, { block = 1 })
    assert.equal(42, p[0])
    assert.same({}, left_over())
  end)
end)
