/* Names: scopes, register ranges that are filled in on use, and references to labels that come later.
 * Each interned name carries the stack of its declarations, so a lookup is a look at the top. */
#include "ptx/lex.h"

#include <string.h>

void ptx_scope_push(PtxParser *p) {
  if (p->depth >= PTX_MAX_NESTING) ptx_fail(p, "Blocks are nested more than %d deep.", PTX_MAX_NESTING);
  p->scope[++p->depth] = (PtxScope){.first_pending = p->pending.n};
}

/* Forward references meet the labels of the scope that ends; the rest waits for the scope around it. */
static void settle(PtxParser *p, size_t first) {
  PtxPending *all = p->pending.items;
  size_t kept = first;
  for (size_t i = first; i < p->pending.n; i++) {
    PtxBind *b = all[i].atom->bind;
    bool here = b && b->depth == p->depth && (b->sym->kind == PTX_SYM_LABEL || b->sym->kind == PTX_SYM_PROTO);
    if (here)
      *all[i].where = b->sym;
    else if (p->depth > 1)
      all[kept++] = all[i];
    else if (b)
      *all[i].where = b->sym; /* no label of that name at all: what else the name means */
    else
      ptx_fail_unknown(p, all[i].atom, all[i].line, all[i].col);
  }
  p->pending.n = kept;
}

void ptx_scope_pop(PtxParser *p) {
  PtxScope *s = &p->scope[p->depth];
  settle(p, s->first_pending);
  for (PtxBind *b = s->binds; b; b = b->sibling) b->atom->bind = b->outer;
  for (PtxRange *r = s->ranges; r; r = r->sibling) r->atom->range = r->outer;
  p->depth--;
  while (p->range_depth > p->depth || (p->range_depth && !p->scope[p->range_depth].ranges)) p->range_depth--;
}

static void bind(PtxParser *p, PtxAtom *atom, PtxSym *sym, uint32_t depth) {
  PtxBind *b = ptx_alloc(p, sizeof *b);
  PtxScope *s = &p->scope[depth];
  *b = (PtxBind){.sym = sym, .atom = atom, .outer = atom->bind, .sibling = s->binds, .depth = depth};
  atom->bind = b;
  s->binds = b;
}

/* The innermost range that covers a name: %r12 may be number 12 of %r<..> or number 2 of %r1<..>. */
static PtxRange *find_range(const PtxParser *p, const PtxAtom *atom) {
  PtxRange *best = NULL;
  uint64_t index = 0, weight = 1;
  for (uint32_t cut = atom->len; cut-- > 1 && weight <= 1000000000u; weight *= 10) {
    char c = atom->text[cut];
    if (c < '0' || c > '9') break;
    index += (uint64_t)(c - '0') * weight;
    if (c == '0' && cut + 1 < atom->len) continue; /* a leading zero */
    PtxAtom *prefix = ptx_pool_find(p->pool, atom->text, cut);
    PtxRange *r = prefix ? prefix->range : NULL;
    while (r && index >= r->count) r = r->outer;
    if (r && (!best || r->depth > best->depth)) best = r;
  }
  return best;
}

static PtxSym *new_symbol(PtxParser *p, PtxSymKind kind, PtxAtom *atom, uint32_t line, uint32_t col) {
  PtxSym *s = ptx_alloc(p, sizeof *s);
  s->kind = kind;
  s->name = atom->text;
  s->func = p->func;
  s->vec = 1;
  s->count = 1;
  s->line = line;
  s->col = col;
  if (kind == PTX_SYM_REG) s->space = PTX_REG;
  if (kind == PTX_SYM_REG || kind == PTX_SYM_VAR) {
    s->id = kind == PTX_SYM_REG ? p->nregs++ : p->func ? p->nvars++ : (uint32_t)p->vars.n;
    PtxSym **slot = ptx_list_add(p, p->func ? &p->syms : &p->vars, sizeof *slot);
    *slot = s;
  }
  return s;
}

PtxSym *ptx_declare(PtxParser *p, PtxSymKind kind, PtxAtom *atom, uint32_t line, uint32_t col) {
  uint32_t before = 0;
  if (atom->bind && atom->bind->depth == p->depth) before = atom->bind->sym->line;
  if (!before && p->range_depth == p->depth && p->depth) {
    PtxRange *r = find_range(p, atom);
    if (r && r->depth == p->depth) before = r->line;
  }
  if (before)
    ptx_fail_at(p, line, col, "The name '%.200s' is already declared at line %u.", atom->text, before);
  PtxSym *s = new_symbol(p, kind, atom, line, col);
  bind(p, atom, s, p->depth);
  return s;
}

void ptx_declare_range(PtxParser *p, PtxAtom *atom, const PtxSym *like, uint64_t count) {
  if (atom->range && atom->range->depth == p->depth)
    ptx_fail_at(p, like->line, like->col, "The registers '%.200s<...>' are already declared at line %u.",
                atom->text, atom->range->line);
  PtxRange *r = ptx_alloc(p, sizeof *r);
  PtxScope *s = &p->scope[p->depth];
  *r = (PtxRange){.atom = atom,
                  .outer = atom->range,
                  .sibling = s->ranges,
                  .count = count,
                  .type = like->type,
                  .vec = like->vec,
                  .depth = p->depth,
                  .line = like->line,
                  .col = like->col};
  s->ranges = r;
  atom->range = r;
  p->range_depth = p->depth;
}

PtxSym *ptx_lookup(PtxParser *p, PtxAtom *atom) {
  PtxBind *b = atom->bind;
  if (b && b->depth >= p->range_depth) return b->sym;
  PtxRange *r = find_range(p, atom);
  if (!r || (b && b->depth >= r->depth)) return b ? b->sym : NULL;
  PtxSym *s = new_symbol(p, PTX_SYM_REG, atom, r->line, r->col);
  s->type = r->type;
  s->vec = r->vec;
  s->size = ptx_type_size(r->type) * r->vec;
  s->align = (uint32_t)s->size;
  bind(p, atom, s, r->depth);
  return s;
}

void ptx_fail_unknown(PtxParser *p, const PtxAtom *atom, uint32_t line, uint32_t col) {
  uint32_t cut = atom->len;
  while (cut > 1 && atom->text[cut - 1] >= '0' && atom->text[cut - 1] <= '9') cut--;
  PtxAtom *prefix = ptx_pool_find(p->pool, atom->text, cut);
  if (prefix && prefix->range)
    ptx_fail_at(p, line, col, "The register '%.200s' is not among '%.200s<%llu>' declared at line %u.",
                atom->text, prefix->text, (unsigned long long)prefix->range->count, prefix->range->line);
  if (atom->text[0] == '%')
    ptx_fail_at(p, line, col, "The register '%.200s' is not declared, nor is it a special register.",
                atom->text);
  ptx_fail_at(p, line, col, "The name '%.200s' is not declared.", atom->text);
}

void ptx_refer(PtxParser *p, PtxSym **where, PtxAtom *atom, uint32_t line, uint32_t col) {
  PtxBind *b = atom->bind;
  if (b && b->depth == p->depth && (b->sym->kind == PTX_SYM_LABEL || b->sym->kind == PTX_SYM_PROTO)) {
    *where = b->sym;
    return;
  }
  PtxPending *q = ptx_list_add(p, &p->pending, sizeof *q);
  *q = (PtxPending){where, atom, line, col};
}
