// The convolution of pictures with a kernel. A block computes a tile of the result. Parts of the kernel, of at most
// CHUNK rows and SPAN elements of a row, and the pixels that they meet are in shared memory; so a kernel of any size
// takes the same of it. The terms of a result are added in an order that the kernel's shape alone decides: by parts of
// CHUNK rows, then by columns, then by rows.

//: convolve
enum { LANES = 32, LINES = 8, ROWS = @rows@, COLUMNS = @columns@, CHUNK = @chunk@, SPAN = @span@ };
enum { TALL = LINES * ROWS, WIDE = LANES * COLUMNS, PITCH = WIDE + SPAN };

// first_row, first_column: where the pixel lies that the last row and column of the kernel meet for the first result.
extern "C" __global__ void __launch_bounds__(LANES * LINES)
array_image_convolve(const Source *in, Result *out, const Value *weights, const Source *fill, const int filled,
                     const Index height, const Index width, const Index inner, const Index out_height,
                     const Index out_width, const Index kernel_height, const Index kernel_width, const Index first_row,
                     const Index first_column, const Index tiles_down, const Index tiles_across)
{
  __shared__ Value tile[TALL + CHUNK - 1][PITCH];
  __shared__ Value taps[CHUNK][SPAN + 1];
  const int lane = threadIdx.x % LANES, line = threadIdx.x / LANES;
  const Part part = img_part(tiles_down, tiles_across, TALL, WIDE);
  const int step = ONE ? 1 : (int)min(inner, (Index)SPAN + 1);
  const int most = SPAN / step + 1; // columns of a part of the kernel
  const Index row_elements = width * inner;
  const Source *from = in + part.picture * height * row_elements;
  const Value outside = filled ? img_load(*fill) : Value();
  Value sum[ROWS][COLUMNS];
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) sum[i][j] = Value();
  }
  for (Index first = 0; first < kernel_height; first += CHUNK) {
    const int rows = (int)min(kernel_height - first, (Index)CHUNK);
    for (Index second = 0; second < kernel_width; second += most) {
      const int columns = (int)min(kernel_width - second, (Index)most);
      __syncthreads();
      for (int i = threadIdx.x; i < rows * columns; i += LANES * LINES) {
        const int r = i / columns, c = i - r * columns;
        taps[r][c] = weights[(kernel_height - 1 - first - r) * kernel_width + (kernel_width - 1 - second - c)];
      }
      const int tall = TALL + rows - 1, wide = WIDE + (columns - 1) * step;
      const Index top = part.row + first_row + first, left = part.column + (first_column + second) * inner;
      for (int x = lane; x < wide; x += LANES) {
        const Index at = img_along(left + x, inner, width);
        for (int y = line; y < tall; y += LINES) {
          const Index row = img_edge(top + y, height);
          tile[y][x] = at < 0 || row < 0 ? outside : img_load(from[row * row_elements + at]);
        }
      }
      __syncthreads();
      for (int c = 0; c < columns; c++) {
        const Value *p = &tile[line * ROWS][lane + c * step];
        Value v[ROWS][COLUMNS]; // a window of the pixels above each other, which goes down
#pragma unroll
        for (int i = 0; i < ROWS - 1; i++) {
#pragma unroll
          for (int j = 0; j < COLUMNS; j++) v[i][j] = p[i * PITCH + j * LANES];
        }
#pragma unroll ROWS
        for (int r = 0; r < rows; r++) {
          const Value w = taps[r][c];
#pragma unroll
          for (int j = 0; j < COLUMNS; j++) {
            v[ROWS - 1][j] = p[(r + ROWS - 1) * PITCH + j * LANES];
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
              sum[i][j] = cl_fma(v[i][j], w, sum[i][j]);
              if (i < ROWS - 1) v[i][j] = v[i + 1][j];
            }
          }
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    const Index row = part.row + line * ROWS + i;
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
      const Index column = part.column + lane + j * LANES;
      if (row < out_height && column < out_width) {
        out[(part.picture * out_height + row) * out_width + column] = img_store(sum[i][j]);
      }
    }
  }
}

