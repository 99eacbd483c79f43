-- `cudalua build`: the folder that it writes runs elsewhere, without NVRTC, for anybody.
local gpu = require "spec.support.gpu"
local core = require "cudalua.core"

local root
before_each(function()
  root = os.tmpname()
  os.remove(root)
  assert(core.create_folder(root))
end)
after_each(function()
  os.execute("chmod -R u+w " .. root)
  core.remove_folder(root)
end)

local function write(path, text)
  os.execute("mkdir -p " .. path:match "^(.*)/")
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- What a line of shell prints, on both streams, and its status.
local function sh(line, ...)
  local pipe = assert(io.popen(("{ %s; } 2>&1 </dev/null; echo status $?"):format(line:format(...))))
  local text, status = pipe:read "*a":match "^(.*)status (%d+)\n$"
  pipe:close()
  return text, tonumber(status)
end

local function build(arguments, ...)
  return sh(gpu.driver .. " sh bin/cudalua build " .. arguments:format(...))
end

-- LuaJIT and the driver, where they are not in a usual place.
local places = ""
for _, name in ipairs { "LD_LIBRARY_PATH", "CUDALUA_LUAJIT" } do
  local value = os.getenv(name)
  if name == "CUDALUA_LUAJIT" and not value then value = io.popen("command -v luajit"):read "*l" end
  if value then places = ("%s %s='%s'"):format(places, name, value) end
end

-- A shipped program, in an environment that knows nothing of this machine's compiler or of Lua. Sanitizers need theirs.
local function run(user, command, ...)
  local empty = (gpu.sanitized and "env" or "env -i") .. places
  return sh("cd / && %s %s %s CUDALUA_NVRTC=/nowhere/libnvrtc.so CUDALUA_DISABLE_CACHE=1 %s", user, empty, gpu.driver,
    command:format(...))
end

local nobody = io.popen("id -u"):read "*l" == "0" and "setpriv --reuid=65534 --regid=65534 --clear-groups" or ""

