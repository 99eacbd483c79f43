/* Streams, events and their sharing between processes. */

static void stream_rows(void) {
  CUstream gone = NULL;
  start_module();
#define KILL (MUST(cuStreamCreate(&gone, 0)), MUST(cuStreamDestroy_v2(gone)))
#define DROP                                                                                                 \
  if (WORKED) MUST(cuStreamDestroy_v2(o.stream))
  WITH(cuStreamCreate, "good", SUCCESS, (void)0, (&o.stream, 0), DROP);
  WITH(cuStreamCreate, "non-blocking", SUCCESS, (void)0, (&o.stream, CU_STREAM_NON_BLOCKING), DROP);
  WITH(cuStreamCreate, "flags 2", INVALID_VALUE, (void)0, (&o.stream, 2), DROP);
  WITH(cuStreamCreate, "all flags", INVALID_VALUE, (void)0, (&o.stream, ~0u), DROP);
  ROW(cuStreamCreate, "NULL", INVALID_VALUE, (NULL, 0));
  WITH(cuStreamCreateWithPriority, "good", SUCCESS, (void)0, (&o.stream, 0, -1), DROP);
  WITH(cuStreamCreateWithPriority, "priority -99", SUCCESS, (void)0, (&o.stream, 0, -99), {
    HOLDS(cuStreamGetPriority(o.stream, &o.i) == 0 && o.i == -5);
    DROP;
  });
  WITH(cuStreamCreateWithPriority, "priority 99", SUCCESS, (void)0, (&o.stream, 0, 99), {
    HOLDS(cuStreamGetPriority(o.stream, &o.i) == 0 && o.i == 0);
    DROP;
  });
  WITH(cuStreamCreateWithPriority, "flags 2", INVALID_VALUE, (void)0, (&o.stream, 2, 0), DROP);
  ROW(cuStreamCreateWithPriority, "NULL", INVALID_VALUE, (NULL, 0, 0));
#undef DROP
  WITH(cuStreamDestroy_v2, "good", SUCCESS, MUST(cuStreamCreate(&gone, 0)), (gone), (void)0);
  ROW(cuStreamDestroy_v2, "twice", SOFTWARE_ONLY(INVALID_HANDLE), (gone));
  ROW(cuStreamDestroy_v2, "the default stream", INVALID_HANDLE, (NULL));
  ROW(cuStreamDestroy_v2, "the legacy stream", INVALID_HANDLE, (CU_STREAM_LEGACY));
  ROW(cuStreamDestroy_v2, "the thread's stream", INVALID_HANDLE, (CU_STREAM_PER_THREAD));
  ROW(cuStreamDestroy_v2, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), ((CUstream)host));
#define OF(function, out)                                                                                    \
  ROW(function, "good", SUCCESS, (st, out));                                                                 \
  ROW(function, "the default stream", SUCCESS, (NULL, out));                                                 \
  ROW(function, "the legacy stream", SUCCESS, (CU_STREAM_LEGACY, out));                                      \
  ROW(function, "the thread's stream", SUCCESS, (CU_STREAM_PER_THREAD, out));                                \
  ROW(function, "NULL", INVALID_VALUE, (st, NULL));                                                          \
  WITH(function, "a destroyed stream", SOFTWARE_ONLY(INVALID_HANDLE), KILL, (gone, out), (void)0);
  OF(cuStreamGetFlags, &o.u);
  OF(cuStreamGetPriority, &o.i);
  OF(cuStreamGetId, &o.number);
  OF(cuStreamGetCtx, &o.ctx);
  OF(cuStreamGetDevice, &o.dev);
  OF(cuStreamIsCapturing, &o.status);
