/* Mipmapped arrays, texture objects, surface objects and references, as measured on an H200, driver 580. */

static void mipmap_rows(void) {
  CUmipmappedArray gone = NULL;
  CUarray level = NULL;
  CUDA_ARRAY3D_DESCRIPTOR s, got;
  start_module();
  start_copies();
#define DROP                                                                                                 \
  if (WORKED) MUST(cuMipmappedArrayDestroy(o.mipmap))
#define MIPMAP(condition, want, levels, change)                                                              \
  WITH(cuMipmappedArrayCreate, condition, want, (s = flat_3d_shape, change), (&o.mipmap, &s, levels), DROP)
  MIPMAP("good", SUCCESS, 5, (void)0);
  MIPMAP("0 levels", SUCCESS, 0, (void)0);
  MIPMAP("a hundred levels", SUCCESS, 100, (void)0);
  MIPMAP("a row", SUCCESS, 5, s.Height = 0);
  MIPMAP("3D", SUCCESS, 3, s.Depth = 4);
  MIPMAP("layers", SUCCESS, 5, (s.Flags = CUDA_ARRAY3D_LAYERED, s.Depth = 3));
  MIPMAP("a cube", SUCCESS, 5, (s.Flags = CUDA_ARRAY3D_CUBEMAP, s.Height = 16, s.Depth = 6));
  MIPMAP("for surfaces", SUCCESS, 5, s.Flags = CUDA_ARRAY3D_SURFACE_LDST);
  MIPMAP("width 0", INVALID_VALUE, 5, s.Width = 0);
  MIPMAP("wider than mipmapped arrays", INVALID_VALUE, 5, s.Width = 40000);
  MIPMAP("no such format", INVALID_VALUE, 5, s.Format = (CUarray_format)0x77);
  MIPMAP("3 channels", INVALID_VALUE, 5, s.NumChannels = 3);
  MIPMAP("16384 x 16384 x 16384 of 16 bytes", OUT_OF_MEMORY, 5,
         (s.Width = s.Height = s.Depth = 16384, s.Format = CU_AD_FORMAT_FLOAT, s.NumChannels = 4));
  ROW(cuMipmappedArrayCreate, "NULL", INVALID_VALUE, (NULL, &flat_3d_shape, 5));
  ROW(cuMipmappedArrayCreate, "no descriptor", INVALID_VALUE, (&o.mipmap, NULL, 5));
#undef DROP
  WITH(cuMipmappedArrayGetLevel, "the last one", SUCCESS, (void)0, (&o.array, mipmap, 4),
       HOLDS(cuArray3DGetDescriptor_v2(&got, o.array) == CUDA_SUCCESS && got.Width == 1 && got.Height == 1));
  WITH(cuMipmappedArrayGetLevel, "the third one", SUCCESS, (void)0, (&o.array, mipmap, 2),
       HOLDS(cuArray3DGetDescriptor_v2(&got, o.array) == CUDA_SUCCESS && got.Width == 4 && got.Height == 1));
  ROW(cuMipmappedArrayGetLevel, "one too many", INVALID_VALUE, (&o.array, mipmap, 5));
  ROW(cuMipmappedArrayGetLevel, "NULL", INVALID_VALUE, (NULL, mipmap, 0));
  ROW(cuMipmappedArrayGetLevel, "no mipmapped array", INVALID_HANDLE, (&o.array, NULL, 0));
  MUST(cuMipmappedArrayGetLevel(&level, mipmap, 1));
  ROW(cuArrayDestroy, "a level", SOFTWARE_ONLY(INVALID_VALUE), (level));
  WITH(cuMipmappedArrayDestroy, "good", SUCCESS, MUST(cuMipmappedArrayCreate(&gone, &flat_3d_shape, 2)),
       (gone), (void)0);
  ROW(cuMipmappedArrayDestroy, "twice", SOFTWARE_ONLY(INVALID_HANDLE), (gone));
  ROW(cuMipmappedArrayDestroy, "NULL", INVALID_HANDLE, (NULL));
  ROW(cuMipmappedArrayGetLevel, "a destroyed one", SOFTWARE_ONLY(INVALID_HANDLE), (&o.array, gone, 0));
  ROW(cuMipmappedArrayGetMemoryRequirements, "one that is there", INVALID_VALUE,
      (&o.requirements, mipmap, dev));
  ROW(cuMipmappedArrayGetMemoryRequirements, "NULL", INVALID_VALUE, (NULL, mipmap, dev));
  ROW(cuMipmappedArrayGetMemoryRequirements, "no such device", INVALID_VALUE,
      (&o.requirements, mipmap, NO_DEVICE_));
}

