// Prefixes: value i of a line is made of its elements 0 to i.
//
// Which values are combined with which depends on an element's number in its line, and on the types, alone: not on how
// the arrays lie in memory, on which of the kernels below does it, on the device, or on when blocks run. RUN elements
// that follow each other make a run, 32 runs a row, ROWS rows a tile, 32 tiles a group, 32 groups a group of groups,
// and so on. The elements of a run are combined from left to right. What comes before a part within the next larger one
// is a tree of the parts there: pairs, pairs of pairs, and so on; where their number is no power of two, trees of the
// powers that it is made of, the largest first, joined from the right. The value of an element is then
//
//   ((all before the group + tiles) + (rows + runs)) + elements of the run
//
// where tiles, rows and runs are those before the element's own, and what comes before the group is made in the same
// way: (all before the group of groups + groups). What has nothing in it is left out, so that the operation needs no
// neutral value. It has to be associative, as far as its type goes; it need not be commutative. Threads beyond the end
// of a line combine its last element again and again, and store nothing.
//
// A kernel's own part is written before this: acc_t, of any size and with constructors if need be; combine(); and in
// the kernels functions: bases(k), where line k begins in all arrays; load(b, r), element r of each; load_run(b, r,
// raw), RUN of them; value(raw), what is computed of them; put(b, r, raw, value, before, any), which stores the result
// for element r (before: the value of those before it, if there are `any`); and put_run(), for RUN of them. A part
// "direct" or "striped" says how threads come by the runs that they combine.

//: common
enum { RUN = @run@, K = @rows@, ROW = 32 * RUN, ROWS = 8 * K, TILE = ROWS * ROW, WORDS = (sizeof(acc_t) + 3) / 4 };

// Of elements that are not there, which follow all others, any value is made of what takes their place.
static __device__ __forceinline__ void within_run(acc_t (&y)[RUN]) {
#pragma unroll
  for (int i = 1; i < RUN; i++) y[i] = combine(y[i - 1], y[i]);
}

//: direct
// A thread loads and stores the run that it combines. Of `step` neighbouring threads, of which this is number `at`,
// each has a run, from element r on.
enum { ROOM = 1 };

// How many elements of the run at r there are.
static __device__ __forceinline__ unsigned present(const index_t r, const index_t n) {
  return r >= n ? 0 : n - r < RUN ? (unsigned)(n - r) : RUN;
}

// Raw elements of a run; for those that are not there the line's last one.
template <class Load, class LoadRun>
static __device__ __forceinline__ void load_part(const Load &load, const LoadRun &load_run, const bases_t &b,
                                                 const index_t r, const index_t n, raw_t (&raw)[RUN]) {
  if (n >= RUN && r <= n - RUN) {
    load_run(b, r, raw);
  } else {
#pragma unroll
    for (int i = 0; i < RUN; i++) raw[i] = load(b, r + i < n ? r + i : n - 1);
  }
}

// Combines what comes before a run with its elements, and stores them. `any`: there is something before.
template <class Put, class PutRun>
static __device__ __forceinline__ void finish_run(const Put &put, const PutRun &put_run, const bases_t &b,
                                                  const index_t r, const unsigned m, const raw_t (&raw)[RUN],
                                                  acc_t (&y)[RUN], const acc_t e, const bool any) {
#pragma unroll
  for (int i = 0; i < RUN; i++)
    if (any) y[i] = combine(e, y[i]);
  if (m == RUN) {
    put_run(b, r, raw, y, e, any);
  } else {
#pragma unroll
    for (int i = 0; i < RUN; i++)
      if (i < m) put(b, r + i, raw[i], y[i], i ? y[i ? i - 1 : 0] : e, i || any);
  }
}

template <class Load, class LoadRun>
static __device__ __forceinline__ void load_row(const Load &load, const LoadRun &load_run, const bases_t &b,
                                                const index_t r, const unsigned at, const unsigned, const index_t n,
                                                const bool full, raw_t (&raw)[RUN]) {
  if (full) load_run(b, r + at * RUN, raw);
  else load_part(load, load_run, b, r + at * RUN, n, raw);
}

static __device__ __forceinline__ void arrange(raw_t (&)[RUN], unsigned char *, const unsigned, const unsigned) {}

