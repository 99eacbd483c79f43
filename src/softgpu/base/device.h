/* What machine, decoder and driver have to agree on: the shape of a device, and the codes that a launch or a
 * module ends with, which are CUresult values as plain ints. */
#ifndef SOFTGPU_DEVICE_H
#define SOFTGPU_DEVICE_H

enum {
  SG_SM_COUNT = 16,
  SG_SM_THREADS = 2048,
  SG_SM_BLOCKS = 32,
  SG_WARP = 32,
  SG_MAX_THREADS = 1024, /* of a block */
  SG_BARRIERS = 16,      /* of a block */
  SG_STACK = 1024        /* bytes of a thread, unless a limit is set */
};

enum {
  SG_OUT_OF_MEMORY = 2,
  SG_INVALID_PTX = 218,
  SG_ILLEGAL_ADDRESS = 700,
  SG_TIMEOUT = 702,
  SG_ASSERTED = 710,
  SG_ILLEGAL_INSTRUCTION = 715,
  SG_MISALIGNED = 716,
  SG_INVALID_PC = 718,
  SG_LAUNCH_FAILED = 719,
  SG_NOT_SUPPORTED = 801,
  SG_INTERRUPTED = -1 /* no CUresult: the program asked for the end (sg_interrupt_look) */
};

#endif
