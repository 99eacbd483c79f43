/* What kernels read on the software device through textures whose descriptions an H200's driver does not
 * check: nothing outside of the resource, and no crash. */

static const char bounds_ptx[] =
    HEAD ".visible .entry line(.param .u64 o, .param .u64 t, .param .u32 x) {\n"
         "  .reg .f32 %f<5>;\n  .reg .b32 %r<2>;\n  .reg .b64 %rd<3>;\n"
         "  ld.param.u64 %rd1, [o];\n  ld.param.u64 %rd2, [t];\n  ld.param.u32 %r1, [x];\n"
         "  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1}];\n"
         "  st.global.f32 [%rd1], %f1;\n  ret;\n}\n"
         ".visible .entry plane(.param .u64 o, .param .u64 t, .param .f32 x, .param .f32 y) {\n"
         "  .reg .f32 %f<7>;\n  .reg .b64 %rd<3>;\n"
         "  ld.param.u64 %rd1, [o];\n  ld.param.u64 %rd2, [t];\n"
         "  ld.param.f32 %f5, [x];\n  ld.param.f32 %f6, [y];\n"
         "  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6}];\n"
         "  st.global.f32 [%rd1], %f1;\n  ret;\n}\n"
         ".visible .entry layer(.param .u64 o, .param .u64 t, .param .u32 n) {\n"
         "  .reg .f32 %f<6>;\n  .reg .b32 %r<2>;\n  .reg .b64 %rd<3>;\n"
         "  ld.param.u64 %rd1, [o];\n  ld.param.u64 %rd2, [t];\n  ld.param.u32 %r1, [n];\n"
         "  mov.f32 %f5, 0f3f000000;\n"
         "  tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1, %f5, %f5, %f5}];\n"
         "  st.global.f32 [%rd1], %f1;\n  ret;\n}\n"
         ".visible .entry level(.param .u64 o, .param .u64 t, .param .f32 n) {\n"
         "  .reg .f32 %f<7>;\n  .reg .b64 %rd<3>;\n"
         "  ld.param.u64 %rd1, [o];\n  ld.param.u64 %rd2, [t];\n  ld.param.f32 %f6, [n];\n"
         "  mov.f32 %f5, 0f3f000000;\n"
         "  tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f5}], %f6;\n"
         "  st.global.f32 [%rd1], %f1;\n  ret;\n}\n";

static CUmodule bounds_module;
static CUdeviceptr bounds_out;

/* The float that one thread of the kernel reads; a and b are its parameters behind the texture. */
static float texel(const char *entry, CUtexObject t, void *a, void *b) {
  CUfunction f;
  float got = -1;
  void *params[] = {&bounds_out, &t, a, b};
  OK(cuModuleGetFunction(&f, bounds_module, entry));
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  OK(cuMemcpyDtoH_v2(&got, bounds_out, sizeof got));
  return got;
}

static float texel_at(CUtexObject t, float x, float y) { return texel("plane", t, &x, &y); }

static CUtexObject made(CUDA_RESOURCE_DESC d, CUDA_TEXTURE_DESC t, const CUDA_RESOURCE_VIEW_DESC *v) {
  CUtexObject made_ = 0;
  OK(cuTexObjectCreate(&made_, &d, &t, v));
  return made_;
}

static void memory_bounds(void) {
  CUDA_RESOURCE_DESC d = linear_resource();
  unsigned at_0 = 0, third = 2;
  d.res.linear.sizeInBytes = 0;
  EQ(texel("line", made(d, sampler, NULL), &at_0, NULL), 0);
  EQ(texel("line", made(linear_resource(), sampler, &view), &third, NULL), 2); /* the view has no effect */
  d = pitch_resource();
  d.res.pitch2D.pitchInBytes = 32;
  EQ(texel_at(made(d, sampler, NULL), 3.5f, 2.5f), 2 * 8 + 3);
  d = pitch_resource();
  d.res.pitch2D.width = 0;
  for (int mode = CU_TR_ADDRESS_MODE_WRAP; mode <= CU_TR_ADDRESS_MODE_BORDER; mode++) {
    CUDA_TEXTURE_DESC t = {.flags = CU_TRSF_NORMALIZED_COORDINATES, .borderColor = {9}};
    t.addressMode[0] = t.addressMode[1] = (CUaddress_mode)mode;
    EQ(texel_at(made(d, t, NULL), 1.5f, 0.1f), mode == CU_TR_ADDRESS_MODE_BORDER ? 9 : 0);
  }
}

