/* Which forms PTX has, of the instructions whose modifiers a function of their own takes apart. That function
 * need not know what goes together: a form that is not here is refused before. The lists are what ptxas (CUDA
 * 13) takes, for any target; spec/oracle compares them with it.
 *
 * Patterns are those of ops.def, but modifiers may stand in any order, types keeping theirs; * at the end
 * stands for any others. */
#include "decode.h"

#include <string.h>

#define I16 "u16|u32|u64|s16|s32|s64"
#define I8 "u8|s8|" I16
#define T32 "b8|b16|b32|u8|u16|u32|s8|s16|s32|f32"
#define T64 T32 "|b64|u64|s64|f64"
#define W32 "b32|u32|s32|f32"
#define W64 "b64|u64|s64|f64"
#define SCOPE "cta|cluster|gpu|sys"
#define SHARED "shared|shared::cta|shared::cluster"
#define STRONG "global|" SHARED
#define SPACES SHARED "|local|const|param|param::entry|param::func"
#define L1 "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
#define L2 "L2::evict_last|L2::evict_normal|L2::evict_first"
#define AHEAD "L2::64B|L2::128B|L2::256B"
#define HINT "L2::cache_hint"
#define RND "rn|rz|rm|rp"
#define INTEGRAL "rni|rzi|rmi|rpi"
#define ORDER "eq|ne|lt|le|gt|ge"
#define UNSIGNED ORDER "|lo|ls|hi|hs"
#define FLOATS ORDER "|equ|neu|ltu|leu|gtu|geu|num|nan"
#define BOOL "and|or|xor"

/* clang-format off */
static const char loads[] =
    "ld.weak?.global?.ca|cg|cs|lu|cv?." AHEAD "?." HINT "?.v2|v4?." T64 " "
    "ld.weak?." SPACES ".ca|cg|cs|lu|cv?.v2?." T64 " "
    "ld.weak?." SPACES ".ca|cg|cs|lu|cv?.v4." T32 " "
    "ld.weak?.global?." L1 "?." AHEAD "?." HINT "?.v2|v4?." T64 " "
    "ld.global.ca|cg|cs?.nc." L1 "?." AHEAD "?." HINT "?.v2|v4?." T64 " "
    "ld.weak?.global?.ca|cg|cs|lu|cv?.nc?." L1 "?." L2 "?." AHEAD "?." HINT "?.v8." W32 " "
    "ld.weak?.global?.ca|cg|cs|lu|cv?.nc?." L1 "?." L2 "?." AHEAD "?." HINT "?.v4." W64 " "
    "ld.volatile." SHARED ".v2?." T64 " ld.volatile." SHARED ".v4." T32 " "
    "ld.volatile.global?." AHEAD "?.v2|v4?." T64 " "
    "ld.volatile.global?." L2 "?." AHEAD "?.v8." W32 " ld.volatile.global?." L2 "?." AHEAD "?.v4." W64 " "
    "ld.relaxed|acquire." SCOPE "." SHARED ".v2?." T64 " ld.relaxed|acquire." SCOPE "." SHARED ".v4." T32 " "
    "ld.relaxed|acquire." SCOPE ".global?." L1 "?." AHEAD "?." HINT "?.v2|v4?." T64 " "
    "ld.relaxed|acquire." SCOPE ".global?." L1 "?." L2 "?." AHEAD "?." HINT "?.v8." W32 " "
    "ld.relaxed|acquire." SCOPE ".global?." L1 "?." L2 "?." AHEAD "?." HINT "?.v4." W64 " "
    "ld.mmio.relaxed.sys.global?." T64 " "
    "ld.weak|volatile?.global|" SPACES "?.ca|cg|cs|lu|cv?." L1 "?." AHEAD "?." HINT "?.b128 "
    "ld.relaxed|acquire." SCOPE "." STRONG "?." L1 "?." AHEAD "?." HINT "?.b128";
