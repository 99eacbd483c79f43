-- Lines on the terminal that say how far a loop, a compilation or a kernel of the software device is.

local ffi = require "ffi"
local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"

local floor, max, min = math.floor, math.max, math.min

ffi.cdef [[
struct cudalua_progress_time { long seconds, nanoseconds; };
int cudalua_progress_clock(int clock, struct cudalua_progress_time *now) __asm__("clock_gettime");
int cudalua_progress_fileno(void *file) __asm__("fileno");
]]

---@class cudalua
local M = {}

local DRAW_EVERY = 0.1   -- seconds
local LOOK_EVERY = 0.002 -- seconds between two looks at the clock
local SMOOTH = 0.3       -- of the rate, the part of the time since the last line
local LEAST_BAR, MOST_BAR = 10, 40
local STDERR = 2

local clock = ffi.new "struct cudalua_progress_time"

local function now()
  ffi.C.cudalua_progress_clock(1, clock)
  return tonumber(clock.seconds) + tonumber(clock.nanoseconds) * 1e-9
end

local drawn = -1 -- when a line was drawn last

---A loop at work; the state of its `for`.
---@class cudalua.driver.Loop
---@field n integer       iterations
---@field look integer    done iterations at which it looks at the clock
---@field step integer    iterations between two looks
---@field looked number   when it did
---@field began number
---@field text string     "" or "text: "
---@field fd? integer     of the terminal; nil: nothing is shown
---@field at integer      done iterations, at the last look
---@field rate? number    seconds an iteration, smoothed
---@field timed number    when that was measured
---@field counted integer done iterations then
---@field outer? cudalua.driver.Loop[]  the loops around it, the innermost first
---@field items? table
local Loop = {}

-- ---- texts ----------------------------------------------------------------------------------------------------------

local function duration(seconds)
  local s = floor(seconds + 0.5)
  if s < 3600 then return ("%d:%02d"):format(s / 60, s % 60) end
  return ("%d:%02d:%02d"):format(s / 3600, s / 60 % 60, s % 60)
end

local UNITS = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } }

local function rate_text(seconds)
  local rate = 1 / max(seconds, 1e-10)
  for _, unit in ipairs(UNITS) do
    if rate >= unit[1] then return ("%.3g%s/s"):format(rate / unit[1], unit[2]) end
  end
  return ("%.3g s each"):format(seconds)
end

local function count_text(loop) return ("%s%.0f/%.0f"):format(loop.text, loop.at, loop.n) end

