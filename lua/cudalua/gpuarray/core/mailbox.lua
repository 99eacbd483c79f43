-- Mailboxes, also called cells: page-locked memory that brings single elements to the host, one for each context.
-- A copy arrives there sooner than in other memory. A reduction to one value writes it there itself, so reading the
-- value needs no copy. A program gets a mailbox when it has read a few elements.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"

local BYTES, FEW = 1024, 8

local M = {}

---Which of the types of mailbox.c; nil: another one.
---@type table<cudalua.dtype.DType, integer>
M.types = {}
for k, name in ipairs { "float32", "float64", "int32", "uint32", "int8", "uint8", "int16", "uint16", "int64", "uint64",
  "bool" } do
  M.types[dtypes[name]] = k
end

---By context; and those in which a value is looked for until it is there: not where threads wait without looking.
---@type table<integer, userdata>
M.cells, M.watched = {}, {}

local NO_LOOKING = 2 + 4 -- of the flags of a context: yield, block

local reads = {}

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

return M
