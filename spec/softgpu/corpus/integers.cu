// Integers: arithmetic in every width, carry chains, bits, bytes, packed halves and bytes.
#include "common.cuh"

KERNEL(arithmetic) // 256 x 2
{
  LANE;
  s32 a = l.w(0), b = l.w(1), c = l.w(2);
  u32 ua = a, ub = b;
  s64 la = l.x(3), lb = l.x(5);
  u64 ula = la, ulb = lb;
  V(a + b * c);
  V(ua / (ub | 1));
  V(ua % (ub | 1));
  V(b == 0 || b == -1 ? 7 : a / b);
  V(b == 0 || b == -1 ? 7 : a % b);
  V(a / 7 + a % 10 + ua / 641 + (a >> 3));
  V(ula / (ulb | 1));
  V(ula % (ulb | 1));
  V(lb == 0 || lb == -1 ? 7 : la / lb);
  V(lb == 0 || lb == -1 ? 7 : la % lb);
  V(la * lb + (la >> (b & 63)) - (ula >> (c & 63)));
  V((u16)(a * b) + (short)b * (short)c + (signed char)a);
  V((u16)(ua >> 5) / (u16)(ub | 1));
  V(__mulhi(a, b));
  V(__umulhi(ua, ub));
  V(__mul64hi(la, lb));
  V(__umul64hi(ula, ulb));
  V(__mul24(a, b));
  V(__umul24(ua, ub));
  V(__sad(a, b, ua));
  V(__usad(ua, ub, c));
  V(__hadd(a, b));
  V(__rhadd(a, b));
  V(__uhadd(ua, ub));
  V(__urhadd(ua, ub));
  V(min(a, b) ^ max(b, c));
  V(min(ua, ub) ^ max(ub, (u32)c));
  V(min(la, lb) ^ max(ula, ulb));
  V(abs(a) + llabs(la));
  CHECK((u64)__umulhi(ua, ub) << 32 == ((u64)ua * ub & 0xffffffff00000000ull));
  CHECK(__mul64hi(la, 1) == la >> 63);
  CHECK(ua / (ub | 1) * (ub | 1) + ua % (ub | 1) == ua);
  CHECK(ula / (ulb | 1) * (ulb | 1) + ula % (ulb | 1) == ula);
}

KERNEL(carry) // 128 x 2
{
  LANE;
  unsigned __int128 a = (unsigned __int128)l.x(0) << 64 | l.x(2), b = (unsigned __int128)l.x(4) << 64 | l.x(6);
  unsigned __int128 sum = a + b, diff = a - b, product = a * b, shifted = a << (l.w(1) & 127) ^ b >> (l.w(2) & 127);
  __int128 sa = a, sb = b;
  V(sum), V(sum >> 64);
  V(diff), V(diff >> 64);
  V(product), V(product >> 64);
  V(shifted), V(shifted >> 64);
  V(a < b | (sa < sb) << 1 | (a == b) << 2);
  V(sa >> 100);
  CHECK(sum - b == a && diff + b == a);
  if (i % 16 == 0) {
    unsigned __int128 q = a / (b | 1), r = a % (b | 1);
    V(q), V(r);
    CHECK(q * (b | 1) + r == a);
    __int128 sq = sa / (sb | 1);
    V(sq);
    CHECK(sq * (sb | 1) + sa % (sb | 1) == sa);
  }
  u32 lo, hi, lo2, hi2;
  asm("add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;"
      : "=r"(lo), "=r"(hi) : "r"(l.w(0)), "r"(l.w(1)), "r"(l.w(2)), "r"(l.w(3)));
  asm("{ .reg .u32 t; mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.cc.u32 %1, %2, %3, 0; addc.u32 t, 0, 0; }"
      : "=r"(lo2), "=r"(hi2) : "r"(l.w(0)), "r"(l.w(1)), "r"(l.w(2)));
  CHECK(((u64)hi << 32 | lo) == ((u64)l.w(1) << 32 | l.w(0)) + ((u64)l.w(3) << 32 | l.w(2)));
  CHECK(((u64)hi2 << 32 | lo2) == (u64)l.w(0) * l.w(1) + l.w(2));
  u64 x, y;
  asm("sub.cc.u64 %0, %2, %4; subc.u64 %1, %3, %5;" : "=l"(x), "=l"(y) : "l"(l.x(2)), "l"(l.x(0)), "l"(l.x(6)),
      "l"(l.x(4)));
  CHECK(x == (u64)diff && y == (u64)(diff >> 64));
}

