/* The order of blocks is a function of a place, so that no list is kept: a shuffled one is a cipher over the
 * numbers of the blocks. */
#include "machine/block_order.h"

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* A permutation of [0, n): four rounds over two halves of the least even number of bits that n fits, taken
 * again while the result is beyond n. */
static uint64_t shuffle(uint64_t x, uint64_t n, uint64_t seed) {
  unsigned half = 1;
  while (half < 31 && (uint64_t)1 << 2 * half < n) half++;
  const uint64_t mask = ((uint64_t)1 << half) - 1;
  do {
    uint64_t left = x >> half, right = x & mask;
    for (uint64_t round = 0; round < 4; round++) {
      const uint64_t next = left ^ (mix(right + (seed + round) * 0x9e3779b97f4a7c15u) & mask);
      left = right;
      right = next;
    }
    x = left << half | right;
  } while (x >= n);
  return x;
}

uint64_t sg_order_at(const Order *o, uint64_t at) {
  if (o->kind == SG_FORWARD) return at;
  const uint64_t first = at - at % o->window;
  const uint64_t n = o->blocks - first < o->window ? o->blocks - first : o->window;
  const uint64_t i = at - first;
  return first + (o->kind == SG_REVERSE ? n - 1 - i : shuffle(i, n, o->seed + first));
}
