-- Plans an evaluation without running it, for gpuarray.explain() and gpuarray.source(). The evaluation itself runs, but
-- memory is imagined and launches are noted. Afterwards all pending arrays and the planner's state are as before. No
-- finalizer runs in between, because an array that it computes or writes would be imagined as well.

local again = require "cudalua.gpuarray.core.again"
local companions = require "cudalua.gpuarray.core.companions"
local core = require "cudalua.core"
local cut = require "cudalua.gpuarray.core.cut"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local hooks = require "cudalua.base.hooks"
local number_from = require("cudalua.gpuarray.core.marks").number_from
local pairs_of = require "cudalua.base.pairs_of"
local planning = require "cudalua.gpuarray.core.planning"
local results = require "cudalua.gpuarray.core.results"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"

local M = {}

-- ---- what is as before afterwards -----------------------------------------------------------------------------------

local fields = { "_sig", "_a", "_b", "_low", "_used", "_c" } -- _c only if the array has one

local function save(x, saved)
  if type(x) ~= "table" or not x._sig or saved[x] then return end
  local values = {}
  for i = 1, #fields do values[i] = rawget(x, fields[i]) end
  saved[x] = values
  save(x._a, saved)
  save(x._b, saved)
  save(x._c, saved)
end

-- All pending arrays, and expressions that are only a part of one (map.lua).
local function save_pending(list)
  local saved, pending = {}, {}
  local n = storage.pending_from(-math.huge, pending)
  for i = 1, n do save(pending[i], saved) end
  for i = 1, #list do save(list[i], saved) end
  return saved
end

---Restores what a pending array was.
---@param x cudalua.gpuarray.Array
---@param values any[]
function M.restore(x, values)
  for i = 1, #fields do
    if values[i] ~= nil then x[fields[i] ] = values[i] end
  end
end

---@param saved table<cudalua.gpuarray.Array, any[]>
function M.restore_pending(saved)
  for x, values in pairs_of(saved) do M.restore(x, values) end
end

-- ---- notes ----------------------------------------------------------------------------------------------------------

---A kernel that an evaluation would launch.
---@class cudalua.gpuarray.PlannedKernel
---@field kernel table|false   as generated, not compiled; false: a library's function
---@field name string
---@field blocks? integer
---@field threads? integer
---@field shape? integer[]     its operations are computed for each element of it
---@field operations? integer
---@field reads table[]        leaves; an array that is read through index maps occurs more than once
---@field writes table[]       leaves
---@field context integer|false
---@field again {array: cudalua.gpuarray.Array, bytes: number, stored: number}[]  values that earlier kernels computed,
---  without their parts: the bytes that recomputing them has moved, and those of storing and reading them
---@field below {array: cudalua.gpuarray.Array, places: number, bytes: number, operations: number}[]  expressions that
---  it computes below index maps, without their parts
---@field cuts table[]         that come before it

---Why an array is stored, or is not in the kernel of others.
---@class cudalua.gpuarray.PlanReason
---@field kind string  "again", "mapped", "drawn", "operands", "cut", "unread", "waits", "rows", "along", "strides",
---  "limit"

---What the planner decided.
---@class cudalua.gpuarray.Notes
---@field kernels cudalua.gpuarray.PlannedKernel[]
---@field stored table<cudalua.gpuarray.Array, cudalua.gpuarray.PlanReason>    why it is stored
---@field separate table<cudalua.gpuarray.Array, cudalua.gpuarray.PlanReason>  why other results are in another kernel
---@field arrays table<table, cudalua.gpuarray.Array>  by imagined memory: what is there
---@field before table<cudalua.gpuarray.Array, any[]>  fields of arrays, as before
---@field made table<cudalua.gpuarray.Array, table>    operations of arrays that were computed
---@field cuts table[]     since the last kernel
---@field too_long table<cudalua.gpuarray.Array, table>  reductions of rows that no row kernel takes
---@field failure any      the error that ends the evaluation; nil: none
---@field failed integer   the number of the array that has it
---@field alone boolean    results are not computed along
local Notes = {}
Notes.__index = Notes

---An array has to be stored before a kernel.
---@param w cudalua.gpuarray.Walk  over what the kernel would compute
---@param first cudalua.gpuarray.Array
function Notes:first(w, first)
  local reason = { kind = first == w.drawn and "drawn" or "mapped" }
  for _, met in ipairs(first ~= w.drawn and w.met or {}) do
    if met.array == first then
      reason.places, reason.bytes, reason.operations = met.places + (number_from(w.start, first) and 1 or 0), met.bytes,
        met.operations
    end
  end
  self.stored[first] = self.stored[first] or reason
end

