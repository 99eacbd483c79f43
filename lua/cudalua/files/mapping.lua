-- Maps a file into memory. Its bytes are read on first use; the mapping is private, so writes stay in this process.

local ffi = require "ffi"
local errors = require "cudalua.base.errors"
local whole = require "cudalua.files.whole"

ffi.cdef [[
  void *cudalua_mmap(void *at, size_t bytes, int protection, int flags, int fd, long offset) __asm__("mmap");
  int cudalua_munmap(void *at, size_t bytes) __asm__("munmap");
  int cudalua_fileno(void *file) __asm__("fileno");
]]

local C = ffi.C
local READ_WRITE, PRIVATE = 3, 2
local FAILED = ffi.cast("void *", -1)
local bytes_t = ffi.typeof "uint8_t *"

local M = {}

---Maps a file.
---@param what string  function, for messages
---@param path string
---@return ffi.cdata*? p  uint8_t *: keeps the mapping while it is referred to; nil for an empty file
---@return integer nbytes
---@raise LogicError, RuntimeError as whole.open; MemoryError if it cannot be mapped
function M.open(what, path)
  local file = whole.open(what, path)
  local nbytes = file:seek "end"
  if not nbytes or nbytes == 0 then
    file:close()
    return nil, 0
  end
  local p = C.cudalua_mmap(nil, nbytes, READ_WRITE, PRIVATE, C.cudalua_fileno(file), 0)
  local code = ffi.errno()
  file:close() -- the mapping stays
  if p == FAILED then
    errors.raise("MemoryError", ("%s: %s cannot be mapped: error %d of mmap"):format(what, path, code))
  end
  return ffi.gc(ffi.cast(bytes_t, p), function(q) C.cudalua_munmap(q, nbytes) end), nbytes
end

return M
