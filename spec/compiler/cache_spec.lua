-- The disk cache of compilations: what makes a hit, what makes a miss, and what it bears.
local gpu = require "spec.support.gpu"
local cache = require "cudalua.compiler.cache"
local core = require "cudalua.core"
local ffi = require "ffi"
local includes = require "cudalua.compiler.includes"
local toolchain = require "cudalua.compiler.toolchain"

ffi.cdef "unsigned getuid(void);"

local cuda = gpu.cuda

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function sh(command, ...)
  local status = os.execute(command:format(...))
  return status == 0 or status == true
end

-- A folder for one test, removed after it.
local root, made
before_each(function()
  root = os.tmpname()
  os.remove(root)
  assert(sh("mkdir -m 700 %s", root))
  made = 0
end)
after_each(function() sh("chmod -R u+rwx %s; rm -rf %s", root, root) end)

local function folder()
  made = made + 1
  return ("%s/cache%d"):format(root, made)
end

local function request(changes)
  local r = {
    where = "compile", source = "__global__ void k() {}", name = "kernel.cu", extern_c = true, target = "image",
    fields = { "arch sm_90", "std c++17", "options -O3" }, include_dirs = {}, system_dirs = {}, headers = {},
    options = {},
  }
  for key, value in pairs(changes or {}) do r[key] = value end
  return r
end

local function open(dir, changes) return cache.open(request(changes), { cache_dir = dir }) end

