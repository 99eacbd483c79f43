/* Functions of the header that the software device does not have: asking for them by name finds nothing. One
 * that comes to be exported has to have rows, and none here. */

static const char *const absent[] = {
#define A(base, symbol) #base, #symbol,
#include "absent.def"
#undef A
};

static void absent_rows(void) {
  memset(&untouched, 0x5a, sizeof untouched);
  for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i += 2) {
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)9;
    void *f = &f;
    OK(cuGetProcAddress_v2(absent[i], &f, 12000, 0, &status));
    judge(!f && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, __LINE__, "%s is found", absent[i]);
    judge(!exported(absent[i + 1]), __LINE__, "%s is exported", absent[i + 1]);
  }
}
