-- Functions: finding them with their signatures, and what of their methods is written in Lua.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

---@class cudalua.Function
local Function = core.classes.Function
---@class cudalua.Module
local Module = core.classes.Module

-- Sources of a kernel's types, from the weakest. Each has to fit what the ones before it know.
local rank = { nowhere = 0, driver = 1, PTX = 2, ["mangled name"] = 3, compiler = 4, args = 5 }

local ptx_of = setmetatable({}, { __mode = "k" }) -- by Module and Function: its text

---Keeps what an image tells of its kernels.
---@param mod cudalua.Module
---@param image string
---@return cudalua.Module mod
function M.remember_image(mod, image)
  if require("cudalua.types.ptx").is_ptx(image) then ptx_of[mod] = image end
  return mod
end

-- By Module and Function: the CUDA C that it was compiled from, a string of the program's, or a list of such.
local sources = setmetatable({}, { __mode = "k" })

-- By Module and Function: the program's line that compiled it, "script.lua:12".
local places = setmetatable({}, { __mode = "k" })

-- By Module and Function: how that was compiled.
local compile_options = setmetatable({}, { __mode = "k" })

---Keeps what a module was compiled from, for its functions.
---@param mod cudalua.Module
---@param source string|string[]
---@param opts? cudalua.CompileOptions  how
function M.remember_source(mod, source, opts)
  sources[mod], places[mod] = source, core.here()
  if not opts then return end
  local copy = {} -- the table is the program's
  for key, value in pairs_of(opts) do copy[key] = value end
  compile_options[mod] = copy
end

local MAKER = {} -- a key of what a module and its functions share

---Keeps how to get what a kernel was compiled from, for kernels whose text is not kept. It may refer to the kernel.
---@param fn cudalua.Function
---@param maker fun(): source: string, opts: cudalua.CompileOptions
---@return cudalua.Function fn
function M.remember_maker(fn, maker)
  core.module_table(fn)[MAKER] = maker
  return fn
end

---What a kernel can be compiled from once more.
---@param fn cudalua.Function
---@return {source: string?, opts: cudalua.CompileOptions?, ptx: string?}
function M.origin(fn)
  local maker = core.module_table(fn)[MAKER]
  if maker then
    local source, opts = maker()
    return { source = source, opts = opts }
  end
  local opts = compile_options[fn]
  return { source = opts and sources[fn], opts = opts, ptx = ptx_of[fn] }
end

---What a module or a function was compiled from.
---@param x cudalua.Module|cudalua.Function
---@return string?  CUDA C; nil: it came as an image
function M.source_of(x)
  local source = sources[x]
  return type(source) == "table" and table.concat(source, "\n") or source
end

---Sets a function's signature from one of the sources. Where it contradicts what is known, it is left as it is, with a
---warning for Function:signature().
---@param fn cudalua.Function
---@param params cudalua.Param[]?  nil: this source knows nothing
---@param source string            "PTX", "mangled name", "compiler" or "args"
---@return boolean taken
---@return string? why             not
function M.apply(fn, params, source)
  if not params then return false end
  local natural = require("cudalua.types.typename").sizes
  local types, texts, sizes, offsets, at = {}, {}, {}, {}, 0
  for i, p in ipairs(params) do
    local size = p.size or natural[p.type]
    local align = p.align or natural[p.type]
    types[i], texts[i], sizes[i] = p.type, p.text, size
    at = at and align and math.ceil(at / align) * align
    offsets[i] = at
    at = at and size and at + size
  end
  return core.function_set_signature(fn, types, texts, source, sizes, offsets)
end

local get_function = Module.get_function
local options_of_function = { args = true }

---What a kernel was compiled from, by its handle. nil: no live module or function has it.
---@param handle string   as the software device reports it
---@param number? integer  of a parameter
---@return string? place  the program's line that compiled it; nil: it is not known
---@return string|string[]? source
---@return cudalua.CompileOptions? opts
---@return string? parameter  as the source declares it
function M.of_handle(handle, number)
  for x in pairs_of(sources) do
    local found, parameter = core.has_function(x, handle, number)
    if found then return places[x], sources[x], compile_options[x], parameter end
  end
end

-- Applies what is told by the user, the compiler (params), the symbol and the PTX, the weakest first.
local function sign(mod, fn, name, args, params)
  local known = rank[(core.function_source(fn))]
  local ptx = ptx_of[mod]
  if ptx and known < rank.PTX then M.apply(fn, require("cudalua.types.ptx").params(ptx, name), "PTX") end
  if known < rank["mangled name"] and name:sub(1, 2) == "_Z" then
    M.apply(fn, require("cudalua.types.signature").of_symbol(name), "mangled name")
  end
  if params and known < rank.compiler then M.apply(fn, params, "compiler") end
  if args ~= nil then
    local ok, why = M.apply(fn, require("cudalua.types.typename").of_args("get_function: args", args), "args")
    if not ok then errors.raise("LogicError", ("get_function: args of %s: %s"):format(name, why), { kernel = name }) end
  end
  return fn
