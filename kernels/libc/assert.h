// assert is NVRTC's own, as NDEBUG was before the first line of the program; NDEBUG may differ each time this is included.
#ifdef NDEBUG
#undef assert
#define assert(e) ((void)0)
#else
#undef assert
#define assert(e) ((e) ? (void)0 : __assertfail(#e, __FILE__, __LINE__, __func__, sizeof(char)))
#endif
