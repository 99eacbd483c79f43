/* SHA-256 (FIPS 180-4), for the names and the integrity of cache entries. The processor's own instructions
 * are used where it has them: ten times as fast, which counts for images of megabytes. */
#include "base/sha256.h"

#include "base/base.h"

#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <string.h>

static const uint32_t k[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static uint32_t load(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void plain_blocks(uint32_t h[8], const uint8_t *p, size_t blocks) {
  for (; blocks; blocks--, p += 64) {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++) w[i] = load(p + 4 * i);
    for (int i = 16; i < 64; i++) {
      uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
             (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
      uint32_t e = s[4], a = s[0];
      uint32_t t1 =
          s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
      uint32_t t2 =
          (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      memmove(s + 1, s, 7 * sizeof *s);
      s[4] += t1;
      s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) h[i] += s[i];
  }
}

/* The instructions want the state as ABEF and CDGH, and do two rounds at a time. */
__attribute__((target("sha,sse4.1"))) static void fast_blocks(uint32_t h[8], const uint8_t *p,
                                                              size_t blocks) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)h);
  __m128i hgfe = _mm_loadu_si128((const __m128i *)(const void *)(h + 4));
  __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; blocks; blocks--, p += 64) {
    const __m128i abef0 = abef, cdgh0 = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; i++)
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), swap);
    for (int i = 0; i < 16; i++) {
      __m128i now = w[i & 3];
      if (i >= 4) { /* words 4i .. 4i+3 of the schedule take the place of those of four steps ago */
        const __m128i w1 = w[(i + 1) & 3], w2 = w[(i + 2) & 3], w3 = w[(i + 3) & 3];
        now = _mm_add_epi32(_mm_sha256msg1_epu32(now, w1), _mm_alignr_epi8(w3, w2, 4));
        now = w[i & 3] = _mm_sha256msg2_epu32(now, w3);
      }
      __m128i sum = _mm_add_epi32(now, _mm_load_si128((const __m128i *)(const void *)(k + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef0);
    cdgh = _mm_add_epi32(cdgh, cdgh0);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* Asked once: under a hypervisor the question takes longer than hashing a small entry. */
static bool has_instructions(void) {
  static _Atomic int known; /* 0: not asked yet, 1: no, 2: yes */
  int state = atomic_load_explicit(&known, memory_order_relaxed);
  if (!state) {
    unsigned a, b, c, d;
    bool has = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & (1u << 29) && __builtin_cpu_supports("sse4.1");
    state = has ? 2 : 1;
    atomic_store_explicit(&known, state, memory_order_relaxed);
  }
  return state == 2;
}

typedef void Blocks(uint32_t h[8], const uint8_t *p, size_t blocks);

static void hash(Blocks *run, const void *data, size_t size, uint8_t digest[32]) {
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t tail[128] = {0};
  size_t rest = size % 64, padded = rest < 56 ? 64 : 128;
  run(h, data, size / 64);
  if (rest) memcpy(tail, (const uint8_t *)data + (size - rest), rest);
  tail[rest] = 0x80;
  for (int i = 0; i < 8; i++) tail[padded - 1 - (size_t)i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
  run(h, tail, padded / 64);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

void cl_sha256(const void *data, size_t size, uint8_t digest[32]) {
  hash(has_instructions() ? fast_blocks : plain_blocks, data, size, digest);
}

/* sha256(text [, plain]) -> 64 hexadecimal digits; plain: without the processor's instructions, for tests */
int cl_lua_sha256(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  uint8_t digest[32];
  if (lua_toboolean(L, 2))
    hash(plain_blocks, text, size, digest);
  else
    cl_sha256(text, size, digest);
  char hex[64];
  for (int i = 0; i < 32; i++) {
    hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
    hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
  }
  lua_pushlstring(L, hex, sizeof hex);
  return 1;
}
