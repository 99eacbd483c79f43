-- Exported kernels: a program that has NVRTC writes them, and runs again without it.
local gpu = require "spec.support.gpu"
local core = require "cudalua.core"
local exported = require "cudalua.compiler.exported"
local requests = require "cudalua.compiler.requests"

local cuda = gpu.cuda

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

local root
before_each(function()
  root = os.tmpname()
  os.remove(root)
  assert(core.create_folder(root))
end)
after_each(function() core.remove_folder(root) end)

-- A process that has no compiler, no cache and these kernels.
local function without_nvrtc(code, folder, more)
  return gpu.child(code, ("%s CUDALUA_NVRTC=/nowhere/libnvrtc.so CUDALUA_DISABLE_CACHE=1 CUDALUA_KERNELS=%s %s"):format(
    gpu.driver, folder, more or ""))
end

local function with_nvrtc(code, more) return gpu.child(code, gpu.driver .. " " .. (more or "")) end

-- A kernel whose source has this text in it.
local function program(text, options)
  return ([[
    local cuda, ffi = require "cudalua", require "ffi"
    local x = ffi.new("int[1]", 1)
    cuda.kernel("__global__ void add(int *x) { *x += %s; }", "add", %s)(cuda.InOut(x), { block = 1 })
    print(x[0])
  ]]):format(text, options or "{}")
end

local function export(text, options, call)
  local out, ok = with_nvrtc(program(text, options) .. (call or ("cuda.cache.export(%q)"):format(root .. "/out")))
  assert(ok, out)
  return root .. "/out"
end

