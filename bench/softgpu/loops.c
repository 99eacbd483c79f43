/* The plain C side of bench.c. */
#include "loops.h"

#include <string.h>

/* Where a linker happens to put a short loop decides a factor of two: let each start a cache line. */
#define ALIGNED __attribute__((aligned(64)))

ALIGNED void loop_saxpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

/* The kernel's own tree, so that the sums agree to the last bit. */
ALIGNED void loop_block_reduce(int nblocks, const float *x, float *sums) {
  for (int b = 0; b < nblocks; b++, x += REDUCE_BLOCK) {
    float part[REDUCE_BLOCK];
    memcpy(part, x, sizeof part);
    for (int half = REDUCE_BLOCK / 2; half > 0; half /= 2)
      for (int t = 0; t < half; t++) part[t] += part[t + half];
    sums[b] = part[0];
  }
}

ALIGNED void loop_matmul(int n, const float *a, const float *b, float *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}
