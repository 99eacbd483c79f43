// A sparse matrix times a dense one, which lies in C order: a warp has 32 columns of it, a lane one of them. Lines of more
// than PIECE elements are computed in pieces (sparse/pieces.lua), whose sums are added in their order.

//: piece
#define PIECE 512

// The elements from `i` on times their columns' places in x, added in ascending order.
__device__ __forceinline__ Sum sum_of_elements(Place i, const Place last, const Place *__restrict__ indices,
                                               const Place *__restrict__ order, const @data@ *__restrict__ data,
                                               const @other@ *__restrict__ x, const long long columns,
                                               const long long column) {
  Sum sum = zero_sum();
#pragma unroll 4
  for (; i < last; i++)
    sum = cl_fma(load_a(data, @order@), load_x(x, (long long)indices[i] * columns + column), sum);
  return sum;
}

//: product
// A warp has one line that is not long, and adds up in ascending order.
extern "C" __global__ void __launch_bounds__(256)
    sparse_rows(const long long lines, const long long columns, const long long strips,
                const Place *__restrict__ indptr, const Place *__restrict__ indices,
                const Place *__restrict__ order, const @data@ *__restrict__ data, const @other@ *__restrict__ x,
                @result@ *__restrict__ y) {
  const long long warp = blockIdx.x * 8ll + (threadIdx.x >> 5);
  const long long line = warp / strips, column = (warp - line * strips) * 32 + (threadIdx.x & 31);
  if (line >= lines || column >= columns) return;
  const Place begin = indptr[line], last = indptr[line + 1];
  if (last - begin > PIECE) return;
  store(y, line * columns + column, sum_of_elements(begin, last, indices, order, data, x, columns, column));
}

//: pieces
// A warp has one piece of a long line.
extern "C" __global__ void __launch_bounds__(256)
    sparse_pieces(const long long pieces, const long long columns, const long long strips,
                  const Place *__restrict__ indptr, const Place *__restrict__ indices,
                  const Place *__restrict__ order, const @data@ *__restrict__ data, const @other@ *__restrict__ x,
                  const Place *__restrict__ lines, const Place *__restrict__ first, const Place *__restrict__ owner,
                  Sum *__restrict__ sums) {
  const long long warp = blockIdx.x * 8ll + (threadIdx.x >> 5);
  const long long piece = warp / strips, column = (warp - piece * strips) * 32 + (threadIdx.x & 31);
  if (piece >= pieces || column >= columns) return;
  const Place k = owner[piece], line = lines[k], end = indptr[line + 1];
  const Place begin = indptr[line] + (Place)(piece - first[k]) * PIECE;
  const Place last = end - begin > PIECE ? begin + PIECE : end;
  sums[piece * columns + column] = sum_of_elements(begin, last, indices, order, data, x, columns, column);
}

//: sums
// A thread has one column of a long line.
extern "C" __global__ void __launch_bounds__(256)
    sparse_piece_sums(const long long count, const long long columns, const Place *__restrict__ lines,
                      const Place *__restrict__ first, const Sum *__restrict__ sums, @result@ *__restrict__ y) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= count * columns) return;
  const long long k = i / columns, column = i - k * columns;
  const long long last = first[k + 1];
  Sum sum = sums[first[k] * columns + column];
#pragma unroll 8
  for (long long p = first[k] + 1; p < last; p++) sum = sum_of(sum, sums[p * columns + column]);
  store(y, lines[k] * columns + column, sum);
}
