-- What this library promises, name by name. CI fails when a name here
--   is not there:    it does not resolve in its module, which tools/check_contract.lua requires;
--   is not described: no annotation (a `---` block with an @param for each parameter) stands before it in lua/ or,
--                    for functions written in C, in docs/meta/. Annotations call it by its module: cuda.Device:name
--                    is the function `Device:name` of a file that says `---@class cudalua.Device` above `Device`;
--   is not proven:   no passing test with an assertion has the full name in its own (describe and it, joined).
-- One table per module. `prefix` stands before every name: what the module is called in all documents.
-- The other keys are specs (device_spec = spec/device_spec.lua), each with the names that it proves: a function
-- `Device.count`, a method `Device:name`, a class or a value. `later` holds specs and names of the same form
-- that are promised but not there yet; the check passes over them.
return {
  {
    module = "cudalua", prefix = "cuda",
    init_spec = "init on_notice get_version get_driver_version driver_info",
    device_spec = [[Device Device.count Device.get_device Device:name Device:ordinal Device:total_memory
      Device:compute_capability Device:get_attribute]],
    context_spec = [[Device:make_context Device:retain_primary_context Context:push Context.pop Context:detach
      Context:synchronize Context.get_current Context:get_device Context:handle Context:with]],
    memory_spec = [[mem_alloc mem_get_info DeviceAllocation:free DeviceAllocation:close DeviceAllocation:ptr
      DevicePointer:ptr pointer to_device memcpy_htod memcpy_dtoh memcpy_dtod]],
    module_spec = "module_from_buffer module_from_file Module:get_function Module:get_global Module:close",
    compiler_spec = "SourceModule SourceModule:get_function SourceModule:get_global compile",
    launch_spec = [[In Out InOut Function:name Function:get_attribute bool int8 uint8 int16 uint16 int32 uint32 int64
      uint64 float16 bfloat16 float32 float64]],
    errors_spec = "is_error Error:is result",
  },
  {
    module = "cudalua.softgpu", prefix = "softgpu",
    softgpu_spec = "control active log calls fail fail_clear stats leaks set_device_count",
  },
}
