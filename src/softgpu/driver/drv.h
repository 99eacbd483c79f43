/* The driver layer, inside: what its files share. The layer turns
 * driver API calls into arena and machine calls; it alone knows contexts, handles, streams and modes.
 *
 * Every exported function is one line: SG_CALL(need, body, format, args...). It takes sg_lock, checks the
 * state of the library, the injected faults and the current context, runs the body, logs, unlocks. Bodies
 * return plain CUresults and never lock. */
#ifndef SOFTGPU_DRV_H
#define SOFTGPU_DRV_H

/* All prototypes of the header, the older ones too, so that every definition is checked against its own. */
#define __CUDA_API_VERSION_INTERNAL 1
#include <cuda.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/config.h"
#include "base/device.h"
#include "machine/machine.h"

#define SG_API __attribute__((visibility("default")))
#define SG_PRINTF(at) __attribute__((format(printf, at, at + 1)))

/* More of the device's shape; the attribute table and the launch checks agree by reading it here. */
enum {
  SG_MAX_DEVICES = 8,
  SG_MAX_BLOCK_Z = 64,
  SG_MAX_GRID_YZ = 65535,
  SG_SM_REGISTERS = 65536,
  SG_SHARED_DEFAULT = 48 << 10,
  SG_SHARED_OPTIN = 163 << 10,
  SG_SHARED_SM = 164 << 10,
  SG_SHARED_RESERVED = 1 << 10,
  SG_CONST_BYTES = 64 << 10,
  SG_TEXTURE_ALIGN = 512,
  SG_MAX_PEERS = 8,
  SG_PERSISTING_L2 = 24 << 20
};

/* --- entering and leaving a call (driver/door.c) --- */

typedef enum SgNeed {
  SG_NEED_NOTHING, /* answers before cuInit, and in a forked child */
  SG_NEED_PROCESS, /* answers before cuInit */
  SG_NEED_OUTSIDE, /* the same, but not in a function that the driver calls */
  SG_NEED_INIT,    /* cuInit was called */
  SG_NEED_HEALTH,  /* and, if a context is current, its device has no sticky error */
  SG_NEED_ALIVE,   /* and it was not destroyed */
  SG_NEED_CONTEXT, /* and a live context is current */
  /* added to one of these: */
  SG_UNSAFE = 16, /* refused with 900 where a stream capture forbids unsafe calls */
  SG_BESIDE = 32  /* may be made while a kernel runs in the background; other calls wait for its end */
} SgNeed;

typedef struct SgEntry {
  const char *name;
  const char *current;  /* another name that runs the same body, or NULL (driver/twins.c) */
  bool per_thread;      /* ... with the per-thread default stream for stream 0 */
  int since;            /* first driver version with it; 0: not looked up yet */
  uint64_t calls;       /* since the start or the last reset */
  struct SgEntry *next; /* of the entries that were called */
  bool listed;
} SgEntry;

typedef struct SgCall {
  SgEntry *entry;
  bool locked;
} SgCall;

CUresult sg_enter(SgCall *call, SgEntry *entry, SgNeed need);
void sg_leave(const SgCall *call, CUresult result, const char *format, ...) SG_PRINTF(3);

#define SG_CALL(need, body, ...)                                                                             \
  do {                                                                                                       \
    static SgEntry sg_entry = {.name = __func__};                                                            \
    SG_CALL_AS(&sg_entry, need, body, __VA_ARGS__);                                                          \
  } while (0)

#define SG_CALL_AS(entry, need, body, ...)                                                                   \
  do {                                                                                                       \
    SgCall sg_call;                                                                                          \
    if (!sg_alias) sg_arena_caller = __builtin_return_address(0);                                            \
    CUresult sg_result = sg_enter(&sg_call, entry, need);                                                    \
    if (sg_result == CUDA_SUCCESS) sg_result = (body);                                                       \
    sg_leave(&sg_call, sg_result, __VA_ARGS__);                                                              \
    return sg_result;                                                                                        \
  } while (0)

/* For the log: a handle or address, and what a call stored through an out parameter. */
#define SG_X(v) ((unsigned long long)(uintptr_t)(v))
#define SG_OUT(p) (sg_result == CUDA_SUCCESS && (p) ? SG_X(*(p)) : 0ULL)
#define SG_S(s) ((s) ? (s) : "(null)")

