/* The line on a terminal that says how far something long has come: a compilation, a kernel of the software
 * device, or a loop of the program (cuda.progress). One line for the process; whoever draws last is seen. */
#ifndef CUDALUA_PROGRESS_H
#define CUDALUA_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Compilations and kernels draw lines: cuda.show_progress(), the command, or CUDALUA_PROGRESS=1. */
bool cl_progress_is_on(void);
/* Tells the driver, which was opened since, or is asked to be silent. */
void cl_progress_listen(void);

/* Nothing where fd is no terminal. loop: the program goes on, and may print, while the line is shown. */
void cl_progress_show(int fd, const char *text, bool loop);
void cl_progress_erase(void);
void cl_progress_leave(void); /* what is written next begins on a line of its own */
/* "0:07", "1:02:03" */
const char *cl_progress_time(uint64_t seconds, char *text, unsigned room);

uint64_t cl_progress_ms(void); /* a clock */

/* The compilation at hand is number i of n in the calling thread, of which the first began at `since`; n 0:
 * it is alone. */
typedef struct cl_ProgressPart {
  unsigned i, n;
  uint64_t since; /* ms */
} cl_ProgressPart;
extern _Thread_local cl_ProgressPart cl_progress_part;

#endif