__device__ u32 slow_popc(u64 v) { u32 c = 0; for (; v; v &= v - 1) c++; return c; }

KERNEL(bits) // 256 x 2
{
  LANE;
  u32 a = l.w(0), b = l.w(1), c = l.w(2);
  u64 x = l.x(3);
  CHECK(__popc(a) == slow_popc(a) && __popcll(x) == slow_popc(x));
  CHECK(__clz(a) == (a ? 31 - (int)floor(log2((double)a)) : 32));
  CHECK(__ffs(a) == (a ? slow_popc((a & -a) - 1) + 1 : 0) && __ffsll(x) == (x ? slow_popc((x & -x) - 1) + 1 : 0));
  CHECK(__brev(__brev(a)) == a && __brevll(__brevll(x)) == x && __popc(__brev(a)) == __popc(a));
  CHECK(__funnelshift_l(a, b, c) == (u32)(((u64)b << 32 | a) << (c & 31) >> 32));
  CHECK(__funnelshift_r(a, b, c) == (u32)(((u64)b << 32 | a) >> (c & 31)));
  CHECK(__funnelshift_lc(a, b, 40) == a && __funnelshift_rc(a, b, 40) == b);
  CHECK(__byte_perm(a, b, 0x7531) == ((a >> 8 & 255) | (a >> 24) << 8 | (b >> 8 & 255) << 16 | b >> 24 << 24));
  V(__byte_perm(a, b, c)), V(__clzll(x)), V(__brevll(x));
  V(a & b | ~c ^ a), V((a ^ b) & (c | a)), V(~x & l.x(6));
  V((a << (b & 31)) + (a >> (c & 31)) + ((s32)a >> (b & 31))), V(x << (b & 63) ^ (s64)x >> (c & 63));
  struct Fields { u32 low : 5, mid : 11; s32 sign : 9; u32 rest : 7; u64 wide : 40; s64 tail : 24; } f;
  f.low = a, f.mid = b, f.sign = c, f.rest = a >> 3, f.wide = x, f.tail = x >> 7;
  CHECK(f.low == (a & 31) && f.mid == (b & 2047) && f.sign == (s32)(c << 23) >> 23 && f.rest == (a >> 3 & 127));
  CHECK(f.wide == (x & 0xffffffffffull) && f.tail == (s64)(x >> 7 << 40) >> 40);
  f.mid += 3, f.sign -= 1, f.tail *= 5;
  V(f.mid), V(f.sign), V(f.tail), V(f.rest);
  u32 r, s;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b & 31), "r"(c & 15));
  CHECK(r == (a >> (b & 31) & ((1u << (c & 15)) - 1)));
  asm("bfi.b32 %0, %1, %2, 8, 12;" : "=r"(r) : "r"(a), "r"(b));
  CHECK(r == ((a & 0xfff) << 8 | (b & ~0xfff00u)));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  CHECK(r == (a ^ b ^ c));
  asm("bmsk.clamp.b32 %0, 4, 9;" : "=r"(r));
  asm("szext.wrap.s32 %0, %1, 7;" : "=r"(s) : "r"(a));
  CHECK(r == 0x1ff0 && (s32)s == (s32)(a << 25) >> 25);
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(a));
  CHECK(r == (a ? (u32)__clz(a) : ~0u));
  V(__fns(a, b & 31, (int)(c & 7) - 3));
}

__device__ int dot(u32 a, u32 b, int c, bool sa, bool sb)
{
  for (int k = 0; k < 32; k += 8) {
    int x = sa ? (int)(signed char)(a >> k) : (int)(u8)(a >> k), y = sb ? (int)(signed char)(b >> k)
        : (int)(u8)(b >> k);
    c += x * y;
  }
  return c;
}

