/* Formats of arrays and of resource views, as texels (base/texel.h). */
#include "driver/format.h"

/* The formats of normalised integers: 8 and 16 bits, unsigned and signed, of 1, 2 and 4 channels each. */
static bool normalised(CUarray_format f) {
  return f >= CU_AD_FORMAT_UNORM_INT8X1 && f <= CU_AD_FORMAT_SNORM_INT16X4;
}

static unsigned normalised_index(CUarray_format f) { return (unsigned)f - CU_AD_FORMAT_UNORM_INT8X1; }

SgChannel sg_format_channel(CUarray_format f) {
  static const SgChannel norms[] = {SG_UN8, SG_UN16, SG_SN8, SG_SN16};
  if (normalised(f)) return norms[normalised_index(f) / 3];
  switch (f) {
  case CU_AD_FORMAT_UNORM_INT_101010_2: return SG_UN101010_2;
  case CU_AD_FORMAT_UNSIGNED_INT8: return SG_U8;
  case CU_AD_FORMAT_SIGNED_INT8: return SG_S8;
  case CU_AD_FORMAT_UNSIGNED_INT16: return SG_U16;
  case CU_AD_FORMAT_SIGNED_INT16: return SG_S16;
  case CU_AD_FORMAT_UNSIGNED_INT32: return SG_U32;
  case CU_AD_FORMAT_SIGNED_INT32: return SG_S32;
  case CU_AD_FORMAT_HALF: return SG_F16;
  case CU_AD_FORMAT_FLOAT: return SG_F32;
  default: return SG_NO_CHANNEL;
  }
}

SgTexel sg_format_texel(CUarray_format f, unsigned channels) {
  if (normalised(f) && channels != 1u << normalised_index(f) % 3) return (SgTexel){0};
  return sg_texel(sg_format_channel(f), channels);
}

bool sg_format_known(CUarray_format f) {
  return f >= CU_AD_FORMAT_BC1_UNORM && f <= CU_AD_FORMAT_YUV444_16bit_SemiPlanar;
}

SgTexel sg_view_texel(CUresourceViewFormat f) {
  static const SgChannel channel[] = {SG_U8, SG_S8, SG_U16, SG_S16, SG_U32, SG_S32, SG_F16, SG_F32};
  const unsigned i = (unsigned)f - CU_RES_VIEW_FORMAT_UINT_1X8;
  if (f < CU_RES_VIEW_FORMAT_UINT_1X8 || f > CU_RES_VIEW_FORMAT_FLOAT_4X32) return (SgTexel){0};
  return sg_texel(channel[i / 3], 1u << i % 3);
}
