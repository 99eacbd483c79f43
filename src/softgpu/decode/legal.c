/* Which forms PTX has, of the instructions whose modifiers a function of their own takes apart. That function
 * need not know what goes together: a form that is not here is refused before. The lists are what ptxas (CUDA
 * 13) takes, for any target; spec/data/oracle compares them with it.
 *
 * Patterns are those of ops.def, but modifiers may stand in any order, types keeping theirs; * at the end
 * stands for any others. */
#include "decode/decode.h"

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
    "ld.weak?.global?.ca|cg|cs|lu|cv?." AHEAD "?." HINT "?.b128 ld.weak?.global?." L1 "?." AHEAD "?." HINT "?.b128 "
    "ld.global.ca|cg|cs?.nc." L1 "?." AHEAD "?." HINT "?.b128 ld.weak?." SPACES ".ca|cg|cs|lu|cv?.b128 "
    "ld.volatile.global?." AHEAD "?.b128 ld.volatile." SHARED ".b128 "
    "ld.relaxed|acquire." SCOPE ".global?." L1 "?." AHEAD "?." HINT "?.b128 ld.relaxed|acquire." SCOPE "." SHARED ".b128";
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
    "st.weak?.global?.wb|cg|cs|wt?." HINT "?.b128 st.weak?.global?." L1 "?." HINT "?.b128 "
    "st.weak?." SHARED "|local|param|param::func.wb|cg|cs|wt?.b128 "
    "st.volatile.global|" SHARED "?.b128 st.relaxed|release." SCOPE "." SHARED ".b128 "
    "st.relaxed|release." SCOPE ".global?." L1 "?." HINT "?.b128 "
    "st.async.weak?.shared::cta|shared::cluster?.mbarrier::complete_tx::bytes.v2?." W32 "|" W64 " "
    "st.async.weak?.shared::cta|shared::cluster?.mbarrier::complete_tx::bytes.v4." W32 " "
    "st.async.release.gpu|sys.global?." T64 " st.async.mmio.release.sys.global?." T64 " "
    "st.bulk.weak?.shared::cta?";
#define ATOMIC(op, sem)                                                                                      \
  op "." sem "?." SCOPE "?." STRONG "?.add." HINT "?.u32|s32|u64|f32|f64 "                                   \
  op "." sem "?." SCOPE "?." STRONG "?.add.noftz." HINT "?.f16|f16x2|bf16|bf16x2 "                           \
  op "." sem "?." SCOPE "?." STRONG "?.min|max." HINT "?.u32|s32|u64|s64 "                                   \
  op "." sem "?." SCOPE "?." STRONG "?.inc|dec." HINT "?.u32 "                                               \
  op "." sem "?." SCOPE "?." STRONG "?." BOOL "." HINT "?.b32|b64 "                                          \
  op "." sem "?." SCOPE "?.global?.add." HINT "?.v2|v4.f32 "                                                    \
  op "." sem "?." SCOPE "?.global?.add|min|max.noftz." HINT "?.v2|v4|v8.f16|bf16 "                           \
  op "." sem "?." SCOPE "?.global?.add|min|max.noftz." HINT "?.v2|v4.f16x2|bf16x2 "
static const char atomics[] = ATOMIC("atom", "relaxed|acquire|release|acq_rel")
    "atom.relaxed|acquire|release|acq_rel?." SCOPE "?." STRONG "?.exch." HINT "?.b32|b64|b128 "
    "atom.relaxed|acquire|release|acq_rel?." SCOPE "?." STRONG "?.cas." HINT "?.b16|b32|b64|b128";
#define ASYNC(before) before "add.u32|s32|u64|s64 " before "min|max.u32|s32 " before "inc|dec.u32 " before BOOL ".b32 "
static const char reductions[] = ATOMIC("red", "relaxed|release")
    ASYNC("red.async.relaxed.cluster.shared::cluster?.mbarrier::complete_tx::bytes.")
    ASYNC("red.async.release.gpu|sys.global?.") ASYNC("red.async.mmio.release.sys.global?.");