static CUDA_RESOURCE_VIEW_DESC float_view(size_t depth) {
  return (CUDA_RESOURCE_VIEW_DESC){
      .format = CU_RES_VIEW_FORMAT_FLOAT_1X32, .width = 4, .height = 4, .depth = depth};
}

static void view_bounds(void) {
  CUDA_ARRAY3D_DESCRIPTOR s = {.Width = 4,
                               .Height = 4,
                               .Depth = 2,
                               .Format = CU_AD_FORMAT_FLOAT,
                               .NumChannels = 1,
                               .Flags = CUDA_ARRAY3D_LAYERED};
  CUDA_TEXTURE_DESC normalised = {.flags = CU_TRSF_NORMALIZED_COORDINATES, .maxMipmapLevelClamp = 99};
  const CUDA_TEXTURE_DESC in_texels = {.maxMipmapLevelClamp = 99};
  float texels[32];
  unsigned sixth = 5;
  float tenth = 9, one = 1;
  for (int i = 0; i < 32; i++) texels[i] = (float)i;
  CUarray layers;
  OK(cuArray3DCreate_v2(&layers, &s));
  CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = texels,
                       .srcPitch = 16,
                       .srcHeight = 4,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = layers,
                       .WidthInBytes = 16,
                       .Height = 4,
                       .Depth = 2};
  OK(cuMemcpy3D_v2(&box));
  CUDA_RESOURCE_VIEW_DESC v = float_view(2);
  v.lastLayer = 7;
  EQ(texel("layer", made(array_resource(layers), sampler, &v), &sixth, NULL), 16);
  CUmipmappedArray levels;
  CUarray level;
  s.Depth = s.Flags = 0;
  OK(cuMipmappedArrayCreate(&levels, &s, 2));
  for (unsigned i = 0; i < 2; i++) {
    OK(cuMipmappedArrayGetLevel(&level, levels, i));
    box = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = texels + 10 * i,
                          .srcPitch = 16 >> i,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = level,
                          .WidthInBytes = 16 >> i,
                          .Height = 4 >> i,
                          .Depth = 1};
    OK(cuMemcpy3D_v2(&box));
  }
  CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap = {levels}};
  v = float_view(0);
  v.lastMipmapLevel = 99;
  EQ(texel("level", made(d, normalised, &v), &tenth, NULL), 10 + 3);
  EQ(texel("level", made(d, in_texels, NULL), &one, NULL), 10);
}

static void image_bounds(void) {
  unsigned third = 2, far = 1u << 28;
  float floats[64];
  for (int i = 0; i < 64; i++) floats[i] = (float)i;
  start_module();
  start_copies();
  OK(cuModuleLoadData(&bounds_module, bounds_ptx));
  OK(cuMemAlloc_v2(&bounds_out, 4));
  OK(cuMemcpyHtoD_v2(mem, floats, sizeof floats));
  memory_bounds();
  view_bounds();
  /* Beyond the allocation: reported as an address is. */
  CUDA_RESOURCE_DESC d = linear_resource();
  d.res.linear.sizeInBytes = (size_t)1 << 31;
  CUtexObject wide = made(d, sampler, NULL);
  EQ(texel("line", wide, &third, NULL), 2);
  void *params[] = {&bounds_out, &wide, &far};
  CUfunction f;
  OK(cuModuleGetFunction(&f, bounds_module, "line"));
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}