-- "epoch: 2/10 > batch:  45% [####      ] 45/100, 0:12, 0:15 left, 3.7/s"
local function line_of(loop, t, columns)
  local before = ""
  for _, outer in ipairs(loop.outer) do before = count_text(outer) .. " > " .. before end
  local part = loop.at / loop.n
  local times = ", " .. duration(t - loop.began)
  local left = loop.rate and loop.at < loop.n and (loop.n - loop.at) * loop.rate
  if left then times = times .. ", " .. duration(left) .. " left" end
  if loop.rate then times = times .. ", " .. rate_text(loop.at < loop.n and loop.rate or (t - loop.began) / loop.n) end
  local head = ("%s%s%3d%% "):format(before, loop.text, floor(100 * part))
  local tail = ("%.0f/%.0f%s"):format(loop.at, loop.n, times)
  local room = min(MOST_BAR, columns - #head - #tail - 5)
  if room < LEAST_BAR then return head .. tail end
  local full = floor(part * room)
  return ("%s[%s%s] %s"):format(head, ("#"):rep(full), (" "):rep(room - full), tail)
end

-- ---- drawing --------------------------------------------------------------------------------------------------------

-- The loops around this one: their states are among the locals of functions that called this. So a loop that was left
-- by break or an error is not among them.
local function loops_around(loop)
  local found, level = {}, 3
  while debug.getinfo(level, "l") do
    local here, i = {}, 1
    while true do
      local name, value = debug.getlocal(level, i)
      if not name then break end
      if value ~= loop and type(value) == "table" and getmetatable(value) == Loop and name:find "^%(for" then
        here[#here + 1] = value
      end
      i = i + 1
    end
    for k = #here, 1, -1 do found[#found + 1] = here[k] end
    level = level + 1
  end
  return found
end

local function measure(loop, t)
  local done = loop.at - loop.counted
  if done <= 0 or t <= loop.timed then return end
  local rate = (t - loop.timed) / done
  loop.rate = loop.rate and loop.rate + SMOOTH * (rate - loop.rate) or rate
  loop.timed, loop.counted = t, loop.at
end

local function draw(loop, t)
  measure(loop, t)
  loop.outer = loop.outer or loops_around(loop)
  local columns = core.progress_columns(loop.fd)
  if columns then core.progress_show(loop.fd, line_of(loop, t, columns)) end
  drawn = t
end

-- ---- the loop -------------------------------------------------------------------------------------------------------

-- The last iteration is done. The line of a loop within others is theirs from here on.
local function finish(loop)
  if not loop.fd then return end
  loop.at = loop.n
  loop.outer = loop.outer or loops_around(loop)
  if #loop.outer > 0 then return end
  draw(loop, now())
  core.progress_leave()
end

-- `i` iterations are done. Looks are so many iterations apart that they cost nothing, and so few that a line comes in
-- time.
local function look(loop, i)
  local n = loop.n
  if i >= n then return finish(loop) end
  local t = now()
  local took = t - loop.looked
  if took < LOOK_EVERY / 2 then
    loop.step = loop.step * 2
  elseif took > LOOK_EVERY then
    loop.step = max(1, floor(loop.step * LOOK_EVERY / took))
  end
  loop.at, loop.looked = i, t
  loop.look = min(i + loop.step, n)
  if t - drawn >= DRAW_EVERY then draw(loop, t) end
  return i + 1
end

local function next_number(loop, i)
  if i < loop.look then return i + 1 end
  return look(loop, i)
end

local function next_item(loop, i)
  local k
  if i < loop.look then k = i + 1 else k = look(loop, i) end
  if k then return k, loop.items[k] end
end

local options = { text = true, file = true }

---A loop that shows its progress in one line of the terminal: the part that is done, the count, the elapsed and the
---remaining time, and the rate. `for i in cuda.progress(n) do ... end`. The line is drawn at most ten times a second,
---and stays when the loop is done. In nested loops the line shows both counts, and the outer loop then continues with
---it. Output of the loop body begins on a line of its own. Nothing is shown if the file is not a terminal, TERM is
---dumb, or CUDALUA_PROGRESS is 0.
---@param n integer|table  the number of iterations; or a list, whose positions and items the loop receives, as from
---  ipairs()
---@param opts? {text?: string, file?: file*}  text: the start of the line; file: the terminal, default io.stderr
---@return fun(loop: table, i: integer): integer?, any
---@return table loop
---@return integer first  0
---@raise LogicError if n is not a count or a list, and for invalid options
function M.progress(n, opts)
  opts = errors.options("progress", opts, options)
  local items = type(n) == "table" and n or nil
  local count = items and #items or layout.whole(n)
  if not count or count < 0 then
    errors.raise("LogicError", "progress: n must be a non-negative integer or a list, got " .. errors.text(n))
  end
  local text, file = opts.text, opts.file
  if text ~= nil and type(text) ~= "string" then
    errors.raise("LogicError", "progress: text must be a string, got " .. errors.text(text))
  end
  if file ~= nil and io.type(file) ~= "file" then
    errors.raise("LogicError", "progress: file must be an open file, got " .. (io.type(file) or errors.text(file)))
  end
  local fd = file and ffi.C.cudalua_progress_fileno(file) or STDERR
  local t = now()
  local loop = setmetatable({ n = count, look = count, step = 1, looked = t, began = t, timed = t, counted = 0, at = 0,
    text = text and text .. ": " or "", items = items }, Loop)
  if count > 0 and core.progress_columns(fd) then
    loop.fd, loop.look = fd, 1
    if t - drawn >= DRAW_EVERY then draw(loop, t) end
  end
  return items and next_item or next_number, loop, 0
end

---Shows the progress of compilations that take over a second, and of kernels of the software device that take over two.
---It is a line on standard error that is erased when they are done. It is on in the `cudalua` command, and off
---elsewhere. CUDALUA_PROGRESS=1 turns it on everywhere, 0 turns it off. Nothing is shown if standard error is not a
---terminal.
---@param on? boolean  the new setting; default: leave it unchanged
---@return boolean before  true if it was on
---@raise LogicError if `on` is not a boolean
function M.show_progress(on) return core.show_progress(on) end

return M
