/* The device address space (arena.h): heaps carved out of one mapping of an unlinked file.
 *
 * Each device has a heap, pinned host memory has one more. A heap has more addresses than it has memory to
 * give out, so that red zones and holes between allocations are no reason to run out of it. It is a chain of
 * blocks in address order, each live, cached or free. A freed block first goes to a cache keyed by its exact
 * size, so that the next request of that size gets the same address back; the cache is bounded, and what
 * falls out of it joins its neighbours in the free lists (size classes, found through bitmaps). Live blocks
 * also sit in a treap by address, which answers "whose byte is this". */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/arena.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE ((uint64_t)4096)
#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

enum {
  MAX_HEAPS = 9, /* eight devices and pinned memory */
  CLASS_BITS = 4,
  CLASSES = 48 << CLASS_BITS,
  CACHE_BUCKETS = 1024,
  CACHE_BLOCKS = 4096,
  HISTORY = 1024,
  RED_BYTE = 0xfd,
  ELSEWHERE = MAX_HEAPS /* heap of adopted blocks */
};

#define CACHE_BYTES MIB(256) /* cached blocks above this go back to the free lists, */
#define RETURN_BYTES MIB(1)  /* and those of this size give their pages back then */
#define POISON_WHOLE MIB(1)  /* fresh blocks up to this size are poisoned throughout, */
#define POISON_EDGE KIB(64)  /* bigger ones at both ends only: nobody pays for pages never used */
#define POISON_AGAIN                                                                                         \
  KIB(1) /* and a block handed out again without a detour here, at most this much at each end */
#define HOST_HEAP_BYTES MIB(4096) /* pinned memory */
#define MIN_HEAP_BYTES MIB(1)
#define OPEN_STEP MIB(4)

typedef enum { BLOCK_LIVE, BLOCK_CACHED, BLOCK_FREE } BlockState;

typedef struct Block Block;
struct Block {
  SgAlloc a;       /* first: an SgAlloc* given out is its block */
  uint64_t charge; /* live: its size when allocated, rounded */
  BlockState state;
  uint8_t heap;
  uint32_t priority;     /* treap */
  Block *left, *right;   /* treap of live blocks */
  Block *before, *after; /* neighbours by address */
  Block *prev, *next;    /* live list; or cache list, oldest first; or size class */
  Block *bucket;         /* cache: next older block of the same bucket */
};

typedef struct Heap {
  uint64_t base, span;  /* its addresses */
  uint64_t bytes, used; /* what it may give out; charges of live blocks */
  uint64_t opened;      /* addresses below this one are readable and writable */
  Block *class_head[CLASSES];
  uint64_t class_map[CLASSES / 64];
  Block *bucket[CACHE_BUCKETS];
  Block *oldest, *newest; /* cache, in order of freeing */
  uint64_t cached_bytes;
  uint32_t cached_blocks;
} Heap;

static struct {
  uint8_t *windows; /* null page, shared window, local window: never moves */
  uint8_t *map;
  uint64_t map_bytes;
  int fd;         /* -1: anonymous memory */
  uint64_t spare; /* a heap has its size / spare more addresses than memory */
  int devices;
  Heap *heap; /* devices + 1 of them, the last for pinned memory */
  Block *root;
  Block *live_head, *live_tail;
  uint64_t serial;
  uint32_t seed;
  SgAlloc history[HISTORY];
  uint32_t history_next;
  uint64_t damaged;
} A = {.fd = -1, .seed = 2463534242u};

uint64_t sg_arena_epoch = 1;
uint64_t sg_arena_now;
int sg_arena_poison = 0xA5;
void (*sg_arena_before_free)(SgAlloc *a);
_Thread_local char sg_arena_place[SG_PLACE];
_Thread_local const void *sg_arena_caller;
bool sg_arena_keeps_init;
_Atomic uint32_t sg_arena_inits;

/* --- treap of live blocks, by address --- */

static void treap_split(Block *t, uint64_t base, Block **lo, Block **hi) {
  while (t) {
    if (t->a.base < base) {
      *lo = t;
      lo = &t->right;
      t = t->right;
    } else {
      *hi = t;
      hi = &t->left;
      t = t->left;
    }
  }
  *lo = *hi = NULL;
}

