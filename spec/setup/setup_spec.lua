-- `cudalua setup`: which wheels it takes, where it puts them, and what it says if it cannot. pip and NVRTC are replaced
-- by small scripts and files, so that no case depends on a network or on what the machine has installed.
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local wheel = require "spec.support.wheel"
local wheels = require "cudalua.setup.wheels"

local folder

before_each(function()
  folder = os.tmpname()
  os.remove(folder)
  assert(os.execute(("mkdir -p '%s/in' '%s/bin'"):format(folder, folder)) == 0)
end)
after_each(function()
  os.execute("chmod -R u+w " .. folder)
  core.remove_folder(folder)
end)

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function read(path) return core.read_file(path, 2 ^ 20) end

-- Runs setup in a process where NVRTC is missing, or (state) as it says. The check at the end is `true`.
local function setup(arguments, state)
  write(folder .. "/run.lua", ([[
    package.loaded["cudalua.setup.check"] = {
      driver = function() return %s end, lacking = function() return %s end, run = function() return 7 end }
    local arguments = arg
    arg = { [-1] = "true", [0] = "" }
    os.exit(require("cudalua.setup.run").run { unpack(arguments) })
  ]]):format((state or {}).driver or "nil", (state or {}).found and "nil" or '"NVRTC was not found"'))
  local pipe = assert(io.popen(("{ PATH=%s/bin:$PATH XDG_DATA_HOME=%s/data CUDALUA_NVRTC= %s luajit %s/run.lua %s; } "
    .. "2>&1; echo status $?"):format(folder, folder, (state or {}).environment or "", folder, arguments)))
  local text, status = pipe:read "*a":match "^(.*)status (%d+)\n$"
  pipe:close()
  return text, tonumber(status)
end

local function says(text, expected) assert.truthy(text:find(expected, 1, true), text) end

describe("the choice of wheels", function()
  it("is CUDA 13.0 on the software device and with a driver for CUDA 13", function()
    for _, driver in ipairs { false, 13000, 13020, 14000 } do
      local choice = wheels.choose(driver or nil)
      assert.equal("nvidia-cuda-nvrtc==13.0.*", choice.specs[1])
      assert.equal("13.0", choice.version)
    end
  end)

  it("is no newer than a driver for CUDA 12", function()
    assert.equal("nvidia-cuda-nvrtc-cu12==12.4.*", wheels.choose(12040).specs[1])
    assert.equal("nvidia-cuda-nvrtc-cu12==12.8.*", wheels.choose(12080).specs[1])
    assert.equal("12.9", wheels.choose(12990).version)
  end)

  it("knows files by their names", function()
    local name = "/a b/nvidia_cuda_nvrtc-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl"
    local found = wheels.read_name(name)
    assert.same({ "nvidia-cuda-nvrtc", "13.0.88", "x86_64", name },
      { found.name, found.version, found.machine, found.path })
    found = wheels.read_name "nvidia_cuda_cccl_cu12-12.4.127.post1-py3-none-manylinux2014_aarch64.whl"
    assert.same({ "nvidia-cuda-cccl-cu12", "12.4.127.post1", "aarch64" }, { found.name, found.version, found.machine })
    for _, other in ipairs { "numpy-2.0-py3-none-any.whl", "nvidia_cuda_nvrtc-13.0.88.tar.gz", "nvidia_x.whl", "" } do
      assert.is_nil(wheels.read_name(other))
    end
  end)
end)

