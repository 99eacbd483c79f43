-- Calls of a kernel that are wrong, through each of the ways to launch it: fn(...), fn{...}, prepared_call() and
-- param_set() with launch_grid(). Other libraries crash on them, corrupt memory, lose the device, or launch something
-- else. Here each is an error that names the kernel, the parameter and the value; nothing reaches the device, the
-- arrays stay what they were, and the next launch is right.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local softgpu = require "cudalua.softgpu"

ffi.cdef [[
typedef struct { int id; float weight; double at[2]; } cudalua_wrong_body;
typedef struct { int id; float weight; } cudalua_wrong_half;
]]

local source = [[
struct Body { int id; float weight; double at[2]; };
__global__ void target(float *z, const float *x, int n, unsigned u, short s, float f, bool on, struct Body b)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] * f + (float)(u + s + on) + (float)b.at[1];
}
]]
local FORMAT = { "float *", "const float *", "int", "unsigned", "short", "float", "bool", { bytes = 24 } }
local N = 8

describe("a wrong call of a kernel", function()
  local mod, target, other, z, x, body, stream
  local outside, gone = {}, {} -- of another context, and of one that is gone

  setup(function()
    gpu.context()
    mod = cuda.SourceModule(source)
    target = mod:get_function "target":prepare(FORMAT, { block = { N, 1, 1 } })
    z, x = cuda.mem_alloc(4 * N), cuda.to_device(gpu.floats(1, 2, 3, 4, 5, 6, 7, 8))
    body = ffi.new("cudalua_wrong_body", { 1, 2, { 3, 0.5 } })
    stream = cuda.Stream()
    other = cuda.Device(0):make_context()
    outside.memory, outside.stream = cuda.mem_alloc(4 * N), cuda.Stream()
    outside.target = cuda.SourceModule(source):get_function "target":prepare(FORMAT, { block = N })
    cuda.Context.pop()
    local short_lived = cuda.Device(0):make_context()
    gone.memory, gone.stream = cuda.mem_alloc(4 * N), cuda.Stream()
    short_lived:detach()
    gpu.context()
  end)
  teardown(function() other:detach() end)
  before_each(function()
    gpu.context()
    target:set_block_shape(N, 1, 1)
    target:set_shared_size(0)
  end)

  local function good() return { z, x, N, 1, 2, 3, true, body } end

  local function launches()
    return gpu.soft and tonumber((softgpu.control("calls cuLaunchKernel"):match "%d+")) or 0
  end

  -- The arrays as bytes.
  local function arrays()
    local list = {}
    for i, mem in ipairs { z, x } do
      local bytes = ffi.new("uint8_t[?]", 4 * N)
      cuda.memcpy_dtoh(bytes, mem)
      list[i] = ffi.string(bytes, 4 * N)
    end
    return table.concat(list)
  end

  local function works()
    target(z, x, N, 1, 2, 3, true, body, { block = N })
    local out = gpu.floats(0, 0, 0, 0, 0, 0, 0, 0)
    cuda.memcpy_dtoh(out, z)
    for i = 0, N - 1 do assert.equal(3 * (i + 1) + 4.5, out[i]) end
  end

  -- Calls f, which has to raise an error with all of the texts in its message.
  local function refused(texts, f, ...)
    cuda.memset_d8(z, 0x5a, 4 * N)
    local before, calls = arrays(), launches()
    local ok, err = pcall(f, ...)
    assert(not ok, "it raised nothing")
    assert(cuda.is_error(err), tostring(err))
    assert.is_true(err:is(cuda.LogicError) or err:is(cuda.LaunchError), err.class)
    for _, text in ipairs(texts) do
      assert(err.message:find(text, 1, true), ("'%s' is not in: %s"):format(text, err.message))
    end
    assert.is_nil(err.code) -- the driver was not asked
    assert.equal(calls, launches())
    assert.equal(before, arrays())
    works()
    return err
  end

  -- The ways to launch: each takes a list of n arguments.
  local ways = {
    ["fn(...)"] = function(fn, args, n, options)
      args[n + 1] = options or { block = N }
      fn(unpack(args, 1, n + 1))
    end,
    ["fn{...}"] = function(fn, args, n, options)
      local all = { block = N }
      for k, v in pairs(options or {}) do all[k] = v end
      for i = 1, n do all[i] = args[i] end
      fn(all)
    end,
    prepared_call = function(fn, args, n) fn:prepared_call(1, unpack(args, 1, n)) end,
    launch_grid = function(fn, args, n)
      fn:param_set(unpack(args, 1, n))
      fn:launch_grid(1, 1)
    end,
  }

  -- ---- values -----------------------------------------------------------------------------------------------

  local params = { "float *z", "const float *x", "int n", "unsigned int u", "short s", "float f", "bool on" }

  -- What stands in place of argument i, and what of it is in the message. Functions make values that need a context.
  local values = {
    { "a fraction for an int", 3, 1.5, "1.5 is not an integer" },
    { "NaN for an int", 3, 0 / 0, "nan is not an integer" },
    { "infinity for an int", 3, 1 / 0, "inf is not an integer" },
    { "2^31 for an int", 3, 2 ^ 31, "2147483648 is out of the range" },
    { "-2^31 - 1 for an int", 3, -2 ^ 31 - 1, "-2147483649 is out of the range" },
    { "2^32 + 8 for an int, which wraps to 8", 3, 2 ^ 32 + 8, "4294967304 is out of the range" },
    { "1e300 for an int", 3, 1e300, "is out of the range" },
    { "-1 for an unsigned", 4, -1, "-1 is out of the range" },
    { "2^32 for an unsigned, which wraps to 0", 4, 2 ^ 32, "4294967296 is out of the range" },
    { "NaN for an unsigned", 4, 0 / 0, "nan is not an integer" },
    { "32768 for a short", 5, 32768, "32768 is out of the range" },
    { "-32769 for a short", 5, -32769, "-32769 is out of the range" },
    { "65537 for a short, which wraps to 1", 5, 65537, "65537 is out of the range" },
    { "a fraction for a short", 5, 0.1, "0.1 is not an integer" },
    { "1e39 for a float, which overflows", 6, 1e39, "overflows float32" },
    { "2 for a bool", 7, 2, "2 is out of the range" },
    { "a string for an int", 3, "4", 'string "4"' },
    { "a string for a float", 6, "3", 'string "3"' },
    { "a string for a bool", 7, "yes", "string" },
    { "a boolean for a float", 6, true, "got true" },
    { "a table for an int", 3, {}, "table" },
    { "a table of numbers for an int", 3, { 1, 2 }, "table" },
    { "a function for an int", 3, print, "function" },
    { "a coroutine for an int", 3, coroutine.create(function() end), "thread" },
    { "nil for an int", 3, nil, "nil" },
    { "nil for a float", 6, nil, "nil" },
    { "device memory for an int", 3, function() return z end, "DeviceAllocation" },
    { "device memory for a float", 6, function() return z end, "DeviceAllocation" },
    { "a 64-bit integer for an int", 3, 8LL, "4 bytes" },
    { "an unsigned 64-bit integer for an unsigned", 4, 8ULL, "4 bytes" },
    { "a float for an int", 3, ffi.new("float", 8), "float32" },
    { "an int for a float", 6, ffi.new("int", 3), "int32" },
    { "a double for a float", 6, ffi.new("double", 3), "float64" },
    { "a typed scalar of another size", 3, cuda.int64(8), "int64" },
    { "a typed scalar that is a float for an unsigned", 4, cuda.float32(1), "float32" },
    { "an int for a short", 5, cuda.int32(1), "int32" },
    { "a bfloat16 for a short", 5, cuda.bfloat16(1), "bfloat16" },
    { "a struct of another size", 8, ffi.new "cudalua_wrong_half", "has 24 bytes, but the value has 8" },
    { "two structs for one", 8, ffi.new "cudalua_wrong_body[2]", "has 24 bytes, but the value has 48" },
    { "too few bytes for a struct", 8, ("x"):rep(23), "has 24 bytes, but the value has 23" },
    { "too many bytes for a struct", 8, ("x"):rep(25), "has 24 bytes, but the value has 25" },
    { "a pointer to a struct for the struct", 8, ffi.cast("cudalua_wrong_body *", ffi.new "cudalua_wrong_body[1]"),
      "host pointer" },
    { "a table for a struct", 8, { id = 1 }, "table" },
    { "a number for a struct", 8, 5, "number 5" },
    { "nil for a struct", 8, nil, "nil" },
    { "device memory for a struct", 8, function() return z end, "DeviceAllocation" },
    { "a number for a pointer", 1, 4096, "number 4096 (for an address use cuda.pointer(address))" },
    { "an address as a number for a pointer", 1, function() return z:ptr() end, "cuda.pointer(address)" },
    { "a 64-bit integer for a pointer", 1, 4096ULL, "uint64" },
    { "a host array for a pointer", 2, ffi.new "float[8]", "In/Out/InOut" },
    { "a host pointer for a pointer", 2, ffi.cast("float *", 4096), "host pointer" },
    { "a string for a pointer", 1, "output", "string" },
    { "a boolean for a pointer", 1, true, "got true" },
    { "a table for a pointer", 1, {}, "table" },
    { "a table of numbers for a pointer", 2, { 1, 2, 3 }, "table" },
    { "a function for a pointer", 1, print, "function" },
    { "a file for a pointer", 1, io.stdout, "userdata" },
    { "somebody else's userdata for a pointer", 1, newproxy(), "userdata" },
    { "a type for a value", 3, ffi.typeof "int", "ctype<int>" },
    { "a stream for a pointer", 1, function() return stream end, "Stream" },
    { "the kernel itself for a pointer", 1, function() return target end, "Function" },
    { "the module for a pointer", 1, function() return mod end, "a table cannot be passed" },
    { "memory that was freed", 1, function()
      local mem = cuda.mem_alloc(4 * N)
      mem:free()
      return mem
    end, "was freed" },
    { "a view of memory that was freed", 2, function()
      local mem = cuda.mem_alloc(8 * N)
      local view = mem + 4 * N
      mem:free()
      return view
    end, "was freed" },
    { "a block of a pool that was freed", 2, function()
      local mem = cuda.DeviceMemoryPool():allocate(4 * N)
      mem:free()
      return mem
    end, "was freed" },
    { "memory of a module that was closed", 1, function()
      local short_lived = cuda.module_from_buffer((cuda.compile "__device__ float list[8];"))
      local mem = short_lived:get_global "list"
      short_lived:close()
      return mem
    end, "was freed" },
    { "memory of another context", 1, function() return outside.memory end, "belongs to another context" },
    { "a view of memory of another context", 2, function() return outside.memory + 4 end,
      "belongs to another context" },
    { "memory of a context that is gone", 1, function() return gone.memory end, "was freed" },
    { "a host array that the device does not reach", 1, function() return cuda.aligned_empty(N, "float32") end,
      "device memory" },
    { "a page-locked array that was freed", 1, function()
      local array = cuda.pagelocked_empty(N, "float32")
      array.base:free()
      return array
    end, "freed" },
    { "an object whose pointer is nonsense", 1, { get_pointer = function() return "text" end }, "string" },
    { "an object that gives itself", 1, { get_pointer = function(self) return self end }, "returned a table" },
  }

  for _, case in ipairs(values) do
    local name, i, value, text = unpack(case, 1, 4)
    it(name, function()
      for way, call in pairs(ways) do
        local args = good()
        args[i] = value
        if type(value) == "function" and value ~= print then args[i] = value() end
        -- A plain table where a block may stand is one; it makes the count wrong.
        local is_block = way == "prepared_call" and i == 1 and type(value) == "table" and value[1]
        local lost = way == "fn{...}" and i == 8 and value == nil -- the table is one shorter, that is all
        local err = not lost and refused(is_block and { "target" }
          or { "target: argument " .. i, params[i] or "Body", text }, call,
          target, args, 8)
        if err then assert.same({ "target", i }, { err.kernel, err.arg }) end
      end
    end)
  end

  it("cuda.Out and cuda.InOut of a string", function()
    for _, handler in ipairs { cuda.Out, cuda.InOut } do
      gpu.raises("LogicError", "cannot be written to", function()
        target(handler "output", x, N, 1, 2, 3, true, body, { block = N })
      end)
    end
    works()
  end)

  it("arguments that are fine before one that is not: nothing is copied", function()
    local out = gpu.floats(9, 9, 9, 9, 9, 9, 9, 9)
    for _, call in pairs(ways) do
      local args = good()
      args[1], args[2], args[8] = cuda.InOut(out), cuda.In(out), "short"
      refused({ "target: argument 8", "has 24 bytes, but the value has 5" }, call, target, args, 8)
      for i = 0, N - 1 do assert.equal(9, out[i]) end
    end
  end)

  -- ---- counts -----------------------------------------------------------------------------------------------

  for _, n in ipairs { 0, 1, 7, 9, 16, 200 } do
    it(n .. " arguments for 8", function()
      for way, call in pairs(ways) do
        if not (way == "fn{...}" and n == 0) then -- that is fn({...}) without arguments
          local args = good()
          for i = 9, n do args[i] = i end
          local err = refused({ "kernel target takes 8 arguments (float *z, const float *x, int n", "got " .. n }, call,
            target, args, n)
          assert.equal("target", err.kernel)
        end
      end
    end)
  end

  -- ---- block, grid, shared memory ---------------------------------------------------------------------------

  local function with_options(options, texts)
    texts[#texts + 1] = "target"
    if options.block == nil then options.block = N end
    for _, way in ipairs { "fn(...)", "fn{...}" } do refused(texts, ways[way], target, good(), 8, options) end
  end
  local function prepared(texts, grid, ...)
    texts[#texts + 1] = "target"
    local args, extra = good(), { ... }
    if extra[1] ~= nil then table.insert(args, 1, extra[1]) end
    refused(texts, target.prepared_call, target, grid, unpack(args))
  end
  local function old(texts, f)
    texts[#texts + 1] = "target"
    refused(texts, function()
      target:param_set(unpack(good(), 1, 8))
      f()
    end)
  end

  local extents = {
    { "zero", 0, "number 0" }, { "negative", -1, "number -1" }, { "a fraction", 1.5, "number 1.5" },
    { "NaN", 0 / 0, "nan" }, { "infinity", 1 / 0, "inf" }, { "2^32, which wraps to 0", 2 ^ 32, "4294967296" },
    { "2^32 + 1, which wraps to 1", 2 ^ 32 + 1, "4294967297" }, { "a string", "8", "string" },
    { "a boolean", true, "got true" },
  }
  for _, axis in ipairs { 1, 2, 3 } do
    local x_y_z = ("xyz"):sub(axis, axis)
    for _, case in ipairs(extents) do
      local name, value, text = unpack(case)
      it(("%s for block.%s and grid.%s"):format(name, x_y_z, x_y_z), function()
        local list = { 1, 1, 1 }
        list[axis] = value
        with_options({ block = list }, { "option block", text })
        with_options({ grid = list }, { "option grid", text })
        prepared({ "option grid", text }, list)
        if axis > 1 or type(value) == "number" then prepared({ "option block", text }, 1, list) end
        old({ "target", type(value) == "number" and text or "expected a number" }, function()
          target:set_block_shape(unpack(list))
        end)
        if axis < 3 then
          old({ "option grid", type(value) == "number" and text or "expected a number" }, function()
            target:launch_grid(unpack(list))
          end)
        end
      end)
    end
  end

  it("lists of no extents, of four, and with holes", function()
    for _, list in ipairs { {}, { 1, 1, 1, 1 }, { 1, nil, 1 }, { nil, 1 }, { x = 1 } } do
      with_options({ block = list }, { "option block" })
      with_options({ grid = list }, { "option grid" })
      prepared({ "option grid" }, list)
    end
    with_options({ grid = "1" }, { "option grid", "string" })
    with_options({ block = print }, { "option block", "function" })
    prepared({ "option grid", "nil" }, nil)
    prepared({ "option grid", "DeviceAllocation" }, z)
  end)

  it("more than the device has", function()
    for axis, limit in ipairs { 1024, 1024, 64 } do
      local list, axis_name = { 1, 1, 1 }, "block." .. ("xyz"):sub(axis, axis)
      list[axis] = limit + 1
      with_options({ block = list }, { axis_name, limit + 1, limit })
      prepared({ axis_name, limit + 1, limit }, 1, list)
      old({ axis_name, limit + 1 }, function()
        target:set_block_shape(unpack(list))
        target:launch()
      end)
    end
    target:set_block_shape(N)
    for axis, limit in ipairs { 2 ^ 31 - 1, 65535, 65535 } do
      local list, axis_name = { 1, 1, 1 }, "grid." .. ("xyz"):sub(axis, axis)
      list[axis] = limit + 1
      with_options({ grid = list }, { axis_name, ("%d"):format(limit + 1), ("%d"):format(limit) })
      prepared({ axis_name, ("%d"):format(limit + 1) }, list)
      if axis < 3 then
        old({ axis_name }, function() target:launch_grid(list[1], list[2]) end)
      end
    end
  end)

  it("blocks whose product is too large, or wraps", function()
    for _, list in ipairs { { 32, 64 }, { 1024, 2 }, { 1024, 1024, 64 }, { 16, 16, 16 } } do
      local threads = list[1] * list[2] * (list[3] or 1)
      with_options({ block = list }, { ("has %d threads"):format(threads), "limit is 1024" })
      prepared({ ("has %d threads"):format(threads) }, 1, list)
      old({ ("has %d threads"):format(threads) }, function()
        target:set_block_shape(list[1], list[2], list[3])
        target:launch_grid(1, 1)
      end)
    end
  end)

  it("too much shared memory, or none that makes sense", function()
    for _, bytes in ipairs { 2 ^ 20, 2 ^ 31, 2 ^ 32 - 1 } do
      with_options({ shared = bytes }, { "shared memory", ("%d"):format(bytes), "limit is" })
      refused({ "target", "shared memory", ("%d"):format(bytes) }, function()
        local args = good()
        args[9] = { shared_size = bytes }
        target:prepared_call(1, unpack(args))
      end)
      old({ "shared memory", ("%d"):format(bytes) }, function()
        target:set_shared_size(bytes)
        target:launch()
      end)
    end
    for _, bytes in ipairs { -1, 0.5, 0 / 0, 2 ^ 32, "1", true } do
      with_options({ shared = bytes }, { "option shared" })
      old({ "option shared" }, function() target:set_shared_size(bytes) end)
    end
  end)

  it("no block at all", function()
    for _, options in ipairs { {}, { grid = 1 }, { shared = 0 } } do
      refused({ "target: option block is missing" }, function()
        target(z, x, N, 1, 2, 3, true, body, options)
      end)
    end
    refused({ "target: options are missing" }, function() target(z, x, N, 1, 2, 3, true, body) end)
    refused({ "target: options are missing" }, function() target() end)
    refused({ "target: options are missing" }, function() target(nil) end)
  end)

  it("options that there are not", function()
    for key, value in pairs { blok = 1, Block = 1, gird = 1, strem = stream, shared_mem = 4, [2.5] = 1, [true] = 1,
      threads = 32 } do
      refused({ "target: unknown option" }, ways["fn(...)"], target, good(), 8, { block = N, [key] = value })
    end
    refused({ "target: unknown option", "shred" }, function()
      local args = good()
      args[9] = { shred = 1 }
      target:prepared_call(1, unpack(args))
    end)
  end)

  -- ---- streams, functions -----------------------------------------------------------------------------------

  local function in_stream(texts, s)
    refused(texts, ways["fn(...)"], target, good(), 8, { block = N, stream = s })
    refused(texts, target.prepared_async_call, target, 1, s, unpack(good(), 1, 8))
    refused(texts, function()
      target:param_set(unpack(good(), 1, 8))
      target:launch_grid_async(1, 1, s)
    end)
  end

  it("a stream that was closed", function()
    local s = cuda.Stream()
    s:close()
    in_stream({ "was closed" }, s)
  end)

  it("a stream of another context", function()
    in_stream({ "another context" }, outside.stream)
    in_stream({ "can no longer be used" }, gone.stream)
  end)

  it("what is no stream", function()
    for _, s in ipairs { 0, 5, "legacy", true, {}, print, z, io.stdout, ffi.new "int[1]" } do
      in_stream({ "tream" }, s)
    end
  end)

  it("the kernel of a module that was closed", function()
    local short_lived = cuda.module_from_buffer((cuda.compile(source)))
    local fn = short_lived:get_function "target":prepare(FORMAT, { block = N })
    ways.launch_grid(fn, good(), 8)
    cuda.Context.synchronize()
    short_lived:close()
    for _, call in pairs(ways) do
      refused({ "Function can no longer be used: its Module is gone" }, call, fn, good(), 8)
    end
    for _, method in ipairs { "launch", "launch_grid", "prepared_call", "param_set", "param_seti", "name" } do
      refused({ "Function can no longer be used" }, fn[method], fn, 1, 1, 1)
    end
  end)

  it("the kernel of another context", function()
    -- Its memory is not this context's either; so each by itself.
    local function args() return { outside.memory, outside.memory, N, 1, 2, 3, true, body } end
    for _, call in pairs(ways) do
      refused({ "target", "context" }, call, outside.target, good(), 8)
    end
    for way, call in pairs(ways) do
      local before = arrays()
      -- The driver may be the one that refuses it.
      gpu.raises("LogicError", "target: its context is not current", call, outside.target, args(), 8)
      assert.equal(before, arrays(), way)
    end
    works()
  end)

  it("without any current context", function()
    while cuda.Context.get_current() do cuda.Context.pop() end
    for _, call in pairs(ways) do
      gpu.raises("LogicError", "target: no context is current", call, target, good(), 8)
    end
    gpu.context()
    works()
  end)

  it("on what is no kernel", function()
    for _, f in ipairs { target.prepared_call, target.param_set, target.launch, target.launch_grid } do
      for _, self in ipairs { 0, "target", true, {}, z, mod, io.stdout, newproxy() } do
        refused({ "Function" }, f, self, 1, 1)
      end
    end
  end)
end)
