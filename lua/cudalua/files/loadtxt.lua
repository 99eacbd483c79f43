-- Numbers in columns of text, as NumPy's loadtxt reads them.

local ffi = require "ffi"
local arrays = require "cudalua.ndarray.array"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local pace = require "cudalua.base.pace"
local whole = require "cudalua.files.whole"

local refuse = layout.refuse
local uint64_t, int64_t = ffi.typeof "uint64_t", ffi.typeof "int64_t"

---@class cudalua.io
local M = {}

-- ---- values: of a word the value, or nil --------------------------------------------------------------------------

local names = { nan = 0 / 0, inf = 1 / 0, infinity = 1 / 0 }

local function float(word)
  if word:find "^[%d%.eE%+%-]+$" then return tonumber(word) end
  local sign, name = word:match "^([%+%-]?)(%a+)$"
  local x = name and names[name:lower()]
  return x and (sign == "-" and -x or x)
end

local function integer(word)
  local sign, digits = word:match "^([%+%-]?)0*(%d+)$"
  if not digits then return nil end
  if #digits <= 15 then return tonumber(sign .. digits) end
  if #digits > 20 then return tonumber(sign .. digits) end -- out of every range
  local head, last = uint64_t(0), tonumber(digits:sub(-1))
  for digit in digits:sub(1, -2):gmatch "%d" do head = head * 10 + tonumber(digit) end
  if head > 1844674407370955161ULL or head == 1844674407370955161ULL and last > 5 then -- 2^64 and more
    return tonumber(sign .. digits)
  end
  local x = head * 10 + last
  if sign ~= "-" then return x end
  if x > 9223372036854775808ULL then return tonumber(sign .. digits) end
  return -ffi.cast(int64_t, x)
end

local function boolean(word)
  local lower = word:lower()
  if lower == "true" or lower == "false" then return lower == "true" end
  local x = integer(word)
  if x == nil then return nil end
  return x ~= 0
end

-- "1+2j", "(1.0e+00-2.0e+00j)", "3", "2j"; i for j, too.
local function complex(word)
  word = word:match "^%((.*)%)$" or word
  local body = word:match "^(.*)[ij]$"
  if not body then
    local x = float(word)
    return x and ffi.new("complex", x, 0)
  end
  local split
  for at = #body, 2, -1 do
    if body:find("^[%+%-]", at) and not body:find("^[eE]", at - 1) then
      split = at
      break
    end
  end
  local re, im = 0, float(body:sub(split or 1))
  if split then re = float(body:sub(1, split - 1)) end
  return re and im and ffi.new("complex", re, im)
end

local parsers = { float = float, int = integer, uint = integer, bool = boolean, complex = complex }
local nouns = { float = "a number", int = "an integer", uint = "an integer", bool = "true or false",
  complex = "a complex number" }

-- ---- lines --------------------------------------------------------------------------------------------------------

-- A function that cuts a line into words, and gives how many there are.
local function splitter(delimiter, words)
  if not delimiter then
    return function(line)
      local n = 0
      for word in line:gmatch "%S+" do
        n = n + 1
        words[n] = word
      end
      return n
    end
  end
  return function(line)
    if not line:find "%S" then return 0 end
    local n, at = 0, 1
    while true do
      local first, last = line:find(delimiter, at, true)
      n = n + 1
      words[n] = line:sub(at, first and first - 1 or -1):match "^%s*(.-)%s*$"
      if not first then return n end
      at = last + 1
    end
  end
end

-- A line without its comment.
local function without(line, comments)
  for _, mark in ipairs(comments) do
    local at = line:find(mark, 1, true)
    if at then line = line:sub(1, at - 1) end
  end
  return line
end

-- Elements that arrive one by one, in memory that grows.
local function collector(dtype)
  local size, room, itemsize, store = 0, 1024, dtype.itemsize, dtype._store
  local memory = ffi.new("uint8_t[?]", room * itemsize)
  local self = {}
  function self.add(x)
    if size == room then
      local more = ffi.new("uint8_t[?]", 2 * room * itemsize)
      ffi.copy(more, memory, room * itemsize)
      memory, room = more, 2 * room
    end
    store(ffi.cast("uint8_t *", memory), size * itemsize, x)
    size = size + 1
  end
  function self.array(what, shape)
    local a = arrays.allocated(what, shape, dtype, "C")
    ffi.copy(a._p, memory, size * itemsize)
    return a
  end
  return self
end

-- ---- options ------------------------------------------------------------------------------------------------------

local function count(what, o, name, least, most)
  local x = o[name]
  if x == nil then return nil end
  local n = layout.whole(x)
  if not n or n < least or n > (most or math.huge) then
    refuse(what, ("%s must be %s, got %s"):format(name, most and ("an integer from %d to %d"):format(least, most) or
      "a non-negative integer", element.describe(x)))
  end
  return n
end

