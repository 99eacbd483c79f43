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
    assert.matches("program waits for the smallest and the largest element%.$", table.concat(histogram.text, " "))
    assert.matches("so that the integral is 1$", histogram.params[3].type)
  end)
end)

describe("types of annotations", function()
  local luals_types = require "tools.luals_types"

  it("are read up to the text behind them", function()
    for source, want in pairs {
      ["integer"] = { "integer", "" },
      ["integer count  how many"] = { "integer", "count  how many" },
      ["integer|string[]  one, or names"] = { "integer|string[]", "one, or names" },
      ["fun(a: string, b?: integer): boolean, string?  raises nothing"] =
        { "fun(a: string, b?: integer): boolean, string?", "raises nothing" },
      ["{allocator: fun(bytes: integer): any, stream: cudalua.Stream}|nil  both"] =
        { "{allocator: fun(bytes: integer): any, stream: cudalua.Stream}|nil", "both" },
      ['"C"|"F"|1  the order'] = { '"C"|"F"|1', "the order" },
      ["table<string, (integer|string)[]>?  by name"] = { "table<string, (integer|string)[]>?", "by name" },
      ["any  {axis, out}, or the axis"] = { "any", "{axis, out}, or the axis" },
    } do
      local read = luals_types.read(source)
      assert.same(want, { read.text, read.rest })
    end
    assert.equal("count", luals_types.read("integer count  how many").name)
    assert.is_nil(luals_types.read("integer  how many").name)
    assert.same({ "cudalua.Stream", "any" }, luals_types.read("fun(s: cudalua.Stream): any").names)
  end)

  it("are refused where they end too early", function()
    for _, source in ipairs { "", "integer|", "{a: }", "fun(a", "table<string, integer", "integer!", "(integer" } do
      local ok, err = pcall(luals_types.read, source)
      assert.is_false(ok)
      assert.is_string(err)
    end
  end)
end)
