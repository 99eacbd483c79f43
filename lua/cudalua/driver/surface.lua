-- SurfaceObject: an array whose texels kernels read and write. src/cudalua/memory/surface.c makes it.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local source = require "cudalua.driver.texture_source"

local M = {}

local SURFACE = 2 -- of array3d_flags

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

---A surface, which kernels receive as a cudaSurfaceObject_t to read and write the texels of an array created with the
---flag "surface_ldst": `cuda.SurfaceObject{ array = a }`. It keeps the array alive. Raises a LogicError for other
---arrays.
---@class cudalua.SurfaceObject
---@overload fun(options: {array: cudalua.Array}): cudalua.SurfaceObject
local SurfaceObject = core.classes.SurfaceObject

---Makes a surface for a function of another name.
---@param where string
---@param array any
---@return cudalua.SurfaceObject
function M.make(where, array)
  local s = source.of_array(where, array)
  if s.flags % (2 * SURFACE) < SURFACE then
    refuse(where, "surfaces need an array made with the flag \"surface_ldst\"; np_to_array() and " ..
      "gpuarray_to_array() take allow_surface_bind = true")
  end
  return core.surface(s.object)
end

M.SurfaceObject = setmetatable({}, { __index = SurfaceObject,
  __call = function(_, options)
    options = errors.options("SurfaceObject", options, { array = true })
    if options.array == nil then refuse("SurfaceObject", "the array is missing: cuda.SurfaceObject{ array = a }") end
    return M.make("SurfaceObject", options.array)
  end })

return M
