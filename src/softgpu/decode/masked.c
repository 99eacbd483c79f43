/* Loads of which not all bytes are used: compilers widen loads over gaps, or beyond the end of what they
 * need, and a pragma, used_bytes_mask, tells the bytes that count. The others need not be there, nor written,
 * and other threads may store to them: so what is used is loaded piece by piece, each piece a load of its own
 * for bounds and checks. The whole has to be aligned as if all of it were loaded.
 *
 * The other bytes are what memory holds, where there is memory: NVRTC 13.0 names too few bytes now and then
 * (a load that it merged with another one keeps the mask that it had alone), and such kernels are right on a
 * GPU. Where there is none they are 0xA5, as in memory that nobody wrote: the same in each run, and no value
 * that happens to be right. */
#include "decode/decode.h"

static void check_alignment(Decoder *d, const DecLoad *l) {
  const uint32_t whole = (uint32_t)ptx_type_size(l->type) * l->n;
  Ins *in = dec_access(d, OP_aligned, NO_ROW, l->base, NO_ROW, true);
  in->imm = l->imm;
  in->sub = l->space;
  in->bytes = (uint8_t)whole;
}

/* Bytes of the largest piece of an element at `at`, whose bytes from there on are used as `used` says. */
static uint32_t piece_at(uint32_t used, uint32_t at) {
  uint32_t bytes = 4;
  while (at & (bytes - 1) || ~used & ((1u << bytes) - 1)) bytes /= 2;
  return bytes;
}

/* The element at `first` as far as there is memory, in a register of 64 bits. */
static uint32_t peek(Decoder *d, const DecLoad *l, uint32_t first) {
  const uint32_t value = dec_temp(d, 8);
  Ins *in = dec_access(d, OP_peek, value, l->base, NO_ROW, true);
  in->imm = l->imm + first;
  in->sub = l->space;
  in->bytes = (uint8_t)ptx_type_size(l->type);
  return value;
}

static uint32_t calculated(Decoder *d, enum Op op, uint32_t a, uint32_t b) {
  const uint32_t value = dec_temp(d, 8);
  dec_calc(d, op, value, a, b, NO_ROW);
  return value;
}

/* From 64 bits to the element's register. */
static void put(Decoder *d, const DecLoad *l, uint32_t dst, uint32_t value) {
  const uint32_t rest = 64 - 8 * (uint32_t)ptx_type_size(l->type), width = d->width[dst];
  if (dec_is_signed(l->type) && rest) {
    const uint32_t shift = dec_const(d, 4, rest);
    value = calculated(d, OP_shr_sx, calculated(d, OP_shl_x, value, shift), shift);
  }
  const enum Op op = width == 8 ? OP_mov_x : width == 4 ? OP_cut_w_x : width == 2 ? OP_cut_h_x : OP_cut_b_x;
  dec_emit(d, op, dst, value, NO_ROW, NO_ROW);
}

/* The bytes of an element that `used` names, put together with what is in its gaps. */
static uint32_t partly(Decoder *d, const DecLoad *l, uint32_t first, uint32_t used) {
  static const PtxType types[] = {[1] = PTX_U8, [2] = PTX_U16, [4] = PTX_U32};
  const uint32_t bytes = (uint32_t)ptx_type_size(l->type);
  uint64_t gaps = 0;
  for (uint32_t at = 0; at < bytes; at++)
    if (!(used >> at & 1)) gaps |= (uint64_t)0xff << (8 * at);
  uint32_t sum = calculated(d, OP_and_x, peek(d, l, first), dec_const(d, 8, gaps));
  for (uint32_t at = 0; at < bytes;) {
    const uint32_t n = used >> at & 1 ? piece_at(used >> at, at) : 1;
    if (used >> at & 1) {
      const uint32_t piece = dec_temp(d, 8);
      dec_load_part(d, l, piece, types[n], first + at, true);
      sum = calculated(d, OP_or_x, sum, calculated(d, OP_shl_x, piece, dec_const(d, 4, 8 * at)));
    }
    at += n;
  }
  return sum;
}

void dec_load_masked(Decoder *d, const DecLoad *l, uint32_t used) {
  const uint32_t bytes = (uint32_t)ptx_type_size(l->type), all = (1u << bytes) - 1;
  if (l->space != SP_PARAM || l->base != NO_ROW) check_alignment(d, l);
  for (uint32_t i = 0; i < l->n; i++) {
    const uint32_t first = i * bytes, of_this = used >> first & all;
    if (of_this == all)
      dec_load_part(d, l, l->dst[i], l->type, first, true);
    else
      put(d, l, l->dst[i], of_this ? partly(d, l, first, of_this) : peek(d, l, first));
  }
}
