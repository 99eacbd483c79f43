/* The per-thread twins of the calls that take a stream or imply one: the same bodies, run with a note that
 * stream 0 is the per-thread default stream. */
#include "drv.h"

#define T(of, suffix, since, parameters, arguments)                                                          \
  SG_API CUresult of##suffix parameters {                                                                    \
    static SgEntry entry = {.name = #of #suffix};                                                            \
    sg_twin = &entry;                                                                                        \
    sg_arena_caller = __builtin_return_address(0);                                                           \
    CUresult result = of arguments;                                                                          \
    sg_twin = NULL;                                                                                          \
    return result;                                                                                           \
  }
#include "twins.def"
#undef T
