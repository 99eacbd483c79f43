/* Sharing with other processes, inside: what memory and events (driver/ipc.c) and pools (driver/ipc_pool.c)
 * have in common. */
#ifndef SOFTGPU_IPC_H
#define SOFTGPU_IPC_H

#include "driver/drv.h"

typedef enum SgIpcKind { SG_IPC_MEMORY = 1, SG_IPC_EVENT, SG_IPC_POOL, SG_IPC_POOLED } SgIpcKind;

/* Names a process, the descriptor of its arena, and a place on its page; of a pool its home instead. */
typedef struct SgIpcHandle {
  uint64_t magic;
  uint32_t kind, slot;
  uint32_t pid, fd;
  uint64_t start, nonce[2], serial, check;
} SgIpcHandle;

/* Another process, and its arena. */
typedef struct SgPeer SgPeer;

bool sg_ipc_possible(void); /* the arena is a file */
bool sg_ipc_handle_make(SgIpcKind kind, uint32_t slot, uint64_t serial, SgIpcHandle *out);
/* The process behind a handle, once more held, or NULL and the error: for what makes no sense, for memory and
 * events of this process (its pools it may open), and for what is gone. */
SgPeer *sg_ipc_peer_open(const SgIpcHandle *h, SgIpcKind kind, CUresult *code);
bool sg_ipc_peer_is(const SgPeer *p, const SgIpcHandle *h);
void sg_ipc_peer_drop(SgPeer *p); /* NULL: nothing */

/* Puts an allocation on the page, where it is not there yet, and makes a handle for it. */
CUresult sg_ipc_export(SgAlloc *a, SgIpcKind kind, SgIpcHandle *out);
/* What becomes of an allocation that its owner opens again. */
typedef enum SgIpcAgain {
  SG_IPC_COUNT, /* it has to be closed as often */
  SG_IPC_SAME,  /* it is the same one, and closed once */
  SG_IPC_REFUSE /* CUDA_ERROR_ALREADY_MAPPED */
} SgIpcAgain;

typedef struct SgIpcOwner {
  int device;
  uint64_t context; /* its number; 0: none */
  SgIpcAgain again;
} SgIpcOwner;

/* The allocation behind the handle among this process's. Takes `peer` over. */
CUresult sg_ipc_import(CUdeviceptr *out, SgPeer *peer, const SgIpcHandle *h, SgIpcOwner owner);

#endif
