/* The driver's lock, for who runs operations. All others use what drv.h has of it. */
#ifndef SOFTGPU_LOCK_H
#define SOFTGPU_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void sg_lock_sleep(pthread_cond_t *until); /* drops the lock meanwhile */
void sg_lock_open(bool kernel);            /* a kernel begins that lets calls in, or has ended */
bool sg_lock_is_wanted(void);              /* a call waits for the lock; needs no lock itself */
void sg_lock_let_in(void);                 /* lets a call in that waits, if there is one */
void sg_lock_in_child(void);               /* the lock is made anew, and free */

#endif