static CUDA_RESOURCE_DESC linear_resource(void) {
  return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR,
                              .res.linear = {mem, CU_AD_FORMAT_FLOAT, 1, MEM}};
}

static CUDA_RESOURCE_DESC pitch_resource(void) {
  return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D,
                              .res.pitch2D = {mem, CU_AD_FORMAT_FLOAT, 1, 16, 4, 64}};
}

static CUDA_RESOURCE_DESC mipmap_resource(void) {
  return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap = {mipmap}};
}

static CUDA_RESOURCE_DESC array_resource(CUarray a) {
  return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array = {a}};
}

/* A texture of the resource `from`, both descriptions changed. */
#define TEXTURE(condition, want, from, change)                                                               \
  WITH(cuTexObjectCreate, condition, want, (d = from, t = sampler, change), (&o.texture, &d, &t, NULL),      \
       if (WORKED) MUST(cuTexObjectDestroy(o.texture)))

static void texture_rows(void) {
  CUDA_RESOURCE_DESC d;
  CUDA_TEXTURE_DESC t;
  CUDA_ARRAY3D_DESCRIPTOR cube_shape = {.Width = 8,
                                        .Height = 8,
                                        .Depth = 6,
                                        .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                        .NumChannels = 1,
                                        .Flags = CUDA_ARRAY3D_CUBEMAP};
  CUarray cube;
  CUtexObject gone = 0;
  start_module();
  start_copies();
  MUST(cuArray3DCreate_v2(&cube, &cube_shape));
  TEXTURE("good", SUCCESS, resource, (void)0);
  TEXTURE("linear filtering of integers", SUCCESS, resource,
          (t.filterMode = CU_TR_FILTER_MODE_LINEAR, t.flags = CU_TRSF_READ_AS_INTEGER));
  TEXTURE("wrapping without normalised coordinates", SUCCESS, resource,
          t.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP);
  TEXTURE("anisotropy 100", SUCCESS, resource, t.maxAnisotropy = 100);
  TEXTURE("no such address mode", INVALID_VALUE, resource, t.addressMode[0] = (CUaddress_mode)4);
  TEXTURE("no such filter mode", INVALID_VALUE, resource, t.filterMode = (CUfilter_mode)2);
  TEXTURE("no such filter mode between levels", INVALID_VALUE, resource,
          t.mipmapFilterMode = (CUfilter_mode)2);
  TEXTURE("no such flag", INVALID_VALUE, resource, t.flags = 0x8000);
  TEXTURE("seamless, no cube map", INVALID_VALUE, resource, t.flags = CU_TRSF_SEAMLESS_CUBEMAP);
  TEXTURE("a seamless cube map", SUCCESS, array_resource(cube), t.flags = CU_TRSF_SEAMLESS_CUBEMAP);
  TEXTURE("no array", INVALID_VALUE, array_resource(NULL), (void)0);
  TEXTURE("no such resource type", INVALID_VALUE, resource, d.resType = (CUresourcetype)4);
  TEXTURE("flags of the resource", INVALID_VALUE, resource, d.flags = 1);
  TEXTURE("a mipmapped array", SUCCESS, mipmap_resource(), t.flags = CU_TRSF_NORMALIZED_COORDINATES);
  TEXTURE("a mipmapped array, coordinates not normalised", SUCCESS, mipmap_resource(), (void)0);
  TEXTURE("linear memory", SUCCESS, linear_resource(), (void)0);
  TEXTURE("linear memory, 4 bytes further", INVALID_VALUE, linear_resource(), d.res.linear.devPtr += 4);
  TEXTURE("linear memory at NULL", INVALID_VALUE, linear_resource(), d.res.linear.devPtr = 0);
  TEXTURE("linear memory, 3 channels", INVALID_VALUE, linear_resource(), d.res.linear.numChannels = 3);
  TEXTURE("linear memory, no such format", INVALID_VALUE, linear_resource(),
          d.res.linear.format = (CUarray_format)0x77);
  TEXTURE("linear memory, no element", SUCCESS, linear_resource(), d.res.linear.sizeInBytes = 0);
  TEXTURE("linear memory, 2^29 elements", SUCCESS, linear_resource(),
          d.res.linear.sizeInBytes = (size_t)1 << 31);
  TEXTURE("pitched memory", SUCCESS, pitch_resource(), (void)0);
  TEXTURE("pitched memory, 4 bytes further", INVALID_VALUE, pitch_resource(), d.res.pitch2D.devPtr += 4);
  TEXTURE("a pitch of 80 bytes", INVALID_VALUE, pitch_resource(), d.res.pitch2D.pitchInBytes = 80);
  TEXTURE("a pitch less than a row", SUCCESS, pitch_resource(), d.res.pitch2D.pitchInBytes = 32);
  TEXTURE("pitched memory of width 0", SUCCESS, pitch_resource(), d.res.pitch2D.width = 0);
  TEXTURE("pitched memory of height 70000", INVALID_VALUE, pitch_resource(), d.res.pitch2D.height = 70000);
  ROW(cuTexObjectCreate, "NULL", INVALID_VALUE, (NULL, &resource, &sampler, NULL));
  ROW(cuTexObjectCreate, "no resource", INVALID_VALUE, (&o.texture, NULL, &sampler, NULL));
  ROW(cuTexObjectCreate, "no description", INVALID_VALUE, (&o.texture, &resource, NULL, NULL));
  WITH(cuTexObjectDestroy, "good", SUCCESS, MUST(cuTexObjectCreate(&gone, &resource, &sampler, NULL)), (gone),
       (void)0);
  ROW(cuTexObjectDestroy, "twice", SOFTWARE_ONLY(INVALID_VALUE), (gone));
  ROW(cuTexObjectDestroy, "0", SUCCESS, (0));
  ROW(cuTexObjectDestroy, "a surface", SOFTWARE_ONLY(INVALID_VALUE), (surface));
  WITH(cuTexObjectGetResourceDesc, "good", SUCCESS, (void)0, (&o.resource, texture),
       HOLDS(o.resource.resType == CU_RESOURCE_TYPE_ARRAY && o.resource.res.array.hArray == flat));
  ROW(cuTexObjectGetResourceDesc, "NULL", INVALID_VALUE, (NULL, texture));
  ROW(cuTexObjectGetResourceDesc, "a destroyed one", SOFTWARE_ONLY(INVALID_VALUE), (&o.resource, gone));
  WITH(cuTexObjectGetTextureDesc, "good", SUCCESS, (void)0, (&o.sampler, texture),
       HOLDS(o.sampler.filterMode == CU_TR_FILTER_MODE_POINT));
  ROW(cuTexObjectGetTextureDesc, "NULL", INVALID_VALUE, (NULL, texture));
  ROW(cuTexObjectGetTextureDesc, "a destroyed one", SOFTWARE_ONLY(INVALID_VALUE), (&o.sampler, gone));
}

