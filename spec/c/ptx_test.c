/* Tests of the PTX front end (src/softgpu/ptx): trees, errors with their places, and that no text
 * whatever brings it down. Prints one TAP line a case; exits non-zero when one fails. */
#include "ptx/ptx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a harness of a few lines ----------------------------------------------------------------- */

static int ncases, nfailed;
static bool case_ok;

static void check(bool ok, const char *what, int line) {
  if (ok) return;
  case_ok = false;
  printf("# line %d: %s\n", line, what);
}
#define CHECK(c) check((c), #c, __LINE__)
#define SAME(a, b) check(strcmp((a), (b)) == 0, #a " is " #b, __LINE__)

static void run(const char *name, void (*f)(void)) {
  case_ok = true;
  f();
  ncases++;
  if (!case_ok) nfailed++;
  printf("%s %d - %s\n", case_ok ? "ok" : "not ok", ncases, name);
}

/* ---- sources ----------------------------------------------------------------------------------- */

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(body) HEAD ".visible .entry k() {\n" body "\n}\n"
#define REGS                                                                                                 \
  ".reg .pred %p<8>; .reg .b16 %rs<8>; .reg .b32 %r<40>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .f64 "      \
  "%fd<8>;\n"

static PtxModule *parsed; /* freed by the next parse: a case may stop looking wherever it wants */

static PtxModule *parse(const char *text) {
  PtxError e;
  ptx_free(parsed);
  parsed = ptx_parse(text, strlen(text), &e);
  if (!parsed) {
    printf("# %u:%u: %s\n", e.line, e.col, e.text);
    check(false, "this text should parse", 0);
    parsed = ptx_parse(HEAD ".entry k(){ret;}", strlen(HEAD ".entry k(){ret;}"), &e);
  }
  return parsed;
}

static PtxFunc *func(PtxModule *m, const char *name) {
  static PtxFunc none;
  PtxSym *s = ptx_find(m, name);
  CHECK(s && s->kind == PTX_SYM_FUNC);
  return s ? s->def : &none;
}

static PtxFunc *kernel(const char *text) { return func(parse(text), "k"); }

/* Instruction i, operand j; harmless blanks when there is none, so that a failed case cannot crash. */
static PtxInst *inst(PtxFunc *f, uint32_t i) {
  static PtxOpnd no_opnd[8];
  static PtxSym no_sym;
  static PtxInst none;
  if (i < f->ninst) return &f->inst[i];
  check(false, "there is such an instruction", 0);
  no_sym.name = "";
  for (int j = 0; j < 8; j++) no_opnd[j] = (PtxOpnd){.sym = &no_sym, .name = ""};
  none = (PtxInst){.op = "", .form = "", .opnd = no_opnd, .nopnd = 8};
  return &none;
}

static PtxOpnd *opnd(PtxFunc *f, uint32_t i, uint32_t j) {
  static PtxOpnd none;
  static PtxSym no_sym;
  PtxInst *in = inst(f, i);
  if (j < in->nopnd) return &in->opnd[j];
  check(false, "there is such an operand", 0);
  no_sym.name = "";
  none = (PtxOpnd){.sym = &no_sym, .name = ""};
  return &none;
}

static PtxOpnd *sub(PtxOpnd *o, uint32_t i) {
  static PtxOpnd none;
  check(i < o->nsub, "there is such an element", 0);
  none = (PtxOpnd){.name = ""};
  return i < o->nsub ? &o->sub[i] : &none;
}

static bool is_sym(const PtxOpnd *o, const char *name) {
  return o->kind == PTX_O_SYM && o->sym && strcmp(o->sym->name, name) == 0;
}
static bool is_int(const PtxOpnd *o, int64_t v) { return o->kind == PTX_O_INT && (int64_t)o->imm == v; }

static PtxSym *find_sym(PtxFunc *f, const char *name) {
  for (uint32_t i = 0; i < f->nsyms; i++)
    if (strcmp(f->syms[i]->name, name) == 0) return f->syms[i];
  return NULL;
}

/* ---- trees ------------------------------------------------------------------------------------- */

static void header(void) {
  PtxModule *m =
      parse("// a comment\n/* another\n*/ .version 8.7\n.target sm_90a, debug\n.address_size 64\n");
  CHECK(m->version == 87);
  SAME(m->target, "sm_90a");
  CHECK(m->target_sm == 90);
  CHECK(m->address_size == 64);
  CHECK(m->nvars == 0 && m->nfuncs == 0);
  CHECK(parse(".version 9.0\n.target sm_120")->target_sm == 120);
  CHECK(parsed->address_size == 32);
}

static const char saxpy[] = HEAD
    "	// .globl	saxpy\n.visible .entry saxpy(\n	.param .u32 saxpy_param_0,\n"
    "	.param .f32 saxpy_param_1,\n	.param .u64 .ptr .global .align 16 saxpy_param_2,\n"
    "	.param .align 8 .b8 saxpy_param_3[24]\n)\n.maxntid 256, 2\n.minnctapersm 4\n{\n"
    "	.reg .pred 	%p<2>;\n	.reg .f32 	%f<5>;\n	.reg .b32 	%r<6>;\n	.reg "
    ".b64 	%rd<8>;\n\n"
    "	ld.param.u32 	%r2, [saxpy_param_0];\n	ld.param.f32 	%f1, [saxpy_param_1+0];\n"
    "	mov.u32 	%r3, %ctaid.x;\n	setp.ge.s32 	%p1, %r3, %r2;\n	@%p1 bra 	"
    "$L__BB0_2;\n\n"
    "	cvta.to.global.u64 	%rd3, %rd2;\n	ld.global.nc.L1::no_allocate.f32 	%f2, [%rd6+-8];\n"
    "	fma.rn.f32 	%f4, %f2, 0f40000000, %f3;\n	@!%p1 st.global.f32 	[%rd7], %f4;\n\n"
    "$L__BB0_2:\n	ret;\n\n}\n";

