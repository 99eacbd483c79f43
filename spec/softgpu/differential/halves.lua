-- half and bfloat16, alone and in pairs: PTX's forms, and what cuda_fp16.h and cuda_bf16.h make of them.
local forms = require "spec.softgpu.differential.forms"

return function(corpus)
  local function family(name, text, options) forms.add(corpus, name, text, options) end
  local sm90 = { arch = "compute_90" }

  family("f16_arithmetic", [[
    {add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16,f16x2} T:TT
  ]], { most = 16 })
  family("f16_fma", "fma.rn{,.ftz}{,.sat,.relu}.{f16,f16x2} T:TTT")
  family("f16_min", [[
    {min,max}{,.ftz}{,.NaN}.{f16,f16x2} T:TT
    {abs,neg}{,.ftz}.{f16,f16x2} T:T
  ]])
  family("f16_compare", [[
    setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.f16 p:TT
    setp.{lt,geu}.ftz.f16 p:TT
    set.{eq,lt,geu,nan}.f16.f16 H:HH
    set.{ne,gt,leu,num}.u32.f16 w:HH
    set.{eq,lt,geu,nan}.f16x2.f16x2 J:JJ
    set.{eq,lt,gtu}.u32.f16x2 w:JJ
  ]])
  family("bf16_fma", "fma.rn{,.relu}.{bf16,bf16x2} T:TTT")
  family("bf16_min", [[
    {min,max}{,.NaN}.{bf16,bf16x2} T:TT
    {abs,neg}.{bf16,bf16x2} T:T
  ]])
  family("half_90", [[
    {add,sub,mul}.{bf16,bf16x2} T:TT
    {add,sub,mul}.rn.bf16 T:TT
    setp.{eq,ne,lt,ge,gtu,nan}.bf16 p:TT
    {min,max}{,.NaN}.xorsign.abs.{f16,f16x2,bf16,bf16x2} T:TT
  ]], sm90)
  family("f16_approximate", [[
    ex2.approx.{f16,f16x2} T:T ~ ex2_half
    tanh.approx.{f16,f16x2} T:T ~ tanh_half
  ]])
  family("bf16_approximate", [[
    ex2.approx.ftz.{bf16,bf16x2} T:T ~ ex2_bf
    tanh.approx.{bf16,bf16x2} T:T ~ tanh_bf
  ]], sm90)

  local fp16 = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" .. [[
