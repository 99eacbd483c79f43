-- What to write in place of chunks that compile, and do not do what other languages do: `a > 1`, `x = None`,
-- `a.shape[0]`, `normal(0, 1, 10)`.

-- Taken now, as in all of the prompt: what is typed may put anything in their place.
local find, format, gmatch, match = string.find, string.format, string.gmatch, string.match
local getmetatable, loaded, pcall, rawget, require, tonumber, type = debug.getmetatable, package.loaded, pcall, rawget,
  require, tonumber, type

local foreign = require "cudalua.prompt.foreign"
local hooks = require "cudalua.base.hooks"
local lexer = require "cudalua.prompt.lexer"
local pairs_of = require "cudalua.base.pairs_of"

local code, code_line = foreign.code, foreign.code_line

local M = {}

-- ---- variables ------------------------------------------------------------------------------------------------------

-- The value of a variable, without functions that a program has put behind its globals.
local function value_of(session, name)
  if session.cells[name] then return session:locals()[name] end
  local own = rawget(session.env, name)
  if own == nil then own = rawget(session.globals, name) end
  return own
end

local function tag_of(value)
  local mt = type(value) == "table" and getmetatable(value)
  return type(mt) == "table" and rawget(mt, "__metatable")
end

local function is_array(value) return tag_of(value) == "cudalua.gpuarray" end

local function is_any_array(value) return is_array(value) or tag_of(value) == "cudalua.ndarray" end

-- ---- comparisons ----------------------------------------------------------------------------------------------------

local methods = { ["<"] = "lt", ["<="] = "le", [">"] = "gt", [">="] = "ge", ["=="] = "eq", ["~="] = "ne" }
local reversed = { ["<"] = ">", ["<="] = ">=", [">"] = "<", [">="] = "<=" }

-- The comparison of an array and a number was an error.
local function order_advice(text, err)
  local pair = match(err, "attempt to compare (%l+ with %l+)$")
  if pair ~= "number with table" and pair ~= "table with number" then return nil end
  local line = code_line(text, tonumber(match(err, "^stdin:(%d+):")))
  local name, sign, number = match(line, "([%a_][%w_.]*)%s*([<>]=?)%s*(%-?%.?%d[%w.]*)")
  if not name then
    number, sign, name = match(line, "(%-?%.?%d[%w.]*)%s*([<>]=?)%s*([%a_][%w_.]*)")
    sign = reversed[sign]
  end
  return "an array is compared element by element by a method: " ..
    (name and format("%s:%s(%s)", name, methods[sign], number) or "a:gt(1), a:lt(1), a:eq(1)")
end

local of_numbers = { get = true, item = true, len = true }

-- == and ~= raise no error, because an array is never equal to a number.
local function equality_advice(session, text)
  local owner, method, call, is, value = match(text,
    "^%s*=?%s*([%a_][%w_]*):([%w_]+)(%b())%s*([=~]=)%s*(%S+)%s*$")
  if owner and tonumber(value) and is_array(value_of(session, owner)) and not of_numbers[method] then
    return format("an array is never equal to a number: write %s:%s%s:item() %s %s", owner, method, call, is, value)
  end
  local name, sign, number = match(text, "^%s*=?%s*([%a_][%w_]*)%s*([=~]=)%s*(%S+)%s*$")
  if not (name and tonumber(number) and is_array(value_of(session, name))) then return nil end
  return format("%s does not compare elements: write %s:%s(%s)", sign, name, methods[sign], number)
end

-- Nor is a dtype ever equal to its name.
local function dtype_advice(session, text)
  local name, sign, quote, dtype = match(text, "([%a_][%w_]*)%.dtype%s*([=~]=)%s*([\"'])(%w+)%3")
  if not name or not find(code(text), '%.dtype%s*[=~]=%s*"') then return nil end
  if not is_any_array(value_of(session, name)) then return nil end
  return format("a dtype is not a string: write %s.dtype.name %s %s%s%s", name, sign, quote, dtype, quote)
end

-- ---- names ----------------------------------------------------------------------------------------------------------

local other_libraries = 'cuda.gpuarray has the functions of NumPy, and help "np.zeros" finds the name of one'

-- Values of other languages. A variable that has no value is nil here, and no error.
local values = { None = "nil", True = "true", False = "false", null = "nil", NULL = "nil", nullptr = "nil",
  newaxis = "gpuarray.newaxis inserts an axis" }

-- Their modules and functions.
local words = {
  len = "write #t for the length of a list, a.size for an array's number of elements, and a.shape[1] for an extent",
  range = "a loop is written for i = 1, 10 do ... end, and cuda.gpuarray.arange(10) makes an array",
  np = other_libraries, numpy = other_libraries, cp = other_libraries, cupy = other_libraries, torch = other_libraries,
  str = "write tostring(x)", int = 'write math.floor(x) for a number, and a:astype "int32" for an array',
  float = 'write tonumber(x) for a string, and a:astype "float32" for an array',
  list = "write a:tolist() for an array", enumerate = "a loop is written for i, x in ipairs(t) do ... end",
  printf = 'write print(("%d"):format(x))', isinstance = 'write type(x) == "table"',
}