local function comments_of(what, x)
  if x == nil then return { "#" } end
  if x == false then return {} end
  local list = type(x) == "table" and getmetatable(x) == nil and x or { x }
  for _, mark in ipairs(list) do
    if type(mark) ~= "string" or mark == "" then
      refuse(what, "comments must be a string, a list of strings or false, got " .. errors.text(mark))
    end
  end
  return list
end

local known = { dtype = true, delimiter = true, comments = true, skip_rows = true, use_cols = true, max_rows = true,
  ndmin = true }

-- NumPy's: without axes of one element if there are more than ndmin.
local function shape_of(rows, columns, ndmin)
  if rows == 0 then return ndmin == 2 and { 0, 1 } or { 0 } end
  if ndmin == 2 or rows > 1 and columns > 1 then return { rows, columns } end
  if rows > 1 or columns > 1 or ndmin == 1 then return { rows * columns } end
  return {}
end

-- Which of n columns are read.
local function places_of(columns, n, fail)
  local places = {}
  for k, column in ipairs(columns) do
    local at = column < 0 and n + 1 + column or column
    if at < 1 or at > n then
      fail(("use_cols selects column %d, but the line has %d column%s"):format(column, n, n == 1 and "" or "s"))
    end
    places[k] = at
  end
  return places
end

-- What may be amiss if a word is not a number: the delimiter, or the line, if it is the first one with words.
local function hint(word, delimiter, first)
  local other = not delimiter and word:match "^[^,;|]+([,;|])"
  if other then return ("; pass delimiter = '%s' if that separates the columns"):format(other) end
  return first and ("; pass skip_rows = %d if the line is a header"):format(first) or ""
end

local function read(what, path, file, o)
  local dtype = o.dtype == nil and dtypes.float64 or dtypes._of(what, o.dtype)
  local parse, check = parsers[dtype.kind], dtype._check
  if not parse then refuse(what, ("a dtype of numbers is needed, got %s"):format(dtype.name)) end
  local comments, skip = comments_of(what, o.comments), count(what, o, "skip_rows", 0) or 0
  local most, ndmin = count(what, o, "max_rows", 0) or math.huge, count(what, o, "ndmin", 0, 2) or 0
  if o.delimiter ~= nil and (type(o.delimiter) ~= "string" or o.delimiter == "") then
    refuse(what, "delimiter must be a string, not an empty one, got " .. errors.text(o.delimiter))
  end
  local columns = o.use_cols ~= nil and layout.integers(what, "use_cols", o.use_cols, -2 ^ 31) or nil
  local words = {}
  local split, out = splitter(o.delimiter, words), collector(dtype)
  local number, rows, width, first, places = 0, 0, nil, nil, nil
  local function fail(text) refuse(what, ("%s, line %d: %s"):format(path, number, text)) end
  for line in file:lines() do
    if rows >= most then break end
    number = number + 1
    pace(#line)
    if number == 1 then line = line:gsub("^\239\187\191", "") end -- a byte order mark
    local n = number > skip and split(without(line, comments)) or 0
    if n > 0 then
      if not columns and width and n ~= width then
        fail(("%d column%s, line %d has %d"):format(n, n == 1 and "" or "s", first, width))
      end
      if not width or n ~= width then places = columns and places_of(columns, n, fail) end
      width, first = n, first or number
      for k = 1, places and #places or n do
        local column = places and places[k] or k
        local word = words[column]
        local x, why = parse(word), nil
        if x ~= nil then x, why = check(x) end
        if x == nil then
          fail(("column %d: %s is not %s%s"):format(column, errors.text(word), nouns[dtype.kind],
            why and " of " .. dtype.name .. ": " .. why or hint(word, o.delimiter, rows == 0 and number)))
        end
        out.add(x)
      end
      rows = rows + 1
    end
  end
  return out.array(what, shape_of(rows, columns and #columns or width or 0, ndmin))
end

---Reads numbers from a text file, as NumPy's loadtxt. Each line is a row; blank lines and comments are skipped. Axes of
---one element are removed, so one column gives a 1-D array. A file without numbers gives an array of shape (0,).
---@param path string  the file
---@param options? {dtype: any, delimiter: string, comments: string|string[]|false, skip_rows: integer, use_cols:
---  integer|integer[], max_rows: integer, ndmin: 0|1|2}  dtype: default float64; integers must be written as integers.
---  delimiter: between values, default white space. comments: what begins a comment, default "#"; false: no comments.
---  skip_rows: the number of lines to skip first, default 0. use_cols: the columns to read, from 1; negative numbers
---  count from the last. max_rows: the maximum number of rows to read. ndmin: the minimum number of axes of the array,
---  default 0
---@return cudalua.ndarray.Array
---@raise RuntimeError if the file cannot be opened; LogicError that names file, line, column and value if a word is not
---  a number of the dtype or a line has another number of columns
function M.loadtxt(path, options)
  local what = "io.loadtxt"
  local o = errors.options(what, options, known)
  local file = whole.open(what, path)
  local ok, result = pcall(read, what, path, file, o)
  file:close()
  if not ok then error(result, 0) end
  return result
end

return M
