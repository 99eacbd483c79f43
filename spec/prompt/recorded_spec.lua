-- The recorded sessions of docs/prompt.md, typed again. A last line of "..." stands for any lines.
local gpu = require "spec.support.gpu"
local repl = require "cudalua.repl"

-- The lines behind a sentence, up to the next paragraph that is not indented.
local function recorded_behind(sentence)
  local file = assert(io.open "docs/prompt.md")
  local page = file:read "*a"
  file:close()
  local recorded, lines = {}, {}
  local _, last = page:find(sentence .. "\n\n", 1, true)
  for line in (page:match("^(.-)\n\n%S", last + 1) .. "\n"):gmatch "(.-)\n" do
    recorded[#recorded + 1] = line:sub(5)
    lines[#lines + 1] = line:match "^    >>? (.*)$"
  end
  assert.equal("...", table.remove(recorded))
  return table.concat(recorded, "\n"), lines
end

-- What the prompt shows of these lines, and them.
local function session_of(lines)
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
  return (table.concat(out):gsub("\n$", ""))
end

describe("the recorded session of docs/prompt.md", function()
  setup(gpu.context)

  it("is what the prompt prints", function()
    local expected, lines = recorded_behind "example of a session:"
    assert.is_true(#lines > 10)
    local text = session_of(lines)
    assert.equal(expected, text:sub(1, #expected))
    assert.truthy(text:sub(#expected + 1):find "^\n1 array in variables; objects of this program use")
  end)

  it("about help is what help prints", function()
    local expected, lines = recorded_behind "To display the reference entry for a name or a value, use `help`:"
    assert.equal(4, #lines)
    local text = session_of(lines)
    assert.equal(expected, text:sub(1, #expected))
    assert.truthy(text:sub(#expected + 1):find "^\nabsolute is written a:abs%(%) here%.\n")
  end)
end)
