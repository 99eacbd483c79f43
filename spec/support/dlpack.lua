-- Managed tensors of a library of the specs (dlpack_library.c): a producer and a consumer of DLPack's.
local ffi = require "ffi"
local built = require "spec.support.built"

ffi.cdef [[
  typedef struct { uintptr_t data; int32_t device_type, device_id, ndim; uint8_t code, bits; uint16_t lanes;
    int64_t *shape, *strides; uint64_t byte_offset; } spec_Tensor;
  typedef struct { uint32_t major, minor; void *manager; void *deleter; uint64_t flags; spec_Tensor tensor; }
    spec_Versioned;
  int dlpack_made(void);
  int dlpack_deleted(void);
  void *dlpack_plain(uintptr_t data, int ndim, const int64_t *shape, const int64_t *strides);
  void *dlpack_versioned(uintptr_t data, int ndim, const int64_t *shape, const int64_t *strides);
  spec_Tensor *dlpack_tensor(void *managed, int versioned);
  void dlpack_delete(void *managed, int versioned);
  void dlpack_delete_in_thread(void *managed, int versioned);
  void dlpack_delete_later(void *managed, int versioned);
  void dlpack_join(void);
]]

local C = ffi.load(built "cudalua-dlpack")
local M = { C = C }

local function list(t) return t and ffi.new("int64_t[?]", #t + 1, t) end

---The address of a new managed tensor of the library.
---@param data integer
---@param shape integer[]
---@param options? {strides: integer[], versioned: boolean, read_only: boolean, major: integer}  and fields of the
---  tensor
---@return integer
function M.make(data, shape, options)
  options = options or {}
  local make = options.versioned and C.dlpack_versioned or C.dlpack_plain
  local managed = make(data, #shape, list(shape), list(options.strides))
  local tensor = C.dlpack_tensor(managed, options.versioned and 1 or 0)
  for _, name in ipairs { "device_type", "device_id", "code", "bits", "lanes", "byte_offset", "ndim" } do
    if options[name] then tensor[name] = options[name] end
  end
  if options.read_only then ffi.cast("spec_Versioned *", managed).flags = 1 end
  if options.major then ffi.cast("spec_Versioned *", managed).major = options.major end
  return tonumber(ffi.cast("uintptr_t", managed))
end

---The tensor at an address that to_dlpack() gave.
function M.tensor(address, versioned) return C.dlpack_tensor(ffi.cast("void *", address), versioned and 1 or 0) end

function M.delete(address, versioned) C.dlpack_delete(ffi.cast("void *", address), versioned and 1 or 0) end
function M.in_thread(address, versioned)
  C.dlpack_delete_in_thread(ffi.cast("void *", address), versioned and 1 or 0)
end
function M.later(address, versioned) C.dlpack_delete_later(ffi.cast("void *", address), versioned and 1 or 0) end

---How many tensors of the library were not given back.
function M.out() return C.dlpack_made() - C.dlpack_deleted() end

return M
