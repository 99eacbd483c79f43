-- ./dev release: what it refuses, and what it signs. It runs in a small repository of the files that name the version;
-- programs that sign are scripts of this spec.
local core = require "cudalua.core"

local VERSION = require("cudalua").VERSION_TEXT
local ROCKSPEC = ("tools/rockspecs/cudalua-%s-1.rockspec"):format(VERSION)
local FILES = "dev meson.build CHANGELOG.md CITATION.cff lua/cudalua/base/version.lua tools/install.sh "
  .. "tools/package.sh tools/release.sh " .. ROCKSPEC

local folder

local function shell(line, ...)
  local pipe = assert(io.popen(("unset LD_PRELOAD\n{ %s\n} 2>&1 </dev/null; echo status $?"):format(line:format(...))))
  local text = pipe:read "*a"
  pipe:close()
  local output, status = text:match "^(.*)status (%d+)\n$"
  return output, tonumber(status)
end

local function run(line, ...)
  local output, status = shell(line, ...)
  assert.equal(0, status, output)
  return output
end

local _, no_git = shell "command -v git"
local has_git = no_git == 0

local GIT = "git -C %s -c user.name=spec -c user.email=spec@localhost -c commit.gpgsign=false "

local function read(path) return assert(core.read_file(path, 2 ^ 20), path) end

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- A line of a file of the repository becomes another one.
local function change(path, from, to)
  local text, n = read(folder .. "/tree/" .. path):gsub(from, to)
  assert.equal(1, n, path)
  write(folder .. "/tree/" .. path, text)
end

local function commit() run(GIT .. "add -A && " .. GIT .. "commit -qm state", folder .. "/tree", folder .. "/tree") end

local function release(arguments)
  return shell("PATH=%s/bin:$PATH %s/tree/dev release %s", folder, folder, arguments)
end

local function refused(arguments, ...)
  local output, status = release(arguments)
  assert.equal(1, status, output)
  for _, text in ipairs { ... } do assert.truthy(output:find(text, 1, true), text .. " is not in: " .. output) end
  assert.is_nil(output:find("is version " .. VERSION .. " in all files", 1, true))
end

-- Functions of tools/release.sh, as ./dev has them.
local function release_sh(line)
  return shell("PATH=%s/bin:$PATH bash -c '" .. [[
    set -euo pipefail
    ROOT=%s/tree BUILD=$ROOT/build
    say() { printf "dev: %%s\n" "$*" >&2; }
    die() { say "$*"; exit 1; }
    has() { command -v "$1" >/dev/null 2>&1; }
    . $ROOT/tools/release.sh
    cd %s
    %s
  ]] .. "'", folder, folder, folder, line)
end

before_each(function()
  folder = assert(core.make_folder((os.getenv "TMPDIR" or "/tmp") .. "/cudalua-spec-"))
  run("mkdir %s/bin %s/tree && tar -cf - %s | tar -C %s/tree -xf -", folder, folder, FILES, folder)
  local heading = "\n## " .. VERSION:gsub("%.", "%%.") .. " %- [^\n]*\n"
  change("CHANGELOG.md", heading, "\n## " .. VERSION .. " - 2026-01-31\n")
  if not has_git then return end
  run("git init -q %s/tree", folder)
  commit()
end)
after_each(function() core.remove_folder(folder) end)

describe("the version", function()
  it("is the same in all files that name it", function()
    local output, status = release_sh("stated_versions " .. VERSION)
    assert.equal(0, status)
    local n = 0
    for file, version in output:gmatch "(%S+) (%S*)\n" do
      assert.equal(VERSION, version, file)
      n = n + 1
    end
    assert.equal(5, n)
    assert.equal("", (release_sh("version_problems " .. VERSION)))
    assert.equal(VERSION, tostring(require("cudalua").VERSION))
  end)

  it("of the rockspec for it differs from the one for development in its version and source alone", function()
    local function rest(path)
      local text = read(path):gsub('\nversion = "[^"]*"', ""):gsub("\nsource = %b{}", "")
      return text
    end
    assert.equal(rest "cudalua-dev-1.rockspec", rest(ROCKSPEC))
    assert.equal(VERSION .. "-1", read(ROCKSPEC):match '\nversion = "([^"]*)"')
  end)
end)

