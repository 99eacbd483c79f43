/* What kernels.cu computes, as plain C loops in a file of their own, so that the compiler of bench.c
 * cannot see through them. The goals in bench.c are against gcc -O2 for the baseline processor; clang
 * needs -fno-vectorize to give the same scalar loops. */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

enum { REDUCE_BLOCK = 256 };

void loop_saxpy(int n, float a, const float *x, float *y);
void loop_block_reduce(int nblocks, const float *x, float *sums);
void loop_matmul(int n, const float *a, const float *b, float *c);
void loop_mandelbrot(int side, int most, int *counts);
void loop_sum(int n, const float *x, float *total);
void loop_scan(int n, const unsigned *x, unsigned *sums);

#endif
