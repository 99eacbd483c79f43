/* What PTX has and this machine has not: a kernel with such a form cannot run here, but its module can be
 * loaded. Whatever else is unsupported is no PTX at all. */
#include "decode/decode.h"
#include "ptx/version.h"

#include <string.h>

/* Instructions of which no form is here, or next to none. */
static const char absent[] = " clusterlaunchcontrol createpolicy istypep ldmatrix mma movmatrix "
                             "multimem stmatrix "
                             "sured tcgen05 tensormap vabsdiff vadd vmax "
                             "vmin vset vshl vshr vsub wgmma wmma ";

/* Instructions of which some forms are missing, */
static const char partly[] = " add atom barrier cp cvt discard elect ex2 fence fma getctarank ld mapa max "
                             "mbarrier membar min mul prefetch red "
                             "redux set setp shfl st sub suld suq sust tanh tex tld4 txq vabsdiff2 vabsdiff4 "
                             "vadd2 vadd4 vavrg2 vavrg4 "
                             "vmax2 vmax4 vmin2 vmin4 vset2 vset4 "
                             "vsub2 vsub4 ";
/* ... and the modifiers of these. */
static const char words[] = " abs acq_rel acquire add aligned alias alloc and approx arrive arrive_drop "
                            "async b1 b128 b16 b32 b64 b8 bf16 "
                            "bf16x2 bulk bfly bulk_group ca cas cg cluster commit_group complete_tx const cs "
                            "cta cv dec down e2m1x2 e2m1x4 e2m3x2 e2m3x4 e3m2x4 "
                            "e3m2x2 e4m3 e4m3x2 e4m3x4 e5m2 e5m2x2 e5m2x4 eq equ exch expect_tx f16 f16x2 "
                            "f32 f32x2 f64 ftz full ge generic geu "
                            "global gpu gt gtu hi hs idx im2col inc init inval le leu lo local ls lt ltu lu "
                            "max mbarrier mbarrier_init min mmio "
                            "nan NaN nc ne neu noComplete noftz noinc num oob or param parity pending_count "
                            "popc pred prefetch proxy read red "
                            "reduce relaxed release relu rm rmi rn rna rni rp rpi rs rz rzi s16 s16x2 s32 "
                            "s64 s8 sat satfinite sc scaled shared "
                            "sync sys tensor tensormap test_wait tf32 tile try_wait u16 u16x2 u32 u64 u8 "
                            "ue8m0x2 unified up v16 v2 v4 v8 "
                            "volatile wait wait_all wait_group wb weak wt xor xorsign 1d 2d 3d 4d 5d "
                            "a a1d a2d a2dms acube addr_mode_0 addr_mode_1 addr_mode_2 b base "
                            "channel_data_type channel_order clamp cube depth filter_mode "
                            "force_unnormalized_coords g grad height level normalized_coords "
                            "num_mipmap_levels num_samples p r trap width zero 2dms ";

static bool in_list(const char *list, const char *word) {
  const size_t n = strlen(word);
  for (const char *p = list; n && (p = strstr(p, word)); p++)
    if (p > list && p[-1] == ' ' && p[n] == ' ') return true;
  return false;
}

static bool is_missing(const PtxInst *in) {
  if (in_list(absent, in->op)) return true;
  if (!in_list(partly, in->op)) return false;
  for (uint32_t i = 0; i < in->nmods; i++)
    if (!in_list(words, in->mods[i]) && !strstr(in->mods[i], "::")) return false;
  return true;
}

/* A newer version of PTX may have any instruction. */
void dec_unsupported(Decoder *d, const char *why) {
  char newer[PTX_VERSION_TEXT];
  ptx_newer_text(d->px->version, newer, sizeof newer);
  d->code = *newer || is_missing(d->at) ? SG_NOT_SUPPORTED : SG_INVALID_PTX;
  dec_fail(d, "unsupported instruction `%s`%s%s%s", d->at->form, why ? ": " : "", why ? why : "", newer);
}
