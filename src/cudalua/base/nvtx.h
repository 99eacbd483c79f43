/* Ranges for tools that read NVTX, version 3. */
#ifndef CUDALUA_NVTX_H
#define CUDALUA_NVTX_H

#include <stdint.h>

/* 0: no tool listens. Any thread may end it. */
uint64_t cl_nvtx_start(const char *name);
void cl_nvtx_end(uint64_t id);

#endif
