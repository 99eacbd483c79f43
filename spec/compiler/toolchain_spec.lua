-- Where NVRTC and CUDA's headers are found. The file system and the environment are tables here, so that no case
-- depends on what the machine has installed.
local core = require "cudalua.core"

-- The toolchain as a machine with these files, folders of which follow from them, and this environment has it.
local function toolchain(files, environment, toolkit)
  local kinds, listings = {}, {}
  for _, path in ipairs(files) do
    kinds[path] = "file"
    local folder, name = path:match "^(.*)/([^/]+)$"
    while folder ~= "" do
      listings[folder] = listings[folder] or {}
      table.insert(listings[folder], name)
      kinds[folder] = "directory"
      folder, name = folder:match "^(.*)/([^/]+)$"
    end
  end
  local function real(path) -- folds x/.. as the file system does
    local count
    repeat path, count = path:gsub("/[^/]+/%.%.", "", 1) until count == 0
    return path
  end
  local fake = setmetatable({
    toolkit = toolkit or "/build",
    stat = function(path) if kinds[real(path)] then return kinds[real(path)], 1, "0" end end,
    realpath = function(path) return kinds[real(path)] and real(path) end,
    list_folder = function(path) return listings[path] end,
    read_file = function() return nil end,
    nvrtc_open = function(paths) return nil, table.concat(paths, ": not there\n") .. ": not there\n" end,
  }, { __index = core })
  local chunk = assert(loadfile "lua/cudalua/compiler/toolchain.lua")
  setfenv(chunk, setmetatable({
    require = function(name) return name == "cudalua.core" and fake or require(name) end,
    os = { getenv = function(name) return (environment or {})[name] end }, -- and no way to start a program
    io = {},
  }, { __index = _G }))
  return chunk()
end

local function with_headers(root) return { root .. "/lib/libnvrtc.so.13", root .. "/include/cuda_runtime.h" } end

-- NVRTC and the headers of one root, which must be found.
local function finds(root, environment, toolkit)
  local found = toolchain(with_headers(root), environment, toolkit).find()
  assert.equal(root .. "/lib/libnvrtc.so.13", found.nvrtc)
  assert.equal(root .. "/include", found.include)
end

