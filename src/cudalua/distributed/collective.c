/* Collectives: see collective.h. Data goes in rounds, a chunk of each rank's in each. In a round this rank
 * writes to one of its two halves, meets the others, and reads theirs. A rank that arrives in the next round
 * has read the previous half, which can then be written again. */
#include "distributed/collective.h"

#include <stdio.h>
#include <string.h>

enum {
  SMALL = 16 * 1024
}; /* bytes of a reduction that each rank does by itself: one meeting instead of two */

typedef struct Round {
  size_t offset, bytes; /* of the chunk, in each part */
  size_t per;           /* bytes between parts in a half */
  unsigned half;
  bool small;
} Round;

static const uint8_t *half_of(const cl_Group *g, uint32_t member, unsigned half) {
  return cl_half(g->w, g->ranks[member], half);
}

/* Kinds that write a part for each member. */
static bool is_divided(cl_CallKind kind) {
  return kind == CL_SCATTER || kind == CL_REDUCE_SCATTER || kind == CL_ALL_TO_ALL;
}

bool cl_call_gives(const cl_Call *c, uint32_t me) {
  const bool from_root = c->kind == CL_BROADCAST || c->kind == CL_SCATTER;
  return c->kind != CL_BARRIER && c->kind != CL_RECV && (!from_root || c->root == me);
}

bool cl_call_gets(const cl_Call *c, uint32_t me) {
  const bool to_root = c->kind == CL_REDUCE || c->kind == CL_GATHER;
  const bool has_it = c->kind == CL_BROADCAST && c->root == me; /* root may pass `out` */
  return c->kind != CL_BARRIER && c->kind != CL_SEND && !has_it && (!to_root || c->root == me);
}

static void write_chunk(const cl_Group *g, const cl_Call *c, const Round *r) {
  uint8_t *half = cl_half(g->w, g->w->rank, r->half);
  const uint8_t *in = c->input;
  if (!cl_call_gives(c, g->me) || !r->bytes) return;
  if (!is_divided(c->kind)) {
    memcpy(half, in + r->offset, r->bytes);
    return;
  }
  for (uint32_t k = 0; k < g->count; k++) memcpy(half + k * r->per, in + k * c->bytes + r->offset, r->bytes);
}

/* Combines the elements at this offset in each member's half. */
static void combine_at(const cl_Group *g, const cl_Call *c, unsigned half, size_t at, size_t bytes,
                       void *out) {
  const void *from[CL_MOST_RANKS];
  for (uint32_t k = 0; k < g->count; k++) from[k] = half_of(g, k, half) + at;
  cl_combine(c->combine, c->op, from, g->count, bytes / cl_combine_size(c->combine), out);
}

/* A chunk of a reduction: each rank combines a slice, so that it is done once and has the same bits for all.
 */
static cl_Outcome reduce_chunk(cl_Group *g, const cl_Call *c, const Round *r) {
  uint8_t *out = c->output;
  const bool wanted = c->kind == CL_ALL_REDUCE || c->root == g->me;
  if (r->small) {
    if (wanted) combine_at(g, c, 0, 0, r->bytes, out + r->offset);
    return CL_MET;
  }
  const size_t size = cl_combine_size(c->combine), count = r->bytes / size;
  const size_t slice = (count + g->count - 1) / g->count * size, at = g->me * slice;
  if (at < r->bytes)
    combine_at(g, c, 0, at, r->bytes - at < slice ? r->bytes - at : slice, cl_half(g->w, g->w->rank, 1));
  cl_publish(g);
  const cl_Outcome o = cl_meet(g);
  if (o || !wanted) return o;
  for (uint32_t k = 0; k < g->count && k * slice < r->bytes; k++) {
    const size_t n = r->bytes - k * slice;
    memcpy(out + r->offset + k * slice, half_of(g, k, 1), n < slice ? n : slice);
  }
  return CL_MET;
}

static cl_Outcome read_chunk(cl_Group *g, const cl_Call *c, const Round *r) {
  uint8_t *out = c->output;
  switch (c->kind) {
  case CL_BROADCAST:
    if (c->root != g->me)
      memcpy(out + r->offset, half_of(g, c->root, r->half), r->bytes);
    else if (out)
      memmove(out + r->offset, (const uint8_t *)c->input + r->offset, r->bytes);
    break;
  case CL_ALL_REDUCE:
  case CL_REDUCE: return reduce_chunk(g, c, r);
  case CL_GATHER:
    if (c->root != g->me) break;
    /* fall through */
  case CL_ALL_GATHER:
    for (uint32_t k = 0; k < g->count; k++)
      memcpy(out + k * c->bytes + r->offset, half_of(g, k, r->half), r->bytes);
    break;
  case CL_SCATTER: memcpy(out + r->offset, half_of(g, c->root, r->half) + g->me * r->per, r->bytes); break;
  case CL_ALL_TO_ALL:
    for (uint32_t k = 0; k < g->count; k++)
      memcpy(out + k * c->bytes + r->offset, half_of(g, k, r->half) + g->me * r->per, r->bytes);
    break;
  case CL_REDUCE_SCATTER: combine_at(g, c, r->half, g->me * r->per, r->bytes, out + r->offset); break;
  default: break;
  }
  return CL_MET;
}

/* Waits for the other ranks and compares the messages, which must be equal. */
static cl_CallEnd agree(cl_Group *g, const char **messages, cl_Outcome *outcome) {
  bool same = true;
  if ((*outcome = cl_meet(g))) return CL_NOT_DONE;
  for (uint32_t k = 0; k < g->count; k++) {
    messages[k] = g->w->s->rank[g->ranks[k]].message;
    same = same && !strncmp(messages[k], messages[0], CL_TEXT);
  }
  return same ? CL_DONE : CL_DIFFERENT;
}

