/* The table of exports behind cuGetProcAddress. */
#include "driver/gl.h"

#include <cudaProfiler.h>
#include <string.h>

typedef void (*AnyFunction)(void);

typedef struct Export {
  const char *base, *symbol;
  int since;
  AnyFunction function;
} Export;

#define E(base, symbol, since) {#base, #symbol, since, (AnyFunction)symbol},
#define O(symbol, since, of, parameters, arguments) {#symbol, #symbol, since, (AnyFunction)symbol},
static const Export exports[] = {
#include "driver/entries.def"
#include "driver/old.def"
};
#undef E
#undef O
enum { EXPORTS = sizeof exports / sizeof exports[0] };

/* The twins, in the place of a base the symbol whose twin they are. */
#define T(of, suffix, since, parameters, arguments) CUresult of##suffix parameters;
#include "driver/twins.def"
#undef T
#define T(of, suffix, since, parameters, arguments) {#of, #of #suffix, since, (AnyFunction)of##suffix},
static const Export twins[] = {
#include "driver/twins.def"
};
#undef T
enum { TWINS = sizeof twins / sizeof twins[0] };

int sg_entry_count(void) { return EXPORTS + TWINS; }

int sg_entry_since(const char *symbol) {
  for (int i = 0; i < EXPORTS; i++)
    if (strcmp(exports[i].symbol, symbol) == 0) return exports[i].since;
  for (int i = 0; i < TWINS; i++)
    if (strcmp(twins[i].symbol, symbol) == 0) return twins[i].since;
  return 0;
}

static const Export *twin_of(const Export *e) {
  for (int i = 0; i < TWINS; i++)
    if (strcmp(twins[i].base, e->symbol) == 0) return &twins[i];
  return e;
}

/* The newest form of `base` that `version` knows, as the driver picks it (so cuCtxSynchronize at 13000 is
 * the one that takes a context). */
static const Export *pick(const char *base, int version, bool *known) {
  const Export *best = NULL;
  *known = false;
  for (int i = 0; i < EXPORTS; i++) {
    const Export *e = &exports[i];
    if (strcmp(e->base, base) != 0 || e->since > sg_config.version) continue;
    *known = true;
    if (e->since <= version && (!best || e->since > best->since)) best = e;
  }
  return best;
}

static CUresult proc_address(const char *symbol, void **pfn, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  if (!symbol || !pfn || version > sg_config.version || version < 0 || flags > 2)
    return CUDA_ERROR_INVALID_VALUE;
  bool known;
  const Export *e = pick(symbol, version, &known);
  if (e && flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) e = twin_of(e);
  AnyFunction f = e ? e->function : NULL;
  memcpy(pfn, &f, sizeof f);
  if (status)
    *status = e       ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult *symbolStatus) {
  SG_CALL(SG_NEED_NOTHING, proc_address(symbol, pfn, cudaVersion, flags, symbolStatus),
          "symbol=%s version=%d pfn=0x%llx", SG_S(symbol), cudaVersion, SG_OUT(pfn));
}

static CUresult proc_address_v1(const char *symbol, void **pfn, int version, cuuint64_t flags) {
  CUresult r = proc_address(symbol, pfn, version, flags, NULL);
  return r == CUDA_SUCCESS && !*pfn ? CUDA_ERROR_NOT_FOUND : r;
}

SG_API CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
  SG_CALL(SG_NEED_NOTHING, proc_address_v1(symbol, pfn, cudaVersion, flags),
          "symbol=%s version=%d pfn=0x%llx", SG_S(symbol), cudaVersion, SG_OUT(pfn));
}

/* Private tables of the driver, of which there are none here. The function has to be there all the same:
 * NVRTC 13 looks for it in a driver that the process has loaded, and goes on with a null pointer where it is
 * missing. */
static CUresult export_table(const void **table, const CUuuid *id) {
  if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
  *table = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId) {
  SG_CALL(SG_NEED_NOTHING, export_table(ppExportTable, pExportTableId), "table=0x%llx",
          SG_OUT(ppExportTable));
}
