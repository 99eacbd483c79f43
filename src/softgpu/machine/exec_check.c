/* Races, in loops over lanes: whether the words that they use are clearly in order, and the notes of who used
 * them. Eight words at a time where lanes use one word after the other, else lane by lane. Where something is
 * not clear the caller looks again, with all that is known. */
#include "machine/check.h"
#include "machine/simd.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* all that passes vectors is inlined */

#define INLINE static inline __attribute__((always_inline))

typedef uint32_t V __attribute__((vector_size(32), aligned(4)));
typedef int32_t S __attribute__((vector_size(32), aligned(4)));

/* Times fit into 30 bits: signed comparisons are right, and cheaper. All ones where true. */
#define LESS(a, b) ((V)((S)(a) < (S)(b)))
#define EQUAL(a, b) ((V)((a) == (b)))
#define SELECT(c, a, b) (((a) & (c)) | ((b) & ~(c)))
#define ALL(x) ((V){0} + (uint32_t)(x))
#define LANE_OF(detail) ((detail) >> DETAIL_LANE & (MAX_LANES - 1))
#define VECTOR(p) (*(V *)(void *)(p))
#define ALL8 0x0101010101010101u

INLINE bool any(const V *v) {
  typedef uint64_t V4 __attribute__((vector_size(32), aligned(4)));
  const V4 w = (V4)*v;
  return ((w[0] | w[1]) | (w[2] | w[3])) != 0;
}

/* --- one word, of which one lane uses some bytes --- */

/* Is what was written over for this lane? Stores of other blocks are never taken to be. */
INLINE bool written_over(const TrackRow *r, size_t at, uint32_t lane, uint32_t bytes) {
  const uint32_t t = r->t.wtime[at], detail = r->t.wdetail[at];
  if (t < r->base) return true;
  if (t >= r->first && (t < r->sync || (t < TIME_PENDING && LANE_OF(detail) == lane))) return true;
  return bytes != 15 && !(detail & bytes);
}

/* ... and what was read? */
INLINE bool read_over(const TrackRow *r, size_t at, uint32_t lane, uint32_t bytes) {
  const uint32_t was = r->t.rtime[at], t = was & TIME_MASK, detail = r->t.rdetail[at];
  if (t < r->base) return true;
  if (t < r->first || was & TIME_BLOCKS) return t <= r->acquired;
  if (t < r->sync) return true;
  return !(was & TIME_MANY) && (LANE_OF(detail) == lane || (bytes != 15 && !(detail & bytes)));
}

INLINE bool read_word(const TrackRow *r, size_t at, uint32_t lane, uint32_t bytes) {
  const bool good = written_over(r, at, lane, bytes);
  const uint32_t was = r->t.rtime[at], old = r->t.rdetail[at];
  if (read_over(r, at, lane, bytes)) {
    r->t.rtime[at] = r->now;
    r->t.rdetail[at] = r->detail | lane << DETAIL_LANE | bytes;
    return good;
  }
  const bool here = (was & TIME_MASK) >= r->first && !(was & TIME_BLOCKS);
  r->t.rtime[at] = r->now | TIME_MANY | (here ? 0 : TIME_BLOCKS);
  r->t.rdetail[at] = (was & TIME_MANY ? old : (uint32_t)1 << (LANE_OF(old) >> 5)) | (uint32_t)1
                                                                                        << (lane >> 5);
  return good;
}

/* The same word for several lanes of one warp. */
INLINE bool read_together(const TrackRow *r, size_t at, uint32_t lane) {
  const uint32_t t = r->t.wtime[at], was = r->t.rtime[at], old = r->t.rdetail[at];
  const bool over = read_over(r, at, MAX_LANES, 15),
             here = (was & TIME_MASK) >= r->first && !(was & TIME_BLOCKS);
  r->t.rtime[at] = r->now | TIME_MANY | (over || here ? 0 : TIME_BLOCKS);
  r->t.rdetail[at] = (uint32_t)1 << (lane >> 5) | (over              ? 0
                                                   : was & TIME_MANY ? old
                                                                     : (uint32_t)1 << (LANE_OF(old) >> 5));
  return t < r->base || (t >= r->first && t < r->sync);
}

/* False: another lane has stored to the word with the same instruction, perhaps. */
INLINE bool note_store(const TrackRow *r, size_t at, uint32_t lane, uint32_t bytes) {
  const bool alone = r->t.wtime[at] != r->now || LANE_OF(r->t.wdetail[at]) == lane;
  r->t.wtime[at] = r->now;
  r->t.wdetail[at] = r->detail | lane << DETAIL_LANE | bytes;
  r->t.rtime[at] = 0;
  return alone;
}