-- What one of the library's notices says while f runs.
local function notices(f)
  local before, lines = cuda.on_notice, {}
  cuda.on_notice = function(text) lines[#lines + 1] = text end
  local ok, err = pcall(f)
  cuda.on_notice = before
  assert(ok, err)
  return lines
end

local function entries(dir)
  local list = {}
  for name in io.popen(("ls -A %s"):format(dir)):lines() do list[#list + 1] = name end
  return list
end

-- Lua code for processes of their own: a request like the ones above, and a cache in `dir`.
local prelude = [[
  local cache = require "cudalua.compiler.cache"
  package.loaded.cudalua = { on_notice = function(text) print("notice: " .. text) end }
  local function open(dir, source)
    return cache.open({ source = source, name = "kernel.cu", target = "image", extern_c = true, fields = {},
      options = {} }, { cache_dir = dir })
  end
]]

describe("The disk cache", function()
  it("gives back what was put, of every kind of value", function()
    local slot = assert(open(folder()))
    assert.is_nil(cache.get(slot))
    local payload = {
      cubin = "\0\1\2" .. ("x"):rep(100000) .. "\255", log = "", yes = true, no = false, number = 0.1,
      list = { "a", "b" },
      params = { k = { { type = "int32", text = "int n" }, { type = "p", text = "float *p" } } }, [3] = "three",
    }
    assert.is_true(cache.put(slot, payload))
    assert.same(payload, cache.get(slot))
  end)

  it("misses when any field of the key is another", function()
    local dir = folder()
    local slot = open(dir, { headers = { ["a.h"] = "1" } })
    cache.put(slot, { cubin = "first" })
    assert.same({ cubin = "first" }, cache.get(open(dir, { headers = { ["a.h"] = "1" } })))
    local others = {
      { source = "__global__ void k() { }" }, { name = "other.cu" }, { extern_c = false }, { target = "ptx" },
      { fields = { "arch sm_80", "std c++17", "options -O3" } }, { fields = { "arch sm_90", "std c++17" } },
      { fields = { "arch sm_90", "std c++17", "options -O3", "" } },
      { fields = { "std c++17", "arch sm_90", "options -O3" } },
      { fields = { "arch sm_90std c++17", "options -O3" } }, { fields = { ("x"):rep(5000) .. "1" } },
      { fields = { ("x"):rep(5000) .. "2" } },
    }
    local names = { [slot.name] = true }
    for i, changes in ipairs(others) do
      local other = open(dir, changes)
      assert.is_nil(names[other.name], "change " .. i .. " made no new key")
      names[other.name] = true
      assert.is_nil(cache.get(other))
    end
  end)

  it("misses with another compiler, other headers of CUDA, or NVRTC_APPEND_FLAGS", function()
    local dir = folder()
    local names = {}
    local found = toolchain.find()
    local before = found.stamp
    for _, stamp in ipairs { before, before .. "1", "" } do
      found.stamp = stamp
      names[open(dir).name] = true
    end
    found.stamp = before
    local same = open(dir).name
    assert.is_true(names[same])
    local text = gpu.child(prelude .. ("print(open(%q, 'x').name)"):format(dir), "NVRTC_APPEND_FLAGS=-w")
    local plain = gpu.child(prelude .. ("print(open(%q, 'x').name)"):format(dir))
    assert.matches("^%x+\n$", text)
    assert.matches("^%x+\n$", plain)
    assert.are_not.equal(text, plain)
    local count = 0
    for _ in pairs(names) do count = count + 1 end
    assert.equal(3, count)
    assert.matches("libnvrtc", before)
    assert.matches("cuda%.h", before)
  end)

  it("knows the compiler without loading it", function()
    local text = gpu.child(prelude .. ([[
      local slot = open(%q, "x")
      cache.put(slot, { cubin = "y" })
      assert(cache.get(slot).cubin == "y")
      local maps = io.open("/proc/self/maps"):read "*a"
      print(maps:find "nvrtc" and "loaded" or "not loaded")
    ]]):format(folder()))
    assert.equal("not loaded\n", text)
  end)

  it("hashes as SHA-256 does, with the processor's instructions and without", function()
    assert.equal("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", core.sha256 "")
    assert.equal("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", core.sha256 "abc")
    assert.equal("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", core.sha256(("a"):rep(1e6)))
    for n = 0, 200 do
      local bytes = {}
      for i = 1, n do bytes[i] = string.char(math.random(0, 255)) end
      local text = table.concat(bytes)
      assert.equal(core.sha256(text, true), core.sha256(text))
    end
  end)
end)

describe("Included files", function()
  local function names_of(text)
    local refs, why = includes.scan(text)
    if not refs then return why end
    for i, ref in ipairs(refs) do refs[i] = ref.quoted and '"' .. ref.name .. '"' or "<" .. ref.name .. ">" end
    return table.concat(refs, " ")
  end

  it("are found in every spelling", function()
    for text, expected in pairs {
      ['#include "a.h"'] = '"a.h"', ["#include <a/b.h>"] = "<a/b.h>", ['  #  include\t"a.h" // x'] = '"a.h"',
      ['int x;\n#include<a>\n'] = "<a>", ['\r\n#include "a"\r\n'] = '"a"', ['#include_next <a>'] = "<a>",
      ['#inc\\\nlude "a"'] = '"a"', ['#include \\\r\n "a"'] = '"a"', ['%:include "a"'] = '"a"',
      ['/* x */ #include "a"'] = '"a"', ['/*\n*/ # /* y */ include /* z */ "a"'] = '"a"', ['\f#include "a"'] = '"a"',
      ['\239\187\191#include "a"'] = '"a"', ['#if 0\n#include "a"\n#endif\n#include "b"'] = '"a" "b"',
      ['#include "a"\n#include "a"'] = '"a" "a"', ['#embed "t.bin"'] = '"t.bin"',
    } do
      assert.equal(expected, names_of(text), text)
    end
  end)

  it("are told from text that is none", function()
    for _, text in ipairs { "", "include", "// #include <a>", 'printf("#include <a>");', "int included; x = #include;",
      '// see #include directives', ' * #include "a"', "includes <a>", "#define X #include <a>", "#included <a>", "\\",
      "#", "#include_x <a>", "#\195\188include" } do
      assert.equal("", names_of(text), text)
    end
  end)

  it("keep a source out of the cache where they cannot be known", function()
    for text, expected in pairs {
      ["#include NAME"] = "names no file", ["#include"] = "names no file", ['#include "a'] = "names no file",
      ["#if __has_include(<a>)"] = "__has_include", ["x = __DATE__;"] = "__DATE__", ["__TI\\\nME__"] = "__TIME__",
      ["__TIMESTAMP__"] = "__TIMESTAMP__", ['??=include "a"'] = "trigraphs", ["#if __has_embed(<a>)"] = "__has_embed",
      ["#include <a\0b>"] = "names no file", ["#include /* " .. ("x"):rep(5000) .. " */ <a>"] = "names no file",
    } do
      assert.matches(expected, names_of(text), 1, true)
      local slot, why = open(folder(), { source = text })
      assert.is_nil(slot)
      assert.matches(expected, why, 1, true)
    end
  end)

  it("of a source of a megabyte are found in less than 30 ms", function()
    local line = '  y[i] = a * x[i] + "include\\n" / 3; /* # */\n'
    local best = math.huge
    local text = line:rep(1e6 / #line) .. '#include "a"\n'
    for _ = 1, 50 do -- other work on the machine only ever makes it longer
      local start = os.clock()
      assert.equal('"a"', names_of(text))
      best = math.min(best, os.clock() - start)
      if best < 0.03 then break end
    end
    assert.is_true(best < 0.03, ("%.1f ms"):format(best * 1e3))
  end)

  local dir, a, b, system
  local function name_of(changes)
    changes.include_dirs = changes.include_dirs or { a, b }
    changes.system_dirs = changes.system_dirs or { system }
    return assert(open(dir, changes)).name
  end
  before_each(function()
    dir, a, b, system = folder(), root .. "/a", root .. "/b", root .. "/system"
    assert(sh("mkdir -p %s %s/deep %s/cub/block", a, b, system))
  end)

  it("make a miss when they are edited, also those that they include, and a hit when they are as before", function()
    write(b .. "/one.h", '#include "deep/two.h"\n')
    write(b .. "/deep/two.h", '#include "three.h"\n')
    write(b .. "/deep/three.h", "#define N 3\n")
    local source = '#include "one.h"\n'
    local first = name_of { source = source }
    write(b .. "/deep/three.h", "#define N 4\n")
    local second = name_of { source = source }
    assert.are_not.equal(first, second)
    write(b .. "/deep/three.h", "#define N 3\n")
    assert.equal(first, name_of { source = source })
    os.remove(b .. "/deep/three.h")
    assert.are_not.equal(first, name_of { source = source })
  end)

  it("make a miss when a file of that name appears earlier in the path, or where none was", function()
    write(b .. "/one.h", "#define N 1\n")
    local source = '#include <one.h>\n#include "none.h"\n'
    local first = name_of { source = source }
    write(a .. "/one.h", "#define N 1\n")
    local second = name_of { source = source }
    assert.are_not.equal(first, second)
    write(b .. "/none.h", "")
    local third = name_of { source = source }
    assert.are_not.equal(second, third)
    write(root .. "/none.h", "")
    assert.are_not.equal(third, name_of { source = source, source_dir = root })
    os.remove(a .. "/one.h")
    os.remove(b .. "/none.h")
    assert.equal(first, name_of { source = source })
  end)

  it("are looked for in the folders of options, and those that options include", function()
    write(a .. "/one.h", "1")
    for _, options in ipairs { { "-I" .. a }, { "-I", a }, { "-I=" .. a }, { "--include-path=" .. a },
      { "--include-path", a }, { "-I" .. a, "-include=one.h" }, { "-I" .. a, "--pre-include", "one.h" } } do
      local by_option = table.concat(options):find("one.h", 1, true)
      local changes = { source = by_option and "x" or "#include <one.h>", options = options, include_dirs = {} }
      local first = name_of(changes)
      write(a .. "/one.h", "2")
      assert.are_not.equal(first, name_of(changes))
      write(a .. "/one.h", "1")
      assert.equal(first, name_of(changes))
    end
  end)

  it("of headers in memory count as well", function()
    write(a .. "/one.h", "1")
    local changes = { source = "x", headers = { ["memory.h"] = '#include "one.h"' } }
    local first = name_of(changes)
    write(a .. "/one.h", "2")
    assert.are_not.equal(first, name_of(changes))
  end)

  it("that include each other, or themselves by ever longer paths, come to an end", function()
    write(a .. "/one.h", '#include "two.h"\n#include "../a/one.h"\n#include "./one.h"')
    write(a .. "/two.h", '#include "one.h"\n')
    assert.is_string(name_of { source = '#include "one.h"' })
  end)

  it("of CUDA itself are not read", function()
    write(system .. "/cuda_fp16.h", "1")
    write(system .. "/cub/block/x.cuh", "1")
    local source = "#include <cuda_fp16.h>\n#include <cub/block/x.cuh>\n"
    local first = name_of { source = source }
    write(system .. "/cuda_fp16.h", "2")
    write(system .. "/cub/block/x.cuh", "#include MACRO")
    assert.equal(first, name_of { source = source })
    assert.equal(first, name_of { source = source, include_dirs = { a, b, system } }) -- nor if the user names them
    -- What the user puts before them is the user's.
    write(a .. "/cuda_fp16.h", "3")
    local second = name_of { source = source }
    assert.are_not.equal(first, second)
    write(a .. "/cuda_fp16.h", "4")
    assert.are_not.equal(second, name_of { source = source })
  end)

  it("count where CUDA's own headers would find them first", function()
    write(system .. "/cuda_fp16.h", "1")
    write(system .. "/inner.h", "1")
    local source = "#include <cuda_fp16.h>\n"
    local names = {}
    local function another()
      local name = name_of { source = source }
      assert.is_nil(names[name])
      names[name] = true
    end
    another()
    write(a .. "/mine.h", "") -- none of the toolkit's
    assert.is_true(names[name_of { source = source }])
    write(a .. "/inner.h", "1")
    another()
    write(a .. "/inner.h", "2")
    another()
    assert(sh("mkdir -p %s/cub/block", a))
    write(a .. "/cub/block/y.cuh", "1")
    another()
    write(a .. "/cub/block/y.cuh", "12")
    another()
  end)

  it("that are links include what is beside the link", function()
    write(b .. "/target.h", '#include "beside.h"\n')
    write(a .. "/beside.h", "1")
    assert(sh("ln -s %s/target.h %s/link.h", b, a))
    for _, name in ipairs { "a/link.h", "./a/link.h", "b/../a/link.h" } do
      local changes = { source = ('#include "%s"\n'):format(name), source_dir = root }
      write(a .. "/beside.h", "1")
      local first = name_of(changes)
      write(a .. "/beside.h", "2")
      assert.are_not.equal(first, name_of(changes))
    end
  end)

  it("that are pipes, folders or unreadable stop nothing", function()
    assert(sh("mkfifo %s/pipe.h && mkdir %s/folder.h", a, a))
    assert.is_string(name_of { source = '#include "pipe.h"\n#include "folder.h"\n#include "/dev/zero"\n#include ""\n' })
  end)

  it("that change during the compilation keep its result out", function()
    write(a .. "/one.h", "1")
    local slot = open(dir, { source = '#include "one.h"', include_dirs = { a } })
    write(a .. "/one.h", "2")
    assert.is_false(cache.put(slot, { cubin = "which?" }))
    write(a .. "/one.h", "1")
    assert.is_nil(cache.get(slot))
    assert.is_true(cache.put(slot, { cubin = "first" }))
  end)
end)

describe("Options that keep a source out of the cache", function()
  it("are -G, PCH, and those that write files", function()
    for _, option in ipairs { "-G", "--device-debug", "--pch", "-pch", "--create-pch=x", "--use-pch=x",
      "--fdevice-time-trace=t", "--time=t.csv", "--options-file=x", "-Xptxas=--options-file=x" } do
      local slot, why = open(folder(), { options = { option } })
      assert.is_nil(slot, option)
      assert.is_string(why)
    end
    assert.is_table(open(folder(), { options = { "--time=-", "-lineinfo", "--use_fast_math", "-DG" } }))
  end)

  it("are cache_dir = false and CUDALUA_DISABLE_CACHE", function()
    local slot, why = cache.open(request(), { cache_dir = false })
    assert.is_nil(slot)
    assert.matches("cache_dir", why)
    local text = gpu.child(prelude .. ("print(open(%q, 'x'))"):format(folder()), "CUDALUA_DISABLE_CACHE=1")
    assert.equal("nil\tCUDALUA_DISABLE_CACHE is set\n", text)
    text = gpu.child(prelude .. ("print(open(%q, 'x'))"):format(folder()), "CUDALUA_CACHE_SIZE=0")
    assert.equal("nil\tCUDALUA_CACHE_SIZE is 0\n", text)
  end)
end)

describe("The folder of the cache", function()
  local function where(environment)
    local text = gpu.child([[
      local cuda = require "cudalua"
      local info = cuda.cache_info()
      print(info.dir or info.why)
    ]], "env -u HOME -u XDG_CACHE_HOME -u CUDALUA_CACHE_DIR " .. environment)
    return (text:gsub("\n$", ""))
  end

  it("is CUDALUA_CACHE_DIR, or cudalua in XDG_CACHE_HOME or in HOME's .cache", function()
    assert.equal(root .. "/x/c", where(("HOME=%s CUDALUA_CACHE_DIR=%s/x/c"):format(root, root)))
    assert.equal(root .. "/xdg/cudalua", where(("HOME=%s XDG_CACHE_HOME=%s/xdg"):format(root, root)))
    assert.equal(root .. "/.cache/cudalua", where("HOME=" .. root))
    assert.equal(root .. "/.cache/cudalua", where("XDG_CACHE_HOME=relative HOME=" .. root))
    assert.matches("HOME is not set", where "")
    for _, path in ipairs { "/x/c", "/x", "/xdg/cudalua", "/.cache", "/.cache/cudalua" } do
      local mode = io.popen(("stat -c %%a %s%s"):format(root, path)):read "*a"
      assert.equal("700\n", mode, path)
    end
  end)

  -- Not used, with one warning however often it is asked for, and nothing is put into it.
  local function refused(dir, why)
    local lines = notices(function()
      for _ = 1, 3 do assert.is_nil((open(dir))) end
    end)
    assert.equal(1, #lines)
    assert.matches(why, lines[1], 1, true)
    assert.matches(dir, lines[1], 1, true)
  end

  it("must not be a symbolic link, also with a slash behind it", function()
    local real, link = folder(), folder()
    assert(sh("mkdir -m 700 %s && ln -s %s %s", real, real, link))
    refused(link, "symbolic link")
    refused(link .. "/", "symbolic link")
    assert.same({}, entries(real))
  end)

  it("must not be open for others to write", function()
    for _, mode in ipairs { "777", "770", "702" } do
      local dir = folder()
      assert(sh("mkdir -m %s %s", mode, dir))
      refused(dir, "other users can write")
    end
    local dir = folder()
    assert(sh("mkdir -m 755 %s", dir))
    assert.is_table(open(dir))
  end)

  it("must belong to the user", function()
    -- Root can give a folder away; everybody else finds root's.
    if ffi.C.getuid() == 0 then
      local dir = folder()
      assert(sh("mkdir -m 700 %s && chown 65534 %s", dir, dir))
      refused(dir, "belongs to another user")
    else
      refused("/usr", "belongs to another user")
    end
  end)

  it("must be a folder", function()
    local dir = folder()
    write(dir, "")
    refused(dir, "ot a directory")
    refused(dir .. "/below", "ot a directory")
    refused("/proc/nothing", "cannot be made")
    refused(root .. ("/x"):rep(2100), "too long")
  end)

  it("is not used by a program with another user's rights", function()
    if ffi.C.getuid() ~= 0 then -- only root can change its rights
      assert.is_table(open(folder()))
      return
    end
    local text = gpu.child(([[
      local ffi = require "ffi"
      ffi.cdef "int seteuid(unsigned);"
      %s
      ffi.C.seteuid(65534)
      print(open(%q, "x"))
    ]]):format(prelude, folder()), "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0") -- which needs the rights
    assert.matches("rights of another user", text)
    assert.matches("nil\t", text)
  end)

  it("may be read-only: what is there is used, and a warning tells once that nothing is added", function()
    local dir = folder()
    local slot = open(dir, { source = "x", name = "kernel.cu", fields = {} })
    cache.put(slot, { cubin = "kept" })
    assert(sh("chmod 500 %s", dir))
    -- Root writes anywhere; so it becomes nobody first.
    local root_user = ffi.C.getuid() == 0
    if root_user then assert(sh("chmod 755 %s && chown -R 65534:65534 %s", root, dir)) end
    local text = gpu.child(([[
      %s
      local ffi = require "ffi"
      ffi.cdef "int setgid(unsigned); int setuid(unsigned);"
      open(%q, "x") -- while it can still look at its own files
      if %s then assert(ffi.C.setgid(65534) == 0 and ffi.C.setuid(65534) == 0) end
      print(cache.get(open(%q, "x")).cubin)
      for i = 1, 3 do print(cache.put(open(%q, "y" .. i), { cubin = "new" })) end
      print(cache.get(open(%q, "y1")) == nil)
    ]]):format(prelude, folder(), tostring(root_user), dir, dir, dir))
    assert.equal("kept\nnotice: compiled kernels cannot be written to " .. dir .. ": Permission denied\n" ..
      "false\nfalse\nfalse\ntrue\n", text)
  end)

  local fill = prelude .. [[
    local dir = ...
    for i = 1, 3 do
      local slot = open(%q, "x" .. i)
      print(cache.put(slot, { cubin = ("x"):rep(300000) }), cache.get(slot))
    end
    local slot = open(%q, "small")
    print(cache.put(slot, { cubin = "y" }), cache.get(slot).cubin)
  ]]

  it("may be on a full disk: a warning once, small entries where they fit, no rests", function()
    local dir = folder()
    assert(sh("mkdir -m 700 %s", dir))
    local script = root .. "/fill.lua"
    write(script, fill:format(dir, dir))
    local expected = "notice: compiled kernels cannot be written to " .. dir .. ": %s\n" ..
      "false\tnil\nfalse\tnil\nfalse\tnil\ntrue\ty\n"
    local function run(command) return io.popen(command .. " 2>&1"):read "*a" end
    -- A file system of its own, where that is allowed.
    for _, unshare in ipairs { "unshare -m", "unshare -rm" } do
      local mounted = ("%s sh -c 'mount -t tmpfs -o size=64k,mode=700 tmpfs %s && %%s'"):format(unshare, dir)
      if sh("%s", mounted:format "true" .. " 2>/dev/null") then
        local text = run(mounted:format(("luajit %s; ls -A %s"):format(script, dir)))
        assert.equal(expected:format "No space left on device", text:sub(1, -66))
        assert.matches("^%x+\n$", text:sub(-65)) -- the small one, and no temporary file
        break
      end
    end
    assert.equal(expected:format "File too large", run(("(ulimit -f 100; luajit %s)"):format(script)))
    assert.equal(1, #entries(dir))
  end)
end)

describe("Entries of the cache", function()
  local dir, slot, path
  before_each(function()
    dir = folder()
    slot = open(dir)
    cache.put(slot, { cubin = ("cubin"):rep(50), log = "warning" })
    path = dir .. "/" .. slot.name
  end)

  -- A damaged entry is a miss, and gone; the next one is right.
  local function damaged(text, what)
    write(path, text)
    assert.is_nil(cache.get(slot), what)
    assert.same({}, entries(dir), what)
    assert.is_true(cache.put(slot, { cubin = "again" }))
    assert.same({ cubin = "again" }, cache.get(slot))
  end

  it("are files of this user alone", function()
    assert.equal("600\n", io.popen("stat -c %a " .. path):read "*a")
    assert.same({ slot.name }, entries(dir))
  end)

  it("count only if every byte is as it was written", function()
    local text = read(path)
    local bit = require "bit"
    for at = 1, #text do
      if at <= 64 or at % 7 == 0 or at > #text - 8 then -- magic, lengths and digest whole; of key and payload a sample
        local changed = bit.bxor(text:byte(at), 2 ^ math.random(0, 7))
        damaged(text:sub(1, at - 1) .. string.char(changed) .. text:sub(at + 1), "byte " .. at)
      end
    end
  end)

  it("count only at their full length", function()
    local text = read(path)
    for _, n in ipairs { 0, 1, 7, 8, 16, 24, 55, 56, 57, 100, #text - 1 } do damaged(text:sub(1, n), n .. " bytes") end
    damaged(text .. "x", "a byte more")
    damaged(text .. text, "twice")
    damaged(("\255"):rep(#text), "all ones")
    damaged(("\0"):rep(#text), "all zeros")
  end)

  it("with lengths that wrap around are refused", function()
    local text = read(path)
    local ones = ("\255"):rep(8)
    damaged(text:sub(1, 8) .. ones .. text:sub(17), "key")
    damaged(text:sub(1, 16) .. ones .. text:sub(25), "payload")
    -- Both, so that their sum is right.
    local lengths = ffi.new("uint64_t[2]")
    ffi.copy(lengths, text:sub(9, 24), 16)
    lengths[0], lengths[1] = lengths[0] + lengths[1] + 1, -1ULL
    damaged(text:sub(1, 8) .. ffi.string(lengths, 16) .. text:sub(25), "sum")
  end)

  it("count only under their own key", function()
    local other = open(dir, { name = "other.cu" })
    assert(sh("cp %s %s/%s", path, dir, other.name))
    assert.is_nil(cache.get(other))
    assert.same({ slot.name }, entries(dir))
    assert.is_table(cache.get(slot))
  end)

  it("are no symbolic links, pipes or others' files", function()
    local target = root .. "/target"
    assert(sh("mv %s %s && ln -s %s %s", path, target, target, path))
    assert.is_nil(cache.get(slot))
    assert.same({}, entries(dir))
    assert.is_true(#read(target) > 0)
    assert(sh("mkfifo %s", path))
    assert.is_nil(cache.get(slot))
    assert.same({}, entries(dir))
    for _, mode in ipairs { "666", "620" } do
      cache.put(slot, { cubin = "x" })
      assert(sh("chmod %s %s", mode, path))
      assert.is_nil(cache.get(slot))
      assert.same({}, entries(dir))
    end
    if ffi.C.getuid() == 0 then
      cache.put(slot, { cubin = "x" })
      assert(sh("chown 65534 %s", path))
      assert.is_nil(cache.get(slot))
      assert.same({}, entries(dir))
    end
  end)

  it("stay out where a folder has their name, with one warning", function()
    assert(sh("rm %s && mkdir %s", path, path))
    local lines = notices(function()
      for _ = 1, 2 do
        assert.is_nil(cache.get(slot))
        assert.is_false(cache.put(slot, { cubin = "x" }))
      end
    end)
    assert.equal(1, #lines)
    assert.same({ slot.name }, entries(dir))
  end)
end)

describe("The size of the cache", function()
  it("is bounded, whatever is put", function()
    local dir = folder()
    local text = gpu.child(prelude .. ([[
      for i = 1, 200 do
        cache.put(open(%q, "source " .. i), { cubin = ("x"):rep(500 + i %% 7 * 300) })
      end
    ]]):format(dir), "CUDALUA_CACHE_SIZE=64k")
    assert.equal("", text)
    local bytes = tonumber(io.popen(("cat %s/* | wc -c"):format(dir)):read "*a")
    assert.is_true(bytes <= 65536 + 1024, bytes .. " bytes")
    assert.is_true(bytes > 32768, bytes .. " bytes")
  end)

  it("says so where it is misspelt, and takes K, M and G", function()
    local code = 'print(require("cudalua").cache_info().limit)'
    for size, expected in pairs { ["2M"] = "2097152\n", ["1g"] = "1073741824\n", ["12"] = "12\n",
      ["7KiB"] = "7168\n" } do
      assert.equal(expected, (gpu.child(code, ("CUDALUA_CACHE_SIZE=%s CUDALUA_CACHE_DIR=%s"):format(size, folder()))))
    end
    local text = gpu.child(code, ("CUDALUA_CACHE_SIZE=lots CUDALUA_CACHE_DIR=%s"):format(folder()))
    assert.matches("CUDALUA_CACHE_SIZE", text)
    assert.matches("536870912\n$", text)
  end)

  it("is kept by removing what was used longest ago", function()
    local dir = folder()
    local slots = {}
    for i = 1, 4 do
      slots[i] = open(dir, { source = "source " .. i })
      cache.put(slots[i], { cubin = ("x"):rep(1000) })
      assert(sh("touch -d '%d hours ago' %s/%s", 10 - i, dir, slots[i].name))
    end
    assert.is_table(cache.get(slots[1])) -- used now
    local one = #read(dir .. "/" .. slots[1].name)
    core.cache_evict(slots[1].dir, 2 * one + 100)
    assert.is_nil(cache.get(slots[2]))
    assert.is_nil(cache.get(slots[3]))
    assert.is_table(cache.get(slots[4]))
    assert.is_table(cache.get(slots[1]))
  end)

  it("does not count other files, and removes temporary ones once they are old", function()
    local dir = folder()
    local slot = open(dir)
    cache.put(slot, { cubin = "x" })
    for _, name in ipairs { "notes.txt", ".tmp-new", ".tmp-old", ("a"):rep(64) .. ".txt" } do
      write(dir .. "/" .. name, "x")
    end
    assert(sh("touch -d '1 hour ago' %s/.tmp-old && mkdir %s/%s", dir, dir, ("b"):rep(64)))
    core.cache_evict(slot.dir, 0)
    local left = entries(dir)
    table.sort(left)
    assert.same({ ".tmp-new", ("a"):rep(64) .. ".txt", ("b"):rep(64), "notes.txt" }, left)
  end)

  it("bounds single entries as well", function()
    local text = gpu.child(prelude .. ([[
      print(cache.put(open(%q, "x"), { cubin = ("x"):rep(30000) }))
      print(cache.put(open(%q, "y"), { cubin = ("x"):rep(3000) }))
    ]]):format(folder(), folder()), "CUDALUA_CACHE_SIZE=64k")
    assert.equal("false\ntrue\n", text)
  end)
end)

describe("Processes", function()
  -- Runs n of them at the same time; returns what they printed.
  local function race(n, code)
    local script = root .. "/race.lua"
    write(script, code)
    return io.popen(("for i in $(seq %d); do luajit %s $i 2>&1 & done; wait"):format(n, script)):read "*a"
  end

  it("that race on one entry all get a right one", function()
    local dir = folder()
    local text = race(16, prelude .. ([[
      local payload = ("one"):rep(50000)
      for i = 1, 200 do
        local slot = open(%q, "source")
        local got = cache.get(slot)
        assert(got == nil or got.cubin == payload, "wrong")
        if not got or i %% 3 == 0 then assert(cache.put(slot, { cubin = payload })) end
      end
      print "well"
    ]]):format(dir))
    assert.equal(("well\n"):rep(16), text)
    assert.equal(1, #entries(dir))
  end)

  it("that race on many, while others evict, all get right ones or none", function()
    local dir = folder()
    local text = race(16, prelude .. ([[
      local core = require "cudalua.core"
      math.randomseed(tonumber(arg[1]))
      for i = 1, 200 do
        local k = math.random(12)
        local slot = open(%q, "source " .. k)
        local payload = (k .. ","):rep(3000)
        local got = cache.get(slot)
        assert(got == nil or got.cubin == payload, "wrong")
        if not got then assert(cache.put(slot, { cubin = payload })) end
        if i %% 20 == 0 then core.cache_evict(slot.dir, 30000) end
      end
      print "well"
    ]]):format(dir))
    assert.equal(("well\n"):rep(16), text)
    for _, name in ipairs(entries(dir)) do assert.matches("^%x+$", name) end
  end)

  it("that are killed while they write leave right entries or none", function()
    local dir = folder()
    local script = root .. "/killed.lua"
    write(script, prelude .. ([[
      math.randomseed(tonumber(arg[1]))
      while true do
        local k = math.random(20)
        cache.put(open(%q, "source " .. k), { cubin = (k .. ","):rep(20000) .. k })
      end
    ]]):format(dir))
    for round = 1, 30 do
      os.execute(("luajit %s %d & pid=$!; sleep 0.0%d; kill -9 $pid; wait $pid 2>/dev/null"):format(script, round,
        math.random(20, 99)))
    end
    local there = 0
    for k = 1, 20 do
      local slot = cache.open({ source = "source " .. k, name = "kernel.cu", target = "image", extern_c = true,
        fields = {}, options = {} }, { cache_dir = dir })
      local before = core.stat(dir .. "/" .. slot.name)
      local got = cache.get(slot)
      assert.equal(before ~= nil, got ~= nil) -- none of them was damaged
      if got then
        there = there + 1
        assert.equal((k .. ","):rep(20000) .. k, got.cubin)
      end
    end
    assert.is_true(there > 5)
    local names = entries(dir)
    for _, name in ipairs(names) do assert(name:match "^%x+$" or name:match "^%.tmp%-%x+$", name) end
    assert(sh("touch -d '1 hour ago' %s/.tmp-* 2>/dev/null; true", dir))
    local slot = open(dir)
    core.cache_evict(slot.dir, 2 ^ 40)
    assert.equal(there, #entries(dir))
  end)
end)

describe("Lookups with CUDALUA_DEBUG", function()
  local function lines_of(f)
    local before = cache.debug
    cache.debug = true
    local lines = notices(f)
    cache.debug = before
    return table.concat(lines, "\n")
  end

  it("say why they missed, and that they hit", function()
    local dir = folder()
    local slot = open(dir)
    assert.matches("kernel%.cu: miss, no entry of that name", lines_of(function() cache.get(slot) end))
    assert.matches("kernel%.cu: stored, %d+ bytes", lines_of(function() cache.put(slot, { cubin = "x" }) end))
    assert.matches("kernel%.cu: hit, " .. dir:gsub("%p", "%%%0") .. "/%x+",
      lines_of(function() cache.get(slot) end))
    local other = open(dir, { fields = { "arch sm_80", "std c++17", "options -O3" } })
    assert.matches("differs in 1 field: now [arch sm_80], then [arch sm_90]",
      lines_of(function() cache.get(other) end), 1, true)
    write(dir .. "/" .. slot.name, "rubbish")
    assert.matches("was removed: it is truncated", lines_of(function() cache.get(slot) end))
    assert.matches("not cached: the source: it uses __TIME__",
      lines_of(function() open(dir, { source = "__TIME__" }) end))
    assert.matches("not cached: cache_dir is false", lines_of(function() open(false) end))
  end)

  it("come with the environment variable, and only then", function()
    local code = prelude .. ("cache.get(open(%q, 'x'))"):format(folder())
    assert.equal("", (gpu.child(code, "CUDALUA_DEBUG=")))
    assert.equal("", (gpu.child(code, "CUDALUA_DEBUG=0")))
    assert.matches("notice: cache: kernel%.cu: miss", (gpu.child(code, "CUDALUA_DEBUG=1")))
  end)
end)

describe("Compilations through the cache", function()
  local dir
  before_each(function()
    gpu.context()
    dir = folder()
  end)

  local function counted(f)
    local before = cuda.cache_info()
    f()
    local after = cuda.cache_info()
    return ("%d hits, %d misses, %d stores"):format(after.hits - before.hits, after.misses - before.misses,
      after.stores - before.stores)
  end

  local source = "__global__ void k(int *p, int n) { p[0] = n + 1; }"

  it("give the same image, log, signatures and names the second time", function()
    local text = source .. "\n__device__ void f() { int unused; }\n"
      .. "template <class T> __global__ void t(T *p, T x) { *p = x; }\n"
    local opts = { cache_dir = dir, no_extern_c = true, name_expressions = { "t<float>", "k" } }
    local images, logs = {}, {}
    local function compile() images[#images + 1], logs[#logs + 1] = cuda.compile(text, opts) end
    local told = notices(function() assert.equal("0 hits, 1 misses, 1 stores", counted(compile)) end)
    assert.matches("unused", told[1])
    assert.equal("1 hits, 0 misses, 0 stores", counted(compile))
    assert.equal(images[1], images[2])
    assert.matches("unused", logs[1])
    assert.equal(logs[1], logs[2])
    local function load()
      local mod = cuda.SourceModule(text, opts)
      assert.equal(logs[1], mod.log)
      local p = cuda.mem_alloc(8)
      mod:get_function "t<float>"(p, 2.5, { block = 1 })
      local out = ffi.new("float[1]")
      cuda.memcpy_dtoh(out, p)
      assert.equal(2.5, out[0])
      mod:get_function "k"(p, 41, { block = 1 })
      out = ffi.new("int[1]")
      cuda.memcpy_dtoh(out, p)
      assert.equal(42, out[0])
      gpu.raises("LogicError", "1.5", mod:get_function "k", p, 1.5, { block = 1 })
    end
    assert.equal("1 hits, 0 misses, 0 stores", counted(load))
  end)

  it("are others with another source, name, option, header, folder or name expression", function()
    local function with(changes)
      local opts = { cache_dir = dir }
      local text = changes.source or source
      for key, value in pairs(changes) do opts[key] = value end
      opts.source = nil
      return counted(function() cuda.compile(text, opts) end)
    end
    for _, changes in ipairs { {}, { source = source .. " " }, { name = "other.cu" }, { options = { "-DA=1" } },
      { options = { "-DA=2" } }, { options = { "-DA=1", "-DB" } }, { arch = "compute_90" },
      { headers = { ["a.h"] = "1" } }, { headers = { ["a.h"] = "2" } }, { headers = { ["b.h"] = "2" } },
      { include_dirs = { root } }, { no_extern_c = true }, { no_extern_c = true, name_expressions = { "k" } } } do
      assert.equal("0 hits, 1 misses, 1 stores", with(changes))
      assert.equal("1 hits, 0 misses, 0 stores", with(changes))
    end
  end)

  it("see a header that was edited", function()
    local function run()
      local mod = cuda.SourceModule('#include "value.h"\n__global__ void k(int *p) { *p = VALUE; }',
        { cache_dir = dir, include_dirs = { root } })
      local p, out = cuda.mem_alloc(4), ffi.new("int[1]")
      mod:get_function "k"(p, { block = 1 })
      cuda.memcpy_dtoh(out, p)
      return out[0]
    end
    for _, value in ipairs { 1, 2, 1 } do
      write(root .. "/value.h", "#define VALUE " .. value)
      assert.equal(value, run())
    end
    assert.equal(2, #entries(dir))
  end)

  it("that fail leave nothing behind, and fail again", function()
    for _ = 1, 2 do
      assert.equal("0 hits, 1 misses, 0 stores", counted(function()
        gpu.raises("CompileError", "does not compile", cuda.compile, "__global__ void k() { x; }", { cache_dir = dir })
      end))
    end
    assert.same({}, entries(dir))
  end)

  it("with cache_dir = false or -G are made anew", function()
    for _, opts in ipairs { { cache_dir = false }, { cache_dir = dir, options = { "-G" } } } do
      assert.equal("0 hits, 0 misses, 0 stores", counted(function() cuda.compile(source, opts) end))
    end
  end)

  local child = [[
    local cuda = require "cudalua"
    local ffi = require "ffi"
    cuda.init()
    cuda.Device(0):retain_primary_context():push()
    local mod = cuda.SourceModule("__global__ void k(int *p, int n) { p[0] = n + 1; }", { cache_dir = %q })
    local p, out = cuda.mem_alloc(4), ffi.new("int[1]")
    mod:get_function "k"(p, 41, { block = 1 })
    cuda.memcpy_dtoh(out, p)
    local maps = io.open("/proc/self/maps"):read "*a"
    print(out[0], maps:find "libnvrtc" and "compiled" or "cached")
  ]]

  it("do not open NVRTC where they hit", function()
    assert.equal("42\tcompiled\n", (gpu.child(child:format(dir), gpu.driver)))
    assert.equal("42\tcached\n", (gpu.child(child:format(dir), gpu.driver)))
  end)

  it("of 16 processes at the same time are all right", function()
    local script = root .. "/child.lua"
    write(script, child:format(dir))
    local all = ("for i in $(seq 16); do %s luajit %s 2>&1 & done; wait"):format(gpu.driver, script)
    local text = io.popen(all):read "*a"
    assert.equal(("42\n"):rep(16), (text:gsub("\t%w+", "")))
    assert.equal(1, #entries(dir))
  end)
end)

describe("What the cache tells", function()
  local code = [[
    local cuda = require "cudalua"
    local cache = require "cudalua.compiler.cache"
    for i = 1, 5 do
      local slot = cache.open { source = "s" .. i, name = "kernel.cu", target = "image", extern_c = true, fields = {} }
      cache.get(slot)
      cache.put(slot, { cubin = "x" })
      cache.get(slot)
    end
    local info = cuda.cache_info()
    print(info.dir, info.entries, info.bytes > 100, info.limit, info.hits, info.misses, info.stores, info.why)
    print(cuda.clear_cache(), cuda.cache_info().entries, cuda.cache_info().bytes)
  ]]

  it("is cuda.cache_info's table, and cuda.clear_cache empties it", function()
    local dir = folder()
    local text = gpu.child(code, "CUDALUA_CACHE_DIR=" .. dir)
    assert.equal(dir .. "\t5\ttrue\t536870912\t5\t5\t5\tnil\n5\t0\t0\n", text)
    assert.same({}, entries(dir))
  end)

  it("is why there is none, for cuda.cache_info and cuda.clear_cache alike", function()
    local text = gpu.child([[
      local cuda = require "cudalua"
      local info = cuda.cache_info()
      print(info.dir, info.why, info.entries, info.bytes, cuda.clear_cache())
    ]], "CUDALUA_DISABLE_CACHE=1")
    assert.equal("nil\tCUDALUA_DISABLE_CACHE is set\t0\t0\t0\n", text)
  end)
end)