template <class Put, class PutRun>
static __device__ __forceinline__ void finish_row(const Put &put, const PutRun &put_run, const bases_t &b,
                                                  const index_t r, const unsigned at, const unsigned, const index_t n,
                                                  const bool full, const raw_t (&raw)[RUN], acc_t (&y)[RUN],
                                                  const acc_t e, const bool any, unsigned char *) {
  const index_t own = r + at * RUN;
  finish_run(put, put_run, b, own, full ? RUN : present(own, n), raw, y, e, any);
}

//: exchange
// Neighbouring threads load and store neighbouring elements, of whatever layout; in between these change places, in
// shared memory of the warp's own. The functions are load(), and instead of put() and put_run(): outcome(raw, value,
// before, any), the result, as a value, and put(b, r, result).
enum {
  BYTES = sizeof(raw_t) > sizeof(acc_t) ? sizeof(raw_t) : sizeof(acc_t),
  ROOM = (ROW + ROW / 8) * BYTES // for a warp
};

//: striped
// Where the threads' runs begin in different banks.
template <class T> static __device__ __forceinline__ T &spaced(unsigned char *const room, const unsigned i) {
  return ((T *)room)[i + i / (sizeof(T) % 8 ? 32 : sizeof(T) % 16 ? 16 : 8)];
}

// Of `step` neighbouring threads, of which this is number `at`, each loads elements from r on that are `step` apart.
template <class Load>
static __device__ __forceinline__ void load_row(const Load &load, const bases_t &b, const index_t r, const unsigned at,
                                                const unsigned step, const index_t n, const bool full,
                                                raw_t (&raw)[RUN]) {
#pragma unroll
  for (int i = 0; i < RUN; i++) {
    const index_t own = r + at + i * step;
    raw[i] = load(b, full || own < n ? own : n - 1);
  }
}

// Elements become those of the thread's run.
static __device__ __forceinline__ void arrange(raw_t (&raw)[RUN], unsigned char *const room, const unsigned at,
                                               const unsigned step) {
  const unsigned first = ((threadIdx.x & 31) - at) * RUN;
#pragma unroll
  for (int i = 0; i < RUN; i++) spaced<raw_t>(room, first + at + i * step) = raw[i];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < RUN; i++) raw[i] = spaced<raw_t>(room, first + at * RUN + i);
  __syncwarp();
}

template <class Outcome, class Put>
static __device__ __forceinline__ void finish_row(const Outcome &outcome, const Put &put, const bases_t &b,
                                                  const index_t r, const unsigned at, const unsigned step,
                                                  const index_t n, const bool full, const raw_t (&raw)[RUN],
                                                  acc_t (&y)[RUN], const acc_t e, const bool any,
                                                  unsigned char *const room) {
  const unsigned first = ((threadIdx.x & 31) - at) * RUN;
#pragma unroll
  for (int i = 0; i < RUN; i++)
    if (any) y[i] = combine(e, y[i]);
#pragma unroll
  for (int i = 0; i < RUN; i++) {
    spaced<acc_t>(room, first + at * RUN + i) = outcome(raw[i], y[i], i ? y[i ? i - 1 : 0] : e, i || any);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < RUN; i++) {
    const index_t own = r + at + i * step;
    if (full || own < n) put(b, own, spaced<acc_t>(room, first + at + i * step));
  }
  __syncwarp();
}

//: lanes
union Words {
  acc_t x;
  unsigned word[WORDS];
  __device__ __forceinline__ Words() { word[WORDS - 1] = 0; }
};

static __device__ __forceinline__ acc_t from_lane(const acc_t x, const unsigned lane) {
  Words words;
  words.x = x;
#pragma unroll
  for (int i = 0; i < WORDS; i++) words.word[i] = __shfl_sync(0xffffffffu, words.word[i], lane);
  return words.x;
}

// Of 2^k neighbouring lanes each gets the value of all up to itself. `on`: it has one, and so have those before it.
// visit(step, left): what is combined from the left, as far as it goes for this lane.
template <class Visit>
static __device__ __forceinline__ acc_t lanes(acc_t x, const bool on, const unsigned count, const Visit &visit) {
  const unsigned lane = threadIdx.x & 31;
#pragma unroll
  for (unsigned step = 0; step < 5; step++) {
    const unsigned d = 1u << step;
    if (d >= count) break;
    const acc_t left = from_lane(x, (lane & ~(2 * d - 1)) + d - 1);
    visit(step, left);
    if (on && (lane & d)) x = combine(left, x);
  }
  return x;
}

static __device__ __forceinline__ acc_t lanes(const acc_t x, const bool on, const unsigned count) {
  return lanes(x, on, count, [](unsigned, const acc_t &) {});
}

