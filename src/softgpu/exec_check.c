/* Races, for rows: lanes that use one word after the other. All words are looked at in one pass without
 * branches; where one of them is not clearly in order, the caller looks again, lane by lane. */
#include "check.h"
#include "simd.h"

/* Is an access at time t over for the threads of this block? Not so of other blocks' writes: these are looked
 * at one by one. */
#define OVER(t) (((t) < base) | (((t) >= first) & ((t) < sync)))

#define EACH_WORD(per)                                                                                       \
  LANES(r->lanes *(per)) {                                                                                   \
    const uint32_t lane = r->lane + i / (per);

static inline __attribute__((always_inline)) bool read_words(const TrackRow *r, uint32_t per, bool masked) {
  const uint32_t base = r->base, first = r->first, sync = r->sync, acquired = r->acquired, now = r->now;
  const uint32_t *wtime = r->t.wtime, *wdetail = r->t.wdetail;
  uint32_t *rtime = r->t.rtime, *rdetail = r->t.rdetail, bad = 0;
  const uint8_t *m = r->m;
  EACH_WORD(per)
  const uint32_t on = masked ? (uint32_t) - (int32_t)m[i / per] : UINT32_MAX;
  const uint32_t wt = wtime[i], mine = (wdetail[i] >> DETAIL_LANE & (MAX_LANES - 1)) == lane;
  bad |= on & (uint32_t) - (int32_t) !(OVER(wt) | ((wt >= first) & mine));
  const uint32_t was = rtime[i], t = was & TIME_MASK, old = rdetail[i];
  const uint32_t many = was >> 31, blocks = was >> 30 & 1, here = (t >= first) & !blocks;
  const uint32_t known = (t < base) | (here & (t < sync)) | (!here & (t <= acquired));
  const uint32_t old_lane = old >> DETAIL_LANE & (MAX_LANES - 1);
  const uint32_t alone = known | (here & !many & (old_lane == lane));
  const uint32_t warp = (uint32_t)1 << (lane / 32), warps = many ? old : (uint32_t)1 << (old_lane / 32);
  const uint32_t time = now | (alone ? 0 : here ? TIME_MANY : TIME_MANY | TIME_BLOCKS);
  const uint32_t detail = alone ? r->detail | lane << DETAIL_LANE : warps | warp;
  rtime[i] = (time & on) | (was & ~on);
  rdetail[i] = (detail & on) | (old & ~on);
}
return !bad;
}

static inline __attribute__((always_inline)) bool write_words(const TrackRow *r, uint32_t per, bool masked) {
  const uint32_t base = r->base, first = r->first, sync = r->sync, acquired = r->acquired, now = r->now;
  uint32_t *wtime = r->t.wtime, *wdetail = r->t.wdetail, *rtime = r->t.rtime, bad = 0;
  const uint32_t *rdetail = r->t.rdetail;
  const uint8_t *m = r->m;
  EACH_WORD(per)
  const uint32_t on = masked ? (uint32_t) - (int32_t)m[i / per] : UINT32_MAX;
  const uint32_t wt = wtime[i], mine = (wdetail[i] >> DETAIL_LANE & (MAX_LANES - 1)) == lane;
  const uint32_t was = rtime[i], t = was & TIME_MASK, blocks = was >> 30 & 1, here = (t >= first) & !blocks;
  const uint32_t known = (t < base) | (here & (t < sync)) | (!here & (t <= acquired));
  const uint32_t read = here & !(was >> 31) & ((rdetail[i] >> DETAIL_LANE & (MAX_LANES - 1)) == lane);
  bad |= on & (uint32_t) - (int32_t) !((OVER(wt) | ((wt >= first) & mine)) & (known | read));
}
if (bad) return false;
EACH_WORD(per)
const uint32_t on = masked ? (uint32_t) - (int32_t)m[i / per] : UINT32_MAX;
wtime[i] = (now & on) | (wtime[i] & ~on);
wdetail[i] = ((r->detail | lane << DETAIL_LANE) & on) | (wdetail[i] & ~on);
rtime[i] &= ~on;
}
return true;
}

bool FN(read_row)(const TrackRow *r) {
  if (r->per == 1) return r->m ? read_words(r, 1, true) : read_words(r, 1, false);
  return r->m ? read_words(r, 2, true) : read_words(r, 2, false);
}

bool FN(write_row)(const TrackRow *r) {
  if (r->per == 1) return r->m ? write_words(r, 1, true) : write_words(r, 1, false);
  return r->m ? write_words(r, 2, true) : write_words(r, 2, false);
}
