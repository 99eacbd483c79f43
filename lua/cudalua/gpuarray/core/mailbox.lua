-- Cells: page-locked memory, one for each context, in which single elements come to the host. What is copied there is
-- there sooner than in other memory; and a reduction to one value leaves that there by itself, so that who asks for it
-- next need not copy it at all. They are made for those who read more than a few elements.

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
