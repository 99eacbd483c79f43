/* Handles of other libraries: an object of theirs that lives in a context of ours. What destroys it is a C
 * function of that library. It is called once, from the queue or by close(), while the context lives, and
 * never in a fork. */
#include "streams/context.h"

#include <string.h>

/* What the C function takes, and whether it returns a status (0: done). */
typedef enum Form { POINTER, INT, VOID } Form;
static const char *const forms[] = {"pointer", "int", "void", NULL};

typedef struct Borrowed {
  cl_Rec rec; /* handle: what the library calls it */
  uintptr_t destroy;
  Form form;
  int status; /* what `destroy` returned */
} Borrowed;

typedef int (*DestroyPointer)(void *);
typedef int (*DestroyInt)(int);
typedef void (*Release)(void *);

static CUresult borrowed_destroy(cl_Rec *r) {
  Borrowed *b = (Borrowed *)r;
  switch (b->form) {
  case POINTER: b->status = ((DestroyPointer)b->destroy)((void *)(uintptr_t)r->handle); break;
  case INT: b->status = ((DestroyInt)b->destroy)((int)r->handle); break;
  case VOID: ((Release)b->destroy)((void *)(uintptr_t)r->handle); break;
  }
  return b->status ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS; /* of finalizers it is counted */
}
CL_FAMILY(CL_BORROWED, .destroy = borrowed_destroy);

static Form check_form(lua_State *L, int idx) {
  const char *name = cl_check_name(L, idx, "form");
  for (int i = 0; forms[i]; i++)
    if (!strcmp(forms[i], name)) return (Form)i;
  cl_bad_argument(L, idx, "form", "\"pointer\", \"int\" or \"void\"");
}

/* borrowed(handle, destroy, form) -> LibraryHandle in the current context. `destroy` is the address of a C
 * function: form "pointer", int f(void *); "int", int f(int); "void", void f(void *). */
int cl_borrowed(lua_State *L) {
  const uint64_t handle = cl_check_bytes(L, 1, "handle"), destroy = cl_check_bytes(L, 2, "destroy");
  const Form form = check_form(L, 3);
  if (!destroy) cl_bad_argument(L, 2, "destroy", "the address of a C function");
  if (form == INT && handle > INT32_MAX) cl_bad_argument(L, 1, "handle", "an int");
  cl_queue_check(L);
  Borrowed *b = cl_push_in_current(L, CL_BORROWED, sizeof(cl_Object), sizeof *b);
  b->destroy = (uintptr_t)destroy;
  b->form = form;
  b->rec.handle = handle;
  b->rec.life = CL_LIVE;
  return 1;
}

/* handle:close(): destroys it now; what waits for running work waits. */
int cl_borrowed_close(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_BORROWED);
  const Borrowed *b = (const Borrowed *)o->rec;
  const CUresult code = cl_rec_close_here(L, o->rec);
  if (!code) return 0;
  cl_log_clear();
  cl_error_new(L, CL_RUNTIME_ERROR, "the library could not destroy this handle: status %d", b->status);
  cl_throw(L);
}

int cl_borrowed_handle(lua_State *L) { return cl_handle_method(L, CL_BORROWED); }
