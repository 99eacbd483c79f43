-- The error classes. Every error of this library is a table of one of them:
--   Error > LogicError, MemoryError, LaunchError, RuntimeError, CompileError, InterruptError
--   RuntimeError > LinAlgError
-- They are built in src/cudalua/base/error.c; here they get their methods.

local core = require "cudalua.core"
local pairs_of = require "cudalua.base.pairs_of"
local ffi = require "ffi"

local M = {}
for name, class in pairs_of(core.errors) do M[name] = class end

---@class cudalua.Error
---@field class string  the name of the class: "LogicError", ...
---@field message string  the message, one sentence
---@field code integer?  the CUresult, if the driver reported the error
---@field name string?          "CUDA_ERROR_INVALID_VALUE"
---@field call string?  the driver function that reported it
---@field kernel string?  the kernel: the launched one, the one that failed, or if that is not known the one that was
---  launched last
---@field arg integer?  the number of the rejected kernel argument, from 1
---@field param string?  the declaration of its parameter: "int n"
---@field detail string?  the driver's own explanation
---@field hint string?          what to do next
---@field log string?  the log of the compiler or the JIT
---@field source string?  the source that did not compile
---@field excerpt string?  the lines of the source around the first error, or around a kernel's fault on the software
---  device, with a mark
---@field sticky boolean?  true: every later call on the device fails, and the process must restart
---@field requested number?  MemoryError: requested bytes
---@field free number?  MemoryError: free bytes on the device
---@field total number?  MemoryError: bytes of device memory
---@field live number?  MemoryError: bytes of device memory in use by objects of this program
---@field pooled number?  MemoryError: bytes that pools hold for later use
---@field queued number?  MemoryError: bytes that were collected and are not freed yet
---@field rank integer?  cuda.distributed: the rank that failed, or that refused the call
---@field matrix integer[]?  LinAlgError: the position of the first matrix that failed, in a batch
---@field pivot integer?  LinAlgError: the number of its pivot that is 0, or the order of its leading minor that is not
---  positive; nil without convergence
---@field matrices {matrix: integer[]?, pivot: integer?}[]?  LinAlgError: all matrices that failed
---@field expression string[]?  for arrays: the computed operations, with the lines that wrote them
---@field where string?         "script.lua:12", the caller's line
---@field traceback string  the stack at the time of the error
local Error = M.Error

---Returns true if the error has this class or one of its subclasses.
---@param class table|string  a class, such as cuda.MemoryError, or its name
---@return boolean
function Error:is(class)
  local c = getmetatable(self)
  while c do
    if c == class or c.class == class then return true end
    c = (getmetatable(c) or {}).__index
  end
  return false
end

-- A log as it is shown: the first errors matter most, and the rest must not push them off the screen.
local MAX_LOG, MAX_LINE = 40, 400 -- lines, bytes

