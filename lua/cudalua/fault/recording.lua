-- The recorded launch as a file: fields of text, and behind them the bytes of memory.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local functions = require "cudalua.driver.function"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

local MAGIC = "cudalua recording 1\n"

-- What is asked for at the recording's time does not matter to its PTX, or is put in its place.
local other = { arch = true, code = true, target = true, debug = true, keep = true, pch = true, time = true }

-- The options of a compilation for the software device, with the lines of the source.
local function options_for_replay(opts)
  local own = { arch = "compute_80", target = "ptx", lineinfo = true }
  for name, value in pairs_of(opts) do
    if not other[name] then own[name] = value end
  end
  return own
end

-- PTX of the kernel, with lines if there is a way.
local function ptx_of(where, recorded)
  local origin, why = functions.origin(recorded.fn), nil
  local ptx = origin.ptx
  if ptx and ptx:find("\n%s*%.loc%s") then return ptx, origin end
  if origin.source then
    local ok, image = pcall(require("cudalua.compiler").compile, origin.source, options_for_replay(origin.opts))
    if ok then return image, origin end
    why = image
  end
  if ptx then return ptx, origin end
  errors.raise("RuntimeError", ("%s: kernel %s cannot be compiled for the software device"):format(where,
    recorded.kernel), {
      kernel = recorded.kernel,
      detail = why and tostring(why) or "its CUDA C is not known: it was loaded as machine code, or from several " ..
        "sources",
      hint = "load it with cuda.kernel(), cuda.SourceModule() or as PTX",
    })
end

-- "float *p" for each parameter, as far as they are known.
local function parameters(fn)
  local ok, list = pcall(core.function_params, fn)
  return ok and list or {}
end

---Writes the launch that was recorded last.
---@param where string  function, for messages
---@param path string
---@return number bytes  of all allocations, also those that were not kept
function M.write(where, path)
  local recorded = core.recorded()
  if not recorded then
    errors.raise("LogicError", where .. ": no launch is recorded",
      { hint = "call cuda.debug.record(true) before the kernel is launched" })
  end
  local ptx, origin = ptx_of(where, recorded)
  local out, total = { MAGIC }, 0
  local function field(name, value) out[#out + 1] = ("%s %d\n%s\n"):format(name, #value, value) end
  local function three(name, n) field(name, ("%.0f %.0f %.0f"):format(n[1], n[2], n[3])) end
  field("kernel", recorded.kernel)
  field("where", recorded.where or "")
  three("grid", recorded.grid)
  three("block", recorded.block)
  if recorded.cluster then three("cluster", recorded.cluster) end
  field("shared", ("%.0f"):format(recorded.shared))
  field("cooperative", recorded.cooperative and "1" or "0")
  field("arguments", recorded.arguments)
  for _, p in ipairs(parameters(recorded.fn)) do field("parameter", ("%d %d %s"):format(p.offset, p.size, p.text)) end
  for _, p in ipairs(recorded.pieces) do
    total = total + p.bytes
    field("piece", ("%.0f %.0f %d"):format(p.address, p.bytes, p.kept and 1 or 0))
  end
  for _, p in ipairs(recorded.pointers) do field("pointer", ("%.0f %.0f"):format(p.offset, p.piece)) end
  for _, image in ipairs(recorded.images or {}) do field("image", image) end
  field("ptx", ptx)
  if origin.source then
    field("name", origin.opts.name or "kernel.cu")
    field("source", origin.source)
  end
  field("data", "")
  local ok, why = core.record_write(path, table.concat(out))
  if not ok then errors.raise("RuntimeError", ("%s: %s cannot be written: %s"):format(where, path, why)) end
  return total
end

local lists = { image = true, parameter = true, piece = true, pointer = true }

---Reads the fields of a recording. The file then stands at the bytes of the first piece.
---@param file file*
---@return table<string, any>?  strings by name, lists of parameter, piece and pointer; nil: it is not a recording
function M.read(file)
  if file:read(#MAGIC) ~= MAGIC then return nil end
  local fields = { image = {}, parameter = {}, piece = {}, pointer = {} }
  while true do
    local name, size = (file:read "*l" or ""):match "^(%l+) (%d+)$"
    if not name then return nil end
    local value = size == "0" and "" or file:read(tonumber(size))
    if not value or #value ~= tonumber(size) or file:read(1) ~= "\n" then return nil end
    if name == "data" then return fields end
    if lists[name] then table.insert(fields[name], value) else fields[name] = value end
  end
end

return M