#undef OF
  WITH(cuStreamGetCtx_v2, "good", SUCCESS, (void)0, (st, &o.ctx, &o.green),
       HOLDS(o.ctx == ctx && o.green == NULL));
  ROW(cuStreamGetCtx_v2, "NULL", SUCCESS, (st, NULL, &o.green));
  ROW(cuStreamGetCtx_v2, "no green context wanted", SUCCESS, (st, &o.ctx, NULL));
  WITH(cuStreamGetCtx_v2, "a destroyed stream", SOFTWARE_ONLY(INVALID_HANDLE), KILL, (gone, &o.ctx, &o.green),
       (void)0);
  ROW(cuStreamQuery, "good", SUCCESS, (st));
  ROW(cuStreamQuery, "the default stream", SUCCESS, (NULL));
  WITH(cuStreamQuery, "a destroyed stream", SOFTWARE_ONLY(INVALID_HANDLE), KILL, (gone), (void)0);
  ROW(cuStreamSynchronize, "good", SUCCESS, (st));
  ROW(cuStreamSynchronize, "the default stream", SUCCESS, (NULL));
  ROW(cuStreamSynchronize, "the thread's stream", SUCCESS, (CU_STREAM_PER_THREAD));
  WITH(cuStreamSynchronize, "a destroyed stream", SOFTWARE_ONLY(INVALID_HANDLE), KILL, (gone), (void)0);
  ROW(cuStreamSynchronize, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), ((CUstream)host));
  ROW(cuStreamAddCallback, "good", SUCCESS, (st, call_back, NULL, 0));
  ROW(cuStreamAddCallback, "the default stream", SUCCESS, (NULL, call_back, NULL, 0));
  ROW(cuStreamAddCallback, "no function", INVALID_VALUE, (st, NULL, NULL, 0));
  ROW(cuStreamAddCallback, "flags", INVALID_VALUE, (st, call_back, NULL, 1));
  WITH(cuStreamAddCallback, "a destroyed stream", SOFTWARE_ONLY(INVALID_HANDLE), KILL,
       (gone, call_back, NULL, 0), (void)0);
  start_events();
  ROW(cuStreamWaitEvent, "good", SUCCESS, (st, first, 0));
  ROW(cuStreamWaitEvent, "the default stream", SUCCESS, (NULL, first, 0));
  ROW(cuStreamWaitEvent, "flags 2", INVALID_VALUE, (st, first, 2));
  ROW(cuStreamWaitEvent, "an external wait outside of a capture", ILLEGAL_STATE,
      (st, first, CU_EVENT_WAIT_EXTERNAL));
  ROW(cuStreamWaitEvent, "no event", INVALID_HANDLE, (st, NULL, 0));
  WITH(cuStreamWaitEvent, "a destroyed stream", SOFTWARE_ONLY(INVALID_HANDLE), KILL, (gone, first, 0),
       (void)0);
  if (deferred()) {
    WITH(cuStreamQuery, "work to be done", SOFTWARE_ONLY(NOT_READY),
         (MUST(cuStreamSynchronize(st)), MUST(cuMemsetD8Async(mem, 1, 16, st))), (st), (void)0);
    OK(cuCtxSynchronize());
  }
}

#undef KILL

static void event_rows(void) {
  CUevent gone = NULL, fresh = NULL, e = NULL;
  CUstream foreign = NULL;
  CUcontext c;
  start_module();
  start_events();
  start_other();
  OK(cuEventCreate(&fresh, 0));
  OK(cuCtxPushCurrent_v2(other));
  OK(cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING));
  OK(cuCtxPopCurrent_v2(&c));
#define DROP                                                                                                 \
  if (WORKED) MUST(cuEventDestroy_v2(o.event))
  WITH(cuEventCreate, "good", SUCCESS, (void)0, (&o.event, 0), DROP);
  WITH(cuEventCreate, "without a clock", SUCCESS, (void)0,
       (&o.event, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC), DROP);
  WITH(cuEventCreate, "for other processes", SUCCESS, (void)0,
       (&o.event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING), DROP);
  WITH(cuEventCreate, "for other processes with a clock", INVALID_VALUE, (void)0,
       (&o.event, CU_EVENT_INTERPROCESS), DROP);
  WITH(cuEventCreate, "unknown flags", INVALID_VALUE, (void)0, (&o.event, 0x100), DROP);
  WITH(cuEventCreate, "flag 8", INVALID_VALUE, (void)0, (&o.event, 8), DROP);
  ROW(cuEventCreate, "NULL", INVALID_VALUE, (NULL, 0));
