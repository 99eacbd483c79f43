-- Finalizers of the program's that interfere with the call during which the collector runs them.
local gpu = require "spec.support.gpu"

local function run(...)
  local code = ("arg = { %q } dofile 'spec/support/hostile.lua'"):format((...) or "")
  local out, ok = gpu.child(code, gpu.driver)
  assert.equal("fine\n", out)
  assert.is_true(ok)
end

describe("hostile finalizers", function()
  it("that raise, or close what the call uses, disturb nothing, and nothing dead reaches the driver", function()
    run()
  end)

  it("that detach or change the current context", function()
    if not gpu.soft then return pending "makes some hundred contexts" end
    run "contexts"
  end)
end)
