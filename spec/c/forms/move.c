/* mov: copies, constants, parts of registers, and special registers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "form.h"

static void copy(const Case *c, const uint64_t *v, uint64_t *r) {
  r[0] = c->operands[0] ? v[0] : c->constant;
}

/* Pieces of c->choice bits in the opposite order, by way of registers of their own. */
static void reversed(const Case *c, const uint64_t *v, uint64_t *r) {
  const uint64_t piece = ((uint64_t)1 << c->choice) - 1;
  r[0] = 0;
  for (int at = 0; at < c->from.bits; at += c->choice)
    r[0] |= (v[0] >> at & piece) << (c->from.bits - c->choice - at);
}

static void add_pieces(const Form *f, Type t, int pieces) {
  const char l = letter_of(t);
  Case c = case_of(f, (char[]){l, 0}, (char[]){l, 0}, reversed);
  c.from = t;
  c.choice = t.bits / pieces;
  case_code(&c,
            pieces == 2
                ? "{ .reg .b%d %%c<4>; @%s {%%c0,%%c1},%%a0; @%s %%d0,{%%c1,%%c0}; }"
                : "{ .reg .b%d %%c<4>; @%s {%%c0,%%c1,%%c2,%%c3},%%a0; @%s %%d0,{%%c3,%%c2,%%c1,%%c0}; }",
            c.choice, f->text, f->text);
  case_add(&c);
}

/* ---- special registers ---------------------------------------------------------------------------- */

typedef struct Place {
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3], lane, warp;
} Place;
typedef uint32_t Special(const Place *p);

#define AXES(name)                                                                                           \
  static uint32_t name##_x(const Place *p) { return p->name[0]; }                                            \
  static uint32_t name##_y(const Place *p) { return p->name[1]; }                                            \
  static uint32_t name##_z(const Place *p) { return p->name[2]; }
AXES(tid)
AXES(ntid)
AXES(ctaid)
AXES(nctaid)
static uint32_t nothing(const Place *p) { return p->lane & 0; }
static uint32_t one(const Place *p) { return nothing(p) + 1; }
static uint32_t laneid(const Place *p) { return p->lane; }
static uint32_t warpid(const Place *p) { return p->warp; }
static uint32_t mask_eq(const Place *p) { return (uint32_t)1 << p->lane; }
static uint32_t mask_lt(const Place *p) { return mask_eq(p) - 1; }
static uint32_t mask_le(const Place *p) { return mask_lt(p) | mask_eq(p); }
static uint32_t mask_gt(const Place *p) { return ~mask_le(p); }
static uint32_t mask_ge(const Place *p) { return ~mask_lt(p); }
static uint32_t shared(const Place *p) { return nothing(p) + 64; }

/* A cluster is a block here. */
static const struct {
  const char *name;
  Special *value;
} specials[] = {{"%tid.x", tid_x},
                {"%tid.y", tid_y},
                {"%tid.z", tid_z},
                {"%tid.w", nothing},
                {"%ntid.x", ntid_x},
                {"%ntid.y", ntid_y},
                {"%ntid.z", ntid_z},
                {"%ntid.w", one},
                {"%ctaid.x", ctaid_x},
                {"%ctaid.y", ctaid_y},
                {"%ctaid.z", ctaid_z},
                {"%ctaid.w", nothing},
                {"%nctaid.x", nctaid_x},
                {"%nctaid.y", nctaid_y},
                {"%nctaid.z", nctaid_z},
                {"%nctaid.w", one},
                {"%clusterid.x", ctaid_x},
                {"%clusterid.y", ctaid_y},
                {"%clusterid.z", ctaid_z},
                {"%nclusterid.x", nctaid_x},
                {"%nclusterid.y", nctaid_y},
                {"%nclusterid.z", nctaid_z},
                {"%cluster_ctaid.x", nothing},
                {"%cluster_nctaid.y", one},
                {"%cluster_ctarank", nothing},
                {"%cluster_nctarank", one},
                {"%laneid", laneid},
                {"%warpid", warpid},
                {"%lanemask_eq", mask_eq},
                {"%lanemask_lt", mask_lt},
                {"%lanemask_le", mask_le},
                {"%lanemask_gt", mask_gt},
                {"%lanemask_ge", mask_ge},
                {"%dynamic_smem_size", nothing},
                {"%total_smem_size", shared},
                {"%pm3", nothing},
                {"%envreg17", nothing}};
enum { NSPECIALS = sizeof specials / sizeof *specials };

