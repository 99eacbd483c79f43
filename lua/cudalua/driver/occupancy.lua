-- What PyCUDA's tools know of a device beyond its attributes, and how many blocks of a kernel an SM holds at a time.
-- The driver answers the latter for an existing kernel, Function:max_active_blocks(); this is for a planned one.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local names = require "cudalua.base.names"

---@class cudalua.tools
local M = {}

-- What devices do not tell, by compute capability. NVIDIA documents it in the CUDA C++ Programming Guide and the
-- header cuda_occupancy.h.
local BANKS = 32 -- of shared memory
local LINE = 128 -- bytes that a warp's accesses are served by
local REGISTER_UNIT = 256 -- registers, for each warp
local MOST_REGISTERS = 255 -- of a thread
local PARTS = 4 -- of an SM, each with registers of its own; a warp lies in one of them
local function shared_unit(major) return major >= 8 and 128 or 256 end

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

local function up(n, multiple) return math.ceil(n / multiple) * multiple end

local function whole(where, name, value, least)
  local n = layout.whole(value)
  if not n or n < least then
    refuse(where, "%s must be %s integer, got %s", name, least > 0 and "a positive" or "a non-negative",
      errors.text(value))
  end
  return n
end

-- ---- DeviceData -----------------------------------------------------------------------------------------------------

---PyCUDA's DeviceData: properties of a device that its attributes do not give, or give under other names.
---@class cudalua.tools.DeviceData
---@field max_threads integer  threads in a block
---@field warp_size integer  threads in a warp
---@field warps_per_mp integer  warps on an SM at a time
---@field thread_blocks_per_mp integer  blocks on an SM at a time
---@field registers integer  32-bit registers available to a block
---@field registers_per_mp integer  32-bit registers of an SM
---@field register_allocation_unit string  "warp": registers are allocated for whole warps
---@field register_granularity integer  registers in one unit of allocation
---@field shared_memory integer  shared memory in bytes that a block can use without opting in to more
---@field shared_memory_optin integer  shared memory in bytes that a block can use with opting in
---@field shared_memory_per_mp integer  shared memory of an SM in bytes
---@field shared_memory_reserved integer  shared memory in bytes that each block gives to the system
---@field smem_granularity integer  threads whose accesses to shared memory are served together: the number of its banks
---@field smem_alloc_granularity integer  bytes in one unit of allocation of shared memory
local DeviceData = names.class({}, "DeviceData")

local DATA = "cudalua.tools.DeviceData" -- what getmetatable says of one

local function is_data(x) return type(x) == "table" and getmetatable(x) == DATA end

local function check_data(self, method)
  if not is_data(self) then
    refuse("DeviceData:" .. method, "expected a DeviceData, got %s; call it as data:%s(...)", errors.text(self), method)
  end
end

local function new_data(_, dev)
  if dev == nil then
    dev = core.classes.Context.get_device()
  elseif core.kind(dev) ~= "Device" then
    refuse("DeviceData", "expected a Device, got %s", errors.text(dev))
  end
  local function of(attribute) return dev:get_attribute(attribute) end
  local warp = of "warp_size"
  local fields = {
    max_threads = of "max_threads_per_block",
    warp_size = warp,
    warps_per_mp = math.floor(of "max_threads_per_multiprocessor" / warp),
    thread_blocks_per_mp = of "max_blocks_per_multiprocessor",
    registers = of "max_registers_per_block",
    registers_per_mp = of "max_registers_per_multiprocessor",
    register_allocation_unit = "warp",
    register_granularity = REGISTER_UNIT,
    shared_memory = of "max_shared_memory_per_block",
    shared_memory_optin = of "max_shared_memory_per_block_optin",
    shared_memory_per_mp = of "max_shared_memory_per_multiprocessor",
    shared_memory_reserved = of "reserved_shared_memory_per_block",
    smem_granularity = BANKS,
    smem_alloc_granularity = shared_unit((dev:compute_capability())),
  }
  local name = dev:name()
  return setmetatable({}, {
    __index = function(_, key)
      local value = fields[key]
      if value == nil then return DeviceData[key] end
      return value
    end,
    __newindex = function(_, key) refuse("DeviceData", "cannot set %s: it is read-only", errors.text(key)) end,
    __tostring = function() return DATA .. ": " .. name end,
    __metatable = DATA,
  })
