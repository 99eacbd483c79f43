-- Finds and opens the MPI of the launcher, and tells by which binary interface it is called. MPI has no headers here:
-- its functions are called through typed addresses.

local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

-- H: a handle. S: a status.
local FUNCTIONS = {
  Init_thread = "int (*)(int *, char ***, int, int *)",
  Initialized = "int (*)(int *)",
  Finalize = "int (*)(void)",
  Finalized = "int (*)(int *)",
  Abort = "int (*)(H, int)",
  Error_string = "int (*)(int, char *, int *)",
  Comm_size = "int (*)(H, int *)",
  Comm_rank = "int (*)(H, int *)",
  Comm_dup = "int (*)(H, H *)",
  Comm_split = "int (*)(H, int, int, H *)",
  Comm_free = "int (*)(H *)",
  Comm_set_errhandler = "int (*)(H, H)",
  Isend = "int (*)(const void *, int, H, int, int, H, H *)",
  Irecv = "int (*)(void *, int, H, int, int, H, H *)",
  Recv = "int (*)(void *, int, H, int, int, H, S *)",
  Iprobe = "int (*)(int, int, H, int *, S *)",
  Test = "int (*)(H *, int *, S *)",
  Ibcast = "int (*)(void *, int, H, int, H, H *)",
  Iallgather = "int (*)(const void *, int, H, void *, int, H, H, H *)",
  Igather = "int (*)(const void *, int, H, void *, int, H, int, H, H *)",
  Iscatter = "int (*)(const void *, int, H, void *, int, H, int, H, H *)",
  Ialltoall = "int (*)(const void *, int, H, void *, int, H, H, H *)",
}

-- MPI_NAME under a name of its own, since a program may declare MPI's functions for itself.
local function declare(symbol) ffi.cdef(("void cudalua_%s(void) asm(\"%s\");"):format(symbol, symbol)) end

-- The address of a symbol; nil if the library has none.
local function address(library, symbol)
  declare(symbol)
  local found, f = pcall(function() return library["cudalua_" .. symbol] end)
  return found and ffi.cast("void *", f) or nil
end

-- ---- finding --------------------------------------------------------------------------------------------------------

-- OpenMPI's name, Debian's for MPICH, that of MPICH elsewhere, and what a developer's links say. The launchers of both
-- have variables of their own, so their library comes first. srun has the same ones for all.
local OPENMPI, MPICH = { "libmpi.so.40" }, { "libmpich.so.12", "libmpi.so.12" }
local STANDARD, ANY = { "libmpi_abi.so.0", "libmpi_abi.so.1" }, { "libmpi.so" }
local ORDER = {
  openmpi = { OPENMPI, STANDARD, MPICH, ANY },
  hydra = { MPICH, STANDARD, OPENMPI, ANY },
  any = { STANDARD, OPENMPI, MPICH, ANY },
}

