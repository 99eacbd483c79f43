-- A profile's rows, its table as text, and what its last lines say.

local copy_speed = require "cudalua.profile.copy_speed"

local max, min = math.max, math.min

local M = {}

---The result of cuda.profile(). Times are in seconds.
---@class cudalua.Profile
---@field rows cudalua.profile.Row[]  by GPU time, the longest first
---@field activities cudalua.profile.Activity[]  in the order in which they were started
---@field wall number  the duration in seconds, including waiting for the device
---@field busy number  seconds in which the device was busy
---@field waited number  seconds in which the host waited; on the software device without the work that it did in that
---  time
---@field compiled number  seconds of compilations and of loading modules
---@field gap? {begin: number, time: number, line: string?}  the longest time in which the device was idle between two
---  activities; line: where the host was at its end
---@field clock "cupti"|"events"|"machine"|"none"  the source of the times; none: the device was not used
---@field cupti_version? integer  the version of CUPTI, if it measured the times
---@field no_cupti? string  the reason why CUPTI did not measure the times
---@field dropped integer  activities for which there was no space; 0 except for millions of activities
---@field untimed integer  activities without times, for example during captures
---@field copy_speed? number  bytes per second of copies within this device, read and written
---@field empty_pair number  seconds between two events with nothing between them
---@field unfinished boolean  true if waiting for the device was interrupted
local Profile = {}
Profile.__index = Profile

---Kernels with the same name and line, copies with the same direction and line, fills, launches of graphs.
---@class cudalua.profile.Row
---@field kind "kernel"|"copy"|"fill"|"graph"  the kind of activity
---@field name string  the name of the kernel, or the direction of the copy
---@field line? string        "script.lua:12"
---@field calls integer  the number of calls
---@field timed integer  calls with GPU times
---@field captured integer  calls that were captured in a graph; they did not run by themselves
---@field total number  GPU time of all calls in seconds
---@field least? number  GPU time of the shortest call
---@field most? number  GPU time of the longest call
---@field share number  the share of the sum of all rows
---@field bytes? number  bytes read and written by the timed calls; nil: not known
---@field registers? integer  registers of each thread
---@field local_bytes? integer  local memory of each thread in bytes
---@field occupancy? number  threads that fit on the device, as a share of the maximum
---@field instructions? number  instructions of warps; this and the following fields on the software device only
---@field thread_instructions? number  instructions of threads
---@field branches? number  branches of warps
---@field parted_branches? number  branches where threads of a warp take different paths
---@field global_read? number  bytes read from global memory
---@field global_written? number  bytes written to global memory
---@field shared_read? number  bytes read from shared memory
---@field shared_written? number  bytes written to shared memory

---A kernel, copy, fill, graph, compilation ("compile"), module ("load"), wait or range.
---@class cudalua.profile.Activity
---@field kind "kernel"|"copy"|"fill"|"graph"|"compile"|"load"|"wait"|"range"  the kind of activity
---@field number integer  its position in the list
---@field name string  the name of the kernel or range, or the direction of the copy
---@field line? string  the line of the program that started it: "script.lua:12"
---@field begin number  the start of the call, in seconds since the profile began
---@field host_time number  the duration of the call in seconds
---@field gpu_begin? number  the start on the GPU, on the same clock
---@field gpu_time? number  the duration on the GPU in seconds
---@field bytes? number  bytes copied or filled
---@field device? integer  the ordinal of the device
---@field stream? integer  the handle of the stream
---@field range? integer  the number of the range that contains it
---@field captured? boolean  true: it was captured in a graph
---@field failed? boolean  true: it failed
---@field open? boolean  true: it had not ended at the end of the profile
---@field grid? integer[]  blocks of the grid
---@field block? integer[]  threads of a block
---@field shared? integer  dynamic shared memory in bytes

local on_device = { kernel = true, copy = true, fill = true, graph = true }
local counters = { "instructions", "thread_instructions", "branches", "parted_branches", "global_read",
  "global_written", "shared_read", "shared_written" }

local function bytes_of(a)
  if a.instructions and a.kind == "kernel" then return a.global_read + a.global_written end
  if not a.bytes then return end
  return a.name == "copy device to device" and 2 * a.bytes or a.bytes
end

local function add(row, a)
  row.calls = row.calls + 1
  if a.captured then row.captured = row.captured + 1 end
  row.registers, row.local_bytes = a.registers or row.registers, a.local_bytes or row.local_bytes
  row.occupancy = a.occupancy or row.occupancy
  if not a.gpu_time then return end
  row.timed, row.total = row.timed + 1, row.total + a.gpu_time
  row.least, row.most = min(row.least or a.gpu_time, a.gpu_time), max(row.most or 0, a.gpu_time)
  local bytes = bytes_of(a)
  if row.bytes ~= false then row.bytes = bytes and (row.bytes or 0) + bytes or false end
  for _, name in ipairs(counters) do
    if a.kind ~= "copy" and a.kind ~= "fill" and a[name] then row[name] = (row[name] or 0) + a[name] end
  end
end

