-- Tables in tables, and lists of lines.
local tables = require "cudalua.base.tables"

describe("Tables in tables", function()
  it("are made when they are missing, and found then", function()
    local t = {}
    local own = tables.sub(t, "x")
    own[1] = 5
    assert.equal(own, tables.sub(t, "x"))
    assert.same({ x = { 5 } }, t)
  end)

  it("forget what only they know", function()
    local t = {}
    local kept = {}
    tables.weak(t, 1)[{}] = "gone"
    tables.weak(t, 1)[kept] = "there"
    collectgarbage()
    collectgarbage()
    assert.same({ [1] = { [kept] = "there" } }, t)
  end)
end)

describe("Lists of lines", function()
  it("format a line with values, and leave one without them as it is", function()
    local list = {}
    tables.add(list, "%d %%", 3)
    tables.add(list, "%d %%")
    assert.same({ "3 %", "%d %%" }, list)
  end)
end)
