-- The command as it is installed: `meson install` into a folder, and from there a line, a script and the prompt.
local gpu = require "spec.support.gpu"
local pty = require "spec.support.pty"

local folder, command

local function shell(line)
  local pipe = assert(io.popen(line .. " 2>&1; echo status $?"))
  local text = pipe:read "*a"
  pipe:close()
  local out, status = text:match "^(.*)status (%d+)\n$"
  return out, tonumber(status)
end

describe("the installed command", function()
  -- Where the wrapper looks for the library, with this folder in front, as the install itself is.
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    local out, status = shell(("unset LD_PRELOAD; meson install -C %s --destdir %s --no-rebuild --quiet"):format(
      os.getenv "CUDALUA_BUILD" or "build", folder))
    assert.equal(0, status, out)
    command = shell(("find %s -path '*/bin/cudalua'"):format(folder)):match "^(%S+)\n$"
    assert.truthy(command, "one file bin/cudalua is installed")
    local file = assert(io.open(command))
    local text, dirs = file:read "*a":gsub("(\n%a+_dir=')(/)", "%1" .. folder .. "%2")
    file:close()
    assert.equal(2, dirs)
    file = assert(io.open(command, "w"))
    file:write(text)
    file:close()
  end)

  teardown(function() os.execute("rm -r " .. folder) end)

  local function run(arguments) return shell(("cd / && %s %s %s"):format(gpu.driver, command, arguments)) end

  it("runs a line, with the library, its C module and its kernels from where they were installed", function()
    assert.equal("1\n", (run "-e 'print(1)'"))
    assert.same({ "[1 2 3]\t[0 2 4]\n", 0 },
      { run "-e 'local g = cuda.gpuarray print(g.sort(g.arange(3, 0, -1)), g.arange(3) * 2)'" })
    local out = run("-e 'print(package.searchpath(\"cudalua\", package.path), " ..
      "package.searchpath(\"cudalua.core\", package.cpath))'")
    assert.same({ folder, folder }, { out:match("^(" .. folder .. ")/.*\t(" .. folder .. ")/[^\t]*\n$") })
  end)

  it("runs a script with its arguments, by its path and through a link", function()
    local path = folder .. "/script.lua"
    local file = assert(io.open(path, "w"))
    file:write "print(require('cudalua')._VERSION:match '^cudalua', ...) os.exit(#arg)"
    file:close()
    assert.same({ "cudalua\ta b\tc\n", 2 }, { run(path .. " 'a b' c") })
    assert(os.execute(("ln -s %s %s/linked"):format(command, folder)) == 0)
    assert.same({ "7\n", 0 }, { shell(folder .. "/linked -e 'print(7)'") })
  end)

  it("prompts on a terminal", function()
    local p = pty.spawn({ command }, { env = { TERM = "xterm", CUDALUA_HISTORY = "" } })
    p:expect "\n> "
    p:type "local x = 20\rx + 22\r"
    p:expect "\n42\n> "
    p:type ":quit\r"
    assert.same({ "exit", 0 }, { p:wait() })
    p:close()
  end)

  it("finds Lua files that were moved by LUA_PATH, and says where it looked", function()
    local lua_dir = shell("sed -n \"s/^lua_dir='\\(.*\\)'/\\1/p\" " .. command):match "^(%S+)"
    assert(os.execute(("mv %s %s/moved"):format(lua_dir, folder)) == 0)
    finally(function() os.execute(("mv %s/moved %s"):format(folder, lua_dir)) end)
    assert.equal("1\n", (shell(("LUA_PATH='%s/moved/?.lua' %s -e 'print(1)'"):format(folder, command))))
    local out, status = shell(("LUA_PATH=/none %s -e 'print(1)'"):format(command))
    assert.equal(("cudalua: the Lua files are not in %s, nor on LUA_PATH\n"):format(lua_dir), out)
    assert.equal(1, status)
  end)
end)