/* First driver version that exports this symbol; 0: not exported here. */
int sg_entry_since(const char *symbol);
int sg_entry_count(void);
/* The entries that were called, in no order. */
extern SgEntry *sg_entries;

/* The call that runs was made under a second name (driver/twins.c), which it logs. NULL in all other calls.
 */
extern _Thread_local SgEntry *sg_alias;
static inline bool sg_zero_is_per_thread(void) { return sg_alias && sg_alias->per_thread; }

/* --- objects and handles (driver/handle.c) --- */

typedef struct SgContext SgContext;
typedef struct SgStream SgStream;

typedef enum SgHandleKind {
  SG_H_CONTEXT,
  SG_H_STREAM,
  SG_H_EVENT,
  SG_H_MODULE,
  SG_H_FUNCTION,
  SG_H_CALLBACK,
  SG_H_ARRAY,
  SG_H_GRAPH,
  SG_H_NODE,
  SG_H_EXEC,
  SG_H_POOL,
  SG_H_LINK,
  SG_H_LIBRARY,
  SG_H_KERNEL,
  SG_H_USER_OBJECT,
  SG_H_RESOURCE,
  SG_H_MIPMAP,
  SG_H_TEXTURE, /* programs have another number for these two (base/image.h) */
  SG_H_SURFACE,
  SG_H_REFERENCE, /* a texture or surface reference of a module */
  SG_H_KINDS
} SgHandleKind;

/* What every object behind a handle starts with. */
typedef struct SgObject {
  SgContext *ctx;
  void *handle;
  uint64_t id; /* over all kinds, never reused */
} SgObject;

/* A handle is the address of a slot. Freed slots are given out again at once, last freed first, as the
 * driver does; false: out of memory. */
bool sg_handle_new(SgHandleKind kind, SgObject *object, SgContext *ctx);
/* `orphan`: freed because its context was destroyed, not by its own destroy call. */
void sg_handle_free(SgObject *object, bool orphan);
/* The live object; else NULL, *code is 400 (709 for orphans) and the call is marked stale. */
void *sg_handle_get(SgHandleKind kind, const void *handle, CUresult *code);
/* The live object of exactly this use of the slot, or NULL. Never marks anything stale. */
void *sg_handle_peek(SgHandleKind kind, const void *handle, uint32_t generation);
/* A handle kept over the life of its object: retire leaves it dead, rebind gives it a new object, release
 * returns it to the others. */
void sg_handle_retire(SgObject *object);
void sg_handle_rebind(void *handle, SgObject *object, SgContext *ctx);
void sg_handle_release(void *handle);
/* The slot's count of uses; 0: no handle of this kind ever. */
uint32_t sg_handle_generation(SgHandleKind kind, const void *handle);
void sg_handles_each(SgHandleKind kind, const SgContext *ctx, void (*f)(SgObject *, void *), void *arg);
uint32_t sg_handles_live(SgHandleKind kind);
bool sg_handle_made(const SgObject *object, char text[SG_PLACE]); /* where; false: not known */
extern const char *const sg_kind_names[SG_H_KINDS];

/* Marks the running call as a use of a dead or unknown handle or address. */
void sg_note_stale(const char *kind, uint64_t value);

/* --- contexts and devices --- */

/* Text on its way to the program's stdout or stderr (driver/print.c). */
typedef struct SgOutput {
  struct SgPrinted *first, *last;
  size_t cost; /* bytes of the buffer that it takes */
} SgOutput;

struct SgContext {
  SgObject o;
  int device;
  unsigned flags;
  bool primary;
  unsigned api_version;
  size_t limit[CU_LIMIT_MAX];
  SgOutput printed, complaints;    /* by kernels: for stdout, for stderr */
  uint64_t heap_used;              /* by malloc in kernels */
  bool has_printed, has_allocated; /* a kernel that may was launched: the sizes are fixed */
  CUfunc_cache cache;
  unsigned usage;              /* cuCtxAttach and cuCtxDetach */
  uint64_t peer[SG_MAX_PEERS]; /* ids of the contexts whose memory its kernels may use */
  unsigned peers;
  SgStream *streams; /* the legacy stream is the last one */
  SgStream *legacy;
  struct SgImages *images; /* of its textures and surfaces; NULL: it never had one */
  SgContext *next;
};

