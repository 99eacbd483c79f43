-- The image of a compilation as a module in the current context. Of an exported kernel there may be several images, and
-- a driver may refuse the best one: it is older than the compiler, or forced to compile PTX. Then the next is tried.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"

local M = {}

-- Invalid image, no image for this GPU, invalid PTX, PTX of a newer compiler.
local refusals = { [200] = true, [209] = true, [218] = true, [222] = true }

-- A driver of another device, or one that is older than the compiler.
local function load_any(results, in_capture)
  local tried = {}
  for _, result in ipairs(results) do
    local ok, mod = pcall(core.module_load, result.image, nil, in_capture)
    if ok then return mod, result end
    if not (errors.is_error(mod) and refusals[mod.code]) then error(mod, 0) end
    tried[#tried + 1] = ("%s: %s"):format(result.arch, mod.message)
  end
  return nil, tried
end

---Loads the image of a result, or the next one of an exported kernel that the driver takes.
---@param result cudalua.CompileResult
---@param in_capture? boolean  also while a graph is being captured
---@return cudalua.Module
---@return cudalua.CompileResult result  the one that was loaded
---@raise what core.module_load raises; RuntimeError if the driver takes no exported image
function M.load(result, in_capture)
  if not result.others then return core.module_load(result.image, nil, in_capture), result end
  local mod, found = load_any({ result, unpack(result.others) }, in_capture)
  if mod then return mod, found end
  local again = result.again and result.again()
  if again then return core.module_load(again.image, nil, in_capture), again end
  errors.raise("RuntimeError", "the driver accepts none of the kernel's exported images", {
    detail = table.concat(found, "\n") .. "\nfrom " .. result.folder,
    hint = "export the kernels for this device's architecture; the first lines of " .. result.folder ..
      "/manifest say which driver they need",
  })
end

return M
