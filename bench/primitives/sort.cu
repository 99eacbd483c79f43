// CUB's radix sort.
#include "cub.cuh"

template <class T> static int sorted(const T *x, T *out, int n)
{
  return with_memory(n,
                     [=](void *memory, size_t &bytes) { return cub::DeviceRadixSort::SortKeys(memory, bytes, x, out, n); });
}

API int cub_sort(const float *x, float *out, int n) { return sorted(x, out, n); }

API int cub_sort_int32(const int *x, int *out, int n) { return sorted(x, out, n); }

API int cub_sort_int64(const long long *x, long long *out, int n) { return sorted(x, out, n); }

// positions: 0, 1 and so on, which the caller has made; places: where the elements are.
API int cub_argsort(const float *x, float *out, const int *positions, int *places, int n)
{
  return with_memory(n, [=](void *memory, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, x, out, positions, places, n);
  });
}

API int cub_unique(const int *x, int *between, int *out, int *count, int n)
{
  const int error = sorted(x, between, n);
  return error ? error : with_memory(n, [=](void *memory, size_t &bytes) {
    return cub::DeviceSelect::Unique(memory, bytes, between, out, count, n);
  });
}
