/* What MPI needs of C: lua/cudalua/distributed/transport/mpi.lua calls its functions by the FFI. */
#ifndef CUDALUA_MPI_H
#define CUDALUA_MPI_H

/* The rank of this process in MPI's world; -1: it takes no part. */
int cl_mpi_rank(void);

#endif
