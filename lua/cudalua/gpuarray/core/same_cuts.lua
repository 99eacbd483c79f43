-- Reuses the cuts of an expression. A loop writes the same operations in the same order each time, so its long
-- expressions are cut at the same places. Comparing the operations is faster than searching for these places again.
-- When an expression occurs for the second time, its operations and its cuts are recorded. From the third time on, the
-- operations are compared with the record, and the recorded cuts are made.
--
-- The values have the same bits wherever an expression is cut. The comparison covers what makes a cut safe: the
-- operations and their operands. The sizes of the arrays that are read, for example, only make a place better or worse.

local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local marks = require "cudalua.gpuarray.core.marks"
local object = require "cudalua.gpuarray.core.object"
local planning = require "cudalua.gpuarray.core.planning"
local results = require "cudalua.gpuarray.core.results"
local storage = require "cudalua.gpuarray.core.storage"

local leaf_of, number_from, size_of = object.leaf_of, marks.number_from, object.size_of

local M = {}

---The number of expressions that are recorded.
M.MOST = 16
---EACH: how many of them may have the same last operation and the same number of operations. A further one replaces a
---record only if the record was not found again while others like it occurred OTHERS times.
M.EACH, M.OTHERS = 4, 8

-- Codes of operands, in 12 bits. Below LEAF: how many operations ago the operand was written. From LEAF on: the number
-- of an array, counted in the order of first reading. Then a number, or no operand.
local LEAF, VALUE, NONE, OPERAND, SIGNATURES = 1024, 2048, 2049, 4096, 16384

---An expression that came before.
---@class cudalua.gpuarray.SameCuts
---@field sig table          its last operation
---@field n integer          how many operations there were since its first one, with it
---@field size integer       of the expression
---@field low integer        _born of its first operation when it was recorded
---@field codes number[]|false  of the operations; false: it occurred once, or its cuts could not be recorded
---@field cuts cudalua.gpuarray.SameCut[]
---@field ready boolean      all cuts were added; a finalizer may run before that and search the records
---@field others integer     how often similar expressions occurred since this one was last found

---A cut: the numbers of the operations that it stores, and of the last one before it.
---@class cudalua.gpuarray.SameCut
---@field asked integer[]   operands of the expression
---@field stored integer[]  these, and others
---@field alone boolean     there are no others
---@field place integer

local known, turn = {}, 0
local spare = {} -- for the operations of one expression; false: in use

planning.keeps(function()
  local list, at = { unpack(known) }, turn
  return function() known, turn = list, at end
end)

---Forgets everything.
function M.forget() known, turn = {}, 0 end

local start, nleaves = 0, 0 -- the marks of one comparison, and how many arrays it has read

-- The code of an operand; nil: it is none of these.
local function code_of(o, born, low)
  if type(o) ~= "table" then return o and VALUE or NONE end
  local leaf = leaf_of(o)
  if leaf then
    local number = number_from(start, leaf)
    if not number then
      number, nleaves = nleaves + 1, nleaves + 1
      leaf._mark = start + number
    end
    return number <= VALUE - LEAF and LEAF + number - 1 or nil
  end
  local sig = o._sig
  if not sig then return o._scalar ~= nil and VALUE or nil end
  local distance = born - o._born
  return not sig.part and o._born >= low and distance > 0 and distance < LEAF and distance or nil
end

-- The code of an operation since the one with the number `low`; nil: it has none.
local function code(y, low)
  local sig, born = y._sig, y._born
  local number = sig and sig.number
  if not number or number >= SIGNATURES or sig.maps then return nil end
  local a, b, c = code_of(y._a, born, low), code_of(y._b, born, low), sig.z and code_of(y._c, born, low) or NONE
  return a and b and c and ((a * OPERAND + b) * OPERAND + c) * SIGNATURES + number
end

-- The operations since the first one of x, and how many there are up to x; nil: they are not all there.
local function operations_of(x)
  local nodes = spare or {}
  spare = false
  local all, n = storage.pending_from(x._low, nodes), x._born - x._low + 1
  return nodes, all, nodes[n] == x and n or nil
end

-- The list must not keep arrays alive.
local function leave(nodes, all)
  for k = 1, all do nodes[k] = false end
  spare = nodes
end

-- Calls f(...) with marks of its own. A finalizer may come in between, and search the records, too.
local function with_marks(f, ...)
  local outer, n = start, nleaves
  start, nleaves = marks.begin(), 0
  local result = f(...)
  marks.finish(start, nleaves)
  start, nleaves = outer, n
  return result
end

-- May a record be of this expression?
local function is_like(r, x) return r.n == x._born - x._low + 1 and r.sig == x._sig and r.size == size_of(x._shape) end

local function have_codes(nodes, n, codes, low)
  for k = 1, n do
    if code(nodes[k], low) ~= codes[k] then return false end
  end
  return true
end

---Are an expression's operations those of a record?
---@param r cudalua.gpuarray.SameCuts
---@param nodes cudalua.gpuarray.Array[]
---@param low integer  _born of the first one
---@return boolean
function M.are_same(r, nodes, low)
  return with_marks(have_codes, nodes, r.n, r.codes, low)
end