static void treap_insert(Block *b) {
  A.seed ^= A.seed << 13;
  A.seed ^= A.seed >> 17;
  A.seed ^= A.seed << 5;
  b->priority = A.seed;
  Block **at = &A.root;
  while (*at && (*at)->priority > b->priority) at = b->a.base < (*at)->a.base ? &(*at)->left : &(*at)->right;
  treap_split(*at, b->a.base, &b->left, &b->right);
  *at = b;
}

static void treap_remove(Block *b) {
  Block **at = &A.root;
  while (*at != b) at = b->a.base < (*at)->a.base ? &(*at)->left : &(*at)->right;
  Block *lo = b->left, *hi = b->right;
  while (lo && hi) {
    if (lo->priority > hi->priority) {
      *at = lo;
      at = &lo->right;
      lo = lo->right;
    } else {
      *at = hi;
      at = &hi->left;
      hi = hi->left;
    }
  }
  *at = lo ? lo : hi;
}

/* The last live block that starts at or below addr. */
static Block *treap_floor(uint64_t addr) {
  Block *best = NULL;
  for (Block *t = A.root; t;) {
    if (t->a.base <= addr) {
      best = t;
      t = t->right;
    } else {
      t = t->left;
    }
  }
  return best;
}

/* --- size classes: 2^CLASS_BITS steps per power of two, in units of SG_ALIGN --- */

static uint32_t class_of(uint64_t room) {
  uint64_t n = room / SG_ALIGN;
  if (n < (1u << CLASS_BITS)) return (uint32_t)n;
  uint32_t log = 63u - (uint32_t)__builtin_clzll(n);
  uint32_t c = ((log - CLASS_BITS + 1) << CLASS_BITS) |
               (uint32_t)((n >> (log - CLASS_BITS)) & ((1u << CLASS_BITS) - 1));
  return c < CLASSES ? c : CLASSES - 1;
}

static void class_push(Heap *h, Block *b) {
  uint32_t c = class_of(b->a.room);
  b->state = BLOCK_FREE;
  b->prev = NULL;
  b->next = h->class_head[c];
  if (b->next) b->next->prev = b;
  h->class_head[c] = b;
  h->class_map[c / 64] |= (uint64_t)1 << (c % 64);
}

static void class_take(Heap *h, Block *b) {
  uint32_t c = class_of(b->a.room);
  if (b->prev)
    b->prev->next = b->next;
  else
    h->class_head[c] = b->next;
  if (b->next) b->next->prev = b->prev;
  if (!h->class_head[c]) h->class_map[c / 64] &= ~((uint64_t)1 << (c % 64));
}

static uint64_t align_up(uint64_t v, uint64_t align) { return (v + align - 1) & ~(align - 1); }

static bool fits(const Block *b, uint64_t room, uint64_t align) {
  return align_up(b->a.base, align) + room <= b->a.base + b->a.room;
}

/* A block of the smallest class that serves the request. Looks at no more than `tries` blocks of a class:
 * the lower classes may hold many that are just too small. */
static Block *class_find(Heap *h, uint64_t room, uint64_t align, uint32_t tries) {
  uint32_t c = class_of(room);
  uint32_t word = c / 64;
  uint64_t bits = h->class_map[word] & (~(uint64_t)0 << (c % 64));
  for (;;) {
    while (bits) {
      uint32_t at = word * 64 + (uint32_t)__builtin_ctzll(bits);
      bits &= bits - 1;
      uint32_t left = tries;
      for (Block *b = h->class_head[at]; b && left; b = b->next, left--)
        if (fits(b, room, align)) return b;
    }
    if (++word == CLASSES / 64) return NULL;
    bits = h->class_map[word];
  }
}

/* --- the cache of freed blocks --- */

static uint32_t bucket_of(uint64_t room) {
  uint64_t n = room / SG_ALIGN * 0x9e3779b97f4a7c15u;
  return (uint32_t)(n >> 54) % CACHE_BUCKETS;
}

static void cache_unlink(Heap *h, Block *b) {
  if (b->prev)
    b->prev->next = b->next;
  else
    h->oldest = b->next;
  if (b->next)
    b->next->prev = b->prev;
  else
    h->newest = b->prev;
  Block **at = &h->bucket[bucket_of(b->a.room)];
  while (*at != b) at = &(*at)->bucket;
  *at = b->bucket;
  h->cached_bytes -= b->a.room;
  h->cached_blocks--;
}

