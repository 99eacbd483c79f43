-- A program that is talked to through pipes: bytes go both ways.
local M = {}

---Starts it. It is ended if it runs longer than `seconds`, so that a read() always comes back.
---@param command string  a line of shell, which has the pipes as %s and stdout: "server <%s", "browser 3<%s 4>&1"
---@param seconds integer
---@return {read: fun(n: any): string?, write: fun(text: string), stop: fun()}
function M.start(command, seconds)
  local fifo = os.tmpname()
  os.remove(fifo)
  assert(os.execute("mkfifo " .. fifo) == 0, "mkfifo")
  local from = assert(io.popen(("unset LD_PRELOAD; exec timeout %d %s 2>/dev/null"):format(seconds,
    command:format(fifo))))
  local to = assert(io.open(fifo, "w"))
  return {
    read = function(n) return from:read(n) end,
    write = function(text)
      to:write(text)
      to:flush()
    end,
    stop = function()
      to:close()
      from:read "*a"
      from:close()
      os.remove(fifo)
    end,
  }
end

return M
