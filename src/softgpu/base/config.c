/* The CUDALUA_SOFT_* switches: defaults, parsing, one table. */
#include "base/config.h"
#include "base/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

SgConfig sg_config = {.installed = 1,
                      .devices = 1,
                      .memory = (uint64_t)16 << 30,
                      .version = 13000,
                      .streams = SG_DEFERRED,
                      .timeout = SG_DEFAULT_TIMEOUT,
                      .gang = SG_MAX_THREADS,
                      .report = true,
                      .peers = true,
                      .poison = 0xA5};

bool sg_parse_int(const char *text, long lo, long hi, long *out) {
  char *end;
  errno = 0;
  long v = strtol(text, &end, 0);
  if (end == text || *end || errno || v < lo || v > hi) return false;
  *out = v;
  return true;
}

bool sg_parse_bytes(const char *text, uint64_t *out) {
  char *end;
  errno = 0;
  if (*text < '0' || *text > '9') return false;
  unsigned long long v = strtoull(text, &end, 0);
  int shift = 0;
  if (*end == 'K' || *end == 'k')
    shift = 10;
  else if (*end == 'M' || *end == 'm')
    shift = 20;
  else if (*end == 'G' || *end == 'g')
    shift = 30;
  if (shift) end++;
  if (*end || errno || v > ((uint64_t)1 << 43) >> shift) return false;
  *out = (uint64_t)v << shift;
  return true;
}

static bool parse_bool(const char *text, bool *out) {
  bool on = strcmp(text, "on") == 0 || strcmp(text, "1") == 0;
  if (!on && strcmp(text, "off") != 0 && strcmp(text, "0") != 0) return false;
  *out = on;
  return true;
}

static bool set_devices(const char *v) {
  long n;
  if (!sg_parse_int(v, 0, 8, &n)) return false;
  sg_config_devices((int)n);
  return true;
}

void sg_config_devices(int n) {
  sg_config.installed = sg_config.devices = n;
  for (int i = 0; i < n; i++) sg_config.visible[i] = i;
}

void sg_config_uuid(int device, char *bytes) {
  memcpy(bytes, "cudalua-softgpu", 16);
  bytes[15] = (char)(device + 1);
}

/* Is the text of n characters the beginning of the device's UUID, "GPU-63756461-6c75-..."? */
static bool begins_uuid(const char *text, size_t n, int device) {
  char bytes[16], whole[48] = "GPU-";
  size_t at = 4;
  sg_config_uuid(device, bytes);
  for (int i = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) whole[at++] = '-';
    at += (size_t)snprintf(whole + at, sizeof whole - at, "%02x", (unsigned char)bytes[i]);
  }
  return n > 4 && n <= at && strncasecmp(text, whole, n) == 0;
}

