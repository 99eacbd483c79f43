/* One copy of each text that is kept beyond a call: names of kernels, places in the program. */
#include "base/base.h"
#include "base/lock.h"

#include <search.h>
#include <string.h>

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

CL_LOCK(intern_lock);

const char *cl_intern(const char *name) {
  static void *tree;
  pthread_mutex_lock(&intern_lock);
  char **node = tfind(name, &tree, by_name);
  if (!node) {
    char *copy = strdup(name);
    node = copy ? tsearch(copy, &tree, by_name) : NULL;
  }
  pthread_mutex_unlock(&intern_lock);
  return node ? *node : "?";
}
