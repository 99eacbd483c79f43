// What the kernels of pictures share: element types, boundaries, weights of filters. A picture is rows of pixels, and a
// pixel is `inner` channels side by side, so that a row has width * inner elements. Pictures of a batch follow each other.

//: types
typedef @source@ Source; // elements in memory
typedef @result@ Result;
typedef @value@ Value; // what is computed with
typedef @real@ Real;   // its parts
typedef @index@ Index; // signed

enum { ONE = @one@ }; // pixels have one channel: `inner` is 1

__device__ __forceinline__ Value img_load(const Source x)
{
  const @loaded@ r = @load@;
  return @to_value@;
}

__device__ __forceinline__ Result img_store(const Value v)
{
  const Value r = @rounded@;
  return @store@;
}

// sum + w v, for a weight that is real. Weights of 0 are those of pixels that do not count, even if they are NaN.
__device__ __forceinline__ float img_add(const float w, const float v, const float sum)
{
  return w == 0 ? sum : fmaf(w, v, sum);
}

__device__ __forceinline__ double img_add(const double w, const double v, const double sum)
{
  return w == 0 ? sum : fma(w, v, sum);
}

__device__ __forceinline__ float2 img_add(const float w, const float2 v, const float2 sum)
{
  return make_float2(img_add(w, v.x, sum.x), img_add(w, v.y, sum.y));
}

__device__ __forceinline__ double2 img_add(const double w, const double2 v, const double2 sum)
{
  return make_double2(img_add(w, v.x, sum.x), img_add(w, v.y, sum.y));
}

__device__ __forceinline__ float img_over(const float v, const float n) { return v / n; }

__device__ __forceinline__ double img_over(const double v, const double n) { return v / n; }

__device__ __forceinline__ float2 img_over(const float2 v, const float n) { return make_float2(v.x / n, v.y / n); }

__device__ __forceinline__ double2 img_over(const double2 v, const double n)
{
  return make_double2(v.x / n, v.y / n);
}

//: places
typedef @index@ Index;
enum { ONE = @one@ };

//: block
// A block's part of a result: which picture, and the first row and the first element of the row.
struct Part {
  Index picture, row, column;
};

__device__ __forceinline__ Part img_part(const Index tiles_down, const Index tiles_across, const int tall,
                                         const int wide)
{
  const Index number = blockIdx.x, rest = number / tiles_across;
  Part part;
  part.column = (number - rest * tiles_across) * wide;
  part.picture = rest / tiles_down;
  part.row = (rest - part.picture * tiles_down) * tall;
  return part;
}

// From an element of a row to its pixel; what is left is its channel. `at` may be negative.
__device__ __forceinline__ Index img_pixel(const Index at, const Index inner, Index &channel)
{
  if (ONE) {
    channel = 0;
    return at;
  }
  Index pixel = at / inner;
  if (at - pixel * inner < 0) pixel--;
  channel = at - pixel * inner;
  return pixel;
}

// ---- boundaries: which of n positions stands for one that may be outside, or -1: there is the fill ----

//: constant
__device__ __forceinline__ Index img_edge(const Index at, const Index n)
{
  return at >= 0 && at < n ? at : -1;
}

//: edge
__device__ __forceinline__ Index img_edge(const Index at, const Index n)
{
  return at < 0 ? 0 : at < n ? at : n - 1;
}

//: reflect
__device__ __forceinline__ Index img_edge(const Index at, const Index n)
{
  if (at >= 0 && at < n) return at;
  if (n == 1) return 0;
  const Index period = 2 * n - 2, far = (at < 0 ? -at : at) % period;
  return far < n ? far : period - far;
}

//: symmetric
__device__ __forceinline__ Index img_edge(const Index at, const Index n)
{
  if (at >= 0 && at < n) return at;
  const Index far = (at < 0 ? -1 - at : at) % (2 * n);
  return far < n ? far : 2 * n - 1 - far;
}

//: wrap
__device__ __forceinline__ Index img_edge(const Index at, const Index n)
{
  if (at >= 0 && at < n) return at;
  const Index rest = at % n;
  return rest < 0 ? rest + n : rest;
}

//: along
// From an element along a row, which may be outside, to the one that stands for it, or -1: there is the fill.
__device__ __forceinline__ Index img_along(const Index at, const Index inner, const Index width)
{
  if (at >= 0 && at < width * inner) return at;
  Index channel;
  const Index pixel = img_edge(img_pixel(at, inner, channel), width);
  return pixel < 0 ? pixel : pixel * (ONE ? 1 : inner) + channel;
}

//: linear
enum { TAPS = 2, BEFORE = 0 }; // pixels that count along an axis, and how many of them lie before the position's

__device__ __forceinline__ void img_weights(Real (&w)[TAPS], const Real t)
{
  w[0] = 1 - t;
  w[1] = t;
}

//: cubic
enum { TAPS = 4, BEFORE = 1 };

// Keys' cubic with a = -1/2, for a position t behind the second of four pixels.
__device__ __forceinline__ void img_weights(Real (&w)[TAPS], const Real t)
{
  const Real half = (Real)0.5;
  w[0] = ((1 - half * t) * t - half) * t;
  w[1] = (3 * half * t - 5 * half) * t * t + 1;
  w[2] = ((2 - 3 * half * t) * t + half) * t;
  w[3] = (half * t - half) * t * t;
}
