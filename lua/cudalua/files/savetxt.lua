-- Arrays as text in columns, as NumPy's savetxt writes them.

local arrays = require "cudalua.ndarray.array"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local pace = require "cudalua.base.pace"
local picture = require "cudalua.files.picture"
local whole = require "cudalua.files.whole"

local refuse = layout.refuse

---@class cudalua.io
local M = {}

local FORMAT = "%.18e" -- leads back to the same float64

-- The shortest text that leads back to the same number: what %s writes.
local function shortest(x)
  for digits = 1, 17 do
    local text = ("%%.%dg"):format(digits):format(x)
    if tonumber(text) == x or x ~= x then return text end
  end
end

local function number(x) return x == true and 1 or x == false and 0 or tonumber(x) end

-- What a format's letter takes.
local takes = { s = function(x) return type(x) == "cdata" and element.describe(x) or shortest(number(x)) end }
for letter in ("eEfgGaA"):gmatch "." do takes[letter] = number end
for letter in ("dixXouc"):gmatch "." do
  takes[letter] = function(x)
    if type(x) == "cdata" then return x end -- a 64-bit integer
    return number(x)
  end
end

-- A format as pieces of text, each with one value at most: { text =, take = }.
local function pieces_of(what, format)
  if type(format) ~= "string" then
    refuse(what, "fmt must be a format or a list of formats, got " .. errors.text(format))
  end
  local list, count, at = {}, 0, 1
  while at <= #format do
    local first, last, letter = format:find("%%[%-%+ #0]*%d?%d?%.?%d?%d?(.)", at)
    if not first then
      if format:find("%", at, true) then refuse(what, ("fmt %s ends within a format"):format(errors.text(format))) end
      break
    end
    if letter ~= "%" and not takes[letter] then
      refuse(what, ("fmt %s: %s is not a format of numbers, such as %%.6f, %%g or %%d"):format(errors.text(format),
        format:sub(first, last)))
    end
    if letter ~= "%" then count = count + 1 end
    local text = format:sub(at, last)
    list[#list + 1] = { text = takes[letter] and text or text:format(), take = takes[letter] }
    at = last + 1
  end
  if at <= #format then list[#list + 1] = { text = format:sub(at) } end
  return list, count
end

local function append(list, more)
  for _, piece in ipairs(more) do list[#list + 1] = piece end
end

-- One format for a whole row, as pieces.
local function row_format(what, fmt, columns, delimiter, complex)
  local each = complex and 2 or 1
  local function of_column(format)
    local list, count = pieces_of(what, format)
    if count == each then return list, count end
    if complex and count == 1 then return (pieces_of(what, (" (%s+%sj)"):format(format, format))), 2 end
    return list, count
  end
  if type(fmt) == "string" then
    local list, count = of_column(fmt)
    if count ~= each or columns == 1 then
      if count ~= columns * each then
        refuse(what, ("fmt %s has %d formats, a row has %d value%s"):format(errors.text(fmt), count, columns * each,
          columns * each == 1 and "" or "s"))
      end
      return list
    end
    fmt = {}
    for k = 1, columns do fmt[k] = list end
  elseif type(fmt) == "table" and getmetatable(fmt) == nil then
    if #fmt ~= columns then refuse(what, ("fmt has %d formats, a row has %d columns"):format(#fmt, columns)) end
    local lists = {}
    for k = 1, columns do
      local list, count = of_column(fmt[k])
      if count ~= each then
        refuse(what, ("fmt[%d], %s, has %d formats for one value"):format(k, errors.text(fmt[k]), count))
      end
      lists[k] = list
    end
    fmt = lists
  else
    pieces_of(what, fmt) -- which refuses it
  end
  local row = {}
  for k = 1, columns do
    if k > 1 then row[#row + 1] = { text = delimiter } end
    append(row, fmt[k])
  end
  return row
end

local function text_option(what, o, name, default)
  local x = o[name]
  if x == nil then return default end
  if type(x) ~= "string" then refuse(what, ("%s must be a string, got %s"):format(name, element.describe(x))) end
  return x
end

-- A function that gives the text of the row number i, from 0.
local function row_writer(a, row, complex)
  local load, p, strides = a.dtype._load, a._p, a.strides
  local step, across, each = strides[1], strides[2] or 0, complex and 2 or 1
  local parts = {}
  return function(i)
    local n = 0 -- values of this row so far
    for k, piece in ipairs(row) do
      if piece.take then
        local x = load(p, i * step + math.floor(n / each) * across)
        if complex then x = tonumber(n % 2 == 0 and x.re or x.im) end
        n = n + 1
        parts[k] = piece.text:format(piece.take(x))
      else
        parts[k] = piece.text
      end
    end
    local text = table.concat(parts)
    return complex and text:gsub("%+%-", "-") or text
  end
end

local known = { fmt = true, delimiter = true, newline = true, header = true, footer = true, comments = true }

---Writes an array as text, as NumPy's savetxt. Each row of a 2-D array is a line, and so is each element of a 1-D
---array.
---@param path string  the file
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array|table  a 1-D or 2-D array, or nested tables of numbers
---@param options? {fmt: string|string[], delimiter: string, newline: string, header: string, footer: string, comments:
---  string}  fmt: of each value, default "%.18e", which preserves every float64. It can be a list with one for each
---  column, or a string with as many formats as columns. The format %s is the shortest text that preserves the value.
---  Complex values are " (re+imj)". Both parts have the format. delimiter: between values, default " ". newline:
---  default "\n". header: text before the values. footer: text after them. comments: the start of their lines, default
---  "# "
---@raise LogicError for arrays with other shapes and structs, and for invalid formats; RuntimeError if the file cannot
---  be written: it may then be incomplete
function M.savetxt(path, a, options)
  local what = "io.savetxt"
  whole.check_path(what, path)
  local o = errors.options(what, options, known)
  if type(a) == "table" and getmetatable(a) == nil then
    a = arrays.from_values(what, a, nil, dtypes.float64)
  end
  a = picture._host(what, a)
  local shape, complex = a.shape, a.dtype.kind == "complex"
  if #shape < 1 or #shape > 2 then
    refuse(what, ("the array must have one or two axes, its shape is %s; reshape it"):format(layout.text(shape)))
  end
  if a.dtype.kind == "struct" then
    refuse(what, ("arrays of structs (%s) cannot be saved; save their fields"):format(a.dtype.name))
  end
  local columns = shape[2] or 1
  local newline, comments = text_option(what, o, "newline", "\n"), text_option(what, o, "comments", "# ")
  local delimiter = text_option(what, o, "delimiter", " ")
  local row = columns > 0 and row_format(what, o.fmt == nil and FORMAT or o.fmt, columns, delimiter, complex) or {}
  local between = ("\n" .. comments):gsub("%%", "%%%%")
  local function commented(text) return comments .. text:gsub("\n", between) .. newline end
  local header, footer = text_option(what, o, "header", ""), text_option(what, o, "footer", "")
  local line = row_writer(a, row, complex)
  whole.write(what, path, function(write)
    if header ~= "" then write(commented(header)) end
    for i = 0, shape[1] - 1 do
      local text = line(i)
      pace(#text)
      write(text .. newline)
    end
    if footer ~= "" then write(commented(footer)) end
  end)
end

return M