/* --- eight words after each other --- */

typedef struct Eight {
  V wtime, wdetail, rtime, rdetail, lane;
} Eight;

INLINE V all_written_over(const TrackRow *r, const Eight *e) {
  const V t = e->wtime, mine = EQUAL(LANE_OF(e->wdetail), e->lane) & LESS(t, ALL(TIME_PENDING));
  return LESS(t, ALL(r->base)) | (~LESS(t, ALL(r->first)) & (LESS(t, ALL(r->sync)) | mine));
}

typedef struct Readers {
  V here, over; /* of this block; nobody who is not in order */
} Readers;

INLINE Readers readers(const TrackRow *r, const Eight *e) {
  const V t = e->rtime & TIME_MASK, blocks = -(e->rtime >> 30 & 1), many = -(e->rtime >> 31);
  Readers x;
  x.here = ~LESS(t, ALL(r->first)) & ~blocks;
  x.over = LESS(t, ALL(r->base)) | SELECT(x.here, LESS(t, ALL(r->sync)), ~LESS(ALL(r->acquired), t)) |
           (x.here & ~many & EQUAL(LANE_OF(e->rdetail), e->lane));
  return x;
}

/* Words of lanes that have `per` each, the first of them of `lane`. */
INLINE Eight load(const TrackRow *r, size_t at, uint32_t lane, uint32_t per) {
  const V steps = {0, 1, 2, 3, 4, 5, 6, 7};
  return (Eight){.wtime = VECTOR(r->t.wtime + at),
                 .wdetail = VECTOR(r->t.wdetail + at),
                 .rtime = VECTOR(r->t.rtime + at),
                 .rdetail = VECTOR(r->t.rdetail + at),
                 .lane = ALL(lane) + (per == 1 ? steps : steps >> 1)};
}

INLINE V mask_of(const uint8_t *m, uint32_t per) {
  const V two = {m[0], m[0], m[1], m[1], m[2], m[2], m[3], m[3]};
  if (per == 2) return -two;
  const V one = {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7]};
  return -one;
}

/* m: of the lanes, or NULL for all. The result: where it is not in order. */
INLINE V read_eight(const TrackRow *r, size_t at, uint32_t lane, uint32_t per, const uint8_t *m) {
  const Eight e = load(r, at, lane, per);
  const Readers x = readers(r, &e);
  const V on = m ? mask_of(m, per) : ~(V){0}, many = -(e.rtime >> 31);
  const V warps = SELECT(many, e.rdetail, ALL(1) << (LANE_OF(e.rdetail) >> 5)) | ALL(1) << (e.lane >> 5);
  const V flags = ~x.over & SELECT(x.here, ALL(TIME_MANY), ALL(TIME_MANY | TIME_BLOCKS));
  VECTOR(r->t.rtime + at) = SELECT(on, ALL(r->now) | flags, e.rtime);
  VECTOR(r->t.rdetail + at) =
      SELECT(on, SELECT(x.over, ALL(r->detail | 15) | e.lane << DETAIL_LANE, warps), e.rdetail);
  return on & ~all_written_over(r, &e);
}

INLINE V store_eight(const TrackRow *r, size_t at, uint32_t lane, uint32_t per, const uint8_t *m) {
  const Eight e = load(r, at, lane, per);
  const V on = m ? mask_of(m, per) : ~(V){0};
  return on & ~(all_written_over(r, &e) & readers(r, &e).over);
}

INLINE V note_eight(const TrackRow *r, size_t at, uint32_t lane, uint32_t per, const uint8_t *m) {
  const V steps = {0, 1, 2, 3, 4, 5, 6, 7}, lanes = ALL(lane) + (per == 1 ? steps : steps >> 1);
  const V was = VECTOR(r->t.wtime + at), detail = VECTOR(r->t.wdetail + at),
          on = m ? mask_of(m, per) : ~(V){0};
  VECTOR(r->t.wtime + at) = SELECT(on, ALL(r->now), was);
  VECTOR(r->t.wdetail + at) = SELECT(on, ALL(r->detail | 15) | lanes << DETAIL_LANE, detail);
  VECTOR(r->t.rtime + at) &= ~on;
  return on & EQUAL(was, ALL(r->now)) & ~EQUAL(LANE_OF(detail), lanes);
}

/* --- all lanes --- */

typedef enum Job { READ, STORE, NOTE } Job;

INLINE bool do_one(const TrackRow *r, Job job, size_t at, uint32_t lane, uint32_t bytes) {
  return job == READ    ? read_word(r, at, lane, bytes)
         : job == STORE ? written_over(r, at, lane, bytes) && read_over(r, at, lane, bytes)
                        : note_store(r, at, lane, bytes);
}

