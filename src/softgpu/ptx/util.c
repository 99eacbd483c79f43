/* Types, the pool (arena plus interned names) and the table of special registers. */
#include "ptx/lex.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  size_t size;
} types[PTX_T_COUNT] = {
    [PTX_T_NONE] = {"", 0},
    [PTX_B8] = {"b8", 1},
    [PTX_B16] = {"b16", 2},
    [PTX_B32] = {"b32", 4},
    [PTX_B64] = {"b64", 8},
    [PTX_B128] = {"b128", 16},
    [PTX_U8] = {"u8", 1},
    [PTX_U16] = {"u16", 2},
    [PTX_U32] = {"u32", 4},
    [PTX_U64] = {"u64", 8},
    [PTX_S8] = {"s8", 1},
    [PTX_S16] = {"s16", 2},
    [PTX_S32] = {"s32", 4},
    [PTX_S64] = {"s64", 8},
    [PTX_F16] = {"f16", 2},
    [PTX_F16X2] = {"f16x2", 4},
    [PTX_BF16] = {"bf16", 2},
    [PTX_BF16X2] = {"bf16x2", 4},
    [PTX_F32] = {"f32", 4},
    [PTX_F64] = {"f64", 8},
    [PTX_PRED] = {"pred", 1},
    [PTX_TEXREF] = {"texref", 8},
    [PTX_SAMPLERREF] = {"samplerref", 8},
    [PTX_SURFREF] = {"surfref", 8},
};

size_t ptx_type_size(PtxType t) { return t > PTX_T_NONE && t < PTX_T_COUNT ? types[t].size : 0; }

PtxType ptx_type_by_name(const char *name) {
  for (int t = PTX_T_NONE + 1; t < PTX_T_COUNT; t++)
    if (strcmp(types[t].name, name) == 0) return (PtxType)t;
  return PTX_T_NONE;
}

/* ---- arena ----------------------------------------------------------------------------------- */

enum { CHUNK_MIN = 16 << 10, CHUNK_MAX = 4 << 20, ARENA_ALIGN = 16 };

#define CHUNK_HEAD ((sizeof(PtxChunk) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1))

static PtxChunk *chunk_new(size_t bytes, PtxChunk *next) {
  if (bytes > SIZE_MAX - CHUNK_HEAD) return NULL;
  PtxChunk *c = calloc(1, CHUNK_HEAD + bytes);
  if (!c) return NULL;
  c->next = next;
  c->size = bytes;
  return c;
}

PtxPool *ptx_pool_new(size_t hint) {
  size_t first = hint < CHUNK_MIN ? CHUNK_MIN : hint > CHUNK_MAX ? CHUNK_MAX : hint;
  PtxChunk *c = chunk_new(first, NULL);
  if (!c) return NULL;
  PtxPool boot = {.chunks = c};
  PtxPool *pool = ptx_pool_alloc(&boot, sizeof *pool);
  if (!pool) {
    ptx_pool_free(&boot);
    return NULL;
  }
  pool->chunks = boot.chunks;
  return pool;
}

/* The pool itself lies in its last chunk. */
void ptx_pool_free(PtxPool *pool) {
  if (!pool) return;
  PtxChunk *c = pool->chunks;
  free(pool->bucket);
  while (c) {
    PtxChunk *next = c->next;
    free(c);
    c = next;
  }
}

void *ptx_pool_alloc(PtxPool *pool, size_t bytes) {
  PtxChunk *c = pool->chunks;
  if (bytes > SIZE_MAX - ARENA_ALIGN) return NULL;
  bytes = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
  if (bytes > c->size - c->used) {
    size_t want = c->size * 2 > CHUNK_MAX ? CHUNK_MAX : c->size * 2;
    c = chunk_new(bytes > want ? bytes : want, c);
    if (!c) return NULL;
    pool->chunks = c;
  }
  void *at = (char *)c + CHUNK_HEAD + c->used;
  c->used += bytes;
  return at;
}

