/* Every function of the driver that the software device exports, and every error that it answers with: tables
 * of rows (conformance/), each one function, one condition and the code that has to come back. The driver API
 * alone is used, so that the same program says of a GPU's driver where it differs:
 *
 *   gcc -g -D_GNU_SOURCE -w spec/c/conformance_test.c -I$CUDA_HOME/include -o conformance_test \
 *       PATH/libcuda.so.1 && ./conformance_test
 *
 * It prints a line for each row that differs. Those that begin with "unsure" are not known of GPUs and fail
 * nothing there. */
#define __CUDA_API_VERSION_INTERNAL 1
#define CUDA_ENABLE_DEPRECATED 1
#include "check.h"
#include "kernels.h"

#include <cudaProfiler.h>
#include <pthread.h>

#include "conformance/rows.h"
#include "conformance/world.h"

#include "conformance/device.h"
#include "conformance/context.h"
#include "conformance/module.h"
#include "conformance/library.h"
#include "conformance/launch.h"
#include "conformance/memory.h"
#include "conformance/copy.h"
#include "conformance/image.h"
#include "conformance/image_bounds.h"
#include "conformance/stream.h"
#include "conformance/graph.h"
#include "conformance/graph_nodes.h"
#include "conformance/capture.h"
#include "conformance/fault.h"
#include "conformance/graphics.h"
#include "conformance/peer.h"
#include "conformance/states.h"
#include "conformance/lacking.h"

