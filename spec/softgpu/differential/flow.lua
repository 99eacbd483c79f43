-- Control flow and calls: branches, loops, switches, recursion, tables of functions, virtual functions.
return function(corpus)
  local function C(name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
  C("flow_nested_ifs", "path:w", [[
    u32 p = 0; int a = W(0), b = W(1);
    if (a < b) { p |= 1; if (a & 1) { p |= 2; if (b < 0) p |= 4; else p |= 8; } else if (b & 2) p |= 16; }
    else { p |= 32; if (a == b) p |= 64; }
    if (p & 33) p += 1000; else p ^= 0x55; OUT(0, p);]])
  C("flow_early_return", "value:w", [[
    u32 v = W(0); if (v % 3 == 0) { OUT(0, 1); return; } if (v & 4) { OUT(0, v); return; } for (int k = 0; k < 5;
    k++) { v ^= v >> 3; if (v & 8) return; }
    OUT(0, v);]])
  C("flow_dense_switch", "value:w", [[
    u32 v = W(0), r; switch (v % 17) { case 0: r = v; break; case 1: r = ~v; break; case 2: r = v * 3;
    case 3: r = v + 7; break; case 4: r = v << 3; break;
    case 5: r = v >> 3; break; case 6: r = v ^ 0xff; break; case 7: r = v / 9; break; case 8: r = v % 11; break;
    case 9: case 10: r = 5; break;
    case 11: r = __popc(v); break; case 12: r = __clz(v); break; case 13: r = v * v; break; default: r = 77; }
    OUT(0, r);]])
  C("flow_sparse_switch", "value:w", [[
    int r; switch ((int)W(0)) { case 0: r = 1; break; case 31: r = 2; break; case 65535: r = 3; break;
    case 0x7fffffff: r = 4; break;
    case (int)0x80000000: r = 5; break; case -1: r = 6; break; default: r = (int)W(1); } OUT(0, r);]])
  C("flow_goto", "value:w", [[
    u32 v = W(0) & 1023, s = 0; int k = 0;
    again: s += v; if (++k > 20) goto out; if (v & 1) { v = v * 5 + 3 & 1023; goto again; } v >>= 1;
    if (v) goto again;
    out: OUT(0, s * 32 + k);]])
  C("flow_loop_exits", "sum:w", [[
    u32 s = 0; for (int a = 0; a < (int)(W(0) & 15); a++) { for (int b = 0; b < 9;
    b++) { if ((a * b + i) % 7 == 3) continue; if (s > 400) goto out; s += a + b;
    if ((s ^ W(1)) % 23 == 0) break; } s += 1; } out: OUT(0, s);]])
  C("flow_loop_counts", "up:w down:w stride:w wide:x", [[
    u32 u = 0, d = 0, t = 0; u64 w = 0; int n2 = W(0) & 63;
    for (int k = 0; k < n2; k++) u = u * 3 + k; for (int k = n2; k-- > 0;) d = d * 5 + k; for (u32 k = 1; k < 100000;
    k *= (W(1) & 3) + 2) t += k;
    for (u64 k = X(0) & 31; k < 40; k += 3) w += k * k; OUT(0, u); OUT(1, d); OUT(2, t); OUT(3, w);]])
  C("flow_binary_search", "at:w", [[
    u32 v = W(0) % 5000; int lo = 0, hi = 70; while (lo < hi) { int m = (lo + hi) / 2;
    if ((u32)(m * m) < v) lo = m + 1; else hi = m; } OUT(0, lo);]])
  C("flow_predicates", "bits:w", [[
    int a = W(0), b = W(1), c = W(2); bool p = a < b, q = b < c, r = (a ^ c) & 1;
    OUT(0, (p && q) | (p || r) << 1 | (p ^ q) << 2 | (!p && (q || r)) << 3 |
      (p ? q : r) << 4 | ((a > 0) + (b > 0) + (c > 0)) << 5);]])
  C("flow_select_chains", "median:w clamp:w sign:w", [[
    int a = W(0), b = W(1), c = W(2); int m = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    OUT(0, m); OUT(1, a < -100 ? -100 : a > 1000 ? 1000 : a); OUT(2, (a > 0) - (a < 0));]])
  C("flow_state_machine", "state:w", [[
    int s = 0; u32 v = W(0); for (int k = 0; k < 32; k++, v >>= 1) switch (s) { case 0: s = v & 1 ? 1 : 0; break;
    case 1: s = v & 1 ? 2 : 3; break;
    case 2: s = v & 1 ? 2 : 4; break; case 3: s = v & 1 ? 1 : 0; break; default: s = v & 1 ? 3 : 4; } OUT(0, s);]])
  C("flow_divergent_barrier_free", "value:w", [[
    u32 v = W(0); int lane = threadIdx.x & 31; for (int k = 0; k < lane; k++) { v = v * 1664525u + 1013904223u;
    if (lane & 1) v ^= v >> 16; else v += k; } OUT(0, v);]])

  C("call_noinline", "value:w wide:x number:d", [[
      OUT(0, call_a(W(0), W(1))); OUT(1, call_b(X(0), W(1))); OUT(2, plain(call_c(D(0), F(1))));]], { before = [[
    __device__ __noinline__ u32 call_a(u32 a, u32 b) { return a * 31 + (b >> 2); }
    __device__ __noinline__ u64 call_b(u64 a, u32 b) { return a * call_a(b, 3) + b; }
    __device__ __noinline__ double call_c(double a, float b) { return a * 0.5 + b; }]] })
  C("call_recursion", "fibonacci:w ackermann:w", [[
      OUT(0, call_fib(W(0) % 12)); OUT(1, call_ack(W(1) % 3, W(2) % 5));]], { before = [[
    __device__ __noinline__ u32 call_fib(u32 n) { return n < 2 ? n : call_fib(n - 1) + call_fib(n - 2); }
    __device__ __noinline__ u32 call_ack(u32 m, u32 n) {
    return m == 0 ? n + 1 : call_ack(m - 1, n == 0 ? 1 : call_ack(m, n - 1)); }]] })
  C("call_mutual", "even:w depth:w", [[
      OUT(0, call_even(W(0) % 40)); u32 d = 0; call_dive(W(1) % 9, &d); OUT(1, d);]], { before = [[
    __device__ bool call_odd(u32 n); __device__ __noinline__ bool call_even(u32 n) {
    return n == 0 ? true : call_odd(n - 1); }
    __device__ __noinline__ bool call_odd(u32 n) { return n == 0 ? false : call_even(n - 1); }
    __device__ __noinline__ void call_dive(int n, u32 *sum) { u32 mine[4]; for (int k = 0; k < 4;
    k++) mine[k] = n * k; if (n > 0) call_dive(n - 1, sum); *sum += mine[n & 3] + n; }]] })
  C("call_by_pointer", "value:w", [[
      u32 v = W(0); for (int k = 0; k < 4; k++) v = call_table[(v + k) & 3](v, W(1)); OUT(0, v);]], { before = [[
    typedef u32 (*call_function)(u32, u32);
    __device__ __noinline__ u32 call_add(u32 a, u32 b) { return a + b; }
    __device__ __noinline__ u32 call_xor(u32 a, u32 b) { return a ^ b * 3; }
    __device__ __noinline__ u32 call_mul(u32 a, u32 b) { return a * (b | 1); }
    __device__ __noinline__ u32 call_rot(u32 a, u32 b) { return rotate(a, b & 31); }
    __device__ call_function call_table[4] = { call_add, call_xor, call_mul, call_rot };]] })
  C("call_virtual", "value:w", [[
    CallAdd a(W(1)); CallXor b(W(2)); CallBase *p = W(0) & 1 ? (CallBase *)&a : (CallBase *)&b;
    u32 v = p->apply(W(0)); v = p->apply(v) + p->kind(); OUT(0, v);]],
    { before = [[
    struct CallBase { u32 k; __device__ CallBase(u32 k) : k(k) {} __device__ virtual u32 apply(u32 v) = 0;
    __device__ virtual u32 kind() { return 1; } };
    struct CallAdd : CallBase { __device__ CallAdd(u32 k) : CallBase(k) {}
    __device__ u32 apply(u32 v) override { return v + k; } };
    struct CallXor : CallBase { __device__ CallXor(u32 k) : CallBase(k) {}
    __device__ u32 apply(u32 v) override { return v ^ k; } __device__ u32 kind() override { return 2; } };]] })
  C("call_structs", "value:w sum:f", [[
    CallPair p = call_make(W(0), F(1)), q = call_swap(p); OUT(0, q.w[0] * 3 + q.w[2]);
    OUT(1, plain(q.f + p.f));]], { before = [[
    struct CallPair { u32 w[3]; float f; double d; };
    __device__ __noinline__ CallPair call_make(u32 a, float f) { CallPair p = { { a, a ^ 5, ~a }, f, f * 2.0 };
    return p; }
    __device__ __noinline__ CallPair call_swap(CallPair p) { u32 t = p.w[0]; p.w[0] = p.w[2]; p.w[2] = t;
    p.f = (float)p.d; return p; }]] })
  C("call_templates", "tree:w fold:w", [[
      OUT(0, CallTree<5>::sum(W(0))); OUT(1, call_fold(W(0), W(1), W(2), 7u));]], { before = [[
    template <int n> struct CallTree { static __device__ __noinline__ u32 sum(u32 v) {
    return CallTree<n - 1>::sum(v * 3 + n) ^ CallTree<n - 2>::sum(v + n); } };
    template <> struct CallTree<1> { static __device__ u32 sum(u32 v) { return v; } };
    template <> struct CallTree<0> { static __device__ u32 sum(u32 v) { return ~v; } };
    template <typename... T> __device__ u32 call_fold(T... v) { return (... + (v * 5)); }]] })
  C("call_lambda", "value:w", [[
      u32 k = W(1); auto f = [=](u32 v) { return v * k + 3; }; auto g = [&](u32 v) { k += v; return f(v) ^ k; };
      OUT(0, g(W(0)) + g(3) + k);]])
  C("call_under_divergence", "value:w", [[
      u32 v = W(0); if (v & 1) v = call_deep(v, 3); else if (v & 2) v = call_deep(v, 1) + 5;
      v += call_deep(v, v & 3); OUT(0, v);]], { before = [[
    __device__ __noinline__ u32 call_deep(u32 v, int n) { for (int k = 0; k < n; k++) v = v & 4 ? v * 3 + k : v >> 1;
    return n > 0 ? call_deep(v ^ n, n - 1) : v; }]] })
end