static const char conversions[] =
    "cvt." I8 "." I8 " "
    "cvt.sat.u8|s8." I16 " cvt.sat.u8.s8 cvt.sat.s8.u8 "
    "cvt.sat.u16|s16.u32|s32|u64|s64 cvt.sat.u16.s8|s16 cvt.sat.s16.u16 "
    "cvt.sat.u32|s32.u64|s64 cvt.sat.u32.s8|s16|s32 cvt.sat.s32.u32 "
    "cvt.sat.u64.s8|s16|s32|s64 cvt.sat.s64.u64 "
    "cvt." INTEGRAL ".sat?." I8 ".f16|f64 cvt." INTEGRAL ".ftz?.sat?." I8 ".f32 cvt." INTEGRAL "." I8 ".bf16 "
    "cvt." RND ".sat?.f16|f64." I8 " cvt." RND ".ftz?.sat?.f32." I8 " cvt." RND ".bf16." I8 " "
    "cvt." INTEGRAL "?.sat?.f16.f16 cvt." INTEGRAL "?.sat?.f64.f64 cvt." INTEGRAL "?.ftz?.sat?.f32.f32 "
    "cvt." INTEGRAL "?.bf16.bf16 "
    "cvt.ftz?.sat?.f32.f16 cvt.ftz?.sat?.f64.f32 cvt.sat?.f64.f16 "
    "cvt." RND "?.ftz?.f32.bf16 cvt." RND "?.f64|f16.bf16 cvt." RND "?.bf16.f16 "
    "cvt." RND ".ftz?.sat?.f32.f64 cvt." RND ".sat?.f16.f64 cvt." RND ".bf16.f64 "
    "cvt." RND ".ftz?.sat?.f16.f32 cvt." RND ".ftz?.bf16.f32 cvt.rn|rz.relu?.satfinite?.f16|bf16.f32 "
    "cvt.rn|rz.relu?.satfinite?.f16x2|bf16x2.f32 cvt.rs.relu?.satfinite?.f16x2|bf16x2.f32 "
    "cvt.rn|rz.relu?.satfinite?.tf32.f32 cvt.rna.satfinite?.tf32.f32 "
    "cvt.rn.satfinite.relu?.e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2.f32 cvt.rn.satfinite.relu?.e4m3x2|e5m2x2|e2m1x2.f16x2 "
    "cvt.rs.satfinite.relu?.e4m3x4|e5m2x4|e2m1x4|e2m3x4|e3m2x4.f32 "
    "cvt.rn.relu?.f16x2.e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2 "
    "cvt.rz|rp.satfinite?.ue8m0x2.f32|bf16x2 cvt.rn.bf16x2.ue8m0x2 "
    "cvt.pack.sat.u16|s16.s32 cvt.pack.sat.u8|s8|u4|s4|u2|s2.s32.b32";
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
#define REDUCE "cp.reduce.async.bulk.global.shared::cta.bulk_group." HINT "?."
static const char copies[] =
    "cp.async.ca|cg.shared|shared::cta.global." HINT "?." AHEAD "? cp.async.commit_group|wait_all|wait_group "
    "cp.async.mbarrier.arrive.noinc?.shared|shared::cta?.b64 "
    "cp.async.bulk.commit_group cp.async.bulk.wait_group.read? cp.async.bulk.prefetch.L2.global." HINT "? "
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster?." HINT "? "
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes." HINT "? "
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
    "cp.async.bulk.global.shared::cta.bulk_group." HINT "?.cp_mask? "
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32|s32|u64 "
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min|max.u32|s32 "
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc|dec.u32 "
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." BOOL ".b32 "
    REDUCE "add.u32|s32|u64|f32|f64 " REDUCE "add.noftz.f16|bf16 " REDUCE "min|max.u32|s32|u64|s64|f16|bf16 "
    REDUCE "inc|dec.u32 " REDUCE BOOL ".b32|b64 "
    "cp.async.bulk.tensor.* cp.async.bulk.prefetch.tensor.* cp.reduce.async.bulk.tensor.*";
#undef REDUCE
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
/* add, sub and mad come here for the carry chain only, lop3 for its predicate. */
static const char carries[] =
    "add.cc.u32|s32|u64|s64 sub.cc.u32|s32|u64|s64 mad.lo|hi.cc.u32|s32|u64|s64 "
    "addc.cc?.u32|s32|u64|s64 subc.cc?.u32|s32|u64|s64 madc.lo|hi.cc?.u32|s32|u64|s64";
/* What decode/floats.c does; min and max with .abs are of three operands. */
static const char pairs[] =
    "add." RND "?.ftz?.f32x2 sub." RND "?.ftz?.f32x2 mul." RND "?.ftz?.f32x2 fma." RND ".ftz?.f32x2 "
    "add." RND "?.sat?.f32.f16|bf16 sub." RND "?.sat?.f32.f16|bf16 fma." RND ".sat?.f32.f16|bf16";
static const char three[] = "min.ftz?.NaN?.abs.f32 max.ftz?.NaN?.abs.f32";
static const char stacks[] = "alloca.u32|u64 stacksave.u32|u64 stackrestore.u32|u64";
static const char tables[] = "lop3.and|or.b32";
static const char warps[] =
    "shfl.sync.up|down|bfly|idx.b32 vote.sync.all|any|uni.pred vote.sync.ballot.b32 match.any|all.sync.b32|b64 "
    "redux.sync.add|min|max.u32|s32 redux.sync.and|or|xor.b32 redux.sync.min|max.abs?.NaN?.f32 activemask.b32 "
    "elect.sync mapa.shared::cluster?.u32|u64 getctarank.shared::cluster?.u32|u64";
#define TEXTURE "v4.u32|s32|f16|f32"
#define GEOMETRY "1d|2d|3d|a1d|a2d"
#define ACCESS(op, cop)                                                                                      \
  op "." GEOMETRY "." cop "?.b8|b16|b32|b64.trap|clamp|zero " op "." GEOMETRY "." cop "?.v2.b8|b16|b32|b64.trap|clamp|zero " \
  op "." GEOMETRY "." cop "?.v4.b8|b16|b32.trap|clamp|zero "
