-- Processes that a benchmark asks in turns: a line of words each way.
local ffi = require "ffi"

local M = {}

ffi.cdef "void *signal(int number, void *handler);"
ffi.C.signal(13, ffi.cast("void *", 1)) -- SIGPIPE: a peer that ended is not the end of this

local function numbers(reply)
  local list = {}
  for word in (reply or ""):gmatch "%S+" do list[#list + 1] = tonumber(word) end
  return unpack(list)
end

---Starts one that answers each line of its input with a line; its first line says what it is. Several may get ready
---at the same time.
---@param command string
---@return table process
function M.start(command)
  local pipe = os.tmpname()
  os.remove(pipe)
  assert(os.execute("mkfifo " .. pipe) == 0, "mkfifo failed")
  return { pipe = pipe, input = io.popen(("exec %s >%s"):format(command, pipe), "w"), command = command }
end

---Waits for its first line.
---@return string? line  nil: it ended
function M.connect(p)
  p.output = io.open(p.pipe)
  os.remove(p.pipe)
  p.greeting = p.output:read "*l"
  return p.greeting
end

---@return number ...  of the answer; none where it failed
function M.ask(p, ...)
  p.input:write(table.concat({ ... }, " "), "\n")
  p.input:flush()
  return numbers(p.output:read "*l")
end

function M.stop(p)
  p.input:close()
  p.output:close()
end

---Runs a command to its end.
---@return number ...  of its first line
function M.once(command)
  local pipe = io.popen(command)
  local reply = pipe:read "*l"
  pipe:close()
  return numbers(reply)
end

return M