#undef DROP
  WITH(cuEventDestroy_v2, "good", SUCCESS, MUST(cuEventCreate(&gone, 0)), (gone), (void)0);
  ROW(cuEventDestroy_v2, "twice", SOFTWARE_ONLY(INVALID_HANDLE), (gone));
  ROW(cuEventDestroy_v2, "NULL", INVALID_HANDLE, (NULL));
  ROW(cuEventDestroy_v2, "not an event", SOFTWARE_ONLY(INVALID_HANDLE), ((CUevent)host));
  ROW(cuEventRecord, "good", SUCCESS, (untimed, st));
  ROW(cuEventRecord, "the default stream", SUCCESS, (untimed, NULL));
  ROW(cuEventRecord, "another context's stream", INVALID_HANDLE, (untimed, foreign));
  ROW(cuEventRecord, "NULL", INVALID_HANDLE, (NULL, st));
  ROW(cuEventRecord, "a destroyed event", SOFTWARE_ONLY(INVALID_HANDLE), (gone, st));
  ROW(cuEventRecord, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (untimed, (CUstream)host));
  ROW(cuEventRecordWithFlags, "good", SUCCESS, (untimed, st, 0));
  ROW(cuEventRecordWithFlags, "flags 2", INVALID_VALUE, (untimed, st, 2));
  ROW(cuEventRecordWithFlags, "an external record outside of a capture", ILLEGAL_STATE,
      (untimed, st, CU_EVENT_RECORD_EXTERNAL));
  ROW(cuEventRecordWithFlags, "another context's stream", INVALID_HANDLE, (untimed, foreign, 0));
  ROW(cuEventRecordWithFlags, "NULL", INVALID_HANDLE, (NULL, st, 0));
  OK(cuCtxSynchronize());
  ROW(cuEventQuery, "good", SUCCESS, (first));
  ROW(cuEventQuery, "never recorded", SUCCESS, (fresh));
  ROW(cuEventQuery, "NULL", INVALID_HANDLE, (NULL));
  ROW(cuEventQuery, "a destroyed event", SOFTWARE_ONLY(INVALID_HANDLE), (gone));
  ROW(cuEventSynchronize, "good", SUCCESS, (first));
  ROW(cuEventSynchronize, "never recorded", SUCCESS, (fresh));
  ROW(cuEventSynchronize, "NULL", INVALID_HANDLE, (NULL));
  ROW(cuEventSynchronize, "a destroyed event", SOFTWARE_ONLY(INVALID_HANDLE), (gone));
  ROW(cuStreamWaitEvent, "another context's event", SUCCESS, (foreign, first, 0));
#define ELAPSED(function)                                                                                    \
  ROW(function, "good", SUCCESS, (&o.ms, first, second));                                                    \
  ROW(function, "backwards", SUCCESS, (&o.ms, second, first));                                               \
  ROW(function, "never recorded", INVALID_HANDLE, (&o.ms, first, fresh));                                    \
  ROW(function, "without a clock", INVALID_HANDLE, (&o.ms, first, untimed));                                 \
  ROW(function, "NULL", INVALID_HANDLE, (NULL, first, second));                                              \
  ROW(function, "no event", INVALID_HANDLE, (&o.ms, NULL, second));                                          \
  ROW(function, "a destroyed event", SOFTWARE_ONLY(INVALID_HANDLE), (&o.ms, first, gone));
  ELAPSED(cuEventElapsedTime);
  ELAPSED(cuEventElapsedTime_v2);
