-- tools.DeviceData and tools.OccupancyRecord: against the device's attributes, the driver's own answers, and NVIDIA's
-- numbers for devices that are not here.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local tools = cuda.tools

-- Of a device, what the CUDA C++ Programming Guide says of its compute capability.
local function device(warps, blocks, shared_kb, unit)
  return { max_threads = 1024, warp_size = 32, warps_per_mp = warps, thread_blocks_per_mp = blocks, registers = 65536,
    registers_per_mp = 65536, shared_memory_optin = (shared_kb - 1) * 1024, shared_memory_per_mp = shared_kb * 1024,
    shared_memory_reserved = 1024, smem_alloc_granularity = unit or 128 }
end

describe("tools.DeviceData", function()
  local dev, data
  before_each(function()
    gpu.context()
    dev = cuda.Device(0)
    data = tools.DeviceData()
  end)

  it("has the device's numbers", function()
    assert.equal(dev.max_threads_per_block, data.max_threads)
    assert.equal(dev.warp_size, data.warp_size)
    assert.equal(dev.max_threads_per_multiprocessor, data.warps_per_mp * data.warp_size)
    assert.equal(dev.max_blocks_per_multiprocessor, data.thread_blocks_per_mp)
    assert.equal(dev.max_registers_per_block, data.registers)
    assert.equal(dev.max_shared_memory_per_block, data.shared_memory)
    assert.equal(dev.max_shared_memory_per_multiprocessor, data.shared_memory_per_mp)
    assert.equal(32, data.smem_granularity)
    assert.equal(dev:compute_capability() >= 8 and 128 or 256, data.smem_alloc_granularity)
    assert.equal("warp", data.register_allocation_unit)
    assert.equal(data.registers, tools.DeviceData(dev).registers)
    assert.equal("cudalua.tools.DeviceData: " .. dev:name(), tostring(data))
  end)

  it("tools.DeviceData:align_bytes, tools.DeviceData:align, tools.DeviceData:align_words, " ..
    "tools.DeviceData:align_dtype round up to cache lines, tools.DeviceData:coalesce to warps", function()
    for _, size in ipairs { 1, 2, 4, 8, 16 } do
      assert.equal(128, data:align_bytes(size))
      assert.equal(128 / size, data:align_words(size))
      for _, n in ipairs { 0, 1, 31, 127, 128, 129, 1000 } do
        local bytes, elements = data:align(n, size), data:align_dtype(n, size)
        assert(bytes >= n and bytes < n + 128 and bytes % 128 == 0, bytes)
        assert(elements >= n and (elements - n) * size < 128 and elements * size % 128 == 0, elements)
      end
    end
    assert.same({ 128, 256, 32 }, { data:align_bytes(), data:align(129), data:align_words() })
    assert.same({ 0, 32, 32, 64 }, { data:coalesce(0), data:coalesce(1), data:coalesce(32), data:coalesce(33) })
    for _, size in ipairs { 0, 3, 32, 4.5 } do
      for _, method in ipairs { "align_bytes", "align_words" } do
        gpu.raises("LogicError", method .. ": word_size must be 1, 2, 4, 8 or 16", data[method], data, size)
      end
    end
    gpu.refuses_nonsense(function(x) data:align(x) end)
    gpu.refuses_nonsense(function(x) data:align_dtype(x, 4) end)
    gpu.refuses_nonsense(function(x) data:align_dtype(4, x) end, { ["nil"] = true })
    gpu.refuses_nonsense(function(x) data:coalesce(x) end)
    for _, name in ipairs { "align_bytes", "align", "align_words", "align_dtype", "coalesce" } do
      gpu.refuses_nonsense(tools.DeviceData[name])
      gpu.raises("LogicError", "call it as data:" .. name, data[name], 4)
    end
  end)

  it("tools.DeviceData.make_valid_tex_channel_count", function()
    local f = tools.DeviceData.make_valid_tex_channel_count
    assert.same({ 1, 2, 4, 4 }, { f(1), f(2), f(3), f(4) })
    assert.equal(4, data:make_valid_tex_channel_count(3))
    for _, n in ipairs { 0, 5, 1.5 } do gpu.raises("LogicError", "size must be 1, 2, 3 or 4", f, n) end
    gpu.refuses_nonsense(f)
    gpu.refuses_nonsense(function(x) return data:make_valid_tex_channel_count(x) end)
  end)

  it("is of a device, read only, and raises for other names", function()
    gpu.refuses_nonsense(tools.DeviceData, { ["nil"] = true })
    gpu.raises("LogicError", "it is read-only", function() data.registers = 1 end)
    gpu.raises("LogicError", "has no field 'register'", function() return data.register end)
    cuda.Context.pop()
    local err = gpu.error_of("LogicError", tools.DeviceData)
    assert.equal(201, err.code)
    assert.equal(data.registers, tools.DeviceData(dev).registers)
    gpu.context()
  end)
end)