static const char images[] =
    "tex.base|level?." GEOMETRY "." TEXTURE ".s32|f32 tex.base|level?.cube|acube." TEXTURE ".f32 "
    "tex.base|level?." GEOMETRY ".v2.f16x2.s32|f32 tex.base|level?.cube|acube.v2.f16x2.f32 "
    "tex.grad." GEOMETRY "|cube|acube." TEXTURE ".f32 tex.grad." GEOMETRY "|cube|acube.v2.f16x2.f32 "
    "tex.base?.2dms|a2dms.v4.u32|s32|f16|f32.s32 "
    "tld4.r|g|b|a.2d|a2d|cube|acube.v4.u32|s32|f32.f32 "
    "txq.width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples.b32 "
    "txq.force_unnormalized_coords|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2.b32 "
    "txq.level.width|height|depth.b32 suq.width|height|depth|channel_data_type|channel_order|array_size|memory_layout.b32 "
    ACCESS("suld.b", "ca|cg|cs|cv") ACCESS("sust.b", "wb|cg|cs|wt")
    "sust.p." GEOMETRY ".wb|cg|cs|wt?.v2|v4?.b32.trap|clamp|zero";
#define SIGNS "u32|s32.u32|s32"
#define WORD(op) op "." SIGNS ".u32|s32.sat?.add|min|max? "
#define SHIFT(op) op "." SIGNS ".u32.sat?.clamp|wrap.add|min|max? "
#define PARTS(op) op "." SIGNS ".u32|s32.sat|add? "
static const char video[] =
    WORD("vadd") WORD("vsub") WORD("vabsdiff") WORD("vmin") WORD("vmax") SHIFT("vshl") SHIFT("vshr")
    "vset." SIGNS "." ORDER ".add|min|max? vset2." SIGNS "." ORDER ".add? vset4." SIGNS "." ORDER ".add? "
    PARTS("vadd2") PARTS("vsub2") PARTS("vavrg2") PARTS("vabsdiff2") PARTS("vmin2") PARTS("vmax2")
    "vmad." SIGNS ".u32|s32.sat?.shr7|shr15? vmad." SIGNS ".u32|s32.po.sat?.shr7|shr15? "
    PARTS("vadd4") PARTS("vsub4") PARTS("vavrg4") PARTS("vabsdiff4") PARTS("vmin4") PARTS("vmax4");
static const char branches[] = "bra.uni? brx.idx.uni? call.uni? ret.uni?";
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
                {"add", pairs},
                {"sub", pairs},
                {"mul", pairs},
                {"fma", pairs},
                {"min", three},
                {"max", three},
                {"alloca", stacks},
                {"stacksave", stacks},
                {"stackrestore", stacks},
                {"vmad", video},
                {"add", carries},
                {"sub", carries},
                {"mad", carries},
                {"addc", carries},
                {"subc", carries},
                {"madc", carries},
                {"lop3", tables},
                {"shfl", warps},
                {"vote", warps},
                {"match", warps},
                {"redux", warps},
                {"activemask", warps},
                {"elect", warps},
                {"mapa", warps},
                {"getctarank", warps},
                {"vadd", video},
                {"vsub", video},
                {"vabsdiff", video},
                {"vmin", video},
                {"vmax", video},
                {"vset", video},
                {"vshl", video},
                {"vshr", video},
                {"vadd2", video},
                {"vsub2", video},
                {"vavrg2", video},
                {"vabsdiff2", video},
                {"vmin2", video},
                {"vmax2", video},
                {"vset2", video},
                {"vadd4", video},
                {"vsub4", video},
                {"vavrg4", video},
                {"vabsdiff4", video},
                {"vmin4", video},
                {"vmax4", video},
                {"vset4", video},
                {"bra", branches},
                {"brx", branches},
                {"call", branches},
                {"ret", branches},
                {"tex", images},
                {"tld4", images},
                {"txq", images},
                {"suld", images},
                {"sust", images},
                {"suq", images},
                {"mov", others}};

const char *dec_patterns(size_t i, const char **op) {
  if (i >= sizeof families / sizeof *families) return NULL;
  *op = families[i].op;
  return families[i].patterns;
}

bool dec_is_form(const PtxInst *in, uint8_t *place) {
  bool known = false;
  for (uint32_t i = 0; place && i < in->nmods && i < DEC_MODS; i++) place[i] = (uint8_t)i;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    if (strcmp(families[i].op, in->op) != 0) continue;
    known = true;
    for (const char *p = families[i].patterns; *p;) {
      const size_t n = strcspn(p, " ");
      if (in->nmods <= DEC_MODS && sg_form_fits(p, n, in->op, in->mods, in->nmods, place)) return true;
      p += n;
      p += strspn(p, " ");
    }
  }
  return !known;
}
