-- Pools of blocks: freed memory is kept and handed out again without asking the driver.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local host = require "cudalua.base.ffi"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua
local M = {}

---Keeps freed blocks of mem_alloc() by size. It belongs to the context that is current when you create it. A freed
---block is reused at once, unless streams other than the one that requests it have pending work with it.
---@class cudalua.DeviceMemoryPool
---@overload fun(): cudalua.DeviceMemoryPool
---@field held_blocks integer  free blocks that the pool holds
---@field held_bytes integer  bytes in the free blocks
---@field active_blocks integer  blocks in use
---@field active_bytes integer  requested bytes of the blocks in use
---@field managed_bytes integer  bytes of all blocks, free or in use
local DeviceMemoryPool = core.classes.DeviceMemoryPool
M.DeviceMemoryPool = DeviceMemoryPool
M.PooledDeviceAllocation = core.classes.PooledDeviceAllocation
M.PooledHostAllocation = core.classes.PooledHostAllocation

-- The fields of both kinds of pools, which are read in C.
local function statistics()
  return { "held_blocks", "held_bytes", "active_blocks", "active_bytes", "managed_bytes" }
end
names.strict(DeviceMemoryPool, { text = "a DeviceMemoryPool", more = statistics })
getmetatable(DeviceMemoryPool).__call = function() return core.device_pool() end

local allocate_block, allocate_host = DeviceMemoryPool.allocate, core.host_pool_allocate

---Allocates device memory for work in a stream. Work in other streams has to wait for that stream's earlier work.
---@param bytes integer  the size in bytes, at least 1
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.PooledDeviceAllocation
---@raise MemoryError as mem_alloc, after the pool has released all its free blocks; LogicError if the pool's context is
---  not current
function DeviceMemoryPool:allocate(bytes, stream)
  if type(bytes) == "cdata" then bytes = host.plain_number(bytes) end
  return allocate_block(self, bytes, stream)
end

---Allocates the memory of a PageLockedMemoryPool.
---@class cudalua.HostAllocator
---@field flags integer  flags of cuda.host_alloc_flags
local PageLockedAllocator = {}
PageLockedAllocator.__index = PageLockedAllocator

---Returns an allocator of page-locked host memory with these flags, for a PageLockedMemoryPool.
---@param flags? integer|string|(integer|string)[]  flags of cuda.host_alloc_flags: "portable", "devicemap",
---  "writecombined"
---@return cudalua.HostAllocator
---@raise LogicError for other flags
function M.PageLockedAllocator(flags)
  flags = core.check_flags(flags, "PageLockedAllocator: flags", "host_alloc_flags")
  return setmetatable({ flags = flags }, PageLockedAllocator)
end

---Keeps freed blocks of page-locked host memory by size. It has the statistics of a DeviceMemoryPool.
---@class cudalua.PageLockedMemoryPool
---@overload fun(allocator?: cudalua.HostAllocator): cudalua.PageLockedMemoryPool
---@field held_blocks integer  free blocks that the pool holds
---@field held_bytes integer  bytes in the free blocks
---@field active_blocks integer  blocks in use
---@field active_bytes integer  requested bytes of the blocks in use
---@field managed_bytes integer  bytes of all blocks, free or in use
local PageLockedMemoryPool = core.classes.PageLockedMemoryPool
M.PageLockedMemoryPool = PageLockedMemoryPool

names.strict(PageLockedMemoryPool, { text = "a PageLockedMemoryPool", more = statistics })
getmetatable(PageLockedMemoryPool).__call = function(_, allocator)
  if allocator == nil then return core.host_pool() end
  if getmetatable(allocator) ~= PageLockedAllocator then
    errors.raise("LogicError", "PageLockedMemoryPool: expected a PageLockedAllocator, got " .. errors.text(allocator))
  end
  return core.host_pool(allocator.flags)
end

local function is_there(block)
  local why = core.why_dead(block)
  return not why, why
end

---Returns a host array in page-locked memory. Its base is the PooledHostAllocation. When both are dropped, or the base
---is freed, the block returns to the pool after asynchronous copies that use it.
---@param shape integer|integer[]  the extents: a list, a number for a 1-D array, or {} for a 0-d array
---@param dtype any  the dtype of the array, as for dtype.of
---@param order? "C"|"F"  the order of the elements; default "C"
---@return cudalua.ndarray.Array
---@raise MemoryError; LogicError for an invalid shape, dtype or order, and if the pool's context is not current
function PageLockedMemoryPool:allocate(shape, dtype, order)
  local what = "PageLockedMemoryPool:allocate"
  local layout, dtypes = require "cudalua.base.layout", require "cudalua.dtype"
  dtype = dtypes.of(dtype)
  shape = layout.numbers(what, "shape", shape, 0)
  local items = layout.size(what, shape, dtype.itemsize)
  require("cudalua.ndarray.array").order_of(what, { order = order })
  local block = allocate_host(self, math.max(items * dtype.itemsize, 1))
  local p = ffi.cast("uint8_t *", ffi.cast("uintptr_t", core.host_address(block)))
  return require("cudalua.ndarray").wrap(p, shape, dtype, {
    order = order,
    base = block,
    alive = is_there,
    token = block,
  })