static void plain_kernel(void) {
  PtxFunc *f = func(parse(saxpy), "saxpy");
  CHECK(f->entry && f->has_body && f->ninst == 10);
  CHECK(f->sym->linkage == PTX_VISIBLE);
  CHECK(f->maxntid[0] == 256 && f->maxntid[1] == 2 && f->maxntid[2] == 1 && f->reqntid[0] == 0);
  CHECK(f->minnctapersm == 4 && f->maxnreg == 0);
  CHECK(f->nparams == 4 && f->nrets == 0);
  CHECK(f->params[0]->type == PTX_U32 && f->params[0]->size == 4 && f->params[0]->align == 4);
  CHECK(f->params[2]->ptr && f->params[2]->align == 8 && f->params[2]->size == 8);
  CHECK(f->params[3]->is_array && f->params[3]->size == 24 && f->params[3]->align == 8);
  CHECK(f->params[3]->space == PTX_PARAM && f->params[3]->func == f && f->params[3]->id == 3);
  /* only the registers that are used: p1, r2, r3, f1-f4, rd2, rd3, rd6, rd7 */
  CHECK(f->nregs == 11 && f->nsyms == 15);
  bool seen[11] = {false};
  for (uint32_t i = 0; i < f->nsyms; i++) {
    PtxSym *s = f->syms[i];
    if (s->kind != PTX_SYM_REG) continue;
    CHECK(s->id < 11 && !seen[s->id]);
    if (s->id < 11) seen[s->id] = true;
  }
  PtxInst *ld = inst(f, 6);
  SAME(ld->op, "ld");
  SAME(ld->form, "ld.global.nc.L1::no_allocate.f32");
  CHECK(ld->nmods == 4);
  SAME(ld->mods[2], "L1::no_allocate");
  SAME(ld->mods[3], "f32");
  CHECK(opnd(f, 6, 1)->kind == PTX_O_ADDR && (int64_t)opnd(f, 6, 1)->imm == -8);
  SAME(opnd(f, 6, 1)->sym->name, "%rd6");
  CHECK(ld->line == 26 && ld->col == 2);
  CHECK(opnd(f, 7, 2)->kind == PTX_O_F32 && opnd(f, 7, 2)->imm == 0x40000000);
  CHECK(opnd(f, 2, 1)->kind == PTX_O_SREG);
  SAME(opnd(f, 2, 1)->name, "%ctaid.x");
  PtxInst *bra = inst(f, 4);
  CHECK(bra->pred && bra->pred->type == PTX_PRED && !bra->pred_neg && inst(f, 8)->pred_neg);
  CHECK(is_sym(opnd(f, 4, 0), "$L__BB0_2") && opnd(f, 4, 0)->sym->kind == PTX_SYM_LABEL);
  CHECK(opnd(f, 4, 0)->sym->target == 9);
  CHECK(inst(f, 9)->nopnd == 0 && !inst(f, 9)->call);
}

static void register_ranges(void) {
  PtxFunc *f = kernel(KERNEL(".reg .b32 %r<4000000000>; .reg .f64 %r1<3>, x, y<2>;\n"
                             "mov.b32 %r999, %r0; mov.f64 %r12, x; mov.f64 y1, %r12;"));
  CHECK(f->nregs == 5 && f->nsyms == 5);
  CHECK(opnd(f, 0, 0)->sym->type == PTX_B32 && opnd(f, 0, 0)->sym->line == 5);
  /* %r12 may be number 12 of %r<..> or number 2 of %r1<..>: the longer name is taken */
  CHECK(opnd(f, 1, 0)->sym->type == PTX_F64);
  CHECK(opnd(f, 1, 0)->sym == opnd(f, 2, 1)->sym);
  CHECK(find_sym(f, "y1") && find_sym(f, "y1")->type == PTX_F64 && !find_sym(f, "y0"));
}

static void nested_scopes(void) {
  PtxFunc *f = kernel(KERNEL(
      REGS
      "{mul.f16 %rs3,%rs2,%rs5;\n}\n"
      "{ .reg .b32 a,b; .reg .pred p;\n mov.b32 a, %r1;\n { .reg .b64 a; .reg .b16 %r<3>; mov.b64 a, 5;"
      " mov.b16 %r1, %r2; mov.b32 %r3, b; }\n mov.b32 b, a; @!p bra L; L: }\n mov.b32 %r2, %r1; bra L;\nL:"));
  CHECK(f->ninst == 9);
  CHECK(opnd(f, 1, 0)->sym->type == PTX_B32 && opnd(f, 2, 0)->sym->type == PTX_B64);
  CHECK(opnd(f, 5, 1)->sym == opnd(f, 1, 0)->sym);
  CHECK(opnd(f, 3, 0)->sym->type == PTX_B16 && opnd(f, 3, 0)->sym != opnd(f, 1, 1)->sym);
  CHECK(opnd(f, 4, 0)->sym->type == PTX_B32); /* %r3 is beyond the inner range */
  CHECK(opnd(f, 7, 1)->sym == opnd(f, 1, 1)->sym);
  CHECK(opnd(f, 6, 0)->sym->target == 7 && opnd(f, 8, 0)->sym->target == 9); /* each to its own L */
  CHECK(inst(f, 6)->pred && strcmp(inst(f, 6)->pred->name, "p") == 0);
  CHECK(inst(f, 6)->pred_neg);
}

static void label_scopes(void) {
  PtxFunc *f = kernel(KERNEL("L: { bra L; { bra.uni L; bra M; } L: } M: bra L; { bra M; }"));
  CHECK(opnd(f, 0, 0)->sym == opnd(f, 1, 0)->sym && opnd(f, 0, 0)->sym->target == 3);
  CHECK(opnd(f, 3, 0)->sym->target == 0 && opnd(f, 2, 0)->sym->target == 3);
  CHECK(opnd(f, 4, 0)->sym == opnd(f, 2, 0)->sym);
}

static void vectors(void) {
  PtxFunc *f = kernel(KERNEL(
      REGS ".reg .v4 .f32 v; .reg .v2 .b64 w<3>;\n mov.b64 {%r1, _}, %rd1; add.f32 v.y, v.x, v.a;\n"
           "st.global.v4.f32 [%rd1], {%f1, 0f3F800000, 1.5, %f2};\n"
           "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [%rd1, {%f5, %f6}];\n"
           "shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1; setp.eq.and.s32 _|%p2, %r1, 3, !%p3; mov.b64 w1.x, %rd1;"
           "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, "
           "%r3}], "
           "[%r4];"));
  CHECK(find_sym(f, "v")->vec == 4 && find_sym(f, "v")->size == 16);
  CHECK(opnd(f, 0, 0)->kind == PTX_O_VEC && opnd(f, 0, 0)->nsub == 2);
  CHECK(sub(opnd(f, 0, 0), 1)->kind == PTX_O_SINK);
  CHECK(opnd(f, 1, 0)->comp == 2 && opnd(f, 1, 1)->comp == 1 && opnd(f, 1, 2)->comp == 4);
  CHECK(opnd(f, 2, 1)->nsub == 4 && sub(opnd(f, 2, 1), 1)->kind == PTX_O_F32);
  CHECK(sub(opnd(f, 2, 1), 2)->kind == PTX_O_F64 && sub(opnd(f, 2, 1), 2)->imm == 0x3ff8000000000000);
  PtxOpnd *tex = opnd(f, 3, 0), *at = opnd(f, 3, 1);
  CHECK(tex->kind == PTX_O_PAIR && tex->nsub == 2 && sub(tex, 0)->nsub == 4 && is_sym(sub(tex, 1), "%p1"));
  CHECK(at->kind == PTX_O_ADDR && at->nsub == 1 && sub(at, 0)->kind == PTX_O_VEC && sub(at, 0)->nsub == 2);
  CHECK(is_sym(sub(opnd(f, 4, 0), 0), "%r1") && is_int(opnd(f, 4, 4), -1));
  CHECK(sub(opnd(f, 5, 0), 0)->kind == PTX_O_SINK && opnd(f, 5, 3)->neg);
  CHECK(opnd(f, 6, 0)->sym->vec == 2 && opnd(f, 6, 0)->sym->type == PTX_B64 && opnd(f, 6, 0)->comp == 1);
  CHECK(inst(f, 7)->nmods == 7);
  SAME(inst(f, 7)->mods[6], "mbarrier::complete_tx::bytes");
}

