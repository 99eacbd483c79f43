-- The check of layers (tools/check_layers.lua): on this tree, and on small trees with one thing wrong each.
local layers = require "tools.check_layers"

local function tree_of(files)
  local folder = os.tmpname()
  os.remove(folder)
  for name, text in pairs(files) do
    local path = folder .. "/lua/cudalua/" .. name
    os.execute("mkdir -p " .. path:match "^(.*)/")
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
  end
  return folder
end

-- What the check says of files, with the folder's own name left out.
local function problems_of(files, exceptions, only)
  local folder = tree_of(files)
  local tree = { root = folder .. "/lua/cudalua/", layers = { { "low", "low/" }, { "high", "high/" } },
    exceptions = exceptions or {}, only = only }
  local problems = layers.check { tree }
  os.execute("rm -rf " .. folder)
  local texts = {}
  for i, problem in ipairs(problems) do texts[i] = problem:gsub(folder .. "/", "") end
  return table.concat(texts, "\n")
end

local EDGE = "lua/cudalua/low/a.lua uses high/b.lua: layer high is above low"

describe("layers of Lua", function()
  it("hold in this tree", function()
    assert.same({}, (layers.check(dofile "tools/layers.lua")))
  end)

  it("may be used downwards", function()
    assert.equal("", problems_of { ["high/b.lua"] = 'require "cudalua.low.a"', ["low/a.lua"] = "return {}" })
  end)

  it("are not used upwards, wherever the name of the module stands", function()
    for _, text in ipairs {
      'local b = require "cudalua.high.b"',
      "return function() return require('cudalua.high.b') end",
      'local b = package.loaded["cudalua.high.b"]',
      'local s = [[ -- ]] local b = require "cudalua.high.b"',
      'local part = "b" return require("cudalua.high." .. part)',
      'local s = "--" local b = require"cudalua.high.b"',
    } do
      assert.equal(EDGE, problems_of { ["low/a.lua"] = text, ["high/b.lua"] = "return 1" }, text)
    end
    for _, text in ipairs { '-- require "cudalua.high.b"', '--[[ require "cudalua.high.b" ]]',
      'return "cudalua.high.b"' } do
      assert.equal("", problems_of { ["low/a.lua"] = text, ["high/b.lua"] = "return 1" }, text)
    end
  end)

  it("keep a name to the one file that may use it", function()
    local function used_by(name, text) return problems_of({ ["low/a.lua"] = "return 1", ["high/b.lua"] = "return 2",
      [name] = text }, nil, { launch = "low/a.lua" }) end
    assert.equal("", used_by("low/a.lua", "return core.launch"))
    assert.equal("", used_by("high/b.lua", "return core.launches -- launch"))
    local wrong = "lua/cudalua/high/b.lua uses launch: only low/a.lua may"
    assert.equal(wrong, used_by("high/b.lua", "return core.launch"))
    assert.equal(wrong, used_by("high/b.lua", 'return core["launch"]'))
  end)

  it("have exceptions, each with a reason and a use, that close no circle", function()
    local files = { ["low/a.lua"] = 'require "cudalua.high.b"', ["high/b.lua"] = "return 1" }
    assert.equal("", problems_of(files, { { "low/a.lua", "high/b.lua", "for once" } }))
    assert.truthy(problems_of(files, { { "low/a.lua", "high/b.lua" } }):find("an exception without a reason", 1, true))
    assert.truthy(problems_of({ ["low/a.lua"] = "return 1", ["high/b.lua"] = "return 1" },
      { { "low/a.lua", "high/b.lua", "for once" } }):find("is not needed", 1, true))
    files["high/b.lua"] = 'require "cudalua.low.a"'
    local closed = problems_of(files, { { "low/a.lua", "high/b.lua", "for once" } })
    assert.truthy(closed:find("a circle of 2 files", 1, true), closed)
  end)

  it("have all files, and each of them has some", function()
    assert.equal("lua/cudalua/c.lua: no layer of tools/layers.lua has it", problems_of { ["c.lua"] = "return 1",
      ["low/a.lua"] = "return 1", ["high/b.lua"] = "return 1" })
    assert.equal("lua/cudalua/: the layer high has no files", problems_of { ["low/a.lua"] = "return 1" })
  end)
end)

local function shell(command, ...) assert.equal(0, os.execute(command:format(...))) end

describe("layers of C", function()
  local place, root
  local function write(name, text)
    local file = assert(io.open(root .. name, "w"))
    file:write(text)
    file:close()
  end
  local function tree(exceptions)
    return { {
      root = root,
      layers = { { "low", "low/" }, { "high", "high/" } },
      exceptions = exceptions or {},
    } }
  end
  local function object(folder, name)
    -- Without the sanitizer's runtime, which finds leaks in compilers.
    shell("LD_PRELOAD= %s -c %s%s/%s.c -I%s -o %s/build%s%s_%s.c.o", os.getenv "CC" or "cc", root, folder, name, root,
      place, root, folder, name)
  end

  before_each(function()
    place = os.tmpname()
    os.remove(place)
    root = place .. "/src/"
    shell("mkdir -p %slow %shigh %s/build%s", root, root, place, root)
    write("high/use.c", "int low_one(void);\nint high_one(void) { return low_one(); }\n")
    write("low/one.c", "int low_one(void) { return 1; }\n")
  end)
  after_each(function() shell("rm -r %s", place) end)

  local function problems(exceptions)
    object("low", "one")
    object("high", "use")
    return (layers.check(tree(exceptions), place .. "/build"))
  end

  it("takes calls of a lower layer", function() assert.same({}, problems()) end)

  it("names a call of a higher layer, which only the symbols tell", function()
    write("high/use.c", "int high_one(void) { return 1; }\n")
    write("low/one.c", "int high_one(void);\nint low_one(void) { return high_one(); }\n")
    assert.same({ root .. "low/one.c uses high/use.c: layer high is above low" }, problems())
  end)

  it("names a header of a higher layer", function()
    write("high/use.h", "enum { HIGH = 1 };\n")
    write("low/one.c", '#include "high/use.h"\nint low_one(void) { return HIGH; }\n')
    assert.same({ root .. "low/one.c uses high/use.h: layer high is above low" }, problems())
  end)

  it("takes an exception with a reason, and no exception that is not needed", function()
    local exception = { "low/one.c", "high/use.c", "to see" }
    assert.same({ root .. ": the exception low/one.c -> high/use.c is not needed: take it off the list" },
      problems { exception })
    write("high/use.c", "int high_one(void) { return 1; }\n")
    write("low/one.c", "int high_one(void);\nint low_one(void) { return high_one(); }\n")
    assert.same({}, problems { exception })
    assert.same({ "low/one.c -> high/use.c: an exception without a reason" },
      problems { { "low/one.c", "high/use.c" } })
  end)

  it("names a file that no layer has", function()
    write("stray.c", "int stray;\n")
    assert.same({ root .. "stray.c: no layer of tools/layers.lua has it" }, problems())
  end)
end)
