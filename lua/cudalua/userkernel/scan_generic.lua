-- Scan kernels that compute their values from arrays, and do a statement with the results.

local arguments = require "cudalua.userkernel.arguments"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local pairs_of = require "cudalua.base.pairs_of"
local kernel = require "cudalua.userkernel.scan_kernel"
local object = require "cudalua.gpuarray.core.object"
local run = require "cudalua.gpuarray.core.run"
local usage = require "cudalua.userkernel.usage"

local refuse = arguments.refuse

local options_known = { is_segment_start_expr = "string" }
for name, kind in pairs_of(kernel.options) do options_known[name] = kind end
local names = { "dtype", "arguments", "input_expr", "scan_expr", "neutral", "output_statement" }
local reserved = { i = "the number of the element", n = "the number of elements", N = "the number of elements",
  item = "the value of the elements up to this one", prev_item = "the value of those before" }

-- Is the word in a text?
local function mentions(text, word) return text:find("%f[%w_]" .. word .. "%f[^%w_]") ~= nil end

local function new(...)
  local where = "GenericScanKernel"
  local v, options = arguments.named(where, names, options_known, ...)
  local input_expr, neutral, output_statement = v[3], v[5], v[6]
  local k = kernel.new(where, v[1], v[4], options)
  k.args = arguments.declared(where, v[2])
  k.input_expr = kernel.check_text(where, "input_expr", input_expr)
  k.output_statement = kernel.check_text(where, "output_statement", output_statement)
  if options.is_segment_start_expr then
    k.start_expr = kernel.check_text(where, "is_segment_start_expr", options.is_segment_start_expr)
  end
  k.neutral = neutral ~= nil and arguments.neutral(where, "neutral", neutral, k.dtype) or nil
  k.previous = neutral ~= nil
  local source = require("cudalua.types.source").code(k.output_statement)
  if mentions(source, "prev_item") and not k.previous then
    errors.raise("LogicError", where .. ": output_statement uses prev_item, which is neutral for the first element; " ..
      "pass neutral")
  end
  if mentions(source, "last_item") then
    errors.raise("LogicError", where .. ": last_item is not available: the scan takes one pass, before the last " ..
      "value is known; i + 1 == N is true for the last item")
  end
  local arrays = arguments.names(k, reserved, "expressions")
  k.at_i = usage.of(arrays, k.input_expr .. ";\n" .. (k.start_expr or "") .. ";\n" .. k.output_statement, "",
    k.preamble).at_i
  -- What the statement does not mention is only read.
  k.const, k.usage = {}, { at_i = {} }
  for _, arg in ipairs(k.args) do
    k.const[arg.name] = arg.is_vector and (arg.is_const or not mentions(k.output_statement .. k.preamble, arg.name))
  end
  kernel.complete(k)
  return k
end

local generic_call_options = { stream = true, n = true }

-- Runs once, unless a finalizer changes what was found on the way.
local function attempt(since, k, values, n)
  arguments.check_written(k, values)
  local leaves, back = arguments.leaves_of(k, values, { n })
  local list = {}
  for i = 1, #k.args do list[i] = leaves[i] or values[i] end
  local form, tiles = kernel.form_for(k, n, false, k.start_expr ~= nil, false)
  local written = {}
  for i, arg in ipairs(k.args) do
    if leaves[i] and leaves[i].store and not k.const[arg.name] then written[#written + 1] = leaves[i] end
  end
  local call = { form = form, n = n, tiles = tiles, values = list, written = written }
  if not kernel.launch(since, k, call) then return run.AGAIN end
  for _, b in ipairs(back) do arguments.put_back(b.to, b.from) end
  return true
end

local function run_generic(k, values, n) run.until_done(attempt, k, values, n) end

---Runs the kernel. See GenericScanKernel.
---@param k table
---@param ... any
local function call(k, ...)
  local values, o = arguments.split(k, generic_call_options, ...)
  arguments.convert(k, values)
  local first
  for i in ipairs(k.args) do
    if not first and object.is_array(values[i]) then first = values[i] end
  end
  local n = first and first._size
  if o.n ~= nil then n = kernel.check_n(k, o.n, math.huge) end
  if not n then refuse(k, "no argument sets the number of elements; add option n, {n = ...}") end
  local store = arguments.context_of(k, values)
  if n == 0 then return end
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if k.at_i[arg.name] then -- else it is the user's own to index
      if not object.is_array(x) then arguments.check_memory(k, i, x, n) end
      if object.is_array(x) and x._size < n then
        arguments.wrong(k, i, "the array %s has fewer elements than the %.0f that are scanned", graph.describe(x), n)
      end
    end
  end
  arguments.inside(k, store, o.stream, run_generic, values, n)
end

local function source(k) return kernel.form_for(k, 1, false, k.start_expr ~= nil, false).source end

return { new = new, call = call, source = source }
