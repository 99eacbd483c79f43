-- luv's event loop with cuda.completion_fd: a kernel's completion wakes the loop, which sleeps meanwhile.
local gpu = require "spec.support.gpu"
local host = require "spec.support.host_program"

describe("luv's event loop", function()
  local missing = not host.has [[luajit -e 'require "luv"']]

  it("is woken by cuda.completion_fd when a kernel is done, and its timers run before", function()
    if missing then pending "luv is not installed" end
    local out = host.run "luajit examples/embedding/luv.lua"
    local ticks = tonumber(out:match "woken once by the completion; the timer ran (%d+) times before")
    assert.is_true(ticks and ticks > 0, out)
  end)

  it("sleeps without a call of the driver until cuda.completion_fd is readable", function()
    if missing then pending "luv is not installed" end
    local out = host.run("luajit spec/embedding/luv_sleeps.lua " .. (gpu.soft and "soft" or "cuda"))
    assert.truthy(out:find "slept, woken once", out)
  end)
end)
