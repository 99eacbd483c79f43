// Results that do not depend on the value.
extern "C++" {
template <class T> __device__ __forceinline__ T cl_zero(T) { return 0; }
template <class T> __device__ __forceinline__ bool cl_false(T) { return false; }
}
