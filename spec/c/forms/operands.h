/* Values that instructions are tried on. */
#ifndef SPEC_FORMS_OPERANDS_H
#define SPEC_FORMS_OPERANDS_H

#include <stdint.h>

uint64_t any_bits(void); /* random, the same in every run */
/* Operand k of case number i, by the letters of all operands: first every pair of edges of the first two,
 * then edges and other values by chance. */
uint64_t operand(const char *letters, int k, uint32_t i);

#endif
