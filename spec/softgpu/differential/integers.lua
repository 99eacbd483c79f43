-- Integer instructions, one by one on edge operands, and the carry chains, SIMD intrinsics and idioms of CUDA C.
local forms = require "spec.softgpu.differential.forms"

return function(corpus)
  local function family(name, text, options) forms.add(corpus, name, text, options) end

  family("int_add", [[
    {add,sub}.{u16,s16,u32,s32,u64,s64} T:TT
    {add,sub}.sat.s32 T:TT
  ]])
  family("int_mul", [[
    mul.{lo,hi}.{u16,s16,u32,s32,u64,s64} T:TT
    mul.wide.{u16,s16,u32,s32} V:TT
  ]])
  family("int_mad", [[
    mad.{lo,hi}.{u16,s16,u32,s32,u64,s64} T:TTT
    mad.wide.{u16,s16,u32,s32} V:TTV
    mad.hi.sat.s32 T:TTT
  ]])
  family("int_mul24", [[
    mul24.{lo,hi}.{u32,s32} T:TT
    mad24.{lo,hi}.{u32,s32} T:TTT
    mad24.hi.sat.s32 T:TTT
  ]])
  family("int_div", "{div,rem}.{u16,s16,u32,s32,u64,s64} T:TT")
  family("int_min", [[
    {min,max}.{u16,s16,u32,s32,u64,s64} T:TT
    {abs,neg}.{s16,s32,s64} T:T
    sad.{u16,s16,u32,s32,u64,s64} T:TTT
  ]])
  family("int_logic", [[
    {and,or,xor}.{b16,b32,b64,pred} T:TT
    not.{b16,b32,b64,pred} T:T
    cnot.{b16,b32,b64} T:T
  ]])
  family("int_lop3", "lop3.b32 w:www | {0x00,0x01,0x17,0x2d,0x3c,0x80,0x96,0xca,0xd8,0xe8,0xfe,0xff}")
  family("int_shift", [[
    shl.{b16,b32,b64} T:Ts
    shr.{u16,s16,b16,u32,s32,b32,u64,s64,b64} T:Ts
    shf.{l,r}.{wrap,clamp}.b32 w:wws
  ]])
  family("int_bits", [[
    {brev,clz,popc}.b32 w:w
    brev.b64 x:x
    {clz,popc}.b64 w:x
    bfind{,.shiftamt}.{u32,s32,u64,s64} w:T
  ]])
  family("int_fields", [[
    bfe.{u32,s32,u64,s64} T:Tss
    bfi.{b32,b64} T:TTss
    bmsk.{clamp,wrap}.b32 w:ss
    szext.{clamp,wrap}.{u32,s32} w:ws
  ]])
  family("int_fields_wide", [[
    bfe.{u32,s32,u64,s64} T:Tww
    bfi.{b32,b64} T:TTww
    bmsk.{clamp,wrap}.b32 w:ww
    szext.{clamp,wrap}.{u32,s32} w:ww
    shf.{l,r}.{wrap,clamp}.b32 w:www
  ]])
  family("int_bytes", "prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16} w:www")
  family("int_dot", [[
    dp4a.{u32,s32}.{u32,s32} w:www
    dp2a.{lo,hi}.{u32,s32}.{u32,s32} w:www
  ]])
  family("int_select", [[
    selp.{b16,u16,s16,b32,u32,s32,b64,u64,s64} T:TTp
    slct.{b32,u32,s32}.s32 w:www
    slct.{b64,u64,s64}.s32 x:xxw
    slct.b32.f32 w:wwf
    slct.f32.s32 f:ffw
    slct.f64.f32 d:ddf
  ]])
  family("int_compare", [[
    setp.{eq,ne,lt,le,gt,ge}.{s16,s32,s64} p:TT
    setp.{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}.{u16,u32,u64} p:TT
    setp.{eq,ne}.{b16,b32,b64} p:TT
  ]])
  family("int_compare_and", [[
    setp.lt.{and,or,xor}.{s16,s32,s64,u32} p:TTp
    set.{eq,ne,lt,le,gt,ge}.u32.s32 w:TT
    set.{lo,ls,hi,hs}.{u32,s32}.u32 w:TT
    set.{lt,ge}.f32.{u32,s32,u64,s64} f:TT
    set.{lt,hi}.{and,or,xor}.u32.u32 w:wwp
  ]])
  family("int_video", [[
    {vadd,vsub,vabsdiff,vmin,vmax}.{u32,s32}.{u32,s32}.{u32,s32} w:ww
  ]], { most = 20 })
  family("int_video_saturated", "{vadd,vsub,vabsdiff,vmin,vmax}.{u32,s32}.{u32,s32}.{u32,s32}.sat w:ww", { most = 20 })
  family("int_video_lanes", [[
    {vadd2,vsub2,vavrg2,vabsdiff2,vmin2,vmax2}.{u32.u32.u32,s32.s32.s32}{,.sat} w:www
    {vadd4,vsub4,vavrg4,vabsdiff4,vmin4,vmax4}.{u32.u32.u32,s32.s32.s32}{,.sat} w:www
  ]])
  family("int_video_sums", [[
    {vadd2,vsub2,vavrg2,vabsdiff2,vmin2,vmax2}.{u32.u32.u32,s32.s32.s32}.add w:www
    {vadd4,vsub4,vavrg4,vabsdiff4,vmin4,vmax4}.{u32.u32.u32,s32.s32.s32}.add w:www
    vset2.u32.u32.{eq,ne,lt,le,gt,ge}{,.add} w:www
    vset4.s32.s32.{eq,ne,lt,le,gt,ge}{,.add} w:www
  ]])
  family("int_pairs", [[
    add.{u16x2,s16x2} w:ww
    {min,max}.{u16x2,s16x2} w:ww
  ]], { arch = "compute_90" })
  family("int_relu", "{min,max}.{s16x2,s32}.relu w:ww", { arch = "compute_90" })

  local function C(name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end

  -- Inputs of n-bit arithmetic over words, through the carry flag.
  C("int_carry_add", "low:w next:w high:w carry:w", [[
    u32 a, b, c, d;
    asm("add.cc.u32 %0, %4, %6; addc.cc.u32 %1, %5, %7; addc.cc.u32 %2, %4, %7; addc.u32 %3, %5, %6;"
      : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(W(0)), "r"(W(1)), "r"(W(2)), "r"(W(3)));
    OUT(0, a); OUT(1, b); OUT(2, c); OUT(3, d);]])
  C("int_carry_sub", "low:w next:w high:w carry:w", [[
    u32 a, b, c, d;
    asm("sub.cc.u32 %0, %4, %6; subc.cc.s32 %1, %5, %7; subc.cc.u32 %2, %4, %7; subc.u32 %3, %5, %6;"
      : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(W(0)), "r"(W(1)), "r"(W(2)), "r"(W(3)));
    OUT(0, a); OUT(1, b); OUT(2, c); OUT(3, d);]])
  C("int_carry_wide", "sum:x sum_high:x difference:x difference_high:x", [[
    u64 a, b, c, d;
    asm("add.cc.u64 %0, %4, %6; addc.u64 %1, %5, %7; sub.cc.u64 %2, %4, %6; subc.u64 %3, %5, %7;"
      : "=l"(a), "=l"(b), "=l"(c), "=l"(d) : "l"(X(0)), "l"(X(1)), "l"(X(2)), "l"(X(3)));
    OUT(0, a); OUT(1, b); OUT(2, c); OUT(3, d);]])
  C("int_carry_mad", "r0:w r1:w r2:w r3:w", [[
    u32 a, b, c, d;
    asm("mad.lo.cc.u32 %0, %4, %5, %6; madc.hi.cc.u32 %1, %4, %5, %7;"
      " madc.lo.cc.u32 %2, %6, %7, %4; madc.hi.u32 %3, %6, %7, %5;"
      : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d) : "r"(W(0)), "r"(W(1)), "r"(W(2)), "r"(W(3)));
    OUT(0, a); OUT(1, b); OUT(2, c); OUT(3, d);]])
  C("int_carry_mad_wide", "r0:x r1:x r2:x", [[
    u64 a, b, c;
    asm("mad.lo.cc.u64 %0, %3, %4, %5; madc.hi.cc.u64 %1, %3, %4, %5; madc.lo.u64 %2, %4, %5, %3;"
      : "=&l"(a), "=&l"(b), "=&l"(c) : "l"(X(0)), "l"(X(1)), "l"(X(2)));
    OUT(0, a); OUT(1, b); OUT(2, c);]])
  C("int_carry_predicated", "sum:w flag:w", [[
    u32 a, b;
    asm("{ .reg .pred p; setp.lt.s32 p, %2, %3;"
      " mov.u32 %0, %2; mov.u32 %1, 5; add.cc.u32 %0, %2, %3; @p addc.u32 %1, %4, 0;"
      " @!p addc.u32 %1, 0, 7; }" : "=&r"(a), "=&r"(b) : "r"(W(0)), "r"(W(1)), "r"(W(2)));
    OUT(0, a); OUT(1, b);]])
  C("int_multiply_256", "p0:x p1:x p2:x p3:x", [[
    u64 a0 = X(0), a1 = X(1), b0 = X(2), b1 = X(3);
    unsigned __int128 p = (unsigned __int128)a0 * b0, q = (unsigned __int128)a1 * b0, r = (unsigned __int128)a0 * b1,
      s = (unsigned __int128)a1 * b1;
    unsigned __int128 middle = (p >> 64) + (u64)q + (u64)r, high = s + (q >> 64) + (r >> 64) + (middle >> 64);
    OUT(0, (u64)p); OUT(1, (u64)middle); OUT(2, (u64)high); OUT(3, (u64)(high >> 64));]],
    { options = { "--device-int128" } })
  C("int_divide_128", "quotient:x quotient_high:x rest:x signed:x", [[
    unsigned __int128 a = (unsigned __int128)X(0) << 64 | X(1),
    b = (unsigned __int128)(X(2) & 0xffffffff) << 64 | X(3) | 1;
    __int128 c = (__int128)a >> 3, d = (__int128)(b >> 2) + 5;
    OUT(0, (u64)(a / b)); OUT(1, (u64)(a / b >> 64)); OUT(2, (u64)(a % b)); OUT(3, (u64)(c / -d));]],
    { options = { "--device-int128" } })

  for k, list in ipairs {
    "vabs2 vabs4 vabsss2 vabsss4 vneg2 vneg4 vnegss2 vnegss4",
    "vadd2 vadd4 vaddss2 vaddss4 vaddus2 vaddus4 vsub2 vsub4 vsubss2 vsubss4 vsubus2 vsubus4",
    "vavgs2 vavgs4 vavgu2 vavgu4 vhaddu2 vhaddu4 vabsdiffs2 vabsdiffs4 vabsdiffu2 vabsdiffu4 " ..
      "vsads2 vsads4 vsadu2 vsadu4",
    "vmaxs2 vmaxs4 vmaxu2 vmaxu4 vmins2 vmins4 vminu2 vminu4 vcmpeq2 vcmpeq4 vcmpges4 vcmpgeu2 vcmpgts2 vcmpgtu4",
    "vsetles2 vsetleu4 vsetlts4 vsetltu2 vsetne2 vsetne4 vseteq4 vsetges2 vsetgeu4 vsetgts2 vsetgtu2" } do
    local rows, code = {}, {}
    for name in list:gmatch "%S+" do
      code[#code + 1] = ("    OUT(%d, __%s(W(0)%s));"):format(#rows, name, k == 1 and "" or ", W(1)")
      rows[#rows + 1] = { label = name, type = "w", operands = { "W0", k > 1 and "W1" or nil } }
    end
    C("int_simd_" .. k, rows, table.concat(code, "\n"))
  end
  C("int_simd_relu", "max_s16x2:w min_s16x2:w max3:w min3:w max3_u16x2:w addmax:w addmin_relu:w", [[
    u32 a = W(0), b = W(1), c = W(2);
    OUT(0, __vimax_s16x2_relu(a, b)); OUT(1, __vimin_s16x2_relu(a, b)); OUT(2, __vimax3_s32(a, b, c));
    OUT(3, __vimin3_u32(a, b, c)); OUT(4, __vimax3_u16x2(a, b, c)); OUT(5, __viaddmax_s32(a, b, c));
    OUT(6, __viaddmin_s16x2_relu(a, b, c));]], { arch = "compute_90" })

  C("int_intrinsics", "mulhi:w umulhi:w mul64hi:x umul64hi:x mul24:w umul24:w " ..
    "sad:w usad:w hadd:w uhadd:w rhadd:w urhadd:w", [[
    OUT(0, __mulhi(W(0), W(1))); OUT(1, __umulhi(W(0), W(1))); OUT(2, __mul64hi(X(0), X(1)));
    OUT(3, __umul64hi(X(0), X(1)));
    OUT(4, __mul24(W(0), W(1))); OUT(5, __umul24(W(0), W(1))); OUT(6, __sad(W(0), W(1), W(2)));
    OUT(7, __usad(W(0), W(1), W(2))); OUT(8, __hadd(W(0), W(1))); OUT(9, __uhadd(W(0), W(1)));
    OUT(10, __rhadd(W(0), W(1)));
    OUT(11, __urhadd(W(0), W(1)));]])
  C("int_bit_intrinsics", "brev:w brevll:x clz:w clzll:w ffs:w ffsll:w popc:w popcll:w perm:w fl:w flc:w fr:w frc:w", [[
    OUT(0, __brev(W(0))); OUT(1, __brevll(X(0))); OUT(2, __clz(W(0))); OUT(3, __clzll(X(0))); OUT(4, __ffs(W(0)));
    OUT(5, __ffsll(X(0))); OUT(6, __popc(W(0))); OUT(7, __popcll(X(0))); OUT(8, __byte_perm(W(0), W(1), W(2)));
    OUT(9, __funnelshift_l(W(0), W(1), S(2))); OUT(10, __funnelshift_lc(W(0), W(1), S(2)));
    OUT(11, __funnelshift_r(W(0), W(1), S(2))); OUT(12, __funnelshift_rc(W(0), W(1), S(2)));]])
  C("int_dot_intrinsics", "dp4a:w udp4a:w dp2a_lo:w dp2a_hi:w", [[
    OUT(0, __dp4a((int)W(0), (int)W(1), (int)W(2))); OUT(1, __dp4a(W(0), W(1), W(2)));
    OUT(2, __dp2a_lo((int)W(0), (int)W(1), (int)W(2))); OUT(3, __dp2a_hi(W(0), W(1), W(2)));]])
  C("int_find_nth_set", "fns:w fns_backwards:w", [[
    OUT(0, __fns(W(0), W(1) & 31, (int)(S(2) & 31) + 1)); OUT(1, __fns(W(0), W(1) & 31, -(int)(S(2) & 31) - 1));]])
  C("int_by_constants", "s7:w s10:w u10:w u1000003:w s64_1e9:x u64_7:x rem_s12:w rem_u64_641:x", [[
    int a = W(0); u32 u = W(1); s64 b = X(0); u64 v = X(1);
    OUT(0, a / 7); OUT(1, a / -10); OUT(2, u / 10); OUT(3, u % 1000003); OUT(4, b / 1000000000); OUT(5, v / 7);
    OUT(6, a % 12); OUT(7, v % 641);]])
  C("int_variable_division", "s32:w u32:w s64:x u64:x s32_rem:w u64_rem:x s16:w u8:w", [[
    int a = W(0), b = (int)(W(1) >> 1 | 3) * ((W(2) & 1) ? -1 : 1);
    s64 c = X(0), d = (s64)(X(1) >> 1 | 3) * ((W(2) & 2) ? -1 : 1);
    OUT(0, a / b); OUT(1, W(0) / (W(1) | 1)); OUT(2, c / d); OUT(3, X(0) / (X(1) | 1)); OUT(4, a % b);
    OUT(5, X(0) % (X(1) | 1));
    OUT(6, (u32)((s16)W(0) / (s16)(W(1) & 0x7fff | 3))); OUT(7, (u32)((u8)W(0) % (u8)(W(1) | 1)));]])
  C("int_narrow", "s8:w u8:w s16:w u16:w mixed:w", [[
    s8 a = W(0), b = W(1); u8 c = W(0), d = W(1); s16 e = W(0), f = W(1); u16 g = W(0), h = W(1);
    OUT(0, (u32)(s8)(a * b + c)); OUT(1, (u32)(u8)(c * d - a)); OUT(2, (u32)(s16)(e * f + (e >> 3)));
    OUT(3, (u32)(u16)(g * h ^ g >> 5)); OUT(4, (u32)(a < f ? c + h : e - d));]])
  C("int_rotate_hash", "murmur:w xxhash:w splitmix:x fnv:w", [[
    u32 h = W(0); h ^= h >> 16; h *= 0x85ebca6b; h ^= h >> 13; h *= 0xc2b2ae35; h ^= h >> 16;
    u32 x = W(1) + W(2) * 2654435761u; x = (x << 13 | x >> 19) * 2246822519u;
    u64 z = X(0) + 0x9e3779b97f4a7c15ull; z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull; z ^= z >> 31;
    u32 f = 2166136261u; for (int k = 0; k < 4; k++) f = (f ^ (W(3) >> 8 * k & 255)) * 16777619u;
    OUT(0, h); OUT(1, x); OUT(2, z); OUT(3, f);]])
  C("int_square_root", "isqrt:w gcd:w power:w collatz:w", [[
    u32 v = W(0), r = 0; for (u32 b = 1u << 30; b; b >>= 2) { if (v >= r + b) { v -= r + b; r = r / 2 + b; }
    else r /= 2; }
    u32 a = W(0), b = W(1); while (b) { u32 t = a % b; a = b; b = t; }
    u32 p = 1, base = W(1), e = S(2) & 31; while (e) { if (e & 1) p *= base; base *= base; e >>= 1; }
    u64 c = W(0) % 1000 + 1; u32 steps = 0; while (c != 1) { c = c & 1 ? 3 * c + 1 : c / 2; steps++; }
    OUT(0, r); OUT(1, a); OUT(2, p); OUT(3, steps);]])
  C("int_crc_and_gray", "crc32:w gray:w parity:w morton:x", [[
    u32 c = ~W(0); for (int k = 0; k < 32; k++) c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
    u32 g = W(1) ^ W(1) >> 1;
    u64 m = 0; for (int k = 0; k < 32; k++) m |= (u64)(W(0) >> k & 1) << 2 * k | (u64)(W(1) >> k & 1) << (2 * k + 1);
    OUT(0, c); OUT(1, g); OUT(2, (u32)__popc(W(2)) & 1); OUT(3, m);]])
  C("int_bitfields", "packed:w sum:w", [[
    struct { u32 a : 3; int b : 7; u32 c : 11; int d : 11; } s; s.a = W(0); s.b = W(1); s.c = W(2); s.d = W(3);
    OUT(0, (u32)s.a | (u32)s.c << 3); OUT(1, (int)s.a + s.b + (int)s.c + s.d);]])
end
