-- The tarball: made of this build, unpacked into a folder with blanks in its name, and used there. What is built for an
-- install. The Debian package's description.
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local json = require "spec.support.plain_json"

local folder, tree

local function shell(line, ...)
  local pipe = assert(io.popen(("{ %s\n} 2>&1 </dev/null; echo status $?"):format(line:format(...))))
  local text = pipe:read "*a"
  pipe:close()
  local output, status = text:match "^(.*)status (%d+)\n$"
  return output, tonumber(status)
end

-- Functions of tools/package.sh, as ./dev has them.
local function package_sh(line)
  return shell("unset LD_PRELOAD; bash -c '" .. [[
    set -euo pipefail
    ROOT=%s BUILD=$ROOT/build LUAJIT_LICENSE=$ROOT/LICENSE
    say() { printf "dev: %%s\n" "$*" >&2; }
    die() { say "$*"; exit 1; }
    has() { command -v "$1" >/dev/null 2>&1; }
    . tools/package.sh
    %s
  ]] .. "'", core.realpath ".", line)
end

-- The command of the tarball, in a place where nothing else tells of the library.
local function cudalua(arguments)
  return shell("cd / && unset LUA_PATH LUA_CPATH CUDALUA_LUAJIT && %s '%s/bin/cudalua' %s", gpu.driver, tree, arguments)
end

describe("the tarball", function()
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute(("mkdir -p '%s/a class room'"):format(folder)) == 0)
    local out, status = package_sh(("write_tarball %s %s"):format(core.realpath(os.getenv "CUDALUA_BUILD" or "build"),
      folder))
    assert.equal(0, status, out)
    local path = out:match "(%S+/cudalua%-[%d.]+%-linux%-[%w_]+%.tar%.gz)\n$"
    assert.truthy(path, out)
    out, status = shell("unset LD_PRELOAD; tar -C '%s/a class room' -xzf %s", folder, path)
    assert.equal(0, status, out)
    tree = ("%s/a class room/%s"):format(folder, path:match "([^/]*)%.tar%.gz$")
  end)

  teardown(function() core.remove_folder(folder) end)

  it("has a LuaJIT of its own with its modules, and the licences", function()
    local out = cudalua "-e 'print(arg[-1], package.searchpath(\"jit.bcsave\", package.path))'"
    assert.equal(("%s/lib/cudalua/luajit\t%s/lib/cudalua/jit/bcsave.lua\n"):format(tree, tree), out)
    for _, path in ipairs { "lib/cudalua/LICENSE.luajit", "share/doc/cudalua/LICENSE", "share/doc/cudalua/README.md",
      "share/doc/cudalua/docs/first-steps.md", "share/man/man1/cudalua.1", "share/cudalua/meta/memory.lua" } do
      assert.equal("file", core.stat(tree .. "/" .. path), path)
    end
    assert.matches("with the C library glibc 2%.%d+ or newer", core.read_file(tree .. "/README", 2 ^ 16))
  end)

  it("runs a kernel from where it was unpacked, and through a link", function()
    local out, status = cudalua "setup --check"
    assert.equal(0, status, out)
    assert.matches("\nkernel   1000 values computed on [^\n]+, as expected\nready\n$", out)
    out, status = cudalua(("'%s/share/cudalua/examples/01_multiply.lua'"):format(tree))
    assert.equal(0, status, out)
    assert(os.execute(("ln -s '%s/bin/cudalua' %s/cudalua"):format(tree, folder)) == 0)
    out = shell("cd / && %s %s/cudalua -e 'print(cuda.gpuarray.arange(3) * 2)'", gpu.driver, folder)
    assert.matches("%[0 2 4%]\n$", out)
  end)

  it("is found by a plain LuaJIT, its own if there is no other", function()
    local find = "luajit -e 'print(package.searchpath(\"cudalua.core\", package.cpath))'"
    local out, status = shell("cd / && unset LUA_PATH LUA_CPATH && eval \"$('%s/bin/cudalua' env)\" && %s", tree, find)
    assert.equal(0, status, out)
    assert.equal(("%s/lib/lua/5.1/cudalua/core.so\n"):format(tree), out)
    out = shell([[
      mkdir %s/bin && cd %s/bin && ln -s $(command -v sh) $(command -v readlink) . && unset LUA_PATH LUA_CPATH &&
      PATH=%s/bin && eval "$('%s/bin/cudalua' env)" && command -v luajit && luajit -b -l -e 'local x' && %s]], folder,
      folder, folder, tree, find)
    assert.equal(tree .. "/lib/cudalua/luajit", out:match "^[^\n]*")
    assert.matches("\n%-%- BYTECODE %-%- ", out)
    assert.matches("\n" .. tree:gsub("%p", "%%%0") .. "/lib/lua/5.1/cudalua/core.so\n$", out)
  end)

  it("installs into its own folder, if that can be written", function()
    local out = shell("'%s/lib/cudalua/luajit' -e '%s'", tree, ([[
      package.path = "%s/share/lua/5.1/?.lua" package.cpath = "%s/lib/lua/5.1/?.so"
      print(require("cudalua.compiler.setup_folders").of_installation())]]):format(tree, tree))
    assert.equal(tree .. "/share/cudalua/cuda\n", out)
  end)
