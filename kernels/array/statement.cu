// Kernels around a user's statement, which is done for each element i of n.

//: flat
// The arrays lie alike and without gaps: element i is at [i]. The loop has a number of turns that is not known when it
// is compiled, so that the compiler makes one copy of its body for all turns together, and one for the last elements.
extern "C" __global__ void __launch_bounds__(256) @name@(@params@) {
@loop_prep@
  const long long cl_first = blockIdx.x * (256ll * @elements@) + threadIdx.x;
  const long long cl_last = min(cl_first + (256ll * @elements@), @count@);
#pragma unroll @elements@
  for (long long cl_i = cl_first; cl_i < cl_last; cl_i += 256) {
    const long long i = @position@;
@operation@
  }
@after_loop@
}

//: strided
// Where the element of an array is follows from its place on each axis; what stands for the array gives it at [i].
template <class T> struct cl_at {
  T *p;
  __device__ __forceinline__ T &operator[](long long) const { return *p; }
};
template <class T> __device__ __forceinline__ cl_at<T> cl_element(T *p, long long bytes) {
  return {(T *)((char *)p + bytes)};
}
template <class T> __device__ __forceinline__ cl_at<const T> cl_element(const T *p, long long bytes) {
  return {(const T *)((const char *)p + bytes)};
}
extern "C" __global__ void __launch_bounds__(256) @name@(@params@) {
@loop_prep@
  const long long cl_first = blockIdx.x * (256ll * @elements@) + threadIdx.x;
  const long long cl_last = min(cl_first + (256ll * @elements@), @count@);
#pragma unroll @elements@
  for (long long cl_i = cl_first; cl_i < cl_last; cl_i += 256) {
    const long long i = @position@;
@places@
@operation@
  }
@after_loop@
}