/* b and the block after it become b. */
static void join_next(Block *b) {
  Block *n = b->after;
  b->a.room += n->a.room;
  b->after = n->after;
  if (b->after) b->after->before = b;
  free(n);
}

/* Joins b with free neighbours and puts the result into its class. */
static void release_block(Heap *h, Block *b) {
  if (b->after && b->after->state == BLOCK_FREE) {
    class_take(h, b->after);
    join_next(b);
  }
  if (b->before && b->before->state == BLOCK_FREE) {
    b = b->before;
    class_take(h, b);
    join_next(b);
  }
  class_push(h, b);
}

static void return_pages(uint64_t from, uint64_t to) {
  from = align_up(from, PAGE);
  to &= ~(PAGE - 1);
  if (from < to) (void)madvise((void *)(uintptr_t)from, to - from, A.fd >= 0 ? MADV_REMOVE : MADV_DONTNEED);
}

static void cache_evict(Heap *h, uint64_t bytes, uint32_t blocks) {
  while (h->cached_bytes > bytes || h->cached_blocks > blocks) {
    Block *b = h->oldest;
    cache_unlink(h, b);
    if (b->a.room >= RETURN_BYTES) return_pages(b->a.base, b->a.base + b->a.room);
    release_block(h, b);
  }
}

static void cache_put(Heap *h, Block *b) {
  uint32_t k = bucket_of(b->a.room);
  b->state = BLOCK_CACHED;
  b->bucket = h->bucket[k];
  h->bucket[k] = b;
  b->next = NULL;
  b->prev = h->newest;
  if (b->prev)
    b->prev->next = b;
  else
    h->oldest = b;
  h->newest = b;
  h->cached_bytes += b->a.room;
  h->cached_blocks++;
  cache_evict(h, CACHE_BYTES, CACHE_BLOCKS);
}

static Block *cache_get(Heap *h, uint64_t room, uint64_t align) {
  for (Block *b = h->bucket[bucket_of(room)]; b; b = b->bucket)
    if (b->a.room == room && b->a.base % align == 0) {
      cache_unlink(h, b);
      return b;
    }
  return NULL;
}

/* --- mapping --- */

static bool file_size_allowed(uint64_t bytes) {
  struct rlimit r;
  return getrlimit(RLIMIT_FSIZE, &r) != 0 || r.rlim_cur == RLIM_INFINITY || r.rlim_cur >= bytes;
}

