local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"
local constants = require "cudalua.base.constants"

-- Where each table is in cuda.h: the name after its enum and what is cut off, or the macros that begin so.
local places = {
  ctx_flags = "CUctx_flags CU_CTX_", event_flags = "CUevent_flags CU_EVENT_",
  event_record_flags = "CUevent_record_flags CU_EVENT_RECORD_",
  event_wait_flags = "CUevent_wait_flags CU_EVENT_WAIT_", stream_flags = "CUstream_flags CU_STREAM_",
  stream_capture_mode = "CUstreamCaptureMode CU_STREAM_CAPTURE_MODE_",
  stream_capture_status = "CUstreamCaptureStatus CU_STREAM_CAPTURE_STATUS_",
  stream_wait_value_flags = "CUstreamWaitValue_flags CU_STREAM_WAIT_VALUE_",
  stream_write_value_flags = "CUstreamWriteValue_flags CU_STREAM_WRITE_VALUE_",
  device_attribute = "CUdevice_attribute CU_DEVICE_ATTRIBUTE_",
  p2p_attribute = "CUdevice_P2PAttribute CU_DEVICE_P2P_ATTRIBUTE_", compute_mode = "CUcomputemode CU_COMPUTEMODE_",
  limit = "CUlimit CU_LIMIT_", func_cache = "CUfunc_cache CU_FUNC_CACHE_",
  shared_config = "CUsharedconfig CU_SHARED_MEM_CONFIG_",
  shared_carveout = "CUshared_carveout CU_SHAREDMEM_CARVEOUT_",
  function_attribute = "CUfunction_attribute CU_FUNC_ATTRIBUTE_",
  occupancy_flags = "CUoccupancy_flags CU_OCCUPANCY_", memory_type = "CUmemorytype CU_MEMORYTYPE_",
  pointer_attribute = "CUpointer_attribute CU_POINTER_ATTRIBUTE_", host_alloc_flags = "# CU_MEMHOSTALLOC_",
  mem_host_register_flags = "# CU_MEMHOSTREGISTER_", mem_attach_flags = "CUmemAttach_flags CU_MEM_ATTACH_",
  ipc_mem_flags = "CUipcMem_flags CU_IPC_MEM_", mem_advise = "CUmem_advise CU_MEM_ADVISE_",
  mem_range_attribute = "CUmem_range_attribute CU_MEM_RANGE_ATTRIBUTE_",
  mem_location_type = "CUmemLocationType CU_MEM_LOCATION_TYPE_",
  mem_allocation_type = "CUmemAllocationType CU_MEM_ALLOCATION_TYPE_",
  mem_handle_type = "CUmemAllocationHandleType CU_MEM_HANDLE_TYPE_",
  mem_access_flags = "CUmemAccess_flags CU_MEM_ACCESS_FLAGS_",
  mempool_attribute = "CUmemPool_attribute CU_MEMPOOL_ATTR_",
  graph_node_type = "CUgraphNodeType CU_GRAPH_NODE_TYPE_",
  graph_instantiate_flags = "CUgraphInstantiate_flags CUDA_GRAPH_INSTANTIATE_FLAG_",
  graph_exec_update_result = "CUgraphExecUpdateResult CU_GRAPH_EXEC_UPDATE_",
  graph_debug_dot_flags = "CUgraphDebugDot_flags CU_GRAPH_DEBUG_DOT_FLAGS_",
  array_format = "CUarray_format CU_AD_FORMAT_", array3d_flags = "# CUDA_ARRAY3D_",
  array_cubemap_face = "CUarray_cubemap_face CU_CUBEMAP_FACE_", address_mode = "CUaddress_mode CU_TR_ADDRESS_MODE_",
  filter_mode = "CUfilter_mode CU_TR_FILTER_MODE_",
  resource_view_format = "CUresourceViewFormat CU_RES_VIEW_FORMAT_",
  graphics_register_flags = "CUgraphicsRegisterFlags CU_GRAPHICS_REGISTER_FLAGS_",
  graphics_map_flags = "CUgraphicsMapResourceFlags CU_GRAPHICS_MAP_RESOURCE_FLAGS_",
  jit_option = "CUjit_option CU_JIT_", jit_target = "CUjit_target CU_TARGET_", jit_fallback = "CUjit_fallback CU_",
  jit_cache_mode = "CUjit_cacheMode CU_JIT_CACHE_OPTION_", jit_input_type = "CUjitInputType CU_JIT_INPUT_",
  profiler_output_mode = "- -",
}

