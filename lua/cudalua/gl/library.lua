-- The libraries of EGL and OpenGL, opened when they are first asked for, and their functions by name.

local errors = require "cudalua.base.errors"
local prototypes = require "cudalua.base.prototypes"

local M = {}

local INSTALL = "on Debian and Ubuntu: apt-get install libegl1 libgl1-mesa-dri; NVIDIA's driver brings its own part of "
  .. "EGL (libnvidia-gl)"
M.INSTALL = INSTALL

local egl

local function open()
  egl = egl or prototypes.open "libEGL.so.1"
  return egl
end

---Is EGL's library there?
---@return boolean
function M.present() return open() ~= nil end

---A table of functions with these prototypes, one a line; `prefix` is cut off their names. Each is looked up when it is
---first used.
---@param where string   function, for messages
---@param prefix string  "egl", "gl"
---@param text string    the prototypes
---@param find fun(name: string): ffi.cdata*?  its address, or NULL
---@return table<string, function>
function M.functions(where, prefix, text, find)
  return prototypes.functions { where = where, prefix = prefix, prototypes = text, find = find, owner = "cudalua.gl",
    library = "OpenGL" }
end

---The address of a function of EGL.
---@param name string
---@return ffi.cdata*?
function M.egl_symbol(name)
  local library = open()
  if not library then
    errors.raise("RuntimeError", "EGL is not installed: libEGL.so.1 cannot be opened", { hint = INSTALL })
  end
  return prototypes.symbol(library, name)
end

return M