static void addresses(void) {
  PtxFunc *f = kernel(
      HEAD
      ".global .u32 g[4]; .entry k() {" REGS
      "ld.u32 %r1, [g]; ld.u32 %r1, [g+4*3]; ld.u32 %r1, [%rd1+8+-4]; ld.u32 %r1, [%rd1-8];\n"
      "ld.u32 %r1, [64]; ld.u32 %r1, [2*(3+4)]; mov.u64 %rd1, g; mov.u64 %rd1, g+8; mov.u64 %rd1, g[2];\n"
      "ld.u32 %r1, g[3]; ld.u32 %r1, [ %rd1 + WARP_SZ ]; mov.u64 %rd1, k; ld.u32 %r1, [-8]; }");
  static const int64_t at[] = {0, 12, 4, -8, 64, 14, 0, 8, 8, 12, 32, 0, -8};
  CHECK(f->ninst == 13);
  for (uint32_t i = 0; i < 13; i++) {
    PtxOpnd *o = opnd(f, i, 1);
    bool value = i == 6 || i == 7 || i == 8 || i == 11;
    CHECK(o->kind == (value ? PTX_O_SYM : PTX_O_ADDR));
    CHECK((int64_t)o->imm == at[i]);
    CHECK(!o->sym == (i == 4 || i == 5 || i == 12));
  }
  CHECK(opnd(f, 1, 1)->sym == ptx_find(parsed, "g") && opnd(f, 11, 1)->sym->kind == PTX_SYM_FUNC);
}

static void immediates(void) {
  PtxFunc *f = kernel(KERNEL(
      REGS
      "a.b %r1, 0, 10, -1, 0x1F, 0X1fU, 017, 0b101, 5U, 18446744073709551615, 0xFFFFFFFFFFFFFFFF;\n"
      "a.b %r1, 0f3f800000, 0F7FC00001, 0d3FF0000000000000, 1.0, .5, 2., 1e3, 2.5e-1, -1.5, -0f3F800000;\n"
      "a.b %r1, WARP_SZ, -WARP_SZ, !0;"));
  static const int64_t ints[] = {0, 10, -1, 31, 31, 15, 5, 5, -1, -1};
  for (uint32_t i = 0; i < 10; i++) CHECK(is_int(opnd(f, 0, i + 1), ints[i]));
  CHECK(opnd(f, 1, 1)->kind == PTX_O_F32 && opnd(f, 1, 1)->imm == 0x3f800000);
  CHECK(opnd(f, 1, 2)->kind == PTX_O_F32 && opnd(f, 1, 2)->imm == 0x7fc00001);
  static const double floats[] = {1.0, 1.0, 0.5, 2.0, 1000.0, 0.25, -1.5};
  for (uint32_t i = 0; i < 7; i++) {
    double d;
    memcpy(&d, &opnd(f, 1, i + 3)->imm, sizeof d);
    CHECK(opnd(f, 1, i + 3)->kind == PTX_O_F64 && d == floats[i]);
  }
  CHECK(opnd(f, 1, 10)->kind == PTX_O_F32 && opnd(f, 1, 10)->imm == 0xbf800000);
  CHECK(is_int(opnd(f, 2, 1), 32) && is_int(opnd(f, 2, 2), -32) && is_int(opnd(f, 2, 3), 1));
}

static void expressions(void) {
  static const struct {
    const char *text;
    int64_t value;
  } rows[] = {
      {"1+2*3", 7},
      {"(1+2)*3", 9},
      {"-7/2", -3},
      {"-7 % 3", -1},
      {"7 % 3", 1},
      {"-1>>1", -1},
      {"0xFFFFFFFFFFFFFFFF>>63", 1},
      {"1<<63>>63", -1},
      {"(.u64)-1>>63", 1},
      {"(.s64)0xFFFFFFFFFFFFFFFF<0", 1},
      {"0xFFFFFFFFFFFFFFFF<0", 0},
      {"1<<64", 0},
      {"~0&0xF0|5^1", 0xf4},
      {"1==1&&2!=2||3>=3", 1},
      {"1?2:3", 2},
      {"0?2:0?4:5", 5},
      {"!5", 0},
      {"- - 5", 5},
      {"-0x7fffffffffffffff-1", INT64_MIN},
      {"(-0x7fffffffffffffff-1)/-1", INT64_MIN},
      {"(-0x7fffffffffffffff-1) % -1", 0},
      {"10-3-2", 5},
      {"1|2&3<<1", 3},
      {"1.5<2", 1},
      {"(1.5>2)+(1.5<=1.5)*2+(1<=0)*4+(2>1)*8+(1.5>=2.0)*16+(1.0==1)*32+(1.0!=1)*64", 42},
      {"1.5*2==3.0&&3/2.0==1.5&&1.0+2==3&&1-0.5==.5", 1},
      {"WARP_SZ*2+1", 65},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[256];
    snprintf(text, sizeof text, HEAD ".entry k(){ .reg .b64 r; mov.b64 r, %s; }", rows[i].text);
    PtxOpnd *o = opnd(kernel(text), 0, 1);
    if (!is_int(o, rows[i].value)) printf("# %s gives %" PRId64 "\n", rows[i].text, (int64_t)o->imm);
    CHECK(is_int(o, rows[i].value));
  }
}

static const char calls[] = HEAD
    ".func (.param .b32 func_retval0) f\n(\n.param .b64 f_param_0,\n.param .b32 f_param_1\n)\n;\n"
    ".extern .func (.param .b32 func_retval0) vprintf\n(\n.param .b64 vprintf_param_0,\n.param .b64 v1\n);\n"
    ".func none()\n.noreturn\n;\n"
    ".entry k() {" REGS "{ // callseq 0, 0\n.reg .b32 temp_param_reg;\n.param .b64 param0;\n"
    "st.param.b64 [param0+0], %rd1;\n.param .b32 param1;\n.param .b32 retval0;\n"
    "call.uni (retval0), \nf, \n(\nparam0, \nparam1\n);\nld.param.b32 %r1, [retval0+0];\n} // callseq 0\n"
    "@%p1 call none;\ncall none, ();\n"
    "prototype_6 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[24]);\n"
    "{ .param .b32 retval0; .param .b64 a; .param .b8 b[24]; call (retval0), %rd7, (a, b), prototype_6; }\n"
    "targets: .calltargets f, none; { .param .b32 r; .param .b64 a; .param .b32 b;"
    "call (r), %rd7, (a, b), targets; } }\n"
    ".func (.param .b32 func_retval0) f(.param .b64 f_param_0, .param .b32 f_param_1) {\n"
    " .reg .b32 %r<2>; st.param.b32 [func_retval0+0], %r1; ret; }\n";