local function rows_of(list)
  local rows, by_key, sum = {}, {}, 0
  for _, a in ipairs(list) do
    if on_device[a.kind] and not a.failed then
      local key = a.kind .. "\0" .. a.name .. "\0" .. (a.line or "")
      local row = by_key[key]
      if not row then
        row = { kind = a.kind, name = a.name, line = a.line, calls = 0, timed = 0, captured = 0, total = 0,
          order = #rows }
        by_key[key], rows[#rows + 1] = row, row
      end
      add(row, a)
      sum = sum + (a.gpu_time or 0)
    end
  end
  table.sort(rows, function(a, b)
    if a.total ~= b.total then return a.total > b.total end
    return a.order < b.order
  end)
  for _, row in ipairs(rows) do
    row.share, row.bytes, row.order = sum > 0 and row.total / sum or 0, row.bytes or nil, nil
  end
  return rows
end

-- How long the device did anything, and the longest time between in which it did not.
local function busy_of(list)
  local timed = {}
  for _, a in ipairs(list) do
    if a.gpu_time then timed[#timed + 1] = a end
  end
  table.sort(timed, function(a, b) return a.gpu_begin < b.gpu_begin end)
  local busy, stop, gap = 0, nil, nil
  for _, a in ipairs(timed) do
    if stop and a.gpu_begin > stop and (not gap or a.gpu_begin - stop > gap.time) then
      gap = { begin = stop, time = a.gpu_begin - stop, line = a.line }
    end
    local from = stop and max(stop, a.gpu_begin) or a.gpu_begin
    stop = max(stop or 0, a.gpu_begin + a.gpu_time)
    busy = busy + max(0, stop - from)
  end
  return busy, gap
end

local function host_time(list, ...)
  local sum = 0
  for _, kind in ipairs { ... } do
    for _, a in ipairs(list) do sum = sum + (a.kind == kind and a.host_time or 0) end
  end
  return sum
end

---@param list cudalua.profile.Activity[]
---@param info table  of core.profile_end()
---@return cudalua.Profile
function M.make(list, info)
  local p = setmetatable({ activities = list, rows = rows_of(list), wall = (info.ended - info.began) * 1e-9,
    waited = host_time(list, "wait"), compiled = host_time(list, "compile", "load"), dropped = info.dropped,
    untimed = info.untimed, empty_pair = info.pair_ns * 1e-9, unfinished = info.interrupted }, Profile)
  p.cupti_version, p.no_cupti = info.cupti, info.why
  p.busy, p.gap = busy_of(list)
  p.clock = p.rows[1] and (info.soft and "machine" or info.cupti and "cupti" or "events") or "none"
  for _, row in ipairs(p.rows) do
    if row.bytes and row.total > 0 and not info.soft then p.copy_speed = copy_speed() break end
  end
  return p
end

-- ---- text -----------------------------------------------------------------------------------------------------------

local function time(seconds)
  if seconds >= 10 then return ("%.1f s"):format(seconds) end
  if seconds >= 1 then return ("%.2f s"):format(seconds) end
  if seconds >= 1e-3 then return ("%.2f ms"):format(seconds * 1e3) end
  return ("%.1f us"):format(seconds * 1e6)
end
M.time = time

local function count(n)
  for _, unit in ipairs { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e4, "k" } } do
    if n >= unit[1] then return ("%.3g%s"):format(n / (unit[1] == 1e4 and 1e3 or unit[1]), unit[2]) end
  end
  return ("%.0f"):format(n)
end

local function percent(part) return ("%.0f%%"):format(100 * part) end

-- Columns: heading, whether it is aligned to the left, what a row has there, or nil.
local NAME_WIDTH, NARROW_NAME = 44, 28
local columns = {
  { "name", true, function(r) return r.name end },
  { "calls", false, function(r) return ("%d"):format(r.calls) end },
  { "total", false, function(r) return r.timed > 0 and time(r.total) end },
  { "mean", false, function(r) return r.timed > 0 and time(r.total / r.timed) end },
  { "share", false, function(r) return r.timed > 0 and percent(r.share) end },
  { "GB/s", false, function(r) return r.bytes and r.total > 0 and ("%.3g"):format(r.bytes / r.total * 1e-9) end },
  { "of copy", false, function(r, p)
    return p.copy_speed and r.bytes and r.total > 0 and percent(r.bytes / r.total / p.copy_speed)
  end },
  { "regs", false, function(r, p) return p.clock ~= "machine" and r.registers and ("%d"):format(r.registers) end },
  { "spilled", false, function(r, p)
    return p.clock ~= "machine" and r.local_bytes and r.local_bytes > 0 and ("%d B"):format(r.local_bytes)
  end },
  { "occup.", false, function(r) return r.occupancy and percent(r.occupancy) end },
  { "instr.", false, function(r) return r.instructions and count(r.instructions) end },
  { "lanes", false, function(r)
    return (r.instructions or 0) > 0 and percent(r.thread_instructions / r.instructions / 32)
  end },
  { "parted", false, function(r) return (r.branches or 0) > 0 and percent(r.parted_branches / r.branches) end },
  { "read", false, function(r) return r.global_read and count(r.global_read) end },
  { "written", false, function(r) return r.global_written and count(r.global_written) end },
  { "line", true, function(r) return r.line end },
}

-- What goes first where the table is wider than the terminal.
local unimportant = { "parted", "written", "read", "instr.", "regs", "mean", "lanes", "of copy", "occup.", "GB/s",
  "share" }

local function cut(text, width) return #text > width and text:sub(1, width - 3) .. "..." or text end

local function shown_columns(p)
  local shown = {}
  for _, c in ipairs(columns) do
    local column, any = { head = c[1], left = c[2], cells = {}, width = #c[1] }, false
    for i, row in ipairs(p.rows) do
      local text = c[3](row, p) or nil
      any = any or text ~= nil
      column.cells[i] = c[1] == "name" and cut(text, NAME_WIDTH) or text or "-"
      column.width = max(column.width, #column.cells[i])
    end
    if any then shown[#shown + 1] = column end
  end
  return shown
end

local function narrow(column, width)
  column.width = 0
  for i, text in ipairs(column.cells) do
    column.cells[i] = cut(text, width)
    column.width = max(column.width, #column.cells[i])
  end
end

-- Takes columns away until a row has no more than `most` characters; the headings of those.
local function fit(shown, most)
  local function total()
    local sum = -2
    for _, c in ipairs(shown) do sum = sum + c.width + 2 end
    return sum
  end
  local left_out = {}
  if total() > most then narrow(shown[1], NARROW_NAME) end
  for _, head in ipairs(unimportant) do
    if total() <= most then break end
    for k, c in ipairs(shown) do
      if c.head == head then
        left_out[#left_out + 1] = table.remove(shown, k).head
        break
      end
    end
  end
  return left_out
end

local function table_of(p, most)
  local shown, lines = shown_columns(p), {}
  local left_out = fit(shown, most)
  for i = 0, #p.rows do
    local parts = {}
    for k, c in ipairs(shown) do
      parts[k] = ("%" .. (c.left and "-" or "") .. c.width .. "s"):format(i == 0 and c.head or c.cells[i])
    end
    lines[#lines + 1] = (table.concat(parts, "  "):gsub("%s+$", ""))
  end
  if #left_out > 0 then
    lines[#lines + 1] = ("left out, as the terminal is narrow: %s; text() of the returned profile has all"):format(
      table.concat(left_out, ", "))
  end
  return lines
end

local clocks = {
  events = "GPU times are those between two events; an empty pair takes %s",
  cupti = "GPU times are the device's own, by CUPTI",
  machine = "GPU times are of the software device on this machine",
  none = "the device was not used",
}

local MANY = 8

-- The line that has many kernels of arrays with one call each, if compilations took long, and how many.
local function compiled_once(p)
  if p.compiled < p.wall / 4 then return nil end
  local counts, most = {}, nil
  for _, row in ipairs(p.rows) do
    if row.kind == "kernel" and row.calls == 1 and row.line and row.name:find "^array_" then
      counts[row.line] = (counts[row.line] or 0) + 1
      if not most or counts[row.line] > counts[most] then most = row.line end
    end
  end
  if most and counts[most] >= MANY then return most, counts[most] end
end

---Returns the table and the lines below it.
---@param width? integer  the maximum number of characters in a line: a wider table omits the least important columns;
---  default: no maximum
---@return string
function Profile:text(width)
  local lines = self.rows[1] and table_of(self, width or math.huge) or { "no kernel, copy or fill was started" }
  lines[#lines + 1] = ("%s in all: the device was busy %s (%s), the host waited %s and compiled %s"):format(
    time(self.wall), time(self.busy), percent(self.wall > 0 and min(1, self.busy / self.wall) or 0), time(self.waited),
    time(self.compiled))
  local line, kernels = compiled_once(self)
  if line then
    lines[#lines + 1] = ("%d kernels of %s ran once each: an expression that grows in a loop is a new kernel in each "
      .. "step; x:eval() in the loop computes it"):format(kernels, line)
  end
  if self.gap then
    lines[#lines + 1] = ("longest gap of the device: %s, %s after the beginning%s"):format(time(self.gap.time),
      time(self.gap.begin), self.gap.line and ", before " .. self.gap.line or "")
  end
  lines[#lines + 1] = clocks[self.clock]:format(time(self.empty_pair))
  if self.no_cupti and self.rows[1] then lines[#lines + 1] = "without CUPTI: " .. self.no_cupti end
  if self.copy_speed then
    lines[#lines + 1] = ("this device copies from itself to itself at %.4g GB/s, read and written"):format(
      self.copy_speed * 1e-9)
  end
  if self.unfinished then lines[#lines + 1] = "interrupted: work that still ran has no times" end
  if self.untimed > 0 then lines[#lines + 1] = ("%d without times"):format(self.untimed) end
  if self.dropped > 0 then lines[#lines + 1] = ("%d more were not recorded"):format(self.dropped) end
  return table.concat(lines, "\n")
end

function Profile:__tostring() return self:text() end

-- For the prompt: whether the table has just been printed. Once, so that a later look at the value prints it again.
function Profile:__take_shown()
  local shown = self.shown
  self.shown = nil
  return shown
end

return M
