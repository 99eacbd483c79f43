/* Texture and surface references: .texref and .surfref variables of a module, as compilers before CUDA 12
 * made them. A reference is a description that the program changes. Before the next launch of a kernel of its
 * module a texture or surface is made of it, whose number goes into the variable's 8 bytes, where the kernel
 * reads it.
 *
 * What is bound when a launch is called is what it reads: if a reference has changed, queued work runs before
 * the variable does. */
#include "driver/format.h"

#include <stdlib.h>
#include <string.h>

typedef struct Reference {
  SgObject o;
  SgRefs *refs;
  const SgAlloc *variable;
  bool surface, bound, changed;
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
  CUarray_format format; /* of memory */
  int channels;
  SgObject *image; /* what the variable has the number of, or NULL */
  struct Reference *next;
} Reference;

struct SgRefs {
  SgContext *ctx;
  Reference *first;
};

#define REFUSE(...) return sg_say(CU_LOG_LEVEL_ERROR, __VA_ARGS__), CUDA_ERROR_INVALID_VALUE

/* --- those of a module --- */

static void let_go(Reference *r, bool orphan) {
  if (r->image) sg_image_free(r->image, orphan);
  r->image = NULL;
}

void sg_refs_free(SgRefs *refs, bool orphan) {
  if (!refs) return;
  for (Reference *r = refs->first, *next; r; r = next) {
    next = r->next;
    let_go(r, orphan);
    sg_handle_free(&r->o, orphan);
    free(r);
  }
  free(refs);
}

static CUresult bind(Reference *r) {
  CUresult code;
  let_go(r, false);
  r->image = sg_image_part(r->refs->ctx, &r->resource, r->surface ? NULL : &r->texture, &code);
  if (!r->image) return code;
  const uint64_t number = sg_image_number(r->image);
  memcpy((void *)(uintptr_t)r->variable->base, &number, sizeof number);
  r->changed = false;
  return CUDA_SUCCESS;
}

bool sg_refs_changed(const SgRefs *refs) {
  for (const Reference *r = refs ? refs->first : NULL; r; r = r->next)
    if (r->bound && r->changed) return true;
  return false;
}

CUresult sg_refs_bind(SgRefs *refs) {
  for (Reference *r = refs ? refs->first : NULL; r; r = r->next) {
    const CUresult code = r->bound && r->changed ? bind(r) : CUDA_SUCCESS;
    if (code) return code;
  }
  return CUDA_SUCCESS;
}

static Reference *find(const SgRefs *refs, const SgAlloc *variable) {
  Reference *r = refs->first;
  while (r && r->variable != variable) r = r->next;
  return r;
}

static Reference *reference_new(SgRefs *refs, const SgAlloc *variable, bool surface) {
  Reference *r = calloc(1, sizeof *r);
  if (!r || !sg_handle_new(SG_H_REFERENCE, &r->o, refs->ctx)) {
    free(r);
    return NULL;
  }
  r->refs = refs;
  r->variable = variable;
  r->surface = surface;
  for (int i = 0; i < 3; i++) r->texture.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
  r->format = CU_AD_FORMAT_FLOAT;
  r->channels = 1;
  r->next = refs->first;
  return refs->first = r;
}

/* The same reference each time. */
static CUresult get(void **out, CUmodule h, const char *name, bool surface) {
  CUresult code;
  if (!out || !name || !*name) return CUDA_ERROR_INVALID_VALUE;
  SgDrvModule *m = sg_module_get(h, &code);
  if (!m) return code;
  const SgReference kind = surface ? SG_SURFACE_REFERENCE : SG_TEXTURE_REFERENCE;
  const SgAlloc *variable = sg_module_reference(sg_module_code(m), name, kind);
  if (!variable) return CUDA_ERROR_NOT_FOUND;
  SgRefs **refs = sg_module_refs(m);
  if (!*refs) {
    *refs = calloc(1, sizeof **refs);
    if (!*refs) return CUDA_ERROR_OUT_OF_MEMORY;
    (*refs)->ctx = sg_module_context(m);
  }
  Reference *r = find(*refs, variable);
  if (!r) r = reference_new(*refs, variable, surface);
  if (!r) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = r->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name) {
  SG_CALL(SG_NEED_HEALTH, get((void **)pTexRef, hmod, name, false), "reference=0x%llx module=0x%llx name=%s",
          SG_OUT(pTexRef), SG_X(hmod), SG_S(name));
}