static void call_forms(void) {
  PtxModule *m = parse(calls);
  PtxFunc *k = func(m, "k"), *f = func(m, "f");
  CHECK(m->nfuncs == 4); /* one entry a name */
  CHECK(f->has_body && f->ninst == 2 && f->nparams == 2 && f->nrets == 1 && !f->entry);
  CHECK(m->funcs[0] == f && !func(m, "none")->has_body && func(m, "none")->noreturn);
  CHECK(func(m, "vprintf")->sym->linkage == PTX_EXTERN);
  PtxCall *c = inst(k, 1)->call;
  CHECK(c && inst(k, 1)->nopnd == 0);
  if (!c) return;
  SAME(inst(k, 1)->form, "call.uni");
  CHECK(c->target.sym->def == f && c->nrets == 1 && c->nargs == 2 && !c->proto);
  CHECK(is_sym(&c->rets[0], "retval0") && c->rets[0].sym->space == PTX_PARAM && c->rets[0].sym->func == k);
  CHECK(inst(k, 3)->call->nargs == 0 && inst(k, 3)->pred && inst(k, 4)->call->nargs == 0);
  c = inst(k, 5)->call;
  CHECK(c->target.sym->kind == PTX_SYM_REG && c->proto && c->proto->kind == PTX_SYM_PROTO);
  if (!case_ok) return;
  CHECK(c->proto->def->nparams == 2 && c->proto->def->nrets == 1);
  CHECK(c->proto->def->params[1]->size == 24 && c->proto->def->params[1]->align == 8);
  c = inst(k, 6)->call;
  CHECK(c->proto && c->proto->nbranch_targets == 2 && c->proto->branch_targets[0] == f->sym);
}

static void register_parameters(void) {
  PtxModule *m = parse(HEAD ".func (.reg .b32 out) f (.reg .b32 in, .reg .pred p) { mov.b32 out, in; ret; }\n"
                            ".entry k() {" REGS "call (%r1), f, (5, %p1); call (_), f, (%r2, %p1); }");
  PtxFunc *f = func(m, "f");
  CHECK(f->nregs == 3 && f->nsyms == 3 && f->params[0]->kind == PTX_SYM_REG);
  CHECK(is_sym(opnd(f, 0, 1), "in") && opnd(f, 0, 1)->sym == f->params[0]);
  CHECK(is_int(&inst(func(m, "k"), 0)->call->args[0], 5));
  CHECK(inst(func(m, "k"), 1)->call->rets[0].kind == PTX_O_SINK);
}

static void branch_tables(void) {
  PtxFunc *f =
      kernel(KERNEL(REGS "ts: .branchtargets L0, M, L0;\n us: .branchtargets L<2>;\n brx.idx %r1, ts;"
                         "@%p1 brx.idx.uni %r1, us;\n L0: ret; L1: ret; M: ret;"));
  PtxSym *ts = opnd(f, 0, 1)->sym, *us = opnd(f, 1, 1)->sym;
  CHECK(is_sym(opnd(f, 0, 0), "%r1"));
  CHECK(ts && ts->nbranch_targets == 3 && us && us->nbranch_targets == 2);
  if (!case_ok) return;
  CHECK(ts->branch_targets[0]->target == 2 && ts->branch_targets[1]->target == 4);
  CHECK(ts->branch_targets[2] == ts->branch_targets[0] && us->branch_targets[0] == ts->branch_targets[0]);
  CHECK(us->branch_targets[1]->target == 3);
}

static void initialisers(void) {
  PtxModule *m = parse(
      HEAD
      ".func f(); .global .align 1 .b8 str[6] = {104, 101, 108};\n"
      ".global .align 8 .u64 msg = generic(str);\n.global .align 8 .u64 tp = generic(str)+8;\n"
      ".global .u64 vt[3] = {0, f, str+4};\n.global .attribute(.managed) .align 4 .u32 mg = 5;\n"
      ".const .align 8 .u64 ll = -7;\n.global .f64 dd = 0d400A000000000000;\n.global .f32 ff = 0f3FC00000;\n"
      ".global .f32 nan = 0f7F800001;\n.global .b32 raw = 0f3F800000;\n.global .f32 some[4] = {1, -2.5, "
      "0f3F000000};\n"
      ".global .u32 nest[2][3] = {{1},{2, 3}};\n.global .u32 open[] = {1, 2, 3};\n.global .u32 rows[][2] = "
      "{{1},{2},{3}};\n"
      ".global .v4 .f32 v = {1.0,2.0,3.0,4.0};\n.global .v2 .u32 w[2] = {{1},{3,4}};\n"
      ".global .u8 bytes[8] = {0xFF(str), 0xFF00(str), 0xFF0000(generic(str)), 0xFF00000000000000(str+4), "
      "7};\n"
      ".extern .shared .align 16 .b8 sm[];\n.global .u32 size[2*(3+1)];\n");
  CHECK(m->nvars == 19);
  for (uint32_t i = 0; i < m->nvars; i++) CHECK(m->vars[i]->id == i);
  PtxSym *s = ptx_find(m, "str");
  CHECK(s->ninit == 3 && s->size == 6 && s->count == 6 && s->init[1].bits == 101 && s->align == 1);
  PtxSym *p = ptx_find(m, "msg");
  CHECK(p->ninit == 1 && p->init->kind == PTX_INIT_SYM && p->init->generic && p->init->sym == s &&
        !p->init->bits);
  CHECK(ptx_find(m, "tp")->init->bits == 8 && ptx_find(m, "tp")->init->generic);
  p = ptx_find(m, "vt");
  CHECK(p->init[0].kind == PTX_INIT_INT && p->init[1].sym->kind == PTX_SYM_FUNC && !p->init[2].generic);
  CHECK(p->init[2].sym == s && p->init[2].bits == 4);
  CHECK(ptx_find(m, "mg")->linkage == PTX_MANAGED && ptx_find(m, "mg")->init->bits == 5);
  CHECK(ptx_find(m, "ll")->space == PTX_CONST && (int64_t)ptx_find(m, "ll")->init->bits == -7);
  CHECK(ptx_find(m, "dd")->init->kind == PTX_INIT_FLOAT &&
        ptx_find(m, "dd")->init->bits == 0x400A000000000000);
  CHECK(ptx_find(m, "ff")->init->bits == 0x3FF8000000000000);  /* 1.5 as a double */
  CHECK(ptx_find(m, "nan")->init->bits == 0x7FF0000020000000); /* the payload stays as it was */
  CHECK(ptx_find(m, "raw")->init->kind == PTX_INIT_INT && ptx_find(m, "raw")->init->bits == 0x3f800000);
  p = ptx_find(m, "some");
  CHECK(p->ninit == 3 && p->init[0].kind == PTX_INIT_FLOAT && p->init[0].bits == 0x3ff0000000000000);
  CHECK(p->init[1].bits == 0xC004000000000000 && p->init[2].bits == 0x3fe0000000000000);
  p = ptx_find(m, "nest");
  CHECK(p->ninit == 5 && p->count == 6 && p->init[0].bits == 1 && p->init[1].bits == 0 &&
        p->init[3].bits == 2);
  CHECK(p->init[4].bits == 3);
  CHECK(ptx_find(m, "open")->count == 3 && ptx_find(m, "open")->size == 12);
  CHECK(ptx_find(m, "rows")->count == 6 && ptx_find(m, "rows")->init[4].bits == 3);
  p = ptx_find(m, "v");
  CHECK(p->vec == 4 && p->count == 1 && p->size == 16 && p->align == 16 && p->ninit == 4 && !p->is_array);
  p = ptx_find(m, "w");
  CHECK(p->count == 2 && p->size == 16 && p->ninit == 4 && p->init[2].bits == 3);
  p = ptx_find(m, "bytes");
  CHECK(p->ninit == 5 && p->init[0].masked && p->init[0].mask_shift == 0 && p->init[1].mask_shift == 8);
  CHECK(p->init[2].generic && p->init[2].mask_shift == 16 && p->init[3].mask_shift == 56 &&
        p->init[3].bits == 4);
  CHECK(!p->init[4].masked);
  p = ptx_find(m, "sm");
  CHECK(p->space == PTX_SHARED && p->is_array && !p->count && !p->size && p->align == 16 &&
        p->linkage == PTX_EXTERN);
  CHECK(ptx_find(m, "size")->count == 8 && !ptx_find(m, "size")->init);
  CHECK(!ptx_find(m, "nobody"));
}

