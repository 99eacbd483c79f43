// From positions and values to compressed lines, and between the formats. A line is a row of CSR or a column of CSC,
// with its elements' indices in ascending order. Place is the type of positions; what a user gives is int64.

//: place
typedef @place@ Place;

// The line of an element: the last one that begins at it or before.
__device__ __forceinline__ Place line_of(const Place *indptr, const Place lines, const Place i) {
  Place low = 0, high = lines - 1;
  while (low < high) {
    const Place middle = low + (high - low + 1) / 2;
    if (indptr[middle] <= i) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Where an index is among the elements from `low` to before `high`; -1 if it is not.
__device__ __forceinline__ Place found(const Place *indices, Place low, Place high, const Place index) {
  while (low < high) {
    const Place middle = low + (high - low) / 2;
    if (indices[middle] < index) low = middle + 1;
    else if (indices[middle] > index) high = middle;
    else return middle;
  }
  return -1;
}

//: positions
// Positions from `base` as positions from 0. words[0]: how many elements are left from the first bad one on; 0: none.
extern "C" __global__ void __launch_bounds__(256)
    sparse_positions(const long long n, const long long *given, const long long base, const long long extent,
                     Place *out, unsigned long long *words) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const unsigned long long v = (unsigned long long)given[i] - (unsigned long long)base;
  const bool good = v < (unsigned long long)extent;
  out[i] = good ? (Place)v : 0;
  if (!good) atomicMax(words, (unsigned long long)(n - i));
}

//: pointers
// Where lines begin, from `base`, as places from 0. words[1]: as words[0], of n = lines + 1 of them.
extern "C" __global__ void __launch_bounds__(256)
    sparse_pointers(const long long n, const long long *given, const long long base, const long long count, Place *out,
                    unsigned long long *words) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const long long v = given[i];
  bool good = v >= base && v - base <= count && (i == 0 || v >= given[i - 1]);
  if (i == 0) good = good && v == base;
  if (i == n - 1) good = good && v - base == count;
  out[i] = good ? (Place)(v - base) : 0;
  if (!good) atomicMax(words + 1, (unsigned long long)(n - i));
}

//: order
// words[2]: is an index not greater than the one before in its line?
extern "C" __global__ void __launch_bounds__(256)
    sparse_order(const long long n, const Place lines, const Place *indptr, const Place *indices,
                 unsigned long long *words) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n || i == 0 || indices[i] > indices[i - 1]) return;
  if (indptr[line_of(indptr, lines, (Place)i)] != i) words[2] = 1;
}

//: keys
// Elements' places in C order of the matrix. words[0], words[1]: the first bad line and index, as above; words[2]: is a
// key not greater than the one before?
__device__ __forceinline__ long long key_of(const long long *lines, const long long *indices, const long long base,
                                                   const long long extent, const long long i) {
  return (lines[i] - base) * extent + (indices[i] - base);
}

extern "C" __global__ void __launch_bounds__(256)
    sparse_keys(const long long n, const long long *lines, const long long *indices, const long long base,
                const long long line_count, const long long extent, long long *keys, unsigned long long *words) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const bool line = (unsigned long long)lines[i] - (unsigned long long)base < (unsigned long long)line_count;
  const bool index = (unsigned long long)indices[i] - (unsigned long long)base < (unsigned long long)extent;
  if (!line) atomicMax(words, (unsigned long long)(n - i));
  if (!index) atomicMax(words + 1, (unsigned long long)(n - i));
  const long long key = line && index ? key_of(lines, indices, base, extent, i) : 0;
  keys[i] = key;
  if (i > 0 && line && index && key <= key_of(lines, indices, base, extent, i - 1)) words[2] = 1;
}

//: numbers
extern "C" __global__ void __launch_bounds__(256) sparse_numbers(const long long n, Place *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) out[i] = (Place)i;
}

//: begins
// Is a key another one than the one before? words[0]: is any the same?
extern "C" __global__ void __launch_bounds__(256)
    sparse_begins(const long long n, const long long *keys, unsigned char *begins, unsigned long long *words) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const bool other = i == 0 || keys[i] != keys[i - 1];
  begins[i] = other;
  if (!other) words[0] = 1;
}

//: split
extern "C" __global__ void __launch_bounds__(256)
    sparse_split(const long long n, const long long *keys, const long long extent, Place *lines, Place *indices) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const long long line = keys[i] / extent;
  lines[i] = (Place)line;
  indices[i] = (Place)(keys[i] - line * extent);
}

