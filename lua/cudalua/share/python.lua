-- Arrays as objects of Python, and Python's as arrays, where lupa runs Lua in a Python process. Both sides use the
-- protocols __dlpack__ and __cuda_array_interface__.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local exchange = require "cudalua.share.dlpack"
local gpuarray = require "cudalua.gpuarray"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local stream_numbers = require "cudalua.gpuarray.core.stream_numbers"
local text_errors = require "cudalua.base.text_errors"

local refuse = layout.refuse

---@class cudalua.interop
local M = {}

-- Capsules are made and read here, under Python's lock. Names and the destructor are C's: capsules may outlive Lua.
local SOURCE = [[
import ctypes

_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("PyCapsule_New", _api))
_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(("PyCapsule_IsValid", _api))
_get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(("PyCapsule_SetName", _api))


class Array:
    """An array of cudalua: for torch.from_dlpack(), numpy.from_dlpack() and others."""

    def __init__(self, lend, device, describe):
        self._lend, self._device, self._describe = lend, device, describe

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device is not None and tuple(dl_device) != self._device:
            raise BufferError("cudalua: the array is on the device %r, not on %r" % (self._device, tuple(dl_device)))
        if copy is False and self._device[0] == 1:
            raise BufferError("cudalua: the memory of a host array belongs to Lua; it is copied")
        versioned = max_version is not None and max_version[0] >= 1
        address = int(self._lend(stream, versioned, copy is True))
        return _new(address, _names[versioned], _destructor)


class DeviceArray(Array):
    @property
    def __cuda_array_interface__(self):
        found = {}
        self._describe(found.__setitem__)
        shape, strides = found.pop("shape", None), found.pop("strides", None)
        found["shape"] = tuple(int(shape[i + 1]) for i in range(len(shape)))
        found["strides"] = strides and tuple(int(strides[i + 1]) for i in range(len(strides)))
        found["data"] = (int(found["data"]), False)
        return found


def setup(destructor, plain, versioned, used_plain, used_versioned):
    global _destructor, _names, _used
    _destructor, _names, _used = int(destructor), (int(plain), int(versioned)), (int(used_plain), int(used_versioned))


def make(lend, type_, id_, describe):
    kind = DeviceArray if describe else Array
    return kind(lend, (int(type_), int(id_)), describe)


def is_there(o):
    return hasattr(o, "__dlpack__") or hasattr(o, "__cuda_array_interface__")


def take(o, stream, on_capsule, on_interface):
    if not hasattr(o, "__dlpack__"):
        d = o.__cuda_array_interface__
        if d.get("mask") is not None:
            raise TypeError("masked arrays are not supported")
        shape, strides = tuple(d["shape"]), d.get("strides")
        address, readonly = d["data"]
        on_interface(address, bool(readonly), d["typestr"], d.get("stream") or 0, len(shape), strides is not None,
                     *shape, *(strides or ()))
        return
    device = int(o.__dlpack_device__()[0])
    wanted = {} if device in (1, 3) else {"stream": int(stream)}
    try:
        capsule = o.__dlpack__(max_version=(1, 0), **wanted)
    except TypeError:  # of before the protocol's version of 2023
        capsule = o.__dlpack__(**wanted)
    for versioned in (False, True):
        if _valid(capsule, _names[versioned]):
            if on_capsule(_get(capsule, _names[versioned]), versioned):
                _rename(capsule, _used[versioned])
            return
    raise TypeError("__dlpack__ gave %r, which is not a capsule of a tensor that is there" % (capsule,))
]]

-- ---- Python's side --------------------------------------------------------------------------------------------------

local side -- a function: name -> function of SOURCE

-- The functions of SOURCE, made when they are first needed.
local function python_side(what)
  if side then return side end
  local python = rawget(_G, "python")
  local lupa = type(python) == "table" and type(rawget(python, "eval")) == "userdata" and
    type(rawget(python, "as_itemgetter")) == "function"
  local destructor, plain, versioned, used_plain, used_versioned
  if lupa then destructor, plain, versioned, used_plain, used_versioned = core.tensor_capsules() end
  if not destructor then
    refuse(what, "this program does not run inside Python; from_python works under lupa's luajit21, imported with " ..
      "sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)")
  end
  local space = python.eval "dict(__name__='cudalua')"
  python.builtins.exec(SOURCE, space)
  local found = python.as_itemgetter(space)
  local function get(name) return found[name] end
  get "setup"(destructor, plain, versioned, used_plain, used_versioned)
  side = get
  return side
end

-- ---- to Python ------------------------------------------------------------------------------------------------------

