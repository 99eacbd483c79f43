/* Memory and events of other processes on this machine.
 *
 * The arena's first bytes are a page that says which allocations and events its process has exported. A
 * handle names that process, the descriptor of its arena, and a place on the page; whoever opens it gets at
 * the file by way of /proc, maps the page, and, of the file, what the page says the allocation is. So a
 * handle whose process, allocation or event is gone is found out, and the exporter has nothing to do.
 *
 * A record of a shared event runs the stream up to it at once: another process could wait for it, and this
 * one may never synchronise. */
#include "driver/ipc.h"
#include "driver/memory.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- the shared page --- */

typedef struct MemSlot {
  _Atomic uint64_t serial; /* of the allocation; 0: unused */
  uint64_t offset, size;   /* in the file */
} MemSlot;

typedef struct EventSlot {
  _Atomic uint64_t serial;      /* 0: unused */
  _Atomic uint64_t begun, done; /* numbers of the records */
  _Atomic uint64_t pid, start;  /* who began the latest one */
} EventSlot;

enum { MEMS = 4000, EVENTS = 3000 };

typedef struct Page {
  uint64_t magic, nonce[2];
  MemSlot mem[MEMS];
  EventSlot event[EVENTS];
} Page;

_Static_assert(sizeof(Page) <= SG_SHARED_PAGE, "the page has to fit");

#define MAGIC 0x3175706774666f73u /* also of handles */

/* When a process began, in the kernel's ticks: with its number it names one process. 0: there is none. */
static uint64_t start_of(uint32_t pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%u/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  const char *p = strrchr(text, ')'); /* the name before it may hold anything */
  char state;
  unsigned long long start;
  if (!p || sscanf(p + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                   &state, &start) != 2)
    return 0;
  return state == 'Z' || state == 'X' ? 0 : start;
}

/* This process's page, NULL where the arena is no file. */
static Page *own_page(void) {
  Page *p = sg_arena_shared_page();
  if (!p || p->magic) return p;
  if (getrandom(p->nonce, sizeof p->nonce, 0) != (ssize_t)sizeof p->nonce) return NULL;
  p->magic = MAGIC;
  return p;
}

/* --- handles --- */

typedef SgIpcHandle Handle;

_Static_assert(sizeof(Handle) == CU_IPC_HANDLE_SIZE, "a handle fills its bytes");
_Static_assert(sizeof(Handle) == sizeof(CUmemPoolPtrExportData), "... and the data of a pool's pointer");

static uint64_t checksum(const Handle *h) {
  const uint8_t *p = (const uint8_t *)h;
  uint64_t sum = 0xcbf29ce484222325u;
  for (size_t i = 0; i < offsetof(Handle, check); i++) sum = (sum ^ p[i]) * 0x100000001b3u;
  return sum;
}

bool sg_ipc_possible(void) { return own_page() != NULL; }

bool sg_ipc_handle_make(SgIpcKind kind, uint32_t slot, uint64_t serial, Handle *out) {
  const Page *page = own_page();
  uint32_t pid = (uint32_t)getpid();
  if (!page) return false;
  *out = (Handle){.magic = MAGIC,
                  .kind = kind,
                  .slot = slot,
                  .pid = pid,
                  .fd = (uint32_t)sg_arena_fd(),
                  .start = start_of(pid),
                  .nonce = {page->nonce[0], page->nonce[1]},
                  .serial = serial};
  out->check = checksum(out);
  return out->start != 0;
}

static bool handle_valid(const Handle *h, SgIpcKind kind) {
  static const uint32_t slots[] = {
      [SG_IPC_MEMORY] = MEMS, [SG_IPC_EVENT] = EVENTS, [SG_IPC_POOL] = UINT32_MAX, [SG_IPC_POOLED] = MEMS};
  return h->magic == MAGIC && h->kind == kind && h->check == checksum(h) && h->slot < slots[kind];
}

/* --- other processes --- */

struct SgPeer {
  SgPeer *next;
  uint64_t nonce[2];
  int fd;
  uint64_t bytes; /* of the file */
  Page *page;
  unsigned refs;
};

static SgPeer *peers;

void sg_ipc_peer_drop(SgPeer *p) {
  if (!p || --p->refs) return;
  SgPeer **at = &peers;
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  munmap(p->page, SG_SHARED_PAGE);
  close(p->fd);
  free(p);
}

