-- Every public function of docs/contract.lua is called with nonsense in the place of each argument: nil, other types,
-- NaN, negative, fractional and huge numbers, closed objects, objects of a context that is gone and of another one,
-- foreign cdata and userdata, tables whose metamethods raise. Each call ends with an error of this library, or well;
-- afterwards the library works. spec/support/nonsense.lua does it, in processes of its own.
local gpu = require "spec.support.gpu"
local turn = require "spec.support.turn"

local HERE = io.popen("pwd"):read "*l"
local GROUP = 100 -- functions of a process

-- What the process was about to call when it died.
local function last_words(path)
  local file = io.open(path)
  local text = file and file:read "*l" or "?"
  if file then file:close() end
  return (text:gsub("%s+$", ""))
end

local function sweep(first, last)
  local folder = os.tmpname()
  os.remove(folder)
  local out, ok = gpu.child(([[
    arg = { [0] = "nonsense.lua", "%s", "at", "%d", "%d" }
    dofile "%s/spec/support/nonsense.lua"
  ]]):format(HERE, first, last, HERE), ("mkdir %s && cd %s && ASAN_OPTIONS=$ASAN_OPTIONS:allocator_may_return_null=1 "
    .. "CUDALUA_DRIVER=%s timeout 300"):format(folder, folder, gpu.soft and "soft" or "cuda"))
  local died = not ok and ("it died at " .. last_words(folder .. "/at") .. "\n") or ""
  os.execute("rm -rf " .. folder)
  assert.equal("", died .. (ok and "" or out))
  local swept, all, calls = out:match "(%d+) of (%d+) functions, (%d+) calls\n$"
  assert.truthy(swept, out)
  assert.equal("", (out:gsub("[^\n]*\n$", "")))
  return tonumber(swept), tonumber(all), tonumber(calls)
end

describe("nonsense as arguments", function()
  it("is refused by every public function, which works afterwards", function()
    -- In a run with a turn a part of them, other ones the next time: all would take minutes.
    -- The sanitizers make a quarter of them last a minute and a half, so there it is an eighth.
    local parts = turn.partial and (os.getenv "CUDALUA_SANITIZED" and 8 or 4) or 1
    local step, at = parts * GROUP, turn.number % parts * GROUP
    local swept, all, calls = 0, at + 1, 0
    while at < all do
      local n, of, c = sweep(at + 1, at + GROUP)
      at, swept, all, calls = at + step, swept + n, of, calls + c
    end
    assert.is_true(swept == all or turn.partial and swept >= GROUP, swept .. " of " .. all)
    assert.is_true(all > 350 and calls > 60 * swept, swept .. " functions, " .. calls .. " calls")
  end)
end)
