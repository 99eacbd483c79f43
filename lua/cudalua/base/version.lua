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

---This library's version, {major, minor, patch}. Two lists with its metatable can be compared; against plain
---numbers there is version_at_least().
---@type integer[]
M.VERSION = setmetatable(numbers, {
  __eq = function(a, b) return compare(a, b) == 0 end,
  __lt = function(a, b) return compare(a, b) < 0 end,
  __le = function(a, b) return compare(a, b) <= 0 end,
  __tostring = function(list) return table.concat(list, ".") end,
})

---What stands behind the numbers of a version that is not a release: "rc1"; "" for a release.
---@type string
M.VERSION_STATUS = status

---The version as text: "0.1.0".
---@type string
M.VERSION_TEXT = table.concat(numbers, ".") .. status

---Is this library of that version or newer?
---@param major integer
---@param minor? integer  default 0
---@param patch? integer  default 0
---@return boolean
---@raise LogicError unless they are non-negative integers
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

---CUDA version of the headers that this library was built with. Works before cuda.init().
---@return integer major, integer minor, integer patch
function M.get_version() return core.get_version() end

---CUDA version of the driver in use (cuDriverGetVersion); before cuda.init(), of the one that CUDALUA_DRIVER
---names or that it would try first.
---@return integer  13000 for 13.0
---@raise RuntimeError if there is no driver
function M.get_driver_version() return core.get_driver_version() end

return M