/* Opens the arena's file of another process. Looks at what the descriptor is first: to open a FIFO would
 * wait. */
static int open_arena(const Handle *h) {
  char path[64], target[64];
  snprintf(path, sizeof path, "/proc/%u/fd/%u", h->pid, h->fd);
  ssize_t n = readlink(path, target, sizeof target - 1);
  static const char expected[] = "/memfd:softgpu";
  if (n < (ssize_t)sizeof expected - 1 || memcmp(target, expected, sizeof expected - 1) != 0) return -1;
  return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

/* The file's size, 0 if it is no arena's: one that nobody can make shorter. */
static uint64_t arena_bytes(int fd) {
  struct stat st;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < SG_SHARED_PAGE) return 0;
  int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) ? (uint64_t)st.st_size : 0;
}

static bool same_nonce(const uint64_t a[2], const uint64_t b[2]) { return a[0] == b[0] && a[1] == b[1]; }

/* The process that a valid handle comes from, once more held; NULL: it is gone, or not ours to look into. */
static SgPeer *peer_get(const Handle *h) {
  if (!h->start || start_of(h->pid) != h->start) return NULL;
  for (SgPeer *p = peers; p; p = p->next)
    if (same_nonce(p->nonce, h->nonce)) {
      p->refs++;
      return p;
    }
  int fd = open_arena(h);
  uint64_t bytes = fd >= 0 ? arena_bytes(fd) : 0;
  void *page = bytes ? mmap(NULL, SG_SHARED_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  SgPeer *p = page != MAP_FAILED ? malloc(sizeof *p) : NULL;
  if (p) {
    *p = (SgPeer){peers, {h->nonce[0], h->nonce[1]}, fd, bytes, page, 1};
    if (p->page->magic == MAGIC && same_nonce(p->page->nonce, h->nonce)) return peers = p;
  }
  free(p);
  if (page != MAP_FAILED) munmap(page, SG_SHARED_PAGE);
  if (fd >= 0) close(fd);
  return NULL;
}

bool sg_ipc_peer_is(const SgPeer *p, const Handle *h) { return same_nonce(p->nonce, h->nonce); }

SgPeer *sg_ipc_peer_open(const Handle *h, SgIpcKind kind, CUresult *code) {
  const Page *own = own_page();
  *code = CUDA_SUCCESS;
  if (!handle_valid(h, kind)) /* as measured on an H200, driver 580 */
    *code = kind == SG_IPC_EVENT ? CUDA_ERROR_MAP_FAILED : CUDA_ERROR_INVALID_VALUE;
  const bool pool = kind == SG_IPC_POOL || kind == SG_IPC_POOLED;
  if (!*code && !pool && own && same_nonce(own->nonce, h->nonce)) *code = CUDA_ERROR_INVALID_CONTEXT;
  SgPeer *p = *code ? NULL : peer_get(h);
  if (p || *code) return p;
  *code = CUDA_ERROR_MAP_FAILED;
  sg_say(CU_LOG_LEVEL_ERROR, "The IPC handle comes from process %u, which has ended or is out of reach",
         h->pid);
  return NULL;
}

/* --- memory: exporting --- */

/* a->tag is the slot + 1. */
CUresult sg_ipc_export(SgAlloc *a, SgIpcKind kind, Handle *out) {
  Page *page = own_page();
  if (!page) return CUDA_ERROR_NOT_SUPPORTED;
  uint32_t i = a->tag ? a->tag - 1 : 0;
  while (!a->tag && i < MEMS && page->mem[i].serial) i++;
  if (i == MEMS) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!a->tag) {
    a->exported = true;
    page->mem[i].offset = sg_arena_offset(a->base);
    page->mem[i].size = a->size;
    atomic_store(&page->mem[i].serial, a->serial);
    a->tag = i + 1;
  }
  sg_memory_written(a->base, a->size); /* for all that is known here */
  return sg_ipc_handle_make(kind, i, a->serial, out) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult export_memory(CUipcMemHandle *out, CUdeviceptr p) {
  SgAlloc *a = sg_arena_find(p);
  Handle h;
  if (!a) sg_note_stale("memory", p);
  if (!out || !a || a->kind != SG_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = sg_ipc_export(a, SG_IPC_MEMORY, &h);
  if (!r) memcpy(out, &h, sizeof h);
  return r;
}

void sg_ipc_unexport(SgAlloc *a) {
  Page *page = sg_arena_shared_page();
  if (a->tag && page) atomic_store(&page->mem[a->tag - 1].serial, 0);
  a->tag = 0;
  a->exported = false;
}

SG_API CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr) {
  SG_CALL(SG_NEED_CONTEXT, export_memory(pHandle, dptr), "ptr=0x%llx", dptr);
}

/* --- memory: importing --- */

typedef struct Mapping {
  SgPeer *peer;
  SgIpcKind kind;
  uint64_t serial; /* of the exporter's allocation */
  void *map;
  size_t bytes;
} Mapping;

void sg_ipc_unmap(SgAlloc *a) {
  Mapping *m = a->more;
  if (!m) return;
  munmap(m->map, m->bytes);
  sg_ipc_peer_drop(m->peer);
  free(m);
  a->more = NULL;
}

typedef struct Search {
  const Handle *handle;
  uint64_t owner;
  SgAlloc *found;
} Search;

static void match(SgAlloc *a, void *arg) {
  Search *s = arg;
  if (a->kind != SG_IMPORTED || a->owner != s->owner || !a->held) return;
  const Mapping *m = a->more;
  if (m->serial == s->handle->serial && sg_ipc_peer_is(m->peer, s->handle)) s->found = a;
}

/* Maps the pages that an exported allocation lies on; *base is where it begins. */
static Mapping *map_memory(SgPeer *peer, const Handle *h, CUdeviceptr *base, uint64_t *size) {
  const MemSlot *slot = &peer->page->mem[h->slot];
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), offset = slot->offset;
  *size = slot->size;
  if (atomic_load(&slot->serial) != h->serial) return NULL; /* freed since */
  if (!*size || offset > peer->bytes || *size > peer->bytes - offset) return NULL;
  uint64_t from = offset & ~(page - 1);
  Mapping *m = malloc(sizeof *m);
  if (!m) return NULL;
  *m = (Mapping){.peer = peer, .kind = h->kind, .serial = h->serial, .bytes = offset - from + *size};
  m->map = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, peer->fd, (off_t)from);
  if (m->map == MAP_FAILED) {
    free(m);
    return NULL;
  }
  *base = SG_X(m->map) + (offset - from);
  return m;
}

