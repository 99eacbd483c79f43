/* Shared memory, and waiting for other ranks in it: see segment.h. */
#include "distributed/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAGIC (0x63756461646973u << 8 | 3) /* with the version of the layout */

enum { SPINS = 200, LOOK_NS = 50 * 1000 * 1000, SIZE_SEALS = F_SEAL_SHRINK | F_SEAL_GROW };

/* --- the memory --- */

static size_t halves_at(void) { return (sizeof(cl_Segment) + 4095) & ~(size_t)4095; }
static size_t channels_at(uint32_t size) { return halves_at() + (size_t)size * 2 * CL_HALF; }

size_t cl_segment_bytes(uint32_t size) {
  return channels_at(size) + (size_t)size * size * ((sizeof(cl_Channel) + 63) & ~(size_t)63);
}

uint8_t *cl_half(const cl_World *w, uint32_t rank, unsigned half) {
  return (uint8_t *)w->s + halves_at() + ((size_t)rank * 2 + half) * CL_HALF;
}

cl_Channel *cl_channel(const cl_World *w, uint32_t from, uint32_t to) {
  return (cl_Channel *)(void *)((uint8_t *)w->s + channels_at(w->s->size) +
                                ((size_t)from * w->s->size + to) * ((sizeof(cl_Channel) + 63) & ~(size_t)63));
}

/* Its size cannot change any more, so that no access fails. Some systems demand the flag of memory that is
 * not to be executed, which older kernels do not know. */
static int sealed_file(size_t bytes) {
  enum { NOEXEC_SEAL = 8 };
  int fd = memfd_create("cudalua-ranks", MFD_CLOEXEC | MFD_ALLOW_SEALING | NOEXEC_SEAL);
  if (fd < 0 && errno == EINVAL) fd = memfd_create("cudalua-ranks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (!ftruncate(fd, (off_t)bytes) && !fcntl(fd, F_ADD_SEALS, SIZE_SEALS)) return fd;
  const int e = errno;
  close(fd);
  errno = e;
  return -1;
}

int cl_segment_create(uint32_t size) {
  const int fd = sealed_file(cl_segment_bytes(size));
  if (fd < 0) return -1;
  const cl_Segment head = {.magic = MAGIC, .bytes = cl_segment_bytes(size), .size = size};
  const size_t part = offsetof(cl_Segment, rank);
  if (pwrite(fd, &head, part, 0) == (ssize_t)part) return fd;
  const int e = errno;
  close(fd);
  errno = e;
  return -1;
}

cl_Segment *cl_segment_map(int fd, const char **problem) {
  struct stat st;
  *problem = NULL;
  if (fstat(fd, &st)) return NULL;
  *problem = "it is not the memory of this version of cudalua";
  if ((uint64_t)st.st_size < sizeof(cl_Segment) || (fcntl(fd, F_GET_SEALS) & SIZE_SEALS) != SIZE_SEALS)
    return NULL;
  cl_Segment *s = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (s == MAP_FAILED) return *problem = NULL, NULL;
  const bool good = s->magic == MAGIC && s->size && s->size <= CL_MOST_RANKS &&
                    s->bytes == cl_segment_bytes(s->size) && s->bytes == (uint64_t)st.st_size;
  if (good) return *problem = NULL, s;
  munmap(s, (size_t)st.st_size);
  return NULL;
}

/* --- processes --- */

/* When a process began, in the kernel's ticks. 0: it has ended, also if its parent has not taken note yet. */
static uint64_t start_of(uint32_t pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%u/stat", pid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? 0 : UINT64_MAX;
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return 0; /* it ended in between */
  text[n] = 0;
  const char *p = strrchr(text, ')'); /* its name may hold anything */
  if (!p || !p[1] || p[2] == 'Z' || p[2] == 'X') return 0;
  for (int field = 2; field < 22 && p; field++) p = strchr(p + 1, ' ');
  return p ? strtoull(p, NULL, 10) : UINT64_MAX;
}

static bool has_ended(const cl_Rank *r) {
  if (r->ended) return true;
  const uint32_t pid = r->pid;
  if (!pid) return false; /* not there yet; the launcher knows if it never comes */
  const uint64_t is = start_of(pid), start = r->start;
  return !is || (start && is != start && is != UINT64_MAX);
}

bool cl_claim(cl_Segment *s, uint32_t rank) {
  cl_Rank *r = &s->rank[rank];
  uint32_t none = 0;
  const uint32_t pid = (uint32_t)getpid();
  if (!atomic_compare_exchange_strong(&r->pid, &none, pid)) return false;
  r->start = start_of(pid);
  return true;
}

static bool is_late(const cl_World *w, uint32_t r) {
  return (int32_t)(w->s->rank[r].calls - w->s->rank[w->rank].calls) < 0;
}

int cl_gone_rank(const cl_World *w, bool left) {
  for (uint32_t r = 0; r < w->s->size; r++) {
    const cl_Rank *rank = &w->s->rank[r];
    if (r == w->rank) continue;
    if (left ? rank->ended || (rank->finished && is_late(w, r)) : rank->ended && rank->status) return (int)r;
  }
  return -1;
}

int cl_late_rank(const cl_World *w) {
  for (uint32_t r = 0; r < w->s->size; r++)
    if (is_late(w, r)) return (int)r;
  return -1;
}

/* --- failures --- */

bool cl_world_failed(const cl_World *w) { return w->s->failed != 0; }

int cl_failed_rank(const cl_World *w) {
  const uint32_t failed = w->s->failed;
  return failed ? (int)(failed & 0xffff) - 1 : -1;
}

void cl_fail_world(cl_World *w, cl_Failure kind, uint32_t rank, const char *why) {
  uint32_t none = 0;
  if (w->s->failed) return;
  if (why) snprintf(w->s->rank[rank].why, CL_TEXT, "%s", why);
  atomic_compare_exchange_strong(&w->s->failed, &none, (rank + 1) | (uint32_t)kind << 16);
}

void cl_status_text(int status, char *text, size_t size) {
  if (WIFSIGNALED(status)) {
    const char *name = strsignal(WTERMSIG(status));
    snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(status), name ? name : "unknown");
  } else if (WEXITSTATUS(status)) {
    snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
  } else {
    snprintf(text, size, "has ended, and does not make the call");
  }
}

