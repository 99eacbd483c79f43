-- Sparse matrices from positions and values: checked on the device, put in order, values of one place added.

local arguments = require "cudalua.gpuarray.index.arguments"
local code = require "cudalua.sparse.code"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local mask = require "cudalua.gpuarray.index.mask"
local matrix = require "cudalua.sparse.matrix"
local move = require "cudalua.gpuarray.index.move"
local sorting = require "cudalua.gpuarray.order.sort_run"
local storage = require "cudalua.gpuarray.core.storage"
local structures = require "cudalua.sparse.structure"
local view = require "cudalua.gpuarray.core.view"

local refuse, list = layout.refuse, structures.list

local M = {}

-- ---- words that kernels leave for the host --------------------------------------------------------------------------

-- Does the steps that `make` gives for an array of words, which begin as 0, and reads the words.
local function told(what, make, writes)
  local words = list(dtypes.int64, 4)
  if core.array_ready(words._leaf.buf) then
    refuse(what, "inside a capture, the positions of a sparse matrix cannot be checked; make it before the capture")
  end
  local steps = make(words)
  table.insert(steps, 1, { fill = words })
  code.launch(steps, { words, unpack(writes) })
  local host, out = words:get(), {}
  for k = 1, 4 do out[k] = tonumber(host:get(k)) end
  return out
end

-- The value of element i, from 1, of a list of positions.
local function value_at(x, i) return tonumber(x:item(i)) end

local function counted(n, one, base, at) -- "3 rows, counted from 1"
  return ("%.0f %s%s, counted from %d%s"):format(n, one, n == 1 and "" or "s", base,
    at == 0 and base == 1 and "; add base = 0 if positions count from 0" or "")
end

-- ---- positions and values of users ----------------------------------------------------------------------------------

-- Positions as int64, of one axis, without gaps; a copy or the program's own array, which is read once.
local function positions(what, name, x)
  if x == nil then refuse(what, name .. " is missing") end
  local a = arguments.any_array(what, name, x, dtypes.int64)
  if a._ndim ~= 1 or a._dtype.kind ~= "int" and a._dtype.kind ~= "uint" then
    refuse(what, ("%s must be integers along one axis, got %s of the shape %s"):format(name, a._dtype.name,
      layout.text(a._shape)))
  end
  return code.dense(graph.as_type(a, dtypes.int64))
end

---The values of a matrix: a new array of one axis, of a type that matrices have.
---@param what string
---@param name string
---@param x any
---@param dtype? any  default: that of x
---@return cudalua.gpuarray.Array
function M.values(what, name, x, dtype)
  if x == nil then refuse(what, name .. " is missing") end
  local own = arguments.any_array(what, name, x, dtype)
  if own._ndim ~= 1 then
    refuse(what, ("%s must have one axis, got the shape %s"):format(name, layout.text(own._shape)))
  end
  local t = matrix.dtype(what, dtype == nil and own._dtype or dtype)
  return own._dtype == t and view.copy(own, "C") or view.copy(graph.convert(own, t), "C")
end

---A shape of two axes.
---@param what string
---@param shape any
---@return integer rows
---@return integer columns
function M.shape(what, shape)
  if shape == nil then refuse(what, "shape is missing; write shape = {rows, columns}") end
  local s = layout.integers(what, "shape", shape, 0)
  if #s ~= 2 then refuse(what, ("shape must be two integers, rows and columns; got %d"):format(#s)) end
  if s[1] * s[2] >= 2 ^ 63 then
    refuse(what, ("the shape %s is too large for int64 positions"):format(layout.text(s)))
  end
  return s[1], s[2]
end

---@param what string
---@param base any
---@return 0|1
function M.base(what, base)
  if base == nil then return 1 end
  if base ~= 0 and base ~= 1 then refuse(what, "base must be 0 or 1, got " .. element.describe(base)) end
  return base
end

-- ---- elements that are in order -------------------------------------------------------------------------------------

---The structure of elements whose keys, line * extent + index, ascend and differ.
---@param lines integer
---@param extent integer
---@param keys cudalua.gpuarray.Array  int64, without gaps
---@return table
function M.of_keys(lines, extent, keys)
  local n = keys._size
  local place = structures.place_of(lines, extent, n)
  local line_list, indices = list(place, n), list(place, n)
  code.launch({ { kernel = code.kernel("build/split", "sparse_split", place), n = n,
    arguments = { n, keys, extent, line_list, indices } } }, { line_list, indices })
  local s = structures.new(place, lines, extent, structures.pointers(place, lines, line_list), indices)
  s.line_list = line_list
  return s
end

