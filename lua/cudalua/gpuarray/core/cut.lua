-- Cuts long programs into kernels. Operations are numbered in the order in which the program wrote them, and a cut
-- divides this order. One kernel stores the values from before the cut that later operations read; these operations
-- start there.
--
-- A cut is placed where the fewest bytes have to be stored. In a loop, that is between two iterations, because the
-- temporary values of an iteration are only read within it. So each iteration is cut at the same place, and one
-- compiled kernel serves them all.

local core = require "cudalua.core"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local marks = require "cudalua.gpuarray.core.marks"
local object = require "cudalua.gpuarray.core.object"
local planning = require "cudalua.gpuarray.core.planning"
local results = require "cudalua.gpuarray.core.results"
local same_cuts = require "cudalua.gpuarray.core.same_cuts"
local storage = require "cudalua.gpuarray.core.storage"

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local bytes_of, dtype_of, leaf_of, size_of = storage.bytes_of, object.dtype_of, object.leaf_of, object.size_of
local number_from = marks.number_from

local M = {}

---A cut comes after this many operations, or after half to twice as many.
M.LIMIT = 64
---While an expression is being written, at least this many operations remain after the last cut. They show which values
---from before the cut are still read.
M.AHEAD = 160
---An expression is cut when it is evaluated if it has more operations or reads more arrays.
M.OPERATIONS, M.LEAVES = 96, 48
---An expression that only consists of operators is cut if it has more operations than this. If two kernels of at most
---this many operations suffice, it is cut into two.
M.HALF = 104
---An expression with at most this many operations is not cut if the older operations in between were evaluated.
M.FEW = 16
---A cut also stores arrays that nothing has read yet, up to this many bytes in total.
M.BUDGET = 64 * 2 ^ 20

-- ---- looking ------------------------------------------------------------------------------------------------------

-- Counts the operations of an expression and the arrays that it reads, each once. Stops after `most` operations.
local function count(x, operations, leaves, most, mark)
  if operations > most or type(x) ~= "table" then return operations, leaves end
  local leaf = leaf_of(x)
  if leaf then
    if leaf._mark == mark then return operations, leaves end
    leaf._mark = mark
    return operations, leaves + 1
  end
  local sig, a, b = x._sig, x._a, x._b
  if not sig or x._mark == mark then return operations, leaves end
  x._mark = mark
  operations, leaves = count(a, operations + 1, leaves, most, mark)
  if b then operations, leaves = count(b, operations, leaves, most, mark) end
  if not sig.z then return operations, leaves end
  return count(x._c, operations, leaves, most, mark)
end

local function size_of_expression(x, most)
  local start = marks.begin()
  local operations, leaves = count(x, 0, 0, most, start + 1)
  marks.finish(start, 1)
  return operations, leaves
end

---The pending operations since the first one of an expression, in the order of writing. `n` and `nleaves` are the
---lengths of the lists.
---@class cudalua.gpuarray.Stretch
---@field n integer
---@field nodes (cudalua.gpuarray.Array|false)[]
---@field cone boolean[]     does the expression depend on it?
---@field operations integer  of the expression
---@field last integer[]     _born of its last reader; 0: nothing reads it
---@field low integer        _born of the first operation of the expression after the last cut
---@field base integer       the same before the first cut
---@field sums number[]|false  see sums_of(); nsums: how many
---@field leaves (table|false)[]  arrays that are read
---@field nleaves integer
---@field leaf_last integer[]  _born of their last readers
---@field room integer       operations up to this _born read at most M.LEAVES arrays
---@field live integer[]     see live_bytes()
---@field start integer      the first node after the last cut
---@field carried integer[]  numbers of the nodes that were stored at cuts

local spare = false -- an unused stretch; a finalizer that cuts meanwhile makes another one

-- Records that an operation reads o.
local function read(s, o, start, born)
  if type(o) ~= "table" then return end
  local leaf = leaf_of(o)
  if leaf then
    local number = number_from(start, leaf)
    if not number then
      number = s.nleaves + 1
      leaf._mark, s.nleaves, s.leaves[number] = start + number, number, leaf
    end
    s.leaf_last[number] = born
    return
  end
  local number = number_from(start, o)
  if number then
    s.last[number] = born
  elseif o._sig and o._sig.part then -- of a choice: map.lua
    read(s, o._a, start, born)
    read(s, o._b, start, born)
  end
