-- The handles of NVIDIA's libraries: one for each library, context and Lua state, made when it is first needed. A
-- handle is destroyed behind its last reference while its context lives (core.borrowed).

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local libraries = require "cudalua.vendor.library"
local pairs_of = require "cudalua.base.pairs_of"
local status = require "cudalua.vendor.status"

local M = {}

-- How a library makes its handle and destroys it.
local makers = {
  cublaslt = { "Create", "cublasLtDestroy" },
  cusolver = { "DnCreate", "cusolverDnDestroy" },
  cusparse = { "Create", "cusparseDestroy" },
}

local handles, numbers -- library -> context -> LibraryHandle; and the library's handle

local function forget()
  handles, numbers = {}, {}
  for library in pairs_of(makers) do handles[library], numbers[library] = {}, {} end
end
forget()
libraries.on_forget[#libraries.on_forget + 1] = forget

---Leaves something of a library's to the current context: it is destroyed once, behind the last reference to the
---result.
---@param library string     "cublaslt", ...
---@param handle integer     what the library calls it
---@param destroy string     the whole name of the function that destroys it
---@param form "pointer"|"int"|"void"  what that takes: a handle, a number, or a handle without giving a status
---@return userdata  a LibraryHandle: close(), handle()
function M.keep(library, handle, destroy, form)
  local found = libraries.open(library) or errors.raise("LogicError", "handles.keep: the library is not open")
  return core.borrowed(handle, found.address(destroy), form)
end

-- Contexts that are gone took their handles with them.
local function forget_closed(library)
  for id, object in pairs_of(handles[library]) do
    if not pcall(object.handle, object) then handles[library][id], numbers[library][id] = nil, nil end
  end
end

local function make(library, id)
  if core.current_stream():is_capturing() then
    errors.raise("LogicError", ("%s has no handle in this context yet, and a stream is being captured: call it once "
      .. "before the capture"):format(libraries.rows[library].name))
  end
  local functions = libraries.functions(library)
  local out = ffi.new "uintptr_t[1]"
  status.check(libraries.rows[library].name, library, makers[library][1], functions[makers[library][1]](out))
  local number = tonumber(out[0])
  local object = M.keep(library, number, makers[library][2], "pointer")
  forget_closed(library)
  if handles[library][id] then return numbers[library][id] end -- a finalizer made one meanwhile
  handles[library][id], numbers[library][id] = object, number
  return number
end

---The handle of a library in the current context.
---@param library string  "cublaslt", "cusolver" or "cusparse"
---@return integer handle  as a parameter of type uintptr_t takes it
---@raise RuntimeError if the library is not there; LogicError in a capture, if there is no handle yet
function M.get(library)
  local id = core.context_id()
  return numbers[library][id] or make(library, id)
end

return M
