// What the files of CUB's side of `./dev bench primitives` have in common. Each of them is a shared library of C functions
// that work on the device's memory in the legacy stream; 0: fine, else the runtime's error.
#pragma once
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#define API extern "C" __attribute__((visibility("default")))

// Calls one of CUB's functions with temporary memory, which is kept for the next call. How much a call site needs is asked
// again when the number of elements is another one.
template <class F> static int with_memory(long n, F call)
{
  static void *memory;
  static size_t room, bytes;
  static long asked = -1;
  if (asked != n) {
    if (const cudaError_t error = call(nullptr, bytes)) return error;
    asked = n;
  }
  if (room < bytes) {
    cudaFree(memory);
    if (const cudaError_t error = cudaMalloc(&memory, bytes)) return error;
    room = bytes;
  }
  return call(memory, bytes);
}