/* A texture with a resource view. */
#define VIEW(condition, want, from, change)                                                                  \
  WITH(cuTexObjectCreate, condition, want, (d = from, t = sampler, v = view, change),                        \
       (&o.texture, &d, &t, &v), if (WORKED) MUST(cuTexObjectDestroy(o.texture)))

static void view_rows(void) {
  CUDA_RESOURCE_DESC d;
  CUDA_TEXTURE_DESC t;
  CUDA_ARRAY3D_DESCRIPTOR layered_shape = solid_shape;
  CUDA_RESOURCE_VIEW_DESC v;
  CUarray layered;
  CUtexObject plain;
  start_module();
  start_copies();
  layered_shape.Flags = CUDA_ARRAY3D_LAYERED;
  MUST(cuArray3DCreate_v2(&layered, &layered_shape));
  MUST(cuTexObjectCreate(&plain, &resource, &sampler, NULL));
  VIEW("with a view", SUCCESS, resource, (void)0);
  VIEW("as signed bytes", SUCCESS, resource, v.format = CU_RES_VIEW_FORMAT_SINT_1X8);
  VIEW("a view of no format of its own", SPOILS(INVALID_VALUE), resource, v.format = CU_RES_VIEW_FORMAT_NONE);
  VIEW("a view of larger elements", INVALID_VALUE, resource, v.format = CU_RES_VIEW_FORMAT_UINT_1X16);
  VIEW("a view of another width", INVALID_VALUE, resource, v.width = 8);
  VIEW("a view of level 1 of an array", INVALID_VALUE, resource, v.lastMipmapLevel = 1);
  VIEW("a view of layer 1 of none", INVALID_VALUE, resource, v.lastLayer = 1);
  VIEW("no such format of a view", INVALID_VALUE, resource, v.format = (CUresourceViewFormat)0x50);
  VIEW("a view of two layers", SUCCESS, array_resource(layered), (v.depth = 2, v.lastLayer = 1));
  VIEW("a view of three of two layers", SUCCESS, array_resource(layered), (v.depth = 2, v.lastLayer = 2));
  VIEW("a view of levels", SUCCESS, mipmap_resource(),
       (t.flags = CU_TRSF_NORMALIZED_COORDINATES, v.firstMipmapLevel = 1, v.lastMipmapLevel = 3));
  VIEW("a view of too many levels", SUCCESS, mipmap_resource(),
       (t.flags = CU_TRSF_NORMALIZED_COORDINATES, v.lastMipmapLevel = 5));
  VIEW("a view of linear memory", SUCCESS, linear_resource(), (void)0);
  if (SOFT)
    VIEW("a compressed view", SOFTWARE_ONLY(NOT_SUPPORTED), resource,
         v.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1);
  WITH(cuTexObjectGetResourceViewDesc, "good", SUCCESS, (void)0, (&o.view, texture),
       HOLDS(o.view.width == 16));
  ROW(cuTexObjectGetResourceViewDesc, "without a view", SUCCESS, (&o.view, plain));
  ROW(cuTexObjectGetResourceViewDesc, "NULL", INVALID_VALUE, (NULL, texture));
}

