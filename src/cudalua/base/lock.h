/* The locks of this process. A fork has no thread but its first one; what another one held there would be
 * held for ever, so every lock is made anew. */
#ifndef CUDALUA_LOCK_H
#define CUDALUA_LOCK_H

#include <pthread.h>

/* At file scope: in a fork, `renew` is evaluated. `name` tells it from others of the file. */
#define CL_IN_FORK(name, renew)                                                                              \
  static void name##_renew(void) { renew; }                                                                  \
  __attribute__((constructor)) static void name##_register(void) {                                           \
    pthread_atfork(NULL, NULL, name##_renew);                                                                \
  }                                                                                                          \
  static void name##_renew(void)

#define CL_LOCK(name)                                                                                        \
  static pthread_mutex_t name;                                                                               \
  CL_IN_FORK(name, pthread_mutex_init(&name, NULL));                                                         \
  static pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER

#endif
