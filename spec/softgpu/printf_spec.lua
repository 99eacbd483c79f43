-- What kernels print, and what stops them: printf, assert, trap, and memory that they allocate. What a process prints
-- is looked at from outside, so most of this runs in children.
local gpu = require "spec.support.gpu"

local head = [[
local cuda = require "cudalua"
require "cudalua.autoinit"
local function kernel(source, name, options)
  return cuda.SourceModule(source, options):get_function(name or "k")
end
local sync = cuda.Context.synchronize
]]

-- What the code prints, stdout and stderr together in one file.
local function run(code, environment)
  return gpu.child(head .. code, gpu.driver .. " CUDALUA_SOFT_REPORT=off " .. (environment or ""))
end

local function prints(expected, code, environment)
  local text, ok = run(code, environment)
  assert.equal(expected, text)
  assert.is_true(ok)
end

describe("printf in kernels", function()
  it("reaches stdout at cuda.Context.synchronize, in the order of the threads of a warp", function()
    local expected = { "before" }
    for i = 0, 31 do expected[#expected + 1] = ("thread %d of 32"):format(i) end
    expected[#expected + 1] = "after\n"
    prints(table.concat(expected, "\n"), [[
      local k = kernel 'extern "C" __global__ void k() { printf("thread %d of %d\\n", threadIdx.x, blockDim.x); }'
      print "before"
      io.stdout:flush()
      k({block = 32})
      sync()
      print "after"
    ]])
  end)

  it("takes vprintf with its result and, as some compilers declare it, without", function()
    local function prints_twice(expected, result, variable, given, taken)
      local code = ([[
        local k = cuda.module_from_buffer [=[
          .version 7.0
          .target sm_80
          .address_size 64
          .extern .func RESULT vprintf(.param .b64 format, .param .b64 arguments);
          .global .align 1 .b8 text[7] = {37, 100, 32, 37, 100, 10, 0};
          .visible .entry k()
          {
            .reg .b32 %r<4>;
            .reg .b64 %rd<4>;
            .local .align 8 .b8 arguments[8];
            .local .align 4 .b8 kept[4];
            mov.b32 %r1, 77;
            st.local.b32 [kept], %r1;
            mov.b32 %r1, 1;
            st.local.b32 [arguments], %r1;
            mov.b32 %r1, 5;
            st.local.b32 [arguments+4], %r1;
            mov.u64 %rd1, text;
            cvta.global.u64 %rd1, %rd1;
            mov.u64 %rd2, arguments;
            cvta.local.u64 %rd2, %rd2;
            { VARIABLE .param .b64 f; st.param.b64 [f], %rd1; .param .b64 a; st.param.b64 [a], %rd2;
              call.uni GIVEN vprintf, (f, a); TAKEN }
            ld.local.b32 %r1, [kept];
            st.local.b32 [arguments], %r1;
            { VARIABLE .param .b64 f; st.param.b64 [f], %rd1; .param .b64 a; st.param.b64 [a], %rd2;
              call.uni GIVEN vprintf, (f, a); }
            ret;
          }
        ]=]:get_function "k"
        k({block = 1})
        sync()
      ]]):gsub("%u%u%u%u+", { RESULT = result, VARIABLE = variable, GIVEN = given, TAKEN = taken })
      prints(expected, code)
    end
    prints_twice("1 5\n77 5\n", "", "", "", "")
    prints_twice("1 5\n77 2\n", "(.param .b32 count)", ".param .b32 c;", "(c),",
      "ld.param.b32 %r2, [c]; st.local.b32 [arguments+4], %r2;")
  end)

  it("comes whole from blocks of many warps", function()
    local text, ok = run [[
      local k = kernel 'extern "C" __global__ void k() { printf("%d:%d;", blockIdx.x, threadIdx.x); }'
      k({grid = 3, block = 100})
      sync()
    ]]
    local seen, n = {}, 0
    for block, thread in text:gmatch "(%d+):(%d+);" do
      seen[block .. ":" .. thread] = true
      n = n + 1
    end
    assert.is_true(ok)
    assert.equal(300, n)
    for b = 0, 2 do
      for t = 0, 99 do assert.is_true(seen[b .. ":" .. t]) end
    end
  end)

  it("stands in order with what Lua prints, with stdout in a file and nothing flushed", function()
    prints("a\nkernel 1\nb\nkernel 2\nc", [[
      local k = kernel 'extern "C" __global__ void k(int n) { printf("kernel %d\\n", n); }'
      io.write "a\n"
      k(1, {block = 1})
      sync()
      print "b"
      k(2, {block = 1})
      sync()
      io.write "c"
    ]])
  end)

  it("is there after each call that waits", function()
    prints("1 a 2 b 3 c 4 d 5 e 6 f", [[
      local image = cuda.compile 'extern "C" __global__ void k(int n) { printf("%d ", n); }'
      local mod = cuda.module_from_buffer(image)
      local k = mod:get_function("k", {args = {"int"}})
      local function say(text) io.write(text) io.stdout:flush() end
      local s, e = cuda.Stream(), cuda.Event()
      local mem = cuda.mem_alloc(4)
      k(1, {block = 1, stream = s})
      s:synchronize()
      say "a "
      k(2, {block = 1, stream = s})
      e:record(s)
      e:synchronize()
      say "b "
      k(3, {block = 1})
      cuda.memcpy_dtoh(require("ffi").new "int[1]", mem)
      say "c "
      k(4, {block = 1, time_kernel = true})
      say "d "
      k(5, {block = 1})
      mod:close()
      say "e "
      k = cuda.module_from_buffer(image):get_function("k", {args = {"int"}})
      cuda.set_debugging(true)
      k(6, {block = 1})
      say "f"
    ]])
  end)

  it("works from nested pcalls and coroutines, and after an error", function()
    prints("in 1 in 2 in 3 ", [[
      local k = kernel 'extern "C" __global__ void k(int n) { printf("in %d ", n); }'
      assert(pcall(pcall, function()
        k(1, {block = 1})
        sync()
      end))
      coroutine.wrap(function()
        k(2, {block = 1})
        sync()
      end)()
      assert(not pcall(function()
        k(3, {block = 1})
        error "later"
      end))
      sync()
    ]])
  end)

  it("goes where stdout goes: into a pipe", function()
    local text = run [[
      io.stdout:flush()
      local script = os.tmpname()
      local f = io.open(script, "w")
      f:write 'local cuda = require "cudalua" require "cudalua.autoinit" '
      f:write [=[
        cuda.SourceModule 'extern "C" __global__ void k() { printf("through a pipe\\n"); }':get_function "k" {block = 1}
        cuda.Context.synchronize()
      ]=]
      f:close()
      local pipe = io.popen((arg and arg[-1] or "luajit") .. " " .. script)
      io.write("read: ", (pipe:read "*a"))
      pipe:close()
      os.remove(script)
    ]]
    assert.equal("read: through a pipe\n", text)
  end)

  it("formats as documented, and returns the number of arguments", function()
    prints([[
int -1 4294967295 ff 0xff 17 Z
wide -5 18446744073709551615 ffffffffffffffff
real 1.500000 1.5e+00 0.3 1e-05 0x1.8p+0
pad [   42] [42   ] [00042] [+42] [  hi] [hi  ] [h]
text one two 100%
short -7 200
returned 6 0
]], [[
      local k = kernel([=[extern "C" __global__ void k(int *out) {
        char c = -7;
        unsigned char u = 200;
        float f = 1.5f;
        out[0] = printf("int %d %u %x %#x %o %c\n", -1, 0xffffffffu, 255, 255, 15, 'Z');
        printf("wide %lld %llu %lx\n", -5ll, ~0ull, ~0ul);
        printf("real %f %.1e %.1f %g %a\n", f, f, 0.3f, 1e-5, 1.5);
        printf("pad [%5d] [%-5d] [%05d] [%+d] [%4s] [%-4s] [%.1s]\n", 42, 42, 42, 42, "hi", "hi", "hi");
        printf("text %s %s %d%%\n", "one", "two", 100);
        printf("short %d %u\n", c, u);
        out[1] = printf("");
      }]=])
      local out = require("ffi").new "int[2]"
      k(cuda.Out(out), {block = 1})
      print("returned " .. out[0] .. " " .. out[1])
    ]])
  end)

  it("keeps the text of a buffer whose size is set, and loses some of more", function()
    local text, ok = run [[
      cuda.Context.set_limit("printf_fifo_size", 65536)
      local k = kernel([=[extern "C" __global__ void k(int n) {
        for (int i = 0; i < n; i++) printf("%d\n", i);
      }]=])
      k(10, {block = 1})
      sync()
      io.write "---\n"
      io.stdout:flush()
      k(1000000, {block = 1})
      sync()
    ]]
    assert.is_true(ok)
    assert.equal("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n---\n", text:sub(1, 24))
    assert.is_true(#text > 1000 and #text < 6888890)
    if gpu.soft then assert.equal("999999\n", text:sub(-7)) end -- the oldest went
  end)
end)

describe("assert in kernels", function()
  local code = [[
    local k = kernel('extern "C" __global__ void k(const int *a) {\n  assert(a[threadIdx.x] < 3 && "too large");\n}',
      "k", {name = "check.cu"})
    k(cuda.In(require("ffi").new("int[4]", 0, 1, 2, LAST)), {block = 4})
    local ok, err = pcall(sync)
    if ok then print "fine" return end
    print(err.class, err.code == cuda.result.ASSERT, err.name, err.sticky, err.kernel, err.hint)
    print(err.detail)
    print(pcall(cuda.mem_alloc, 4))
  ]]

  it("that hold say nothing", function()
    prints("fine\n", (code:gsub("LAST", "2")))
  end)

  it("that fail are a LaunchError, their text is on stderr, and in its detail on the software device", function()
    local text = run((code:gsub("LAST", "3")))
    local expected = 'check.cu:2: void k(const int *): block: [0,0,0], thread: [3,0,0] Assertion `a[threadIdx.x] < 3 '
      .. '&& "too large"` failed.'
    assert.truthy(text:find(expected, 1, true), text)
    assert.truthy(text:find("LaunchError\ttrue\tCUDA_ERROR_ASSERT\ttrue\tk\tan assert() in the kernel failed", 1, true),
      text)
    assert.truthy(text:find("false\t[^\n]*assert"), text)
    if not gpu.soft then return end
    expected = 'thread (3,0,0): assertion `a[threadIdx.x] < 3 && "too large"` failed in void k(const int *)'
    assert.truthy(text:find(expected, 1, true), text)
  end)

  it("let what was printed before them through", function()
    local text = run [[
      local k = kernel 'extern "C" __global__ void k(int n) { printf("before\\n"); assert(n > 0); printf("after\\n"); }'
      k(0, {block = 1})
      print(pcall(sync))
    ]]
    assert.truthy(text:find("before\n", 1, true), text)
    assert.is_nil(text:find("\nafter\n", 1, true))
    assert.truthy(text:find("Assertion `n > 0` failed.", 1, true), text)
  end)

  it("are left out with -DNDEBUG", function()
    prints("fine\n", [[
      kernel('extern "C" __global__ void k(int n) { assert(n > 0); }', "k", {options = {"-DNDEBUG"}})(0, {block = 1})
      sync()
      print "fine"
    ]])
  end)
end)

describe("trap in kernels", function()
  it("is a LaunchError that names the kernel, and its line and thread on the software device", function()
    local text = run [[
      local k = kernel('extern "C" __global__ void k(int n) {\n  if (threadIdx.x == n)\n    __trap();\n}', "k",
        {name = "stops.cu"})
      k(5, {block = 8})
      local ok, err = pcall(sync)
      print(err.class, err.code == cuda.result.LAUNCH_FAILED, err.kernel)
      print(err.detail)
    ]]
    assert.truthy(text:find("LaunchError\ttrue\tk\n", 1, true), text)
    if not gpu.soft then return end
    assert.truthy(text:find("stops.cu:3 %(PTX line %d+%), block %(0,0,0%), thread %(5,0,0%): trap"), text)
  end)

  it("is found where it was inlined, too", function()
    if not gpu.soft then pending "a GPU does not say" end
    local text = run [[
      local k = kernel("__device__ void inner(int n) {\n  if (n == 3) __trap();\n}\n" ..
        "__device__ void outer(int n) {\n  inner(n + 1);\n}\n" ..
        'extern "C" __global__ void k(int n) {\n  outer(n);\n}', "k", {name = "stops.cu"})
      k(2, {block = 1})
      print(select(2, pcall(sync)).detail)
    ]]
    assert.truthy(text:find("stops.cu:2, inlined at %S*stops.cu:8 %(PTX line"), text)
  end)
end)

describe("malloc in kernels", function()
  it("gives memory that later kernels find, and new and delete work", function()
    prints("sum 496\nleft 0\n", [[
      local mod = cuda.SourceModule([=[
        struct Node { int value; Node *next; __device__ Node(int v, Node *n) : value(v), next(n) {} };
        __device__ Node *list;
        __device__ int left;
        extern "C" __global__ void build(int n) {
          for (int i = 0; i < n; i++) { left++; list = new Node(i, list); }
        }
        extern "C" __global__ void sum(int *out) {
          int s = 0;
          for (const Node *p = list; p; p = p->next) s += p->value;
          *out = s;
        }
        extern "C" __global__ void clear(int *out) {
          while (list) { Node *n = list->next; delete list; list = n; left--; }
          *out = left;
        }]=], {no_extern_c = true})
      local out = require("ffi").new "int[1]"
      mod:get_function "build"(32, {block = 1})
      mod:get_function "sum"(cuda.Out(out), {block = 1})
      print("sum " .. out[0])
      mod:get_function "clear"(cuda.Out(out), {block = 1})
      print("left " .. out[0])
    ]])
  end)

  it("gives a null pointer when the heap, whose size is a limit, is full", function()
    prints("true\ttrue\n", [[
      cuda.Context.set_limit("malloc_heap_size", 4 * 1024 * 1024)
      local k = kernel([=[extern "C" __global__ void k(int *got) {
        char *p = (char *)malloc(1 << 20);
        if (p) { p[0] = 1; p[(1 << 20) - 1] = 2; }
        got[threadIdx.x] = p != 0;
      }]=])
      local got, n = require("ffi").new "int[32]", 0
      k(cuda.Out(got), {block = 32})
      for i = 0, 31 do n = n + got[i] end
      print(n >= 1, n <= 31)
    ]])
  end)

  it("is checked on the software device: past the end, after free, and freed twice", function()
    if not gpu.soft then pending "a GPU does not look" end
    local code = [[
      local k = kernel([=[extern "C" __global__ void k(int *out) {
        char *p = (char *)malloc(100);
        *out = p != 0;
        BODY
      }]=])
      local out = require("ffi").new "int[1]"
      local _, err = pcall(k, cuda.Out(out), {block = 1})
      print(err.code, err.detail)
    ]]
    local function says(body, expected)
      local text = run((code:gsub("BODY", body)))
      assert.truthy(text:find(expected), text)
    end
    says("p[100] = 1;", "^700\t.*store of 1 bytes .*right after the end of "
      .. "memory from malloc in a kernel %(100 bytes")
    says("free(p); p[0] = 1;", "^700\t.*the memory was freed: 0 bytes into what was memory from malloc in a kernel")
    says("free(p); free(p);", "^719\t.*free of 0x%x+, which was already freed")
    says("free(out);", "^719\t.*free of 0x%x+, which malloc in a kernel did not return")
  end)
end)