typedef struct SgDevice {
  CUresult sticky; /* the error that killed it, 0 while it works */
  SgContext *primary;
  void *primary_handle; /* kept over release and retain, as measured */
  unsigned primary_count, primary_flags;
  uint64_t drop_until; /* launches up to this number that may be interrupted are not run */
} SgDevice;

typedef enum SgLife { SG_NEW, SG_READY, SG_GONE, SG_FORKED } SgLife;

typedef struct SgState {
  SgLife life;
  bool pretended; /* life was set by a control command: reset may end it */
  int devices;
  SgDevice device[SG_MAX_DEVICES];
  SgContext *contexts;
  uint64_t next_id;
  uint64_t epoch; /* changes at reset: older context stacks are void */
  uint64_t calls, stale, damaged_before;
  char report[2048]; /* text of the last fault */
  char json[4096];   /* ... and as an object, "" where there is none */
  void *failed;      /* the function that the report is about, or NULL */
  uint32_t failed_generation;
  char interrupted[2304]; /* what the program stopped, until it asks; "": nothing */
} SgState;

extern SgState sg_state;

/* The context current in this thread: NULL and *code = 201 (none) or 709 (destroyed). */
SgContext *sg_current(CUresult *code);
/* For bodies of SG_NEED_CONTEXT calls. */
SgContext *sg_ctx(void);
/* The context named by a handle. A destroyed one: *code is 709; nothing of the kind: 201. */
SgContext *sg_ctx_get(CUcontext handle, CUresult *code);
bool sg_ctx_flags_valid(unsigned flags);
/* What cuCtxCreate_v2 does. */
CUresult sg_ctx_create(CUcontext *out, unsigned flags, CUdevice dev);
void sg_limits_default(SgContext *ctx); /* driver/settings.c */
CUresult sg_context_new(int device, unsigned flags, unsigned api_version, bool primary, SgContext **out);
/* Waits for its work, then frees all it owns. */
void sg_context_free(SgContext *ctx);
void *sg_current_handle(void);
uint64_t sg_thread_id(void);
bool sg_device_valid(CUdevice dev);
/* From now on the attribute is refused or has this value; false: no such attribute. */
bool sg_attribute_override(int attribute, bool hide, int value);
void sg_attributes_reset(void);
int sg_device_attribute(CUdevice_attribute attribute); /* the same for all devices */
CUresult sg_health(const SgContext *ctx);
CUresult sg_health_here(void); /* of the current context; without one, 0 */
SgSystem
sg_context_system(SgContext *ctx); /* driver/print.c: what its kernels print and allocate goes to it */
/* A point where the program sees what kernels printed: somebody waited for them, or launches another one. */
void sg_output_flush(SgContext *ctx);
void sg_output_drop(SgContext *ctx);
/* May kernels of the context (an SgContext) use this memory? (SgLaunch.may_use) */
bool sg_may_use(const void *ctx, const SgAlloc *a);
void sg_poison(int device, CUresult code);
/* Frees every object and forgets the state; life goes back to SG_NEW. */
void sg_reset(void);
void sg_context_stacks_init(void);

/* --- streams and the work in them (driver/stream.c) --- */

typedef struct SgOp SgOp;

/* The point in a stream where an event was recorded. */
typedef struct SgMark {
  unsigned refs;
  bool done;
  SgStream *stream; /* until done */
  uint64_t ns;      /* virtual or real time, once done */
} SgMark;

typedef struct SgNodeType SgNodeType;

/* Virtual durations of what computes and copies nothing, in ns. */
enum { SG_FREE_NS = 100, SG_HINT_NS = 1000, SG_HOST_NS = 1000, SG_LAUNCH_NS = 2000 };

