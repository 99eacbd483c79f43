-- cvt: every pair of types, every rounding, .ftz and .sat; and CUDA's conversion functions.
local forms = require "spec.softgpu.differential.forms"

return function(corpus)
  local function family(name, text, options) forms.add(corpus, name, text, options) end
  local register = { s8 = "w", u8 = "w", s16 = "h", u16 = "h", s32 = "w", u32 = "w", s64 = "x", u64 = "x", f16 = "H",
    f32 = "f", f64 = "d" }
  local integers = { "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64" }
  -- Every value of one type is one of the other: there is nothing to saturate.
  local function holds(to, from)
    local a, b, wide, narrow = to:sub(1, 1), from:sub(1, 1), tonumber(to:sub(2)), tonumber(from:sub(2))
    return a == b and wide >= narrow or a == "s" and b == "u" and wide > narrow
  end
  local function lines(list) return table.concat(list, "\n") end

  for _, from in ipairs(integers) do
    local list = {}
    for _, to in ipairs(integers) do
      for _, sat in ipairs { "", ".sat" } do
        if sat == "" or not holds(to, from) then
          list[#list + 1] = ("cvt%s.%s.%s %s:%s"):format(sat, to, from, register[to], register[from])
        end
      end
    end
    family("cvt_" .. from, lines(list), { most = 16 })
  end
  for _, to in ipairs { "f16", "f32", "f64" } do
    local list = {}
    for _, from in ipairs(integers) do
      for _, mode in ipairs { "rn", "rz", "rm", "rp" } do
        list[#list + 1] = ("cvt.%s.%s.%s %s:%s"):format(mode, to, from, register[to], register[from])
      end
      list[#list + 1] = ("cvt.rn.sat.%s.%s %s:%s"):format(to, from, register[to], register[from])
    end
    family("cvt_to_" .. to, lines(list), { most = 20 })
  end
  for _, from in ipairs { "f16", "f32", "f64" } do
    local list = {}
    for _, to in ipairs(integers) do
      for _, mode in ipairs { "rni", "rzi", "rmi", "rpi" } do
        list[#list + 1] = ("cvt.%s.%s.%s %s:%s"):format(mode, to, from, register[to], register[from])
      end
      list[#list + 1] = ("cvt.rzi.sat.%s.%s %s:%s"):format(to, from, register[to], register[from])
      if from == "f32" then list[#list + 1] = ("cvt.rni.ftz.%s.f32 %s:f"):format(to, register[to]) end
    end
    family("cvt_from_" .. from, lines(list), { most = 20 })
  end
  family("cvt_round", [[
    cvt.{rni,rzi,rmi,rpi}{,.ftz}{,.sat}.f32.f32 f:f
    cvt.{rni,rzi,rmi,rpi}{,.sat}.f64.f64 d:d
    cvt.{rni,rzi,rmi,rpi}.f16.f16 H:H
    cvt.sat.f32.f32 f:f
    cvt.ftz.sat.f32.f32 f:f
    cvt.sat.f64.f64 d:d
  ]], { most = 16 })
  family("cvt_floats", [[
    cvt{,.sat}.f32.f16 f:H
    cvt{,.ftz}.f32.f16 f:H
    cvt.f64.f16 d:H
    cvt{,.ftz}{,.sat}.f64.f32 d:f
    cvt.{rn,rz,rm,rp}{,.ftz}{,.sat}.f32.f64 f:d
    cvt.{rn,rz,rm,rp}.f16.f32 H:f
    cvt.rn{,.ftz}{,.sat}.f16.f32 H:f
    cvt.{rn,rz,rm,rp}.f16.f64 H:d
  ]], { most = 16 })
  family("cvt_pairs", [[
    cvt.{rn,rz}{,.relu}.f16x2.f32 J:ff
    cvt.{rn,rz}{,.relu}.bf16x2.f32 K:ff
    cvt.{rn,rz}{,.relu}.f16.f32 H:f
    cvt.{rn,rz}{,.relu}.bf16.f32 B:f
  ]])
  family("cvt_tf32", "cvt.rna.tf32.f32 w:f")
  family("cvt_tf32_90", "cvt.{rn,rz}{,.relu}.tf32.f32 w:f", { arch = "compute_90" })
  local bf = {}
  for _, type in ipairs(integers) do
    if not type:find "8" then -- there is no cvt between bytes and bf16
      local t = register[type]
      bf[#bf + 1] = ("cvt.{rn,rz}.bf16.%s B:%s"):format(type, t)
      bf[#bf + 1] = ("cvt.{rni,rzi,rmi,rpi}.%s.bf16 %s:B"):format(type, t)
    end
  end
  family("cvt_bf16", lines(bf) .. "\n" .. [[
    cvt.f32.bf16 f:B
    cvt.f64.bf16 d:B
    cvt.{rn,rz}.bf16.f64 B:d
    cvt.{rn,rz}.bf16.f16 B:H
    cvt.{rn,rz}.f16.bf16 H:B
    cvt.{rni,rzi,rmi,rpi}.bf16.bf16 B:B
  ]], { arch = "compute_90", most = 20 })
  family("cvt_fp8", [[
    cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f32 h:ff
    cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f16x2 h:J
    cvt.rn{,.relu}.f16x2.{e4m3x2,e5m2x2} J:h
  ]], { arch = "compute_90" })

  local function C(name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
  C("convert_float", "int_rn:w int_rz:w uint_ru:w uint_rd:w ll_rz:x ull_rn:x floor:f ceil:f trunc:f round:f rint:f", [[
    float a = F(0);
    OUT(0, __float2int_rn(a)); OUT(1, __float2int_rz(a)); OUT(2, __float2uint_ru(a)); OUT(3, __float2uint_rd(a));
    OUT(4, __float2ll_rz(a)); OUT(5, __float2ull_rn(a)); OUT(6, plain(floorf(a))); OUT(7, plain(ceilf(a)));
    OUT(8, plain(truncf(a))); OUT(9, plain(roundf(a))); OUT(10, plain(rintf(a)));]])
  C("convert_double", "int_rn:w uint_rz:w ll_ru:x ull_rd:x float_rn:f float_ru:f float_rz:f " ..
    "floor:d ceil:d round:d rint:d hi:w lo:w", [[
    double a = D(0);
    OUT(0, __double2int_rn(a)); OUT(1, __double2uint_rz(a)); OUT(2, __double2ll_ru(a)); OUT(3, __double2ull_rd(a));
    OUT(4, plain(__double2float_rn(a))); OUT(5, plain(__double2float_ru(a))); OUT(6, plain(__double2float_rz(a)));
    OUT(7, plain(floor(a))); OUT(8, plain(ceil(a))); OUT(9, plain(round(a))); OUT(10, plain(rint(a)));
    OUT(11, __double2hiint(a)); OUT(12, __double2loint(a));]])
  C("convert_to_float", "int_rn:f int_rz:f uint_rd:f uint_ru:f ll_rn:f ull_rz:f int_d:d ll_d:d ull_ru:d", [[
    OUT(0, __int2float_rn((int)W(0))); OUT(1, __int2float_rz((int)W(0))); OUT(2, __uint2float_rd(W(0)));
    OUT(3, __uint2float_ru(W(0)));
    OUT(4, __ll2float_rn(X(0))); OUT(5, __ull2float_rz(X(0))); OUT(6, __int2double_rn((int)W(0)));
    OUT(7, __ll2double_rd(X(0)));
    OUT(8, __ull2double_ru(X(0)));]])
  C("convert_casts", "char:w short:w from_double:w long:x to_float:f narrow:w", [[
    float f = F(0); double d = D(0);
    f = f > -100 && f < 100 ? f : 7.5f; d = d > -1e9 && d < 1e9 ? d : -3.75;
    OUT(0, (u32)(signed char)f); OUT(1, (u32)(short)d % 77); OUT(2, (int)d); OUT(3, (s64)(d * 1e6));
    OUT(4, (float)(s64)X(0));
    OUT(5, (u32)(unsigned char)(int)f + (u32)(unsigned short)W(0));]])
  C("convert_lround", "lround:x lrint:x llround:x llrint:x ilogb:w", [[
    float f = F(0); double d = D(0); f = fabsf(f) < 1e15f ? f : 0.5f; d = fabs(d) < 1e15 ? d : 2.5;
    OUT(0, (s64)lroundf(f)); OUT(1, (s64)lrintf(f)); OUT(2, (s64)llround(d)); OUT(3, (s64)llrint(d));
    OUT(4, ilogbf(F(0)) ^ ilogb(D(0)));]])
end