#undef ELAPSED
  if (deferred()) {
    OK(cuEventCreate(&e, 0));
#define LATE                                                                                                 \
  (MUST(cuStreamSynchronize(st)), MUST(cuMemsetD8Async(mem, 1, 16, st)), MUST(cuEventRecord(e, st)))
    WITH(cuEventQuery, "not reached", SOFTWARE_ONLY(NOT_READY), LATE, (e), (void)0);
    WITH(cuEventElapsedTime, "not reached", SOFTWARE_ONLY(NOT_READY), LATE, (&o.ms, first, e), (void)0);
    WITH(cuEventElapsedTime_v2, "not reached", SOFTWARE_ONLY(NOT_READY), LATE, (&o.ms, first, e), (void)0);
#undef LATE
    OK(cuCtxSynchronize());
  }
}

/* What another process gives away, and keeps until this one ends. */
typedef struct Gift {
  CUipcMemHandle memory;
  CUipcEventHandle event;
  CUmemPoolPtrExportData pooled;
} Gift;

/* A message of a socket with a descriptor, which is another number on the other side. */
typedef struct Parcel {
  struct iovec text;
  char room[CMSG_SPACE(sizeof(int))];
  struct msghdr message;
} Parcel;

static struct cmsghdr *pack(Parcel *p, void *text, size_t n) {
  *p = (Parcel){.text = {text, n}};
  p->message = (struct msghdr){
      .msg_iov = &p->text, .msg_iovlen = 1, .msg_control = p->room, .msg_controllen = sizeof p->room};
  struct cmsghdr *c = CMSG_FIRSTHDR(&p->message);
  *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
  return c;
}

static bool send_gift(int to, Gift *g, int fd) {
  Parcel p;
  memcpy(CMSG_DATA(pack(&p, g, sizeof *g)), &fd, sizeof fd);
  return sendmsg(to, &p.message, 0) == (ssize_t)sizeof *g;
}

static int receive_gift(int from, Gift *g) {
  Parcel p;
  int fd = -1;
  const struct cmsghdr *c = pack(&p, g, sizeof *g);
  if (recvmsg(from, &p.message, MSG_WAITALL) != (ssize_t)sizeof *g) exit(1);
  memcpy(&fd, CMSG_DATA(c), sizeof fd);
  return fd;
}

static void give(int out, int until) {
  Gift g;
  char c;
  int fd = -1;
  CUmemoryPool shared_pool;
  CUmemPoolProps props = pool_props;
  CUdeviceptr p;
  props.handleTypes = FILES;
  start_module();
  start_events();
  OK(cuIpcGetMemHandle(&g.memory, mem));
  OK(cuIpcGetEventHandle(&g.event, shared_event));
  OK(cuMemPoolCreate(&shared_pool, &props));
  OK(cuMemAllocFromPoolAsync(&p, MEM, shared_pool, st));
  OK(cuStreamSynchronize(st));
  OK(cuMemPoolExportToShareableHandle(&fd, shared_pool, FILES, 0));
  OK(cuMemPoolExportPointer(&g.pooled, p));
  if (!send_gift(out, &g, fd) || read(until, &c, 1) != 0) _exit(1);
  _exit(failed != 0);
}

static void ipc_peer_rows(void) {
  int to_us[2], to_it[2];
  Gift g;
  CUdeviceptr p = 0;
  CUevent e = NULL;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, to_us) != 0 || pipe(to_it) != 0) exit(1);
  fflush(NULL);
  pid_t giver = fork();
  if (giver == 0) {
    close(to_it[1]);
    give(to_us[1], to_it[0]);
  }
  start();
  const int fd = receive_gift(to_us[0], &g);
  enum { LAZY = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS };
#define BOTH(condition, want, ...)                                                                           \
  WITH(cuIpcOpenMemHandle_v2, condition, want, (void)0, (__VA_ARGS__),                                       \
       if (WORKED) MUST(cuIpcCloseMemHandle(o.ptr)));                                                        \
  WITH(cuIpcOpenMemHandle, condition, want, (void)0, (__VA_ARGS__),                                          \
       if (WORKED) MUST(cuIpcCloseMemHandle(o.ptr)))
  BOTH("another process's, flags 0", INVALID_VALUE, &o.ptr, g.memory, 0);
  BOTH("another process's", SUCCESS, &o.ptr, g.memory, LAZY);
