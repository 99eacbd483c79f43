-- Allocating device memory, and what the collector knows of it. Copies and fills are in memcpy.lua, pools of blocks
-- in pool.lua, the driver's pools in mempool.lua.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua
local M = {}

local plain, async, number = core.mem_alloc, core.mem_alloc_async, host.plain_number

---cuMemAlloc: allocates device memory in the current context. It is freed by :free(), which waits for running kernels,
---or, after it was collected, by the next allocation or synchronisation.
---@param bytes integer  the size in bytes, at least 1
---@return cudalua.DeviceAllocation
---@raise MemoryError (requested, free, total, live, pooled, queued: bytes) if the device is out of memory even after a
---  garbage collection; LogicError (201) without a current context, and while a stream is being captured
function M.mem_alloc(bytes)
  if type(bytes) == "cdata" then bytes = number(bytes) end
  return plain(bytes)
end

---cuMemAllocAsync: allocates device memory from the device's current pool, in stream order. Later work in that stream
---may use the memory. Work in other streams has to wait for it (Event). The method free() frees it in the same order,
---after work with it in other streams, and does not wait; nor does the collector. An allocation with its free() takes a
---microsecond, compared with fifty for mem_alloc. From the first use on, the default pool keeps freed memory (its
---release_threshold is raised if it was 0); default_mempool():trim_to(0) releases it.
---@param bytes integer  the size in bytes, at least 1
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.DeviceAllocation
---@raise MemoryError as mem_alloc; LogicError for a stream that is closed, belongs to another context or is being
---  captured, (201) without a current context, (801) without memory pools
function M.mem_alloc_async(bytes, stream)
  if type(bytes) == "cdata" then bytes = number(bytes) end
  return async(bytes, stream)
end

-- The classes of memory that know their size.
local sized = { DeviceAllocation = true, PooledDeviceAllocation = true, DevicePointer = true, HostAllocation = true,
  PooledHostAllocation = true, RegisteredHostMemory = true, ManagedAllocation = true, IPCMemoryHandle = true }