SG_API CUresult cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name) {
  SG_CALL(SG_NEED_HEALTH, get((void **)pSurfRef, hmod, name, true), "reference=0x%llx module=0x%llx name=%s",
          SG_OUT(pSurfRef), SG_X(hmod), SG_S(name));
}

static Reference *reference_of(const void *handle, bool surface, CUresult *code) {
  Reference *r = sg_handle_get(SG_H_REFERENCE, handle, code);
  if (!r || r->surface == surface) return r;
  *code = CUDA_ERROR_INVALID_HANDLE;
  return NULL;
}

/* The body of a call about one: `what` of it, and that it has changed. */
#define SET(ref, surface, what)                                                                              \
  CUresult code_;                                                                                            \
  Reference *r = reference_of(ref, surface, &code_);                                                         \
  if (!r) return code_;                                                                                      \
  what;                                                                                                      \
  r->changed = true;                                                                                         \
  return CUDA_SUCCESS
#define GET(ref, surface, good, what)                                                                        \
  CUresult code_;                                                                                            \
  if (!(good)) return CUDA_ERROR_INVALID_VALUE;                                                              \
  const Reference *r = reference_of(ref, surface, &code_);                                                   \
  if (!r) return code_;                                                                                      \
  what;                                                                                                      \
  return CUDA_SUCCESS

/* --- what is bound --- */

/* The header asks for CU_TRSA_OVERRIDE_FORMAT. An H200's driver, 580, takes 0 as well, which means the same
 * here: the array's format is read. */
static CUresult check_bind_flags(unsigned flags) {
  if (flags & ~(unsigned)CU_TRSA_OVERRIDE_FORMAT)
    REFUSE("A texture reference is bound to an array with flags 0x%x: only CU_TRSA_OVERRIDE_FORMAT is known",
           flags);
  return CUDA_SUCCESS;
}

static CUresult set_array(CUtexref ref, CUarray array, unsigned flags) {
  CUresult known = check_bind_flags(flags);
  if (known) return known;
  CUresult code;
  if (!sg_handle_get(SG_H_ARRAY, array, &code)) return code;
  SET(ref, false,
      (r->bound = true,
       r->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array = {array}}));
}

SG_API CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
  SG_CALL(SG_NEED_HEALTH, set_array(hTexRef, hArray, Flags), "reference=0x%llx array=0x%llx flags=0x%x",
          SG_X(hTexRef), SG_X(hArray), Flags);
}

static CUresult set_mipmap(CUtexref ref, CUmipmappedArray array, unsigned flags) {
  CUresult known = check_bind_flags(flags);
  if (known) return known;
  CUresult code;
  if (!sg_handle_get(SG_H_MIPMAP, array, &code)) return code;
  SET(ref, false,
      (r->bound = true, r->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                                                           .res.mipmap = {array}}));
}

SG_API CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                          unsigned int Flags) {
  SG_CALL(SG_NEED_HEALTH, set_mipmap(hTexRef, hMipmappedArray, Flags),
          "reference=0x%llx mipmap=0x%llx flags=0x%x", SG_X(hTexRef), SG_X(hMipmappedArray), Flags);
}

/* Memory is bound from an aligned address on, and the program adds the rest to its indices. */
static CUresult set_address(size_t *offset, CUtexref ref, CUdeviceptr p, size_t bytes) {
  const size_t rest = p % SG_TEXTURE_ALIGN;
  if (rest && !offset)
    REFUSE("A texture reference is bound to memory at 0x%llx, no multiple of %d, and the program ignores the "
           "offset",
           p, SG_TEXTURE_ALIGN);
  if (!sg_arena_find(p))
    REFUSE("A texture reference is bound to memory at 0x%llx: this is not device memory", p);
  CUresult code;
  Reference *r = reference_of(ref, false, &code);
  if (!r) return code;
  r->bound = r->changed = true;
  r->resource =
      (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR,
                           .res.linear = {p - rest, r->format, (unsigned)r->channels, bytes + rest}};
  if (offset) *offset = rest;
  return CUDA_SUCCESS;
}

