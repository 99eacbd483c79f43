/* The call log (what a test asserts on), growing strings, and the messages that go to the callbacks of
 * cuLogsRegisterCallback. */
#include "driver/background.h"
#include "driver/drv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_ROOM = 1 << 18 }; /* older calls are dropped */

typedef struct LogLine {
  uint64_t serial, ctx;
  const char *symbol; /* a literal */
  CUresult result;
  char *args;
} LogLine;

typedef struct RunLine {
  uint64_t seq, stream;
  const char *name; /* a literal */
  int node;
} RunLine;

_Atomic bool sg_log_on;
static LogLine *lines;
static uint64_t first, count; /* of the ring */
static RunLine *runs;
static uint64_t run_count; /* since the log was cleared: the last LOG_ROOM are there */

void sg_log_add(const char *symbol, CUresult result, uint64_t ctx, const char *args) {
  if (!lines && !(lines = calloc(LOG_ROOM, sizeof *lines))) return;
  LogLine *l = &lines[(first + count) % LOG_ROOM];
  if (count == LOG_ROOM) {
    free(l->args);
    first++;
  } else {
    count++;
  }
  *l = (LogLine){sg_state.calls, ctx, symbol, result, strdup(args)};
}

void sg_log_clear(void) {
  for (uint64_t i = 0; i < count; i++) free(lines[(first + i) % LOG_ROOM].args);
  free(lines);
  lines = NULL;
  first = count = 0;
  free(runs);
  runs = NULL;
  run_count = 0;
}

void sg_log_print(SgText *t) {
  for (uint64_t i = 0; i < count; i++) {
    const LogLine *l = &lines[(first + i) % LOG_ROOM];
    sg_text_add(t, "%llu %s %d 0x%llx %s\n", (unsigned long long)l->serial, l->symbol, (int)l->result,
                (unsigned long long)l->ctx, l->args ? l->args : "");
  }
}

/* By the numbers that programs have for the default streams. */
static uint64_t number_of(const SgStream *s) {
  return s->kind == SG_LEGACY       ? SG_X(CU_STREAM_LEGACY)
         : s->kind == SG_PER_THREAD ? SG_X(CU_STREAM_PER_THREAD)
                                    : SG_X(s->o.handle);
}

void sg_log_run(const SgStream *s, uint64_t seq, const char *name, int node) {
  if (!sg_log_on || (!runs && !(runs = calloc(LOG_ROOM, sizeof *runs)))) return;
  runs[run_count++ % LOG_ROOM] = (RunLine){seq, number_of(s), name, node};
}

void sg_log_print_runs(SgText *t) {
  for (uint64_t i = run_count > LOG_ROOM ? run_count - LOG_ROOM : 0; i < run_count; i++) {
    const RunLine *r = &runs[i % LOG_ROOM];
    sg_text_add(t, "%llu %s stream=0x%llx", (unsigned long long)r->seq, r->name,
                (unsigned long long)r->stream);
    if (r->node >= 0) sg_text_add(t, " node=%d", r->node);
    sg_text_add(t, "\n");
  }
}

void sg_text_add(SgText *t, const char *format, ...) {
  char piece[4096];
  va_list ap;
  va_start(ap, format);
  int n = vsnprintf(piece, sizeof piece, format, ap);
  va_end(ap);
  if (n < 0) return;
  size_t len = (size_t)n < sizeof piece ? (size_t)n : sizeof piece - 1;
  if (t->size + len + 1 > t->room) {
    size_t room = (t->room + len + 1) * 2;
    char *data = realloc(t->data, room);
    if (!data) {
      t->failed = true;
      return;
    }
    t->data = data;
    t->room = room;
  }
  memcpy(t->data + t->size, piece, len + 1);
  t->size += len;
}

/* --- messages --- */

typedef struct Callback {
  SgObject o;
  CUlogsCallback function;
  void *data;
  struct Callback *next;
} Callback;

static Callback *callbacks;

typedef struct Message {
  struct Message *next;
  CUlogLevel level;
  char text[2048];
} Message;

static _Thread_local Message *pending;
static Message *unclaimed; /* of the thread that runs work in the background */

