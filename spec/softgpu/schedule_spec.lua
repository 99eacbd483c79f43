-- Kernels give the same results however many threads run them, in whatever order blocks begin and however many threads
-- execute together, where the program has no race; what waits for others gets on in every order.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local ffi = require "ffi"
local soft = require "cudalua.softgpu"
local corpus = require "spec.softgpu.differential.corpus"
local runner = require "spec.softgpu.differential.runner"

local usual

local function restore()
  if usual then soft.schedule(usual) end
end

local source = [[
#include <cooperative_groups.h>

// Decoupled look-back: a block adds up what lower ones have published, sums or whole prefixes.
extern "C" __global__ void scan(const int *in, int *out, volatile int *state, volatile int *sum, volatile int *prefix) {
  __shared__ int part[64];
  __shared__ int before;
  int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t;
  part[t] = in[i];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int v = t >= d ? part[t - d] : 0;
    __syncthreads();
    part[t] += v;
    __syncthreads();
  }
  if (t == 0) {
    sum[b] = part[63];
    __threadfence();
    state[b] = 1;
    int total = 0;
    for (int k = b - 1; k >= 0;) {
      int s;
      while ((s = state[k]) == 0) ;
      __threadfence();
      total += s == 2 ? prefix[k] : sum[k];
      if (s == 2) break;
      k--;
    }
    prefix[b] = total + part[63];
    __threadfence();
    state[b] = 2;
    before = total;
  }
  __syncthreads();
  out[i] = before + part[t];
}

// One lock for the threads of all blocks.
extern "C" __global__ void locked(int *lock, int *count) {
  bool mine = false;
  while (!mine) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      ++*(volatile int *)count;
      __threadfence();
      atomicExch(lock, 0);
      mine = true;
    }
  }
}

// A ring with room for four: odd blocks fill it, even ones, which have lower numbers, empty it.
extern "C" __global__ void ring(volatile int *slot, volatile int *full, int *out, int n) {
  if (threadIdx.x) return;
  int pair = blockIdx.x / 2, *o = out + pair * n;
  slot += pair * 4, full += pair * 4;
  for (int i = 0; i < n; i++) {
    if (blockIdx.x % 2) {
      while (full[i % 4]) ;
      __threadfence();
      slot[i % 4] = i * i + pair;
      __threadfence();
      full[i % 4] = 1;
    } else {
      while (!full[i % 4]) ;
      __threadfence();
      o[i] = slot[i % 4];
      __threadfence();
      full[i % 4] = 0;
    }
  }
}

extern "C" __global__ void rounds(int *a, int *b, int n) {
  auto grid = cooperative_groups::this_grid();
  for (int r = 0; r < 5; r++) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) b[i] = a[i] + a[(i + 1) % n];
    grid.sync();
    int *t = a;
    a = b;
    b = t;
  }
}

extern "C" __global__ void heavy(unsigned *out) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 100; i++) v = v * 1664525u + 1013904223u;
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
]]

-- Runs the code in a process of its own, with a kernel k in `mod`.
local function child(kernel, code, environment)
  return gpu.child(([[
    local cuda, ffi = require "cudalua", require "ffi"
    require "cudalua.autoinit"
    local mod = cuda.SourceModule([=[KERNEL]=], { no_extern_c = true, name = "k.cu" })
    local out = cuda.mem_alloc(4096)
    cuda.memset_d32(out, 0, 1024)
    local function fails(options, ...)
      local ok, err = pcall(function(...)
        mod:get_function "k"(out, options, ...)
        cuda.Context.synchronize()
      end, ...)
      print(ok, ok or err.code, ok or err.detail)
      return err
    end
    CODE
  ]]):gsub("KERNEL", function() return kernel end):gsub("CODE", function() return code end),
    gpu.driver .. " CUDALUA_SOFT_REPORT=off " .. (environment or ""))
end