/* A shared mapping of an unlinked file, or plain anonymous memory where such files are not to be had. */
static bool map_range(uint64_t bytes) {
  int fd = file_size_allowed(bytes) ? memfd_create("softgpu", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
  if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0) {
    close(fd);
    fd = -1;
  }
  if (fd >= 0)
    (void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL); /* who maps it can rely on it */
  int flags = MAP_NORESERVE | (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
  void *p = mmap(NULL, bytes, PROT_NONE, flags, fd, 0);
  if (p == MAP_FAILED) {
    if (fd >= 0) close(fd);
    return false;
  }
  (void)madvise(p, bytes, MADV_DONTDUMP);
  A.map = p;
  A.map_bytes = bytes;
  A.fd = fd;
  return true;
}

static void drop_blocks(void) {
  for (int i = 0; A.heap && i <= A.devices; i++) {
    Block *b = A.heap[i].class_head[0]; /* any block leads to the whole chain; find the first one */
    for (uint32_t c = 0; c < CLASSES && !b; c++) b = A.heap[i].class_head[c];
    if (!b) b = A.heap[i].oldest;
    while (b && b->before) b = b->before;
    while (b) {
      Block *n = b->after;
      free(b);
      b = n;
    }
  }
  free(A.heap);
  A.heap = NULL;
}

static uint64_t span_of(uint64_t bytes) { return bytes + align_up(bytes / A.spare, PAGE) + MIB(2); }

static bool make_heap(Heap *h, uint8_t index, uint64_t base, uint64_t bytes) {
  Block *b = calloc(1, sizeof *b);
  if (!b) return false;
  b->a.base = base;
  b->a.room = span_of(bytes);
  b->heap = index;
  h->base = h->opened = base;
  h->bytes = bytes;
  h->span = span_of(bytes);
  class_push(h, b);
  return true;
}

void sg_arena_close(void) {
  while (A.heap && A.live_head) sg_arena_free(&A.live_head->a);
  drop_blocks();
  if (A.map) munmap(A.map, A.map_bytes);
  if (A.fd >= 0) close(A.fd);
  A.map = NULL;
  A.fd = -1;
  A.devices = 0;
  A.history_next = 0;
  memset(A.history, 0, sizeof A.history);
  A.damaged = 0;
}

/* Addresses that the process has in use: the first number of statm, in pages. */
static uint64_t addresses_in_use(void) {
  unsigned long long pages = 0;
  FILE *f = fopen("/proc/self/statm", "re");
  if (!f) return 0;
  if (fscanf(f, "%llu", &pages) != 1) pages = 0;
  fclose(f);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Addresses that the device may take: where the process has a limit (RLIMIT_AS), half of what it leaves. The
 * other half is the program's, and the compiler's: NVRTC takes 700 MiB for a source with CUB in it, and ends
 * the process where it gets less. */
static uint64_t addresses_to_take(void) {
  struct rlimit r;
  if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  const uint64_t used = addresses_in_use();
  return r.rlim_cur > used ? (r.rlim_cur - used) / 2 : 0;
}

/* A guard page before each heap, so that no allocation touches its neighbour heap's. Spare addresses are the
 * first to go where the address space is limited. */
static bool map_heaps(uint64_t devices, uint64_t bytes, uint64_t host, uint64_t most) {
  for (A.spare = 1; A.spare <= 64; A.spare *= 4) {
    const uint64_t all = SG_SHARED_PAGE + devices * (span_of(bytes) + PAGE) + span_of(host) + 2 * PAGE;
    if (all <= most && map_range(all)) return true;
  }
  return false;
}

bool sg_arena_open(int devices, uint64_t bytes) {
  if (A.map || devices < 1 || devices > MAX_HEAPS - 1) return false;
  if (!A.windows) {
    uint64_t n = PAGE + 2 * SG_WINDOW_BYTES;
    void *p = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    A.windows = p;
  }
  bytes = bytes > (uint64_t)1 << 40 ? (uint64_t)1 << 40 : align_up(bytes, PAGE);
  if (bytes < MIN_HEAP_BYTES) bytes = MIN_HEAP_BYTES;
  const uint64_t most = addresses_to_take();
  uint64_t host = HOST_HEAP_BYTES;
  while (!map_heaps((uint64_t)devices, bytes, host, most)) {
    bool mine = (uint64_t)devices * bytes >= host;
    if ((mine ? bytes : host) <= MIN_HEAP_BYTES) return false;
    if (mine)
      bytes = align_up(bytes / 2, PAGE);
    else
      host /= 2;
  }
  A.heap = calloc((size_t)devices + 1, sizeof *A.heap);
  A.devices = devices;
  uint64_t at = (uint64_t)(uintptr_t)A.map + SG_SHARED_PAGE + PAGE;
  if (mprotect(A.map, SG_SHARED_PAGE, PROT_READ | PROT_WRITE) != 0) drop_blocks();
  for (int i = 0; A.heap && i <= devices; i++) {
    uint64_t n = i < devices ? bytes : host;
    if (!make_heap(&A.heap[i], (uint8_t)i, at, n)) {
      drop_blocks();
      break;
    }
    at += span_of(n) + PAGE;
  }
  if (!A.heap) {
    sg_arena_close();
    return false;
  }
  sg_arena_epoch++;
  return true;
}

uint64_t sg_arena_shared_window(void) { return (uint64_t)(uintptr_t)A.windows + PAGE; }
uint64_t sg_arena_local_window(void) { return (uint64_t)(uintptr_t)A.windows + PAGE + SG_WINDOW_BYTES; }

int sg_arena_fd(void) { return A.fd; }
void *sg_arena_shared_page(void) { return A.fd >= 0 ? A.map : NULL; }
uint64_t sg_arena_offset(uint64_t addr) { return addr - (uint64_t)(uintptr_t)A.map; }

/* --- allocation --- */

/* Cuts a new block off b's end, `room` bytes into it. NULL: out of host memory. */
static Block *cut(Block *b, uint64_t room) {
  Block *n = calloc(1, sizeof *n);
  if (!n) return NULL;
  n->a.base = b->a.base + room;
  n->a.room = b->a.room - room;
  n->heap = b->heap;
  n->before = b;
  n->after = b->after;
  if (n->after) n->after->before = n;
  b->after = n;
  b->a.room = room;
  return n;
}

/* Takes `room` bytes at `align` out of the free lists. */
static Block *carve(Heap *h, uint64_t room, uint64_t align) {
  Block *b = class_find(h, room, align, 32);
  if (!b) b = class_find(h, room, align, UINT32_MAX);
  if (!b) return NULL;
  class_take(h, b);
  uint64_t pad = align_up(b->a.base, align) - b->a.base;
  if (pad) {
    Block *n = cut(b, pad);
    class_push(h, b);
    if (!n) return NULL;
    b = n;
  }
  if (b->a.room > room) {
    Block *rest = cut(b, room);
    if (!rest) {
      class_push(h, b);
      return NULL;
    }
    class_push(h, rest);
  }
  return b;
}

/* Makes addresses up to `end` usable. What was never used stays closed, so that tools which read all memory
 * of a process (leak checkers, core dumps) don't walk through gigabytes of nothing. */
static bool open_up_to(Heap *h, uint64_t end) {
  if (end <= h->opened) return true;
  uint64_t to = align_up(end, OPEN_STEP), limit = h->base + align_up(h->span, PAGE);
  if (to > limit) to = limit;
  if (mprotect((void *)(uintptr_t)h->opened, to - h->opened, PROT_READ | PROT_WRITE) != 0) return false;
  h->opened = to;
  return true;
}

/* Poisons a block, all of it up to `whole` bytes, a larger one `edge` bytes at both ends. */
static void poison(const SgAlloc *a, uint64_t whole, uint64_t edge) {
  uint8_t *p = (uint8_t *)(uintptr_t)a->base;
  if (sg_arena_poison < 0) return;
  memset(p, sg_arena_poison, a->size <= whole ? a->size : edge);
  if (a->size > whole) memset(p + a->size - edge, sg_arena_poison, edge);
}

/* Behind what queued operations may still write, too. */
static uint8_t *red_zone(const SgAlloc *a) {
  return (uint8_t *)(uintptr_t)(a->base + (a->was > a->size ? a->was : a->size));
}

static bool red_zone_damaged(const SgAlloc *a) {
  const uint8_t *p = red_zone(a);
  return p[0] != RED_BYTE || memcmp(p, p + 1, SG_REDZONE - 1) != 0;
}

static void live_link(Block *b) {
  b->state = BLOCK_LIVE;
  b->next = NULL;
  b->prev = A.live_tail;
  if (b->prev)
    b->prev->next = b;
  else
    A.live_head = b;
  A.live_tail = b;
  treap_insert(b);
}

static void live_unlink(Block *b) {
  if (b->prev)
    b->prev->next = b->next;
  else
    A.live_head = b->next;
  if (b->next)
    b->next->prev = b->prev;
  else
    A.live_tail = b->prev;
  treap_remove(b);
}

static void take_place(char to[SG_PLACE], const void **code, bool keep) {
  memcpy(to, sg_arena_place, sizeof sg_arena_place);
  *code = sg_arena_caller;
  if (!keep) sg_arena_place[0] = 0;
}

/* What belongs to another object, which is made by the same call, leaves the place to that. */
static bool is_part(SgKind kind) {
  return kind == SG_MODULE || kind == SG_CONST || kind == SG_ARRAY || kind == SG_POOL ||
         kind == SG_POOL_HOST || kind == SG_POOL_MANAGED;
}

void sg_arena_all_written(SgAlloc *a) {
  if (!a->init) return;
  free(a->init);
  a->init = NULL;
  sg_arena_inits--;
}

/* What the checks know of a block is forgotten. */
static void drop_checks(SgAlloc *a) {
  sg_arena_all_written(a);
  free(a->track);
  a->track = NULL;
  free(a->stored);
  a->stored = NULL;
  a->stored_by = 0;
}

/* Nothing of it was written yet. */
static void begin_init(SgAlloc *a) {
  sg_arena_all_written(a);
  a->full = 0;
  if (sg_arena_keeps_init && (a->kind == SG_DEVICE || a->kind == SG_POOL || a->kind == SG_HEAP ||
                              a->kind == SG_ARRAY || a->kind == SG_GRAPHICS))
    a->init = calloc(1, (a->room + 3) / 4);
  if (a->init) sg_arena_inits++;
}

/* A new allocation in a block: what is not given starts as nothing. */
static void begin(Block *b, uint64_t size, int device, SgKind kind, uint64_t owner, const char *name) {
  b->a.size = size;
  b->a.device = device;
  b->a.kind = kind;
  b->a.held = true;
  b->a.kept = false;
  b->a.read_only = kind == SG_CONST;
  b->a.exported = false;
  b->a.sync_memops = false;
  b->a.tag = 0;
  b->a.more = NULL;
  b->a.until = b->a.was = 0;
  b->a.serial = ++A.serial;
  b->a.owner = owner;
  b->a.name[0] = 0;
  if (name && *name) snprintf(b->a.name, sizeof b->a.name, "%s", name);
  b->a.freed[0] = 0;
  b->a.freer = NULL;
  take_place(b->a.made, &b->a.maker, is_part(kind));
  begin_init(&b->a);
  live_link(b);
  sg_arena_epoch++;
}

SgAlloc *sg_arena_alloc(int device, uint64_t size, uint64_t align, SgKind kind, uint64_t owner,
                        const char *name) {
  if (!A.heap || device < 0 || device >= A.devices) return NULL;
  if (align < SG_ALIGN) align = SG_ALIGN;
  Heap *h = &A.heap[kind == SG_HOST || kind == SG_POOL_HOST ? A.devices : device];
  if ((align & (align - 1)) || size > h->bytes) return NULL;
  uint64_t charge = align_up(size, SG_ALIGN), room = charge + SG_REDZONE;
  if (charge > h->bytes - h->used) return NULL;
  Block *b = cache_get(h, room, align);
  if (!b) b = carve(h, room, align);
  if (!b && h->cached_blocks) {
    cache_evict(h, 0, 0);
    b = carve(h, room, align);
  }
  if (!b && align > PAGE) b = carve(h, room, PAGE);
  if (!b) return NULL;
  if (!open_up_to(h, b->a.base + b->a.room)) {
    release_block(h, b);
    return NULL;
  }
  b->charge = charge;
  h->used += charge;
  begin(b, size, device, kind, owner, name);
  poison(&b->a, POISON_WHOLE, POISON_EDGE);
  memset(red_zone(&b->a), RED_BYTE, SG_REDZONE);
  return &b->a;
}

SgAlloc *sg_arena_adopt(uint64_t base, uint64_t size, int device, SgKind kind, uint64_t owner) {
  if (!size || size > UINT64_MAX - base || sg_arena_overlap(base, size)) return NULL;
  Block *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->a.base = base;
  b->a.room = size;
  b->heap = ELSEWHERE;
  begin(b, size, device, kind, owner, "");
  return &b->a;
}

void sg_arena_let_go(SgAlloc *a, uint64_t until) {
  if (!a->held) return;
  if (((Block *)a)->heap != ELSEWHERE && red_zone_damaged(a)) A.damaged++;
  take_place(a->freed, &a->freer, false);
  a->until = until;
  SgAlloc *past = &A.history[A.history_next++ % HISTORY];
  *past = *a;
  a->held = false;
  past->was = 0;
  past->init = NULL;
  past->track = NULL;
  past->stored = NULL;
  if (a->was < a->size) a->was = a->size;
  sg_arena_epoch++;
}

void sg_arena_hold(SgAlloc *a, uint64_t size, bool fresh) {
  a->held = true;
  a->kept = false;
  a->size = size;
  if (fresh) a->was = 0;
  a->sync_memops = false;
  a->serial = ++A.serial;
  a->freed[0] = 0;
  a->freer = NULL;
  take_place(a->made, &a->maker, false);
  if (fresh) begin_init(a); /* otherwise what comes first may still be written */
  if (fresh) poison(a, 4 * POISON_AGAIN, POISON_AGAIN);
  memset(red_zone(a), RED_BYTE, SG_REDZONE);
  sg_arena_epoch++;
}

void sg_arena_trim(SgAlloc *a, uint64_t size) {
  a->size = size;
  memset(red_zone(a), RED_BYTE, SG_REDZONE);
  sg_arena_epoch++;
}

void sg_arena_free(SgAlloc *a) {
  Block *b = (Block *)a;
  sg_arena_let_go(a, 0);
  if (sg_arena_before_free) sg_arena_before_free(a);
  live_unlink(b);
  drop_checks(a);
  if (b->heap == ELSEWHERE) {
    free(b);
  } else {
    A.heap[b->heap].used -= b->charge;
    cache_put(&A.heap[b->heap], b);
  }
  sg_arena_epoch++;
}

SgAlloc *sg_arena_at(uint64_t addr) {
  Block *b = treap_floor(addr);
  return b && addr - b->a.base < b->a.size ? &b->a : NULL;
}

SgAlloc *sg_arena_overlap(uint64_t addr, uint64_t size) {
  Block *b = treap_floor(addr + size - 1);
  return b && b->a.base + b->a.size > addr ? &b->a : NULL;
}

bool sg_arena_owns(uint64_t addr) { return addr - (uint64_t)(uintptr_t)A.map < A.map_bytes; }

SgAlloc *sg_arena_find(uint64_t addr) {
  SgAlloc *a = sg_arena_at(addr);
  return a && a->held && a->kind != SG_ARRAY && a->kind != SG_HEAP ? a : NULL;
}

/* Freed after the running operation was submitted, if it was freed at all. */
static bool is_there(const SgAlloc *a) { return a->held || sg_arena_now <= a->until; }

SgAlloc *sg_arena_reach(uint64_t addr) {
  Block *b = treap_floor(addr);
  const bool in = b && addr - b->a.base < sg_arena_bytes(&b->a);
  return in && is_there(&b->a) && b->a.kind != SG_ARRAY ? &b->a : NULL;
}

SgAlloc *sg_arena_nearest(uint64_t addr) {
  Block *lo = treap_floor(addr), *hi = NULL;
  while (lo && !is_there(&lo->a)) lo = treap_floor(lo->a.base - 1);
  for (Block *b = A.live_head; b; b = b->next)
    if (is_there(&b->a) && b->a.base > addr && (!hi || b->a.base < hi->a.base)) hi = b;
  if (!lo || !hi) return lo ? &lo->a : hi ? &hi->a : NULL;
  uint64_t end = lo->a.base + sg_arena_bytes(&lo->a);
  uint64_t below = addr < end ? 0 : addr - end;
  return below <= hi->a.base - addr ? &lo->a : &hi->a;
}

const SgAlloc *sg_arena_freed_at(uint64_t addr) {
  for (uint32_t i = 0; i < HISTORY && i < A.history_next; i++) {
    const SgAlloc *a = &A.history[(A.history_next - 1 - i) % HISTORY];
    if (addr >= a->base && addr - a->base < a->size) return a;
  }
  return NULL;
}

const SgAlloc *sg_arena_then(const SgAlloc *a) {
  const SgAlloc *then = a;
  for (uint32_t i = 0; a->was && i < HISTORY && i < A.history_next; i++) {
    const SgAlloc *past = &A.history[(A.history_next - 1 - i) % HISTORY];
    if (past->base == a->base && past->until < sg_arena_now) break;
    if (past->base == a->base) then = past;
  }
  return then;
}

void sg_arena_info(int device, uint64_t *free_bytes, uint64_t *total_bytes) {
  bool known = A.heap && device >= 0 && device < A.devices;
  *total_bytes = known ? A.heap[device].bytes : 0;
  *free_bytes = known ? A.heap[device].bytes - A.heap[device].used : 0;
}

uint64_t sg_arena_damaged(void) { return A.damaged; }

void sg_arena_each(uint64_t owner, void (*f)(SgAlloc *, void *), void *arg) {
  for (Block *b = A.live_head, *n; b; b = n) {
    n = b->next;
    if (!owner || b->a.owner == owner) f(&b->a, arg);
  }
}