#undef BOTH
  OK(cuIpcOpenMemHandle_v2(&p, g.memory, LAZY));
  WITH(cuIpcOpenMemHandle_v2, "opened already", SUCCESS, (void)0, (&o.ptr, g.memory, LAZY),
       if (WORKED) MUST(cuIpcCloseMemHandle(o.ptr)));
  ROW(cuIpcOpenMemHandle, "opened already", ALREADY_MAPPED, (&o.ptr, g.memory, LAZY));
  ROW(cuMemcpyDtoH_v2, "another process's memory", SUCCESS, (host, p, MEM));
  ROW(cuMemFree_v2, "another process's memory", INVALID_VALUE, (p));
  ROW(cuIpcGetMemHandle, "another process's memory", INVALID_VALUE, (&o.memory_handle, p));
  ROW(cuIpcCloseMemHandle, "not its beginning", INVALID_VALUE, (p + 16));
  ROW(cuIpcCloseMemHandle, "good", ONE_WAY(SUCCESS), (p));
  WITH(cuIpcOpenEventHandle, "another process's", SUCCESS, (void)0, (&o.event, g.event),
       if (WORKED) MUST(cuEventDestroy_v2(o.event)));
  OK(cuIpcOpenEventHandle(&e, g.event));
  ROW(cuEventQuery, "another process's event", SUCCESS, (e));
  ROW(cuStreamWaitEvent, "another process's event", SUCCESS, (NULL, e, 0));
  ROW(cuIpcGetEventHandle, "another process's event", SPOILS(INVALID_HANDLE), (&o.event_handle, e));
  void *descriptor = (void *)(intptr_t)fd;
  CUmemoryPool imported = NULL;
  WITH(cuMemPoolImportFromShareableHandle, "another process's", SUCCESS, (void)0,
       (&o.pool, descriptor, FILES, 0), if (WORKED) MUST(cuMemPoolDestroy(o.pool)));
  OK(cuMemPoolImportFromShareableHandle(&imported, descriptor, FILES, 0));
  WITH(cuMemPoolImportPointer, "another process's", SUCCESS, (void)0, (&o.ptr, imported, &g.pooled),
       if (WORKED) MUST(cuMemFree_v2(o.ptr)));
  ROW(cuMemPoolImportPointer, "zeros, another process's pool", WRITES(INVALID_VALUE),
      (&o.ptr, imported, &no_data));
  OK(cuMemPoolImportPointer(&p, imported, &g.pooled));
  ROW(cuMemcpyDtoH_v2, "another process's pool", SUCCESS, (host, p, MEM));
  ROW(cuMemAllocFromPoolAsync, "another process's pool", WRITES(INVALID_VALUE), (&o.ptr, 16, imported, NULL));
  ROW(cuDeviceSetMemPool, "another process's pool", INVALID_VALUE, (dev, imported));
  ROW(cuMemPoolExportToShareableHandle, "another process's pool", INVALID_VALUE, (&o.i, imported, FILES, 0));
  ROW(cuMemPoolExportPointer, "another process's pool", INVALID_VALUE, (&o.data, p));
  ROW(cuIpcCloseMemHandle, "another process's pool", INVALID_VALUE, (p));
  /* What was imported twice is freed once. */
  WITH(cuMemPoolImportPointer, "imported already", SUCCESS, (void)0, (&o.ptr, imported, &g.pooled),
       HOLDS(o.ptr == p));
  ROW(cuMemFree_v2, "another process's pool", ONE_WAY(SUCCESS), (p));
  ROW(cuMemcpyDtoH_v2, "another process's pool, freed", INVALID_VALUE, (host, p, MEM));
  ROW(cuMemFreeAsync, "another process's pool, freed", INVALID_VALUE, (p, NULL));
  WITH(cuMemFreeAsync, "another process's pool", PLAIN(SUCCESS),
       MUST(cuMemPoolImportPointer(&p, imported, &g.pooled)), (p, NULL), MUST(cuStreamSynchronize(NULL)));
  close(fd);
  close(to_it[1]);
  waitpid(giver, NULL, 0);
}