local function kernel_files(folder)
  local list = {}
  for _, name in ipairs(core.list_folder(folder)) do
    if name:find "%.kernel$" then list[#list + 1] = folder .. "/" .. name end
  end
  table.sort(list)
  return list
end

describe("cache.export and cache.use", function()
  it("give a process without NVRTC kernels of every kind", function()
    assert(core.create_folder(root .. "/headers"))
    write(root .. "/headers/factor.h", "#define FACTOR 3\n")
    local code = 'dofile "spec/ship/every_kernel.lua"'
    local out = root .. "/out"
    local first, ok = with_nvrtc(("arg = { [0] = 'x', %q }; "):format(out) .. code,
      "SPEC_HEADERS=" .. root .. "/headers")
    assert.is_true(ok, first)
    local report = first:match "\n(%d+) kernels in "
    assert.is_true(tonumber(report) > 35, first)
    local second
    second, ok = without_nvrtc("arg = {}; " .. code, out, "SPEC_HEADERS=/nowhere")
    assert.is_true(ok, second)
    local taken = second:match "(%d+) from 1 folder"
    assert.is_true(tonumber(taken) >= tonumber(report) - 2, second)
    first = first:gsub("%d+ kernels in .*$", "")
    assert.equal(first, (second:gsub("%d+ from 1 folder.*$", "")))
  end)

  it("take CUDALUA_KERNELS, or the folder that the program names", function()
    local out = export "10"
    local text, ok = without_nvrtc(program "10" .. "local i = cuda.cache.info() print(i.exported, i.folders[1])", out)
    assert.is_true(ok, text)
    assert.equal(("11\n1\t%s\n"):format(core.realpath(out)), text)
    text, ok = without_nvrtc(('require("cudalua").cache.use(%q) '):format(out) .. program "10", "")
    assert.is_true(ok, text)
    assert.equal("11\n", text)
  end)

  it("work for every user: files and folders are as the file mode mask has it", function()
    local out = export "11"
    assert.is_true(os.execute(("test $(stat -c %%a %s) = $(printf %%o $((0777 & ~$(umask))))"):format(out)) == 0)
    assert.is_true(os.execute(("chmod -R a-w %s"):format(out)) == 0)
    local text, ok = without_nvrtc(program "11", out)
    assert.is_true(ok, text)
    os.execute(("chmod -R u+w %s"):format(out))
  end)

  it("report what was written, and add to a folder", function()
    local out = root .. "/out"
    export("12", nil, ([[
      local report = cuda.cache.export(%q, { "sm_90", "sm_80" })
      print(#report.kernels, table.concat(report.archs, " "), table.concat(report.kernels[1].archs, " "))
      assert(report.kernels[1].name == "kernel.cu (add)", report.kernels[1].name)
      assert(tostring(report):find("1 kernels in .* for sm_80, compute_80, sm_90, "))
      assert(#report.failed == 0 and #report.left == 0 and #report.refused == 0 and #report.notes == 0)
    ]]):format(out))
    local entry = assert(exported.read(kernel_files(out)[1]))
    assert.equal("\127ELF", entry.images[1].cubin:sub(1, 4))
    assert.equal("sm_80 compute_80 sm_90", ("%s %s %s"):format(entry.images[1].arch, entry.images[2].arch,
      entry.images[3].arch))
    assert.truthy(entry.images[2].ptx:find(".target sm_80", 1, true))
    assert.is_nil(entry.images[2].ptx:find("%.file") or entry.images[2].ptx:find("%.loc"))
    export("12", nil, ("cuda.cache.export(%q, { 'compute_75' })"):format(out))
    export("13", nil, ("cuda.cache.export(%q, { 'sm_80' })"):format(out))
    assert.equal(2, #kernel_files(out))
    local manifest = read(out .. "/manifest")
    assert.truthy(manifest:find("\nlibrary " .. cuda.VERSION_TEXT .. "\n", 1, true))
    assert.truthy(manifest:find("\narchs sm_80 compute_80 sm_90 compute_75\n", 1, true), manifest)
    local _, rows = manifest:gsub("\nkernel %x+%.kernel kernel%.cu %(add%): ", "")
    assert.equal(2, rows)
    assert.truthy(manifest:find("kernel.cu (add): compute_75 sm_80 compute_80 sm_90\n", 1, true), manifest)
  end)

  it("leave out what cannot be exported, and say so", function()
    local out = with_nvrtc(([[
      local cuda = require "cudalua"
      cuda.Device(0):retain_primary_context():push()
      cuda.compile("__global__ void k() {}", { debug = true, name = "debugged.cu" })
      cuda.compile("__global__ void k() {}", { target = "ltoir", name = "linked.cu" })
      cuda.compile("__global__ void k() {}", { name = "plain.cu" })
      cuda.compile("#if __CUDA_ARCH__ == 800\n#error not here\n#endif\n", { name = "modern.cu", arch = "compute_90" })
      pcall(cuda.compile, "#error never", { name = "never.cu" })
      print(cuda.cache.export(%q, { "sm_80", "sm_90" }))
    ]]):format(root .. "/out"))
    assert.truthy(out:find("not exported: debugged.cu: it is compiled for a debugger", 1, true), out)
    assert.truthy(out:find("not exported: linked.cu: LTO-IR", 1, true), out)
    assert.truthy(out:find("the compiler refuses never.cu, and so will the program", 1, true), out)
    assert.is_nil(out:find("not for", 1, true), out)
    assert.equal(3, #kernel_files(root .. "/out"))
  end)

  it("refuse bad arguments", function()
    gpu.raises("LogicError", "expected a folder's path, got 3", cuda.cache.export, 3)
    gpu.raises("LogicError", "expected a folder's path", cuda.cache.export, "")
    gpu.raises("LogicError", "archs must be a list", cuda.cache.export, root .. "/a", {})
    gpu.raises("LogicError", "archs[1] must be 'sm_90'", cuda.cache.export, root .. "/a", { "90" })
    gpu.raises("LogicError", "does not compile for sm_10; it compiles", cuda.cache.export, root .. "/a", { "sm_10" })
    assert.is_nil(core.stat(root .. "/a"))
    gpu.raises("LogicError", "expected a folder's path", cuda.cache.use, nil)
    gpu.raises("RuntimeError", "it does not exist", cuda.cache.use, root .. "/a")
    gpu.raises("RuntimeError", "it has no manifest", cuda.cache.use, root)
    write(root .. "/file", "")
    gpu.raises("RuntimeError", "is in use for something else", cuda.cache.export, root, { "sm_80" })
  end)
end)

describe("Exported kernels", function()
  it("that are missing are named, with the folder, its architectures and what to do", function()
    local out = export("20", nil, ("cuda.cache.export(%q, { 'sm_80' })"):format(root .. "/out"))
    local text, ok = without_nvrtc([[
      local cuda = require "cudalua"
      local ok, err = pcall(cuda.kernel, "__global__ void other(int *x) { *x = 1; }")
      assert(not ok and cuda.is_error(err, "RuntimeError"), tostring(err))
      print(err.message)
      print(err.detail:match "^[^\n]*")
      print(err.hint)
    ]], out)
    assert.is_true(ok, text)
    assert.equal("kernel: kernel.cu (other) is not among the exported kernels, and NVRTC is not available to " ..
      "compile it\n" ..
      core.realpath(out) .. " (sm_80 compute_80): not in it\n" ..
      "before cuda.cache.export, run the part of the program that needs this kernel; name this device's " ..
      "architecture; or install NVRTC\n", text)
  end)

  it("are neither LTO-IR nor for a debugger", function()
    local out = export "20"
    for _, option in ipairs { "target = 'ltoir'", "debug = true" } do
      local code = ('require("cudalua").compile("__global__ void k() {}", { %s })'):format(option)
      local text, ok = without_nvrtc(code, out)
      assert.is_false(ok)
      assert.truthy(text:find("LTO-IR and code with debug = true are not exported", 1, true), text)
    end
  end)

  it("for other devices are missing, too", function()
    local out = export("21", nil, ("cuda.cache.export(%q, { 'compute_120' })"):format(root .. "/out"))
    local text, ok = without_nvrtc(program "21", out)
    assert.is_false(ok)
    assert.truthy(text:find("(compute_120): none of its images is for this device", 1, true), text)
  end)

  it("that are damaged or cut off are an error that names the file", function()
    local out = export "22"
    local path = kernel_files(out)[1]
    local whole = read(path)
    for _, bad in ipairs { whole:sub(1, -2), whole:sub(1, 40), "", (whole:gsub("add", "ADD")), whole .. "x",
      (whole:gsub("^cudalua exported kernel 1", "cudalua exported kernel 2")) } do
      write(path, bad)
      local text, ok = without_nvrtc(program "22", out)
      assert.is_false(ok)
      assert.truthy(text:find(path .. " cannot be used: it is ", 1, true), text)
    end
    write(path, whole)
    local text, ok = without_nvrtc(program "22", out)
    assert.is_true(ok, text)
  end)

  it("of another version of the library or format are not used", function()
    local out = export "23"
    local manifest = read(out .. "/manifest")
    write(out .. "/manifest", (manifest:gsub("\nlibrary [^\n]+", "\nlibrary 77.1")))
    local problem = "cudalua 77.1 exported it, but this is cudalua " .. cuda.VERSION_TEXT
    gpu.raises("RuntimeError", problem, cuda.cache.use, out)
    gpu.raises("RuntimeError", "cudalua 77.1 exported to", cuda.cache.export, out, { "sm_80" })
    local text, ok = without_nvrtc(program "23", out)
    assert.is_false(ok)
    assert.truthy(text:find("are not used: " .. problem, 1, true), text)
    assert.truthy(text:find("detail: " .. out .. ": " .. problem, 1, true), text)
    write(out .. "/manifest", (manifest:gsub("^cudalua exported kernels 1", "cudalua exported kernels 2")))
    gpu.raises("RuntimeError", "this library reads 'cudalua exported kernels 1'", cuda.cache.use, out)
  end)

  it("that the compiler refused are refused again, so that a program's second source is taken", function()
    local source = [[
      local cuda = require "cudalua"
      local ok, err = pcall(cuda.kernel, "__global__ void first(int *x) { *x = nothing; }")
      assert(not ok and cuda.is_error(err, "CompileError"), tostring(err))
      print(err.message, err.log)
    ]]
    local first = with_nvrtc(source .. ("cuda.cache.export(%q)"):format(root .. "/out"))
    assert.truthy(first:find('identifier "nothing" is undefined', 1, true), first)
    assert.equal(first, (without_nvrtc(source, root .. "/out")))
  end)

  it("with included files are told apart by what the files hold", function()
    local folders = { root .. "/one", root .. "/two", root .. "/three" }
    for i, folder in ipairs(folders) do
      assert(core.create_folder(folder))
      write(folder .. "/value.h", "#define VALUE " .. 30 + i .. "\n")
    end
    local function source(folder)
      return ([[
        local cuda, ffi = require "cudalua", require "ffi"
        local x = ffi.new("int[1]", 1)
        local ok, err = pcall(function()
          cuda.kernel("#include \"value.h\"\n__global__ void add(int *x) { *x += VALUE; }", { include_dirs = { %q } })(
            cuda.InOut(x), { block = 1 })
        end)
        print(ok and x[0] or err)
      ]]):format(folder)
    end
    local out = root .. "/out"
    local save = ("cuda.cache.export(%q)"):format(out)
    assert.equal("32\n", (with_nvrtc(source(folders[1]) .. save)))
    -- One version: it counts if nothing says otherwise, and without a compiler even then.
    assert.equal("32\n", (without_nvrtc(source "/nowhere", out)))
    assert.equal("32\n", (without_nvrtc(source(folders[1]), out)))
    local stale = without_nvrtc(source(folders[2]), out)
    assert.truthy(stale:find("have changed since the export; using the exported kernel", 1, true), stale)
    assert.truthy(stale:find("32\n", 1, true))
    assert.equal("33\n", (gpu.child(source(folders[2]), gpu.driver .. " CUDALUA_KERNELS=" .. out)))
    -- Two versions.
    with_nvrtc(source(folders[2]) .. save)
    assert.equal(2, #kernel_files(out))
    assert.equal("32\n", (without_nvrtc(source(folders[1]), out)))
    assert.equal("33\n", (without_nvrtc(source(folders[2]), out)))
    local text = without_nvrtc(source "/nowhere", out)
    assert.truthy(text:find("several versions of its headers", 1, true), text)
    text = without_nvrtc(source(folders[3]), out)
    assert.truthy(text:find("have changed since the export", 1, true), text)
  end)

  it("do for keep, with a notice", function()
    local out = export "24"
    local text, ok = without_nvrtc(program("24", "{ keep = true }"), out)
    assert.is_true(ok, text)
    assert.truthy(text:find("NVRTC is not available; using the exported kernel as it is", 1, true), text)
  end)

  it("are looked at before NVRTC", function()
    local out = export "25"
    local path = kernel_files(out)[1]
    write(path, "nonsense")
    local text, ok = with_nvrtc(program "25", "CUDALUA_KERNELS=" .. out)
    assert.is_false(ok, text)
    os.remove(path)
    text, ok = with_nvrtc(program "25", "CUDALUA_KERNELS=" .. out)
    assert.is_true(ok, text)
  end)

  it("have several images, of which the driver takes the next if it refuses one", function()
    local out = export "26"
    local path = kernel_files(out)[1]
    local entry = assert(exported.read(path))
    local ptx = entry.images[#entry.images].ptx
    table.insert(entry.images, { arch = "compute_79", ptx = ptx, lowered = entry.images[1].lowered,
      params = entry.images[1].params })
    for _, image in ipairs(entry.images) do
      if image.arch ~= "compute_79" and image.ptx then image.ptx = "nonsense" end
      if image.cubin then image.cubin = "nonsense" end
    end
    write(path, exported.encode(entry))
    assert.equal("27\n", (without_nvrtc(program "26", out)))
    entry.images[#entry.images].ptx = "nonsense"
    write(path, exported.encode(entry))
    local text, ok = without_nvrtc(program "26", out)
    assert.is_false(ok)
    assert.truthy(text:find("the driver accepts none of the kernel's exported images", 1, true), text)
    assert.truthy(text:find("compute_79: ", 1, true), text)
    assert.equal("27\n", (with_nvrtc(program "26", "CUDALUA_KERNELS=" .. out)))
  end)
end)

describe("Keys of exported kernels", function()
  local function key(changes)
    local job = { source = "a", name = "kernel.cu", extern_c = true, options = {}, include_dirs = {}, header_names = {},
      header_sources = {}, expressions = {}, opts = {} }
    for name, value in pairs(changes or {}) do job[name] = value end
    return (requests.key(job))
  end

  it("have all that the program asked for", function()
    local seen = { [key()] = true }
    for _, changes in ipairs {
      { source = "b" }, { name = "other.cu" }, { extern_c = false }, { target = "ptx" }, { arch = "sm_90" },
      { arch = "sm_90a" }, { options = { "-DA" } }, { options = { "-DA", "-DB" } }, { options = { "-DA -DB" } },
      { expressions = { "a" } }, { header_names = { "a" }, header_sources = { "b" } },
      { header_names = { "a" }, header_sources = { "c" } }, { opts = { std = "c++20" } }, { opts = { minimal = true } },
      { opts = { lineinfo = true } }, { opts = { default_device = false } }, { options = { "--pre-include=/a/b.h" } },
    } do
      local one = key(changes)
      assert.is_nil(seen[one], one)
      seen[one] = true
    end
  end)

  it("have nothing of this machine", function()
    assert.equal(key(), key { name = "/home/somebody/kernel.cu" })
    assert.equal(key(), key { include_dirs = { "/a" }, options = { "-I/b", "-I", "/c", "--include-path=/d" } })
    assert.equal(key(), key { opts = { keep = true, time = true, cache_dir = "/a", debug = true } })
    assert.equal(key { options = { "--pre-include=/a/b.h" } }, key { options = { "-include", "/c/b.h" } })
  end)

  it("of arrays are the same for every device", function()
    if not gpu.soft then pending "only the software device has the number of multiprocessors that one asks for" end
    local code = [[
      local cuda = require "cudalua"
      local a = cuda.gpuarray.arange(5000):astype "float32"
      tostring(a:sum()) tostring(a:sort()) tostring(cuda.gpuarray.histogram(a, 20)) tostring(a:cumsum())
      local digests = {}
      for i, job in ipairs((require("cudalua.compiler.requests").all())) do
        digests[i] = select(2, require("cudalua.compiler.requests").key(job))
      end
      table.sort(digests)
      print(#digests, table.concat(digests, " "))
    ]]
    local plain = with_nvrtc(code)
    assert.truthy(plain:find "^%d%d\t%x+", plain)
    local other = with_nvrtc([[
      local soft = require "cudalua.softgpu"
      require("cudalua").init()
      soft.control "attribute 16 3"
      soft.control "attribute 39 512"
      soft.control "attribute 8 20000"
      assert(require("cudalua").Device(0):get_attribute "multiprocessor_count" == 3)
    ]] .. code)
    assert.equal(plain, other)
  end)
end)

describe("Images of exported kernels", function()
  it("suit devices as CUDA's rules have it", function()
    local suits = exported.suits
    assert.is_true(suits("sm_90", 90) > suits("compute_90", 90))
    assert.is_true(suits("sm_86", 89) > suits("sm_80", 89))
    assert.is_true(suits("compute_80", 90) > suits("compute_75", 90))
    for _, row in ipairs { { "sm_80", 90 }, { "sm_90", 80 }, { "sm_86", 80 }, { "sm_87", 89 }, { "compute_90", 80 },
      { "compute_90a", 100 }, { "sm_90a", 100 }, { "sm_100f", 120 }, { "sm_100a", 103 }, { "given", 90 } } do
      assert.is_nil(suits(row[1], row[2]), row[1])
    end
    for _, row in ipairs { { "sm_90a", 90 }, { "compute_90a", 90 }, { "sm_100f", 103 }, { "sm_87", 87 } } do
      assert.truthy(suits(row[1], row[2]), row[1])
    end
  end)
end)

describe("cache.info and cache.clear", function()
  it("are those of the disk cache, and say which folders are in use", function()
    local info = cuda.cache.info()
    assert.equal(cuda.cache_info().dir, info.dir)
    assert.is_true(info.limit > 0 and info.exported >= 0)
    local text, ok = with_nvrtc(program "40" .. [[
      assert(cuda.cache.info().entries == 1 and #cuda.cache.info().folders == 0)
      assert(cuda.cache.clear() == 1 and cuda.cache.info().entries == 0)
    ]], "CUDALUA_CACHE_DIR=" .. root .. "/cache")
    assert.is_true(ok, text)
  end)
end)