/* a->tag counts how often its owner has to close it. */
CUresult sg_ipc_import(CUdeviceptr *out, SgPeer *peer, const Handle *h, SgIpcOwner owner) {
  Search s = {h, owner.context, NULL};
  sg_arena_each(owner.context, match, &s);
  if (s.found) {
    sg_ipc_peer_drop(peer);
    if (owner.again == SG_IPC_REFUSE) return CUDA_ERROR_ALREADY_MAPPED;
    if (owner.again == SG_IPC_COUNT) s.found->tag++;
    *out = s.found->base;
    return CUDA_SUCCESS;
  }
  CUdeviceptr base;
  uint64_t size;
  Mapping *m = map_memory(peer, h, &base, &size);
  if (!m) {
    sg_ipc_peer_drop(peer);
    sg_say(CU_LOG_LEVEL_ERROR,
           "The allocation behind the IPC handle was freed by its process, or cannot be mapped");
    return CUDA_ERROR_MAP_FAILED;
  }
  SgAlloc *a = sg_arena_adopt(base, size, owner.device, SG_IMPORTED, owner.context);
  if (!a) {
    munmap(m->map, m->bytes);
    sg_ipc_peer_drop(peer);
    free(m);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  a->more = m;
  a->tag = 1;
  *out = base;
  return CUDA_SUCCESS;
}

static CUresult import_memory(CUdeviceptr *out, const CUipcMemHandle *handle, unsigned flags,
                              SgIpcAgain again) {
  CUresult code;
  Handle h;
  memcpy(&h, handle, sizeof h);
  if (!out || !(flags & CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)) return CUDA_ERROR_INVALID_VALUE;
  SgPeer *peer = sg_ipc_peer_open(&h, SG_IPC_MEMORY, &code);
  if (!peer) return code;
  code = sg_capture_unsafe();
  if (code) {
    sg_ipc_peer_drop(peer);
    return code;
  }
  const SgContext *ctx = sg_ctx();
  return sg_ipc_import(out, peer, &h, (SgIpcOwner){ctx->device, ctx->o.id, again});
}

bool sg_ipc_from_pool(const SgAlloc *a) {
  const Mapping *m = a->kind == SG_IMPORTED ? a->more : NULL;
  return m && m->kind == SG_IPC_POOLED;
}

SG_API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT, import_memory(pdptr, &handle, Flags, SG_IPC_COUNT), "ptr=0x%llx flags=%u",
          SG_OUT(pdptr), Flags);
}

