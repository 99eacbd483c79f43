-- The manual page and the completions for shells name every command and option that the command has.
local gpu = require "spec.support.gpu"

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

-- Programs of the system know nothing of sanitizers.
local function shell(line)
  local pipe = assert(io.popen(("unset LD_PRELOAD; { %s\n} 2>&1 </dev/null; echo status $?"):format(line)))
  local text = pipe:read "*a"
  pipe:close()
  local output, status = text:match "^(.*)status (%d+)\n$"
  return output, tonumber(status)
end

local function help(arguments)
  local pipe = assert(io.popen(("%s sh bin/cudalua %s </dev/null"):format(gpu.driver, arguments)))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

-- {command, option}: what the texts of --help list at the beginning of a line, or (setup) anywhere.
local function options()
  local list = {}
  for line in help("--help"):gmatch "[^\n]+" do
    local words = line:match "^  (.-)  " or ""
    for word in words:gmatch "%-%-?%a+" do list[#list + 1] = { "", word } end
    local command = words:match "^(%l+)"
    if command and command ~= "script" then list[#list + 1] = { "", command } end
  end
  for _, command in ipairs { "setup", "build", "run" } do
    local seen = {}
    for word in help(command .. " --help"):gmatch "[%s%[](%-%-?%l+)" do
      if not seen[word] then
        seen[word], list[#list + 1] = true, { command, word }
      end
    end
  end
  return list
end

describe("the manual page", function()
  it("names every command and option", function()
    local text = read "share/cudalua.1":gsub("\\%-", "-"):gsub("\\f%u", "")
    local list = options()
    assert.is_true(#list > 20)
    for _, option in ipairs(list) do
      assert.truthy(text:find("[%s\"]" .. option[2]:gsub("%p", "%%%0") .. "[%s\"%[]"), option[1] .. " " .. option[2])
    end
  end)

  it("has no mistakes that groff knows", function()
    local out, status = shell [[
      if command -v groff >/dev/null; then groff -man -Tutf8 -wall share/cudalua.1 >/dev/null; fi]]
    assert.same({ "", 0 }, { out, status })
  end)
end)

describe("completion", function()
  -- What bash offers for the last of the words.
  local function offered(...)
    local words = { "cudalua", ... }
    local out = shell(("bash -c '. share/completions/cudalua.bash; compopt() { :; }; COMP_WORDS=(%s \"\"); "
      .. "COMP_CWORD=%d; _cudalua; printf \"%%s\\n\" \"${COMPREPLY[@]}\"'"):format(table.concat(words, " "), #words))
    local found = {}
    for line in out:gmatch "[^\n]+" do found[line] = true end
    return found, out
  end

  it("of bash offers every command and option", function()
    for _, option in ipairs(options()) do
      local found, out
      if option[1] == "" then found, out = offered() else found, out = offered(option[1]) end
      assert.truthy(found[option[2]], ("%s %s is not in:\n%s"):format(option[1], option[2], out))
    end
  end)

  it("of bash offers files where they are meant, and nothing behind a line of Lua", function()
    assert.truthy(offered()["README.md"])
    assert.truthy(offered("setup").docs)
    assert.truthy(offered("build", "-o").docs)
    assert.truthy(offered("-i", "setup")["--check"])
    assert.same({}, (offered "-e"))
    assert.same({}, (offered "info"))
  end)

  it("of zsh and fish names every command and option", function()
    local zsh, fish = read "share/completions/cudalua.zsh", read "share/completions/cudalua.fish"
    for _, option in ipairs(options()) do
      local word = option[2]
      assert.truthy(zsh:find("['{,]" .. word:gsub("%p", "%%%0") .. "[%[:},-]") or zsh:find(word .. "[", 1, true), word)
      local long, short = word:match "^%-%-(.*)", word:match "^%-(%a)$"
      local expected = long and " -l " .. long or short and " -s " .. short or " -a " .. word
      assert.truthy(fish:find(expected .. "[%s]"), expected)
    end
  end)

  it("has no mistakes of syntax that the shells know", function()
    for _, name in ipairs { "bash", "zsh", "fish" } do
      local line = "if command -v %s >/dev/null; then %s -n share/completions/cudalua.%s; fi"
      assert.same({ "", 0 }, { shell(line:format(name, name, name)) })
    end
  end)
end)
