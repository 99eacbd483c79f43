#include "operands.h"

#include <stddef.h>

#include "form.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const uint64_t halves[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400,
                                  0x0401, 0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x3800, 0xb800, 0x3e00,
                                  0xbe00, 0x4100, 0xc100, 0x4248, 0x57f8, 0x5800, 0x5bff, 0xd800,
                                  0x63ff, 0x6400, 0x6401, 0x77ff, 0x7800, 0x7801, 0x7bff, 0xfbff,
                                  0x7c00, 0xfc00, 0x7e00, 0xfe55, 0x7c01, 0xffff, 0x1400, 0x17ff};
static const uint64_t brains[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080,
                                  0x0081, 0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x3f00, 0xbf00, 0x3fc0,
                                  0xbfc0, 0x4020, 0xc020, 0x4049, 0x42fe, 0x4300, 0x437f, 0xc300,
                                  0x46ff, 0x4700, 0x4f00, 0xcf00, 0x5f00, 0xdf00, 0x7f7f, 0xff7f,
                                  0x7f80, 0xff80, 0x7fc0, 0xffd5, 0x7f81, 0xffff, 0x2000, 0x1fff};
/* Zeros, the least and greatest subnormal and normal numbers, ones with their neighbours, ties, the limits of
 * the integers and of half precision, infinities, quiet and signalling NaN. */
static const uint64_t floats[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f000000, 0xbf000000, 0x3fc00000,
    0xbfc00000, 0x40200000, 0xc0200000, 0x40490fdb, 0x477fe000, 0x477ff000, 0x38801000, 0x33000000,
    0x337fffff, 0x42ff0000, 0x437f8000, 0xc3008000, 0x4b000001, 0x4b7fffff, 0x4effffff, 0x4f000000,
    0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x7e800000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345};
static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
    0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x3fefffffffffffff, 0x3ff0000000000000,
    0xbff0000000000000, 0x3ff0000000000001, 0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000,
    0xbff8000000000000, 0x4004000000000000, 0xc004000000000000, 0x4330000000000001, 0x433fffffffffffff,
    0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000,
    0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000,
    0x47efffffe0000000, 0x47effffff0000000, 0x380fffffffffffff, 0x3810000000000000, 0x36a0000000000000,
    0x3ff0000010000000, 0x40effdffffffffff, 0x40effe0000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8123456789abc, 0x7ff4123456789abc};
static const uint64_t words[] = {
    0,          1,         2,          3,          7,          8,          15,         16,
    31,         32,        33,         63,         64,         100,        127,        128,
    255,        256,       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,
    0xffffff,   0x1000000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0x80008000, 0x7fff7fff,
    0x7f80ff01, 0x3210,    0xaaaaaaaa, 0x55555555, 0xffff8000, 0xffffff80, 0xfffffffe, 0xffffffff};
static const uint64_t longs[] = {
    0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x000000000000001f, 0x0000000000000020,
    0x000000000000003f, 0x0000000000000040, 0x00000000000000ff, 0x0000000000007fff, 0x000000000000ffff,
    0x0000000001000001, 0x000000007fffffff, 0x0000000080000000, 0x00000000ffffffff, 0x0000000100000000,
    0x0000000100000001, 0x001fffffffffffff, 0x0020000000000001, 0x00ffffff80000001, 0x7fffffbfffffffff,
    0x7fffff8000000001, 0x7ffffffffffffdff, 0x7ffffffffffffe00, 0x7fffffffffffffff, 0x8000000000000000,
    0x8000000000000001, 0xaaaaaaaa55555555, 0xfedcba9876543210, 0xffffffff00000000, 0xffffffff7fffffff,
    0xffffffff80000000, 0xffffffffffff7fff, 0xffffffffffff8000, 0xffffffffffffff7f, 0xffffffffffffff80,
    0xfffffffffffffbff, 0xffffffffffffffc0, 0xffffffffffffffe0, 0xfffffffffffffffe, 0xffffffffffffffff};
