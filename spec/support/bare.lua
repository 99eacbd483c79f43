-- Runs spec files without busted: in the same process, test by test, and raises the first failure. For specs that want
-- the tests of others run under other conditions.
local M = {}

---@param file string
---@return integer passed
function M.run(file)
  local passed, outer = 0, nil
  local env = setmetatable({ assert = require "luassert" }, { __index = _G })
  local skip = {}

  function env.pending() error(skip, 0) end

  function env.describe(_, body)
    local me = { up = outer, setup = {}, teardown = {}, before_each = {}, after_each = {}, tests = {} }
    outer = me
    body()
    outer = me.up
    -- Blocks inside of others are run where they stand among the tests.
    local function run()
      for _, f in ipairs(me.setup) do f() end
      for _, test in ipairs(me.tests) do test() end
      for _, f in ipairs(me.teardown) do f() end
    end
    if outer then outer.tests[#outer.tests + 1] = run else run() end
  end

  for _, hook in ipairs { "setup", "teardown", "before_each", "after_each" } do
    env[hook] = function(f) table.insert(outer[hook], f) end
  end

  local function each(block, hook)
    if not block then return end
    each(block.up, hook)
    for _, f in ipairs(block[hook]) do f() end
  end

  function env.it(name, body)
    local me = outer
    me.tests[#me.tests + 1] = function()
      each(me, "before_each")
      local ok, err = pcall(body)
      each(me, "after_each")
      if not ok and err ~= skip then error(("%s: %s: %s"):format(file, name, tostring(err)), 0) end
      passed = passed + (ok and 1 or 0)
    end
  end

  setfenv(assert(loadfile(file)), env)()
  return passed
end

return M
