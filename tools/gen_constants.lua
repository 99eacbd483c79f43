-- Makes the rows of src/cudalua/base/constants.c from the names in cuda.h. The values are not read here: the C compiler
-- takes them from the enumerators themselves.
--   luajit tools/gen_constants.lua CUDA_H OUTPUT [DEPFILE]
-- Runs under any Lua from 5.1 on.

-- Each table of constants: its name in Lua, the enum it is made from, and what is cut off the enumerators' names.
-- `define` takes the macros that begin so instead. `keep_max` keeps the enumerator that only counts the others.
-- `also` gives every constant a second name with that prefix; `more` are names that the header lacks, `gone` those
-- that it no longer has and that no driver takes any more.
local tables = {
  { "ctx_flags", enum = "CUctx_flags_enum", cut = "CU_CTX_" },
  { "event_flags", enum = "CUevent_flags_enum", cut = "CU_EVENT_" },
  { "event_record_flags", enum = "CUevent_record_flags_enum", cut = "CU_EVENT_RECORD_" },
  { "event_wait_flags", enum = "CUevent_wait_flags_enum", cut = "CU_EVENT_WAIT_" },
  { "stream_flags", enum = "CUstream_flags_enum", cut = "CU_STREAM_" },
  { "stream_capture_mode", enum = "CUstreamCaptureMode_enum", cut = "CU_STREAM_CAPTURE_MODE_" },
  { "stream_capture_status", enum = "CUstreamCaptureStatus_enum", cut = "CU_STREAM_CAPTURE_STATUS_" },
  { "stream_wait_value_flags", enum = "CUstreamWaitValue_flags_enum", cut = "CU_STREAM_WAIT_VALUE_" },
  { "stream_write_value_flags", enum = "CUstreamWriteValue_flags_enum", cut = "CU_STREAM_WRITE_VALUE_" },
  { "device_attribute", enum = "CUdevice_attribute_enum", cut = "CU_DEVICE_ATTRIBUTE_" },
  { "p2p_attribute", enum = "CUdevice_P2PAttribute_enum", cut = "CU_DEVICE_P2P_ATTRIBUTE_" },
  { "compute_mode", enum = "CUcomputemode_enum", cut = "CU_COMPUTEMODE_", more = { { "EXCLUSIVE", 1 } } },
  { "limit", enum = "CUlimit_enum", cut = "CU_LIMIT_" },
  { "func_cache", enum = "CUfunc_cache_enum", cut = "CU_FUNC_CACHE_" },
  { "shared_config", enum = "CUsharedconfig_enum", cut = "CU_SHARED_MEM_CONFIG_" },
  { "shared_carveout", enum = "CUshared_carveout_enum", cut = "CU_SHAREDMEM_CARVEOUT_" },
  { "function_attribute", enum = "CUfunction_attribute_enum", cut = "CU_FUNC_ATTRIBUTE_", keep_max = true },
  { "occupancy_flags", enum = "CUoccupancy_flags_enum", cut = "CU_OCCUPANCY_" },
  { "memory_type", enum = "CUmemorytype_enum", cut = "CU_MEMORYTYPE_" },
  { "pointer_attribute", enum = "CUpointer_attribute_enum", cut = "CU_POINTER_ATTRIBUTE_" },
  { "host_alloc_flags", define = "CU_MEMHOSTALLOC_", cut = "CU_MEMHOSTALLOC_" },
  { "mem_host_register_flags", define = "CU_MEMHOSTREGISTER_", cut = "CU_MEMHOSTREGISTER_" },
  { "mem_attach_flags", enum = "CUmemAttach_flags_enum", cut = "CU_MEM_ATTACH_" },
  { "ipc_mem_flags", enum = "CUipcMem_flags_enum", cut = "CU_IPC_MEM_" },
  { "mem_advise", enum = "CUmem_advise_enum", cut = "CU_MEM_ADVISE_" },
  { "mem_range_attribute", enum = "CUmem_range_attribute_enum", cut = "CU_MEM_RANGE_ATTRIBUTE_" },
  { "mem_location_type", enum = "CUmemLocationType_enum", cut = "CU_MEM_LOCATION_TYPE_" },
  { "mem_allocation_type", enum = "CUmemAllocationType_enum", cut = "CU_MEM_ALLOCATION_TYPE_" },
  { "mem_handle_type", enum = "CUmemAllocationHandleType_enum", cut = "CU_MEM_HANDLE_TYPE_" },
  { "mem_access_flags", enum = "CUmemAccess_flags_enum", cut = "CU_MEM_ACCESS_FLAGS_" },
  { "mempool_attribute", enum = "CUmemPool_attribute_enum", cut = "CU_MEMPOOL_ATTR_" },
  { "graph_node_type", enum = "CUgraphNodeType_enum", cut = "CU_GRAPH_NODE_TYPE_" },
  { "graph_instantiate_flags", enum = "CUgraphInstantiate_flags_enum", cut = "CUDA_GRAPH_INSTANTIATE_FLAG_" },
  { "graph_exec_update_result", enum = "CUgraphExecUpdateResult_enum", cut = "CU_GRAPH_EXEC_UPDATE_" },
  { "graph_debug_dot_flags", enum = "CUgraphDebugDot_flags_enum", cut = "CU_GRAPH_DEBUG_DOT_FLAGS_" },
  { "array_format", enum = "CUarray_format_enum", cut = "CU_AD_FORMAT_" },
  { "array3d_flags", define = "CUDA_ARRAY3D_", cut = "CUDA_ARRAY3D_", also = "ARRAY3D_" },
  { "array_cubemap_face", enum = "CUarray_cubemap_face_enum", cut = "CU_CUBEMAP_FACE_" },
  { "address_mode", enum = "CUaddress_mode_enum", cut = "CU_TR_ADDRESS_MODE_" },
  { "filter_mode", enum = "CUfilter_mode_enum", cut = "CU_TR_FILTER_MODE_" },
  { "resource_view_format", enum = "CUresourceViewFormat_enum", cut = "CU_RES_VIEW_FORMAT_" },
  { "graphics_register_flags", enum = "CUgraphicsRegisterFlags_enum", cut = "CU_GRAPHICS_REGISTER_FLAGS_" },
  { "graphics_map_flags", enum = "CUgraphicsMapResourceFlags_enum", cut = "CU_GRAPHICS_MAP_RESOURCE_FLAGS_" },
  { "jit_option", enum = "CUjit_option_enum", cut = "CU_JIT_" },
  { "jit_target", enum = "CUjit_target_enum", cut = "CU_TARGET_", gone = { { "COMPUTE_10", 10 }, { "COMPUTE_11", 11 },
    { "COMPUTE_12", 12 }, { "COMPUTE_13", 13 }, { "COMPUTE_20", 20 }, { "COMPUTE_21", 21 } } },
  { "jit_fallback", enum = "CUjit_fallback_enum", cut = "CU_" },
  { "jit_cache_mode", enum = "CUjit_cacheMode_enum", cut = "CU_JIT_CACHE_OPTION_" },
  { "jit_input_type", enum = "CUjitInputType_enum", cut = "CU_JIT_INPUT_" },
  -- cudaProfiler.h, which is not part of every toolkit.
  { "profiler_output_mode", more = { { "KEY_VALUE_PAIR", 0 }, { "CSV", 1 } } },
  -- Those that the module holds itself: cuda.TRSF_SRGB.
  { "cuda", define = "CU_TRS", cut = "CU_", more = { { "TR_DEFAULT", "CU_PARAM_TR_DEFAULT" } } },
}

