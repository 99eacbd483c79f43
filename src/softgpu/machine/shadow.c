/* Which bytes of memory were written: a byte for each word of four, a bit in it for each byte of the word. */
#include "machine/check.h"

#include <stdlib.h>
#include <string.h>

/* Bits of the bytes of [at, at + bytes) that lie in word w. */
static uint8_t bits_in(uint64_t w, uint64_t at, uint64_t bytes) {
  const uint64_t from = at > w * 4 ? at - w * 4 : 0, to = at + bytes - w * 4 < 4 ? at + bytes - w * 4 : 4;
  return (uint8_t)((1u << to) - (1u << from));
}

bool sg_written_at(const uint8_t *init, uint64_t at, uint32_t bytes) {
  for (uint64_t w = at / 4; w * 4 < at + bytes; w++)
    if (!(init[w] & bits_in(w, at, bytes))) return false;
  return true;
}

bool sg_written_all(const uint8_t *init, uint64_t at, uint64_t bytes) {
  const uint64_t from = at / 4;
  return !memchr(init + from, 0, (at + bytes + 3) / 4 - from);
}

void sg_write_at(uint8_t *init, uint64_t at, uint64_t bytes) {
  if (!bytes) return;
  uint64_t w = at / 4, last = (at + bytes - 1) / 4;
  init[w] |= bits_in(w, at, bytes);
  if (w == last) return;
  init[last] |= bits_in(last, at, bytes);
  if (last - w > 1) memset(init + w + 1, 15, last - w - 1);
}

void sg_write_row(uint8_t *init, uint64_t *full, uint64_t at, uint64_t bytes) {
  sg_write_at(init, at, bytes);
  if (at <= *full && at + bytes > *full) *full = at + bytes;
}

void sg_memory_written(uint64_t addr, uint64_t bytes) {
  SgAlloc *a = bytes ? sg_arena_at(addr) : NULL;
  if (!a || !a->init) return;
  const uint64_t at = addr - a->base, left = a->size - at;
  if (bytes > left) bytes = left;
  if (bytes == a->size) {
    sg_arena_all_written(a);
  } else {
    sg_write_row(a->init, &a->full, at, bytes);
  }
}

void sg_memory_copied(uint64_t to, uint64_t from, uint64_t bytes) {
  SgAlloc *a = bytes ? sg_arena_at(to) : NULL;
  const SgAlloc *b = bytes ? sg_arena_at(from) : NULL;
  if (!b || !b->init) {
    sg_memory_written(to, bytes);
    return;
  }
  if (!a || !a->init) return; /* what was written stays so: a copy of nothing is not looked for */
  uint64_t at = to - a->base, was = from - b->base;
  if (bytes > a->size - at) bytes = a->size - at;
  if (bytes > b->size - was) bytes = b->size - was;
  if (a->full > at) a->full = at;
  if ((at | was) % 4 == 0 && a != b) {
    memcpy(a->init + at / 4, b->init + was / 4, bytes / 4);
    at += bytes & ~(uint64_t)3;
    was += bytes & ~(uint64_t)3;
    bytes &= 3;
  }
  for (uint64_t i = 0; i < bytes; i++) {
    const uint8_t bit = (uint8_t)(1u << ((at + i) & 3));
    if (b->init[(was + i) / 4] >> ((was + i) & 3) & 1)
      a->init[(at + i) / 4] |= bit;
    else
      a->init[(at + i) / 4] &= (uint8_t)~bit;
  }
}