static void surface_rows(void) {
  CUDA_RESOURCE_DESC d;
  CUsurfObject gone = 0;
  start_module();
  start_copies();
#define SURFACE(condition, want, from, change)                                                               \
  WITH(cuSurfObjectCreate, condition, want, (d = from, change), (&o.surface, &d),                            \
       if (WORKED) MUST(cuSurfObjectDestroy(o.surface)))
  SURFACE("good", SUCCESS, array_resource(solid), (void)0);
  SURFACE("an array that is not for surfaces", SUCCESS, resource, (void)0);
  SURFACE("no array", INVALID_VALUE, array_resource(NULL), (void)0);
  SURFACE("a mipmapped array", INVALID_VALUE, mipmap_resource(), (void)0);
  SURFACE("linear memory", INVALID_VALUE, linear_resource(), (void)0);
  SURFACE("flags of the resource", INVALID_VALUE, resource, d.flags = 1);
  ROW(cuSurfObjectCreate, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL, &resource));
  ROW(cuSurfObjectCreate, "no resource", INVALID_VALUE, (&o.surface, NULL));
  WITH(cuSurfObjectDestroy, "good", SUCCESS, MUST(cuSurfObjectCreate(&gone, &resource)), (gone), (void)0);
  ROW(cuSurfObjectDestroy, "twice", SOFTWARE_ONLY(INVALID_VALUE), (gone));
  ROW(cuSurfObjectDestroy, "0", SUCCESS, (0));
  WITH(cuSurfObjectGetResourceDesc, "good", SUCCESS, (void)0, (&o.resource, surface),
       HOLDS(o.resource.res.array.hArray == flat));
  ROW(cuSurfObjectGetResourceDesc, "NULL", INVALID_VALUE, (NULL, surface));
  ROW(cuSurfObjectGetResourceDesc, "a destroyed one", SOFTWARE_ONLY(INVALID_VALUE), (&o.resource, gone));
}