//: leaves
// Values that come one after the other, as perfect trees of 2^level of them.
template <int LEVELS> struct Leaves {
  acc_t left[LEVELS];
  unsigned count = 0;
  // One more: true where there are 2^LEVELS then, whose value is x; it begins anew.
  __device__ __forceinline__ bool take(acc_t &x) {
    bool done = false;
#pragma unroll
    for (int level = 0; level < LEVELS; level++) {
      if (!done) {
        if (count >> level & 1) {
          x = combine(left[level], x);
        } else {
          left[level] = x;
          done = true;
        }
      }
    }
    count = done ? count + 1 : 0;
    return !done;
  }
  // All of them, of which there is one at least.
  __device__ __forceinline__ acc_t all() const {
    acc_t x;
    bool any = false;
#pragma unroll
    for (int level = 0; level < LEVELS; level++) {
      if (count >> level & 1) {
        x = any ? combine(left[level], x) : left[level];
        any = true;
      }
    }
    return x;
  }
};

//: short
// Lines of up to a row: 2^log_lanes neighbouring threads have one, a warp K times as many as it has room for.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long lines, const index_t n,
                                                         const unsigned log_lanes@params@) {
@functions@
  __shared__ __align__(16) unsigned char room[8][ROOM];
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, step = 1u << log_lanes, at = lane & step - 1;
  const unsigned long long first = (blockIdx.x * 8ull + warp) * K << 5 - log_lanes;
  raw_t raw[K][RUN];
#pragma unroll
  for (int k = 0; k < K; k++) {
    const unsigned long long line = first + (lane >> log_lanes) + ((unsigned long long)k << 5 - log_lanes);
    load_row(@loads@, bases(line < lines ? line : lines - 1), 0, at, step, n, false, raw[k]);
  }
#pragma unroll
  for (int k = 0; k < K; k++) {
    const unsigned long long line = first + (lane >> log_lanes) + ((unsigned long long)k << 5 - log_lanes);
    arrange(raw[k], room[warp], at, step);
    acc_t y[RUN];
#pragma unroll
    for (int i = 0; i < RUN; i++) y[i] = value(raw[k][i]);
    within_run(y);
    const acc_t x = lanes(y[RUN - 1], true, step);
    finish_row(@puts@, bases(line < lines ? line : lines - 1), 0, at, step, line < lines ? n : 0, false, raw[k], y,
               from_lane(x, lane - 1 & 31), at > 0, room[warp]);
  }
}

//: rows
// Lines of up to a tile: a warp has one, and takes K rows at a time.
extern "C" __global__ void __launch_bounds__(256)
    @name@(const unsigned long long lines, const index_t n, const unsigned@params@) {
@functions@
  __shared__ __align__(16) unsigned char room[8][ROOM];
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned long long line = blockIdx.x * 8ull + warp;
  if (line >= lines) return;
  const bases_t b = bases(line);
  Leaves<@log_rows@> rows;
#pragma unroll 1
  for (index_t first = 0; first < n; first += K * ROW) {
    const bool full = n - first >= K * ROW;
    raw_t raw[K][RUN];
#pragma unroll
    for (int k = 0; k < K; k++) load_row(@loads@, b, first + k * ROW, lane, 32, n, full, raw[k]);
#pragma unroll
    for (int k = 0; k < K; k++) {
      arrange(raw[k], room[warp], lane, 32);
      acc_t y[RUN];
#pragma unroll
      for (int i = 0; i < RUN; i++) y[i] = value(raw[k][i]);
      within_run(y);
      const acc_t x = lanes(y[RUN - 1], true, 32);
      acc_t e = from_lane(x, lane - 1 & 31);
      if (rows.count) {
        const acc_t left = rows.all();
        e = lane ? combine(left, e) : left;
      }
      finish_row(@puts@, b, first + k * ROW, lane, 32, n, full, raw[k], y, e, lane || rows.count, room[warp]);
      acc_t row = from_lane(x, 31);
      if (first + (k + 1) * ROW <= n) rows.take(row);
    }
  }
}

//: look_back
// Values that blocks hand to each other. Each of their words has a stamp beside it, which tells that it is one of this
// launch, and goes to memory with it in one piece.
typedef volatile unsigned long long cell_t;

static __device__ __forceinline__ void publish(cell_t *const cell, const acc_t x, const unsigned stamp) {
  Words words;
  words.x = x;
#pragma unroll
  for (int i = 0; i < WORDS; i++) cell[i] = (unsigned long long)stamp << 32 | words.word[i];
}