/* Text of another process, which may be writing it. */
static void copy_text(char *to, size_t size, const char *from, size_t most) {
  size_t n = 0;
  while (n + 1 < size && n + 1 < most && from[n]) to[n] = from[n], n++;
  to[n] = 0;
}

void cl_failure_text(const cl_World *w, char *text, size_t size) {
  const uint32_t failed = w->s->failed, rank = (failed & 0xffff) - 1;
  const cl_Rank *r = &w->s->rank[rank < CL_MOST_RANKS ? rank : 0];
  char why[CL_TEXT] = "has ended";
  if (failed >> 16 == CL_F_DIED) {
    /* The launcher hears of it at about the same time, and knows more. */
    for (int i = 0; i < 500 && !r->ended; i++) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    if (r->ended) cl_status_text(r->status, why, sizeof why);
    snprintf(text, size, "rank %u %s", rank, why);
    return;
  }
  copy_text(why, sizeof why, r->why, CL_TEXT);
  if (failed >> 16 == CL_F_SAID)
    snprintf(text, size, "%s", why);
  else
    snprintf(text, size, "rank %u failed: %s", rank, why);
}

/* --- waiting --- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool reached(const cl_Word *word, uint32_t target) {
  return (int32_t)(atomic_load(&word->value) - target) >= 0;
}

void cl_set_word(cl_Word *word, uint32_t value) {
  atomic_store(&word->value, value);
  if (atomic_load(&word->sleepers)) syscall(SYS_futex, &word->value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void sleep_on(cl_Word *word, uint32_t target) {
  const struct timespec most = {.tv_nsec = LOOK_NS};
  atomic_fetch_add(&word->sleepers, 1);
  const uint32_t value = atomic_load(&word->value);
  if ((int32_t)(value - target) < 0) syscall(SYS_futex, &word->value, FUTEX_WAIT, value, &most, NULL, 0);
  atomic_fetch_sub(&word->sleepers, 1);
}

/* What a rank waits for, as others see it. */
typedef struct Waiting {
  uint32_t epoch, awaited, target;
  uint64_t word;
} Waiting;