static const char uniform_loads[] = "ldu.global?.v2?." T64 " ldu.global?.v4." T32;
static const char stores[] =
    "st.weak?.global?.wb|cg|cs|wt?." HINT "?.v2|v4?." T64 " "
    "st.weak?." SHARED "|local|param|param::func.wb|cg|cs|wt?.v2?." T64 " "
    "st.weak?." SHARED "|local|param|param::func.wb|cg|cs|wt?.v4." T32 " "
    "st.weak?.global?." L1 "?." HINT "?.v2|v4?." T64 " "
    "st.weak?.global?.wb|cg|cs|wt?." L1 "?." L2 "?." HINT "?.v8." W32 " "
    "st.weak?.global?.wb|cg|cs|wt?." L1 "?." L2 "?." HINT "?.v4." W64 " "
    "st.volatile." SHARED ".v2?." T64 " st.volatile." SHARED ".v4." T32 " st.volatile.global?.v2|v4?." T64 " "
    "st.relaxed|release." SCOPE "." SHARED ".v2?." T64 " st.relaxed|release." SCOPE "." SHARED ".v4." T32 " "
    "st.relaxed|release." SCOPE ".global?." L1 "?." HINT "?.v2|v4?." T64 " "
    "st.relaxed|release." SCOPE ".global?." L1 "?." L2 "?." HINT "?.v8." W32 " "
    "st.relaxed|release." SCOPE ".global?." L1 "?." L2 "?." HINT "?.v4." W64 " "
    "st.mmio.relaxed.sys.global?." T64 " "
    "st.weak|volatile?.global|" SHARED "|local?.wb|cg|cs|wt?." L1 "?." HINT "?.b128 "
    "st.relaxed|release." SCOPE "." STRONG "?." L1 "?." HINT "?.b128 "
    "st.async.* st.bulk.*";
#define ATOMIC(op, sem)                                                                                      \
  op "." sem "?." SCOPE "?." STRONG "?.add." HINT "?.u32|s32|u64|f32|f64 "                                   \
  op "." sem "?." SCOPE "?." STRONG "?.add.noftz." HINT "?.f16|f16x2|bf16|bf16x2 "                           \
  op "." sem "?." SCOPE "?." STRONG "?.min|max." HINT "?.u32|s32|u64|s64 "                                   \
  op "." sem "?." SCOPE "?." STRONG "?.inc|dec." HINT "?.u32 "                                               \
  op "." sem "?." SCOPE "?." STRONG "?." BOOL "." HINT "?.b32|b64 "                                          \
  op "." sem "?." SCOPE "?.global?.add|min|max.noftz?." HINT "?.v2|v4|v8.f16|f16x2|bf16|bf16x2|f32 "
static const char atomics[] = ATOMIC("atom", "relaxed|acquire|release|acq_rel")
    "atom.relaxed|acquire|release|acq_rel?." SCOPE "?." STRONG "?.exch." HINT "?.b32|b64|b128 "
    "atom.relaxed|acquire|release|acq_rel?." SCOPE "?." STRONG "?.cas." HINT "?.b16|b32|b64|b128";
