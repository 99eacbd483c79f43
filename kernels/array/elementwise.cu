// One value, or several, for each element of the output. Each thread loads several elements of every operand before it
// uses the first: that, and not a loop, is what fills the memory's pipes. Packs are neighbours that a thread reads and
// writes together.

//: dense
// Elements lie one after another and begin at multiples of 16 bytes.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n@params@) {
  const unsigned long long first = blockIdx.x * (256ull * @elements@) + threadIdx.x * @pack@;
@uniform@
  if (first + @span@ <= n) {
@declared@
#pragma unroll
    for (int k = 0; k < @chunks@; k++) {
@loads@
    }
#pragma unroll
    for (int k = 0; k < @chunks@; k++) {
@results@
#pragma unroll
      for (int w = 0; w < @pack@; w++) @evaluate@
@stores@
    }
  } else {
#pragma unroll 1
    for (int k = 0; k < @chunks@; k++)
#pragma unroll 1
      for (int w = 0; w < @pack@; w++) {
        const unsigned long long j = first + k * @stride@ + w;
        if (j < n) @evaluate_one@
      }
  }
}

//: odd
// Elements lie one after another from any of them on.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n@params@) {
  const unsigned long long first = blockIdx.x * (256ull * @elements@) + threadIdx.x;
@uniform@
@declared@
#pragma unroll
  for (int k = 0; k < @chunks@; k++) {
    const unsigned long long j = first + k * 256;
    if (j < n) {
@loads@
    }
  }
#pragma unroll
  for (int k = 0; k < @chunks@; k++) {
    const unsigned long long j = first + k * 256;
    if (j < n) {
@results@
      @evaluate@
@stores@
    }
  }
}

//: rows
// Rows that lie anywhere, of elements that lie one after another, or at equal distances: @threads@ threads share a row.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n@params@) {
  const unsigned block = (__umulhi(blockIdx.x, parts_m) + blockIdx.x) >> parts_h, part = blockIdx.x - block * parts;
  const @index@ row = block * (@index@)@rows@ + threadIdx.x / @threads@;
  const @index@ j = part * (@index@)@per_part@ + threadIdx.x % @threads@;
  if (row >= rows) return;
@coordinates@
@uniform@
@bases@
@body@
}

//: row_packs
  if (j >= inner) return;
  const @index@ left = inner - j;
  if (@last@ < left) {
@whole@
  } else {
@partial@
  }

//: row_chunks
@declared@
#pragma unroll
    for (int k = 0; k < @chunks@; k++) {
      @guard@{
@loads@
      }
    }
#pragma unroll
    for (int k = 0; k < @chunks@; k++) {
      @guard@{
@results@
#pragma unroll
        for (int w = 0; w < @pack@; w++) @evaluate@
@stores@
      }
    }

//: words
// Elements lie one after another from any of them on, and are read and written in words.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n@params@) {
  const unsigned long long inner = n, j = blockIdx.x * (256ull * @chunks@) + threadIdx.x;
@uniform@
@bases@
@body@
}

//: row_words
// The words that are written begin at multiples of their size; those that are read are put together from two, so there
// are elements around them. The first and the last few elements are done one by one.
  const unsigned head = (@pack@ - (unsigned)((unsigned long long)@first@ / sizeof *@first@ % @pack@)) % @pack@;
  const unsigned start = head < @pack@ - 1 ? head + @pack@ : head;
  const @index@ words = inner < start + 2 * @pack@ ? 0 : (inner - start) / @pack@ - 1;
  if (j < words) {
    const @index@ left = words - j, first = start + j * @pack@;
    if (@last@ < left) {
@whole@
    } else {
@partial@
    }
  }
  if (j < inner - words * @pack@) {
    const @index@ i = j < start ? j : j + words * @pack@;
    @evaluate_one@
  }

//: word
template <class Pack, class T> static __device__ __forceinline__ Pack word_at(const T *p) {
  const unsigned skew = (unsigned long long)p % 4;
  const unsigned *const w = (const unsigned *)((const char *)p - skew);
  union {
    unsigned word;
    Pack pack;
  } x;
  x.word = __funnelshift_r(w[0], w[skew > 0], 8 * skew);
  return x.pack;
}

//: strided
// Where an element lies is computed from its place in the output; j counts packs.
extern "C" __global__ void __launch_bounds__(256) @name@(const @index@ n@params@) {
  const @index@ first = blockIdx.x * (@index@)(256 * @chunks@) + threadIdx.x;
@uniform@
@declared@
#pragma unroll
  for (int k = 0; k < @chunks@; k++) {
    const @index@ j = first + k * 256;
    if (j * @pack@ < n) {
@places@
@loads@
    }
  }
#pragma unroll
  for (int k = 0; k < @chunks@; k++) {
    const @index@ j = first + k * 256;
    if (j * @pack@ < n) {
@results@
#pragma unroll
      for (int w = 0; w < @pack@; w++) @evaluate@
@stores@
    }
  }
}

//: shifted
// Arrays at shifted places. A thread's elements are in one column or in one row; inside, their places are those of the
// output and a constant.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n@params@) {
@coordinates@
  if (x0 >= columns) return;
@uniform@
  if (@within@) {
@bases@
    const int at = @first_place@;
@declared@
@loads@
#pragma unroll
    for (int i = 0; i < @items@; i++) {
@results@
      @evaluate@
@stores@
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < @items@; i++) {
      @element@
@one_declared@
@one_places@
@one_loads@
@one_results@
      @one_evaluate@
@one_stores@
    }
  }
}

//: tiled
// A block computes a tile of @across@ elements along the output's last axis and @along@ along another one: those of
// some operands come through shared memory, which is filled along the other axis. x and y count packs of a tile:
// squares of packs as they are computed, then packs as they are read.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n@params@) {
@shared@
@coordinates@
@uniform@
@bases@
@body@
}

//: tile_edges
  if (a0 + @across@ <= across && b0 + @along@ <= along) {
@whole@
  } else {
#pragma unroll 4
    for (int k = 0; k < @reads@; k++) {
      @read@
      const @index@ a = a0 + y, b = b0 + x@times@;
      @if_read@{
        const unsigned at = @row@ * @pitch@ + x;
@tile_copies@
      }
    }
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < @squares@; k++) {
      @square@
      const @index@ a = a0 + x@times@, b = b0 + y@times@;
      @if_square@{
@tile_values@
@each_row@
        {
@direct_values@
@results@
@each@
          @evaluate@
@stores@
        }
      }
    }
  }

//: tile_direct
#pragma unroll
    for (int k = 0; k < @squares@; k++) {
      @square@
      [[maybe_unused]] const @index@ a = a0 + x@times@, b = b0 + y@times@;
      @if_square@{
@each_row@
        {
@direct_loads@
        }
      }
    }

//: tile
@declared@
@direct@
#pragma unroll
    for (int k = 0; k < @reads@; k++) {
      @read@
      const @index@ a = a0 + y, b = b0 + x@times@;
      @if_read@{
@tile_loads@
      }
    }
#pragma unroll
    for (int k = 0; k < @reads@; k++) {
      @read@
      @if_stored@{
        const unsigned at = @row@ * @pitch@ + x;
@tile_stores@
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < @squares@; k++) {
      @square@
      const @index@ a = a0 + x@times@, b = b0 + y@times@;
      @if_square@{
@tile_values@
@each_row@
        {
@results@
@each@
          @evaluate@
@stores@
        }
      }
    }
