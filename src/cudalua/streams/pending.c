/* The list of callbacks that the driver still has to make, for all Lua states of the process. The driver
 * mostly calls in the order of submission, so the wanted one is near the head of the list. */
#include "streams/pending.h"
#include "base/lock.h"

#include <stddef.h>

CL_LOCK(list_lock);
static cl_Pending *head, **tail = &head;
static uint64_t last_ticket;

uint64_t cl_pending_add(cl_Pending *p, uint64_t context) {
  pthread_mutex_lock(&list_lock);
  const uint64_t ticket = ++last_ticket;
  p->ticket = ticket;
  p->context = context;
  p->next = NULL;
  *tail = p;
  tail = &p->next;
  pthread_mutex_unlock(&list_lock);
  return ticket;
}

/* Takes out *at. */
static cl_Pending *take(cl_Pending **at) {
  cl_Pending *p = *at;
  *at = p->next;
  if (!p->next) tail = at;
  p->next = NULL;
  return p;
}

cl_Pending *cl_pending_take(uint64_t ticket) {
  pthread_mutex_lock(&list_lock);
  cl_Pending **at = &head;
  while (*at && (*at)->ticket != ticket) at = &(*at)->next;
  cl_Pending *p = *at ? take(at) : NULL;
  pthread_mutex_unlock(&list_lock);
  return p;
}

cl_Pending *cl_pending_take_all(uint64_t context) {
  cl_Pending *taken = NULL, **end = &taken;
  pthread_mutex_lock(&list_lock);
  for (cl_Pending **at = &head; *at;)
    if (!context || (*at)->context == context) {
      *end = take(at);
      end = &(*end)->next;
    } else
      at = &(*at)->next;
  pthread_mutex_unlock(&list_lock);
  return taken;
}
