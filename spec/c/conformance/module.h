/* Modules, what is in them, options of the compiler, and the linker. */

static const char newer_ptx[] =
    ".version 42.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
static const char no_ptx[] = "this is not PTX";
static const char unresolved_ptx[] = HEAD ".extern .func missing();\n"
                                          ".visible .entry k() {\n  call missing, ();\n  ret;\n}\n";
static const char strong_ptx[] = HEAD ".visible .func strong() {\n  ret;\n}\n";
static const char elf[] = "\177ELF\2\1\1\0 a cubin of nothing, and some room behind it";
static const char fatbin[] = "\x50\xed\x55\xba\1\0\x10\0 a fatbin of nothing, and some room behind it";

static void module_rows(void) {
  CUmodule m = NULL;
  write_ptx_file();
  start_module();
#define DROP                                                                                                 \
  if (WORKED) MUST(cuModuleUnload(o.module))
  WITH(cuModuleLoadData, "good", SUCCESS, (void)0, (&o.module, ptx), DROP);
  WITH(cuModuleLoadData, "text after blank lines", SUCCESS, (void)0, (&o.module, "\n\n" HEAD), DROP);
  ROW(cuModuleLoadData, "NULL", INVALID_VALUE, (NULL, ptx));
  ROW(cuModuleLoadData, "no image", INVALID_VALUE, (&o.module, NULL));
  ROW(cuModuleLoadData, "not PTX", WRITES(INVALID_IMAGE), (&o.module, no_ptx));
  ROW(cuModuleLoadData, "an empty text", WRITES(INVALID_IMAGE), (&o.module, ""));
  ROW(cuModuleLoadData, "an unknown instruction", WRITES(INVALID_PTX), (&o.module, bad_ptx));
  ROW(cuModuleLoadData, "a newer PTX version", WRITES(UNSUPPORTED_PTX_VERSION), (&o.module, newer_ptx));
  ROW(cuModuleLoadData, "an undefined function", WRITES(INVALID_PTX), (&o.module, unresolved_ptx));
  ROW(cuModuleLoadData, "ELF", SOFTWARE_ONLY(NO_BINARY_FOR_GPU), (&o.module, elf));
  ROW(cuModuleLoadData, "a fatbin", SOFTWARE_ONLY(NO_BINARY_FOR_GPU), (&o.module, fatbin));
  ROW(cuModuleLoadData, "bytes", SOFTWARE_ONLY(INVALID_IMAGE), (&o.module, "\1\2\3\4"));
  WITH(cuModuleLoadFatBinary, "PTX", SUCCESS, (void)0, (&o.module, ptx), DROP);
  ROW(cuModuleLoadFatBinary, "NULL", INVALID_VALUE, (NULL, ptx));
  ROW(cuModuleLoadFatBinary, "no image", INVALID_VALUE, (&o.module, NULL));
  ROW(cuModuleLoadFatBinary, "not PTX", WRITES(INVALID_IMAGE), (&o.module, no_ptx));
  ROW(cuModuleLoadFatBinary, "an unknown instruction", WRITES(INVALID_PTX), (&o.module, bad_ptx));
  WITH(cuModuleLoad, "good", SUCCESS, (void)0, (&o.module, ptx_file), DROP);
  ROW(cuModuleLoad, "no such file", WRITES(FILE_NOT_FOUND), (&o.module, "/no/such/file.ptx"));
  /* A GPU's driver takes what it is told of a folder's size for that of a file. */
  ROW(cuModuleLoad, "a folder", WRITES(ON(FILE_NOT_FOUND, OUT_OF_MEMORY)), (&o.module, "/tmp"));
  ROW(cuModuleLoad, "no name", INVALID_VALUE, (&o.module, NULL));
  ROW(cuModuleLoad, "an empty name", SPOILS(INVALID_VALUE), (&o.module, ""));
  ROW(cuModuleLoad, "NULL", INVALID_VALUE, (NULL, ptx_file));
  ROW(cuModuleLoad, "an empty file", WRITES(INVALID_IMAGE), (&o.module, "/dev/null"));

  WITH(cuModuleLoadDataEx, "good", SUCCESS, (void)0, (&o.module, ptx, 0, NULL, NULL), DROP);
  ROW(cuModuleLoadDataEx, "NULL", INVALID_VALUE, (NULL, ptx, 0, NULL, NULL));
  ROW(cuModuleLoadDataEx, "no image", INVALID_VALUE, (&o.module, NULL, 0, NULL, NULL));
  CUjit_option option = CU_JIT_OPTIMIZATION_LEVEL;
  void *value = NULL;
#define OPTION(id, v) (option = (id), value = (void *)(uintptr_t)(v))
#define EX(condition, want, id, v)                                                                           \
  WITH(cuModuleLoadDataEx, condition, want, OPTION(id, v), (&o.module, ptx, 1, &option, &value), DROP)
  EX("optimisation level 2", SUCCESS, CU_JIT_OPTIMIZATION_LEVEL, 2);
  EX("optimisation level 5", SUCCESS, CU_JIT_OPTIMIZATION_LEVEL, 5);
  EX("at most 32 registers", SUCCESS, CU_JIT_MAX_REGISTERS, 32);
  EX("100 threads a block", SUCCESS, CU_JIT_THREADS_PER_BLOCK, 100);
  EX("5000 threads a block", SUCCESS, CU_JIT_THREADS_PER_BLOCK, 5000);
  EX("the context's target", SUCCESS, CU_JIT_TARGET_FROM_CUCONTEXT, 0);
  EX("a target that there is not", INVALID_VALUE, CU_JIT_TARGET, 81);
  EX("another device's target", INVALID_SOURCE, CU_JIT_TARGET, 120);
  EX("an unknown option", INVALID_VALUE, CU_JIT_NUM_OPTIONS, 0);
  EX("option -1", INVALID_VALUE, (CUjit_option)-1, 0);
  EX("a log without its size", INVALID_VALUE, CU_JIT_INFO_LOG_BUFFER, (uintptr_t)host);
  EX("a log's size without it", INVALID_VALUE, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 100);
  EX("an unknown fallback", SUCCESS, CU_JIT_FALLBACK_STRATEGY, 7);
  EX("an unknown cache mode", INVALID_VALUE, CU_JIT_CACHE_MODE, 7);
  EX("line numbers", SUCCESS, CU_JIT_GENERATE_LINE_INFO, 1);
  EX("debugging", SUCCESS, CU_JIT_GENERATE_DEBUG_INFO, 1);
  EX("verbose", SUCCESS, CU_JIT_LOG_VERBOSE, 1);
  EX("the time", SUCCESS, CU_JIT_WALL_TIME, 0);
#undef EX
  CUjit_option two[] = {CU_JIT_TARGET, CU_JIT_THREADS_PER_BLOCK};
  ROW(cuModuleLoadDataEx, "a target and threads", SOFTWARE_ONLY(INVALID_VALUE),
      (&o.module, ptx, 2, two, (void *[]){(void *)80, (void *)128}));
  ROW(cuModuleLoadDataEx, "no options", SOFTWARE_ONLY(INVALID_VALUE), (&o.module, ptx, 1, NULL, &value));
  ROW(cuModuleLoadDataEx, "no values", SOFTWARE_ONLY(INVALID_VALUE), (&o.module, ptx, 1, &option, NULL));
  ROW(cuModuleLoadDataEx, "an unknown instruction", WRITES(INVALID_PTX), (&o.module, bad_ptx, 0, NULL, NULL));
  WITH(cuModuleUnload, "good", SUCCESS, MUST(cuModuleLoadData(&m, ptx)), (m), (void)0);
  ROW(cuModuleUnload, "twice", SOFTWARE_ONLY(INVALID_HANDLE), (m));
  ROW(cuModuleUnload, "NULL", INVALID_HANDLE, (NULL));
  ROW(cuModuleUnload, "no module", SOFTWARE_ONLY(INVALID_HANDLE), ((CUmodule)host));
#undef DROP

  WITH(cuModuleGetFunction, "good", SUCCESS, (void)0, (&o.function, mod, "put"), HOLDS(o.function == put));
  ROW(cuModuleGetFunction, "no such kernel", WRITES(NOT_FOUND), (&o.function, mod, "nothing"));
  ROW(cuModuleGetFunction, "a variable's name", WRITES(NOT_FOUND), (&o.function, mod, "cell"));
  ROW(cuModuleGetFunction, "an empty name", SPOILS(INVALID_VALUE), (&o.function, mod, ""));
  ROW(cuModuleGetFunction, "no name", INVALID_VALUE, (&o.function, mod, NULL));
  ROW(cuModuleGetFunction, "NULL", INVALID_VALUE, (NULL, mod, "put"));
  ROW(cuModuleGetFunction, "no module", WRITES(INVALID_HANDLE), (&o.function, NULL, "put"));
  ROW(cuModuleGetFunction, "an unloaded module", SOFTWARE_ONLY(INVALID_HANDLE), (&o.function, m, "put"));
  WITH(cuModuleGetGlobal_v2, "good", SUCCESS, (void)0, (&o.ptr, &o.size, mod, "cell"),
       HOLDS(o.ptr && o.size == 16));
  WITH(cuModuleGetGlobal_v2, "only the size", SUCCESS, (void)0, (NULL, &o.size, mod, "cell"),
       HOLDS(o.size == 16));
  WITH(cuModuleGetGlobal_v2, "only the address", SUCCESS, (void)0, (&o.ptr, NULL, mod, "cell"),
       HOLDS(o.ptr != 0));
  ROW(cuModuleGetGlobal_v2, "neither", INVALID_VALUE, (NULL, NULL, mod, "cell"));
  ROW(cuModuleGetGlobal_v2, "no such variable", WRITES(NOT_FOUND), (&o.ptr, &o.size, mod, "nothing"));
  ROW(cuModuleGetGlobal_v2, "a kernel's name", WRITES(INVALID_VALUE), (&o.ptr, &o.size, mod, "put"));
  ROW(cuModuleGetGlobal_v2, "no name", SPOILS(INVALID_VALUE), (&o.ptr, &o.size, mod, NULL));
  ROW(cuModuleGetGlobal_v2, "no module", WRITES(INVALID_HANDLE), (&o.ptr, &o.size, NULL, "cell"));
  ROW(cuModuleGetGlobal_v2, "an unloaded module", SOFTWARE_ONLY(INVALID_HANDLE),
      (&o.ptr, &o.size, m, "cell"));
  WITH(cuModuleGetFunctionCount, "good", SUCCESS, (void)0, (&o.u, mod), HOLDS(o.u == 2));
  ROW(cuModuleGetFunctionCount, "NULL", INVALID_VALUE, (NULL, mod));
  ROW(cuModuleGetFunctionCount, "no module", INVALID_HANDLE, (&o.u, NULL));
  ROW(cuModuleGetFunctionCount, "an unloaded module", SOFTWARE_ONLY(INVALID_HANDLE), (&o.u, m));
  WITH(cuModuleEnumerateFunctions, "good", SUCCESS, (void)0, (o.functions, 2, mod),
       HOLDS(o.functions[0] == put || o.functions[1] == put));
  WITH(cuModuleEnumerateFunctions, "room for 1", SUCCESS, (void)0, (o.functions, 1, mod),
       HOLDS(o.functions[1] == untouched.functions[1]));
  WITH(cuModuleEnumerateFunctions, "room for 4", SUCCESS, (void)0, (o.functions, 4, mod),
       HOLDS(o.functions[2] == untouched.functions[2]));
  ROW(cuModuleEnumerateFunctions, "room for 0", SUCCESS, (o.functions, 0, mod));
  ROW(cuModuleEnumerateFunctions, "NULL", INVALID_VALUE, (NULL, 2, mod));
  ROW(cuModuleEnumerateFunctions, "no module", INVALID_HANDLE, (o.functions, 2, NULL));
  ROW(cuModuleGetLoadingMode, "good", SUCCESS, (&o.loading));
  ROW(cuModuleGetLoadingMode, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL));
  remove_files();
}

