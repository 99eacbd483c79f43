-- What came with compute capability 9.0, and rarities: vectors of atomics, words of 128 bits, copies in bulk with the
-- barriers that count their bytes, asynchronous stores, products of video instructions, memory of the stack.
local forms = require "spec.softgpu.differential.forms"

return function(corpus)
  local function C(name, rows, code, before, attributes)
    corpus:add { name = name, rows = rows, code = code, before = before, attributes = attributes, arch = "compute_90" }
  end
  -- An H200 takes what other blocks' shared memory could be meant by for illegal where there is no cluster.
  local cluster = "__cluster_dims__(1, 1, 1) "
  for _, sat in ipairs { "", ".sat" } do
    forms.add(corpus, "video_mad" .. sat:gsub("%.", "_"),
      ("vmad.{u32,s32}.{u32,s32}.{u32,s32}%s{,.shr7,.shr15} w:www\n"):format(sat) ..
      ("vmad.{u32,s32}.{u32,s32}.{u32,s32}.po%s{,.shr7} w:www"):format(sat), { most = 20 })
  end
  C("video_mad_parts", "bytes:w halves:w minus:w", [[
    u32 r; asm("vmad.s32.s32.u32 %0, %1.b1, %2.h0, %3;" : "=r"(r) : "r"(W(0)), "r"(W(1)), "r"(W(2))); OUT(0, r);
    asm("vmad.s32.u32.s32.sat.shr15 %0, %1.h1, %2.b3, %3;" : "=r"(r) : "r"(W(0)), "r"(W(1)), "r"(W(2))); OUT(1, r);
    asm("vmad.s32.s32.s32 %0, -%1, %2, %3;" : "=r"(r) : "r"(W(0)), "r"(W(1)), "r"(W(2))); OUT(2, r);]])

  -- Groups of four lanes take turns: the first one adds to the words of all four.
  C("atomic_float4", "sum:f old:f pair:f", [[
    float *p = (float *)(out + R0 * n + i), *q = (float *)(out + R2 * n + i); *p = F(0); *q = M(1); OUT(1, 0u);
    __syncwarp();
    if (i % 4 == 0) { float4 v = atomicAdd((float4 *)p, make_float4(M(0), M(1), M(2), M(0) * 3));
      ((float4 *)(out + R1 * n + i))[0] = v; }
    if (i % 2 == 0) atomicAdd((float2 *)q, make_float2(M(0), F(2)));]])
  local function halves(name, type, letter, op)
    C(name, "result:" .. letter .. " old:" .. letter, ([[
      u32 *p = out + R0 * n + i; *p = %s(0); OUT(1, 0u); __syncwarp();
      if (i %% 4 == 0) { u32 a, b, c, d;
        asm volatile("atom.global.%s.noftz.v4.%s {%%0,%%1,%%2,%%3}, [%%4], {%%5,%%6,%%7,%%8};"
          : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p), "r"(%s(1)), "r"(%s(2)), "r"(%s(3)), "r"(%s(1)) : "memory");
        ((uint4 *)(out + R1 * n + i))[0] = make_uint4(a, b, c, d); }]])
      :format(letter == "J" and "H" or "B", op, type, letter == "J" and "H" or "B", letter == "J" and "H" or "B",
        letter == "J" and "H" or "B", letter == "J" and "H" or "B"))
  end
  for _, op in ipairs { "add", "min", "max" } do
    halves("atomic_f16x2_v4_" .. op, "f16x2", "J", op)
    halves("atomic_bf16x2_v4_" .. op, "bf16x2", "K", op)
  end
  C("atomic_halves_scalar", "half:w brain:w", [[
    u32 *p = out + R0 * n + i, *q = out + R1 * n + i; *p = H(0); *q = B(0); __syncwarp();
    if (i % 4 == 0) {
      asm volatile("red.global.max.noftz.v8.f16 [%0], {%1,%2,%1,%2,%2,%1,%1,%1};" :: "l"(p), "h"((u16)H(1)),
        "h"((u16)H(2)) : "memory");
      asm volatile("red.global.add.noftz.v4.bf16 [%0], {%1,%2,%1,%2};" :: "l"(q), "h"((u16)B(1)), "h"((u16)B(2))
        : "memory"); }]])

  C("wide_words", "moved:x stored:x swapped:x compared:x", [[
    u64 a, b; ulonglong2 *p = (ulonglong2 *)(out + R1 * n + 2 * (i & ~1));
    asm("{ .reg .b128 q, r; mov.b128 q, {%2, %3}; mov.b128 r, q; mov.b128 {%0, %1}, r; }" : "=l"(a), "=l"(b)
      : "l"(X(0)), "l"(X(1)));
    OUT(0, a + b * 3); OUT(1, 7ull); OUT(2, X(2)); OUT(3, X(3)); __syncwarp();
    if (i % 2 == 0) {
      asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2}; st.global.b128 [%0], q; }" :: "l"(p), "l"(X(0)), "l"(X(1))
        : "memory");
      p = (ulonglong2 *)(out + R2 * n + 2 * i);
      asm volatile("{ .reg .b128 q, r; mov.b128 q, {%3, %4}; atom.global.exch.b128 r, [%2], q; mov.b128 {%0, %1}, r; }"
        : "=l"(a), "=l"(b) : "l"(p), "l"(X(0)), "l"(X(1)) : "memory");
      p->x += a; p->y ^= b;
      p = (ulonglong2 *)(out + R3 * n + 2 * i); u64 want = W(0) & 1 ? p->x : p->x + 1, high = p->y;
      asm volatile("{ .reg .b128 q, r, s; mov.b128 q, {%3, %4}; mov.b128 r, {%5, %6};"
        " atom.global.cas.b128 s, [%2], q, r; mov.b128 {%0, %1}, s; }"
        : "=l"(a), "=l"(b) : "l"(p), "l"(want), "l"(high), "l"(X(0)), "l"(a) : "memory");
      p->y += b; }]])

  local barrier = [[
    __shared__ __align__(128) u32 s[256]; __shared__ u64 bar; int t = threadIdx.x;
    u32 b = (u32)__cvta_generic_to_shared(&bar), at = (u32)__cvta_generic_to_shared(s);
    if (t == 0) { asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(b)
      : "memory"); asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
    __syncthreads();]]
  local wait = [[ { u32 done = 0; while (!done) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p,"
      " [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory"); } ]]
  C("bulk_copies", "there:w back:w", barrier .. [[
    if (t == 0) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;"
      " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], 1024, [%0];"
      :: "r"(b), "r"(at), "l"(in + i) : "memory");]] .. wait .. [[
    OUT(0, s[t ^ 9]); u32 v = s[t]; __syncthreads(); s[t] = v * 3 + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads();
    if (t == 0) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;"
      " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" :: "l"(out + R1 * n + i), "r"(at) : "memory");]])
  for _, form in ipairs { "add.u32", "min.s32", "inc.u32", "xor.b32", "max.u64", "add.f32", "add.noftz.f16",
    "max.bf16" } do
    local name, float, double = form:gsub("%.", "_"), form == "add.f32", form == "max.u64"
    local letter = float and "F" or form == "add.noftz.f16" and "H" or form == "max.bf16" and "B" or "W"
    C("bulk_" .. name, "result:" .. (double and "x" or letter:gsub("[FHBW]", { F = "f", H = "J", B = "K", W = "w" })),
      barrier .. ([[
      s[t] = %s; %s; __syncthreads();
      asm volatile("fence.proxy.async.shared::cta; fence.proxy.async.global;" ::: "memory");
      __syncthreads();
      if (t == 0) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%0], [%%1], 1024;"
        " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" :: "l"(out + R0 * n + %si), "r"(at) : "memory");]])
      :format(float and "__float_as_uint(M(1))" or letter .. "(1)",
        double and "OUT(0, X(0))" or float and "OUT(0, M(0))" or "OUT(0, " .. letter .. "(0))", form,
        double and "2 * " or ""))
  end
  C("bulk_shared", "sum:w", barrier .. [[
    __shared__ __align__(128) u32 r[256]; s[t] = W(0); r[t] = W(1);
    u32 from = (u32)__cvta_generic_to_shared(r);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads();
    if (t == 0) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;"
      " cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%1], [%2], 1024, [%0];"
      :: "r"(b), "r"(at), "r"(from) : "memory");]] .. wait .. [[ OUT(0, s[t]);]], nil, cluster)
  C("async_stores", "word:w sum:w", barrier .. [[
    __shared__ u32 r[256]; s[t] = 1; r[t] = W(2); u32 to = (u32)__cvta_generic_to_shared(r + t), mine, other;
    if (t == 0) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 2048;" :: "r"(b) : "memory");
    __syncthreads();
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(mine) : "r"(at + 4 * t));
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(other) : "r"(b));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
      " red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%3], %1, [%2];"
      :: "r"(mine), "r"(W(0)), "r"(other), "r"(to) : "memory");]] .. wait .. [[ OUT(0, s[t ^ 1]); OUT(1, r[t]);]],
    nil, cluster)
  C("bfloat_bytes", "signed:w unsigned:w back:B", [[
    u16 r; asm("{ .reg .b8 c; cvt.rni.s8.bf16 c, %1; mov.b16 %0, {c, 0}; }" : "=h"(r) : "h"((u16)B(0))); OUT(0, r);
    asm("{ .reg .b8 c; cvt.rzi.u8.bf16 c, %1; mov.b16 %0, {c, 0}; }" : "=h"(r) : "h"((u16)B(1))); OUT(1, r);
    asm("{ .reg .b8 c, z; mov.b16 {c, z}, %1; cvt.rn.bf16.s8 %0, c; }" : "=h"(r) : "h"((u16)W(0))); OUT(2, r);]])
  C("order_of_modifiers", "ballot:w value:w number:w", [[
    u32 r; asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.ballot.sync.b32 %0, p, -1; }" : "=r"(r)
      : "r"(W(0) & 1)); OUT(0, r);
    asm volatile("ld.u32.global %0, [%1];" : "=r"(r) : "l"(in + i)); OUT(1, r);
    asm("prmt.f4e.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(W(0)), "r"(W(1)), "r"(W(2) & 3)); OUT(2, r);]])
  C("stack_memory", "sum:w", [[
    OUT(0, modern_sum(W(0) % 13, W(1)));]], [[
    __device__ __noinline__ u32 modern_sum(u32 k, u32 seed)
    {
      u64 at, bytes = 8ull * k + 8;
      asm volatile("{ .reg .u64 p; alloca.u64 p, %1, 16; cvta.local.u64 %0, p; }" : "=l"(at) : "l"(bytes));
      u32 *a = (u32 *)at; for (u32 j = 0; j <= k; j++) a[j] = seed + j * j;
      u32 below = k ? modern_sum(k / 2, seed ^ k) : 1; for (u32 j = 0; j <= k; j++) below = below * 3 + a[j];
      return below;
    }]])
end
