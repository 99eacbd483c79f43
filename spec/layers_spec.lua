-- The check of the layers (tools/check_layers.lua), on a small tree that breaks its rules.
local check = dofile "tools/check_layers.lua"

local function shell(command, ...) assert.equal(0, os.execute(command:format(...))) end

describe("the check of the layers", function()
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
    shell("%s -c %s%s/%s.c -I%s -o %s/build%s%s_%s.c.o", os.getenv "CC" or "cc", root, folder, name, root, place,
      root, folder, name)
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
    return (check.check(tree(exceptions), place .. "/build"))
  end

  it("takes calls of a lower layer", function() assert.same({}, problems()) end)

  it("names a call of a higher layer, which only the symbols tell", function()
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
