-- The benchmarks that are not simple enough to be right by themselves: here they only have to run through.
local gpu = require "spec.support.gpu"

describe("benchmarks", function()
  if gpu.sanitized then return end -- which NVRTC and the C compiler are slow under

  it("arrays: gpuarray beside kernels by hand, whose values it compares, and the driver API in C", function()
    local pipe = assert(io.popen(gpu.driver .. " luajit bench/arrays.lua smoke 2>&1; echo status $?"))
    local out = pipe:read "*a"
    pipe:close()
    assert.truthy(out:find "is one kernel; %d+ rows, 0 of 0 goals met\nstatus 0\n$", out)
    local rows = 0
    for line in out:gmatch "[^\n]+" do
      if line:sub(1, 2) == "| " and not line:find "^| [-w]%S* |" then rows = rows + 1 end
    end
    assert.equal(tonumber(out:match "(%d+) rows"), rows)
    assert.truthy(rows >= 20)
  end)
end)
