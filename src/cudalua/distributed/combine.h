/* Values of several ranks, combined element by element in host memory. */
#ifndef CUDALUA_COMBINE_H
#define CUDALUA_COMBINE_H

#include <stdbool.h>
#include <stddef.h>

enum { CL_MOST_BUFFERS = 4095 };

typedef enum cl_CombineOp { CL_SUM, CL_PROD, CL_MIN, CL_MAX, CL_MEAN, CL_NOPS } cl_CombineOp;

extern const char *const cl_combine_ops[CL_NOPS + 1]; /* their names, and NULL */

typedef struct cl_Combine cl_Combine; /* what a dtype does for each operation */

/* By the dtype's name; NULL: it cannot be combined. */
const cl_Combine *cl_combine_by_name(const char *dtype);
/* Whether the dtype has this operation. */
bool cl_combine_has(const cl_Combine *c, cl_CombineOp op);
size_t cl_combine_size(const cl_Combine *c); /* bytes of an element */

/* Combines `count` elements of `n` buffers, CL_MOST_BUFFERS at most, to out: as a binary tree over the
 * buffers' numbers, 0 with 1, 2 with 3, then pairs with pairs. 16-bit floats are float32 on the way. The
 * buffers need no alignment; out may be one of them. */
void cl_combine(const cl_Combine *c, cl_CombineOp op, const void *const *from, unsigned n, size_t count,
                void *out);

#endif
