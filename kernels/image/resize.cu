// Pictures of another size. The centre of pixel i of m lies at (i + 1/2) n / m of the n pixels that there were, so that
// it is i + 1/2 behind the edge on both sides. Places are computed as exact fractions.

//: position
typedef @wide@ Wide; // unsigned, for 2 n m

// Where a pixel of m lies between the pixels of n: the number of the one before it, and how far behind that.
__device__ __forceinline__ Index img_position(const Index at, const Index n, const Index m, Real &behind)
{
  const Wide twice = (Wide)m * 2, far = ((Wide)at * 2 + 1) * (Wide)n + (Wide)m, whole = far / twice;
  behind = (Real)(far - whole * twice) / (Real)twice;
  return (Index)whole - 1;
}

// The pixels that count and their weights. Those outside do not, and the others count for more.
__device__ __forceinline__ void img_taps(Index (&from)[TAPS], Real (&w)[TAPS], const Index at, const Index n,
                                         const Index m)
{
  Real behind, all = 0;
  const Index first = img_position(at, n, m, behind) - BEFORE;
  img_weights(w, behind);
  const bool inside = first >= 0 && first + TAPS <= n;
#pragma unroll
  for (int i = 0; i < TAPS; i++) {
    from[i] = min(max(first + i, (Index)0), n - 1);
    if (from[i] != first + i) w[i] = 0;
    all += w[i];
  }
  if (inside) return;
#pragma unroll
  for (int i = 0; i < TAPS; i++) w[i] /= all;
}

//: sample
enum { LANES = 32, LINES = 8, ROWS = 4, TALL = LINES * ROWS };

extern "C" __global__ void __launch_bounds__(LANES * LINES)
array_image_resize(const Source *in, Result *out, const Index height, const Index width, const Index inner,
                   const Index out_height, const Index out_width, const Index tiles_down, const Index tiles_across)
{
  const Part part = img_part(tiles_down, tiles_across, TALL, LANES);
  const Index across = part.column + threadIdx.x % LANES, row_elements = width * inner;
  if (across >= out_width * inner) return;
  const Source *from = in + part.picture * height * row_elements;
  Index channel, columns[TAPS], rows[TAPS];
  Real by_column[TAPS], by_row[TAPS];
  img_taps(columns, by_column, img_pixel(across, inner, channel), width, out_width);
#pragma unroll
  for (int i = 0; i < TAPS; i++) columns[i] = columns[i] * (ONE ? 1 : inner) + channel;
  for (int line = 0; line < ROWS; line++) {
    const Index down = part.row + threadIdx.x / LANES + line * LINES;
    if (down >= out_height) return;
    img_taps(rows, by_row, down, height, out_height);
    Value sum = Value();
#pragma unroll
    for (int i = 0; i < TAPS; i++) {
      Value row = Value();
#pragma unroll
      for (int j = 0; j < TAPS; j++) {
        row = img_add(by_column[j], img_load(from[rows[i] * row_elements + columns[j]]), row);
      }
      sum = img_add(by_row[i], row, sum);
    }
    out[(part.picture * out_height + down) * out_width * inner + across] = img_store(sum);
  }
}

//: nearest
enum { LANES = 32, LINES = 8, ROWS = 4, TALL = LINES * ROWS };
typedef @wide@ Wide;

__device__ __forceinline__ Index img_nearest(const Index at, const Index n, const Index m)
{
  return (Index)(((Wide)at * 2 + 1) * (Wide)n / ((Wide)m * 2));
}

extern "C" __global__ void __launch_bounds__(LANES * LINES)
array_image_nearest(const Item *in, Item *out, const Index height, const Index width, const Index inner,
                    const Index out_height, const Index out_width, const Index tiles_down, const Index tiles_across)
{
  const Part part = img_part(tiles_down, tiles_across, TALL, LANES);
  const Index across = part.column + threadIdx.x % LANES;
  if (across >= out_width * inner) return;
  Index channel;
  const Index pixel = img_nearest(img_pixel(across, inner, channel), width, out_width);
  const Index column = pixel * (ONE ? 1 : inner) + channel;
  for (int line = 0; line < ROWS; line++) {
    const Index down = part.row + threadIdx.x / LANES + line * LINES;
    if (down >= out_height) return;
    const Index row = part.picture * height + img_nearest(down, height, out_height);
    out[(part.picture * out_height + down) * out_width * inner + across] = in[row * width * inner + column];
  }
}

//: area
// The means of n elements of an axis over m parts of it. An element that two parts share counts in each as far as it
// lies there. Elements of the axis are `inner` places apart. part / unit is n / m in lowest terms.
typedef @wide@ Wide; // unsigned, for 2 n m

extern "C" __global__ void __launch_bounds__(256)
array_image_area(const Source *in, Result *out, const Index all, const Index n, const Index m, const Index part,
                 const Index unit, const Index inner)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, outer = rest / m;
  const Source *from = in + outer * n * inner + (number - rest * inner);
  // An element has the length `unit`, and a part of the axis the length `part`.
  const Wide length = (Wide)unit, begin = (Wide)(rest - outer * m) * (Wide)part, end = begin + (Wide)part;
  const Index first = (Index)(begin / length), last = (Index)((end - 1) / length);
  Value sum = Value();
  for (Index i = first; i <= last; i++) {
    const Wide low = max(begin, (Wide)i * length), high = min(end, (Wide)(i + 1) * length);
    sum = img_add((Real)(high - low), img_load(from[i * inner]), sum);
  }
  out[number] = img_store(img_over(sum, (Real)part));
}