static void redeclarations(void) {
  PtxModule *m =
      parse(HEAD ".extern .global .u32 g; .global .u64 at = g; .visible .global .u32 g = 4;\n"
                 ".global .u32 h = 5; .extern .global .u32 h; .weak .func f(); .visible .func f(){ret;}\n"
                 ".func a(); .alias a, f; .common .global .u32 c;");
  PtxSym *g = ptx_find(m, "g");
  CHECK(m->nvars == 4 && g->ninit == 1 && g->init->bits == 4 && g->linkage == PTX_VISIBLE);
  CHECK(ptx_find(m, "at")->init->sym == g);
  CHECK(ptx_find(m, "h")->ninit == 1 && ptx_find(m, "h")->linkage == 0);
  CHECK(func(m, "f")->sym->linkage == (PTX_WEAK | PTX_VISIBLE));
  CHECK(func(m, "a") == func(m, "f"));
  CHECK(ptx_find(m, "c")->linkage == PTX_COMMON);
}

static void locations(void) {
  PtxModule *m = parse(
      HEAD ".entry k() {\n.loc 1 5 0\n$L__func_begin0:\nnop;\n.loc	2 364 5, function_name "
           "$L__info_string0, inlined_at 1 5 30\nnop;\n.loc 2 1 1, function_name $L__x+12, inlined_at 1 2 "
           "3\nret; $L__func_end0:\n}\n.entry j(){ret;}\n.file 1 \"/a b/x.cu\"\n.file 2 \"y.h\", 123, 45\n"
           ".section .debug_info\n{\n.b8 1,2\n.b32 .debug_abbrev\n.b64 $L__tmp1 - 4\nlbl:\n"
           "/* } */ .b8 7 // }\n}\n.section .debug_loc { }\n"
           "@@DWARF .section .debug_old {\n.entry z() { ret; }\n");
  PtxFunc *k = func(m, "k");
  CHECK(m->nfiles == 3 && !m->files[0]);
  SAME(m->files[1], "/a b/x.cu");
  SAME(m->files[2], "y.h");
  CHECK(inst(k, 0)->file == 1 && inst(k, 0)->src_line == 5 && inst(k, 0)->src_col == 0);
  CHECK(inst(k, 1)->file == 2 && inst(k, 1)->src_line == 364 && inst(k, 1)->src_col == 5);
  CHECK(inst(k, 2)->src_line == 1);
  CHECK(inst(func(m, "j"), 0)->file == 0);
  CHECK(func(m, "z")->ninst == 1);
}

static void function_variables(void) {
  PtxModule *m = parse(
      HEAD
      ".pragma \"a\"; .weak .entry a() .reqntid 8, 4, 2 .maxnreg 32 .pragma \"nounroll\"; { .pragma "
      "\"b\", \"c\"; ret; }\n"
      ".entry b .explicitcluster .reqnctapercluster 2,1,1 .maxclusterrank 4 .blocksareclusters { ret; }\n"
      ".func .attribute(.unified(1, 2)) c() .noreturn .abi_preserve 3 { trap; }\n"
      ".entry d(.param .u32 p) { .shared .align 4 .b8 s[64]; .local .align 16 .b8 __local_depot0[48];\n"
      ".file 1 \"a\"\n.section .debug_x {}\n.extern .shared .b8 dyn[]; .reg .f32 %f; .global .u32 g = 3; add "
      ".rn .f32 %f, %f, 1.0; ld.shared.u8 %f, [s+3]; }\n"
      ".global .texref t; .tex .u32 u;\n.global .samplerref s = {addr_mode_0 = wrap, filter_mode = linear, "
      "force_unnormalized_coords = 1};");
  CHECK(func(m, "a")->reqntid[0] == 8 && func(m, "a")->reqntid[1] == 4 && func(m, "a")->reqntid[2] == 2);
  CHECK(func(m, "a")->maxnreg == 32 && func(m, "a")->sym->linkage == PTX_WEAK && func(m, "c")->noreturn);
  PtxFunc *d = func(m, "d");
  PtxSym *s = find_sym(d, "s"), *depot = find_sym(d, "__local_depot0"), *g = find_sym(d, "g");
  CHECK(s && s->space == PTX_SHARED && s->size == 64 && s->func == d && s->id == 1);
  CHECK(depot && depot->space == PTX_LOCAL && depot->align == 16 && depot->id == 2);
  CHECK(g && g->space == PTX_GLOBAL && g->ninit == 1);
  CHECK(find_sym(d, "dyn") && find_sym(d, "dyn")->linkage == PTX_EXTERN);
  SAME(inst(d, 0)->form, "add.rn.f32");
  CHECK(inst(d, 0)->nmods == 2 && opnd(d, 1, 1)->sym == s && opnd(d, 1, 1)->imm == 3);
  CHECK(ptx_find(m, "t")->type == PTX_TEXREF && ptx_find(m, "u")->type == PTX_TEXREF);
  CHECK(ptx_find(m, "s")->type == PTX_SAMPLERREF && ptx_find(m, "s") != s);
}