static const uint64_t shorts[] = {0,      1,      2,      3,      7,      8,      15,     16,
                                  31,     32,     33,     63,     100,    127,    128,    129,
                                  254,    255,    256,    0x0fff, 0x7f80, 0x7f7f, 0x7ffe, 0x7fff,
                                  0x8000, 0x8001, 0x807f, 0x8080, 0xaaaa, 0x5555, 0x3210, 0xff00,
                                  0xff7f, 0xff80, 0xff81, 0xffc0, 0xfff0, 0xfff8, 0xfffe, 0xffff};
static const uint64_t counts[] = {0,   1,   2,   4,   5,   7,   8,     9,       15,         16,
                                  17,  24,  30,  31,  32,  33,  40,    47,      48,         62,
                                  63,  64,  65,  66,  95,  96,  97,    127,     128,        129,
                                  191, 200, 254, 255, 256, 257, 0x101, 0x10000, 0x80000000, 0xffffffff};
/* The last lane of a shuffle, and the bits that stay. */
static const uint64_t limits[] = {31,     0,      0x1f,   0x181f, 0x1c07, 0x1e01,
                                  0x1f00, 0x101f, 0x1800, 0x0b,   0x0a15, 0xffffe0ff};
static const uint64_t truths[] = {0, 1};

static uint64_t state = 88172645463325252u;
uint64_t any_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static size_t edges(char letter, const uint64_t **list) {
  switch (letter) {
#define LIST(l, name)                                                                                        \
  case l: *list = name; return COUNT(name)
    LIST('H', halves);
    LIST('J', halves);
    LIST('B', brains);
    LIST('K', brains);
    LIST('f', floats);
    LIST('P', floats);
    LIST('d', doubles);
    LIST('w', words);
    LIST('x', longs);
    LIST('h', shorts);
    LIST('b', shorts);
    LIST('s', counts);
    LIST('c', limits);
#undef LIST
  default: *list = truths; return COUNT(truths);
  }
}

/* A number of a size at which operations of two of them interact. */
static uint64_t near_one(char letter) {
  const uint64_t v = any_bits(), sign = v >> 63;
  switch (letter) {
  case 'f': return sign << 31 | (117 + (v >> 32) % 20) << 23 | (v & 0x7fffff);
  case 'd': return sign << 63 | (1003 + (v >> 52) % 40) << 52 | (v & 0xfffffffffffff);
  case 'H': return sign << 15 | (10 + (v >> 32) % 11) << 10 | (v & 0x3ff);
  case 'B': return sign << 15 | (117 + (v >> 32) % 20) << 7 | (v & 0x7f);
  case 's': return v % 70;
  case 'w': return (uint32_t)v >> (v >> 32) % 32;
  case 'x': return v >> (v & 63);
  default: return v;
  }
}

static uint64_t cut(char letter, uint64_t v) {
  const int bytes = letter_bytes(letter);
  return letter == 'p' ? v & 1 : bytes == 8 ? v : v & (((uint64_t)1 << 8 * bytes) - 1);
}

static uint64_t any(char letter) {
  const uint64_t *list;
  const size_t n = edges(letter, &list);
  const uint64_t kind = any_bits() % 8;
  return cut(letter, kind < 3 ? list[any_bits() % n] : kind < 6 ? near_one(letter) : any_bits());
}

uint64_t operand(const char *letters, int k, uint32_t i) {
  const uint64_t *list;
  const char letter = letters[k];
  const char part = letter == 'J' ? 'H' : letter == 'K' ? 'B' : letter == 'P' ? 'f' : letter;
  const size_t n = edges(letter, &list), first = edges(letters[0], &list),
               second = letters[1] ? edges(letters[1], &list) : 1;
  edges(letter, &list);
  uint64_t v = any(part);
  if (i < first * second && k < 2) v = list[(k == 0 ? i % first : i / first) % n];
  return part != letter ? v | any(part) << 4 * letter_bytes(letter) : cut(letter, v);
}
