-- Which one computes, own kernels or NVIDIA's libraries: the switch of the Lua state, and the answer for each call.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local libraries = require "cudalua.vendor.library"
local notice = require "cudalua.base.notice"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

local backends = { auto = true, own = true, vendor = true }
local precisions = { full = true, tensor = true }
local backend, precision = "auto", "full"

local function check(what, name, known)
  if type(name) == "string" and known[name] then return name end
  local list = {}
  for word in pairs_of(known) do list[#list + 1] = ('"%s"'):format(word) end
  table.sort(list)
  errors.raise("LogicError", ("%s: the name must be %s or %s, got %s"):format(what, table.concat(list, ", ", 1,
    #list - 1), list[#list], errors.text(name)))
end

-- Is the driver the software device? A context is there wherever something is computed, and with it a driver.
local function is_soft()
  local info = core.driver_info()
  if not info.open then
    core.init()
    info = core.driver_info()
  end
  return info.soft
end

local AUTO = 'linalg.backend "auto" uses own kernels if the library cannot compute'

local function refuse(what, library, why)
  local row = libraries.rows[library]
  local text = '%s: linalg.backend is "vendor", and %s cannot be used: %s'
  errors.raise("RuntimeError", text:format(what, row.name, why),
    { hint = ("%s\n%s, or name the library in %s"):format(AUTO, row.packages, row.variable) })
end

-- Raises unless the library is there for "vendor".
local function demand(what, library)
  if is_soft() and not libraries.is_named(library) then
    refuse(what, library, "the driver is the software device, which does not run its kernels")
  end
  local found, why = libraries.open(library)
  if not found then refuse(what, library, why) end
end

---The backend: what it is, or with a name what it becomes.
---@param name? "auto"|"own"|"vendor"
---@return string name  as it is now
function M.backend(name)
  if name == nil then return backend end
  check("linalg.backend", name, backends)
  backend = name
  return name
end

---The precision: what it is, or with a name what it becomes.
---@param name? "full"|"tensor"
---@return string name  as it is now
function M.precision(name)
  if name ~= nil then precision = check("linalg.precision", name, precisions) end
  return precision
end

local told = {} -- libraries that a notice was about

local function tell(library, why)
  if told[library] then return end
  told[library] = true
  local row = libraries.rows[library]
  notice(("%s was not found; the library's own kernels run instead: %s\n%s, or name the library in %s;"
    .. ' linalg.backend "own" needs no library'):format(row.name, why, row.packages, row.variable))
end

---Does the vendor's library compute this call?
---@param what string           the function, for messages
---@param library string        "cublaslt", "cusolver", "cusparse" or "cufft"
---@param can true|string       true, or what the library cannot do: "int32 products"
---@param rather? boolean       own kernels are better at this under "auto"
---@return boolean vendor
---@raise LogicError under "vendor", if it cannot; RuntimeError if the library is not there
function M.vendor(what, library, can, rather)
  if backend == "own" then return false end
  if backend == "vendor" then
    if can ~= true then
      errors.raise("LogicError", ('%s: linalg.backend is "vendor", and %s does not have %s'):format(what,
        libraries.rows[library].name, can), { hint = AUTO })
    end
    demand(what, library)
    return true
  end
  if can ~= true or rather or is_soft() then return false end
  local found, why = libraries.open(library)
  if not found then tell(library, why) end
  return found ~= nil
end

return M