// Values for the lanes of a warp that want them, two for each of up to LINES lines, whose cells are `line` apart; waits
// until all are there.
template <int LINES>
static __device__ __forceinline__ void wait(cell_t *const one, const bool first, cell_t *const two, const bool second,
                                            const unsigned long long line, const unsigned lines, const unsigned stamp,
                                            acc_t (&x)[LINES], acc_t (&z)[LINES]) {
  Words a[LINES], b[LINES];
  bool there;
  do {
    unsigned long long v[LINES][WORDS], w[LINES][WORDS];
#pragma unroll
    for (int j = 0; j < LINES; j++) {
#pragma unroll
      for (int i = 0; i < WORDS; i++) {
        if (first && j < lines) v[j][i] = one[j * line + i];
        if (second && j < lines) w[j][i] = two[j * line + i];
      }
    }
    there = true;
#pragma unroll
    for (int j = 0; j < LINES; j++) {
#pragma unroll
      for (int i = 0; i < WORDS; i++) {
        if (first && j < lines) there = there && (unsigned)(v[j][i] >> 32) == stamp, a[j].word[i] = (unsigned)v[j][i];
        if (second && j < lines) there = there && (unsigned)(w[j][i] >> 32) == stamp, b[j].word[i] = (unsigned)w[j][i];
      }
    }
  } while (!__all_sync(0xffffffffu, there));
#pragma unroll
  for (int j = 0; j < LINES; j++) x[j] = a[j].x, z[j] = b[j].x;
}

// The cells of a line: a value for each part; for each tile one, and one of all before it; for each group of tiles the
// same, and so on. What comes before a node that is the first of its group comes before the group: it stands there
// only. A part is a tile or, of lines side by side, 2^-k of one.
static __device__ __forceinline__ cell_t *cell_before(cell_t *nodes, unsigned count, unsigned node) {
  while ((node & 31) == 0) {
    nodes += 2ull * WORDS * count;
    count = (count + 31) / 32;
    node /= 32;
  }
  return nodes + (unsigned long long)WORDS * (count + node);
}

// The value of a group, `all`, goes to the level above, and what comes before the next group to where it is waited for:
// a warp of the block whose part ends the group does this. `nodes`: cells of the groups, `count` of them; `node`: this
// one.
static __device__ __forceinline__ void hand_on(cell_t *nodes, unsigned count, unsigned node, acc_t all,
                                               const unsigned stamp) {
  const unsigned lane = threadIdx.x & 31;
#pragma unroll 1
  for (;;) {
    const unsigned place = node & 31, group = node / 32;
    cell_t *const above = nodes + 2ull * WORDS * count;
    if (lane == 0 && place < 31) publish(nodes + (unsigned long long)WORDS * node, all, stamp);
    cell_t *cell = nodes + (unsigned long long)WORDS * (node - place + lane);
    if (lane == 31 && group > 0) cell = cell_before(above, (count + 31) / 32, group);
    acc_t x[1], none[1];
    wait(cell, lane < place || lane == 31 && group > 0 && place < 31, cell, false, 0, 1, stamp, x, none);
    const acc_t outer = from_lane(x[0], 31);
    if (lane == place) x[0] = all;
    x[0] = lanes(x[0], lane <= place, 32);
    all = from_lane(x[0], place);
    if (place < 31) {
      if (group > 0) all = combine(outer, all);
      break;
    }
    nodes = above, count = (count + 31) / 32, node = group;
  }
  if (lane == 0) publish(nodes + (unsigned long long)WORDS * (count + node + 1), all, stamp);
}

//: look_back_tiles
// What comes before a tile whose value is `sum`. Blocks wait for such only as have begun before them. A warp does it.
static __device__ __forceinline__ acc_t look_back(cell_t *const cells, const unsigned tiles, const unsigned tile,
                                                  const acc_t sum, const unsigned stamp) {
  const unsigned lane = threadIdx.x & 31, place = tile & 31, group = tile / 32, count = (tiles + 31) / 32;
  cell_t *const above = cells + (unsigned long long)WORDS * tiles;
  const bool last = place == 31 && tile + 1 < tiles;
  if (lane == 0 && place < 31 && tile + 1 < tiles) publish(cells + (unsigned long long)WORDS * tile, sum, stamp);
  cell_t *cell = cells + (unsigned long long)WORDS * (tile - place + lane);
  if (lane == 31 && group > 0) cell = cell_before(above, count, group);
  // The next group must not wait for what comes before this one.
  acc_t x[1], none[1];
  wait(cell, lane < place || lane == 31 && group > 0 && !last, cell, false, 0, 1, stamp, x, none);
  acc_t outer = from_lane(x[0], 31);
  if (lane == place) x[0] = sum;
  x[0] = lanes(x[0], lane <= place, 32);
  acc_t before = from_lane(x[0], place - 1 & 31);
  if (last) {
    hand_on(above, count, group, from_lane(x[0], 31), stamp);
    wait(cell, lane == 31 && group > 0, cell, false, 0, 1, stamp, x, none);
    outer = from_lane(x[0], 31);
  }
  if (group > 0) before = place > 0 ? combine(outer, before) : outer;
  return before;
}

