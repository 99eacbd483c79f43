// Packets of rows that read their part of x through shared memory.

//: product
// A block has a packet: a thread for each row, in ascending order. The columns of a packet are numbered in 16 bits;
// elements of the 32 rows of a warp lie side by side.
extern "C" __global__ void __launch_bounds__(256)
    sparse_packed(const Place *__restrict__ rows, const int *__restrict__ lengths, const Place *__restrict__ slices,
                  const Place *__restrict__ column_starts, const Place *__restrict__ columns,
                  const unsigned short *__restrict__ locals, const @data@ *__restrict__ data,
                  const @other@ *__restrict__ x, @result@ *__restrict__ y) {
  __shared__ Sum part[2048];
  const long long at = blockIdx.x * 256ll + threadIdx.x;
  const Place first = column_starts[blockIdx.x];
  const int count = (int)(column_starts[blockIdx.x + 1] - first);
  for (int i = threadIdx.x; i < count; i += 256) part[i] = load_x(x, columns[first + i]);
  __syncthreads();
  const Place row = rows[at];
  if (row < 0) return;
  const int length = lengths[at];
  long long i = slices[at >> 5] + (threadIdx.x & 31);
  Sum sum = zero_sum();
#pragma unroll 4
  for (int k = 0; k < length; k++, i += 32) sum = cl_fma(load_a(data, i), part[locals[i]], sum);
  store(y, row, sum);
}

//: scatter
extern "C" __global__ void __launch_bounds__(256)
    sparse_scatter(const long long n, const Place *places, const @data@ *data, @data@ *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) out[places[i]] = data[i];
}
