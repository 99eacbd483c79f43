-- Where a name is that a table lacks: in another module of the library, in arrays, or under another spelling.

local names = require "cudalua.base.names"
local other_names = require "cudalua.base.other_names"

local function module(name) return require("cudalua." .. name) end

local function has(t, key) return names.get(t, key) ~= nil end

local function is_member(key)
  local object = module "gpuarray" and module "gpuarray.core.object" -- which the first one fills
  return object.Array[key] and "method" or object.properties[key] and "field"
end

-- Where programs look first, if several have it.
local modules = { "gpuarray", "ndarray", "random", "dtype", "elementwise", "reduction", "scan", "tools", "vec",
  "linalg", "fft", "sparse", "image", "io", "interop", "softgpu", "characterize", "distributed" }

-- What programs call as np.int32(3), for a kernel's argument or to store a number. A dtype cannot be called.
local function dtype_named(key)
  if not has(module "dtype", key) then return nil end
  local text = "it is cuda.dtype." .. key
  if not rawget(require "cudalua", key) then return text end
  return ("%s; write it as %q for a dtype, 3 for a kernel's argument, or cuda.%s(3) if the kernel's parameters are " ..
    "not known"):format(text, key, key)
end

local function in_modules(key, except)
  for _, name in ipairs(modules) do
    if name == "distributed" and has(require "cudalua", key) then return nil end -- random is the module
    if name == "dtype" and name ~= except and has(module(name), key) then return dtype_named(key) end
    if name ~= except and has(module(name), key) then return ("it is cuda.%s.%s"):format(name, key) end
  end
end

local function in_arrays(key)
  local member = is_member(key)
  if member then return ("it is a %s of arrays: a%s"):format(member, member == "method" and ":" .. key .. "()" or
    "." .. key) end
end

-- What programs try as methods of arrays, and what it is here.
local of_arrays = { show = "cuda.show(a)", plot = "cuda.plot(a)", save_image = "cuda.io.save_image(path, a)",
  savetxt = "cuda.io.savetxt(path, a)", save_png = "cuda.io.save_image(path, a)" }

local function with_array(key) return of_arrays[key] and "it is a function: " .. of_arrays[key] end

-- PyTorch's methods that write to their array: `a:exp_()`.
local function in_place(key)
  local name = key:match "^(.+)_$"
  if name and is_member(name) == "method" then return ("use a:set(a:%s())"):format(name) end
end

-- Host arrays compute nothing. Some of what is spelled otherwise is theirs, too: `a:transpose()`.
local function on_device(key, owner)
  if key == "set_printoptions" then return other_names.absent[key] end
  local text = other_names.arrays[key]
  local here = text and text:match "^a[:.]([%w_]+)"
  for _, t in ipairs(here and owner.tables or {}) do
    if rawget(t, here) ~= nil then return "use " .. text end
  end
  if (" pi e inf nan "):find(" " .. key .. " ", 1, true) then return "use " .. text end
  if text or is_member(key) or has(module "gpuarray", key) then
    return "computing is for arrays on the device: gpuarray.to_gpu(a)"
  end
end

local elsewhere = {
  cuda = function(key) return in_modules(key) or in_arrays(key) end,
  gpuarray = function(key)
    return in_arrays(key) or in_modules(key, "gpuarray") or has(require "cudalua", key) and "it is cuda." .. key
  end,
  array = function(key)
    if has(module "gpuarray", key) then return ("it is a function: gpuarray.%s(...)"):format(key) end
    if has(module("ndarray").Array, key) then return ("host arrays have it: a:get():%s()"):format(key) end
    return with_array(key) or in_place(key)
  end,
  ndarray = function(key, owner)
    if has(module("ndarray").Array, key) then return ("it is a method of host arrays: a:%s()"):format(key) end
    if type(names.get(require "cudalua", key)) == "table" then return "it is cuda." .. key end -- numpy.random
    if has(module "dtype", key) then return dtype_named(key) end
    return on_device(key, owner) or in_modules(key, "ndarray")
  end,
  host_array = function(key, owner)
    if has(module "ndarray", key) then return ("it is a function: ndarray.%s(...)"):format(key) end
    return with_array(key) or on_device(key, owner)
  end,
  distributed_array = function(key)
    local member = is_member(key)
    if member == "method" then
      return ("arrays of one rank have it: a:gather():%s() for the whole array, a.block:%s() for the block"):format(key,
        key)
    end
    return member and ("arrays of one rank have it: a:gather().%s, a.block.%s"):format(key, key)
  end,
  distributed = function(key)
    local sharded = module "distributed.array.sharded"
    if rawget(sharded.Array, key) or sharded.elementwise[key] then
      return ("it is a method of distributed arrays: x:%s()"):format(key)
    end
    return in_modules(key, "distributed")
  end,
  module = function(key) return in_modules(key) end,
}

-- Which tables of other_names.lua count.
local spelled = { cuda = { "cuda", "random", "arrays", "sparse" }, gpuarray = { "random", "arrays", "cuda", "sparse" },
  array = { "arrays" }, module = { "cuda", "random", "arrays", "sparse" } }

local function renamed(kind, key)
  if not spelled[kind] or kind ~= "array" and has(module "dtype", key) then return nil end -- gpuarray.bool
  for _, name in ipairs(spelled[kind]) do
    local text = other_names[name][key]
    if text then return "use " .. text end
  end
  return other_names.absent[key]
end

-- The prompt has it, the library does not.
local function help_on(owner)
  local is_array = owner.kind == "array" or owner.kind == "host_array"
  local it = is_array and "a" or owner.kind == "module" and "cuda." .. owner.text or owner.text
  return ("use help(%s) at the prompt of the cudalua command"):format(it)
end

---What to write in place of a name that is not where a program looks for it.
---@param owner cudalua.Names
---@param key string
---@return string?  nil: nothing of that name is anywhere
return function(owner, key)
  if key == "help" then return help_on(owner) end
  return renamed(owner.kind, key) or (elsewhere[owner.kind] or elsewhere.module)(key, owner)
end