describe("tools.OccupancyRecord", function()
  before_each(gpu.context)

  it("agrees with the driver about kernels of all sizes", function()
    local data, optin = tools.DeviceData(), cuda.Device(0).max_shared_memory_per_block_optin
    local compared, limits = 0, {}
    -- Values that stay in registers: so many that the compiler's own number of them differs from kernel to kernel.
    local function kernel(values, static, most)
      local loads, sums = {}, {}
      for i = 1, values do
        loads[i] = ("float v%d = x[%d * n];"):format(i, i)
        sums[i] = ("x[%d * n] = v%d * v%d + v%d;"):format(i, i, (i * 7) % values + 1, (i * 3) % values + 1)
      end
      return cuda.SourceModule(([[
        __global__ void k(float *x, int n) {
          extern __shared__ float more[];
          __shared__ float own[%d];
          x += threadIdx.x; own[threadIdx.x %% %d] = more[0];
          %s
          __syncthreads();
          %s
          x[0] = own[n];
        }]]):format(static, static, table.concat(loads, " "), table.concat(sums, " ")), {
        options = most and { "-maxrregcount=" .. most } or {} }):get_function "k"
    end
    for _, shape in ipairs { { 1, 1 }, { 20, 300 }, { 40, 1 }, { 60, 1000 }, { 100, 1 }, { 150, 2000 }, { 240, 1 },
      { 240, 1, 40 } } do
      local k = kernel(unpack(shape))
      for _, block in ipairs { 1, 32, 33, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1000, 1024 } do
        for _, dynamic in ipairs { 0, 1, 1000, 4096, 10000, 20000, 40000, 70000, optin - k.shared_size_bytes } do
          local shared = k.shared_size_bytes + dynamic
          if shared <= optin and block <= k.max_threads_per_block then
            local record = tools.OccupancyRecord(data, block, shared, k.num_regs)
            local blocks = k:max_active_blocks(block, dynamic)
            if blocks ~= record.tb_per_mp then
              error(("%d threads, %d registers, %d bytes: %d by the driver, %d here"):format(block, k.num_regs, shared,
                blocks, record.tb_per_mp))
            end
            compared, limits[record.limited_by] = compared + 1, true
            assert.equal(record.tb_per_mp * math.ceil(block / 32), record.warps_per_mp)
            assert.equal(record.warps_per_mp / data.warps_per_mp, record.occupancy)
          end
        end
      end
    end
    assert(compared > 500, compared)
    assert.same({ device = true, warps = true, regs = true, smem = true }, limits)
  end)

  it("knows the limits of compute capabilities 7.5 to 12", function()
    -- warps, blocks, KB of shared memory; then threads, bytes, registers -> blocks, limit
    for _, case in ipairs {
      { { 64, 32, 164 }, 256, 0, 32, 8, "warps" }, -- 8.0
      { { 64, 32, 164 }, 32, 0, 16, 32, "device" },
      { { 64, 32, 164 }, 256, 0, 128, 2, "regs" },
      { { 64, 32, 164 }, 64, 0, 40, 24, "regs" }, -- 1280 for a warp: 12 warps in each part, 48 in all
      { { 64, 32, 164 }, 96, 0, 104, 5, "regs" }, -- 16384 / 3328 = 4 warps in each part
      { { 64, 32, 164 }, 256, 163 * 1024, 32, 1, "smem" },
      { { 64, 32, 164 }, 256, 40 * 1024, 32, 4, "smem" }, -- 41 KB each
      { { 48, 16, 100 }, 32, 0, 16, 16, "device" }, -- 8.6
      { { 48, 16, 100 }, 1024, 0, 32, 1, "warps" },
      { { 48, 24, 100 }, 64, 16888, 168, 5, "smem" }, -- 8.9
      { { 48, 24, 100 }, 64, 16888, 200, 4, "regs" },
      { { 64, 32, 228 }, 128, 13 * 1024, 32, 16, "warps" }, -- 9.0: of two limits that are equal, the first
      { { 64, 32, 228 }, 128, 14 * 1024, 32, 15, "smem" },
      { { 64, 32, 228 }, 384, 0, 168, 1, "regs" }, -- 10.0
      { { 48, 24, 100 }, 1024, 0, 65, 0, "regs" }, -- 12.0: 32 warps of 2304
      { { 48, 24, 100 }, 512, 0, 65, 1, "regs" },
    } do
      local of, threads, shared, registers, blocks, limit = unpack(case)
      local record = tools.OccupancyRecord(device(unpack(of)), threads, shared, registers)
      assert.same({ blocks, limit, blocks * threads / 32, blocks * threads / 32 / of[1] },
        { record.tb_per_mp, record.limited_by, record.warps_per_mp, record.occupancy })
    end
    local turing = device(32, 16, 64, 256)
    turing.shared_memory_optin, turing.shared_memory_reserved = 65536, 0
    assert.equal(2, tools.OccupancyRecord(turing, 64, 21846).tb_per_mp)
    assert.equal(3, tools.OccupancyRecord(turing, 64, 21760).tb_per_mp)
  end)

  it("takes no registers and no shared memory if none are given, and prints", function()
    local record = tools.OccupancyRecord(device(64, 32, 164), 128)
    assert.same({ 16, "warps", 64, 1 }, { record.tb_per_mp, record.limited_by, record.warps_per_mp, record.occupancy })
    assert.equal("cudalua.tools.OccupancyRecord: 16 blocks on each SM, limited by warps, 100 % of its warps",
      tostring(record))
    gpu.raises("LogicError", "it is read-only", function() record.occupancy = 1 end)
    gpu.raises("LogicError", "has no field 'blocks'", function() return record.blocks end)
  end)

  it("refuses what no block has", function()
    local data = tools.DeviceData()
    gpu.refuses_nonsense(tools.OccupancyRecord)
    gpu.refuses_nonsense(function(x) tools.OccupancyRecord(data, x) end)
    gpu.refuses_nonsense(function(x) tools.OccupancyRecord(data, 32, x) end, { ["nil"] = true })
    gpu.refuses_nonsense(function(x) tools.OccupancyRecord(data, 32, 0, x) end, { ["nil"] = true })
    gpu.raises("LogicError", "threads must be a positive integer, got 0", tools.OccupancyRecord, data, 0)
    gpu.raises("LogicError", "threads is 1025; a block has at most 1024", tools.OccupancyRecord, data, 1025)
    gpu.raises("LogicError", "bytes; a block has at most", tools.OccupancyRecord, data, 32,
      data.shared_memory_optin + 1)
    gpu.raises("LogicError", "registers is 256; a thread has at most 255", tools.OccupancyRecord, data, 32, 0, 256)
    gpu.raises("LogicError", "devdata.registers must be a positive integer, got nil", tools.OccupancyRecord,
      { max_threads = 1024, warp_size = 32, warps_per_mp = 64, thread_blocks_per_mp = 32 }, 32)
  end)
end)
