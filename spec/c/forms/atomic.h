/* What atomic operations do to memory. */
#ifndef SPEC_FORMS_ATOMIC_H
#define SPEC_FORMS_ATOMIC_H

#include "exact.h"
#include "form.h"

/* "add" ... as it is among the modifiers, or NULL. */
const char *atomic_operation(const Form *f);
/* The new value; b is what cas stores. */
u128 atomic_update(const char *op, Type t, bool global, u128 old, u128 a, u128 b);

#endif
