// One value for each element of the output. Each thread loads several elements of every operand before it uses the
// first: that, and not a loop, is what fills the memory's pipes.

//: dense
// Elements lie one after another and begin at multiples of 16 bytes: a thread takes neighbours, in wide loads.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n@params@) {
  const unsigned long long i = (blockIdx.x * 256ull + threadIdx.x) * @elements@;
  if (i >= n) return;
@uniform@
  if (i + @elements@ <= n) {
@loads@
    @pack_out@ r;
#pragma unroll
    for (int k = 0; k < @elements@; k++) r.e[k] = compute(@vector_arguments@);
    *(@pack_out@ *)(out + i) = r;
  } else {
    for (unsigned long long j = i; j < n; j++) out[j] = compute(@element_arguments@);
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
    if (i + k * 256 < n) out[i + k * 256] = compute(@vector_arguments@);
}

//: strided
// Where an element lies is computed from its place in the output.
extern "C" __global__ void __launch_bounds__(256) @name@(const @index@ n@params@) {
  const @index@ i = blockIdx.x * (@index@)(256 * @elements@) + threadIdx.x;
@uniform@
@loads@
#pragma unroll
  for (int k = 0; k < @elements@; k++)
    if (i + k * 256 < n) out[at_out[k]] = compute(@vector_arguments@);
}
