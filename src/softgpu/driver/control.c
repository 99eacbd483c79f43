/* cuSoftgpuControl: an export that no real driver has, as cuSoftgpuBlock is (driver/memory.c)
 * and cuSoftgpuInterrupt, cuSoftgpuProgress (driver/interrupt.c) and cuSoftgpuProfile (driver/profile.c). A
 * text protocol by which tests read the call log, inject faults, count what is alive and start over. Its
 * presence tells the caller that this is the software device. Not logged, never injected. */
#include "driver/background.h"
#include "driver/drv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 6 };

typedef struct Command {
  char *word[MAX_WORDS];
  int words;
  SgText reply;
} Command;

static bool untouched(void) { return sg_state.life == SG_NEW; }

static bool cmd_log(Command *c) {
  const char *how = c->word[1];
  if (c->words == 1)
    sg_log_print(&c->reply);
  else if (strcmp(how, "on") == 0)
    sg_log_on = true;
  else if (strcmp(how, "off") == 0)
    sg_log_on = false;
  else if (strcmp(how, "clear") == 0)
    sg_log_clear();
  else
    return false;
  return true;
}

static bool cmd_fail(Command *c) {
  if (c->words == 2 && strcmp(c->word[1], "clear") == 0) {
    sg_fault_clear();
    return true;
  }
  bool sticky = c->words == 5 && strcmp(c->word[4], "sticky") == 0;
  if (c->words < 3 || (c->words == 5 && !sticky)) return false;
  return sg_fault_set(c->word[1], c->word[2], c->words > 3 ? c->word[3] : NULL, sticky);
}

/* How often each function was called, or one of them. */
static bool cmd_calls(Command *c) {
  const char *one = c->words == 2 ? c->word[1] : NULL;
  if (c->words > 2 || (one && strcmp(one, "clear") != 0 && !sg_entry_since(one))) return false;
  bool clear = one && strcmp(one, "clear") == 0, found = false;
  for (SgEntry *e = sg_entries; e; e = e->next) {
    if (clear) e->calls = 0;
    if (!e->calls || (one && strcmp(one, e->name) != 0)) continue;
    sg_text_add(&c->reply, "%s %llu\n", e->name, (unsigned long long)e->calls);
    found = true;
  }
  if (one && !clear && !found) sg_text_add(&c->reply, "%s 0\n", one);
  return true;
}

static bool cmd_attribute(Command *c) {
  long id, value = 0;
  if (c->words == 2 && strcmp(c->word[1], "reset") == 0) {
    sg_attributes_reset();
    return true;
  }
  if (c->words != 3 || !sg_parse_int(c->word[1], 1, INT32_MAX, &id)) return false;
  bool hide = strcmp(c->word[2], "hide") == 0;
  if (!hide && !sg_parse_int(c->word[2], INT32_MIN, INT32_MAX, &value)) return false;
  return sg_attribute_override((int)id, hide, (int)value);
}

static bool cmd_peers(Command *c) {
  bool on = c->words == 2 && strcmp(c->word[1], "on") == 0;
  if (!on && (c->words != 2 || strcmp(c->word[1], "off") != 0)) return false;
  sg_config.peers = on;
  return true;
}

/* As if the driver had shut down, or as if this were a forked child: until reset, which takes both back where
 * they were only pretended. */
static bool cmd_life(Command *c) {
  if (c->words != 1 || sg_state.life == SG_GONE || sg_state.life == SG_FORKED) return false;
  sg_state.life = strcmp(c->word[0], "deinit") == 0 ? SG_GONE : SG_FORKED;
  sg_state.pretended = true;
  return true;
}

static bool cmd_devices(Command *c) {
  long n;
  if (c->words != 2 || !sg_parse_int(c->word[1], 0, SG_MAX_DEVICES, &n)) return false;
  if (!untouched()) {
    sg_text_add(&c->reply, "devices: only before cuInit or after reset\n");
    return false;
  }
  sg_config_devices((int)n);
  return true;
}

static bool cmd_memory(Command *c) {
  if (!untouched()) {
    sg_text_add(&c->reply, "memory: only before cuInit or after reset\n");
    return false;
  }
  return c->words == 2 && sg_parse_bytes(c->word[1], &sg_config.memory);
}

static bool cmd_reset(Command *c) {
  bool over = sg_state.life == SG_GONE || sg_state.life == SG_FORKED;
  if (c->words != 1 || (over && !sg_state.pretended)) return false;
  sg_reset();
  return true;
}

typedef struct Sum {
  uint64_t count, bytes, registered, imported, heap, heap_bytes;
} Sum;

/* Registered and imported memory is not the device's. */
static void add_alloc(SgAlloc *a, void *arg) {
  Sum *s = arg;
  if (a->kind == SG_HEAP && a->held) {
    s->heap++;
    s->heap_bytes += a->size;
  }
  if (!sg_alloc_counts(a)) return;
  if (a->kind == SG_REGISTERED) {
    s->registered++;
  } else if (a->kind == SG_IMPORTED) {
    s->imported++;
  } else {
    s->count++;
    s->bytes += a->size;
  }
}

