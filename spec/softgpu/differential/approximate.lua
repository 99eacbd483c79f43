-- Approximate instructions and the intrinsic functions on them: within the bound that the manual gives.
local forms = require "spec.softgpu.differential.forms"

return function(corpus)
  forms.add(corpus, "approx_sin", "{sin,cos}.approx{,.ftz}.f32 f:m ~ sin")
  forms.add(corpus, "approx_lg2", "lg2.approx{,.ftz}.f32 f:m ~ lg2")
  forms.add(corpus, "approx_ex2", "ex2.approx{,.ftz}.f32 f:m ~ ex2")
  forms.add(corpus, "approx_rcp", "rcp.approx{,.ftz}.f32 f:m ~ rcp")
  forms.add(corpus, "approx_rsqrt", "rsqrt.approx{,.ftz}.f32 f:m ~ rsqrt")
  forms.add(corpus, "approx_sqrt", "sqrt.approx{,.ftz}.f32 f:m ~ sqrt")
  forms.add(corpus, "approx_div", "div.{approx,full}{,.ftz}.f32 f:mm ~ div")
  forms.add(corpus, "approx_tanh", "tanh.approx.f32 f:m ~ tanh")
  forms.add(corpus, "approx_double", "{rcp,rsqrt}.approx.ftz.f64 d:e ~ seed\nrsqrt.approx.f64 d:e ~ rsqrt_double")

  local function C(name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
  C("fast_trigonometry", "sin:f~fast cos:f~fast tan:f~fast_tan sincos:f~fast", [[
    float a = M(0); a = fabsf(a) <= 3.2f ? a : 1.25f; float s, c; __sincosf(a, &s, &c);
    OUT(0, plain(__sinf(a))); OUT(1, plain(__cosf(a))); OUT(2, plain(__tanf(a))); OUT(3, plain(s * c));]])
  C("fast_exponential", "exp:f~fast exp10:f~fast log:f~fast log2:f~fast_log2 log10:f~fast pow:f~wild divide:f~div", [[
    float a = M(0), b = M(1), p = fabsf(a), e = fabsf(b) < 8 ? b : 1.5f;
    OUT(0, plain(__expf(e))); OUT(1, plain(__exp10f(e))); OUT(2, plain(__logf(p))); OUT(3, plain(__log2f(a)));
    OUT(4, plain(__log10f(p)));
    OUT(5, plain(__powf(p < 100 ? p : 3, e))); OUT(6, plain(__fdividef(a, b)));]])
  C("fast_math_option", "root:f~ulp4 quotient:f~ulp4 rsqrt:f~ulp4 exponential:f~fast tanh:f~wild", [[
    float a = M(0), b = M(1), e = fabsf(b) < 8 ? b : 1.5f;
    OUT(0, plain(sqrtf(a))); OUT(1, plain(a / e)); OUT(2, plain(rsqrtf(a))); OUT(3, plain(expf(e)));
    OUT(4, plain(tanhf(a)));]],
    { options = { "--use_fast_math" } })
  C("imprecise_division", "quotient:f~div reciprocal:f~rcp root:f~sqrt", [[
    float a = M(0), b = M(1);
    OUT(0, plain(a / b)); OUT(1, plain(1 / a));
    OUT(2, plain(sqrtf(a)));]], { options = { "--prec-div=false", "--prec-sqrt=false" } })
end