static CUlinkState new_link(void) {
  CUlinkState l = NULL;
  OK(cuLinkCreate_v2(0, NULL, NULL, &l));
  return l;
}

#define TEXT(text) (void *)(uintptr_t)(text), sizeof(text)

/* A linker is made for each call: after an error it may be of no use. */
static void link_rows(void) {
  CUlinkState l = NULL, dead = NULL;
  CUjit_option option = CU_JIT_FALLBACK_STRATEGY;
  void *value = NULL, *image;
  size_t size;
  write_ptx_file();
  start_module();
#define DROP                                                                                                 \
  if (WORKED) MUST(cuLinkDestroy(o.link))
  WITH(cuLinkCreate_v2, "good", SUCCESS, (void)0, (0, NULL, NULL, &o.link), DROP);
  WITH(cuLinkCreate, "good", SUCCESS, (void)0, (0, NULL, NULL, &o.link), DROP);
  WITH(cuLinkCreate_v2, "a fallback strategy", INVALID_VALUE, OPTION(CU_JIT_FALLBACK_STRATEGY, 0),
       (1, &option, &value, &o.link), DROP);
  WITH(cuLinkCreate_v2, "an unknown option", INVALID_VALUE, OPTION(CU_JIT_NUM_OPTIONS, 0),
       (1, &option, &value, &o.link), DROP);
  WITH(cuLinkCreate_v2, "registers", SUCCESS, OPTION(CU_JIT_MAX_REGISTERS, 32), (1, &option, &value, &o.link),
       DROP);
  WITH(cuLinkCreate, "a fallback strategy", SUCCESS, OPTION(CU_JIT_FALLBACK_STRATEGY, 0),
       (1, &option, &value, &o.link), DROP);
  ROW(cuLinkCreate_v2, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (0, NULL, NULL, NULL));
  ROW(cuLinkCreate_v2, "no options", SOFTWARE_ONLY(INVALID_VALUE), (1, NULL, NULL, &o.link));
#undef DROP
#define NEW_LINK l = new_link()
#define END_LINK MUST(cuLinkDestroy(l))
#define LINK(function, condition, want, args) WITH(function, condition, want, NEW_LINK, args, END_LINK)
  LINK(cuLinkAddData_v2, "good", SUCCESS, (l, CU_JIT_INPUT_PTX, TEXT(weak_ptx), "a", 0, NULL, NULL));
  LINK(cuLinkAddData_v2, "no name", SUCCESS, (l, CU_JIT_INPUT_PTX, TEXT(weak_ptx), NULL, 0, NULL, NULL));
  LINK(cuLinkAddData_v2, "no data", INVALID_VALUE, (l, CU_JIT_INPUT_PTX, NULL, 8, "a", 0, NULL, NULL));
  LINK(cuLinkAddData_v2, "size 0", INVALID_VALUE,
       (l, CU_JIT_INPUT_PTX, (void *)(uintptr_t)weak_ptx, 0, "a", 0, NULL, NULL));
  LINK(cuLinkAddData_v2, "no such type", INVALID_VALUE,
       (l, CU_JIT_NUM_INPUT_TYPES, TEXT(weak_ptx), "a", 0, NULL, NULL));
  LINK(cuLinkAddData_v2, "an unknown instruction", INVALID_PTX,
       (l, CU_JIT_INPUT_PTX, TEXT(bad_ptx), "a", 0, NULL, NULL));
  LINK(cuLinkAddData_v2, "no PTX", INVALID_IMAGE, (l, CU_JIT_INPUT_PTX, TEXT(no_ptx), "a", 0, NULL, NULL));
  LINK(cuLinkAddData_v2, "no cubin", INVALID_IMAGE,
       (l, CU_JIT_INPUT_CUBIN, TEXT(no_ptx), "a", 0, NULL, NULL));
  LINK(cuLinkAddData_v2, "ELF", SOFTWARE_ONLY(NO_BINARY_FOR_GPU),
       (l, CU_JIT_INPUT_CUBIN, TEXT(elf), "a", 0, NULL, NULL));
  LINK(cuLinkAddData_v2, "a library", SOFTWARE_ONLY(NO_BINARY_FOR_GPU),
       (l, CU_JIT_INPUT_LIBRARY, TEXT("!<arch>\n"), "a", 0, NULL, NULL));
  /* Of a linker that has nowhere to say which name it is, a GPU's driver tells no more than that something is
   * wrong. With a log it answers 300 too (device_test). */
  WITH(cuLinkAddData_v2, "a name defined twice", ON(INVALID_SOURCE, UNKNOWN),
       (NEW_LINK, MUST(cuLinkAddData_v2(l, CU_JIT_INPUT_PTX, TEXT(strong_ptx), "a", 0, NULL, NULL))),
       (l, CU_JIT_INPUT_PTX, TEXT(strong_ptx), "b", 0, NULL, NULL), END_LINK);
  WITH(cuLinkAddData_v2, "after the end", INVALID_VALUE, (NEW_LINK, MUST(cuLinkComplete(l, &image, &size))),
       (l, CU_JIT_INPUT_PTX, TEXT(weak_ptx), "a", 0, NULL, NULL), END_LINK);
  LINK(cuLinkAddData, "good", SUCCESS, (l, CU_JIT_INPUT_PTX, TEXT(weak_ptx), "a", 0, NULL, NULL));
  LINK(cuLinkAddData, "no data", INVALID_VALUE, (l, CU_JIT_INPUT_PTX, NULL, 8, "a", 0, NULL, NULL));
  LINK(cuLinkAddData, "an unknown instruction", INVALID_PTX,
       (l, CU_JIT_INPUT_PTX, TEXT(bad_ptx), "a", 0, NULL, NULL));
  LINK(cuLinkAddFile_v2, "good", SUCCESS, (l, CU_JIT_INPUT_PTX, ptx_file, 0, NULL, NULL));
  LINK(cuLinkAddFile_v2, "no such file", FILE_NOT_FOUND,
       (l, CU_JIT_INPUT_PTX, "/no/such/file.ptx", 0, NULL, NULL));
  LINK(cuLinkAddFile_v2, "no name", INVALID_VALUE, (l, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
  LINK(cuLinkAddFile_v2, "no such type", INVALID_VALUE, (l, CU_JIT_NUM_INPUT_TYPES, ptx_file, 0, NULL, NULL));
  LINK(cuLinkAddFile, "good", SUCCESS, (l, CU_JIT_INPUT_PTX, ptx_file, 0, NULL, NULL));
  LINK(cuLinkAddFile, "no such file", FILE_NOT_FOUND,
       (l, CU_JIT_INPUT_PTX, "/no/such/file.ptx", 0, NULL, NULL));
  LINK(cuLinkComplete, "of nothing", SUCCESS, (l, &o.any, &o.size));
  LINK(cuLinkComplete, "no size wanted", SUCCESS, (l, &o.any, NULL));
  LINK(cuLinkComplete, "no image wanted", INVALID_VALUE, (l, NULL, &o.size));
  WITH(cuLinkComplete, "twice", INVALID_HANDLE, (NEW_LINK, MUST(cuLinkComplete(l, &image, &size))),
       (l, &o.any, &o.size), END_LINK);
  WITH(cuLinkComplete, "an undefined name", WRITES(ON(INVALID_SOURCE, UNKNOWN)),
       (NEW_LINK, MUST(cuLinkAddData_v2(l, CU_JIT_INPUT_PTX, TEXT(unresolved_ptx), "a", 0, NULL, NULL))),
       (l, &o.any, &o.size), END_LINK);
  WITH(cuLinkComplete, "after an input that was no cubin", WRITES(INVALID_IMAGE),
       (NEW_LINK, cuLinkAddData_v2(l, CU_JIT_INPUT_CUBIN, TEXT(no_ptx), "a", 0, NULL, NULL)),
       (l, &o.any, &o.size), END_LINK);
  WITH(cuLinkDestroy, "good", SUCCESS, NEW_LINK, (l), (void)0);
  WITH(cuLinkDestroy, "one that failed", SUCCESS,
       (NEW_LINK, cuLinkAddData_v2(l, CU_JIT_INPUT_CUBIN, TEXT(no_ptx), "a", 0, NULL, NULL)), (l), (void)0);
  if (SOFT) {
    dead = new_link();
    OK(cuLinkDestroy(dead));
  }
  ROW(cuLinkDestroy, "twice", SOFTWARE_ONLY(INVALID_HANDLE), (dead));
  ROW(cuLinkDestroy, "NULL", INVALID_HANDLE, (NULL));
  ROW(cuLinkComplete, "destroyed", SOFTWARE_ONLY(INVALID_HANDLE), (dead, &o.any, &o.size));
  ROW(cuLinkComplete, "NULL", INVALID_HANDLE, (NULL, &o.any, &o.size));
  ROW(cuLinkAddData_v2, "destroyed", SOFTWARE_ONLY(INVALID_HANDLE),
      (dead, CU_JIT_INPUT_PTX, TEXT(weak_ptx), "a", 0, NULL, NULL));
  ROW(cuLinkAddData_v2, "NULL", INVALID_HANDLE, (NULL, CU_JIT_INPUT_PTX, TEXT(weak_ptx), "a", 0, NULL, NULL));
  ROW(cuLinkAddData, "NULL", INVALID_HANDLE, (NULL, CU_JIT_INPUT_PTX, TEXT(weak_ptx), "a", 0, NULL, NULL));
  ROW(cuLinkAddFile_v2, "NULL", INVALID_HANDLE, (NULL, CU_JIT_INPUT_PTX, ptx_file, 0, NULL, NULL));
  ROW(cuLinkAddFile, "NULL", INVALID_HANDLE, (NULL, CU_JIT_INPUT_PTX, ptx_file, 0, NULL, NULL));
  remove_files();
#undef LINK
}
