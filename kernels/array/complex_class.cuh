// Complex numbers as a class, for statements that users write: cudalua::complex<float>, which is complex64, and
// cudalua::complex<double>, complex128; also by the name that PyCUDA has for them, pycuda::complex. It is laid out as
// float2 and double2 are. Functions are those of C++'s <complex>, found by their names alone.
namespace cudalua {
template <class T> struct cl_pair;
template <> struct cl_pair<float> { typedef float2 type; };
template <> struct cl_pair<double> { typedef double2 type; };

template <class T> struct __align__(2 * sizeof(T)) complex {
  typedef T value_type;
  typedef typename cl_pair<T>::type pair;
  T re, im;

  complex() = default;
  __device__ __forceinline__ complex(T x) : re(x), im(0) {}
  __device__ __forceinline__ complex(T x, T y) : re(x), im(y) {}
  __device__ __forceinline__ complex(pair z) : re(z.x), im(z.y) {}
  template <class U>
  __device__ __forceinline__ explicit complex(const complex<U> &z) : re((T)z.re), im((T)z.im) {}
  __device__ __forceinline__ pair get() const { return cl_make(re, im); }

  __device__ __forceinline__ T real() const { return re; }
  __device__ __forceinline__ T imag() const { return im; }

  __device__ __forceinline__ complex operator-() const { return complex(-re, -im); }
  __device__ __forceinline__ complex operator+() const { return *this; }
  __device__ __forceinline__ complex &operator+=(complex b) { return *this = *this + b; }
  __device__ __forceinline__ complex &operator-=(complex b) { return *this = *this - b; }
  __device__ __forceinline__ complex &operator*=(complex b) { return *this = *this * b; }
  __device__ __forceinline__ complex &operator/=(complex b) { return *this = *this / b; }
  __device__ __forceinline__ complex &operator+=(T b) { return *this = *this + b; }
  __device__ __forceinline__ complex &operator-=(T b) { return *this = *this - b; }
  __device__ __forceinline__ complex &operator*=(T b) { return *this = *this * b; }
  __device__ __forceinline__ complex &operator/=(T b) { return *this = *this / b; }

  friend __device__ __forceinline__ complex operator+(complex a, complex b) { return cl_add(a.get(), b.get()); }
  friend __device__ __forceinline__ complex operator-(complex a, complex b) { return cl_sub(a.get(), b.get()); }
  friend __device__ __forceinline__ complex operator*(complex a, complex b) { return cl_mul(a.get(), b.get()); }
  friend __device__ __forceinline__ complex operator/(complex a, complex b) { return cl_div(a.get(), b.get()); }
  friend __device__ __forceinline__ complex operator+(complex a, T b) { return complex(a.re + b, a.im); }
  friend __device__ __forceinline__ complex operator+(T a, complex b) { return complex(a + b.re, b.im); }
  friend __device__ __forceinline__ complex operator-(complex a, T b) { return complex(a.re - b, a.im); }
  friend __device__ __forceinline__ complex operator-(T a, complex b) { return complex(a - b.re, -b.im); }
  friend __device__ __forceinline__ complex operator*(complex a, T b) { return complex(a.re * b, a.im * b); }
  friend __device__ __forceinline__ complex operator*(T a, complex b) { return complex(a * b.re, a * b.im); }
  friend __device__ __forceinline__ complex operator/(complex a, T b) { return complex(a.re / b, a.im / b); }
  friend __device__ __forceinline__ complex operator/(T a, complex b) { return complex(a) / b; }
  friend __device__ __forceinline__ bool operator==(complex a, complex b) { return a.re == b.re && a.im == b.im; }
  friend __device__ __forceinline__ bool operator!=(complex a, complex b) { return !(a == b); }
};

template <class T> __device__ __forceinline__ T real(complex<T> a) { return a.re; }
template <class T> __device__ __forceinline__ T imag(complex<T> a) { return a.im; }
template <class T> __device__ __forceinline__ T abs(complex<T> a) { return cl_abs(a.get()); }
template <class T> __device__ __forceinline__ T arg(complex<T> a) { return cl_angle(a.get()); }
template <class T> __device__ __forceinline__ T norm(complex<T> a) { return a.re * a.re + a.im * a.im; }
template <class T> __device__ __forceinline__ complex<T> conj(complex<T> a) { return complex<T>(a.re, -a.im); }
template <class T> __device__ __forceinline__ complex<T> sqrt(complex<T> a) { return cl_sqrt(a.get()); }
template <class T> __device__ __forceinline__ complex<T> exp(complex<T> a) { return cl_exp(a.get()); }
template <class T> __device__ __forceinline__ complex<T> log(complex<T> a) { return cl_log(a.get()); }
template <class T> __device__ __forceinline__ complex<T> log10(complex<T> a) { return cl_log10(a.get()); }
template <class T> __device__ __forceinline__ complex<T> sin(complex<T> a) { return cl_sin(a.get()); }
template <class T> __device__ __forceinline__ complex<T> cos(complex<T> a) { return cl_cos(a.get()); }
template <class T> __device__ __forceinline__ complex<T> tan(complex<T> a) { return cl_tan(a.get()); }
template <class T> __device__ __forceinline__ complex<T> sinh(complex<T> a) { return cl_sinh(a.get()); }
template <class T> __device__ __forceinline__ complex<T> cosh(complex<T> a) { return cl_cosh(a.get()); }
template <class T> __device__ __forceinline__ complex<T> tanh(complex<T> a) { return cl_tanh(a.get()); }
template <class T> __device__ __forceinline__ complex<T> pow(complex<T> a, complex<T> b) {
  return cl_cpow(a.get(), b.get());
}
template <class T, class U> __device__ __forceinline__ complex<T> pow(complex<T> a, U b) {
  return cl_cpow(a.get(), complex<T>((T)b).get());
}
template <class T> __device__ __forceinline__ complex<T> polar(T length, T angle) {
  return complex<T>(length * ::cos(angle), length * ::sin(angle));
}
}
namespace pycuda = cudalua;
typedef cudalua::complex<float> complex64;
typedef cudalua::complex<double> complex128;