SG_API CUresult cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes) {
  SG_CALL(SG_NEED_HEALTH, set_address(ByteOffset, hTexRef, dptr, bytes),
          "reference=0x%llx ptr=0x%llx bytes=%zu", SG_X(hTexRef), dptr, bytes);
}

static CUresult set_address_2d(CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr p, size_t pitch) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  if (p % SG_TEXTURE_ALIGN || !sg_arena_find(p))
    REFUSE("A texture reference is bound to rows at 0x%llx: it has to be memory of a device, at a multiple "
           "of %d",
           p, SG_TEXTURE_ALIGN);
  SET(ref, false,
      (r->bound = true, r->resource = (CUDA_RESOURCE_DESC){
                            .resType = CU_RESOURCE_TYPE_PITCH2D,
                            .res.pitch2D = {p, d->Format, d->NumChannels, d->Width, d->Height, pitch}}));
}

SG_API CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr,
                                        size_t Pitch) {
  SG_CALL(SG_NEED_HEALTH, set_address_2d(hTexRef, desc, dptr, Pitch), "reference=0x%llx ptr=0x%llx pitch=%zu",
          SG_X(hTexRef), dptr, Pitch);
}

static bool has(const void *ref, CUresourcetype type) {
  CUresult code;
  const Reference *r = sg_handle_get(SG_H_REFERENCE, ref, &code);
  return !r || (r->bound && r->resource.resType == type); /* if there is none, that is said elsewhere */
}

static CUresult get_array(CUarray *out, const void *ref, bool surface) {
  GET(ref, surface, out && has(ref, CU_RESOURCE_TYPE_ARRAY), *out = r->resource.res.array.hArray);
}

SG_API CUresult cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_array(phArray, hTexRef, false), "reference=0x%llx", SG_X(hTexRef));
}

SG_API CUresult cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef) {
  SG_CALL(SG_NEED_HEALTH, get_array(phArray, hSurfRef, true), "reference=0x%llx", SG_X(hSurfRef));
}

static CUresult get_mipmap(CUmipmappedArray *out, CUtexref ref) {
  GET(ref, false, out && has(ref, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY),
      *out = r->resource.res.mipmap.hMipmappedArray);
}

SG_API CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_mipmap(phMipmappedArray, hTexRef), "reference=0x%llx", SG_X(hTexRef));
}

static CUresult get_address(CUdeviceptr *out, CUtexref ref) {
  GET(ref, false, out && (has(ref, CU_RESOURCE_TYPE_LINEAR) || has(ref, CU_RESOURCE_TYPE_PITCH2D)),
      *out = r->resource.resType == CU_RESOURCE_TYPE_LINEAR ? r->resource.res.linear.devPtr
                                                            : r->resource.res.pitch2D.devPtr);
}

SG_API CUresult cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_address(pdptr, hTexRef), "reference=0x%llx", SG_X(hTexRef));
}

/* As the header says of references: the array has to be made for surfaces. */
static CUresult set_surface(CUsurfref ref, CUarray h, unsigned flags) {
  CUresult code;
  if (flags) REFUSE("A surface reference is bound with flags 0x%x: they have to be 0", flags);
  const SgArray *a = sg_handle_get(SG_H_ARRAY, h, &code);
  if (!a) return code;
  if (!(a->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST))
    REFUSE("A surface reference is bound to an array that was made without CUDA_ARRAY3D_SURFACE_LDST");
  SET(ref, true,
      (r->bound = true,
       r->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array = {h}}));
}

SG_API CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
  SG_CALL(SG_NEED_HEALTH, set_surface(hSurfRef, hArray, Flags), "reference=0x%llx array=0x%llx flags=0x%x",
          SG_X(hSurfRef), SG_X(hArray), Flags);
}

/* --- how it is read --- */

/* The driver takes formats that do not exist (measured on an H200, driver 580). With memory bound, the next
 * launch refuses them. */
