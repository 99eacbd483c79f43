/* Every form of every instruction that the software device has, on edge operands, against references written
 * for these tests (spec/c/forms). The forms are those of the decoder's own tables: one that is in them and
 * has no reference here fails.
 *
 * forms_test             all; prints a TAP line for each kind
 * forms_test OP          the forms of one instruction
 * forms_test list        prints all forms */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/config.h"
#include "forms/device.h"
#include "forms/form.h"

/* Who makes the cases of which instructions. */
static const struct {
  Maker *make;
  const char *ops;
} makers[] = {
    {int_arithmetic, "add sub mul mad mul24 mad24 sad div rem min max abs neg"},
    {int_carry, "add sub mad addc subc madc"},
    {int_logic, "and or xor not cnot lop3"},
    {int_shift, "shl shr shf"},
    {int_bits, "brev clz popc bfind fns bfe bfi bmsk szext"},
    {int_bytes, "prmt dp4a dp2a"},
    {int_select, "selp"},
    {float_arithmetic, "add sub mul mad fma div rcp sqrt"},
    {float_least, "min max"},
    {float_sign, "abs neg copysign"},
    {float_approximate, "div rcp sqrt rsqrt sin cos lg2 ex2 tanh"},
    {comparison, "setp set"},
    {selection, "slct"},
    {class_test, "testp"},
    {conversion, "cvt"},
    {video_word, "vadd vsub vabsdiff vmin vmax vset vshl vshr"},
    {video_parts, "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 "
                  "vabsdiff4 vmin4 vmax4 vset4"},
    {warp_operation, "shfl vote match redux activemask elect"},
    {move, "mov"},
    {space_of_address, "cvta isspacep mapa getctarank"},
    {no_effect, "nanosleep membar fence createpolicy prefetch prefetchu pmevent discard "
                "applypriority brkpt griddepcontrol setmaxnreg"},
    {load, "ld ldu"},
    {store, "st"},
    {atomic, "atom red"},
    {copy_async, "cp"},
    {memory_barrier, "mbarrier"},
    {block_barrier, "bar barrier"},
    {control_flow, "bra brx call ret exit trap"},
    {stack_memory, "alloca stacksave stackrestore"},
    {video_sum, "vmad"},
    {float_mixed, "add sub fma"},
    {float_least_of_three, "min max"},
    {store_async, "st"},
    {copy_bulk, "cp"},
    {texture, "tex"},
    {texture_gather, "tld4"},
    {surface, "suld sust"},
    {image_query, "txq suq"},
};

/* Forms that PTX has and the device has not, by how they begin, with an instruction that shows it: as soon as
 * it can be decoded there has to be a reference. */
static const struct {
  const char *begins, *ends, *instruction;
} absent[] = {{"cvt.rs.", "", "cvt.rs.f16x2.f32 %r0,%r1,%r2,%r3;"},
              {"tex.2dms", "", "tex.2dms.v4.u32.s32 {%r0,%r1,%r2,%r3},[%x0,{%r0,%r1,%r2,%r3}];"},
              {"tex.base.2dms", "", "tex.base.2dms.v4.u32.s32 {%r0,%r1,%r2,%r3},[%x0,{%r0,%r1,%r2,%r3}];"},
              {"tex.a2dms", "", "tex.a2dms.v4.u32.s32 {%r0,%r1,%r2,%r3},[%x0,{%r0,%r1,%r2,%r3}];"},
              {"tex.base.a2dms", "", "tex.base.a2dms.v4.u32.s32 {%r0,%r1,%r2,%r3},[%x0,{%r0,%r1,%r2,%r3}];"},
              {"fence.proxy.tensormap", "", "fence.proxy.tensormap::generic.acquire.gpu [%x0],128;"},
              {"cvta.", ".u32", "cvta.global.u32 %r0,%r1;"}};
enum { ABSENT = sizeof absent / sizeof *absent };

static const char *wanted;
static int without, lines, failures;
static bool listing, asked[ABSENT];

static bool chosen(const char *op) { return !wanted || strcmp(wanted, op) == 0; }

static bool is_absent(const Form *f) {
  for (int i = 0; i < ABSENT; i++) {
    const size_t begins = strlen(absent[i].begins), ends = strlen(absent[i].ends), n = strlen(f->text);
    if (strncmp(f->text, absent[i].begins, begins) != 0 || n < ends ||
        strcmp(f->text + n - ends, absent[i].ends) != 0)
      continue;
    char text[512];
    bool refused;
    snprintf(text, sizeof text, PTX_HEAD ".entry k() { .reg .b32 %%r<4>; .reg .b64 %%x<4>; %s ret; }\n",
             absent[i].instruction);
    if (!asked[i] && !module_lacks(text, &refused)) {
      printf("# %s can be decoded now\n", absent[i].instruction);
      without++;
    }
    asked[i] = true;
    return true;
  }
  return false;
}

static bool is_word(const char *list, const char *word) {
  const size_t n = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at++)
    if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
  return false;
}

static void make(const Form *f) {
  if (listing) {
    puts(f->text);
    return;
  }
  if (!chosen(f->op)) return;
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
    if (is_word(makers[i].ops, f->op) && makers[i].make(f)) return;
  if (!is_absent(f) && without++ < 20) printf("# %s has no reference\n", f->text);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void line(bool good, const char *name, const char *format, int n, double from) {
  char text[96];
  snprintf(text, sizeof text, format, n);
  printf("%s %d - %s: %s (%.1f s)\n", good ? "ok" : "not ok", ++lines, name, text, seconds() - from);
  failures += !good;
}

int main(int argc, char **argv) {
  double from = seconds();
  listing = argc == 2 && strcmp(argv[1], "list") == 0;
  wanted = argc == 2 && !listing ? argv[1] : NULL;
  setvbuf(stdout, NULL, _IOLBF, 0);
  sg_config_load();
  sg_config.timeout = 30;
  if (!sg_arena_open(1, (uint64_t)1 << 28)) return 2;
  each_form(make);
  if (listing) return 0;
  size_t at = 0;
  for (const char *op; (op = unlisted_instruction(&at));) {
    printf("# the forms of %s are listed nowhere\n", op);
    without++;
  }
  line(tally.failed == 0, "memory, blocks, control", "%d forms", tally.forms, from);
  line(without == 0, "forms without a reference", "%d", without, from);
  from = seconds();
  tally = (Tally){0, 0};
  lanes_run();
  line(tally.failed == 0, "registers", "%d cases", tally.forms, from);
  printf("1..%d\n", lines);
  return failures != 0;
}
