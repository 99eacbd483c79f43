-- Memcpy2D, Memcpy3D, Memcpy3DPeer: descriptions of rectangular copies, with fields that are set and a call that runs
-- them.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local names = require "cudalua.base.names"

---@class cudalua
local M = {}

local HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4 -- CUmemorytype
local memory_types = { device = DEVICE, host = HOST, array = ARRAY, unified = UNIFIED }

local STATE = {} -- key of the table with the fields, which so never lie in the object itself

local function per_side(...)
  local set = {}
  for _, name in ipairs { ... } do
    set["src_" .. name], set["dst_" .. name] = true, true
  end
  return set
end

local fields_2d = per_side("x_in_bytes", "y", "pitch")
fields_2d.width_in_bytes, fields_2d.height = true, true
local fields_3d = per_side("x_in_bytes", "y", "z", "lod", "pitch", "height")
fields_3d.width_in_bytes, fields_3d.height, fields_3d.depth = true, true, true

-- What set_src_device() and its like leave, for reading only.
local seen = per_side("memory_type", "device", "host", "array", "unified")

-- The fields of a copy of that class.
local function state_of(self, name)
  local state = type(self) == "table" and rawget(self, STATE)
  if not state or state.class ~= name then
    errors.raise("LogicError", ("%s: expected a %s (call the method with a colon), got %s"):format(name, name,
      core.kind(self) or type(self)))
  end
  return state
end

local function set_memory(state, side, kind, object)
  state[side .. "_memory_type"], state[side .. "_object"] = kind, object
  state[side .. "_buffer"], state[side .. "_slot"], state[side .. "_nbytes"] = nil, nil, nil
end

-- Where a host buffer is now: the memory of an array may be freed, or an object's buffer may move.
local function find_buffer(state, side, method)
  local where = ("%s: set_%s_%s"):format(state.class, side, method)
  state[side .. "_slot"], state[side .. "_nbytes"], state[side .. "_object"] =
    host.host_buffer(where, state[side .. "_buffer"], nil, side == "dst")
end

local function set_buffer(state, side, kind, buf)
  find_buffer({ class = state.class, [side .. "_buffer"] = buf }, side, kind == HOST and "host" or "unified")
  set_memory(state, side, kind, nil)
  state[side .. "_buffer"] = buf
end

local function check_kind(state, side, what, x, kinds)
  local kind = core.kind(x)
  if not kinds[kind or type(x)] then
    errors.raise("LogicError", ("%s: set_%s_%s: expected %s, got %s"):format(state.class, side, what, kinds.text,
      kind or type(x)))
  end
  return x
end

local device_kinds = { text = "device memory or an address", number = true, DeviceAllocation = true,
  PooledDeviceAllocation = true, DevicePointer = true, ManagedAllocation = true, HostAllocation = true,
  RegisteredHostMemory = true, IPCMemoryHandle = true }
local array_kinds = { text = "an Array", Array = true }
local context_kinds = { text = "a Context", Context = true }

-- The methods that set an end of a copy.
local function add_setters(methods, name, side)
  methods["set_" .. side .. "_host"] = function(self, buf) set_buffer(state_of(self, name), side, HOST, buf) end
  methods["set_" .. side .. "_array"] = function(self, ary)
    local state = state_of(self, name)
    set_memory(state, side, ARRAY, check_kind(state, side, "array", ary, array_kinds))
  end
  methods["set_" .. side .. "_device"] = function(self, ptr)
    local state = state_of(self, name)
    set_memory(state, side, DEVICE, check_kind(state, side, "device", host.device(ptr), device_kinds))
  end
  methods["set_" .. side .. "_unified"] = function(self, buf)
    local state = state_of(self, name)
    local ptr = getmetatable(buf) ~= "cudalua.ndarray" and host.device(buf) or buf
    if device_kinds[core.kind(ptr) or type(ptr)] then
      set_memory(state, side, UNIFIED, ptr)
    else
      set_buffer(state, side, UNIFIED, buf)
    end
  end
end

local function add_context_setter(methods, name, side)
  methods["set_" .. side .. "_context"] = function(self, ctx)
    local state = state_of(self, name)
    state[side .. "_context"] = check_kind(state, side, "context", ctx, context_kinds)
  end
end

-- What a setter has left: src_device ... and the type of memory. Nil: that end is another kind of memory.
local function seen_field(state, key)
  local side, what = key:match "^(%l+)_(.*)$"
  if what == "memory_type" then return state[key] end
  if state[side .. "_memory_type"] ~= memory_types[what] then return nil end
  return state[side .. "_buffer"] or state[side .. "_object"]
end

local function field_value(name, key, value)
  value = host.plain_number(value)
  if type(value) ~= "number" or value < 0 or value ~= math.floor(value) or value > 2 ^ 53 then
    errors.raise("LogicError", ("%s.%s: expected an integer from 0 to 2^53, got %s"):format(name, key,
      errors.text(value)))
  end
  return value
end

-- The argument of a call: which copy of the core it is, and the stream.
local function form_and_stream(name, form, how)
  local stream
  if type(how) == "table" then
    how = errors.options(name, how, form == "2d" and { aligned = true, stream = true } or { stream = true })
    stream = how.stream
    if how.aligned ~= nil and type(how.aligned) ~= "boolean" then
      errors.raise("LogicError", ("%s: aligned must be true or false, got %s"):format(name, type(how.aligned)))
    end
    if how.aligned == false then
      if stream ~= nil then errors.raise("LogicError", name .. ": an unaligned copy takes no stream") end
      form = "2d_unaligned"
    end
  elseif type(how) == "boolean" and form == "2d" then
    if not how then form = "2d_unaligned" end
  elseif how ~= nil then
    stream = how
  end
  if stream ~= nil and core.kind(stream) ~= "Stream" then
    errors.raise("LogicError", ("%s: expected a Stream, got %s"):format(name, core.kind(stream) or type(stream)))
  end
  return form, stream