SG_API CUresult cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT, import_memory(pdptr, &handle, Flags, SG_IPC_REFUSE), "ptr=0x%llx flags=%u",
          SG_OUT(pdptr), Flags);
}

static CUresult close_memory(CUdeviceptr p) {
  SgAlloc *a = sg_arena_find(p);
  if (!a || a->kind != SG_IMPORTED || a->base != p || sg_ipc_from_pool(a)) {
    sg_note_stale("imported", p);
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUresult code = sg_capture_unsafe();
  if (code) return code;
  if (a->tag == 1) return sg_free_drained(a);
  a->tag--;
  return CUDA_SUCCESS;
}

SG_API CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  SG_CALL(SG_NEED_CONTEXT, close_memory(dptr), "ptr=0x%llx", dptr);
}

/* --- events --- */

struct SgIpcEvent {
  unsigned refs;
  SgPeer *peer; /* NULL: this process made it */
  uint32_t index;
  uint64_t serial;
  EventSlot *slot;
};

static SgIpcEvent *event_new(SgPeer *peer, uint32_t index, uint64_t serial, EventSlot *slot) {
  SgIpcEvent *e = malloc(sizeof *e);
  if (e) *e = (SgIpcEvent){1, peer, index, serial, slot};
  return e;
}

static void event_drop(SgIpcEvent *e) {
  if (--e->refs) return;
  sg_ipc_peer_drop(e->peer);
  free(e);
}

/* The handle of the event goes. Its maker takes it off the page, so that others find out. */
void sg_ipc_event_free(SgIpcEvent *e) {
  if (!e->peer) atomic_store(&e->slot->serial, 0);
  event_drop(e);
}

static bool event_alive(const SgIpcEvent *e) { return atomic_load(&e->slot->serial) == e->serial; }

/* An event of this process gets its place on the page. */
static SgIpcEvent *share_event(CUresult *code) {
  static uint64_t serial;
  Page *page = own_page();
  *code = page ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_NOT_SUPPORTED;
  if (!page) return NULL;
  uint32_t i = 0;
  while (i < EVENTS && page->event[i].serial) i++;
  SgIpcEvent *e = i < EVENTS ? event_new(NULL, i, serial + 1, &page->event[i]) : NULL;
  if (!e) return NULL;
  e->slot->begun = e->slot->done = e->slot->pid = e->slot->start = 0;
  atomic_store(&e->slot->serial, ++serial);
  return e;
}

static CUresult export_event(CUipcEventHandle *out, CUevent event) {
  CUresult code;
  if (!out || !event) return CUDA_ERROR_INVALID_VALUE;
  SgIpcEvent **at = sg_event_shared(event, &code);
  if (!at) return code;
  if (!*at && !(*at = share_event(&code))) return code;
  if ((*at)->peer) return CUDA_ERROR_INVALID_HANDLE; /* not this process's to hand on */
  Handle h;
  if (!sg_ipc_handle_make(SG_IPC_EVENT, (*at)->index, (*at)->serial, &h)) return CUDA_ERROR_NOT_SUPPORTED;
  memcpy(out, &h, sizeof h);
  return CUDA_SUCCESS;
}

SG_API CUresult cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event) {
  SG_CALL(SG_NEED_CONTEXT, export_event(pHandle, event), "event=0x%llx", SG_X(event));
}