-- What the tables hold besides, or leave out: enumerators that only count the others.
local extra = {
  compute_mode = { EXCLUSIVE = 1 }, profiler_output_mode = { KEY_VALUE_PAIR = 0, CSV = 1 },
  jit_target = { COMPUTE_10 = 10, COMPUTE_11 = 11, COMPUTE_12 = 12, COMPUTE_13 = 13, COMPUTE_20 = 20, COMPUTE_21 = 21 },
}
local function counts(name, group)
  return group ~= "function_attribute" and (name == "MAX" or name == "PROT_MAX" or name:find "NUM_OPTIONS$" or
    name:find "NUM_INPUT_TYPES$")
end

-- Values that have not changed since the tables were made, for machines without the header.
local sample = {
  ctx_flags = { SCHED_AUTO = 0, SCHED_SPIN = 1, SCHED_YIELD = 2, SCHED_BLOCKING_SYNC = 4, BLOCKING_SYNC = 4,
    SCHED_MASK = 7, MAP_HOST = 8, LMEM_RESIZE_TO_MAX = 16, COREDUMP_ENABLE = 32, USER_COREDUMP_ENABLE = 64,
    SYNC_MEMOPS = 128, FLAGS_MASK = 255 },
  event_flags = { DEFAULT = 0, BLOCKING_SYNC = 1, DISABLE_TIMING = 2, INTERPROCESS = 4 },
  device_attribute = { MAX_THREADS_PER_BLOCK = 1, WARP_SIZE = 10, CLOCK_RATE = 13, COMPUTE_MODE = 20,
    SHARED_MEMORY_PER_BLOCK = 8, MAX_SHARED_MEMORY_PER_BLOCK = 8, COMPUTE_CAPABILITY_MAJOR = 75 },
  function_attribute = { MAX_THREADS_PER_BLOCK = 0, NUM_REGS = 4, CACHE_MODE_CA = 7, MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    PREFERRED_SHARED_MEMORY_CARVEOUT = 9, MAX = 16 },
  func_cache = { PREFER_NONE = 0, PREFER_SHARED = 1, PREFER_L1 = 2, PREFER_EQUAL = 3 },
  array_format = { UNSIGNED_INT8 = 1, SIGNED_INT8 = 8, HALF = 16, FLOAT = 32 },
  array3d_flags = { ["2DARRAY"] = 1, LAYERED = 1, SURFACE_LDST = 2, CUBEMAP = 4, TEXTURE_GATHER = 8,
    ARRAY3D_2DARRAY = 1, ARRAY3D_LAYERED = 1 },
  address_mode = { WRAP = 0, CLAMP = 1, MIRROR = 2, BORDER = 3 }, filter_mode = { POINT = 0, LINEAR = 1 },
  resource_view_format = { NONE = 0, UINT_1X8 = 1, FLOAT_4X32 = 0x18, UNSIGNED_BC7 = 0x22 },
  memory_type = { HOST = 1, DEVICE = 2, ARRAY = 3, UNIFIED = 4 },
  compute_mode = { DEFAULT = 0, EXCLUSIVE = 1, PROHIBITED = 2, EXCLUSIVE_PROCESS = 3 },
  jit_option = { MAX_REGISTERS = 0, FALLBACK_STRATEGY = 10 }, jit_fallback = { PREFER_PTX = 0, PREFER_BINARY = 1 },
  jit_target = { COMPUTE_30 = 30, COMPUTE_90A = 0x10000 + 90, COMPUTE_100F = 0x20000 + 100 },
  host_alloc_flags = { PORTABLE = 1, DEVICEMAP = 2, WRITECOMBINED = 4 },
  mem_host_register_flags = { PORTABLE = 1, DEVICEMAP = 2, IOMEMORY = 4, READ_ONLY = 8 },
  mem_attach_flags = { GLOBAL = 1, HOST = 2, SINGLE = 4 }, ipc_mem_flags = { LAZY_ENABLE_PEER_ACCESS = 1 },
  limit = { STACK_SIZE = 0, PRINTF_FIFO_SIZE = 1, MALLOC_HEAP_SIZE = 2 },
}