static void special_registers(void) {
  static const char *const names[] = {"%tid.x",
                                      "%ntid.y",
                                      "%ctaid.z",
                                      "%nctaid.x",
                                      "%laneid",
                                      "%warpid",
                                      "%clock",
                                      "%clock64",
                                      "%smid",
                                      "%lanemask_lt",
                                      "%envreg0",
                                      "%envreg31",
                                      "%globaltimer",
                                      "%pm3",
                                      "%dynamic_smem_size",
                                      "%gridid",
                                      "%pm7_64",
                                      "%clusterid.x",
                                      "%nwarpid",
                                      "%cluster_ctarank",
                                      "%reserved_smem_offset_0"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[256];
    snprintf(text, sizeof text, HEAD ".entry k(){ .reg .b64 r; mov.b64 r, %s; }", names[i]);
    PtxOpnd *o = opnd(kernel(text), 0, 1);
    CHECK(o->kind == PTX_O_SREG && strcmp(o->name, names[i]) == 0);
  }
  PtxOpnd *o = opnd(kernel(KERNEL(REGS "mov.u32 %r1, %tid.r; mov.u32 %r1, %tid;")), 0, 1);
  SAME(o->name, "%tid.x");
  SAME(opnd(func(parsed, "k"), 1, 1)->name, "%tid");
  o = opnd(kernel(KERNEL(".reg .b32 %clock; mov.u32 %clock, %clock;")), 0, 0); /* a declaration wins */
  CHECK(o->kind == PTX_O_SYM);
}

static void new_generator(void) { /* the style of targets from 100 on */
  PtxFunc *f = kernel(
      HEAD ".visible .entry k(\n.param .u64 .ptr .align 1 k_param_0,\n.param .align 16 .b8 "
           "k_param_1[16]\n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<4>;\n"
           "ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [k_param_1];\nfma.rn.f32 %r5, %r1, %r2, %r3;\n"
           "setp.num.f32 %p1, %r5, %r5;\nbfe.u32 %r6, %r5, 8, 8;\nmad.lo.s64 %rd1, %rd2, 4, %rd3;\n}\n");
  CHECK(f->ninst == 5 && f->nparams == 2 && f->params[0]->ptr && f->params[1]->size == 16);
  CHECK(opnd(f, 1, 0)->sym->type == PTX_B32);
}

static void type_table(void) {
  CHECK(ptx_type_by_name("f32") == PTX_F32 && ptx_type_by_name("bf16x2") == PTX_BF16X2);
  CHECK(ptx_type_by_name("f33") == PTX_T_NONE && ptx_type_by_name("") == PTX_T_NONE);
  CHECK(ptx_type_size(PTX_B128) == 16 && ptx_type_size(PTX_PRED) == 1 && ptx_type_size(PTX_T_NONE) == 0);
  for (int t = PTX_B8; t < PTX_T_COUNT; t++) CHECK(ptx_type_size((PtxType)t) > 0);
}

/* ---- errors ------------------------------------------------------------------------------------- */

