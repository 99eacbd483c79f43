/* Callbacks that the driver still has to make. It gets a ticket instead of an address: after a fault it may
 * call late, early or never, and an unknown ticket is ignored. */
#ifndef CUDALUA_PENDING_H
#define CUDALUA_PENDING_H

#include <stdint.h>

typedef struct cl_Pending {
  uint64_t ticket;
  uint64_t context; /* the handle of the context whose work it follows */
  struct cl_Pending *next;
} cl_Pending;

/* Adds p, which other threads may then take. Returns its ticket, which is never 0. */
uint64_t cl_pending_add(cl_Pending *p, uint64_t context);
/* Takes the one with this ticket. Returns NULL if it was taken before. */
cl_Pending *cl_pending_take(uint64_t ticket);
/* Takes all of a context, or of all contexts if it is 0. Returns a linked list, or NULL. */
cl_Pending *cl_pending_take_all(uint64_t context);

#endif