end

-- The expression also depends on the operands of its operations.
local function include(s, o, start)
  local sig = type(o) == "table" and o._sig
  if not sig then return end
  local number = number_from(start, o)
  if number then
    s.cone[number] = true
  elseif sig.part then
    include(s, o._a, start)
    include(s, o._b, start)
  end
end

-- The pending operations since the first one of x.
local function look(x)
  local s = spare or { nodes = {}, cone = {}, last = {}, leaves = {}, leaf_last = {}, live = {} }
  spare = false
  local nodes, last, cone = s.nodes, s.last, s.cone
  local n = storage.pending_from(x._low, nodes)
  local start, room = marks.begin(), math.huge
  s.n, s.nleaves, s.operations, s.low, s.sums, s.start, s.carried = n, 0, 0, x._born, false, 1, {}
  for k = 1, n do
    local y = nodes[k]
    local sig, a, b, born = y._sig, y._a, y._b, y._born
    y._mark, last[k], cone[k] = start + k, 0, false
    if sig then
      read(s, a, start, born)
      if b then read(s, b, start, born) end
      if sig.z then read(s, y._c, start, born) end
    end
    if s.nleaves > M.LEAVES and k > 1 and room == math.huge then room = nodes[k - 1]._born end
  end
  s.room = room
  local number = number_from(start, x)
  if number then cone[number] = true end
  for k = n, 1, -1 do
    if cone[k] then
      local y = nodes[k]
      local sig, a, b = y._sig, y._a, y._b
      s.operations = s.operations + 1
      if y._born < s.low then s.low = y._born end
      if sig then
        include(s, a, start)
        if b then include(s, b, start) end
        if sig.z then include(s, y._c, start) end
      end
    end
  end
  marks.finish(start, max(n, s.nleaves))
  s.base = s.low
  return s
end

-- The spare stretch must not keep arrays alive.
local function leave(s)
  for k = 1, s.n do s.nodes[k] = false end
  for k = 1, s.nleaves do s.leaves[k] = false end
  spare = s
end

---How many arrays the pending operations since the first one of x read.
---@param x cudalua.gpuarray.Array
---@return integer
function M.count_arrays(x)
  local s = look(x)
  leave(s)
  return s.nleaves
end

local function bytes_of_array(y) return size_of(y._shape) * dtype_of(y).itemsize end

-- Is an array no operand, and did no kernel compute it on the way?
local function is_unread(y) return y._used < 0 and y._sig end

-- For each operation from the first one of x on: the bytes of all arrays and values that later operations read.
-- `final`: values that nothing has read yet are results, and count as well.
local function live_bytes(s, to, final)
  local low, change = s.low, s.live
  for k = 0, to do change[k] = 0 end
  for i = 1, s.nleaves do
    local bytes, last = bytes_of(s.leaves[i]), s.leaf_last[i] - low
    if last > 0 then change[0] = change[0] + bytes end
    if last > 0 and last <= to then change[last] = change[last] - bytes end
  end
  for i = 1, #s.carried do
    local k = s.carried[i]
    local y, last = s.nodes[k], s.last[k] - low
    if last > 0 then
      local bytes = bytes_of_array(y)
      change[0] = change[0] + bytes
      if last <= to then change[last] = change[last] - bytes end
    end
  end
  for k = s.start, s.n do
    local y = s.nodes[k]
    local first, last = y._born - low, s.last[k] - low
    if first > to then break end
    if final and s.last[k] == 0 and is_unread(y) then last = to + 1 end
    if first >= 0 and last > first then
      local bytes = bytes_of_array(y)
      change[first] = change[first] + bytes
      if last <= to then change[last] = change[last] - bytes end
    end
  end
  for k = 1, to do change[k] = change[k] + change[k - 1] end
  return change
end