---Allocates device memory with the size of another object, without copying it.
---@param buf any  memory, a host array, an FFI array or struct, a string, {ptr =, nbytes =}, or an object with
---  :buffer()
---@return cudalua.DeviceAllocation
---@raise MemoryError as mem_alloc; LogicError if the size is 0 or not known
function M.mem_alloc_like(buf)
  if sized[core.kind(buf) or 0] then return plain(#buf) end
  local _, bytes = host.host_buffer("mem_alloc_like", buf)
  return plain(bytes)
end

-- Methods of every class of memory that the host may reach (docs/meta/memory.lua describes them).
for _, name in ipairs { "DeviceAllocation", "DevicePointer", "HostAllocation", "RegisteredHostMemory",
  "ManagedAllocation" } do
  core.classes[name].as_buffer = function(self, nbytes, offset)
    return require("cudalua.driver.hostmem").as_buffer(self, nbytes, offset)
  end
end

---@return integer free, integer total  bytes on the current device
---@raise LogicError (201) without a current context
function M.mem_get_info() return core.mem_get_info() end

---Runs Lua's garbage collector and returns the memory of garbage to the driver, including the unused blocks of the
---pools that arrays share. Finalizers never wait, so memory whose release has to wait for running kernels is otherwise
---freed by the next allocation or synchronisation.
function M.collect()
  collectgarbage()
  collectgarbage() -- what a finalized object held goes in the second pass
  core.drain()
  hooks.free_held()
end

---@class cudalua.MemoryCount
---@field bytes integer  the size of all allocations in bytes
---@field count integer  the number of allocations
---@field peak integer  the maximum of bytes so far

---@class cudalua.MemoryStats  of this process, or of this Lua state if the field says so
---@field plain cudalua.MemoryCount  mem_alloc, mem_alloc_pitch, to_device ...
---@field async cudalua.MemoryCount  mem_alloc_async and MemoryPool:alloc
---@field pooled cudalua.MemoryCount  blocks of DeviceMemoryPools in use
---@field managed cudalua.MemoryCount  managed_empty ...
---@field arrays cudalua.MemoryCount  CUDA arrays (Array)
---@field textures cudalua.MemoryCount  TextureObject and SurfaceObject, each counted as 16 KiB
---@field pinned cudalua.MemoryCount       page-locked host memory
---@field registered cudalua.MemoryCount   host memory of register_host_memory
---@field aligned cudalua.MemoryCount  plain host memory of aligned_empty ...
---@field held cudalua.MemoryCount  free blocks that DeviceMemoryPools hold
---@field pinned_held cudalua.MemoryCount  free blocks that PageLockedMemoryPools hold
---@field queued cudalua.MemoryCount  the part of the device memory above that was collected and is not freed yet
---@field live integer  bytes of device memory in use by objects of the program
---@field collections integer  the number of collections that allocations of this Lua state ran
---@field collect_seconds number  the time spent in these collections
---@field budget number  in bytes: a collection runs when the live memory has grown by this amount since the last one
---@field finalizer_errors integer  errors of other finalizers in these collections
---@field failed_destroys integer  objects that the driver refused to free in finalizers

-- One line for each kind of memory that there is, and for each number.
local function text_of_stats(stats)
  local kinds, rest = {}, {}
  for name, value in pairs_of(stats) do
    if type(value) ~= "table" then
      rest[#rest + 1] = ("%-16s %.14g"):format(name, value)
    elseif value.peak > 0 then
      kinds[#kinds + 1] = ("%-16s %.0f bytes, count %.0f, peak %.0f bytes"):format(name, value.bytes, value.count,
        value.peak)
    end
  end
  table.sort(kinds)
  table.sort(rest)
  for _, line in ipairs(rest) do kinds[#kinds + 1] = line end
  return table.concat(kinds, "\n")
end

local stats_mt = { __tostring = text_of_stats }

---Returns the memory in use, by kind. tostring() and print() list the kinds that were used at least once.
---@return cudalua.MemoryStats
function M.mem_stats() return setmetatable(core.mem_stats(), stats_mt) end

local units = { [""] = 1, K = 2 ^ 10, M = 2 ^ 20, G = 2 ^ 30, T = 2 ^ 40 }

-- 0: automatic, math.huge: never; nil: not a budget.
local function bytes_of(budget)
  if budget == "auto" then return 0 end
  if budget == "off" or budget == false then return math.huge end
  if type(budget) == "string" then
    local digits, unit = budget:match "^(%d+)([KMGT]?)$"
    budget = digits and tonumber(digits) * units[unit]
  end
  budget = number(budget)
  if type(budget) ~= "number" or budget < 1 or budget > 2 ^ 53 or budget ~= math.floor(budget) then return nil end
  return budget
end

local expected = '"auto", "off" or a number of bytes such as 268435456 or "256M"'

---Sets how many bytes of device and page-locked memory may become garbage before an allocation runs Lua's collector,
---which does not see this memory. With "auto" it is 64 MiB, more if a collection takes long or finds nothing, less if
---the device is short of memory. The environment variable CUDALUA_GC_BUDGET sets it at the start. It applies to this
---Lua state.
---@param budget? integer|string|boolean  "auto", a number of bytes ("256M" is a number, too), "off" or false; nil:
---  leave it unchanged
---@return integer|string budget  the previous value: "auto", "off" or bytes
---@raise LogicError for anything else
function M.gc_budget(budget)
  local set
  if budget ~= nil then
    set = bytes_of(budget)
    if not set then
      errors.raise("LogicError", "gc_budget: expected " .. expected .. ", got " .. errors.text(budget))
    end
  end
  local was = core.gc_budget()
  if set then core.gc_budget(set) end
  return was == 0 and "auto" or was == math.huge and "off" or was
end

local wanted = os.getenv "CUDALUA_GC_BUDGET"
if wanted and wanted ~= "" then
  if not bytes_of(wanted) then
    errors.raise("LogicError", ("CUDALUA_GC_BUDGET is '%s': it must be %s"):format(wanted, expected))
  end
  core.gc_budget(bytes_of(wanted))
end

function hooks.host_zeros(_, backing, shape, dtype, order)
  local hostmem = require "cudalua.driver.hostmem"
  return hostmem[backing == "pinned" and "pagelocked_zeros" or "managed_zeros"](shape, dtype, { order = order })
end

return M
