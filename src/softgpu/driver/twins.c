/* Second names of calls: the per-thread twins of those that take a stream or imply one, and the names of old.
 * Each runs the body of the other name, which logs under this one. */
#include "driver/gl.h"

#define CALL(symbol, of, arguments, zero_is_per_thread)                                                      \
  static SgEntry entry = {.name = #symbol, .current = #of, .per_thread = zero_is_per_thread};                \
  sg_alias = &entry;                                                                                         \
  sg_arena_caller = __builtin_return_address(0);                                                             \
  CUresult result = of arguments;                                                                            \
  sg_alias = NULL;                                                                                           \
  return result

#define T(of, suffix, since, parameters, arguments)                                                          \
  SG_API CUresult of##suffix parameters { CALL(of##suffix, of, arguments, true); }
#include "driver/twins.def"
#undef T

#define O(symbol, since, of, parameters, arguments)                                                          \
  SG_API CUresult symbol parameters { CALL(symbol, of, arguments, false); }
#include "driver/old.def"
#undef O
