-- The tools for the words of messages and pages: the list of messages, and what the linter finds.
local messages = require "tools.messages"
local words = require "tools.words"

local function of(text, in_message)
  local found = {}
  words.judge(text, found, "place", in_message)
  return found
end

describe("tools/messages.lua", function()
  it("finds what a Lua file raises, with samples for its values", function()
    assert.same({ "gpuarray.zeros: expected %d arrays, got 'abc'", "n must be a positive integer, got 'abc'" },
      messages.of([=[
        -- "this is only a comment with words"
        errors.raise("LogicError", what .. ": expected %%d arrays, got " .. errors.text(x))
        if bad then refuse(where, "n must be a " .. "positive integer, got %s", n) end
        local code = "const float *x, const int is_a_name"
        local list = "add sub mul"
        local device = [[ this is the text of a kernel ]]
      ]=], true))
  end)

  it("finds what a C file raises, in pieces and with PRI macros", function()
    assert.same({ "the array has 3 bytes at 0x7f, but 6 are needed" }, messages.of([[
      /* "a comment that is not a message" */
      cl_logic(L, "the array has %zu bytes "
                  "at 0x%" PRIx64 ", but %.0f are needed", n, at, m);
    ]], false))
  end)

  it("lists those of the library by file", function()
    local paths = {}
    for _, one in ipairs(messages.all()) do paths[one[1]] = (paths[one[1]] or 0) + 1 end
    for _, path in ipairs { "lua/cudalua/base/layout.lua", "src/cudalua/launch/convert.c",
      "src/softgpu/machine/report.c", "src/softgpu/driver/results.def" } do
      assert.is_true((paths[path] or 0) > 5, path)
    end
  end)
end)

describe("tools/words.lua", function()
  it("counts the words of sentences", function()
    local thirty = ("word "):rep(29) .. "end."
    assert.same({}, of(thirty))
    assert.same({}, of(thirty .. " Then another. " .. thirty:gsub("^w", "W")))
    assert.equal(1, #of("one " .. thirty))
    assert.same({}, of("one; " .. thirty, true))
    assert.equal(1, #of("one; " .. thirty))
    assert.same({}, of("`" .. ("code "):rep(40) .. "` is one word."))
  end)

  it("finds phrases", function()
    for _, text in ipairs { "An option that there is not", "if it shall be so", "is no multiple of 4",
      "Get it in the place of the other", "two parts, one of which is new" } do
      assert.equal(1, #of(text), text)
    end
    assert.same({}, of "It is no longer a multiple of 4, and there is no other.")
  end)
end)
