/* Kernels begin their next launch with a gang of the last one, because making one (registers, shared and
 * local memory, plans) takes longer than a small launch does. All spare gangs together stay within
 * SG_SPARES_MOST bytes: beyond that, the kernels that were launched longest ago lose theirs. Callers hold the
 * driver's lock, but for the C tests, which have a machine alone; hence a lock of its own. */
#include "decode/kernel.h"
#include "machine/gang.h"

#include <pthread.h>

static struct {
  pthread_mutex_t lock;
  Gang *newest, *oldest; /* by Gang.older and Gang.newer */
  size_t bytes;
} S = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void unlink_spare(Gang *g) {
  *(g->newer ? &g->newer->older : &S.newest) = g->older;
  *(g->older ? &g->older->newer : &S.oldest) = g->newer;
  g->newer = g->older = NULL;
  g->kernel->spare = NULL;
  S.bytes -= g->bytes;
}

Gang *sg_spare_take(SgKernel *k) {
  pthread_mutex_lock(&S.lock);
  Gang *g = k->spare;
  if (g) unlink_spare(g);
  pthread_mutex_unlock(&S.lock);
  return g;
}

void sg_spare_keep(Gang *g) {
  Gang *surplus = sg_spare_take(g->kernel);
  sg_gang_free(surplus);
  pthread_mutex_lock(&S.lock);
  g->kernel->spare = g;
  g->newer = NULL;
  g->older = S.newest;
  *(S.newest ? &S.newest->newer : &S.oldest) = g;
  S.newest = g;
  S.bytes += g->bytes;
  while (S.bytes > SG_SPARES_MOST && S.oldest != g) {
    surplus = S.oldest;
    unlink_spare(surplus);
    sg_gang_free(surplus);
  }
  pthread_mutex_unlock(&S.lock);
}

size_t sg_spare_bytes(void) {
  pthread_mutex_lock(&S.lock);
  const size_t bytes = S.bytes;
  pthread_mutex_unlock(&S.lock);
  return bytes;
}
