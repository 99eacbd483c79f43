-- The recorded session of docs/prompt.md, typed again. A line of "..." stands for any lines.
local gpu = require "spec.support.gpu"
local repl = require "cudalua.repl"

describe("the recorded session of docs/prompt.md", function()
  it("is what the prompt prints", function()
    gpu.context()
    local file = assert(io.open "docs/prompt.md")
    local page = file:read "*a"
    file:close()
    local recorded, lines = {}, {}
    for line in page:match("A session:\n\n(.-)\n\n[^ ]"):gmatch "[^\n]+" do
      recorded[#recorded + 1] = line:sub(5)
      lines[#lines + 1] = line:match "^    >>? (.*)$"
    end
    assert.is_true(#lines > 10)
    local out, i = {}, 0
    repl.run {
      env = setmetatable({}, { __index = _G }),
      input = function(prompt)
        i = i + 1
        if lines[i] then out[#out + 1] = prompt .. lines[i] .. "\n" end
        return lines[i]
      end,
      output = function(text) out[#out + 1] = text end,
    }
    local expected = table.concat(recorded, "\n")
    local text = table.concat(out):gsub("\n$", "")
    assert.equal("...", recorded[#recorded])
    expected = expected:sub(1, -5)
    assert.equal(expected, text:sub(1, #expected))
    assert.truthy(text:sub(#expected + 1):find "^\n1 array in variables; objects of this program have")
  end)
end)
