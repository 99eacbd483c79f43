/* Stream capture: what cannot be captured, what breaks a capture, and how one ends. The stream `cap` is
 * captured anew for each call; blocking ones have the default stream wait for them. */

static CUstream blocking; /* unlike cap */

static void begin_in(CUstream s, CUstreamCaptureMode mode) { MUST(cuStreamBeginCapture_v2(s, mode)); }

/* Ends it. What it answers: 0, 901 and so on. */
static int ended(CUstream s) {
  CUgraph g = NULL;
  CUresult r = cuStreamEndCapture(s, &g);
  if (!r) cuGraphDestroy(g);
  return (int)r;
}

static void row_ends(Row *r, CUstream s, int want) {
  int got = ended(s);
  if (got != want) row_differs(r, "got %d, and the end of the capture expected %d got %d", r->got, want, got);
}

#define GLOBAL CU_STREAM_CAPTURE_MODE_GLOBAL
#define RELAXED CU_STREAM_CAPTURE_MODE_RELAXED
/* A call while s is captured; `end` is what the end of the capture then answers. */
#define DURING(function, condition, want, s, mode, args, end)                                                \
  WITH(function, condition, want, begin_in(s, mode), args, row_ends(&row_, s, end))

static void capture_call_rows(void) {
  CUevent old;
  CUgraph g = NULL;
  start_module();
  start_memory();
  start_copies();
  start_graph();
  start_events();
  OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  OK(cuEventCreate(&old, 0));
  enum { FINE = 0, BROKEN = STREAM_CAPTURE_INVALIDATED };
  /* In the captured stream itself. */
  DURING(cuLaunchKernel, "captured", SUCCESS, cap, GLOBAL, (none, 1, 1, 1, 1, 1, 1, 0, cap, NULL, NULL),
         FINE);
  DURING(cuLaunchKernel, "captured, grid 0", INVALID_VALUE, cap, GLOBAL,
         (none, 0, 1, 1, 1, 1, 1, 0, cap, NULL, NULL), BROKEN);
  DURING(cuLaunchKernel, "captured, block 2000", INVALID_VALUE, cap, GLOBAL,
         (none, 1, 1, 1, 2000, 1, 1, 0, cap, NULL, NULL), BROKEN);
  DURING(cuLaunchKernel, "captured, no function", INVALID_HANDLE, cap, GLOBAL,
         (NULL, 1, 1, 1, 1, 1, 1, 0, cap, NULL, NULL), FINE);
  DURING(cuLaunchKernel, "captured, no parameters", INVALID_VALUE, cap, GLOBAL,
         (put, 1, 1, 1, 1, 1, 1, 0, cap, NULL, NULL), FINE);
  DURING(cuLaunchCooperativeKernel, "captured", SUCCESS, cap, GLOBAL, (none, 1, 1, 1, 1, 1, 1, 0, cap, NULL),
         FINE);
  DURING(cuLaunchHostFunc, "captured", SUCCESS, cap, GLOBAL, (cap, nothing, NULL), FINE);
  DURING(cuLaunchHostFunc, "captured, no function", INVALID_VALUE, cap, GLOBAL, (cap, NULL, NULL), FINE);
  DURING(cuStreamAddCallback, "captured", STREAM_CAPTURE_UNSUPPORTED, cap, GLOBAL, (cap, call_back, NULL, 0),
         BROKEN);
  DURING(cuMemcpyHtoDAsync_v2, "captured", SUCCESS, cap, GLOBAL, (mem, host, 16, cap), FINE);
  DURING(cuMemcpyHtoDAsync_v2, "captured, past the end", INVALID_VALUE, cap, GLOBAL,
         (mem + 1, host, MEM, cap), FINE);
  DURING(cuMemcpyDtoHAsync_v2, "captured", SUCCESS, cap, GLOBAL, (host, mem, 16, cap), FINE);
  DURING(cuMemcpyDtoDAsync_v2, "captured", SUCCESS, cap, GLOBAL, (mem, mem + 64, 16, cap), FINE);
  DURING(cuMemcpyAsync, "captured", SUCCESS, cap, GLOBAL, (mem, mem + 64, 16, cap), FINE);
  DURING(cuMemcpy2DAsync_v2, "captured", SUCCESS, cap, GLOBAL, (&box2, cap), FINE);
  DURING(cuMemcpy3DAsync_v2, "captured", SUCCESS, cap, GLOBAL, (&box3, cap), FINE);
  DURING(cuMemsetD8Async, "captured", SUCCESS, cap, GLOBAL, (mem, 1, 16, cap), FINE);
  DURING(cuMemsetD32Async, "captured, misaligned", INVALID_VALUE, cap, GLOBAL, (mem + 2, 1, 4, cap), FINE);
  DURING(cuMemsetD2D8Async, "captured", SUCCESS, cap, GLOBAL, (mem, 64, 1, 16, 4, cap), FINE);
  DURING(cuEventRecord, "captured", SUCCESS, cap, GLOBAL, (old, cap), FINE);
  DURING(cuEventRecordWithFlags, "captured, external", SUCCESS, cap, GLOBAL,
         (old, cap, CU_EVENT_RECORD_EXTERNAL), FINE);
  OK(cuEventRecord(old, st));
  OK(cuStreamSynchronize(st));
  DURING(cuStreamWaitEvent, "captured, an event from outside", STREAM_CAPTURE_ISOLATION, cap, GLOBAL,
         (cap, first, 0), BROKEN);
  DURING(cuStreamWaitEvent, "captured, external", SUCCESS, cap, GLOBAL, (cap, first, CU_EVENT_WAIT_EXTERNAL),
         FINE);
  DURING(cuStreamSynchronize, "captured", STREAM_CAPTURE_UNSUPPORTED, cap, RELAXED, (cap), BROKEN);
  DURING(cuStreamQuery, "captured", STREAM_CAPTURE_UNSUPPORTED, cap, RELAXED, (cap), BROKEN);
  DURING(cuCtxSynchronize, "a stream is captured", STREAM_CAPTURE_UNSUPPORTED, cap, RELAXED, (), BROKEN);
  DURING(cuGraphLaunch, "captured", STREAM_CAPTURE_UNSUPPORTED, cap, RELAXED, (exec, cap), BROKEN);
  DURING(cuGraphUpload, "captured", STREAM_CAPTURE_UNSUPPORTED, cap, RELAXED, (exec, cap), BROKEN);
  DURING(cuMemAllocAsync, "captured", SOFTWARE_ONLY(STREAM_CAPTURE_UNSUPPORTED), cap, RELAXED,
         (&o.ptr, 16, cap), BROKEN);
  DURING(cuMemFreeAsync, "captured", SOFTWARE_ONLY(STREAM_CAPTURE_UNSUPPORTED), cap, RELAXED, (pooled, cap),
         BROKEN);
  DURING(cuStreamGetFlags, "captured", STREAM_CAPTURE_UNSUPPORTED, cap, GLOBAL, (cap, &o.u), BROKEN);
  DURING(cuStreamGetId, "captured", STREAM_CAPTURE_UNSUPPORTED, cap, GLOBAL, (cap, &o.number), BROKEN);
  DURING(cuStreamGetDevice, "captured", STREAM_CAPTURE_UNSUPPORTED, cap, GLOBAL, (cap, &o.dev), BROKEN);
  DURING(cuStreamGetPriority, "captured", SUCCESS, cap, GLOBAL, (cap, &o.i), FINE);
  DURING(cuStreamGetCtx, "captured", SUCCESS, cap, GLOBAL, (cap, &o.ctx), FINE);
  DURING(cuStreamIsCapturing, "captured", SUCCESS, cap, GLOBAL, (cap, &o.status), FINE);
  DURING(cuStreamGetCaptureInfo_v2, "captured", SUCCESS, cap, GLOBAL,
         (cap, &o.status, &o.id, &o.graph, &o.dependencies, &o.size), FINE);
  DURING(cuStreamGetCaptureInfo_v3, "captured", SUCCESS, cap, GLOBAL,
         (cap, &o.status, &o.id, &o.graph, &o.dependencies, &o.edges, &o.size), FINE);
  DURING(cuStreamGetCaptureInfo_v3, "edges without nodes", SPOILS(INVALID_VALUE), cap, GLOBAL,
         (cap, &o.status, NULL, NULL, NULL, &o.edges, NULL), FINE);
  ROW(cuStreamGetCaptureInfo_v2, "no status wanted", INVALID_VALUE,
      (cap, NULL, &o.id, &o.graph, &o.dependencies, &o.size));
  ROW(cuStreamGetCaptureInfo_v3, "no status wanted", INVALID_VALUE,
      (cap, NULL, &o.id, &o.graph, &o.dependencies, &o.edges, &o.size));
  ROW(cuStreamIsCapturing, "no status wanted", INVALID_VALUE, (cap, NULL));
  /* The default stream beside a captured stream that it would wait for. */
#define IMPLICIT(function, args)                                                                             \
  DURING(function, "a blocking stream is captured", PLAIN(STREAM_CAPTURE_IMPLICIT), blocking, RELAXED, args, \
         BROKEN)
  IMPLICIT(cuMemcpyHtoD_v2, (mem, host, 16));
  IMPLICIT(cuMemcpyDtoH_v2, (host, mem, 16));
  IMPLICIT(cuMemcpy, (mem, mem + 64, 16));
  IMPLICIT(cuMemcpyPeer, (mem, ctx, mem + 64, ctx, 16));
  IMPLICIT(cuMemcpy2D_v2, (&box2));
  IMPLICIT(cuMemcpy3DPeer, (&box_peer));
  IMPLICIT(cuMemcpyHtoA_v2, (flat, 0, host, 16));
  IMPLICIT(cuMemcpyAtoH_v2, (host, flat, 0, 16));
  IMPLICIT(cuMemsetD8_v2, (mem, 1, 16));
  IMPLICIT(cuMemsetD32Async, (mem, 1, 4, NULL));
  IMPLICIT(cuLaunchKernel, (none, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  IMPLICIT(cuStreamSynchronize, (NULL));
  IMPLICIT(cuStreamGetFlags, (NULL, &o.u));
  IMPLICIT(cuStreamGetPriority, (NULL, &o.i));
  IMPLICIT(cuStreamGetCtx, (NULL, &o.ctx));
  IMPLICIT(cuStreamGetId, (NULL, &o.number));
  DURING(cuStreamIsCapturing, "a blocking stream is captured", PLAIN(STREAM_CAPTURE_IMPLICIT), blocking,
         RELAXED, (NULL, &o.status), FINE);
  DURING(cuStreamGetCaptureInfo_v3, "a blocking stream is captured", PLAIN(STREAM_CAPTURE_IMPLICIT), blocking,
         RELAXED, (NULL, &o.status, NULL, NULL, NULL, NULL, NULL), FINE);
  /* In a capture that is broken. */
#define BREAK (begin_in(cap, RELAXED), (void)cuStreamQuery(cap))
#define AFTER(function, want, args)                                                                          \
  WITH(function, "the capture is broken", want, BREAK, args, row_ends(&row_, cap, BROKEN))
  AFTER(cuLaunchKernel, STREAM_CAPTURE_INVALIDATED, (none, 1, 1, 1, 1, 1, 1, 0, cap, NULL, NULL));
  AFTER(cuMemsetD32Async, STREAM_CAPTURE_INVALIDATED, (mem, 1, 4, cap));
  AFTER(cuEventRecord, STREAM_CAPTURE_INVALIDATED, (untimed, cap));
  AFTER(cuStreamWaitEvent, STREAM_CAPTURE_INVALIDATED, (cap, first, 0));
  AFTER(cuStreamIsCapturing, SUCCESS, (cap, &o.status));
  AFTER(cuStreamGetPriority, STREAM_CAPTURE_INVALIDATED, (cap, &o.i));
  AFTER(cuStreamGetCtx, STREAM_CAPTURE_INVALIDATED, (cap, &o.ctx));
  /* Beginning and ending. */
  WITH(cuStreamBeginCapture_v2, "good", SUCCESS, (void)0, (cap, GLOBAL), row_ends(&row_, cap, FINE));
  WITH(cuStreamBeginCapture_v2, "the thread's stream", SUCCESS, (void)0, (CU_STREAM_PER_THREAD, GLOBAL),
       row_ends(&row_, CU_STREAM_PER_THREAD, FINE));
  ROW(cuStreamBeginCapture_v2, "the default stream", PLAIN(STREAM_CAPTURE_UNSUPPORTED), (NULL, GLOBAL));
  ROW(cuStreamBeginCapture_v2, "the legacy stream", STREAM_CAPTURE_UNSUPPORTED, (CU_STREAM_LEGACY, RELAXED));
  ROW(cuStreamBeginCapture_v2, "mode 3", INVALID_VALUE, (cap, (CUstreamCaptureMode)3));
  ROW(cuStreamBeginCapture_v2, "mode -1", INVALID_VALUE, (cap, (CUstreamCaptureMode)-1));
  DURING(cuStreamBeginCapture_v2, "begun already", ILLEGAL_STATE, cap, GLOBAL, (cap, GLOBAL), FINE);
  WITH(cuStreamEndCapture, "good", SUCCESS, begin_in(cap, GLOBAL), (cap, &o.graph),
       if (WORKED) MUST(cuGraphDestroy(o.graph)));
  WITH(cuStreamEndCapture, "broken", WRITES(STREAM_CAPTURE_INVALIDATED), BREAK, (cap, &o.graph),
       HOLDS(o.graph == NULL));
  ROW(cuStreamEndCapture, "not begun", SPOILS(ILLEGAL_STATE), (cap, &o.graph));
  ROW(cuStreamEndCapture, "the default stream", SPOILS(ILLEGAL_STATE), (NULL, &o.graph));
  WITH(cuStreamEndCapture, "no graph wanted", SUCCESS, begin_in(cap, GLOBAL), (cap, NULL), (void)0);
  DURING(cuGraphDestroy, "the capture's", ILLEGAL_STATE, cap, GLOBAL,
         ((cuStreamGetCaptureInfo_v2(cap, &o.status, NULL, &g, NULL, NULL), memcpy(&o, &untouched, sizeof o),
           g)),
         FINE);
}

static void *end_elsewhere(void *arg) {
  CUgraph g = NULL;
  OK(cuCtxSetCurrent(ctx));
  *(CUresult *)arg = cuStreamEndCapture(cap, &g);
  return NULL;
}

/* Captures of two streams, and threads. */
static void capture_join_rows(void) {
  CUevent e;
  CUgraph g = NULL;
  pthread_t t;
  CUresult elsewhere = CUDA_SUCCESS;
  start_module();
  OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
#define FORK                                                                                                 \
  (begin_in(cap, RELAXED), MUST(cuEventRecord(e, cap)), MUST(cuStreamWaitEvent(st, e, 0)),                   \
   MUST(cuLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, st, NULL, NULL)))
  WITH(cuStreamEndCapture, "a stream that joined", WRITES(STREAM_CAPTURE_UNMATCHED), FORK, (st, &o.graph),
       row_ends(&row_, cap, STREAM_CAPTURE_INVALIDATED));
  WITH(cuStreamEndCapture, "a stream is not joined", WRITES(STREAM_CAPTURE_UNJOINED), FORK, (cap, &o.graph),
       HOLDS(true));
  WITH(cuStreamBeginCapture_v2, "of a stream that joined", ILLEGAL_STATE, FORK, (st, RELAXED),
       (MUST(cuEventRecord(e, st)), MUST(cuStreamWaitEvent(cap, e, 0)), row_ends(&row_, cap, 0)));
  WITH(cuStreamWaitEvent, "another capture's event", STREAM_CAPTURE_MERGE,
       (begin_in(cap, RELAXED), begin_in(st, RELAXED), MUST(cuEventRecord(e, cap))), (st, e, 0),
       (row_ends(&row_, st, STREAM_CAPTURE_INVALIDATED), row_ends(&row_, cap, STREAM_CAPTURE_INVALIDATED)));
#define RECORDED (begin_in(cap, RELAXED), MUST(cuEventRecord(e, cap)))
  WITH(cuEventQuery, "an event of a capture", CAPTURED_EVENT, RECORDED, (e),
       row_ends(&row_, cap, STREAM_CAPTURE_INVALIDATED));
  WITH(cuEventSynchronize, "an event of a capture", CAPTURED_EVENT, RECORDED, (e),
       row_ends(&row_, cap, STREAM_CAPTURE_INVALIDATED));
  start_events();
  WITH(cuEventElapsedTime, "an event of a capture", CAPTURED_EVENT,
       (begin_in(cap, RELAXED), MUST(cuEventRecord(second, cap))), (&o.ms, first, second),
       row_ends(&row_, cap, 0));
  WITH(cuStreamWaitEvent, "the default stream, a capture's event", PLAIN(STREAM_CAPTURE_IMPLICIT), RECORDED,
       (NULL, e, 0), row_ends(&row_, cap, STREAM_CAPTURE_INVALIDATED));
  RECORDED;
  EQ(ended(cap), 0);
  ROW(cuEventQuery, "an event of a capture that has ended", INVALID_VALUE, (e));
  ROW(cuEventSynchronize, "an event of a capture that has ended", INVALID_VALUE, (e));
  ROW(cuStreamWaitEvent, "an event of a capture that has ended", INVALID_VALUE, (st, e, 0));
  WITH(cuStreamWaitEvent, "in a capture, an event of one that has ended", INVALID_VALUE,
       begin_in(cap, RELAXED), (cap, e, 0), row_ends(&row_, cap, STREAM_CAPTURE_INVALIDATED));
  begin_in(cap, GLOBAL);
  pthread_create(&t, NULL, end_elsewhere, &elsewhere);
  pthread_join(t, NULL);
  EQ(elsewhere, STREAM_CAPTURE_WRONG_THREAD);
  ROW(cuStreamEndCapture, "ended by another thread", ILLEGAL_STATE, (cap, &g));
  CUstreamCaptureMode mode = GLOBAL;
  WITH(cuThreadExchangeStreamCaptureMode, "good", SUCCESS, mode = GLOBAL, (&mode), HOLDS(mode == GLOBAL));
  WITH(cuThreadExchangeStreamCaptureMode, "mode 3", SOFTWARE_ONLY(INVALID_VALUE),
       mode = (CUstreamCaptureMode)3, (&mode), (void)0);
  ROW(cuThreadExchangeStreamCaptureMode, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL));
}
