// One pass of a Fourier transform along an axis: LENGTH elements of each column, by Stockham's algorithm. Values are in
// registers; between radices they are exchanged through shared memory. A block has COLUMNS columns.

//: numbers
typedef @complex@ Complex;
typedef @real@ Real;
typedef @source@ Source; // Complex, or Real
typedef @index@ Index;

//: columns
enum { LENGTH = @length@, COLUMNS = @columns@, THREADS = @threads@, SHIFT = @shift@, PAD = @pad@, PITCH = @pitch@ };
// What is known of the columns: each is a row of its own, all in one line (width is 1); inner is 1; and of the last of
// several passes, how many there are (more than two: 3).
enum { ROWS = @rows@, ONE = @one@, PASSES = @passes@ };

// Where an element of the block's columns is in shared memory, r times STRIDE behind another one: column by column if
// lanes that load have elements of one, otherwise element by element. Gaps keep lanes apart in their banks. Where they
// come at the same distances, r times a constant is added to one place.
template <int STRIDE> __device__ __forceinline__ int place(const int at, const int r, const int column)
{
  enum { WIDTH = PITCH ? 1 : COLUMNS, GAP = PITCH ? 1 : PAD };
  enum { STEP = STRIDE * WIDTH, EVEN = STEP % (1 << SHIFT) == 0 };
  const int number = (PITCH ? at : at * COLUMNS + column) + (EVEN ? 0 : r * STEP);
  return (PITCH ? column * PITCH : 0) + number + (GAP ? (number >> SHIFT) * GAP : 0) +
         (EVEN ? r * (STEP + (STEP >> SHIFT) * GAP) : 0);
}

// The butterflies of a radix: how many a thread has, and which.
template <int RADIX, bool BY_ROWS> struct Turn {
  enum { ALL = LENGTH / RADIX, COUNT = ALL * COLUMNS, TIMES = (COUNT + THREADS - 1) / THREADS };
  int first, column;
  bool there;
  __device__ __forceinline__ Turn(const int time)
  {
    const int number = (int)threadIdx.x + time * THREADS;
    there = COUNT % THREADS == 0 || number < COUNT;
    // Neighbouring threads have neighbours in memory: of a column, or columns.
    first = BY_ROWS ? number % ALL : number / COLUMNS;
    column = BY_ROWS ? number / ALL : number % COLUMNS;
  }
};

// What the kernel is given about the columns: there are `width` of them side by side, `outer` times, and an element is
// `width` places behind the one before it. Of the last of several passes a column is read somewhere else.
struct Frame {
  Index width, all; // columns in all
  Index extent;     // elements of the source between two `outer`s, behind which it has none: 0 is read
  Index inner, first, second; // of the last pass: see source()
};

// The number of a column among those side by side, and how often there were so many before.
__device__ __forceinline__ Index within(const Index number, const Index width, Index &outer)
{
  outer = ROWS ? number : number / width;
  return ROWS ? 0 : number - outer * width;
}

// Where a column is read, and how far its elements are apart.
__device__ __forceinline__ Index source(const Frame &f, const Index column, Index &step)
{
  if (PASSES == 1) {
    step = ROWS ? 1 : f.width;
    return column;
  }
  // Columns are in the order of the results: the digit of the first pass is the fastest one. In the source it is the
  // slowest one.
  const Index inner = ONE ? 1 : f.inner;
  Index number = column / inner;
  const Index rest_of_inner = column - number * inner;
  if (PASSES > 2) {
    const Index rest = number / f.first, digit = number - rest * f.first, third = rest / f.second;
    const Index thirds = f.width / (inner * f.first * f.second);
    number = (digit * f.second + rest - third * f.second) * thirds + third;
  }
  step = inner;
  return number * LENGTH * inner + rest_of_inner;
}