/* The number of the device that an entry of the list names; -1: none, or several. */
static int device_named(const char *text, size_t n) {
  int found = -1;
  if (n && strspn(text, "0123456789") >= n) {
    long number = n > 3 ? 999 : strtol(text, NULL, 10);
    return number < sg_config.installed ? (int)number : -1;
  }
  for (int i = 0; i < sg_config.installed; i++) {
    if (!begins_uuid(text, n, i)) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

void sg_config_visible(const char *list) {
  bool taken[8] = {false};
  int count = 0;
  while (true) {
    list += strspn(list, " ");
    const size_t n = strcspn(list, ", ");
    const int device = device_named(list, n);
    if (device < 0) break;
    if (taken[device]) {
      count = 0;
      break;
    }
    taken[device] = true;
    sg_config.visible[count++] = device;
    list += n + strspn(list + n, " ");
    if (*list++ != ',') break;
  }
  sg_config.devices = count;
}

static bool set_memory(const char *v) { return sg_parse_bytes(v, &sg_config.memory); }

static bool set_version(const char *v) {
  long n;
  if (!sg_parse_int(v, 2000, 13000, &n)) return false;
  sg_config.version = (int)n;
  return true;
}

bool sg_set_streams(const char *v) {
  long n = 1;
  if (strcmp(v, "deferred") == 0)
    sg_config.streams = SG_DEFERRED;
  else if (strcmp(v, "eager") == 0)
    sg_config.streams = SG_EAGER;
  else if (strcmp(v, "background") == 0)
    sg_config.streams = SG_BACKGROUND;
  else if (strcmp(v, "random") == 0 ||
           (strncmp(v, "random:", 7) == 0 && sg_parse_int(v + 7, 0, INT32_MAX, &n)))
    sg_config.streams = SG_RANDOM;
  else
    return false;
  sg_config.seed = (uint64_t)n;
  sg_config.streams_set = true;
  return true;
}

static bool set_time(const char *v) {
  sg_config.real_time = strcmp(v, "real") == 0;
  return sg_config.real_time || strcmp(v, "virtual") == 0;
}

static bool set_timeout(const char *v) {
  char *end;
  const bool off = strcmp(v, "off") == 0;
  const double t = off ? 0 : strtod(v, &end);
  if (!off && (end == v || *end || !(t >= 0 && t < 1e9))) return false;
  sg_config.timeout = t;
  return true;
}

/* "random" or "random:SEED" */
static bool parse_seed(const char *v, uint64_t *seed) {
  long n = 1;
  if (strncmp(v, "random", 6) != 0 || (v[6] && (v[6] != ':' || !sg_parse_int(v + 7, 0, INT32_MAX, &n))))
    return false;
  *seed = (uint64_t)n;
  return true;
}

static bool set_order(const char *v) {
  if (strcmp(v, "forward") == 0)
    sg_config.order = SG_FORWARD;
  else if (strcmp(v, "reverse") == 0)
    sg_config.order = SG_REVERSE;
  else if (parse_seed(v, &sg_config.order_seed))
    sg_config.order = SG_SHUFFLED;
  else
    return false;
  return true;
}

static bool set_threads(const char *v) {
  const bool any = strncmp(v, "auto", 4) != 0;
  long n = 0;
  if (any || v[4])
    if ((!any && v[4] != ':') || !sg_parse_int(any ? v : v + 5, 1, SG_MOST_THREADS, &n)) return false;
  sg_config.threads = (unsigned)n;
  sg_config.any_kernel = any;
  return true;
}

static bool set_gang(const char *v) {
  long n;
  if (!sg_parse_int(v, SG_WARP, SG_MAX_THREADS, &n) || n % SG_WARP) return false;
  sg_config.gang = (unsigned)n;
  return true;
}

static const struct {
  const char *name;
  unsigned bits;
} checks[] = {{"races", 1},
              {"uninitialised", SG_CHECKS_UNINITIALISED},
              {"barriers", 4},
              {"shuffles", 8},
              {"leaks", SG_CHECKS_LEAKS},
              {"arrays", 32},
              {"all", SG_CHECKS_ALL},
              {"off", 0},
              {"uninitialized", SG_CHECKS_UNINITIALISED}};

bool sg_parse_checks(const char *text, unsigned *out) {
  unsigned bits = 0;
  while (*text) {
    const size_t n = strcspn(text, ",");
    size_t i = 0;
    while (i < sizeof checks / sizeof *checks &&
           (strlen(checks[i].name) != n || memcmp(checks[i].name, text, n) != 0))
      i++;
    if (i == sizeof checks / sizeof *checks) return false;
    bits |= checks[i].bits;
    text += n + (text[n] == ',');
  }
  *out = bits;
  return true;
}

void sg_checks_text(unsigned bits, char *text, size_t room) {
  size_t at = 0;
  for (int i = 0; i < 6 && at < room; i++)
    if (bits & checks[i].bits)
      at += (size_t)snprintf(text + at, room - at, "%s%s", at ? "," : "", checks[i].name);
  if (!at) snprintf(text, room, "off");
}

static bool set_check(const char *v) { return sg_parse_checks(v, &sg_config.checks); }

static bool set_report(const char *v) {
  sg_config.json = strcmp(v, "json") == 0;
  if (sg_config.json || parse_bool(v, &sg_config.report)) return true;
  if (!strchr(v, '/') && !strchr(v, '.')) return false;
  if (strlen(v) >= sizeof sg_config.report_file) return false;
  strcpy(sg_config.report_file, v);
  return true;
}
static bool set_leaks(const char *v) { return parse_bool(v, &sg_config.leaks); }
static bool set_log(const char *v) { return parse_bool(v, &sg_config.log); }

static bool set_handles(const char *v) {
  sg_config.small_handles = strcmp(v, "small") == 0;
  return sg_config.small_handles || strcmp(v, "checked") == 0;
}

static bool set_poison(const char *v) {
  long n = -1;
  if (strcmp(v, "off") != 0 && !sg_parse_int(v, 0, 255, &n)) return false;
  sg_config.poison = (int)n;
  return true;
}

static bool set_fail(const char *v) {
  if (strlen(v) >= sizeof sg_config.fail) return false;
  strcpy(sg_config.fail, v);
  return true;
}

static const struct {
  const char *name;
  bool (*set)(const char *);
} schedule[] = {{"threads", set_threads}, {"order", set_order}, {"gang", set_gang}, {"timeout", set_timeout}};

bool sg_config_schedule(const char *name, const char *value) {
  for (size_t i = 0; i < sizeof schedule / sizeof *schedule; i++)
    if (strcmp(schedule[i].name, name) == 0) return schedule[i].set(value);
  return false;
}

void sg_config_schedule_text(char *text, size_t room) {
  char threads[32] = "auto", order[32];
  if (sg_config.threads)
    snprintf(threads, sizeof threads, "%s%u", sg_config.any_kernel ? "" : "auto:", sg_config.threads);
  if (sg_config.order == SG_SHUFFLED)
    snprintf(order, sizeof order, "random:%llu", (unsigned long long)sg_config.order_seed);
  else
    strcpy(order, sg_config.order == SG_REVERSE ? "reverse" : "forward");
  snprintf(text, room, "threads=%s order=%s gang=%u timeout=%g", threads, order, sg_config.gang,
           sg_config.timeout);
}

void sg_config_load(void) {
  static const struct {
    const char *name;
    bool (*set)(const char *);
    const char *takes; /* NULL: see docs/environment.md */
  } table[] = {{"DEVICES", set_devices, "a number from 0 to 8"},
               {"MEMORY", set_memory, NULL},
               {"VERSION", set_version, NULL},
               {"STREAMS", sg_set_streams, NULL},
               {"TIME", set_time, NULL},
               {"TIMEOUT", set_timeout, "seconds"},
               {"REPORT", set_report, NULL},
               {"LEAKS", set_leaks, NULL},
               {"LOG", set_log, NULL},
               {"POISON", set_poison, NULL},
               {"FAIL", set_fail, NULL},
               {"CHECK", set_check, "races, uninitialised, barriers, shuffles, arrays or all"},
               {"THREADS", set_threads, NULL},
               {"ORDER", set_order, NULL},
               {"GANG", set_gang, NULL},
               {"HANDLES", set_handles, "checked or small"}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    char name[64];
    snprintf(name, sizeof name, "CUDALUA_SOFT_%s", table[i].name);
    const char *v = getenv(name);
    if (v && *v && !table[i].set(v))
      fprintf(stderr, "softgpu: %s=%s is not valid and is ignored%s%s\n", name, v,
              table[i].takes ? "; it takes " : "", table[i].takes ? table[i].takes : "");
  }
  const char *visible = getenv("CUDA_VISIBLE_DEVICES"); /* CUDA_DEVICE_ORDER: all are alike */
  if (visible) sg_config_visible(visible);
}