end

---A DeviceMemoryPool that shows where memory is allocated: each time it requests more memory from the driver, it writes
---the memory in use, by the place of the allocation.
---@class cudalua.DebugMemoryPool : cudalua.DeviceMemoryPool
---@overload fun(options?: {interactive: boolean, logfile: file*}): cudalua.DebugMemoryPool  interactive: wait for the
---  Enter key after each report, default false; logfile: any object with :write(), default io.stderr
local DebugMemoryPool = {}
M.DebugMemoryPool = DebugMemoryPool

local debug_options = { interactive = true, logfile = true }
local LEVELS = 6 -- of the stack, in a place

local mt = {
  __index = function(self, key)
    local own = DebugMemoryPool[key]
    if own ~= nil then return own end
    local value = rawget(self, "pool")[key]
    if type(value) ~= "function" then return value end
    return function(_, ...) return value(rawget(self, "pool"), ...) end
  end,
}

local function check_self(self)
  if type(self) ~= "table" or getmetatable(self) ~= mt then
    errors.raise("LogicError", "self: expected DebugMemoryPool, got " .. errors.text(self))
  end
end

setmetatable(DebugMemoryPool, {
  __call = function(_, options)
    options = errors.options("DebugMemoryPool", options, debug_options)
    local log = options.logfile or io.stderr
    local ok, write = pcall(function() return log.write end)
    if not ok or type(write) ~= "function" then
      errors.raise("LogicError", "DebugMemoryPool: logfile must have :write(), got " .. errors.text(log))
    end
    return setmetatable({ pool = DeviceMemoryPool(), logfile = log, interactive = options.interactive or false,
      places = setmetatable({}, { __mode = "k" }) }, mt)
  end,
})

-- "file:line" of the callers, the nearest first. What comes from C has no line.
local function place()
  local list, level = {}, 3
  while #list < LEVELS do
    local info = debug.getinfo(level, "Sl")
    if not info then break end
    if info.currentline > 0 then list[#list + 1] = info.short_src .. ":" .. info.currentline end
    level = level + 1
  end
  return table.concat(list, " < ")
end

---Allocates device memory from the pool, and writes a report if the pool had to request it from the driver.
---@param bytes integer  the size in bytes, at least 1
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.PooledDeviceAllocation
---@raise MemoryError, LogicError as DeviceMemoryPool:allocate
function DebugMemoryPool:allocate(bytes, stream)
  check_self(self)
  local before = self.pool.managed_bytes
  local block = self.pool:allocate(bytes, stream)
  self.places[block] = place()
  if self.pool.managed_bytes > before then
    self.logfile:write(("DebugMemoryPool: %d bytes more from the driver, for %d bytes at %s\n"):format(
      self.pool.managed_bytes - before, #block, self.places[block]))
    self:report()
    if self.interactive then io.read() end
  end
  return block
end

---Returns the memory in use by the places where it was allocated.
---@return {place: string, count: integer, bytes: integer}[]  most bytes first; place: "file:line" of the callers, the
---  nearest first
function DebugMemoryPool:histogram()
  check_self(self)
  local by_place, list = {}, {}
  for block, where in pairs_of(self.places) do
    local alive, bytes = pcall(function() return #block end)
    if alive then
      local entry = by_place[where]
      if not entry then
        entry = { place = where, count = 0, bytes = 0 }
        by_place[where], list[#list + 1] = entry, entry
      end
      entry.count, entry.bytes = entry.count + 1, entry.bytes + bytes
    end
  end
  table.sort(list, function(a, b)
    if a.bytes ~= b.bytes then return a.bytes > b.bytes end
    return a.place < b.place
  end)
  return list
end

---Writes the histogram to the log.
function DebugMemoryPool:report()
  check_self(self)
  self.logfile:write(("  in use: %d blocks, %d bytes; held: %d blocks; managed: %d bytes\n"):format(
    self.pool.active_blocks, self.pool.active_bytes, self.pool.held_blocks, self.pool.managed_bytes))
  for _, entry in ipairs(self:histogram()) do
    self.logfile:write(("  %8d x %14d bytes  %s\n"):format(entry.count, entry.bytes, entry.place))
  end
end

return M
