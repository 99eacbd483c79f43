/* SurfaceObject: kernels read and write the texels of an array by it. */
#include "memory/texture.h"
#include "memory/copy.h"

static CUresult surface_destroy(cl_Rec *r) {
  CUresult code = cl_image_settle();
  return code ? code : CU.cuSurfObjectDestroy((CUsurfObject)r->handle);
}
CL_FAMILY(CL_SURFACE, .destroy = surface_destroy, .dispose = cl_image_dispose,
          .held_back = cl_image_held_back);

static const cl_Object *check_source(lua_State *L) {
  if (!cl_to_kind(L, 1, CL_ARRAY)) cl_bad_argument(L, 1, "array", "an Array");
  const cl_Object *o = cl_check(L, 1, CL_ARRAY);
  cl_check_here(L, o->rec, "SurfaceObject");
  return o;
}

typedef struct Wanted {
  CUDA_RESOURCE_DESC source;
  CUsurfObject out;
} Wanted;

static CUresult create(void *arg) {
  Wanted *w = arg;
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuSurfObjectCreate(&w->out, &w->source);
  cl_unrelax(mode);
  return code;
}

/* surface(array) -> SurfaceObject */
int cl_surface(lua_State *L) {
  lua_settop(L, 2);
  check_source(L); /* whatever else happens, a bad argument is one */
  cl_pressure(L);
  cl_Image *i = cl_push_image(L, CL_SURFACE);
  i->source = cl_rec_retain(check_source(L)->rec); /* now: finalizers may have run before */
  Wanted w = {.source = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = (CUarray)i->source->handle}};
  CUresult code = cl_allocate(L, create, &w);
  if (code) cl_fail_memory(L, "cuSurfObjectCreate", code, 0);
  return cl_image_made(i, w.out);
}

int cl_surface_close(lua_State *L) { return cl_image_close(L, CL_SURFACE, "cuSurfObjectDestroy"); }

int cl_surface_handle(lua_State *L) { return cl_image_handle(L, CL_SURFACE); }
