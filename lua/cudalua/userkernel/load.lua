-- The forms of a user's kernel: sources for arrays that lie in different ways, each made, compiled and loaded once.

local compiler = require "cudalua.compiler"
local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.driver.function"
local load = require("cudalua.compiler.load").load
local text = require "cudalua.userkernel.text"

local context_id = core.context_id

local M = {}

---A form of a kernel.
---@class cudalua.userkernel.Form
---@field source string
---@field types any[]        of the kernel's parameters, for get_function()
---@field loaded table<integer, cudalua.Function>  by context
---@field namespaced? true   the kernel is in a namespace: a function of its name outside is the user's

---The form of a kernel with this key.
---@param k table            the kernel: name, forms, texts, preamble, options, keep
---@param key string
---@param make function      make(k, ...) gives a form, without `loaded`
---@param ... any
---@return cudalua.userkernel.Form
function M.form(k, key, make, ...)
  local form = k.forms[key]
  if not form then
    form = make(k, ...)
    form.loaded = {}
    k.forms[key] = form
  end
  return form
end

local function options_of(k)
  return { options = k.options, no_extern_c = true, name = k.name .. ".cu", headers = text.headers(k), keep = k.keep }
end

local function build(k, form) return compiler.build(k.name, form.source, options_of(k)) end

-- Compiles a form; nil if the compiler refused it and `retry` says that the next form will differ.
local function built(k, form, retry)
  if not retry then return build(k, form) end
  local ok, result = pcall(build, k, form)
  if ok then return result end
  if not (errors.is_error(result, "CompileError") and retry(k)) then error(result, 0) end
end

---The function of a form in the current context.
---@param k table
---@param form cudalua.userkernel.Form
---@param retry? fun(k: table): boolean  called if the compiler refuses the source: will the next form differ?
---@return cudalua.Function?  nil: make the form again
function M.load(k, form, retry)
  local id = context_id()
  local fn = form.loaded[id]
  if fn then return fn end
  local result = built(k, form, retry)
  if not result then return nil end
  local mod
  mod, result = load(result, true)
  k.keep_dir = result.keep_dir
  -- The compiler knows no parameters if the preamble has a function of the same name.
  local params = not form.namespaced and result.params[k.name] or nil
  fn = functions.find(mod, k.name, not params and { args = form.types } or nil,
    params)
  form.loaded[id] = functions.remember_maker(fn, function() return form.source, options_of(k) end)
  return fn
end

return M