/* ---- interned names -------------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 r = (unsigned __int128)a * b;
  return (uint64_t)r ^ (uint64_t)(r >> 64);
}

static uint64_t hash_of(const char *text, size_t len) {
  uint64_t h = 0x9e3779b97f4a7c15u ^ len, w;
  for (; len > 8; text += 8, len -= 8) {
    memcpy(&w, text, 8);
    h = mix(h ^ w, 0xd6e8feb86659fd93u);
  }
  w = 0;
  memcpy(&w, text, len);
  return mix(mix(h ^ w, 0xa0761d6478bd642fu), 0xe7037ed1a0b428dbu);
}

static PtxAtom *find_hashed(const PtxPool *pool, const char *text, size_t len, uint64_t hash) {
  if (!pool->nbuckets) return NULL;
  for (PtxAtom *a = pool->bucket[hash & (pool->nbuckets - 1)]; a; a = a->next)
    if (a->hash == hash && a->len == len && memcmp(a->text, text, len) == 0) return a;
  return NULL;
}

PtxAtom *ptx_pool_find(const PtxPool *pool, const char *text, size_t len) {
  return find_hashed(pool, text, len, hash_of(text, len));
}

static bool grow_buckets(PtxPool *pool) {
  size_t n = pool->nbuckets ? pool->nbuckets * 2 : 1024;
  PtxAtom **bucket = calloc(n, sizeof *bucket);
  if (!bucket) return false;
  for (size_t i = 0; i < pool->nbuckets; i++) {
    PtxAtom *next;
    for (PtxAtom *a = pool->bucket[i]; a; a = next) {
      next = a->next;
      a->next = bucket[a->hash & (n - 1)];
      bucket[a->hash & (n - 1)] = a;
    }
  }
  free(pool->bucket);
  pool->bucket = bucket;
  pool->nbuckets = n;
  return true;
}

PtxAtom *ptx_pool_intern(PtxPool *pool, const char *text, size_t len) {
  uint64_t hash = hash_of(text, len);
  PtxAtom *a = find_hashed(pool, text, len, hash);
  if (a) return a;
  if (pool->natoms >= pool->nbuckets && !grow_buckets(pool)) return NULL;
  a = ptx_pool_alloc(pool, sizeof *a + len + 1);
  if (!a) return NULL;
  memcpy(a->text, text, len);
  a->len = (uint32_t)len;
  a->hash = hash;
  PtxAtom **head = &pool->bucket[hash & (pool->nbuckets - 1)];
  a->next = *head;
  *head = a;
  pool->natoms++;
  return a;
}

bool ptx_pool_keywords(PtxPool *pool) {
  static const char *const words[] = {
#define X(name, text) text,
      PTX_KEYWORDS(X)
#undef X
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    PtxAtom *a = ptx_pool_intern(pool, words[i], strlen(words[i]));
    if (!a) return false;
    a->keyword = (uint8_t)(PTX_K_NONE + 1 + i);
  }
  for (int t = PTX_T_NONE + 1; t < PTX_T_COUNT; t++) {
    PtxAtom *a = ptx_pool_intern(pool, types[t].name, strlen(types[t].name));
    if (!a) return false;
    a->keyword = PTX_K_TYPE;
    a->type = (uint8_t)t;
  }
  return true;
}

/* ---- special registers ----------------------------------------------------------------------- */

static bool number_upto(const char *text, unsigned max) {
  unsigned n = 0;
  if (!*text || (text[0] == '0' && text[1])) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    n = n * 10 + (unsigned)(*text - '0');
    if (n > max) return false;
  }
  return true;
}

bool ptx_is_sreg(const char *name, bool *vector) {
  static const char *const vectors[] = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                        "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
  static const char *const scalars[] = {"%laneid",
                                        "%warpid",
                                        "%nwarpid",
                                        "%smid",
                                        "%nsmid",
                                        "%gridid",
                                        "%is_explicit_cluster",
                                        "%cluster_ctarank",
                                        "%cluster_nctarank",
                                        "%lanemask_eq",
                                        "%lanemask_le",
                                        "%lanemask_lt",
                                        "%lanemask_ge",
                                        "%lanemask_gt",
                                        "%clock",
                                        "%clock_hi",
                                        "%clock64",
                                        "%globaltimer",
                                        "%globaltimer_lo",
                                        "%globaltimer_hi",
                                        "%reserved_smem_offset_begin",
                                        "%reserved_smem_offset_end",
                                        "%reserved_smem_offset_cap",
                                        "%reserved_smem_offset_0",
                                        "%reserved_smem_offset_1",
                                        "%total_smem_size",
                                        "%aggr_smem_size",
                                        "%dynamic_smem_size",
                                        "%current_graph_exec",
                                        "%pm0_64",
                                        "%pm1_64",
                                        "%pm2_64",
                                        "%pm3_64",
                                        "%pm4_64",
                                        "%pm5_64",
                                        "%pm6_64",
                                        "%pm7_64"};
  *vector = false;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (strcmp(vectors[i], name) == 0) return *vector = true;
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
    if (strcmp(scalars[i], name) == 0) return true;
  if (strncmp(name, "%envreg", 7) == 0) return number_upto(name + 7, 31);
  if (strncmp(name, "%pm", 3) == 0) return number_upto(name + 3, 7);
  return false;
}
