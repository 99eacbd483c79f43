// Transforms of any length n by Bluestein's algorithm: j k = (j^2 + k^2 - (j - k)^2) / 2, so that a transform is a
// convolution with a chirp, c(k) = w(2n)^(k^2), which transforms of a power of two compute.

//: chirp
// The chirp, and the filter to convolve with: its conjugate, as a period of `padded` elements.
extern "C" __global__ void array_fft_chirp(Complex *chirp, Complex *filter, const fft_power *powers,
                                           const int power_shift, const unsigned long long n,
                                           const unsigned long long padded)
{
  const unsigned long long at = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= padded) return;
  const unsigned long long k = at < n ? at : padded - at;
  Complex x = fft_make((Real)0, (Real)0);
  if (k < n) x = fft_root<Complex, unsigned long long>(powers, k * k % (2 * n), power_shift);
  if (at < n) chirp[at] = x;
  filter[at] = fft_make(x.x, -x.y);
}

//: spread
// The elements of an axis times the chirp, and zeros behind them. Each axis has `inner` columns side by side.
extern "C" __global__ void array_fft_spread(const Source *in, Complex *out, const Complex *chirp, const Index all,
                                            const Index inner, const Index extent, const Index padded,
                                            const Index count, const int swapped)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, at = rest % padded;
  Complex x = fft_make((Real)0, (Real)0);
  if (at < count) {
    x = fft_value(in[(rest / padded * extent + at) * inner + number % inner]);
    if (swapped) x = fft_make(x.y, x.x);
    x = fft_mul(x, chirp[at]);
  }
  out[number] = x;
}

//: convolve
extern "C" __global__ void array_fft_convolve(Complex *values, const Complex *filter, const Index all,
                                              const Index inner, const Index padded)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number < all) values[number] = fft_mul(values[number], filter[number / inner % padded]);
}

//: gather
extern "C" __global__ void array_fft_gather(const Complex *in, Complex *out, const Complex *chirp, const Index all,
                                            const Index inner, const Index n, const Index padded, const Real scale,
                                            const int swapped)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, at = rest % n;
  Complex x = fft_mul(in[(rest / n * padded + at) * inner + number % inner], chirp[at]);
  x = fft_make(x.x * scale, x.y * scale);
  if (swapped) x = fft_make(x.y, x.x);
  out[number] = x;
}
