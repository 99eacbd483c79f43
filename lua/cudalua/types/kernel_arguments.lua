-- Arguments of kernels that are generated: "const float *x" as an object that knows its dtype, its name and how C
-- declares it.

local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
local typename = require "cudalua.types.typename"
local types = require "cudalua.types.c_names"

---@class cudalua.tools
local M = {}

-- What getmetatable says of an argument.
local TAG = "cudalua.tools.Arg"

---An argument of a kernel. Read-only.
---@class cudalua.tools.Arg
---@field name string  the name of the parameter
---@field dtype cudalua.dtype.DType  the dtype of the value, or of an element
---@field is_vector boolean          true: a pointer to elements
---@field is_const boolean  true: its type begins with "const", so the kernel does not write the elements
---@field ctype string               the type of the value or of an element in CUDA C
local Arg = names.strict({}, { text = "an argument" })

---Returns the declaration of the argument in C.
---@return string  "const float *x"
function Arg:declarator()
  if getmetatable(self) ~= TAG then
    errors.raise("LogicError", "Arg:declarator: expected an argument, got " .. errors.text(self))
  end
  return (self.is_const and "const " or "") .. self.ctype .. (self.is_vector and " *" or " ") .. self.name
end

-- `text`: the declaration that it was made from, for those who generate sources in which its types are used.
local function new(dtype, name, is_vector, is_const, text)
  local fields = { name = name, dtype = dtype, is_vector = is_vector, is_const = is_const,
    ctype = types.dtype_to_ctype(dtype), _text = text }
  local arg = setmetatable({}, {
    __index = function(_, key)
      local value = fields[key]
      if value == nil then return Arg[key] end
      return value
    end,
    __newindex = function(_, key)
      errors.raise("LogicError", ("argument %s: cannot set %s: it is read-only"):format(name, errors.text(key)))
    end,
    __tostring = function(self) return self:declarator() end,
    __concat = function(a, b) return tostring(a) .. tostring(b) end,
    __metatable = TAG,
  })
  return arg
end

---Returns true if x is an argument of this module.
---@param x any  any value
---@return boolean
function M.is_arg(x) return type(x) == "table" and getmetatable(x) == TAG end

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

local function check_name(where, name)
  local why = typename.not_an_identifier(name)
  if why then refuse(where, "%s is not a valid argument name: %s", errors.text(name), why) end
  return name
end

local function made(where, dtype, name, options, is_vector)
  local dt, why = dtypes._find(dtype)
  if not dt then refuse(where, "%s", why) end
  check_name(where, name)
  options = errors.options(where, options, { const = true })
  if options.const ~= nil and type(options.const) ~= "boolean" then
    refuse(where, "const must be true or false, got %s", errors.text(options.const))
  end
  return new(dt, name, is_vector, options.const == true)
end

---An argument that is a pointer to elements.
---@param dtype any    as for dtype.of
---@param name string  the name of the parameter
---@param options? {const: boolean}  const: the kernel does not write the elements; default false
---@return cudalua.tools.Arg
---@raise LogicError if the dtype does not exist or does not have a name in C, or if the name is not valid
function M.VectorArg(dtype, name, options) return made("tools.VectorArg", dtype, name, options, true) end

---An argument that is a single value.
---@param dtype any    as for dtype.of
---@param name string  the name of the parameter
---@param options? {const: boolean}  const: as in C; default false
---@return cudalua.tools.Arg
---@raise LogicError as VectorArg
function M.ScalarArg(dtype, name, options) return made("tools.ScalarArg", dtype, name, options, false) end

local function parsed(where, text)
  local d, why = typename.declaration(text)
  if not d then refuse(where, "%s: %s", errors.text(text), why) end
  check_name(where, d.name)
  return new(d.dtype, d.name, d.is_vector, d.is_const, text)
end

---Returns the argument that a declaration in C describes.
---@param c_arg string  "const float *x", "unsigned int n", "float4 *v", "particle p"
---@return cudalua.tools.Arg
---@raise LogicError that names the declaration and the problem
function M.parse_c_arg(c_arg)
  local where = "tools.parse_c_arg"
  if type(c_arg) ~= "string" then
    refuse(where, "expected a declaration, such as 'const float *x', got %s", errors.text(c_arg))
  end
  return parsed(where, c_arg:match "^%s*(.-)%s*$")
end

-- "a, b<c, d>, e" at its commas, but for those inside of brackets.
local function split(text)
  local parts, depth, from = {}, 0, 1
  for at, c in text:gmatch "()([,<>%(%)])" do
    if c == "<" or c == "(" then
      depth = depth + 1
    elseif c ~= "," then
      depth = depth - 1
    elseif depth == 0 then
      parts[#parts + 1] = text:sub(from, at - 1)
      from = at + 1
    end
  end
  parts[#parts + 1] = text:sub(from)
  return parts
end

local MAX_ARGUMENTS = 1024 -- more than a kernel can have

---Returns the arguments of a kernel from a list of declarations, as for ElementwiseKernel.
---@param arguments string|any[]  "float a, const float *x, unsigned int n", or a list of declarations and arguments
---@return cudalua.tools.Arg[]
---@raise LogicError that names the argument and the problem, for duplicate names and for an empty list
function M.parse_arguments(arguments)
  local where = "tools.parse_arguments"
  local list = arguments
  if type(arguments) == "string" then
    list = arguments:find "%S" and split(arguments) or {}
  elseif type(arguments) ~= "table" or getmetatable(arguments) then
    refuse(where, "expected declarations, such as 'float a, const float *x', or a list, got %s",
      errors.text(arguments))
  end
  local n, args, seen = 0, {}, {}
  for key in pairs_of(list) do
    if type(key) ~= "number" then refuse(where, "expected a list, but it has the field %s", errors.text(key)) end
    n = n + 1
  end
  if n == 0 then refuse(where, "the list of arguments is empty") end
  if n > MAX_ARGUMENTS then refuse(where, "%d arguments are more than a kernel can have", n) end
  for i = 1, n do
    local x, each = list[i], ("%s: argument %d"):format(where, i)
    if type(x) == "string" then
      x = x:match "^%s*(.-)%s*$"
      if x == "" then refuse(each, "the text between two commas is empty") end
      x = parsed(each, x)
    elseif not M.is_arg(x) then
      refuse(each, "expected a declaration, such as 'const float *x', or an argument, got %s", errors.text(x))
    end
    if seen[x.name] then refuse(each, "'%s' has the same name as argument %d", x:declarator(), seen[x.name]) end
    seen[x.name], args[i] = i, x
  end
  return args
end

M.Arg = Arg

return M
