-- What all kernels that scan have in common: texts and options, their forms, and how these are launched.

local arguments = require "cudalua.userkernel.arguments"
local cells = require "cudalua.gpuarray.reduce.scan_cells"
local code = require "cudalua.userkernel.scan_code"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local forms = require "cudalua.userkernel.load"
local layout = require "cudalua.base.layout"
local plan = require "cudalua.gpuarray.core.plan"
local run = require "cudalua.gpuarray.core.run"
local tools = require "cudalua.types.kernel_arguments"
local types_of = require("cudalua.userkernel.types").of

local ceil = math.ceil
local context_id = core.context_id

local M = {}

local MOST_BYTES = 256 -- of an element: threads hand values to each other word by word

-- ---- making one -----------------------------------------------------------------------------------------------------

---The options that all constructors have, by the Lua types of their values.
M.options = { name_prefix = "string", preamble = "string", options = "table", keep = "boolean" }

---A text that is not empty.
function M.check_text(where, what, x)
  arguments.check_text(where, what, x)
  if not x:find "%S" then errors.raise("LogicError", ("%s: %s is empty"):format(where, what)) end
  return x
end

---The fields that all kernels have.
function M.new(where, dtype, scan_expr, options)
  local dt, why = dtypes._find(dtype)
  if not dt then errors.raise("LogicError", ("%s: %s"):format(where, why)) end
  if dt.itemsize > MOST_BYTES then
    errors.raise("LogicError", ("%s: an element of %s has %d bytes; at most %d can be scanned"):format(where,
      dt.name, dt.itemsize, MOST_BYTES))
  end
  local name = arguments.check_name(where, options.name_prefix or "scan")
  return { name = name, dtype = dt, itemsize = dt.itemsize, alignment = dt.alignment, options = options.options,
    scan_expr = M.check_text(where, "scan_expr", scan_expr), keep = options.keep, forms = {},
    preamble = arguments.check_text(where, "preamble", options.preamble or "") }
end

---What sources need of a kernel whose other fields are there: its texts, and the types, with that of the values.
function M.complete(k)
  k.texts = { preamble = k.preamble, input_expr = k.input_expr, scan_expr = k.scan_expr, neutral = k.neutral,
    is_segment_start_expr = k.start_expr, output_statement = k.output_statement }
  local list = { unpack(k.args) }
  list[#list + 1] = tools.VectorArg(k.dtype, "cl_values")
  k.common = types_of(list, k.preamble)
  k.value_type = table.remove(k.common.types)
end

-- ---- running --------------------------------------------------------------------------------------------------------

local function form_of(k, form)
  local key = ("%s %s %s %s"):format(form.split, form.wide, form.segmented, form.vector)
  return forms.form(k, key, code.kernel, form)
end

---The form for so many elements, and the numbers of tiles. plain: it goes from one array to another; aligned: these
---begin at multiples of 16 bytes.
function M.form_for(k, n, plain, segmented, aligned)
  local form = { wide = n >= plan.LIMIT, plain = plain, exclusive = k.exclusive, segmented = segmented,
    vector = plain and code.vector(k, segmented, aligned), split = false }
  local found = form_of(k, form)
  local tiles = ceil(n / found.tile)
  if tiles > 1 then
    form.split = true
    found = form_of(k, form)
  end
  return found, tiles
end

---A call of a scan kernel.
---@class cudalua.scan.Call
---@field form table       of form_for()
---@field n integer        elements
---@field tiles integer
---@field values any[]     arguments, leaves among them
---@field written table[]  the leaves among them that are written to

---@param since integer
---@param k table
---@param call cudalua.scan.Call
---@return boolean launched  false: something was written to arrays since then
function M.launch(since, k, call)
  local form, tiles = call.form, call.tiles
  local fn = forms.load(k, form)
  local list = { 1, call.n, tiles }
  local own = tiles > 1 and cells.take(context_id(), 1, tiles, form.acc_bytes, 32)
  if own then
    list[4], list[5], list[6], list[7], list[8], list[9] = own.counter, 0, own.buf, own.off, own.line, own.stamp
  end
  local read = {}
  for _, value in ipairs(call.values) do
    if type(value) == "table" and value.strides then
      read[#read + 1] = value
      list[#list + 1], list[#list + 2] = value.buf or core.pointer(0), value.buf and value.off or 0
    else
      list[#list + 1] = value
    end
  end
  return (run.kernel { fn = fn, blocks = tiles, arguments = list, since = since, leaves = read, writes = call.written,
    changes = #call.written > 0, scratch = own and own.scratch })
end

---How many elements are requested.
function M.check_n(k, n, most)
  local given = layout.whole(n)
  if not given or given < 0 then
    arguments.refuse(k, "option n must be a number of elements, got %s", errors.text(n))
  end
  if given > most then arguments.refuse(k, "option n is %.0f, but the array has %.0f elements", given, most) end
  return given
end

return M
