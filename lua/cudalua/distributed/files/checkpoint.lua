-- Checkpoints: the state of a program as a folder that all ranks write. It gets its name when it is complete, so a rank
-- that ends at any moment leaves the former ones as they were.
--   path.7/state           the tables and values, without arrays
--   path.7/weights.npy     each array
--   path.7/own.0           what rank 0 has for itself
--   path.7/manifest        sizes and checksums of the others, written last

local calls = require "cudalua.distributed.calls"
local core = require "cudalua.core"
local element = require "cudalua.base.element"
local equal = require "cudalua.distributed.equal"
local errors = require "cudalua.base.errors"
local ffi = require "ffi"
local files = require "cudalua.distributed.files.file"
local layout = require "cudalua.base.layout"
local manifest = require "cudalua.distributed.files.manifest"
local ndarray = require "cudalua.ndarray"
local notice = require "cudalua.base.notice"
local objects = require "cudalua.distributed.object"
local pairs_of = require "cudalua.base.pairs_of"
local posix = require "cudalua.distributed.files.posix"
local sharded = require "cudalua.distributed.array.sharded"
local shares = require "cudalua.distributed.files.shares"
local transfer = require "cudalua.gpuarray.core.transfer"

local refuse = layout.refuse
local KEPT = 2

---@class cudalua.distributed
local M = {}

-- ---- the state as values and arrays ---------------------------------------------------------------------------------

---An array of a state.
---@class cudalua.distributed.Saved
---@field keys any[]      where it is in the state
---@field path? string    the same for messages, "state.layers[2].w"
---@field name string     its file's
---@field side "device"|"host"|"ranks"
---@field axis? integer   the divided axis
---@field share? cudalua.distributed.Share  while it is saved

-- In the same order on all ranks.
local function sorted_keys(t)
  local keys = {}
  for key in pairs_of(t) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if type(a) ~= type(b) then return type(a) < type(b) end
    if type(a) == "number" then return a < b end
    return tostring(a) < tostring(b)
  end)
  return keys
end

-- "layers[2].w" -> "layers.2.w.npy"; another array with the same letters gets a number.
local function file_name(path, taken)
  local base = path:gsub("^state%.?", ""):gsub("%[\"?(.-)\"?%]", ".%1"):gsub("[^%w_%.%-]", "_"):gsub("^%.+", "")
  base = base == "" and "array" or base:sub(1, 100)
  local name, k = base .. ".npy", 1
  while taken[name] do
    k = k + 1
    name = ("%s-%d.npy"):format(base, k)
  end
  taken[name] = true
  return name
end

