/* Threads that help to run a grid. They are started when they are first needed, and stay until the library
 * goes. */
#ifndef SOFTGPU_WORKERS_H
#define SOFTGPU_WORKERS_H

#include <stdbool.h>

/* How many threads of this process can run at a time: CPUs that the calling thread may use, within reason. */
unsigned sg_workers_usable(void);

/* Calls f(arg, false) on the calling thread, and meanwhile f(arg, true) on up to `helpers` others; back when
 * all have come back. A helper that has not begun when the calling thread is done is not waited for. */
void sg_workers_run(unsigned helpers, void (*f)(void *arg, bool helps), void *arg);

#endif