//: look_back_parts
// Is it the last part of a group, and not of the line?
static __device__ __forceinline__ bool ends_group(const unsigned parts, const unsigned log_parts, const unsigned part) {
  return (part + 1 & (32u << log_parts) - 1) == 0 && part + 1 < parts;
}

// What comes before the tile that a part belongs to, where there is any, for up to LINES lines; of a part that ends a
// group also the value of that, `all`. `sums`: the part's values, which blocks that begin later wait for; they have
// been published unless the part is the last of its tile, 2^log_parts of which make one. visit(j, step, left): for line
// j, what comes before the part in its tile, in trees of 2^step parts, those that the part's place has a bit for.
// Blocks wait for such only as have begun before them. A warp does it.
template <int LINES, class Visit>
static __device__ __forceinline__ void look_back(cell_t *const cells, const unsigned long long line,
                                                 const unsigned lines, const unsigned parts, const unsigned log_parts,
                                                 const unsigned part, const acc_t (&sums)[LINES], const unsigned stamp,
                                                 acc_t (&outer)[LINES], acc_t (&all)[LINES], const Visit &visit) {
  const unsigned lane = threadIdx.x & 31, most = (1u << log_parts) - 1, place = part & most;
  const unsigned tile = part >> log_parts, tiles = (parts + most) >> log_parts, beside = tile & 31, group = tile / 32;
  cell_t *const above = cells + (unsigned long long)WORDS * parts;
  cell_t *const cell = cells + (unsigned long long)WORDS * (part - place + lane);
  cell_t *other = above + (unsigned long long)WORDS * (tile - beside + lane);
  if (lane == 31 && group > 0) other = cell_before(above + 2ull * WORDS * tiles, (tiles + 31) / 32, group);
  const bool wanted = lane < beside || lane == 31 && group > 0;
  acc_t x[LINES], z[LINES];
  // Tiles to come must not wait for what comes before this one.
  bool both = place < most || part + 1 == parts;
#pragma unroll 1
  for (;;) {
    wait(cell, lane < place, other, both && wanted, line, lines, stamp, x, z);
#pragma unroll
    for (int j = 0; j < LINES; j++) {
      if (lane == place) x[j] = sums[j];
      x[j] = lanes(x[j], lane <= place, most + 1, [&](const unsigned step, const acc_t &left) {
        if (both && lane == place && j < lines) visit(j, step, left);
      });
    }
    if (both) break;
    both = true;
#pragma unroll
    for (int j = 0; j < LINES; j++) {
      if (lane == place && beside < 31 && j < lines) {
        publish(above + (unsigned long long)WORDS * tile + j * line, x[j], stamp);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < LINES; j++) {
    const acc_t before_group = from_lane(z[j], 31), value = from_lane(x[j], place);
    if (lane == 31) z[j] = value;
    z[j] = lanes(z[j], lane < beside || lane == 31 && beside == 31, 32);
    all[j] = from_lane(z[j], 31);
    outer[j] = from_lane(z[j], beside - 1 & 31);
    if (group > 0) outer[j] = beside > 0 ? combine(before_group, outer[j]) : before_group;
  }
}

//: prefetch
// The second-level cache gets a tile's elements of an array.
template <class T> static __device__ __forceinline__ void fetch_ahead(const T *const p, const index_t present) {
#pragma unroll
  for (unsigned i = 0; i < TILE * sizeof(T); i += 256 * 128) {
    const unsigned at = i + threadIdx.x * 128;
    if (at < TILE * sizeof(T) && at / sizeof(T) < present) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"((const char *)p + at));
    }
  }
}

//: tile
// A block has a tile, K rows for each warp.
extern "C" __global__ void __launch_bounds__(256@bounds@)
    @name@(const unsigned long long lines, const index_t n, const unsigned tiles@cells@@params@) {
@functions@
  __shared__ __align__(16) unsigned char room[((ROWS + 1) * sizeof(acc_t) + 15) / 16 * 16], exchange[8][ROOM];
  acc_t *const rows = (acc_t *)room;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
@place@
  const bases_t b = bases(line);
  const index_t first = (index_t)tile * TILE, r = first + warp * (K * ROW);
  const bool full = n - first >= TILE;
  raw_t raw[K][RUN];
  if (full) {
#pragma unroll
    for (int k = 0; k < K; k++) load_row(@loads@, b, r + k * ROW, lane, 32, n, true, raw[k]);
  } else {
#pragma unroll
    for (int k = 0; k < K; k++) load_row(@loads@, b, r + k * ROW, lane, 32, n, false, raw[k]);
  }
@ahead@
  acc_t y[K][RUN], x[K];
#pragma unroll
  for (int k = 0; k < K; k++) {
    arrange(raw[k], exchange[warp], lane, 32);
#pragma unroll
    for (int i = 0; i < RUN; i++) y[k][i] = value(raw[k][i]);
    within_run(y[k]);
    x[k] = lanes(y[k][RUN - 1], true, 32);
    if (lane == 31) rows[warp * K + k] = x[k];
    x[k] = from_lane(x[k], lane - 1 & 31);
  }
  __syncthreads();
  if (warp == 0) {
    const acc_t sum = lanes(rows[lane & ROWS - 1], true, ROWS);
    if (lane < ROWS) rows[lane] = sum;
@before@
  }
  __syncthreads();
@left@
#pragma unroll
  for (int k = 0; k < K; k++) {
    acc_t e = x[k];
    if (warp || k) e = lane ? combine(rows[warp * K + k - 1], e) : rows[warp * K + k - 1];
@combine_before@
    finish_row(@puts@, b, r + k * ROW, lane, 32, n, full, raw[k], y[k], e, lane || warp || k@any_before@,
               exchange[warp]);
  }
}

//: ahead
  // Blocks wait for others most of the time that they take, while memory is idle: until those that begin a while later
  // load their elements, these are in the second-level cache.
  const unsigned far = number + 264;
  if (far < gridDim.x) {
    const unsigned far_line = far / tiles;
    ahead(far_line, (index_t)(far - far_line * tiles) * TILE);
  }

//: place
  // Tiles are taken in the order in which blocks begin.
  __shared__ unsigned number;
  if (threadIdx.x == 0) number = atomicInc(counter, gridDim.x - 1);
  __syncthreads();
  const unsigned line = number / tiles, tile = number - line * tiles;

//: place_one
  const unsigned line = blockIdx.x, tile = 0;

//: before
    if (tiles > 1) {
      const acc_t all =
          look_back(cells + line_cells * WORDS * line, tiles, tile, from_lane(sum, ROWS - 1), stamp);
      if (lane == 0) rows[ROWS] = all;
    }

//: left
  const acc_t left = rows[ROWS];

//: sides
// Lines side by side, 2^log_width of them: a warp has 4 runs of 32 / 2^log_width neighbours of each. Where lines are so
// few that they do not fill a sector of memory, its threads load and store elements that are next to each other.
static __device__ __forceinline__ acc_t &spaced(unsigned char *const room, const unsigned i) {
  return ((acc_t *)room)[i + i / 32 * 4];
}

// The element of a line that a thread loads and stores as number j of run k; `first`: of those that the warp has.
static __device__ __forceinline__ index_t element(const index_t first, const unsigned log_width, const int k,
                                                  const int j) {
  const unsigned y = (threadIdx.x & 31) >> log_width, q = log_width > 2 ? y * RUN + j : (j << 5 - log_width) + y;
  return first + q / RUN * (4 * RUN) + k * RUN + q % RUN;
}

// From elements in the order of memory to the thread's own, and back.
static __device__ __forceinline__ void arrange(acc_t (&v)[RUN], unsigned char *const room, const unsigned log_width,
                                               const bool back) {
  const unsigned lane = threadIdx.x & 31, own = (lane >> log_width) * RUN, x = lane & (1u << log_width) - 1;
  if (log_width > 2) return;
#pragma unroll
  for (int i = 0; i < RUN; i++) spaced(room, back ? (own + i << log_width) + x : i * 32 + lane) = v[i];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < RUN; i++) v[i] = spaced(room, back ? i * 32 + lane : (own + i << log_width) + x);
  __syncwarp();
}