describe("./dev release", function()
  if not has_git then
    it("says that it needs git", function() refused(VERSION .. " --dry-run", "git was not found") end)
    return
  end

  it("takes a tree in which all agree, and changes nothing in a dry run", function()
    local output, status = release(VERSION .. " --dry-run")
    assert.equal(0, status, output)
    assert.truthy(output:find(("is version %s in all files"):format(VERSION), 1, true), output)
    assert.equal("", run(GIT .. "status --porcelain --ignored", folder .. "/tree"))
  end)

  it("refuses a tree with changes, and with files that are not in git", function()
    write(folder .. "/tree/new", "")
    refused(VERSION .. " --dry-run", "files are changed or not in git", "is not version " .. VERSION .. " yet")
    os.remove(folder .. "/tree/new")
    change("CITATION.cff", "type: software", "type: dataset")
    refused(VERSION .. " --no-check", "files are changed or not in git")
  end)

  it("refuses files that name another version, and says which", function()
    change("CITATION.cff", "\nversion: [^\n]*", "\nversion: 9.8.7")
    change("meson.build", "version: '[%d.]+', license", "version: '9.8.6', license")
    change("lua/cudalua/base/version.lua", "local numbers, status = {[^}]*}", "local numbers, status = { 9, 8, 5 }")
    change(ROCKSPEC, '\nversion = "[^"]*"', '\nversion = "9.8.4-1"')
    commit()
    refused(VERSION .. " --dry-run", "CITATION.cff says 9.8.7; write " .. VERSION, "meson.build says 9.8.6",
      "version.lua says 9.8.5", ROCKSPEC .. " says 9.8.4")
    refused("7.7.7 --dry-run", "cudalua-7.7.7-1.rockspec says nothing; write 7.7.7 there",
      "CHANGELOG.md says " .. VERSION)
  end)

  it("refuses a rockspec with another source, a changelog without a date, and a tag of another commit", function()
    change(ROCKSPEC, "dir = [^\n]*", 'dir = "elsewhere",')
    change("CHANGELOG.md", " %- 2026%-01%-31", " - not released yet")
    commit()
    refused(VERSION .. " --dry-run", "the source of the rockspec", "CHANGELOG.md has no date of release")
    change(ROCKSPEC, "dir = [^\n]*", ('dir = "cudalua-%s",'):format(VERSION))
    change("CHANGELOG.md", " %- not released yet", " - 2026-02-28")
    run(GIT .. "tag v" .. VERSION, folder .. "/tree")
    commit()
    refused(VERSION .. " --dry-run", "the tag v" .. VERSION .. " is another commit")
    run(GIT .. "tag -f v" .. VERSION, folder .. "/tree")
    local output, status = release(VERSION .. " --dry-run")
    assert.equal(0, status, output)
  end)

  it("gives the Debian package the release's version, which other commits are older than", function()
    local older = release_sh "deb_version"
    assert.matches("^" .. VERSION:gsub("%.", "%%.") .. "~git%d+%.%x+\n$", older)
    assert.equal(VERSION .. "\n", (release_sh("RELEASING=" .. VERSION .. " deb_version")))
  end)

  it("refuses wrong arguments, and keys and tools that are not there", function()
    refused("", "the version must have three numbers, such as 0.1.0, got ''")
    refused("0.1", "got '0.1'")
    refused("v0.1.0", "got 'v0.1.0'")
    refused("0.1.0 0.2.0", "one version is wanted")
    refused("0.1.0 --chek", "unknown option --chek; valid options: --dry-run, --no-check, --sign TOOL:KEY")
    refused("0.1.0 --sign", "--sign needs a tool and a key")
    refused("0.1.0 --sign pgp:x", "--sign takes minisign:FILE, signify:FILE, gpg:ID or ssh:FILE, not 'pgp:x'")
    refused("0.1.0 --sign gpg:", "not 'gpg:'")
    run("printf '#!/bin/sh\\n' >%s/bin/minisign && chmod +x %s/bin/minisign", folder, folder)
    refused("0.1.0 --sign minisign:/nowhere/key", "the key /nowhere/key was not found")
  end)

  it("makes the source and what LuaRocks takes, the same for the same commit", function()
    local sums = {}
    for i = 1, 2 do
      run("mkdir %s/out%d", folder, i)
      local output, status = release_sh(("make_sources %s out%d && write_checksums out%d"):format(VERSION, i, i))
      assert.equal(0, status, output)
      sums[i] = read(("%s/out%d/SHA256SUMS"):format(folder, i))
    end
    assert.equal(sums[1], sums[2])
    local n = select(2, sums[1]:gsub("\n", ""))
    assert.equal(3, n, sums[1])
    local rock = ("cudalua-%s-1"):format(VERSION)
    local list = run("python3 -m zipfile -l %s/out1/%s.src.rock", folder, rock)
    assert.truthy(list:find(rock .. ".rockspec", 1, true), list)
    assert.truthy(list:find(("cudalua-%s.tar.gz"):format(VERSION), 1, true), list)
    list = run("tar -tzf %s/out1/cudalua-%s.tar.gz", folder, VERSION)
    assert.truthy(list:find(("cudalua-%s/tools/release.sh\n"):format(VERSION), 1, true), list)
    run("cd %s/out1 && sha256sum --quiet -c SHA256SUMS", folder)
    write(("%s/out1/%s.rockspec"):format(folder, rock), "changed")
    local _, status = shell("cd %s/out1 && sha256sum --quiet -c SHA256SUMS", folder)
    assert.equal(1, status)
  end)
end)

describe("checksums", function()
  local expected = {
    minisign = { "-S -s KEY -m SUMS -x SUMS.minisig\n", "minisig" },
    signify = { "-S -s KEY -m SUMS -x SUMS.sig\n", "sig" },
    gpg = { "--yes --local-user KEY --armor --output SUMS.asc --detach-sign SUMS\n", "asc" },
    ssh = { "-q -Y sign -f KEY -n file SUMS\n", "sig" },
  }
  for tool, e in pairs(expected) do
    it("are signed by " .. tool, function()
      local name = tool == "ssh" and "ssh-keygen" or tool
      write(folder .. "/bin/" .. name, ('#!/bin/sh\necho "$*" >%s/log\n[ ! -f %s/refuse ]\n'):format(folder, folder))
      run("chmod +x %s/bin/%s && touch %s/KEY", folder, name, folder)
      local output, status = release_sh(("check_signature %s:KEY && sign_file SUMS %s:KEY"):format(tool, tool))
      assert.equal(0, status, output)
      assert.equal("SUMS." .. e[2] .. "\n", output)
      assert.equal(e[1], read(folder .. "/log"))
      write(folder .. "/refuse", "")
      output, status = release_sh(("sign_file SUMS %s:KEY"):format(tool))
      assert.equal("", output)
      assert.is_true(status ~= 0)
    end)
  end
end)