-- Some memory that is read.
local function memory_of(nodes, n)
  for k = 1, n do
    local a = nodes[k]._a
    local leaf = type(a) == "table" and leaf_of(a)
    if leaf and leaf.buf and not leaf.store.released then return leaf end
  end
  return false
end

---May a cut store these arrays, also those that the expression does not depend on? As in cut.lua.
---@param list cudalua.gpuarray.Array[]
---@param nodes cudalua.gpuarray.Array[]  the operations
---@param n integer
---@return boolean
function M.may_store(list, nodes, n)
  local home = memory_of(nodes, n)
  if not M.may_have_companions(home) then return false end
  local inside, dead, homes = storage.recorded_from(), {}, {}
  for k = 1, #list do
    local y = list[k]
    local near = storage.several and results.home_of(y, homes)
    local here = not storage.several or near and home and near.store.context == home.store.context
    if y._born <= inside or not here or storage.is_dead(y, dead) then return false end
  end
  return true
end

-- Makes a cut; false: it is not possible as it was.
local function cut(c, nodes, n)
  local stored = {}
  for k = 1, #c.stored do
    local y = nodes[c.stored[k] ]
    if not y._sig then return false end -- a finalizer computed it
    stored[k] = y
  end
  if not c.alone and not M.may_store(stored, nodes, n) then return false end
  if #stored > 1 then results.together(stored, true) end
  for k = 1, #c.asked do evaluate.evaluate(nodes[c.asked[k] ], true) end
  return true
end

local function make_cuts(x, cuts, nodes, n)
  for k = 1, #cuts do
    if not x._sig or not cut(cuts[k], nodes, n) then return false end
  end
  M.begin_there(nodes, cuts[#cuts].place + 1, n)
  return true
end

-- The record of an expression.
local function find(x, nodes, n)
  local same
  for i = 1, #known do
    local r = known[i]
    if r.ready and not same and is_like(r, x) and M.are_same(r, nodes, x._born - n + 1) then
      same, r.others = r, 0
    elseif is_like(r, x) then
      r.others = r.others + 1
    end
  end
  return same
end

local function may_be_known(x)
  for i = 1, #known do
    if known[i].ready and is_like(known[i], x) then return true end
  end
end

---Cuts an expression that was cut before.
---@param x cudalua.gpuarray.Array
---@return boolean done   false: other operations came before, or not all cuts could be made
function M.make(x)
  if planning.notes or not may_be_known(x) then return false end
  local nodes, all, n = operations_of(x)
  local r = n and find(x, nodes, n)
  -- This runs finalizers, so nothing is compared afterwards.
  local done = r and make_cuts(x, r.cuts, nodes, n) or false
  leave(nodes, all)
  return done
end

local function codes_from(nodes, n, low)
  local codes = {}
  for k = 1, n do
    local c = code(nodes[k], low)
    if not c then return nil end
    codes[k] = c
  end
  return codes
end

-- The codes of an expression's operations; nil: some have none.
local function codes_of(x)
  local nodes, all, n = operations_of(x)
  local codes = n and with_marks(codes_from, nodes, n, x._low)
  leave(nodes, all)
  return codes
end

-- A place for a new record.
local function place_for(x)
  local like, oldest = 0, nil
  for i = 1, #known do
    if is_like(known[i], x) then
      like = like + 1
      if not oldest or known[i].others > known[oldest].others then oldest = i end
    end
  end
  if like >= M.EACH then return known[oldest].others >= M.OTHERS and oldest or nil end
  turn = turn % M.MOST + 1
  return turn
end

---Begins the record of an expression that is about to be cut.
---@param x cudalua.gpuarray.Array
---@return cudalua.gpuarray.SameCuts? record  the caller adds the cuts; nil: the expression occurred for the first time
function M.begin(x)
  if planning.notes or graph.limits_lifted() then return nil end
  for i = 1, #known do
    local r = known[i]
    if not r.codes and is_like(r, x) then
      r.low, r.codes, r.cuts, r.others = x._low, codes_of(x) or false, {}, 0
      return r.codes and r or nil
    end
  end
  local place = place_for(x)
  if place then
    known[place] = { sig = x._sig, n = x._born - x._low + 1, size = size_of(x._shape), low = 0, codes = false,
      cuts = {}, ready = false, others = 0 }
  end
end

local function numbers_of(r, list)
  local numbers = {}
  for k = 1, #list do
    local number = list[k]._born - r.low + 1
    if number < 1 or number > r.n then return nil end
    numbers[k] = number
  end
  return numbers
end

---Adds a cut.
---@param r cudalua.gpuarray.SameCuts
---@param place integer  _born of the last operation before it
---@param asked cudalua.gpuarray.Array[]
---@param stored cudalua.gpuarray.Array[]
function M.add(r, place, asked, stored)
  local a, s = numbers_of(r, asked), numbers_of(r, stored)
  if a and s and #s > 0 then
    r.cuts[#r.cuts + 1] = { asked = a, stored = s, alone = #a == #s, place = place - r.low + 1 }
  else
    r.codes = false -- later operations are among them
  end
end

---All cuts were made, or none.
---@param r cudalua.gpuarray.SameCuts
---@param whole boolean  the expression was cut into kernels
function M.finish(r, whole)
  r.ready = whole and #r.cuts > 0 and r.codes ~= false
  r.codes = r.ready and r.codes
end

return M