//: four_runs
    const index_t of_warp = first + (y & ~((32u >> log_width) - 1)) * (4 * RUN);
    acc_t v[4][RUN];
#pragma unroll
    for (int k = 0; k < 4; k++) {
#pragma unroll
      for (int j = 0; j < RUN; j++) {
        const index_t r = element(of_warp, log_width, k, j);
        v[k][j] = load(b, r < n ? r : n - 1);
      }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      arrange(v[k], room[threadIdx.x >> 5], log_width, false);
      within_run(v[k]);
    }
    const acc_t pair = combine(v[0][RUN - 1], v[1][RUN - 1]), three = combine(pair, v[2][RUN - 1]);
    const acc_t sum = combine(pair, combine(v[2][RUN - 1], v[3][RUN - 1]));

//: four_results
    const unsigned nth = y & 7;
    const acc_t *const s = sums + (y / 8) * 8 * width + x;
    acc_t one, two, four;
    if (nth & 1) one = s[(nth - 1) * width];
    if (nth & 2) two = combine(s[(nth & 4) * width], s[((nth & 4) + 1) * width]);
    if (nth & 4) four = combine(combine(s[0], s[width]), combine(s[2 * width], s[3 * width]));
#pragma unroll
    for (int k = 0; k < 4; k++) {
      acc_t e = k == 1 ? v[0][RUN - 1] : k == 2 ? pair : three;
      bool any = k > 0;
      if (nth & 1) e = any ? combine(one, e) : one, any = true;
      if (nth & 2) e = any ? combine(two, e) : two, any = true;
      if (nth & 4) e = any ? combine(four, e) : four, any = true;
      if (any_row) e = any ? combine(row_before, e) : row_before, any = true;
      if (any_tile) e = any ? combine(tile_before, e) : tile_before, any = true;
      acc_t z[RUN];
#pragma unroll
      for (int i = 0; i < RUN; i++) z[i] = any ? combine(e, v[k][i]) : v[k][i];
      arrange(z, room[threadIdx.x >> 5], log_width, true);
#pragma unroll
      for (int j = 0; j < RUN; j++) {
        const index_t r = element(of_warp, log_width, k, j);
        if (r < n && line < lines) put(b, r, z[j]);
      }
    }

