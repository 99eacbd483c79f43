-- Plans of cuFFT and the calls with them. A plan belongs to a shape and a layout, and takes memory of its own; its work
-- area is memory of ours, which each call brings.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local handles = require "cudalua.vendor.handles"
local libraries = require "cudalua.vendor.library"
local plans = require "cudalua.fft.plan"
local runs = require "cudalua.gpuarray.core.run"
local status = require "cudalua.vendor.status"
local storage = require "cudalua.gpuarray.core.storage"
local write = require "cudalua.gpuarray.core.write"

local M = {}

-- ---- constants, with the names of cufft.h ---------------------------------------------------------------------------

M.FORWARD, M.INVERSE = -1, 1
local CUFFT_ALLOC_FAILED = 2
local types = { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c }

-- What it answers for a plan that it does not have. The names are without "CUFFT_".
local LACKING = { INVALID_VALUE = true, INVALID_SIZE = true, NOT_IMPLEMENTED = true, NOT_SUPPORTED = true }

local WRITTEN = -1 -- no status of the library's: arrays were written to before the call

local function check(what, call, code, about) status.check(what, "cufft", call, code, about) end

-- ---- plans ----------------------------------------------------------------------------------------------------------

-- Plans of a library that is no longer the one.
libraries.on_forget[#libraries.on_forget + 1] = plans.clear

---How elements lie in memory, as cufftMakePlanMany64 takes it: strides and distances in elements.
---@class cudalua.fft.Layout
---@field kind string        "C2C", "R2C", ...
---@field n integer[]        lengths of the transform
---@field from integer[]     extents of the source along the same axes
---@field to integer[]       extents of the result
---@field from_stride integer
---@field from_distance integer
---@field to_stride integer
---@field to_distance integer
---@field batch integer      transforms of one call
---@field times integer      calls, each with another first element:
---@field from_step integer  how far these are apart
---@field to_step integer

---A layout as text, for messages.
---@param l cudalua.fft.Layout
---@return string
function M.text(l)
  local count = l.batch * l.times
  return ("%.0f %s transform%s of %s elements"):format(count, l.kind, count == 1 and "" or "s",
    table.concat(l.n, " x "))
end

local function check_no_capture(what)
  if core.current_stream():is_capturing() then
    errors.raise("LogicError", what .. ": inside a capture, cuFFT's plan of a transform must exist; call it once " ..
      "before, with the same shape and dtype")
  end
end

local function list_of(numbers) return ffi.new("int64_t[?]", #numbers, numbers) end

-- A plan takes memory of its own from the driver, which may be in the pool that arrays share.
local function make_room()
  collectgarbage()
  collectgarbage() -- what a finalized object held goes in the second pass
  core.drain()
  local pool = storage.pools[core.context_id()]
  if pool then pool:free_held() end
end

-- A plan, and the library's answer.
local function planned(what, l)
  local f, number, bytes = libraries.functions "cufft", ffi.new "int[1]", ffi.new "size_t[1]"
  local n, from, to = list_of(l.n), list_of(l.from), list_of(l.to)
  check(what, "Create", f.Create(number))
  local plan = { number = number[0], handle = handles.keep("cufft", number[0], "cufftDestroy", "int") }
  check(what, "SetAutoAllocation", f.SetAutoAllocation(plan.number, 0))
  local code = f.MakePlanMany64(plan.number, #l.n, n, from, l.from_stride, l.from_distance, to, l.to_stride,
    l.to_distance, types[l.kind], l.batch, bytes)
  plan.work = tonumber(bytes[0])
  return plan, code
end

-- A plan, or `why` there is none.
local function make(what, l)
  check_no_capture(what)
  local plan, code = planned(what, l)
  if code == CUFFT_ALLOC_FAILED then
    make_room()
    plan, code = planned(what, l)
  end
  local text = status.text("cufft", code)
  if LACKING[text:match "^CUFFT_([%u_]+)"] then return { why = text } end
  check(what, "MakePlanMany64", code, M.text(l))
  return plan
end

local function plan_of(what, l)
  local key = table.concat({ "cufft", l.kind, table.concat(l.n, "x"), table.concat(l.from, "x"), l.from_stride,
    l.from_distance, table.concat(l.to, "x"), l.to_stride, l.to_distance, l.batch }, " ")
  return plans.kept(key, make, what, l)
end

-- ---- calls ----------------------------------------------------------------------------------------------------------

local function attempt(since, what, l, from, y, is_new, direction)
  local plan = plan_of(what, l)
  if plan.why then return nil, plan.why end
  local to = is_new and y._leaf or write.prepare(y)
  local f, number, times = libraries.functions "cufft", plan.number, l.times
  local set_stream, set_area, exec = f.SetStream, f.SetWorkArea, f["Exec" .. l.kind]
  local work = plan.work > 0 and storage.buffer(plan.work)
  if not is_new and write.is_moved(y, to) then return runs.AGAIN end
  local area, a, b = work and work:ptr() or 0, runs.address(from), runs.address(to)
  local next_a, next_b = l.from_step * from.dtype.itemsize, l.to_step * to.dtype.itemsize
  local called, _, code = runs.library {
    name = "cufftExec" .. l.kind, since = since, leaves = { from }, writes = { to }, scratch = work and { work } or nil,
    keep = plan.handle, changes = not is_new,
    -- The check and the calls, on one line: a finalizer that comes in between has come before the check, and cannot
    -- give the plan another stream or work area.
    call = function(stream, expected)
      local code = expected ~= storage.writes and WRITTEN or set_stream(number, stream); code = code == 0 and area ~= 0 and set_area(number, area) or code; for i = 0, times - 1 do code = code == 0 and (direction and exec(number, a + i * next_a, b + i * next_b, direction) or not direction and exec(number, a + i * next_a, b + i * next_b)) or code end return code -- luacheck: ignore 631
    end,
  }
  if not called or code == WRITTEN then return runs.AGAIN end
  check(what, "Exec" .. l.kind, code, M.text(l))
  return true
end

---Transforms, unless cuFFT has no plan for it.
---@param what string
---@param l cudalua.fft.Layout
---@param from table           leaf
---@param y cudalua.gpuarray.Array  gets the result; is dense and shares no memory with `from`
---@param is_new boolean            y was made for it
---@param direction? integer   of transforms from complex to complex numbers: FORWARD or INVERSE
---@return boolean? done  nil: it has no plan
---@return string? why    what it answers then
---@raise LogicError inside a capture, if there is no plan yet; RuntimeError, MemoryError if it fails
function M.transform(what, l, from, y, is_new, direction)
  return runs.until_done(attempt, what, l, from, y, is_new, direction)
end

return M