static void ipc_rows(void) {
  CUdeviceptr cell;
  CUipcMemHandle h, zeros, noise;
  CUipcEventHandle eh, no_event;
  start_module();
  start_memory();
  start_events();
  memset(&zeros, 0, sizeof zeros);
  memset(&noise, 0xa5, sizeof noise);
  memset(&no_event, 0xa5, sizeof no_event);
  OK(cuModuleGetGlobal_v2(&cell, NULL, mod, "cell"));
  ROW(cuIpcGetMemHandle, "good", SUCCESS, (&o.memory_handle, mem));
  ROW(cuIpcGetMemHandle, "inside of an allocation", SUCCESS, (&o.memory_handle, mem + 64));
  ROW(cuIpcGetMemHandle, "a pool's memory", INVALID_VALUE, (&o.memory_handle, pooled));
  ROW(cuIpcGetMemHandle, "managed memory", INVALID_VALUE, (&o.memory_handle, managed));
  ROW(cuIpcGetMemHandle, "page-locked memory", INVALID_VALUE,
      (&o.memory_handle, (CUdeviceptr)(uintptr_t)pinned));
  ROW(cuIpcGetMemHandle, "a module's variable", INVALID_VALUE, (&o.memory_handle, cell));
  ROW(cuIpcGetMemHandle, "not memory", INVALID_VALUE, (&o.memory_handle, NOWHERE));
  ROW(cuIpcGetMemHandle, "0", INVALID_VALUE, (&o.memory_handle, 0));
  ROW(cuIpcGetMemHandle, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL, mem));
  OK(cuIpcGetMemHandle(&h, mem));
#define BOTH(condition, want, ...)                                                                           \
  ROW(cuIpcOpenMemHandle_v2, condition, want, (__VA_ARGS__));                                                \
  ROW(cuIpcOpenMemHandle, condition, want, (__VA_ARGS__))
  BOTH("its own", INVALID_CONTEXT, &o.ptr, h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  BOTH("flags 0", INVALID_VALUE, &o.ptr, h, 0);
  BOTH("flags 3", INVALID_CONTEXT, &o.ptr, h, 3);
  BOTH("zeros", INVALID_VALUE, &o.ptr, zeros, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  BOTH("noise", INVALID_VALUE, &o.ptr, noise, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  BOTH("NULL", INVALID_VALUE, NULL, h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
#undef BOTH
  ROW(cuIpcCloseMemHandle, "memory that was not opened", INVALID_VALUE, (mem));
  ROW(cuIpcCloseMemHandle, "not memory", INVALID_VALUE, (NOWHERE));
  ROW(cuIpcCloseMemHandle, "0", INVALID_VALUE, (0));
  ROW(cuIpcGetEventHandle, "good", SUCCESS, (&o.event_handle, shared_event));
  ROW(cuIpcGetEventHandle, "an event of this process alone", SPOILS(INVALID_HANDLE),
      (&o.event_handle, untimed));
  ROW(cuIpcGetEventHandle, "no event", INVALID_VALUE, (&o.event_handle, NULL));
  ROW(cuIpcGetEventHandle, "NULL", INVALID_VALUE, (NULL, shared_event));
  OK(cuIpcGetEventHandle(&eh, shared_event));
  ROW(cuIpcOpenEventHandle, "its own", INVALID_CONTEXT, (&o.event, eh));
  ROW(cuIpcOpenEventHandle, "noise", MAP_FAILED_, (&o.event, no_event));
  ROW(cuIpcOpenEventHandle, "NULL", INVALID_VALUE, (NULL, eh));
}
