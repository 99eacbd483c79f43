// A sparse matrix times a dense one.

//: product
// A warp has one line and 32 columns of x, which lies in C order; each lane adds up in ascending order.
extern "C" __global__ void __launch_bounds__(256)
    sparse_rows(const long long lines, const long long columns, const long long strips,
                const Place *__restrict__ indptr, const Place *__restrict__ indices,
                const Place *__restrict__ order, const @data@ *__restrict__ data, const @other@ *__restrict__ x,
                @result@ *__restrict__ y) {
  const long long warp = blockIdx.x * 8ll + (threadIdx.x >> 5);
  const long long line = warp / strips, column = (warp - line * strips) * 32 + (threadIdx.x & 31);
  if (line >= lines || column >= columns) return;
  const Place last = indptr[line + 1];
  Sum sum = zero_sum();
#pragma unroll 4
  for (Place i = indptr[line]; i < last; i++)
    sum = cl_fma(load_a(data, @order@), load_x(x, (long long)indices[i] * columns + column), sum);
  store(y, line * columns + column, sum);
}
