#include "access.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "operands.h"

Access access_of(const Form *f) {
  static const char *const spaces[] = {"global", "shared", "local", "const", "param"};
  Access a = {"", 1, 0, type_of(f, 0), has(f, "L2::cache_hint"), false};
  a.bytes = a.type.bits * a.type.parts / 8;
  a.wide = a.type.bits == 128;
  if (a.wide) a.parts = 2, a.bytes = 8;
  for (int i = 0; i < f->nmods; i++) {
    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++) {
      const size_t n = strlen(spaces[s]);
      if (strncmp(f->mod[i], spaces[s], n) == 0 && (!f->mod[i][n] || f->mod[i][n] == ':'))
        a.space = spaces[s];
    }
    if (f->mod[i][0] == 'v' && f->mod[i][1] >= '0' && f->mod[i][1] <= '9' && !f->mod[i][2])
      a.parts = f->mod[i][1] - '0';
  }
  if (strcmp(f->op, "ldu") == 0 && !a.space[0]) a.space = "global";
  return a;
}

bool access_is_plain(const Form *f) {
  const Access a = access_of(f);
  return f->nmods == 1 + (a.space[0] != 0) + (a.parts > 1 && !a.wide) && strcmp(f->op, "ldu") != 0;
}

void access_entry(Text *t, const char *declarations) {
  put(t,
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 flags, .param .u64 moves, .param "
      ".align 32 .b8 "
      "p[256]) {\n.reg .pred %%g, %%t<4>; .reg .b16 %%h<32>; .reg .b32 %%r<40>, %%n; .reg .b64 %%x<8>, "
      "%%a<8>, %%m, "
      "%%b<40>; .reg .b128 %%q<4>;\n%s\n"
      "ld.param.u64 %%x0,[in]; ld.param.u64 %%x1,[out]; ld.param.u64 %%x2,[flags]; ld.param.u64 "
      "%%x3,[moves];\n"
      "mov.u32 %%n,%%tid.x; cvt.u64.u32 %%a0,%%n; add.u64 %%a1,%%x2,%%a0; ld.global.u8 %%r0,[%%a1]; "
      "setp.ne.u32 "
      "%%g,%%r0,0;\nmul.wide.u32 %%a1,%%n,8; add.u64 %%a1,%%x3,%%a1; ld.global.u64 %%m,[%%a1];\n",
      declarations);
}

const char *access_register(int bytes, int number) {
  static char names[8][8];
  static int turn;
  char *name = names[turn = (turn + 1) % 8];
  snprintf(name, sizeof names[0], "%%%c%d", bytes <= 2 ? 'h' : bytes == 4 ? 'r' : 'b', number);
  return name;
}

enum { BAD = 5 }; /* the thread whose access fails */

bool access_run(SgModule *m, AccessParams *p, bool one, uint8_t *on) {
  uint8_t *flags = device_memory(THREADS);
  int64_t *moves = device_memory(THREADS * 8);
  for (int n = 0; n < THREADS; n++) flags[n] = on[n] = one ? n == 37 : any_bits() >> 63 != 0;
  p->flags = flags;
  p->moves = moves;
  const bool ran = run_kernel(m, "k", 1, THREADS, p);
  device_free(flags);
  device_free(moves);
  return ran;
}

void access_fails(SgModule *m, AccessParams *p, const Form *f, int64_t by, int code, uint32_t bytes) {
  static SgFault fault;
  uint8_t *flags = device_memory(THREADS);
  int64_t *moves = device_memory(THREADS * 8);
  moves[BAD] = by;
  p->flags = flags;
  p->moves = moves;
  const int got = try_kernel(m, "k", 1, THREADS, p, &fault);
  if (got != code || fault.thread[0] != BAD || fault.bytes != bytes)
    wrong("%s, moved by %" PRId64 ": code %d, thread %u, %u bytes, not code %d, thread %d, %u bytes: %s",
          f->text, by, got, fault.thread[0], fault.bytes, code, BAD, bytes, fault.text);
  device_free(flags);
  device_free(moves);
}
