/* The thread that runs the work of streams in the background (CUDALUA_SOFT_STREAMS=background). All functions
 * are called with the lock. */
#ifndef SOFTGPU_BACKGROUND_H
#define SOFTGPU_BACKGROUND_H

#include <stdbool.h>

bool sg_background(void);         /* work runs in the background */
bool sg_background_waits(void);   /* ... and the calling thread leaves it to the one that runs it */
bool sg_background_is_here(void); /* the calling thread is that one */
void sg_background_wake(void);    /* there is work */
/* The calling thread begins a function of the program's, or is back: says so if it is the one of the
 * background. */
void sg_background_away(bool away);
void sg_background_ends(
    void); /* the process ends, and a kernel stops; without the lock, which the kernel may have */
void sg_background_end(void); /* the process ends: what runs stops, what is queued does not run */
void sg_background_in_child(void);

#endif
