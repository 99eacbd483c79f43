// CUB's histograms.
#include "cub.cuh"

template <class T> static int counts(const T *x, int *out, int bins, T low, T high, int n)
{
  return with_memory(n, [=](void *memory, size_t &bytes) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, x, out, bins + 1, low, high, n);
  });
}

API int cub_histogram(const float *x, int *out, int bins, int n) { return counts(x, out, bins, 0.0f, 1.0f, n); }

API int cub_histogram_bytes(const unsigned char *x, int *out, int n)
{
  return with_memory(n, [=](void *memory, size_t &bytes) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, x, out, 257, 0, 256, n);
  });
}