describe("cudalua setup FOLDER", function()
  local root

  before_each(function()
    root = folder .. "/data/cudalua/cuda"
    wheel.write_both(folder .. "/in")
  end)

  it("unpacks the wheels into one toolkit, without what programs do not need", function()
    local out, status = setup(folder .. "/in")
    assert.equal(0, status, out)
    assert.equal("the compiler", read(root .. "/lib/libnvrtc.so.13"))
    assert.equal("its header", read(root .. "/include/nvrtc.h"))
    assert.equal("a header in a folder", read(root .. "/include/crt/host_config.h"))
    assert.equal("the licence", read(root .. "/licenses/nvidia_cuda_nvrtc-13.0.88.txt"))
    assert.equal(1, #core.list_folder(root .. "/lib"))
    local _, count = read(root .. "/wheels.txt"):gsub("%.whl\n", "")
    assert.equal(2, count)
    says(out, "cudalua setup: installed 1 MB in " .. root)
  end)

  it("takes single files, and adds them to what is there", function()
    assert.equal(0, select(2, setup(folder .. "/in/nvidia_cuda_nvrtc-*")))
    assert.is_nil(core.stat(root .. "/include/cuda.h"))
    assert.equal(0, select(2, setup(folder .. "/in/nvidia_cuda_runtime-*", { found = true })))
    assert.equal("cuda.h", read(root .. "/include/cuda.h"))
    assert.equal("the compiler", read(root .. "/lib/libnvrtc.so.13"))
  end)

  it("replaces a toolkit of another release, whose headers would mix", function()
    setup(folder .. "/in")
    os.execute(("rm %s/in/*"):format(folder))
    wheel.write(folder .. "/in/nvidia_cuda_nvrtc_cu12-12.4.127-py3-none-manylinux2014_x86_64.whl",
      { { "nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "the older compiler" } })
    local out, status = setup(folder .. "/in")
    assert.equal(0, status, out)
    says(out, "removing CUDA 13.0 from " .. root)
    assert.same({ "libnvrtc.so.12" }, core.list_folder(root .. "/lib"))
    assert.is_nil(core.stat(root .. "/include/cuda.h"))
  end)

  it("refuses what is no wheel, is damaged, or is for another machine, and leaves no compiler", function()
    local path = folder .. "/in/nvidia_cuda_nvrtc-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl"
    local bytes = read(path)
    write(path, (bytes:gsub("the compiler", "the c0mpiler")))
    local out, status = setup(folder .. "/in")
    assert.equal(1, status)
    says(out, path .. ": nvidia/cu13/lib/libnvrtc.so.13: the member is damaged: its checksum does not match; bring the "
      .. "file over once more\n")
    write(path, bytes:sub(1, -20))
    says(setup(folder .. "/in"), path)
    write(path, "")
    says(setup(folder .. "/in"), "; bring the file over once more")
    assert.is_nil(core.stat(root .. "/lib/libnvrtc.so.13"))
    os.rename(path, (path:gsub("x86_64", "aarch64")))
    says(setup(folder .. "/in"), "is for aarch64, and this machine is x86_64: bring the file whose name has linux and "
      .. "x86_64")
    says(setup(folder .. "/run.lua"), folder .. "/run.lua is not one of NVIDIA's wheels")
    says(setup(folder .. "/none"), folder .. "/none: there is no such file or folder")
    says(setup(folder .. "/bin"), folder .. "/bin holds none of NVIDIA's wheels")
  end)

  it("writes nothing outside its folder", function()
    os.execute(("rm %s/in/*"):format(folder))
    wheel.write(folder .. "/in/nvidia_cuda_nvrtc-13.0.1-py3-none-manylinux2014_x86_64.whl", {
      { "nvidia/cu13/lib/../../../../evil", "1" }, { "/nvidia/cu13/lib/evil", "1" }, { "nvidia/cu13/bin/evil", "1" },
      { "nvidia/cu13/lib/libnvrtc.so.13", "1" } })
    local out, status = setup(folder .. "/in")
    assert.equal(0, status, out)
    assert.equal("", io.popen(("find %s -name '*evil*'"):format(folder)):read "*a")
  end)

  it("wants NVRTC among them, unless it is there", function()
    os.execute(("rm %s/in/nvidia_cuda_nvrtc*"):format(folder))
    local out, status = setup(folder .. "/in")
    assert.equal(1, status)
    says(out, ("NVRTC was not found, and %s/in has no wheel of it"):format(folder))
    says(out, "nvidia_cuda_nvrtc-13.0.*manylinux*x86_64.whl")
  end)

  it("refuses two versions of a wheel", function()
    os.execute(("cd %s/in && cp nvidia_cuda_nvrtc* nvidia_cuda_nvrtc-13.0.1-py3-none-manylinux2014_x86_64.whl"):format(
      folder))
    says(setup(folder .. "/in"), "are two versions of one wheel: keep one of them")
  end)

  it("says so if no folder can be written", function()
    write(folder .. "/data", "a file")
    says(setup(folder .. "/in"), root .. " cannot be written: set XDG_DATA_HOME to a folder that you can write")
    os.remove(folder .. "/data")
    local out = setup(folder .. "/in", { environment = "XDG_DATA_HOME= HOME=" })
    says(out, "HOME is not set: set it, or XDG_DATA_HOME")
  end)

  it("says so if another NVRTC comes first", function()
    local out = setup(folder .. "/in", { environment = "CUDALUA_NVRTC=/mine/libnvrtc.so", found = true })
    says(out, "/mine/libnvrtc.so comes first; to use the one installed, set CUDALUA_NVRTC=" .. root
      .. "/lib/libnvrtc.so.13")
  end)
end)

describe("cudalua setup", function()
  local function python(text)
    write(folder .. "/bin/python3", "#!/bin/sh\nunset LD_PRELOAD\n" .. text)
    os.execute(("chmod +x %s/bin/python3"):format(folder))
  end

  it("downloads with pip, and leaves no archives behind", function()
    wheel.write_both(folder .. "/in")
    -- The folder is the word behind -d.
    python(([[
case $* in *--version*) exit 0 ;; esac
echo "$*" >>%s/called
while [ "$1" != -d ]; do shift; done
cp %s/in/* "$2"
]]):format(folder, folder))
    local out, status = setup ""
    assert.equal(0, status, out)
    assert.equal("the compiler", read(folder .. "/data/cudalua/cuda/lib/libnvrtc.so.13"))
    assert.same({ "cuda" }, core.list_folder(folder .. "/data/cudalua"))
    local called = read(folder .. "/called")
    says(called, "-m pip download --no-deps --only-binary=:all: --platform manylinux2014_x86_64 -d ")
    says(called, " nvidia-cuda-nvrtc==13.0.* nvidia-cuda-runtime==13.0.* ")
    setup("", { driver = "12040" })
    says(read(folder .. "/called"), " nvidia-cuda-nvrtc-cu12==12.4.* ")
  end)

  it("changes nothing if all is there", function()
    python("touch " .. folder .. "/called")
    assert.equal(0, select(2, setup("", { found = true })))
    assert.is_nil(core.stat(folder .. "/called"))
    assert.is_nil(core.stat(folder .. "/data"))
  end)

  it("says how to bring the files over, without pip and without a network", function()
    python "exit 1\n"
    local out, status = setup ""
    assert.equal(1, status)
    says(out, "NVRTC was not found, and python3 with pip, which would download it, was not found either. Install pip")
    local line = out:match "\n(  python3 %-m pip download [^\n]*)\n"
    says(line, "-d wheels 'nvidia-cuda-nvrtc==13.0.*'")
    says(out, "\n  cudalua setup wheels\n")
    python "case $* in *--version*) exit 0 ;; esac\necho no network >&2; exit 1\n"
    out, status = setup ""
    assert.equal(1, status)
    says(out, "no network\n")
    says(out, "pip could not download NVIDIA's wheels; its message is above.")
    says(out, "\n  cudalua setup wheels\n")
    assert.same({ "cuda" }, core.list_folder(folder .. "/data/cudalua"))
  end)

  it("--list prints the same, --check only looks, --remove removes what was installed", function()
    local out, status = setup "--list"
    assert.equal(0, status)
    says(out, "nvidia_cuda_nvrtc-13.0.*manylinux*x86_64.whl")
    assert.equal(7, select(2, setup "--check"))
    wheel.write_both(folder .. "/in")
    setup(folder .. "/in")
    says(setup "--remove", ("cudalua setup: removed %s/data/cudalua/cuda\n"):format(folder))
    assert.is_nil(core.stat(folder .. "/data/cudalua/cuda"))
    says(setup "--remove", "nothing is installed in ")
    -- What an interrupted download has left.
    local archives = folder .. "/data/cudalua/cuda-wheels-a1B2c3"
    os.execute("mkdir -p " .. archives)
    says(setup "--remove", "cudalua setup: removed " .. archives .. "\n")
    assert.is_nil(core.stat(archives))
  end)

  it("refuses unknown options, and options that stand alone with others", function()
    local out, status = setup "--chek"
    assert.equal(1, status)
    says(out, "cudalua setup: unknown option --chek\nusage: cudalua setup")
    says(setup "--check --user", "--check, --list and --remove stand alone")
    assert.same({ 0 }, { select(2, setup "--help") })
  end)
end)

describe("the check of cudalua setup", function()
  local function command(arguments, environment)
    local pipe = assert(io.popen(("%s %s sh bin/cudalua %s 2>&1; echo status $?"):format(gpu.driver, environment or "",
      arguments)))
    local text, status = pipe:read "*a":match "^(.*)status (%d+)\n$"
    pipe:close()
    return text, tonumber(status)
  end

  it("finds what this machine has, and runs a kernel", function()
    local out, status = command "setup --check"
    assert.equal(0, status, out)
    assert.matches("\nNVRTC    /", out)
    assert.matches("\nheaders  /", out)
    assert.matches("\nkernel   1000 values computed on [^\n]+, as expected\nready\n$", out)
  end)

  it("says what is missing", function()
    local out, status = command("setup --check", "CUDALUA_NVRTC=/none/libnvrtc.so.13")
    assert.equal(1, status)
    says(out, "NVRTC    not found; run `cudalua setup`, which brings it, or set CUDA_HOME")
  end)

  it("says that a GPU's driver refuses PTX of a newer NVRTC", function()
    local check = require "cudalua.setup.check"
    assert.is_nil(check.advice({ major = 12, minor = 4 }, 12040))
    assert.is_nil(check.advice(nil, 12040))
    local advice = check.advice({ major = 12, minor = 8 }, 12040)
    says(advice, "NVRTC of CUDA 12.8 is newer than the driver, which is for CUDA 12.4. Machine code runs")
    says(advice, "install the wheels that `cudalua setup --list` names, or a driver for")
    assert.matches("CUDA 12.8$", advice)
  end)

  it("must come before its options", function()
    says(command "-E setup", "setup must come before its options")
  end)
end)
