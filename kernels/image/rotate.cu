// Rotated pictures: where a pixel of the result lies in the picture is computed in double, about the centres of both.

//: turn
enum { LANES = 32, LINES = 8, ROWS = 4, TALL = LINES * ROWS };

struct Turn {
  double c, s, x, y; // cosine and sine; the centre of the picture
};

// Where the pixel lies that is x to the right of the result's centre and y below it.
__device__ __forceinline__ double img_across(const Turn &t, const double x, const double y)
{
  return t.c * x - t.s * y + t.x;
}

__device__ __forceinline__ double img_down(const Turn &t, const double x, const double y)
{
  return t.s * x + t.c * y + t.y;
}

//: sample
extern "C" __global__ void __launch_bounds__(LANES * LINES)
array_image_rotate(const Source *in, Result *out, const Source *fill, const int filled, const double cosine,
                   const double sine, const Index height, const Index width, const Index inner,
                   const Index out_height, const Index out_width, const Index tiles_down, const Index tiles_across)
{
  const Part part = img_part(tiles_down, tiles_across, TALL, LANES);
  const Index across = part.column + threadIdx.x % LANES, row_elements = width * inner;
  if (across >= out_width * inner) return;
  const Source *from = in + part.picture * height * row_elements;
  const Value outside = filled ? img_load(*fill) : Value();
  const Turn turn = {cosine, sine, ((double)width - 1) / 2, ((double)height - 1) / 2};
  Index channel;
  const double right = (double)img_pixel(across, inner, channel) - ((double)out_width - 1) / 2;
  for (int line = 0; line < ROWS; line++) {
    const Index down = part.row + threadIdx.x / LANES + line * LINES;
    if (down >= out_height) return;
    const double below = (double)down - ((double)out_height - 1) / 2;
    const double x = img_across(turn, right, below), y = img_down(turn, right, below);
    const double left = floor(x), top = floor(y);
    Real by_column[TAPS], by_row[TAPS];
    img_weights(by_column, (Real)(x - left));
    img_weights(by_row, (Real)(y - top));
    Value sum = Value();
#pragma unroll
    for (int i = 0; i < TAPS; i++) {
      const Index row = (Index)top - BEFORE + i;
      Value part_sum = Value();
#pragma unroll
      for (int j = 0; j < TAPS; j++) {
        const Index column = (Index)left - BEFORE + j;
        const bool inside = row >= 0 && row < height && column >= 0 && column < width;
        const Value v = inside ? img_load(from[row * row_elements + column * (ONE ? 1 : inner) + channel]) : outside;
        part_sum = img_add(by_column[j], v, part_sum);
      }
      sum = img_add(by_row[i], part_sum, sum);
    }
    out[(part.picture * out_height + down) * out_width * inner + across] = img_store(sum);
  }
}

//: nearest
extern "C" __global__ void __launch_bounds__(LANES * LINES)
array_image_turn(const Item *in, Item *out, const Item *fill, const double cosine, const double sine,
                 const Index height, const Index width, const Index inner, const Index out_height,
                 const Index out_width, const Index tiles_down, const Index tiles_across)
{
  const Part part = img_part(tiles_down, tiles_across, TALL, LANES);
  const Index across = part.column + threadIdx.x % LANES, row_elements = width * inner;
  if (across >= out_width * inner) return;
  const Item *from = in + part.picture * height * row_elements;
  const Turn turn = {cosine, sine, ((double)width - 1) / 2, ((double)height - 1) / 2};
  Index channel;
  const double right = (double)img_pixel(across, inner, channel) - ((double)out_width - 1) / 2;
  for (int line = 0; line < ROWS; line++) {
    const Index down = part.row + threadIdx.x / LANES + line * LINES;
    if (down >= out_height) return;
    const double below = (double)down - ((double)out_height - 1) / 2;
    const Index column = (Index)floor(img_across(turn, right, below) + 0.5);
    const Index row = (Index)floor(img_down(turn, right, below) + 0.5);
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    out[(part.picture * out_height + down) * out_width * inner + across] =
      inside ? from[row * row_elements + column * (ONE ? 1 : inner) + channel] : *fill;
  }
}
