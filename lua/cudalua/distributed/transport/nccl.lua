-- The transport through NCCL, between the GPUs of the ranks: it moves arrays in device memory, and the host does not
-- wait for them. Texts go by another transport, which also knows which ranks are alive.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local libraries = require "cudalua.vendor.library"

---@type cudalua.distributed.Transport
local M = { name = "nccl", memory = "device" }

-- ---- element types --------------------------------------------------------------------------------------------------

-- NCCL's numbers of types.
local INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT16, FLOAT32, FLOAT64, BFLOAT16 = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9

-- What arrays of a dtype are for reductions: NCCL's type, how many of these an element is, and the operations.
local integers, floats = { sum = true, prod = true, min = true, max = true }, { sum = true, prod = true, min = true,
  max = true, mean = true }
local pairs_of_floats = { sum = true, mean = true }
local types = {
  bool = { UINT8, 1, { min = true, max = true } },
  int8 = { INT8, 1, integers }, uint8 = { UINT8, 1, integers },
  int32 = { INT32, 1, integers }, uint32 = { UINT32, 1, integers },
  int64 = { INT64, 1, integers }, uint64 = { UINT64, 1, integers },
  float16 = { FLOAT16, 1, floats }, bfloat16 = { BFLOAT16, 1, floats },
  float32 = { FLOAT32, 1, floats }, float64 = { FLOAT64, 1, floats },
  complex64 = { FLOAT32, 2, pairs_of_floats }, complex128 = { FLOAT64, 2, pairs_of_floats },
}

local operations = { sum = 0, prod = 1, max = 2, min = 3, mean = 4 }

function M.takes(dtype, op)
  local known = types[dtype]
  return known ~= nil and known[3][op] == true
end

function M.remedy(dtype, op)
  local remedy = "convert the array with astype('int32')"
  if op == "prod" and types[dtype] then remedy = "use all_gather() and prod() of its result" end
  return "NCCL does not have it; " .. remedy
end

-- What moves is counted in the largest elements that fit.
local function unit_of(bytes)
  if bytes % 8 == 0 then return bytes / 8, UINT64 end
  if bytes % 4 == 0 then return bytes / 4, UINT32 end
  return bytes, UINT8
end

---What NCCL counts in a call.
---@param bytes integer  of one part
---@param size integer   its elements
---@param dtype cudalua.dtype.DType
---@param op? string     of reductions
---@return integer? count  of elements of its type; nil: it does not have the operation
---@return integer? type
---@return integer? code   of the operation
function M.counted(bytes, size, dtype, op)
  if not op then
    local count, type = unit_of(bytes)
    return count, type, 0
  end
  local known = types[dtype.name]
  if not known or not known[3][op] then return nil end
  return size * known[2], known[1], operations[op]
end

-- ---- opening --------------------------------------------------------------------------------------------------------

---Whether this process can use NCCL.
---@param device cudalua.Device
---@return string? version
---@return string why        it cannot; or what device it is: two ranks must not have the same
function M.find(device)
  local is_soft = core.driver_info().soft
  if is_soft and not libraries.is_named "nccl" then
    return nil, "the driver is the software device, which NCCL does not know"
  end
  core.nccl_environment()
  local library, why = libraries.open "nccl"
  if not library then
    local row = libraries.rows.nccl
    return nil, ("NCCL was not found: %s; %s, or name the library in %s"):format(why, row.packages, row.variable)
  end
  local ok, problem = pcall(core.nccl_open, library.path)
  if not ok then return nil, problem.message end
  return library.version, is_soft and "soft" or tostring(device:uuid())
end

local function hex(bytes)
  return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

local function id_text()
  local ok, id = pcall(core.nccl_id)
  return ok and "id " .. hex(id) or id.message
end

local own -- the world of this process alone

-- The SharedGroup that knows which ranks are alive. Launchers of MPI end all processes if one fails. So there this
-- process looks after itself alone: at its time limit and at NCCL's errors.
local function watched(control, handle)
  if control.watched then return control.watched(handle) end
  if not own then
    own = core.shared_alone()
    own:set_limit(handle.world.limit)
  end
  return own
end

---This process's rank in the world, for messages.
M.rank = 0

---Opens a communicator for the members of a group of the other transport, which all call it.
---@param control cudalua.distributed.Transport
---@param handle any
---@param where string
---@param size integer
---@param rank integer  in the group
---@return userdata communicator
function M.connect(control, handle, where, size, rank)
  local said = control.exchange(handle, where, rank == 0 and id_text() or "-")[1]
  local digits = said:match "^id (%x+)$"
  if not digits then errors.raise("RuntimeError", ("%s: rank 0: %s"):format(where, said)) end
  local id = digits:gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end)
  return core.communicator(watched(control, handle), where, id, size, rank, M.rank)
end

---All members call it.
---@param communicator userdata
---@param control cudalua.distributed.Transport
---@param handle any  the group's
function M.close(communicator, control, handle)
  control.exchange(handle, "close", "close")
  communicator:close "close"
end

return M