static const char reading_ptx[] =
    HEAD ".visible .global .texref t;\n.visible .global .surfref s;\n"
         ".visible .entry read(.param .u64 o, .param .u32 i) {\n"
         "  .reg .f32 %f<5>;\n  .reg .b32 %r<2>;\n  .reg .b64 %rd<2>;\n"
         "  ld.param.u64 %rd1, [o];\n  ld.param.u32 %r1, [i];\n"
         "  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];\n"
         "  st.global.f32 [%rd1], %f1;\n  ret;\n}\n"
         ".visible .entry write(.param .u32 x, .param .u32 v) {\n"
         "  .reg .b32 %r<4>;\n"
         "  ld.param.u32 %r1, [x];\n  ld.param.u32 %r2, [v];\n  mov.u32 %r3, 0;\n"
         "  sust.b.2d.b32.trap [s, {%r1, %r3}], %r2;\n  ret;\n}\n";

/* Kernels read what was bound when they were launched. */
static void references_work(void) {
  CUmodule m;
  CUfunction read, write;
  CUtexref t;
  CUsurfref s;
  CUdeviceptr out;
  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 4,
                                   .Height = 1,
                                   .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                                   .NumChannels = 1,
                                   .Flags = CUDA_ARRAY3D_SURFACE_LDST};
  const float low[4] = {1, 2, 3, 4}, high[4] = {5, 6, 7, 8};
  float got[2] = {0};
  unsigned index = 2, x = 8, value = 77, words[4] = {0};
  size_t offset = 1;
  OK(cuModuleLoadData(&m, reading_ptx));
  OK(cuModuleGetFunction(&read, m, "read"));
  OK(cuModuleGetFunction(&write, m, "write"));
  OK(cuModuleGetTexRef(&t, m, "t"));
  OK(cuModuleGetSurfRef(&s, m, "s"));
  OK(cuMemAlloc_v2(&out, 8));
  OK(cuMemcpyHtoD_v2(mem, low, sizeof low));
  OK(cuMemcpyHtoD_v2(mem + 1024, high, sizeof high));
  OK(cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 1));
  OK(cuTexRefSetAddress_v2(&offset, t, mem, sizeof low));
  EQ(offset, 0);
  CUdeviceptr to = out;
  void *params[] = {&to, &index};
  OK(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  OK(cuTexRefSetAddress_v2(&offset, t, mem + 1024, sizeof high));
  to = out + 4;
  OK(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  OK(cuMemcpyDtoH_v2(got, out, sizeof got));
  EQ(got[0], 3);
  EQ(got[1], 7);
  if (SOFT) {
    OK(cuTexRefSetFilterMode(t, (CUfilter_mode)2));
    IS(1, cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT));
    OK(cuTexRefSetFormat(t, (CUarray_format)0x77, 1));
    IS(1, cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 1));
    OK(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  }
  OK(cuArray3DCreate_v2(&array, &shape));
  OK(cuSurfRefSetArray(s, array, 0));
  void *write_params[] = {&x, &value};
  OK(cuLaunchKernel(write, 1, 1, 1, 1, 1, 1, 0, NULL, write_params, NULL));
  OK(cuMemcpyAtoH_v2(words, array, 0, sizeof words));
  EQ(words[2], 77);
  OK(cuModuleUnload(m));
  OK(cuArrayDestroy(array));
}

