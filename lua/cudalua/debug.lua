-- Finding the line of a kernel's fault: records launches, and repeats the last one on the software device. As fields of
-- cuda.debug.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local names = require "cudalua.base.names"

---Recording launches, and repeating them on the software device.
---@class cudalua.debug
local M = {}

core.on_record(function(...) return require("cudalua.fault.images").keep(...) end)

local MOST = 256 * 2 ^ 20
local known = { bytes = true }

---Records launches, or stops it. Before each launch the kernel's arguments and the allocations that they point into are
---copied to the host, and what its textures and surfaces read. The last launch is kept, also after record(false). A
---fault is then raised by the next launch or wait, while the recording is still that of the kernel at fault. Each
---launch waits for all work before it, so programs get much slower. Pointers inside memory are not followed; pointers
---in structs that are passed by value are. Launches of graphs and into captures are not recorded. Other Lua states
---record for themselves.
---@param on boolean
---@param options? {bytes: integer}  bytes: most bytes of memory that are kept, default 256 MiB. Of allocations beyond
---  it only the size is kept
---@return boolean before  whether launches were recorded
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

---Writes the recorded launch to a file, for replay() on another machine. The kernel is compiled for the software device
---first, so NVRTC is needed if the program runs on a GPU.
---@param path string
---@raise LogicError if nothing is recorded, RuntimeError if the file cannot be written or if the kernel came as machine
---  code
function M.save(path)
  if type(path) ~= "string" then
    errors.raise("LogicError", "debug.save: expected a path, got " .. errors.text(path))
  end
  require("cudalua.fault.recording").write("debug.save", path)
end

---Repeats a recorded launch on the software device with all of its checks, in a child process. Works after the GPU is
---lost to this process. Prints as a text that names the access, the line of the source, block and thread.
---@param path? string  a file of save(); default: the last recorded launch
---@return cudalua.debug.Replay
---@raise LogicError if nothing is recorded or the file is no recording; RuntimeError if luajit is not found
---  (CUDALUA_LUAJIT names it), if the kernel came as machine code or if the software device does not take it
function M.replay(path)
  if path == nil then path = nil end -- or a NULL pointer
  if path ~= nil and type(path) ~= "string" then
    errors.raise("LogicError", "debug.replay: expected a path, got " .. errors.text(path))
  end
  return require("cudalua.fault.replay").run("debug.replay", path)
end

names.strict(M, { text = "debug", kind = "module" })

return M
