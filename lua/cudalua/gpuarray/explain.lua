-- gpuarray.explain(): the kernels that an evaluation would launch, as text, and why they are these.

local codegen = require "cudalua.gpuarray.kernel.codegen"
local cut = require "cudalua.gpuarray.core.cut"
local dry_run = require "cudalua.gpuarray.core.dry_run"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local fuse = require "cudalua.gpuarray.fuse"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local results = require "cudalua.gpuarray.core.results"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"

local is_array, same = object.is_array, layout.same

---@class cudalua.gpuarray
local M = {}

-- ---- numbers and names ----------------------------------------------------------------------------------------------

-- As in a profile's tables.
local function bytes_text(n)
  for _, unit in ipairs { { 1e12, 1e12, "TB" }, { 1e9, 1e9, "GB" }, { 1e6, 1e6, "MB" }, { 1e4, 1e3, "kB" } } do
    if n >= unit[1] then return ("%.3g %s"):format(n / unit[2], unit[3]) end
  end
  return ("%.0f B"):format(n)
end

local function counted(n, what) return ("%.0f %s%s"):format(n, what, n == 1 and "" or "s") end

-- Bytes of a leaf's elements, each once.
local function bytes_of(leaf)
  if leaf.places or leaf.mask or not leaf.shape or not leaf.dtype then return 0 end
  local bytes = leaf.dtype.itemsize
  for k, extent in ipairs(leaf.shape) do bytes = bytes * (leaf.strides[k] == 0 and 1 or extent) end
  return bytes
end

---@class cudalua.gpuarray.Explanation
---@field notes cudalua.gpuarray.Notes
---@field lines {text: string, bytes?: number}[]
---@field numbers table<any, integer>  of arrays and leaves
---@field count integer                numbers that are given away
---@field read number    bytes
---@field written number
---@field asked table<cudalua.gpuarray.Array, integer>  which argument an array is
---@field arguments boolean?            the arrays are arguments; nil: of a call
---@field needed table<any, boolean>    the arguments and all that they are made of
local Explanation = {}
Explanation.__index = Explanation

