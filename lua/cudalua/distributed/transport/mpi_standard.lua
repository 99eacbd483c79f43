-- The binary interface that MPI 5.0 defines for all implementations: handles are pointers with small values.

---@type cudalua.distributed.Abi
return {
  name = "MPI's standard ABI",
  handle = "void *",
  world = 0x101,
  byte = 0x247,
  returns = 0x143,
  undefined = -32766,
  any_source = -1,
  funneled = 1024,
  ignored = 0,
  status = "int source, tag, error, internal[5];",
}