static void reference_rows(void) {
  start_module();
  start_copies();
  references_work();
  const unsigned override = CU_TRSA_OVERRIDE_FORMAT;
  CUtexref no_ref = NULL;
  CUarray_format f;
  ROW(cuModuleGetTexRef, "NULL", INVALID_VALUE, (NULL, mod, "tex_ref"));
  ROW(cuModuleGetTexRef, "no such name", NOT_FOUND, (&o.tex_ref, mod, "nothing"));
  ROW(cuModuleGetTexRef, "a surface's name", NOT_FOUND, (&o.tex_ref, mod, "surf_ref"));
  WITH(cuModuleGetTexRef, "the same each time", SUCCESS, (void)0, (&o.tex_ref, mod, "tex_ref"),
       HOLDS(o.tex_ref == tex_ref));
  ROW(cuModuleGetSurfRef, "good", SUCCESS, (&o.surf_ref, mod, "surf_ref"));
  ROW(cuModuleGetSurfRef, "no such name", NOT_FOUND, (&o.surf_ref, mod, "cell"));
  ROW(cuParamSetTexRef, "good", SUCCESS, (put, CU_PARAM_TR_DEFAULT, tex_ref));
  ROW(cuParamSetTexRef, "a unit", SUCCESS, (put, 0, tex_ref));
  WITH(cuSurfRefGetArray, "good", SUCCESS, (void)0, (&o.array, surf_ref), HOLDS(o.array == loose));
  ROW(cuSurfRefGetArray, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL, surf_ref));
  ROW(cuSurfRefSetArray, "good", SUCCESS, (surf_ref, loose, 0));
  ROW(cuSurfRefSetArray, "an array that is not for surfaces", INVALID_VALUE, (surf_ref, flat, 0));
  ROW(cuSurfRefSetArray, "flags", INVALID_VALUE, (surf_ref, loose, 1));
  ROW(cuTexRefSetArray, "good", SUCCESS, (tex_ref, flat, override));
  ROW(cuTexRefSetArray, "no flags", SUCCESS, (tex_ref, flat, 0));
  WITH(cuTexRefGetArray, "good", SUCCESS, (void)0, (&o.array, tex_ref), HOLDS(o.array == flat));
  ROW(cuTexRefGetArray, "of memory", INVALID_VALUE, (&o.array, mem_ref));
  ROW(cuTexRefSetMipmappedArray, "good", SUCCESS, (mip_ref, mipmap, override));
  ROW(cuTexRefSetMipmappedArray, "no flags", SUCCESS, (mip_ref, mipmap, 0));
  WITH(cuTexRefGetMipmappedArray, "good", SUCCESS, (void)0, (&o.mipmap, mip_ref), HOLDS(o.mipmap == mipmap));
  ROW(cuTexRefGetMipmappedArray, "of an array", INVALID_VALUE, (&o.mipmap, tex_ref));
  WITH(cuTexRefSetAddress_v2, "4 bytes further", SUCCESS, (void)0, (&o.size, mem_ref, mem + 4, 64),
       HOLDS(o.size == 4));
  ROW(cuTexRefSetAddress_v2, "4 bytes further, without an offset", INVALID_VALUE,
      (NULL, mem_ref, mem + 4, 64));
  WITH(cuTexRefGetAddress_v2, "good", SUCCESS, MUST(cuTexRefSetAddress_v2(NULL, mem_ref, mem, MEM)),
       (&o.ptr, mem_ref), HOLDS(o.ptr == mem));
  ROW(cuTexRefGetAddress_v2, "of an array", SPOILS(INVALID_VALUE), (&o.ptr, tex_ref));
  ROW(cuTexRefSetAddress2D_v3, "good", SUCCESS, (mem_ref, &flat_shape, mem, 64));
  ROW(cuTexRefSetAddress2D_v3, "no descriptor", INVALID_VALUE, (mem_ref, NULL, mem, 64));
  ROW(cuTexRefSetFormat, "no such format", SUCCESS, (tex_ref, (CUarray_format)0x77, 1));
  WITH(cuTexRefSetFormat, "good", SUCCESS, (void)0, (tex_ref, CU_AD_FORMAT_HALF, 2),
       HOLDS(cuTexRefGetFormat(&f, NULL, tex_ref) == CUDA_SUCCESS && f == CU_AD_FORMAT_HALF));
  ROW(cuTexRefGetFormat, "good", SUCCESS, (&o.format, &o.i, tex_ref));
  ROW(cuTexRefGetFormat, "NULL", SUCCESS, (NULL, NULL, tex_ref));
  ROW(cuTexRefSetAddressMode, "good", SUCCESS, (tex_ref, 1, CU_TR_ADDRESS_MODE_WRAP));
  ROW(cuTexRefSetAddressMode, "dimension 3", INVALID_VALUE, (tex_ref, 3, CU_TR_ADDRESS_MODE_WRAP));
  ROW(cuTexRefGetAddressMode, "good", SUCCESS, (&o.address_mode, tex_ref, 0));
  ROW(cuTexRefGetAddressMode, "dimension 3", INVALID_VALUE, (&o.address_mode, tex_ref, 3));
  ROW(cuTexRefSetFlags, "good", SUCCESS, (tex_ref, CU_TRSF_NORMALIZED_COORDINATES));
  ROW(cuTexRefSetFlags, "no such flag", INVALID_VALUE, (tex_ref, 0x8000));
  ROW(cuTexRefGetFlags, "good", SUCCESS, (&o.u, tex_ref));
  ROW(cuTexRefGetFlags, "NULL", INVALID_VALUE, (NULL, tex_ref));