end

---A kernel with its signature.
---@param mod cudalua.Module
---@param name string
---@param opts? {args: any[]}
---@param params? cudalua.Param[]  what the compiler said of its parameters
---@return cudalua.Function
function M.find(mod, name, opts, params)
  local fn = get_function(mod, name)
  sources[fn], compile_options[fn], ptx_of[fn] = sources[mod], compile_options[mod], ptx_of[mod]
  places[fn] = places[mod]
  return sign(mod, fn, name, errors.options("get_function", opts, options_of_function).args, params)
end

---cuModuleGetFunction: returns a kernel of the module.
---@param name string  the name of the kernel
---@param opts? {args: any[]}  args: the types of its parameters, if they are not known otherwise: as in C ("float *",
---  "unsigned int"), dtypes ("int32"), FFI ctypes, {bytes = 24, align = 8}
---@return cudalua.Function  the same object each time
---@raise LogicError (500) that lists the module's kernels; LogicError for args that the kernel does not have
function Module:get_function(name, opts) return M.find(self, name, opts) end

---Returns the kernel's C signature: "void add(float *dest, const float *a, int n)".
---@return string
---@return {source: string, warnings: string[], params: table[]?} about  source: the origin of the types, "args" of
---  get_function(), the "compiler", a "mangled name", "PTX" or the "driver", which knows only sizes; "nowhere" with
---  drivers before 12.4; warnings: contradictions between the sources; params: of each type, size, offset and text
---@raise LogicError if it is closed
function Function:signature()
  local params = core.function_params(self)
  local source, lines = core.function_source(self)
  local warnings, texts = {}, {}
  for line in (lines or ""):gmatch "[^\n]+" do warnings[#warnings + 1] = line end
  for i, p in ipairs(params or {}) do texts[i] = p.text end
  local name = require("cudalua.types.signature").name_of_symbol(self:name()) or self:name()
  local list = params and table.concat(texts, ", ") or "..."
  return ("void %s(%s)"):format(name, list), { source = source, warnings = warnings, params = params }
end

local options_of_suggestion = { shared = true, limit = true }

local function whole(where, name, x, low, high)
  if type(x) ~= "number" or not (x >= low and x <= high and x == math.floor(x)) then
    errors.raise("LogicError", ("%s: %s must be an integer from %d to %d, got %s"):format(where, name, low, high,
      errors.text(x)))
  end
  return x
end

-- The block with the most threads on an SM, and of such the largest; as the driver looks for it, whose callback for
-- the shared memory cannot be a Lua function.
local function try_blocks(fn, shared, limit)
  local most, warp, sms = core.function_extents(fn)
  local best, block, grid = 0, 0, 0
  if limit > 0 then most = math.min(most, limit) end
  for n = math.ceil(most / warp) * warp, 1, -warp do
    n = math.min(n, most)
    local bytes = whole("suggest_block", ("shared(%d)"):format(n), shared(n), 0, 2 ^ 32 - 1)
    local blocks = fn:max_active_blocks(n, bytes)
    if blocks * n > best then best, block, grid = blocks * n, n, blocks * sms end
  end
  return block, grid
end

---cuOccupancyMaxPotentialBlockSize: returns the block size with the highest occupancy.
---@param options? {shared: integer|fun(threads: integer): integer, limit: integer}  shared: the dynamic shared memory
---  of a block in bytes, or a function that returns it for a number of threads; limit: the maximum number of threads in
---  a block
---@return integer block    the number of threads
---@return integer min_grid  the smallest number of blocks that fills the device
---@raise LaunchError if no block fits, LogicError for invalid options and if its context is not current
function Function:suggest_block(options)
  options = errors.options("suggest_block", options, options_of_suggestion)
  local shared = options.shared or 0
  local limit = options.limit and whole("suggest_block", "limit", options.limit, 1, 2 ^ 31 - 1) or 0
  local block, grid
  if type(shared) == "function" then
    block, grid = try_blocks(self, shared, limit)
  else
    block, grid = core.function_suggest(self, whole("suggest_block", "shared", shared, 0, 2 ^ 32 - 1), limit)
  end
  if block == 0 then
    errors.raise("LaunchError", ("%s: no block fits an SM with that much shared memory"):format(self:name()),
      { kernel = self:name() })
  end
  return block, grid
end

return M
