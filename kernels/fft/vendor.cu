// What stands before and behind a vendor's transforms. Axes have `inner` columns side by side.

//: resize
// The first n elements of an axis that has `extent` of them: others are left out, or are 0.
extern "C" __global__ void array_fft_resize(const Source *in, Source *out, const Index all, const Index inner,
                                            const Index extent, const Index n)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, at = rest % n;
  out[number] = at < extent ? in[(rest / n * extent + at) * inner + number % inner] : Source();
}

//: half
// The first half of a transform of n real numbers, as `kept` elements: the imaginary parts of the elements 0 and, of
// an even n, n / 2 do not count.
extern "C" __global__ void array_fft_half(const Complex *in, Complex *out, const Index all, const Index inner,
                                          const Index extent, const Index kept, const int even)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= all) return;
  const Index rest = number / inner, at = rest % kept;
  Complex x = fft_make((Real)0, (Real)0);
  if (at < extent) x = in[(rest / kept * extent + at) * inner + number % inner];
  if (at == 0 || (even && at == kept - 1)) x.y = 0;
  out[number] = x;
}

//: scale
// Multiplies numbers where they are.
extern "C" __global__ void array_fft_scale(Real *x, const Index all, const Real factor)
{
  const Index number = (Index)blockIdx.x * blockDim.x + threadIdx.x;
  if (number < all) x[number] *= factor;
}