#define HALF(k) __ushort_as_half((unsigned short)in[(8 + (k)) * 2048 + i])
#define HALF2(k) (*(const __half2 *)&in[(8 + (k)) * 2048 + i])
#define BF(k) __ushort_as_bfloat16((unsigned short)in[(12 + (k)) * 2048 + i])
#define BF2(k) (*(const __nv_bfloat162 *)&in[(12 + (k)) * 2048 + i])
__device__ __forceinline__ unsigned bits(__half v) { return __hisnan(v) ? 0x7fff : __half_as_ushort(v); }
__device__ __forceinline__ unsigned bits(__half2 v) { return bits(__low2half(v)) | bits(__high2half(v)) << 16; }
__device__ __forceinline__ unsigned bits(__nv_bfloat16 v) { return __hisnan(v) ? 0x7fff : __bfloat16_as_ushort(v); }
__device__ __forceinline__ unsigned bits(__nv_bfloat162 v) {
return bits(__low2bfloat16(v)) | bits(__high2bfloat16(v)) << 16; }
]]
  local function C(name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code, headers = fp16 }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
  C("half_operators", "add:H sub:H mul:H div:H~half2 fma:H compare:w minmax:H minmax_nan:H", [[
    __half a = HALF(0), b = HALF(1), c = HALF(2);
    OUT(0, bits(a + b)); OUT(1, bits(a - b)); OUT(2, bits(a * b)); OUT(3, bits(a / b)); OUT(4, bits(__hfma(a, b, c)));
    OUT(5, (a < b) | (a <= b) << 1 | (a == b) << 2 | __hneu(a, b) << 3 | __hgtu(a, b) << 4);
    OUT(6, bits(__hadd(__hmin(a, b), __hmax(a, c)))); OUT(7, bits(__hadd(__hmin_nan(a, b), __hmax_nan(a, c))));]])
  C("half2_operators", "add:J sub:J mul:J fma:J relu:J sat:J swapped:J compare:J masks:w", [[
    __half2 a = HALF2(0), b = HALF2(1), c = HALF2(2);
    OUT(0, bits(__hadd2(a, b))); OUT(1, bits(__hsub2(a, b))); OUT(2, bits(__hmul2_rn(a, b)));
    OUT(3, bits(__hfma2(a, b, c)));
    OUT(4, bits(__hfma2_relu(a, b, c))); OUT(5, bits(__hadd2_sat(a, b))); OUT(6, bits(__lowhigh2highlow(a)));
    OUT(7, bits(__hle2(a, b))); OUT(8, __hlt2_mask(a, b) ^ __hgeu2_mask(a, c));]])
  C("half_conversions", "to_int:w to_uint:w to_ll:x to_short:w from_int:H from_ull:H from_double:H " ..
    "from_float_rz:H to_float:f", [[
    __half a = HALF(0);
    OUT(0, __half2int_rn(a)); OUT(1, __half2uint_rz(a)); OUT(2, __half2ll_ru(a)); OUT(3, (u32)__half2short_rd(a));
    OUT(4, bits(__int2half_rn((int)W(0)))); OUT(5, bits(__ull2half_rd(X(0)))); OUT(6, bits(__double2half(D(0))));
    OUT(7, bits(__float2half_rz(F(0)))); OUT(8, plain(__half2float(a)));]])
  C("half_rounding", "ceil:H floor:H rint:H trunc:H abs:H neg:H shift:w class:w", [[
    __half a = HALF(0);
    OUT(0, bits(hceil(a))); OUT(1, bits(hfloor(a))); OUT(2, bits(hrint(a))); OUT(3, bits(htrunc(a)));
    OUT(4, bits(__habs(a)));
    OUT(5, bits(__hneg(a))); OUT(6, (u32)__half_as_short(a) << 1); OUT(7, __hisnan(a) | (u32)__hisinf(a) << 1);]])
  C("half_functions", "sqrt:H~half2 rsqrt:H~half2 rcp:H~half2 exp:H~half2 exp2:H~half2 exp10:H~half2 " ..
    "log:H~half2 log2:H~half2 log10:H~half2", [[
    __half a = HALF(0);
    OUT(0, bits(hsqrt(a))); OUT(1, bits(hrsqrt(a))); OUT(2, bits(hrcp(a))); OUT(3, bits(hexp(a)));
    OUT(4, bits(hexp2(a)));
    OUT(5, bits(hexp10(a))); OUT(6, bits(hlog(a))); OUT(7, bits(hlog2(a))); OUT(8, bits(hlog10(a)));]])
  C("half2_functions", "sin:H~half2 cos:H~half2 sqrt:J~half2 exp:J~half2 log:J~half2 div:J~half2", [[
    __half2 a = HALF2(0), b = HALF2(1); __half x = __low2half(a);
    OUT(0, bits(hsin(x))); OUT(1, bits(hcos(x))); OUT(2, bits(h2sqrt(a))); OUT(3, bits(h2exp(a)));
    OUT(4, bits(h2log(a)));
    OUT(5, bits(__h2div(a, b)));]])
  C("half_dot", "dot:f half_sum:J", [[
    float s = 0; __half2 t = __float2half2_rn(0.0f);
    for (int k = 0; k < 4; k++) { float2 v = __half22float2(HALF2(k)); s += v.x * v.y;
    t = __hfma2(HALF2(k), HALF2(3 - k), t); }
    OUT(0, plain(s)); OUT(1, bits(t));]])
  C("bf16_operators", "add:B sub:B mul:B fma:B compare:w min:B max_nan:B", [[
    __nv_bfloat16 a = BF(0), b = BF(1), c = BF(2);
    OUT(0, bits(__hadd(a, b))); OUT(1, bits(__hsub(a, b))); OUT(2, bits(__hmul(a, b))); OUT(3, bits(__hfma(a, b, c)));
    OUT(4, __hlt(a, b) | __hle(a, b) << 1 | __heq(a, b) << 2 | __hneu(a, b) << 3); OUT(5, bits(__hmin(a, b)));
    OUT(6, bits(__hmax_nan(a, b)));]])
  C("bf16_pairs", "add:K mul:K fma:K relu:K compare:K masks:w from_floats:K to_floats:f", [[
    __nv_bfloat162 a = BF2(0), b = BF2(1), c = BF2(2);
    OUT(0, bits(__hadd2(a, b))); OUT(1, bits(__hmul2(a, b))); OUT(2, bits(__hfma2(a, b, c)));
    OUT(3, bits(__hfma2_relu(a, b, c)));
    OUT(4, bits(__hgt2(a, b))); OUT(5, __hle2_mask(a, b)); OUT(6, bits(__floats2bfloat162_rn(F(0), F(1))));
    float2 v = __bfloat1622float2(a); OUT(7, plain(v.x * v.y));]])
  C("bf16_conversions", "to_int:w from_int:B from_double:B rz:B rd:B ru:B to_ull:x", [[
    __nv_bfloat16 a = BF(0);
    OUT(0, __bfloat162int_rz(a)); OUT(1, bits(__int2bfloat16_rn((int)W(0)))); OUT(2, bits(__double2bfloat16(D(0))));
    OUT(3, bits(__float2bfloat16_rz(F(0)))); OUT(4, bits(__float2bfloat16_rd(F(0))));
    OUT(5, bits(__float2bfloat16_ru(F(0))));
    OUT(6, __bfloat162ull_rz(a));]])
  C("bf16_operators_90", "add:B sub:B mul:B fma:B compare:w min:B pair:K", [[
    __nv_bfloat16 a = BF(0), b = BF(1), c = BF(2);
    OUT(0, bits(a + b)); OUT(1, bits(a - b)); OUT(2, bits(a * b)); OUT(3, bits(__hfma(a, b, c)));
    OUT(4, (a < b) | (a <= b) << 1 | (a == b) << 2 | __hneu(a, b) << 3); OUT(5, bits(__hmin(a, b)));
    OUT(6, bits(BF2(0) * BF2(1) - BF2(2)));]], sm90)
  C("half_older", "add:H mul:H fma:H min:H compare:w", [[
    __half a = HALF(0), b = HALF(1), c = HALF(2);
    OUT(0, bits(a + b)); OUT(1, bits(a * b)); OUT(2, bits(__hfma(a, b, c))); OUT(3, bits(__hmin(a, b)));
    OUT(4, (a < b) | (a <= b) << 1 | (a == b) << 2);]], { arch = "compute_75" })
end