//: columns
// Lines lie side by side in memory: 2^log_width of them have neighbouring threads. Each thread takes four runs of its
// line at a time, those behind it in the block the next ones. A block goes along its lines from their beginning to
// their end.
extern "C" __global__ void __launch_bounds__(256)
    @name@(const unsigned long long lines, const index_t n, const unsigned log_width@params@) {
@functions@
  __shared__ __align__(16) unsigned char room[8][ROOM];
  __shared__ acc_t all_sums[2][256], of_rows[32], of_tiles[32];
  const unsigned x = threadIdx.x & (1u << log_width) - 1, y = threadIdx.x >> log_width, width = 1u << log_width;
  const unsigned height = 256u >> log_width;
  const unsigned long long line = ((unsigned long long)blockIdx.x << log_width) + x;
  const bases_t b = bases(line < lines ? line : lines - 1);
  // These are kept by the first thread of a line.
  Leaves<@log_rows@> rows;
  Leaves<5> nodes[6]; // tiles, groups, groups of groups ... since the last one that is complete
  acc_t before[7];    // all before these
  unsigned tile = 0, flip = 0;
#pragma unroll 1
  for (index_t first = 0; first < n; first += height * (4 * RUN), flip ^= 1) {
@four_runs@
    acc_t *const sums = all_sums[flip];
    sums[threadIdx.x] = sum;
    __syncthreads();

    const unsigned first_row = first / ROW % ROWS;
    if (y == 0) {
      if (tile) of_tiles[x] = before[0];
      for (unsigned row = 0; row < height / 8 && first + row * ROW < n; row++) {
        if (first_row + row) of_rows[row * width + x] = rows.all();
        if (n - first < (row + 1) * ROW) break;
        const acc_t *const s = sums + row * 8 * width + x;
        acc_t all = combine(combine(combine(s[0], s[width]), combine(s[2 * width], s[3 * width])),
                            combine(combine(s[4 * width], s[5 * width]), combine(s[6 * width], s[7 * width])));
        if (rows.take(all)) {
          tile++;
          unsigned level = 0;
#pragma unroll 1
          while (level < 5 && nodes[level].take(all)) level++;
          acc_t left = nodes[level].all();
          if (tile >> 5 * (level + 1)) left = combine(before[level + 1], left);
#pragma unroll 1
          for (;; level--) {
            before[level] = left;
            if (level == 0) break;
          }
        }
      }
    }
    __syncthreads();
    const bool any_tile = first >= TILE, any_row = first_row + y / 8 > 0;
    acc_t row_before, tile_before;
    if (any_row && first + y * (4 * RUN) < n) row_before = of_rows[y / 8 * width + x];
    if (any_tile) tile_before = of_tiles[x];
@four_results@
  }
}