---An array is stored because recomputing it would move more bytes.
---@param x cudalua.gpuarray.Array
---@param bytes number   that recomputing it would have moved
---@param stored number  that storing and reading it moves
function Notes:again(x, bytes, stored)
  self.stored[x] = self.stored[x] or { kind = "again", bytes = bytes, stored = stored }
end

---A reduction that waits starts before other arrays are computed.
---@param x cudalua.gpuarray.Array
function Notes:starts(x) self.stored[x] = self.stored[x] or { kind = "waits", limit = self.too_long[x] } end

---A row kernel cannot compute a reduction, because the rows are too long.
---@param x cudalua.gpuarray.Array
---@param limit {across: boolean, elements: integer, most: integer}  across: of columns
function Notes:row_limit(x, limit) self.too_long[x] = limit end

---A reduction is computed by a row kernel.
---@param x cudalua.gpuarray.Array
function Notes:rows(x) self.stored[x] = { kind = "rows" } end

---The operands of an expression are stored because its kernel would have too many arguments.
---@param x cudalua.gpuarray.Array
function Notes:operands(x)
  for _, operand in ipairs { x._a, x._b, x._c } do
    if type(operand) == "table" and operand._sig then
      self.stored[operand] = self.stored[operand] or { kind = "operands" }
    end
  end
end

---A result is in another kernel because its axes have another order.
---@param x cudalua.gpuarray.Array
---@param other cudalua.gpuarray.Array
function Notes:strides(x, other) self.separate[x] = { kind = "strides", other = other } end

---A kernel computes only the first of several results.
---@param r {n: integer, list: cudalua.gpuarray.Array[]}
---@param n integer  so many
---@param what string|nil  the limit; default: operations
function Notes:limit(r, n, what)
  for i = n + 1, r.n do self.separate[r.list[i] ] = { kind = "limit", limit = what or "operations" } end
end

---A result is computed along with a requested one.
---@param x cudalua.gpuarray.Array
function Notes:along(x) self.stored[x] = self.stored[x] or { kind = "along" } end

---An expression is cut.
---@param s cudalua.gpuarray.Stretch
---@param x cudalua.gpuarray.Array
---@param place integer  behind this operation
---@param asked cudalua.gpuarray.Array[]
---@param stored cudalua.gpuarray.Array[]
function Notes:cut(s, x, place, asked, stored)
  local behind
  for k = s.n, 1, -1 do
    if s.cone[k] and s.nodes[k]._born > place then behind = s.nodes[k] end
  end
  local is_asked = {}
  for _, y in ipairs(asked) do
    is_asked[y], self.stored[y] = true, self.stored[y] or { kind = "cut" }
  end
  for _, k in ipairs(s.carried) do
    local y = s.nodes[k]
    if not is_asked[y] then
      self.stored[y] = self.stored[y] or { kind = s.last[k] > place and "cut" or "unread" }
    end
  end
  self.cuts[#self.cuts + 1] = { behind = behind or x, stored = #stored > 0 and stored or asked,
    limit = s.operations > cut.OPERATIONS and "operations" or "arrays", operations = s.operations }
end