-- Is a token an item of an index, a[{ {}, None }]?
local function in_index(tokens, i)
  local depth = 0
  for k = i - 1, 2, -1 do
    local word = tokens[k].word
    if find(word, "^[%]})]$") then depth = depth + 1 end
    if find(word, "^[%[{(]$") then
      if depth == 0 then return word == "{" and tokens[k - 1].word == "[" end
      depth = depth - 1
    end
  end
  return false
end

-- A value of another language that the chunk uses as a variable.
local function value_advice(session, text, names)
  local tokens
  for name, here in pairs_of(values) do
    if names[name] and value_of(session, name) == nil then
      tokens = tokens or lexer.tokens(text)
      for i, token in pairs_of(tokens) do
        local before, behind = tokens[i - 1], tokens[i + 1]
        if token.word == name and not (before and find(before.word, "^[.:]$")) and
            not (behind and behind.word == "=") then
          if name == "newaxis" then return format("%s has no value; %s", name, here) end
          return format("%s has no value; %s", name, here == "nil" and in_index(tokens, i) and
            "in an index, gpuarray.newaxis inserts an axis" or "Lua writes " .. here)
        end
      end
    end
  end
end

local fields = { size = true, shape = true, ndim = true, strides = true, nbytes = true, T = true }

-- A name that was called or indexed, but is nil or not a function.
local function name_advice(err)
  local name = match(err, "attempt to %l+ global '([%w_]+)' %(a nil value%)$")
  if name and words[name] then return words[name] end
  if name and loaded.cudalua then
    local ok, place = pcall(hooks.elsewhere, { kind = "cuda", text = "cuda" }, name)
    if ok then return place end
  end
  if find(err, "attempt to call field 'append' (a nil value)", 1, true) then return "write table.insert(t, x)" end
  local field, kind = match(err, "attempt to call %l+ '([%w_]+)' %(a (%l+) value%)$")
  if kind ~= "nil" and fields[field] then return format("%s is a field, written without parentheses", field) end
end

---What to write in place of a chunk that raised an error.
---@param text string  the chunk
---@param err any
---@return string?
function M.of_error(text, err)
  if type(err) ~= "string" then return nil end
  if find(err, "call global 'f' (a nil value)", 1, true) and find(text, "%f[%w_]f[\"']") then
    return 'a formatted string is written ("%d %g"):format(n, x)'
  end
  if find(text, "^%s*#%s+%a") and find(err, "get length of", 1, true) then return "a comment begins with --" end
  return loaded["cudalua.gpuarray"] and order_advice(text, err) or name_advice(err)
end

-- ---- results --------------------------------------------------------------------------------------------------------

local shape_first = {}
for name in gmatch("rand uniform normal log_normal exponential gamma beta poisson binomial integers", "%S+") do
  shape_first[name] = true
end

-- NumPy's functions take the shape last, which makes an empty array of `normal(0, 1, 10)`.
local function random_advice(text)
  if not (loaded["cudalua.random"] and find(text, "(0", 1, true)) then return nil end
  for name in gmatch(code(text), "[.:]([%l_]+)%s*%(%s*0%s*,") do
    if shape_first[name] then
      return format("the shape is the first argument of %s, and 0 makes an empty array: write %s({ 2, 3 }, ...)", name,
        name)
    end
  end
end

-- In LuaJIT, # and ipairs() do not use the methods of an array.
local function length_advice(session, text)
  local name, part = match(code(text), "#%s*([%a_][%w_]*)%s*([.:%[(]?)")
  if part == "" and is_array(value_of(session, name)) then
    return format("# is always 0 for an array: write %s:len() or %s.size", name, name)
  end
  name = match(code(text), "%f[%w_]ipairs%s*%(%s*([%a_][%w_]*)%s*%)")
  if name and is_array(value_of(session, name)) then
    return format("ipairs finds nothing in an array: write ipairs(%s:tolist())", name)
  end
  if find(text, "%[%[[%d%s.,-]*%]%s*,%s*%[") then
    return "[[ begins a string; nested lists are written { { 1, 2 }, { 3, 4 } }"
  end
end

local function shape_advice(session, text)
  local name = match(code(text), "([%a_][%w_]*)%.shape%s*%[%s*0%s*%]")
  if name and is_any_array(value_of(session, name)) then
    return format("positions start at 1: %s.shape[1] is the first extent", name)
  end
end

-- A method that was not called: `x.real`.
local function method_advice(session, text, value)
  local owner, name = match(code(text), "^%s*=?%s*(.-)%.([%a_][%w_]*)%s*$")
  local object = type(value) == "function" and name and loaded["cudalua.gpuarray.core.object"]
  if not object or rawget(object.Array, name) ~= value then return nil end
  local variable = find(owner, "^[%a_][%w_]*$")
  if variable and not is_array(value_of(session, owner)) then return nil end
  if not variable and not find(owner, "[%])]$") then return nil end
  return format("%s is a method of arrays: call %s:%s()", name, variable and owner or "a", name)
end

---What to write in place of a chunk that ran, and may not have done what was meant.
---@param session cudalua.prompt.Session
---@param text string                    the chunk
---@param names table<string, boolean>  that it has
---@param ... any                        what it printed
---@return string?
function M.of_result(session, text, names, ...)
  local value = ...
  return type(value) == "boolean" and equality_advice(session, text)
    or names.dtype and dtype_advice(session, text) or names.shape and shape_advice(session, text)
    or value_advice(session, text, names) or length_advice(session, text) or random_advice(text)
    or method_advice(session, text, value)
end

return M
