/* Special registers: rows that are filled once, constants, and clocks that are read each time. */
#include "decode/decode.h"

#include <string.h>

static const struct {
  const char *name;
  FillKind kind;
  uint8_t width;
  enum Op op; /* read by an instruction each time */
} specials[] = {
    {"%tid.x", FILL_TID_X, 4, OP_COUNT},
    {"%tid.y", FILL_TID_Y, 4, OP_COUNT},
    {"%tid.z", FILL_TID_Z, 4, OP_COUNT},
    {"%ntid.x", FILL_NTID_X, 4, OP_COUNT},
    {"%ntid.y", FILL_NTID_Y, 4, OP_COUNT},
    {"%ntid.z", FILL_NTID_Z, 4, OP_COUNT},
    {"%ctaid.x", FILL_CTAID_X, 4, OP_COUNT},
    {"%ctaid.y", FILL_CTAID_Y, 4, OP_COUNT},
    {"%ctaid.z", FILL_CTAID_Z, 4, OP_COUNT},
    {"%nctaid.x", FILL_NCTAID_X, 4, OP_COUNT},
    {"%nctaid.y", FILL_NCTAID_Y, 4, OP_COUNT},
    {"%nctaid.z", FILL_NCTAID_Z, 4, OP_COUNT},
    {"%clusterid.x", FILL_CTAID_X, 4, OP_COUNT},
    {"%clusterid.y", FILL_CTAID_Y, 4, OP_COUNT},
    {"%clusterid.z", FILL_CTAID_Z, 4, OP_COUNT},
    {"%nclusterid.x", FILL_NCTAID_X, 4, OP_COUNT},
    {"%nclusterid.y", FILL_NCTAID_Y, 4, OP_COUNT},
    {"%nclusterid.z", FILL_NCTAID_Z, 4, OP_COUNT},
    {"%laneid", FILL_LANEID, 4, OP_COUNT},
    {"%warpid", FILL_WARPID, 4, OP_COUNT},
    {"%nwarpid", FILL_NWARPID, 4, OP_COUNT},
    {"%lanemask_eq", FILL_LANEMASK_EQ, 4, OP_COUNT},
    {"%lanemask_le", FILL_LANEMASK_LE, 4, OP_COUNT},
    {"%lanemask_lt", FILL_LANEMASK_LT, 4, OP_COUNT},
    {"%lanemask_ge", FILL_LANEMASK_GE, 4, OP_COUNT},
    {"%lanemask_gt", FILL_LANEMASK_GT, 4, OP_COUNT},
    {"%smid", FILL_SMID, 4, OP_COUNT},
    {"%nsmid", FILL_NSMID, 4, OP_COUNT},
    {"%gridid", FILL_GRIDID, 8, OP_COUNT},
    {"%dynamic_smem_size", FILL_DYNAMIC_SMEM, 4, OP_COUNT},
    {"%total_smem_size", FILL_TOTAL_SMEM, 4, OP_COUNT},
    {"%aggr_smem_size", FILL_TOTAL_SMEM, 4, OP_COUNT},
    {"%reserved_smem_offset_begin", FILL_RESERVED_BEGIN, 4, OP_COUNT},
    {"%reserved_smem_offset_0", FILL_RESERVED_BEGIN, 4, OP_COUNT},
    {"%reserved_smem_offset_1", FILL_RESERVED_BEGIN, 4, OP_COUNT},
    {"%reserved_smem_offset_end", FILL_RESERVED_END, 4, OP_COUNT},
    {"%reserved_smem_offset_cap", FILL_RESERVED_END, 4, OP_COUNT},
    {"%envreg1", FILL_ENVREG1, 4, OP_COUNT},
    {"%envreg2", FILL_ENVREG2, 4, OP_COUNT},
    {"%clock", FILL_CONST, 4, OP_clock_w},
    {"%clock_hi", FILL_CONST, 4, OP_clockhi},
    {"%clock64", FILL_CONST, 8, OP_clock_x},
    {"%globaltimer", FILL_CONST, 8, OP_timer_x},
    {"%globaltimer_lo", FILL_CONST, 4, OP_timerlo},
    {"%globaltimer_hi", FILL_CONST, 4, OP_timerhi},
};

/* %tid.w and its kin are 0, %ntid.w and its kin 1; a cluster is one block. */
static bool special_constant(const char *name, uint64_t *bits, uint32_t *width) {
  static const struct {
    const char *name;
    uint8_t bits, width;
  } table[] = {{"%tid.w", 0, 4},
               {"%ntid.w", 1, 4},
               {"%ctaid.w", 0, 4},
               {"%nctaid.w", 1, 4},
               {"%clusterid.w", 0, 4},
               {"%nclusterid.w", 1, 4},
               {"%cluster_ctaid.x", 0, 4},
               {"%cluster_ctaid.y", 0, 4},
               {"%cluster_ctaid.z", 0, 4},
               {"%cluster_ctaid.w", 0, 4},
               {"%cluster_nctaid.x", 1, 4},
               {"%cluster_nctaid.y", 1, 4},
               {"%cluster_nctaid.z", 1, 4},
               {"%cluster_nctaid.w", 1, 4},
               {"%cluster_ctarank", 0, 4},
               {"%cluster_nctarank", 1, 4},
               {"%is_explicit_cluster", 0, 1}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].name, name) != 0) continue;
    *bits = table[i].bits;
    *width = table[i].width;
    return true;
  }
  /* Performance counters that nobody has programmed. */
  if (strncmp(name, "%envreg", 7) == 0 || strncmp(name, "%pm", 3) == 0) {
    *bits = 0;
    *width = strstr(name, "_64") ? 8 : 4;
    return true;
  }
  return false;
}

uint32_t dec_special_register(Decoder *d, const char *name) {
  uint64_t bits = 0;
  uint32_t width = 4;
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
    if (strcmp(specials[i].name, name) != 0) continue;
    if (specials[i].kind == FILL_RESERVED_BEGIN || specials[i].kind == FILL_RESERVED_END)
      d->k->reserves = true;
    if (specials[i].op == OP_COUNT) return dec_special(d, specials[i].kind, specials[i].width);
    const uint32_t t = dec_temp(d, specials[i].width);
    dec_calc(d, specials[i].op, t, NO_ROW, NO_ROW, NO_ROW)->flags |= INS_IMPURE;
    return t;
  }
  if (special_constant(name, &bits, &width)) return dec_const(d, width, bits);
  dec_fail(d, "unsupported special register %s", name);
}
