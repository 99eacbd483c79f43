-- One .npy file that all ranks write and read at once. It appears under its name when it is complete.

local blocks = require "cudalua.distributed.array.blocks"
local calls = require "cudalua.distributed.calls"
local core = require "cudalua.core"
local element = require "cudalua.base.element"
local equal = require "cudalua.distributed.equal"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local npy = require "cudalua.ndarray.npy"
local operands = require "cudalua.distributed.operands"
local pieces = require "cudalua.distributed.array.pieces"
local posix = require "cudalua.distributed.files.posix"
local sharded = require "cudalua.distributed.array.sharded"
local shares = require "cudalua.distributed.files.shares"
local transfer = require "cudalua.gpuarray.core.transfer"

local refuse = layout.refuse

---@class cudalua.distributed
local M = {}

---The options of a call and its group. If they are wrong, the other ranks of the world raise the error, too. Names
---with "_" are not public.
---@param what string
---@param options any
---@param known table<string, boolean>
---@return table options
---@return cudalua.distributed.Group
function M._options(what, options, known)
  local group
  local ok, o = pcall(function()
    local found = errors.options(what, options, known)
    group = sharded.group_of(what, found.group)
    return found
  end)
  if not ok then calls.prepared(sharded.world(), what, error, o, 0) end
  return o, group
end

---@param what string
---@param path any
---@return string
function M._path(what, path)
  if type(path) ~= "string" or path == "" then
    refuse(what, "path must be a non-empty string, got %s", element.describe(path))
  end
  if path:find "%z" then refuse(what, "the path contains a zero byte") end
  return path
end

-- Long paths differ in their digest.
local function short(path) return #path < 500 and path or core.sha256(path) end

-- ---- writing --------------------------------------------------------------------------------------------------------

local PAGE = 4096

-- Each rank writes a part of what all of them have.
local function part_of(group, n)
  local function bound(rank) return rank == group.size and n or math.floor(n * rank / group.size / PAGE) * PAGE end
  local first = bound(group.rank)
  return first, bound(group.rank + 1) - first
end

