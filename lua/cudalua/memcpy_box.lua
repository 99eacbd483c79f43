-- Memcpy2D, Memcpy3D, Memcpy3DPeer: descriptions of rectangular copies, with fields that are set and a call that runs
-- them.

local core = require "cudalua.core"
local errors = require "cudalua.errors"
local host = require "cudalua.ffi"

---@class cudalua
local M = {}

local HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4 -- CUmemorytype

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
local seen = per_side("memory_type", "device", "host", "array")

local function set_memory(self, side, kind, object, slot, nbytes)
  local state = self[STATE]
  state[side .. "_memory_type"], state[side .. "_object"] = kind, object
  state[side .. "_slot"], state[side .. "_nbytes"] = slot, nbytes
end

local function set_host(self, side, buf)
  local slot, n, anchor = host.host_buffer(("%s: set_%s_host"):format(self[STATE].class, side), buf, nil, side == "dst")
  -- A string is its own slot; a box's address is good as long as the anchor lives.
  set_memory(self, side, HOST, anchor, slot, n)
end

local function check_memory(self, side, what, x, kinds)
  local kind = core.kind(x)
  if not kinds[kind or type(x)] then
    errors.raise("LogicError", ("%s: set_%s_%s: expected %s, got %s"):format(self[STATE].class, side, what, kinds.text,
      kind or type(x)))
  end
  return x
end

local device_kinds = { text = "device memory or an address", number = true, DeviceAllocation = true,
  DevicePointer = true, ManagedAllocation = true, HostAllocation = true, RegisteredHostMemory = true, IPCMemoryHandle = true }
local array_kinds = { text = "an Array", Array = true }

local function class(name, fields, form)
  local methods = {}
  for _, side in ipairs { "src", "dst" } do
    methods["set_" .. side .. "_host"] = function(self, buf) set_host(self, side, buf) end
    methods["set_" .. side .. "_array"] = function(self, ary)
      set_memory(self, side, ARRAY, check_memory(self, side, "array", ary, array_kinds))
    end
    methods["set_" .. side .. "_device"] = function(self, ptr)
      set_memory(self, side, DEVICE, check_memory(self, side, "device", host.device(ptr), device_kinds))
    end
    methods["set_" .. side .. "_unified"] = function(self, buf)
      local ptr = host.device(buf)
      if device_kinds[core.kind(ptr) or type(ptr)] then
        set_memory(self, side, UNIFIED, ptr)
      else
        local slot, n, anchor = host.host_buffer(("%s: set_%s_unified"):format(name, side), buf, nil, side == "dst")
        set_memory(self, side, UNIFIED, anchor, slot, n)
      end
    end
    if form == "peer" then
      methods["set_" .. side .. "_context"] = function(self, ctx)
        if core.kind(ctx) ~= "Context" then
          errors.raise("LogicError", ("%s: set_%s_context: expected a Context, got %s"):format(name, side,
            core.kind(ctx) or type(ctx)))
        end
        self[STATE][side .. "_context"] = ctx
      end
    end
  end
  local mt = { __name = "cudalua." .. name, __metatable = false }

  function mt:__index(key)
    local state = rawget(self, STATE)
    if methods[key] then return methods[key] end
    if fields[key] then return state[key] or 0 end
    if seen[key] then
      local side, what = key:match "^(%l+)_(.*)$"
      if what == "memory_type" then return state[key] end
      local kinds = { device = DEVICE, host = HOST, array = ARRAY }
      return state[side .. "_memory_type"] == kinds[what] and state[side .. "_object"] or nil
    end
    errors.raise("LogicError", ("%s has no field '%s'"):format(name, tostring(key)))
  end

  function mt:__newindex(key, value)
    if not fields[key] then
      errors.raise("LogicError", ("%s has no field '%s'%s"):format(name, tostring(key),
        seen[key] and " that can be written to; use the set_ methods" or ""))
    end
    value = host.plain_number(value)
    if type(value) ~= "number" or value < 0 or value ~= math.floor(value) or value > 2 ^ 53 then
      errors.raise("LogicError", ("%s.%s: expected a whole number from 0 to 2^53, got %s"):format(name, key,
        tostring(value)))
    end
    rawget(self, STATE)[key] = value
  end

  function mt:__call(how)
    local state, stream = rawget(self, STATE), nil
    local this = form
    if type(how) == "table" then
      errors.check_options(name, how, form == "2d" and { aligned = true, stream = true } or { stream = true })
      if how.aligned == false then this = "2d_unaligned" end
      stream = how.stream
      if how.aligned == false and stream ~= nil then
        errors.raise("LogicError", name .. ": an unaligned copy takes no stream")
      end
    elseif type(how) == "boolean" and form == "2d" then
      if not how then this = "2d_unaligned" end
    elseif how ~= nil then
      stream = how
    end
    if stream ~= nil and core.kind(stream) ~= "Stream" then
      errors.raise("LogicError", ("%s: expected a Stream, got %s"):format(name, core.kind(stream) or type(stream)))
    end
    core.memcpy_box(this, state, stream ~= nil, stream)
  end

  function mt.__tostring() return "cudalua." .. name end

  return setmetatable({}, { __index = methods, __call = function(_, ...)
    if select("#", ...) > 0 then errors.raise("LogicError", name .. ": takes no arguments; set its fields") end
    return setmetatable({ [STATE] = { class = name } }, mt)
  end })
end

---A copy of a rectangle: `local c = cuda.Memcpy2D()`. Fields, all 0 at first: src_x_in_bytes, src_y, src_pitch,
---dst_x_in_bytes,
---dst_y, dst_pitch, width_in_bytes, height. The ends are set by set_src_host(buf), set_src_device(memory),
---set_src_array(array),
---set_src_unified(memory or buffer) and set_dst_...; the copy holds them. `c()` copies and waits for it where host
---memory is
---involved, `c{aligned = false}` (or `c(false)`) takes any pitch, `c(stream)` copies in the order of a stream.
---Raises LogicError for unknown fields, and where the rectangle leaves the memory.
---@class cudalua.Memcpy2D
---@overload fun(): cudalua.Memcpy2D
M.Memcpy2D = class("Memcpy2D", fields_2d, "2d")

---A copy of a box: as Memcpy2D, and src_z, src_height (rows from slice to slice; not for arrays), src_lod, dst_z,
---dst_height,
---dst_lod, depth. `c()` or `c(stream)`.
---@class cudalua.Memcpy3D
---@overload fun(): cudalua.Memcpy3D
M.Memcpy3D = class("Memcpy3D", fields_3d, "3d")

---A copy of a box between two contexts: as Memcpy3D, and set_src_context(ctx), set_dst_context(ctx), which are the
---current one
---where they are not set.
---@class cudalua.Memcpy3DPeer
---@overload fun(): cudalua.Memcpy3DPeer
M.Memcpy3DPeer = class("Memcpy3DPeer", fields_3d, "peer")

return M