-- Gives the fields of __cuda_array_interface__ one after the other.
local function describe_for(a)
  return text_errors(function(set)
    local d = a:cuda_array_interface()
    set("shape", d.shape)
    if d.strides then set("strides", d.strides) end
    set("typestr", d.typestr)
    set("version", d.version)
    set("data", d.data.ptr)
    set("stream", d.stream)
  end)
end

local function lend_for(a)
  local on_device = gpuarray.is_array(a)
  return text_errors(function(stream, versioned, copy)
    local function lend()
      return exchange.to_dlpack(copy and on_device and a:copy() or a, { versioned = versioned })
    end
    if not on_device or stream == -1 then return lend() end
    if stream ~= nil and (type(stream) ~= "number" or stream < 1) then
      refuse("__dlpack__", "stream must be None, -1 or a positive number, got %s", errors.text(stream))
    end
    return stream_numbers.stream_of(stream or 1):use(lend)
  end)
end

---Returns the array as a Python object for torch.from_dlpack(o), cupy.from_dlpack(o) and numpy.from_dlpack(o). The
---object has `__dlpack__` and `__dlpack_device__`, and for an array on the device `__cuda_array_interface__`. It keeps
---the array alive. Elements on the device are not copied; elements of host arrays are copied in each call of
---`__dlpack__`.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  the array to export
---@return userdata object  as lupa passes it to Python
---@raise LogicError if a is not an array, has elements that DLPack does not support, or this program does not run in
---  Python
function M.to_python(a)
  local what = "interop.to_python"
  local on_device = gpuarray.is_array(a)
  if not on_device and not ndarray.is_array(a) then refuse(what, "expected an array, got " .. element.describe(a)) end
  if a.dtype.kind == "struct" then refuse(what, "DLPack has no elements of %s", a.dtype.name) end
  local get = python_side(what)
  local kind, number = 1, 0
  if on_device then kind, number = core.tensor_device(hooks.array_memory(what, a).buf or nil) end
  return get "make"(lend_for(a), kind, number, on_device and describe_for(a) or nil)
end

-- ---- from Python ----------------------------------------------------------------------------------------------------

-- An array over what __cuda_array_interface__ describes. The object is kept with it.
local function from_interface(o, address, read_only, typestr, stream, ndim, has_strides, ...)
  local numbers, shape, strides = { ... }, {}, has_strides and {} or nil
  for k = 1, ndim do
    shape[k] = numbers[k]
    if strides then strides[k] = numbers[ndim + k] end
  end
  local what = "interop.from_python"
  local dtype = dtypes._of(what, typestr)
  local size = layout.size(what, layout.numbers(what, "shape", shape, 0), dtype.itemsize)
  if size == 0 then return gpuarray.empty(shape, dtype) end
  if stream > 0 then stream_numbers.stream_of(stream):synchronize() end
  strides = strides and layout.numbers(what, "strides", strides, -2 ^ 53) or
    layout.dense_strides(shape, dtype.itemsize, "C")
  if #strides ~= ndim then refuse(what, "%d strides for %d axes", #strides, ndim) end
  local low, high = layout.extent(shape, strides, dtype.itemsize)
  core.tensor_check(address + low)
  core.tensor_check(address + high - 1)
  local a = gpuarray.wrap(core.pointer(address + low), shape, dtype, { strides = strides, offset = -low, base = o })
  return read_only and a:copy() or a
end

---Returns an array over the memory of a Python object, without a copy. PyTorch, CuPy, JAX, NumPy and other libraries
---with `__dlpack__` or `__cuda_array_interface__` are supported. The array keeps the object's memory alive. Work that
---is already in the object's stream comes before later work in the current stream.
---@param object userdata  as lupa passes it to Lua
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array a  a host array if the object's elements are in host memory; a
---  copy if the object is read-only
---@raise LogicError if it is not such an object, or this program does not run in Python; errors of from_dlpack; and
---  exceptions of Python, with their text
function M.from_python(object)
  local what = "interop.from_python"
  local get = python_side(what)
  if type(object) ~= "userdata" then refuse(what, "expected an object of Python, got " .. element.describe(object)) end
  local asked, is_there = pcall(get "is_there", object)
  if not asked then refuse(what, "%s", tostring(is_there)) end
  if not is_there then
    refuse(what, "the object has neither __dlpack__ nor __cuda_array_interface__: %s", errors.text(object))
  end
  local ok, result
  local function on_capsule(address, versioned)
    ok, result = pcall(exchange.from_dlpack, address, { versioned = versioned })
    return ok
  end
  local function on_interface(...) ok, result = pcall(from_interface, object, ...) end
  local called, failure = pcall(get "take", object, stream_numbers.number_of(core.current_stream()), on_capsule,
    on_interface)
  if ok == false then error(result, 0) end
  if not called then errors.raise("LogicError", what .. ": " .. tostring(failure)) end
  return result
end

return M
