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
// way: (all before the group of groups + groups). What has nothing in it is left out. Nothing is combined that is not
// there, so that the operation needs no neutral value. It has to be associative, as far as its type goes; it need not
// be commutative.
//
// A kernel's own part is written before this: acc_t, of any size and with constructors if need be; combine(); and in
// the kernels functions: bases(k), where line k begins in all arrays; load(b, r), element r of each; load_run(b, r,
// raw), RUN of them; value(raw), what is computed of them; put(b, r, raw, value, before, any), which stores the result
// for element r (before: the value of those before it, if there are `any`); and put_run(), for RUN of them.

//: common
enum { RUN = @run@, K = @rows@, ROW = 32 * RUN, ROWS = 8 * K, TILE = ROWS * ROW, WORDS = (sizeof(acc_t) + 3) / 4 };

// How many elements of the run at r there are.
static __device__ __forceinline__ unsigned present(const index_t r, const index_t n) {
  return r >= n ? 0 : n - r < RUN ? (unsigned)(n - r) : RUN;
}

static __device__ __forceinline__ void within_run(acc_t (&y)[RUN], const unsigned m) {
#pragma unroll
  for (int i = 1; i < RUN; i++)
    if (i < m) y[i] = combine(y[i - 1], y[i]);
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
    if (any && i < m) y[i] = combine(e, y[i]);
  if (m == RUN) {
    put_run(b, r, raw, y, e, any);
  } else {
#pragma unroll
    for (int i = 0; i < RUN; i++)
      if (i < m) put(b, r + i, raw[i], y[i], i ? y[i ? i - 1 : 0] : e, i || any);
  }
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
static __device__ __forceinline__ acc_t lanes(acc_t x, const bool on, const unsigned count) {
  const unsigned lane = threadIdx.x & 31;
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    if (d >= count) break;
    const acc_t left = from_lane(x, (lane & ~(2 * d - 1)) + d - 1);
    if (on && (lane & d)) x = combine(left, x);
  }
  return x;
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
  const unsigned lane = threadIdx.x & 31, at = lane & (1u << log_lanes) - 1;
  const unsigned long long first = (blockIdx.x * 8ull + (threadIdx.x >> 5)) * K << 5 - log_lanes;
  const index_t r = at * RUN;
  const unsigned m = present(r, n);
  raw_t raw[K][RUN];
#pragma unroll
  for (int k = 0; k < K; k++) {
    const unsigned long long line = first + (lane >> log_lanes) + ((unsigned long long)k << 5 - log_lanes);
    load_part(load, load_run, bases(line < lines ? line : lines - 1), r, n, raw[k]);
  }
#pragma unroll
  for (int k = 0; k < K; k++) {
    const unsigned long long line = first + (lane >> log_lanes) + ((unsigned long long)k << 5 - log_lanes);
    acc_t y[RUN];
#pragma unroll
    for (int i = 0; i < RUN; i++) y[i] = value(raw[k][i]);
    within_run(y, m);
    const acc_t x = lanes(y[RUN - 1], m > 0, 1u << log_lanes);
    finish_run(put, put_run, bases(line < lines ? line : lines - 1), r, line < lines ? m : 0, raw[k], y,
               from_lane(x, lane - 1 & 31), at > 0);
  }
}