/* What there is nothing for on the software device. */
static bool never_works(const char *name) {
  static const char *const names[] = {"cuArrayGetMemoryRequirements", "cuGetExportTable",
                                      "cuMipmappedArrayGetMemoryRequirements", "cuProfilerInitialize"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

/* The last group: what the others have called. */
static void coverage(void) {
  int codes = 0, pairs = 0;
  for (int i = 0; i < CODES_MOST; i++) codes += shared->codes[i];
  for (int i = 0; i < SYMBOLS; i++)
    for (int k = 0; k < CODES_MOST; k++) pairs += shared->pair[i][k];
  for (int i = 0; SOFT && i < SYMBOLS; i++) {
    judge(shared->own[i] > 0, __LINE__, "%s has no row of its own", symbols[i].name);
    judge(shared->good[i] > 0 || never_works(symbols[i].name), __LINE__, "%s has no row in which it works",
          symbols[i].name);
    judge(shared->bad[i] > 0, __LINE__, "%s has no row with an error", symbols[i].name);
    judge(shared->called[i], __LINE__, "%s was not called", symbols[i].name);
  }
  for (int i = 0; SOFT && i < TWINS; i++)
    judge(shared->twin_called[i], __LINE__, "%s was not called", twins[i].name);
  for (int i = 0; SOFT && i < OLDS; i++)
    judge(shared->old_called[i], __LINE__, "%s was not called", olds[i].name);
  printf("%d functions, %d twins and %d names of old, %d rows, %d codes, %d pairs of a function and a code; "
         "%d differ, %d of the unsure ones\n",
         SYMBOLS, TWINS, OLDS, shared->rows, codes, pairs, shared->differ, shared->unsure_differ);
}

#define GROUP(name)                                                                                          \
  static void group_##name(void) { isolate(name##_rows); }

GROUP(names)
GROUP(result)
GROUP(driver)
GROUP(device)
GROUP(context)
GROUP(old_context)
GROUP(limit)
GROUP(module)
GROUP(link)
GROUP(library)
GROUP(function)
GROUP(launch)
GROUP(old_launch)
GROUP(occupancy)
GROUP(memory)
GROUP(async)
GROUP(shared_pool)
GROUP(managed)
GROUP(host_memory)
GROUP(pointer)
GROUP(copy)
GROUP(box)
GROUP(fill)
GROUP(array)
GROUP(mipmap)
GROUP(texture)
GROUP(view)
GROUP(surface)
static void group_image_bounds(void) { isolate(image_bounds); }
GROUP(reference)
GROUP(stream)
GROUP(event)
GROUP(ipc)
GROUP(ipc_peer)
GROUP(graph)
GROUP(exec)
GROUP(node)
GROUP(node_param)
GROUP(condition)
GROUP(user_object)
GROUP(capture_call)
GROUP(capture_join)
GROUP(wild_address)
GROUP(misaligned)
GROUP(trap)
GROUP(assert)
GROUP(no_device)
GROUP(peer)
GROUP(graphics)
#ifdef FAKE_GL
GROUP(gl)
#endif
GROUP(lacking)
GROUP(before_init)
GROUP(no_context)
GROUP(dead_context)
GROUP(sticky)
GROUP(capture)
GROUP(forked)
GROUP(gone)
GROUP(callback)

static const Group groups[] = {
    {.name = "names", .run = group_names},
    {.name = "result", .run = group_result},
    {.name = "driver", .run = group_driver},
    {.name = "device", .run = group_device},
    {.name = "context", .run = group_context},
    {.name = "old_context", .run = group_old_context},
    {.name = "limit", .run = group_limit},
    {.name = "module", .run = group_module},
    {.name = "link", .run = group_link},
    {.name = "library", .run = group_library},
    {.name = "function", .run = group_function},
    {.name = "launch", .run = group_launch},
    {.name = "old_launch", .run = group_old_launch},
    {.name = "occupancy", .run = group_occupancy},
    {.name = "memory", .run = group_memory},
    {.name = "async", .run = group_async},
    {.name = "shared_pool", .run = group_shared_pool},
    {.name = "managed", .run = group_managed},
    {.name = "host_memory", .run = group_host_memory},
    {.name = "pointer", .run = group_pointer},
    {.name = "copy", .run = group_copy},
    {.name = "box", .run = group_box},
    {.name = "fill", .run = group_fill},
    {.name = "array", .run = group_array},
    {.name = "mipmap", .run = group_mipmap},
    {.name = "texture", .run = group_texture},
    {.name = "view", .run = group_view},
    {.name = "surface", .run = group_surface},
    {.name = "image_bounds", .run = group_image_bounds, .where = SOFTWARE},
    {.name = "reference", .run = group_reference},
    {.name = "stream", .run = group_stream},
    {.name = "event", .run = group_event},
    {.name = "ipc", .run = group_ipc},
    {.name = "ipc_peer", .run = group_ipc_peer},
    {.name = "graph", .run = group_graph},
    {.name = "exec", .run = group_exec},
    {.name = "node", .run = group_node},
    {.name = "node_param", .run = group_node_param},
    {.name = "condition", .run = group_condition},
    {.name = "user_object", .run = group_user_object},
    {.name = "capture_call", .run = group_capture_call},
    {.name = "capture_join", .run = group_capture_join},
    {.name = "wild_address", .run = group_wild_address},
    {.name = "misaligned", .run = group_misaligned},
    {.name = "trap", .run = group_trap},
    {.name = "assert", .run = group_assert},
    {.name = "no_device", .run = group_no_device},
    {.name = "peer", .run = group_peer},
    {.name = "graphics", .run = group_graphics},
#ifdef FAKE_GL
    {.name = "gl", .run = group_gl, .where = SOFTWARE},
#endif
    {.name = "lacking", .run = group_lacking, .where = SOFTWARE},
    {.name = "before_init", .run = group_before_init},
    {.name = "no_context", .run = group_no_context},
    {.name = "dead_context", .run = group_dead_context},
    {.name = "sticky", .run = group_sticky},
    {.name = "capture", .run = group_capture},
    {.name = "forked", .run = group_forked},
    {.name = "gone", .run = group_gone},
    {.name = "callback", .run = group_callback, .where = SOFTWARE},
    {.name = "coverage", .run = coverage},
};

int main(int argc, char **argv) {
  setenv("CUDALUA_SOFT_REPORT", "off", 0); /* faults are made on purpose */
  share();
  return RUN_GROUPS(groups, argc, argv);
}
