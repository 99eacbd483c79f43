-- Reads what the array library defines once: operations, reductions and scans, which are rows with a documentation
-- comment above them, and functions that core/define.lua makes a function and a method of. From the text of the files
-- alone: it needs no build. Run from the project's root.
local M = {}

local ROOM, WIDTH = "lua/cudalua/gpuarray/", 120
local FAMILIES = { "arithmetic", "compare", "bits", "rounding", "math", "complex" } -- in the order of kernel/ops.lua

-- Functions that are rows of another file than the one that makes them.
local ROWS = { ["reduce.reduce"] = "reduce/reductions.lua", ["reduce.scan"] = "reduce/scans.lua" }

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

---A documentation comment.
---@class definitions.Block
---@field text string[]                    the lines before the first tag
---@field tags {name: string, lines: string[]}[]  the lines of each tag: a line without one continues it
---@field code string                      what follows the comment

-- The comments of three dashes of a file, without their indentation.
---@return fun(): definitions.Block?
local function blocks(source)
  return coroutine.wrap(function()
    local block, at = nil, 1
    while at <= #source do
      local line, after = source:match("([^\n]*)\n?()", at)
      local comment = line:match "^%s*(%-%-%-.*)$"
      if comment then
        block = block or { text = {}, tags = {} }
        local tag = comment:match "^%-%-%-@(%a+)"
        if tag then
          block.tags[#block.tags + 1] = { name = tag, lines = { comment } }
        elseif block.tags[1] then
          table.insert(block.tags[#block.tags].lines, comment)
        else
          table.insert(block.text, comment)
        end
      elseif block then
        block.code = source:sub(at)
        coroutine.yield(block)
        block = nil
      end
      at = after
    end
  end)
end

local function tagged(block, name)
  local list = {}
  for _, tag in ipairs(block.tags) do
    if tag.name == name then list[#list + 1] = tag end
  end
  return list
end

local function parameter(tag) return (tag.lines[1]:match "^%-%-%-@param%s+([%w_%.]+)") end

---A function that is defined once.
---@class definitions.Entry
---@field name string
---@field text string[]         the sentences
---@field params {name: string, lines: string[]}[]
---@field rest string[]         results and errors
---@field arity? integer        of an operation: its operands
---@field math? boolean         of an operation: is it in cudalua.math?
---@field complex? boolean      of an operation: are there expressions for complex numbers alone?
---@field object? integer       the number of the parameter that is the method's array; default: 1

-- A block, with the usual tags for those that it does not have.
local function entry(name, block, usual)
  local params = tagged(block, "param")
  if not params[1] then params = usual.params end
  local e = { name = name, text = block.text, params = {}, rest = {} }
  for _, tag in ipairs(params) do e.params[#e.params + 1] = { name = parameter(tag), lines = tag.lines } end
  if #e.params > 0 and e.params[#e.params].name ~= "options" and usual.options then
    e.params[#e.params + 1] = { name = "options", lines = usual.options }
  end
  for _, kind in ipairs { "return", "raise" } do
    local tags = tagged(block, kind)
    if not tags[1] then tags = { { lines = usual[kind] } } end
    for _, tag in ipairs(tags) do
      for _, line in ipairs(tag.lines or {}) do e.rest[#e.rest + 1] = line end
    end
  end
  return e
end

local function fail(...) error(string.format(...), 0) end

-- ---- operations -----------------------------------------------------------------------------------------------------

local OPTIONS = { "---@param options? cudalua.operation_options  out, stream, allocator" }
local RETURN = { "---@return cudalua.gpuarray.Array" }
local OPERANDS = { "the first operand: an array, or a number if another operand is an array",
  "the second operand; its shape broadcasts with the first one's", "the third operand; as the second one" }
local REFUSES = {
  { "---@raise LogicError if a's dtype is not supported" },
  { "---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers" },
  { "---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or all are numbers" },
}

local function usual_of(arity)
  local usual = { params = {}, options = OPTIONS, ["return"] = RETURN, raise = REFUSES[arity] }
  for k = 1, arity do
    local line = ("---@param %s cudalua.gpuarray.Array%s  %s"):format(("abc"):sub(k, k), arity > 1 and "|number" or "",
      arity > 1 and OPERANDS[k] or "an array of any shape")
    usual.params[k] = { lines = { line } }
  end
  return usual
end

---The operations, and the other functions of core/functions.lua, by name.
---@return definitions.Entry[]
function M.operations()
  local list, rows, documented, path = {}, {}, {}, nil
  local function add(e, math)
    if documented[e.name] then fail("%s: %s is documented twice", path, e.name) end
    documented[e.name], e.math, e.complex = true, math, rows[e.name] and rows[e.name].complex ~= nil
    list[#list + 1] = e
  end
  for _, family in ipairs(FAMILIES) do
    path = ROOM .. "kernel/ops/" .. family .. ".lua"
    local file = dofile(path)
    for _, row in ipairs(file) do
      rows[row[1]] = { path = path, arity = row[2], internal = row.internal,
        complex = row.code.complex or row.code.complex64, math = (row.math == nil and file or row).math or false }
    end
    for block in blocks(read(path)) do
      local name = block.code:match '^[^"\n]*"([%w_]+)"'
      local row = name and rows[name]
      if not row then fail("%s: a comment stands above no row: %s", path, block.text[1] or "") end
      local e = entry(name, block, usual_of(row.arity))
      e.arity = row.arity
      add(e, row.math)
    end
  end
  path = ROOM .. "core/functions.lua"
  for block in blocks(read(path)) do
    local name = block.code:match "^function functions%.([%w_]+)" or block.code:match "^functions%.([%w_]+) ="
    if name then
      local part = block.code:match '^functions%.[%w_]+ = pair%("[%w_]+", "([%w_]+)"' -- of one of its results
      add(entry(name, block, {}), (rows[part or name] or {}).math)
    end
  end
  for name, row in pairs(rows) do
    if not row.internal and not documented[name] then fail("%s: %s has no comment above its row", row.path, name) end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

-- ---- reductions and scans -------------------------------------------------------------------------------------------

-- A tag on as many lines as its text takes.
local function folded(tag, text)
  local lines, line = {}, "---" .. tag
  for word in text:gmatch "%S+" do
    if #line + 1 + #word > WIDTH then
      lines[#lines + 1], line = line, "---  " .. word
    else
      line = line .. " " .. word
    end
  end
  lines[#lines + 1] = line
  return lines
end

local function options(text) return { lines = folded("@param options? any ", text) } end

local ARRAY = { lines = { "---@param a cudalua.gpuarray.Array  the array to reduce, of any shape" } }
local SCANNED = { lines = { "---@param a cudalua.gpuarray.Array  the array to scan, of any shape" } }
-- Without and with a dtype.
local AXES = {
  options [[{axis, keepdims, out, stream, allocator}. The axis can also come before this table. axis: an integer or
    a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims: keep each
    reduced axis, with an extent of 1. out: an array that receives the result]],
  options [[{axis, keepdims, dtype, out, stream, allocator}. The axis can also come before this table. axis: an
    integer or a list of integers, from 1; negative numbers count from the last axis; default: all axes. keepdims:
    keep each reduced axis, with an extent of 1. dtype: the dtype of the result; elements are converted to it first.
    out: an array that receives the result]],
}
local AXIS = {
  options [[{axis, out, stream, allocator}. The axis can also come before this table. axis: an integer from 1;
    negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array. out: an
    array that receives the result]],
  options [[{axis, dtype, out, stream, allocator}. The axis can also come before this table. axis: an integer from
    1; negative numbers count from the last axis; default: scan all elements in C order and return a 1-D array.
    dtype: the dtype of the result; elements are converted to it first. out: an array that receives the result]],
}
local AXES_WRONG = "an axis is out of range or appears twice, or out has another shape"
local AXIS_WRONG = "the axis is out of range, or out has another shape"

-- By rule of a reduction: may the caller ask for a dtype? What does it raise first, and of what dtype is the result?
local RULES = {
  sum = { dtype = true, raise = "the dtype is not supported, " },
  mean = { dtype = true, raise = "the dtype is not supported, " },
  select = { raise = "the elements are complex, ", none = "there are no elements, " },
  position = { raise = "the elements are complex, ", none = "there are no elements, ", of = "int64" },
  truth = { raise = "", of = "bool" },
  count = { raise = "", of = "int64" },
}

local function usual_reduction(rule)
  return { params = { ARRAY, AXES[rule.dtype and 2 or 1] },
    ["return"] = { RETURN[1] .. (rule.of and "  of " .. rule.of or "") },
    raise = folded("@raise LogicError", "if " .. (rule.none or "") .. rule.raise .. AXES_WRONG) }
end

local function usual_scan(rule)
  return { params = { SCANNED, AXIS[rule.dtype and 2 or 1] }, ["return"] = RETURN,
    raise = folded("@raise LogicError", "if " .. rule.raise .. AXIS_WRONG) }
end

-- The rows of a file, in their order; usual(second): what is not said of a row whose second field is that.
local function rows_of(path, usual)
  local source, list, documented = read(ROOM .. path), {}, {}
  for block in blocks(source) do
    local name, second = block.code:match '^%s*{ "([%w_]+)", "([%w_]+)"'
    if name then
      documented[name] = second
      list[#list + 1] = entry(name, block, usual(second))
    end
  end
  for name in source:gmatch '\n  { "([%w_]+)"' do
    if not documented[name] then fail("%s: %s has no documentation above its row", path, name) end
  end
  return list, documented
end

---@return definitions.Entry[]
---@return table<string, string>  the rule of each, by name
function M.reductions()
  return rows_of(ROWS["reduce.reduce"], function(rule) return usual_reduction(assert(RULES[rule], rule)) end)
end

---@return definitions.Entry[]
function M.scans()
  local _, rules = M.reductions()
  return (rows_of(ROWS["reduce.scan"], function(reduction) return usual_scan(RULES[assert(rules[reduction])]) end))
end

-- ---- files that are read later --------------------------------------------------------------------------------------

---A file of functions that is read when one of them is called first.
---@class definitions.File
---@field name string        "reduce.reduce"
---@field defined definitions.Entry[]  functions that are methods, too, by name
---@field functions string[]  the names of all functions, in order
---@field methods string[]

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- The methods that a file makes functions of, too.
local function as_functions(source)
  local list = {}
  for words in source:gmatch "\nfor _, name in ipairs (%b{}) do\n  M%[name%] =" do
    for name in words:gmatch '"([%w_]+)"' do list[#list + 1] = name end
  end
  return list
end

local HOST_DATA = "---@param a any  an array, or host data, which is copied to the device"

---Functions that are methods first: they take host data, too, instead of the array.
---@return definitions.Entry[]
function M.from_methods()
  local methods, list = {}, {}
  for _, file in ipairs { "array", "make/shape", "make/join" } do
    for block in blocks(read(ROOM .. file .. ".lua")) do
      local name = block.code:match "^function Array:([%w_]+)"
      if name then
        table.insert(block.tags, 1, { name = "param", lines = { HOST_DATA } })
        methods[name] = entry(name, block, { ["return"] = {}, raise = {} })
      end
    end
  end
  for _, file in ipairs { "make/shape", "make/join" } do
    for _, name in ipairs(as_functions(read(ROOM .. file .. ".lua"))) do
      list[#list + 1] = methods[name] or fail("%s: the method %s has no annotation", file, name)
    end
  end
  return list
end

-- Which of a function's parameters, from 1, is the array of the method: the one that define() names last.
local function object_of(e, path, code)
  local object = code:match '^define%("[%w_]+", [%w_]+, [%w_]+, "([%w_]+)"%)'
  for i, param in ipairs(e.params) do
    if param.name == (object or param.name) then return i end
  end
  fail("%s: %s has no @param %s", path, e.name, object or "")
end

-- The files that are read when one of their functions is called first (gpuarray/lazy.lua), as "reduce.scan": those of
-- the library's rooms that add to the module and that it does not read itself.
local function read_later()
  local module, list = read(ROOM:sub(1, -2) .. ".lua"), {}
  local found = assert(io.popen(("find %s -mindepth 2 -name '*.lua' | LC_ALL=C sort"):format(ROOM)))
  for path in found:lines() do
    local name = path:sub(#ROOM + 1, -5):gsub("/", ".")
    local source = read(path)
    local adds = source:find("\n---@class cudalua.gpuarray\nlocal ", 1, true)
    if not adds and source:find('core.define"(', 1, true) then
      fail("%s: write ---@class cudalua.gpuarray above the table that gets the functions", path)
    end
    local at_once = module:find(('%s"'):format(name), 1, true)
    if adds and not at_once then list[#list + 1] = name end
  end
  found:close()
  return list
end

---@return definitions.File[]
function M.files()
  local files, owners = {}, {}
  for i, name in ipairs(read_later()) do
    local path = ROOM .. name:gsub("%.", "/") .. ".lua"
    local source, functions, methods = "\n" .. read(path), {}, {}
    local defined = name == "reduce.reduce" and M.reductions() or name == "reduce.scan" and M.scans() or {}
    for block in blocks(source) do
      local of = block.code:match '^define%("([%w_]+)"'
      if of then
        local e = entry(of, block, { params = {}, ["return"] = {}, raise = {} })
        e.object = object_of(e, path, block.code)
        defined[#defined + 1] = e
      end
    end
    for of in source:gmatch '\ndefine%("([%w_]+)"' do functions[of] = true end
    for _, e in ipairs(defined) do functions[e.name], methods[e.name] = true, true end
    for of in pairs(functions) do
      if not methods[of] then fail("%s: %s has no documentation above its definition", path, of) end
    end
    for of in source:gmatch "\nfunction M%.([%w_]+)" do functions[of] = true end
    for of in source:gmatch "\nfunction Array[:.]([%w_]+)" do methods[of] = true end
    for _, of in ipairs(as_functions(source)) do functions[of] = true end
    for of in pairs(functions) do
      if owners[of] then fail("%s: %s is a function of %s, too", path, of, owners[of]) end
      owners[of] = name
    end
    table.sort(defined, function(a, b) return a.name < b.name end)
    files[i] = { name = name, defined = defined, functions = sorted(functions), methods = sorted(methods) }
  end
  return files
end

return M
