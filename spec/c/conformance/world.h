/* What the rows call with: a context, and one good object of every kind, with spare ones for the calls that
 * destroy. Before start() everything is NULL and 0, which is what a call before cuInit is given. */
#ifndef SPEC_CONFORMANCE_WORLD_H
#define SPEC_CONFORMANCE_WORLD_H

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* put: p[0] = v, which faults where p is nothing. */
static const char ptx[] =
    HEAD ".visible .global .align 4 .u32 cell[4];\n"
         ".visible .global .attribute(.managed) .align 4 .u32 shared_cell[4];\n"
         ".visible .global .texref tex_ref;\n.visible .global .surfref surf_ref;\n" PUT_KERNEL
         ".visible .entry none() {\n"
         "  ret;\n"
         "}\n";
static const char weak_ptx[] = HEAD ".weak .func nothing() {\n"
                                    "  ret;\n"
                                    "}\n";
static const char bad_ptx[] = HEAD ".visible .entry k() {\n  bogus.s32 7;\n  ret;\n}\n";

enum { MEM = 4096, SPARES = 8 };

static CUdevice dev;
static CUcontext ctx, other; /* other: of the same device, never current while rows run */
static CUmodule mod;
static CUfunction put, none;
static CUlibrary library;
static CUkernel kernel;  /* put of the library */
static CUstream st, cap; /* both non-blocking; cap is captured where a row says so */
static CUevent first, second, untimed, shared_event;
static CUdeviceptr mem, managed, pooled;
static CUarray flat, solid;     /* 16 bytes wide and 4 rows; 16 x 4 x 2 */
static CUmipmappedArray mipmap; /* 16 x 4, all 5 levels */
static CUtexObject texture;     /* of the flat array, with a view */
static CUsurfObject surface;    /* of the flat array */
static CUarray loose;           /* 16 x 4, for surfaces */
static CUtexref tex_ref, mem_ref,
    mip_ref;               /* of modules: bound to the flat array, memory, the mipmapped array */
static CUsurfref surf_ref; /* of the module, bound to the loose one */
static float border[4];
static void *pinned;
static unsigned char registered[MEM], host[MEM];
static CUmemoryPool standard, pool;
static CUgraph graph, same_graph; /* nodes are added to the one, not to the other */
static CUgraphNode kernel_node, empty_node, child_node;
static CUgraphExec exec;
/* A graph with a node of every kind, and what is made of it. */
static CUgraph kinds, kinds_clone, kinds_child;
static CUgraphNode kind_kernel, kind_copy, kind_fill, kind_host, kind_record, kind_wait, kind_child,
    kind_empty;
static CUgraphExec kinds_exec;
static CUDA_MEMCPY3D kind_box;
static CUgraphNodeParams empty_params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
static CUgraphNodeParams host_any = {.type = CU_GRAPH_NODE_TYPE_HOST};
static CUkernelNodeAttrValue priority_0;
static CUuserObject user; /* 100 references are the program's, 100 the graph's */
static char bus_id[64] = "0000:00:00.0", ptx_file[64] = "/nothing", dot_file[64] = "/nothing";

