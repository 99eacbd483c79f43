-- Scan kernels that go from one array to another, or to the same one.

local arguments = require "cudalua.userkernel.arguments"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local graph = require "cudalua.gpuarray.core.graph"
local kernel = require "cudalua.userkernel.scan_kernel"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local mask = require "cudalua.gpuarray.index.mask"
local object = require "cudalua.gpuarray.core.object"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local tools = require "cudalua.types.kernel_arguments"
local view = require "cudalua.gpuarray.core.view"
local write = require "cudalua.gpuarray.core.write"

local refuse = arguments.refuse

local function is_alike(a, b)
  return a.buf == b.buf and a.off == b.off and layout.same(a.shape, b.shape) and layout.same(a.strides, b.strides)
end

-- Scans once, unless a finalizer changes what was found on the way.
local function attempt(since, k, x, out, flags, n)
  evaluate(x)
  local to = write.prepare(out)
  local from, back = storage.leaf_of(x), nil
  local own = is_alike(from, to)
  if not to.dense then
    back = arguments.copied(out)
    to = storage.leaf_of(back)
    if own then from = to end
  end
  if from ~= to and not own and (not from.dense or arguments.overlap(from, to)) then
    from = storage.leaf_of(arguments.copied(x))
  end
  local marks
  if flags then
    marks = evaluate(mask.of(flags))
    if not marks.dense or arguments.overlap(marks, to) then marks = view.copy(mask.of(flags), "C")._leaf end
  end
  local aligned = from.aligned and to.aligned and (not marks or marks.aligned)
  local form, tiles = kernel.form_for(k, n, true, flags ~= nil, aligned)
  local call = { form = form, n = n, tiles = tiles, values = { from, to, marks }, written = { to } }
  if not kernel.launch(since, k, call) then return run.AGAIN end
  if back then arguments.put_back(out, back) end
  return true
end

local function scan(k, x, out, flags, n) run.until_done(attempt, k, x, out, flags, n) end

local call_options = { out = true, stream = true, n = true, allocator = true, flags = true }

local function flags_of(k, flags, x)
  if not object.is_array(flags) then
    refuse(k, "option flags must be an array on the device, got %s", element.describe(flags))
  end
  if flags._dtype.kind == "struct" or flags._dtype.kind == "complex" then
    refuse(k, "option flags: the array %s has no truth values", graph.describe(flags))
  end
  if flags._size ~= x._size then
    refuse(k, "option flags: the array %s must have as many elements as %s", graph.describe(flags), graph.describe(x))
  end
  return flags
end

---Calls a kernel. See InclusiveScanKernel.
---@param k table
---@param x any
---@param out any
---@param options any
local function call_scan(k, x, out, options)
  if type(out) == "table" and getmetatable(out) == nil then out, options = nil, out end
  local o = errors.options(k.name, options, call_options)
  if out == nil then out = o.out elseif o.out ~= nil then refuse(k, "the output is passed twice") end
  if not object.is_array(x) then arguments.check_array(k, 1, x) end
  if not object.is_array(x) then refuse(k, "expected an array, got %s", errors.text(x)) end
  arguments.check_array(k, 1, x)
  local n = o.n == nil and x._size or kernel.check_n(k, o.n, x._size)
  local flags = o.flags ~= nil and flags_of(k, o.flags, x) or nil
  if out == "new" then
    out = make.fresh(k.name, o.n ~= nil and { n } or { unpack(x._shape) }, k.dtype, "C", o.allocator)
  elseif o.allocator ~= nil then
    refuse(k, "option allocator is for a new output: k(x, \"new\", { allocator = f })")
  elseif out == nil then
    out = x
  elseif not object.is_array(out) then
    refuse(k, "the output must be an array or \"new\", got %s", errors.text(out))
  else
    arguments.check_array(k, 2, out)
    if out._size < n then
      refuse(k, "the output %s has fewer elements than the %.0f that are scanned", graph.describe(out), n)
    end
  end
  if n == 0 then return out end
  local to, from = evaluate(out), evaluate(x)
  if out._size > 1 and layout.repeats(to.shape, to.strides, to.dtype.itemsize) then
    refuse(k, "elements of the output %s overlap", graph.describe(out))
  end
  if to.store.context ~= from.store.context then refuse(k, "the arrays belong to different contexts") end
  if flags and evaluate(flags).store.context ~= from.store.context then
    refuse(k, "the flags belong to another context than the array")
  end
  arguments.inside(k, from.store, o.stream, scan, x, out, flags, n)
  return out
end

local names = { "dtype", "scan_expr", "neutral" }

-- An inclusive scan needs no neutral value, and may be given one, as in PyCUDA.
local function new_scan(where, exclusive, ...)
  local v, options = arguments.named(where, names, kernel.options, ...)
  local k = kernel.new(where, v[1], v[2], options)
  if exclusive and v[3] == nil then
    errors.raise("LogicError", where .. ": neutral is missing: the result for the first element, \"0\" for sums")
  end
  local neutral = v[3] ~= nil and arguments.neutral(where, "neutral", v[3], k.dtype) or nil
  if exclusive then k.exclusive, k.previous, k.neutral = true, true, neutral end
  k.args = { tools.VectorArg(k.dtype, "input", { const = true }), tools.VectorArg(k.dtype, "output") }
  kernel.complete(k)
  return k
end

local function source(k) return kernel.form_for(k, 1, true, false, true).source end

return { new = new_scan, call = call_scan, source = source }
