-- Programs of examples/embedding in the hosts that they are for. A spec whose host is not installed is pending;
-- spec/skipped.lua lists those as no_luv and no_tarantool.
local assert = require "luassert"
local gpu = require "spec.support.gpu"

local M = {}

local function output_of(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo status $?"))
  local out = pipe:read "*a"
  pipe:close()
  return out, tonumber(out:match "status (%d+)\n$")
end

-- Whether the command, which asks the host for nothing but itself, succeeds.
function M.has(command)
  local _, status = output_of(command)
  return status == 0
end

-- What the program printed; it has to succeed.
function M.run(command)
  local out, status = output_of(("%s %s"):format(gpu.driver, command))
  assert.equal(0, status, out)
  return out
end

return M