describe("the search for NVRTC and CUDA's headers", function()
  it("knows the toolkit of the build, such as the wheels in .cuda", function()
    finds("/src/cudalua/.cuda/nvidia/cu13", {}, "/src/cudalua/.cuda/nvidia/cu13")
    finds("/usr/local/cuda-13.1", {}, "/usr/local/cuda-13.1")
  end)

  it("knows Python's packages of the active environment, the PATH, the user and the system", function()
    finds("/venv/lib/python3.11/site-packages/nvidia/cu13", { VIRTUAL_ENV = "/venv" })
    finds("/home/u/.local/lib/python3.13/site-packages/nvidia/cu13", { HOME = "/home/u" })
    finds("/base/lib/python3.13/site-packages/nvidia/cu13", { HOME = "/home/u", PYTHONUSERBASE = "/base" })
    finds("/usr/local/lib/python3.11/dist-packages/nvidia/cu13")
    finds("/usr/local/lib/python3.25/site-packages/nvidia/cu13")
    finds("/usr/lib/python3/dist-packages/nvidia/cu13")
    finds("/usr/lib64/python3.12/site-packages/nvidia/cu13")
    local files = with_headers "/opt/py/lib/python3.12/site-packages/nvidia/cu13"
    files[3] = "/opt/py/bin/python3"
    assert.equal(files[1], toolchain(files, { PATH = "/bin:/opt/py/bin" }).find().nvrtc)
    assert.is_nil(toolchain(files, { PATH = "/bin" }).find().nvrtc)
  end)

  it("knows the wheels of CUDA 12, each in a folder of its own", function()
    local site = "/venv/lib/python3.10/site-packages/nvidia"
    local found = toolchain({ site .. "/cuda_nvrtc/lib/libnvrtc.so.12", site .. "/cuda_runtime/include/cuda_runtime.h",
      site .. "/cuda_cccl/include/cuda/std/version" }, { VIRTUAL_ENV = "/venv" }).find()
    assert.equal(site .. "/cuda_nvrtc/lib/libnvrtc.so.12", found.nvrtc)
    assert.equal(site .. "/cuda_runtime/include", found.include)
    assert.truthy(found.cccl)
  end)

  it("knows what `cudalua setup` brought for this user", function()
    finds("/home/u/.local/share/cudalua/cuda", { HOME = "/home/u" })
    finds("/data/cudalua/cuda", { HOME = "/home/u", XDG_DATA_HOME = "/data" })
    local files = with_headers "/home/u/.local/share/cudalua/cuda"
    assert.is_nil(toolchain(files, { HOME = "/", XDG_DATA_HOME = "" }).find().nvrtc)
  end)

  it("prefers what is named, then the linker's, the active environment's, the set-up's, the build's", function()
    local environment = { CUDA_HOME = "/a", CUDA_PATH = "/b", LD_LIBRARY_PATH = "/c", CONDA_PREFIX = "/d",
      XDG_DATA_HOME = "/g", VIRTUAL_ENV = "/f" }
    local order = { "/a/lib64/libnvrtc.so", "/b/lib/libnvrtc.so.13", "/c/libnvrtc.so.13", "/usr/lib/libnvrtc.so.12",
      "/d/lib/libnvrtc.so.13", "/g/cudalua/cuda/lib/libnvrtc.so.13", "/e/lib/libnvrtc.so.13",
      "/f/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
      "/f/lib/python3.9/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
      "/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
      "/opt/cuda/lib64/libnvrtc.so.13" }
    while order[1] do
      assert.equal(order[1], toolchain(order, environment, "/e").find().nvrtc)
      table.remove(order, 1)
    end
  end)

  it("finds headers elsewhere if the library came without them", function()
    local library = "/usr/lib/libnvrtc.so.13"
    for _, dir in ipairs { "/a/include", "/build/include", "/venv/lib/python3.11/site-packages/nvidia/cu13/include",
      "/usr/lib/python3/dist-packages/nvidia/cuda_runtime/include", "/opt/cuda/targets/x86_64-linux/include" } do
      local found = toolchain({ library, dir .. "/cuda_runtime.h" }, { CUDA_HOME = "/a", VIRTUAL_ENV = "/venv" },
        "/build").find()
      assert.equal(library, found.nvrtc)
      assert.equal(dir, found.include)
    end
    assert.is_nil(toolchain({ library }).find().include)
  end)

  it("names every place if there is nothing, and the library that CUDALUA_NVRTC names alone", function()
    local files = { "/venv/lib/python3.11/site-packages/x.py", "/usr/lib/python3/dist-packages/y.py" }
    local machine = toolchain(files, { CUDA_HOME = "/a", VIRTUAL_ENV = "/venv", HOME = "/home/u" }, "/build")
    local info, why = machine.open()
    assert.is_nil(info)
    for _, place in ipairs { "libnvrtc.so.12: not there", "CUDA_HOME: /a\n", "CUDA_PATH: not set\n",
      "LD_LIBRARY_PATH (not set), /etc/ld.so.cache, /lib64", "CONDA_PREFIX: not set\n",
      "cudalua setup: /home/u/.local/share/cudalua/cuda\n", "the build: /build\n",
      "nvidia/cu13 and nvidia/cuda_nvrtc in /venv/lib/python3.11/site-packages, /usr/lib/python3/dist-packages\n",
      "/usr/local/cuda\n", "/opt/cuda" } do
      assert.truthy(why:find(place, 1, true), place .. " is not in:\n" .. why)
    end
    info, why = toolchain(files, { CUDALUA_NVRTC = "/mine/libnvrtc.so" }, "/build").open()
    assert.is_nil(info)
    assert.equal("/mine/libnvrtc.so: not there\n", why)
  end)

  it("has recorded the toolkit that the library was built with", function()
    assert.equal("file", core.stat(core.toolkit .. "/include/cuda.h"))
  end)
end)
