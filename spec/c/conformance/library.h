/* Libraries, which need no context to be loaded, and their kernels. */

static void library_rows(void) {
  CUlibrary gone = NULL;
  write_ptx_file();
  start_module();
  start_library();
#define DROP                                                                                                 \
  if (WORKED) MUST(cuLibraryUnload(o.library))
#define LOAD(condition, want, image)                                                                         \
  WITH(cuLibraryLoadData, condition, want, (void)0, (&o.library, image, NULL, NULL, 0, NULL, NULL, 0), DROP)
  LOAD("good", SUCCESS, ptx);
  LOAD("no image", INVALID_VALUE, NULL);
  /* The software device loads all of it at once; a GPU's driver, unless told to do so, looks at it later. */
  LOAD("not PTX", WRITES(ON(INVALID_IMAGE, SUCCESS)), no_ptx);
  LOAD("an unknown instruction", WRITES(ON(INVALID_PTX, SUCCESS)), bad_ptx);
  LOAD("a newer PTX version", WRITES(ON(UNSUPPORTED_PTX_VERSION, SUCCESS)), newer_ptx);
  LOAD("ELF", SOFTWARE_ONLY(NO_BINARY_FOR_GPU), elf);
  ROW(cuLibraryLoadData, "NULL", INVALID_VALUE, (NULL, ptx, NULL, NULL, 0, NULL, NULL, 0));
  CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
  void *value = NULL;
  WITH(cuLibraryLoadData, "an option", SUCCESS, option = CU_LIBRARY_BINARY_IS_PRESERVED,
       (&o.library, ptx, NULL, NULL, 0, &option, &value, 1), DROP);
  WITH(cuLibraryLoadData, "an unknown option", INVALID_VALUE, option = CU_LIBRARY_NUM_OPTIONS,
       (&o.library, ptx, NULL, NULL, 0, &option, &value, 1), DROP);
  CUjit_option jit = CU_JIT_NUM_OPTIONS;
  ROW(cuLibraryLoadData, "an unknown option of the compiler", INVALID_VALUE,
      (&o.library, ptx, &jit, &value, 1, NULL, NULL, 0));
  ROW(cuLibraryLoadData, "options that are not there", SOFTWARE_ONLY(INVALID_VALUE),
      (&o.library, ptx, NULL, NULL, 0, NULL, NULL, 1));
  WITH(cuLibraryLoadFromFile, "good", SUCCESS, (void)0, (&o.library, ptx_file, NULL, NULL, 0, NULL, NULL, 0),
       DROP);
  ROW(cuLibraryLoadFromFile, "no such file", WRITES(FILE_NOT_FOUND),
      (&o.library, "/no/such/file.ptx", NULL, NULL, 0, NULL, NULL, 0));
  ROW(cuLibraryLoadFromFile, "no name", INVALID_VALUE, (&o.library, NULL, NULL, NULL, 0, NULL, NULL, 0));
  ROW(cuLibraryLoadFromFile, "NULL", INVALID_VALUE, (NULL, ptx_file, NULL, NULL, 0, NULL, NULL, 0));
#undef DROP
#define MAKE MUST(cuLibraryLoadData(&gone, ptx, NULL, NULL, 0, NULL, NULL, 0))
#define KILL (MAKE, MUST(cuLibraryUnload(gone)))
  WITH(cuLibraryUnload, "good", SUCCESS, MAKE, (gone), (void)0);
  ROW(cuLibraryUnload, "NULL", INVALID_HANDLE, (NULL));
  WITH(cuLibraryUnload, "twice", SOFTWARE_ONLY(INVALID_HANDLE), KILL, (gone), (void)0);
  WITH(cuLibraryGetKernel, "good", SUCCESS, (void)0, (&o.kernel_handle, library, "put"),
       HOLDS(o.kernel_handle == kernel));
  ROW(cuLibraryGetKernel, "no such kernel", WRITES(NOT_FOUND), (&o.kernel_handle, library, "nothing"));
  ROW(cuLibraryGetKernel, "no name", INVALID_VALUE, (&o.kernel_handle, library, NULL));
  ROW(cuLibraryGetKernel, "NULL", INVALID_VALUE, (NULL, library, "put"));
  ROW(cuLibraryGetKernel, "no library", WRITES(INVALID_HANDLE), (&o.kernel_handle, NULL, "put"));
  WITH(cuLibraryGetKernel, "an unloaded library", SOFTWARE_ONLY(INVALID_HANDLE), KILL,
       (&o.kernel_handle, gone, "put"), (void)0);
  WITH(cuLibraryGetKernelCount, "good", SUCCESS, (void)0, (&o.u, library), HOLDS(o.u == 2));
  ROW(cuLibraryGetKernelCount, "NULL", INVALID_VALUE, (NULL, library));
  ROW(cuLibraryGetKernelCount, "no library", INVALID_HANDLE, (&o.u, NULL));
  ROW(cuLibraryEnumerateKernels, "good", SUCCESS, (o.kernels, 2, library));
  ROW(cuLibraryEnumerateKernels, "room for 0", SUCCESS, (o.kernels, 0, library));
  ROW(cuLibraryEnumerateKernels, "NULL", INVALID_VALUE, (NULL, 2, library));
  ROW(cuLibraryEnumerateKernels, "no library", INVALID_HANDLE, (o.kernels, 2, NULL));
  ROW(cuLibraryGetModule, "good", SUCCESS, (&o.module, library));
  ROW(cuLibraryGetModule, "NULL", INVALID_VALUE, (NULL, library));
  ROW(cuLibraryGetModule, "no library", WRITES(INVALID_HANDLE), (&o.module, NULL));
  CUmodule of_library = NULL;
  OK(cuLibraryGetModule(&of_library, library));
  ROW(cuModuleUnload, "a library's module", NOT_PERMITTED, (of_library));
  WITH(cuLibraryGetGlobal, "good", SUCCESS, (void)0, (&o.ptr, &o.size, library, "cell"),
       HOLDS(o.ptr && o.size == 16));
  ROW(cuLibraryGetGlobal, "no such variable", WRITES(NOT_FOUND), (&o.ptr, &o.size, library, "nothing"));
  ROW(cuLibraryGetGlobal, "no name", INVALID_VALUE, (&o.ptr, &o.size, library, NULL));
  ROW(cuLibraryGetGlobal, "no library", WRITES(INVALID_HANDLE), (&o.ptr, &o.size, NULL, "cell"));
  ROW(cuLibraryGetManaged, "a variable that is not managed", WRITES(NOT_FOUND),
      (&o.ptr, &o.size, library, "cell"));
  ROW(cuLibraryGetManaged, "no such variable", WRITES(NOT_FOUND), (&o.ptr, &o.size, library, "nothing"));
  WITH(cuLibraryGetManaged, "good", SUCCESS, (void)0, (&o.ptr, &o.size, library, "shared_cell"),
       HOLDS(o.ptr && o.size == 16));
  ROW(cuLibraryGetManaged, "no name", INVALID_VALUE, (&o.ptr, &o.size, library, NULL));

  WITH(cuKernelGetLibrary, "good", SUCCESS, (void)0, (&o.library, kernel), HOLDS(o.library == library));
  ROW(cuKernelGetLibrary, "NULL", INVALID_VALUE, (NULL, kernel));
  ROW(cuKernelGetLibrary, "no kernel", INVALID_HANDLE, (&o.library, NULL));
  WITH(cuKernelGetName, "good", SUCCESS, (void)0, (&o.name, kernel), HOLDS(strcmp(o.name, "put") == 0));
  ROW(cuKernelGetName, "NULL", INVALID_VALUE, (NULL, kernel));
  ROW(cuKernelGetName, "no kernel", INVALID_VALUE, (&o.name, NULL));
  ROW(cuKernelGetFunction, "good", SUCCESS, (&o.function, kernel));
  ROW(cuKernelGetFunction, "NULL", INVALID_VALUE, (NULL, kernel));
  ROW(cuKernelGetFunction, "no kernel", WRITES(INVALID_HANDLE), (&o.function, NULL));
  ROW(cuKernelGetFunction, "not a kernel", SOFTWARE_ONLY(INVALID_HANDLE), (&o.function, (CUkernel)host));
  WITH(cuKernelGetParamInfo, "good", SUCCESS, (void)0, (kernel, 1, &o.size, &o.total),
       HOLDS(o.size == 8 && o.total == 4));
  ROW(cuKernelGetParamInfo, "no such parameter", INVALID_VALUE, (kernel, 2, &o.size, &o.total));
  ROW(cuKernelGetParamInfo, "no offset wanted", INVALID_VALUE, (kernel, 0, NULL, &o.total));
  ROW(cuKernelGetParamInfo, "no kernel", INVALID_VALUE, (NULL, 0, &o.size, &o.total));
  ROW(cuKernelGetAttribute, "good", SUCCESS, (&o.i, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, dev));
  ROW(cuKernelGetAttribute, "no such attribute", INVALID_VALUE, (&o.i, CU_FUNC_ATTRIBUTE_MAX, kernel, dev));
  ROW(cuKernelGetAttribute, "no such device", INVALID_DEVICE,
      (&o.i, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, NO_DEVICE_));
  ROW(cuKernelGetAttribute, "NULL", INVALID_VALUE, (NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, dev));
  ROW(cuKernelGetAttribute, "no kernel", INVALID_HANDLE, (&o.i, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL, dev));
  ROW(cuKernelSetAttribute, "good", SUCCESS,
      (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 49152, kernel, dev));
  ROW(cuKernelSetAttribute, "one that is only read", INVALID_VALUE,
      (CU_FUNC_ATTRIBUTE_NUM_REGS, 8, kernel, dev));
  ROW(cuKernelSetAttribute, "too much", INVALID_VALUE,
      (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 24, kernel, dev));
  ROW(cuKernelSetAttribute, "no such device", INVALID_DEVICE,
      (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0, kernel, NO_DEVICE_));
  ROW(cuKernelSetAttribute, "no kernel", INVALID_HANDLE,
      (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0, NULL, dev));
  ROW(cuKernelSetCacheConfig, "good", SUCCESS, (kernel, CU_FUNC_CACHE_PREFER_L1, dev));
  ROW(cuKernelSetCacheConfig, "no such one", INVALID_VALUE, (kernel, (CUfunc_cache)9, dev));
  ROW(cuKernelSetCacheConfig, "no such device", INVALID_DEVICE,
      (kernel, CU_FUNC_CACHE_PREFER_L1, NO_DEVICE_));
  ROW(cuKernelSetCacheConfig, "no kernel", INVALID_HANDLE, (NULL, CU_FUNC_CACHE_PREFER_L1, dev));
  ROW(cuLaunchKernel, "a kernel of a library", SUCCESS,
      ((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, st, put_params, NULL));
  ROW(cuFuncGetParamInfo, "a kernel of a library", INVALID_HANDLE,
      ((CUfunction)kernel, 0, &o.size, &o.total));
  ROW(cuFuncGetAttribute, "a kernel of a library", INVALID_HANDLE,
      (&o.i, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)kernel));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessor, "a kernel of a library", SUCCESS,
      (&o.i, (CUfunction)kernel, 128, 0));
#undef MAKE
#undef KILL
#undef LOAD
  remove_files();
}