//: columns_split
// The same where lines are few: a block has a part of its lines, 32 rows in all.
extern "C" __global__ void __launch_bounds__(256@bounds@)
    @name@(const unsigned long long lines, const index_t n, const unsigned log_width@cells@@params@) {
@functions@
  __shared__ __align__(16) unsigned char room[8][ROOM];
  __shared__ acc_t sums[256], of_rows[32], of_parts[5][32], of_tiles[32], of_groups[32];
  const unsigned x = threadIdx.x & (1u << log_width) - 1, y = threadIdx.x >> log_width, width = 1u << log_width;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned log_parts = log_width + @log_rows@ - 5, most = (1u << log_parts) - 1;
  // Parts are taken in the order in which blocks begin.
  __shared__ unsigned number;
  if (threadIdx.x == 0) number = atomicInc(counter, gridDim.x - 1);
  __syncthreads();
  const unsigned groups = (unsigned)((lines + width - 1) >> log_width), parts = gridDim.x / groups;
  const unsigned part = number / groups, place = part & most;
  const unsigned long long first_line = (unsigned long long)(number - part * groups) << log_width;
  const unsigned long long line = first_line + x;
  const bases_t b = bases(line < lines ? line : lines - 1);
  const index_t first = (index_t)part * (32 * ROW >> log_width);
@four_runs@
  sums[threadIdx.x] = sum;
  __syncthreads();

  if (warp == 0) {
    // Lane by lane a row of one of the lines, and all of the part up to it.
    const acc_t *const s = sums + y * 8 * width + x;
    acc_t all = combine(combine(combine(s[0], s[width]), combine(s[2 * width], s[3 * width])),
                        combine(combine(s[4 * width], s[5 * width]), combine(s[6 * width], s[7 * width])));
    for (unsigned d = 1; d << log_width < 32; d *= 2) {
      const acc_t left = from_lane(all, (((y & ~(2 * d - 1)) + d - 1) << log_width) + x);
      if (y & d) all = combine(left, all);
    }
    of_rows[lane] = all;
    if (lane + width >= 32 && line < lines && place < most && part + 1 < parts) {
      publish(cells + WORDS * (line_cells * line + part), all, stamp);
    }
  }
  __syncthreads();
  const unsigned own = warp * 4;
  if (own < width && first_line + own < lines && (part > 0 || part + 1 < parts)) {
    const unsigned long long left = lines - first_line - own;
    acc_t values[4], outer[4], all[4];
#pragma unroll
    for (int j = 0; j < 4; j++) values[j] = of_rows[32 - width + own + j];
    look_back(cells + line_cells * WORDS * (first_line + own), line_cells * WORDS, left < 4 ? (unsigned)left : 4, parts,
              log_parts, part, values, stamp, outer, all,
              [&](const int j, const unsigned step, const acc_t &tree) { of_parts[step][own + j] = tree; });
    if (lane == 0) {
#pragma unroll
      for (int j = 0; j < 4; j++) of_tiles[own + j] = outer[j], of_groups[own + j] = all[j];
    }
  }
  __syncthreads();
  bool any_row = y >= 8;
  const bool any_tile = part > most;
  acc_t row_before, tile_before;
  if (any_row) row_before = of_rows[(y / 8 - 1) * width + x];
#pragma unroll
  for (int step = 0; step < 5; step++) {
    if (line < lines && place >> step & 1) {
      row_before = any_row ? combine(of_parts[step][x], row_before) : of_parts[step][x];
      any_row = true;
    }
  }
  if (any_tile) tile_before = of_tiles[x];
@four_results@
  if (ends_group(parts, log_parts, part)) {
    for (unsigned i = warp; i < width && first_line + i < lines; i += 8) {
      const unsigned tiles = (parts + most) >> log_parts;
      hand_on(cells + WORDS * (line_cells * (first_line + i) + parts + 2ull * tiles), (tiles + 31) / 32,
              part >> log_parts + 5, of_groups[i], stamp);
    }
  }
}
