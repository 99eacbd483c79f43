-- Tests of distributed arrays: checks of a file of spec/support, run by ranks.
local ranks = require "spec.support.ranks"
local assert = require "luassert"
local gpu = require "spec.support.gpu"
local turn = require "spec.support.turn"

local M = {}

-- Numbers of ranks. CI has two of them, and one under the sanitizers; CUDALUA_ALL has six and eight as well.
M.sizes = os.getenv "CUDALUA_ALL" and { 1, 2, 3, 4, 6, 8 } or turn.share({ 2, 1, 4, 3 }, gpu.sanitized and 4 or 2)

local outputs = {}

-- What so many ranks printed, each number of ranks once.
local function output_of(file, n)
  local key = file .. n
  if not outputs[key] then
    local program = "sh bin/cudalua run -n %d spec/support/run_sharded.lua %s"
    -- With NCCL, ranks compare their calls only if they are told to.
    local environment = gpu.driver .. (gpu.soft and "" or " CUDALUA_DIST_CHECK=1") .. " CUDALUA_DIST_TIMEOUT=60 "
    local out, status = ranks.command(environment .. program:format(n, file))
    outputs[key] = { text = out, status = status, by_rank = ranks.by_rank(out) }
  end
  return outputs[key]
end

---Makes a test of each check. tests: by name behind "cuda.distributed.", the check.
function M.define(it, file, tests)
  for name, check in pairs(tests) do
    it("cuda.distributed." .. name, function()
      for _, n in ipairs(M.sizes) do
        local o = output_of(file, n)
        for rank = 0, n - 1 do
          local found = false
          for _, line in ipairs(o.by_rank[rank] or {}) do found = found or line:match "^passed ([^,]+)" == check end
          assert(found, ("rank %d of %d did not pass:\n%s"):format(rank, n, o.text))
        end
      end
    end)
  end
end

---Runs code in a process that is the only rank.
function M.alone(code)
  local out, ok = gpu.child('local cuda = require "cudalua"\n' .. code .. '\nprint "done"', gpu.driver)
  assert.equal("done\n", out)
  assert.is_true(ok)
end

return M