end

---`DeviceData(dev)`: PyCUDA's data on a device, with the values of current devices. Read-only.
---@class cudalua.tools.DeviceDataClass
---@overload fun(dev?: cudalua.Device): cudalua.tools.DeviceData  default: the device of the current context. Raises a
---  LogicError for anything else, and (201) without a current context
M.DeviceData = setmetatable({}, { __index = DeviceData, __call = new_data })

local word_sizes = { [1] = true, [2] = true, [4] = true, [8] = true, [16] = true }

local function check_word(where, size)
  if size == nil then return 4 end
  local n = layout.whole(size)
  if not word_sizes[n or 0] then refuse(where, "word_size must be 1, 2, 4, 8 or 16, got %s", errors.text(size)) end
  return n
end

---Returns the alignment of rows in memory for which a warp needs the fewest memory accesses.
---@param word_size? integer  bytes that each thread accesses: 1, 2, 4 (default), 8 or 16
---@return integer bytes  the alignment of rows: 128, the size of a cache line
---@raise LogicError for another size
function DeviceData:align_bytes(word_size)
  check_data(self, "align_bytes")
  check_word("DeviceData:align_bytes", word_size)
  return LINE
end

---Rounds a length up to the alignment of rows.
---@param bytes integer  the length in bytes
---@param word_size? integer  as for align_bytes
---@return integer bytes
---@raise LogicError for an invalid length or word size
function DeviceData:align(bytes, word_size)
  check_data(self, "align")
  check_word("DeviceData:align", word_size)
  return up(whole("DeviceData:align", "bytes", bytes, 0), LINE)
end

---Returns align_bytes() in words.
---@param word_size integer  as for align_bytes
---@return integer words
---@raise LogicError for another size
function DeviceData:align_words(word_size)
  check_data(self, "align_words")
  return LINE / check_word("DeviceData:align_words", word_size)
end

---Rounds a number of elements up to the alignment of rows.
---@param elements integer  the number of elements
---@param dtype_size integer  bytes of an element: 1, 2, 4, 8 or 16
---@return integer elements
---@raise LogicError for an invalid number of elements or element size
function DeviceData:align_dtype(elements, dtype_size)
  check_data(self, "align_dtype")
  local n = whole("DeviceData:align_dtype", "elements", elements, 0)
  return up(n, LINE / check_word("DeviceData:align_dtype", dtype_size))
end

---Rounds a number of threads up to whole warps.
---@param thread_count integer  the number of threads
---@return integer threads
---@raise LogicError for an invalid number of threads
function DeviceData:coalesce(thread_count)
  check_data(self, "coalesce")
  return up(whole("DeviceData:coalesce", "thread_count", thread_count, 0), self.warp_size)
end

---Returns the smallest valid number of texture channels that is at least `size`.
---@param size integer  the number of channels, from 1 to 4
---@param ... integer  size, if you call it as a method
---@return integer channels  1, 2 or 4
---@raise LogicError for other numbers
function DeviceData.make_valid_tex_channel_count(size, ...)
  if is_data(size) then size = ... end
  local n = layout.whole(size)
  if not n or n < 1 or n > 4 then
    refuse("DeviceData.make_valid_tex_channel_count", "size must be 1, 2, 3 or 4, got %s", errors.text(size))
  end
  return n == 3 and 4 or n
end

-- ---- OccupancyRecord ------------------------------------------------------------------------------------------------

---How much of an SM a kernel can use. Read-only.
---@class cudalua.tools.OccupancyRecord
---@field tb_per_mp integer  blocks on an SM at a time; 0: not even one fits
---@field limited_by string  the resource that limits the number of blocks: "device" (blocks), "warps", "regs" or "smem"
---@field warps_per_mp integer  warps on an SM at a time
---@field occupancy number  from 0 to 1: the ratio of warps_per_mp to the maximum number of warps on an SM
local OccupancyRecord = names.class({}, "OccupancyRecord")

