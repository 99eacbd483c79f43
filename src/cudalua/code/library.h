/* Opening libraries that are looked for in several places. */
#ifndef CUDALUA_LIBRARY_H
#define CUDALUA_LIBRARY_H

#include "base/base.h"

#include <pthread.h>

/* Opens the library at `path`, under the lock; false: `why` says why not. */
typedef bool (*cl_OpenAt)(const char *path, char *why, size_t room);

/* Tries the paths of the list at index 1 until *open, which open_at() sets. False: nil, and what was wrong
 * with each path, a line for each, are on the stack. */
bool cl_library_open(lua_State *L, pthread_mutex_t *lock, const bool *open, cl_OpenAt open_at);

/* The file that `symbol` is in, for whose bare name others are looked for beside it; `path` where that is not
 * known. */
void cl_library_file(void *symbol, const char *path, char *file, size_t room);

#endif
