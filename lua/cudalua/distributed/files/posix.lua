-- Files by their descriptors: reading and writing at an offset, so that several processes use one file at once, and
-- what makes a change of a folder last.

local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local pace = require "cudalua.base.pace"

ffi.cdef [[
  int cudalua_open(const char *path, int flags, ...) __asm__("open");
  int cudalua_close(int fd) __asm__("close");
  ssize_t cudalua_pread(int fd, void *to, size_t bytes, int64_t offset) __asm__("pread");
  ssize_t cudalua_pwrite(int fd, const void *from, size_t bytes, int64_t offset) __asm__("pwrite");
  int cudalua_ftruncate(int fd, int64_t bytes) __asm__("ftruncate");
  int cudalua_fsync(int fd) __asm__("fsync");
  int cudalua_mkdir(const char *path, unsigned mode) __asm__("mkdir");
  int cudalua_rename(const char *from, const char *to) __asm__("rename");
  int cudalua_unlink(const char *path) __asm__("unlink");
  char *cudalua_strerror(int number) __asm__("strerror");
]]

local C = ffi.C
local READ, READ_WRITE, CREATE, TRUNCATE, CLOEXEC = 0, 2, 0x40, 0x200, 0x80000
local INTERRUPTED, MISSING, EXISTS = 4, 2, 17
local PIECE = 2 ^ 24 -- bytes of one call, between two looks at Ctrl-C

local M = {}

---An open file.
---@class cudalua.distributed.OpenFile
---@field what string  for messages
---@field path string
---@field fd integer

-- Raises what the last call left in errno.
local function fail(what, action, path)
  local why = ffi.string(C.cudalua_strerror(ffi.errno()))
  errors.raise("RuntimeError", ("%s: cannot %s %s: %s"):format(what, action, path, why))
end

local function with(what, path, flags, action, f)
  local fd = C.cudalua_open(path, flags, ffi.cast("unsigned", 438)) -- 0666
  if fd < 0 then fail(what, action, path) end
  local ok, result = pcall(f, { what = what, path = path, fd = fd })
  local closed = C.cudalua_close(fd) == 0
  if not ok then error(result, 0) end
  if not closed then fail(what, action, path) end
  return result
end

---Creates a file of this size, calls f(file), and closes it.
---@param what string
---@param path string
---@param bytes integer
---@param f fun(file: cudalua.distributed.OpenFile): any
---@return any  what f gave
---@raise RuntimeError with the system's reason; so do all functions here
function M.create(what, path, bytes, f)
  return with(what, path, READ_WRITE + CREATE + TRUNCATE + CLOEXEC, "create", function(file)
    if C.cudalua_ftruncate(file.fd, bytes) ~= 0 then fail(what, "write", path) end
    return f(file)
  end)
end

---Opens a file for writing, calls f(file), and closes it.
---@param what string
---@param path string
---@param f fun(file: cudalua.distributed.OpenFile): any
---@return any
function M.change(what, path, f) return with(what, path, READ_WRITE + CLOEXEC, "write", f) end

---Opens a file for reading, calls f(file), and closes it.
---@param what string
---@param path string
---@param f fun(file: cudalua.distributed.OpenFile): any
---@return any
function M.open(what, path, f) return with(what, path, READ + CLOEXEC, "read", f) end

-- move(piece) -> what pread() and pwrite() give.
local function in_pieces(file, action, n, move)
  local at = 0
  while at < n do
    local moved = tonumber(move(at, math.min(n - at, PIECE)))
    if moved < 0 then
      if ffi.errno() ~= INTERRUPTED then fail(file.what, action, file.path) end
    elseif moved == 0 then
      errors.raise("RuntimeError", ("%s: %s is truncated"):format(file.what, file.path))
    else
      at = at + moved
      pace(moved)
    end
  end
end

---@param file cudalua.distributed.OpenFile
---@param offset integer
---@param p ffi.cdata*  uint8_t *
---@param n integer
function M.read(file, offset, p, n)
  in_pieces(file, "read", n, function(at, piece) return C.cudalua_pread(file.fd, p + at, piece, offset + at) end)
end

---@param file cudalua.distributed.OpenFile
---@param offset integer
---@param p ffi.cdata*  const uint8_t *
---@param n integer
function M.write(file, offset, p, n)
  in_pieces(file, "write", n, function(at, piece) return C.cudalua_pwrite(file.fd, p + at, piece, offset + at) end)
end

---Waits until the file is on the disk.
---@param file cudalua.distributed.OpenFile
function M.sync(file)
  if C.cudalua_fsync(file.fd) ~= 0 then fail(file.what, "write", file.path) end
end

---The folder of a path.
---@param path string
---@return string
function M.folder_of(path) return path:match "^(.*/)[^/]*$" or "." end

---Waits until the names in a folder are on the disk.
---@param what string
---@param folder string
function M.sync_folder(what, folder) with(what, folder, READ + CLOEXEC, "write", M.sync) end

---Gives a file or a folder its final name, so that it lasts.
---@param what string
---@param from string
---@param to string
function M.rename(what, from, to)
  if C.cudalua_rename(from, to) ~= 0 then fail(what, "create", to) end
  M.sync_folder(what, M.folder_of(to))
end

---Removes a file, if it is there.
---@param what string
---@param path string
function M.remove(what, path)
  if C.cudalua_unlink(path) ~= 0 and ffi.errno() ~= MISSING then fail(what, "remove", path) end
end

---@param what string
---@param path string
function M.make_folder(what, path)
  if C.cudalua_mkdir(path, 511) ~= 0 then fail(what, "create", path) end -- 0777
end

---Makes the folders that a path is in, unless they are there.
---@param what string
---@param path string
function M.make_folders_of(what, path)
  for at in path:gmatch "()/" do
    local folder = path:sub(1, at - 1)
    local made = folder == "" or C.cudalua_mkdir(folder, 511) == 0
    if not made and ffi.errno() ~= EXISTS then fail(what, "create", folder) end
  end
end

return M
