/* In which order the blocks of a grid begin. */
#ifndef SOFTGPU_BLOCK_ORDER_H
#define SOFTGPU_BLOCK_ORDER_H

#include <stdint.h>

#include "base/config.h"

typedef struct Order {
  SgBlockOrder kind;
  uint64_t blocks;
  uint64_t window; /* blocks are mixed among so many neighbours */
  uint64_t seed;
} Order;

/* The number of the block in place `at` (0 to blocks - 1). */
uint64_t sg_order_at(const Order *o, uint64_t at);

#endif
