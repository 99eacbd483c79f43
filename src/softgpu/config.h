/* Switches of the software device. Each has an environment variable CUDALUA_SOFT_*, read once; some can be
 * changed at run time through cuSoftgpuControl. */
#ifndef SOFTGPU_CONFIG_H
#define SOFTGPU_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum SgStreams { SG_DEFERRED, SG_EAGER, SG_RANDOM } SgStreams;

typedef struct SgConfig {
  int devices;       /* CUDALUA_SOFT_DEVICES: 0..8, default 1 */
  uint64_t memory;   /* CUDALUA_SOFT_MEMORY: bytes of all devices together; K, M, G; default 16G */
  int version;       /* CUDALUA_SOFT_VERSION: driver version to report, e.g. 12020; default 13000 */
  SgStreams streams; /* CUDALUA_SOFT_STREAMS: deferred | eager | random:SEED */
  uint64_t seed;     /*   of random */
  bool real_time;    /* CUDALUA_SOFT_TIME: virtual | real; what events measure */
  double timeout;    /* CUDALUA_SOFT_TIMEOUT: seconds until a kernel is stopped with 702; 0: never */
  bool report;       /* CUDALUA_SOFT_REPORT: on | off | json | FILE; faults on stderr when no log callback
                      * listens; or each as a line of JSON on stderr, or at the end of a file */
  bool json;
  char report_file[512];
  unsigned checks; /* CUDALUA_SOFT_CHECK: a list of SG_CHECKS_* names, or all */
  bool leaks;      /* CUDALUA_SOFT_LEAKS: on | off; list what is alive at process exit on stderr */
  bool peers;      /* devices can reach each other's memory; control command only */
  bool log;        /* CUDALUA_SOFT_LOG: on | off; call log from the start */
  int poison;      /* CUDALUA_SOFT_POISON: 0..255 | off; fill byte of fresh memory */
  char fail[1024]; /* CUDALUA_SOFT_FAIL: api:nth[:error[:sticky]],... */
} SgConfig;

/* The checks; those of kernels have the values of SG_CHECK_* (machine.h). */
enum { SG_CHECKS_KERNELS = 15, SG_CHECKS_UNINITIALISED = 2, SG_CHECKS_LEAKS = 16, SG_CHECKS_ALL = 31 };

extern SgConfig sg_config;

/* "races,leaks", "all", "off"; false: another word is in it. */
bool sg_parse_checks(const char *text, unsigned *out);
/* The names of checks, with commas; "off" for none. */
void sg_checks_text(unsigned checks, char *text, size_t room);

/* Reads the environment. A value that makes no sense is named on stderr and ignored. */
void sg_config_load(void);
bool sg_parse_bytes(const char *text, uint64_t *out);
bool sg_parse_int(const char *text, long lo, long hi, long *out);

#endif
