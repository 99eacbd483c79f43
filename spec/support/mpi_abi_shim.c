/* MPI's standard binary interface around MPICH, whose handles are numbers: what specs open as libmpi_abi. It
 * refuses values that are not the standard's. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int source, tag, error, internal[5];
} Status; /* the standard's */

typedef struct {
  int count_low, count_high, source, tag, error;
} Inner; /* MPICH's */

static void (*find(const char *name))(void) {
  static void *library;
  void (*f)(void);
  if (!library) library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL);
  *(void **)(void *)&f = library ? dlsym(library, name) : NULL;
  if (f) return f;
  fprintf(stderr, "the shim did not find %s in libmpich.so.12\n", name);
  abort();
}

#define INNER(name, ...) ((int (*)(__VA_ARGS__))find(#name))

static int handle(void *outer) {
  switch ((uintptr_t)outer) {
  case 0x101: return 0x44000000;
  case 0x143: return 0x54000001;
  case 0x180: return 0x2c000000;
  case 0x247: return 0x4c00010d;
  }
  if ((uintptr_t)outer >> 32 == 1) return (int)(uint32_t)(uintptr_t)outer; /* from outer_handle() */
  fprintf(stderr, "the shim got a handle that the standard does not have: %p\n", outer);
  abort();
}

static void *outer_handle(int inner) {
  return (void *)(inner == 0x2c000000 ? (uintptr_t)0x180 : (uintptr_t)1 << 32 | (uint32_t)inner);
}

/* Calls of MPICH that store a handle. */
#define STORES(to, call)                                                                                     \
  int inner_ = 0;                                                                                            \
  const int code_ = call;                                                                                    \
  *(to) = outer_handle(inner_);                                                                              \
  return code_

#pragma GCC visibility push(default)

int MPI_Abi_get_version(int *major, int *minor) { return *major = 1, *minor = 0; }
int MPI_Initialized(int *yes) { return INNER(MPI_Initialized, int *)(yes); }
int MPI_Finalized(int *yes) { return INNER(MPI_Finalized, int *)(yes); }
int MPI_Finalize(void) { return INNER(MPI_Finalize, void)(); }
int MPI_Init(int *argc, char ***argv) { return INNER(MPI_Init, int *, char ***)(argc, argv); }
int MPI_Init_thread(int *argc, char ***argv, int wanted, int *got) {
  if (wanted % 1024) abort();
  return INNER(MPI_Init_thread, int *, char ***, int, int *)(argc, argv, wanted / 1024, got);
}
int MPI_Abort(void *comm, int status) { return INNER(MPI_Abort, int, int)(handle(comm), status); }
int MPI_Error_string(int code, char *text, int *length) {
  return INNER(MPI_Error_string, int, char *, int *)(code, text, length);
}
int MPI_Comm_size(void *comm, int *n) { return INNER(MPI_Comm_size, int, int *)(handle(comm), n); }
int MPI_Comm_rank(void *comm, int *n) { return INNER(MPI_Comm_rank, int, int *)(handle(comm), n); }
int MPI_Comm_dup(void *comm, void **to) { STORES(to, INNER(MPI_Comm_dup, int, int *)(handle(comm), &inner_)); }
int MPI_Comm_split(void *comm, int color, int key, void **to) {
  STORES(to, INNER(MPI_Comm_split, int, int, int, int *)(handle(comm), color, key, &inner_));
}
int MPI_Comm_free(void **comm) {
  int inner = handle(*comm);
  return INNER(MPI_Comm_free, int *)(&inner);
}
int MPI_Comm_set_errhandler(void *comm, void *h) {
  return INNER(MPI_Comm_set_errhandler, int, int)(handle(comm), handle(h));
}
int MPI_Isend(const void *from, int n, void *type, int to, int tag, void *comm, void **request) {
  STORES(request, INNER(MPI_Isend, const void *, int, int, int, int, int, int *)(from, n, handle(type), to, tag,
                                                                                handle(comm), &inner_));
}
int MPI_Irecv(void *to, int n, void *type, int from, int tag, void *comm, void **request) {
  STORES(request, INNER(MPI_Irecv, void *, int, int, int, int, int, int *)(to, n, handle(type), from, tag,
                                                                          handle(comm), &inner_));
}

static int with_status(int code, const Inner *inner, Status *outer) {
  if (outer) outer->source = inner->source, outer->tag = inner->tag, outer->error = inner->error;
  return code;
}

int MPI_Recv(void *to, int n, void *type, int from, int tag, void *comm, Status *status) {
  Inner inner;
  return with_status(INNER(MPI_Recv, void *, int, int, int, int, int, Inner *)(to, n, handle(type), from, tag,
                                                                             handle(comm), &inner),
                     &inner, status);
}
int MPI_Iprobe(int from, int tag, void *comm, int *yes, Status *status) {
  Inner inner = {0};
  return with_status(INNER(MPI_Iprobe, int, int, int, int *, Inner *)(from == -1 ? -2 : from, tag,
                                                                     handle(comm), yes, &inner),
                     &inner, status);
}
int MPI_Test(void **request, int *done, Status *status) {
  Inner inner = {0};
  int r = handle(*request);
  const int code = INNER(MPI_Test, int *, int *, Inner *)(&r, done, &inner);
  *request = outer_handle(r);
  return with_status(code, &inner, status);
}
int MPI_Ibcast(void *data, int n, void *type, int root, void *comm, void **request) {
  STORES(request, INNER(MPI_Ibcast, void *, int, int, int, int, int *)(data, n, handle(type), root,
                                                                     handle(comm), &inner_));
}

typedef int Collective(const void *, int, int, void *, int, int, int, int *);
typedef int Rooted(const void *, int, int, void *, int, int, int, int, int *);

#define COLLECTIVE(name)                                                                                     \
  int name(const void *from, int n, void *type, void *to, int m, void *other, void *comm, void **request) {  \
    STORES(request, ((Collective *)find(#name))(from, n, handle(type), to, m, handle(other), handle(comm),   \
                                                &inner_));                                                   \
  }
#define ROOTED(name)                                                                                         \
  int name(const void *from, int n, void *type, void *to, int m, void *other, int root, void *comm,          \
           void **request) {                                                                                 \
    STORES(request, ((Rooted *)find(#name))(from, n, handle(type), to, m, handle(other), root, handle(comm), \
                                            &inner_));                                                       \
  }
COLLECTIVE(MPI_Iallgather)
COLLECTIVE(MPI_Ialltoall)
ROOTED(MPI_Igather)
ROOTED(MPI_Iscatter)

#pragma GCC visibility pop