---Elements in any order, also several of one place, whose values are added in the order in which they are.
---@param what string
---@param keys cudalua.gpuarray.Array  int64, without gaps
---@param data cudalua.gpuarray.Array  as many values
---@param result? cudalua.dtype.DType  of the sums; default: that of data
---@return cudalua.gpuarray.Array keys  ascending, each once
---@return cudalua.gpuarray.Array data
function M.summed(what, keys, data, result)
  local n = keys._size
  if n == 0 then return keys, list(result or data._dtype, 0) end
  local place = n < structures.SHORT and dtypes.int32 or dtypes.int64
  local numbers = list(place, n)
  code.launch({ { kernel = code.kernel("build/numbers", "sparse_numbers", place), n = n,
    arguments = { n, numbers } } }, { numbers })
  local k, o = sorting.sort_pairs(evaluate(keys), evaluate(numbers), n)
  code.release(numbers)
  keys = storage.array_of(k)
  local order, begins = storage.array_of(o), list(dtypes.bool, n)
  local words = told(what, function(words)
    return { { kernel = code.kernel("build/begins", "sparse_begins", place), n = n,
      arguments = { n, keys, begins, words } } }
  end, { begins })
  local starts, count, grouped = keys, n, words[1] ~= 0
  if grouped then
    local places = mask.places(begins, what)
    count = places.count
    local all = keys
    keys, starts = mask.selected(places, evaluate(keys)), mask.listed(places)
    mask.free(places)
    code.release(all)
  end
  local out = list(result or data._dtype, count)
  code.launch({ { kernel = code.kernel("build/sums", "sparse_sums", place, { data = data._dtype, result = result }),
    n = count, arguments = { count, n, starts, grouped and 1 or 0, order, 1, data, out } } }, { out })
  code.release(order, begins)
  if grouped then code.release(starts) end
  return keys, out
end

-- The structure and the values of such elements.
local function sorted(what, lines, extent, keys, data)
  local unique, sums = M.summed(what, keys, data)
  code.release(keys, data)
  local s = M.of_keys(lines, extent, unique)
  code.release(unique)
  return s, sums
end

---The key of each element of a structure.
---@param s table
---@param what string
---@return cudalua.gpuarray.Array  int64
function M.keys_of(s, what)
  return (graph.as_type(structures.lines(s, what), dtypes.int64) * s.extent + s.indices):eval()
end

---A structure whose indices may be in any order in each line, and its values, both in order.
---@param what string
---@param s table
---@param data cudalua.gpuarray.Array
---@return table
---@return cudalua.gpuarray.Array
function M.ordered(what, s, data)
  local words = told(what, function(words)
    return { { kernel = code.kernel("build/order", "sparse_order", s.place), n = s.lines > 0 and s.count or 0,
      arguments = { s.count, s.lines, s.indptr, s.indices, words } } }
  end, {})
  if words[3] == 0 then return s, data end
  return sorted(what, s.lines, s.extent, M.keys_of(s, what), data)
end

-- ---- CSR and CSC ----------------------------------------------------------------------------------------------------

local terms = { csr = { line = "row", index = "column" }, csc = { line = "column", index = "row" } }

local function bad_pointer(what, given, i, lines, count, base)
  local v = value_at(given, i)
  if i > 1 and v < value_at(given, i - 1) then
    refuse(what, ("indptr must ascend; indptr[%d] is %.0f, and indptr[%d] is %.0f"):format(i, v, i - 1,
      value_at(given, i - 1)))
  elseif i == 1 and v ~= base then
    refuse(what, ("indptr[1] must be %d, as positions count from %d; it is %.0f%s"):format(base, base, v,
      v == 1 - base and ("; pass base = %d if they count from %d"):format(v, v) or ""))
  end
  refuse(what, ("indptr[%d] is %.0f; with %.0f elements in data it %s %.0f"):format(i, v, count,
    i == lines + 1 and "must be" or "can be at most", count + base))
end

-- From indices and indptr as a user gives them.
local function compressed(what, format, lines, extent, given, indptr, data, base)
  local n, term = data._size, terms[format]
  if given._size ~= n then
    refuse(what, ("data has %.0f elements, and indices has %.0f"):format(n, given._size))
  end
  if indptr._size ~= lines + 1 then
    refuse(what, ("indptr must have %.0f elements, one more than the matrix has %ss; it has %.0f"):format(lines + 1,
      term.line, indptr._size))
  end
  local place = structures.place_of(lines, extent, n)
  local starts, indices = list(place, lines + 1), list(place, n)
  local words = told(what, function(words)
    return { { kernel = code.kernel("build/pointers", "sparse_pointers", place), n = lines + 1,
        arguments = { lines + 1, indptr, base, n, starts, words } },
      { kernel = code.kernel("build/positions", "sparse_positions", place), n = n,
        arguments = { n, given, base, extent, indices, words } },
      { kernel = code.kernel("build/order", "sparse_order", place), n = lines > 0 and n or 0,
        arguments = { n, lines, starts, indices, words } } }
  end, { starts, indices })
  if words[2] ~= 0 then bad_pointer(what, indptr, lines + 1 - words[2] + 1, lines, n, base) end
  if words[1] ~= 0 then
    local i = n - words[1] + 1
    local at = value_at(given, i)
    refuse(what, ("indices[%.0f] is %.0f; the matrix has %s"):format(i, at, counted(extent, term.index, base, at)))
  end
  local s = structures.new(place, lines, extent, starts, indices)
  if words[3] == 0 then return s, data end
  return sorted(what, lines, extent, M.keys_of(s, what), data)
