/* The structures of lent tensors, by address. A program passes addresses on as numbers, so it may take one
 * twice by mistake, or give it back twice. The structures that came back last stay in memory: their addresses
 * are not used again, and a second use can be refused. Any thread. */
#include "memory/lent.h"

#include "base/lock.h"

#include <stdint.h>
#include <stdlib.h>

enum { KEPT = 64, BUCKETS = 256 };

typedef struct Slot {
  struct Slot *next; /* of its bucket */
  cl_LentState state;
  _Alignas(16) unsigned char structure[];
} Slot;

CL_LOCK(lock);
static Slot *buckets[BUCKETS];
static Slot *kept[KEPT]; /* that nothing refers to, in a ring */
static unsigned next_kept;

static Slot **bucket_of(const void *structure) { return &buckets[((uintptr_t)structure >> 5) % BUCKETS]; }

/* The pointer to the slot; it points to NULL if the structure has none. */
static Slot **find(const void *structure) {
  Slot **p = bucket_of(structure);
  while (*p && (const void *)(*p)->structure != structure) p = &(*p)->next;
  return p;
}

void *cl_lent_new(size_t bytes) {
  Slot *s = calloc(1, sizeof *s + bytes);
  if (!s) return NULL;
  s->state = CL_LENT_OUT;
  pthread_mutex_lock(&lock);
  Slot **bucket = bucket_of(s->structure);
  s->next = *bucket;
  *bucket = s;
  pthread_mutex_unlock(&lock);
  return s->structure;
}

cl_LentState cl_lent_state(const void *structure) {
  pthread_mutex_lock(&lock);
  const Slot *s = *find(structure);
  const cl_LentState state = s ? s->state : CL_LENT_UNKNOWN;
  pthread_mutex_unlock(&lock);
  return state;
}

bool cl_lent_take(const void *structure) {
  pthread_mutex_lock(&lock);
  Slot *s = *find(structure);
  const bool may = !s || s->state == CL_LENT_OUT;
  if (s && may) s->state = CL_LENT_TAKEN;
  pthread_mutex_unlock(&lock);
  return may;
}

bool cl_lent_back(const void *structure) {
  pthread_mutex_lock(&lock);
  Slot *s = *find(structure);
  const bool first = s && s->state != CL_LENT_BACK;
  if (first) s->state = CL_LENT_BACK;
  pthread_mutex_unlock(&lock);
  return first;
}

void cl_lent_drop(void *structure) {
  if (!structure) return;
  pthread_mutex_lock(&lock);
  Slot *oldest = kept[next_kept];
  kept[next_kept] = *find(structure);
  next_kept = (next_kept + 1) % KEPT;
  if (oldest) *find(oldest->structure) = oldest->next;
  pthread_mutex_unlock(&lock);
  free(oldest);
}