typedef struct SgOpType {
  const char *name;
  /* Does it; returns its virtual duration in ns. Errors: *code, which poisons the device. NULL: there is
   * nothing to do, which takes `lasts` ns. */
  uint64_t (*run)(SgOp *op, SgStream *s, CUresult *code);
  uint64_t lasts;
  void (*drop)(SgOp *op);           /* releases what it holds, run or not; not the SgOp itself. May be NULL */
  SgMark *(*waits)(const SgOp *op); /* NULL, or what it waits for */
  bool (*more)(const SgOp *op);     /* true: run it again. May be NULL */
  const SgNodeType *node;           /* as a node of a graph (graph.h); NULL: it cannot be captured */
} SgOpType;

/* Ops are allocated with malloc, type first; the engine frees them. */
struct SgOp {
  const SgOpType *type;
  SgOp *next;
  uint64_t seq;       /* order of submission over all streams */
  uint64_t issued;    /* virtual time of submission */
  unsigned shared;    /* of a graph's operation: how many hold it besides the first */
  bool interruptible; /* submitted by the thread whose work may be stopped */
};

static inline uint64_t sg_op_run(SgOp *op, SgStream *s, CUresult *code) {
  return op->type->run ? op->type->run(op, s, code) : op->type->lasts;
}

typedef enum SgStreamKind { SG_LEGACY, SG_PER_THREAD, SG_BLOCKING, SG_NON_BLOCKING } SgStreamKind;

struct SgStream {
  SgObject o;
  SgStreamKind kind;
  unsigned flags;
  int priority;
  uint64_t thread; /* of a per-thread stream */
  SgOp *head, *tail;
  uint64_t end_ns;         /* virtual time at which its last op ended */
  unsigned refs;           /* its handle, and whoever waits for it */
  struct SgBranch *branch; /* its part in a capture, or NULL (graph.h) */
  SgStream *next, *prev;
};

SgStream *sg_stream_new(SgContext *ctx, SgStreamKind kind, unsigned flags, int priority);
/* NULL: *code. Takes the special handles; the default streams need a current context. */
SgStream *sg_stream_find(CUstream h, CUresult *code);
/* The same for calls that put work in the stream or wait for it, which a capture may forbid (901, 906). */
SgStream *sg_stream_get(CUstream h, CUresult *code);
/* Appends op, which the engine owns from now on. In eager mode it runs at once. Where the stream is being
 * captured, op becomes a node of the graph. */
CUresult sg_stream_submit(SgStream *s, SgOp *op);
/* Appends and waits for it: 900 where the stream is being captured. */
CUresult sg_stream_submit_wait(SgStream *s, SgOp *op);
void sg_op_free(SgOp *op);
uint64_t sg_random_below(uint64_t n);
CUresult sg_stream_wait(SgStream *s);
/* Nothing is queued that an operation submitted to s now would have to wait for. */
bool sg_stream_idle(SgStream *s);
uint64_t sg_stream_last(void);      /* number of the latest operation of all streams */
bool sg_streams_ran(uint64_t last); /* all operations up to number `last`, in all streams */
bool sg_streams_run_oldest(void);   /* runs the oldest operation there is; false: there is none */
/* All streams of a context; with NULL, of all contexts. */
void sg_drain(SgContext *ctx);
void sg_stream_close(SgStream *s, bool orphan);
/* Runs one step towards the mark or until it is done. */
void sg_mark_step(SgMark *m);
void sg_mark_wait(SgMark *m);
void sg_mark_drop(SgMark *m);
/* A mark for a record in s, held once; NULL: no memory. It has to be set, even if the record never runs. */
SgMark *sg_mark_new(SgStream *s);
/* At virtual time ns. Once set, it stays. */
void sg_mark_set(SgMark *m, uint64_t ns);
void sg_streams_reset(void);
void sg_streams_seed(void); /* random mode begins anew, with the seed of the configuration */

/* --- stream capture, seen by other calls (driver/capture.c) --- */

/* 0, or 900 and the captures concerned are invalid: for calls whose need has no SG_UNSAFE. */
CUresult sg_capture_unsafe(void);
/* 900, and the stream's capture, if there is one, is invalid: for what cannot be captured. */
CUresult sg_capture_refuse(SgStream *s, const char *what);
/* The stream's capture, if there is one, is invalid from now on. */
void sg_capture_spoil(SgStream *s);
/* 0, or 900 and the captures in the context's streams are invalid. */
CUresult sg_capture_synchronize(const SgContext *ctx);
void sg_graphs_reset(void);