static const char reductions[] = ATOMIC("red", "relaxed|release") "red.async.*";
static const char conversions[] =
    "cvt." I8 "." I8 " "
    "cvt.sat.u8|s8." I16 " cvt.sat.u8.s8 cvt.sat.s8.u8 "
    "cvt.sat.u16|s16.u32|s32|u64|s64 cvt.sat.u16.s8|s16 cvt.sat.s16.u16 "
    "cvt.sat.u32|s32.u64|s64 cvt.sat.u32.s8|s16|s32 cvt.sat.s32.u32 "
    "cvt.sat.u64.s8|s16|s32|s64 cvt.sat.s64.u64 "
    "cvt." INTEGRAL ".sat?." I8 ".f16|f64 cvt." INTEGRAL ".ftz?.sat?." I8 ".f32 cvt." INTEGRAL "." I16 ".bf16 "
    "cvt." RND ".sat?.f16|f64." I8 " cvt." RND ".ftz?.sat?.f32." I8 " cvt." RND ".bf16." I16 " "
    "cvt." INTEGRAL "?.sat?.f16.f16 cvt." INTEGRAL "?.sat?.f64.f64 cvt." INTEGRAL "?.ftz?.sat?.f32.f32 "
    "cvt." INTEGRAL "?.bf16.bf16 "
    "cvt.ftz?.sat?.f32.f16 cvt.ftz?.sat?.f64.f32 cvt.sat?.f64.f16 "
    "cvt." RND "?.ftz?.f32.bf16 cvt." RND "?.f64|f16.bf16 cvt." RND "?.bf16.f16 "
    "cvt." RND ".ftz?.sat?.f32.f64 cvt." RND ".sat?.f16.f64 cvt." RND ".bf16.f64 "
    "cvt." RND ".ftz?.sat?.f16.f32 cvt." RND ".ftz?.bf16.f32 cvt.rn|rz.relu?.satfinite?.f16|bf16.f32 "
    "cvt.rn|rz.relu?.satfinite?.f16x2|bf16x2.f32 cvt.rs.relu?.satfinite?.f16x2|bf16x2.f32 "
    "cvt.rn|rz.relu?.satfinite?.tf32.f32 cvt.rna.satfinite?.tf32.f32 "
    "cvt.rn.satfinite.relu?.e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2.f32 cvt.rn.satfinite.relu?.e4m3x2|e5m2x2.f16x2 "
    "cvt.rs.satfinite.relu?.e4m3x4|e5m2x4|e2m1x4|e2m3x4|e3m2x4.f32 "
    "cvt.rn.relu?.f16x2.e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2 "
    "cvt.rz|rp.satfinite?.ue8m0x2.f32|bf16x2 cvt.rn.bf16x2.ue8m0x2 "
    "cvt.pack.sat.u8|s8|u16|s16|u4|s4|u2|s2.s32 cvt.pack.sat.u8|s8|u16|s16|u4|s4|u2|s2.s32.b32";
static const char selections[] = "slct.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64.s32 "
    "slct.ftz?.b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64.f32";
static const char predicates[] =
    "setp.eq|ne." BOOL "?.b16|b32|b64 setp." UNSIGNED "." BOOL "?.u16|u32|u64 setp." ORDER "." BOOL "?.s16|s32|s64 "
    "setp." FLOATS "." BOOL "?.ftz?.f32|f16|f16x2 setp." FLOATS "." BOOL "?.f64|bf16|bf16x2";
static const char truths[] =
    "set.eq|ne." BOOL "?.u32|s32|f32|f16.b16|b32|b64 set." UNSIGNED "." BOOL "?.u32|s32|f32|f16.u16|u32|u64 "
    "set." ORDER "." BOOL "?.u32|s32|f32|f16.s16|s32|s64 "
    "set." FLOATS "." BOOL "?.ftz?.u32|s32|f16|u16|s16|bf16.f16 set." FLOATS "." BOOL "?.ftz?.u32|s32|f16x2.f16x2 "
    "set." FLOATS "." BOOL "?.u32|s32|u16|s16|bf16.bf16 set." FLOATS "." BOOL "?.u32|s32|bf16x2.bf16x2 "
    "set." FLOATS "." BOOL "?.ftz?.u32|s32|f32|f16.f32 set." FLOATS "." BOOL "?.u32|s32|f32|f16.f64";
static const char memory_barriers[] =
    "mbarrier.init|inval.shared|shared::cta?.b64 mbarrier.pending_count.b64 "
    "mbarrier.arrive|arrive_drop.expect_tx?." SHARED "?.b64 "
    "mbarrier.arrive|arrive_drop.expect_tx?.release.cta|cluster." SHARED "?.b64 "
    "mbarrier.arrive|arrive_drop.expect_tx?.relaxed.cta|cluster." SHARED "?.b64 "
    "mbarrier.arrive|arrive_drop.noComplete.shared|shared::cta?.b64 "
    "mbarrier.arrive|arrive_drop.noComplete.release.cta.shared|shared::cta?.b64 "
    "mbarrier.test_wait|try_wait.parity?.shared|shared::cta?.b64 "
    "mbarrier.test_wait|try_wait.parity?.acquire|relaxed.cta|cluster.shared|shared::cta?.b64 "
    "mbarrier.expect_tx|complete_tx." SHARED "?.b64 mbarrier.expect_tx|complete_tx.relaxed.cta|cluster." SHARED "?.b64";
