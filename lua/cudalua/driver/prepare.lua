-- Prepared calls: the formats of fn:prepare(), and calls that are timed. The calls themselves are in
-- src/cudalua/launch/prepare.c.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua.Function
local Function = core.classes.Function

-- Characters of Python's struct module in its native form, and PyCUDA's F and D: type, bytes, as C writes it.
local characters = {
  ["?"] = { "bool", 1, "bool" }, b = { "int8", 1, "signed char" }, B = { "uint8", 1, "unsigned char" },
  c = { "int8", 1, "char" }, h = { "int16", 2, "short" }, H = { "uint16", 2, "unsigned short" },
  i = { "int32", 4, "int" }, I = { "uint32", 4, "unsigned int" }, l = { "int64", 8, "long" },
  L = { "uint64", 8, "unsigned long" }, q = { "int64", 8, "long long" }, Q = { "uint64", 8, "unsigned long long" },
  n = { "int64", 8, "ssize_t" }, N = { "uint64", 8, "size_t" }, e = { "float16", 2, "half" },
  f = { "float32", 4, "float" }, d = { "float64", 8, "double" }, P = { "pointer", 8, "void *" },
  F = { "bytes", 8, "complex float" }, D = { "bytes", 16, "complex double" },
}
local why_not = {
  x = "the kernel defines its parameter offsets; omit padding",
  p = "kernels cannot take Pascal strings",
  ["="] = "the device sets the byte order and alignment", ["<"] = "the device sets the byte order and alignment",
  [">"] = "the device sets the byte order and alignment", ["!"] = "the device sets the byte order and alignment",
}

local function refuse(text, ...) errors.raise("LogicError", "prepare: " .. text:format(...)) end

local Types = {}
Types.__index = Types

function Types:add(type, size, text)
  local i = #self.types + 1
  self.types[i], self.sizes[i], self.texts[i] = type, size, text
end

local MOST = 4096 -- parameters, far beyond what a kernel can have

-- "PPif", "3i2f", "8s": a number in front repeats, or is the size of s.
local function add_format(types, format)
  local first, at = format:match "^%s*()@?()"
  if at == first then at = first end
  while true do
    local count, c, after = format:match("^%s*(%d*)(.?)()", at)
    if c == "" then
      if count ~= "" then refuse("a number ends the format %q", format) end
      return
    end
    local row, n = characters[c], count == "" and 1 or tonumber(count)
    if n < 1 or n > MOST then refuse("%s%s in the format %q: the number is out of range", count, c, format) end
    if c == "s" then
      types:add("bytes", n, ("char[%d]"):format(n))
    elseif row then
      for _ = 1, n do types:add(row[1], row[2], row[3]) end
    else
      refuse("%q in the format %q: %s", c, format, why_not[c] or "unknown type")
    end
    at = after
  end
end

local function add_list(types, list)
  local typename = require "cudalua.types.typename"
  local n = 0
  for key in pairs_of(list) do
    if type(key) ~= "number" then refuse("expected a list of types, got the key %s", errors.text(key)) end
    n = n + 1
  end
  for i = 1, n do
    local x = list[i]
    if x == nil then refuse "expected a list of types without holes" end
    if type(x) == "string" and #x == 1 then
      add_format(types, x)
    else
      local p = typename.of_type(("prepare: type %d"):format(i), x)
      types:add(p.type, p.size, p.text)
    end
  end
end

local known_options = { block = true, shared = true, texrefs = true }

---Sets the types of the parameters and the shape of the block for prepared_call(). If the kernel's own signature is
---known, the types must agree with it, and it determines how values are checked. Otherwise the types become its
---signature, for fn(...) too. PyCUDA's Function.prepare.
---@param arg_types string|any[]  a string with characters of Python's struct module ("PPif", native sizes; F and D are
---  complex float and double, 8s is 8 bytes), or a list of types: such a character, a type as in C ("float *",
---  "unsigned int"), a dtype ("int32"), an FFI ctype, or a table with the field bytes
---@param options? {block: integer|integer[], shared: integer, texrefs: table}  block: the threads; default: as set by
---  set_block_shape(), or else an argument of prepared_call(); shared: dynamic shared memory in bytes; texrefs: a list
---  of texture references of the kernel's module, which are checked
---@return cudalua.Function self
---@raise LogicError for types that the parameters cannot have, invalid formats and options
function Function:prepare(arg_types, options)
  options = errors.options("prepare", options, known_options)
  local types = setmetatable({ types = {}, sizes = {}, texts = {} }, Types)
  if type(arg_types) == "string" then
    add_format(types, arg_types)
  elseif type(arg_types) == "table" and not getmetatable(arg_types) then
    add_list(types, arg_types)
  else
    refuse("expected a format (\"PPif\") or a list of types, got %s%s", errors.text(arg_types),
      arg_types == nil and "; call the method with a colon: f:prepare(types)" or "")
  end
  local texrefs = options.texrefs
  if texrefs ~= nil then
    require("cudalua.driver.texref").check("prepare: option texrefs", core.module_table(self), texrefs)
  end
  core.function_prepare(self, types.types, types.sizes, types.texts, options.block, options.shared)
  return self
end

---Runs a prepared call between two events.
---@param grid integer|integer[]  blocks in the grid: up to 3 extents
---@param ... any                 as for prepared_call
---@return fun(): number  returns the seconds that the kernel took on the device; waits for its end
---@raise LogicError, LaunchError as prepared_call
function Function:prepared_timed_call(grid, ...)
  Function.name(self) -- raises for what is no kernel, before anything is recorded
  local start, stop = core.event(), core.event()
  start:record()
  self:prepared_call(grid, ...)
  stop:record()
  return function()
    stop:synchronize()
    return stop:time_since(start) * 1e-3
  end
end

-- LuaJIT compiles this into the loops that call methods; a function in C would end their traces.
local rawget = rawget
local other_fields
other_fields = core.on_function_index(function(fn, name)
  local method = rawget(Function, name)
  if method ~= nil then return method end
  return other_fields(fn, name)
end)