/* --- user objects (driver/user_object.c) --- */

void sg_user_objects_deliver(void); /* outside of the lock: calls the functions of those that have ended */
void sg_user_objects_reset(void);   /* before the graphs': none of them is called any more */

void sg_links_reset(void);                     /* driver/link.c: frees every linker */
void sg_event_free(SgObject *o, bool orphan);  /* driver/event.c */
void sg_module_free(SgObject *o, bool orphan); /* driver/module.c */
void sg_libraries_reset(void);                 /* driver/library.c: frees every library */

typedef struct SgDrvModule SgDrvModule; /* begins with an SgObject */

typedef struct SgFunction {
  SgObject o;
  SgDrvModule *module;
  SgKernel *kernel;
  int max_dynamic_shared;
  int carveout;
  int cluster[3]; /* required; 0: any */
  int non_portable_cluster, cluster_policy;
  struct SgOldState
      *old;       /* block shape and parameters of the old launches (driver/launch_params.c), or NULL */
  bool of_kernel; /* it has the settings of a library's kernel (driver/library.c) */
} SgFunction;

/* A module for compiled code, which belongs to it from then on, also where it fails: NULL, no memory. `part`:
 * of a library. */
SgDrvModule *sg_module_adopt(SgContext *ctx, SgModule *code, bool part);
const SgModule *sg_module_code(const SgDrvModule *m);
bool sg_module_part(const SgObject *o);
/* The function of that name, the same one each time; NULL: *code. */
SgFunction *sg_module_function(SgDrvModule *m, const char *name, CUresult *code);
/* As a function is when nothing was set. */
void sg_function_init(SgFunction *f, SgKernel *k);
CUresult sg_function_attribute(SgFunction *f, CUfunction_attribute attribute, int *out);
CUresult sg_function_set(SgFunction *f, CUfunction_attribute attribute, int value);
/* Where a parameter lies among the arguments. `size` may be NULL. */
CUresult sg_kernel_param(const SgKernel *kernel, size_t i, size_t *offset, size_t *size);
/* What a CUfunction means, or a library's kernel in that context; NULL: *code (driver/library.c). */
SgFunction *sg_function_get(const void *handle, SgContext *ctx, CUresult *code);

/* driver/launch.c: a launch with its parameters as one block of bytes. */
CUresult sg_launch_packed(CUfunction f, const unsigned grid[3], const unsigned block[3], unsigned shared,
                          CUstream stream, const void *data, size_t size);
/* driver/event.c: what cuEventRecord does, for an event without a clock that is this process's alone. */
CUresult sg_event_record_plain(CUevent h, CUstream stream);
CUresult sg_event_plain(CUevent h);

/* A CUDA array (driver/array.c): texels row by row without gaps, slice after slice (or layer, or face). */
typedef struct SgArray {
  SgObject o;
  CUDA_ARRAY3D_DESCRIPTOR desc;
  SgAlloc *storage;
  uint64_t base;           /* of its first texel */
  size_t element;          /* bytes of a texel, all channels */
  size_t pitch, slice;     /* bytes from row to row, from slice to slice */
  struct SgMipmap *mipmap; /* whose level it is, which has the storage; NULL: none's */
  bool mapped;             /* of a graphics resource, and destroyed with its mapping */
} SgArray;

/* NULL: *code, and that is said. */
SgArray *sg_array_new(const CUDA_ARRAY3D_DESCRIPTOR *d, SgContext *ctx, CUresult *code);

void sg_mipmap_free(SgObject *o, bool orphan); /* driver/mipmap.c */
void sg_image_free(SgObject *o, bool orphan);  /* driver/texture.c */
uint64_t sg_image_number(const SgObject *o);   /* what the program has for it */
bool sg_image_is_part(const SgObject *o);      /* it belongs to a reference of a module, not to the program */

/* References of a module (driver/texref.c): made with it, changed ones bound before a launch of its kernels.
 */
