/* What the driver is to call back about. It gets a ticket, not an address: after a kernel's fault it may call
 * late, early or never, and a ticket that is not known any more is nothing. */
#ifndef CUDALUA_PENDING_H
#define CUDALUA_PENDING_H

#include <stdint.h>

typedef struct cl_Pending {
  uint64_t ticket;
  uint64_t context; /* the handle of the context whose work it comes behind */
  struct cl_Pending *next;
} cl_Pending;

/* Adds p, which others may take from here on; returns its ticket, never 0. */
uint64_t cl_pending_add(cl_Pending *p, uint64_t context);
/* Takes the one with that ticket; NULL: it was taken. */
cl_Pending *cl_pending_take(uint64_t ticket);
/* Takes those of a context, 0: all; a chain, or NULL. */
cl_Pending *cl_pending_take_all(uint64_t context);

#endif
