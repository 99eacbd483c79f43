-- Functions as objects: attributes, preferences, occupancy, and the switches of profilers.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"
local core = require "cudalua.core"

local source = [[
extern __shared__ float tile[];
__global__ void plain(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += 1; }
__global__ void fixed(float *a)
{
  __shared__ float mine[1000];
  mine[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = mine[blockDim.x - 1 - threadIdx.x];
}
__global__ void dynamic(float *a) { tile[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = tile[0]; }
__global__ void __launch_bounds__(128) bounded(float *a) { a[threadIdx.x] = 1; }
__constant__ int table[25];
__global__ void constant(int *out) { *out = table[threadIdx.x]; }
]]

describe("functions", function()
  local mod, plain, fixed, bounded, device
  setup(function()
    gpu.context()
    device = cuda.Context.get_device()
    mod = cuda.SourceModule(source)
    plain, fixed, bounded = mod:get_function "plain", mod:get_function "fixed", mod:get_function "bounded"
  end)
  before_each(gpu.context)

  it("cuda.Function:get_attribute knows every attribute by name and number, also as a field", function()
    local known = 0
    for name, id in pairs(cuda.function_attribute) do
      if name ~= "MAX" then
        local value = plain:get_attribute(id)
        assert.equal(value, plain:get_attribute(name))
        assert.equal(value, plain:get_attribute(name:lower()))
        assert.equal(value, plain[name:lower()])
        known = known + 1
      end
    end
    assert.equal(16, known)
    assert.is_true(plain.num_regs >= 4 and plain.num_regs <= 255)
    assert.equal(plain.num_regs, plain.registers)
    assert.equal(fixed.shared_size_bytes, fixed.smem)
    assert.equal(plain.local_size_bytes, plain.lmem)
    assert.equal(4000, fixed.shared_size_bytes)
    assert.equal(0, plain.shared_size_bytes)
    assert.equal(1024, plain.max_threads_per_block)
    assert.equal(128, bounded.max_threads_per_block)
    assert.is_true(mod:get_function "constant".const_size_bytes >= 100)
    assert.equal(48 * 1024, plain.max_dynamic_shared_size_bytes)
    assert.equal(48 * 1024 - 4000, fixed.max_dynamic_shared_size_bytes)
  end)

  it("cuda.Function:get_attribute refuses what there is not, and names what was meant", function()
    gpu.raises("LogicError", "num_regs", plain.get_attribute, plain, "num_reg")
    gpu.raises("LogicError", "did you mean num_regs?", function() return plain.num_reg end)
    gpu.raises("LogicError", "max_active_blocks", function() return plain.max_active_block end)
    gpu.raises("LogicError", "no field number 5", function() return plain[5] end)
    gpu.error_of("LogicError", plain.get_attribute, plain, cuda.function_attribute.MAX)
    gpu.error_of("LogicError", plain.get_attribute, plain, 9999)
    gpu.refuses_nonsense(function(v) return plain:get_attribute(v) end)
    gpu.refuses_nonsense(cuda.Function.get_attribute)
    gpu.error_of("LogicError", plain.get_attribute, plain, "num_regs\0")
  end)

  it("attributes need no context to be current; closed modules have none", function()
    local closing = cuda.SourceModule(source)
    local fn = closing:get_function "plain"
    local expected = fn.num_regs
    local other = cuda.Device(0):make_context()
    assert.equal(expected, fn.num_regs)
    fn:set_attribute("preferred_shared_memory_carveout", 50)
    fn:set_cache_config "prefer_l1"
    assert.equal(other, cuda.Context.get_current())
    gpu.raises("LogicError", "not the current one", fn.max_active_blocks, fn, 32)
    gpu.raises("LogicError", "not the current one", fn.suggest_block, fn)
    other:detach()
    gpu.context()
    closing.module:close()
    for _, f in ipairs { function() return fn.num_regs end, function() fn:set_attribute("num_regs", 1) end,
      function() fn:set_cache_config(0) end, function() fn:set_shared_config(0) end,
      function() fn:max_active_blocks(32) end,
      function() fn:suggest_block() end, function() fn:suggest_block { shared = function() return 0 end } end,
      function() fn:signature() end, function() fn:available_shared(1, 32) end,
      function() fn:max_active_clusters { block = 32, cluster = 1 } end,
      function() fn:max_cluster_size { block = 32 } end } do
      gpu.raises("LogicError", "closed", f)
    end
  end)

  it("cuda.Function:set_attribute sets what can be set, and says what cannot", function()
    local fn = cuda.SourceModule(source):get_function "dynamic"
    local most = device.max_shared_memory_per_block_optin
    fn:set_attribute("max_dynamic_shared_size_bytes", most)
    assert.equal(most, fn.max_dynamic_shared_size_bytes)
    fn:set_attribute(cuda.function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT, 40)
    assert.equal(40, fn.preferred_shared_memory_carveout)
    fn:set_attribute("preferred_shared_memory_carveout", cuda.shared_carveout.DEFAULT)
    assert.equal(-1, fn.preferred_shared_memory_carveout)
    for _, name in ipairs { "num_regs", "max_threads_per_block", "shared_size_bytes", "ptx_version", "registers" } do
      local err = gpu.error_of("LogicError", fn.set_attribute, fn, name, 10)
      assert.equal(cuda.result.INVALID_VALUE, err.code)
      assert.equal("dynamic", err.kernel)
      assert.truthy(err.message:find "^dynamic: %u[%u_]+ cannot be set to 10$", err.message)
    end
    gpu.error_of("LogicError", fn.set_attribute, fn, "max_dynamic_shared_size_bytes", most + 1)
    assert.equal(most, fn.max_dynamic_shared_size_bytes)
    gpu.refuses_nonsense(function(v) return fn:set_attribute(v, 0) end)
    gpu.refuses_nonsense(function(v) return fn:set_attribute("preferred_shared_memory_carveout", v) end,
      { number = true })
    for _, value in ipairs { 0.5, 0 / 0, 2 ^ 40, "50" } do
      gpu.error_of("LogicError", fn.set_attribute, fn, "preferred_shared_memory_carveout", value)
    end
  end)

  it("cuda.Function:set_cache_config and cuda.Function:set_shared_config take names and numbers", function()
    for name, value in pairs(cuda.func_cache) do
      assert.is_nil(plain:set_cache_config(value))
      assert.is_nil(plain:set_cache_config(name:lower()))
    end
    for _, value in pairs(cuda.shared_config) do assert.is_nil(plain:set_shared_config(value)) end
    plain:set_shared_config "default_bank_size"
    gpu.raises("LogicError", "prefer_shared", plain.set_cache_config, plain, "prefer_share")
    gpu.refuses_nonsense(function(v) plain:set_cache_config(v) end)
    gpu.refuses_nonsense(function(v) plain:set_shared_config(v) end)
    local out = cuda.to_device(ffi.new("float[1]", 1))
    plain(out, 1, { block = 1 })
    local back = ffi.new "float[1]"
    cuda.memcpy_dtoh(back, out)
    assert.equal(2, back[0])
    if not gpu.soft then return end
    local soft = require "cudalua.softgpu"
    soft.log "on"
    soft.log "clear"
    plain:set_cache_config "prefer_equal"
    local calls = soft.calls()
    soft.log "off"
    assert.equal("cuFuncSetCacheConfig", calls[#calls - 1].symbol)
  end)
end)

describe("occupancy", function()
  local mod, plain, fixed, dynamic, bounded, device
  setup(function()
    gpu.context()
    device = cuda.Context.get_device()
    mod = cuda.SourceModule(source)
    plain, fixed, dynamic, bounded = mod:get_function "plain", mod:get_function "fixed", mod:get_function "dynamic",
      mod:get_function "bounded"
  end)
  before_each(gpu.context)

  it("cuda.Function:max_active_blocks goes with threads and shared memory", function()
    local threads, blocks = device.max_threads_per_multiprocessor, device.max_blocks_per_multiprocessor
    assert.equal(threads / 1024, plain:max_active_blocks(1024))
    assert.equal(math.min(threads / 32, blocks), plain:max_active_blocks(32))
    assert.equal(plain:max_active_blocks(256), plain:max_active_blocks { 16, 16 })
    assert.equal(plain:max_active_blocks(256), plain:max_active_blocks({ 4, 8, 8 }, 0, "default"))
    local per_sm = device.max_shared_memory_per_multiprocessor
    local reserved = device.reserved_shared_memory_per_block
    for _, shared in ipairs { 16 * 1024, 40 * 1024, 64 * 1024, 100 * 1024 } do
      local fits = math.floor(per_sm / (math.ceil((shared + reserved) / 128) * 128))
      assert.equal(math.min(fits, threads / 64), dynamic:max_active_blocks(64, shared))
    end
    assert.equal(1, dynamic:max_active_blocks(64, device.max_shared_memory_per_block_optin))
    assert.equal(0, dynamic:max_active_blocks(64, device.max_shared_memory_per_block_optin + 1))
    assert.equal(0, fixed:max_active_blocks(64, device.max_shared_memory_per_block_optin - 3999))
    assert.equal(0, plain:max_active_blocks(1025))
    assert.equal(0, plain:max_active_blocks { 1024, 1024, 64 })
    assert.equal(0, plain:max_active_blocks { 1, 1, 65 })
    assert.equal(0, bounded:max_active_blocks(129))
    assert.is_true(bounded:max_active_blocks(128) > 0)
    assert.equal(plain:max_active_blocks(64),
      plain:max_active_blocks(64, nil, cuda.occupancy_flags.DISABLE_CACHING_OVERRIDE))
  end)

  it("cuda.Function:max_active_blocks refuses what is no block and no size", function()
    gpu.refuses_nonsense(function(v) return plain:max_active_blocks(v) end)
    gpu.refuses_nonsense(function(v) return plain:max_active_blocks(32, v) end, { ["nil"] = true })
    gpu.error_of("LogicError", plain.max_active_blocks, plain, 0)
    gpu.error_of("LogicError", plain.max_active_blocks, plain, 32, 0, "no flag")
    gpu.error_of("LogicError", plain.max_active_blocks, plain, 32, 0, 64)
    gpu.refuses_nonsense(cuda.Function.max_active_blocks)
  end)

  it("cuda.Function:suggest_block keeps the device busiest, with a number or a function for the shared memory",
    function()
    local sms, threads = device.multiprocessor_count, device.max_threads_per_multiprocessor
    local block, grid = plain:suggest_block()
    assert.equal(threads, plain:max_active_blocks(block) * block)
    assert.equal(plain:max_active_blocks(block) * sms, grid)
    for _, fn in ipairs { plain, fixed, dynamic, bounded } do
      for _, shared in ipairs { 0, 1000, 20000, 60000, 150000 } do
        for _, limit in ipairs { false, 1, 31, 100, 700, 5000 } do
          local options = { shared = shared, limit = limit or nil }
          local b, g = fn:suggest_block(options)
          options.shared = function() return shared end
          assert.same({ b, g }, { fn:suggest_block(options) })
          assert.is_true(b >= 1 and b <= (limit or 1024) and b <= fn.max_threads_per_block)
          assert.equal(g, fn:max_active_blocks(b, shared) * sms)
        end
      end
    end
    -- memory that grows with the block
    local asked = {}
    block = dynamic:suggest_block { shared = function(n) asked[#asked + 1] = n return n * 200 end }
    assert.same({ 1024, 992, 32, 32 }, { asked[1], asked[2], asked[#asked], #asked })
    local best = 0
    for n = 32, 1024, 32 do best = math.max(best, n * dynamic:max_active_blocks(n, n * 200)) end
    assert.equal(best, block * dynamic:max_active_blocks(block, block * 200))
    local out = cuda.mem_alloc(4 * 1024)
    dynamic(out, { block = block, shared = block * 200 })
    cuda.Context.synchronize()
  end)

  it("cuda.Function:suggest_block refuses what makes no sense", function()
    local most = device.max_shared_memory_per_block_optin
    gpu.raises("LaunchError", "no block fits", fixed.suggest_block, fixed, { shared = most })
    gpu.raises("LaunchError", "no block fits", plain.suggest_block, plain, { shared = function() return most + 1 end })
    for _, value in ipairs { -1, 0.5, 0 / 0, 2 ^ 40, "1", {}, true } do
      gpu.raises("LogicError", "shared", plain.suggest_block, plain, { shared = value })
      gpu.raises("LogicError", "shared(1024)", plain.suggest_block, plain, { shared = function() return value end })
      gpu.raises("LogicError", "limit", plain.suggest_block, plain, { limit = value })
    end
    gpu.raises("LogicError", "limit", plain.suggest_block, plain, { limit = 0 })
    gpu.raises("LogicError", "unknown option", plain.suggest_block, plain, { share = 1 })
    gpu.raises("LogicError", "table of options", plain.suggest_block, plain, 5)
    local ok, err = pcall(plain.suggest_block, plain, { shared = function() error("mine", 0) end })
    assert.same({ false, "mine" }, { ok, err })
    gpu.error_of("LogicError", cuda.Function.suggest_block, {})
  end)

  it("cuda.Function:available_shared is what so many blocks can have each", function()
    for _, threads in ipairs { 64, 256, 1024 } do
      for blocks = 1, dynamic:max_active_blocks(threads) do
        local bytes = dynamic:available_shared(blocks, threads)
        assert.is_true(dynamic:max_active_blocks(threads, bytes) >= blocks)
        assert.is_true(bytes >= 1024)
      end
    end
    assert.equal(device.max_shared_memory_per_block_optin, dynamic:available_shared(1, 64))
    assert.equal(device.max_shared_memory_per_block_optin - 4000, fixed:available_shared(1, { 8, 8 }))
    gpu.raises("LaunchError", "at most 2", dynamic.available_shared, dynamic, 3, 1024)
    gpu.raises("LaunchError", "at most 0", bounded.available_shared, bounded, 1, 129)
    gpu.refuses_nonsense(function(v) return plain:available_shared(v, 32) end)
    gpu.refuses_nonsense(function(v) return plain:available_shared(1, v) end)
    gpu.error_of("LogicError", plain.available_shared, plain, 0, 32)
  end)

  it("cuda.Function:max_active_clusters and cuda.Function:max_cluster_size", function()
    local sms = device.multiprocessor_count
    assert.equal(plain:max_active_blocks(256) * sms, plain:max_active_clusters { block = 256, cluster = 1 })
    assert.equal(0, plain:max_active_clusters { block = 2000, cluster = 1 })
    assert.equal(0, plain:max_active_clusters { block = 32, cluster = 1, shared = 2 ^ 30 })
    assert.equal(0, plain:max_cluster_size { block = 2000 })
    assert.equal(0, plain:max_active_clusters { block = 32, cluster = { 2 ^ 20, 2 ^ 20 } })
    if device.cluster_launch == 1 then
      local pairs_of = plain:max_active_clusters { block = 1024, cluster = 2 }
      assert.is_true(pairs_of > 0 and pairs_of <= plain:max_active_blocks(1024) * sms / 2)
      assert.is_true(plain:max_active_clusters { block = 1024, cluster = { 2, 2, 2 } } > 0)
      assert.equal(8, plain:max_cluster_size { block = 256 })
      local fn = cuda.SourceModule(source):get_function "plain"
      fn:set_attribute("non_portable_cluster_size_allowed", 1)
      assert.equal(16, fn:max_cluster_size { block = 256 })
    else
      assert.equal(0, plain:max_active_clusters { block = 256, cluster = 2 })
      assert.equal(1, plain:max_cluster_size { block = 256 })
    end
    gpu.raises("LogicError", "option cluster is missing", plain.max_active_clusters, plain, { block = 32 })
    gpu.raises("LogicError", "option block is missing", plain.max_active_clusters, plain, { cluster = 2 })
    gpu.raises("LogicError", "option block is missing", plain.max_cluster_size, plain, {})
    gpu.raises("LogicError", "option cluster", plain.max_active_clusters, plain, { block = 32, cluster = 0 })
    gpu.raises("LogicError", "unknown option", plain.max_cluster_size, plain, { block = 32, bolck = 1 })
    gpu.refuses_nonsense(function(v) return plain:max_cluster_size(v) end)
    gpu.refuses_nonsense(function(v) return plain:max_active_clusters(v) end)
  end)

  it("is the same inside a capture", function()
    local fn = cuda.SourceModule(source):get_function "dynamic"
    local s, out = cuda.Stream "non_blocking", cuda.mem_alloc(4 * 256)
    local blocks, block, registers
    local graph = s:capture(function()
      registers = fn.num_regs
      blocks = fn:max_active_blocks(256, 60000)
      block = fn:suggest_block { shared = 60000 }
      fn(out, { block = 256, shared = 60000 })
    end)
    assert.equal(1, #graph:nodes())
    assert.same({ registers, blocks, block }, { fn.num_regs, fn:max_active_blocks(256, 60000),
      (fn:suggest_block { shared = 60000 }) })
    graph:instantiate():launch(s)
    s:synchronize()
  end)
end)

describe("profilers", function()
  before_each(gpu.context)

  it("cuda.start_profiler and cuda.stop_profiler are for whatever profiler there is", function()
    assert.is_nil(cuda.start_profiler())
    assert.is_nil(cuda.stop_profiler())
    if gpu.soft then
      local soft = require "cudalua.softgpu"
      soft.log "on"
      soft.log "clear"
      cuda.start_profiler()
      cuda.stop_profiler()
      local symbols = {}
      for _, call in ipairs(soft.calls()) do
        if call.symbol:find "Profiler" then symbols[#symbols + 1] = call.symbol end
      end
      soft.log "off"
      assert.same({ "cuProfilerStart", "cuProfilerStop" }, symbols)
    end
    cuda.Context.pop()
    assert.equal(201, gpu.error_of("LogicError", cuda.start_profiler).code)
  end)

  it("cuda.initialize_profiler says what to do instead", function()
    local err = gpu.error_of("LogicError", cuda.initialize_profiler, "in.cfg", "out.csv", "csv")
    assert.equal(cuda.result.NOT_SUPPORTED, err.code)
    assert.truthy(err.hint:find("Nsight", 1, true))
    gpu.error_of("LogicError", cuda.initialize_profiler, "in.cfg", "out.csv", "nothing")
    gpu.refuses_nonsense(function(v) cuda.initialize_profiler(v, "out", 0) end)
    gpu.refuses_nonsense(function(v) cuda.initialize_profiler("in", v, 0) end)
    gpu.refuses_nonsense(function(v) cuda.initialize_profiler("in", "out", v) end)
  end)

  it("the functions behind these never take what is not theirs", function()
    for _, name in ipairs { "function_suggest", "function_extents", "function_params", "function_source",
      "function_set_signature" } do
      for _, value in ipairs(gpu.nonsense) do assert.is_false(pcall(core[name], value, 0, 0)) end
    end
  end)
end)
