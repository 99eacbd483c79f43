-- Streams in the background: work runs while the program sleeps, as on a GPU. spec/c/background_test.c has more of it.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local soft = gpu.soft and require "cudalua.softgpu"

ffi.cdef [[
  struct cudalua_background_poll { int fd; short events, revents; };
  int cudalua_background_poll(struct cudalua_background_poll *fds, unsigned long n, int timeout) __asm__("poll");
]]

local SOURCE = [[
  __global__ void count(unsigned *a, unsigned n) {
    volatile unsigned *p = a;
    for (unsigned i = 0; i < n; i++) *p = *p + 1;
  }
  __global__ void beyond(unsigned *a) { a[1 << 20] = 1; }
]]

-- What a program of its own prints, which has cuda, soft and SOURCE.
-- What a program prints. `lossy`: it ends in the middle of work, or with functions that no kernel's end will call, so
-- that memory is lost with the process.
local function output_of(program, lossy)
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write("local cuda, soft = require 'cudalua', require 'cudalua.softgpu'\n")
  file:write(("local SOURCE = [[%s]]\n"):format(SOURCE), program)
  file:close()
  local pipe = assert(io.popen(("%s %s luajit %s 2>&1"):format(gpu.driver,
    lossy and "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0" or "", name)))
  local out = pipe:read "*a"
  pipe:close()
  os.remove(name)
  return out
end

describe("streams in the background", function()
  local module
  before_each(function()
    gpu.context()
    module = module or cuda.SourceModule(SOURCE)
    if soft then soft.streams "background" end
  end)
  after_each(function()
    cuda.Context.synchronize()
    if soft then
      soft.streams "deferred"
      soft.log "off"
    end
  end)

  it("make cuda.completion_fd readable while the process sleeps, with no call in between", function()
    local s, a, done = cuda.Stream(), cuda.gpuarray.zeros({ 1 }, "uint32"), false
    local fd = cuda.completion_fd()
    local count = module:get_function "count"
    count(a, 1, { block = 1, stream = s })
    s:synchronize()
    if soft then soft.log "on" end
    count(a, 400000, { block = 1, stream = s })
    s:on_complete(function() done = true end)
    local at = cuda.Event():record(s)
    assert.is_false(s:is_done())
    assert.is_false(at:query())
    local calls = soft and #soft.calls()
    assert.equal(1, ffi.C.cudalua_background_poll(ffi.new("struct cudalua_background_poll", { fd, 1, 0 }), 1, 60000))
    if soft then assert.equal(calls, #soft.calls()) end
    assert.is_false(done)
    assert.equal(1, cuda.poll())
    assert.is_true(done)
    s:synchronize()
    assert.is_true(at:query())
    assert.equal(400001, a:get()[1])
  end)

  it("are what softgpu.streams says", function()
    if not soft then pending "of the software device" end
    assert.equal("background", soft.streams())
    assert.equal("eager", soft.streams "eager")
    gpu.refuses_nonsense(function(v) return soft.streams(v) end, { ["nil"] = true })
  end)

  it("let arrays be computed while a kernel runs that none of them needs", function()
    local s, a = cuda.Stream { flags = cuda.stream_flags.NON_BLOCKING }, cuda.gpuarray.zeros({ 1 }, "uint32")
    cuda.Context.synchronize()
    module:get_function "count"(a, 400000, { block = 1, stream = s })
    local sum
    for i = 1, 10 do sum = cuda.gpuarray.arange(i * 100, "float32") + 1 end
    assert.equal(1000, sum:get()[1000])
    s:synchronize()
    assert.equal(400000, a:get()[1])
  end)

  it("begin with cuda.completion_fd, unless a mode was chosen", function()
    if not soft then pending "of the software device" end
    local program = [[
      print(soft.streams())
      cuda.completion_fd()
      cuda.Stream():on_complete(function() end)
      print(soft.streams())
      soft.streams "deferred"
      cuda.completion_fd()
      cuda.Stream():on_complete(function() end)
      print(soft.streams())
    ]]
    assert.equal("deferred\nbackground\ndeferred\n", output_of("require 'cudalua.autoprimaryctx'\n" .. program))
  end)

  it("start no thread before there is work", function()
    if not soft then pending "of the software device" end
    local out = output_of [[
      local function threads()
        for line in io.lines "/proc/self/status" do
          if line:find "^Threads:" then return line:match "%d+" end
        end
      end
      cuda.init()
      soft.streams "background"
      require "cudalua.autoprimaryctx"
      print(threads())
      cuda.Stream():synchronize()
      print(threads())
      cuda.memset_d8(cuda.mem_alloc(4), 0, 4)
      cuda.Context.synchronize()
      print(threads())
    ]]
    assert.equal("1\n1\n2\n", out)
  end)

  it("tell of a fault in the next call, with its report", function()
    if not soft then pending "loses the device" end
    local out = output_of([=[
      require "cudalua.autoprimaryctx"
      soft.streams "background"
      local ffi = require "ffi"
      ffi.cdef "int usleep(unsigned);"
      local beyond, called = cuda.SourceModule(SOURCE):get_function "beyond", false
      local s, a = cuda.Stream(), cuda.gpuarray.zeros({ 1 }, "uint32")
      beyond(a, { block = 1, stream = s })
      local ok, err = true
      pcall(s.on_complete, s, function() called = true end)
      for _ = 1, 10000 do
        ok, err = pcall(s.is_done, s)
        if not ok then break end
        ffi.C.usleep(1000)
      end
      print(ok, called, err.class, err.detail:find "illegal store of 4 bytes" ~= nil)
    ]=], true)
    assert.equal("false\tfalse\tLaunchError\ttrue\n", out)
  end)

  it("end with the program", function()
    if not soft then pending "of the software device" end
    local out = output_of([=[
      require "cudalua.autoprimaryctx"
      soft.streams "background"
      local a = cuda.mem_alloc(4)
      cuda.SourceModule(SOURCE):get_function "count"(a, 2 ^ 32 - 1, { block = 1, stream = cuda.Stream() })
      print "at work"
      io.stdout:flush()
      require "ffi".cdef "void exit(int);"
      require "ffi".C.exit(0)
    ]=], true)
    assert.equal("at work\n", out)
  end)
end)