end

-- From the row and the column of each element.
local function coordinates(what, format, rows, columns, row_list, column_list, data, base)
  local n = data._size
  for k, x in ipairs { row_list, column_list } do
    if x._size ~= n then
      refuse(what, ("data has %.0f elements, and %s has %.0f"):format(n, k == 1 and "rows" or "columns", x._size))
    end
  end
  local lines, extent, line_list, index_list = rows, columns, row_list, column_list
  if format == "csc" then lines, extent, line_list, index_list = columns, rows, column_list, row_list end
  local keys = list(dtypes.int64, n)
  local words = told(what, function(words)
    return { { kernel = code.kernel("build/keys", "sparse_keys", dtypes.int64), n = n,
      arguments = { n, line_list, index_list, base, lines, extent, keys, words } } }
  end, { keys })
  for k = 1, 2 do
    if words[k] ~= 0 then
      local i, is_row = n - words[k] + 1, (k == 1) == (format ~= "csc")
      local at = value_at(is_row and row_list or column_list, i)
      refuse(what, ("%s[%.0f] is %.0f; the matrix has %s"):format(is_row and "rows" or "columns", i, at,
        counted(is_row and rows or columns, is_row and "row" or "column", base, at)))
    end
  end
  if words[3] == 0 then return M.of_keys(lines, extent, keys), data end
  return sorted(what, lines, extent, keys, data)
end

-- ---- dense arrays ---------------------------------------------------------------------------------------------------

---The elements of a dense array that are not 0.
---@param what string
---@param format string
---@param x cudalua.gpuarray.Array
---@return cudalua.sparse.Matrix
function M.from_dense(what, format, x)
  if x._ndim ~= 2 then
    refuse(what, ("the array must have two axes, got the shape %s"):format(layout.text(x._shape)))
  end
  matrix.dtype(what, x._dtype)
  local lines, extent = x._shape[1], x._shape[2]
  if format == "csc" then
    lines, extent = extent, lines
    x = view.transpose(what, x)
  end
  x = view.copy(x, "C") -- which nobody writes to meanwhile
  return move.inside(evaluate(x), function()
    local flat = view.reshape(x, { x._size }, "C")
    local places = mask.places(flat:ne(0), what)
    local keys = (mask.listed(places) - 1):eval()
    local data = mask.selected(places, evaluate(flat))
    mask.free(places)
    return matrix.new(format, M.of_keys(lines, extent, keys), data, 1)
  end)
end

-- ---- what a user gives ----------------------------------------------------------------------------------------------

local parts = { data = true, indices = true, indptr = true, rows = true, columns = true, shape = true, base = true,
  dtype = true }
M.PARTS = parts

---A matrix of the parts in a table: data with indices and indptr, or with rows and columns; or without elements.
---@param what string
---@param format "csr"|"csc"|"coo"
---@param given table  checked by errors.options
---@return cudalua.sparse.Matrix
function M.of_parts(what, format, given)
  local rows, columns = M.shape(what, given.shape)
  local base = M.base(what, given.base)
  local is_empty = given.data == nil and given.indices == nil and given.indptr == nil and given.rows == nil
    and given.columns == nil
  local data
  if is_empty then
    data = list(matrix.dtype(what, given.dtype == nil and dtypes.default_float() or given.dtype), 0)
  else
    data = M.values(what, "data", given.data, given.dtype)
  end
  return move.inside(evaluate(data), function()
    local structure
    if is_empty or given.rows ~= nil or given.columns ~= nil then
      if given.indices ~= nil or given.indptr ~= nil then
        refuse(what, "pass rows and columns, or indices and indptr, not both")
      end
      local r = is_empty and list(dtypes.int64, 0) or positions(what, "rows", given.rows)
      local c = is_empty and r or positions(what, "columns", given.columns)
      structure, data = coordinates(what, format, rows, columns, r, c, data, base)
    elseif format == "coo" then
      refuse(what, "rows and columns are missing; sparse.csr{...} takes indices and indptr")
    else
      local lines, extent = rows, columns
      if format == "csc" then lines, extent = columns, rows end
      structure, data = compressed(what, format, lines, extent, positions(what, "indices", given.indices),
        positions(what, "indptr", given.indptr), data, base)
    end
    return matrix.new(format, structure, data, base)
  end)
end

return M