local function shown(log)
  local at = 0
  if #log > MAX_LOG * MAX_LINE then
    log = log:gsub("[^\n]+", function(line) return #line > MAX_LINE and line:sub(1, MAX_LINE) .. "..." or nil end)
  end
  for _ = 1, MAX_LOG do
    at = log:find("\n", at + 1, true)
    if not at then return log end
  end
  local rest = select(2, log:sub(at + 1):gsub("[^\n]+", ""))
  return rest == 0 and log or ("%s\n(%d more lines in err.log)"):format(log:sub(1, at - 1), rest)
end

local function indented(label, text) return "\n  " .. label .. ": " .. text:gsub("%s+$", ""):gsub("\n", "\n    ") end

local function tostring_error(err)
  local s = (err.where and err.where .. ": " or "") .. tostring(err.message)
  local named = err.detail and err.detail:find "^kernel %S" -- the one that failed
  if err.kernel and err.sticky and not named then s = s .. indented("last kernel launched", err.kernel) end
  if err.requested then
    s = s .. ("\n  requested %.0f bytes"):format(err.requested)
    if err.free and err.total then s = s .. ("; %.0f of %.0f are free"):format(err.free, err.total) end
  end
  if err.live then
    s = s .. ("\n  this program's objects hold %.0f bytes, pools keep %.0f, %.0f are waiting to be freed"):format(
      err.live, err.pooled, err.queued)
  end
  local told = err.log and err.detail and err.detail:find(err.log:match "^%s*(.-)%s*$", 1, true)
  if err.detail and err.detail ~= "" and not told then s = s .. indented("detail", err.detail) end
  if err.log and err.log ~= "" then s = s .. indented("log", shown(err.log)) end
  if err.excerpt then s = s .. "\n  " .. err.excerpt:gsub("\n", "\n  ") end
  if err.sticky then s = s .. "\n  this process can no longer use the device: restart the process" end
  if err.hint then s = s .. indented("hint", err.hint) end
  return s
end

local parents = { LinAlgError = M.RuntimeError } -- of others: Error

for name, class in pairs_of(core.errors) do
  class.__index = class
  class.__tostring = tostring_error
  class.__concat = function(a, b) return tostring(a) .. tostring(b) end
  class.__name = "cudalua." .. name
  if class ~= Error then setmetatable(class, { __index = parents[name] or Error }) end
end

---Is `value` an error of this library, and of that class? Safe for anything that pcall returns.
---@param value any
---@param class? table|string  a class, such as cuda.MemoryError, or its name
---@return boolean
function M.is_error(value, class)
  if type(value) ~= "table" then return false end
  local mt = getmetatable(value)
  local name = type(mt) == "table" and rawget(mt, "class")
  if not name or M[name] ~= mt then return false end
  return class == nil or value:is(class)
end

---Raises an error of this library.
---@param class string     name of the class
---@param message string   one sentence
---@param fields? table    further fields
function M.raise(class, message, fields) return core.raise(class, message, fields) end

local function passed(where, ok, ...)
  if ok then return ... end
  local err = ...
  if M.is_error(err, "LogicError") then
    err.message = where .. ": " .. (err.message:match "^%a[%w_%.:]*: (.*)$" or err.message)
  end
  error(err, 0)
end

---Calls f(...) for `where`, which is made of it: its LogicErrors ("name: text") have that name instead of their own.
---@param where string  function, for messages
---@param f function
---@param ... any
---@return any ...
function M.within(where, f, ...) return passed(where, pcall(f, ...)) end

---Is it a function, a kernel, or an object with __call?
---@param f any
---@return boolean
function M.is_callable(f)
  local t = type(f)
  if t == "function" or core.kind(f) == "Function" then return true end
  local mt = (t == "table" or t == "userdata") and getmetatable(f)
  return type(mt) == "table" and mt.__call ~= nil
end

---Raises a LogicError unless f is a function, a kernel, or an object with __call.
---@param where string  function, for the message
---@param f any
function M.check_callable(where, f)
  if not M.is_callable(f) then core.raise("LogicError", ("%s: expected a function, got %s"):format(where, type(f))) end
end

-- FFI types that have a name of their own: "struct 97" -> name.
local ctype_names = {}

---Lets messages call values of an FFI type by a name.
---@param ctype ffi.ctype*
---@param name string
function M.name_ctype(ctype, name) ctype_names[tostring(ctype):match "^ctype<(.*)>$"] = name end

local function text_of_cdata(x)
  local text = tostring(ffi.typeof(x))
  local name = ctype_names[text:gsub("^ctype<const ", "ctype<"):match "^ctype<(.-)[ &]*>$"]
  if not name then return "a cdata of " .. text end
  return (tonumber(x) and "the FFI type of " or "a ") .. name
end

-- Tables of this library, by what getmetatable says of them.
local tables = { ["cudalua.gpuarray"] = "an array", ["cudalua.ndarray"] = "a host array",
  ["cudalua.dtype"] = "a dtype", ["cudalua.sparse.Matrix"] = "a sparse matrix",
  ["cudalua.distributed.Handle"] = "a handle of a call between ranks, whose wait() returns the array",
  ["cudalua.distributed.Array"] = "a distributed array (call its methods, or pass the whole array, a:gather(), or " ..
    "its block, a.block; cuda.distributed.replicate(x) makes an operand of an ordinary array x)" }

---What a message calls a table.
---@param t table
---@return string
function M.text_of_table(t)
  local tag = getmetatable(t)
  return type(tag) == "string" and tables[tag] or "a table"
end

---What a message calls a value. Runs nothing of the value's own.
---@param x any
---@return string
function M.text(x)
  local t = type(x)
  if t == "string" then
    return #x <= 60 and not x:find "%c" and ("'%s'"):format(x) or ("a string of %d bytes"):format(#x)
  end
  if t == "number" or t == "boolean" or t == "nil" then return tostring(x) end
  if t == "cdata" then return text_of_cdata(x) end
  if t == "table" and getmetatable(x) then return M.text_of_table(x) end
  return core.kind(x) or t
end

local function index(t, key) return t[key] end

---Why a file cannot be written, for a message: io.open's reason, and what to do if its folder is missing.
---@param path string
---@param why string  what io.open returned
---@return string
function M.why_not_written(path, why)
  local folder = path:match "^(.+)/[^/]*$"
  if folder and not core.stat(folder) then return ("%s; create the folder %s first"):format(why, folder) end
  return why
end

-- In place of options it asks which ones there are (option_names.lua).
M.WHICH = {}

---The table of options that `where` was given; {} for nil. Raises a LogicError for anything else, for keys that are
---not in `known`, and if a metamethod of the table raises.
---@param where string    function, for the message
---@param options any
---@param known table<string, boolean>
---@return table
function M.options(where, options, known)
  if options == nil then return {} end
  if options == M.WHICH then error({ [M.WHICH] = known }, 0) end
  if type(options) ~= "table" or type(getmetatable(options)) == "string" then
    local guessed = require("cudalua.base.option_names").guess(known, options)
    core.raise("LogicError", ("%s: expected a table of options, got %s%s"):format(where, M.text(options),
      guessed and ("; write {%s}"):format(guessed) or ""))
  end
  for key, value in pairs_of(options) do
    if value == nil then core.raise("LogicError", ("%s: %s is a NULL pointer"):format(where, M.text(key))) end
    if not known[key] then require("cudalua.base.option_names").refuse(where, key, known, options) end
  end
  if not debug.getmetatable(options) then return options end
  local values = {}
  for name in pairs_of(known) do
    local ok, value = pcall(index, options, name)
    if not ok then
      core.raise("LogicError", ("%s: the option '%s' cannot be read: %s"):format(where, name, M.text(value)))
    end
    values[name] = value
  end
  return values
end

return M