static bool look_at(const cl_Segment *s, uint32_t rank, Waiting *out) {
  const cl_Rank *r = &s->rank[rank];
  *out = (Waiting){.epoch = r->epoch, .awaited = r->awaited, .target = r->target, .word = r->word};
  return out->epoch & 1 && out->awaited < s->size && out->word <= s->bytes - sizeof(cl_Word) &&
         r->epoch == out->epoch;
}

static bool still_waits(const cl_Segment *s, uint32_t rank, const Waiting *was) {
  const cl_Word *word = (const cl_Word *)(const void *)((const uint8_t *)s + was->word);
  return !reached(word, was->target) && s->rank[rank].epoch == was->epoch;
}

/* Does this rank wait for one that waits for one ... that waits for this rank? Each of them waits for a word
 * that only the next one writes. All were seen waiting before the first was looked at again; as none has gone
 * on by then, there was a moment when all waited at once. So none of them will ever go on. */
static uint32_t circle(const cl_World *w, uint32_t *ranks) {
  const cl_Segment *s = w->s;
  Waiting seen[CL_MOST_RANKS];
  uint32_t n = 0, r = w->rank;
  do {
    if (n == s->size || !look_at(s, r, &seen[n])) return 0;
    ranks[n] = r;
    r = seen[n++].awaited;
  } while (r != w->rank);
  for (uint32_t i = 0; i < n; i++)
    if (!still_waits(s, ranks[i], &seen[i])) return 0;
  return n;
}

static bool is_in_send(const char *wait) {
  const char *call = strstr(wait, " in ");
  return call && !strncmp(call + 4, "send", 4) && (call[8] == ' ' || !call[8]);
}

void cl_circle_text(char *text, size_t size, const char *const *waits, size_t n) {
  size_t at = (size_t)snprintf(text, size, "these ranks wait for each other and would never continue:");
  bool all_send = true;
  for (size_t i = 0; i < n && at < size - 1; i++) {
    all_send = all_send && is_in_send(waits[i]);
    at += (size_t)snprintf(text + at, size - at, "%s %s", i ? "," : "", waits[i]);
  }
  if (all_send && at < size - 1)
    snprintf(text + at, size - at, "; let one of them call recv first, or use all_to_all");
}

static void fail_in_circle(cl_World *w, const uint32_t *ranks, uint32_t n) {
  char text[CL_TEXT], call[sizeof w->s->rank[0].call], wait[CL_MOST_RANKS][sizeof call + 32];
  const char *waits[CL_MOST_RANKS];
  for (uint32_t i = 0; i < n; i++) {
    copy_text(call, sizeof call, w->s->rank[ranks[i]].call, sizeof call);
    snprintf(wait[i], sizeof wait[i], "rank %u in %s", ranks[i], call);
    waits[i] = wait[i];
  }
  cl_circle_text(text, sizeof text, waits, n);
  cl_fail_world(w, CL_F_SAID, w->rank, text);
}

static void fail_too_late(cl_World *w, uint32_t owner) {
  char text[CL_TEXT], mine[sizeof w->s->rank[0].call], other[sizeof w->s->rank[0].call];
  copy_text(mine, sizeof mine, w->s->rank[w->rank].call, sizeof mine);
  copy_text(other, sizeof other, w->s->rank[owner].call, sizeof other);
  snprintf(text, sizeof text, "rank %u waited for rank %u in %s for %g s; the last call of rank %u is %s",
           w->rank, owner, mine, w->limit, owner, *other ? other : "none yet");
  cl_fail_world(w, CL_F_SAID, w->rank, text);
}

/* After a sleep: has something ended the wait, and the world with it? */
static bool is_over(cl_World *w, uint32_t owner, double waited) {
  uint32_t ranks[CL_MOST_RANKS], n;
  if (cl_world_failed(w)) return true;
  if (has_ended(&w->s->rank[owner])) {
    cl_fail_world(w, CL_F_DIED, owner, NULL);
  } else if (waited > w->limit) {
    fail_too_late(w, owner);
  } else if ((n = circle(w, ranks)) > 0) {
    fail_in_circle(w, ranks, n);
  } else {
    return false;
  }
  return true;
}

