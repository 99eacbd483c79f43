/* The switches of a profiler that this program runs under. */
#include "streams/capture.h"
#include "base/base.h"

/* start_profiler() */
int cl_start_profiler(lua_State *L) {
  cl_current(L);
  CL_TRY_RELAXED(L, cuProfilerStart);
  return 0;
}

/* stop_profiler() */
int cl_stop_profiler(lua_State *L) {
  CL_TRY_RELAXED(L, cuProfilerStop);
  return 0;
}

/* initialize_profiler(config_file, output_file, output_mode): an old profiler's, which newer drivers are
 * without. */
int cl_initialize_profiler(lua_State *L) {
  const char *config = cl_check_name(L, 1, "config_file"), *output = cl_check_name(L, 2, "output_file");
  CUoutput_mode mode = (CUoutput_mode)cl_check_enum(L, 3, "output_mode", "profiler_output_mode");
  CUresult code = CU.cuProfilerInitialize(config, output, mode);
  if (code == CUDA_SUCCESS) return 0;
  bool gone = code == CL_MISSING || code == CUDA_ERROR_NOT_SUPPORTED;
  cl_fail_new(L, "cuProfilerInitialize", gone ? CUDA_ERROR_NOT_SUPPORTED : code);
  if (gone) {
    lua_pushliteral(L,
                    "run the program under Nsight Systems (nsys) or Nsight Compute (ncu), and choose what is "
                    "profiled by start_profiler() and stop_profiler()");
    lua_setfield(L, -2, "hint");
  }
  return cl_throw(L);
}
