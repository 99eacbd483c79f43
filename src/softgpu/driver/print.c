/* What the kernels of a context print, kept until somebody waits for the device, and the memory that they
 * allocate. */
#include "driver/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- text --- */

typedef struct SgPrinted {
  struct SgPrinted *next;
  size_t bytes, cost;
  char text[];
} SgPrinted;

static SgPrinted *new_text(const char *text, size_t bytes, size_t cost) {
  SgPrinted *p = malloc(sizeof *p + bytes);
  if (!p) return NULL;
  p->next = NULL;
  p->bytes = bytes;
  p->cost = cost;
  if (bytes) memcpy(p->text, text, bytes);
  return p;
}

static void append(SgOutput *o, SgPrinted *p) {
  if (o->last)
    o->last->next = p;
  else
    o->first = p;
  o->last = p;
  o->cost += p->cost;
}

static void drop_first(SgOutput *o) {
  SgPrinted *p = o->first;
  o->first = p->next;
  if (!o->first) o->last = NULL;
  o->cost -= p->cost;
  free(p);
}

/* The buffer has a size: when it is full, what was printed first is overwritten. */
static void print(void *user, const char *text, size_t bytes, size_t cost) {
  SgContext *ctx = user;
  SgPrinted *p = new_text(text, bytes, cost);
  if (!p) return;
  append(&ctx->printed, p);
  while (ctx->printed.first && ctx->printed.cost > ctx->limit[CU_LIMIT_PRINTF_FIFO_SIZE])
    drop_first(&ctx->printed);
}

static void complain(void *user, const char *line) {
  SgContext *ctx = user;
  SgPrinted *p = new_text(line, strlen(line), 0);
  if (p) append(&ctx->complaints, p);
}

static void flush(SgOutput *o, FILE *to) {
  if (!o->first) return;
  while (o->first) {
    fwrite(o->first->text, 1, o->first->bytes, to);
    drop_first(o);
  }
  fflush(to);
}

/* Through the C library's own buffer, so that it stands in order with what the program prints. */
void sg_output_flush(SgContext *ctx) {
  flush(&ctx->printed, stdout);
  if (ctx->complaints.first) fflush(stdout);
  flush(&ctx->complaints, stderr);
}

void sg_output_drop(SgContext *ctx) {
  while (ctx->printed.first) drop_first(&ctx->printed);
  while (ctx->complaints.first) drop_first(&ctx->complaints);
}

/* --- memory --- */

static uint64_t charge(uint64_t bytes) { return (bytes + 15) & ~(uint64_t)15; }

static const SgAlloc *take(void *user, uint64_t bytes) {
  SgContext *ctx = user;
  const uint64_t limit = ctx->limit[CU_LIMIT_MALLOC_HEAP_SIZE];
  if (bytes == 0) bytes = 1;
  if (bytes > limit || charge(bytes) > limit - ctx->heap_used) return NULL;
  const SgAlloc *a = sg_arena_alloc(ctx->device, bytes, SG_ALIGN, SG_HEAP, ctx->o.id, "");
  if (a) ctx->heap_used += charge(bytes);
  return a;
}

static bool give(void *user, uint64_t address) {
  SgContext *ctx = user;
  SgAlloc *a = sg_arena_at(address);
  if (!a || !a->held || a->kind != SG_HEAP || a->base != address || a->owner != ctx->o.id) return false;
  ctx->heap_used -= charge(a->size);
  sg_arena_free(a);
  return true;
}

SgSystem sg_context_system(SgContext *ctx) {
  return (SgSystem){.user = ctx,
                    .print = print,
                    .complain = complain,
                    .take = take,
                    .give = give,
                    .set_condition = sg_condition_set};
}
