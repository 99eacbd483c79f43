-- Cooperative kernels: all blocks of a grid meet at this_grid().sync().
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local ffi = require "ffi"

local source = [[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each round: every thread adds its neighbour's value of the last one.
extern "C" __global__ void rounds(int *a, int *b, int n, int count) {
  cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < count; r++) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) b[i] = a[i] + a[(i + 1) % n];
    grid.sync();
    int *t = a;
    a = b;
    b = t;
  }
}

extern "C" __global__ void shape(int *out) {
  cg::grid_group grid = cg::this_grid();
  grid.sync();
  if (grid.thread_rank() != 0) return;
  out[0] = grid.is_valid();
  out[1] = grid.size();
  out[2] = grid.num_blocks();
}
]]

local function expected(n, count)
  local a = {}
  for i = 0, n - 1 do a[i] = i end
  for _ = 1, count do
    local b = {}
    for i = 0, n - 1 do b[i] = a[i] + a[(i + 1) % n] end
    a = b
  end
  return a
end

describe("cooperative kernels", function()
  local rounds, shape

  setup(function()
    gpu.context()
    local mod = cuda.SourceModule(source, { no_extern_c = true })
    rounds, shape = mod:get_function "rounds", mod:get_function "shape"
  end)

  before_each(gpu.context)

  local function run(n, count, options)
    local a, b = ffi.new("int[?]", n), ffi.new("int[?]", n)
    for i = 0, n - 1 do a[i] = i end
    rounds(cuda.InOut(a), cuda.InOut(b), n, count, options)
    local result, want = count % 2 == 0 and a or b, expected(n, count)
    for i = 0, n - 1 do
      if result[i] ~= want[i] then error(("element %d is %d, expected %d"):format(i, result[i], want[i])) end
    end
  end

  it("meet as often as they like, in grids of any size", function()
    for _, shape_of in ipairs { { 1, 32 }, { 2, 64 }, { 5, 33 }, { 16, 128 }, { 32, 32 } } do
      run(1000, 6, { grid = shape_of[1], block = shape_of[2], cooperative = true })
    end
    run(300, 20, { grid = 4, block = 64, cooperative = true })
  end)

  it("see the whole grid", function()
    local out = ffi.new "int[3]"
    shape(cuda.Out(out), { grid = { 2, 3 }, block = { 8, 4 }, cooperative = true })
    assert.equal(1, out[0])
    assert.equal(2 * 3 * 8 * 4, out[1])
    assert.equal(6, out[2])
  end)

  it("run in streams, one beside the other", function()
    local s = { cuda.Stream(), cuda.Stream() }
    local mem = { cuda.mem_alloc(400), cuda.mem_alloc(400), cuda.mem_alloc(400), cuda.mem_alloc(400) }
    local start = ffi.new "int[100]"
    for i = 0, 99 do start[i] = i end
    for i = 1, 2 do
      cuda.memcpy_htod(mem[2 * i - 1], start)
      rounds(mem[2 * i - 1], mem[2 * i], 100, 4, { grid = 2 * i, block = 32, cooperative = true, stream = s[i] })
    end
    local want = expected(100, 4)
    for i = 1, 2 do
      s[i]:synchronize()
      local result = ffi.new "int[100]"
      cuda.memcpy_dtoh(result, mem[2 * i - 1])
      for k = 0, 99 do assert.equal(want[k], result[k]) end
    end
  end)

  it("that would not fit the device at once are refused", function()
    local out = ffi.new "int[3]"
    local err = gpu.error_of("LaunchError", shape, cuda.Out(out), { grid = 100000, block = 1024, cooperative = true })
    assert.truthy(err.message:find("100000", 1, true), err.message)
    assert.equal(0, out[0])
  end)

  it("launched without the option fail at the meeting", function()
    local text = gpu.child(([[
      local cuda = require "cudalua"
      require "cudalua.autoinit"
      local mod = cuda.SourceModule([=[SOURCE]=], {no_extern_c = true})
      local ok, err = pcall(mod:get_function "shape", cuda.Out(require("ffi").new "int[3]"), {grid = 2, block = 32})
      print(ok, err.class, err.code == cuda.result.LAUNCH_FAILED)
      print(err.detail)
    ]]):gsub("SOURCE", function() return source end), gpu.driver .. " CUDALUA_SOFT_REPORT=off")
    assert.truthy(text:find("false\tLaunchError\ttrue\n", 1, true), text)
    if gpu.soft then assert.truthy(text:find(": trap", 1, true), text) end
  end)
end)