end

local function copy(state, form, stream)
  for _, side in ipairs { "src", "dst" } do
    if state[side .. "_buffer"] ~= nil then
      find_buffer(state, side, state[side .. "_memory_type"] == HOST and "host" or "unified")
    end
  end
  core.memcpy_box(form, state, stream ~= nil, stream)
end

local function class(name, fields, form)
  local methods = {}
  for _, side in ipairs { "src", "dst" } do
    add_setters(methods, name, side)
    if form == "peer" then add_context_setter(methods, name, side) end
  end
  local mt = { __name = "cudalua." .. name, __metatable = false }
  local owner = { text = name, tables = { methods, fields, seen } }

  function mt:__index(key)
    local state = rawget(self, STATE)
    if methods[key] then return methods[key] end
    if fields[key] then return state[key] or 0 end
    if seen[key] then return seen_field(state, key) end
    if type(key) ~= "string" then errors.raise("LogicError", ("%s has no field %s"):format(name, errors.text(key))) end
    return names.unknown(owner, key)
  end

  function mt:__newindex(key, value)
    if not fields[key] then
      errors.raise("LogicError", ("%s has no field %s%s"):format(name, errors.text(key),
        seen[key] and " that can be written to; use the set_ methods" or ""))
    end
    rawget(self, STATE)[key] = field_value(name, key, value)
  end

  function mt:__call(how) copy(rawget(self, STATE), form_and_stream(name, form, how)) end

  function mt.__tostring() return "cudalua." .. name end

  return setmetatable({}, { __index = methods, __call = function(_, ...)
    if select("#", ...) > 0 then errors.raise("LogicError", name .. ": takes no arguments; set its fields") end
    return setmetatable({ [STATE] = { class = name } }, mt)
  end })
end

---A copy of a rectangle: `local c = cuda.Memcpy2D()`. Its fields, initially 0, are src_x_in_bytes, src_y, src_pitch,
---dst_x_in_bytes, dst_y, dst_pitch, width_in_bytes and height; you must set the last two. A pitch is the number of
---bytes from one row to the next. A pitch of 0 means contiguous rows; arrays do not have a pitch. Set the source with
---set_src_host(buf), set_src_device(memory), set_src_array(array) or set_src_unified(memory or buffer), and the
---destination with set_dst_... in the same way. The copy keeps both alive, and returns them as src_host, src_device ...
---`c()` copies, and waits if host memory is involved. `c{aligned = false}` (or `c(false)`) accepts any pitch.
---`c(stream)` copies in stream order and keeps source and destination alive until it is done. Raises a LogicError for
---unknown fields, for memory of another context than the current one, and if the rectangle exceeds the memory.
---@class cudalua.Memcpy2D
---@overload fun(): cudalua.Memcpy2D
---@field src_x_in_bytes integer  the first byte of each row in the source
---@field src_y integer  the first row in the source
---@field src_pitch integer  bytes from one row to the next
---@field dst_x_in_bytes integer  the first byte of each row in the destination
---@field dst_y integer  the first row in the destination
---@field dst_pitch integer  bytes from one row to the next
---@field width_in_bytes integer  bytes in each row; required
---@field height integer  the number of rows; required
M.Memcpy2D = class("Memcpy2D", fields_2d, "2d")

---A copy of a box: as Memcpy2D, with src_z, src_height (rows from one slice to the next; 0: contiguous slices; not for
---arrays), src_lod, dst_z, dst_height, dst_lod and depth (required). Call `c()` or `c(stream)`.
---@class cudalua.Memcpy3D
---@overload fun(): cudalua.Memcpy3D
---@field src_x_in_bytes integer  as for Memcpy2D
---@field src_y integer  as for Memcpy2D
---@field src_z integer  the first slice in the source
---@field src_lod integer  the level of a mipmapped array
---@field src_pitch integer  bytes from one row to the next
---@field src_height integer  rows from one slice to the next
---@field dst_x_in_bytes integer  as for Memcpy2D
---@field dst_y integer  as for Memcpy2D
---@field dst_z integer  the first slice in the destination
---@field dst_lod integer  the level of a mipmapped array
---@field dst_pitch integer  bytes from one row to the next
---@field dst_height integer  rows from one slice to the next
---@field width_in_bytes integer  bytes in each row; required
---@field height integer  the number of rows; required
---@field depth integer  the number of slices; required
M.Memcpy3D = class("Memcpy3D", fields_3d, "3d")

---A copy of a box between two contexts: as Memcpy3D, with set_src_context(ctx) and set_dst_context(ctx). The default of
---both is the current context. Memory must belong to the context of its side.
---@class cudalua.Memcpy3DPeer
---@overload fun(): cudalua.Memcpy3DPeer
---@field src_x_in_bytes integer  as for Memcpy3D
---@field src_y integer  as for Memcpy3D
---@field src_z integer  as for Memcpy3D
---@field src_lod integer  the level of a mipmapped array
---@field src_pitch integer  bytes from one row to the next
---@field src_height integer  rows from one slice to the next
---@field dst_x_in_bytes integer  as for Memcpy3D
---@field dst_y integer  as for Memcpy3D
---@field dst_z integer  as for Memcpy3D
---@field dst_lod integer  the level of a mipmapped array
---@field dst_pitch integer  bytes from one row to the next
---@field dst_height integer  rows from one slice to the next
---@field width_in_bytes integer  bytes in each row; required
---@field height integer  the number of rows; required
---@field depth integer  the number of slices; required
M.Memcpy3DPeer = class("Memcpy3DPeer", fields_3d, "peer")

return M