-- A copy of the tables without arrays, which are put into the list.
local function take_apart(group, x, path, keys, saved)
  if shares.is_array(x) then
    local s = shares.of("checkpoint", path, x, group)
    local is_one_of_ranks = getmetatable(x) == "cudalua.distributed.Array"
    saved[#saved + 1] = { keys = { unpack(keys) }, path = path, name = file_name(path, saved.taken), axis = s.axis,
      share = s, side = is_one_of_ranks and "ranks" or s.operand.on_device and "device" or "host" }
    return nil
  end
  if type(x) ~= "table" or getmetatable(x) ~= nil then return x end
  if saved.open[x] then refuse("checkpoint", "%s is a table that contains itself", path) end
  saved.open[x] = true
  local copy = {}
  for _, key in ipairs(sorted_keys(x)) do
    keys[#keys + 1] = key
    copy[key] = take_apart(group, x[key], objects.below(path, key), keys, saved)
    keys[#keys] = nil
  end
  saved.open[x] = nil
  return copy
end

-- What the file `state` has.
local function encode_state(values, saved)
  local list = {}
  for k, x in ipairs(saved) do list[k] = { keys = x.keys, name = x.name, side = x.side, axis = x.axis } end
  return objects.encode { values = objects.encode(values, "checkpoint", "state"), arrays = list }
end

local function put(values, keys, x)
  for k = 1, #keys - 1 do values = values[keys[k]] end
  values[keys[#keys]] = x
end

-- ---- folders --------------------------------------------------------------------------------------------------------

-- The numbers of the checkpoints of a path, the newest first; and the folders that were not finished or removed.
local function numbers_of(path)
  local base = path:match "[^/]*$"
  local complete, parts = {}, {}
  for _, name in ipairs(core.list_folder(posix.folder_of(path)) or {}) do
    local number, rest
    if name:sub(1, #base) == base then number, rest = name:sub(#base + 1):match "^%.(%d+)(.*)$" end
    if number and rest == "" then
      complete[#complete + 1] = tonumber(number)
    elseif number and (rest == ".tmp" or rest == ".old") then
      parts[#parts + 1] = path .. "." .. number .. rest
    end
  end
  table.sort(complete, function(a, b) return a > b end)
  return complete, parts
end

local function remove_folder(path)
  local ok, why = core.remove_folder(path)
  if not ok then errors.raise("RuntimeError", ("checkpoint: cannot remove %s: %s"):format(path, why)) end
end

-- A folder that is removed first gets another name, since half of a checkpoint is none.
local function remove_old(path)
  for k, number in ipairs((numbers_of(path))) do
    local folder = ("%s.%.0f"):format(path, number)
    if k > KEPT then
      posix.rename("checkpoint", folder, folder .. ".old")
      remove_folder(folder .. ".old")
    end
  end
end

-- ---- writing --------------------------------------------------------------------------------------------------------

local function write_bytes(path, bytes)
  posix.create("checkpoint", path, #bytes, function(file)
    posix.write(file, 0, ffi.cast("const uint8_t *", bytes), #bytes)
    posix.sync(file)
  end)
end

-- Rank 0 makes the folder of the next checkpoint; all get its number.
local function begin_folder(group, path)
  local number = shares.together(group, "checkpoint", function()
    if group.rank ~= 0 then return "-" end
    local complete, parts = numbers_of(path)
    for _, folder in ipairs(parts) do remove_folder(folder) end
    local text = ("%.0f"):format((complete[1] or 0) + 1)
    posix.make_folders_of("checkpoint", path)
    posix.make_folder("checkpoint", path .. "." .. text .. ".tmp")
    return text
  end)
  return calls.exchange(group, "checkpoint", number)[1]
end

-- Each rank reads a part of all blocks again; rank 0 gets all sums.
local function sums_of(group, folder, names, sizes)
  local count = 0
  for _, name in ipairs(names) do count = count + manifest.blocks(sizes[name]) end
  local per = math.ceil(count / group.size)
  local own, buffer = ndarray.zeros({ math.max(per, 1) }, "uint32"), ffi.new("uint8_t[?]", manifest.BLOCK)
  local first, place = group.rank * per, 0
  shares.together(group, "checkpoint", function()
    for _, name in ipairs(names) do
      local blocks = manifest.blocks(sizes[name])
      local from, to = math.max(first - place, 0), math.min(first + per - place, blocks) - 1
      if from <= to then
        posix.open("checkpoint", folder .. "/" .. name, function(file)
          for k = from, to do own[place + k - first + 1] = manifest.sum(file, sizes[name], k, buffer) end
        end)
      end
      place = place + blocks
    end
  end)
  local all = calls.from_all(group, "gather", own, nil, "checkpoint")
  if not all then return nil end
  local sums, at = {}, 0
  for _, name in ipairs(names) do
    sums[name] = {}
    for k = 1, manifest.blocks(sizes[name]) do
      sums[name][k] = ("%08x"):format(all[math.floor(at / per) + 1][at % per + 1])
      at = at + 1
    end
  end
  return sums
end

-- The size of the file. Arrays are copied from the device one after the other.
local function write_array(group, folder, x)
  local a = shares.together(group, "checkpoint", function() return files._fetch("checkpoint", x.share) end)
  files._agree(group, "checkpoint", x.path, x.share, a, "")
  return files._write(group, "checkpoint", folder .. "/" .. x.name, x.share, a)
end

-- Each rank's own file; the sizes of all of them.
local function write_own(group, folder, bytes, names, sizes)
  shares.together(group, "checkpoint", function()
    if bytes then write_bytes(("%s/own.%d"):format(folder, group.rank), bytes) end
  end)
  for k, text in ipairs(calls.exchange(group, "checkpoint", bytes and tostring(#bytes) or "-")) do
    if tonumber(text) then
      local name = "own." .. (k - 1)
      names[#names + 1], sizes[name] = name, tonumber(text)
    end
  end
end

local OPTIONS = { group = true, own = true }

-- All ranks have to have the same arrays. A list of them may be too long for one text: so they compare a digest first.
local function check_arrays(group, saved)
  local what, parts, none = "checkpoint", {}, "the state has no further array"
  for k, x in ipairs(saved) do parts[k] = ("%s is %s"):format(x.path, shares.text(x.share)):sub(1, 1500) end
  if not equal.other(calls.exchange(group, what, core.sha256(table.concat(parts, "; ")))) then return end
  for k = 1, math.huge do
    local texts = calls.exchange(group, what, parts[k] or none)
    local other = equal.other(texts)
    if other then
      refuse(what, "the arrays of the ranks differ: on rank 0, %s, but on rank %d, %s; give all ranks the same arrays, "
        .. "or pass what each rank has for itself in the option own", texts[1], other, texts[other + 1])
    end
  end
end

---Saves the state of a program as a folder `path.N`, where N is one more than in the newest one. All ranks must call
---it. The folder appears when it is complete and on the disk. The two newest are kept.
---@param path string  of the folders, without the number; a file system that all ranks see
---@param state table  of nil, booleans, numbers, strings, 64-bit integers, arrays, and tables of these. Arrays on the
---  device and in host memory must be the same on all ranks; distributed arrays have a block on each. Other values are
---  those of rank 0
---@param options? {group: cudalua.distributed.Group, own: any}  own: a value of each rank for itself, with host arrays
---  alone; group: the ranks that save it, default all
---@return string folder
---@raise LogicError if state contains other values, or if the ranks have different arrays; RuntimeError on all ranks if
---  one cannot write
function M.checkpoint(path, state, options)
  local o, group = files._options("checkpoint", options, OPTIONS)
  local saved = { taken = {}, open = {} }
  local bytes, own = nil, nil
  calls.prepared(group, "checkpoint", function()
    if files._path("checkpoint", path):sub(-1) == "/" then refuse("checkpoint", "the path ends with '/'") end
    if type(state) ~= "table" or getmetatable(state) ~= nil then
      refuse("checkpoint", "state must be a table, got %s", element.describe(state))
    end
    bytes = encode_state(take_apart(group, state, "state", {}, saved), saved)
    if o.own ~= nil then own = objects.encode(o.own, "checkpoint", "own") end
  end)
  check_arrays(group, saved)
  local folder = path .. "." .. begin_folder(group, path)
  local part, names, sizes = folder .. ".tmp", {}, {}
  for k, x in ipairs(saved) do
    names[k] = x.name
    sizes[x.name] = write_array(group, part, x)
  end
  write_own(group, part, own, names, sizes)
  local length = shares.together(group, "checkpoint", function()
    if group.rank == 0 then write_bytes(part .. "/state", bytes) end
    return #bytes
  end)
  sizes.state = tonumber(calls.exchange(group, "checkpoint", tostring(length))[1])
  names[#names + 1] = "state"
  local sums = sums_of(group, part, names, sizes)
  shares.together(group, "checkpoint", function()
    if group.rank ~= 0 then return end
    local m = { ranks = group.size, files = {} }
    for _, name in ipairs(names) do m.files[name] = { bytes = sizes[name], sums = sums[name] } end
    write_bytes(part .. "/" .. manifest.NAME, manifest.text(m, names))
    posix.sync_folder("checkpoint", part)
    posix.rename("checkpoint", part, folder)
    remove_old(path)
  end)
  return folder
end

-- ---- reading --------------------------------------------------------------------------------------------------------

-- Calls f(read, bytes) with a file of a checkpoint.
local function with_file(folder, m, name, f)
  local about = m.files[name]
  if not about then errors.raise("RuntimeError", ("restore: the manifest of %s lacks %s"):format(folder, name)) end
  return posix.open("restore", folder .. "/" .. name, function(file)
    return f(manifest.reader(file, about), about.bytes)
  end)
end

local function read_value(folder, m, name)
  return with_file(folder, m, name, function(read, bytes)
    local data = ffi.new("uint8_t[?]", math.max(bytes, 1))
    read(0, data, bytes)
    return objects.decode(ffi.string(data, bytes))
  end)
end

local function read_array(group, folder, m, x)
  return with_file(folder, m, x.name, function(read)
    local a, shape = files._read("restore", folder .. "/" .. x.name, read, group, x.axis)
    if x.side == "host" then return a end
    a = transfer.to_gpu(a)
    return x.side == "ranks" and sharded.new(group, a, shape, x.axis) or a
  end)
end

local function read_folder(group, folder)
  local m = manifest.read("restore", folder)
  local state = read_value(folder, m, "state")
  local result = { state = objects.decode(state.values) }
  for _, x in ipairs(state.arrays) do put(result.state, x.keys, read_array(group, folder, m, x)) end
  local own = "own." .. group.rank
  if m.ranks == group.size and m.files[own] then result.own = read_value(folder, m, own) end
  return result
end

local RESTORE = { group = true }

---Reads the newest checkpoint that is not damaged, on any number of ranks. All ranks must call it. If a checkpoint is
---damaged, it calls cuda.on_notice and reads the one before.
---@param path string  as for checkpoint
---@param options? {group: cudalua.distributed.Group}  group: the ranks that read it, default all
---@return table? state  nil if there is no checkpoint; arrays are on the side where they were, and distributed arrays
---  have a block on each rank
---@return any own  what this rank passed for itself; nil if the checkpoint is of another number of ranks
---@raise RuntimeError on all ranks if no checkpoint can be read by all of them
function M.restore(path, options)
  local _, group = files._options("restore", options, RESTORE)
  local list = calls.prepared(group, "restore", function()
    files._path("restore", path)
    return group.rank == 0 and numbers_of(path) or {}
  end)
  for k, number in ipairs(list) do list[k] = ("%.0f"):format(number) end
  local text = calls.exchange(group, "restore", "newest " .. table.concat(list, " ", 1, math.min(#list, 50)))[1]
  local why
  for number in text:gmatch "%d+" do
    local folder = path .. "." .. number
    local ok, result = shares.attempt(group, "restore", function() return read_folder(group, folder) end)
    if ok then
      if why and group.rank == 0 then notice(("%s; %s was restored"):format(why, folder)) end
      return result.state, result.own
    end
    local is_damaged = errors.is_error(result, "RuntimeError") or errors.is_error(result, "LogicError")
    if not is_damaged then error(result, 0) end
    why = why or result.message
  end
  if why then errors.raise("RuntimeError", "restore: no checkpoint can be read: " .. why:gsub("^restore: ", "")) end
  return nil
end

return M
