-- The tools that install and build, with programs of the system replaced by scripts: what they would do to a machine.
local core = require "cudalua.core"

local folder

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- Runs a line of shell; returns its output, stderr included, and its status. Programs of the system know nothing of
-- sanitizers.
local function shell(line)
  local pipe = assert(io.popen(("unset LD_PRELOAD\n{ %s\n} 2>&1 </dev/null; echo status $?"):format(line)))
  local text = pipe:read "*a"
  pipe:close()
  local output, status = text:match "^(.*)status (%d+)\n$"
  return output, tonumber(status)
end

local function run(line, ...)
  local output, status = shell(line:format(...))
  assert.equal(0, status, output)
end

local function program(name, text)
  write(folder .. "/bin/" .. name, "#!/bin/sh\n" .. text)
  run("chmod +x %s/bin/%s", folder, name)
end

-- Runs `need THINGS` of tools/install.sh where PATH has the scripts of this spec and no more than they need.
local function need(things, environment)
  return shell(("cd %s && env -i PATH=$PWD/bin LOG=$PWD/log %s bash -c '" .. [[
    set -euo pipefail
    ROOT=$PWD
    say() { printf "dev: %%s\n" "$*" >&2; }
    die() { say "$*"; exit 1; }
    . "%s/tools/install.sh"
    need %s
  ]] .. "'"):format(folder, environment or "", core.realpath ".", things))
end

-- What apt-get was called with, a line each.
local function calls()
  local text = core.read_file(folder .. "/log", 2 ^ 20) or ""
  os.remove(folder .. "/log")
  return text
end

before_each(function()
  folder = assert(core.make_folder((os.getenv "TMPDIR" or "/tmp") .. "/cudalua-spec-"))
  run("mkdir %s/bin %s/tools", folder, folder)
  for _, name in ipairs { "bash", "cat", "env", "grep", "mktemp", "rm", "sed", "sh", "tail", "tee", "tr" } do
    run("ln -s $(command -v %s) %s/bin/", name, folder)
  end
  program("id", "echo 0\n")
  program("apt-get", 'echo "$*" >>"$LOG"\n')
  write(folder .. "/tools/find_cuda.sh", "#!/bin/sh\nexit 1\n") -- no toolkit here
  run("chmod +x %s/tools/find_cuda.sh", folder)
end)

after_each(function() core.remove_folder(folder) end)

describe("./dev, when packages are missing,", function()
  it("installs them in one go and removes none", function()
    local _, status = need "luajit headers ninja"
    assert.equal(0, status)
    assert.equal("-q install -y --no-remove --no-install-recommends luajit pkg-config libluajit-5.1-dev ninja-build\n",
      calls())
  end)

  it("fetches the package lists and tries again", function()
    program("apt-get", 'echo "$*" >>"$LOG"; case $* in *update) : >lists ;; esac; [ -f lists ]\n')
    local out, status = need "ninja"
    assert.equal(0, status, out)
    assert.matches("install.-\n%-q update\n.-install.-ninja%-build\n$", calls())
  end)

  it("shows apt-get's text and says what to do if packages would be removed", function()
    program("apt-get", [[
echo "$*" >>"$LOG"
echo "The following packages will be REMOVED:"
echo "  webserver-module"
echo "E: Packages need to be removed but remove is disabled." >&2
exit 100
]])
    local out, status = need "luajit"
    assert.equal(1, status)
    assert.matches("will be REMOVED:\n  webserver%-module\n", out)
    assert.matches("dev: apt%-get would remove packages of this machine to install: luajit", out)
    assert.matches("LUAJIT_INC", out)
    local _, count = calls():gsub("\n", "")
    assert.equal(1, count) -- no second try
  end)

  it("takes the LuaJIT packages that go with nginx's Lua module", function()
    program("dpkg-query", 'case $* in *libluajit2-5.1-2) echo installed ;; *) exit 1 ;; esac\n')
    need "luajit headers"
    assert.matches(" luajit2 pkg%-config libluajit2%-5%.1%-dev\n$", calls())
    program("dpkg-query", "echo config-files\n") -- removed again
    need "luajit headers"
    assert.matches(" luajit pkg%-config libluajit%-5%.1%-dev\n$", calls())
  end)

  it("tells a user without sudo of all of them at once", function()
    program("id", "echo 1000\n")
    local out, status = need "luajit headers meson ninja cc cuda"
    assert.equal(1, status)
    assert.truthy(out:find("apt-get install --no-remove --no-install-recommends luajit pkg-config libluajit-5.1-dev "
      .. "meson ninja-build gcc libc6-dev python3-pip\n", 1, true), out)
    assert.equal("", calls())
    out = need("ninja cuda", "CUDALUA_TOOLKIT=installed") -- no wheels, so no pip
    assert.matches("%-%-no%-install%-recommends ninja%-build\n", out)
  end)

  it("names them where there is no apt-get", function()
    os.remove(folder .. "/bin/apt-get")
    local out, status = need "ninja"
    assert.equal(1, status)
    assert.matches("no apt%-get to install them with: ninja%-build\n", out)
  end)
end)