local function add(e, text, ...) e.lines[#e.lines + 1] = { text = text:format(...) } end

local function number(e, key)
  if not e.numbers[key] then e.count, e.numbers[key] = e.count + 1, e.count + 1 end
  return e.numbers[key]
end

local function described(dtype, shape, line)
  return ("%s %s%s"):format(dtype.name, layout.text(shape), line and ", " .. line or "")
end

-- An expression: "#3 add, float32 (1000), program.lua:5"; without its number where it is never in memory.
local function expression(e, x, is_stored)
  local sig = dry_run.operation_of(e.notes, x)
  local text = ("%s, %s"):format(sig.op.name, described(x._dtype, x._shape, storage.line_of(x)))
  return is_stored and ("#%d %s"):format(number(e, x), text) or text
end

-- An array in memory.
local function leaf_text(e, leaf)
  local x = e.notes.arrays[leaf.buf]
  if x then return expression(e, x, true) end
  if leaf.places then return "random numbers, which the kernel makes" end
  if not leaf.dtype or not leaf.shape then return "other memory" end
  local whole = not leaf.store or bytes_of(leaf) == leaf.store.bytes
  return ("#%d %s%s"):format(number(e, leaf), described(leaf.dtype, leaf.shape), (whole and "" or ", a view") ..
    (leaf.buf and storage.memory_line(leaf.buf) and ", " .. storage.memory_line(leaf.buf) or ""))
end

-- ---- one kernel -----------------------------------------------------------------------------------------------------

-- An operand that would be pending if the program had not made a view of it.
local function put_early(e, leaf)
  local made = leaf.store and view.early(leaf.store)
  if made then
    add(e, "  early  #%d: computed when a view of it was made%s%s", number(e, leaf), made.line and ", " .. made.line or
      "", made.reduces and "; keepdims = true keeps a reduction pending" or "")
  end
end

local function put_reads(e, k)
  local places, order = {}, {}
  for _, leaf in ipairs(k.reads) do
    if not leaf.mask then
      if not places[leaf] then order[#order + 1] = leaf end
      places[leaf] = (places[leaf] or 0) + 1
    end
  end
  for i, leaf in ipairs(order) do
    local bytes = bytes_of(leaf)
    e.read = e.read + bytes
    e.lines[#e.lines + 1] = { bytes = bytes, text = ("  %s %s%s"):format(i == 1 and "reads " or "      ",
      leaf_text(e, leaf), places[leaf] > 1 and (", in %d places"):format(places[leaf]) or "") }
  end
  return order
end

local limits = {
  operations = function() return counted(results.OPERATIONS, "operation") end,
  arrays = function() return ("%d arrays that it reads"):format(results.LEAVES) end,
  results = function() return counted(results.MOST, "result") end,
  arguments = function() return "4000 bytes of arguments" end,
}

local OPERATION = 1 / 8 -- bytes: see mapped.lua

-- The bytes of an element that is computed in several places, and of one that is stored first.
local function of_map(size, r)
  local bytes = r.bytes + OPERATION * r.operations
  return ("computing it in %s moves %.4g bytes an element, storing it first %.4g"):format(
    counted(r.places, "place"), r.places * bytes, bytes + size + r.places * size)
end

local stored = {}

function stored.again(r)
  return ("needed again; recomputing it costs %s so far, storing and reading it %s"):format(bytes_text(r.bytes),
    bytes_text(r.stored))
end

function stored.mapped(r, x)
  if not r.places then return "the kernel that reads it through an index map cannot compute it" end
  return "read through index maps; " .. of_map(x._dtype.itemsize, r)
end

function stored.drawn() return "random numbers, which a kernel of their own draws in C order" end
function stored.operands() return "a kernel has at most 4000 bytes of arguments" end
function stored.cut() return "read after the cut" end
function stored.waits(r, x, e)
  local text = "reductions and scans start before other arrays are computed"
  if e.arguments and not e.needed[x] then return "pending, but the arguments do not need it; " .. text end
  local limit = r.limit
  return limit and ("%s; %s of %.0f elements do not fit into one kernel, which takes up to %.0f here"):format(text,
    limit.across and "columns" or "rows", limit.elements, limit.most) or text
end
function stored.rows() return "a reduction of the rows that the kernel reads once; its results are few" end
function stored.along() return "not read yet; shares arrays or values with the requested one" end
function stored.unread() return "not read yet, but perhaps after the cut" end

local separate = {}

function separate.strides(r, e)
  return ("its axes lie in another order in memory than those of #%d"):format(number(e, r.other))
end

function separate.limit(r)
  if r.limit == "drawn" then return "random numbers that it shares are drawn in another order" end
  return "a kernel has at most " .. limits[r.limit]()
end

-- Why another kernel than the one before computes these results.
local function why_other(k, before)
  if not before or not k.shape or not before.shape then return nil end
  if k.context ~= before.context then return "another context" end
  if not same(k.shape, before.shape) then return "another shape" end
end

local function put_writes(e, k)
  local first = true
  for _, leaf in ipairs(k.writes) do
    local bytes, x = bytes_of(leaf), leaf.buf and e.notes.arrays[leaf.buf]
    e.written = e.written + bytes
    local text = leaf_text(e, leaf)
    local argument = e.arguments and x and e.asked[x]
    e.lines[#e.lines + 1] = { bytes = bytes, text = ("  %s %s"):format(first and "writes" or "      ", text),
      note = argument and ("argument %d"):format(argument) }
    first = false
  end
end

-- Says something about an array, or about several at once.
local function remark(remarks, what, of, text)
  local key = what .. text
  if not remarks[key] then
    remarks[#remarks + 1] = { what = what, text = text, of = {} }
    remarks[key] = remarks[#remarks]
  end
  table.insert(remarks[key].of, ("#%d"):format(of))
end

-- What is said about the arrays that a kernel stores.
local function put_reasons(e, k, before)
  local is_asked, remarks = false, {}
  for _, leaf in ipairs(k.writes) do
    local x = leaf.buf and e.notes.arrays[leaf.buf]
    if x then
      local reason, apart, n = e.notes.stored[x], e.notes.separate[x], number(e, x)
      local why = reason and stored[reason.kind](reason, x, e) or "the kernel has its operands anyway"
      if e.asked[x] then
        is_asked = true
      elseif reason or e.arguments ~= nil then
        remark(remarks, "stores", n, why)
      end
      if apart then remark(remarks, "separate", n, separate[apart.kind](apart, e)) end
    end
  end
  for _, r in ipairs(remarks) do add(e, "  %s %s: %s", r.what, table.concat(r.of, ", "), r.text) end
  local other = is_asked and why_other(k, before)
  if other then add(e, "  separate from kernel %d: %s", before.number, other) end
  return is_asked
end

-- Adds an expression and its parts to a set.
local function add_parts(set, x)
  if type(x) ~= "table" or set[x] then return end
  set[x] = true
  if x._sig then
    add_parts(set, x._a)
    add_parts(set, x._b)
    add_parts(set, x._c)
  end
end

-- What is computed twice, except for the parts of what is stored to end that.
local function put_again(e, k)
  local written = {}
  for _, leaf in ipairs(k.writes) do
    local x = leaf.buf and e.notes.arrays[leaf.buf]
    local reason = x and e.notes.stored[x]
    if reason and reason.kind == "again" then add_parts(written, x) elseif x then written[x] = true end
  end
  for _, a in ipairs(k.again) do
    if not written[a.array] then
      add(e, "  recomputes %s: costs %s so far, storing and reading it %s", expression(e, a.array),
        bytes_text(a.bytes), bytes_text(a.stored))
    end
  end
  for _, met in ipairs(k.below) do
    if not written[met.array] then
      add(e, "  inlines %s: %s", expression(e, met.array), of_map(met.array._dtype.itemsize, met))
    end
  end
end

local function put_cut(e, c)
  local list = {}
  for i, x in ipairs(c.stored) do list[i] = ("#%d"):format(number(e, x)) end
  local why = c.limit == "operations" and ("%.0f operations to compute; more than %d are cut after %d to %d"):format(
    c.operations, cut.OPERATIONS, cut.LIMIT / 2, 2 * cut.LIMIT) or "more than " .. counted(cut.LEAVES, "array")
  add(e, "cut before %s: %s; carries %s", expression(e, c.behind), why, table.concat(list, ", "))
end

local function put_kernel(e, k, n)
  for _, c in ipairs(k.cuts) do put_cut(e, c) end
  k.number = n
  local size = k.shape and graph.size_of(k.shape)
  add(e, "kernel %d: %s%s%s%s", n, k.name, k.blocks and ("<<<%.0f, %.0f>>>"):format(k.blocks, k.threads) or "",
    size and ", " .. counted(size, "element") or "", k.operations and ", " .. counted(k.operations, "operation") or "")
  local reads = put_reads(e, k)
  put_writes(e, k)
  for _, leaf in ipairs(reads) do put_early(e, leaf) end
  local is_asked = put_reasons(e, k, e.last)
  put_again(e, k)
  if is_asked then e.last = k end
end

-- ---- all of them ----------------------------------------------------------------------------------------------------

-- Bytes stand in a column, and remarks behind it.
local function text_of(e)
  local width, digits, out = 0, 0, {}
  for _, line in ipairs(e.lines) do
    if line.bytes then width, digits = math.max(width, #line.text), math.max(digits, #bytes_text(line.bytes)) end
  end
  for i, line in ipairs(e.lines) do
    out[i] = line.text
    if line.bytes then
      out[i] = line.text .. (" "):rep(width - #line.text + 2 + digits - #bytes_text(line.bytes)) ..
        bytes_text(line.bytes) .. (line.note and "  " .. line.note or "")
    end
  end
  return table.concat(out, "\n")
end

local function described_plan(e, notes)
  e.notes = notes
  for i, k in ipairs(notes.kernels) do put_kernel(e, k, i) end
  local failure = notes.failure
  if failure then
    add(e, "error%s: %s", e.arguments == nil and "" or " of argument " .. notes.failed, tostring(failure))
  end
  add(e, "%s: %s read, %s written", counted(#notes.kernels, "kernel"), bytes_text(e.read), bytes_text(e.written))
  return text_of(e)
end

local function check_explained(x)
  local what = "gpuarray.explain"
  local instead = type(x) == "function" and
    "; call the function and pass the arrays that it returns, or pass a function of gpuarray.fuse() and its arguments"
    or object.separately(what, x)
  if instead ~= "" then
    errors.raise("LogicError", ("%s: expected a gpuarray, got %s%s"):format(what, element.describe(x), instead))
  end
  object.check_array(what, x)
end

---Returns a text about the kernels that would compute the given arrays, or without arguments all pending ones. It says
---what each kernel reads and writes in bytes, why values are stored or recomputed, and where a limit cuts an
---expression. Nothing is computed or compiled, and later evaluations are not affected. Each array has a number, its
---operation, dtype and shape. If lines are traced, the line that wrote it follows: on the software device, and after
---set_debugging(true). The text contains the error that the evaluation would raise. Of a function of gpuarray.fuse(),
---the text is about a call. It is made without memory, so values that the function asks for are errors.
---@param ... any  the arrays, as passed to eval(); default: all pending ones. Or a function of fuse() and its arguments
---@return string text
---@raise LogicError if an argument is not an array; errors of the function that are not this library's
function M.explain(...)
  local n, list = select("#", ...), { ... }
  local of_call = fuse.is_fused(list[1])
  if of_call then n, list = 0, {} end
  for i = 1, n do check_explained(list[i]) end
  if n == 0 and not of_call then list = storage.all_pending() end
  local e = setmetatable({ lines = {}, numbers = {}, count = 0, read = 0, written = 0, asked = {},
    needed = {} }, Explanation)
  if not of_call then e.arguments = n > 0 end
  for i, x in ipairs(list) do
    e.asked[x] = e.asked[x] or i
    add_parts(e.needed, x)
    if not x._sig and not (x._leaf and x._leaf.store.released) then
      add(e, "argument %d, %s: is computed already", i, described(x._dtype, x._shape))
    end
  end
  local function describe(notes) return described_plan(e, notes) end
  if of_call then return fuse.planned(describe, ...) end
  return describe(dry_run.plan(list, n > 0))
end

---Returns the CUDA C source of the kernel that computes an expression alone, without running it.
---@param x cudalua.gpuarray.Array  an array that is not computed yet
---@return string
---@raise LogicError for an array that is already computed; errors of its evaluation
function M.source(x)
  if not is_array(x) then
    errors.raise("LogicError", "gpuarray.source: expected a gpuarray, got " .. errors.text(x))
  end
  if not x._sig then
    errors.raise("LogicError", "gpuarray.source: the array is already computed, so it has no pending kernel")
  end
  local notes = dry_run.plan({ x }, true, true)
  if notes.failure then error(notes.failure, 0) end
  local last = notes.kernels[#notes.kernels]
  for _, k in ipairs(notes.kernels) do
    for _, leaf in ipairs(k.writes) do
      if leaf.buf and notes.arrays[leaf.buf] == x then last = k end
    end
  end
  if not last then errors.raise("LogicError", "gpuarray.source: the array has no elements, so it needs no kernel") end
  return codegen.source(last.kernel)
end

return M
