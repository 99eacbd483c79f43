-- Versions: of this library, of the headers that it was built with, of the driver.

local core = require "cudalua.core"

---@class cudalua
local M = {}

local numbers, status = { 0, 1, 0 }, ""

-- -1, 0 or 1 as version a is older than, as old as or newer than b; what is missing at the end is 0.
local function compare(a, b)
  for i = 1, math.max(#a, #b, 3) do
    local x, y = a[i] or 0, b[i] or 0
    if x ~= y then return x < y and -1 or 1 end
  end
  return 0
end

---The version of this library, {major, minor, patch}. You can compare two lists with its metatable; to compare with
---plain numbers, use version_at_least().
---@type integer[]
M.VERSION = setmetatable(numbers, {
  __eq = function(a, b) return compare(a, b) == 0 end,
  __lt = function(a, b) return compare(a, b) < 0 end,
  __le = function(a, b) return compare(a, b) <= 0 end,
  __tostring = function(list) return table.concat(list, ".") end,
})

---The suffix of a version that is not a release: "rc1"; "" for a release.
---@type string
M.VERSION_STATUS = status

---The version as text: "0.1.0".
---@type string
M.VERSION_TEXT = table.concat(numbers, ".") .. status

---Returns true if this library has the given version or a newer one.
---@param major integer  the major version
---@param minor? integer  the minor version; default 0
---@param patch? integer  the patch version; default 0
---@return boolean
---@raise LogicError if they are not non-negative integers
function M.version_at_least(major, minor, patch)
  local asked = { major, minor or 0, patch or 0 }
  for i = 1, 3 do
    local n = asked[i]
    if type(n) ~= "number" or n < 0 or n >= 2 ^ 31 or n ~= math.floor(n) then
      local errors = require "cudalua.base.errors"
      errors.raise("LogicError", "version_at_least: expected integers, got " .. errors.text(n))
    end
  end
  return compare(numbers, asked) >= 0
end

---Returns the CUDA version of the headers that this library was built with. Works before cuda.init().
---@return integer major, integer minor, integer patch
function M.get_version() return core.get_version() end

---Returns the CUDA version of the driver in use (cuDriverGetVersion). Before cuda.init(), returns the version of the
---driver that CUDALUA_DRIVER names or that is tried first.
---@return integer  13000 for 13.0
---@raise RuntimeError if the driver is missing
function M.get_driver_version() return core.get_driver_version() end

return M