-- The part of a walk's launch that others do not have.
local function of_walk(k, w)
  k.shape, k.operations, k.context = w.shape, w.ninner + (w.root and w.nwrites or 0), w.context
  local to = 0 -- values up to this one belong to the last array that was noted
  for i = 1, w.nagain do
    if w.again_to[i] > to then
      local bytes, stored = again.total(w, w.again[i])
      k.again[#k.again + 1], to = { array = w.again[i], bytes = bytes, stored = stored }, w.again_to[i]
    end
  end
  local seen = {}
  for _, met in ipairs(w.met or {}) do
    if not seen[met.array] then
      k.below[#k.below + 1] = { array = met.array, places = met.places + (number_from(w.start, met.array) and 1 or 0),
        bytes = met.bytes, operations = met.operations }
    end
    save(met.array, seen)
  end
end

local function note_kernel(self, launch, step, is_first, is_last)
  local made = step.kernel
  local k = { kernel = made or false, name = made and made.name or step.fill and "fill" or step.name or "kernel",
    blocks = step.blocks, threads = made and (step.threads or run.BLOCK), reads = {}, writes = {}, again = {},
    below = {}, cuts = self.cuts, context = false }
  self.cuts, self.kernels[#self.kernels + 1] = {}, k
  local leaves, writes = launch.leaves, launch.writes or {}
  for i = 1, is_first and (launch.nleaves or #leaves) or 0 do k.reads[i] = leaves[i] end
  for i = 1, is_last and (launch.nwrites or #writes) or 0 do k.writes[i] = writes[i] end
  if launch.start then
    of_walk(k, launch)
  else
    k.shape, k.operations = launch.shape, launch.operations -- of fuse.lua
  end
end

-- Notes a launch, a sequence of them, or a call of a library.
local function note_launch(self, launch)
  local n = #launch
  if n == 0 then note_kernel(self, launch, launch, true, true) end
  for i = 1, n do note_kernel(self, launch, launch[i], i == 1, i == n) end
  return true
end

-- ---- planning -------------------------------------------------------------------------------------------------------

-- Memory that is only imagined.
local Imagined = {}
Imagined.__index = Imagined
function Imagined.ptr() return 0 end
function Imagined.free() end

local function imagine(bytes)
  local context = core.context_id()
  if bytes == 0 then return false, context end
  return setmetatable({ context = core.classes.Context.get_current() }, Imagined), context
end

-- What an evaluation uses of other modules, and what it gets instead.
local function replacements(notes, collecting)
  local with_context, give_back, array_ready = storage.with_context, storage.give_back, core.array_ready
  return {
    { planning, "notes", notes },
    { run, "planned", function(launch) return note_launch(notes, launch) end },
    { hooks, "profiling", false },
    { companions, "is_program", function() return collecting end },
    { storage, "buffer", imagine },
    { core, "array_ready", function(buf, ...)
      if getmetatable(buf) ~= Imagined then return array_ready(buf, ...) end
      errors.raise("LogicError", "gpuarray.explain: the function needs the value of an array, but nothing is computed")
    end },
    { storage, "give_back", function(buf) if getmetatable(buf) ~= Imagined then give_back(buf) end end },
    { storage, "release", function(store) store.released = true end },
    { storage, "adopt", function(x, store)
      notes.made[x] = x._sig
      if store.buf then notes.arrays[store.buf] = x end
    end },
    { storage, "with_context", function(buf, f, ...)
      if getmetatable(buf) == Imagined then return buf.context:with(f, ...) end
      return with_context(buf, f, ...)
    end },
    -- The planner asks memory whether it is captured, which makes the stream wait for it.
    { cut, "may_have_companions", function(home)
      return not home or not home.store.released and not core.current_stream():is_capturing()
    end },
  }
end

local function evaluate_all(notes, list)
  results.together(list)
  for i = 1, #list do
    local x = list[i]
    notes.failed = i
    if x._sig and not notes.alone then companions.before(x) end
    if x._sig then evaluate.force(x) elseif x._leaf then storage.leaf_of(x) end -- which raises if it was released
  end
end

local function attempt_all(list)
  results.together(list)
  for i = 1, #list do evaluate.attempt(list[i]) end
end

-- Runs with the collector stopped, so that no finalizer runs. Restores everything, whatever happens.
local function planned(notes, list, each, collecting, call)
  local saved, restore = save_pending(list), planning.save()
  notes.before = saved
  local swaps = replacements(notes, collecting)
  for _, swap in ipairs(swaps) do swap[4] = swap[1][swap[2] ] end
  local function evaluate_them()
    for _, swap in ipairs(swaps) do swap[1][swap[2] ] = swap[3] end
    if call then call() elseif each then evaluate_all(notes, list) else attempt_all(list) end
  end
  local function undo()
    for _, swap in ipairs(swaps) do swap[1][swap[2] ] = swap[4] end
    M.restore_pending(saved)
    restore()
  end
  -- On one line, as an interruption may come before any other one.
  local ok, failure = pcall(evaluate_them) local undone, interruption = pcall(undo) -- luacheck: ignore
  if not undone then
    undo()
    error(interruption, 0)
  end
  if not ok then
    if evaluate.is_final(failure) then error(failure, 0) end
    notes.failure = failure
  end
end

---Plans the evaluation of arrays. Nothing is launched, compiled or allocated, and later evaluations are as they would
---have been.
---@param list cudalua.gpuarray.Array[]
---@param each boolean  an error ends the evaluation; otherwise the array is skipped
---@param alone? boolean  without results that are computed along
---@param call? function  is called instead of evaluating them
---@return cudalua.gpuarray.Notes
---@raise an interruption, and what ends the device
function M.plan(list, each, alone, call)
  local notes = setmetatable({ kernels = {}, stored = {}, separate = {}, arrays = {}, before = {}, made = {}, cuts = {},
    too_long = {}, failed = 0, alone = alone or false }, Notes)
  local collecting = companions.is_program()
  local function plan()
    collectgarbage "stop"
    planned(notes, list, each, collecting, call)
  end
  local ok, failure = pcall(plan) if collecting then collectgarbage "restart" end -- on one line, as above
  if not ok then error(failure, 0) end
  return notes
end

---The operation of an array, as it was before the evaluation was planned.
---@param notes cudalua.gpuarray.Notes
---@param x cudalua.gpuarray.Array
---@return table|false sig
function M.operation_of(notes, x)
  local values = notes.before[x]
  return values and values[1] or notes.made[x] or x._sig
end

return M
