-- Running totals and their kin: of each element and all before it one value, in one kernel that computes the expression
-- as well. They wait as reductions do (pending.lua), and scan_run.lua runs them. In which types, reductions.lua says:
-- those of the reduction to the last of these values.

local compute = require("cudalua.gpuarray.reduce.scan_run").compute
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.gpuarray.core.functions"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local pending = require "cudalua.gpuarray.reduce.pending"
local reductions = require "cudalua.gpuarray.reduce.reductions"
local scans = require "cudalua.gpuarray.reduce.scans"
local storage = require "cudalua.gpuarray.core.storage"

local refuse = layout.refuse

local sum_options = { axis = true, dtype = true, out = true, stream = true, allocator = true }
local plain_options = { axis = true, out = true, stream = true, allocator = true }

for _, scan in ipairs(scans) do scan.reduction = reductions[scan[2]] end

-- See compute(); with a value in the place of NaN, if the scan has one.
local function scanned(scan, kind, a, axis, shape, out)
  if scan.nan == nil then
    return out == nil and pending.scanned(scan, kind, a, axis, shape) or
      compute { kind = kind, x = a, axis = axis, to = out }
  end
  local list, ours = require("cudalua.gpuarray.reduce.call").without_nan({}, a, scan.nan, a), {}
  for _, t in ipairs(list) do ours[t] = true end
  local x = compute { kind = kind, x = list[#list] or a, axis = axis, to = out, ours = ours }
  for _, t in ipairs(list) do
    if t._sig then storage.drop(t) end
  end
  return x
end

local function apply(what, scan, a, options)
  object.check_array(what, a)
  local row = scan.reduction
  if options ~= nil and (type(options) ~= "table" or #options > 0) then options = { axis = options } end
  local o = errors.options(what, options, row.dtype and sum_options or plain_options)
  local axis = o.axis
  if axis ~= nil then axis = layout.axis(what, axis, a._ndim) end
  local asked = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
  local kind = a._dtype.kind ~= "struct" and reductions.kind(row, a._dtype, asked)
  if not kind then
    refuse(what, ("not defined for %s%s"):format(a._dtype.name, asked and " as " .. asked.name or ""))
  end
  local shape, out = axis and a._shape or { a._size }, o.out
  if graph.limits_lifted() then pending.note(a) end
  if a._size == 0 then
    local x = storage.empty(kind.result, shape, 0)
    return out ~= nil and functions.deliver(what, x, out) or x
  end
  local direct = object.is_array(out) and out._dtype == kind.result and layout.same(out._shape, shape)
  local x = direct and scanned(scan, kind, a, axis, shape, out)
  if x then return x end
  x = scanned(scan, kind, a, axis, shape)
  return out ~= nil and functions.deliver(what, x, out) or x
end

---@class cudalua.gpuarray
local M = {}

local define = require "cudalua.gpuarray.core.define"(M)
for _, scan in ipairs(scans) do define(scan[1], apply, scan) end

return require("cudalua.gpuarray.core.calls").install(M)