//: starts
// Where each line begins, from the lines of all elements, which ascend: n = lines + 1 of them.
extern "C" __global__ void __launch_bounds__(256)
    sparse_starts(const long long n, const long long count, const Place *lines, Place *indptr) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  long long low = 0, high = count;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (lines[middle] < i) low = middle + 1;
    else high = middle;
  }
  indptr[i] = (Place)low;
}

//: lines
// The line of each element, or of those that `order` names.
extern "C" __global__ void __launch_bounds__(256)
    sparse_lines(const long long n, const Place lines, const Place *indptr, const Place *order, const int ordered,
                 Place *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) out[i] = line_of(indptr, lines, ordered ? order[i] : (Place)i);
}

//: sums
// Values of one place are added in the order in which they were given: a group of sorted elements begins at starts[i],
// from 1, and `order` says where each of them was.
extern "C" __global__ void __launch_bounds__(256)
    sparse_sums(const long long n, const long long count, const long long *starts, const int grouped,
                const Place *order, const int ordered, const @data@ *data, @result@ *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const long long first = grouped ? starts[i] - 1 : i;
  const long long last = !grouped ? i + 1 : i + 1 < n ? starts[i + 1] - 1 : count;
  Sum sum = load_a(data, ordered ? order[first] : first);
  for (long long k = first + 1; k < last; k++) sum = sum_of(sum, load_a(data, ordered ? order[k] : k));
  store(out, i, sum);
}

//: dense
// Elements to their places in an array of zeros.
extern "C" __global__ void __launch_bounds__(256)
    sparse_dense(const long long n, const Place lines, const Place *indptr, const Place *indices, const @data@ *data,
                 const long long along, const long long across, @data@ *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) out[line_of(indptr, lines, (Place)i) * along + indices[i] * across] = data[i];
}

//: diagonal
// Element i of a diagonal is in line i + down, at the index i + right.
extern "C" __global__ void __launch_bounds__(256)
    sparse_diagonal(const long long n, const long long down, const long long right, const Place *indptr,
                    const Place *indices, const @data@ *data, @data@ *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const Place at = found(indices, indptr[i + down], indptr[i + down + 1], (Place)(i + right));
  @data@ value = {};
  if (at >= 0) value = data[at];
  out[i] = value;
}

//: times_dense
extern "C" __global__ void __launch_bounds__(256)
    sparse_times_dense(const long long n, const Place lines, const Place *indptr, const Place *indices,
                       const @data@ *data, const @other@ *dense, const long long along, const long long across,
                       @result@ *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const long long at = line_of(indptr, lines, (Place)i) * along + indices[i] * across;
  store(out, i, product_of(load_a(data, i), load_x(dense, at)));
}

//: times_sparse
// Elements of one matrix times those of another one at the same places; there[i]: there is one.
extern "C" __global__ void __launch_bounds__(256)
    sparse_times_sparse(const long long n, const Place lines, const Place *indptr, const Place *indices,
                        const @data@ *data, const Place *other_indptr, const Place *other_indices, const @other@ *other,
                        unsigned char *there, @result@ *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const Place line = line_of(indptr, lines, (Place)i);
  const Place at = found(other_indices, other_indptr[line], other_indptr[line + 1], indices[i]);
  there[i] = at >= 0;
  if (at >= 0) store(out, i, product_of(load_a(data, i), load_x(other, at)));
}

//: lengths
// How many elements of the right matrix an element of the left one is multiplied by.
extern "C" __global__ void __launch_bounds__(256)
    sparse_lengths(const long long n, const Place *indices, const Place *indptr, long long *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) out[i] = indptr[indices[i] + 1] - indptr[indices[i]];
}

//: expand
// All products of the elements first + 1 to last of the left matrix: product i belongs to the first element whose
// ends[] is greater than from + i.
extern "C" __global__ void __launch_bounds__(256)
    sparse_expand(const long long n, const long long from, const long long first, const long long last,
                  const long long *ends, const Place *lines, const Place *indices, const @data@ *data,
                  const Place *other_indptr, const Place *other_indices, const @other@ *other, const long long extent,
                  long long *keys, @result@ *out) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  long long low = first, high = last - 1;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (ends[middle] <= from + i) low = middle + 1;
    else high = middle;
  }
  const long long at = other_indptr[indices[low]] + (from + i - (low > 0 ? ends[low - 1] : 0));
  keys[i] = lines[low] * extent + other_indices[at];
  store(out, i, product_of(load_a(data, low), load_x(other, at)));
}