static CUDA_ARRAY_DESCRIPTOR flat_shape = {
    .Width = 16, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
static CUDA_ARRAY3D_DESCRIPTOR solid_shape = {
    .Width = 16, .Height = 4, .Depth = 2, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
static CUDA_ARRAY3D_DESCRIPTOR flat_3d_shape = {
    .Width = 16, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
static CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY}; /* the flat array */
static CUDA_TEXTURE_DESC sampler;
static CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_UINT_1X8, .width = 16, .height = 4};
static CUDA_MEMCPY2D box2;
static CUDA_MEMCPY3D box3;
static CUDA_MEMCPY3D_PEER box_peer;
static CUmemPoolProps pool_props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                    .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
static CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
static CUmemAccessDesc opening = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                                  .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
static CUlaunchConfig config = {
    .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
static CUDA_KERNEL_NODE_PARAMS kernel_params = {
    .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
static CUDA_MEMSET_NODE_PARAMS fill_params = {.elementSize = 1, .width = 16, .height = 1};
static CUDA_HOST_NODE_PARAMS host_params;
static CUDA_GRAPH_INSTANTIATE_PARAMS instantiate_params;
static CUmemcpyAttributes batch_attribute = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
static CUdeviceptr batch_to[2], batch_from[2];
static size_t batch_size[2] = {16, 16}, batch_at[2] = {0, 1};
static void *put_params[2];
static unsigned word = 7;
static cuuint64_t threshold;
static unsigned zero;
static const CUuuid no_table;
static CUmemPoolPtrExportData no_data;
static CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

static void nothing(void *data) { (void)data; }
static void call_back(CUstream s, CUresult r, void *data) {
  (void)s;
  (void)r;
  (void)data;
}
static void hear(void *data, CUlogLevel level, char *message, size_t length) {
  (void)data;
  (void)level;
  (void)message;
  (void)length;
}
static size_t shared_of(int threads) { return (size_t)threads * 4; }

/* --- spares: one is taken with each call --- */

#define SPARE(type, name)                                                                                    \
  static type spare_##name[SPARES];                                                                          \
  static unsigned next_##name;                                                                               \
  static type a_##name(void) { return spare_##name[next_##name++ % SPARES]; }

SPARE(CUcontext, context)
SPARE(CUmodule, module)
SPARE(CUlibrary, library)
SPARE(CUstream, stream)
SPARE(CUevent, event)
SPARE(CUdeviceptr, memory)
SPARE(CUdeviceptr, async_memory)
SPARE(void *, host_memory)
SPARE(CUarray, array)
SPARE(CUmipmappedArray, mipmap)
SPARE(CUtexObject, texture)
SPARE(CUsurfObject, surface)
SPARE(CUmemoryPool, pool)
SPARE(CUgraph, graph)
SPARE(CUgraphExec, exec)
SPARE(CUlinkState, link)
SPARE(CUlinkState, whole_link)
SPARE(CUlogsCallbackHandle, log)
SPARE(void *, registered)
SPARE(void *, plain)

static void fresh_spares(void) {
  static unsigned char pages[2 * SPARES][MEM];
  for (int i = 0; i < SPARES; i++) {
    OK(cuModuleLoadData(&spare_module[i], ptx));
    OK(cuLibraryLoadData(&spare_library[i], ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuStreamCreate(&spare_stream[i], CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&spare_event[i], 0));
    OK(cuMemAlloc_v2(&spare_memory[i], MEM));
    OK(cuMemAllocAsync(&spare_async_memory[i], MEM, st));
    OK(cuMemHostAlloc(&spare_host_memory[i], MEM, 0));
    OK(cuArrayCreate_v2(&spare_array[i], &flat_shape));
    OK(cuMipmappedArrayCreate(&spare_mipmap[i], &flat_3d_shape, 5));
    OK(cuTexObjectCreate(&spare_texture[i], &resource, &sampler, NULL));
    OK(cuSurfObjectCreate(&spare_surface[i], &resource));
    OK(cuMemPoolCreate(&spare_pool[i], &pool_props));
    OK(cuGraphCreate(&spare_graph[i], 0));
    OK(cuGraphInstantiateWithFlags(&spare_exec[i], graph, 0));
    OK(cuLinkCreate_v2(0, NULL, NULL, &spare_link[i]));
    OK(cuLinkCreate_v2(0, NULL, NULL, &spare_whole_link[i]));
    OK(cuLogsRegisterCallback(hear, NULL, &spare_log[i]));
    spare_registered[i] = pages[i];
    OK(cuMemHostRegister_v2(pages[i], MEM, 0));
    spare_plain[i] = pages[SPARES + i];
    if (i < 4) {
      CUcontext c;
      OK(cuCtxCreate_v2(&spare_context[i], 0, dev));
      OK(cuCtxPopCurrent_v2(&c));
      spare_context[i + 4] = spare_context[i];
    }
  }
  OK(cuStreamSynchronize(st));
}

static void write_ptx_file(void) {
  char path[] = "/tmp/conformanceXXXXXX";
  int fd = mkstemp(path);
  TRUE(fd >= 0 && write(fd, weak_ptx, sizeof weak_ptx - 1) == (ssize_t)sizeof weak_ptx - 1);
  if (fd >= 0) close(fd);
  memcpy(ptx_file, path, sizeof path);
  snprintf(dot_file, sizeof dot_file, "%s.dot", path);
}

static void remove_files(void) {
  unlink(ptx_file);
  unlink(dot_file);
}

/* --- */

static void start(void) {
  memset(&untouched, 0x5a, sizeof untouched);
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate_v2(&ctx, 0, dev));
}

static void start_module(void) {
  start();
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&put, mod, "put"));
  OK(cuModuleGetFunction(&none, mod, "none"));
  OK(cuStreamCreate(&st, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&cap, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc_v2(&mem, MEM));
  OK(cuMemsetD8_v2(mem, 0, MEM));
  put_params[0] = &mem;
  put_params[1] = &word;
  config.hStream = st;
  kernel_params.func = none;
  OK(cuCtxSynchronize());
}

static void start_graph(void) {
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphAddKernelNode_v2(&kernel_node, graph, NULL, 0, &kernel_params));
  OK(cuGraphAddEmptyNode(&empty_node, graph, &kernel_node, 1));
  OK(cuGraphClone(&same_graph, graph));
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphAddChildGraphNode(&child_node, graph, NULL, 0, same_graph));
  fill_params.dst = mem;
  host_params.fn = nothing;
  OK(cuUserObjectCreate(&user, NULL, nothing, 200, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  OK(cuGraphRetainUserObject(graph, user, 100, CU_GRAPH_USER_OBJECT_MOVE));
}

/* After start_graph() and start_events(). */
static void start_kinds(void) {
  kind_box = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                             .srcDevice = mem,
                             .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                             .dstDevice = mem + 2048,
                             .WidthInBytes = 64,
                             .Height = 1,
                             .Depth = 1};
  host_any.host.fn = nothing;
  OK(cuGraphCreate(&kinds_child, 0));
  OK(cuGraphAddEmptyNode(&kind_empty, kinds_child, NULL, 0));
  OK(cuGraphCreate(&kinds, 0));
  OK(cuGraphAddKernelNode_v2(&kind_kernel, kinds, NULL, 0, &kernel_params));
  OK(cuGraphAddMemcpyNode(&kind_copy, kinds, &kind_kernel, 1, &kind_box, ctx));
  OK(cuGraphAddMemsetNode(&kind_fill, kinds, &kind_copy, 1, &fill_params, ctx));
  OK(cuGraphAddHostNode(&kind_host, kinds, &kind_fill, 1, &host_params));
  OK(cuGraphAddEventRecordNode(&kind_record, kinds, &kind_host, 1, second));
  OK(cuGraphAddEventWaitNode(&kind_wait, kinds, NULL, 0, first));
  OK(cuGraphAddChildGraphNode(&kind_child, kinds, &kind_record, 1, kinds_child));
  OK(cuGraphAddEmptyNode(&kind_empty, kinds, NULL, 0));
  OK(cuGraphClone(&kinds_clone, kinds));
  OK(cuGraphInstantiateWithFlags(&kinds_exec, kinds, 0));
}

/* One to destroy. */
static CUgraphNode a_node(void) {
  CUgraphNode n = NULL;
  cuGraphAddEmptyNode(&n, kinds, NULL, 0);
  return n;
}

static void start_memory(void) {
  OK(cuMemAllocManaged(&managed, MEM, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAllocAsync(&pooled, MEM, st));
  OK(cuMemHostAlloc(&pinned, MEM, 0));
  OK(cuMemHostRegister_v2(registered, MEM, 0));
  OK(cuDeviceGetDefaultMemPool(&standard, dev));
  OK(cuMemPoolCreate(&pool, &pool_props));
  OK(cuStreamSynchronize(st));
}

static void start_copies(void) {
  OK(cuArrayCreate_v2(&flat, &flat_shape));
  OK(cuArray3DCreate_v2(&solid, &solid_shape));
  OK(cuMipmappedArrayCreate(&mipmap, &flat_3d_shape, 5));
  resource.res.array.hArray = flat;
  OK(cuTexObjectCreate(&texture, &resource, &sampler, &view));
  OK(cuSurfObjectCreate(&surface, &resource));
  CUDA_ARRAY3D_DESCRIPTOR loose_shape = flat_3d_shape;
  loose_shape.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  OK(cuArray3DCreate_v2(&loose, &loose_shape));
  OK(cuModuleGetTexRef(&tex_ref, mod, "tex_ref"));
  OK(cuModuleGetSurfRef(&surf_ref, mod, "surf_ref"));
  OK(cuTexRefSetArray(tex_ref, flat, CU_TRSA_OVERRIDE_FORMAT));
  OK(cuSurfRefSetArray(surf_ref, loose, 0));
  CUmodule with_memory, with_mipmap;
  OK(cuModuleLoadData(&with_memory, ptx));
  OK(cuModuleGetTexRef(&mem_ref, with_memory, "tex_ref"));
  OK(cuTexRefSetAddress_v2(NULL, mem_ref, mem, MEM));
  OK(cuModuleLoadData(&with_mipmap, ptx));
  OK(cuModuleGetTexRef(&mip_ref, with_mipmap, "tex_ref"));
  OK(cuTexRefSetMipmappedArray(mip_ref, mipmap, CU_TRSA_OVERRIDE_FORMAT));
  box2 = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = host,
                         .srcPitch = 16,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = mem,
                         .dstPitch = 64,
                         .WidthInBytes = 16,
                         .Height = 4};
  box3 = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                         .srcHost = host,
                         .srcPitch = 16,
                         .srcHeight = 4,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = mem,
                         .dstPitch = 64,
                         .dstHeight = 4,
                         .WidthInBytes = 16,
                         .Height = 4,
                         .Depth = 2};
  box_peer = (CUDA_MEMCPY3D_PEER){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                  .srcDevice = mem,
                                  .srcContext = ctx,
                                  .srcPitch = 64,
                                  .srcHeight = 4,
                                  .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                  .dstDevice = mem + 2048,
                                  .dstContext = ctx,
                                  .dstPitch = 64,
                                  .dstHeight = 4,
                                  .WidthInBytes = 16,
                                  .Height = 4,
                                  .Depth = 2};
  for (unsigned i = 0; i < 2; i++) {
    batch_to[i] = mem + i * 64;
    batch_from[i] = mem + 2048 + i * 64;
  }
}

static void start_events(void) {
  OK(cuEventCreate(&first, 0));
  OK(cuEventCreate(&second, 0));
  OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&shared_event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  OK(cuEventRecord(first, st));
  OK(cuEventRecord(second, st));
  OK(cuEventRecord(untimed, st));
  OK(cuStreamSynchronize(st));
}

static void start_library(void) {
  OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
  OK(cuLibraryGetKernel(&kernel, library, "put"));
}

static void start_other(void) {
  CUcontext c;
  OK(cuCtxCreate_v2(&other, 0, dev));
  OK(cuCtxPopCurrent_v2(&c));
}

/* Everything, with spare ones. */
static void start_all(void) {
  write_ptx_file();
  start_module();
  start_memory();
  start_copies();
  start_events();
  start_graph();
  start_kinds();
  start_library();
  start_other();
  fresh_spares();
  CUcontext c;
  for (int i = 0; i < 16; i++) OK(cuDevicePrimaryCtxRetain(&c, dev));
  OK(cuDeviceGetPCIBusId(bus_id, sizeof bus_id, dev));
  OK(cuFuncSetBlockShape(none, 1, 1, 1));
}

#endif