-- A loop writes the same operations in each iteration. To cut all iterations at the same place, hashes of the LONG and
-- the SHORT operations that follow a cut are remembered.
local LONG, SHORT, PRIME, BASE, REMEMBERED = 96, 32, 67108859, 1021, 16
local behind, turn = { [LONG] = {}, [SHORT] = {} }, 0
planning.keeps(function()
  local long, short, before = { unpack(behind[LONG]) }, { unpack(behind[SHORT]) }, turn
  return function() behind[LONG], behind[SHORT], turn = long, short, before end
end)
local power = { [LONG] = 1, [SHORT] = 1 }
for _, length in ipairs { LONG, SHORT } do
  for _ = 1, length do power[length] = power[length] * BASE % PRIME end
end

-- How many operations ago a pending operand was written; 0 for other operands.
local function distance(y, o)
  local born = type(o) == "table" and o._born
  return born and born > 0 and y._born - born or 0
end

-- Prefix sums of a rolling hash over the operations from the first one of x on. The hash of any run of operations
-- follows from two of them: see sum_from().
local function sums_of(s)
  if s.sums then return s.sums, s.nsums end
  local sums, numbers, low, n = { [0] = 0 }, {}, s.base, 0
  for k = 1, s.n do
    local y = s.nodes[k]
    local at = y._born - low + 1
    if at > 0 then
      local operands = distance(y, y._a) + 1009 * distance(y, y._b) + 10007 * distance(y, y._c)
      numbers[at], n = (y._sig and y._sig.number or 0) + 100003 * operands, at
    end
  end
  for k = 1, n do sums[k] = (sums[k - 1] * BASE + (numbers[k] or 0)) % PRIME end
  s.sums, s.nsums = sums, n
  return sums, n
end

local function sum_from(sums, n, k, length)
  return k + length <= n and (sums[k + length] - sums[k] * power[length]) % PRIME or nil
end

---Was there an earlier cut before the same operations?
---@param sums number[]  see sums_of()
---@param n integer
---@param k integer      the number of operations before them
---@return boolean
function M.is_known(sums, n, k)
  local length = k + LONG <= n and LONG or SHORT
  local sum = sum_from(sums, n, k, length)
  if not sum then return false end
  for i = 1, REMEMBERED do
    if behind[length][i] == sum then return true end
  end
  return false
end

local function remember(sums, n, k)
  if M.is_known(sums, n, k) then return end
  turn = turn % REMEMBERED + 1
  behind[LONG][turn], behind[SHORT][turn] = sum_from(sums, n, k, LONG) or false, sum_from(sums, n, k, SHORT) or false
end

-- Chooses between several places with equally few live bytes.
local function place_among(s, live, least, from, to, limit)
  local sums, n = sums_of(s)
  local base = s.low - s.base
  remember(sums, n, base)
  local best, known = from, false
  for k = from, to do -- the number of operations before the cut
    if live[k - 1] == least then
      local again = M.is_known(sums, n, base + k)
      if again and not known or again == known and k <= limit then best, known = k, again end
    end
  end
  remember(sums, n, base + best)
  return best
end

-- The operation after which x is cut: the one with the fewest live bytes. If several are equal, prefer a place before
-- the same operations as an earlier cut; then the last place within the limit, or else the first one beyond it.
-- `halves`: the expression becomes two kernels.
local function place_of(s, x, final, halves)
  local n, limit = x._born - s.low + 1, M.LIMIT
  local from, to = floor(limit / 2), min(2 * limit, n - 1, s.room - s.low + 1)
  if halves then
    from, to, limit = max(from, n - M.HALF), min(to, M.HALF), ceil(n / 2)
  end
  if to < 1 then return nil end
  from = min(from, to)
  local live = live_bytes(s, to - 1, final)
  local least, first, last = math.huge, from, from
  for k = from, to do
    local bytes = live[k - 1]
    if bytes < least then least, first, last = bytes, k, k elseif bytes == least then last = k end
  end
  local best = first < last and place_among(s, live, least, first, last, limit) or first
  return s.low + best - 1
end

---May a cut also store arrays that the expression does not depend on? Not during a capture, because each launch of the
---graph would store them again.
---@param home table|false  a leaf that it reads
---@return boolean
function M.may_have_companions(home)
  return not home or not home.store.released and not core.array_ready(home.buf)
