/* Calls that move data between the ranks of a group, through the shared memory. */
#ifndef CUDALUA_COLLECTIVE_H
#define CUDALUA_COLLECTIVE_H

#include "distributed/combine.h"
#include "distributed/segment.h"

typedef enum cl_CallKind {
  CL_BARRIER,
  CL_BROADCAST,
  CL_ALL_REDUCE,
  CL_REDUCE,
  CL_ALL_GATHER,
  CL_GATHER,
  CL_SCATTER,
  CL_REDUCE_SCATTER,
  CL_ALL_TO_ALL,
  CL_SEND,
  CL_RECV,
  CL_NCALLS
} cl_CallKind;

/* One rank's side of a call. Parts for ranks are in the order of the ranks. */
typedef struct cl_Call {
  cl_CallKind kind;
  const char *signature; /* all ranks must have the same */
  const void *input;     /* NULL: this rank has none, or gets none */
  void *output;
  size_t bytes; /* of one part */
  const cl_Combine *combine;
  cl_CombineOp op;
  uint32_t root; /* the member that has or gets it all, or, of send and recv, the other one */
} cl_Call;

typedef enum cl_CallEnd {
  CL_DONE,
  CL_DIFFERENT, /* signatures differ: nothing was written; cl_leave_call() leaves the group as before */
  CL_NOT_DONE   /* *outcome says why */
} cl_CallEnd;

/* Whether a member must have memory for what it gives and for what it gets. */
bool cl_call_gives(const cl_Call *call, uint32_t me);
bool cl_call_gets(const cl_Call *call, uint32_t me);

/* Makes the call. CL_DIFFERENT: messages[k] is what member k said; of send and recv, what is sent and what is
 * expected. They are good until cl_leave_call(), which must follow. */
cl_CallEnd cl_make_call(cl_Group *g, const cl_Call *call, const char **messages, cl_Outcome *outcome);
void cl_leave_call(cl_Group *g, const cl_Call *call);

/* Gives all members the messages of all. They are good until cl_end(), which must follow. */
cl_CallEnd cl_exchange(cl_Group *g, const char *message, const char **messages, cl_Outcome *outcome);

/* In place of a call that this rank refuses: the others get `signature`, which is no other call's. Does not
 * wait for those that are not there yet. */
cl_Outcome cl_refuse_call(cl_Group *g, const char *signature);

#endif
