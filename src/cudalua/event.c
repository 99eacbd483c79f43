/* Event. */
#include "memory.h"

CUresult cl_event_destroy(cl_Rec *r) { return CU.cuEventDestroy_v2((CUevent)r->handle); }

void cl_event_discard(const cl_Context *c, CUevent event) {
  if (!cl_driver.forked && c->rec.life == CL_LIVE && !cl_driver.poison[c->device])
    CU.cuEventDestroy_v2(event);
}
