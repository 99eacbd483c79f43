/* Memory that the ranks of one machine share. It records their processes, lets them wait for each other, and
 * holds buffers. Nothing here uses Lua or CUDA.
 *
 * There are no locks. Each word has one writer; the others are counters, which only grow, and words that are
 * set once by an exchange. So a rank that ends at any instruction leaves nothing locked and nothing half
 * done.
 *
 * A group is a row: for each member the number of its last step (`step`) and of the last step whose data it
 * has read to the end (`done`). All members make the same steps, since they agreed on the call in the first
 * one. A call is: begin(), publish() with data in this rank's buffers, meet(), reading others' buffers, more
 * rounds of the same, end(). */
#ifndef CUDALUA_SEGMENT_H
#define CUDALUA_SEGMENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  CL_MOST_RANKS = 64,
  CL_MOST_GROUPS = 256,
  CL_TEXT = 4096,        /* bytes of a message, with the zero at its end */
  CL_HALF = 512 * 1024,  /* a rank has two of these */
  CL_CHANNEL = 64 * 1024 /* and two of these for each other rank that it sends to */
};

/* Others sleep on it until it has reached a value. A cache line, so that ranks do not slow each other down.
 */
typedef struct cl_Word {
  _Atomic uint32_t value, sleepers;
  uint8_t rest[56];
} cl_Word;

typedef struct cl_Member {
  cl_Word step, done;
} cl_Member;

typedef struct cl_Row {
  _Atomic uint32_t used, released;
  uint8_t rest[56];
  cl_Member member[CL_MOST_RANKS];
} cl_Row;

/* What one rank tells the others of itself; `launched`, `ended` and `status` come from the launcher. */
typedef struct cl_Rank {
  _Atomic uint32_t launched; /* the process that is this rank, whether it joins or not; 0: any may join */
  _Atomic uint32_t pid;      /* of the process that has joined; 0: none yet */
  _Atomic uint64_t
      start; /* when that process began, so that another one with its number is not taken for it */
  _Atomic uint32_t ended; /* status is what waitpid() said */
  _Atomic int32_t status;
  _Atomic uint32_t finished; /* its program has ended, and its device has nothing left to do */
  _Atomic uint32_t calls;    /* of all ranks that it has begun on its device */
  /* What it waits for: odd while it does. */
  _Atomic uint32_t epoch, awaited, target;
  _Atomic uint64_t word; /* where that is in the memory */
  char call[256];        /* its last one, "all_reduce (script.lua:7)" */
  char why[CL_TEXT];     /* it failed */
  char message[CL_TEXT]; /* for the members of the group that it calls in */
} cl_Rank;

/* From one rank to another. */
typedef struct cl_Channel {
  cl_Word written, read;
  char text[CL_TEXT], answer[CL_TEXT]; /* what is sent, and what was expected */
  uint8_t data[2][CL_CHANNEL];
} cl_Channel;

typedef struct cl_Segment {
  uint64_t magic, bytes;
  uint32_t size;
  _Atomic uint32_t failed; /* 1 + the rank, and a cl_Failure << 16; 0: all is well */
  uint8_t rest[40];
  cl_Rank rank[CL_MOST_RANKS];
  cl_Row row[CL_MOST_GROUPS]; /* the first one is that of all ranks */
  /* and then, for `size` ranks: halves, channels */
} cl_Segment;

typedef enum cl_Failure {
  CL_F_DIED, /* its process has ended */
  CL_F_WHY,  /* it says why */
  CL_F_SAID, /* as before, in words that stand by themselves */
} cl_Failure;

typedef enum cl_Outcome {
  CL_MET,
  CL_FAILED,           /* cl_failure_text() says why */
  CL_INTERRUPTED_WAIT, /* the caller's `stop` said so */
} cl_Outcome;

/* This process's part. */
typedef struct cl_World {
  _Atomic uint32_t refs;
  cl_Segment *s;
  uint32_t rank;
  int fd;
  _Atomic double limit; /* seconds that a wait may take */
  bool (*stop)(void *); /* asked now and then during a wait */
  void *stop_arg;
  struct { /* the group of the last call: others may still read this rank's buffers */
    const cl_Row *row;
    uint32_t step, count;
    uint8_t ranks[CL_MOST_RANKS];
  } last;
} cl_World;

typedef struct cl_Group {
  cl_World *w;
  cl_Row *row;
  uint32_t count, me; /* members, and this one's number among them */
  uint32_t step;
  uint8_t ranks[CL_MOST_RANKS];
} cl_Group;

size_t cl_segment_bytes(uint32_t size);
/* A new segment for so many ranks; -1: errno says why. The descriptor closes on exec. */
int cl_segment_create(uint32_t size);
/* Maps it; NULL: errno says why, or *problem if it is no segment of this version. */
cl_Segment *cl_segment_map(int fd, const char **problem);

/* Takes a rank for this process; false: another one has it. */
bool cl_claim(cl_Segment *s, uint32_t rank);

/* The world is failed for all, if it is not already. `why`: for CL_F_WHY and CL_F_SAID. */
void cl_fail_world(cl_World *w, cl_Failure kind, uint32_t rank, const char *why);
bool cl_world_failed(const cl_World *w);
void cl_failure_text(const cl_World *w, char *text, size_t size);
/* The error of ranks that wait for each other, for all transports, with what to do. waits: n texts such as
 * "rank 0 in send (script.lua:7)". */
void cl_circle_text(char *text, size_t size, const char *const *waits, size_t n);
/* The rank that failed first; -1: none. */
int cl_failed_rank(const cl_World *w);
/* What waitpid() says of a rank that ended: "was killed by signal 9 (Killed)". */
void cl_status_text(int status, char *text, size_t size);

/* A rank whose process has ended with an error; -1: none. With `left`, any rank that this one may wait for in
 * vain: its process has ended, or its program has, with fewer calls of all ranks than this one has begun.
 * Takes the launcher's word alone: for a look now and then. */
int cl_gone_rank(const cl_World *w, bool left);
/* The first rank that has begun fewer calls of all ranks than this one; -1: none. */
int cl_late_rank(const cl_World *w);

/* Waits until the word, which the rank `owner` writes, has reached the value. */
cl_Outcome cl_wait_word(cl_World *w, const cl_Word *word, uint32_t target, uint32_t owner);
void cl_set_word(cl_Word *word, uint32_t value);

/* The steps of a call. */
void cl_say_call(cl_World *w, const char *call);
cl_Outcome cl_begin(cl_Group *g); /* this rank's buffers and its message may be written */
void cl_publish(cl_Group *g);     /* they were: one step more */
cl_Outcome cl_meet(cl_Group *g);  /* all others have published as many */
void cl_end(cl_Group *g);         /* this rank reads no more of the others' */

uint8_t *cl_half(const cl_World *w, uint32_t rank, unsigned half);
cl_Channel *cl_channel(const cl_World *w, uint32_t from, uint32_t to);

/* A row for a new group, whose steps begin at *step; NULL: all are in use. By one of its members, who tells
 * the others. */
cl_Row *cl_take_row(cl_World *w, uint32_t *step);
void cl_leave_row(cl_Group *g); /* each member once */

#endif