end)

-- `./dev run` builds the target `library`; README's `meson install --no-rebuild` installs what it finds.
describe("The target library", function()
  local build = core.realpath(os.getenv "CUDALUA_BUILD" or "build")

  it("builds every installed file that the build makes", function()
    local list, status = shell("unset LD_PRELOAD; meson introspect %s --installed", build)
    assert.equal(0, status, list)
    local inputs = shell("unset LD_PRELOAD; ninja -C %s -t query library", build)
    local built, others = 0, 0
    for path in pairs(json.decode(list)) do
      local output = path:sub(1, #build + 1) == build .. "/" and path:sub(#build + 2)
      local _, is_target = shell("unset LD_PRELOAD; ninja -C %s -t query '%s'", build, output or path)
      if output and is_target == 0 then
        assert.truthy(inputs:find("| " .. output .. "\n", 1, true), output .. " is not built by the target library")
        built = built + 1
      else -- a file of the tree, or one that was made by configuring
        assert.truthy(core.stat(path), path)
        others = others + 1
      end
    end
    assert.is_true(built >= 3 and others >= 6, ("%d built, %d others"):format(built, others))
  end)
end)

describe("tools/package.sh", function()
  it("refuses a LuaJIT without its licence", function()
    local out, status = package_sh "LUAJIT_LICENSE=/nowhere/LICENSE && luajit_licence"
    assert.equal(1, status)
    assert.matches("a copy of LuaJIT goes with its licence: set LUAJIT_LICENSE", out)
  end)

  it("describes the Debian package: version, machine, what it needs", function()
    local out, status = package_sh(("mkdir -p %s/build && echo; deb_control build 1.2.3"):format(os.tmpname() .. ".d"))
    assert.equal(0, status, out)
    assert.matches("\nPackage: cudalua\nVersion: 1%.2%.3\n", "\n" .. out:match "Package:.*")
    assert.matches("\nDepends: luajit | luajit2, libc6 %(>= 2%.%d+%)\n", out)
    for line in out:match("\nDescription:.*"):gmatch "[^\n]+" do assert.is_true(#line <= 80, line) end
  end)

  it("gives a commit that is no release a version before its release", function()
    local out = package_sh "deb_version; project_version"
    local package, project = out:match "^(%S+)\n(%S+)\n$"
    assert.truthy(package == project or package:match("^" .. project:gsub("%p", "%%%0") .. "~git%d+%.%x+$"), out)
    assert.equal(require("cudalua")._VERSION, "cudalua " .. project)
  end)
end)