template <int RADIX, bool BY_ROWS>
__device__ __forceinline__ void load(Complex (&v)[RADIX], const Turn<RADIX, BY_ROWS> &turn, const Frame &f,
                                     const Index block, const Source *in, const bool swapped)
{
  const Index number = block * COLUMNS + turn.column;
  const bool there = turn.there && number < f.all;
  Index outer, step;
  const Index from = source(f, within(number, f.width, outer), step), begin = outer * f.extent;
#pragma unroll
  for (int r = 0; r < RADIX; r++) {
    const Index at = from + (turn.first + r * (LENGTH / RADIX)) * step;
    Complex x = fft_make((Real)0, (Real)0);
    if (there && at < f.extent) x = fft_value(in[begin + at]);
    v[r] = swapped ? fft_make(x.y, x.x) : x;
  }
}

// Multiplies by the powers of the root that belong to a radix behind others whose product is BEFORE.
template <int RADIX, int BEFORE>
__device__ __forceinline__ void turn_by(Complex (&v)[RADIX], const int first, const Complex *roots)
{
#pragma unroll
  for (int r = 1; r < RADIX; r++) {
    v[r] = fft_mul(v[r], roots[first % BEFORE * r * (LENGTH / (BEFORE * RADIX))]);
  }
}

// Where the first output of a butterfly goes; the others follow at a distance of BEFORE.
template <int RADIX, int BEFORE> __device__ __forceinline__ int target(const int first)
{
  return first / BEFORE * (BEFORE * RADIX) + first % BEFORE;
}

//: begin
extern "C" __global__ void __launch_bounds__(THREADS)
array_fft_pass(const Source *in, Complex *out, const Complex *roots, const fft_power *powers, const int power_shift,
         const Index width, const Index all, const Index extent, const Index inner, const Index first,
         const Index second, const Real scale, const int swapped)
{
  const Frame f = {width, all, extent, inner, first, second};
  const Index block = blockIdx.x;
@shared@

//: first
  {
    typedef Turn<@radix@, @rows@> T;
    Complex v[T::TIMES][@radix@];
#pragma unroll
    for (int m = 0; m < T::TIMES; m++) {
      load<@radix@, @rows@>(v[m], T(m), f, block, in, swapped & 1);
      fft_radix(v[m]);
    }
@store@
  }

//: next
  {
    typedef Turn<@radix@, @rows@> T;
    Complex v[T::TIMES][@radix@];
#pragma unroll
    for (int m = 0; m < T::TIMES; m++) {
      const T t(m);
      if (!t.there) continue;
#pragma unroll
      for (int r = 0; r < @radix@; r++) v[m][r] = values[place<LENGTH / @radix@>(t.first, r, t.column)];
      turn_by<@radix@, @before@>(v[m], t.first, roots);
      fft_radix(v[m]);
    }
@store@
  }

//: exchange
@wait@
#pragma unroll
    for (int m = 0; m < T::TIMES; m++) {
      const T t(m);
      if (!t.there) continue;
#pragma unroll
      for (int r = 0; r < @radix@; r++) values[place<@before@>(target<@radix@, @before@>(t.first), r, t.column)] = v[m][r];
    }
    __syncthreads();

//: write
#pragma unroll
    for (int m = 0; m < T::TIMES; m++) {
      const T t(m);
      const Index number = block * COLUMNS + t.column;
      if (!t.there || number >= all) continue;
      Index outer;
      const Index column = within(number, width, outer), step = ROWS ? 1 : width;
@powers@
#pragma unroll
      for (int r = 0; r < @radix@; r++) {
        const int at = t.first + r * (LENGTH / @radix@);
        Complex x = v[m][r];
@between@
        x = fft_make(x.x * scale, x.y * scale);
        if (swapped & 2) x = fft_make(x.y, x.x);
        out[(outer * LENGTH + at) * step + column] = x;
      }
    }

//: powers
      const Index turn = ONE ? column : column / inner; // element `at` of the column is multiplied by the power at * turn of the root
      fft_powers<Complex, Index> by(powers, t.first * turn, LENGTH / @radix@ * turn, power_shift);

//: between
        x = fft_mul(x, by.next());

//: copy
extern "C" __global__ void array_fft_copy(const Source *in, Complex *out, const Index all, const Index width,
                                    const Index extent, const Real scale)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index outer = number / width, column = number % width;
  Complex x = fft_make((Real)0, (Real)0);
  if (column < extent) x = fft_value(in[outer * extent + column]);
  out[number] = fft_make(x.x * scale, x.y * scale);
}
