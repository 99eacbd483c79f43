-- The rows of bench/primitives.lua: each is computed, compared with what it should be, and timed beside others.
local report = ... -- bench/common/report.lua

local M = {}
local problems = {}

---@class bench.Base
---@field whose string            "CUB", "by hand" ...
---@field run fun(i: integer)     i says which of the inputs
---@field results fun(): ...      arrays with what it computed
---@field unchecked boolean?      it computes something else
---@field time (fun(): number)?   microseconds, where it is not by events

---@class bench.Row
---@field work string             what the table calls it
---@field unit string?            default "GB/s"; "us": times, not speeds
---@field amount number?          bytes or elements of a call, in 1e3 a microsecond
---@field ours fun(i: integer): ...  gives arrays, which are released
---@field check fun(...)          of these arrays or of a base's: raises an error where they are wrong
---@field bases bench.Base[]?     the fastest one is what ours is compared with
---@field peer string?            the row's name in peers.py
---@field must number?            of the ratio to the fastest base; with `of`, of ours: "speed", or "us" at most
---@field aim number?
---@field of string?
---@field time (fun(): number)?   of ours, as of a base; and of a peer `peer_time(name)`
---@field launches integer?       of one measurement; default 10, and half of it for peers

local function release(...)
  for i = 1, select("#", ...) do select(i, ...):eval():release() end
end

local function problem(r, whose, what, why)
  problems[#problems + 1] = ("%s, %s: %s %s"):format(r.work, whose, what, tostring(why))
  return false
end

-- Runs what `whose` computes, and compares.
local function right(r, whose, run, results, unchecked)
  local list = { pcall(run, 0) }
  if not list[1] then return problem(r, whose, "failed:", list[2]) end
  if unchecked then return true end
  if results then list = { true, results() } end
  local ok, why = pcall(r.check, unpack(list, 2))
  if not results then release(unpack(list, 2)) end
  return ok or problem(r, whose, "wrong:", why)
end

local function speed(r, times)
  local t = report.median(times or {})
  return t and (r.unit == "us" and t or r.amount / t / 1e3)
end

local function goal_of(r)
  return r.must and ("%s %.4g%s"):format(r.of == "us" and "<=" or ">=", r.must, r.aim and (", aim %.4g"):format(r.aim)
    or "")
end

-- Fills in the times of `line`.
local function measured(r, line, bases, o)
  local device, launches = o.device, r.launches or 10
  local forms = { { "ours", r.time or function()
    return device(function(i) release(r.ours(i)) end, launches)
  end } }
  for _, base in ipairs(bases) do
    forms[#forms + 1] = { base.whose, base.time or function() return device(base.run, launches) end }
  end
  for _, name in ipairs { "cupy", "torch" } do
    forms[#forms + 1] = { name, function()
      if not r.peer then return nil end
      return r.peer_time and r.peer_time(name) or o.peer(name, "device", r.peer, launches > 10 and launches or 5)
    end }
  end
  local times = report.turns(r.must and o.rounds or math.min(o.rounds, 3), forms)

  line.ours, line.cupy, line.torch = speed(r, times.ours), speed(r, times.cupy), speed(r, times.torch)
  local fastest
  for _, base in ipairs(bases) do
    if not fastest or report.median(times[base.whose]) < report.median(times[fastest]) then fastest = base.whose end
  end
  local notes = {}
  if fastest then
    line.base, line.ratio = speed(r, times[fastest]), report.ratio(times[fastest], times.ours)
    if fastest ~= "CUB" then notes[1] = "beside: " .. fastest end
    for _, base in ipairs(bases) do
      if base.whose ~= fastest then
        notes[#notes + 1] = ("%s: %.4g"):format(base.whose, speed(r, times[base.whose]))
      end
    end
  end
  notes[#notes + 1] = r.note
  line.note = table.concat(notes, "; ")
  local value = line.ratio
  if r.of then value = line.ours end
  if r.must and value then
    local sign = r.of == "us" and -1 or 1
    line.ok = (value - r.must) * sign >= 0
    if r.aim then line.aimed = (value - r.aim) * sign >= 0 end
  end
end

---Makes the function that does a row. What is wrong or fails does not end the program, but see M.finish.
---@param o {device: function, peer: function, rounds: integer, timed: boolean, after: function}  device as in
---  bench/common/device.lua; peer(name, request ...); timed: else results are compared, and that is all; after a row
---@return fun(r: bench.Row)
function M.new(o)
  return function(r)
    r.unit = r.unit or "GB/s"
    local line, bases = { work = r.work, unit = r.unit, goal = goal_of(r), note = r.note }, {}
    local fine = right(r, "cudalua", r.ours)
    for _, base in ipairs(r.bases or {}) do
      if right(r, base.whose, base.run, base.results, base.unchecked) then bases[#bases + 1] = base end
    end
    if fine and o.timed then
      local ok, why = pcall(measured, r, line, bases, o)
      fine = ok or problem(r, "measuring", "failed:", why)
    end
    if not fine then line.ok, line.aimed, line.note = false, nil, "WRONG OR FAILED: see the end" end
    report.row(line, o.timed)
    o.after()
  end
end

---Says what was wrong.
---@return boolean fine
function M.finish()
  for _, text in ipairs(problems) do print("WRONG: " .. text) end
  return #problems == 0
end

return M