//: row
// The convolution with a row. A lane has a row of the tile and goes along it with a window in registers, so that each
// pixel is read from shared memory once for RUN results. A row of the tile has runs of RUN results, one for each channel,
// as many as are in `wide` elements. Odd distances between the rows keep lanes apart in their banks.
enum { LANES = 32, LINES = 8, RUN = 8, TURNS = 2, WIDEST = RUN * LINES * TURNS, SPAN = @span@ };
enum { PITCH = (WIDEST + SPAN) | 1 };

extern "C" __global__ void __launch_bounds__(LANES * LINES)
array_image_row(const Source *in, Result *out, const Value *weights, const Source *fill, const int filled,
                const Index height, const Index width, const Index inner, const Index out_height,
                const Index out_width, const Index kernel_width, const Index first_row, const Index first_column,
                const int wide, const Index tiles_down, const Index tiles_across)
{
  __shared__ Value tile[LANES][PITCH];
  __shared__ Value taps[SPAN + 1];
  const int lane = threadIdx.x % LANES, line = threadIdx.x / LANES;
  const Part part = img_part(tiles_down, tiles_across, LANES, wide);
  const int step = ONE ? 1 : (int)inner, most = SPAN / step + 1;
  const Index row_elements = width * inner;
  const Source *from = in + part.picture * height * row_elements;
  const Value outside = filled ? img_load(*fill) : Value();
  int begin[TURNS]; // of this thread's runs; behind the tile: none
  Value sum[TURNS][RUN];
#pragma unroll
  for (int turn = 0; turn < TURNS; turn++) {
    const int run = line + turn * LINES, group = ONE ? run : run / step;
    begin[turn] = group * RUN * step + (ONE ? 0 : run - group * step);
#pragma unroll
    for (int j = 0; j < RUN; j++) sum[turn][j] = Value();
  }
  for (Index first = 0; first < kernel_width; first += most) {
    const int columns = (int)min(kernel_width - first, (Index)most);
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += LANES * LINES) taps[i] = weights[kernel_width - 1 - first - i];
    const Index top = part.row + first_row, left = part.column + (first_column + first) * inner;
    for (int x = lane; x < wide + (columns - 1) * step; x += LANES) {
      const Index at = img_along(left + x, inner, width);
      for (int y = line; y < LANES; y += LINES) {
        const Index row = img_edge(top + y, height);
        tile[y][x] = at < 0 || row < 0 ? outside : img_load(from[row * row_elements + at]);
      }
    }
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
      if (begin[turn] >= wide) continue;
      const Value *p = &tile[lane][begin[turn]];
      Value v[RUN];
#pragma unroll
      for (int j = 0; j < RUN - 1; j++) v[j] = p[j * step];
#pragma unroll RUN
      for (int c = 0; c < columns; c++) {
        const Value w = taps[c];
        v[RUN - 1] = p[(c + RUN - 1) * step];
#pragma unroll
        for (int j = 0; j < RUN; j++) {
          sum[turn][j] = cl_fma(v[j], w, sum[turn][j]);
          if (j < RUN - 1) v[j] = v[j + 1];
        }
      }
    }
  }
  // Through shared memory, so that neighbouring threads write neighbours.
  __syncthreads();
#pragma unroll
  for (int turn = 0; turn < TURNS; turn++) {
    if (begin[turn] >= wide) continue;
#pragma unroll
    for (int j = 0; j < RUN; j++) tile[lane][begin[turn] + j * step] = sum[turn][j];
  }
  __syncthreads();
  for (int y = line; y < LANES && part.row + y < out_height; y += LINES) {
    for (int x = lane; x < wide && part.column + x < out_width; x += LANES) {
      out[(part.picture * out_height + part.row + y) * out_width + part.column + x] = img_store(tile[y][x]);
    }
  }
}
