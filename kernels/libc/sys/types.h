// Short names of integers, as old sources have them. NVRTC knows size_t and clock_t by itself.
#pragma once
#include <stdint.h>
#include <time.h>
typedef unsigned char u_char;
typedef unsigned short ushort, u_short;
typedef unsigned int uint, u_int;
typedef unsigned long ulong, u_long;
typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t, u_quad_t;
typedef int64_t quad_t, ssize_t;
