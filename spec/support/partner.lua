-- A process beside this one: lines go both ways.
local M = {}

---Memory and handles as text, in both processes.
M.prelude = [[
  local cuda, ffi = require "cudalua", require "ffi"
  cuda.init()
  local function hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
  local function from_hex(s) return (s:gsub("..", function(h) return string.char(tonumber(h, 16)) end)) end
  local function say(...)
    print(...)
    io.stdout:flush()
  end
]]

function M.hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
function M.from_hex(s) return (s:gsub("..", function(h) return string.char(tonumber(h, 16)) end)) end

---Starts one. It ends by itself, or at the end of its input, which stop() is.
---@param code string          Lua
---@param environment? string  "CUDALUA_DRIVER=soft"
---@return {read: fun(): string?, write: fun(line: string), stop: fun(): string}  stop() returns what was not read
function M.start(code, environment)
  local script, fifo = os.tmpname(), os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write(code)
  file:close()
  os.remove(fifo)
  os.execute("mkfifo " .. fifo)
  local luajit = arg and arg[-1] and arg[-1]:find "luajit" and arg[-1] or "luajit"
  local from = assert(io.popen(("%s %s %s 2>&1 <%s"):format(environment or "", luajit, script, fifo)))
  local to = assert(io.open(fifo, "w"))
  return {
    read = function() return from:read "*l" end,
    write = function(line)
      to:write(line, "\n")
      to:flush()
    end,
    stop = function()
      to:close()
      local rest = from:read "*a"
      from:close()
      os.remove(script)
      os.remove(fifo)
      return rest
    end,
  }
end

return M
