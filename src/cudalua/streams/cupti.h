/* The device's own times of kernels, copies and fills, by NVIDIA's CUPTI where its library can be opened. */
#ifndef CUDALUA_CUPTI_H
#define CUDALUA_CUPTI_H

#include "base/base.h"

/* What the device did for the call with that number; several for a launched graph. */
typedef struct cl_CuptiTime {
  uint64_t number, begin, end, bytes;
} cl_CuptiTime;

/* Begins to collect, for one profile of the process; with a context current, and a stream of it for a test.
 * clock: the time that records shall have. NULL, or why it cannot be had. */
const char *cl_cupti_start(CUstream s, uint64_t (*clock)(void));
/* Around the calls of one activity, on one thread. */
void cl_cupti_push(uint64_t number);
void cl_cupti_pop(void);
/* Ends it, when the device is done. Calls `take` for each record; without it drops them. */
void cl_cupti_stop(void (*take)(void *, const cl_CuptiTime *), void *of);
uint32_t cl_cupti_version(void);

#endif
