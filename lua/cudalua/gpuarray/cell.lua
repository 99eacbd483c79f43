-- Cells: page-locked memory, one for each context, in which single elements come to the host. What is copied there is
-- there sooner than in other memory; and a reduction to one value leaves that there by itself, so that who asks for it
-- next need not copy it at all. They are made for those who read more than a few elements. Where kernels are under way,
-- another kernel brings an element sooner than a copy; that one is compiled for those who read many.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local template = require "cudalua.gpuarray.template"

local BYTES, FEW, MANY = 1024, 8, 64

local M = {}

---Which of the types of array_run.c; nil: another one.
---@type table<cudalua.dtype.DType, integer>
M.types = {}
for k, name in ipairs { "float32", "float64", "int32", "uint32", "int8", "uint8", "int16", "uint16", "int64", "uint64",
  "bool" } do
  M.types[dtypes[name]] = k
end

---By context; and those in which a value is looked for until it is there: not where threads wait without looking.
---@type table<integer, userdata>
M.cells, M.watched = {}, {}

---By context: the kernel that brings an element.
---@type table<integer, cudalua.Function>
M.tellers = {}

local NO_LOOKING = 2 + 4 -- of the flags of a context: yield, block

local reads, asked = {}, {}

---The cell of a context; nil: there is none, or none yet.
---@param context integer  core.context_id()
---@return userdata?
function M.of(context)
  local cell = M.cells[context]
  if cell then return cell end
  local n = (reads[context] or 0) + 1
  reads[context] = n
  if n % FEW ~= 0 or context ~= core.context_id() then return nil end
  local ok
  ok, cell = pcall(core.host_alloc, BYTES, 0)
  if not ok then return nil end
  M.cells[context] = cell
  local flags
  ok, flags = pcall(core.memory_context(cell).get_flags)
  if ok and bit.band(flags, NO_LOOKING) == 0 then M.watched[context] = cell end
  return cell
end

local kernel

---Loads the kernel that brings an element.
---@param context integer  the current one
---@return cudalua.Function
function M.load_teller(context)
  kernel = kernel or { pieces = {}, device = template.fill("reduce", "tell", {}), name = "array_tell", loaded = {},
    kernel = template.fill("reduce", "tell_element", {}) }
  local fn = require("cudalua.gpuarray.evaluate").load(kernel, context)
  M.tellers[context] = fn
  return fn
end

---The same when it was asked for often enough, and can be loaded.
---@param context integer
---@return cudalua.Function?
function M.teller(context)
  if not M.watched[context] then return nil end
  local n = (asked[context] or 0) + 1
  asked[context] = n
  if n % MANY ~= 0 or context ~= core.context_id() or core.driver_info().soft then return nil end
  local ok, fn = pcall(M.load_teller, context)
  return ok and fn or nil
end

return M
