/* The functions of NCCL that are called here, by types of our own: its header is not needed to build. */
#ifndef CUDALUA_NCCL_H
#define CUDALUA_NCCL_H

#include <stddef.h>

#include <cuda.h>

enum {
  CL_NCCL_OLDEST = 21400, /* the first version that takes a configuration */
};
enum { CL_NCCL_UINT8 = 1 }; /* its number of the type */
#define CL_NCCL_MAGIC 0xcafebeefu

typedef struct cl_NcclId {
  char bytes[128];
} cl_NcclId;

/* As version 2.14 has it: later ones read its size and version, and take defaults for the rest. */
typedef struct cl_NcclConfig {
  size_t size;
  unsigned magic, version;
  int blocking;
} cl_NcclConfig;

typedef void *cl_NcclComm;

/* All return a result, which is 0 if they have done it. */
#define CL_NCCL_FUNCTIONS(F)                                                                                 \
  F(GetVersion, (int *version))                                                                              \
  F(GetUniqueId, (cl_NcclId * id))                                                                           \
  F(CommInitRankConfig, (cl_NcclComm * comm, int size, cl_NcclId id, int rank, cl_NcclConfig *config))       \
  F(CommFinalize, (cl_NcclComm comm))                                                                        \
  F(CommDestroy, (cl_NcclComm comm))                                                                         \
  F(CommAbort, (cl_NcclComm comm))                                                                           \
  F(CommGetAsyncError, (cl_NcclComm comm, int *result))                                                      \
  F(GroupStart, (void))                                                                                      \
  F(GroupEnd, (void))                                                                                        \
  F(AllReduce, (const void *in, void *out, size_t n, int type, int op, cl_NcclComm comm, CUstream s))        \
  F(Reduce, (const void *in, void *out, size_t n, int type, int op, int root, cl_NcclComm comm, CUstream s)) \
  F(Broadcast, (const void *in, void *out, size_t n, int type, int root, cl_NcclComm comm, CUstream s))      \
  F(AllGather, (const void *in, void *out, size_t n, int type, cl_NcclComm comm, CUstream s))                \
  F(ReduceScatter, (const void *in, void *out, size_t n, int type, int op, cl_NcclComm comm, CUstream s))    \
  F(Send, (const void *in, size_t n, int type, int to, cl_NcclComm comm, CUstream s))                        \
  F(Recv, (void *out, size_t n, int type, int from, cl_NcclComm comm, CUstream s))

typedef struct cl_Nccl {
#define CL_NCCL_MEMBER(name, parameters) int(*name) parameters;
  CL_NCCL_FUNCTIONS(CL_NCCL_MEMBER)
#undef CL_NCCL_MEMBER
  const char *(*GetErrorString)(int result);
  const char *(*GetLastError)(cl_NcclComm comm); /* NULL: this version does not have it */
} cl_Nccl;

#endif
