-- The binary interface of OpenMPI: handles are the addresses of objects in the library.

---What programs get from an implementation's mpi.h.
---@class cudalua.distributed.Abi
---@field name string
---@field handle string          the C type of handles
---@field world integer|string   MPI_COMM_WORLD: its value, or the symbol whose address it is
---@field byte integer|string    MPI_BYTE
---@field returns integer|string MPI_ERRORS_RETURN
---@field undefined integer      MPI_UNDEFINED
---@field any_source integer     MPI_ANY_SOURCE
---@field funneled integer       MPI_THREAD_FUNNELED
---@field ignored integer        the address that stands for MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE
---@field status string          the fields of MPI_Status

---@type cudalua.distributed.Abi
return {
  name = "OpenMPI",
  handle = "void *",
  world = "ompi_mpi_comm_world",
  byte = "ompi_mpi_byte",
  returns = "ompi_mpi_errors_return",
  undefined = -32766,
  any_source = -1,
  funneled = 1,
  ignored = 0,
  status = "int source, tag, error, cancelled; size_t count;",
}