local program = [[
local here = arg[0]:match "^(.*)/"
package.path = here .. "/lib/?.lua;" .. package.path
local first = require "first"
local cuda = require "cudalua"
print(first.twice(21), select("#", ...), ...)
print(cuda.gpuarray.arange(10):sum(), arg[0]:match "[^/]*$", #arg)
local x = require("ffi").new("int[1]", 20)
cuda.kernel "__global__ void add(int *x) { *x += 2; }"(cuda.InOut(x), { block = 1 })
print(x[0], require("deep.part").of(cuda.gpuarray.arange(4)))
print(io.open(here .. "/data/words.txt"):read "*l", dofile(here .. "/settings.lua"))
if arg[1] == "more" then print(cuda.gpuarray.arange(3) * 5) end
if arg[1] == "fail" then error "wanted" end
os.exit(arg[1] == "status" and 7 or true, true)
]]

local function write_program()
  write(root .. "/source/app.lua", program)
  write(root .. "/source/lib/first.lua", "return { twice = function(x) return 2 * x end }")
  write(root .. "/source/lib/deep/part.lua", "return { of = function(a) return (a * a):sum() end }")
  write(root .. "/source/settings.lua", "return 'settings'")
  write(root .. "/source/data/words.txt", "words\n")
end

local expected = "42\t0\n45\tapp.lua\t0\n22\t14\nwords\tsettings\n"

describe("cudalua build", function()
  it("writes a folder that runs elsewhere, without NVRTC, with modules, data and arguments", function()
    write_program()
    local out, status = build("%s/source/app.lua -o %s/made/out --add %s/source/data --also more -- 'a b' c", root,
      root, root)
    assert.equal(0, status, out)
    assert.truthy(out:find(root .. "/made/out/app starts the program\n", 1, true), out)
    assert.truthy(out:find("not in it: LuaJIT, the driver\n$"), out)
    local built = root .. "/elsewhere"
    assert(os.rename(root .. "/made/out", built))
    os.execute(("rm -r %s/source"):format(root))
    out, status = run("", "%s/app", built)
    assert.equal(expected, out)
    assert.equal(0, status)
    out = run("", "%s/app more 'x y'", built)
    assert.equal(expected:gsub("\t0\n", "\t2\tmore\tx y\n", 1):gsub("lua\t0", "lua\t2") .. "[ 0  5 10]\n", out)
    out, status = run("", "%s/app status", built)
    assert.equal(7, status, out)
    out, status = run("", "%s/app fail", built)
    assert.equal(1, status)
    assert.truthy(out:find("app: " .. built .. "/app.files/app/app.lua:12: wanted", 1, true), out)
    -- By a link, and by anybody, who cannot write there.
    os.execute(("ln -s %s/app %s/link; chmod a+rx %s; chmod -R a-w %s"):format(built, root, root, built))
    out, status = run(nobody, "%s/link", root)
    assert.equal(expected, out)
    assert.equal(0, status)
  end)

  it("replaces what it wrote, and nothing else", function()
    write(root .. "/one.lua", "print(require('cudalua').gpuarray.arange(3):sum())")
    assert.equal(0, select(2, build("%s/one.lua -o %s/out", root, root)))
    write(root .. "/out/one.files/app/old", "")
    assert.equal(0, select(2, build("%s/one.lua -o %s/out/", root, root)))
    assert.is_nil(core.stat(root .. "/out/one.files/app/old"))
    assert.equal("3\n", (run("", "%s/out/one", root)))
    assert(core.create_folder(root .. "/mine"))
    write(root .. "/mine/file", "")
    local out, status = build("%s/one.lua -o %s/mine", root, root)
    assert.equal(1, status)
    assert.truthy(out:find("/mine exists, but cudalua build did not write it", 1, true), out)
    assert.equal(3, #core.list_folder(root))
  end)

  it("writes nothing if the program fails", function()
    for _, text in ipairs { "error 'wanted'", "os.exit(3)", "os.exit(false)", "+", "print(1" } do
      write(root .. "/bad.lua", text)
      local out, status = build("%s/bad.lua -o %s/out", root, root)
      assert.equal(1, status)
      assert.truthy(out:find("cudalua build: the program failed: nothing is written\n$"), out)
      assert.equal(1, #core.list_folder(root))
    end
  end)

  it("lists what stays outside", function()
    write(root .. "/outside.lua", "return 1")
    write(root .. "/source/near.txt", "")
    write(root .. "/source/app.lua", ([[
      require "cudalua"
      dofile %q
      io.open(arg[0]:match "^(.*)/" .. "/near.txt"):close()
      for _ in io.lines %q do break end
      pcall(require("ffi").load, "nowhere")
    ]]):format(root .. "/outside.lua", root .. "/outside.lua"))
    local out, status = build("%s/source/app.lua -o %s/out", root, root)
    assert.equal(0, status, out)
    for _, line in ipairs { "file of Lua outside the program's folder: " .. root .. "/outside.lua",
      "file that was read (--add ships it): " .. root .. "/source/near.txt",
      "file that was read: " .. root .. "/outside.lua", "library of ffi.load: nowhere" } do
      assert.truthy(out:find("\n  " .. line .. "\n", 1, true), line .. " is not in " .. out)
    end
    assert.equal(out:match "\n(.*)$", io.open(root .. "/out/build.txt"):read "*a":match "^[^\n]*\n[^\n]*\n(.*)$")
  end)

  it("says what is wrong with its arguments", function()
    write(root .. "/a b.lua", "")
    write(root .. "/one.lua", "")
    for arguments, text in pairs {
      [""] = "a program and -o FOLDER are needed", ["x.lua -o"] = "-o needs a value", ["/nowhere.lua -o x"] =
      "/nowhere.lua is not a file", ["one.lua two.lua"] = "unknown argument two.lua", ["--what"] = "unknown argument",
      ["'%s/a b.lua' -o %s/out"] = "must be the name of a command", ["%s/one.lua -o %s/out --add /etc/passwd"] =
      "--add /etc/passwd: it is not below", ["%s/one.lua -o %s/out --add /nowhere"] = "there is no such file",
      ["%s/one.lua -o %s/out --arch sm_10"] = "does not compile for sm_10",
    } do
      local out, status = build(arguments, root, root)
      assert.equal(1, status, arguments)
      assert.truthy(out:find("cudalua build: ", 1, true) and out:find(text, 1, true), out)
      assert.is_nil(core.stat(root .. "/out"))
    end
    assert.truthy(build("--help"):find("usage: cudalua build PROGRAM.lua -o FOLDER", 1, true))
    assert.truthy(sh("sh bin/cudalua -l cudalua build x"):find("build must come before its options", 1, true))
  end)

  it("writes a launcher that says if LuaJIT is not there", function()
    write(root .. "/one.lua", "")
    build("%s/one.lua -o %s/out", root, root)
    local out, status = sh("CUDALUA_LUAJIT=/nowhere %s/out/one", root)
    assert.equal("one: LuaJIT 2.1 was not found: install it (Debian's package is luajit), or name it in " ..
      "CUDALUA_LUAJIT\n", out)
    assert.equal(127, status)
  end)
end)
