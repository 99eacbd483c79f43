/* The functions that the driver exports and the software device lacks: a program that links with all of them,
 * or looks all of them up when it starts, runs as long as it does not call one. */
#include "driver/drv.h"

static CUresult not_there(const char *name) {
  sg_say(CU_LOG_LEVEL_ERROR, "The software device does not support %s", name);
  return CUDA_ERROR_NOT_SUPPORTED;
}

/* Each has a C name of its own, since the header gives the exported one other parameters. Nobody reads them.
 */
#define L(symbol)                                                                                            \
  SG_API CUresult lacking_##symbol(void) __asm__(#symbol);                                                   \
  CUresult lacking_##symbol(void) {                                                                          \
    static SgEntry entry = {.name = #symbol};                                                                \
    SG_CALL_AS(&entry, SG_NEED_INIT, not_there(#symbol), "lacking");                                         \
  }
#include "driver/lacking.def"
#undef L