local header
do
  local home = os.getenv "CUDA_HOME"
  local file = home and io.open(home .. "/include/cuda.h")
  if file then
    header = file:read("*a"):gsub("/%*.-%*/", " "):gsub("//[^\n]*", "")
    file:close()
  end
end

-- The value of a C expression of the header: numbers, shifts, sums, names of known value.
local function evaluate(text, known)
  text = text:gsub("(%w+)%s*<<%s*(%w+)", "(%1 * 2 ^ %2)"):gsub("(%d)[uU]%f[%W]", "%1")
  return setfenv(assert(loadstring("return " .. text)), known)()
end

local function from_enum(typename)
  local finish = assert(header:find("}%s*" .. typename .. "%s*;"), "no enum " .. typename)
  local body = header:sub(1, finish - 1):match ".*{(.*)$"
  local known = setmetatable({}, { __index = function(_, name)
    return evaluate(assert(header:match("#define%s+" .. name .. "%s+(%S+)"), name), {})
  end })
  local last = -1
  for item in body:gmatch "[^,]+" do
    local name, value = item:match "^%s*([%a_][%w_]*)%s*=?%s*(.-)%s*$"
    if name then
      last = value ~= "" and evaluate(value, known) or last + 1
      rawset(known, name, last)
    end
  end
  return setmetatable(known, nil)
end

local function from_macros(prefix)
  local known = {}
  for name, value in header:gmatch("#define%s+(" .. prefix .. "[%w_]+)[ \t]+(%S+)") do
    known[name] = evaluate(value, {})
  end
  return known
end

local function expected(group)
  local typename, prefix = places[group]:match "^(%S+) (%S+)$"
  local known = typename == "-" and {} or typename == "#" and from_macros(prefix) or from_enum(typename)
  local want = {}
  for name, value in pairs(known) do
    local short = name:match("^" .. prefix .. "(.+)$") or name
    if not counts(short, group) then
      want[short] = value
      if group == "array3d_flags" then want["ARRAY3D_" .. short] = value end
    end
  end
  for name, value in pairs(extra[group] or {}) do want[name] = value end
  return want
end

local function plain(t)
  local copy = {}
  for name, value in pairs(t) do copy[name] = value end
  return copy
end

