-- A profile as Chrome's trace events, which Perfetto opens: a process for each device with a track for each stream, and
-- one for the host with its calls, ranges and the gaps of the devices.

local errors = require "cudalua.base.errors"

local M = {}

local HOST = 1               -- process; device n is DEVICES + n
local DEVICES = 2
local CALLS, GAPS = 1, 2     -- threads of the host; ranges come behind
local RANGES = 10
local LEAST_GAP = 10e-6      -- seconds

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\" }

-- Valid JSON whatever the bytes are: what is not ASCII stands as Latin-1 would.
local function quoted(s)
  return '"' .. s:gsub('[%c"\\\127-\255]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

-- Microseconds with a point, whatever the locale writes.
local function us(seconds)
  local ns = math.floor(seconds * 1e9 + 0.5)
  local sign = ns < 0 and "-" or ""
  ns = math.abs(ns)
  return ("%s%.0f%s%03d"):format(sign, math.floor(ns / 1000), ".", ns % 1000)
end

local function number(x)
  return x == math.floor(x) and ("%.0f"):format(x) or (("%.9g"):format(x):gsub(",", "."))
end

local function list(values)
  local out = {}
  for i, v in ipairs(values) do out[i] = number(v) end
  return "[" .. table.concat(out, ",") .. "]"
end

local shown = { "bytes", "grid", "block", "shared", "registers", "occupancy", "instructions", "thread_instructions",
  "branches", "parted_branches", "global_read", "global_written", "shared_read", "shared_written" }

local function arguments(a)
  local out = {}
  if a.line then out[1] = '"line":' .. quoted(a.line) end
  for _, key in ipairs(shown) do
    local v = a[key]
    if v then out[#out + 1] = quoted(key) .. ":" .. (type(v) == "table" and list(v) or number(v)) end
  end
  return "{" .. table.concat(out, ",") .. "}"
end

---@class cudalua.profile.Trace
---@field [integer] string
local Trace = {}
Trace.__index = Trace

function Trace:add(format, ...) self[#self + 1] = format:format(...) end

function Trace:name(what, pid, tid, name)
  self:add('{"ph":"M","name":"%s","pid":%d,"tid":%d,"args":{"name":%s}}', what, pid, tid, quoted(name))
end

function Trace:span(pid, tid, a, category, begin, time)
  self:add('{"ph":"X","name":%s,"cat":"%s","pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":%s}', quoted(a.name), category,
    pid, tid, us(begin), us(math.max(time, 0)), arguments(a))
end

-- Spans of one thread have to nest: one that reaches beyond another goes to the next thread.
local function place(tracks, begin, stop)
  for i, open in ipairs(tracks) do
    while open[1] and open[#open] <= begin do open[#open] = nil end
    if not open[1] or stop <= open[#open] then
      open[#open + 1] = stop
      return i
    end
  end
  tracks[#tracks + 1] = { stop }
  return #tracks
end

local function device_spans(trace, profile)
  local timed, streams, count = {}, {}, {}
  for _, a in ipairs(profile.activities) do
    if a.gpu_time then timed[#timed + 1] = a end
  end
  table.sort(timed, function(a, b) return a.gpu_begin < b.gpu_begin end)
  for _, a in ipairs(timed) do
    local key = a.device .. " " .. ("%.0f"):format(a.stream)
    local s = streams[key]
    if not s then
      count[a.device] = (count[a.device] or 0) + 1
      s = { first = count[a.device] * 100, tracks = {},
        name = a.stream == 0 and "default stream" or ("stream 0x%x"):format(a.stream) }
      streams[key] = s
      if count[a.device] == 1 then trace:name("process_name", DEVICES + a.device, 0, "device " .. a.device) end
    end
    local before = #s.tracks
    local track = place(s.tracks, a.gpu_begin, a.gpu_begin + a.gpu_time)
    local tid = s.first + track - 1
    if track > before then trace:name("thread_name", DEVICES + a.device, tid, s.name) end
    trace:span(DEVICES + a.device, tid, a, a.kind, a.gpu_begin, a.gpu_time)
    trace:add('{"ph":"s","name":"start","cat":"start","id":%d,"pid":%d,"tid":%d,"ts":%s}', a.number, HOST, CALLS,
      us(a.begin))
    trace:add('{"ph":"f","bp":"e","name":"start","cat":"start","id":%d,"pid":%d,"tid":%d,"ts":%s}', a.number,
      DEVICES + a.device, tid, us(a.gpu_begin))
  end
  return timed
end

local function gap_spans(trace, timed)
  local stop
  for _, a in ipairs(timed) do
    if stop and a.gpu_begin - stop >= LEAST_GAP then
      trace:span(HOST, GAPS, { name = "gap" .. (a.line and " before " .. a.line or ""), line = a.line }, "gap", stop,
        a.gpu_begin - stop)
    end
    stop = math.max(stop or 0, a.gpu_begin + a.gpu_time)
  end
end

---@param profile cudalua.Profile
---@return string JSON
function M.text(profile)
  local trace, ranges = setmetatable({}, Trace), {}
  trace:name("process_name", HOST, 0, "host")
  trace:name("thread_name", HOST, CALLS, "calls")
  trace:name("thread_name", HOST, GAPS, "gaps of the device")
  for _, a in ipairs(profile.activities) do
    if a.kind == "range" then
      local time = a.open and profile.wall - a.begin or a.host_time
      local before = #ranges
      local track = place(ranges, a.begin, a.begin + time)
      if track > before then trace:name("thread_name", HOST, RANGES + track, "ranges") end
      trace:span(HOST, RANGES + track, a, "range", a.begin, time)
    else
      trace:span(HOST, CALLS, a, "call", a.begin, a.host_time)
    end
  end
  gap_spans(trace, device_spans(trace, profile))
  return '{"displayTimeUnit":"ns","traceEvents":[\n' .. table.concat(trace, ",\n") .. "\n]}\n"
end

---@param path string
---@param profile cudalua.Profile
---@raise RuntimeError if the file cannot be written; then none is left behind
function M.write(path, profile)
  local temporary = path .. ".part"
  local file, why = io.open(temporary, "wb")
  local ok = file
  if file then
    ok, why = file:write(M.text(profile))
    local closed, late = file:close()
    if ok and not closed then ok, why = closed, late end
  end
  if ok then ok, why = os.rename(temporary, path) end
  if ok then return end
  os.remove(temporary)
  errors.raise("RuntimeError", ("profile: cannot write the trace to %s: %s"):format(path, tostring(why)))
end

return M