static void add_stream(SgObject *o, void *arg) {
  if (sg_stream_counts((const SgStream *)o)) (*(uint64_t *)arg)++;
}

static void add_array(SgObject *o, void *arg) {
  if (!((const SgArray *)o)->mipmap) (*(uint64_t *)arg)++;
}

static void add_image(SgObject *o, void *arg) {
  if (!sg_image_is_part(o)) (*(uint64_t *)arg)++;
}

static bool cmd_stats(Command *c) {
  Sum s = {0};
  uint64_t streams = 0, arrays = 0, textures = 0, surfaces = 0;
  sg_arena_each(0, add_alloc, &s);
  sg_handles_each(SG_H_STREAM, NULL, add_stream, &streams);
  sg_handles_each(SG_H_ARRAY, NULL, add_array, &arrays);
  sg_handles_each(SG_H_TEXTURE, NULL, add_image, &textures);
  sg_handles_each(SG_H_SURFACE, NULL, add_image, &surfaces);
  const struct {
    const char *key;
    uint64_t value;
  } rows[] = {{"live_allocs", s.count},
              {"live_bytes", s.bytes},
              {"live_contexts", sg_handles_live(SG_H_CONTEXT)},
              {"live_streams", streams},
              {"live_events", sg_handles_live(SG_H_EVENT)},
              {"live_modules", sg_handles_live(SG_H_MODULE)},
              {"live_arrays", arrays},
              {"live_mipmaps", sg_handles_live(SG_H_MIPMAP)},
              {"live_textures", textures},
              {"live_surfaces", surfaces},
              {"spare_bytes", sg_spare_bytes()},
              {"live_resources", sg_handles_live(SG_H_RESOURCE)},
              {"live_graphs", sg_handles_live(SG_H_GRAPH)},
              {"live_execs", sg_handles_live(SG_H_EXEC)},
              {"live_registered", s.registered},
              {"live_imported", s.imported},
              {"live_heap", s.heap},
              {"heap_bytes", s.heap_bytes},
              {"live_pools", sg_pools_live()},
              {"pool_reserved", sg_pools_reserved()},
              {"stale", sg_state.stale},
              {"damaged", sg_arena_damaged() - sg_state.damaged_before},
              {"calls", sg_state.calls}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    sg_text_add(&c->reply, "%s %llu\n", rows[i].key, (unsigned long long)rows[i].value);
  return c->words == 1;
}

static bool cmd_leaks(Command *c) {
  sg_leaks_each(sg_leak_line, &c->reply);
  return c->words == 1;
}

static bool cmd_hide(Command *c) {
  long v;
  if (c->words != 2 || !sg_parse_int(c->word[1], 2000, CUDA_VERSION, &v)) return false;
  sg_config.version = (int)v;
  return true;
}

static bool cmd_entry(Command *c) {
  int since = c->words == 2 ? sg_entry_since(c->word[1]) : 0;
  if (since) sg_text_add(&c->reply, "%d %s\n", since, since > sg_config.version ? "hidden" : "visible");
  return since != 0;
}

/* What kernels run with, from the next one on; without words, all of it. */
static bool cmd_schedule(Command *c) {
  char text[128];
  const bool known = c->words == 1 || (c->words == 3 && sg_config_schedule(c->word[1], c->word[2]));
  if (!known) return false;
  sg_config_schedule_text(text, sizeof text);
  sg_text_add(&c->reply, "%s", text);
  return true;
}

static bool cmd_timeout(Command *c) { return c->words == 2 && sg_config_schedule("timeout", c->word[1]); }

static bool cmd_runs(Command *c) {
  sg_log_print_runs(&c->reply);
  return c->words == 1;
}

static void add_streams(Command *c) {
  static const char *const names[] = {
      [SG_DEFERRED] = "deferred", [SG_EAGER] = "eager", [SG_BACKGROUND] = "background"};
  if (sg_config.streams == SG_RANDOM)
    sg_text_add(&c->reply, "random:%llu", (unsigned long long)sg_config.seed);
  else
    sg_text_add(&c->reply, "%s", names[sg_config.streams]);
}

/* What is queued already runs by the new mode when its time comes. */
static bool cmd_streams(Command *c) {
  if (c->words > 2 || (c->words == 2 && !sg_set_streams(c->word[1]))) return false;
  if (c->words == 2) sg_streams_seed();
  sg_background_wake();
  add_streams(c);
  return true;
}

/* The program sleeps between its calls until work is done, so work has to run meanwhile, unless a mode was
 * chosen. */
static bool cmd_unattended(Command *c) {
  if (c->words != 1) return false;
  if (!sg_config.streams_set) sg_config.streams = SG_BACKGROUND;
  sg_background_wake();
  add_streams(c);
  return true;
}

/* Whose fault the report is about: a handle, if it is still one. */
static bool report_function(Command *c) {
  if (sg_state.failed && sg_handle_peek(SG_H_FUNCTION, sg_state.failed, sg_state.failed_generation))
    sg_text_add(&c->reply, "0x%llx", (unsigned long long)(uintptr_t)sg_state.failed);
  return true;
}

static bool cmd_report(Command *c) {
  if (c->words == 2 && strcmp(c->word[1], "function") == 0) return report_function(c);
  const bool json = c->words == 2 && strcmp(c->word[1], "json") == 0;
  sg_text_add(&c->reply, "%s", json ? sg_state.json : sg_state.report);
  return c->words == 1 || json;
}

/* Memory that is there already is taken to be written. */
static bool cmd_check(Command *c) {
  char text[128];
  if (c->words > 2 || (c->words == 2 && !sg_parse_checks(c->word[1], &sg_config.checks))) return false;
  sg_arena_keeps_init = (sg_config.checks & SG_CHECKS_UNINITIALISED) != 0;
  sg_checks_text(sg_config.checks, text, sizeof text);
  sg_text_add(&c->reply, "%s", text);
  return true;
}

static bool cmd_version(Command *c) {
  sg_text_add(&c->reply, "softgpu 1, driver %d, %d entries\n", sg_config.version, sg_entry_count());
  return c->words == 1;
}

/* Once: then it is forgotten. */
static bool cmd_interrupted(Command *c) {
  sg_text_add(&c->reply, "%s", sg_state.interrupted);
  if (c->words == 1) sg_state.interrupted[0] = 0;
  return c->words == 1;
}

static const struct {
  const char *name, *usage;
  bool (*run)(Command *);
} commands[] = {
    {"log", "log [on|off|clear]", cmd_log},
    {"runs", "runs", cmd_runs},
    {"fail", "fail API|any NTH [ERROR [sticky]] | fail clear", cmd_fail},
    {"calls", "calls [API|clear]", cmd_calls},
    {"attribute", "attribute ID hide|VALUE | attribute reset", cmd_attribute},
    {"peers", "peers on|off", cmd_peers},
    {"deinit", "deinit", cmd_life},
    {"fork", "fork", cmd_life},
    {"devices", "devices N (0..8)", cmd_devices},
    {"memory", "memory BYTES", cmd_memory},
    {"reset", "reset", cmd_reset},
    {"stats", "stats", cmd_stats},
    {"leaks", "leaks", cmd_leaks},
    {"report", "report [json|function]", cmd_report},
    {"interrupted", "interrupted", cmd_interrupted},
    {"check", "check [races,uninitialised,barriers,shuffles,arrays,leaks|all|off]", cmd_check},
    {"streams", "streams [deferred|eager|random[:SEED]|background]", cmd_streams},
    {"unattended", "unattended", cmd_unattended},
    {"hide", "hide VERSION", cmd_hide},
    {"entry", "entry SYMBOL", cmd_entry},
    {"schedule",
     "schedule [threads N|auto|auto:N, order forward|reverse|random[:SEED], gang 32..1024, timeout SECONDS]",
     cmd_schedule},
    {"timeout", "timeout SECONDS", cmd_timeout},
    {"version", "version", cmd_version},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static CUresult run(Command *c) {
  for (int i = 0; c->words && i < COMMANDS; i++) {
    if (strcmp(commands[i].name, c->word[0]) != 0) continue;
    if (commands[i].run(c)) return CUDA_SUCCESS;
    if (!c->reply.size) sg_text_add(&c->reply, "usage: %s\n", commands[i].usage);
    return CUDA_ERROR_INVALID_VALUE;
  }
  sg_text_add(&c->reply, "commands:\n");
  for (int i = 0; i < COMMANDS; i++) sg_text_add(&c->reply, "  %s\n", commands[i].usage);
  return CUDA_ERROR_INVALID_VALUE;
}

/* Runs one command. The reply is cut to reply_size bytes, its NUL included; *reply_needed is what all of it
 * takes. reply and reply_needed may be NULL. */
SG_API CUresult cuSoftgpuControl(const char *command, char *reply, size_t reply_size, size_t *reply_needed) {
  char text[1024];
  if (!command || strlen(command) >= sizeof text) return CUDA_ERROR_INVALID_VALUE;
  if (strncmp(command, "place ", 6) ==
      0) { /* of this thread's next allocation or free: said often, and quickly */
    snprintf(sg_arena_place, sizeof sg_arena_place, "%s", command + 6);
    return CUDA_SUCCESS;
  }
  strcpy(text, command);
  Command c = {0};
  char *save = NULL;
  for (char *w = strtok_r(text, " \t\n", &save); w && c.words < MAX_WORDS; w = strtok_r(NULL, " \t\n", &save))
    c.word[c.words++] = w;
  if (c.words == 1 && strcmp(c.word[0], "unattended") == 0)
    sg_lock_take_beside();
  else
    sg_lock_take();
  sg_first_call();
  CUresult r = run(&c);
  sg_lock_drop();
  if (c.reply.failed) r = CUDA_ERROR_OUT_OF_MEMORY;
  size_t n = c.reply.size;
  if (reply_needed) *reply_needed = n + 1;
  if (reply && reply_size) {
    size_t take = n < reply_size ? n : reply_size - 1;
    if (take) memcpy(reply, c.reply.data, take);
    reply[take] = 0;
  }
  free(c.reply.data);
  return r;
}
