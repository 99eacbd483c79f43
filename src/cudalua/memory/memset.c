/* Fills. Sizes count elements of 8, 16 or 32 bits, as the driver's do; only pitches are bytes. */
#include "memory/copy.h"
#include "streams/activity.h"

/* The address at idx, which must be aligned to the element and have room for `bytes`. */
static CUdeviceptr target(lua_State *L, int idx, unsigned size, uint64_t bytes) {
  CUdeviceptr p = cl_device_side(L, idx, "dest", bytes);
  if (p % size)
    cl_logic(L, "dest: address 0x%llx is not a multiple of the %u bytes of an element", (unsigned long long)p,
             size);
  return p;
}

static unsigned element(lua_State *L, int idx) {
  long bits = cl_check_int(L, idx, "bits", 8, 32);
  if (bits != 8 && bits != 16 && bits != 32) cl_bad_argument(L, idx, "bits", "8, 16 or 32");
  return (unsigned)bits / 8;
}

static unsigned value(lua_State *L, int idx, unsigned size) {
  return (unsigned)cl_check_int(L, idx, "data", 0, (long)(UINT32_MAX >> (32 - 8 * size)));
}

static uint64_t product(lua_State *L, uint64_t a, uint64_t b) {
  uint64_t bytes;
  if (__builtin_mul_overflow(a, b, &bytes))
    cl_logic(L, "a fill of %.0f x %.0f bytes is more than 2^64", (double)a, (double)b);
  return bytes;
}

/* The stream at index `at` if the flag before it is set, else NULL: a fill of the form without a stream. */
static cl_Stream *begin(lua_State *L, int at) {
  cl_Context *ctx;
  if (lua_toboolean(L, at - 1)) return cl_begin_async(L, at, &ctx);
  cl_refuse_plain(L, "memset");
  return NULL;
}

/* memset(bits, dest, data, count [, async, stream]) */
int cl_memset(lua_State *L) {
  lua_settop(L, 6);
  cl_Stream *s = begin(L, 6);
  unsigned size = element(L, 1), data = value(L, 3, size);
  uint64_t count = cl_check_bytes(L, 4, "count");
  CUdeviceptr p = target(L, 2, size, product(L, count, size));
  if (!count) return 0;
  if (s) {
    CUstream h = cl_stream_handle(s);
    switch (size) {
    case 1:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, s, count * size, cuMemsetD8Async, p, (unsigned char)data,
                      count, h);
      break;
    case 2:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, s, count * size, cuMemsetD16Async, p, (unsigned short)data,
                      count, h);
      break;
    default: CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, s, count * size, cuMemsetD32Async, p, data, count, h);
    }
  } else
    switch (size) {
    case 1:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, &cl_legacy_stream, count * size, cuMemsetD8_v2, p,
                      (unsigned char)data, count);
      break;
    case 2:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, &cl_legacy_stream, count * size, cuMemsetD16_v2, p,
                      (unsigned short)data, count);
      break;
    default:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, &cl_legacy_stream, count * size, cuMemsetD32_v2, p, data,
                      count);
    }
  cl_used_in(L, 2, s ? s : &cl_legacy_stream);
  return 0;
}

/* memset_2d(bits, dest, pitch, data, width, height [, async, stream]): pitch in bytes, width in elements */
int cl_memset_2d(lua_State *L) {
  lua_settop(L, 8);
  cl_Stream *s = begin(L, 8);
  unsigned size = element(L, 1), data = value(L, 4, size);
  uint64_t pitch = cl_check_bytes(L, 3, "pitch"), width = cl_check_bytes(L, 5, "width"),
           height = cl_check_bytes(L, 6, "height"), row = product(L, width, size);
  if (pitch % size)
    cl_logic(L, "pitch: %.0f is not a multiple of the %u bytes of an element", (double)pitch, size);
  if (height > 1 && pitch < row)
    cl_logic(L, "pitch: %.0f bytes from row to row, but a row has %.0f", (double)pitch, (double)row);
  uint64_t bytes = height && width ? product(L, pitch, height - 1) : 0;
  if (height && width && __builtin_add_overflow(bytes, row, &bytes))
    cl_logic(L, "a fill of more than 2^64 bytes");
  CUdeviceptr p = target(L, 2, size, bytes);
  if (!bytes) return 0;
  if (s) {
    CUstream h = cl_stream_handle(s);
    switch (size) {
    case 1:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, s, row * height, cuMemsetD2D8Async, p, pitch,
                      (unsigned char)data, width, height, h);
      break;
    case 2:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, s, row * height, cuMemsetD2D16Async, p, pitch,
                      (unsigned short)data, width, height, h);
      break;
    default:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, s, row * height, cuMemsetD2D32Async, p, pitch, data, width,
                      height, h);
    }
  } else
    switch (size) {
    case 1:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, &cl_legacy_stream, row * height, cuMemsetD2D8_v2, p, pitch,
                      (unsigned char)data, width, height);
      break;
    case 2:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, &cl_legacy_stream, row * height, cuMemsetD2D16_v2, p, pitch,
                      (unsigned short)data, width, height);
      break;
    default:
      CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, &cl_legacy_stream, row * height, cuMemsetD2D32_v2, p, pitch,
                      data, width, height);
    }
  cl_used_in(L, 2, s ? s : &cl_legacy_stream);
  return 0;
}
