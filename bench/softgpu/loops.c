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

ALIGNED void loop_mandelbrot(int side, int most, int *counts) {
  const float scale = 3.0f / (float)side;
  for (int i = 0; i < side * side; i++) {
    const float cx = (float)(i % side) * scale + -2.25f, cy = (float)(i / side) * scale + -1.5f;
    float x = 0, y = 0;
    int n = 0;
    while (n < most) {
      const float xx = x * x, yy = y * y;
      if (xx + yy > 4) break;
      const float xy = x * y;
      x = xx - yy + cx;
      y = xy + xy + cy;
      n++;
    }
    counts[i] = n;
  }
}

ALIGNED void loop_sum(int n, const float *x, float *total) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  *total += sum;
}

ALIGNED void loop_scan(int n, const unsigned *x, unsigned *sums) {
  unsigned sum = 0;
  for (int i = 0; i < n; i++) sums[i] = sum += x[i];
}
