/* The structures of tensors that other libraries use: which of them are out, and which came back. */
#ifndef CUDALUA_LENT_H
#define CUDALUA_LENT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum cl_LentState {
  CL_LENT_UNKNOWN, /* no structure of this process, or one that came back long ago */
  CL_LENT_OUT,
  CL_LENT_TAKEN, /* by this process itself */
  CL_LENT_BACK,  /* its deleter was called */
} cl_LentState;

/* Zeros for a structure, which is out from now on. NULL: no memory. */
void *cl_lent_new(size_t bytes);

/* Any address may be asked about: nothing is read there. */
cl_LentState cl_lent_state(const void *structure);

/* This process takes the structure; false: it was taken before, or came back. One that is unknown can be
 * taken. */
bool cl_lent_take(const void *structure);

/* The deleter is called; false: it was before, and the structure may be gone. */
bool cl_lent_back(const void *structure);

/* Nothing refers to the structure any more. Its memory stays for a while, so that its address is known. */
void cl_lent_drop(void *structure);

#endif
