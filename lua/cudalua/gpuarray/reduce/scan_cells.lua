-- Memory through which the blocks of a scan pass their totals on: see look_back in kernels/array/scan.cu.

local core = require "cudalua.core"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local weak = require("cudalua.base.tables").weak

local ceil, max = math.ceil, math.max

local M = {}

local HEAD = 16               -- bytes before the cells: the counter
local KEPT = 2 ^ 20           -- a stream keeps so many bytes for the next scan
local STAMPS = 2 ^ 32 - 1     -- the last one; 0 is that of memory that was just cleared

-- How many cells a line has.
local function cells_of(parts, together)
  local count = ceil(parts / together)
  local cells = parts + 2 * count
  while count > 1 do
    count = ceil(count / 32)
    cells = cells + 2 * count
  end
  return cells
end

local function zeros(bytes)
  local buf = storage.buffer(bytes)
  local capturing = core.array_ready(buf)
  core.memset(32, buf, 0, bytes / 4, true, core.current_stream())
  return buf, capturing
end

local known = {} -- context -> stream -> {buf, bytes, stamp}
local _, per_thread = core.default_streams()

local function fresh(buf, line)
  return { buf = buf, off = HEAD, counter = buf, line = line, stamp = 1, scratch = { buf } }
end

---Cells for one launch in the current stream. They hold no value with the stamp of this launch.
---@param context integer   core.context_id()
---@param lines integer
---@param parts integer     of a line
---@param acc_bytes integer of a value
---@param together integer  so many parts are under one node
---@return {buf: userdata, off: integer, counter: userdata, line: integer, stamp: integer, scratch: userdata[]|false}
---  line: cells; scratch: of a launch (run.lua)
function M.take(context, lines, parts, acc_bytes, together)
  local line = cells_of(parts, together)
  local bytes = HEAD + lines * line * ceil(acc_bytes / 4) * 8
  if run.planned then return fresh(storage.buffer(bytes), line) end
  local stream = core.current_stream()
  if bytes > KEPT or stream == per_thread then return fresh((zeros(bytes)), line) end -- each thread has its own
  local streams = weak(known, context)
  local c = streams[stream]
  -- A graph may be launched in any stream, and with the same stamp each time.
  if c and core.array_ready(c.buf) then return fresh((zeros(bytes)), line) end
  if not c or c.bytes < bytes or c.stamp == STAMPS then
    local size = max(bytes, 2 ^ 16)
    local buf, capturing = zeros(size)
    if capturing then return fresh(buf, line) end
    c = { buf = storage.lasting(buf), bytes = size, stamp = 0 }
    streams[stream] = c
  end
  c.stamp = c.stamp + 1
  return { buf = c.buf, off = HEAD, counter = c.buf, line = line, stamp = c.stamp, scratch = false }
end

return M
