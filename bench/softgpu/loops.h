/* What kernels.cu computes, as plain C loops in a file of their own, so that the compiler of bench.c
 * cannot see through them. The targets in bench.c are against gcc -O2 for the baseline processor; clang
 * needs -fno-vectorize to give the same scalar loops. */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

enum { REDUCE_BLOCK = 256 };

void loop_saxpy(int n, float a, const float *x, float *y);
void loop_block_reduce(int nblocks, const float *x, float *sums);
void loop_matmul(int n, const float *a, const float *b, float *c);

#endif