static CUresult set_format(CUtexref ref, CUarray_format f, int n) {
  if (n != 1 && n != 2 && n != 4) REFUSE("A texture reference of %d channels: 1, 2 and 4 are possible", n);
  CUresult code;
  Reference *r = reference_of(ref, false, &code);
  if (!r) return code;
  r->format = f;
  r->channels = n;
  r->changed = true;
  if (r->bound && r->resource.resType == CU_RESOURCE_TYPE_LINEAR) {
    r->resource.res.linear.format = f;
    r->resource.res.linear.numChannels = (unsigned)n;
  }
  return CUDA_SUCCESS;
}

SG_API CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
  SG_CALL(SG_NEED_HEALTH, set_format(hTexRef, fmt, NumPackedComponents),
          "reference=0x%llx format=0x%x channels=%d", SG_X(hTexRef), (unsigned)fmt, NumPackedComponents);
}

static CUresult get_format(CUarray_format *f, int *n, CUtexref ref) {
  GET(ref, false, true, (f ? (void)(*f = r->format) : (void)0, n ? (void)(*n = r->channels) : (void)0));
}

SG_API CUresult cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_format(pFormat, pNumChannels, hTexRef), "reference=0x%llx", SG_X(hTexRef));
}

static CUresult set_address_mode(CUtexref ref, int axis, CUaddress_mode mode) {
  if (axis < 0 || axis > 2 || (unsigned)mode > CU_TR_ADDRESS_MODE_BORDER)
    REFUSE("The address mode of dimension %d of a texture reference is %u: no such dimension or mode", axis,
           (unsigned)mode);
  SET(ref, false, r->texture.addressMode[axis] = mode);
}

SG_API CUresult cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am) {
  SG_CALL(SG_NEED_HEALTH, set_address_mode(hTexRef, dim, am), "reference=0x%llx dim=%d mode=%u",
          SG_X(hTexRef), dim, (unsigned)am);
}

static CUresult get_address_mode(CUaddress_mode *out, CUtexref ref, int axis) {
  GET(ref, false, out && axis >= 0 && axis <= 2, *out = r->texture.addressMode[axis]);
}

SG_API CUresult cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim) {
  SG_CALL(SG_NEED_HEALTH, get_address_mode(pam, hTexRef, dim), "reference=0x%llx dim=%d", SG_X(hTexRef), dim);
}

/* The driver checks the mode between levels alone (measured on an H200, driver 580). The next launch refuses
 * the other one. */
static CUresult set_filter(CUtexref ref, CUfilter_mode mode, bool levels) {
  if (levels && (unsigned)mode > CU_TR_FILTER_MODE_LINEAR)
    REFUSE("The filter mode of a texture reference between levels is %u: no such mode", (unsigned)mode);
  SET(ref, false, *(levels ? &r->texture.mipmapFilterMode : &r->texture.filterMode) = mode);
}

static CUresult get_filter(CUfilter_mode *out, CUtexref ref, bool levels) {
  GET(ref, false, out, *out = levels ? r->texture.mipmapFilterMode : r->texture.filterMode);
}

SG_API CUresult cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  SG_CALL(SG_NEED_HEALTH, set_filter(hTexRef, fm, false), "reference=0x%llx mode=%u", SG_X(hTexRef),
          (unsigned)fm);
}

SG_API CUresult cuTexRefGetFilterMode(CUfilter_mode *pfm, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_filter(pfm, hTexRef, false), "reference=0x%llx", SG_X(hTexRef));
}

SG_API CUresult cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  SG_CALL(SG_NEED_HEALTH, set_filter(hTexRef, fm, true), "reference=0x%llx mode=%u", SG_X(hTexRef),
          (unsigned)fm);
}

SG_API CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *pfm, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_filter(pfm, hTexRef, true), "reference=0x%llx", SG_X(hTexRef));
}

static CUresult set_bias(CUtexref ref, float bias) { SET(ref, false, r->texture.mipmapLevelBias = bias); }

SG_API CUresult cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias) {
  SG_CALL(SG_NEED_HEALTH, set_bias(hTexRef, bias), "reference=0x%llx bias=%g", SG_X(hTexRef), (double)bias);
}