describe("./dev run", function()
  -- Runs ./dev where all is installed; `luajit` and bin/cudalua print what they were called with.
  local function dev(arguments)
    write(folder .. "/tools/install.sh", "need() { CUDA_HOME=/cuda; }; check_meson() { :; }; follow() { cat; }\n")
    for _, name in ipairs { "meson", "ninja" } do program(name, ": >$ROOT_OF_SPEC/built\n") end
    for _, name in ipairs { "luajit", "cudalua" } do program(name, ("echo %s \"$@\"\n"):format(name)) end
    run("cp dev %s/dev && cd %s/bin && ln -sf $(command -v dirname) $(command -v readlink) $(command -v mkdir) .",
      folder, folder)
    run("touch %s/a.lua", folder)
    os.remove(folder .. "/built")
    return shell(("cd %s && env -i ROOT_OF_SPEC=$PWD PATH=$PWD/bin bash ./dev run %s"):format(folder, arguments))
  end

  it("runs a file with LuaJIT, and with -n as several processes", function()
    for arguments, expected in pairs { ["a.lua b 'c d'"] = "luajit a.lua b c d\n", ["-n 3 a.lua b"] =
      "cudalua run -n 3 a.lua b\n", ["-n3 -l m a.lua"] = "cudalua run -n3 -l m a.lua\n", ["--help"] =
      "cudalua run --help\n" } do
      local out, status = dev(arguments)
      assert.equal(0, status, out)
      assert.equal(expected, out:gsub("^.-\n?([^\n]*\n)$", "%1"), out)
      assert.truthy(core.read_file(folder .. "/built", 1)) -- before the program
    end
  end)

  it("says what is missing, before it builds", function()
    for arguments, expected in pairs { [""] = "run what?", ["b.lua"] = "there is no file b.lua; to start N processes: "
      .. "./dev run -n N FILE" } do
      local out, status = dev(arguments)
      assert.equal(1, status)
      assert.truthy(out:find("dev: " .. expected, 1, true), out)
      assert.is_nil(core.read_file(folder .. "/built", 1))
    end
  end)
end)

describe("./dev and CUDA_HOME:", function()
  it("says which version that toolkit has, and which one is needed", function()
    run("mkdir -p %s/old/include && cp tools/find_cuda.sh %s/tools/", folder, folder)
    for _, name in ipairs { "dirname", "grep", "ls", "readlink", "sort" } do
      run("ln -sf $(command -v %s) %s/bin/", name, folder)
    end
    write(folder .. "/old/include/cuda.h", "#define CUDA_VERSION 12040\n")
    local environment = ("CUDALUA_TOOLKIT=installed CUDA_HOME=%s/old"):format(folder)
    local out = need("cuda", environment)
    local text = ("dev: CUDA_HOME cannot be used: %s/old: include/cuda.h of CUDA 12.4; the build needs a CUDA toolkit "
      .. "of version 13.0 or later"):format(folder)
    assert.truthy(out:find(text, 1, true), out)
    assert.equal(1, select(2, out:gsub("CUDA 12.4", "")), out)
  end)
end)

describe("tools/find_cuda.sh", function()
  -- A toolkit with links to the headers of the real one.
  local function toolkit(headers)
    local root = folder .. "/toolkit"
    core.remove_folder(root)
    run("mkdir -p %s/include %s/lib64 && : >%s/lib64/libnvrtc.so.13", root, root, root)
    for _, name in ipairs(headers) do
      run("ln -s %s/include/%s %s/include/", core.toolkit, name, root)
    end
    return root
  end
  local all = { "cuda.h", "cudaProfiler.h", "nvrtc.h" }

  -- What ./dev would choose if this were the only toolkit.
  local function chosen(root, project)
    return (shell(("CUDALUA_TOOLKIT=installed CUDA_HOME=%s sh tools/find_cuda.sh %s"):format(root, project or ".")))
  end

  it("takes a toolkit that has every header that the sources include", function()
    local root = toolkit(all)
    assert.equal(root .. "\n", chosen(root))
    assert.same({ root .. "\n", 0 }, { shell("sh tools/find_cuda.sh . " .. root) })
  end)

  it("refuses one that lacks any of them, and names it", function()
    for i, missing in ipairs(all) do
      local rest = { unpack(all) }
      table.remove(rest, i)
      local root = toolkit(rest)
      assert.are_not.equal(root .. "\n", chosen(root))
      local out, status = shell("sh tools/find_cuda.sh . " .. root)
      assert.equal(1, status)
      assert.truthy(out:find(root .. ": no include/" .. missing, 1, true), out)
    end
  end)

  it("refuses a release before 13.0", function()
    local root = toolkit { "cudaProfiler.h", "nvrtc.h" }
    write(root .. "/include/cuda.h", "#define CUDA_VERSION 12040\n")
    assert.are_not.equal(root .. "\n", chosen(root))
    local out, status = shell("sh tools/find_cuda.sh . " .. root)
    assert.equal(1, status)
    assert.truthy(out:find("include/cuda.h of CUDA 12.4", 1, true), out)
  end)

  it("reads the list of headers from the sources", function()
    local root = toolkit(all)
    run("mkdir -p %s/project/src/a", folder)
    write(folder .. "/project/src/a/new.c", "#include <stdio.h>\n#include <cuda.h>\n#include <cudaOther.h>\n")
    local out, status = shell(("sh tools/find_cuda.sh %s/project %s"):format(folder, root))
    assert.equal(1, status)
    assert.truthy(out:find("no include/cudaOther.h", 1, true), out)
    assert.are_not.equal(root .. "\n", chosen(root, folder .. "/project"))
  end)

  it("stops a build by Meson with such a toolkit", function()
    local root = toolkit { "cuda.h", "nvrtc.h" }
    local out, status = shell(("meson setup %s/build -Dtoolkit=%s"):format(folder, root))
    assert.equal(1, status)
    assert.truthy(out:find(root .. ": no include/cudaProfiler.h", 1, true), out)
  end)
end)