static const struct {
  const char *text;
  uint32_t line, col;
  const char *sentence;
} errors[] = {
    {"", 1, 1, "Expected '.version', which opens every module, found the end of the text."},
    {"\n  hello", 2, 3, "Expected '.version', which opens every module, found 'hello'."},
    {".version 9\n", 1, 10, "Expected a version such as 8.0, found '9'."},
    {".version 9.0\n.address_size 64\n", 2, 1,
     "Expected '.target', which follows the version, found '.address_size'."},
    {".version 9.0 .target debug", 1, 22, "The target names no architecture such as 'sm_80'."},
    {".version 9.0 .target sm_x", 1, 22, "'sm_x' is not a target such as 'sm_80'."},
    {HEAD "\x01", 4, 1, "A stray byte 0x01 does not belong here."},
    {HEAD "#", 4, 1, "A stray '#' does not belong here."},
    {HEAD "/* never\nclosed", 4, 1, "This comment is never closed."},
    {HEAD ".pragma \"open\n\";", 4, 9, "This string is never closed."},
    {HEAD ".pragma \"used_bytes_mask\";", 4, 9, "The pragma 'used_bytes_mask' needs a mask."},
    {KERNEL(".pragma \"nounroll\", \"used_bytes_mask 4O95\";"), 5, 21,
     "The mask of the pragma 'used_bytes_mask' must be an integer constant, not '4O95'."},
    {HEAD ".reg .b32 x;", 4, 1, "Registers must be declared inside functions."},
    {HEAD ".global .u32 g;\n.global .u32 g;", 5, 14, "The name 'g' is already declared at line 4."},
    {HEAD ".extern .global .u32 g;\n.global .u64 g;", 5, 14, "'g' is declared differently at line 4."},
    {HEAD ".global u32 g;", 4, 9, "Expected a type such as '.u32', found 'u32'."},
    {HEAD ".global .align 3 .u32 g;", 4, 16, "An alignment must be a power of two."},
    {HEAD ".global .pred g;", 4, 15, "Only a register can be a predicate."},
    {HEAD ".global .u32 g[2][];", 4, 19, "Only the first dimension of an array may be left open."},
    {HEAD ".global .u32 g[4000000000][4000000000];", 4, 14, "'g' is larger than 2^40 bytes."},
    {HEAD ".global .u32 g[-1];", 4, 16, "The size of an array must be an integer from 0 to 1099511627776."},
    {HEAD ".global .u32 g[2] = {1,\n2,3};", 4, 21, "There are more values here than 'g' has room for."},
    {HEAD ".global .u32 g[2] = {{1}};", 4, 22, "These braces are nested deeper than 'g' is."},
    {HEAD ".global .u32 g = 1.5;", 4, 18, "A floating point number cannot initialise 'g'."},
    {HEAD ".global .u32 g = h;", 4, 18, "The name 'h' is not declared."},
    {HEAD ".global .u32 g, h[1] = {0xF0(g)};", 4, 25, "The mask of an address must select one whole byte."},
    {HEAD ".shared .u32 g = 1;", 4, 16, "Only .global and .const variables can have an initial value."},
    {HEAD ".global .b8 g[2][1000000000] = {{1},{2}};", 4, 36,
     "Shorthands in this module stand for more than 1048576 items."},
    {HEAD ".func f(){ret;}\n.func f(){ret;}", 5, 7, "'f' has a body already, at line 4."},
    {HEAD ".func f(.param .u32 a);\n.func f(.param .u64 a){ret;}", 5, 7,
     "'f' is declared differently at line 4."},
    {HEAD ".global .u32 f;\n.func f();", 5, 7, "The name 'f' is already declared at line 4."},
    {HEAD ".entry k(.param .u32 a, .param .u32 a);", 4, 37, "The name 'a' is already declared at line 4."},
    {HEAD ".entry k(.global .u32 a);", 4, 23, "A parameter must be declared .param or .reg."},
    {KERNEL("ret"), 6, 1, "Expected an operand, found '}'."},
    {KERNEL("bra L;"), 5, 5, "The name 'L' is not declared."},
    {KERNEL("{ L: ret; }\n bra.uni L;"), 6, 10, "The name 'L' is not declared."},
    {KERNEL("L: L: ret;"), 5, 4, "The name 'L' is already declared at line 5."},
    {KERNEL(".reg .b32 %r<5>;\nadd.s32 %r1, %r2, %r5;"), 6, 19,
     "The register '%r5' is not among '%r<5>' declared at line 5."},
    {KERNEL(".reg .b32 %r<5>;\n.reg .f32 %r3;"), 6, 11, "The name '%r3' is already declared at line 5."},
    {KERNEL("{ .reg .b32 t; }\nmov.b32 t, 1;"), 6, 9, "The name 't' is not declared."},
    {KERNEL(REGS "mov.u32 %r1, %tid.q;"), 6, 18,
     "'.q' is not a component of '%tid'; components are .x .y .z "
     "and .w."},
    {KERNEL(REGS "mov.u32 %r1, %envreg32;"), 6, 14,
     "The register '%envreg32' is not declared, nor is it a special register."},
    {KERNEL(REGS "add.s32 %r1, %r2 %r3;"), 6, 18, "Expected ';' after the operands of 'add', found '%r3'."},
    {KERNEL(REGS "ld.u32 %r1, [%rd1;"), 6, 18, "Expected ']' to close the address, found ';'."},
    {KERNEL(REGS "ld.u32 %r1, [%rd1+%r2];"), 6, 19, "Expected a constant, found '%r2'."},
    {KERNEL(REGS "ld.u32 %r1, [foo];"), 6, 14, "The name 'foo' is not declared."},
    {HEAD ".global .u32 g[4]; .entry k() {\n" REGS "ld.u32 %r1, g[%r2]; }", 6, 15,
     "An array can be indexed only by a constant; put the address in a register instead."},
    {HEAD ".entry k() { L: .global .u64 g = L; }", 4, 34,
     "'L' has no address that is known before the kernel runs."},
    {HEAD ".global .u32 g[1] = {0xFF(3)};", 4, 22,
     "A mask is applied to the address of a variable or function."},
    {HEAD ".global .u32 g; .global .f32 h = g;", 4, 34, "An address cannot be a floating point number."},
    {HEAD ".entry k(); .func f(); .alias f, k;", 4, 34, "'k' is not a device function."},
    {KERNEL(REGS "mov.u32 %r1, 08;"), 6, 14, "This is not a number in base 8."},
    {KERNEL(REGS "mov.u32 %r1, 99999999999999999999;"), 6, 14, "This integer does not fit in 64 bits."},
    {KERNEL(REGS "mov.f32 %f1, 0f3F80;"), 6, 14,
     "A floating point literal of this kind has exactly 8 hexadecimal digits."},
    {KERNEL(REGS "mov.u32 %r1, 1/0;"), 6, 15, "This expression divides by zero."},
    {KERNEL(REGS "mov.u32 %r1, 1.0&2;"), 6, 17, "This operator does not take floating point numbers."},
    {KERNEL(REGS "mov.b64 %rd1, {};"), 6, 17, "A vector has at least one element."},
    {KERNEL(REGS "@%r1 ret;"), 6, 2, "'%r1' is not a predicate register."},
    {KERNEL(REGS "mov.u64 %rd1, -k;"), 6, 16, "Only a register can be negated, not 'k'."},
    {KERNEL("call nobody;"), 5, 6, "The name 'nobody' is not declared."},
    {KERNEL("L: call L;"), 5, 9, "'L' is neither a function nor a register."},
    {KERNEL(".nonsense 5;"), 5, 1, "The directive '.nonsense' is not known inside a function."},
    {HEAD ".entry k() {\nret;\n", 6, 1, "The text ends inside 'k', whose body opens at line 4."},
    {HEAD ".nonsense", 4, 1, "Expected a variable, a function or a directive, found '.nonsense'."},
    {KERNEL("ret;\n}"), 7, 1, "Expected a variable, a function or a directive, found '}'."},
    {HEAD ".section .debug_info {\n{}", 4, 22, "This block is never closed."},
    {HEAD ".file 70000 \"x\"", 4, 7, "A file number must be an integer from 0 to 65536."},
    {KERNEL(".loc 1 2 3 , nothing"), 5, 14, "'nothing' is not known after '.loc'."},
};

static void error_places(void) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    PtxError e;
    PtxModule *m = ptx_parse(errors[i].text, strlen(errors[i].text), &e);
    bool ok =
        !m && e.line == errors[i].line && e.col == errors[i].col && strcmp(e.text, errors[i].sentence) == 0;
    if (!ok) printf("# row %zu gives %s %u:%u: %s\n", i, m ? "a tree" : "", e.line, e.col, e.text);
    CHECK(ok);
    ptx_free(m);
  }
}

/* `n` times `piece` between two texts. */
static char *repeated(const char *before, const char *piece, size_t n, const char *after) {
  char *text = malloc(strlen(before) + n * strlen(piece) + strlen(after) + 1);
  if (!text) abort();
  char *at = stpcpy(text, before);
  for (size_t i = 0; i < n; i++) at = stpcpy(at, piece);
  stpcpy(at, after);
  return text;
}

static void expect_error(char *text, const char *part) {
  PtxError e;
  PtxModule *m = ptx_parse(text, strlen(text), &e);
  if (m || !strstr(e.text, part)) printf("# %u:%u: %s\n", e.line, e.col, e.text);
  CHECK(!m && strstr(e.text, part));
  ptx_free(m);
  free(text);
}

static void limits(void) {
  expect_error(repeated(HEAD ".entry k() {", "{", 100000, "}"), "nested more than 64 deep");
  expect_error(repeated(HEAD ".global .u32 g = ", "(", 100000, "1"), "nested more than 128 deep");
  expect_error(repeated(HEAD ".global .u32 g = ", "-", 100000, "1"), "nested more than 128 deep");
  expect_error(repeated(HEAD ".global .u32 g = ", "1?", 100000, "1"), "nested more than 128 deep");
  expect_error(repeated(HEAD ".entry k() { mov.b32 ", "{", 100000, "1"), "nested more than 64 deep");
  expect_error(repeated(HEAD ".global .u32 g[2] = ", "{", 100000, "1"), "nested deeper");
  expect_error(repeated(HEAD ".global .u32 g", "[1]", 100, ";"), "at most 16 dimensions");
  expect_error(repeated(HEAD ".entry k() { add", " .x", 1000, ";}"), "too many modifiers");
  expect_error(repeated(HEAD ".entry k() { bra ", "x", 100000, ";}"), "is not declared");
  expect_error(repeated(HEAD ".entry k() { t: .branchtargets L<", "9", 18, ">;}"), "stand for more than");
}

