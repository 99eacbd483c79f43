// CUB's scans.
#include "cub.cuh"

struct Line {
  float slope, offset;
};

struct Then {
  __host__ __device__ Line operator()(const Line &a, const Line &b) const
  {
    return {a.slope * b.slope, a.offset * b.slope + b.offset};
  }
};

struct Segment {
  int length;
  __host__ __device__ int operator()(int i) const { return i / length; }
};

template <class T> static int sums(const T *x, T *out, int n)
{
  return with_memory(n,
                     [=](void *memory, size_t &bytes) { return cub::DeviceScan::InclusiveSum(memory, bytes, x, out, n); });
}

API int cub_cumsum(const float *x, float *out, int n) { return sums(x, out, n); }

API int cub_cumsum_int(const int *x, int *out, int n) { return sums(x, out, n); }

API int cub_exclusive(const float *x, float *out, int n)
{
  return with_memory(n,
                     [=](void *memory, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(memory, bytes, x, out, n); });
}

API int cub_lines(const float *x, float *out, int n)
{
  return with_memory(n, [=](void *memory, size_t &bytes) {
    return cub::DeviceScan::InclusiveScan(memory, bytes, (const Line *)x, (Line *)out, Then(), n);
  });
}

// Segments of one length; which one an element is in is computed.
API int cub_segments(const float *x, float *out, int n, int length)
{
  const auto keys = thrust::make_transform_iterator(thrust::make_counting_iterator(0), Segment{length});
  return with_memory(n, [=](void *memory, size_t &bytes) {
    return cub::DeviceScan::InclusiveSumByKey(memory, bytes, keys, x, out, n);
  });
}