-- Blocks for which an SM has registers: a warp's lie in one part of it.
local function by_registers(data, warps, registers)
  local each = up(registers * data.warp_size, REGISTER_UNIT)
  if each * up(warps, PARTS) > data.registers then return 0 end
  local in_part = math.floor(data.registers_per_mp / PARTS / each)
  return math.floor(in_part * PARTS / warps)
end

local function by_shared(data, bytes)
  local each = up(bytes + data.shared_memory_reserved, data.smem_alloc_granularity)
  return each == 0 and math.huge or math.floor(data.shared_memory_per_mp / each)
end

local needed = { "max_threads", "warp_size", "warps_per_mp", "thread_blocks_per_mp", "registers", "registers_per_mp",
  "shared_memory_optin", "shared_memory_per_mp", "shared_memory_reserved", "smem_alloc_granularity" }

-- A device, or numbers of one that is not here.
local function check_device(where, data)
  if is_data(data) then return data end
  if type(data) ~= "table" or getmetatable(data) then
    refuse(where, "devdata must be a tools.DeviceData or a table of its fields, got %s", errors.text(data))
  end
  local fields = {}
  for _, name in ipairs(needed) do
    fields[name] = whole(where, "devdata." .. name, data[name], name == "shared_memory_reserved" and 0 or 1)
  end
  return fields
end

local function new_record(_, data, threads, shared_mem, registers)
  local where = "OccupancyRecord"
  data = check_device(where, data)
  threads = whole(where, "threads", threads, 1)
  shared_mem = whole(where, "shared_mem", shared_mem == nil and 0 or shared_mem, 0)
  registers = whole(where, "registers", registers == nil and 0 or registers, 0)
  if threads > data.max_threads then
    refuse(where, "threads is %d; a block has at most %d", threads, data.max_threads)
  elseif shared_mem > data.shared_memory_optin then
    refuse(where, "shared_mem is %d bytes; a block has at most %d", shared_mem, data.shared_memory_optin)
  elseif registers > MOST_REGISTERS then
    refuse(where, "registers is %d; a thread has at most %d", registers, MOST_REGISTERS)
  end
  local warps = math.ceil(threads / data.warp_size)
  local blocks, limited_by = data.thread_blocks_per_mp, "device"
  local function limit(by, n)
    if n < blocks then blocks, limited_by = n, by end
  end
  limit("warps", math.floor(data.warps_per_mp / warps))
  if registers > 0 then limit("regs", by_registers(data, warps, registers)) end
  limit("smem", by_shared(data, shared_mem))
  local fields = { tb_per_mp = blocks, limited_by = limited_by, warps_per_mp = blocks * warps,
    occupancy = blocks * warps / data.warps_per_mp }
  return setmetatable({}, {
    __index = function(_, key)
      local value = fields[key]
      if value == nil then return OccupancyRecord[key] end
      return value
    end,
    __newindex = function(_, key) refuse(where, "cannot set %s: it is read-only", errors.text(key)) end,
    __tostring = function()
      return ("cudalua.tools.OccupancyRecord: %d blocks on each SM, limited by %s, %.0f %% of its warps"):format(blocks,
        limited_by, 100 * fields.occupancy)
    end,
    __metatable = "cudalua.tools.OccupancyRecord",
  })
end

---`OccupancyRecord(devdata, threads, shared_mem, registers)`: how many blocks of a kernel run on an SM at a time.
---threads and shared_mem (in bytes, default 0) are for each block; registers is the number of 32-bit registers of each
---thread (default 0: as few as possible). fn:max_active_blocks(block, shared) asks the driver about an existing kernel.
---@class cudalua.tools.OccupancyRecordClass
---@overload fun(devdata: cudalua.tools.DeviceData|table<string, integer>, threads: integer, shared_mem?: integer,
---  registers?: integer): cudalua.tools.OccupancyRecord  devdata: or a table with its fields, for a device that is not
---  present. Raises a LogicError for values beyond the limits of a block or a thread
M.OccupancyRecord = setmetatable({}, { __index = OccupancyRecord, __call = new_record })

return M