KERNEL(packed) // 256 x 2
{
  LANE;
  u32 a = l.w(0), b = l.w(1), c = l.w(2);
  CHECK(__dp4a((int)a, (int)b, (int)c) == dot(a, b, c, true, true));
  CHECK((int)__dp4a(a, b, c) == dot(a, b, c, false, false));
  CHECK(__dp2a_lo((int)a, (int)b,
      (int)c) == (int)c + (short)a * (signed char)b + (short)(a >> 16) * (signed char)(b >> 8));
  CHECK(__dp2a_hi(a, b, c) == c + (u16)a * (u8)(b >> 16) + (a >> 16) * (b >> 24));
  V(__vadd4(a, b)), V(__vsub4(a, b)), V(__vadd2(a, b)), V(__vaddss2(a, b)), V(__vaddus4(a, b)), V(__vsubss4(a, b));
  V(__vabs2(a)), V(__vabs4(a)), V(__vabsss4(a)), V(__vabsdiffs2(a, b)), V(__vabsdiffu4(a, b)), V(__vavgs4(a, b));
  V(__vavgu2(a, b)), V(__vhaddu4(a, b)), V(__vcmpeq4(a, b)), V(__vcmpgts2(a, b)), V(__vcmpleu4(a, b));
  V(__vseteq2(a, b)), V(__vsetges4(a, b)), V(__vmaxs4(a, b)), V(__vmaxu2(a, b)), V(__vmins2(a, b)), V(__vminu4(a, b));
  V(__vneg2(a)), V(__vnegss4(a)), V(__vsads4(a, b)), V(__vsadu2(a, b));
  V(__vimax3_s32(a, b, c)), V(__vimin3_u32(a, b, c)), V(__vimax_s32_relu(a, b)), V(__vimin3_s16x2_relu(a, b, c));
  bool first;
  V(__vibmax_u32(a, b, &first)), V(first), V(__viaddmax_s32(a, b, c));
  V(__viaddmin_u16x2(a, b, c)), V(__vimax3_u16x2(a, b, c));
  u32 r;
  asm("vadd.s32.s32.u32.sat %0, %1.b2, %2.h1;" : "=r"(r) : "r"(a), "r"(b));
  CHECK((int)r == (signed char)(a >> 16) + (int)(b >> 16));
  asm("vmax.s32.u32.s32.add %0, %1.h0, %2.b3, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  CHECK(r == (u32)max((int)(u16)a, (int)(signed char)(b >> 24)) + c);
  asm("vmad.s32.s32.u32 %0, %1.b1, %2.h0, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  CHECK(r == (u32)((signed char)(a >> 8) * (int)(u16)b) + c);
}

KERNEL(conversions) // 256 x 2
{
  LANE;
  s32 a = l.w(0);
  s64 x = l.x(1);
  float f = __int_as_float(l.w(3) & 0x7f800000 ? l.w(3) : 0xc1234567); // none that options make zero of
  double d = __longlong_as_double(l.x(4));
  V((s64)(signed char)a * (short)(a >> 8) + (u8)a + (u16)(a >> 4));
  V(__float2int_rn(f)), V(__float2int_rz(f)), V(__float2int_ru(f)), V(__float2int_rd(f));
  V(__float2uint_rn(f)), V(__float2uint_rz(f)), V(__float2ll_ru(f)), V(__float2ull_rd(f));
  V(__double2int_rn(d)), V(__double2uint_rz(d)), V(__double2ll_ru(d)), V(__double2ull_rd(d));
  V(__float_as_uint(__int2float_rz(a))), V(__float_as_uint(__uint2float_ru(a))), V(__float_as_uint(__ll2float_rd(x)));
  V(__float_as_uint(__ull2float_rn(x))), V(__double_as_longlong(__ll2double_rz(x)));
  V(__double_as_longlong(__ull2double_ru(x))), V(__double_as_longlong(__int2double_rn(a)));
  V(__double2hiint(d) ^ __double2loint(d)), V(__double_as_longlong(__hiloint2double(a, (int)x)));
  CHECK(__float2int_rz((float)(a >> 8)) == a >> 8);
  CHECK((s64)(double)(x >> 12) == x >> 12);
}
