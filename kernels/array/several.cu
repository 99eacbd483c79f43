// Several values for each element: as elementwise.cu, but that compute() writes to where they go.

//: dense
// Elements lie one after another and begin at multiples of 16 bytes: a thread takes neighbours, in wide loads.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n@params@) {
  const unsigned long long i = (blockIdx.x * 256ull + threadIdx.x) * @elements@;
  if (i >= n) return;
@uniform@
  if (i + @elements@ <= n) {
@loads@
@results@
#pragma unroll
    for (int k = 0; k < @elements@; k++) compute(@vector_arguments@@vector_results@);
@stores@
  } else {
    for (unsigned long long j = i; j < n; j++) compute(@element_arguments@@element_results@);
  }
}

//: odd
// Elements lie one after another from any of them on: threads are neighbours.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n@params@) {
  const unsigned long long i = blockIdx.x * (256ull * @elements@) + threadIdx.x;
@uniform@
@loads@
#pragma unroll
  for (int k = 0; k < @elements@; k++)
    if (i + k * 256 < n) compute(@vector_arguments@@element_results@);
}

//: strided
// Where an element lies is computed from its place in the output.
extern "C" __global__ void __launch_bounds__(256) @name@(const @index@ n@params@) {
  const @index@ i = blockIdx.x * (@index@)(256 * @elements@) + threadIdx.x;
@uniform@
@loads@
#pragma unroll
  for (int k = 0; k < @elements@; k++)
    if (i + k * 256 < n) compute(@vector_arguments@@element_results@);
}
