/* Stream: created here, or one of the driver's two default streams. */
#include "state.h"

#include <string.h>

cl_Stream cl_legacy_stream = {.rec = {.refs = 1, .life = CL_LIVE, .kind = CL_STREAM, .handle = 1}};
cl_Stream cl_per_thread_stream = {.rec = {.refs = 1, .life = CL_LIVE, .kind = CL_STREAM, .handle = 2}};

CUresult cl_stream_destroy(cl_Rec *r) { return CU.cuStreamDestroy_v2((CUstream)r->handle); }

cl_Stream *cl_check_stream(lua_State *L, int idx, const char *what, const cl_Context *ctx) {
  cl_Stream *s;
  if (lua_isnoneornil(L, idx)) {
    s = cl_state(L)->stream;
    if (!s) return &cl_legacy_stream;
    if (!cl_rec_live(&s->rec)) cl_logic(L, "%s: the current stream was closed inside of stream:use()", what);
  } else {
    cl_Object *o = cl_to_kind(L, idx, CL_STREAM);
    if (!o) cl_bad_argument(L, idx, what, "a Stream");
    if (cl_driver.forked || !cl_rec_live(o->rec)) cl_dead(L, o);
    s = (cl_Stream *)o->rec;
  }
  if (ctx && s->rec.parent && s->rec.parent != &ctx->rec)
    cl_logic(L, "%s: the stream belongs to another context", what);
  return s;
}
