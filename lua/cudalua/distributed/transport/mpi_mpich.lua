-- The binary interface of MPICH, which Intel MPI, MVAPICH and Cray MPICH share: handles are numbers.

---@type cudalua.distributed.Abi
return {
  name = "MPICH",
  handle = "int",
  world = 0x44000000,
  byte = 0x4c00010d,
  returns = 0x54000001,
  undefined = -32766,
  any_source = -2,
  funneled = 1,
  ignored = 1,
  status = "int count_low, count_high, source, tag, error;",
}
