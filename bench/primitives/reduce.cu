// CUB's reductions.
#include "cub.cuh"
#include <chrono>

using Pair = thrust::tuple<float, float>;

struct Product {
  __host__ __device__ float operator()(const Pair &p) const { return thrust::get<0>(p) * thrust::get<1>(p); }
};

struct Distance {
  __host__ __device__ float operator()(const Pair &p) const
  {
    const float d = thrust::get<0>(p) - thrust::get<1>(p);
    return d * d;
  }
};

struct Ends {
  float low, high;
};

struct BothEnds {
  __host__ __device__ Ends operator()(float x) const { return {x, x}; }
};

struct Wider {
  __host__ __device__ Ends operator()(const Ends &a, const Ends &b) const
  {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

struct Row {
  int width;
  __host__ __device__ int operator()(int i) const { return i * width; }
};

template <class F> static int sum_of_pairs(const float *x, const float *y, float *out, int n, F f)
{
  const auto pairs = thrust::make_transform_iterator(thrust::make_zip_iterator(thrust::make_tuple(x, y)), f);
  return with_memory(n, [=](void *memory, size_t &bytes) { return cub::DeviceReduce::Sum(memory, bytes, pairs, out, n); });
}

API int cub_version(void) { return CUB_VERSION; }

API int cub_sum(const float *x, float *out, int n)
{
  return with_memory(n, [=](void *memory, size_t &bytes) { return cub::DeviceReduce::Sum(memory, bytes, x, out, n); });
}

API int cub_max(const float *x, float *out, int n)
{
  return with_memory(n, [=](void *memory, size_t &bytes) { return cub::DeviceReduce::Max(memory, bytes, x, out, n); });
}

API int cub_argmax(const float *x, float *greatest, long *place, int n)
{
  return with_memory(
      n, [=](void *memory, size_t &bytes) { return cub::DeviceReduce::ArgMax(memory, bytes, x, greatest, place, n); });
}

API int cub_dot(const float *x, const float *y, float *out, int n) { return sum_of_pairs(x, y, out, n, Product()); }

API int cub_distance(const float *x, const float *y, float *out, int n) { return sum_of_pairs(x, y, out, n, Distance()); }

API int cub_ends(const float *x, float *out, int n)
{
  const auto ends = thrust::make_transform_iterator(x, BothEnds());
  return with_memory(n, [=](void *memory, size_t &bytes) {
    return cub::DeviceReduce::Reduce(memory, bytes, ends, (Ends *)out, n, Wider(), Ends{3e38f, -3e38f});
  });
}

API int cub_rows(const float *x, float *out, int rows, int width)
{
  const auto starts = thrust::make_transform_iterator(thrust::make_counting_iterator(0), Row{width});
  return with_memory(rows, [=](void *memory, size_t &bytes) {
    return cub::DeviceSegmentedReduce::Sum(memory, bytes, x, out, rows, starts, starts + 1);
  });
}

// Microseconds of a sum that is read back; negative: a call failed.
API double cub_sum_read(const float *x, float *out, int n, int times)
{
  const auto begin = std::chrono::steady_clock::now();
  float result;
  for (int i = 0; i < times; i++) {
    if (cub_sum(x, out, n) || cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost)) return -1;
  }
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / times;
}