local counting = { MAX = true, PROT_MAX = true, NUM_OPTIONS = true, CU_JIT_NUM_INPUT_TYPES = true }

-- The enumerators in the body of an enum, in order; preprocessor lines are handed on as they are.
local function enumerators(body)
  local list, wanted, depth = {}, true, 0
  for line in (body .. "\n"):gmatch "(.-)\n" do
    if line:find "^%s*#" then
      list[#list + 1] = { directive = line:match "^%s*(.-)%s*$" }
    else
      local at = 1
      while at <= #line do
        local word = line:match("^[%a_][%w_]*", at)
        local char = line:sub(at, at)
        if word then
          if wanted then list[#list + 1] = { name = word } end
          wanted = false
        elseif char == "(" then depth = depth + 1
        elseif char == ")" then depth = depth - 1
        elseif char == "," and depth == 0 then wanted = true
        end
        at = at + (word and #word or 1)
      end
    end
  end
  return list
end

local function macros(header, prefix)
  local list = {}
  for name, rest in header:gmatch "\n[ \t]*#[ \t]*define[ \t]+([%a_][%w_]*)([^\n]*)" do
    if name:sub(1, #prefix) == prefix and rest:find "%S" then list[#list + 1] = { name = name } end
  end
  return list
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return "\n" .. text:gsub("\r", ""):gsub("/%*.-%*/", function(comment)
    return comment:gsub("[^\n]", "")
  end):gsub("//[^\n]*", "")
end

local function rows(header, spec)
  local found = {}
  if spec.enum then
    local body = header:match("enum%s+" .. spec.enum .. "%s*(%b{})")
    if not body then error("there is no enum " .. spec.enum .. " in the header") end
    found = enumerators(body:sub(2, -2))
  elseif spec.define then
    found = macros(header, spec.define)
  end
  local out = { ("CL_TABLE(%s)"):format(spec[1]) }
  local function add(kind, name, value)
    out[#out + 1] = ("%s(\"%s\", %s)"):format(kind, name, value)
    if spec.also then out[#out + 1] = ("%s(\"%s%s\", %s)"):format(kind, spec.also, name, value) end
  end
  for _, item in ipairs(found) do
    if item.directive then
      out[#out + 1] = item.directive
    else
      local name = item.name:sub(1, #spec.cut) == spec.cut and item.name:sub(#spec.cut + 1) or item.name
      if spec.keep_max or not counting[name] then add("CL_CONSTANT", name, item.name) end
    end
  end
  for _, item in ipairs(spec.more or {}) do add("CL_CONSTANT", item[1], item[2]) end
  for _, item in ipairs(spec.gone or {}) do add("CL_GONE", item[1], item[2]) end
  out[#out + 1] = "CL_END\n"
  return table.concat(out, "\n")
end

local header_path, output, depfile = ...
local header = read(header_path)
local out = { "/* Made from cuda.h by tools/gen_constants.lua. */\n" }
for _, spec in ipairs(tables) do out[#out + 1] = rows(header, spec) end

local file = assert(io.open(output, "wb"))
assert(file:write(table.concat(out, "\n")))
file:close()
if depfile then
  file = assert(io.open(depfile, "wb"))
  assert(file:write(output, ": ", (header_path:gsub("[ #\\]", "\\%0")), "\n"))
  file:close()
end
