/* The checks that are made by switch (CUDALUA_SOFT_CHECK): reads of memory that nobody wrote, races in shared
 * and global memory, barriers and shuffles that not all come to. A launch without them runs none of this.
 *
 * Of memory that can be unwritten a nibble a word says which bytes were written. For races each word knows
 * who wrote it last and who has read it since, as a time and a thread. Times are numbers that rise whenever
 * threads synchronise; one number belongs to one block, so that comparing numbers mostly tells whether two
 * accesses are in order. What memory tells of its past never makes a race of what is in order: where not all
 * can be remembered, a race is missed. */
#ifndef SOFTGPU_CHECK_H
#define SOFTGPU_CHECK_H

#include "machine/gang.h"

enum { WARPS = MAX_LANES / SG_WARP };

/* --- words that were written --- */

/* A word is unwritten where none of the touched bytes was written. */
bool sg_written_at(const uint8_t *init, uint64_t at, uint32_t bytes);
void sg_write_at(uint8_t *init, uint64_t at, uint64_t bytes);
/* The same; all bytes before *full are written, and that may become more. */
void sg_write_row(uint8_t *init, uint64_t *full, uint64_t at, uint64_t bytes);
/* No word of [at, at + bytes) is unwritten, whole words. Quick; false may be wrong at the ends. */
bool sg_written_all(const uint8_t *init, uint64_t at, uint64_t bytes);

/* --- words and who used them --- */

/* A time with two flags; 0: none. */
#define TIME_MANY 0x80000000u   /* read by several threads: the detail is a bit for each of their warps */
#define TIME_BLOCKS 0x40000000u /* ... of several blocks */
#define TIME_MASK 0x3fffffffu
#define TIME_MOST (TIME_MASK - (1u << 20))
#define TIME_PENDING TIME_MASK /* of a store: an asynchronous copy that nobody has waited for */

/* The detail of an access: pc 17 | strong 1 | lane 10 | bytes of the word 4. */
enum { DETAIL_LANE = 4, DETAIL_STRONG = 14, DETAIL_PC = 15, DETAIL_PC_MOST = (1 << 17) - 1 };
static inline uint32_t sg_detail(uint32_t pc, bool strong, uint32_t lane, uint32_t bytes) {
  const uint32_t p = pc < DETAIL_PC_MOST ? pc : DETAIL_PC_MOST;
  return p << DETAIL_PC | (uint32_t)strong << DETAIL_STRONG | lane << DETAIL_LANE | bytes;
}
static inline uint32_t sg_detail_lane(uint32_t detail) { return detail >> DETAIL_LANE & (MAX_LANES - 1); }

typedef struct Track {
  uint32_t *wtime, *wdetail, *rtime, *rdetail;
} Track;

/* Accesses of lanes to words: for the loops of exec_check.c. */
typedef struct TrackRow {
  Track t;
  size_t at;          /* word of the first lane, or the one that offsets start from */
  int64_t step;       /* words from lane to lane */
  const int32_t *off; /* NULL, or bytes from there for each lane */
  const uint8_t *cls; /* with a class for eight lanes, or NULL; then the first lane is one of 0, 8, 16 ... */
  const uint8_t *m;   /* active lanes, from the first one on; NULL: all */
  uint32_t lanes, lane; /* how many, and the first one's number */
  uint32_t per;         /* words of each lane: 1 or 2; 0: a part of one, and `at` and `step` are in bytes */
  uint32_t unit;        /* ... bytes of it */
  uint32_t base, first, sync, acquired, now;
  uint32_t detail; /* for lane 0 and no bytes */
} TrackRow;

/* Loads are noted when somebody stores to the memory, for until then they do not matter: of most memory they
 * never do. In shared memory a barrier ends it. */
typedef struct Noted {
  bool storing; /* they are noted at once */
  uint32_t rows, room;
  TrackRow *row;
} Noted;
enum { NOTED = 64, NOTED_MOST = 4096 };

/* An asynchronous copy to a word of shared memory that its thread has not waited for. */
typedef struct Pending {
  uint32_t at, lane, group;
} Pending;

typedef struct Undefined Undefined;
typedef struct Check Check;
/* What a gang needs for its block. */
struct Check {
  unsigned on;
  uint32_t generation;
  size_t shared_words, local_words; /* that there is room for */
  uint8_t *shared_init, *local_init;
  uint64_t shared_full; /* bytes of shared memory that are written, from the first on */
  Track shared;
  Noted noted; /* of shared memory, since the last barrier */
  TrackRow room[NOTED];
  Pending *pending;
  uint32_t npending, pending_room;
  uint32_t groups[MAX_LANES]; /* of asynchronous copies that a lane has committed */
  bool grouped;               /* ... and one has */
  Undefined *undefined;       /* undefined.c: values that shuffles took from nowhere */
  /* times */
  uint32_t now;                   /* of this block */
  uint32_t sync;                  /* accesses of this block before it are over for all its threads */
  uint32_t first;                 /* since then no other block has had a turn */
  uint32_t acquired;              /* what other blocks had released then is known here */
  bool interleaved;               /* other blocks had turns since it began */
  uint32_t warp_sync[WARPS];      /* the same for accesses inside a warp, this one included */
  uint32_t released[WARPS];       /* a fence or the like was behind these accesses */
  uint32_t known[WARPS][WARPS];   /* [by][of]: accesses up to then are known */
  uint32_t arrived[BARRIERS + 1]; /* warps that came to a barrier since it opened last */
};