describe("constants", function()
  for _, group in ipairs(constants.tables()) do
    it(("cuda.%s holds what cuda.h says"):format(group), function()
      assert.is_string(places[group], "this spec does not know where the table comes from")
      if header then assert.same(expected(group), plain(cuda[group])) end
      assert.is_true(next(cuda[group]) ~= nil)
      for name, value in pairs(sample[group] or {}) do assert.equal(value, cuda[group][name], name) end
    end)
  end

  it("cuda.TRSA_OVERRIDE_FORMAT, cuda.TRSF_READ_AS_INTEGER, cuda.TRSF_NORMALIZED_COORDINATES, cuda.TRSF_SRGB, " ..
    "cuda.TRSF_DISABLE_TRILINEAR_OPTIMIZATION, cuda.TRSF_SEAMLESS_CUBEMAP and cuda.TR_DEFAULT", function()
    assert.same({ 1, 1, 2, 0x10, 0x20, 0x40, -1 }, { cuda.TRSA_OVERRIDE_FORMAT, cuda.TRSF_READ_AS_INTEGER,
      cuda.TRSF_NORMALIZED_COORDINATES, cuda.TRSF_SRGB, cuda.TRSF_DISABLE_TRILINEAR_OPTIMIZATION,
      cuda.TRSF_SEAMLESS_CUBEMAP, cuda.TR_DEFAULT })
    gpu.raises("LogicError", "cuda has no field 'TRSF_SRGBA'; did you mean 'TRSF_SRGB'?", function()
      return cuda.TRSF_SRGBA
    end)
    assert.is_false(cuda.has "cuda")
  end)

  it("every name of the first documents is there", function()
    for group, names in pairs {
      ctx_flags = "SCHED_AUTO SCHED_SPIN SCHED_YIELD SCHED_MASK BLOCKING_SYNC MAP_HOST FLAGS_MASK",
      device_attribute = [[MAX_THREADS_PER_BLOCK MAX_BLOCK_DIM_X MAX_BLOCK_DIM_Y MAX_BLOCK_DIM_Z MAX_GRID_DIM_X
        MAX_GRID_DIM_Y MAX_GRID_DIM_Z TOTAL_CONSTANT_MEMORY WARP_SIZE MAX_PITCH CLOCK_RATE TEXTURE_ALIGNMENT
        GPU_OVERLAP MULTIPROCESSOR_COUNT SHARED_MEMORY_PER_BLOCK MAX_SHARED_MEMORY_PER_BLOCK REGISTERS_PER_BLOCK
        MAX_REGISTERS_PER_BLOCK KERNEL_EXEC_TIMEOUT INTEGRATED CAN_MAP_HOST_MEMORY COMPUTE_MODE
        MAXIMUM_TEXTURE1D_WIDTH MAXIMUM_TEXTURE2D_WIDTH MAXIMUM_TEXTURE2D_HEIGHT MAXIMUM_TEXTURE3D_WIDTH
        MAXIMUM_TEXTURE3D_HEIGHT MAXIMUM_TEXTURE3D_DEPTH MAXIMUM_TEXTURE2D_ARRAY_WIDTH
        MAXIMUM_TEXTURE2D_ARRAY_HEIGHT
        MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES SURFACE_ALIGNMENT CONCURRENT_KERNELS ECC_ENABLED]],
      function_attribute = [[MAX_THREADS_PER_BLOCK SHARED_SIZE_BYTES CONST_SIZE_BYTES LOCAL_SIZE_BYTES NUM_REGS
        PTX_VERSION BINARY_VERSION MAX]],
      jit_option = [[MAX_REGISTERS THREADS_PER_BLOCK WALL_TIME INFO_LOG_BUFFER INFO_LOG_BUFFER_SIZE_BYTES
        ERROR_LOG_BUFFER ERROR_LOG_BUFFER_SIZE_BYTES OPTIMIZATION_LEVEL TARGET_FROM_CUCONTEXT TARGET
        FALLBACK_STRATEGY]],
    } do
      for name in names:gmatch "%S+" do assert.is_number(cuda[group][name]) end
    end
  end)

  it("a name that is not there is a LogicError that says which is near", function()
    local err = gpu.raises("LogicError", "cuda.limit has no 'STAK_SIZE'", function() return cuda.limit.STAK_SIZE end)
    assert.truthy(err.message:find("STACK_SIZE", 1, true))
    gpu.raises("LogicError", "POINT, LINEAR", function() return cuda.filter_mode.CUBIC end)
    gpu.raises("LogicError", "has names, no number 1", function() return cuda.limit[1] end)
    gpu.raises("LogicError", "cannot be written to", function() cuda.limit.NEW = 1 end)
    assert.equal("cudalua.limit", tostring(cuda.limit))
    assert.is_false(getmetatable(cuda.limit))
    assert.equal(cuda.limit, cuda.limit)
  end)

  it("flags are a number, a name or a list of both", function()
    local function flags(value, mask) return constants.flags("f: flags", value, "ctx_flags", mask) end
    assert.equal(0, flags(nil))
    assert.equal(0, flags {})
    assert.equal(1, flags "sched_spin")
    assert.equal(1, flags "SCHED_SPIN")
    assert.equal(13, flags { "sched_spin", "MAP_HOST", 4 })
    assert.equal(255, flags(255))
    assert.equal(1, flags("sched_spin", 1))
    local err = gpu.raises("LogicError", "f: flags: ", flags, "sched_spn")
    assert.truthy(err.message:find("(sched_spin)", 1, true))
    gpu.raises("LogicError", "within 0xff", flags, 256)
    gpu.raises("LogicError", "within 0x1", flags, "map_host", 1)
    gpu.raises("LogicError", "got number 1.5", flags, { 1.5 })
    gpu.raises("LogicError", "got table", flags, { flags = "sched_spin" })
    gpu.raises("LogicError", "got table", flags, { {} })
    gpu.raises("LogicError", "a string of 2 bytes", flags, "a\0")
    gpu.raises("LogicError", "got string \"\"", flags, "")
    gpu.refuses_nonsense(flags, { ["nil"] = true, table = true })
    gpu.refuses_nonsense(function(v) return flags { v } end, { ["nil"] = true })
  end)

  it("enumerators are a number or a name of the table", function()
    local function enum(value, group) return constants.enum("f: what", value, group or "limit") end
    assert.equal(0, enum "stack_size")
    assert.equal(2, enum(2))
    gpu.raises("LogicError", "stack_size", enum, "stack")
    gpu.raises("LogicError", "got number 99", enum, 99)
    gpu.raises("LogicError", "clock_rate", enum, "clokc_rate", "device_attribute")
    gpu.raises("LogicError", "COMPUTE_10: target no longer supported", enum, "compute_10", "jit_target")
    gpu.raises("LogicError", "target no longer supported", enum, 21, "jit_target")
    assert.equal(90, enum("compute_90", "jit_target"))
    gpu.refuses_nonsense(enum)
  end)

  it("are made from the header by a script that knows preprocessor lines, comments and expressions", function()
    local input, output = os.tmpname(), os.tmpname()
    local real = assert(header and io.open(os.getenv "CUDA_HOME" .. "/include/cuda.h"), "no cuda.h")
    local text = real:read "*a"
    real:close()
    local changed, n = text:gsub("typedef enum CUstream_flags_enum {.-}", [[typedef enum CUstream_flags_enum {
      CU_STREAM_A /* , CU_STREAM_NOT */ = (1, 2), CU_STREAM_B // , CU_STREAM_NEITHER
    #if 1
      , CU_STREAM_C = CU_STREAM_A + F(1, 2)
    #endif
    }]])
    assert.equal(1, n)
    local file = assert(io.open(input, "w"))
    file:write(changed)
    file:close()
    local made = os.execute(("luajit tools/gen_constants.lua %s %s"):format(input, output))
    assert.is_true(made == 0 or made == true)
    file = assert(io.open(output))
    local result = file:read "*a"
    file:close()
    os.remove(input)
    os.remove(output)
    assert.equal('CL_CONSTANT("A", CU_STREAM_A)\nCL_CONSTANT("B", CU_STREAM_B)\n#if 1\n' ..
      'CL_CONSTANT("C", CU_STREAM_C)\n#endif\n', result:match "CL_TABLE%(stream_flags%)\n(.-)CL_END")
  end)

  it("none is made before it is looked at", function()
    local out = gpu.child [[
      local cuda = require "cudalua"
      local before = rawget(cuda, "ctx_flags")
      local value = cuda.ctx_flags.MAP_HOST
      io.write(tostring(before), " ", value, " ", tostring(rawget(cuda, "ctx_flags") == cuda.ctx_flags))
    ]]
    assert.equal("nil 8 true", out)
    assert.same({}, { core.constants "nothing" })
    assert.same({}, { core.constants(1) })
  end)
end)