static void large_module(void) {
  char *text = repeated(HEAD ".entry k() {" REGS, "L: add.s32 %r1, %r2, 3; { L: bra L; }\n", 1, "");
  char *many = repeated(text, "{ L: add.s32 %r1, %r30, 3; @%p1 bra L; { bra M; M: } }\n", 20000, "}");
  PtxError e;
  PtxModule *m = ptx_parse(many, strlen(many), &e);
  CHECK(m && m->funcs[0]->ninst == 2 + 3 * 20000);
  ptx_free(m);
  free(many);
  free(text);
  many = malloc(64 * 5000); /* more names than the first table of names holds */
  if (!many) abort();
  size_t at = (size_t)sprintf(many, "%s", HEAD);
  for (int i = 0; i < 5000; i++)
    at += (size_t)sprintf(many + at, ".global .u32 global_number_%d = %d;\n", i, i);
  m = parse(many);
  free(many);
  CHECK(m->nvars == 5000);
  for (int i = 0; i < 5000; i++) {
    char name[64];
    snprintf(name, sizeof name, "global_number_%d", i);
    PtxSym *s = ptx_find(m, name);
    CHECK(s && s->init && s->init->bits == (uint64_t)i && s->id == (uint32_t)i);
  }
}

/* ---- any text at all ---------------------------------------------------------------------------- */

static const char *const samples[] = {
    saxpy,
    calls,
    HEAD ".global .f32 some[4] = {1, -2.5, 0f3F000000}; .global .u32 nest[2][3] = {{1},{2, 3}};\n"
         ".global .u64 p = generic(nest)+8; .global .u8 b[4] = {0xFF00(nest), (1+2)*3<<1, 1?2:3, WARP_SZ};\n"
         ".file 1 \"x.cu\"\n.section .debug_x { .b8 1, \"}\" }\n.entry k() { .loc 1 2 3, function_name $a, "
         "inlined_at 1 2 3\n" REGS
         ".reg .v4 .f32 v; ts: .branchtargets L<2>, M; brx.idx %r1, ts; L0: L1: M:\n"
         "{.reg .b32 a; mov.b32 a, %tid.x; @!%p1 bra M; } tex.2d.v4.f32.f32 {%f1,v.x,_,%f4}|%p1, [%rd1, "
         "{%f5, %f6}];\n"
         "st.v2.b32 [nest+4], {0f3F800000, -1}; add .s32 %r1, nest[1], !%p1; /* c */ ret; // d\n}\n",
};

static void total(const char *text, size_t len) {
  PtxError e;
  uint32_t lines = 1;
  for (size_t i = 0; i < len; i++) lines += text[i] == '\n';
  PtxModule *m = ptx_parse(text, len, &e);
  if (!m)
    CHECK(e.text[0] && e.text[strlen(e.text) - 1] == '.' && e.line >= 1 && e.line <= lines && e.col >= 1);
  ptx_free(m);
}

static void truncation(void) {
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    size_t len = strlen(samples[i]);
    parse(samples[i]);
    for (size_t cut = 0; cut <= len; cut++) {
      char *exact = malloc(cut ? cut : 1); /* so that a checker sees a read behind the end */
      if (!exact) abort();
      memcpy(exact, samples[i], cut);
      total(exact, cut);
      free(exact);
    }
  }
}

static uint64_t seed = 88172645463325252u;
static size_t below(size_t n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (size_t)(seed % n);
}

static void mutation(void) {
  static const char *const words[] = {"{",    "}",    "(",  ")",        "[",   "]",      ";",  ",",
                                      "<",    ">",    "%r", "0x",       ".b8", "\"",     "/*", "@",
                                      "999",  ".reg", "L:", "::",       "-",   ".param", "{{", "call",
                                      ".v4 ", "0f1 ", "=",  ".entry x", "bra", "_"};
  for (int round = 0; round < 6000; round++) {
    const char *sample = samples[below(sizeof samples / sizeof *samples)];
    size_t len = strlen(sample), room = len + 512;
    char *text = malloc(room);
    if (!text) abort();
    for (size_t i = 0; i < len; i++) text[i] = sample[i];
    for (size_t edits = 1 + below(6); edits; edits--) {
      size_t at = below(len + 1), n;
      switch (below(4)) {
      case 0: /* any byte */
        if (at < len) text[at] = (char)below(256);
        break;
      case 1: /* leave some out */
        n = below(40);
        if (n > len - at) n = len - at;
        memmove(text + at, text + at + n, len - at - n);
        len -= n;
        break;
      case 2: { /* a word of the language */
        const char *w = words[below(sizeof words / sizeof *words)];
        n = strlen(w);
        if (len + n > room) break;
        memmove(text + at + n, text + at, len - at);
        for (size_t i = 0; i < n; i++) text[at + i] = w[i];
        len += n;
        break;
      }
      default: /* a piece from elsewhere */
        n = below(60);
        if (at + n < len) memmove(text + at, text + below(len - n), n);
      }
    }
    char *exact = realloc(text, len ? len : 1);
    total(exact ? exact : text, len);
    free(exact ? exact : text);
  }
}

static void odd_lengths(void) {
  PtxModule *m = ptx_parse(NULL, 0, NULL);
  CHECK(!m);
  m = ptx_parse(saxpy, sizeof saxpy, NULL); /* the terminator counted in */
  CHECK(m != NULL);
  ptx_free(m);
  ptx_free(NULL);
  PtxError e;
  m = ptx_parse(HEAD "\0;", sizeof HEAD "\0;", &e);
  CHECK(!m && e.line == 4);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0); /* what a crash leaves behind is worth reading */
  run("header", header);
  run("a plain kernel", plain_kernel);
  run("register ranges are filled in on use", register_ranges);
  run("nested scopes hide and give back names", nested_scopes);
  run("labels belong to their block", label_scopes);
  run("vectors, pairs, components and sinks", vectors);
  run("addresses", addresses);
  run("immediates", immediates);
  run("constant expressions", expressions);
  run("calls", call_forms);
  run("parameters in registers", register_parameters);
  run("branch tables", branch_tables);
  run("initialisers", initialisers);
  run("declared twice", redeclarations);
  run("source locations and debug sections", locations);
  run("directives and variables of functions", function_variables);
  run("special registers", special_registers);
  run("the newer code generator's style", new_generator);
  run("types", type_table);
  run("errors name the place and the reason", error_places);
  run("limits", limits);
  run("a large module", large_module);
  run("odd lengths", odd_lengths);
  run("every truncation", truncation);
  run("random mutations", mutation);
  ptx_free(parsed);
  printf("1..%d\n", ncases);
  return nfailed != 0;
}