local function names_for(start)
  local names = {}
  for _, list in ipairs(ORDER[start.flavor] or ORDER.any) do
    for _, name in ipairs(list) do names[#names + 1] = name end
  end
  return names
end

local function fail(format, ...) errors.raise("RuntimeError", "init: " .. format:format(...)) end

ffi.cdef "void *cudalua_os_dlopen(const char *name, int flags) __asm__(\"dlopen\");"
local LAZY, GLOBAL, NODELETE = 1, 0x100, 0x1000

-- Global, as OpenMPI's plugins look for its symbols. It stays when Lua has ended, as MPI ends after that.
local function open(name)
  local ok, library = pcall(ffi.load, name, true)
  if not ok then return nil, tostring(library) end
  ffi.C.cudalua_os_dlopen(name, LAZY + GLOBAL + NODELETE)
  return library
end

local function find(start)
  local own = os.getenv "CUDALUA_MPI"
  if own and own ~= "" then
    local library, why = open(own)
    if not library then fail("cannot open the MPI library that CUDALUA_MPI names: %s", why) end
    return library, own
  end
  if address(ffi.C, "MPI_Init") then return ffi.C, "the program's MPI library" end
  local names = names_for(start)
  for _, name in ipairs(names) do
    local library = open(name)
    if library then return library, name end
  end
  fail("%s started %d processes, but no MPI library was found (%s); set CUDALUA_MPI to the path of %s's library, or "
    .. "start the program with: cudalua run -n %d script.lua", start.launcher, start.size, table.concat(names, ", "),
    start.launcher, start.size)
end

-- ---- the binary interface -------------------------------------------------------------------------------------------

local function version_text(library)
  local f = address(library, "MPI_Get_library_version")
  if not f then return "no MPI library" end
  local text, length = ffi.new "char[8193]", ffi.new "int[1]"
  ffi.cast("int (*)(char *, int *)", f)(text, length)
  return ffi.string(text)
end

-- A library with the standard's function may have an interface of its own: it then answers -1.
local function is_standard(library)
  local f = address(library, "MPI_Abi_get_version")
  local major, minor = ffi.new("int[1]", -1), ffi.new "int[1]"
  return f ~= nil and ffi.cast("int (*)(int *, int *)", f)(major, minor) == 0 and major[0] >= 1
end

local function interface_of(library, name)
  if is_standard(library) then return require "cudalua.distributed.transport.mpi_standard" end
  if address(library, "ompi_mpi_comm_world") then return require "cudalua.distributed.transport.mpi_openmpi" end
  local text = version_text(library)
  for _, word in ipairs { "MPICH", "Intel", "MVAPICH" } do
    if text:find(word, 1, true) then return require "cudalua.distributed.transport.mpi_mpich" end
  end
  fail("%s has a binary interface that cudalua does not know: %s; set CUDALUA_MPI to the path of OpenMPI, MPICH or "
    .. "another MPI with MPI's standard ABI", name, text:match "^[^\n]*")
end

---An opened MPI.
---@class cudalua.distributed.Mpi
---@field abi cudalua.distributed.Abi
---@field name string          the library's
---@field call table<string, ffi.cdata*>  MPI's functions, without "MPI_"
---@field handle_t ffi.ctype*   of an array with one handle
---@field handles_t ffi.ctype*  of an array of handles
---@field status_t ffi.ctype*
---@field world ffi.cdata*|integer
---@field byte ffi.cdata*|integer
---@field returns ffi.cdata*|integer
---@field ignored ffi.cdata*

---Opens MPI.
---@param start cudalua.distributed.Start
---@return cudalua.distributed.Mpi
---@raise RuntimeError if it is not found, or if its binary interface is not known
function M.open(start)
  local library, name = find(start)
  local abi = interface_of(library, name)
  local handle, status = ffi.typeof(abi.handle), ffi.typeof("struct { " .. abi.status .. " }")
  local m = { abi = abi, name = name, call = {}, handle_t = ffi.typeof("$[1]", handle), status_t = status,
    handles_t = ffi.typeof("$[?]", handle), ignored = ffi.cast(ffi.typeof("$ *", status), abi.ignored) }
  for _, key in ipairs { "world", "byte", "returns" } do
    local value = abi[key]
    if type(value) == "string" then value = address(library, value) end
    m[key] = value and ffi.cast(handle, value) or fail("%s lacks %s", name, abi[key])
  end
  for key, text in pairs_of(FUNCTIONS) do
    local types, pattern = {}, text:gsub("%f[%w][HS]%f[%W]", "%%%0")
    pattern = pattern:gsub("%%([HS])", function(letter)
      types[#types + 1] = letter == "H" and handle or status
      return "$"
    end)
    local f = address(library, "MPI_" .. key)
    if not f then fail("%s lacks MPI_%s; MPI 3.0 or later is needed", name, key) end
    m.call[key] = ffi.cast(ffi.typeof(pattern, unpack(types)), f)
  end
  return m
end

---Calls a function of MPI. Meanwhile `inside` is set: the library may end the process (mpi.c).
---@param world cudalua.distributed.MpiWorld
---@param name string  without "MPI_"
---@param ... any
---@return integer code  of MPI's errors
function M.call(world, name, ...)
  world.inside[0] = 1
  local code = world.mpi.call[name](...)
  world.inside[0] = 0
  return code
end

return M