/* What an allocation has of that. */
typedef struct Tracked {
  Track t;
  uint32_t base; /* the launch that the rest is about */
  Noted noted;
} Tracked;

/* A launch. */
typedef struct CheckRun CheckRun;

bool sg_check_run_begin(Run *run);
void sg_check_run_end(Run *run);
/* Prepares the gang for a launch, with checks or without. False: no memory. */
bool sg_check_attach(Gang *g, const Run *run);
void sg_check_detach(Gang *g);
void sg_check_begin_block(Gang *g);
void sg_check_turn(Gang *g); /* the block goes on, perhaps after others */

/* Before an instruction of kind K_MEM. False: a fault was raised. */
bool sg_check(Gang *g, const Ins *in);
/* A lane's access to bytes of an image's memory; `stored`: what it writes there, NULL: it reads. Textures are
 * read in no order with anything: bytes that the launch has written elsewhere are, too. False: a check found
 * something, and the trouble has its kind. */
bool sg_check_texels(Gang *g, const Ins *in, uint32_t lane, SgAlloc *a, uint64_t from, uint32_t bytes,
                     const void *stored);
/* Has the launch written one of these bytes, as far as races are looked for? */
bool sg_check_stored(Gang *g, SgAlloc *a, uint64_t at, uint32_t bytes);
/* Threads of `f` came to barrier `id`; it opens, for them too where `f` is not NULL. */
void sg_check_arrive(Gang *g, const Front *f, uint32_t id);
void sg_check_open(Gang *g, const Front *f, uint32_t id);
/* An operation of the warps of the running front, before it. False: a fault was raised. */
bool sg_check_warp(Gang *g, const Ins *in);
void sg_check_warps_meet(Gang *g, const Front *f); /* these lanes have met their fellows elsewhere */

/* race.c: the access of one lane to `bytes` (a mask) of a word. `at` is where the word's record lies. */
typedef struct Access {
  const Ins *in;
  const Track *track;
  uint64_t at;
  bool global, load, store;
  uint32_t lane, bytes;
} Access;
/* Is it in order with what was done to the word before? False: a fault was raised. `silent`: a store that
 * changes nothing. */
bool sg_race(Gang *g, const Access *a, bool silent);
void sg_race_note(Gang *g, const Access *a);
/* Asynchronous copies to shared memory: one was made to a word, and then the lanes of the running instruction
 * close a group, or wait until no more than `left` of their groups are under way (with NO_ROW for all). */
void sg_race_copied(Gang *g, uint64_t at, uint32_t lane);
void sg_race_forget_copies(Gang *g); /* of a block that is over: they are done, whoever waited for them */
void sg_race_commit(Gang *g);
void sg_race_wait(Gang *g, uint32_t left);
void sg_race_fence(Gang *g, bool release, bool acquire, bool block);
void sg_race_turn(Gang *g);
void sg_race_arrive(Gang *g, const Front *f, uint32_t id);
void sg_race_open(Gang *g, uint32_t id);
void sg_race_warps(Gang *g, const uint64_t *mask);
uint32_t sg_race_tick(Gang *g); /* a new time for the block */
bool sg_race_lost(const Run *run);
uint32_t sg_race_base(const Run *run);
extern uint32_t sg_race_generation; /* changes when times begin anew */

/* undefined.c: values taken from lanes that do not take part in a shuffle. An operation of the warps of the
 * running front, before it; false: a fault was raised, as below. */
bool sg_undefined_warp(Gang *g, const Ins *in);
/* While g->undefined: before an instruction for the lanes that g->m has; of what a guard left out,
 * after it, for the lanes of the front; an access whose place is known; and before a branch or barrier. */
void sg_undefined_step(Gang *g, const Ins *in);
bool sg_undefined_guard(Gang *g, const Ins *in);
bool sg_undefined_access(Gang *g, const Ins *in, const Spot *s);
bool sg_undefined_control(Gang *g, const Ins *in);
/* What a function of the device (g->calling) takes from memory of a lane, and makes there. */
bool sg_undefined_taken(Gang *g, uint32_t lane, const void *p, size_t bytes, const char *how);
void sg_undefined_made(Gang *g, const void *p, size_t bytes);
void sg_undefined_forget(Gang *g); /* a block begins */
void sg_undefined_free(Undefined *u);

/* Where a lane's access goes. */
static inline uint8_t *sg_spot_pointer(const Gang *g, const Spot *s, uint32_t lane) {
  return s->shape == SPOT_FLAT      ? s->p + (int64_t)lane * s->stride
         : s->shape == SPOT_OFFSETS ? s->p + s->off[lane]
                                    : g->ptrs[lane];
}

/* check.c, to others: raises the trouble of a check. */
void sg_check_raise(Gang *g, const Ins *in, uint32_t lane, CheckKind kind);

#endif
