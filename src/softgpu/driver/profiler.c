/* The profiler's switches. There is no profiler; starting and stopping one works all the same, as on a GPU.
 */
#include "driver/drv.h"

#include <cudaProfiler.h>

SG_API CUresult cuProfilerStart(void) { SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, CUDA_SUCCESS, "%s", ""); }

SG_API CUresult cuProfilerStop(void) { SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, CUDA_SUCCESS, "%s", ""); }

SG_API CUresult cuProfilerInitialize(const char *configFile, const char *outputFile,
                                     CUoutput_mode outputMode) {
  SG_CALL(SG_NEED_INIT, CUDA_ERROR_NOT_SUPPORTED, "config=%s output=%s mode=%d", SG_S(configFile),
          SG_S(outputFile), (int)outputMode);
}