static void say(const cl_Group *g, const char *message) {
  snprintf(g->w->s->rank[g->w->rank].message, CL_TEXT, "%s", message);
}

cl_CallEnd cl_exchange(cl_Group *g, const char *message, const char **messages, cl_Outcome *outcome) {
  if ((*outcome = cl_begin(g))) return CL_NOT_DONE;
  say(g, message);
  cl_publish(g);
  return agree(g, messages, outcome) == CL_NOT_DONE ? CL_NOT_DONE : CL_DONE;
}

cl_Outcome cl_refuse_call(cl_Group *g, const char *signature) {
  const cl_Outcome o = cl_begin(g);
  if (o) return o;
  say(g, signature);
  cl_publish(g);
  cl_end(g);
  return CL_MET;
}

static cl_CallEnd collective(cl_Group *g, const cl_Call *c, const char **messages, cl_Outcome *outcome) {
  const bool reduces = c->kind == CL_ALL_REDUCE || c->kind == CL_REDUCE;
  const size_t per = is_divided(c->kind) ? CL_HALF / g->count & ~(size_t)63 : CL_HALF;
  Round r = {.per = per, .small = reduces && c->bytes <= SMALL};
  if ((*outcome = cl_begin(g))) return CL_NOT_DONE;
  say(g, c->signature);
  do {
    r.bytes = c->bytes - r.offset < per ? c->bytes - r.offset : per;
    write_chunk(g, c, &r);
    cl_publish(g);
    if (!r.offset) { /* what was written is read only if all agree; later chunks come after that */
      const cl_CallEnd end = agree(g, messages, outcome);
      if (end) return end;
    } else if ((*outcome = cl_meet(g))) {
      return CL_NOT_DONE;
    }
    if (r.bytes && (*outcome = read_chunk(g, c, &r))) return CL_NOT_DONE;
    r.offset += r.bytes;
    if (!reduces) r.half ^= 1;
  } while (r.offset < c->bytes);
  cl_end(g);
  return CL_DONE;
}

/* --- from one rank to another --- */

/* The receiver's answer is what it expected. */
static cl_CallEnd send(cl_Group *g, const cl_Call *c, const char **messages, cl_Outcome *outcome) {
  const uint32_t to = g->ranks[c->root];
  cl_Channel *ch = cl_channel(g->w, g->w->rank, to);
  const uint32_t first = ch->written.value; /* all before that was read: each send waits for that */
  if (cl_world_failed(g->w)) return *outcome = CL_FAILED, CL_NOT_DONE;
  snprintf(ch->text, CL_TEXT, "%s", c->signature);
  size_t offset = 0;
  for (uint32_t k = 0; offset < c->bytes || !k; k++) {
    const size_t n = c->bytes - offset < CL_CHANNEL ? c->bytes - offset : CL_CHANNEL;
    if (k > 1 && (*outcome = cl_wait_word(g->w, &ch->read, first + k - 1, to))) return CL_NOT_DONE;
    if (n) memcpy(ch->data[k & 1], (const uint8_t *)c->input + offset, n);
    cl_set_word(&ch->written, first + k + 1);
    offset += n;
    if (k) continue;
    if ((*outcome = cl_wait_word(g->w, &ch->read, first + 1, to))) return CL_NOT_DONE;
    messages[0] = ch->text;
    messages[1] = ch->answer;
    if (strncmp(ch->text, ch->answer, CL_TEXT)) return CL_DIFFERENT;
  }
  *outcome = cl_wait_word(g->w, &ch->read, ch->written.value, to);
  return *outcome ? CL_NOT_DONE : CL_DONE;
}

static cl_CallEnd recv(cl_Group *g, const cl_Call *c, const char **messages, cl_Outcome *outcome) {
  const uint32_t from = g->ranks[c->root];
  cl_Channel *ch = cl_channel(g->w, from, g->w->rank);
  const uint32_t first = ch->read.value;
  if (cl_world_failed(g->w)) return *outcome = CL_FAILED, CL_NOT_DONE;
  size_t offset = 0;
  for (uint32_t k = 0; offset < c->bytes || !k; k++) {
    const size_t n = c->bytes - offset < CL_CHANNEL ? c->bytes - offset : CL_CHANNEL;
    if ((*outcome = cl_wait_word(g->w, &ch->written, first + k + 1, from))) return CL_NOT_DONE;
    if (!k) {
      snprintf(ch->answer, CL_TEXT, "%s", c->signature);
      messages[0] = ch->text;
      messages[1] = ch->answer;
      if (strncmp(ch->text, ch->answer, CL_TEXT)) return CL_DIFFERENT;
    }
    if (n) memcpy((uint8_t *)c->output + offset, ch->data[k & 1], n);
    cl_set_word(&ch->read, first + k + 1);
    offset += n;
  }
  return CL_DONE;
}

void cl_leave_call(cl_Group *g, const cl_Call *c) {
  if (c->kind == CL_RECV) {
    cl_Channel *ch = cl_channel(g->w, g->ranks[c->root], g->w->rank);
    cl_set_word(&ch->read, ch->written.value);
  } else if (c->kind != CL_SEND) {
    cl_end(g);
  }
}

cl_CallEnd cl_make_call(cl_Group *g, const cl_Call *c, const char **messages, cl_Outcome *outcome) {
  if (c->kind == CL_SEND) return send(g, c, messages, outcome);
  if (c->kind == CL_RECV) return recv(g, c, messages, outcome);
  return collective(g, c, messages, outcome);
}