cl_Outcome cl_wait_word(cl_World *w, const cl_Word *awaited, uint32_t target, uint32_t owner) {
  cl_Word *word = (cl_Word *)(uintptr_t)awaited; /* only its number of sleepers is written */
  cl_Rank *own = &w->s->rank[w->rank];
  for (int i = 0; i < SPINS; i++) {
    if (reached(word, target)) return CL_MET;
    __builtin_ia32_pause();
  }
  double waited = 0, before = now();
  own->awaited = owner;
  own->target = target;
  own->word = (uint64_t)((const uint8_t *)word - (const uint8_t *)w->s);
  own->epoch++;
  cl_Outcome outcome = CL_MET;
  for (;;) {
    sleep_on(word, target);
    if (reached(word, target)) break;
    /* Processes that are stopped, or a machine that sleeps, use up no time: a sleep counts once at most. */
    const double after = now(), most = 2e-9 * LOOK_NS;
    waited += after - before < most ? after - before : most;
    before = after;
    if (w->stop && w->stop(w->stop_arg)) {
      outcome = CL_INTERRUPTED_WAIT;
      break;
    }
    if (!is_over(w, owner, waited)) continue;
    if (reached(word, target)) break; /* the last thing that it did before it ended */
    outcome = CL_FAILED;
    break;
  }
  own->epoch++;
  return outcome;
}

/* --- the steps of a call --- */

void cl_say_call(cl_World *w, const char *call) {
  snprintf(w->s->rank[w->rank].call, sizeof w->s->rank[0].call, "%s", call);
}

/* Waits until all members of a group have read what this rank published there up to a step. */
static cl_Outcome wait_done(cl_World *w, const cl_Row *row, uint32_t step, const uint8_t *ranks,
                            uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (ranks[i] == w->rank) continue;
    const cl_Outcome o = cl_wait_word(w, &row->member[i].done, step, ranks[i]);
    if (o) return o;
  }
  return CL_MET;
}

cl_Outcome cl_begin(cl_Group *g) {
  cl_World *w = g->w;
  if (cl_world_failed(w)) return CL_FAILED;
  if (w->last.row) {
    const cl_Outcome o = wait_done(w, w->last.row, w->last.step, w->last.ranks, w->last.count);
    if (o) return o;
  }
  return CL_MET;
}

void cl_publish(cl_Group *g) {
  cl_World *w = g->w;
  w->last.row = g->row;
  w->last.step = ++g->step;
  w->last.count = g->count;
  memcpy(w->last.ranks, g->ranks, sizeof g->ranks);
  cl_set_word(&g->row->member[g->me].step, g->step);
}

cl_Outcome cl_meet(cl_Group *g) {
  for (uint32_t i = 1; i < g->count; i++) {
    const uint32_t k = (g->me + i) % g->count;
    const cl_Outcome o = cl_wait_word(g->w, &g->row->member[k].step, g->step, g->ranks[k]);
    if (o) return o;
  }
  return CL_MET;
}

void cl_end(cl_Group *g) { cl_set_word(&g->row->member[g->me].done, g->step); }

/* --- rows --- */

/* Words are never set back: another rank may still ask whether the members of the former group have read its
 * data, and they have, as they left. So the steps of a new group begin behind all of the row's. */
cl_Row *cl_take_row(cl_World *w, uint32_t *step) {
  for (uint32_t i = 1; i < CL_MOST_GROUPS; i++) {
    cl_Row *row = &w->s->row[i];
    uint32_t none = 0;
    if (!atomic_compare_exchange_strong(&row->used, &none, 1)) continue;
    row->released = 0;
    *step = row->member[0].step.value;
    for (uint32_t k = 1; k < CL_MOST_RANKS; k++)
      if (reached(&row->member[k].step, *step)) *step = row->member[k].step.value;
    return row;
  }
  return NULL;
}

/* The last one gives the row back. If one ended before, the row is lost, and the world is failed anyway. */
void cl_leave_row(cl_Group *g) {
  if (g->row == g->w->s->row) return;
  if (atomic_fetch_add(&g->row->released, 1) + 1 == g->count) g->row->used = 0;
}
