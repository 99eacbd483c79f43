-- Notices of programs of several ranks.
local ranks = require "spec.support.ranks"

describe("cudalua run", function()
  it("tells once that no GPU is found", function()
    local code = [[
      local cuda = require "cudalua"
      cuda.init()
      print(cuda.driver_info().soft)
    ]]
    local out, status = ranks.run(3, code, { environment = "CUDALUA_DRIVER=auto" })
    assert.equal(0, status, out)
    local _, soft = out:gsub("%] true\n", "")
    local _, notices = out:gsub("no GPU found", "")
    assert.equal(soft > 0 and 1 or 0, notices, out)
    if soft > 0 then assert.truthy(out:find("[0] cudalua: no GPU found", 1, true), out) end
  end)
end)
