-- Memory: vectors, bytes, shared, local and constant arrays, generic addresses, structures, atomics in every space,
-- and the classics of a block: reductions, scans, transposes, sorting.
return function(corpus)
  local function C(name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
  C("memory_vectors", "uint4:w uint2:w ushort4:w double2:d uchar4:w float4:f", [[
    uint4 a = ((const uint4 *)in)[i]; uint2 b = ((const uint2 *)in)[i + 5]; ushort4 c = ((const ushort4 *)in)[i];
    double2 d = ((const double2 *)(in + 24 * N))[i & 1023];
    uchar4 e = ((const uchar4 *)in)[i]; float4 f = ((const float4 *)(in + 4 * N))[i];
    OUT(0, a.x ^ a.y * 3 ^ a.z * 5 ^ a.w * 7); OUT(1, b.x - b.y); OUT(2, c.x + c.y * 2 + c.z * 3 + c.w * 4);
    OUT(3, plain(d.x - d.y)); OUT(4, e.x | e.y * e.z - e.w);
    OUT(5, plain(f.x + f.y * f.z - f.w));]])
  C("memory_stores", "a:w b:w c:w d:w e:x", [[
    ((u8 *)(out + R0 * n + i))[0] = W(0); ((u8 *)(out + R0 * n + i))[3] = W(1);
    ((u16 *)(out + R1 * n + i))[1] = W(0); ((s8 *)(out + R2 * n + i))[2] = (s8)W(1);
    if (i % 4 == 0) *(uint4 *)(out + R3 * n + i) = make_uint4(W(0), W(1), W(2), W(3));
    *(uint2 *)(out + R4 * n + 2 * i) = make_uint2(W(0), ~W(0));]])
  C("memory_bytes", "s8:w u8:w s16:w u16:w", [[
    const char *p = (const char *)in + 4 * i; OUT(0, (int)((const s8 *)p)[1] * 3);
    OUT(1, ((const u8 *)p)[2] + ((const u8 *)p)[3]); OUT(2, (int)((const s16 *)p)[1]); OUT(3, ((const u16 *)p)[0]);]])
  C("memory_gather", "value:w wide:x", [[
      OUT(0, in[(i * 977 + W(0)) % (4 * N)]); OUT(1, ((const u64 *)(in + 16 * N))[(X(0) + i * 31) % N]);]])
  C("memory_cache_hints", "cs:w cg:w ca:w ldg:w nc:w", [[
    OUT(0, __ldcs(in + i)); OUT(1, __ldcg(in + N + i)); OUT(2, __ldca(in + 2 * N + i));
    OUT(3, __ldg(in + 3 * N + i)); __stcs(out + R4 * n + i, W(0) + 1);]])
  C("memory_volatile", "value:w", [[volatile u32 *p = out + i; *p = W(0); u32 v = *p; *p = v + 1; OUT(0, *p * 3);]])
  C("memory_constant", "direct:w indexed:w wide:d bytes:w", [[
    OUT(0, memory_table[5] + memory_table[60]); OUT(1, memory_table[W(0) & 63]);
    OUT(2, memory_reals[i & 3] * memory_reals[W(1) & 3]); OUT(3, memory_text[W(0) % 11]);]], { before = [[
    __constant__ u32 memory_table[64] = { 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144 };
    __constant__ double memory_reals[4] = { 0.5, -1.25, 3e10, 1e-300 };
    __constant__ char memory_text[12] = "hello world";]] })
  C("memory_device_globals", "value:w table:w", [[
      OUT(0, memory_global + i);
      OUT(1, memory_globals[i & 7] * memory_struct.b + memory_struct.c[i & 1]);]], { before = [[
    __device__ u32 memory_global = 42; __device__ u32 memory_globals[8] = { 9, 8, 7 }; struct MemoryS { char a;
    int b; short c[2]; };
    __device__ MemoryS memory_struct = { 1, -5, { 3, 4 } };]] })
  C("memory_local_array", "sum:w last:w bytes:w", [[
    u32 a[16]; for (int k = 0; k < 16; k++) a[k] = W(0) * k; for (int k = 0; k < 8;
    k++) a[(W(1) + k * 3) & 15] ^= a[(W(2) >> k) & 15] + k; u32 s = 0; for (int k = 0; k < 16; k++) s = s * 7 + a[k];
    u8 b[24]; for (int k = 0; k < 24; k++) b[k] = W(3) >> (k & 7); b[W(0) % 24] = 77; u32 t = 0; for (int k = 0;
    k < 24; k++) t = t * 3 + b[(k + W(1)) % 24];
    OUT(0, s); OUT(1, a[W(3) & 15]); OUT(2, t);]])
  C("memory_local_doubles", "sum:d pick:d", [[
    double a[6]; for (int k = 0; k < 6; k++) a[k] = (int)(W(k & 3) & 0xfff) / 8.0; double s = 0; for (int k = 0;
    k < 6; k++) s += a[(W(0) + k) % 6] * k; OUT(0, s); OUT(1, a[W(1) % 6]);]])
  C("memory_local_sort", "smallest:w middle:w sum:w", [[
    u32 a[9]; for (int k = 0; k < 9; k++) a[k] = W(k & 3) * (k + 1) >> (k & 7); for (int k = 1; k < 9;
    k++) { u32 v = a[k]; int j = k; while (j > 0 && a[j - 1] > v) { a[j] = a[j - 1]; j--; } a[j] = v; }
    u32 s = 0; for (int k = 0; k < 9; k++) s = s * 5 + a[k]; OUT(0, a[0]); OUT(1, a[4]); OUT(2, s);]])
  C("memory_generic", "shared:w local:w global:w space:w", [[
    __shared__ u32 s[256]; u32 l[4] = { W(0), W(1), W(2), W(3) }; int t = threadIdx.x; s[t] = W(0) + 1;
    __syncthreads();
    u32 which = W(1) % 3; const u32 *p = which == 0 ? &s[t ^ 3] : which == 1 ? &l[W(2) & 3] : in + (i ^ 1);
    OUT(0, *p); __syncthreads(); u32 *q = which ? &s[t] : &l[1]; *q = 5; __syncthreads(); OUT(1, l[W(3) & 3]);
    OUT(2, s[t]); OUT(3, __isShared(p) | __isLocal(p) << 1 | __isGlobal(p) << 2);]])
  C("memory_structs", "sum:w number:d", [[
    MemoryRecord r = memory_fill(W(0), W(1)); MemoryRecord c = r; c.list[W(2) & 3] += 7; u32 s = c.tag;
    for (int k = 0; k < 4; k++) s = s * 31 + c.list[k]; OUT(0, s + (u32)sizeof(MemoryRecord));
    OUT(1, c.value + r.list[1]);]], { before = [[
    struct MemoryRecord { u8 tag; double value; u16 list[4]; u64 big; };
    __device__ __noinline__ MemoryRecord memory_fill(u32 a, u32 b) { MemoryRecord r; r.tag = a;
    r.value = (int)b * 0.5; for (int k = 0; k < 4; k++) r.list[k] = a >> k; r.big = b; return r; }]] })
  C("memory_union", "bits:w swapped:x", [[
      union { u32 w[2]; u64 x; double d; u8 b[8]; } v; v.d = D(0); OUT(0, v.w[1] >> 20); for (int k = 0; k < 4;
      k++) { u8 t = v.b[k]; v.b[k] = v.b[7 - k]; v.b[7 - k] = t; } OUT(1, v.x);]])
  C("memory_async_copy", "value:w", [[
    __shared__ __align__(16) u32 s[256]; int t = threadIdx.x; u32 a = (u32)__cvta_generic_to_shared(s + t);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(a), "l"(in + i) : "memory");
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory"); __syncthreads(); OUT(0, s[t ^ 9]);]])

  C("shared_reverse", "value:w", [[
      __shared__ u32 s[256]; s[threadIdx.x] = W(0); __syncthreads(); OUT(0, s[255 - threadIdx.x]);]])
  C("shared_tree", "sum:w float_sum:f largest:w", [[
    __shared__ u32 s[256]; __shared__ float f[256]; __shared__ int m[256]; int t = threadIdx.x; s[t] = W(0);
    f[t] = (float)(W(1) & 0xffff) * 0.37f; m[t] = W(2); __syncthreads();
    for (int h = 128; h; h >>= 1) { if (t < h) { s[t] += s[t + h]; f[t] += f[t + h]; m[t] = max(m[t], m[t + h]); }
    __syncthreads(); } OUT(0, s[0]); OUT(1, f[0]); OUT(2, m[0]);]])
  C("shared_scan", "hillis:w blelloch:w", [[
    __shared__ u32 s[2][256], b[256]; int t = threadIdx.x, w = 0; s[0][t] = W(0); __syncthreads(); for (int d = 1;
    d < 256; d *= 2) { s[1 - w][t] = s[w][t] + (t >= d ? s[w][t - d] : 0); w = 1 - w; __syncthreads(); }
    OUT(0, s[w][t]);
    b[t] = W(1); __syncthreads(); for (int d = 1; d < 256; d *= 2) { int k = (t + 1) * d * 2 - 1;
    if (k < 256) b[k] += b[k - d]; __syncthreads(); } if (t == 0) b[255] = 0; __syncthreads();
    for (int d = 128; d; d /= 2) { int k = (t + 1) * d * 2 - 1; if (k < 256) { u32 v = b[k - d]; b[k - d] = b[k];
    b[k] += v; } __syncthreads(); } OUT(1, b[t]);]])
  C("shared_transpose", "plain:w padded:w", [[
    __shared__ u32 s[16][16], p[16][17]; int x = threadIdx.x & 15, y = threadIdx.x >> 4; s[y][x] = W(0);
    p[y][x] = W(1); __syncthreads(); OUT(0, s[x][y]); OUT(1, p[x][y]);]])
  C("shared_bitonic_sort", "sorted:w key:w", [[
    __shared__ u32 s[256]; __shared__ u16 v[256]; int t = threadIdx.x; s[t] = W(0) * 2654435761u; v[t] = t;
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2) for (int j = k / 2; j; j /= 2) { int o = t ^ j;
    if (o > t && (((t & k) == 0) == (s[t] > s[o] || (s[t] == s[o] && v[t] > v[o])))) { u32 a = s[t]; s[t] = s[o];
    s[o] = a; u16 b = v[t]; v[t] = v[o]; v[o] = b; } __syncthreads(); }
    OUT(0, s[t]); OUT(1, v[t]);]])
  C("shared_odd_even_sort", "sorted:w", [[
    __shared__ int s[64]; int t = threadIdx.x; s[t] = W(0); __syncthreads(); for (int k = 0; k < 64;
    k++) { int a = 2 * t + (k & 1); if (a + 1 < 64 && s[a] > s[a + 1]) { int v = s[a]; s[a] = s[a + 1]; s[a + 1] = v;
    } __syncthreads(); } OUT(0, s[t]);]],
    { lanes = 1024, block = 64 })
  C("shared_matmul", "product:f", [[
    __shared__ float a[16][16], b[16][16]; int x = threadIdx.x & 15, y = threadIdx.x >> 4; float s = 0;
    for (int k = 0; k < 4; k++) { a[y][x] = (float)((int)(W(0) >> k & 255) - 99) * 0.25f;
    b[y][x] = (float)((int)(W(1) >> k & 255) - 50) * 0.125f; __syncthreads();
    for (int j = 0; j < 16; j++) s += a[y][j] * b[j][x]; __syncthreads(); } OUT(0, s);]])
  C("shared_histogram", "counts:w", [[
    __shared__ u32 h[64]; int t = threadIdx.x; if (t < 64) h[t] = 0; __syncthreads();
    atomicAdd(&h[W(0) * 31 >> 7 & 63], 1); atomicAdd(&h[W(1) & 15], W(2) & 3); __syncthreads(); OUT(0, h[t & 63]);]])
  C("shared_stencil", "value:f", [[
    __shared__ float s[258]; int t = threadIdx.x; s[t + 1] = (float)(W(0) & 4095); if (t == 0) s[0] = 1;
    if (t == 255) s[257] = 2; __syncthreads(); for (int k = 0; k < 5;
    k++) { float v = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2]; __syncthreads(); s[t + 1] = v;
    __syncthreads(); } OUT(0, s[t + 1]);]])
  C("shared_vectors", "value:w wide:x", [[
    __shared__ uint4 v[256]; __shared__ double2 d[256]; int t = threadIdx.x;
    v[t] = make_uint4(W(0), W(1), W(2), W(3)); d[t] = make_double2(t, -t); __syncthreads(); uint4 r = v[t ^ 5];
    double2 e = d[t ^ 7];
    OUT(0, r.x + r.y * 3 + r.z * 5 + r.w * 7); OUT(1, (u64)(s64)(e.x * 100 + e.y));]])
  C("shared_bytes", "value:w", [[
    __shared__ u8 b[1024]; __shared__ u16 h[256]; int t = threadIdx.x; for (int k = 0; k < 4;
    k++) b[4 * t + k] = W(0) >> 8 * k; h[t] = W(1); __syncthreads();
    OUT(0, b[(t * 13 + 1) & 1023] | b[1023 - t] << 8 | h[t ^ 1] << 16);]])
  C("shared_lookup", "value:w", [[
    __shared__ u32 s[300]; for (int k = threadIdx.x; k < 300; k += 256) s[k] = k * k; __syncthreads(); u32 v = W(0);
    for (int k = 0; k < 6; k++) v = s[v % 300] + k; OUT(0, v);]])
  C("shared_compaction", "kept:w count:w", [[
    __shared__ u32 s[256], warp[8]; int t = threadIdx.x, lane = t & 31; bool keep = W(0) % 3 == 1;
    u32 m = __ballot_sync(~0u, keep); if (lane == 0) warp[t / 32] = __popc(m); s[t] = 0; __syncthreads();
    u32 base = 0, total = 0; for (int k = 0; k < 8; k++) { if (k < t / 32) base += warp[k]; total += warp[k]; }
    if (keep) s[base + __popc(m & ((1u << lane) - 1))] = W(1); __syncthreads(); OUT(0, s[t]); OUT(1, total);]])

  -- Atomics whose result does not depend on their order; each block has its own memory.
  C("atomic_words", "add:w sub:w min:w max:w umin:w umax:w and:w or:w xor:w exch:w", [[
    __shared__ u32 s[10]; int t = threadIdx.x; if (t < 10) s[t] = t == 6 ? ~0u : t == 2 || t == 4 ? 0x7fffffff : 0;
    __syncthreads();
    atomicAdd(s, W(0)); atomicSub(s + 1, W(1)); atomicMin((int *)s + 2, (int)W(0));
    atomicMax((int *)s + 3, (int)W(1)); atomicMin(s + 4, W(2) | 1); atomicMax(s + 5, W(3));
    atomicAnd(s + 6, W(0) | 0xff);
    atomicOr(s + 7, W(1) & 0xf0f0); atomicXor(s + 8, W(2)); if (t == 100) atomicExch(s + 9, W(3)); __syncthreads();
    OUT(0, s[0]); OUT(1, s[1]); OUT(2, s[2]); OUT(3, s[3]); OUT(4, s[4]); OUT(5, s[5]); OUT(6, s[6]); OUT(7, s[7]);
    OUT(8, s[8]); OUT(9, s[9]);]])
  C("atomic_wide", "add:x min:x max:x umin:x umax:x and:x or:x xor:x", [[
    __shared__ u64 s[8]; int t = threadIdx.x;
    if (t < 8) s[t] = t == 5 ? ~0ull : t == 1 || t == 3 ? 0x7fffffffffffffffull : 0; __syncthreads();
    atomicAdd(s, X(0)); atomicMin((s64 *)s + 1, (s64)X(0)); atomicMax((s64 *)s + 2, (s64)X(1));
    atomicMin(s + 3, X(2) | 1); atomicMax(s + 4, X(3)); atomicAnd(s + 5, X(0) | 0xff00ff); atomicOr(s + 6, X(1));
    atomicXor(s + 7, X(2));
    __syncthreads(); OUT(0, s[0]); OUT(1, s[1]); OUT(2, s[2]); OUT(3, s[3]); OUT(4, s[4]); OUT(5, s[5]);
    OUT(6, s[6]); OUT(7, s[7]);]])
  C("atomic_floats", "float:f double:d half2:w global:f", [[
    __shared__ float f; __shared__ double d; int t = threadIdx.x; if (t == 0) f = 0, d = 0; __syncthreads();
    atomicAdd(&f, (float)(int)(W(0) & 255)); atomicAdd(&d, (double)(int)W(1) * 0.5); __syncthreads();
    OUT(0, f); OUT(1, d); OUT(2, W(2)); float *g = (float *)out + R3 * n + blockIdx.x;
    atomicAdd(g, (float)(int)(W(3) & 127));]], { fill = 0 })
  C("atomic_counters", "inc:w dec:w cas:w", [[
    __shared__ u32 s[3]; int t = threadIdx.x; if (t < 3) s[t] = 0; __syncthreads(); atomicInc(s, 100);
    atomicDec(s + 1, 50); u32 v = W(0), old = s[2], seen; do { seen = old;
    old = atomicCAS(s + 2, seen, seen * 1 + v); } while (old != seen);
    __syncthreads(); OUT(0, s[0]); OUT(1, s[1]); OUT(2, s[2]);]])
  C("atomic_cas_wide", "sum:x half:w", [[
    __shared__ u64 s; __shared__ u16 h[2]; int t = threadIdx.x; if (t == 0) s = 5, h[0] = 0, h[1] = 0;
    __syncthreads(); u64 old = s, seen; do { seen = old; old = atomicCAS(&s, seen, seen + X(0)); }
    while (old != seen);
    u16 a = h[t & 1], b; do { b = a; a = atomicCAS(&h[t & 1], b, (u16)(b + W(0))); } while (a != b); __syncthreads();
    OUT(0, s); OUT(1, h[0] | h[1] << 16);]])
  C("atomic_global", "add:w max:w xor:w", [[
    u32 *a = out + R0 * n + blockIdx.x * 256, *b = out + R1 * n + blockIdx.x * 256,
    *c = out + R2 * n + blockIdx.x * 256; atomicAdd(a + (W(0) & 255), 3); atomicMax(b + (W(1) & 63), W(2));
    atomicXor(c + (threadIdx.x >> 2), W(3));]])
  C("atomic_across_blocks", "add:w min:w or:w sum64:x", [[
    atomicAdd(out + R0 * n + (W(0) & 15), W(1)); atomicMin((int *)out + R1 * n + (W(0) & 7), (int)W(2));
    atomicOr(out + R2 * n + 3, 1u << (i & 31)); atomicAdd((u64 *)(out + R3 * n) + (W(1) & 3), X(0));]])
  C("atomic_reductions", "add:w max:w and:w", [[
    u32 *p = out + R0 * n + (i >> 5); asm volatile("red.global.add.u32 [%0], %1;" :: "l"(p), "r"(W(0)) : "memory");
    asm volatile("red.global.max.s32 [%0], %1;" :: "l"(out + R1 * n + (i >> 6)), "r"(W(1)) : "memory");
    asm volatile("red.relaxed.gpu.global.and.b32 [%0], %1;" :: "l"(out + R2 * n + (i >> 4)), "r"(W(2)) : "memory");]])
  C("atomic_generic", "shared:w global:w", [[
    __shared__ u32 s[4]; int t = threadIdx.x; if (t < 4) s[t] = 0; __syncthreads();
    u32 *p = t & 1 ? s + (t >> 1 & 3) : out + R1 * n + blockIdx.x; memory_add(p, W(0)); __syncthreads();
    OUT(0, s[t & 3]);]],
    { before = "__device__ __noinline__ void memory_add(u32 *p, u32 v) { atomicAdd(p, v); }" })
  C("atomic_lock", "sum:w", [[
    __shared__ u32 lock, s; int t = threadIdx.x; if (t == 0) lock = 0, s = 1; __syncthreads(); bool done = false;
    while (!done) if (atomicCAS(&lock, 0, 1) == 0) { *(volatile u32 *)&s += W(0); __threadfence_block();
    atomicExch(&lock, 0); done = true; }
    __syncthreads(); OUT(0, s);]])
  C("atomic_last_block", "total:w", [[
    __shared__ u32 s, ticket; int t = threadIdx.x; if (t == 0) s = 0; __syncthreads(); atomicAdd(&s, W(0));
    __syncthreads(); if (t == 0) { memory_parts[blockIdx.x] = s; __threadfence();
    ticket = atomicAdd(&memory_ticket, 1); } __syncthreads();
    if (ticket == gridDim.x - 1) { if (t == 0) { u32 v = 0; for (int k = 0; k < gridDim.x;
    k++) v = v * 3 + ((volatile u32 *)memory_parts)[k]; out[R0 * n] = v; memory_ticket = 0; } }]],
    { before = "__device__ u32 memory_parts[64], memory_ticket;" })
  C("atomic_add_returns", "sum:w", [[ // the old values are a permutation
    __shared__ u32 s, m[256]; int t = threadIdx.x; if (t == 0) s = 0; __syncthreads(); u32 at = atomicAdd(&s, 1);
    m[at] = at * at; __syncthreads(); OUT(0, m[t] + s);]])
end
