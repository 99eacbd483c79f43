/* A library for specs of DLPack: it makes managed tensors over memory that it is given, counts how often
 * their deleters are called, and takes and gives back managed tensors of others, in threads of its own, too.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

typedef struct {
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Tensor;

typedef struct Plain {
  Tensor tensor;
  void *manager;
  void (*deleter)(struct Plain *);
} Plain;

typedef struct Versioned {
  uint32_t major, minor;
  void *manager;
  void (*deleter)(struct Versioned *);
  uint64_t flags;
  Tensor tensor;
} Versioned;

static atomic_int made, deleted;

PUBLIC int dlpack_made(void);
PUBLIC int dlpack_deleted(void);
PUBLIC void *dlpack_plain(uintptr_t data, int ndim, const int64_t *shape, const int64_t *strides);
PUBLIC void *dlpack_versioned(uintptr_t data, int ndim, const int64_t *shape, const int64_t *strides);
PUBLIC Tensor *dlpack_tensor(void *managed, int versioned);
PUBLIC void dlpack_delete(void *managed, int versioned);
PUBLIC void dlpack_delete_in_thread(void *managed, int versioned);
PUBLIC void dlpack_delete_later(void *managed, int versioned);
PUBLIC void dlpack_join(void);

int dlpack_made(void) { return made; }
int dlpack_deleted(void) { return deleted; }

static void delete_plain(Plain *p) {
  free(p->tensor.shape);
  free(p->tensor.strides);
  free(p);
  deleted++;
}

static void delete_versioned(Versioned *v) {
  free(v->tensor.shape);
  free(v->tensor.strides);
  free(v);
  deleted++;
}

static int64_t *copied(const int64_t *list, int n) {
  if (!list) return NULL;
  int64_t *out = calloc((size_t)n + 1, sizeof *out);
  if (!out) abort();
  memcpy(out, list, (size_t)n * sizeof *out);
  return out;
}

/* Of float32 in device memory; the caller changes what shall be something else. */
static Tensor filled(uintptr_t data, int ndim, const int64_t *shape, const int64_t *strides) {
  made++;
  return (Tensor){.data = (void *)data,
                  .device_type = 2,
                  .ndim = ndim,
                  .code = 2,
                  .bits = 32,
                  .lanes = 1,
                  .shape = copied(shape, ndim),
                  .strides = copied(strides, ndim)};
}

void *dlpack_plain(uintptr_t data, int ndim, const int64_t *shape, const int64_t *strides) {
  Plain *p = calloc(1, sizeof *p);
  if (!p) abort();
  p->tensor = filled(data, ndim, shape, strides);
  p->deleter = delete_plain;
  return p;
}

void *dlpack_versioned(uintptr_t data, int ndim, const int64_t *shape, const int64_t *strides) {
  Versioned *v = calloc(1, sizeof *v);
  if (!v) abort();
  v->major = 1;
  v->tensor = filled(data, ndim, shape, strides);
  v->deleter = delete_versioned;
  return v;
}

Tensor *dlpack_tensor(void *managed, int versioned) {
  return versioned ? &((Versioned *)managed)->tensor : &((Plain *)managed)->tensor;
}

void dlpack_delete(void *managed, int versioned) {
  if (versioned)
    ((Versioned *)managed)->deleter(managed);
  else
    ((Plain *)managed)->deleter(managed);
}

static void *run_plain(void *managed) {
  dlpack_delete(managed, 0);
  return NULL;
}
static void *run_versioned(void *managed) {
  dlpack_delete(managed, 1);
  return NULL;
}

enum { MOST = 64 };
static pthread_t threads[MOST];
static int running;

/* In a thread of its own, while the caller goes on; dlpack_join() waits for all of them. */
static void start(void *managed, int versioned) {
  if (running == MOST) dlpack_join();
  if (pthread_create(&threads[running++], NULL, versioned ? run_versioned : run_plain, managed)) abort();
}

void dlpack_delete_in_thread(void *managed, int versioned) { start(managed, versioned); }

void dlpack_join(void) {
  while (running) pthread_join(threads[--running], NULL);
}

/* When the process ends, behind the end of the Lua state. */
static void *kept;
static int kept_versioned;
static void delete_kept(void) { dlpack_delete(kept, kept_versioned); }
void dlpack_delete_later(void *managed, int versioned) {
  kept = managed;
  kept_versioned = versioned;
  atexit(delete_kept);
}