#define MODE(set, get, no_such)                                                                              \
  ROW(set, "good", SUCCESS, (tex_ref, CU_TR_FILTER_MODE_LINEAR));                                            \
  ROW(set, "no such mode", no_such, (tex_ref, (CUfilter_mode)2));                                            \
  ROW(get, "good", SUCCESS, (&o.filter_mode, tex_ref));                                                      \
  ROW(get, "NULL", INVALID_VALUE, (NULL, tex_ref))
  MODE(cuTexRefSetFilterMode, cuTexRefGetFilterMode, SUCCESS);
  MODE(cuTexRefSetMipmapFilterMode, cuTexRefGetMipmapFilterMode, INVALID_VALUE);
  ROW(cuTexRefSetMipmapLevelBias, "good", SUCCESS, (tex_ref, 1));
  ROW(cuTexRefSetMipmapLevelBias, "no reference", SOFTWARE_ONLY(INVALID_HANDLE), (no_ref, 1));
  ROW(cuTexRefGetMipmapLevelBias, "good", SUCCESS, (&o.least, tex_ref));
  ROW(cuTexRefGetMipmapLevelBias, "NULL", INVALID_VALUE, (NULL, tex_ref));
  ROW(cuTexRefSetMipmapLevelClamp, "good", SUCCESS, (tex_ref, 0, 3));
  ROW(cuTexRefSetMipmapLevelClamp, "no reference", SOFTWARE_ONLY(INVALID_HANDLE), (no_ref, 0, 3));
  ROW(cuTexRefGetMipmapLevelClamp, "good", SUCCESS, (&o.least, &o.most, tex_ref));
  ROW(cuTexRefGetMipmapLevelClamp, "NULL", INVALID_VALUE, (NULL, NULL, tex_ref));
  ROW(cuTexRefSetMaxAnisotropy, "good", SUCCESS, (tex_ref, 4));
  ROW(cuTexRefSetMaxAnisotropy, "no reference", SOFTWARE_ONLY(INVALID_HANDLE), (no_ref, 4));
  ROW(cuTexRefGetMaxAnisotropy, "good", SUCCESS, (&o.i, tex_ref));
  ROW(cuTexRefGetMaxAnisotropy, "NULL", INVALID_VALUE, (NULL, tex_ref));
  ROW(cuTexRefSetBorderColor, "good", SUCCESS, (tex_ref, border));
  ROW(cuTexRefSetBorderColor, "NULL", INVALID_VALUE, (tex_ref, NULL));
  ROW(cuTexRefGetBorderColor, "good", SUCCESS, (o.border, tex_ref));
  ROW(cuTexRefGetBorderColor, "NULL", INVALID_VALUE, (NULL, tex_ref));
}
