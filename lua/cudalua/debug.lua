-- Finding the line of a kernel's fault: records launches, and repeats the last one on the software device. As fields of
-- cuda.debug.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local names = require "cudalua.base.names"

---Recording launches and replaying them on the software device.
---@class cudalua.debug
local M = {}

core.on_record(function(...) return require("cudalua.fault.images").keep(...) end)

local MOST = 256 * 2 ^ 20
local known = { bytes = true }

---Turns the recording of launches on or off. Before each launch, the kernel's arguments, the allocations that they
---point into, and the memory of its textures and surfaces are copied to the host. The last launch is kept, even after
---record(false). The next launch or wait raises an error of a kernel while the recording is still that of the failed
---kernel. Each launch waits for all work before it, so programs get much slower. Pointers inside memory are not
---followed; pointers in structs passed by value are. Launches of graphs and into captures are not recorded. Each Lua
---state records its own launches.
---@param on boolean  the new setting
---@param options? {bytes: integer}  bytes: the maximum size of the recorded memory in bytes, default 256 MiB. For
---  allocations beyond it only the size is recorded
---@return boolean before  true if launches were recorded before
---@raise LogicError for other arguments
function M.record(on, options)
  if type(on) ~= "boolean" then
    errors.raise("LogicError", "debug.record: on must be true or false, got " .. errors.text(on))
  end
  options = errors.options("debug.record", options, known)
  local bytes = options.bytes == nil and MOST or options.bytes
  if type(bytes) ~= "number" or bytes < 0 or bytes % 1 ~= 0 or bytes > 2 ^ 53 then
    errors.raise("LogicError", "debug.record: bytes must be a non-negative integer, got " .. errors.text(bytes))
  end
  if on then return core.record(bytes) end
  return core.record()
end

---Saves the recorded launch to a file, for replay() on another machine. It first compiles the kernel for the software
---device, so it needs NVRTC if the program runs on a GPU.
---@param path string  the file
---@raise LogicError if no launch is recorded, RuntimeError if the file cannot be written or if the kernel was loaded as
---  machine code
function M.save(path)
  if type(path) ~= "string" then
    errors.raise("LogicError", "debug.save: expected a path, got " .. errors.text(path))
  end
  require("cudalua.fault.recording").write("debug.save", path)
end

---Replays a recorded launch on the software device with all of its checks, in a child process. It works even after this
---process has lost the GPU. When printed, the result names the access, the source line, the block and the thread.
---@param path? string  a file that save() wrote; default: the last recorded launch
---@return cudalua.debug.Replay
---@raise LogicError if no launch is recorded or the file is not a recording; RuntimeError if luajit is not found (set
---  CUDALUA_LUAJIT), if the kernel was loaded as machine code, or if the software device does not support it
function M.replay(path)
  if path == nil then path = nil end -- or a NULL pointer
  if path ~= nil and type(path) ~= "string" then
    errors.raise("LogicError", "debug.replay: expected a path, got " .. errors.text(path))
  end
  return require("cudalua.fault.replay").run("debug.replay", path)
end

names.strict(M, { text = "debug", kind = "module" })

return M
