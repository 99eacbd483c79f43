-- The command as it is installed: `meson install` into a folder, and from there a line, a script and the prompt.
local gpu = require "spec.support.gpu"
local core = require "cudalua.core"
local pty = require "spec.support.pty"

local folder, prefix, command

local function shell(line)
  local pipe = assert(io.popen(line .. " 2>&1; echo status $?"))
  local text = pipe:read "*a"
  pipe:close()
  local out, status = text:match "^(.*)status (%d+)\n$"
  return out, tonumber(status)
end

describe("the installed command", function()
  -- The installed files find each other, so the whole may be moved: here from its prefix into a folder.
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    local out, status = shell(("unset LD_PRELOAD; meson install -C %s --destdir '%s/to' --no-rebuild --quiet"):format(
      os.getenv "CUDALUA_BUILD" or "build", folder))
    assert.equal(0, status, out)
    local found = shell(("find %s -path '*/bin/cudalua'"):format(folder)):match "^(%S+)\n$"
    assert.truthy(found, "one file bin/cudalua is installed")
    assert.equal(0, select(2, shell(("mv %s '%s/its prefix'"):format(found:match "^(.*)/bin/cudalua$", folder))))
    prefix = folder .. "/its prefix"
    command = ("'%s/bin/cudalua'"):format(prefix)
  end)

  teardown(function() os.execute("rm -r " .. folder) end)

  local function run(arguments) return shell(("cd / && %s %s %s"):format(gpu.driver, command, arguments)) end

  it("runs a line, with the library, its C module and its kernels from where they were installed", function()
    assert.equal("1\n", (run "-e 'print(1)'"))
    assert.same({ "[1 2 3]\t[0 2 4]\n", 0 },
      { run "-e 'local g = cuda.gpuarray print(g.sort(g.arange(3, 0, -1)), g.arange(3) * 2)'" })
    local out = run("-e 'print(package.searchpath(\"cudalua\", package.path), " ..
      "package.searchpath(\"cudalua.core\", package.cpath))'")
    assert.same({ prefix, prefix }, { out:match("^(" .. prefix .. ")/.*\t(" .. prefix .. ")/[^\t]*\n$") })
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
    local p = pty.spawn({ prefix .. "/bin/cudalua" }, { env = { TERM = "xterm", CUDALUA_HISTORY = "" } })
    p:expect "\n> "
    p:type "local x = 20\rx + 22\r"
    p:expect "\n42\n> "
    p:type ":quit\r"
    assert.same({ "exit", 0 }, { p:wait() })
    p:close()
  end)

  it("finds Lua files that were moved by LUA_PATH, and says where it looked", function()
    local lua_dir = prefix .. "/share/lua/5.1"
    assert(os.execute(("mv '%s' %s/moved"):format(lua_dir, folder)) == 0)
    finally(function() os.execute(("mv %s/moved '%s'"):format(folder, lua_dir)) end)
    assert.equal("1\n", (shell(("LUA_PATH='%s/moved/?.lua' %s -e 'print(1)'"):format(folder, command))))
    local out, status = shell(("LUA_PATH=/none %s -e 'print(1)'"):format(command))
    assert.equal(("cudalua: the Lua files are not in %s, nor on LUA_PATH\n"):format(lua_dir), out)
    assert.equal(1, status)
  end)

  it("is found in a folder that is a link, and from its own", function()
    assert(os.execute(("ln -s '%s/bin' %s/commands"):format(prefix, folder)) == 0)
    for _, line in ipairs { folder .. "/commands/cudalua", ("cd '%s/bin' && ./cudalua"):format(prefix),
      ("cd '%s' && bin/cudalua"):format(prefix), ("PATH='%s/bin':$PATH cudalua"):format(prefix) } do
      assert.same({ "7\n", 0 }, { shell(line .. " -e 'print(7)'") })
    end
  end)

  it("says so if there is no LuaJIT", function()
    local out, status = shell(("CUDALUA_LUAJIT=/none/luajit %s -v"):format(command))
    assert.equal(127, status)
    assert.equal("cudalua: LuaJIT was not found as '/none/luajit': install it (Debian's package is luajit), or name "
      .. "one in CUDALUA_LUAJIT\n", out)
  end)

  it("tells any LuaJIT where the library is", function()
    local line = "luajit -e 'print(require(\"cudalua.gpuarray\").arange(3))'"
    local find = "luajit -e 'print(package.searchpath(\"cudalua.core\", package.cpath))'"
    local out, status = shell(("cd / && unset LUA_PATH LUA_CPATH && eval \"$(%s env)\" && %s && %s %s"):format(command,
      find, gpu.driver, line))
    assert.equal(0, status, out)
    assert.matches("^" .. prefix .. "/.-/cudalua/core.so\n.-%[0 1 2%]\n$", out)
    -- What is in the variables already stays behind it.
    out = shell(("LUA_PATH='/mine/?.lua' && eval \"$(%s env)\" && echo \"$LUA_PATH\""):format(command))
    assert.matches("/share/lua/5.1/%?/init.lua;/mine/%?.lua\n$", out)
  end)

  it("comes with annotations, examples, a manual page and completions", function()
    for _, path in ipairs { "cudalua/meta/memory.lua", "cudalua/meta/generated/operations.lua",
      "cudalua/examples/01_multiply.lua", "cudalua/examples/photographs", "man/man1/cudalua.1",
      "bash-completion/completions/cudalua", "zsh/site-functions/_cudalua",
      "fish/vendor_completions.d/cudalua.fish" } do
      assert.truthy(core.stat(("%s/share/%s"):format(prefix, path)), path)
    end
    local out, status = run(("'%s/share/cudalua/examples/01_multiply.lua'"):format(prefix))
    assert.equal(0, status, out)
    assert.matches("all as expected\n$", out)
  end)

  -- Under the sanitizers a program would need their run-time library, too.
  if gpu.sanitized then return end
  it("gives C programs the software device by pkg-config", function()
    -- pkg-config's file has no quotes for the shell: a path without blanks.
    assert(os.execute(("ln -s '%s' %s/p"):format(prefix, folder)) == 0)
    local path = shell(("find -L %s/p/share -name softgpu.pc"):format(folder)):match "^(.*)/softgpu.pc\n$"
    local out, status = shell(("export PKG_CONFIG_PATH=%s && cc -I%s/include spec/c/vecadd.c -o %s/vecadd "
      .. "$(pkg-config --cflags --libs softgpu) && %s/vecadd && ldd %s/vecadd"):format(path, core.toolkit, folder,
      folder, folder))
    assert.equal(0, status, out)
    assert.matches("^ok\n", out)
    assert.matches("libcudalua%-softgpu.so => " .. folder, out)
  end)
end)
