local annotations = require "tools.annotations"

describe("the annotations", function()
  it("continue a tag on the lines below it", function()
    local entries = {}
    annotations.parse([[
---Counts elements.
---In two lines.
---@param a string  the first
---  of two
---@param n? integer  how many,
--- at most 5
---@return integer  the count, or
---  nil
---@raise LogicError where n
---  is above 5
function M.count(a, n) end

---A thing.
---@class sample.Thing
---@overload fun(size: integer): sample.Thing  of a size
--- in bytes
---@field size integer  in
---  bytes
M.Thing = {}

return M
]], "lua/sample.lua", entries, {})
    local count = entries["sample.count"]
    assert.same({ "Counts elements.", "In two lines." }, count.text)
    assert.same({
      { name = "a", optional = false, type = "string  the first of two" },
      { name = "n", optional = true, type = "integer  how many, at most 5" },
    }, count.params)
    assert.same({ "integer  the count, or nil" }, count.returns)
    assert.same({ "LogicError where n is above 5" }, count.raises)
    local thing = entries["sample.Thing"]
    assert.same({ "A thing." }, thing.text)
    assert.same({ "fun(size: integer): sample.Thing  of a size in bytes" }, thing.overloads)
    assert.same({ "integer  in bytes" }, entries["sample.Thing.size"].text)
  end)

  it("of the library have their continuation lines in place", function()
    local entries = annotations.load()
    local histogram = entries["cudalua.gpuarray.histogram"]
    assert.matches("program waits for the least and the greatest element%.$", histogram.text[#histogram.text])
    assert.matches("so that the integral is 1$", histogram.params[3].type)
  end)
end)