static void compare_specials(const uint32_t *out, const uint32_t *grid, const uint32_t *block) {
  Place p;
  memcpy(p.ntid, block, sizeof p.ntid);
  memcpy(p.nctaid, grid, sizeof p.nctaid);
  const uint32_t threads = block[0] * block[1] * block[2], blocks = grid[0] * grid[1] * grid[2];
  for (uint32_t n = 0; n < threads * blocks; n++) {
    const uint32_t b = n / threads, t = n % threads;
    for (int k = 0, d = 1; k < 3; d *= (int)block[k++]) p.tid[k] = t / (uint32_t)d % block[k];
    for (int k = 0, d = 1; k < 3; d *= (int)grid[k++]) p.ctaid[k] = b / (uint32_t)d % grid[k];
    p.lane = t % 32;
    p.warp = t / 32;
    for (int i = 0; i < NSPECIALS; i++) {
      const uint32_t got = out[n * NSPECIALS + (uint32_t)i], want = specials[i].value(&p);
      if (got != want) wrong("%s of thread %u is %x, not %x", specials[i].name, n, got, want);
    }
  }
}

/* The number of the thread in the grid is computed from registers too: a wrong one ends in a fault. */
static void special_registers(void) {
  const uint32_t grid[] = {3, 2, 2}, block[] = {5, 7, 3};
  Text t = {0};
  put(&t,
      PTX_HEAD ".visible .entry k(.param .u64 out) { .reg .b32 %%r<16>; .reg .b64 %%x<4>; .shared .align 4 "
               ".b8 s[64];\n"
               "ld.param.u64 %%x0,[out]; mov.u32 %%r0,s;\n"
               "mov.u32 %%r1,%%ctaid.z; mov.u32 %%r2,%%nctaid.y; mov.u32 %%r3,%%ctaid.y; mad.lo.u32 "
               "%%r1,%%r1,%%r2,%%r3;\n"
               "mov.u32 %%r2,%%nctaid.x; mov.u32 %%r3,%%ctaid.x; mad.lo.u32 %%r1,%%r1,%%r2,%%r3;\n"
               "mov.u32 %%r2,%%ntid.z; mov.u32 %%r3,%%tid.z; mad.lo.u32 %%r1,%%r1,%%r2,%%r3;\n"
               "mov.u32 %%r2,%%ntid.y; mov.u32 %%r3,%%tid.y; mad.lo.u32 %%r1,%%r1,%%r2,%%r3;\n"
               "mov.u32 %%r2,%%ntid.x; mov.u32 %%r3,%%tid.x; mad.lo.u32 %%r1,%%r1,%%r2,%%r3;\n"
               "mul.wide.u32 %%x1,%%r1,%d; add.u64 %%x0,%%x0,%%x1;\n",
      NSPECIALS * 4);
  for (int i = 0; i < NSPECIALS; i++)
    put(&t, "mov.u32 %%r4,%s; st.global.u32 [%%x0+%d],%%r4;\n", specials[i].name, 4 * i);
  put(&t, "ret; }\n");
  begin("mov of special registers");
  SgModule *m = module_load(t.p, true);
  uint32_t *out = device_memory(12 * 105 * NSPECIALS * 4);
  SgFault fault;
  SgLaunch l = {.kernel = m ? sg_module_kernel(m, "k") : NULL, .params = (const uint8_t *)&out};
  memcpy(l.grid, grid, sizeof grid);
  memcpy(l.block, block, sizeof block);
  if (m && sg_machine_run(&l, &fault) != 0) wrong("special registers: %s", fault.text);
  if (m && all_right()) compare_specials(out, grid, block);
  finish();
  device_free(out);
  sg_module_unload(m);
  free(t.p);
}

/* 128 bits: by way of a register of that size, its halves exchanged. */
static void exchanged(const Case *c, const uint64_t *v, uint64_t *r) {
  (void)c;
  r[0] = v[1];
  r[1] = v[0];
}

static bool wide(const Form *f) {
  Case c = case_of(f, "xx", "xx", exchanged);
  case_code(&c, "{ .reg .b128 %%c<2>; %s %%c0,{%%a1,%%a0}; %s %%c1,%%c0; @%s {%%d0,%%d1},%%c1; }", f->text,
            f->text, f->text);
  case_add(&c);
  return true;
}

bool move(const Form *f) {
  static bool once;
  const Type t = type_of(f, 0);
  const char l = letter_of(t);
  if (t.bits == 128) return wide(f);
  Case c = case_of(f, (char[]){l, 0}, (char[]){l, 0}, copy);
  c.from = t;
  case_add(&c);
  c.operands[0] = 0;
  c.constant = t.kind == 'p' ? 1 : t.kind == 'f' ? t.bits == 32 ? 0x40490fdb : 0x400921fb54442d18 : 0x1234;
  case_code(&c,
            t.kind == 'f' ? t.bits == 32 ? "@%s %%d0,0f40490fdb;" : "@%s %%d0,0d400921fb54442d18;"
                          : "@%s %%d0,%d;",
            f->text, t.kind == 'p' ? 1 : 0x1234);
  case_add(&c);
  if (t.kind == 'b') add_pieces(f, t, 2);
  if (t.kind == 'b' && t.bits > 16) add_pieces(f, t, 4);
  if (!once) special_registers();
  once = true;
  return true;
}