end
function same_cuts.may_have_companions(home) return M.may_have_companions(home) end

-- Some memory that is read.
local function memory_of(s)
  for i = 1, s.nleaves do
    local leaf = s.leaves[i]
    if leaf.buf and not leaf.store.released then return leaf end
  end
  return false
end

---The arrays that a cut after the operation `place` stores.
---@param s cudalua.gpuarray.Stretch
---@param x cudalua.gpuarray.Array
---@param place integer
---@return cudalua.gpuarray.Array[] asked   operands that x needs, in the order of writing
---@return cudalua.gpuarray.Array[] stored  these, what other operations read across the cut, and unread arrays
local function live_at(s, x, place)
  local asked, stored, taken, moved, from, n = {}, {}, {}, 0, s.start, s.start - 1
  while n < s.n and s.nodes[n + 1]._born <= place do n = n + 1 end -- the last node before the cut
  for i = 1, s.nleaves do moved = moved + bytes_of(s.leaves[i]) end
  for k = from, n do
    local y = s.nodes[k]
    if s.cone[k] and s.last[k] > place then
      asked[#asked + 1], taken[k] = y, true
      moved = moved + bytes_of_array(y)
    end
  end
  local homes, dead = {}, {} -- of what was looked at
  local home = storage.several and results.home_of(x, homes) or memory_of(s)
  local may, inside, left = M.may_have_companions(home), storage.recorded_from(), min(moved, M.BUDGET)
  for pass = may and 1 or 3, 2 do -- first arrays that are read later, then unread ones; the newest first
    for k = n, from, -1 do
      local y = s.nodes[k]
      local wanted = pass == 1 and s.last[k] > place or pass == 2 and s.last[k] == 0 and is_unread(y) and y ~= x
      if wanted and not taken[k] and y._born > inside and y._sig then
        local bytes, near = bytes_of_array(y), storage.several and results.home_of(y, homes)
        local here = not storage.several or near and home and near.store.context == home.store.context
        if bytes <= moved and (pass == 1 or bytes <= left) and here and not storage.is_dead(y, dead) then
          taken[k], moved, left = true, moved - bytes, left - (pass == 2 and bytes or 0)
        end
      end
    end
  end
  for k = from, n do
    if taken[k] then stored[#stored + 1], s.carried[#s.carried + 1] = s.nodes[k], k end
  end
  s.start = n + 1
  return asked, stored
end

-- ---- cutting ------------------------------------------------------------------------------------------------------

local function least(low, o)
  if type(o) ~= "table" then return low end
  local own = (leaf_of(o) or o)._low
  return own and own < low and own or low
end

-- Continues after a cut.
local function go_on(s)
  s.low, s.operations = math.huge, 0
  for k = s.start, s.n do
    if s.cone[k] then
      s.operations = s.operations + 1
      if s.low == math.huge then s.low = s.nodes[k]._born end
    end
  end
end

---Operations after a cut reach back to it.
---@param nodes cudalua.gpuarray.Array[]
---@param from integer  the first one
---@param to integer    the last one
function same_cuts.begin_there(nodes, from, to)
  for k = from, to do
    local y = nodes[k]
    if y._sig then y._low = least(least(least(y._born, y._a), y._b), y._c) end
  end
end
local begin_there = same_cuts.begin_there

-- A kernel for a few last operations would read again what the one before it has just computed. A kernel before a cut
-- may have twice LIMIT operations, so the last one may, too, and a few more.
local function is_rest(s, x, place)
  return s.operations <= 2 * M.LIMIT + M.FEW and x._born - place <= M.FEW and s.nleaves <= M.LEAVES
end

-- Stores the live values at the best place. Returns false if there is no such place.
local function cut(s, x, final, record, halves)
  local place = place_of(s, x, final, halves)
  if not place then return false end
  if final and not halves and is_rest(s, x, place) then
    s.whole = true
    return false
  end
  local asked, stored = live_at(s, x, place)
  if #asked == 0 then return false end
  if planning.notes then planning.notes:cut(s, x, place, asked, stored) end
  if record then same_cuts.add(record, place, asked, stored) end
  if #stored > 1 then results.together(stored, true) end
  for k = 1, #asked do evaluate.evaluate(asked[k], true) end
  go_on(s)
  return true
end

local continued = -math.huge -- _born of the first operation after the last cut while an expression was written
local fitting = 0 -- _born of an expression that is one kernel, although it has more than OPERATIONS
planning.keeps(function()
  local low, born = continued, fitting
  return function() continued, fitting = low, born end
end)

local plain = {} -- signature -> is it an operator of C, which takes little time to compile?

local function is_plain(sig)
  local known = plain[sig]
  if known == nil then
    local text = sig.op.code and sig.x and sig.x.kind ~= "complex" and sig.op.code(sig.x, sig.result)
    known = type(text) == "string" and not text:find "[%w_]%s*%("
    plain[sig] = known
  end
  return known
end

local function are_plain(s)
  for k = 1, s.n do
    local sig = s.cone[k] and s.nodes[k]._sig
    if sig and not is_plain(sig) then return false end
  end
  return true
end

-- Should an expression become two kernels? This saves a launch, compared with kernels of LIMIT operations. It is not
-- done within a loop, whose kernels of LIMIT operations are only compiled once, nor for functions, which take long to
-- compile.
local function in_halves(s, x)
  local n = x._born - s.low + 1
  return n <= 2 * M.HALF and s.room == math.huge and not (s.low >= continued and s.low - continued < M.LIMIT) and
    are_plain(s)
end

---Cuts an expression that is being written and reaches too far back, or reads many arrays.
---@param x cudalua.gpuarray.Array
---@param reach integer  the number of operations that it may reach back
function M.cut(x, reach)
  if storage.evaluated > x._low then
    local n = size_of_expression(x, M.FEW)
    if n <= M.FEW then
      x._low = x._born - n
      return
    end
  end
  if same_cuts.make(x) then
    continued = x._low
    if x._born - x._low <= reach then return end
  end
  local record = x._sig and same_cuts.begin(x)
  while x._sig do
    local s = look(x)
    local n, done = s.operations, false
    if x._sig then x._low = s.low end
    while x._sig and x._born - s.low > (done and M.AHEAD or reach) and cut(s, x, false, record) do
      done = true
      if s.room < math.huge then break end
    end
    if record then same_cuts.finish(record, done and s.room == math.huge) end
    record = nil
    if done then
      begin_there(s.nodes, s.start, s.n)
      continued = s.low
    end
    leave(s)
    if not x._sig or x._born - x._low <= reach then return end
    if not done then
      if n > M.OPERATIONS then evaluate.compute_operands(x) end
      if x._sig then x._low = x._born - min(n, M.OPERATIONS) end
      return
    end
  end
end

---Cuts an expression that is about to be evaluated, until the rest fits into one kernel.
---@param x cudalua.gpuarray.Array
function M.fit(x)
  local far = x._born - x._low >= M.OPERATIONS
  if far then
    if x._born == fitting then return end
    if same_cuts.make(x) then
      fitting = x._born
      return
    end
  end
  while x._sig do
    local n, leaves = size_of_expression(x, M.HALF)
    if n <= M.OPERATIONS and leaves <= M.LEAVES then return end
    local s, cuts = look(x), 0
    if n <= M.HALF and leaves <= M.LEAVES and are_plain(s) then
      leave(s)
      fitting = x._born
      return
    end
    local record, halves = far and same_cuts.begin(x), in_halves(s, x)
    while x._sig and s.operations > (halves and M.HALF or M.OPERATIONS) or cuts == 0 do
      if not cut(s, x, true, record, halves) then break end
      cuts = cuts + 1
      if s.room < math.huge then break end
    end
    if cuts > 0 then begin_there(s.nodes, s.start, s.n) end
    leave(s)
    if record then
      local fits = s.operations <= (halves and M.HALF or M.OPERATIONS) or s.whole and cuts > 0
      same_cuts.finish(record, fits and s.room == math.huge)
    end
    far = false
    if s.whole and x._sig then
      fitting = x._born
      return
    end
    if cuts == 0 then return evaluate.compute_operands(x) end
  end
end

graph.cut, graph.count_arrays, graph.fit, evaluate.limits = M.cut, M.count_arrays, M.fit, M

return M