static const char barriers[] =
    "barrier.cta?.sync|arrive.aligned? barrier.cta?.red.popc.aligned?.u32 barrier.cta?.red.and|or.aligned?.pred "
    "barrier.cluster.arrive.release|relaxed?.aligned? barrier.cluster.wait.acquire?.aligned?";
static const char old_barriers[] = "bar.cta?.sync|arrive bar.cta?.red.popc.u32 bar.cta?.red.and|or.pred bar.warp.sync";
static const char fences[] = "fence.sc|acq_rel|acquire|release?." SCOPE " fence.mbarrier_init.* "
    "fence.proxy.alias fence.proxy.async.global|shared::cta|shared::cluster? fence.proxy.async::generic.* "
    "fence.proxy.tensormap::generic.acquire|release." SCOPE " "
    "fence.acquire.sync_restrict::shared::cluster.cluster fence.release.sync_restrict::shared::cta.cluster";
static const char old_fences[] = "membar.cta|gl|sys membar.proxy.alias";
static const char copies[] =
    "cp.async.ca|cg.shared|shared::cta.global." HINT "?." AHEAD "? cp.async.commit_group|wait_all|wait_group "
    "cp.async.mbarrier.arrive.noinc?.shared|shared::cta?.b64 cp.async.bulk.* cp.reduce.async.bulk.*";
static const char hints[] =
    "prefetch.global?.L1|L2|L2::evict_last|L2::evict_normal prefetch.local.L1|L2 prefetch.const|param?.tensormap "
    "prefetchu.L1 discard.global?.L2 applypriority.global?.L2::evict_normal";
static const char policies[] =
    "createpolicy.fractional." L2 "|L2::evict_unchanged.L2::evict_first|L2::evict_unchanged?.b64 "
    "createpolicy.range.global?." L2 "|L2::evict_unchanged.L2::evict_first|L2::evict_unchanged?.b64 "
    "createpolicy.cvt.L2.b64";
static const char addresses[] =
    "cvta.to?.global|shared|shared::cta|shared::cluster|local|const|param|param::entry.u32|u64 "
    "isspacep.global|shared|shared::cta|shared::cluster|local|const|param|param::entry";
static const char others[] =
    "brkpt trap exit pmevent.mask? setmaxnreg.inc|dec.sync.aligned.u32 griddepcontrol.wait|launch_dependents nanosleep.u32 "
    "mov.b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64|b128|pred";
/* clang-format on */

static const struct {
  const char *op, *patterns;
} families[] = {{"ld", loads},
                {"ldu", uniform_loads},
                {"st", stores},
                {"atom", atomics},
                {"red", reductions},
                {"cvt", conversions},
                {"slct", selections},
                {"setp", predicates},
                {"set", truths},
                {"mbarrier", memory_barriers},
                {"barrier", barriers},
                {"bar", old_barriers},
                {"fence", fences},
                {"membar", old_fences},
                {"cp", copies},
                {"prefetch", hints},
                {"prefetchu", hints},
                {"discard", hints},
                {"applypriority", hints},
                {"createpolicy", policies},
                {"cvta", addresses},
                {"isspacep", addresses},
                {"brkpt", others},
                {"trap", others},
                {"exit", others},
                {"pmevent", others},
                {"setmaxnreg", others},
                {"griddepcontrol", others},
                {"nanosleep", others},
                {"mov", others}};

bool dec_is_form(const PtxInst *in) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    if (strcmp(families[i].op, in->op) != 0) continue;
    for (const char *p = families[i].patterns; *p;) {
      const size_t n = strcspn(p, " ");
      if (sg_form_fits(p, n, in->op, in->mods, in->nmods)) return true;
      p += n;
      p += strspn(p, " ");
    }
    return false;
  }
  return true;
}