INLINE V do_eight(const TrackRow *r, Job job, size_t at, uint32_t lane, uint32_t per, const uint8_t *m) {
  return job == READ    ? read_eight(r, at, lane, per, m)
         : job == STORE ? store_eight(r, at, lane, per, m)
                        : note_eight(r, at, lane, per, m);
}

/* Lanes from `from` on, one by one. */
INLINE bool do_lanes(const TrackRow *r, Job job, uint32_t from, uint32_t to, uint32_t per) {
  bool good = true;
  for (uint32_t i = from; i < to; i++) {
    if (r->m && !r->m[i]) continue;
    const size_t at = r->at + (size_t)(r->off ? r->off[i] / 4 : (int64_t)i * r->step);
    for (uint32_t k = 0; k < per; k++) good &= do_one(r, job, at + k, r->lane + i, 15);
  }
  return good;
}

/* Elements of a part of a word. */
INLINE bool do_bytes(const TrackRow *r, Job job) {
  bool good = true;
  for (uint32_t i = 0; i < r->lanes; i++) {
    if (r->m && !r->m[i]) continue;
    const size_t at = r->at + (size_t)(r->off ? r->off[i] : (int64_t)i * r->step);
    good &= do_one(r, job, at / 4, r->lane + i, (((uint32_t)1 << r->unit) - 1) << (at & 3));
  }
  return good;
}

INLINE bool do_row(const TrackRow *r, Job job, uint32_t per) {
  const uint32_t words = r->lanes * per;
  uint32_t i = 0;
  V bad = {0};
  for (; i + 8 <= words; i += 8)
    bad |= do_eight(r, job, r->at + i, r->lane + i / per, per, r->m ? r->m + i / per : NULL);
  const bool rest = do_lanes(r, job, i / per, r->lanes, per);
  return rest && !any(&bad);
}

/* Eight lanes at a time, whose offsets have a class. The first of r's lanes has a number divisible by 8. */
INLINE bool do_groups(const TrackRow *r, Job job, uint32_t per) {
  bool good = true;
  V bad = {0};
  for (uint32_t i = 0; i < r->lanes; i += 8) {
    uint64_t on = ALL8;
    const uint32_t end = i + 8 < r->lanes ? i + 8 : r->lanes;
    if (r->m) __builtin_memcpy(&on, r->m + i, 8);
    if (!on) continue;
    const uint32_t class = on == ALL8 && i + 8 <= r->lanes ? r->cls[i / 8] : CLASS_GATHER;
    const size_t at = r->at + (size_t)(int64_t)(r->off[i] / 4);
    if (class == CLASS_ROW) {
      for (uint32_t k = 0; k < per; k++)
        bad |= do_eight(r, job, at + 8 * k, r->lane + i + 8 / per * k, per, NULL);
    } else if (class == CLASS_BROADCAST && job == READ) {
      for (uint32_t k = 0; k < per; k++) good &= read_together(r, at + k, r->lane + i);
    } else {
      good &= do_lanes(r, job, i, end, per);
    }
  }
  return good && !any(&bad);
}

/* All lanes load one element. */
INLINE bool read_same(const TrackRow *r, uint32_t per) {
  bool good = true;
  for (uint32_t i = 0, end; i < r->lanes; i = end) {
    uint32_t count = 0, first = 0;
    end = i + SG_WARP - (r->lane + i) % SG_WARP;
    if (end > r->lanes) end = r->lanes;
    for (uint32_t k = end; k-- > i;)
      if (!r->m || r->m[k]) count++, first = r->lane + k;
    for (uint32_t k = 0; count && k < per; k++)
      good &= count == 1 ? read_word(r, r->at + k, first, 15) : read_together(r, r->at + k, first);
  }
  return good;
}

INLINE bool do_all(const TrackRow *r, Job job, uint32_t per) {
  if (r->off && r->cls) return do_groups(r, job, per);
  if (r->off || (r->step != per && (r->step || job != READ))) return do_lanes(r, job, 0, r->lanes, per);
  return r->step ? do_row(r, job, per) : read_same(r, per);
}

INLINE bool run(const TrackRow *r, Job job) {
  return r->per == 0 ? do_bytes(r, job) : r->per == 1 ? do_all(r, job, 1) : do_all(r, job, 2);
}

bool FN(read_row)(const TrackRow *r) { return run(r, READ); }
bool FN(store_row)(const TrackRow *r) { return run(r, STORE); }
bool FN(note_row)(const TrackRow *r) { return run(r, NOTE); }
