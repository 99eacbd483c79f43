-- Written by ./dev generate from the definitions in lua/cudalua/gpuarray/; change these.
-- Names for the contract and the specs. `defined` has the functions that are methods, too, by file, and their
-- parameters.
return {
  operations = [[abs acos acosh add angle asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor
    cbrt ceil clip complex conj conjugate copysign cos cosh cospi cube cyl_bessel_i0 cyl_bessel_i1 degrees div eq erf
    erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim floor floordiv fma fmax fmin fmod frexp gcd ge gt heaviside
    hypot ieee_remainder if_positive ilogb imag isfinite isinf isnan j0 j1 jn lcm ldexp le left_shift lgamma log log10
    log1p log2 logaddexp logaddexp2 logb logical_and logical_not logical_or logical_xor lt maximum minimum mod modf mul
    mul_add ne neg nextafter normcdf normcdfinv pos pow radians rcbrt real reciprocal rhypot right_shift rint round
    round_away rsqrt sign signbit sin sinc sinh sinpi sqrt square sub tan tanh tgamma trunc y0 y1 yn]],
  math = [[abs acos acosh angle asin asinh atan atan2 atanh cbrt ceil clip conj copysign cos cosh cospi cube
    cyl_bessel_i0 cyl_bessel_i1 degrees erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim floor floordiv fma
    fmax fmin fmod frexp heaviside hypot ieee_remainder ilogb imag isfinite isinf isnan j0 j1 jn ldexp lgamma log log10
    log1p log2 logaddexp logaddexp2 logb maximum minimum mod modf nextafter normcdf normcdfinv pow radians rcbrt real
    reciprocal rhypot rint round round_away rsqrt sign signbit sin sinc sinh sinpi sqrt square tan tanh tgamma trunc y0
    y1 yn]],
  reductions = [[sum prod mean min max argmin argmax nanmin nanmax nanargmin nanargmax any all count_nonzero]],
  scans = [[cumsum nancumsum cumprod cummax cummin]],
  defined = {
    ["derived.average"] = {
      average = "a options",
    },
    ["derived.closeness"] = {
      allclose = "a b options",
      array_equal = "a b options",
      isclose = "a b options",
    },
    ["derived.convolve"] = {
      convolve = "a v options",
      correlate = "a v options",
    },
    ["derived.covariance"] = {
      corrcoef = "m options",
      cov = "m options",
    },
    ["derived.diff"] = {
      diff = "a n options",
    },
    ["derived.gradient"] = {
      gradient = "f options",
      trapezoid = "y options",
    },
    ["derived.replace"] = {
      masked_fill = "a mask value options",
      nan_to_num = "a options",
    },
    ["derived.sets"] = {
      isin = "a values options",
    },
    ["derived.unwrap"] = {
      unwrap = "p options",
    },
    ["index.choose"] = {
      choose = "numbers choices options",
      searchsorted = "a values options",
    },
    ["index.take"] = {
      put = "a indices values options",
      take = "a indices options",
    },
    ["index.where"] = {
      compress = "condition a options",
      nonzero = "a options",
      where = "c a b options",
    },
    ["make.generate"] = {
      tril = "a k options",
      triu = "a k options",
    },
    ["order.nanquantile"] = {
      nanmedian = "a options",
      nanpercentile = "a q options",
      nanquantile = "a q options",
    },
    ["order.quantile"] = {
      median = "a options",
      percentile = "a q options",
      quantile = "a q options",
    },
    ["order.sort"] = {
      argpartition = "a kth options",
      argsort = "a options",
      partition = "a kth options",
      sort = "a options",
      topk = "a k options",
      unique = "a options",
    },
    ["product.matmul"] = {
      addmm = "c a b options",
      matmul = "a b options",
    },
    ["product.shapes"] = {
      cross = "a b options",
      inner = "a b options",
      kron = "a b options",
      outer = "a b options",
      tensordot = "a b options",
      trace = "a k options",
      vecdot = "a b options",
    },
    ["reduce.nan_and_norms"] = {
      logsumexp = "a options",
      nanmean = "a options",
      nanprod = "a options",
      nanstd = "a options",
      nansum = "a options",
      nanvar = "a options",
      norm = "a options",
    },
    ["reduce.reduce"] = {
      all = "a options",
      any = "a options",
      argmax = "a options",
      argmin = "a options",
      count_nonzero = "a options",
      dot = "a b options",
      max = "a options",
      mean = "a options",
      min = "a options",
      nanargmax = "a options",
      nanargmin = "a options",
      nanmax = "a options",
      nanmin = "a options",
      prod = "a options",
      ptp = "a options",
      std = "a options",
      sum = "a options",
      var = "a options",
      vdot = "a b options",
    },
    ["reduce.scan"] = {
      cummax = "a options",
      cummin = "a options",
      cumprod = "a options",
      cumsum = "a options",
      nancumsum = "a options",
    },
  },
}