describe("schedule", function()
  setup(function()
    gpu.context()
    if gpu.soft then usual = soft.schedule() end
  end)
  before_each(gpu.context)
  after_each(restore)

  -- All combinations would take too long: each kind is with each other one once.
  local ways = {
    { threads = 2, order = "random:1", gang = 64 },
    { threads = 4, order = "reverse", gang = 32 },
    { threads = 1, order = "random:2", gang = 256 },
    { threads = 2, order = "forward", gang = 1024 },
  }

  it("leaves the results of the whole corpus as they are, in every order and with any number of threads", function()
    if not gpu.soft then return pending "a GPU has its own" end
    local results, kernels, compared, wrong = {}, 0, 0, {}
    local images = {}
    for _, module in ipairs(corpus.modules()) do
      images[#images + 1] = { ptx = runner.compile(module), kernels = module.kernels }
    end
    local function each_result(f)
      for _, image in ipairs(images) do
        runner.run(image.ptx, image.kernels, function(kernel, words, why)
          if why then error(kernel.name .. ": " .. tostring(why)) end
          f(kernel, ffi.string(words, kernel.words * 4))
        end)
      end
    end
    soft.schedule { threads = 1, order = "forward", gang = 1024 }
    each_result(function(kernel, bytes)
      results[kernel.name], kernels = bytes, kernels + 1
    end)
    assert.is_true(kernels >= 500)
    local tried = gpu.sanitized and 2 or #ways -- which have all kinds of threads, order and gang but the usual
    for i = 1, tried do
      local way = ways[i]
      soft.schedule(way)
      each_result(function(kernel, bytes)
        compared = compared + 1
        if bytes ~= results[kernel.name] then
          wrong[#wrong + 1] = ("%s with %s threads, order %s, gangs of %d"):format(kernel.name, way.threads, way.order,
            way.gang)
        end
      end)
    end
    assert.equal(kernels * tried, compared)
    assert(#wrong == 0, #wrong .. " results differ:\n  " .. table.concat(wrong, "\n  "))
  end)

  describe("of blocks that wait for each other:", function()
    local mod
    setup(function() mod = cuda.SourceModule(source, { no_extern_c = true }) end)

    -- Calls f under every order, where there is a choice.
    local function in_every_order(f)
      if not gpu.soft then return f() end
      for _, way in ipairs { { 1, "forward", 1024 }, { 1, "reverse", 32 }, { 1, "random:3", 64 }, { 2, "forward", 64 },
        { 2, "reverse", 1024 }, { 4, "random:4", 32 } } do
        soft.schedule { threads = way[1], order = way[2], gang = way[3] }
        f()
      end
    end

    it("a look-back scan ends, of more blocks than there are at a time", function()
      local blocks = 700
      local n = blocks * 64
      local input, result = ffi.new("int[?]", n), ffi.new("int[?]", n)
      for i = 0, n - 1 do input[i] = i % 7 - 2 end
      local zeros = ffi.new("int[?]", blocks)
      in_every_order(function()
        mod:get_function "scan"(cuda.In(input), cuda.Out(result), cuda.In(zeros), cuda.In(zeros), cuda.In(zeros),
          { grid = blocks, block = 64 })
        local sum = 0
        for i = 0, n - 1 do
          sum = sum + input[i]
          if result[i] ~= sum then error(("element %d is %d, expected %d"):format(i, result[i], sum)) end
        end
      end)
      assert.equal(result[n - 1], result[n - 2] + input[n - 1])
    end)

    it("a spin lock lets every thread in, once", function()
      in_every_order(function()
        local lock, count = ffi.new("int[1]"), ffi.new("int[1]")
        mod:get_function "locked"(cuda.InOut(lock), cuda.InOut(count), { grid = 20, block = 64 })
        assert.equal(1280, count[0])
        assert.equal(0, lock[0])
      end)
    end)

    it("producers feed consumers that began before them", function()
      local pairs_of, n = 30, 40
      in_every_order(function()
        local slots, result = ffi.new("int[?]", pairs_of * 4), ffi.new("int[?]", pairs_of * n)
        mod:get_function "ring"(cuda.In(slots), cuda.In(ffi.new("int[?]", pairs_of * 4)), cuda.Out(result), n,
          { grid = pairs_of * 2, block = 32 })
        for p = 0, pairs_of - 1 do
          for i = 0, n - 1 do assert.equal(i * i + p, result[p * n + i]) end
        end
      end)
    end)

    it("cooperative grids meet", function()
      local n = 500
      local want = {}
      for i = 0, n - 1 do want[i] = i end
      for _ = 1, 5 do
        local next_one = {}
        for i = 0, n - 1 do next_one[i] = want[i] + want[(i + 1) % n] end
        want = next_one
      end
      in_every_order(function()
        local a, b = ffi.new("int[?]", n), ffi.new("int[?]", n)
        for i = 0, n - 1 do a[i] = i end
        mod:get_function "rounds"(cuda.InOut(a), cuda.InOut(b), n, { grid = 12, block = 32, cooperative = true })
        for i = 0, n - 1 do assert.equal(want[i], b[i]) end
      end)
    end)
  end)

  it("softgpu.schedule sets it, all of it or nothing, and tells what is set", function()
    if not gpu.soft then
      gpu.raises("LogicError", "not in use", soft.schedule, { threads = 2 })
      return gpu.raises("LogicError", "not in use", soft.schedule)
    end
    assert.same({ threads = 3, order = "random:9", gang = 96, timeout = 2.5 },
      soft.schedule { threads = 3, order = "random:9", gang = 96, timeout = 2.5 })
    assert.same({ threads = "auto:2", order = "random:9", gang = 96, timeout = 0 },
      soft.schedule { threads = "auto:2", timeout = "off" })
    assert.same({ threads = "auto", order = "reverse", gang = 96, timeout = 0 },
      soft.schedule { threads = "auto", order = "reverse" })
    local before = soft.schedule()
    for _, wrong in ipairs { { threads = 0 }, { threads = 65 }, { threads = 1.5 }, { threads = "many" },
      { threads = "auto:0" }, { threads = true }, { order = "backward" }, { order = "random:x" }, { order = 1 },
      { gang = 16 }, { gang = 2048 }, { gang = 33 }, { gang = {} }, { timeout = -1 }, { timeout = 0 / 0 },
      { timeout = "soon" }, { timeout = 1e300 }, { gang = 64, order = "forward; reset", threads = 2 }, { workers = 2 },
      { [1] = 2 } } do
      gpu.error_of("LogicError", soft.schedule, wrong)
      assert.same(before, soft.schedule())
    end
    gpu.error_of("LogicError", soft.schedule, "threads")
    gpu.error_of("LogicError", soft.schedule, 5)
  end)

  it("comes from the environment too", function()
    if not gpu.soft then return pending "of the software device" end
    local text = gpu.child([[
      require "cudalua".init()
      local s = require "cudalua.softgpu".schedule()
      print(s.threads, s.order, s.gang, s.timeout)
    ]], gpu.driver .. " CUDALUA_SOFT_THREADS=auto:3 CUDALUA_SOFT_ORDER=random:7 CUDALUA_SOFT_GANG=128"
      .. " CUDALUA_SOFT_TIMEOUT=12.5")
    assert.equal("auto:3\trandom:7\t128\t12.5\n", text)
    text = gpu.child([[
      require "cudalua".init()
      local s = require "cudalua.softgpu".schedule()
      print(s.threads, s.order, s.gang, s.timeout)
    ]], "env -u CUDALUA_SOFT_TIMEOUT " .. gpu.driver .. " CUDALUA_SOFT_THREADS=none CUDALUA_SOFT_GANG=48")
    assert.truthy(text:find("CUDALUA_SOFT_THREADS=none is not valid", 1, true), text)
    assert.truthy(text:find("CUDALUA_SOFT_GANG=48 is not valid", 1, true), text)
    assert.truthy(text:find("auto\tforward\t1024\t300\n", 1, true), text)
  end)

  it("makes no difference to the time that events measure", function()
    if not gpu.soft then return pending "of the software device" end
    local heavy = cuda.SourceModule(source, { no_extern_c = true }):get_function "heavy"
    local out = cuda.mem_alloc(400 * 256 * 4)
    local function measure(threads)
      soft.schedule { threads = threads }
      local first, last = cuda.Event(), cuda.Event()
      first:record()
      heavy(out, { grid = 400, block = 256 })
      last:record()
      last:synchronize()
      return last:time_since(first)
    end
    local one = measure(1)
    assert.is_true(one > 0)
    assert.equal(one, measure(4))
    assert.equal(one, measure "auto")
    out:free()
  end)

  describe("that cannot go on:", function()
    it("threads at two barriers are named, with the line, and whom they wait for", function()
      if not gpu.soft then return pending "a GPU waits for ever" end
      local text = child([[
        extern "C" __global__ void k(int *out) {
          if (threadIdx.x < 32)
            asm volatile("bar.sync 1, 64;" ::: "memory");
          else
            asm volatile("bar.sync 2, 64;" ::: "memory");
          out[threadIdx.x] = 1;
        }]], "fails { block = 64, grid = 2 }")
      assert.truthy(text:find("^false\t719\tkernel k, "), text)
      assert.truthy(text:find("block %(0,0,0%), thread %(0,0,0%): deadlock: threads 0%-31 wait at barrier 1 in "
        .. ".-k.cu:3 %(PTX line %d+%) %(32 of 64 came, not threads 32%-63%); threads 32%-63 wait at barrier 2 in "
        .. ".-k.cu:5 %(PTX line %d+%) %(32 of 64 came, not threads 0%-31%)"), text)
    end)

    it("blocks that wait for a flag that nobody sets are found before the limit, and the device is lost", function()
      if not gpu.soft then return pending "a GPU waits for ever" end
      local text = child([[
        extern "C" __global__ void k(volatile int *out) {
          if (threadIdx.x == 5) while (*out == 0) ;
          __syncthreads();
          out[1] = 1;
        }]], [[
        fails { block = 64, grid = 3 }
        print(pcall(cuda.mem_alloc, 4))
      ]], "CUDALUA_SOFT_TIMEOUT=off timeout 60")
      assert.truthy(text:find("^false\t702\tkernel k, "), text)
      assert.truthy(text:find("deadlock: the block repeats itself, and nothing changes the memory that it reads: "
        .. "threads 0%-4, 6%-63 wait at barrier 0 in .-k.cu:3 .-%(63 of 64 came, not thread 5%); thread 5 is at "
        .. ".-k.cu:2 .-; "
        .. "of its 3 blocks, 0 are done"), text)
      assert.truthy(text:find("\nfalse\t.*LAUNCH_TIMEOUT"), text)
    end)

    it("a loop whose stores the compiler removed is no deadlock, and the error says so", function()
      if not gpu.soft then return pending "a GPU waits for ever" end
      local text = child([[
        extern "C" __global__ void k(int *out) {
          while (1) out[0]++;
        }]], "fails { block = 8 }", "CUDALUA_SOFT_TIMEOUT=off timeout 60")
      assert.truthy(text:find("^false\t702\tkernel k, "), text)
      assert.truthy(text:find("endless loop: its compiled code uses no memory (the compiler may remove the loads and "
        .. "stores of a loop that never ends; declare the memory volatile or use atomic functions to keep them): "
        .. "threads 0-7 are at ", 1, true), text)
    end)

    it("a loop that changes the memory that it reads runs until the limit", function()
      if not gpu.soft then return pending "a GPU waits for ever" end
      local text = child([[
        extern "C" __global__ void k(volatile int *out) {
          while (1) out[0]++;
        }]], "fails { block = 8 }", "CUDALUA_SOFT_TIMEOUT=0.5 timeout 60")
      assert.truthy(text:find("stopped after 0.5 s %(CUDALUA_SOFT_TIMEOUT%): threads 0%-7 are at .-k.cu:2 "), text)
      assert.is_nil(text:find "deadlock")
    end)

    it("one endless loop ends at the limit, and says where it was", function()
      if not gpu.soft then return pending "a GPU waits for ever" end
      local text = child([[
        extern "C" __global__ void k(unsigned *out) {
          unsigned long long v = threadIdx.x;
          while (v != 0x123456789abcdefull) v = v * 6364136223846793005ull + 1442695040888963407ull;
          *out = v;
        }]], [[
        fails { block = 1024, grid = 2 }
        print(pcall(cuda.mem_alloc, 4))
      ]], "CUDALUA_SOFT_TIMEOUT=0.5 timeout 60")
      assert.truthy(text:find("^false\t702\tkernel k, "), text)
      assert.truthy(text:find("stopped after 0.5 s %(CUDALUA_SOFT_TIMEOUT%): threads 0%-1023 are at .-k.cu:3 "), text)
      assert.truthy(text:find("\nfalse\t.*LAUNCH_TIMEOUT"), text)
    end)
  end)

  it("reports the error of the lowest block, whoever came to its own first", function()
    if not gpu.soft then return pending "a GPU reports one of them" end
    local seen = {}
    for _, way in ipairs { "CUDALUA_SOFT_THREADS=1", "CUDALUA_SOFT_THREADS=4", "CUDALUA_SOFT_ORDER=reverse",
      "CUDALUA_SOFT_THREADS=4 CUDALUA_SOFT_ORDER=random:3" } do
      local text = child([[
        extern "C" __global__ void k(int *out) {
          if (blockIdx.x < 6) return;
          unsigned v = threadIdx.x;
          for (int i = 0; i < 2000 - 10 * (int)blockIdx.x; i++) v = v * 1664525u + 1013904223u;
          out[1000 + v % 2 + blockIdx.x * 100] = v;
        }]], "fails { block = 64, grid = 100 }", way)
      assert.truthy(text:find("^false\t700\tkernel k, .-block %(6,0,0%), thread %(%d+,0,0%)"), way .. ": " .. text)
      text = text:gsub("0x%x+", ""):gsub("/tmp/[%w_]+", "")
      seen[text] = true
    end
    assert.is_nil(next(seen, (next(seen))))
  end)
end)