static CUresult import_event(CUevent *out, const CUipcEventHandle *handle) {
  CUresult code;
  Handle h;
  memcpy(&h, handle, sizeof h);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  SgPeer *peer = sg_ipc_peer_open(&h, SG_IPC_EVENT, &code);
  if (!peer) return code;
  EventSlot *slot = &peer->page->event[h.slot];
  if (atomic_load(&slot->serial) != h.serial) {
    sg_ipc_peer_drop(peer);
    sg_say(CU_LOG_LEVEL_ERROR, "The event behind the IPC handle was destroyed by its process");
    return CUDA_ERROR_MAP_FAILED;
  }
  SgIpcEvent *e = event_new(peer, h.slot, h.serial, slot);
  if (!e) {
    sg_ipc_peer_drop(peer);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  code = sg_event_adopt(e, out);
  if (code) event_drop(e);
  return code;
}

SG_API CUresult cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle) {
  SG_CALL(SG_NEED_CONTEXT, import_event(phEvent, &handle), "event=0x%llx", SG_OUT(phEvent));
}

/* --- what others record, and waiting for it --- */

uint64_t sg_ipc_record(SgIpcEvent *e) {
  e->refs++;
  if (!event_alive(e)) return 0;
  uint32_t pid = (uint32_t)getpid();
  atomic_store(&e->slot->pid, pid);
  atomic_store(&e->slot->start, start_of(pid));
  return atomic_fetch_add(&e->slot->begun, 1) + 1;
}

void sg_ipc_recorded(SgIpcEvent *e, uint64_t number) {
  if (event_alive(e)) {
    uint64_t done = atomic_load(&e->slot->done);
    while (done < number && !atomic_compare_exchange_weak(&e->slot->done, &done, number)) {}
  }
  event_drop(e);
}

/* 0 once record `number` is done, 600 before, or why it never will be. */
static CUresult state_of(const SgIpcEvent *e, uint64_t number) {
  if (!event_alive(e)) return CUDA_ERROR_INVALID_HANDLE;
  if (atomic_load(&e->slot->done) >= number) return CUDA_SUCCESS;
  uint32_t pid = (uint32_t)atomic_load(&e->slot->pid);
  if (pid == (uint32_t)getpid() || start_of(pid) == atomic_load(&e->slot->start)) return CUDA_ERROR_NOT_READY;
  return atomic_load(&e->slot->done) >= number ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

CUresult sg_ipc_query(SgIpcEvent *e) { return state_of(e, atomic_load(&e->slot->begun)); }

typedef struct Wait {
  const SgIpcEvent *event;
  uint64_t number;
  CUresult result;
} Wait;

static void wait_until_known(void *arg) {
  Wait *w = arg;
  struct timespec pause = {0, 20000};
  while ((w->result = state_of(w->event, w->number)) == CUDA_ERROR_NOT_READY && !sg_wait_is_over()) {
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 2000000) pause.tv_nsec *= 2;
  }
}

CUresult sg_ipc_synchronize(SgIpcEvent *e) {
  Wait w = {e, atomic_load(&e->slot->begun), CUDA_SUCCESS};
  e->refs++;
  sg_call_user(wait_until_known, &w);
  event_drop(e);
  return w.result;
}

typedef struct WaitOp {
  SgOp op;
  SgIpcEvent *event;
  uint64_t number;
} WaitOp;

static uint64_t wait_run(SgOp *op, SgStream *s, CUresult *code) {
  const WaitOp *o = (const WaitOp *)op;
  Wait w = {o->event, o->number, CUDA_SUCCESS};
  sg_call_user(wait_until_known, &w);
  if (!w.result) return 0;
  if (w.result == CUDA_ERROR_NOT_READY) {
    sg_interrupted(s->o.ctx->device, "a stream's wait for an event of another process was given up");
    return 0;
  }
  *code = CUDA_ERROR_UNKNOWN;
  sg_report("a stream waited for an event of another process, which ended before its work was done");
  return 0;
}

static void wait_drop(SgOp *op) { event_drop(((WaitOp *)op)->event); }

CUresult sg_ipc_stream_wait(SgIpcEvent *e, SgStream *s) {
  static const SgOpType type = {.name = "wait", .run = wait_run, .drop = wait_drop};
  CUresult r = sg_ipc_query(e);
  if (r != CUDA_ERROR_NOT_READY) return r;
  WaitOp *op = malloc(sizeof *op);
  if (!op) return CUDA_ERROR_OUT_OF_MEMORY;
  *op = (WaitOp){{.type = &type}, e, atomic_load(&e->slot->begun)};
  e->refs++;
  return sg_stream_submit(s, &op->op);
}
