// Kernels around a user's statement, which is done for each element i of n.

//: flat
// The arrays lie alike and without gaps: element i is at [i]. The loop has a number of turns that is not known when it
// is compiled, so that the compiler makes one copy of its body for all turns together, and one for the last elements.
extern "C" __global__ void __launch_bounds__(256) @name@(@params@) {
@aliases@
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
@element@
extern "C" __global__ void __launch_bounds__(256) @name@(@params@) {
@loop_prep@
  const long long cl_first = blockIdx.x * (256ll * @elements@) + threadIdx.x;
  const long long cl_last = min(cl_first + (256ll * @elements@), @count@);
#pragma unroll @elements@
  for (long long cl_i = cl_first; cl_i < cl_last; cl_i += 256) {
    const long long i = @position@;
@places@
@aliases@
@operation@
  }
@after_loop@
}

//: tiled
// A block does the statement for a tile of @across@ elements along the last axis and @along@ along another one; arrays
// that lie along that one come through shared memory.
@element@
extern "C" __global__ void __launch_bounds__(256) @name@(@params@) {
@shared@
@coordinates@
@declared@
@direct@
@loads@
@stores@
  __syncthreads();
@body@
}

//: squares
#pragma unroll
  for (int cl_k = 0; cl_k < @squares@; cl_k++) {
    const unsigned cl_x = threadIdx.x % @width@ + cl_k * 256 % @width@;
    const unsigned cl_y = threadIdx.x / @width@ + cl_k * 256 / @width@;
    const @index@ cl_a = cl_a0 + @a@, cl_b = cl_b0 + @b@;
    if (@bound@cl_a < cl_across && cl_b < cl_along) {
@statements@
    }
  }

//: element
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