void sg_say(CUlogLevel level, const char *format, ...) {
  if (!callbacks) return;
  Message *m = malloc(sizeof *m);
  if (!m) return;
  va_list ap;
  va_start(ap, format);
  vsnprintf(m->text, sizeof m->text, format, ap);
  va_end(ap);
  m->level = level;
  m->next = NULL;
  Message **at = sg_background_is_here() ? &unclaimed : &pending;
  while (*at) at = &(*at)->next;
  *at = m;
}

/* What work said that runs in the background goes to the call that answers its error, on the thread of that
 * call; if there is no error, to the next call. */
void sg_say_claim(CUresult result) {
  const CUresult sticky = sg_state.device[0].sticky; /* the same for all */
  if (!unclaimed || (sticky && result != sticky) || sg_background_is_here()) return;
  Message **at = &pending;
  while (*at) at = &(*at)->next;
  *at = unclaimed;
  unclaimed = NULL;
}

void sg_report_json(const char *json) {
  if (sg_config.json) fprintf(stderr, "%s\n", json);
  FILE *f = sg_config.report_file[0] ? fopen(sg_config.report_file, "ae") : NULL;
  if (!f) return;
  fprintf(f, "%s\n", json);
  fclose(f);
}

void sg_report_as(const char *text, const char *json) {
  sg_state.failed = NULL;
  snprintf(sg_state.report, sizeof sg_state.report, "%s", text);
  snprintf(sg_state.json, sizeof sg_state.json, "%s", json);
  if (json[0]) sg_report_json(json);
  if (callbacks)
    sg_say(CU_LOG_LEVEL_ERROR, "%s", text);
  else if (sg_config.report && !(sg_config.json && json[0]))
    fprintf(stderr, "softgpu: %s\n", text);
}

void sg_report(const char *text) { sg_report_as(text, ""); }

void sg_report_leak(const char *text, const char *json) {
  sg_report_json(json);
  if (!sg_config.json) fprintf(stderr, "softgpu: leak: %s\n", text);
}

void sg_json_escape(char *to, size_t room, const char *text) {
  size_t at = 0;
  for (; *text && at + 8 < room; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c < 32) {
      at += (size_t)snprintf(to + at, room - at, "\\u%04x", c);
      continue;
    }
    if (c == '"' || c == '\\') to[at++] = '\\';
    to[at++] = *text;
  }
  to[at] = 0;
}

typedef struct Delivery {
  CUlogsCallback function;
  void *data;
  Message *message;
} Delivery;

static void deliver(void *arg) {
  Delivery *d = arg;
  d->function(d->data, d->message->level, d->message->text, strlen(d->message->text));
}

/* Callbacks run without the lock; the list may change meanwhile, so it is walked by place, not by link. */
static void deliver_to_all(Message *m) {
  for (int place = 0;; place++) {
    Callback *c = callbacks;
    for (int i = 0; c && i < place; i++) c = c->next;
    if (!c) return;
    Delivery d = {c->function, c->data, m};
    sg_call_user(deliver, &d);
  }
}

void sg_say_deliver(void) {
  if (!pending) return;
  Message *m = pending;
  pending = NULL;
  sg_lock_take_beside();
  while (m) {
    Message *next = m->next;
    deliver_to_all(m);
    free(m);
    m = next;
  }
  sg_lock_drop();
}

static CUresult register_callback(CUlogsCallback function, void *data, CUlogsCallbackHandle *out) {
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  Callback *c = calloc(1, sizeof *c);
  if (!c || !sg_handle_new(SG_H_CALLBACK, &c->o, NULL)) {
    free(c);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  c->function = function;
  c->data = data;
  c->next = callbacks;
  callbacks = c;
  if (out) *out = c->o.handle; /* without it, the function is there for good */
  return CUDA_SUCCESS;
}

static CUresult unregister_callback(CUlogsCallbackHandle handle) {
  CUresult code;
  Callback *c = sg_handle_get(SG_H_CALLBACK, handle, &code);
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  Callback **at = &callbacks;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  sg_handle_free(&c->o, false);
  free(c);
  return CUDA_SUCCESS;
}

SG_API CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData,
                                       CUlogsCallbackHandle *callback_out) {
  SG_CALL(SG_NEED_NOTHING, register_callback(callbackFunc, userData, callback_out), "handle=0x%llx",
          SG_OUT(callback_out));
}

SG_API CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
  SG_CALL(SG_NEED_NOTHING, unregister_callback(callback), "handle=0x%llx", SG_X(callback));
}