---Writes a .npy file: rank 0 creates it, and each rank writes its part.
---@param group cudalua.distributed.Group
---@param what string
---@param path string
---@param s cudalua.distributed.Share
---@param a cudalua.ndarray.Array  its elements
---@return integer bytes  of the file
function M._write(group, what, path, s, a)
  local header = npy.header(s.dtype, false, s.shape, 1)
  local bytes = layout.size(what, s.shape, s.dtype.itemsize) * s.dtype.itemsize
  shares.together(group, what, function()
    if group.rank ~= 0 then return end
    posix.remove(what, path)
    posix.make_folders_of(what, path)
    posix.create(what, path, #header + bytes, function(file)
      posix.write(file, 0, ffi.cast("const uint8_t *", header), #header)
    end)
  end)
  shares.together(group, what, function()
    posix.change(what, path, function(file)
      local p = shares.bytes(what, a)
      local function write(place, own, n) posix.write(file, #header + place, p + own, n) end
      if s.axis then
        shares.each_run(s, write)
      else
        local first, n = part_of(group, bytes)
        if n > 0 then write(first, first, n) end
      end
      posix.sync(file)
    end)
  end)
  return #header + bytes
end

---The elements of a share in host memory.
---@param what string
---@param s cudalua.distributed.Share
---@return cudalua.ndarray.Array
function M._fetch(what, s) return operands.to_host(what, s.operand) end

local REMEDY = "make it equal on all ranks, for example with world:broadcast(a), or divide it with "
  .. "cuda.distributed.shard(a)"

---Raises unless all ranks have the same array. Each writes a part of it, and parts of different arrays must not be
---mixed. If the array is divided, only its description is compared.
---@param group cudalua.distributed.Group
---@param what string
---@param name string  for messages
---@param s cudalua.distributed.Share
---@param a cudalua.ndarray.Array  its elements
---@param more string  what has to be the same besides
function M._agree(group, what, name, s, a, more)
  local text = shares.text(s) .. more
  if s.axis then return calls.check_same(what, calls.exchange(group, what, text)) end
  equal.check(group, what, name, text, a, what == "save" and REMEDY or REMEDY .. ", or pass it in the option own")
end

local SAVE = { group = true }

---Saves an array as one .npy file, which all ranks write at once. All ranks must call it. The file appears when it is
---complete and on the disk; an older one is replaced then.
---@param path string  the file's; a file system that all ranks see
---@param a any  a distributed array, or an array that is the same on all ranks
---@param options? {group: cudalua.distributed.Group}  group: the ranks that save it, default all
---@raise LogicError if the ranks pass different arrays; RuntimeError on all ranks if one cannot write
function M.save(path, a, options)
  local _, group = M._options("save", options, SAVE)
  local s, elements = nil, nil
  calls.prepared(group, "save", function()
    M._path("save", path)
    s = shares.of("save", "a", a, group)
    elements = M._fetch("save", s)
  end)
  M._agree(group, "save", "the array", s, elements, " to " .. short(path))
  local ok, err = pcall(function()
    M._write(group, "save", path .. ".tmp", s, elements)
    shares.together(group, "save", function()
      if group.rank == 0 then posix.rename("save", path .. ".tmp", path) end
    end)
  end)
  if ok then return end
  if group.rank == 0 then pcall(posix.remove, "save", path .. ".tmp") end
  error(err, 0)
end

-- ---- reading --------------------------------------------------------------------------------------------------------

---@alias cudalua.distributed.Read fun(offset: integer, p: ffi.cdata*, n: integer)

---Reads an array, or the block of one, from a .npy file.
---@param what string
---@param path string  for messages
---@param read cudalua.distributed.Read  raises behind the file's end
---@param group cudalua.distributed.Group
---@param axis? integer|true  the axis to divide; nil: read all of it
---@return cudalua.ndarray.Array
---@return integer[] shape  of the whole array
function M._read(what, path, read, group, axis)
  local header = npy.read_header(what, path, function(n)
    local data = ffi.new("uint8_t[?]", n)
    read(0, data, n)
    return data
  end)
  axis = axis and layout.axis(what, axis, #header.shape)
  local first, past
  if axis then first, past = blocks.of(header.shape[axis], group.size, group.rank) end
  if not axis or header.order == "F" then
    local a = ndarray.empty(header.shape, header.dtype, { order = header.order })
    if a.size > 0 then
      local p = shares.bytes(what, a, true)
      read(header.offset, p, header.nbytes)
      npy.settle(header, p, header.nbytes)
    end
    if not axis then return a, header.shape end
    return a[pieces.items(axis, first, past)]:copy "C", header.shape
  end
  local block = { dtype = header.dtype, shape = header.shape, axis = axis, first = first, count = past - first }
  local own = { unpack(header.shape) }
  own[axis] = block.count
  local a = ndarray.empty(own, header.dtype)
  local p = shares.bytes(what, a, true)
  shares.each_run(block, function(place, at, n)
    read(header.offset + place, p + at, n)
    npy.settle(header, p + at, n)
  end)
  return a, header.shape
end

local LOAD = { group = true, axis = true }

---Loads an array from a .npy file on all ranks. With `axis` each rank reads its block alone. All ranks must call it.
---@param path string  the file's; any .npy file, also of NumPy
---@param options? {axis: integer, group: cudalua.distributed.Group}  axis: the axis to divide among the ranks, from 1;
---  without it, each rank gets the whole array. group: the ranks that load it, default all
---@return any  an array on the device; with `axis` a distributed array
---@raise LogicError if the file is not a .npy file, or has no such axis; RuntimeError on all ranks if one cannot read
---  it
function M.load(path, options)
  local o, group = M._options("load", options, LOAD)
  local axis = calls.prepared(group, "load", function()
    M._path("load", path)
    if o.axis == nil then return nil end
    local whole = layout.whole(o.axis)
    if not whole or whole == 0 then refuse("load", "axis must be an axis, got %s", element.describe(o.axis)) end
    return whole
  end)
  calls.check_same("load", calls.exchange(group, "load", ("%s, axis %s"):format(short(path), tostring(axis))))
  local shape
  local a = shares.together(group, "load", function()
    return posix.open("load", path, function(file)
      local found
      found, shape = M._read("load", path, function(offset, p, n) posix.read(file, offset, p, n) end, group, axis)
      return transfer.to_gpu(found)
    end)
  end)
  return axis and sharded.new(group, a, shape, layout.axis("load", axis, #shape)) or a
end

return M
