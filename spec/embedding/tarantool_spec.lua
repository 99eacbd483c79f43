-- Tarantool with cuda.completion_fd: a fiber waits for a kernel while others go on.
local host = require "spec.support.host_program"

describe("Tarantool", function()
  it("runs other fibers while one waits for a kernel with cuda.completion_fd", function()
    if os.getenv "CUDALUA_SANITIZED" then pending "Tarantool is not made for AddressSanitizer" end
    if not host.has "tarantool --version" then pending "Tarantool is not installed" end
    local out = host.run "tarantool examples/embedding/tarantool.lua"
    local counted = tonumber(out:match "woken once by the completion; the other fiber counted to (%d+) before")
    assert.is_true(counted and counted > 1, out)
  end)
end)