//: rows
// Lines of up to a tile: a warp has one, and takes K rows at a time.
extern "C" __global__ void __launch_bounds__(256)
    @name@(const unsigned long long lines, const index_t n, const unsigned@params@) {
@functions@
  const unsigned lane = threadIdx.x & 31;
  const unsigned long long line = blockIdx.x * 8ull + (threadIdx.x >> 5);
  if (line >= lines) return;
  const bases_t b = bases(line);
  Leaves<@log_rows@> rows;
#pragma unroll 1
  for (index_t first = 0; first < n; first += K * ROW) {
    raw_t raw[K][RUN];
#pragma unroll
    for (int k = 0; k < K; k++) load_part(load, load_run, b, first + k * ROW + lane * RUN, n, raw[k]);
#pragma unroll
    for (int k = 0; k < K; k++) {
      const index_t r = first + k * ROW + lane * RUN;
      const unsigned m = present(r, n);
      acc_t y[RUN];
#pragma unroll
      for (int i = 0; i < RUN; i++) y[i] = value(raw[k][i]);
      within_run(y, m);
      const acc_t x = lanes(y[RUN - 1], m > 0, 32);
      acc_t e = from_lane(x, lane - 1 & 31);
      if (rows.count) {
        const acc_t left = rows.all();
        e = lane ? combine(left, e) : left;
      }
      finish_run(put, put_run, b, r, m, raw[k], y, e, lane || rows.count);
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

// A value for each lane of the warp that wants one; waits until all are there.
static __device__ __forceinline__ acc_t wait(cell_t *const cell, const bool wanted, const unsigned stamp) {
  Words words;
  bool there;
  do {
    there = true;
    if (wanted) {
#pragma unroll
      for (int i = 0; i < WORDS; i++) {
        const unsigned long long w = cell[i];
        there = there && (unsigned)(w >> 32) == stamp;
        words.word[i] = (unsigned)w;
      }
    }
  } while (!__all_sync(0xffffffffu, there));
  return words.x;
}

// The cells of a line: a value for each tile; for each group one, and one of all before the group; for each group of
// groups the same, and so on. What comes before a node that is the first of its group comes before the group: it
// stands there only.
static __device__ __forceinline__ cell_t *cell_before(cell_t *nodes, unsigned count, unsigned node) {
  while ((node & 31) == 0) {
    nodes += 2ull * WORDS * count;
    count = (count + 31) / 32;
    node /= 32;
  }
  return nodes + (unsigned long long)WORDS * (count + node);
}

// The value of a group goes to the level above, and what comes before the next group to where its tiles wait for it:
// the last tile of the group does this. `nodes`: cells of the groups, `count` of them; `node`: this group; `all`: its
// value.
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
    acc_t x = wait(cell, lane < place || lane == 31 && group > 0 && place < 31, stamp);
    const acc_t outer = from_lane(x, 31);
    if (lane == place) x = all;
    x = lanes(x, lane <= place, 32);
    all = from_lane(x, place);
    if (place < 31) {
      if (group > 0) all = combine(outer, all);
      break;
    }
    nodes = above, count = (count + 31) / 32, node = group;
  }
  if (lane == 0) publish(nodes + (unsigned long long)WORDS * (count + node + 1), all, stamp);
}

// What comes before a tile whose value is `sum`. Blocks wait for such only as have begun before them. A warp does it.
static __device__ __forceinline__ acc_t look_back(cell_t *cells, const unsigned tiles, const unsigned tile,
                                                  const acc_t sum, const unsigned stamp) {
  const unsigned lane = threadIdx.x & 31, place = tile & 31, group = tile / 32, count = (tiles + 31) / 32;
  cell_t *const above = cells + (unsigned long long)WORDS * tiles;
  const bool last = place == 31 && tile + 1 < tiles;
  if (lane == 0 && place < 31 && tile + 1 < tiles) publish(cells + (unsigned long long)WORDS * tile, sum, stamp);
  cell_t *cell = cells + (unsigned long long)WORDS * (tile - place + lane);
  if (lane == 31 && group > 0) cell = cell_before(above, count, group);
  // The next group must not wait for what comes before this one.
  acc_t x = wait(cell, lane < place || lane == 31 && group > 0 && !last, stamp);
  acc_t outer = from_lane(x, 31);
  if (lane == place) x = sum;
  x = lanes(x, lane <= place, 32);
  acc_t before = from_lane(x, place - 1 & 31);
  if (last) {
    hand_on(above, count, group, from_lane(x, 31), stamp);
    outer = from_lane(wait(cell, lane == 31 && group > 0, stamp), 31);
  }
  if (group > 0) before = place > 0 ? combine(outer, before) : outer;
  return before;
}

//: tile
// A block has a tile, K rows for each warp.
extern "C" __global__ void __launch_bounds__(256@bounds@)
    @name@(const unsigned long long lines, const index_t n, const unsigned tiles@cells@@params@) {
@functions@
  __shared__ __align__(16) unsigned char room[((ROWS + 1) * sizeof(acc_t) + 15) / 16 * 16];
  acc_t *const rows = (acc_t *)room;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
@place@
  const bases_t b = bases(line);
  const index_t first = (index_t)tile * TILE, r = first + warp * (K * ROW) + lane * RUN;
  const bool full = n - first >= TILE;
  raw_t raw[K][RUN];
  if (full) {
#pragma unroll
    for (int k = 0; k < K; k++) load_run(b, r + k * ROW, raw[k]);
  } else {
#pragma unroll
    for (int k = 0; k < K; k++) load_part(load, load_run, b, r + k * ROW, n, raw[k]);
  }
  acc_t y[K][RUN], x[K];
  unsigned m[K];
#pragma unroll
  for (int k = 0; k < K; k++) {
    m[k] = full ? RUN : present(r + k * ROW, n);
#pragma unroll
    for (int i = 0; i < RUN; i++) y[k][i] = value(raw[k][i]);
    within_run(y[k], m[k]);
    x[k] = lanes(y[k][RUN - 1], m[k] > 0, 32);
    if (lane == 31) rows[warp * K + k] = x[k];
    x[k] = from_lane(x[k], lane - 1 & 31);
  }
  __syncthreads();
  const unsigned row = lane & ROWS - 1;
  const acc_t sum = lanes(rows[row], full || n - first >= (row + 1) * ROW, ROWS);
@before@
#pragma unroll
  for (int k = 0; k < K; k++) {
    acc_t e = x[k];
    const acc_t of_rows = from_lane(sum, warp * K + k - 1 & ROWS - 1);
    if (m[k]) {
      if (warp || k) e = lane ? combine(of_rows, e) : of_rows;
@combine_before@
    }
    finish_run(put, put_run, b, r + k * ROW, m[k], raw[k], y[k], e, lane || warp || k@any_before@);
  }
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
  if (warp == 0 && (tile > 0 || tile + 1 < tiles)) {
    const acc_t left = look_back(cells + line_cells * WORDS * line, tiles, tile, from_lane(sum, ROWS - 1), stamp);
    if (lane == 0) rows[ROWS] = left;
  }
  __syncthreads();
  const acc_t left = rows[ROWS];

//: columns
// Lines lie side by side in memory: 2^log_width of them have neighbouring threads. Each thread takes four runs of its
// line at a time, those behind it in the block the next ones.
extern "C" __global__ void __launch_bounds__(256)
    @name@(const unsigned long long lines, const index_t n, const unsigned log_width@cells@@params@) {
@functions@
  __shared__ acc_t all_sums[2][256], of_rows[32], of_tiles[32];
  const unsigned x = threadIdx.x & (1u << log_width) - 1, y = threadIdx.x >> log_width, width = 1u << log_width;
  const unsigned height = 256u >> log_width;
@place@
  const bases_t b = bases(line < lines ? line : lines - 1);
  Leaves<@log_rows@> rows; // this is kept by the first thread of a line
  unsigned flip = 0;
@passes@
#pragma unroll 1
  for (index_t first = from; first < to; first += height * (4 * RUN), flip ^= 1) {
    const index_t r = first + y * (4 * RUN);
    raw_t raw[4][RUN];
#pragma unroll
    for (int k = 0; k < 4; k++) load_part(load, load_run, b, r + k * RUN, n, raw[k]);
    acc_t v[4][RUN];
    unsigned m[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      m[k] = present(r + k * RUN, n);
#pragma unroll
      for (int i = 0; i < RUN; i++) v[k][i] = value(raw[k][i]);
      within_run(v[k], m[k]);
    }
    acc_t pair = v[0][RUN - 1], three, sum;
    if (m[1] == RUN) pair = combine(pair, v[1][RUN - 1]);
    if (m[2] == RUN) three = combine(pair, v[2][RUN - 1]);
    if (m[3] == RUN) sum = combine(pair, combine(v[2][RUN - 1], v[3][RUN - 1]));
    acc_t *const sums = all_sums[flip];
    sums[threadIdx.x] = sum;
    __syncthreads();

    const unsigned first_row = first / ROW % ROWS;
    if (y == 0) {
@before@
      for (unsigned row = 0; row < height / 8 && first + row * ROW < n; row++) {
        if (first_row + row) of_rows[row * width + x] = rows.all();
        if (n - first < (row + 1) * ROW) break;
        const acc_t *const s = sums + row * 8 * width + x;
        acc_t all = combine(combine(combine(s[0], s[width]), combine(s[2 * width], s[3 * width])),
                            combine(combine(s[4 * width], s[5 * width]), combine(s[6 * width], s[7 * width])));
        if (rows.take(all)) {
@tile_done@
        }
      }
    }
    __syncthreads();
@next@

    const unsigned row = y / 8, place = y & 7;
    const acc_t *const s = sums + row * 8 * width + x;
    acc_t one, two, four;
    if (place & 1) one = s[(place - 1) * width];
    if (place & 2) two = combine(s[(place & 4) * width], s[((place & 4) + 1) * width]);
    if (place & 4) four = combine(combine(s[0], s[width]), combine(s[2 * width], s[3 * width]));
    const bool any_tile = first >= TILE, any_row = first_row + row > 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (m[k] && line < lines) {
        acc_t e = k == 1 ? v[0][RUN - 1] : k == 2 ? pair : three;
        bool any = k > 0;
        if (place & 1) e = any ? combine(one, e) : one, any = true;
        if (place & 2) e = any ? combine(two, e) : two, any = true;
        if (place & 4) e = any ? combine(four, e) : four, any = true;
        if (any_row) e = any ? combine(of_rows[row * width + x], e) : of_rows[row * width + x], any = true;
        if (any_tile) e = any ? combine(of_tiles[x], e) : of_tiles[x], any = true;
        acc_t z[RUN];
#pragma unroll
        for (int i = 0; i < RUN; i++) z[i] = v[k][i];
        finish_run(put, put_run, b, r + k * RUN, m[k], raw[k], z, e, any);
      }
    }
  }
@end@
}

//: columns_whole
  // A block goes along its lines from their beginning to their end.
  const unsigned long long line = ((unsigned long long)blockIdx.x << log_width) + x;
  const index_t from = 0, to = n;
  Leaves<5> nodes[6]; // tiles, groups, groups of groups ... since the last one that is complete
  acc_t before[7];    // all before these
  unsigned tile = 0;

//: columns_whole_before
      if (tile) of_tiles[x] = before[0];

//: columns_whole_done
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

//: columns_split
  // A block has a tile of its lines, which it reads twice: for what the tile gives, which others wait for, and for the
  // results. Tiles are taken in the order in which blocks begin.
  __shared__ unsigned number;
  if (threadIdx.x == 0) number = atomicInc(counter, gridDim.x - 1);
  __syncthreads();
  const unsigned groups = (unsigned)((lines + width - 1) >> log_width), tile = number / groups;
  const unsigned tiles = gridDim.x / groups;
  const unsigned long long line = ((unsigned long long)(number - tile * groups) << log_width) + x;
  const index_t from = (index_t)tile * TILE, to = n - from < TILE ? n : from + TILE;

//: columns_split_passes
  for (unsigned pass = tile + 1 < tiles ? 0 : 1; pass < 2; pass++) {
    if (pass) {
      for (unsigned i = threadIdx.x >> 5; i < width && line - x + i < lines; i += 8) {
        const acc_t left =
            look_back(cells + line_cells * WORDS * (line - x + i), tiles, tile, of_tiles[i], stamp);
        if ((threadIdx.x & 31) == 0) of_tiles[i] = left;
      }
      __syncthreads();
    }

//: columns_split_done
          if (pass == 0) of_tiles[x] = all;

//: columns_split_next
    if (pass == 0) continue;
