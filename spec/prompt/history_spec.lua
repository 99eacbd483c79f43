local history = require "cudalua.prompt.history"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

describe("the prompt's history", function()
  local path, folder

  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    path = folder .. "/a/b/history"
  end)

  after_each(function() os.execute("rm -rf " .. folder) end)

  it("is kept in a file that only its owner reads, with its folders", function()
    local h = history.open(path)
    assert.equal(0, h:count())
    local texts = { "one", "f {\n  '\\n',\n}", "a\\", "\255\228\184\173\9", "\\\\n" }
    for _, text in ipairs(texts) do h:add(text) end
    h:add "\\\\n" -- repeats the last
    h:add " \n"
    local again = history.open(path)
    local got = {}
    for i = 1, again:count() do got[i] = again:get(i) end
    assert.same({ "one", "f {\n  '\\n',\n}", "a\\", "\255\228\184\173", "\\\\n" }, got)
    local pipe = io.popen("stat -c %a " .. path .. " " .. folder)
    assert.equal("600\n700\n", pipe:read "*a")
    pipe:close()
  end)

  it("of two prompts at once loses nothing", function()
    local one, two = history.open(path), history.open(path)
    one:add "from one"
    two:add "from two"
    one:add "one again"
    assert.equal("from one\nfrom two\none again\n", read(path))
    local program = ("for i = 1, 300 do require('cudalua.prompt.history').open(%q):add(arg[1] .. i) end"):format(path)
    local file = folder .. "/add.lua"
    write(file, program)
    os.execute(("luajit %s a & luajit %s b & luajit %s c & wait"):format(file, file, file))
    local seen, lines = {}, 0
    for line in read(path):gmatch "[^\n]+" do
      lines = lines + 1
      assert.is_nil(seen[line])
      seen[line] = true
    end
    assert.equal(903, lines)
  end)

  it("is trimmed to 10,000 entries at a start", function()
    history.open(path):add "first"
    local list = {}
    for i = 1, 10500 do list[i] = "entry " .. i end
    write(path, table.concat(list, "\n") .. "\n")
    local h = history.open(path)
    assert.equal(10000, h:count())
    assert.equal("entry 501", h:get(1))
    assert.equal("entry 10500", h:get(10000))
    assert.equal(10000, select(2, read(path):gsub("\n", "")))
    assert.truthy(read(path):find "^entry 501\n")
  end)

  it("never stops the prompt: folders, FIFOs, files that cannot be read, cut off or are no text", function()
    history.open(path):add "first"
    write(path, "whole\ncut o")
    history.open(path):add "next"
    assert.equal("whole\ncut o\nnext\n", read(path))
    local junk = {}
    for i = 1, 5000 do junk[i] = string.char(i * 7 % 256) end
    write(path, table.concat(junk))
    assert.is_true(history.open(path):count() > 0)
    os.execute("mkfifo " .. folder .. "/fifo")
    for _, other in ipairs { folder, folder .. "/fifo", "/dev/null", "/proc/nowhere/at/all", "", path .. "/x" } do
      local h = history.open(other)
      h:add "kept for this run"
      assert.equal("kept for this run", h:get(1), other)
    end
    local h = history.open(nil)
    h:add "kept for this run"
    assert.equal(1, h:count())
  end)

  it("is where CUDALUA_HISTORY and XDG_STATE_HOME say", function()
    local function where(variables)
      local pipe = io.popen("env " .. variables ..
        [[ luajit -e "print(require('cudalua.prompt.history').path())"]])
      local text = pipe:read "*l"
      pipe:close()
      return text
    end
    assert.equal("/h/.local/state/cudalua/history", where "-u CUDALUA_HISTORY -u XDG_STATE_HOME HOME=/h")
    assert.equal("/s/cudalua/history", where "-u CUDALUA_HISTORY XDG_STATE_HOME=/s")
    assert.equal("/h/.local/state/cudalua/history", where "-u CUDALUA_HISTORY XDG_STATE_HOME=rel HOME=/h")
    assert.equal("/mine", where "CUDALUA_HISTORY=/mine")
    assert.equal("nil", where "CUDALUA_HISTORY=")
  end)
end)