typedef struct SgRefs SgRefs;
bool sg_refs_changed(const SgRefs *refs);
CUresult sg_refs_bind(SgRefs *refs); /* when nothing is queued that reads them */
void sg_refs_free(SgRefs *refs, bool orphan);
SgRefs **sg_module_refs(SgDrvModule *m);
SgDrvModule *sg_module_get(CUmodule h, CUresult *code); /* NULL: *code */
SgContext *sg_module_context(const SgDrvModule *m);

void sg_array_free(SgObject *o, bool orphan);
void sg_resource_free(SgObject *o, bool orphan); /* driver/graphics.c */
void sg_execs_orphan(
    SgContext *ctx); /* driver/graph_exec.c: executable graphs with its kernels go with a context */

/* --- memory, seen by other calls --- */

void sg_memory_init(void); /* driver/memory.c: before the first allocation */
void sg_pools_settle(
    int device); /* driver/pool.c: a synchronising call has ended; pools shrink to their thresholds */
void sg_pools_reset(void);                          /* all pools are gone, and their memory */
uint32_t sg_pools_live(void);                       /* pools that the program made */
bool sg_pool_open_to(const SgAlloc *a, int device); /* by cuMemPoolSetAccess */
bool sg_pool_standard(const SgObject *o);           /* ... and not this one */
uint64_t sg_pools_reserved(void);                   /* bytes of all pools */

/* Events that two processes share (driver/ipc.c). */
typedef struct SgIpcEvent SgIpcEvent;
uint64_t sg_ipc_record(SgIpcEvent *e);                /* a record begins; its number */
void sg_ipc_recorded(SgIpcEvent *e, uint64_t number); /* ... and is done */
CUresult sg_ipc_query(SgIpcEvent *e);                 /* 0, 600, or why this will never be known */
CUresult sg_ipc_synchronize(SgIpcEvent *e);
CUresult sg_ipc_stream_wait(SgIpcEvent *e, SgStream *s);
void sg_ipc_event_free(SgIpcEvent *e);
/* driver/event.c: an event of this context for one of another process; and where an event that may be shared
 * keeps its part, NULL and *code otherwise. */
CUresult sg_event_adopt(SgIpcEvent *e, CUevent *out);
SgIpcEvent **sg_event_shared(CUevent h, CUresult *code);

/* Shared memory limits and occupancy of a function (driver/launch.c). */
int sg_occupancy(const SgFunction *f, int threads, size_t dynamic_shared);

/* --- log.c, fault.c, control.c --- */

extern _Atomic bool sg_log_on;
void sg_log_add(const char *symbol, CUresult result, uint64_t ctx, const char *args);
void sg_log_clear(void);

typedef struct SgText SgText; /* a growing string */
struct SgText {
  char *data;
  size_t size, room;
  bool failed;
};
void sg_text_add(SgText *t, const char *format, ...) SG_PRINTF(2);
void sg_log_print(SgText *t);
/* Where calls are logged, operations are as well, when they run. `seq` is their place in the order of
 * submission, `node` that in a graph, or -1. */
void sg_log_run(const SgStream *s, uint64_t seq, const char *name, int node);
void sg_log_print_runs(SgText *t);

/* The error to answer this call with instead of running it, else 0. */
CUresult sg_fault_check(const char *symbol);
/* api:nth[:error[:sticky]] rules, comma separated; false: bad text. */
bool sg_fault_add(const char *rules);
bool sg_fault_set(const char *api, const char *nth, const char *error, bool sticky);
void sg_fault_clear(void);

/* driver/error.c: name of a code or NULL; code of "CUDA_ERROR_X", "X" or a number, or -1. */
const char *sg_error_name(CUresult code);
int sg_error_code(const char *text);

/* A sentence for the callbacks of cuLogsRegisterCallback, delivered when the call has ended. */
void sg_say(CUlogLevel level, const char *format, ...) SG_PRINTF(2);
void sg_say_deliver(void);
void sg_say_claim(CUresult result); /* before that, in a call that answers `result` */
void sg_report(const char *text);   /* a fault: kept, said, and on stderr if no one listens */
void sg_report_as(const char *text, const char *json);
void sg_report_json(const char *json); /* a line where such lines are wanted */
void sg_report_leak(const char *text, const char *json);
void sg_json_escape(char *to, size_t room, const char *text); /* the inside of a JSON string */

/* --- driver/leaks.c: what is still there --- */

