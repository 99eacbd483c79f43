-- Plain input: lines of a file or a function, for terminals that cannot move the cursor and for everything else.

local chunks = require "cudalua.prompt.chunk"

local concat = table.concat

local M = {}

---A reader of chunks. A chunk has as many lines as it needs to be complete.
---@param read_line fun(prompt: string): string?  nil: the end of the input
---@return fun(prompt: string, continuation: string): string?
function M.reader(read_line)
  return function(prompt, continuation)
    local line = read_line(prompt)
    if not line then return nil end
    local lines = { line }
    while not chunks.complete(concat(lines, "\n")) do
      line = read_line(continuation)
      if not line then break end
      lines[#lines + 1] = line
    end
    return concat(lines, "\n")
  end
end

---The same for lines of a file, with prompts.
---@param file file*
---@param write fun(text: string)
---@return fun(prompt: string, continuation: string): string?
function M.of_file(file, write)
  local read = file.read
  return M.reader(function(prompt)
    write(prompt)
    return read(file, "*l")
  end)
end

---The same for the process's own terminal, where Ctrl-C drops the chunk that is being typed: an empty one is read then.
---@param write fun(text: string)
---@return fun(prompt: string, continuation: string): string?
function M.of_terminal(write)
  local stdin, EINTR = io.stdin, require("cudalua.prompt.posix").EINTR
  local read, dropped = stdin.read, false
  local reader = M.reader(function(prompt)
    if dropped then return nil end
    write(prompt)
    local line, _, code = read(stdin, "*l")
    if not line and code == EINTR then
      dropped = true
      write "\n"
    end
    return line
  end)
  return function(prompt, continuation)
    dropped = false
    local text = reader(prompt, continuation)
    if dropped then return "" end
    return text
  end
end

return M
