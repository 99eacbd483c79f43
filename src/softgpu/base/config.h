/* Switches of the software device. Each has an environment variable CUDALUA_SOFT_*, read once; some can be
 * changed at run time through cuSoftgpuControl. */
#ifndef SOFTGPU_CONFIG_H
#define SOFTGPU_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum SgStreams { SG_DEFERRED, SG_EAGER, SG_RANDOM, SG_BACKGROUND } SgStreams;
/* Nobody waits longer for a kernel on this device, unless it was told so: an endless loop ends in any CI. */
enum { SG_DEFAULT_TIMEOUT = 300, SG_MOST_THREADS = 64 };
typedef enum SgBlockOrder { SG_FORWARD, SG_REVERSE, SG_SHUFFLED } SgBlockOrder;

typedef struct SgConfig {
  int installed;     /* CUDALUA_SOFT_DEVICES: 0..8, default 1 */
  int devices;       /* of these the visible ones (CUDA_VISIBLE_DEVICES); 0: cuInit finds none */
  int visible[8];    /*   which device each of them is */
  uint64_t memory;   /* CUDALUA_SOFT_MEMORY: bytes of all devices together; K, M, G; default 16G */
  int version;       /* CUDALUA_SOFT_VERSION: driver version to report, e.g. 12020; default 13000 */
  SgStreams streams; /* CUDALUA_SOFT_STREAMS: deferred | eager | random:SEED | background */
  bool streams_set;  /*   chosen by the program or its user */
  uint64_t seed;     /*   of random */
  bool real_time;    /* CUDALUA_SOFT_TIME: virtual | real; what events measure */
  double timeout;    /* CUDALUA_SOFT_TIMEOUT: seconds until a kernel is stopped with 702; 0, off: never */
  unsigned
      threads; /* CUDALUA_SOFT_THREADS: auto | auto:N | N; that run a kernel, 0: as many as there are CPUs */
  bool any_kernel;     /*   N: kernels whose blocks depend on each other, too */
  SgBlockOrder order;  /* CUDALUA_SOFT_ORDER: forward | reverse | random:SEED; in which blocks begin */
  uint64_t order_seed; /*   of random */
  unsigned gang;       /* CUDALUA_SOFT_GANG: lanes that execute together, 32..1024 */
  bool report;         /* CUDALUA_SOFT_REPORT: on | off | json | FILE; faults on stderr when no log callback
                        * listens; or each as a line of JSON on stderr, or at the end of a file */
  bool json;
  char report_file[512];
  unsigned checks;    /* CUDALUA_SOFT_CHECK: a list of SG_CHECKS_* names, or all */
  bool leaks;         /* CUDALUA_SOFT_LEAKS: on | off; list what is alive at process exit on stderr */
  bool peers;         /* devices can reach each other's memory; control command only */
  bool log;           /* CUDALUA_SOFT_LOG: on | off; call log from the start */
  bool small_handles; /* CUDALUA_SOFT_HANDLES: checked | small; numbers of textures and surfaces (image.h) */
  int poison;         /* CUDALUA_SOFT_POISON: 0..255 | off; fill byte of fresh memory */
  char fail[1024];    /* CUDALUA_SOFT_FAIL: api:nth[:error[:sticky]],... */
} SgConfig;

/* The checks; those of kernels have the values of SG_CHECK_* (machine.h). */
enum { SG_CHECKS_KERNELS = 47, SG_CHECKS_UNINITIALISED = 2, SG_CHECKS_LEAKS = 16, SG_CHECKS_ALL = 63 };

extern SgConfig sg_config;

/* "deferred", "eager", "random", "random:SEED", "background"; false, and nothing is changed: something else.
 */
bool sg_set_streams(const char *text);
/* "races,leaks", "all", "off"; false: another word is in it. */
bool sg_parse_checks(const char *text, unsigned *out);
/* The names of checks, with commas; "off" for none. */
void sg_checks_text(unsigned checks, char *text, size_t room);

/* What kernels run with, changed by a command too: "threads", "order", "gang", "timeout". False: that value
 * makes no sense. And all of them as text, "threads=auto order=forward ...". */
bool sg_config_schedule(const char *name, const char *value);
void sg_config_schedule_text(char *text, size_t room);

/* So many devices, all of them visible. */
void sg_config_devices(int n);
/* The visible ones, as the driver reads CUDA_VISIBLE_DEVICES: numbers and "GPU-" with the beginning of a
 * UUID, up to the first that is no device. A device that is named twice hides all. */
void sg_config_visible(const char *list);
/* The UUID of the installed device with that number: 16 bytes. */
void sg_config_uuid(int device, char *bytes);

/* Reads the environment. A value that makes no sense is named on stderr and ignored. */
void sg_config_load(void);
bool sg_parse_bytes(const char *text, uint64_t *out);
bool sg_parse_int(const char *text, long lo, long hi, long *out);

#endif
