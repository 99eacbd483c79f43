-- `cudalua run`: starts a program as several processes of this machine, the ranks of cuda.distributed.

local core = require "cudalua.core"

local MOST = 64
local MOST_GRACE = 86400 -- seconds

local usage = [[
usage: cudalua run -n N [--grace S] [options] script.lua [args]
  -n N       the number of processes, 1 to 64, one for each device
  --grace S  the seconds that the others have after an error, for example to save results; default: 2
  options    of the command cudalua, such as -l NAME; without a script, -e CODE
Starts the program N times. cuda.distributed.init() connects the processes, which are numbered from 0. Each line of
output begins with the number of its process. If one ends with an error, the others are ended, too, and the status is
that of the first error.
]]

local M = {}

local function fail(text)
  io.stderr:write("cudalua: run: ", text, "\n", usage)
  return 1
end

---@class cudalua.distributed.RunArguments
---@field n integer       processes
---@field grace? number   seconds
---@field first integer   the place of the program's first argument

-- Returns what the arguments say, or nil and an error text.
local function read_arguments(argv)
  local text = argv[1] == "-np" and "" or argv[1] and argv[1]:match "^%-n(.*)$"
  if not text then return nil, "-n N must come first" end
  local first = 2
  if text == "" then text, first = argv[2] or "", 3 end
  local n = text:match "^%d+$" and tonumber(text)
  if not n or n < 1 or n > MOST then
    return nil, ("%s must be followed by a number from 1 to %d, got '%s'"):format(argv[1]:match "^%-np?", MOST, text)
  end
  local read = { n = n, first = first }
  local grace = argv[first] and argv[first]:match "^%-%-grace=?(.*)$"
  if grace then
    if grace == "" then grace, first = argv[first + 1] or "", first + 1 end
    read.grace, read.first = grace:match "^%d+%.?%d*$" and tonumber(grace), first + 1
    if not read.grace or read.grace > MOST_GRACE then
      return nil, ("--grace must be followed by seconds from 0 to %d, got '%s'"):format(MOST_GRACE, grace)
    end
  end
  if not argv[read.first] then return nil, "the script is missing" end
  return read
end

---@param argv string[]  the arguments of the command
---@return integer status
function M.run(argv)
  if argv[1] == "-h" or argv[1] == "--help" then
    io.write(usage)
    return 0
  end
  local read, why = read_arguments(argv)
  if not read then return fail(why) end
  local command = { core.realpath "/proc/self/exe", package.searchpath("cudalua.prompt.cli", package.path) }
  for k = read.first, #argv do command[#command + 1] = argv[k] end
  io.stdout:flush()
  local status, text = core.run_ranks(read.n, command, read.grace)
  if not status then return fail(text) end
  if text then io.stderr:write("cudalua: ", text, "\n") end
  return status
end

return M
