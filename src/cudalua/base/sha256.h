/* SHA-256 of one piece of memory. */
#ifndef CUDALUA_SHA256_H
#define CUDALUA_SHA256_H

#include <stddef.h>
#include <stdint.h>

void cl_sha256(const void *data, size_t size, uint8_t digest[32]);

#endif