static CUresult get_bias(float *out, CUtexref ref) {
  GET(ref, false, out, *out = r->texture.mipmapLevelBias);
}

SG_API CUresult cuTexRefGetMipmapLevelBias(float *pbias, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_bias(pbias, hTexRef), "reference=0x%llx", SG_X(hTexRef));
}

static CUresult set_clamp(CUtexref ref, float least, float most) {
  SET(ref, false, (r->texture.minMipmapLevelClamp = least, r->texture.maxMipmapLevelClamp = most));
}

SG_API CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                                            float maxMipmapLevelClamp) {
  SG_CALL(SG_NEED_HEALTH, set_clamp(hTexRef, minMipmapLevelClamp, maxMipmapLevelClamp),
          "reference=0x%llx min=%g max=%g", SG_X(hTexRef), (double)minMipmapLevelClamp,
          (double)maxMipmapLevelClamp);
}

static CUresult get_clamp(float *least, float *most, CUtexref ref) {
  GET(ref, false, least && most,
      (*least = r->texture.minMipmapLevelClamp, *most = r->texture.maxMipmapLevelClamp));
}

SG_API CUresult cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                            CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_clamp(pminMipmapLevelClamp, pmaxMipmapLevelClamp, hTexRef), "reference=0x%llx",
          SG_X(hTexRef));
}

static CUresult set_anisotropy(CUtexref ref, unsigned most) {
  SET(ref, false, r->texture.maxAnisotropy = most);
}

SG_API CUresult cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso) {
  SG_CALL(SG_NEED_HEALTH, set_anisotropy(hTexRef, maxAniso), "reference=0x%llx max=%u", SG_X(hTexRef),
          maxAniso);
}

static CUresult get_anisotropy(int *out, CUtexref ref) {
  GET(ref, false, out, *out = (int)r->texture.maxAnisotropy);
}

SG_API CUresult cuTexRefGetMaxAnisotropy(int *pmaxAniso, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_anisotropy(pmaxAniso, hTexRef), "reference=0x%llx", SG_X(hTexRef));
}

static CUresult set_border(CUtexref ref, const float *colour) {
  if (!colour) return CUDA_ERROR_INVALID_VALUE;
  SET(ref, false, memcpy(r->texture.borderColor, colour, sizeof r->texture.borderColor));
}

SG_API CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor) {
  SG_CALL(SG_NEED_HEALTH, set_border(hTexRef, pBorderColor), "reference=0x%llx", SG_X(hTexRef));
}

static CUresult get_border(float *out, CUtexref ref) {
  GET(ref, false, out, memcpy(out, r->texture.borderColor, sizeof r->texture.borderColor));
}

SG_API CUresult cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_border(pBorderColor, hTexRef), "reference=0x%llx", SG_X(hTexRef));
}

static CUresult set_flags(CUtexref ref, unsigned flags) {
  const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                         CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if (flags & ~known) REFUSE("A texture reference with flags 0x%x: no such flag", flags & ~known);
  SET(ref, false, r->texture.flags = flags);
}

SG_API CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags) {
  SG_CALL(SG_NEED_HEALTH, set_flags(hTexRef, Flags), "reference=0x%llx flags=0x%x", SG_X(hTexRef), Flags);
}

static CUresult get_flags(unsigned *out, CUtexref ref) { GET(ref, false, out, *out = r->texture.flags); }

SG_API CUresult cuTexRefGetFlags(unsigned int *pFlags, CUtexref hTexRef) {
  SG_CALL(SG_NEED_HEALTH, get_flags(pFlags, hTexRef), "reference=0x%llx", SG_X(hTexRef));
}

/* References are bound to all kernels of their module anyway, whatever the unit. */
static CUresult param_set(CUfunction f, CUtexref ref) {
  CUresult code;
  if (!sg_function_get(f, NULL, &code)) return code;
  return reference_of(ref, false, &code) ? CUDA_SUCCESS : code;
}

SG_API CUresult cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef) {
  SG_CALL(SG_NEED_CONTEXT, param_set(hfunc, hTexRef), "function=0x%llx unit=%d reference=0x%llx", SG_X(hfunc),
          texunit, SG_X(hTexRef));
}