typedef struct SgLeak {
  const char *name, *text; /* "pool_memory", "memory of a pool" */
  bool memory;
  uint64_t address, bytes, number; /* handle or address; id or serial */
  int device;
  char made[SG_PLACE];
} SgLeak;

bool sg_leaks_wanted(void);
bool sg_alloc_counts(const SgAlloc *a); /* as an allocation of the program's */
bool sg_stream_counts(const SgStream *s);
void sg_leaks_each(void (*f)(const SgLeak *, void *), void *arg);
void sg_leak_line(const SgLeak *l, void *text); /* for a SgText */
void sg_leaks_at_exit(void);
void sg_leaks_of_kernels(const SgContext *ctx); /* what they allocated and none has freed */
/* Runs f(arg) without the lock; calls it makes to the driver answer 800. */
void sg_call_user(void (*f)(void *), void *arg);

CUresult cuSoftgpuControl(const char *command, char *reply, size_t reply_size, size_t *reply_needed);
/* For a pool of the program's own, which keeps blocks of cuMemAlloc and cuMemHostAlloc and hands them out
 * again: the block at `base` now serves an allocation of `bytes`, made at `place`; 0: it is kept, freed
 * there. Bounds checks and reports go by that. Work that is queued already may use it as it was. */
CUresult cuSoftgpuBlock(CUdeviceptr base, size_t bytes, const char *place);

/* --- driver/interrupt.c: a program that stops what it waits for --- */

/* From now on the calling thread's work is given up when look() is not 0: a kernel that runs ends where it
 * is, launches queued behind it are not run, everything else is. No error: cuSoftgpuControl("interrupted")
 * tells. Any thread of the library may call look(). NULL: nothing is given up any more. */
CUresult cuSoftgpuInterrupt(int (*look)(void));
/* From now on show() hears of kernels that run for some seconds (SgProgress, machine.h). NULL: nobody does.
 */
CUresult cuSoftgpuProgress(SgProgress *show);

/* --- driver/profile.c: when operations run, and what kernels do --- */

typedef struct SgProfile {
  uint64_t seq;        /* of the operation; SG_LAST: the calling thread's last one */
  uint64_t ran;        /* ns that all operations have taken since it was turned on */
  uint64_t begin, end; /* monotonic ns; 0: it has not run */
  uint64_t taken;      /* ns of it: of a graph those of its steps */
  SgCounts counts;
} SgProfile;
typedef enum SgProfileHow {
  SG_PROFILE_OFF,
  SG_PROFILE_TIMES,
  SG_PROFILE_COUNTS,
  SG_LAST,
  SG_ONE
} SgProfileHow;
/* OFF forgets all; TIMES and COUNTS turn it on; LAST fills seq and ran, ONE all of it for p->seq. */
CUresult cuSoftgpuProfile(int how, SgProfile *p);
extern int sg_profiling; /* SgProfileHow */
void sg_profile_submitted(const SgOp *op);
void sg_profile_ran(const SgOp *op, uint64_t began);
SgCounts *sg_profile_counts(void); /* of the operation that runs; NULL: nothing is counted */

/* --- driver/interrupt.c, on --- */

bool sg_interruptible(void); /* the calling thread's work is */
/* A wait of the calling thread's is to end. */
bool sg_wait_is_over(void);
/* From here to sg_wait_begin(false) a wait of the calling thread, for what other threads run, ends if the
 * program wants it. For calls that only wait: whoever frees something has to see its work done. */
void sg_wait_begin(bool may_end);
void sg_interrupted(int device, const char *text);
void sg_interrupts_reset(void);
uint64_t sg_launches_queued(int device); /* of those that may be interrupted (driver/stream.c) */
extern bool sg_op_interruptible;         /* the operation that runs */

void sg_first_call(void);       /* reads the switches, once */
void sg_lock_take(void);        /* while no kernel runs */
void sg_lock_take_beside(void); /* also between two instructions of a kernel that runs in the background */
void sg_lock_drop(void);
void sg_lock_wait(void);       /* drops the lock until another thread's operation is done */
void sg_lock_wait_ms(long ms); /* so long at most, less than a second */
void sg_lock_wake(void);

#endif
