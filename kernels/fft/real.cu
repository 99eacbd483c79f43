// Transforms of real numbers of an even length n = 2 half, by complex ones of half the length: pairs of neighbours are
// the parts of complex numbers z(k) = x(2 k) + i x(2 k + 1). Axes have `inner` columns side by side.

//: pack
// The pairs; behind the elements that there are come zeros.
extern "C" __global__ void array_fft_pack(const Real *in, Complex *out, const Index all, const Index inner,
                                          const Index extent, const Index half)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, at = 2 * (rest % half);
  const Real *from = in + rest / half * extent * inner + number % inner;
  out[number] = fft_make(at < extent ? from[at * inner] : (Real)0, at + 1 < extent ? from[(at + 1) * inner] : (Real)0);
}

//: unpack
// From Z, the transform of the pairs, to the elements 0 to half: those of the even numbers are (Z(k) + conj Z(half - k))
// / 2, those of the odd ones have a difference and -i.
extern "C" __global__ void array_fft_unpack(const Complex *in, Complex *out, const fft_power *powers,
                                            const int power_shift, const Index all, const Index inner,
                                            const Index half, const Real scale)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, at = rest % (half + 1);
  const Complex *from = in + rest / (half + 1) * half * inner + number % inner;
  const Complex a = from[(at == half ? 0 : at) * inner], b = from[(at == 0 ? 0 : half - at) * inner];
  if (at == 0 || at == half) {
    out[number] = fft_make((at == 0 ? a.x + a.y : a.x - a.y) * scale, (Real)0);
    return;
  }
  const Complex even = fft_make(a.x + b.x, a.y - b.y), odd = fft_make(a.y + b.y, b.x - a.x);
  const Complex x = fft_add(even, fft_mul(odd, fft_root<Complex, Index>(powers, at, power_shift)));
  const Real factor = (Real)0.5 * scale;
  out[number] = fft_make(x.x * factor, x.y * factor);
}

//: repack
// Back: twice the transform of the pairs. The imaginary parts of the elements 0 and half do not count.
extern "C" __global__ void array_fft_repack(const Complex *in, Complex *out, const fft_power *powers,
                                            const int power_shift, const Index all, const Index inner,
                                            const Index extent, const Index half)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, at = rest % half;
  const Complex *from = in + rest / half * extent * inner + number % inner;
  Complex a = fft_make((Real)0, (Real)0), b = a;
  if (at < extent) a = from[at * inner];
  if (half - at < extent) b = from[(half - at) * inner];
  if (at == 0) a.y = b.y = 0;
  const Complex even = fft_make(a.x + b.x, a.y - b.y), odd = fft_make(a.x - b.x, a.y + b.y);
  Complex root = fft_root<Complex, Index>(powers, at, power_shift);
  root.y = -root.y;
  out[number] = fft_add_i(even, fft_mul(odd, root));
}

//: unpair
// Of complex numbers the parts, one behind the other.
extern "C" __global__ void array_fft_unpair(const Complex *in, Real *out, const Index all, const Index inner,
                                            const Index half)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, at = rest % half;
  const Complex x = in[number];
  Real *to = out + (rest / half * half + at) * 2 * inner + number % inner;
  to[0] = x.x;
  to[inner] = x.y;
}

//: mirror
// Of an odd length n: all elements from the first half of them.
extern "C" __global__ void array_fft_mirror(const Complex *in, Complex *out, const Index all, const Index inner,
                                            const Index extent, const Index n)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, at = rest % n, half = n / 2, from = at <= half ? at : n - at;
  Complex x = fft_make((Real)0, (Real)0);
  if (from < extent) x = in[(rest / n * extent + from) * inner + number % inner];
  if (at == 0) x.y = 0;
  out[number] = at <= half ? x : fft_make(x.x, -x.y);
}

//: real_part
extern "C" __global__ void array_fft_real_part(const Complex *in, Real *out, const Index all)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number < all) out[number] = in[number].x;
}

//: first_half
// The first `kept` of n elements.
extern "C" __global__ void array_fft_first_half(const Complex *in, Complex *out, const Index all, const Index inner,
                                                const Index n, const Index kept)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner;
  out[number] = in[(rest / kept * n + rest % kept) * inner + number % inner];
}
