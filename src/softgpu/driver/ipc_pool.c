/* Memory pools that several processes share. What a pool is exported as is the descriptor of a small file
 * that holds a handle of this process (driver/ipc.c); passed to another process, it names the pool there.
 * Single blocks follow as data that fits nowhere else. The importer allocates nothing from such a pool. */
#include "driver/pool.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FD CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

/* Sealed, so that whoever gets it reads what was written here. -1: no descriptor is left. */
static int file_of(const SgIpcHandle *h) {
  const int fd = memfd_create("softgpu pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (pwrite(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
    return fd;
  close(fd);
  return -1;
}

static CUresult export_pool(void *out, CUmemoryPool handle, CUmemAllocationHandleType type,
                            unsigned long long flags) {
  SgIpcHandle h;
  const SgPool *p = sg_pool_get(handle);
  if (!out || !p || flags || !type || (p->handle_types & type) != (unsigned)type)
    return CUDA_ERROR_INVALID_VALUE;
  if (type != FD) {
    sg_say(CU_LOG_LEVEL_ERROR,
           "The software device has no fabric; share pools through POSIX file descriptors");
    return CUDA_ERROR_NOT_PERMITTED; /* as on an H200 without one, driver 580 */
  }
  if (!sg_ipc_handle_make(SG_IPC_POOL, (uint32_t)p->home, p->o.id, &h)) return CUDA_ERROR_NOT_SUPPORTED;
  const int fd = file_of(&h);
  if (fd < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  memcpy(out, &fd, sizeof fd);
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
                                                 CUmemAllocationHandleType handleType,
                                                 unsigned long long flags) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, export_pool(handle_out, pool, handleType, flags),
          "pool=0x%llx type=%d flags=%llu", SG_X(pool), (int)handleType, flags);
}

/* A pool of a device that this process does not have is taken for one of the first. The process may import a
 * pool of its own. The codes are those of an H200, driver 580. */
static CUresult import_pool(CUmemoryPool *out, const void *handle, CUmemAllocationHandleType type,
                            unsigned long long flags) {
  CUresult code;
  SgIpcHandle h;
  if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
  *out = NULL;
  if (type != FD) return CUDA_ERROR_INVALID_VALUE;
  const int fd = (int)(intptr_t)handle;
  if (fd < 0 || pread(fd, &h, sizeof h, 0) != (ssize_t)sizeof h) return CUDA_ERROR_UNKNOWN;
  SgPeer *peer = sg_ipc_peer_open(&h, SG_IPC_POOL, &code);
  if (!peer) return code == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_UNKNOWN : code;
  const bool numa = h.slot == SG_HOME_NUMA;
  SgPool *p = sg_pool_new(numa                           ? SG_HOME_NUMA
                          : sg_device_valid((int)h.slot) ? SG_HOME_DEVICE + (int)h.slot
                                                         : SG_HOME_DEVICE,
                          0);
  if (!p) {
    sg_ipc_peer_drop(peer);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  p->imported = true;
  p->peer = peer;
  *out = p->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                                   CUmemAllocationHandleType handleType,
                                                   unsigned long long flags) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, import_pool(pool_out, handle, handleType, flags),
          "pool=0x%llx handle=0x%llx type=%d flags=%llu", SG_OUT(pool_out), SG_X(handle), (int)handleType,
          flags);
}

static CUresult export_pointer(CUmemPoolPtrExportData *out, CUdeviceptr p) {
  SgAlloc *a = sg_arena_find(p);
  const SgPool *pool = a ? sg_pool_behind(a) : NULL;
  SgIpcHandle h;
  if (!a) sg_note_stale("memory", p);
  if (!out || !pool || !pool->handle_types || a->base != p) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = sg_ipc_export(a, SG_IPC_POOLED, &h);
  if (!r) memcpy(out, &h, sizeof h);
  return r;
}

SG_API CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, export_pointer(shareData_out, ptr), "ptr=0x%llx", ptr);
}

/* A block that was imported before is the same one, which one call frees. The process may import a block of
 * its own, which it then has at a second address. Measured on an H200, driver 580. */
static CUresult import_pointer(CUdeviceptr *out, CUmemoryPool handle, const CUmemPoolPtrExportData *data) {
  CUresult code;
  SgIpcHandle h;
  const SgPool *p = sg_pool_get(handle);
  if (!out || !data || !p) return CUDA_ERROR_INVALID_VALUE;
  *out = 0;
  if (!p->imported) return CUDA_ERROR_INVALID_VALUE;
  memcpy(&h, data, sizeof h);
  SgPeer *peer = sg_ipc_peer_open(&h, SG_IPC_POOLED, &code);
  if (!peer) return code;
  if (peer != p->peer) { /* of another process's pool */
    sg_ipc_peer_drop(peer);
    return CUDA_ERROR_INVALID_VALUE;
  }
  return sg_ipc_import(out, peer, &h, (SgIpcOwner){.device = p->device, .again = SG_IPC_SAME});
}

SG_API CUresult cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
                                       CUmemPoolPtrExportData *shareData) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, import_pointer(ptr_out, pool, shareData), "ptr=0x%llx pool=0x%llx",
          SG_OUT(ptr_out), SG_X(pool));
}
